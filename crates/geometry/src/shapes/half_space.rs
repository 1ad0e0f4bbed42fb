//! Half-space n·x ≤ c.

use nalgebra::{SMatrix, SVector};

use super::{ShapeError, finite};
use crate::{Surface, direction::direction};

/// The solid n·x ≤ c below a line or plane, in body axes; n is a unit vector that points out of the solid.
///
/// Its [`Surface`] is the signed distance f(x) = n·x − c, in m.
///
/// # Examples
/// ```
/// use nalgebra::Vector3;
/// use signorini_geometry::{HalfSpace, Surface};
/// let table = HalfSpace::new(Vector3::new(0.0, 0.0, 2.0), 0.5)?;   // the normal is normalised, the offset is in m
/// assert_eq!(table.value(&Vector3::new(7.0, 0.0, 1.5)), 1.0);
/// assert_eq!(HalfSpace::<3>::up().normal(), &Vector3::z());
/// # Ok::<(), signorini_geometry::ShapeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(
        try_from = "super::data::HalfSpaceData<D>",
        into = "super::data::HalfSpaceData<D>"
    )
)]
pub struct HalfSpace<const D: usize> {
    normal: SVector<f64, D>,
    offset: f64,
}

impl<const D: usize> HalfSpace<D> {
    /// The solid n·x ≤ `offset` with n = `normal`/‖`normal`‖; `offset` is the distance of the plane from the body's
    /// origin along n, m.
    ///
    /// # Errors
    /// [`ShapeError::NotFinite`], [`ShapeError::ZeroNormal`].
    pub fn new(normal: SVector<f64, D>, offset: f64) -> Result<Self, ShapeError> {
        finite("offset", offset)?;
        for &x in &normal {
            finite("normal", x)?;
        }
        // A unit vector stays as it is, bit for bit.
        if (normal.norm_squared() - 1.0).abs() <= 4.0 * f64::EPSILON {
            return Ok(Self { normal, offset });
        }
        let (normal, _) = direction(&normal).ok_or(ShapeError::ZeroNormal)?;
        Ok(Self { normal, offset })
    }

    /// The ground: solid below the last axis, through the origin.
    pub fn up() -> Self {
        let normal = SVector::from_fn(|i, _| if i + 1 == D { 1.0 } else { 0.0 });
        Self {
            normal,
            offset: 0.0,
        }
    }

    /// n, unit, out of the solid.
    pub fn normal(&self) -> &SVector<f64, D> {
        &self.normal
    }

    /// c, m.
    pub fn offset(&self) -> f64 {
        self.offset
    }
}

impl<const D: usize> Surface<D> for HalfSpace<D> {
    fn value(&self, x: &SVector<f64, D>) -> f64 {
        self.normal.dot(x) - self.offset
    }

    fn gradient(&self, _: &SVector<f64, D>) -> SVector<f64, D> {
        self.normal
    }

    fn hessian(&self, _: &SVector<f64, D>) -> SMatrix<f64, D, D> {
        SMatrix::zeros()
    }
}
