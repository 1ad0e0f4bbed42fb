//! Rows of the kinds of joints.
//!
//! With e fixed in A, the rate of e·(x_B − x_A) is the velocity along e of B at x_B less that of A at the same place. With
//! directions a fixed in A and b in B, the rate of a·b is (ω_A − ω_B)·(a × b).

use std::f64::consts::TAU;

use nalgebra::SVector;
use signorini_complementarity::FIXED;
use signorini_geometry::Pose;

use super::{
    ConstraintRows, EffortRows, Joint, JointError, JointKind, JointRow, Joints, Motor, Spring,
};
use crate::space::{MAX_DOFS, Space, write_row};

/// The two sides of a joint at a configuration: columns, poses of the bodies, frames in world axes.
pub(crate) struct Sides<const D: usize> {
    pub(crate) columns: [u32; 2],
    pub(crate) poses: [Pose<D>; 2],
    /// Angles of the bodies; the plane only.
    pub(crate) angles: [f64; 2],
    /// What angles in the plane and gears count from.
    pub(crate) origin: f64,
    /// What a drive counts from.
    pub(crate) start: f64,
}

/// When a step begins and how long it is.
#[derive(Clone, Copy)]
pub(crate) struct Span {
    pub(crate) t: f64,
    pub(crate) h: f64,
}

/// Appends the rows of one joint.
pub(crate) fn write<const D: usize>(
    space: &'static dyn Space,
    joint: &Joint<D>,
    number: u32,
    sides: &Sides<D>,
    span: Span,
    out: &mut Joints,
) -> Result<(), JointError> {
    let writer = Writer::new(space, joint, sides);
    let mut held = Vec::with_capacity(MAX_DOFS);
    writer.held(joint, &mut held, span.t)?;
    let coordinate = writer.coordinate(joint, span.t)?;
    let mut row = 0;
    let mut push = |to: &mut ConstraintRows, part: &Part, value: f64, drift: f64| {
        let [a, b] = part.blocks.each_ref().map(|block| &block[..space.dofs()]);
        to.rows.push(sides.columns, a, b);
        to.id.push(JointRow { joint: number, row });
        to.value.push(value);
        to.drift.push(drift);
        row += 1;
        value.is_finite() && drift.is_finite()
    };
    let mut finite = true;
    let (course, rate) = match &joint.drive {
        None => (0.0, 0.0),
        Some(course) => (course.at(span.t), course.mean_rate(span.t, span.h)),
    };
    let is_rope = matches!(joint.kind, JointKind::Rope { .. });
    for part in &held {
        let to = if is_rope {
            &mut out.limits
        } else {
            &mut out.equations
        };
        finite &= push(to, part, part.value, 0.0);
    }
    if let Some(part) = &coordinate {
        if joint.drive.is_some() {
            let value = part.value - sides.start - course;
            finite &= push(&mut out.equations, part, value, -rate);
        }
        if let Some([least, largest]) = joint.limits {
            if least > f64::NEG_INFINITY {
                finite &= push(&mut out.limits, part, part.value - least, 0.0);
            }
            if largest < f64::INFINITY {
                let turned = part.negated();
                finite &= push(&mut out.limits, &turned, largest - part.value, 0.0);
            }
        }
    }
    let efforts = efforts(joint, coordinate.as_ref(), (sides.start, span.h));
    for effort in efforts.into_iter().flatten() {
        let part = coordinate
            .as_ref()
            .expect("World::join asks for a coordinate");
        let [a, b] = part.blocks.each_ref().map(|block| &block[..space.dofs()]);
        let EffortRows {
            id,
            rows,
            value,
            gain,
            drift,
            compliance,
            bound,
        } = &mut out.efforts;
        rows.push(sides.columns, a, b);
        id.push(JointRow { joint: number, row });
        value.push(effort.value);
        gain.push(effort.gain);
        drift.push(effort.drift);
        compliance.push(effort.compliance);
        bound.push(effort.bound);
        row += 1;
        finite &= effort.value.is_finite();
    }
    if finite {
        Ok(())
    } else {
        let (joint, t) = (joint.name.clone(), span.t);
        Err(JointError::NotFinite { joint, t })
    }
}

