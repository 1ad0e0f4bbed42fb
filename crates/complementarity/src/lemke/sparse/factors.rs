//! The factorised basis B' with its updates.
//!
//! ```math
//! B' = \begin{pmatrix} -I & M_{SK} \\ 0 & K \end{pmatrix} = L R^{-1} U
//! ```
//!
//! with the slacks of the rows S basic and the kernel K in the tight rows, which alone is eliminated: the slacks stand
//! first in U, with M_SK as their rows.
//!
//! # Method
//! Update of Forrest and Tomlin. The entering column, solved with L and R, becomes the last column of U; the row of the
//! leaving one is eliminated by a row operation, kept in R. L never changes. A column stands at the position of the row
//! that it is the pivot of, so that rows, positions and steps have one number each.
//!
//! # References
//! - \[FT1972\] J. J. H. Forrest, J. A. Tomlin, Updated triangular factors of the basis to maintain sparsity in the
//!   product form simplex method, Mathematical Programming 2, 1972.

use super::data::SparseProblem;
use super::lu::{Elimination, Entry, index32};

/// Smallest pivot of a scaled kernel.
const PIVOT_FLOOR: f64 = 1e-13;

/// Cost of one unit of work of the factorisation in multiplications of a solve; measured.
const FACTOR_COST: usize = 4;

/// An update is refused if its pivot differs by more than this part from what B'⁻¹ a says.
const UNSTABLE: f64 = 1e-6;

/// Entries of a spike below this part of its largest are rounding.
const SPIKE_DROP: f64 = 1e-15;

/// Place in the order of U of the slacks that have not been replaced: before all others.
const FIRST: u32 = u32::MAX;

/// A position that has moved to the end of the order.
const MOVED: u32 = u32::MAX;

/// Factors of B'. Rows and positions are numbered 0..n; a basic slack stands at the position of its row.
#[derive(Clone, Debug, Default)]
pub(in crate::lemke) struct Factors {
    elimination: Elimination,
    /// Row of each local row of the kernel, and local row of each row, `FIRST` for slack rows.
    tight: Vec<u32>,
    local: Vec<u32>,
    /// Rows of the steps of L, with its columns.
    steps: Vec<u32>,
    l_start: Vec<usize>,
    l_entries: Vec<Entry>,
    /// U without its diagonal, by columns and by rows.
    columns: Columns,
    rows: Vec<Vec<Entry>>,
    diagonal: Vec<f64>,
    /// Positions in the order of U, and the place of each.
    order: Vec<u32>,
    place: Vec<u32>,
    lengths: Vec<u32>,
    /// Row operations: position, and end of the entries of each.
    operations: Vec<(u32, usize)>,
    operation_entries: Vec<Entry>,
    /// The entering column solved with L and R.
    spike: Vec<Entry>,
    /// Zeros.
    work: Vec<f64>,
    /// Entries of U, now and after the factorisation.
    entries: usize,
    fresh_entries: usize,
    /// Multiplications of the factorisation and, since then, those that it would have saved.
    cost: usize,
    spent: usize,
}

/// Columns one behind the other in the order of U, for solves that read them all.
#[derive(Clone, Debug, Default)]
struct Columns {
    /// Begin and end of each column.
    range: Vec<(usize, usize)>,
    entries: Vec<Entry>,
}

impl Columns {
    fn of(&self, p: usize) -> &[Entry] {
        let (begin, end) = self.range[p];
        &self.entries[begin..end]
    }

    /// Removes the entry with this index, which is there.
    fn remove(&mut self, p: usize, index: u32) {
        let (begin, end) = &mut self.range[p];
        let at = self.entries[*begin..*end]
            .iter()
            .position(|(i, _)| *i == index);
        *end -= 1;
        let at = *begin + at.expect("rows and columns of U agree");
        self.entries[at] = self.entries[*end];
    }

    /// Makes room for columns of these lengths, at most, in this order; they are empty then.
    fn lay_out(&mut self, order: &[u32], lengths: &[u32]) {
        self.range.clear();
        self.range.resize(lengths.len(), (0, 0));
        let mut begin = 0;
        for &p in order {
            self.range[p as usize] = (begin, begin);
            begin += lengths[p as usize] as usize;
        }
        self.entries.clear();
        self.entries.resize(begin, (0, 0.0));
    }

    fn push(&mut self, p: usize, entry: Entry) {
        let end = &mut self.range[p].1;
        self.entries[*end] = entry;
        *end += 1;
    }
}

