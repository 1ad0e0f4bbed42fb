//! The extragradient method: two projections a step, on any friction problem.
//!
//! ```math
//! \bar r = P_K(r - \rho\, \tilde u(r)), \qquad r^{+} = P_K(r - \rho\, \tilde u(\bar r))
//! ```
//!
//! # Method
//! Contact k has its own step ρ D / tr W_kk, so that units and mass ratios do not matter. ρ shrinks until
//! ρ |ũ(r) − ũ(r̄)| ≤ 0.9 |r − r̄| in the norms of these steps and grows again where the ratio is below 0.3 \[K1987\].
//!
//! # Guarantees and limits
//! For the convex law the map is monotone and every solvable problem is solved, linearly at best. For Coulomb's law there
//! is no proof, but it converges on a wide set of problems \[ABH2018\]. It needs neither a factorisation nor a rank of
//! W; the price is hundreds to many thousands of steps of two products with W each.
//!
//! # References
//! - \[K1987\] E. N. Khobotov, Modification of the extra-gradient method for solving variational inequalities and certain
//!   optimization problems, USSR Computational Mathematics and Mathematical Physics 27, 1987.
//! - \[ABH2018\] V. Acary, M. Brémond, O. Huber, On solving contact problems with Coulomb friction: formulations and
//!   numerical comparisons, Inria research report 9118, 2018.

use super::view::{BlockMatrix, SolverView};
use super::{FrictionProblem, ResidualMeasure};
use crate::{Iterate, Observer, Solution, Solver, Start, Stats, Status};

/// Settings of [`Extragradient`].
///
/// # Examples
/// ```
/// use signorini_complementarity::ExtragradientSettings;
/// let settings = ExtragradientSettings { tolerance: 1e-6, ..ExtragradientSettings::default() };
/// assert_eq!(settings.iteration_limit, 20_000);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ExtragradientSettings {
    /// Solved if the residual that `measure` names is ≤ this. Default 1e-8.
    pub tolerance: f64,
    /// Which residual. Default [`ResidualMeasure::Relative`].
    pub measure: ResidualMeasure,
    /// Most steps, those included that were tried with too large a ρ. Default 20 000.
    pub iteration_limit: usize,
    /// Steps between two checks of the residual. Default 10; 0 counts as 1.
    pub check_interval: usize,
}

impl Default for ExtragradientSettings {
    fn default() -> Self {
        Self {
            tolerance: 1e-8,
            measure: ResidualMeasure::default(),
            iteration_limit: 20_000,
            check_interval: 10,
        }
    }
}

/// The extragradient method with steps of its own for each contact.
///
/// [`Start::Point`] is where it begins; [`Start::Basis`] says nothing to it and begins at zero like [`Start::Cold`]. The
/// observer sees every check, with the residual as the measure.
///
/// The answer is the best point of the checks. Its status is [`Status::Solved`], [`Status::IterationLimit`], or
/// [`Status::Inaccurate`] if the residual that is recomputed from the original data is above the tolerance although the
/// method's own was not, or if the iterates overflow.
///
/// # Examples
/// ```
/// use signorini_complementarity::{ContactLaws, Extragradient, FrictionProblem, Solver, Start, Status};
/// let laws = ContactLaws { dimension: 3, mu: vec![0.1], ..ContactLaws::default() };
/// let problem = FrictionProblem::from_delassus(&sprs::CsMat::eye(3), vec![-1.0, 1.0, 3.0], laws)?;
/// let solution = Extragradient::default().solve(&problem, Start::Cold);
/// assert_eq!(solution.status, Status::Solved);
/// assert!((solution.z[0] - 1.0).abs() < 1e-7);
/// # Ok::<(), signorini_complementarity::FrictionError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Extragradient {
    /// Settings; may be changed between solves.
    pub settings: ExtragradientSettings,
}

impl Extragradient {
    /// The method with these settings.
    pub fn new(settings: ExtragradientSettings) -> Self {
        Self { settings }
    }
}

