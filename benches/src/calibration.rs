//! A fixed piece of work, timed beside every bench, so that times of two machines can be compared by their ratio.
//!
//! The kernel is the Cholesky factorisation of a fixed symmetric positive definite matrix, written out here: it must not
//! become faster because a library did.
//!
//! ```math
//! A = L L^T, \qquad A_{ij} = \frac{1}{1 + |i - j|} + n\, \delta_{ij}
//! ```

use std::hint::black_box;
use std::time::{Duration, Instant};

/// Rows of the matrix.
pub const SIZE: usize = 64;

/// Runs of the kernel; the median of their times counts, which no single interruption moves.
const RUNS: usize = 401;

/// Median time of one factorisation on this machine, now.
pub fn calibrate() -> Duration {
    let matrix = matrix();
    let mut factor = matrix.clone();
    let mut times: Vec<_> = (0..RUNS)
        .map(|_| {
            factor.copy_from_slice(&matrix);
            let start = Instant::now();
            factorize(black_box(&mut factor));
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    times[RUNS / 2]
}

/// Prints the calibration as one line: `calibration: .. µs`.
pub fn print_calibration() {
    let micros = calibrate().as_secs_f64() * 1e6;
    println!("calibration: {micros:.2} µs for one Cholesky factorisation of {SIZE} rows");
}

/// The fixed matrix, by rows.
pub fn matrix() -> Vec<f64> {
    let mut a = vec![0.0; SIZE * SIZE];
    for (i, row) in a.chunks_exact_mut(SIZE).enumerate() {
        for (j, value) in row.iter_mut().enumerate() {
            *value = 1.0 / (1.0 + i.abs_diff(j) as f64);
        }
        row[i] += SIZE as f64;
    }
    a
}

/// Overwrites the lower triangle of the matrix, given by rows, with its Cholesky factor L.
///
/// # Examples
/// ```
/// use signorini_benches::{factorize, matrix, SIZE};
/// let a = matrix();
/// let mut l = a.clone();
/// factorize(&mut l);
/// let last = SIZE - 1;
/// let row = &l[last * SIZE..];
/// let square: f64 = row[..SIZE].iter().map(|x| x * x).sum();
/// assert!((square - a[last * SIZE + last]).abs() < 1e-12);
/// ```
///
/// # Panics
/// If the matrix does not have `SIZE * SIZE` values.
pub fn factorize(a: &mut [f64]) {
    assert_eq!(a.len(), SIZE * SIZE, "a square matrix of the fixed size");
    for i in 0..SIZE {
        let (above, row) = a.split_at_mut(i * SIZE);
        for j in 0..i {
            let other = &above[j * SIZE..][..SIZE];
            let dot: f64 = row[..j].iter().zip(&other[..j]).map(|(x, y)| x * y).sum();
            row[j] = (row[j] - dot) / other[j];
        }
        let square: f64 = row[..i].iter().map(|x| x * x).sum();
        row[i] = (row[i] - square).sqrt();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_factor_times_its_transpose_is_the_matrix() {
        let (a, mut l) = (matrix(), matrix());
        factorize(&mut l);
        for i in 0..SIZE {
            for j in 0..=i {
                let dot: f64 = (0..=j).map(|k| l[i * SIZE + k] * l[j * SIZE + k]).sum();
                // Rounding of a sum of at most 64 terms, none larger than 65.
                assert!(
                    (dot - a[i * SIZE + j]).abs() < 64.0 * 65.0 * f64::EPSILON,
                    "({i}, {j})"
                );
            }
        }
    }

    #[test]
    fn the_kernel_takes_time() {
        assert!(calibrate() > Duration::ZERO);
    }
}
