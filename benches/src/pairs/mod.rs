//! Seeded random pairs of convex bodies: every kind beside every other, apart, touching, and in overlap.
//!
//! A [`Recipe`] says in numbers what a body is, so that a judge can know it without asking the crate that is judged.

mod kinds;
mod pair;
mod recipe;

pub use kinds::{Kind, PLANAR_KINDS, SPATIAL_KINDS};
pub use pair::{Class, MakeError, Member, Pair};
pub use recipe::{Dimension, Recipe, Space};
