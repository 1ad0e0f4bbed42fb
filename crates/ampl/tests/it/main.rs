//! Integration tests of `signorini-ampl`.

#![expect(
    clippy::float_cmp,
    clippy::format_push_string,
    clippy::too_many_lines,
    clippy::unwrap_used,
    reason = "tests: exact values are meant, files are text, tables are long, helpers fail the test"
)]

mod binary;
mod features;
mod hostile;
mod jacobians;
mod path_features;
mod problems;
mod program;
mod random;
