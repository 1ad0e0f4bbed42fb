//! The program `signorini-mcp`: a solver of complementarity problems for AMPL and Pyomo.
//!
//! `signorini-mcp STUB -AMPL name=value ...` reads STUB.nl and writes STUB.sol; `signorini-mcp --help` tells the rest.

mod options;

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::ops::ControlFlow;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use signorini_ampl::{Model, NlError, Sol, result_code};
use signorini_complementarity::{
    Iterate, Mcp, Observer, Path, PathLog, SemismoothNewton, SemismoothSettings, Solution, Solver,
    Start, Status,
};
use thiserror::Error;

use crate::options::{Method, OptionError, Options};

const VERSION: &str = concat!("signorini-mcp ", env!("CARGO_PKG_VERSION"));

const USAGE: &str = "\
usage: signorini-mcp [-v | -= | -?] STUB [-AMPL] [name=value ...]

Reads the complementarity problem STUB.nl, text or binary, solves it, writes STUB.sol. In AMPL:
  option solver 'signorini-mcp'; option signorini_mcp_options 'convergence_tolerance=1e-8'; solve;

  -v, --version   the version
  -=              the options
  -?, --help      this text

Options are set by the variable signorini_mcp_options and after STUB, which counts more.
The variable solver_msg=0 keeps the message off the output stream.

Exit status: 0 if STUB.sol was written, whatever it says; 2 if not.
";

/// AMPL's number for a time limit.
const TIME_LIMIT: u16 = 402;

