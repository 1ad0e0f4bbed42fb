//! The portfolio for nonlinear problems.
//!
//! # Method
//! 1. [`Path`](crate::Path) from the given start, with its restarts.
//! 2. [`SemismoothNewton`](crate::SemismoothNewton) from there, with the penalised function, that of Fischer and Burmeister, and the minimum.
//! 3. `Path` from three other points: the given one, pushed off by a tenth of its size, by its size, and by ten times
//!    as much, into the bounds.

use super::{Answer, Method, Portfolio, merge};
use crate::path::start_point;
use crate::rng::SplitMix64;
use crate::{
    Mcp, NcpFunction, Observer, PathSettings, SemismoothSettings, Solution, Solver, Start, Status,
};

/// How far the later starts are pushed off, relative to max(1, |z_i|).
const PUSHES: [f64; 3] = [0.1, 1.0, 10.0];

/// Solves a nonlinear problem with the portfolio's default settings.
///
/// # Panics
/// If `start` does not fit the problem.
///
/// # Examples
/// ```
/// use signorini_complementarity::*;
/// /// Billups' trap: z ≥ 0 ⟂ (z − 1)² − 1.01 ≥ 0, from 0.
/// struct Trap(Bounds);
/// impl Mcp for Trap {
///     fn len(&self) -> usize {
///         1
///     }
///     fn bounds(&self) -> &Bounds {
///         &self.0
///     }
///     fn evaluate(&self, z: &[f64], f: &mut [f64], jacobian: Option<&mut Assembler>) -> Result<(), DomainError> {
///         f[0] = (z[0] - 1.0).powi(2) - 1.01;
///         if let Some(jacobian) = jacobian {
///             jacobian.push(0, 0, 2.0 * (z[0] - 1.0));
///         }
///         Ok(())
///     }
/// }
/// let answer = solve_mcp(&Trap(Bounds::nonnegative(1)), Start::Point(&[0.0]));
/// assert_eq!(answer.solution.status, Status::Solved);
/// assert!((answer.solution.z[0] - 1.0 - 1.01_f64.sqrt()).abs() < 1e-9);
/// ```
pub fn solve_mcp(problem: &dyn Mcp, start: Start<'_>) -> Answer {
    Portfolio::default().answer_mcp(problem, start, &mut ())
}

impl Portfolio {
    /// Solves a nonlinear problem from `start` and tells who answered. The first solution ends it; otherwise the answer
    /// with the smallest residual is returned, with the status of its solver.
    ///
    /// Example: see [`solve_mcp`].
    ///
    /// # Panics
    /// If `start` does not fit the problem.
    pub fn answer_mcp(
        &mut self,
        problem: &dyn Mcp,
        start: Start<'_>,
        observer: &mut dyn Observer,
    ) -> Answer {
        let tolerance = self.settings.tolerance;
        self.path.settings = PathSettings {
            convergence_tolerance: tolerance,
            ..PathSettings::default()
        };
        let solution = self.path.solve_observed(problem, start, observer);
        let mut answer = merge(None, Method::Path, solution);
        for function in [
            SemismoothSettings::default().function,
            NcpFunction::FischerBurmeister,
            NcpFunction::Minimum,
        ] {
            if ends(&answer) {
                return answer;
            }
            self.semismooth.settings = SemismoothSettings {
                tolerance,
                function,
                ..SemismoothSettings::default()
            };
            let solution = self.semismooth.solve_observed(problem, start, observer);
            answer = merge(Some(answer), Method::SemismoothNewton, solution);
        }
        let given = start_point(problem, start);
        let mut random = SplitMix64::new(0);
        for push in PUSHES {
            if ends(&answer) {
                return answer;
            }
            let z = pushed(problem, &given, push, &mut random);
            let solution = (self.path).solve_observed(problem, Start::Point(&z), observer);
            answer = merge(Some(answer), Method::Path, solution);
        }
        answer
    }
}

impl<'p> Solver<dyn Mcp + 'p> for Portfolio {
    fn solve_observed(
        &mut self,
        problem: &(dyn Mcp + 'p),
        start: Start<'_>,
        observer: &mut dyn Observer,
    ) -> Solution {
        self.answer_mcp(problem, start, observer).solution
    }
}

/// Whether the last method has ended the search.
fn ends(answer: &Answer) -> bool {
    let last = answer.tried.last().map(|(_, status)| *status);
    matches!(last, Some(Status::Solved | Status::Stopped))
}

/// `z` with each entry pushed by up to `push` max(1, |z_i|): away from a bound that is near, else to either side.
fn pushed(problem: &dyn Mcp, z: &[f64], push: f64, random: &mut SplitMix64) -> Vec<f64> {
    let bounds = problem.bounds();
    let entry = |(i, &z): (usize, &f64)| {
        let (size, part) = (push * z.abs().max(1.0), random.uniform());
        let (below, above) = (z - bounds.lower()[i], bounds.upper()[i] - z);
        let side = match (below < size, above < size) {
            (true, false) => part,
            (false, true) => -part,
            _ => 2.0 * part - 1.0,
        };
        bounds.project(i, z + side * size)
    };
    z.iter().enumerate().map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bounds, LinearMcp};

    #[test]
    fn pushes_stay_within_bounds_and_leave_those_that_are_near() {
        let inf = f64::INFINITY;
        let bounds = Bounds::new(vec![0.0, -inf, 3.0, -inf], vec![inf, 5.0, 3.0, inf]).unwrap();
        let mcp = LinearMcp::new(sprs::CsMat::zero((4, 4)), vec![0.0; 4], bounds).unwrap();
        for push in PUSHES {
            let z = pushed(&mcp, &[0.0, 5.0, 3.0, 100.0], push, &mut SplitMix64::new(0));
            assert!(z[0] > 0.0 && z[0] <= push);
            assert!(z[1] < 5.0 && z[1] >= 5.0 - 5.0 * push.max(1.0));
            assert_eq!(z[2], 3.0);
            assert!(z[3] != 100.0 && (z[3] - 100.0).abs() <= 100.0 * push);
        }
    }
}
