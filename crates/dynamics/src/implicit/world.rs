//! Pairs of a world as implicit contacts.

use nalgebra::SVector;
use signorini_geometry::{
    ClosestError, ClosestPoints, ConvexSet, Manifold, Placed, Pose, Twist, closest_points, manifold,
};

use super::{
    ImplicitContacts, PairDerivatives, PairLayout, PairPoint, PairRows, Pairs, pair::Pair,
    side::Side,
};
use crate::{
    contact::{ContactError, ContactId, detect},
    system::System,
    world::World,
};

impl<const D: usize> ImplicitContacts for World<D> {
    fn pairs(&self, q: &[f64], margin: f64, out: &mut Pairs) -> Result<(), ContactError> {
        self.check_lengths(Some(q), None);
        out.clear();
        let Pairs {
            layouts,
            gaps,
            scratch,
        } = out;
        let found = detect::for_each_near_pair(self, q, margin, scratch, |pair, poses| {
            let bodies = pair.map(|body| body as usize);
            let radii = bodies.map(|body| self.shape(body).bounding_radius());
            // The bounding spheres are further apart than the margin; a half-space has an infinite one.
            let apart = (poses[1].position - poses[0].position).norm() - radii[0] - radii[1];
            if apart <= margin {
                let closest = self.closest(bodies, poses)?;
                if closest.gap <= margin {
                    layouts.push(self.layout(bodies));
                    gaps.push(closest.gap);
                }
            }
            Ok(())
        });
        if found.is_err() {
            out.clear();
        }
        found
    }

    fn has_closed_form(&self, pair: &PairLayout) -> bool {
        let bodies = [pair.id.a, pair.id.b];
        bodies.into_iter().all(|body| {
            let set = match self.shape(body as usize) {
                ConvexSet::Rounded(rounded) => rounded.core(),
                set => set,
            };
            matches!(set, ConvexSet::Ball(_) | ConvexSet::HalfSpace(_))
        })
    }

    fn start(&self, pair: &PairLayout, q: &[f64], z: &mut [f64]) -> Result<(), ContactError> {
        self.check_lengths(Some(q), None);
        assert_eq!(z.len(), pair.nz, "z has the wrong length");
        let bodies = [pair.id.a as usize, pair.id.b as usize];
        let poses = bodies.map(|body| self.pose_at(q, body));
        let closest = self.closest(bodies, [&poses[0], &poses[1]])?;
        self.begin_at(&closest, (bodies, &poses), z);
        Ok(())
    }

    fn start_amid(
        &self,
        pair: &PairLayout,
        q: &[f64],
        z: &mut [f64],
    ) -> Result<bool, ContactError> {
        self.check_lengths(Some(q), None);
        assert_eq!(z.len(), pair.nz, "z has the wrong length");
        let bodies = [pair.id.a as usize, pair.id.b as usize];
        let poses = bodies.map(|body| self.pose_at(q, body));
        let [a, b] = [0, 1].map(|side| Placed::new(self.shape(bodies[side]), poses[side]));
        let mut patch = Manifold::new();
        let found = manifold(&a, &b, &mut patch);
        found.map_err(|source| self.no_closest_points(bodies, source))?;
        let points = patch.points();
        let (Some(first), true) = (points.first(), points.len() > 1) else {
            return Ok(false);
        };
        let share = 1.0 / points.len() as f64;
        let mut middle = first.closest;
        middle.a = points.iter().map(|p| p.closest.a * share).sum();
        middle.b = points.iter().map(|p| p.closest.b * share).sum();
        middle.active = Default::default();
        self.begin_at(&middle, (bodies, &poses), z);
        Ok(true)
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
    fn closest(
        &self,
        [a, b]: [usize; 2],
        poses: [&Pose<D>; 2],
    ) -> Result<ClosestPoints<D>, ContactError> {
        let placed = [
            Placed::new(self.shape(a), *poses[0]),
            Placed::new(self.shape(b), *poses[1]),
        ];
        closest_points(&placed[0], &placed[1])
            .map_err(|source| self.no_closest_points([a, b], source))
    }

    fn no_closest_points(&self, [a, b]: [usize; 2], source: ClosestError) -> ContactError {
        ContactError::Geometry {
            a: self.body_name_at(a).to_owned(),
            b: self.body_name_at(b).to_owned(),
            source,
        }
    }

    /// Points of a pair as its unknowns, with the multipliers of the inequalities that are active there.
    fn begin_at(
        &self,
        at: &ClosestPoints<D>,
        (bodies, poses): ([usize; 2], &[Pose<D>; 2]),
        z: &mut [f64],
    ) {
        let (points, multipliers) = z.split_at_mut(2 * D);
        multipliers.fill(0.0);
        let mut rest = multipliers;
        for side in 0..2 {
            let set = self.shape(bodies[side]);
            let pose = &poses[side];
            let outward = if side == 0 { at.normal } else { -at.normal };
            let surface = if side == 0 { at.a } else { at.b };
            let point = surface - outward * set.rounding();
            points[side * D..][..D].copy_from_slice(point.as_slice());
            let (own, others) = rest.split_at_mut(count(set));
            rest = others;
            if own.is_empty() {
                continue;
            }
            let mut active = at.active[side];
            if active.is_empty() {
                active = set.active_at(&pose.inverse_apply(&point), &pose.inverse_rotate(&outward));
            }
            for (index, multiplier) in active.iter() {
                own[index] = multiplier.max(0.0);
            }
        }
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
            tangential_restitution: material.tangential_restitution,
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
