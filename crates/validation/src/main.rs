//! The program behind `cargo xtask validate` and `cargo xtask golden`.

mod args;
mod progress;
mod terminal;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let arguments = args::Arguments::parse();
    match terminal::run(&arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => terminal::refuse(error.as_ref()),
    }
}
