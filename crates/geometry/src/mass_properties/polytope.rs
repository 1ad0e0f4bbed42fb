//! Moments of a polytope by signed tetrahedra.
//!
//! # References
//! - S. Lien, J. T. Kajiya, A symbolic method for calculating the integral properties of arbitrary nonconvex polyhedra,
//!   IEEE Computer Graphics and Applications 4 (1984) 35–41, doi 10.1109/MCG.1984.6429334.

use nalgebra::{Matrix3, SVector, Vector3};

use super::Moments;
use crate::Polytope;

/// Of the tetrahedron of the middle and x, y, z: V = det/6, ∫ p = V (x + y + z)/4 and
/// ∫ p pᵀ = V/20 (x xᵀ + y yᵀ + z zᵀ + s sᵀ) with s = x + y + z.
pub(super) fn polytope_moments<const D: usize>(polytope: &Polytope<D>) -> Moments<D> {
    let count = polytope.vertices().len();
    let middle = polytope.vertices().iter().sum::<SVector<f64, D>>() / count as f64;
    let at = |i: u32| {
        let x = polytope.vertices()[i as usize] - middle;
        Vector3::from_fn(|k, _| x[k])
    };
    let (mut volume, mut first, mut second) = (0.0, Vector3::zeros(), Matrix3::zeros());
    for face in 0..polytope.faces() {
        let corners = polytope.face_vertices(face);
        let x = at(corners[0]);
        for pair in corners[1..].windows(2) {
            let (y, z) = (at(pair[0]), at(pair[1]));
            let part = x.dot(&y.cross(&z)) / 6.0;
            let sum = x + y + z;
            volume += part;
            first += sum * (part / 4.0);
            let squares = [x, y, z, sum].map(|p| p * p.transpose());
            second += squares.iter().sum::<Matrix3<f64>>() * (part / 20.0);
        }
    }
    let centre = first / volume;
    let spread = second - centre * centre.transpose() * volume;
    Moments {
        measure: volume,
        centroid: middle + SVector::from_fn(|k, _| centre[k]),
        second: Matrix3::identity() * spread.trace() - spread,
    }
}
