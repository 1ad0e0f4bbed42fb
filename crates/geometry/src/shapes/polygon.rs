//! Convex polygon in the plane, optionally rounded.

use nalgebra::{SMatrix, SVector, Vector2};

use super::{ShapeError, finite};
use crate::boundary::{
    Boundary, Feature, Relation, first_feature, next_feature, relation_of_pieces,
};
use crate::{Jet, Surface};

/// All points within r ≥ 0 of a convex polygon, in body axes. Only the plane has polygons: `Polygon<3>` has no
/// constructor and so no values.
///
/// Its [`Surface`] is the signed distance to the polygon less r, in m. It has corners inside (on the medial axis),
/// where the derivatives are those of the edge of lowest index; with r = 0 the boundary itself has corners.
///
/// # Examples
/// ```
/// use nalgebra::Vector2;
/// use signorini_geometry::{Polygon, Surface};
/// let square = Polygon::rectangle(2.0, 2.0)?;
/// assert_eq!(square.value(&Vector2::new(4.0, 5.0)), 5.0);          // next to the corner (1, 1)
/// assert_eq!(square.bounding_radius(), 2f64.sqrt());
/// // Clockwise input is turned round.
/// let triangle = Polygon::new([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0]])?;
/// assert_eq!(triangle.vertices()[1], Vector2::new(1.0, 0.0));
/// # Ok::<(), signorini_geometry::ShapeError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(
        try_from = "super::data::PolygonData<D>",
        into = "super::data::PolygonData<D>"
    )
)]
pub struct Polygon<const D: usize> {
    vertices: Vec<SVector<f64, D>>,
    normals: Vec<SVector<f64, D>>,
    lengths: Vec<f64>,
    radius: f64,
    bounding_radius: f64,
    diameter: f64,
}

impl Polygon<2> {
    /// The polygon of these vertices (m, body axes), in either sense of rotation; kept counter-clockwise from the
    /// first.
    ///
    /// # Errors
    /// [`ShapeError::FewVertices`], [`ShapeError::NotFinite`], and [`ShapeError::NotConvex`] if a corner is straight
    /// (to rounding), reflex or repeated, or the vertices go round more than once.
    pub fn new<P: Into<Vector2<f64>>>(
        vertices: impl IntoIterator<Item = P>,
    ) -> Result<Self, ShapeError> {
        Self::rounded(vertices, 0.0)
    }

    /// The same, grown by `radius` ≥ 0 (m) on all sides.
    ///
    /// # Errors
    /// As [`Polygon::new`]; [`ShapeError::Negative`] for the radius.
    pub fn rounded<P: Into<Vector2<f64>>>(
        vertices: impl IntoIterator<Item = P>,
        radius: f64,
    ) -> Result<Self, ShapeError> {
        Self::build(vertices.into_iter().map(Into::into).collect(), radius)
    }

    /// The rectangle of these side lengths (m) about the origin.
    ///
    /// # Errors
    /// [`ShapeError::NotPositive`].
    pub fn rectangle(width: f64, height: f64) -> Result<Self, ShapeError> {
        let (x, y) = (
            0.5 * super::positive("width", width)?,
            0.5 * super::positive("height", height)?,
        );
        Self::new([[-x, -y], [x, -y], [x, y], [-x, y]])
    }

    /// The regular polygon of `sides` vertices on the circle of radius `circumradius` (m), the first on the x axis.
    ///
    /// # Errors
    /// [`ShapeError::NotPositive`], [`ShapeError::FewVertices`].
    pub fn regular(sides: usize, circumradius: f64) -> Result<Self, ShapeError> {
        let radius = super::positive("circumradius", circumradius)?;
        let step = std::f64::consts::TAU / sides as f64;
        Self::new((0..sides).map(|i| {
            let (sin, cos) = (step * i as f64).sin_cos();
            [radius * cos, radius * sin]
        }))
    }
}

