//! What is left of a bounded set when its radius is taken off: a point, a segment or a polygon.

use nalgebra::SVector;

use crate::{ConvexSet, Placed, Pose};

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
    /// # Panics
    /// For a half-space, which the caller has dealt with.
    pub(super) fn new(placed: &Placed<'a, D>, origin: &SVector<f64, D>) -> Self {
        let (shape, radius) = match placed.set {
            ConvexSet::Ball(ball) => (Shape::Point, ball.radius()),
            ConvexSet::Capsule(capsule) => {
                (Shape::Segment(capsule.half_length()), capsule.radius())
            }
            ConvexSet::Polygon(polygon) => (Shape::Polygon(polygon), polygon.radius()),
            ConvexSet::HalfSpace(_) => {
                unreachable!("a half-space has no core; query treats it first")
            }
        };
        let pose = Pose {
            rotation: placed.pose.rotation,
            position: placed.pose.position - origin,
        };
        Self {
            shape,
            pose,
            radius,
        }
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
}
