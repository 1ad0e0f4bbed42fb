//! The law of one contact, smoothed and made linear at a point: r⁺ = c − A u⁺.
//!
//! With x = (μ r_N, r_T) and y = (u_N / μ + θ |u_T|, u_T) both cones are that of μ = 1, and the law is x = P(x − ρ y).
//! The two eigenvalues λ of z = x − ρ y in the algebra of this cone \[FLT2002\] go through
//!
//! ```math
//! g(\lambda) = \tfrac12 \Big( \lambda + \sqrt{\lambda^2 + 4 w^2 \rho^2} \Big), \qquad F = x - P_w(z)
//! ```
//!
//! instead of through max(0, λ), and |u_T| is √(|u_T|² + w²): w is a velocity, and for w = 0 nothing is smoothed.
//!
//! # References
//! - \[FLT2002\] M. Fukushima, Z.-Q. Luo, P. Tseng, Smoothing functions for second-order-cone complementarity problems,
//!   SIAM J. Optim. 12, 2002.

#![expect(
    clippy::needless_range_loop,
    reason = "entries of small blocks by number, as the formulas have them"
)]
#![expect(
    clippy::inline_always,
    reason = "what a kernel calls is compiled for wide vectors only if it is inlined"
)]

use super::step::Linear;
use crate::friction::FrictionLaw;
use crate::friction::local::Local;

/// How much is smoothed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Smoothing {
    /// w, in the velocities of the scaled cones.
    pub(crate) width: f64,
    /// θ, the part of the shift of the exact law in the derivative.
    pub(crate) shift: f64,
    /// κ, the stiffest that an equation is held, over W.
    pub(crate) stiffness: f64,
}

/// λ below this times w ρ has an impulse that hardly depends on its velocity.
const OPEN: f64 = -8.0;

/// z = x − ρ y and its eigenvalues.
struct Shifted<const D: usize> {
    rho: f64,
    mu: f64,
    /// Rows in play: 1 without friction, else D.
    rows: usize,
    /// ∂|u_T|.
    slip: [f64; D],
    z: [f64; D],
    /// |z_T|.
    length: f64,
    lambda: [f64; 2],
}

impl<const D: usize> Shifted<D> {
    #[inline(always)]
    fn new(local: &Local<D>, r: &[f64; D], u: &[f64; D], width: f64) -> Option<Self> {
        let rho = local.compliance;
        if rho == 0.0 {
            return None;
        }
        let rows = if local.cone.mu > 0.0 { D } else { 1 };
        let mu = if rows > 1 { local.cone.mu } else { 1.0 };
        let mut normal = u[0] / mu;
        let mut slip = [0.0; D];
        if local.law() == FrictionLaw::Coulomb && rows > 1 {
            let square = (1..rows).map(|i| u[i] * u[i]).sum::<f64>();
            let speed = (square + width * width).sqrt();
            normal += speed;
            if speed > 0.0 {
                (1..rows).for_each(|i| slip[i] = u[i] / speed);
            }
        }
        let mut z = [0.0; D];
        z[0] = mu * r[0] - rho * normal;
        (1..rows).for_each(|i| z[i] = r[i] - rho * u[i]);
        let length = match rows {
            2 => z[1].abs(),
            _ => (1..rows).map(|i| z[i] * z[i]).sum::<f64>().sqrt(),
        };
        Some(Self {
            rho,
            mu,
            rows,
            slip,
            z,
            length,
            lambda: [z[0] - length, z[0] + length],
        })
    }
}

/// g(λ), g(−λ) = g − λ and √(λ² + 4 s²).
#[inline(always)]
fn bend(lambda: f64, smooth: f64) -> (f64, f64, f64) {
    let root = (lambda * lambda + 4.0 * smooth * smooth).sqrt();
    let large = 0.5 * (lambda.abs() + root);
    let small = if large > 0.0 {
        smooth * smooth / large
    } else {
        0.0
    };
    if lambda > 0.0 {
        (large, small, root)
    } else {
        (small, large, root)
    }
}

/// z in its eigenvalues, and F.
struct Point<const D: usize> {
    rho: f64,
    mu: f64,
    rows: usize,
    slip: [f64; D],
    /// Unit vector of z_T, in entries 1..D.
    direction: [f64; D],
    length: f64,
    lambda: [f64; 2],
    /// g(λ), g(−λ) = g − λ and √(λ² + 4 w² ρ²).
    value: [f64; 2],
    rest: [f64; 2],
    root: [f64; 2],
    map: [f64; D],
}

