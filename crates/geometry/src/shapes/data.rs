//! Shapes as they are written down: what their constructors ask for, checked again when read.

use nalgebra::SVector;
use serde::{Deserialize, Serialize};

use crate::ConvexSet;

use super::{
    Ball, Capsule, Cone, Cylinder, Ellipsoid, HalfSpace, Polygon, Polytope, Rounded, ShapeError,
    Superquadric, Tube,
};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HalfSpaceData<const D: usize> {
    normal: SVector<f64, D>,
    offset: f64,
}

impl<const D: usize> TryFrom<HalfSpaceData<D>> for HalfSpace<D> {
    type Error = ShapeError;

    fn try_from(data: HalfSpaceData<D>) -> Result<Self, ShapeError> {
        Self::new(data.normal, data.offset)
    }
}

impl<const D: usize> From<HalfSpace<D>> for HalfSpaceData<D> {
    fn from(shape: HalfSpace<D>) -> Self {
        Self {
            normal: *shape.normal(),
            offset: shape.offset(),
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BallData {
    radius: f64,
}

impl<const D: usize> TryFrom<BallData> for Ball<D> {
    type Error = ShapeError;

    fn try_from(data: BallData) -> Result<Self, ShapeError> {
        Self::new(data.radius)
    }
}

impl<const D: usize> From<Ball<D>> for BallData {
    fn from(shape: Ball<D>) -> Self {
        Self {
            radius: shape.radius(),
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CapsuleData {
    half_length: f64,
    radius: f64,
}

impl<const D: usize> TryFrom<CapsuleData> for Capsule<D> {
    type Error = ShapeError;

    fn try_from(data: CapsuleData) -> Result<Self, ShapeError> {
        Self::new(data.half_length, data.radius)
    }
}

impl<const D: usize> From<Capsule<D>> for CapsuleData {
    fn from(shape: Capsule<D>) -> Self {
        Self {
            half_length: shape.half_length(),
            radius: shape.radius(),
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PolygonData<const D: usize> {
    vertices: Vec<SVector<f64, D>>,
    #[serde(default)]
    radius: f64,
}

impl<const D: usize> TryFrom<PolygonData<D>> for Polygon<D> {
    type Error = ShapeError;

    fn try_from(data: PolygonData<D>) -> Result<Self, ShapeError> {
        Self::build(data.vertices, data.radius)
    }
}

impl<const D: usize> From<Polygon<D>> for PolygonData<D> {
    fn from(shape: Polygon<D>) -> Self {
        Self {
            vertices: shape.vertices().to_vec(),
            radius: shape.radius(),
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PolytopeData<const D: usize> {
    vertices: Vec<SVector<f64, D>>,
}

impl<const D: usize> TryFrom<PolytopeData<D>> for Polytope<D> {
    type Error = ShapeError;

    fn try_from(data: PolytopeData<D>) -> Result<Self, ShapeError> {
        Self::build(&data.vertices)
    }
}

impl<const D: usize> From<Polytope<D>> for PolytopeData<D> {
    fn from(shape: Polytope<D>) -> Self {
        Self {
            vertices: shape.vertices().to_vec(),
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EllipsoidData<const D: usize> {
    semi_axes: SVector<f64, D>,
}

impl<const D: usize> TryFrom<EllipsoidData<D>> for Ellipsoid<D> {
    type Error = ShapeError;

    fn try_from(data: EllipsoidData<D>) -> Result<Self, ShapeError> {
        Self::new(data.semi_axes)
    }
}

impl<const D: usize> From<Ellipsoid<D>> for EllipsoidData<D> {
    fn from(shape: Ellipsoid<D>) -> Self {
        Self {
            semi_axes: *shape.semi_axes(),
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SuperquadricData<const D: usize> {
    semi_axes: SVector<f64, D>,
    /// Along the last axis of space and of the section; equal in the plane.
    exponents: [f64; 2],
}

impl<const D: usize> TryFrom<SuperquadricData<D>> for Superquadric<D> {
    type Error = ShapeError;

    fn try_from(data: SuperquadricData<D>) -> Result<Self, ShapeError> {
        Self::build(data.semi_axes, data.exponents)
    }
}

impl<const D: usize> From<Superquadric<D>> for SuperquadricData<D> {
    fn from(shape: Superquadric<D>) -> Self {
        Self {
            semi_axes: *shape.semi_axes(),
            exponents: shape.exponents(),
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CylinderData {
    radius: f64,
    half_length: f64,
}

impl<const D: usize> TryFrom<CylinderData> for Cylinder<D> {
    type Error = ShapeError;

    fn try_from(data: CylinderData) -> Result<Self, ShapeError> {
        Self::new(data.radius, data.half_length)
    }
}

impl<const D: usize> From<Cylinder<D>> for CylinderData {
    fn from(shape: Cylinder<D>) -> Self {
        Self {
            radius: shape.radius(),
            half_length: shape.half_length(),
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ConeData {
    radius: f64,
    height: f64,
}

impl<const D: usize> TryFrom<ConeData> for Cone<D> {
    type Error = ShapeError;

    fn try_from(data: ConeData) -> Result<Self, ShapeError> {
        Self::new(data.radius, data.height)
    }
}

impl<const D: usize> From<Cone<D>> for ConeData {
    fn from(shape: Cone<D>) -> Self {
        Self {
            radius: shape.radius(),
            height: shape.height(),
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RoundedData<const D: usize> {
    core: Box<ConvexSet<D>>,
    radius: f64,
}

impl<const D: usize> TryFrom<RoundedData<D>> for Rounded<D> {
    type Error = ShapeError;

    fn try_from(data: RoundedData<D>) -> Result<Self, ShapeError> {
        Self::new(*data.core, data.radius)
    }
}

impl<const D: usize> From<Rounded<D>> for RoundedData<D> {
    fn from(shape: Rounded<D>) -> Self {
        Self {
            core: Box::new(shape.core().clone()),
            radius: shape.radius(),
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TubeData {
    radius: f64,
}

impl<const D: usize> TryFrom<TubeData> for Tube<D> {
    type Error = ShapeError;

    fn try_from(data: TubeData) -> Result<Self, ShapeError> {
        Self::new(data.radius)
    }
}

impl<const D: usize> From<Tube<D>> for TubeData {
    fn from(shape: Tube<D>) -> Self {
        Self {
            radius: shape.radius(),
        }
    }
}
