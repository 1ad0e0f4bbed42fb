//! Factors of the mass blocks, and Gram matrices of block rows through them.

#![expect(
    clippy::inline_always,
    reason = "sizes are known to the compiler only in copies of a loop where they are written"
)]

use sprs::{CsMat, TriMat};

use super::{BlockRows, FIXED};

/// Largest asymmetry |a − aᵀ| of a mass block, relative to √(a_ii a_jj), that is taken for rounding.
const ASYMMETRY: f64 = 1e-10;

/// M = L D Lᵀ, one block per body: L unit lower triangular, D on the diagonal. Without square roots a diagonal mass
/// stays exact.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct MassFactor {
    dofs: usize,
    lower: Vec<f64>,
}

impl MassFactor {
    /// Factorises every block; the error is the first body whose block is not symmetric positive definite.
    pub(super) fn new(dofs: usize, mass: &[f64]) -> Result<Self, usize> {
        let mut lower = mass.to_vec();
        for (body, block) in lower.chunks_exact_mut((dofs * dofs).max(1)).enumerate() {
            factorize(dofs, block).ok_or(body)?;
        }
        Ok(Self { dofs, lower })
    }

    pub(super) fn bodies(&self) -> usize {
        self.lower
            .len()
            .checked_div(self.dofs * self.dofs)
            .unwrap_or(0)
    }

    fn block(&self, body: usize) -> &[f64] {
        &self.lower[body * self.dofs * self.dofs..][..self.dofs * self.dofs]
    }

    /// x ← L⁻¹ x of one body.
    fn solve_lower(&self, body: usize, x: &mut [f64]) {
        solve_lower(self.dofs, self.block(body), x);
    }

    /// x ← M⁻¹ x over all bodies.
    pub(super) fn solve(&self, x: &mut [f64]) {
        match self.dofs {
            3 => self.solve_sized(3, x),
            6 => self.solve_sized(6, x),
            dofs => self.solve_sized(dofs, x),
        }
    }

    /// With a size that is known where it is called there are no loops in a block.
    #[inline(always)]
    fn solve_sized(&self, dofs: usize, x: &mut [f64]) {
        let blocks = self.lower.chunks_exact((dofs * dofs).max(1));
        for (x, block) in x.chunks_exact_mut(dofs.max(1)).zip(blocks) {
            solve(dofs, block, x);
        }
    }

    /// x ← M⁻¹ x of one body.
    pub(super) fn solve_body(&self, body: usize, x: &mut [f64]) {
        solve(self.dofs, self.block(body), x);
    }

    /// x ← D^(−½) L⁻¹ x of one body: in these coordinates its mass is the unit matrix.
    pub(super) fn whiten(&self, body: usize, x: &mut [f64]) {
        self.solve_lower(body, x);
        let diagonal = self.block(body).iter().step_by(self.dofs + 1);
        for (x, d) in x.iter_mut().zip(diagonal) {
            *x /= d.sqrt();
        }
    }

    /// Diagonal of J M⁻¹ Jᵀ.
    pub(super) fn gram_diagonal(&self, rows: &BlockRows) -> Vec<f64> {
        let mut diagonal = vec![0.0; rows.len() * rows.rows()];
        // Sides on one body are summed before they are squared.
        let (mut x, mut y) = (vec![0.0; self.dofs], vec![0.0; self.dofs]);
        for (i, diagonal) in diagonal.iter_mut().enumerate() {
            let (k, r) = (i / rows.rows(), i % rows.rows());
            let row = |side: usize| &rows.block(k, side)[r * self.dofs..][..self.dofs];
            let [a, b] = rows.cols()[k];
            for (side, body) in [(0, a), (1, b)].into_iter().filter(|(_, b)| *b != FIXED) {
                x.copy_from_slice(row(side));
                if a == b {
                    if side == 1 {
                        break;
                    }
                    x.iter_mut().zip(row(1)).for_each(|(x, y)| *x += y);
                }
                y.copy_from_slice(&x);
                self.solve_body(body as usize, &mut y);
                *diagonal += x.iter().zip(&y).map(|(x, y)| x * y).sum::<f64>();
            }
        }
        diagonal
    }

