//! Integration tests of the steppers: closed-form steps, invariants of every step, failures and restarts.

mod analytic;
mod failures;
mod invariants;
mod restart;
mod worlds;
