//! Frictional contact of one time step, in block form.

mod block_rows;

pub use block_rows::{BlockRows, FIXED};
