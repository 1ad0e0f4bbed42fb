//! Space: q = (x, y, z, qw, qx, qy, qz), v = (v, ω) with ω in world axes.

use nalgebra::{Matrix3, Vector3};

use super::{Advance, Gyroscopic, Rigid, Space, Spin, free_turn::FreeTurn};
use crate::{quaternion, system::Rotation};

/// Operations on the coordinates of a body in space.
#[derive(Debug)]
pub(crate) struct Spatial;

/// Largest |n·d| at which a direction d still serves as reference for the tangents of n; no unit.
///
/// The projection of d then has a length of at least 0.44, so the tangent loses no digits.
const REFERENCE_COSINE: f64 = 0.9;

/// The midpoint rule is solved when a Newton step has |Δ| ≤ 1e-14 |ω|; convergence is quadratic, so the next would be rounding.
const MIDPOINT_TOLERANCE: f64 = 1e-14;

/// Newton steps of the midpoint rule before the time step is halved; from a good start it needs three or four.
const MIDPOINT_STEPS: usize = 12;

/// Halvings of the time step in the midpoint rule; enough for some 10⁵ rad per step.
const MIDPOINT_HALVINGS: u32 = 18;

impl Space for Spatial {
    fn dofs(&self) -> usize {
        6
    }

    fn nq(&self) -> usize {
        7
    }

    fn origin(&self) -> Vec<f64> {
        vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
    }

    fn rotation(&self, q: &[f64], out: &mut [f64]) {
        // Column by column, the transpose holds the rows one after the other.
        out.copy_from_slice(quaternion::rotation(&q[3..]).transpose().as_slice());
    }

    fn retract(&self, by: &Advance<'_>, q: &[f64], v: &[f64], out: &mut [f64]) {
        let h = by.h;
        for k in 0..3 {
            out[k] = q[k] + h * v[k];
        }
        let omega = vector(&v[3..]);
        let (mean, rule) = if by.keeps_momentum() {
            let rotation = quaternion::rotation(&q[3..]);
            let turn = FreeTurn::from_end(by.rigid, &rotation.tr_mul(&omega), h);
            (rotation * turn.mean(), Rotation::Printed)
        } else {
            (omega, by.rotation)
        };
        quaternion::retract(&q[3..], &mean, h, rule, &mut out[3..]);
    }

    fn retract_tangent(&self, by: &Advance<'_>, q: &[f64], v: &[f64], out: &mut Vec<f64>) {
        let (h, omega) = (by.h, vector(&v[3..]));
        let turn = if by.keeps_momentum() {
            let rotation = quaternion::rotation(&q[3..]);
            let turn = FreeTurn::from_end(by.rigid, &rotation.tr_mul(&omega), h);
            let mean_rate = turn.end_rate().try_inverse();
            let mean_rate = mean_rate.unwrap_or_else(|| Matrix3::repeat(f64::NAN));
            rotation * turn.turn_rate() * mean_rate * rotation.transpose()
        } else {
            quaternion::retract_tangent(&omega, h, by.rotation)
        };
        let start = out.len();
        out.resize(start + 36, 0.0);
        let block = &mut out[start..];
        for i in 0..3 {
            block[7 * i] = h;
            for j in 0..3 {
                block[6 * (3 + i) + 3 + j] = turn[(i, j)];
            }
        }
    }

    fn kinematic_map(&self, q: &[f64], push: &mut dyn FnMut(usize, usize, f64)) {
        for k in 0..3 {
            push(k, k, 1.0);
        }
        for (i, row) in quaternion::kinematic_block(&q[3..]).iter().enumerate() {
            for (j, &value) in row.iter().enumerate() {
                push(3 + i, 3 + j, value);
            }
        }
    }

    fn mass_block(&self, rigid: &Rigid, q: &[f64], out: &mut Vec<f64>) {
        let tensor = world_tensor(rigid, q);
        let start = out.len();
        out.resize(start + 36, 0.0);
        let block = &mut out[start..];
        for i in 0..3 {
            block[7 * i] = rigid.mass;
            for j in 0..3 {
                block[6 * (3 + i) + 3 + j] = tensor[(i, j)];
            }
        }
    }

