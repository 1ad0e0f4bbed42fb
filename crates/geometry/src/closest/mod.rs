//! Closest points of two placed sets, in closed form and signed.

mod core;
mod half_space;
mod manifold;
mod points;

pub use manifold::{Manifold, ManifoldPoint};

use nalgebra::SVector;
use thiserror::Error;

use self::core::Core;
use crate::{ConvexSet, Placed, ShapeKind};

/// Where two bodies are next to each other, in world axes.
///
/// The identity b − a = gap · normal holds to rounding of the coordinates, apart and in overlap.
///
/// | name     | shape  | unit | meaning                                                 |
/// | -------- | ------ | ---- | ------------------------------------------------------- |
/// | `a`, `b` | (D,)   | m    | witness points on the boundaries of A and B             |
/// | `normal` | (D,)   | –    | unit, from A into B                                     |
/// | `gap`    | scalar | m    | signed distance, positive when apart                    |
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ClosestPoints<const D: usize> {
    /// Point on the boundary of A, m.
    pub a: SVector<f64, D>,
    /// Point on the boundary of B, m.
    pub b: SVector<f64, D>,
    /// Unit normal from A into B.
    pub normal: SVector<f64, D>,
    /// Signed distance, m.
    pub gap: f64,
}

impl<const D: usize> ClosestPoints<D> {
    /// The same with A and B exchanged.
    #[must_use]
    pub fn swapped(&self) -> Self {
        Self {
            a: self.b,
            b: self.a,
            normal: -self.normal,
            gap: self.gap,
        }
    }

    fn is_finite(&self) -> bool {
        self.a
            .iter()
            .chain(&self.b)
            .chain(&self.normal)
            .chain([&self.gap])
            .all(|x| x.is_finite())
    }
}

/// Why a pair has no closest points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ClosestError {
    /// The centres or axes coincide, so that every direction across them is as good as another.
    #[error("the {a} and the {b} are concentric: no normal is defined")]
    Concentric {
        /// Kind of A.
        a: ShapeKind,
        /// Kind of B.
        b: ShapeKind,
    },
    /// A pose is NaN or infinite, or so large that the result is.
    #[error("the {a} or the {b} is at a place that is not finite")]
    NotFinite {
        /// Kind of A.
        a: ShapeKind,
        /// Kind of B.
        b: ShapeKind,
    },
    /// The pair has no gap, or no method.
    #[error("no closest points for a {a} and a {b}")]
    Unsupported {
        /// Kind of A.
        a: ShapeKind,
        /// Kind of B.
        b: ShapeKind,
    },
}

/// The globally closest points of A and B, or in overlap the points of the least translation that ends it.
///
/// It is [`Manifold::deepest`] of [`manifold`], bit for bit.
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
    query(a, b, Want::Closest, &mut |_| ()).map(|point| point.closest)
}

/// Every point at which A and B can press on each other, whatever its gap; the caller filters by margin.
///
/// # Errors
/// [`ClosestError`]; `out` is then empty.
pub fn manifold<const D: usize>(
    a: &Placed<'_, D>,
    b: &Placed<'_, D>,
    out: &mut Manifold<D>,
) -> Result<(), ClosestError> {
    out.clear();
    let result = query(a, b, Want::Manifold, &mut |point| out.push(point));
    match result {
        Ok(_) => out.sort(),
        Err(_) => out.clear(),
    }
    result.map(|_| ())
}

/// How much a query lists beyond the closest points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Want {
    Closest,
    Manifold,
}

/// Finds the closest points and hands every point of the manifold to `list`, the closest one among them.
///
/// Everything is computed relative to the origin of A (of the ball or rod, if the other is a half-space), so that a
/// pair far from the world's origin loses nothing but the rounding of its own coordinates.
fn query<const D: usize>(
    a: &Placed<'_, D>,
    b: &Placed<'_, D>,
    want: Want,
    list: &mut dyn FnMut(ManifoldPoint<D>),
) -> Result<ManifoldPoint<D>, ClosestError> {
    let kinds = (a.set.kind(), b.set.kind());
    if !(a.pose.is_finite() && b.pose.is_finite()) {
        return Err(ClosestError::NotFinite {
            a: kinds.0,
            b: kinds.1,
        });
    }
    let origin = a.pose.position;
    let mut finite = true;
    let mut emit = |point: CorePoint<D>, radii: [f64; 2]| {
        let point = point.grown(radii, &origin);
        finite &= point.closest.is_finite();
        list(point);
        point
    };
    let deepest = match (a.set, b.set) {
        (ConvexSet::HalfSpace(_), ConvexSet::HalfSpace(_)) => {
            return Err(ClosestError::Unsupported {
                a: kinds.0,
                b: kinds.1,
            });
        }
        (ConvexSet::HalfSpace(plane), _) => {
            let core = Core::new(b, &origin);
            half_space::contacts(plane, &a.pose, &core, &origin, &mut |point| {
                emit(point, [0.0, core.radius])
            })
        }
        (_, ConvexSet::HalfSpace(plane)) => {
            let core = Core::new(a, &origin);
            half_space::contacts(plane, &b.pose, &core, &origin, &mut |point| {
                emit(point.swapped(), [core.radius, 0.0])
            })
        }
        (ConvexSet::Capsule(_) | ConvexSet::Polygon(_), _)
        | (_, ConvexSet::Capsule(_) | ConvexSet::Polygon(_)) => {
            return Err(ClosestError::Unsupported {
                a: kinds.0,
                b: kinds.1,
            });
        }
        _ => {
            let (core_a, core_b) = (Core::new(a, &origin), Core::new(b, &origin));
            points::contacts(&core_a, &core_b, want, &mut |point| {
                emit(point, [core_a.radius, core_b.radius])
            })
            .ok_or(ClosestError::Concentric {
                a: kinds.0,
                b: kinds.1,
            })?
        }
    };
    if finite {
        Ok(deepest)
    } else {
        Err(ClosestError::NotFinite {
            a: kinds.0,
            b: kinds.1,
        })
    }
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
        let closest = ClosestPoints {
            a: origin + (self.a + self.normal * radii[0]),
            b: origin + (self.b - self.normal * radii[1]),
            normal: self.normal,
            gap: self.distance - radii[0] - radii[1],
        };
        ManifoldPoint {
            feature: self.feature,
            closest,
        }
    }
}
