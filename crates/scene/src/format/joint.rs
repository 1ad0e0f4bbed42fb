//! Joints, and motion that is prescribed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Spin;

/// A joint between two bodies, told in world axes where they are at the start.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SceneJoint {
    /// The joint's name: no other joint has it.
    #[schemars(length(min = 1))]
    pub name: String,
    /// What it holds.
    pub kind: JointWord,
    /// The names of its two bodies. One of them may be fixed.
    pub bodies: [String; 2],
    /// Where it is, m; of a `distance` or `rope` the end on the first body. Left out: the origin of the second body, and of
    /// the first for `distance` and `rope`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<Vec<f64>>,
    /// The end of a `distance` or `rope` on the second body, m. Left out: that body's origin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second_anchor: Option<Vec<f64>>,
    /// Direction about which or along which it moves, or across which it slides (`planar`), any length. Left out: z in
    /// space; x in the plane, where only `prismatic` has one. Of a `gear`: the first body's axis; of a `universal`: the arm
    /// that is fixed to the first body, x if it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axis: Option<Vec<f64>>,
    /// The second body's axis of a `gear` in space, left out: that of the first; or the arm of a `universal` that is fixed to
    /// the second body, across the first arm, left out: any such.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second_axis: Option<Vec<f64>>,
    /// Length of a `distance` or `rope`, m. Left out: that at the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub length: Option<f64>,
    /// Turns of a `gear`'s first body for one turn of the second in the other sense. Left out: 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
    /// Least and largest value of its coordinate, rad or m, which is 0 at the start (`revolute`, `prismatic`, `cylindrical`,
    /// and the distance less the length of a `distance`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<[f64; 2]>,
    /// Its coordinate as a function of time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drive: Option<SceneCourse>,
    /// A spring and damper along its coordinate; of a `distance` they take the place of the rod.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spring: Option<SceneSpring>,
    /// A motor along its coordinate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motor: Option<SceneMotor>,
    /// Largest force of dry friction along its coordinate, N or N m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub friction: Option<f64>,
    /// Whether its bodies can touch each other.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub contact: bool,
}

/// What a joint holds.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum JointWord {
    /// Nothing moves.
    #[default]
    Fixed,
    /// A hinge: the second body turns about the axis.
    Revolute,
    /// The second body slides along the axis and does not turn.
    Prismatic,
    /// It slides along the axis and turns about it (space).
    Cylindrical,
    /// A ball in its socket (space).
    Spherical,
    /// Two shafts with a cross between them (space).
    Universal,
    /// It slides in a plane and turns about its normal (space).
    Planar,
    /// A rod between two points.
    Distance,
    /// A rope between two points.
    Rope,
    /// Two wheels in gear on whatever holds their axes.
    Gear,
}

/// A force −stiffness (x − rest) − damping ẋ along the coordinate x of a joint, implicit and stable at any step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SceneSpring {
    /// N/m or N m/rad, at least 0. Left out: 0, a damper.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub stiffness: f64,
    /// N s/m or N m s/rad, at least 0. Left out: 0.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub damping: f64,
    /// Coordinate without force. Left out: 0, where it is at the start, and the length of a `distance`.
    #[serde(default)]
    pub rest: f64,
}

/// What moves the coordinate of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "a motor is `{ rate = 1.0 }`, to which `limit` may be added, or `{ effort = 1.0 }`"
)]
pub enum SceneMotor {
    /// A rate, with whatever force it needs up to a limit.
    Rate(RateMotor),
    /// A force.
    Effort(EffortMotor),
}

/// A motor that holds a rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RateMotor {
    /// m/s or rad/s.
    pub rate: f64,
    /// Largest force, N or N m, greater than 0. Left out: any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub limit: Option<f64>,
}

/// A motor with a force.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EffortMotor {
    /// N or N m.
    pub effort: f64,
}

/// A coordinate as a function of time, from 0 at the start.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "a course is `{ rate = 1.0 }`, or `{ amplitude = 0.1, frequency = 2.0 }`, to which `phase`, `from` and `until` may be added"
)]
pub enum SceneCourse {
    /// rate · t.
    Steady(SteadyCourse),
    /// amplitude (sin(2π frequency (t − from) + phase) − sin phase).
    Oscillation(OscillationCourse),
}

/// A coordinate that grows steadily.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SteadyCourse {
    /// Rate, in units of the coordinate per second.
    pub rate: f64,
}

/// A coordinate that swings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OscillationCourse {
    /// Amplitude, in units of the coordinate.
    pub amplitude: f64,
    /// Frequency, Hz.
    pub frequency: f64,
    /// Phase at `from`, rad.
    #[serde(default)]
    pub phase: f64,
    /// First time at which it swings, s.
    #[serde(default)]
    pub from: f64,
    /// Time from which it stands still, s. Left out: it never ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<f64>,
}

/// Motion of a body that nothing can change: a shaker, a turntable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SceneDriven {
    /// Velocity for a unit rate of the course, world axes. Left out: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub linear: Option<Vec<f64>>,
    /// Angular velocity for a unit rate of the course: 3 numbers in world axes in space, one number in the plane. Left out:
    /// none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub angular: Option<Spin>,
    /// How far along these.
    pub course: SceneCourse,
}