    fn spin(&self, step: &Spin<'_>, out: &mut [f64]) {
        let (omega, impulse) = (vector(step.omega), vector(step.impulse));
        let change = if step.rigid.isotropic {
            impulse / step.rigid.tensor[(0, 0)]
        } else {
            let rotation = quaternion::rotation(&step.q[3..]);
            let (omega, impulse) = (rotation.tr_mul(&omega), rotation.tr_mul(&impulse));
            rotation
                * match step.rule {
                    Gyroscopic::Explicit => explicit_change(step.rigid, &omega, &impulse, step.h),
                    Gyroscopic::Midpoint => midpoint_change(
                        &step.rigid.tensor,
                        &omega,
                        &impulse,
                        step.h,
                        MIDPOINT_HALVINGS,
                    ),
                    Gyroscopic::Momentum => {
                        let start = omega + step.rigid.inverse * impulse;
                        FreeTurn::from_start(step.rigid, &start, step.h).end() - omega
                    }
                }
        };
        out.copy_from_slice((omega + change).as_slice());
    }

    fn spin_momentum(&self, rigid: &Rigid, q: &[f64], omega: &[f64], out: &mut [f64]) {
        out.copy_from_slice((world_tensor(rigid, q) * vector(omega)).as_slice());
    }

    fn add_moment(&self, arm: &[f64], p: &[f64], out: &mut [f64]) {
        let moment = vector(arm).cross(&vector(p));
        out.iter_mut().zip(&moment).for_each(|(o, m)| *o += m);
    }

    fn tangents(&self, normal: &[f64], reference: &[f64; 3], out: &mut [f64]) {
        let (n, direction) = (vector(normal), followed(normal, reference));
        let t = (direction - n * n.dot(&direction)).normalize();
        out[..3].copy_from_slice(t.as_slice());
        out[3..].copy_from_slice(n.cross(&t).as_slice());
    }

    fn tangent_rates(&self, normal: &[f64], turn: &[f64], reference: &[f64; 3], out: &mut [f64]) {
        let (n, direction) = (vector(normal), followed(normal, reference));
        let turn = vector(turn);
        // t = s/|s| with s = d − n (n·d).
        let s = direction - n * n.dot(&direction);
        let (length, t) = (s.norm(), s.normalize());
        let rate = -(turn * n.dot(&direction) + n * turn.dot(&direction));
        let t_rate = (rate - t * t.dot(&rate)) / length;
        out[..3].copy_from_slice(t_rate.as_slice());
        out[3..].copy_from_slice((turn.cross(&t) + n.cross(&t_rate)).as_slice());
    }
}

/// The direction that the first tangent of a normal follows: the reference, or where the normal is near it a world axis.
fn followed(normal: &[f64], reference: &[f64; 3]) -> Vector3<f64> {
    let wanted = vector(reference).normalize();
    if vector(normal).dot(&wanted).abs() < REFERENCE_COSINE {
        return wanted;
    }
    let axis = (1..3).fold(0, |best, k| {
        if wanted[k].abs() < wanted[best].abs() {
            k
        } else {
            best
        }
    });
    Vector3::from_fn(|k, _| if k == axis { 1.0 } else { 0.0 })
}

fn vector(slice: &[f64]) -> Vector3<f64> {
    Vector3::from_column_slice(slice)
}

/// R I Rᵀ, symmetric to the last bit.
fn world_tensor(rigid: &Rigid, q: &[f64]) -> Matrix3<f64> {
    if rigid.isotropic {
        return rigid.tensor;
    }
    let rotation = quaternion::rotation(&q[3..]);
    let tensor = rotation * rigid.tensor * rotation.transpose();
    (tensor + tensor.transpose()) * 0.5
}

/// ω⁺ − ω = I⁻¹ (h τ − h ω × I ω), body axes.
fn explicit_change(
    rigid: &Rigid,
    omega: &Vector3<f64>,
    impulse: &Vector3<f64>,
    h: f64,
) -> Vector3<f64> {
    rigid.inverse * (impulse - omega.cross(&(rigid.tensor * omega)) * h)
}