/// A row of [`EffortRows`] without J.
struct Effort {
    value: f64,
    gain: f64,
    drift: f64,
    compliance: f64,
    bound: f64,
}

/// Spring, motor and friction of a joint in a step of h seconds.
fn efforts<const D: usize>(
    joint: &Joint<D>,
    coordinate: Option<&Part>,
    (start, h): (f64, f64),
) -> [Option<Effort>; 3] {
    let is_rod = matches!(joint.kind, JointKind::Distance { .. });
    let spring = joint.spring.map(|spring| {
        let Spring {
            stiffness,
            damping,
            rest,
        } = spring;
        // The coordinate of a rod counts from its length, others from where the bodies were.
        let from = if is_rod { 0.0 } else { start };
        Effort {
            value: coordinate.map_or(f64::NAN, |part| part.value - from - rest),
            gain: stiffness / (h * stiffness + damping),
            drift: 0.0,
            compliance: 1.0 / (h * (h * stiffness + damping)),
            bound: f64::INFINITY,
        }
    });
    let bounded = |rate: f64, force: f64| Effort {
        value: 0.0,
        gain: 0.0,
        drift: -rate,
        compliance: 0.0,
        bound: h * force,
    };
    let motor = match joint.motor {
        Some(Motor::Rate { rate, limit }) => Some(bounded(rate, limit)),
        Some(Motor::Effort { .. }) | None => None,
    };
    let friction = (joint.friction > 0.0).then(|| bounded(0.0, joint.friction));
    [spring, motor, friction]
}

/// Energy of the spring of a joint, J; 0 without one, and where it has no direction.
pub(crate) fn spring_energy<const D: usize>(
    space: &'static dyn Space,
    joint: &Joint<D>,
    sides: &Sides<D>,
) -> f64 {
    let Some(spring) = joint.spring else {
        return 0.0;
    };
    let coordinate = Writer::new(space, joint, sides).coordinate(joint, 0.0);
    let effort = match &coordinate {
        Ok(part) => efforts(joint, part.as_ref(), (sides.start, 1.0)),
        Err(_) => [None, None, None],
    };
    let [spring_row, ..] = effort;
    spring_row.map_or(0.0, |row| 0.5 * spring.stiffness * row.value * row.value)
}

/// Adds h times the force of a motor without a rate to the impulses of the two bodies.
pub(crate) fn add_effort<const D: usize>(
    space: &'static dyn Space,
    joint: &Joint<D>,
    sides: &Sides<D>,
    h: f64,
    out: &mut [f64],
) {
    let Some(Motor::Effort { effort }) = joint.motor else {
        return;
    };
    // Ends that coincide have no direction, and no force then.
    let Ok(Some(part)) = Writer::new(space, joint, sides).coordinate(joint, 0.0) else {
        return;
    };
    let dofs = space.dofs();
    for (column, block) in sides.columns.iter().zip(&part.blocks) {
        if *column != FIXED {
            let own = out[*column as usize * dofs..][..dofs].iter_mut();
            own.zip(block).for_each(|(out, x)| *out += h * effort * x);
        }
    }
}

/// What angles and gears of the plane count from, and the coordinate where a drive starts, for a joint where its bodies are:
/// angles that differ by full turns are the same then.
pub(crate) fn origins<const D: usize>(
    space: &'static dyn Space,
    joint: &Joint<D>,
    sides: &Sides<D>,
) -> Result<[f64; 2], JointError> {
    let writer = Writer::new(space, joint, sides);
    let origin = match joint.kind {
        JointKind::Gear { ratio } => writer.gear(ratio).value,
        _ if D == 2 => TAU * (writer.angle().value / TAU).round(),
        _ => 0.0,
    };
    let start = match writer.coordinate(joint, 0.0)? {
        Some(part) if joint.kind == JointKind::Revolute => part.value - origin,
        Some(part) => part.value,
        None => 0.0,
    };
    Ok([origin, start])
}

