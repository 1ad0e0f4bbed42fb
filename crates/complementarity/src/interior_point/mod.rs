//! Primal–dual interior-point method for monotone linear complementarity problems with bounds.
//!
//! ```math
//! M z + q - w + v = 0, \qquad (z - l)\, w = \sigma\mu, \quad (u - z)\, v = \sigma\mu, \qquad z - l, w, u - z, v > 0
//! ```
//!
//! # Method
//! Mehrotra's predictor and corrector with one factorisation of M + diag(w/(z − l) + v/(u − z)) for both, Cholesky if M
//! is symmetric with a positive diagonal, else LU; one step length for z, w and v. When the gap μ and the equations are
//! small, the active set is guessed from the larger of each pair, and the point nearest to the iterate that satisfies its
//! equations is tried, whether its block is singular or not. An answer is handed to [`BlockPivoting`], which ends in a
//! vertex if the answer was inside of a face and one is near. If there is none, block pivoting starts from the guess,
//! with few exchanges: the crossover. If both fail, the iteration goes on and tries again later. If they still fail when
//! rounding ends the iteration, as on faces of degenerate solutions, [`Lemke`] starts from the guess.
//!
//! # Guarantees and limits
//! For monotone problems (x · M x ≥ 0) with a solution: 10 to 30 iterations as a rule, nearly independent of n and of
//! degeneracy. Proves nothing: of problems without a solution, or not monotone, it says `IterationLimit`, `Singular` or
//! `Inaccurate`. Warm starts help little beyond the crossover from the guess, which is tried first. Dense: memory n².
//!
//! # References
//! - \[M1992\] S. Mehrotra, On the implementation of a primal-dual interior point method, SIAM J. Optim. 2, 1992.
//! - \[W1997\] S. J. Wright, Primal-Dual Interior-Point Methods, SIAM, 1997, chapters 8 and 10.

mod face;
mod newton;

use std::ops::ControlFlow;

use self::face::Face;
use self::newton::Newton;
use crate::residual::LinearView;
use crate::{
    Basis, BasisMark, BlockPivoting, BlockPivotingSettings, Iterate, Lcp, Lemke, LemkeSettings,
    LinearMcp, Observer, Solution, Solver, Start, Stats, Status, natural_residual,
};

/// Settings of [`InteriorPoint`].
///
/// The gap and the equations are measured in data scaled to entries near one.
///
/// # Examples
/// ```
/// use signorini_complementarity::InteriorPointSettings;
/// let settings = InteriorPointSettings { crossover_exchanges: 0, ..InteriorPointSettings::default() };
/// assert_eq!(settings.iteration_limit, 100);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct InteriorPointSettings {
    /// Solved if the natural residual is ≤ this. Default 1e-10.
    pub tolerance: f64,
    /// Most iterations. Default 100; more than 40 mean that the problem is not monotone or has no solution.
    pub iteration_limit: usize,
    /// Part of the way to the boundary that a step takes, < 1. Default 0.995.
    pub step_fraction: f64,
    /// The point nearest to an iterate is tried as soon as μ and all equations are ≤ this; block pivoting at a thousandth
    /// of it, and again at a thousandth of that. Default 1e-5. Too large wastes factorisations on wrong guesses, too small wastes iterations.
    pub crossover_gap: f64,
    /// Most exchanges of a crossover. Default 20; 0 accepts only a guess that is right.
    pub crossover_exchanges: usize,
    /// Most pivots of the last crossover. Default 5000; 0 leaves it out, and the answer may have no basis.
    pub crossover_pivots: usize,
    /// The iteration ends when μ and all equations are ≤ this: rounding forbids much more. A point of a face is an answer
    /// if its natural residual is ≤ this. Default 1e-14.
    pub gap_tolerance: f64,
    /// An index of the active set of a point of a face is on the wrong side if z_i passes its bound by more than this times
    /// the largest |z|, or F_i is more than this times Σ|M_ij z_j| + |q_i| from its sign. Default 1e-14: rounding; larger
    /// values accept answers that are not exact.
    pub feasibility_tolerance: f64,
    /// A step shorter than this ends the iteration: the problem is infeasible, or not monotone. Default 1e-9.
    pub shortest_step: f64,
    /// A point with an entry > this, where F at the start is one, runs off to infinity: no solution, though its residual
    /// relative to |M| |z| vanishes. Default 1e10.
    pub divergence: f64,
    /// Added to the diagonal of free variables, so that redundant equations do not make the matrix singular, and to that of
    /// the block of a face. Default 1e-10; larger values slow the equations down.
    pub regularization: f64,
}

