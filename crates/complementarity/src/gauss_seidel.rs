//! Projected Gauss–Seidel with relaxation, on scalar rows.
//!
//! ```math
//! z_i \leftarrow \mathrm{mid}\bigl(l_i,\; z_i - \omega\, (M z + q)_i / M_{ii},\; u_i\bigr), \qquad i = 1, \dots, n
//! ```
//!
//! # Method
//! Rows are swept in their order with the newest values. Every few sweeps the natural residual decides; the best
//! point of these checks is the answer.
//!
//! # Guarantees and limits
//! Converges for symmetric positive definite M and 0 < ω < 2, also semidefinite if the problem is feasible; for
//! strictly diagonally dominant M and 0 < ω ≤ 1. The number of sweeps grows with the condition, for stacks with their
//! mass ratio: 50 sweeps are no answer to a heavy body on a light one, and the status says so. Rows with a bound need
//! M_ii > 0, equations M_ii ≠ 0, otherwise the status is `Singular`: friction pyramids have zero diagonals and are no
//! problem for this method.
//!
//! # References
//! - \[C1971\] C. W. Cryer, The solution of a quadratic programming problem using systematic overrelaxation, SIAM J.
//!   Control 9, 1971.
//! - \[M1977\] O. L. Mangasarian, Solution of symmetric linear complementarity problems by iterative methods, J. Optim.
//!   Theory Appl. 22, 1977.

use std::ops::ControlFlow;

use sprs::CsMat;

use crate::residual::LinearView;
use crate::{
    BasisMark, Iterate, Lcp, LinearMcp, Observer, Solution, Solver, Start, Stats, Status,
    natural_residual,
};

/// Settings of [`GaussSeidel`].
///
/// # Examples
/// ```
/// use signorini_complementarity::GaussSeidelSettings;
/// let settings = GaussSeidelSettings { relaxation: 1.3, ..GaussSeidelSettings::default() };
/// assert_eq!(settings.sweep_limit, 10_000);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GaussSeidelSettings {
    /// Solved if the natural residual is ≤ this. Default 1e-10. The error of z is larger by the condition of M.
    pub tolerance: f64,
    /// Most sweeps. Default 10 000.
    pub sweep_limit: usize,
    /// ω, 0 < ω < 2. Default 1. Larger values over-relax: faster on chains and stacks of equal bodies.
    pub relaxation: f64,
    /// Sweeps between two checks of the residual, which cost as much as a sweep. Default 10; 0 counts as 1.
    pub check_interval: usize,
}

impl Default for GaussSeidelSettings {
    fn default() -> Self {
        Self {
            tolerance: 1e-10,
            sweep_limit: 10_000,
            relaxation: 1.0,
            check_interval: 10,
        }
    }
}

/// Projected successive over-relaxation (SOR) in the box l ≤ z ≤ u, Gauss–Seidel for ω = 1: settings only.
///
/// z_i ← mid(l_i, z_i − ω (M z + q)_i / M_ii, u_i), row by row with the newest values. Converges for symmetric positive
/// definite M and 0 < ω < 2; memory of the nonzeros only.
///
/// [`Start::Point`] is projected on the bounds; [`Start::Basis`] gives a point at the bounds that it names and zero
/// elsewhere, projected. The observer sees every check, with the residual as the measure and z.
///
/// If no check finds a residual ≤ the tolerance the status is [`Status::IterationLimit`] with the best point of the
/// checks, [`Status::Inaccurate`] if the iterates overflow, or [`Status::Singular`] at once if a variable cannot be had
/// from its row: M_ii ≤ 0 with a bound, M_ii = 0 without. It proves nothing and has no basis.
///
/// # Examples
/// ```
/// use signorini_complementarity::{GaussSeidel, Lcp, Solver, Start, Status};
/// let lcp = Lcp::from_dense(&[[2.0, 1.0], [1.0, 2.0]], vec![-5.0, -6.0])?;
/// let solution = GaussSeidel::default().solve(&lcp, Start::Cold);
/// assert_eq!(solution.status, Status::Solved);
/// assert!((solution.z[0] - 4.0 / 3.0).abs() < 1e-9);
/// # Ok::<(), signorini_complementarity::ProblemError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct GaussSeidel {
    /// Settings; may be changed between solves.
    pub settings: GaussSeidelSettings,
}

impl GaussSeidel {
    /// The method with these settings.
    pub fn new(settings: GaussSeidelSettings) -> Self {
        Self { settings }
    }
}

impl Solver<Lcp> for GaussSeidel {
    fn solve_observed(
        &mut self,
        problem: &Lcp,
        start: Start<'_>,
        observer: &mut dyn Observer,
    ) -> Solution {
        solve(&self.settings, &problem.into(), start, observer)
    }
}

impl Solver<LinearMcp> for GaussSeidel {
    fn solve_observed(
        &mut self,
        problem: &LinearMcp,
        start: Start<'_>,
        observer: &mut dyn Observer,
    ) -> Solution {
        solve(&self.settings, &problem.into(), start, observer)
    }
}

