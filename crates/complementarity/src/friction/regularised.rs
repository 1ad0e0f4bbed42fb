//! A friction problem with a proximal term, and plain sweeps on it.
//!
//! ```math
//! u = W r + q + \alpha\, \mathrm{diag}(W)\, (r - c)
//! ```
//!
//! The solution for the centre c is the next point of the proximal point method; α = 0 is the problem itself. The
//! weights diag(W) make α a number without a unit.

use super::cone::ROWS;
use super::maps::Steps;
use super::residual::{SMALLEST_IMPULSE, beyond_rounding, ratio};
use super::view::{BlockMatrix, SolverView};
use super::{FrictionLaw, FrictionProblem, ResidualMeasure};
use crate::Start;

/// Smaller diagonal entries count as this much: rows of nothing still need a weight.
const LEAST_WEIGHT: f64 = 1e-12;

/// Steps of the local projection per visit of a contact.
const LOCAL_STEPS: usize = 5;

/// The problem in blocks and balanced units, with what all methods ask of it.
#[derive(Clone, Debug)]
pub(crate) struct Blocks {
    /// Balanced; see [`SolverView::balanced`].
    pub(crate) view: SolverView,
    pub(crate) matrix: BlockMatrix,
    /// Diagonal of the matrix, at least a little.
    pub(crate) weights: Vec<f64>,
    original: SolverView,
    unit: Vec<f64>,
    judge: Judge,
}

/// What the residuals of a point are relative to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Judge {
    /// |q'|₂ and |q'|_∞.
    norm: f64,
    most: f64,
    /// 1 / mean of the diagonal of W', as in the scaled residual.
    rho: f64,
}

/// The proximal term.
#[derive(Clone, Debug)]
pub(crate) struct Proximal {
    pub(crate) alpha: f64,
    pub(crate) centre: Vec<f64>,
}

impl Blocks {
    pub(crate) fn new(problem: &FrictionProblem) -> Self {
        let original = SolverView::new(problem);
        let (view, unit) = original.balanced();
        let matrix = original.matrix(problem).balanced(&view, &unit);
        let mut weights = Vec::with_capacity(view.len());
        for k in 0..view.blocks() {
            let (d, block) = (view.rows(k).len(), view.diagonal_block(k));
            weights.extend((0..d).map(|i| block[i * d + i].max(LEAST_WEIGHT)));
        }
        Self {
            view,
            matrix,
            weights,
            judge: Judge::new(&original),
            original,
            unit,
        }
    }

    /// The point of a start, in balanced units.
    #[track_caller]
    pub(crate) fn start(&self, start: Start<'_>) -> Vec<f64> {
        let mut r = vec![0.0; self.view.len()];
        if let Start::Point(point) = start {
            r.copy_from_slice(point);
            self.original.scale(&mut r);
            r.iter_mut().zip(&self.unit).for_each(|(r, e)| *r /= e);
        }
        r
    }

    /// The impulses of the problem, from balanced units.
    pub(crate) fn impulses(&self, r: &[f64]) -> Vec<f64> {
        let mut z: Vec<f64> = r.iter().zip(&self.unit).map(|(r, e)| r * e).collect();
        self.original.unscale(&mut z);
        z
    }

    /// Makes the problem of the exact law the convex one whose normal velocities have the shift Σ μ |u_k| of these impulses
    /// for good: it has their answer if they are one.
    pub(crate) fn hold_shift(&mut self, r: &[f64]) {
        let mut u = vec![0.0; r.len()];
        self.velocities_into(&Proximal::none(), r, &mut u);
        for (k, cone) in self.view.cones.iter().enumerate() {
            let rows = self.view.rows(k);
            let shift = cone.shift(self.view.law, &u[rows.clone()]);
            self.view.q[rows.start] += shift;
        }
        self.view.law = FrictionLaw::Convex;
        self.original.law = FrictionLaw::Convex;
    }

    /// out = u.
    pub(crate) fn velocities_into(&self, term: &Proximal, r: &[f64], out: &mut [f64]) {
        self.matrix.velocities_into(&self.view, r, out);
        if term.alpha > 0.0 {
            for (((out, r), c), w) in out.iter_mut().zip(r).zip(&term.centre).zip(&self.weights) {
                *out += term.alpha * w * (r - c);
            }
        }
    }

