//! Narrow phase: pairs of pieces, their manifolds, and what of them counts.
//!
//! Contacts of convex bodies far from other fixed ones are those of the geometry. Where a body is a union, or fixed bodies
//! lie beside each other, each contact is judged by the pieces around it (`signorini_geometry::Seams`), so that flush
//! pieces are one surface.

use nalgebra::SVector;
use signorini_complementarity::FIXED;
use signorini_geometry::{
    Aabb, Bounds, ClosestPoints, ConvexSet, Exposure, Manifold, Placed, Pose, Seams, Shape,
    Surroundings,
};

use super::{ContactError, ContactId, ContactQuery, Contacts, detect, frame};
use crate::world::World;

/// Pieces within this part of the size of the smaller body are flush, and contacts that near are one: far above rounding of
/// places, far below what the eye sees. Larger, a step between two bodies is felt later only.
const FLUSH: f64 = 1e-9;

/// Where a body is this many times its depth from a face or less, the face is there for it: in overlap every face of a
/// corner is.
const DEPTHS: f64 = 2.0;

/// What is there reaches no further than this part of a piece.
const WIDEST: f64 = 0.05;

/// Contacts that two pieces list are one if their points are within this part of the size of the smaller body, their normals
/// within as many rad: wider than [`FLUSH`], so that what is put straight at a seam is the same as what is beside it.
const SAME: f64 = 1e-6;

#[derive(Clone, Debug)]
pub(super) struct Buffers<const D: usize> {
    manifold: Manifold<D>,
    pieces: Vec<[u32; 2]>,
    found: Vec<Found<D>>,
    /// Fixed bodies near each body, sorted.
    beside: Vec<(u32, u32)>,
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

impl<const D: usize> Default for Buffers<D> {
    fn default() -> Self {
        Self {
            manifold: Manifold::new(),
            pieces: Vec::new(),
            found: Vec::new(),
            beside: Vec::new(),
            depths: Vec::new(),
            depth: 0.0,
            others: Vec::new(),
            seams: Seams::new(),
            taken: Vec::new(),
            latest: Vec::new(),
        }
    }
}

/// A contact of two pieces that is not judged yet.
#[derive(Clone, Copy, Debug)]
struct Found<const D: usize> {
    id: ContactId,
    closest: ClosestPoints<D>,
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

/// Appends the contacts of all pairs listed.
pub(super) fn each_pair<const D: usize>(
    world: &World<D>,
    buffers: &mut detect::Buffers<D>,
    query: &ContactQuery<'_>,
    out: &mut Contacts,
) -> Result<(), ContactError> {
    let detect::Buffers {
        poses,
        pairs,
        narrow,
        ..
    } = buffers;
    let scene = Scene { world, poses };
    if !has_seams(world) {
        return pairs.iter().try_for_each(|&(a, b)| {
            let mut frame = None;
            scene.pair(a, b, [0; 2], query, &mut narrow.manifold, &mut |found| {
                let pair = frame.get_or_insert_with(|| scene.frame(a, b));
                frame::push(world.space(), found.id, pair, &found.closest, out);
            })
        });
    }
    narrow.found.clear();
    for &(a, b) in &*pairs {
        scene.piece_pairs(a, b, query, &mut narrow.pieces);
        for &pieces in &narrow.pieces {
            let found = &mut narrow.found;
            scene.pair(a, b, pieces, query, &mut narrow.manifold, &mut |one| {
                found.push(one);
            })?;
        }
    }
    scene.measure(pairs, narrow);
    scene.judge(narrow, out);
    Ok(())
}

/// Calls `f` for all pairs of pieces of the pairs listed, with feature 0.
pub(super) fn for_each_piece_pair<const D: usize>(
    world: &World<D>,
    buffers: &mut detect::Buffers<D>,
    query: &ContactQuery<'_>,
    f: &mut dyn FnMut(ContactId, [&Placed<'_, D>; 2]) -> Result<(), ContactError>,
) -> Result<(), ContactError> {
    let detect::Buffers {
        poses,
        pairs,
        narrow,
        ..
    } = buffers;
    let scene = Scene { world, poses };
    for &(a, b) in &*pairs {
        scene.piece_pairs(a, b, query, &mut narrow.pieces);
        for &pieces in &narrow.pieces {
            let feature = 0;
            let id = ContactId {
                a,
                b,
                pieces,
                feature,
            };
            f(
                id,
                [&scene.placed(a, pieces[0]), &scene.placed(b, pieces[1])],
            )?;
        }
    }
    Ok(())
}

/// Whether pieces can lie beside each other: a union, or two fixed bodies with edges.
fn has_seams<const D: usize>(world: &World<D>) -> bool {
    let mut fixed = 0;
    world.members().any(|(body, _, _)| {
        let body = body as usize;
        let shape = world.shape_at(body).expect("members have shapes");
        let has_edges = !matches!(shape, Shape::Convex(ConvexSet::HalfSpace(_)));
        fixed += usize::from(world.is_fixed(body));
        matches!(shape, Shape::Union(_)) || (fixed > 1 && world.is_fixed(body) && has_edges)
    })
}

/// A world at a configuration.
struct Scene<'a, const D: usize> {
    world: &'a World<D>,
    poses: &'a [Pose<D>],
}

impl<'a, const D: usize> Scene<'a, D> {
    fn shape(&self, body: u32) -> &'a Shape<D> {
        let shape = self.world.shape_at(body as usize);
        shape.expect("pairs are of bodies with shapes")
    }

    fn placed(&self, body: u32, piece: u32) -> Placed<'a, D> {
        self.shape(body).placed(piece as usize, self.pose(body))
    }

