//! Newton's method on the law of all contacts at once, between sweeps of block Gauss–Seidel.
//!
//! ```math
//! r^+ = c - A u^+, \qquad u^+ = W r^+ + q
//! ```
//!
//! # Method
//! At a point each contact is open, or closed with each disc at rest or on its border; on these faces its law is an
//! equation with the derivative A. Equations u = 0 are held by multipliers with a stiffness κ / W, so that redundant
//! contacts do no harm. With bodies the system is (1 + Jᵀ A J) v⁺ = Jᵀ (c − A q) in blocks of one body, without them
//! 1 + A W in blocks of one contact, in both cases only over what is closed; the block factorisation finds its order anew
//! only when the closed contacts change.
//!
//! Some sweeps of block Gauss–Seidel follow each step. They bring every contact back to its cone, and the change that
//! the last of them makes is the merit: a step that lets it grow is shortened, then given up, and κ falls; else κ grows.
//! Now and then a trial with a large κ and no sweeps asks whether the faces are right already: then the convergence is
//! quadratic, and two or three steps go from 1e-6 to rounding.
//!
//! The other way is to smooth the law, \[HYF2005\]: P is replaced by a projection whose eigenvalues bend from 0 to λ over a
//! width, and the width falls as Newton's method converges. Contacts that are open by much more than the width are
//! left out. The convex law takes this way first: the error falls in every step, and about ten steps do for hundreds of
//! contacts and for thousands. The exact law takes it last, with sweeps between the steps: the solutions for all widths
//! lie on a curve that folds, so that it cannot be followed, and it is only another search.
//!
//! Of the exact law a small part of the shift is delayed where the first cycles, up to 150, have not found the faces: a
//! thousand contacts circle around a solution without.
//!
//! # Guarantees and limits
//! The sweeps alone converge as block Gauss–Seidel does. Where hundreds of contacts are nearly open or nearly slipping,
//! the faces take tens of steps to be found, sometimes too many.
//!
//! # References
//! - \[HYF2005\] S. Hayashi, N. Yamashita, M. Fukushima, A combined smoothing and regularization method for monotone
//!   second-order cone complementarity problems, SIAM J. Optim. 15, 2005.
//! - \[AC1991\] P. Alart, A. Curnier, A mixed formulation for frictional contact problems prone to Newton like solution
//!   methods, Comput. Methods Appl. Mech. Engrg. 92, 1991.
//! - \[R1976\] R. T. Rockafellar, Augmented Lagrangians and applications of the proximal point algorithm in convex
//!   programming, Math. Oper. Res. 1, 1976.

mod delayed;
mod smooth;

use std::ops::{ControlFlow, Range};

use super::anderson::Anderson;
use super::block_gauss_seidel::{Acceleration, BlockGaussSeidelSettings, SweepOrder};
use super::blocks::{Blocks, Scales, Sweep};
use super::cone::ROLLING;
use super::judge::Judge;
use super::polish::{self, FrictionPolishSettings};
use super::view::SolverView;
use super::{FrictionLaw, FrictionProblem, ResidualMeasure};
use crate::{Iterate, Observer, Solution, Solver, Start, Stats, Status};

