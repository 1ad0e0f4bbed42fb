//! Joints: constraints between two bodies that hold whatever the forces, as rows of the velocities.
//!
//! ```math
//! \Theta(q, t) = 0, \quad \dot\Theta = J v - f'(t) \qquad \text{and for limits} \quad \Psi(q) \ge 0
//! ```
//!
//! # Method
//! A joint has a frame on each of its bodies. Its kind says which components of the one frame's place and turn in the other
//! are held. Each is one row; see `rows` for the formulas. Rows of one joint may depend on one another in a closed loop.
//!
//! # References
//! - G. D. Hart, M. Anitescu, A hard-constraint time-stepping approach for rigid multibody dynamics with joints, contact,
//!   and friction, 2003: (2.1), (2.8).

mod error;
mod rows;

use nalgebra::SVector;
use signorini_complementarity::BlockRows;
use signorini_geometry::Pose;

pub use error::JointError;
pub(crate) use rows::{Sides, Span, add_effort, origins, spring_energy, write};

use crate::{body::BodyId, course::Course};

/// Handle of a joint in its world: its place in the order of adding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JointId(pub(crate) u32);

impl JointId {
    /// Place in the order of adding, as in [`JointRow`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a joint holds. The axis of a joint in space is the third axis of its frames.
///
/// | kind          | plane        | space        | coordinate for limits and drives                        |
/// | ------------- | ------------ | ------------ | ------------------------------------------------------- |
/// | `Fixed`       | 3 rows       | 6 rows       | –                                                       |
/// | `Revolute`    | 2            | 5            | angle of B in A, rad; in space about the axis, in (−π, π] |
/// | `Prismatic`   | 2            | 5            | place of B along A's axis (first in the plane), m       |
/// | `Cylindrical` | –            | 4            | place of B along A's axis, m                            |
/// | `Spherical`   | –            | 3            | –                                                       |
/// | `Universal`   | –            | 4            | –: A's first axis stays across B's second               |
/// | `Planar`      | –            | 3            | –: B stays in the plane across A's axis                 |
/// | `Distance`    | 1            | 1            | distance of the two origins less the length, m          |
/// | `Rope`        | 1 limit      | 1 limit      | –: the distance is at most the length                   |
/// | `Gear`        | 1            | 1            | –: turn of A + ratio · turn of B stays; in space about the axes, held by its rate only |
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JointKind {
    /// Nothing moves.
    Fixed,
    /// A hinge: B turns about the axis.
    Revolute,
    /// B slides along the axis and does not turn.
    Prismatic,
    /// B slides along the axis and turns about it.
    Cylindrical,
    /// A ball in its socket: the origins coincide.
    Spherical,
    /// The origins coincide and B turns about two axes that stay across each other.
    Universal,
    /// B slides in a plane and turns about its normal.
    Planar,
    /// A rod of this length, m, positive.
    Distance {
        /// Length, m.
        length: f64,
    },
    /// A rope of this length, m, positive.
    Rope {
        /// Length, m.
        length: f64,
    },
    /// Two wheels in gear on whatever holds their axes.
    Gear {
        /// Turns of A for one turn of B in the other sense.
        ratio: f64,
    },
}

/// A joint between two bodies.
///
/// | name      | unit   | meaning                                                                     |
/// | --------- | ------ | --------------------------------------------------------------------------- |
/// | `a`, `b`  | –      | the bodies; one of them may be fixed                                        |
/// | `frame_a` | m      | frame of the joint in A's axes                                              |
/// | `frame_b` | m      | frame of the joint in B's axes; it coincides with the other when all is held |
/// | `limits`  | m, rad | least and largest value of the coordinate, see [`JointKind`]; may be ∓∞     |
/// | `drive`   | m, rad | the coordinate as a function of time; it is held then, and spring and motor are refused |
/// | `spring`  | –      | a spring and damper along the coordinate; of a `Distance` it takes the place of the rod |
/// | `motor`   | –      | what moves the coordinate, see [`Motor`]                                    |
/// | `friction` | N, N m | largest force of dry friction along the coordinate                         |
///
/// Contact between the bodies of a joint is looked for as between others; [`World::exclude`](crate::World::exclude) ends it.
///
/// # Examples
/// A pendulum: one joint between the room and a rod.
/// ```
/// use nalgebra::Vector2;
/// use signorini_dynamics::{Body, Inertia, Joint, JointKind, World};
/// use signorini_geometry::Pose;
/// let mut world = World::<2>::new();
/// let room = world.add(Body::anchor("room"))?;
/// let rod = Body { position: vec![0.5, 0.0, 0.0], ..Body::moving("rod", 1.0, Inertia::Scalar(1.0 / 12.0)) };
/// let rod = world.add(rod)?;
/// let end = Pose::from_position(Vector2::new(-0.5, 0.0));
/// world.join(Joint { frame_b: end, ..Joint::new("pivot", JointKind::Revolute, room, rod) })?;
/// assert_eq!(world.joints().count(), 1);
/// # Ok::<(), signorini_dynamics::WorldError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Joint<const D: usize> {
    /// Name in messages and reports; unique in a world.
    pub name: String,
    /// What it holds.
    pub kind: JointKind,
    /// First body.
    pub a: BodyId,
    /// Second body.
    pub b: BodyId,
    /// Frame of the joint in A's axes.
    pub frame_a: Pose<D>,
    /// Frame of the joint in B's axes.
    pub frame_b: Pose<D>,
    /// Least and largest value of the coordinate.
    pub limits: Option<[f64; 2]>,
    /// The coordinate as a function of time.
    pub drive: Option<Course>,
    /// A spring and damper along the coordinate.
    pub spring: Option<Spring>,
    /// What moves the coordinate.
    pub motor: Option<Motor>,
    /// Largest force of dry friction along the coordinate, N or N m.
    pub friction: f64,
}

