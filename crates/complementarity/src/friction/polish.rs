//! Newton's method from an answer that is nearly one: faces as the point shows them, no search.
//!
//! # Method
//! Each step takes every contact as open, or closed with its discs at rest or on their borders, and solves the equations
//! of these faces with unknown directions of slip; equations that depend on one another are held by multipliers, as in
//! [`FrictionNewton`](super::FrictionNewton), so that redundant contacts get impulses near those they had.
//!
//! # Guarantees and limits
//! Never worse than the start: the best point is the answer. From a point with the right faces the convergence is
//! quadratic, up to the factor that the multipliers leave; from a point with wrong ones there is none.

use std::ops::ControlFlow;

use super::blocks::{self, Scales};
use super::judge::Judge;
use super::view::SolverView;
use super::{FrictionProblem, ResidualMeasure};
use crate::{Iterate, Observer, Solution, Solver, Start, Stats, Status};

/// Settings of [`FrictionPolish`].
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FrictionPolishSettings {
    /// Solved if the residual is ≤ this. Default 1e-12.
    pub tolerance: f64,
    /// The residual that the tolerance is for. Default scaled.
    pub measure: ResidualMeasure,
    /// Most steps. Default 20.
    pub iteration_limit: usize,
    /// κ, how much stiffer than the contacts the equations are held. Default 1e4: each step leaves about 1 / κ over the
    /// smallest eigenvalue of W of the error in the impulses, and rounding enters with κ times its size.
    pub stiffness: f64,
}

impl Default for FrictionPolishSettings {
    fn default() -> Self {
        Self {
            tolerance: 1e-12,
            measure: ResidualMeasure::Scaled,
            iteration_limit: 20,
            stiffness: 1e4,
        }
    }
}

/// Makes the answer of another solver exact: settings only.
///
/// Wants [`Start::Point`]; other starts are polished as z = 0. The observer sees every step, with the residual as the
/// measure and z. [`Status::NoProgress`] with the best point, perhaps the start, if the tolerance is not reached.
///
/// # Examples
/// ```
/// use signorini_complementarity::{ContactLaws, FrictionPolish, FrictionProblem, Solver, Start, Status};
/// let laws = ContactLaws { dimension: 3, mu: vec![0.1], ..ContactLaws::default() };
/// let problem = FrictionProblem::from_delassus(&sprs::CsMat::eye(3), vec![-1.0, 0.0, 5.0], laws)?;
/// let rough = [0.9, 0.01, -0.08];
/// let solution = FrictionPolish::default().solve(&problem, Start::Point(&rough));
/// assert_eq!(solution.status, Status::Solved);
/// assert!((solution.z[0] - 1.0).abs() < 1e-12 && (solution.z[2] + 0.1).abs() < 1e-12);
/// # Ok::<(), signorini_complementarity::FrictionError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct FrictionPolish {
    /// Settings; may be changed between solves.
    pub settings: FrictionPolishSettings,
}

impl FrictionPolish {
    /// The method with these settings.
    pub fn new(settings: FrictionPolishSettings) -> Self {
        Self { settings }
    }
}

/// Steps without a better point after which nothing is to be hoped for.
const PATIENCE: usize = 4;

impl Solver<FrictionProblem> for FrictionPolish {
    fn solve_observed(
        &mut self,
        problem: &FrictionProblem,
        start: Start<'_>,
        observer: &mut dyn Observer,
    ) -> Solution {
        let settings = &self.settings;
        let view = SolverView::new(problem);
        let target = (settings.measure, settings.tolerance);
        let mut judge = Judge::new(problem, &view, target, start);
        let mut stats = Stats::default();
        if judge.solved() {
            return judge.solution(Status::Solved, stats);
        }
        let mut blocks = blocks::prepare(problem, &view);
        blocks.set_impulses(&judge.scaled());
        let scales = Scales {
            stiffness: settings.stiffness,
        };
        let mut since = 0;
        for number in 0..settings.iteration_limit {
            stats.iterations += 1;
            stats.factorizations += 1;
            if blocks.newton(scales).is_none() {
                break;
            }
            let before = judge.residual();
            let residual = judge.look(&*blocks);
            let iterate = Iterate {
                z: Some(judge.point()),
                ..Iterate::new(number, residual)
            };
            if observer.observe(&iterate) == ControlFlow::Break(()) {
                return judge.solution(Status::Stopped, stats);
            }
            since = if residual < before { 0 } else { since + 1 };
            if judge.solved() || since == PATIENCE {
                break;
            }
        }
        judge.solution(Status::NoProgress, stats)
    }
}
