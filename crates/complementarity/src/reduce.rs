//! From a linear mixed problem to a dense LCP and back.
//!
//! Free variables are eliminated through their block, fixed ones moved to q, lower bounds shifted to zero, upper
//! bounds mirrored; a two-sided bound adds one variable s for its upper side:
//!
//! ```math
//! 0 \le y \perp G(y) + s \ge 0, \qquad 0 \le s \perp (u - l) - y \ge 0
//! ```
//!
//! # Method
//! The block of the free variables is factorised by LU with pivoting. If it is singular (a circuit whose equations
//! leave a potential open, a game with its two values free), some y change places with their w, so that the equations
//! can be solved: see `exchange`. Only where that fails as well, as for redundant equations, every free variable
//! becomes the difference of two nonnegative ones.

use crate::exchange::Mixed;
use crate::linalg::{DenseLu, equilibrate, multiply_add, scale};
use crate::residual::LinearView;
use crate::{Basis, BasisMark};

/// One nonnegative variable y = sign · (z_index − bound).
#[derive(Clone, Copy, Debug, PartialEq)]
struct Shifted {
    index: usize,
    sign: f64,
    bound: f64,
}

/// A dense LCP (M by rows) and how its variables give z.
#[derive(Clone, Debug)]
pub(crate) struct Reduced {
    pub(crate) m: Vec<f64>,
    pub(crate) q: Vec<f64>,
    variables: Vec<Shifted>,
    /// For each variable with an upper side, where its s stands.
    upper: Vec<Option<usize>>,
    free: Vec<usize>,
    /// Free variables as differences of two nonnegative ones.
    split: bool,
    /// Variables of the LCP that are the w of their pair, while its w is the y; empty means none.
    exchanged: Vec<bool>,
    /// z_F = offset + Σ gain · y, gain by rows (free, variables), with exchanges (free, LCP).
    offset: Vec<f64>,
    gain: Vec<f64>,
    /// z at y = 0, free entries 0.
    at_bounds: Vec<f64>,
}

impl Reduced {
    /// The reduced problem; `singular_tolerance` as in the settings of Lemke's method.
    pub(crate) fn new(view: &LinearView<'_>, singular_tolerance: f64) -> Self {
        let n = view.len();
        let dense = view.dense();
        let is_free = |i: usize| view.interval(i) == (f64::NEG_INFINITY, f64::INFINITY);
        let free: Vec<usize> = (0..n).filter(|&i| is_free(i)).collect();
        let at_bounds: Vec<f64> = (0..n)
            .map(|i| match view.interval(i) {
                (l, _) if l.is_finite() => l,
                (_, u) if u.is_finite() => u,
                _ => 0.0,
            })
            .collect();
        let mut q = view.q.to_vec();
        for (q, row) in q.iter_mut().zip(dense.chunks_exact(n.max(1))) {
            let shift: f64 = row
                .iter()
                .zip(&at_bounds)
                .filter(|(_, b)| **b != 0.0)
                .map(|(m, b)| m * b)
                .sum();
            *q += shift;
        }
        let lu = factor_block(&dense, n, &free, singular_tolerance);
        let mut reduced = Self {
            m: Vec::new(),
            q: Vec::new(),
            variables: shifted_variables(view, &free, false),
            upper: Vec::new(),
            split: false,
            exchanged: Vec::new(),
            free,
            offset: Vec::new(),
            gain: Vec::new(),
            at_bounds,
        };
        if let Some(lu) = &lu {
            reduced.eliminate(&dense, &q, lu);
        }
        reduced.assemble(&dense, &q);
        reduced.extend_by_upper_sides(view);
        if lu.is_none() && !reduced.exchange(&dense, &q, singular_tolerance) {
            reduced.split = true;
            reduced.variables = shifted_variables(view, &reduced.free, true);
            (reduced.m, reduced.q, reduced.upper) = Default::default();
            reduced.assemble(&dense, &q);
            reduced.extend_by_upper_sides(view);
        }
        reduced
    }

    pub(crate) fn len(&self) -> usize {
        self.q.len()
    }

    /// offset = −M_FF⁻¹ q_F, gain = −M_FF⁻¹ M_FN Σ.
    fn eliminate(&mut self, dense: &[f64], q: &[f64], lu: &FreeBlock) {
        let (n, k) = (q.len(), self.variables.len());
        let mut rhs = vec![0.0; self.free.len() * (k + 1)];
        for (&f, rhs) in self.free.iter().zip(rhs.chunks_exact_mut(k + 1)) {
            for (r, v) in rhs.iter_mut().zip(&self.variables) {
                *r = -v.sign * dense[f * n + v.index];
            }
            rhs[k] = -q[f];
        }
        lu.solve(&mut rhs, k + 1);
        for row in rhs.chunks_exact(k + 1) {
            self.gain.extend_from_slice(&row[..k]);
            self.offset.push(row[k]);
        }
    }

