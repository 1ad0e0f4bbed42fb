//! Velocities that several threads change at once, each those of other bodies.

#![expect(
    clippy::inline_always,
    reason = "what a kernel calls is compiled for wide vectors only if it is inlined"
)]

use std::sync::atomic::{AtomicU64, Ordering};

use super::group::Velocities;
use crate::friction::four::{LANES, Quad};

/// Velocities as bits: threads may hold them together, and no two of them ask for those of the same body between two
/// meetings, but for the last one.
#[derive(Debug, Default)]
pub(super) struct Shared {
    parts: Vec<[AtomicU64; LANES]>,
    /// The first part of the last body, which all threads see and nobody changes.
    fixed: usize,
}

impl Clone for Shared {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Shared {
    /// Takes velocities of so many parts each.
    pub(super) fn load(&mut self, v: &[Quad], parts: usize) {
        self.parts
            .resize_with(v.len(), || std::array::from_fn(|_| AtomicU64::new(0)));
        self.fixed = v.len() - parts;
        for (shared, v) in self.parts.iter().zip(v) {
            set(shared, *v);
        }
    }

    pub(super) fn store(&self, v: &mut [Quad]) {
        for (v, shared) in v.iter_mut().zip(&self.parts) {
            *v = get(shared);
        }
    }
}

impl Velocities for &Shared {
    #[inline(always)]
    fn get(&self, part: usize) -> Quad {
        get(&self.parts[part])
    }

    #[inline(always)]
    fn set(&mut self, part: usize, v: Quad) {
        if part < self.fixed {
            set(&self.parts[part], v);
        }
    }
}

#[inline(always)]
fn get(shared: &[AtomicU64; LANES]) -> Quad {
    Quad(
        shared
            .each_ref()
            .map(|bits| f64::from_bits(bits.load(Ordering::Relaxed))),
    )
}

#[inline(always)]
fn set(shared: &[AtomicU64; LANES], v: Quad) {
    for (shared, v) in shared.iter().zip(v.0) {
        shared.store(v.to_bits(), Ordering::Relaxed);
    }
}
