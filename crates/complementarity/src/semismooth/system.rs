//! The linear systems of a step: H d = −Φ, and (HᵀH + νI) d = −HᵀΦ.
//!
//! # Method
//! H = D_z + D_F J has the pattern of J and the diagonal at every point, so the places of its entries are found once. The
//! second system is solved as [I H; Hᵀ −νI], which keeps H sparse and does not square its condition. Both are
//! equilibrated by powers of two before they are factorised, and a solution counts only if it satisfies its equations.

use sprs::CsMat;

use crate::dense::{DenseFactor, power};
use crate::ncp_function::Row;
use crate::sparse_lu::SparseLu;

/// Up to this many unknowns a dense factorisation is as fast; beyond it is for matrices with more than a quarter of entries.
const DENSE: usize = 40;

/// A direction is one if what its equations miss is at most this part of their right-hand side.
const ACCURACY: f64 = 1e-7;

/// What the equations miss is improved upon if it is more than this part of the right-hand side.
const ROUNDING: f64 = 1e-13;

/// H at the point at hand, by columns, and the factorisations.
#[derive(Clone, Debug)]
pub(super) struct System {
    h: CsMat<f64>,
    /// Places of the entries of J, and of the diagonal, in H.
    entries: Vec<usize>,
    diagonal: Vec<usize>,
    /// The pattern of J that these belong to.
    starts: Vec<usize>,
    rows: Vec<usize>,
    newton: Factor,
    /// [I H; Hᵀ −νI], the places of the two copies of each entry of H, and those of −ν.
    augmented: CsMat<f64>,
    copies: Vec<[usize; 2]>,
    shifts: Vec<usize>,
    levenberg: Factor,
    rhs: Vec<f64>,
    wide: Vec<f64>,
}

impl Default for System {
    fn default() -> Self {
        let empty = || CsMat::zero((0, 0)).to_csc();
        Self {
            h: empty(),
            entries: Vec::new(),
            diagonal: Vec::new(),
            starts: Vec::new(),
            rows: Vec::new(),
            newton: Factor::default(),
            augmented: empty(),
            copies: Vec::new(),
            shifts: Vec::new(),
            levenberg: Factor::default(),
            rhs: Vec::new(),
            wide: Vec::new(),
        }
    }
}

impl System {
    /// H = D_z + D_F R J from the rows of Φ and J by columns, with the scaling R of its rows.
    pub(super) fn assemble(&mut self, phi: &[Row], j: &CsMat<f64>, row: &[f64]) {
        if self.starts != j.indptr().raw_storage()
            || self.rows != j.indices()
            || self.diagonal.len() != j.cols()
        {
            self.record(j);
        }
        let values = self.h.data_mut();
        values.fill(0.0);
        for (phi, &at) in phi.iter().zip(&self.diagonal) {
            values[at] = phi.by_z;
        }
        let mut places = self.entries.iter();
        for column in j.outer_iterator() {
            for ((i, entry), &at) in column.iter().zip(&mut places) {
                values[at] += phi[i].by_f * row[i] * entry;
            }
        }
    }

    fn record(&mut self, j: &CsMat<f64>) {
        let n = j.cols();
        self.starts.clear();
        self.starts.extend_from_slice(j.indptr().raw_storage());
        self.rows.clear();
        self.rows.extend_from_slice(j.indices());
        let (mut starts, mut rows) = (vec![0], Vec::with_capacity(j.nnz() + n));
        self.entries.clear();
        self.diagonal.clear();
        for (k, column) in j.outer_iterator().enumerate() {
            let mut diagonal = None;
            for (i, _) in column.iter() {
                if i > k && diagonal.is_none() {
                    diagonal = Some(rows.len());
                    rows.push(k);
                }
                if i == k {
                    diagonal = Some(rows.len());
                }
                self.entries.push(rows.len());
                rows.push(i);
            }
            if diagonal.is_none() {
                rows.push(k);
            }
            self.diagonal.push(diagonal.unwrap_or(rows.len() - 1));
            starts.push(rows.len());
        }
        let values = vec![0.0; rows.len()];
        self.h = CsMat::new_csc((n, n), starts, rows, values);
        self.copies.clear();
    }

