//! Proximal points with a semismooth Newton method inside.
//!
//! ```math
//! r^{+} \text{ solves } u = W r + q + \alpha\, \mathrm{diag}(W)\,(r - c), \quad K^* \ni \tilde u \perp r \in K,
//! \qquad c \leftarrow r^{+}
//! ```
//!
//! # Method
//! Contacts of rigid bodies are redundant: the rank of W is often less than half of its size, impulses are not unique,
//! and Newton's matrix is singular at every solution. With the proximal term it is not. The step of the outer iteration
//! has the residual α |r⁺ − c|, so α falls as long as the inner problem is solved, and the outer iteration converges
//! faster than linearly. Where it is not solved, α rises and stays for a number of points that doubles with every
//! failure: near a self-stress that W hardly sees, dozens of small steps lead to where a lower α works, and the residual
//! hardly moves until then. The inner problem is solved by Newton on the map of Alart and Curnier (exact law) or on the natural map (convex law), with a nonmonotone
//! search on its length and sweeps of projected Gauss–Seidel where no part of a step is accepted. Open contacts are not
//! in the linear systems.
//!
//! # Guarantees and limits
//! For the convex law the outer iteration is that of a monotone operator and converges whenever there is a solution and
//! its inner problems are solved \[R1976\]. The exact law is not monotone: nothing is proved, and a point where α must
//! stay large ends as `NoProgress`. The inner iteration is local with a safeguard, without proof of convergence. Work per
//! step is a sparse LU of the closed contacts.
//!
//! # References
//! - \[R1976\] R. T. Rockafellar, Monotone operators and the proximal point algorithm, SIAM J. Control Optim. 14, 1976.
//! - \[ABH2018\] V. Acary, M. Brémond, O. Huber, On solving contact problems with Coulomb friction: formulations and
//!   numerical comparisons, in Advanced Topics in Nonsmooth Dynamics, Springer, 2018.

mod inner;

use std::ops::ControlFlow;

use inner::{Goal, Newton};

use super::regularised::{Blocks, Proximal};
use super::{FrictionProblem, ResidualMeasure};
use crate::{Iterate, Observer, Solution, Solver, Start, Stats, Status};

/// Settings of [`ProximalPoint`].
///
/// # Examples
/// ```
/// use signorini_complementarity::ProximalPointSettings;
/// let settings = ProximalPointSettings { tolerance: 1e-12, ..Default::default() };
/// assert_eq!(settings.outer_limit, 500);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ProximalPointSettings {
    /// Solved if the residual is ≤ this. Default 1e-10. Rounding allows 1e-12 to 1e-15 on most problems.
    pub tolerance: f64,
    /// Which residual that is. Default [`ResidualMeasure::Relative`].
    pub measure: ResidualMeasure,
    /// Most proximal points. Default 500; most problems take 1 to 10, the hardest known one 250.
    pub outer_limit: usize,
    /// Most Newton steps for one of them. Default 30.
    pub newton_limit: usize,
    /// Sweeps of Gauss–Seidel before the first one. Default 200: each costs as much as a product with W.
    pub sweeps: usize,
    /// The first α. Default 0.01. Larger: safer and slower inner problems, more of them.
    pub regularisation: f64,
}

impl Default for ProximalPointSettings {
    fn default() -> Self {
        Self {
            tolerance: 1e-10,
            measure: ResidualMeasure::Relative,
            outer_limit: 500,
            newton_limit: 30,
            sweeps: 200,
            regularisation: 1e-2,
        }
    }
}

