//! Rows of a step and their derivatives.

use signorini_complementarity::{Assembler, DomainError};
use signorini_dynamics::{Joints, Move, PairDerivatives, PairPoint, PairRows, State, System};

use super::{
    GapFunction,
    condense::Elimination,
    links::{UNDETERMINED, rows_at_end},
    problem::{Contact, Place, Problem},
    reading::{Held, Reading},
};
use crate::report::{JointRowKind, Mode};

/// Buffers of an evaluation.
#[derive(Debug)]
pub(super) struct Scratch {
    /// Unknowns in SI units.
    pub(super) x: Vec<f64>,
    /// Velocity and position of the system, of which those of the problem's bodies are up to date.
    v: Vec<f64>,
    pub(super) q: Vec<f64>,
    p: Vec<f64>,
    /// Of the problem's bodies.
    tangent: Vec<f64>,
    points: Vec<f64>,
    elimination: Elimination,
    rows: PairRows,
    derivatives: PairDerivatives,
    /// Velocities v⁺ − v* + (1 + e) v of a pair with restitution, and derivatives with them.
    rebound: Vec<f64>,
    by_rebound: PairDerivatives,
    joints: Joints,
}

impl Scratch {
    /// Buffers with the state, in which driven bodies are where they are at the end, with their free velocity.
    pub(super) fn new(
        system: &dyn System,
        state: &State,
        (free, driven): (&[f64], &[bool]),
        by: Move,
    ) -> Self {
        let (mut q, mut v, dofs) = (state.q.clone(), state.v.clone(), system.dofs());
        for body in (0..driven.len()).filter(|&body| driven[body]) {
            let own = body * dofs..(body + 1) * dofs;
            v[own.clone()].copy_from_slice(&free[own]);
            system.retract_body(body, &state.q, &v, by, &mut q);
        }
        Self {
            x: Vec::new(),
            rebound: v.clone(),
            v,
            q,
            p: Vec::new(),
            tangent: Vec::new(),
            points: Vec::new(),
            elimination: Elimination::default(),
            rows: PairRows::default(),
            derivatives: PairDerivatives::default(),
            by_rebound: PairDerivatives::default(),
            joints: Joints::default(),
        }
    }

    /// Takes the unknowns, and moves the problem's bodies.
    pub(super) fn place(&mut self, problem: &Problem<'_>, scaled: &[f64], with_tangent: bool) {
        let given = problem.given;
        let (system, dofs) = (given.system, given.system.dofs());
        self.x.clear();
        self.x
            .extend(scaled.iter().zip(&problem.columns).map(|(x, c)| x * c));
        self.tangent.clear();
        for (&body, own) in problem.island.bodies.iter().zip(self.x.chunks_exact(dofs)) {
            self.v[body * dofs..][..dofs].copy_from_slice(own);
            system.retract_body(body, given.q, &self.v, given.by, &mut self.q);
            if with_tangent {
                let tangent = &mut self.tangent;
                system.retract_body_tangent(body, given.q, &self.v, given.by, tangent);
            }
        }
    }
}

/// Where a Jacobian goes.
#[derive(Debug)]
pub(super) enum Sink<'j> {
    None,
    Sparse(&'j mut Assembler),
    /// All of it, by columns; entries add up.
    Dense(&'j mut [f64]),
}

/// Writes F, and pushes the Jacobian if it is asked for, in the units of the problem.
pub(super) struct Writer<'p, 'j> {
    problem: &'p Problem<'p>,
    reading: Option<&'p Reading>,
    f: &'j mut [f64],
    sink: Sink<'j>,
}

/// One pair at the point of evaluation.
struct At<'e> {
    contact: &'e Contact,
    place: Place,
    /// Whose equations are read, if any, and for each multiplier whether its inequality is active.
    mode: Option<Mode>,
    active: &'e [bool],
    /// Whether its least impulse is all that it has.
    parts: bool,
    /// Unknowns in SI units, and velocities of the system.
    x: &'e [f64],
    v: &'e [f64],
    /// Force components.
    p: &'e [f64],
    rows: &'e PairRows,
    derivatives: &'e PairDerivatives,
    /// Velocities whose normal part an impact leaves, and derivatives with them.
    rebound: Option<(&'e [f64], &'e PairDerivatives)>,
}

