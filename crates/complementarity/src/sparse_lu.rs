//! The border to the sparse factorisation of faer; nothing of it leaves the crate. Always sequential.

use faer::sparse::linalg::lu::{
    LuRef, LuSymbolicParams, NumericLu, SymbolicLu, factorize_symbolic_lu,
};
use faer::sparse::linalg::{LuError, SupernodalThreshold};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par, Spec};
use sprs::CsMat;

use crate::linalg::Scratch;

/// From this number of columns on, elimination is by blocks of columns: twice as fast on grids of 400 to 2500 nodes.
const BLOCKS: usize = 200;

/// P A Q = L U of a sparse matrix, with partial pivoting and columns ordered by COLAMD.
///
/// The ordering and the structure are kept as long as the pattern stays the same.
#[derive(Clone, Debug)]
pub(crate) struct SparseLu {
    starts: Vec<usize>,
    rows: Vec<usize>,
    symbolic: Option<SymbolicLu<usize>>,
    numeric: NumericLu<usize, f64>,
    scratch: Scratch,
}

impl Default for SparseLu {
    fn default() -> Self {
        Self {
            starts: Vec::new(),
            rows: Vec::new(),
            symbolic: None,
            numeric: NumericLu::new(),
            scratch: Scratch::default(),
        }
    }
}

impl SparseLu {
    /// Factorises a square matrix stored by columns. False if its structure is singular or the factors do not fit in
    /// memory; a matrix that is singular by its values has factors with infinities, or useless ones.
    pub(crate) fn factor(&mut self, a: &CsMat<f64>) -> bool {
        let storage = a.indptr();
        let starts = storage.raw_storage();
        let pattern =
            SymbolicSparseColMatRef::new_checked(a.rows(), a.cols(), starts, None, a.indices());
        if self.symbolic.is_none() || self.starts != starts || self.rows != a.indices() {
            self.starts.clear();
            self.starts.extend_from_slice(starts);
            self.rows.clear();
            self.rows.extend_from_slice(a.indices());
            let parameters = LuSymbolicParams {
                supernodal_flop_ratio_threshold: if a.cols() < BLOCKS {
                    SupernodalThreshold::FORCE_SIMPLICIAL
                } else {
                    SupernodalThreshold::FORCE_SUPERNODAL
                },
                ..LuSymbolicParams::default()
            };
            self.symbolic = factorize_symbolic_lu(pattern, parameters).ok();
            self.numeric = NumericLu::new();
        }
        let Some(symbolic) = &self.symbolic else {
            return false;
        };
        let request = symbolic.factorize_numeric_lu_scratch::<f64>(Par::Seq, Spec::default());
        let factors: Result<_, LuError> = symbolic.factorize_numeric_lu(
            &mut self.numeric,
            SparseColMatRef::new(pattern, a.data()),
            Par::Seq,
            self.scratch.stack(request),
            Spec::default(),
        );
        factors.is_ok()
    }

    /// rhs ← A⁻¹ rhs, after [`Self::factor`] has returned true.
    pub(crate) fn solve(&mut self, rhs: &mut [f64]) {
        let Some(symbolic) = &self.symbolic else {
            return;
        };
        let request = symbolic.solve_in_place_scratch::<f64>(1, Par::Seq);
        LuRef::new_unchecked(symbolic, &self.numeric).solve_in_place_with_conj(
            Conj::No,
            MatMut::from_column_major_slice_mut(rhs, symbolic.nrows(), 1),
            Par::Seq,
            self.scratch.stack(request),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sprs::TriMat;

    /// The five-point Laplacian on a k × k grid, with a little of its own on the diagonal of each node.
    fn grid(k: usize, own: impl Fn(usize) -> f64) -> CsMat<f64> {
        let mut a = TriMat::new((k * k, k * k));
        for (x, y) in (0..k).flat_map(|x| (0..k).map(move |y| (x, y))) {
            let i = x * k + y;
            a.add_triplet(i, i, 4.0 + own(i));
            let across = [(x > 0).then(|| i - k), (x + 1 < k).then_some(i + k)];
            let along = [(y > 0).then(|| i - 1), (y + 1 < k).then_some(i + 1)];
            for j in across.into_iter().chain(along).flatten() {
                a.add_triplet(i, j, -1.0);
            }
        }
        a.to_csc()
    }

    #[test]
    fn solutions_solve_with_the_same_pattern_and_with_another() {
        let mut lu = SparseLu::default();
        for (k, own) in [(6, 0.0), (6, 3.0), (30, 0.5), (1, 1.0), (6, 0.0)] {
            let a = grid(k, |i| own * (i % 3) as f64);
            let x: Vec<f64> = (0..k * k).map(|i| 1.0 + (i % 7) as f64).collect();
            let mut rhs = vec![0.0; k * k];
            for (&value, (i, j)) in &a {
                rhs[i] += value * x[j];
            }
            assert!(lu.factor(&a));
            lu.solve(&mut rhs);
            let error = |(a, b): (&f64, &f64)| (a - b).abs();
            assert!(rhs.iter().zip(&x).map(error).fold(0.0, f64::max) < 1e-11);
        }
    }

    #[test]
    fn singular_matrices_do_not_panic() {
        let mut lu = SparseLu::default();
        for n in [1, 2, 3, 60] {
            // An empty column; then a zero column that is stored; then two equal ones.
            let mut a = TriMat::new((n, n));
            (1..n).for_each(|i| a.add_triplet(i, i, 1.0));
            assert!(!usable(&mut lu, &a.to_csc()));
            a.add_triplet(0, 0, 0.0);
            assert!(!usable(&mut lu, &a.to_csc()));
        }
        let equal = grid(20, |_| -4.0).map(|_| 1.0);
        usable(&mut lu, &equal);
        let zero = equal.map(|_| 0.0);
        assert!(!usable(&mut lu, &zero));
    }

    fn usable(lu: &mut SparseLu, a: &CsMat<f64>) -> bool {
        let mut rhs = vec![1.0; a.rows()];
        lu.factor(a) && {
            lu.solve(&mut rhs);
            rhs.iter().all(|x| x.is_finite())
        }
    }
}