    /// ρ of the normal and of each disc of block k: the inverses of bounds of the largest eigenvalues.
    pub(crate) fn steps(&self, alpha: f64, k: usize) -> Steps {
        let (d, block) = (self.view.rows(k).len(), self.view.diagonal_block(k));
        let weights = &self.weights[self.view.rows(k)];
        let inverse = |rows: std::ops::Range<usize>| {
            let sum = |i: usize| {
                rows.clone().map(|j| block[i * d + j].abs()).sum::<f64>() + alpha * weights[i]
            };
            let most = rows.clone().map(sum).fold(0.0, f64::max);
            if most > 0.0 { 1.0 / most } else { 1.0 }
        };
        match self.view.cones.get(k) {
            Some(cone) => {
                let [(first, _), (second, _)] = cone.parts();
                [inverse(0..1), inverse(first), inverse(second)]
            }
            None => [inverse(0..1); 3],
        }
    }

    /// ρ of the natural map of block k.
    pub(crate) fn step(&self, alpha: f64, k: usize) -> f64 {
        let (d, block) = (self.view.rows(k).len(), self.view.diagonal_block(k));
        let weights = &self.weights[self.view.rows(k)];
        let sum =
            |i: usize| (0..d).map(|j| block[i * d + j].abs()).sum::<f64>() + alpha * weights[i];
        let most = (0..d).map(sum).fold(0.0, f64::max);
        if most > 0.0 { 1.0 / most } else { 1.0 }
    }

    /// The residual of the problem at a point with velocities u, both in balanced units; see [`Judge::residual`].
    pub(crate) fn residual(&self, measure: ResidualMeasure, (r, u): (&[f64], &[f64])) -> f64 {
        let r: Vec<f64> = r.iter().zip(&self.unit).map(|(r, e)| r * e).collect();
        let u: Vec<f64> = u.iter().zip(&self.unit).map(|(u, e)| u / e).collect();
        self.judge.residual(&self.original, measure, (&r, &u))
    }

    /// One sweep of projected Gauss–Seidel over the blocks in their order, or backwards.
    pub(crate) fn sweep(&self, term: &Proximal, backwards: bool, r: &mut [f64]) {
        let count = self.view.blocks();
        for visit in 0..count {
            let k = if backwards { count - 1 - visit } else { visit };
            self.visit(term, k, r);
        }
    }

    fn visit(&self, term: &Proximal, k: usize, r: &mut [f64]) {
        let rows = self.view.rows(k);
        let d = rows.len();
        let mut free = [0.0; ROWS];
        free[..d].copy_from_slice(&self.view.q[rows.clone()]);
        let mut block = [[0.0; ROWS]; ROWS];
        for (l, entries) in self.matrix.row(k) {
            if l == k {
                block
                    .iter_mut()
                    .zip(entries.chunks_exact(d))
                    .for_each(|(b, e)| b[..d].copy_from_slice(e));
                continue;
            }
            let other = &r[self.view.rows(l)];
            for (free, row) in free.iter_mut().zip(entries.chunks_exact(other.len())) {
                *free += row.iter().zip(other).map(|(w, r)| w * r).sum::<f64>();
            }
        }
        if term.alpha > 0.0 {
            for (i, row) in rows.clone().enumerate() {
                let weight = term.alpha * self.weights[row];
                block[i][i] += weight;
                free[i] -= weight * term.centre[row];
            }
        }
        let own = &mut r[rows];
        let Some(cone) = self.view.cones.get(k) else {
            if block[0][0] > 0.0 {
                own[0] = self.view.equation(k).project(-free[0] / block[0][0]);
            }
            return;
        };
        let rho = self.step(term.alpha, k);
        for _ in 0..LOCAL_STEPS {
            let mut u = free;
            for (u, row) in u.iter_mut().zip(&block).take(d) {
                *u += row.iter().zip(own.iter()).map(|(w, r)| w * r).sum::<f64>();
            }
            u[0] += cone.shift(self.view.law, &u[..d]);
            let mut next = [0.0; ROWS];
            next.iter_mut()
                .zip(own.iter())
                .zip(&u)
                .for_each(|((n, r), u)| *n = r - rho * u);
            cone.project(&mut next[..d]);
            let change: f64 = next
                .iter()
                .zip(own.iter())
                .map(|(n, r)| (n - r).abs())
                .sum();
            let size: f64 = next[..d].iter().map(|n| n.abs()).sum();
            own.copy_from_slice(&next[..d]);
            if change <= 1e-15 * size {
                break;
            }
        }
    }
}

impl Judge {
    pub(crate) fn new(view: &SolverView) -> Self {
        let mean = view.mean_diagonal();
        Self {
            norm: view.q.iter().fold(0.0_f64, |l, q| l.hypot(*q)),
            most: view.q.iter().fold(0.0_f64, |m, q| q.abs().max(m)),
            rho: if mean > 0.0 { 1.0 / mean } else { 1.0 },
        }
    }

