//! Equations that the free variables cannot solve alone: some pairs (y, w) change places, so that they can.
//!
//! ```math
//! w = M_{NN} y + M_{NF} z + q_N, \quad 0 \le y \perp w \ge 0, \qquad 0 = M_{FN} y + M_{FF} z + q_F
//! ```
//!
//! Where M_FF is singular, a set K of pairs with a regular block of K and F gives z and y_K in terms of w_K and the
//! other y. That is a principal pivot: an LCP with x = (y_N∖K, w_K), and a positive semidefinite one whenever the
//! equations can be combined to a mixed problem that is monotone. Lemke's method needs this: to split z in two parts
//! keeps the problem monotone only if M itself is, and the order and the signs of equations are anybody's choice.
//!
//! # Method
//! Gaussian elimination with complete pivoting of F × F. What is left of it, rows r and columns c, is zero: for each, the
//! pair k joins whose entries (r, k) and (k, c) are largest, as long as there is one.
//!
//! # References
//! - \[CPS1992\] R. W. Cottle, J.-S. Pang, R. E. Stone, The Linear Complementarity Problem, 1992, sections 1.5, 2.3.

use crate::linalg::{equilibrate, multiply_add};
use crate::reduce::factor_block;

/// After elimination an entry of the scaled matrix counts as zero if it is ≤ this.
const ZERO: f64 = 1e-10;

/// Smaller than this times what they were computed from, numbers are rounding.
const NOISE: f64 = 1e-13;

/// A mixed LCP, by rows: first the pairs, then the equations.
#[derive(Clone, Debug)]
pub(crate) struct Mixed {
    pub(crate) m: Vec<f64>,
    pub(crate) q: Vec<f64>,
    pairs: usize,
}

impl Mixed {
    /// With all numbers zero.
    pub(crate) fn new(pairs: usize, equations: usize) -> Self {
        let n = pairs + equations;
        Self {
            m: vec![0.0; n * n],
            q: vec![0.0; n],
            pairs,
        }
    }

    pub(crate) fn row_mut(&mut self, row: usize) -> &mut [f64] {
        let n = self.q.len();
        &mut self.m[row * n..][..n]
    }

    /// Solves the equations. Afterwards `m` has `pairs` columns, those of x: first the rows of the pairs, w or y, then
    /// those of z. Tells which pairs have changed places; `None`, with the numbers as they were, if there is no way.
    pub(crate) fn solve_equations(&mut self, singular_tolerance: f64) -> Option<Vec<bool>> {
        let (n, pairs) = (self.q.len(), self.pairs);
        let exchanged = Elimination::new(self).exchanged_pairs()?;
        let inner: Vec<usize> = (0..n).filter(|&i| i >= pairs || exchanged[i]).collect();
        let block = factor_block(&self.m, n, &inner, singular_tolerance)?;
        let (_, units) = equilibrate(n, &self.m);
        // Inner z and y in terms of x and 1.
        let width = pairs + 1;
        let mut solved = vec![0.0; inner.len() * width];
        for (&i, out) in inner.iter().zip(solved.chunks_exact_mut(width)) {
            for (j, out) in out[..pairs].iter_mut().enumerate() {
                *out = match (exchanged[j], i == j) {
                    (true, own) => f64::from(u8::from(own)),
                    (false, _) => -self.m[i * n + j],
                };
            }
            out[pairs] = -self.q[i];
        }
        block.solve(&mut solved, width);
        clear_noise(&mut solved, width, |k| 1.0 / units[inner[k]]);
        // The other w.
        let outer: Vec<usize> = (0..pairs).filter(|&i| !exchanged[i]).collect();
        let mut left = Vec::with_capacity(outer.len() * inner.len());
        let mut others = Vec::with_capacity(outer.len() * width);
        for &i in &outer {
            let row = &self.m[i * n..][..n];
            left.extend(inner.iter().map(|&j| row[j]));
            others.extend((0..pairs).map(|j| if exchanged[j] { 0.0 } else { row[j] }));
            others.push(self.q[i]);
        }
        let shape = (outer.len(), inner.len(), width);
        let magnitudes = |x: &[f64]| x.iter().map(|x| x.abs()).collect::<Vec<f64>>();
        let mut sizes = magnitudes(&others);
        multiply_add(&left, &solved, &mut others, shape);
        multiply_add(&magnitudes(&left), &magnitudes(&solved), &mut sizes, shape);
        for (x, size) in others.iter_mut().zip(&sizes) {
            *x = if x.abs() <= NOISE * size { 0.0 } else { *x };
        }
        if !solved.iter().chain(&others).all(|x| x.is_finite()) {
            return None;
        }
        self.m = vec![0.0; n * pairs];
        let rows = inner.iter().zip(solved.chunks_exact(width));
        for (&i, row) in rows.chain(outer.iter().zip(others.chunks_exact(width))) {
            self.m[i * pairs..][..pairs].copy_from_slice(&row[..pairs]);
            self.q[i] = row[pairs];
        }
        Some(exchanged)
    }
}

