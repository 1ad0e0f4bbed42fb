//! Axes that are known to separate most by one point, so that the others need not be looked at.
//!
//! ```math
//! s(m) = \min_{w \in B - A} m \cdot w \le s \cos θ - ε \sin θ
//! ```
//!
//! # Method
//! θ is the angle from the axis, with separation s, to any other direction m. The Minkowski difference has a facet across
//! the axis, in which there is a disc of radius ε about the vector between its points: how far these are inside of the
//! face, or inside of both edges times the sine of their angle. For ε > |s| nothing on the side of the axis separates as much.
//! As deep as the thinnest part of either box the difference has the same disc further along the axis, which excludes the
//! directions on the other side too.
//!
//! # Guarantees and limits
//! ε is asked to exceed 2 |s| by so much that directions at 1e-6 rad separate less by more than ties: an axis that is
//! certain is the one with which a search through all ends. Faces that are nearly parallel and the edges in them may have
//! directions nearer than that, and are compared; where rounding chooses between them they are certain only if the faces share
//! such a disc and are one plane to rounding. Boxes that touch near the border of a face or the end of an edge are not certain.

#![expect(
    clippy::inline_always,
    clippy::needless_bitwise_bool,
    reason = "a query is short: calls, copies and branches that are not foreseen would be much of it"
)]

use super::axes::{Across, Axis, Kind, PARALLEL, TIE};
use super::{Boxes, FACING, NEXT, TOLERANCE, sign};

/// By how much, relative to the size, ε exceeds twice the separation: 1e-6 rad then turn the separation by more than ties.
const CLEAR: f64 = 2e-6;

/// Least sine of the angle of edges whose axis may be certain, and by how many tolerances it must separate more than others near it:
/// much more than rounding over that sine.
const ACROSS: f64 = 0.01;
const LEAD: f64 = 4.0;

/// Sine of the angle of faces in one plane: edges in them have directions within 1e-6 rad of it, and points of both are at one height
/// to much less than `CLEAR`.
const ONE_PLANE: f64 = 1e-9;

/// Part of ε by which the best face may separate less than edges in it. Faces across separate less by 0.37 ε at least: they
/// are at 78° to 102° to the axis, and |s| < ε / 2.
const BELOW: f64 = 0.3;

/// What ε exceeds, in depths, for edges whose crossing is seen along the normal of a face, which is within 6° of theirs: 2 and
/// what that may be off by, the depth times the sine of that angle.
const SEEN: f64 = 2.2;

/// Part of the sine of the angle of edges by which it may shrink while their axis is known to be the best.
const SHRINK: f64 = 0.05;

/// The lesser of two, in one instruction: what is done with NaN is left open.
#[inline(always)]
fn lesser(x: f64, y: f64) -> f64 {
    if x < y { x } else { y }
}

/// Two boxes with the axes turned so that the third is that of a face of each.
struct Faced {
    turn: [[f64; 3]; 3],
    between: [f64; 3],
    p: [f64; 3],
    q: [f64; 3],
}

impl Faced {
    /// `None` if the faces are not nearly parallel.
    #[inline(always)]
    fn new<const D: usize>(boxes: &Boxes<'_, D>, [k, j]: [usize; 2]) -> Option<Self> {
        let ([u, v], [s, t]) = (NEXT[k], NEXT[j]);
        let (r, x, [p, q]) = (&boxes.turn, &boxes.between, &boxes.half);
        if r[(k, j)].abs() < FACING[0] {
            return None;
        }
        Some(Self {
            turn: [
                [r[(u, s)], r[(u, t)], r[(u, j)]],
                [r[(v, s)], r[(v, t)], r[(v, j)]],
                [r[(k, s)], r[(k, t)], r[(k, j)]],
            ],
            between: [x[u], x[v], x[k]],
            p: [p[u], p[v], p[k]],
            q: [q[s], q[t], q[j]],
        })
    }

    /// Distance of the middles along the normal of the face of B.
    #[inline(always)]
    fn along_b(&self) -> f64 {
        let (r, t) = (&self.turn, &self.between);
        r[0][2] * t[0] + r[1][2] * t[1] + r[2][2] * t[2]
    }

    /// Separations along the normals of both faces.
    #[inline(always)]
    fn faces(&self) -> [f64; 2] {
        let (r, p, q) = (&self.turn, &self.p, &self.q);
        let of_b = r[2][0].abs() * q[0] + r[2][1].abs() * q[1] + r[2][2].abs() * q[2];
        let of_a = r[0][2].abs() * p[0] + r[1][2].abs() * p[1] + r[2][2].abs() * p[2];
        [
            self.between[2].abs() - p[2] - of_b,
            self.along_b().abs() - q[2] - of_a,
        ]
    }

