//! Equations of joints in closed loops that others imply.
//!
//! ```math
//! J_d = C J_b, \qquad J_b^T \lambda = J_b^T \lambda_b + J_d^T \lambda_d, \qquad |\lambda_b|^2 + |\lambda_d|^2 \to \min
//! ```
//!
//! # Method
//! The rows of loops at the start of the step, in its units, are compared as [`crate::rank`] says. The problem of the step is without it, and at the end of the step it has to hold with the others: a loop
//! that does not close is an error. Impulses are then spread over all rows so that their squares, in their units, are least.

use signorini_dynamics::{JointRow, Joints, System};

use super::{
    links::{Link, rate},
    units::Units,
};
use crate::{
    lu::Lu,
    rank::{Independent, in_loops, norm},
    report::JointRowKind,
    stepper::StepError,
};

/// The loops of a system.
#[derive(Debug, Default)]
pub(super) struct Loops {
    groups: Vec<Group>,
}

/// Rows that share bodies.
#[derive(Debug, Default)]
struct Group {
    /// Independent rows, as indices of links.
    basis: Vec<usize>,
    implied: Vec<Implied>,
}

#[derive(Debug)]
struct Implied {
    index: usize,
    /// What it is of the basis: over the impulses in their units.
    impulses: Vec<f64>,
    /// What it may be off, in its unit, for each unit of what the basis is off.
    growth: f64,
}

impl Loops {
    /// Finds and marks the implied equations among the rows.
    pub(super) fn new(rows: &mut [Link], start: &Joints, units: &Units, dofs: usize) -> Self {
        let mut loops = Self::default();
        let equations = rows
            .iter()
            .take_while(|link| link.kind == JointRowKind::Equation)
            .map(|link| (link.among(start).id[link.index].joint, link.columns));
        for members in in_loops(equations, units.velocity.len() / dofs) {
            let group = Group::new(members, rows, start, (units, dofs));
            if !group.implied.is_empty() {
                loops.groups.push(group);
            }
        }
        let implied = loops.groups.iter().flat_map(|group| &group.implied);
        for implied in implied {
            rows[implied.index].is_implied = true;
        }
        loops
    }

    /// Spreads the impulses of the independent rows over the implied ones too.
    pub(super) fn spread(&self, rows: &[Link], impulses: &mut [f64]) {
        for group in &self.groups {
            group.spread(rows, impulses);
        }
    }

    /// The largest of what the implied rows are off at the end of the step, in their units, over what the tolerance of the
    /// others makes of it; and that row and its value.
    pub(super) fn off(
        &self,
        rows: &[Link],
        (start, end): (&Joints, &Joints),
        v: &[f64],
    ) -> Option<(f64, JointRow, f64)> {
        let implied = self.groups.iter().flat_map(|group| &group.implied);
        let off = implied.map(|implied| {
            let link = &rows[implied.index];
            let value = if link.by_rate {
                rate(link, start, v)
            } else {
                link.among(end).value[link.index]
            };
            let id = link.among(end).id[link.index];
            (value.abs() / (link.unit * implied.growth), id, value)
        });
        off.max_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// The error of a row that is off.
    pub(super) fn open(system: &dyn System, t: f64, (id, value): (JointRow, f64)) -> StepError {
        StepError::OpenLoop {
            t,
            joint: system.joint_name(id.joint),
            row: id.row as usize,
            value,
        }
    }
}

impl Group {
    /// Each row against those before it.
    fn new(
        members: Vec<usize>,
        rows: &[Link],
        start: &Joints,
        (units, dofs): (&Units, usize),
    ) -> Self {
        let mut bodies: Vec<usize> = members
            .iter()
            .flat_map(|&k| rows[k].columns)
            .flatten()
            .collect();
        bodies.sort_unstable();
        bodies.dedup();
        let mut group = Self::default();
        let mut independent = Independent::default();
        let mut lengths = Vec::new();
        for k in members {
            let mut row = dense(&rows[k], start, (units, dofs), &bodies);
            let length = norm(&row);
            if length == 0.0 {
                continue;
            }
            for x in &mut row {
                *x /= length;
            }
            let Err(along) = independent.add(row) else {
                lengths.push(length);
                group.basis.push(k);
                continue;
            };
            let basis = || along.iter().zip(&group.basis).zip(&lengths);
            let growth = |((c, &b), other): ((&f64, &usize), &f64)| {
                (c * length / other * rows[b].unit / rows[k].unit).abs()
            };
            let impulse = |((c, &b), other): ((&f64, &usize), &f64)| {
                c * length / other * rows[k].impulse / rows[b].impulse
            };
            let implied = Implied {
                index: k,
                impulses: basis().map(impulse).collect(),
                growth: 1.0 + basis().map(growth).sum::<f64>(),
            };
            group.implied.push(implied);
        }
        group
    }

    /// (1 + CᵀC) y = λ_b for the basis, C y for the rest.
    fn spread(&self, rows: &[Link], impulses: &mut [f64]) {
        let n = self.basis.len();
        let mut lu = Lu::default();
        let matrix = lu.begin(n);
        for j in 0..n {
            matrix[j * n + j] = 1.0;
        }
        for implied in &self.implied {
            let c = |i: usize| implied.impulses.get(i).copied().unwrap_or(0.0);
            for j in 0..n {
                for i in 0..n {
                    matrix[j * n + i] += c(i) * c(j);
                }
            }
        }
        let mut y: Vec<f64> = self
            .basis
            .iter()
            .map(|&k| impulses[k] / rows[k].impulse)
            .collect();
        if !lu.factor() {
            return;
        }
        lu.solve(&mut y);
        for (&k, y) in self.basis.iter().zip(&y) {
            impulses[k] = y * rows[k].impulse;
        }
        for implied in &self.implied {
            let value: f64 = implied.impulses.iter().zip(&y).map(|(c, y)| c * y).sum();
            impulses[implied.index] = value * rows[implied.index].impulse;
        }
    }
}

/// A row over these bodies, in units of their velocities.
fn dense(
    link: &Link,
    start: &Joints,
    (units, dofs): (&Units, usize),
    bodies: &[usize],
) -> Vec<f64> {
    let mut row = vec![0.0; bodies.len() * dofs];
    for (side, column) in link.columns.into_iter().enumerate() {
        let Some(column) = column else { continue };
        let at = bodies.partition_point(|&body| body < column) * dofs;
        let block = link.among(start).rows.block(link.index, side);
        for (j, x) in block.iter().enumerate() {
            row[at + j] += x * units.velocity[column * dofs + j];
        }
    }
    row
}
