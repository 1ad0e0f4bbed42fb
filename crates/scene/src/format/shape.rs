//! The shapes a scene can name.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The shape of a body, in the body's axes.
///
/// The format knows more words than the library has shapes; [`Scene::to_world`](crate::Scene::to_world) says which
/// ones it cannot build yet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum SceneShape {
    /// No shape: the body touches nothing.
    // With braces, because serde lets a variant without them take any key.
    #[serde(rename = "none")]
    Absent {},
    /// A ball; in the plane a disc.
    Sphere {
        /// Radius, m, greater than 0.
        #[schemars(extend("exclusiveMinimum" = 0.0))]
        radius: f64,
    },
    /// A disc in the plane, the same as `sphere` there.
    Disc {
        /// Radius, m, greater than 0.
        #[schemars(extend("exclusiveMinimum" = 0.0))]
        radius: f64,
    },
    /// The points x with normal · x ≤ offset. Only a fixed body can have it.
    Halfspace {
        /// Direction out of the solid; any length but 0.
        normal: Vec<f64>,
        /// Distance of the boundary from the body's origin along the unit normal, m.
        #[serde(default)]
        offset: f64,
    },
    /// All points within `radius` of a segment on the body's x axis: a capsule, in the plane a stadium.
    Capsule {
        /// Length of the segment, without the round ends, m, greater than 0.
        #[schemars(extend("exclusiveMinimum" = 0.0))]
        full_length: f64,
        /// Radius of the round ends, m, greater than 0.
        #[schemars(extend("exclusiveMinimum" = 0.0))]
        radius: f64,
    },
    /// A convex polygon in the plane.
    Polygon {
        /// The corners in order, either way round, m.
        #[schemars(length(min = 3))]
        vertices: Vec<[f64; 2]>,
    },
    /// A box about the body's origin with edges along the body's axes.
    Box {
        /// Lengths of the edges, m: 2 numbers in the plane, 3 in space.
        full_size: Vec<f64>,
    },
    /// A circular cylinder about the body's origin.
    Cylinder {
        /// Radius, m, greater than 0.
        #[schemars(extend("exclusiveMinimum" = 0.0))]
        radius: f64,
        /// Length, m, greater than 0.
        #[schemars(extend("exclusiveMinimum" = 0.0))]
        full_length: f64,
        /// Direction of the axis in body axes. Left out: z.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        axis: Option<Vec<f64>>,
    },
    /// The convex hull of points of space; points inside it or on its faces change nothing.
    ConvexHull {
        /// The points, m: 4 at least, not all in one plane.
        vertices: Vec<Vec<f64>>,
    },
    /// Several convex shapes as one body, which need not be convex. They may touch; where two overlap, the overlap counts
    /// twice in the mass.
    Union {
        /// The convex shapes and where they are.
        #[schemars(length(min = 1))]
        pieces: Vec<ScenePiece>,
    },
    /// An ellipsoid with its axes along the body's; in the plane an ellipse.
    Ellipsoid {
        /// Half the lengths of the axes, m, greater than 0: 2 numbers in the plane, 3 in space.
        semi_axes: Vec<f64>,
    },
    /// The points with Σ |x_i / a_i|^p ≤ 1.
    Superquadric {
        /// The a_i, m, greater than 0: 2 numbers in the plane, 3 in space.
        semi_axes: Vec<f64>,
        /// The exponent p from 1.05 to 20: 2 is an ellipsoid, larger ones tend to a box.
        #[schemars(range(min = 1.05, max = 20.0))]
        exponent: f64,
    },
}

/// A convex piece of a union.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScenePiece {
    /// Its shape, a convex and bounded one.
    pub shape: SceneShape,
    /// Place of its origin in the body's axes, m. Left out: the body's origin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<Vec<f64>>,
    /// Its orientation in space: unit quaternion, its axes to the body's, scalar part first. Left out: no rotation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quaternion: Option<Vec<f64>>,
    /// Its orientation in the plane, rad, counter-clockwise. Left out: 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub angle: Option<f64>,
}

impl Default for SceneShape {
    fn default() -> Self {
        Self::Absent {}
    }
}

impl SceneShape {
    /// The word that the format uses for the shape.
    ///
    /// # Examples
    /// ```
    /// use signorini_scene::SceneShape;
    /// assert_eq!(SceneShape::Sphere { radius: 1.0 }.word(), "sphere");
    /// ```
    pub fn word(&self) -> &'static str {
        match self {
            Self::Absent {} => "none",
            Self::Sphere { .. } => "sphere",
            Self::Disc { .. } => "disc",
            Self::Halfspace { .. } => "halfspace",
            Self::Capsule { .. } => "capsule",
            Self::Polygon { .. } => "polygon",
            Self::Box { .. } => "box",
            Self::Cylinder { .. } => "cylinder",
            Self::ConvexHull { .. } => "convex_hull",
            Self::Union { .. } => "union",
            Self::Ellipsoid { .. } => "ellipsoid",
            Self::Superquadric { .. } => "superquadric",
        }
    }
}
