//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use signorini_validation::Effort;

/// Runs the papers' experiments and writes a report.
///
/// The report has figures (SVG and PNG), data (CSV), summary.json and index.html, which opens from
/// disk. The exit status is 0 if every claim came out as expected, 1 if one did not, 2 if the run
/// could not begin or the report could not be written.
#[derive(Debug, Parser)]
#[command(
    name = "signorini-validate",
    version,
    args_conflicts_with_subcommands = true
)]
#[command(after_help = "Examples:\n  \
    signorini-validate                          run everything, report in target/validation\n  \
    signorini-validate --only st2000-rod        run one experiment\n  \
    signorini-validate golden                   compare with the golden files\n  \
    signorini-validate golden --update          replace them, showing what moved")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,

    #[command(flatten)]
    pub(crate) choice: Choice,

    /// Folder of the report; an earlier report in it is replaced.
    #[arg(long, value_name = "DIR", default_value = "target/validation")]
    pub(crate) out: PathBuf,

    /// List the experiments and stop.
    #[arg(long)]
    pub(crate) list: bool,
}

/// What to run, and how.
#[derive(Debug, Args)]
pub(crate) struct Choice {
    /// Run these experiments only.
    #[arg(long, value_name = "ID", num_args = 1.., value_delimiter = ',')]
    pub(crate) only: Vec<String>,

    /// A smoke of everything: all claims, no sweeps beside them.
    #[arg(long, conflicts_with = "full")]
    quick: bool,

    /// Everything, sweeps included.
    #[arg(long)]
    full: bool,

    /// Threads; 0 takes one per core. The results do not depend on it.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) jobs: usize,
}

impl Choice {
    pub(crate) fn effort(&self) -> Effort {
        match (self.quick, self.full) {
            (true, _) => Effort::Quick,
            (_, true) => Effort::Full,
            _ => Effort::Normal,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Compare the experiments' data with the golden files.
    Golden {
        #[command(flatten)]
        choice: Choice,

        /// Replace the files; the largest difference per column is shown.
        #[arg(long)]
        update: bool,
    },
}