/// Settings of [`FrictionNewton`].
///
/// # Examples
/// ```
/// use signorini_complementarity::FrictionNewtonSettings;
/// let settings = FrictionNewtonSettings { start_sweeps: 200, ..FrictionNewtonSettings::default() };
/// assert_eq!(settings.iteration_limit, 500);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FrictionNewtonSettings {
    /// Solved if the residual is ≤ this. Default 1e-10.
    pub tolerance: f64,
    /// The residual that the tolerance is for. Default scaled.
    pub measure: ResidualMeasure,
    /// Most cycles of sweeps and a careful step. Default 500.
    pub iteration_limit: usize,
    /// Most steps on the smoothed law: at most 40 are taken under the convex law, and twice as many under the exact one,
    /// from two points. Default 200; 0 switches it off.
    pub smoothing_limit: usize,
    /// A start whose residual is at most this is polished first, in up to 20 steps, as [`FrictionPolish`](crate::FrictionPolish) does it. Default 0:
    /// none is. The impulses of bodies at rest are those of the step before but for rounding, of which sweeps take nothing away.
    pub polish_from: f64,
    /// Sweeps of block Gauss–Seidel before the first step. Default 60. The exact law accelerates them and makes a trial after
    /// every twenty; the convex one does neither, and where a step costs no more than ten sweeps a fourth of them is enough.
    pub start_sweeps: usize,
    /// Sweeps before each step, a quarter of them for rolling contacts. Default 12: one costs a twentieth of a step on
    /// heaps, and after fewer the steps see more wrong faces.
    pub sweeps: usize,
    /// Relaxation of these sweeps. Default 1.3.
    pub relaxation: f64,
    /// κ of the first step. Default 30. Larger values trust the first faces more.
    pub stiffness: f64,
    /// Largest κ. Default 1e7: beyond, the equations of a sticking contact lose what the other contacts say to rounding.
    pub stiffness_limit: f64,
    /// A step is kept if the merit after it is at most this times the one before. Default 3: the faces are found faster
    /// if the merit may rise.
    pub slack: f64,
}

impl Default for FrictionNewtonSettings {
    fn default() -> Self {
        Self {
            tolerance: 1e-10,
            measure: ResidualMeasure::Scaled,
            iteration_limit: 500,
            smoothing_limit: 200,
            polish_from: 0.0,
            start_sweeps: 60,
            sweeps: 12,
            relaxation: 1.3,
            stiffness: 30.0,
            stiffness_limit: 1e7,
            slack: 3.0,
        }
    }
}

/// Newton's method with multipliers between sweeps of block Gauss–Seidel: settings only.
///
/// Both laws, all cones. For tight tolerances: where block Gauss–Seidel takes thousands of sweeps, some tens of steps.
///
/// [`Start::Point`] is projected on the cones; [`Start::Basis`] counts as cold. The observer sees the start, with its
/// residual, and every step, with its merit as the measure. Every impulse of the answer lies in its cone.
///
/// [`Status::IterationLimit`] with the best point seen if the tolerance is not reached. It proves nothing.
///
/// # Examples
/// ```
/// use signorini_complementarity::{ContactLaws, FrictionNewton, FrictionProblem, Solver, Start, Status};
/// let laws = ContactLaws { dimension: 3, mu: vec![0.1], ..ContactLaws::default() };
/// let problem = FrictionProblem::from_delassus(&sprs::CsMat::eye(3), vec![-1.0, 0.0, 5.0], laws)?;
/// let solution = FrictionNewton::default().solve(&problem, Start::Cold);
/// assert_eq!(solution.status, Status::Solved);
/// assert!((solution.z[0] - 1.0).abs() < 1e-12 && (solution.z[2] + 0.1).abs() < 1e-12);
/// # Ok::<(), signorini_complementarity::FrictionError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct FrictionNewton {
    /// Settings; may be changed between solves.
    pub settings: FrictionNewtonSettings,
}

impl FrictionNewton {
    /// The method with these settings.
    pub fn new(settings: FrictionNewtonSettings) -> Self {
        Self { settings }
    }
}

/// Sweeps from a given point before the first trial.
const WARM_SWEEPS: usize = 4;

/// Sweeps after a step, the last of which measures.
const SETTLING: usize = 4;

/// Factor of κ after a step that is kept, after one that also changes no face and reduces the merit well, and after one
/// that is shortened or given up.
const GROWTH: f64 = 2.0;
const FAST_GROWTH: f64 = 8.0;
const FALL: f64 = 0.25;

/// Reduction of the merit that counts as well.
const WELL: f64 = 0.3;

/// Length of a shortened step, as a part of the full one.
const SHORT: f64 = 0.4;

