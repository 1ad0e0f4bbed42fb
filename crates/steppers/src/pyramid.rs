//! Steps with pyramids for cones: the LCP, by Lemke's method, and by Newton's and others where it is slow or fails.

use signorini_complementarity::{
    FrictionLaw, FrictionNewton, FrictionProblem, Lemke, LemkeSettings, Observer, Portfolio,
    Pyramid, PyramidForm, Solution, Solver, Start, Status, natural_residual,
};
use signorini_dynamics::System;

use crate::{
    assemble::{Assembled, Linearization, LinearizedContacts, Solved},
    cone::{by_newton, guess, pivot_near, pivot_soon},
    stepper::StepError,
    unsolved::UnsolvedStep,
};

/// Contacts in space from which on the sparse form with velocities is quicker.
const MANY: usize = 30;

/// Contacts from which on it is quicker than Lemke's method.
const PILE: usize = 8;

/// Assembles and solves pyramid problems; keeps the solver's buffers.
#[derive(Debug)]
pub(crate) struct PyramidSolver {
    scheme: &'static str,
    lemke: Lemke,
    directions: usize,
    /// Comes before Lemke's method for piles, if it is there.
    newton: Option<FrictionNewton>,
    /// Scaled residual of the LCP with which a point is a solution.
    tolerance: f64,
    /// Comes where Lemke's method ends without an answer, if `is_patient`.
    portfolio: Portfolio,
    /// Whether there is no other problem to fall back on.
    pub(crate) is_patient: bool,
}

impl PyramidSolver {
    pub(crate) fn new(scheme: &'static str, directions: usize, settings: LemkeSettings) -> Self {
        Self {
            scheme,
            tolerance: settings.tolerance,
            lemke: Lemke::new(settings),
            directions,
            newton: None,
            portfolio: Portfolio::default(),
            is_patient: true,
        }
    }

    /// The same with Newton's method first for piles.
    pub(crate) fn with_newton(mut self, tolerance: f64) -> Self {
        self.newton = Some(FrictionNewton::default());
        self.tolerance = tolerance;
        self
    }

    /// A point of the LCP by Newton's method on the cone, whose solution it is in the plane and where all friction is within
    /// the pyramid, or by Lemke's from there.
    fn near_cone(
        &mut self,
        problem: &FrictionProblem,
        at: Linearization<'_>,
        linearized: &LinearizedContacts,
        observer: &mut dyn Observer,
    ) -> Option<(Pyramid, Solution)> {
        let aim = self.aim();
        let newton = self.newton.as_mut()?;
        if !linearized.given.is_empty() {
            return None;
        }
        let guess = guess(problem, at, linearized);
        let start = (newton, &guess[..]);
        let mut solution = if problem.dimension() == 2 {
            // A polish and a path of Lemke's are sooner done than the smoothed law.
            by_newton(problem, start, (aim, 0), observer)
        } else {
            // Where friction is more than it takes, solvers of the cone may leave it on the cone, outside of the pyramid.
            let part = (std::f64::consts::PI / self.directions as f64).cos();
            let within = problem.clone().with_friction_times(part);
            by_newton(&within, start, (aim, 0), observer)
        };
        // Its residual needs no product of J and M⁻¹.
        let pyramid = problem.pyramid(self.directions, PyramidForm::Mixed);
        solution.z = pyramid.point(problem, &solution.z)?;
        solution.residual = natural_residual(pyramid.problem(), &solution.z);
        if solution.residual > aim {
            let found = pivot_near(&self.lemke, pyramid.problem(), &solution.z, observer);
            if found.status.is_solved() || found.residual < solution.residual {
                solution = found;
            }
        }
        Some((pyramid, solution))
    }

    /// A point of the LCP by Lemke's method, and where that fails by the portfolio.
    fn pivot(
        &mut self,
        problem: &FrictionProblem,
        linearized: &LinearizedContacts,
        observer: &mut dyn Observer,
    ) -> (Pyramid, Solution) {
        let is_small = problem.contact_count() < MANY || problem.dimension() == 2;
        let form = if is_small {
            PyramidForm::Reduced
        } else {
            PyramidForm::Mixed
        };
        let mut pyramid = problem.pyramid(self.directions, form);
        for (k, given) in linearized.given.iter().enumerate() {
            pyramid.widen(k, problem.mu()[k] * given);
        }
        let linear = pyramid.problem();
        let solution = if self.is_patient {
            self.lemke.solve_observed(linear, Start::Cold, observer)
        } else {
            pivot_soon(&mut self.lemke, linear, observer)
        };
        (pyramid, solution)
    }

