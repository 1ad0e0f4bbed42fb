//! Where a path begins at a point: the regular start of PATH.

use super::start::Singular;
use super::{Block, Dictionary, NONBASIC};
use crate::BasisMark;
use crate::lemke::LemkeSettings;
use crate::lemke::sparse::data::SparseProblem;
use crate::lemke::sparse::factors::Factors;

/// How a path leaves its starting point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::lemke::sparse) enum Departure {
    /// The basis solves the problem.
    Solved,
    /// This variable left for t.
    Left(usize),
    /// Nothing that can be trusted blocks t.
    Nothing,
}

impl<'a> Dictionary<'a> {
    /// Starts at the point y: M y + q − s = r with s ≥ 0 where y is at its lower bound, s ≤ 0 at its upper one, else 0. The
    /// column of t is −r in units of its largest entry, which is the value of t there. Variables without a bound near
    /// which depend on others go to their bounds.
    pub(in crate::lemke::sparse) fn regular(
        data: &'a SparseProblem,
        mut standing: Vec<BasisMark>,
        y: &[f64],
        repairs: usize,
        mut factors: Factors,
    ) -> Result<(Self, f64), Singular> {
        let mut rounds = 0;
        let mut new = loop {
            match Self::complementary(data, &standing, factors) {
                Ok(new) => break new,
                Err(singular) => {
                    let bounded: Vec<usize> = singular.bounded(data).collect();
                    if rounds == repairs || bounded.is_empty() {
                        return Err(singular);
                    }
                    for j in bounded {
                        let upper = data.upper[j] - y[j] < y[j];
                        standing[j] = if upper {
                            BasisMark::AtUpper
                        } else {
                            BasisMark::AtLower
                        };
                    }
                    factors = *singular.factors;
                    rounds += 1;
                }
            }
        };
        let from = new.stand_at(y);
        Ok((new, from))
    }

    /// Values, column of t and its value for the point y.
    fn stand_at(&mut self, y: &[f64]) -> f64 {
        let n = self.n;
        // 1. r = M y + q with nonbasic variables at their bounds, then without what the slacks take.
        let mut r = self.data.q.clone();
        let mut values = vec![0.0; 2 * n];
        for j in 0..n {
            values[n + j] = match self.is_basic(n + j) {
                true if self.data.free[j] => y[j],
                true => y[j].clamp(0.0, self.data.upper[j]),
                false if self.at_upper[j] => self.data.upper[j],
                false => 0.0,
            };
            if values[n + j] != 0.0 {
                for (i, m) in self.data.column(j) {
                    r[i] += m * values[n + j];
                }
            }
        }
        for i in (0..n).filter(|&i| self.is_basic(i)) {
            let slack = if self.at_upper[i] {
                r[i].min(0.0)
            } else {
                r[i].max(0.0)
            };
            values[i] = slack;
            r[i] -= slack;
        }
        // 2. The column of t; a power of two keeps its digits.
        let largest = r.iter().fold(0.0_f64, |m, r| m.max(r.abs()));
        let from = if largest > 0.0 {
            largest.log2().round().exp2()
        } else {
            1.0
        };
        for (covering, r) in self.covering.iter_mut().zip(&r) {
            *covering = -r / from;
        }
        let covering = self.covering.iter().copied().enumerate();
        self.factors.solve(covering, &mut self.artificial_column);
        from
    }

    /// Whether every value is within its bounds at t = 0, up to rounding.
    fn is_feasible(&self, tie: f64) -> bool {
        (0..self.n).all(|p| {
            let violation = (self.lower[p] - self.x[p]).max(self.x[p] - self.upper[p]);
            violation <= tie * self.size[p]
        })
    }

    /// Lets t fall from this value, at which the point of [`Self::regular`] is.
    pub(in crate::lemke::sparse) fn depart(
        &mut self,
        from: f64,
        settings: &LemkeSettings,
    ) -> Departure {
        let tie = settings.tie_tolerance;
        self.measure(tie);
        if self.is_feasible(tie) {
            return Departure::Solved;
        }
        for p in 0..self.n {
            let change = from * self.artificial_column[p];
            let here = self.x[p] - change;
            self.size[p] = self.size[p].max(change.abs());
            self.x[p] = here.max(self.lower[p]).min(self.upper[p]);
        }
        self.rate.clear();
        self.rate.extend_from_slice(&self.artificial_column);
        self.largest_rate = self.rate.iter().fold(0.0_f64, |m, r| m.max(r.abs()));
        let t = self.t();
        match self.blocking_within(from, t, settings) {
            Block::Basic(p, step, _) => {
                let shift = self.shift[p] / self.artificial_column[p];
                self.advance(step, -shift, tie);
                let variable = self.head[p];
                self.note_bound(p, variable);
                self.position[variable] = NONBASIC;
                self.place(t, p, from - step, shift);
                self.artificial = Some(p);
                Departure::Left(variable)
            }
            Block::Flip => {
                self.advance(from, 0.0, tie);
                Departure::Solved
            }
            Block::Nothing | Block::Unclear => Departure::Nothing,
        }
    }

    /// How y moves from a point where M y + q = `f` to the solution of the complementary basis; `moves` tells it of the
    /// nonbasic variables, and takes the others. So the distance of a bound costs no digits.
    pub(in crate::lemke::sparse) fn displace(&mut self, f: &[f64], moves: &mut [f64]) {
        let n = self.n;
        let mut b: Vec<f64> = f.iter().map(|f| -f).collect();
        for j in (0..n).filter(|&j| !self.is_basic(n + j) && moves[j] != 0.0) {
            for (i, m) in self.data.column(j) {
                b[i] -= m * moves[j];
            }
        }
        let mut x = vec![0.0; n];
        self.solve(&b, &mut x);
        for (j, moves) in moves.iter_mut().enumerate() {
            if self.position[n + j] != NONBASIC {
                *moves = x[self.position[n + j]];
            }
        }
    }
}
