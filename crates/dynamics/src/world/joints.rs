//! The joints of a world.

use nalgebra::SMatrix;
use signorini_complementarity::FIXED;
use signorini_geometry::Pose;

use super::{World, WorldError};
use crate::{
    body::BodyId,
    joint::{
        Joint, JointError, JointId, JointKind, Joints, Motor, Sides, Span, add_effort, origins,
        spring_energy, write,
    },
};

/// A joint in the world, and what its coordinates count from.
#[derive(Clone, Debug)]
pub(super) struct Joined<const D: usize> {
    joint: Joint<D>,
    origin: f64,
    start: f64,
}

/// Largest entry of RᵀR − 1 of a frame of a joint.
const ORTHONORMAL: f64 = 1e-9;

impl<const D: usize> World<D> {
    /// Joins two bodies; angles and drives count from where the bodies are.
    ///
    /// # Errors
    /// [`WorldError::UnknownBody`], [`WorldError::SameBody`], or [`WorldError::Joint`] naming the joint and what is wrong
    /// with it.
    ///
    /// # Panics
    /// If the world has 2³² joints already.
    pub fn join(&mut self, joint: Joint<D>) -> Result<JointId, WorldError> {
        self.pair(joint.a, joint.b)?;
        self.check_joint(&joint)?;
        let id =
            u32::try_from(self.joints.len()).expect("a world holds fewer joints than u32 counts");
        let sides = self.sides(&joint, &self.initial_state().q, [0.0; 2]);
        let [origin, start] = origins(self.space(), &joint, &sides)?;
        self.joints.push(Joined {
            joint,
            origin,
            start,
        });
        Ok(JointId(id))
    }

    /// All joints in the order of adding.
    pub fn joints(&self) -> impl Iterator<Item = (JointId, &Joint<D>)> {
        (0..)
            .map(JointId)
            .zip(self.joints.iter().map(|joined| &joined.joint))
    }

    pub(super) fn write_joints(
        &self,
        q: &[f64],
        span: Span,
        out: &mut Joints,
    ) -> Result<(), JointError> {
        out.reset(self.space().dofs());
        for (number, joined) in (0..).zip(&self.joints) {
            let sides = self.sides(&joined.joint, q, [joined.origin, joined.start]);
            let result = write(self.space(), &joined.joint, number, &sides, span, out);
            if result.is_err() {
                out.reset(self.space().dofs());
                return result;
            }
        }
        Ok(())
    }

    /// Energy of all springs, J.
    pub(super) fn spring_energy(&self, q: &[f64]) -> f64 {
        let sprung = self.joints.iter().filter(|j| j.joint.spring.is_some());
        let energy = |joined: &Joined<D>| {
            let sides = self.sides(&joined.joint, q, [joined.origin, joined.start]);
            spring_energy(self.space(), &joined.joint, &sides)
        };
        sprung.map(energy).sum()
    }

    /// Adds the impulses of motors without a rate in a step of h seconds.
    pub(super) fn add_motors(&self, q: &[f64], h: f64, out: &mut [f64]) {
        for joined in &self.joints {
            if matches!(joined.joint.motor, Some(Motor::Effort { .. })) {
                let sides = self.sides(&joined.joint, q, [joined.origin, joined.start]);
                add_effort(self.space(), &joined.joint, &sides, h, out);
            }
        }
    }

    pub(super) fn joint_name_at(&self, joint: usize) -> Option<&str> {
        Some(&self.joints.get(joint)?.joint.name)
    }

    fn sides(&self, joint: &Joint<D>, q: &[f64], [origin, start]: [f64; 2]) -> Sides<D> {
        let bodies = [joint.a, joint.b].map(BodyId::index);
        let nq = self.space().nq();
        let column = |body: usize| {
            self.column_at(body).map_or(FIXED, |column| {
                u32::try_from(column).expect("World::add refuses more bodies than u32 can count")
            })
        };
        let angle = |body: usize| match self.column_at(body) {
            Some(column) => q[column * nq + 2],
            None => self.bodies[body].body.position[2],
        };
        Sides {
            columns: bodies.map(column),
            poses: bodies.map(|body| self.pose_at(q, body)),
            angles: bodies.map(angle),
            origin,
            start,
        }
    }