impl Default for InteriorPointSettings {
    fn default() -> Self {
        Self {
            tolerance: 1e-10,
            iteration_limit: 100,
            step_fraction: 0.995,
            crossover_gap: 1e-5,
            crossover_exchanges: 20,
            crossover_pivots: 5000,
            gap_tolerance: 1e-14,
            feasibility_tolerance: 1e-14,
            shortest_step: 1e-9,
            divergence: 1e10,
            regularization: 1e-10,
        }
    }
}

/// The interior-point method: settings and workspace.
///
/// A start that is an answer is returned. Otherwise [`Start::Basis`] and [`Start::Point`] begin with the crossover from
/// that guess, and the iteration then begins near the point, or as from a cold start. The observer sees every iterate
/// but those of the crossover, with the larger of μ and the equations' residual as the measure.
/// [`Stats::restarts`] counts the crossovers that failed.
///
/// For monotone problems with a solution. Of others it says [`Status::IterationLimit`], [`Status::Singular`] or
/// [`Status::Inaccurate`] and proves nothing. An answer inside of a face, where no vertex is near, has no basis.
/// Memory n².
///
/// # Examples
/// ```
/// use signorini_complementarity::{InteriorPoint, Lcp, Solver, Start, Status};
/// // Singular and monotone: every z ≥ 0 of sum 1 is an answer.
/// let lcp = Lcp::from_dense(&[[1.0, 1.0], [1.0, 1.0]], vec![-1.0, -1.0])?;
/// let solution = InteriorPoint::default().solve(&lcp, Start::Cold);
/// assert_eq!(solution.status, Status::Solved);
/// assert!((solution.z[0] + solution.z[1] - 1.0).abs() < 1e-14);
/// # Ok::<(), signorini_complementarity::ProblemError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct InteriorPoint {
    /// Settings; may be changed between solves.
    pub settings: InteriorPointSettings,
    newton: Newton,
    face: Face,
    exact: BlockPivoting,
    lemke: Lemke,
    /// The guess at which rounding ended the iteration, if it did.
    converged: Option<Basis>,
}

/// Most exchanges from an answer on a face to a vertex: more seldom help, and the answer is exact already.
const VERTEX_EXCHANGES: usize = 3;

impl InteriorPoint {
    /// The method with these settings.
    pub fn new(settings: InteriorPointSettings) -> Self {
        Self {
            settings,
            ..Self::default()
        }
    }

    fn solve_view(
        &mut self,
        view: &LinearView<'_>,
        start: Start<'_>,
        observer: &mut dyn Observer,
    ) -> Solution {
        self.converged = None;
        // 1. The start may be an answer, or near one.
        let mut best = starting_point(view, start);
        if best.residual <= self.settings.tolerance {
            return best;
        }
        best.status = Status::Inaccurate;
        if !matches!(start, Start::Cold) && self.crossover(view, start, &mut best) {
            return best;
        }
        // 2. The path.
        let near = matches!(start, Start::Point(_)).then_some(best.z.as_slice());
        self.newton.load(view, near);
        let status = self.follow(view, &mut best, observer);
        if best.status == Status::Solved {
            return best;
        }
        // 3. No exact active set: the point itself may be good enough.
        if self.newton.largest() <= self.settings.divergence {
            self.keep_point(view, &mut best);
        }
        best.status = match status {
            Status::Stopped => Status::Stopped,
            _ if best.residual <= self.settings.tolerance => Status::Solved,
            other => other,
        };
        best
    }

