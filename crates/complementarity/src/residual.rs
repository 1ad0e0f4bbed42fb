//! The one judge of all solvers: the natural residual, recomputed from the original data.
//!
//! ```math
//! r_i = \frac{|z_i - \mathrm{mid}(l_i,\; z_i - F_i,\; u_i)|}{S + \sum_j |M_{ij} z_j| + |q_i|},
//! \qquad F = M z + q, \quad S = \min(1, \|q\|_\infty)
//! ```
//!
//! # Method
//! One pass over the columns of M. 0/0 counts as 0. A point with an entry that is not finite has residual ∞.
//!
//! # Guarantees and limits
//! S replaces the usual 1 in the denominator: with 1, a problem whose data are all near 1e-12 would be "solved" by
//! z = 0. With S, the same problem in other units (s M, s q) is judged alike. The residual compares z_i with F_i, so
//! it knows nothing of their units: a problem whose z and F differ by many orders of magnitude is judged by the
//! smaller of both.

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

/// Largest scaled natural residual over the rows; 0 for a problem without rows.
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

#[track_caller]
fn rows<'a>(problem: LinearView<'a>, z: &[f64]) -> impl Iterator<Item = RowResidual> + use<'a> {
    assert_eq!(z.len(), problem.len(), "one entry per variable");
    let mut f = problem.q.to_vec();
    let largest = problem.q.iter().fold(0.0_f64, |m, q| m.max(q.abs()));
    let mut scale: Vec<f64> = problem
        .q
        .iter()
        .map(|q| largest.min(1.0) + q.abs())
        .collect();
    for (&m, (i, j)) in problem.m {
        f[i] += m * z[j];
        scale[i] += (m * z[j]).abs();
    }
    let z = z.to_vec();
    (0..z.len()).map(move |row| {
        let (z, f, scale) = (z[row], f[row], scale[row]);
        let distance = (z - problem.project(row, z - f)).abs();
        let residual = match distance / scale {
            _ if distance == 0.0 => 0.0,
            r if r.is_nan() || !scale.is_finite() => f64::INFINITY,
            r => r,
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

    #[test]
    fn bounds_decide_the_sign() {
        let bounds = Bounds::new(vec![1.0], vec![3.0]).unwrap();
        let mcp = LinearMcp::from_dense(&[[1.0]], vec![-5.0], bounds).unwrap();
        assert_eq!(natural_residual(&mcp, &[3.0]), 0.0);
        assert!(natural_residual(&mcp, &[1.0]) > 0.1);
    }
}