    /// g = HᵀΦ, the gradient of ½|Φ|².
    pub(super) fn gradient(&self, phi: &[Row], g: &mut Vec<f64>) {
        let columns = self.h.outer_iterator();
        g.clear();
        g.extend(columns.map(|h| h.iter().map(|(i, h)| h * phi[i].value).sum::<f64>()));
    }

    /// |H d|².
    pub(super) fn curvature(&mut self, d: &[f64]) -> f64 {
        self.rhs.clear();
        self.rhs.resize(d.len(), 0.0);
        subtract_product(&self.h, d, &mut self.rhs);
        self.rhs.iter().map(|x| x * x).sum()
    }

    /// d with H d = −Φ; false if there is none.
    pub(super) fn newton(&mut self, phi: &[Row], d: &mut Vec<f64>) -> bool {
        self.rhs.clear();
        self.rhs.extend(phi.iter().map(|phi| -phi.value));
        self.newton.factor(&self.h) && self.newton.solve(&self.h, &self.rhs, d)
    }

    /// d with (HᵀH + νI) d = −HᵀΦ and d = 0 where `frozen`; false if it could not be found.
    pub(super) fn levenberg(
        &mut self,
        phi: &[Row],
        nu: f64,
        frozen: impl Fn(usize) -> bool,
        d: &mut Vec<f64>,
    ) -> bool {
        let n = phi.len();
        if self.copies.len() != self.h.nnz() || self.shifts.len() != n {
            self.record_augmented();
        }
        let values = self.augmented.data_mut();
        let mut copies = self.copies.iter();
        for (j, column) in self.h.outer_iterator().enumerate() {
            let weight = if frozen(j) { 0.0 } else { 1.0 };
            for ((_, h), &[upper, lower]) in column.iter().zip(&mut copies) {
                values[upper] = weight * h;
                values[lower] = weight * h;
            }
        }
        for &at in &self.shifts {
            values[at] = -nu;
        }
        self.rhs.clear();
        self.rhs.extend(phi.iter().map(|phi| -phi.value));
        self.rhs.resize(2 * n, 0.0);
        let solved = self.levenberg.factor(&self.augmented)
            && self
                .levenberg
                .solve(&self.augmented, &self.rhs, &mut self.wide);
        d.clear();
        d.extend_from_slice(self.wide.get(n..).unwrap_or(&[]));
        solved && d.len() == n
    }

    fn record_augmented(&mut self) {
        let n = self.h.cols();
        // Columns of the upper half: 1 on the diagonal, then row k of H below.
        let mut by_rows: Vec<Vec<(usize, usize)>> = vec![Vec::new(); n];
        for (at, (_, (i, j))) in self.h.iter().enumerate() {
            by_rows[i].push((j, at));
        }
        let (mut starts, mut rows, mut values) = (vec![0], Vec::new(), Vec::new());
        self.copies.clear();
        self.copies.resize(self.h.nnz(), [0; 2]);
        for (k, row) in by_rows.iter().enumerate() {
            rows.push(k);
            values.push(1.0);
            for &(j, at) in row {
                self.copies[at][1] = rows.len();
                rows.push(n + j);
                values.push(0.0);
            }
            starts.push(rows.len());
        }
        self.shifts.clear();
        let mut at = 0;
        for (k, column) in self.h.outer_iterator().enumerate() {
            for (i, _) in column.iter() {
                self.copies[at][0] = rows.len();
                at += 1;
                rows.push(i);
                values.push(0.0);
            }
            self.shifts.push(rows.len());
            rows.push(n + k);
            values.push(0.0);
            starts.push(rows.len());
        }
        self.augmented = CsMat::new_csc((2 * n, 2 * n), starts, rows, values);
    }
}

/// y ← y − A x.
fn subtract_product(a: &CsMat<f64>, x: &[f64], y: &mut [f64]) {
    for (column, x) in a.outer_iterator().zip(x) {
        column.iter().for_each(|(i, a)| y[i] -= a * x);
    }
}

