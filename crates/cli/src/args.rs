//! What can be written on the command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use signorini_scene::Scheme;

use crate::solve::{Law, METHODS, Method};

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
  signorini solve problem.json
      solves a linear complementarity problem; `signorini solve --help` tells of it

Exit status:
  0  done
  1  a step failed, or a result could not be written; the problem of a step that was not solved is in a file
  2  the scene, an option or a path is wrong; nothing was run
  130  interrupted; nothing was written";

const SOLVE_EXAMPLES: &str = "\
A problem is: find l <= z <= u such that F(z), M z + q if it is linear, has F_i >= 0 where z_i = l_i,
F_i <= 0 where z_i = u_i, and F_i = 0 in between. Linear with l = 0 and no u it is the LCP.
Or frictional contact: impulses in their cones, such that no contact closes and friction opposes slip.

Examples:
  signorini solve murty.json
      one file with M, q and the bounds, plain or gzipped (docs/problem.schema.json)
  signorini solve murty.json --solver gauss-seidel --tolerance 1e-8
      another solver, another scaled residual at which a point counts as solved
  signorini solve m.mtx --q q.mtx
      an LCP from Matrix Market files; --lower and --upper for bounds (inf and -inf are numbers)
  signorini solve murty.json --json | jq .z
      one JSON object: status, residual, counts, seconds, solver, z
  signorini solve murty.json --log > answer.txt
      a line per iterate on the error stream: its number, the method's own measure (the
      artificial variable of Lemke's method, or the residual), the variables that change places

  signorini solve market.nl
      a nonlinear problem, F as AMPL or Pyomo writes it; names from market.col and market.row
  signorini solve kojshin.json --start 2
      a file {\"format\": \"mcp-nl-1\", \"nl\": \"kojshin.nl\", \"starts\": [[0, 0, 0, 0], ...]} beside
      its .nl file, and one of its starts, counted from 0

  signorini solve stack.json --law convex --tolerance 1e-12
      frictional contact: a file of the format friction-contact-1 with W and q, or M, H, f and b
      (docs/friction.schema.json); the tolerance is on |r - P_K(r - u~)| / |q|

  signorini solve rod-unsolved-step.json
      the problem of a step that `signorini run` did not solve, linearised where its solver gave up

  {\"format\": \"linear-mcp-1\", \"n\": 2,
   \"M\": {\"rows\": 2, \"cols\": 2, \"i\": [0, 1, 0, 1], \"j\": [0, 0, 1, 1], \"v\": [2, 1, 1, 2]},
   \"q\": [-5, -6], \"l\": [0, 0], \"u\": [null, null]}
      such a file: triplets from 0, null is infinite; its answer is z = (4/3, 7/3)

Exit status:
  0  solved: the residual, recomputed from the file's numbers, is below the tolerance
  1  not solved; the status says why, and whether it is proved that there is no solution
  2  the file or an option is wrong; nothing was solved";

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
    /// Solve a complementarity problem from a file.
    #[command(after_help = format!("Solvers:\n{}\n{SOLVE_EXAMPLES}", crate::solve::list()))]
    Solve(SolveArguments),
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
    /// Time-stepping scheme: stewart-trinkle, anitescu-potra, hart-anitescu, geometrically-implicit or
    /// tzitzouris-pang [default: the scene's].
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
    #[arg(long, visible_alias = "checkpoint", value_name = "STATE.json")]
    pub(crate) save: Option<PathBuf>,
    /// Where the problem of a step goes that is not solved [default: SCENE-unsolved-step.json, in the working folder].
    #[arg(long, value_name = "FILE.json")]
    pub(crate) unsolved: Option<PathBuf>,
    /// Begin at a saved state instead of the scene's.
    #[arg(long, value_name = "STATE.json")]
    pub(crate) resume: Option<PathBuf>,
    /// No progress and no summary: only errors.
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SolveArguments {
    /// The problem, a JSON file or a file named *.nl, or its matrix M, a file named *.mtx; each may be gzipped.
    pub(crate) file: PathBuf,
    /// The vector q of a problem in Matrix Market files.
    #[arg(long, value_name = "FILE.mtx")]
    pub(crate) q: Option<PathBuf>,
    /// Lower bounds of a problem in Matrix Market files [default: 0].
    #[arg(long, value_name = "FILE.mtx")]
    pub(crate) lower: Option<PathBuf>,
    /// Upper bounds of a problem in Matrix Market files [default: none].
    #[arg(long, value_name = "FILE.mtx")]
    pub(crate) upper: Option<PathBuf>,
    /// Which of the starts of a nonlinear problem, from 0 [default: 0].
    #[arg(long, value_name = "K")]
    pub(crate) start: Option<usize>,
    /// The solver; the list is below.
    #[arg(long, value_name = "NAME", default_value = METHODS[0].name, value_parser = crate::solve::by_name)]
    pub(crate) solver: Method,
    /// Friction law of a problem of frictional contact [default: the file's, coulomb].
    #[arg(long, value_name = "LAW")]
    pub(crate) law: Option<Law>,
    /// The residual at which a point counts as solved: scaled if linear, relative to |q| for frictional contact
    /// [default: the solver's].
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    pub(crate) tolerance: Option<f64>,
    /// Print a line per iterate on the error stream.
    #[arg(long)]
    pub(crate) log: bool,
    /// Print one JSON object instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}
