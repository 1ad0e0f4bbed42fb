//! Circular cylinder with flat ends.

use nalgebra::{SMatrix, SVector};

use super::{ShapeError, positive};
use crate::boundary::{Boundary, Feature, Relation, next_feature, relation_of_pieces};
use crate::convex_set::ShapeKind;
use crate::{Jet, Surface};

/// The cylinder x² + y² ≤ r², |z| ≤ l of space: its axis is the body's z axis. The plane has none, its section there is a
/// [`Polygon`](crate::Polygon) or a [`Ball`](crate::Ball).
///
/// It is made of three inequalities: the round side (0), the end at +l (1) and the end at −l (2). Its [`Surface`] is
/// the largest of (x² + y² − r²)/(2 r), z − l and −z − l, in m, with the derivatives of that one.
///
/// # Examples
/// ```
/// use nalgebra::Vector3;
/// use signorini_geometry::{ConvexSet, Cylinder};
/// let set = ConvexSet::from(Cylinder::<3>::new(0.3, 0.4)?);
/// assert_eq!(set.support(&Vector3::new(5.0, 0.0, -1.0)), Some(Vector3::new(0.3, 0.0, -0.4)));
/// assert_eq!((set.bounding_radius(), set.size()), (0.5, 1.0));
/// assert!(Cylinder::<2>::new(0.3, 0.4).is_err());
/// # Ok::<(), signorini_geometry::ShapeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(
        try_from = "super::data::CylinderData",
        into = "super::data::CylinderData"
    )
)]
pub struct Cylinder<const D: usize> {
    radius: f64,
    half_length: f64,
}

/// Sine of the angle up to which a normal counts as that of an end or of the side in a first guess.
pub(super) const NEARLY: f64 = 0.1;

/// Part of a face within which a point counts as inside it in a first guess.
pub(super) const INSIDE: f64 = 1.0 - 1e-9;

impl<const D: usize> Cylinder<D> {
    /// `radius` r and half the length l, in m.
    ///
    /// # Errors
    /// [`ShapeError::NotPositive`]; [`ShapeError::NotSpatial`] unless D = 3.
    pub fn new(radius: f64, half_length: f64) -> Result<Self, ShapeError> {
        spatial::<D>(ShapeKind::Cylinder)?;
        Ok(Self {
            radius: positive("radius", radius)?,
            half_length: positive("half length", half_length)?,
        })
    }

    /// r, m.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// l, m.
    pub fn half_length(&self) -> f64 {
        self.half_length
    }

    /// Largest distance of a point from the middle, m.
    pub fn bounding_radius(&self) -> f64 {
        self.radius.hypot(self.half_length)
    }

    /// The inequality that is highest at x.
    fn highest(&self, x: &SVector<f64, D>) -> usize {
        let side = round_value(self.radius, x);
        let end = x[2].abs() - self.half_length;
        if side >= end {
            0
        } else if x[2] >= 0.0 {
            1
        } else {
            2
        }
    }
}

/// Refuses every space but the one of three dimensions.
pub(super) fn spatial<const D: usize>(kind: ShapeKind) -> Result<(), ShapeError> {
    if D == 3 {
        Ok(())
    } else {
        Err(ShapeError::NotSpatial { kind, dimension: D })
    }
}

/// (x² + y² − r²)/(2 r).
pub(super) fn round_value<const D: usize>(radius: f64, x: &SVector<f64, D>) -> f64 {
    0.5 * ((x[0] * x[0] + x[1] * x[1]) / radius - radius)
}

/// The round side of an endless cylinder about z.
pub(super) fn round_jet<const D: usize>(radius: f64, x: &SVector<f64, D>) -> Jet<D> {
    let mut gradient = SVector::zeros();
    (gradient[0], gradient[1]) = (x[0] / radius, x[1] / radius);
    let mut hessian = SMatrix::zeros();
    (hessian[(0, 0)], hessian[(1, 1)]) = (1.0 / radius, 1.0 / radius);
    Jet {
        value: round_value(radius, x),
        gradient,
        hessian,
    }
}

/// The plane `sign` z = `offset`.
pub(super) fn end_jet<const D: usize>(sign: f64, offset: f64, x: &SVector<f64, D>) -> Jet<D> {
    let mut gradient = SVector::zeros();
    gradient[2] = sign;
    Jet {
        value: sign * x[2] - offset,
        gradient,
        hessian: SMatrix::zeros(),
    }
}

impl<const D: usize> Surface<D> for Cylinder<D> {
    fn value(&self, x: &SVector<f64, D>) -> f64 {
        round_value(self.radius, x).max(x[2].abs() - self.half_length)
    }

