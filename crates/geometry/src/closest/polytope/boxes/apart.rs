//! Boxes apart whose closest points are a corner and a corner or an edge.

use nalgebra::Vector3;

use super::{Boxes, times_transposed};
use crate::closest::polytope::{Found, Meeting};
use crate::direction::direction;

/// Rounds after which features are tried even if they change.
const SOON: usize = 6;

/// Rounds of projections before the search is given up; the features are seldom changed after the fifth.
const ROUNDS: usize = 24;

impl<const D: usize> Boxes<'_, D> {
    fn certifies(&self, found: &Found<3>) -> bool {
        let slack = self.slack();
        (self.separation(&found.n) - found.distance).abs() <= slack
            && (found.b - found.a - found.n * found.distance).norm() <= slack
    }

    /// The closest points, by projecting from box to box until the features stay, and then those of the features;
    /// without a certificate `None`.
    ///
    /// Source: W. Cheney, A. A. Goldstein, Proximity maps for convex sets, Proc. AMS 10 (1959) 448–450.
    pub(super) fn apart(&self) -> Option<Found<3>> {
        let [p, q] = &self.half;
        let clamped =
            |x: &Vector3<f64>, half: &Vector3<f64>| x.zip_map(half, |x, h| x.clamp(-h, h));
        let free = |x: &Vector3<f64>, half: &Vector3<f64>| [0, 1, 2].map(|i| x[i].abs() < half[i]);
        let mut x = clamped(&self.between, p);
        let mut before = None;
        for rounds in 0..ROUNDS {
            let y = clamped(&times_transposed(&self.turn, &(x - self.between)), q);
            x = clamped(&self.seen_from_a(&y), p);
            let features = [free(&x, p), free(&y, q)];
            if before.is_some_and(|before| before == features || rounds > SOON)
                && let Some(found) = self.between_features(features, [x, y])
                && self.certifies(&found)
            {
                return Some(found);
            }
            before = Some(features);
        }
        None
    }

    /// The closest points of two corners or edges: x and y in the axes of their boxes, each free along one axis or none.
    fn between_features(
        &self,
        free: [[bool; 3]; 2],
        [mut x, mut y]: [Vector3<f64>; 2],
    ) -> Option<Found<3>> {
        let count = |k: usize| free[k].iter().filter(|&&is_free| is_free).count();
        if count(0) > 1 || count(1) > 1 {
            return None;
        }
        let first = |k: usize| free[k].iter().position(|&is_free| is_free);
        let (mut i, mut j) = (first(0), first(1));
        if let (Some(at), Some(to)) = (i, j) {
            // Two edges that cross are an axis: the end of one is next to the other, or to an end.
            let [s, t] = self.between_edges([at, to], [&x, &y]);
            (x[at], y[to]) = (s, t);
            let ends = [(s, self.half[0][at]), (t, self.half[1][to])].map(|(s, h)| s.abs() >= h);
            i = i.filter(|_| !ends[0]);
            j = j.filter(|_| !ends[1]);
        }
        let (a, b, off, meeting);
        match (i, j) {
            (None, None) => {
                meeting = Meeting::Both([self.name(0, &x) as usize, self.name(1, &y) as usize]);
                (a, b) = (x, self.seen_from_a(&y));
                off = b - a;
            }
            (Some(i), None) => {
                meeting = Meeting::Vertex(1, self.name(1, &y) as usize);
                b = self.seen_from_a(&y);
                x[i] = b[i];
                if x[i].abs() > self.half[0][i] {
                    return None;
                }
                a = x;
                off = b - a;
            }
            (None, Some(j)) => {
                meeting = Meeting::Vertex(0, self.name(0, &x) as usize);
                a = x;
                y[j] = self.turn.column(j).dot(&(a - self.between));
                if y[j].abs() > self.half[1][j] {
                    return None;
                }
                b = self.seen_from_a(&y);
                // The part along the edge is rounding, and the length would multiply it.
                let along = self.turn.column(j);
                off = b - a - along * along.dot(&(b - a));
            }
            (Some(_), Some(_)) => return None,
        }
        let (n, distance) = direction(&off)?;
        Some(Found {
            a,
            b,
            n,
            distance,
            meeting,
        })
    }

    /// Where on the edges through x and y along axes i and j their closest points are, m from their middles.
    ///
    /// Source: C. Ericson, Real-time collision detection, 2005, section 5.1.9.
    fn between_edges(&self, [i, j]: [usize; 2], [x, y]: [&Vector3<f64>; 2]) -> [f64; 2] {
        let [h, g] = [self.half[0][i], self.half[1][j]];
        let (mut from, mut to) = (*x, *y);
        (from[i], to[j]) = (0.0, 0.0);
        let (apart, v) = (self.seen_from_a(&to) - from, self.turn.column(j));
        let (cosine, along, across) = (v[i], apart[i], v.dot(&apart));
        let square = 1.0 - cosine * cosine;
        let s = if square > 0.0 {
            ((along - cosine * across) / square).clamp(-h, h)
        } else {
            0.0
        };
        let t = (cosine * s - across).clamp(-g, g);
        [(along + cosine * t).clamp(-h, h), t]
    }
}
