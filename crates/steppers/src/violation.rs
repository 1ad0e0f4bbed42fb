//! Velocities at the end of a step beside what joints and contacts ask of them.

use signorini_complementarity::{BlockRows, FIXED, FrictionLaw, FrictionProblem};
use signorini_dynamics::System;

use crate::assemble::{Linearization, LinearizedContacts, row_velocity};

/// Part of the velocities by which joints and contacts may be off. Where they contradict each other impulses run off until
/// rounding is all that is left of W r; beside them no error is large, but beside the velocities it is.
pub(crate) const RUNAWAY: f64 = 1e-2;

/// Part of the velocities that rounding may be before impulses are looked for that do with less: 5e7 times those that stop a body.
pub(crate) const BLURRED: f64 = 1e-8;

/// Velocities beyond this many times those without impulses.
const FLUNG: f64 = 1e4;

/// Velocities below this part of length/time of the system, and of the largest coordinate over h, are none: joints at rest are off by
/// the rounding of their places over h.
const NO_SPEED: f64 = 1e-10;

/// The same as a part of what forces and motion move the rows by: a body that is pressed is at rest by what cancels.
const STILL: f64 = 1e-5;

/// Impulses of a friction problem with cones beside the velocities there are without them. Between two walls with much friction any
/// stress is a solution; beside one that runs off the residual is small, and bodies are thrown out by what it hides.
#[derive(Debug)]
pub(crate) struct Stress<'a> {
    problem: &'a FrictionProblem,
    /// Largest entry of the velocities without impulses, of bodies and of rows with what is asked of them; not 0.
    speed: f64,
}

impl<'a> Stress<'a> {
    pub(crate) fn new(problem: &'a FrictionProblem) -> Self {
        let speed = largest(problem.free_velocity()).max(largest(&problem.q()));
        Self {
            problem,
            speed: speed.max(f64::MIN_POSITIVE),
        }
    }

    /// Rounding of the velocities that impulses (contacts · D, bilateral ones behind them) give each body, over the speed.
    pub(crate) fn blur(&self, z: &[f64]) -> f64 {
        let problem = self.problem;
        let dofs = problem.dofs().max(1);
        let mut pushed = vec![0.0; problem.nv()];
        let (impulses, bilateral) = z.split_at(problem.contact_count() * problem.dimension());
        for (rows, z) in [
            (problem.contacts(), impulses),
            (problem.bilateral(), bilateral),
        ] {
            for (k, cols) in rows.cols().iter().enumerate() {
                for (side, &body) in cols.iter().enumerate().filter(|(_, c)| **c != FIXED) {
                    let pushed = &mut pushed[body as usize * dofs..][..dofs];
                    let block = rows.block(k, side).chunks_exact(dofs);
                    for (row, p) in block.zip(&z[k * rows.rows()..][..rows.rows()]) {
                        let terms = pushed.iter_mut().zip(row);
                        terms.for_each(|(sum, j)| *sum += (j * p).abs());
                    }
                }
            }
        }
        let masses = problem.mass().chunks_exact(dofs * dofs);
        let masses = masses.flat_map(|block| block.iter().step_by(dofs + 1));
        let pushed = pushed.iter().zip(masses);
        let rounding = pushed.map(|(sum, m)| f64::EPSILON * sum / m);
        rounding.fold(0.0, f64::max) / self.speed
    }

    /// How far impulses are from what they must be beside the velocities v⁺ that they make: their blur, how fast contacts that press open, or
    /// how many times faster bodies are, if that is more than anything but impulses that run off makes them.
    pub(crate) fn runaway(&self, z: &[f64], blur: f64, v: &[f64]) -> f64 {
        let faster = largest(v) / self.speed;
        let flung = if faster > FLUNG { faster } else { 0.0 };
        blur.max(self.pressed_apart(z)).max(flung)
    }

