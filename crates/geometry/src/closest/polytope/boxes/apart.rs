//! Boxes apart whose closest points are a corner and a corner or an edge.
//!
//! # Method
//! The distance of a point of B from A is minimised along one axis of B after the other, each time to the end: a sum of three
//! squares has its least where its slope, of straight pieces, is zero. The features at the point are tried, and theirs is
//! the answer if it has a certificate. Features that a moment ago had one are tried first, and believed only where no others
//! can have one too.

#![expect(
    clippy::needless_bitwise_bool,
    reason = "a branch that is not foreseen costs more than what it saves"
)]

use nalgebra::Vector3;

use super::{Boxes, times_transposed};
use crate::closest::polytope::{Found, Meeting};
use crate::direction::direction;

/// Rounds through the axes of B before all features are tried; two or three do.
const ROUNDS: usize = 12;

/// Steps along one axis: each ends on another piece of the slope or is the last.
const STEPS: usize = 3;

/// Over the tolerance of a certificate, how much further apart any others must be than features that are known.
const CLEAR: f64 = 32.0;

/// A corner of each box, or an edge of one of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Features {
    /// The axis of the edge.
    free: [Option<usize>; 2],
    /// The corners, or one of the edge, by the signs of the coordinates in their own axes.
    corners: [[bool; 3]; 2],
}

impl Features {
    fn points<const D: usize>(&self, boxes: &Boxes<'_, D>) -> [Vector3<f64>; 2] {
        [0, 1].map(|k| {
            let [x, y, z] = self.corners[k].map(|is_upper| if is_upper { 1.0 } else { -1.0 });
            boxes.half[k].component_mul(&Vector3::new(x, y, z))
        })
    }

