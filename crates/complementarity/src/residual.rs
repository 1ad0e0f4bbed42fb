//! The one judge of all solvers: the natural residual, recomputed from the original data.
//!
//! ```math
//! r_i = \frac{|z_i - \mathrm{mid}(l_i,\; z_i - F_i,\; u_i)|}{S + \sum_j |M_{ij} z_j| + |q_i|},
//! \qquad F = M z + q, \quad S = \min(1, \|q\|_\infty)
//! ```
//!
//! On a problem without a solution F can stay as it is while z runs off to infinity along a direction that M does not
//! see, and r vanishes. So the terms of a row excuse a fault only up to 1000 times its data, and beyond that only what
//! rounding of z does; r_i is the larger of the above and
//!
//! ```math
//! \frac{|z_i - \mathrm{mid}(l_i, z_i - F_i, u_i)| - \sum_j |M_{ij}| \min(64\epsilon |z_j|, 10^{-5} \zeta_j)}{1000\, D_i},
//! \qquad D_i = S + |q_i| + \sum_j |M_{ij}| \min(|z_j|, b_j), \quad \zeta_j = \max_i D_i / |M_{ij}|
//! ```
//!
//! with b_j the larger finite bound of z_j, 0 if there is none: ζ_j is the largest z_j for which some row has a reason.
//!
//! # Method
//! One pass over the columns of M. For points with such terms F is summed again, as if in twice the precision
//! \[ORO2005\]: beside large enough terms q would vanish. 0/0 counts as 0. A point with an entry that is not finite has
//! residual ∞.
//!
//! # Guarantees and limits
//! S replaces the usual 1 in the denominator: with 1, a problem whose data are all near 1e-12 would be "solved" by
//! z = 0. With S, the same problem in other units (s M, s q) is judged alike. The residual compares z_i with F_i, so
//! it knows nothing of their units: a problem whose z and F differ by many orders of magnitude is judged by the
//! smaller of both. Far out a fault counts a thousandth, so r ≤ t allows one of 1000 t times the data there: a
//! hundredth for t = 1e-5. Looser tolerances can accept points that run off.
//!
//! # References
//! - \[ORO2005\] T. Ogita, S. M. Rump, S. Oishi, Accurate sum and dot product, SIAM J. Sci. Comput. 26, 2005.

use crate::{Bounds, Lcp, LinearMcp};

/// A linear complementarity problem with or without bounds, as the residual and the solvers read it.
///
/// Made from `&Lcp` or `&LinearMcp` by `From`.
#[derive(Clone, Copy, Debug)]
pub struct LinearView<'a> {
    pub(crate) m: &'a sprs::CsMat<f64>,
    pub(crate) q: &'a [f64],
    pub(crate) bounds: Option<&'a Bounds>,
}

impl LinearView<'_> {
    pub(crate) fn len(&self) -> usize {
        self.q.len()
    }

    /// (l_i, u_i).
    pub(crate) fn interval(&self, i: usize) -> (f64, f64) {
        self.bounds
            .map_or((0.0, f64::INFINITY), |b| (b.lower()[i], b.upper()[i]))
    }

    /// mid(l_i, x, u_i).
    pub(crate) fn project(&self, i: usize, x: f64) -> f64 {
        let (lower, upper) = self.interval(i);
        x.max(lower).min(upper)
    }

    /// M by rows, dense.
    pub(crate) fn dense(&self) -> Vec<f64> {
        let n = self.len();
        let mut dense = vec![0.0; n * n];
        for (&value, (i, j)) in self.m {
            dense[i * n + j] += value;
        }
        dense
    }
}

impl<'a> From<&'a Lcp> for LinearView<'a> {
    fn from(lcp: &'a Lcp) -> Self {
        Self {
            m: lcp.m(),
            q: lcp.q(),
            bounds: None,
        }
    }
}

impl<'a> From<&'a LinearMcp> for LinearView<'a> {
    fn from(mcp: &'a LinearMcp) -> Self {
        Self {
            m: mcp.m(),
            q: mcp.q(),
            bounds: Some(mcp.bounds()),
        }
    }
}

/// One row of a problem as the residual sees it.
///
/// Example: see [`worst_rows`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RowResidual {
    /// Index of the row.
    pub row: usize,
    /// Scaled residual.
    pub residual: f64,
    /// z_i.
    pub z: f64,
    /// F_i = (M z + q)_i.
    pub f: f64,
    /// S + Σ|M_ij z_j| + |q_i|.
    pub scale: f64,
}

