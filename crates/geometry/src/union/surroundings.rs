//! A piece of a body, and the point of its boundary that is asked about.

use nalgebra::SVector;

use super::seam::{FLUSH, normals_at};
use crate::{ConvexSet, Placed};

/// Distance, relative to the size of a piece, within which a point is on an edge.
const EDGE: f64 = 1e-6;

/// A piece, and the point of its boundary that is asked about.
#[derive(Clone, Copy, Debug)]
pub struct Surroundings<'a, const D: usize> {
    /// The piece.
    pub own: Placed<'a, D>,
    /// Outward normal of the one face that counts, world axes; `None` if all of the boundary does.
    pub top: Option<SVector<f64, D>>,
    /// Within this distance (m) of the point a face or a piece is at it.
    pub reach: f64,
    /// Cosine of the angle to the normals of the whole body up to which a contact beside the closest points stands for them:
    /// [`FACING`](Self::FACING) for one that a manifold lists, less for one that is asked for because it is there at another time.
    pub facing: f64,
}

impl<const D: usize> Surroundings<'_, D> {
    /// Cosine of 6°, within which flat parts face each other in a manifold.
    pub const FACING: f64 = 0.995;

    /// Whether the point is on a face of the piece that has this outward unit normal there, world axes.
    #[must_use]
    pub fn has_face(&self, point: &SVector<f64, D>, outward: &SVector<f64, D>) -> bool {
        let mut normals = Vec::new();
        normals_at(&self.own, point, self.reach, &mut normals)
            && normals.iter().any(|n| (n - outward).norm() <= FLUSH)
    }

    /// The point of the piece for which a contact stands: two edges that run nearly along each other have contacts at the ends of
    /// each, seen along their common normal, which are beside the other edge.
    #[must_use]
    pub fn on_the_edge(
        &self,
        point: &SVector<f64, D>,
        outward: &SVector<f64, D>,
    ) -> SVector<f64, D> {
        let ConvexSet::Polytope(polytope) = self.own.set else {
            return *point;
        };
        let pose = &self.own.pose;
        let (x, n) = (pose.inverse_apply(point), pose.inverse_rotate(outward));
        let heights = polytope.vertices().iter().map(|v| n.dot(v));
        let (height, near) = (
            heights.fold(f64::NEG_INFINITY, f64::max),
            EDGE * self.own.set.size(),
        );
        if (n.dot(&x) - height).abs() > near {
            return *point;
        }
        let mut ends = polytope
            .vertices()
            .iter()
            .filter(|v| n.dot(v) >= height - near);
        let (Some(from), to, None) = (ends.next(), ends.next(), ends.next()) else {
            return *point;
        };
        let along = to.map_or_else(SVector::zeros, |to| to - from);
        let length = along.norm_squared();
        let part = if length > 0.0 {
            (along.dot(&(x - from)) / length).clamp(0.0, 1.0)
        } else {
            0.0
        };
        let opposite = from + along * part;
        if (opposite - x).norm() > near {
            pose.apply(&opposite)
        } else {
            *point
        }
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector3;

    use super::*;
    use crate::{Polytope, Pose};

    fn cube() -> ConvexSet<3> {
        Polytope::cuboid(2.0, 2.0, 2.0).unwrap().into()
    }

    /// A set with nothing beside it.
    fn alone(set: &ConvexSet<3>) -> Surroundings<'_, 3> {
        Surroundings {
            own: Placed::new(set, Pose::identity()),
            top: None,
            reach: 1e-9,
            facing: Surroundings::<3>::FACING,
        }
    }

    #[test]
    fn a_face_has_its_points_and_no_others() {
        let set = cube();
        let here = alone(&set);
        let on = Vector3::new(1.0, 0.3, 1.0);
        assert!(here.has_face(&on, &Vector3::z()) && here.has_face(&on, &Vector3::x()));
        assert!(!here.has_face(&on, &Vector3::y()));
        let beside = on + Vector3::x() * 1e-6;
        assert!(!here.has_face(&beside, &Vector3::z()));
        let within = on - Vector3::x() * 0.1;
        assert!(!here.has_face(&within, &Vector3::x()) && here.has_face(&within, &Vector3::z()));
    }

    #[test]
    fn a_point_beside_an_edge_stands_for_the_edge() {
        let set = cube();
        let here = alone(&set);
        let m = Vector3::new(1.0, 0.0, 1.0).normalize();
        let across = Vector3::new(-1.0, 0.0, 1.0).normalize();
        let on = Vector3::new(1.0, 0.3, 1.0);
        let far = (here.on_the_edge(&(on + across * 0.02), &m) - on).norm();
        assert!(far < 1e-15, "{far}");
        // On the edge, over a face, and of another plane it stays.
        for (point, m) in [
            (on, m),
            (Vector3::new(0.4, 0.3, 1.0), Vector3::z()),
            (on + m * 0.1, m),
        ] {
            assert_eq!(here.on_the_edge(&point, &m), point);
        }
    }
}
