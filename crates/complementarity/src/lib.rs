//! Complementarity problems and their solvers: linear (LCP), mixed with bounds (LMCP), and frictional contact.
//!
//! ```math
//! w = M z + q, \qquad 0 \le z \perp w \ge 0
//! ```
//!
//! This crate knows no mechanics beyond the block form of a frictional contact step: it reads numbers and
//! answers with numbers, a status and a residual that is recomputed from the original data.

mod friction;
mod problem;

mod solver;

pub use friction::{
    BlockRows, FIXED, FrictionData, FrictionError, FrictionProblem, Pyramid, PyramidForm,
};
pub use problem::{Bounds, Lcp, LinearMcp, ProblemError};

pub use solver::{
    Basis, BasisMark, Certificate, Iterate, Observer, Solution, Solver, Start, Stats, Status,
};
