//! The plane: q = (x, y, θ), v = (vx, vy, ω).

use super::{Advance, Rigid, Space, Spin};

/// Operations on the coordinates of a body in the plane.
#[derive(Debug)]
pub(crate) struct Planar;

impl Space for Planar {
    fn dofs(&self) -> usize {
        3
    }

    fn nq(&self) -> usize {
        3
    }

    fn origin(&self) -> Vec<f64> {
        vec![0.0; 3]
    }

    fn rotation(&self, q: &[f64], out: &mut [f64]) {
        let (sin, cos) = q[2].sin_cos();
        out.copy_from_slice(&[cos, -sin, sin, cos]);
    }

    fn retract(&self, by: &Advance<'_>, q: &[f64], v: &[f64], out: &mut [f64]) {
        for ((out, q), v) in out.iter_mut().zip(q).zip(v) {
            *out = q + by.h * v;
        }
    }

    fn retract_tangent(&self, by: &Advance<'_>, _: &[f64], _: &[f64], out: &mut Vec<f64>) {
        let h = by.h;
        out.extend([h, 0.0, 0.0, 0.0, h, 0.0, 0.0, 0.0, h]);
    }

    fn kinematic_map(&self, _: &[f64], push: &mut dyn FnMut(usize, usize, f64)) {
        for k in 0..3 {
            push(k, k, 1.0);
        }
    }

    fn mass_block(&self, rigid: &Rigid, _: &[f64], out: &mut Vec<f64>) {
        let (m, j) = (rigid.mass, rigid.tensor[(2, 2)]);
        out.extend([m, 0.0, 0.0, 0.0, m, 0.0, 0.0, 0.0, j]);
    }

    fn spin(&self, step: &Spin<'_>, out: &mut [f64]) {
        out[0] = step.omega[0] + step.impulse[0] / step.rigid.tensor[(2, 2)];
    }

    fn spin_momentum(&self, rigid: &Rigid, _: &[f64], omega: &[f64], out: &mut [f64]) {
        out[0] = rigid.tensor[(2, 2)] * omega[0];
    }

    fn add_moment(&self, arm: &[f64], p: &[f64], out: &mut [f64]) {
        out[0] += arm[0] * p[1] - arm[1] * p[0];
    }

    fn tangents(&self, normal: &[f64], _: &[f64; 3], out: &mut [f64]) {
        out.copy_from_slice(&[-normal[1], normal[0]]);
    }

    fn tangent_rates(&self, _: &[f64], turn: &[f64], _: &[f64; 3], out: &mut [f64]) {
        out.copy_from_slice(&[-turn[1], turn[0]]);
    }
}
