//! Loops that are compiled twice, for the vectors that every machine of an architecture has and for wider ones.
//!
//! # Method
//! A program that runs everywhere may use two lanes of `f64` on x86-64; where the processor has four, which is asked when
//! it runs, the second copy of a loop is taken.
//!
//! # Guarantees and limits
//! Both copies do the same operations in the same order, and products and sums are never contracted, so the bits are
//! the same. Only what is inlined into [`Kernel::run`] is compiled twice.

use pulp::{Arch, Scalar256b, Simd, WithSimd};

use super::four::Fours;

/// A loop with its data.
pub(super) trait Kernel {
    /// What the loop finds.
    type Output;

    /// The loop; it and the functions that it calls have to be `#[inline(always)]`.
    fn run(self) -> Self::Output;
}

/// A loop with its data that takes numbers by four.
pub(super) trait FourKernel {
    /// What the loop finds.
    type Output;

    /// The loop; it and the functions that it calls have to be `#[inline(always)]`.
    fn run<S: Fours>(self, simd: S) -> Self::Output;
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

struct FourCopies<K, V>(K, V);

impl<K: FourKernel, V: Fours> WithSimd for FourCopies<K, V> {
    type Output = K::Output;

    #[expect(
        clippy::inline_always,
        reason = "the copy with wide vectors is the function that this is inlined into"
    )]
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> K::Output {
        self.0.run(self.1)
    }
}

/// Runs a loop with the widest vectors that the processor has.
pub(super) fn widest<K: Kernel>(kernel: K) -> K::Output {
    Arch::new().dispatch(Copies(kernel))
}

/// Runs a loop with vectors of four, of the processor if it has them.
pub(super) fn by_four<K: FourKernel>(kernel: K) -> K::Output {
    #[cfg(target_arch = "x86_64")]
    if let Some(simd) = pulp::x86::V3::try_new() {
        return Simd::vectorize(simd, FourCopies(kernel, simd));
    }
    by_four_plainly(kernel)
}

/// The same without vectors of four.
pub(super) fn by_four_plainly<K: FourKernel>(kernel: K) -> K::Output {
    Scalar256b.vectorize(FourCopies(kernel, Scalar256b))
}
