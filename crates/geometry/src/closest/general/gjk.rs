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

/// Distance relative to the size below which the direction of the nearest points is left to the polytope search.
const NEAR: f64 = 1e-4;

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
        let mut best: Option<(f64, Self)> = None;
        for mask in 0u32..(1 << self.len) {
            let mut part = Self::of(new);
            for (i, point) in self.points[..self.len].iter().enumerate() {
                if mask & (1 << i) != 0 && part.len < 4 {
                    part.points[part.len] = *point;
                    part.len += 1;
                }
            }
            if part.len > D + 1 || !part.weigh() {
                continue;
            }
            let square = part.nearest().norm_squared();
            if best.as_ref().is_none_or(|(least, _)| square < *least) {
                best = Some((square, part));
            }
        }
        best.map(|(_, part)| part)
    }

    /// Weights of the point of its plane next to the origin; whether all are positive.
    fn weigh(&mut self) -> bool {
        let k = self.len - 1;
        if k == 0 {
            return true;
        }
        let w0 = self.points[0].vector();
        let mut edges = [SVector::<f64, D>::zeros(); 3];
        for (edge, point) in edges.iter_mut().zip(&self.points[1..self.len]) {
            *edge = point.vector() - w0;
        }
        let Some(weights) = least_squares(&edges[..k], &-w0) else {
            return false;
        };
        self.weights[1..].copy_from_slice(&weights);
        self.weights[0] = 1.0 - weights[..k].iter().sum::<f64>();
        self.weights[..self.len].iter().all(|&w| w > 0.0)
    }
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

/// Searches until the relative error of the distance is at most `tolerance`, from a direction of A to B.
pub(crate) fn gjk<const D: usize>(
    pair: &Pair<'_, D>,
    direction: &SVector<f64, D>,
    tolerance: f64,
) -> Gjk<D> {
    let mut simplex = Simplex::of(pair.nearest(direction));
    let mut v = simplex.nearest();
    let near = NEAR * pair.size;
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