    /// The residual that solvers aim at; [`PyramidSolver::tolerance`] is what they must reach.
    fn aim(&self) -> f64 {
        self.lemke.settings.tolerance.min(self.tolerance)
    }

    /// The methods in turn, until one is as good as was aimed at; else the best.
    fn best(
        &mut self,
        problem: &FrictionProblem,
        at: Linearization<'_>,
        linearized: &LinearizedContacts,
        observer: &mut dyn Observer,
    ) -> (Pyramid, Solution) {
        let aim = self.aim();
        let is_pile = problem.contact_count() >= PILE;
        let mut known = if is_pile {
            self.near_cone(problem, at, linearized, observer)
        } else {
            None
        };
        if let Some((pyramid, solution)) = known.take_if(|(_, s)| s.residual <= aim) {
            return (pyramid, solution);
        }
        let mut best = self.pivot(problem, linearized, observer);
        let is_done = |s: &Solution| s.residual <= aim || s.status == Status::Infeasible;
        if is_done(&best.1) {
            return best;
        }
        if !is_pile {
            known = self.near_cone(problem, at, linearized, observer);
        }
        let is_better = |a: &Solution, b: &Solution| a.residual < b.residual || b.residual.is_nan();
        if let Some(found) = known
            && is_better(&found.1, &best.1)
        {
            best = found;
        }
        if self.is_patient && best.1.residual > self.tolerance {
            let linear = best.0.problem();
            let found = self.portfolio.solve_observed(linear, Start::Cold, observer);
            if found.status == Status::Infeasible || is_better(&found, &best.1) {
                best.1 = found;
            }
        }
        best
    }

    /// Directions in the tangent space of the system: the plane has just two.
    pub(crate) fn directions_for(&self, system: &dyn System) -> Result<usize, StepError> {
        let (found, least) = (self.directions, if system.dimension() == 2 { 2 } else { 4 });
        if found < least || found % 2 != 0 {
            return Err(StepError::Directions { found, least });
        }
        Ok(if least == 2 { 2 } else { found })
    }

    /// Solves M (v⁺ − v) = h k + Jᵀ p with the pyramid law.
    pub(crate) fn solve(
        &mut self,
        system: &dyn System,
        at: Linearization<'_>,
        linearized: &LinearizedContacts,
        observer: &mut dyn Observer,
    ) -> Result<Solved, StepError> {
        let (t, d, contacts) = (at.state.t, system.dimension(), &linearized.contacts);
        let problem = match linearized.problem(system, at, FrictionLaw::Coulomb)? {
            Assembled::Free(v) => {
                return Ok(Solved {
                    v,
                    ..Solved::default()
                });
            }
            Assembled::Coupled(problem) => problem,
        };
        self.directions_for(system)?;
        let (pyramid, solution) = self.best(&problem, at, linearized, observer);
        // The residual tells, whatever a method says of itself; a proof that nothing solves it counts more.
        let is_proof = matches!(solution.status, Status::Infeasible | Status::RunsOff);
        if is_proof || solution.residual.is_nan() || solution.residual > self.tolerance {
            let (status, residual) = (solution.status, solution.residual);
            return Err(StepError::Unsolved {
                t,
                status,
                residual,
                contacts: contacts.len(),
                problem: Box::new(UnsolvedStep {
                    scheme: self.scheme,
                    state: at.state.clone(),
                    h: at.h,
                    names: (0..solution.z.len()).map(|k| format!("z[{k}]")).collect(),
                    linear: Some(pyramid.problem().clone()),
                    z: solution.z,
                }),
            });
        }
        let mut impulses = vec![0.0; problem.contact_count() * d];
        pyramid.impulses_into(&solution.z, &mut impulses);
        let mut solved = Solved {
            lcp_size: pyramid.problem().len(),
            pivots: solution.stats.iterations,
            residual: solution.residual,
            ..Solved::default()
        };
        let bilateral = &solution.z[pyramid.bilateral()];
        solved.take(&problem, &impulses, bilateral, (contacts.len(), d));
        // They are in the free velocity already.
        let normals = solved.impulses.iter_mut().step_by(d);
        normals
            .zip(&linearized.given)
            .for_each(|(p, given)| *p += given);
        Ok(solved)
    }
}
