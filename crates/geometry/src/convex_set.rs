//! The convex sets that the closest-point queries know, and a set at its place.

use std::fmt;

use nalgebra::SVector;

use crate::boundary::Boundary;
use crate::{
    Ball, Capsule, Cone, Cylinder, Ellipsoid, HalfSpace, Intersection, Polygon, Polytope, Pose,
    Rounded, Superquadric, Surface,
};

/// A convex body in its own axes.
///
/// # Examples
/// ```
/// use signorini_geometry::{Capsule, ConvexSet, HalfSpace};
/// let rod = ConvexSet::<2>::from(Capsule::new(0.25, 0.05)?);
/// assert_eq!((rod.bounding_radius(), rod.size()), (0.3, 0.6));
/// assert!(ConvexSet::<2>::from(HalfSpace::up()).bounding_radius().is_infinite());
/// # Ok::<(), signorini_geometry::ShapeError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
#[non_exhaustive]
pub enum ConvexSet<const D: usize> {
    /// Solid below a line or plane.
    HalfSpace(HalfSpace<D>),
    /// Disc or ball.
    Ball(Ball<D>),
    /// Stadium or capsule.
    Capsule(Capsule<D>),
    /// Convex polygon of the plane, possibly rounded; `ConvexSet<3>` has no value of this kind.
    Polygon(Polygon<D>),
    /// Convex polytope of space; `ConvexSet<2>` has no value of this kind.
    Polytope(Polytope<D>),
    /// Ellipse or ellipsoid.
    Ellipsoid(Ellipsoid<D>),
    /// Superellipse or superellipsoid.
    Superquadric(Superquadric<D>),
    /// Circular cylinder of space; `ConvexSet<2>` has no value of this kind.
    Cylinder(Cylinder<D>),
    /// Circular cone of space; `ConvexSet<2>` has no value of this kind.
    Cone(Cone<D>),
    /// A bounded set rounded by a radius.
    Rounded(Rounded<D>),
    /// Intersection of convex inequalities, or a user's own body.
    Intersection(Intersection<D>),
}

/// Kind of a [`ConvexSet`], for messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ShapeKind {
    /// [`HalfSpace`].
    HalfSpace,
    /// [`Ball`].
    Ball,
    /// [`Capsule`].
    Capsule,
    /// [`Polygon`].
    Polygon,
    /// [`Polytope`].
    Polytope,
    /// [`Ellipsoid`].
    Ellipsoid,
    /// [`Superquadric`].
    Superquadric,
    /// [`Cylinder`].
    Cylinder,
    /// [`Cone`].
    Cone,
    /// [`Rounded`].
    Rounded,
    /// [`Intersection`].
    Intersection,
}

impl fmt::Display for ShapeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::HalfSpace => "half-space",
            Self::Ball => "ball",
            Self::Capsule => "capsule",
            Self::Polygon => "polygon",
            Self::Polytope => "polytope",
            Self::Ellipsoid => "ellipsoid",
            Self::Superquadric => "superquadric",
            Self::Cylinder => "cylinder",
            Self::Cone => "cone",
            Self::Rounded => "rounded set",
            Self::Intersection => "intersection",
        })
    }
}

impl<const D: usize> ConvexSet<D> {
    /// A user's own body f ≤ 0: the [`Intersection`] of this one surface.
    ///
    /// # Errors
    /// [`ShapeError`](crate::ShapeError), as [`Intersection::new`].
    pub fn user(surface: std::sync::Arc<dyn Surface<D>>) -> Result<Self, crate::ShapeError> {
        Intersection::of_surface(surface).map(Self::Intersection)
    }

    /// Which kind it is.
    pub fn kind(&self) -> ShapeKind {
        match self {
            Self::HalfSpace(_) => ShapeKind::HalfSpace,
            Self::Ball(_) => ShapeKind::Ball,
            Self::Capsule(_) => ShapeKind::Capsule,
            Self::Polygon(_) => ShapeKind::Polygon,
            Self::Polytope(_) => ShapeKind::Polytope,
            Self::Ellipsoid(_) => ShapeKind::Ellipsoid,
            Self::Superquadric(_) => ShapeKind::Superquadric,
            Self::Cylinder(_) => ShapeKind::Cylinder,
            Self::Cone(_) => ShapeKind::Cone,
            Self::Rounded(_) => ShapeKind::Rounded,
            Self::Intersection(_) => ShapeKind::Intersection,
        }
    }

    /// Largest distance of a point of the set from the body's origin, m; infinite for a half-space.
    pub fn bounding_radius(&self) -> f64 {
        match self {
            Self::HalfSpace(_) => f64::INFINITY,
            Self::Ball(ball) => ball.radius(),
            Self::Capsule(capsule) => capsule.half_length() + capsule.radius(),
            Self::Polygon(polygon) => polygon.bounding_radius(),
            Self::Polytope(polytope) => polytope.bounding_radius(),
            Self::Ellipsoid(ellipsoid) => ellipsoid.semi_axes().max(),
            Self::Superquadric(shape) => shape.bounding_radius(),
            Self::Cylinder(cylinder) => cylinder.bounding_radius(),
            Self::Cone(cone) => cone.bounding_radius(),
            Self::Intersection(shape) => shape.bounding_radius(),
            Self::Rounded(rounded) => rounded.core().bounding_radius() + rounded.radius(),
        }
    }

