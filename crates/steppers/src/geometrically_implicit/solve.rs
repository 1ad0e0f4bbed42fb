//! Solving the problem of a step: the smooth equations of the modes of the step before, else PATH and those it finds.

use signorini_complementarity::{
    Mcp, Observer, SemismoothSettings, Solution, Solver, Start, Status, mcp_residual,
};

use super::{
    GeometricallyImplicit,
    guess::Guess,
    problem::{Contact, Given, Law, Problem},
};
use crate::{report::Mode, stepper::StepError};

/// A solved problem.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) values: Guess,
    /// Mode of each pair.
    pub(super) modes: Vec<Mode>,
    /// Natural residual, recomputed.
    pub(super) residual: f64,
    pub(super) unknowns: usize,
    pub(super) iterations: usize,
}

/// Newton's method on smooth equations ends at this residual: its last step leads far below, and a smaller one may be below
/// the rounding of places ten body sizes away, where nothing descends and every step is tried in vain.
const POLISHED: f64 = 1e-12;

/// Newton steps of one polish; from what PATH leaves two are enough where the equations are regular.
const POLISH_LIMIT: usize = 20;

/// Modes and active inequalities may be corrected so often.
const CORRECTIONS: usize = 8;

impl GeometricallyImplicit {
    pub(super) fn solve(
        &mut self,
        given: &Given<'_>,
        contacts: &[Contact],
        guess: &Guess,
        observer: &mut dyn Observer,
    ) -> Result<Answer, StepError> {
        let problem = Problem::new(given, contacts);
        let first = self.solve_from(&problem, &guess.unknowns(&problem), observer);
        let refused = match first {
            Err(error) if error.is_unsolved() => error,
            other => return other,
        };
        // Impacts may change velocities by many of their units: other starts are nearer to them.
        for start in [OtherStart::Predicted, OtherStart::Frictionless] {
            let Some(x) = self.other_start(start, &problem, guess, observer) else {
                continue;
            };
            match self.solve_from(&problem, &x, observer) {
                Err(error) if error.is_unsolved() => {}
                other => return other,
            }
        }
        Err(refused)
    }

    /// A start that does not come from the step before; none if it cannot be computed.
    fn other_start(
        &mut self,
        start: OtherStart,
        problem: &Problem<'_>,
        guess: &Guess,
        observer: &mut dyn Observer,
    ) -> Option<Vec<f64>> {
        let (given, contacts) = (problem.given, problem.contacts);
        let mut guess = guess.clone();
        match start {
            OtherStart::Predicted => {
                guess.v.clone_from(&given.free);
                let q = given.end(&given.free);
                for contact in contacts {
                    guess.restart(given, contacts, contact.layout.id, &q).ok()?;
                }
            }
            OtherStart::Frictionless => {
                let slippery = |contact: &Contact| Contact {
                    friction: Vec::new(),
                    ..contact.clone()
                };
                let slippery: Vec<_> = contacts.iter().map(slippery).collect();
                for values in &mut guess.pairs {
                    values.ratios.clear();
                }
                let smooth = Problem::new(given, &slippery);
                let answer = self.solve_from(&smooth, &guess.unknowns(&smooth), observer);
                guess = answer.ok()?.values;
                for (values, contact) in guess.pairs.iter_mut().zip(contacts) {
                    values.ratios = vec![0.0; contact.friction.len()];
                }
            }
        }
        let mut x = guess.unknowns(problem);
        Reading::open(problem).complete(problem, &mut x);
        Some(x)
    }

    fn solve_from(
        &mut self,
        problem: &Problem<'_>,
        start: &[f64],
        observer: &mut dyn Observer,
    ) -> Result<Answer, StepError> {
        let (given, contacts) = (problem.given, problem.contacts);
        let mut iterations = 0;
        let (mut status, mut best) = (Status::NoProgress, f64::INFINITY);
        let first = if self.settings.predict_modes {
            &[Attempt::Modes, Attempt::Path, Attempt::Newton][..]
        } else {
            &[Attempt::Path, Attempt::Newton][..]
        };
        for &attempt in first {
            let z = if let Some(solution) = self.attempt(attempt, problem, start, observer) {
                iterations += solution.stats.iterations;
                if solution.status == Status::Stopped {
                    status = Status::Stopped;
                    break;
                }
                if solution.residual < best {
                    (status, best) = (solution.status, solution.residual);
                }
                solution.z
            } else {
                start.to_vec()
            };
            let (x, residual, steps) = self.polish(problem, z);
            iterations += steps;
            if residual <= self.settings.tolerance {
                return Ok(Answer {
                    modes: Reading::of(problem, &x).modes,
                    values: Guess::of(problem, &x)?,
                    residual,
                    unknowns: x.len(),
                    iterations,
                });
            }
            if residual < best {
                (status, best) = (Status::Inaccurate, residual);
            }
        }
        Err(StepError::Unsolved {
            t: given.t,
            status,
            residual: best,
            contacts: contacts.len(),
        })
    }

    fn attempt(
        &mut self,
        attempt: Attempt,
        problem: &Problem<'_>,
        start: &[f64],
        observer: &mut dyn Observer,
    ) -> Option<Solution> {
        let problem: &dyn Mcp = problem;
        let start = Start::Point(start);
        match attempt {
            Attempt::Modes => None,
            Attempt::Path => Some(self.path.solve_observed(problem, start, observer)),
            Attempt::Newton => {
                self.newton.settings = SemismoothSettings::default();
                Some(self.newton.solve_observed(problem, start, observer))
            }
        }
    }