/// ω⁺ − ω of the midpoint rule, body axes; NaN if the halvings do not suffice.
///
/// A root always exists: with F(ω̄) = 2 I (ω̄ − ω) + h ω̄ × I ω̄ − h τ the product ω̄ᵀ F is positive far out. Newton finds it
/// for small h |ω|, where it is also the only one.
fn midpoint_change(
    tensor: &Matrix3<f64>,
    omega: &Vector3<f64>,
    impulse: &Vector3<f64>,
    h: f64,
    halvings: u32,
) -> Vector3<f64> {
    let mut change = Vector3::zeros();
    for _ in 0..MIDPOINT_STEPS {
        let mean = omega + change * 0.5;
        let momentum = tensor * mean;
        let residual = tensor * change + mean.cross(&momentum) * h - impulse;
        let jacobian =
            tensor + (mean.cross_matrix() * tensor - momentum.cross_matrix()) * (0.5 * h);
        let Some(step) = jacobian.lu().solve(&residual) else {
            break;
        };
        change -= step;
        if step.norm() <= MIDPOINT_TOLERANCE * omega.norm().max((omega + change).norm()) {
            return change;
        }
    }
    if halvings == 0 {
        return Vector3::repeat(f64::NAN);
    }
    let (impulse, h) = (impulse * 0.5, 0.5 * h);
    let first = midpoint_change(tensor, omega, &impulse, h, halvings - 1);
    if !first.iter().all(|x| x.is_finite()) {
        return first;
    }
    first + midpoint_change(tensor, &(omega + first), &impulse, h, halvings - 1)
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "these values are exact")]
mod tests {
    use super::*;

    fn rigid(moments: [f64; 3]) -> Rigid {
        let tensor = Matrix3::from_diagonal(&Vector3::from(moments));
        Rigid {
            mass: 1.0,
            tensor,
            inverse: tensor.try_inverse().unwrap(),
            isotropic: moments[0] == moments[1] && moments[1] == moments[2],
        }
    }

    #[test]
    fn midpoint_rule_keeps_energy_and_the_norm_of_the_momentum() {
        let tensor = rigid([1.0, 2.0, 3.0]).tensor;
        // From a slow turn to a hundred radians per step, where the step is halved.
        for h in [1e-3, 0.1, 1.0, 30.0, 100.0] {
            let mut omega = Vector3::new(0.1, 1.0, 0.1);
            let (energy, momentum) = (omega.dot(&(tensor * omega)), (tensor * omega).norm());
            for _ in 0..50 {
                omega += midpoint_change(&tensor, &omega, &Vector3::zeros(), h, MIDPOINT_HALVINGS);
            }
            // A step rounds to some 1e-16, fifty (or fifty times 2^k) of them add up.
            assert!(
                (omega.dot(&(tensor * omega)) / energy - 1.0).abs() < 1e-11,
                "h = {h}"
            );
            assert!(
                ((tensor * omega).norm() / momentum - 1.0).abs() < 1e-11,
                "h = {h}"
            );
        }
    }

    #[test]
    fn both_rules_agree_to_first_order_and_the_midpoint_is_second() {
        let body = rigid([1.0, 2.0, 2.5]);
        let (omega, torque) = (Vector3::new(0.7, -0.4, 1.1), Vector3::new(0.3, 0.2, -0.5));
        let rate = body.inverse * (torque - omega.cross(&(body.tensor * omega)));
        let acceleration = |w: &Vector3<f64>, dw: &Vector3<f64>| {
            -body.inverse * (dw.cross(&(body.tensor * w)) + w.cross(&(body.tensor * dw)))
        };
        let h = 1e-3;
        let midpoint = midpoint_change(&body.tensor, &omega, &(torque * h), h, 0);
        let expected = rate * h + acceleration(&omega, &rate) * (0.5 * h * h);
        assert!(
            (midpoint - expected).norm() < 5e-9,
            "third order in h: {:e}",
            (midpoint - expected).norm()
        );
        assert!((explicit_change(&body, &omega, &(torque * h), h) - rate * h).norm() < 1e-16);
    }

    #[test]
    fn gyroscopic_power_is_zero() {
        let tensor = rigid([1.0, 2.0, 3.0]).tensor;
        let omega = Vector3::new(0.3, -2.0, 0.9);
        assert!(omega.dot(&omega.cross(&(tensor * omega))).abs() < 1e-15);
    }

    #[test]
    fn too_fast_a_spin_is_not_a_number_rather_than_wrong() {
        let tensor = rigid([1.0, 2.0, 3.0]).tensor;
        let omega = Vector3::new(f64::INFINITY, 1.0, 1.0);
        assert!(midpoint_change(&tensor, &omega, &Vector3::zeros(), 1.0, 3)[0].is_nan());
    }

    #[test]
    fn tangents_follow_the_reference_direction() {
        let mut out = [0.0; 6];
        Spatial.tangents(&[1.0, 0.0, 0.0], &[0.0, 0.0, 1.0], &mut out);
        assert_eq!(out, [0.0, 0.0, 1.0, 0.0, -1.0, 0.0]);
        Spatial.tangents(&[0.0, 0.0, 1.0], &[0.0, 0.0, 1.0], &mut out);
        assert_eq!(out, [1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    }
}
