//! The condensed tableau of Lemke's method: a dictionary of the basic variables in the nonbasic ones.
//!
//! ```math
//! x_B = b + A\, x_N, \qquad w - M z - d z_0 = q
//! ```
//!
//! # Method
//! Only the n + 1 nonbasic columns, the right-hand side b = B⁻¹ q and a perturbation B⁻¹ p are kept, by rows. A pivot
//! exchanges one basic and one nonbasic variable in place.
//!
//! Ties are resolved as if q were q + ε p + (ε², ε³, ..) with ε → 0, p > 0 without pattern: p decides nearly always, and
//! where it does not, the columns of the starting basis follow. They are read off: a variable of the starting basis
//! has column −A of its own if it is nonbasic now, and a unit vector if it is basic. Unit columns alone, the usual
//! rule, would be as finite, but they lead through 2ⁿ bases on q = −1 with Murty's or Fathi's matrix.
//!
//! # References
//! - \[CPS1992\] R. W. Cottle, J.-S. Pang, R. E. Stone, The Linear Complementarity Problem, 1992, sections 2.2, 4.4, 4.9.

use super::LemkeSettings;
use super::scaled::ScaledLcp;
use crate::linalg::{DenseLu, equilibrate, multiply_add, scale};

/// Where a variable stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Row(usize),
    Column(usize),
}

/// Numbering of the variables: w_i = i, z_i = n + i, z₀ = 2n.
#[derive(Clone, Debug, Default)]
pub(super) struct Tableau {
    n: usize,
    /// A, b and B⁻¹ p, by rows of n + 3.
    a: Vec<f64>,
    basic: Vec<usize>,
    nonbasic: Vec<usize>,
    place: Vec<Place>,
    /// Largest magnitude that went into b_i: what its rounding error is measured by.
    size: Vec<f64>,
    /// Variables of the starting basis, in order: the columns of the lexicographic rule.
    start: Vec<usize>,
    covering: Vec<f64>,
    perturbation: Vec<f64>,
    ties: Vec<usize>,
    pivot_row: Vec<f64>,
    since_build: usize,
}

impl Tableau {
    fn width(&self) -> usize {
        self.n + 3
    }

    pub(super) fn z0(&self) -> usize {
        2 * self.n
    }

    pub(super) fn complement(&self, variable: usize) -> usize {
        if variable < self.n {
            variable + self.n
        } else {
            variable - self.n
        }
    }

    pub(super) fn place(&self, variable: usize) -> Place {
        self.place[variable]
    }

    /// Pivots since the tableau was computed from the data.
    pub(super) fn since_build(&self) -> usize {
        self.since_build
    }

    pub(super) fn value(&self, row: usize) -> f64 {
        self.a[row * self.width() + self.n + 1]
    }

    pub(super) fn entry(&self, row: usize, column: usize) -> f64 {
        self.a[row * self.width() + column]
    }

    /// Value of z₀, 0 if it is nonbasic.
    pub(super) fn artificial(&self) -> f64 {
        match self.place[self.z0()] {
            Place::Row(row) => self.value(row),
            Place::Column(_) => 0.0,
        }
    }

    /// Whether z₀ is basic with a value that is zero up to rounding.
    pub(super) fn artificial_vanished(&self, tie: f64) -> bool {
        match self.place[self.z0()] {
            Place::Row(row) => self.value(row) <= tie * self.size[row],
            Place::Column(_) => false,
        }
    }

    /// Exchanges z₀, basic at zero, with `variable` or its complement, both nonbasic: the basis is then complementary.
    /// Nothing happens if both pivots are ≤ `floor`.
    pub(super) fn drop_artificial(&mut self, variable: usize, floor: f64, tie: f64) {
        let Place::Row(row) = self.place[self.z0()] else {
            return;
        };
        let columns = [variable, self.complement(variable)].map(|v| match self.place[v] {
            Place::Column(column) => column,
            Place::Row(_) => unreachable!("the pair of the almost complementary basis is nonbasic"),
        });
        let size = |&column: &usize| self.entry(row, column).abs();
        let [first, second] = columns;
        let column = if size(&first) >= size(&second) {
            first
        } else {
            second
        };
        if size(&column) > floor {
            let rhs = row * self.width() + self.n + 1;
            self.a[rhs] = 0.0;
            self.pivot(row, column, tie);
        }
    }