    /// Characteristic length: the largest distance between two points of the set, m; infinite for a half-space.
    pub fn size(&self) -> f64 {
        match self {
            Self::HalfSpace(_) => f64::INFINITY,
            Self::Ball(ball) => 2.0 * ball.radius(),
            Self::Capsule(capsule) => 2.0 * (capsule.half_length() + capsule.radius()),
            Self::Polygon(polygon) => polygon.diameter(),
            Self::Polytope(polytope) => polytope.diameter(),
            Self::Ellipsoid(ellipsoid) => 2.0 * ellipsoid.semi_axes().max(),
            Self::Superquadric(shape) => 2.0 * shape.bounding_radius(),
            Self::Cylinder(cylinder) => 2.0 * cylinder.bounding_radius(),
            Self::Cone(cone) => cone.diameter(),
            Self::Intersection(shape) => shape.diameter(),
            Self::Rounded(rounded) => rounded.core().size() + 2.0 * rounded.radius(),
        }
    }

    /// Its boundary as a function with derivatives, in body axes.
    pub fn as_surface(&self) -> &dyn Surface<D> {
        match self {
            Self::HalfSpace(shape) => shape,
            Self::Ball(shape) => shape,
            Self::Capsule(shape) => shape,
            Self::Polygon(shape) => shape,
            Self::Polytope(shape) => shape,
            Self::Ellipsoid(shape) => shape,
            Self::Superquadric(shape) => shape,
            Self::Cylinder(shape) => shape,
            Self::Cone(shape) => shape,
            Self::Rounded(shape) => shape,
            Self::Intersection(shape) => shape,
        }
    }

    /// A point of the set that is furthest along `direction` (body axes, any positive length), m; `None` for a
    /// half-space, which has none.
    pub fn support(&self, direction: &SVector<f64, D>) -> Option<SVector<f64, D>> {
        let (core, radius) = self.core()?;
        let point = core.support(direction);
        Some(if radius > 0.0 {
            point + direction * (radius / direction.norm())
        } else {
            point
        })
    }

    /// The bounded core and what rounds it, m; `None` for a half-space.
    pub(crate) fn core(&self) -> Option<(&dyn Boundary<D>, f64)> {
        Some(match self {
            Self::HalfSpace(_) => return None,
            Self::Ball(ball) => (ball, ball.radius()),
            Self::Capsule(capsule) => (capsule, capsule.radius()),
            Self::Polygon(polygon) => (polygon, polygon.radius()),
            Self::Polytope(polytope) => (polytope, 0.0),
            Self::Ellipsoid(ellipsoid) => (ellipsoid, 0.0),
            Self::Superquadric(shape) => (shape, 0.0),
            Self::Cylinder(cylinder) => (cylinder, 0.0),
            Self::Cone(cone) => (cone, 0.0),
            Self::Intersection(shape) => (shape, 0.0),
            Self::Rounded(rounded) => {
                let (core, radius) = rounded.core().core()?;
                (core, radius + rounded.radius())
            }
        })
    }
}

impl<const D: usize> From<HalfSpace<D>> for ConvexSet<D> {
    fn from(shape: HalfSpace<D>) -> Self {
        Self::HalfSpace(shape)
    }
}

impl<const D: usize> From<Ball<D>> for ConvexSet<D> {
    fn from(shape: Ball<D>) -> Self {
        Self::Ball(shape)
    }
}

impl<const D: usize> From<Capsule<D>> for ConvexSet<D> {
    fn from(shape: Capsule<D>) -> Self {
        Self::Capsule(shape)
    }
}

impl<const D: usize> From<Polygon<D>> for ConvexSet<D> {
    fn from(shape: Polygon<D>) -> Self {
        Self::Polygon(shape)
    }
}

impl<const D: usize> From<Polytope<D>> for ConvexSet<D> {
    fn from(shape: Polytope<D>) -> Self {
        Self::Polytope(shape)
    }
}

impl<const D: usize> From<Ellipsoid<D>> for ConvexSet<D> {
    fn from(shape: Ellipsoid<D>) -> Self {
        Self::Ellipsoid(shape)
    }
}

impl<const D: usize> From<Superquadric<D>> for ConvexSet<D> {
    fn from(shape: Superquadric<D>) -> Self {
        Self::Superquadric(shape)
    }
}

impl<const D: usize> From<Cylinder<D>> for ConvexSet<D> {
    fn from(shape: Cylinder<D>) -> Self {
        Self::Cylinder(shape)
    }
}

impl<const D: usize> From<Cone<D>> for ConvexSet<D> {
    fn from(shape: Cone<D>) -> Self {
        Self::Cone(shape)
    }
}

impl<const D: usize> From<Rounded<D>> for ConvexSet<D> {
    fn from(shape: Rounded<D>) -> Self {
        Self::Rounded(shape)
    }
}

impl<const D: usize> From<Intersection<D>> for ConvexSet<D> {
    fn from(shape: Intersection<D>) -> Self {
        Self::Intersection(shape)
    }
}

/// A set and where it is.
#[derive(Clone, Copy, Debug)]
pub struct Placed<'a, const D: usize> {
    /// The set, in its own axes.
    pub set: &'a ConvexSet<D>,
    /// Body to world.
    pub pose: Pose<D>,
}

impl<'a, const D: usize> Placed<'a, D> {
    /// `set` at `pose`.
    pub fn new(set: &'a ConvexSet<D>, pose: Pose<D>) -> Self {
        Self { set, pose }
    }

    /// Value of the set's [`Surface`] at a point in world axes: at most zero inside.
    pub fn value(&self, point_world: &SVector<f64, D>) -> f64 {
        self.set
            .as_surface()
            .value(&self.pose.inverse_apply(point_world))
    }
}
