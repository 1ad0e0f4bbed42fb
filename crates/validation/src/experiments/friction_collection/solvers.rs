//! The solvers that are compared, and one run of one of them.

use std::time::Instant;

use signorini_complementarity::{
    Admm, AdmmSettings, BlockGaussSeidel, BlockGaussSeidelSettings, Extragradient,
    ExtragradientSettings, FrictionNewton, FrictionNewtonSettings, FrictionProblem,
    FrictionSettings, ProximalPoint, ProximalPointSettings, ResidualMeasure, Solution, Solver,
    Start, solve_friction,
};

use crate::experiments::friction_common::{PublicFriction, relative_residual};

/// A solver that is asked for a relative residual.
pub(super) struct Candidate {
    pub(super) name: &'static str,
    solve: fn(&FrictionProblem, f64) -> Solution,
}

/// All of them, the portfolio first.
pub(super) const SOLVERS: &[Candidate] = &[
    Candidate {
        name: "portfolio",
        solve: |problem, tolerance| {
            let settings = FrictionSettings {
                tolerance,
                ..FrictionSettings::default()
            };
            solve_friction(problem, &settings).solution
        },
    },
    Candidate {
        name: "Newton",
        solve: |problem, tolerance| {
            let settings = FrictionNewtonSettings {
                tolerance,
                measure: ResidualMeasure::Relative,
                ..FrictionNewtonSettings::default()
            };
            FrictionNewton::new(settings).solve(problem, Start::Cold)
        },
    },
    Candidate {
        name: "proximal points",
        solve: |problem, tolerance| {
            let settings = ProximalPointSettings {
                tolerance,
                ..ProximalPointSettings::default()
            };
            ProximalPoint::new(settings).solve(problem, Start::Cold)
        },
    },
    Candidate {
        name: "block Gauss-Seidel",
        solve: |problem, tolerance| {
            let settings = BlockGaussSeidelSettings {
                tolerance,
                measure: ResidualMeasure::Relative,
                ..BlockGaussSeidelSettings::default()
            };
            BlockGaussSeidel::new(settings).solve(problem, Start::Cold)
        },
    },
    Candidate {
        name: "ADMM",
        solve: |problem, tolerance| {
            let settings = AdmmSettings {
                tolerance,
                ..AdmmSettings::default()
            };
            Admm::new(settings).solve(problem, Start::Cold)
        },
    },
    Candidate {
        name: "extragradient",
        solve: |problem, tolerance| {
            let settings = ExtragradientSettings {
                tolerance,
                ..ExtragradientSettings::default()
            };
            Extragradient::new(settings).solve(problem, Start::Cold)
        },
    },
];

/// One problem, one solver, one tolerance.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) problem: String,
    pub(super) unknowns: usize,
    /// Index in [`SOLVERS`].
    pub(super) solver: usize,
    pub(super) tolerance: f64,
    /// What the judge found.
    pub(super) residual: f64,
    /// What the solver said, and the judge found to be true.
    pub(super) solved: bool,
    claimed: bool,
    pub(super) iterations: usize,
    pub(super) seconds: f64,
}

/// Part of the tolerance by which the judge's rounding may differ from the solver's.
const ROUNDING: f64 = 1e-3;

impl Run {
    pub(super) fn new(problem: &PublicFriction, solver: usize, tolerance: f64) -> Self {
        let start = Instant::now();
        let solution = (SOLVERS[solver].solve)(&problem.problem, tolerance);
        let seconds = start.elapsed().as_secs_f64();
        let residual = relative_residual(&problem.problem, &solution.z);
        let claimed = solution.status.is_solved();
        Self {
            problem: problem.name.clone(),
            unknowns: problem.problem.len(),
            solver,
            tolerance,
            residual,
            solved: claimed && residual <= tolerance * (1.0 + ROUNDING),
            claimed,
            iterations: solution.stats.iterations,
            seconds,
        }
    }

    /// Called solved, and is not; or no point at all.
    pub(super) fn is_wrong(&self) -> bool {
        self.claimed != self.solved || self.residual == f64::INFINITY
    }

    pub(super) fn label(&self) -> String {
        format!(
            "{} by {}: {:.1e}",
            self.problem, SOLVERS[self.solver].name, self.residual
        )
    }
}
