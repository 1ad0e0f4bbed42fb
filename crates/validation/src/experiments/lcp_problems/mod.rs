//! The public problems of `fixtures/problems/linear`, through the portfolio and through each solver alone.
//!
//! # References
//! - \[CPS1992\] R. W. Cottle, J.-S. Pang, R. E. Stone, The Linear Complementarity Problem, 1992, chapters 3 and 4.

use std::error::Error;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use signorini_complementarity::io::{Expect, ProblemFile};
use signorini_complementarity::{
    BlockPivoting, BlockPivotingSettings, GaussSeidel, GaussSeidelSettings, InteriorPoint,
    InteriorPointSettings, Lemke, LemkeSettings, LinearMcp, Portfolio, PortfolioSettings, Solver,
    Start,
};

use super::lcp_common::{Expected, Finding, Judgement, Original, source, worse};
use crate::experiment::{Effort, Experiment, Progress, Source};
use crate::report::{Column, Report, Sheet, Table};

/// Solved means a scaled residual of at most this.
const TOLERANCE: f64 = 1e-12;

/// The columns beside the portfolio's.
const ALONE: [&str; 4] = ["Lemke", "block pivoting", "interior point", "Gauss–Seidel"];

/// The public problems.
#[derive(Debug, Clone, Copy)]
pub struct LcpProblems;

impl Experiment for LcpProblems {
    fn id(&self) -> &'static str {
        "lcp-problems"
    }

    fn source(&self) -> Source {
        source("chapters 3 and 4")
    }

    fn title(&self) -> &'static str {
        "Public linear complementarity problems"
    }

    fn run(
        &self,
        _effort: Effort,
        progress: &dyn Progress,
    ) -> Result<Report, Box<dyn Error + Send + Sync>> {
        progress.progress(0, 1, "problems");
        let rows = files()?
            .into_par_iter()
            .map(Row::of)
            .collect::<Result<Vec<_>, _>>()?;
        let mut report = Report::default();
        claims(&mut report, &rows);
        report.sheets = vec![sheet(&rows)];
        report.tables = vec![table(&rows)];
        progress.progress(1, 1, "done");
        Ok(report)
    }
}

/// The files in the order of their names.
fn files() -> Result<Vec<PathBuf>, std::io::Error> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/problems/linear");
    let entries = std::fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
    let mut paths: Vec<PathBuf> = entries.iter().map(std::fs::DirEntry::path).collect();
    paths.sort();
    Ok(paths)
}

/// One problem and what came out.
struct Row {
    name: String,
    n: usize,
    expected: Expected,
    /// Of the portfolio.
    judgement: Judgement,
    method: String,
    status: String,
    pivots: usize,
    /// From the nearest of the solutions that the file lists, relative to 1 + ‖z‖_∞.
    distance: Option<f64>,
    alone: [Judgement; ALONE.len()],
}

impl Row {
    fn of(path: PathBuf) -> Result<Self, signorini_complementarity::io::ReadError> {
        let file = ProblemFile::from_path(path)?;
        let expected = match file.expect {
            Some(Expect::Infeasible) => Expected::None,
            _ => Expected::Solution,
        };
        let original = Original::from(&file.problem);
        let mut portfolio = Portfolio::new(PortfolioSettings {
            tolerance: TOLERANCE,
            ..PortfolioSettings::default()
        });
        let answer = portfolio.answer(&file.problem, Start::Cold, &mut ());
        let alone = solvers().map(|mut solver| {
            let solution = solver.solve(&file.problem, Start::Cold);
            original.judge(&solution, TOLERANCE, expected)
        });
        let z = &answer.solution.z;
        let listed = file.known.iter().chain(file.solutions.iter().map(|s| &s.z));
        let judgement = original.judge(&answer.solution, TOLERANCE, expected);
        let solved = judgement.finding == Finding::Solved;
        Ok(Self {
            n: file.problem.len(),
            expected,
            judgement,
            method: format!("{:?}", answer.method),
            status: format!("{:?}", answer.solution.status),
            pivots: answer.solution.stats.iterations,
            distance: listed
                .map(|known| distance(z, known))
                .reduce(f64::min)
                .filter(|_| solved),
            alone,
            name: file.name,
        })
    }

    fn good(&self) -> bool {
        let wanted = match self.expected {
            Expected::Solution => Finding::Solved,
            Expected::None => Finding::Proved,
        };
        self.judgement.finding == wanted
    }
}

