//! The data of a linear complementarity problem, scaled.

use crate::linalg::equilibrate;

/// LCP data with rows and columns scaled by powers of two: M' = R M C, q' = R q, z = C z'.
#[derive(Clone, Debug, Default)]
pub(super) struct ScaledLcp {
    pub(super) m: Vec<f64>,
    pub(super) q: Vec<f64>,
    pub(super) row: Vec<f64>,
    pub(super) col: Vec<f64>,
}

impl ScaledLcp {
    /// Scales the dense LCP (M by rows).
    pub(super) fn new(mut m: Vec<f64>, mut q: Vec<f64>) -> Self {
        let n = q.len();
        let (row, col) = equilibrate(n, &m);
        for (i, r) in row.iter().enumerate() {
            m[i * n..][..n]
                .iter_mut()
                .zip(&col)
                .for_each(|(m, c)| *m *= r * c);
            q[i] *= r;
        }
        Self { m, q, row, col }
    }

    pub(super) fn len(&self) -> usize {
        self.q.len()
    }

    pub(super) fn is_finite(&self) -> bool {
        self.m.iter().chain(&self.q).all(|x| x.is_finite())
    }

    pub(super) fn row(&self, i: usize) -> &[f64] {
        &self.m[i * self.len()..][..self.len()]
    }
}
