//! Semismooth Newton method for nonlinear mixed complementarity problems, globalised by a projected search.
//!
//! ```math
//! \Phi(z) = 0, \qquad H d = -\Phi, \quad H = D_z + D_F \,\partial F/\partial z \in \partial\Phi(z), \qquad
//! z \leftarrow \pi(z + t d), \quad \Theta = \tfrac12 \lVert\Phi\rVert^2
//! ```
//!
//! # Method
//! The problem is one system of equations, nonsmooth where z_i is at a bound with F_i = 0. Each iteration tries, in this
//! order: the Newton step; the step of Levenberg and Marquardt, (HᵀH + νI) d = −HᵀΦ, with d_i = 0 for variables at a bound
//! beyond which Θ falls; the step to the minimum of the linearised Θ along its projected gradient. A step is shortened
//! until Θ falls enough below the largest of its last few values; a point where F is not defined is a step too long. All
//! iterates are within the bounds, so that F is asked for nowhere else.
//!
//! # Guarantees and limits
//! Quadratic convergence to solutions where all elements of ∂Φ are regular, also where some indices are biactive. With the
//! function of Fischer and Burmeister or the penalised one Θ is smooth, and accumulation points of the iterates are
//! stationary for it between the bounds; for P₀-functions that means a solution, for others not: the method then ends with
//! `NoProgress` at a point where no direction improves on Θ. With the minimum not even that is promised. One start, one
//! descent: [`Path`](crate::Path) finds ways that lead over hills.
//!
//! # References
//! - \[DFK1996\] T. De Luca, F. Facchinei, C. Kanzow, A semismooth equation approach to the solution of nonlinear
//!   complementarity problems, Math. Program. 75, 1996.
//! - \[CCK2000\] B. Chen, X. Chen, C. Kanzow, A penalized Fischer-Burmeister NCP-function, Math. Program. 88, 2000.
//! - \[FKM1999\] M. C. Ferris, C. Kanzow, T. S. Munson, Feasible descent algorithms for mixed complementarity problems,
//!   Math. Program. 86, 1999.

mod point;
mod search;
mod settings;
mod system;

use std::ops::ControlFlow;

pub use self::settings::SemismoothSettings;

use self::point::{Point, Scaling};
use self::search::{Step, Trial};
use self::system::System;
use crate::path::start_point;
use crate::problem::{is_short, runs_off};
use crate::{
    Assembler, Iterate, Mcp, Observer, Phase, Solution, Solver, Start, Stats, Status, StepRecord,
    mcp_residual,
};

/// Semismooth Newton for nonlinear problems with bounds: settings and workspace.
///
/// [`Start::Point`] is projected on the bounds; [`Start::Cold`] is the point next to zero, and [`Start::Basis`] the bounds
/// that it names, zero where it names none. The observer sees every iterate with its natural residual as
/// the measure, z and a [`StepRecord`]. [`Stats::gradient_steps`] counts the steps along the gradient.
///
/// The natural residual is not scaled: it is in the units of F and z. [`Status::NoProgress`], [`Status::IterationLimit`],
/// [`Status::RunsOff`] and [`Status::Domain`] come with the iterate whose residual is smallest; nothing is proved.
///
/// # Examples
/// ```
/// use signorini_complementarity::{Bounds, LinearMcp, SemismoothNewton, Solver, Start, Status};
/// let bounds = Bounds::new(vec![0.0; 2], vec![1.0, f64::INFINITY])?;
/// let mcp = LinearMcp::from_dense(&[[2.0, 1.0], [1.0, 2.0]], vec![-5.0, -6.0], bounds)?;
/// let solution = SemismoothNewton::default().solve(&mcp, Start::Cold);
/// assert_eq!(solution.status, Status::Solved);
/// assert!((solution.z[0] - 1.0).abs() < 1e-9 && (solution.z[1] - 2.5).abs() < 1e-9);
/// # Ok::<(), signorini_complementarity::ProblemError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct SemismoothNewton {
    /// Settings; may be changed between solves.
    pub settings: SemismoothSettings,
    scaling: Scaling,
    system: System,
    here: Point,
    trial: Trial,
    /// ν of Levenberg and Marquardt.
    damping: f64,
}

/// Iterations that a point with a small residual may take to show that it does not run off.
const RUN_OFF_ITERATIONS: usize = 30;

impl SemismoothNewton {
    /// The method with these settings.
    pub fn new(settings: SemismoothSettings) -> Self {
        Self {
            settings,
            ..Self::default()
        }
    }

