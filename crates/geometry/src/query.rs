//! Questions beside contact: points inside, projections, rays, support points.
//!
//! # Method
//! A projection is the closest point to a small ball about the point, which is exact for every set. A ray goes on to the
//! support plane at the projection of where it is until it is at the set: Newton's method on the distance along the ray,
//! which is convex, so that no step goes too far; at most as many steps as the set has faces near the ray, and squares of
//! the error on curved ones.

use nalgebra::SVector;

use crate::direction::direction;
use crate::{Aabb, Ball, ClosestError, ConvexSet, Placed, Pose, Shape, closest_points};

/// The point of a boundary that is nearest to another point, world axes.
///
/// | name       | shape  | unit | meaning                                    |
/// | ---------- | ------ | ---- | ------------------------------------------ |
/// | `point`    | (D,)   | m    | on the boundary                            |
/// | `normal`   | (D,)   | –    | unit, out of the set                       |
/// | `distance` | scalar | m    | signed: negative for a point inside        |
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Projection<const D: usize> {
    /// Point on the boundary, m.
    pub point: SVector<f64, D>,
    /// Outward unit normal there.
    pub normal: SVector<f64, D>,
    /// Signed distance, m.
    pub distance: f64,
}

/// Where a ray first meets a set, world axes.
///
/// | name       | shape  | unit | meaning                                    |
/// | ---------- | ------ | ---- | ------------------------------------------ |
/// | `point`    | (D,)   | m    | where                                      |
/// | `normal`   | (D,)   | –    | unit, out of the set                       |
/// | `distance` | scalar | m    | from the ray's origin; 0 if that is inside |
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit<const D: usize> {
    /// Where the ray meets the set, m.
    pub point: SVector<f64, D>,
    /// Outward unit normal there.
    pub normal: SVector<f64, D>,
    /// From the origin of the ray, m.
    pub distance: f64,
}

/// Radius of the ball that stands for a point, relative to the size of the set: not small, for its radius is taken off
/// exactly and a small one loses digits to the set's size.
const POINT: f64 = 0.0625;

/// A ray is at a set if it is this near, relative to the size of the set and the ray's way: the accuracy of projections.
const AT: f64 = 1e-12;

/// Steps of a ray at most; rays that graze a curved set halve the distance in each.
const STEPS: usize = 200;

impl<const D: usize> Placed<'_, D> {
    /// Whether a point (world axes, m) is in the set or on its boundary.
    ///
    /// # Examples
    /// ```
    /// use nalgebra::Vector2;
    /// use signorini_geometry::{Ball, ConvexSet, Placed, Pose};
    /// let disc = ConvexSet::from(Ball::new(1.0)?);
    /// let disc = Placed::new(&disc, Pose::from_position(Vector2::new(3.0, 0.0)));
    /// assert!(disc.contains(&Vector2::new(2.0, 0.0)) && !disc.contains(&Vector2::new(1.9, 0.0)));
    /// # Ok::<(), signorini_geometry::ShapeError>(())
    /// ```
    pub fn contains(&self, point_world: &SVector<f64, D>) -> bool {
        self.value(point_world) <= 0.0
    }

    /// A point of the set that is furthest along a direction (world axes, any positive length), m; `None` for a half-space.
    pub fn support(&self, direction: &SVector<f64, D>) -> Option<SVector<f64, D>> {
        let own = self.set.support(&self.pose.inverse_rotate(direction))?;
        Some(self.pose.apply(&own))
    }

    /// The point of the boundary nearest to a point in world axes; inside, one of the nearest where several are.
    ///
    /// # Errors
    /// [`ClosestError::NotFinite`]; [`ClosestError::Concentric`] in the middle of a ball or on the axis of a capsule, where no
    /// normal is nearer than another; [`ClosestError::NotConverged`].
    ///
    /// # Examples
    /// ```
    /// use nalgebra::Vector3;
    /// use signorini_geometry::{ConvexSet, Placed, Polytope, Pose};
    /// let cube = ConvexSet::from(Polytope::cuboid(2.0, 2.0, 2.0)?);
    /// let cube = Placed::new(&cube, Pose::identity());
    /// let inside = cube.project(&Vector3::new(0.5, 0.2, -0.75))?;
    /// assert!((inside.point - Vector3::new(0.5, 0.2, -1.0)).norm() < 1e-15 && (inside.distance + 0.25).abs() < 1e-15);
    /// let outside = cube.project(&Vector3::new(1.3, 0.0, 1.4))?;
    /// assert!((outside.distance - 0.5).abs() < 1e-15 && (outside.normal - Vector3::new(0.6, 0.0, 0.8)).norm() < 1e-14);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn project(&self, point_world: &SVector<f64, D>) -> Result<Projection<D>, ClosestError> {
        let not_finite = ClosestError::NotFinite {
            a: self.set.kind(),
            b: crate::ShapeKind::Ball,
        };
        let size = self.set.size();
        let radius = POINT * if size.is_finite() { size } else { 1.0 };
        let ball = Ball::new(radius).map_err(|_| not_finite)?;
        let ball = ConvexSet::from(ball);
        let about = Placed::new(&ball, Pose::from_position(*point_world));
        let closest = closest_points(self, &about)?;
        Ok(Projection {
            point: closest.a,
            normal: closest.normal,
            distance: closest.gap + radius,
        })
    }

    /// Where the ray from `origin` along `towards` (any positive length) first meets the set, to 1e-12 of the size; `None` if
    /// it does not.
    ///
    /// # Errors
    /// As [`Placed::project`]; [`ClosestError::NotFinite`] for a direction of length zero.
    ///
    /// # Examples
    /// ```
    /// use nalgebra::Vector3;
    /// use signorini_geometry::{ConvexSet, Ellipsoid, Placed, Pose};
    /// let egg = ConvexSet::from(Ellipsoid::new(Vector3::new(2.0, 1.0, 1.0))?);
    /// let egg = Placed::new(&egg, Pose::identity());
    /// let hit = egg.cast_ray(&Vector3::new(5.0, 0.0, 0.6), &-Vector3::x())?.expect("it is hit");
    /// assert!((hit.distance - 3.4).abs() < 1e-11);      // x = 2 · 0.8
    /// assert!((hit.normal - Vector3::new(0.4, 0.0, 0.6).normalize()).norm() < 1e-10);
    /// assert_eq!(egg.cast_ray(&Vector3::new(5.0, 0.0, 1.01), &-Vector3::x())?, None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cast_ray(
        &self,
        origin: &SVector<f64, D>,
        towards: &SVector<f64, D>,
    ) -> Result<Option<RayHit<D>>, ClosestError> {
        let Some((along, _)) = direction(towards) else {
            return Err(ClosestError::NotFinite {
                a: self.set.kind(),
                b: self.set.kind(),
            });
        };
        let size = self.set.size();
        let size = if size.is_finite() { size } else { 0.0 };
        let mut distance = 0.0;
        for _ in 0..STEPS {
            let at = origin + along * distance;
            let near = self.project(&at)?;
            if near.distance <= AT * (size + distance) {
                return Ok(Some(RayHit {
                    point: at,
                    normal: near.normal,
                    distance,
                }));
            }
            let closing = -near.normal.dot(&along);
            if closing <= 0.0 {
                return Ok(None);
            }
            distance += near.distance / closing;
            if distance.is_infinite() {
                return Ok(None);
            }
        }
        // It has come within a hair of the set without touching it.
        Ok(None)
    }
}

