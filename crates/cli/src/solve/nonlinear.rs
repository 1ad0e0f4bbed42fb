//! Nonlinear problems: .nl files, and the sidecars that name one and its starts.

use std::path::{Path, PathBuf};
use std::time::Instant;

use serde::Deserialize;
use signorini_ampl::{Model, NlError, WorstRow};
use signorini_complementarity::io::read_text;
use signorini_complementarity::{Mcp, Observer, PathLog, Start};

use super::answer::{Answer, Facts, MOST_ROWS, Row};
use super::{ends_in, no_vectors, refuse, say};
use crate::args::SolveArguments;
use crate::error::CliError;
use crate::terminal;

/// The format of sidecars.
const FORMAT: &str = "mcp-nl-1";

/// How formats of sidecars begin.
const FAMILY: &str = "mcp-nl-";

/// A file beside a .nl file; more fields may stand in it.
#[derive(Debug, Deserialize)]
struct Sidecar {
    nl: PathBuf,
    #[serde(default)]
    starts: Vec<Vec<f64>>,
}

/// What any file in JSON says of itself.
#[derive(Debug, Deserialize)]
struct Label {
    format: String,
}

/// A nonlinear problem and the starts that are known of it.
#[derive(Debug)]
pub(crate) struct Problem {
    model: Model,
    starts: Vec<Vec<f64>>,
}

/// The problem, if the file is one of a nonlinear problem.
pub(crate) fn load(arguments: &SolveArguments) -> Result<Option<Problem>, CliError> {
    let path = &arguments.file;
    let (file, sidecar) = if ends_in(path, "nl") {
        (path.clone(), None)
    } else if let Some(sidecar) = sidecar(path)? {
        let beside = path.parent().unwrap_or(Path::new(""));
        (beside.join(&sidecar.nl), Some(sidecar))
    } else {
        return Ok(None);
    };
    no_vectors(arguments)?;
    let model = Model::from_path(&file).map_err(|source| match source {
        NlError::File { .. } => CliError::UnreadableNl(source),
        _ => CliError::Nl {
            path: file.clone(),
            source,
        },
    })?;
    let starts = sidecar.map_or_else(|| vec![file_start(&model)], |sidecar| sidecar.starts);
    Ok(Some(Problem { model, starts }))
}

/// The start of the .nl file, for the variables of the file.
fn file_start(model: &Model) -> Vec<f64> {
    model.start()[..model.file_variables()].to_vec()
}

/// The sidecar, if the file is one: a text in JSON with its format.
fn sidecar(path: &Path) -> Result<Option<Sidecar>, CliError> {
    if !ends_in(path, "json") {
        return Ok(None);
    }
    let text = read_text(path).map_err(|source| refuse(path, source))?;
    let damaged = |source| CliError::Sidecar {
        path: path.to_owned(),
        source,
    };
    match serde_json::from_str::<Label>(&text) {
        Ok(label) if label.format == FORMAT => {
            serde_json::from_str(&text).map(Some).map_err(damaged)
        }
        Ok(label) if label.format.starts_with(FAMILY) => {
            let found = label.format;
            let message = format!("the format is `{found}`, this program reads `{FORMAT}`");
            Err(damaged(serde::de::Error::custom(message)))
        }
        // Cut off, or with a number that JSON has not.
        Err(source) if text.contains(FORMAT) => Err(damaged(source)),
        _ => Ok(None),
    }
}

/// Solves the problem and says so; true if it was solved.
pub(crate) fn solve(arguments: &SolveArguments, problem: &Problem) -> Result<bool, CliError> {
    let model = &problem.model;
    let solver = arguments.solver;
    let Some(solve) = solver.solve_nonlinear else {
        let solver = solver.name;
        return Err(CliError::NotForNonlinear { solver });
    };
    let point = start(problem, arguments.start)?;
    let begin = Instant::now();
    let (solution, solver) = if arguments.log {
        let mut out = terminal::log_stream();
        let mut log = PathLog::new(model, &mut out);
        let named = solve(model, arguments.tolerance, Start::Point(&point), &mut log);
        // A reader who stops reading the log is no error.
        let _ = log.finish(&named.0);
        named
    } else {
        let silent: &mut dyn Observer = &mut ();
        solve(model, arguments.tolerance, Start::Point(&point), silent)
    };
    let seconds = begin.elapsed().as_secs_f64();
    let row = |row: &WorstRow| Row {
        index: row.index,
        residual: row.residual,
        z: row.z,
        f: row.f,
        scale: 1.0,
    };
    // At a point where F is not defined there is nothing to break down; the status names the row.
    let worst = model.worst_rows(&solution.z, MOST_ROWS).unwrap_or_default();
    let answer = Answer {
        problem: Facts {
            name: model.problem_name(),
            entries: (model.nonzeros(), "the Jacobian"),
            bounds: model.bounds(),
            worst: &worst.iter().map(row).collect::<Vec<_>>(),
            variable: &|index| model.name(index).into_owned(),
            row: &|index| model.row_name(index).into_owned(),
        },
        solver,
        solution: &solution,
        seconds,
    };
    say(arguments, answer)
}

/// The start of this number, 0 if none is named, with zeros for the variables of side conditions.
fn start(problem: &Problem, number: Option<usize>) -> Result<Vec<f64>, CliError> {
    let model = &problem.model;
    let Some(start) = problem.starts.get(number.unwrap_or(0)) else {
        if number.is_none() {
            return Ok(model.start().to_vec());
        }
        return Err(CliError::NoStart {
            start: number.unwrap_or(0),
            count: problem.starts.len(),
        });
    };
    if start.len() != model.file_variables() {
        return Err(CliError::StartLength {
            start: number.unwrap_or(0),
            found: start.len(),
            expected: model.file_variables(),
        });
    }
    let mut start = start.clone();
    start.resize(model.len(), 0.0);
    Ok(start)
}
