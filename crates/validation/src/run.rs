//! Runs experiments in parallel and judges them.

use std::time::Instant;

use rayon::prelude::*;

use crate::claims::{Claim, ClaimTable};
use crate::error::RunError;
use crate::experiment::{Effort, Experiment, Progress};
use crate::report::Report;

/// What became of one experiment.
#[derive(Debug)]
pub struct Outcome {
    /// The experiment.
    pub experiment: &'static dyn Experiment,
    /// Its claims in the order of the table; none if it failed.
    pub claims: Vec<Claim>,
    /// What it handed back; empty if it failed.
    pub report: Report,
    /// Why it failed, if it did.
    pub failure: Option<String>,
    /// How long it took, in s.
    pub seconds: f64,
}

impl Outcome {
    /// Whether it ran and every claim is ok.
    pub fn ok(&self) -> bool {
        self.failure.is_none() && self.claims.iter().all(|claim| claim.ok)
    }
}

/// Runs `experiments` with `jobs` threads, 0 for one per core, and judges them against `table`.
///
/// The outcomes have the order of `experiments`. `progress` makes the listener of an experiment.
/// An experiment that fails is an outcome, not an error.
///
/// # Errors
///
/// [`RunError::Threads`] if the threads cannot be made.
pub fn run<'p>(
    experiments: &[&'static dyn Experiment],
    table: &ClaimTable,
    effort: Effort,
    jobs: usize,
    progress: &(dyn Fn(&'static dyn Experiment) -> Box<dyn Progress + 'p> + Sync),
) -> Result<Vec<Outcome>, RunError> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(jobs)
        .build()
        .map_err(|source| RunError::Threads { jobs, source })?;
    let one = |experiment: &&'static dyn Experiment| {
        let listener = progress(*experiment);
        run_one(*experiment, table, effort, listener.as_ref())
    };
    Ok(pool.install(|| experiments.par_iter().map(one).collect()))
}

fn run_one(
    experiment: &'static dyn Experiment,
    table: &ClaimTable,
    effort: Effort,
    progress: &dyn Progress,
) -> Outcome {
    let start = Instant::now();
    let result = experiment.run(effort, progress);
    let seconds = start.elapsed().as_secs_f64();
    let failed = |failure: String| Outcome {
        experiment,
        claims: Vec::new(),
        report: Report::default(),
        failure: Some(failure),
        seconds,
    };
    match result {
        Err(error) => failed(error.to_string()),
        Ok(report) => match table.judge(experiment.id(), &report) {
            Err(error) => failed(error.to_string()),
            Ok(claims) => Outcome {
                experiment,
                claims,
                report,
                failure: None,
                seconds,
            },
        },
    }
}
