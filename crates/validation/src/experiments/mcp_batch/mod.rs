//! All starts of the public nonlinear problems on one thread and on two: the same bits.
//!
//! # References
//! - \[DF1995\] S. P. Dirkse, M. C. Ferris, The PATH solver, Optimization Methods and Software 5, 1995.

use std::error::Error;
use std::time::Instant;

use rayon::prelude::*;
use signorini_benches::PublicMcp;
use signorini_complementarity::{Mcp, Path, Solution};

use super::mcp_common::{path_settings, solve, source};
use crate::experiment::{Effort, Experiment, Progress, Source};
use crate::report::Report;

/// More variables make a large problem, which is left out of a quick run.
const LARGE: usize = 1000;

/// The public problems over threads.
#[derive(Debug, Clone, Copy)]
pub struct McpBatch;

impl Experiment for McpBatch {
    fn id(&self) -> &'static str {
        "mcp-batch"
    }

    fn source(&self) -> Source {
        source("section 4")
    }

    fn title(&self) -> &'static str {
        "Public nonlinear problems over threads"
    }

    fn run(
        &self,
        effort: Effort,
        progress: &dyn Progress,
    ) -> Result<Report, Box<dyn Error + Send + Sync>> {
        progress.progress(0, 2, "one thread");
        let mut problems = PublicMcp::all()?;
        if effort == Effort::Quick {
            problems.retain(|problem| problem.model.len() <= LARGE);
        }
        let (one, alone) = batch(&problems, 1)?;
        progress.progress(1, 2, "two threads");
        let (two, together) = batch(&problems, 2)?;
        progress.progress(2, 2, "done");
        let mut report = Report::default();
        let same = one.iter().zip(&two).all(|(a, b)| bits(a) == bits(b));
        report
            .measure(
                "the same bits with one and with two threads",
                same && one.len() == two.len(),
            )
            .note(format!(
                "{} starts, {alone:.2} s on one thread, {together:.2} s on two, beside whatever else ran",
                one.len()
            ));
        Ok(report)
    }
}

/// The answers in the order of problems and starts, and the time they took in s. A solver is used for whatever comes to its
/// thread: what it remembers must not matter.
fn batch(
    problems: &[PublicMcp],
    threads: usize,
) -> Result<(Vec<Solution>, f64), rayon::ThreadPoolBuildError> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()?;
    let tasks: Vec<(&PublicMcp, &[f64])> = problems
        .iter()
        .flat_map(|problem| problem.starts.iter().map(move |z| (problem, z.as_slice())))
        .collect();
    // The clock stands inside of the pool: a thread that waits for it may work on something else.
    Ok(pool.install(|| {
        let clock = Instant::now();
        let solutions = tasks
            .par_iter()
            .map_init(
                || Path::new(path_settings()),
                |solver, (problem, start)| solve(solver, problem, start),
            )
            .collect();
        (solutions, clock.elapsed().as_secs_f64())
    }))
}

/// Everything that could differ, as integers.
fn bits(solution: &Solution) -> (Vec<u64>, u64, String) {
    (
        solution.z.iter().map(|z| z.to_bits()).collect(),
        solution.residual.to_bits(),
        format!("{:?} {:?}", solution.status, solution.stats),
    )
}
