//! Outlines of bodies in space, and thinner curves.

use nalgebra::Vector3;
use signorini::geometry::{ConvexSet, Pose};

/// Corners of a silhouette.
const CORNERS: u32 = 180;

/// Pose of the only moving body.
pub(crate) fn pose(q: &[f64]) -> Pose<3> {
    Pose::from_quaternion([q[3], q[4], q[5], q[6]], Vector3::new(q[0], q[1], q[2]))
}

/// Outline of a body as it is seen in the plane of the world axes `across` and `up`.
pub(crate) fn silhouette(
    set: &ConvexSet<3>,
    pose: &Pose<3>,
    [across, up]: [usize; 2],
) -> Vec<[f64; 2]> {
    let corner = |k: u32| {
        let (sin, cos) = (std::f64::consts::TAU * f64::from(k) / f64::from(CORNERS)).sin_cos();
        let mut direction = Vector3::zeros();
        (direction[across], direction[up]) = (cos, sin);
        let point = set.support(&pose.inverse_rotate(&direction))?;
        let point = pose.apply(&point);
        Some([point[across], point[up]])
    };
    (0..CORNERS).filter_map(corner).collect()
}

/// At most some thousand points of a curve.
pub(crate) fn thinned(curve: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let every = curve.len().div_ceil(2000).max(1);
    curve.iter().copied().step_by(every).collect()
}
