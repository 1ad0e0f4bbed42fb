//! The law of one contact, made linear at a point: r⁺ = c − A u⁺.
//!
//! Which faces of the cone are in play is decided by the point itself, y = r − ρ u with ρ = 1 / W: open, or closed with
//! each disc at rest or on its border. On these faces the law is an equation, and a step of Newton's method solves all of
//! them at once. An equation u = 0 becomes r⁺ = r − κ ρ u⁺ with a large κ, a step of the method of multipliers: it needs
//! no independent constraints, and what it leaves behind falls by 1 / κ in each step.

#![expect(
    clippy::needless_range_loop,
    reason = "entries of small blocks by number, as the formulas have them"
)]

use super::smooth::{self, Smoothing};
use crate::friction::FrictionLaw;
use crate::friction::cone::split;
use crate::friction::local::{Kind, Local};

/// The two scales of a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scales {
    /// κ, how much stiffer than the contacts themselves the equations are held.
    pub(crate) stiffness: f64,
    /// What is smoothed, if anything is.
    pub(crate) smoothing: Option<Smoothing>,
}

/// r⁺ = c − A u⁺.
#[derive(Clone, Copy, Debug)]
pub(super) struct Linear<const D: usize> {
    pub(super) constant: [f64; D],
    pub(super) stiffness: [[f64; D]; D],
    /// 0 open, else 1 and a bit for each disc on its border.
    pub(super) face: u8,
}

impl<const D: usize> Default for Linear<D> {
    fn default() -> Self {
        Self {
            constant: [0.0; D],
            stiffness: [[0.0; D]; D],
            face: 0,
        }
    }
}

impl<const D: usize> Linear<D> {
    /// c − A u.
    #[inline]
    pub(super) fn impulse(&self, u: &[f64; D]) -> [f64; D] {
        let mut r = self.constant;
        for (r, row) in r.iter_mut().zip(&self.stiffness) {
            for (a, u) in row.iter().zip(u) {
                *r -= a * u;
            }
        }
        r
    }
}

/// A contact that slides opens with δ (μ |u_T| − h), one that sticks closes with δ h.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Delay {
    /// δ.
    pub(super) share: f64,
    /// h.
    pub(super) shift: f64,
}

impl Delay {
    /// The normal impulse with which the law answers y, from y_N and μ and the length of y_T of its only disc.
    #[inline]
    fn normal(&self, rho: f64, y: f64, (mu, length): (f64, f64)) -> f64 {
        let held = y - rho * self.share * self.shift;
        if length <= mu * held {
            held
        } else {
            (held + self.share * mu * length) / (1.0 + self.share * mu * mu)
        }
    }
}

