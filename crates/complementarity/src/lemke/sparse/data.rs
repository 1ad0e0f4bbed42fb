//! A mixed problem as sparse columns: shifted to the lower bounds, mirrored where only an upper one exists, scaled.

use crate::linalg::balancing_power;
use crate::residual::LinearView;
use crate::{Basis, BasisMark};

/// One variable z_index = bound + sign · col · y with 0 ≤ y ≤ upper, or y free.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Variable {
    index: usize,
    sign: f64,
    bound: f64,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Bounded,
    Free,
    /// Positive or negative part of a free variable.
    Part,
}

/// M' = R S M S C by columns, q' = R S (q + M bound); fixed variables are left out.
#[derive(Clone, Debug)]
pub(in crate::lemke) struct SparseProblem {
    start: Vec<usize>,
    rows: Vec<usize>,
    values: Vec<f64>,
    pub(super) q: Vec<f64>,
    /// Scaled widths, ∞ without an upper bound.
    pub(super) upper: Vec<f64>,
    pub(super) free: Vec<bool>,
    pub(super) row: Vec<f64>,
    pub(super) col: Vec<f64>,
    variables: Vec<Variable>,
    /// z at y = 0.
    origin: Vec<f64>,
}

impl SparseProblem {
    /// With `split`, every free variable is the difference of two nonnegative ones.
    pub(in crate::lemke) fn new(view: &LinearView<'_>, split: bool) -> Self {
        let original = view.len();
        let (mut variables, mut upper) = (Vec::with_capacity(original), Vec::new());
        // Variables of each index: none if it is fixed, two if it is split.
        let mut of_index = vec![0..0; original];
        let mut origin = vec![0.0; original];
        for (index, of_index) in of_index.iter_mut().enumerate() {
            let (l, u) = view.interval(index);
            let before = variables.len();
            let mut push = |sign, bound, kind| {
                variables.push(Variable {
                    index,
                    sign,
                    bound,
                    kind,
                });
                upper.push(if kind == Kind::Bounded && sign > 0.0 {
                    u - l
                } else {
                    f64::INFINITY
                });
            };
            match (l.is_finite(), u.is_finite()) {
                _ if l >= u => origin[index] = l,
                (true, _) => (origin[index], ()) = (l, push(1.0, l, Kind::Bounded)),
                (_, true) => (origin[index], ()) = (u, push(-1.0, u, Kind::Bounded)),
                _ if split => [1.0, -1.0]
                    .into_iter()
                    .for_each(|s| push(s, 0.0, Kind::Part)),
                _ => push(1.0, 0.0, Kind::Free),
            }
            *of_index = before..variables.len();
        }
        let mut shifted = view.q.to_vec();
        for (&m, (i, j)) in view.m {
            if origin[j] != 0.0 {
                shifted[i] += m * origin[j];
            }
        }
        let (mut start, mut rows, mut values) = (vec![0], Vec::new(), Vec::new());
        for v in &variables {
            let column = view.m.outer_view(v.index);
            for (i, &m) in column.iter().flat_map(sprs::CsVecView::iter) {
                for r in of_index[i].clone().filter(|_| m != 0.0) {
                    rows.push(r);
                    values.push(variables[r].sign * m * v.sign);
                }
            }
            start.push(rows.len());
        }
        let n = variables.len();
        let mut problem = Self {
            start,
            rows,
            values,
            q: variables
                .iter()
                .map(|v| v.sign * shifted[v.index])
                .collect(),
            upper,
            free: variables.iter().map(|v| v.kind == Kind::Free).collect(),
            row: vec![1.0; n],
            col: vec![1.0; n],
            variables,
            origin,
        };
        problem.equilibrate();
        problem
    }

    /// Powers of two that bring rows and columns near one, as for the dense tableau.
    fn equilibrate(&mut self) {
        let n = self.len();
        // Places of the entries of each row.
        let mut row_start = vec![0; n + 1];
        self.rows.iter().for_each(|&i| row_start[i + 1] += 1);
        for i in 0..n {
            row_start[i + 1] += row_start[i];
        }
        let mut next = row_start.clone();
        let mut by_row = vec![(0, 0); self.rows.len()];
        for j in 0..n {
            for e in self.start[j]..self.start[j + 1] {
                by_row[next[self.rows[e]]] = (e, j);
                next[self.rows[e]] += 1;
            }
        }
        for _ in 0..3 {
            for i in 0..n {
                let entries = by_row[row_start[i]..row_start[i + 1]].iter();
                let scaled = entries.map(|&(e, j)| (self.values[e] * self.col[j]).abs());
                self.row[i] = balancing_power(scaled, self.row[i]);
            }
            for j in 0..n {
                let scaled = (self.start[j]..self.start[j + 1])
                    .map(|e| (self.values[e] * self.row[self.rows[e]]).abs());
                self.col[j] = balancing_power(scaled, self.col[j]);
            }
        }
        for j in 0..n {
            for e in self.start[j]..self.start[j + 1] {
                self.values[e] *= self.row[self.rows[e]] * self.col[j];
            }
            self.upper[j] /= self.col[j];
            self.q[j] *= self.row[j];
        }
    }

