//! Lemke's method on frictional contact in the plane, from a point near the solution.
//!
//! ```math
//! 0 \le p_n \perp u_n \ge 0, \qquad 0 \le a = \mu p_n + p_t \perp v^{+} \ge 0, \qquad
//! 0 \le v^{-} \perp b = \mu p_n - p_t \ge 0, \qquad u_t = v^{+} - v^{-}
//! ```
//!
//! # Method
//! In the plane a contact needs three unknowns (p_n, a, v⁻) where a pyramid has four, and what is far from closing is left out
//! until it closes after all. The basis is that of the modes at the point. Where contacts are redundant it is singular: rows
//! join it in the order of what the impulse at them lacks of its bound, the largest first, if they depend on none that has
//! joined; of the others normals open and tangents slide. From there two paths are followed: along the line from the problem
//! that the point solves, and along the usual one, which covers every row alike. Both end in rays where the problem folds;
//! then Lemke's method begins from nothing.
//!
//! # Guarantees and limits
//! The residual is that of the friction problem, recomputed. Only the exact law, problems with bodies and without bilateral
//! rows. Paths may end in rays though there is a solution: of 48 steps of a pile that slides down, with 140 contacts, where Newton's
//! method was left with residuals of 1e-1 to 1e-10, the first two paths solve 38, most by fewer than 65 pivots where 300 to 600 lead there from
//! nothing; where discs are wedged between walls they nearly always end in rays. With three unknowns there is no proof that a path
//! from nothing ends in a solution, as there is for pyramids.
//!
//! # References
//! - \[CPS1992\] R. W. Cottle, J.-S. Pang, R. E. Stone, The Linear Complementarity Problem, 1992, sections 4.4, 4.5.
//! - \[PG1996\] F. Pfeiffer, C. Glocker, Multibody Dynamics with Unilateral Contacts, 1996 (three unknowns per contact).

mod lcp;
mod modes;

use self::lcp::PlanarLcp;
use super::{FrictionLaw, FrictionProblem};
use crate::{Lemke, LemkeForm, LemkeSettings, Observer, Solution, Solver, Start, Stats, Status};

/// Settings of [`PlanarLemke`].
///
/// # Examples
/// ```
/// use signorini_complementarity::PlanarLemkeSettings;
/// let settings = PlanarLemkeSettings { tolerance: 1e-12, ..Default::default() };
/// assert_eq!(settings.near_limit, 150);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PlanarLemkeSettings {
    /// Solved if the scaled residual of the friction problem is ≤ this. Default 1e-10.
    pub tolerance: f64,
    /// Most pivots of each path from a point. Default 150.
    pub near_limit: usize,
    /// Most pivots of the path from nothing. Default 3000; 0 leaves it out.
    pub cold_limit: usize,
}

impl Default for PlanarLemkeSettings {
    fn default() -> Self {
        Self {
            tolerance: 1e-10,
            near_limit: 150,
            cold_limit: 3000,
        }
    }
}

/// Lemke's method with three unknowns per contact: settings and workspace.
///
/// For points whose residual does not fall any more, as those of redundant contacts. [`Start::Point`] are impulses;
/// [`Start::Basis`] counts as cold. `iterations` counts pivots, `restarts` paths.
///
/// [`Status::NoProgress`] with the start for problems that it does not take: not in the plane, under the convex law, with bilateral rows,
/// or without bodies. Otherwise the best point with the status of the last path, which proves nothing, and [`Status::Inaccurate`] if it
/// solved the linear problem alone.
///
/// # Examples
/// ```
/// use signorini_complementarity::{
///     BlockRows, FIXED, FrictionData, FrictionProblem, PlanarLemke, Solver, Start, Status,
/// };
/// let mut contacts = BlockRows::new(2, 2);
/// contacts.push([FIXED, 0], &[0.0; 4], &[0.0, 1.0, 1.0, 0.0]);
/// let problem = FrictionProblem::new(FrictionData {
///     dofs: 2,
///     mass: vec![1.0, 0.0, 0.0, 1.0],
///     free_velocity: vec![3.0, -2.0],
///     contacts,
///     bias: vec![0.0; 2],
///     mu: vec![0.5],
///     ..FrictionData::default()
/// })?;
/// let solution = PlanarLemke::default().solve(&problem, Start::Cold);
/// assert_eq!((solution.status, solution.z), (Status::Solved, vec![2.0, -1.0]));
/// # Ok::<(), signorini_complementarity::FrictionError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct PlanarLemke {
    /// Settings; may be changed between solves.
    pub settings: PlanarLemkeSettings,
    lemke: Lemke,
}

