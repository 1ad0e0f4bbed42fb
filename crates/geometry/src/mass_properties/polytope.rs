//! Moments of a polytope by signed tetrahedra.
//!
//! # References
//! - S. Lien, J. T. Kajiya, A symbolic method for calculating the integral properties of arbitrary nonconvex polyhedra,
//!   IEEE Computer Graphics and Applications 4 (1984) 35–41, doi 10.1109/MCG.1984.6429334.

use nalgebra::{Matrix3, SVector, Vector3};

use super::rounded_polytope::Sums;
use super::{MassProperties, Moments, positive};
use crate::{Polytope, ShapeError, TriangleMesh};

/// Of the tetrahedron of the middle and x, y, z: V = det/6, ∫ p = V (x + y + z)/4 and
/// ∫ p pᵀ = V/20 (x xᵀ + y yᵀ + z zᵀ + s sᵀ) with s = x + y + z.
pub(super) fn polytope_moments<const D: usize>(polytope: &Polytope<D>) -> Moments<D> {
    let count = polytope.vertices().len();
    let middle = polytope.vertices().iter().sum::<SVector<f64, D>>() / count as f64;
    let at = |i: u32| {
        let x = polytope.vertices()[i as usize] - middle;
        Vector3::from_fn(|k, _| x[k])
    };
    let triangles = (0..polytope.faces()).flat_map(|face| {
        let corners = polytope.face_vertices(face);
        let pairs = corners[1..].windows(2);
        pairs.map(move |pair| [corners[0], pair[0], pair[1]].map(at))
    });
    let own = triangle_moments(triangles);
    Moments {
        measure: own.measure,
        centroid: middle + SVector::from_fn(|k, _| own.centroid[k]),
        second: own.second,
    }
}

/// Moments of what these triangles close, corners counter-clockwise seen from outside and near the origin.
fn triangle_moments(triangles: impl Iterator<Item = [Vector3<f64>; 3]>) -> Moments<3> {
    triangle_sums(triangles).moments()
}

/// The same as sums about the origin.
pub(super) fn triangle_sums(triangles: impl Iterator<Item = [Vector3<f64>; 3]>) -> Sums {
    let mut sums = Sums::default();
    for [x, y, z] in triangles {
        let part = x.dot(&y.cross(&z)) / 6.0;
        let sum = x + y + z;
        sums.volume += part;
        sums.first += sum * (part / 4.0);
        let squares = [x, y, z, sum].map(|p| p * p.transpose());
        sums.second += squares.iter().sum::<Matrix3<f64>>() * (part / 20.0);
    }
    sums
}

impl TriangleMesh {
    /// The homogeneous body of this total mass (kg) that the mesh closes.
    ///
    /// # Errors
    /// [`ShapeError::NotPositive`]; [`ShapeError::OpenMesh`], [`ShapeError::UnevenMesh`], [`ShapeError::InsideOut`] for a mesh
    /// that closes none.
    pub fn mass_properties(&self, mass: f64) -> Result<MassProperties<3>, ShapeError> {
        positive("mass", mass)?;
        let unit = self.mass_properties_of_density(1.0)?;
        Ok(MassProperties {
            mass,
            centroid: unit.centroid,
            inertia: unit.inertia / unit.mass * mass,
        })
    }

    /// The homogeneous body of this density (kg/m³) that the mesh closes.
    ///
    /// # Errors
    /// As [`TriangleMesh::mass_properties`].
    pub fn mass_properties_of_density(
        &self,
        density: f64,
    ) -> Result<MassProperties<3>, ShapeError> {
        positive("density", density)?;
        self.check_closed()?;
        let middle = self.vertices().iter().sum::<Vector3<f64>>() / self.vertices().len() as f64;
        let triangles = 0..self.triangles().len();
        let moments = triangle_moments(triangles.map(|k| self.corners(k).map(|x| x - middle)));
        if moments.measure.is_nan() || moments.measure <= 0.0 {
            let volume = moments.measure;
            return Err(ShapeError::InsideOut { volume });
        }
        Ok(MassProperties {
            mass: moments.measure * density,
            centroid: middle + moments.centroid,
            inertia: moments.second * density,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mesh_weighs_what_its_polytope_weighs_and_inside_out_is_refused() {
        let brick = Polytope::cuboid(1.0, 2.0, 3.0).unwrap();
        let shifted = brick.translated(&Vector3::new(10.0, -3.0, 2.0));
        let mesh = crate::ConvexSet::from(shifted.clone())
            .surface_mesh(0)
            .unwrap();
        let ours = mesh.mass_properties(12.0).unwrap();
        let exact = crate::mass_properties(&shifted.into(), 12.0).unwrap();
        assert!((ours.inertia - exact.inertia).amax() < 1e-13 * exact.inertia.amax());
        assert!((ours.centroid - exact.centroid).norm() < 1e-14);
        let turned = mesh.triangles().iter().map(|&[p, q, r]| [q, p, r]);
        let turned = TriangleMesh::new(mesh.vertices().iter().copied(), turned).unwrap();
        let error = turned.mass_properties(1.0).unwrap_err();
        let ShapeError::InsideOut { volume } = error else {
            panic!("{error}");
        };
        assert!((volume + 6.0).abs() < 1e-13);
    }
}
