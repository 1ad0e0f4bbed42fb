//! Closest points of two placed sets, signed.
//!
//! ```math
//! b - a = g\, n, \qquad g = \max_{|m| = 1} \left( \min_{x \in B} m \cdot x - \max_{x \in A} m \cdot x \right)
//! ```
//!
//! # Method
//! A ball is a point, a capsule a segment, a polygon its vertices, each with a radius: among these and half-spaces the
//! distance of the cores has a closed form, with its sign, and the radii are taken off. Everything else is searched for
//! (`general`), and every answer is certified by the support functions.
//!
//! # Guarantees and limits
//! Closed forms are global, apart and in overlap; what is searched for is global apart, and in overlap to the bounds told in
//! `general`. Rounding is relative to the coordinates of B seen from A: 10⁶ m from the world's origin the gap of two
//! bodies of 1 m is good to 1e-15 m for the positions given; the witness points are rounded to world coordinates, 1e-10 m
//! there.

mod answer;
mod core;
mod direct;
mod general;
mod half_space;
mod manifold;
mod patch;
mod planar;
mod polytope;
mod spatial;

pub use answer::{ActiveSet, ClosestPoints, Uniqueness};
pub use manifold::{Manifold, ManifoldPoint};

use nalgebra::SVector;
use thiserror::Error;

use self::core::Core;
use crate::{ConvexSet, Placed, ShapeKind};

/// Why a pair has no closest points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ClosestError {
    /// The centres or axes coincide, so that every direction across them is as good as another.
    #[error(
        "the {a} and the {b} are concentric: no normal is defined, move one of them by any small length"
    )]
    Concentric {
        /// Kind of A.
        a: ShapeKind,
        /// Kind of B.
        b: ShapeKind,
    },
    /// A pose is NaN or infinite, or so large that the result is.
    #[error(
        "the {a} or the {b} is at a place that is not finite: look for NaN, infinity or overflow in both poses"
    )]
    NotFinite {
        /// Kind of A.
        a: ShapeKind,
        /// Kind of B.
        b: ShapeKind,
    },
    /// The search found no closest points that it could prove.
    #[error(
        "no closest points of the {a} and the {b} could be proved: their shapes or sizes may be too extreme for 1e-12, and \
         another pose near by may do"
    )]
    NotConverged {
        /// Kind of A.
        a: ShapeKind,
        /// Kind of B.
        b: ShapeKind,
    },
    /// The pair has no gap, or no method.
    #[error(
        "no closest points for a {a} and a {b}: two sets without an end have no gap, exclude the pair or bound one of them"
    )]
    Unsupported {
        /// Kind of A.
        a: ShapeKind,
        /// Kind of B.
        b: ShapeKind,
    },
}

/// The globally closest points of A and B, or in overlap the points of the least translation that ends it.
///
/// It is [`Manifold::deepest`] of [`manifold`], bit for bit, unless the points are free
/// ([`Uniqueness::FreePoints`]): then the manifold has the points that bound the patch.
///
/// # Errors
/// [`ClosestError`].
///
/// # Examples
/// ```
/// use nalgebra::Vector3;
/// use signorini_geometry::{Ball, ConvexSet, HalfSpace, Placed, Pose, closest_points};
/// let (ground, ball) = (ConvexSet::from(HalfSpace::<3>::up()), ConvexSet::from(Ball::new(1.0)?));
/// let a = Placed::new(&ground, Pose::identity());
/// let b = Placed::new(&ball, Pose::from_position(Vector3::new(2.0, 0.0, 0.75)));
/// let closest = closest_points(&a, &b)?;
/// assert_eq!((closest.gap, closest.normal), (-0.25, Vector3::z()));
/// assert_eq!((closest.a, closest.b), (Vector3::new(2.0, 0.0, 0.0), Vector3::new(2.0, 0.0, -0.25)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn closest_points<const D: usize>(
    a: &Placed<'_, D>,
    b: &Placed<'_, D>,
) -> Result<ClosestPoints<D>, ClosestError> {
    match direct::single(a, b) {
        Some(closest) => Ok(closest),
        None => searched_points(a, b),
    }
}

