//! Problems with known answers, for tests and benches.
//!
//! # References
//! - \[M1988\] K. G. Murty, Linear Complementarity, Linear and Nonlinear Programming, 1988.
//! - \[F1979\] Y. Fathi, Computational complexity of LCPs associated with positive definite symmetric matrices,
//!   Mathematical Programming 17, 1979.

mod contacts;

pub use contacts::{heap, random_contacts};

use crate::rng::SplitMix64;
use crate::{Bounds, Lcp, LinearMcp};

/// A linear complementarity problem with an answer.
///
/// # Examples
/// ```
/// use signorini_complementarity::{collection, natural_residual};
/// let murty = collection::murty(4);
/// assert_eq!(murty.z, [0.0, 0.0, 0.0, 1.0]);
/// assert_eq!(natural_residual(&murty.lcp, &murty.z), 0.0);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Known {
    /// Short name with its size, such as `murty-4`.
    pub name: String,
    /// The problem.
    pub lcp: Lcp,
    /// An answer.
    pub z: Vec<f64>,
    /// Whether it is the only one.
    pub unique: bool,
}

impl Known {
    fn new(name: &str, rows: &[Vec<f64>], q: Vec<f64>, z: Vec<f64>, unique: bool) -> Self {
        let name = format!("{name}-{}", q.len());
        let lcp = Lcp::from_dense(rows, q).expect("the collection is well formed");
        Self {
            name,
            lcp,
            z,
            unique,
        }
    }
}

fn matrix(n: usize, entry: impl Fn(usize, usize) -> f64) -> Vec<Vec<f64>> {
    (0..n)
        .map(|i| (0..n).map(|j| entry(i, j)).collect())
        .collect()
}

fn unit(n: usize, i: usize, value: f64) -> Vec<f64> {
    (0..n).map(|k| if k == i { value } else { 0.0 }).collect()
}

/// M upper triangular, 1 on the diagonal and 2 above, q = −1: z = (0, .., 0, 1). Lemke with d = 1: 2n pivots. n ≥ 1.
pub fn murty(n: usize) -> Known {
    let rows = matrix(n, |i, j| {
        if i == j {
            1.0
        } else {
            2.0 * f64::from(u8::from(j > i))
        }
    });
    Known::new("murty", &rows, vec![-1.0; n], unit(n, n - 1, 1.0), true)
}

/// M lower triangular, 1 on the diagonal and 2 below, q_i = −Σ_{k ≤ i} 2^{n+1−k}: z = (2ⁿ, 0, .., 0). Lemke with
/// d = 1 takes 2ⁿ pivots. 1 ≤ n ≤ 40.
pub fn murty_exponential(n: usize) -> Known {
    let rows = matrix(n, |i, j| {
        if i == j {
            1.0
        } else {
            2.0 * f64::from(u8::from(j < i))
        }
    });
    Known::new(
        "murty-exponential",
        &rows,
        exponential_q(n),
        unit(n, 0, 2.0_f64.powi(to_i32(n))),
        true,
    )
}

/// M = A Aᵀ with A lower triangular, 1 on the diagonal and 2 below, q = −1: z = (1, 0, .., 0). Symmetric positive
/// definite. n ≥ 1.
pub fn fathi(n: usize) -> Known {
    let a = |i: usize, j: usize| {
        if i == j {
            1.0
        } else {
            2.0 * f64::from(u8::from(j < i))
        }
    };
    let rows = matrix(n, |i, j| (0..n).map(|k| a(i, k) * a(j, k)).sum());
    Known::new("fathi", &rows, vec![-1.0; n], unit(n, 0, 1.0), true)
}

/// The matrix of [`fathi`] with the vector of [`murty_exponential`]; its answer is (2ⁿ, 0, .., 0).
/// 1 ≤ n ≤ 40.
///
/// # Panics
/// If n is beyond all memory.
pub fn fathi_exponential(n: usize) -> Known {
    let mut known = fathi(n);
    known.lcp = Lcp::new(known.lcp.m().clone(), exponential_q(n)).expect("only q changed");
    known.z = unit(n, 0, 2.0_f64.powi(to_i32(n)));
    known.name = format!("fathi-exponential-{n}");
    known
}

fn exponential_q(n: usize) -> Vec<f64> {
    let power = |k: usize| 2.0_f64.powi(to_i32(n + 1 - k));
    (1..=n).map(|i| -(1..=i).map(power).sum::<f64>()).collect()
}

fn to_i32(n: usize) -> i32 {
    i32::try_from(n).expect("sizes are small")
}

/// Three variables, P-matrix, all ratios tied at the start: first-index tie breaking cycles. z = (1, 1, 1)/3.
pub fn cycling() -> Known {
    let rows = [
        vec![1.0, 2.0, 0.0],
        vec![0.0, 1.0, 2.0],
        vec![2.0, 0.0, 1.0],
    ];
    Known::new("cycling", &rows, vec![-1.0; 3], vec![1.0 / 3.0; 3], true)
}

/// M of ones, q = −1: every z ≥ 0 of sum 1. Singular positive semidefinite. n ≥ 1.
pub fn psd_singular(n: usize) -> Known {
    Known::new(
        "psd-singular",
        &matrix(n, |_, _| 1.0),
        vec![-1.0; n],
        unit(n, 0, 1.0),
        n == 1,
    )
}

