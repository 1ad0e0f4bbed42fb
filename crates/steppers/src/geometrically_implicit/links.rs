//! Rows of joints in the problem of a step.
//!
//! ```math
//! M (v^{+} - v) = h k + W p + J(q)^T \lambda, \qquad \Theta(q^{+}, t^{+}) = 0, \qquad 0 \le \lambda \perp \Psi(q^{+}) \ge 0
//! ```
//! ```math
//! -b \le \lambda \le b \perp (1 - h \kappa) J(q) v^{+} + \kappa x(q^{+}) + d + c \lambda
//! ```
//!
//! What a joint holds is zero at the end of the step, and limits are not passed then; impulses act along the rows of its start,
//! so that no second derivative of a joint is needed. A row that no motion changes the value of, of gears in space, is held by
//! its rate. The last line are efforts with gain κ, drift d, compliance c and bound b, see
//! [`EffortRows`](signorini_dynamics::EffortRows): a spring has its length of the end, and the implicit Euler method. Rows of
//! closed loops that others imply are left out, see [`loops`](super::loops).

use signorini_complementarity::{BlockRows, FIXED};
use signorini_dynamics::{JointRow, Joints, Rotation, State, System};

use super::{loops::Loops, units::Units};
use crate::{assemble::row_velocity, report::JointRowKind, step::end_time, stepper::StepError};

/// The rows of all joints.
#[derive(Debug, Default)]
pub(super) struct Links {
    /// At the start of the step.
    pub(super) start: Joints,
    /// Equations, efforts, limits.
    pub(super) rows: Vec<Link>,
    /// What equations of closed loops imply.
    pub(super) loops: Loops,
}

/// One row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    /// Columns of its bodies that move freely.
    pub(super) columns: [Option<usize>; 2],
    pub(super) kind: JointRowKind,
    /// Whether its rate is zero, and not its value.
    pub(super) by_rate: bool,
    /// Whether others imply it: it has no impulse then, and is no row of the problem.
    pub(super) is_implied: bool,
    /// Its rate by the velocities of driven bodies.
    pub(super) driven: f64,
    /// Its place among those of its kind.
    pub(super) index: usize,
    /// Unit of its impulse.
    pub(super) impulse: f64,
    /// Unit of its value, or of its rate.
    pub(super) unit: f64,
}

/// The rows of one kind.
#[derive(Clone, Copy, Debug)]
pub(super) struct Among<'a> {
    pub(super) id: &'a [JointRow],
    pub(super) rows: &'a BlockRows,
    pub(super) value: &'a [f64],
    pub(super) drift: &'a [f64],
}

impl<'a> Among<'a> {
    fn new(kind: JointRowKind, joints: &'a Joints) -> Self {
        let rows = match kind {
            JointRowKind::Equation => &joints.equations,
            JointRowKind::Limit => &joints.limits,
            JointRowKind::Effort => {
                let efforts = &joints.efforts;
                return Self {
                    id: &efforts.id,
                    rows: &efforts.rows,
                    value: &efforts.value,
                    drift: &efforts.drift,
                };
            }
        };
        Self {
            id: &rows.id,
            rows: &rows.rows,
            value: &rows.value,
            drift: &rows.drift,
        }
    }
}

/// Part of the unit of a row that is added to its diagonal in the Jacobian, not in the row itself, where several rows may
/// leave impulses undetermined (dry friction that sticks in two joints of one loop): Newton's method then takes those nearest
/// to where it begins, and converges as before, as this is far below the smallest singular value of independent rows.
pub(super) const UNDETERMINED: f64 = 1e-9;

impl Link {
    /// The rows among which it is.
    pub(super) fn among<'a>(&self, joints: &'a Joints) -> Among<'a> {
        Among::new(self.kind, joints)
    }

    /// How much its value at the end, its rate and its impulse count in its row; the drift goes with the rate.
    pub(super) fn shares(&self, start: &Joints, h: f64) -> [f64; 3] {
        match self.kind {
            JointRowKind::Effort => {
                let efforts = &start.efforts;
                let gain = efforts.gain[self.index];
                // What the value of the end has not taken into account.
                [gain, 1.0 - h * gain, efforts.compliance[self.index]]
            }
            _ if self.by_rate => [0.0, 1.0, 0.0],
            _ => [1.0, 0.0, 0.0],
        }
    }

    /// Least and largest impulse.
    pub(super) fn bounds(&self, start: &Joints) -> [f64; 2] {
        match self.kind {
            JointRowKind::Equation => [f64::NEG_INFINITY, f64::INFINITY],
            JointRowKind::Limit => [0.0, f64::INFINITY],
            JointRowKind::Effort => {
                let bound = start.efforts.bound[self.index];
                [-bound, bound]
            }
        }
    }
}

