//! Velocities that several threads change at once, each those of other bodies.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::record::Record;
use super::{Sweep, Variable};
use crate::friction::local::Local;

/// Contacts of one colour from which threads pay: their work has to outweigh the meeting at the end of the colour.
const MANY: usize = 512;

/// Contacts that one thread takes at a time. Sums are taken over these pieces in their order, whoever did them.
const PIECE: usize = 128;

/// Whether a sweep over groups that end here is worth threads.
pub(super) fn pays(ends: &[usize]) -> bool {
    let starts = std::iter::once(&0).chain(ends);
    starts.zip(ends).any(|(start, end)| end - start >= MANY)
}

/// One velocity of each body, as bits: threads may hold it together, and no two of them ask for the same body between two
/// meetings.
#[derive(Debug, Default)]
pub(super) struct Velocities<const N: usize>(Vec<[AtomicU64; N]>);

impl<const N: usize> Clone for Velocities<N> {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl<const N: usize> Velocities<N> {
    pub(super) fn load(&mut self, v: &[[f64; N]]) {
        self.0
            .resize_with(v.len(), || std::array::from_fn(|_| AtomicU64::new(0)));
        for (shared, v) in self.0.iter().zip(v) {
            set(shared, v);
        }
    }

    pub(super) fn store(&self, v: &mut [[f64; N]]) {
        for (v, shared) in v.iter_mut().zip(&self.0) {
            *v = get(shared);
        }
    }

    /// One colour.
    pub(super) fn sweep<'a, const D: usize>(
        &self,
        range: Range<usize>,
        (records, variables): (&[Record<D, N>], &mut [Variable<D>]),
        local: impl Fn(usize) -> &'a Local<D> + Sync,
        relaxation: f64,
    ) -> Sweep {
        let fixed = self.0.len() - 1;
        let piece = |(records, variables): (&[Record<D, N>], &mut [Variable<D>])| {
            let mut sweep = Sweep::default();
            for (record, variable) in records.iter().zip(variables) {
                let bodies = record.bodies();
                let mut v = bodies.map(|body| get(&self.0[body]));
                let rest = (local(record.place()), &mut sweep);
                if record.advance(variable, &mut v, relaxation, rest) {
                    for (body, v) in bodies.iter().zip(&v) {
                        // The one velocity that all threads see, and nobody changes.
                        if *body != fixed {
                            set(&self.0[*body], v);
                        }
                    }
                }
            }
            sweep
        };
        let (records, variables) = (&records[range.clone()], &mut variables[range]);
        let pieces: Vec<Sweep> = if records.len() < MANY {
            let pieces = records.chunks(PIECE).zip(variables.chunks_mut(PIECE));
            pieces.map(piece).collect()
        } else {
            let pieces = records.par_chunks(PIECE);
            let pieces = pieces.zip(variables.par_chunks_mut(PIECE));
            pieces.map(piece).collect()
        };
        pieces.into_iter().fold(Sweep::default(), |mut sum, piece| {
            sum += piece;
            sum
        })
    }
}

fn get<const N: usize>(shared: &[AtomicU64; N]) -> [f64; N] {
    std::array::from_fn(|n| f64::from_bits(shared[n].load(Ordering::Relaxed)))
}

fn set<const N: usize>(shared: &[AtomicU64; N], v: &[f64; N]) {
    for (shared, v) in shared.iter().zip(v) {
        shared.store(v.to_bits(), Ordering::Relaxed);
    }
}