/// Largest scaled natural residual over the rows; 0 for a problem without rows, ∞ if an entry of z is not finite.
///
/// r_i = |z_i − mid(l_i, z_i − F_i, u_i)| / (S + Σ|M_ij z_j| + |q_i|) with F = M z + q and S = min(1, max |q_i|). Where
/// the terms of a row are more than 1000 times its data, r_i is not less than a thousandth of the fault relative to the
/// data: the terms of a point that runs off to infinity excuse nothing.
///
/// Tolerances above 1e-5 are too loose to tell such a point from a solution: 1e-5 leaves it a fault of a hundredth of
/// the data.
///
/// # Panics
/// If z has the wrong length.
///
/// # Examples
/// ```
/// use signorini_complementarity::{Lcp, natural_residual};
/// let lcp = Lcp::from_dense(&[[2.0]], vec![-1.0])?;
/// assert_eq!(natural_residual(&lcp, &[0.5]), 0.0);
/// assert_eq!(natural_residual(&lcp, &[0.0]), 0.5); // |min(0, -1)| / (1 + 0 + 1)
/// # Ok::<(), signorini_complementarity::ProblemError>(())
/// ```
#[track_caller]
pub fn natural_residual<'a>(problem: impl Into<LinearView<'a>>, z: &[f64]) -> f64 {
    rows(problem.into(), z)
        .map(|r| r.residual)
        .fold(0.0, f64::max)
}

/// The k rows with the largest residual, largest first; equal ones in the order of the rows.
///
/// # Panics
/// If z has the wrong length.
///
/// # Examples
/// ```
/// use signorini_complementarity::{Lcp, worst_rows};
/// let lcp = Lcp::from_dense(&[[2.0, 0.0], [0.0, 1.0]], vec![-1.0, 3.0])?;
/// let worst = worst_rows(&lcp, &[0.0, 0.0], 1);
/// assert_eq!((worst[0].row, worst[0].f), (0, -1.0));
/// # Ok::<(), signorini_complementarity::ProblemError>(())
/// ```
#[track_caller]
pub fn worst_rows<'a>(problem: impl Into<LinearView<'a>>, z: &[f64], k: usize) -> Vec<RowResidual> {
    let mut all: Vec<_> = rows(problem.into(), z).collect();
    all.sort_by(|a, b| b.residual.total_cmp(&a.residual));
    all.truncate(k);
    all
}

/// Terms of a row above this many times its data excuse no more than they do at it.
const EXCUSE: f64 = 1e3;

/// Roundings of z_j that a row may show, 2 ε each way for the 15 or so steps that made it.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// Roundings of z_j that are larger than this times ζ_j excuse nothing: z_j is then too far out to be known.
const VISIBLE: f64 = 1e-5;

#[track_caller]
fn rows<'a>(problem: LinearView<'a>, z: &[f64]) -> impl Iterator<Item = RowResidual> + use<'a> {
    assert_eq!(z.len(), problem.len(), "one entry per variable");
    let mut f = problem.q.to_vec();
    let largest = problem.q.iter().fold(0.0_f64, |m, q| m.max(q.abs()));
    let mut data: Vec<f64> = problem
        .q
        .iter()
        .map(|q| largest.min(1.0) + q.abs())
        .collect();
    let mut scale = data.clone();
    let near = |j: usize| z[j].abs().min(largest_bound(problem.interval(j)));
    let mut add = |i: usize, m: f64, (z, near): (f64, f64)| {
        let term = m * z;
        f[i] += term;
        scale[i] += term.abs();
        data[i] += m.abs() * near;
    };
    for (outer, entries) in problem.m.outer_iterator().enumerate() {
        if problem.m.is_csc() {
            let column = (z[outer], near(outer));
            entries.iter().for_each(|(i, &m)| add(i, m, column));
        } else {
            entries
                .iter()
                .for_each(|(j, &m)| add(outer, m, (z[j], near(j))));
        }
    }
    let far = (0..z.len()).any(|i| scale[i] > EXCUSE * data[i]);
    let roundings = far.then(|| {
        f = accurate_sums(problem, z);
        visible_roundings(problem, z, &data)
    });
    let z = z.to_vec();
    (0..z.len()).map(move |row| {
        let (z, f, scale) = (z[row], f[row], scale[row]);
        // z − mid(l, z − F, u), without the rounding of z − F where z is large.
        let (l, u) = problem.interval(row);
        let distance = f.max(z - u).min(z - l).abs();
        let strict = roundings.as_ref().map_or(0.0, |roundings| {
            (distance - roundings[row]).max(0.0) / (EXCUSE * data[row])
        });
        let residual = match (distance / scale, strict) {
            _ if !(z.is_finite() && f.is_finite()) => f64::INFINITY,
            _ if distance == 0.0 => 0.0,
            (r, _) if r.is_nan() || !scale.is_finite() => f64::INFINITY,
            // Without data at all every multiple of a solution is one: nothing runs off.
            (r, strict) if data[row] > 0.0 => r.max(strict),
            (r, _) => r,
        };
        RowResidual {
            row,
            residual,
            z,
            f,
            scale,
        }
    })
}