impl<'p, 'j> Writer<'p, 'j> {
    pub(super) fn new(
        problem: &'p Problem<'p>,
        reading: Option<&'p Reading>,
        f: &'j mut [f64],
        sink: Sink<'j>,
    ) -> Self {
        Self {
            problem,
            reading,
            f,
            sink,
        }
    }

    fn has_jacobian(&self) -> bool {
        !matches!(self.sink, Sink::None)
    }

    /// # Errors
    /// The normal row of a pair whose closest points are not found, or have no derivatives that are asked for.
    pub(super) fn write(
        mut self,
        scaled: &[f64],
        scratch: &mut Scratch,
    ) -> Result<(), DomainError> {
        let problem = self.problem;
        let given = problem.given;
        scratch.place(problem, scaled, self.has_jacobian());
        let Scratch {
            x,
            v,
            q,
            p,
            tangent,
            points,
            elimination,
            rows,
            derivatives,
            rebound,
            by_rebound,
            joints,
        } = scratch;
        self.inertia(x);
        let mut active = self.reading.map_or(&[][..], |reading| &reading.active);
        for (k, (contact, &place)) in problem.contacts.iter().zip(&problem.places).enumerate() {
            let own = active.len().min(place.multipliers().len());
            let (own, rest) = active.split_at(own);
            active = rest;
            let layout = &contact.layout;
            let z = if contact.has_points {
                &x[place.z..place.normal]
            } else {
                points.resize(layout.nz, 0.0);
                let found = given.implicit.start(layout, q, points);
                found.map_err(|_| DomainError { row: place.normal })?;
                points.as_slice()
            };
            given.implicit.rows(layout, q, z, rows);
            contact.components(x[place.normal], &x[place.ratios..place.sigma], p);
            if self.has_jacobian() {
                let at = PairPoint { q, z, p, v };
                given.implicit.derivatives(layout, &at, derivatives);
                if !contact.has_points && !elimination.eliminate(layout, z, derivatives) {
                    return Err(DomainError { row: place.normal });
                }
                by_velocities(contact, place, tangent, derivatives);
            }
            if let Some(e) = contact.bounce {
                for offset in layout.offsets.into_iter().flatten() {
                    for k in offset..offset + layout.dofs {
                        rebound[k] = v[k] - given.free[k] + (1.0 + e) * given.state.v[k];
                    }
                }
                if self.has_jacobian() {
                    let at = PairPoint {
                        q,
                        z,
                        p,
                        v: rebound,
                    };
                    given.implicit.derivatives(layout, &at, by_rebound);
                    if !contact.has_points && !elimination.eliminate(layout, z, by_rebound) {
                        return Err(DomainError { row: place.normal });
                    }
                    by_velocities(contact, place, tangent, by_rebound);
                }
            }
            let at = At {
                contact,
                place,
                mode: self.reading.map(|reading| reading.modes[k]),
                active: own,
                parts: self.reading.is_some_and(|reading| reading.parts[k]),
                x,
                v,
                p,
                rows,
                derivatives,
                rebound: contact.bounce.map(|_| (rebound.as_slice(), &*by_rebound)),
            };
            self.momentum(&at);
            self.closest(&at);
            self.normal(&at);
            self.friction(&at);
        }
        if !problem.island.links.is_empty() {
            let span = (given.t, given.by.h);
            let found = rows_at_end(given.system, span, q, joints);
            found.map_err(|_| DomainError {
                row: problem.first_link,
            })?;
            self.links(x, tangent, joints);
        }
        for (f, scale) in self.f.iter_mut().zip(&problem.row_scales) {
            *f *= scale;
        }
        Ok(())
    }

    fn push(&mut self, row: usize, column: usize, value: f64) {
        let scale = || self.problem.columns[column] * self.problem.row_scales[row];
        match &mut self.sink {
            Sink::None => {}
            Sink::Sparse(jacobian) => jacobian.push(row, column, value * scale()),
            Sink::Dense(matrix) => matrix[column * self.f.len() + row] += value * scale(),
        }
    }

