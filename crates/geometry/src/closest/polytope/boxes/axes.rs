//! The fifteen axes, and the one that separates most.

#![expect(
    clippy::inline_always,
    clippy::needless_bitwise_bool,
    reason = "a query is short: calls, copies and branches that are not foreseen would be much of it"
)]

use nalgebra::Vector3;

use super::flush::steepest;
use super::{Boxes, NEXT, TOLERANCE, sign, times, times_transposed};

/// By how much, relative to the size, an axis must separate more than an earlier one: rounding would choose otherwise.
pub(super) const TIE: f64 = 1e-14;

/// Normals this far apart are different, rad.
const DIFFERENT: f64 = 1e-6;

/// Sine of the angle between edges whose cross product has no direction.
pub(super) const PARALLEL: f64 = 1e-12;

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

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    /// Face of body 0 or 1 across its axis.
    Face(usize, usize),
    /// Edges along these axes of A and of B.
    Edges(usize, usize),
}

impl Kind {
    /// Which body has the axis; of edges it is A.
    #[inline(always)]
    pub(super) fn owner(self) -> usize {
        match self {
            Self::Face(owner, _) => owner,
            Self::Edges(..) => 0,
        }
    }
}

/// What the cross product of two edges is known by: the square of the sine of their angle, and with that sine as a factor the
/// signed distance of the middles along it.
#[derive(Clone, Copy)]
pub(super) struct Across {
    pub(super) square: f64,
    pub(super) along: f64,
}

impl Across {
    pub(super) fn sine(&self) -> f64 {
        self.square.sqrt()
    }
}

/// By how much, relative to the size, rounding of the axes of B may spoil a separation with a sine as a factor: with 3e-9 rad
/// between edges an axis was off by 4e-8 otherwise, and not looked at.
const ROUNDING: f64 = 2e-15;

/// A pair of edges: the square of the sine of their angle, and with that sine as a factor their separation, or more by
/// rounding, and the signed distance of the middles along their cross product.
#[derive(Clone, Copy)]
pub(super) struct Pair {
    square: f64,
    separation: f64,
    along: f64,
}

impl Pair {
    pub(super) fn sine(&self) -> f64 {
        self.square.sqrt()
    }

    #[inline(always)]
    fn across(&self) -> Across {
        Across {
            square: self.square,
            along: self.along,
        }
    }

    /// By how much they separate less than this, with the sine of their angle as a factor, m.
    pub(super) fn behind(&self, separation: f64) -> f64 {
        separation * self.sine() - self.separation
    }