    pub(super) fn len(&self) -> usize {
        self.q.len()
    }

    pub(super) fn is_finite(&self) -> bool {
        self.values.iter().chain(&self.q).all(|x| x.is_finite())
    }

    /// Rows and values of column j.
    pub(super) fn column(&self, j: usize) -> impl Iterator<Item = (usize, f64)> {
        let range = self.start[j]..self.start[j + 1];
        let values = self.values[range.clone()].iter().copied();
        self.rows[range].iter().copied().zip(values)
    }

    /// M'_ij, by a look through column j.
    pub(super) fn entry(&self, i: usize, j: usize) -> f64 {
        self.column(j)
            .filter(|(r, _)| *r == i)
            .map(|(_, m)| m)
            .sum()
    }

    /// z of the original problem from scaled y.
    pub(super) fn expand(&self, y: &[f64]) -> Vec<f64> {
        let mut z = self.origin.clone();
        for ((v, y), c) in self.variables.iter().zip(y).zip(&self.col) {
            z[v.index] += v.sign * c * y;
        }
        z
    }

    /// Scaled y of a point of the original problem; 0 for the second part of a free variable.
    pub(super) fn reduce(&self, z: &[f64]) -> Vec<f64> {
        let reduce = |(v, c): (&Variable, &f64)| match (v.kind, v.sign < 0.0) {
            (Kind::Part, true) => 0.0,
            _ => v.sign * (z[v.index] - self.origin[v.index]) / c,
        };
        self.variables.iter().zip(&self.col).map(reduce).collect()
    }

    /// Scaled F of the original problem; the rows of a free variable's parts differ in sign.
    pub(super) fn reduce_rows(&self, f: &[f64]) -> Vec<f64> {
        let rows = self.variables.iter().zip(&self.row);
        rows.map(|(v, r)| v.sign * r * f[v.index]).collect()
    }

    /// Scaled directions of z.
    pub(super) fn reduce_directions(&self, moves: &[f64]) -> Vec<f64> {
        let variables = self.variables.iter().zip(&self.col);
        variables
            .map(|(v, c)| v.sign * moves[v.index] / c)
            .collect()
    }

    /// Adds the scaled moves of basic variables to a point of the original problem.
    pub(super) fn move_basic(&self, standing: &[BasisMark], moves: &[f64], z: &mut [f64]) {
        let variables = self.variables.iter().zip(&self.col);
        for ((v, c), (mark, m)) in variables.zip(standing.iter().zip(moves)) {
            if *mark == BasisMark::Basic {
                z[v.index] += v.sign * c * m;
            }
        }
    }

    /// (row, column) factors by index of the original problem, 1 where a variable is fixed.
    pub(super) fn scaling(&self) -> Vec<(f64, f64)> {
        let mut scaling = vec![(1.0, 1.0); self.origin.len()];
        for (k, v) in self.variables.iter().enumerate() {
            scaling[v.index] = (self.row[k], self.col[k]);
        }
        scaling
    }

    /// Directions of z and w in the original problem from scaled ones.
    pub(super) fn expand_ray(&self, y: &[f64], w: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let (mut z_ray, mut w_ray) = (vec![0.0; self.origin.len()], vec![0.0; self.origin.len()]);
        for (k, v) in self.variables.iter().enumerate() {
            z_ray[v.index] += v.sign * self.col[k] * y[k];
            if v.kind != Kind::Part || v.sign > 0.0 {
                w_ray[v.index] = v.sign * w[k] / self.row[k];
            }
        }
        (z_ray, w_ray)
    }

    /// Marks of the original problem. A redundant free variable stands at 0 and is marked [`BasisMark::AtLower`].
    pub(super) fn marks(&self, standing: &[BasisMark]) -> Basis {
        let mut marks = vec![BasisMark::AtLower; self.origin.len()];
        for (v, &standing) in self.variables.iter().zip(standing) {
            let mirrored = v.sign < 0.0 && v.kind == Kind::Bounded;
            match standing {
                BasisMark::AtLower if mirrored => marks[v.index] = BasisMark::AtUpper,
                BasisMark::AtLower => {}
                other => marks[v.index] = other,
            }
        }
        Basis::new(marks)
    }

    /// Where the variables stand by the marks of the original problem; free ones are basic whatever their mark.
    #[track_caller]
    pub(super) fn standing(&self, marks: &[BasisMark]) -> Vec<BasisMark> {
        assert_eq!(
            marks.len(),
            self.origin.len(),
            "the starting basis must have one mark per variable"
        );
        let stand = |(k, v): (usize, &Variable)| match (v.kind, marks[v.index]) {
            (Kind::Part, BasisMark::Basic) if v.sign > 0.0 => BasisMark::Basic,
            (Kind::Free, _) | (Kind::Bounded, BasisMark::Basic) => BasisMark::Basic,
            (Kind::Bounded, BasisMark::AtUpper) if self.upper[k].is_finite() => BasisMark::AtUpper,
            _ => BasisMark::AtLower,
        };
        self.variables.iter().enumerate().map(stand).collect()
    }
}
