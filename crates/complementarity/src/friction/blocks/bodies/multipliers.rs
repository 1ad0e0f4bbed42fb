//! A step of the method of multipliers: impulses as functions of the velocities, which are found by Newton's method.
//!
//! ```math
//! r(v) = P(c - \kappa \rho\, u), \qquad v = J^T r(v), \qquad u = J v + q
//! ```
//!
//! in coordinates where all masses are 1. P is the projection on the cone under the convex law, and under the exact one
//! that of the normal on the half-line and of the tangents on the disc of its size \[AC1991\].
//!
//! # References
//! - \[AC1991\] as in `friction::newton`.

#![expect(
    clippy::inline_always,
    reason = "what a kernel calls is compiled for wide vectors only if it is inlined"
)]

use super::super::Multiplied;
use super::super::rows::{pull, push, push_row};
use super::super::step::respond;
use super::BodyBlocks;
use crate::friction::FrictionLaw;
use crate::friction::cone::split;
use crate::friction::lanes::{Kernel, widest};

/// Armijo's constant.
const DESCENT: f64 = 1e-4;

/// Errors that a step of the exact law, whose error has to rise at times, is measured against: the largest of the last ones.
const MEMORY: usize = 3;

/// Halvings of a step.
const HALVINGS: usize = 8;

/// Part of the impulses up to which the error of their balance is rounding, and that of κ times themselves.
const ROUNDING: f64 = 1e-14;
const STIFF_ROUNDING: f64 = 4.0 * f64::EPSILON;

/// Errors up to this many times rounding are none where no step makes them smaller.
const NEARLY: f64 = 100.0;

/// Slack of an impulse at the border of its cone, as a part of the square of its bound.
const AT_BORDER: f64 = 1e-12;

/// What a step begins with, and its buffers.
#[derive(Clone, Debug, Default)]
pub(super) struct Centre<const D: usize, const N: usize> {
    /// c of the contacts and of the bilateral rows.
    impulses: Vec<[f64; D]>,
    forces: Vec<f64>,
    /// −∂p/∂u of the bilateral rows.
    stiffness: Vec<f64>,
    /// What is left of v = Jᵀ r, a step, and the velocities before it.
    lacking: Vec<[f64; N]>,
    step: Vec<[f64; N]>,
    from: Vec<[f64; N]>,
}

/// How far velocities are from balance.
#[derive(Clone, Copy, Debug)]
struct Balance {
    /// |v − Jᵀ r|.
    error: f64,
    /// What the balance is the least of under the convex law: ½ |v|² + Σ |r|² / (2 κ ρ).
    value: f64,
}

struct Respond<'a, const D: usize, const N: usize>(&'a mut BodyBlocks<D, N>, f64);

impl<const D: usize, const N: usize> Kernel for Respond<'_, D, N> {
    type Output = Balance;

    #[inline(always)]
    fn run(self) -> Balance {
        self.0.respond_plainly(self.1)
    }
}

struct Direction<'a, const D: usize, const N: usize>(&'a mut BodyBlocks<D, N>, bool);

impl<const D: usize, const N: usize> Kernel for Direction<'_, D, N> {
    type Output = Option<()>;

    #[inline(always)]
    fn run(self) -> Option<()> {
        self.0.direction_plainly(self.1)
    }
}

