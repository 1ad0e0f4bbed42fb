//! Why the program stops, and with which exit status.

use std::path::{Path, PathBuf};

use signorini_ampl::NlError;
use signorini_complementarity::io::ReadError;
use signorini_plot::PlotError;
use signorini_scene::{CheckpointError, SceneError, TrajectoryError, WriteError};
use signorini_steppers::StepError;
use thiserror::Error;

use crate::number::short;
use crate::solve::StepFileError;

/// Digits of a time: all but those that are the rounding of a sum of steps.
const TIME: usize = 12;

/// Why the program stops.
#[derive(Debug, Error)]
pub(crate) enum CliError {
    #[error("{}: {source}", path.display())]
    Scene {
        path: PathBuf,
        source: Box<SceneError>,
    },
    #[error("{}: {source}", path.display())]
    Checkpoint {
        path: PathBuf,
        source: CheckpointError,
    },
    #[error(transparent)]
    UnreadableScene(SceneError),
    #[error(transparent)]
    UnreadableCheckpoint(CheckpointError),
    #[error("`{}` is named by {first} and by {second}: give each its own file", path.display())]
    SamePath {
        path: PathBuf,
        first: &'static str,
        second: &'static str,
    },
    #[error(
        "{}: this step has no problem that can be solved alone: those with round cones and joints, and those whose active set did not settle, have none",
        path.display()
    )]
    NoProblem { path: PathBuf },
    #[error("{}: {source}", path.display())]
    Problem { path: PathBuf, source: ReadError },
    #[error("{}: {source}", path.display())]
    StepFile {
        path: PathBuf,
        source: Box<StepFileError>,
    },
    #[error(transparent)]
    UnreadableProblem(ReadError),
    #[error("{}: {source}", path.display())]
    Nl { path: PathBuf, source: NlError },
    #[error(transparent)]
    UnreadableNl(NlError),
    #[error("{}: {source}", path.display())]
    Sidecar {
        path: PathBuf,
        source: serde_json::Error,
    },
    #[error("--start {start}: there are {count} starts, counted from 0")]
    NoStart { start: usize, count: usize },
    #[error("start {start} has {found} numbers, the problem has {expected} variables")]
    StartLength {
        start: usize,
        found: usize,
        expected: usize,
    },
    #[error(
        "--start {start} goes with a nonlinear problem; solvers of other ones begin from nothing"
    )]
    LinearStart { start: usize },
    #[error("{solver} solves nonlinear problems; this one is linear: try --solver auto")]
    NotForLinear { solver: &'static str },
    #[error("{solver} solves linear problems; this one is nonlinear: try --solver auto")]
    NotForNonlinear { solver: &'static str },
    #[error("{solver} solves no frictional contact: try --solver auto")]
    NotForFriction { solver: &'static str },
    #[cfg_attr(feature = "hdf5", expect(dead_code, reason = "the feature is there"))]
    #[error(
        "HDF5 files are read by a program that was built with the feature hdf5: `cargo install --path crates/cli --features hdf5`"
    )]
    NoHdf5,
    #[error("--law goes with frictional contact, a file of the format friction-contact-1")]
    NoFriction,
    #[error("--tolerance is {tolerance:?}: it must be finite and greater than 0")]
    Tolerance { tolerance: f64 },
    #[error("the matrix needs its vector: give it with --q FILE.mtx")]
    NoVector,
    #[error("{option} goes with a matrix named *.mtx; other files have their own vectors")]
    NotForJson { option: &'static str },
    #[error(
        "the run would start at t = {} s and end at t = {} s: give a later time with --until",
        short(*start, TIME),
        short(*until, TIME)
    )]
    NothingToDo { start: f64, until: f64 },
    #[error("{option}: {source}")]
    Path {
        option: &'static str,
        source: WriteError,
    },
    #[error("--plot: `{}` is neither .svg nor .png: give it one of these endings", path.display())]
    PictureEnding { path: PathBuf },
    #[error("interrupted at t = {} s\nno file was written", short(*t, TIME))]
    Interrupted { t: f64 },
    #[error(
        "the step from t = {} s failed: {source}\n{}",
        short(*t, TIME),
        unsolved_file(unsolved.as_deref())
    )]
    Step {
        t: f64,
        source: StepError,
        /// The file of its problem, if it has one that was not solved.
        unsolved: Option<Box<Unsolved>>,
    },
    #[error("{0}\nno file was written")]
    Trajectory(TrajectoryError),
    #[error("cannot draw the picture: {0}\nno file was written")]
    Plot(PlotError),
    #[error("{source}\n{}", written_before(written))]
    Result {
        source: WriteError,
        written: Vec<PathBuf>,
    },
    #[error("cannot write to the terminal: {0}")]
    Terminal(#[from] std::io::Error),
}

