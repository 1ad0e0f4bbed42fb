//! Poisson's law: the impulse of the expansion of an impact is at least e times that of its compression.
//!
//! ```math
//! 0 \le p_c \perp W_n^T (v_c - \delta v) \ge 0, \qquad 0 \le p_n - (1 + s e)\, p_c \perp \psi(q^{+}) \ge 0
//! ```
//!
//! with δv what the forces of the step add to the velocity. Both problems have the geometry of their own end, and where
//! normals turn between the two the impact could gain energy in the order of h. 0 ≤ s ≤ 1 is then the root at which it gains
//! none; else s = 1. Where it gains even with s = 0, because bodies turn much in the step,
//! the compression is the step, or, if that ends in overlap, the step in which nothing bounces.
//!
//! # References
//! - M. Anitescu, F. A. Potra, Formulating dynamic multi-rigid-body contact problems with friction as solvable linear
//!   complementarity problems, Nonlinear Dynamics 14, 1997: an impact as two problems.

use signorini_complementarity::Observer;

use super::{
    ASTRAY, GeometricallyImplicit,
    guess::Guess,
    islands::Island,
    problem::{Contact, Given},
    solve::Answer,
};
use crate::{latch::is_raised, lu::Lu, restitution::ImpactLaw, stepper::StepError};

/// A gain of energy up to this part of the kinetic energy is rounding.
const ROUNDING: f64 = 1e-13;

/// The root is near enough if the loss there is at most this part of the loss of the compression.
const NEAR: f64 = 1e-6;

/// Expansions tried; three or four are enough.
const TRIES: usize = 30;

/// A smaller part of e is none.
const LEAST: f64 = 1e-3;

/// Expansions that may have no solution: to find that there is none takes much longer than to find one.
const FAILURES: usize = 2;

impl GeometricallyImplicit {
    /// Solves the problem of an island; where it has no solution with its impacts, or none that is gentle, without them.
    pub(super) fn solve_with_impacts(
        &mut self,
        given: &Given<'_>,
        contacts: &[Contact],
        (island, guess): (&Island, &Guess),
        observer: &mut dyn Observer,
    ) -> Result<Answer, StepError> {
        if !contacts.iter().any(Contact::is_impact) {
            return self.solve_gently(given, contacts, (island, guess), observer);
        }
        let found = match given.impact {
            ImpactLaw::Poisson => self.solve_by_phases(given, contacts, (island, guess), observer),
            _ => self.solve_gently(given, contacts, (island, guess), observer),
        };
        match found {
            Err(error) if is_without_step(&error) && !is_raised(observer) => {
                let without = self.solve_without(given, contacts, (island, guess), observer);
                without.or(Err(error))
            }
            other => other,
        }
    }

    /// The step in which nothing bounces.
    fn solve_without(
        &mut self,
        given: &Given<'_>,
        contacts: &[Contact],
        (island, guess): (&Island, &Guess),
        observer: &mut dyn Observer,
    ) -> Result<Answer, StepError> {
        let mut contacts = contacts.to_vec();
        contacts.iter_mut().for_each(Contact::give_up);
        let answer = self.solve_gently(given, &contacts, (island, guess), observer)?;
        Ok(Answer {
            restitution_cut: 1.0,
            ..answer
        })
    }

    /// Compression and expansion under Poisson's law.
    fn solve_by_phases(
        &mut self,
        given: &Given<'_>,
        contacts: &[Contact],
        (island, guess): (&Island, &Guess),
        observer: &mut dyn Observer,
    ) -> Result<Answer, StepError> {
        let mut compressed: Vec<Contact> = contacts.iter().map(compressed).collect();
        let mut compression = self.solve_gently(given, &compressed, (island, guess), observer)?;
        if is_beyond(given, &compressed, (island, &compression))? {
            for contact in &mut compressed {
                contact.is_astray = true;
            }
            compression = self.solve_gently(given, &compressed, (island, guess), observer)?;
        }
        let mut expansion = Expansion {
            loss: -gain(given, island, &compression.values.v),
            rounding: ROUNDING * kinetic(given, island, &given.state.v),
            iterations: compression.iterations,
            compression,
            contacts: contacts.to_vec(),
        };
        let is_driving = |contact: &Contact| contact.is_driving;
        let first = self.expand(given, 1.0, (island, &mut expansion), observer);
        // What a driven body gives is no gain of the impact.
        if contacts.iter().any(is_driving) {
            return Ok(expansion.finish(first?, 1.0));
        }
        let first = Expansion::judge(given, island, first)?;
        let mut failures = usize::from(first.0.is_none());
        if first.1 <= expansion.rounding
            && let Some(answer) = first.0
        {
            return Ok(expansion.finish(answer, 1.0));
        }
        // The rule of false position with halved ends (Illinois).
        let (mut low, mut high) = ((0.0, -expansion.loss.max(0.0)), (1.0, first.1));
        let mut kept = None;
        for _ in 0..TRIES {
            let share = if high.1.is_finite() {
                low.1 / (low.1 - high.1)
            } else {
                0.5
            };
            let s = low.0 + (high.0 - low.0) * share;
            if s < LEAST || failures > FAILURES {
                break;
            }
            let found = self.expand(given, s, (island, &mut expansion), observer);
            let (answer, gain) = Expansion::judge(given, island, found)?;
            failures += usize::from(answer.is_none());
            if gain > expansion.rounding {
                high = (s, gain);
                low.1 *= 0.5;
                continue;
            }
            kept = answer.map(|answer| (answer, s));
            if gain >= -NEAR * expansion.loss {
                break;
            }
            low = (s, gain);
            high.1 *= 0.5;
        }
        if let Some((answer, s)) = kept {
            return Ok(expansion.finish(answer, s));
        }
        self.solve_without_expansion(given, (island, guess), expansion, observer)
    }

