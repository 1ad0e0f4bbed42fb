//! Pairs at seams: what their points are for whole bodies, and pieces of which only the plane of a face is felt.
//!
//! The edge of a piece that lies flush beside another is none of the body, and yet pairs can meet there, each along a normal of
//! its own cone. The half-space of the face that is exposed there stands for the piece then: its multiplier is the only
//! one of the piece that may differ from zero, so that rows and unknowns stay what they are.

use nalgebra::SVector;
use signorini_geometry::{ConvexSet, HalfSpace, Placed};

use super::{
    PairLayout,
    world::{count, pieces},
};
use crate::world::World;

/// Cosine of the angle to a normal below which a face has another one.
const SAME: f64 = 1.0 - 1e-12;

/// The face of a piece whose half-space stands for the piece.
///
/// | name          | meaning                                                               |
/// | ------------- | --------------------------------------------------------------------- |
/// | `side`        | 0 for a piece of A, 1 for one of B                                    |
/// | `unknown`     | the multiplier of the face among the local unknowns                   |
/// | `multipliers` | first of the multipliers of the piece, and the first behind them      |
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairFace {
    /// Whose face it is.
    pub side: usize,
    /// Its multiplier.
    pub unknown: usize,
    /// The multipliers of its piece.
    pub multipliers: [usize; 2],
}

/// What the points of a pair that touches are for the whole bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PairSeam {
    /// The bodies have this normal there.
    Counts,
    /// They have not, as at the edge of a piece beside which another lies flush. The pair with the half-space of the nearest
    /// face of the piece that is exposed there.
    Face(PairLayout),
    /// The point of the half-space of a face is on these pieces, which have its normal there.
    Pieces(PairLayout),
    /// They have not, and no face of the piece is exposed there, or no piece is.
    Hidden,
}

impl<const D: usize> World<D> {
    /// A pair with the half-space of the flat face of one of its pieces that has this outward normal at a point, world axes.
    pub(super) fn on_face(
        &self,
        q: &[f64],
        layout: &PairLayout,
        (side, point, normal): (usize, &SVector<f64, D>, &SVector<f64, D>),
    ) -> Option<PairLayout> {
        let pieces = pieces(layout.id);
        let (body, piece) = pieces[side];
        let Placed { set, pose } = self.placed(q, body, piece);
        if set.rounding() > 0.0 {
            return None;
        }
        let (x, n) = (pose.inverse_apply(point), pose.inverse_rotate(normal));
        let own = count(set);
        let index = (0..own).find(|&index| {
            let jet = set.inequality(index, &x);
            let is_flat = jet.hessian.iter().all(|&x| x == 0.0);
            is_flat && jet.gradient.dot(&n) >= SAME * jet.gradient.norm()
        })?;
        let first = if side == 0 {
            layout.equations
        } else {
            layout.nz - own
        };
        let face = PairFace {
            side,
            unknown: first + index,
            multipliers: [first, first + own],
        };
        Some(PairLayout {
            face: Some(face),
            ..*layout
        })
    }

    /// The half-space that stands for a piece of a pair, in the axes of the piece, and whose it is.
    pub(super) fn plane(&self, layout: &PairLayout) -> Option<(usize, ConvexSet<D>)> {
        let face = layout.face?;
        let (body, piece) = pieces(layout.id)[face.side];
        let set = self.piece(body, piece);
        let index = face.unknown - face.multipliers[0];
        let jet = set.inequality(index, &SVector::zeros());
        let slope = jet.gradient.norm();
        let plane = HalfSpace::new(jet.gradient / slope, -jet.value / slope);
        Some((face.side, plane.expect("a face has a normal").into()))
    }
}

/// The pieces of a pair as they are felt.
pub(super) fn felt<'a, const D: usize>(
    placed: &[Placed<'a, D>; 2],
    plane: Option<&'a (usize, ConvexSet<D>)>,
) -> [Placed<'a, D>; 2] {
    let mut felt = *placed;
    if let Some((side, set)) = plane {
        felt[*side].set = set;
    }
    felt
}

/// Gives the face that stands for its piece all of the normal.
pub(super) fn begin_on_face(layout: &PairLayout, z: &mut [f64]) {
    if let Some(face) = layout.face {
        z[face.multipliers[0]..face.multipliers[1]].fill(0.0);
        z[face.unknown] = 1.0;
    }
}
