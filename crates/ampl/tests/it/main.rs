//! Integration tests of `signorini-ampl`.

#![expect(clippy::float_cmp, reason = "exact values are meant")]

mod binary;
mod features;
mod hostile;
mod jacobians;
mod problems;
mod random;
