//! Newton's method from an answer that is nearly one: faces as the point shows them, no search.
//!
//! # Method
//! Each step takes every contact as open, or closed with its discs at rest or on their borders, and solves the equations
//! of these faces with unknown directions of slip; equations that depend on one another are held by multipliers, as in
//! [`FrictionNewton`](super::FrictionNewton), so that redundant contacts get impulses near those they had. What they leave
//! in each step is a linear map while no face changes, and Anderson's acceleration takes it away.
//!
//! # Guarantees and limits
//! Never worse than the start: the best point is the answer. From a point with the right faces it takes some ten steps;
//! from a point with wrong ones it may end anywhere.
//!
//! # References
//! - \[AC1991\] P. Alart, A. Curnier, A mixed formulation for frictional contact problems prone to Newton like solution
//!   methods, Comput. Methods Appl. Mech. Engrg. 92, 1991.
//! - \[R1976\] R. T. Rockafellar, Augmented Lagrangians and applications of the proximal point algorithm in convex
//!   programming, Math. Oper. Res. 1, 1976.

use std::ops::ControlFlow;

use super::anderson::Anderson;
use super::blocks::{Blocks, Scales};
use super::judge::Judge;
use super::view::SolverView;
use super::{FrictionProblem, ResidualMeasure};
use crate::{Iterate, Observer, Solution, Solver, Start, Stats, Status};

/// Settings of [`FrictionPolish`].
///
/// # Examples
/// ```
/// use signorini_complementarity::FrictionPolishSettings;
/// let settings = FrictionPolishSettings { tolerance: 1e-14, ..FrictionPolishSettings::default() };
/// assert_eq!(settings.iteration_limit, 20);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FrictionPolishSettings {
    /// Solved if the residual is ≤ this. Default 1e-12.
    pub tolerance: f64,
    /// The residual that the tolerance is for. Default scaled.
    pub measure: ResidualMeasure,
    /// Most steps. Default 20.
    pub iteration_limit: usize,
    /// κ, how much stiffer than the contacts the equations are held. Default 1e6: each step leaves about 1 / κ over the
    /// smallest eigenvalue of W of the error in the impulses.
    pub stiffness: f64,
    /// Factor of κ after a step that finds no better point. Default 0.1: at the end it is κ times the rounding of a velocity
    /// that is left. 1 keeps κ, and what redundant contacts hold goes on to move by κ times what they are off: a contact that
    /// should be open by a velocity of 1e-7 then gives up its impulse in tens of steps, with larger residuals on the way.
    pub softening: f64,
    /// Steps in a row without a better point after which nothing is to be hoped for. Default 4.
    pub patience: usize,
}

impl Default for FrictionPolishSettings {
    fn default() -> Self {
        Self {
            tolerance: 1e-12,
            measure: ResidualMeasure::Scaled,
            iteration_limit: 20,
            stiffness: 1e6,
            softening: 0.1,
            patience: 4,
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

/// Steps that the acceleration remembers.
const MEMORY: usize = 5;

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
        let (mut judge, mut blocks) = match Judge::begin(problem, &view, target, start) {
            Ok(begun) => begun,
            Err(solution) => return *solution,
        };
        let mut stats = Stats::default();
        let stopped = steps(settings, (&mut judge, &mut *blocks), &mut stats, observer);
        let status = if stopped {
            Status::Stopped
        } else {
            Status::NoProgress
        };
        judge.solution(status, stats)
    }
}

/// The steps from where the blocks are, until the judge has a solution or hope is lost; whether the observer stops them.
pub(super) fn steps(
    settings: &FrictionPolishSettings,
    (judge, blocks): (&mut Judge<'_>, &mut dyn Blocks),
    stats: &mut Stats,
    observer: &mut dyn Observer,
) -> bool {
    let mut scales = Scales {
        stiffness: settings.stiffness,
        smoothing: None,
    };
    let mut anderson = Anderson::new(MEMORY);
    let (mut before, mut after) = (
        vec![0.0; judge.point().len()],
        vec![0.0; judge.point().len()],
    );
    let mut since = 0;
    for number in 0..settings.iteration_limit {
        stats.iterations += 1;
        stats.factorizations += 1;
        blocks.state_into(&mut before);
        let Some(switches) = blocks.newton(scales) else {
            break;
        };
        let least = judge.residual();
        let residual = judge.look(blocks);
        let iterate = Iterate {
            z: Some(judge.point()),
            ..Iterate::new(number, residual)
        };
        if observer.observe(&iterate) == ControlFlow::Break(()) {
            return true;
        }
        since = if residual < least { 0 } else { since + 1 };
        if judge.solved() || since >= settings.patience {
            break;
        }
        // The multipliers leave a linear map while no face and no κ changes.
        if switches > 0 || since > 0 {
            anderson.clear();
            if since > 0 {
                scales.stiffness *= settings.softening;
            }
        } else {
            blocks.state_into(&mut after);
            anderson.advance(&before, &mut after);
            blocks.set_state(&after);
        }
    }
    false
}
