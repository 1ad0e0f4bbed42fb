//! Frictional contact of one time step, in block form.

mod accelerated;
mod admm;
mod balance;
mod block_rows;
mod cone;
mod error;
mod extragradient;
mod global;
mod laws;
mod maps;
mod mass;
mod newton_system;
mod portfolio;
mod problem;
mod proximal;
mod pyramid;
mod regularised;
mod residual;
mod view;

pub use accelerated::{AcceleratedGradient, AcceleratedGradientSettings};
pub use admm::{Admm, AdmmSettings};
pub use block_rows::{BlockRows, FIXED};
pub use error::FrictionError;
pub use extragradient::{Extragradient, ExtragradientSettings};
pub use laws::{ContactLaws, ContactMode, FrictionLaw};
pub use portfolio::{
    FrictionAnswer, FrictionMethod, FrictionSettings, solve_friction, solve_friction_observed,
};
pub use problem::{FrictionData, FrictionProblem};
pub use proximal::{ProximalPoint, ProximalPointSettings};
pub use pyramid::{Pyramid, PyramidForm};
pub use residual::{ContactResidual, FrictionResiduals, ResidualMeasure};
