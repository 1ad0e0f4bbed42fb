//! Trajectories as CSV: one row per recorded time, one column per coordinate.
//!
//! The header names quantity, body and unit, `ball.v_x [m/s]`; numbers have 17 significant digits, so that reading
//! them gives the same bits. A name with a comma or a quotation mark is quoted as RFC 4180 says.

mod column;
mod reader;
mod writer;

pub use column::Column;
pub use reader::{ReadTrajectoryError, TrajectoryTable};
pub use writer::{TrajectoryError, TrajectoryWriter};
