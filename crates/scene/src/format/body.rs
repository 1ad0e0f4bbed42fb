//! One body.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{SceneDriven, SceneInertia, SceneShape, Spin};

/// A rigid body: shape, place, motion and inertia.
///
/// The origin of the body's axes is its centre of mass.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SceneBody {
    /// The body's name: not empty, no other body has it. Messages and column names use it.
    #[schemars(length(min = 1))]
    pub name: String,
    /// What it looks like. Left out or `{ type = "none" }`: a body that touches nothing.
    #[serde(default)]
    pub shape: SceneShape,
    /// Place of the body's origin in world axes, m. Left out: the world's origin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<Vec<f64>>,
    /// Orientation in space: unit quaternion, body to world, scalar part first. Left out: no rotation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quaternion: Option<Vec<f64>>,
    /// Orientation in the plane, rad, counter-clockwise. Left out: 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub angle: Option<f64>,
    /// Mass, kg, greater than 0. A body that moves needs `mass` or `density`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub mass: Option<f64>,
    /// Density, kg/m³ in space and kg/m² in the plane, greater than 0, from which the shape's size makes the mass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub density: Option<f64>,
    /// Inertia about the centre of mass. Left out: `"from_shape_uniform"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inertia: Option<SceneInertia>,
    /// Velocity of the centre of mass in world axes, m/s. Left out: at rest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub linear_velocity: Option<Vec<f64>>,
    /// Angular velocity, rad/s: 3 numbers in world axes in space, one number in the plane. Left out: at rest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub angular_velocity: Option<Spin>,
    /// Velocity of its surface relative to the body, m/s, body axes: a belt that runs. Left out: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub surface_velocity: Option<Vec<f64>>,
    /// Whether the body stays where it is, whatever pushes it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fixed: bool,
    /// Motion that nothing can change: a shaker, a turntable. Such a body needs no mass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driven: Option<SceneDriven>,
    /// Which other bodies it can touch. Left out: it is in group 0 and touches all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub groups: Option<SceneGroups>,
}

/// Groups of a body, numbers from 0 to 31. Two bodies can touch if each is in a group that the other touches.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SceneGroups {
    /// The groups it is in. Left out: group 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(inner(range(min = 0, max = 31)))]
    pub member: Option<Vec<u32>>,
    /// The groups that it touches. Left out: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(inner(range(min = 0, max = 31)))]
    pub collides_with: Option<Vec<u32>>,
}
