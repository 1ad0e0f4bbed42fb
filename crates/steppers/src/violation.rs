//! Velocities at the end of a step beside what joints and contacts ask of them.

use signorini_complementarity::{BlockRows, FIXED};
use signorini_dynamics::System;

use crate::assemble::{Linearization, LinearizedContacts, row_velocity};

/// Part of the velocities by which joints and contacts may be off. Where they contradict each other impulses run off until
/// rounding is all that is left of W r; beside them no error is large, but beside the velocities it is.
pub(crate) const RUNAWAY: f64 = 1e-2;

/// Velocities below this part of length/time of the system, and of the largest coordinate over h, are none: joints at rest are off by
/// the rounding of their places over h.
const NO_SPEED: f64 = 1e-10;

/// The same as a part of what forces and motion move the rows by: a body that is pressed is at rest by what cancels.
const STILL: f64 = 1e-5;

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
