//! Repository tasks, run as `cargo xtask <task>`.
//!
//! `ci` is the whole check, the same for the service and for a developer. The other tasks are its parts, and
//! what a developer needs beside them: `tidy` for the rules that no compiler knows, `validate` for the papers,
//! `golden` for the reference curves, `bench` for times.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "xtask is a program: it tells the developer what it runs and what it found"
)]

mod cargo;
mod ci;
mod tidy;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Debug, Parser)]
#[command(
    name = "cargo xtask",
    bin_name = "cargo xtask",
    about = "Repository tasks of Signorini"
)]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Run every check: fmt, tidy, clippy, tests, docs, benches, `validate --quick`
    Ci(ci::Options),
    /// Check the repository rules: direction between crates, docs, fixtures, claims
    Tidy,
    /// Reproduce the papers; every argument goes to `signorini-validate` (try --help)
    #[command(disable_help_flag = true)]
    Validate {
        /// Arguments of `signorini-validate`
        #[arg(
            trailing_var_arg = true,
            allow_hyphen_values = true,
            value_name = "ARGS"
        )]
        arguments: Vec<OsString>,
    },
    /// Compare the golden files with fresh results, and print the largest difference per column
    Golden {
        /// Write the fresh results into fixtures/golden
        #[arg(long)]
        update: bool,
    },
    /// Run the Criterion benches
    Bench {
        /// Run each bench once, without timing it
        #[arg(long)]
        test: bool,
        /// Part of the names of the benches to run, such as lemke/murty; then further Criterion flags
        #[arg(
            trailing_var_arg = true,
            allow_hyphen_values = true,
            value_name = "FILTER"
        )]
        filter: Vec<OsString>,
    },
}

fn main() -> ExitCode {
    let good = match Arguments::parse().task {
        Task::Ci(options) => ci::run(&options),
        Task::Tidy => tidy::run(),
        Task::Validate { arguments } => cargo::validate(arguments).run(),
        Task::Golden { update } => cargo::golden(update).run(),
        Task::Bench { test, filter } => cargo::bench(test, filter).run(),
    };
    if good {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn arguments_are_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn validate_passes_everything_on() {
        let parsed =
            Arguments::try_parse_from(["xtask", "validate", "--only", "st2000-rod", "--help"])
                .expect("every argument after `validate` belongs to the program");
        let Task::Validate { arguments } = parsed.task else {
            panic!("not validate: {parsed:?}")
        };
        assert_eq!(arguments, ["--only", "st2000-rod", "--help"]);
    }

    #[test]
    fn bench_takes_its_own_flag_before_the_filter() {
        let parsed =
            Arguments::try_parse_from(["xtask", "bench", "--test", "lemke/murty", "--noplot"])
                .expect("flag, filter, Criterion flag");
        let Task::Bench { test, filter } = parsed.task else {
            panic!("not bench: {parsed:?}")
        };
        assert!(test);
        assert_eq!(filter, ["lemke/murty", "--noplot"]);
    }
}
