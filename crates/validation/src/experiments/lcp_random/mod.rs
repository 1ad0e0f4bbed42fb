//! A thousand random problems of each class: no failure, and no success that is none.
//!
//! Sizes are log-uniform from 5 to 1000, ten of them 1000. Problems with friction are solved in the mixed form, with the
//! velocities among the unknowns, by Lemke's method and by the portfolio; the others by the portfolio.
//!
//! # References
//! - \[CPS1992\] R. W. Cottle, J.-S. Pang, R. E. Stone, The Linear Complementarity Problem, 1992, chapters 3 and 4.

mod results;

use std::error::Error;

use rayon::prelude::*;
use signorini_benches::families::{Family, Instance, sizes};
use signorini_complementarity::{Lemke, Portfolio, PyramidForm, Solution, Solver, Start};

use super::lcp_common::{Expected, Finding, Judgement, Original, source};
use crate::experiment::{Effort, Experiment, Progress, Source};
use crate::report::Report;

/// Solved means a scaled residual of at most this, the default of the solvers.
const TOLERANCE: f64 = 1e-10;

/// Seed of the sizes; the problem with index i has seed i + 1.
const SIZES: u64 = 2026;

/// The classes.
const FAMILIES: [Family; 9] = [
    Family::Pmat,
    Family::Pd,
    Family::Psd,
    Family::DegeneratePsd,
    Family::CopositivePlus,
    Family::Spheres { directions: 4 },
    Family::Spheres { directions: 8 },
    Family::Boxes { directions: 4 },
    Family::Boxes { directions: 8 },
];

/// The random problems.
#[derive(Debug, Clone, Copy)]
pub struct LcpRandom;

impl Experiment for LcpRandom {
    fn id(&self) -> &'static str {
        "lcp-random"
    }

    fn source(&self) -> Source {
        source("chapters 3 and 4")
    }

    fn title(&self) -> &'static str {
        "Random problems of every class, by the thousand"
    }

    fn run(
        &self,
        effort: Effort,
        progress: &dyn Progress,
    ) -> Result<Report, Box<dyn Error + Send + Sync>> {
        let sizes = chosen(effort);
        let mut classes = Vec::new();
        for (number, family) in FAMILIES.into_iter().enumerate() {
            progress.progress(number, FAMILIES.len(), &family.name());
            let answers = sizes
                .par_iter()
                .enumerate()
                .flat_map_iter(|(index, &n)| solve(family, n, index as u64 + 1))
                .collect();
            classes.push(Class { family, answers });
        }
        progress.progress(FAMILIES.len(), FAMILIES.len(), "done");
        Ok(results::report(&classes, sizes.len()))
    }
}

/// All sizes, or for a quick run a few small ones.
fn chosen(effort: Effort) -> Vec<usize> {
    const ALL: usize = 1000;
    const QUICK: (usize, usize) = (40, 120);

    let sizes = sizes(ALL, SIZES);
    match effort {
        Effort::Quick => {
            let small = sizes.into_iter().filter(|n| *n <= QUICK.1);
            small.take(QUICK.0).collect()
        }
        Effort::Normal | Effort::Full => sizes,
    }
}

/// A class and what became of its problems, in their order.
struct Class {
    family: Family,
    answers: Vec<Answer>,
}

/// What became of a problem.
struct Answer {
    /// Asked for; the nearest size that the family has was taken.
    n: usize,
    seed: u64,
    /// Who solved it.
    solver: &'static str,
    /// Unknowns of the problem as it was solved.
    unknowns: usize,
    judgement: Judgement,
    status: String,
    iterations: usize,
    restarts: usize,
}

impl Answer {
    fn failed(&self) -> bool {
        self.judgement.finding != Finding::Solved
    }

    fn wrong(&self) -> bool {
        self.judgement.finding == Finding::Wrong
    }
}

fn solve(family: Family, n: usize, seed: u64) -> Vec<Answer> {
    let instance = family.problem(n, seed);
    let answer = |solver, original: Original<'_>, solution: &Solution| Answer {
        n,
        seed,
        solver,
        unknowns: solution.z.len(),
        judgement: original.judge(solution, TOLERANCE, Expected::Solution),
        status: format!("{:?}", solution.status),
        iterations: solution.stats.iterations,
        restarts: solution.stats.restarts,
    };
    let Instance { lcp, .. } = &instance;
    let Some(pyramid) = instance.pyramid(PyramidForm::Mixed) else {
        let solution = Portfolio::default().solve(lcp, Start::Cold);
        return vec![answer("portfolio", lcp.into(), &solution)];
    };
    let problem = pyramid.problem();
    let by_lemke = Lemke::default().solve(problem, Start::Cold);
    let by_portfolio = Portfolio::default().solve(problem, Start::Cold);
    vec![
        answer("Lemke", problem.into(), &by_lemke),
        answer("portfolio", problem.into(), &by_portfolio),
    ]
}
