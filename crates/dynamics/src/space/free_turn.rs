//! Turning of a free body with its angular momentum kept: the midpoint rule on the group of rotations.
//!
//! ```math
//! I (\Omega^{+} - \Omega) + h\, \bar\Omega \times I \bar\Omega = 0, \qquad \bar\Omega = \tfrac12 (\Omega + \Omega^{+}), \qquad
//! R^{+} = R \operatorname{cay}(h \bar\Omega)
//! ```
//!
//! # Method
//! With the Cayley map, a turn by 2 atan(h |Ω̄|/2), follows R⁺ I Ω⁺ = R I Ω: the first equation is (1 + h Ω̄×/2) I Ω⁺ =
//! (1 − h Ω̄×/2) I Ω, and cay(hΩ̄) = (1 − h Ω̄×/2)⁻¹ (1 + h Ω̄×/2). A step is known by its mean Ω̄: it begins with
//! Ω̄ + (h/2) I⁻¹ (Ω̄ × I Ω̄) and ends with Ω̄ − (h/2) I⁻¹ (Ω̄ × I Ω̄). Newton's method finds Ω̄ from the beginning, where a step
//! starts, and from the angular velocity at the end in world axes, R⁺ Ω⁺, which is what a step solves for.
//!
//! # Guarantees and limits
//! R I Ω and Ωᵀ I Ω stay to rounding, second order in h. A root is found while h |ω| is at most about one radian times
//! the ratio of the moments; beyond that there may be none, and the answer is not a number.
//!
//! # References
//! - J. C. Simo, K. K. Wong, Unconditionally stable algorithms for rigid body dynamics that exactly preserve energy and
//!   momentum, Int. J. Numer. Meth. Engng 31, 1991, doi:10.1002/nme.1620310103.

use nalgebra::{Matrix3, Vector3};

use super::Rigid;
use crate::{quaternion, system::Rotation};

/// A root is found when a Newton step has |Δ| ≤ 1e-15 |Ω̄|; convergence is quadratic, so that this is rounding.
const TOLERANCE: f64 = 1e-15;

/// The same, where rounding of the residual lets no step become shorter.
const STALLED: f64 = 1e-13;

/// Newton steps before it is given up; four lead from h |ω| = 0.5 to rounding.
const STEPS: usize = 20;

/// A step of a free body, body axes at its beginning.
#[derive(Clone, Copy, Debug)]
pub(super) struct FreeTurn<'a> {
    rigid: &'a Rigid,
    h: f64,
    mean: Vector3<f64>,
}

impl<'a> FreeTurn<'a> {
    /// The step that begins with the angular velocity Ω in body axes; its mean is NaN if there is none.
    pub(super) fn from_start(rigid: &'a Rigid, omega: &Vector3<f64>, h: f64) -> Self {
        Self::solve(rigid, omega, h, |turn| {
            let (swing, swing_rate) = (turn.swing(), turn.swing_rate());
            (turn.mean + swing, Matrix3::identity() + swing_rate)
        })
    }

    /// The step that ends with the angular velocity R⁺ Ω⁺, given by its components in the body axes R of the beginning.
    pub(super) fn from_end(rigid: &'a Rigid, omega: &Vector3<f64>, h: f64) -> Self {
        Self::solve(rigid, omega, h, |turn| (turn.end(), turn.end_rate()))
    }

    /// Ω̄ at which `map`, which gives its value and derivative, is `wanted`.
    fn solve(
        rigid: &'a Rigid,
        wanted: &Vector3<f64>,
        h: f64,
        map: impl Fn(&Self) -> (Vector3<f64>, Matrix3<f64>),
    ) -> Self {
        let mean = *wanted;
        let mut turn = Self { rigid, h, mean };
        let mut last = f64::INFINITY;
        for _ in 0..STEPS {
            let (value, rate) = map(&turn);
            let Some(step) = rate.lu().solve(&(wanted - value)) else {
                break;
            };
            turn.mean += step;
            let (size, length) = (turn.mean.norm(), step.norm());
            if length <= TOLERANCE * size || (length <= STALLED * size && length >= 0.5 * last) {
                return turn;
            }
            last = length;
        }
        turn.mean = Vector3::repeat(f64::NAN);
        turn
    }

