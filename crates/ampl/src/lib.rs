//! Complementarity problems from AMPL .nl files.
//!
//! AMPL, Pyomo and others write the models of their users as .nl files and read answers from .sol files. This crate reads
//! the first as mixed complementarity problems,
//!
//! ```math
//! l \le z \le u \perp F(z)
//! ```
//!
//! # Method
//! The expressions of the file become one list of steps. F is one pass over it; the Jacobian is a reverse sweep per row
//! over the steps of that row, and defined variables that several rows use are differentiated once per point.
//!
//! # Guarantees and limits
//! Derivatives are exact up to rounding, and entries of the Jacobian are those that the file lists. An evaluation allocates
//! nothing once warm, and where F or an entry is not finite it is a
//! [`DomainError`](signorini_complementarity::DomainError). A file can be wrong in any way: the answer is an [`NlError`]
//! with the line or the byte, never a panic, and memory in proportion to the file. Not read: integer variables, logical
//! constraints, functions from user libraries, objectives that depend on variables; each is an error with a name.
//!
//! # References
//! - \[G2005\] D. M. Gay, Writing .nl files, Sandia National Laboratories SAND2005-7907P, 2005.
//! - \[FFG1999\] M. C. Ferris, R. Fourer, D. M. Gay, Expressing complementarity problems in an algebraic modeling
//!   language and communicating them to solvers, SIAM J. Optim. 9 (1999) 991-1009, doi:10.1137/S105262349833338X.

#![expect(clippy::float_cmp, reason = "exact values are meant")]

mod compile;
mod error;
mod files;
mod graph;
mod header;
mod model;
mod operator;
mod pairing;
mod read;
mod sol;
mod source;
mod tape;

pub use error::{Fault, NlError, Place};
pub use files::MOST_BYTES;
pub use model::{Model, WorstRow};
pub use sol::{Sol, result_code};

/// Keeps the example of the README compiling.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExamples;
