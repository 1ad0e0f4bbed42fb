//! What is left of a bounded set when its radius is taken off: a point, a segment or a polygon.

use nalgebra::SVector;

use crate::{ConvexSet, Placed, Pose, shapes::quarter_turn_clockwise};

/// Core of a placed set; points are relative to a common origin, in world axes.
#[derive(Debug)]
pub(super) struct Core<'a, const D: usize> {
    shape: Shape<'a, D>,
    pose: Pose<D>,
    pub(super) radius: f64,
}

#[derive(Debug)]
enum Shape<'a, const D: usize> {
    Point,
    /// From +l to −l along the body's x axis.
    Segment(f64),
    Polygon(&'a crate::Polygon<D>),
}

impl<'a, const D: usize> Core<'a, D> {
    /// `None` if the set has no core of this kind.
    pub(super) fn new(placed: &Placed<'a, D>, origin: &SVector<f64, D>) -> Option<Self> {
        let (set, rounding) = match placed.set {
            ConvexSet::Rounded(rounded) => (rounded.core(), rounded.radius()),
            set => (set, 0.0),
        };
        let (shape, radius) = match set {
            ConvexSet::Ball(ball) => (Shape::Point, ball.radius()),
            ConvexSet::Capsule(capsule) => {
                (Shape::Segment(capsule.half_length()), capsule.radius())
            }
            ConvexSet::Polygon(polygon) => (Shape::Polygon(polygon), polygon.radius()),
            _ => return None,
        };
        let pose = placed.pose.relative_to(origin);
        Some(Self {
            shape,
            pose,
            radius: radius + rounding,
        })
    }

    /// Number of vertices.
    pub(super) fn len(&self) -> usize {
        match self.shape {
            Shape::Point => 1,
            Shape::Segment(_) => 2,
            Shape::Polygon(polygon) => polygon.vertices().len(),
        }
    }

    /// Vertex i; indices wrap round.
    pub(super) fn vertex(&self, i: usize) -> SVector<f64, D> {
        let i = i % self.len();
        match self.shape {
            Shape::Point => self.pose.position,
            Shape::Segment(half) => {
                let half = if i == 0 { half } else { -half };
                self.pose.position + self.pose.rotation.column(0) * half
            }
            Shape::Polygon(polygon) => self.pose.apply(&polygon.vertices()[i]),
        }
    }

    /// Number of sides, in the plane. A segment has two, one for each half of the plane; side i runs from vertex i to
    /// vertex i + 1.
    pub(super) fn sides(&self) -> usize {
        match self.shape {
            Shape::Point => 0,
            Shape::Segment(_) | Shape::Polygon(_) => self.len(),
        }
    }

    /// Side i, in the plane; indices wrap round.
    ///
    /// # Panics
    /// For a point.
    pub(super) fn side(&self, i: usize) -> Edge<D> {
        let i = i % self.len();
        let start = self.vertex(i);
        match self.shape {
            Shape::Point => unreachable!("a point has no sides; `sides` is zero"),
            Shape::Segment(half) => {
                let along = if i == 0 { -self.axis() } else { self.axis() };
                Edge {
                    start,
                    along,
                    normal: quarter_turn_clockwise(&along),
                    length: 2.0 * half,
                }
            }
            Shape::Polygon(polygon) => {
                let normal = self.pose.rotate(&polygon.normals()[i]);
                let along = -quarter_turn_clockwise(&normal);
                Edge {
                    start,
                    along,
                    normal,
                    length: polygon.lengths()[i],
                }
            }
        }
    }

    /// Direction of the body's x axis, along which a segment lies.
    pub(super) fn axis(&self) -> SVector<f64, D> {
        self.pose.rotation.column(0).into()
    }

    /// A length that bounds the coordinates of the vertices, for the rounding they carry.
    pub(super) fn reach(&self) -> f64 {
        let extent = match self.shape {
            Shape::Point => 0.0,
            Shape::Segment(half) => half,
            Shape::Polygon(polygon) => polygon.bounding_radius(),
        };
        self.pose.position.norm() + extent
    }
}

/// A side of a core in the plane, with the unit normal that points out of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge<const D: usize> {
    pub(super) start: SVector<f64, D>,
    pub(super) along: SVector<f64, D>,
    pub(super) normal: SVector<f64, D>,
    pub(super) length: f64,
}

impl<const D: usize> Edge<D> {
    /// Signed distance of x from the side's line, positive outside.
    pub(super) fn height(&self, x: &SVector<f64, D>) -> f64 {
        self.normal.dot(&(x - self.start))
    }

    /// Where x is along the side, from 0 to `length` if it lies over it.
    pub(super) fn coordinate(&self, x: &SVector<f64, D>) -> f64 {
        self.along.dot(&(x - self.start))
    }

    /// Whether x lies over the side and not beyond its ends.
    pub(super) fn spans(&self, x: &SVector<f64, D>) -> bool {
        (0.0..=self.length).contains(&self.coordinate(x))
    }
}