impl<const D: usize> Point<D> {
    #[inline(always)]
    fn new(local: &Local<D>, r: &[f64; D], u: &[f64; D], width: f64) -> Option<Self> {
        let Shifted {
            rho,
            mu,
            rows,
            slip,
            z,
            length,
            lambda,
        } = Shifted::new(local, r, u, width)?;
        let mut direction = [0.0; D];
        if length > 0.0 {
            (1..rows).for_each(|i| direction[i] = z[i] / length);
        } else if rows > 1 {
            direction[1] = 1.0;
        }
        let bent = lambda.map(|lambda| bend(lambda, width * rho));
        let value = bent.map(|(value, _, _)| value);
        let [a, b] = value;
        let mut map = [0.0; D];
        map[0] = mu * r[0] - 0.5 * (a + b);
        for i in 1..rows {
            map[i] = r[i] - 0.5 * (b - a) * direction[i];
        }
        Some(Self {
            rho,
            mu,
            rows,
            slip,
            direction,
            length,
            lambda,
            value,
            rest: bent.map(|(_, rest, _)| rest),
            root: bent.map(|(_, _, root)| root),
            map,
        })
    }

    /// P' and 1 − P' at both eigenvalues, and across.
    #[inline(always)]
    fn slopes(&self) -> ([f64; 3], [f64; 3]) {
        let (mut slope, mut rest) = ([0.0; 3], [0.0; 3]);
        for k in 0..2 {
            let root = self.root[k].max(f64::MIN_POSITIVE);
            (slope[k], rest[k]) = (self.value[k] / root, self.rest[k] / root);
        }
        // The quotient of differences, which is the mean of both slopes where they hardly differ.
        let width = 2.0 * self.length;
        if width > 1e-10 * (self.root[0] + self.root[1]) {
            slope[2] = (self.value[1] - self.value[0]) / width;
            rest[2] = (self.rest[0] - self.rest[1]) / width;
        } else {
            (slope[2], rest[2]) = (slope[0], rest[0]);
        }
        (slope, rest)
    }

    /// Σ values over the eigenvectors, times x.
    #[inline(always)]
    fn apply(&self, values: &[f64; 3], x: &[f64; D]) -> [f64; D] {
        let across: f64 = (1..self.rows).map(|i| self.direction[i] * x[i]).sum();
        let (a, b) = (values[0] * (x[0] - across), values[1] * (x[0] + across));
        let mut out = [0.0; D];
        out[0] = 0.5 * (a + b);
        let along = 0.5 * (b - a) - values[2] * across;
        for i in 1..self.rows {
            out[i] = values[2] * x[i] + along * self.direction[i];
        }
        out
    }
}

/// ρ and |F|² / ρ of a contact, as F is: the weight and the error of the merit.
#[inline(always)]
pub(super) fn error<const D: usize>(
    local: &Local<D>,
    r: &[f64; D],
    u: &[f64; D],
    width: f64,
) -> (f64, f64) {
    let Some(shifted) = Shifted::new(local, r, u, width) else {
        return (0.0, 0.0);
    };
    let Shifted { rho, mu, rows, .. } = shifted;
    let [a, b] = shifted.lambda.map(|lambda| bend(lambda, width * rho).0);
    let off = mu * r[0] - 0.5 * (a + b);
    let mut square = off * off;
    let along = if shifted.length > 0.0 {
        0.5 * (b - a) / shifted.length
    } else {
        0.0
    };
    for i in 1..rows {
        let off = r[i] - along * shifted.z[i];
        square += off * off;
    }
    (rho, square / rho)
}

