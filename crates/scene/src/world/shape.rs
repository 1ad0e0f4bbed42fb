//! Shapes of the geometry from shapes of the scene.

use nalgebra::{Rotation3, SVector, Vector3};
use signorini_geometry::{
    Ball, Capsule, ConvexSet, Cylinder, Ellipsoid, HalfSpace, Intersection, Part, Polygon,
    Polytope, Pose, Shape, Superquadric, Union,
};

use super::InDimension;
use super::check::{Checked, dimension};
use super::dimension::Turn;
use crate::error::{Fault, SceneError};
use crate::format::{ScenePiece, SceneShape};

const IN_PLANE: &[&str] = &[
    "none",
    "sphere",
    "disc",
    "halfspace",
    "capsule",
    "polygon",
    "box",
    "ellipsoid",
    "superquadric",
    "union",
    "profile",
];
const IN_SPACE: &[&str] = &[
    "none",
    "sphere",
    "halfspace",
    "capsule",
    "box",
    "convex_hull",
    "cylinder",
    "ellipsoid",
    "superquadric",
    "union",
    "heightfield",
    "triangles",
    "mesh",
];

/// The shape of a body, none if it touches nothing.
pub(super) fn of_body<const D: usize>(
    space: &impl InDimension<D>,
    checked: &Checked,
    shape: &SceneShape,
) -> Result<Option<Shape<D>>, SceneError> {
    match shape {
        SceneShape::Union { pieces } => union(space, checked, pieces).map(Some),
        other => match space.ground(checked, other)? {
            Some(ground) => Ok(Some(ground)),
            None => Ok(space.convex_set(checked, other)?.map(Shape::Convex)),
        },
    }
}

fn union<const D: usize>(
    space: &impl InDimension<D>,
    checked: &Checked,
    pieces: &[ScenePiece],
) -> Result<Shape<D>, SceneError> {
    let placed = pieces.iter().map(|piece| {
        let set = match of_body(space, checked, &piece.shape)? {
            Some(Shape::Convex(set)) => set,
            Some(Shape::Union(_)) => {
                let hint = "a piece of a union is convex; write the pieces one by one";
                return Err(checked.fault("shape.pieces", Fault::Meaningless { hint }));
            }
            None => {
                let hint = "a piece of a union needs a shape";
                return Err(checked.fault("shape.pieces", Fault::Missing { hint }));
            }
        };
        let position = checked.vector_or_zero("shape.pieces.position", piece.position.as_ref())?;
        let turn = Turn {
            quaternion: piece.quaternion.as_deref(),
            angle: piece.angle,
        };
        let orientation = space.orientation(checked, turn)?;
        Ok((set, space.pose(position, &orientation)))
    });
    let union = Union::new(placed.collect::<Result<Vec<_>, _>>()?);
    let refuse = |error| checked.fault("shape.pieces", Fault::Shape(error));
    Ok(union.map_err(refuse)?.into())
}

/// The convex set of a shape in the plane, none for a body that touches nothing.
pub(super) fn in_plane(
    checked: &Checked,
    shape: &SceneShape,
) -> Result<Option<ConvexSet<2>>, SceneError> {
    let refuse = |field| move |error| checked.fault(field, Fault::Shape(error));
    let set = match shape {
        SceneShape::Disc { radius } => ball(checked, *radius)?,
        SceneShape::Polygon { vertices } => {
            for vertex in vertices {
                checked.all_finite("shape.vertices", vertex)?;
            }
            Polygon::new(vertices.iter().copied())
                .map_err(refuse("shape.vertices"))?
                .into()
        }
        SceneShape::Box { full_size } => {
            let size = lengths::<2>(checked, "shape.full_size", full_size)?;
            Polygon::rectangle(size.x, size.y)
                .map_err(refuse("shape.full_size"))?
                .into()
        }
        other => return in_both(checked, other, IN_PLANE),
    };
    Ok(Some(set))
}

