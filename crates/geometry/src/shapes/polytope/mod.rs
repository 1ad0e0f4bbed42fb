//! Convex polytope of space: the hull of points.

mod cuboid;
mod half_spaces;
mod hull;

use nalgebra::{SMatrix, SVector, Vector3};

pub(crate) use self::cuboid::Cuboid;
use self::hull::{hull, ring};
use super::cylinder::spatial;
use super::{Polygon, ShapeError, finite, positive};
use crate::boundary::{
    Boundary, Feature, Flat, Relation, first_feature, next_feature, relation_of_pieces,
};
use crate::convex_set::ShapeKind;
use crate::{Jet, Surface};

/// The convex hull of points of space, by its vertices, edges and flat faces, in body axes. Only space has polytopes:
/// `Polytope<2>` has no constructor and so no values.
///
/// Its [`Surface`] is the largest height above the planes of its faces, in m: max nᵢ·x − cᵢ, with the derivatives of the
/// face that is highest, the first of those that tie.
///
/// # Examples
/// ```
/// use nalgebra::Vector3;
/// use signorini_geometry::{Polytope, Surface};
/// // A pyramid; the middle of its base is no vertex, and its base is one face.
/// let points = [[1.0, 1.0, 0.0], [-1.0, 1.0, 0.0], [-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [0.0, 0.0, 2.0], [0.0, 0.0, 0.0]];
/// let pyramid = Polytope::new(points.map(Vector3::from))?;
/// assert_eq!((pyramid.vertices().len(), pyramid.edges().len(), pyramid.faces()), (5, 8, 5));
/// assert_eq!(pyramid.value(&Vector3::new(0.0, 0.0, -0.5)), 0.5);
/// # Ok::<(), signorini_geometry::ShapeError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(
        try_from = "super::data::PolytopeData<D>",
        into = "super::data::PolytopeData<D>"
    )
)]
pub struct Polytope<const D: usize> {
    vertices: Vec<SVector<f64, D>>,
    faces: Vec<Face<D>>,
    /// Corners of all faces, one face after the other.
    corners: Vec<u32>,
    edges: Vec<Edge<D>>,
    around: Vec<Around>,
    bounding_radius: f64,
    diameter: f64,
    cuboid: Option<Cuboid<D>>,
}

/// A face: normal·x ≤ offset.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Face<const D: usize> {
    pub(crate) normal: SVector<f64, D>,
    pub(crate) offset: f64,
    first: usize,
    len: usize,
}

/// An edge between two faces; `along` × runs as normals[0] × normals[1].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Edge<const D: usize> {
    pub(crate) vertices: [usize; 2],
    pub(crate) along: SVector<f64, D>,
    /// Outward normals of the faces on its left and right, none for a segment, which every normal across it bounds.
    pub(crate) normals: Option<[SVector<f64, D>; 2]>,
}

/// Faces and edges at a vertex.
#[derive(Clone, Debug, PartialEq, Default)]
struct Around {
    faces: Vec<usize>,
    edges: Vec<usize>,
}

/// Vertices at most: names of contact points hold no more.
const MOST: usize = 4096;

/// Sine and cosine of the angle within which a face or an edge faces a direction: 6°, as for other bodies.
const FACING: [f64; 2] = [0.1, 0.995];

impl Polytope<3> {
    /// The convex hull of these points (m, body axes). Points inside or on a face, and points that are another one to
    /// 1e-12 of the size, are left out; the vertices keep their order.
    ///
    /// # Errors
    /// [`ShapeError::NotFinite`]; [`ShapeError::FewPoints`]; [`ShapeError::FlatPolytope`] for points of a plane or a
    /// line; [`ShapeError::ManyVertices`]; [`ShapeError::UnclearHull`].
    pub fn new<P: Into<Vector3<f64>>>(
        points: impl IntoIterator<Item = P>,
    ) -> Result<Self, ShapeError> {
        let points: Vec<Vector3<f64>> = points.into_iter().map(Into::into).collect();
        Self::build(&points)
    }

