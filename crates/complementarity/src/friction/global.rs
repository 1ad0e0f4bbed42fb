//! Friction problems in global form: the Delassus operator through the blocks of the mass matrix.
//!
//! ```math
//! M v = H r + f, \quad u = H^T v + b \qquad\Longrightarrow\qquad W = H^T M^{-1} H, \quad q = H^T M^{-1} f + b
//! ```
//!
//! # Method
//! Rows of M that are coupled form a block; each block is factorised by itself, and its part of W couples the contacts
//! that touch it. W is as sparse as that.

use sprs::{CsMat, TriMat};

use super::error::{check_finite, check_length, check_shape};
use super::{ContactLaws, FrictionError, FrictionProblem};
use crate::linalg::DenseLu;
use crate::sparse_lu::SparseLu;

/// Blocks of M with more rows than this are factorised as sparse matrices.
const DENSE: usize = 200;

impl FrictionProblem {
    /// The problem M v = H r + f, u = Hᵀ v + b, with one column of H for each row of each contact.
    ///
    /// The problem keeps W = Hᵀ M⁻¹ H and q = Hᵀ M⁻¹ f + b only.
    ///
    /// # Errors
    /// [`FrictionError`] naming what has the wrong size or is not finite, or the block of M that is singular.
    ///
    /// # Examples
    /// ```
    /// use signorini_complementarity::{ContactLaws, FrictionProblem};
    /// let laws = ContactLaws { dimension: 2, mu: vec![0.5], ..ContactLaws::default() };
    /// let m = sprs::CsMat::new((2, 2), vec![0, 1, 2], vec![0, 1], vec![2.0, 2.0]);
    /// let h = sprs::CsMat::eye(2);
    /// let problem = FrictionProblem::from_global(&m, &h, &[-6.0, 2.0], &[0.0; 2], laws)?;
    /// assert_eq!(problem.q(), [-3.0, 1.0]);
    /// assert_eq!(problem.residuals(&[6.0, -2.0]).relative, 0.0);
    /// # Ok::<(), signorini_complementarity::FrictionError>(())
    /// ```
    pub fn from_global(
        m: &CsMat<f64>,
        h: &CsMat<f64>,
        f: &[f64],
        b: &[f64],
        laws: ContactLaws,
    ) -> Result<Self, FrictionError> {
        laws.check()?;
        let (nv, n) = (f.len(), laws.mu.len() * laws.dimension);
        check_finite("f", f)?;
        check_length("b", b.len(), n)?;
        check_finite("b", b)?;
        check_shape("M", m, (nv, nv))?;
        check_shape("H", h, (nv, n))?;
        let (m, h) = (m.to_csr(), h.to_csr());
        let mut w = TriMat::new((n, n));
        let mut q = b.to_vec();
        for rows in connected(&m) {
            let block = Block::new(&h, &rows);
            let solved = block.solve(&m, f, &rows)?;
            block.add_to(&solved, &mut w, &mut q);
        }
        Self::from_delassus(&w.to_csr(), q, laws)
    }
}

/// Rows of M that are coupled, each set in order, sets by their first row.
fn connected(m: &CsMat<f64>) -> Vec<Vec<usize>> {
    fn root(parent: &mut [usize], mut i: usize) -> usize {
        while parent[i] != i {
            parent[i] = parent[parent[i]];
            i = parent[i];
        }
        i
    }
    let mut parent: Vec<usize> = (0..m.rows()).collect();
    for (_, (i, j)) in m {
        let (a, b) = (root(&mut parent, i), root(&mut parent, j));
        // The smaller root stays: it is the first row of its set.
        parent[a.max(b)] = a.min(b);
    }
    let mut sets: Vec<Vec<usize>> = vec![Vec::new(); m.rows()];
    for i in 0..m.rows() {
        sets[root(&mut parent, i)].push(i);
    }
    sets.retain(|set| !set.is_empty());
    sets
}

/// The columns of H that touch one block of M, and its entries there: (row in the block, place of the column, value).
struct Block {
    columns: Vec<usize>,
    entries: Vec<(usize, usize, f64)>,
}

