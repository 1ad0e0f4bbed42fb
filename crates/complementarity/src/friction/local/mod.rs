//! The exact solution of one contact while all others wait.
//!
//! ```math
//! u = W r + b, \qquad K^* \ni \tilde u \perp r \in K
//! ```
//!
//! # Method
//! In the coordinates of [`frame`](self::frame) the block is diagonal as far as the law sees it, and three cases remain:
//! take-off, r = 0; stick, r = −W⁻¹ b inside of the cone; else a secular equation in one unknown ([`secular`](self::secular)).
//! Contacts with two discs, and blocks so ill-conditioned that their coordinates are lost to rounding, are solved by two
//! nested roots instead ([`nested`](self::nested)).
//!
//! # Guarantees and limits
//! The convex law has one solution for a positive definite W. The exact one has a solution, and only one if
//! μ |W_TN| / W_NN · max S / min S < 1: then F increases. Otherwise there may be several roots, and which one is found
//! depends on the guess. W need not be definite: a tangent without inertia slides.
//!
//! # References
//! - \[BD2011\] O. Bonnefon, G. Daviet, Quartic formulation of Coulomb 3D frictional contact, Inria technical report 400,
//!   2011.
//! - \[CGT2000\] A. R. Conn, N. I. M. Gould, P. L. Toint, Trust Region Methods, SIAM, 2000, section 7.3.

mod frame;
mod nested;
mod secular;
#[cfg(test)]
mod tests;

pub(crate) use frame::Block;
use frame::{congruent, eigenvectors, identity, lorentz};
use secular::{Glide, Slide};

use super::FrictionLaw;
use super::cone::Cone;

/// Which equations a contact has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// No impulse moves the normal: there is none.
    Dead,
    /// The normal alone.
    Frictionless,
    /// Exact law, one disc.
    Slide,
    /// Convex law, one disc, in Lorentz coordinates.
    Glide,
    /// Everything else.
    Nested,
}

/// What a contact did in its local solution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Branch {
    /// No impulse.
    #[default]
    Open,
    /// Inside of the cone, or without friction.
    Closed,
    /// On the border of the cone.
    Border,
}

/// One contact, prepared: its block in the coordinates of its frame.
#[derive(Clone, Debug)]
pub(crate) struct Local<const D: usize> {
    /// The cone in these coordinates.
    pub(crate) cone: Cone,
    law: FrictionLaw,
    kind: Kind,
    /// Tᵀ W T.
    pub(crate) block: Block<D>,
    /// W_NN and S for the exact law, the diagonal of W otherwise.
    diagonal: [f64; D],
    /// Reciprocals of it.
    inverse: [f64; D],
    /// W_TN.
    coupling: [f64; D],
}

impl<const D: usize> Local<D> {
    /// Prepares a contact with the symmetric block `w`; also T, with r = T r̂ and û = Tᵀ u.
    pub(crate) fn new(w: &Block<D>, cone: Cone, law: FrictionLaw) -> (Self, Block<D>) {
        let slippery = cone.mu == 0.0 && (D < 5 || cone.rolling == 0.0);
        let (kind, t) = match law {
            // NaN fails the comparison as well.
            _ if !matches!(w[0][0].partial_cmp(&0.0), Some(std::cmp::Ordering::Greater)) => {
                (Kind::Dead, identity())
            }
            _ if D == 1 || slippery => (Kind::Frictionless, identity()),
            FrictionLaw::Coulomb if D < 5 => {
                let mut s = *w;
                for (i, j) in (1..D).flat_map(|i| (1..D).map(move |j| (i, j))) {
                    s[i][j] -= w[i][0] * w[0][j] / w[0][0];
                }
                (Kind::Slide, eigenvectors(&s, 1, D))
            }
            FrictionLaw::Convex
                if D < 5
                    && let Some(t) = lorentz(w, cone.mu) =>
            {
                (Kind::Glide, t)
            }
            _ => (Kind::Nested, nested::frame(w)),
        };
        let block = congruent(w, &t);
        let mut local = Self {
            cone,
            law,
            kind,
            block,
            diagonal: std::array::from_fn(|i| block[i][i]),
            inverse: [0.0; D],
            coupling: std::array::from_fn(|i| block[i][0]),
        };
        if kind == Kind::Glide {
            local.cone.mu = 1.0;
        }
        if kind == Kind::Slide {
            for i in 1..D {
                let schur = block[i][i] - block[i][0] * block[i][0] / block[0][0];
                // A tangent without inertia: as much of it as rounding leaves, so that it can slide.
                let least = f64::EPSILON * block[i][i].max(f64::MIN_POSITIVE * block[0][0]);
                local.diagonal[i] = schur.max(least).max(f64::MIN_POSITIVE);
            }
        }
        local.inverse = local.diagonal.map(f64::recip);
        (local, t)
    }

