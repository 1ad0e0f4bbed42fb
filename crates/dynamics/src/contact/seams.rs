//! Judging contacts by the pieces around them.
//!
//! Every contact is asked whether its normal is one of the whole body's surface (`signorini_geometry::Seams`): by the pieces of
//! its own body, and of fixed bodies by all fixed ones.

mod hidden;
mod touching;

use nalgebra::SVector;
use signorini_geometry::{
    Aabb, Bounds, ClosestPoints, ConvexSet, Exposure, Manifold, Placed, Seams, Shape, Surroundings,
    manifold_within,
};

use self::hidden::Hidden;
pub(crate) use self::touching::{Touch, Touching};
use super::narrow::{Found, Scene};
use super::{ContactId, ContactQuery, Contacts, OtherEnd, flush, frame, way};

/// Pieces within this part of the size of the smaller body are flush, and contacts that near are one: far above rounding of
/// places, far below what the eye sees. Larger, a step between two bodies is felt later only.
pub(super) const FLUSH: f64 = 1e-9;

/// Where a body is this many times its depth from a face or less, the face is there for it: in overlap every face of a
/// corner is.
const DEPTHS: f64 = 2.0;

/// What is there reaches no further than this part of a piece.
const WIDEST: f64 = 0.05;

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
    /// What is further apart (m) is asked for because it is near at another time.
    margin: f64,
    others: Vec<(u32, u32)>,
    seams: Seams<D>,
    taken: Vec<Taken<D>>,
    /// The last taken of each body.
    latest: Vec<usize>,
    counted: Vec<Found<D>>,
    /// Number of those counted that stand by increasing names.
    sorted: usize,
    hidden: Vec<Hidden>,
    exits: Vec<Found<D>>,
    manifold: Manifold<D>,
    flush: flush::Buffers,
}