    /// Iterates until a crossover has solved the problem, which `best` tells, or nothing more can be done.
    fn follow(
        &mut self,
        view: &LinearView<'_>,
        best: &mut Solution,
        observer: &mut dyn Observer,
    ) -> Status {
        let mut target = 1e-3 * self.settings.crossover_gap;
        loop {
            // 1. Where are we?
            let measure = self.newton.measure();
            let iterate = Iterate::new(best.stats.iterations, measure);
            if observer.observe(&iterate) == ControlFlow::Break(()) {
                return Status::Stopped;
            }
            // 2. Near enough for an exact active set?
            if measure <= self.settings.crossover_gap && self.settle(view, best) {
                self.vertex(view, best);
                return Status::Solved;
            }
            if measure <= target {
                target = 1e-3 * measure;
                let basis = self.newton.basis();
                if self.crossover(view, Start::Basis(&basis), best) {
                    return Status::Solved;
                }
            }
            if self.newton.largest() > self.settings.divergence {
                return Status::Inaccurate;
            }
            if measure <= self.settings.gap_tolerance {
                self.converged = Some(self.newton.basis());
                return Status::Inaccurate;
            }
            if best.stats.iterations >= self.settings.iteration_limit {
                return Status::IterationLimit;
            }
            // 3. Predictor, corrector, step.
            best.stats.factorizations += 1;
            let Some(step) = self.newton.step(&self.settings) else {
                return Status::Singular;
            };
            best.stats.iterations += 1;
            if step < self.settings.shortest_step {
                return Status::Inaccurate;
            }
        }
    }

    /// Block pivoting from a guess; true if it solved the problem, which `best` then holds.
    fn crossover(&mut self, view: &LinearView<'_>, start: Start<'_>, best: &mut Solution) -> bool {
        self.exact.settings = BlockPivotingSettings {
            tolerance: self.settings.tolerance,
            iteration_limit: self.settings.crossover_exchanges,
            ..BlockPivotingSettings::default()
        };
        let exact = self.exact.solve_view(view, start, &mut ());
        let stats = Stats {
            factorizations: best.stats.factorizations + exact.stats.factorizations,
            restarts: best.stats.restarts + usize::from(!exact.status.is_solved()),
            ..best.stats
        };
        if exact.residual < best.residual || exact.status.is_solved() {
            *best = exact;
        }
        best.stats = stats;
        best.status.is_solved()
    }

    /// The nearest point of the face of the iterate; true if it is an answer to rounding, which `best` then holds.
    fn settle(&mut self, view: &LinearView<'_>, best: &mut Solution) -> bool {
        let count = &mut best.stats.factorizations;
        let Some(basis) = self.face.settle(&self.newton, &self.settings, count) else {
            return false;
        };
        let z = self.newton.problem().unscaled(view, &self.face.z);
        let residual = natural_residual(*view, &z);
        let exact = residual <= self.settings.gap_tolerance.min(self.settings.tolerance);
        if exact {
            (best.z, best.residual, best.basis) = (z, residual, Some(basis));
            best.status = Status::Solved;
        }
        exact
    }

    /// From an answer that may be inside of a face to a vertex of the face, if one is a few exchanges away.
    fn vertex(&mut self, view: &LinearView<'_>, best: &mut Solution) {
        let Some(basis) = best.basis.take() else {
            return;
        };
        self.exact.settings = BlockPivotingSettings {
            tolerance: self.settings.tolerance,
            iteration_limit: self.settings.crossover_exchanges.min(VERTEX_EXCHANGES),
            ..BlockPivotingSettings::default()
        };
        let exact = self.exact.solve_view(view, Start::Basis(&basis), &mut ());
        best.stats.factorizations += exact.stats.factorizations;
        best.basis = Some(basis);
        let limit = best.residual.max(self.settings.gap_tolerance);
        if exact.status.is_solved() && exact.residual <= limit {
            let stats = best.stats;
            *best = Solution { stats, ..exact };
        }
    }

