//! Stadium in the plane, capsule in space.

use nalgebra::{SMatrix, SVector};

use super::{ShapeError, positive};
use crate::boundary::{Boundary, Feature, Multipliers, NOTHING, Relation};
use crate::{Jet, Surface, direction::direction};

/// All points within r of the segment from (−l, 0, ..) to (l, 0, ..): a rod along the body's x axis with round ends.
///
/// Its [`Surface`] is f(x) = (|x − c(x)|² − r²)/(2 r), in m, with c(x) the point of the segment next to x: the ball's
/// function, so the gradient has length one on the boundary and is continuous. The Hessian jumps where the round ends
/// begin, at x₁ = ±l.
///
/// # Examples
/// ```
/// use nalgebra::Vector2;
/// use signorini_geometry::{Capsule, Surface};
/// // The falling rod: 0.5 m between the centres of its ends, which have a radius of 0.05 m.
/// let rod = Capsule::<2>::new(0.25, 0.05)?;
/// assert!(rod.value(&Vector2::new(0.3, 0.0)).abs() < 1e-16);
/// assert_eq!(rod.end(0), Vector2::new(0.25, 0.0));
/// # Ok::<(), signorini_geometry::ShapeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(
        try_from = "super::data::CapsuleData",
        into = "super::data::CapsuleData"
    )
)]
pub struct Capsule<const D: usize> {
    half_length: f64,
    radius: f64,
}

impl<const D: usize> Capsule<D> {
    /// `half_length` l is half the distance between the centres of the ends, `radius` r that of the ends, both in m.
    ///
    /// # Errors
    /// [`ShapeError::NotPositive`]; a capsule of length zero is a [`Ball`](crate::Ball).
    pub fn new(half_length: f64, radius: f64) -> Result<Self, ShapeError> {
        Ok(Self {
            half_length: positive("half length", half_length)?,
            radius: positive("radius", radius)?,
        })
    }

    /// l, m.
    pub fn half_length(&self) -> f64 {
        self.half_length
    }

    /// r, m.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// Centre of end 0 (at +l) or end 1 (at −l), in body axes.
    ///
    /// # Panics
    /// If `k` is neither.
    #[track_caller]
    pub fn end(&self, k: usize) -> SVector<f64, D> {
        assert!(k < 2, "a capsule has ends 0 and 1");
        let x = if k == 0 {
            self.half_length
        } else {
            -self.half_length
        };
        SVector::from_fn(|i, _| if i == 0 { x } else { 0.0 })
    }

    /// x minus the point of the segment next to it.
    fn off_axis(&self, x: &SVector<f64, D>) -> SVector<f64, D> {
        let mut d = *x;
        d[0] -= x[0].clamp(-self.half_length, self.half_length);
        d
    }
}

impl<const D: usize> Surface<D> for Capsule<D> {
    fn value(&self, x: &SVector<f64, D>) -> f64 {
        0.5 * (self.off_axis(x).norm_squared() / self.radius - self.radius)
    }

    fn gradient(&self, x: &SVector<f64, D>) -> SVector<f64, D> {
        self.off_axis(x) / self.radius
    }

    fn hessian(&self, x: &SVector<f64, D>) -> SMatrix<f64, D, D> {
        let mut hessian = SMatrix::identity() / self.radius;
        if x[0].abs() < self.half_length {
            hessian[(0, 0)] = 0.0;
        }
        hessian
    }
}

/// The core: a segment. Face 0 is its end at +l, face 1 the one at −l; no face is between them.
impl<const D: usize> Boundary<D> for Capsule<D> {
    fn support(&self, m: &SVector<f64, D>) -> SVector<f64, D> {
        self.end(usize::from(m[0] < 0.0))
    }

    fn extent(&self) -> f64 {
        self.half_length
    }

    fn feature(&self, x: &SVector<f64, D>, m: &SVector<f64, D>) -> Feature {
        /// Part of the half length below which a point is taken as between the ends.
        const INSIDE: f64 = 1.0 - 1e-9;
        if x[0].abs() < self.half_length * INSIDE {
            Feature::NONE
        } else {
            Feature::face(usize::from(m[0] < 0.0))
        }
    }

    fn relation(&self, feature: Feature, x: &SVector<f64, D>, m: &SVector<f64, D>) -> Relation<D> {
        if let Some(end) = feature.iter().next() {
            return Relation::corner(&self.end(end), x, m);
        }
        let along = SVector::from_fn(|i, _| if i == 0 { 1.0 } else { 0.0 });
        let tangent = direction(&(along - m * m[0])).map_or(along, |(tangent, _)| tangent);
        let across = SMatrix::identity() - m * m.transpose() - tangent * tangent.transpose();
        let mut off = -*x;
        off[0] = 0.0;
        Relation {
            alpha: across,
            beta: -(tangent * tangent.transpose()),
            rhs: tangent * m[0] + across * off,
            lift: m.dot(&off),
            error: off.norm() + m[0].abs() * self.half_length,
        }
    }

    fn next(
        &self,
        feature: Feature,
        x: &SVector<f64, D>,
        m: &SVector<f64, D>,
        slack: f64,
    ) -> Option<Feature> {
        match feature.iter().next() {
            None => {
                let beyond = x[0].abs() > self.half_length * (1.0 + slack);
                beyond.then(|| Feature::face(usize::from(x[0] < 0.0)))
            }
            Some(end) => {
                let inward = if end == 0 { -m[0] } else { m[0] };
                (inward > slack).then_some(Feature::NONE)
            }
        }
    }

    fn carrying(&self, feature: Feature, _: Multipliers, m: &SVector<f64, D>) -> Feature {
        if m[0].abs() <= NOTHING {
            Feature::NONE
        } else {
            feature
        }
    }

    fn ends(&self) -> Option<[SVector<f64, D>; 2]> {
        Some([self.end(0), self.end(1)])
    }

    fn pieces(&self) -> usize {
        0
    }

    fn piece(&self, _: usize, x: &SVector<f64, D>) -> Jet<D> {
        self.jet(x)
    }
}
