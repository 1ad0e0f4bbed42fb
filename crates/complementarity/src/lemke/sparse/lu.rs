//! Sparse LU factors of a square matrix whose last column may be chosen by the factorisation.
//!
//! # Method
//! Right-looking elimination after Markowitz: of a few columns and rows with the fewest entries, the entry with the
//! smallest (r − 1)(c − 1) among those ≥ [`THRESHOLD`] times the largest of their column. Columns and rows with one
//! entry cost nothing, and bases of complementarity problems have many of them.
//!
//! # References
//! - \[M1957\] H. M. Markowitz, The elimination form of the inverse, Management Science 3, 1957.
//! - \[DER2017\] I. S. Duff, A. M. Erisman, J. K. Reid, Direct Methods for Sparse Matrices, 2017, chapters 7 and 10.

/// A pivot is at least this part of the largest entry of its column: bounds the growth, leaves a choice.
const THRESHOLD: f64 = 0.1;

/// Rows and columns looked at per pivot.
const CANDIDATES: usize = 4;

/// L and U by columns in the order of elimination; L has a unit diagonal.
#[derive(Clone, Debug, Default)]
pub(super) struct SparseLu {
    /// For each step, its row and its column.
    pub(super) pivots: Vec<(usize, usize)>,
    diagonal: Vec<f64>,
    l: Columns,
    u: Columns,
    step_of_row: Vec<usize>,
    work: usize,
}

/// Sparse columns with entries (step, value).
#[derive(Clone, Debug, Default)]
struct Columns {
    start: Vec<usize>,
    entries: Vec<(u32, f64)>,
}

impl Columns {
    fn column(&self, k: usize) -> &[(u32, f64)] {
        &self.entries[self.start[k]..self.start[k + 1]]
    }

    fn clear(&mut self) {
        self.entries.clear();
        self.start.clear();
        self.start.push(0);
    }
}

impl SparseLu {
    /// Factorises the matrix with these columns, (row, value) each, all rows below `columns.len()`.
    ///
    /// With `ghost`, the last column given must be empty: it becomes −1 in the row that is left at the end.
    /// `None` if a pivot is ≤ `floor`.
    pub(super) fn new(columns: Vec<Vec<(u32, f64)>>, ghost: bool, floor: f64) -> Option<Self> {
        let n = columns.len();
        let mut elimination = Elimination::new(columns);
        for _ in 0..n - usize::from(ghost) {
            let (row, column) = elimination.choose(floor)?;
            elimination.eliminate(row, column);
        }
        Some(elimination.finish(ghost))
    }

    /// Multiplications and moves that the factorisation took: what it cost, whatever the machine is doing.
    pub(super) fn work(&self) -> usize {
        self.work
    }

    /// Step in which a row is eliminated: where its right-hand side belongs in [`Self::solve`].
    pub(super) fn step_of_row(&self, row: usize) -> usize {
        self.step_of_row[row]
    }

    /// x ← U⁻¹ L⁻¹ x, both in the order of the steps. Zeros are skipped.
    pub(super) fn solve(&self, x: &mut [f64]) {
        for k in 0..x.len() {
            let v = x[k];
            if v != 0.0 {
                for &(i, l) in self.l.column(k) {
                    x[i as usize] -= l * v;
                }
            }
        }
        for k in (0..x.len()).rev() {
            if x[k] != 0.0 {
                let v = x[k] / self.diagonal[k];
                x[k] = v;
                for &(i, u) in self.u.column(k) {
                    x[i as usize] -= u * v;
                }
            }
        }
    }
}

const GONE: u32 = u32::MAX;

/// The active submatrix: values by columns, pattern by rows, and lists of rows and columns by their counts.
struct Elimination {
    columns: Vec<Vec<(u32, f64)>>,
    rows: Vec<Vec<u32>>,
    by_count: [Buckets; 2],
    /// Place of a row in the column at work, plus one.
    place: Vec<u32>,
    pivots: Vec<(usize, usize)>,
    diagonal: Vec<f64>,
    l_start: Vec<usize>,
    l_entries: Vec<(u32, f64)>,
    /// Rows of U: (column, value) of each step.
    u_start: Vec<usize>,
    u_entries: Vec<(u32, f64)>,
    work: usize,
}

