//! Integration tests of the geometry crate.

mod conformance;
mod derivatives;
mod features;
mod mass;
mod properties;
mod regressions;
#[cfg(feature = "serde")]
mod serialise;
mod support;
