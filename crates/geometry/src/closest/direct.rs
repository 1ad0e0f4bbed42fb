//! The commonest pairs without a search: the answers of the general query, bit for bit, and nothing else computed.

use nalgebra::SVector;

use super::{ClosestPoints, CorePoint};
use crate::{ConvexSet, HalfSpace, Placed, Pose, direction::DIRECT};

/// Two balls; `None` where something is not finite or the centres (nearly) coincide.
#[inline]
pub(super) fn balls<const D: usize>(
    [pose_a, pose_b]: [&Pose<D>; 2],
    [p, q]: [f64; 2],
) -> Option<ClosestPoints<D>> {
    let centres = pose_b.position - pose_a.position;
    let distance = centres.norm();
    // Elsewhere lengths are scaled before they are squared. The largest coordinate is at least half of the distance.
    if !(2.0 * DIRECT.start..DIRECT.end).contains(&distance) {
        return None;
    }
    let normal = centres / distance;
    let a = pose_a.position + normal * p;
    let b = pose_a.position + (centres - normal * q);
    let gap = distance - p - q;
    // A sum is finite only if all its terms are; one that overflows is looked at again elsewhere.
    let sum = gap + (a + b).sum() + (pose_a.rotation + pose_b.rotation).sum();
    sum.is_finite()
        .then(|| ClosestPoints::exact(a, b, normal, gap))
}

/// The one contact of two balls, or of a half-space and a ball; `None` for other pairs, and where [`balls`] or [`over_plane`] is.
#[inline]
pub(super) fn single<const D: usize>(
    a: &Placed<'_, D>,
    b: &Placed<'_, D>,
) -> Option<ClosestPoints<D>> {
    match (a.set, b.set) {
        (ConvexSet::Ball(p), ConvexSet::Ball(q)) => {
            balls([&a.pose, &b.pose], [p.radius(), q.radius()])
        }
        (ConvexSet::HalfSpace(_), ConvexSet::Ball(_))
        | (ConvexSet::Ball(_), ConvexSet::HalfSpace(_)) => over_plane(a, b),
        _ => None,
    }
}

/// A half-space and a ball or a capsule; `None` for other pairs, and where something is not finite.
pub(super) fn over_plane<const D: usize>(
    a: &Placed<'_, D>,
    b: &Placed<'_, D>,
) -> Option<ClosestPoints<D>> {
    if !(a.pose.is_finite() & b.pose.is_finite()) {
        return None;
    }
    let centres = b.pose.position - a.pose.position;
    let (point, radii) = match (a.set, b.set) {
        (ConvexSet::HalfSpace(plane), bounded) => {
            let origin = SVector::zeros();
            let (point, radius) = over(plane, &a.pose, origin, bounded, &b.pose, centres)?;
            (point, [0.0, radius])
        }
        (bounded, ConvexSet::HalfSpace(plane)) => {
            let origin = SVector::zeros();
            let (point, radius) = over(plane, &b.pose, centres, bounded, &a.pose, origin)?;
            (point.map(CorePoint::swapped), [radius, 0.0])
        }
        _ => return None,
    };
    let [mut closest, other] = point.map(|point| point.grown(radii, &a.pose.position).closest);
    closest.free_beside(&other);
    closest.is_finite().then_some(closest)
}

/// The lowest and the other end of a core above a plane, with both at their places seen from A; a ball has one.
fn over<const D: usize>(
    plane: &HalfSpace<D>,
    plane_pose: &Pose<D>,
    foot: SVector<f64, D>,
    bounded: &ConvexSet<D>,
    pose: &Pose<D>,
    centre: SVector<f64, D>,
) -> Option<([CorePoint<D>; 2], f64)> {
    let normal = plane_pose.rotate(plane.normal());
    let point = |b: SVector<f64, D>| {
        let distance = normal.dot(&(b - foot)) - plane.offset();
        CorePoint {
            feature: 0,
            a: b - normal * distance,
            b,
            normal,
            distance,
        }
    };
    match bounded {
        ConvexSet::Ball(ball) => Some(([point(centre); 2], ball.radius())),
        ConvexSet::Capsule(capsule) => {
            let half = capsule.half_length();
            let end = |half: f64| point(centre + pose.rotation.column(0) * half);
            let (first, second) = (end(half), end(-half));
            let ends = if second.distance < first.distance {
                [second, first]
            } else {
                [first, second]
            };
            Some((ends, capsule.radius()))
        }
        _ => None,
    }
}
