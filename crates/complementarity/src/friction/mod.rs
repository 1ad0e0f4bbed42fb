//! Frictional contact of one time step, in block form.

mod accelerated;
mod admm;
mod anderson;
mod augmented_lagrangian;
mod balance;
mod block_gauss_seidel;
mod block_lu;
mod block_rows;
mod blocks;
mod cone;
mod convex_pyramid;
mod equation;
mod error;
mod extragradient;
mod four;
mod global;
mod islands;
mod judge;
mod lanes;
mod laws;
mod local;
mod maps;
mod mass;
mod mixed;
mod newton;
mod newton_system;
mod planar_lemke;
mod polish;
mod portfolio;
mod problem;
mod proximal;
mod pyramid;
mod pyramid_point;
mod regularised;
mod residual;
mod view;

pub use accelerated::{AcceleratedGradient, AcceleratedGradientSettings};
pub use admm::{Admm, AdmmSettings};
pub use augmented_lagrangian::{AugmentedLagrangian, AugmentedLagrangianSettings};
pub use block_gauss_seidel::{BlockGaussSeidel, BlockGaussSeidelSettings, SweepOrder};
pub use block_rows::{BlockRows, FIXED};
pub use convex_pyramid::ConvexPyramid;
pub use error::FrictionError;
pub use extragradient::{Extragradient, ExtragradientSettings};
pub use islands::{FrictionIsland, solve_islands, solve_parts};
pub use laws::{ContactLaws, ContactMode, FrictionLaw};
pub use newton::{FrictionNewton, FrictionNewtonSettings};
pub use planar_lemke::{PlanarLemke, PlanarLemkeSettings};
pub use polish::{FrictionPolish, FrictionPolishSettings};
pub use portfolio::{
    FrictionAnswer, FrictionMethod, FrictionSettings, solve_friction, solve_friction_observed,
};
pub use problem::{FrictionData, FrictionProblem};
pub use proximal::{ProximalPoint, ProximalPointSettings};
pub use pyramid::{Pyramid, PyramidForm};
pub use residual::{ContactResidual, FrictionResiduals, ResidualMeasure};
