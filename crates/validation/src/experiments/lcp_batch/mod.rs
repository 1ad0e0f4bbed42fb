//! Ten thousand small problems on one thread and on two: the same bits.
//!
//! # References
//! - \[CPS1992\] R. W. Cottle, J.-S. Pang, R. E. Stone, The Linear Complementarity Problem, 1992, chapter 4.

use std::error::Error;
use std::time::Instant;

use rayon::prelude::*;
use signorini_benches::families::{Family, Instance, Rng};
use signorini_complementarity::{Portfolio, Solution, Solver, Start};

use super::lcp_common::{Expected, Finding, Original, source};
use crate::experiment::{Effort, Experiment, Progress, Source};
use crate::report::Report;

/// Of the solvers.
const TOLERANCE: f64 = 1e-10;
/// Problems of a batch.
const COUNT: usize = 10_000;
/// Their families in turn.
const FAMILIES: [Family; 5] = [
    Family::Pmat,
    Family::Psd,
    Family::CopositivePlus,
    Family::Spheres { directions: 4 },
    Family::Boxes { directions: 4 },
];

/// A batch over threads.
#[derive(Debug, Clone, Copy)]
pub struct LcpBatch;

impl Experiment for LcpBatch {
    fn id(&self) -> &'static str {
        "lcp-batch"
    }

    fn source(&self) -> Source {
        source("chapter 4")
    }

    fn title(&self) -> &'static str {
        "Ten thousand small problems over threads"
    }

    fn run(
        &self,
        _effort: Effort,
        progress: &dyn Progress,
    ) -> Result<Report, Box<dyn Error + Send + Sync>> {
        progress.progress(0, 3, "problems");
        let problems: Vec<Instance> = (0..COUNT).into_par_iter().map(problem).collect();
        progress.progress(1, 3, "one thread");
        let (one, alone) = batch(&problems, 1)?;
        progress.progress(2, 3, "two threads");
        let (two, together) = batch(&problems, 2)?;
        progress.progress(3, 3, "done");

        let mut report = Report::default();
        let solved = problems.iter().zip(&one).filter(|(problem, solution)| {
            let original = Original::from(&problem.lcp);
            let judgement = original.judge(solution, TOLERANCE, Expected::Solution);
            judgement.finding == Finding::Solved
        });
        report.measure("problems solved", solved.count());
        let same = one.iter().zip(&two).all(|(a, b)| bits(a) == bits(b));
        report
            .measure("the same bits with one and with two threads", same)
            .note(format!(
                "{alone:.2} s on one thread, {together:.2} s on two, {:.2} times as fast, beside whatever else ran",
                alone / together
            ));
        Ok(report)
    }
}

fn problem(index: usize) -> Instance {
    let seed = index as u64 + 1;
    let n = Rng::new(seed).size(2, 24);
    FAMILIES[index % FAMILIES.len()].problem(n, seed)
}

/// The answers in the order of the problems, and the time they took in s.
fn batch(
    problems: &[Instance],
    threads: usize,
) -> Result<(Vec<Solution>, f64), rayon::ThreadPoolBuildError> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()?;
    // The clock stands inside of the pool: a thread that waits for it may work on something else.
    Ok(pool.install(|| {
        let start = Instant::now();
        let solutions = problems
            .par_iter()
            .map_init(Portfolio::default, |portfolio, problem| {
                portfolio.solve(&problem.lcp, Start::Cold)
            })
            .collect();
        (solutions, start.elapsed().as_secs_f64())
    }))
}

/// Everything that could differ, as integers.
fn bits(solution: &Solution) -> (Vec<u64>, u64, [usize; 3], String) {
    let stats = solution.stats;
    (
        solution.z.iter().map(|z| z.to_bits()).collect(),
        solution.residual.to_bits(),
        [stats.iterations, stats.factorizations, stats.restarts],
        format!("{:?}", solution.status),
    )
}
