//! The rolling ellipsoid as an ordinary differential equation, in axes of the body.
//!
//! ```math
//! I \dot\omega + \omega \times I \omega = r \times m (\dot v + \omega \times v + g u), \qquad v = r \times \omega, \qquad \dot u = u \times \omega
//! ```
//!
//! with the vertical u and the arm r = d z − E u / √(uᵀ E u) from the centre of mass to the lowest point, E the squares of the
//! half axes and d the height of the middle above the centre of mass.

use nalgebra::{Matrix3, SVector, Vector3};

use super::{DROP, GRAVITY, HALF_AXES, MASS};
use crate::experiments::cbat2007_common::rk4;

/// Angular velocity and vertical, both in axes of the body.
pub(super) type Stone = SVector<f64, 6>;

/// Step of the integration, s: halving it moves the spin after 2 s by less than 1e-6 rad/s.
const STEP: f64 = 2.5e-4;

/// Angular velocity about the vertical at every 2.5e-4 s until `until`, rad/s.
pub(super) fn spins(start: &Stone, inertia: &Matrix3<f64>, until: f64) -> Vec<[f64; 2]> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "some thousand steps"
    )]
    let steps = (until / STEP).round() as u32;
    let mut stone = *start;
    let mut curve = vec![[0.0, spin(&stone)]];
    for step in 1..=steps {
        stone = rk4(|stone| rate(stone, inertia), &stone, STEP);
        curve.push([f64::from(step) * STEP, spin(&stone)]);
    }
    curve
}

fn spin(stone: &Stone) -> f64 {
    parts(stone).0.dot(&parts(stone).1)
}

fn parts(stone: &Stone) -> (Vector3<f64>, Vector3<f64>) {
    let part = |k: usize| Vector3::new(stone[k], stone[k + 1], stone[k + 2]);
    (part(0), part(3))
}

/// From the centre of mass to the lowest point, for the vertical u, axes of the body.
pub(super) fn arm(up: &Vector3<f64>) -> Vector3<f64> {
    let turned = squares() * up;
    Vector3::z() * DROP - turned / up.dot(&turned).sqrt()
}

fn squares() -> Matrix3<f64> {
    Matrix3::from_diagonal(&Vector3::from(HALF_AXES.map(|e| e * e)))
}

fn rate(stone: &Stone, inertia: &Matrix3<f64>) -> Stone {
    let (omega, up) = parts(stone);
    let (arm, turned) = (arm(&up), squares() * up);
    let height = up.dot(&turned).sqrt();
    let up_rate = up.cross(&omega);
    let turned_rate = squares() * up_rate;
    let arm_rate = turned * (up.dot(&turned_rate) / height.powi(3)) - turned_rate / height;
    let about_contact =
        inertia + (Matrix3::identity() * arm.norm_squared() - arm * arm.transpose()) * MASS;
    let known = arm_rate.cross(&omega) + omega.cross(&arm.cross(&omega)) + up * GRAVITY;
    let moment = arm.cross(&known) * MASS - omega.cross(&(inertia * omega));
    let omega_rate = about_contact
        .cholesky()
        .expect("a moment of inertia about a point is positive definite")
        .solve(&moment);
    let mut rate = Stone::zeros();
    rate.fixed_rows_mut::<3>(0).copy_from(&omega_rate);
    rate.fixed_rows_mut::<3>(3).copy_from(&up_rate);
    rate
}
