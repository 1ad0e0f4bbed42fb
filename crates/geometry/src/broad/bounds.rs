//! Axis-aligned boxes of placed sets.

use nalgebra::SVector;

use crate::{ConvexSet, Placed, Pose};

/// An axis-aligned box in world axes: lower ≤ x ≤ upper. It may reach to infinity.
///
/// # Examples
/// ```
/// use nalgebra::Vector2;
/// use signorini_geometry::Aabb;
/// let square = Aabb { lower: Vector2::new(0.0, 0.0), upper: Vector2::new(1.0, 1.0) };
/// let other = Aabb { lower: Vector2::new(1.5, 0.0), upper: Vector2::new(2.0, 1.0) };
/// assert!(!square.overlaps(&other));
/// assert!(square.inflated(0.25).overlaps(&other.inflated(0.25)));    // boxes that touch overlap
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb<const D: usize> {
    /// Least coordinates, m.
    pub lower: SVector<f64, D>,
    /// Largest coordinates, m.
    pub upper: SVector<f64, D>,
}

impl<const D: usize> Aabb<D> {
    /// The box of no point, which every [`Aabb::union`] replaces.
    pub(crate) fn empty() -> Self {
        Self {
            lower: SVector::repeat(f64::INFINITY),
            upper: SVector::repeat(f64::NEG_INFINITY),
        }
    }

    /// Whether the two have a point in common; touching is overlapping.
    #[expect(
        clippy::needless_bitwise_bool,
        reason = "no branches: the comparisons are independent of each other"
    )]
    #[inline]
    pub fn overlaps(&self, other: &Self) -> bool {
        (0..D).fold(true, |all, i| {
            all & (self.lower[i] <= other.upper[i]) & (other.lower[i] <= self.upper[i])
        })
    }

    /// The box with every side moved outwards by `reach`, m.
    #[must_use]
    pub fn inflated(&self, reach: f64) -> Self {
        Self {
            lower: self.lower.map(|x| x - reach),
            upper: self.upper.map(|x| x + reach),
        }
    }

    /// The least box in world axes that holds this one of a body at `pose`.
    #[must_use]
    pub(crate) fn turned(&self, pose: &Pose<D>) -> Self {
        let middle = pose.apply(&((self.lower + self.upper) * 0.5));
        let half = pose.rotation.abs() * ((self.upper - self.lower) * 0.5);
        Self {
            lower: middle - half,
            upper: middle + half,
        }
    }

    /// The least box that holds both.
    #[inline]
    pub(crate) fn union(&self, other: &Self) -> Self {
        Self {
            lower: SVector::from_fn(|i, _| least(self.lower[i], other.lower[i])),
            upper: SVector::from_fn(|i, _| -least(-self.upper[i], -other.upper[i])),
        }
    }

    /// Its longest side, m.
    pub(super) fn longest(&self) -> f64 {
        (0..D)
            .map(|i| self.upper[i] - self.lower[i])
            .fold(0.0, f64::max)
    }

    /// Sum of its sides, m: what the chance of meeting it grows with, in the plane and nearly so in space.
    #[inline]
    pub(super) fn girth(&self) -> f64 {
        (0..D).map(|i| self.upper[i] - self.lower[i]).sum()
    }

    /// Twice its centre: an order, not a place; 0 along an axis on which it has no end on either side.
    pub(crate) fn centre(&self) -> [f64; D] {
        std::array::from_fn(|i| {
            let sum = self.lower[i] + self.upper[i];
            if sum.is_nan() { 0.0 } else { sum }
        })
    }
}

/// `f64::min` of numbers that are not NaN, in one instruction.
#[inline]
fn least(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

/// What bounds a placed set: a box, or a half-space, which has none.
///
/// # Examples
/// ```
/// use nalgebra::Vector2;
/// use signorini_geometry::{Aabb, Bounds, Capsule, ConvexSet, HalfSpace, Placed, Pose};
/// let rod = ConvexSet::from(Capsule::new(0.25, 0.05)?);
/// let upright = Pose::from_angle(std::f64::consts::FRAC_PI_2, Vector2::new(1.0, 0.2));
/// let Bounds::Box(tight) = Placed::new(&rod, upright).bounds() else { unreachable!() };
/// assert!((tight.lower - Vector2::new(0.95, -0.1)).norm() < 1e-15);
/// assert!((tight.upper - Vector2::new(1.05, 0.5)).norm() < 1e-15);
///
/// let ground = ConvexSet::from(HalfSpace::up());
/// let ground = Placed::new(&ground, Pose::identity()).bounds();
/// assert!(ground.overlaps(&Bounds::Box(tight)));
/// # Ok::<(), signorini_geometry::ShapeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bounds<const D: usize> {
    /// All of the set is in this box.
    Box(Aabb<D>),
    /// The set is n·x ≤ c in world axes.
    HalfSpace {
        /// n, unit.
        normal: SVector<f64, D>,
        /// c, m.
        offset: f64,
    },
}

