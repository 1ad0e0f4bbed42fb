//! What the dense solvers share: a scaled copy of the data, and factorisations that keep their storage.
//!
//! # References
//! - \[H2002\] N. J. Higham, Accuracy and Stability of Numerical Algorithms, second edition, SIAM, 2002, sections 9, 10.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt;
use faer::linalg::lu::partial_pivoting as lu;
use faer::perm::PermRef;
use faer::{MatMut, MatRef, Par, Spec};

use crate::linalg::Scratch;
use crate::residual::LinearView;

/// How rows R and columns C are scaled: M' = R M C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Balance {
    /// R and C by the largest entries; R = C if M is symmetric with a positive diagonal.
    Rows,
    /// R = C, which keeps monotone problems monotone.
    Symmetric,
}

/// M' = R M C by columns, q' = R q, bounds C⁻¹ l and C⁻¹ u, all scaled by powers of two: z = C z'.
#[derive(Clone, Debug, Default)]
pub(crate) struct DenseProblem {
    pub(crate) m: Vec<f64>,
    pub(crate) q: Vec<f64>,
    pub(crate) lower: Vec<f64>,
    pub(crate) upper: Vec<f64>,
    pub(crate) col: Vec<f64>,
    /// M is symmetric to the last bit and has a positive diagonal.
    pub(crate) symmetric: bool,
    pub(crate) row: Vec<f64>,
}

impl DenseProblem {
    /// Copies and scales the data of `view`.
    pub(crate) fn load(&mut self, view: &LinearView<'_>, balance: Balance) {
        let n = view.len();
        self.m.clear();
        self.m.resize(n * n, 0.0);
        for (column, m) in view
            .m
            .outer_iterator()
            .zip(self.m.chunks_exact_mut(n.max(1)))
        {
            column.iter().for_each(|(i, value)| m[i] += value);
        }
        self.symmetric = is_symmetric(n, &self.m);
        match (self.symmetric, balance) {
            (true, _) => self.scale_by_diagonal(n),
            (false, Balance::Rows) => self.scale_by_maxima(n),
            (false, Balance::Symmetric) => self.scale_symmetrically(n),
        }
        for (column, c) in self.m.chunks_exact_mut(n.max(1)).zip(&self.col) {
            column
                .iter_mut()
                .zip(&self.row)
                .for_each(|(m, r)| *m *= r * c);
        }
        self.q.clear();
        self.q
            .extend(view.q.iter().zip(&self.row).map(|(q, r)| q * r));
        self.lower.clear();
        self.upper.clear();
        for (i, c) in self.col.iter().enumerate() {
            let (l, u) = view.interval(i);
            self.lower.push(l / c);
            self.upper.push(u / c);
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.q.len()
    }

    /// Column j of M'.
    pub(crate) fn column(&self, j: usize) -> &[f64] {
        &self.m[j * self.len()..][..self.len()]
    }

    /// The block of `inner`, by columns, for k × k `entries`.
    pub(crate) fn gather(&self, inner: &[usize], entries: &mut [f64]) {
        for (&j, out) in inner
            .iter()
            .zip(entries.chunks_exact_mut(inner.len().max(1)))
        {
            let column = self.column(j);
            out.iter_mut()
                .zip(inner)
                .for_each(|(out, &i)| *out = column[i]);
        }
    }

    /// f = M' z + q' and size = |M'| |z| + |q'|.
    pub(crate) fn evaluate(&self, z: &[f64], f: &mut Vec<f64>, size: &mut Vec<f64>) {
        f.clear();
        f.extend_from_slice(&self.q);
        size.clear();
        size.extend(self.q.iter().map(|q| q.abs()));
        for (j, &z) in z.iter().enumerate().filter(|(_, z)| **z != 0.0) {
            for ((f, size), m) in f.iter_mut().zip(size.iter_mut()).zip(self.column(j)) {
                let product = m * z;
                *f += product;
                *size += product.abs();
            }
        }
    }

    /// z = C z', within the bounds of `view`.
    pub(crate) fn unscaled(&self, view: &LinearView<'_>, z: &[f64]) -> Vec<f64> {
        (0..z.len())
            .map(|i| view.project(i, z[i] * self.col[i]))
            .collect()
    }

    fn scale_by_diagonal(&mut self, n: usize) {
        self.row.clear();
        let diagonal = self.m.iter().step_by(n + 1);
        self.row.extend(diagonal.map(|d| power(d.sqrt())));
        self.col.clone_from(&self.row);
    }

    /// First the columns, then the rows; both passes run along the columns.
    fn scale_by_maxima(&mut self, n: usize) {
        self.col.clear();
        self.row.clear();
        self.row.resize(n, 0.0);
        for column in self.m.chunks_exact(n.max(1)) {
            let c = power(largest(column));
            self.col.push(c);
            for (r, m) in self.row.iter_mut().zip(column) {
                *r = r.max((m * c).abs());
            }
        }
        self.row.iter_mut().for_each(|r| *r = power(*r));
    }

    /// By the diagonal where it is positive, elsewhere by the geometric mean of the largest entries of row and column.
    fn scale_symmetrically(&mut self, n: usize) {
        self.row.clear();
        self.row.resize(n, 0.0);
        for column in self.m.chunks_exact(n.max(1)) {
            for (r, m) in self.row.iter_mut().zip(column) {
                *r = r.max(m.abs());
            }
        }
        for (j, r) in self.row.iter_mut().enumerate() {
            let (column, diagonal) = (&self.m[j * n..][..n], self.m[j * n + j]);
            *r = power(if diagonal > 0.0 {
                diagonal.sqrt()
            } else {
                (*r * largest(column)).sqrt().sqrt()
            });
        }
        self.col.clone_from(&self.row);
    }
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0_f64, |m, x| m.max(x.abs()))
}

