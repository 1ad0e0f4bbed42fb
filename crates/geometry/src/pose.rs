//! Where a body is: a rotation and a position.

use nalgebra::{Matrix2, Quaternion, SMatrix, SVector, UnitQuaternion, Vector2, Vector3};

/// Body to world: x ↦ R x + p.
///
/// | name       | shape  | unit | meaning                                              |
/// | ---------- | ------ | ---- | ---------------------------------------------------- |
/// | `rotation` | (D, D) | –    | R, orthonormal to rounding, determinant one          |
/// | `position` | (D,)   | m    | p, the body's origin in world axes                   |
///
/// The fields are public because dynamics fills them from q in every step; nothing here normalises R.
///
/// # Examples
/// ```
/// use nalgebra::Vector2;
/// use signorini_geometry::Pose;
/// let pose = Pose::from_angle(std::f64::consts::FRAC_PI_2, Vector2::new(1.0, 0.0));
/// let x = pose.apply(&Vector2::new(2.0, 0.0));
/// assert!((x - Vector2::new(1.0, 2.0)).norm() < 1e-15);
/// assert!((pose.inverse_apply(&x) - Vector2::new(2.0, 0.0)).norm() < 1e-15);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Pose<const D: usize> {
    /// R, body to world.
    pub rotation: SMatrix<f64, D, D>,
    /// p, origin of the body in world axes, m.
    pub position: SVector<f64, D>,
}

impl<const D: usize> Pose<D> {
    /// Body axes are world axes.
    pub fn identity() -> Self {
        Self::from_position(SVector::zeros())
    }

    /// The body at `position`, not turned.
    pub fn from_position(position: SVector<f64, D>) -> Self {
        Self {
            rotation: SMatrix::identity(),
            position,
        }
    }

    /// A point from body to world axes: R x + p.
    pub fn apply(&self, point_body: &SVector<f64, D>) -> SVector<f64, D> {
        self.rotation * point_body + self.position
    }

    /// A point from world to body axes: Rᵀ (x − p).
    pub fn inverse_apply(&self, point_world: &SVector<f64, D>) -> SVector<f64, D> {
        self.rotation.tr_mul(&(point_world - self.position))
    }

    /// A direction from body to world axes: R x.
    pub fn rotate(&self, vector_body: &SVector<f64, D>) -> SVector<f64, D> {
        self.rotation * vector_body
    }

    /// A direction from world to body axes: Rᵀ x.
    pub fn inverse_rotate(&self, vector_world: &SVector<f64, D>) -> SVector<f64, D> {
        self.rotation.tr_mul(vector_world)
    }

    /// This pose after another: x ↦ self(inner(x)).
    #[must_use]
    pub fn compose(&self, inner: &Self) -> Self {
        Self {
            rotation: self.rotation * inner.rotation,
            position: self.apply(&inner.position),
        }
    }

    /// The same pose seen from `origin`: its position is relative to it.
    pub(crate) fn relative_to(&self, origin: &SVector<f64, D>) -> Self {
        Self {
            rotation: self.rotation,
            position: self.position - origin,
        }
    }

    /// Whether every number is finite.
    pub fn is_finite(&self) -> bool {
        // No short cut: the compiler tests several at once.
        let finite = |all: bool, x: &f64| all & x.is_finite();
        self.rotation.iter().fold(true, finite) & self.position.iter().fold(true, finite)
    }
}

impl Pose<2> {
    /// The body turned by `angle` (rad, counter-clockwise) with its origin at `position` (m).
    pub fn from_angle(angle: f64, position: Vector2<f64>) -> Self {
        let (sin, cos) = angle.sin_cos();
        Self {
            rotation: Matrix2::new(cos, -sin, sin, cos),
            position,
        }
    }
}

impl Pose<3> {
    /// The body turned by a quaternion (w, x, y, z), which is normalised here, with its origin at `position` (m).
    ///
    /// A quaternion of zeros gives a rotation that is not finite, which every query refuses.
    pub fn from_quaternion(quaternion: [f64; 4], position: Vector3<f64>) -> Self {
        let [w, x, y, z] = quaternion;
        let rotation = UnitQuaternion::from_quaternion(Quaternion::new(w, x, y, z))
            .to_rotation_matrix()
            .into_inner();
        Self { rotation, position }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quaternion_turns_the_right_way() {
        // A quarter turn about z takes x to y.
        let half = std::f64::consts::FRAC_1_SQRT_2;
        let pose = Pose::from_quaternion([half, 0.0, 0.0, half], Vector3::zeros());
        assert!((pose.rotate(&Vector3::x()) - Vector3::y()).norm() < 1e-15);
        assert!(!Pose::from_quaternion([0.0; 4], Vector3::zeros()).is_finite());
    }

    #[test]
    fn composition_applies_the_inner_pose_first() {
        let outer = Pose::from_angle(0.3, Vector2::new(1.0, -2.0));
        let inner = Pose::from_angle(-1.1, Vector2::new(0.2, 0.5));
        let x = Vector2::new(0.7, -0.4);
        assert!((outer.compose(&inner).apply(&x) - outer.apply(&inner.apply(&x))).norm() < 1e-15);
        assert!((outer.inverse_rotate(&outer.rotate(&x)) - x).norm() < 1e-15);
    }
}
