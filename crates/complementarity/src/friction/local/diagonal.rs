//! One contact in the coordinates where its block is diagonal, as far as its law sees it.
//!
//! Exact law, after the rotation that makes the Schur complement S diagonal, w = W_TN / W_NN:
//!
//! ```math
//! \hat u_T = u_T - w\, u_N, \qquad \hat r_N = r_N + w^T r_T, \qquad \hat u = \mathrm{diag}(W_{NN}, S)\, \hat r + \hat b
//! ```
//!
//! Normal and tangents no longer see one another; what remains of the coupling is the normal impulse in the cone,
//! |r_T| ≤ μ (r̂_N − wᵀ r_T). The convex law in Lorentz coordinates is diagonal without that, w = 0.
//!
//! From an impulse r and its velocity u the unconstrained answer is x = r − u / a, component by component. An open contact
//! and one that sticks need no more; one that slides with all tangents alike needs a root and a quotient.

#![expect(
    clippy::needless_range_loop,
    reason = "entries of small blocks by number, as the formulas have them"
)]

use super::Branch;
use super::secular::{Glide, Slide};

/// Tangents whose stiffness differs by less than this part of it are alike: some rounding errors.
const ALIKE: f64 = 16.0 * f64::EPSILON;

/// Least ratio of their stiffness to that of the normal for a quotient in place of a root: a tangent without inertia has
/// no direction x_T that is free of overflow.
const INERT: f64 = f64::EPSILON;

/// Largest μ |w| for which the normal impulse of a contact with like tangents comes from a quotient: its divisor is then
/// no difference of like terms.
const WEAK: f64 = 0.5;

/// A contact with one disc; all impulses and velocities are those with a hat.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Diagonal<const D: usize> {
    pub(super) mu: f64,
    /// The sliding contact is solved without a root.
    pub(super) round: bool,
    /// Reciprocals of `stiffness`.
    pub(super) inverse: [f64; D],
    /// W_NN and S for the exact law, the diagonal of W for the convex one.
    pub(super) stiffness: [f64; D],
    /// 0, and w of the tangents.
    pub(super) shear: [f64; D],
}

impl<const D: usize> Diagonal<D> {
    pub(super) fn new(mu: f64, stiffness: [f64; D], shear: [f64; D]) -> Self {
        let largest = stiffness[1..].iter().fold(0.0_f64, |m, s| m.max(*s));
        let alike = |s: &f64| largest - s <= ALIKE * largest;
        let coupled = mu * shear.iter().map(|w| w * w).sum::<f64>().sqrt();
        Self {
            mu,
            round: stiffness[1..].iter().all(alike)
                && largest >= INERT * stiffness[0]
                && coupled <= WEAK,
            inverse: stiffness.map(f64::recip),
            stiffness,
            shear,
        }
    }

    /// r̂ from r.
    #[inline]
    pub(crate) fn impulse(&self, r: &[f64; D]) -> [f64; D] {
        let mut out = *r;
        for i in 1..D {
            out[0] += self.shear[i] * r[i];
        }
        out
    }

    /// r from r̂.
    #[inline]
    pub(crate) fn impulse_back(&self, r: &[f64; D]) -> [f64; D] {
        let mut out = *r;
        for i in 1..D {
            out[0] -= self.shear[i] * r[i];
        }
        out
    }

    /// û from u.
    #[inline]
    pub(crate) fn velocity(&self, u: &[f64; D]) -> [f64; D] {
        let mut out = *u;
        for i in 1..D {
            out[i] -= self.shear[i] * u[0];
        }
        out
    }

    /// The rows of û from those of u.
    pub(crate) fn rows<const N: usize>(&self, rows: &[[f64; N]; D]) -> [[f64; N]; D] {
        let mut out = *rows;
        for i in 1..D {
            for n in 0..N {
                out[i][n] -= self.shear[i] * rows[0][n];
            }
        }
        out
    }

