//! The papers, reproduced: figures, tables and claims with verdicts.
//!
//! An [`Experiment`] runs an example of a paper and hands back a [`Report`]: what it measured, its
//! figures and its data. The [`ClaimTable`] holds what the paper says, what is exact, the tolerance
//! with its reason, and the verdict that is expected. A
//! measurement that is not in the table, or a claim that nobody measured, is an error.
//!
//! ```text
//! registry → run (in parallel) → judge against the table → summary.json, index.html, figures, data
//! ```
//!
//! # Guarantees and limits
//!
//! - The results do not depend on the number of threads, nor does the order of the output.
//! - A report appears complete or not at all: it is written beside its place and then renamed.
//! - The page opens from disk and asks nothing of a network.

mod animation;
mod claims;
mod error;
mod experiment;
pub mod experiments;
pub mod golden;
mod html;
mod output;
mod registry;
mod report;
mod run;
mod summary;
mod value;

pub use animation::Animation;
pub use claims::{Claim, ClaimSpec, ClaimTable, Judged, Verdict};
pub use error::{ClaimError, GoldenError, OutputError, RunError};
pub use experiment::{Effort, Experiment, Progress, Source};
pub use output::{Staged, write_report};
pub use registry::{EXPERIMENTS, select};
pub use report::{Column, Noted, Plate, Report, Sheet, Table};
pub use run::{Outcome, run};
pub use summary::{Entry, Summary, summary};
pub use value::Value;
