//! What contacts and bilateral rows add to the matrix of a step of Newton's method.

#![expect(
    clippy::inline_always,
    reason = "what a kernel calls is compiled for wide vectors only if it is inlined"
)]

use super::super::rows::push_row;
use super::{BodyBlocks, UNKNOWN};

impl<const D: usize, const N: usize> BodyBlocks<D, N> {
    /// Adds Jᵀ A J of the closed contacts, of a symmetric matrix its lower half.
    #[inline(always)]
    pub(super) fn add_contacts(&mut self, symmetric: bool, fixed: u32) {
        if self.placed != self.lu.changes() {
            self.placed = self.lu.changes();
            self.places.clear();
            self.places.resize(self.contacts.len(), UNKNOWN);
        }
        let parts = self.contacts.iter().zip(&self.linear);
        for ((contact, linear), place) in parts.zip(&mut self.places) {
            if linear.face == 0 {
                continue;
            }
            for (side, &body) in contact.rows.iter().zip(&contact.bodies) {
                if body == fixed {
                    continue;
                }
                let mut product = [[0.0; N]; D];
                for (out, a) in product.iter_mut().zip(&linear.stiffness) {
                    let mut row = [0.0; N];
                    for (a, j) in a.iter().zip(side) {
                        for n in 0..N {
                            row[n] += a * j[n];
                        }
                    }
                    *out = row;
                }
                for (other, &to) in contact.rows.iter().zip(&contact.bodies) {
                    if to == fixed || symmetric && self.lu.is_upper(to, body) {
                        continue;
                    }
                    let at = if to == body {
                        to as usize
                    } else {
                        let [first, second] = contact.bodies;
                        if *place == UNKNOWN {
                            *place = self.lu.place(second, first);
                        }
                        if to == second {
                            *place
                        } else {
                            self.lu.across(*place)
                        }
                    };
                    self.lu.add_product_at(at, other, &product);
                }
            }
        }
    }

    /// Adds the bilateral rows to the matrix and the right-hand side; their stiffnesses.
    pub(super) fn stiffen_equations(&mut self, stiffness: f64, fixed: u32) -> Vec<f64> {
        let mut stiff = Vec::with_capacity(self.equations.len());
        for (equation, force) in self.equations.iter().zip(&mut self.forces) {
            let u = equation.velocity(&self.v, *force);
            let rho = if equation.w > 0.0 {
                1.0 / equation.w
            } else {
                0.0
            };
            if !equation.law.holds(rho, *force, u) {
                // At its limit, whatever the velocities.
                let limit = equation.law.project(*force - rho * u);
                let lacking = limit - *force;
                *force = limit;
                stiff.push(0.0);
                push_row(&mut self.rhs, equation.bodies, &equation.rows, lacking);
                continue;
            }
            // p⁺ = p − κ ρ u⁺ with R p⁺ in u⁺.
            let k = stiffness * rho / (1.0 + stiffness * rho * equation.law.compliance);
            stiff.push(k);
            let lacking = -k * u;
            *force += lacking;
            push_row(&mut self.rhs, equation.bodies, &equation.rows, lacking);
        }
        for (row, &k) in stiff.iter().enumerate().filter(|(_, k)| **k != 0.0) {
            self.add_equation(row, k, fixed);
        }
        stiff
    }

    /// Adds J_bᵀ k J_b of one bilateral row.
    pub(super) fn add_equation(&mut self, row: usize, k: f64, fixed: u32) {
        let equation = &self.equations[row];
        for (row, &body) in equation.rows.iter().zip(&equation.bodies) {
            for (other, &to) in equation.rows.iter().zip(&equation.bodies) {
                if to != fixed && body != fixed {
                    let right = row.map(|x| k * x);
                    self.lu.add_product((to, body), &[*other], &[right]);
                }
            }
        }
    }
}