impl Solver<FrictionProblem> for FrictionNewton {
    fn solve_observed(
        &mut self,
        problem: &FrictionProblem,
        start: Start<'_>,
        observer: &mut dyn Observer,
    ) -> Solution {
        let settings = &self.settings;
        let view = SolverView::new(problem);
        let target = (settings.measure, settings.tolerance);
        // In the order given a disturbance runs through all contacts at once, and the exact law takes more steps to find
        // its faces. The smoothed convex law takes fewer from there.
        let order = match problem.law() {
            FrictionLaw::Coulomb => SweepOrder::Coloured,
            FrictionLaw::Convex => SweepOrder::Given,
        };
        let ordered = (&view, order);
        let (judge, blocks) = match Judge::begin_in_order(problem, ordered, target, start) {
            Ok(begun) => begun,
            Err(solution) => return *solution,
        };
        let run = Run {
            settings,
            judge,
            blocks,
            // The local solutions of rolling contacts take ten times as long.
            sweeps: if view.dimension >= ROLLING {
                settings.sweeps.div_ceil(4)
            } else {
                settings.sweeps
            },
            stats: Stats::default(),
            stiffness: settings.stiffness,
            anderson: Anderson::new(MEMORY),
            start: vec![0.0; view.len()],
            before: vec![0.0; view.len()],
            after: vec![0.0; view.len()],
        };
        run.run(problem, observer)
    }
}

#[derive(Debug)]
struct Run<'a> {
    settings: &'a FrictionNewtonSettings,
    judge: Judge<'a>,
    blocks: Box<dyn Blocks>,
    /// Before each step.
    sweeps: usize,
    stats: Stats,
    stiffness: f64,
    anderson: Anderson,
    /// States before the sweeps of this cycle, before its step, and after it.
    start: Vec<f64>,
    before: Vec<f64>,
    after: Vec<f64>,
}