/// What is more than two balls; apart, so that two balls pay nothing for it.
#[inline(never)]
fn searched_points<const D: usize>(
    a: &Placed<'_, D>,
    b: &Placed<'_, D>,
) -> Result<ClosestPoints<D>, ClosestError> {
    if let Some(closest) = direct::over_plane(a, b) {
        return Ok(closest);
    }
    if !is_closed_form(a, b) && !polytope::is_over_plane(a, b) {
        return general_points(a, b).map(|(closest, _)| closest);
    }
    let mut closest: Option<ClosestPoints<D>> = None;
    query(a, b, &mut |point| match &mut closest {
        None => closest = Some(point.closest),
        Some(first) => first.free_beside(&point.closest),
    })?;
    Ok(closest.expect("a query that succeeds lists at least one point"))
}

/// The closest points near `start`, those of the same pair a moment ago: local, and cheaper than [`closest_points`].
///
/// Apart, whatever it finds is the global answer, as there is one. In overlap it follows the normal of `start`, which
/// need not be the direction of least translation.
///
/// # Errors
/// As [`closest_points`], which is asked where nothing is found near `start`.
///
/// # Examples
/// ```
/// use nalgebra::Vector3;
/// use signorini_geometry::{ConvexSet, Ellipsoid, Placed, Pose, closest_points, refine_closest_points};
/// let egg = ConvexSet::from(Ellipsoid::new(Vector3::new(0.3, 0.2, 0.2))?);
/// let at = |z| Placed::new(&egg, Pose::from_position(Vector3::new(0.1, 0.0, z)));
/// let below = Placed::new(&egg, Pose::identity());
/// let before = closest_points(&below, &at(0.5))?;
/// let now = refine_closest_points(&below, &at(0.49), &before)?;
/// assert!((now.gap - closest_points(&below, &at(0.49))?.gap).abs() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn refine_closest_points<const D: usize>(
    a: &Placed<'_, D>,
    b: &Placed<'_, D>,
    start: &ClosestPoints<D>,
) -> Result<ClosestPoints<D>, ClosestError> {
    let not_finite = ClosestError::NotFinite {
        a: a.set.kind(),
        b: b.set.kind(),
    };
    if !(a.pose.is_finite() && b.pose.is_finite() && start.is_finite()) {
        return Err(not_finite);
    }
    let half_space = [a, b].map(|body| matches!(body.set, ConvexSet::HalfSpace(_)));
    if is_closed_form(a, b) || half_space[0] || half_space[1] || polytope::is_pair(a, b) {
        return closest_points(a, b);
    }
    let closest = general::refine(a, b, start)?;
    if closest.is_finite() {
        Ok(closest)
    } else {
        Err(not_finite)
    }
}

/// Every point at which A and B can press on each other, whatever its gap; the caller filters by margin.
///
/// Each point is a vertex of one core next to a side of the other, with that side's normal (or two vertices, or two
/// crossing segments in space). Its gap function is smooth, ġ = n·(vB − vA) at its witness points, and is no less
/// than the gap of the pair. Nothing depends on which body is taken as the reference, so points do not flicker when
/// two sides are parallel.
///
/// | pair                         | points                                                            |
/// | ---------------------------- | ----------------------------------------------------------------- |
/// | half-space, any core         | one per vertex of the core                                        |
/// | ball, ball or core           | one                                                               |
/// | sides that face each other   | one or two: the ends of the interval in which the sides overlap   |
/// | nearly parallel capsules in space | the same, and the crossing point if it is closer than the ends |
/// | two vertices, crossing capsules | one                                                            |
/// | flat faces and straight lines of curved bodies in space that face each other | the corners of the patch, or the ends of the line, in which they overlap; a round face counts as eight-sided |
/// | any other pair with a curved body | one, the closest                                              |
///
/// Where a body is rounded, the witness points of the points that are not the closest lie on the discs (balls) about
/// the vertices, which belong to the body but not always to its boundary: the upper end of a tilted rod is an example.
///
/// # Errors
/// [`ClosestError`]; `out` is then empty.
///
/// # Examples
/// ```
/// use nalgebra::Vector2;
/// use signorini_geometry::{Capsule, ConvexSet, HalfSpace, Manifold, Placed, Pose, manifold};
/// let (ground, rod) = (ConvexSet::from(HalfSpace::<2>::up()), ConvexSet::from(Capsule::new(0.25, 0.05)?));
/// let a = Placed::new(&ground, Pose::identity());
/// let b = Placed::new(&rod, Pose::from_position(Vector2::new(3.0, 0.04)));
/// let mut out = Manifold::new();
/// manifold(&a, &b, &mut out)?;
/// let facts: Vec<_> = out.points().iter().map(|p| (p.feature, p.closest.a[0])).collect();
/// assert_eq!(facts, [(0, 3.25), (1, 2.75)]);
/// assert!((out.deepest().unwrap().closest.gap + 0.01).abs() < 1e-16);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn manifold<const D: usize>(
    a: &Placed<'_, D>,
    b: &Placed<'_, D>,
    out: &mut Manifold<D>,
) -> Result<(), ClosestError> {
    out.clear();
    let asked = polytope::boxes::Asked {
        reach: f64::INFINITY,
        known: None,
    };
    fill(a, b, asked, out)
}

