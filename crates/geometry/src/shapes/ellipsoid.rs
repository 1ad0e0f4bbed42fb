//! Ellipse in the plane, ellipsoid in space.

use nalgebra::{SMatrix, SVector};

use super::{ShapeError, positive};
use crate::boundary::{Boundary, Feature, Relation};
use crate::{Jet, Surface};

/// The ellipse or ellipsoid Σ (xᵢ/eᵢ)² ≤ 1 with its axes along the body's.
///
/// Its [`Surface`] is f(x) = ½ e (Σ (xᵢ/eᵢ)² − 1) with the shortest semi-axis e, in m: for equal axes that of a
/// [`Ball`](crate::Ball).
///
/// # Examples
/// ```
/// use nalgebra::Vector3;
/// use signorini_geometry::{ConvexSet, Ellipsoid};
/// let ellipsoid = Ellipsoid::new(Vector3::new(3.0, 2.0, 1.0))?;
/// let set = ConvexSet::from(ellipsoid);
/// assert_eq!(set.support(&Vector3::new(0.0, 5.0, 0.0)), Some(Vector3::new(0.0, 2.0, 0.0)));
/// assert_eq!((set.bounding_radius(), set.size()), (3.0, 6.0));
/// # Ok::<(), signorini_geometry::ShapeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(
        try_from = "super::data::EllipsoidData<D>",
        into = "super::data::EllipsoidData<D>"
    )
)]
pub struct Ellipsoid<const D: usize> {
    semi_axes: SVector<f64, D>,
}

impl<const D: usize> Ellipsoid<D> {
    /// The ellipsoid with these semi-axes, m.
    ///
    /// # Errors
    /// [`ShapeError::NotPositive`].
    pub fn new(semi_axes: SVector<f64, D>) -> Result<Self, ShapeError> {
        for &e in &semi_axes {
            positive("semi-axis", e)?;
        }
        Ok(Self { semi_axes })
    }

    /// e, m.
    pub fn semi_axes(&self) -> &SVector<f64, D> {
        &self.semi_axes
    }
}

impl<const D: usize> Surface<D> for Ellipsoid<D> {
    fn value(&self, x: &SVector<f64, D>) -> f64 {
        0.5 * self.semi_axes.min() * (x.component_div(&self.semi_axes).norm_squared() - 1.0)
    }

    fn gradient(&self, x: &SVector<f64, D>) -> SVector<f64, D> {
        let e = &self.semi_axes;
        x.component_div(e).component_div(e) * e.min()
    }

    fn hessian(&self, _: &SVector<f64, D>) -> SMatrix<f64, D, D> {
        let least = self.semi_axes.min();
        SMatrix::from_diagonal(&self.semi_axes.map(|e| least / (e * e)))
    }
}

impl<const D: usize> Boundary<D> for Ellipsoid<D> {
    fn support(&self, m: &SVector<f64, D>) -> SVector<f64, D> {
        let turned = self.semi_axes.component_mul(m);
        self.semi_axes.component_mul(&turned) / turned.norm()
    }

    fn extent(&self) -> f64 {
        self.semi_axes.max()
    }

    fn rolling_radius(&self) -> f64 {
        self.semi_axes.min().powi(2) / self.semi_axes.max()
    }

    fn relation(&self, _: Feature, x: &SVector<f64, D>, m: &SVector<f64, D>) -> Relation<D> {
        let height = self.semi_axes.component_mul(m).norm();
        let support = self.support(m);
        let squares = SMatrix::from_diagonal(&self.semi_axes.map(|e| e * e));
        let hessian = (squares - support * support.transpose()) / height;
        Relation::smooth(&support, &hessian, x, m)
    }

    fn piece(&self, _: usize, x: &SVector<f64, D>) -> Jet<D> {
        self.jet(x)
    }
}
