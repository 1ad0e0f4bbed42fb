//! The border to the dense factorisations of faer; nothing of it leaves the crate. Always sequential.

use std::mem::MaybeUninit;

use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::linalg::lu::partial_pivoting::{factor, solve};
use faer::linalg::matmul::matmul;
use faer::perm::PermRef;
use faer::{Accum, MatMut, MatRef, Par, Spec};

/// Workspace of faer that is kept from one call to the next.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch(Vec<MaybeUninit<u8>>);

impl Scratch {
    /// Room for `request`.
    pub(crate) fn stack(&mut self, request: StackReq) -> &mut MemStack {
        let bytes = request.unaligned_bytes_required();
        if self.0.len() < bytes {
            self.0.resize(bytes, MaybeUninit::uninit());
        }
        MemStack::new(&mut self.0)
    }
}

/// P A = L U of a dense matrix, with partial pivoting.
#[derive(Clone, Debug)]
pub(crate) struct DenseLu {
    n: usize,
    lu: Vec<f64>,
    forward: Vec<usize>,
    backward: Vec<usize>,
    pivot_ratio: f64,
}

impl DenseLu {
    /// Factorises the matrix `a` stored by columns; `None` if it is exactly singular or an entry overflows.
    pub(crate) fn new(n: usize, mut a: Vec<f64>) -> Option<Self> {
        let (mut forward, mut backward) = (vec![0_usize; n], vec![0_usize; n]);
        if n > 0 {
            let request =
                factor::lu_in_place_scratch::<usize, f64>(n, n, Par::Seq, Spec::default());
            factor::lu_in_place(
                MatMut::from_column_major_slice_mut(&mut a, n, n),
                &mut forward,
                &mut backward,
                Par::Seq,
                MemStack::new(&mut MemBuffer::new(request)),
                Spec::default(),
            );
        }
        let pivots = || a.iter().step_by(n + 1).map(|p| p.abs());
        let (smallest, largest) = (
            pivots().fold(f64::INFINITY, f64::min),
            pivots().fold(0.0, f64::max),
        );
        let pivot_ratio = if n == 0 { 1.0 } else { smallest / largest };
        let usable = pivot_ratio > 0.0 && a.iter().all(|x| x.is_finite());
        usable.then_some(Self {
            n,
            lu: a,
            forward,
            backward,
            pivot_ratio,
        })
    }

    /// Smallest over largest pivot: a cheap sign of singularity for an equilibrated matrix.
    pub(crate) fn pivot_ratio(&self) -> f64 {
        self.pivot_ratio
    }

    /// rhs ← A⁻¹ rhs for `columns` right-hand sides stored by rows, (n, columns).
    pub(crate) fn solve(&self, rhs: &mut [f64], columns: usize) {
        if self.n == 0 || columns == 0 {
            return;
        }
        let lu = MatRef::from_column_major_slice(&self.lu, self.n, self.n);
        let request = solve::solve_in_place_scratch::<usize, f64>(self.n, columns, Par::Seq);
        solve::solve_in_place(
            lu,
            lu,
            PermRef::new_checked(&self.forward, &self.backward, self.n),
            MatMut::from_row_major_slice_mut(rhs, self.n, columns),
            Par::Seq,
            MemStack::new(&mut MemBuffer::new(request)),
        );
    }
}

/// c += a b, all stored by rows; a is (rows, inner), b is (inner, cols).
pub(crate) fn multiply_add(
    a: &[f64],
    b: &[f64],
    c: &mut [f64],
    (rows, inner, cols): (usize, usize, usize),
) {
    if rows == 0 || inner == 0 || cols == 0 {
        return;
    }
    matmul(
        MatMut::from_row_major_slice_mut(c, rows, cols),
        Accum::Add,
        MatRef::from_row_major_slice(a, rows, inner),
        MatRef::from_row_major_slice(b, inner, cols),
        1.0,
        Par::Seq,
    );
}

/// x ← factor · x.
pub(crate) fn scale(x: &mut [f64], factor: f64) {
    for x in x {
        *x *= factor;
    }
}