impl<const D: usize, const N: usize> BodyBlocks<D, N> {
    /// See [`Blocks::multiply`](super::super::Blocks::multiply).
    pub(super) fn multiply_bodies(&mut self, stiffness: f64, limit: usize) -> Multiplied {
        self.centre.impulses.clear();
        let impulses = self.variables.iter().map(|variable| variable.r);
        self.centre.impulses.extend(impulses);
        self.centre.forces.clone_from(&self.forces);
        let convex = |c: &super::Contact<D, N>| c.local.law() == FrictionLaw::Convex;
        let convex = self.contacts.iter().all(convex);
        let rounding = self.size() * (ROUNDING + STIFF_ROUNDING * stiffness);
        let mut out = Multiplied::default();
        let mut recent = [f64::INFINITY; MEMORY];
        let mut now = widest(Respond(self, stiffness));
        loop {
            // NaN fails the comparison as well.
            out.converged = now.error <= rounding;
            if out.converged || out.steps == limit || !now.error.is_finite() {
                break;
            }
            recent[out.steps % MEMORY] = now.error;
            out.steps += 1;
            let known = &recent[..MEMORY.min(out.steps)];
            let reference = known.iter().fold(0.0, |most: f64, x| most.max(*x));
            if widest(Direction(self, convex)).is_none() {
                break;
            }
            let slope = -dot(&self.centre.lacking, &self.centre.step);
            let good = |length: f64, after: &Balance| {
                if convex {
                    let descent = DESCENT * length * slope;
                    after.value <= now.value + descent || after.error <= 0.5 * now.error
                } else {
                    after.error <= (1.0 - DESCENT * length) * reference
                }
            };
            let Some(after) = self.search(stiffness, &good) else {
                out.converged = self.balance_again(stiffness).error <= NEARLY * rounding;
                break;
            };
            now = after;
        }
        for (variable, linear) in self.variables.iter_mut().zip(&self.linear) {
            variable.r = linear.constant;
        }
        self.velocities();
        out
    }

    /// √(Σ W r²), a velocity in the coordinates where all masses are 1.
    fn size(&self) -> f64 {
        let contacts = self.contacts.iter().zip(&self.variables);
        let squares = contacts.map(|(contact, variable)| {
            let rows = contact.local.block.iter().zip(&variable.r).enumerate();
            rows.map(|(i, (row, r))| row[i] * r * r).sum::<f64>()
        });
        let equations = self.equations.iter().zip(&self.forces);
        let forces = equations.map(|(equation, p)| equation.w * p * p);
        (squares.sum::<f64>() + forces.sum::<f64>()).sqrt()
    }

    /// The longest of the halved steps that is good, taken.
    fn search(&mut self, stiffness: f64, good: &dyn Fn(f64, &Balance) -> bool) -> Option<Balance> {
        self.centre.from.clone_from(&self.v);
        let mut length = 1.0;
        for _ in 0..HALVINGS {
            let steps = self.centre.from.iter().zip(&self.centre.step);
            for (v, (from, step)) in self.v.iter_mut().zip(steps) {
                for n in 0..N {
                    v[n] = from[n] + length * step[n];
                }
            }
            let after = widest(Respond(self, stiffness));
            if good(length, &after) {
                return Some(after);
            }
            length *= 0.5;
        }
        None
    }

    /// The balance before the last step.
    fn balance_again(&mut self, stiffness: f64) -> Balance {
        self.v.clone_from(&self.centre.from);
        widest(Respond(self, stiffness))
    }

    /// Impulses at the velocities, and how they change.
    #[inline(always)]
    fn respond_plainly(&mut self, stiffness: f64) -> Balance {
        let nb = self.v.len() - 1;
        let mut value = 0.5 * dot(&self.v[..nb], &self.v[..nb]);
        let lacking = &mut self.centre.lacking;
        lacking.clear();
        lacking.extend(self.v.iter().map(|v| v.map(|x| -x)));
        let parts = self.contacts.iter().zip(&self.centre.impulses);
        for ((contact, centre), linear) in parts.zip(&mut self.linear) {
            let mut u = pull(&self.v, contact.bodies, &contact.rows);
            for (u, q) in u.iter_mut().zip(&contact.q) {
                *u += q;
            }
            let compliance;
            (*linear, compliance) = respond(&contact.local, centre, &u, stiffness);
            if linear.face > 0 {
                push(lacking, contact.bodies, &contact.rows, &linear.constant);
                let square = linear.constant.iter().map(|r| r * r).sum::<f64>();
                value += 0.5 * compliance * square;
            }
        }
        self.centre.stiffness.clear();
        let equations = self.equations.iter().zip(&self.centre.forces);
        for ((equation, centre), force) in equations.zip(&mut self.forces) {
            let u = equation.velocity(&self.v, 0.0);
            let held = if equation.w > 0.0 {
                stiffness / equation.w
            } else {
                0.0
            };
            let softened = 1.0 + held * equation.law.compliance;
            let free = centre - held * u;
            *force = equation.law.project(free / softened);
            let holds = (free / softened).abs() <= equation.law.limit;
            self.centre
                .stiffness
                .push(if holds { held / softened } else { 0.0 });
            push_row(lacking, equation.bodies, &equation.rows, *force);
            if held > 0.0 {
                // Huber's function of c − κ ρ u.
                value += *force * (free - 0.5 * softened * *force) / held;
            }
        }
        lacking[nb] = [0.0; N];
        Balance {
            error: dot(lacking, lacking).sqrt(),
            value,
        }
    }