pub(super) fn linearise<const D: usize>(
    local: &Local<D>,
    (r, u): (&[f64; D], &[f64; D]),
    scales: Scales,
    delay: Delay,
) -> Linear<D> {
    if let Some(smoothing) = scales.smoothing {
        return smooth::linearise(local, r, u, smoothing);
    }
    let mut linear = Linear::default();
    let largest = (0..D).fold(0.0_f64, |m, i| m.max(local.block[i][i]));
    if largest <= 0.0 || local.block[0][0] <= 0.0 {
        return linear;
    }
    let rho = 1.0 / largest;
    let stiff = scales.stiffness * rho;
    let y: [f64; D] = std::array::from_fn(|i| r[i] - rho * u[i]);
    let mut projected = y;
    let exact = local.law() == FrictionLaw::Coulomb;
    if !exact {
        local.cone.project(&mut projected);
    }
    let mut normal = projected[0];
    let delayed = delay.share > 0.0 && local.kind() == Kind::Slide;
    if delayed {
        let length = y[1..].iter().map(|x| x * x).sum::<f64>().sqrt();
        normal = delay.normal(rho, y[0], (local.cone.mu, length));
    }
    if normal <= 0.0 {
        return linear;
    }
    linear.face = 1;
    // p: the direction that the normal and all sliding friction share.
    let mut p = [0.0; D];
    p[0] = 1.0;
    let split = split(D);
    let discs = [(1, split, local.cone.mu), (split, D, local.cone.rolling)];
    for (bit, (from, to, mu)) in (1..).zip(discs) {
        let length = y[from..to].iter().map(|x| x * x).sum::<f64>().sqrt();
        let bound = mu * normal;
        if from == to {
            continue;
        }
        if length <= bound {
            for i in from..to {
                linear.constant[i] = r[i];
                linear.stiffness[i][i] = stiff;
            }
            continue;
        }
        linear.face |= 1 << bit;
        // Friction turns with the direction of slip, the stiffer the slower the slip.
        let turn = (rho * bound / (length - bound)).min(stiff);
        for i in from..to {
            let d = y[i] / length;
            p[i] = mu * d;
            for j in from..to {
                let unit = if i == j { 1.0 } else { 0.0 };
                linear.stiffness[i][j] = turn * (unit - d * y[j] / length);
            }
        }
    }
    // r = p α: the exact law gives α by the normal, the convex one by the component along p.
    let mut q = [0.0; D];
    q[0] = 1.0;
    if !exact {
        let square = p.iter().map(|x| x * x).sum::<f64>();
        q = p.map(|x| x / square);
    }
    let mut alpha: f64 = q.iter().zip(r).map(|(q, r)| q * r).sum();
    if delayed {
        // Friction has the direction against the slip.
        alpha -= stiff * delay.share * delay.shift;
        for i in 1..D {
            q[i] = delay.share * p[i];
        }
    }
    for i in 0..D {
        linear.constant[i] += p[i] * alpha;
        for (a, q) in linear.stiffness[i].iter_mut().zip(&q) {
            *a += stiff * p[i] * q;
        }
    }
    linear
}

/// r = P(c − κ ρ u), as `constant`, with A = −∂r/∂u; and 1 / (κ ρ).
#[inline]
pub(super) fn respond<const D: usize>(
    local: &Local<D>,
    centre: &[f64; D],
    u: &[f64; D],
    stiffness: f64,
) -> (Linear<D>, f64) {
    let mut linear = Linear::default();
    let largest = (0..D).fold(0.0_f64, |m, i| m.max(local.block[i][i]));
    if largest <= 0.0 || local.block[0][0] <= 0.0 {
        return (linear, 0.0);
    }
    let (stiff, compliance) = (stiffness / largest, largest / stiffness);
    let z: [f64; D] = std::array::from_fn(|i| centre[i] - stiff * u[i]);
    let mut normal = z[0];
    let exact = local.law() == FrictionLaw::Coulomb;
    if !exact {
        let mut projected = z;
        local.cone.project(&mut projected);
        normal = projected[0];
    }
    if normal <= 0.0 {
        return (linear, compliance);
    }
    linear.face = 1;
    let mut p = [0.0; D];
    p[0] = 1.0;
    linear.constant[0] = normal;
    let split = split(D);
    let discs = [(1, split, local.cone.mu), (split, D, local.cone.rolling)];
    for (bit, (from, to, mu)) in (1..).zip(discs) {
        if from == to {
            continue;
        }
        let length = z[from..to].iter().map(|x| x * x).sum::<f64>().sqrt();
        let bound = mu * normal;
        if length <= bound {
            for i in from..to {
                linear.constant[i] = z[i];
                linear.stiffness[i][i] = stiff;
            }
            continue;
        }
        linear.face |= 1 << bit;
        let turn = stiff * bound / length;
        for i in from..to {
            let d = z[i] / length;
            p[i] = mu * d;
            linear.constant[i] = bound * d;
            for j in from..to {
                let unit = if i == j { 1.0 } else { 0.0 };
                linear.stiffness[i][j] = turn * (unit - d * z[j] / length);
            }
        }
    }
    let mut q = [0.0; D];
    q[0] = 1.0;
    if !exact {
        let square = p.iter().map(|x| x * x).sum::<f64>();
        q = p.map(|x| x / square);
    }
    for i in 0..D {
        for (a, q) in linear.stiffness[i].iter_mut().zip(&q) {
            *a += stiff * p[i] * q;
        }
    }
    (linear, compliance)
}
