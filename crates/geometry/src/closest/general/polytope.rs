//! The least translation that separates two cores, by a polytope of support points.
//!
//! ```math
//! \min_{|m| = 1} h(m), \qquad h(m) = \max_{x \in A - B} m \cdot x
//! ```
//!
//! # Method
//! The hull of support points lies inside A − B: the distance of each of its facets from the origin bounds h from below
//! near the facet's normal, and h at the normal from above. Support points are added at the facet with the least
//! distance. Where A − B is flat the two bounds meet. Where it is curved, a local search started from the normal ends
//! it: a facet whose distance is below the best depth known is closed once its local search has been run.
//!
//! # References
//! - G. van den Bergen, Collision Detection in Interactive 3D Environments, Morgan Kaufmann 2003, section 4.3
//!   (expanding polytope).

use nalgebra::SVector;

use super::pair::{Difference, Pair};
use crate::direction::{direction, tangents};

/// Vertices of the polytope at most.
const VERTICES: usize = 128;

/// Facets at most: 2 V − 4 in space, and room for those that are removed when their place is taken again.
const FACETS: usize = 2 * VERTICES;

/// Heights above a facet that are rounding, relative to the size.
const FLAT: f64 = 1e-14;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Facet<const D: usize> {
    corners: [u8; 3],
    /// Out of A − B.
    pub(crate) normal: SVector<f64, D>,
    /// Distance of the facet from the origin, a lower bound of the depth near the normal.
    pub(crate) distance: f64,
    pub(crate) closed: bool,
}

/// Hull of support points of A − B.
#[derive(Debug)]
pub(crate) struct Polytope<const D: usize> {
    vertices: [Difference<D>; VERTICES],
    len: usize,
    facets: [Facet<D>; FACETS],
    count: usize,
    centre: SVector<f64, D>,
    size: f64,
}

impl<const D: usize> Polytope<D> {
    /// A simplex of support points; `None` if A − B is flat.
    pub(crate) fn new(pair: &Pair<'_, D>) -> Option<Self> {
        let empty = Facet {
            corners: [0; 3],
            normal: SVector::zeros(),
            distance: 0.0,
            closed: false,
        };
        let mut this = Self {
            vertices: [Difference::zero(); VERTICES],
            len: 0,
            facets: [empty; FACETS],
            count: 0,
            centre: SVector::zeros(),
            size: pair.size,
        };
        let point = |m: &SVector<f64, D>| pair.nearest(m);
        // The longest of the axes' extents, then what is furthest from it, then from the plane.
        let axis = |i: usize| SVector::<f64, D>::from_fn(|j, _| f64::from(u8::from(i == j)));
        let mut best: Option<(f64, [Difference<D>; 2])> = None;
        for i in 0..D {
            let ends = [point(&axis(i)), point(&-axis(i))];
            let length = (ends[0].vector() - ends[1].vector()).norm();
            if best.is_none_or(|(longest, _)| length > longest) {
                best = Some((length, ends));
            }
        }
        let (_, ends) = best?;
        this.push_vertex(ends[0]);
        this.push_vertex(ends[1]);
        let (along, _) = direction(&(ends[1].vector() - ends[0].vector()))?;
        let basis = tangents(&along);
        let third = this.furthest(basis[..D - 1].iter().copied(), &point, |x, w0| {
            let off = x - w0;
            (off - along * along.dot(&off)).norm()
        })?;
        this.push_vertex(third);
        if D == 3 {
            let w: [SVector<f64, D>; 3] = [0, 1, 2].map(|i| this.vector(i));
            let (normal, _) = direction(&(w[1] - w[0]).cross(&(w[2] - w[0])))?;
            let fourth = this.furthest([normal].into_iter(), &point, |x, w0| {
                normal.dot(&(x - w0)).abs()
            })?;
            this.push_vertex(fourth);
        }
        let all: SVector<f64, D> = (0..this.len).map(|i| this.vector(i)).sum();
        this.centre = all / this.len as f64;
        for left_out in 0..=D {
            let mut corners = [0; 3];
            for (slot, i) in corners.iter_mut().zip((0..=D).filter(|&i| i != left_out)) {
                *slot = u8::try_from(i).expect("a simplex is small");
            }
            this.push_facet(corners);
        }
        Some(this)
    }

    /// Of the support points along and against some directions, the one that is furthest off.
    fn furthest(
        &self,
        directions: impl Iterator<Item = SVector<f64, D>>,
        point: &dyn Fn(&SVector<f64, D>) -> Difference<D>,
        off: impl Fn(&SVector<f64, D>, &SVector<f64, D>) -> f64,
    ) -> Option<Difference<D>> {
        let w0 = self.vector(0);
        let mut best = (1e-12 * self.size, None);
        for m in directions {
            for candidate in [point(&m), point(&-m)] {
                let distance = off(&-candidate.vector(), &w0);
                if distance > best.0 {
                    best = (distance, Some(candidate));
                }
            }
        }
        best.1
    }

    /// Vertex i, a point of A − B.
    fn vector(&self, i: usize) -> SVector<f64, D> {
        -self.vertices[i].vector()
    }

