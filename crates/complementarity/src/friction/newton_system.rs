//! The Newton system of a map of the contacts, without its open contacts.
//!
//! ```math
//! (C_r + C_u A)\, d = -\Phi, \qquad A = W + \alpha\, \mathrm{diag}(W)
//! ```
//!
//! An open contact has C_u = 0 and C_r = I, so its part of d is −Φ, and only the closed ones are factorised: sparse, or
//! dense where that is less work.

use sprs::CsMat;

use crate::friction::cone::ROWS;
use crate::friction::maps::BlockDerivative;
use crate::friction::regularised::Blocks;
use crate::linalg::DenseLu;
use crate::sparse_lu::SparseLu;

/// Up to this many unknowns the dense factorisation is used whatever the structure.
const SMALL: usize = 48;

/// From this part of nonzeros on it is used up to [`DENSE_LIMIT`] unknowns.
const DENSE_PART: f64 = 0.25;

/// Most unknowns for a dense factorisation.
const DENSE_LIMIT: usize = 1000;

/// Place of a block that is not in the system.
const OPEN: usize = usize::MAX;

/// Workspace; the order of elimination is kept as long as the same contacts are closed.
#[derive(Clone, Debug, Default)]
pub(crate) struct NewtonSystem {
    /// Block rows of each block column and their entries in the matrix.
    columns: Vec<Vec<(usize, usize)>>,
    lu: SparseLu,
    /// The factors, if they are dense.
    dense: Option<DenseLu>,
    /// First unknown of each closed block.
    place: Vec<usize>,
    rhs: Vec<f64>,
}

impl NewtonSystem {
    /// For the pattern of these blocks.
    pub(crate) fn load(&mut self, blocks: &Blocks) {
        self.columns.clear();
        self.columns.resize(blocks.view.blocks(), Vec::new());
        for k in 0..blocks.view.blocks() {
            let entries = blocks.matrix.start[k]..blocks.matrix.start[k + 1];
            for e in entries {
                self.columns[blocks.matrix.cols[e] as usize].push((k, e));
            }
        }
    }

    /// d from −Φ, which stands in `d`. False if the matrix is singular; d is useless then.
    pub(crate) fn solve(
        &mut self,
        blocks: &Blocks,
        alpha: f64,
        derivatives: &[BlockDerivative],
        d: &mut [f64],
    ) -> bool {
        if !self.factor(blocks, alpha, derivatives) {
            return false;
        }
        self.rhs.clear();
        for (k, derivative) in derivatives.iter().enumerate() {
            if self.place[k] == OPEN {
                continue;
            }
            let rows = blocks.view.rows(k);
            let mut across = [0.0; ROWS];
            for (l, entries) in blocks.matrix.row(k) {
                if self.place[l] != OPEN {
                    continue;
                }
                let other = &d[blocks.view.rows(l)];
                for (a, row) in across.iter_mut().zip(entries.chunks_exact(other.len())) {
                    *a += row.iter().zip(other).map(|(w, d)| w * d).sum::<f64>();
                }
            }
            for (phi, cu) in d[rows].iter().zip(&derivative.cu) {
                let known: f64 = cu.iter().zip(&across).map(|(c, a)| c * a).sum();
                self.rhs.push(phi - known);
            }
        }
        if self.rhs.is_empty() {
            return true;
        }
        let mut rhs = std::mem::take(&mut self.rhs);
        self.apply(&mut rhs);
        self.rhs = rhs;
        for (k, place) in self.place.iter().enumerate() {
            if *place != OPEN {
                let rows = blocks.view.rows(k);
                let count = rows.len();
                d[rows].copy_from_slice(&self.rhs[*place..][..count]);
            }
        }
        self.rhs.iter().all(|x| x.is_finite())
    }

    /// Numbers the unknowns of the closed blocks.
    fn choose(&mut self, blocks: &Blocks, derivatives: &[BlockDerivative]) -> usize {
        self.place.clear();
        let mut n = 0;
        for (k, derivative) in derivatives.iter().enumerate() {
            if derivative.is_open() {
                self.place.push(OPEN);
            } else {
                self.place.push(n);
                n += blocks.view.rows(k).len();
            }
        }
        n
    }

    /// Factorises J of the closed blocks. False if it is singular as far as can be seen.
    pub(crate) fn factor(
        &mut self,
        blocks: &Blocks,
        alpha: f64,
        derivatives: &[BlockDerivative],
    ) -> bool {
        let n = self.choose(blocks, derivatives);
        if n == 0 {
            return true;
        }
        let (starts, rows, values) = self.assemble(n, blocks, alpha, derivatives);
        let filled = values.len() as f64 / (n * n) as f64;
        if n <= SMALL || (n <= DENSE_LIMIT && filled >= DENSE_PART) {
            let mut dense = vec![0.0; n * n];
            for (j, column) in dense.chunks_exact_mut(n).enumerate() {
                for e in starts[j]..starts[j + 1] {
                    column[rows[e]] = values[e];
                }
            }
            self.dense = DenseLu::new(n, dense);
            return self.dense.is_some();
        }
        self.dense = None;
        let matrix = CsMat::new_csc((n, n), starts, rows, values);
        self.lu.factor(&matrix)
    }

    /// x ← J⁻¹ x, after [`Self::factor`] has returned true.
    pub(crate) fn apply(&mut self, x: &mut [f64]) {
        match &self.dense {
            Some(lu) => lu.solve(x, 1),
            None => self.lu.solve(x),
        }
    }

    /// J of the closed blocks by columns: starts, rows, values.
    fn assemble(
        &self,
        n: usize,
        blocks: &Blocks,
        alpha: f64,
        derivatives: &[BlockDerivative],
    ) -> (Vec<usize>, Vec<usize>, Vec<f64>) {
        let mut starts = Vec::with_capacity(n + 1);
        let (mut rows, mut values) = (Vec::new(), Vec::new());
        starts.push(0);
        for (l, column) in self.columns.iter().enumerate() {
            if self.place[l] == OPEN {
                continue;
            }
            let width = blocks.view.rows(l).len();
            let closed = || column.iter().filter(|(k, _)| self.place[*k] != OPEN);
            let height: usize = closed().map(|(k, _)| blocks.view.rows(*k).len()).sum();
            let first = values.len();
            values.resize(first + width * height, 0.0);
            for j in 0..width {
                for (k, _) in closed() {
                    let count = blocks.view.rows(*k).len();
                    rows.extend(self.place[*k]..self.place[*k] + count);
                }
                starts.push(first + (j + 1) * height);
            }
            let mut top = 0;
            for &(k, e) in closed() {
                let count = blocks.view.rows(k).len();
                let block = &blocks.matrix.values[blocks.matrix.offset[e]..][..count * width];
                let derivative = &derivatives[k];
                for i in 0..count {
                    for j in 0..width {
                        let mut sum: f64 = (0..count)
                            .map(|m| derivative.cu[i][m] * block[m * width + j])
                            .sum();
                        if k == l {
                            let weight = alpha * blocks.weights[blocks.view.rows(k).start + j];
                            sum += derivative.cr[i][j] + derivative.cu[i][j] * weight;
                        }
                        values[first + j * height + top + i] = sum;
                    }
                }
                top += count;
            }
        }
        (starts, rows, values)
    }
}
