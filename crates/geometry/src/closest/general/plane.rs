//! A half-space and anything else: a support point.

use nalgebra::SVector;

use super::{ActiveSet, ClosestPoints, FREE, Uniqueness};
use crate::boundary::{Feature, Relation, multipliers};
use crate::direction::tangents;
use crate::{HalfSpace, Placed, Pose};

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
    let factors = multipliers(core, feature, &lowest, &m);
    let active = ActiveSet::new(feature, factors);
    let closest = ClosestPoints::exact(
        pose.position + (point - normal * gap),
        pose.position + point,
        normal,
        gap,
    );
    let relation = core.relation(core.carrying(feature, factors, &m), &lowest, &m);
    ClosestPoints {
        active: [ActiveSet::new(Feature::face(0), [1.0, 0.0, 0.0]), active],
        uniqueness: if is_flat(core.extent() + radius, &relation, &m) {
            Uniqueness::FreePoints
        } else {
            Uniqueness::Unique
        },
        ..closest
    }
}

/// Whether the point moves along the plane as its normal hardly turns: in some direction α times the size is below
/// [`FREE`], in an equation whose largest factor is one.
fn is_flat<const D: usize>(size: f64, relation: &Relation<D>, m: &SVector<f64, D>) -> bool {
    let basis = tangents(m);
    let basis = &basis[..D - 1];
    let mut rows = [[0.0; 2]; 2];
    for (row, e) in rows.iter_mut().zip(basis) {
        let (by_move, by_turn) = (relation.alpha.tr_mul(e) * size, relation.beta.tr_mul(e));
        let mut largest = f64::MIN_POSITIVE;
        for (entry, f) in row.iter_mut().zip(basis) {
            *entry = by_move.dot(f);
            largest = largest.max(entry.abs()).max(by_turn.dot(f).abs());
        }
        for entry in row.iter_mut() {
            *entry /= largest;
        }
    }
    let [[p, q], [r, s]] = rows;
    if D == 2 {
        return p.abs() < FREE;
    }
    let largest = p.abs().max(q.abs()).max(r.abs()).max(s.abs());
    (p * s - q * r).abs() <= FREE * largest
}
