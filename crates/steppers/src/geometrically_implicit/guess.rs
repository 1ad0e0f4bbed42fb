//! Values of the unknowns in SI units, by pairs: where a solve starts and what it finds.

use signorini_dynamics::{ContactId, PairDerivatives, PairLayout, PairPoint, PairRows, State};

use super::{
    GapFunction, ImpactLaw,
    evaluate::relative_velocity,
    islands::Island,
    problem::{Compression, Contact, Given, Problem},
};
use crate::lu::Lu;
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

/// Values of all unknowns, or of those of an island; pairs are sorted by id.
#[derive(Clone, Debug)]
pub(super) struct Guess {
    pub(super) v: Vec<f64>,
    pub(super) pairs: Vec<PairValues>,
    /// Impulses of the rows of joints.
    pub(super) links: Vec<f64>,
}

impl Guess {
    pub(super) fn new(v: &[f64], links: usize) -> Self {
        Self {
            v: v.to_vec(),
            pairs: Vec::new(),
            links: vec![0.0; links],
        }
    }

    /// Adds a pair, with its impulses of the step before if it has any: its closest points are then those where the bodies
    /// would be with their present velocities, else those at the start of the step.
    pub(super) fn add(
        &mut self,
        given: &Given<'_>,
        contact: &mut Contact,
        state: &State,
    ) -> Result<(), StepError> {
        let layout = &contact.layout;
        let memory = state.remembered(layout.id);
        let q = match memory {
            Some(_) if layout.restitution == 0.0 => &given.ahead,
            _ => given.q,
        };
        let mut z = vec![0.0; layout.nz];
        given.closest(layout, q, &mut z)?;
        let mut rows = PairRows::default();
        given.implicit.rows(layout, q, &z, &mut rows);
        contact.slope = slope(given, contact, q, &z);
        if given.impact == ImpactLaw::Poisson {
            contact.compression = compression(given, contact, &rows, state);
        } else {
            contact.bounce = bounce(given, contact, &rows, state);
        }
        let PairLayout { dofs, offsets, .. } = contact.layout;
        let ends =
            rows.gap + given.by.h * relative_velocity(&rows, dofs, (offsets, &given.free), 0);
        contact.depth = -ends / given.units.length;
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
        let values = PairValues {
            id: layout.id,
            z,
            normal: if memory.is_some() {
                normal
            } else {
                given.units.impulse(layout)
            },
            sigma: sliding(contact, &rows, &self.v),
            ratios,
        };
        let at = self.pairs.partition_point(|p| p.id < values.id);
        self.pairs.insert(at, values);
        Ok(())
    }

