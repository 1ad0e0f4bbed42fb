//! The mixed form of a step: velocities and impulses, sparse, without M⁻¹.
//!
//! ```math
//! M v - J^T z = M v_{free}, \qquad w = J v + b
//! ```

use sprs::CsMat;

use super::{BlockRows, FIXED, FrictionProblem};

/// M v − Jᵀ z and J v for rows J behind the velocities, each at its place among them, ascending; n rows and columns, by columns.
/// `below` gives the entries of a column behind the velocities in rows behind them, ascending.
pub(super) fn mixed_matrix(
    step: &FrictionProblem,
    (rows, places): (&BlockRows, &[usize]),
    n: usize,
    below: impl Fn(usize, &mut Vec<(usize, f64)>),
) -> CsMat<f64> {
    let (nv, dofs) = (step.nv(), step.dofs());
    let sides = Sides::new(rows, step.bodies());
    let entries = 4 * rows.len() * dofs + nv * dofs + 3 * n;
    let (mut indptr, mut own) = (Vec::with_capacity(n + 1), Vec::new());
    let (mut indices, mut data) = (Vec::with_capacity(entries), Vec::with_capacity(entries));
    // The row of J that stands at a place.
    let mut at = vec![None; n - nv];
    places
        .iter()
        .enumerate()
        .for_each(|(row, &place)| at[place] = Some(row));
    indptr.push(0);
    for column in 0..nv {
        let (body, j) = (column / dofs, column % dofs);
        for i in 0..dofs {
            let m = step.mass()[(body * dofs + i) * dofs + j];
            if m != 0.0 {
                indices.push(body * dofs + i);
                data.push(m);
            }
        }
        let of_body = &sides.of_body[sides.starts[body]..sides.starts[body + 1]];
        indices.extend(of_body.iter().map(|side| nv + places[side / 2]));
        data.extend(of_body.iter().map(|side| sides.values[side * dofs + j]));
        indptr.push(indices.len());
    }
    for column in nv..n {
        if let Some(row) = at[column - nv] {
            for side in [2 * row, 2 * row + 1] {
                let Some(body) = sides.bodies[side] else {
                    continue;
                };
                indices.extend(body * dofs..(body + 1) * dofs);
                let values = &sides.values[side * dofs..][..dofs];
                data.extend(values.iter().map(|value| -value));
            }
        }
        own.clear();
        below(column, &mut own);
        indices.extend(own.iter().map(|(i, _)| i));
        data.extend(own.iter().map(|(_, value)| value));
        indptr.push(indices.len());
    }
    CsMat::new_csc((n, n), indptr, indices, data)
}

/// Scalar rows with both sides in the order of their bodies: two sides on one body are one.
struct Sides {
    /// Body of side s of row k at 2 k + s; none if it is fixed or the first side has it.
    bodies: Vec<Option<usize>>,
    /// Their values, by sides.
    values: Vec<f64>,
    /// Sides of each body from `starts` on, rows ascending.
    of_body: Vec<usize>,
    starts: Vec<usize>,
}

impl Sides {
    fn new(rows: &BlockRows, count: usize) -> Self {
        let mut sides = Self {
            bodies: Vec::with_capacity(2 * rows.len()),
            values: Vec::with_capacity(2 * rows.len() * rows.dofs()),
            of_body: Vec::new(),
            starts: vec![0; count + 1],
        };
        for (row, &[a, b]) in rows.cols().iter().enumerate() {
            let first = usize::from(a > b);
            for side in [first, 1 - first] {
                let body = rows.cols()[row][side];
                sides.values.extend_from_slice(rows.block(row, side));
                let counts = body != FIXED && (a != b || side == first);
                let body = counts.then_some(body as usize);
                sides.bodies.push(body);
                if let Some(body) = body {
                    sides.starts[body + 1] += 1;
                }
            }
            if a == b {
                let both = sides.values.len() - 2 * rows.dofs();
                let (sum, other) = sides.values[both..].split_at_mut(rows.dofs());
                sum.iter_mut().zip(other).for_each(|(x, y)| *x += *y);
            }
        }
        for body in 0..count {
            sides.starts[body + 1] += sides.starts[body];
        }
        let mut next = sides.starts.clone();
        sides.of_body = vec![0; next[count]];
        for (side, body) in sides.bodies.iter().enumerate() {
            if let Some(body) = *body {
                sides.of_body[next[body]] = side;
                next[body] += 1;
            }
        }
        sides
    }
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
