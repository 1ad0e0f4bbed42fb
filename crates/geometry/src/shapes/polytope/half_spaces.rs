//! Polytopes given by their faces.

use nalgebra::Vector3;

use super::Polytope;
use crate::{HalfSpace, Intersection, Part, ShapeError};

impl Polytope<3> {
    /// The polytope that these half-spaces have in common, body axes; those that cut nothing off are left out.
    ///
    /// Seen from a point inside, a face at the distance d with the normal n is the point n/d, and the faces of the hull of
    /// these points are the vertices.
    ///
    /// # Errors
    /// As [`Intersection::new`], by name where there is no interior or no end; as [`Polytope::new`].
    ///
    /// # Examples
    /// ```
    /// use nalgebra::Vector3;
    /// use signorini_geometry::{HalfSpace, Polytope};
    /// let along = |n: Vector3<f64>| HalfSpace::new(n, 1.0);
    /// let axes = [Vector3::x(), Vector3::y(), Vector3::z()];
    /// let mut sides = axes.iter().flat_map(|n| [along(*n), along(-n)]).collect::<Result<Vec<_>, _>>()?;
    /// assert_eq!(Polytope::from_half_spaces(&sides)?.vertices().len(), 8);
    /// sides.push(HalfSpace::new(Vector3::repeat(1.0), 1.5)?);               // cuts a corner off
    /// let cut = Polytope::from_half_spaces(&sides)?;
    /// assert_eq!((cut.vertices().len(), cut.faces()), (10, 7));
    /// # Ok::<(), signorini_geometry::ShapeError>(())
    /// ```
    pub fn from_half_spaces(sides: &[HalfSpace<3>]) -> Result<Self, ShapeError> {
        let common = Intersection::new(sides.iter().map(|side| Part::from(*side)))?;
        let inside = *common.interior_point();
        let pole = |side: &HalfSpace<3>| {
            let distance = side.offset() - side.normal().dot(&inside);
            side.normal() / distance
        };
        let dual = Self::new(sides.iter().map(pole))?;
        let vertex = |face: usize| -> Vector3<f64> {
            inside + dual.face_normal(face) / dual.face_offset(face)
        };
        Self::new((0..dual.faces()).map(vertex))
    }
}
