//! Integration tests of `signorini-ampl`.

#![expect(clippy::float_cmp, reason = "exact values are meant")]

mod jacobians;
mod path_features;
mod problems;
mod random;