    /// J M⁻¹ Jᵀ = (L⁻¹ Jᵀ)ᵀ D⁻¹ (L⁻¹ Jᵀ): symmetric bit for bit because both entries are the same products.
    pub(super) fn gram(&self, rows: &BlockRows) -> CsMat<f64> {
        let size = rows.len() * rows.rows();
        // Scalar rows seen by each body, in order, and their values L⁻¹ Jᵀ.
        let mut seen: Vec<Vec<usize>> = vec![Vec::new(); self.bodies()];
        let mut values: Vec<Vec<f64>> = vec![Vec::new(); self.bodies()];
        for (k, cols) in rows.cols().iter().enumerate() {
            for (side, &body) in cols.iter().enumerate().filter(|(_, b)| **b != FIXED) {
                let body = body as usize;
                for (r, row) in rows.block(k, side).chunks_exact(self.dofs).enumerate() {
                    seen[body].push(k * rows.rows() + r);
                    let start = values[body].len();
                    values[body].extend_from_slice(row);
                    self.solve_lower(body, &mut values[body][start..]);
                }
            }
        }
        let mut triplets = TriMat::new((size, size));
        for (body, (seen, values)) in seen.iter().zip(&values).enumerate() {
            let diagonal: Vec<f64> = self
                .block(body)
                .iter()
                .step_by(self.dofs + 1)
                .copied()
                .collect();
            for (i, x) in seen.iter().zip(values.chunks_exact(self.dofs)) {
                for (j, y) in seen.iter().zip(values.chunks_exact(self.dofs)) {
                    let products = x.iter().zip(y).zip(&diagonal);
                    triplets.add_triplet(*i, *j, products.map(|((x, y), d)| x * y / d).sum());
                }
            }
        }
        triplets.to_csc()
    }
}

/// x ← L⁻¹ x.
#[inline(always)]
fn solve_lower(dofs: usize, l: &[f64], x: &mut [f64]) {
    for i in 0..dofs {
        let row = &l[i * dofs..][..i];
        let sum: f64 = row.iter().zip(&*x).map(|(a, b)| a * b).sum();
        x[i] -= sum;
    }
}

/// x ← (L D Lᵀ)⁻¹ x.
#[inline(always)]
fn solve(dofs: usize, l: &[f64], x: &mut [f64]) {
    solve_lower(dofs, l, x);
    for i in (0..dofs).rev() {
        let sum: f64 = (i + 1..dofs).map(|k| l[k * dofs + i] * x[k]).sum();
        x[i] = x[i] / l[i * dofs + i] - sum;
    }
}

/// Overwrites a block with L (unit diagonal not stored) and D on its diagonal; `None` if it is not symmetric positive
/// definite.
fn factorize(n: usize, a: &mut [f64]) -> Option<()> {
    for i in 0..n {
        for j in 0..i {
            let (lower, upper) = (a[i * n + j], a[j * n + i]);
            let size = (a[i * n + i].abs() * a[j * n + j].abs()).sqrt();
            if (lower - upper).abs() > ASYMMETRY * size {
                return None;
            }
        }
    }
    for i in 0..n {
        for j in 0..=i {
            let sum: f64 = (0..j)
                .map(|k| a[i * n + k] * a[j * n + k] * a[k * n + k])
                .sum();
            a[i * n + j] -= sum;
            if i != j {
                a[i * n + j] /= a[j * n + j];
            }
        }
        // NaN fails the comparison as well.
        let positive = a[i * n + i] > 0.0;
        if !positive {
            return None;
        }
        a[i * n + i + 1..(i + 1) * n].fill(0.0);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solve_inverts_the_blocks() {
        let factor = MassFactor::new(2, &[4.0, 2.0, 2.0, 3.0, 1.0, 0.0, 0.0, 1.0]).unwrap();
        // [4 2; 2 3] (1, 2) = (8, 8)
        let mut x = [8.0, 8.0, 5.0, 6.0];
        factor.solve(&mut x);
        for (x, expected) in x.iter().zip([1.0, 2.0, 5.0, 6.0]) {
            assert!((x - expected).abs() < 1e-15, "{x} {expected}");
        }
    }

    #[test]
    fn gram_sums_both_bodies() {
        let factor = MassFactor::new(1, &[2.0, 4.0]).unwrap();
        let mut rows = BlockRows::new(1, 1);
        rows.push([0, 1], &[-1.0], &[1.0]);
        rows.push([0, FIXED], &[3.0], &[f64::NAN]);
        let w = factor.gram(&rows).to_dense();
        assert!((w[[0, 0]] - 0.75).abs() < 1e-15 && (w[[0, 1]] + 1.5).abs() < 1e-15);
        assert_eq!(w[[0, 1]].to_bits(), w[[1, 0]].to_bits());
    }
}
