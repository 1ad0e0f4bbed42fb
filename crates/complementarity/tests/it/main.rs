//! Integration tests of the complementarity crate.

#![expect(
    clippy::unwrap_used,
    clippy::float_cmp,
    clippy::format_push_string,
    reason = "tests: a panic is a failure, exact values are meant, a path is text"
)]

mod block_pivoting;
mod cases;
mod certificates;
mod conformance;
mod enumeration;
#[cfg(feature = "hdf5")]
mod fclib;
mod fixture;
mod formats;
mod friction;
mod friction_collection;
mod friction_cones;
mod friction_efforts;
mod friction_files;
mod friction_interior;
mod friction_multipliers;
mod friction_planar;
mod friction_refuted;
mod friction_robust;
mod friction_rolling;
mod friction_solvers;
mod functions;
mod hostile;
mod hostile_files;
mod hostile_mcp;
mod interior_point;
mod lemke;
mod path;
mod portfolio;
mod problems;
mod properties;
mod random;
mod runaway;
mod semismooth;
mod sensitivity;
mod sparse;