impl PlanarLemke {
    /// The method with these settings.
    pub fn new(settings: PlanarLemkeSettings) -> Self {
        let lemke = Lemke::default();
        Self { settings, lemke }
    }
}

/// Most times that contacts are added which close though they were left out.
const ROUNDS: usize = 3;

/// How a path begins.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Path {
    /// At the point, on the line to the problem at hand.
    Line,
    /// At the basis of its modes.
    Modes,
    /// At the slack basis.
    Cold,
}

impl Solver<FrictionProblem> for PlanarLemke {
    fn solve_observed(
        &mut self,
        problem: &FrictionProblem,
        start: Start<'_>,
        observer: &mut dyn Observer,
    ) -> Solution {
        let near = match start {
            Start::Point(z) => Some(z),
            Start::Cold | Start::Basis(_) => None,
        };
        let z = near.map_or_else(|| vec![0.0; problem.len()], <[f64]>::to_vec);
        let best = Solution {
            residual: problem.residuals(&z).scaled,
            z,
            status: Status::NoProgress,
            stats: Stats::default(),
            basis: None,
            certificate: None,
        };
        let takes = problem.dimension() == 2
            && problem.law() == FrictionLaw::Coulomb
            && problem.bilateral().is_empty()
            && problem.has_bodies();
        if !takes {
            return best;
        }
        let mut run = Run {
            solver: self,
            problem,
            best,
        };
        run.follow_all(near, observer);
        let tolerance = run.solver.settings.tolerance;
        run.best.status = match run.best.status {
            Status::Stopped => Status::Stopped,
            _ if run.best.residual <= tolerance => Status::Solved,
            // The linear problem is solved, the friction problem is not.
            Status::Solved => Status::Inaccurate,
            status => status,
        };
        run.best
    }
}

/// One solve.
struct Run<'a> {
    solver: &'a mut PlanarLemke,
    problem: &'a FrictionProblem,
    /// The best point so far, with the status of the last path.
    best: Solution,
}

impl Run<'_> {
    /// The paths in turn until one leads to a solution.
    fn follow_all(&mut self, near: Option<&[f64]>, observer: &mut dyn Observer) {
        let PlanarLemkeSettings {
            tolerance,
            cold_limit,
            ..
        } = self.solver.settings;
        if let Some(near) = near {
            for path in [Path::Line, Path::Modes] {
                if self.best.residual <= tolerance || self.best.status == Status::Stopped {
                    return;
                }
                self.follow((path, near), observer);
            }
        }
        let is_over = self.best.residual <= tolerance || self.best.status == Status::Stopped;
        if !is_over && cold_limit > 0 {
            let zero = vec![0.0; self.problem.len()];
            self.follow((Path::Cold, &zero), observer);
        }
    }

    /// Follows one path, and keeps where it leads if that is better.
    fn follow(&mut self, (path, near): (Path, &[f64]), observer: &mut dyn Observer) {
        let (problem, best) = (self.problem, &mut self.best);
        let PlanarLemke { settings, lemke } = &mut *self.solver;
        let limit = match path {
            Path::Line | Path::Modes => settings.near_limit,
            Path::Cold => settings.cold_limit,
        };
        lemke.settings = LemkeSettings {
            tolerance: settings.tolerance,
            pivot_limit: limit,
            retries: 0,
            form: LemkeForm::Sparse,
            ..LemkeSettings::default()
        };
        let mut point = near.to_vec();
        let mut left_out = PlanarLcp::far(problem, near, path == Path::Cold);
        for _ in 0..ROUNDS {
            let lcp = PlanarLcp::new(problem, &left_out);
            let found = match path {
                Path::Cold => lemke.solve_observed(lcp.problem(), Start::Cold, observer),
                Path::Line | Path::Modes => {
                    let (basis, at) = lcp.near(problem, &point);
                    let from = (path == Path::Line).then_some(&at[..]);
                    lemke.solve_near(lcp.problem(), (&basis, from), observer)
                }
            };
            best.stats += found.stats;
            best.stats.restarts += 1;
            lcp.impulses_into(&found.z, &mut point);
            let residual = problem.residuals(&point).scaled;
            if residual < best.residual {
                (best.residual, best.z) = (residual, point.clone());
            }
            best.status = found.status;
            // What closes though it was left out takes part.
            if !(found.status.is_solved() && PlanarLcp::take_in(problem, &point, &mut left_out)) {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests;