impl Factors {
    /// Factorises the basis with the variables z_j, j in `inner`, and the slacks of the rows that are not `tight`.
    /// If `inner` is one shorter than `tight`, another column is the slack that completes the basis best, the ghost.
    /// Positions of the columns of `inner`, then of the ghost, go to `positions`. On failure these are the indices of
    /// `inner` that depend on the others.
    pub(super) fn refresh(
        &mut self,
        data: &SparseProblem,
        tight: &[usize],
        inner: &[usize],
        positions: &mut Vec<usize>,
    ) -> Result<(), Vec<usize>> {
        let n = data.len();
        self.local.clear();
        self.local.resize(n, FIRST);
        self.tight.clear();
        for (k, &i) in tight.iter().enumerate() {
            self.local[i] = index32(k);
            self.tight.push(index32(i));
        }
        let ghost = inner.len() < tight.len();
        self.elimination.clear(tight.len());
        for (k, &j) in inner.iter().enumerate() {
            for (i, m) in data.column(j) {
                if self.local[i] != FIRST && m != 0.0 {
                    self.elimination.push(self.local[i], k, m);
                }
            }
        }
        self.elimination.factor(ghost, PIVOT_FLOOR);
        if self.elimination.pivots.len() < tight.len() {
            let dependent = self.elimination.unpivoted();
            return Err(dependent.filter_map(|k| inner.get(k).copied()).collect());
        }
        positions.clear();
        positions.resize(tight.len(), 0);
        for &(row, column) in &self.elimination.pivots {
            positions[column] = self.tight[row] as usize;
        }
        self.take_over(data, inner, positions);
        Ok(())
    }

    /// Whether the free variables have a nonsingular block: then they can be basic from the start.
    pub(in crate::lemke) fn free_block_is_regular(&mut self, data: &SparseProblem) -> bool {
        let free: Vec<usize> = (0..data.len()).filter(|&i| data.free[i]).collect();
        self.refresh(data, &free, &free, &mut Vec::new()).is_ok()
    }

    /// Copies the factors of the kernel into L and U and completes U with the slack rows.
    fn take_over(&mut self, data: &SparseProblem, inner: &[usize], positions: &[usize]) {
        let n = data.len();
        if self.rows.len() < n {
            self.rows.resize_with(n, Vec::new);
        }
        self.rows[..n].iter_mut().for_each(Vec::clear);
        self.diagonal.clear();
        self.diagonal.resize(n, -1.0);
        self.work.clear();
        self.work.resize(n, 0.0);
        for list in [&mut self.place, &mut self.lengths] {
            list.clear();
        }
        self.place.resize(n, FIRST);
        self.lengths.resize(n, 0);
        for list in [&mut self.steps, &mut self.order] {
            list.clear();
        }
        for list in [&mut self.l_entries, &mut self.operation_entries] {
            list.clear();
        }
        self.operations.clear();
        self.l_start.clear();
        self.l_start.push(0);
        let elimination = &self.elimination;
        for (k, &(row, _)) in elimination.pivots.iter().enumerate() {
            let row = self.tight[row];
            let p = row as usize;
            self.diagonal[p] = elimination.diagonal[k];
            self.place[p] = index32(self.order.len());
            self.order.push(row);
            if !elimination.l(k).is_empty() {
                let entries = elimination.l(k).iter();
                let global = entries.map(|&(i, l)| (self.tight[i as usize], l));
                self.l_entries.extend(global);
                self.steps.push(row);
                self.l_start.push(self.l_entries.len());
            }
            for &(j, u) in elimination.u(k) {
                let column = positions[j as usize];
                self.rows[p].push((index32(column), u));
                self.lengths[column] += 1;
            }
        }
        for (&j, &p) in inner.iter().zip(positions) {
            for (i, m) in data.column(j) {
                if self.local[i] == FIRST && m != 0.0 {
                    self.rows[i].push((index32(p), m));
                    self.lengths[p] += 1;
                }
            }
        }
        self.columns.lay_out(&self.order, &self.lengths);
        for (i, row) in self.rows[..n].iter().enumerate() {
            for &(p, u) in row {
                self.columns.push(p as usize, (index32(i), u));
            }
        }
        self.entries = self.columns.entries.len();
        self.fresh_entries = self.entries;
        self.cost = FACTOR_COST * self.elimination.work() + 4 * n;
        self.spent = 0;
    }

    /// Number of updates since the factorisation.
    pub(super) fn updates(&self) -> usize {
        self.operations.len()
    }

