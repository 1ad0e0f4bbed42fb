//! Convex bodies and where they are next to each other: signed gap, witness points, unit normal, contact manifolds.
//!
//! ```math
//! g = n^T (b - a), \qquad n \text{ unit, from } A \text{ into } B, \qquad g > 0 \text{ when apart}
//! ```
//!
//! A [`ConvexSet`] at a [`Pose`] is [`Placed`]; [`closest_points`] answers for a pair of them, [`manifold`] lists every
//! point that can carry load. Both hold in overlap, where −g n is the least translation of B that ends it.
//! This crate knows no body, no time and no solver.

#[cfg(feature = "autodiff")]
mod autodiff;
mod boundary;
mod broad;
mod check;
mod closest;
mod convex_set;
mod convexity;
mod direction;
mod drawing;
mod elimination;
mod inequalities;
mod kinematics;
mod mass_properties;
mod mesh;
mod pose;
mod query;
mod shape;
mod shapes;
mod surface;
mod union;

#[cfg(feature = "autodiff")]
pub use autodiff::{Differentiated, DualNum, Formula};
pub use broad::{Aabb, Bounds, BroadPhase, BroadPhaseError, Groups, Proxy};
pub use check::{Derivative, DerivativeCheck, DerivativeMismatch, check_derivatives};
pub use closest::{
    ActiveSet, ClosestError, ClosestPoints, Manifold, ManifoldMemory, ManifoldPoint, Uniqueness,
    closest_points, manifold, manifold_along, manifold_within, refine_closest_points,
};
pub use convex_set::{ConvexSet, Placed, ShapeKind};
pub use convexity::{NotConvexThere, check_convexity};
pub use drawing::DrawingError;
pub use kinematics::{
    ContactDerivatives, ContactRates, PrincipalCurvatures, RelativeMotion, Slides, Twist,
    contact_derivatives, contact_slides, principal_curvatures, relative_curvature, shape_operator,
};
pub use mass_properties::{MassProperties, mass_properties, mass_properties_of_density};
pub use mesh::{HeightField, HeightProfile, TriangleMesh};
pub use pose::Pose;
pub use query::{Projection, RayHit};
pub use shape::Shape;
pub use shapes::{
    Ball, Capsule, Cone, Cylinder, Ellipsoid, HalfSpace, Intersection, Part, Polygon, Polytope,
    Rounded, ShapeError, Superquadric, Tube,
};
pub use surface::{Jet, Surface};
pub use union::{Exposure, Piece, Seams, Surroundings, Union, ways_through};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
