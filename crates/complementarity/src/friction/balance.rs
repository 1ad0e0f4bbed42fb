//! A friction problem in units in which all contacts are alike.
//!
//! The methods whose steps have one length for all rows depend on units: on those of torsion and rolling, and on masses
//! that differ by powers of ten. In balanced units the diagonal of W is 1 on average over each normal and each disc.

use std::ops::Range;

use super::view::{BlockMatrix, SolverView};

/// Diagonal entries below this part of the mean count as this much where units are made of them.
const LEAST_PART: f64 = 1e-12;

impl SolverView {
    /// The same problem in units in which the diagonal of W' has the mean 1 over the normal and over each disc of a
    /// contact, and the unit of each row: r' = unit · x, x the new unknown.
    ///
    /// All rows of a disc have the same unit, so cones stay round; their coefficients change.
    pub(crate) fn balanced(&self) -> (Self, Vec<f64>) {
        let mut view = self.clone();
        let mut unit = vec![1.0; self.len()];
        let mean = self.mean_diagonal();
        let least = if mean > 0.0 { LEAST_PART * mean } else { 1.0 };
        for k in 0..self.blocks() {
            let rows = self.rows(k);
            let (d, block) = (rows.len(), self.diagonal_block(k));
            let mut size = |part: Range<usize>| {
                let sum: f64 = part.clone().map(|i| block[i * d + i]).sum();
                let size = 1.0 / (sum / part.len().max(1) as f64).max(least).sqrt();
                unit[rows.start..][part].fill(size);
                size
            };
            let normal = size(0..1);
            if k >= self.contacts {
                let law = self.equation(k).balanced(unit[rows.start]);
                view.equations[k - self.contacts] = law;
                continue;
            }
            if let Some(cone) = view.cones.get_mut(k) {
                let [(first, _), (second, _)] = cone.parts();
                cone.mu *= normal / size(first);
                cone.rolling *= normal / size(second);
            }
        }
        view.q.iter_mut().zip(&unit).for_each(|(q, e)| *q *= e);
        let mut values = view.diagonal.iter_mut();
        for k in 0..self.blocks() {
            for i in self.rows(k) {
                for (j, w) in self.rows(k).zip(&mut values) {
                    *w *= unit[i] * unit[j];
                }
            }
        }
        if let Some(bodies) = &mut view.bodies {
            for k in 0..self.blocks() {
                let range = bodies.block(k);
                let units = unit[self.rows(k)].iter().cycle();
                let rows = bodies.rows[range.clone()].chunks_exact_mut(bodies.dofs);
                let inverse = bodies.inverse[range].chunks_exact_mut(bodies.dofs);
                for ((row, inverse), e) in rows.zip(inverse).zip(units) {
                    row.iter_mut().chain(inverse).for_each(|x| *x *= e);
                }
            }
        }
        (view, unit)
    }

    /// Mean of the diagonal of W'.
    pub(crate) fn mean_diagonal(&self) -> f64 {
        let mut sum = 0.0;
        for k in 0..self.blocks() {
            let (d, block) = (self.rows(k).len(), self.diagonal_block(k));
            sum += (0..d).map(|i| block[i * d + i]).sum::<f64>();
        }
        sum / self.len().max(1) as f64
    }
}

impl BlockMatrix {
    /// The matrix in the units of [`SolverView::balanced`].
    pub(crate) fn balanced(mut self, view: &SolverView, unit: &[f64]) -> Self {
        for k in 0..view.blocks() {
            for e in self.start[k]..self.start[k + 1] {
                let l = self.cols[e] as usize;
                let mut values = self.values[self.offset[e]..].iter_mut();
                for i in view.rows(k) {
                    for (j, w) in view.rows(l).zip(&mut values) {
                        *w *= unit[i] * unit[j];
                    }
                }
            }
        }
        self
    }
}