    fn burden(&self) -> usize {
        self.operation_entries.len() + self.entries.saturating_sub(self.fresh_entries)
    }

    /// Whether the updates have become so long that the average cost of a pivot rises.
    pub(super) fn is_worn(&self) -> bool {
        self.burden() * self.updates() > self.cost + self.spent
    }

    /// out ← B'⁻¹ b for b given by its entries (row, value).
    pub(super) fn solve(&mut self, b: impl Iterator<Item = (usize, f64)>, out: &mut [f64]) {
        self.solve_lower(b, out);
        self.solve_upper(out);
        self.spent += self.burden();
    }

    /// The same for a column that may enter: what [`Self::update`] needs is kept.
    pub(super) fn solve_entering(
        &mut self,
        b: impl Iterator<Item = (usize, f64)>,
        out: &mut [f64],
    ) {
        self.solve_lower(b, out);
        let largest = out.iter().fold(0.0_f64, |m, y| m.max(y.abs()));
        self.spike.clear();
        for (i, y) in out.iter_mut().enumerate().filter(|(_, y)| **y != 0.0) {
            if y.abs() > SPIKE_DROP * largest {
                self.spike.push((index32(i), *y));
            } else {
                *y = 0.0;
            }
        }
        self.solve_upper(out);
        self.spent += self.burden();
    }

    fn solve_lower(&self, b: impl Iterator<Item = (usize, f64)>, y: &mut [f64]) {
        y.fill(0.0);
        b.for_each(|(i, b)| y[i] += b);
        for (k, &row) in self.steps.iter().enumerate() {
            let v = y[row as usize];
            if v != 0.0 {
                for &(i, l) in &self.l_entries[self.l_start[k]..self.l_start[k + 1]] {
                    y[i as usize] -= l * v;
                }
            }
        }
        let mut begin = 0;
        for &(row, end) in &self.operations {
            let entries = self.operation_entries[begin..end].iter();
            let sum: f64 = entries.map(|&(j, r)| r * y[j as usize]).sum();
            y[row as usize] -= sum;
            begin = end;
        }
    }

    fn solve_upper(&self, y: &mut [f64]) {
        for &p in self.order.iter().rev().filter(|p| **p != MOVED) {
            let v = y[p as usize];
            if v != 0.0 {
                let v = v / self.diagonal[p as usize];
                y[p as usize] = v;
                for &(i, u) in self.columns.of(p as usize) {
                    y[i as usize] -= u * v;
                }
            }
        }
        for (y, &place) in y.iter_mut().zip(&self.place) {
            *y = if place == FIRST { -*y } else { *y };
        }
    }

    /// Replaces the column at position p by the one that was solved last by [`Self::solve_entering`], `pivot` its entry
    /// at p. False if rounding has spoilt it: then the factors are of no use any more.
    #[must_use]
    pub(super) fn update(&mut self, p: usize, pivot: f64) -> bool {
        let own = index32(p);
        // 1. The row of p beyond its diagonal leaves U, through its multiples of the rows below.
        let mut row = std::mem::take(&mut self.rows[p]);
        self.entries -= row.len();
        for &(j, u) in &row {
            self.columns.remove(j as usize, own);
            self.work[j as usize] = u;
        }
        let begin = self.operation_entries.len();
        let behind = if self.place[p] == FIRST {
            0
        } else {
            self.place[p] as usize + 1
        };
        if !row.is_empty() {
            for &j in self.order[behind..].iter().filter(|j| **j != MOVED) {
                let w = std::mem::take(&mut self.work[j as usize]);
                if w != 0.0 {
                    let r = w / self.diagonal[j as usize];
                    for &(k, u) in &self.rows[j as usize] {
                        self.work[k as usize] -= r * u;
                    }
                    self.operation_entries.push((j, r));
                }
            }
        }
        row.clear();
        self.rows[p] = row;
        // 2. The spike is the new last column.
        for &(i, _) in self.columns.of(p) {
            remove(&mut self.rows[i as usize], own);
        }
        self.entries -= self.columns.of(p).len();
        let start = self.columns.entries.len();
        let mut diagonal = 0.0;
        for &(i, s) in &self.spike {
            if i == own {
                diagonal += s;
            } else {
                self.columns.entries.push((i, s));
                self.rows[i as usize].push((own, s));
            }
            self.work[i as usize] = s;
        }
        for &(j, r) in &self.operation_entries[begin..] {
            diagonal -= r * self.work[j as usize];
        }
        for &(i, _) in &self.spike {
            self.work[i as usize] = 0.0;
        }
        self.columns.range[p] = (start, self.columns.entries.len());
        self.entries += self.columns.of(p).len();
        let expected = pivot * self.diagonal[p];
        self.diagonal[p] = diagonal;
        if self.place[p] != FIRST {
            self.order[behind - 1] = MOVED;
        }
        self.place[p] = index32(self.order.len());
        self.order.push(own);
        self.operations.push((own, self.operation_entries.len()));
        (diagonal - expected).abs() <= UNSTABLE * diagonal.abs()
    }
}

