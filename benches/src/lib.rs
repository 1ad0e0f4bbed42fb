//! What the benches share: the calibration kernel and their inputs. The validation uses the families of problems too.
//!
//! A bench is named `<group>/<case>/<n>`. Its setup is outside the timed part; work counters, which are the same on every
//! machine, are printed once beside the time. Compare ratios of times measured in one run; across machines compare
//! times divided by the calibration.

#![cfg_attr(test, expect(clippy::float_cmp, reason = "exact values are meant"))]

mod boxes;
pub mod brazil_nut;
mod calibration;
pub mod families;
pub mod pairs;
pub mod parry;
mod pile;
mod public_mcp;
mod swarm;
mod sweep;
mod timing;

pub use boxes::BoxPairs;
pub use calibration::{SIZE, calibrate, factorize, matrix, print_calibration};
pub use pile::pile;
pub use public_mcp::{PublicMcp, ReadError};
pub use swarm::Swarm;
pub use sweep::Sweep;
pub use timing::{spread, timed};
