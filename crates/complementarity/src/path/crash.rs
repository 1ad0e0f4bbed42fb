//! The crash: projected Newton steps that look for the active set.
//!
//! # References
//! - \[DF1997\] S. P. Dirkse, M. C. Ferris, Crash techniques for large-scale complementarity problems, 1997.

use std::ops::ControlFlow;

use super::run::Run;
use super::settings::{CrashMethod, SearchType};
use crate::lemke::Origin;
use crate::{BasisMark, Phase, Status};

/// A rejected step is shortened by this, as in PATH's public logs, at most so often.
const SHORTER: f64 = 0.8;
const TRIALS: usize = 12;

/// Perturbations of a singular matrix relative to its largest entry.
const PERTURBATIONS: [f64; 3] = [1e-8, 1e-5, 1e-2];

impl Run<'_> {
    /// Steps while they make the merit smaller and change the active set. An error ends the solve.
    pub(super) fn crash(&mut self) -> Result<(), Status> {
        let n = self.problem.len();
        if self.settings.crash_method == CrashMethod::None
            || n < self.settings.crash_minimum_dimension
        {
            return Ok(());
        }
        let record = self.record(Phase::Crash, 0, 0.0, [' ', ' '], 0.0);
        if self.tell(0, record) == ControlFlow::Break(()) {
            return Err(Status::Stopped);
        }
        let mut before: Vec<BasisMark> = Vec::new();
        for iteration in 0..self.settings.crash_iteration_limit {
            if self.here.residual <= self.settings.convergence_tolerance {
                break;
            }
            self.differentiate()?;
            self.here.active(self.problem.bounds(), &mut self.marks);
            let changes = self
                .marks
                .iter()
                .zip(&before)
                .filter(|(a, b)| a != b)
                .count();
            if iteration > 0 && changes < self.settings.crash_nbchange_limit {
                break;
            }
            before.clone_from(&self.marks);
            let Some((newton, proximal)) = self.newton_point() else {
                break;
            };
            let Some(step) = self.crash_search(&newton) else {
                break;
            };
            self.stats.crash_iterations += 1;
            let record = self.record(Phase::Crash, changes, step, [' ', ' '], proximal);
            if self.tell(iteration + 1, record) == ControlFlow::Break(()) {
                return Err(Status::Stopped);
            }
        }
        Ok(())
    }

    /// The solution of the linearised rows that are not held by bounds, and the perturbation that it took.
    fn newton_point(&mut self) -> Option<(Vec<f64>, f64)> {
        let perturbations: &[f64] = if self.settings.crash_perturb {
            &PERTURBATIONS
        } else {
            &[]
        };
        let largest = self.largest_entry();
        for relative in std::iter::once(&0.0).chain(perturbations) {
            let proximal = relative * largest;
            self.linearise(proximal);
            self.stats.factorizations += 1;
            let view = self.model.view(self.problem.bounds());
            let origin = Origin {
                z: &self.here.z,
                f: &self.here.f,
            };
            if let Some(z) = self.pivoting.solve_basis(view, origin, &self.marks)
                && z.iter().all(|z| z.is_finite())
            {
                return Some((z, proximal));
            }
        }
        None
    }

    /// Goes to the first point towards `newton` with a smaller merit; the length of the step, if there is one.
    fn crash_search(&mut self, newton: &[f64]) -> Option<f64> {
        let line = self.settings.crash_searchtype != SearchType::Arc;
        let mut step = 1.0;
        for _ in 0..TRIALS {
            self.trial.z.clone_from(&self.here.z);
            let bounds = self.problem.bounds();
            for (i, (trial, end)) in self.trial.z.iter_mut().zip(newton).enumerate() {
                let end = if line { bounds.project(i, *end) } else { *end };
                *trial += step * (end - *trial);
            }
            self.trial.project(bounds);
            if self.evaluate_trial() && self.trial.merit < self.here.merit {
                self.accept_trial();
                return Some(step);
            }
            step *= SHORTER;
        }
        None
    }
}
