//! Why a file is no problem.

use std::path::PathBuf;

use thiserror::Error;

use crate::{FrictionError, ProblemError};

/// Words of a file as an error shows them: the first characters, those that a terminal obeys escaped.
pub(super) fn shown(text: &str, most: usize) -> String {
    let mut shown = String::new();
    for (number, c) in text.chars().enumerate() {
        if number == most {
            shown.push('\u{2026}');
            break;
        }
        if c.is_control() {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    shown
}

/// Characters of one word of a file that an error shows.
pub(super) const WORD: usize = 40;

/// Why a file is no problem, matrix or vector. Entries are counted from 0, lines and columns of text from 1.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The file cannot be read.
    #[error("cannot read `{}`: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The gzip stream is damaged or ends early.
    #[error("damaged gzip data: {source}")]
    Compressed {
        /// What the decoder says.
        source: std::io::Error,
    },
    /// More than [`MOST_BYTES`](super::MOST_BYTES), after decompression.
    #[error("more than {limit} bytes of text")]
    TooLarge {
        /// The limit.
        limit: u64,
    },
    /// Not UTF-8.
    #[error("byte {at} begins no UTF-8 character: is this a text file?")]
    NotText {
        /// Number of good bytes before.
        at: usize,
    },
    /// Not JSON, or a field is missing, unknown or of the wrong kind.
    #[error("line {line}, column {column}: {message}")]
    Json {
        /// Line.
        line: usize,
        /// Column.
        column: usize,
        /// What is wrong there.
        message: String,
    },
    /// Another format or version.
    #[error("`format` is \"{found}\": this reads \"{expected}\"")]
    Format {
        /// The format named in the file.
        found: String,
        /// The format that is read here.
        expected: &'static str,
    },
    /// A field that this kind of problem needs is missing.
    #[error("`{field}` is missing: a problem of kind \"{kind}\" needs it")]
    Missing {
        /// The field.
        field: &'static str,
        /// The kind of problem.
        kind: &'static str,
    },
    /// A field that this kind of problem does not have.
    #[error("`{field}` has no meaning in a problem of kind \"{kind}\"")]
    Foreign {
        /// The field.
        field: &'static str,
        /// The kind of problem.
        kind: &'static str,
    },
    /// The kind does not fit the number of rows per contact.
    #[error(
        "`kind` is \"{kind}\" and `dimension` {dimension}: rolling friction has dimension 5 or 6"
    )]
    Kind {
        /// The kind of problem.
        kind: &'static str,
        /// Rows per contact.
        dimension: usize,
    },
    /// An array has the wrong length.
    #[error("`{what}` has length {found}, expected {expected}")]
    Length {
        /// The array.
        what: String,
        /// Its length.
        found: usize,
        /// The length it should have.
        expected: usize,
    },
    /// A number is null, NaN or infinite where it must be finite.
    #[error("`{what}[{index}]` is {found}: a finite number is needed")]
    NotFinite {
        /// The array.
        what: String,
        /// The entry.
        index: usize,
        /// What stands there.
        found: String,
    },
    /// An entry of a covering vector is not positive.
    #[error("`covering[{index}]` is {value:?}: it must be greater than 0")]
    Covering {
        /// The entry.
        index: usize,
        /// Its value.
        value: f64,
    },
    /// An HDF5 file is damaged, or lacks an object that FCLIB's layout asks for.
    #[cfg(feature = "hdf5")]
    #[error("`{object}`: {message}")]
    Hdf5 {
        /// Path of the object inside of the file.
        object: String,
        /// What is wrong with it.
        message: String,
    },
    /// A triplet points outside of the matrix.
    #[error("`{matrix}.{axis}[{entry}]` is {found}: the matrix is {rows} x {cols}, counted from 0")]
    Index {
        /// Name of the matrix.
        matrix: &'static str,
        /// `i` or `j`.
        axis: char,
        /// Number of the triplet.
        entry: usize,
        /// The index.
        found: u64,
        /// Rows of the matrix.
        rows: usize,
        /// Columns of the matrix.
        cols: usize,
    },
    /// Two triplets have the same place.
    #[error("triplets {first} and {second} of `{matrix}` both stand at row {row}, column {col}")]
    Repeated {
        /// Name of the matrix.
        matrix: &'static str,
        /// Number of the first triplet.
        first: usize,
        /// Number of the second.
        second: usize,
        /// Their row.
        row: usize,
        /// Their column.
        col: usize,
    },
    /// The numbers form no problem.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// The numbers form no friction problem.
    #[error(transparent)]
    Friction(#[from] FrictionError),
    /// Not Matrix Market, or a kind of it that is no real matrix.
    #[error("line {line}: {fault}")]
    MatrixMarket {
        /// Line.
        line: usize,
        /// What is wrong there.
        fault: MatrixMarketFault,
    },
}

/// What is wrong in a Matrix Market file.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum MatrixMarketFault {
    /// The first line is not `%%MatrixMarket matrix LAYOUT FIELD SYMMETRY`.
    #[error("the file must begin with `%%MatrixMarket matrix LAYOUT FIELD SYMMETRY`")]
    Banner,
    /// A word of the banner that this reader does not take.
    #[error("{what} `{found}` is not read: use {expected}")]
    Kind {
        /// Layout, field or symmetry.
        what: &'static str,
        /// The word.
        found: String,
        /// The words that are read.
        expected: &'static str,
    },
    /// The line of sizes is missing or wrong.
    #[error("expected the sizes, {expected}")]
    Sizes {
        /// What the line should hold.
        expected: &'static str,
    },
    /// More rows or columns than the reader takes.
    #[error("size {found} is above {most}")]
    Size {
        /// The size.
        found: u64,
        /// The largest one that is read.
        most: usize,
    },
    /// A symmetric or skew-symmetric matrix is not square.
    #[error("a {rows} x {cols} matrix cannot be symmetric")]
    NotSquare {
        /// Rows.
        rows: usize,
        /// Columns.
        cols: usize,
    },
    /// A line has too few or too many words.
    #[error("found {found} words, expected {expected}")]
    Words {
        /// Words found.
        found: usize,
        /// Words expected.
        expected: usize,
    },
    /// An index is no integer from 1 to the size.
    #[error("{axis} index `{found}` is no integer from 1 to {most}")]
    Index {
        /// Row or column.
        axis: &'static str,
        /// The word.
        found: String,
        /// The largest index.
        most: usize,
    },
    /// An entry above the diagonal of a symmetric matrix, or on that of a skew-symmetric one.
    #[error("entry ({row}, {col}) is implied by the symmetry and must not be written")]
    Implied {
        /// Row from 1.
        row: usize,
        /// Column from 1.
        col: usize,
    },
    /// A place is named twice.
    #[error("entry ({row}, {col}) is written twice")]
    Repeated {
        /// Row from 1.
        row: usize,
        /// Column from 1.
        col: usize,
    },
    /// A word is no number, or none that a double can hold.
    #[error("`{found}` is no {expected}")]
    Number {
        /// The word.
        found: String,
        /// `finite number` or `number`.
        expected: &'static str,
    },
    /// The file ends early or goes on after its last entry.
    #[error("found {found} entries, expected {expected}")]
    Entries {
        /// Entries found; one more than expected if the file goes on.
        found: usize,
        /// Entries announced.
        expected: usize,
    },
    /// A vector was asked for.
    #[error("the matrix is {rows} x {cols}: a vector has one column")]
    NotVector {
        /// Rows.
        rows: usize,
        /// Columns.
        cols: usize,
    },
}
