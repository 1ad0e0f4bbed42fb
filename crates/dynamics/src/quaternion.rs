//! Unit quaternions, scalar first, body to world, and how they move.
//!
//! ```math
//! \dot p = \tfrac12\, \omega \otimes p = G(p)\, \omega, \qquad G^T G = \tfrac14 I \quad (|p| = 1)
//! ```
//!
//! # Method
//! ω is in world axes and multiplies from the left. A step is p⁺ = r ⊗ p with a unit quaternion r: the normalised Euler
//! step r = (1, h ω/2) / √(1 + h² |ω|²/4) turns by 2 atan(h |ω|/2), the exponential map r = exp(h ω/2) by h |ω|.
//!
//! # Guarantees and limits
//! The result is divided by its norm, which removes the rounding of earlier steps and changes no angle, hence no order.
//! A body that does not turn keeps its quaternion bit for bit. q and −q are the same orientation; the sign never flips.

use nalgebra::{Matrix3, Vector3};

use crate::system::Rotation;

/// Below this angle h |ω| / 2 in rad the sine is taken from its series, whose error there is under 1e-18.
const SERIES_ANGLE: f64 = 1e-4;

/// Norm of the quaternion p.
pub(crate) fn norm(p: &[f64]) -> f64 {
    p.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Rotation matrix, body to world; orthogonal whatever the norm of p.
pub(crate) fn rotation(p: &[f64]) -> Matrix3<f64> {
    let (w, x, y, z) = (p[0], p[1], p[2], p[3]);
    let s = 2.0 / (w * w + x * x + y * y + z * z);
    Matrix3::new(
        1.0 - s * (y * y + z * z),
        s * (x * y - w * z),
        s * (x * z + w * y),
        s * (x * y + w * z),
        1.0 - s * (x * x + z * z),
        s * (y * z - w * x),
        s * (x * z - w * y),
        s * (y * z + w * x),
        1.0 - s * (x * x + y * y),
    )
}

/// The rotation block of G: 4 × 3, by rows, ṗ = G ω with ω in world axes.
pub(crate) fn kinematic_block(p: &[f64]) -> [[f64; 3]; 4] {
    let (w, x, y, z) = (0.5 * p[0], 0.5 * p[1], 0.5 * p[2], 0.5 * p[3]);
    [[-x, -y, -z], [w, z, -y], [-z, w, x], [y, -x, w]]
}

/// out = p turned by the angular velocity ω (world axes) for the time h, of unit length.
pub(crate) fn retract(p: &[f64], omega: &Vector3<f64>, h: f64, rule: Rotation, out: &mut [f64]) {
    if *omega == Vector3::zeros() || h == 0.0 {
        out.copy_from_slice(p);
        return;
    }
    let half = omega * (0.5 * h);
    let (scalar, vector) = match rule {
        Rotation::Printed => (1.0, half),
        Rotation::LieGroup => {
            let angle = half.norm();
            let sinc = if angle < SERIES_ANGLE {
                1.0 - angle * angle / 6.0
            } else {
                angle.sin() / angle
            };
            (angle.cos(), half * sinc)
        }
    };
    let (w, p_vector) = (p[0], Vector3::new(p[1], p[2], p[3]));
    let turned = scalar * p_vector + vector * w + vector.cross(&p_vector);
    out[0] = scalar * w - vector.dot(&p_vector);
    out[1..].copy_from_slice(turned.as_slice());
    let length = norm(out);
    for x in out {
        *x /= length;
    }
}

/// Derivative of [`retract`] with respect to ω: the rotation vector, world axes, by which a change of ω turns the result.
///
/// With r = (1, w)/√(1 + |w|²), w = h ω/2, it is 2 vec(δr ⊗ r*) = h (I + w×)/(1 + |w|²) δω; for the exponential map the
/// left Jacobian of h ω times h.
pub(crate) fn retract_tangent(omega: &Vector3<f64>, h: f64, rule: Rotation) -> Matrix3<f64> {
    match rule {
        Rotation::Printed => {
            let half = omega * (0.5 * h);
            (Matrix3::identity() + half.cross_matrix()) * (h / (1.0 + half.norm_squared()))
        }
        Rotation::LieGroup => {
            let turn = omega * h;
            let (angle, cross) = (turn.norm(), turn.cross_matrix());
            let square = angle * angle;
            let (first, second) = if angle < SERIES_ANGLE {
                (0.5 - square / 24.0, 1.0 / 6.0 - square / 120.0)
            } else {
                let half = (0.5 * angle).sin() / (0.5 * angle);
                (0.5 * half * half, (angle - angle.sin()) / (square * angle))
            };
            (Matrix3::identity() + cross * first + cross * cross * second) * h
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const P: [f64; 4] = [0.5, -0.1, 0.7, 0.5]; // norm 1

    fn angle_between(p: &[f64], r: &[f64]) -> f64 {
        let cross = rotation(p).transpose() * rotation(r);
        let axis = Vector3::new(
            cross[(2, 1)] - cross[(1, 2)],
            cross[(0, 2)] - cross[(2, 0)],
            cross[(1, 0)] - cross[(0, 1)],
        );
        (0.5 * axis.norm()).atan2(0.5 * (cross.trace() - 1.0))
    }

    #[test]
    fn kinematic_block_has_a_quarter_of_the_identity_as_gram_matrix() {
        let g = kinematic_block(&P);
        for i in 0..3 {
            for j in 0..3 {
                let entry: f64 = g.iter().map(|row| row[i] * row[j]).sum();
                let expected = if i == j { 0.25 } else { 0.0 };
                assert!((entry - expected).abs() < 1e-15, "{i} {j}: {entry}");
            }
            let radial: f64 = g.iter().zip(P).map(|(row, p)| row[i] * p).sum();
            assert!(
                radial.abs() < 1e-15,
                "Gᵀ p = 0, so the norm is kept to first order"
            );
        }
    }

    #[test]
    fn rotation_derivative_is_the_angular_velocity_in_world_axes() {
        let (omega, h) = (Vector3::new(0.3, -1.1, 0.8), 1e-6);
        let g = kinematic_block(&P);
        let moved = |s: f64| -> Vec<f64> {
            (0..4)
                .map(|k| P[k] + s * (0..3).map(|i| g[k][i] * omega[i]).sum::<f64>())
                .collect()
        };
        let difference = (rotation(&moved(h)) - rotation(&moved(-h))) / (2.0 * h);
        let expected = omega.cross_matrix() * rotation(&P);
        assert!((difference - expected).norm() < 1e-9);
    }

    #[test]
    fn rotation_is_orthogonal_for_any_norm() {
        let r = rotation(&[1.0, -2.0, 0.5, 3.0]);
        assert!((r.transpose() * r - Matrix3::identity()).norm() < 1e-15);
        assert!((r.determinant() - 1.0).abs() < 1e-15);
    }

    #[test]
    fn one_step_turns_by_the_documented_angle() {
        let (omega, h) = (Vector3::new(1.0, 2.0, -2.0), 0.1); // |ω| = 3
        let mut out = [0.0; 4];
        retract(&P, &omega, h, Rotation::LieGroup, &mut out);
        assert!((angle_between(&P, &out) - 0.3).abs() < 1e-15);
        retract(&P, &omega, h, Rotation::Printed, &mut out);
        let angle = angle_between(&P, &out);
        assert!((angle - 2.0 * 0.15_f64.atan()).abs() < 1e-15);
        // The lag of a step is h³|ω|³/12 up to terms of fifth order, 0.3⁵/80 = 3e-5 here.
        assert!((0.3 - angle - 0.3_f64.powi(3) / 12.0).abs() < 4e-5);
    }

    #[test]
    fn series_and_sine_meet() {
        let at = |angle: f64| {
            let mut out = [0.0; 4];
            retract(
                &P,
                &Vector3::new(0.0, 0.0, 2.0 * angle),
                1.0,
                Rotation::LieGroup,
                &mut out,
            );
            out
        };
        let (below, above) = (
            at(SERIES_ANGLE * (1.0 - 1e-12)),
            at(SERIES_ANGLE * (1.0 + 1e-12)),
        );
        assert!(below.iter().zip(above).all(|(a, b)| (a - b).abs() < 1e-15));
    }

    #[test]
    fn a_body_at_rest_keeps_its_quaternion_bit_for_bit() {
        let p = [0.6 + 1e-16, 0.0, 0.8 - 1e-16, 0.0];
        let mut out = [f64::NAN; 4];
        retract(&p, &Vector3::zeros(), 0.1, Rotation::Printed, &mut out);
        assert_eq!(out.map(f64::to_bits), p.map(f64::to_bits));
    }
}
