//! What a ray of Lemke's method is worth, and the search for a proof of infeasibility.
//!
//! ```math
//! y \ge 0, \quad M^T y \le 0, \quad q^T y < 0 \quad\Rightarrow\quad \text{no } z \ge 0 \text{ has } M z + q \ge 0
//! ```
//!
//! With bounds the rows ask F_i ≥ 0 where only l_i is finite, F_i ≤ 0 where only u_i is, F_i = 0 where neither is, and
//! nothing where both are: there F_i has a sign at each end. So y has the signs ≥ 0, ≤ 0, any, and zero, and proves that
//! nothing is feasible if qᵀy + max { (Mᵀy)ᵀz : l ≤ z ≤ u } < 0.
//!
//! # References
//! - \[CPS1992\] R. W. Cottle, J.-S. Pang, R. E. Stone, The Linear Complementarity Problem, 1992, section 4.4.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use super::LemkeSettings;
use super::path::{End, follow};
use super::scaled::ScaledLcp;
use super::tableau::{Place, Tableau};
use crate::reduce::Reduced;
use crate::residual::LinearView;
use crate::{Bounds, Iterate, LinearMcp, Observer, Stats};

/// The ray along which the variable of `column` grows, (z̄, w̄, z̄₀) in the data of the unscaled LCP.
pub(super) fn ray(tableau: &Tableau, lcp: &ScaledLcp, column: usize) -> (Vec<f64>, Vec<f64>, f64) {
    let n = lcp.len();
    let direction = |variable: usize| match tableau.place(variable) {
        Place::Row(row) => tableau.entry(row, column).max(0.0),
        Place::Column(c) => f64::from(u8::from(c == column)),
    };
    (
        (0..n).map(|i| direction(n + i) * lcp.col[i]).collect(),
        (0..n).map(|i| direction(i) / lcp.row[i]).collect(),
        direction(tableau.z0()),
    )
}

/// The signs that y_i may have: those of the multipliers of row i.
fn signs((l, u): (f64, f64)) -> (f64, f64) {
    let side = |open: bool| if open { f64::INFINITY } else { 0.0 };
    let (below, above) = (l.is_finite(), u.is_finite());
    (-side(!below), side(!above))
}

/// The largest s z between the bounds.
fn support(s: f64, (l, u): (f64, f64)) -> f64 {
    match s {
        0.0 => 0.0,
        s if s > 0.0 => s * u,
        s => s * l,
    }
}

/// y, scaled to a largest entry of one and cleaned of rounding, if it proves infeasibility.
pub(super) fn farkas(
    view: &LinearView<'_>,
    y: &[f64],
    settings: &LemkeSettings,
) -> Option<Vec<f64>> {
    let tolerance = settings.certificate_tolerance;
    let projected = y.iter().enumerate().map(|(i, y)| {
        let (lowest, highest) = signs(view.interval(i));
        y.max(lowest).min(highest)
    });
    let mut y: Vec<f64> = projected.collect();
    let largest = y.iter().fold(0.0_f64, |m, y| m.max(y.abs()));
    if !(largest > 0.0 && largest.is_finite()) {
        return None;
    }
    for y in &mut y {
        *y = if y.abs() > tolerance * largest {
            *y / largest
        } else {
            0.0
        };
    }
    let (mut sum, mut size) = (vec![0.0; y.len()], vec![0.0; y.len()]);
    for (&m, (i, j)) in view.m {
        sum[j] += m * y[i];
        size[j] += (m * y[i]).abs();
    }
    // qᵀy and the maximum over the box, the sizes of their terms, and what rounding of Mᵀy can do to it.
    let mut total: f64 = view.q.iter().zip(&y).map(|(q, y)| q * y).sum();
    let mut terms: f64 = view.q.iter().zip(&y).map(|(q, y)| (q * y).abs()).sum();
    let mut rounding = 0.0;
    for (j, (&s, &size)) in sum.iter().zip(&size).enumerate() {
        let (l, u) = view.interval(j);
        let end = if s > 0.0 { u } else { l };
        if s != 0.0 && end.is_finite() {
            total += support(s, (l, u));
            terms += support(s, (l, u)).abs();
        } else if s.abs() > tolerance * size {
            return None;
        }
        let finite = |b: f64| if b.is_finite() { b.abs() } else { 0.0 };
        rounding += tolerance * size * finite(l).max(finite(u));
    }
    let negative = total < -tolerance.sqrt() * terms - rounding;
    (negative && total.is_finite()).then_some(y)
}

