//! What a moment ago says of two boxes: which axes can separate most, and what bounds the overlap of their faces.
//!
//! # Method
//! Corners of B move in the axes of A by at most δ = |Δt| + |Δturn| R between two queries, R the reach of both boxes. A separation
//! along a face changes by at most 2 δ, one across edges by 6 δ over the sine of their angle. So axes that are behind by more
//! than that need not be looked at, and the overlap is bounded by the same corners as long as none is near a border: there the
//! answer, worked out from the poses of now, has the same bits as without memory.

use nalgebra::{Matrix3, Vector3};

use super::axes::{Axis, Kind};
use super::clip::Clipped;
use super::flush::{Faces, Flush};
use super::{Boxes, TOLERANCE};
use crate::shapes::Cuboid;

/// Move, relative to the smaller box, that a memory should outlast: axes that could separate most within it are looked at again.
const MOVE: f64 = 0.01;

/// Sine of the angle between edges below which their cross product turns too quickly.
const STEADY: f64 = 0.1;

/// What is known of a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::closest) struct Known<const D: usize> {
    cuboids: [Cuboid<D>; 2],
    turn: Matrix3<f64>,
    between: Vector3<f64>,
    /// R, m.
    reach: f64,
    /// Largest δ for which it holds, m; negative for none.
    allowed: f64,
    /// Pairs of edges that may separate most.
    pub(super) look_at: u16,
    /// Edges whose cross product separated the boxes.
    far: Option<[usize; 2]>,
    pub(super) plan: Option<Plan>,
}

/// What bounds the overlap of two faces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Plan {
    pub(super) faces: Faces,
    pub(super) clipped: Clipped,
}

impl<const D: usize> Known<D> {
    /// That they were here.
    pub(super) fn of(boxes: &Boxes<'_, D>) -> Self {
        Self {
            cuboids: boxes.cuboids.map(|cuboid| *cuboid),
            turn: boxes.turn,
            between: boxes.between,
            reach: boxes.half[0].norm() + boxes.half[1].norm() + boxes.distance,
            allowed: -1.0,
            look_at: 0,
            far: None,
            plan: None,
        }
    }

    /// That the cross product of these edges separates.
    pub(super) fn far(boxes: &Boxes<'_, D>, edges: [usize; 2]) -> Self {
        Self {
            far: Some(edges),
            ..Self::of(boxes)
        }
    }

    /// From an answer that was found without memory.
    #[inline(never)]
    pub(super) fn learn(
        boxes: &Boxes<'_, D>,
        axis: &Axis,
        flush: Option<(&Flush<'_, D>, &Clipped)>,
    ) -> Self {
        let (far, usual) = (MOVE * boxes.size_of_smaller, 2.0);
        let across = |sine: f64| 6.0 / sine;
        let own = match axis.kind {
            Kind::Face(..) => usual,
            Kind::Edges(i, j) => across(boxes.pair(i, j).sine()),
        };
        let (mut allowed, mut look_at) = (far, 0);
        for i in 0..3 {
            for j in 0..3 {
                let pair = boxes.pair(i, j);
                let sine = pair.sine();
                let behind = axis.separation - pair.separation();
                let outlasts = (behind - 2.0 * TOLERANCE * boxes.size) / (own + across(sine));
                if sine >= STEADY && outlasts >= far {
                    allowed = outlasts.min(allowed);
                } else {
                    look_at |= 1 << (3 * i + j);
                }
            }
        }
        let plan = flush.map(|(flush, clipped)| {
            // Across edges the direction along which faces are seen turns.
            allowed = allowed.min(flush.allowed() / own);
            Plan {
                faces: flush.faces,
                clipped: *clipped,
            }
        });
        Self {
            allowed,
            look_at,
            plan,
            ..Self::of(boxes)
        }
    }

    /// The edges whose cross product separated the boxes; whether it still does must be looked at.
    pub(super) fn far_edges(&self) -> Option<[usize; 2]> {
        self.far
    }

    /// How far the boxes are from where they were, in δ; `None` for other boxes.
    #[inline]
    fn moved(&self, boxes: &Boxes<'_, D>) -> Option<f64> {
        let turned = (boxes.turn - self.turn).norm();
        let moved = (boxes.between - self.between).norm();
        let same = self.cuboids[0] == *boxes.cuboids[0] && self.cuboids[1] == *boxes.cuboids[1];
        // The reach may have grown by the move.
        same.then_some(moved + turned * (self.reach + moved))
    }

    /// Whether it is of these boxes where they are.
    #[inline]
    pub(super) fn holds(&self, boxes: &Boxes<'_, D>) -> bool {
        self.moved(boxes).is_some_and(|delta| delta <= self.allowed)
    }

    /// Whether it is worth its time to learn more of these boxes.
    pub(super) fn is_near(&self, boxes: &Boxes<'_, D>) -> bool {
        let far = MOVE * boxes.size_of_smaller;
        self.moved(boxes).is_some_and(|delta| delta <= far)
    }
}
