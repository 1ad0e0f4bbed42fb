//! A convex set rounded by a radius.

use std::sync::Arc;

use nalgebra::{SMatrix, SVector};

use super::{ShapeError, finite};
use crate::convex_set::ShapeKind;
use crate::{Ball, ConvexSet, Jet, Placed, Pose, Surface, closest_points};

/// All points within r ≥ 0 of a bounded convex set: its edges and corners are round.
///
/// Rounding a rounded set adds the radii. Cloning shares the core. Closest points of a rounded set are those of its core
/// moved by r, exact to rounding.
///
/// Its [`Surface`] is the signed distance, in m: each value is a search for closest points, slower than a formula by
/// about a microsecond. Second derivatives jump where the boundary passes from a face to a rounded edge.
///
/// # Examples
/// ```
/// use nalgebra::Vector3;
/// use signorini_geometry::{ConvexSet, Cylinder, Rounded, Surface};
/// let can = Rounded::new(Cylinder::<3>::new(0.3, 0.4)?, 0.05)?;
/// assert!(can.value(&Vector3::new(0.33, 0.0, 0.44)).abs() < 1e-15);
/// let set = ConvexSet::from(Rounded::new(can, 0.01)?);
/// assert!((set.bounding_radius() - 0.56).abs() < 1e-15);
/// let end = set.support(&Vector3::z()).unwrap();
/// assert!((end.z - 0.46).abs() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(
        try_from = "super::data::RoundedData<D>",
        into = "super::data::RoundedData<D>"
    )
)]
pub struct Rounded<const D: usize> {
    core: Arc<ConvexSet<D>>,
    radius: f64,
}

impl<const D: usize> Rounded<D> {
    /// `core` grown by `radius` ≥ 0 (m) on all sides.
    ///
    /// # Errors
    /// [`ShapeError::Negative`], [`ShapeError::NotFinite`]; [`ShapeError::UnboundedCore`] for a half-space.
    pub fn new(core: impl Into<ConvexSet<D>>, radius: f64) -> Result<Self, ShapeError> {
        if finite("radius", radius)? < 0.0 {
            return Err(ShapeError::Negative {
                what: "radius",
                value: radius,
            });
        }
        match core.into() {
            ConvexSet::HalfSpace(_) => Err(ShapeError::UnboundedCore {
                kind: ShapeKind::HalfSpace,
            }),
            ConvexSet::Rounded(inner) => Ok(Self {
                radius: finite("radius", inner.radius + radius)?,
                core: inner.core,
            }),
            core => Ok(Self {
                core: Arc::new(core),
                radius,
            }),
        }
    }

    /// What is rounded; it is not itself a [`Rounded`].
    pub fn core(&self) -> &ConvexSet<D> {
        &self.core
    }

    /// r, m.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// Value and gradient of the [`Surface`] by one search.
    pub(crate) fn first_jet(&self, x: &SVector<f64, D>) -> (f64, SVector<f64, D>) {
        let (value, gradient, _) = self.distance(x);
        (value, gradient)
    }

    /// Signed distance from the core less r, its gradient, and where: the point of the core and its distance.
    fn distance(&self, x: &SVector<f64, D>) -> (f64, SVector<f64, D>, SVector<f64, D>) {
        // A ball of any radius will do: closest points add it at the end.
        let probe = Ball::new(self.radius.max(self.core.size()))
            .expect("sizes of shapes are positive and finite");
        let reach = probe.radius();
        let probe = ConvexSet::from(probe);
        let placed = Placed::new(&probe, Pose::from_position(*x));
        let core = Placed::new(&self.core, Pose::identity());
        match closest_points(&core, &placed) {
            Ok(closest) => (closest.gap + reach - self.radius, closest.normal, closest.a),
            Err(_) => self.bound(x),
        }
    }

    /// A lower bound of the distance, where the search gave none: the height above the support plane along x.
    fn bound(&self, x: &SVector<f64, D>) -> (f64, SVector<f64, D>, SVector<f64, D>) {
        let first = SVector::from_fn(|i, _| if i == 0 { 1.0 } else { 0.0 });
        let m = crate::direction::direction(x).map_or(first, |(m, _)| m);
        let point = self.core.support(&m).unwrap_or_else(SVector::zeros);
        (m.dot(&(x - point)) - self.radius, m, point)
    }
}

impl<const D: usize> Surface<D> for Rounded<D> {
    fn value(&self, x: &SVector<f64, D>) -> f64 {
        self.distance(x).0
    }

    fn gradient(&self, x: &SVector<f64, D>) -> SVector<f64, D> {
        self.distance(x).1
    }

    fn hessian(&self, x: &SVector<f64, D>) -> SMatrix<f64, D, D> {
        self.jet(x).hessian
    }

    /// From α t + β δm = 0 on the core, where x moves by t + d δm: (d α − β) δm = α δx.
    fn jet(&self, x: &SVector<f64, D>) -> Jet<D> {
        let (value, m, point) = self.distance(x);
        let (core, own) = self.core.core().expect("a core that is rounded is bounded");
        let point = point - m * own;
        let relation = core.relation(core.feature(&point, &m), &point, &m);
        let distance = value + self.radius + own;
        let back = relation.alpha * distance - relation.beta + m * m.transpose();
        let hessian = back
            .try_inverse()
            .map_or_else(SMatrix::zeros, |inverse| inverse * relation.alpha);
        let across = SMatrix::<f64, D, D>::identity() - m * m.transpose();
        Jet {
            value,
            gradient: m,
            hessian: across * hessian * across,
        }
    }
}