    /// The step where every expansion gains energy, because bodies turn much in it: its compression, if that is one, else the
    /// step without impacts.
    fn solve_without_expansion(
        &mut self,
        given: &Given<'_>,
        (island, guess): (&Island, &Guess),
        expansion: Expansion,
        observer: &mut dyn Observer,
    ) -> Result<Answer, StepError> {
        let gains = -expansion.loss > expansion.rounding;
        if !gains && !is_beyond(given, &expansion.contacts, (island, &expansion.compression))? {
            let answer = expansion.compression;
            return Ok(Answer {
                restitution_cut: 1.0,
                iterations: expansion.iterations,
                ..answer
            });
        }
        self.solve_without(given, &expansion.contacts, (island, guess), observer)
    }

    /// The step with at least 1 + s e times the impulses of the compression.
    fn expand(
        &mut self,
        given: &Given<'_>,
        s: f64,
        (island, expansion): (&Island, &mut Expansion),
        observer: &mut dyn Observer,
    ) -> Result<Answer, StepError> {
        let mut guess = expansion.compression.values.clone();
        for (contact, values) in expansion.contacts.iter_mut().zip(&mut guess.pairs) {
            if contact.compression.is_some() {
                contact.least = (1.0 + s * contact.layout.restitution) * values.normal;
                values.normal = contact.least;
            }
        }
        let answer = self.solve_island(given, &expansion.contacts, (island, &guess), observer)?;
        expansion.iterations += answer.iterations;
        Ok(answer)
    }
}

/// Whether no solution was found, or none that is gentle.
fn is_without_step(error: &StepError) -> bool {
    error.is_unsolved() || matches!(error, StepError::EnergyGained { .. })
}

/// Whether an impact ends its compression in overlap: its points are then those of the far side of a body.
fn is_beyond(
    given: &Given<'_>,
    contacts: &[Contact],
    (island, compression): (&Island, &Answer),
) -> Result<bool, StepError> {
    let q = given.end(&island.velocities(given, &compression.values.v));
    for contact in contacts.iter().filter(|contact| contact.is_impact()) {
        if given.gap(&contact.layout, &q)? <= -ASTRAY * given.units.length {
            return Ok(true);
        }
    }
    Ok(false)
}

/// What the expansions of an impact share.
struct Expansion {
    contacts: Vec<Contact>,
    compression: Answer,
    /// Energy that the compression loses, J.
    loss: f64,
    /// Gain of energy that is none, J.
    rounding: f64,
    /// Of all problems together.
    iterations: usize,
}

impl Expansion {
    /// An expansion and the energy that it gains, J; one without a solution gains any.
    fn judge(
        given: &Given<'_>,
        island: &Island,
        found: Result<Answer, StepError>,
    ) -> Result<(Option<Answer>, f64), StepError> {
        match found {
            Ok(answer) => {
                let gain = gain(given, island, &answer.values.v);
                Ok((Some(answer), gain))
            }
            Err(error) if is_without_step(&error) => Ok((None, f64::INFINITY)),
            Err(error) => Err(error),
        }
    }

    /// What comes of it with the part s of e.
    fn finish(self, answer: Answer, s: f64) -> Answer {
        Answer {
            restitution_cut: 1.0 - s,
            iterations: self.iterations,
            residual: answer.residual.max(self.compression.residual),
            ..answer
        }
    }
}

/// A pair in the compression: one with restitution ends it without approaching, others close their gap.
fn compressed(contact: &Contact) -> Contact {
    Contact {
        bounce: contact.compression.map(|_| 0.0),
        ..contact.clone()
    }
}

/// What impulses alone add to the kinetic energy of the bodies of an island, as if the forces of the step came after them:
/// ½ (v' + v)ᵀ M (v' − v) with v' = v⁺ − h M⁻¹ k, J; or with the inertia of the end, if that is more.
fn gain(given: &Given<'_>, island: &Island, end: &[f64]) -> f64 {
    let at_start = work(given, island, end, |end, free, v| (end - free) + 2.0 * v);
    let dofs = given.system.dofs();
    if dofs < SPATIAL {
        return at_start;
    }
    let free: Vec<f64> = island
        .bodies
        .iter()
        .flat_map(|&body| &given.free[body * dofs..][..dofs])
        .copied()
        .collect();
    // What free motion gains is of the rule of rotation.
    at_start.max(gain_at_end(given, island, end) - gain_at_end(given, island, &free).max(0.0))
}

