//! Rows of a step and their derivatives.

use signorini_complementarity::{Assembler, DomainError};
use signorini_dynamics::{PairDerivatives, PairPoint, PairRows};

use super::{
    Formulation, GapFunction,
    condense::Elimination,
    problem::{Contact, Law, Place, Problem},
};
use crate::report::Mode;

/// Buffers of an evaluation.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    x: Vec<f64>,
    q: Vec<f64>,
    p: Vec<f64>,
    tangent: Vec<f64>,
    points: Vec<f64>,
    elimination: Elimination,
    rows: PairRows,
    derivatives: PairDerivatives,
}

/// Writes F, and pushes the Jacobian if it is asked for, in the units of the problem.
pub(super) struct Writer<'p, 'j> {
    problem: &'p Problem<'p>,
    f: &'j mut [f64],
    jacobian: Option<&'j mut Assembler>,
}

/// One pair at the point of evaluation.
struct At<'e> {
    contact: &'e Contact,
    place: Place,
    /// Unknowns in SI units.
    x: &'e [f64],
    /// Force components.
    p: &'e [f64],
    rows: &'e PairRows,
    derivatives: &'e PairDerivatives,
}

impl<'p, 'j> Writer<'p, 'j> {
    pub(super) fn new(
        problem: &'p Problem<'p>,
        f: &'j mut [f64],
        jacobian: Option<&'j mut Assembler>,
    ) -> Self {
        Self {
            problem,
            f,
            jacobian,
        }
    }

    /// # Errors
    /// The normal row of a pair whose closest points are not found.
    pub(super) fn write(
        mut self,
        scaled: &[f64],
        scratch: &mut Scratch,
    ) -> Result<(), DomainError> {
        let problem = self.problem;
        let given = problem.given;
        let Scratch {
            x,
            q,
            p,
            tangent,
            points,
            elimination,
            rows,
            derivatives,
        } = scratch;
        x.clear();
        x.extend(scaled.iter().zip(&problem.columns).map(|(x, c)| x * c));
        let (system, v) = (given.system, &x[..given.free.len()]);
        q.resize(system.nq(), 0.0);
        system.retract(given.q, v, given.h, given.rotation, q);
        if self.jacobian.is_some() {
            system.retract_tangent(given.q, v, given.h, given.rotation, tangent);
        }
        self.inertia(v);
        for (contact, &place) in problem.contacts.iter().zip(&problem.places) {
            let layout = &contact.layout;
            let is_full = given.formulation == Formulation::Full;
            let z = if is_full {
                &x[place.z..place.normal]
            } else {
                points.resize(layout.nz, 0.0);
                let found = given.implicit.start(layout, q, points);
                found.map_err(|_| DomainError { row: place.normal })?;
                points.as_slice()
            };
            given.implicit.rows(layout, q, z, rows);
            contact.components(x[place.normal], &x[place.ratios..place.sigma], p);
            if self.jacobian.is_some() {
                let at = PairPoint { q, z, p, v };
                given.implicit.derivatives(layout, &at, derivatives);
                if !is_full {
                    elimination.eliminate(layout, z, derivatives);
                }
                by_velocities(contact, tangent, derivatives);
            }
            let at = At {
                contact,
                place,
                x,
                p,
                rows,
                derivatives,
            };
            self.momentum(&at);
            self.closest(&at);
            self.normal(&at);
            self.friction(&at);
        }
        for (f, unit) in self.f.iter_mut().zip(&problem.rows) {
            *f /= unit;
        }
        Ok(())
    }

    fn push(&mut self, row: usize, column: usize, value: f64) {
        if let Some(jacobian) = self.jacobian.as_deref_mut() {
            let scale = self.problem.columns[column] / self.problem.rows[row];
            jacobian.push(row, column, value * scale);
        }
    }

