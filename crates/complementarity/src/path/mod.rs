//! The nonlinear solver in the manner of PATH.
//!
//! # Method
//! In each iteration F is linearised at the point at hand, and the linear mixed problem is solved by pivots along a
//! path that begins at this point ([`Lemke`](crate::Lemke) with a regular start). The end of the path is accepted if
//! the merit ½‖Φ‖² (Fischer-Burmeister) is below a reference, which is the largest of some earlier values, or if the
//! step is short; otherwise it is shortened. Where a full step was wrong, the method returns to the last point that the
//! merit had accepted, and where no path helps, it follows the projected gradient of the merit. Before the first
//! iteration projected Newton steps look for the active set (crash).
//!
//! # References
//! - \[DF1995\] S. P. Dirkse, M. C. Ferris, The PATH solver, Optimization Methods and Software 5, 1995.
//! - \[R1994\] D. Ralph, Global convergence of damped Newton's method for nonsmooth equations via the path search,
//!   Mathematics of Operations Research 19, 1994.
//! - \[FL1994\] M. C. Ferris, S. Lucidi, Nonmonotone stabilization methods for nonlinear equations, JOTA 81, 1994.
//! - \[FKM1999\] M. C. Ferris, C. Kanzow, T. S. Munson, Feasible descent algorithms for mixed complementarity problems,
//!   Mathematical Programming 86, 1999.
//! - \[DF1997\] S. P. Dirkse, M. C. Ferris, Crash techniques for large-scale complementarity problems, 1997.

mod company;
mod crash;
mod generate;
mod log;
mod major;
mod model;
mod point;
mod prepare;
mod run;
mod search;
mod settings;

pub use log::PathLog;
pub use settings::{CrashMethod, LemkeStart, MeritFunction, PathSettings, SearchType};

use std::ops::ControlFlow;

use self::major::End;
use self::prepare::Prepared;
use self::run::{Run, Workspace};
use crate::problem::residual_of;
use crate::{Basis, Mcp, Observer, Phase, Solution, Solver, Start, Stats, Status};

/// The solver for nonlinear mixed complementarity problems: settings and workspace.
///
/// [`Start::Point`] is drawn into the bounds; [`Start::Cold`] is the point next to zero, and [`Start::Basis`] the bounds
/// that it names, zero where it names none.
///
/// Example: see [`Mcp`].
#[derive(Clone, Debug, Default)]
pub struct Path {
    /// Settings; may be changed between solves.
    pub settings: PathSettings,
    workspace: Workspace,
}

impl Path {
    /// The solver with these settings.
    pub fn new(settings: PathSettings) -> Self {
        Self {
            settings,
            workspace: Workspace::default(),
        }
    }
}

impl<'p> Solver<dyn Mcp + 'p> for Path {
    fn solve_observed(
        &mut self,
        problem: &(dyn Mcp + 'p),
        start: Start<'_>,
        observer: &mut dyn Observer,
    ) -> Solution {
        let mut z = start_point(problem, start);
        let mut prepared = Prepared::new(problem, self.settings.infinity);
        let asked = self.settings.preprocess && prepared.fix(&z);
        let mut stats = Stats {
            evaluations: usize::from(asked),
            jacobians: usize::from(asked),
            ..Stats::default()
        };
        let mut solution = self.solve_prepared(&prepared, &z, observer);
        let small = solution.residual <= self.settings.convergence_tolerance;
        if solution.status.is_solved() && !small {
            // Rows that are not as affine as they were said to be, or beyond bounds that were taken for none.
            stats += solution.stats;
            prepared = Prepared::new(problem, f64::INFINITY);
            z = std::mem::take(&mut solution.z);
            solution = self.solve_prepared(&prepared, &z, observer);
        }
        stats += solution.stats;
        Solution { stats, ..solution }
    }
}

impl Path {
    fn solve_prepared(
        &mut self,
        problem: &Prepared<'_>,
        z: &[f64],
        observer: &mut dyn Observer,
    ) -> Solution {
        let settings = self.settings.clone();
        Run::new(problem, settings, &mut self.workspace, observer).solve(z)
    }
}

/// The point where a start begins, within the bounds.
#[track_caller]
pub(crate) fn start_point(problem: &dyn Mcp, start: Start<'_>) -> Vec<f64> {
    let (n, bounds) = (problem.len(), problem.bounds());
    assert_eq!(bounds.len(), n, "one pair of bounds per variable");
    let mut z = match start {
        Start::Cold => vec![0.0; n],
        Start::Point(z) => z.to_vec(),
        Start::Basis(basis) => {
            let place = |(i, mark): (usize, &crate::BasisMark)| match mark {
                crate::BasisMark::AtLower => bounds.lower()[i].max(f64::MIN),
                crate::BasisMark::AtUpper => bounds.upper()[i].min(f64::MAX),
                crate::BasisMark::Basic => 0.0,
            };
            basis.marks().iter().enumerate().map(place).collect()
        }
    };
    assert_eq!(z.len(), n, "the start must have one entry per variable");
    for (i, z) in z.iter_mut().enumerate() {
        // A start that is no number is none.
        let given = if z.is_nan() {
            0.0
        } else {
            z.clamp(f64::MIN, f64::MAX)
        };
        *z = bounds.project(i, given);
    }
    z
}

impl Run<'_> {
    fn solve(mut self, start: &[f64]) -> Solution {
        for (i, (z, start)) in self.trial.z.iter_mut().zip(start).enumerate() {
            *z = self.problem.bounds().project(i, *start);
        }
        if let Err(status) = self.try_trial() {
            self.best.assign(&self.trial);
            return self.finish(status);
        }
        self.best.z.copy_from_slice(&self.trial.z);
        self.accept_trial();
        let first = self.here.clone();
        let base = self.settings.clone();
        let mut reason = None;
        for number in 0..=base.restart_limit {
            if number > 0 {
                let Some(settings) = restart(&base, number, first.residual) else {
                    break;
                };
                self.settings = settings;
                self.uphill = number == UPHILL_RESTART;
                self.stats.restarts += 1;
                self.here.assign(&first);
                self.differentiated = false;
            }
            match self.attempt(number) {
                End::Final(status) => return self.finish(status),
                End::Failed(status) => reason = reason.or(Some(status)),
            }
        }
        let status = if self.best.residual <= base.convergence_tolerance {
            Status::RunsOff
        } else {
            reason.unwrap_or(Status::NoProgress)
        };
        self.finish(status)
    }

