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
    /// A ground of heights over a grid about the body's origin: z = `heights[i][j]` at x = (i − (m − 1)/2) dx and
    /// y = (j − (n − 1)/2) dy, m lists of n; space only. Only a fixed or driven body can have it.
    Heightfield {
        /// A list for each place in x, of the heights along y, m.
        heights: Vec<Vec<f64>>,
        /// dx and dy, m, greater than 0.
        spacing: [f64; 2],
        /// How far below its lowest point the ground ends, m, greater than 0. Left out: 1.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(extend("exclusiveMinimum" = 0.0))]
        depth: Option<f64>,
    },
    /// A ground of heights along a line through the body's origin: y = `heights[i]` at x = (i − (n − 1)/2) dx, straight between;
    /// plane only. Only a fixed or driven body can have it.
    Profile {
        /// The heights along x, m: 2 at least.
        heights: Vec<f64>,
        /// dx, m, greater than 0.
        #[schemars(extend("exclusiveMinimum" = 0.0))]
        spacing: f64,
        /// How far below its lowest point the ground ends, m, greater than 0. Left out: 1.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(extend("exclusiveMinimum" = 0.0))]
        depth: Option<f64>,
    },
    /// A ground of triangles, solid on the side from which their corners run clockwise; space only. Only a fixed or driven body
    /// can have it.
    Triangles {
        /// The corners, m.
        vertices: Vec<[f64; 3]>,
        /// Numbers of the corners of each triangle, from 0, counter-clockwise seen from outside.
        triangles: Vec<[u32; 3]>,
        /// How far the ground is solid below its triangles, m, greater than 0: less than half of what is thin in it, more
        /// than bodies sink in within a step.
        #[schemars(extend("exclusiveMinimum" = 0.0))]
        thickness: f64,
    },
    /// A mesh from an OBJ or STL file; space only.
    Mesh {
        /// The file, `*.obj` or `*.stl`, relative to that of the scene.
        file: std::path::PathBuf,
        /// Metres per unit of the file, greater than 0. Left out: 1.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(extend("exclusiveMinimum" = 0.0))]
        scale: Option<f64>,
        /// What of it is solid. Left out: its convex hull.
        #[serde(default)]
        solid: MeshSolid,
        /// Where the body's origin is. Left out: at that of the file.
        #[serde(default)]
        origin: MeshOrigin,
        /// Of a ground, as in `triangles`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(extend("exclusiveMinimum" = 0.0))]
        thickness: Option<f64>,
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

/// What of a mesh is solid.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum MeshSolid {
    /// The convex hull of its vertices.
    #[default]
    Hull,
    /// The ground below its triangles, to the `thickness`.
    Ground,
}

/// Where the origin of a body is in its mesh.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum MeshOrigin {
    /// At the origin of the file.
    #[default]
    File,
    /// At the centroid of the solid hull, as a body that moves needs it.
    Centroid,
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
            Self::Heightfield { .. } => "heightfield",
            Self::Profile { .. } => "profile",
            Self::Triangles { .. } => "triangles",
            Self::Mesh { .. } => "mesh",
            Self::Ellipsoid { .. } => "ellipsoid",
            Self::Superquadric { .. } => "superquadric",
        }
    }
}
