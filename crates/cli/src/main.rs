//! The program `signorini`: runs scenes of rigid bodies with hard contact and friction, and solves complementarity
//! problems.
//!
//! `signorini --help` tells the rest.

mod args;
mod check;
mod error;
mod interrupt;
mod number;
mod outputs;
mod picture;
mod progress;
mod report;
mod run;
mod solve;
mod terminal;

use std::process::ExitCode;

use clap::Parser;

use crate::args::{Arguments, Command};
use crate::error::CliError;

fn main() -> ExitCode {
    match dispatch(&Arguments::parse().command) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            terminal::print_error(&error);
            ExitCode::from(error.exit_status())
        }
    }
}

/// Whether what was asked for was done; a problem that cannot be solved is no error.
fn dispatch(command: &Command) -> Result<bool, CliError> {
    match command {
        Command::Run(arguments) => run::run(arguments)?,
        Command::Solve(arguments) => return solve::solve(arguments),
        Command::Check { scene } => check::check(scene)?,
        Command::Schema => terminal::print_text(&signorini_scene::schema())?,
    }
    Ok(true)
}
