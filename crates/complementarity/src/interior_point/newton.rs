//! The iterate of the interior-point method and its steps.
//!
//! # References
//! - \[M1992\] S. Mehrotra, On the implementation of a primal-dual interior point method, SIAM J. Optim. 2, 1992.

use super::{InteriorPointSettings, basis_of, mark};
use crate::Basis;
use crate::dense::{Balance, DenseFactor, DenseProblem, power};
use crate::residual::LinearView;

/// A distance to a bound and its multiplier, both > 0; (∞, 0) if there is no bound.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Pair {
    gap: f64,
    dual: f64,
}

impl Pair {
    fn exists(self) -> bool {
        self.gap < f64::INFINITY
    }

    /// Change of the multiplier when the gap changes by `dgap` and the product shall become gap · dual + c.
    fn dual_step(self, dgap: f64, c: f64) -> f64 {
        if self.exists() {
            (c - self.dual * dgap) / self.gap
        } else {
            0.0
        }
    }

    /// The longest step that keeps both ≥ 0.
    fn longest(self, dgap: f64, ddual: f64) -> f64 {
        let limit = |x: f64, dx: f64| if dx < 0.0 { -x / dx } else { f64::INFINITY };
        limit(self.gap, dgap).min(limit(self.dual, ddual))
    }

    fn product_after(self, alpha: f64, dgap: f64, ddual: f64) -> f64 {
        if self.exists() {
            (self.gap + alpha * dgap) * (self.dual + alpha * ddual)
        } else {
            0.0
        }
    }
}

/// A direction: dz, dw, dv.
#[derive(Clone, Debug, Default)]
struct Direction {
    z: Vec<f64>,
    w: Vec<f64>,
    v: Vec<f64>,
}

/// Point and workspace in scaled data.
#[derive(Clone, Debug, Default)]
pub(super) struct Newton {
    problem: DenseProblem,
    factor: DenseFactor,
    z: Vec<f64>,
    lower: Vec<Pair>,
    upper: Vec<Pair>,
    /// M z + q, and Σ|M_ij z_j| + |q_i|.
    f: Vec<f64>,
    size: Vec<f64>,
    /// Scaling of the Newton matrix to a unit diagonal.
    unit: Vec<f64>,
    direction: Direction,
    /// Products dz dw and dz dv of the predictor.
    second_order: Vec<(f64, f64)>,
}

impl Newton {
    /// The starting point: the projection of 0, or of `near`, pushed off its bounds.
    pub(super) fn load(&mut self, view: &LinearView<'_>, near: Option<&[f64]>) {
        let n = view.len();
        self.problem.load(view, Balance::Symmetric);
        self.z.clear();
        self.z.extend((0..n).map(|i| {
            let x = near.map_or(0.0, |z| z[i] / self.problem.col[i]);
            x.max(self.problem.lower[i]).min(self.problem.upper[i])
        }));
        self.normalise();
        let push = if near.is_some() { 1e-2 } else { 1.0 };
        let problem = &self.problem;
        for (i, z) in self.z.iter_mut().enumerate() {
            let (l, u) = (problem.lower[i], problem.upper[i]);
            let margin = (0.5 * (u - l)).min(push);
            *z = z.max(l + margin).min(u - margin);
        }
        problem.evaluate(&self.z, &mut self.f, &mut self.size);
        let pair = |gap: f64, f: f64| Pair {
            gap,
            dual: if gap < f64::INFINITY {
                f.max(push)
            } else {
                0.0
            },
        };
        self.lower.clear();
        self.upper.clear();
        for (i, (z, f)) in self.z.iter().zip(&self.f).enumerate() {
            self.lower.push(pair(z - problem.lower[i], *f));
            self.upper.push(pair(problem.upper[i] - z, -*f));
        }
        self.direction.z.resize(n, 0.0);
        self.direction.w.resize(n, 0.0);
        self.direction.v.resize(n, 0.0);
        self.second_order.resize(n, (0.0, 0.0));
    }

    /// Brings F of the starting point near one: all of q, z and the bounds in another unit.
    fn normalise(&mut self) {
        self.problem.evaluate(&self.z, &mut self.f, &mut self.size);
        let largest = self.f.iter().fold(0.0_f64, |m, f| m.max(f.abs()));
        let unit = power(largest);
        let problem = &mut self.problem;
        for x in [
            &mut problem.q,
            &mut problem.lower,
            &mut problem.upper,
            &mut self.z,
        ] {
            for x in x {
                *x *= unit;
            }
        }
        problem.col.iter_mut().for_each(|c| *c /= unit);
    }

    fn is_fixed(&self, i: usize) -> bool {
        self.problem.lower[i] >= self.problem.upper[i]
    }

    /// F_i − w_i + v_i; nothing for a fixed variable, whose row leaves F free.
    fn residual(&self, i: usize) -> f64 {
        if self.is_fixed(i) {
            0.0
        } else {
            self.f[i] - self.lower[i].dual + self.upper[i].dual
        }
    }