impl<const D: usize> Polygon<D> {
    /// The only way to a polygon, written for any D so that reading one from data can be refused rather than missing.
    pub(crate) fn build(
        mut vertices: Vec<SVector<f64, D>>,
        radius: f64,
    ) -> Result<Self, ShapeError> {
        if D != 2 {
            return Err(ShapeError::NotPlanar { dimension: D });
        }
        if vertices.len() < 3 {
            return Err(ShapeError::FewVertices {
                found: vertices.len(),
            });
        }
        for &x in vertices.iter().flatten() {
            finite("vertex", x)?;
        }
        if finite("radius", radius)? < 0.0 {
            return Err(ShapeError::Negative {
                what: "radius",
                value: radius,
            });
        }
        let n = vertices.len();
        let clockwise = (1..n - 1)
            .map(|i| {
                cross(
                    &(vertices[i] - vertices[0]),
                    &(vertices[i + 1] - vertices[0]),
                )
            })
            .sum::<f64>()
            < 0.0;
        if clockwise {
            vertices[1..].reverse();
        }
        let index_given = |i: usize| if clockwise && i > 0 { n - i } else { i };
        let edges: Vec<_> = (0..n)
            .map(|i| vertices[(i + 1) % n] - vertices[i])
            .collect();
        let mut turned = 0.0;
        for i in 0..n {
            let (before, after) = (&edges[(i + n - 1) % n], &edges[i]);
            let turn = cross(before, after);
            // A corner flatter than rounding can tell has no normal cone; NaN cannot occur, the input is finite.
            if turn <= STRAIGHT * before.norm() * after.norm() {
                return Err(ShapeError::NotConvex {
                    index: index_given(i),
                });
            }
            turned += turn.atan2(before.dot(after));
        }
        // Every corner turns left; going round more than once (a pentagram) shows in the sum.
        if turned > 1.5 * std::f64::consts::TAU {
            return Err(ShapeError::NotConvex { index: 0 });
        }
        let lengths: Vec<_> = edges.iter().map(SVector::norm).collect();
        let normals = edges
            .iter()
            .map(quarter_turn_clockwise)
            .map(|e| e.normalize())
            .collect();
        let farthest = vertices.iter().map(SVector::norm).fold(0.0, f64::max);
        let diameter = widest(&vertices, &edges) + 2.0 * radius;
        Ok(Self {
            vertices,
            normals,
            lengths,
            radius,
            bounding_radius: farthest + radius,
            diameter,
        })
    }

    /// Vertices of the core, counter-clockwise, m.
    pub fn vertices(&self) -> &[SVector<f64, D>] {
        &self.vertices
    }

    /// Outward unit normals; edge i runs from vertex i to vertex i + 1.
    pub fn normals(&self) -> &[SVector<f64, D>] {
        &self.normals
    }

    /// Edge lengths, m.
    pub fn lengths(&self) -> &[f64] {
        &self.lengths
    }

    /// Rounding radius r, m.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// Largest distance of a point from the body's origin, m.
    pub fn bounding_radius(&self) -> f64 {
        self.bounding_radius
    }

    /// Largest distance between two points, m.
    pub fn diameter(&self) -> f64 {
        self.diameter
    }

    /// The polygon moved by `shift` (m) against its body's origin, for instance by minus its centroid.
    #[must_use]
    pub fn translated(&self, shift: &SVector<f64, D>) -> Self {
        let mut moved = self.clone();
        moved.vertices.iter_mut().for_each(|x| *x += shift);
        moved.bounding_radius =
            moved.vertices.iter().map(SVector::norm).fold(0.0, f64::max) + self.radius;
        moved
    }

    /// Where x is next to the core: the edge's plane, or the vertex if x lies beyond the edge's ends.
    fn nearest(&self, x: &SVector<f64, D>) -> Nearest {
        let height = |i: usize| self.normals[i].dot(&(x - self.vertices[i]));
        let n = self.vertices.len();
        let highest = (1..n).fold(0, |best, i| if height(i) > height(best) { i } else { best });
        if height(highest) <= 0.0 {
            return Nearest::Edge(highest);
        }
        let distance = |i: usize| {
            let (start, end) = (&self.vertices[i], &self.vertices[(i + 1) % n]);
            let along = (end - start).dot(&(x - start)) / self.lengths[i].powi(2);
            (x - start - (end - start) * along.clamp(0.0, 1.0)).norm_squared()
        };
        let edge = (1..n).fold(0, |best, i| {
            if distance(i) < distance(best) {
                i
            } else {
                best
            }
        });
        let (start, end) = (&self.vertices[edge], &self.vertices[(edge + 1) % n]);
        if (end - start).dot(&(x - start)) <= 0.0 {
            Nearest::Vertex(edge)
        } else if (start - end).dot(&(x - end)) <= 0.0 {
            Nearest::Vertex((edge + 1) % n)
        } else {
            Nearest::Edge(edge)
        }
    }
}

/// Sine of the smallest turn at a corner: some units of rounding of the edge directions.
const STRAIGHT: f64 = 1e-14;

enum Nearest {
    Edge(usize),
    Vertex(usize),
}

