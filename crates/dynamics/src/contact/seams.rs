//! Judging contacts by the pieces around them.
//!
//! Every contact is asked whether its normal is one of the whole body's surface (`signorini_geometry::Seams`): by the pieces of
//! its own body, and of fixed bodies by all fixed ones.

use nalgebra::SVector;
use signorini_geometry::{
    Aabb, Bounds, ClosestPoints, ConvexSet, Exposure, Seams, Shape, Surroundings,
};

use super::narrow::{Found, Scene};
use super::{ContactId, ContactQuery, Contacts, frame, way};

/// Pieces within this part of the size of the smaller body are flush, and contacts that near are one: far above rounding of
/// places, far below what the eye sees. Larger, a step between two bodies is felt later only.
const FLUSH: f64 = 1e-9;

/// Where a body is this many times its depth from a face or less, the face is there for it: in overlap every face of a
/// corner is.
const DEPTHS: f64 = 2.0;

/// What is there reaches no further than this part of a piece.
const WIDEST: f64 = 0.05;

/// Where a piece is deeper in another than this part of the smaller one and nothing of it counts, it is asked how it got in.
const DEEP: f64 = 0.25;

/// Contacts that two pieces list are one if their points are within this part of the size of the smaller body, their normals
/// within as many rad: wider than [`FLUSH`], so that what is put straight at a seam is the same as what is beside it.
const SAME: f64 = 1e-6;

/// Buffers of a judgement.
#[derive(Clone, Debug)]
pub(super) struct Judge<const D: usize> {
    /// Fixed bodies, and where they are.
    fixed: Vec<(u32, Bounds<D>)>,
    /// How deep each body is in fixed ones, m.
    depths: Vec<f64>,
    /// How deep the two bodies of the contact at hand are in each other, m.
    depth: f64,
    others: Vec<(u32, u32)>,
    seams: Seams<D>,
    taken: Vec<Taken<D>>,
    /// The last taken of each body.
    latest: Vec<usize>,
}

impl<const D: usize> Default for Judge<D> {
    fn default() -> Self {
        Self {
            fixed: Vec::new(),
            depths: Vec::new(),
            depth: 0.0,
            others: Vec::new(),
            seams: Seams::new(),
            taken: Vec::new(),
            latest: Vec::new(),
        }
    }
}

/// A contact at a seam that was taken: seen from the body that is not the one with the seam.
#[derive(Clone, Copy, Debug)]
struct Taken<const D: usize> {
    point: SVector<f64, D>,
    normal: SVector<f64, D>,
    gap: f64,
    /// The one of the same body before it.
    earlier: usize,
}

/// No contact was taken before.
const NONE: usize = usize::MAX;

impl<'a, const D: usize> Scene<'a, D> {
    /// Where the fixed bodies are, and how deep each body is in them.
    pub(super) fn measure(&self, found: &[Found<D>], buffers: &mut Judge<D>) {
        let fixed = |body: u32| self.world.is_fixed(body as usize);
        buffers.fixed.clear();
        let members = self.world.members().map(|(body, _, _)| body);
        let bounds = |body: u32| (body, self.shape(body).bounds(self.pose(body)));
        buffers
            .fixed
            .extend(members.filter(|&body| fixed(body)).map(bounds));
        buffers.depths.clear();
        buffers.depths.resize(self.poses.len(), 0.0);
        for Found { id, closest } in found {
            let moving = match (fixed(id.a), fixed(id.b)) {
                (true, _) => id.b,
                (_, true) => id.a,
                _ => continue,
            };
            let depth = &mut buffers.depths[moving as usize];
            *depth = depth.max(-closest.gap);
        }
    }

