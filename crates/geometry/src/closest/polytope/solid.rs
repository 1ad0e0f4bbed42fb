//! A point, a segment or a polytope, and two of them in the axes of the first.

use nalgebra::{SMatrix, SVector};

use super::{Found, TOLERANCE, polytope_of, unrounded};
use crate::shapes::{Edge, Face};
use crate::{ConvexSet, Placed, Polytope};

/// Height over a support plane, relative to the coordinates, that is rounding.
const LEVEL: f64 = 1e-14;

/// Sine of the angle between edges that lie on each other.
const PARALLEL: f64 = 1e-9;

/// What a ball or a capsule has instead of lists of its own.
pub(super) struct Store<const D: usize> {
    vertices: [SVector<f64, D>; 2],
    count: usize,
    edge: [Edge<D>; 1],
    pub(super) radius: f64,
}

impl<const D: usize> Store<D> {
    /// `None` for a half-space.
    pub(super) fn new(set: &ConvexSet<D>) -> Option<Self> {
        let radius = set.core()?.1;
        let along = SVector::from_fn(|i, _| if i == 0 { 1.0 } else { 0.0 });
        let (count, half) = match unrounded(set) {
            ConvexSet::Capsule(capsule) => (2, capsule.half_length()),
            _ => (1, 0.0),
        };
        Some(Self {
            vertices: [along * -half, along * half],
            count,
            edge: [Edge {
                vertices: [0, 1],
                along,
                normals: None,
            }],
            radius,
        })
    }
}

/// A point, a segment or a polytope in its own axes.
pub(super) struct Solid<'a, const D: usize> {
    pub(super) vertices: &'a [SVector<f64, D>],
    pub(super) edges: &'a [Edge<D>],
    pub(super) faces: &'a [Face<D>],
    polytope: Option<&'a Polytope<D>>,
}

impl<'a, const D: usize> Solid<'a, D> {
    pub(super) fn new(set: &'a ConvexSet<D>, store: &'a Store<D>) -> Self {
        if let Some((polytope, _)) = polytope_of(set) {
            return Self {
                vertices: polytope.vertices(),
                edges: polytope.edge_list(),
                faces: polytope.face_list(),
                polytope: Some(polytope),
            };
        }
        Self {
            vertices: &store.vertices[..store.count],
            edges: &store.edge[..store.count - 1],
            faces: &[],
            polytope: None,
        }
    }

    pub(super) fn corners(&self, face: usize) -> &'a [u32] {
        self.polytope
            .map_or(&[], |polytope| polytope.face_vertices(face))
    }

    /// Whether a point is over a face, to `slack` in m.
    pub(super) fn spans(&self, face: usize, x: &SVector<f64, D>, slack: f64) -> bool {
        let corners = self.corners(face);
        let normal = &self.faces[face].normal;
        let mut from = self.vertices[corners[corners.len() - 1] as usize];
        corners.iter().all(|&i| {
            let to = self.vertices[i as usize];
            let side = to - from;
            let inward = normal.cross(&side);
            let inside = inward.dot(&(x - from)) >= -slack * side.norm();
            from = to;
            inside
        })
    }

    /// Largest height along m.
    pub(super) fn height(&self, m: &SVector<f64, D>) -> f64 {
        self.vertices
            .iter()
            .map(|x| m.dot(x))
            .fold(f64::NEG_INFINITY, |most, x| if x > most { x } else { most })
    }
}

/// Two solids in the axes of the first.
pub(super) struct Couple<'a, const D: usize> {
    pub(super) solids: [Solid<'a, D>; 2],
    /// Axes of B in those of A.
    pub(super) turn: SMatrix<f64, D, D>,
    /// Origin of B.
    pub(super) shift: SVector<f64, D>,
    /// Length to which errors are relative, m.
    pub(super) size: f64,
}

impl<'a, const D: usize> Couple<'a, D> {
    pub(super) fn new([a, b]: [&Placed<'_, D>; 2], solids: [Solid<'a, D>; 2]) -> Self {
        let [p, q] = [a, b].map(|body| body.set.bounding_radius());
        Self {
            solids,
            turn: a.pose.rotation.tr_mul(&b.pose.rotation),
            shift: a.pose.inverse_rotate(&(b.pose.position - a.pose.position)),
            size: p.max(q),
        }
    }

    pub(super) fn pairs_of_edges(&self) -> usize {
        self.solids[0].edges.len() * self.solids[1].edges.len()
    }

    /// A vertex in the axes of A.
    pub(super) fn vertex(&self, k: usize, i: usize) -> SVector<f64, D> {
        let x = &self.solids[k].vertices[i];
        if k == 0 {
            *x
        } else {
            self.turn * x + self.shift
        }
    }

    /// A direction of body k in the axes of A.
    pub(super) fn outward(&self, k: usize, m: &SVector<f64, D>) -> SVector<f64, D> {
        if k == 0 { *m } else { self.turn * m }
    }

    /// A direction of the axes of A in those of body k.
    pub(super) fn own(&self, k: usize, m: &SVector<f64, D>) -> SVector<f64, D> {
        if k == 0 { *m } else { self.turn.tr_mul(m) }
    }

    /// A point of the axes of A in those of body k.
    pub(super) fn own_point(&self, k: usize, x: &SVector<f64, D>) -> SVector<f64, D> {
        if k == 0 {
            *x
        } else {
            self.turn.tr_mul(&(x - self.shift))
        }
    }

    /// How far B is beyond A along n.
    pub(super) fn separation(&self, n: &SVector<f64, D>) -> f64 {
        let b = -self.solids[1].height(&-self.own(1, n)) + n.dot(&self.shift);
        b - self.solids[0].height(n)
    }

    /// Rounding and tolerance of a distance, m.
    pub(super) fn slack(&self) -> f64 {
        TOLERANCE * self.size + 4.0 * f64::EPSILON * self.shift.norm()
    }

    /// Whether the points are apart along n by the separation of the bodies.
    pub(super) fn certifies(&self, found: &Found<D>) -> bool {
        let slack = self.slack();
        (self.separation(&found.n) - found.distance).abs() <= slack
            && (found.b - found.a - found.n * found.distance).norm() <= slack
    }

    /// Whether faces or parallel edges lie on each other across n.
    pub(super) fn is_free(&self, n: &SVector<f64, D>) -> bool {
        let mut ends = [[0; 2]; 2];
        let mut counts = [0; 2];
        for k in 0..2 {
            let m = self.own(k, &if k == 0 { *n } else { -n });
            let solid = &self.solids[k];
            let level = solid.height(&m) - LEVEL * (self.size + self.shift.norm());
            for (i, x) in solid.vertices.iter().enumerate() {
                if m.dot(x) >= level {
                    if counts[k] < 2 {
                        ends[k][counts[k]] = i;
                    }
                    counts[k] += 1;
                }
            }
            if counts[k] < 2 {
                return false;
            }
        }
        let along = |k: usize| self.vertex(k, ends[k][1]) - self.vertex(k, ends[k][0]);
        counts[0] + counts[1] > 4 || {
            let (d, e) = (along(0), along(1));
            d.cross(&e).norm() <= PARALLEL * d.norm() * e.norm()
        }
    }
}
