//! Ratio test: what stops the entering variable, and which of several ties leaves.

use super::{Block, Dictionary, NONBASIC};
use crate::lemke::LemkeSettings;

impl Dictionary<'_> {
    /// Ratio test for the entering variable, whose direction was computed last.
    ///
    /// Rows whose ratio is equal up to the rounding of x are ties; t is preferred among them, then large pivots, then
    /// the perturbation, then the columns of the starting basis.
    pub(in crate::lemke::sparse) fn blocking(
        &mut self,
        entering: usize,
        settings: &LemkeSettings,
    ) -> Block {
        let range = if entering >= self.n {
            self.data.upper[entering - self.n]
        } else {
            f64::INFINITY
        };
        self.blocking_within(range, entering, settings)
    }

    /// The same with this distance of the entering variable from its own other bound.
    pub(super) fn blocking_within(
        &mut self,
        range: f64,
        entering: usize,
        settings: &LemkeSettings,
    ) -> Block {
        let tie = settings.tie_tolerance;
        let smallest = (settings.pivot_tolerance * self.largest_rate).max(settings.pivot_floor);
        // The longest step that violates no bound by more than its rounding. Whatever blocks before it, blocks before
        // all longer ones, and is collected on the way; divisions are rare.
        let mut ties = std::mem::take(&mut self.ties);
        ties.clear();
        let mut longest = f64::INFINITY;
        let (x, sizes) = (&self.x[..self.n], &self.size[..self.n]);
        let (lower, upper) = (&self.lower[..self.n], &self.upper[..self.n]);
        for (p, &rate) in self.rate[..self.n].iter().enumerate() {
            let size = rate.abs();
            let room = if rate < 0.0 {
                x[p] - lower[p]
            } else {
                upper[p] - x[p]
            };
            if size > smallest && room <= longest * size && room < f64::INFINITY {
                ties.push(p);
                longest = longest.min((room + tie * sizes[p]) / size);
            }
        }
        ties.retain(|&p| self.room(p) <= longest * self.rate[p].abs());
        if ties.is_empty() || range < longest {
            self.ties = ties;
            // With a step that blocks and no tie, that step has underflown.
            return match (range < longest, longest == f64::INFINITY) {
                (true, _) => Block::Flip,
                (false, true) => Block::Nothing,
                (false, false) => Block::Unclear,
            };
        }
        let p = match self.artificial {
            Some(p) if ties.contains(&p) => p,
            _ => {
                let best = ties.iter().fold(0.0_f64, |m, &p| m.max(self.rate[p].abs()));
                ties.retain(|&p| self.rate[p].abs() >= settings.tied_pivot_ratio * best);
                self.lexicographic_minimum(&mut ties, entering, tie)
            }
        };
        self.ties = ties;
        let rate = self.rate[p].abs();
        Block::Basic(p, (self.room(p) / rate).max(0.0), rate / self.largest_rate)
    }

    /// Distance of a basic value from the bound that it moves to.
    fn room(&self, p: usize) -> f64 {
        if self.rate[p] < 0.0 {
            self.x[p] - self.lower[p]
        } else {
            self.upper[p] - self.x[p]
        }
    }

    fn lexicographic_minimum(&mut self, ties: &mut Vec<usize>, entering: usize, tie: f64) -> usize {
        keep_smallest(ties, |p| -self.shift[p] / self.rate[p], tie);
        for k in 0..self.n {
            if ties.len() == 1 {
                break;
            }
            let (v, sign) = self.start[k];
            match self.position[v] {
                _ if sign == 0.0 || v == entering => {}
                NONBASIC => {
                    let mut column = std::mem::take(&mut self.scratch);
                    if v < self.n {
                        self.factors.solve(std::iter::once((v, -1.0)), &mut column);
                    } else {
                        self.factors
                            .solve(self.data.column(v - self.n), &mut column);
                    }
                    self.border(&mut column);
                    keep_smallest(ties, |p| -sign * column[p] / self.rate[p], tie);
                    self.scratch = column;
                }
                at => {
                    let unit = |p: usize| if p == at { -sign / self.rate[p] } else { 0.0 };
                    keep_smallest(ties, unit, tie);
                }
            }
        }
        ties[0]
    }
}

fn keep_smallest(ties: &mut Vec<usize>, ratio: impl Fn(usize) -> f64, tie: f64) {
    let smallest = ties.iter().fold(f64::INFINITY, |m, &p| m.min(ratio(p)));
    let scale = ties.iter().fold(0.0_f64, |m, &p| m.max(ratio(p).abs()));
    ties.retain(|&p| ratio(p) <= smallest + tie * scale);
}