    /// Whether the edges have a cross product, along which the separation may be at least this.
    #[inline(always)]
    pub(super) fn reaches(&self, separation: f64) -> bool {
        // Squares with their signs, so that there is neither a root nor a branch.
        let (least, own) = (
            separation * separation.abs() * self.square,
            self.separation * self.separation.abs(),
        );
        (own >= least) & (self.square > PARALLEL * PARALLEL)
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

    /// The same along the normal of face k of body 0 or 1.
    #[inline(always)]
    pub(super) fn on_face(&self, owner: usize, k: usize) -> f64 {
        let ([p, q], t, turn) = (&self.half, &self.between, &self.turn);
        let abs = |i: usize, j: usize| turn[(i, j)].abs();
        if owner == 0 {
            let other = abs(k, 0) * q[0] + abs(k, 1) * q[1] + abs(k, 2) * q[2];
            t[k].abs() - p[k] - other
        } else {
            let along = turn[(0, k)] * t[0] + turn[(1, k)] * t[1] + turn[(2, k)] * t[2];
            let other = abs(0, k) * p[0] + abs(1, k) * p[1] + abs(2, k) * p[2];
            along.abs() - q[k] - other
        }
    }

    /// Edges i of A and j of B.
    #[inline(always)]
    pub(super) fn pair(&self, i: usize, j: usize) -> Pair {
        let ([p, q], t, turn) = (&self.half, &self.between, &self.turn);
        let ([k, l], [m, o]) = (NEXT[i], NEXT[j]);
        let (x, y) = (turn[(k, j)], turn[(l, j)]);
        let along = x * t[l] - y * t[k];
        let of_a = p[k] * y.abs() + p[l] * x.abs();
        let of_b = q[m] * turn[(i, o)].abs() + q[o] * turn[(i, m)].abs();
        Pair {
            square: x * x + y * y,
            separation: along.abs() - of_a - of_b + ROUNDING * self.size,
            along,
        }
    }

    /// Pairs of edges that may separate by at least this, as bits: i of A and j of B have bit 3 i + j.
    #[inline(always)]
    fn reaching(&self, separation: f64) -> u16 {
        // Written out, so that nothing is looked up.
        let bit =
            |i: usize, j: usize| u16::from(self.pair(i, j).reaches(separation)) << (3 * i + j);
        (bit(0, 0) | bit(0, 1) | bit(0, 2))
            | (bit(1, 0) | bit(1, 1) | bit(1, 2))
            | (bit(2, 0) | bit(2, 1) | bit(2, 2))
    }

    /// Whether the cross product of two edges separates by more than this, m.
    pub(super) fn are_apart(&self, [i, j]: [usize; 2], limit: f64) -> bool {
        let pair = self.pair(i, j);
        let rounded = 2.0 * ROUNDING * self.size;
        pair.reaches(limit) && pair.separation - rounded > limit * pair.sine()
    }

    #[inline(always)]
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

    /// The axis of a face with this separation.
    #[inline(always)]
    pub(super) fn face_axis(&self, owner: usize, k: usize, separation: f64) -> Axis {
        let n = self.face_normal(owner, k);
        Axis {
            n,
            own: times_transposed(&self.turn, &n),
            separation,
            kind: Kind::Face(owner, k),
            tied: false,
        }
    }

    /// The axis across two edges, if they have one.
    #[inline(always)]
    pub(super) fn edge_axis(&self, edges: [usize; 2], pair: &Pair) -> Option<Axis> {
        self.axis_across(edges, &pair.across())
    }

    /// The same with what their cross product is known by.
    #[inline(always)]
    pub(super) fn axis_across(&self, [i, j]: [usize; 2], across: &Across) -> Option<Axis> {
        if across.square <= PARALLEL * PARALLEL {
            return None;
        }
        let n = self.across(3 * i + j, across);
        let own = times_transposed(&self.turn, &n);
        Some(Axis {
            n,
            own,
            separation: self.separation(&n, &own),
            kind: Kind::Edges(i, j),
            tied: false,
        })
    }

    /// The axis that separates most; faces of A before faces of B before edges where they tie.
    /// [`Boxes::across_faces`] need not be asked again for those that were tried.
    #[inline(never)]
    pub(super) fn axis(&self, on: &[f64; 6], tried: Option<[usize; 2]>) -> Axis {
        let (level, more) = (TOLERANCE * self.size, TIE * self.size);
        let mut face = 0;
        for k in 1..6 {
            if on[k] - on[face] > more {
                face = k;
            }
        }
        let (owner, k) = (face / 3, face % 3);
        let mut best = self.face_axis(owner, k, on[face]);
        let other = steepest(if owner == 0 { &best.own } else { &best.n });
        let pair = other.map(|j| if owner == 0 { [k, j] } else { [j, k] });
        if let Some(pair) = pair
            && tried != Some(pair)
            && let Some(axis) = self.across_faces(pair)
        {
            return axis;
        }
        // Points of both at this distance: nothing separates more.
        if best.separation > 0.0 && self.over(&best, 0.0).is_some() {
            return best;
        }
        // Most are far from the best.
        let (mut left, mut close) = (self.reaching(best.separation - level), 0u16);
        while left != 0 {
            let k = left.trailing_zeros() as usize;
            left &= left - 1;
            let pair = self.pair(k / 3, k % 3);
            if !pair.reaches(best.separation - level) {
                continue;
            }
            let Some(axis) = self.edge_axis([k / 3, k % 3], &pair) else {
                continue;
            };
            if axis.separation >= best.separation - level {
                close |= 1 << k;
            }
            if axis.separation - best.separation > more {
                best = axis;
            }
        }
        if best.separation < 0.0 {
            best.tied = self.is_tied(&best, on, close);
        }
        best
    }

    /// Whether in overlap an axis with another direction separates as much; of the edges only these are looked at.
    #[inline(always)]
    fn is_tied(&self, best: &Axis, on: &[f64; 6], edges: u16) -> bool {
        let level = TOLERANCE * self.size;
        let least = best.separation - level;
        let differs = |n: &Vector3<f64>| (n - best.n).norm_squared() > DIFFERENT * DIFFERENT;
        // The same axis the other way.
        let mut tied = 2.0 * best.n.dot(&self.between).abs() <= level;
        for (k, &separation) in on.iter().enumerate() {
            tied |= separation >= least && differs(&self.face_normal(k / 3, k % 3));
        }
        // The own axis does not differ.
        let mut left = edges;
        while left != 0 {
            let k = left.trailing_zeros() as usize;
            left &= left - 1;
            let n = self.across(k, &self.pair(k / 3, k % 3).across());
            let separates = || self.separation(&n, &times_transposed(&self.turn, &n)) >= least;
            tied |= differs(&n) && separates();
        }
        tied
    }

    /// The normal across two edges, from A to B.
    #[inline(always)]
    fn across(&self, k: usize, across: &Across) -> Vector3<f64> {
        let (i, j) = (k / 3, k % 3);
        let [k, l] = NEXT[i];
        let mut n = Vector3::zeros();
        (n[k], n[l]) = (-self.turn[(l, j)], self.turn[(k, j)]);
        let scale = sign(across.along) / across.sine();
        n * scale
    }

    /// How far B is beyond A along n, which is `own` in the axes of B.
    #[inline(always)]
    pub(super) fn separation(&self, n: &Vector3<f64>, own: &Vector3<f64>) -> f64 {
        let ([p, q], t) = (&self.half, &self.between);
        let along = n[0] * t[0] + n[1] * t[1] + n[2] * t[2];
        let of_a = p[0] * n[0].abs() + p[1] * n[1].abs() + p[2] * n[2].abs();
        let of_b = q[0] * own[0].abs() + q[1] * own[1].abs() + q[2] * own[2].abs();
        along - of_a - of_b
    }
}