/// Doubly linked lists of indices, one per count.
struct Buckets {
    head: Vec<u32>,
    next: Vec<u32>,
    previous: Vec<u32>,
    count: Vec<u32>,
    lowest: usize,
}

impl Buckets {
    fn new(counts: impl Iterator<Item = usize>) -> Self {
        let counts: Vec<usize> = counts.collect();
        let n = counts.len();
        let mut buckets = Self {
            head: vec![GONE; n + 1],
            next: vec![GONE; n],
            previous: vec![GONE; n],
            count: vec![GONE; n],
            lowest: 0,
        };
        // Small indices come first in their list.
        for (i, &count) in counts.iter().enumerate().rev() {
            buckets.insert(i, count);
        }
        buckets
    }

    fn insert(&mut self, i: usize, count: usize) {
        let first = self.head[count];
        (self.next[i], self.previous[i]) = (first, GONE);
        if first != GONE {
            self.previous[first as usize] = index32(i);
        }
        self.head[count] = index32(i);
        self.count[i] = index32(count);
        self.lowest = self.lowest.min(count);
    }

    fn remove(&mut self, i: usize) {
        let (next, previous) = (self.next[i], self.previous[i]);
        if next != GONE {
            self.previous[next as usize] = previous;
        }
        if previous == GONE {
            self.head[self.count[i] as usize] = next;
        } else {
            self.next[previous as usize] = next;
        }
        self.count[i] = GONE;
    }

    fn set(&mut self, i: usize, count: usize) {
        if self.count[i] != index32(count) {
            self.remove(i);
            self.insert(i, count);
        }
    }
}

fn index32(i: usize) -> u32 {
    u32::try_from(i).expect("sparse problems have fewer than 2^32 rows")
}

impl Elimination {
    fn new(columns: Vec<Vec<(u32, f64)>>) -> Self {
        let n = columns.len();
        let mut rows = vec![Vec::new(); n];
        for (j, column) in columns.iter().enumerate() {
            for &(i, _) in column {
                rows[i as usize].push(index32(j));
            }
        }
        let work = columns.iter().map(Vec::len).sum::<usize>() + n;
        let by_count = [
            Buckets::new(columns.iter().map(Vec::len)),
            Buckets::new(rows.iter().map(Vec::len)),
        ];
        Self {
            columns,
            rows,
            by_count,
            place: vec![0; n],
            pivots: Vec::with_capacity(n),
            diagonal: Vec::with_capacity(n),
            l_start: vec![0],
            l_entries: Vec::new(),
            u_start: vec![0],
            u_entries: Vec::new(),
            work,
        }
    }

    /// Row and column of the next pivot.
    fn choose(&self, floor: f64) -> Option<(usize, usize)> {
        let (mut best, mut looked) = (None, 0);
        let mut cost = usize::MAX;
        let [by_column, by_row] = &self.by_count;
        let n = self.rows.len();
        for count in by_column.lowest.min(by_row.lowest).max(1)..=n {
            if best.is_some() && (count - 1) * (count - 1) >= cost {
                break;
            }
            let mut j = by_column.head[count];
            while j != GONE {
                let column = &self.columns[j as usize];
                let largest = column.iter().fold(0.0_f64, |m, (_, v)| m.max(v.abs()));
                for &(i, v) in column {
                    let price = (count - 1) * (self.rows[i as usize].len() - 1);
                    let usable = v.abs() >= THRESHOLD * largest && v.abs() > floor;
                    if usable && price < cost {
                        (best, cost) = (Some((i as usize, j as usize)), price);
                    }
                }
                looked += 1;
                if cost <= (count - 1) * (count - 1) || (looked >= CANDIDATES && best.is_some()) {
                    return best;
                }
                j = by_column.next[j as usize];
            }
            let mut i = by_row.head[count];
            while i != GONE {
                for &j in &self.rows[i as usize] {
                    let column = &self.columns[j as usize];
                    let price = (count - 1) * (column.len() - 1);
                    if price >= cost {
                        continue;
                    }
                    let largest = column.iter().fold(0.0_f64, |m, (_, v)| m.max(v.abs()));
                    let own = column
                        .iter()
                        .find(|(r, _)| *r == i)
                        .map_or(0.0, |(_, v)| v.abs());
                    if own >= THRESHOLD * largest && own > floor {
                        (best, cost) = (Some((i as usize, j as usize)), price);
                    }
                }
                looked += 1;
                if cost <= count * (count - 1) || (looked >= CANDIDATES && best.is_some()) {
                    return best;
                }
                i = by_row.next[i as usize];
            }
        }
        best
    }