#[derive(Debug, Error)]
enum Failure {
    #[error("{argument}: no such argument\n{USAGE}")]
    Argument { argument: String },
    #[error("no STUB\n{USAGE}")]
    NoStub,
    #[error(transparent)]
    Option(#[from] OptionError),
    #[error("{stub}: {source}")]
    Problem { stub: String, source: NlError },
    #[error(transparent)]
    NoFile(NlError),
    #[error("cannot write the answer to {stub}.sol: {source}")]
    Answer { stub: String, source: io::Error },
    #[error("cannot write to the output stream: {0}")]
    Output(#[from] io::Error),
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Nobody is left to tell if this fails.
            let _ = writeln!(io::stderr(), "signorini-mcp: {error}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<(), Failure> {
    let mut arguments = std::env::args_os()
        .skip(1)
        .map(|a| a.to_string_lossy().into_owned());
    let mut told = false;
    let stub = loop {
        let Some(argument) = arguments.next() else {
            return if told { Ok(()) } else { Err(Failure::NoStub) };
        };
        let text = match argument.as_str() {
            "-v" | "--version" => format!("{VERSION}\n"),
            "-=" => options::list(),
            "-?" | "-h" | "--help" => USAGE.to_owned(),
            // To write the .sol file, and to be silent about options: both are so anyway.
            "-s" | "-e" => continue,
            "--" => break arguments.next().ok_or(Failure::NoStub)?,
            _ if argument.starts_with('-') => return Err(Failure::Argument { argument }),
            _ => break argument,
        };
        io::stdout().write_all(text.as_bytes())?;
        told = true;
    };
    let mut options = Options::default();
    for variable in ["signorini-mcp_options", "signorini_mcp_options"] {
        if let Ok(text) = std::env::var(variable) {
            options.set_all(&text)?;
        }
    }
    let rest: Vec<String> = arguments.filter(|a| !a.starts_with("-AMPL")).collect();
    options.set_all(&rest.join(" "))?;
    answer(&stub, &options)
}

/// Solves STUB.nl, writes STUB.sol, and says so in one line.
fn answer(stub: &str, options: &Options) -> Result<(), Failure> {
    let model = Model::from_stub(stub).map_err(|source| match source {
        NlError::File { .. } => Failure::NoFile(source),
        source => Failure::Problem {
            stub: stub.to_owned(),
            source,
        },
    })?;
    let mut out = io::stdout().lock();
    let mut watch = Watch::new(options.time_limit);
    if options.log {
        watch.log = Some(PathLog::new(&model, &mut out));
    }
    let solution = solve(&model, options, &mut watch);
    let logged = watch.log.take().map_or(Ok(()), |log| log.finish(&solution));
    let late = watch.late && solution.status == Status::Stopped;
    drop(watch);
    let message = message(&model, &solution, late);
    let sol = Sol {
        message: &message,
        z: &solution.z,
        code: if late {
            TIME_LIMIT
        } else {
            result_code(solution.status)
        },
    };
    sol.write(&model, stub).map_err(|source| Failure::Answer {
        stub: stub.to_owned(),
        source,
    })?;
    if !broken_pipe(&logged) {
        logged?;
    }
    if !std::env::var("solver_msg").is_ok_and(|value| value == "0") {
        let line = message.lines().next().unwrap_or_default();
        let written = writeln!(out, "{line}");
        if !broken_pipe(&written) {
            written?;
        }
    }
    Ok(())
}

/// A reader who stops reading, as `head` does, is no error.
fn broken_pipe(written: &io::Result<()>) -> bool {
    matches!(written, Err(error) if error.kind() == io::ErrorKind::BrokenPipe)
}

fn solve(model: &Model, options: &Options, observer: &mut dyn Observer) -> Solution {
    let start = Start::Point(model.start());
    match options.method {
        Method::Path => {
            Path::new(options.path.clone()).solve_observed(model as &dyn Mcp, start, observer)
        }
        Method::Semismooth => {
            let settings = SemismoothSettings {
                tolerance: options.path.convergence_tolerance,
                ..SemismoothSettings::default()
            };
            SemismoothNewton::new(settings).solve_observed(model as &dyn Mcp, start, observer)
        }
    }
}

/// The status in the first line, the work in the second, and where the best point fails if it does.
fn message(model: &Model, solution: &Solution, late: bool) -> String {
    let (status, stats) = (solution.status, solution.stats);
    let status = match status {
        _ if late => "time limit reached".to_owned(),
        // Names in the place of numbers.
        Status::Domain { row } => format!(
            "F or its Jacobian is not defined in {} (of {}); bound its variables away from there, or start elsewhere",
            model.row_name(row),
            model.name(row)
        ),
        status => status.to_string(),
    };
    let mut text = format!(
        "{VERSION}: {status}; natural residual {:.2e}\n{} iterations, {} for crash; {} pivots; {} restarts\n\
         {} evaluations of F, {} of its Jacobian",
        solution.residual,
        stats.iterations,
        stats.crash_iterations,
        stats.pivots,
        stats.restarts,
        stats.evaluations,
        stats.jacobians
    );
    if !solution.status.is_solved() {
        for row in model.worst_rows(&solution.z, 3).unwrap_or_default() {
            let (variable, name) = (model.name(row.index), model.row_name(row.index));
            write!(
                text,
                "\n  {name}: residual {:.2e}, {variable} = {:?}, F = {:?}",
                row.residual, row.z, row.f
            )
            .expect("a string takes every text");
        }
    }
    text
}

/// Looks at the clock, and hands on to the log.
struct Watch<'a> {
    log: Option<PathLog<'a>>,
    end: Option<Instant>,
    late: bool,
}

impl Watch<'_> {
    fn new(seconds: f64) -> Self {
        let limit = Duration::try_from_secs_f64(seconds).ok();
        Self {
            log: None,
            end: limit.and_then(|limit| Instant::now().checked_add(limit)),
            late: false,
        }
    }
}

impl Observer for Watch<'_> {
    fn observe(&mut self, iterate: &Iterate<'_>) -> ControlFlow<()> {
        if let Some(log) = &mut self.log {
            log.observe(iterate)?;
        }
        self.late = self.end.is_some_and(|end| Instant::now() >= end);
        if self.late {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}
