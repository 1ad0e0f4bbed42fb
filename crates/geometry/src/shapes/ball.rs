//! Disc in the plane, ball in space.

use nalgebra::{SMatrix, SVector};

use super::{ShapeError, positive};
use crate::boundary::{Boundary, Feature, Relation};
use crate::{Jet, Surface};

/// The disc or ball |x| ≤ r about the body's origin.
///
/// Its [`Surface`] is f(x) = (|x|² − r²)/(2 r), in m: a polynomial, so it has derivatives at the centre too, and its
/// gradient has length one on the boundary.
///
/// # Examples
/// ```
/// use nalgebra::Vector2;
/// use signorini_geometry::{Ball, Surface};
/// let ball = Ball::<2>::new(0.5)?;
/// assert_eq!(ball.radius(), 0.5);
/// assert_eq!(ball.gradient(&Vector2::new(0.0, 0.5)), Vector2::new(0.0, 1.0));
/// # Ok::<(), signorini_geometry::ShapeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "super::data::BallData", into = "super::data::BallData")
)]
pub struct Ball<const D: usize> {
    radius: f64,
}

impl<const D: usize> Ball<D> {
    /// The ball of `radius` m.
    ///
    /// # Errors
    /// [`ShapeError::NotPositive`].
    pub fn new(radius: f64) -> Result<Self, ShapeError> {
        Ok(Self {
            radius: positive("radius", radius)?,
        })
    }

    /// r, m.
    pub fn radius(&self) -> f64 {
        self.radius
    }
}

impl<const D: usize> Surface<D> for Ball<D> {
    fn value(&self, x: &SVector<f64, D>) -> f64 {
        0.5 * (x.norm_squared() / self.radius - self.radius)
    }

    fn gradient(&self, x: &SVector<f64, D>) -> SVector<f64, D> {
        x / self.radius
    }

    fn hessian(&self, _: &SVector<f64, D>) -> SMatrix<f64, D, D> {
        SMatrix::identity() / self.radius
    }
}

/// The core: a point.
impl<const D: usize> Boundary<D> for Ball<D> {
    fn support(&self, _: &SVector<f64, D>) -> SVector<f64, D> {
        SVector::zeros()
    }

    fn extent(&self) -> f64 {
        0.0
    }

    fn feature(&self, _: &SVector<f64, D>, _: &SVector<f64, D>) -> Feature {
        Feature::NONE
    }

    fn relation(&self, _: Feature, x: &SVector<f64, D>, m: &SVector<f64, D>) -> Relation<D> {
        Relation::corner(&SVector::zeros(), x, m)
    }

    fn pieces(&self) -> usize {
        0
    }

    fn piece(&self, _: usize, x: &SVector<f64, D>) -> Jet<D> {
        self.jet(x)
    }
}
