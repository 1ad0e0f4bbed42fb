//! Whether a small residual is that of a solution, or of a point on its way to infinity.
//!
//! ```math
//! |F_i| > \rho \sum_j |J_{ij}| \max(1, |z_j|), \qquad \rho = 10^{-3}
//! ```
//!
//! # Method
//! Where F_i is small because z is near a root, a small relative change of z makes it zero: by its linearisation one of
//! |F_i| / Σ_j |J_ij| max(1, |z_j|). F = 1/(1+z) and F = exp(−z) become small because z is large, and nothing but a change
//! of z as large as z itself would make them zero.
//!
//! # Guarantees and limits
//! A root of order k looks like this at a distance > k ρ from it, where F is (k ρ)^k: 4e-6 for a double root. Rows whose
//! residual is the distance of z from a bound, and rows whose linearisation vanishes, are not judged.

use sprs::CsMat;

use super::{Bounds, row_residual};

/// A relative change of z that is larger than this leaves the neighbourhood of a root.
const NEIGHBOURHOOD: f64 = 1e-3;

/// The row whose F is small only because z runs off to infinity, if there is one; the worst of them.
///
/// `f` is F(z), `jacobian` is ∂F/∂z by columns.
pub(crate) fn runs_off(
    bounds: &Bounds,
    z: &[f64],
    f: &[f64],
    jacobian: &CsMat<f64>,
) -> Option<usize> {
    // The residual is |F_i|, or the smaller distance from a bound.
    let is_fault = |i: usize| f[i] != 0.0 && row_residual(bounds, i, z[i], f[i]) >= f[i].abs();
    if !(0..z.len()).any(is_fault) {
        return None;
    }
    let mut reach = vec![0.0; z.len()];
    for (&entry, (row, col)) in jacobian {
        reach[row] += entry.abs() * z[col].abs().max(1.0);
    }
    let share = |i: usize| f[i].abs() / reach[i];
    (0..z.len())
        .filter(|&i| reach[i] > 0.0 && is_fault(i) && share(i) > NEIGHBOURHOOD)
        .max_by(|&i, &j| share(i).total_cmp(&share(j)).then(j.cmp(&i)))
}

/// Whether no entry moves by more than a small part of it: the next step from a solution is as short as that.
pub(crate) fn is_short(from: &[f64], to: &[f64]) -> bool {
    let mut pairs = from.iter().zip(to);
    pairs.all(|(z, end)| (end - z).abs() <= NEIGHBOURHOOD * z.abs().max(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One row z ≥ 0 with F and its derivative, pushed as the entry of a 1 × 1 Jacobian.
    fn alone(z: f64, f: f64, slope: f64) -> Option<usize> {
        let jacobian = CsMat::new_csc((1, 1), vec![0, 1], vec![0], vec![slope]);
        runs_off(&Bounds::nonnegative(1), &[z], &[f], &jacobian)
    }

    #[test]
    fn functions_that_vanish_at_infinity_run_off() {
        for z in [1e4_f64, 1e10, 1e14] {
            let f = 1.0 / (1.0 + z);
            assert_eq!(alone(z, f, -f * f), Some(0), "1/(1+{z:e})");
        }
        for z in [5.0_f64, 23.0, 37.0] {
            assert_eq!(alone(z, (-z).exp(), -(-z).exp()), Some(0), "exp(-{z})");
        }
    }

    #[test]
    fn neighbourhoods_of_roots_do_not() {
        for d in [1e-3_f64, 1e-5, 1e-8, 0.0] {
            assert_eq!(alone(1.0 + d, d * d, 2.0 * d), None, "double root, {d:e}");
            assert_eq!(alone(1.0 + d, d * d * d, 3.0 * d * d), None, "triple root");
        }
        // Far out, but a root: 1e-9 z = 1.
        assert_eq!(alone(1e9 + 1.0, 1e-9, 1e-9), None);
        // A row that does not depend on z, or not here.
        assert_eq!(alone(3.0, 1e-12, 0.0), None);
    }

    #[test]
    fn only_rows_whose_residual_is_their_f_are_judged() {
        let bounds = Bounds::new(vec![0.0, 0.0, 2.0], vec![1.0, 1e20, 2.0]).unwrap();
        let jacobian = CsMat::new_csc((3, 3), vec![0, 1, 2, 3], vec![0, 1, 2], vec![1e-9; 3]);
        let judge = |z: [f64; 3], f: [f64; 3]| runs_off(&bounds, &z, &f, &jacobian);
        // At a bound with F of the right sign, and fixed.
        assert_eq!(judge([0.0, 1e9, 2.0], [5.0, 0.0, -7.0]), None);
        assert_eq!(judge([1.0, 1e9, 2.0], [-5.0, 0.0, -7.0]), None);
        // F < 0 at the lower bound, F ≠ 0 inside: the row that is farther from a root is named.
        assert_eq!(judge([0.0, 1e9, 2.0], [-1e-11, 0.1, 0.0]), Some(1));
        assert_eq!(judge([0.5, 1e9, 2.0], [1e-9, 1e-5, 0.0]), Some(0));
    }
}