    /// How far the corner that is furthest against the face of this body is inside of it.
    #[inline(always)]
    fn inside(&self, owner: usize) -> f64 {
        let (r, t, p, q) = (&self.turn, &self.between, &self.p, &self.q);
        if owner == 0 {
            let up = sign(t[2]);
            let corner = |m: usize| q[m].copysign(-up * r[2][m]);
            let c = [corner(0), corner(1), corner(2)];
            let at = |i: usize| r[i][0] * c[0] + r[i][1] * c[1] + r[i][2] * c[2] + t[i];
            lesser(p[0] - at(0).abs(), p[1] - at(1).abs())
        } else {
            let up = sign(self.along_b());
            let corner = |i: usize| p[i].copysign(up * r[i][2]) - t[i];
            let c = [corner(0), corner(1), corner(2)];
            let at = |m: usize| r[0][m] * c[0] + r[1][m] * c[1] + r[2][m] * c[2];
            lesser(q[0] - at(0).abs(), q[1] - at(1).abs())
        }
    }

    /// Separations across edges in both faces, to rounding over the sine of their angle, and these edges; i of A and m of B have
    /// 2 i + m. `None` if edges are so nearly parallel that rounding is much.
    #[inline(always)]
    fn edges(&self) -> Option<[(f64, Across); 4]> {
        let (r, t, p, q) = (&self.turn, &self.between, &self.p, &self.q);
        let mut is_clear = true;
        let mut across = |i: usize, m: usize| {
            let ([k, l], [n, o]) = (NEXT[i], NEXT[m]);
            let (x, y) = (r[k][m], r[l][m]);
            let along = x * t[l] - y * t[k];
            let of_a = p[k] * y.abs() + p[l] * x.abs();
            let of_b = q[n] * r[i][o].abs() + q[o] * r[i][n].abs();
            let square = x * x + y * y;
            let is_parallel = square <= PARALLEL * PARALLEL;
            is_clear &= is_parallel | (square >= ACROSS * ACROSS);
            let separation = (along.abs() - of_a - of_b) / square.sqrt();
            let separation = if is_parallel {
                f64::NEG_INFINITY
            } else {
                separation
            };
            (separation, Across { square, along })
        };
        let all = [across(0, 0), across(0, 1), across(1, 0), across(1, 1)];
        is_clear.then_some(all)
    }

    /// How far the crossing of edges i of A and m of B is inside of both, seen along the normal of the face of A, for a
    /// direction that has these signs in the sides of both.
    #[inline(always)]
    fn crossing_inside(&self, [i, m]: [usize; 2], [n, own]: [[f64; 3]; 2]) -> f64 {
        let (r, t, p, q) = (&self.turn, &self.between, &self.p, &self.q);
        let (k, o) = (1 - i, 1 - m);
        let (side, level) = (q[o].copysign(-own[o]), q[2].copysign(-own[2]));
        let at = |j: usize| t[j] + r[j][o] * side + r[j][2] * level;
        let on_b = (p[k].copysign(n[k]) - at(k)) / r[k][m];
        let on_a = at(i) + r[i][m] * on_b;
        lesser(p[i] - on_a.abs(), q[m] - on_b.abs())
    }

    /// Sine of the angle of the faces.
    fn tilt(&self) -> f64 {
        let [x, y] = [self.turn[0][2], self.turn[1][2]];
        (x * x + y * y).sqrt()
    }

    /// Whether the faces have a disc of this radius in common, if they are in one plane: about the middle of one of them, moved
    /// into the other. `false` may be wrong.
    fn share(&self, radius: f64) -> bool {
        let (r, t, p, q) = (&self.turn, &self.between, &self.p, &self.q);
        let (h, w) = (
            [p[0] - radius, p[1] - radius],
            [q[0] - radius, q[1] - radius],
        );
        if h[0] < 0.0 || h[1] < 0.0 || w[0] < 0.0 || w[1] < 0.0 {
            return false;
        }
        let seen = |x: [f64; 2]| [0, 1].map(|m| r[0][m] * x[0] + r[1][m] * x[1]);
        let is_in = |x: [f64; 2], h: [f64; 2]| (x[0].abs() <= h[0]) & (x[1].abs() <= h[1]);
        let clamped = |x: [f64; 2], h: [f64; 2]| [0, 1].map(|i| x[i].clamp(-h[i], h[i]));
        let middle = [t[0], t[1]];
        let x = clamped(middle, h);
        if is_in(seen([x[0] - t[0], x[1] - t[1]]), w) {
            return true;
        }
        let y = clamped(seen([-t[0], -t[1]]), w);
        is_in([0, 1].map(|i| t[i] + r[i][0] * y[0] + r[i][1] * y[1]), h)
    }
}