    fn pose(&self, body: u32) -> &'a Pose<D> {
        &self.poses[body as usize]
    }

    fn frame(&self, a: u32, b: u32) -> frame::Pair<'a, D> {
        let bodies = [a as usize, b as usize];
        let poses = [self.pose(a), self.pose(b)];
        frame::Pair {
            columns: bodies.map(|k| self.world.column_at(k).map_or(FIXED, index)),
            belts: [0, 1].map(|s| self.world.belt_at(bodies[s], poses[s])),
            poses,
            material: self.world.material_at(a, b),
            point: self.world.settings().contact_point,
        }
    }

    /// Hands the contacts of two pieces that are asked for to `list`, in the order of their features.
    fn pair(
        &self,
        a: u32,
        b: u32,
        pieces: [u32; 2],
        query: &ContactQuery<'_>,
        manifold: &mut Manifold<D>,
        list: &mut dyn FnMut(Found<D>),
    ) -> Result<(), ContactError> {
        let [placed_a, placed_b] = [self.placed(a, pieces[0]), self.placed(b, pieces[1])];
        let included = included(query.include, (a, b, pieces));
        // The bounding spheres are further apart than the margin; a half-space has an infinite one.
        let apart = (placed_b.pose.position - placed_a.pose.position).norm()
            - placed_a.set.bounding_radius()
            - placed_b.set.bounding_radius();
        if apart > query.margin && included.is_empty() {
            return Ok(());
        }
        signorini_geometry::manifold(&placed_a, &placed_b, manifold).map_err(|source| {
            let [a, b] = [a, b].map(|k| self.world.body_name_at(k as usize).to_owned());
            ContactError::Geometry { a, b, source }
        })?;
        for point in manifold.points() {
            let id = ContactId {
                a,
                b,
                pieces,
                feature: point.feature,
            };
            if point.closest.gap <= query.margin || included.binary_search(&id).is_ok() {
                let closest = point.closest;
                list(Found { id, closest });
            }
        }
        Ok(())
    }

    /// The pairs of pieces whose boxes are within the margin, and those of listed contacts, in increasing order.
    fn piece_pairs(&self, a: u32, b: u32, query: &ContactQuery<'_>, out: &mut Vec<[u32; 2]>) {
        out.clear();
        let shapes = [self.shape(a), self.shape(b)];
        let counts = shapes.map(Shape::len);
        if counts == [1, 1] {
            out.push([0; 2]);
            return;
        }
        let listed = query.include.iter().filter(|id| (id.a, id.b) == (a, b));
        let known = |id: &&ContactId| (0..2).all(|s| (id.pieces[s] as usize) < counts[s]);
        out.extend(listed.filter(known).map(|id| id.pieces));
        if query.margin > f64::NEG_INFINITY {
            // Each piece of one is looked up in the tree of the other, which has more.
            let [few, many] = if counts[0] <= counts[1] {
                [0, 1]
            } else {
                [1, 0]
            };
            let bodies = [a, b];
            let pose = self.pose(bodies[many]);
            for piece in 0..index(counts[few]) {
                let mut push = |other: u32| {
                    let mut pair = [piece; 2];
                    pair[many] = other;
                    out.push(pair);
                };
                let Shape::Union(union) = shapes[many] else {
                    unreachable!("more than one piece is a union");
                };
                let mut placed = self.placed(bodies[few], piece);
                placed.pose = seen_from(pose, &placed.pose);
                match placed.bounds() {
                    Bounds::HalfSpace { .. } => (0..index(counts[many])).for_each(push),
                    Bounds::Box(tight) => {
                        let slack = detect::SLACK * union.bounding_radius();
                        let reach = query.margin.max(0.0) + slack;
                        union.pieces_near(&tight.inflated(reach), &mut push);
                    }
                }
            }
        }
        out.sort_unstable();
        out.dedup();
    }

    /// Which fixed bodies each body is near, and how deep in them.
    fn measure(&self, pairs: &[(u32, u32)], buffers: &mut Buffers<D>) {
        let fixed = |body: u32| self.world.is_fixed(body as usize);
        buffers.beside.clear();
        for &(a, b) in pairs {
            if fixed(a) {
                buffers.beside.push((b, a));
            } else if fixed(b) {
                buffers.beside.push((a, b));
            }
        }
        buffers.beside.sort_unstable();
        buffers.depths.clear();
        buffers.depths.resize(self.poses.len(), 0.0);
        for Found { id, closest } in &buffers.found {
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
    fn judge(&self, buffers: &mut Buffers<D>, out: &mut Contacts) {
        buffers.taken.clear();
        buffers.latest.clear();
        buffers.latest.resize(self.poses.len(), NONE);
        let (mut from, mut bodies) = (0, None);
        while from < buffers.found.len() {
            let id = buffers.found[from].id;
            let same =
                |one: &Found<D>| (one.id.a, one.id.b, one.id.pieces) == (id.a, id.b, id.pieces);
            let count = buffers.found[from..]
                .iter()
                .take_while(|one| same(one))
                .count();
            let pair = self.frame(id.a, id.b);
            if bodies != Some((id.a, id.b)) {
                bodies = Some((id.a, id.b));
                let all = buffers.found[from..].iter();
                let own = all.take_while(|one| (one.id.a, one.id.b) == (id.a, id.b));
                buffers.depth = own.map(|one| -one.closest.gap).fold(0.0, f64::max);
            }
            let (mut any, mut deepest) = (false, 0.0_f64);
            for k in from..from + count {
                let Found { id, closest } = buffers.found[k];
                deepest = deepest.min(closest.gap);
                if let Some(closest) = self.counts(id, closest, buffers) {
                    frame::push(self.world.space(), id, &pair, &closest, out);
                    any = true;
                }
            }
            if !any
                && deepest < 0.0
                && let Some(Found { id, closest }) = self.way_out(id, buffers)
            {
                frame::push(self.world.space(), id, &pair, &closest, out);
            }
            from += count;
        }
    }

    /// The contact as it counts, `None` if it does not.
    fn counts(
        &self,
        id: ContactId,
        mut closest: ClosestPoints<D>,
        buffers: &mut Buffers<D>,
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
            let Buffers { others, seams, .. } = &mut *buffers;
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
        buffers: &mut Buffers<D>,
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
        let Buffers { taken, latest, .. } = buffers;
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
    fn way_out(&self, id: ContactId, buffers: &mut Buffers<D>) -> Option<Found<D>> {
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
            let Buffers { others, seams, .. } = &mut *buffers;
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
        buffers: &mut Buffers<D>,
    ) -> bool {
        let [own, other] = if side == 0 {
            [id.a, id.b]
        } else {
            [id.b, id.a]
        };
        let Buffers { others, beside, .. } = buffers;
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
            let first = beside.partition_point(|&(body, _)| body < other);
            let near = beside[first..]
                .iter()
                .take_while(|(body, _)| *body == other);
            let fixed = near.map(|&(_, fixed)| fixed).filter(|&fixed| fixed != own);
            fixed.for_each(pieces_of);
        }
        let itself = (own, id.pieces[side]);
        others.retain(|&one| one != itself);
        // The order in which a tree is walked is its own.
        others.sort_unstable();
        !others.is_empty()
    }

    /// The piece on one side of a contact, and how near a face must be to be there.
    fn surroundings(
        &self,
        id: ContactId,
        side: usize,
        buffers: &Buffers<D>,
    ) -> Surroundings<'a, D> {
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

/// A pose in the axes of a body.
fn seen_from<const D: usize>(body: &Pose<D>, pose: &Pose<D>) -> Pose<D> {
    Pose {
        rotation: body.rotation.tr_mul(&pose.rotation),
        position: body.inverse_apply(&pose.position),
    }
}

/// The listed contacts of one pair of pieces.
fn included(list: &[ContactId], (a, b, pieces): (u32, u32, [u32; 2])) -> &[ContactId] {
    let key = |id: &ContactId| (id.a, id.b, id.pieces);
    let start = list.partition_point(|id| key(id) < (a, b, pieces));
    let count = list[start..].partition_point(|id| key(id) == (a, b, pieces));
    &list[start..start + count]
}

fn index(number: usize) -> u32 {
    u32::try_from(number).expect("bodies and pieces are fewer than u32 counts")
}
