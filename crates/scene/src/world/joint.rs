//! Joints and driven bodies.

use nalgebra::{SMatrix, SVector, Vector3};
use signorini_dynamics::{BodyId, Course, Joint, JointKind, Motion, Motor, Spring, World};
use signorini_geometry::Pose;

use super::check::Checked;
use super::{InDimension, body_named};
use crate::error::{Fault, Place, SceneError};
use crate::format::{JointWord, Scene, SceneBody, SceneCourse, SceneJoint, SceneMotor};

/// Adds the joints of the scene, and ends contact between their bodies unless it is asked for.
pub(super) fn add_joints<const D: usize>(
    scene: &Scene,
    world: &mut World<D>,
) -> Result<(), SceneError> {
    for (index, data) in scene.joints.iter().enumerate() {
        let checked = Checked::new(Place::Joint {
            name: data.name.clone(),
        });
        if data.name.is_empty() {
            let checked = Checked::new(Place::Joint {
                name: format!("number {}", index + 1),
            });
            return Err(checked.fault("name", Fault::Empty));
        }
        let [first, second] = &data.bodies;
        let a = body_named(&checked, "bodies", first, world)?;
        let b = body_named(&checked, "bodies", second, world)?;
        if a == b {
            let fault = Fault::SameBody {
                found: first.clone(),
            };
            return Err(checked.fault("bodies", fault));
        }
        let joint = joint(&checked, data, [a, b], world)?;
        world.join(joint)?;
        if !data.contact {
            world.exclude(a, b)?;
        }
    }
    Ok(())
}

/// The joint, with its frames made from world axes.
fn joint<const D: usize>(
    checked: &Checked,
    data: &SceneJoint,
    [a, b]: [BodyId; 2],
    world: &World<D>,
) -> Result<Joint<D>, SceneError> {
    let q = world.initial_state().q;
    let poses = [a, b].map(|body| world.pose(&q, body));
    let is_line = matches!(data.kind, JointWord::Distance | JointWord::Rope);
    let home = if is_line { &poses[0] } else { &poses[1] };
    let anchor = match &data.anchor {
        Some(anchor) => checked.vector("anchor", anchor)?,
        None => home.position,
    };
    let other = match &data.second_anchor {
        Some(_) if !is_line => {
            let hint = "only `distance` and `rope` have two ends; leave it out";
            return Err(checked.fault("second_anchor", Fault::Meaningless { hint }));
        }
        Some(anchor) => checked.vector("second_anchor", anchor)?,
        None if is_line => poses[1].position,
        None => anchor,
    };
    let turns = turns(checked, data)?;
    let frame = |side: usize, position: SVector<f64, D>| {
        let pose: &Pose<D> = &poses[side];
        Pose {
            position: pose.inverse_apply(&position),
            rotation: pose.rotation.transpose() * turns[side],
        }
    };
    let mut joint = Joint::new(
        data.name.clone(),
        kind(checked, data, &(other - anchor))?,
        a,
        b,
    );
    joint.frame_a = frame(0, anchor);
    joint.frame_b = frame(1, other);
    if let Some(limits) = data.limits {
        if limits.iter().any(|x| x.is_nan()) {
            let found = f64::NAN;
            return Err(checked.fault("limits", Fault::NotFinite { found }));
        }
        joint.limits = Some(limits);
    }
    joint.drive = data
        .drive
        .map(|drive| course(checked, "drive", drive))
        .transpose()?;
    joint.spring = data.spring.map(|spring| Spring {
        stiffness: spring.stiffness,
        damping: spring.damping,
        rest: spring.rest,
    });
    joint.motor = data.motor.map(|motor| match motor {
        SceneMotor::Rate(motor) => Motor::Rate {
            rate: motor.rate,
            limit: motor.limit.unwrap_or(f64::INFINITY),
        },
        SceneMotor::Effort(motor) => Motor::Effort {
            effort: motor.effort,
        },
    });
    joint.friction = data.friction.unwrap_or(0.0);
    Ok(joint)
}

fn kind<const D: usize>(
    checked: &Checked,
    data: &SceneJoint,
    line: &SVector<f64, D>,
) -> Result<JointKind, SceneError> {
    let is_line = matches!(data.kind, JointWord::Distance | JointWord::Rope);
    if data.length.is_some() && !is_line {
        let hint = "only `distance` and `rope` have a length; leave it out";
        return Err(checked.fault("length", Fault::Meaningless { hint }));
    }
    if data.ratio.is_some() && data.kind != JointWord::Gear {
        let hint = "only a `gear` has a ratio; leave it out";
        return Err(checked.fault("ratio", Fault::Meaningless { hint }));
    }
    let length = || checked.positive("length", data.length.unwrap_or_else(|| line.norm()));
    Ok(match data.kind {
        JointWord::Fixed => JointKind::Fixed,
        JointWord::Revolute => JointKind::Revolute,
        JointWord::Prismatic => JointKind::Prismatic,
        JointWord::Cylindrical => JointKind::Cylindrical,
        JointWord::Spherical => JointKind::Spherical,
        JointWord::Universal => JointKind::Universal,
        JointWord::Planar => JointKind::Planar,
        JointWord::Distance => JointKind::Distance { length: length()? },
        JointWord::Rope => JointKind::Rope { length: length()? },
        JointWord::Gear => JointKind::Gear {
            ratio: checked.finite("ratio", data.ratio.unwrap_or(1.0))?,
        },
    })
}

