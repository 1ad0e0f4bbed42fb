//! Rows of joints in the problem of a step.
//!
//! ```math
//! M (v^{+} - v) = h k + W p + J(q)^T \lambda, \qquad \Theta(q^{+}, t^{+}) = 0, \qquad 0 \le \lambda \perp \Psi(q^{+}) \ge 0
//! ```
//!
//! What a joint holds is zero at the end of the step, and limits are not passed then; impulses act along the rows of its start,
//! so that no second derivative of a joint is needed. A row that no motion changes the value of, of gears in space, is held by
//! its rate.

use signorini_complementarity::FIXED;
use signorini_dynamics::{ConstraintRows, Joints, Rotation, State, System};

use super::units::Units;
use crate::{step::end_time, stepper::StepError};

/// The rows of all joints.
#[derive(Debug, Default)]
pub(super) struct Links {
    /// At the start of the step.
    pub(super) start: Joints,
    /// Equations, then limits.
    pub(super) rows: Vec<Link>,
}

/// One row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    /// Columns of its bodies that move.
    pub(super) columns: [Option<usize>; 2],
    pub(super) is_limit: bool,
    /// Whether its rate is zero, and not its value.
    pub(super) by_rate: bool,
    /// Its place among the equations or the limits.
    pub(super) index: usize,
    /// Unit of its impulse.
    pub(super) impulse: f64,
    /// Unit of its value, or of its rate.
    pub(super) unit: f64,
}

impl Link {
    /// The rows among which it is.
    pub(super) fn among<'a>(&self, joints: &'a Joints) -> &'a ConstraintRows {
        if self.is_limit {
            &joints.limits
        } else {
            &joints.equations
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
    ) -> Result<Self, StepError> {
        let mut links = Self::default();
        rows_at(system, (state.t, h), &state.q, &mut links.start)?;
        let Joints {
            equations, limits, ..
        } = &links.start;
        if equations.is_empty() && limits.is_empty() {
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
        let mut rows = Vec::with_capacity(equations.len() + limits.len());
        for (is_limit, from) in [(false, equations), (true, limits)] {
            for index in 0..from.len() {
                let mut link = Link {
                    columns: from.rows.cols()[index].map(|c| (c != FIXED).then_some(c as usize)),
                    is_limit,
                    by_rate: !is_limit && is_defined && stays(index, &beside),
                    index,
                    impulse: 1.0,
                    unit: 1.0,
                };
                link.measure(from, units, system.dofs());
                rows.push(link);
            }
        }
        links.rows = rows;
        Ok(links)
    }
}

impl Link {
    /// Its units, from those of the velocities and momenta of its bodies.
    fn measure(&mut self, from: &ConstraintRows, units: &Units, dofs: usize) {
        let (mut rate, mut yielding) = (0.0, 0.0_f64);
        for (side, column) in self.columns.into_iter().enumerate() {
            let Some(column) = column else { continue };
            for (j, x) in from.rows.block(self.index, side).iter().enumerate() {
                rate += x.abs() * units.velocity[column * dofs + j];
                yielding = yielding.max(x.abs() / units.momentum[column * dofs + j]);
            }
        }
        if rate > 0.0 {
            self.impulse = 1.0 / yielding;
            self.unit = if self.by_rate {
                rate
            } else {
                rate * units.gap / units.speed
            };
        }
    }
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
