//! Loops that are compiled twice, for the vectors that every machine of an architecture has and for wider ones.
//!
//! # Method
//! A program that runs everywhere may use two lanes of `f64` on x86-64; where the processor has four, which is asked when
//! it runs, the second copy of a loop is taken.
//!
//! # Guarantees and limits
//! Both copies do the same operations in the same order, and products and sums are never contracted, so the bits are
//! the same. Only what is inlined into [`Kernel::run`] is compiled twice.

use pulp::{Arch, Simd, WithSimd};

/// A loop with its data.
pub(super) trait Kernel {
    /// What the loop finds.
    type Output;

    /// The loop; it and the functions that it calls have to be `#[inline(always)]`.
    fn run(self) -> Self::Output;
}

struct Copies<K>(K);

impl<K: Kernel> WithSimd for Copies<K> {
    type Output = K::Output;

    #[expect(
        clippy::inline_always,
        reason = "the copy with wide vectors is the function that this is inlined into"
    )]
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> K::Output {
        self.0.run()
    }
}

/// Runs a loop with the widest vectors that the processor has.
pub(super) fn widest<K: Kernel>(kernel: K) -> K::Output {
    Arch::new().dispatch(Copies(kernel))
}
