//! Surfaces of triangles: bodies that they close, hulls of their points, and grounds.
//!
//! # Method
//! A ground is a [`Union`] of thin slabs, one under each triangle, of which the upper face counts. The slab goes in by the
//! thickness along the mean normals of the corners, so that slabs of neighbours share their sides.
//!
//! # Guarantees and limits
//! Bodies that are deeper in a ground than its thickness are not felt. A slab takes about 2 kB.
//!
//! # References
//! - S. Lien, J. T. Kajiya, A symbolic method for calculating the integral properties of arbitrary nonconvex polyhedra,
//!   IEEE Computer Graphics and Applications 4 (1984) 35–41, doi 10.1109/MCG.1984.6429334.

mod height_field;
mod height_profile;

use std::collections::BTreeMap;

use nalgebra::Vector3;

pub use height_field::HeightField;
pub use height_profile::HeightProfile;

use crate::shapes::{finite, positive};
use crate::union::Piece;
use crate::{ConvexSet, Polytope, ShapeError, Union};

/// Triangles with corners in common, m. Outside is where the corners run counter-clockwise.
///
/// # Examples
/// ```
/// use nalgebra::Vector3;
/// use signorini_geometry::TriangleMesh;
/// let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
/// let corner = TriangleMesh::new(corners.map(Vector3::from), [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
/// let mass = corner.mass_properties_of_density(6.0)?;
/// assert!((mass.mass - 1.0).abs() < 1e-15 && (mass.centroid - Vector3::repeat(0.25)).norm() < 1e-15);
/// # Ok::<(), signorini_geometry::ShapeError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct TriangleMesh {
    vertices: Vec<Vector3<f64>>,
    triangles: Vec<[u32; 3]>,
}

/// A triangle has no area if its height is below this part of its longest side: rounding of coordinates.
const SLIVER: f64 = 1e-12;

/// Cosine of the angle to the mean normal of a corner from which on a slab goes in along its own normal there.
const STEEP: f64 = 0.1;

impl TriangleMesh {
    /// The mesh of these triangles (numbers of vertices). Vertices at the same place are one; vertices without triangle and
    /// triangles without area are left out.
    ///
    /// # Errors
    /// [`ShapeError::NotFinite`]; [`ShapeError::NoVertex`]; [`ShapeError::NoTriangles`] if none has an area.
    ///
    /// # Panics
    /// Never: vertices that triangles name are fewer than u32 counts.
    pub fn new(
        vertices: impl IntoIterator<Item = Vector3<f64>>,
        triangles: impl IntoIterator<Item = [u32; 3]>,
    ) -> Result<Self, ShapeError> {
        let given: Vec<Vector3<f64>> = vertices.into_iter().collect();
        for &x in given.iter().flatten() {
            finite("vertex", x)?;
        }
        let mut this = Self {
            vertices: Vec::new(),
            triangles: Vec::new(),
        };
        let mut known = BTreeMap::new();
        for (index, corners) in triangles.into_iter().enumerate() {
            let found = given.len();
            let at = |i: u32| {
                let vertex = given.get(i as usize);
                vertex.ok_or(ShapeError::NoVertex {
                    triangle: index,
                    vertex: i,
                    found,
                })
            };
            let points = [*at(corners[0])?, *at(corners[1])?, *at(corners[2])?];
            if has_area(&points) {
                let number = points.map(|point| {
                    // Zeros of both signs are one place.
                    let place: [u64; 3] = point.map(|x| (x + 0.0).to_bits()).into();
                    *known.entry(place).or_insert_with(|| {
                        this.vertices.push(point);
                        this.vertices.len() - 1
                    })
                });
                let corner = |k: usize| u32::try_from(number[k]).expect("they came as u32");
                this.triangles.push([corner(0), corner(1), corner(2)]);
            }
        }
        if this.triangles.is_empty() {
            return Err(ShapeError::NoTriangles);
        }
        Ok(this)
    }

    /// Vertices, m.
    pub fn vertices(&self) -> &[Vector3<f64>] {
        &self.vertices
    }

