//! Intersections of convex inequalities, and users' own bodies.
//!
//! ```math
//! K = \{ x : f_i(x) \le 0,\ i = 1, \dots, k \}
//! ```
//!
//! # Method
//! At construction (`build`) a point well inside is found, the boundary is met by rays from it in many directions, and
//! a body that is unbounded (`recession`) or has no interior is refused. Support points (`support`) start from the best of those
//! boundary points; Newton's method with the normal held fixed makes them exact.

mod build;
mod check;
mod cuts;
mod part;
mod recession;
mod support;

pub use part::Part;

use std::fmt;
use std::sync::Arc;

use nalgebra::{SMatrix, SVector};

use self::build::Table;
use self::part::{PartShape, Piece};
use super::ShapeError;
use crate::boundary::{
    Boundary, Feature, Relation, first_feature, next_feature, relation_of_pieces,
};
use crate::{ConvexSet, Jet, Pose, Surface};

/// The intersection of any convex sets with smooth boundaries, and through it a user's own body.
///
/// A cylinder counts as its side and two half-spaces, a cone as its side, its apex and a half-space, a polygon as its
/// half-planes; inequalities are numbered in that order, part after part. Cloning shares all data.
///
/// Its [`Surface`] is the largest of the parts' functions, with the derivatives of that one: in m but for users' own.
///
/// Support points are exact to rounding: each is checked to lie on the boundary with the direction in its normal
/// cone. Where the curvature has no bound, as on the coordinate planes of a superquadric part with an exponent below 2,
/// planes that touch the body close in on the point: it has half the digits, its height all of them, and costs some
/// hundred times as much.
/// Rounding is that of the largest part: a ball of radius R is placed to R times 1e-16, and where the boundaries of two
/// parts cross at a small angle their edge moves by that over the angle, 1e-9 for a lens of two balls that is 1e-4 thick.
/// `bounding_radius` and `size` are the best of local searches from many boundary points.
///
/// # Examples
/// ```
/// use nalgebra::Vector3;
/// use signorini_geometry::{Ball, ConvexSet, HalfSpace, Intersection, Part, mass_properties};
/// let hemisphere = Intersection::new([
///     Part::from(Ball::<3>::new(0.5)?),
///     Part::from(HalfSpace::new(Vector3::z(), 0.0)?),
/// ])?;
/// let set = ConvexSet::from(hemisphere);
/// let rim = set.support(&Vector3::new(1.0, 0.0, 1.0)).unwrap();
/// assert!((rim - Vector3::new(0.5, 0.0, 0.0)).norm() < 1e-15);
/// let mass = mass_properties(&set, 1.0)?;
/// assert!((mass.centroid - Vector3::new(0.0, 0.0, -0.1875)).norm() < 1e-10);
/// # Ok::<(), signorini_geometry::ShapeError>(())
/// ```
#[derive(Clone)]
pub struct Intersection<const D: usize> {
    inner: Arc<Inner<D>>,
}

#[derive(Debug)]
struct Inner<const D: usize> {
    parts: Vec<Part<D>>,
    pieces: Vec<Piece<D>>,
    table: Table<D>,
    bounding_radius: f64,
    diameter: f64,
}

impl<const D: usize> fmt::Debug for Intersection<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Intersection")
            .field("parts", &self.inner.parts)
            .finish_non_exhaustive()
    }
}

impl<const D: usize> PartialEq for Intersection<D> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner) || self.inner.parts == other.inner.parts
    }
}

