//! A contact with two discs by Newton's method on their multipliers, from those of the point at which it stands.
//!
//! Slip of disc k is u_k = −s_k r_k with s_k ≥ 0, and with both s known the contact is linear:
//!
//! ```math
//! (W + E(s))\, r = -b, \qquad E = \mathrm{diag}(e, s_1, \dots, s_1, s_2, s_2), \qquad
//! F_k(s) = \frac{\mu_k r_N}{|r_k|} - 1 \ge 0 \;\perp\; s_k \ge 0
//! ```
//!
//! with e = 0 for the exact law and −μ_1² s_1 − μ_2² s_2 for the convex one, whose normal velocity is Σ μ_k |u_k|. F is
//! nearly linear in s, like the secular equations of one disc. A disc is held on its border while its s is positive.
//! What converges is checked against all conditions; where nothing does, the nested roots have to do it.

use super::frame::Block;
use crate::friction::FrictionLaw;
use crate::friction::cone::{Cone, ROLLING, split};

/// Newton steps, after which something else has to be done.
const STEPS: usize = 12;

/// A step of this part of the stiffness has an error of its square, below rounding.
const LAST_STEP: f64 = 1e-9;

/// How far outside of its disc an impulse may be that is taken for one at rest: a few rounding errors.
const OUTSIDE: f64 = 8.0 * f64::EPSILON;

/// W + E, factorised with the normal last: what comes before is positive definite, whatever e is.
struct Factor<const D: usize> {
    /// Rows below the diagonal, in the order 1, …, D − 1, 0.
    lower: Block<D>,
    inverse: [f64; D],
}

/// Row at a place of the order of elimination.
const fn row<const D: usize>(place: usize) -> usize {
    (place + 1) % D
}

impl<const D: usize> Factor<D> {
    #[inline]
    fn new(w: &Block<D>, e: &[f64; D]) -> Option<Self> {
        let (mut lower, mut inverse) = ([[0.0; D]; D], [0.0; D]);
        let mut scaled = [[0.0; D]; D];
        for i in 0..D {
            for j in 0..i {
                let mut sum = w[row::<D>(i)][row::<D>(j)];
                for k in 0..j {
                    sum -= scaled[i][k] * lower[j][k];
                }
                scaled[i][j] = sum;
                lower[i][j] = sum * inverse[j];
            }
            let mut pivot = w[row::<D>(i)][row::<D>(i)] + e[row::<D>(i)];
            for k in 0..i {
                pivot -= scaled[i][k] * lower[i][k];
            }
            // NaN fails the comparisons as well. The last pivot has e in it, and any sign.
            let regular = pivot > 0.0 || (i + 1 == D && pivot < 0.0);
            if !regular {
                return None;
            }
            inverse[i] = 1.0 / pivot;
        }
        Some(Self { lower, inverse })
    }

    #[inline]
    fn solve(&self, x: &[f64; D]) -> [f64; D] {
        let mut y: [f64; D] = std::array::from_fn(|i| x[row::<D>(i)]);
        for i in 0..D {
            for k in 0..i {
                y[i] -= self.lower[i][k] * y[k];
            }
        }
        for i in (0..D).rev() {
            y[i] *= self.inverse[i];
            for k in i + 1..D {
                y[i] -= self.lower[k][i] * y[k];
            }
        }
        let mut out = [0.0; D];
        for i in 0..D {
            out[row::<D>(i)] = y[i];
        }
        out
    }
}

/// The impulse of a contact that closes, from the impulse r at which its velocity is u; `None` if it is not found.
pub(super) fn solve<const D: usize>(
    w: &Block<D>,
    (cone, law): (Cone, FrictionLaw),
    b: &[f64; D],
    (r, u): (&[f64; D], &[f64; D]),
) -> Option<[f64; D]> {
    let mu = [cone.mu, cone.rolling];
    // A disc without a radius has no multiplier.
    if D < ROLLING || mu.contains(&0.0) {
        return None;
    }
    let discs = [1..split(D), split(D)..D];
    let dot = |k: usize, a: &[f64; D], b: &[f64; D]| -> f64 {
        discs[k].clone().map(|i| a[i] * b[i]).sum()
    };
    let least: [f64; 2] =
        std::array::from_fn(|k| discs[k].clone().fold(f64::INFINITY, |m, i| m.min(w[i][i])));
    let mut s: [f64; 2] = std::array::from_fn(|k| {
        let square = dot(k, r, r);
        if square > 0.0 {
            (-dot(k, u, r) / square).max(0.0)
        } else {
            0.0
        }
    });
    let mut holds = s.map(|s| s > 0.0);
    let opposite = b.map(|b| -b);
    let mut last = false;
    for _ in 0..STEPS {
        let mut e: [f64; D] = std::array::from_fn(|i| if i < split(D) { s[0] } else { s[1] });
        e[0] = 0.0;
        if law == FrictionLaw::Convex {
            e[0] = -(mu[0] * mu[0] * s[0] + mu[1] * mu[1] * s[1]);
        }
        let factor = Factor::new(w, &e)?;
        let mut x = factor.solve(&opposite);
        let closed = x[0] > 0.0;
        if !closed {
            return None;
        }
        let square = [0, 1].map(|k| dot(k, &x, &x));
        let mut changed = false;
        for k in 0..2 {
            let bound = mu[k] * x[0];
            if !holds[k] && square[k] > bound * bound * (1.0 + OUTSIDE) {
                (holds[k], changed) = (true, true);
            }
        }
        if last && !changed {
            for k in (0..2).filter(|k| holds[*k]) {
                let factor = mu[k] * x[0] / square[k].sqrt();
                discs[k].clone().for_each(|i| x[i] *= factor);
            }
            return Some(x);
        }
        // F and its derivatives; a disc at rest keeps s = 0.
        let (mut f, mut slope) = ([0.0; 2], [[1.0, 0.0], [0.0, 1.0]]);
        for l in (0..2).filter(|l| holds[*l]) {
            let mut pull = [0.0; D];
            discs[l].clone().for_each(|i| pull[i] = -x[i]);
            if law == FrictionLaw::Convex {
                pull[0] = mu[l] * mu[l] * x[0];
            }
            let change = factor.solve(&pull);
            for k in (0..2).filter(|k| holds[*k]) {
                let quotient = mu[k] / square[k].sqrt();
                f[k] = quotient * x[0] - 1.0;
                slope[k][l] = quotient * (change[0] - x[0] * dot(k, &x, &change) / square[k]);
            }
        }
        let determinant = slope[0][0] * slope[1][1] - slope[0][1] * slope[1][0];
        let step = [
            (slope[0][1] * f[1] - slope[1][1] * f[0]) / determinant,
            (slope[1][0] * f[0] - slope[0][0] * f[1]) / determinant,
        ];
        last = true;
        for k in 0..2 {
            let next = s[k] + step[k];
            if !holds[k] {
                continue;
            }
            if !next.is_finite() {
                return None;
            }
            if next <= 0.0 {
                // It comes to rest, unless it leaves its disc again.
                (s[k], holds[k], last) = (0.0, false, false);
            } else {
                last &= step[k].abs() <= LAST_STEP * (s[k] + least[k]);
                s[k] = next;
            }
        }
    }
    None
}
