//! What a moment ago says of two boxes: which corner or edge is next to which, which axis separates most, which faces are flush
//! and what bounds their overlap.
//!
//! # Method
//! Corners and edges are tried again, and flush faces are, and are the answer where no others can be. Corners of B move in the axes of A by at most
//! δ = |Δt| + |Δturn| R between two queries, R the reach of both boxes: as long as none is near a border, the overlap
//! of two faces is bounded by the same corners, and as long as its lead over the other fourteen is large enough, the same
//! axis separates most. The answer, worked out from the poses of now, has the same bits as without memory.

#![expect(
    clippy::needless_bitwise_bool,
    reason = "branches that are not foreseen cost more than they save"
)]

use nalgebra::{Matrix3, Vector3};

use super::Boxes;
use super::apart::Features;
use super::axes::{Axis, Kind};
use super::clip::Clipped;
use super::flush::{Faces, Flush};
use crate::shapes::Cuboid;

/// Move, relative to the smaller box, up to which a memory of places may hold.
const MOVE: f64 = 0.01;

/// Move, relative to the smaller box, within which what did not hold is not learnt again: it is short of a tie, and would be
/// learnt in every query.
const PATIENCE: f64 = 1e-4;

/// How much longer than both together the move to a place and from it may be than that without it: reaches grow by a move of at
/// most `MOVE`.
const DETOUR: f64 = 1.1;

/// What is known of a pair.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(in crate::closest) struct Known<const D: usize> {
    /// Edges whose cross product separated the boxes; whether it still does must be looked at.
    pub(super) far: Option<[usize; 2]>,
    /// Faces of A and of B that were flush; whether they still are must be looked at.
    pub(super) faces: Option<[usize; 2]>,
    /// What was next to what; whether it still is must be looked at.
    pub(super) features: Option<Features>,
    /// Where the boxes were when something was learnt of them, or might have been.
    place: Option<Place<D>>,
}

/// Two boxes, the axis that separates them most, and what bounds the overlap of two of their faces.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Place<const D: usize> {
    cuboids: [Cuboid<D>; 2],
    turn: Matrix3<f64>,
    between: Vector3<f64>,
    /// R, m.
    reach: f64,
    axis: Option<Lasting<Kind>>,
    /// With the base on A and on B, between which rounding may choose.
    plans: [Option<Lasting<Plan>>; 2],
}

/// Something and the largest δ for which it holds, m; negative if for none.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Lasting<T> {
    what: T,
    allowed: f64,
}

/// What bounds the overlap of two faces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Plan {
    pub(super) faces: Faces,
    pub(super) clipped: Clipped,
}

impl<const D: usize> Place<D> {
    fn new(boxes: &Boxes<'_, D>) -> Self {
        Self {
            cuboids: boxes.cuboids.map(|cuboid| *cuboid),
            turn: boxes.turn,
            between: boxes.between,
            reach: boxes.reach(),
            axis: None,
            plans: [None; 2],
        }
    }

    /// How far the boxes are from where they were, in δ; infinite for other boxes.
    #[inline(always)]
    fn moved(&self, boxes: &Boxes<'_, D>) -> f64 {
        // Bits, and no short cut: the compiler compares several at once.
        let (mut other, mut named) = (0, 0);
        for (p, q) in self.cuboids.iter().zip(boxes.cuboids) {
            for i in 0..D {
                other |= p.half[i].to_bits() ^ q.half[i].to_bits();
                other |= p.centre[i].to_bits() ^ q.centre[i].to_bits();
            }
            for i in 0..8 {
                named |= p.vertices[i] ^ q.vertices[i];
            }
        }
        if other != 0 || named != 0 {
            return f64::INFINITY;
        }
        // Sums of three, so that the compiler works out two at once.
        let by = boxes.turn - self.turn;
        let squares = by.column(0).component_mul(&by.column(0))
            + by.column(1).component_mul(&by.column(1))
            + by.column(2).component_mul(&by.column(2));
        let turned = (squares[0] + squares[1] + squares[2]).sqrt();
        let moved = (boxes.between - self.between).norm();
        // The reach may have grown by the move.
        moved + turned * (self.reach + moved)
    }
}

