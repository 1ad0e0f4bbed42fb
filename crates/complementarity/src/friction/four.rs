//! Four numbers at once, one for each of four contacts.
//!
//! # Method
//! pulp's vectors of four, of the processor where it has them and else arrays, with operators.
//!
//! # Guarantees and limits
//! Each entry sees the operations that a lone number would see, in their order, and products and sums are never contracted,
//! so the bits are the same.

#![expect(
    clippy::inline_always,
    reason = "vector instructions are for what is inlined into the copy of a kernel that has them"
)]

use std::ops::{Add, AddAssign, BitAnd, BitOr, Div, Mul, Not, Sub, SubAssign};

use pulp::{Simd, bytemuck, f64x4, m64x4};

/// How many.
pub(super) const LANES: usize = 4;

/// Four numbers in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(32))]
pub(super) struct Quad(pub(super) [f64; LANES]);

impl Quad {
    pub(super) fn from_fn(f: impl Fn(usize) -> f64) -> Self {
        Self(std::array::from_fn(f))
    }
}

/// A processor, or a copy of a kernel, with vectors of four.
pub(super) trait Fours: Simd<f64s = f64x4, m64s = m64x4> {
    /// The numbers in memory.
    #[inline(always)]
    fn load(self, x: &Quad) -> Four<Self> {
        self.four(x.0)
    }

    /// Four numbers.
    #[inline(always)]
    fn four(self, x: [f64; LANES]) -> Four<Self> {
        Four(self, bytemuck::cast(x))
    }

    /// The same number in each entry.
    #[inline(always)]
    fn splat(self, x: f64) -> Four<Self> {
        Four(self, self.splat_f64s(x))
    }

    /// Entry j of vector i from entry i of vector j.
    #[inline(always)]
    fn transpose(self, x: [Four<Self>; LANES]) -> [Four<Self>; LANES] {
        let [a, b, c, d] = self.deinterleave_shfl_f64s([x[0].1, x[1].1, x[2].1, x[3].1]);
        [Four(self, a), Four(self, b), Four(self, c), Four(self, d)]
    }
}

impl<S: Simd<f64s = f64x4, m64s = m64x4>> Fours for S {}

/// Four numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Four<S: Fours>(S, f64x4);

/// Four answers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mask<S: Fours>(S, m64x4);

impl<S: Fours> Four<S> {
    #[inline(always)]
    pub(super) fn get(self) -> [f64; LANES] {
        bytemuck::cast(self.1)
    }

    #[inline(always)]
    pub(super) fn store(self) -> Quad {
        Quad(self.get())
    }

    #[inline(always)]
    pub(super) fn sqrt(self) -> Self {
        Self(self.0, self.0.sqrt_f64s(self.1))
    }

    #[inline(always)]
    pub(super) fn abs(self) -> Self {
        Self(self.0, self.0.abs_f64s(self.1))
    }

    /// a ≤ b; false for NaN, like all comparisons.
    #[inline(always)]
    pub(super) fn le(self, other: Self) -> Mask<S> {
        Mask(self.0, self.0.less_than_or_equal_f64s(self.1, other.1))
    }

    #[inline(always)]
    pub(super) fn ge(self, other: Self) -> Mask<S> {
        other.le(self)
    }

    #[inline(always)]
    pub(super) fn gt(self, other: Self) -> Mask<S> {
        Mask(self.0, self.0.less_than_f64s(other.1, self.1))
    }

    #[inline(always)]
    pub(super) fn equals(self, other: Self) -> Mask<S> {
        Mask(self.0, self.0.equal_f64s(self.1, other.1))
    }
}

impl<S: Fours> Mask<S> {
    #[inline(always)]
    pub(super) fn get(self) -> [bool; LANES] {
        let m64x4(a, b, c, d) = self.1;
        [a.is_set(), b.is_set(), c.is_set(), d.is_set()]
    }

    #[inline(always)]
    pub(super) fn any(self) -> bool {
        let [a, b, c, d] = self.get();
        a | b | c | d
    }

    #[inline(always)]
    pub(super) fn all(self) -> bool {
        let [a, b, c, d] = self.get();
        a & b & c & d
    }

