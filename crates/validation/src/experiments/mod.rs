//! One folder per experiment, named after paper and item.

mod st2000_balls;
mod st2000_rod;

pub use st2000_balls::{St2000Balls, measures as st2000_balls_measures};
pub use st2000_rod::{St2000Rod, exact as st2000_rod_exact};
