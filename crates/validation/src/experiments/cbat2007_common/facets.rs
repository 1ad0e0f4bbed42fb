//! Polyhedra that stand for ellipsoids.

use nalgebra::Vector3;
use signorini::geometry::{HalfSpace, Intersection, Part};

use super::Failure;

/// A polyhedron of so many faces in the ellipsoid with these half axes: the image of one in the unit ball with normals evenly
/// spread, on a spiral from pole to pole whose turns by the golden angle keep neighbours apart; its furthest corner lies on
/// the ellipsoid.
pub(crate) fn polyhedron(
    half_axes: &Vector3<f64>,
    facets: usize,
) -> Result<Intersection<3>, Failure> {
    let golden = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
    let normal = |k: usize| {
        let height = 1.0 - (2.0 * k as f64 + 1.0) / facets as f64;
        let (sin, cos) = (golden * k as f64).sin_cos();
        let around = (1.0 - height * height).sqrt();
        Vector3::new(around * cos, around * sin, height)
    };
    let planes = |offset: f64, half_axes: &Vector3<f64>| {
        let plane = |k: usize| {
            let stretched = normal(k).component_div(half_axes);
            let length = stretched.norm();
            HalfSpace::new(stretched / length, offset / length).map(Part::from)
        };
        let planes: Result<Vec<_>, _> = (0..facets).map(plane).collect();
        Intersection::new(planes?)
    };
    let round = planes(1.0, &Vector3::repeat(1.0))?;
    Ok(planes(1.0 / round.bounding_radius(), half_axes)?)
}