impl Block {
    fn new(h: &CsMat<f64>, rows: &[usize]) -> Self {
        let all = || {
            rows.iter().enumerate().flat_map(|(local, &row)| {
                let entries = h.outer_view(row).expect("H has a row for each of M");
                let entries: Vec<_> = entries.iter().map(|(j, v)| (j, *v)).collect();
                entries.into_iter().map(move |(j, v)| (local, j, v))
            })
        };
        let mut columns: Vec<usize> = all().map(|(_, j, _)| j).collect();
        columns.sort_unstable();
        columns.dedup();
        let place = |j: usize| columns.binary_search(&j).expect("collected above");
        let entries = all().map(|(i, j, v)| (i, place(j), v)).collect();
        Self { columns, entries }
    }

    /// M⁻¹ (H, f) of the block, by rows.
    fn solve(&self, m: &CsMat<f64>, f: &[f64], rows: &[usize]) -> Result<Vec<f64>, FrictionError> {
        let (n, width) = (rows.len(), self.columns.len() + 1);
        let mut solved = vec![0.0; n * width];
        for &(i, k, value) in &self.entries {
            solved[i * width + k] += value;
        }
        for (i, &row) in rows.iter().enumerate() {
            solved[i * width + width - 1] = f[row];
        }
        let singular = || FrictionError::Singular { row: rows[0] };
        let entries = rows.iter().enumerate().flat_map(|(i, &row)| {
            let entries = m.outer_view(row).expect("a row of M");
            let entries: Vec<_> = entries.iter().map(|(j, v)| (j, *v)).collect();
            entries.into_iter().map(move |(j, v)| (i, j, v))
        });
        let entries = entries.map(|(i, j, v)| {
            let j = rows.binary_search(&j).expect("coupled rows are in one set");
            (i, j, v)
        });
        if n <= DENSE {
            let mut dense = vec![0.0; n * n];
            entries.for_each(|(i, j, v)| dense[j * n + i] += v);
            let lu = DenseLu::new(n, dense).ok_or_else(singular)?;
            lu.solve(&mut solved, width);
        } else {
            let mut triplets = TriMat::new((n, n));
            entries.for_each(|(i, j, v)| triplets.add_triplet(i, j, v));
            let mut lu = SparseLu::default();
            if !lu.factor(&triplets.to_csc()) {
                return Err(singular());
            }
            let mut column = vec![0.0; n];
            for k in 0..width {
                let place = |i: usize| i * width + k;
                (0..n).for_each(|i| column[i] = solved[place(i)]);
                lu.solve(&mut column);
                (0..n).for_each(|i| solved[place(i)] = column[i]);
            }
        }
        if solved.iter().all(|x| x.is_finite()) {
            Ok(solved)
        } else {
            Err(singular())
        }
    }

