//! Distance of two cores that are apart, by simplices of support points.
//!
//! # Method
//! The point of a simplex in B − A next to the origin gives a direction; the support point against it either shows that
//! no point is nearer, or replaces part of the simplex. Whether a sub-simplex carries the nearest point is decided by
//! solving for it and looking at the signs of its weights; all those with the newest point are tried.
//!
//! # Guarantees and limits
//! |v|² − v·w ≤ ε |v|² bounds the relative error of the distance. Near contact the direction is v/|v| with |v| near
//! rounding: the caller then searches by polytope.
//!
//! # References
//! - E. G. Gilbert, D. W. Johnson, S. S. Keerthi, A fast procedure for computing the distance between complex objects in
//!   three-dimensional space, IEEE J. Robotics Automation 4 (1988) 193–203, doi 10.1109/56.2083.

use nalgebra::SVector;

use super::pair::{Difference, Pair, Touch};

/// How a search by simplices ended.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Gjk<const D: usize> {
    /// The cores are apart: nearest points to the tolerance asked for.
    Apart(Touch<D>),
    /// They overlap, touch, or are too near to tell; the last direction that was sure.
    Near(SVector<f64, D>),
}

/// Part of the squared distance by which a point may lie before the plane of the nearest: rounding.
const SURE: f64 = 1e-12;

/// Support points at most; curved bodies take about ten for a thousandth.
const POINTS: u32 = 200;

/// A simplex of at most D + 1 points with the weights of the point next to the origin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Simplex<const D: usize> {
    points: [Difference<D>; 4],
    weights: [f64; 4],
    len: usize,
}

impl<const D: usize> Simplex<D> {
    fn of(point: Difference<D>) -> Self {
        let mut points = [Difference::zero(); 4];
        points[0] = point;
        Self {
            points,
            weights: [1.0, 0.0, 0.0, 0.0],
            len: 1,
        }
    }

    fn sum(&self, part: impl Fn(&Difference<D>) -> SVector<f64, D>) -> SVector<f64, D> {
        self.points[..self.len]
            .iter()
            .zip(self.weights)
            .map(|(point, weight)| part(point) * weight)
            .sum()
    }

    fn nearest(&self) -> SVector<f64, D> {
        self.sum(Difference::vector)
    }

    /// The sub-simplex with the point next to the origin, of those with the new point.
    fn with(&self, new: Difference<D>) -> Option<Self> {
        let mut w = [new.vector(); 4];
        for (w, point) in w[1..].iter_mut().zip(&self.points[..self.len]) {
            *w = point.vector();
        }
        let mut best: Option<(f64, u32, [f64; 4])> = None;
        // Larger parts first: mostly one of them is it.
        for mask in (0u32..1 << self.len).rev() {
            if mask.count_ones() as usize > D {
                continue;
            }
            let Some((weights, nearest)) = weigh(&w, mask) else {
                continue;
            };
            let square = nearest.norm_squared();
            if best.is_none_or(|(least, ..)| square < least) {
                best = Some((square, mask, weights));
                // No point of the simplex lies before the plane through this one.
                let level = square * (1.0 - SURE);
                if w[..=self.len].iter().all(|w| nearest.dot(w) >= level) {
                    break;
                }
            }
        }
        let (_, mask, weights) = best?;
        let mut part = Self::of(new);
        part.weights = weights;
        for (i, point) in self.points[..self.len].iter().enumerate() {
            if mask & (1 << i) != 0 {
                part.points[part.len] = *point;
                part.len += 1;
            }
        }
        Some(part)
    }
}

/// Weights of the point next to the origin of the plane through the first point and those of the mask, and that point;
/// `None` if not all are positive.
fn weigh<const D: usize>(
    w: &[SVector<f64, D>; 4],
    mask: u32,
) -> Option<([f64; 4], SVector<f64, D>)> {
    let mut edges = [SVector::<f64, D>::zeros(); 3];
    let mut k = 0;
    for i in 0..3 {
        if mask & (1 << i) != 0 {
            edges[k] = w[i + 1] - w[0];
            k += 1;
        }
    }
    let factors = least_squares(&edges[..k], &-w[0])?;
    let mut weights = [0.0; 4];
    weights[1..].copy_from_slice(&factors);
    weights[0] = 1.0 - factors[..k].iter().sum::<f64>();
    if !weights[..=k].iter().all(|&w| w > 0.0) {
        return None;
    }
    let mut all = [w[0]; 4];
    let mut slot = 1;
    for i in 0..3 {
        if mask & (1 << i) != 0 {
            all[slot] = w[i + 1];
            slot += 1;
        }
    }
    let nearest = (0..=k).map(|i| all[i] * weights[i]).sum();
    Some((weights, nearest))
}

/// Factors of the vectors whose sum is next to `target`, by Gram–Schmidt; `None` if the vectors are dependent.
fn least_squares<const D: usize>(
    vectors: &[SVector<f64, D>],
    target: &SVector<f64, D>,
) -> Option<[f64; 3]> {
    /// Part of a vector left after projection, below which it is rounding.
    const DEPENDENT: f64 = 1e-14;
    let k = vectors.len();
    let mut q = [SVector::<f64, D>::zeros(); 3];
    let mut r = [[0.0; 3]; 3];
    for j in 0..k {
        let mut v = vectors[j];
        let length = v.norm();
        for i in 0..j {
            r[i][j] = q[i].dot(&v);
            v -= q[i] * r[i][j];
        }
        r[j][j] = v.norm();
        if r[j][j] <= DEPENDENT * length || length == 0.0 {
            return None;
        }
        q[j] = v / r[j][j];
    }
    let mut x = [0.0; 3];
    for j in (0..k).rev() {
        let known: f64 = (j + 1..k).map(|i| r[j][i] * x[i]).sum();
        x[j] = (q[j].dot(target) - known) / r[j][j];
    }
    Some(x)
}

/// Searches from a direction of A to B until the relative error of the distance is at most `tolerance`, or the distance
/// at most `near`.
pub(crate) fn gjk<const D: usize>(
    pair: &Pair<'_, D>,
    direction: &SVector<f64, D>,
    [tolerance, near]: [f64; 2],
) -> Gjk<D> {
    let mut simplex = Simplex::of(pair.nearest(direction));
    let mut v = simplex.nearest();
    let mut sure = *direction;
    for _ in 0..POINTS {
        let square = v.norm_squared();
        if square.is_nan() || square <= near * near {
            return Gjk::Near(sure);
        }
        let n = v / square.sqrt();
        sure = n;
        let new = pair.nearest(&n);
        let w = new.vector();
        let known = square - v.dot(&w) <= tolerance * square;
        let next = if known { None } else { simplex.with(new) };
        match next {
            Some(part) if part.nearest().norm_squared() < square && !known => {
                simplex = part;
                v = simplex.nearest();
                if simplex.len == D + 1 {
                    return Gjk::Near(sure);
                }
            }
            _ => {
                return Gjk::Apart(Touch {
                    a: simplex.sum(|point| point.a),
                    b: simplex.sum(|point| point.b),
                    n,
                });
            }
        }
    }
    let n = v / v.norm();
    Gjk::Apart(Touch {
        a: simplex.sum(|point| point.a),
        b: simplex.sum(|point| point.b),
        n,
    })
}
