//! The fifteen axes, and the one that separates most.

#![expect(
    clippy::inline_always,
    reason = "a query is short: calls and copies would be much of it"
)]

use nalgebra::Vector3;

use super::{Boxes, NEXT, TOLERANCE, sign, times, times_transposed};

/// By how much, relative to the size, an axis must separate more than an earlier one: rounding would choose otherwise.
const TIE: f64 = 1e-14;

/// Normals this far apart are different, rad.
const DIFFERENT: f64 = 1e-6;

/// Sine of the angle between edges whose cross product has no direction.
const PARALLEL: f64 = 1e-12;

/// The axis that separates most.
#[derive(Clone, Copy)]
pub(super) struct Axis {
    pub(super) n: Vector3<f64>,
    /// The same in the axes of B.
    pub(super) own: Vector3<f64>,
    pub(super) separation: f64,
    pub(super) kind: Kind,
    /// Whether in overlap an axis with another direction separates as much.
    pub(super) tied: bool,
}

#[derive(Clone, Copy)]
pub(super) enum Kind {
    /// Face of body 0 or 1 across its axis.
    Face(usize, usize),
    /// Edges along these axes of A and of B.
    Edges(usize, usize),
}

/// The nine pairs of edges, i of A and j of B at 3 i + j: the square of the sine of their angle, and with that sine as a factor
/// their separation and the signed distance of the middles along their cross product.
pub(super) struct Pairs {
    square: [f64; 9],
    separation: [f64; 9],
    along: [f64; 9],
}

impl Pairs {
    pub(super) fn sine(&self, k: usize) -> f64 {
        self.square[k].sqrt()
    }

    /// Those that have a cross product along which the separation is at least this, as bits.
    #[inline(always)]
    fn reaching(&self, separation: f64) -> u16 {
        // Squares with their signs, so that there is neither a root nor a branch.
        let least = separation * separation.abs();
        let mut out = 0;
        for k in 0..9 {
            let own = self.separation[k] * self.separation[k].abs();
            let reaches = (own >= least * self.square[k]) & (self.square[k] > PARALLEL * PARALLEL);
            out |= u16::from(reaches) << k;
        }
        out
    }
}

impl<const D: usize> Boxes<'_, D> {
    /// Separations along the normals of the faces of A and of B.
    #[inline(always)]
    pub(super) fn faces(&self) -> [f64; 6] {
        let ([p, q], t, turn) = (&self.half, &self.between, &self.turn);
        let abs = turn.abs();
        let on_a = t.abs() - p - times(&abs, q);
        let on_b = times_transposed(turn, t).abs() - q - times_transposed(&abs, p);
        [on_a[0], on_a[1], on_a[2], on_b[0], on_b[1], on_b[2]]
    }

    /// All pairs of edges.
    #[inline(always)]
    pub(super) fn pairs(&self) -> Pairs {
        let ([p, q], t, turn) = (&self.half, &self.between, &self.turn);
        let mut out = Pairs {
            square: [0.0; 9],
            separation: [0.0; 9],
            along: [0.0; 9],
        };
        for (i, [k, l]) in NEXT.into_iter().enumerate() {
            for (j, [m, o]) in NEXT.into_iter().enumerate() {
                let (x, y) = (turn[(k, j)], turn[(l, j)]);
                let along = x * t[l] - y * t[k];
                let of_a = p[k] * y.abs() + p[l] * x.abs();
                let of_b = q[m] * turn[(i, o)].abs() + q[o] * turn[(i, m)].abs();
                let at = 3 * i + j;
                out.square[at] = x * x + y * y;
                out.separation[at] = along.abs() - of_a - of_b;
                out.along[at] = along;
            }
        }
        out
    }

    /// Whether the cross product of two edges separates by more than this, m.
    pub(super) fn are_apart(&self, [i, j]: [usize; 2], limit: f64) -> bool {
        let (pairs, k) = (self.pairs(), 3 * i + j);
        pairs.reaching(limit) >> k & 1 == 1 && pairs.separation[k] > limit * pairs.sine(k)
    }

    fn face_normal(&self, owner: usize, k: usize) -> Vector3<f64> {
        let (t, turn) = (&self.between, &self.turn);
        if owner == 0 {
            let mut n = Vector3::zeros();
            n[k] = sign(t[k]);
            n
        } else {
            let n = turn.column(k).into_owned();
            n * sign(n.dot(t))
        }
    }

    /// The axis that separates most; faces of A before faces of B before edges where they tie.
    #[inline(always)]
    pub(super) fn axis(&self, on: &[f64; 6]) -> Axis {
        let (level, more) = (TOLERANCE * self.size, TIE * self.size);
        let mut face = 0;
        for k in 1..6 {
            if on[k] - on[face] > more {
                face = k;
            }
        }
        let n = self.face_normal(face / 3, face % 3);
        let mut best = Axis {
            n,
            own: times_transposed(&self.turn, &n),
            separation: on[face],
            kind: Kind::Face(face / 3, face % 3),
            tied: false,
        };
        let pairs = self.pairs();
        // Most are far from the best.
        let (mut left, mut close) = (pairs.reaching(best.separation - level), 0u16);
        while left != 0 {
            let k = left.trailing_zeros() as usize;
            left &= left - 1;
            let n = self.across(&pairs, k);
            let own = times_transposed(&self.turn, &n);
            let separation = self.separation(&n, &own);
            if separation >= best.separation - level {
                close |= 1 << k;
            }
            if separation - best.separation > more {
                left &= pairs.reaching(separation - level);
                best = Axis {
                    n,
                    own,
                    separation,
                    kind: Kind::Edges(k / 3, k % 3),
                    tied: false,
                };
            }
        }
        if best.separation < 0.0 {
            best.tied = self.is_tied(&best, on, (&pairs, close));
        }
        best
    }

    /// Whether in overlap an axis with another direction separates as much; of the edges only these are looked at.
    #[inline(always)]
    fn is_tied(&self, best: &Axis, on: &[f64; 6], (pairs, edges): (&Pairs, u16)) -> bool {
        let level = TOLERANCE * self.size;
        let least = best.separation - level;
        let differs = |n: &Vector3<f64>| (n - best.n).norm_squared() > DIFFERENT * DIFFERENT;
        let faces = (0..6).any(|k| on[k] >= least && differs(&self.face_normal(k / 3, k % 3)));
        // The same axis the other way.
        let other_way = 2.0 * best.n.dot(&self.between).abs() <= level;
        let crossing = |k: usize| {
            let own = matches!(best.kind, Kind::Edges(i, j) if 3 * i + j == k);
            edges >> k & 1 == 1 && !own && {
                let n = self.across(pairs, k);
                self.separation(&n, &times_transposed(&self.turn, &n)) >= least && differs(&n)
            }
        };
        other_way || faces || (edges != 0 && (0..9).any(crossing))
    }

    /// The normal across two edges, from A to B.
    #[inline(always)]
    fn across(&self, pairs: &Pairs, at: usize) -> Vector3<f64> {
        let (i, j) = (at / 3, at % 3);
        let [k, l] = NEXT[i];
        let mut n = Vector3::zeros();
        (n[k], n[l]) = (-self.turn[(l, j)], self.turn[(k, j)]);
        let scale = sign(pairs.along[at]) / pairs.sine(at);
        n * scale
    }

    /// How far B is beyond A along n, which is `own` in the axes of B.
    #[inline(always)]
    pub(super) fn separation(&self, n: &Vector3<f64>, own: &Vector3<f64>) -> f64 {
        let [p, q] = &self.half;
        n.dot(&self.between) - p.dot(&n.abs()) - q.dot(&own.abs())
    }
}