    /// Starts from the slack basis with covering vector `covering` > 0 (scaled).
    pub(super) fn start_cold(&mut self, lcp: &ScaledLcp, covering: &[f64]) {
        self.reset(lcp);
        self.covering.clear();
        self.covering.extend_from_slice(covering);
        self.basic.extend(0..self.n);
        self.start.extend(0..self.n);
        self.nonbasic.extend(self.n..=2 * self.n);
        for (i, &d) in covering.iter().enumerate() {
            self.a.extend_from_slice(lcp.row(i));
            self.a.extend([d, lcp.q[i], self.perturbation[i]]);
            self.size.push(lcp.q[i].abs());
        }
        self.index();
    }

    /// Starts from a complementary basis given by the indices with z basic. In this basis the column of z₀ is `ones`,
    /// that is, the covering vector is d = B·1. `None` if the basis is singular.
    pub(super) fn start_warm(
        &mut self,
        lcp: &ScaledLcp,
        z_basic: &[bool],
        settings: &LemkeSettings,
    ) -> Option<()> {
        let n = lcp.len();
        self.reset(lcp);
        self.basic.extend(
            z_basic
                .iter()
                .enumerate()
                .map(|(i, &z)| if z { n + i } else { i }),
        );
        self.start.extend_from_slice(&self.basic);
        self.covering = (0..n)
            .map(|i| {
                let slack = if z_basic[i] { 0.0 } else { 1.0 };
                let covered: f64 = lcp
                    .row(i)
                    .iter()
                    .zip(z_basic)
                    .filter(|(_, z)| **z)
                    .map(|(m, _)| m)
                    .sum();
                slack - covered
            })
            .collect();
        self.build(lcp, settings)
    }

    /// Recomputes the tableau of the current basis from the data. `None` if the basis is singular.
    pub(super) fn refactor(&mut self, lcp: &ScaledLcp, settings: &LemkeSettings) -> Option<()> {
        self.nonbasic.clear();
        self.a.clear();
        self.size.clear();
        self.build(lcp, settings)
    }

    fn reset(&mut self, lcp: &ScaledLcp) {
        self.n = lcp.len();
        // Numbers without pattern in [1, 2), in the units of the rows: multiples of the golden ratio.
        let pattern_free = |i: usize| 1.0 + (0.618_033_988_749_895 * (i + 1) as f64).fract();
        self.perturbation.clear();
        self.perturbation
            .extend(lcp.row.iter().enumerate().map(|(i, r)| r * pattern_free(i)));
        for list in [&mut self.basic, &mut self.nonbasic, &mut self.start] {
            list.clear();
        }
        self.a.clear();
        self.size.clear();
        self.since_build = 0;
    }

    fn index(&mut self) {
        self.place.clear();
        self.place.resize(2 * self.n + 1, Place::Row(0));
        for (row, &v) in self.basic.iter().enumerate() {
            self.place[v] = Place::Row(row);
        }
        for (column, &v) in self.nonbasic.iter().enumerate() {
            self.place[v] = Place::Column(column);
        }
    }