    fn run(
        &mut self,
        problem: &dyn Mcp,
        start: Start<'_>,
        observer: &mut dyn Observer,
    ) -> Solution {
        let mut jacobian = Assembler::new(problem.len());
        let mut best = Solution {
            z: start_point(problem, start),
            status: Status::IterationLimit,
            residual: f64::INFINITY,
            stats: Stats::default(),
            basis: None,
            certificate: None,
        };
        if let Err(status) = self.begin(problem, &mut jacobian, &mut best) {
            best.status = status;
            return self.finish(problem, best);
        }
        let mut step = Step::START;
        let mut running_off = 0;
        loop {
            // 1. Where are we?
            let residual = self.here.residual(problem.bounds());
            if residual < best.residual {
                best.residual = residual;
                best.z.clone_from(&self.here.z);
            }
            if self.tell(problem, &best.stats, residual, step, observer) == ControlFlow::Break(()) {
                best.status = Status::Stopped;
                break;
            }
            // 2. A solution, or on the way to infinity?
            if residual <= self.settings.tolerance {
                if self.is_settled(problem, &mut jacobian, step, &mut best.stats) {
                    best.status = Status::Solved;
                    best.z.clone_from(&self.here.z);
                    break;
                }
                running_off += 1;
                best.status = Status::RunsOff;
            }
            if running_off > RUN_OFF_ITERATIONS
                || best.stats.iterations >= self.settings.iteration_limit
            {
                break;
            }
            // 3. A step.
            match self.step(problem, &mut jacobian, &mut best.stats) {
                Ok(taken) => step = taken,
                Err(_) if running_off > 0 => break,
                Err(status) => {
                    best.status = status;
                    break;
                }
            }
            best.stats.iterations += 1;
        }
        self.finish(problem, best)
    }

    /// F, J and the scaling at the start.
    fn begin(
        &mut self,
        problem: &dyn Mcp,
        jacobian: &mut Assembler,
        best: &mut Solution,
    ) -> Result<(), Status> {
        let (bounds, settings) = (problem.bounds(), &self.settings);
        self.here.z.clone_from(&best.z);
        best.stats.evaluations += 1;
        best.stats.jacobians += 1;
        let evaluated = self.here.evaluate(problem, Some(jacobian));
        evaluated.map_err(|error| Status::Domain { row: error.row })?;
        self.scaling.clear(best.z.len());
        if settings.scaling_range > 1.0 {
            self.scaling
                .balance(jacobian.matrix(), settings.scaling_range);
        }
        self.here.measure(bounds, &self.scaling, settings.function);
        self.scaling.normalise(&self.here);
        self.here.measure(bounds, &self.scaling, settings.function);
        self.damping = settings.damping;
        self.trial.clear();
        Ok(())
    }

    /// Whether the point at hand, whose residual is small, does not run off: F is small beside the terms of its rows, and
    /// the last step was short, or the next one would be. Where H is singular, there is no next one to ask.
    fn is_settled(
        &mut self,
        problem: &dyn Mcp,
        jacobian: &mut Assembler,
        last: Step,
        stats: &mut Stats,
    ) -> bool {
        let (z, f) = (&self.here.z, &self.here.f);
        if runs_off(problem.bounds(), z, f, jacobian.matrix()).is_some() {
            return false;
        }
        if last.is_short || self.here.merit == 0.0 {
            return true;
        }
        self.assemble(jacobian);
        if !self.direction(problem, Attempt::Newton, stats) {
            return true;
        }
        self.trial.place(problem.bounds(), &self.here, 1.0);
        is_short(&self.here.z, self.trial.z())
    }

    /// H and ∇Θ at the point at hand.
    fn assemble(&mut self, jacobian: &mut Assembler) {
        let (phi, j) = (&self.here.phi, jacobian.matrix());
        self.system.assemble(phi, j, &self.scaling.row);
        self.system
            .gradient(&self.here.phi, &mut self.trial.gradient);
    }

