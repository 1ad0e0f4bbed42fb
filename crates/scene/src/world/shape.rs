//! Shapes of the geometry from shapes of the scene.

use signorini_geometry::{Ball, Capsule, ConvexSet, HalfSpace, Polygon};

use super::check::{Checked, dimension};
use crate::error::{Fault, SceneError};
use crate::format::SceneShape;

const IN_PLANE: &[&str] = &[
    "none",
    "sphere",
    "disc",
    "halfspace",
    "capsule",
    "polygon",
    "box",
];
const IN_SPACE: &[&str] = &["none", "sphere", "halfspace", "capsule"];

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
            let size = checked.vector::<2>("shape.full_size", full_size)?;
            for &length in &size {
                checked.positive("shape.full_size", length)?;
            }
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
    in_both(checked, shape, IN_SPACE)
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

fn ball<const D: usize>(checked: &Checked, radius: f64) -> Result<ConvexSet<D>, SceneError> {
    let radius = checked.positive("shape.radius", radius)?;
    let ball = Ball::new(radius).map_err(|error| checked.fault("shape", Fault::Shape(error)))?;
    Ok(ball.into())
}