impl<const D: usize> Known<D> {
    /// How far the boxes moved since something was learnt of them, in δ; infinite if nothing was.
    #[inline(always)]
    pub(super) fn moved(&self, boxes: &Boxes<'_, D>) -> f64 {
        match &self.place {
            Some(place) => place.moved(boxes),
            None => f64::INFINITY,
        }
    }

    /// What separates most, of boxes that moved by this: as all fifteen axes would say, bit for bit.
    #[inline(always)]
    pub(super) fn axis(&self, boxes: &Boxes<'_, D>, moved: f64) -> Option<Axis> {
        if let Some(place) = &self.place
            && let Some(axis) = &place.axis
            && moved <= axis.allowed
        {
            return match axis.what {
                Kind::Face(owner, k) => Some(boxes.face_axis(owner, k, boxes.on_face(owner, k))),
                Kind::Edges(i, j) => boxes.edge_axis([i, j], &boxes.pair(i, j)),
            };
        }
        boxes.across_faces(self.faces?)
    }

    /// What bounds the overlap of these faces, if it still does for boxes that moved by this.
    #[inline(always)]
    pub(super) fn plan(&self, faces: &Faces, moved: f64) -> Option<&Clipped> {
        let plan = self.place.as_ref()?.plans[faces.owner].as_ref()?;
        let holds = (moved <= plan.allowed) & (plan.what.faces == *faces);
        holds.then_some(&plan.what.clipped)
    }

    /// Keeps the axis of boxes that moved by this, or what bounds the overlap of flush faces across it, unless it is still known.
    #[inline(always)]
    pub(super) fn keep(
        known: &mut Option<Box<Self>>,
        moved: f64,
        (boxes, axis): (&Boxes<'_, D>, Kind),
        flush: Option<(&Flush<'_, D>, &Clipped)>,
    ) {
        let faces = flush.map(|(flush, _)| flush.faces.pair());
        let before = known.as_deref();
        if faces.is_some() && before.is_none_or(|known| known.faces != faces) {
            known.get_or_insert_default().faces = faces;
        }
        let place = known.as_deref().and_then(|known| known.place.as_ref());
        let patience = PATIENCE * boxes.size_of_smaller;
        let holds = place.is_some_and(|place| {
            let allowed = match flush {
                Some((flush, _)) => place.plans[flush.faces.owner].as_ref().map(|x| x.allowed),
                None => place.axis.as_ref().map(|x| x.allowed),
            };
            allowed.is_some_and(|allowed| moved <= allowed.max(patience))
        });
        if !holds {
            let known = known.get_or_insert_default();
            known.learn(moved, (boxes, axis), flush);
        }
    }

    /// Learns what [`Known::keep`] keeps. A pair that moves far has nothing of it.
    #[inline(never)]
    fn learn(
        &mut self,
        moved: f64,
        (boxes, axis): (&Boxes<'_, D>, Kind),
        flush: Option<(&Flush<'_, D>, &Clipped)>,
    ) {
        let far = MOVE * boxes.size_of_smaller;
        let is_new = self.place.as_ref().is_some_and(|place| match flush {
            Some((flush, _)) => place.plans[flush.faces.owner].is_none(),
            None => place.axis.is_none(),
        });
        let (since, detour) = if is_new { (moved, DETOUR) } else { (0.0, 1.0) };
        if moved > far || !is_new {
            self.place = Some(Place::new(boxes));
        }
        let Some(place) = &mut self.place else { return };
        if moved > far {
            return;
        }
        let allowed = |from_here: f64| far.min(from_here / detour) - since;
        if let Some((flush, clipped)) = flush {
            // Across edges the direction along which faces are seen turns.
            let lever = match axis {
                Kind::Face(..) => 2.0,
                Kind::Edges(i, j) => 6.0 / boxes.pair(i, j).sine(),
            };
            let (faces, clipped) = (flush.faces, *clipped);
            place.plans[faces.owner] = Some(Lasting {
                what: Plan { faces, clipped },
                allowed: allowed(flush.allowed() / lever),
            });
        } else {
            place.axis = Some(Lasting {
                what: axis,
                allowed: allowed(boxes.lead(axis)),
            });
        }
    }
}