    /// The residual of a point with velocities u, as [`FrictionProblem::residuals`](crate::FrictionProblem::residuals)
    /// defines it; ∞ if it is not finite.
    pub(crate) fn residual(
        &self,
        view: &SolverView,
        measure: ResidualMeasure,
        (r, u): (&[f64], &[f64]),
    ) -> f64 {
        let (rho, size) = match measure {
            ResidualMeasure::Relative => (1.0, self.norm),
            ResidualMeasure::Scaled => {
                let impulse = r.iter().fold(0.0_f64, |m, r| r.abs().max(m));
                (
                    self.rho,
                    impulse.max(SMALLEST_IMPULSE * self.rho * self.most),
                )
            }
        };
        let (mut sum, mut most) = (0.0, 0.0_f64);
        let mut all = vec![0.0; r.len()];
        view.natural_map(rho, (r, u), &mut all);
        for k in 0..view.blocks() {
            let (map, u) = (&all[view.rows(k)], &u[view.rows(k)]);
            let cone = view.cones.get(k);
            let dual = rho * cone.map_or(0.0, |cone| cone.dual_distance(view.law, u));
            let length = map.iter().fold(0.0_f64, |l, x| l.hypot(*x));
            if !length.is_finite() {
                return f64::INFINITY;
            }
            let (part, largest) = (
                length.max(dual) / size,
                map.iter().fold(0.0_f64, |m, x| x.abs().max(m)),
            );
            sum += part * part;
            let mut largest = largest.max(dual / (map.len() as f64).sqrt());
            if let (ResidualMeasure::Scaled, Some(cone)) = (measure, cone) {
                largest = beyond_rounding(largest, rho, cone.shifted_size(view.law, u));
            }
            most = most.max(largest);
        }
        match measure {
            ResidualMeasure::Relative if most == 0.0 => 0.0,
            ResidualMeasure::Relative => sum.sqrt(),
            ResidualMeasure::Scaled => ratio(most, size),
        }
    }
}

impl Proximal {
    /// No term: the problem itself.
    pub(crate) fn none() -> Self {
        Self {
            alpha: 0.0,
            centre: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ContactLaws;

    fn slides(law: FrictionLaw) -> FrictionProblem {
        let laws = ContactLaws {
            dimension: 3,
            mu: vec![0.1, 0.8],
            law,
            ..ContactLaws::default()
        };
        let mut w = sprs::TriMat::new((6, 6));
        (0..6).for_each(|i| w.add_triplet(i, i, 1.0 + 0.1 * i as f64));
        w.add_triplet(0, 3, 0.5);
        w.add_triplet(3, 0, 0.5);
        FrictionProblem::from_delassus(&w.to_csr(), vec![-1.0, 3.0, 4.0, -2.0, 0.3, -0.1], laws)
            .unwrap()
    }

    #[test]
    fn sweeps_solve_what_is_easy() {
        for law in [FrictionLaw::Coulomb, FrictionLaw::Convex] {
            let problem = slides(law);
            let blocks = Blocks::new(&problem);
            let mut r = vec![0.0; 6];
            for i in 0..60 {
                blocks.sweep(&Proximal::none(), i % 2 == 1, &mut r);
            }
            let r = blocks.impulses(&r);
            assert!(problem.residuals(&r).relative < 1e-14, "{law:?} {r:?}");
        }
    }

    #[test]
    fn the_residual_is_that_of_the_problem() {
        let problem = slides(FrictionLaw::Coulomb);
        let blocks = Blocks::new(&problem);
        for r in [[0.0; 6], [1.0, -0.3, 0.2, 3.0, 1.0, -1.0]] {
            let mut u = [0.0; 6];
            let residuals = problem.residuals(&r);
            let r = blocks.start(Start::Point(&r));
            blocks.velocities_into(&Proximal::none(), &r, &mut u);
            for measure in [ResidualMeasure::Relative, ResidualMeasure::Scaled] {
                let (a, b) = (blocks.residual(measure, (&r, &u)), residuals.of(measure));
                assert!((a - b).abs() <= 1e-14 * b, "{a} {b}");
            }
        }
        let u = [f64::NAN, 0.0, 0.0, 0.0, 0.0, 0.0];
        assert_eq!(
            blocks.residual(ResidualMeasure::Scaled, (&[0.0; 6], &u)),
            f64::INFINITY
        );
    }

    #[test]
    fn the_centre_attracts() {
        let problem = slides(FrictionLaw::Coulomb);
        let blocks = Blocks::new(&problem);
        let term = Proximal {
            alpha: 1e9,
            centre: vec![1.0, 0.0, 0.05, 2.0, 0.5, 0.5],
        };
        let mut r = vec![0.0; 6];
        (0..20).for_each(|_| blocks.sweep(&term, false, &mut r));
        for (r, c) in r.iter().zip(&term.centre) {
            assert!((r - c).abs() < 1e-7, "{r} {c}");
        }
    }
}