    /// A and b for `self.basic`, by block elimination: with R the rows whose w is nonbasic and C the basic variables
    /// that are no slacks, K x_C = q_R − w_R + (columns of the other z and z₀), K = −[M d]_RC.
    fn build(&mut self, lcp: &ScaledLcp, settings: &LemkeSettings) -> Option<()> {
        let n = self.n;
        let width = self.width();
        let mut is_basic = vec![false; 2 * n + 1];
        self.basic.iter().for_each(|&v| is_basic[v] = true);
        self.nonbasic.extend((0..=2 * n).filter(|&v| !is_basic[v]));
        let tight: Vec<usize> = (0..n).filter(|&i| !is_basic[i]).collect();
        let inner: Vec<usize> = self.basic.iter().copied().filter(|&v| v >= n).collect();
        let k = tight.len();
        let coefficient = |i: usize, v: usize| {
            if v == 2 * n {
                self.covering[i]
            } else {
                lcp.row(i)[v - n]
            }
        };
        // Right-hand sides of row i in terms of the nonbasic variables and 1.
        let fill = |i: usize, out: &mut [f64], sign: f64| {
            for (out, &v) in out.iter_mut().zip(&self.nonbasic) {
                *out = match v {
                    v if v == i => -sign,
                    v if v < n => 0.0,
                    v => sign * coefficient(i, v),
                };
            }
            out[n + 1] = sign * lcp.q[i];
            out[n + 2] = sign * self.perturbation[i];
        };

        let mut by_rows = vec![0.0; k * k];
        for (i, &t) in tight.iter().enumerate() {
            for (j, &c) in inner.iter().enumerate() {
                by_rows[i * k + j] = -coefficient(t, c);
            }
        }
        let (row, col) = equilibrate(k, &by_rows);
        let by_columns = (0..k * k)
            .map(|e| by_rows[e % k * k + e / k] * row[e % k] * col[e / k])
            .collect();
        let lu = DenseLu::new(k, by_columns)
            .filter(|lu| lu.pivot_ratio() > settings.singular_tolerance)?;
        let mut x = vec![0.0; k * width];
        for (i, &t) in tight.iter().enumerate() {
            fill(t, &mut x[i * width..][..width], row[i]);
        }
        lu.solve(&mut x, width);
        for (x, c) in x.chunks_exact_mut(width).zip(&col) {
            scale(x, *c);
        }

        let slack_rows: Vec<usize> = self.basic.iter().copied().filter(|&v| v < n).collect();
        let mut slacks = vec![0.0; slack_rows.len() * width];
        let mut left = vec![0.0; slack_rows.len() * k];
        for (s, &i) in slack_rows.iter().enumerate() {
            fill(i, &mut slacks[s * width..][..width], 1.0);
            for (j, &c) in inner.iter().enumerate() {
                left[s * k + j] = coefficient(i, c);
            }
        }
        multiply_add(&left, &x, &mut slacks, (slack_rows.len(), k, width));

        let (mut x, mut slacks) = (x.chunks_exact(width), slacks.chunks_exact(width));
        for &v in &self.basic {
            let row = if v < n { slacks.next() } else { x.next() };
            self.a
                .extend_from_slice(row.expect("one row per basic variable"));
        }
        self.index();
        self.measure(lcp, settings.tie_tolerance);
        self.since_build = 0;
        self.a.iter().all(|x| x.is_finite()).then_some(())
    }

    /// Sizes of the terms of b = B⁻¹ q. None is below the size at which `tie` means a few roundings of the largest b:
    /// the solve that gave b is no more accurate than that.
    fn measure(&mut self, lcp: &ScaledLcp, tie: f64) {
        let (width, rhs) = (self.width(), self.n + 1);
        let values = self.a.iter().skip(rhs).step_by(width);
        let largest = values.fold(0.0_f64, |m, b| m.max(b.abs()));
        let floor = 16.0 * f64::EPSILON * largest / tie.max(f64::EPSILON);
        let slack_columns = || {
            self.nonbasic
                .iter()
                .enumerate()
                .filter(|(_, v)| **v < self.n)
        };
        let rows = self.a.chunks_exact(width).zip(&self.basic);
        let size = |(row, &v): (&[f64], &usize)| {
            let own = if v < self.n { lcp.q[v].abs() } else { 0.0 };
            let terms = slack_columns().map(|(c, &t)| (row[c] * lcp.q[t]).abs());
            terms.fold(own.max(floor), f64::max)
        };
        self.size = rows.map(size).collect();
    }

