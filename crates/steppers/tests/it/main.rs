//! Integration tests of the steppers: closed-form steps, invariants of every step, failures and restarts.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test")]

mod analytic;
mod balance;
mod capstan;
mod corners;
mod curved;
mod efforts;
mod failures;
mod flat;
mod flush_faces;
mod gradient;
mod grooves;
mod hart_anitescu;
mod hostile;
mod impact_energy;
mod impacts;
mod implicit;
mod implicit_driven;
mod implicit_impacts;
mod implicit_joints;
mod implicit_loops;
mod implicit_seams;
mod invariants;
mod islands;
mod projection;
mod relaxed_pyramid;
mod restart;
mod rolling;
mod seam_landings;
mod seams;
mod stacks;
mod tangential;
mod torsion;
mod tzitzouris_pang;
mod unions;
mod walls;
mod worlds;
