//! Solving the problem of a step: the smooth equations of the modes of the step before, else PATH and those it finds.

use signorini_complementarity::{
    Mcp, Observer, SemismoothSettings, Solution, Solver, Start, Status, mcp_residual,
};

use super::{
    GapFunction, GeometricallyImplicit, direct,
    guess::{DEEP, Guess},
    islands::{Island, islands},
    problem::{Contact, Given, Problem},
    reading::Reading,
};
use crate::{latch::is_raised, report::Mode, stepper::StepError};

/// The solved problem of an island, or of a step.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) values: Guess,
    /// Mode of each pair.
    pub(super) modes: Vec<Mode>,
    /// Natural residual, recomputed.
    pub(super) residual: f64,
    pub(super) unknowns: usize,
    pub(super) iterations: usize,
    /// Largest part of e that impacts were not given, so as not to gain energy.
    pub(super) restitution_cut: f64,
}

impl Answer {
    /// The answer at x.
    fn at(
        problem: &Problem<'_>,
        x: &[f64],
        (residual, iterations): (f64, usize),
    ) -> Result<Self, StepError> {
        Ok(Self {
            modes: Reading::of(problem, x).modes,
            values: Guess::of(problem, x)?,
            residual,
            unknowns: x.len(),
            iterations,
            restitution_cut: 0.0,
        })
    }
}

/// Newton's method on smooth equations ends at this residual: its last step leads far below, and a smaller one may be below
/// the rounding of places ten body sizes away, where nothing descends and every step is tried in vain.
pub(super) const POLISHED: f64 = 1e-12;

/// Newton steps of one polish; from what PATH leaves two are enough where the equations are regular.
const POLISH_LIMIT: usize = 20;

/// Modes and active inequalities may be corrected so often.
const CORRECTIONS: usize = 8;

impl GeometricallyImplicit {
    /// Solves the problem of each island; bodies without contacts have their free velocity.
    pub(super) fn solve(
        &mut self,
        given: &Given<'_>,
        contacts: &[Contact],
        guess: &Guess,
        observer: &mut dyn Observer,
    ) -> Result<Answer, StepError> {
        let dofs = given.system.dofs();
        let mut answer = Answer {
            values: Guess {
                v: given.free.clone(),
                pairs: guess.pairs.clone(),
                links: guess.links.clone(),
            },
            modes: vec![Mode::Open; contacts.len()],
            residual: 0.0,
            unknowns: 0,
            iterations: 0,
            restitution_cut: 0.0,
        };
        for island in islands(contacts, &given.links.rows, given.free.len() / dofs) {
            let own: Vec<Contact> = island
                .contacts
                .iter()
                .map(|&k| contacts[k].clone())
                .collect();
            let part = guess.part(&island, dofs);
            let solved = self.solve_with_impacts(given, &own, (&island, &part), observer)?;
            for (&k, &mode) in island.contacts.iter().zip(&solved.modes) {
                answer.modes[k] = mode;
            }
            answer.values.take(&island, dofs, solved.values);
            answer.residual = answer.residual.max(solved.residual);
            answer.unknowns += solved.unknowns;
            answer.iterations += solved.iterations;
            answer.restitution_cut = answer.restitution_cut.max(solved.restitution_cut);
        }
        Ok(answer)
    }

