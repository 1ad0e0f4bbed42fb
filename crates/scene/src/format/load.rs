//! Forces and torques besides gravity.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Spin;

/// A force and a torque on one body, in world axes, for a time.
///
/// The force acts at the centre of mass.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SceneLoad {
    /// The name of the body.
    pub body: String,
    /// Force in world axes, N. Left out: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub force: Option<Vec<f64>>,
    /// Torque, N m: 3 numbers in world axes in space, one number in the plane. Left out: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub torque: Option<Spin>,
    /// First time at which it acts, s. Left out: it has always acted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<f64>,
    /// Time from which it acts no more, s. Left out: it never ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<f64>,
    /// Factor sin(2 π frequency t + phase) on force and torque. Left out: the load is constant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sinusoid: Option<Sinusoid>,
}

/// A factor sin(2 π frequency t + phase).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sinusoid {
    /// Frequency, Hz, at least 0.
    #[schemars(range(min = 0.0))]
    pub frequency: f64,
    /// Phase at t = 0, rad.
    #[serde(default)]
    pub phase: f64,
}
