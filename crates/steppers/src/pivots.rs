//! Lemke's method within bounds, where other methods follow.

use signorini_complementarity::{
    Lemke, LemkeSettings, LinearMcp, Observer, Solution, Solver, Start,
};

/// Pivots from a point near the solution, which are few or lead nowhere.
const NEAR_PIVOTS: usize = 300;

/// Lemke's method from the basis of a point that should be near the solution.
pub(crate) fn pivot_near(
    lemke: &Lemke,
    problem: &LinearMcp,
    near: &[f64],
    observer: &mut dyn Observer,
) -> Solution {
    let settings = LemkeSettings {
        pivot_limit: NEAR_PIVOTS,
        retries: 0,
        searches_proof: false,
        ..lemke.settings.clone()
    };
    Lemke::new(settings).solve_observed(problem, Start::Point(near), observer)
}

/// Pivots, besides ten for each unknown, of a path that may be in vain: one that leads to a solution takes about as many as
/// there are unknowns, and one that goes in circles would take seconds.
const SOON: usize = 1000;

/// Lemke's method, once and not for long.
pub(crate) fn pivot_soon(
    lemke: &mut Lemke,
    problem: &LinearMcp,
    observer: &mut dyn Observer,
) -> Solution {
    pivot_within(lemke, problem, (0, 10), observer)
}

/// Lemke's method with at most so many other tries, and so many pivots for each unknown in all of them.
pub(crate) fn pivot_within(
    lemke: &mut Lemke,
    problem: &LinearMcp,
    (retries, each): (usize, usize),
    observer: &mut dyn Observer,
) -> Solution {
    let patient = lemke.settings.clone();
    lemke.settings.retries = patient.retries.min(retries);
    // Where other methods follow there is time for a proof when they have failed.
    lemke.settings.searches_proof = patient.searches_proof && retries == usize::MAX;
    lemke.settings.pivot_limit = patient.pivot_limit.min(SOON + each * problem.len());
    let solution = lemke.solve_observed(problem, Start::Cold, observer);
    lemke.settings = patient;
    solution
}