    /// The box of these side lengths (m) about the origin. Vertex 4 i + 2 j + k is at the lower (0) or upper (1) end
    /// of x, y and z.
    ///
    /// # Errors
    /// [`ShapeError::NotPositive`]; [`ShapeError::FlatPolytope`] if a side is a 10⁸th of another.
    ///
    /// # Examples
    /// ```
    /// use nalgebra::Vector3;
    /// use signorini_geometry::Polytope;
    /// let brick = Polytope::cuboid(2.0, 1.0, 0.5)?;
    /// assert_eq!(brick.vertices()[6], Vector3::new(1.0, 0.5, -0.25));
    /// # Ok::<(), signorini_geometry::ShapeError>(())
    /// ```
    pub fn cuboid(x: f64, y: f64, z: f64) -> Result<Self, ShapeError> {
        let half = Vector3::new(
            0.5 * positive("length x", x)?,
            0.5 * positive("length y", y)?,
            0.5 * positive("length z", z)?,
        );
        Self::new((0..8u8).map(|i| {
            let sign = |bit: u8| if i & bit == 0 { -1.0 } else { 1.0 };
            Vector3::new(sign(4), sign(2), sign(1)).component_mul(&half)
        }))
    }

    /// The prism over a polygon of the xy plane, from z = −`height`/2 to `height`/2 (m); a rounding of the polygon is
    /// left out. Vertex i of the polygon is vertex i below and n + i above.
    ///
    /// # Errors
    /// [`ShapeError::NotPositive`] for the height; [`ShapeError::FlatPolytope`], [`ShapeError::ManyVertices`].
    ///
    /// # Examples
    /// ```
    /// use signorini_geometry::{Polygon, Polytope};
    /// let wedge = Polytope::prism(&Polygon::new([[0.0, 0.0], [3.0, 0.0], [0.0, 4.0]])?, 1.0)?;
    /// assert_eq!((wedge.faces(), wedge.edges().len()), (5, 9));
    /// # Ok::<(), signorini_geometry::ShapeError>(())
    /// ```
    pub fn prism(base: &Polygon<2>, height: f64) -> Result<Self, ShapeError> {
        let half = 0.5 * positive("height", height)?;
        let level = |z: f64| {
            base.vertices()
                .iter()
                .map(move |x| Vector3::new(x.x, x.y, z))
        };
        Self::new(level(-half).chain(level(half)))
    }
}

impl<const D: usize> Polytope<D> {
    /// The only way to a polytope, written for any D so that reading one from data can be refused rather than missing.
    pub(crate) fn build(points: &[SVector<f64, D>]) -> Result<Self, ShapeError> {
        spatial::<D>(ShapeKind::Polytope)?;
        for &x in points.iter().flatten() {
            finite("vertex", x)?;
        }
        let points: Vec<_> = points.iter().map(in_space).collect();
        let hull = hull(&points)?;
        if hull.vertices.len() > MOST {
            return Err(ShapeError::ManyVertices {
                found: hull.vertices.len(),
                most: MOST,
            });
        }
        let vertices: Vec<SVector<f64, D>> = hull.vertices.iter().map(back).collect();
        let mut this = Self {
            around: vec![Around::default(); vertices.len()],
            bounding_radius: 0.0,
            diameter: 0.0,
            cuboid: None,
            vertices,
            faces: Vec::new(),
            corners: Vec::new(),
            edges: Vec::new(),
        };
        for (normal, corners) in &hull.faces {
            let index = this.faces.len();
            for &corner in corners {
                this.around[corner as usize].faces.push(index);
            }
            this.faces.push(Face {
                normal: back(normal),
                offset: 0.0,
                first: this.corners.len(),
                len: corners.len(),
            });
            this.corners.extend(corners);
        }
        this.find_edges();
        this.measure();
        Ok(this)
    }

    /// Every edge once, in the order of its vertices.
    fn find_edges(&mut self) {
        let mut sides = Vec::new();
        for index in 0..self.faces.len() {
            let corners = self.face_vertices(index);
            for (k, &p) in corners.iter().enumerate() {
                let q = corners[(k + 1) % corners.len()];
                sides.push((p.min(q) as usize, p.max(q) as usize, p > q, index));
            }
        }
        sides.sort_unstable();
        for pair in sides.chunks_exact(2) {
            // The face on the left of the way from the lower to the higher vertex comes first.
            let (p, q, _, left) = pair[0];
            let right = pair[1].3;
            let d = self.vertices[q] - self.vertices[p];
            for i in [p, q] {
                self.around[i].edges.push(self.edges.len());
            }
            self.edges.push(Edge {
                vertices: [p, q],
                along: d / d.norm(),
                normals: Some([left, right].map(|face| self.faces[face].normal)),
            });
        }
    }