/// One scalar constraint: its value, and its row for each body.
struct Part {
    value: f64,
    blocks: [[f64; MAX_DOFS]; 2],
}

impl Part {
    fn negated(&self) -> Self {
        Self {
            value: -self.value,
            blocks: self.blocks.map(|block| block.map(|x| -x)),
        }
    }
}

struct Writer<'a, const D: usize> {
    space: &'static dyn Space,
    sides: &'a Sides<D>,
    /// Frames of the joint in world axes.
    frames: [Pose<D>; 2],
}

impl<'a, const D: usize> Writer<'a, D> {
    fn new(space: &'static dyn Space, joint: &Joint<D>, sides: &'a Sides<D>) -> Self {
        let frames = [
            sides.poses[0].compose(&joint.frame_a),
            sides.poses[1].compose(&joint.frame_b),
        ];
        Self {
            space,
            sides,
            frames,
        }
    }

    /// The constraints that a kind holds.
    fn held(&self, joint: &Joint<D>, out: &mut Vec<Part>, t: f64) -> Result<(), JointError> {
        let last = D - 1;
        match joint.kind {
            JointKind::Fixed => {
                out.extend((0..D).map(|k| self.along(k)));
                self.turns(out);
            }
            JointKind::Revolute => {
                out.extend((0..D).map(|k| self.along(k)));
                self.axis(out);
            }
            JointKind::Prismatic => {
                // The axis is the first one in the plane and the third in space.
                let across = if D == 2 { 1..2 } else { 0..2 };
                out.extend(across.map(|k| self.along(k)));
                self.turns(out);
            }
            JointKind::Cylindrical => {
                out.extend((0..last).map(|k| self.along(k)));
                self.axis(out);
            }
            JointKind::Spherical => out.extend((0..D).map(|k| self.along(k))),
            JointKind::Universal => {
                out.extend((0..D).map(|k| self.along(k)));
                out.push(self.dot(0, 1));
            }
            JointKind::Planar => {
                out.push(self.along(last));
                self.axis(out);
            }
            JointKind::Distance { length }
                if joint.drive.is_none() && joint.spring.is_none() && joint.motor.is_none() =>
            {
                out.push(self.distance(joint, length, t)?);
            }
            JointKind::Distance { .. } => {}
            JointKind::Rope { length } => out.push(self.distance(joint, length, t)?.negated()),
            JointKind::Gear { ratio } => out.push(self.gear(ratio)),
        }
        Ok(())
    }

    /// The coordinate that limits and drives are about.
    fn coordinate(&self, joint: &Joint<D>, t: f64) -> Result<Option<Part>, JointError> {
        if !joint.needs_coordinate() {
            return Ok(None);
        }
        Ok(match joint.kind {
            JointKind::Revolute => Some(self.angle()),
            JointKind::Prismatic if D == 2 => Some(self.along(0)),
            JointKind::Prismatic | JointKind::Cylindrical => Some(self.along(D - 1)),
            JointKind::Distance { length } => Some(self.distance(joint, length, t)?),
            _ => None,
        })
    }

    /// Velocity along `e` of B at `x_b` less that of A at `x_a`.
    fn point_row(&self, e: &SVector<f64, D>, at: [&SVector<f64, D>; 2]) -> [[f64; MAX_DOFS]; 2] {
        let mut blocks = [[0.0; MAX_DOFS]; 2];
        for (side, block) in blocks.iter_mut().enumerate() {
            if self.sides.columns[side] != FIXED {
                let arm = at[side] - self.sides.poses[side].position;
                let direction = if side == 0 { -e } else { *e };
                let row = &mut block[..self.space.dofs()];
                write_row(self.space, direction.as_slice(), arm.as_slice(), row);
            }
        }
        blocks
    }

