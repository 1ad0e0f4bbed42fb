//! A half-space against a core: every vertex of the core is a contact.

use super::{CorePoint, core::Core};
use crate::{HalfSpace, Pose};

/// One contact per vertex, A the half-space, with the vertex's index as feature; the lowest first.
pub(super) fn contacts<const D: usize>(
    plane: &HalfSpace<D>,
    pose: &Pose<D>,
    core: &Core<'_, D>,
    emit: &mut dyn FnMut(CorePoint<D>),
) {
    let normal = pose.rotate(plane.normal());
    let contact = |i: usize, feature: u32| {
        let b = core.vertex(i);
        let distance = normal.dot(&(b - pose.position)) - plane.offset();
        CorePoint {
            feature,
            a: b - normal * distance,
            b,
            normal,
            distance,
        }
    };
    let all = || {
        (0..core.len())
            .zip(0..)
            .map(|(i, feature)| contact(i, feature))
    };
    let lowest = all().reduce(|best, p| if p.distance < best.distance { p } else { best });
    let lowest = lowest.expect("every core has a vertex");
    emit(lowest);
    all()
        .filter(|point| point.feature != lowest.feature)
        .for_each(emit);
}