/// The convex set of a shape in space, none for a body that touches nothing.
pub(super) fn in_space(
    checked: &Checked,
    shape: &SceneShape,
) -> Result<Option<ConvexSet<3>>, SceneError> {
    match shape {
        SceneShape::Box { full_size } => {
            let size = lengths::<3>(checked, "shape.full_size", full_size)?;
            let refuse = |error| checked.fault("shape.full_size", Fault::Shape(error));
            let cuboid = Polytope::cuboid(size.x, size.y, size.z).map_err(refuse)?;
            Ok(Some(cuboid.into()))
        }
        SceneShape::ConvexHull { vertices } => {
            let points = vertices
                .iter()
                .map(|vertex| checked.vector::<3>("shape.vertices", vertex));
            let points = points.collect::<Result<Vec<_>, _>>()?;
            let refuse = |error| checked.fault("shape.vertices", Fault::Shape(error));
            Ok(Some(Polytope::new(points).map_err(refuse)?.into()))
        }
        SceneShape::Cylinder {
            radius,
            full_length,
            axis,
        } => {
            let radius = checked.positive("shape.radius", *radius)?;
            let full_length = checked.positive("shape.full_length", *full_length)?;
            cylinder(checked, [radius, full_length], axis.as_deref()).map(Some)
        }
        other => in_both(checked, other, IN_SPACE),
    }
}

/// The shapes that plane and space have in common.
fn in_both<const D: usize>(
    checked: &Checked,
    shape: &SceneShape,
    supported: &'static [&'static str],
) -> Result<Option<ConvexSet<D>>, SceneError> {
    let refuse = |error| checked.fault("shape", Fault::Shape(error));
    let set = match shape {
        SceneShape::Absent {} => return Ok(None),
        SceneShape::Sphere { radius } => ball(checked, *radius)?,
        SceneShape::Halfspace { normal, offset } => {
            let normal = checked.direction("shape.normal", normal)?;
            let offset = checked.finite("shape.offset", *offset)?;
            HalfSpace::new(normal, offset).map_err(refuse)?.into()
        }
        SceneShape::Capsule {
            full_length,
            radius,
        } => {
            let full_length = checked.positive("shape.full_length", *full_length)?;
            let radius = checked.positive("shape.radius", *radius)?;
            Capsule::new(0.5 * full_length, radius)
                .map_err(refuse)?
                .into()
        }
        SceneShape::Ellipsoid { semi_axes } => {
            Ellipsoid::new(lengths(checked, "shape.semi_axes", semi_axes)?)
                .map_err(refuse)?
                .into()
        }
        SceneShape::Superquadric {
            semi_axes,
            exponent,
        } => {
            let exponent = checked.finite("shape.exponent", *exponent)?;
            Superquadric::new(lengths(checked, "shape.semi_axes", semi_axes)?, exponent)
                .map_err(refuse)?
                .into()
        }
        other => {
            let (word, dimension) = (other.word(), dimension::<D>());
            let fault = Fault::UnsupportedShape {
                word,
                dimension,
                supported,
            };
            return Err(checked.fault("shape", fault));
        }
    };
    Ok(Some(set))
}

/// A cylinder about z, or turned to another axis.
fn cylinder(
    checked: &Checked,
    [radius, full_length]: [f64; 2],
    axis: Option<&[f64]>,
) -> Result<ConvexSet<3>, SceneError> {
    let refuse = |error| checked.fault("shape", Fault::Shape(error));
    let cylinder = Cylinder::new(radius, 0.5 * full_length).map_err(refuse)?;
    let axis = match axis {
        None => Vector3::z(),
        Some(axis) => checked.direction::<3>("shape.axis", axis)?,
    };
    // Scaled first: squares of components may vanish or overflow.
    let axis = (axis / axis.amax()).normalize();
    if axis.x == 0.0 && axis.y == 0.0 {
        return Ok(cylinder.into());
    }
    // Either sense of the axis is the same cylinder; the one that needs the lesser turn always has a rotation.
    let upward = if axis.z < 0.0 { -axis } else { axis };
    let rotation = Rotation3::rotation_between(&Vector3::z(), &upward)
        .unwrap_or_else(Rotation3::identity)
        .into_inner();
    let pose = Pose {
        rotation,
        position: Vector3::zeros(),
    };
    let part = Part::from(cylinder).at(pose);
    Ok(Intersection::new([part]).map_err(refuse)?.into())
}

fn lengths<const D: usize>(
    checked: &Checked,
    field: &'static str,
    given: &[f64],
) -> Result<SVector<f64, D>, SceneError> {
    let lengths = checked.vector(field, given)?;
    for &length in &lengths {
        checked.positive(field, length)?;
    }
    Ok(lengths)
}

fn ball<const D: usize>(checked: &Checked, radius: f64) -> Result<ConvexSet<D>, SceneError> {
    let radius = checked.positive("shape.radius", radius)?;
    let ball = Ball::new(radius).map_err(|error| checked.fault("shape", Fault::Shape(error)))?;
    Ok(ball.into())
}
