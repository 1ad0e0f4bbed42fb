//! `signorini solve`.

mod answer;
mod friction;
mod methods;
mod nonlinear;
mod unsolved;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

use signorini_complementarity::io::matrix_market::{read_matrix, read_vector};
use signorini_complementarity::io::{ProblemFile, ReadError, read_text};
use signorini_complementarity::{Bounds, Iterate, LinearMcp, Observer, RowResidual, worst_rows};

pub(crate) use self::friction::Law;
pub(crate) use self::methods::{METHODS, Method, by_name, list};
pub(crate) use self::unsolved::StepFileError;

use crate::args::SolveArguments;
use crate::error::CliError;
use crate::number::short;
use crate::terminal;

use self::answer::{Answer, Facts, MOST_ROWS, Row};
use self::unsolved::Held;

/// Solves the problem of a file and says so; true if it was solved.
pub(crate) fn solve(arguments: &SolveArguments) -> Result<bool, CliError> {
    let tolerance = arguments.tolerance;
    if let Some(tolerance) = tolerance.filter(|t| !(t.is_finite() && *t > 0.0)) {
        return Err(CliError::Tolerance { tolerance });
    }
    if let Some(problem) = nonlinear::load(arguments)? {
        if arguments.law.is_some() {
            return Err(CliError::NoFriction);
        }
        return nonlinear::solve(arguments, &problem);
    }
    if let Some(file) = friction::load(arguments)? {
        return friction::solve(arguments, file);
    }
    if arguments.law.is_some() {
        return Err(CliError::NoFriction);
    }
    if let Some(start) = arguments.start {
        return Err(CliError::LinearStart { start });
    }
    let Some(solve) = arguments.solver.solve else {
        let solver = arguments.solver.name;
        return Err(CliError::NotForLinear { solver });
    };
    let file = load(arguments)?;
    let observer: &mut dyn Observer = if arguments.log { &mut Log } else { &mut () };
    let start = Instant::now();
    let (solution, solver) = solve(&file.problem, tolerance, observer);
    let seconds = start.elapsed().as_secs_f64();
    let mut worst = worst_rows(&file.problem, &solution.z, MOST_ROWS);
    worst.retain(|row| row.residual > 0.0);
    let row = |row: &RowResidual| Row {
        index: row.row,
        residual: row.residual,
        z: row.z,
        f: row.f,
        scale: row.scale,
    };
    let answer = Answer {
        problem: Facts {
            name: &file.name,
            entries: (file.problem.m().nnz(), "M"),
            bounds: file.problem.bounds(),
            worst: &worst.iter().map(row).collect::<Vec<_>>(),
            variable: &|index| format!("z[{index}]"),
            row: &|index| format!("row {index}"),
        },
        solver,
        solution: &solution,
        seconds,
    };
    say(arguments, answer)
}

/// Prints an answer; true if it is one.
fn say(arguments: &SolveArguments, answer: Answer<'_>) -> Result<bool, CliError> {
    let text = if arguments.json {
        answer.to_json()
    } else {
        answer.to_text()
    };
    terminal::print_text(&text)?;
    Ok(answer.solution.status.is_solved())
}

/// Tells of every iterate on the error stream, so that the answer can be piped on.
struct Log;

impl Observer for Log {
    fn observe(&mut self, iterate: &Iterate<'_>) -> ControlFlow<()> {
        let named = |word, variable: Option<usize>| {
            variable.map_or(String::new(), |variable| format!("  {word} {variable}"))
        };
        let text = format!(
            "{:>6}  {:<12}{}{}",
            iterate.iteration,
            short(iterate.measure, 6),
            named("enters", iterate.entering),
            named("leaves", iterate.leaving),
        );
        terminal::print_log(&text);
        ControlFlow::Continue(())
    }
}

/// The problem of the file, or of a matrix and its vectors.
fn load(arguments: &SolveArguments) -> Result<ProblemFile, CliError> {
    let path = &arguments.file;
    if is_matrix_market(path) {
        return from_matrix_market(arguments);
    }
    no_vectors(arguments)?;
    let text = read_text(path).map_err(|source| refuse(path, source))?;
    let mut file = match unsolved::problem(path, &text)? {
        Some(Held::Linear(file)) => *file,
        // A problem of friction has been solved before this is asked for.
        Some(Held::Friction(_)) | None => {
            ProblemFile::from_json(&text).map_err(|source| refuse(path, source))?
        }
    };
    if file.name.is_empty() {
        file.name = name_of(path);
    }
    Ok(file)
}

/// Vectors go with a matrix in a file of its own.
fn no_vectors(arguments: &SolveArguments) -> Result<(), CliError> {
    let vectors = [
        ("--q", &arguments.q),
        ("--lower", &arguments.lower),
        ("--upper", &arguments.upper),
    ];
    match vectors.iter().find(|(_, path)| path.is_some()) {
        Some((option, _)) => Err(CliError::NotForJson { option }),
        None => Ok(()),
    }
}

fn from_matrix_market(arguments: &SolveArguments) -> Result<ProblemFile, CliError> {
    let matrix = &arguments.file;
    let Some(q) = &arguments.q else {
        return Err(CliError::NoVector);
    };
    let vector = |path: &Path| {
        let read = read_text(path).and_then(|text| read_vector(&text));
        read.map_err(|source| refuse(path, source))
    };
    let m = read_text(matrix).and_then(|text| read_matrix(&text));
    let m = m.map_err(|source| refuse(matrix, source))?;
    let q = vector(q)?;
    let bound = |path: Option<&PathBuf>, default| match path {
        Some(path) => vector(path),
        None => Ok(vec![default; q.len()]),
    };
    let lower: Vec<f64> = bound(arguments.lower.as_ref(), 0.0)?;
    let upper: Vec<f64> = bound(arguments.upper.as_ref(), f64::INFINITY)?;
    let problem = Bounds::new(lower, upper).and_then(|bounds| LinearMcp::new(m, q, bounds));
    let problem = problem.map_err(|source| refuse(matrix, source.into()))?;
    Ok(ProblemFile::new(name_of(matrix), problem))
}

fn refuse(path: &Path, source: ReadError) -> CliError {
    match source {
        ReadError::File { .. } => CliError::UnreadableProblem(source),
        _ => CliError::Problem {
            path: path.to_owned(),
            source,
        },
    }
}

/// Whether the file is called *.mtx or *.mtx.gz.
fn is_matrix_market(path: &Path) -> bool {
    ends_in(path, "mtx")
}

/// Whether the file is called *.`ending` or *.`ending`.gz.
fn ends_in(path: &Path, ending: &str) -> bool {
    let name = path.to_string_lossy().to_ascii_lowercase();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    Path::new(name).extension().is_some_and(|end| end == ending)
}

/// The file's name without its endings.
fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    name.rsplit_once('.')
        .map_or(name, |(name, _)| name)
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_kinds_of_files() {
        for (path, name, matrix) in [
            ("a/b.json", "b", false),
            ("a/b.json.gz", "b", false),
            ("b.MTX", "b", true),
            ("b.1.mtx.gz", "b.1", true),
            ("mtx", "mtx", false),
        ] {
            let path = Path::new(path);
            assert_eq!(
                (name_of(path).as_str(), is_matrix_market(path)),
                (name, matrix)
            );
        }
    }
}
