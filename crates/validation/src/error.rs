//! What can go wrong besides a claim that does not hold.

use std::path::PathBuf;

/// A fault of the table of claims, or of what was measured against it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClaimError {
    /// The table is not what it should be.
    #[error("table of claims: {0}")]
    Table(#[from] toml::de::Error),
    /// An entry lacks what its kind needs.
    #[error("table of claims: `{experiment}`, `{name}`: {fault}")]
    Entry {
        /// Experiment of the claim.
        experiment: String,
        /// Its name.
        name: String,
        /// What is wrong with it.
        fault: &'static str,
    },
    /// A measurement has no entry.
    #[error("experiment `{experiment}` measured `{name}`, which is not in the table of claims")]
    Unlisted {
        /// The experiment.
        experiment: String,
        /// The name it used.
        name: String,
    },
    /// A claim was measured more than once.
    #[error("experiment `{experiment}` measured `{name}` twice")]
    Twice {
        /// The experiment.
        experiment: String,
        /// The name it used.
        name: String,
    },
    /// A claim was not measured.
    #[error("experiment `{experiment}` did not measure `{name}`")]
    Unmeasured {
        /// The experiment.
        experiment: String,
        /// The claim's name.
        name: String,
    },
    /// A measurement is NaN or infinite.
    #[error("experiment `{experiment}` measured `{name}` as {value}")]
    NotFinite {
        /// The experiment.
        experiment: String,
        /// The claim's name.
        name: String,
        /// What it measured.
        value: f64,
    },
}

/// A report that could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OutputError {
    /// A file or folder could not be written.
    #[error("cannot write {path}: {source}", path = path.display())]
    Write {
        /// Where.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The folder holds something else.
    #[error(
        "{path} holds files and no summary.json; name an empty folder or one of an earlier report",
        path = path.display()
    )]
    Foreign {
        /// The folder.
        path: PathBuf,
    },
    /// The path names no folder that could be replaced.
    #[error("{path} cannot hold a report: name a folder below an existing one", path = path.display())]
    NoFolder {
        /// The path.
        path: PathBuf,
    },
    /// A figure could not be drawn.
    #[error("figure `{figure}` of `{experiment}`: {source}")]
    Figure {
        /// The experiment.
        experiment: String,
        /// Name of the figure.
        figure: String,
        /// Why.
        source: signorini_plot::PlotError,
    },
    /// The summary could not be put into JSON.
    #[error("summary: {0}")]
    Json(#[from] serde_json::Error),
}

/// A fault of a golden file, or a difference from it.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GoldenError {
    /// A line is not what the format wants.
    #[error("line {line}: {fault}")]
    Format {
        /// Line, from 1.
        line: usize,
        /// What was expected.
        fault: &'static str,
    },
    /// Columns or their tolerances differ.
    #[error("columns are {found}, expected {expected}")]
    Columns {
        /// Of the file.
        expected: String,
        /// Of the run.
        found: String,
    },
    /// The number of rows differs.
    #[error("{found} rows, expected {expected}")]
    Rows {
        /// Of the file.
        expected: usize,
        /// Of the run.
        found: usize,
    },
    /// A value is out of tolerance.
    #[error("row {row}, column `{column}`: {found:e}, expected {expected:e} within {tolerance:e}")]
    Value {
        /// Row, from 1.
        row: usize,
        /// Column.
        column: String,
        /// Of the run.
        found: f64,
        /// Of the file.
        expected: f64,
        /// abs + rel · |expected|.
        tolerance: f64,
    },
}

/// A run that cannot begin.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// No experiment has this id.
    #[error("no experiment `{id}`; there are: {known}")]
    UnknownExperiment {
        /// What was asked for.
        id: String,
        /// The ids, separated by commas.
        known: String,
    },
    /// The threads could not be made.
    #[error("cannot make {jobs} threads: {source}")]
    Threads {
        /// How many were asked for.
        jobs: usize,
        /// Why.
        source: rayon::ThreadPoolBuildError,
    },
}
