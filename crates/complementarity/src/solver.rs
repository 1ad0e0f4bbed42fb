//! What every solver of this crate shares: start, observer, status, statistics and solution.
//!
//! A solver is settings plus workspace; a problem is immutable and validated when built; a solution is plain data.
//! Non-convergence is a [`Status`], never an error and never hidden: `z` is then the best iterate, finite and of
//! length n.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use crate::Mcp;

/// A method for problems of type `P`.
pub trait Solver<P: ?Sized> {
    /// Solves `problem` from `start`, telling `observer` of every iterate.
    ///
    /// # Panics
    /// If `start` does not fit the problem.
    fn solve_observed(
        &mut self,
        problem: &P,
        start: Start<'_>,
        observer: &mut dyn Observer,
    ) -> Solution;

    /// Solves `problem` from `start`, silently.
    ///
    /// # Panics
    /// If `start` does not fit the problem.
    fn solve(&mut self, problem: &P, start: Start<'_>) -> Solution {
        self.solve_observed(problem, start, &mut ())
    }
}

/// Where a solver begins. Solvers that cannot use a kind of start say so in their documentation.
#[derive(Clone, Copy, Debug, Default)]
pub enum Start<'a> {
    /// From nothing: the start that the method's theory asks for.
    #[default]
    Cold,
    /// From a point z of length n.
    Point(&'a [f64]),
    /// From a guessed complementary basis.
    Basis(&'a Basis),
}

/// For each index, where its variable stands in a complementary basis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum BasisMark {
    /// z is basic: its row holds with equality.
    Basic,
    /// z stands at its lower bound.
    AtLower,
    /// z stands at its upper bound.
    AtUpper,
}

/// A complementary basis: one mark per index.
///
/// # Examples
/// ```
/// use signorini_complementarity::{Basis, BasisMark};
/// let basis = Basis::new(vec![BasisMark::Basic, BasisMark::AtLower]);
/// assert_eq!(basis.marks()[1], BasisMark::AtLower);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Basis(Vec<BasisMark>);

impl Basis {
    /// A basis from its marks, one per index of the problem.
    pub fn new(marks: Vec<BasisMark>) -> Self {
        Self(marks)
    }

    /// The marks, one per index.
    pub fn marks(&self) -> &[BasisMark] {
        &self.0
    }
}

/// How a solve ended. Only [`Status::Solved`] means that `z` is a solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Status {
    /// The scaled residual, recomputed from the original data, is at most the tolerance.
    Solved,
    /// There is no solution, and [`Certificate::Farkas`] or [`Certificate::SelfStress`] proves it.
    Infeasible,
    /// The method ended on a secondary ray; nothing is claimed about solvability.
    Ray,
    /// The iteration or pivot limit was reached.
    IterationLimit,
    /// A basis is singular or so ill-conditioned that its solution fails the residual check.
    Singular,
    /// The method finished, but the recomputed residual is above the tolerance.
    Inaccurate,
    /// The observer asked to stop.
    Stopped,
    /// F or its Jacobian is not defined in this row at the start, or near every point that could be better.
    Domain {
        /// Index of the row.
        row: usize,
    },
    /// A nonlinear method stands where no step of it makes progress, at a point that is no solution.
    NoProgress,
    /// The residual is small only because F fades while z runs off: relative to the terms of its rows it is not.
    RunsOff,
}

impl Status {
    /// Whether `z` is a solution.
    pub fn is_solved(self) -> bool {
        self == Self::Solved
    }

    /// The message of this status with the name that `problem` gives the row, where the status has one.
    ///
    /// # Examples
    /// ```
    /// use signorini_complementarity::{Bounds, LinearMcp, Status};
    /// let mcp = LinearMcp::from_dense(&[[1.0]], vec![0.0], Bounds::nonnegative(1))?;
    /// let message = Status::Domain { row: 0 }.describe(&mcp);
    /// assert!(message.starts_with("F or its Jacobian is not defined in the row of z[0];"));
    /// # Ok::<(), signorini_complementarity::ProblemError>(())
    /// ```
    pub fn describe(self, problem: &dyn Mcp) -> String {
        let message = self.to_string();
        match self {
            Self::Domain { row } => {
                let number = format!("in row {row};");
                message.replace(&number, &format!("in the row of {};", problem.name(row)))
            }
            _ => message,
        }
    }
}