/// Largest cosine between the two arms of a universal joint.
const ACROSS: f64 = 1e-9;

/// Rotations of the frames on both bodies: the axis is the third of a frame in space and the first in the plane; the arms of
/// a universal joint are the first of the one frame and the second of the other.
fn turns<const D: usize>(
    checked: &Checked,
    data: &SceneJoint,
) -> Result<[SMatrix<f64, D, D>; 2], SceneError> {
    use JointWord::{Fixed, Gear, Planar, Prismatic, Universal};
    let meaningless = |field, hint| Err(checked.fault(field, Fault::Meaningless { hint }));
    let straight = matches!(
        data.kind,
        Fixed | JointWord::Spherical | JointWord::Distance | JointWord::Rope
    );
    if data.axis.is_some() && (straight || (D == 2 && data.kind != Prismatic)) {
        return meaningless("axis", "this joint has no axis here; leave it out");
    }
    if data.second_axis.is_some() && (D == 2 || !matches!(data.kind, Universal | Gear)) {
        let hint = "only `universal` and `gear` in space have a second axis; leave it out";
        return meaningless("second_axis", hint);
    }
    let direction = |field, axis: &Option<Vec<f64>>| {
        let axis = axis
            .as_ref()
            .map(|axis| checked.direction::<D>(field, axis));
        axis.transpose()
            .map(|axis| axis.map(|axis| axis.normalize()))
    };
    let first = direction("axis", &data.axis)?;
    let second = direction("second_axis", &data.second_axis)?;
    let none = SMatrix::identity();
    match (first, second) {
        (None, None) => Ok([none; 2]),
        (Some(axis), None) if D == 2 => {
            Ok([columns(&[[axis[0], axis[1], 0.0], [-axis[1], axis[0], 0.0]]); 2])
        }
        (first, second) if data.kind == Universal => {
            let first = first.map_or_else(Vector3::x, |e| Vector3::new(e[0], e[1], e[2]));
            let second = second.map_or_else(|| across(&first), |e| Vector3::new(e[0], e[1], e[2]));
            if first.dot(&second).abs() > ACROSS {
                return Err(checked.fault("second_axis", Fault::NotAcross));
            }
            let arms = [first, second, first.cross(&second)];
            Ok([columns(&arms.map(Into::into)); 2])
        }
        (first, second) => {
            debug_assert!(
                D == 3 || data.kind != Planar,
                "the plane has no second axis"
            );
            let about = |axis: Option<SVector<f64, D>>| match axis {
                None => none,
                Some(e) => {
                    let third = Vector3::new(e[0], e[1], e[2]);
                    let one = across(&third);
                    columns(&[one, third.cross(&one), third].map(Into::into))
                }
            };
            Ok([about(first), about(second.or(first))])
        }
    }
}

/// A unit vector across another: of the coordinate axis that is least along it.
fn across(e: &Vector3<f64>) -> Vector3<f64> {
    let least = (0..3).fold(0, |k, i| if e[i].abs() < e[k].abs() { i } else { k });
    (Vector3::ith(least, 1.0) - e * e[least]).normalize()
}

fn columns<const D: usize>(columns: &[[f64; 3]]) -> SMatrix<f64, D, D> {
    SMatrix::from_fn(|i, j| columns[j][i])
}

/// The motion of a driven body.
pub(super) fn driven<const D: usize>(
    space: &impl InDimension<D>,
    checked: &Checked,
    data: &SceneBody,
) -> Result<Option<Motion>, SceneError> {
    let Some(driven) = &data.driven else {
        return Ok(None);
    };
    if data.fixed {
        return Err(checked.fault("driven", Fault::Both { other: "fixed" }));
    }
    let linear: SVector<f64, D> =
        checked.vector_or_zero("driven.linear", driven.linear.as_ref())?;
    let angular = space.spin(checked, "driven.angular", driven.angular.as_ref())?;
    let mut direction = [0.0; 6];
    let entries = linear.iter().chain(&angular);
    direction.iter_mut().zip(entries).for_each(|(d, x)| *d = *x);
    if direction.iter().all(|x| *x == 0.0) {
        return Err(checked.fault("driven", Fault::NoDirection));
    }
    Ok(Some(Motion::Driven {
        direction,
        course: course(checked, "driven.course", driven.course)?,
    }))
}

fn course(checked: &Checked, field: &'static str, data: SceneCourse) -> Result<Course, SceneError> {
    match data {
        SceneCourse::Steady(steady) => Ok(Course::Steady {
            rate: checked.finite(field, steady.rate)?,
        }),
        SceneCourse::Oscillation(swing) => {
            let until = swing.until.unwrap_or(f64::INFINITY);
            let numbers = [swing.amplitude, swing.frequency, swing.phase, swing.from];
            checked.all_finite(field, &numbers)?;
            if until.is_nan() || until < swing.from {
                let from = swing.from;
                return Err(checked.fault(field, Fault::Interval { from, until }));
            }
            Ok(Course::Oscillation {
                amplitude: swing.amplitude,
                frequency: swing.frequency,
                phase: swing.phase,
                from: swing.from,
                until,
            })
        }
    }
}