/// Largest ρ |Δũ| / |Δr| that a step may have.
const LARGEST_RATIO: f64 = 0.9;
/// Below this ratio the next ρ is larger.
const SMALL_RATIO: f64 = 0.3;
/// By which ρ shrinks, and grows by its inverse.
const FACTOR: f64 = 2.0 / 3.0;

impl Solver<FrictionProblem> for Extragradient {
    fn solve_observed(
        &mut self,
        problem: &FrictionProblem,
        start: Start<'_>,
        observer: &mut dyn Observer,
    ) -> Solution {
        let settings = &self.settings;
        let mut run = Run::new(problem, start);
        let mut best = (f64::INFINITY, run.r.clone());
        let mut status = Status::IterationLimit;
        let interval = settings.check_interval.max(1);
        let mut iteration = 0;
        while iteration <= settings.iteration_limit {
            run.matrix.velocities_into(&run.view, &run.r, &mut run.u);
            if iteration % interval == 0 || iteration == settings.iteration_limit {
                let point = (&run.r[..], &run.u[..]);
                let residual = run.view.residual(settings.measure, point, &mut run.bar);
                if residual < best.0 {
                    best.0 = residual;
                    best.1.copy_from_slice(&run.r);
                }
                if residual <= settings.tolerance {
                    status = Status::Solved;
                    break;
                }
                if !residual.is_finite() {
                    status = Status::Inaccurate;
                    break;
                }
                let iterate = Iterate {
                    iteration,
                    measure: residual,
                    entering: None,
                    leaving: None,
                    z: Some(&run.r),
                    step: None,
                };
                if observer.observe(&iterate).is_break() {
                    status = Status::Stopped;
                    break;
                }
            }
            iteration += 1;
            run.step();
        }
        let mut z = best.1;
        run.view.unscale(&mut z);
        let residual = problem.residuals(&z).of(settings.measure);
        match status {
            Status::Solved if residual > settings.tolerance => status = Status::Inaccurate,
            Status::IterationLimit | Status::Inaccurate if residual <= settings.tolerance => {
                status = Status::Solved;
            }
            _ => {}
        }
        Solution {
            z,
            status,
            residual,
            stats: Stats {
                iterations: iteration.min(settings.iteration_limit),
                ..Stats::default()
            },
            basis: None,
            certificate: None,
        }
    }
}

/// Iterate and workspace, in scaled coordinates.
struct Run {
    view: SolverView,
    matrix: BlockMatrix,
    /// D / tr W_kk of each row.
    steps: Vec<f64>,
    rho: f64,
    r: Vec<f64>,
    /// u(r), and ũ(r) after a step.
    u: Vec<f64>,
    bar: Vec<f64>,
    u_bar: Vec<f64>,
}

impl Run {
    fn new(problem: &FrictionProblem, start: Start<'_>) -> Self {
        let view = SolverView::new(problem);
        let n = view.len();
        let mut r = vec![0.0; n];
        if let Start::Point(z) = start {
            assert_eq!(z.len(), n, "one entry per contact and bilateral row");
            r.copy_from_slice(z);
            view.scale(&mut r);
        }
        let mut steps = vec![0.0; n];
        for k in 0..view.blocks() {
            let rows = view.rows(k);
            let size = rows.len();
            let trace: f64 = view.diagonal_block(k).iter().step_by(size + 1).sum();
            // A contact that no impulse moves keeps its impulse.
            let step = if trace > 0.0 {
                size as f64 / trace
            } else {
                0.0
            };
            steps[rows].fill(step);
        }
        Self {
            matrix: view.matrix(problem),
            steps,
            rho: 1.0,
            r,
            u: vec![0.0; n],
            bar: vec![0.0; n],
            u_bar: vec![0.0; n],
            view,
        }
    }