    /// Offsets, radius and diameter, and whether it is a box.
    fn measure(&mut self) {
        self.cuboid = Cuboid::of(&self.vertices);
        for face in &mut self.faces {
            let heights = self.vertices.iter().map(|x| face.normal.dot(x));
            face.offset = heights.fold(f64::NEG_INFINITY, f64::max);
        }
        self.bounding_radius = self.vertices.iter().map(SVector::norm).fold(0.0, f64::max);
        let pairs = self.vertices.iter().enumerate();
        self.diameter = pairs
            .flat_map(|(i, x)| self.vertices[..i].iter().map(move |y| (x - y).norm()))
            .fold(0.0, f64::max);
    }

    /// Vertices, m.
    pub fn vertices(&self) -> &[SVector<f64, D>] {
        &self.vertices
    }

    /// Number of faces.
    pub fn faces(&self) -> usize {
        self.faces.len()
    }

    /// Outward unit normal of face i.
    ///
    /// # Panics
    /// If there is no such face.
    #[track_caller]
    pub fn face_normal(&self, i: usize) -> &SVector<f64, D> {
        &self.faces[i].normal
    }

    /// Distance of the plane of face i from the origin along its normal, m.
    ///
    /// # Panics
    /// If there is no such face.
    #[track_caller]
    pub fn face_offset(&self, i: usize) -> f64 {
        self.faces[i].offset
    }

    /// Indices of the vertices of face i, counter-clockwise seen from outside.
    ///
    /// # Panics
    /// If there is no such face.
    #[track_caller]
    pub fn face_vertices(&self, i: usize) -> &[u32] {
        let face = &self.faces[i];
        &self.corners[face.first..face.first + face.len]
    }

    /// Indices of the two vertices of every edge, the lower first.
    pub fn edges(&self) -> impl ExactSizeIterator<Item = [usize; 2]> + '_ {
        self.edges.iter().map(|edge| edge.vertices)
    }

    /// Indices of the faces at vertex i.
    ///
    /// # Panics
    /// If there is no such vertex.
    #[track_caller]
    pub fn faces_at(&self, i: usize) -> &[usize] {
        &self.around[i].faces
    }

    /// Indices of the vertices next to vertex i.
    ///
    /// # Panics
    /// If there is no such vertex.
    #[track_caller]
    pub fn neighbours(&self, i: usize) -> impl Iterator<Item = usize> + '_ {
        let edges = self.around[i].edges.iter();
        edges.map(move |&edge| self.edges[edge].vertices.iter().sum::<usize>() - i)
    }

    /// Largest distance of a point from the body's origin, m.
    pub fn bounding_radius(&self) -> f64 {
        self.bounding_radius
    }

    /// Largest distance between two points, m.
    pub fn diameter(&self) -> f64 {
        self.diameter
    }

    /// The polytope moved by `shift` (m) against its body's origin, for instance by minus its centroid.
    #[must_use]
    pub fn translated(&self, shift: &SVector<f64, D>) -> Self {
        let mut moved = self.clone();
        moved.vertices.iter_mut().for_each(|x| *x += shift);
        moved.measure();
        moved
    }

    /// Vertices of the outline seen against `direction` (any positive length), counter-clockwise for one who looks along
    /// minus `direction`.
    ///
    /// # Panics
    /// If `direction` is zero or not finite.
    #[track_caller]
    pub fn outline(&self, direction: &SVector<f64, D>) -> Vec<u32> {
        let unit = crate::direction::direction(direction).filter(|(n, _)| n[0].is_finite());
        let (n, _) = unit.expect("a direction that is finite and not zero");
        let [s, t] = crate::direction::tangents(&n);
        let seen = |x: &SVector<f64, D>| [s.dot(x), t.dot(x)];
        let mut flat: Vec<_> = self.vertices.iter().map(seen).zip(0..).collect();
        ring(&mut flat, 1e-12 * self.diameter)
    }

    pub(crate) fn face_list(&self) -> &[Face<D>] {
        &self.faces
    }

    pub(crate) fn edge_list(&self) -> &[Edge<D>] {
        &self.edges
    }

    /// The box that it is, if it is one along the body's axes.
    pub(crate) fn as_cuboid(&self) -> Option<&Cuboid<D>> {
        self.cuboid.as_ref()
    }

    fn support_index(&self, m: &SVector<f64, D>) -> usize {
        let mut best = (0, m.dot(&self.vertices[0]));
        for (i, x) in self.vertices.iter().enumerate().skip(1) {
            let height = m.dot(x);
            if height > best.1 {
                best = (i, height);
            }
        }
        best.0
    }

    fn highest(&self, x: &SVector<f64, D>) -> usize {
        let height = |i: usize| self.faces[i].normal.dot(x) - self.faces[i].offset;
        (1..self.faces.len()).fold(0, |best, i| if height(i) > height(best) { i } else { best })
    }
}