    /// The pairs of variables that can move.
    fn pairs(&self) -> impl Iterator<Item = Pair> {
        let both = (0..self.z.len()).filter(|&i| !self.is_fixed(i));
        both.flat_map(|i| [self.lower[i], self.upper[i]])
            .filter(|p| p.exists())
    }

    /// Mean product of the pairs, 0 without any.
    fn gap(&self) -> f64 {
        let (sum, count) = self
            .pairs()
            .fold((0.0, 0_usize), |(s, c), p| (s + p.gap * p.dual, c + 1));
        sum / count.max(1) as f64
    }

    /// The larger of μ and the residual of the equations, relative to the terms of their rows.
    pub(super) fn measure(&self) -> f64 {
        let relative = |i: usize| self.residual(i).abs() / self.size[i].max(1.0);
        (0..self.z.len()).map(relative).fold(self.gap(), f64::max)
    }

    /// Largest |z|, in units in which F was one at the start.
    pub(super) fn largest(&self) -> f64 {
        self.z.iter().fold(0.0, |m, z| m.max(z.abs()))
    }

    /// The basis of the larger part of each pair.
    pub(super) fn basis(&self) -> Basis {
        basis_of((0..self.z.len()).map(|i| {
            let (l, u) = (self.lower[i], self.upper[i]);
            mark((l.gap, l.dual), (u.gap, u.dual))
        }))
    }

    /// The scaled data.
    pub(super) fn problem(&self) -> &DenseProblem {
        &self.problem
    }

    /// The scaled point.
    pub(super) fn z(&self) -> &[f64] {
        &self.z
    }

    pub(super) fn point(&self, view: &LinearView<'_>) -> Vec<f64> {
        self.problem.unscaled(view, &self.z)
    }

    /// Predictor, corrector and step; its length, or `None` if the matrix is singular. A step that would not be finite
    /// is not taken and has length 0.
    pub(super) fn step(&mut self, settings: &InteriorPointSettings) -> Option<f64> {
        if !self.factorise(settings.regularization) {
            return None;
        }
        // 1. Predictor: all products to zero.
        let mu = self.gap();
        self.second_order.fill((0.0, 0.0));
        self.solve(0.0);
        let alpha = self.longest_step().min(1.0);
        let ratio = self.gap_after(alpha) / mu;
        let centring = if mu > 0.0 { ratio.powi(3) } else { 0.0 };
        // 2. Corrector: with the second-order terms and a little centring.
        let d = &self.direction;
        for (i, second) in self.second_order.iter_mut().enumerate() {
            *second = (d.z[i] * d.w[i], -d.z[i] * d.v[i]);
        }
        self.solve(centring * mu);
        // 3. One length for all, short of the boundary.
        let alpha = (settings.step_fraction * self.longest_step()).min(1.0);
        let d = &self.direction;
        let finite = d.z.iter().chain(&d.w).chain(&d.v).all(|x| x.is_finite());
        if !finite || alpha.is_nan() {
            return Some(0.0);
        }
        self.advance(alpha);
        Some(alpha)
    }

    /// M + diag(w/s + v/t), scaled to a unit diagonal; fixed variables have a row and column of the identity.
    fn factorise(&mut self, regularization: f64) -> bool {
        let n = self.z.len();
        let (problem, lower, upper) = (&self.problem, &self.lower, &self.upper);
        let barrier = |i: usize| match (lower[i], upper[i]) {
            (l, u) if l.exists() || u.exists() => l.dual / l.gap + u.dual / u.gap,
            _ => regularization,
        };
        self.unit.clear();
        self.unit
            .extend((0..n).map(|i| match problem.column(i)[i] + barrier(i) {
                _ if problem.lower[i] >= problem.upper[i] => 0.0,
                d if d > 0.0 => 1.0 / d.sqrt(),
                _ => 1.0,
            }));
        let units = &self.unit;
        let fill = |entries: &mut [f64]| {
            for (j, out) in entries.chunks_exact_mut(n.max(1)).enumerate() {
                let (column, unit) = (problem.column(j), units[j]);
                for ((out, m), other) in out.iter_mut().zip(column).zip(units) {
                    *out = m * other * unit;
                }
                out[j] = match unit {
                    0.0 => 1.0,
                    _ => (column[j] + barrier(j)) * unit * unit,
                };
            }
        };
        fill(self.factor.entries(n));
        if self.problem.symmetric {
            if self.factor.cholesky(0.0) {
                return true;
            }
            fill(self.factor.entries(n));
        }
        self.factor.lu(0.0)
    }

