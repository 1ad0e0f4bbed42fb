//! Seeded random pairs of convex bodies: every kind beside every other, apart, touching, and in overlap.
//!
//! A [`Recipe`] says in numbers what a body is, so that a judge can know it without asking the crate that is judged.

mod judge;
mod kinds;
mod pair;
mod queries;
mod recipe;

pub use judge::{Judgement, best_separation, closed_gap, judge, separation, support, worst};
pub use kinds::{Kind, PLANAR_KINDS, SPATIAL_KINDS};
pub use pair::{Class, MakeError, Member, Pair};
pub use queries::Queries;
pub use recipe::{Dimension, Recipe, Space};
