//! A run: many steps, a recorder, a summary.

use std::ops::ControlFlow;

use signorini_dynamics::{Energy, State, System};

use crate::{
    report::StepReport,
    step::check_energy,
    stepper::{StepError, Stepper},
};

/// Told of the initial state (without a report) and of every step.
pub trait Recorder {
    /// Looks at the state after a step; `ControlFlow::Break` ends the run.
    fn record(
        &mut self,
        system: &dyn System,
        state: &State,
        report: Option<&StepReport>,
    ) -> ControlFlow<()>;
}

impl Recorder for () {
    fn record(&mut self, _: &dyn System, _: &State, _: Option<&StepReport>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

impl<F: FnMut(&dyn System, &State, Option<&StepReport>) -> ControlFlow<()>> Recorder for F {
    fn record(
        &mut self,
        system: &dyn System,
        state: &State,
        report: Option<&StepReport>,
    ) -> ControlFlow<()> {
        self(system, state, report)
    }
}

/// How far to run, and in what steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Run {
    /// Time step, s. The last step is shorter if `until` is not a whole number of steps away.
    pub h: f64,
    /// Time at which to end, s. Nothing happens if the state is already there.
    pub until: f64,
}

/// Fraction of a step below which a remainder counts as rounding of the accumulated time, not as a step of its own.
const TIME_ROUNDING: f64 = 1e-6;

impl Run {
    /// Length of the next step from time t, none if the run is over.
    fn next_step(&self, t: f64) -> Option<f64> {
        let left = self.until - t;
        if left <= TIME_ROUNDING * self.h {
            None
        } else if left < (1.0 - TIME_ROUNDING) * self.h {
            Some(left)
        } else {
            Some(self.h)
        }
    }

    /// Number of steps from time t to the end, for a progress display.
    pub fn steps_from(&self, t: f64) -> usize {
        let steps = ((self.until - t) / self.h - TIME_ROUNDING).ceil().max(0.0);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a count, at least 0"
        )]
        {
            steps as usize
        }
    }
}

/// A run in a few numbers.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct RunSummary {
    /// Steps made.
    pub steps: usize,
    /// Whether the recorder ended the run early.
    pub stopped: bool,
    /// Pivots over all steps.
    pub pivots: usize,
    /// Largest number of unknowns of a complementarity problem.
    pub largest_lcp: usize,
    /// Largest scaled residual of a step.
    pub worst_residual: f64,
    /// Largest penetration at the end of a step, m; 0 if there was none.
    pub worst_penetration: f64,
    /// Steps whose fixed point did not settle, or that could not put right what penetrates.
    pub unconverged_steps: usize,
    /// Largest rise of the total energy in a step beyond what compressions in the step before have stored, J; 0 if it never
    /// rose so. Beyond rounding it is the work of applied wrenches, motors and driven bodies, of a correction of penetration, or
    /// of rebounds under Newton's law.
    pub largest_energy_gain: f64,
    /// Largest part by which coefficients of restitution were lowered in a step, see [`StepReport::restitution_cut`].
    pub largest_restitution_cut: f64,
    /// Energy at the start.
    pub energy_start: Energy,
    /// Energy at the end.
    pub energy_end: Energy,
    /// Momentum at the start: linear (N s), then angular about the world origin (N m s).
    pub momentum_start: Vec<f64>,
    /// Momentum at the end.
    pub momentum_end: Vec<f64>,
}

/// Steps `state` until `run.until`.
///
/// Going on from a saved state gives the same bits as one run, if `run` is the same.
///
/// # Errors
/// The first [`StepError`]; `state` is then that before the failed step.
pub fn simulate(
    system: &dyn System,
    stepper: &mut dyn Stepper,
    state: &mut State,
    run: Run,
    recorder: &mut dyn Recorder,
) -> Result<RunSummary, StepError> {
    if !(run.h > 0.0 && run.h.is_finite()) {
        return Err(StepError::TimeStep { h: run.h });
    }
    if run.until > state.t && run.until - run.h >= run.until {
        return Err(StepError::LostStep {
            t: run.until,
            h: run.h,
        });
    }
    state.validate(system)?;
    let energy = system.energy(&state.q, &state.v);
    check_energy(system, state, energy.total())?;
    let mut summary = RunSummary {
        steps: 0,
        stopped: recorder.record(system, state, None).is_break(),
        pivots: 0,
        largest_lcp: 0,
        worst_residual: 0.0,
        worst_penetration: 0.0,
        unconverged_steps: 0,
        energy_start: energy,
        energy_end: energy,
        largest_energy_gain: 0.0,
        largest_restitution_cut: 0.0,
        momentum_start: system.momentum(&state.q, &state.v),
        momentum_end: Vec::new(),
    };
    while !summary.stopped {
        let Some(h) = run.next_step(state.t) else {
            break;
        };
        // What compressions have taken is given back, and no gain.
        let stored: f64 = state.memory.iter().map(|m| m.stored).sum();
        let report = stepper.step(system, state, h, &mut ())?;
        summary.steps += 1;
        summary.pivots += report.pivots;
        summary.largest_lcp = summary.largest_lcp.max(report.lcp_size);
        summary.worst_residual = summary.worst_residual.max(report.residual);
        summary.worst_penetration = summary
            .worst_penetration
            .max(-report.worst_gap.unwrap_or(0.0));
        summary.unconverged_steps += usize::from(!report.converged);
        let gain = report.energy_after.total() - report.energy_before.total() - stored;
        summary.largest_energy_gain = summary.largest_energy_gain.max(gain);
        let cut = &mut summary.largest_restitution_cut;
        *cut = cut.max(report.restitution_cut);
        summary.energy_end = report.energy_after;
        summary.stopped = recorder.record(system, state, Some(&report)).is_break();
    }
    summary.momentum_end = system.momentum(&state.q, &state.v);
    Ok(summary)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_step_is_shorter_only_if_it_must_be() {
        let run = Run { h: 0.1, until: 1.0 };
        assert_eq!(run.next_step(0.0), Some(0.1));
        // Ten accumulated steps of 0.1 stop short of 1 by a rounding error, which is no step.
        assert_eq!(run.next_step((0..10).fold(0.0, |t, _| t + 0.1)), None);
        assert_eq!(run.next_step(0.95), Some(1.0 - 0.95));
        assert_eq!(
            (
                run.steps_from(0.0),
                run.steps_from(0.95),
                run.steps_from(2.0)
            ),
            (10, 1, 0)
        );
    }
}