impl Status {
    /// What happened, without what to do about it, which depends on who asks: [`Display`](fmt::Display) adds what the caller of
    /// a solver can do.
    ///
    /// # Examples
    /// ```
    /// use signorini_complementarity::Status;
    /// assert_eq!(Status::IterationLimit.fact(), "iteration limit reached");
    /// ```
    pub fn fact(self) -> &'static str {
        match self {
            Self::Solved => "solved",
            Self::Infeasible => "infeasible, with a certificate",
            Self::Ray => "ended on a secondary ray, which proves nothing",
            Self::IterationLimit => "iteration limit reached",
            Self::Singular => "singular or ill-conditioned basis",
            Self::Inaccurate => "finished with a residual above the tolerance",
            Self::Stopped => "stopped by the observer",
            Self::Domain { .. } => "F or its Jacobian is not defined",
            Self::NoProgress => "no step makes progress, at a point that is no solution",
            Self::RunsOff => "the residual fades only because the point runs off to infinity",
        }
    }

    fn advice(self) -> Option<&'static str> {
        Some(match self {
            Self::Solved | Self::Infeasible | Self::Stopped => return None,
            Self::Ray => "try another covering vector or solver",
            Self::IterationLimit => "raise the limit or start closer",
            Self::Singular => "check scaling and redundant rows",
            Self::Inaccurate => "check the scaling of the data",
            Self::Domain { .. } => {
                "bound the variables of that row away from there, or start elsewhere"
            }
            Self::NoProgress => "start elsewhere or check the Jacobian",
            Self::RunsOff => "bound the variables or start elsewhere",
        })
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.fact())?;
        if let Self::Domain { row } = self {
            write!(f, " in row {row}")?;
        }
        self.advice()
            .map_or(Ok(()), |advice| write!(f, "; {advice}"))
    }
}

/// Work done by a solve. Counts only: they are the same on every machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Stats {
    /// Pivots of a pivoting method, sweeps of an iterative one, Newton steps of a nonlinear one, over all tries.
    pub iterations: usize,
    /// Numeric factorisations.
    pub factorizations: usize,
    /// Covering vectors tried by Lemke's method beyond the first; restarts of other methods.
    pub restarts: usize,
    /// Pivots inside of the iterations of [`Path`](crate::Path).
    pub pivots: usize,
    /// Steps of projected Newton before the first iteration of [`Path`](crate::Path).
    pub crash_iterations: usize,
    /// Steps along the gradient of the merit function.
    pub gradient_steps: usize,
    /// Points at which a nonlinear F was asked for, those where it was not defined included.
    pub evaluations: usize,
    /// Points at which the Jacobian of a nonlinear F was asked for.
    pub jacobians: usize,
}

impl std::ops::AddAssign for Stats {
    fn add_assign(&mut self, other: Self) {
        self.iterations += other.iterations;
        self.factorizations += other.factorizations;
        self.restarts += other.restarts;
        self.pivots += other.pivots;
        self.crash_iterations += other.crash_iterations;
        self.gradient_steps += other.gradient_steps;
        self.evaluations += other.evaluations;
        self.jacobians += other.jacobians;
    }
}

/// What a finished solve knows about a problem that it did not solve.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Certificate {
    /// y ≥ 0 with Mᵀy ≤ 0 and qᵀy < 0: no z ≥ 0 has M z + q ≥ 0. Checked numerically before it is reported.
    ///
    /// With bounds: y_i ≥ 0 where z_i has a lower bound only, ≤ 0 where it has an upper bound only, of any sign where it
    /// has none, and 0 where it has both; qᵀy + max { (Mᵀy)ᵀz : l ≤ z ≤ u } < 0, with a maximum that exists. Then no z
    /// between its bounds has F = M z + q with the signs that its rows ask for, as yᵀF ≥ 0 is what they ask.
    Farkas(Vec<f64>),
    /// Impulses d in the cones of a friction problem that move nothing, Wᵀd = 0, with qᵀd < 0: no impulses lead to velocities that
    /// its law allows. [`FrictionProblem::is_refuted_by`](crate::FrictionProblem::is_refuted_by) checks it from the data.
    SelfStress(Vec<f64>),
    /// The secondary ray (z̄, w̄, z̄₀) on which Lemke's method ended: w̄ = M z̄ + d z̄₀ with all parts ≥ 0. With bounds z̄
    /// and w̄ are the directions of z and F, each with the sign that its bound allows.
    Ray {
        /// Direction of z.
        z: Vec<f64>,
        /// Direction of w, or of F.
        w: Vec<f64>,
        /// Direction of the artificial variable.
        z0: f64,
    },
}

