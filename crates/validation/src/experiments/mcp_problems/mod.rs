//! The public problems of `fixtures/problems/mcp` from every start, beside what PATH 4.7 did with them.
//!
//! # References
//! - \[DF1995\] S. P. Dirkse, M. C. Ferris, The PATH solver, Optimization Methods and Software 5, 1995.

mod show;

use std::collections::BTreeMap;
use std::error::Error;
use std::time::Instant;

use rayon::prelude::*;
use signorini_benches::{PublicMcp, ReadError};
use signorini_complementarity::{
    Mcp, Path, Portfolio, PortfolioSettings, SemismoothNewton, SemismoothSettings, Solution,
    Solver, Start, Stats,
};

use super::mcp_common::{
    Judgement, Record, TOLERANCE, judge, path_settings, records, solve, source,
};
use crate::experiment::{Effort, Experiment, Progress, Source};
use crate::report::Report;

/// More variables make a large problem.
const LARGE: usize = 300;

/// The public problems.
#[derive(Debug, Clone, Copy)]
pub struct McpProblems;

impl Experiment for McpProblems {
    fn id(&self) -> &'static str {
        "mcp-problems"
    }

    fn source(&self) -> Source {
        source("section 4")
    }

    fn title(&self) -> &'static str {
        "Public nonlinear complementarity problems"
    }

    fn run(
        &self,
        effort: Effort,
        progress: &dyn Progress,
    ) -> Result<Report, Box<dyn Error + Send + Sync>> {
        progress.progress(0, 1, "problems");
        let records = records()?;
        let rows = PublicMcp::names()?
            .into_par_iter()
            .map(|name| rows(&name, &records, effort))
            .collect::<Result<Vec<_>, _>>()?;
        let rows: Vec<Row> = rows.into_iter().flatten().collect();
        let mut report = Report::default();
        claims(&mut report, &rows);
        other_claims(&mut report, &rows);
        report.sheets = vec![show::sheet(&rows)];
        report.tables = vec![show::table(&rows)];
        report.plate("majors", show::CAPTION, show::figure(&rows));
        progress.progress(1, 1, "done");
        Ok(report)
    }
}

/// One start of one problem, and what came out.
struct Row {
    name: String,
    start: usize,
    n: usize,
    nonzeros: usize,
    status: String,
    stats: Stats,
    judgement: Judgement,
    /// From the nearest listed solution, relative to 1 + ‖z‖_∞; of solved ones.
    distance: Option<f64>,
    /// Of `Path`, in s.
    seconds: f64,
    /// Of large problems in a full run only.
    others: Option<Others>,
    path47: Option<Record>,
}

/// What other solvers made of the same start.
struct Others {
    portfolio: Judgement,
    method: String,
    newton: Judgement,
    newton_iterations: usize,
}

impl Row {
    fn label(&self) -> String {
        format!("{} from {}", self.name, self.start)
    }

    /// The record, if PATH solved it.
    fn solved_by_path47(&self) -> Option<Record> {
        self.path47.filter(|record| record.solved)
    }
}

fn rows(
    name: &str,
    records: &BTreeMap<(String, usize), Record>,
    effort: Effort,
) -> Result<Vec<Row>, ReadError> {
    let problem = PublicMcp::named(name)?;
    let fresh = PublicMcp::read(name)?;
    let mut path = Path::new(path_settings());
    let starts = problem.starts.iter().enumerate();
    let row = |(number, start): (usize, &Vec<f64>)| {
        let clock = Instant::now();
        let solution = solve(&mut path, &problem, start);
        let seconds = clock.elapsed().as_secs_f64();
        let judgement = judge(&fresh, &solution, TOLERANCE);
        let listed = problem.solutions.iter();
        let nearest = listed
            .map(|known| distance(&solution.z, known))
            .reduce(f64::min);
        Row {
            name: name.to_owned(),
            start: number,
            n: start.len(),
            nonzeros: fresh.nonzeros(),
            status: format!("{:?}", solution.status),
            stats: solution.stats,
            judgement,
            distance: nearest.filter(|_| judgement.solved),
            seconds,
            others: (effort == Effort::Full || start.len() <= LARGE)
                .then(|| others(&problem, start, &fresh)),
            path47: records.get(&(name.to_owned(), number)).copied(),
        }
    };
    Ok(starts.map(row).collect())
}

fn others(problem: &PublicMcp, start: &[f64], fresh: &dyn Mcp) -> Others {
    let mut portfolio = Portfolio::new(PortfolioSettings {
        tolerance: TOLERANCE,
        ..PortfolioSettings::default()
    });
    let answer = portfolio.answer_mcp(&problem.model, Start::Point(start), &mut ());
    let mut newton = SemismoothNewton::new(SemismoothSettings {
        tolerance: TOLERANCE,
        ..SemismoothSettings::default()
    });
    let alone: Solution = newton.solve(&problem.model, Start::Point(start));
    Others {
        portfolio: judge(fresh, &answer.solution, TOLERANCE),
        method: format!("{:?}", answer.method),
        newton: judge(fresh, &alone, TOLERANCE),
        newton_iterations: alone.stats.iterations,
    }
}