    /// Appends what counts of the contacts found.
    pub(super) fn judge(
        &self,
        all: &[Found<D>],
        buffers: &mut Judge<D>,
        query: &ContactQuery<'_>,
        out: &mut Contacts,
    ) {
        buffers.taken.clear();
        buffers.latest.clear();
        buffers.latest.resize(self.poses.len(), NONE);
        let bodies = |one: &Found<D>| (one.id.a, one.id.b);
        for of_bodies in all.chunk_by(|x, y| bodies(x) == bodies(y)) {
            let depths = of_bodies.iter().map(|one| -one.closest.gap);
            buffers.depth = depths.fold(0.0, f64::max);
            for of_pieces in of_bodies.chunk_by(|x, y| x.id.pieces == y.id.pieces) {
                let first = of_pieces[0].id;
                let pair = self.frame(first.a, first.b);
                let mut push = |id: ContactId, gap: f64, closest: &ClosestPoints<D>| {
                    if gap <= query.margin || query.include.binary_search(&id).is_ok() {
                        frame::push(self.world.space(), id, &pair, closest, out);
                    }
                };
                let (mut any, mut deepest) = (false, 0.0_f64);
                for &Found { id, closest } in of_pieces {
                    deepest = deepest.min(closest.gap);
                    if let Some(counted) = self.counts(id, closest, buffers) {
                        push(id, closest.gap, &counted);
                        any = true;
                    }
                }
                if any || deepest >= 0.0 {
                    continue;
                }
                if let Some(Found { id, closest }) = self.way_out(first, buffers) {
                    push(id, closest.gap, &closest);
                } else if deepest < -DEEP * self.size(first) {
                    for point in way::from_start(self, first) {
                        let id = ContactId {
                            feature: point.feature,
                            ..first
                        };
                        if let Some(closest) = self.counts(id, point.closest, buffers) {
                            push(id, closest.gap, &closest);
                        }
                    }
                }
            }
        }
    }

    /// The contact as it counts, `None` if it does not.
    fn counts(
        &self,
        id: ContactId,
        mut closest: ClosestPoints<D>,
        buffers: &mut Judge<D>,
    ) -> Option<ClosestPoints<D>> {
        let mut seam = None;
        for side in 0..2 {
            let (point, outward) = if side == 0 {
                (closest.a, closest.normal)
            } else {
                (closest.b, -closest.normal)
            };
            let here = self.surroundings(id, side, buffers);
            let radius = here.reach.max(SAME * self.size(id));
            if self.collect(id, side, (&point, radius), buffers) {
                seam = Some(side);
            } else if here.top.is_none() {
                continue;
            }
            let Judge { others, seams, .. } = &mut *buffers;
            let others = others.iter().map(|&(body, piece)| self.placed(body, piece));
            match seams.exposure(&here, others, &point, &outward) {
                Exposure::Alone | Exposure::Exposed => {}
                Exposure::Straight(normal) => {
                    let normal = if side == 0 { normal } else { -normal };
                    closest = along(&closest, &normal, side);
                }
                Exposure::Hidden => return None,
            }
        }
        match seam {
            Some(side) if self.is_taken(id, side, &closest, buffers) => None,
            _ => Some(closest),
        }
    }

    /// Whether another piece has this contact already; notes it if not.
    fn is_taken(
        &self,
        id: ContactId,
        side: usize,
        closest: &ClosestPoints<D>,
        buffers: &mut Judge<D>,
    ) -> bool {
        let (other, point, normal) = if side == 0 {
            (id.b, closest.b, closest.normal)
        } else {
            (id.a, closest.a, -closest.normal)
        };
        let gap = closest.gap;
        let size = self.size(id);
        let same = |taken: &Taken<D>| {
            (taken.point - point).norm() <= SAME * size
                && (taken.gap - gap).abs() <= FLUSH * size
                && (taken.normal - normal).norm() <= SAME
        };
        let Judge { taken, latest, .. } = buffers;
        let mut at = latest[other as usize];
        while let Some(one) = taken.get(at) {
            if same(one) {
                return true;
            }
            at = one.earlier;
        }
        let earlier = std::mem::replace(&mut latest[other as usize], taken.len());
        taken.push(Taken {
            point,
            normal,
            gap,
            earlier,
        });
        false
    }

