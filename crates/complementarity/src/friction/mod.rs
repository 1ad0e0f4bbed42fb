//! Frictional contact of one time step, in block form.

mod block_rows;
mod mass;
mod problem;
mod pyramid;

pub use block_rows::{BlockRows, FIXED};
pub use problem::{FrictionData, FrictionError, FrictionProblem};
pub use pyramid::{Pyramid, PyramidForm};
