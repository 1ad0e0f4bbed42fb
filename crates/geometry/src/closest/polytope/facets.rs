//! The facets of the Minkowski difference, and the one that separates most.

use nalgebra::SVector;

use super::solid::Couple;
use super::{FLUSH, Found, Meeting, TOLERANCE};

/// A facet, with the separation along its normal.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facet<const D: usize> {
    pub(super) n: SVector<f64, D>,
    pub(super) distance: f64,
    kind: Kind,
    /// Whether a facet with another normal separates as much.
    pub(super) tied: bool,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    /// Face of body 0 or 1 and the vertex of the other that is next to its plane.
    Face(usize, usize, usize),
    /// An edge of each.
    Edges(usize, usize),
}

/// Normals this far apart are different, rad.
const DIFFERENT: f64 = 1e-6;

/// By how much, relative to the size, a facet must separate more than an earlier one: rounding would choose otherwise.
const TIE: f64 = 1e-14;

/// Sine of the angle between edges whose facet is too thin to have a normal.
const PARALLEL: f64 = 1e-12;

impl<const D: usize> Couple<'_, D> {
    /// The facet that separates most; faces of A before faces of B before edges where they tie.
    pub(super) fn facet(&self) -> Option<Facet<D>> {
        let mut best: Option<Facet<D>> = None;
        for owner in [0, 1] {
            self.faces(owner, &mut best);
        }
        self.edges(&mut best);
        best
    }

    fn offer(&self, best: &mut Option<Facet<D>>, n: SVector<f64, D>, distance: f64, kind: Kind) {
        let mut tied = false;
        if let Some(known) = best {
            let more = distance - known.distance;
            let other = || (n - known.n).norm_squared() > DIFFERENT * DIFFERENT;
            if more.abs() <= TOLERANCE * self.size && other() {
                known.tied = true;
                tied = true;
            }
            if more <= TIE * self.size {
                return;
            }
        }
        *best = Some(Facet {
            n,
            distance,
            kind,
            tied,
        });
    }

    /// Faces of one body and vertices of the other.
    fn faces(&self, owner: usize, best: &mut Option<Facet<D>>) {
        let other = &self.solids[1 - owner];
        for (index, face) in self.solids[owner].faces.iter().enumerate() {
            let outward = self.outward(owner, &face.normal);
            let along = self.own(1 - owner, &outward);
            let mut lowest = (0, f64::INFINITY);
            for (i, x) in other.vertices.iter().enumerate() {
                let height = along.dot(x);
                if height < lowest.1 {
                    lowest = (i, height);
                }
            }
            let between = outward.dot(&self.shift);
            let (n, shift) = if owner == 0 {
                (outward, between)
            } else {
                (-outward, -between)
            };
            let distance = lowest.1 - face.offset + shift;
            self.offer(best, n, distance, Kind::Face(owner, index, lowest.0));
        }
    }

    /// Edges whose arcs of normals cross.
    fn edges(&self, best: &mut Option<Facet<D>>) {
        for (j, edge_b) in self.solids[1].edges.iter().enumerate() {
            let v = self.turn * edge_b.along;
            let of_b = edge_b
                .normals
                .map(|normals| normals.map(|normal| self.turn * normal));
            let y = self.vertex(1, edge_b.vertices[0]);
            for (i, edge_a) in self.solids[0].edges.iter().enumerate() {
                let u = &edge_a.along;
                let Some(n) = crossing([u, &v], [&edge_a.normals, &of_b]) else {
                    continue;
                };
                let x = &self.solids[0].vertices[edge_a.vertices[0]];
                let sine = n.norm();
                let height = n.dot(&(y - x));
                // The separation is n·(y − x)/|n|; most are far from the best.
                if sine <= PARALLEL
                    || best.as_ref().is_some_and(|known| {
                        height < (known.distance - TOLERANCE * self.size) * sine
                    })
                {
                    continue;
                }
                // The part along the edges is rounding, and the sine would divide it.
                let n = n / sine;
                let n = n - u * u.dot(&n);
                let n = n / n.norm();
                // Rounding may have let in a pair that is no facet: its separation is less.
                self.offer(best, n, self.separation(&n), Kind::Edges(i, j));
            }
        }
    }

    /// The points of a facet at its distance, if the origin is over it to `slack` in m.
    pub(super) fn over(&self, facet: &Facet<D>, slack: f64) -> Option<Found<D>> {
        let (n, distance) = (facet.n, facet.distance);
        match facet.kind {
            Kind::Face(owner, face, vertex) => {
                let x = self.vertex(1 - owner, vertex);
                let inside = self.solids[owner].spans(face, &self.own_point(owner, &x), slack);
                let [a, b] = if owner == 0 {
                    [x - n * distance, x]
                } else {
                    [x, x + n * distance]
                };
                inside.then_some(Found {
                    a,
                    b,
                    n,
                    distance,
                    meeting: Meeting::Vertex(1 - owner, vertex),
                })
            }
            Kind::Edges(i, j) => {
                let (a, b) = self.cross(&n, [i, j], slack)?;
                Some(Found {
                    a,
                    b,
                    n,
                    distance,
                    meeting: self.meeting_of_edges([i, j]),
                })
            }
        }
    }

    pub(super) fn meeting_of_edges(&self, [i, j]: [usize; 2]) -> Meeting {
        Meeting::Both([
            self.solids[0].edges[i].vertices[0],
            self.solids[1].edges[j].vertices[0],
        ])
    }

    /// The points at which two edges cross, seen along n, if they lie on both to `slack` in m.
    pub(super) fn cross(
        &self,
        n: &SVector<f64, D>,
        [i, j]: [usize; 2],
        slack: f64,
    ) -> Option<(SVector<f64, D>, SVector<f64, D>)> {
        let [edge_a, edge_b] = [&self.solids[0].edges[i], &self.solids[1].edges[j]];
        let [x, p] = edge_a.vertices.map(|k| self.vertex(0, k));
        let [y, q] = edge_b.vertices.map(|k| self.vertex(1, k));
        let (u, v) = (edge_a.along, self.outward(1, &edge_b.along));
        let area = n.dot(&u.cross(&v));
        if area.abs() <= PARALLEL {
            return None;
        }
        let apart = y - x;
        let (s, t) = (
            n.dot(&apart.cross(&v)) / area,
            n.dot(&apart.cross(&u)) / area,
        );
        let within = |at: f64, from: &SVector<f64, D>, to: &SVector<f64, D>| {
            at >= -slack && at <= (to - from).norm() + slack
        };
        (within(s, &x, &p) && within(t, &y, &q)).then(|| (x + u * s, y + v * t))
    }

    /// A vertex of a body and the point of a face of the other that lies along n from it, as points of A and of B.
    fn along(
        &self,
        n: &SVector<f64, D>,
        [owner, vertex, face]: [usize; 3],
    ) -> Option<[SVector<f64, D>; 2]> {
        let other = &self.solids[1 - owner];
        let x = self.vertex(owner, vertex);
        let own = self.own_point(1 - owner, &x);
        let outward = &other.faces[face].normal;
        let height = outward.dot(&own) - other.faces[face].offset;
        let foot = x - n * (height / self.own(1 - owner, n).dot(outward));
        let inside = other.spans(
            face,
            &self.own_point(1 - owner, &foot),
            TOLERANCE * self.size,
        );
        inside.then_some(if owner == 0 { [x, foot] } else { [foot, x] })
    }

    /// The points of a facet whose faces or edges lie flush on those of another, so that the vertex at hand is not over
    /// it though others are.
    pub(super) fn flush(&self, facet: &Facet<D>) -> Option<Found<D>> {
        let (n, distance) = (facet.n, facet.distance);
        let sides = [self.extreme(0, &n, FLUSH)?, self.extreme(1, &-n, FLUSH)?];
        let slack = TOLERANCE * self.size;
        let found = |a, b, meeting| Found {
            a,
            b,
            n,
            distance,
            meeting,
        };
        for owner in [0, 1] {
            for face in sides[1 - owner].faces(&self.solids[1 - owner]) {
                for &vertex in sides[owner].vertices() {
                    let points = self.along(&n, [owner, vertex, face]);
                    let found = points.map(|[a, b]| found(a, b, Meeting::Vertex(owner, vertex)));
                    if let Some(found) = found.filter(|found| self.certifies(found)) {
                        return Some(found);
                    }
                }
            }
        }
        for i in sides[0].edges(&self.solids[0]) {
            for j in sides[1].edges(&self.solids[1]) {
                let points = self.cross(&n, [i, j], slack);
                let found = points.map(|(a, b)| found(a, b, self.meeting_of_edges([i, j])));
                if let Some(found) = found.filter(|found| self.certifies(found)) {
                    return Some(found);
                }
            }
        }
        None
    }
}