    /// Checks everything that needs no coordinates.
    fn check_joint(&self, joint: &Joint<D>) -> Result<(), JointError> {
        let name = || joint.name.clone();
        if self.joints().any(|(_, other)| other.name == joint.name) {
            return Err(JointError::DuplicateName { joint: name() });
        }
        if !(self.is_free(joint.a.index()) || self.is_free(joint.b.index())) {
            return Err(JointError::NothingMoves { joint: name() });
        }
        for (frame, body) in [(&joint.frame_a, joint.a), (&joint.frame_b, joint.b)] {
            if !is_frame(frame) {
                let body = self.body_name_at(body.index()).to_owned();
                return Err(JointError::Frame {
                    joint: name(),
                    body,
                });
            }
        }
        let value = |quantity, value, must| {
            Err(JointError::Value {
                joint: name(),
                quantity,
                value,
                must,
            })
        };
        let spatial = |kind| {
            Err(JointError::Spatial {
                joint: name(),
                kind,
            })
        };
        let has_coordinate = match joint.kind {
            JointKind::Cylindrical if D == 2 => return spatial("cylindrical"),
            JointKind::Spherical if D == 2 => return spatial("spherical"),
            JointKind::Universal if D == 2 => return spatial("universal"),
            JointKind::Planar if D == 2 => return spatial("planar"),
            JointKind::Distance { length } | JointKind::Rope { length }
                if !(length > 0.0 && length.is_finite()) =>
            {
                return value("length", length, "positive");
            }
            JointKind::Gear { ratio } if ratio == 0.0 || !ratio.is_finite() => {
                return value("ratio", ratio, "finite and not 0");
            }
            JointKind::Revolute
            | JointKind::Prismatic
            | JointKind::Cylindrical
            | JointKind::Distance { .. } => true,
            _ => false,
        };
        if let Some([least, largest]) = joint.limits {
            if !has_coordinate {
                let what = "limits";
                return Err(JointError::NoCoordinate {
                    joint: name(),
                    what,
                });
            }
            if least.is_nan() || least == f64::INFINITY {
                return value("least coordinate", least, "a number below ∞");
            }
            if largest.is_nan() || largest < least || largest == f64::NEG_INFINITY {
                return value("largest coordinate", largest, "at least the least one");
            }
        }
        check_efforts(joint, has_coordinate)?;
        match &joint.drive {
            Some(_) if !has_coordinate => Err(JointError::NoCoordinate {
                joint: name(),
                what: "a drive",
            }),
            Some(course) if !course.is_valid() => Err(JointError::NotFinite {
                joint: name(),
                t: 0.0,
            }),
            _ => Ok(()),
        }
    }
}

/// Checks spring, motor and friction.
fn check_efforts<const D: usize>(joint: &Joint<D>, has_coordinate: bool) -> Result<(), JointError> {
    let name = || joint.name.clone();
    let given = [
        ("a spring", joint.spring.is_some()),
        ("a motor", joint.motor.is_some()),
        ("friction", joint.friction != 0.0),
    ];
    if let Some((what, _)) = given.iter().find(|(_, given)| *given && !has_coordinate) {
        let joint = name();
        return Err(JointError::NoCoordinate { joint, what });
    }
    if joint.drive.is_some()
        && let Some((what, _)) = given[..2].iter().find(|(_, given)| *given)
    {
        let joint = name();
        return Err(JointError::Driven { joint, what });
    }
    let at_least = |quantity, value: f64, least: f64| {
        let (finite, must) = (value.is_finite(), "finite and at least 0");
        if finite && value >= least {
            Ok(())
        } else {
            let joint = name();
            Err(JointError::Value {
                joint,
                quantity,
                value,
                must,
            })
        }
    };
    at_least("friction", joint.friction, 0.0)?;
    if let Some(spring) = joint.spring {
        at_least("stiffness", spring.stiffness, 0.0)?;
        at_least("damping", spring.damping, 0.0)?;
        at_least("rest of the spring", spring.rest, f64::NEG_INFINITY)?;
        if spring.stiffness + spring.damping == 0.0 {
            return Err(JointError::Value {
                joint: name(),
                quantity: "stiffness",
                value: 0.0,
                must: "positive where the damping is 0",
            });
        }
    }
    match joint.motor {
        Some(Motor::Rate { rate, limit }) => {
            at_least("rate of the motor", rate, f64::NEG_INFINITY)?;
            if limit.is_nan() || limit <= 0.0 {
                return Err(JointError::Value {
                    joint: name(),
                    quantity: "limit of the motor",
                    value: limit,
                    must: "positive",
                });
            }
            Ok(())
        }
        Some(Motor::Effort { effort }) => at_least("effort", effort, f64::NEG_INFINITY),
        None => Ok(()),
    }
}

fn is_frame<const D: usize>(frame: &Pose<D>) -> bool {
    let square = frame.rotation.tr_mul(&frame.rotation) - SMatrix::identity();
    let r = &frame.rotation;
    let determinant = if D == 2 {
        r[(0, 0)] * r[(1, 1)] - r[(0, 1)] * r[(1, 0)]
    } else {
        r.column(0).cross(&r.column(1)).dot(&r.column(2))
    };
    frame.is_finite() && square.amax() <= ORTHONORMAL && determinant > 0.0
}
