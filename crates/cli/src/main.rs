//! The program `signorini`: runs scenes of rigid bodies with hard contact and friction.
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
mod terminal;

use std::process::ExitCode;

use clap::Parser;

use crate::args::{Arguments, Command};
use crate::error::CliError;

fn main() -> ExitCode {
    match dispatch(&Arguments::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            terminal::print_error(&error);
            ExitCode::from(error.exit_status())
        }
    }
}

fn dispatch(command: &Command) -> Result<(), CliError> {
    match command {
        Command::Run(arguments) => run::run(arguments),
        Command::Check { scene } => check::check(scene),
        Command::Schema => terminal::print_text(&signorini_scene::schema()),
    }
}
