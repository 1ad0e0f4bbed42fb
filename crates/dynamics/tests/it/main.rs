//! Integration tests of the dynamics crate.

#![expect(
    clippy::float_cmp,
    reason = "values that are exact are compared exactly"
)]
#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests build worlds that are known to be valid"
)]

mod broad_phase;
mod conformance;
mod contacts;
mod errors;
mod flight;
mod implicit;
mod implicit_pairs;
mod implicit_seams;
mod implicit_step;
mod joints;
mod properties;
#[cfg(feature = "serde")]
mod restart;
mod support;
mod unions;