    fn push_vertex(&mut self, point: Difference<D>) {
        self.vertices[self.len] = point;
        self.len += 1;
    }

    fn push_facet(&mut self, corners: [u8; 3]) {
        let w = corners.map(|i| self.vector(usize::from(i)));
        let normal = if D == 2 {
            tangents(&(w[1] - w[0]))[0]
        } else {
            (w[1] - w[0]).cross(&(w[2] - w[0]))
        };
        // A sliver without a normal bounds nothing; its neighbours do.
        let Some((normal, _)) = direction(&normal) else {
            return;
        };
        let height = normal.dot(&w[0]);
        let outward = height >= normal.dot(&self.centre);
        let (normal, distance) = if outward {
            (normal, height)
        } else {
            (-normal, -height)
        };
        if self.count < FACETS {
            self.facets[self.count] = Facet {
                corners,
                normal,
                distance,
                closed: false,
            };
            self.count += 1;
        }
    }

    /// Number of vertices.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Whether a support point along the normal of a facet lies on it, to rounding: then it is a face.
    pub(crate) fn is_flat(&self, at: usize, point: &Difference<D>) -> bool {
        let facet = &self.facets[at];
        -facet.normal.dot(&point.vector()) <= facet.distance + FLAT * self.size
    }

    /// Index of the open facet with the least distance.
    pub(crate) fn lowest(&self) -> Option<usize> {
        (0..self.count)
            .filter(|&i| !self.facets[i].closed)
            .min_by(|&i, &j| self.facets[i].distance.total_cmp(&self.facets[j].distance))
    }

    pub(crate) fn facet(&self, i: usize) -> &Facet<D> {
        &self.facets[i]
    }

    pub(crate) fn close(&mut self, i: usize) {
        self.facets[i].closed = true;
    }

    /// Opens all facets again.
    pub(crate) fn reopen(&mut self) {
        for facet in &mut self.facets[..self.count] {
            facet.closed = false;
        }
    }

    /// The points of A and B that make the point of a facet next to the origin (or its middle, if that lies outside).
    pub(crate) fn touch_of(&self, i: usize) -> Difference<D> {
        let facet = &self.facets[i];
        let corners = &facet.corners[..D];
        let foot = facet.normal * facet.distance;
        let w = facet.corners.map(|i| self.vector(usize::from(i)));
        let mut weights = [0.0; 3];
        if D == 2 {
            let along = w[1] - w[0];
            let t = along.dot(&(foot - w[0])) / along.norm_squared();
            weights = [1.0 - t, t, 0.0];
        } else {
            let area = facet.normal.dot(&(w[1] - w[0]).cross(&(w[2] - w[0])));
            for k in 0..3 {
                let (p, q) = (w[(k + 1) % 3] - foot, w[(k + 2) % 3] - foot);
                weights[k] = facet.normal.dot(&p.cross(&q)) / area;
            }
        }
        for weight in &mut weights {
            *weight = weight.clamp(0.0, 1.0);
        }
        let total: f64 = weights[..D].iter().sum();
        if !(total > 0.0 && total.is_finite()) {
            weights = [1.0; 3];
        }
        let total: f64 = weights[..D].iter().sum();
        let mut out = Difference::zero();
        for (&corner, weight) in corners.iter().zip(weights) {
            let vertex = &self.vertices[usize::from(corner)];
            out.a += vertex.a * (weight / total);
            out.b += vertex.b * (weight / total);
        }
        out
    }

    /// Adds a support point found along the normal of facet `at`; false if it lies on the facet, to rounding.
    pub(crate) fn insert(&mut self, point: Difference<D>, at: usize) -> bool {
        if self.is_flat(at, &point) || self.len == VERTICES {
            return false;
        }
        let w = -point.vector();
        // Ridges of the facets that the point sees; those seen once are the horizon.
        let mut ridges: [([u8; 2], bool); 3 * FACETS] = [([0; 2], false); 3 * FACETS];
        let mut found = 0;
        let mut kept = 0;
        for i in 0..self.count {
            let facet = self.facets[i];
            if facet.normal.dot(&w) <= facet.distance {
                self.facets[kept] = facet;
                kept += 1;
                continue;
            }
            for k in 0..D {
                let mut ridge = if D == 2 {
                    [facet.corners[k], u8::MAX]
                } else {
                    [facet.corners[k], facet.corners[(k + 1) % 3]]
                };
                ridge.sort_unstable();
                if let Some(twin) = ridges[..found].iter_mut().find(|other| other.0 == ridge) {
                    twin.1 = false;
                } else {
                    ridges[found] = (ridge, true);
                    found += 1;
                }
            }
        }
        self.count = kept;
        let new = u8::try_from(self.len).expect("a polytope has few vertices");
        self.push_vertex(point);
        for (ridge, once) in &ridges[..found] {
            if *once {
                self.push_facet(
                    [ridge[0], ridge[1], new].map(|i| if i == u8::MAX { new } else { i }),
                );
            }
        }
        true
    }
}