impl<const D: usize> Surface<D> for Polygon<D> {
    fn value(&self, x: &SVector<f64, D>) -> f64 {
        self.jet(x).value
    }

    fn gradient(&self, x: &SVector<f64, D>) -> SVector<f64, D> {
        self.jet(x).gradient
    }

    fn hessian(&self, x: &SVector<f64, D>) -> SMatrix<f64, D, D> {
        self.jet(x).hessian
    }

    fn jet(&self, x: &SVector<f64, D>) -> Jet<D> {
        let plane = |i: usize| Jet {
            value: self.normals[i].dot(&(x - self.vertices[i])) - self.radius,
            gradient: self.normals[i],
            hessian: SMatrix::zeros(),
        };
        match self.nearest(x) {
            Nearest::Edge(i) => plane(i),
            Nearest::Vertex(i) => {
                let d = x - self.vertices[i];
                let distance = d.norm();
                if distance == 0.0 {
                    return plane(i);
                }
                let n = d / distance;
                let hessian = (SMatrix::identity() - n * n.transpose()) / distance;
                Jet {
                    value: distance - self.radius,
                    gradient: n,
                    hessian,
                }
            }
        }
    }
}

/// z component of a × b for vectors of the plane.
pub(crate) fn cross<const D: usize>(a: &SVector<f64, D>, b: &SVector<f64, D>) -> f64 {
    a[0] * b[1] - a[1] * b[0]
}

/// The outward direction of an edge that runs counter-clockwise.
pub(crate) fn quarter_turn_clockwise<const D: usize>(edge: &SVector<f64, D>) -> SVector<f64, D> {
    let mut normal = SVector::zeros();
    (normal[0], normal[1]) = (edge[1], -edge[0]);
    normal
}

/// The core: an intersection of half-planes, one per side.
impl<const D: usize> Boundary<D> for Polygon<D> {
    fn support(&self, m: &SVector<f64, D>) -> SVector<f64, D> {
        let mut best = self.vertices[0];
        let mut height = m.dot(&best);
        for vertex in &self.vertices[1..] {
            let other = m.dot(vertex);
            if other > height {
                (best, height) = (*vertex, other);
            }
        }
        best
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
        self.normals.len()
    }

    fn piece(&self, index: usize, x: &SVector<f64, D>) -> Jet<D> {
        let normal = self.normals[index];
        Jet {
            value: normal.dot(&(x - self.vertices[index])),
            gradient: normal,
            hessian: SMatrix::zeros(),
        }
    }
}

/// Largest distance of two vertices: calipers that turn once around, each edge with the vertex that is furthest from it.
fn widest<const D: usize>(vertices: &[SVector<f64, D>], edges: &[SVector<f64, D>]) -> f64 {
    let n = vertices.len();
    let (mut opposite, mut most) = (1, 0f64);
    for (i, edge) in edges.iter().enumerate() {
        while cross(edge, &edges[opposite]) > 0.0 {
            opposite = (opposite + 1) % n;
        }
        // The neighbours too: an edge may be parallel but for rounding.
        for from in [i, (i + 1) % n] {
            for to in [opposite + n - 1, opposite, opposite + 1] {
                most = most.max((vertices[from] - vertices[to % n]).norm());
            }
        }
    }
    most
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector2;

    use super::*;

    #[test]
    fn calipers_find_the_widest_pair() {
        // Points of an ellipse at uneven angles, and a cone with a round top.
        for (n, long) in [(3, 1.0), (7, 1.0), (40, 3.0), (200, 0.2)] {
            let round = (0..n).map(|i| {
                let part = f64::from(i) / f64::from(n);
                let angle = std::f64::consts::TAU * part * (0.7 + 0.3 * part);
                Vector2::new(long * angle.cos(), angle.sin())
            });
            let top = (0..n).map(|i| {
                let angle = 0.5 + 2.0 * f64::from(i) / f64::from(n);
                Vector2::new(angle.cos(), angle.sin())
            });
            let cone = std::iter::once(Vector2::new(0.0, -long - 1.0)).chain(top);
            for vertices in [round.collect::<Vec<_>>(), cone.collect()] {
                let polygon = Polygon::new(vertices).unwrap();
                let of = |x: &Vector2<f64>| {
                    let lengths = polygon.vertices().iter().map(|y| (x - y).norm());
                    lengths.fold(0.0, f64::max)
                };
                let widest = polygon.vertices().iter().map(of).fold(0.0, f64::max);
                assert!((polygon.diameter() - widest).abs() < 1e-15, "{n} {long}");
            }
        }
    }
}
