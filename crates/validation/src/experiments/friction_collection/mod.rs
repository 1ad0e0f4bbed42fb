//! The public problems of frictional contact, by every solver that is listed here.
//!
//! Times are for information, they depend on the machine and on what else runs there. Residuals do not.
//!
//! # References
//! - \[ABH2018\] V. Acary, M. Brémond, O. Huber, On solving contact problems with Coulomb friction: formulations and
//!   numerical comparisons, 2018.
//! - \[DM2002\] E. D. Dolan, J. J. Moré, Benchmarking optimization software with performance profiles, Mathematical
//!   Programming 91, 2002.

mod profile;
mod solvers;

use std::error::Error;

use super::friction_common::{PublicFriction, source};
use crate::experiment::{Effort, Experiment, Progress, Source};
use crate::report::{Column, Report, Sheet, Table};
use profile::profiles;
use solvers::{Run, SOLVERS};

/// Relative residuals that are asked for.
const TOLERANCES: [f64; 2] = [1e-4, 1e-8];
/// More unknowns make a large problem, which is left out of a quick run.
const LARGE: usize = 150;
/// The public problems.
#[derive(Debug, Clone, Copy)]
pub struct FrictionCollection;

impl Experiment for FrictionCollection {
    fn id(&self) -> &'static str {
        "friction-collection"
    }

    fn source(&self) -> Source {
        source("sections 5 and 6")
    }

    fn title(&self) -> &'static str {
        "Public problems of frictional contact"
    }

    fn run(
        &self,
        effort: Effort,
        progress: &dyn Progress,
    ) -> Result<Report, Box<dyn Error + Send + Sync>> {
        let mut problems = PublicFriction::all()?;
        if effort == Effort::Quick {
            problems.retain(|problem| problem.problem.len() <= LARGE);
        }
        let mut runs = Vec::new();
        for (number, problem) in problems.iter().enumerate() {
            progress.progress(number, problems.len(), &problem.name);
            for tolerance in TOLERANCES {
                for solver in 0..SOLVERS.len() {
                    runs.push(Run::new(problem, solver, tolerance));
                }
            }
        }
        progress.progress(problems.len(), problems.len(), "done");
        Ok(report(&problems, &runs))
    }
}

fn report(problems: &[PublicFriction], runs: &[Run]) -> Report {
    let mut report = Report::default();
    let names = |chosen: Vec<&Run>| {
        let names: Vec<_> = chosen.iter().map(|run| run.label()).collect();
        names.join(", ")
    };
    let wrong: Vec<_> = runs.iter().filter(|run| run.is_wrong()).collect();
    report
        .measure("wrong successes", wrong.len())
        .note(names(wrong));
    let portfolio = |run: &&Run| run.solver == 0 && run.tolerance <= TOLERANCES[1];
    let open: Vec<_> = runs
        .iter()
        .filter(portfolio)
        .filter(|run| !run.solved)
        .collect();
    report
        .measure(
            "problems that the portfolio does not solve to 1e-8",
            open.len(),
        )
        .note(names(open));
    let solved = runs
        .iter()
        .filter(portfolio)
        .filter(|run| run.solved)
        .count();
    report.remarks.push(format!(
        "The portfolio solves {solved} of {} problems to a relative residual of 1e-8.",
        problems.len(),
    ));
    report.sheets = vec![sheet(problems, runs)];
    report.tables = vec![table(runs)];
    for tolerance in TOLERANCES {
        let name = if tolerance > TOLERANCES[1] {
            "profile_1e-4"
        } else {
            "profile_1e-8"
        };
        report.plate(
            name,
            &format!(
                "Part of the problems that a solver brings to a relative residual of {tolerance:.0e} within a multiple of \
                 the time of the fastest one, in this run."
            ),
            profiles(tolerance, runs),
        );
    }
    report
}

fn sheet(problems: &[PublicFriction], runs: &[Run]) -> Sheet {
    let mut header: Vec<_> = ["problem", "D", "contacts", "published"]
        .map(str::to_owned)
        .to_vec();
    for solver in SOLVERS {
        header.push(format!("{}: residual", solver.name));
        header.push("iterations".to_owned());
        header.push("time, s".to_owned());
    }
    let row = |problem: &PublicFriction| {
        let mut row = vec![
            problem.name.clone(),
            problem.problem.dimension().to_string(),
            problem.problem.contact_count().to_string(),
            problem
                .published
                .map_or(String::new(), |r| format!("{r:.0e}")),
        ];
        let tight = |run: &&Run| run.problem == problem.name && run.tolerance <= TOLERANCES[1];
        for run in runs.iter().filter(tight) {
            row.push(format!("{:.1e}", run.residual));
            row.push(run.iterations.to_string());
            row.push(format!("{:.4}", run.seconds));
        }
        row
    };
    Sheet {
        caption: "Relative residuals reached when 1e-8 is asked for; times are of this run"
            .to_owned(),
        header,
        rows: problems.iter().map(row).collect(),
    }
}

fn table(runs: &[Run]) -> Table {
    let columns = [
        ("solver", ""),
        ("tolerance", ""),
        ("unknowns", ""),
        ("residual", ""),
        ("solved", ""),
        ("iterations", ""),
        ("time", "s"),
    ];
    let row = |run: &Run| {
        vec![
            run.solver as f64,
            run.tolerance,
            run.unknowns as f64,
            run.residual,
            f64::from(u8::from(run.solved)),
            run.iterations as f64,
            run.seconds,
        ]
    };
    Table {
        name: "runs".to_owned(),
        golden: false,
        columns: columns
            .map(|(name, unit)| Column::new(name, unit, 0.0))
            .to_vec(),
        rows: runs.iter().map(row).collect(),
    }
}
