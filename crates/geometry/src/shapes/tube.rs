//! Endless circular cylinder.

use nalgebra::{SMatrix, SVector};

use super::cylinder::{round_jet, round_value, spatial};
use super::{ShapeError, positive};
use crate::convex_set::ShapeKind;
use crate::{Jet, Surface};

/// The endless cylinder x² + y² ≤ r² about the z axis of space. It is unbounded and therefore no
/// [`ConvexSet`](crate::ConvexSet), only a [`Part`](crate::Part) of an [`Intersection`](crate::Intersection).
///
/// Its [`Surface`] is f(x) = (x² + y² − r²)/(2 r), in m.
///
/// # Examples
/// ```
/// use nalgebra::Vector3;
/// use signorini_geometry::{Surface, Tube};
/// let tube = Tube::<3>::new(0.5)?;
/// assert_eq!(tube.value(&Vector3::new(0.3, 0.4, 7.0)), 0.0);
/// # Ok::<(), signorini_geometry::ShapeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "super::data::TubeData", into = "super::data::TubeData")
)]
pub struct Tube<const D: usize> {
    radius: f64,
}

impl<const D: usize> Tube<D> {
    /// `radius` r, m.
    ///
    /// # Errors
    /// [`ShapeError::NotPositive`]; [`ShapeError::NotSpatial`] unless D = 3.
    pub fn new(radius: f64) -> Result<Self, ShapeError> {
        spatial::<D>(ShapeKind::Cylinder)?;
        Ok(Self {
            radius: positive("radius", radius)?,
        })
    }

    /// r, m.
    pub fn radius(&self) -> f64 {
        self.radius
    }
}

impl<const D: usize> Surface<D> for Tube<D> {
    fn value(&self, x: &SVector<f64, D>) -> f64 {
        round_value(self.radius, x)
    }

    fn gradient(&self, x: &SVector<f64, D>) -> SVector<f64, D> {
        self.jet(x).gradient
    }

    fn hessian(&self, x: &SVector<f64, D>) -> SMatrix<f64, D, D> {
        self.jet(x).hessian
    }

    fn jet(&self, x: &SVector<f64, D>) -> Jet<D> {
        round_jet(self.radius, x)
    }
}
