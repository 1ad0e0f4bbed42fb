//! The exact solution of one contact while all others wait.
//!
//! ```math
//! u = W r + b, \qquad K^* \ni \tilde u \perp r \in K
//! ```
//!
//! # Method
//! In the coordinates of [`frame`](self::frame) and [`diagonal`](self::diagonal) the block is diagonal, and three cases remain:
//! take-off, r = 0; stick, r = −W⁻¹ b inside of the cone; else a secular equation in one unknown ([`secular`](self::secular)),
//! which has a closed solution where all tangents are alike.
//! Contacts with two discs have two unknowns ([`multipliers`](self::multipliers)). Where Newton's method does not find
//! them, and in blocks so ill-conditioned that their coordinates are lost to rounding, two nested roots do
//! ([`nested`](self::nested)).
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

mod diagonal;
mod four;
mod frame;
mod multipliers;
mod nested;
mod secular;
#[cfg(test)]
mod tests;

pub(crate) use diagonal::Diagonal;
pub(crate) use four::Diagonals;
pub(crate) use frame::Block;
use frame::{congruent, eigenvectors, identity, lorentz};

use super::FrictionLaw;
use super::cone::{Cone, ROLLING};

/// Which equations a contact has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
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

/// D / tr W' of the rows in play, with the normal scaled to the cone of μ = 1; 0 if no impulse moves the contact.
fn compliance<const D: usize>(block: &Block<D>, cone: &Cone) -> f64 {
    let rows = if cone.mu > 0.0 { D } else { 1 };
    let mu = if rows > 1 { cone.mu } else { 1.0 };
    let trace = block[0][0] / (mu * mu) + (1..rows).map(|i| block[i][i]).sum::<f64>();
    if block[0][0] > 0.0 && trace > 0.0 {
        rows as f64 / trace
    } else {
        0.0
    }
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
    /// The same in its diagonal coordinates; those of [`Kind::Slide`] and [`Kind::Glide`] differ from the ones above.
    pub(crate) diagonal: Diagonal<D>,
    /// ρ of the smoothed law, 1 over the mean of W on the cone of μ = 1; 0 if no impulse moves the contact.
    pub(crate) compliance: f64,
}

impl<const D: usize> Local<D> {
    /// Prepares a contact with the symmetric block `w`; also T, with r = T r̂ and û = Tᵀ u.
    pub(crate) fn new(w: &Block<D>, cone: Cone, law: FrictionLaw) -> (Self, Block<D>) {
        let slippery = cone.mu == 0.0 && (D < ROLLING || cone.rolling == 0.0);
        let (kind, t) = match law {
            // NaN fails the comparison as well.
            _ if !matches!(w[0][0].partial_cmp(&0.0), Some(std::cmp::Ordering::Greater)) => {
                (Kind::Dead, identity())
            }
            _ if D == 1 || slippery => (Kind::Frictionless, identity()),
            FrictionLaw::Coulomb if D < ROLLING => {
                let mut s = *w;
                for (i, j) in (1..D).flat_map(|i| (1..D).map(move |j| (i, j))) {
                    s[i][j] -= w[i][0] * w[0][j] / w[0][0];
                }
                (Kind::Slide, eigenvectors(&s, 1, D))
            }
            FrictionLaw::Convex
                if D < ROLLING
                    && let Some(t) = lorentz(w, cone.mu) =>
            {
                (Kind::Glide, t)
            }
            _ => (Kind::Nested, nested::frame(w)),
        };
        let block = congruent(w, &t);
        let mut stiffness = std::array::from_fn(|i| block[i][i]);
        let (mut cone, mut shear) = (cone, [0.0; D]);
        if kind == Kind::Glide {
            cone.mu = 1.0;
        }
        if kind == Kind::Slide {
            for i in 1..D {
                shear[i] = block[i][0] / block[0][0];
                let schur = block[i][i] - block[i][0] * shear[i];
                // A tangent without inertia: as much of it as rounding leaves, so that it can slide.
                let least = f64::EPSILON * block[i][i].max(f64::MIN_POSITIVE * block[0][0]);
                stiffness[i] = schur.max(least).max(f64::MIN_POSITIVE);
            }
        }
        let local = Self {
            diagonal: Diagonal::new(cone.mu, stiffness, shear),
            cone,
            law,
            kind,
            compliance: compliance(&block, &cone),
            block,
        };
        (local, t)
    }

    /// Which equations it has.
    pub(crate) fn kind(&self) -> Kind {
        self.kind
    }

    /// The law.
    pub(crate) fn law(&self) -> FrictionLaw {
        self.law
    }

    /// Whether its law can be smoothed: one disc in coordinates that keep it.
    pub(crate) fn is_smoothable(&self) -> bool {
        self.kind != Kind::Nested
    }

    /// The local solution from an impulse r̂ and its velocity û, in the coordinates of [`Local::diagonal`]. `guess` is the
    /// unknown of the last solution, 0 at first, and becomes that of this one; it saves steps and changes the answer by
    /// less than what it still moves, if there is one solution.
    #[expect(
        clippy::inline_always,
        reason = "called once, in the loop over contacts; left alone it is not inlined"
    )]
    #[inline(always)]
    pub(crate) fn solve(&self, r: &[f64; D], u: &[f64; D], guess: &mut f64) -> ([f64; D], Branch) {
        match self.kind {
            Kind::Slide => self.diagonal.slide(r, u, guess),
            Kind::Glide => self.diagonal.glide(r, u, guess),
            kind => self.rare(kind, r, u),
        }
    }

    #[cold]
    #[inline(never)]
    fn rare(&self, kind: Kind, r: &[f64; D], u: &[f64; D]) -> ([f64; D], Branch) {
        let mut b = *u;
        for (b, row) in b.iter_mut().zip(&self.block) {
            for (w, r) in row.iter().zip(r) {
                *b -= w * r;
            }
        }
        let mut next = [0.0; D];
        if kind == Kind::Nested {
            let laws = (self.cone, self.law);
            // NaN fails the comparison, and stays visible.
            let open = nested::opening(self.cone, self.law, &b) >= 0.0;
            if !open {
                next = multipliers::solve(&self.block, laws, &b, (r, u))
                    .unwrap_or_else(|| nested::solve(&self.block, laws, &b));
            }
        } else if kind == Kind::Frictionless {
            // NaN fails the comparison, and stays visible.
            let open = b[0] >= 0.0;
            if !open {
                next[0] = -b[0] / self.block[0][0];
            }
        }
        // Which disc holds is not told; nothing but the acceleration asks.
        let branch = if next[0] == 0.0 {
            Branch::Open
        } else {
            Branch::Closed
        };
        (next, branch)
    }
}