/// The power of two next to 1/x, kept away from the ends of the exponent range; 1 for zero.
pub(crate) fn power(x: f64) -> f64 {
    if x > 0.0 && x.is_finite() {
        (-x.log2().round().clamp(-400.0, 400.0)).exp2()
    } else {
        1.0
    }
}

/// Whether an n × n matrix is symmetric with a positive diagonal; by tiles, as both triangles are read.
fn is_symmetric(n: usize, m: &[f64]) -> bool {
    const TILE: usize = 32;
    (0..n).step_by(TILE).all(|j0| {
        (0..=j0).step_by(TILE).all(|i0| {
            (j0..n.min(j0 + TILE)).all(|j| {
                (i0..n.min(i0 + TILE)).all(|i| {
                    #[expect(clippy::float_cmp, reason = "symmetric means equal")]
                    let equal = m[j * n + i] == m[i * n + j];
                    equal
                })
            })
        })
    }) && m.iter().step_by(n + 1).all(|d| *d > 0.0)
}

/// A = L Lᵀ or P A = L U, in storage that is kept from one matrix to the next.
#[derive(Clone, Debug, Default)]
pub(crate) struct DenseFactor {
    n: usize,
    a: Vec<f64>,
    forward: Vec<usize>,
    backward: Vec<usize>,
    is_cholesky: bool,
    scratch: Scratch,
}

impl DenseFactor {
    /// Storage for an n × n matrix by columns, all of which the caller must write; `cholesky` reads the lower triangle.
    pub(crate) fn entries(&mut self, n: usize) -> &mut [f64] {
        self.n = n;
        self.a.resize(n * n, 0.0);
        &mut self.a
    }

    /// Factorises the entries as L Lᵀ, false unless all pivots are > `singular_tolerance` times the largest.
    pub(crate) fn cholesky(&mut self, singular_tolerance: f64) -> bool {
        let n = self.n;
        self.is_cholesky = true;
        if n == 0 {
            return true;
        }
        let request = llt::factor::cholesky_in_place_scratch::<f64>(n, Par::Seq, Spec::default());
        let done = llt::factor::cholesky_in_place(
            MatMut::from_column_major_slice_mut(&mut self.a, n, n),
            llt::factor::LltRegularization::default(),
            Par::Seq,
            MemStack::new(&mut MemBuffer::new(request)),
            Spec::default(),
        );
        // Pivots are the squares of the diagonal of L.
        done.is_ok() && self.pivot_ratio() > singular_tolerance.sqrt()
    }

