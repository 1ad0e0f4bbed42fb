//! Time stepping with hard contact and friction: each step is one complementarity problem, no collision times are sought.
//!
//! ```math
//! M (v^{+} - v) = h k + J^T p, \qquad 0 \le p_n \perp \Phi/h + J_n v^{+} \ge 0
//! ```
//!
//! A scheme implements [`Stepper`] over any `System`: it knows neither the dimension nor a shape. [`simulate`] runs it
//! and tells a [`Recorder`] of every step.
//!
//! # References
//! - \[ST2000\] D. E. Stewart, J. C. Trinkle, An implicit time-stepping scheme for rigid body dynamics with Coulomb
//!   friction, IEEE ICRA 2000, doi:10.1109/ROBOT.2000.844054.
//! - \[AP1997\] M. Anitescu, F. A. Potra, Formulating dynamic multi-rigid-body contact problems with friction as
//!   solvable linear complementarity problems, Nonlinear Dynamics 14, 1997, doi:10.1023/A:1008292328909.
//! - \[HA2003\] G. D. Hart, M. Anitescu, A hard-constraint time-stepping approach for rigid multibody dynamics with joints,
//!   contact, and friction, 2003.
//! - \[CBAT2007\] N. Chakraborty, S. Berard, S. Akella, J. C. Trinkle, An implicit time-stepping method for multibody
//!   systems with intermittent contact, RSS 2007.

mod anitescu_potra;
mod assemble;
mod cone;
mod geometrically_implicit;
mod hart_anitescu;
mod impact_energy;
mod islands;
mod latch;
mod lcp;
mod lu;
mod penalty;
mod pivots;
mod plane;
mod projection;
mod pyramid;
mod rank;
mod report;
mod restitution;
mod rows;
mod simulate;
mod step;
mod stepper;
mod stewart_trinkle;
mod trajectory;
mod tzitzouris_pang;
mod unsolved;
mod violation;

pub use anitescu_potra::{AnitescuPotra, AnitescuPotraSettings};
pub use geometrically_implicit::{
    Formulation, GapFunction, GeometricallyImplicit, GeometricallyImplicitSettings,
};
pub use hart_anitescu::{ActiveSet, Anitescu, ContactForm, HartAnitescu, HartAnitescuSettings};
pub use penalty::{Penalty, PenaltyRule, PenaltySettings};
pub use projection::Projection;
pub use report::{Components, ContactReport, Impact, JointReport, JointRowKind, Mode, StepReport};
pub use restitution::ImpactLaw;
pub use simulate::{Recorder, Run, RunSummary, simulate};
pub use stepper::{StepError, Stepper};
pub use stewart_trinkle::{Evaluation, Stall, StewartTrinkle, StewartTrinkleSettings};
pub use trajectory::Trajectory;
pub use tzitzouris_pang::TzitzourisPang;
pub use unsolved::UnsolvedStep;

/// The examples of the README run as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