    /// The last crossover: Lemke's method from the guess of a converged iteration that no exchange made exact.
    fn finish<P>(&mut self, problem: &P, mut best: Solution) -> Solution
    where
        Lemke: Solver<P>,
    {
        let Some(basis) = self.converged.take() else {
            return best;
        };
        if self.settings.crossover_pivots == 0 {
            return best;
        }
        self.lemke.settings = LemkeSettings {
            tolerance: self.settings.tolerance,
            pivot_limit: self.settings.crossover_pivots,
            retries: 0,
            ..LemkeSettings::default()
        };
        let exact = self.lemke.solve(problem, Start::Basis(&basis));
        let stats = Stats {
            factorizations: best.stats.factorizations + exact.stats.factorizations,
            ..best.stats
        };
        if exact.status.is_solved() {
            best = exact;
        }
        Solution { stats, ..best }
    }

    fn keep_point(&self, view: &LinearView<'_>, best: &mut Solution) {
        let z = self.newton.point(view);
        let residual = natural_residual(*view, &z);
        if residual < best.residual {
            (best.z, best.residual, best.basis) = (z, residual, None);
        }
    }
}

impl Solver<Lcp> for InteriorPoint {
    fn solve_observed(
        &mut self,
        problem: &Lcp,
        start: Start<'_>,
        observer: &mut dyn Observer,
    ) -> Solution {
        let solution = self.solve_view(&problem.into(), start, observer);
        self.finish(problem, solution)
    }
}

impl Solver<LinearMcp> for InteriorPoint {
    fn solve_observed(
        &mut self,
        problem: &LinearMcp,
        start: Start<'_>,
        observer: &mut dyn Observer,
    ) -> Solution {
        let solution = self.solve_view(&problem.into(), start, observer);
        self.finish(problem, solution)
    }
}

/// The projected start as a solution; its status is a claim only if the residual is small enough.
#[track_caller]
fn starting_point(view: &LinearView<'_>, start: Start<'_>) -> Solution {
    let n = view.len();
    let z: Vec<f64> = match start {
        Start::Point(z) => {
            assert_eq!(
                z.len(),
                n,
                "the starting point must have one entry per variable"
            );
            (0..n).map(|i| view.project(i, z[i])).collect()
        }
        Start::Basis(_) | Start::Cold => (0..n).map(|i| view.project(i, 0.0)).collect(),
    };
    Solution {
        residual: natural_residual(*view, &z),
        z,
        status: Status::Solved,
        stats: Stats::default(),
        basis: None,
        certificate: None,
    }
}

/// The mark of a variable from its distances to the bounds and their multipliers.
fn mark((s, w): (f64, f64), (t, v): (f64, f64)) -> BasisMark {
    match (w >= s, v >= t) {
        (false, false) => BasisMark::Basic,
        (true, false) => BasisMark::AtLower,
        (true, true) if w * t >= v * s => BasisMark::AtLower,
        _ => BasisMark::AtUpper,
    }
}

fn basis_of(marks: impl Iterator<Item = BasisMark>) -> Basis {
    Basis::new(marks.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_larger_of_each_pair_decides_the_mark() {
        let none = (f64::INFINITY, 0.0);
        assert_eq!(mark(none, none), BasisMark::Basic);
        assert_eq!(mark((1.0, 1e-9), (2.0, 1e-9)), BasisMark::Basic);
        assert_eq!(mark((1e-9, 1.0), none), BasisMark::AtLower);
        assert_eq!(mark(none, (1e-9, 1.0)), BasisMark::AtUpper);
        // A narrow box, both ends near: the larger quotient.
        assert_eq!(mark((0.1, 3.0), (0.1, 2.0)), BasisMark::AtLower);
        assert_eq!(mark((0.1, 2.0), (0.1, 3.0)), BasisMark::AtUpper);
    }
}
