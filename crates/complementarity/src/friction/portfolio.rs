//! Which friction solver when: by fixed rules on counts and data, never on time.
//!
//! # Method
//! 1. [`FrictionNewton`], which begins with sweeps of block Gauss–Seidel. Where it fails, and where rounding of large impulses hides what an
//!    answer does, a self-stress is looked for that proves that there is no solution, in problems of up to 200 unknowns.
//! 2. [`ConeInteriorPoint`] in problems that are small enough for dense factors, under the exact law only from a point that is
//!    nearly an answer.
//! 3. [`ProximalPoint`] from nothing, for redundant contacts; in large problems after 4, as its factors are those of W,
//!    and else before 1 if contacts roll.
//! 4. [`BlockGaussSeidel`] without over-relaxation, some thousand sweeps.
//! 5. [`FrictionNewton`] with more and gentler sweeps, from the best point so far.
//! 6. [`ProximalPoint`] with a large α, from the best point.
//! 7. [`Extragradient`], from the best point.
//!
//! The first answer that is a solution ends it, and
//! so does a proof that there is none. Otherwise the answer with the smallest residual is returned, with the status of its solver.
//!
//! # Guarantees and limits
//! The same input gives the same bits on every run.

use super::cone::ROLLING;
use super::self_stress::self_stress;
use super::{
    BlockGaussSeidel, BlockGaussSeidelSettings, ConeInteriorPoint, ConeInteriorPointSettings,
    Extragradient, ExtragradientSettings, FrictionLaw, FrictionNewton, FrictionNewtonSettings,
    FrictionProblem, FrictionResiduals, ProximalPoint, ProximalPointSettings, ResidualMeasure,
};
use crate::{Certificate, Observer, Solution, Solver, Start, Status};

/// Unknowns up to which factors of W are cheaper than some thousand sweeps.
const FACTORED: usize = 5000;

/// Unknowns up to which the dense factors of the interior-point method are asked for.
const DENSE: usize = 600;

/// Residual from which on rounds of the exact law may converge.
const NEARLY: f64 = 1e-4;

/// A method of [`solve_friction`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum FrictionMethod {
    /// [`BlockGaussSeidel`].
    BlockGaussSeidel,
    /// [`FrictionNewton`].
    Newton,
    /// [`ConeInteriorPoint`].
    InteriorPoint,
    /// [`ProximalPoint`].
    ProximalPoint,
    /// [`Extragradient`].
    Extragradient,
}