fn distance(z: &[f64], known: &[f64]) -> f64 {
    let size = known.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    let differences = z.iter().zip(known).map(|(a, b)| (a - b).abs());
    differences.fold(0.0, f64::max) / (1.0 + size)
}

fn claims(report: &mut Report, rows: &[Row]) {
    let labels = |rows: &[&Row]| {
        let labels: Vec<_> = rows.iter().map(|row| row.label()).collect();
        labels.join(", ")
    };
    let missed: Vec<_> = rows.iter().filter(|row| !row.judgement.solved).collect();
    let solved = rows.iter().filter(|row| row.judgement.solved);
    let worst = solved.clone().map(|row| row.judgement.residual);
    let worst = worst.fold(0.0, f64::max);
    report
        .measure("starts solved to 1e-10 by Path", solved.count())
        .note(if missed.is_empty() {
            format!("of {}, largest residual {worst:.1e}", rows.len())
        } else {
            format!(
                "of {}, largest residual {worst:.1e}; not solved: {}",
                rows.len(),
                labels(&missed)
            )
        });
    let behind: Vec<_> = rows
        .iter()
        .filter(|row| row.solved_by_path47().is_some() && !row.judgement.solved)
        .collect();
    report
        .measure(
            "starts that PATH 4.7 solves and Path does not",
            behind.len(),
        )
        .note(labels(&behind));
    let pairs = rows
        .iter()
        .filter_map(|row| Some((row, row.solved_by_path47()?)));
    let total = |ours: fn(&Stats) -> usize, theirs: fn(&Record) -> usize| {
        let pairs = pairs.clone();
        pairs.fold((0, 0), |(a, b), (row, record)| {
            (a + ours(&row.stats), b + theirs(&record))
        })
    };
    let majors = total(|ours| ours.iterations, |theirs| theirs.majors);
    let minors = total(|ours| ours.pivots, |theirs| theirs.minors);
    let crash = total(|ours| ours.crash_iterations, |theirs| theirs.crash);
    let evaluations = total(|ours| ours.evaluations, |theirs| theirs.evaluations);
    report
        .measure(
            "no more majors than PATH 4.7 where it solves",
            majors.0 <= majors.1,
        )
        .note(format!(
            "{} starts: {} majors against {}, crash iterations {} against {}, minors {} against {}, evaluations of F {} against {}",
            pairs.clone().count(),
            majors.0,
            majors.1,
            crash.0,
            crash.1,
            minors.0,
            minors.1,
            evaluations.0,
            evaluations.1,
        ));
    let sum = |pair: (usize, usize), other: (usize, usize)| (pair.0 + other.0, pair.1 + other.1);
    let both = sum(majors, crash);
    report
        .measure(
            "no more majors and crash iterations together",
            both.0 <= both.1,
        )
        .note(format!("{} against {}", both.0, both.1));
    let wrong: Vec<_> = rows.iter().filter(|row| row.judgement.wrong).collect();
    report
        .measure("wrong successes of Path", wrong.len())
        .note(labels(&wrong));
    let large = rows.iter().filter(|row| row.n > LARGE);
    let told = large
        .clone()
        .map(|row| format!("{} {:.2} s", row.name, row.seconds));
    report
        .measure(
            "problems of more than 300 variables solved by Path",
            large.filter(|row| row.judgement.solved).count(),
        )
        .note(format!(
            "times of this run, beside whatever else ran: {}",
            told.collect::<Vec<_>>().join(", ")
        ));
}

/// Claims about the other solvers, from the problems that are not large.
fn other_claims(report: &mut Report, rows: &[Row]) {
    let known: Vec<_> = rows
        .iter()
        .filter(|row| row.n <= LARGE)
        .filter_map(|row| Some((row, row.others.as_ref()?)))
        .collect();
    let labels = |wanted: &dyn Fn(&Others) -> bool| {
        let wanted = known.iter().filter(|(_, others)| wanted(others));
        let labels: Vec<_> = wanted.map(|(row, _)| row.label()).collect();
        (labels.len(), labels.join(", "))
    };
    let (count, missed) = labels(&|others| !others.portfolio.solved);
    report
        .measure("starts not solved to 1e-10 by the portfolio", count)
        .note(format!("of {}; {missed}", known.len()));
    let (count, missed) = labels(&|others| !others.newton.solved);
    report
        .measure("starts not solved to 1e-10 by semismooth Newton", count)
        .note(format!("of {}; {missed}", known.len()));
    let (count, wrong) = labels(&|others| others.portfolio.wrong || others.newton.wrong);
    report
        .measure(
            "wrong successes of the portfolio and of semismooth Newton",
            count,
        )
        .note(wrong);
}
