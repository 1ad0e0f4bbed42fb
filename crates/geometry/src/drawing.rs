//! Sections and surfaces of convex sets, for pictures.
//!
//! # Method
//! Polytopes have exact ones. Of other sets points are found by rays towards a point inside.

use std::f64::consts::TAU;

use nalgebra::{SVector, Vector3};

use crate::direction::tangents;
use crate::{ClosestError, ConvexSet, HalfSpace, Placed, Polytope, Pose, ShapeError, TriangleMesh};

/// Vertices this near to a plane, relative to the size, are in it: rounding.
const IN_PLANE: f64 = 1e-12;

/// Why a set has no picture.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DrawingError {
    /// It has no end.
    #[error("a half-space has no end to draw: intersect it with a box first")]
    Unbounded,
    /// A boundary point was not found.
    #[error("a point of the surface was not found: {0}")]
    Closest(#[from] ClosestError),
    /// The points make no surface.
    #[error("the points make no surface: {0}")]
    Shape(#[from] ShapeError),
}

impl Placed<'_, 3> {
    /// The outline of the section by the boundary of a half-space (world axes), counter-clockwise seen against its normal;
    /// empty where the plane misses the set. Of sets that are not polytopes the outline has `points` points.
    ///
    /// # Errors
    /// [`DrawingError::Unbounded`] for a half-space, [`DrawingError::Closest`].
    ///
    /// # Examples
    /// ```
    /// use nalgebra::Vector3;
    /// use signorini_geometry::{Ball, ConvexSet, HalfSpace, Placed, Polytope, Pose};
    /// let cube = ConvexSet::from(Polytope::cuboid(2.0, 2.0, 2.0)?);
    /// let level = HalfSpace::new(Vector3::z(), 0.5)?;
    /// let square = Placed::new(&cube, Pose::identity()).section(&level, 0)?;
    /// assert_eq!(square.len(), 4);
    /// assert!(square.iter().all(|x| x.x.abs() == 1.0 && x.y.abs() == 1.0 && x.z == 0.5));
    /// let ball = ConvexSet::from(Ball::new(1.0)?);
    /// let circle = Placed::new(&ball, Pose::identity()).section(&level, 24)?;
    /// assert!(circle.iter().all(|x| (x.norm() - 1.0).abs() < 1e-11 && (x.z - 0.5).abs() < 1e-15));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn section(
        &self,
        plane: &HalfSpace<3>,
        points: usize,
    ) -> Result<Vec<Vector3<f64>>, DrawingError> {
        let (normal, offset) = (*plane.normal(), plane.offset());
        if let ConvexSet::Polytope(polytope) = self.set {
            return Ok(self.section_of_polytope(polytope, &normal, offset));
        }
        let inside = self.pose.apply(&inside(self.set)?);
        let height = normal.dot(&inside) - offset;
        let down = if height > 0.0 { -normal } else { normal };
        let Some(end) = self.support(&down) else {
            return Err(DrawingError::Unbounded);
        };
        let beyond = normal.dot(&end) - offset;
        if height * beyond >= 0.0 && height != 0.0 {
            return Ok(Vec::new());
        }
        // Between a point inside and one of the boundary beyond the plane.
        let part = height / (height - beyond);
        let part = if part.is_finite() { part } else { 0.0 };
        let middle = inside + (end - inside) * part;
        let [s, t] = tangents(&normal);
        let directions = (0..points).map(|k| {
            let (sin, cos) = (TAU * k as f64 / points as f64).sin_cos();
            s * cos + t * sin
        });
        directions
            .map(|d| self.boundary_along(&middle, &d))
            .collect()
    }

    fn section_of_polytope(
        &self,
        polytope: &Polytope<3>,
        normal: &Vector3<f64>,
        offset: f64,
    ) -> Vec<Vector3<f64>> {
        let level = IN_PLANE * polytope.diameter();
        let vertices: Vec<_> = polytope
            .vertices()
            .iter()
            .map(|x| self.pose.apply(x))
            .collect();
        let height = |i: usize| {
            let height = normal.dot(&vertices[i]) - offset;
            if height.abs() <= level { 0.0 } else { height }
        };
        let of_vertices = (0..vertices.len())
            .filter(|&i| height(i) == 0.0)
            .map(|i| vertices[i]);
        let crossing = |[p, q]: [usize; 2]| {
            let [h, k] = [p, q].map(height);
            (h * k < 0.0).then(|| vertices[p] + (vertices[q] - vertices[p]) * (h / (h - k)))
        };
        let mut all: Vec<_> = of_vertices
            .chain(polytope.edges().filter_map(crossing))
            .collect();
        let middle = all.iter().sum::<Vector3<f64>>() / all.len().max(1) as f64;
        let [s, t] = tangents(normal);
        let angle = |x: &Vector3<f64>| t.dot(&(x - middle)).atan2(s.dot(&(x - middle)));
        all.sort_by(|x, y| angle(x).total_cmp(&angle(y)));
        all
    }

    /// The point of the boundary in a direction from a point inside.
    fn boundary_along(
        &self,
        inside: &Vector3<f64>,
        direction: &Vector3<f64>,
    ) -> Result<Vector3<f64>, DrawingError> {
        let from = inside + direction * (2.0 * self.set.size());
        let hit = self.cast_ray(&from, &-direction)?;
        // A ray to a point of the boundary itself may miss it by rounding.
        Ok(hit.map_or(*inside, |hit| hit.point))
    }
}