/// A force −k (x − rest) − c ẋ along the coordinate x of a joint. It is taken at the end of each step, so that it is stable
/// however stiff it is and however long the step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spring {
    /// k, N/m or N m/rad, at least 0.
    pub stiffness: f64,
    /// c, N s/m or N m s/rad, at least 0; one of both is positive.
    pub damping: f64,
    /// Coordinate without force, m or rad; of a `Distance` beside its length.
    pub rest: f64,
}

/// What moves the coordinate of a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Motor {
    /// It is moved with this rate by whatever force that needs, up to a limit.
    Rate {
        /// m/s or rad/s.
        rate: f64,
        /// Largest force, N or N m, positive; may be ∞.
        limit: f64,
    },
    /// This force moves it, whatever comes of it.
    Effort {
        /// N or N m.
        effort: f64,
    },
}

impl<const D: usize> Joint<D> {
    /// Whether something is said of its coordinate.
    pub(crate) fn needs_coordinate(&self) -> bool {
        self.limits.is_some()
            || self.drive.is_some()
            || self.spring.is_some()
            || self.motor.is_some()
            || self.friction > 0.0
    }

    /// A joint whose frames are those of the bodies, without limits, drive, spring, motor and friction.
    pub fn new(name: impl Into<String>, kind: JointKind, a: BodyId, b: BodyId) -> Self {
        let frame = Pose::from_position(SVector::zeros());
        Self {
            name: name.into(),
            kind,
            a,
            b,
            frame_a: frame,
            frame_b: frame,
            limits: None,
            drive: None,
            spring: None,
            motor: None,
            friction: 0.0,
        }
    }
}

/// Which row of which joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct JointRow {
    /// Place of the joint in the order of adding.
    pub joint: u32,
    /// Number of the row in its joint; limits come after the equations.
    pub row: u32,
}

/// Rows of one sort: equations Θ = 0 or limits Ψ ≥ 0.
///
/// | name    | shape      | unit         | meaning                                                       |
/// | ------- | ---------- | ------------ | ------------------------------------------------------------- |
/// | `id`    | (n,)       | –            | joint and row, increasing                                     |
/// | `rows`  | n blocks   | –            | J, one row each                                               |
/// | `value` | (n,)       | m, rad or 1  | Θ or Ψ at q and t                                             |
/// | `drift` | (n,)       | that per s   | Θ̇ = J v + drift: minus the mean rate of the drive over the step |
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ConstraintRows {
    /// Joint and row.
    pub id: Vec<JointRow>,
    /// One row per block.
    pub rows: BlockRows,
    /// Θ or Ψ.
    pub value: Vec<f64>,
    /// Rate at rest.
    pub drift: Vec<f64>,
}

impl ConstraintRows {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.id.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.id.is_empty()
    }

    fn reset(&mut self, dofs: usize) {
        self.rows.reset(1, dofs);
        self.id.clear();
        self.value.clear();
        self.drift.clear();
    }
}

/// Rows that give way: springs, dampers, motors and dry friction in joints.
///
/// Their impulse p obeys J v + drift + gain · x + compliance · p = 0 while |p| ≤ bound, with x the value at the end of the
/// step as far as `gain` has not taken it into account: at q, for a step from there.
///
/// | name         | shape    | unit                 | meaning                                               |
/// | ------------ | -------- | -------------------- | ----------------------------------------------------- |
/// | `id`         | (n,)     | –                    | joint and row, increasing                             |
/// | `rows`       | n blocks | –                    | J, one row each                                       |
/// | `value`      | (n,)     | m or rad             | x − rest at q; 0 without a spring                     |
/// | `gain`       | (n,)     | 1/s                  | k / (h k + c)                                         |
/// | `drift`      | (n,)     | m/s or rad/s         | minus the rate of a motor                             |
/// | `compliance` | (n,)     | m/(s N s), 1/(N m s²) | 1 / (h² k + h c)                                     |
/// | `bound`      | (n,)     | N s or N m s         | h times the largest force, may be ∞                   |
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EffortRows {
    /// Joint and row.
    pub id: Vec<JointRow>,
    /// One row per block.
    pub rows: BlockRows,
    /// x − rest.
    pub value: Vec<f64>,
    /// How much of x the row's velocity counts.
    pub gain: Vec<f64>,
    /// Rate at rest.
    pub drift: Vec<f64>,
    /// Compliance of the impulse.
    pub compliance: Vec<f64>,
    /// Largest impulse.
    pub bound: Vec<f64>,
}

impl EffortRows {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.id.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.id.is_empty()
    }

    fn reset(&mut self, dofs: usize) {
        self.rows.reset(1, dofs);
        self.id.clear();
        self.value.clear();
        self.gain.clear();
        self.drift.clear();
        self.compliance.clear();
        self.bound.clear();
    }
}

/// All joints at a configuration.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Joints {
    /// What holds at all times.
    pub equations: ConstraintRows,
    /// What must not become negative.
    pub limits: ConstraintRows,
    /// What gives way.
    pub efforts: EffortRows,
}

impl Joints {
    /// Removes all rows; keeps the memory.
    pub fn reset(&mut self, dofs: usize) {
        self.equations.reset(dofs);
        self.limits.reset(dofs);
        self.efforts.reset(dofs);
    }
}
