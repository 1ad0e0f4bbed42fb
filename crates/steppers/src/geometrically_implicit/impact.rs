//! Poisson's law: the impulse of the expansion of an impact is at least e times that of its compression.
//!
//! ```math
//! 0 \le p_c \perp W_n^T (v_c - \delta v) \ge 0, \qquad 0 \le p_n - (1 + s e)\, p_c \perp \psi(q^{+}) \ge 0
//! ```
//!
//! with δv what the forces of the step add to the velocity. Both problems have the geometry of their own end, and where
//! normals turn between the two the impact could gain energy in the order of h. 0 ≤ s ≤ 1 is then the root at which it gains
//! none; else s = 1.
//!
//! # References
//! - M. Anitescu, F. A. Potra, Formulating dynamic multi-rigid-body contact problems with friction as solvable linear
//!   complementarity problems, Nonlinear Dynamics 14, 1997: an impact as two problems.

use signorini_complementarity::Observer;

use super::{
    GeometricallyImplicit,
    guess::Guess,
    islands::Island,
    problem::{Contact, Given},
    solve::Answer,
};
use crate::stepper::StepError;

/// A gain of energy up to this part of the kinetic energy is rounding.
const ROUNDING: f64 = 1e-13;

/// The root is near enough if the loss there is at most this part of the loss of the compression.
const NEAR: f64 = 1e-6;

/// Expansions tried; three or four are enough.
const TRIES: usize = 30;

impl GeometricallyImplicit {
    /// Solves the problem of an island, where there is an impact under Poisson's law as compression and expansion.
    pub(super) fn solve_with_impacts(
        &mut self,
        given: &Given<'_>,
        contacts: Vec<Contact>,
        (island, guess): (&Island, &Guess),
        observer: &mut dyn Observer,
    ) -> Result<Answer, StepError> {
        let impacts = |contact: &Contact| contact.compression.is_some_and(|c| c.is_impact);
        if !contacts.iter().any(impacts) {
            return self.solve_gently(given, &contacts, (island, guess), observer);
        }
        let compressed: Vec<Contact> = contacts.iter().map(compressed).collect();
        let compression = self.solve_gently(given, &compressed, (island, guess), observer)?;
        let mut expansion = Expansion {
            loss: -gain(given, island, &compression.values.v),
            rounding: ROUNDING * kinetic(given, island, &given.state.v),
            iterations: compression.iterations,
            compression,
            contacts,
        };
        let first = self.expand(given, 1.0, (island, &mut expansion), observer)?;
        // What a driven body gives is no gain of the impact.
        let is_driving = |contact: &Contact| contact.is_driving;
        if first.1 <= expansion.rounding || expansion.contacts.iter().any(is_driving) {
            return Ok(expansion.finish(first.0, 1.0));
        }
        // The rule of false position with halved ends (Illinois).
        let (mut low, mut high) = ((0.0, -expansion.loss.max(0.0)), (1.0, first.1));
        let mut kept = None;
        for _ in 0..TRIES {
            let s = low.0 + (high.0 - low.0) * low.1 / (low.1 - high.1);
            let (answer, gain) = self.expand(given, s, (island, &mut expansion), observer)?;
            if gain > expansion.rounding {
                high = (s, gain);
                low.1 *= 0.5;
                continue;
            }
            kept = Some((answer, s));
            if gain >= -NEAR * expansion.loss {
                break;
            }
            low = (s, gain);
            high.1 *= 0.5;
        }
        let (answer, s) = if let Some(kept) = kept {
            kept
        } else {
            let none = self.expand(given, 0.0, (island, &mut expansion), observer)?;
            (none.0, 0.0)
        };
        Ok(expansion.finish(answer, s))
    }

    /// The step with 1 + s e times the impulses of the compression at least, and the energy that its impact gains, J.
    fn expand(
        &mut self,
        given: &Given<'_>,
        s: f64,
        (island, expansion): (&Island, &mut Expansion),
        observer: &mut dyn Observer,
    ) -> Result<(Answer, f64), StepError> {
        let mut guess = expansion.compression.values.clone();
        for (contact, values) in expansion.contacts.iter_mut().zip(&mut guess.pairs) {
            if contact.compression.is_some() {
                contact.least = (1.0 + s * contact.layout.restitution) * values.normal;
                values.normal = contact.least;
            }
        }
        let answer = self.solve_island(given, &expansion.contacts, (island, &guess), observer)?;
        expansion.iterations += answer.iterations;
        let gain = gain(given, island, &answer.values.v);
        Ok((answer, gain))
    }
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
/// ½ (v' + v)ᵀ M (v' − v) with v' = v⁺ − h M⁻¹ k, J.
fn gain(given: &Given<'_>, island: &Island, end: &[f64]) -> f64 {
    work(given, island, end, |end, free, v| (end - free) + 2.0 * v)
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
    let block = &given.mass[body * dofs * dofs..][..dofs * dofs];
    let rows = block.chunks_exact(dofs).zip(a);
    rows.map(|(row, a)| a * row.iter().zip(b).map(|(m, b)| m * b).sum::<f64>())
        .sum()
}