    /// Adds to û what makes a contact that slides open with δ (μ |u_T| − h): δ (h − μ |u_T|) to u_N.
    #[expect(
        clippy::inline_always,
        reason = "called once, in the loop over contacts; left alone it is not inlined"
    )]
    #[inline(always)]
    pub(crate) fn delay(&self, share: f64, shift: f64, u: &mut [f64; D]) {
        let mut square = 0.0;
        for i in 1..D {
            let slip = u[i] + self.shear[i] * u[0];
            square += slip * slip;
        }
        let more = share * (shift - self.mu * square.sqrt());
        u[0] += more;
        for i in 1..D {
            u[i] -= self.shear[i] * more;
        }
    }

    /// The exact law.
    #[expect(
        clippy::inline_always,
        reason = "called once, in the loop over contacts; left alone it is not inlined"
    )]
    #[inline(always)]
    pub(crate) fn slide(&self, r: &[f64; D], u: &[f64; D], guess: &mut f64) -> ([f64; D], Branch) {
        let mut x = [0.0; D];
        x[0] = r[0] - u[0] * self.inverse[0];
        // Take-off; a velocity that is not finite stays visible.
        if x[0] <= 0.0 {
            return ([0.0; D], Branch::Open);
        }
        let (mut sheared, mut square) = (0.0, 0.0);
        for i in 1..D {
            x[i] = r[i] - u[i] * self.inverse[i];
            sheared += self.shear[i] * x[i];
            square += x[i] * x[i];
        }
        let bound = self.mu * (x[0] - sheared);
        if bound >= 0.0 && square <= bound * bound {
            return (x, Branch::Closed);
        }
        if self.round {
            // r_T keeps the direction of x_T: |r_T| = μ (r̂_N − |r_T| wᵀ x_T / |x_T|).
            let factor = self.mu * x[0] / (square.sqrt() + self.mu * sheared);
            for x in &mut x[1..] {
                *x *= factor;
            }
            return (x, Branch::Border);
        }
        for i in 1..D {
            // Not from x, which overflows for a tangent without inertia.
            x[i] = r[i] * self.stiffness[i] - u[i];
        }
        let slide = Slide {
            mu: self.mu,
            stiffness: &self.stiffness,
            shear: &self.shear,
            p: x,
        };
        (slide.solve(guess), Branch::Border)
    }

    /// The convex law, in Lorentz coordinates.
    #[expect(
        clippy::inline_always,
        reason = "called once, in the loop over contacts; left alone it is not inlined"
    )]
    #[inline(always)]
    pub(crate) fn glide(&self, r: &[f64; D], u: &[f64; D], guess: &mut f64) -> ([f64; D], Branch) {
        let (mut x, mut b) = ([0.0; D], [0.0; D]);
        let (mut square, mut velocity) = (0.0, 0.0);
        for i in 0..D {
            x[i] = r[i] - u[i] * self.inverse[i];
            b[i] = u[i] - r[i] * self.stiffness[i];
        }
        for i in 1..D {
            square += x[i] * x[i];
            velocity += b[i] * b[i];
        }
        if b[0] >= 0.0 && velocity <= b[0] * b[0] {
            return ([0.0; D], Branch::Open);
        }
        if x[0] >= 0.0 && square <= x[0] * x[0] {
            return (x, Branch::Closed);
        }
        if self.round {
            let length = velocity.sqrt();
            let t = (length - b[0]) / (self.stiffness[0] + self.stiffness[1]);
            let factor = t / length;
            x[0] = t;
            for i in 1..D {
                x[i] = -b[i] * factor;
            }
            return (x, Branch::Border);
        }
        let glide = Glide {
            stiffness: &self.stiffness,
            b: &b,
        };
        (glide.solve(guess), Branch::Border)
    }

    /// Whether an impulse that its law takes away has become rounding beside the velocity that opens the contact.
    #[inline]
    pub(crate) fn is_nothing(&self, r: &[f64; D], u: &[f64; D]) -> bool {
        let least = f64::EPSILON * u[0].abs();
        (0..D).all(|i| self.stiffness[i] * r[i].abs() <= least)
    }
}