#[inline(always)]
pub(super) fn linearise<const D: usize>(
    local: &Local<D>,
    r: &[f64; D],
    u: &[f64; D],
    smoothing: Smoothing,
) -> Linear<D> {
    let mut linear = Linear::default();
    let Some(point) = Point::new(local, r, u, smoothing.width) else {
        return linear;
    };
    let (mu, rho) = (point.mu, point.rho);
    if point.lambda[1] < OPEN * smoothing.width * rho
        || point.lambda[1] < 0.0 && smoothing.width == 0.0
    {
        linear.constant[0] = (r[0] * mu - point.map[0]) / mu;
        (1..point.rows).for_each(|i| linear.constant[i] = r[i] - point.map[i]);
        return linear;
    }
    linear.face = 1;
    let (slope, rest) = point.slopes();
    let inverse: [f64; 3] =
        std::array::from_fn(|k| 1.0 / (rest[k] + slope[k] / smoothing.stiffness));
    let stiff: [f64; 3] = std::array::from_fn(|k| rho * slope[k] * inverse[k]);
    for j in 0..point.rows {
        // Column j of E S⁻¹.
        let mut column = [0.0; D];
        if j == 0 {
            column[0] = 1.0 / mu;
        } else {
            column[0] = smoothing.shift * point.slip[j];
            column[j] = 1.0;
        }
        let image = point.apply(&stiff, &column);
        linear.stiffness[0][j] = image[0] / mu;
        (1..point.rows).for_each(|i| linear.stiffness[i][j] = image[i]);
    }
    let step = point.apply(&inverse, &point.map);
    linear.constant[0] = r[0] - step[0] / mu;
    (1..point.rows).for_each(|i| linear.constant[i] = r[i] - step[i]);
    for i in 0..point.rows {
        for j in 0..point.rows {
            linear.constant[i] += linear.stiffness[i][j] * u[j];
        }
    }
    linear
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::friction::cone::Cone;
    use crate::rng::SplitMix64;

    /// r and u on the smoothed law, from z: x = P(z) and ρ y = x − z.
    fn on_the_law(local: &Local<3>, z: [f64; 3], width: f64) -> ([f64; 3], [f64; 3]) {
        let rows = if local.cone.mu > 0.0 { 3 } else { 1 };
        let mu = if rows == 3 { local.cone.mu } else { 1.0 };
        let tangents: f64 = (1..rows).map(|i| local.block[i][i]).sum();
        let rho = rows as f64 / (local.block[0][0] / (mu * mu) + tangents);
        let bend = |x: f64| 0.5 * (x + x.hypot(2.0 * width * rho));
        let length = if rows == 3 { z[1].hypot(z[2]) } else { 0.0 };
        let (a, b) = (bend(z[0] - length), bend(z[0] + length));
        let (mut r, mut u) = ([0.5 * (a + b) / mu, 0.0, 0.0], [0.0; 3]);
        for i in 1..rows {
            r[i] = 0.5 * (b - a) * z[i] / length;
            u[i] = (r[i] - z[i]) / rho;
        }
        let mut normal = (0.5 * (a + b) - z[0]) / rho;
        if local.law() == FrictionLaw::Coulomb && rows == 3 {
            normal -= u[1].hypot(u[2]).hypot(width);
        }
        u[0] = mu * normal;
        (r, u)
    }

    /// A step of one contact for a small change of u leaves an error of second order, at any width.
    #[test]
    fn the_linear_law_is_tangent() {
        let w = [[2.0, 0.3, -0.4], [0.3, 5.0, 1.0], [-0.4, 1.0, 3.0]];
        let mut rng = SplitMix64::new(11);
        let mut closed = 0;
        for law in [FrictionLaw::Coulomb, FrictionLaw::Convex] {
            for (case, mu) in (0..200).map(|case| (case, [0.5, 0.0, 1.5][case % 3])) {
                let cone = Cone {
                    dimension: 3,
                    mu,
                    rolling: 0.0,
                };
                let (local, _) = Local::new(&w, cone, law);
                let smoothing = Smoothing {
                    width: [1.0, 0.3][case % 2],
                    shift: 1.0,
                    stiffness: f64::INFINITY,
                };
                let mut spread = || [0.0; 3].map(|_| 2.0 * rng.uniform() - 1.0);
                let (r, u) = on_the_law(&local, spread(), smoothing.width);
                let error =
                    |r: &[f64; 3], u: &[f64; 3]| error(&local, r, u, smoothing.width).1.sqrt();
                assert!(error(&r, &u) < 1e-14, "{law:?} {mu} {case}");
                let linear = linearise(&local, &r, &u, smoothing);
                if linear.face == 0 {
                    // Open: taken as if its velocity did not matter.
                    continue;
                }
                closed += 1;
                let direction = spread();
                let after = |h: f64| {
                    let u: [f64; 3] = std::array::from_fn(|i| u[i] + h * direction[i]);
                    error(&linear.impulse(&u), &u)
                };
                let (coarse, fine) = (after(1e-3), after(1e-4));
                // An error of first order would fall to a tenth.
                assert!(
                    fine <= 0.02 * coarse + 1e-13,
                    "{law:?} {mu} {case}: {coarse:e} {fine:e}"
                );
            }
        }
        assert!(closed > 200, "{closed}");
    }
}
