//! A half-space against a core: every vertex of the core is a contact.

use super::{CorePoint, core::Core};
use crate::{HalfSpace, Pose};

/// One contact per vertex, A the half-space, with the vertex's index as feature.
pub(super) fn contacts<const D: usize>(
    plane: &HalfSpace<D>,
    pose: &Pose<D>,
    core: &Core<'_, D>,
    emit: &mut dyn FnMut(CorePoint<D>),
) {
    let normal = pose.rotate(plane.normal());
    for (i, feature) in (0..core.len()).zip(0..) {
        let b = core.vertex(i);
        let distance = normal.dot(&(b - pose.position)) - plane.offset();
        emit(CorePoint {
            feature,
            a: b - normal * distance,
            b,
            normal,
            distance,
        });
    }
}
