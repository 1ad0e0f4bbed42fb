//! Circular cone.

use nalgebra::{SMatrix, SVector};

use super::cylinder::{INSIDE, NEARLY, end_jet, rim, spatial};
use super::{ShapeError, positive};
use crate::boundary::{Boundary, Feature, Relation, next_feature, relation_of_pieces};
use crate::convex_set::ShapeKind;
use crate::{Jet, Surface};

/// The circular cone of space with base radius r and height h; its axis is the body's z axis and its origin its centroid,
/// so that the base lies at z = −h/4 and the apex at z = 3h/4. The plane has none, its section there is a
/// [`Polygon`](crate::Polygon).
///
/// It is made of two inequalities, the round side (0) and the base (1); number 2 stands for the apex: the plane that
/// touches the cone there. Its [`Surface`] is the larger of the distances to the side and to the plane of the base, in m,
/// with the derivatives of that one; on the axis, where the side's derivatives jump, those of x > 0 with the second ones
/// at 1e-100 m off it.
///
/// # Examples
/// ```
/// use nalgebra::Vector3;
/// use signorini_geometry::{Cone, ConvexSet};
/// let set = ConvexSet::from(Cone::<3>::new(0.3, 0.4)?);
/// let apex = set.support(&Vector3::new(0.1, 0.0, 1.0)).unwrap();
/// assert!((apex - Vector3::new(0.0, 0.0, 0.3)).norm() < 1e-16);
/// let rim = set.support(&Vector3::new(-1.0, 0.0, 0.1)).unwrap();
/// assert_eq!(rim, Vector3::new(-0.3, 0.0, -0.1));
/// assert_eq!(set.size(), 0.6);
/// # Ok::<(), signorini_geometry::ShapeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "super::data::ConeData", into = "super::data::ConeData")
)]
pub struct Cone<const D: usize> {
    radius: f64,
    height: f64,
}

/// Number of the apex among the inequalities.
const APEX: usize = 2;

/// Distance from the axis below which second derivatives stay what they are there, m.
const AXIS: f64 = 1e-100;

impl<const D: usize> Cone<D> {
    /// Base radius r and height h, in m.
    ///
    /// # Errors
    /// [`ShapeError::NotPositive`]; [`ShapeError::NotSpatial`] unless D = 3.
    pub fn new(radius: f64, height: f64) -> Result<Self, ShapeError> {
        spatial::<D>(ShapeKind::Cone)?;
        Ok(Self {
            radius: positive("radius", radius)?,
            height: positive("height", height)?,
        })
    }

    /// Base radius r, m.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// h, m.
    pub fn height(&self) -> f64 {
        self.height
    }

    /// Largest distance of a point from the centroid, m.
    pub fn bounding_radius(&self) -> f64 {
        (0.75 * self.height).max(self.radius.hypot(0.25 * self.height))
    }

    /// Largest distance between two points, m.
    pub fn diameter(&self) -> f64 {
        (2.0 * self.radius).max(self.radius.hypot(self.height))
    }

    fn apex(&self) -> SVector<f64, D> {
        SVector::from_fn(|i, _| if i == 2 { 0.75 * self.height } else { 0.0 })
    }

    fn side(&self, x: &SVector<f64, D>) -> Jet<D> {
        side_jet(self.radius, self.height, &(x - self.apex()))
    }
}

/// The side of the endless cone with apex at the origin that opens to radius r over the height h downwards.
pub(super) fn side_jet<const D: usize>(radius: f64, height: f64, x: &SVector<f64, D>) -> Jet<D> {
    let slant = radius.hypot(height);
    let (cos, sin) = (height / slant, radius / slant);
    let distance = x[0].hypot(x[1]);
    let (u, v) = if distance > 0.0 {
        (x[0] / distance, x[1] / distance)
    } else {
        (1.0, 0.0)
    };
    let mut gradient = SVector::zeros();
    (gradient[0], gradient[1], gradient[2]) = (cos * u, cos * v, sin);
    let bend = cos / distance.max(AXIS);
    let mut hessian = SMatrix::zeros();
    (hessian[(0, 0)], hessian[(1, 1)]) = (bend * v * v, bend * u * u);
    (hessian[(0, 1)], hessian[(1, 0)]) = (-bend * u * v, -bend * u * v);
    Jet {
        value: cos * distance + sin * x[2],
        gradient,
        hessian,
    }
}

impl<const D: usize> Surface<D> for Cone<D> {
    fn value(&self, x: &SVector<f64, D>) -> f64 {
        self.jet(x).value
    }

    fn gradient(&self, x: &SVector<f64, D>) -> SVector<f64, D> {
        self.jet(x).gradient
    }

    fn hessian(&self, x: &SVector<f64, D>) -> SMatrix<f64, D, D> {
        self.jet(x).hessian
    }

