//! Directions in which an intersection has no end.
//!
//! ```math
//! C = \{ d : n_i \cdot d \le 0,\ d \parallel a_j \}
//! ```
//!
//! for half-spaces with outward normals n and tubes with axes a. The body is bounded if C is zero.
//!
//! # Method
//! Every direction goes through a face of the cube |dᵢ| ≤ 1. Each face is clipped by the half-spaces, two pairs of them for
//! a tube; what is left are directions without end.
//!
//! # Guarantees and limits
//! Decided to rounding for half-spaces and tubes. A user's surface says nothing of far away: beside one, an empty C proves
//! that the body is bounded, any other C nothing.
//!
//! # References
//! - I. E. Sutherland, G. W. Hodgman, Reentrant polygon clipping, Comm. ACM 17 (1974) 32–42, doi 10.1145/360767.360802.

use nalgebra::SVector;

use super::part::Piece;

/// Sine of the angle by which a direction may leave a half-space: rounding of normals and axes.
const LEVEL: f64 = 1e-13;

/// A direction without end as far as half-spaces and tubes tell, of those in the middle of a face's rest the one that goes
/// furthest inwards; `None` if the body is bounded.
pub(super) fn without_end<const D: usize>(pieces: &[Piece<D>]) -> Option<SVector<f64, D>> {
    if pieces.iter().any(Piece::is_bounded) {
        return None;
    }
    let mut normals = Vec::with_capacity(pieces.len());
    for piece in pieces {
        piece.walls(&mut normals);
    }
    let mut best: Option<(f64, SVector<f64, D>)> = None;
    for axis in 0..D {
        for sign in [1.0, -1.0] {
            let mut rest = face(axis, sign);
            for normal in &normals {
                rest = clipped(&rest, normal);
            }
            if rest.is_empty() {
                continue;
            }
            let middle = rest.iter().sum::<SVector<f64, D>>().normalize();
            let heights = normals.iter().map(|normal| normal.dot(&middle));
            let highest = heights.fold(f64::NEG_INFINITY, f64::max);
            if best.is_none_or(|(other, _)| highest < other) {
                best = Some((highest, middle));
            }
        }
    }
    // No rounding where it would be read.
    let clean = |x: f64| if x.abs() <= LEVEL { 0.0 } else { x };
    best.map(|(_, direction)| direction.map(clean))
}

/// The corners of a face of the cube in order; in the plane it is a side.
fn face<const D: usize>(axis: usize, sign: f64) -> Vec<SVector<f64, D>> {
    let corner = |[u, v]: [f64; 2]| {
        let mut d = SVector::repeat(0.0);
        d[axis] = sign;
        d[(axis + 1) % D] = u;
        if D == 3 {
            d[(axis + 2) % D] = v;
        }
        d
    };
    let round = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
    let count = if D == 2 { 2 } else { 4 };
    round[..count].iter().map(|&at| corner(at)).collect()
}

/// The part of a polygon in the half-space n·d ≤ 0.
fn clipped<const D: usize>(
    polygon: &[SVector<f64, D>],
    normal: &SVector<f64, D>,
) -> Vec<SVector<f64, D>> {
    let mut out = Vec::with_capacity(polygon.len() + 1);
    for (i, from) in polygon.iter().enumerate() {
        let to = &polygon[(i + 1) % polygon.len()];
        let (x, y) = (normal.dot(from) - LEVEL, normal.dot(to) - LEVEL);
        if x <= 0.0 {
            out.push(*from);
        }
        if (x < 0.0 && y > 0.0) || (x > 0.0 && y < 0.0) {
            out.push(from + (to - from) * (x / (x - y)));
        }
    }
    out
}