impl CliError {
    /// A fault of the scene in this file, which is named once.
    pub(crate) fn scene(path: &Path, source: SceneError) -> Self {
        match source {
            SceneError::Read { .. } | SceneError::Extension { .. } => Self::UnreadableScene(source),
            _ => Self::Scene {
                path: path.to_owned(),
                source: Box::new(source),
            },
        }
    }

    /// A fault of the checkpoint in this file, which is named once.
    pub(crate) fn checkpoint(path: &Path, source: CheckpointError) -> Self {
        match source {
            CheckpointError::Read { .. } => Self::UnreadableCheckpoint(source),
            _ => Self::Checkpoint {
                path: path.to_owned(),
                source,
            },
        }
    }

    /// 1 if a run began and failed, 2 if it could not begin, 130 (by custom) if it was interrupted.
    pub(crate) fn exit_status(&self) -> u8 {
        match self {
            Self::Scene { .. }
            | Self::Checkpoint { .. }
            | Self::UnreadableScene(_)
            | Self::UnreadableCheckpoint(_)
            | Self::Problem { .. }
            | Self::StepFile { .. }
            | Self::NoProblem { .. }
            | Self::UnreadableProblem(_)
            | Self::Tolerance { .. }
            | Self::Nl { .. }
            | Self::UnreadableNl(_)
            | Self::Sidecar { .. }
            | Self::NoStart { .. }
            | Self::StartLength { .. }
            | Self::LinearStart { .. }
            | Self::NotForFriction { .. }
            | Self::NoFriction
            | Self::NoHdf5
            | Self::NotForLinear { .. }
            | Self::NotForNonlinear { .. }
            | Self::NoVector
            | Self::NotForJson { .. }
            | Self::SamePath { .. }
            | Self::PictureEnding { .. }
            | Self::NothingToDo { .. }
            | Self::Path { .. } => 2,
            Self::Interrupted { .. } => crate::interrupt::STATUS,
            Self::Step { .. }
            | Self::Trajectory(_)
            | Self::Plot(_)
            | Self::Result { .. }
            | Self::Terminal(_) => 1,
        }
    }
}

/// The file of a failed step.
#[derive(Debug)]
pub(crate) struct Unsolved {
    /// Whether it holds a problem that solvers can try.
    pub(crate) has_problem: bool,
    pub(crate) written: Result<PathBuf, WriteError>,
}

/// Where the problem of a failed step is.
fn unsolved_file(unsolved: Option<&Unsolved>) -> String {
    let Some(Unsolved {
        has_problem,
        written,
    }) = unsolved
    else {
        return "no file was written".to_owned();
    };
    match (written, has_problem) {
        (Err(source), _) => format!("the step could not be written: {source}"),
        (Ok(path), true) => format!(
            "no result was written; the step and its problem are in `{0}`, `signorini solve {0}` tries again",
            path.display()
        ),
        (Ok(path), false) => format!(
            "no result was written; the step, for a report of the fault, is in `{}`",
            path.display()
        ),
    }
}

/// What stands complete although a later file failed.
fn written_before(paths: &[PathBuf]) -> String {
    if paths.is_empty() {
        return "no file was written".to_owned();
    }
    let names: Vec<String> = paths
        .iter()
        .map(|path| format!("`{}`", path.display()))
        .collect();
    format!("written before it, and complete: {}", names.join(", "))
}
