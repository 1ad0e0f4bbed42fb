//! Bisymmetric problems with a copositive block.
//!
//! ```math
//! M = \begin{pmatrix} S + C C^T & -B^T \\ B & 0 \end{pmatrix}, \qquad S_{ij} > 0
//! ```
//!
//! The block is strictly copositive (x · S x > 0 for x ≥ 0, x ≠ 0) and indefinite as a rule, so M is copositive-plus and
//! not monotone. Lemke's method solves such problems or proves that they are infeasible. Even seeds give integers.

use super::dense::{Made, Numbers, gram, indicator, planted, support};
use super::rng::Rng;

/// M by rows: ⌊n/3⌋ rows of B, C of a quarter of the other columns.
fn matrix(n: usize, (numbers, divisor): (Numbers, f64), b: &[f64], rng: &mut Rng) -> Vec<f64> {
    let p = n - n / 3;
    let r = p.div_ceil(4);
    let c: Vec<f64> = (0..p * r).map(|_| numbers.entry(rng)).collect();
    let square = gram(p, r, &c, divisor);
    let mut m = vec![0.0; n * n];
    for i in 0..p {
        for j in 0..=i {
            let entry = numbers.positive(rng) + square[i * p + j];
            m[i * n + j] = entry;
            m[j * n + i] = entry;
        }
    }
    for (k, row) in b.chunks_exact(p).enumerate() {
        for (j, &entry) in row.iter().enumerate() {
            m[(p + k) * n + j] = entry;
            m[j * n + p + k] = -entry;
        }
    }
    m
}

pub(super) fn copositive_plus(n: usize, seed: u64, rng: &mut Rng) -> Made {
    let numbers = Numbers::of(seed);
    let p = n - n / 3;
    let b: Vec<f64> = (0..(n - p) * p).map(|_| numbers.entry(rng)).collect();
    let m = matrix(n, (numbers, numbers.divisor(p)), &b, rng);
    let (z, w) = numbers.solution(n, rng);
    planted(&m, z, &w)
}

/// The rows of B in a random set sum to at most 0, those of q to −1: no z ≥ 0 satisfies them. Integers for all seeds.
pub(super) fn infeasible(n: usize, rng: &mut Rng) -> Made {
    let numbers = Numbers::Integer;
    let p = n - n / 3;
    let mut b: Vec<f64> = (0..(n - p) * p).map(|_| numbers.entry(rng)).collect();
    let chosen = support(n - p, rng);
    let (last, others) = chosen.split_last().expect("a row at least");
    for j in 0..p {
        let sum: f64 = others.iter().map(|i| b[i * p + j]).sum();
        b[last * p + j] = -sum - rng.integer(0.0, 1.0);
    }
    let m = matrix(n, (numbers, 1.0), &b, rng);
    let (mut z, mut w) = numbers.solution(n, rng);
    let chosen: Vec<usize> = chosen.iter().map(|i| p + i).collect();
    // With z = 0 in the columns of B the planted point does not enter the sum of the chosen rows of q.
    z[..p].fill(0.0);
    for &i in &chosen {
        w[i] = 0.0;
    }
    w[chosen[0]] = -1.0;
    let mut made = planted(&m, z, &w);
    made.planted = None;
    made.farkas = Some(indicator(n, &chosen));
    made
}
