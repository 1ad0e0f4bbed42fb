//! Integration tests of the complementarity crate.

mod cases;
mod conformance;
mod enumeration;
mod friction;
mod lemke;
mod properties;