    fn gradient(&self, x: &SVector<f64, D>) -> SVector<f64, D> {
        self.jet(x).gradient
    }

    fn hessian(&self, x: &SVector<f64, D>) -> SMatrix<f64, D, D> {
        self.jet(x).hessian
    }

    fn jet(&self, x: &SVector<f64, D>) -> Jet<D> {
        self.piece(self.highest(x), x)
    }
}

impl<const D: usize> Boundary<D> for Cylinder<D> {
    fn support(&self, m: &SVector<f64, D>) -> SVector<f64, D> {
        let mut point = rim(self.radius, m);
        point[2] = self.half_length.copysign(m[2]);
        point
    }

    fn extent(&self) -> f64 {
        self.bounding_radius()
    }

    fn feature(&self, x: &SVector<f64, D>, m: &SVector<f64, D>) -> Feature {
        let end = Feature::face(if m[2] >= 0.0 { 1 } else { 2 });
        if m[2].abs() < NEARLY {
            if x[2].abs() < self.half_length * INSIDE {
                return Feature::face(0);
            }
        } else if m[0] * m[0] + m[1] * m[1] < NEARLY * NEARLY
            && x[0].hypot(x[1]) < self.radius * INSIDE
        {
            return end;
        }
        end.with(0)
    }

    fn relation(&self, feature: Feature, x: &SVector<f64, D>, m: &SVector<f64, D>) -> Relation<D> {
        relation_of_pieces(self, feature, x, m)
    }

    fn next(
        &self,
        feature: Feature,
        x: &SVector<f64, D>,
        m: &SVector<f64, D>,
        slack: f64,
    ) -> Option<Feature> {
        next_feature(self, feature, x, m, slack)
    }

    fn pieces(&self) -> usize {
        3
    }

    fn piece(&self, index: usize, x: &SVector<f64, D>) -> Jet<D> {
        match index {
            0 => round_jet(self.radius, x),
            1 => end_jet(1.0, self.half_length, x),
            _ => end_jet(-1.0, self.half_length, x),
        }
    }
}

/// Squares that have neither lost digits nor overflowed.
const SQUARES: std::ops::Range<f64> = 1e-200..1e200;

/// The point furthest along m of the circle of this radius about z, at height zero; its middle if m is along z.
pub(super) fn rim<const D: usize>(radius: f64, m: &SVector<f64, D>) -> SVector<f64, D> {
    let mut point = SVector::zeros();
    // The general length is slow; few directions are so short or long that they need it.
    let squared = m[0] * m[0] + m[1] * m[1];
    let across = if SQUARES.contains(&squared) {
        squared.sqrt()
    } else {
        m[0].hypot(m[1])
    };
    if across > 0.0 {
        (point[0], point[1]) = (m[0] / across * radius, m[1] / across * radius);
    }
    point
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector3;

    use super::*;
    use crate::boundary::check::check_relation;

    #[test]
    fn the_relation_holds_on_side_rim_and_end() {
        let can = Cylinder::<3>::new(0.3, 0.4).unwrap();
        let around = |angle: f64| Vector3::new(angle.cos(), angle.sin(), 0.0);
        check_relation(&can, Feature::face(0), |s| {
            let out = around(0.7 + s);
            (out * 0.3 + Vector3::z() * (0.1 + 0.2 * s), out)
        });
        check_relation(&can, Feature::face(1), |s| {
            (Vector3::new(0.1 + s, -0.2 * s, 0.4), Vector3::z())
        });
        check_relation(&can, Feature::face(0).with(2), |s| {
            let out = around(0.7 + s);
            let m = (out - Vector3::z() * (0.5 + s)).normalize();
            (out * 0.3 - Vector3::z() * 0.4, m)
        });
    }

    #[test]
    fn the_first_guess_is_what_the_normal_says() {
        let can = Cylinder::<3>::new(0.3, 0.4).unwrap();
        let guess = |x: [f64; 3], m: [f64; 3]| -> Vec<usize> {
            let feature = can.feature(&x.into(), &Vector3::from(m).normalize());
            feature.iter().collect()
        };
        assert_eq!(guess([0.3, 0.0, 0.1], [1.0, 0.0, 0.0]), [0]);
        assert_eq!(guess([0.1, 0.0, 0.4], [1e-5, 0.0, 1.0]), [1]);
        assert_eq!(guess([0.3, 0.0, -0.4], [1.0, 0.0, -1.0]), [0, 2]);
    }
}