impl FrictionMethod {
    /// Its name in words, as reports print it.
    pub fn name(self) -> &'static str {
        match self {
            Self::BlockGaussSeidel => "block Gauss-Seidel",
            Self::Newton => "Newton",
            Self::InteriorPoint => "interior point",
            Self::ProximalPoint => "proximal points",
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

/// The answer to a friction problem: a solution, its residuals, who found it, and who was asked. [`Status::Infeasible`] comes with
/// a [`Certificate::SelfStress`] and the best point.
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
    use FrictionMethod::{
        BlockGaussSeidel as Sweeps, Extragradient as Gradient, InteriorPoint as Interior, Newton,
        ProximalPoint as Proximal,
    };
    let (tolerance, measure) = (settings.tolerance, settings.measure);
    let mut newton = FrictionNewton::new(FrictionNewtonSettings {
        tolerance,
        measure,
        ..FrictionNewtonSettings::default()
    });
    let mut interior = ConeInteriorPoint::new(ConeInteriorPointSettings {
        tolerance,
        measure,
        ..ConeInteriorPointSettings::default()
    });
    let mut proximal = ProximalPoint::new(ProximalPointSettings {
        tolerance,
        measure,
        ..ProximalPointSettings::default()
    });
    let mut sweeps = BlockGaussSeidel::new(BlockGaussSeidelSettings {
        tolerance,
        measure,
        sweep_limit: 4000,
        relaxation: 1.0,
        ..BlockGaussSeidelSettings::default()
    });
    let mut gentle = FrictionNewton::new(FrictionNewtonSettings {
        start_sweeps: 20,
        sweeps: 10,
        relaxation: 1.0,
        slack: 1.5,
        ..newton.settings.clone()
    });
    let mut firm = ProximalPoint::new(ProximalPointSettings {
        regularisation: 1.0,
        sweeps: 1000,
        ..proximal.settings.clone()
    });
    let mut extragradient = Extragradient::new(ExtragradientSettings {
        tolerance,
        measure,
        ..ExtragradientSettings::default()
    });
    // Each method, and whether it begins at the best point so far.
    let mut order: [(FrictionMethod, bool, &mut dyn Solver<FrictionProblem>); 7] = [
        (Newton, false, &mut newton),
        (Interior, true, &mut interior),
        (Proximal, false, &mut proximal),
        (Sweeps, false, &mut sweeps),
        (Newton, true, &mut gentle),
        (Proximal, true, &mut firm),
        (Gradient, true, &mut extragradient),
    ];
    if problem.len() > FACTORED {
        order.swap(2, 3);
    } else if problem.dimension() >= ROLLING {
        order.swap(0, 2);
    }
    let mut answer: Option<(Solution, FrictionMethod)> = None;
    let mut tried = Vec::new();
    for (method, from_best, solver) in order {
        if method == Interior && !suits_interior(problem, answer.as_ref()) {
            continue;
        }
        let solution = match &answer {
            Some((best, _)) if from_best => {
                solver.solve_observed(problem, Start::Point(&best.z), observer)
            }
            _ => solver.solve_observed(problem, start, observer),
        };
        let solution = believed(problem, measure, solution);
        let status = solution.status;
        tried.push((method, status));
        let mut stats = solution.stats;
        let better = match &answer {
            Some((best, _)) => {
                stats += best.stats;
                solution.residual < best.residual
            }
            None => true,
        };
        let ends = matches!(status, Status::Solved | Status::Stopped);
        if better || ends {
            answer = Some((solution, method));
        }
        if let Some((best, _)) = &mut answer {
            best.stats = stats;
        }
        let asks = tried.len() == 1 || status == Status::Inaccurate;
        if asks && refutes(problem, &mut answer) || ends {
            break;
        }
    }
    let (solution, method) = answer.expect("a method is always asked");
    FrictionAnswer {
        residuals: problem.residuals(&solution.z),
        tried,
        method,
        solution,
    }
}

/// The answer, or no impulses in place of those that run off where rounding hides it: their residual of nothing would be believed.
fn believed(
    problem: &FrictionProblem,
    measure: ResidualMeasure,
    mut solution: Solution,
) -> Solution {
    if solution.status == Status::Solved && problem.hides_runaway(&solution.z) {
        solution.status = Status::Inaccurate;
        solution.z.fill(0.0);
        solution.residual = problem.residuals(&solution.z).of(measure);
    }
    solution
}

/// Whether the problem is refuted, and the answer says so by now.
fn refutes(problem: &FrictionProblem, answer: &mut Option<(Solution, FrictionMethod)>) -> bool {
    let over = [Status::Solved, Status::Stopped];
    let Some((best, _)) = answer.as_mut().filter(|(s, _)| !over.contains(&s.status)) else {
        return false;
    };
    let stress = self_stress(problem);
    let is_refuted = stress.is_some();
    if let Some(d) = stress {
        best.status = Status::Infeasible;
        best.certificate = Some(Certificate::SelfStress(d));
    }
    is_refuted
}

/// Whether the interior-point method is worth while where this is the best answer so far.
fn suits_interior(problem: &FrictionProblem, best: Option<&(Solution, FrictionMethod)>) -> bool {
    let is_near = best.is_some_and(|(best, _)| best.residual <= NEARLY);
    problem.len() <= DENSE && (problem.law() == FrictionLaw::Convex || is_near)
}
