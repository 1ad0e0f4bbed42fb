//! The factorised basis B' and its product-form updates.
//!
//! ```math
//! B' = \begin{pmatrix} K & 0 \\ M_{SK} & -I \end{pmatrix}
//! ```
//!
//! with the slacks of the rows S basic and the kernel K in the tight rows, which alone is factorised.

use super::data::SparseProblem;
use super::lu::SparseLu;

/// Smallest pivot of a scaled kernel.
const PIVOT_FLOOR: f64 = 1e-13;

/// Cost of one unit of work of the factorisation in multiplications of an update; measured.
const FACTOR_COST: usize = 4;

/// B'⁻¹ = E_k .. E_1 B'_0⁻¹. Rows and positions are numbered 0..n; a basic slack stands at the position of its row.
#[derive(Clone, Debug, Default)]
pub(super) struct Factors {
    lu: SparseLu,
    /// Step of the elimination of each tight row, `SLACK` for the others.
    step: Vec<u32>,
    /// Position of each step.
    position: Vec<usize>,
    /// Entries of each step's column in the slack rows.
    slack_start: Vec<usize>,
    slack_entries: Vec<(u32, f64)>,
    /// Right-hand side by steps.
    y: Vec<f64>,
    etas: Etas,
    /// Entries of updates applied since the factorisation.
    spent: usize,
}

#[derive(Clone, Debug, Default)]
struct Etas {
    /// Position, pivot and end of the entries of each.
    pivots: Vec<(usize, f64, usize)>,
    entries: Vec<(u32, f64)>,
}

const SLACK: u32 = u32::MAX;

impl Factors {
    /// Factorises the basis with the variables z_j, j in `inner`, and the slacks of the rows that are not `tight`.
    /// If `inner` is one shorter than `tight`, the last column is the slack that completes the basis best.
    /// The positions of the columns are the tight rows in order. `None` if the basis is singular.
    pub(super) fn refresh(
        &mut self,
        data: &SparseProblem,
        tight: &[usize],
        inner: &[usize],
    ) -> Option<()> {
        let n = data.len();
        self.step.clear();
        self.step.resize(n, SLACK);
        for (k, &i) in tight.iter().enumerate() {
            self.step[i] = u32::try_from(k).expect("fewer than 2^32 rows");
        }
        let local = |&(i, m): &(usize, f64)| self.step[i] != SLACK && m != 0.0;
        let mut columns: Vec<Vec<(u32, f64)>> = inner
            .iter()
            .map(|&j| {
                let entries = data.column(j).filter(local);
                entries.map(|(i, m)| (self.step[i], m)).collect()
            })
            .collect();
        let ghost = inner.len() < tight.len();
        columns.resize(tight.len(), Vec::new());
        self.lu = SparseLu::new(columns, ghost, PIVOT_FLOOR)?;
        self.slack_start.clear();
        self.slack_entries.clear();
        self.position.clear();
        self.slack_start.push(0);
        for &(_, j) in &self.lu.pivots {
            self.position.push(tight[j]);
            if let Some(&j) = inner.get(j) {
                let slack = |(i, _): &(usize, f64)| self.step[*i] == SLACK;
                let entries = data.column(j).filter(slack);
                self.slack_entries
                    .extend(entries.map(|(i, m)| (u32::try_from(i).expect("as above"), m)));
            }
            self.slack_start.push(self.slack_entries.len());
        }
        for (k, &i) in tight.iter().enumerate() {
            self.step[i] = u32::try_from(self.lu.step_of_row(k)).expect("as above");
        }
        self.y.clear();
        self.y.resize(tight.len(), 0.0);
        self.etas.pivots.clear();
        self.etas.entries.clear();
        self.spent = FACTOR_COST * self.lu.work() + 4 * n;
        Some(())
    }

    /// Number of updates since the factorisation.
    pub(super) fn updates(&self) -> usize {
        self.etas.pivots.len()
    }

    /// Whether the updates have become so long that the average cost of a pivot rises.
    pub(super) fn is_worn(&self) -> bool {
        self.etas.entries.len() * self.updates() > self.spent
    }

    /// out ← B'⁻¹ b for b given by its entries (row, value).
    pub(super) fn solve(&mut self, b: impl Iterator<Item = (usize, f64)>, out: &mut [f64]) {
        out.fill(0.0);
        for (i, b) in b {
            match self.step[i] {
                SLACK => out[i] -= b,
                k => self.y[k as usize] += b,
            }
        }
        self.lu.solve(&mut self.y);
        for (k, y) in self.y.iter_mut().enumerate().filter(|(_, y)| **y != 0.0) {
            let v = std::mem::take(y);
            out[self.position[k]] = v;
            for &(i, m) in &self.slack_entries[self.slack_start[k]..self.slack_start[k + 1]] {
                out[i as usize] += m * v;
            }
        }
        let mut begin = 0;
        for &(position, pivot, end) in &self.etas.pivots {
            let v = out[position];
            if v != 0.0 {
                let v = v / pivot;
                for &(i, a) in &self.etas.entries[begin..end] {
                    out[i as usize] -= a * v;
                }
                out[position] = v;
            }
            begin = end;
        }
        self.spent += self.etas.entries.len();
    }

    /// Replaces the column at `position` by one with B'⁻¹ a = `column`.
    pub(super) fn update(&mut self, position: usize, column: &[f64]) {
        for (i, &a) in column.iter().enumerate() {
            if a != 0.0 && i != position {
                let i = u32::try_from(i).expect("fewer than 2^32 rows");
                self.etas.entries.push((i, a));
            }
        }
        let end = self.etas.entries.len();
        self.etas.pivots.push((position, column[position], end));
    }
}
