//! Unions as they are written down: their pieces, checked again when read.

use nalgebra::SVector;
use serde::{Deserialize, Serialize};

use super::{Piece, Union};
use crate::{ConvexSet, HalfSpace, Pose, ShapeError};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct UnionData<const D: usize> {
    pieces: Vec<Piece<D>>,
}

impl<const D: usize> TryFrom<UnionData<D>> for Union<D> {
    type Error = ShapeError;

    fn try_from(data: UnionData<D>) -> Result<Self, ShapeError> {
        Self::build(data.pieces)
    }
}

impl<const D: usize> From<Union<D>> for UnionData<D> {
    fn from(union: Union<D>) -> Self {
        let pieces = union.pieces().to_vec();
        Self { pieces }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PieceData<const D: usize> {
    set: ConvexSet<D>,
    pose: Pose<D>,
    /// Of a piece of a ground, the outward normal of the one face that counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    surface: Option<SVector<f64, D>>,
}

impl<const D: usize> TryFrom<PieceData<D>> for Piece<D> {
    type Error = ShapeError;

    fn try_from(data: PieceData<D>) -> Result<Self, ShapeError> {
        let unit = |normal| HalfSpace::new(normal, 0.0).map(|half| *half.normal());
        Ok(Self {
            set: data.set,
            pose: data.pose,
            top: data.surface.map(unit).transpose()?,
        })
    }
}

impl<const D: usize> From<Piece<D>> for PieceData<D> {
    fn from(piece: Piece<D>) -> Self {
        Self {
            set: piece.set,
            pose: piece.pose,
            surface: piece.top,
        }
    }
}