    /// Ω̄.
    pub(super) fn mean(&self) -> &Vector3<f64> {
        &self.mean
    }

    /// R⁺ Ω⁺ in the body axes R of the beginning: cay(hΩ̄) leaves Ω̄ as it is.
    pub(super) fn end(&self) -> Vector3<f64> {
        self.mean - self.turned_swing()
    }

    /// Its derivative with respect to Ω̄.
    pub(super) fn end_rate(&self) -> Matrix3<f64> {
        let turned = self.turned_swing();
        // A change of Ω̄ turns what cay(hΩ̄) has turned.
        Matrix3::identity() - self.matrix() * self.swing_rate()
            + turned.cross_matrix() * self.turn_rate()
    }

    /// Derivative of the turn, a rotation vector in the axes of the beginning, with respect to Ω̄.
    pub(super) fn turn_rate(&self) -> Matrix3<f64> {
        quaternion::retract_tangent(&self.mean, self.h, Rotation::Printed)
    }

    /// (h/2) I⁻¹ (Ω̄ × I Ω̄), half of what Ω loses.
    fn swing(&self) -> Vector3<f64> {
        let momentum = self.rigid.tensor * self.mean;
        self.rigid.inverse * self.mean.cross(&momentum) * (0.5 * self.h)
    }

    fn swing_rate(&self) -> Matrix3<f64> {
        let tensor = &self.rigid.tensor;
        let rate = self.mean.cross_matrix() * tensor - (tensor * self.mean).cross_matrix();
        self.rigid.inverse * rate * (0.5 * self.h)
    }

    fn turned_swing(&self) -> Vector3<f64> {
        self.matrix() * self.swing()
    }

    /// cay(hΩ̄).
    fn matrix(&self) -> Matrix3<f64> {
        let half = self.mean * (0.5 * self.h);
        quaternion::rotation(&[1.0, half.x, half.y, half.z])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rigid() -> Rigid {
        let tensor = Matrix3::new(1.0, 0.2, 0.1, 0.2, 2.0, -0.3, 0.1, -0.3, 2.6);
        Rigid {
            mass: 1.0,
            tensor,
            inverse: tensor.try_inverse().unwrap(),
            isotropic: false,
        }
    }

    #[test]
    fn both_ends_name_the_same_step() {
        let rigid = rigid();
        for k in 0..200 {
            let noise = |i: usize| (12.9898 * (3 * k + i + 1) as f64).sin();
            let omega = Vector3::new(noise(0), noise(1), noise(2));
            let h = 0.4 * (k % 10) as f64 / 10.0;
            let turn = FreeTurn::from_start(&rigid, &omega, h);
            let back = FreeTurn::from_end(&rigid, &turn.end(), h);
            assert!((back.mean - turn.mean).norm() < 1e-14, "h = {h}");
            // Momentum and energy of the end are those of the beginning.
            let before = rigid.tensor * omega;
            let end = turn.matrix().transpose() * turn.end();
            let after = turn.matrix() * rigid.tensor * end;
            assert!((after - before).norm() < 1e-14);
            assert!((end.dot(&(rigid.tensor * end)) - omega.dot(&before)).abs() < 1e-14);
        }
    }

    #[test]
    fn the_derivative_of_the_end_is_that_of_differences() {
        let (rigid, h, step) = (rigid(), 0.3, 1e-6);
        let at = |mean: Vector3<f64>| FreeTurn {
            rigid: &rigid,
            h,
            mean,
        };
        let mean = Vector3::new(0.7, -0.4, 1.1);
        let rate = at(mean).end_rate();
        for k in 0..3 {
            let change = Vector3::ith(k, step);
            let difference = (at(mean + change).end() - at(mean - change).end()) / (2.0 * step);
            assert!((difference - rate.column(k)).norm() < 1e-9);
        }
    }

    #[test]
    fn too_fast_a_turn_is_not_a_number_rather_than_wrong() {
        let (rigid, omega) = (rigid(), Vector3::new(f64::INFINITY, 1.0, 1.0));
        assert!(FreeTurn::from_start(&rigid, &omega, 0.1).mean.x.is_nan());
        assert!(FreeTurn::from_end(&rigid, &omega, 0.1).end().x.is_nan());
    }
}
