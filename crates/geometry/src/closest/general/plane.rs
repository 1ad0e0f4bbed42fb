//! A half-space and anything else: a support point.

use super::newton::{Pivots, Step};
use super::pair::Touch;
use super::{ActiveSet, ClosestPoints, FREE, Uniqueness};
use crate::boundary::{Feature, Relation, multipliers};
use crate::{HalfSpace, Jet, Placed, Pose};

/// Closest points of a half-space, as A, and a bounded set, in world axes.
///
/// # Panics
/// If B is a half-space too.
pub(super) fn closest<const D: usize>(
    plane: &HalfSpace<D>,
    pose: &Pose<D>,
    b: &Placed<'_, D>,
) -> ClosestPoints<D> {
    let (core, radius) = b.set.core().expect("the other set is bounded");
    let normal = pose.rotate(plane.normal());
    let m = -b.pose.inverse_rotate(&normal);
    let lowest = core.support(&m);
    let feature = core.feature(&lowest, &m);
    // Everything from the origin of the plane, so that a pair far away loses nothing.
    let at = b.pose.rotate(&lowest) + (b.pose.position - pose.position);
    let gap = normal.dot(&at) - plane.offset() - radius;
    let point = at - normal * radius;
    let active = ActiveSet::new(feature, multipliers(core, feature, &lowest, &m));
    let closest = ClosestPoints::exact(
        pose.position + (point - normal * gap),
        pose.position + point,
        normal,
        gap,
    );
    let pivots = pivots(
        core.extent() + radius,
        core.relation(feature, &lowest, &m),
        &lowest,
        m,
    );
    ClosestPoints {
        active: [ActiveSet::new(Feature::face(0), [1.0, 0.0, 0.0]), active],
        uniqueness: if pivots.moves < FREE {
            Uniqueness::FreePoints
        } else {
            Uniqueness::Unique
        },
        ..closest
    }
}

/// How well the point is determined, in the axes of the bounded set, with the plane at the point.
fn pivots<const D: usize>(
    size: f64,
    relation: Relation<D>,
    lowest: &nalgebra::SVector<f64, D>,
    m: nalgebra::SVector<f64, D>,
) -> Pivots {
    let flat = Jet {
        value: 0.0,
        gradient: -m,
        hessian: nalgebra::SMatrix::zeros(),
    };
    let touch = Touch {
        a: *lowest,
        b: *lowest,
        n: -m,
    };
    let relations = [Relation::face(&flat, &touch.n, size), relation];
    Step::new(size, &relations, &touch, &nalgebra::SVector::zeros()).pivots
}
