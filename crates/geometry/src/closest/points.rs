//! Two points: the cores of balls.

use nalgebra::SVector;

use super::{CorePoint, ManifoldPoint, Want, core::Core};

pub(super) fn contacts<const D: usize>(
    a: &Core<'_, D>,
    b: &Core<'_, D>,
    _: Want,
    emit: &mut dyn FnMut(CorePoint<D>) -> ManifoldPoint<D>,
) -> Option<ManifoldPoint<D>> {
    let (a, b) = (a.vertex(0), b.vertex(0));
    let (normal, distance) = direction(&(b - a))?;
    Some(emit(CorePoint {
        feature: 0,
        a,
        b,
        normal,
        distance,
    }))
}

/// Direction and length of d; `None` for zero. Scaled, so that squares neither overflow nor vanish.
pub(super) fn direction<const D: usize>(d: &SVector<f64, D>) -> Option<(SVector<f64, D>, f64)> {
    let largest = d.amax();
    if largest == 0.0 {
        return None;
    }
    let scaled = d / largest;
    let norm = scaled.norm();
    Some((scaled / norm, norm * largest))
}