    /// Their closest points, if they are on the features.
    #[inline]
    fn closest<const D: usize>(&self, boxes: &Boxes<'_, D>) -> Option<Found<3>> {
        let [mut x, mut y] = self.points(boxes);
        let name = |k: usize, x: &Vector3<f64>| boxes.name(k, x) as usize;
        let (a, b, off, meeting);
        match self.free {
            [None, None] => {
                meeting = Meeting::Both([name(0, &x), name(1, &y)]);
                (a, b) = (x, boxes.seen_from_a(&y));
                off = b - a;
            }
            [Some(i), None] => {
                meeting = Meeting::Vertex(1, name(1, &y));
                b = boxes.seen_from_a(&y);
                x[i] = b[i];
                if x[i].abs() > boxes.half[0][i] {
                    return None;
                }
                a = x;
                off = b - a;
            }
            [None, Some(j)] => {
                meeting = Meeting::Vertex(0, name(0, &x));
                a = x;
                let along = boxes.turn.column(j);
                y[j] = along.dot(&(a - boxes.between));
                if y[j].abs() > boxes.half[1][j] {
                    return None;
                }
                b = boxes.seen_from_a(&y);
                // The part along the edge is rounding, and the length would multiply it.
                off = b - a - along * along.dot(&(b - a));
            }
            [Some(_), Some(_)] => return None,
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

    /// Their closest points with a certificate.
    fn certified<const D: usize>(&self, boxes: &Boxes<'_, D>) -> Option<Found<3>> {
        let found = self.closest(boxes)?;
        let own = times_transposed(&boxes.turn, &found.n);
        boxes.certifies(&found, &own).then_some(found)
    }

    /// Their closest points with a certificate that no other features have, and no axis; and the normal in the axes of B.
    ///
    /// Along a direction at an angle μ to the normal the boxes are at most d (1 − μ²/2) apart, and points beside the end of an
    /// edge by e are further from each other by e²/(2 d).
    #[inline(always)]
    pub(super) fn certain<const D: usize>(
        &self,
        boxes: &Boxes<'_, D>,
    ) -> Option<(Found<3>, Vector3<f64>)> {
        let found = self.closest(boxes)?;
        let own = times_transposed(&boxes.turn, &found.n);
        let (d, clear) = (found.distance, CLEAR * boxes.slack());
        let mut is_certain = true;
        for i in 0..3 {
            let outward = |k: usize, slope: f64| if self.corners[k][i] { slope } else { -slope };
            let slopes = [outward(0, found.n[i]), -outward(1, own[i])];
            for (free, steep) in self.free.iter().zip(slopes) {
                let is_clear = (steep > 0.0) & (d * steep * steep >= clear);
                is_certain &= is_clear | (*free == Some(i));
            }
        }
        let within = |k: usize, x: f64, i: usize| {
            let inside = boxes.half[k][i] - x.abs();
            (inside > 0.0) & (inside * inside >= d * clear)
        };
        is_certain &= match self.free {
            [Some(i), _] => within(0, found.a[i], i),
            [_, Some(j)] => {
                let along = boxes.turn.column(j);
                within(1, along.dot(&(found.b - boxes.between)), j)
            }
            _ => true,
        };
        (is_certain && boxes.certifies(&found, &own)).then_some((found, own))
    }

    /// All that there are.
    fn all() -> impl Iterator<Item = Self> {
        let corners = |free: [Option<usize>; 2]| {
            (0..64u8).filter_map(move |signs| {
                let upper = |k: usize, i: usize| signs >> (3 * k + i) & 1 == 1;
                let once = (0..2).all(|k| free[k].is_none_or(|i| upper(k, i)));
                let corners = [0, 1].map(|k| [0, 1, 2].map(|i| upper(k, i)));
                once.then_some(Self { free, corners })
            })
        };
        let edges = (0..3).flat_map(|i| [[Some(i), None], [None, Some(i)]]);
        std::iter::once([None; 2]).chain(edges).flat_map(corners)
    }
}

impl<const D: usize> Boxes<'_, D> {
    /// Whether the points are apart along the normal, `own` in the axes of B, by the separation along it.
    #[inline(always)]
    fn certifies(&self, found: &Found<3>, own: &Vector3<f64>) -> bool {
        let slack = self.slack();
        (self.separation(&found.n, own) - found.distance).abs() <= slack
            && (found.b - found.a - found.n * found.distance).norm() <= slack
    }

    /// The closest points and their features; without a certificate `None`.
    pub(super) fn apart(&self) -> Option<(Found<3>, Features)> {
        let [p, q] = &self.half;
        let clamped =
            |x: &Vector3<f64>, half: &Vector3<f64>| x.zip_map(half, |x, h| x.clamp(-h, h));
        let near = clamped(&self.between, p) - self.between;
        let mut y = clamped(&times_transposed(&self.turn, &near), q);
        let mut x = self.seen_from_a(&y);
        let mut tried = None;
        for _ in 0..ROUNDS {
            (0..3).for_each(|j| self.slide(j, &mut x, &mut y));
            let features = self.features_at(&x, &y);
            if features.is_some() && features != tried {
                let found = features.and_then(|features| features.certified(self));
                if let (Some(found), Some(features)) = (found, features) {
                    return Some((found, features));
                }
                tried = features;
            }
        }
        let mut all = Features::all();
        all.find_map(|features| Some((features.certified(self)?, features)))
    }

    /// Moves y, x in the axes of A, along axis j of B to where it is nearest to A.
    #[inline]
    fn slide(&self, j: usize, x: &mut Vector3<f64>, y: &mut Vector3<f64>) {
        let (v, p, h) = (self.turn.column(j), &self.half[0], self.half[1][j]);
        for _ in 0..STEPS {
            let (mut slope, mut steepness) = (0.0, 0.0);
            for i in 0..3 {
                let beyond = x[i] - x[i].clamp(-p[i], p[i]);
                slope += v[i] * beyond;
                steepness += if beyond == 0.0 { 0.0 } else { v[i] * v[i] };
            }
            if steepness == 0.0 {
                return;
            }
            let to = (y[j] - slope / steepness).clamp(-h, h);
            let by = to - y[j];
            if by == 0.0 {
                return;
            }
            *x += v * by;
            y[j] = to;
        }
    }

    /// The corners or edges where y of B, x in the axes of A, is next to A; `None` on a face, and where edges cross.
    #[inline]
    fn features_at(&self, x: &Vector3<f64>, y: &Vector3<f64>) -> Option<Features> {
        let mut features = Features {
            free: [None; 2],
            corners: [[false; 3]; 2],
        };
        for (k, x) in [x, y].into_iter().enumerate() {
            for i in 0..3 {
                features.corners[k][i] = x[i] > 0.0;
                if x[i].abs() < self.half[k][i] {
                    if features.free[k].is_some() {
                        return None;
                    }
                    features.free[k] = Some(i);
                }
            }
        }
        if let [Some(i), Some(j)] = features.free {
            // Two edges that cross are an axis: the end of one is next to the other, or to an end.
            let parts = self.between_edges([i, j], features.points(self));
            for (k, axis) in [i, j].into_iter().enumerate() {
                if parts[k].abs() >= self.half[k][axis] {
                    features.free[k] = None;
                }
                features.corners[k][axis] = parts[k] > 0.0;
            }
        }
        for (corners, free) in features.corners.iter_mut().zip(features.free) {
            if let Some(axis) = free {
                corners[axis] = true;
            }
        }
        (features.free[0].is_none() || features.free[1].is_none()).then_some(features)
    }

    /// Where on the edges through x and y along axes i and j their closest points are, m from their middles.
    ///
    /// Source: C. Ericson, Real-time collision detection, 2005, section 5.1.9.
    fn between_edges(&self, [i, j]: [usize; 2], [x, y]: [Vector3<f64>; 2]) -> [f64; 2] {
        let [h, g] = [self.half[0][i], self.half[1][j]];
        let (mut from, mut to) = (x, y);
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