    /// Velocities of bodies whose pairs all carried impulses in the step before: what these would give once more.
    pub(super) fn extrapolate(&mut self, given: &Given<'_>, contacts: &[Contact], state: &State) {
        let dofs = given.system.dofs();
        let mut momentum = vec![0.0; self.v.len()];
        let mut is_known = vec![false; self.v.len() / dofs];
        let mut is_new = is_known.clone();
        // What joints did in the step before is not known.
        let jointed = given.links.rows.iter().flat_map(|link| link.columns);
        for column in jointed.flatten() {
            is_new[column] = true;
        }
        let (mut p, mut all_rows) = (Vec::new(), Vec::with_capacity(contacts.len()));
        for (contact, values) in contacts.iter().zip(&self.pairs) {
            let layout = &contact.layout;
            let marks = match state.remembered(layout.id) {
                Some(_) if layout.restitution == 0.0 => &mut is_known,
                _ => &mut is_new,
            };
            let columns = contact.columns;
            for column in columns.into_iter().flatten() {
                marks[column] = true;
            }
            let mut rows = PairRows::default();
            given
                .implicit
                .rows(layout, &given.ahead, &values.z, &mut rows);
            contact.components(values.normal, &values.ratios, &mut p);
            for (side, column) in columns.into_iter().enumerate() {
                let Some(column) = column else { continue };
                for (k, p) in p.iter().enumerate() {
                    let row = &rows.directions[(2 * k + side) * dofs..][..dofs];
                    let own = &mut momentum[column * dofs..][..dofs];
                    own.iter_mut().zip(row).for_each(|(m, w)| *m += w * p);
                }
            }
            all_rows.push(rows);
        }
        let mut lu = Lu::default();
        for column in (0..is_known.len()).filter(|&k| is_known[k] && !is_new[k]) {
            let change = &mut momentum[column * dofs..][..dofs];
            // The blocks of the mass matrix are symmetric.
            let block = &given.mass[column * dofs * dofs..][..dofs * dofs];
            lu.begin(dofs).copy_from_slice(block);
            if lu.factor() {
                lu.solve(change);
                let own = self.v[column * dofs..].iter_mut();
                let free = &given.free[column * dofs..];
                for ((v, free), change) in own.zip(free).zip(&*change) {
                    *v = free + change;
                }
            }
        }
        for ((contact, values), rows) in contacts.iter().zip(&mut self.pairs).zip(&all_rows) {
            values.sigma = sliding(contact, rows, &self.v);
        }
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

    /// Puts the points of pairs to the middle of the line or face on which they lie at the start; whether any does.
    pub(super) fn restart_amid(
        &mut self,
        given: &Given<'_>,
        contacts: &[Contact],
    ) -> Result<bool, StepError> {
        let mut any = false;
        for (contact, values) in contacts.iter().zip(&mut self.pairs) {
            any |= given.start_on_patch(&contact.layout, given.q, &mut values.z)?;
        }
        Ok(any)
    }

    /// Velocities after impacts without friction with the rows of the start, one pair after the other, with points where these
    /// lead: free motion may end beyond the other body, where closest points and normals are those of its far side.
    pub(super) fn rebound(&mut self, problem: &Problem<'_>) -> Result<(), StepError> {
        let Problem {
            given, contacts, ..
        } = *problem;
        let mut v = given.free.clone();
        let mut all_rows = Vec::with_capacity(contacts.len());
        for (contact, values) in contacts.iter().zip(&mut self.pairs) {
            let mut rows = PairRows::default();
            given.amid(&contact.layout, given.q, &mut values.z)?;
            given
                .implicit
                .rows(&contact.layout, given.q, &values.z, &mut rows);
            all_rows.push(rows);
            values.normal = 0.0;
            values.ratios.fill(0.0);
        }
        let mut lu = Lu::default();
        for _ in 0..SWEEPS {
            for ((contact, rows), values) in contacts.iter().zip(&all_rows).zip(&mut self.pairs) {
                let PairLayout { dofs, offsets, .. } = contact.layout;
                let speed = |v: &[f64]| relative_velocity(rows, dofs, (offsets, v), 0);
                let wanted = if contact.is_impact() {
                    let before = speed(&given.state.v);
                    speed(&given.free) - before - contact.bounce.unwrap_or(0.0) * before
                } else {
                    -rows.gap / given.by.h
                };
                let missing = wanted - speed(&v);
                let mut pushes = [[0.0; 6]; 2];
                let mut yielding = 0.0;
                for (side, column) in contact.columns.into_iter().enumerate() {
                    let Some(column) = column else { continue };
                    let row = &rows.directions[side * dofs..][..dofs];
                    let push = &mut pushes[side][..dofs];
                    push.copy_from_slice(row);
                    lu.begin(dofs)
                        .copy_from_slice(&given.mass[column * dofs * dofs..][..dofs * dofs]);
                    if lu.factor() {
                        lu.solve(push);
                    }
                    yielding += row.iter().zip(&*push).map(|(w, m)| w * m).sum::<f64>();
                }
                let change = (missing / yielding).max(-values.normal);
                values.normal += change;
                for (push, column) in pushes.iter().zip(contact.columns) {
                    let Some(column) = column else { continue };
                    let own = v[column * dofs..].iter_mut();
                    own.zip(&push[..dofs]).for_each(|(v, m)| *v += change * m);
                }
            }
        }
        let q = given.end(&v);
        for ((contact, values), rows) in contacts.iter().zip(&mut self.pairs).zip(&mut all_rows) {
            given.amid(&contact.layout, &q, &mut values.z)?;
            given.implicit.rows(&contact.layout, &q, &values.z, rows);
            values.sigma = sliding(contact, rows, &v);
            values.normal = values.normal.max(contact.least);
        }
        self.fly(problem, &v);
        Ok(())
    }

    /// Gives the bodies of an island their velocities out of those of the system.
    pub(super) fn fly(&mut self, problem: &Problem<'_>, v: &[f64]) {
        let Problem { given, island, .. } = *problem;
        let dofs = given.system.dofs();
        for (own, &body) in self.v.chunks_exact_mut(dofs).zip(&island.bodies) {
            own.copy_from_slice(&v[body * dofs..][..dofs]);
        }
    }

    /// The values of an island.
    pub(super) fn part(&self, island: &Island, dofs: usize) -> Self {
        let blocks = island.bodies.iter().map(|&k| &self.v[k * dofs..][..dofs]);
        let pairs = island.contacts.iter().map(|&k| self.pairs[k].clone());
        Self {
            v: blocks.flatten().copied().collect(),
            pairs: pairs.collect(),
            links: island.links.iter().map(|&k| self.links[k]).collect(),
        }
    }

    /// Takes the values of an island over.
    pub(super) fn take(&mut self, island: &Island, dofs: usize, part: Self) {
        for (&k, own) in island.bodies.iter().zip(part.v.chunks_exact(dofs)) {
            self.v[k * dofs..][..dofs].copy_from_slice(own);
        }
        for (&k, own) in island.contacts.iter().zip(part.pairs) {
            self.pairs[k] = own;
        }
        for (&k, own) in island.links.iter().zip(part.links) {
            self.links[k] = own;
        }
    }

    /// The unknowns of the problem of its island, in its units.
    pub(super) fn unknowns(&self, problem: &Problem<'_>) -> Vec<f64> {
        let mut x = self.v.clone();
        for (pair, contact) in self.pairs.iter().zip(problem.contacts) {
            if contact.has_points {
                x.extend_from_slice(&pair.z);
            }
            x.push(pair.normal);
            x.extend_from_slice(&pair.ratios);
            if !pair.ratios.is_empty() {
                x.push(pair.sigma);
            }
        }
        x.extend_from_slice(&self.links);
        for (x, unit) in x.iter_mut().zip(&problem.columns) {
            *x /= unit;
        }
        x
    }

    /// The values of unknowns in the units of the problem of its island.
    pub(super) fn of(problem: &Problem<'_>, x: &[f64]) -> Result<Self, StepError> {
        let given = problem.given;
        let mut scratch = given.scratch.borrow_mut();
        scratch.place(problem, x, false);
        let (x, q) = (&scratch.x, &scratch.q);
        let pairs = problem.contacts.iter().zip(&problem.places);
        let pairs = pairs.map(|(contact, place)| {
            let mut z = x[place.z..place.normal].to_vec();
            if !contact.has_points {
                z.resize(contact.layout.nz, 0.0);
                given.closest(&contact.layout, q, &mut z)?;
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
        let velocities = problem.island.bodies.len() * given.system.dofs();
        Ok(Self {
            pairs: pairs.collect::<Result<_, StepError>>()?,
            v: x[..velocities].to_vec(),
            links: x[problem.first_link..].to_vec(),
        })
    }
}

/// σ of a pair for the velocities v.
pub(super) fn sliding(contact: &Contact, rows: &PairRows, v: &[f64]) -> f64 {
    let PairLayout { dofs, offsets, .. } = contact.layout;
    let axes = contact.friction.iter();
    let slips = axes.map(|&(k, e)| e * relative_velocity(rows, dofs, (offsets, v), k));
    slips.map(|s| s * s).sum::<f64>().sqrt()
}

/// Coefficient of restitution of a pair that approaches fast enough for an impact in this step, and would part after it. An
/// impact and then the forces of the step: with e = 1 a bounce gains no energy, as it would if −e u stood at the end of the step.
fn bounce(given: &Given<'_>, contact: &Contact, rows: &PairRows, state: &State) -> Option<f64> {
    let PairLayout { dofs, offsets, .. } = contact.layout;
    let before = relative_velocity(rows, dofs, (offsets, &state.v), 0);
    let free = relative_velocity(rows, dofs, (offsets, &given.free), 0);
    let after = free - before - contact.layout.restitution * before;
    let bounces = contact.layout.restitution > 0.0 && -before > given.rest_speed && after > 0.0;
    bounces.then_some(contact.layout.restitution)
}

/// What Poisson's law has to know of a pair with restitution that touches or closes in the step.
fn compression(
    given: &Given<'_>,
    contact: &Contact,
    rows: &PairRows,
    state: &State,
) -> Option<Compression> {
    let PairLayout { dofs, offsets, .. } = contact.layout;
    let before = relative_velocity(rows, dofs, (offsets, &state.v), 0);
    let free = relative_velocity(rows, dofs, (offsets, &given.free), 0);
    let reach = TOUCHING * given.units.length - given.by.h * before.min(free).min(0.0);
    let takes_part = contact.layout.restitution > 0.0 && rows.gap <= reach;
    takes_part.then_some(Compression {
        is_impact: -before > given.rest_speed,
    })
}

/// Rounds over the pairs of an island; a start need not be exact.
const SWEEPS: usize = 10;

/// Beyond this part of the length closest points and normals are those of the far side, or of an end.
pub(super) const DEEP: f64 = 0.1;

/// Gaps up to this part of the length are closed: bodies at rest pass impacts on.
const TOUCHING: f64 = 1e-9;

/// Slope of the gap function at the start, so that its rows are lengths.
fn slope(given: &Given<'_>, contact: &Contact, q: &[f64], z: &[f64]) -> f64 {
    if contact.gap == GapFunction::SignedDistance {
        return 1.0;
    }
    let layout = &contact.layout;
    let mut derivatives = PairDerivatives::default();
    let at = PairPoint {
        q,
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