fn in_space<const D: usize>(x: &SVector<f64, D>) -> Vector3<f64> {
    Vector3::from_fn(|i, _| x[i])
}

fn back<const D: usize>(x: &Vector3<f64>) -> SVector<f64, D> {
    SVector::from_fn(|i, _| x[i])
}

impl<const D: usize> Surface<D> for Polytope<D> {
    fn value(&self, x: &SVector<f64, D>) -> f64 {
        self.jet(x).value
    }

    fn gradient(&self, x: &SVector<f64, D>) -> SVector<f64, D> {
        self.jet(x).gradient
    }

    fn hessian(&self, _: &SVector<f64, D>) -> SMatrix<f64, D, D> {
        SMatrix::zeros()
    }

    fn jet(&self, x: &SVector<f64, D>) -> Jet<D> {
        self.piece(self.highest(x), x)
    }
}

/// Inequality i is face i.
impl<const D: usize> Boundary<D> for Polytope<D> {
    fn support(&self, m: &SVector<f64, D>) -> SVector<f64, D> {
        self.vertices[self.support_index(m)]
    }

    fn extent(&self) -> f64 {
        self.bounding_radius
    }

    fn feature(&self, x: &SVector<f64, D>, m: &SVector<f64, D>) -> Feature {
        first_feature(self, x, m)
    }

    fn relation(&self, feature: Feature, x: &SVector<f64, D>, m: &SVector<f64, D>) -> Relation<D> {
        relation_of_pieces(self, feature, x, m)
    }

    fn next(
        &self,
        feature: Feature,
        x: &SVector<f64, D>,
        m: &SVector<f64, D>,
        slack: f64,
    ) -> Option<Feature> {
        next_feature(self, feature, x, m, slack)
    }

    fn pieces(&self) -> usize {
        self.faces.len()
    }

    fn piece(&self, index: usize, x: &SVector<f64, D>) -> Jet<D> {
        let face = &self.faces[index];
        Jet {
            value: face.normal.dot(x) - face.offset,
            gradient: face.normal,
            hessian: SMatrix::zeros(),
        }
    }

    /// The face, or else the edge, at the vertex furthest along m.
    fn facing(&self, m: &SVector<f64, D>) -> Option<Option<Flat<D>>> {
        let vertex = self.support_index(m);
        let mut best: Option<(f64, usize)> = None;
        for &face in &self.around[vertex].faces {
            let cos = self.faces[face].normal.dot(m);
            if cos >= FACING[1] && best.is_none_or(|(most, _)| cos > most) {
                best = Some((cos, face));
            }
        }
        if let Some((_, face)) = best {
            let named = |&i: &u32| (i, self.vertices[i as usize]);
            let corners = self.face_vertices(face).iter().map(named);
            return Some(Some(Flat::of(self.faces[face].normal, corners, true)));
        }
        let mut best: Option<(f64, usize)> = None;
        for &edge in &self.around[vertex].edges {
            let sin = self.edges[edge].along.dot(m).abs();
            if sin <= FACING[0] && best.is_none_or(|(least, _)| sin < least) {
                best = Some((sin, edge));
            }
        }
        let line = best.map(|(_, edge)| {
            let Edge {
                vertices, along, ..
            } = &self.edges[edge];
            let across = m - along * along.dot(m);
            let ends = vertices.map(|i| (u32::try_from(i).unwrap_or(0), self.vertices[i]));
            Flat::of(across / across.norm(), ends.into_iter(), false)
        });
        Some(line)
    }
}
