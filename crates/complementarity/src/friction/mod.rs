//! Frictional contact of one time step, in block form.

mod block_gauss_seidel;
mod block_lu;
mod block_rows;
mod blocks;
mod cone;
mod error;
mod global;
mod judge;
mod laws;
mod local;
mod mass;
mod newton;
mod problem;
mod pyramid;
mod residual;
mod view;

pub use block_gauss_seidel::{BlockGaussSeidel, BlockGaussSeidelSettings};
pub use block_rows::{BlockRows, FIXED};
pub use error::FrictionError;
pub use laws::{ContactLaws, ContactMode, FrictionLaw};
pub use newton::{FrictionNewton, FrictionNewtonSettings};
pub use problem::{FrictionData, FrictionProblem};
pub use pyramid::{Pyramid, PyramidForm};
pub use residual::{ContactResidual, FrictionResiduals, ResidualMeasure};
