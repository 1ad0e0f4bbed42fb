//! Frictional contact of one time step, in block form.

mod block_rows;
mod cone;
mod error;
mod global;
mod laws;
mod maps;
mod mass;
mod problem;
mod proximal;
mod pyramid;
mod regularised;
mod residual;
#[cfg_attr(not(test), expect(dead_code, reason = "for the solvers that read it"))]
mod view;

pub use block_rows::{BlockRows, FIXED};
pub use error::FrictionError;
pub use laws::{ContactLaws, ContactMode, FrictionLaw};
pub use problem::{FrictionData, FrictionProblem};
pub use proximal::{ProximalPoint, ProximalPointSettings};
pub use pyramid::{Pyramid, PyramidForm};
pub use residual::{ContactResidual, FrictionResiduals, ResidualMeasure};