    /// Numbers of the vertices of each triangle.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Corners of a triangle, m.
    ///
    /// # Panics
    /// If there is no such triangle.
    #[track_caller]
    pub fn corners(&self, triangle: usize) -> [Vector3<f64>; 3] {
        self.triangles[triangle].map(|i| self.vertices[i as usize])
    }

    /// The mesh with every vertex moved by a function: scaled, turned or shifted.
    ///
    /// # Errors
    /// As [`TriangleMesh::new`].
    pub fn map(&self, f: impl FnMut(&Vector3<f64>) -> Vector3<f64>) -> Result<Self, ShapeError> {
        Self::new(self.vertices.iter().map(f), self.triangles.iter().copied())
    }

    /// The convex hull of its vertices.
    ///
    /// # Errors
    /// As [`Polytope::new`].
    pub fn hull(&self) -> Result<Polytope<3>, ShapeError> {
        Polytope::new(self.vertices.iter().copied())
    }

    /// The ground below the triangles: solid on the inner side to the depth `thickness` (m), which should be less than half
    /// of what is thin in the mesh, and more than bodies sink in within a step.
    ///
    /// # Errors
    /// [`ShapeError::NotPositive`]; as [`Polytope::new`] for a slab.
    ///
    /// # Examples
    /// ```
    /// use nalgebra::Vector3;
    /// use signorini_geometry::TriangleMesh;
    /// let corners = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [4.0, 4.0, 0.0], [0.0, 4.0, 0.0]];
    /// let square = TriangleMesh::new(corners.map(Vector3::from), [[0, 1, 2], [0, 2, 3]])?;
    /// assert_eq!(square.ground(0.1)?.pieces().len(), 2);
    /// # Ok::<(), signorini_geometry::ShapeError>(())
    /// ```
    pub fn ground(&self, thickness: f64) -> Result<Union<3>, ShapeError> {
        let thickness = positive("thickness", thickness)?;
        let normals: Vec<_> = (0..self.triangles.len())
            .map(|k| normal(&self.corners(k)))
            .collect();
        let mean = self.mean_normals(&normals);
        let slab = |(corners, top): (&[u32; 3], &Vector3<f64>)| {
            let inner = corners.map(|i| {
                let mean = mean[i as usize];
                let down = if mean.dot(top) > STEEP { mean } else { *top };
                self.vertices[i as usize] - down * thickness
            });
            let outer = corners.map(|i| self.vertices[i as usize]);
            let set = Polytope::new(outer.into_iter().chain(inner))?;
            Ok(Piece::one_sided(ConvexSet::from(set), *top))
        };
        let slabs = self.triangles.iter().zip(&normals).map(slab);
        Union::build(slabs.collect::<Result<_, _>>()?)
    }

    /// Unit sums of the normals at each vertex, weighted by the angles there.
    fn mean_normals(&self, normals: &[Vector3<f64>]) -> Vec<Vector3<f64>> {
        let mut sums = vec![Vector3::zeros(); self.vertices.len()];
        for (k, corners) in self.triangles.iter().enumerate() {
            let points = self.corners(k);
            for s in 0..3 {
                let [p, q, r] = [0, 1, 2].map(|step| points[(s + step) % 3]);
                sums[corners[s] as usize] += normals[k] * (q - p).angle(&(r - p));
            }
        }
        // A sum of zero belongs to a corner that has no inside; its triangles have their own normals.
        sums.iter()
            .map(|sum| sum.try_normalize(0.0).unwrap_or_default())
            .collect()
    }