    /// M = Σ (M_NN + M_NF gain), q = Σ (q_N + M_NF offset).
    fn assemble(&mut self, dense: &[f64], q: &[f64]) {
        let (n, k, f) = (q.len(), self.variables.len(), self.offset.len());
        let mut left = vec![0.0; k * f];
        for (i, v) in self.variables.iter().enumerate() {
            self.m.extend(
                self.variables
                    .iter()
                    .map(|c| v.sign * dense[v.index * n + c.index] * c.sign),
            );
            self.q.push(v.sign * q[v.index]);
            if f > 0 {
                for (l, &c) in left[i * f..][..f].iter_mut().zip(&self.free) {
                    *l = v.sign * dense[v.index * n + c];
                }
            }
        }
        multiply_add(&left, &self.gain, &mut self.m, (k, f, k));
        multiply_add(&left, &self.offset, &mut self.q, (k, f, 1));
    }

    fn extend_by_upper_sides(&mut self, view: &LinearView<'_>) {
        let k = self.variables.len();
        let mut total = k;
        for v in &self.variables {
            let (l, u) = view.interval(v.index);
            let two_sided = l.is_finite() && u.is_finite();
            self.upper.push(two_sided.then_some(total));
            total += usize::from(two_sided);
        }
        if total == k {
            return;
        }
        let small = std::mem::replace(&mut self.m, vec![0.0; total * total]);
        for (i, row) in small.chunks_exact(k).enumerate() {
            self.m[i * total..][..k].copy_from_slice(row);
        }
        for (i, s) in self
            .upper
            .iter()
            .enumerate()
            .filter_map(|(i, s)| s.map(|s| (i, s)))
        {
            self.m[i * total + s] = 1.0;
            self.m[s * total + i] = -1.0;
            let (l, u) = view.interval(self.variables[i].index);
            self.q.push(u - l);
        }
    }

    /// Lets some y change places with their w, so that the equations give the free variables. False if that is not
    /// possible.
    fn exchange(&mut self, dense: &[f64], q: &[f64], singular_tolerance: f64) -> bool {
        let (n, total) = (q.len(), self.len());
        let mut mixed = Mixed::new(total, self.free.len());
        for (row, m) in self.m.chunks_exact(total.max(1)).enumerate() {
            mixed.row_mut(row)[..total].copy_from_slice(m);
        }
        mixed.q[..total].copy_from_slice(&self.q);
        for (r, &f) in self.free.iter().enumerate() {
            for (i, v) in self.variables.iter().enumerate() {
                mixed.row_mut(i)[total + r] = v.sign * dense[v.index * n + f];
                mixed.row_mut(total + r)[i] = dense[f * n + v.index] * v.sign;
            }
            for (c, &g) in self.free.iter().enumerate() {
                mixed.row_mut(total + r)[total + c] = dense[f * n + g];
            }
            mixed.q[total + r] = q[f];
        }
        let Some(exchanged) = mixed.solve_equations(singular_tolerance) else {
            return false;
        };
        self.m = mixed.m;
        self.gain = self.m.split_off(total * total);
        self.q = mixed.q;
        self.offset = self.q.split_off(total);
        self.exchanged = exchanged;
        true
    }

    fn is_exchanged(&self, variable: usize) -> bool {
        self.exchanged.get(variable).copied().unwrap_or(false)
    }

    /// z of the original problem from a point of the LCP.
    pub(crate) fn expand(&self, x: &[f64]) -> Vec<f64> {
        self.expand_from(x, 1.0, &self.at_bounds)
    }

    /// Directions of z and F from those of the LCP's variables x and its w.
    pub(crate) fn expand_ray(&self, x: &[f64], w: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let mut f = vec![0.0; self.at_bounds.len()];
        for (i, v) in self.variables.iter().enumerate() {
            if !self.is_split(v.index) {
                let own = if self.is_exchanged(i) { x[i] } else { w[i] };
                let upper =
                    self.upper[i].map_or(0.0, |s| if self.is_exchanged(s) { w[s] } else { x[s] });
                f[v.index] = v.sign * (own - upper);
            }
        }
        (self.expand_from(x, 0.0, &vec![0.0; f.len()]), f)
    }

    /// origin + z of x, where the constant terms count `constant` times.
    fn expand_from(&self, x: &[f64], constant: f64, origin: &[f64]) -> Vec<f64> {
        let mut z = origin.to_vec();
        let product = |row: &[f64]| row.iter().zip(x).map(|(m, x)| m * x).sum::<f64>();
        for (i, v) in self.variables.iter().enumerate() {
            let y = if self.is_exchanged(i) {
                let row = &self.m[i * self.len()..][..self.len()];
                (constant * self.q[i] + product(row)).max(0.0)
            } else {
                x[i]
            };
            z[v.index] += v.sign * y;
        }
        let width = self.gain.len() / self.offset.len().max(1);
        for (r, &f) in self.free.iter().enumerate().take(self.offset.len()) {
            z[f] = constant * self.offset[r] + product(&self.gain[r * width..][..width]);
        }
        z
    }