fn solvers() -> [Box<dyn Solver<LinearMcp>>; ALONE.len()] {
    let tolerance = TOLERANCE;
    [
        Box::new(Lemke::new(LemkeSettings {
            tolerance,
            ..LemkeSettings::default()
        })),
        Box::new(BlockPivoting::new(BlockPivotingSettings {
            tolerance,
            ..BlockPivotingSettings::default()
        })),
        Box::new(InteriorPoint::new(InteriorPointSettings {
            tolerance,
            ..InteriorPointSettings::default()
        })),
        Box::new(GaussSeidel::new(GaussSeidelSettings {
            tolerance,
            ..GaussSeidelSettings::default()
        })),
    ]
}

fn distance(z: &[f64], known: &[f64]) -> f64 {
    let size = known.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
    let differences = z.iter().zip(known).map(|(a, b)| (a - b).abs());
    differences.fold(0.0, f64::max) / size
}

fn claims(report: &mut Report, rows: &[Row]) {
    let of = |expected| rows.iter().filter(move |row| row.expected == expected);
    let names = |rows: &[&Row]| {
        let names: Vec<_> = rows.iter().map(|row| row.name.as_str()).collect();
        names.join(", ")
    };
    let solved = of(Expected::Solution).filter(|row| row.good());
    let worst = solved.clone().map(|row| row.judgement.residual);
    let note = format!("largest residual {:.1e}", worst.fold(0.0, worse));
    let missed: Vec<_> = of(Expected::Solution).filter(|row| !row.good()).collect();
    report
        .measure("solvable problems solved to 1e-12", solved.count())
        .note(if missed.is_empty() {
            note
        } else {
            format!("{note}; not solved: {}", names(&missed))
        });
    let proved = of(Expected::None).filter(|row| row.good()).count();
    report.measure("problems without a solution, proved", proved);
    let wrong: Vec<_> = rows
        .iter()
        .filter(|row| {
            let all = row.alone.iter().chain([&row.judgement]);
            all.map(|j| j.finding).any(|f| f == Finding::Wrong)
        })
        .collect();
    report
        .measure("problems with a wrong answer of any solver", wrong.len())
        .note(names(&wrong));
}

fn word(judgement: &Judgement) -> String {
    match judgement.finding {
        Finding::Solved => format!("{:.0e}", judgement.residual),
        Finding::Proved => "proved".to_owned(),
        Finding::Undecided => "–".to_owned(),
        Finding::Wrong => "WRONG".to_owned(),
    }
}

fn sheet(rows: &[Row]) -> Sheet {
    let mut header: Vec<String> = [
        "problem",
        "n",
        "status",
        "answered by",
        "pivots",
        "distance",
        "portfolio",
    ]
    .map(str::to_owned)
    .to_vec();
    header.extend(ALONE.map(str::to_owned));
    let row = |row: &Row| {
        let mut cells = vec![
            row.name.clone(),
            row.n.to_string(),
            row.status.clone(),
            row.method.clone(),
            row.pivots.to_string(),
            row.distance.map_or("–".to_owned(), |d| format!("{d:.0e}")),
            word(&row.judgement),
        ];
        cells.extend(row.alone.iter().map(word));
        cells
    };
    Sheet {
        caption: "Each problem: the portfolio's answer, its pivots or iterations over all methods, its distance from the \
                  nearest solution that the file lists (solutions need not be unique), and the residual, recomputed, of \
                  the portfolio and of each solver alone; a dash where a solver says that it found none"
            .to_owned(),
        header,
        rows: rows.iter().map(row).collect(),
    }
}

fn table(rows: &[Row]) -> Table {
    let mut columns = ["problem", "n", "good", "pivots", "residual", "distance"]
        .map(|name| Column::new(name, "", 0.0))
        .to_vec();
    let alone = ["lemke", "block_pivoting", "interior_point", "gauss_seidel"];
    columns.extend(alone.map(|name| Column::new(&format!("residual_{name}"), "", 0.0)));
    let row = |(number, row): (usize, &Row)| {
        let mut cells = vec![
            (number + 1) as f64,
            row.n as f64,
            f64::from(u8::from(row.good())),
            row.pivots as f64,
            row.judgement.residual,
            row.distance.unwrap_or(f64::NAN),
        ];
        cells.extend(row.alone.iter().map(|j| j.residual));
        cells
    };
    Table {
        name: "problems".to_owned(),
        golden: false,
        columns,
        rows: rows.iter().enumerate().map(row).collect(),
    }
}
