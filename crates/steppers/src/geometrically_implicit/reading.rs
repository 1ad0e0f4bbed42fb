//! Modes of pairs and active inequalities, as a point of the problem says them.

use super::problem::Problem;
use crate::report::Mode;

/// The modes that a point says: which equations of complementary pairs hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Reading {
    /// Of each pair.
    pub(super) modes: Vec<Mode>,
    /// For each multiplier, pair by pair, whether its inequality is active.
    pub(super) active: Vec<bool>,
    /// Of each pair, whether it has no more than a least impulse that is not zero; it may be stuck or slide all the same.
    pub(super) parts: Vec<bool>,
    /// Of each row of a joint, whether it holds: an equation does.
    pub(super) links: Vec<Held>,
}

/// Whether a row of a joint holds, or its impulse is at a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Held {
    Least,
    Yes,
    Most,
}

impl Reading {
    /// All pairs open.
    pub(super) fn open(problem: &Problem<'_>) -> Self {
        Self {
            modes: vec![Mode::Open; problem.contacts.len()],
            active: Vec::new(),
            parts: vec![false; problem.contacts.len()],
            links: vec![Held::Yes; problem.island.links.len()],
        }
    }

    /// Of two complementary numbers, x less its bound and F(x), the smaller one is zero. x should not be drawn within its
    /// bounds before: a number below its bound says which side it is on, one on the bound says nothing.
    pub(super) fn read(&mut self, problem: &Problem<'_>, x: &[f64], f: &[f64]) {
        let lower = problem.bounds.lower();
        let is_positive = |i: usize| x[i] - lower[i] > f[i];
        self.modes.clear();
        self.active.clear();
        self.parts.clear();
        for (contact, place) in problem.contacts.iter().zip(&problem.places) {
            let is_pressed = is_positive(place.normal);
            self.parts.push(contact.least > 0.0 && !is_pressed);
            self.modes.push(if contact.least == 0.0 && !is_pressed {
                Mode::Open
            } else if contact.friction.is_empty() || is_positive(place.sigma) {
                Mode::Slip
            } else {
                Mode::Stick
            });
            let is_left_out = |i: usize| contact.layout.is_left_out(i - place.z);
            let is_active = |i: usize| is_positive(i) && !is_left_out(i);
            self.active.extend(place.multipliers().map(is_active));
        }
        self.links.clear();
        let upper = problem.bounds.upper();
        let held = |i: usize| {
            if !is_positive(i) {
                Held::Least
            } else if x[i] - upper[i] < f[i] {
                Held::Yes
            } else {
                Held::Most
            }
        };
        self.links.extend((problem.first_link..x.len()).map(held));
    }

    /// The reading of x; where F is not defined nothing is said, and the point is refused by its residual.
    pub(super) fn of(problem: &Problem<'_>, x: &[f64]) -> Self {
        let mut f = vec![f64::INFINITY; x.len()];
        let _ = problem.values(x, None, &mut f);
        let mut reading = Self::default();
        reading.read(problem, x, &f);
        reading
    }

    /// Gives friction of open pairs the values of their sliding.
    pub(super) fn complete(&self, problem: &Problem<'_>, x: &mut [f64], f: &mut [f64]) {
        let pairs = problem.contacts.iter().zip(&problem.places);
        let open = pairs
            .zip(&self.modes)
            .filter(|((contact, _), mode)| **mode == Mode::Open && !contact.friction.is_empty());
        let open = open.map(|((_, place), _)| place);
        let mut any = false;
        for place in open.clone() {
            x[place.sigma] = 0.0;
            any = true;
        }
        if any && problem.values(x, None, f).is_ok() {
            // With σ = 0 the friction rows are the sliding velocities.
            for place in open {
                let slips = &f[place.ratios..place.sigma];
                let speed = slips.iter().map(|s| s * s).sum::<f64>().sqrt();
                x[place.sigma] = speed;
                for (y, s) in x[place.ratios..place.sigma].iter_mut().zip(slips) {
                    *y = if speed > 0.0 { -s / speed } else { 0.0 };
                }
            }
        }
    }
}
