//! The basis of sparse Lemke pivoting, with its values, bounds and directions.
//!
//! ```math
//! M z + d\, t - s = -q, \qquad 0 \le z \le u, \quad s_i \ge 0 \text{ if } z_i = 0, \quad s_i \le 0 \text{ if } z_i = u_i
//! ```
//!
//! # Method
//! The column d of the artificial variable t is dense, and t changes in almost every pivot. So it is kept out of the
//! factors: where t is basic, B' has another column instead, the ghost, so that B'⁻¹a stays sparse, and the true
//! direction is, with y = B'⁻¹d and p the position of t,
//!
//! ```math
//! \alpha = \alpha' - y\, \alpha'_p / y_p \ (\text{rows} \ne p), \qquad \alpha_p = \alpha'_p / y_p
//! ```
//!
//! A pivot either puts the entering column into the place of the leaving one and keeps the ghost, or puts it into the
//! place of the ghost and lets the leaving column be the next ghost; the larger of the two pivots of B' decides. In a
//! problem with positive principal minors the second is a principal pivot, always possible.
//!
//! Ties are resolved as in the dense tableau, by a perturbation without pattern, then lexicographically in the columns
//! of the starting basis, which are computed only for the rows still tied.
//!
//! # References
//! - \[CPS1992\] R. W. Cottle, J.-S. Pang, R. E. Stone, The Linear Complementarity Problem, 1992, sections 4.4, 4.5, 4.9.
//! - \[CF1996\] M. Cao, M. C. Ferris, A pivotal method for affine variational inequalities, Mathematics of Operations
//!   Research 21, 1996.

mod ratio;
mod regular;
mod start;

pub(super) use self::regular::Departure;
pub(super) use self::start::Singular;

use super::data::SparseProblem;
use super::factors::Factors;
use crate::BasisMark;
use crate::lemke::LemkeSettings;
use crate::linalg::scale;

const NONBASIC: usize = usize::MAX;

/// A pivot of B' ≤ this times the largest entry of its column is not updated with: another ghost is sought.
const SMALL_PIVOT: f64 = 1e-7;

/// Numbering of the variables: s_i = i, z_i = n + i, t = 2n.
#[derive(Clone, Debug)]
pub(super) struct Dictionary<'a> {
    data: &'a SparseProblem,
    n: usize,
    factors: Factors,
    /// Basic variable of each position, and position of each variable.
    head: Vec<usize>,
    position: Vec<usize>,
    /// Whether a nonbasic z_i stands at its upper bound, or did when s_i became basic.
    at_upper: Vec<bool>,
    covering: Vec<f64>,
    perturbation: Vec<f64>,
    /// Basic variables at the start and the sign of their perturbation: the columns of the lexicographic rule.
    start: Vec<(usize, f64)>,
    artificial: Option<usize>,
    /// y = B'⁻¹ d.
    artificial_column: Vec<f64>,
    /// Values, bounds, perturbations and sizes of what they were computed from, by position.
    x: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    shift: Vec<f64>,
    size: Vec<f64>,
    /// α' of the entering variable, and the rates of the basic variables as it moves inwards.
    column: Vec<f64>,
    rate: Vec<f64>,
    largest_rate: f64,
    scratch: Vec<f64>,
    ties: Vec<usize>,
    /// Whether the values come from the data and not from pivots.
    fresh: bool,
    /// Whether the last pivot of B' was too small to go on with.
    fragile: bool,
}

/// What stops the entering variable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Block {
    /// The basic variable of this position, after this step, with the relative size of its pivot.
    Basic(usize, f64, f64),
    /// Its own other bound.
    Flip,
    Nothing,
    /// Something that rounding hides.
    Unclear,
}