/// u × v, away from A, if the arcs of normals of two edges along u of A and v of B cross; an edge without faces has a whole
/// circle of normals.
///
/// Source: D. Gregorius, The separating axis test between convex polyhedra, Game Developers Conference 2013.
fn crossing<const D: usize>(
    [u, v]: [&SVector<f64, D>; 2],
    normals: [&Option<[SVector<f64, D>; 2]>; 2],
) -> Option<SVector<f64, D>> {
    match normals {
        [Some([a0, a1]), Some([b0, b1])] => {
            let (x0, x1) = (b0.dot(u), b1.dot(u));
            if x0 * x1 >= 0.0 {
                return None;
            }
            let (y0, y1) = (a0.dot(v), a1.dot(v));
            // The arcs of A and of −B on the same side of the sphere.
            if y0 * y1 >= 0.0 || x0 * y1 >= 0.0 {
                return None;
            }
            let n = u.cross(v);
            Some(if n.dot(&(a0 + a1)) < 0.0 { -n } else { n })
        }
        [Some([a0, a1]), None] => {
            let n = u.cross(v);
            (a0.dot(v) * a1.dot(v) < 0.0).then(|| if n.dot(&(a0 + a1)) < 0.0 { -n } else { n })
        }
        [None, Some([b0, b1])] => {
            let n = u.cross(v);
            (b0.dot(u) * b1.dot(u) < 0.0).then(|| if n.dot(&(b0 + b1)) > 0.0 { -n } else { n })
        }
        [None, None] => None,
    }
}
