//! The mixed form of a step: velocities and impulses, sparse, without M⁻¹.
//!
//! ```math
//! M v - J^T z = M v_{free}, \qquad w = J v + b
//! ```

use sprs::CsMat;

use super::{BlockRows, FrictionProblem};

/// M v − Jᵀ z and J v for rows J behind the velocities, each at its place among them, ascending; n rows and columns, by columns.
/// `below` gives the entries of a column behind the velocities in rows behind them, ascending.
pub(super) fn mixed_matrix(
    step: &FrictionProblem,
    (rows, places): (&BlockRows, &[usize]),
    n: usize,
    below: impl Fn(usize, &mut Vec<(usize, f64)>),
) -> CsMat<f64> {
    let (nv, dofs) = (step.nv(), step.dofs());
    let by_rows = rows.to_csr(step.bodies());
    let by_columns = by_rows.to_csc();
    let entries = 2 * by_rows.nnz() + nv * dofs + 2 * n;
    let (mut indptr, mut own) = (Vec::with_capacity(n + 1), Vec::new());
    let (mut indices, mut data) = (Vec::with_capacity(entries), Vec::with_capacity(entries));
    // The row of J that stands at a place.
    let mut at = vec![None; n - nv];
    places
        .iter()
        .enumerate()
        .for_each(|(row, &place)| at[place] = Some(row));
    indptr.push(0);
    for column in 0..n {
        if column < nv {
            let (body, j) = (column / dofs, column % dofs);
            for i in 0..dofs {
                let m = step.mass()[(body * dofs + i) * dofs + j];
                if m != 0.0 {
                    indices.push(body * dofs + i);
                    data.push(m);
                }
            }
            for (i, &value) in by_columns.outer_view(column).iter().flat_map(|c| c.iter()) {
                indices.push(nv + places[i]);
                data.push(value);
            }
        } else {
            let row = at[column - nv].and_then(|row| by_rows.outer_view(row));
            for (i, &value) in row.iter().flat_map(|r| r.iter()) {
                indices.push(i);
                data.push(-value);
            }
            own.clear();
            below(column, &mut own);
            indices.extend(own.iter().map(|(i, _)| i));
            data.extend(own.iter().map(|(_, value)| value));
        }
        indptr.push(indices.len());
    }
    CsMat::new_csc((n, n), indptr, indices, data)
}

/// The constants −M v_free and the bias.
pub(super) fn mixed_constants(step: &FrictionProblem, bias: Vec<f64>) -> Vec<f64> {
    let dofs = step.dofs();
    let mut q = vec![0.0; step.nv()];
    for (e, &m) in step.mass().iter().enumerate().filter(|(_, m)| **m != 0.0) {
        let start = e / (dofs * dofs) * dofs;
        let (i, j) = (start + e / dofs % dofs, start + e % dofs);
        q[i] -= m * step.free_velocity()[j];
    }
    q.extend(bias);
    q
}
