//! Ten thousand small random problems of frictional contact under both laws, by the portfolio.
//!
//! One to eight contacts among up to four bodies and the ground, two to five rows per contact, a third of them redundant;
//! masses over six powers of ten, coefficients of friction from 0 to 10. Every answer is judged by code that the solvers
//! do not share.
//!
//! # References
//! - \[ABH2018\] V. Acary, M. Brémond, O. Huber, On solving contact problems with Coulomb friction: formulations and
//!   numerical comparisons, 2018.

use std::error::Error;
use std::time::Instant;

use rayon::prelude::*;
use signorini_complementarity::{
    FrictionLaw, FrictionMethod, FrictionSettings, ResidualMeasure, collection, solve_friction,
};

use super::friction_common::{scaled_residual, source};
use super::lcp_common::worse;
use crate::experiment::{Effort, Experiment, Progress, Source};
use crate::report::{Column, Report, Sheet, Table};

/// Scaled residual that is asked for.
const TOLERANCE: f64 = 1e-9;
/// Problems of each law: in a full run, in one without a choice, and in a quick one.
const ALL: u64 = 10_000;
const NORMAL: u64 = 1000;
const QUICK: u64 = 300;
/// Problems between two signs of life.
const BATCH: u64 = 100;
/// At most one problem in so many may stay unsolved.
const UNSOLVED: usize = 1000;

/// The random problems.
#[derive(Debug, Clone, Copy)]
pub struct FrictionRandom;

impl Experiment for FrictionRandom {
    fn id(&self) -> &'static str {
        "friction-random"
    }

    fn source(&self) -> Source {
        source("section 3")
    }

    fn title(&self) -> &'static str {
        "Small hostile problems of frictional contact, by the thousand"
    }

    fn run(
        &self,
        effort: Effort,
        progress: &dyn Progress,
    ) -> Result<Report, Box<dyn Error + Send + Sync>> {
        let count = match effort {
            Effort::Quick => QUICK,
            Effort::Normal => NORMAL,
            Effort::Full => ALL,
        };
        let laws = [FrictionLaw::Coulomb, FrictionLaw::Convex];
        let total = laws.len() * usize::try_from(count)?;
        let mut runs = Vec::new();
        for law in laws {
            for first in (0..count).step_by(usize::try_from(BATCH)?) {
                progress.progress(runs.len(), total, &format!("{}, seed {first}", name(law)));
                let seeds = first..count.min(first + BATCH);
                runs.par_extend(seeds.into_par_iter().map(|seed| Run::new(seed, law)));
            }
        }
        progress.progress(total, total, "done");
        Ok(report(&laws, &runs))
    }
}

fn name(law: FrictionLaw) -> &'static str {
    match law {
        FrictionLaw::Coulomb => "Coulomb's law",
        FrictionLaw::Convex => "the convex law",
    }
}

/// What became of a problem.
struct Run {
    seed: u64,
    law: FrictionLaw,
    rows: usize,
    unknowns: usize,
    /// The solver says so.
    solved: bool,
    /// Scaled residual, by the judge.
    residual: f64,
    /// Who was asked last.
    last: FrictionMethod,
    asked: usize,
    seconds: f64,
}

impl Run {
    fn new(seed: u64, law: FrictionLaw) -> Self {
        let problem = collection::random_contacts(seed).with_law(law);
        let settings = FrictionSettings {
            tolerance: TOLERANCE,
            measure: ResidualMeasure::Scaled,
        };
        let start = Instant::now();
        let answer = solve_friction(&problem, &settings);
        Self {
            seed,
            law,
            rows: problem.dimension(),
            unknowns: problem.len(),
            solved: answer.solution.status.is_solved(),
            residual: scaled_residual(&problem, &answer.solution.z),
            last: answer
                .tried
                .last()
                .map_or(answer.method, |(method, _)| *method),
            asked: answer.tried.len(),
            seconds: start.elapsed().as_secs_f64(),
        }
    }