/// Powers of two (r, c) that bring the rows and columns of `a` (stored by rows, n × n) near one: r_i a_ij c_j.
///
/// Three passes, each by the geometric mean of the largest and smallest entry of a row or column, where entries below
/// [`NOISE`] times the largest do not count. Zero rows and columns keep the factor one. Powers of two make scaling and
/// unscaling exact.
pub(crate) fn equilibrate(n: usize, a: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let (mut row, mut col) = (vec![1.0; n], vec![1.0; n]);
    for _ in 0..3 {
        for i in 0..n {
            let scaled = a[i * n..][..n].iter().zip(&col).map(|(a, c)| (a * c).abs());
            row[i] = balancing_power(scaled, row[i]);
        }
        for (j, col) in col.iter_mut().enumerate() {
            let scaled = a
                .iter()
                .skip(j)
                .step_by(n)
                .zip(&row)
                .map(|(a, r)| (a * r).abs());
            *col = balancing_power(scaled, *col);
        }
    }
    (row, col)
}

/// Entries below this times the largest of their row or column do not scale it: the products of orthogonal directions
/// in a contact problem are roundings of 1e-17 instead of zero, and a row scaled by them is scaled by noise.
const NOISE: f64 = 1e-12;

/// 2^(−k) with k the rounded mean of the exponents of the extreme entries; `keep` if all are zero.
pub(crate) fn balancing_power(entries: impl Iterator<Item = f64> + Clone, keep: f64) -> f64 {
    let largest = entries.clone().fold(0.0_f64, f64::max);
    let counted = entries.filter(|x| *x > 0.0 && *x >= NOISE * largest);
    let smallest = counted.fold(f64::INFINITY, f64::min);
    if largest > 0.0 && largest.is_finite() {
        // Halves go down in every pass; rounding them away from zero would let rows and columns drift apart.
        let mean = (0.5 * (smallest.log2() + largest.log2()) - 0.5).ceil();
        // Kept away from the ends of the exponent range, so that products of two factors stay finite.
        (-mean.clamp(-400.0, 400.0)).exp2()
    } else {
        keep
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lu_solves_row_major_right_hand_sides() {
        // A = [1 2; 3 4] by columns; A (1, 0) = (1, 3), A (1, -1) = (-1, -1)
        let lu = DenseLu::new(2, vec![1.0, 3.0, 2.0, 4.0]).unwrap();
        let mut rhs = [1.0, -1.0, 3.0, -1.0];
        lu.solve(&mut rhs, 2);
        for (x, expected) in rhs.iter().zip([1.0, 1.0, 0.0, -1.0]) {
            assert!((x - expected).abs() < 1e-15);
        }
        assert!(DenseLu::new(2, vec![1.0, 2.0, 2.0, 4.0]).is_none());
        assert!(DenseLu::new(0, vec![]).is_some());
    }

    #[test]
    fn product_is_added() {
        let mut c = [1.0, 0.0];
        multiply_add(&[1.0, 2.0], &[3.0, 4.0, 5.0, 6.0], &mut c, (1, 2, 2));
        assert_eq!(c, [14.0, 16.0]);
    }

    #[test]
    fn equilibrated_entries_are_near_one() {
        let a = [1e-8, 2e-8, 0.0, 3e6, 1e6, 5e6, 0.0, 0.0, 0.0];
        let (r, c) = equilibrate(3, &a);
        for (k, a) in a.iter().enumerate().filter(|(_, a)| **a != 0.0) {
            let scaled = r[k / 3] * a * c[k % 3];
            assert!((0.2..5.0).contains(&scaled), "{scaled}");
        }
        assert_eq!(r[2], 1.0);
        let well_scaled = equilibrate(2, &[2.0, 1.0, 1.0, 2.0]);
        assert_eq!(well_scaled, (vec![1.0; 2], vec![1.0; 2]));
    }

    #[test]
    fn rounding_noise_does_not_scale_a_row() {
        let (r, c) = equilibrate(2, &[1.0, 6e-17, -6e-17, 1.0]);
        assert_eq!((r, c), (vec![1.0; 2], vec![1.0; 2]));
    }
}