impl Links {
    /// The rows at the start of a step.
    pub(super) fn new(
        system: &dyn System,
        (state, h): (&State, f64),
        rotation: Rotation,
        units: &Units,
        (driven, free): (&[bool], &[f64]),
    ) -> Result<Self, StepError> {
        let mut links = Self::default();
        rows_at(system, (state.t, h), &state.q, &mut links.start)?;
        let Joints {
            equations,
            limits,
            efforts,
        } = &links.start;
        if equations.is_empty() && limits.is_empty() && efforts.is_empty() {
            return Ok(links);
        }
        // Any motion without a pattern.
        let moves = (0..units.velocity.len()).map(|k| (12.9898 * (k + 1) as f64).sin());
        let v: Vec<f64> = moves
            .zip(&units.velocity)
            .map(|(x, unit)| x * unit)
            .collect();
        let mut moved = vec![0.0; state.q.len()];
        system.retract(&state.q, &v, h, rotation, &mut moved);
        let mut beside = Joints::default();
        let stays = |index: usize, beside: &Joints| {
            let values = [
                equations.value.get(index),
                beside.equations.value.get(index),
            ];
            values.iter().all(|value| *value == Some(&0.0))
        };
        // Where the rows are not defined there, they have values.
        let is_defined = rows_at(system, (state.t, h), &moved, &mut beside).is_ok();
        let mut rows = Vec::with_capacity(equations.len() + efforts.len() + limits.len());
        for kind in [
            JointRowKind::Equation,
            JointRowKind::Effort,
            JointRowKind::Limit,
        ] {
            let from = Among::new(kind, &links.start);
            for (index, cols) in from.rows.cols().iter().enumerate() {
                let is_equation = kind == JointRowKind::Equation;
                let columns = cols.map(|c| (c != FIXED).then_some(c as usize));
                let pushed = columns
                    .into_iter()
                    .enumerate()
                    .filter_map(|(side, column)| {
                        let column = column.filter(|&k| driven[k])?;
                        let v = &free[column * system.dofs()..];
                        let row = from.rows.block(index, side);
                        Some(row.iter().zip(v).map(|(row, v)| row * v).sum::<f64>())
                    });
                let mut link = Link {
                    driven: pushed.sum(),
                    columns: columns.map(|column| column.filter(|&k| !driven[k])),
                    kind,
                    by_rate: is_equation && is_defined && stays(index, &beside),
                    is_implied: false,
                    index,
                    impulse: 1.0,
                    unit: 1.0,
                };
                link.measure(&links.start, units, system.dofs());
                rows.push(link);
            }
        }
        links.loops = Loops::new(&mut rows, &links.start, units, system.dofs());
        links.rows = rows;
        Ok(links)
    }
}

impl Link {
    /// Its units, from those of the velocities and momenta of its bodies.
    fn measure(&mut self, start: &Joints, units: &Units, dofs: usize) {
        let (mut rate, mut yielding) = (0.0, 0.0_f64);
        let rows = self.among(start).rows;
        for (side, column) in self.columns.into_iter().enumerate() {
            let Some(column) = column else { continue };
            for (j, x) in rows.block(self.index, side).iter().enumerate() {
                rate += x.abs() * units.velocity[column * dofs + j];
                yielding = yielding.max(x.abs() / units.momentum[column * dofs + j]);
            }
        }
        if rate > 0.0 {
            self.impulse = 1.0 / yielding;
            self.unit = match self.kind {
                // A soft spring has its impulse by its compliance.
                JointRowKind::Effort => rate + start.efforts.compliance[self.index] * self.impulse,
                _ if self.by_rate => rate,
                _ => rate * units.gap / units.speed,
            };
        }
    }
}

/// Rate of a row at the start of the step for the velocity v.
pub(super) fn rate(link: &Link, start: &Joints, v: &[f64]) -> f64 {
    let from = link.among(start);
    row_velocity(from.rows, link.index, v) + from.drift[link.index]
}

/// The rows at q and t.
fn rows_at(
    system: &dyn System,
    (t, h): (f64, f64),
    q: &[f64],
    out: &mut Joints,
) -> Result<(), StepError> {
    let found = system.joint_rows(t, h, q, out);
    found.map_err(|source| StepError::Joint { source })
}

/// The rows at the end q of a step of h from t.
pub(super) fn rows_at_end(
    system: &dyn System,
    (t, h): (f64, f64),
    q: &[f64],
    out: &mut Joints,
) -> Result<(), StepError> {
    rows_at(system, (end_time(t, h), h), q, out)
}