/// The linear program min cᵀz, l ≤ z ≤ u, with F = M z + q of the signs that the rows ask for, as a skew-symmetric mixed
/// problem in (z, y). It is bounded: c is 1 where only the lower bound is finite, −1 where only the upper, else 0.
pub(super) fn program(view: &LinearView<'_>) -> LinearMcp {
    let n = view.len();
    let mut triplets = sprs::TriMat::new((2 * n, 2 * n));
    for (&m, (i, j)) in view.m {
        triplets.add_triplet(n + i, j, m);
        triplets.add_triplet(j, n + i, -m);
    }
    let (mut lower, mut upper): (Vec<f64>, Vec<f64>) = (0..n).map(|i| view.interval(i)).unzip();
    let cost = |(l, u): (&f64, &f64)| f64::from(i8::from(l.is_finite()) - i8::from(u.is_finite()));
    let mut q: Vec<f64> = lower.iter().zip(&upper).map(cost).collect();
    q.extend_from_slice(view.q);
    for i in 0..n {
        let (lowest, highest) = signs((lower[i], upper[i]));
        lower.push(lowest);
        upper.push(highest);
    }
    let bounds = Bounds::new(lower, upper).expect("both parts are bounds");
    LinearMcp::new(triplets.to_csc(), q, bounds).expect("finite numbers of the right shape")
}

/// Searches a proof: single rows first, then the linear program of [`program`], on which Lemke's method ends in a
/// solution or in a ray that holds y.
pub(super) fn search(
    view: &LinearView<'_>,
    settings: &LemkeSettings,
    observer: &dyn Observer,
) -> Option<Vec<f64>> {
    if let Some(y) = single_row(view, settings) {
        return Some(y);
    }
    let program = program(view);
    let reduced = Reduced::new(&LinearView::from(&program), settings.singular_tolerance);
    let lcp = ScaledLcp::new(reduced.m.clone(), reduced.q.clone());
    if !lcp.is_finite() {
        return None;
    }
    // In exact arithmetic any covering vector does; rounding can lose the path of one.
    let pattern_free = |i: usize| 1.0 + (0.618_033_988_749_895 * (i + 1) as f64).fract();
    let other = |i: usize| lcp.row[i] * pattern_free(i);
    let mut tableau = Tableau::default();
    let mut quiet = Quiet::new(observer);
    for covering in [
        lcp.row.clone(),
        vec![1.0; lcp.len()],
        (0..lcp.len()).map(other).collect(),
    ] {
        tableau.start_cold(&lcp, &covering);
        let stats = &mut Stats::default();
        match follow(&mut tableau, &lcp, settings, stats, &mut quiet) {
            End::Ray(column) => {
                let (x, w, _) = ray(&tableau, &lcp, column);
                let (z, _) = reduced.expand_ray(&x, &w);
                if let Some(y) = farkas(view, &z[view.len()..], settings) {
                    return Some(y);
                }
            }
            End::Lost => {}
            End::Complementary | End::Limit | End::Stopped => return None,
        }
    }
    None
}

/// Tells an observer nothing, as pivots of a search are none of the problem's, and stops where its flag is raised.
pub(super) struct Quiet<'a>(Option<&'a AtomicBool>);

impl<'a> Quiet<'a> {
    pub(super) fn new(observer: &'a dyn Observer) -> Self {
        Self(observer.stop_flag())
    }
}

impl Observer for Quiet<'_> {
    fn observe(&mut self, _: &Iterate<'_>) -> ControlFlow<()> {
        match self.0 {
            Some(flag) if flag.load(Ordering::Relaxed) => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }
}