    /// Factorises the entries as P A = L U, false unless all pivots are > `singular_tolerance` times the largest.
    pub(crate) fn lu(&mut self, singular_tolerance: f64) -> bool {
        let n = self.n;
        self.is_cholesky = false;
        self.forward.resize(n, 0);
        self.backward.resize(n, 0);
        if n == 0 {
            return true;
        }
        let request =
            lu::factor::lu_in_place_scratch::<usize, f64>(n, n, Par::Seq, Spec::default());
        lu::factor::lu_in_place(
            MatMut::from_column_major_slice_mut(&mut self.a, n, n),
            &mut self.forward,
            &mut self.backward,
            Par::Seq,
            self.scratch.stack(request),
            Spec::default(),
        );
        self.pivot_ratio() > singular_tolerance
    }

    /// Smallest over largest diagonal entry of the factor; NaN does not pass any comparison.
    fn pivot_ratio(&self) -> f64 {
        let mut extremes = (f64::INFINITY, 0.0_f64);
        for p in self.a.iter().step_by(self.n + 1).map(|p| p.abs()) {
            if !p.is_finite() {
                return f64::NAN;
            }
            extremes = (extremes.0.min(p), extremes.1.max(p));
        }
        extremes.0 / extremes.1
    }

    /// rhs ← A⁻¹ rhs.
    pub(crate) fn solve(&self, rhs: &mut [f64]) {
        self.solve_with(rhs, false);
    }

    /// rhs ← A⁻ᵀ rhs.
    pub(crate) fn solve_transposed(&self, rhs: &mut [f64]) {
        self.solve_with(rhs, true);
    }

    /// rhs ← A⁻¹ rhs of an LU factorisation, without allocating.
    pub(crate) fn solve_again(&mut self, rhs: &mut [f64]) {
        if self.n > 0 {
            let request = lu::solve::solve_in_place_scratch::<usize, f64>(self.n, 1, Par::Seq);
            let factor = MatRef::from_column_major_slice(&self.a, self.n, self.n);
            lu::solve::solve_in_place(
                factor,
                factor,
                PermRef::new_checked(&self.forward, &self.backward, self.n),
                MatMut::from_column_major_slice_mut(rhs, self.n, 1),
                Par::Seq,
                self.scratch.stack(request),
            );
        }
    }

    fn solve_with(&self, rhs: &mut [f64], transposed: bool) {
        let n = self.n;
        if n == 0 {
            return;
        }
        let factor = MatRef::from_column_major_slice(&self.a, n, n);
        let rhs = MatMut::from_column_major_slice_mut(rhs, n, 1);
        if self.is_cholesky {
            llt::solve::solve_in_place(factor, rhs, Par::Seq, MemStack::new(&mut []));
        } else {
            let permutation = PermRef::new_checked(&self.forward, &self.backward, n);
            let request = lu::solve::solve_in_place_scratch::<usize, f64>(n, 1, Par::Seq);
            let mut buffer = MemBuffer::new(request);
            let stack = MemStack::new(&mut buffer);
            if transposed {
                lu::solve::solve_transpose_in_place(
                    factor,
                    factor,
                    permutation,
                    rhs,
                    Par::Seq,
                    stack,
                );
            } else {
                lu::solve::solve_in_place(factor, factor, permutation, rhs, Par::Seq, stack);
            }
        }
    }
}