impl<const D: usize> Shape<D> {
    /// Whether a point (world axes, m) is in the body at `pose`, or on its boundary.
    pub fn contains(&self, pose: &Pose<D>, point_world: &SVector<f64, D>) -> bool {
        let mut pieces = 0..self.len();
        pieces.any(|k| self.placed(k, pose).contains(point_world))
    }

    /// Where a ray first meets the body at `pose`, and the piece; see [`Placed::cast_ray`]. Pieces whose boxes the ray does not
    /// meet are passed over.
    ///
    /// # Errors
    /// As [`Placed::cast_ray`].
    ///
    /// # Examples
    /// ```
    /// use nalgebra::Vector2;
    /// use signorini_geometry::{Ball, Pose, Shape, Union};
    /// let ball = Ball::<2>::new(1.0)?;
    /// let at = |x| Pose::from_position(Vector2::new(x, 0.0));
    /// let two = Shape::from(Union::new([(ball, at(5.0)), (ball, at(9.0))])?);
    /// let (piece, hit) = two.cast_ray(&Pose::identity(), &Vector2::new(20.0, 0.0), &-Vector2::x())?.expect("it is hit");
    /// assert!(piece == 1 && (hit.distance - 10.0).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cast_ray(
        &self,
        pose: &Pose<D>,
        origin: &SVector<f64, D>,
        towards: &SVector<f64, D>,
    ) -> Result<Option<(usize, RayHit<D>)>, ClosestError> {
        let mut first: Option<(usize, RayHit<D>)> = None;
        for piece in 0..self.len() {
            let placed = self.placed(piece, pose);
            if let crate::Bounds::Box(tight) = placed.bounds()
                && !meets(&tight, origin, towards)
            {
                continue;
            }
            if let Some(hit) = placed.cast_ray(origin, towards)?
                && first.is_none_or(|(_, best)| hit.distance < best.distance)
            {
                first = Some((piece, hit));
            }
        }
        Ok(first)
    }
}

/// Whether a ray meets a box, widened by rounding.
fn meets<const D: usize>(
    tight: &Aabb<D>,
    origin: &SVector<f64, D>,
    towards: &SVector<f64, D>,
) -> bool {
    const WIDER: f64 = 1e-9;
    let wide = tight.inflated(WIDER * (tight.upper - tight.lower).amax());
    let (mut from, mut to) = (0.0_f64, f64::INFINITY);
    for i in 0..D {
        if towards[i] == 0.0 {
            if !(wide.lower[i]..=wide.upper[i]).contains(&origin[i]) {
                return false;
            }
            continue;
        }
        let ends = [wide.lower[i], wide.upper[i]].map(|x| (x - origin[i]) / towards[i]);
        from = from.max(ends[0].min(ends[1]));
        to = to.min(ends[0].max(ends[1]));
    }
    from <= to
}
