//! Velocity of a rigid body.

use nalgebra::{SVector, Vector3};

/// Velocity of a rigid body, or a small displacement of it, in world axes.
///
/// | name      | shape | unit       | meaning                                                            |
/// | --------- | ----- | ---------- | ------------------------------------------------------------------ |
/// | `linear`  | (D,)  | m/s, m     | velocity of the body's origin                                      |
/// | `angular` | (3,)  | rad/s, rad | angular velocity; in the plane only the third component counts     |
///
/// # Examples
/// ```
/// use nalgebra::{Vector2, Vector3};
/// use signorini_geometry::Twist;
/// // A disc of radius 1 m that rolls to the left: its lowest point rests.
/// let rolling = Twist { linear: Vector2::new(-3.0, 0.0), angular: Vector3::new(0.0, 0.0, 3.0) };
/// assert_eq!(rolling.at(&Vector2::new(0.0, -1.0)), Vector2::new(0.0, 0.0));
/// assert_eq!((Twist::<2>::DOFS, Twist::<3>::DOFS), (3, 6));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Twist<const D: usize> {
    /// Velocity of the origin.
    pub linear: SVector<f64, D>,
    /// Angular velocity.
    pub angular: Vector3<f64>,
}

impl<const D: usize> Twist<D> {
    /// Number of components: 3 in the plane, 6 in space.
    pub const DOFS: usize = if D == 2 { 3 } else { 6 };

    /// No motion.
    pub fn zero() -> Self {
        Self {
            linear: SVector::zeros(),
            angular: Vector3::zeros(),
        }
    }

    /// One unit of component `k`: (vx, vy, ω) in the plane, (vx, vy, vz, ωx, ωy, ωz) in space.
    ///
    /// # Panics
    /// If there is no such component.
    #[track_caller]
    pub fn unit(k: usize) -> Self {
        assert!(k < Self::DOFS, "a twist has {} components", Self::DOFS);
        let mut twist = Self::zero();
        if k < D {
            twist.linear[k] = 1.0;
        } else {
            twist.angular[k - D + 3 - (Self::DOFS - D)] = 1.0;
        }
        twist
    }

    /// From its components, in the order of [`Twist::unit`].
    ///
    /// # Panics
    /// If there are not [`Twist::DOFS`] of them.
    #[track_caller]
    pub fn from_slice(components: &[f64]) -> Self {
        assert_eq!(components.len(), Self::DOFS, "components of a twist");
        let mut twist = Self::zero();
        twist.linear.copy_from_slice(&components[..D]);
        twist.angular.as_mut_slice()[3 - (Self::DOFS - D)..].copy_from_slice(&components[D..]);
        twist
    }

    /// Velocity of the point of the body at `arm` from its origin: v + ω × arm.
    pub fn at(&self, arm: &SVector<f64, D>) -> SVector<f64, D> {
        self.linear + self.turn(arm)
    }

    /// Rate of a vector that turns with the body: ω × x.
    pub fn turn(&self, x: &SVector<f64, D>) -> SVector<f64, D> {
        let spatial = Vector3::from_fn(|i, _| if i < D { x[i] } else { 0.0 });
        let rate = self.angular.cross(&spatial);
        SVector::from_fn(|i, _| rate[i])
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector2;

    use super::*;

    #[test]
    fn components_come_in_the_order_of_the_coordinates() {
        let planar = Twist::<2>::from_slice(&[1.0, 2.0, 3.0]);
        assert_eq!(planar.angular, Vector3::new(0.0, 0.0, 3.0));
        assert_eq!(Twist::<2>::unit(2).angular, Vector3::z());
        assert_eq!(Twist::<3>::unit(3).angular, Vector3::x());
        assert_eq!(planar.at(&Vector2::new(1.0, 0.0)), Vector2::new(1.0, 5.0));
        let spatial = Twist::<3>::from_slice(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!(spatial.linear, Vector3::new(1.0, 2.0, 3.0));
        assert_eq!(spatial.angular, Vector3::new(4.0, 5.0, 6.0));
    }
}