/// The columns of an n × n matrix (by columns, overwritten) that depend on the columns before them: elimination leaves
/// nothing larger than `tolerance` times the largest entry that the column had.
pub(crate) fn dependent_columns(n: usize, a: &mut [f64], tolerance: f64) -> Vec<usize> {
    let (mut dependent, mut rank) = (Vec::new(), 0);
    for j in 0..n {
        let before = largest(&a[j * n..][..n]);
        let (done, rest) = a.split_at_mut(j * n);
        let column = &mut rest[..n];
        // The eliminated columns stand at the front, with their multipliers below the pivot.
        for (k, l) in done.chunks_exact(n).take(rank).enumerate() {
            let x = column[k];
            column[k + 1..]
                .iter_mut()
                .zip(&l[k + 1..])
                .for_each(|(c, l)| *c -= l * x);
        }
        let size = |r: &usize| column[*r].abs();
        let Some(pivot) = (rank..n).max_by(|r, s| size(r).total_cmp(&size(s))) else {
            dependent.push(j);
            continue;
        };
        if column[pivot].abs() > tolerance * before {
            let inverse = 1.0 / column[pivot];
            for c in a.chunks_exact_mut(n) {
                c.swap(rank, pivot);
            }
            a[j * n + rank + 1..(j + 1) * n]
                .iter_mut()
                .for_each(|x| *x *= inverse);
            a.copy_within(j * n..(j + 1) * n, rank * n);
            rank += 1;
        } else {
            dependent.push(j);
        }
    }
    dependent
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bounds, LinearMcp};

    #[test]
    fn both_factorisations_solve_and_storage_is_reused() {
        let mut factor = DenseFactor::default();
        factor.entries(2).copy_from_slice(&[4.0, 2.0, 2.0, 3.0]);
        assert!(factor.cholesky(1e-14));
        let mut rhs = [6.0, 5.0];
        factor.solve(&mut rhs);
        assert!((rhs[0] - 1.0).abs() + (rhs[1] - 1.0).abs() < 1e-15);
        // [0 1; 2 1] by columns needs a pivot exchange.
        factor.entries(2).copy_from_slice(&[0.0, 2.0, 1.0, 1.0]);
        assert!(factor.lu(1e-14));
        let mut rhs = [1.0, 3.0];
        factor.solve(&mut rhs);
        assert_eq!(rhs, [1.0, 1.0]);
        // Its transpose: 2 x₁ = 2, x₀ + x₁ = 3.
        let mut rhs = [2.0, 3.0];
        factor.solve_transposed(&mut rhs);
        assert_eq!(rhs, [2.0, 1.0]);
    }

    #[test]
    fn singular_and_indefinite_matrices_are_refused() {
        let mut factor = DenseFactor::default();
        factor.entries(2).copy_from_slice(&[1.0, 2.0, 2.0, 1.0]);
        assert!(!factor.cholesky(1e-14));
        for singular in [[1.0; 4], [0.0; 4]] {
            factor.entries(2).copy_from_slice(&singular);
            assert!(!factor.lu(1e-14));
        }
        factor.entries(0);
        assert!(factor.cholesky(1e-14) && factor.lu(1e-14));
    }

    #[test]
    fn dependent_columns_are_found_in_order() {
        // Columns (0,1,0), (0,2,0), (1,1,1), (2,..): by columns, the second depends on the first.
        let mut a = [0.0, 1.0, 0.0, 0.0, 2.0, 0.0, 1.0, 1.0, 1.0];
        assert_eq!(dependent_columns(3, &mut a, 1e-12), [1]);
        assert_eq!(dependent_columns(3, &mut [1.0; 9], 1e-12), [1, 2]);
        let mut regular = [1.0, 3.0, 2.0, 4.0];
        assert_eq!(dependent_columns(2, &mut regular, 1e-12), [0; 0]);
    }

    #[test]
    fn scaling_is_exact_and_undone() {
        let bounds = Bounds::new(vec![0.0, -1.0], vec![8.0, 1.0]).unwrap();
        let m = [[1024.0, 1.0], [0.0, 1.0 / 256.0]];
        let mcp = LinearMcp::from_dense(&m, vec![1.0, 2.0], bounds).unwrap();
        let mut dense = DenseProblem::default();
        for balance in [Balance::Rows, Balance::Symmetric] {
            dense.load(&(&mcp).into(), balance);
            assert!(!dense.symmetric && dense.m.iter().all(|m| m.abs() <= 2.0));
            let z: Vec<f64> = [3.0, 0.5]
                .iter()
                .zip(&dense.col)
                .map(|(z, c)| z / c)
                .collect();
            assert_eq!(dense.unscaled(&(&mcp).into(), &z), [3.0, 0.5]);
            let (mut f, mut size) = (Vec::new(), Vec::new());
            dense.evaluate(&z, &mut f, &mut size);
            assert_eq!(f[0], dense.row[0] * (3.0 * 1024.0 + 1.5));
            assert_eq!(dense.upper[0] * dense.col[0], 8.0);
        }
    }
}
