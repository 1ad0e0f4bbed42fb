//! What `solve` says: one JSON object, or text for people.

use std::fmt::Write as _;

use serde::Serialize;
use signorini_complementarity::{Bounds, Certificate, Solution, Status};

use crate::number::short;

/// Most entries of z in the text.
pub(super) const MOST_ENTRIES: usize = 20;
/// Most rows of the breakdown of the residual.
pub(crate) const MOST_ROWS: usize = 5;

/// A finished solve.
#[derive(Clone, Copy)]
pub(crate) struct Answer<'a> {
    pub(crate) problem: Facts<'a>,
    pub(crate) solver: &'static str,
    pub(crate) solution: &'a Solution,
    pub(crate) seconds: f64,
}

/// What the answer tells of its problem.
#[derive(Clone, Copy)]
pub(crate) struct Facts<'a> {
    pub(crate) name: &'a str,
    /// How many entries the matrix has, and what it is called.
    pub(crate) entries: (usize, &'static str),
    pub(crate) bounds: &'a Bounds,
    /// Rows above a residual of 0 at the answer, worst first.
    pub(crate) worst: &'a [Row],
    /// Names of a variable and of its row.
    pub(crate) variable: &'a dyn Fn(usize) -> String,
    pub(crate) row: &'a dyn Fn(usize) -> String,
}

/// A row as the residual sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) index: usize,
    pub(crate) residual: f64,
    pub(crate) z: f64,
    pub(crate) f: f64,
    /// What the residual is relative to.
    pub(crate) scale: f64,
}

/// What `--json` prints. A number that is not finite is null.
#[derive(Debug, Serialize)]
struct Json<'a> {
    format: &'static str,
    program: &'static str,
    problem: &'a str,
    n: usize,
    solver: &'a str,
    status: &'static str,
    residual: f64,
    counts: Counts,
    seconds: f64,
    z: &'a [f64],
    /// y ≥ 0 with Mᵀy ≤ 0 and qᵀy < 0, if it is proved that there is no solution.
    infeasibility: Option<&'a [f64]>,
    /// Empty if solved.
    worst_rows: Vec<WorstRow>,
}

#[derive(Debug, Serialize)]
struct Counts {
    iterations: usize,
    factorizations: usize,
    restarts: usize,
}

#[derive(Debug, Serialize)]
struct WorstRow {
    row: usize,
    residual: f64,
    z: f64,
    f: f64,
    lower: Option<f64>,
    upper: Option<f64>,
    scale: f64,
}

impl<'a> Answer<'a> {
    pub(crate) fn to_json(self) -> String {
        let (solution, stats) = (self.solution, self.solution.stats);
        let json = Json {
            format: "signorini-solution-1",
            program: concat!("signorini ", env!("CARGO_PKG_VERSION")),
            problem: self.problem.name,
            n: solution.z.len(),
            solver: self.solver,
            status: word(solution.status),
            residual: solution.residual,
            counts: Counts {
                iterations: stats.iterations,
                factorizations: stats.factorizations,
                restarts: stats.restarts,
            },
            seconds: self.seconds,
            z: &solution.z,
            infeasibility: match &solution.certificate {
                Some(Certificate::Farkas(y)) => Some(y),
                _ => None,
            },
            worst_rows: self.worst_rows().iter().map(|row| self.row(row)).collect(),
        };
        let mut text = serde_json::to_string(&json).expect("a tree of numbers and strings");
        text.push('\n');
        text
    }

    pub(crate) fn to_text(self) -> String {
        let (solution, problem) = (self.solution, &self.problem);
        let (n, stats) = (solution.z.len(), solution.stats);
        let (entries, matrix) = problem.entries;
        let mut text = format!(
            "{}: {n} variables, {entries} entries in {matrix}\n",
            problem.name
        );
        let mut row = |name: &str, value: String| {
            writeln!(text, "  {name:<14} {value}").expect("a string takes every text");
        };
        row("status", self.status());
        row("solver", self.solver.to_owned());
        row("residual", short(solution.residual, 3));
        row(
            "counts",
            format!(
                "{} iterations, {} factorisations, {} restarts",
                stats.iterations, stats.factorizations, stats.restarts
            ),
        );
        row("time", format!("{} s", short(self.seconds, 3)));
        if solution.status.is_solved() {
            for (i, z) in solution.z.iter().take(MOST_ENTRIES).enumerate() {
                row(&(problem.variable)(i), format!("{z:?}"));
            }
            if n > MOST_ENTRIES {
                row(
                    "...",
                    format!("{} more; --json prints all", n - MOST_ENTRIES),
                );
            }
        } else {
            text += &self.breakdown();
        }
        text
    }

    /// The status; a row in it by its name.
    fn status(self) -> String {
        match self.solution.status {
            Status::Domain { row } => format!(
                "F or its Jacobian is not defined in {} of {}; bound its variables away from there, or start elsewhere",
                (self.problem.row)(row),
                (self.problem.variable)(row)
            ),
            status => status.to_string(),
        }
    }

    /// The rows of an answer that is none.
    fn worst_rows(self) -> &'a [Row] {
        if self.solution.status.is_solved() {
            return &[];
        }
        self.problem.worst
    }

    fn row(self, row: &Row) -> WorstRow {
        let bounds = self.problem.bounds;
        let finite = |x: f64| x.is_finite().then_some(x);
        WorstRow {
            row: row.index,
            residual: row.residual,
            z: row.z,
            f: row.f,
            lower: finite(bounds.lower()[row.index]),
            upper: finite(bounds.upper()[row.index]),
            scale: row.scale,
        }
    }

    /// Where the best point fails, and how.
    fn breakdown(self) -> String {
        let rows = self.worst_rows();
        if rows.is_empty() {
            return String::new();
        }
        let mut text = "the best point fails most in these rows:\n".to_owned();
        let bounds = self.problem.bounds;
        for row in rows {
            let (l, u) = (bounds.lower()[row.index], bounds.upper()[row.index]);
            let variable = (self.problem.variable)(row.index);
            // z without its number: the row has it.
            let variable = if variable.starts_with("z[") {
                "z"
            } else {
                &variable
            };
            writeln!(
                text,
                "  {}: residual {}: {variable} = {} in [{}, {}], F = {}: {}",
                (self.problem.row)(row.index),
                short(row.residual, 3),
                short(row.z, 6),
                short(l, 6),
                short(u, 6),
                short(row.f, 6),
                wish(row, l, u),
            )
            .expect("a string takes every text");
        }
        text
    }
}

/// What the row asks for.
fn wish(row: &Row, lower: f64, upper: f64) -> &'static str {
    match (row.z <= lower, row.z >= upper) {
        (true, true) => "z is fixed, so the row holds",
        (true, false) => "F must not be negative at the lower bound",
        (false, true) => "F must not be positive at the upper bound",
        (false, false) if row.f > 0.0 && lower.is_finite() => {
            "F must be 0 here, or z at its lower bound"
        }
        (false, false) if row.f < 0.0 && upper.is_finite() => {
            "F must be 0 here, or z at its upper bound"
        }
        (false, false) => "F must be 0 here",
    }
}

/// The status as one word.
pub(super) fn word(status: Status) -> &'static str {
    match status {
        Status::Solved => "solved",
        Status::Infeasible => "infeasible",
        Status::Ray => "ray",
        Status::IterationLimit => "iteration-limit",
        Status::Singular => "singular",
        Status::Inaccurate => "inaccurate",
        Status::Stopped => "stopped",
        Status::Domain { .. } => "domain",
        Status::NoProgress => "no-progress",
        Status::RunsOff => "runs-off",
        _ => "unsolved",
    }
}