    fn eliminate(&mut self, row: usize, column: usize) {
        let step = self.pivots.len();
        self.pivots.push((row, column));
        let mut pivot_column = std::mem::take(&mut self.columns[column]);
        let at = pivot_column.iter().position(|(i, _)| *i as usize == row);
        let (_, pivot) = pivot_column.swap_remove(at.expect("the pivot is an entry"));
        self.diagonal.push(pivot);
        for (i, v) in &mut pivot_column {
            *v /= pivot;
            let list = &mut self.rows[*i as usize];
            let at = list.iter().position(|j| *j as usize == column);
            list.swap_remove(at.expect("patterns by rows and columns agree"));
        }
        let pivot_row = std::mem::take(&mut self.rows[row]);
        for &j in pivot_row.iter().filter(|j| **j as usize != column) {
            let target = &mut self.columns[j as usize];
            let at = target.iter().position(|(i, _)| *i as usize == row);
            let (_, factor) = target.swap_remove(at.expect("patterns by rows and columns agree"));
            self.u_entries.push((j, factor));
            self.work += target.len() + 2;
            if !pivot_column.is_empty() {
                for (k, (i, _)) in target.iter().enumerate() {
                    self.place[*i as usize] = index32(k + 1);
                }
                for &(i, l) in &pivot_column {
                    match self.place[i as usize] {
                        0 => {
                            target.push((i, -l * factor));
                            self.rows[i as usize].push(j);
                        }
                        k => target[k as usize - 1].1 -= l * factor,
                    }
                }
                for (i, _) in target.iter() {
                    self.place[*i as usize] = 0;
                }
                self.work += 2 * pivot_column.len();
            }
            self.by_count[0].set(j as usize, self.columns[j as usize].len());
        }
        for &(i, _) in &pivot_column {
            self.by_count[1].set(i as usize, self.rows[i as usize].len());
        }
        self.by_count[0].remove(column);
        self.by_count[1].remove(row);
        for buckets in &mut self.by_count {
            while buckets.lowest < buckets.head.len() - 1 && buckets.head[buckets.lowest] == GONE {
                buckets.lowest += 1;
            }
        }
        debug_assert_eq!(self.u_start.len(), step + 1);
        self.u_start.push(self.u_entries.len());
        self.l_entries.append(&mut pivot_column);
        self.l_start.push(self.l_entries.len());
    }