impl<const D: usize> Default for Judge<D> {
    fn default() -> Self {
        Self {
            fixed: Vec::new(),
            depths: Vec::new(),
            depth: 0.0,
            margin: 0.0,
            others: Vec::new(),
            seams: Seams::new(),
            taken: Vec::new(),
            latest: Vec::new(),
            counted: Vec::new(),
            sorted: 0,
            hidden: Vec::new(),
            exits: Vec::new(),
            manifold: Manifold::new(),
            flush: flush::Buffers::default(),
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

impl<const D: usize> Judge<D> {
    /// Whether a contact with this name was taken: those that pieces have as they are stand first, by increasing names.
    fn has(&self, id: ContactId) -> bool {
        let (sorted, rest) = self.counted.split_at(self.sorted);
        sorted.binary_search_by_key(&id, |one| one.id).is_ok()
            || rest.iter().any(|one| one.id == id)
    }
}

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
        for Found { id, closest, .. } in found {
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
        buffers.counted.clear();
        buffers.hidden.clear();
        buffers.margin = query.margin.max(0.0);
        let bodies = |one: &Found<D>| (one.id.a, one.id.b);
        for of_bodies in all.chunk_by(|x, y| bodies(x) == bodies(y)) {
            let depths = of_bodies.iter().map(|one| -one.closest.gap);
            buffers.depth = depths.fold(0.0, f64::max);
            for of_pieces in of_bodies.chunk_by(|x, y| x.id.pieces == y.id.pieces) {
                self.judge_pair(of_pieces, buffers);
            }
        }
        buffers.sorted = buffers.counted.len();
        out.uncounted = out.uncounted.min(self.let_out(buffers));
        buffers.counted.sort_by_key(|one| one.id);
        buffers.sorted = buffers.counted.len();
        self.meet_at_the_end(query, buffers);
        let Judge { counted, flush, .. } = buffers;
        counted.retain(|one| {
            one.is_met
                || one.closest.gap <= query.margin
                || query.include.binary_search(&one.id).is_ok()
        });
        // Who asks for nothing but what is listed has chosen already.
        if query.margin > f64::NEG_INFINITY {
            self.keep_corners(counted, flush);
        }
        let mut frame = None;
        for Found { id, closest, .. } in &*counted {
            let bodies = (id.a, id.b);
            let (_, pair) = match frame.take() {
                Some((known, pair)) if known == bodies => frame.insert((known, pair)),
                _ => frame.insert((bodies, self.frame(id.a, id.b))),
            };
            frame::push(self.world.space(), *id, pair, closest, out);
        }
    }

    /// Takes what counts of the contacts of two pieces, and notes them as hidden if they are in overlap and none does.
    fn judge_pair(&self, of_pieces: &[Found<D>], buffers: &mut Judge<D>) {
        let (mut any, mut deepest) = (false, 0.0_f64);
        for &found in of_pieces {
            deepest = deepest.min(found.closest.gap);
            any |= self.take(found, buffers);
        }
        if deepest < 0.0 && !any {
            let (of, depth) = (of_pieces[0].id, buffers.depth);
            buffers.hidden.push(Hidden {
                of,
                gap: deepest,
                depth,
            });
        }
    }

    /// The contact as it counts, and the side that has seams there; `None` if it does not count.
    fn exposed(
        &self,
        found: Found<D>,
        buffers: &mut Judge<D>,
    ) -> Option<(Found<D>, Option<usize>)> {
        let Found {
            id, mut closest, ..
        } = found;
        let mut seam = None;
        for side in 0..2 {
            let (point, outward) = if side == 0 {
                (closest.a, closest.normal)
            } else {
                (closest.b, -closest.normal)
            };
            if !self.may_have_seams([id.a, id.b][side]) {
                continue;
            }
            let mut here = self.surroundings(id, side, buffers);
            if closest.gap > buffers.margin {
                here.facing = 0.0;
            }
            let point = here.on_the_edge(&point, &outward);
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
        Some((Found { closest, ..found }, seam))
    }

    /// Takes a contact if it counts, unless another piece has it already; whether it counts.
    fn take(&self, found: Found<D>, buffers: &mut Judge<D>) -> bool {
        let Some((counted, seam)) = self.exposed(found, buffers) else {
            return false;
        };
        let Found { id, closest, .. } = &counted;
        if !seam.is_some_and(|side| self.is_taken(*id, side, closest, buffers)) {
            buffers.counted.push(counted);
        }
        true
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

    /// Takes, of listed contacts that the start of a step does not have, those of the other end: bodies that get across a seam
    /// come over a face that they were beside. Where the start has them along a face that is none at the end, as the side of a
    /// piece beside which another lies, they are what they are there.
    fn meet_at_the_end(&self, query: &ContactQuery<'_>, buffers: &mut Judge<D>) {
        let Some((OtherEnd::End(_), poses)) = self.other else {
            return;
        };
        let there = Scene {
            world: self.world,
            poses,
            other: None,
        };
        let pair = |id: &ContactId| (id.a, id.b, id.pieces);
        // What is taken from the end stands alone until it is compared with what is known.
        let mut all = std::mem::take(&mut buffers.counted);
        buffers.sorted = 0;
        let judged = all.len();
        for listed in query.include.chunk_by(|x, y| pair(x) == pair(y)) {
            let of = ContactId {
                feature: 0,
                ..listed[0]
            };
            let start = all[..judged].partition_point(|one| pair(&one.id) < pair(&of));
            let here = &all[start..judged];
            let here = start..start + here.partition_point(|one| pair(&one.id) == pair(&of));
            let here = &mut all[here];
            let has = |id: &ContactId| here.iter().any(|one| one.id == *id);
            let is_met = listed.iter().all(has) && !self.is_astray(&there, query.margin, of, here);
            if is_met || !self.has(of) {
                continue;
            }
            // What the pair has at neither end counts if it stops the bodies, what it has at one also if it comes to that later.
            let reach = if here.is_empty() {
                way::TOUCHING * self.size(of)
            } else {
                f64::INFINITY
            };
            self.carry_from(&there, (listed, reach), here, buffers);
            all.append(&mut buffers.counted);
        }
        if all.len() > judged {
            all.sort_by_key(|one| one.id);
        }
        buffers.sorted = all.len();
        buffers.counted = all;
    }

    /// Whether a contact that is listed but not near stops the bodies before the end of the step.
    fn is_astray(&self, there: &Self, margin: f64, of: ContactId, here: &[Found<D>]) -> bool {
        let touching = way::TOUCHING * self.size(of);
        let [p, q] = there.pieces(of);
        here.iter().any(|one| {
            let ClosestPoints { gap, normal, .. } = &one.closest;
            *gap > margin.max(touching) && way::separation([&p, &q], normal) < -touching
        })
    }

    /// The pieces of a contact.
    fn pieces(&self, of: ContactId) -> [Placed<'a, D>; 2] {
        [(of.a, of.pieces[0]), (of.b, of.pieces[1])].map(|(k, piece)| self.placed(k, piece))
    }

    /// Takes the contacts of two pieces that count elsewhere, with the bodies where they are here. If the pair has some here,
    /// only those along the normals of these are taken; out by a face goes what was outside of it. One that is known here
    /// along another normal, and not near, is changed to what it is there.
    fn carry_from(
        &self,
        there: &Self,
        (listed, reach): (&[ContactId], f64),
        here: &mut [Found<D>],
        buffers: &mut Judge<D>,
    ) {
        let of = listed[0];
        let ([a, b], [p, q]) = (self.pieces(of), there.pieces(of));
        let sunk = way::SUNK * self.size(of);
        let mut manifold = std::mem::take(&mut buffers.manifold);
        if manifold_within(&p, &q, reach, None, &mut manifold).is_ok() {
            there.judge_alone(of, &manifold, buffers);
        }
        buffers.manifold = manifold;
        // Who lists has left out what is inside of a face; only where all listed have other names there is what the pair has.
        let is_listed = |found: &Found<D>| listed.binary_search(&found.id).is_ok();
        let any_listed = buffers.counted.iter().any(is_listed);
        let moving = if self.world.is_fixed(of.a as usize) {
            &q
        } else {
            &p
        };
        let has_arms_of_end = !way::is_flat(moving);
        let normals: Vec<_> = here.iter().map(|one| one.closest.normal).collect();
        buffers.counted.retain_mut(|found| {
            let closest = way::carried([&p, &q], [&a, &b], &found.closest);
            let is_along = |n: &SVector<f64, D>| n.dot(&closest.normal) > way::ALIKE;
            let is_outside = closest.gap >= -sunk;
            if let Some(known) = here.iter_mut().find(|one| one.id == found.id) {
                let is_turned = !is_along(&known.closest.normal);
                if is_turned && known.closest.gap > 0.0 && is_outside {
                    (known.closest, known.is_met) = (closest, true);
                    known.has_arms_of_end = has_arms_of_end;
                }
                return false;
            }
            if any_listed && !is_listed(found) {
                return false;
            }
            (found.closest, found.is_met) = (closest, true);
            found.has_arms_of_end = has_arms_of_end;
            is_outside && (normals.is_empty() || normals.iter().any(is_along))
        });
    }

    /// Takes what counts of the contacts of two pieces, looked at without the others of their bodies.
    fn judge_alone(&self, of: ContactId, manifold: &Manifold<D>, buffers: &mut Judge<D>) {
        let Some(deepest) = manifold.deepest() else {
            return;
        };
        buffers.depth = (-deepest.closest.gap).max(0.0);
        let mut all = std::mem::take(&mut buffers.exits);
        all.clear();
        all.extend(manifold.points().iter().map(|point| Found::of(of, point)));
        buffers.hidden.clear();
        self.judge_pair(&all, buffers);
        buffers.exits = all;
        if !buffers.hidden.is_empty() && !self.way_out(of, true, buffers) {
            self.way_out(of, false, buffers);
        }
    }

    /// Whether there are such pieces, of bodies that may touch.
    fn has(&self, of: ContactId) -> bool {
        let bodies = [of.a, of.b];
        self.world.may_touch_at(of.a, of.b)
            && (0..2).all(|s| (of.pieces[s] as usize) < self.shape(bodies[s]).len())
    }

    /// Whether other pieces can be beside those of a body.
    fn may_have_seams(&self, body: u32) -> bool {
        match self.shape(body) {
            Shape::Union(_) => true,
            // All of its boundary is one face, and no edge of it can be felt.
            Shape::Convex(ConvexSet::HalfSpace(_)) => false,
            Shape::Convex(_) => self.world.is_fixed(body as usize),
        }
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
        if !self.may_have_seams(own) {
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
            facing: Surroundings::<D>::FACING,
        }
    }

    /// Size of the smaller piece of a contact, m.
    pub(super) fn size(&self, id: ContactId) -> f64 {
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