/// The answer of a solver.
#[must_use = "a solve can fail: look at `status`"]
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Solution {
    /// The solution, or the best iterate if `status` is not [`Status::Solved`]. Finite, length n.
    pub z: Vec<f64>,
    /// How the solve ended.
    pub status: Status,
    /// Largest scaled natural residual over the rows, recomputed from the original data.
    pub residual: f64,
    /// Work done.
    pub stats: Stats,
    /// The final basis, for the next warm start; pivoting methods only.
    pub basis: Option<Basis>,
    /// Why there is no solution, or on what ray the method ended.
    pub certificate: Option<Certificate>,
}

/// One iterate as an [`Observer`] sees it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Iterate<'a> {
    /// Number of the iteration, from 0.
    pub iteration: usize,
    /// The method's own progress measure: the artificial variable for Lemke, the residual for iterative methods.
    pub measure: f64,
    /// Entering variable of a pivoting method, in the method's numbering.
    pub entering: Option<usize>,
    /// Leaving variable of a pivoting method, in the method's numbering.
    pub leaving: Option<usize>,
    /// Current point, where the method has one at hand.
    pub z: Option<&'a [f64]>,
    /// What a nonlinear method tells about its step.
    pub step: Option<StepRecord>,
}

/// One step of a nonlinear method, the columns of PATH's log.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct StepRecord {
    /// Part of the method: before the first iteration, or an iteration.
    pub phase: Phase,
    /// Pivots of this step; changes of the active set in the crash.
    pub minor: usize,
    /// Points at which F was asked for so far.
    pub evaluations: usize,
    /// Points at which the Jacobian was asked for so far.
    pub jacobians: usize,
    /// Natural residual after the step.
    pub residual: f64,
    /// Length of the step, as a part of the full one.
    pub step: f64,
    /// Code of the linearised problem and code of the acceptance: `S` solved, `R` ray, `I` pivot limit, `N` singular, `C`
    /// path closed, `T` tolerance lost; `O` distance and merit, `D` distance, `M` merit, `B` search, `W` watchdog, `G`
    /// gradient, `I` start, `R` restart. Blank where there is none.
    pub codes: [char; 2],
    /// Proximal perturbation of the Jacobian.
    pub proximal: f64,
    /// Largest entry of F by magnitude among the rows with the largest residual, and its row.
    pub worst: (usize, f64),
}

/// Part of a nonlinear method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Projected Newton steps that look for the active set.
    Crash,
    /// Iterations of the method.
    Major,
}

impl Iterate<'_> {
    /// An iterate with its number and progress measure.
    pub fn new(iteration: usize, measure: f64) -> Self {
        Self {
            iteration,
            measure,
            entering: None,
            leaving: None,
            z: None,
            step: None,
        }
    }
}

/// Told of every iterate; may ask to stop. Closures implement it, `()` is silent.
pub trait Observer {
    /// Looks at one iterate; `ControlFlow::Break` stops the solve with [`Status::Stopped`].
    fn observe(&mut self, iterate: &Iterate<'_>) -> ControlFlow<()>;

    /// A flag that is raised, from wherever, when `observe` is going to ask to stop: who solves parts on several threads cannot
    /// tell the observer of iterates before they are done, and looks at the flag. Provided: there is none.
    fn stop_flag(&self) -> Option<&AtomicBool> {
        None
    }
}

impl Observer for () {
    fn observe(&mut self, _: &Iterate<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

impl<F: FnMut(&Iterate<'_>) -> ControlFlow<()>> Observer for F {
    fn observe(&mut self, iterate: &Iterate<'_>) -> ControlFlow<()> {
        self(iterate)
    }
}