    /// `yes` where it holds, else `no`.
    #[inline(always)]
    pub(super) fn select(self, yes: Four<S>, no: Four<S>) -> Four<S> {
        Four(self.0, self.0.select_f64s(self.1, yes.1, no.1))
    }
}

macro_rules! operators {
    ($($trait:ident $method:ident $type:ident $function:ident;)*) => {$(
        impl<S: Fours> $trait for $type<S> {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self(self.0, self.0.$function(self.1, other.1))
            }
        }
    )*};
}

operators! {
    Add add Four add_f64s;
    Sub sub Four sub_f64s;
    Mul mul Four mul_f64s;
    Div div Four div_f64s;
    BitAnd bitand Mask and_m64s;
    BitOr bitor Mask or_m64s;
}

impl<S: Fours> Not for Mask<S> {
    type Output = Self;

    #[inline(always)]
    fn not(self) -> Self {
        Self(self.0, self.0.not_m64s(self.1))
    }
}

impl<S: Fours> AddAssign for Four<S> {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl<S: Fours> SubAssign for Four<S> {
    #[inline(always)]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::friction::lanes::{FourKernel, by_four, by_four_plainly};

    /// One of everything.
    struct All([f64; LANES], [f64; LANES]);

    impl FourKernel for All {
        type Output = Vec<[f64; LANES]>;

        #[inline(always)]
        fn run<S: Fours>(self, simd: S) -> Vec<[f64; LANES]> {
            let (a, b) = (simd.four(self.0), simd.load(&Quad(self.1)));
            let (zero, one) = (simd.splat(0.0), simd.splat(1.0));
            let answers = |mask: Mask<S>| mask.select(one, zero).get();
            let mut all = vec![
                (a + b).get(),
                (a - b).get(),
                (a * b).get(),
                (a / b).get(),
                a.sqrt().get(),
                a.abs().get(),
                answers(a.le(b)),
                answers(a.ge(b)),
                answers(a.gt(b)),
                answers(a.equals(b)),
                answers(!a.gt(b) & a.le(one)),
                answers(a.gt(b) | a.equals(b)),
            ];
            all.push(
                [
                    a.gt(b).any(),
                    a.gt(b).all(),
                    a.gt(one).any(),
                    a.equals(a).all(),
                ]
                .map(|yes| if yes { 1.0 } else { 0.0 }),
            );
            all.extend(simd.transpose([a, b, zero, one]).map(Four::get));
            all
        }
    }

    #[test]
    fn each_entry_is_for_itself() {
        let (a, b) = ([4.0, -3.0, 0.0, 1.0], [2.0, -3.0, -0.5, 7.0]);
        let each = |f: fn(f64, f64) -> f64| std::array::from_fn(|l| f(a[l], b[l]).to_bits());
        let yes = |f: fn(f64, f64) -> bool| {
            std::array::from_fn(|l| f64::from(u8::from(f(a[l], b[l]))).to_bits())
        };
        let expected: [[u64; LANES]; 12] = [
            each(|a, b| a + b),
            each(|a, b| a - b),
            each(|a, b| a * b),
            each(|a, b| a / b),
            each(|a, _| a.sqrt()),
            each(|a, _| a.abs()),
            yes(|a, b| a <= b),
            yes(|a, b| a >= b),
            yes(|a, b| a > b),
            yes(|a, b| a == b),
            yes(|a, b| a <= b && a <= 1.0),
            yes(|a, b| a >= b),
        ];
        for all in [by_four(All(a, b)), by_four_plainly(All(a, b))] {
            for (i, expected) in expected.iter().enumerate() {
                let bits = all[i].map(f64::to_bits);
                // The sign of a NaN means nothing.
                let same = |l: usize| bits[l] == expected[l] || all[i][l].is_nan() && i == 4;
                assert!((0..LANES).all(same), "{i}: {:?}", all[i]);
            }
            assert_eq!(all[12], [1.0, 0.0, 1.0, 1.0]);
            let columns: [[f64; LANES]; LANES] = std::array::from_fn(|l| [a[l], b[l], 0.0, 1.0]);
            assert_eq!(all[13..], columns);
        }
    }
}