/// The larger finite bound by magnitude, 0 if there is none.
fn largest_bound((l, u): (f64, f64)) -> f64 {
    let finite = |b: f64| if b.is_finite() { b.abs() } else { 0.0 };
    finite(l).max(finite(u))
}

/// M z + q as if in twice the precision, then rounded: ORO2005 algorithm 5.3.
fn accurate_sums(problem: LinearView<'_>, z: &[f64]) -> Vec<f64> {
    let (mut sums, mut errors) = (problem.q.to_vec(), vec![0.0; z.len()]);
    for (&m, (i, j)) in problem.m {
        let product = m * z[j];
        let sum = sums[i] + product;
        let part = sum - sums[i];
        errors[i] += (sums[i] - (sum - part)) + (product - part) + m.mul_add(z[j], -product);
        sums[i] = sum;
    }
    sums.iter().zip(&errors).map(|(s, e)| s + e).collect()
}

/// Σ_j |M_ij| min(64 ε |z_j|, 1e-5 ζ_j).
fn visible_roundings(problem: LinearView<'_>, z: &[f64], data: &[f64]) -> Vec<f64> {
    let mut reason = vec![0.0_f64; z.len()];
    for (&m, (i, j)) in problem.m {
        if m != 0.0 {
            reason[j] = reason[j].max(data[i] / m.abs());
        }
    }
    let mut sums = vec![0.0; z.len()];
    for (&m, (i, j)) in problem.m {
        if m != 0.0 {
            sums[i] += m.abs() * (ROUNDING * z[j].abs()).min(VISIBLE * reason[j]);
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_unit_hides_a_fault() {
        for s in [1e-12, 1.0, 1e12] {
            let lcp = Lcp::from_dense(&[[s]], vec![-s]).unwrap();
            assert!(natural_residual(&lcp, &[0.0]) >= 0.5, "{s}");
            assert_eq!(natural_residual(&lcp, &[1.0]), 0.0);
        }
    }

    #[test]
    fn points_that_are_not_finite_are_infinitely_bad() {
        let lcp = Lcp::from_dense(&[[1.0, 0.0], [0.0, 0.0]], vec![-1.0, 0.0]).unwrap();
        for z in [[f64::NAN, 0.0], [f64::INFINITY, 0.0], [1.0, f64::NAN]] {
            assert_eq!(natural_residual(&lcp, &z), f64::INFINITY, "{z:?}");
        }
        assert_eq!(natural_residual(&lcp, &[1.0, 7.0]), 0.0);
    }

    /// F = (−1, −1) for every z = (t, t): no solution, however small F is beside the terms.
    #[test]
    fn points_that_run_off_are_no_solutions() {
        let lcp = Lcp::from_dense(&[[1.0, -1.0], [-1.0, 1.0]], vec![-1.0, -1.0]).unwrap();
        for t in [1e4, 1e8, 1e12, 1e14, 1e15, 1e16, 1e20] {
            assert!(natural_residual(&lcp, &[t, t]) > 1e-4, "{t:e}");
        }
        // Terms as large, but each with a reason in the data, or none that is needed: 1e12 kg in a row without q.
        let heavy = Lcp::from_dense(&[[1e-12, 0.0], [0.5, -1.0]], vec![-1.0, 0.0]).unwrap();
        assert!(natural_residual(&heavy, &[1e12, 0.5e12 + 1e-3]) < 1e-14);
        assert!(natural_residual(&heavy, &[1e12, 0.4e12]) > 1e-2);
        // A steep valley: z = 2³⁰ is the answer, and its neighbours are as good as numbers can be.
        let steep = 2.0_f64.powi(-30);
        let lcp = Lcp::from_dense(&[[1.0, -1.0], [-1.0, 1.0 + steep]], vec![-1.0, 0.0]).unwrap();
        let z = 2.0_f64.powi(30);
        assert!(natural_residual(&lcp, &[z + 1.0, z]) < 1e-15);
        assert!(natural_residual(&lcp, &[z + 1.0 + z * 3e-16, z]) < 1e-14);
    }

    #[test]
    fn bounds_decide_the_sign() {
        let bounds = Bounds::new(vec![1.0], vec![3.0]).unwrap();
        let mcp = LinearMcp::from_dense(&[[1.0]], vec![-5.0], bounds).unwrap();
        assert_eq!(natural_residual(&mcp, &[3.0]), 0.0);
        assert!(natural_residual(&mcp, &[1.0]) > 0.1);
    }
}