    /// One step from r with u = u(r); only ρ changes if it was too large.
    fn step(&mut self) {
        let view = &self.view;
        shift(view, &mut self.u);
        project_step(
            view,
            self.rho,
            (&self.r, &self.steps, &self.u),
            &mut self.bar,
        );
        (self.matrix).velocities_into(view, &self.bar, &mut self.u_bar);
        shift(view, &mut self.u_bar);
        let (mut change, mut distance) = (0.0, 0.0);
        for (i, step) in self.steps.iter().enumerate().filter(|(_, s)| **s > 0.0) {
            change += step * (self.u[i] - self.u_bar[i]).powi(2);
            distance += (self.r[i] - self.bar[i]).powi(2) / step;
        }
        // 0/0 is no movement at all, and as good as a small ratio.
        let ratio = self.rho * (change / distance).sqrt();
        if ratio > LARGEST_RATIO {
            self.rho *= FACTOR * (1.0 / ratio).min(1.0);
            return;
        }
        let from = (&self.r[..], &self.steps[..], &self.u_bar[..]);
        project_step(view, self.rho, from, &mut self.bar);
        self.r.copy_from_slice(&self.bar);
        if ratio < SMALL_RATIO {
            self.rho /= FACTOR;
        }
    }
}

/// ũ ← u.
fn shift(view: &SolverView, u: &mut [f64]) {
    for (k, cone) in view.cones.iter().enumerate() {
        let first = view.rows(k).start;
        u[first] += cone.shift(view.law, &u[view.rows(k)]);
    }
}

/// out = P_K(r − ρ steps ũ).
fn project_step(
    view: &SolverView,
    rho: f64,
    (r, steps, u): (&[f64], &[f64], &[f64]),
    out: &mut [f64],
) {
    for (((out, r), step), u) in out.iter_mut().zip(r).zip(steps).zip(u) {
        *out = r - rho * step * u;
    }
    view.project(out);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FrictionLaw;
    use crate::{ContactLaws, FrictionData};

    #[test]
    fn an_answer_is_left_alone_and_limits_hold() {
        let laws = ContactLaws {
            dimension: 2,
            mu: vec![0.5],
            ..ContactLaws::default()
        };
        let w = sprs::CsMat::eye(2);
        let problem = FrictionProblem::from_delassus(&w, vec![-1.0, 4.0], laws).unwrap();
        let mut solver = Extragradient::default();
        let solution = solver.solve(&problem, Start::Point(&[1.0, -0.5]));
        assert_eq!(
            (solution.status, solution.stats.iterations),
            (Status::Solved, 0)
        );
        assert_eq!(solution.z, [1.0, -0.5]);
        solver.settings.iteration_limit = 2;
        solver.settings.tolerance = 1e-14;
        let solution = solver.solve(&problem, Start::Cold);
        assert_eq!(solution.status, Status::IterationLimit);
        assert_eq!(solution.stats.iterations, 2);
        assert_eq!(solution.residual, problem.residuals(&solution.z).relative);
        let convex = problem.with_law(FrictionLaw::Convex);
        let solution = Extragradient::default().solve(&convex, Start::Cold);
        assert!((solution.z[0] - 2.4).abs() < 1e-6, "{solution:?}");
    }

    #[test]
    fn without_contacts_there_is_nothing_to_do() {
        let problem = FrictionProblem::new(FrictionData::default()).unwrap();
        let solution = Extragradient::default().solve(&problem, Start::Cold);
        assert_eq!((solution.status, solution.z.len()), (Status::Solved, 0));
    }

    /// W = 0 and a contact that closes: no impulse helps, and nothing is called solved.
    #[test]
    fn contacts_that_cannot_be_stopped_are_no_success() {
        let laws = ContactLaws {
            dimension: 1,
            mu: vec![0.0],
            ..ContactLaws::default()
        };
        let w = sprs::CsMat::zero((1, 1));
        let problem = FrictionProblem::from_delassus(&w, vec![-1.0], laws).unwrap();
        let solution = Extragradient::default().solve(&problem, Start::Cold);
        assert_eq!(solution.status, Status::IterationLimit);
        assert_eq!(solution.residual, 1.0);
    }
}