/// Proximal points with Newton inside, for redundant contacts and tight tolerances; both laws, all dimensions.
///
/// r⁺ solves the problem with the velocities W r + q + α diag(W) (r − c), and is the next centre c; α goes to 0 with the
/// residual. See [`ProximalPointSettings`] for what can be set.
///
/// [`Start::Point`] is where the sweeps begin, and what they must improve on; [`Start::Basis`] is no start for friction
/// and counts as [`Start::Cold`]. The observer sees every outer iteration with the residual as the measure, and z.
///
/// If the residual stays above the tolerance the status is [`Status::NoProgress`] where several proximal points in a row
/// bring nothing, else [`Status::IterationLimit`]; z is the best point seen. It never proves that there is no solution.
/// `iterations` counts Newton steps, `restarts` outer iterations.
///
/// # Examples
/// A block is held by two copies of the same contact: W has rank 3 for 6 rows.
/// ```
/// use signorini_complementarity::{ContactLaws, FrictionProblem, ProximalPoint, Solver, Start, Status};
/// let mut w = sprs::TriMat::new((6, 6));
/// (0..6).for_each(|i| { w.add_triplet(i, i, 1.0); w.add_triplet(i, (i + 3) % 6, 1.0); });
/// let laws = ContactLaws { dimension: 3, mu: vec![0.5; 2], ..ContactLaws::default() };
/// let q = vec![-2.0, 0.6, -0.8, -2.0, 0.6, -0.8];
/// let problem = FrictionProblem::from_delassus(&w.to_csr(), q, laws)?;
/// let solution = ProximalPoint::default().solve(&problem, Start::Cold);
/// assert_eq!(solution.status, Status::Solved);
/// // Friction suffices: the sum of both impulses stops the block.
/// assert!((solution.z[0] + solution.z[3] - 2.0).abs() < 1e-9);
/// assert!((solution.z[1] + solution.z[4] + 0.6).abs() < 1e-9);
/// # Ok::<(), signorini_complementarity::FrictionError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ProximalPoint {
    /// Settings; may be changed between solves.
    pub settings: ProximalPointSettings,
    newton: Newton,
}

/// Smallest and largest α.
const RANGE: (f64, f64) = (1e-12, 1e3);

/// The inner problem is solved to this part of the best residual.
const INNER_PART: f64 = 1e-3;

/// An inner residual up to this part of the residual counts as solved.
const ENOUGH: f64 = 1e-2;

/// From this number of solved problems with the same α on, centres are extrapolated by [`EXTRAPOLATION`].
const STEADY: usize = 3;

/// Part of the last step that is added to the next centre; below 1, as the theory of relaxed proximal points asks.
const EXTRAPOLATION: f64 = 0.8;

/// Outer iterations that must bring the residual down by [`PROGRESS`].
const PATIENCE: usize = 100;

/// See [`PATIENCE`].
const PROGRESS: f64 = 0.9;

/// One solve.
struct Run<'a> {
    settings: &'a ProximalPointSettings,
    blocks: Blocks,
    r: Vec<f64>,
    /// Residual of r.
    residual: f64,
    best: Vec<f64>,
    best_residual: f64,
    u: Vec<f64>,
    stats: Stats,
}

/// How α moves: down after a number of solved inner problems, up after one that was not solved.
///
/// The number doubles with every failure and halves when a lower α works: where contacts are nearly redundant, only many
/// points with the same α lead to where a lower one can be solved.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Schedule {
    alpha: f64,
    /// Solved problems with this α.
    count: usize,
    /// Solved problems before α falls.
    needed: usize,
    /// α has just fallen.
    fresh: bool,
}

impl Schedule {
    fn new(alpha: f64) -> Self {
        Self {
            alpha: alpha.clamp(RANGE.0, RANGE.1),
            count: 0,
            needed: 1,
            fresh: false,
        }
    }

    /// After an inner problem that took this many steps; whether α has been the same for long.
    fn solved(&mut self, steps: usize) -> bool {
        self.count += 1;
        let steady = self.count >= STEADY;
        if self.fresh {
            self.needed = (self.needed / 2).max(1);
            self.fresh = false;
        }
        if self.count >= self.needed || steps == 0 {
            let quick = steps <= 10 && self.needed == 1;
            self.fall(if quick { 0.1 } else { 0.3 });
        }
        steady
    }

    /// After an inner problem that was not solved, but halved the residual.
    fn lower(&mut self) {
        self.fall(0.3);
    }

    fn fall(&mut self, factor: f64) {
        self.alpha = (self.alpha * factor).max(RANGE.0);
        (self.count, self.fresh) = (0, true);
    }

    fn failed(&mut self) {
        self.alpha = (self.alpha * 5.0).min(RANGE.1);
        self.needed = (2 * self.needed).min(16);
        (self.count, self.fresh) = (0, false);
    }
}

impl ProximalPoint {
    /// The method with these settings.
    pub fn new(settings: ProximalPointSettings) -> Self {
        Self {
            settings,
            newton: Newton::default(),
        }
    }
}

impl Solver<FrictionProblem> for ProximalPoint {
    fn solve_observed(
        &mut self,
        problem: &FrictionProblem,
        start: Start<'_>,
        observer: &mut dyn Observer,
    ) -> Solution {
        let mut run = Run::new(&self.settings, Blocks::new(problem), start);
        let ending = if run.solved() {
            Status::Solved
        } else {
            self.newton.load(&run.blocks);
            run.outer(&mut self.newton, observer)
        };
        run.finish(problem, ending)
    }
}