impl ConvexSet<3> {
    /// The surface as triangles, body axes: of a polytope its faces, of other sets an octahedron whose triangles are divided
    /// in four `rounds` times, its corners on the surface: 8 · 4ⁿ triangles.
    ///
    /// # Errors
    /// [`DrawingError`].
    ///
    /// # Examples
    /// ```
    /// use nalgebra::Vector3;
    /// use signorini_geometry::{ConvexSet, Ellipsoid};
    /// let egg = ConvexSet::from(Ellipsoid::new(Vector3::new(3.0, 2.0, 1.0))?);
    /// let mesh = egg.surface_mesh(5)?;
    /// assert_eq!(mesh.triangles().len(), 8192);
    /// let volume = mesh.mass_properties_of_density(1.0)?.mass;      // of 8π, less what the flat triangles cut off
    /// assert!(volume < 25.1328 && volume > 25.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn surface_mesh(&self, rounds: usize) -> Result<TriangleMesh, DrawingError> {
        if let ConvexSet::Polytope(polytope) = self {
            let faces = (0..polytope.faces()).map(|face| polytope.face_vertices(face));
            let fans = faces.flat_map(|corners| {
                corners[1..]
                    .windows(2)
                    .map(move |pair| [corners[0], pair[0], pair[1]])
            });
            return Ok(TriangleMesh::new(
                polytope.vertices().iter().copied(),
                fans,
            )?);
        }
        let inside = inside(self)?;
        let placed = Placed::new(self, Pose::identity());
        let directions = octahedron(rounds)?;
        let vertices = directions
            .vertices()
            .iter()
            .map(|d| placed.boundary_along(&inside, &d.normalize()))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(TriangleMesh::new(
            vertices,
            directions.triangles().iter().copied(),
        )?)
    }
}

/// Corners and triangles of an octahedron divided several times.
fn octahedron(rounds: usize) -> Result<TriangleMesh, ShapeError> {
    let (x, y, z) = (Vector3::x(), Vector3::y(), Vector3::z());
    let ends = [x, y, z, -x, -y, -z];
    let faces = [
        [0, 1, 2],
        [1, 3, 2],
        [3, 4, 2],
        [4, 0, 2],
        [1, 0, 5],
        [3, 1, 5],
        [4, 3, 5],
        [0, 4, 5],
    ];
    let mut mesh = TriangleMesh::new(ends, faces)?;
    for _ in 0..rounds {
        // Middles of edges are the same from both sides to the last bit, so that the mesh stays closed.
        let (mut points, mut divided) = (Vec::new(), Vec::new());
        for k in 0..mesh.triangles().len() {
            let [p, q, r] = mesh.corners(k);
            let first = u32::try_from(points.len()).unwrap_or(u32::MAX);
            points.extend([p, q, r, p + q, q + r, r + p].map(|x: Vector3<f64>| x.normalize()));
            let parts = [[0, 3, 5], [3, 1, 4], [5, 4, 2], [3, 4, 5]];
            divided.extend(parts.map(|corners| corners.map(|c| first + c)));
        }
        mesh = TriangleMesh::new(points, divided)?;
    }
    Ok(mesh)
}