impl<const D: usize> Bounds<D> {
    /// The bounds of all points within `reach` (m) of a set with these bounds.
    #[must_use]
    pub fn inflated(&self, reach: f64) -> Self {
        match self {
            Self::Box(tight) => Self::Box(tight.inflated(reach)),
            Self::HalfSpace { normal, offset } => Self::HalfSpace {
                normal: *normal,
                offset: offset + reach,
            },
        }
    }

    /// Whether the two have a point in common; touching is overlapping, and two half-spaces always overlap.
    pub fn overlaps(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Box(a), Self::Box(b)) => a.overlaps(b),
            (Self::HalfSpace { normal, offset }, Self::Box(tight))
            | (Self::Box(tight), Self::HalfSpace { normal, offset }) => {
                lowest(tight, normal) <= *offset
            }
            (Self::HalfSpace { .. }, Self::HalfSpace { .. }) => true,
        }
    }
}

/// min n·x over the box.
fn lowest<const D: usize>(tight: &Aabb<D>, normal: &SVector<f64, D>) -> f64 {
    (0..D)
        .filter(|&i| normal[i] != 0.0)
        .map(|i| {
            let corner = if normal[i] > 0.0 {
                tight.lower[i]
            } else {
                tight.upper[i]
            };
            normal[i] * corner
        })
        .sum()
}

impl<const D: usize> Placed<'_, D> {
    /// The least axis-aligned box that holds the set, exact to rounding: the extents are values of the support function,
    /// √(R diag(e²) Rᵀ)ᵢᵢ for an ellipsoid. A half-space is its own bounds.
    ///
    /// # Panics
    /// Never: all sets but half-spaces have a core.
    pub fn bounds(&self) -> Bounds<D> {
        let (r, p) = (&self.pose.rotation, &self.pose.position);
        let about = |extent: SVector<f64, D>| Aabb {
            lower: p - extent,
            upper: p + extent,
        };
        Bounds::Box(match self.set {
            ConvexSet::HalfSpace(shape) => {
                let normal = r * shape.normal();
                return Bounds::HalfSpace {
                    normal,
                    offset: shape.offset() + normal.dot(p),
                };
            }
            ConvexSet::Ball(ball) => about(SVector::repeat(ball.radius())),
            ConvexSet::Capsule(rod) => about(
                r.column(0)
                    .map(|x| x.abs() * rod.half_length() + rod.radius()),
            ),
            ConvexSet::Ellipsoid(ellipsoid) => about(SVector::from_fn(|i, _| {
                r.row(i)
                    .transpose()
                    .component_mul(ellipsoid.semi_axes())
                    .norm()
            })),
            set => {
                let (core, radius) = set.core().expect("only a half-space has no core");
                let reach = |axis: usize, sign: f64| {
                    let along = r.row(axis).transpose() * sign;
                    sign * (core.support(&along).dot(&along) + radius)
                };
                Aabb {
                    lower: SVector::from_fn(|i, _| p[i] + reach(i, -1.0)),
                    upper: SVector::from_fn(|i, _| p[i] + reach(i, 1.0)),
                }
            }
        })
    }

    /// How far a point of the set gets in a step of h (s) with the speed |v| of the body's origin (m/s) and the angular
    /// speed |ω| (rad/s): h (|v| + |ω| R) with its bounding radius R, m. What cannot be inflated by less to be found in time.
    ///
    /// # Examples
    /// ```
    /// use signorini_geometry::{Capsule, ConvexSet, Placed, Pose};
    /// let rod = ConvexSet::<3>::from(Capsule::new(0.4, 0.1)?);
    /// assert_eq!(Placed::new(&rod, Pose::identity()).reach(0.01, 2.0, 4.0), 0.04);
    /// # Ok::<(), signorini_geometry::ShapeError>(())
    /// ```
    pub fn reach(&self, h: f64, speed: f64, angular_speed: f64) -> f64 {
        // A half-space that does not turn has no R to multiply.
        let turn = if angular_speed == 0.0 {
            0.0
        } else {
            angular_speed * self.set.bounding_radius()
        };
        h * (speed + turn)
    }
}