/// What a query for the contacts of a pair remembers, so that the next one of the same pair is quicker: of two boxes which
/// edges separate them, which corner is next to which corner or edge, which faces are flush, and which axis separates most and
/// which corners bound the overlap of their faces and how far they may move for that to hold. Of other pairs nothing.
///
/// It changes no bit of an answer, and may be of another pair.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ManifoldMemory<const D: usize>(Option<Box<polytope::boxes::Known<D>>>);

impl<const D: usize> ManifoldMemory<D> {
    /// Whether it remembers nothing.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }
}

/// The points of [`manifold`] if the gap of the pair is at most `reach` (m), none otherwise; quicker than all of them where the
/// gap is larger, and quicker with the memory of the same pair a moment ago.
///
/// # Errors
/// As [`manifold`], but not for a pair that is known to be further apart.
///
/// # Examples
/// ```
/// use nalgebra::Vector3;
/// use signorini_geometry::{ConvexSet, Manifold, ManifoldMemory, Placed, Polytope, Pose, manifold, manifold_within};
/// let brick = ConvexSet::from(Polytope::cuboid(2.0, 1.0, 0.5)?);
/// let below = Placed::new(&brick, Pose::identity());
/// let (mut memory, mut out, mut all) = (ManifoldMemory::default(), Manifold::new(), Manifold::new());
/// for z in [0.75, 0.51, 0.5099, 0.5098] {
///     let above = Placed::new(&brick, Pose::from_position(Vector3::new(0.3, 0.2, z)));
///     manifold_within(&below, &above, 0.02, Some(&mut memory), &mut out)?;
///     manifold(&below, &above, &mut all)?;
///     assert!(if z < 0.52 { out == all } else { out.points().is_empty() });
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn manifold_within<const D: usize>(
    a: &Placed<'_, D>,
    b: &Placed<'_, D>,
    reach: f64,
    memory: Option<&mut ManifoldMemory<D>>,
    out: &mut Manifold<D>,
) -> Result<(), ClosestError> {
    out.clear();
    let known = memory.map(|memory| &mut memory.0);
    fill(a, b, polytope::boxes::Asked { reach, known }, out)?;
    if out
        .deepest()
        .is_some_and(|deepest| deepest.closest.gap > reach)
    {
        out.clear();
    }
    Ok(())
}

/// The contacts of a pair along the normal of one that need not be the closest: `along` with this name, and in space what bounds
/// the patch of faces and edges that lie flush across its normal.
///
/// # Examples
/// ```
/// use nalgebra::Vector3;
/// use signorini_geometry::{ClosestPoints, ConvexSet, Manifold, Placed, Polytope, Pose, closest_points, manifold_along};
/// let (cube, at) = (ConvexSet::from(Polytope::cuboid(2.0, 2.0, 2.0)?), |x, z| Pose::from_position(Vector3::new(x, 0.0, z)));
/// let (below, above) = (Placed::new(&cube, at(0.0, 0.0)), Placed::new(&cube, at(1.9, 1.8)));
/// // The least way out is sideways, through the face at x = 1. Upwards there are four contacts.
/// let least = closest_points(&below, &above)?;
/// assert_eq!(least.normal, Vector3::x());
/// let (a, b) = (Vector3::new(0.9, 1.0, 1.0), Vector3::new(0.9, 1.0, 0.8));
/// let up = ClosestPoints { a, b, normal: Vector3::z(), gap: -0.2, ..least };
/// let mut out = Manifold::new();
/// manifold_along(&below, &above, (0, &up), &mut out);
/// assert!(out.points().len() == 4 && out.points().iter().all(|point| (point.closest.gap + 0.2).abs() < 1e-15));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn manifold_along<const D: usize>(
    a: &Placed<'_, D>,
    b: &Placed<'_, D>,
    (feature, along): (u32, &ClosestPoints<D>),
    out: &mut Manifold<D>,
) {
    out.clear();
    if D == 2 {
        let closest = *along;
        out.push(ManifoldPoint { feature, closest });
    } else {
        patch::contacts(a, b, (feature, along), &mut |point| out.push(point));
    }
    out.sort();
}

