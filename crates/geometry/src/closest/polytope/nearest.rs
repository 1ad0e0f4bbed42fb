//! The closest features near the support planes of a direction, by looking at all of them.

use nalgebra::SVector;

use super::solid::{Couple, Solid};
use super::{Found, Meeting, NEARLY, TOLERANCE};
use crate::direction::direction;

/// Vertices near a support plane at most; round bodies with more have another search.
const MOST: usize = 64;

/// By how much, relative to the size, smaller features must be nearer than larger ones: rounding would choose otherwise.
const TIE: f64 = 1e-14;

/// The vertices of a solid near its support plane, and what is between them.
pub(super) struct Extreme<const D: usize> {
    list: [usize; MOST],
    count: usize,
    m: SVector<f64, D>,
    level: f64,
}

impl<const D: usize> Extreme<D> {
    pub(super) fn vertices(&self) -> &[usize] {
        &self.list[..self.count]
    }

    fn has(&self, solid: &Solid<'_, D>, i: usize) -> bool {
        self.m.dot(&solid.vertices[i]) >= self.level
    }

    pub(super) fn edges<'a>(&'a self, solid: &'a Solid<'_, D>) -> impl Iterator<Item = usize> + 'a {
        let all = solid.edges.iter().enumerate();
        all.filter(|(_, edge)| edge.vertices.iter().all(|&i| self.has(solid, i)))
            .map(|(index, _)| index)
    }

    pub(super) fn faces<'a>(&'a self, solid: &'a Solid<'_, D>) -> impl Iterator<Item = usize> + 'a {
        (0..solid.faces.len()).filter(|&face| {
            let mut corners = solid.corners(face).iter();
            corners.all(|&i| self.has(solid, i as usize))
        })
    }
}

impl<const D: usize> Couple<'_, D> {
    /// The vertices of body k within `depth`, relative to the size, of its support plane along n; `None` if they are many.
    pub(super) fn extreme(&self, k: usize, n: &SVector<f64, D>, depth: f64) -> Option<Extreme<D>> {
        let m = self.own(k, n);
        let solid = &self.solids[k];
        let mut out = Extreme {
            list: [0; MOST],
            count: 0,
            m,
            level: solid.height(&m) - depth * self.size,
        };
        for i in 0..solid.vertices.len() {
            if out.has(solid, i) {
                if out.count == MOST {
                    return None;
                }
                out.list[out.count] = i;
                out.count += 1;
            }
        }
        Some(out)
    }

    /// The closest points of bodies that are apart, from a direction that is nearly the normal.
    pub(super) fn nearest(&self, n: &SVector<f64, D>) -> Option<Found<D>> {
        let sides = [self.extreme(0, n, NEARLY)?, self.extreme(1, &-n, NEARLY)?];
        let mut best: Option<Found<D>> = None;
        let mut offer = |found: Option<Found<D>>| {
            let Some(found) = found else { return };
            let is_better = best.as_ref().is_none_or(|known| {
                let nearer = known.distance - found.distance;
                // Of features as near, those of which only one is extreme along the normal: the certificate tells.
                let ties = || {
                    nearer.abs() <= self.slack() && !self.certifies(known) && self.certifies(&found)
                };
                nearer > TIE * self.size || ties()
            });
            if is_better {
                best = Some(found);
            }
        };
        for owner in [0, 1] {
            for face in sides[1 - owner].faces(&self.solids[1 - owner]) {
                for &vertex in sides[owner].vertices() {
                    offer(self.over_face(owner, vertex, face));
                }
            }
        }
        for i in sides[0].edges(&self.solids[0]) {
            for j in sides[1].edges(&self.solids[1]) {
                offer(self.between_edges([i, j]));
            }
        }
        for owner in [0, 1] {
            for edge in sides[1 - owner].edges(&self.solids[1 - owner]) {
                for &vertex in sides[owner].vertices() {
                    offer(self.over_edge(owner, vertex, edge));
                }
            }
        }
        for &i in sides[0].vertices() {
            for &j in sides[1].vertices() {
                let (a, b) = (self.vertex(0, i), self.vertex(1, j));
                offer(found([a, b], &(b - a), Meeting::Both([i, j])));
            }
        }
        best
    }

    /// A vertex over a face of the other body.
    fn over_face(&self, owner: usize, vertex: usize, face: usize) -> Option<Found<D>> {
        let other = &self.solids[1 - owner];
        let x = self.vertex(owner, vertex);
        let own = self.own_point(1 - owner, &x);
        let height = other.faces[face].normal.dot(&own) - other.faces[face].offset;
        if height <= 0.0 || !other.spans(face, &own, TOLERANCE * self.size) {
            return None;
        }
        let outward = self.outward(1 - owner, &other.faces[face].normal);
        let foot = x - outward * height;
        let (n, [a, b]) = if owner == 0 {
            (-outward, [x, foot])
        } else {
            (outward, [foot, x])
        };
        Some(Found {
            a,
            b,
            n,
            distance: height,
            meeting: Meeting::Vertex(owner, vertex),
        })
    }

    /// Two edges that pass each other.
    fn between_edges(&self, edges: [usize; 2]) -> Option<Found<D>> {
        let [edge_a, edge_b] = [0, 1].map(|k| &self.solids[k].edges[edges[k]]);
        let across = edge_a.along.cross(&self.outward(1, &edge_b.along));
        let (n, sine) = direction(&across)?;
        let (a, b) = self.cross(&n, edges, TOLERANCE * self.size)?;
        let meeting = self.meeting_of_edges(edges);
        // Rounding turns the difference by ε size/distance and the cross product by ε/sine.
        if (b - a).norm() >= sine * self.size {
            return found([a, b], &(b - a), meeting);
        }
        let n = n - edge_a.along * edge_a.along.dot(&n);
        let (n, _) = direction(&n)?;
        let height = n.dot(&(b - a));
        Some(Found {
            a,
            b,
            n: if height < 0.0 { -n } else { n },
            distance: height.abs(),
            meeting,
        })
    }

    /// A vertex over the inside of an edge of the other body.
    fn over_edge(&self, owner: usize, vertex: usize, edge: usize) -> Option<Found<D>> {
        let other = &self.solids[1 - owner].edges[edge];
        let x = self.vertex(owner, vertex);
        let [from, to] = other.vertices.map(|i| self.vertex(1 - owner, i));
        let along = self.outward(1 - owner, &other.along);
        let at = along.dot(&(x - from));
        if !(0.0..=(to - from).norm()).contains(&at) {
            return None;
        }
        let foot = from + along * at;
        // The part along the edge is rounding, and the length would multiply it.
        let off = x - foot;
        let off = off - along * along.dot(&off);
        let (points, towards) = if owner == 0 {
            ([x, foot], -off)
        } else {
            ([foot, x], off)
        };
        found(points, &towards, Meeting::Vertex(owner, vertex))
    }
}

fn found<const D: usize>(
    [a, b]: [SVector<f64, D>; 2],
    towards: &SVector<f64, D>,
    meeting: Meeting,
) -> Option<Found<D>> {
    let (n, distance) = direction(towards)?;
    Some(Found {
        a,
        b,
        n,
        distance,
        meeting,
    })
}