    /// M (v − v*).
    fn inertia(&mut self, x: &[f64]) {
        let given = self.problem.given;
        let dofs = given.system.dofs();
        for (k, &body) in self.problem.island.bodies.iter().enumerate() {
            let block = &given.mass[body * dofs * dofs..][..dofs * dofs];
            let (at, free) = (k * dofs, &given.free[body * dofs..][..dofs]);
            for (i, row) in block.chunks_exact(dofs).enumerate() {
                let change = (0..dofs).map(|j| row[j] * (x[at + j] - free[j]));
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
        for (side, offset) in moving(place) {
            for i in 0..dofs {
                let (row, local) = (offset + i, side * dofs + i);
                let force: f64 = (0..layout.np).map(|k| directions(k)[local] * at.p[k]).sum();
                self.f[row] -= force;
                if !self.has_jacobian() {
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
        let place = at.place;
        for i in 0..place.normal - place.z {
            let row = place.z + i;
            let multiplier = row.checked_sub(place.complementary);
            let is_on = multiplier.and_then(|m| at.active.get(m));
            if is_on == Some(&false) {
                let unit = self.problem.given.units.length;
                self.f[row] = unit * at.x[row];
                self.push(row, row, unit);
            } else {
                self.f[row] = at.rows.closest[i];
                self.push_row(at, row, (&at.derivatives.closest, i), 1.0);
            }
        }
    }

    /// The gap, the velocity beyond that of a bounce, or no impulse beyond the least.
    fn normal(&mut self, at: &At<'_>) {
        let row = at.place.normal;
        if at.parts || at.mode == Some(Mode::Open) {
            let unit = self.problem.rows[row] / self.problem.columns[row];
            self.f[row] = unit * (at.x[row] - at.contact.least);
            self.push(row, row, unit);
            return;
        }
        if let Some((velocities, derivatives)) = at.rebound {
            let layout = &at.contact.layout;
            self.f[row] = relative_velocity(at.rows, layout.dofs, (layout.offsets, velocities), 0);
            self.push_row(at, row, (&derivatives.slip, 0), 1.0);
            self.push_direction(at, row, 0, 1.0);
            return;
        }
        match at.contact.gap {
            GapFunction::SignedDistance => {
                self.f[row] = at.rows.gap + at.contact.allowed;
                self.push_row(at, row, (&at.derivatives.gap, 0), 1.0);
            }
            GapFunction::Surface => {
                self.f[row] = at.rows.surface_gap + at.contact.slope * at.contact.allowed;
                self.push_row(at, row, (&at.derivatives.surface_gap, 0), 1.0);
            }
        }
    }

    /// e_k W_kᵀ v + σ y_k, and 1 − |y|².
    fn friction(&mut self, at: &At<'_>) {
        if at.contact.friction.is_empty() {
            return;
        }
        let (place, mode) = (at.place, at.mode);
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

    /// −Jᵀ λ, and what the joints hold or how they give way.
    fn links(&mut self, x: &[f64], tangent: &[f64], joints: &Joints) {
        let problem = self.problem;
        let (given, island) = (problem.given, problem.island);
        let dofs = given.system.dofs();
        for (k, &index) in island.links.iter().enumerate() {
            let link = &given.links.rows[index];
            let (start, end) = (link.among(&given.links.start), link.among(joints));
            let row = problem.first_link + k;
            let unit = problem.rows[row] / problem.columns[row];
            let held = self.reading.map(|reading| reading.links[k]);
            let is_off = held.is_some_and(|held| held != Held::Yes);
            let [by_value, by_rate, compliance] = link.shares(&given.links.start, given.by.h);
            self.f[row] = by_value * end.value[link.index] + compliance * x[row];
            if by_rate != 0.0 {
                self.f[row] += by_rate * link.driven + start.drift[link.index];
            }
            if is_off {
                let [least, most] = link.bounds(&given.links.start);
                let bound = if held == Some(Held::Least) {
                    least
                } else {
                    most
                };
                self.f[row] = unit * (x[row] - bound);
                self.push(row, row, unit);
            } else if compliance > 0.0 {
                self.push(row, row, compliance);
            } else if link.kind == JointRowKind::Effort {
                self.push(row, row, UNDETERMINED * unit);
            }
            for (side, column) in link.columns.into_iter().enumerate() {
                let body = column.and_then(|column| island.bodies.binary_search(&column).ok());
                let Some(offset) = body.map(|body| body * dofs) else {
                    continue;
                };
                let along = start.rows.block(link.index, side);
                for (i, j) in along.iter().enumerate() {
                    self.f[offset + i] -= j * x[row];
                    self.push(offset + i, row, -j);
                    if by_rate != 0.0 && !is_off {
                        self.f[row] += by_rate * j * x[offset + i];
                        self.push(row, offset + i, by_rate * j);
                    }
                }
                if !self.has_jacobian() || by_value == 0.0 || is_off {
                    continue;
                }
                let (at_end, turn) = (
                    end.rows.block(link.index, side),
                    &tangent[offset * dofs..][..dofs * dofs],
                );
                for j in 0..dofs {
                    let value: f64 = (0..dofs).map(|i| at_end[i] * turn[i * dofs + j]).sum();
                    self.push(row, offset + j, by_value * value);
                }
            }
        }
    }

    /// Row `index` of a derivative matrix, whose columns of displacements are by velocities already.
    fn push_row(&mut self, at: &At<'_>, row: usize, (matrix, index): (&[f64], usize), factor: f64) {
        if !self.has_jacobian() {
            return;
        }
        let layout = &at.contact.layout;
        let values = &matrix[index * layout.columns()..][..layout.columns()];
        for (i, value) in values[..at.place.normal - at.place.z].iter().enumerate() {
            self.push(row, at.place.z + i, factor * value);
        }
        for (side, offset) in moving(at.place) {
            let block = &values[layout.nz + side * layout.dofs..][..layout.dofs];
            for (j, value) in block.iter().enumerate() {
                self.push(row, offset + j, factor * value);
            }
        }
    }

    /// Row k of Wᵀ as a derivative by v.
    fn push_direction(&mut self, at: &At<'_>, row: usize, k: usize, factor: f64) {
        if !self.has_jacobian() {
            return;
        }
        let dofs = at.contact.layout.dofs;
        for (side, offset) in moving(at.place) {
            for j in 0..dofs {
                let value = at.rows.directions[(2 * k + side) * dofs + j];
                self.push(row, offset + j, factor * value);
            }
        }
    }
}

/// Component k of Wᵀ v + drift.
fn slip(at: &At<'_>, k: usize) -> f64 {
    let layout = &at.contact.layout;
    relative_velocity(at.rows, layout.dofs, (layout.offsets, at.v), k)
}

/// Component k of Wᵀ v + drift for the rows of a pair, whose bodies' velocities begin at these places in v.
pub(super) fn relative_velocity(
    rows: &PairRows,
    dofs: usize,
    (offsets, v): ([Option<usize>; 2], &[f64]),
    k: usize,
) -> f64 {
    let side = |(side, offset): (usize, Option<usize>)| -> f64 {
        let Some(offset) = offset else {
            return 0.0;
        };
        let row = &rows.directions[(2 * k + side) * dofs..][..dofs];
        row.iter().zip(&v[offset..]).map(|(w, v)| w * v).sum()
    };
    offsets.into_iter().enumerate().map(side).sum::<f64>() + rows.drift[k]
}

/// Side and first unknown of the bodies of a pair that move.
fn moving(place: Place) -> impl Iterator<Item = (usize, usize)> + use<> {
    let offsets = place.bodies;
    (0..2).filter_map(move |side| Some((side, offsets[side]?)))
}

/// Turns derivatives by displacements into derivatives by velocities, in place.
fn by_velocities(
    contact: &Contact,
    place: Place,
    tangent: &[f64],
    derivatives: &mut PairDerivatives,
) {
    let layout = &contact.layout;
    let dofs = layout.dofs;
    let PairDerivatives {
        closest,
        gap,
        surface_gap,
        wrench,
        slip,
    } = derivatives;
    for (side, offset) in moving(place) {
        let tangent = &tangent[offset * dofs..][..dofs * dofs];
        // A tangent is a multiple of the identity and a rotation: a third of its entries.
        let (mut entries, mut count) = ([(0, 0, 0.0); 36], 0);
        for (at, &t) in tangent.iter().enumerate().filter(|(_, t)| **t != 0.0) {
            entries[count] = (at / dofs, at % dofs, t);
            count += 1;
        }
        for matrix in [&mut *closest, gap, surface_gap, wrench, slip] {
            for row in matrix.chunks_exact_mut(layout.columns()) {
                let block = &mut row[layout.nz + side * dofs..][..dofs];
                let mut moved = [0.0; 6];
                for &(i, j, t) in &entries[..count] {
                    moved[j] += block[i] * t;
                }
                block.copy_from_slice(&moved[..dofs]);
            }
        }
    }
}