    /// An island where closest points are computed is solved with them as unknowns if that leads nowhere: along lines and
    /// faces of contact they are no functions of the positions. Closed forms are such functions everywhere.
    pub(super) fn solve_island(
        &mut self,
        given: &Given<'_>,
        contacts: &[Contact],
        (island, guess): (&Island, &Guess),
        observer: &mut dyn Observer,
    ) -> Result<Answer, StepError> {
        let problem = Problem::new(given, contacts, island, None);
        if contacts.iter().any(|contact| contact.is_astray)
            && let Some(answer) = self.solve_by_distance(&problem, guess, observer)
        {
            return answer;
        }
        let tries_directly =
            self.settings.predict_modes && problem.columns.len() <= direct::LARGEST;
        if tries_directly && let Some(answer) = self.solve_from_modes(&problem, guess, observer) {
            return answer;
        }
        if self.refuses_others || contacts.iter().all(|contact| contact.has_points) {
            if self.settings.predict_modes
                && let Some(answer) = self.solve_by_distance(&problem, guess, observer)
            {
                return answer;
            }
            if self.settings.predict_modes
                && !tries_directly
                && let Some(answer) = self.solve_from_modes(&problem, guess, observer)
            {
                return answer;
            }
            if tries_directly
                && !self.refuses_others
                && let Some(answer) = self.solve_with_computed_points(&problem, guess, observer)
            {
                return answer;
            }
            return self.solve_widely(&problem, guess, observer);
        }
        if !tries_directly && let Some(answer) = self.solve_nearby(&problem, guess, observer) {
            return answer;
        }
        let with_points: Vec<Contact> = contacts.iter().map(Contact::with_points).collect();
        match self.solve_island(given, &with_points, (island, guess), observer) {
            // Points as unknowns may be stationary without being the closest ones; computed ones are the closest.
            Err(error) if error.is_unsolved() && !tries_directly => {
                let again = self.solve_widely(&problem, guess, observer);
                again.or(Err(error))
            }
            other => other,
        }
    }

    /// The answer by way of the signed distance, if surface functions are complementary to impulses. Both vanish together and have
    /// one sign, so that the solutions are the same; but the function of a body with edges has a kink across each of them, and
    /// points as unknowns wander from one side to the other.
    fn solve_by_distance(
        &mut self,
        problem: &Problem<'_>,
        guess: &Guess,
        observer: &mut dyn Observer,
    ) -> Option<Result<Answer, StepError>> {
        let is_distance = |contact: &Contact| contact.gap == GapFunction::SignedDistance;
        if problem.contacts.iter().all(is_distance) {
            return None;
        }
        let by_distance = |contact: &Contact| Contact {
            gap: GapFunction::SignedDistance,
            slope: 1.0,
            has_points: true,
            ..contact.clone()
        };
        let by_distance: Vec<_> = problem.contacts.iter().map(by_distance).collect();
        let found = self.solve_island(
            problem.given,
            &by_distance,
            (problem.island, guess),
            observer,
        );
        match found {
            Ok(answer) => self.polished(problem, answer.values.unknowns(problem)),
            Err(error) if error.is_unsolved() => None,
            Err(error) => Some(Err(error)),
        }
    }

    /// The answer with points that are computed wherever they are functions of the positions. At a pole where curvature has no
    /// bound the normal changes with the root of the way: a place that is rounded at 1e-16 is off by 1e-8 in its conditions, which
    /// no unknown can meet then.
    fn solve_with_computed_points(
        &mut self,
        problem: &Problem<'_>,
        guess: &Guess,
        observer: &mut dyn Observer,
    ) -> Option<Result<Answer, StepError>> {
        let computed = |contact: &Contact| Contact {
            has_points: contact.layout.nz > contact.layout.equations,
            ..contact.clone()
        };
        let computed: Vec<_> = problem.contacts.iter().map(computed).collect();
        if computed.iter().all(|contact| contact.has_points) {
            return None;
        }
        let condensed = Problem::new(problem.given, &computed, problem.island, None);
        match self.solve_from_modes(&condensed, guess, observer)? {
            Ok(answer) => {
                let polished = self.polished(problem, answer.values.unknowns(problem));
                polished.or(Some(Ok(answer)))
            }
            Err(error) => Some(Err(error)),
        }
    }

