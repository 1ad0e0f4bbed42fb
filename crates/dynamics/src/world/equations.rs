//! The Newton–Euler equations of a world, as a [`System`].
//!
//! ```math
//! m \dot v = m g + f, \qquad I \dot\omega = \tau - \omega \times I \omega
//! ```

use std::ops::Range;

use sprs::{CsMat, TriMat};

use signorini_geometry::Shape;

use super::{Entry, World};
use crate::{
    body::Motion,
    contact::{ContactError, ContactId, ContactQuery, Contacts, OtherEnd, detect},
    energy::Energy,
    force::ForceInput,
    implicit::ImplicitContacts,
    joint::{JointError, Joints, Span},
    space::{Advance, MAX_DOFS, Spin},
    system::{Move, Rotation, Scale, System},
};

impl<const D: usize> System for World<D> {
    fn nq(&self) -> usize {
        self.moving.len() * self.space().nq()
    }

    fn nv(&self) -> usize {
        self.moving.len() * self.space().dofs()
    }

    fn dofs(&self) -> usize {
        self.space().dofs()
    }

    fn dimension(&self) -> usize {
        D
    }

    fn scale(&self) -> Scale {
        let sizes = self.free().filter_map(|k| Some(self.shape_at(k)?.size()));
        let length = or_one(
            sizes
                .filter(|s| s.is_finite())
                .fold(f64::INFINITY, f64::min),
        );
        let mass = or_one(
            self.rigids()
                .filter(|(id, _)| self.is_free(id.index()))
                .map(|(_, r)| r.mass)
                .fold(f64::INFINITY, f64::min),
        );
        let gravity = self.settings.gravity.norm();
        let speed = |k: usize| norm(&self.bodies[k].body.velocity[..D]);
        let fastest = self.free().map(speed).fold(0.0, f64::max);
        let time = if gravity > 0.0 {
            (length / gravity).sqrt()
        } else {
            or_one(length / fastest)
        };
        Scale { length, mass, time }
    }

    fn mass_blocks(&self, q: &[f64], out: &mut Vec<f64>) {
        self.check_lengths(Some(q), None);
        out.clear();
        for (q, (_, rigid)) in q.chunks_exact(self.space().nq()).zip(self.rigids()) {
            self.space().mass_block(rigid, q, out);
        }
    }

    fn free_velocity(&self, t: f64, q: &[f64], v: &[f64], h: f64, out: &mut [f64]) {
        self.check_lengths(Some(q), Some(v));
        assert_eq!(out.len(), v.len(), "out has the wrong length");
        self.add_impulses(t, q, v, h, out);
        self.add_motors(q, h, out);
        let (space, gravity) = (self.space(), &self.settings.gravity);
        let blocks = q.chunks_exact(space.nq()).zip(v.chunks_exact(space.dofs()));
        for (((q, v), out), (id, rigid)) in blocks
            .zip(out.chunks_exact_mut(space.dofs()))
            .zip(self.rigids())
        {
            if let Motion::Driven { direction, course } = &self.data(id).motion {
                let rate = course.mean_rate(t, h);
                out.iter_mut()
                    .zip(direction)
                    .for_each(|(o, d)| *o = d * rate);
                continue;
            }
            for k in 0..D {
                out[k] = v[k] + (h * gravity[k] + out[k] / rigid.mass);
            }
            let mut impulse = [0.0; MAX_DOFS];
            let impulse = &mut impulse[..space.dofs() - D];
            impulse.copy_from_slice(&out[D..]);
            let rule = self.settings.gyroscopic;
            space.spin(
                &Spin {
                    rigid,
                    q,
                    omega: &v[D..],
                    impulse,
                    h,
                    rule,
                },
                &mut out[D..],
            );
        }
    }

    fn retract(&self, q: &[f64], v: &[f64], h: f64, rotation: Rotation, out: &mut [f64]) {
        self.check_lengths(Some(q), Some(v));
        for body in 0..self.moving.len() {
            self.retract_body(body, q, v, Move { h, rotation }, out);
        }
    }

    fn retract_tangent(
        &self,
        q: &[f64],
        v: &[f64],
        h: f64,
        rotation: Rotation,
        out: &mut Vec<f64>,
    ) {
        self.check_lengths(Some(q), Some(v));
        out.clear();
        for body in 0..self.moving.len() {
            self.retract_body_tangent(body, q, v, Move { h, rotation }, out);
        }
    }