    /// (1 + Jᵀ A J) Δv = Jᵀ r − v.
    #[inline(always)]
    fn direction_plainly(&mut self, symmetric: bool) -> Option<()> {
        let nb = self.v.len() - 1;
        let fixed = u32::try_from(nb).ok()?;
        self.edges.clear();
        let closed = self.contacts.iter().zip(&self.linear);
        let closed = closed.filter(|(_, linear)| linear.face > 0);
        self.edges.extend(closed.map(|(contact, _)| contact.bodies));
        self.edges.extend(self.equations.iter().map(|e| e.bodies));
        self.edges.retain(|e| e.iter().all(|b| *b != fixed));
        self.lu.analyse(nb, &self.edges);
        self.lu.fill_identity();
        self.add_contacts(symmetric, fixed);
        for row in 0..self.equations.len() {
            self.add_equation(row, self.centre.stiffness[row], fixed);
        }
        self.lu.factor(symmetric)?;
        self.centre.step.clone_from(&self.centre.lacking);
        self.lu.solve(&mut self.centre.step[..nb]);
        let finite = self.centre.step.iter().flatten().all(|x| x.is_finite());
        finite.then_some(())
    }

    /// See [`Blocks::reach`](super::super::Blocks::reach).
    pub(super) fn reach_from(&self, before: &[f64]) -> f64 {
        let parts = self.contacts.iter().zip(&self.variables);
        let mut reach = f64::INFINITY;
        for ((contact, variable), before) in parts.zip(before.chunks_exact(D)) {
            let r = &variable.r;
            let change: [f64; D] = std::array::from_fn(|i| r[i] - before[i]);
            if r[0] <= 0.0 {
                continue;
            }
            if change[0] < 0.0 {
                reach = reach.min(-r[0] / change[0]);
            }
            let split = split(D);
            let cone = &contact.local.cone;
            for (disc, mu) in [(1..split, cone.mu), (split..D, cone.rolling)] {
                let dot = |a: &[f64; D], b: &[f64; D]| {
                    let discs = disc.clone().map(|i| a[i] * b[i]).sum::<f64>();
                    mu * mu * a[0] * b[0] - discs
                };
                // (μ r_N)² − |r_T|² = a t² + 2 b t + c after t times the change.
                let (a, b, c) = (dot(&change, &change), dot(r, &change), dot(r, r));
                let root = (b * b - a * c).sqrt();
                let leaves = a < 0.0 || (b < 0.0 && root.is_finite());
                if mu > 0.0 && c > AT_BORDER * (mu * r[0]).powi(2) && leaves {
                    reach = reach.min(if b < 0.0 {
                        c / (root - b)
                    } else {
                        (b + root) / -a
                    });
                }
            }
        }
        reach
    }
}

fn dot<const N: usize>(a: &[[f64; N]], b: &[[f64; N]]) -> f64 {
    let entries = a.iter().flatten().zip(b.iter().flatten());
    entries.map(|(a, b)| a * b).sum()
}
