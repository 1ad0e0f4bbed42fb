//! The scene as a whole.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ContactRule, Dimension, PairRule, RunSettings, SceneBody, SceneJoint, SceneLoad};

/// The version of the scene format that this crate reads and writes.
pub const FORMAT_VERSION: u32 = 1;

/// A scene: bodies, what acts on them, how they touch, and how to run it.
///
/// # Examples
/// ```
/// use signorini_scene::Scene;
///
/// let scene = Scene::from_toml(
///     r#"
///     version = 1
///     gravity = [0, 0, -9.81]
///     contact_default = { friction = 0.3, restitution = 0.0 }
///
///     [[bodies]]
///     name = "floor"
///     shape = { type = "halfspace", normal = [0, 0, 1] }
///     fixed = true
///
///     [[bodies]]
///     name = "ball"
///     shape = { type = "sphere", radius = 0.1 }
///     position = [0, 0, 0.1]
///     mass = 1.0
///     "#,
/// )?;
/// assert_eq!(scene.bodies.len(), 2);
/// assert_eq!(scene.contact_default.friction, 0.3);
/// # Ok::<(), signorini_scene::SceneError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(description = "A scene: bodies, what acts on them, how they touch, and how to run it.")]
pub struct Scene {
    /// Version of the format. Left out, it is 1, the only one there is.
    #[serde(default = "current_version")]
    #[schemars(range(min = 1, max = 1))]
    pub version: u32,
    /// What the scene is called in reports. Left out, the file's name is used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// A remark for readers; it changes nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Units of every number in the file: SI (m, kg, s, rad, N, N m).
    #[serde(default)]
    pub units: Units,
    /// 2 in the plane (x, y; y up), 3 in space (x, y, z; z up).
    #[serde(default)]
    pub dimension: Dimension,
    /// Gravitational acceleration in world axes, m/s²: 2 numbers in the plane, 3 in space.
    pub gravity: Vec<f64>,
    /// Friction and restitution of every pair that has no rule of its own. Left out: 0 and 0.
    #[serde(default)]
    pub contact_default: ContactRule,
    /// Rules of single pairs, which replace `contact_default`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contact: Vec<PairRule>,
    /// Pairs of bodies, by name, that pass through each other: no contact between them is looked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exclude: Vec<[String; 2]>,
    /// Direction in world axes whose projection on the contact plane is the first tangent (space only). It decides
    /// how a friction pyramid is turned. Left out: z where |n_z| < 0.9, else x.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction_reference: Option<Vec<f64>>,
    /// What to do when two bodies overlap at the start by more than 1e-6 of the smaller one's size; at the top of the scene,
    /// before its first table.
    #[serde(default)]
    pub initial_overlap: InitialOverlap,
    /// The bodies. Their order is the order of the columns in trajectories.
    pub bodies: Vec<SceneBody>,
    /// Joints between bodies.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub joints: Vec<SceneJoint>,
    /// Forces and torques besides gravity.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub loads: Vec<SceneLoad>,
    /// How to run the scene; each setting can be replaced on the command line.
    #[serde(default)]
    pub run: RunSettings,
}

/// Units of the numbers in a scene.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
pub enum Units {
    /// Metre, kilogram, second, radian, newton.
    #[default]
    SI,
}

/// What to do with bodies that overlap at the start.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum InitialOverlap {
    /// Refuse the scene and name the pair.
    #[default]
    Refuse,
    /// Start anyway; the stepper pushes the bodies apart. `geometrically-implicit` and `tzitzouris-pang` do so within one step, at a
    /// speed of depth / h: the kinetic energy of that is added, and stays.
    Allow,
}

fn current_version() -> u32 {
    FORMAT_VERSION
}