    /// Sets values that are negative by rounding to zero; false if one is < −lost · size, so that the path is lost.
    pub(super) fn clip(&mut self, lost: f64) -> bool {
        let (width, rhs) = (self.width(), self.n + 1);
        let rows = self.a.chunks_exact_mut(width).zip(&self.size);
        rows.fold(true, |kept, (row, size)| {
            let value = &mut row[rhs];
            let good = *value >= -lost * size;
            *value = value.max(0.0);
            kept && good
        })
    }

    /// Sets values that are negative by rounding only to zero; the row with the most negative value that is left, by
    /// ratio to the column of z₀, with ties resolved lexicographically: where z₀ must enter. `None`: all are ≥ 0.
    pub(super) fn first_row(&mut self, tie: f64) -> Option<usize> {
        let (width, rhs) = (self.width(), self.n + 1);
        let Place::Column(column) = self.place[self.z0()] else {
            return None;
        };
        let mut worst = 0.0;
        for (row, size) in self.a.chunks_exact_mut(width).zip(&self.size) {
            if row[rhs] < 0.0 && row[rhs] >= -tie * size {
                row[rhs] = 0.0;
            }
            worst = f64::max(worst, -row[rhs] / row[column]);
        }
        let tied = |row: &[f64]| -row[rhs] / row[column] >= worst * (1.0 - tie);
        let rows = self.a.chunks_exact(width).enumerate();
        // The columns of the starting basis are unit vectors here; of two equal rows the last is smaller.
        let ratio = |row: &[f64]| row[rhs + 1] / row[column];
        let smallest = rows
            .filter(|(_, r)| worst > 0.0 && tied(r))
            .min_by(|(i, a), (j, b)| ratio(a).total_cmp(&ratio(b)).then(j.cmp(i)));
        smallest.map(|(i, _)| i)
    }

    /// Ratio test for the nonbasic variable of `column` that grows from 0: the row that blocks it, with the relative
    /// size of its pivot. `None`: nothing blocks.
    ///
    /// Rows whose ratio is equal up to the rounding of b are ties; z₀ is preferred among them, then the lexicographic
    /// minimum decides.
    pub(super) fn blocking_row(
        &mut self,
        column: usize,
        settings: &LemkeSettings,
    ) -> Option<(usize, f64)> {
        let (width, rhs, tie) = (self.width(), self.n + 1, settings.tie_tolerance);
        let largest = self
            .a
            .iter()
            .skip(column)
            .step_by(width)
            .fold(0.0_f64, |m, a| m.max(a.abs()));
        let smallest_pivot = (settings.pivot_tolerance * largest).max(settings.pivot_floor);
        let admissible = |row: &[f64]| -row[column] > smallest_pivot;
        // First pass: the longest step that violates no row by more than its rounding.
        let mut longest = f64::INFINITY;
        for (row, size) in self
            .a
            .chunks_exact(width)
            .zip(&self.size)
            .filter(|(row, _)| admissible(row))
        {
            longest = longest.min((row[rhs] + tie * size) / -row[column]);
        }
        if longest == f64::INFINITY {
            return None;
        }
        // Second pass: all rows that block before it.
        let mut ties = std::mem::take(&mut self.ties);
        ties.clear();
        let rows = self.a.chunks_exact(width).enumerate();
        ties.extend(
            rows.filter(|(_, r)| admissible(r) && r[rhs] / -r[column] <= longest)
                .map(|(i, _)| i),
        );
        let row = match self.place[self.z0()] {
            Place::Row(row) if ties.contains(&row) => row,
            _ => {
                // A pivot much smaller than another one of the same step is no choice but an accident.
                let best = ties
                    .iter()
                    .fold(0.0_f64, |m, &i| m.max(-self.entry(i, column)));
                ties.retain(|&i| -self.entry(i, column) >= settings.tied_pivot_ratio * best);
                self.lexicographic_minimum(&mut ties, column, tie)
            }
        };
        self.ties = ties;
        Some((row, -self.entry(row, column) / largest))
    }