/// Fills an empty manifold.
fn fill<const D: usize>(
    a: &Placed<'_, D>,
    b: &Placed<'_, D>,
    asked: polytope::boxes::Asked<'_, D>,
    out: &mut Manifold<D>,
) -> Result<(), ClosestError> {
    if let Some(closest) = direct::single(a, b) {
        let feature = 0;
        out.push(ManifoldPoint { feature, closest });
        return Ok(());
    }
    if polytope::boxes::contacts(a, b, asked, out).is_some() {
        return Ok(());
    }
    out.clear();
    let result = query(a, b, &mut |point| out.push(point));
    match result {
        Ok(()) => out.sort(),
        Err(_) => out.clear(),
    }
    result
}

/// Whether both sets are half-spaces, or balls, capsules or polygons, rounded or not.
fn is_closed_form<const D: usize>(a: &Placed<'_, D>, b: &Placed<'_, D>) -> bool {
    [a, b].iter().all(|body| {
        let set = match body.set {
            ConvexSet::Rounded(rounded) => rounded.core(),
            set => set,
        };
        matches!(
            set,
            ConvexSet::HalfSpace(_)
                | ConvexSet::Ball(_)
                | ConvexSet::Capsule(_)
                | ConvexSet::Polygon(_)
        )
    })
}

/// Closest points of sets that are found by search, and their name as a contact alone.
fn general_points<const D: usize>(
    a: &Placed<'_, D>,
    b: &Placed<'_, D>,
) -> Result<(ClosestPoints<D>, u32), ClosestError> {
    let not_finite = ClosestError::NotFinite {
        a: a.set.kind(),
        b: b.set.kind(),
    };
    if !(a.pose.is_finite() && b.pose.is_finite()) {
        return Err(not_finite);
    }
    let exact = polytope::is_pair(a, b)
        .then(|| polytope::boxes::closest(a, b).or_else(|| polytope::closest(a, b)));
    let (closest, name) = match exact.flatten() {
        Some(found) => found,
        None => (general::closest(a, b)?, patch::CLOSEST),
    };
    if closest.is_finite() {
        Ok((closest, name))
    } else {
        Err(not_finite)
    }
}

/// Hands every point of the manifold to `list`, the closest points first; at least one if it succeeds.
///
/// Everything is computed relative to the origin of A, so that a pair far from the world's origin loses nothing but
/// the rounding of its own coordinates.
fn query<const D: usize>(
    a: &Placed<'_, D>,
    b: &Placed<'_, D>,
    list: &mut dyn FnMut(ManifoldPoint<D>),
) -> Result<(), ClosestError> {
    let kinds = (a.set.kind(), b.set.kind());
    let not_finite = ClosestError::NotFinite {
        a: kinds.0,
        b: kinds.1,
    };
    if !(a.pose.is_finite() && b.pose.is_finite()) {
        return Err(not_finite);
    }
    let origin = a.pose.position;
    let mut finite = true;
    let mut list = |point: ManifoldPoint<D>| {
        finite &= point.closest.is_finite();
        list(point);
    };
    let mut emit = |point: CorePoint<D>, radii: [f64; 2]| list(point.grown(radii, &origin));
    let cores = [Core::new(a, &origin), Core::new(b, &origin)];
    let polytopes = [a, b].map(|body| polytope::polytope_of(body.set));
    let [pose_a, pose_b] = [a, b].map(|body| body.pose.relative_to(&origin));
    match (a.set, b.set, polytopes) {
        (ConvexSet::HalfSpace(plane), _, [_, Some((shape, radius))]) => {
            polytope::over_plane(plane, &pose_a, shape, &pose_b, &mut |p| {
                emit(p, [0.0, radius]);
            });
            return if finite { Ok(()) } else { Err(not_finite) };
        }
        (_, ConvexSet::HalfSpace(plane), [Some((shape, radius)), _]) => {
            polytope::over_plane(plane, &pose_b, shape, &pose_a, &mut |p| {
                emit(p.swapped(), [radius, 0.0]);
            });
            return if finite { Ok(()) } else { Err(not_finite) };
        }
        _ => {}
    }
    match (a.set, b.set, cores) {
        (ConvexSet::HalfSpace(_), ConvexSet::HalfSpace(_), _) => {
            return Err(ClosestError::Unsupported {
                a: kinds.0,
                b: kinds.1,
            });
        }
        (ConvexSet::HalfSpace(plane), _, [_, Some(core)]) => {
            let pose = a.pose.relative_to(&origin);
            half_space::contacts(plane, &pose, &core, &mut |p| emit(p, [0.0, core.radius]));
        }
        (_, ConvexSet::HalfSpace(plane), [Some(core), _]) => {
            let pose = b.pose.relative_to(&origin);
            half_space::contacts(plane, &pose, &core, &mut |p| {
                emit(p.swapped(), [core.radius, 0.0]);
            });
        }
        (_, _, [Some(core_a), Some(core_b)]) => {
            // Only the plane has sides with a normal of their own; the rest is the same for every D.
            let contacts = if D == 2 {
                planar::contacts
            } else {
                spatial::contacts
            };
            contacts(&core_a, &core_b, &mut |p| {
                emit(p, [core_a.radius, core_b.radius]);
            })
            .ok_or(ClosestError::Concentric {
                a: kinds.0,
                b: kinds.1,
            })?;
        }
        _ => {
            let (closest, name) = general_points(a, b)?;
            patch::contacts(a, b, (name, &closest), &mut list);
        }
    }
    if finite { Ok(()) } else { Err(not_finite) }
}

