//! Pairs of a world as implicit contacts.

use nalgebra::SVector;
use signorini_geometry::{
    ClosestError, ClosestPoints, ConvexSet, Manifold, Placed, Shape, Twist, closest_points,
    manifold,
};

use super::{
    ImplicitContacts, PairDerivatives, PairLayout, PairPoint, PairRows, PairSeam, Pairs,
    pair::Pair,
    seam::{begin_on_face, felt},
    side::Side,
};
use crate::{
    contact::{ContactError, ContactId, Touch, Touching, detect, has_seams},
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
        let found = detect::for_each_near_pair(self, q, margin, scratch, |ids, placed| {
            let [a, b] = placed;
            let radii = placed.map(|piece| piece.set.bounding_radius());
            // The bounding spheres are further apart than the margin; a half-space has an infinite one.
            let apart = (b.pose.position - a.pose.position).norm() - radii[0] - radii[1];
            if apart <= margin {
                let closest = self.closest(ids, placed)?;
                if closest.gap <= margin {
                    layouts.push(self.layout(ids));
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
        let sets = pieces(pair.id).map(|(body, piece)| self.piece(body, piece));
        sets.into_iter().all(|set| {
            let set = match set {
                ConvexSet::Rounded(rounded) => rounded.core(),
                set => set,
            };
            matches!(set, ConvexSet::Ball(_) | ConvexSet::HalfSpace(_))
        })
    }

    fn start(&self, pair: &PairLayout, q: &[f64], z: &mut [f64]) -> Result<(), ContactError> {
        self.check_lengths(Some(q), None);
        assert_eq!(z.len(), pair.nz, "z has the wrong length");
        let placed = pieces(pair.id).map(|(body, piece)| self.placed(q, body, piece));
        let plane = self.plane(pair);
        let [a, b] = felt(&placed, plane.as_ref());
        let closest = self.closest(pair.id, [&a, &b])?;
        begin_at(&closest, &placed, z);
        begin_on_face(pair, z);
        Ok(())
    }

    fn start_on_patch(
        &self,
        pair: &PairLayout,
        q: &[f64],
        at: Option<[&[f64]; 2]>,
        z: &mut [f64],
    ) -> Result<bool, ContactError> {
        self.check_lengths(Some(q), None);
        assert_eq!(z.len(), pair.nz, "z has the wrong length");
        let placed = pieces(pair.id).map(|(body, piece)| self.placed(q, body, piece));
        let plane = self.plane(pair);
        let [a, b] = felt(&placed, plane.as_ref());
        let mut patch = Manifold::new();
        let found = manifold(&a, &b, &mut patch);
        found.map_err(|source| self.no_closest_points(pair.id, source))?;
        let points = patch.points();
        let (Some(first), true) = (points.first(), points.len() > 1) else {
            return Ok(false);
        };
        let mut on_patch = first.closest;
        if let Some(at) = at {
            [on_patch.a, on_patch.b] = at.map(SVector::from_column_slice);
        } else {
            let share = 1.0 / points.len() as f64;
            on_patch.a = points.iter().map(|p| p.closest.a * share).sum();
            on_patch.b = points.iter().map(|p| p.closest.b * share).sum();
        }
        on_patch.active = Default::default();
        begin_at(&on_patch, &placed, z);
        begin_on_face(pair, z);
        Ok(true)
    }

    fn has_seams(&self) -> bool {
        has_seams(self)
    }

    fn face(&self, pair: &PairLayout, q: &[f64], z: &[f64], side: usize) -> Option<PairLayout> {
        self.check_lengths(Some(q), None);
        let at = self.at(pair, q, z, None).closest_points();
        let (point, normal) = if side == 0 {
            (at.a, at.normal)
        } else {
            (at.b, -at.normal)
        };
        self.on_face(q, pair, (side, &point, &normal))
    }

    fn seams(
        &self,
        q: &[f64],
        pairs: &[(&PairLayout, &[f64])],
        buffers: &mut Pairs,
        out: &mut Vec<PairSeam>,
    ) {
        self.check_lengths(Some(q), None);
        out.clear();
        let touching: Vec<_> = pairs
            .iter()
            .map(|&(layout, z)| Touching {
                id: layout.id,
                closest: self.at(layout, q, z, None).closest_points(),
                plane: layout.face.map(|face| face.side),
            })
            .collect();
        let touches = detect::touches(self, q, &touching, &mut buffers.scratch);
        let seams = pairs.iter().zip(&touching).zip(touches);
        out.extend(seams.map(|((&(layout, _), at), touch)| match touch {
            Touch::Counts => PairSeam::Counts,
            Touch::Face { side, normal } => {
                let point = [&at.closest.a, &at.closest.b][side];
                let face = self.on_face(q, layout, (side, point, &normal));
                face.map_or(PairSeam::Hidden, PairSeam::Face)
            }
            Touch::Pieces(id) => PairSeam::Pieces(self.layout(id)),
            Touch::Hidden => PairSeam::Hidden,
        }));
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
        id: ContactId,
        [a, b]: [&Placed<'_, D>; 2],
    ) -> Result<ClosestPoints<D>, ContactError> {
        closest_points(a, b).map_err(|source| self.no_closest_points(id, source))
    }

    fn no_closest_points(&self, id: ContactId, source: ClosestError) -> ContactError {
        ContactError::Geometry {
            a: self.body_name_at(id.a as usize).to_owned(),
            b: self.body_name_at(id.b as usize).to_owned(),
            source,
        }
    }

    fn layout(&self, id: ContactId) -> PairLayout {
        let material = self.material_at(id.a, id.b);
        let dofs = self.dofs();
        let sets = pieces(id).map(|(body, piece)| self.piece(body, piece));
        let multipliers: usize = sets.into_iter().map(count).sum();
        let bodies = [id.a as usize, id.b as usize];
        PairLayout {
            id,
            nz: 2 * D + multipliers,
            equations: 2 * D,
            np: if D == 2 { 2 } else { 4 },
            dofs,
            offsets: bodies.map(|body| self.column_at(body).map(|column| column * dofs)),
            friction: material.friction,
            restitution: material.restitution,
            tangential_restitution: material.tangential_restitution,
            ellipsoid: material.ellipsoid,
            rolling: material.rolling,
            face: None,
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
        let pieces = pieces(layout.id);
        let (points, multipliers) = z.split_at(2 * D);
        let split = multipliers.split_at(count(self.piece(pieces[0].0, pieces[0].1)));
        let side = |s: usize, multipliers: &'a [f64]| {
            let velocity = match (v, layout.offsets[s]) {
                (Some(v), Some(offset)) => Twist::from_slice(&v[offset..][..layout.dofs]),
                _ => Twist::zero(),
            };
            let (body, piece) = pieces[s];
            let pose = self.pose_at(q, body);
            let placed = self.shape(body).placed(piece, &pose);
            Side {
                set: placed.set,
                pose: placed.pose,
                origin: pose.position,
                velocity,
                belt: self.belt_at(body, &pose),
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

    pub(super) fn shape(&self, body: usize) -> &Shape<D> {
        self.shape_at(body)
            .expect("pairs are listed of bodies with shapes only")
    }

    pub(super) fn piece(&self, body: usize, piece: usize) -> &ConvexSet<D> {
        self.shape(body).piece(piece)
    }

    pub(super) fn placed(&self, q: &[f64], body: usize, piece: usize) -> Placed<'_, D> {
        self.shape(body).placed(piece, &self.pose_at(q, body))
    }
}

/// Bodies of a pair and their pieces.
pub(super) fn pieces(id: ContactId) -> [(usize, usize); 2] {
    [(id.a, id.pieces[0]), (id.b, id.pieces[1])]
        .map(|(body, piece)| (body as usize, piece as usize))
}

/// Points of a pair as its unknowns, with the multipliers of the inequalities that are active there.
fn begin_at<const D: usize>(at: &ClosestPoints<D>, placed: &[Placed<'_, D>; 2], z: &mut [f64]) {
    let (points, multipliers) = z.split_at_mut(2 * D);
    multipliers.fill(0.0);
    let mut rest = multipliers;
    for side in 0..2 {
        let Placed { set, ref pose } = placed[side];
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

/// Number of multipliers among the unknowns.
pub(super) fn count<const D: usize>(set: &ConvexSet<D>) -> usize {
    match set.inequalities() {
        1 => 0,
        several => several,
    }
}