    fn retract_body(&self, body: usize, q: &[f64], v: &[f64], by: Move, out: &mut [f64]) {
        assert_eq!(out.len(), q.len(), "out has the wrong length");
        let (q_of, v_of) = self.blocks(body);
        let (by, out) = (self.advance(body, by), &mut out[q_of.clone()]);
        self.space().retract(&by, &q[q_of], &v[v_of], out);
    }

    fn retract_body_tangent(
        &self,
        body: usize,
        q: &[f64],
        v: &[f64],
        by: Move,
        out: &mut Vec<f64>,
    ) {
        let (q_of, v_of) = self.blocks(body);
        let by = self.advance(body, by);
        self.space().retract_tangent(&by, &q[q_of], &v[v_of], out);
    }

    fn kinematic_map(&self, q: &[f64]) -> CsMat<f64> {
        self.check_lengths(Some(q), None);
        let (nq, dofs) = (self.space().nq(), self.dofs());
        let mut triplets = TriMat::new((self.nq(), self.nv()));
        for (c, q) in q.chunks_exact(nq).enumerate() {
            self.space().kinematic_map(q, &mut |row, column, value| {
                triplets.add_triplet(c * nq + row, c * dofs + column, value);
            });
        }
        triplets.to_csr()
    }

    fn contacts(
        &self,
        _t: f64,
        q: &[f64],
        query: &ContactQuery<'_>,
        out: &mut Contacts,
    ) -> Result<(), ContactError> {
        self.check_lengths(Some(q), None);
        detect::contacts(self, (q, None), query, out)
    }

    fn contacts_of_step(
        &self,
        _t: f64,
        (q, other): (&[f64], OtherEnd<'_>),
        query: &ContactQuery<'_>,
        out: &mut Contacts,
    ) -> Result<(), ContactError> {
        self.check_lengths(Some(q), None);
        self.check_lengths(Some(other.q()), None);
        detect::contacts(self, (q, Some(other)), query, out)
    }

    fn is_driven(&self, column: usize) -> bool {
        !self.is_free(self.moving[column])
    }

    fn has_belts(&self) -> bool {
        self.bodies()
            .any(|(_, body)| body.surface_velocity.iter().any(|&x| x != 0.0))
    }

    fn joint_rows(&self, t: f64, h: f64, q: &[f64], out: &mut Joints) -> Result<(), JointError> {
        self.check_lengths(Some(q), None);
        self.write_joints(q, Span { t, h }, out)
    }

    fn joint_name(&self, joint: u32) -> String {
        match self.joint_name_at(joint as usize) {
            Some(name) => name.to_owned(),
            None => format!("joint {joint}"),
        }
    }

    fn implicit(&self) -> Option<&dyn ImplicitContacts> {
        Some(self)
    }

    fn energy(&self, q: &[f64], v: &[f64]) -> Energy {
        let mut energy = Energy::default();
        self.for_each_momentum(q, v, |rigid, q, v, angular| {
            let linear = rigid.mass * v[..D].iter().map(|x| x * x).sum::<f64>();
            let turning: f64 = v[D..].iter().zip(angular).map(|(w, l)| w * l).sum();
            let height: f64 = q[..D]
                .iter()
                .zip(&self.settings.gravity)
                .map(|(x, g)| x * g)
                .sum();
            energy.kinetic += 0.5 * (linear + turning);
            energy.potential -= rigid.mass * height;
        });
        energy.potential += self.spring_energy(q);
        energy
    }

    fn momentum(&self, q: &[f64], v: &[f64]) -> Vec<f64> {
        let mut total = vec![0.0; self.dofs()];
        self.for_each_momentum(q, v, |rigid, q, v, angular| {
            let mut linear = [0.0; MAX_DOFS];
            let linear = &mut linear[..D];
            linear
                .iter_mut()
                .zip(v)
                .for_each(|(p, v)| *p = rigid.mass * v);
            let (total_linear, total_angular) = total.split_at_mut(D);
            total_linear
                .iter_mut()
                .zip(&*linear)
                .for_each(|(t, p)| *t += p);
            total_angular
                .iter_mut()
                .zip(angular)
                .for_each(|(t, l)| *t += l);
            self.space().add_moment(&q[..D], linear, total_angular);
        });
        total
    }

    fn body_name(&self, column: usize) -> &str {
        self.body_name_at(self.moving[column])
    }

    fn may_touch(&self, id: ContactId) -> bool {
        let has = |body: u32, piece: u32| {
            let shape = self.shape_at(body as usize);
            shape.is_some_and(|shape| (piece as usize) < shape.len())
        };
        self.may_touch_at(id.a, id.b) && has(id.a, id.pieces[0]) && has(id.b, id.pieces[1])
    }

    fn contact_name(&self, id: ContactId) -> String {
        let name = |k: u32, piece: u32| match self.bodies.get(k as usize) {
            Some(Entry { body, .. }) if matches!(body.shape, Some(Shape::Union(_))) => {
                format!("{}[{piece}]", body.name)
            }
            Some(entry) => entry.body.name.clone(),
            None => format!("body {k}"),
        };
        let [a, b] = id.pieces;
        format!("{}/{}#{}", name(id.a, a), name(id.b, b), id.feature)
    }
}

impl<const D: usize> World<D> {
    /// Refuses coordinates that are not finite, naming the body.
    pub(crate) fn check_finite(&self, q: &[f64]) -> Result<(), ContactError> {
        match q.iter().position(|x| !x.is_finite()) {
            None => Ok(()),
            Some(k) => {
                let nq = self.space().nq();
                let body = self.body_name(k / nq).to_owned();
                Err(ContactError::NonFinite {
                    body,
                    index: k % nq,
                    value: q[k],
                })
            }
        }
    }

