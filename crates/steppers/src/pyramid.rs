//! Steps with pyramids for cones: the linear problems of the islands of a step.

use signorini_complementarity::{
    FrictionIsland, FrictionLaw, FrictionProblem, LemkeSettings, Observer, Solution, Status,
};
use signorini_dynamics::System;

use crate::{
    assemble::{Assembled, Linearization, LinearizedContacts, Solved},
    cone::guess,
    islands::{PIVOTED, Worker, chosen, side_by_side, whole, worthwhile},
    latch::Latch,
    lcp::{Posed, PyramidEngine},
    stepper::StepError,
    unsolved::UnsolvedStep,
};

/// Assembles and solves pyramid problems; keeps the solvers' buffers.
#[derive(Debug)]
pub(crate) struct PyramidSolver {
    scheme: &'static str,
    engine: PyramidEngine,
    workers: Vec<Worker<PyramidEngine>>,
    /// Whether there is no other problem to fall back on.
    pub(crate) is_patient: bool,
}

/// The linear problem of a part of a step, and what solves it.
struct Part {
    posed: Posed,
    linear: Solution,
    /// The same with impulses of the contacts and of bilateral rows for z.
    friction: Solution,
}

impl Part {
    fn new(problem: &FrictionProblem, posed: Posed, linear: Solution) -> Self {
        let friction = Solution {
            z: posed.impulses(problem, &linear.z),
            status: linear.status,
            residual: linear.residual,
            stats: linear.stats,
            basis: None,
            certificate: None,
        };
        Self {
            posed,
            linear,
            friction,
        }
    }

    /// Whether there is a proof that nothing solves it.
    fn is_refuted(&self) -> bool {
        matches!(self.linear.status, Status::Infeasible | Status::RunsOff)
    }

    /// Whether it is no solution. The residual tells, whatever a method says of itself; a proof counts more.
    fn is_unsolved(&self, tolerance: f64) -> bool {
        self.is_refuted() || self.linear.residual.is_nan() || self.linear.residual > tolerance
    }
}

impl PyramidSolver {
    /// `tolerance` is the residual that a solution must reach; methods aim at that of `settings`, if it is smaller.
    pub(crate) fn new(
        scheme: &'static str,
        directions: usize,
        settings: LemkeSettings,
        tolerance: f64,
    ) -> Self {
        Self {
            scheme,
            engine: PyramidEngine::new(directions, settings, tolerance),
            workers: Vec::new(),
            is_patient: true,
        }
    }

    /// The same with Newton's method first for piles.
    pub(crate) fn with_newton_first(mut self) -> Self {
        self.engine.is_newton_first = true;
        self
    }

    /// Directions in the tangent space of the system: the plane has just two.
    pub(crate) fn directions_for(&self, system: &dyn System) -> Result<usize, StepError> {
        let (found, least) = (
            self.engine.directions,
            if system.dimension() == 2 { 2 } else { 4 },
        );
        if found < least || found % 2 != 0 {
            return Err(StepError::Directions { found, least });
        }
        Ok(if least == 2 { 2 } else { found })
    }

    /// The parts of the problem, solved, one if it is solved as a whole, and whether an observer stopped them.
    fn parts(
        &mut self,
        problem: &FrictionProblem,
        (guess, given): (&[f64], &[f64]),
        islands: &[FrictionIsland],
        observer: &mut dyn Observer,
    ) -> (Vec<Part>, bool) {
        let is_patient = self.is_patient;
        if islands.is_empty() {
            self.engine.is_patient = is_patient;
            let (posed, solution) = self.engine.best(problem, (guess, given), observer);
            return (vec![Part::new(problem, posed, solution)], false);
        }
        side_by_side(
            problem,
            islands,
            (&mut self.workers, &self.engine),
            observer,
            |engine, island, part, observer| {
                let guess = chosen(guess, &island.rows(problem));
                // Limits have none, and come last.
                let given = island.contacts().iter().filter_map(|&k| given.get(k));
                let given: Vec<f64> = given.copied().collect();
                engine.is_patient = is_patient;
                let (posed, solution) = engine.best(part, (&guess, &given), observer);
                Part::new(part, posed, solution)
            },
        )
    }

