//! Rows of a block matrix in which every row block touches at most two bodies.

#![expect(
    clippy::inline_always,
    reason = "sizes are known to the compiler only in copies of a loop where they are written"
)]

use sprs::CsMat;

/// Column of a body that does not move: its block is absent.
pub const FIXED: u32 = u32::MAX;

/// J: row blocks × bodies, each row block with `rows × dofs` values for at most two bodies.
///
/// | name   | shape        | meaning                                             |
/// | ------ | ------------ | --------------------------------------------------- |
/// | `rows` | –            | rows per row block (contact: normal, then tangents) |
/// | `dofs` | –            | velocity components per body: 3 in the plane, 6 in space |
/// | `cols` | (blocks, 2)  | body of each side, [`FIXED`] if it does not move    |
///
/// # Examples
/// ```
/// use signorini_complementarity::{BlockRows, FIXED};
/// let mut j = BlockRows::new(1, 2);
/// j.push([FIXED, 0], &[0.0, 0.0], &[1.0, 3.0]);
/// let mut u = [0.0];
/// j.mul_into(&[2.0, -1.0], &mut u);
/// assert_eq!(u, [-1.0]);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BlockRows {
    rows: usize,
    dofs: usize,
    cols: Vec<[u32; 2]>,
    values: Vec<f64>,
}

impl BlockRows {
    /// No row blocks yet, each of `rows` rows over bodies of `dofs` velocity components.
    pub fn new(rows: usize, dofs: usize) -> Self {
        Self {
            rows,
            dofs,
            cols: Vec::new(),
            values: Vec::new(),
        }
    }

    /// Removes all row blocks and sets new block sizes; keeps the memory.
    pub fn reset(&mut self, rows: usize, dofs: usize) {
        (self.rows, self.dofs) = (rows, dofs);
        self.cols.clear();
        self.values.clear();
    }

    /// Appends a row block on the bodies `cols`; values by rows. A block on [`FIXED`] is ignored in every product.
    ///
    /// # Panics
    /// If a slice does not have `rows * dofs` values.
    #[track_caller]
    pub fn push(&mut self, cols: [u32; 2], first: &[f64], second: &[f64]) {
        assert_eq!(
            first.len(),
            self.rows * self.dofs,
            "first block has the wrong length"
        );
        assert_eq!(
            second.len(),
            self.rows * self.dofs,
            "second block has the wrong length"
        );
        self.cols.push(cols);
        self.values.extend_from_slice(first);
        self.values.extend_from_slice(second);
    }

    /// Number of row blocks.
    pub fn len(&self) -> usize {
        self.cols.len()
    }

    /// Whether there are no row blocks.
    pub fn is_empty(&self) -> bool {
        self.cols.is_empty()
    }

    /// Rows per row block.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Velocity components per body.
    pub fn dofs(&self) -> usize {
        self.dofs
    }

    /// The two bodies of each row block.
    pub fn cols(&self) -> &[[u32; 2]] {
        &self.cols
    }

    /// Values of row block k on its side 0 or 1, by rows, `rows * dofs` of them.
    ///
    /// # Panics
    /// If k or side is out of range.
    #[track_caller]
    pub fn block(&self, k: usize, side: usize) -> &[f64] {
        assert!(side < 2, "a row block has two sides");
        let size = self.rows * self.dofs;
        &self.values[(2 * k + side) * size..][..size]
    }

    /// out = J v.
    ///
    /// # Panics
    /// If `out` does not have `len() * rows()` entries or `v` is too short.
    #[track_caller]
    pub fn mul_into(&self, v: &[f64], out: &mut [f64]) {
        assert_eq!(out.len(), self.len() * self.rows, "one entry per row");
        match (self.rows, self.dofs) {
            (2, 3) => self.mul_sized((2, 3), v, out),
            (3, 6) => self.mul_sized((3, 6), v, out),
            sizes => self.mul_sized(sizes, v, out),
        }
    }

    /// With sizes that are known where it is called there are no loops in a block.
    #[inline(always)]
    fn mul_sized(&self, (rows, dofs): (usize, usize), v: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for (k, cols) in self.cols.iter().enumerate() {
            let out = &mut out[k * rows..][..rows];
            for (side, &col) in cols.iter().enumerate().filter(|(_, c)| **c != FIXED) {
                let v = &v[col as usize * dofs..][..dofs];
                let block = &self.values[(2 * k + side) * rows * dofs..][..rows * dofs];
                for (u, row) in out.iter_mut().zip(block.chunks_exact(dofs)) {
                    *u += row.iter().zip(v).map(|(a, b)| a * b).sum::<f64>();
                }
            }
        }
    }

    /// out += Jᵀ p.
    ///
    /// # Panics
    /// If `p` does not have `len() * rows()` entries or `out` is too short.
    #[track_caller]
    pub fn transpose_mul_add(&self, p: &[f64], out: &mut [f64]) {
        assert_eq!(p.len(), self.len() * self.rows, "one entry per row");
        match (self.rows, self.dofs) {
            (2, 3) => self.transpose_mul_sized((2, 3), p, out),
            (3, 6) => self.transpose_mul_sized((3, 6), p, out),
            sizes => self.transpose_mul_sized(sizes, p, out),
        }
    }

    #[inline(always)]
    fn transpose_mul_sized(&self, (rows, dofs): (usize, usize), p: &[f64], out: &mut [f64]) {
        for (k, cols) in self.cols.iter().enumerate() {
            let p = &p[k * rows..][..rows];
            for (side, &col) in cols.iter().enumerate().filter(|(_, c)| **c != FIXED) {
                let out = &mut out[col as usize * dofs..][..dofs];
                let block = &self.values[(2 * k + side) * rows * dofs..][..rows * dofs];
                for (p, row) in p.iter().zip(block.chunks_exact(dofs)) {
                    for (o, a) in out.iter_mut().zip(row) {
                        *o += a * p;
                    }
                }
            }
        }
    }

    /// J as a scalar sparse matrix by rows, `len() * rows()` × `bodies * dofs()`.
    pub fn to_csr(&self, bodies: usize) -> CsMat<f64> {
        let entries = self.len() * self.rows * 2 * self.dofs;
        let mut indptr = Vec::with_capacity(self.len() * self.rows + 1);
        let (mut indices, mut data) = (Vec::with_capacity(entries), Vec::with_capacity(entries));
        indptr.push(0);
        for (k, &[a, b]) in self.cols.iter().enumerate() {
            // By columns, where FIXED is the largest.
            let sides = if a <= b { [0, 1] } else { [1, 0] };
            for row in 0..self.rows {
                let part = |side: usize| &self.block(k, side)[row * self.dofs..][..self.dofs];
                for side in sides {
                    let body = self.cols[k][side];
                    if body == FIXED {
                        continue;
                    }
                    if a == b && side == sides[1] {
                        let own = data.len() - self.dofs;
                        let both = data[own..].iter_mut().zip(part(side));
                        both.for_each(|(x, y): (&mut f64, _)| *x += y);
                        continue;
                    }
                    let first = body as usize * self.dofs;
                    indices.extend(first..first + self.dofs);
                    data.extend_from_slice(part(side));
                }
                indptr.push(indices.len());
            }
        }
        let shape = (self.len() * self.rows, bodies * self.dofs);
        CsMat::new(shape, indptr, indices, data)
    }
}