    /// Where the coordinates of a column stand in q and in v.
    fn blocks(&self, column: usize) -> (Range<usize>, Range<usize>) {
        let (nq, dofs) = (self.space().nq(), self.space().dofs());
        let of = |size: usize| column * size..(column + 1) * size;
        (of(nq), of(dofs))
    }

    /// How the body of a column moves.
    fn advance(&self, column: usize, by: Move) -> Advance<'_> {
        let entry = &self.bodies[self.moving[column]];
        let (_, rigid) = entry
            .dynamic
            .as_ref()
            .expect("columns are of moving bodies");
        Advance {
            rigid,
            h: by.h,
            rotation: by.rotation,
            gyroscopic: self.settings.gyroscopic,
        }
    }

    /// out = impulses over [t, t + h] of all forces but gravity, N s and N m s, world axes, at the centres of mass.
    fn add_impulses(&self, t: f64, q: &[f64], v: &[f64], h: f64, out: &mut [f64]) {
        let (nq, dofs) = (self.space().nq(), self.dofs());
        out.fill(0.0);
        for force in &self.forces {
            let blocks = q.chunks_exact(nq).zip(v.chunks_exact(dofs));
            for (((q, v), out), (body, _)) in
                blocks.zip(out.chunks_exact_mut(dofs)).zip(self.rigids())
            {
                force.add_to(&ForceInput { t, body, q, v }, out);
            }
        }
        for x in out.iter_mut() {
            *x *= h;
        }
        for wrench in &self.wrenches {
            let column = self
                .column(wrench.body)
                .expect("World::apply refuses fixed bodies");
            let duration = wrench.duration(t, h);
            let out = &mut out[column * dofs..][..dofs];
            out.iter_mut()
                .zip(&wrench.wrench)
                .for_each(|(o, w)| *o += duration * w);
        }
    }

    /// Bodies that move freely.
    fn free(&self) -> impl Iterator<Item = usize> {
        let moving = self.moving.iter().copied();
        moving.filter(|&k| self.is_free(k))
    }

    /// Calls `f(mass data, q, v, I ω)` for every body that moves freely.
    fn for_each_momentum(
        &self,
        q: &[f64],
        v: &[f64],
        mut f: impl FnMut(&crate::space::Rigid, &[f64], &[f64], &[f64]),
    ) {
        self.check_lengths(Some(q), Some(v));
        let space = self.space();
        let blocks = q.chunks_exact(space.nq()).zip(v.chunks_exact(space.dofs()));
        for ((q, v), (id, rigid)) in blocks.zip(self.rigids()) {
            if !self.is_free(id.index()) {
                continue;
            }
            let mut angular = [0.0; MAX_DOFS];
            let angular = &mut angular[..space.dofs() - D];
            space.spin_momentum(rigid, q, &v[D..], angular);
            f(rigid, q, v, angular);
        }
    }

    #[track_caller]
    pub(crate) fn check_lengths(&self, q: Option<&[f64]>, v: Option<&[f64]>) {
        if let Some(q) = q {
            assert_eq!(q.len(), self.nq(), "q has the wrong length");
        }
        if let Some(v) = v {
            assert_eq!(v.len(), self.nv(), "v has the wrong length");
        }
    }
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// 1 in place of what could not be measured.
fn or_one(x: f64) -> f64 {
    if x.is_finite() && x > 0.0 { x } else { 1.0 }
}