/// Removes the entry with this index, which is there.
fn remove(list: &mut Vec<Entry>, index: u32) {
    let at = list.iter().position(|(i, _)| *i == index);
    list.swap_remove(at.expect("rows and columns of U agree"));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Lcp;
    use crate::rng::SplitMix64;

    fn problem(n: usize, rng: &mut SplitMix64) -> SparseProblem {
        let mut m = sprs::TriMat::new((n, n));
        for j in 0..n {
            m.add_triplet(j, j, 1.0 + rng.uniform());
            for i in (0..n).filter(|i| *i != j) {
                if rng.uniform() < 0.1 {
                    m.add_triplet(i, j, 2.0 * rng.uniform() - 1.0);
                }
            }
        }
        let lcp = Lcp::new(m.to_csc(), vec![1.0; n]).unwrap();
        SparseProblem::new(&(&lcp).into(), false)
    }

    /// Entries of the column with this number: slack i, or z_j as n + j.
    fn column(data: &SparseProblem, v: usize) -> Vec<(usize, f64)> {
        match v.checked_sub(data.len()) {
            Some(j) => data.column(j).collect(),
            None => vec![(v, -1.0)],
        }
    }

    /// max |b − B x| with the basis of these columns by position.
    fn fault(data: &SparseProblem, head: &[usize], x: &[f64], b: &[f64]) -> f64 {
        let mut rest = b.to_vec();
        for (&v, x) in head.iter().zip(x) {
            for (i, a) in column(data, v) {
                rest[i] -= a * x;
            }
        }
        rest.iter().fold(0.0, |m, r| m.max(r.abs()))
    }

    /// Columns enter and leave at the largest entry of a random third of the positions, twice and more often each.
    #[test]
    fn updated_factors_solve_as_fresh_ones() {
        for seed in 0..20 {
            let n = 40;
            let mut rng = SplitMix64::new(seed);
            let data = problem(n, &mut rng);
            let mut factors = Factors::default();
            let mut positions = Vec::new();
            let some: Vec<usize> = (0..n).filter(|_| rng.uniform() < 0.4).collect();
            factors
                .refresh(&data, &some, &some, &mut positions)
                .unwrap();
            let mut head: Vec<usize> = (0..n).collect();
            for (&j, &p) in some.iter().zip(&positions) {
                head[p] = n + j;
            }
            let b: Vec<f64> = (0..n).map(|_| rng.uniform()).collect();
            let (mut alpha, mut x) = (vec![0.0; n], vec![0.0; n]);
            for update in 0..100 {
                let entering = rng.below(2 * n);
                if head.contains(&entering) {
                    continue;
                }
                factors.solve_entering(column(&data, entering).into_iter(), &mut alpha);
                let p = (0..n)
                    .filter(|_| rng.uniform() < 0.3)
                    .max_by(|a, b| alpha[*a].abs().total_cmp(&alpha[*b].abs()));
                let Some(p) = p.filter(|&p| alpha[p].abs() > 0.05) else {
                    continue;
                };
                assert!(factors.update(p, alpha[p]), "seed {seed} update {update}");
                head[p] = entering;
                factors.solve(b.iter().copied().enumerate(), &mut x);
                let fault = fault(&data, &head, &x, &b);
                assert!(fault < 1e-9, "seed {seed} update {update}: {fault:e}");
            }
            assert!(factors.updates() > 30, "seed {seed}: {}", factors.updates());
        }
    }

    /// z_1 and z_2 have equal columns: one of them is told, and the ghost takes no part in the blame.
    #[test]
    fn dependent_columns_are_told() {
        let rows = [[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let lcp = Lcp::from_dense(&rows, vec![1.0; 3]).unwrap();
        let data = SparseProblem::new(&(&lcp).into(), false);
        let all = [0, 1, 2];
        let dependent = Factors::default().refresh(&data, &all, &all, &mut Vec::new());
        assert_eq!(dependent.unwrap_err().len(), 1);
    }
}
