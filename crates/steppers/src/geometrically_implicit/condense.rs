//! Closest points as functions of the positions: their derivatives, eliminated from those of a pair.
//!
//! From rows(z, q) = 0 follows dz = −A⁻¹ B dq, with A and B the derivatives of the rows by z and by displacements. An
//! inequality without multiplier is no row: its multiplier stays zero. Where A is singular, between faces and edges that are
//! parallel, unknowns that no row determines stay.

use signorini_dynamics::{PairDerivatives, PairLayout};

/// Pivots below this part of the largest are zero.
const RANK: f64 = 1e-10;

/// Buffers of an elimination.
#[derive(Debug, Default)]
pub(super) struct Elimination {
    /// A and B, by rows.
    table: Vec<f64>,
    /// Unknown that the pivot of each row determines.
    pivots: Vec<Option<usize>>,
}

impl Elimination {
    /// Adds to each column of displacements what the points make of it.
    pub(super) fn eliminate(
        &mut self,
        layout: &PairLayout,
        z: &[f64],
        derivatives: &mut PairDerivatives,
    ) {
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
        self.reduce(nz, columns);
        // Row r now says z[pivot] = −(B and the rest of row r).
        let PairDerivatives {
            closest: _,
            gap,
            surface_gap,
            wrench,
            slip,
        } = derivatives;
        for (r, row) in self.table.chunks_exact(columns).enumerate() {
            let Some(unknown) = self.pivots[r] else {
                continue;
            };
            for matrix in [&mut *gap, &mut *surface_gap, &mut *wrench, &mut *slip] {
                for values in matrix.chunks_exact_mut(columns) {
                    let by_unknown = values[unknown];
                    for (value, change) in values[nz..].iter_mut().zip(&row[nz..]) {
                        *value -= by_unknown * change;
                    }
                }
            }
        }
    }

    /// Gauss and Jordan with full pivoting on the first nz columns.
    fn reduce(&mut self, nz: usize, width: usize) {
        self.pivots.clear();
        self.pivots.resize(nz, None);
        let mut first = 0.0;
        for _ in 0..nz {
            let mut best = (0.0, 0, 0);
            for i in (0..nz).filter(|&i| self.pivots[i].is_none()) {
                for (j, value) in self.table[i * width..][..nz].iter().enumerate() {
                    let is_free = !self.pivots.contains(&Some(j));
                    if is_free && value.abs() > best.0 {
                        best = (value.abs(), i, j);
                    }
                }
            }
            let (size, r, c) = best;
            first = f64::max(first, size);
            if size <= RANK * first {
                return;
            }
            self.pivots[r] = Some(c);
            let pivot = self.table[r * width + c];
            self.table[r * width..][..width]
                .iter_mut()
                .for_each(|x| *x /= pivot);
            let row = self.table[r * width..][..width].to_vec();
            for i in (0..nz).filter(|&i| i != r) {
                let factor = self.table[i * width + c];
                if factor != 0.0 {
                    for (x, y) in self.table[i * width..][..width].iter_mut().zip(&row) {
                        *x -= factor * y;
                    }
                }
            }
        }
    }
}
