//! Frictional contact of one time step, in block form.

mod block_rows;
mod cone;
mod error;
mod extragradient;
mod global;
mod laws;
mod mass;
mod portfolio;
mod problem;
mod pyramid;
mod residual;
mod view;

pub use block_rows::{BlockRows, FIXED};
pub use error::FrictionError;
pub use extragradient::{Extragradient, ExtragradientSettings};
pub use laws::{ContactLaws, ContactMode, FrictionLaw};
pub use portfolio::{
    FrictionAnswer, FrictionMethod, FrictionSettings, solve_friction, solve_friction_observed,
};
pub use problem::{FrictionData, FrictionProblem};
pub use pyramid::{Pyramid, PyramidForm};
pub use residual::{ContactResidual, FrictionResiduals, ResidualMeasure};