    /// Adds Hᵀ M⁻¹ H and Hᵀ M⁻¹ f of the block.
    fn add_to(&self, solved: &[f64], w: &mut TriMat<f64>, q: &mut [f64]) {
        let width = self.columns.len() + 1;
        let mut part = vec![0.0; self.columns.len() * width];
        for &(i, k, value) in &self.entries {
            let row = &mut part[k * width..][..width];
            for (p, x) in row.iter_mut().zip(&solved[i * width..][..width]) {
                *p += value * x;
            }
        }
        for (&row, part) in self.columns.iter().zip(part.chunks_exact(width)) {
            for (&col, &value) in self.columns.iter().zip(part) {
                w.add_triplet(row, col, value);
            }
            q[row] += part[width - 1];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BlockRows, FrictionData};

    fn laws(contacts: usize) -> ContactLaws {
        ContactLaws {
            dimension: 2,
            mu: vec![0.5; contacts],
            ..ContactLaws::default()
        }
    }

    /// Two bodies and three contacts, once as bodies and once by matrices.
    #[test]
    fn agrees_with_bodies() {
        let mut contacts = BlockRows::new(2, 2);
        contacts.push([crate::FIXED, 0], &[0.0; 4], &[0.5, 1.0, 1.0, 0.25]);
        contacts.push([0, 1], &[-1.0, 0.0, 0.5, 2.0], &[1.0, 1.0, -0.5, 0.0]);
        contacts.push([crate::FIXED, 1], &[0.0; 4], &[0.0, 1.0, 1.0, 0.0]);
        let mass = vec![2.0, 0.5, 0.5, 3.0, 1.0, 0.0, 0.0, 4.0];
        let free_velocity = vec![1.0, -2.0, 3.0, 0.5];
        let bias = vec![0.1, 0.2, 0.3, 0.4, 0.5, 0.6];
        let bodies = FrictionProblem::new(FrictionData {
            dofs: 2,
            mass: mass.clone(),
            free_velocity: free_velocity.clone(),
            contacts: contacts.clone(),
            bias: bias.clone(),
            mu: vec![0.5; 3],
            ..FrictionData::default()
        })
        .unwrap();
        let mut m = TriMat::new((4, 4));
        let mut f = [0.0; 4];
        for (e, value) in mass.iter().enumerate().filter(|(_, v)| **v != 0.0) {
            let (i, j) = (e / 4 * 2 + e / 2 % 2, e / 4 * 2 + e % 2);
            m.add_triplet(i, j, *value);
            f[i] += value * free_velocity[j];
        }
        let h = contacts.to_csr(2).transpose_into();
        let m = m.to_csr::<usize>();
        assert_eq!(connected(&m), [vec![0, 1], vec![2], vec![3]]);
        let global = FrictionProblem::from_global(&m, &h, &f, &bias, laws(3)).unwrap();
        let z = [1.0, -0.5, 2.0, 0.25, 0.0, 3.0];
        let (mut a, mut b) = ([0.0; 6], [0.0; 6]);
        bodies.relative_velocities_into(&z, &mut a);
        global.relative_velocities_into(&z, &mut b);
        for (a, b) in a.iter().zip(&b) {
            assert!((a - b).abs() < 1e-14, "{a} {b}");
        }
        // Contacts 0 and 2 share no body.
        assert_eq!(global.operator().unwrap().0.get(0, 4), None);
    }

    /// A chain of springs, long enough for the sparse factorisation, agrees with M itself.
    #[test]
    fn large_blocks_are_sparse() {
        let n = DENSE + 100;
        let mut m = TriMat::new((n, n));
        for i in 0..n {
            m.add_triplet(i, i, 3.0);
            if i > 0 {
                m.add_triplet(i, i - 1, -1.0);
                m.add_triplet(i - 1, i, -1.0);
            }
        }
        let mut h = TriMat::new((n, 2));
        h.add_triplet(0, 0, 1.0);
        h.add_triplet(n - 1, 1, 2.0);
        let (m, h) = (m.to_csc::<usize>(), h.to_csc::<usize>());
        let mut f = vec![1.0; n];
        (f[0], f[n - 1]) = (2.0, 2.0);
        let problem = FrictionProblem::from_global(&m, &h, &f, &[0.0; 2], laws(1)).unwrap();
        // M 1 = f, so q = Hᵀ 1; the end of the chain is (3 − √5)/2 soft.
        let q = problem.q();
        assert!(
            (q[0] - 1.0).abs() < 1e-14 && (q[1] - 2.0).abs() < 1e-14,
            "{q:?}"
        );
        let soft = (3.0 - 5.0_f64.sqrt()) / 2.0;
        let diagonal = problem.diagonal();
        assert!((diagonal[0] - soft).abs() < 1e-14 && (diagonal[1] - 4.0 * soft).abs() < 1e-14);
    }

    #[test]
    fn singular_masses_are_named() {
        let m = CsMat::new((2, 2), vec![0, 1, 2], vec![0, 1], vec![1.0, 0.0]);
        let h = CsMat::eye(2);
        let error = FrictionProblem::from_global(&m, &h, &[0.0; 2], &[0.0; 2], laws(1));
        assert_eq!(
            error.unwrap_err().to_string(),
            "M is singular in the block of row 1"
        );
    }
}
