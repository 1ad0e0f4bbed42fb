//! Values of the unknowns in SI units, by pairs: where a solve starts and what it finds.

use signorini_dynamics::{ContactId, PairDerivatives, PairPoint, PairRows, State};

use super::{
    Formulation, GapFunction,
    evaluate::relative_velocity,
    problem::{Contact, Given, Problem},
};
use crate::stepper::StepError;

/// Values of a pair.
#[derive(Clone, Debug)]
pub(super) struct PairValues {
    pub(super) id: ContactId,
    pub(super) z: Vec<f64>,
    /// p_n, N s.
    pub(super) normal: f64,
    /// y.
    pub(super) ratios: Vec<f64>,
    /// σ, m/s.
    pub(super) sigma: f64,
}

/// Values of all unknowns; pairs are sorted by id.
#[derive(Clone, Debug)]
pub(super) struct Guess {
    pub(super) v: Vec<f64>,
    pub(super) pairs: Vec<PairValues>,
}

impl Guess {
    pub(super) fn new(v: &[f64]) -> Self {
        Self {
            v: v.to_vec(),
            pairs: Vec::new(),
        }
    }

    /// Adds a pair: its closest points at the start of the step, its impulses of the step before.
    pub(super) fn add(
        &mut self,
        given: &Given<'_>,
        contact: &mut Contact,
        state: &State,
    ) -> Result<(), StepError> {
        let layout = &contact.layout;
        let mut z = vec![0.0; layout.nz];
        given.closest(layout, given.q, &mut z)?;
        let mut rows = PairRows::default();
        given.implicit.rows(layout, given.q, &z, &mut rows);
        contact.slope = slope(given, contact, &z);
        contact.bounce = bounce(given, contact, &rows, state);
        let memory = state.remembered(layout.id);
        let normal = memory.map_or(0.0, |m| m.impulse[0].max(0.0));
        let mut ratios = vec![0.0; contact.friction.len()];
        if let Some(memory) = memory.filter(|_| normal > 0.0) {
            let components = memory.impulse.iter().chain([&memory.torsion]);
            let components: Vec<_> = components.copied().collect();
            for (y, &(k, e)) in ratios.iter_mut().zip(&contact.friction) {
                *y = components[k] / (layout.friction * e * normal);
            }
            let length = ratios.iter().map(|y| y * y).sum::<f64>().sqrt();
            for y in &mut ratios {
                *y /= length.max(1.0);
            }
        }
        let slips = contact
            .friction
            .iter()
            .map(|&(k, e)| e * relative_velocity(contact, &rows, &self.v, k));
        let sigma = slips.map(|s| s * s).sum::<f64>().sqrt();
        let values = PairValues {
            id: layout.id,
            z,
            normal: if memory.is_some() {
                normal
            } else {
                given.units.impulse(layout)
            },
            ratios,
            sigma,
        };
        let at = self.pairs.partition_point(|p| p.id < values.id);
        self.pairs.insert(at, values);
        Ok(())
    }

    /// Puts the points of a pair to where they are closest at q.
    pub(super) fn restart(
        &mut self,
        given: &Given<'_>,
        contacts: &[Contact],
        id: ContactId,
        q: &[f64],
    ) -> Result<(), StepError> {
        for (contact, values) in contacts.iter().zip(&mut self.pairs) {
            if values.id == id {
                given.closest(&contact.layout, q, &mut values.z)?;
            }
        }
        Ok(())
    }

    /// The unknowns of the problem, in its units.
    pub(super) fn unknowns(&self, problem: &Problem<'_>) -> Vec<f64> {
        let mut x = self.v.clone();
        for pair in &self.pairs {
            if problem.given.formulation == Formulation::Full {
                x.extend_from_slice(&pair.z);
            }
            x.push(pair.normal);
            x.extend_from_slice(&pair.ratios);
            if !pair.ratios.is_empty() {
                x.push(pair.sigma);
            }
        }
        for (x, unit) in x.iter_mut().zip(&problem.columns) {
            *x /= unit;
        }
        x
    }

    /// The values of unknowns in the units of the problem.
    pub(super) fn of(problem: &Problem<'_>, x: &[f64]) -> Result<Self, StepError> {
        let given = problem.given;
        let x: Vec<_> = x.iter().zip(&problem.columns).map(|(x, c)| x * c).collect();
        let v = x[..given.free.len()].to_vec();
        let q = given.end(&v);
        let pairs = problem.contacts.iter().zip(&problem.places);
        let pairs = pairs.map(|(contact, place)| {
            let mut z = x[place.z..place.normal].to_vec();
            if given.formulation == Formulation::Condensed {
                z.resize(contact.layout.nz, 0.0);
                given.closest(&contact.layout, &q, &mut z)?;
            }
            Ok(PairValues {
                id: contact.layout.id,
                z,
                normal: x[place.normal],
                ratios: x[place.ratios..place.sigma].to_vec(),
                sigma: if contact.friction.is_empty() {
                    0.0
                } else {
                    x[place.sigma]
                },
            })
        });
        Ok(Self {
            pairs: pairs.collect::<Result<_, StepError>>()?,
            v,
        })
    }
}

/// Normal velocity that a pair with restitution has after an impact in this step, if it approaches fast enough for one:
/// −e u plus what the forces of the step add, u the normal velocity at its start. An impact and then the forces: with e = 1 a
/// bounce gains no energy, as it would if −e u stood at the end of the step.
fn bounce(given: &Given<'_>, contact: &Contact, rows: &PairRows, state: &State) -> Option<f64> {
    let before = relative_velocity(contact, rows, &state.v, 0);
    let free = relative_velocity(contact, rows, &given.free, 0);
    let after = free - before - contact.layout.restitution * before;
    let bounces = contact.layout.restitution > 0.0 && -before > given.rest_speed && after > 0.0;
    bounces.then_some(after)
}

/// Slope of the gap function at the start, so that its rows are lengths.
fn slope(given: &Given<'_>, contact: &Contact, z: &[f64]) -> f64 {
    if given.gap == GapFunction::SignedDistance {
        return 1.0;
    }
    let layout = &contact.layout;
    let mut derivatives = PairDerivatives::default();
    let at = PairPoint {
        q: given.q,
        z,
        p: &vec![0.0; layout.np],
        v: &given.free,
    };
    given.implicit.derivatives(layout, &at, &mut derivatives);
    let d = given.system.dimension();
    let by_point = &derivatives.surface_gap[d..2 * d];
    let slope = by_point.iter().map(|x| x * x).sum::<f64>().sqrt();
    if slope.is_normal() { slope } else { 1.0 }
}
