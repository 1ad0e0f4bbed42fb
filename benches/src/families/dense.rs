//! Families with dense matrices.
//!
//! ```math
//! M_{pd} = \frac{A A^T}{n} + 0.01, \quad M_{psd} = \frac{A A^T}{n}, \quad
//! M_{pmat} = D_1 \Big( \frac{A A^T}{n} + 0.01 + \frac{B - B^T}{\sqrt n} \Big) D_2
//! ```
//!
//! In the last two families even seeds give integers, with exact ties and no rounding at all, odd seeds reals.

use signorini_complementarity::Lcp;

use super::rng::Rng;

/// An LCP with what is known of it.
pub(super) struct Made {
    pub(super) lcp: Lcp,
    pub(super) planted: Option<Vec<f64>>,
    pub(super) farkas: Option<Vec<f64>>,
}

impl Made {
    /// M by rows.
    pub(super) fn new(m: &[f64], q: Vec<f64>) -> Self {
        let rows: Vec<&[f64]> = m.chunks_exact(q.len().max(1)).collect();
        Self {
            lcp: Lcp::from_dense(&rows, q).expect("shapes agree and all entries are finite"),
            planted: None,
            farkas: None,
        }
    }
}

pub(super) fn pd(n: usize, rng: &mut Rng) -> Made {
    let a = rng.vector(n * n, -1.0, 1.0);
    let mut m = gram(n, n, &a, n as f64);
    m.iter_mut().step_by(n + 1).for_each(|d| *d += 0.01);
    Made::new(&m, rng.vector(n, -1.0, 1.0))
}

/// Rank ⌊n/2⌋, about half of the planted z positive.
pub(super) fn psd(n: usize, rng: &mut Rng) -> Made {
    let r = n / 2;
    let a = rng.vector(n * r, -1.0, 1.0);
    let m = gram(n, r, &a, n as f64);
    let (mut z, mut w) = (rng.vector(n, 0.0, 1.0), rng.vector(n, 0.0, 1.0));
    for (z, w) in z.iter_mut().zip(&mut w) {
        let chosen = if rng.sign() > 0.0 { w } else { z };
        *chosen = 0.0;
    }
    planted(&m, z, &w)
}

/// P-matrix, neither symmetric nor positive definite.
pub(super) fn pmat(n: usize, rng: &mut Rng) -> Made {
    let a = rng.vector(n * n, -1.0, 1.0);
    let b = rng.vector(n * n, -1.0, 1.0);
    let mut m = gram(n, n, &a, n as f64);
    m.iter_mut().step_by(n + 1).for_each(|d| *d += 0.01);
    let power = |x: f64| 10.0_f64.powf(x);
    let left: Vec<f64> = (0..n).map(|_| power(rng.sign())).collect();
    let right: Vec<f64> = (0..n).map(|_| power(rng.sign())).collect();
    let root = (n as f64).sqrt();
    for i in 0..n {
        for j in 0..n {
            let skew = (b[i * n + j] - b[j * n + i]) / root;
            m[i * n + j] = left[i] * (m[i * n + j] + skew) * right[j];
        }
    }
    let q = left.iter().map(|d| d * rng.sign()).collect();
    Made::new(&m, q)
}

/// The numbers of a degenerate family: integers, which tie exactly, or reals.
#[derive(Clone, Copy)]
pub(super) enum Numbers {
    Integer,
    Real,
}

impl Numbers {
    pub(super) fn of(seed: u64) -> Self {
        if seed.is_multiple_of(2) {
            Self::Integer
        } else {
            Self::Real
        }
    }

    /// −1, 0 or 1; or from [−1, 1).
    pub(super) fn entry(self, rng: &mut Rng) -> f64 {
        match self {
            Self::Integer => rng.integer(-1.0, 1.0),
            Self::Real => rng.sign(),
        }
    }

    /// 1, 2 or 3; or from [0.1, 1.1).
    pub(super) fn positive(self, rng: &mut Rng) -> f64 {
        match self {
            Self::Integer => rng.integer(1.0, 3.0),
            Self::Real => rng.between(0.1, 1.1),
        }
    }

    /// The divisor of a Gram matrix.
    pub(super) fn divisor(self, n: usize) -> f64 {
        match self {
            Self::Integer => 1.0,
            Self::Real => n as f64,
        }
    }

    /// z and w of a solution: a third of the indices has z > 0, a third w > 0, a third neither.
    pub(super) fn solution(self, n: usize, rng: &mut Rng) -> (Vec<f64>, Vec<f64>) {
        let (mut z, mut w) = (vec![0.0; n], vec![0.0; n]);
        for (z, w) in z.iter_mut().zip(&mut w) {
            let (kind, value) = (rng.integer(0.0, 2.0), self.positive(rng));
            match kind {
                0.0 => *z = value,
                1.0 => *w = value,
                _ => {}
            }
        }
        (z, w)
    }
}