impl Dictionary<'_> {
    pub(super) fn t(&self) -> usize {
        2 * self.n
    }

    pub(super) fn is_basic(&self, variable: usize) -> bool {
        self.position[variable] != NONBASIC
    }

    pub(super) fn complement(&self, variable: usize) -> usize {
        if variable < self.n {
            variable + self.n
        } else {
            variable - self.n
        }
    }

    /// Value of t, 0 if it is nonbasic.
    pub(super) fn artificial(&self) -> f64 {
        self.artificial.map_or(0.0, |p| self.x[p])
    }

    /// Whether t is basic with a value that is zero up to rounding.
    pub(super) fn artificial_vanished(&self, tie: f64) -> bool {
        self.artificial
            .is_some_and(|p| self.x[p] <= tie * self.size[p])
    }

    pub(super) fn updates(&self) -> usize {
        self.factors.updates()
    }

    /// Whether the basis should be factorised anew.
    pub(super) fn is_worn(&self, interval: usize) -> bool {
        self.fragile || self.factors.updates() >= interval || self.factors.is_worn()
    }

    /// Where each variable stands.
    pub(super) fn standing(&self) -> Vec<BasisMark> {
        let mark = |i: usize| match (self.is_basic(self.n + i), self.at_upper[i]) {
            (true, _) => BasisMark::Basic,
            (false, true) => BasisMark::AtUpper,
            (false, false) => BasisMark::AtLower,
        };
        (0..self.n).map(mark).collect()
    }

    /// y of the scaled problem, within its bounds.
    pub(super) fn point(&self) -> Vec<f64> {
        let value = |i: usize| match self.position[self.n + i] {
            NONBASIC if self.at_upper[i] => self.data.upper[i],
            NONBASIC => 0.0,
            p if self.data.free[i] => self.x[p],
            p => self.x[p].clamp(0.0, self.data.upper[i]),
        };
        (0..self.n).map(value).collect()
    }

    /// Rates of z, s and t as the entering variable grows without end.
    pub(super) fn ray(&self, entering: usize) -> (Vec<f64>, Vec<f64>, f64) {
        let own = |v: usize| if v == entering { self.inwards(v) } else { 0.0 };
        let rate = |v: usize| match self.position[v] {
            NONBASIC => own(v),
            p => self.rate[p],
        };
        let z = (0..self.n).map(|i| rate(self.n + i)).collect();
        let s = (0..self.n).map(rate).collect();
        (z, s, rate(2 * self.n))
    }

    /// 1 if a nonbasic variable can grow, −1 if it can fall.
    fn inwards(&self, variable: usize) -> f64 {
        let i = variable % self.n;
        if self.at_upper[i] { -1.0 } else { 1.0 }
    }

    fn column_of(&self, variable: usize, mut visit: impl FnMut(usize, f64)) {
        if variable < self.n {
            visit(variable, -1.0);
        } else if variable == 2 * self.n {
            self.covering
                .iter()
                .enumerate()
                .for_each(|(i, d)| visit(i, *d));
        } else {
            self.data
                .column(variable - self.n)
                .for_each(|(i, m)| visit(i, m));
        }
    }

    /// out ← B x.
    fn multiply_basis(&self, x: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for (&v, &x) in self.head.iter().zip(x) {
            if x != 0.0 {
                self.column_of(v, |i, a| out[i] += a * x);
            }
        }
    }

    /// Factorises the basis. On failure, the indices of the basic z that depend on the others.
    fn factor(&mut self) -> Result<(), Vec<usize>> {
        let n = self.n;
        let tight: Vec<usize> = (0..n).filter(|&i| !self.is_basic(i)).collect();
        let inner: Vec<usize> = (0..n).filter(|&i| self.is_basic(n + i)).collect();
        let has_artificial = self.is_basic(2 * n);
        let mut positions = Vec::with_capacity(tight.len());
        self.factors
            .refresh(self.data, &tight, &inner, &mut positions)?;
        let columns = inner
            .iter()
            .map(|j| n + j)
            .chain(has_artificial.then_some(2 * n));
        for (i, position) in self.position[..n].iter_mut().enumerate() {
            if *position != NONBASIC {
                (self.head[i], *position) = (i, i);
            }
        }
        for (&p, v) in positions.iter().zip(columns) {
            (self.head[p], self.position[v]) = (v, p);
        }
        self.artificial = has_artificial.then(|| self.position[2 * n]);
        for p in 0..n {
            (self.lower[p], self.upper[p]) = self.bounds(self.head[p]);
        }
        Ok(())
    }

    fn bounds(&self, variable: usize) -> (f64, f64) {
        let n = self.n;
        match variable {
            v if v == 2 * n => (0.0, f64::INFINITY),
            v if v >= n && self.data.free[v - n] => (f64::NEG_INFINITY, f64::INFINITY),
            v if v >= n => (0.0, self.data.upper[v - n]),
            v if self.at_upper[v] => (f64::NEG_INFINITY, 0.0),
            _ => (0.0, f64::INFINITY),
        }
    }

    /// out ← B⁻¹ b, with t in its place, right after a factorisation or later.
    fn solve(&mut self, b: &[f64], out: &mut [f64]) {
        self.factors.solve(b.iter().copied().enumerate(), out);
        self.border(out);
    }

    fn border(&self, out: &mut [f64]) {
        if let Some(p) = self.artificial {
            let c = out[p] / self.artificial_column[p];
            for (out, y) in out.iter_mut().zip(&self.artificial_column) {
                *out -= c * y;
            }
            out[p] = c;
        }
    }

    /// x = B⁻¹ (−q − Σ u_j M_j), refined once, and its sizes.
    fn compute_values(&mut self) {
        let n = self.n;
        let mut b: Vec<f64> = self.data.q.iter().map(|q| -q).collect();
        for j in (0..n).filter(|&j| self.at_upper[j] && !self.is_basic(n + j)) {
            for (i, m) in self.data.column(j) {
                b[i] -= m * self.data.upper[j];
            }
        }
        let mut x = std::mem::take(&mut self.x);
        self.solve(&b, &mut x);
        let (mut product, mut correction) = (vec![0.0; n], vec![0.0; n]);
        self.multiply_basis(&x, &mut product);
        b.iter_mut().zip(&product).for_each(|(b, p)| *b -= p);
        self.solve(&b, &mut correction);
        x.iter_mut().zip(&correction).for_each(|(x, c)| *x += c);
        self.x = x;
        self.fresh = true;
    }

    /// Sets sizes: none is below the size at which `tie` means a few roundings of the largest value.
    pub(super) fn measure(&mut self, tie: f64) {
        let largest = self.x.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let floor = 16.0 * f64::EPSILON * largest / tie.max(f64::EPSILON);
        for ((size, x), &v) in self.size.iter_mut().zip(&self.x).zip(&self.head) {
            let own = if v < self.n {
                self.data.q[v].abs()
            } else {
                0.0
            };
            *size = x.abs().max(own).max(floor);
        }
    }

    /// Factors and values fresh from the data, if they are not, with t out of the basis; `None` if that is singular. For
    /// the end of a path.
    pub(super) fn renew(&mut self) -> Option<()> {
        let n = self.n;
        if let Some(p) = self.artificial.take() {
            self.position[2 * n] = NONBASIC;
            let pair = (0..n).find(|&i| !self.is_basic(i) && !self.is_basic(n + i));
            self.position[pair?] = p;
        } else if self.fresh {
            return Some(());
        }
        self.factor().ok()?;
        self.compute_values();
        Some(())
    }

    /// Gives the memory of the factors back.
    pub(super) fn into_factors(self) -> Factors {
        self.factors
    }

    /// Recomputes everything from the data; false if the basis is singular or a value is outside of its bounds by more
    /// than `lost_tolerance`.
    pub(super) fn refactor(&mut self, settings: &LemkeSettings) -> bool {
        self.fragile = false;
        if self.factor().is_err() {
            return false;
        }
        let covering = self.covering.iter().copied().enumerate();
        self.factors.solve(covering, &mut self.artificial_column);
        let largest = self
            .artificial_column
            .iter()
            .fold(0.0_f64, |m, y| m.max(y.abs()));
        if let Some(p) = self.artificial {
            let pivot = self.artificial_column[p].abs();
            // NaN is lost, too.
            if !(pivot > settings.singular_tolerance * largest && largest.is_finite()) {
                return false;
            }
        }
        self.compute_values();
        self.measure(settings.tie_tolerance);
        let mut shift = std::mem::take(&mut self.shift);
        let perturbation = std::mem::take(&mut self.perturbation);
        self.solve(&perturbation, &mut shift);
        (self.shift, self.perturbation) = (shift, perturbation);
        let mut kept = true;
        for p in 0..self.n {
            let clipped = self.x[p].max(self.lower[p]).min(self.upper[p]);
            kept &= (clipped - self.x[p]).abs() <= settings.lost_tolerance * self.size[p];
            self.x[p] = clipped;
        }
        kept
    }

    /// Remembers at which bound a leaving z stands.
    fn note_bound(&mut self, p: usize, variable: usize) {
        if variable >= self.n && variable < 2 * self.n {
            let i = variable - self.n;
            self.at_upper[i] = self.x[p] > 0.5 * self.data.upper[i];
        }
    }

    fn place(&mut self, variable: usize, p: usize, x: f64, shift: f64) {
        (self.head[p], self.position[variable]) = (variable, p);
        (self.x[p], self.shift[p]) = (x, shift);
        (self.lower[p], self.upper[p]) = self.bounds(variable);
        self.size[p] = self.size[p].max(x.abs());
    }

    /// Moves all basic values by `step` along their rates, and perturbations by `shift`.
    fn advance(&mut self, step: f64, shift: f64, tie: f64) {
        self.fresh = false;
        let bounds = self.lower.iter().zip(&self.upper);
        let values = self.x.iter_mut().zip(&mut self.shift).zip(&mut self.size);
        for ((((x, shifted), size), (&lower, &upper)), rate) in values.zip(bounds).zip(&self.rate) {
            let change = step * rate;
            let moved = *x + change;
            *shifted += shift * rate;
            *size = size.max(change.abs());
            let clipped = moved.max(lower).min(upper);
            *x = if (clipped - moved).abs() <= tie * *size {
                clipped
            } else {
                moved
            };
        }
    }

    /// Computes the direction of a nonbasic variable that moves inwards.
    pub(super) fn price(&mut self, entering: usize) {
        let n = self.n;
        let mut column = std::mem::take(&mut self.column);
        if entering < n {
            self.factors
                .solve_entering(std::iter::once((entering, -1.0)), &mut column);
        } else {
            self.factors
                .solve_entering(self.data.column(entering - n), &mut column);
        }
        let sign = -self.inwards(entering);
        let share = self
            .artificial
            .map(|p| column[p] / self.artificial_column[p]);
        let c = share.unwrap_or(0.0);
        let mut largest = 0.0_f64;
        let entries = column.iter().zip(&self.artificial_column);
        for (rate, (a, y)) in self.rate.iter_mut().zip(entries) {
            *rate = sign * (a - c * y);
            largest = largest.max(rate.abs());
        }
        if let Some(p) = self.artificial {
            self.rate[p] = sign * c;
            largest = largest.max(c.abs());
        }
        self.largest_rate = largest;
        self.column = column;
    }

    /// Refines the direction that was computed last: α += B⁻¹ (a − B α). For directions with small pivots, which may be
    /// rounding errors of an ill-conditioned basis.
    pub(super) fn refine(&mut self, entering: usize) {
        let sign = -self.inwards(entering);
        let mut rest = vec![0.0; self.n];
        let rate = std::mem::take(&mut self.rate);
        self.multiply_basis(&rate, &mut rest);
        scale(&mut rest, -sign);
        self.column_of(entering, |i, a| rest[i] += a);
        let mut correction = std::mem::take(&mut self.scratch);
        self.solve(&rest, &mut correction);
        self.rate = rate;
        self.largest_rate = 0.0;
        for (rate, correction) in self.rate.iter_mut().zip(&correction) {
            *rate += sign * correction;
            self.largest_rate = self.largest_rate.max(rate.abs());
        }
        self.scratch = correction;
    }

    /// Moves the entering z to its other bound.
    pub(super) fn flip(&mut self, entering: usize, tie: f64) {
        let i = entering - self.n;
        self.advance(self.data.upper[i], 0.0, tie);
        self.at_upper[i] = !self.at_upper[i];
    }

    /// Exchanges the basic variable of position p with the entering one after `step`; the variable that left.
    pub(super) fn pivot(&mut self, p: usize, step: f64, entering: usize, tie: f64) -> usize {
        let inwards = self.inwards(entering);
        let from = match entering.checked_sub(self.n) {
            Some(i) if self.at_upper[i] => self.data.upper[i],
            _ => 0.0,
        };
        let shift = -self.shift[p] / self.rate[p];
        self.advance(step, shift, tie);
        let leaving = self.head[p];
        self.note_bound(p, leaving);
        self.position[leaving] = NONBASIC;
        let (value, shift) = (from + inwards * step, inwards * shift);
        match self.artificial {
            Some(t) if t == p => {
                // The path ends here: nothing is solved with B' any more.
                self.artificial = None;
                self.place(entering, p, value, shift);
            }
            Some(t) if self.column[t].abs() > self.column[p].abs() => {
                // The leaving column stays in B' as the ghost, and t moves to its position.
                let (x, t_shift) = (self.x[t], self.shift[t]);
                self.update(t);
                self.place(entering, t, value, shift);
                self.place(2 * self.n, p, x, t_shift);
                self.artificial = Some(p);
            }
            _ => {
                self.update(p);
                self.place(entering, p, value, shift);
            }
        }
        leaving
    }

    /// Puts the entering column into this position of B'.
    fn update(&mut self, position: usize) {
        let largest = self.column.iter().fold(0.0_f64, |m, a| m.max(a.abs()));
        self.fragile = self.column[position].abs() <= SMALL_PIVOT * largest;
        if self.fragile {
            return;
        }
        self.fragile = !self.factors.update(position, self.column[position]);
        let y = self.artificial_column[position] / self.column[position];
        for (target, a) in self.artificial_column.iter_mut().zip(&self.column) {
            *target -= a * y;
        }
        self.artificial_column[position] = y;
    }

    /// Exchanges t, basic at zero, with `variable` or its complement, both nonbasic: the basis is then complementary.
    /// Nothing happens if both pivots are ≤ `floor`.
    pub(super) fn drop_artificial(&mut self, variable: usize, floor: f64) {
        let Some(p) = self.artificial else {
            return;
        };
        let mut pivot = [0.0; 2];
        let pair = [variable, self.complement(variable)];
        for (pivot, v) in pivot.iter_mut().zip(pair) {
            self.price(v);
            *pivot = self.rate[p].abs();
        }
        let best = usize::from(pivot[1] > pivot[0]);
        if pivot[best] > floor {
            let v = pair[best];
            let value = match v.checked_sub(self.n) {
                Some(i) if self.at_upper[i] => self.data.upper[i],
                _ => 0.0,
            };
            self.position[2 * self.n] = NONBASIC;
            self.place(v, p, value, 0.0);
            self.artificial = None;
        }
    }
}