    /// Takes the smooth equations of the modes at x to rounding, and corrects modes that do not fit; the point with the
    /// smallest residual of the complementarity problem, and the Newton steps made.
    fn polish(&mut self, problem: &Problem<'_>, x: Vec<f64>) -> (Vec<f64>, f64, usize) {
        let mut best_residual = mcp_residual(problem, &x).unwrap_or(f64::INFINITY);
        let mut best = x.clone();
        let mut steps = 0;
        let mut x = x;
        let mut tried: Vec<Reading> = Vec::new();
        for _ in 0..CORRECTIONS {
            let reading = Reading::of(problem, &x);
            if tried.contains(&reading) {
                break;
            }
            let contacts = reading.contacts(problem.contacts);
            let smooth = Problem::new(problem.given, &contacts);
            self.newton.settings = SemismoothSettings {
                tolerance: POLISHED,
                iteration_limit: POLISH_LIMIT,
                shortest_step: 1e-3,
                ..SemismoothSettings::default()
            };
            let equations: &dyn Mcp = &smooth;
            let solution = self.newton.solve(equations, Start::Point(&x));
            steps += solution.stats.iterations;
            x = solution.z;
            reading.complete(problem, &mut x);
            let residual = mcp_residual(problem, &x).unwrap_or(f64::INFINITY);
            if residual < best_residual {
                best_residual = residual;
                best.clone_from(&x);
            }
            tried.push(reading);
            if best_residual <= self.settings.tolerance {
                break;
            }
        }
        (best, best_residual, steps)
    }
}

/// What solves the problem of complementarity.
#[derive(Clone, Copy, Debug)]
enum Attempt {
    /// Nothing: the modes at the start are those of the solution, or near to them.
    Modes,
    Path,
    Newton,
}

/// Where a solve begins if it does not lead anywhere from the step before.
#[derive(Clone, Copy, Debug)]
enum OtherStart {
    /// At the free velocity, with the closest points to which it leads.
    Predicted,
    /// At the solution without friction.
    Frictionless,
}

/// The modes that a point says.
#[derive(Clone, Debug, PartialEq)]
struct Reading {
    modes: Vec<Mode>,
    active: Vec<Vec<bool>>,
}

impl Reading {
    /// All pairs open.
    fn open(problem: &Problem<'_>) -> Self {
        Self {
            modes: vec![Mode::Open; problem.contacts.len()],
            active: Vec::new(),
        }
    }

    /// Of two complementary numbers the smaller one is zero.
    fn of(problem: &Problem<'_>, x: &[f64]) -> Self {
        let mut f = vec![f64::INFINITY; x.len()];
        // Where F is not defined nothing is said, and the point is refused by its residual.
        let _ = problem.evaluate(x, &mut f, None);
        let is_positive = |i: usize| x[i] > f[i];
        let pairs = problem.contacts.iter().zip(&problem.places);
        let mode = |(contact, place): (&Contact, &super::problem::Place)| {
            if !is_positive(place.normal) {
                Mode::Open
            } else if contact.friction.is_empty() || is_positive(place.sigma) {
                Mode::Slip
            } else {
                Mode::Stick
            }
        };
        Self {
            modes: pairs.clone().map(mode).collect(),
            active: pairs
                .map(|(contact, place)| {
                    // A condensed problem has no multipliers.
                    let from = place.normal.min(place.z + contact.layout.equations);
                    (from..place.normal).map(is_positive).collect()
                })
                .collect(),
        }
    }

    /// The pairs with the equations of these modes.
    fn contacts(&self, contacts: &[Contact]) -> Vec<Contact> {
        let modes = self.modes.iter().zip(&self.active);
        let fixed = contacts
            .iter()
            .zip(modes)
            .map(|(contact, (&mode, active))| Contact {
                law: Law::Mode {
                    mode,
                    active: active.clone(),
                },
                ..contact.clone()
            });
        fixed.collect()
    }

    /// Gives friction of open pairs the values of their sliding, and draws all within the bounds.
    fn complete(&self, problem: &Problem<'_>, x: &mut [f64]) {
        let mut f = vec![0.0; x.len()];
        for ((contact, place), mode) in problem
            .contacts
            .iter()
            .zip(&problem.places)
            .zip(&self.modes)
        {
            if *mode == Mode::Open && !contact.friction.is_empty() {
                x[place.sigma] = 0.0;
            }
        }
        if problem.evaluate(x, &mut f, None).is_ok() {
            // With σ = 0 the friction rows are the sliding velocities.
            for ((contact, place), mode) in problem
                .contacts
                .iter()
                .zip(&problem.places)
                .zip(&self.modes)
            {
                if *mode != Mode::Open || contact.friction.is_empty() {
                    continue;
                }
                let slips = &f[place.ratios..place.sigma];
                let speed = slips.iter().map(|s| s * s).sum::<f64>().sqrt();
                x[place.sigma] = speed;
                for (y, s) in x[place.ratios..place.sigma].iter_mut().zip(slips) {
                    *y = if speed > 0.0 { -s / speed } else { 0.0 };
                }
            }
        }
        let lower = problem.bounds().lower();
        for (x, l) in x.iter_mut().zip(lower) {
            *x = x.max(*l);
        }
    }
}