fn solve(
    settings: &GaussSeidelSettings,
    view: &LinearView<'_>,
    start: Start<'_>,
    observer: &mut dyn Observer,
) -> Solution {
    let mut z = starting_point(view, start);
    let residual = natural_residual(*view, &z);
    let (stats, basis, certificate) = (Stats::default(), None, None);
    let mut best = Solution {
        z: z.clone(),
        status: Status::Solved,
        residual,
        stats,
        basis,
        certificate,
    };
    if residual <= settings.tolerance {
        return best;
    }
    let Some(diagonal) = usable_diagonal(view) else {
        best.status = Status::Singular;
        return best;
    };
    let rows = view.m.to_csr();
    let interval = settings.check_interval.max(1);
    for number in 1..=settings.sweep_limit {
        sweep(view, &rows, &diagonal, settings.relaxation, &mut z);
        best.stats.iterations = number;
        if number % interval != 0 && number != settings.sweep_limit {
            continue;
        }
        let residual = natural_residual(*view, &z);
        if residual < best.residual {
            best.residual = residual;
            best.z.copy_from_slice(&z);
        }
        let iterate = Iterate {
            z: Some(&z),
            ..Iterate::new(number, residual)
        };
        if observer.observe(&iterate) == ControlFlow::Break(()) {
            best.status = Status::Stopped;
            return best;
        }
        if best.residual <= settings.tolerance {
            return best;
        }
        if !residual.is_finite() {
            // The iterates have overflown; more sweeps cannot help.
            best.status = Status::Inaccurate;
            return best;
        }
    }
    best.status = Status::IterationLimit;
    best
}

#[track_caller]
fn starting_point(view: &LinearView<'_>, start: Start<'_>) -> Vec<f64> {
    let mut z = vec![0.0; view.len()];
    match start {
        Start::Cold => {}
        Start::Point(point) => z.copy_from_slice(point),
        Start::Basis(basis) => {
            assert_eq!(
                basis.marks().len(),
                z.len(),
                "the starting basis must have one mark per variable"
            );
            for (i, (z, mark)) in z.iter_mut().zip(basis.marks()).enumerate() {
                *z = match (mark, view.interval(i)) {
                    (BasisMark::AtLower, (l, _)) if l.is_finite() => l,
                    (BasisMark::AtUpper, (_, u)) if u.is_finite() => u,
                    _ => 0.0,
                };
            }
        }
    }
    (0..z.len()).map(|i| view.project(i, z[i])).collect()
}

/// The diagonal of M; `None` if a row cannot be solved for its variable. Fixed variables need nothing.
fn usable_diagonal(view: &LinearView<'_>) -> Option<Vec<f64>> {
    let diagonal: Vec<f64> = (0..view.len())
        .map(|i| view.m.get(i, i).copied().unwrap_or(0.0))
        .collect();
    let usable = |i: usize| match view.interval(i) {
        (l, u) if l >= u => true,
        (f64::NEG_INFINITY, f64::INFINITY) => diagonal[i] != 0.0,
        _ => diagonal[i] > 0.0,
    };
    (0..view.len()).all(usable).then_some(diagonal)
}

fn sweep(
    view: &LinearView<'_>,
    rows: &CsMat<f64>,
    diagonal: &[f64],
    relaxation: f64,
    z: &mut [f64],
) {
    for (i, row) in rows.outer_iterator().enumerate() {
        let f = view.q[i] + row.iter().map(|(j, m)| m * z[j]).sum::<f64>();
        let step = if diagonal[i] == 0.0 {
            0.0
        } else {
            relaxation * f / diagonal[i]
        };
        z[i] = view.project(i, z[i] - step);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Bounds;

    #[test]
    fn one_sweep_uses_the_newest_values() {
        let lcp = Lcp::from_dense(&[[2.0, 0.0], [1.0, 1.0]], vec![-2.0, -3.0]).unwrap();
        let view = LinearView::from(&lcp);
        let mut z = [0.0; 2];
        sweep(&view, &lcp.m().to_csr(), &[2.0, 1.0], 0.5, &mut z);
        assert_eq!(z, [0.5, 1.25]);
    }

    #[test]
    fn start_is_projected() {
        let bounds = Bounds::new(vec![1.0, -1.0, f64::NEG_INFINITY], vec![2.0, 4.0, 0.5]).unwrap();
        let mcp = LinearMcp::from_dense(&[[1.0; 3]; 3], vec![0.0; 3], bounds).unwrap();
        let view = LinearView::from(&mcp);
        assert_eq!(starting_point(&view, Start::Cold), [1.0, 0.0, 0.0]);
        assert_eq!(
            starting_point(&view, Start::Point(&[9.0, -9.0, 9.0])),
            [2.0, -1.0, 0.5]
        );
        let basis = crate::Basis::new(vec![
            BasisMark::AtUpper,
            BasisMark::AtLower,
            BasisMark::AtUpper,
        ]);
        assert_eq!(
            starting_point(&view, Start::Basis(&basis)),
            [2.0, -1.0, 0.5]
        );
    }

    #[test]
    fn zero_diagonals_are_refused_and_fixed_ones_are_not() {
        let bounds = |l: f64, u: f64| Bounds::new(vec![l], vec![u]).unwrap();
        let status = |l, u| {
            let mcp = LinearMcp::from_dense(&[[0.0]], vec![-1.0], bounds(l, u)).unwrap();
            GaussSeidel::default().solve(&mcp, Start::Cold).status
        };
        assert_eq!(status(0.0, f64::INFINITY), Status::Singular);
        assert_eq!(status(f64::NEG_INFINITY, f64::INFINITY), Status::Singular);
        assert_eq!(status(3.0, 3.0), Status::Solved);
    }
}
