//! Problems as files: JSON, plain or gzipped, and Matrix Market.
//!
//! ```math
//! F = M z + q, \qquad l \le z \le u \perp F
//! ```
//!
//! # Method
//! [`ProblemFile`] is a whole problem in one JSON file, with where it comes from and what is known of its answers;
//! [`FrictionFile`] is the same for frictional contact; with the feature `hdf5` it also reads and writes the layout of the
//! collection FCLIB.
//! [`matrix_market`] reads and writes one matrix or one vector. Both check everything before a problem is built.
//!
//! # Guarantees and limits
//! What is written is read back the same to the last bit, -0 and stored zeros included; the one exception is a stored
//! +0 of a matrix in dense (array) layout, which is not stored again. A file can be wrong in any way: the answer is a
//! [`ReadError`] that names the entry, never a panic, and memory in proportion to the text of the file, but for the sizes
//! that a Matrix Market file claims: up to [`matrix_market::MOST_ROWS`], 80 MB for as many columns. Files are read into
//! memory whole, up to [`MOST_BYTES`].
//!
//! # References
//! - \[BPR1996\] R. F. Boisvert, R. Pozo, K. A. Remington, The Matrix Market exchange formats: initial design, NISTIR
//!   5935, 1996.
//! - The schemas of the JSON files are `docs/problem.schema.json` and `docs/friction.schema.json` in the repository.

mod error;
#[cfg(feature = "hdf5")]
mod fclib;
mod files;
mod friction_file;
mod json;
pub mod matrix_market;
mod problem_file;
mod triplets;

pub use error::{MatrixMarketFault, ReadError};
pub use files::{MOST_BYTES, read_text};
pub use friction_file::{
    DelassusFacts, FrictionFile, FrictionForm, FrictionReference, FrictionResult,
    RecordedVelocities,
};
pub use problem_file::{Expect, KnownSolution, ProblemFile, ReportedResult};