    /// The same with sparse matrices, or what PATH finds first if modes are not to be predicted. No more is tried: where faces
    /// touch there is nothing to find, and every point costs a search for closest points.
    fn solve_nearby(
        &mut self,
        problem: &Problem<'_>,
        guess: &Guess,
        observer: &mut dyn Observer,
    ) -> Option<Result<Answer, StepError>> {
        if !self.settings.predict_modes {
            let found = self.solve_from(problem, &guess.unknowns(problem), observer);
            return match found {
                Err(error) if error.is_unsolved() => None,
                other => Some(other),
            };
        }
        let near = self.polished(problem, guess.unknowns(problem));
        near.or_else(|| {
            let x = self.other_start(OtherStart::Predicted, problem, guess, observer)?;
            self.polished(problem, x)
        })
    }

    /// The answer to which the modes of a point lead, with sparse matrices.
    pub(super) fn polished(
        &mut self,
        problem: &Problem<'_>,
        start: Vec<f64>,
    ) -> Option<Result<Answer, StepError>> {
        let (x, residual, iterations) = self.polish(problem, start);
        (residual <= self.settings.tolerance)
            .then(|| Answer::at(problem, &x, (residual, iterations)))
    }

    /// The answer to which modes lead at once, those of the step before or those of another start.
    fn solve_from_modes(
        &mut self,
        problem: &Problem<'_>,
        guess: &Guess,
        observer: &mut dyn Observer,
    ) -> Option<Result<Answer, StepError>> {
        // Closest points say little about where on many flush faces impulses act, and every wrong guess of their edges costs a
        // factorisation.
        let is_large = problem.columns.len() > direct::LARGEST;
        let may_be_flush = |contact: &Contact| contact.layout.nz > contact.layout.equations;
        let linearised_first = is_large && problem.contacts.iter().any(may_be_flush);
        let mut near = [None, Some(OtherStart::Linearised)];
        if linearised_first {
            near.reverse();
        }
        let others = [OtherStart::Predicted, OtherStart::Amid, OtherStart::Still].map(Some);
        // Points deep in a body say nothing about an impact that does not lead there.
        let impacts = || {
            problem
                .contacts
                .iter()
                .filter(|contact| contact.is_impact())
        };
        let is_lost = impacts().any(|contact| contact.depth > DEEP || contact.is_astray);
        let rebound = |is_due: bool| is_due.then_some(Some(OtherStart::Rebound));
        let last = rebound(!is_lost && impacts().next().is_some());
        let starts = near.into_iter().chain(others).chain(last);
        rebound(is_lost)
            .into_iter()
            .chain(starts)
            .find_map(|start| {
                let x = match start {
                    None => guess.unknowns(problem),
                    Some(start) => self.other_start(start, problem, guess, observer)?,
                };
                self.answer_near(problem, x)
            })
    }

    /// The answer from any start, by [`Path`](signorini_complementarity::Path) where modes do not lead to it.
    fn solve_widely(
        &mut self,
        problem: &Problem<'_>,
        guess: &Guess,
        observer: &mut dyn Observer,
    ) -> Result<Answer, StepError> {
        let start = guess.unknowns(problem);
        let first = self.solve_from(problem, &start, observer);
        let refused = match first {
            Err(error) if error.is_unsolved() => error,
            other => return other,
        };
        // Impacts may change velocities by many of their units: other starts are nearer to them.
        for start in [
            OtherStart::Predicted,
            OtherStart::Amid,
            OtherStart::Frictionless,
        ] {
            let Some(x) = self.other_start(start, problem, guess, observer) else {
                continue;
            };
            match self.solve_from(problem, &x, observer) {
                Err(error) if error.is_unsolved() => {}
                other => return other,
            }
        }
        Err(refused)
    }

    /// The answer to which the modes of the start lead at once, if they do.
    pub(super) fn solve_directly(
        &mut self,
        problem: &Problem<'_>,
        mut x: Vec<f64>,
    ) -> Option<Result<Answer, StepError>> {
        let tolerance = self.settings.tolerance;
        let outcome = self.direct.solve(problem, &mut x, tolerance);
        (outcome.residual <= tolerance).then(|| {
            Ok(Answer {
                modes: self.direct.reading().modes.clone(),
                values: Guess::of(problem, &x)?,
                residual: outcome.residual,
                unknowns: x.len(),
                iterations: outcome.steps,
                restitution_cut: 0.0,
            })
        })
    }

