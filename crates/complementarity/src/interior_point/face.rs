//! An exact answer on the face of the iterate, when the block of its active set is singular.
//!
//! ```math
//! (M_{FF} + \delta)\, \Delta z_F = -(M z + q)_F, \qquad z_N \text{ at their bounds}
//! ```
//!
//! # Method
//! The set F of the larger parts is kept, though M_FF is singular where answers form a face. Starting from the iterate,
//! whose z_F are well inside their bounds, proximal steps reach the nearest solution of the rows F: consistent equations
//! need two or three of them, with one factorisation. Indices on the wrong side change their set, as long as they become
//! fewer.

use super::InteriorPointSettings;
use super::newton::Newton;
use crate::dense::{DenseFactor, DenseProblem};
use crate::{Basis, BasisMark};

/// Most rounds of exchanges; each takes one factorisation.
const ROUNDS: usize = 4;

/// Most proximal steps of a round, each with one product; they end earlier when the equations hold to rounding.
const STEPS: usize = 8;

/// Workspace of the search for a point of the face.
#[derive(Clone, Debug, Default)]
pub(super) struct Face {
    factor: DenseFactor,
    marks: Vec<BasisMark>,
    inner: Vec<usize>,
    pub(super) z: Vec<f64>,
    f: Vec<f64>,
    size: Vec<f64>,
    rhs: Vec<f64>,
}

impl Face {
    /// The active set of an exact answer near the iterate, whose scaled point is then `self.z`, or `None`. Counts the
    /// factorisations.
    pub(super) fn settle(
        &mut self,
        newton: &Newton,
        settings: &InteriorPointSettings,
        factorizations: &mut usize,
    ) -> Option<Basis> {
        let problem = newton.problem();
        self.marks.clear();
        self.marks.extend_from_slice(newton.basis().marks());
        self.z.clear();
        self.z.extend_from_slice(newton.z());
        let mut fewest = usize::MAX;
        for _ in 0..ROUNDS.min(settings.crossover_exchanges + 1) {
            self.place(problem);
            *factorizations += 1;
            if !self.factorise(problem, settings.regularization) {
                return None;
            }
            self.approach(problem);
            match self.exchange(problem, settings.feasibility_tolerance) {
                0 if self.z.iter().all(|z| z.is_finite()) => {
                    return Some(Basis::new(self.marks.clone()));
                }
                0 => return None,
                count if count < fewest => fewest = count,
                _ => return None,
            }
        }
        None
    }

    /// Collects F and puts the others at their bounds.
    fn place(&mut self, problem: &DenseProblem) {
        self.inner.clear();
        for (i, (z, mark)) in self.z.iter_mut().zip(&self.marks).enumerate() {
            match mark {
                BasisMark::Basic => self.inner.push(i),
                BasisMark::AtLower => *z = problem.lower[i],
                BasisMark::AtUpper => *z = problem.upper[i],
            }
        }
    }

    fn factorise(&mut self, problem: &DenseProblem, regularization: f64) -> bool {
        let k = self.inner.len();
        let fill = |factor: &mut DenseFactor| {
            let entries = factor.entries(k);
            problem.gather(&self.inner, entries);
            for d in entries.iter_mut().step_by(k + 1) {
                *d += regularization;
            }
        };
        fill(&mut self.factor);
        if problem.symmetric {
            if self.factor.cholesky(0.0) {
                return true;
            }
            fill(&mut self.factor);
        }
        self.factor.lu(0.0)
    }

    /// Proximal steps until the rows F hold to rounding, or no longer come nearer.
    fn approach(&mut self, problem: &DenseProblem) {
        let mut before = f64::INFINITY;
        problem.evaluate(&self.z, &mut self.f, &mut self.size);
        for _ in 0..STEPS {
            self.rhs.clear();
            self.rhs.extend(self.inner.iter().map(|&i| -self.f[i]));
            self.factor.solve(&mut self.rhs);
            for (&i, step) in self.inner.iter().zip(&self.rhs) {
                self.z[i] += step;
            }
            problem.evaluate(&self.z, &mut self.f, &mut self.size);
            let relative = |&i: &usize| self.f[i].abs() / self.size[i].max(f64::MIN_POSITIVE);
            let worst = self.inner.iter().map(relative).fold(0.0, f64::max);
            if worst <= f64::EPSILON || worst.is_nan() || worst > 0.5 * before {
                break;
            }
            before = worst;
        }
    }

    /// Moves the indices on the wrong side to the other set; their number.
    fn exchange(&mut self, problem: &DenseProblem, tolerance: f64) -> usize {
        let slack = tolerance * self.z.iter().fold(0.0_f64, |m, z| m.max(z.abs()));
        let mut count = 0;
        for (i, mark) in self.marks.iter_mut().enumerate() {
            let (l, u, z, f) = (problem.lower[i], problem.upper[i], self.z[i], self.f[i]);
            let other = match mark {
                BasisMark::Basic if l - z > slack => BasisMark::AtLower,
                BasisMark::Basic if z - u > slack => BasisMark::AtUpper,
                BasisMark::AtLower if l < u && f < -tolerance * self.size[i] => BasisMark::Basic,
                BasisMark::AtUpper if l < u && f > tolerance * self.size[i] => BasisMark::Basic,
                _ => continue,
            };
            *mark = other;
            count += 1;
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Lcp;

    /// Every z ≥ 0 of sum 1 is an answer. The iterate is inside of this face and stays there, though the block is singular.
    #[test]
    fn a_singular_block_has_a_nearest_answer() {
        let lcp = Lcp::from_dense(&[[1.0, 1.0], [1.0, 1.0]], vec![-1.0, -1.0]).unwrap();
        let settings = InteriorPointSettings::default();
        let mut newton = Newton::default();
        newton.load(&(&lcp).into(), None);
        while newton.measure() > settings.crossover_gap {
            newton.step(&settings).unwrap();
        }
        let (mut face, mut factorizations) = (Face::default(), 0);
        let basis = face
            .settle(&newton, &settings, &mut factorizations)
            .unwrap();
        assert_eq!(basis.marks(), [BasisMark::Basic; 2]);
        assert_eq!(factorizations, 1);
        let z = newton.problem().unscaled(&(&lcp).into(), &face.z);
        // Two roundings of numbers below one.
        assert!((z[0] + z[1] - 1.0).abs() <= f64::EPSILON);
        assert!(z.iter().all(|z| *z > 0.1), "{z:?}");
    }

    /// A wrong guess is mended by exchanges while they become fewer, and is none without them.
    #[test]
    fn wrong_indices_change_their_set() {
        let lcp = Lcp::from_dense(&[[2.0, 1.0], [1.0, 2.0]], vec![-5.0, -1.0]).unwrap();
        let mut newton = Newton::default();
        newton.load(&(&lcp).into(), None);
        let patient = InteriorPointSettings::default();
        let strict = InteriorPointSettings {
            crossover_exchanges: 0,
            ..patient.clone()
        };
        let (mut face, mut count) = (Face::default(), 0);
        let basis = face.settle(&newton, &patient, &mut count);
        let marks = [BasisMark::Basic, BasisMark::AtLower];
        assert_eq!(basis, Some(Basis::new(marks.to_vec())));
        assert_eq!(face.settle(&newton, &strict, &mut count), None);
    }
}
