//! Pieces in overlap of which no contact counts: by which face of their bodies they go out.
//!
//! # Method
//! First by the nearest exposed face of the pieces themselves that both bodies let count, then along the contacts that the pieces
//! had at the start of the step, and last through further pieces, as where a body is in the second of two layers.

use signorini_geometry::{ClosestPoints, ManifoldPoint, Shape, manifold_along, ways_through};

use super::{ContactId, FLUSH, Found, Judge, OtherEnd, Scene, way};

/// Where a piece is deeper in another than this part of the smaller one and nothing of it counts, it is asked how it got in.
const DEEP: f64 = 0.25;

/// Two pieces in overlap of which no contact counts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hidden {
    pub(super) of: ContactId,
    /// Gap of the pieces, and how deep their bodies are in each other, m.
    pub(super) gap: f64,
    pub(super) depth: f64,
}

impl<const D: usize> Scene<'_, D> {
    /// Takes contacts for what is hidden; the gap of the deepest for which there are none, m, or 0.
    pub(super) fn let_out(&self, buffers: &mut Judge<D>) -> f64 {
        // What another piece has as it is comes first, then what is over a piece, and last what is beside it.
        for is_over in [true, false] {
            let hidden = std::mem::take(&mut buffers.hidden);
            for &one in &hidden {
                buffers.depth = one.depth;
                if !self.way_out(one.of, is_over, buffers) {
                    buffers.hidden.push(one);
                }
            }
        }
        let mut deepest = 0.0_f64;
        for one in std::mem::take(&mut buffers.hidden) {
            let Hidden { of, gap, depth } = one;
            buffers.depth = depth;
            let mut is_out = false;
            if gap < -DEEP * self.size(of) {
                for point in way::from_start(self, of) {
                    is_out |= self.take(Found::of(of, &point), buffers);
                }
                is_out = is_out || self.way_through(of, buffers);
            }
            if !is_out {
                deepest = deepest.min(gap);
            }
        }
        deepest
    }

    /// Takes the contacts of two pieces in overlap through the exposed face that is nearest among those that both bodies let
    /// count; whether there is one. `is_over`: only what is over a face goes out there, not what is beside it by as much as
    /// counts as being there.
    pub(super) fn way_out(&self, of: ContactId, is_over: bool, buffers: &mut Judge<D>) -> bool {
        let placed = self.pieces(of);
        let mut exits = std::mem::take(&mut buffers.exits);
        exits.clear();
        for side in 0..2 {
            let other = &placed[1 - side];
            let radius = other.set.bounding_radius();
            if radius.is_infinite() {
                continue;
            }
            self.collect(of, side, (&other.pose.position, radius), buffers);
            let here = self.surroundings(of, side, buffers);
            let beside = if is_over {
                FLUSH * self.size(of)
            } else {
                here.reach
            };
            let Judge { others, seams, .. } = &mut *buffers;
            let others = || others.iter().map(|&(body, piece)| self.placed(body, piece));
            seams.ways_out(&here, others, (other, beside), &mut |feature, out| {
                let closest = if side == 0 { out } else { out.swapped() };
                exits.push(Found::of(of, &ManifoldPoint { feature, closest }));
            });
        }
        exits.sort_by(|x, y| y.closest.gap.total_cmp(&x.closest.gap));
        let mut counted = exits.iter().filter_map(|&exit| self.exposed(exit, buffers));
        let nearest = counted.next();
        buffers.exits = exits;
        let Some((Found { id, closest, .. }, _)) = nearest else {
            return false;
        };
        self.take_along(id, &closest, buffers);
        true
    }

    /// Takes the contacts of two pieces along the normal of one; whether one of them counts.
    fn take_along(
        &self,
        id: ContactId,
        closest: &ClosestPoints<D>,
        buffers: &mut Judge<D>,
    ) -> bool {
        let [p, q] = self.pieces(id);
        let mut manifold = std::mem::take(&mut buffers.manifold);
        manifold_along(&p, &q, (id.feature, closest), &mut manifold);
        let mut any = false;
        for point in manifold.points() {
            let found = Found::of(id, point);
            any |= buffers.has(found.id) || self.take(found, buffers);
        }
        buffers.manifold = manifold;
        any
    }

    /// Takes the contacts of two bodies of which a piece lies in another where nothing of it is exposed, and none of which
    /// counts otherwise, as where a body has fallen into the second of two layers in a step: those through the further pieces
    /// of its body, the shortest of the ways whose end the other body was outside of at the start of the step. Whether there are
    /// any; none where the start is not known.
    fn way_through(&self, of: ContactId, buffers: &mut Judge<D>) -> bool {
        let is_met = |one: &Found<D>| (one.id.a, one.id.b) == (of.a, of.b);
        let Some((OtherEnd::Start(_), poses)) = self.other else {
            return false;
        };
        if buffers.counted.iter().any(is_met) {
            return false;
        }
        let (bodies, placed) = ([of.a, of.b], self.pieces(of));
        let mut exits = std::mem::take(&mut buffers.exits);
        exits.clear();
        for side in 0..2 {
            let Shape::Union(union) = self.shape(bodies[side]) else {
                continue;
            };
            if union.pieces()[of.pieces[side] as usize].top().is_some() {
                continue;
            }
            let (own, other) = (&placed[side], &placed[1 - side]);
            let all = (0..).zip(union.pieces());
            let pieces = all.map(|(k, _)| self.placed(bodies[side], k));
            let beside = (other, FLUSH * self.size(of));
            ways_through(own, || pieces.clone(), beside, &mut |piece, out| {
                let closest = if side == 0 { out } else { out.swapped() };
                let mut id = of;
                id.pieces[side] = u32::try_from(piece).expect("pieces are counted by u32");
                let [p, q] = [0, 1].map(|s| self.placed_there(poses, id, s));
                if way::separation([&p, &q], &closest.normal) >= -way::SUNK * self.size(id) {
                    let feature = 0;
                    exits.push(Found::of(id, &ManifoldPoint { feature, closest }));
                }
            });
        }
        exits.sort_by(|x, y| y.closest.gap.total_cmp(&x.closest.gap));
        let mut all = exits.iter();
        let is_out = all.any(|exit| self.take_along(exit.id, &exit.closest, buffers));
        buffers.exits = exits;
        is_out
    }
}