    /// M (v − v*).
    fn inertia(&mut self, v: &[f64]) {
        let given = self.problem.given;
        let dofs = given.system.dofs();
        for (body, block) in given.mass.chunks_exact(dofs * dofs).enumerate() {
            for (i, row) in block.chunks_exact(dofs).enumerate() {
                let at = body * dofs;
                let change = (0..dofs).map(|j| row[j] * (v[at + j] - given.free[at + j]));
                self.f[at + i] = change.sum();
                for (j, m) in row.iter().enumerate() {
                    self.push(at + i, at + j, *m);
                }
            }
        }
    }

    /// −W p.
    fn momentum(&mut self, at: &At<'_>) {
        let (layout, place) = (&at.contact.layout, at.place);
        let dofs = layout.dofs;
        let directions = |k: usize| &at.rows.directions[k * 2 * dofs..][..2 * dofs];
        let mu = at.contact.layout.friction;
        for (side, offset) in moving(at.contact) {
            for i in 0..dofs {
                let (row, local) = (offset + i, side * dofs + i);
                let force: f64 = (0..layout.np).map(|k| directions(k)[local] * at.p[k]).sum();
                self.f[row] -= force;
                if self.jacobian.is_none() {
                    continue;
                }
                self.push_row(at, row, (&at.derivatives.wrench, local), -1.0);
                // p is p_n times what the ratios say.
                let mut by_normal = directions(0)[local];
                let ratios = &at.x[place.ratios..place.sigma];
                for (r, (&(k, e), y)) in at.contact.friction.iter().zip(ratios).enumerate() {
                    let along = mu * e * directions(k)[local];
                    by_normal += along * y;
                    self.push(row, place.ratios + r, -along * at.p[0]);
                }
                self.push(row, place.normal, -by_normal);
            }
        }
    }

    /// Rows of the closest points; in a mode an inactive inequality has no multiplier.
    fn closest(&mut self, at: &At<'_>) {
        let (layout, place) = (&at.contact.layout, at.place);
        for i in 0..place.normal - place.z {
            let row = place.z + i;
            let is_off = match &at.contact.law {
                Law::Mode { active, .. } if i >= layout.equations => !active[i - layout.equations],
                _ => false,
            };
            if is_off {
                let unit = self.problem.given.units.length;
                self.f[row] = unit * at.x[row];
                self.push(row, row, unit);
            } else {
                self.f[row] = at.rows.closest[i];
                self.push_row(at, row, (&at.derivatives.closest, i), 1.0);
            }
        }
    }

    /// The gap, the velocity beyond that of a bounce, or no impulse.
    fn normal(&mut self, at: &At<'_>) {
        let row = at.place.normal;
        if at.contact.mode() == Some(Mode::Open) {
            let unit = self.problem.rows[row] / self.problem.columns[row];
            self.f[row] = unit * at.x[row];
            self.push(row, row, unit);
            return;
        }
        if let Some(after) = at.contact.bounce {
            self.f[row] = slip(at, 0) - after;
            self.push_row(at, row, (&at.derivatives.slip, 0), 1.0);
            self.push_direction(at, row, 0, 1.0);
            return;
        }
        match self.problem.given.gap {
            GapFunction::SignedDistance => {
                self.f[row] = at.rows.gap;
                self.push_row(at, row, (&at.derivatives.gap, 0), 1.0);
            }
            GapFunction::Surface => {
                self.f[row] = at.rows.surface_gap;
                self.push_row(at, row, (&at.derivatives.surface_gap, 0), 1.0);
            }
        }
    }