    fn finish(mut self, ghost: bool) -> SparseLu {
        let n = self.rows.len();
        let (mut step_of_row, mut step_of_column) = (vec![n - usize::from(ghost); n], vec![n; n]);
        for (k, &(i, j)) in self.pivots.iter().enumerate() {
            (step_of_row[i], step_of_column[j]) = (k, k);
        }
        if ghost {
            let left = |steps: &[usize]| steps.iter().position(|s| *s >= n - 1);
            let row = left(&step_of_row).expect("one row is left");
            self.pivots.push((row, n - 1));
            self.diagonal.push(-1.0);
            (step_of_row[row], step_of_column[n - 1]) = (n - 1, n - 1);
            self.l_start.push(self.l_entries.len());
            self.u_start.push(self.u_entries.len());
        }
        for (i, _) in &mut self.l_entries {
            *i = index32(step_of_row[*i as usize]);
        }
        // U from rows to columns.
        let mut u = Columns::default();
        u.clear();
        u.start.resize(n + 1, 0);
        for (j, _) in &self.u_entries {
            u.start[step_of_column[*j as usize] + 1] += 1;
        }
        for k in 0..n {
            u.start[k + 1] += u.start[k];
        }
        let mut next = u.start.clone();
        u.entries.resize(self.u_entries.len(), (0, 0.0));
        for k in 0..n {
            for &(j, v) in &self.u_entries[self.u_start[k]..self.u_start[k + 1]] {
                let column = step_of_column[j as usize];
                u.entries[next[column]] = (index32(k), v);
                next[column] += 1;
            }
        }
        let l = Columns {
            start: self.l_start,
            entries: self.l_entries,
        };
        SparseLu {
            work: self.work + u.entries.len() + l.entries.len() + 4 * n,
            pivots: self.pivots,
            diagonal: self.diagonal,
            l,
            u,
            step_of_row,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::SplitMix64;

    fn random(n: usize, per_column: usize, seed: u64) -> Vec<Vec<(u32, f64)>> {
        let mut rng = SplitMix64::new(seed);
        let column = |j: usize| {
            let mut column = vec![(index32(j), 1.0 + rng.uniform())];
            for _ in 0..per_column {
                let i = index32(rng.below(n));
                if column.iter().all(|(r, _)| *r != i) {
                    column.push((i, rng.uniform() - 0.5));
                }
            }
            column
        };
        (0..n).map(column).collect()
    }

    fn solve(lu: &SparseLu, b: &[f64]) -> Vec<f64> {
        let mut x = vec![0.0; b.len()];
        b.iter()
            .enumerate()
            .for_each(|(i, b)| x[lu.step_of_row(i)] = *b);
        lu.solve(&mut x);
        let mut out = vec![0.0; b.len()];
        lu.pivots
            .iter()
            .zip(&x)
            .for_each(|((_, j), x)| out[*j] = *x);
        out
    }

    #[test]
    fn factors_solve() {
        for (n, per_column) in [(1, 0), (2, 1), (30, 2), (200, 3), (60, 40)] {
            let columns = random(n, per_column, 3);
            let expected: Vec<f64> = (0..n).map(|i| 1.0 + (i % 7) as f64).collect();
            let mut b = vec![0.0; n];
            for (column, x) in columns.iter().zip(&expected) {
                for (i, v) in column {
                    b[*i as usize] += v * x;
                }
            }
            let lu = SparseLu::new(columns, false, 1e-12).unwrap();
            let error = solve(&lu, &b)
                .iter()
                .zip(&expected)
                .fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
            assert!(error < 1e-10, "{n}: {error:e}");
        }
    }

    #[test]
    fn ghost_takes_the_row_that_is_left() {
        // Columns (1, 2) and nothing: the larger entry is the pivot, the ghost gets the other row.
        let lu = SparseLu::new(vec![vec![(0, 0.01), (1, 2.0)], vec![]], true, 1e-12).unwrap();
        assert_eq!(lu.pivots, [(1, 0), (0, 1)]);
        assert_eq!(solve(&lu, &[0.01 - 3.0, 2.0]), [1.0, 3.0]);
    }

    #[test]
    fn singular_matrices_are_refused() {
        let columns = vec![vec![(0, 1.0), (1, 1.0)], vec![(0, 1.0), (1, 1.0)]];
        assert!(SparseLu::new(columns, false, 1e-12).is_none());
        assert!(SparseLu::new(vec![vec![], vec![(1, 1.0)]], false, 1e-12).is_none());
    }
}