/// Discrete obstacle problem: M = tridiag(−1, 2, −1), planted contact set and forces.
pub fn z_obstacle(n: usize, seed: u64) -> Known {
    let rows = matrix(n, |i, j| match i.abs_diff(j) {
        0 => 2.0,
        1 => -1.0,
        _ => 0.0,
    });
    plant("z-obstacle", &rows, 0, SplitMix64::new(seed))
}

/// Random symmetric M = A Aᵀ/n + 1 with entries of A in [−1, 1), well conditioned; planted answer with `degenerate`
/// indices where z and w are both zero.
///
/// # Panics
/// If `degenerate > n`.
pub fn planted_spd(n: usize, degenerate: usize, seed: u64) -> Known {
    planted_gram("planted-spd", n, degenerate, (seed, 0.0))
}

/// As [`planted_spd`] with a skew-symmetric part of the size of the symmetric one.
///
/// # Panics
/// If `degenerate > n`.
pub fn planted_skew(n: usize, degenerate: usize, seed: u64) -> Known {
    planted_gram("planted-skew", n, degenerate, (seed, 1.0))
}

fn planted_gram(name: &str, n: usize, degenerate: usize, (seed, skew): (u64, f64)) -> Known {
    assert!(degenerate <= n, "at most n indices can be degenerate");
    let mut rng = SplitMix64::new(seed);
    let a: Vec<f64> = (0..n * n).map(|_| 2.0 * rng.uniform() - 1.0).collect();
    let k: Vec<f64> = (0..n * n)
        .map(|_| skew * (2.0 * rng.uniform() - 1.0))
        .collect();
    let rows = matrix(n, |i, j| {
        let gram: f64 = (0..n).map(|l| a[i * n + l] * a[j * n + l]).sum();
        gram / n as f64 + k[i * n + j] - k[j * n + i] + f64::from(u8::from(i == j))
    });
    plant(name, &rows, degenerate, rng)
}

/// Chooses z and w complementary, `degenerate` indices with both zero, and sets q = w − M z.
fn plant(name: &str, rows: &[Vec<f64>], degenerate: usize, mut rng: SplitMix64) -> Known {
    let n = rows.len();
    let (mut z, mut w) = (vec![0.0; n], vec![0.0; n]);
    // The degenerate indices come first in a random order.
    let mut order: Vec<usize> = (0..n).collect();
    for i in (1..n).rev() {
        let pick = rng.below(i + 1);
        order.swap(i, pick);
    }
    for &i in &order[degenerate..] {
        let value = 0.1 + rng.uniform();
        if rng.uniform() < 0.5 {
            z[i] = value;
        } else {
            w[i] = value;
        }
    }
    let product = |row: &Vec<f64>| row.iter().zip(&z).map(|(m, z)| m * z).sum::<f64>();
    let q = rows
        .iter()
        .zip(&w)
        .map(|(row, w)| w - product(row))
        .collect();
    Known::new(name, rows, q, z, true)
}

/// A problem with the matrix of `known`, which must be positive definite, and all kinds of bounds: its planted answer
/// is at the lower bound, at the upper one, inside, free or fixed in turn. Returns the problem and its only answer.
///
/// # Panics
/// Never: the bounds are ordered by construction.
pub fn planted_bounds(known: &Known, seed: u64) -> (LinearMcp, Vec<f64>) {
    let n = known.lcp.len();
    let mut rng = SplitMix64::new(seed ^ 0xB0_0D5);
    let (mut lower, mut upper) = (vec![f64::NEG_INFINITY; n], vec![f64::INFINITY; n]);
    let mut q = vec![0.0; n];
    let z: Vec<f64> = (0..n).map(|_| 4.0 * rng.uniform() - 2.0).collect();
    for i in 0..n {
        match i % 7 {
            0 => (lower[i], q[i]) = (z[i], rng.uniform()),
            1 => (upper[i], q[i]) = (z[i], -rng.uniform()),
            2 => (lower[i], upper[i]) = (z[i] - 1.0, z[i] + rng.uniform()),
            3 => {}
            4 => (lower[i], upper[i], q[i]) = (z[i], z[i], rng.uniform() - 0.5),
            5 => (lower[i], upper[i], q[i]) = (z[i], z[i] + 1.0, rng.uniform()),
            _ => (lower[i], upper[i], q[i]) = (z[i] - 1.0, z[i], -rng.uniform()),
        }
    }
    for (&m, (i, j)) in known.lcp.m() {
        q[i] -= m * z[j];
    }
    let bounds = Bounds::new(lower, upper).expect("ordered by construction");
    (
        LinearMcp::new(known.lcp.m().clone(), q, bounds).expect("well formed"),
        z,
    )
}

/// All problems with an answer at the sizes that a test suite can afford.
pub fn all() -> Vec<Known> {
    let mut all = vec![cycling()];
    for n in [1, 2, 5, 20] {
        all.extend([murty(n), fathi(n), psd_singular(n), z_obstacle(n, 7)]);
        for degenerate in [0, n / 2, n] {
            all.extend([
                planted_spd(n, degenerate, 11),
                planted_skew(n, degenerate, 12),
            ]);
        }
    }
    for n in [1, 4, 8] {
        all.extend([murty_exponential(n), fathi_exponential(n)]);
    }
    all
}