/// Velocities of a body in space.
const SPATIAL: usize = 6;

/// What bodies in space gain with the inertia of the end, without the work of forces: ½ v⁺ᵀ M⁺ v⁺ − ½ vᵀ M v − (v⁺ − ½ δ)ᵀ M δ,
/// with M δ the impulse of the forces. The gyroscopic torque is none of them: as M turns with the body, it does no work.
fn gain_at_end(given: &Given<'_>, island: &Island, end: &[f64]) -> f64 {
    let q = given.end(&island.velocities(given, end));
    let mut mass = Vec::new();
    given.system.mass_blocks(&q, &mut mass);
    let bodies = island.bodies.iter().zip(end.chunks_exact(SPATIAL));
    let gains = bodies.map(|(&body, end)| {
        let own = body * SPATIAL..(body + 1) * SPATIAL;
        let block = &given.mass[own.start * SPATIAL..own.end * SPATIAL];
        let at_end = &mass[own.start * SPATIAL..own.end * SPATIAL];
        let (start, free) = (&given.state.v[own.clone()], &given.free[own]);
        let moment = |row: usize| -> f64 {
            let row = &block[(3 + row) * SPATIAL..][3..SPATIAL];
            row.iter().zip(&start[3..]).map(|(m, w)| m * w).sum()
        };
        let (omega, spin) = ([start[3], start[4], start[5]], [0, 1, 2].map(moment));
        // (v⁺ − ½ δ)ᵀ M δ in parts: of all that the forces add, and of ω × I ω h, which is to be left out.
        let mut impulse = [0.0; SPATIAL];
        for (i, row) in block.chunks_exact(SPATIAL).enumerate() {
            let changes = free.iter().zip(start).map(|(a, b)| a - b);
            impulse[i] = row.iter().zip(changes).map(|(m, c)| m * c).sum();
        }
        for k in 0..3 {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            impulse[3 + k] += given.by.h * (omega[i] * spin[j] - omega[j] * spin[i]);
        }
        let change = solved(block, impulse);
        let along = impulse.iter().zip(end.iter().zip(&change));
        let of_forces: f64 = along.map(|(p, (v, d))| p * (v - 0.5 * d)).sum();
        0.5 * (form(at_end, end, end) - form(block, start, start)) - of_forces
    });
    gains.sum()
}

/// M⁻¹ p; p itself if M has no inverse.
fn solved(block: &[f64], mut p: [f64; SPATIAL]) -> [f64; SPATIAL] {
    let mut lu = Lu::default();
    lu.begin(SPATIAL).copy_from_slice(block);
    if lu.factor() {
        lu.solve(&mut p);
    }
    p
}

/// ½ wᵀ M (v⁺ − v*) for the bodies of an island, with w from the entries of v⁺, v* and v, J.
pub(super) fn work(
    given: &Given<'_>,
    island: &Island,
    end: &[f64],
    along: impl Fn(f64, f64, f64) -> f64,
) -> f64 {
    let dofs = given.system.dofs();
    let bodies = island.bodies.iter().zip(end.chunks_exact(dofs));
    let works = bodies.map(|(&body, end)| {
        let free = &given.free[body * dofs..][..dofs];
        let start = &given.state.v[body * dofs..][..dofs];
        let (mut change, mut both) = ([0.0; 6], [0.0; 6]);
        for k in 0..dofs {
            change[k] = end[k] - free[k];
            both[k] = along(end[k], free[k], start[k]);
        }
        0.5 * product(given, body, &both[..dofs], &change[..dofs])
    });
    works.sum()
}

/// Kinetic energy of the bodies of an island with velocities of the system, J.
pub(super) fn kinetic(given: &Given<'_>, island: &Island, v: &[f64]) -> f64 {
    let dofs = given.system.dofs();
    let energies = island.bodies.iter().map(|&body| {
        let v = &v[body * dofs..][..dofs];
        0.5 * product(given, body, v, v)
    });
    energies.sum()
}

/// aᵀ M b for one body.
pub(super) fn product(given: &Given<'_>, body: usize, a: &[f64], b: &[f64]) -> f64 {
    let dofs = given.system.dofs();
    form(&given.mass[body * dofs * dofs..][..dofs * dofs], a, b)
}

/// aᵀ M b.
fn form(block: &[f64], a: &[f64], b: &[f64]) -> f64 {
    let rows = block.chunks_exact(a.len()).zip(a);
    rows.map(|(row, a)| a * row.iter().zip(b).map(|(m, b)| m * b).sum::<f64>())
        .sum()
}