    /// A start that does not come from the step before; none if it cannot be computed.
    pub(super) fn other_start(
        &mut self,
        start: OtherStart,
        problem: &Problem<'_>,
        guess: &Guess,
        observer: &mut dyn Observer,
    ) -> Option<Vec<f64>> {
        if is_raised(observer) {
            return None;
        }
        let (given, contacts) = (problem.given, problem.contacts);
        let mut guess = guess.clone();
        match start {
            OtherStart::Predicted => {
                guess.fly(problem, &given.free);
                let q = given.end(&given.free);
                for contact in contacts {
                    guess.restart(given, contacts, contact.layout.id, &q).ok()?;
                }
            }
            OtherStart::Linearised => {
                let mut x = guess.linearised(problem, observer)?.unknowns(problem);
                problem.draw_within_bounds(&mut x);
                return Some(x);
            }
            OtherStart::Rebound => {
                guess.rebound(problem).ok()?;
                let mut x = guess.unknowns(problem);
                problem.draw_within_bounds(&mut x);
                return Some(x);
            }
            OtherStart::Amid | OtherStart::Still => {
                let v = match start {
                    OtherStart::Still => &given.state.v,
                    _ => &given.free,
                };
                guess.fly(problem, v);
                if !guess.restart_amid(given, contacts).ok()? {
                    return None;
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
                let smooth = Problem::new(given, &slippery, problem.island, None);
                let answer = self.solve_from(&smooth, &guess.unknowns(&smooth), observer);
                guess = answer.ok()?.values;
                for (values, contact) in guess.pairs.iter_mut().zip(contacts) {
                    values.ratios = vec![0.0; contact.friction.len()];
                }
            }
        }
        let mut x = guess.unknowns(problem);
        Reading::open(problem).complete(problem, &mut x, &mut vec![0.0; problem.len()]);
        problem.draw_within_bounds(&mut x);
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
        let mut best_point = start.to_vec();
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
                    best_point.clone_from(&solution.z);
                }
                solution.z
            } else {
                start.to_vec()
            };
            let (x, residual, steps) = self.polish(problem, z);
            iterations += steps;
            if residual <= self.settings.tolerance {
                return Answer::at(problem, &x, (residual, iterations));
            }
            if residual < best {
                (status, best) = (Status::Inaccurate, residual);
                best_point = x;
            }
        }
        if status.is_solved() {
            // By the solver's own tolerance.
            status = Status::Inaccurate;
        }
        Err(StepError::Unsolved {
            t: given.t,
            status,
            residual: best,
            tolerance: self.settings.tolerance,
            contacts: contacts.len(),
            problem: Box::new(problem.unsolved(best_point)),
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
        let mut reading = Reading::of(problem, &x);
        for _ in 0..CORRECTIONS {
            if tried.contains(&reading) {
                break;
            }
            let Problem {
                given,
                contacts,
                island,
                ..
            } = *problem;
            let smooth = Problem::new(given, contacts, island, Some(&reading));
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
            reading.complete(problem, &mut x, &mut vec![0.0; problem.len()]);
            let next = Reading::of(problem, &x);
            problem.draw_within_bounds(&mut x);
            let residual = mcp_residual(problem, &x).unwrap_or(f64::INFINITY);
            if residual < best_residual {
                best_residual = residual;
                best.clone_from(&x);
            }
            tried.push(std::mem::replace(&mut reading, next));
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
pub(super) enum OtherStart {
    /// At the free velocity, with the closest points to which it leads.
    Predicted,
    /// The same, with points in the middle of lines and faces of contact.
    Amid,
    /// The same with the velocities of the start: where bodies rest and free motion is far away.
    Still,
    /// At the solution of a linearised step.
    Linearised,
    /// At the solution without friction.
    Frictionless,
    /// Where impacts without friction with the normals of the start lead.
    Rebound,
}
