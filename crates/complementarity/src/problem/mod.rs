//! Problems as immutable data, validated when built.

mod assembler;
mod bounds;
mod convergence;
mod lcp;
mod linear_mcp;
mod mcp;

pub use assembler::Assembler;
pub use bounds::Bounds;
pub(crate) use convergence::{is_short, runs_off};
pub use lcp::Lcp;
pub use linear_mcp::LinearMcp;
pub use mcp::{DomainError, Mcp, mcp_jacobian, mcp_residual};
pub(crate) use mcp::{evaluate_finite, residual_of, row_residual};

use thiserror::Error;

/// Why data do not form a problem.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ProblemError {
    /// The matrix is not square or does not fit the vector.
    #[error("matrix is {rows} x {cols}, vector has length {len}: all three must be equal")]
    Shape {
        /// Rows of the matrix.
        rows: usize,
        /// Columns of the matrix.
        cols: usize,
        /// Length of the vector.
        len: usize,
    },
    /// A vector has the wrong length.
    #[error("{what} has length {found}, expected {expected}")]
    Length {
        /// Name of the vector.
        what: &'static str,
        /// Its length.
        found: usize,
        /// The length it should have.
        expected: usize,
    },
    /// An entry is NaN or infinite.
    #[error("{what}[{row}, {col}] is {value}, which is not finite")]
    NotFinite {
        /// Name of the array.
        what: &'static str,
        /// Row of the entry.
        row: usize,
        /// Column of the entry (0 for vectors).
        col: usize,
        /// The value.
        value: f64,
    },
    /// A lower bound is above its upper bound, or a bound is NaN.
    #[error("bounds of z[{row}] are [{lower}, {upper}]: lower must not exceed upper")]
    Bounds {
        /// Index of the variable.
        row: usize,
        /// Its lower bound.
        lower: f64,
        /// Its upper bound.
        upper: f64,
    },
}

pub(crate) fn check_finite(what: &'static str, values: &[f64]) -> Result<(), ProblemError> {
    match values.iter().position(|x| !x.is_finite()) {
        Some(row) => Err(ProblemError::NotFinite {
            what,
            row,
            col: 0,
            value: values[row],
        }),
        None => Ok(()),
    }
}

pub(crate) fn check_matrix(m: &sprs::CsMat<f64>, len: usize) -> Result<(), ProblemError> {
    if m.rows() != len || m.cols() != len {
        return Err(ProblemError::Shape {
            rows: m.rows(),
            cols: m.cols(),
            len,
        });
    }
    for (value, (row, col)) in m {
        if !value.is_finite() {
            return Err(ProblemError::NotFinite {
                what: "M",
                row,
                col,
                value: *value,
            });
        }
    }
    Ok(())
}