/// Sets the entries of the solution of linear equations (by rows) to zero that are smaller than the errors of their
/// column: the norm of a column is known to rounding, its small entries are not. A row of such noise would be scaled up.
fn clear_noise(solution: &mut [f64], width: usize, weight: impl Fn(usize) -> f64) {
    let mut largest = vec![0.0_f64; width];
    for (k, row) in solution.chunks_exact(width).enumerate() {
        for (largest, x) in largest.iter_mut().zip(row) {
            *largest = largest.max(weight(k) * x.abs());
        }
    }
    for (k, row) in solution.chunks_exact_mut(width).enumerate() {
        for (x, largest) in row.iter_mut().zip(&largest) {
            if weight(k) * x.abs() <= NOISE * largest {
                *x = 0.0;
            }
        }
    }
}

/// Gaussian elimination on a scaled copy, in place: rows and columns that had a pivot are done.
struct Elimination {
    n: usize,
    pairs: usize,
    a: Vec<f64>,
    row_done: Vec<bool>,
    column_done: Vec<bool>,
}

impl Elimination {
    fn new(mixed: &Mixed) -> Self {
        let n = mixed.q.len();
        let (row, col) = equilibrate(n, &mixed.m);
        let scaled = |(e, m): (usize, &f64)| m * row[e / n] * col[e % n];
        Self {
            n,
            pairs: mixed.pairs,
            a: mixed.m.iter().enumerate().map(scaled).collect(),
            row_done: vec![false; n],
            column_done: vec![false; n],
        }
    }

    /// The pairs that must join the equations; `None` if there is no way.
    fn exchanged_pairs(mut self) -> Option<Vec<bool>> {
        while let Some((r, c)) = self.largest_equation_entry() {
            self.pivot(r, c);
        }
        let mut exchanged = vec![false; self.pairs];
        while (self.pairs..self.n).any(|r| !self.row_done[r]) {
            let (r, k, c) = self.best_pair(&exchanged)?;
            exchanged[k] = true;
            self.pivot(r, k);
            self.pivot(k, c);
        }
        Some(exchanged)
    }

    fn size(&self, i: usize, j: usize) -> f64 {
        self.a[i * self.n + j].abs()
    }

    /// Equations that have had no pivot, and free variables.
    fn open(&self) -> (Vec<usize>, Vec<usize>) {
        let equations = self.pairs..self.n;
        let rows = equations.clone().filter(|&r| !self.row_done[r]);
        let columns = equations.filter(|&c| !self.column_done[c]);
        (rows.collect(), columns.collect())
    }

    fn largest_equation_entry(&self) -> Option<(usize, usize)> {
        let (rows, columns) = self.open();
        let (mut largest, mut place) = (ZERO, None);
        for &r in &rows {
            for &c in &columns {
                if self.size(r, c) > largest {
                    (largest, place) = (self.size(r, c), Some((r, c)));
                }
            }
        }
        place
    }

