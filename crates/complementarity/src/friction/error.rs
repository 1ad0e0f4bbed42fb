//! Why data form no friction problem, and the checks that say so.

use std::ops::RangeInclusive;

use thiserror::Error;

use super::{BlockRows, FIXED};

/// Why data do not form a [`FrictionProblem`](super::FrictionProblem).
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum FrictionError {
    /// An array has the wrong length.
    #[error("{what} has length {found}, expected {expected}")]
    Length {
        /// Name of the array.
        what: &'static str,
        /// Its length.
        found: usize,
        /// The length it should have.
        expected: usize,
    },
    /// Row blocks have a size that does not fit.
    #[error(
        "{what} rows are {rows} x {dofs} per block, expected {expected} and {dofs_expected} columns"
    )]
    Rows {
        /// `contacts` or `bilateral`.
        what: &'static str,
        /// Rows per block.
        rows: usize,
        /// Columns per block.
        dofs: usize,
        /// What the number of rows may be.
        expected: &'static str,
        /// The number of columns it should have.
        dofs_expected: usize,
    },
    /// A row block names a body that does not exist.
    #[error("{what} row block {block} touches body {body}, there are {bodies}")]
    Body {
        /// `contacts` or `bilateral`.
        what: &'static str,
        /// Number of the row block.
        block: usize,
        /// The body it names.
        body: u32,
        /// Number of bodies.
        bodies: usize,
    },
    /// An entry is NaN or infinite.
    #[error("{what}[{index}] is {value}, which is not finite")]
    NotFinite {
        /// Name of the array.
        what: &'static str,
        /// Index of the entry; for rows, of the row block; for a matrix, number of the entry as stored.
        index: usize,
        /// The value.
        value: f64,
    },
    /// A friction coefficient is negative or above 1e100: its square is part of projections and of M.
    #[error("mu[{contact}] is {value:?}, must be from 0 to 1e100")]
    Friction {
        /// The contact.
        contact: usize,
        /// Its coefficient.
        value: f64,
    },
    /// A coefficient of rolling friction is negative or above 1e100.
    #[error("rolling[{contact}] is {value:?}, must be from 0 to 1e100")]
    Rolling {
        /// The contact.
        contact: usize,
        /// Its coefficient.
        value: f64,
    },
    /// A compliance or a largest impulse of a bilateral row is negative.
    #[error("{what}[{index}] is {value}, must be >= 0")]
    Negative {
        /// Name of the array.
        what: &'static str,
        /// Index of the row.
        index: usize,
        /// The value found.
        value: f64,
    },
    /// A factor of an elliptic cone is not positive.
    #[error("ellipse[{index}] is {value}, must be > 0")]
    Ellipse {
        /// Index of the factor.
        index: usize,
        /// Its value.
        value: f64,
    },
    /// There is no friction law for this number of rows per contact.
    #[error("{found} rows per contact, expected 1 to 6")]
    Dimension {
        /// Rows per contact.
        found: usize,
    },
    /// A mass block is not symmetric positive definite.
    #[error("mass block of body {body} is not symmetric positive definite")]
    Mass {
        /// The body.
        body: usize,
    },
    /// A matrix has the wrong shape.
    #[error("{what} is {rows} x {cols}, expected {expected_rows} x {expected_cols}")]
    Shape {
        /// Name of the matrix.
        what: &'static str,
        /// Rows.
        rows: usize,
        /// Columns.
        cols: usize,
        /// Rows it should have.
        expected_rows: usize,
        /// Columns it should have.
        expected_cols: usize,
    },
    /// W has a negative diagonal entry, or is not symmetric, so that it is no Delassus operator.
    #[error(
        "the Delassus operator W of u = W r + q is not symmetric positive semidefinite: W[{row}, {col}] is {value}{}",
        across(*row, *col, *mirrored)
    )]
    Delassus {
        /// Row of the entry.
        row: usize,
        /// Column of the entry.
        col: usize,
        /// The entry.
        value: f64,
        /// The entry across the diagonal.
        mirrored: f64,
    },
    /// The mass matrix of a global problem is singular.
    #[error("M is singular in the block of row {row}")]
    Singular {
        /// First row of the singular block.
        row: usize,
    },
}

/// The entry across the diagonal, of an entry beside it.
fn across(row: usize, col: usize, mirrored: f64) -> String {
    if row == col {
        String::new()
    } else {
        format!(" and W[{col}, {row}] is {mirrored}")
    }
}

pub(super) fn check_length(
    what: &'static str,
    found: usize,
    expected: usize,
) -> Result<(), FrictionError> {
    if found == expected {
        Ok(())
    } else {
        Err(FrictionError::Length {
            what,
            found,
            expected,
        })
    }
}

pub(super) fn check_finite(what: &'static str, values: &[f64]) -> Result<(), FrictionError> {
    match values.iter().position(|x| !x.is_finite()) {
        Some(index) => Err(FrictionError::NotFinite {
            what,
            index,
            value: values[index],
        }),
        None => Ok(()),
    }
}

pub(super) fn check_shape(
    what: &'static str,
    matrix: &sprs::CsMat<f64>,
    (expected_rows, expected_cols): (usize, usize),
) -> Result<(), FrictionError> {
    let (rows, cols) = matrix.shape();
    if (rows, cols) == (expected_rows, expected_cols) {
        check_finite(what, matrix.data())
    } else {
        Err(FrictionError::Shape {
            what,
            rows,
            cols,
            expected_rows,
            expected_cols,
        })
    }
}

pub(super) fn check_rows(
    what: &'static str,
    rows: &BlockRows,
    (dofs, bodies): (usize, usize),
    (allowed, expected): (RangeInclusive<usize>, &'static str),
) -> Result<(), FrictionError> {
    if rows.is_empty() {
        return Ok(());
    }
    if !allowed.contains(&rows.rows()) || rows.dofs() != dofs {
        return Err(FrictionError::Rows {
            what,
            rows: rows.rows(),
            dofs: rows.dofs(),
            expected,
            dofs_expected: dofs,
        });
    }
    for (block, cols) in rows.cols().iter().enumerate() {
        for (side, &body) in cols.iter().enumerate().filter(|(_, b)| **b != FIXED) {
            if body as usize >= bodies {
                return Err(FrictionError::Body {
                    what,
                    block,
                    body,
                    bodies,
                });
            }
            // Values on a fixed side are never read and may be anything.
            if let Some(&value) = rows.block(block, side).iter().find(|x| !x.is_finite()) {
                return Err(FrictionError::NotFinite {
                    what,
                    index: block,
                    value,
                });
            }
        }
    }
    Ok(())
}
