//! Moments of unions, and principal axes.

use nalgebra::{Matrix3, SVector, Vector3};

use super::{MassProperties, Moments, moments, moved, polar, positive};
use crate::{ShapeError, Union};

impl<const D: usize> Union<D> {
    /// The homogeneous body of this total mass, kg: the pieces together, where two overlap the overlap twice.
    ///
    /// # Errors
    /// As [`mass_properties`](crate::mass_properties) for a piece; [`ShapeError::OneSided`] for a ground.
    pub fn mass_properties(&self, mass: f64) -> Result<MassProperties<D>, ShapeError> {
        positive("mass", mass)?;
        let moments = self.moments()?;
        Ok(MassProperties {
            mass,
            centroid: moments.centroid,
            inertia: moments.second / moments.measure * mass,
        })
    }

    /// The homogeneous body of this density, kg/m² in the plane and kg/m³ in space.
    ///
    /// # Errors
    /// As [`Union::mass_properties`].
    pub fn mass_properties_of_density(
        &self,
        density: f64,
    ) -> Result<MassProperties<D>, ShapeError> {
        positive("density", density)?;
        let moments = self.moments()?;
        Ok(MassProperties {
            mass: moments.measure * density,
            centroid: moments.centroid,
            inertia: moments.second * density,
        })
    }

    fn moments(&self) -> Result<Moments<D>, ShapeError> {
        let mut pieces = Vec::with_capacity(self.pieces().len());
        for piece in self.pieces() {
            if piece.top().is_some() {
                return Err(ShapeError::OneSided);
            }
            pieces.push(moved(&moments(&piece.set)?, &piece.pose));
        }
        let measure: f64 = pieces.iter().map(|piece| piece.measure).sum();
        let first: SVector<f64, D> = pieces.iter().map(|p| p.centroid * p.measure).sum();
        let centroid = first / measure;
        let second = pieces.iter().map(|piece| {
            // Steiner: the piece as a point of its measure.
            piece.second + of_point(piece.measure, &(piece.centroid - centroid))
        });
        Ok(Moments {
            measure,
            centroid,
            second: second.sum(),
        })
    }
}

/// Moment of a point about the origin: m (|x|² I − x xᵀ); in the plane entry (3, 3) alone.
fn of_point<const D: usize>(m: f64, x: &SVector<f64, D>) -> Matrix3<f64> {
    if D == 2 {
        return polar(m * x.norm_squared());
    }
    let x = Vector3::new(x[0], x[1], x[2]);
    (Matrix3::identity() * x.norm_squared() - x * x.transpose()) * m
}

impl<const D: usize> MassProperties<D> {
    /// Principal moments about the centroid, the least first, kg m², and the rotation from the principal axes to the body's:
    /// its columns are the axes. The sense of the first two makes their largest component positive; the third is their
    /// cross product. In the plane the moments are (0, 0, J), and the axes the body's.
    ///
    /// # Examples
    /// ```
    /// use nalgebra::{Matrix3, Vector3};
    /// use signorini_geometry::{Polytope, Shape};
    /// let brick = Shape::from(Polytope::cuboid(2.0, 1.0, 3.0)?).mass_properties(12.0)?;
    /// let (moments, axes) = brick.principal_axes();
    /// assert!((moments - Vector3::new(5.0, 10.0, 13.0)).norm() < 1e-13);
    /// assert!((axes - Matrix3::from_columns(&[Vector3::z(), Vector3::x(), Vector3::y()])).norm() < 1e-13);
    /// # Ok::<(), signorini_geometry::ShapeError>(())
    /// ```
    pub fn principal_axes(&self) -> (Vector3<f64>, Matrix3<f64>) {
        if D == 2 {
            return (self.inertia.diagonal(), Matrix3::identity());
        }
        let eigen = self.inertia.symmetric_eigen();
        let mut order = [0, 1, 2];
        order.sort_by(|&i, &j| eigen.eigenvalues[i].total_cmp(&eigen.eigenvalues[j]));
        let axis = |k: usize| {
            let axis: Vector3<f64> = eigen.eigenvectors.column(order[k]).into();
            axis * axis[axis.iamax()].signum()
        };
        let (first, second) = (axis(0), axis(1));
        let axes = Matrix3::from_columns(&[first, second, first.cross(&second)]);
        (Vector3::from_fn(|i, _| eigen.eigenvalues[order[i]]), axes)
    }
}