impl<const D: usize> Intersection<D> {
    /// The intersection of these parts.
    ///
    /// # Errors
    /// [`ShapeError::NoParts`], [`ShapeError::EmptyInterior`], [`ShapeError::UnboundedIntersection`] with a direction in
    /// which it is more than ten million times as long as elsewhere, [`ShapeError::NotFinite`] for poses and for values and
    /// derivatives of users' surfaces, [`ShapeError::NotOutward`] and [`ShapeError::NotConvexSurface`] for these where some
    /// hundred boundary points show it, [`ShapeError::PartNotSmooth`] for a rounded polygon.
    pub fn new(parts: impl IntoIterator<Item = Part<D>>) -> Result<Self, ShapeError> {
        let parts: Vec<_> = parts.into_iter().collect();
        let mut pieces = Vec::new();
        for part in &parts {
            Piece::of(part, &mut pieces)?;
        }
        if pieces.is_empty() {
            return Err(ShapeError::NoParts);
        }
        let table = Table::new(&pieces)?;
        check::check(&pieces, &table)?;
        let mut inner = Inner {
            parts,
            pieces,
            bounding_radius: table.reach(),
            diameter: 0.0,
            table,
        };
        (inner.bounding_radius, inner.diameter) = inner.extents();
        Ok(Self {
            inner: Arc::new(inner),
        })
    }

    /// A user's own body: the one set f ≤ 0.
    ///
    /// # Errors
    /// As [`Intersection::new`].
    pub fn of_surface(surface: Arc<dyn Surface<D>>) -> Result<Self, ShapeError> {
        Self::new([Part::user(surface)])
    }

    /// The parts it was made of.
    pub fn parts(&self) -> &[Part<D>] {
        &self.inner.parts
    }

    /// Number of smooth inequalities.
    pub fn inequalities(&self) -> usize {
        self.inner.pieces.len()
    }

    /// A point well inside, m.
    pub fn interior_point(&self) -> &SVector<f64, D> {
        self.inner.table.centre()
    }

    /// Largest distance of a point from the body's origin, m.
    pub fn bounding_radius(&self) -> f64 {
        self.inner.bounding_radius
    }

    /// Largest distance between two points, m.
    pub fn diameter(&self) -> f64 {
        self.inner.diameter
    }

    /// Whether a part is a user's own surface.
    pub fn has_user_surface(&self) -> bool {
        let user = |part: &Part<D>| matches!(part.shape, PartShape::User(_));
        self.parts().iter().any(user)
    }

    /// The only part, if there is one that is a bounded shape itself, and its place.
    pub(crate) fn alone(&self) -> Option<(ConvexSet<D>, Pose<D>)> {
        let [part] = self.parts() else {
            return None;
        };
        part.bounded_shape().map(|shape| (shape, part.pose))
    }

    /// Distance of the boundary from the interior point in a direction, relative to its length, and the inequality there.
    pub(crate) fn ray(&self, d: &SVector<f64, D>) -> (f64, usize) {
        let inner = &*self.inner;
        let (centre, size) = (inner.table.centre(), inner.diameter);
        let hit = crate::direction::direction(d).and_then(|(unit, length)| {
            let hit = build::shoot(&inner.pieces, centre, &unit, size);
            hit.map(|(distance, index)| (distance / length, index))
        });
        hit.unwrap_or((size / d.norm(), 0))
    }

    /// A lower triangular map from a frame in which the body is about as long as wide.
    pub(crate) fn frame(&self) -> &SMatrix<f64, D, D> {
        let ([out, _], _) = self.inner.table.frame();
        out
    }

    /// Rounding of the boundary, relative to the least distance from the interior point.
    pub(crate) fn rounding(&self) -> f64 {
        let ([_, back], _) = self.inner.table.frame();
        let largest = self.inner.pieces.iter().map(Piece::rounding);
        largest.fold(0.0, f64::max) * back.norm()
    }

    fn highest(&self, x: &SVector<f64, D>) -> usize {
        let pieces = &self.inner.pieces;
        let mut best = (pieces[0].value(x), 0);
        for (index, piece) in pieces.iter().enumerate().skip(1) {
            let value = piece.value(x);
            if value > best.0 {
                best = (value, index);
            }
        }
        best.1
    }
}