fn largest(x: &[f64]) -> f64 {
    // NaN is kept: it must not look small.
    x.iter()
        .map(|x| x.abs())
        .fold(0.0, |m, x| if x <= m || m.is_nan() { m } else { x })
}

/// R A C = L U, dense or sparse by size, with powers of two R and C.
#[derive(Clone, Debug, Default)]
struct Factor {
    is_dense: bool,
    row: Vec<f64>,
    col: Vec<f64>,
    dense: DenseFactor,
    sparse: SparseLu,
    scaled: Option<CsMat<f64>>,
    missing: Vec<f64>,
    change: Vec<f64>,
}

impl Factor {
    fn factor(&mut self, a: &CsMat<f64>) -> bool {
        self.equilibrate(a);
        let n = a.cols();
        self.is_dense = n <= DENSE || a.nnz() / n >= n / 4;
        if self.is_dense {
            self.factor_dense(a)
        } else {
            self.factor_sparse(a)
        }
    }

    /// First the columns, then the rows, by their largest entries.
    fn equilibrate(&mut self, a: &CsMat<f64>) {
        self.col.clear();
        self.row.clear();
        self.row.resize(a.rows(), 0.0);
        for column in a.outer_iterator() {
            let c = power(column.iter().fold(0.0_f64, |m, (_, a)| m.max(a.abs())));
            self.col.push(c);
            for (i, a) in column.iter() {
                self.row[i] = self.row[i].max((a * c).abs());
            }
        }
        self.row.iter_mut().for_each(|r| *r = power(*r));
    }

    fn factor_dense(&mut self, a: &CsMat<f64>) -> bool {
        let n = a.cols();
        let entries = self.dense.entries(n);
        entries.fill(0.0);
        for ((column, c), out) in a
            .outer_iterator()
            .zip(&self.col)
            .zip(entries.chunks_exact_mut(n.max(1)))
        {
            for (i, a) in column.iter() {
                out[i] = self.row[i] * a * c;
            }
        }
        self.dense.lu(0.0)
    }

    fn factor_sparse(&mut self, a: &CsMat<f64>) -> bool {
        let same = |b: &CsMat<f64>| a.indptr() == b.indptr() && a.indices() == b.indices();
        if !self.scaled.as_ref().is_some_and(same) {
            self.scaled = Some(a.clone());
        }
        let Some(scaled) = &mut self.scaled else {
            return false;
        };
        let mut values = scaled.data_mut().iter_mut();
        for (column, c) in a.outer_iterator().zip(&self.col) {
            for ((i, a), out) in column.iter().zip(&mut values) {
                *out = self.row[i] * a * c;
            }
        }
        self.sparse.factor(scaled)
    }

    /// x with A x = b, improved upon once; false if it misses its equations.
    fn solve(&mut self, a: &CsMat<f64>, b: &[f64], x: &mut Vec<f64>) -> bool {
        x.clear();
        x.extend_from_slice(b);
        self.apply_inverse(x);
        if !self.miss(a, b, x).is_finite() {
            return false;
        }
        if self.miss(a, b, x) > ROUNDING * largest(b) {
            let mut change = std::mem::take(&mut self.change);
            change.clone_from(&self.missing);
            self.apply_inverse(&mut change);
            x.iter_mut().zip(&change).for_each(|(x, d)| *x += d);
            self.change = change;
        }
        self.miss(a, b, x) <= ACCURACY * largest(b)
    }

    /// max |b − A x|, which `missing` then holds.
    fn miss(&mut self, a: &CsMat<f64>, b: &[f64], x: &[f64]) -> f64 {
        self.missing.clear();
        self.missing.extend_from_slice(b);
        subtract_product(a, x, &mut self.missing);
        largest(&self.missing)
    }

    fn apply_inverse(&mut self, x: &mut [f64]) {
        x.iter_mut().zip(&self.row).for_each(|(x, r)| *x *= r);
        if self.is_dense {
            self.dense.solve_again(x);
        } else {
            self.sparse.solve(x);
        }
        x.iter_mut().zip(&self.col).for_each(|(x, c)| *x *= c);
    }
}