    /// How fast contacts open at most that still press, over the speed; 0 up to [`RUNAWAY`].
    fn pressed_apart(&self, z: &[f64]) -> f64 {
        let (problem, d) = (self.problem, self.problem.dimension());
        if problem.law() == FrictionLaw::Convex && d > 3 {
            // Torsion and rolling open contacts that press too.
            return 0.0;
        }
        let mut u = vec![0.0; z.len()];
        problem.relative_velocities_into(z, &mut u);
        let opens = |k: &usize| {
            let slip = u[k * d + 1..(k + 1) * d].iter().map(|u| u * u).sum::<f64>();
            let lift = match problem.law() {
                FrictionLaw::Coulomb => 0.0,
                FrictionLaw::Convex => problem.mu()[*k] * slip.sqrt(),
            };
            u[k * d] - lift
        };
        let apart = |k: &usize| z[k * d] > 0.0 && opens(k) > RUNAWAY * self.speed;
        let apart: Vec<usize> = (0..problem.contact_count()).filter(apart).collect();
        if apart.is_empty() {
            return 0.0;
        }
        let stiffness = problem.diagonal();
        let opening = apart
            .iter()
            .map(|k| opens(k).min(z[k * d] * stiffness[k * d]));
        opening.fold(0.0, f64::max) / self.speed
    }
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |most, x| x.abs().max(most))
}

/// How far v⁺ is off what joints hold, and what limits and contacts ask for, each relative to the largest velocity of these
/// rows.
pub(crate) fn violation(
    system: &dyn System,
    at: Linearization<'_>,
    linearized: &LinearizedContacts,
    v: &[f64],
) -> f64 {
    let scale = system.scale();
    let far = at.q.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    let none = (scale.length / scale.time).max(far / at.h);
    let mut free = vec![0.0; system.nv()];
    system.free_velocity(at.state.t, &at.state.q, &at.state.v, at.h, &mut free);
    let (d, dofs) = (system.dimension(), system.dofs().max(1));
    let norm = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
    let fastest = free
        .chunks_exact(dofs)
        .map(|v| norm(&v[..d]) + scale.length * norm(&v[d..]))
        .fold(0.0, f64::max);
    let moves = |rows: &BlockRows, k: usize| {
        let sides = (0..2).filter(|&side| rows.cols()[k][side] != FIXED);
        sides
            .map(|side| {
                let row = &rows.block(k, side)[..dofs];
                norm(&row[..d]) + norm(&row[d..]) / scale.length
            })
            .fold(0.0, f64::max)
    };
    // What first rows are at v⁺ with their bias, and the largest velocity that is part of it.
    let row = |rows: &BlockRows, k: usize, bias: f64| {
        let rate = |v: &[f64]| row_velocity(rows, k, v);
        let speeds = [rate(v), rate(&free), bias, STILL * fastest * moves(rows, k)];
        let most = speeds.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        (speeds[0] + bias, most)
    };
    let worst = |rows: &mut dyn Iterator<Item = (f64, f64)>| {
        let none = (0.0, NO_SPEED * none);
        let (off, speed) = rows.fold(none, |(off, speed), (at, most)| {
            (f64::max(off, at), f64::max(speed, most))
        });
        off / speed
    };
    let (contacts, joints) = (&linearized.contacts, &linearized.joints);
    let equations = linearized.equation_bias.iter().enumerate();
    let mut equations = equations.map(|(k, &bias)| {
        let (at, speed) = row(&joints.equations.rows, k, bias);
        (at.abs(), speed)
    });
    let limits = linearized.limit_bias.iter().enumerate();
    let limits = limits.map(|(k, &bias)| row(&joints.limits.rows, k, bias));
    let normals = linearized.bias.iter().enumerate();
    let normals = normals.map(|(k, &bias)| row(&contacts.rows, k, bias + contacts.drift[k * d]));
    let mut one_sided = limits.chain(normals).map(|(at, speed)| (-at, speed));
    worst(&mut equations).max(worst(&mut one_sided))
}
