//! Integration tests of `signorini-ampl`.

#![expect(clippy::float_cmp, reason = "exact values are meant")]
#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test")]

mod binary;
mod features;
mod hostile;
mod jacobians;
mod path_features;
mod problems;
mod program;
mod random;