    /// The row of `ties` whose row of [B⁻¹ p, B⁻¹ B_start] over its pivot is lexicographically smallest.
    fn lexicographic_minimum(&self, ties: &mut Vec<usize>, column: usize, tie: f64) -> usize {
        Self::keep_smallest(
            ties,
            |i| self.entry(i, self.n + 2) / -self.entry(i, column),
            tie,
        );
        for &v in &self.start {
            if ties.len() == 1 {
                break;
            }
            match self.place[v] {
                // Column of B⁻¹ is a unit vector: positive in this row, zero in the others.
                Place::Row(row) => ties.retain(|&i| i != row),
                Place::Column(c) if c == column => {}
                Place::Column(c) => {
                    Self::keep_smallest(ties, |i| self.entry(i, c) / self.entry(i, column), tie);
                }
            }
        }
        ties[0]
    }

    fn keep_smallest(ties: &mut Vec<usize>, ratio: impl Fn(usize) -> f64, tie: f64) {
        let smallest = ties.iter().fold(f64::INFINITY, |m, &i| m.min(ratio(i)));
        if !smallest.is_finite() {
            // Numbers that overflowed decide nothing; the residual judges what comes of the choice.
            return;
        }
        let scale = ties.iter().fold(0.0_f64, |m, &i| m.max(ratio(i).abs()));
        let most = smallest + tie * scale;
        // Ratios that overflow decide nothing; a row must remain.
        if most.is_finite() {
            ties.retain(|&i| ratio(i) <= most);
        }
    }

