//! Which friction solver when: by fixed rules on counts and data, never on time.
//!
//! # Method
//! The solvers are asked in an order that suits the problem, each from the best point so far; the first answer that is a
//! solution ends it. Otherwise the answer with the smallest residual is returned, with the status of its solver.
//!
//! # Guarantees and limits
//! The same input gives the same bits on every run.

use super::{
    Extragradient, ExtragradientSettings, FrictionProblem, FrictionResiduals, ResidualMeasure,
};
use crate::{Observer, Solution, Solver, Start, Status};

/// A method of [`solve_friction`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum FrictionMethod {
    /// [`Extragradient`].
    Extragradient,
}

impl FrictionMethod {
    /// Its name in words, as reports print it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Extragradient => "extragradient",
        }
    }
}

/// Settings of [`solve_friction`].
///
/// # Examples
/// ```
/// use signorini_complementarity::{FrictionSettings, ResidualMeasure};
/// let settings = FrictionSettings { tolerance: 1e-12, ..FrictionSettings::default() };
/// assert_eq!(settings.measure, ResidualMeasure::Relative);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FrictionSettings {
    /// Solved if the residual that `measure` names is ≤ this. Default 1e-8.
    pub tolerance: f64,
    /// Which residual. Default [`ResidualMeasure::Relative`], FCLIB's.
    pub measure: ResidualMeasure,
}

impl Default for FrictionSettings {
    fn default() -> Self {
        Self {
            tolerance: 1e-8,
            measure: ResidualMeasure::default(),
        }
    }
}

/// The answer to a friction problem: a solution, its residuals, who found it, and who was asked.
///
/// Example: see [`solve_friction`].
#[must_use = "a solve can fail: look at `solution.status`"]
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct FrictionAnswer {
    /// The solution, or the best point of all methods if its status is not [`Status::Solved`].
    pub solution: Solution,
    /// Both residuals of it, recomputed from the original data.
    pub residuals: FrictionResiduals,
    /// Whose answer it is.
    pub method: FrictionMethod,
    /// The methods that were asked, in their order, with what each said.
    pub tried: Vec<(FrictionMethod, Status)>,
}

/// Solves a friction problem from nothing.
///
/// # Examples
/// ```
/// use signorini_complementarity::{ContactLaws, FrictionProblem, FrictionSettings, solve_friction};
/// let laws = ContactLaws { dimension: 3, mu: vec![0.1], ..ContactLaws::default() };
/// let problem = FrictionProblem::from_delassus(&sprs::CsMat::eye(3), vec![-1.0, 1.0, 3.0], laws)?;
/// let answer = solve_friction(&problem, &FrictionSettings::default());
/// assert!(answer.solution.status.is_solved() && answer.residuals.relative <= 1e-8);
/// # Ok::<(), signorini_complementarity::FrictionError>(())
/// ```
pub fn solve_friction(problem: &FrictionProblem, settings: &FrictionSettings) -> FrictionAnswer {
    solve_friction_observed(problem, settings, Start::Cold, &mut ())
}

/// Solves a friction problem from `start`, telling `observer` of the iterates of every method.
///
/// # Panics
/// If `start` does not fit the problem.
///
/// Example: see [`solve_friction`].
#[track_caller]
pub fn solve_friction_observed(
    problem: &FrictionProblem,
    settings: &FrictionSettings,
    start: Start<'_>,
    observer: &mut dyn Observer,
) -> FrictionAnswer {
    let mut solver = Extragradient::new(ExtragradientSettings {
        tolerance: settings.tolerance,
        measure: settings.measure,
        ..ExtragradientSettings::default()
    });
    let solution = solver.solve_observed(problem, start, observer);
    FrictionAnswer {
        residuals: problem.residuals(&solution.z),
        tried: vec![(FrictionMethod::Extragradient, solution.status)],
        method: FrictionMethod::Extragradient,
        solution,
    }
}
