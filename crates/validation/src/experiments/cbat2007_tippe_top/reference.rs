//! The sliding top as an ordinary differential equation.
//!
//! ```math
//! m \dot v = N (z - \mu s) - m g z, \qquad I \dot\omega + \omega \times I \omega = r \times N (z - \mu s) + N \tau z, \qquad \dot e = \omega \times e
//! ```
//! ```math
//! s = u_t / \sigma, \quad \tau = -\mu e_r^2 \omega_z / \sigma, \quad \sigma^2 = |u_t|^2 + (e_r \omega_z)^2, \quad r = \epsilon e - R z
//! ```
//!
//! with the velocity u of the point of contact; N follows from the second derivative of the height R − ε e_z of the centre of
//! mass. It holds while the contact slides, which it does all the time that the top spins.

use nalgebra::{SVector, Vector3};

use super::{GRAVITY, MASS, MOMENTS, MU, OFFSET, RADIUS};
use crate::experiments::cbat2007_common::rk4;

/// Velocity, angular velocity and axis of the top.
pub(super) type Top = SVector<f64, 9>;

/// Steps of the integration per second; halving them moves the tilt after 1 s by less than 1e-6 rad.
const STEPS_PER_SECOND: f64 = 20_000.0;

/// Angle between the axis and the vertical at multiples of `every`, up to `until`, both whole numbers of steps, rad.
pub(super) fn tilts(start: &Top, torsion: f64, every: f64, until: f64) -> Vec<[f64; 2]> {
    let h = 1.0 / STEPS_PER_SECOND;
    let count = |time: f64| {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "some thousand steps"
        )]
        let count = (time * STEPS_PER_SECOND).round() as u32;
        count
    };
    let (mut top, stride) = (*start, count(every));
    let mut curve = vec![[0.0, tilt(&top)]];
    for step in 1..=count(until) {
        top = rk4(|top| rate(top, torsion), &top, h);
        if step % stride == 0 {
            curve.push([f64::from(step) * h, tilt(&top)]);
        }
    }
    curve
}

fn tilt(top: &Top) -> f64 {
    top[8].clamp(-1.0, 1.0).acos()
}

fn rate(top: &Top, torsion: f64) -> Top {
    let part = |k: usize| Vector3::new(top[k], top[k + 1], top[k + 2]);
    let (v, omega, axis) = (part(0), part(3), part(6));
    let [across, along] = MOMENTS;
    let times = |x: &Vector3<f64>, [across, along]: [f64; 2]| {
        x * across + axis * ((along - across) * axis.dot(x))
    };
    let inverse = |x: &Vector3<f64>| times(x, [1.0 / across, 1.0 / along]);
    let arm = axis * OFFSET - Vector3::z() * RADIUS;
    let mut sliding = v + omega.cross(&arm);
    sliding.z = 0.0;
    let speed = sliding.norm().hypot(torsion * omega.z);
    let force = Vector3::z() - sliding * (MU / speed);
    let moment = -MU * torsion * torsion * omega.z / speed;
    // ω̇ = free + N forced, and the centre of mass stays at the height R − ε e_z.
    let free = -inverse(&omega.cross(&times(&omega, MOMENTS)));
    let forced = inverse(&(arm.cross(&force) + Vector3::z() * moment));
    let bend = |turn: &Vector3<f64>| turn.cross(&axis).z;
    let fall = bend(&free) + omega.cross(&omega.cross(&axis)).z;
    let normal = (GRAVITY - OFFSET * fall) / (1.0 / MASS + OFFSET * bend(&forced));
    let mut rate = Top::zeros();
    let acceleration = force * (normal / MASS) - Vector3::z() * GRAVITY;
    rate.fixed_rows_mut::<3>(0).copy_from(&acceleration);
    rate.fixed_rows_mut::<3>(3)
        .copy_from(&(free + forced * normal));
    rate.fixed_rows_mut::<3>(6).copy_from(&omega.cross(&axis));
    rate
}
