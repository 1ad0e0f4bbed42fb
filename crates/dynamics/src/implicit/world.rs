//! Pairs of a world as implicit contacts.

use nalgebra::SVector;
use signorini_geometry::{ClosestPoints, ConvexSet, Placed, Twist, closest_points};

use super::{
    ImplicitContacts, PairDerivatives, PairLayout, PairPoint, PairRows, pair::Pair, side::Side,
};
use crate::{
    contact::{ContactError, ContactId},
    system::System,
    world::World,
};

impl<const D: usize> ImplicitContacts for World<D> {
    fn pairs(&self, q: &[f64], margin: f64, out: &mut Vec<PairLayout>) -> Result<(), ContactError> {
        self.check_lengths(Some(q), None);
        out.clear();
        self.check_finite(q)?;
        let members = || {
            (0..)
                .zip(0..self.len())
                .filter(|&(_, k)| self.shape_at(k).is_some())
        };
        let all = members().flat_map(|a| members().map(move |b| [a, b]));
        for [(index_a, a), (index_b, b)] in all {
            if !self.may_touch(index_a, index_b) {
                continue;
            }
            let [shape_a, shape_b] = [a, b].map(|body| self.shape(body));
            let [pose_a, pose_b] = [a, b].map(|body| self.pose_at(q, body));
            // The bounding spheres are further apart than the margin; a half-space has an infinite one.
            let apart = (pose_b.position - pose_a.position).norm()
                - shape_a.bounding_radius()
                - shape_b.bounding_radius();
            if apart > margin {
                continue;
            }
            match self.closest(q, [a, b]) {
                Ok(closest) if closest.gap <= margin => out.push(self.layout([a, b])),
                Ok(_) => {}
                Err(error) => {
                    out.clear();
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    fn start(&self, pair: &PairLayout, q: &[f64], z: &mut [f64]) -> Result<(), ContactError> {
        self.check_lengths(Some(q), None);
        assert_eq!(z.len(), pair.nz, "z has the wrong length");
        let bodies = [pair.id.a as usize, pair.id.b as usize];
        let closest = self.closest(q, bodies)?;
        let (points, multipliers) = z.split_at_mut(2 * D);
        multipliers.fill(0.0);
        let mut rest = multipliers;
        for side in 0..2 {
            let set = self.shape(bodies[side]);
            let pose = self.pose_at(q, bodies[side]);
            let outward = if side == 0 {
                closest.normal
            } else {
                -closest.normal
            };
            let surface = if side == 0 { closest.a } else { closest.b };
            let point = surface - outward * set.rounding();
            points[side * D..][..D].copy_from_slice(point.as_slice());
            let (own, others) = rest.split_at_mut(count(set));
            rest = others;
            if own.is_empty() {
                continue;
            }
            let mut active = closest.active[side];
            if active.is_empty() {
                active = set.active_at(&pose.inverse_apply(&point), &pose.inverse_rotate(&outward));
            }
            for (index, multiplier) in active.iter() {
                own[index] = multiplier.max(0.0);
            }
        }
        Ok(())
    }

    fn rows(&self, pair: &PairLayout, q: &[f64], z: &[f64], out: &mut PairRows) {
        self.check_lengths(Some(q), None);
        self.at(pair, q, z, None).rows(out);
    }

    fn derivatives(&self, pair: &PairLayout, at: &PairPoint<'_>, out: &mut PairDerivatives) {
        self.check_lengths(Some(at.q), Some(at.v));
        assert_eq!(at.p.len(), pair.np, "p has the wrong length");
        self.at(pair, at.q, at.z, Some(at.v))
            .derivatives(pair, at.p, out);
    }
}

impl<const D: usize> World<D> {
    fn closest(&self, q: &[f64], [a, b]: [usize; 2]) -> Result<ClosestPoints<D>, ContactError> {
        let placed = |body| Placed::new(self.shape(body), self.pose_at(q, body));
        closest_points(&placed(a), &placed(b)).map_err(|source| ContactError::Geometry {
            a: self.body_name_at(a).to_owned(),
            b: self.body_name_at(b).to_owned(),
            source,
        })
    }

    fn layout(&self, bodies: [usize; 2]) -> PairLayout {
        let [a, b] = bodies
            .map(|body| u32::try_from(body).expect("a world holds fewer bodies than u32 counts"));
        let material = self.material_at(a, b);
        let dofs = self.dofs();
        let multipliers: usize = bodies.iter().map(|&k| count(self.shape(k))).sum();
        PairLayout {
            id: ContactId { a, b, feature: 0 },
            nz: 2 * D + multipliers,
            equations: 2 * D,
            np: if D == 2 { 2 } else { 4 },
            dofs,
            offsets: bodies.map(|body| self.column_at(body).map(|column| column * dofs)),
            friction: material.friction,
            restitution: material.restitution,
            ellipsoid: material.ellipsoid,
        }
    }

    /// The pair at (q, z); without v its bodies rest.
    fn at<'a>(
        &'a self,
        layout: &PairLayout,
        q: &[f64],
        z: &'a [f64],
        v: Option<&[f64]>,
    ) -> Pair<'a, D> {
        assert_eq!(z.len(), layout.nz, "z has the wrong length");
        let bodies = [layout.id.a as usize, layout.id.b as usize];
        let (points, multipliers) = z.split_at(2 * D);
        let split = multipliers.split_at(count(self.shape(bodies[0])));
        let side = |s: usize, multipliers: &'a [f64]| {
            let velocity = match (v, layout.offsets[s]) {
                (Some(v), Some(offset)) => Twist::from_slice(&v[offset..][..layout.dofs]),
                _ => Twist::zero(),
            };
            Side {
                set: self.shape(bodies[s]),
                pose: self.pose_at(q, bodies[s]),
                velocity,
                point: SVector::from_column_slice(&points[s * D..][..D]),
                multipliers,
            }
        };
        Pair {
            sides: [side(0, split.0), side(1, split.1)],
            space: self.space(),
            material: self.material_at(layout.id.a, layout.id.b),
            lever: self.settings().contact_point,
        }
    }

    fn shape(&self, body: usize) -> &ConvexSet<D> {
        self.shape_at(body)
            .expect("pairs are listed of bodies with shapes only")
    }
}

/// Number of multipliers among the unknowns.
fn count<const D: usize>(set: &ConvexSet<D>) -> usize {
    match set.inequalities() {
        1 => 0,
        several => several,
    }
}