    /// (ω_B − ω_A) along an axis; in the plane the axis is (1).
    fn turn_row(&self, axis: [&[f64]; 2]) -> [[f64; MAX_DOFS]; 2] {
        let mut blocks = [[0.0; MAX_DOFS]; 2];
        for (side, block) in blocks.iter_mut().enumerate() {
            if self.sides.columns[side] != FIXED {
                let sign = if side == 0 { -1.0 } else { 1.0 };
                for (x, e) in block[D..].iter_mut().zip(axis[side]) {
                    *x = sign * e;
                }
            }
        }
        blocks
    }

    /// Place of B's origin along axis k of A.
    fn along(&self, k: usize) -> Part {
        let [a, b] = &self.frames;
        let e = a.rotation.column(k).into_owned();
        Part {
            value: e.dot(&(b.position - a.position)),
            blocks: self.point_row(&e, [&b.position, &b.position]),
        }
    }

    /// Axis i of A against axis j of B.
    fn dot(&self, i: usize, j: usize) -> Part {
        let a = self.frames[0].rotation.column(i).into_owned();
        let b = self.frames[1].rotation.column(j).into_owned();
        let axis = b.cross(&a);
        Part {
            value: a.dot(&b),
            blocks: self.turn_row([axis.as_slice(); 2]),
        }
    }

    /// B does not turn in A.
    fn turns(&self, out: &mut Vec<Part>) {
        if D == 2 {
            out.push(self.angle());
        } else {
            out.extend([(0, 1), (1, 2), (2, 0)].map(|(i, j)| self.dot(i, j)));
        }
    }

    /// B's axis stays A's.
    fn axis(&self, out: &mut Vec<Part>) {
        if D == 3 {
            out.extend([self.dot(0, 2), self.dot(1, 2)]);
        }
    }

    /// Turn of B in A: in the plane that of the frames, in space about the axis.
    fn angle(&self) -> Part {
        if D == 2 {
            let [a, b] = self.sides.angles;
            let [fa, fb] = self.frame_angles();
            return Part {
                value: (b + fb) - (a + fa) - self.sides.origin,
                blocks: self.turn_row([&[1.0]; 2]),
            };
        }
        let column = |frame: &Pose<D>, k: usize| frame.rotation.column(k).into_owned();
        let [a, b] = &self.frames;
        let x = column(b, 0);
        let value = column(a, 1).dot(&x).atan2(column(a, 0).dot(&x));
        let axis = column(a, 2);
        Part {
            value,
            blocks: self.turn_row([axis.as_slice(); 2]),
        }
    }

    /// Turns of the frames in their bodies; the plane only.
    fn frame_angles(&self) -> [f64; 2] {
        [0, 1].map(|side| {
            let body = &self.sides.poses[side].rotation;
            let frame = body.tr_mul(&self.frames[side].rotation);
            frame[(1, 0)].atan2(frame[(0, 0)])
        })
    }

    /// Distance of the origins less a length.
    fn distance(&self, joint: &Joint<D>, length: f64, t: f64) -> Result<Part, JointError> {
        let [a, b] = self.frames.each_ref().map(|frame| frame.position);
        let distance = (b - a).norm();
        if distance == 0.0 {
            let joint = joint.name.clone();
            return Err(JointError::NoDirection { joint, t });
        }
        let e = (b - a) / distance;
        Ok(Part {
            value: distance - length,
            blocks: self.point_row(&e, [&a, &b]),
        })
    }

    /// Turn of A plus ratio times that of B, about their axes.
    fn gear(&self, ratio: f64) -> Part {
        if D == 2 {
            let [a, b] = self.sides.angles;
            return Part {
                value: a + ratio * b - self.sides.origin,
                blocks: self.turn_row([&[-1.0], &[ratio]]),
            };
        }
        let [a, b] = self
            .frames
            .each_ref()
            .map(|frame| frame.rotation.column(2).into_owned());
        let (a, b) = (-a, b * ratio);
        Part {
            // Full turns leave no trace in q: the rate alone is held.
            value: 0.0,
            blocks: self.turn_row([a.as_slice(), b.as_slice()]),
        }
    }
}