    /// e_k W_kᵀ v + σ y_k, and 1 − |y|².
    fn friction(&mut self, at: &At<'_>) {
        if at.contact.friction.is_empty() {
            return;
        }
        let (place, mode) = (at.place, at.contact.mode());
        let sigma = at.x[place.sigma];
        let mut zeta = 1.0;
        for (r, &(k, e)) in at.contact.friction.iter().enumerate() {
            let row = place.ratios + r;
            let y = at.x[row];
            if mode == Some(Mode::Open) {
                let unit = self.problem.given.units.speed;
                self.f[row] = unit * y;
                self.push(row, row, unit);
                continue;
            }
            self.f[row] = e * slip(at, k);
            self.push_row(at, row, (&at.derivatives.slip, k), e);
            self.push_direction(at, row, k, e);
            if mode != Some(Mode::Stick) {
                self.f[row] += sigma * y;
                self.push(row, row, sigma);
                self.push(row, place.sigma, y);
                zeta -= y * y;
                self.push(place.sigma, row, -2.0 * y);
            }
        }
        if matches!(mode, Some(Mode::Open | Mode::Stick)) {
            let unit = 1.0 / self.problem.given.units.speed;
            self.f[place.sigma] = unit * sigma;
            self.push(place.sigma, place.sigma, unit);
        } else {
            self.f[place.sigma] = zeta;
        }
    }

    /// Row `index` of a derivative matrix, whose columns of displacements are by velocities already.
    fn push_row(&mut self, at: &At<'_>, row: usize, (matrix, index): (&[f64], usize), factor: f64) {
        if self.jacobian.is_none() {
            return;
        }
        let layout = &at.contact.layout;
        let values = &matrix[index * layout.columns()..][..layout.columns()];
        for (i, value) in values[..at.place.normal - at.place.z].iter().enumerate() {
            self.push(row, at.place.z + i, factor * value);
        }
        for (side, offset) in moving(at.contact) {
            let block = &values[layout.nz + side * layout.dofs..][..layout.dofs];
            for (j, value) in block.iter().enumerate() {
                self.push(row, offset + j, factor * value);
            }
        }
    }

    /// Row k of Wᵀ as a derivative by v.
    fn push_direction(&mut self, at: &At<'_>, row: usize, k: usize, factor: f64) {
        let dofs = at.contact.layout.dofs;
        for (side, offset) in moving(at.contact) {
            for j in 0..dofs {
                let value = at.rows.directions[(2 * k + side) * dofs + j];
                self.push(row, offset + j, factor * value);
            }
        }
    }
}

/// Component k of Wᵀ v.
fn slip(at: &At<'_>, k: usize) -> f64 {
    relative_velocity(at.contact, at.rows, at.x, k)
}

/// Component k of Wᵀ v for the rows of a pair.
pub(super) fn relative_velocity(contact: &Contact, rows: &PairRows, v: &[f64], k: usize) -> f64 {
    let dofs = contact.layout.dofs;
    let side = |(side, offset): (usize, usize)| -> f64 {
        let row = &rows.directions[(2 * k + side) * dofs..][..dofs];
        row.iter().zip(&v[offset..]).map(|(w, v)| w * v).sum()
    };
    moving(contact).map(side).sum()
}

/// Side and first coordinate of the bodies of a pair that move.
fn moving(contact: &Contact) -> impl Iterator<Item = (usize, usize)> + use<> {
    let offsets = contact.layout.offsets;
    (0..2).filter_map(move |side| Some((side, offsets[side]?)))
}

/// Turns derivatives by displacements into derivatives by velocities, in place.
fn by_velocities(contact: &Contact, tangent: &[f64], derivatives: &mut PairDerivatives) {
    let layout = &contact.layout;
    let dofs = layout.dofs;
    let PairDerivatives {
        closest,
        gap,
        surface_gap,
        wrench,
        slip,
    } = derivatives;
    for matrix in [closest, gap, surface_gap, wrench, slip] {
        for row in matrix.chunks_exact_mut(layout.columns()) {
            for (side, offset) in moving(contact) {
                let block = &mut row[layout.nz + side * dofs..][..dofs];
                let tangent = &tangent[offset * dofs..][..dofs * dofs];
                let mut moved = [0.0; 6];
                for (value, by) in block.iter().zip(tangent.chunks_exact(dofs)) {
                    for (m, t) in moved.iter_mut().zip(by) {
                        *m += value * t;
                    }
                }
                block.copy_from_slice(&moved[..dofs]);
            }
        }
    }
}