    /// The contact of two pieces in overlap of which none counts: through a face that is exposed.
    fn way_out(&self, id: ContactId, buffers: &mut Judge<D>) -> Option<Found<D>> {
        let bodies = [id.a, id.b];
        let placed = [0, 1].map(|s| self.placed(bodies[s], id.pieces[s]));
        let mut best: Option<Found<D>> = None;
        for side in 0..2 {
            let other = &placed[1 - side];
            let radius = other.set.bounding_radius();
            if radius.is_infinite() {
                continue;
            }
            self.collect(id, side, (&other.pose.position, radius), buffers);
            let here = self.surroundings(id, side, buffers);
            let Judge { others, seams, .. } = &mut *buffers;
            let others = || others.iter().map(|&(body, piece)| self.placed(body, piece));
            let Some((feature, out)) = seams.out_through_a_face(&here, others, other) else {
                continue;
            };
            let closest = if side == 0 { out } else { out.swapped() };
            if best.is_none_or(|best| closest.gap > best.closest.gap) {
                let id = ContactId { feature, ..id };
                best = Some(Found { id, closest });
            }
        }
        // The body on the other side must let it count too.
        let Found { id, closest } = best?;
        let closest = self.counts(id, closest, buffers)?;
        Some(Found { id, closest })
    }

    /// Collects the pieces within a radius of a point that one body of a contact has there besides its own piece, and those of
    /// fixed bodies there if it is fixed; whether there may be any.
    fn collect(
        &self,
        id: ContactId,
        side: usize,
        (centre, radius): (&SVector<f64, D>, f64),
        buffers: &mut Judge<D>,
    ) -> bool {
        let [own, other] = if side == 0 {
            [id.a, id.b]
        } else {
            [id.b, id.a]
        };
        let Judge { others, fixed, .. } = buffers;
        others.clear();
        if let Shape::Convex(ConvexSet::HalfSpace(_)) = self.shape(own) {
            // All of its boundary is one face, and no edge of it can be felt.
            return false;
        }
        let mut pieces_of = |body: u32| match self.shape(body) {
            Shape::Convex(_) => others.push((body, 0)),
            Shape::Union(union) => {
                let middle = self.pose(body).inverse_apply(centre);
                let place = Aabb {
                    lower: middle.map(|x| x - radius),
                    upper: middle.map(|x| x + radius),
                };
                union.pieces_near(&place, &mut |piece| others.push((body, piece)));
            }
        };
        if let Shape::Union(_) = self.shape(own) {
            pieces_of(own);
        }
        if self.world.is_fixed(own as usize) {
            let around = Bounds::Box(Aabb {
                lower: centre.map(|x| x - radius),
                upper: centre.map(|x| x + radius),
            });
            let touches = |body: u32| self.world.may_touch_at(body.min(other), body.max(other));
            for (body, bounds) in fixed.iter() {
                if *body != own && bounds.overlaps(&around) && touches(*body) {
                    pieces_of(*body);
                }
            }
        }
        let itself = (own, id.pieces[side]);
        others.retain(|&one| one != itself);
        // The order in which a tree is walked is its own.
        others.sort_unstable();
        !others.is_empty()
    }

    /// The piece on one side of a contact, and how near a face must be to be there.
    fn surroundings(&self, id: ContactId, side: usize, buffers: &Judge<D>) -> Surroundings<'a, D> {
        let [own, other] = if side == 0 {
            [id.a, id.b]
        } else {
            [id.b, id.a]
        };
        let mut depth = buffers.depth;
        if self.world.is_fixed(own as usize) {
            depth = depth.max(buffers.depths[other as usize]);
        }
        let piece = id.pieces[side];
        let placed = self.placed(own, piece);
        let reach = (DEPTHS * depth).min(WIDEST * placed.set.size());
        Surroundings {
            own: placed,
            top: self.shape(own).top(piece as usize, self.pose(own)),
            reach: reach.max(FLUSH * self.size(id)),
        }
    }

    /// Size of the smaller piece of a contact, m.
    fn size(&self, id: ContactId) -> f64 {
        let a = self.shape(id.a).piece(id.pieces[0] as usize);
        let b = self.shape(id.b).piece(id.pieces[1] as usize);
        a.size().min(b.size())
    }
}

/// The contact with another normal at the same point of the body that does not have the seam.
fn along<const D: usize>(
    closest: &ClosestPoints<D>,
    normal: &SVector<f64, D>,
    side: usize,
) -> ClosestPoints<D> {
    let gap = normal.dot(&(closest.b - closest.a));
    let (a, b) = if side == 0 {
        (closest.b - normal * gap, closest.b)
    } else {
        (closest.a, closest.a + normal * gap)
    };
    ClosestPoints {
        a,
        b,
        normal: *normal,
        gap,
        ..*closest
    }
}