    /// Refuses a mesh that does not close a body: an edge without a triangle on each side, or triangles that run round in
    /// different ways.
    pub(crate) fn check_closed(&self) -> Result<(), ShapeError> {
        let mut edges = BTreeMap::new();
        for (triangle, corners) in self.triangles.iter().enumerate() {
            for s in 0..3 {
                let edge = (corners[s], corners[(s + 1) % 3]);
                if let Some(earlier) = edges.insert(edge, triangle) {
                    let triangles = [earlier, triangle];
                    return Err(ShapeError::UnevenMesh { triangles });
                }
            }
        }
        let open = edges
            .iter()
            .find(|((p, q), _)| !edges.contains_key(&(*q, *p)));
        match open {
            None => Ok(()),
            Some((&(p, q), &triangle)) => Err(ShapeError::OpenMesh {
                triangle,
                middle: ((self.vertices[p as usize] + self.vertices[q as usize]) * 0.5).into(),
            }),
        }
    }
}

/// Outward unit normal of a triangle with an area.
fn normal([p, q, r]: &[Vector3<f64>; 3]) -> Vector3<f64> {
    (q - p).cross(&(r - p)).normalize()
}

fn has_area([p, q, r]: &[Vector3<f64>; 3]) -> bool {
    let sides = [q - p, r - p, r - q].map(|side| side.norm());
    let longest = sides[0].max(sides[1]).max(sides[2]);
    // The longest side times its height; false for triangles that are a point too.
    (q - p).cross(&(r - p)).norm() > SLIVER * longest * longest
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cube of side 2 about the origin.
    fn cube() -> TriangleMesh {
        let corner = |i: u8| {
            let sign = |bit: u8| if i & bit == 0 { -1.0 } else { 1.0 };
            Vector3::new(sign(4), sign(2), sign(1))
        };
        let quads = [
            [0, 1, 3, 2],
            [4, 6, 7, 5],
            [0, 4, 5, 1],
            [2, 3, 7, 6],
            [0, 2, 6, 4],
            [1, 5, 7, 3],
        ];
        let triangles = quads
            .into_iter()
            .flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]]);
        TriangleMesh::new((0..8).map(corner), triangles).unwrap()
    }

    #[test]
    fn a_cube_is_closed_and_its_slabs_go_inwards() {
        let cube = cube();
        cube.check_closed().unwrap();
        let ground = cube.ground(0.1).unwrap();
        assert_eq!(ground.pieces().len(), 12);
        let hull = ground.hull();
        assert_eq!(
            (hull.lower, hull.upper),
            (Vector3::repeat(-1.0), Vector3::repeat(1.0))
        );
        assert_eq!(cube.hull().unwrap().faces(), 6);
    }

    #[test]
    fn what_is_open_uneven_or_empty_is_refused() {
        let cube = cube();
        let vertices = || cube.vertices().iter().copied();
        let without = |list: Vec<[u32; 3]>| TriangleMesh::new(vertices(), list);
        let open = without(cube.triangles()[1..].to_vec()).unwrap();
        assert!(matches!(
            open.check_closed(),
            Err(ShapeError::OpenMesh { .. })
        ));
        let mut turned = cube.triangles().to_vec();
        turned[3].swap(0, 1);
        let uneven = without(turned).unwrap();
        assert!(matches!(
            uneven.check_closed(),
            Err(ShapeError::UnevenMesh { .. })
        ));
        assert_eq!(without(vec![[0, 0, 1]]), Err(ShapeError::NoTriangles));
        let missing = ShapeError::NoVertex {
            triangle: 0,
            vertex: 8,
            found: 8,
        };
        assert_eq!(without(vec![[0, 1, 8]]), Err(missing));
        assert!(cube.ground(0.0).is_err());
    }

    #[test]
    fn vertices_at_one_place_are_one() {
        let corners = [
            [0.0, 0.0, 0.0],
            [1.0, 0.0, 0.0],
            [0.0, 1.0, 0.0],
            [-0.0, 0.0, 0.0],
            [0.0, 1.0, 0.0],
            [-1.0, 0.0, 0.0],
        ];
        let mesh = TriangleMesh::new(corners.map(Vector3::from), [[0, 1, 2], [3, 4, 5]]).unwrap();
        assert_eq!(
            (mesh.vertices().len(), mesh.triangles()),
            (4, &[[0, 1, 2], [0, 2, 3]][..])
        );
    }
}