impl Run<'_> {
    fn run(mut self, problem: &FrictionProblem, observer: &mut dyn Observer) -> Solution {
        let first = Iterate {
            z: Some(self.judge.point()),
            ..Iterate::new(0, self.judge.residual())
        };
        if observer.observe(&first) == ControlFlow::Break(()) {
            return self.judge.solution(Status::Stopped, self.stats);
        }
        let law = problem.law();
        if let Some(status) = self.approach(problem, observer) {
            return self.judge.solution(status, self.stats);
        }
        // The shift of the exact law is delayed only if some cycles were in vain, and the law smoothed only if all of them,
        // or where there is no delay half of them or one attempt.
        let limit = self.settings.iteration_limit;
        let plain = (PLAIN_WORK / problem.contact_count().max(1)).clamp(1, PLAIN);
        let delays = law == FrictionLaw::Coulomb && limit / 2 >= plain && self.blocks.delay(0.0);
        let early = match law {
            FrictionLaw::Coulomb if delays => plain,
            FrictionLaw::Coulomb => (limit / 2).min(ATTEMPT),
            FrictionLaw::Convex => 0,
        };
        let mut swept = vec![0.0; self.before.len()];
        self.blocks.state_into(&mut swept);
        let mut ended = self.cycles(0..early, observer);
        let mut done = early;
        if ended.is_none() && delays {
            done = limit;
            ended = self.delayed(early..limit, observer);
        }
        if ended.is_none() && self.blocks.is_smoothable() {
            let mut reached = vec![0.0; self.before.len()];
            self.blocks.state_into(&mut reached);
            // Cycles in vain end in a worse start for some, and in a better one for others.
            self.blocks.set_state(&swept);
            ended = self.smooth(law, observer);
            if ended.is_none() && early > 0 {
                self.blocks.set_state(&reached);
                ended = self.smooth(law, observer);
            }
        }
        // Which cycles find the faces is a matter of luck: those that did not in some hundred begin again.
        for number in 0.. {
            if ended.is_some() || done == limit {
                break;
            }
            if number > 0 {
                self.blocks.set_state(&swept);
                let factor = OTHER_STIFFNESS[(number - 1) % OTHER_STIFFNESS.len()];
                self.stiffness = self.settings.stiffness;
                self.change_stiffness(factor);
            }
            let next = match law {
                FrictionLaw::Coulomb => limit.min(done + ATTEMPT),
                FrictionLaw::Convex => limit,
            };
            ended = self.cycles(done..next, observer);
            done = next;
        }
        if ended.is_none() {
            self.judge.look(&*self.blocks);
        }
        let status = ended.unwrap_or(Status::IterationLimit);
        self.judge.solution(status, self.stats)
    }

    /// From the start to where steps are worth while, by a polish, trials and sweeps; the status if the solve is over.
    fn approach(
        &mut self,
        problem: &FrictionProblem,
        observer: &mut dyn Observer,
    ) -> Option<Status> {
        let law = problem.law();
        if self.judge.residual() <= self.settings.polish_from {
            let polish = FrictionPolishSettings {
                tolerance: self.settings.tolerance,
                measure: self.settings.measure,
                ..FrictionPolishSettings::default()
            };
            self.blocks.state_into(&mut self.start);
            let stopped = polish::steps(
                &polish,
                (&mut self.judge, &mut *self.blocks),
                &mut self.stats,
                observer,
            );
            if stopped || self.judge.solved() {
                return Some(Status::Stopped);
            }
            self.blocks.set_state(&self.start);
        }
        // The answer of a step before may have the right faces; joints alone have no others.
        let is_warm = self.judge.point().iter().any(|z| *z != 0.0);
        if is_warm || problem.contact_count() == 0 {
            let mut sweep = Sweep::default();
            for _ in 0..WARM_SWEEPS {
                sweep = self.blocks.sweep(1.0);
            }
            // The convex law has a surer way to find its faces, so that there they should be right.
            let settled = law == FrictionLaw::Coulomb || sweep.switches == 0;
            if settled && self.trial(f64::INFINITY) {
                return Some(Status::Solved);
            }
        }
        match law {
            FrictionLaw::Coulomb => {
                let accelerated = BlockGaussSeidelSettings::default();
                let mut acceleration = Acceleration::new(&accelerated, self.before.len());
                for number in 1..=self.settings.start_sweeps {
                    let sweep = acceleration.sweep(&mut *self.blocks, accelerated.relaxation);
                    if number % TRIAL_SWEEPS == 0 && self.trial(sweep.change.sqrt()) {
                        return Some(Status::Solved);
                    }
                }
            }
            // Smoothing goes on from anywhere: trials would fail more often than they spare steps of it.
            FrictionLaw::Convex => {
                for _ in 0..self.settings.start_sweeps {
                    self.blocks.sweep(self.settings.relaxation);
                }
            }
        }
        None
    }

    /// Cycles of sweeps and a careful step; the status if the solve is over.
    fn cycles(&mut self, numbers: Range<usize>, observer: &mut dyn Observer) -> Option<Status> {
        self.anderson.clear();
        for number in numbers {
            // 1. Sweeps, and the merit of where they end.
            self.blocks.state_into(&mut self.start);
            for _ in 0..self.sweeps {
                self.blocks.sweep(self.settings.relaxation);
            }
            let sweep = self.blocks.sweep(1.0);
            let merit = sweep.change.sqrt();
            if !merit.is_finite() {
                return Some(Status::Inaccurate);
            }
            // 2. The answer, if it can be one.
            if merit <= PROMISING * self.settings.tolerance.max(f64::EPSILON) * sweep.size.sqrt() {
                self.judge.look(&*self.blocks);
                if self.judge.solved() {
                    return Some(Status::Solved);
                }
            }
            let iterate = Iterate::new(number + 1, merit / sweep.size.sqrt());
            if observer.observe(&iterate) == ControlFlow::Break(()) {
                self.judge.look(&*self.blocks);
                return Some(Status::Stopped);
            }
            // 3. Perhaps the faces are right by now.
            if number % TRIAL_CYCLES == 0 && self.trial(merit) {
                return Some(Status::Solved);
            }
            // 4. A step; while no face changes, the cycle is a smooth map.
            if self.step(merit) {
                self.blocks.state_into(&mut self.after);
                self.anderson.advance(&self.start, &mut self.after);
                self.blocks.set_state(&self.after);
            } else {
                self.anderson.clear();
            }
        }
        None
    }

    /// Newton's method with a large κ and nothing else, which converges at once if the faces are right; whether it solved
    /// the problem. If not, the state is the one before.
    fn trial(&mut self, merit: f64) -> bool {
        self.blocks.state_into(&mut self.before);
        let scales = Scales {
            stiffness: self.settings.stiffness_limit.min(TRIAL_STIFFNESS),
            smoothing: None,
        };
        let mut last = merit;
        for _ in 0..TRIAL_STEPS {
            self.stats.iterations += 1;
            self.stats.factorizations += 1;
            if self.blocks.newton(scales).is_none() {
                break;
            }
            self.blocks.state_into(&mut self.after);
            self.blocks.clip();
            let sweep = self.blocks.sweep(1.0);
            let now = sweep.change.sqrt();
            if now <= PROMISING * self.settings.tolerance.max(f64::EPSILON) * sweep.size.sqrt() {
                self.judge.look(&*self.blocks);
                if self.judge.solved() {
                    return true;
                }
            }
            // NaN fails the comparison as well.
            let better = now < TRIAL_FALL * last;
            if !better {
                break;
            }
            last = now;
            self.blocks.set_state(&self.after);
        }
        self.blocks.set_state(&self.before);
        false
    }

    /// One Newton step, shortened or given up where it does not help; whether it was full and changed no face.
    fn step(&mut self, merit: f64) -> bool {
        self.stats.iterations += 1;
        self.stats.factorizations += 1;
        self.blocks.state_into(&mut self.before);
        let scales = Scales {
            stiffness: self.stiffness,
            smoothing: None,
        };
        let mut factor = FALL;
        if let Some(switches) = self.blocks.newton(scales) {
            self.blocks.state_into(&mut self.after);
            let full = self.settle();
            if full <= self.settings.slack * merit {
                let well = switches == 0 && full <= WELL * merit;
                factor = if well { FAST_GROWTH } else { GROWTH };
                self.change_stiffness(factor);
                return switches == 0;
            }
            for (after, before) in self.after.iter_mut().zip(&self.before) {
                *after = before + SHORT * (*after - before);
            }
            self.blocks.set_state(&self.after);
            if self.settle() <= self.settings.slack * merit {
                self.change_stiffness(factor);
                return false;
            }
        }
        self.stats.restarts += 1;
        self.blocks.set_state(&self.before);
        self.change_stiffness(factor);
        false
    }

    fn change_stiffness(&mut self, factor: f64) {
        self.stiffness = (self.stiffness * factor).clamp(1.0, self.settings.stiffness_limit);
    }

    /// Brings the contacts back to their cones; the change of the last sweep.
    fn settle(&mut self) -> f64 {
        self.blocks.clip();
        let mut change = 0.0;
        for _ in 0..SETTLING {
            change = self.blocks.sweep(1.0).change;
        }
        if change.is_finite() {
            change.sqrt()
        } else {
            f64::INFINITY
        }
    }
}

/// Sweeps at the start, and cycles later, from one trial to the next; its κ, its most steps, and the least fall of the
/// merit in each of them.
const TRIAL_SWEEPS: usize = 20;
const TRIAL_CYCLES: usize = 8;
const TRIAL_STIFFNESS: f64 = 1e6;
const TRIAL_STEPS: usize = 8;
const TRIAL_FALL: f64 = 0.3;

/// Most cycles of the exact law before its shift is delayed, and most of them times the contacts: where they find the faces
/// they do so sooner, but the more contacts there are the more rarely.
const PLAIN: usize = 150;
const PLAIN_WORK: usize = 60_000;

/// Cycles of the exact law after which they begin again, and κ of the first step over that of the settings when they do.
const ATTEMPT: usize = 250;
const OTHER_STIFFNESS: [f64; 5] = [3.0, 0.3, 10.0, 0.1, 30.0];

/// Cycles that the acceleration remembers.
const MEMORY: usize = 5;

/// A merit of this times the tolerance makes a look at the residual worth while.
const PROMISING: f64 = 10.0;
