//! The shapes: plain data, checked when built.

mod ball;
mod capsule;
mod cone;
mod cylinder;
#[cfg(feature = "serde")]
mod data;
mod ellipsoid;
mod half_space;
mod intersection;
mod polygon;
mod polytope;
mod power_norm;
mod rounded;
mod superquadric;
mod tube;

pub use ball::Ball;
pub use capsule::Capsule;
pub use cone::Cone;
pub use cylinder::Cylinder;
pub use ellipsoid::Ellipsoid;
pub use half_space::HalfSpace;
pub use intersection::{Intersection, Part};
pub use polygon::Polygon;
pub(crate) use polygon::{cross, quarter_turn_clockwise};
pub use polytope::Polytope;
pub(crate) use polytope::{Cuboid, Edge, Face};
pub use rounded::Rounded;
pub use superquadric::Superquadric;
pub use tube::Tube;

use thiserror::Error;

use crate::convex_set::ShapeKind;

/// Why data do not form a shape, or a shape has no mass.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ShapeError {
    /// A length, mass or density must be positive and finite.
    #[error("{what} is {value}, it must be positive and finite")]
    NotPositive {
        /// Name of the quantity.
        what: &'static str,
        /// Its value.
        value: f64,
    },
    /// A number is NaN or infinite.
    #[error("{what} is {value}, it must be finite")]
    NotFinite {
        /// Name of the quantity.
        what: &'static str,
        /// Its value.
        value: f64,
    },
    /// A rounding radius must not be negative.
    #[error("{what} is {value}, it must not be negative")]
    Negative {
        /// Name of the quantity.
        what: &'static str,
        /// Its value.
        value: f64,
    },
    /// A direction of length zero.
    #[error("the normal is zero: it needs a direction, of any length")]
    ZeroNormal,
    /// Fewer than three vertices.
    #[error("a polygon has {found} vertices, it needs at least 3")]
    FewVertices {
        /// Number of vertices given.
        found: usize,
    },
    /// The vertices do not go round a convex polygon once, every corner turning the same way.
    #[error(
        "vertex {index} does not turn as the other corners do: the polygon is not strictly convex"
    )]
    NotConvex {
        /// Index of the vertex in the order given.
        index: usize,
    },
    /// The polygon lives in the plane only.
    #[error("a polygon in {dimension} dimensions: it exists in the plane only")]
    NotPlanar {
        /// The dimension asked for.
        dimension: usize,
    },
    /// The shape lives in space only.
    #[error("a {kind} in {dimension} dimensions: it exists in space only, the plane has polygons")]
    NotSpatial {
        /// Kind of the shape.
        kind: ShapeKind,
        /// The dimension asked for.
        dimension: usize,
    },
    /// Fewer than four points.
    #[error("a polytope has {found} points, it needs at least 4")]
    FewPoints {
        /// Number of points given.
        found: usize,
    },
    /// The points of a polytope lie in one point, line or plane, to 1e-8 of their size.
    #[error(
        "the points of the polytope span {dimension} dimensions only: {size} m long, they are {thickness} m thick across; give \
         it a thickness"
    )]
    FlatPolytope {
        /// Dimensions that the points span: 0, 1 or 2.
        dimension: usize,
        /// Largest distance from the point, line or plane, m.
        thickness: f64,
        /// Largest distance from the first point, m.
        size: f64,
    },
    /// A polytope with too many vertices.
    #[error("the polytope has {found} vertices, at most {most} are held: take a coarser hull")]
    ManyVertices {
        /// Number of vertices of the hull.
        found: usize,
        /// Largest number.
        most: usize,
    },
    /// The faces of a hull do not come out to any tolerance tried.
    #[error(
        "which points of the polytope are coplanar is not clear between 1e-12 and 1e-9 of its {size} m: merge points that are \
         nearly one, and leave out slivers"
    )]
    UnclearHull {
        /// Largest distance from the first point, m.
        size: f64,
    },
    /// The exponent of a superquadric is out of range, or not a number.
    #[error("the exponent is {value}, it must be between 1.05 and 20")]
    Exponent {
        /// Its value.
        value: f64,
    },
    /// An intersection of nothing is everything.
    #[error("the list of parts is empty: an intersection needs one at least")]
    NoParts,
    /// A part with a boundary that is not made of smooth functions.
    #[error("a rounded {kind} cannot be part of an intersection, round the intersection instead")]
    PartNotSmooth {
        /// Kind of the part.
        kind: ShapeKind,
    },
    /// The parts have no interior point in common.
    #[error(
        "the parts of the intersection have no interior in common: none, or one too thin to compute with; check the signs of \
         normals and offsets, and the poses"
    )]
    EmptyInterior,
    /// The intersection goes on without end, or more than ten million times as far as elsewhere.
    #[error(
        "the intersection is unbounded in direction {direction:?}: add a part that bounds it there"
    )]
    UnboundedIntersection {
        /// Unit vector in body axes.
        direction: Vec<f64>,
    },
    /// The gradient of a user's surface vanishes or points into the body.
    #[error(
        "the gradient of the surface at {point:?} does not point out of the body: f must be negative inside and grow outwards"
    )]
    NotOutward {
        /// A boundary point in body axes, m.
        point: Vec<f64>,
    },
    /// The body of a user's surface is not convex, or its gradient is wrong.
    #[error(
        "the body is not on one side of the plane that the gradient of the surface gives at {point:?}: it is not convex, or \
         the gradient is wrong, which check_derivatives tells"
    )]
    NotConvexSurface {
        /// A boundary point in body axes, m.
        point: Vec<f64>,
    },
    /// Only bounded sets are rounded.
    #[error("a {kind} is unbounded: it cannot be rounded, shift it instead")]
    UnboundedCore {
        /// Kind of the core.
        kind: ShapeKind,
    },
    /// Mass properties by quadrature did not reach their accuracy.
    #[error(
        "the moments of the {kind} come out to {error:.1e} of themselves only: take a simpler shape nearer to its origin, or \
         state mass, centroid and inertia"
    )]
    Quadrature {
        /// Kind of the shape.
        kind: ShapeKind,
        /// Estimate of the relative error.
        error: f64,
    },
    /// A triangle names a vertex that there is not.
    #[error("triangle {triangle} names vertex {vertex}, but there are {found}")]
    NoVertex {
        /// Place of the triangle in the list, from 0.
        triangle: usize,
        /// Number of the vertex, from 0.
        vertex: u32,
        /// Number of vertices given.
        found: usize,
    },
    /// No triangle of a mesh has an area.
    #[error("the mesh has no triangle with an area")]
    NoTriangles,
    /// An edge of a mesh has a triangle on one side only.
    #[error(
        "the mesh is open: triangle {triangle} has no neighbour at the edge whose middle is {middle:?}; close it, or use it as \
         a ground or by its hull"
    )]
    OpenMesh {
        /// Number of the triangle, from 0, those without area not counted.
        triangle: usize,
        /// Middle of the edge, m.
        middle: [f64; 3],
    },
    /// Two triangles run along their common edge in the same sense, or three meet there.
    #[error("triangles {} and {} of the mesh run the same way along an edge: turn one of them, or part the bodies that meet there", triangles[0], triangles[1])]
    UnevenMesh {
        /// Their numbers, from 0, those without area not counted.
        triangles: [usize; 2],
    },
    /// A closed mesh whose triangles run clockwise seen from outside.
    #[error(
        "the mesh is inside out, its volume is {volume}: exchange two corners of every triangle"
    )]
    InsideOut {
        /// Signed volume, m³.
        volume: f64,
    },
    /// Heights that are no grid.
    #[error(
        "the heights are {rows} lists, the shortest with {shortest}: a height field needs two at least of two at least, all as long"
    )]
    SmallGrid {
        /// Number of lists.
        rows: usize,
        /// Length of the shortest.
        shortest: usize,
    },
    /// Heights that are no line.
    #[error("the list of heights has length {found}: a height profile needs two at least")]
    ShortProfile {
        /// Number of heights.
        found: usize,
    },
    /// A union of nothing.
    #[error("the list of pieces is empty: a union needs one at least")]
    NoPieces,
    /// The rotation of a piece is none.
    #[error(
        "the axes of piece {index} are not a rotation: they must be orthonormal to 1e-9, with determinant one"
    )]
    NotRotation {
        /// Place of the piece in the list.
        index: usize,
    },
    /// A ground of which one side counts is no body with a volume.
    #[error(
        "a ground that is solid on one side has no mass: fix it, or take the hull of its points"
    )]
    OneSided,
    /// The shape is unbounded: it has no mass, centroid or inertia.
    #[error("a {kind} is unbounded: its mass is infinite, fix the body or bound its shape")]
    Unbounded {
        /// Kind of the shape.
        kind: ShapeKind,
    },
}

pub(crate) fn positive(what: &'static str, value: f64) -> Result<f64, ShapeError> {
    if value > 0.0 && value.is_finite() {
        Ok(value)
    } else {
        Err(ShapeError::NotPositive { what, value })
    }
}

pub(crate) fn finite(what: &'static str, value: f64) -> Result<f64, ShapeError> {
    if value.is_finite() {
        Ok(value)
    } else {
        Err(ShapeError::NotFinite { what, value })
    }
}
