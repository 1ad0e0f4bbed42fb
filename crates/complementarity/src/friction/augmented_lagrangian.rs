//! The method of multipliers from a point that is nearly an answer, for redundant contacts.
//!
//! ```math
//! r^{+} = P(c - \kappa \rho\, u), \qquad M (v - v_f) = J^T r^{+}, \qquad c \leftarrow r^{+}
//! ```
//!
//! # Method
//! Impulses are functions of the velocities, so that nothing is singular where contacts are redundant, and one equation is
//! left, of the size of the velocities; Newton's method with a search along its steps solves it \[AC1991\]. κ grows while the
//! residual falls slowly, as far as rounding allows, and falls where Newton's method does not end.
//!
//! Where a contact that carries an impulse has to open by a velocity that is nearly nothing, the impulses of redundant contacts
//! move by the same change in every round while the residual stays what it is. Then they are moved as often as it takes for
//! one of them to be at the border of its cone.
//!
//! # Guarantees and limits
//! For the convex law the rounds converge if there is a solution \[R1976\], as slowly as faces change one by one. For the exact
//! law nothing is proved. Only for problems with bodies. Never worse than the start: the best point is the answer.
//!
//! # References
//! - \[AC1991\] P. Alart, A. Curnier, A mixed formulation for frictional contact problems prone to Newton like solution
//!   methods, Comput. Methods Appl. Mech. Engrg. 92, 1991.
//! - \[R1976\] R. T. Rockafellar, Augmented Lagrangians and applications of the proximal point algorithm in convex
//!   programming, Math. Oper. Res. 1, 1976.

use std::ops::ControlFlow;

use super::blocks::Blocks;
use super::judge::Judge;
use super::view::SolverView;
use super::{FrictionProblem, ResidualMeasure};
use crate::{Iterate, Observer, Solution, Solver, Start, Stats, Status};

/// Settings of [`AugmentedLagrangian`].
///
/// # Examples
/// ```
/// use signorini_complementarity::AugmentedLagrangianSettings;
/// let settings = AugmentedLagrangianSettings { tolerance: 1e-12, ..Default::default() };
/// assert_eq!(settings.outer_limit, 60);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AugmentedLagrangianSettings {
    /// Solved if the residual is ≤ this. Default 1e-10.
    pub tolerance: f64,
    /// The residual that the tolerance is for. Default scaled.
    pub measure: ResidualMeasure,
    /// Most rounds. Default 60.
    pub outer_limit: usize,
    /// Most steps of Newton's method in one of them. Default 20; most take one to four.
    pub newton_limit: usize,
    /// κ of the first round, how much stiffer than the contacts their laws are held. Default 1e3.
    pub stiffness: f64,
}

impl Default for AugmentedLagrangianSettings {
    fn default() -> Self {
        Self {
            tolerance: 1e-10,
            measure: ResidualMeasure::Scaled,
            outer_limit: 60,
            newton_limit: 20,
            stiffness: 1e3,
        }
    }
}

/// The method of multipliers with Newton's method in the velocities: settings only.
///
/// For answers whose residual does not fall any more because contacts are redundant, as those of boxes on boxes; both laws, all
/// cones. [`Start::Point`] is projected on the cones; [`Start::Basis`] counts as cold. The observer sees every round, with the
/// residual as the measure and z. `iterations` counts steps of Newton's method, `restarts` rounds.
///
/// [`Status::IterationLimit`] with the best point, perhaps the start, if the tolerance is not reached, and
/// [`Status::NoProgress`] for problems without bodies. It proves nothing.
///
/// # Examples
/// A block on a ramp is held by two contacts at one point.
/// ```
/// use signorini_complementarity::{
///     AugmentedLagrangian, BlockRows, FIXED, FrictionData, FrictionProblem, Solver, Start, Status,
/// };
/// let mut contacts = BlockRows::new(2, 2);
/// for _ in 0..2 {
///     contacts.push([FIXED, 0], &[0.0; 4], &[0.0, 1.0, 1.0, 0.0]);
/// }
/// let problem = FrictionProblem::new(FrictionData {
///     dofs: 2,
///     mass: vec![2.0, 0.0, 0.0, 2.0],
///     free_velocity: vec![0.3, -1.0],
///     contacts,
///     bias: vec![0.0; 4],
///     mu: vec![0.5; 2],
///     ..FrictionData::default()
/// })?;
/// let solution = AugmentedLagrangian::default().solve(&problem, Start::Cold);
/// assert_eq!(solution.status, Status::Solved);
/// // Friction suffices: the sum of both impulses stops the block.
/// assert!((solution.z[0] + solution.z[2] - 2.0).abs() < 1e-9);
/// assert!((solution.z[1] + solution.z[3] + 0.6).abs() < 1e-9);
/// # Ok::<(), signorini_complementarity::FrictionError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct AugmentedLagrangian {
    /// Settings; may be changed between solves.
    pub settings: AugmentedLagrangianSettings,
}

