//! States over time, kept in memory.

use std::ops::ControlFlow;

use signorini_dynamics::{State, System};

use crate::{report::StepReport, simulate::Recorder};

/// Records time, q, v and report of every step. Row 0 is the initial state; report k belongs to row k + 1.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Trajectory {
    /// Times, s.
    pub t: Vec<f64>,
    /// Positions at each time.
    pub q: Vec<Vec<f64>>,
    /// Velocities at each time.
    pub v: Vec<Vec<f64>>,
    /// Report of the step that ends at each time but the first.
    pub reports: Vec<StepReport>,
}

impl Trajectory {
    /// Number of recorded states.
    pub fn len(&self) -> usize {
        self.t.len()
    }

    /// Whether nothing is recorded.
    pub fn is_empty(&self) -> bool {
        self.t.is_empty()
    }
}

impl Recorder for Trajectory {
    fn record(
        &mut self,
        _: &dyn System,
        state: &State,
        report: Option<&StepReport>,
    ) -> ControlFlow<()> {
        self.t.push(state.t);
        self.q.push(state.q.clone());
        self.v.push(state.v.clone());
        self.reports.extend(report.cloned());
        ControlFlow::Continue(())
    }
}