impl<const D: usize> Boxes<'_, D> {
    /// The axis that separates most if faces k of A and j of B are nearly parallel and it is theirs or that of edges in them; `None`
    /// if another might be, or ties.
    #[inline(never)]
    pub(super) fn across_faces(&self, [k, j]: [usize; 2]) -> Option<Axis> {
        let faced = Faced::new(self, [k, j])?;
        let (level, border) = (TOLERANCE * self.size, CLEAR * self.size);
        let is_thick = |depth: f64| {
            let least = 1.5 * depth + border;
            let is = |h: &[f64; 3]| (h[0] >= least) & (h[1] >= least) & (h[2] >= least);
            is(&faced.p) | is(&faced.q)
        };
        let on = faced.faces();
        let owner = usize::from(on[1] - on[0] > TIE * self.size);
        let (separation, depth) = (on[owner], on[owner].abs());
        if faced.inside(owner) >= 2.0 * depth + border && is_thick(depth) {
            return Some(self.face_axis(owner, [k, j][owner], separation));
        }
        let across = faced.edges()?;
        let mut best = 0;
        for index in 1..4 {
            if across[index].0 > across[best].0 {
                best = index;
            }
        }
        let (most, found) = across[best];
        let mut next = separation;
        for (index, &(other, _)) in across.iter().enumerate() {
            if index != best && other > next {
                next = other;
            }
        }
        let (side, edge) = (best / 2, best % 2);
        let ([u, v], [s, t]) = (NEXT[k], NEXT[j]);
        let (i, m) = ([u, v][side], [s, t][edge]);
        if most - next <= LEAD * level {
            // The faces are one plane to rounding, which says whether they or which edges in them separate most.
            let shares = || faced.share(2.0 * depth + border) && is_thick(depth);
            if faced.tilt() > ONE_PLANE || !shares() {
                return None;
            }
            if most - separation <= TIE * self.size {
                return Some(self.face_axis(owner, [k, j][owner], separation));
            }
            return self.axis_across([i, m], &found);
        }
        let axis = self.axis_across([i, m], &found)?;
        let (n, own) = (&axis.n, &axis.own);
        let signs = [[n[u], n[v], n[k]], [own[s], own[t], own[j]]];
        let inside = faced.crossing_inside([side, edge], signs) * found.sine();
        let depth = axis.separation.abs();
        let is_certain = inside >= SEEN * depth + border && is_thick(depth);
        let is_near = axis.n[k].abs() >= FACING[0];
        (is_certain && is_near && axis.separation - separation <= BELOW * inside).then_some(axis)
    }

    /// The δ, in m, up to which the boxes may move and the axis of this kind, the best now, still is; negative if none.
    ///
    /// By δ, with R the reach, separations along normals of faces change by at most δ, those across edges with the sine of
    /// their angle as a factor too, and that sine by δ / R. So without the factor the separation s of edges changes by at most
    /// δ (1 + |s| / R) over the least sine.
    pub(super) fn lead(&self, kind: Kind) -> f64 {
        let (axis, sine) = match kind {
            Kind::Face(owner, k) => (self.face_axis(owner, k, self.on_face(owner, k)), 1.0),
            Kind::Edges(i, j) => {
                let pair = self.pair(i, j);
                let Some(axis) = self.edge_axis([i, j], &pair) else {
                    return -1.0;
                };
                (axis, pair.sine())
            }
        };
        let (level, reach) = (TOLERANCE * self.size, self.reach());
        let least = axis.separation - 2.0 * level;
        // The same axis the other way, which comes nearer by at most twice as much.
        let mut lead = 0.5 * (axis.n.dot(&self.between).abs() - level);
        for (index, separation) in self.faces().into_iter().enumerate() {
            if kind != Kind::Face(index / 3, index % 3) {
                lead = lead.min(least - separation);
            }
        }
        for index in 0..9 {
            let (i, j) = (index / 3, index % 3);
            if kind != Kind::Edges(i, j) {
                lead = lead.min(self.pair(i, j).behind(least));
            }
        }
        let slope = axis.separation.abs() / reach;
        let own = match kind {
            Kind::Face(..) => 1.0,
            Kind::Edges(..) => (1.0 + slope) / ((1.0 - SHRINK) * sine),
        };
        (lead / (1.0 + slope + own)).min(SHRINK * sine * reach)
    }
}