    /// Crash and iterations with the settings at hand.
    fn attempt(&mut self, number: usize) -> End {
        self.perturbation = 0;
        self.scaling.fill((1.0, 1.0));
        self.here
            .judge(self.problem.bounds(), &self.settings, &self.scaling);
        match self.crash() {
            Err(Status::Stopped) => End::Final(Status::Stopped),
            Err(status) => End::Failed(status),
            Ok(()) => {
                if self.settings.merit_scaling
                    && let Err(status) = self.scale()
                {
                    return End::Failed(status);
                }
                let code = if number == 0 { 'I' } else { 'R' };
                let record = self.record(Phase::Major, 0, 0.0, [' ', code], 0.0);
                if self.tell(0, record) == ControlFlow::Break(()) {
                    return End::Final(Status::Stopped);
                }
                self.iterate()
            }
        }
    }

    fn finish(mut self, status: Status) -> Solution {
        let here = status.is_solved() || !self.settings.return_best_point;
        let here = here && !self.here.z.is_empty() && self.here.residual.is_finite();
        let point = if here { &mut self.here } else { &mut self.best };
        let mut marks = Vec::new();
        point.active(self.problem.bounds(), &mut marks);
        // Of the problem as it was given.
        let residual = if point.residual.is_finite() {
            residual_of(self.given, &point.z, &point.f)
        } else {
            f64::INFINITY
        };
        Solution {
            basis: status.is_solved().then(|| Basis::new(marks)),
            z: std::mem::take(&mut point.z),
            status,
            residual,
            stats: self.stats,
            certificate: None,
        }
    }
}

/// The restart that takes every step of a strongly perturbed problem, uphill too.
const UPHILL_RESTART: usize = 4;

/// The settings of restart `number`, those that PATH's manual lists.
fn restart(base: &PathSettings, number: usize, residual: f64) -> Option<PathSettings> {
    let base = base.clone();
    Some(match number {
        1 => PathSettings {
            crash_method: CrashMethod::None,
            proximal_perturbation: 0.01 * residual,
            nms_initial_reference_factor: 2.0,
            ..base
        },
        2 => PathSettings {
            crash_method: CrashMethod::None,
            proximal_perturbation: 0.0,
            nms_initial_reference_factor: 10.0,
            nms_memory_size: 2,
            nms_mstep_frequency: 1,
            ..base
        },
        3 => PathSettings {
            crash_method: CrashMethod::ProjectedNewton,
            crash_searchtype: SearchType::Arc,
            crash_nbchange_limit: 10,
            nms_searchtype: SearchType::Arc,
            gradient_searchtype: SearchType::Arc,
            proximal_perturbation: 0.0,
            nms_initial_reference_factor: 2.0,
            ..base
        },
        // Not one of PATH's.
        UPHILL_RESTART => PathSettings {
            crash_method: CrashMethod::None,
            nms: false,
            proximal_perturbation: 0.0,
            ..base
        },
        _ => return None,
    })
}
