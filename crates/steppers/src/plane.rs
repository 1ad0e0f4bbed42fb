//! Contacts of the plane that are alone under the exact law: what follows Newton's method.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use signorini_complementarity::{
    AugmentedLagrangian, AugmentedLagrangianSettings, FrictionLaw, FrictionProblem, Iterate,
    Observer, PlanarLemke, PlanarLemkeSettings, ResidualMeasure, Solution, Solver, Start, Status,
};

use crate::cone::AIM;

/// Scaled residual beyond which Newton's method does not go here: in one step of four of a pile what is left is rounding, and the
/// cycles that do not take it away cost as much as all others.
pub(crate) const FINEST: f64 = 1e-12;

/// Whether there are no other rows than those of contacts of the plane, under the exact law.
pub(crate) fn alone_in_the_plane(problem: &FrictionProblem) -> bool {
    problem.dimension() == 2
        && problem.law() == FrictionLaw::Coulomb
        && problem.bilateral().is_empty()
}

/// Pivots for each contact of a path from nothing in the plane, twice as many as it takes to an answer.
const COLD_PIVOTS: usize = 8;

/// Rounds of the method of multipliers, most steps in one of them, and κ of the first: where the answer would do already, where they
/// mostly lead to one soon, and where nothing else did, as in a pile between walls in its first steps.
const AT_REST_ROUNDS: (usize, usize, f64) = (20, 6, 1e5);
const FIRST_ROUNDS: (usize, usize, f64) = (100, 6, 1e5);
const LAST_ROUNDS: (usize, usize, f64) = (300, 20, 1.0);

/// From this residual on the multipliers that are slow but sure come before Lemke's method, whose paths lead past what is left of
/// redundant contacts there.
const SURE: f64 = 1e-8;

/// Rounds after which a point that does ends them, and how often it is asked whether one does.
const PATIENCE: usize = 20;
const ASKED: usize = 5;

/// Rounds end at a point that does where they have been many.
struct Patience<'a> {
    observer: &'a mut dyn Observer,
    does: &'a dyn Fn(&[f64], f64) -> bool,
    stopped: bool,
}

impl Observer for Patience<'_> {
    fn observe(&mut self, iterate: &Iterate<'_>) -> ControlFlow<()> {
        if self.observer.observe(iterate).is_break() {
            self.stopped = true;
            return ControlFlow::Break(());
        }
        let number = iterate.iteration;
        match iterate.z {
            Some(z) if number >= PATIENCE && number.is_multiple_of(ASKED) => {
                if (self.does)(z, iterate.measure) {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            }
            _ => ControlFlow::Continue(()),
        }
    }

    fn stop_flag(&self) -> Option<&AtomicBool> {
        self.observer.stop_flag()
    }
}

/// An answer from where Newton's method ends, with the residual that it must have or else one that `does`, told of a point and its
/// residual: redundant contacts that open by nearly nothing are found by the method of multipliers, and where that does not lead
/// on by Lemke's.
pub(crate) fn finish_in_plane(
    problem: &FrictionProblem,
    (must, near): (f64, Solution),
    does: &dyn Fn(&[f64], f64) -> bool,
    observer: &mut dyn Observer,
) -> Solution {
    if near.status.is_solved() || near.status == Status::Stopped || near.residual <= must {
        return near;
    }
    let multipliers = |(outer_limit, newton_limit, stiffness)| {
        AugmentedLagrangian::new(AugmentedLagrangianSettings {
            tolerance: (AIM * must).max(10.0 * FINEST).min(must),
            measure: ResidualMeasure::Scaled,
            outer_limit,
            newton_limit,
            stiffness,
        })
    };
    let mut first = multipliers(if does(&near.z, near.residual) {
        AT_REST_ROUNDS
    } else {
        FIRST_ROUNDS
    });
    let mut pivots = PlanarLemke::new(PlanarLemkeSettings {
        tolerance: must,
        cold_limit: COLD_PIVOTS * problem.contact_count(),
        ..PlanarLemkeSettings::default()
    });
    let mut last = multipliers(LAST_ROUNDS);
    let mut solvers: [&mut dyn Solver<FrictionProblem>; 3] = [&mut first, &mut pivots, &mut last];
    let mut solution = near;
    for stage in 0..solvers.len() {
        if stage == 1 && solution.residual <= SURE {
            solvers.swap(1, 2);
        }
        let stats = solution.stats;
        let mut patience = Patience {
            observer: &mut *observer,
            does,
            stopped: false,
        };
        let start = Start::Point(&solution.z);
        solution = solvers[stage].solve_observed(problem, start, &mut patience);
        solution.stats += stats;
        if patience.stopped {
            solution.status = Status::Stopped;
            break;
        }
        if solution.residual <= must || does(&solution.z, solution.residual) {
            solution.status = Status::Solved;
            break;
        }
        if solution.status == Status::Stopped {
            // By a point that does; the best one has a smaller residual, which is not all that counts.
            solution.status = Status::IterationLimit;
        }
    }
    solution
}