impl<'a> Run<'a> {
    #[track_caller]
    fn new(settings: &'a ProximalPointSettings, blocks: Blocks, start: Start<'_>) -> Self {
        let (r, n) = (blocks.start(start), blocks.view.len());
        let mut run = Self {
            settings,
            blocks,
            best: r.clone(),
            r,
            residual: f64::INFINITY,
            best_residual: f64::INFINITY,
            u: vec![0.0; n],
            stats: Stats::default(),
        };
        run.judge();
        run.sweeps(settings.sweeps);
        run
    }

    fn solved(&self) -> bool {
        self.best_residual <= self.settings.tolerance
    }

    /// Residual of r, and the best point so far.
    fn judge(&mut self) {
        self.blocks
            .velocities_into(&Proximal::none(), &self.r, &mut self.u);
        self.residual = self
            .blocks
            .residual(self.settings.measure, (&self.r, &self.u));
        if self.residual < self.best_residual {
            self.best_residual = self.residual;
            self.best.clone_from(&self.r);
        }
    }

    /// Sweeps from r; the best of start and end is r then.
    fn sweeps(&mut self, count: usize) {
        if self.solved() {
            return;
        }
        for number in 0..count {
            self.blocks
                .sweep(&Proximal::none(), number % 2 == 1, &mut self.r);
        }
        self.judge();
    }

    /// The proximal points.
    fn outer(&mut self, newton: &mut Newton, observer: &mut dyn Observer) -> Status {
        let mut schedule = Schedule::new(self.settings.regularisation);
        let mut term = Proximal {
            alpha: 0.0,
            centre: self.r.clone(),
        };
        let (mut milestone, mut waiting) = (self.best_residual, 0);
        for number in 1..=self.settings.outer_limit {
            let (before, from) = (self.residual, self.r.clone());
            term.alpha = schedule.alpha;
            let goal = Goal {
                measure: self.settings.measure,
                residual: (INNER_PART * self.best_residual).max(0.1 * self.settings.tolerance),
                limit: self.settings.newton_limit,
            };
            let inner = newton.solve(&self.blocks, &term, goal, &mut self.r);
            self.stats.restarts = number;
            self.stats.iterations += inner.iterations;
            self.stats.factorizations += inner.iterations;
            self.judge();
            if self.tell(number, observer).is_break() {
                return Status::Stopped;
            }
            if self.solved() {
                return Status::Solved;
            }
            if self.best_residual <= PROGRESS * milestone {
                (milestone, waiting) = (self.best_residual, 0);
            } else if waiting == PATIENCE {
                return Status::NoProgress;
            } else {
                waiting += 1;
            }
            if inner.residual <= ENOUGH * self.best_residual.max(before) {
                let steady = schedule.solved(inner.iterations);
                let extrapolation = if steady { EXTRAPOLATION } else { 0.0 };
                for (c, r) in term.centre.iter_mut().zip(&self.r) {
                    *c = r + extrapolation * (r - *c);
                }
            } else {
                if self.residual < 0.5 * before {
                    schedule.lower();
                } else {
                    self.r = from;
                    self.residual = before;
                    schedule.failed();
                }
                term.centre.clone_from(&self.r);
            }
        }
        Status::IterationLimit
    }

    fn tell(&self, number: usize, observer: &mut dyn Observer) -> ControlFlow<()> {
        let z = self.blocks.impulses(&self.r);
        observer.observe(&Iterate {
            z: Some(&z),
            ..Iterate::new(number, self.residual)
        })
    }

    /// The best point with the residual of the original data.
    fn finish(self, problem: &FrictionProblem, ending: Status) -> Solution {
        let z = self.blocks.impulses(&self.best);
        answer(
            problem,
            (self.settings.measure, self.settings.tolerance),
            z,
            ending,
            self.stats,
        )
    }
}

/// A solution whose status is what the residual of the original data says, and `ending` where it says no.
pub(super) fn answer(
    problem: &FrictionProblem,
    (measure, tolerance): (ResidualMeasure, f64),
    z: Vec<f64>,
    ending: Status,
    stats: Stats,
) -> Solution {
    let residual = problem.residuals(&z).of(measure);
    let status = match ending {
        _ if residual <= tolerance => Status::Solved,
        Status::Solved => Status::Inaccurate,
        other => other,
    };
    Solution {
        z,
        status,
        residual,
        stats,
        basis: None,
        certificate: None,
    }
}
