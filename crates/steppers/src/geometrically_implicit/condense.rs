//! Closest points as functions of the positions: their derivatives, eliminated from those of a pair.
//!
//! From rows(z, q) = 0 follows dz = −A⁻¹ B dq, with A and B the derivatives of the rows by z and by displacements. An
//! inequality without multiplier is no row: its multiplier stays zero. Where A is singular, along lines and faces of contact,
//! the points are no functions of the positions.

use signorini_dynamics::{PairDerivatives, PairLayout};

/// Where a pivot is below this part of the largest, points move by a million times what bodies do: they jump.
const RANK: f64 = 1e-6;

/// Buffers of an elimination.
#[derive(Debug, Default)]
pub(super) struct Elimination {
    /// A and B, by rows.
    table: Vec<f64>,
    /// Unknown that the pivot of each row determines.
    pivots: Vec<usize>,
    /// Rows without a pivot.
    is_open: Vec<bool>,
    /// Unknowns that no pivot determines yet.
    is_free: Vec<bool>,
    row: Vec<f64>,
}

impl Elimination {
    /// Adds to each column of displacements what the points make of it; false where they have no derivatives.
    pub(super) fn eliminate(
        &mut self,
        layout: &PairLayout,
        z: &[f64],
        derivatives: &mut PairDerivatives,
    ) -> bool {
        let (nz, columns) = (layout.nz, layout.columns());
        self.table.clear();
        for (i, row) in derivatives.closest.chunks_exact(columns).enumerate() {
            let is_off = i >= layout.equations && z[i] <= 0.0;
            if is_off {
                self.table
                    .extend((0..columns).map(|j| f64::from(u8::from(i == j))));
            } else {
                self.table.extend_from_slice(row);
            }
        }
        if !self.reduce(nz, columns) {
            return false;
        }
        // Row r now says z[pivot] = −(B and the rest of row r).
        let PairDerivatives {
            closest: _,
            gap,
            surface_gap,
            wrench,
            slip,
        } = derivatives;
        for (r, row) in self.table.chunks_exact(columns).enumerate() {
            let unknown = self.pivots[r];
            for matrix in [&mut *gap, &mut *surface_gap, &mut *wrench, &mut *slip] {
                for values in matrix.chunks_exact_mut(columns) {
                    let by_unknown = values[unknown];
                    for (value, change) in values[nz..].iter_mut().zip(&row[nz..]) {
                        *value -= by_unknown * change;
                    }
                }
            }
        }
        true
    }

    /// Gauss and Jordan with full pivoting on the first nz columns; false if they have no full rank.
    fn reduce(&mut self, nz: usize, width: usize) -> bool {
        self.pivots.clear();
        self.pivots.resize(nz, 0);
        self.is_open.clear();
        self.is_open.resize(nz, true);
        self.is_free.clear();
        self.is_free.resize(nz, true);
        let mut first = 0.0;
        for _ in 0..nz {
            let mut best = (0.0, 0, 0);
            for i in (0..nz).filter(|&i| self.is_open[i]) {
                for (j, value) in self.table[i * width..][..nz].iter().enumerate() {
                    if self.is_free[j] && value.abs() > best.0 {
                        best = (value.abs(), i, j);
                    }
                }
            }
            let (size, r, c) = best;
            first = f64::max(first, size);
            if size <= RANK * first {
                return false;
            }
            self.pivots[r] = c;
            self.is_open[r] = false;
            self.is_free[c] = false;
            let pivot = self.table[r * width + c];
            let row = &mut self.table[r * width..][..width];
            for x in row.iter_mut() {
                *x /= pivot;
            }
            self.row.clear();
            self.row.extend_from_slice(row);
            for i in (0..nz).filter(|&i| i != r) {
                let factor = self.table[i * width + c];
                if factor != 0.0 {
                    for (x, y) in self.table[i * width..][..width].iter_mut().zip(&self.row) {
                        *x -= factor * y;
                    }
                }
            }
        }
        true
    }
}
