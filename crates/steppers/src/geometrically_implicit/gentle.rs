//! Steps with several solutions: a body that would turn by a radian and more may close its gap by turning on, with more energy
//! than there was.

use signorini_complementarity::Observer;

use super::{
    ASTRAY, GeometricallyImplicit, direct,
    guess::Guess,
    impact::{kinetic, product, work},
    islands::Island,
    problem::{Contact, Given, Problem},
    solve::{Answer, OtherStart},
};
use crate::{stepper::StepError, unsolved::UnsolvedStep};

/// Impulses that add up to this part of the kinetic energy are taken without a second look: errors of the order of h do.
const UNNOTICED: f64 = 1e-2;

const STARTS: [OtherStart; 4] = [
    OtherStart::Linearised,
    OtherStart::Still,
    OtherStart::Predicted,
    OtherStart::Amid,
];

/// Parts in which the overlap of free motion is ruled out.
const BITS: u8 = 16;

impl GeometricallyImplicit {
    /// The answer for an island; where its impulses add energy, the one among those that other starts lead to that adds least.
    pub(super) fn solve_gently(
        &mut self,
        given: &Given<'_>,
        contacts: &[Contact],
        (island, guess): (&Island, &Guess),
        observer: &mut dyn Observer,
    ) -> Result<Answer, StepError> {
        let mut best = self.solve_island(given, contacts, (island, guess), observer)?;
        if contacts.iter().any(|contact| contact.is_driving) {
            return Ok(best);
        }
        let before =
            kinetic(given, island, &given.state.v).max(kinetic(given, island, &given.free));
        let unnoticed = UNNOTICED * before;
        let mut least = added(given, island, &best.values.v);
        if least <= unnoticed || !self.settings.predict_modes {
            return Ok(best);
        }
        let mut consider = |answer: Option<Result<Answer, StepError>>| {
            if let Some(Ok(answer)) = answer {
                let added = added(given, island, &answer.values.v);
                if added < least {
                    (best, least) = (answer, added);
                }
            }
            least <= unnoticed
        };
        let with_points: Vec<Contact> = contacts.iter().map(Contact::with_points).collect();
        let is_one = self.refuses_others || contacts.iter().all(|contact| contact.has_points);
        let formulations = [contacts, &with_points[..]];
        let formulations = &formulations[..if is_one { 1 } else { 2 }];
        for contacts in formulations {
            let problem = Problem::new(given, contacts, island, None);
            for start in STARTS {
                let found = self.answer_from(start, &problem, guess, observer);
                if consider(found) {
                    return Ok(best);
                }
            }
        }
        for contacts in formulations {
            let found = self.answer_by_steps(given, contacts, (island, guess), observer);
            if consider(found) {
                break;
            }
        }
        let dofs = given.system.dofs();
        let momenta = island
            .bodies
            .iter()
            .map(|&k| given.units.momentum[k * dofs]);
        // That of the fall of a step: bodies at rest have no other.
        let there_is = before + 0.5 * given.units.speed * momenta.sum::<f64>();
        if least > there_is && island.links.is_empty() && !overlap_at_start(given, contacts)? {
            let bodies = island.bodies.iter().zip(best.values.v.chunks_exact(dofs));
            let energies = bodies.map(|(&body, v)| (body, product(given, body, v, v)));
            let fastest = energies.max_by(|a, b| a.1.total_cmp(&b.1));
            let name = |(body, _)| given.system.body_name(body).to_owned();
            let v = island.velocities(given, &best.values.v);
            return Err(StepError::EnergyGained {
                t: given.t,
                problem: UnsolvedStep::at_velocity(given.scheme, (given.state, given.by.h), &v),
                body: fastest.map(name).unwrap_or_default(),
                gain: least,
                kinetic: there_is,
            });
        }
        Ok(best)
    }

    /// The answer to which the modes of a start lead.
    fn answer_from(
        &mut self,
        start: OtherStart,
        problem: &Problem<'_>,
        guess: &Guess,
        observer: &mut dyn Observer,
    ) -> Option<Result<Answer, StepError>> {
        let x = self.other_start(start, problem, guess, observer)?;
        self.answer_near(problem, x)
    }

    /// The answer to which the modes of a point lead, with dense matrices where the problem is small.
    pub(super) fn answer_near(
        &mut self,
        problem: &Problem<'_>,
        x: Vec<f64>,
    ) -> Option<Result<Answer, StepError>> {
        if x.len() <= direct::LARGEST {
            self.solve_directly(problem, x)
        } else {
            self.polished(problem, x)
        }
    }

    /// The answer that free motion grows into as the overlaps that it would end in are ruled out bit by bit.
    fn answer_by_steps(
        &mut self,
        given: &Given<'_>,
        contacts: &[Contact],
        (island, guess): (&Island, &Guess),
        observer: &mut dyn Observer,
    ) -> Option<Result<Answer, StepError>> {
        let q = given.end(&given.free);
        let mut depths = Vec::with_capacity(contacts.len());
        for contact in contacts {
            depths.push((-given.gap(&contact.layout, &q).ok()?).max(0.0));
        }
        let mut last: Option<Answer> = None;
        for left in (0..BITS).rev() {
            let share = f64::from(left) / f64::from(BITS);
            let allowing = |(contact, depth): (&Contact, &f64)| Contact {
                allowed: depth * share,
                ..contact.clone()
            };
            let contacts: Vec<Contact> = contacts.iter().zip(&depths).map(allowing).collect();
            let problem = Problem::new(given, &contacts, island, None);
            let found = match &last {
                Some(answer) => self.answer_near(&problem, answer.values.unknowns(&problem)),
                None => STARTS
                    .into_iter()
                    .find_map(|start| self.answer_from(start, &problem, guess, observer)),
            };
            last = Some(found?.ok()?);
        }
        last.map(Ok)
    }
}

/// Whether a pair overlaps at the start of the step by more than rounding: what pushes it apart adds energy.
fn overlap_at_start(given: &Given<'_>, contacts: &[Contact]) -> Result<bool, StepError> {
    for contact in contacts {
        if given.gap(&contact.layout, given.q)? <= -ASTRAY * given.units.length {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Work of the impulses on the bodies of an island, ½ (v⁺ + v)ᵀ M (v⁺ − v*), J: where bodies rest or roll on, nothing.
fn added(given: &Given<'_>, island: &Island, end: &[f64]) -> f64 {
    work(given, island, end, |end, _, v| end + v)
}
