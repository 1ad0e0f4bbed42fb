//! What a scene writes differently in the plane and in space.

use nalgebra::SVector;
use signorini_dynamics::Inertia;
use signorini_geometry::{ConvexSet, Pose, Shape};

use super::body::{scalar_inertia, tensor_inertia};
use super::check::Checked;
use super::{ground, shape};
use crate::error::{Fault, SceneError};
use crate::format::{SceneInertia, SceneShape, Spin};

/// The dimension-dependent parts of the conversion.
pub(super) trait InDimension<const D: usize> {
    /// The convex set of a shape, none for a body that touches nothing.
    fn convex_set(
        &self,
        checked: &Checked,
        shape: &SceneShape,
    ) -> Result<Option<ConvexSet<D>>, SceneError>;

    /// The shape of one that is a ground or comes from a file; `None` for all others.
    fn ground(&self, checked: &Checked, shape: &SceneShape)
    -> Result<Option<Shape<D>>, SceneError>;

    /// The coordinates after the position: an angle, or a quaternion.
    fn orientation(&self, checked: &Checked, turn: Turn<'_>) -> Result<Vec<f64>, SceneError>;

    /// The pose of these coordinates.
    fn pose(&self, position: SVector<f64, D>, orientation: &[f64]) -> Pose<D>;

    /// An angular velocity or a torque; zero if it is left out.
    fn spin(
        &self,
        checked: &Checked,
        field: &'static str,
        spin: Option<&Spin>,
    ) -> Result<Vec<f64>, SceneError>;

    /// An inertia in numbers.
    fn given_inertia(&self, checked: &Checked, given: SceneInertia) -> Result<Inertia, SceneError>;
}

/// An orientation as it is written: an angle in the plane, a quaternion in space.
#[derive(Clone, Copy)]
pub(super) struct Turn<'a> {
    pub(super) quaternion: Option<&'a [f64]>,
    pub(super) angle: Option<f64>,
}

/// Two dimensions.
pub(super) struct Plane;

/// Three dimensions.
pub(super) struct Space;

impl InDimension<2> for Plane {
    fn convex_set(
        &self,
        checked: &Checked,
        shape: &SceneShape,
    ) -> Result<Option<ConvexSet<2>>, SceneError> {
        shape::in_plane(checked, shape)
    }

    fn ground(
        &self,
        checked: &Checked,
        shape: &SceneShape,
    ) -> Result<Option<Shape<2>>, SceneError> {
        ground::in_plane(checked, shape)
    }

    fn orientation(&self, checked: &Checked, turn: Turn<'_>) -> Result<Vec<f64>, SceneError> {
        if turn.quaternion.is_some() {
            let hint = "in the plane write `angle`, in rad";
            return Err(checked.fault("quaternion", Fault::Meaningless { hint }));
        }
        Ok(vec![checked.finite("angle", turn.angle.unwrap_or(0.0))?])
    }

    fn pose(&self, position: SVector<f64, 2>, orientation: &[f64]) -> Pose<2> {
        Pose::from_angle(orientation[0], position)
    }

    fn spin(
        &self,
        checked: &Checked,
        field: &'static str,
        spin: Option<&Spin>,
    ) -> Result<Vec<f64>, SceneError> {
        match spin {
            None => Ok(vec![0.0]),
            Some(Spin::Plane(value)) => Ok(vec![checked.finite(field, *value)?]),
            Some(Spin::Space(_)) => {
                let hint = "in the plane it is one number";
                Err(checked.fault(field, Fault::Meaningless { hint }))
            }
        }
    }

    fn given_inertia(&self, checked: &Checked, given: SceneInertia) -> Result<Inertia, SceneError> {
        scalar_inertia(checked, given)
    }
}

impl InDimension<3> for Space {
    fn convex_set(
        &self,
        checked: &Checked,
        shape: &SceneShape,
    ) -> Result<Option<ConvexSet<3>>, SceneError> {
        shape::in_space(checked, shape)
    }

    fn ground(
        &self,
        checked: &Checked,
        shape: &SceneShape,
    ) -> Result<Option<Shape<3>>, SceneError> {
        ground::in_space(checked, shape)
    }

    fn orientation(&self, checked: &Checked, turn: Turn<'_>) -> Result<Vec<f64>, SceneError> {
        /// Numbers typed with seven digits are meant as a unit quaternion; | |p| − 1 | ≤ 1e-6.
        const TOLERANCE: f64 = 1e-6;
        if turn.angle.is_some() {
            let hint = "in space write `quaternion = [w, x, y, z]`";
            return Err(checked.fault("angle", Fault::Meaningless { hint }));
        }
        let Some(quaternion) = turn.quaternion else {
            return Ok(vec![1.0, 0.0, 0.0, 0.0]);
        };
        if quaternion.len() != 4 {
            let fault = Fault::Count {
                found: quaternion.len(),
                expected: 4,
            };
            return Err(checked.fault("quaternion", fault));
        }
        checked.all_finite("quaternion", quaternion)?;
        let norm = quaternion
            .iter()
            .fold(0.0, |norm: f64, component| norm.hypot(*component));
        if (norm - 1.0).abs() > TOLERANCE {
            return Err(checked.fault("quaternion", Fault::NotUnit { norm }));
        }
        Ok(quaternion.to_vec())
    }

    fn pose(&self, position: SVector<f64, 3>, orientation: &[f64]) -> Pose<3> {
        let &[w, x, y, z] = orientation else {
            unreachable!("`orientation` gives quaternions");
        };
        Pose::from_quaternion([w, x, y, z], position)
    }

    fn spin(
        &self,
        checked: &Checked,
        field: &'static str,
        spin: Option<&Spin>,
    ) -> Result<Vec<f64>, SceneError> {
        match spin {
            None => Ok(vec![0.0; 3]),
            Some(Spin::Space(values)) => {
                Ok(checked.vector::<3>(field, values)?.as_slice().to_vec())
            }
            Some(Spin::Plane(_)) => {
                let hint = "in space it is three numbers in world axes";
                Err(checked.fault(field, Fault::Meaningless { hint }))
            }
        }
    }

    fn given_inertia(&self, checked: &Checked, given: SceneInertia) -> Result<Inertia, SceneError> {
        tensor_inertia(checked, given)
    }
}
