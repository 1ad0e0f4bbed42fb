//! Integration tests of the geometry crate.

#![expect(
    clippy::unwrap_used,
    reason = "helpers and strategies of tests build shapes that are known to be valid"
)]

mod broad;
mod cases;
mod conformance;
mod derivatives;
mod features;
mod hostile;
mod hostile_intersections;
mod intersections;
mod kinematics;
mod mass;
mod patches;
mod polytopes;
mod properties;
mod regressions;
#[cfg(feature = "serde")]
mod serialise;
mod shapes;
mod support;
mod unions;