    /// Solves M (v⁺ − v) = h k + Jᵀ p with the pyramid of a law.
    pub(crate) fn solve(
        &mut self,
        system: &dyn System,
        at: Linearization<'_>,
        linearized: &LinearizedContacts,
        law: FrictionLaw,
        observer: &mut dyn Observer,
    ) -> Result<Solved, StepError> {
        let (t, d, contacts) = (at.state.t, system.dimension(), &linearized.contacts);
        let problem = match linearized.problem(system, at, law)? {
            Assembled::Free(v) => {
                return Ok(Solved {
                    v,
                    ..Solved::default()
                });
            }
            Assembled::Coupled(problem) => problem,
        };
        self.directions_for(system)?;
        let guess = guess(&problem, at, linearized);
        let mut islands = worthwhile(&problem, PIVOTED);
        let from = (&guess[..], &linearized.given[..]);
        let observer = &mut Latch::new(observer);
        let (mut parts, mut stopped) = self.parts(&problem, from, &islands, observer);
        let tolerance = self.engine.tolerance;
        let fails = |part: &Part| part.is_unsolved(tolerance) && !part.is_refuted();
        let mut pivots = 0;
        if !stopped && !islands.is_empty() && parts.iter().any(fails) {
            // A method that fails on an island may do better on the whole, from where other problems lie on its way.
            pivots = parts.iter().map(|p| p.linear.stats.iterations).sum();
            islands.clear();
            (parts, stopped) = self.parts(&problem, from, &islands, observer);
        }
        if stopped || observer.is_stopped() {
            stopped = true;
            parts[0].linear.status = Status::Stopped;
        }
        let is_refused = |part: &Part| stopped || part.is_unsolved(tolerance);
        if let Some(place) = parts.iter().position(is_refused) {
            let (part, island) = (&parts[place], islands.get(place));
            let residuals = match island {
                Some(island) => island.problem(&problem).residuals(&part.friction.z),
                None => problem.residuals(&part.friction.z),
            };
            let (status, residual) = (part.linear.status, part.linear.residual);
            let z = part.linear.z.clone();
            return Err(StepError::Unsolved {
                t,
                status,
                residual,
                tolerance,
                contacts: contacts.len(),
                problem: Box::new(UnsolvedStep {
                    scheme: self.scheme,
                    state: at.state.clone(),
                    h: at.h,
                    names: (0..z.len()).map(|k| format!("z[{k}]")).collect(),
                    linear: Some(part.posed.problem().clone()),
                    friction: None,
                    worst: linearized.worst(system, &residuals, island),
                    z,
                }),
            });
        }
        let size = parts.iter().map(|part| part.posed.problem().len()).sum();
        let mut friction: Vec<Solution> = parts.into_iter().map(|part| part.friction).collect();
        let solution = if islands.is_empty() {
            friction.swap_remove(0)
        } else {
            // A residual of an island is relative to less than that of the whole, and so no smaller.
            whole(&problem, &islands, &friction)
        };
        let mut solved = Solved {
            lcp_size: size,
            pivots: pivots + solution.stats.iterations,
            residual: solution.residual,
            ..Solved::default()
        };
        let (impulses, bilateral) = solution
            .z
            .split_at(problem.contact_count() * problem.dimension());
        solved.take(&problem, impulses, bilateral, (contacts.len(), d));
        // They are in the free velocity already.
        let normals = solved.impulses.iter_mut().step_by(d);
        normals
            .zip(&linearized.given)
            .for_each(|(p, given)| *p += given);
        Ok(solved)
    }
}

/// Refuses a tolerance that no residual can reach, or that is none.
pub(crate) fn check_tolerance(scheme: &'static str, tolerance: f64) -> Result<(), StepError> {
    if tolerance.is_nan() || tolerance <= 0.0 {
        return Err(StepError::Setting {
            scheme,
            setting: "tolerance",
            value: tolerance,
            must: "positive",
        });
    }
    Ok(())
}