impl Intersection<3> {
    /// The box |xᵢ| ≤ `half_lengths`ᵢ (m).
    ///
    /// # Errors
    /// [`ShapeError::NotPositive`].
    ///
    /// # Examples
    /// ```
    /// use nalgebra::Vector3;
    /// use signorini_geometry::{ConvexSet, Intersection, Rounded};
    /// let sharp = Intersection::cuboid(Vector3::new(0.4, 0.3, 0.2))?;
    /// let round = ConvexSet::from(Rounded::new(sharp, 0.1)?);
    /// let corner = round.support(&Vector3::new(1.0, 1.0, 1.0)).unwrap();
    /// let expected = Vector3::new(0.4, 0.3, 0.2) + Vector3::repeat(0.1 / 3f64.sqrt());
    /// assert!((corner - expected).norm() < 1e-14);
    /// # Ok::<(), signorini_geometry::ShapeError>(())
    /// ```
    pub fn cuboid(half_lengths: SVector<f64, 3>) -> Result<Self, ShapeError> {
        let mut parts = Vec::with_capacity(6);
        for axis in 0..3 {
            let half = super::positive("half length", half_lengths[axis])?;
            for sign in [1.0, -1.0] {
                let normal = SVector::from_fn(|i, _| if i == axis { sign } else { 0.0 });
                parts.push(Part::from(crate::HalfSpace::new(normal, half)?));
            }
        }
        Self::new(parts)
    }
}

impl<const D: usize> Surface<D> for Intersection<D> {
    fn value(&self, x: &SVector<f64, D>) -> f64 {
        let values = self.inner.pieces.iter().map(|piece| piece.value(x));
        values.fold(f64::NEG_INFINITY, f64::max)
    }

    fn gradient(&self, x: &SVector<f64, D>) -> SVector<f64, D> {
        self.jet(x).gradient
    }

    fn hessian(&self, x: &SVector<f64, D>) -> SMatrix<f64, D, D> {
        self.jet(x).hessian
    }

    fn jet(&self, x: &SVector<f64, D>) -> Jet<D> {
        self.inner.pieces[self.highest(x)].jet(x)
    }
}

impl<const D: usize> Boundary<D> for Intersection<D> {
    fn support(&self, m: &SVector<f64, D>) -> SVector<f64, D> {
        self.inner.support(m)
    }

    fn extent(&self) -> f64 {
        self.inner.extent()
    }

    fn feature(&self, x: &SVector<f64, D>, m: &SVector<f64, D>) -> Feature {
        self.inner.feature(x, m)
    }

    fn relation(&self, feature: Feature, x: &SVector<f64, D>, m: &SVector<f64, D>) -> Relation<D> {
        self.inner.relation(feature, x, m)
    }

    fn next(
        &self,
        feature: Feature,
        x: &SVector<f64, D>,
        m: &SVector<f64, D>,
        slack: f64,
    ) -> Option<Feature> {
        self.inner.next(feature, x, m, slack)
    }

    fn pieces(&self) -> usize {
        self.inner.pieces.len()
    }

    fn piece(&self, index: usize, x: &SVector<f64, D>) -> Jet<D> {
        self.inner.pieces[index].jet(x)
    }
}

/// What the constructor needs of the boundary before there is a body.
impl<const D: usize> Boundary<D> for Inner<D> {
    fn support(&self, m: &SVector<f64, D>) -> SVector<f64, D> {
        support::support(self, &self.table, m)
    }

    fn extent(&self) -> f64 {
        self.bounding_radius
    }

    fn feature(&self, x: &SVector<f64, D>, m: &SVector<f64, D>) -> Feature {
        self.apex_alone(first_feature(self, x, m))
    }

