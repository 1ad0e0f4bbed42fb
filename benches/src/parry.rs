//! The same bodies for parry, whose answers and times stand beside ours. It speaks glam; nothing else here does.

use nalgebra::Vector3;
use parry3d_f64::math::{Matrix, Pose as Isometry, Rotation, Vector};
use parry3d_f64::query::{
    self, ContactManifold, DefaultQueryDispatcher, PersistentQueryDispatcher,
};
use parry3d_f64::shape::{ConvexPolyhedron, Cuboid, Shape};
use signorini_geometry::Pose;

use crate::BoxPairs;

/// Distance up to which the contacts of a case count, m.
pub const MARGIN: f64 = 0.02;

fn vector(x: &Vector3<f64>) -> Vector {
    Vector::new(x.x, x.y, x.z)
}

/// A pose of ours.
pub fn isometry(pose: &Pose<3>) -> Isometry {
    let r = &pose.rotation;
    let axes = [0, 1, 2].map(|j| Vector::new(r[(0, j)], r[(1, j)], r[(2, j)]));
    let matrix = Matrix::from_cols(axes[0], axes[1], axes[2]);
    Isometry::from_parts(vector(&pose.position), Rotation::from_mat3(&matrix))
}

/// The box with these side lengths, m.
pub fn cuboid(size: &Vector3<f64>) -> Cuboid {
    Cuboid::new(vector(&(size * 0.5)))
}

/// Two boxes at their places, and the manifold of the last query.
#[derive(Debug)]
pub struct BoxManifold {
    boxes: [Cuboid; 2],
    between: Isometry,
    margin: f64,
    manifolds: Vec<ContactManifold<(), ()>>,
}

impl BoxManifold {
    /// Boxes with these side lengths; contacts within `margin` count.
    pub fn new(sizes: &[Vector3<f64>; 2], poses: [&Pose<3>; 2], margin: f64) -> Self {
        let [a, b] = poses.map(isometry);
        Self {
            boxes: [cuboid(&sizes[0]), cuboid(&sizes[1])],
            between: a.inv_mul(&b),
            margin,
            manifolds: Vec::new(),
        }
    }

    /// All pairs of a case, with a margin for bodies of about 1 m.
    pub fn all(pairs: &BoxPairs) -> Vec<Self> {
        let placed = pairs.placed().into_iter().zip(pairs.sizes());
        placed
            .map(|([a, b], sizes)| Self::new(sizes, [&a.pose, &b.pose], MARGIN))
            .collect()
    }

    /// Forgets the last manifold, but not its memory.
    pub fn forget(&mut self) {
        for manifold in &mut self.manifolds {
            manifold.clear();
        }
    }

    /// Number of contacts, found from the last manifold if there is one.
    ///
    /// # Panics
    /// If parry does not know two boxes, which it does.
    pub fn contacts(&mut self) -> usize {
        let [a, b]: [&dyn Shape; 2] = [&self.boxes[0], &self.boxes[1]];
        let known = DefaultQueryDispatcher.contact_manifolds(
            &self.between,
            a,
            b,
            self.margin,
            &mut self.manifolds,
            &mut None,
        );
        known.expect("parry knows boxes");
        self.manifolds.iter().map(|m| m.points.len()).sum()
    }
}

/// A convex hull as parry has it.
#[derive(Debug)]
pub struct Hull(ConvexPolyhedron);

/// What parry says of the gap of two hulls.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Said {
    /// Their distance, or where that is 0 minus the depth of its contact if there is one, m.
    Gap(f64),
    /// No answer.
    Nothing,
    /// It panicked.
    Panicked,
}

impl Hull {
    /// The hull of these points; `None` if parry finds none.
    pub fn new(points: &[Vector3<f64>]) -> Option<Self> {
        let points: Vec<Vector> = points.iter().map(vector).collect();
        ConvexPolyhedron::from_convex_hull(&points).map(Self)
    }

    /// The gap between two hulls at their poses.
    pub fn gap(&self, other: &Self, poses: [&Pose<3>; 2]) -> Said {
        let [a, b] = poses.map(isometry);
        let ask = || {
            let apart = query::distance(&a, &self.0, &b, &other.0).ok()?;
            if apart.distance > 0.0 {
                return Some(apart.distance);
            }
            let contact = query::contact(&a, &self.0, &b, &other.0, 0.0).ok()?;
            Some(contact.map_or(apart.distance, |contact| contact.dist))
        };
        match std::panic::catch_unwind(std::panic::AssertUnwindSafe(ask)) {
            Ok(Some(gap)) => Said::Gap(gap),
            Ok(None) => Said::Nothing,
            Err(_) => Said::Panicked,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_cubes_are_as_far_apart_for_parry() {
        let corner = |i: u8| {
            let sign = |bit: u8| if i & bit == 0 { -1.0 } else { 1.0 };
            Vector3::new(sign(4), sign(2), sign(1))
        };
        let points: Vec<_> = (0..8).map(corner).collect();
        let [a, b] = [0, 1].map(|_| Hull::new(&points).unwrap());
        for gap in [-0.25, 0.5] {
            let there = Pose::from_position(Vector3::new(0.1, 0.2, 2.0 + gap));
            let Said::Gap(found) = a.gap(&b, [&Pose::identity(), &there]) else {
                panic!("parry knows cubes");
            };
            assert!((found - gap).abs() < 1e-9, "{found}");
        }
    }
}