    /// The row r, the pair k and the column c for which the smaller of |a_rk| and |a_kc| is largest.
    fn best_pair(&self, exchanged: &[bool]) -> Option<(usize, usize, usize)> {
        let (rows, columns) = self.open();
        let (mut largest, mut best) = (ZERO, None);
        let by_size = |size: &dyn Fn(usize) -> f64, places: &[usize]| {
            places
                .iter()
                .copied()
                .max_by(|&a, &b| size(a).total_cmp(&size(b)).then(b.cmp(&a)))
        };
        for k in (0..self.pairs).filter(|&k| !exchanged[k]) {
            let r = by_size(&|r| self.size(r, k), &rows)?;
            let c = by_size(&|c| self.size(k, c), &columns)?;
            let size = self.size(r, k).min(self.size(k, c));
            if size > largest {
                (largest, best) = (size, Some((r, k, c)));
            }
        }
        best
    }

    fn pivot(&mut self, r: usize, c: usize) {
        let n = self.n;
        (self.row_done[r], self.column_done[c]) = (true, true);
        let pivot_row = self.a[r * n..][..n].to_vec();
        for i in (0..n).filter(|&i| !self.row_done[i]) {
            let row = &mut self.a[i * n..][..n];
            let factor = row[c] / pivot_row[c];
            if factor != 0.0 {
                row.iter_mut()
                    .zip(&pivot_row)
                    .for_each(|(a, p)| *a -= factor * p);
                row[c] = 0.0;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One free variable z, two pairs: w = (1 2; 3 4) y + (1, −1) z, 0 = y₀ + 2 y₁ − 4.
    fn mixed() -> Mixed {
        let mut mixed = Mixed::new(2, 1);
        mixed.row_mut(0).copy_from_slice(&[1.0, 2.0, 1.0]);
        mixed.row_mut(1).copy_from_slice(&[3.0, 4.0, -1.0]);
        mixed.row_mut(2).copy_from_slice(&[1.0, 2.0, 0.0]);
        mixed.q = vec![0.0, 0.0, -4.0];
        mixed
    }

    #[test]
    fn a_pair_helps_the_equation() {
        let mut solved = mixed();
        let exchanged = solved.solve_equations(1e-15).unwrap();
        assert_eq!(exchanged.iter().filter(|x| **x).count(), 1);
        // Every x gives (y, w, z) that fulfil all rows of the original.
        let x = [0.7, 0.9];
        let row = |i: usize| solved.q[i] + solved.m[2 * i] * x[0] + solved.m[2 * i + 1] * x[1];
        let other = [row(0), row(1)];
        let choose = |i: usize, of_x: bool| if exchanged[i] == of_x { other[i] } else { x[i] };
        let (y, w, z) = (
            [choose(0, true), choose(1, true)],
            [choose(0, false), choose(1, false)],
            row(2),
        );
        for (i, expected) in [w[0], w[1], 0.0].into_iter().enumerate() {
            let m = &mixed().m[3 * i..][..3];
            let sum = m[0] * y[0] + m[1] * y[1] + m[2] * z + mixed().q[i];
            assert!((sum - expected).abs() < 1e-14, "{i}: {sum} {expected}");
        }
    }

    #[test]
    fn redundant_equations_have_no_way() {
        let mut redundant = mixed();
        redundant.row_mut(2).fill(0.0);
        let before = redundant.clone();
        assert!(redundant.solve_equations(1e-15).is_none());
        assert_eq!(redundant.m, before.m);
        // No pair knows the free variable.
        let mut unknown = mixed();
        unknown.row_mut(0)[2] = 0.0;
        unknown.row_mut(1)[2] = 0.0;
        assert!(unknown.solve_equations(1e-15).is_none());
    }
}