    /// Newton, else Levenberg and Marquardt, else the gradient.
    fn step(
        &mut self,
        problem: &dyn Mcp,
        jacobian: &mut Assembler,
        stats: &mut Stats,
    ) -> Result<Step, Status> {
        self.assemble(jacobian);
        self.trial.begin(&self.here, &self.settings);
        let mut system = 'S';
        for attempt in ATTEMPTS {
            if !self.direction(problem, attempt, stats) {
                if attempt == Attempt::Newton {
                    system = 'N';
                }
                self.adapt(attempt, None);
                continue;
            }
            let mut search = search::Search {
                problem,
                settings: &self.settings,
                scaling: &self.scaling,
                jacobian: &mut *jacobian,
                stats: &mut *stats,
            };
            let accepted = self.trial.search(&mut search, &self.here, attempt);
            let proximal = match attempt {
                Attempt::Levenberg => self.damping,
                _ => 0.0,
            };
            self.adapt(attempt, accepted);
            if let Some(length) = accepted {
                let whole = attempt == Attempt::Newton && length >= 1.0;
                let is_short = whole && is_short(&self.here.z, self.trial.z());
                self.trial.swap(&mut self.here);
                stats.gradient_steps += usize::from(attempt == Attempt::Gradient);
                return Ok(Step {
                    length,
                    codes: [system, attempt.code(length)],
                    proximal,
                    is_short,
                });
            }
        }
        Err(self.trial.failure())
    }

    /// The direction of this attempt, in `trial`; false if there is none.
    fn direction(&mut self, problem: &dyn Mcp, attempt: Attempt, stats: &mut Stats) -> bool {
        let (phi, trial) = (&self.here.phi, &mut self.trial);
        let found = match attempt {
            Attempt::Newton => {
                stats.factorizations += 1;
                self.system.newton(phi, &mut trial.direction)
            }
            Attempt::Levenberg => {
                stats.factorizations += 1;
                let (bounds, g, z) = (problem.bounds(), &trial.gradient, &self.here.z);
                let frozen = |i: usize| {
                    (z[i] <= bounds.lower()[i] && g[i] > 0.0)
                        || (z[i] >= bounds.upper()[i] && g[i] < 0.0)
                };
                self.system
                    .levenberg(phi, self.damping, frozen, &mut trial.direction)
            }
            Attempt::Gradient => {
                trial.direction.clone_from(&trial.gradient);
                let square: f64 = trial.gradient.iter().map(|g| g * g).sum();
                let length = square / self.system.curvature(&trial.gradient);
                trial.direction.iter_mut().for_each(|d| *d *= -length);
                true
            }
        };
        found && trial.descends()
    }

    /// ν falls after a full step, and grows after a short one or none.
    fn adapt(&mut self, attempt: Attempt, length: Option<f64>) {
        if attempt == Attempt::Levenberg {
            let factor = match length {
                Some(length) if length >= 1.0 => 0.1,
                Some(length) if length >= 0.1 => 1.0,
                _ => 100.0,
            };
            self.damping = (self.damping * factor).clamp(1e-12, 1e3);
        }
    }

    fn tell(
        &self,
        problem: &dyn Mcp,
        stats: &Stats,
        residual: f64,
        step: Step,
        observer: &mut dyn Observer,
    ) -> ControlFlow<()> {
        observer.observe(&Iterate {
            z: Some(&self.here.z),
            step: Some(StepRecord {
                phase: Phase::Major,
                minor: 0,
                evaluations: stats.evaluations,
                jacobians: stats.jacobians,
                residual,
                step: step.length,
                codes: step.codes,
                proximal: step.proximal,
                worst: self.here.worst(problem.bounds()),
            }),
            ..Iterate::new(stats.iterations, residual)
        })
    }

    /// The residual of the answer, from F once more: no bookkeeping can make a solution of another point.
    fn finish(&self, problem: &dyn Mcp, mut best: Solution) -> Solution {
        best.stats.evaluations += 1;
        best.residual = mcp_residual(problem, &best.z).unwrap_or(f64::INFINITY);
        if best.status.is_solved() && best.residual > self.settings.tolerance {
            best.status = Status::Inaccurate;
        }
        best
    }
}

/// The order of the attempts; ν grows after each that failed.
const ATTEMPTS: [Attempt; 5] = [
    Attempt::Newton,
    Attempt::Levenberg,
    Attempt::Levenberg,
    Attempt::Levenberg,
    Attempt::Gradient,
];

/// What a step can be made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Attempt {
    Newton,
    Levenberg,
    Gradient,
}

impl Attempt {
    /// Code of an accepted step for the log.
    fn code(self, length: f64) -> char {
        match self {
            Self::Gradient => 'G',
            _ if length >= 1.0 => 'M',
            _ => 'B',
        }
    }
}

impl<'p> Solver<dyn Mcp + 'p> for SemismoothNewton {
    fn solve_observed(
        &mut self,
        problem: &(dyn Mcp + 'p),
        start: Start<'_>,
        observer: &mut dyn Observer,
    ) -> Solution {
        self.run(problem, start, observer)
    }
}