    /// Called solved, and is not: the judge's own rounding is allowed for, and not more.
    fn is_wrong(&self) -> bool {
        let holds = self.residual <= TOLERANCE * (1.0 + 1e-3);
        self.solved && !holds
    }
}

fn report(laws: &[FrictionLaw], runs: &[Run]) -> Report {
    let mut report = Report::default();
    let of = |law: FrictionLaw| runs.iter().filter(move |run| run.law == law);
    let seeds = |runs: &[&Run]| {
        let seeds: Vec<String> = runs
            .iter()
            .map(|run| format!("{} ({:.1e})", run.seed, run.residual))
            .collect();
        if seeds.is_empty() {
            return "no seed".to_owned();
        }
        format!("seeds, with scaled residuals: {}", seeds.join(", "))
    };
    for &law in laws {
        let wrong: Vec<&Run> = of(law).filter(|run| run.is_wrong()).collect();
        let open: Vec<&Run> = of(law).filter(|run| !run.solved).collect();
        report
            .measure(&format!("wrong successes, {}", name(law)), wrong.len())
            .note(seeds(&wrong));
        let few = open.len() * UNSOLVED <= of(law).count();
        report
            .measure(
                &format!("at most one in a thousand unsolved, {}", name(law)),
                few,
            )
            .note(seeds(&open));
        report.remarks.push(format!(
            "Under {}, {} of {} problems stay unsolved, and are said to be.",
            name(law),
            open.len(),
            of(law).count(),
        ));
    }
    report.sheets = vec![sheet(laws, runs)];
    report.tables = vec![table(runs)];
    report
}

/// Who was asked last, and what that took.
fn sheet(laws: &[FrictionLaw], runs: &[Run]) -> Sheet {
    let mut rows = Vec::new();
    for &law in laws {
        let mut groups: Vec<(usize, FrictionMethod)> = runs
            .iter()
            .filter(|run| run.law == law)
            .map(|run| (run.asked, run.last))
            .collect();
        groups.sort_by_key(|(asked, _)| *asked);
        groups.dedup();
        for (asked, last) in groups {
            let chosen = || {
                let ours = runs.iter().filter(move |run| run.law == law);
                ours.filter(move |run| (run.asked, run.last) == (asked, last))
            };
            let worst = chosen().filter(|run| run.solved);
            let worst = worst.fold(0.0, |m, run| worse(m, run.residual));
            rows.push(vec![
                name(law).to_owned(),
                format!("{asked}: {}", last.name()),
                chosen().count().to_string(),
                chosen().filter(|run| run.solved).count().to_string(),
                format!("{worst:.1e}"),
                format!("{:.2}", chosen().map(|run| run.seconds).sum::<f64>()),
            ]);
        }
    }
    let header = [
        "law",
        "asked last",
        "problems",
        "solved",
        "largest residual of them",
        "time of all methods, s",
    ];
    Sheet {
        caption: format!(
            "The methods of the portfolio in their order, to a scaled residual of {TOLERANCE:.0e}; times are of this run"
        ),
        header: header.map(str::to_owned).to_vec(),
        rows,
    }
}

fn table(runs: &[Run]) -> Table {
    let columns = [
        ("seed", ""),
        ("convex", ""),
        ("rows", ""),
        ("unknowns", ""),
        ("solved", ""),
        ("residual", ""),
        ("asked", ""),
        ("time", "s"),
    ];
    let flag = |yes: bool| f64::from(u8::from(yes));
    let row = |run: &Run| {
        vec![
            run.seed as f64,
            flag(run.law == FrictionLaw::Convex),
            run.rows as f64,
            run.unknowns as f64,
            flag(run.solved),
            run.residual,
            run.asked as f64,
            run.seconds,
        ]
    };
    Table {
        name: "random".to_owned(),
        golden: false,
        columns: columns
            .map(|(name, unit)| Column::new(name, unit, 0.0))
            .to_vec(),
        rows: runs.iter().map(row).collect(),
    }
}