/// Rank ⌈n/4⌉, less than the number of positive z; biactive indices.
pub(super) fn degenerate_psd(n: usize, seed: u64, rng: &mut Rng) -> Made {
    let numbers = Numbers::of(seed);
    let r = n.div_ceil(4);
    let a: Vec<f64> = (0..n * r).map(|_| numbers.entry(rng)).collect();
    let m = gram(n, r, &a, numbers.divisor(n));
    let (z, w) = numbers.solution(n, rng);
    planted(&m, z, &w)
}

/// Positive semidefinite without a feasible point: x ≥ 0, Aᵀ x = 0, q · x = −1 for the ones x of a random set of rows.
/// Integers for all seeds, so that the equations hold exactly.
pub(super) fn infeasible_psd(n: usize, rng: &mut Rng) -> Made {
    let numbers = Numbers::Integer;
    let r = n.div_ceil(2);
    let mut a: Vec<f64> = (0..n * r).map(|_| numbers.entry(rng)).collect();
    let support = support(n, rng);
    let (last, others) = support.split_last().expect("two rows at least");
    for k in 0..r {
        a[last * r + k] = -others.iter().map(|i| a[i * r + k]).sum::<f64>();
    }
    let m = gram(n, r, &a, 1.0);
    let (z, mut w) = numbers.solution(n, rng);
    for &i in &support {
        w[i] = 0.0;
    }
    w[*last] = -1.0;
    let mut made = planted(&m, z, &w);
    made.planted = None;
    made.farkas = Some(indicator(n, &support));
    made
}

/// Two to five different indices below n, or one if n is.
pub(super) fn support(n: usize, rng: &mut Rng) -> Vec<usize> {
    let size = rng.integer(2.0, 5.0).min(n as f64);
    let mut chosen = Vec::new();
    while (chosen.len() as f64) < size {
        let index = pick(n, rng);
        if !chosen.contains(&index) {
            chosen.push(index);
        }
    }
    chosen
}

/// One of 0, .., n − 1.
pub(super) fn pick(n: usize, rng: &mut Rng) -> usize {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a floor between 0 and n"
    )]
    let index = rng.between(0.0, n as f64) as usize;
    index.min(n - 1)
}

pub(super) fn indicator(n: usize, support: &[usize]) -> Vec<f64> {
    let one = |i| f64::from(u8::from(support.contains(&i)));
    (0..n).map(one).collect()
}

/// q = w − M z.
pub(super) fn planted(m: &[f64], z: Vec<f64>, w: &[f64]) -> Made {
    let product = |row: &[f64]| row.iter().zip(&z).map(|(m, z)| m * z).sum::<f64>();
    let q = m
        .chunks_exact(z.len().max(1))
        .zip(w)
        .map(|(row, w)| w - product(row))
        .collect();
    let mut made = Made::new(m, q);
    made.planted = Some(z);
    made
}

/// A Aᵀ / divisor by rows, symmetric to the last bit, from the n × r matrix A by rows.
pub(super) fn gram(n: usize, r: usize, a: &[f64], divisor: f64) -> Vec<f64> {
    /// Columns of A at a time: with 1000 rows they stay in the cache.
    const BLOCK: usize = 64;
    let mut m = vec![0.0; n * n];
    let mut turned = vec![0.0; BLOCK * n];
    for first in (0..r).step_by(BLOCK) {
        let width = BLOCK.min(r - first);
        for i in 0..n {
            for k in 0..width {
                turned[k * n + i] = a[i * r + first + k];
            }
        }
        for i in 0..n {
            let row = &mut m[i * n..][..=i];
            for k in 0..width {
                let factor = a[i * r + first + k];
                let other = &turned[k * n..][..=i];
                row.iter_mut()
                    .zip(other)
                    .for_each(|(m, a)| *m += factor * a);
            }
        }
    }
    for i in 0..n {
        for j in 0..=i {
            m[i * n + j] /= divisor;
            m[j * n + i] = m[i * n + j];
        }
    }
    m
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gram_matrix_is_made_of_scalar_products() {
        let (n, r) = (5, 70);
        let a = Rng::new(1).vector(n * r, -1.0, 1.0);
        let m = gram(n, r, &a, 2.0);
        for i in 0..n {
            for j in 0..n {
                let dot: f64 = (0..r).map(|k| a[i * r + k] * a[j * r + k]).sum();
                assert!((m[i * n + j] - dot / 2.0).abs() < 1e-14, "{i} {j}");
                assert_eq!(m[i * n + j], m[j * n + i]);
            }
        }
    }
}
