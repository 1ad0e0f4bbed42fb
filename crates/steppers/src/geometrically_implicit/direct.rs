//! The way of most steps: Newton's method on the smooth equations of the modes, with a dense matrix.

use super::{evaluate::Sink, problem::Problem, reading::Reading, solve::POLISHED};
use crate::lu::Lu;
use signorini_complementarity::Bounds;

/// Newton steps for one set of modes; from the step before three or four are enough, where friction turns round a dozen.
const STEPS: usize = 20;

/// Modes may be corrected so often.
const CORRECTIONS: usize = 6;

/// Below this residual a step that does not halve it has met rounding.
const NEAR: f64 = 1e-9;

/// Steps that let the residual grow by more than this factor lead nowhere.
const GROWTH: f64 = 1e3;

/// Steps that may be made with a Jacobian of an earlier point.
const REUSES: i32 = 3;

/// Problems with more unknowns are left to sparse methods.
pub(super) const LARGEST: usize = 120;

/// Buffers.
#[derive(Debug, Default)]
pub(super) struct Direct {
    f: Vec<f64>,
    lu: Lu,
    reading: Reading,
    next: Reading,
}

/// How an attempt ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outcome {
    /// Natural residual of the complementarity problem.
    pub(super) residual: f64,
    pub(super) steps: usize,
}

impl Direct {
    /// Modes of the point that was left.
    pub(super) fn reading(&self) -> &Reading {
        &self.reading
    }

    /// Takes x to a solution if the modes that it says, corrected a few times, lead to one; the residual tells.
    pub(super) fn solve(
        &mut self,
        problem: &Problem<'_>,
        x: &mut [f64],
        tolerance: f64,
    ) -> Outcome {
        let n = x.len();
        self.f.resize(n, 0.0);
        let failed = |steps| Outcome {
            residual: f64::INFINITY,
            steps,
        };
        let mut steps = 0;
        let Some(mut residual) = self.judge(problem, x) else {
            return failed(steps);
        };
        self.reading.read(problem, x, &self.f);
        for _ in 0..CORRECTIONS {
            if residual <= POLISHED {
                break;
            }
            match self.newton(problem, x) {
                Some(taken) => steps += taken,
                None => return failed(steps),
            }
            self.reading.complete(problem, x, &mut self.f);
            let Some(reached) = self.judge(problem, x) else {
                return failed(steps);
            };
            residual = reached;
            self.next.read(problem, x, &self.f);
            if residual <= tolerance || self.next == self.reading {
                break;
            }
            std::mem::swap(&mut self.next, &mut self.reading);
        }
        if problem.draw_within_bounds(x) {
            let Some(reached) = self.judge(problem, x) else {
                return failed(steps);
            };
            residual = reached;
        }
        Outcome { residual, steps }
    }

    /// F of the complementarity problem at x, and its natural residual; none where it is not defined.
    fn judge(&mut self, problem: &Problem<'_>, x: &[f64]) -> Option<f64> {
        problem.values(x, None, &mut self.f).ok()?;
        natural_residual(&problem.bounds, x, &self.f)
    }

    /// Newton's method on the equations of the modes: the number of steps to rounding, none if it does not get there.
    ///
    /// A factorised Jacobian is used again while a few more steps with it lead to rounding: such a step costs a quarter.
    fn newton(&mut self, problem: &Problem<'_>, x: &mut [f64]) -> Option<usize> {
        let Self { f, lu, reading, .. } = self;
        let mut last = f64::INFINITY;
        let mut is_factorised = false;
        for step in 0..=STEPS {
            let mut is_new = !is_factorised;
            if is_new {
                let matrix = Sink::Dense(lu.begin(x.len()));
                problem.write(x, Some(reading), f, matrix).ok()?;
            } else {
                problem.values(x, Some(reading), f).ok()?;
            }
            let size = largest(f);
            let gain = size / last;
            if size <= POLISHED {
                return Some(step);
            }
            if step == STEPS || !size.is_finite() || (gain > GROWTH && size > GROWTH) {
                return None;
            }
            if last < NEAR && gain > 0.5 {
                // Rounding of large places: nothing descends any more, and the residual judges.
                return Some(step);
            }
            if !is_new && size * gain.powi(REUSES) > POLISHED {
                let matrix = Sink::Dense(lu.begin(x.len()));
                problem.write(x, Some(reading), f, matrix).ok()?;
                is_new = true;
            }
            if is_new && !lu.factor() {
                return None;
            }
            is_factorised = true;
            lu.solve(f);
            x.iter_mut().zip(&*f).for_each(|(x, d)| *x -= d);
            last = size;
        }
        None
    }
}

/// max |fᵢ|; NaN if one is.
fn largest(f: &[f64]) -> f64 {
    f.iter().fold(
        0.0,
        |m: f64, f| if f.is_nan() { f64::NAN } else { m.max(f.abs()) },
    )
}

/// max |xᵢ − mid(lᵢ, xᵢ − fᵢ, uᵢ)|; none if it is not finite.
fn natural_residual(bounds: &Bounds, x: &[f64], f: &[f64]) -> Option<f64> {
    let mut residual = 0.0_f64;
    let bounds = bounds.lower().iter().zip(bounds.upper());
    for ((x, f), (lower, upper)) in x.iter().zip(f).zip(bounds) {
        if !(x.is_finite() && f.is_finite()) {
            return None;
        }
        residual = residual.max(row_residual((*x, *f), [*lower, *upper]));
    }
    Some(residual)
}

/// |x − mid(l, x − f, u)|.
pub(super) fn row_residual((x, f): (f64, f64), [lower, upper]: [f64; 2]) -> f64 {
    f.min(x - lower).max(x - upper).abs()
}
