//! What earlier points say about the one at hand.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Points run off if their size grows by this so many times in succession.
const GROWTH: f64 = 1.5;
const GROWN: usize = 12;

/// Points that come back more often than this, among so many, come back for ever.
const RETURNS: usize = 2;
const MEMORY: usize = 16;

#[derive(Default)]
pub(super) struct Company {
    /// Whether the last step was a full and short one.
    pub(super) short: bool,
    /// Largest entry of the last point, and how often in succession it has grown.
    size: f64,
    grown: usize,
    /// Of the last points, what tells them apart.
    seen: VecDeque<u64>,
}

impl Company {
    /// Whether the points run off, or come again and again.
    pub(super) fn is_lost(&mut self, z: &[f64]) -> bool {
        let size = z.iter().fold(1.0_f64, |m, z| m.max(z.abs()));
        let grows = size > GROWTH * self.size;
        self.grown = if grows { self.grown + 1 } else { 0 };
        self.size = size;
        let mut hasher = DefaultHasher::new();
        for z in z {
            z.to_bits().hash(&mut hasher);
        }
        let own = hasher.finish();
        let again = self.seen.iter().filter(|seen| **seen == own).count();
        self.seen.push_back(own);
        if self.seen.len() > MEMORY {
            self.seen.pop_front();
        }
        self.grown > GROWN || again > RETURNS
    }
}