/// A proof by one row: its F has the wrong sign, or is not zero, wherever z is.
fn single_row(view: &LinearView<'_>, settings: &LemkeSettings) -> Option<Vec<f64>> {
    let n = view.len();
    for sign in [1.0, -1.0] {
        // sign · q_i + max sign · Σ M_ij z_j.
        let mut highest: Vec<f64> = view.q.iter().map(|q| sign * q).collect();
        for (&m, (i, j)) in view.m {
            highest[i] += support(sign * m, view.interval(j));
        }
        let allowed = |i: usize| {
            let (lowest, highest) = signs(view.interval(i));
            if sign > 0.0 {
                highest > 0.0
            } else {
                lowest < 0.0
            }
        };
        if let Some(i) = (0..n).find(|&i| allowed(i) && highest[i] < 0.0) {
            let mut y = vec![0.0; n];
            y[i] = sign;
            return farkas(view, &y, settings);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const INF: f64 = f64::INFINITY;

    fn problem(m: &[[f64; 2]; 2], q: [f64; 2], bounds: [(f64, f64); 2]) -> LinearMcp {
        let (lower, upper) = bounds.into_iter().unzip();
        let bounds = Bounds::new(lower, upper).unwrap();
        LinearMcp::from_dense(m, q.to_vec(), bounds).unwrap()
    }

    #[test]
    fn bounds_decide_the_signs_of_a_proof() {
        let settings = LemkeSettings::default();
        let proves = |mcp: &LinearMcp, y: [f64; 2]| farkas(&mcp.into(), &y, &settings).is_some();
        // 0 ≤ z₁ ≤ 2 and z₁ ≥ 3, then z₁ ≤ −1: F₀ = ± z₁ − 3.
        let bounds = [(0.0, INF), (0.0, 2.0)];
        let mcp = problem(&[[0.0, 1.0], [0.0, 0.0]], [-3.0, 0.0], bounds);
        assert!(proves(&mcp, [1.0, 0.0]) && proves(&mcp, [5.0, 9.0]));
        assert!(!proves(&mcp, [-1.0, 0.0]) && !proves(&mcp, [0.0, 1.0]));
        let mcp = problem(&[[0.0, -1.0], [0.0, 0.0]], [-1.0, 0.0], bounds);
        assert!(proves(&mcp, [1.0, 0.0]));
        // The same row is solvable if z₁ reaches it.
        let bounds = [(0.0, INF), (0.0, 4.0)];
        let mcp = problem(&[[0.0, 1.0], [0.0, 0.0]], [-3.0, 0.0], bounds);
        assert!(!proves(&mcp, [1.0, 0.0]));
        // Equations z₁ = 1 and z₁ = 2 with both free.
        let bounds = [(-INF, INF); 2];
        let mcp = problem(&[[0.0, 1.0], [0.0, 1.0]], [-1.0, -2.0], bounds);
        assert!(proves(&mcp, [-1.0, 1.0]) && !proves(&mcp, [1.0, -1.0]));
        assert!(search(&(&mcp).into(), &settings, &()).is_some());
    }

    #[test]
    fn rows_that_no_point_can_satisfy_are_found() {
        let settings = LemkeSettings::default();
        let bounds = [(-INF, 1.0), (-1.0, 2.0)];
        // F₀ = z₁ + 2 ≤ 0 fails for z₁ ≥ −1; the row of z₁ asks nothing.
        let mcp = problem(&[[0.0, 1.0], [0.0, 0.0]], [2.0, -7.0], bounds);
        assert_eq!(single_row(&(&mcp).into(), &settings).unwrap(), [-1.0, 0.0]);
        let mcp = problem(&[[0.0, 1.0], [0.0, 0.0]], [0.5, -7.0], bounds);
        assert_eq!(single_row(&(&mcp).into(), &settings), None);
        assert_eq!(search(&(&mcp).into(), &settings, &()), None);
    }
}
