//! What a moment ago says of two boxes: which corner or edge is next to which, and what bounds the overlap of their faces.
//!
//! # Method
//! Corners and edges are tried again, and are the answer where no others can be. Corners of B move in the axes of A by at most
//! δ = |Δt| + |Δturn| R between two queries, R the reach of both boxes: as long as none is near a border, the overlap
//! of two faces is bounded by the same corners. The answer, worked out from the poses of now, has the same bits as without memory.

#![expect(
    clippy::float_cmp,
    clippy::needless_bitwise_bool,
    reason = "the same boxes are meant, and branches cost more than they save"
)]

use nalgebra::{Matrix3, Vector3};

use super::Boxes;
use super::apart::Features;
use super::axes::Kind;
use super::clip::Clipped;
use super::flush::{Faces, Flush};
use crate::shapes::Cuboid;

/// Move, relative to the smaller box, up to which a memory of faces may hold.
const MOVE: f64 = 0.01;

/// What is known of a pair.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(in crate::closest) struct Known<const D: usize> {
    /// Edges whose cross product separated the boxes; whether it still does must be looked at.
    pub(super) far: Option<[usize; 2]>,
    /// What was next to what; whether it still is must be looked at.
    pub(super) features: Option<Features>,
    /// Where the boxes were when their faces were clipped, or might have been.
    place: Option<Place<D>>,
}

/// Two boxes and what bounds the overlap of two of their faces.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Place<const D: usize> {
    cuboids: [Cuboid<D>; 2],
    turn: Matrix3<f64>,
    between: Vector3<f64>,
    /// R, m.
    reach: f64,
    /// Largest δ for which the plan holds, m; negative without one.
    allowed: f64,
    plan: Plan,
}

/// What bounds the overlap of two faces.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Plan {
    pub(super) faces: Faces,
    pub(super) clipped: Clipped,
}

impl<const D: usize> Place<D> {
    /// How far the boxes are from where they were, in δ; infinite for other boxes.
    #[inline(always)]
    fn moved(&self, boxes: &Boxes<'_, D>) -> f64 {
        let mut same = true;
        // No short cut: the compiler tests several at once.
        for k in 0..2 {
            let (p, q) = (&self.cuboids[k], boxes.cuboids[k]);
            for i in 0..D {
                same = same & (p.half[i] == q.half[i]) & (p.centre[i] == q.centre[i]);
            }
            for i in 0..8 {
                same &= p.vertices[i] == q.vertices[i];
            }
        }
        if !same {
            return f64::INFINITY;
        }
        let (mut turned, mut moved) = (0.0, 0.0);
        for i in 0..3 {
            let by = boxes.between[i] - self.between[i];
            moved += by * by;
            for j in 0..3 {
                let by = boxes.turn[(i, j)] - self.turn[(i, j)];
                turned += by * by;
            }
        }
        let (turned, moved) = (turned.sqrt(), moved.sqrt());
        // The reach may have grown by the move.
        moved + turned * (self.reach + moved)
    }
}

impl<const D: usize> Known<D> {
    /// What bounds the overlap of faces, if it still does; and how far the boxes moved, in δ, if that is known.
    #[inline(always)]
    pub(super) fn plan(&self, boxes: &Boxes<'_, D>) -> (Option<&Plan>, f64) {
        let Some(place) = &self.place else {
            return (None, f64::INFINITY);
        };
        let moved = place.moved(boxes);
        ((moved <= place.allowed).then_some(&place.plan), moved)
    }

    /// Keeps what bounds the overlap, of boxes that moved by this. A pair that moves far has nothing of it.
    #[inline(never)]
    pub(super) fn learn(
        &mut self,
        moved: f64,
        kind: Kind,
        (flush, clipped): (&Flush<'_, D>, &Clipped),
    ) {
        let boxes = flush.boxes;
        let far = MOVE * boxes.size_of_smaller;
        let (mut allowed, mut plan) = (-1.0, Plan::default());
        if moved <= far {
            // Across edges the direction along which faces are seen turns.
            let lever = match kind {
                Kind::Face(..) => 2.0,
                Kind::Edges(i, j) => 6.0 / boxes.pair(i, j).sine(),
            };
            allowed = far.min(flush.allowed() / lever);
            plan = Plan {
                faces: flush.faces,
                clipped: *clipped,
            };
        }
        self.place = Some(Place {
            cuboids: boxes.cuboids.map(|cuboid| *cuboid),
            turn: boxes.turn,
            between: boxes.between,
            reach: boxes.half[0].norm() + boxes.half[1].norm() + boxes.distance,
            allowed,
            plan,
        });
    }
}
