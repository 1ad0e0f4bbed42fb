//! The iterations.

use std::ops::ControlFlow;

use super::company::Company;
use super::run::Run;
use super::search::Reference;
use crate::lemke::{PathCode, Trail};
use crate::problem::is_short;
use crate::{Phase, Status};

/// First perturbation of the uphill restart, relative to the largest entry of the Jacobian, and how it shrinks.
const UPHILL: f64 = 2.0;
const DECAY: f64 = 0.9;

/// A perturbation is at most this times the residual.
const PROXIMAL: f64 = 0.01;

/// How an attempt ended.
pub(super) enum End {
    /// For good.
    Final(Status),
    /// For this reason; another attempt may do better.
    Failed(Status),
}

impl Run<'_> {
    /// Iterations from the point at hand.
    pub(super) fn iterate(&mut self) -> End {
        let mut reference = Reference::new(self.here.merit, &self.settings);
        let mut company = Company::default();
        let mut checkpoint = self.here.clone();
        let mut proximal = self.settings.proximal_perturbation;
        let mut gradient_steps = 0;
        let mut iteration = 0;
        loop {
            if let Err(status) = self.differentiate() {
                return End::Failed(status);
            }
            let small = self.here.residual <= self.settings.convergence_tolerance;
            if small && company.short {
                return End::Final(Status::Solved);
            }
            let spent = self.stats.pivots >= self.settings.cumulative_iteration_limit;
            if spent && (!small || self.ran_off) {
                return End::Final(Status::IterationLimit);
            }
            let over = iteration >= self.settings.major_iteration_limit;
            if over && (!small || self.ran_off) {
                return End::Failed(Status::IterationLimit);
            }
            if iteration == 0 && self.uphill {
                proximal = UPHILL * self.largest_entry();
            }
            // 1. The path. A small residual is that of a solution if the path is short.
            let (trail, used) = self.generate(iteration, proximal);
            if small {
                if self.is_settled(&trail, used) {
                    return End::Final(Status::Solved);
                }
                self.ran_off = true;
            }
            if company.is_lost(&self.here.z) {
                return End::Failed(Status::NoProgress);
            }
            self.stats.iterations += 1;
            self.stats.pivots += trail.pivots;
            self.compute_gradient();
            // 2. How far to go along it; else back to where the merit was content, else along the gradient.
            let mut found = None;
            if trail.reached > 0.0 {
                found = self.search(&trail, &mut reference);
            }
            let watchdogs_left = reference.watchdogs < self.settings.nms_maximum_watchdogs;
            let (code, step) = match found {
                Some(found) => found,
                None if reference.unwatched > 0 && watchdogs_left => {
                    reference.watchdogs += 1;
                    (reference.unwatched, reference.strict) = (0, true);
                    self.here.assign(&checkpoint);
                    self.differentiated = false;
                    ('W', 0.0)
                }
                None => {
                    gradient_steps += 1;
                    self.stats.gradient_steps += 1;
                    let step = (gradient_steps <= self.settings.gradient_step_limit)
                        .then(|| self.gradient_step(&mut reference));
                    let Some(step) = step.flatten() else {
                        return End::Failed(Status::NoProgress);
                    };
                    ('G', step)
                }
            };
            if !matches!(code, 'D' | 'W') {
                checkpoint.assign(&self.here);
            }
            proximal = if self.uphill {
                DECAY * proximal
            } else {
                proximal.min(PROXIMAL * self.here.residual)
            };
            // A perturbed step is short whatever is ahead.
            let whole = used == 0.0 && !matches!(code, 'G' | 'W') && step >= 1.0;
            company.short = whole && is_short(&self.trial.z, &self.here.z);
            let codes = [letter(trail.code), code];
            let record = self.record(Phase::Major, trail.pivots, step, codes, used);
            if self.tell(iteration + 1, record) == ControlFlow::Break(()) {
                return End::Final(Status::Stopped);
            }
            iteration += 1;
        }
    }

    /// Whether the point at hand, whose residual is small, is a solution: the next step is short, or, where there is
    /// none, F is small beside the terms of its rows.
    fn is_settled(&self, trail: &Trail, used: f64) -> bool {
        match trail.code {
            _ if self.here.residual == 0.0 => !self.ran_off,
            PathCode::Solved if used == 0.0 => is_short(&self.here.z, &trail.z),
            _ => !self.ran_off && !self.runs_off(),
        }
    }
}

fn letter(code: PathCode) -> char {
    match code {
        PathCode::Solved => 'S',
        PathCode::Ray => 'R',
        PathCode::Limit => 'I',
        PathCode::Singular => 'N',
        PathCode::Lost => 'T',
    }
}
