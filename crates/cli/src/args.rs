//! What can be written on the command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use signorini_scene::Scheme;

const EXAMPLES: &str = "\
Examples:
  signorini check rod.toml
      says whether the scene can be run, and what is in it
  signorini run rod.toml --out rod.csv --plot rod.svg
      runs it as its [run] table says; trajectory as CSV, curves as SVG
  signorini run rod.toml --h 0.001 --until 0.7 --report rod.json
      another step and another end; a report as JSON
  signorini run rod.toml --until 0.5 --save half.json
  signorini run rod.toml --until 1.0 --resume half.json
      stops half way, at a whole number of steps, and goes on: the same numbers as one run, bit for bit
  signorini schema > scene.schema.json
      the JSON schema of scenes, for editors

Exit status:
  0  done
  1  a step failed, or a result could not be written
  2  the scene, an option or a path is wrong; nothing was run
  130  interrupted; nothing was written";

/// Rigid bodies with hard contact and Coulomb friction.
///
/// A scene is a TOML or JSON file with bodies, their shapes, and how they touch.
#[derive(Debug, Parser)]
#[command(name = "signorini", version, after_help = EXAMPLES, subcommand_required = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a scene.
    #[command(after_help = EXAMPLES)]
    Run(RunArguments),
    /// Check a scene without running it, and say what is in it.
    Check {
        /// The scene, a file named *.toml or *.json.
        scene: PathBuf,
    },
    /// Print the JSON schema of scenes.
    Schema,
}

#[derive(Debug, Args)]
pub(crate) struct RunArguments {
    /// The scene, a file named *.toml or *.json.
    pub(crate) scene: PathBuf,
    /// Time-stepping scheme: stewart-trinkle or anitescu-potra [default: the scene's].
    #[arg(long, value_name = "NAME")]
    pub(crate) stepper: Option<Scheme>,
    /// Time step in seconds [default: the scene's].
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub(crate) h: Option<f64>,
    /// Time in seconds at which the run ends [default: the scene's].
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub(crate) until: Option<f64>,
    /// Write the trajectory: one row per step, the header names quantity, body and unit.
    #[arg(long, value_name = "FILE.csv")]
    pub(crate) out: Option<PathBuf>,
    /// Write a report of the run: scheme, residuals, penetration, energy, momentum, time per step.
    #[arg(long, value_name = "FILE.json")]
    pub(crate) report: Option<PathBuf>,
    /// Draw positions and velocities over time; FILE.png gives a PNG.
    #[arg(long, value_name = "FILE.svg")]
    pub(crate) plot: Option<PathBuf>,
    /// Save the last state, to go on from it later.
    #[arg(long, value_name = "STATE.json")]
    pub(crate) save: Option<PathBuf>,
    /// Begin at a saved state instead of the scene's.
    #[arg(long, value_name = "STATE.json")]
    pub(crate) resume: Option<PathBuf>,
    /// No progress and no summary: only errors.
    #[arg(long, short)]
    pub(crate) quiet: bool,
}