impl AugmentedLagrangian {
    /// The method with these settings.
    pub fn new(settings: AugmentedLagrangianSettings) -> Self {
        Self { settings }
    }
}

/// Factors of κ after a round that brings the residual to more than [`WELL`] of what it was by less than [`FEW`] steps, and
/// after one that does not end.
const GROWTH: f64 = 10.0;
const FALL: f64 = 0.2;
const WELL: f64 = 0.01;
const FEW: usize = 5;

/// Largest κ, and that of a residual over ε and where it is not less than the first: the rounding of κ u is less than the residual
/// then.
const MOST: f64 = 1e8;
const STIFFEST: f64 = 1e-2;

/// Part by which a residual differs from the one before at most for the impulses to move as in the round before.
const STEADY: f64 = 1e-3;

impl Solver<FrictionProblem> for AugmentedLagrangian {
    fn solve_observed(
        &mut self,
        problem: &FrictionProblem,
        start: Start<'_>,
        observer: &mut dyn Observer,
    ) -> Solution {
        let settings = &self.settings;
        let view = SolverView::new(problem);
        let target = (settings.measure, settings.tolerance);
        let (judge, blocks) = match Judge::begin(problem, &view, target, start) {
            Ok(begun) => begun,
            Err(solution) => return *solution,
        };
        let run = Run {
            settings,
            judge,
            blocks,
            stats: Stats::default(),
            before: vec![0.0; view.len()],
            after: vec![0.0; view.len()],
        };
        run.run(observer)
    }
}

#[derive(Debug)]
struct Run<'a> {
    settings: &'a AugmentedLagrangianSettings,
    judge: Judge<'a>,
    blocks: Box<dyn Blocks>,
    stats: Stats,
    /// States before a round and after it.
    before: Vec<f64>,
    after: Vec<f64>,
}

impl Run<'_> {
    fn run(mut self, observer: &mut dyn Observer) -> Solution {
        let settings = self.settings;
        let mut stiffness = settings.stiffness;
        let mut last = self.judge.residual();
        for number in 1..=settings.outer_limit {
            self.blocks.state_into(&mut self.before);
            let Some(done) = self.blocks.multiply(stiffness, settings.newton_limit) else {
                return self.judge.solution(Status::NoProgress, self.stats);
            };
            self.stats.restarts = number;
            self.stats.iterations += done.steps;
            self.stats.factorizations += done.steps;
            let residual = self.judge.look(&*self.blocks);
            let iterate = Iterate {
                z: Some(self.judge.point()),
                ..Iterate::new(number, residual)
            };
            if observer.observe(&iterate) == ControlFlow::Break(()) {
                return self.judge.solution(Status::Stopped, self.stats);
            }
            if self.judge.solved() {
                break;
            }
            if done.converged {
                if (residual - last).abs() <= STEADY * last {
                    self.go_on();
                }
                if residual > WELL * last && done.steps < FEW {
                    stiffness = (GROWTH * stiffness).min(MOST);
                }
                let most = STIFFEST * residual / f64::EPSILON;
                stiffness = stiffness.min(most.max(settings.stiffness));
                last = residual;
            } else {
                stiffness *= FALL;
                if residual <= last {
                    last = residual;
                } else {
                    self.blocks.set_state(&self.before);
                }
            }
            if self.judge.solved() {
                break;
            }
        }
        self.judge.solution(Status::IterationLimit, self.stats)
    }

    /// Moves the impulses on as in the last round, to the border of a cone.
    fn go_on(&mut self) {
        let reach = self.blocks.reach(&self.before);
        if reach.is_finite() && reach > 0.0 {
            self.blocks.state_into(&mut self.after);
            for (after, before) in self.after.iter_mut().zip(&self.before) {
                *after += reach * (*after - before);
            }
            self.blocks.set_state(&self.after);
            self.judge.look(&*self.blocks);
        }
    }
}