/// A contact of the cores alone, relative to the origin of A: b − a = distance · normal.
#[derive(Clone, Copy, Debug)]
struct CorePoint<const D: usize> {
    feature: u32,
    a: SVector<f64, D>,
    b: SVector<f64, D>,
    normal: SVector<f64, D>,
    distance: f64,
}

impl<const D: usize> CorePoint<D> {
    fn swapped(self) -> Self {
        Self {
            a: self.b,
            b: self.a,
            normal: -self.normal,
            ..self
        }
    }

    /// The contact of the cores grown by their radii, in world coordinates.
    fn grown(&self, radii: [f64; 2], origin: &SVector<f64, D>) -> ManifoldPoint<D> {
        let closest = ClosestPoints::exact(
            origin + (self.a + self.normal * radii[0]),
            origin + (self.b - self.normal * radii[1]),
            self.normal,
            self.distance - radii[0] - radii[1],
        );
        ManifoldPoint {
            feature: self.feature,
            closest,
        }
    }
}

/// Which body has the vertex of a contact between a vertex and a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    A,
    B,
}

impl Side {
    const BOTH: [Self; 2] = [Self::A, Self::B];

    fn index(self) -> usize {
        usize::from(self == Self::B)
    }

    fn other(self) -> Self {
        if self == Self::A { Self::B } else { Self::A }
    }

    /// Feature number of a vertex of this body.
    fn feature(self, vertex: usize) -> u32 {
        let vertex = u32::try_from(vertex).expect("a polygon has far fewer than 2³¹ vertices");
        2 * vertex + u32::from(self == Self::B)
    }
}

/// Feature of the end of an interval at which a corner of A and a corner of B lie.
///
/// The end is the `limiting` corner, but where the two nearly coincide (`apart` along the sides at most
/// [`SAME_CORNER`] of the `shorter` side) which of them limits is a matter of jitter, as in a stack of equal boxes:
/// there the end is always named after the corner of A.
fn end_feature(corners: [usize; 2], limiting: Side, apart: f64, shorter: f64) -> u32 {
    if limiting == Side::A || apart.abs() <= SAME_CORNER * shorter {
        Side::A.feature(corners[0])
    } else {
        Side::B.feature(corners[1])
    }
}

/// Part of the shorter side within which two corners count as one for the feature's name; it moves no point.
/// Too small, names flicker in stacks of nearly equal boxes; too large, a contact keeps its name a little longer than
/// its corner.
const SAME_CORNER: f64 = 0.05;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_that_nearly_coincide_share_the_name_of_a() {
        assert_eq!(end_feature([3, 5], Side::A, 0.3, 1.0), 6);
        assert_eq!(end_feature([3, 5], Side::B, -0.3, 1.0), 11);
        assert_eq!(end_feature([3, 5], Side::B, -0.04, 1.0), 6);
    }

    #[test]
    fn growing_moves_the_points_along_the_normal() {
        let core = CorePoint {
            feature: 0,
            a: SVector::<f64, 2>::zeros(),
            b: SVector::<f64, 2>::new(0.0, 2.0),
            normal: SVector::<f64, 2>::y(),
            distance: 2.0,
        };
        let point = core
            .grown([0.5, 0.25], &SVector::<f64, 2>::new(1.0, 0.0))
            .closest;
        assert_eq!(
            (point.a[1], point.b[1], point.gap, point.a[0]),
            (0.5, 1.75, 1.25, 1.0)
        );
        assert_eq!(point.swapped().swapped(), point);
    }
}