    fn jet(&self, x: &SVector<f64, D>) -> Jet<D> {
        let (side, base) = (self.side(x), self.piece(1, x));
        if side.value >= base.value { side } else { base }
    }
}

impl<const D: usize> Boundary<D> for Cone<D> {
    fn support(&self, m: &SVector<f64, D>) -> SVector<f64, D> {
        if m[2] * self.height >= m[0].hypot(m[1]) * self.radius {
            return self.apex();
        }
        let mut point = rim(self.radius, m);
        point[2] = -0.25 * self.height;
        point
    }

    fn extent(&self) -> f64 {
        self.bounding_radius()
    }

    fn feature(&self, x: &SVector<f64, D>, m: &SVector<f64, D>) -> Feature {
        let base = Feature::face(1);
        let across = m[0].hypot(m[1]);
        if m[2] < 0.0 && across < NEARLY {
            let on_base = x[0].hypot(x[1]) < self.radius * INSIDE;
            return if on_base { base } else { base.with(0) };
        }
        // Sine of the angle by which m is above the side's normals.
        let above = (m[2] * self.height - across * self.radius) / self.radius.hypot(self.height);
        if above.abs() < NEARLY {
            if x[2] <= -0.25 * self.height * INSIDE {
                base.with(0)
            } else if x[2] >= 0.75 * self.height * INSIDE {
                Feature::face(APEX)
            } else {
                Feature::face(0)
            }
        } else if above > 0.0 {
            Feature::face(APEX)
        } else {
            base.with(0)
        }
    }

    fn relation(&self, feature: Feature, x: &SVector<f64, D>, m: &SVector<f64, D>) -> Relation<D> {
        if feature.contains(APEX) {
            return Relation::corner(&self.apex(), x, m);
        }
        relation_of_pieces(self, feature, x, m)
    }

    fn next(
        &self,
        feature: Feature,
        x: &SVector<f64, D>,
        m: &SVector<f64, D>,
        slack: f64,
    ) -> Option<Feature> {
        if feature.contains(APEX) {
            let slant = self.radius.hypot(self.height);
            let above = (m[2] * self.height - m[0].hypot(m[1]) * self.radius) / slant;
            return (above < -slack).then(|| Feature::face(0));
        }
        let next = next_feature(self, feature, x, m, slack)?;
        // Above the apex whatever was active is the apex alone.
        Some(if next.contains(APEX) {
            Feature::face(APEX)
        } else {
            next
        })
    }

    fn pieces(&self) -> usize {
        3
    }

    fn piece(&self, index: usize, x: &SVector<f64, D>) -> Jet<D> {
        match index {
            0 => self.side(x),
            1 => end_jet(-1.0, 0.25 * self.height, x),
            _ => end_jet(1.0, 0.75 * self.height, x),
        }
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector3;

    use super::*;
    use crate::boundary::check::check_relation;

    #[test]
    fn the_relation_holds_on_side_rim_base_and_apex() {
        let cone = Cone::<3>::new(0.3, 0.4).unwrap();
        let around = |angle: f64| Vector3::new(angle.cos(), angle.sin(), 0.0);
        check_relation(&cone, Feature::face(0), |s| {
            let (out, down) = (around(0.7 + s), 0.5 + 0.3 * s);
            let x = out * (0.3 * down) + Vector3::z() * (0.3 - 0.4 * down);
            (x, out * 0.8 + Vector3::z() * 0.6)
        });
        check_relation(&cone, Feature::face(0).with(1), |s| {
            let out = around(0.7 + s);
            let m = (out - Vector3::z() * (0.5 + s)).normalize();
            (out * 0.3 - Vector3::z() * 0.1, m)
        });
        check_relation(&cone, Feature::face(1), |s| {
            (Vector3::new(0.1 + s, 0.0, -0.1), -Vector3::z())
        });
        check_relation(&cone, Feature::face(APEX), |s| {
            let m = (around(s) * (0.3 + s) + Vector3::z()).normalize();
            (Vector3::z() * 0.3, m)
        });
    }

    #[test]
    fn features_follow_the_normal_past_the_apex() {
        let cone = Cone::<3>::new(0.3, 0.4).unwrap();
        let apex = Vector3::z() * 0.3;
        assert_eq!(
            cone.next(Feature::face(APEX), &apex, &Vector3::z(), 1e-9),
            None
        );
        assert_eq!(
            cone.next(Feature::face(APEX), &apex, &Vector3::x(), 1e-9),
            Some(Feature::face(0))
        );
        let above = Vector3::new(0.01, 0.0, 0.35);
        let side = Vector3::new(0.8, 0.0, 0.6);
        assert_eq!(
            cone.next(Feature::face(0), &above, &side, 1e-9),
            Some(Feature::face(APEX))
        );
    }
}
