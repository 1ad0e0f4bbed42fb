//! A half-space against a core: every vertex of the core is a contact.

use nalgebra::SVector;

use super::{CorePoint, ManifoldPoint, core::Core};
use crate::{HalfSpace, Pose};

/// One contact per vertex, A the half-space; returns the one of least gap, the first of equals.
pub(super) fn contacts<const D: usize>(
    plane: &HalfSpace<D>,
    pose: &Pose<D>,
    core: &Core<'_, D>,
    origin: &SVector<f64, D>,
    emit: &mut dyn FnMut(CorePoint<D>) -> ManifoldPoint<D>,
) -> ManifoldPoint<D> {
    let normal = pose.rotate(plane.normal());
    let to_plane = pose.position - origin;
    let mut contact = |i: usize, feature: u32| {
        let b = core.vertex(i);
        let distance = normal.dot(&(b - to_plane)) - plane.offset();
        emit(CorePoint {
            feature,
            a: b - normal * distance,
            b,
            normal,
            distance,
        })
    };
    let mut best = contact(0, 0);
    for (i, feature) in (1..core.len()).zip(1..) {
        let point = contact(i, feature);
        if point.closest.gap < best.closest.gap {
            best = point;
        }
    }
    best
}