    fn relation(&self, feature: Feature, x: &SVector<f64, D>, m: &SVector<f64, D>) -> Relation<D> {
        if let Some((_, (apex, _))) = self.apex_of(feature, m) {
            return Relation::corner(&apex, x, m);
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
        if let Some((index, (_, above))) = self.apex_of(feature, m)
            && above < -slack
        {
            return Some(Feature::face(index - 1));
        }
        // At an apex the inequality of its plane stands for all normals in its cone.
        if self.apex_of(feature, m).is_some() && feature.len() == 1 {
            return None;
        }
        next_feature(self, feature, x, m, slack).map(|next| self.apex_alone(next))
    }

    fn pieces(&self) -> usize {
        self.pieces.len()
    }

    fn piece(&self, index: usize, x: &SVector<f64, D>) -> Jet<D> {
        self.pieces[index].jet(x)
    }
}

impl<const D: usize> Inner<D> {
    /// The apex among the inequalities of a feature, with what [`Piece::apex`] says of it.
    fn apex_of(
        &self,
        feature: Feature,
        m: &SVector<f64, D>,
    ) -> Option<(usize, (SVector<f64, D>, f64))> {
        let find = |index: usize| self.pieces[index].apex(m).map(|apex| (index, apex));
        feature.iter().find_map(find)
    }

    /// A feature with an apex is that apex.
    fn apex_alone(&self, feature: Feature) -> Feature {
        let apex = self.apex_of(feature, &SVector::zeros());
        apex.map_or(feature, |(index, _)| Feature::face(index))
    }

    /// Largest distance from the origin and largest distance between two points, by ascent from every point of the table:
    /// each step is to the support point of the direction that the last one gave.
    fn extents(&self) -> (f64, f64) {
        let first = SVector::from_fn(|i, _| if i == 0 { 1.0 } else { 0.0 });
        let unit = |v: &SVector<f64, D>| crate::direction::direction(v).map_or(first, |(m, _)| m);
        let climb = |from: SVector<f64, D>, step: &dyn Fn(&SVector<f64, D>) -> SVector<f64, D>| {
            let mut starts: Vec<_> = self.table.points().map(|x| x - from).collect();
            starts.sort_by(|a, b| b.norm_squared().total_cmp(&a.norm_squared()));
            let mut best = 0f64;
            for start in starts.iter().take(STARTS) {
                let mut at = *start;
                for _ in 0..CLIMBS {
                    let next = step(&unit(&at));
                    if next.norm() <= at.norm() {
                        break;
                    }
                    at = next;
                }
                best = best.max(at.norm());
            }
            best
        };
        let radius = climb(SVector::zeros(), &|m| self.support(m));
        let width = |m: &SVector<f64, D>| self.support(m) - self.support(&-m);
        (radius, climb(*self.table.centre(), &width))
    }
}

/// Starts of the search for the largest distances, and steps of each at most.
const STARTS: usize = 8;
const CLIMBS: usize = 100;

/// Poses and shapes of parts, for data.
#[cfg(feature = "serde")]
mod written {
    use serde::{
        Deserialize, Deserializer, Serialize, Serializer, de::Error as _, ser::Error as _,
    };

    use super::{Intersection, Part, PartShape, Pose};

    #[derive(Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct PartData<const D: usize> {
        shape: PartShape<D>,
        #[serde(default = "Pose::identity")]
        pose: Pose<D>,
    }

    #[derive(Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct IntersectionData<const D: usize> {
        parts: Vec<PartData<D>>,
    }

    impl<const D: usize> Serialize for Intersection<D> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            if self.has_user_surface() {
                return Err(S::Error::custom(
                    "a user's own surface cannot be written as data",
                ));
            }
            let part = |part: &Part<D>| PartData {
                shape: part.shape.clone(),
                pose: part.pose,
            };
            let parts = self.parts().iter().map(part).collect();
            IntersectionData { parts }.serialize(serializer)
        }
    }

    impl<'de, const D: usize> Deserialize<'de> for Intersection<D> {
        fn deserialize<T: Deserializer<'de>>(deserializer: T) -> Result<Self, T::Error> {
            let data = IntersectionData::deserialize(deserializer)?;
            let part = |data: PartData<D>| Part::of(data.shape).at(data.pose);
            Self::new(data.parts.into_iter().map(part)).map_err(T::Error::custom)
        }
    }
}
