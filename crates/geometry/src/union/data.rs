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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ground: Option<GroundData<D>>,
}

/// What a piece is of a ground, with the outward normal of its upper face.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum GroundData<const D: usize> {
    /// That face alone counts.
    Surface(SVector<f64, D>),
    /// All of the boundary does.
    Solid(SVector<f64, D>),
}

impl<const D: usize> TryFrom<PieceData<D>> for Piece<D> {
    type Error = ShapeError;

    fn try_from(data: PieceData<D>) -> Result<Self, ShapeError> {
        let unit = |normal| HalfSpace::new(normal, 0.0).map(|half| *half.normal());
        let (top, is_whole) = match data.ground {
            None => (None, true),
            Some(GroundData::Surface(normal)) => (Some(unit(normal)?), false),
            Some(GroundData::Solid(normal)) => (Some(unit(normal)?), true),
        };
        Ok(Self {
            set: data.set,
            pose: data.pose,
            top,
            is_whole,
        })
    }
}

impl<const D: usize> From<Piece<D>> for PieceData<D> {
    fn from(piece: Piece<D>) -> Self {
        let is = if piece.is_whole {
            GroundData::Solid
        } else {
            GroundData::Surface
        };
        Self {
            set: piece.set,
            pose: piece.pose,
            ground: piece.top.map(is),
        }
    }
}