    /// The direction that makes the products `target` less the second-order terms: (M + barrier) dz =
    /// −r + c_l/s − c_u/t, dw = (c_l − w dz)/s, dv = (c_u + v dz)/t.
    fn solve(&mut self, target: f64) {
        let change = |pair: Pair, second: f64| {
            if pair.exists() {
                target - pair.gap * pair.dual - second
            } else {
                0.0
            }
        };
        for i in 0..self.z.len() {
            let (l, u) = (self.lower[i], self.upper[i]);
            let (second_l, second_u) = self.second_order[i];
            let rhs = change(l, second_l) / l.gap - change(u, second_u) / u.gap - self.residual(i);
            self.direction.z[i] = if self.is_fixed(i) {
                0.0
            } else {
                rhs * self.unit[i]
            };
        }
        self.factor.solve(&mut self.direction.z);
        for i in 0..self.z.len() {
            let (l, u) = (self.lower[i], self.upper[i]);
            let (second_l, second_u) = self.second_order[i];
            self.direction.z[i] *= self.unit[i];
            let dz = self.direction.z[i];
            (self.direction.w[i], self.direction.v[i]) = if self.is_fixed(i) {
                (0.0, 0.0)
            } else {
                (
                    l.dual_step(dz, change(l, second_l)),
                    u.dual_step(-dz, change(u, second_u)),
                )
            };
        }
    }

    fn longest_step(&self) -> f64 {
        let d = &self.direction;
        let longest = |i: usize| {
            let l = self.lower[i].longest(d.z[i], d.w[i]);
            l.min(self.upper[i].longest(-d.z[i], d.v[i]))
        };
        (0..self.z.len())
            .filter(|&i| !self.is_fixed(i))
            .map(longest)
            .fold(f64::INFINITY, f64::min)
    }

    fn gap_after(&self, alpha: f64) -> f64 {
        let d = &self.direction;
        let products = |i: usize| {
            self.lower[i].product_after(alpha, d.z[i], d.w[i])
                + self.upper[i].product_after(alpha, -d.z[i], d.v[i])
        };
        let moving = (0..self.z.len()).filter(|&i| !self.is_fixed(i));
        moving.map(products).sum::<f64>() / self.pairs().count().max(1) as f64
    }

    /// The gaps have steps of their own: z − l would lose all digits of a small gap.
    fn advance(&mut self, alpha: f64) {
        let d = &self.direction;
        for i in 0..self.z.len() {
            self.z[i] += alpha * d.z[i];
            self.lower[i].gap += alpha * d.z[i];
            self.lower[i].dual += alpha * d.w[i];
            self.upper[i].gap -= alpha * d.z[i];
            self.upper[i].dual += alpha * d.v[i];
        }
        self.problem.evaluate(&self.z, &mut self.f, &mut self.size);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BasisMark, Bounds, LinearMcp};

    fn loaded(m: &[[f64; 2]], q: [f64; 2], (lower, upper): ([f64; 2], [f64; 2])) -> Newton {
        let bounds = Bounds::new(lower.to_vec(), upper.to_vec()).unwrap();
        let mcp = LinearMcp::from_dense(m, q.to_vec(), bounds).unwrap();
        let mut newton = Newton::default();
        newton.load(&(&mcp).into(), None);
        newton
    }

    /// A full step solves the equations: what is left of the residual is 1 − α of it.
    #[test]
    fn steps_shrink_the_equations_by_their_length() {
        let inf = f64::INFINITY;
        let mut newton = loaded(
            &[[2.0, 1.0], [-1.0, 3.0]],
            [-5.0, 1.0],
            ([0.0, -1.0], [inf, 2.0]),
        );
        let before = [newton.residual(0), newton.residual(1)];
        let alpha = newton.step(&InteriorPointSettings::default()).unwrap();
        assert!(alpha > 0.1 && alpha < 1.0);
        for (i, before) in before.iter().enumerate() {
            assert!((newton.residual(i) - (1.0 - alpha) * before).abs() < 1e-13);
        }
        assert!(newton.pairs().all(|p| p.gap > 0.0 && p.dual > 0.0));
        let z = newton.z[1];
        assert!((newton.lower[1].gap - (z - newton.problem.lower[1])).abs() < 1e-14);
    }

    #[test]
    fn free_and_fixed_variables_have_no_pair_that_counts() {
        let inf = f64::INFINITY;
        let mut newton = loaded(
            &[[2.0, 1.0], [0.0, 1.0]],
            [-4.0, 7.0],
            ([-inf, 1.0], [inf, 1.0]),
        );
        assert_eq!((newton.pairs().count(), newton.gap()), (0, 0.0));
        assert_eq!(newton.step(&InteriorPointSettings::default()), Some(1.0));
        // 2 z₀ + 1 − 4 = 0 up to the regularisation.
        let z = newton.z[0] * newton.problem.col[0];
        assert!((z - 1.5).abs() < 1e-9, "{z}");
        assert_eq!(newton.basis().marks()[0], BasisMark::Basic);
    }
}
