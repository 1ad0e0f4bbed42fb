//! Complementarity problems and their solvers: linear (LCP), mixed with bounds (LMCP), and frictional contact.
//!
//! ```math
//! w = M z + q, \qquad 0 \le z \perp w \ge 0
//! ```
//!
//! This crate knows no mechanics beyond the block form of a frictional contact step: it reads numbers and
//! answers with numbers, a status and a residual that is recomputed from the original data.

#![cfg_attr(test, expect(clippy::float_cmp, reason = "exact values are meant"))]

mod block_pivoting;
#[cfg(feature = "collection")]
pub mod collection;
mod dense;
mod exchange;
mod friction;
mod gauss_seidel;
mod interior_point;
#[cfg(feature = "io")]
pub mod io;
mod lemke;
mod linalg;
mod ncp_function;
mod ordering;
mod path;
mod polish;
mod portfolio;
mod problem;
mod reduce;
mod residual;
mod rng;
mod semismooth;
mod sensitivity;
mod solver;
mod sparse_lu;

/// The sparse matrices that problems are made of.
pub use sprs;

pub use block_pivoting::{BlockPivoting, BlockPivotingSettings};
pub use friction::{
    AcceleratedGradient, AcceleratedGradientSettings, Admm, AdmmSettings, AugmentedLagrangian,
    AugmentedLagrangianSettings, BlockGaussSeidel, BlockGaussSeidelSettings, BlockRows,
    ConeInteriorPoint, ConeInteriorPointSettings, ContactLaws, ContactMode, ContactResidual,
    ConvexPyramid, Extragradient, ExtragradientSettings, FIXED, FrictionAnswer, FrictionData,
    FrictionError, FrictionIsland, FrictionLaw, FrictionMethod, FrictionNewton,
    FrictionNewtonSettings, FrictionPolish, FrictionPolishSettings, FrictionProblem,
    FrictionResiduals, FrictionSettings, PlanarLemke, PlanarLemkeSettings, ProximalPoint,
    ProximalPointSettings, Pyramid, PyramidForm, ResidualMeasure, SweepOrder, solve_friction,
    solve_friction_observed, solve_islands, solve_parts,
};
pub use gauss_seidel::{GaussSeidel, GaussSeidelSettings};
pub use interior_point::{InteriorPoint, InteriorPointSettings};
pub use lemke::{Lemke, LemkeForm, LemkeSettings};
pub use ncp_function::NcpFunction;
pub use path::{CrashMethod, LemkeStart, MeritFunction, Path, PathLog, PathSettings, SearchType};
pub use portfolio::{Answer, Method, Portfolio, PortfolioSettings, solve, solve_mcp};
pub use problem::{
    Assembler, Bounds, DomainError, Lcp, LinearMcp, Mcp, ProblemError, mcp_jacobian, mcp_residual,
};
pub use residual::{LinearView, RowResidual, natural_residual, worst_rows};
pub use semismooth::{SemismoothNewton, SemismoothSettings};
pub use sensitivity::{
    Gradient, Sensitivity, SensitivityError, SensitivitySettings, sensitivity, sensitivity_at,
};
pub use solver::{
    Basis, BasisMark, Certificate, Iterate, Observer, Phase, Solution, Solver, Start, Stats,
    Status, StepRecord,
};

/// Keeps the example of the README compiling.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExamples;