/// A point inside of a bounded set.
fn inside(set: &ConvexSet<3>) -> Result<Vector3<f64>, DrawingError> {
    if let ConvexSet::Intersection(shape) = set {
        return Ok(*shape.interior_point());
    }
    // The middle of support points in the directions of a cube's faces and corners.
    let mut sum = SVector::zeros();
    let mut count = 0.0;
    for i in 0..27_u8 {
        let digit = |k: u8| f64::from(k % 3) - 1.0;
        let d = Vector3::new(digit(i), digit(i / 3), digit(i / 9));
        if d.amax() > 0.0 {
            sum += set.support(&d).ok_or(DrawingError::Unbounded)?;
            count += 1.0;
        }
    }
    Ok(sum / count)
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;
    use crate::{Cone, Cylinder, Rounded};

    #[test]
    fn sections_of_a_tetrahedron_are_triangles_and_quadrilaterals() {
        let corners = [
            [1.0, 1.0, 1.0],
            [1.0, -1.0, -1.0],
            [-1.0, 1.0, -1.0],
            [-1.0, -1.0, 1.0],
        ];
        let set = ConvexSet::from(Polytope::new(corners.map(Vector3::from)).unwrap());
        let placed = Placed::new(&set, Pose::identity());
        let count = |normal: Vector3<f64>, offset: f64| {
            let plane = HalfSpace::new(normal, offset).unwrap();
            placed.section(&plane, 0).unwrap().len()
        };
        assert_eq!(count(Vector3::z(), 0.0), 4);
        assert_eq!(count(Vector3::repeat(1.0), 1.0), 3);
        assert_eq!(count(Vector3::z(), 1.0), 2, "an edge in the plane");
        assert_eq!(count(Vector3::z(), 1.5), 0);
        // Counter-clockwise against the normal.
        let plane = HalfSpace::new(Vector3::z(), 0.0).unwrap();
        let ring = placed.section(&plane, 0).unwrap();
        let area: f64 = (0..4).map(|k| ring[k].cross(&ring[(k + 1) % 4]).z).sum();
        assert!(
            (area - 4.0).abs() < 1e-14,
            "twice the area of the square of diagonal 2: {area}"
        );
    }

    #[test]
    fn surfaces_of_all_kinds_have_their_volume() {
        let brick = Polytope::cuboid(1.0, 2.0, 1.0).unwrap();
        let r: f64 = 0.2;
        // Steiner: the brick, slabs on its faces, quarters of cylinders at its edges, eighths of a ball at its corners.
        let of_brick = 2.0 + 10.0 * r + PI * r.powi(2) * 4.0 + 4.0 / 3.0 * PI * r.powi(3);
        let sets: [(ConvexSet<3>, f64); 3] = [
            (Cylinder::new(0.5, 1.0).unwrap().into(), 0.5 * PI),
            (Cone::new(0.5, 1.0).unwrap().into(), 0.25 / 3.0 * PI),
            (Rounded::new(brick, r).unwrap().into(), of_brick),
        ];
        for (set, exact) in sets {
            let mesh = set.surface_mesh(4).unwrap();
            let ours = mesh.mass_properties_of_density(1.0).unwrap().mass;
            assert!(
                ours < exact && ours > 0.95 * exact,
                "{}: {ours} of {exact}",
                set.kind()
            );
            let cut = Placed::new(&set, Pose::identity());
            let plane = HalfSpace::new(Vector3::x(), 0.1).unwrap();
            let ring = cut.section(&plane, 12).unwrap();
            let heights = ring.iter().map(|x| (x.x - 0.1).abs());
            assert!(ring.len() == 12 && heights.fold(0.0, f64::max) < 1e-12);
            let missed = HalfSpace::new(Vector3::x(), 10.0).unwrap();
            assert!(cut.section(&missed, 12).unwrap().is_empty());
        }
    }
}