    /// Exchanges the basic variable of `row` with the nonbasic one of `column`; returns the one that left.
    pub(super) fn pivot(&mut self, row: usize, column: usize, tie: f64) -> usize {
        let (width, rhs) = (self.width(), self.n + 1);
        let inverse = 1.0 / self.entry(row, column);
        let pivot_row = &mut self.a[row * width..][..width];
        scale(pivot_row, -inverse);
        pivot_row[column] = inverse;
        let step = pivot_row[rhs];
        self.pivot_row.clear();
        self.pivot_row.extend_from_slice(pivot_row);
        self.size[row] = (self.size[row] * inverse).abs().max(step.abs());
        for (i, target) in self.a.chunks_exact_mut(width).enumerate() {
            let factor = target[column];
            if i == row || factor == 0.0 {
                continue;
            }
            target[column] = 0.0;
            for (t, p) in target.iter_mut().zip(&self.pivot_row) {
                *t += factor * p;
            }
            self.size[i] = self.size[i].max((factor * step).abs());
            if target[rhs] < 0.0 && target[rhs] >= -tie * self.size[i] {
                target[rhs] = 0.0;
            }
        }
        let (entering, leaving) = (self.nonbasic[column], self.basic[row]);
        (self.basic[row], self.nonbasic[column]) = (entering, leaving);
        (self.place[entering], self.place[leaving]) = (Place::Row(row), Place::Column(column));
        self.since_build += 1;
        leaving
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// M = [2 1; 1 2], q = (−5, −6), d = 1; all scale factors are one.
    fn started() -> (Tableau, ScaledLcp) {
        let lcp = ScaledLcp::new(vec![2.0, 1.0, 1.0, 2.0], vec![-5.0, -6.0]);
        assert_eq!((&lcp.row, &lcp.col), (&vec![1.0; 2], &vec![1.0; 2]));
        let mut tableau = Tableau::default();
        tableau.start_cold(&lcp, &[1.0, 1.0]);
        (tableau, lcp)
    }

    fn values(tableau: &Tableau) -> Vec<f64> {
        (0..tableau.n).map(|i| tableau.value(i)).collect()
    }

    #[test]
    fn first_row_is_the_most_negative_one() {
        let (mut tableau, _) = started();
        assert_eq!(tableau.first_row(1e-13), Some(1));
    }

    #[test]
    fn pivot_exchanges_two_variables() {
        let (mut tableau, _) = started();
        // z0 = 6 + w2 − z1 − 2 z2 in w1 = −5 + 2 z1 + z2 + z0 gives w1 = 1 + w2 + z1 − z2.
        assert_eq!(tableau.pivot(1, 2, 1e-13), 1);
        assert_eq!(values(&tableau), [1.0, 6.0]);
        let row = |i: usize| [0, 1, 2].map(|c| tableau.entry(i, c));
        assert_eq!((row(0), row(1)), ([1.0, -1.0, 1.0], [-1.0, -2.0, 1.0]));
        assert_eq!(
            (tableau.place(4), tableau.place(1)),
            (Place::Row(1), Place::Column(2))
        );
    }

    #[test]
    fn ratio_test_finds_the_first_row_that_vanishes() {
        let (mut tableau, _) = started();
        tableau.pivot(1, 2, 1e-13);
        let settings = LemkeSettings::default();
        // z2 grows: w1 = 1 − z2 vanishes before z0 = 6 − 2 z2; z1 would be blocked by z0 alone.
        assert_eq!(tableau.blocking_row(1, &settings), Some((0, 0.5)));
        assert_eq!(tableau.blocking_row(0, &settings), Some((1, 1.0)));
        // w2 makes both grow.
        assert_eq!(tableau.blocking_row(2, &settings), None);
    }

    #[test]
    fn refactoring_reproduces_the_tableau() {
        let (mut tableau, lcp) = started();
        tableau.pivot(1, 2, 1e-13);
        tableau.pivot(0, 1, 1e-13);
        let entry = |t: &Tableau, i: usize, v: usize| match t.place(v) {
            Place::Column(c) => t.entry(i, c),
            Place::Row(_) => f64::NAN,
        };
        let before = tableau.clone();
        tableau.refactor(&lcp, &LemkeSettings::default()).unwrap();
        assert_eq!((before.since_build(), tableau.since_build()), (2, 0));
        for i in 0..2 {
            assert!((before.value(i) - tableau.value(i)).abs() < 1e-14);
            for &v in &before.nonbasic {
                assert!(
                    (entry(&before, i, v) - entry(&tableau, i, v)).abs() < 1e-14,
                    "{i} {v}"
                );
            }
        }
    }

    #[test]
    fn warm_start_has_ones_for_the_artificial_column() {
        let (mut tableau, lcp) = started();
        tableau
            .start_warm(&lcp, &[true, false], &LemkeSettings::default())
            .unwrap();
        let Place::Column(c) = tableau.place(tableau.z0()) else {
            panic!("z0 is nonbasic")
        };
        assert!((0..2).all(|i| (tableau.entry(i, c) - 1.0).abs() < 1e-15));
        // z1 = 5/2 and w2 = −6 + 5/2.
        assert_eq!(values(&tableau), [2.5, -3.5]);
        assert_eq!(tableau.first_row(1e-13), Some(1));
        let singular = ScaledLcp::new(vec![1.0; 4], vec![-1.0; 2]);
        assert_eq!(
            tableau.start_warm(&singular, &[true; 2], &LemkeSettings::default()),
            None
        );
    }

    #[test]
    fn ties_go_to_the_smallest_perturbation() {
        let lcp = ScaledLcp::new(
            vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
            vec![-1.0; 3],
        );
        let mut tableau = Tableau::default();
        tableau.start_cold(&lcp, &[1.0; 3]);
        let smallest =
            (0..3).min_by(|&i, &j| tableau.perturbation[i].total_cmp(&tableau.perturbation[j]));
        assert_eq!(tableau.first_row(1e-13), smallest);
    }

    #[test]
    fn dropping_the_artificial_variable_leaves_a_complementary_basis() {
        let (mut tableau, _) = started();
        tableau.pivot(1, 2, 1e-13);
        tableau.drop_artificial(1, 1e-12, 1e-13);
        assert!(matches!(tableau.place(4), Place::Column(_)));
        assert!(
            matches!(tableau.place(3), Place::Row(_)),
            "z2 has the larger pivot"
        );
    }
}