    /// Marks of the original problem from the LCP variables that are basic. A free variable is basic unless it is
    /// redundant, then it stands at 0 and is marked [`BasisMark::AtLower`].
    pub(crate) fn marks(&self, x_basic: &[bool]) -> Basis {
        let basic = |(i, &x): (usize, &bool)| x != self.is_exchanged(i);
        let y_basic: Vec<bool> = x_basic.iter().enumerate().map(basic).collect();
        let mut marks = vec![BasisMark::AtLower; self.at_bounds.len()];
        if !self.split {
            self.free.iter().for_each(|&f| marks[f] = BasisMark::Basic);
        }
        for (i, v) in self.variables.iter().enumerate() {
            let at_upper = self.upper[i].is_some_and(|s| y_basic[s])
                || (v.sign < 0.0 && !self.is_split(v.index));
            marks[v.index] = match (y_basic[i], self.upper[i].is_some_and(|s| y_basic[s])) {
                (true, false) => BasisMark::Basic,
                (true, true) => BasisMark::AtUpper,
                (false, _) if self.is_split(v.index) => marks[v.index],
                (false, _) if at_upper => BasisMark::AtUpper,
                (false, _) => BasisMark::AtLower,
            };
        }
        Basis::new(marks)
    }

    fn is_split(&self, index: usize) -> bool {
        self.split && self.free.binary_search(&index).is_ok()
    }

    /// The LCP variables that are basic by the marks of the original problem.
    #[track_caller]
    pub(crate) fn basic(&self, marks: &[BasisMark]) -> Vec<bool> {
        assert_eq!(
            marks.len(),
            self.at_bounds.len(),
            "the starting basis must have one mark per variable"
        );
        let mut basic = vec![false; self.len()];
        for (i, v) in self.variables.iter().enumerate() {
            let mark = marks[v.index];
            match self.upper[i] {
                Some(s) => {
                    basic[i] = mark != BasisMark::AtLower;
                    basic[s] = mark == BasisMark::AtUpper;
                }
                None => {
                    basic[i] =
                        mark == BasisMark::Basic && !(self.is_split(v.index) && v.sign < 0.0);
                }
            }
        }
        for (basic, exchanged) in basic.iter_mut().zip(&self.exchanged) {
            *basic ^= exchanged;
        }
        basic
    }
}

/// Variables at a bound, then, if the free ones must be split, their positive and negative parts.
fn shifted_variables(view: &LinearView<'_>, free: &[usize], split: bool) -> Vec<Shifted> {
    let bounded = (0..view.len()).filter_map(|index| match view.interval(index) {
        (l, u) if l >= u => None,
        (l, _) if l.is_finite() => Some(Shifted {
            index,
            sign: 1.0,
            bound: l,
        }),
        (_, u) if u.is_finite() => Some(Shifted {
            index,
            sign: -1.0,
            bound: u,
        }),
        _ => None,
    });
    let parts = free.iter().filter(|_| split).flat_map(|&index| {
        [1.0, -1.0].map(|sign| Shifted {
            index,
            sign,
            bound: 0.0,
        })
    });
    bounded.chain(parts).collect()
}

/// The factorised block of some rows and columns.
#[derive(Debug)]
pub(crate) struct FreeBlock {
    lu: DenseLu,
    row: Vec<f64>,
    col: Vec<f64>,
}

impl FreeBlock {
    /// rhs ← block⁻¹ rhs, by rows with `columns` columns.
    pub(crate) fn solve(&self, rhs: &mut [f64], columns: usize) {
        for (rhs, r) in rhs.chunks_exact_mut(columns).zip(&self.row) {
            scale(rhs, *r);
        }
        self.lu.solve(rhs, columns);
        for (rhs, c) in rhs.chunks_exact_mut(columns).zip(&self.col) {
            scale(rhs, *c);
        }
    }
}

/// Scales and factorises the block of `indices` of an n × n matrix stored by rows; `None` if it is singular.
pub(crate) fn factor_block(
    dense: &[f64],
    n: usize,
    indices: &[usize],
    singular_tolerance: f64,
) -> Option<FreeBlock> {
    let k = indices.len();
    let by_rows: Vec<f64> = indices
        .iter()
        .flat_map(|&i| indices.iter().map(move |&j| dense[i * n + j]))
        .collect();
    let (row, col) = equilibrate(k, &by_rows);
    let by_columns = (0..k * k)
        .map(|e| by_rows[e % k * k + e / k] * row[e % k] * col[e / k])
        .collect();
    let lu = DenseLu::new(k, by_columns).filter(|lu| lu.pivot_ratio() > singular_tolerance)?;
    Some(FreeBlock { lu, row, col })
}