    /// The law.
    pub(crate) fn law(&self) -> FrictionLaw {
        self.law
    }

    /// Whether its law can be smoothed: one disc in coordinates that keep it.
    pub(crate) fn is_smoothable(&self) -> bool {
        self.kind != Kind::Nested
    }

    /// The impulse for the velocity `b` without it. `guess` is the unknown of the last solution, 0 at first, and becomes
    /// that of this one; it saves steps and changes the answer by rounding only, if there is one solution.
    #[expect(
        clippy::inline_always,
        reason = "called once, in the loop over contacts; left alone it is not inlined"
    )]
    #[inline(always)]
    pub(crate) fn solve(&self, b: &[f64; D], guess: &mut f64) -> ([f64; D], Branch) {
        match self.kind {
            Kind::Slide => self.slide(b, guess),
            Kind::Glide => self.glide(b, guess),
            Kind::Frictionless => {
                let mut r = [0.0; D];
                if b[0] >= 0.0 {
                    return (r, Branch::Open);
                }
                r[0] = -b[0] * self.inverse[0];
                (r, Branch::Closed)
            }
            Kind::Dead => ([0.0; D], Branch::Open),
            Kind::Nested => {
                let r = nested::solve(&self.block, self.cone, self.law, b);
                // Which disc holds is not told; nothing but the acceleration asks.
                let branch = if r[0] > 0.0 {
                    Branch::Closed
                } else {
                    Branch::Open
                };
                (r, branch)
            }
        }
    }

    #[expect(
        clippy::inline_always,
        reason = "called once, in the loop over contacts; left alone it is not inlined"
    )]
    #[inline(always)]
    fn slide(&self, b: &[f64; D], guess: &mut f64) -> ([f64; D], Branch) {
        // Take-off; a velocity that is not finite stays visible.
        if b[0] >= 0.0 {
            return ([0.0; D], Branch::Open);
        }
        let mut c = *b;
        let (mut r, mut normal, mut square) = ([0.0; D], b[0], 0.0);
        let scaled = b[0] * self.inverse[0];
        for i in 1..D {
            c[i] -= self.coupling[i] * scaled;
            r[i] = -c[i] * self.inverse[i];
            normal += self.coupling[i] * r[i];
            square += r[i] * r[i];
        }
        r[0] = -normal * self.inverse[0];
        let bound = self.cone.mu * r[0];
        if bound >= 0.0 && square <= bound * bound {
            return (r, Branch::Closed);
        }
        let slide = Slide {
            mu: self.cone.mu,
            diagonal: &self.diagonal,
            coupling: &self.coupling,
            b: c,
        };
        (slide.solve(guess), Branch::Border)
    }

    #[expect(
        clippy::inline_always,
        reason = "called once, in the loop over contacts; left alone it is not inlined"
    )]
    #[inline(always)]
    fn glide(&self, b: &[f64; D], guess: &mut f64) -> ([f64; D], Branch) {
        let (mut r, mut velocity, mut square) = ([0.0; D], 0.0, 0.0);
        for i in 1..D {
            r[i] = -b[i] * self.inverse[i];
            velocity += b[i] * b[i];
            square += r[i] * r[i];
        }
        if b[0] >= 0.0 && velocity <= b[0] * b[0] {
            return ([0.0; D], Branch::Open);
        }
        r[0] = -b[0] * self.inverse[0];
        if r[0] >= 0.0 && square <= r[0] * r[0] {
            return (r, Branch::Closed);
        }
        let glide = Glide {
            diagonal: &self.diagonal,
            b,
        };
        (glide.solve(guess), Branch::Border)
    }
}
