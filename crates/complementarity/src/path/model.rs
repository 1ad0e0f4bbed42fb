//! The linearised problem: l ≤ z ≤ u complementary to F_k + (J + ε I)(z − z_k).

use sprs::CsMat;

use crate::residual::LinearView;
use crate::{BasisMark, Bounds};

/// J + ε I with q = F_k − (J + ε I) z_k, in memory that is kept.
#[derive(Clone, Debug)]
pub(super) struct Model {
    matrix: CsMat<f64>,
    /// Where the diagonal stands in the data of `matrix`.
    diagonal: Vec<usize>,
    q: Vec<f64>,
}

impl Default for Model {
    fn default() -> Self {
        Self {
            matrix: CsMat::zero((0, 0)).to_csc(),
            diagonal: Vec::new(),
            q: Vec::new(),
        }
    }
}

impl Model {
    /// Linearises at (z, f) with the Jacobian `j`, whose pattern has the whole diagonal.
    pub(super) fn set(&mut self, j: &CsMat<f64>, proximal: f64, z: &[f64], f: &[f64]) {
        let same = self.matrix.rows() == j.rows()
            && self.matrix.indptr() == j.indptr()
            && self.matrix.indices() == j.indices();
        if same {
            self.matrix.data_mut().copy_from_slice(j.data());
        } else {
            self.matrix = j.clone();
            let place = |i| j.nnz_index(i, i).expect("the diagonal is in the pattern").0;
            self.diagonal = (0..j.rows()).map(place).collect();
        }
        let data = self.matrix.data_mut();
        for &at in self.diagonal.iter().filter(|_| proximal != 0.0) {
            data[at] += proximal;
        }
        self.q.clear();
        self.q.extend_from_slice(f);
        for (column, &z) in self.matrix.outer_iterator().zip(z) {
            for (i, m) in column.iter() {
                self.q[i] -= m * z;
            }
        }
    }

    pub(super) fn view<'a>(&'a self, bounds: &'a Bounds) -> LinearView<'a> {
        LinearView {
            m: &self.matrix,
            q: &self.q,
            bounds: Some(bounds),
        }
    }

    pub(super) fn matrix(&self) -> &CsMat<f64> {
        &self.matrix
    }

    pub(super) fn q(&self) -> &[f64] {
        &self.q
    }
}

/// Where the variables of a point stand: basic strictly between their bounds.
pub(super) fn marks_of(bounds: &Bounds, z: &[f64], marks: &mut Vec<BasisMark>) {
    marks.clear();
    let intervals = bounds.lower().iter().zip(bounds.upper());
    marks.extend(
        z.iter()
            .zip(intervals)
            .map(|(z, (l, u))| match (z <= l, z >= u) {
                (true, _) => BasisMark::AtLower,
                (_, true) => BasisMark::AtUpper,
                _ => BasisMark::Basic,
            }),
    );
}
