//! Sparse elimination of a square matrix whose last column may be chosen by the factorisation.
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

const GONE: u32 = u32::MAX;

/// Entry of a row or column: index and value.
pub(super) type Entry = (u32, f64);

/// The active submatrix: values by columns, pattern by rows, and lists of rows and columns by their counts. When it is
/// done, the factors: L by columns with a unit diagonal, U by rows. The lists keep their memory for the next matrix.
#[derive(Clone, Debug, Default)]
pub(super) struct Elimination {
    n: usize,
    columns: Vec<Vec<Entry>>,
    rows: Vec<Vec<u32>>,
    by_count: [Buckets; 2],
    /// Place of a row in the column at work, plus one.
    place: Vec<u32>,
    /// For each step, its row and its column.
    pub(super) pivots: Vec<(usize, usize)>,
    pub(super) diagonal: Vec<f64>,
    l_start: Vec<usize>,
    /// (row, value).
    l_entries: Vec<Entry>,
    u_start: Vec<usize>,
    /// (column, value).
    u_entries: Vec<Entry>,
    work: usize,
}

/// Doubly linked lists of indices, one per count.
#[derive(Clone, Debug, Default)]
struct Buckets {
    head: Vec<u32>,
    next: Vec<u32>,
    previous: Vec<u32>,
    count: Vec<u32>,
    lowest: usize,
}

impl Buckets {
    fn fill(&mut self, counts: impl DoubleEndedIterator<Item = usize> + ExactSizeIterator) {
        let n = counts.len();
        for (list, length) in [
            (&mut self.head, n + 1),
            (&mut self.next, n),
            (&mut self.previous, n),
            (&mut self.count, n),
        ] {
            list.clear();
            list.resize(length, GONE);
        }
        self.lowest = 0;
        // Small indices come first in their list.
        for (i, count) in counts.enumerate().rev() {
            self.insert(i, count);
        }
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

/// Indices of rows and columns are kept as 32 bits.
pub(super) fn index32(i: usize) -> u32 {
    u32::try_from(i).expect("sparse problems have fewer than 2^32 rows")
}

impl Elimination {
    /// Makes room for a matrix of n rows and columns and forgets the last one.
    pub(super) fn clear(&mut self, n: usize) {
        self.n = n;
        if self.columns.len() < n {
            self.columns.resize_with(n, Vec::new);
            self.rows.resize_with(n, Vec::new);
        }
        self.columns[..n].iter_mut().for_each(Vec::clear);
        self.rows[..n].iter_mut().for_each(Vec::clear);
        self.place.clear();
        self.place.resize(n, 0);
        self.pivots.clear();
        self.diagonal.clear();
        for entries in [&mut self.l_entries, &mut self.u_entries] {
            entries.clear();
        }
        for starts in [&mut self.l_start, &mut self.u_start] {
            starts.clear();
            starts.push(0);
        }
    }

    /// Adds an entry to the matrix; each place once.
    pub(super) fn push(&mut self, row: u32, column: usize, value: f64) {
        self.columns[column].push((row, value));
        self.rows[row as usize].push(index32(column));
    }

    /// Factorises the matrix. With `ghost`, its last column must be empty: it becomes −1 in the row that is left.
    /// Stops where all pivots left are ≤ `floor`; `pivots` then are fewer than n, and the rest is singular.
    pub(super) fn factor(&mut self, ghost: bool, floor: f64) {
        let n = self.n;
        self.by_count[0].fill(self.columns[..n].iter().map(Vec::len));
        self.by_count[1].fill(self.rows[..n].iter().map(Vec::len));
        self.work = self.columns[..n].iter().map(Vec::len).sum::<usize>() + n;
        for _ in 0..n - usize::from(ghost) {
            let Some((row, column)) = self.choose(floor) else {
                return;
            };
            self.eliminate(row, column);
        }
        if ghost {
            let list = &self.by_count[1].count;
            let row = list.iter().position(|count| *count != GONE);
            self.pivots.push((row.expect("one row is left"), n - 1));
            self.diagonal.push(-1.0);
            self.l_start.push(self.l_entries.len());
            self.u_start.push(self.u_entries.len());
        }
        self.work += self.u_entries.len() + self.l_entries.len() + 4 * n;
    }

    /// Multiplications and moves that the factorisation took: what it cost, whatever the machine is doing.
    pub(super) fn work(&self) -> usize {
        self.work
    }

    /// Columns without a pivot.
    pub(super) fn unpivoted(&self) -> impl Iterator<Item = usize> {
        let counts = self.by_count[0].count.iter().enumerate();
        counts.filter(|(_, c)| **c != GONE).map(|(j, _)| j)
    }

    /// Column of L of step k: (row, value).
    pub(super) fn l(&self, k: usize) -> &[Entry] {
        &self.l_entries[self.l_start[k]..self.l_start[k + 1]]
    }

    /// Row of U of step k beyond the diagonal: (column, value).
    pub(super) fn u(&self, k: usize) -> &[Entry] {
        &self.u_entries[self.u_start[k]..self.u_start[k + 1]]
    }

    /// Row and column of the next pivot.
    fn choose(&self, floor: f64) -> Option<(usize, usize)> {
        let (mut best, mut looked) = (None, 0);
        let mut cost = usize::MAX;
        let [by_column, by_row] = &self.by_count;
        for count in by_column.lowest.min(by_row.lowest).max(1)..=self.n {
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
        let mut pivot_row = std::mem::take(&mut self.rows[row]);
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
        pivot_row.clear();
        (self.columns[column], self.rows[row]) = (pivot_column, pivot_row);
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

    fn eliminated(columns: &[Vec<Entry>], ghost: bool) -> Elimination {
        let mut elimination = Elimination::default();
        // Twice: the second matrix finds the memory of the first.
        for _ in 0..2 {
            elimination.clear(columns.len());
            for (j, column) in columns.iter().enumerate() {
                for &(i, v) in column {
                    elimination.push(i, j, v);
                }
            }
            elimination.factor(ghost, 1e-12);
        }
        elimination
    }

    fn solve(lu: &Elimination, b: &[f64]) -> Vec<f64> {
        let (mut y, mut x) = (b.to_vec(), vec![0.0; b.len()]);
        for (k, &(row, _)) in lu.pivots.iter().enumerate() {
            let v = y[row];
            lu.l(k).iter().for_each(|&(i, l)| y[i as usize] -= l * v);
        }
        for (k, &(row, column)) in lu.pivots.iter().enumerate().rev() {
            let rest: f64 = lu.u(k).iter().map(|&(j, u)| u * x[j as usize]).sum();
            x[column] = (y[row] - rest) / lu.diagonal[k];
        }
        x
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
            let lu = eliminated(&columns, false);
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
        let lu = eliminated(&[vec![(0, 0.01), (1, 2.0)], vec![]], true);
        assert_eq!(lu.pivots, [(1, 0), (0, 1)]);
        assert_eq!(solve(&lu, &[0.01 - 3.0, 2.0]), [1.0, 3.0]);
    }

    #[test]
    fn columns_without_a_pivot_are_told() {
        let columns = [vec![(0, 1.0), (1, 1.0)], vec![(0, 1.0), (1, 1.0)]];
        assert_eq!(eliminated(&columns, false).unpivoted().count(), 1);
        let columns = [vec![], vec![(1, 1.0)]];
        let unpivoted: Vec<usize> = eliminated(&columns, false).unpivoted().collect();
        assert_eq!(unpivoted, [0]);
    }
}
