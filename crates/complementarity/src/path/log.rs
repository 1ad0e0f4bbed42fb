//! A log in the columns of PATH's.

use std::io::{self, Write};
use std::ops::ControlFlow;

use crate::{Iterate, Mcp, Observer, Phase, Solution};

/// Observer that writes the log that users of PATH know: first the crash, then one line per major iteration.
///
/// The residual is the natural one, where PATH prints the norm of its merit function. `type` is the code of the
/// linearised problem and that of the step, as [`StepRecord::codes`](crate::StepRecord::codes) explains them; `prox` the
/// proximal perturbation, `inorm` F in the worst row, which is named behind it.
///
/// # Examples
/// ```
/// use signorini_complementarity::{Bounds, LinearMcp, Path, PathLog, Solver, Start};
/// let mcp = LinearMcp::from_dense(&[[2.0]], vec![-1.0], Bounds::nonnegative(1))?;
/// let mut text = Vec::new();
/// let mut log = PathLog::new(&mcp, &mut text);
/// let solution = Path::default().solve_observed(&mcp, Start::Cold, &mut log);
/// log.finish(&solution).expect("memory is writable");
/// assert!(String::from_utf8(text).expect("it is text").contains("FINAL STATISTICS"));
/// # Ok::<(), signorini_complementarity::ProblemError>(())
/// ```
pub struct PathLog<'a> {
    problem: &'a dyn Mcp,
    out: &'a mut dyn Write,
    phase: Option<Phase>,
    error: Option<io::Error>,
}

impl std::fmt::Debug for PathLog<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PathLog")
            .field("phase", &self.phase)
            .field("error", &self.error)
            .finish_non_exhaustive()
    }
}

impl<'a> PathLog<'a> {
    /// A log of solves of `problem`.
    pub fn new(problem: &'a dyn Mcp, out: &'a mut dyn Write) -> Self {
        Self {
            problem,
            out,
            phase: None,
            error: None,
        }
    }

    /// Writes the final statistics.
    ///
    /// # Errors
    /// The first error of writing, also of the lines before.
    pub fn finish(mut self, solution: &Solution) -> io::Result<()> {
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        let stats = solution.stats;
        writeln!(self.out, "\nFINAL STATISTICS")?;
        let status = solution.status.describe(self.problem);
        writeln!(self.out, "{:.<25} {status}", "Status")?;
        writeln!(
            self.out,
            "{:.<25} {}",
            "Natural residual",
            number(solution.residual, 4)
        )?;
        let counts = [
            ("Major iterations", stats.iterations),
            ("Minor iterations", stats.pivots),
            ("Crash iterations", stats.crash_iterations),
            ("Gradient steps", stats.gradient_steps),
            ("Restarts", stats.restarts),
            ("Function evaluations", stats.evaluations),
            ("Jacobian evaluations", stats.jacobians),
        ];
        for (name, count) in counts {
            writeln!(self.out, "{name:.<25} {count}")?;
        }
        Ok(())
    }

    fn line(&mut self, iterate: &Iterate<'_>) -> io::Result<()> {
        let Some(step) = iterate.step else {
            return Ok(());
        };
        if self.phase != Some(step.phase) {
            self.phase = Some(step.phase);
            match step.phase {
                Phase::Crash => {
                    writeln!(self.out, "Crash Log")?;
                    writeln!(
                        self.out,
                        "crash  func  diff    residual     step     prox   (label)"
                    )?;
                }
                Phase::Major => {
                    writeln!(self.out, "Major Iteration Log")?;
                    let columns = "major minor  func  grad    residual     step type     prox    inorm (label)";
                    writeln!(self.out, "{columns}")?;
                }
            }
        }
        let (row, f) = step.worst;
        let label = if self.problem.is_empty() {
            "-".into()
        } else {
            self.problem.name(row)
        };
        let length = if step.step > 0.0 {
            number(step.step, 1)
        } else {
            String::new()
        };
        let [model, code] = step.codes;
        match step.phase {
            Phase::Crash => writeln!(
                self.out,
                "{:5} {:5} {:5} {:>11} {length:>8} {:>8}   ({label})",
                iterate.iteration,
                step.evaluations,
                step.minor,
                number(step.residual, 4),
                number(step.proximal, 1),
            ),
            Phase::Major => writeln!(
                self.out,
                "{:5} {:5} {:5} {:5} {:>11} {length:>8}   {model}{code} {:>8} {:>8} ({label})",
                iterate.iteration,
                step.minor,
                step.evaluations,
                step.jacobians,
                number(step.residual, 4),
                number(step.proximal, 1),
                number(f.abs(), 1),
            ),
        }
    }
}

/// With so many digits behind the point, and an exponent of two digits and a sign.
fn number(x: f64, digits: usize) -> String {
    let text = format!("{x:.digits$e}");
    match text.split_once('e') {
        Some((mantissa, exponent)) => {
            let exponent: i32 = exponent.parse().unwrap_or(0);
            format!("{mantissa}e{exponent:+03}")
        }
        None => text,
    }
}

impl Observer for PathLog<'_> {
    fn observe(&mut self, iterate: &Iterate<'_>) -> ControlFlow<()> {
        if self.error.is_none() {
            self.error = self.line(iterate).err();
        }
        ControlFlow::Continue(())
    }
}
