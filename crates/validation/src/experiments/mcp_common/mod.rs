//! What the experiments on nonlinear complementarity problems share: a judge that owes the solvers nothing, the record
//! of PATH, and where the claims come from.

mod judge;
mod record;

pub(super) use judge::{Judgement, judge};
pub(super) use record::{Record, records};

use signorini_complementarity::{Path, PathSettings, Solution, Solver, Start};

use crate::experiment::Source;

/// Solved means a natural residual of at most this.
pub(super) const TOLERANCE: f64 = 1e-10;

/// Where the method stands that the claims of the group `mcp` are about.
pub(super) const fn source(item: &'static str) -> Source {
    Source {
        paper: "DF1995",
        item,
        citation: "S. P. Dirkse, M. C. Ferris, The PATH solver: a non-monotone stabilization scheme for mixed \
                   complementarity problems, Optimization Methods and Software 5, 1995, doi:10.1080/10556789508805606",
    }
}

/// The settings that the claims are about.
pub(super) fn path_settings() -> PathSettings {
    PathSettings {
        convergence_tolerance: TOLERANCE,
        ..PathSettings::default()
    }
}

/// Solves a problem from one start.
pub(super) fn solve(
    solver: &mut Path,
    problem: &signorini_benches::PublicMcp,
    start: &[f64],
) -> Solution {
    solver.solve(&problem.model, Start::Point(start))
}
