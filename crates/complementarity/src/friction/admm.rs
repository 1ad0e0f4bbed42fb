//! Alternating directions on the impulses, for both laws.
//!
//! ```math
//! (W + \rho I)\, x = \rho z - y - q - s, \qquad z = P_K(\hat x + y / \rho), \qquad y \leftarrow y + \rho\, (\hat x - z),
//! \qquad \hat x = \omega x + (1 - \omega) z, \quad s_N = \sum_k \mu_k |y_k|
//! ```
//!
//! # Method
//! x satisfies the equation of motion, z the cones; y tends to −ũ. The problem is solved in units in which the diagonal of
//! W is 1 on average over the normal and over each disc of a contact, which makes ρ a number without a unit and bodies of
//! very different masses alike. The shift s of the exact law follows the newest velocities (CLLM2024). One factorisation
//! serves all iterations with the same ρ; ρ changes where one of both residuals, of the cones and of the velocities,
//! falls behind the other.
//!
//! # Guarantees and limits
//! Converges for the convex law whenever there is a solution \[BPCPE2011\], linearly in the end; the exact law has no proof.
//! Redundant contacts do no harm: KaplasTower with 1710 rows of rank 504 takes 80 iterations to 1e-10. A W of condition
//! 1e6, as of a ton on a gram, does: 2000 iterations do not reach 1e-2. Good for 1e-4 to 1e-8; leave the rest to
//! [`ProximalPoint`](crate::ProximalPoint).
//!
//! # References
//! - \[BPCPE2011\] S. Boyd, N. Parikh, E. Chu, B. Peleato, J. Eckstein, Distributed optimization and statistical learning
//!   via the alternating direction method of multipliers, Foundations and Trends in Machine Learning 3, 2011.
//! - \[CLLM2024\] J. Carpentier, Q. Le Lidec, L. Montaut, From compliant to rigid contact simulation: a unified and
//!   efficient approach, Robotics: Science and Systems, 2024.

use super::maps::BlockDerivative;
use super::newton_system::NewtonSystem;
use super::proximal::answer;
use super::regularised::{Blocks, Proximal};
use super::{FrictionProblem, ResidualMeasure};
use crate::{Iterate, Observer, Solution, Solver, Start, Stats, Status};

/// Settings of [`Admm`].
///
/// # Examples
/// ```
/// use signorini_complementarity::AdmmSettings;
/// let settings = AdmmSettings { tolerance: 1e-6, ..Default::default() };
/// assert_eq!(settings.iteration_limit, 2000);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AdmmSettings {
    /// Solved if the residual is ≤ this. Default 1e-8.
    pub tolerance: f64,
    /// Which residual that is. Default [`ResidualMeasure::Relative`].
    pub measure: ResidualMeasure,
    /// Most iterations. Default 2000.
    pub iteration_limit: usize,
    /// ω, 0 < ω < 2. Default 1.6.
    pub relaxation: f64,
    /// The first ρ > 0. Default 0.1. Good values lie between 0.05 and 3.
    pub penalty: f64,
    /// Iterations between two checks of the residual and of ρ. Default 20; 0 counts as 1.
    pub check_interval: usize,
    /// Most factorisations, that is changes of ρ and one. Default 25.
    pub factorization_limit: usize,
}

impl Default for AdmmSettings {
    fn default() -> Self {
        Self {
            tolerance: 1e-8,
            measure: ResidualMeasure::Relative,
            iteration_limit: 2000,
            relaxation: 1.6,
            penalty: 0.1,
            check_interval: 20,
            factorization_limit: 25,
        }
    }
}

/// Alternating direction method of multipliers on the impulses: medium accuracy on redundant contacts, both laws.
///
/// One factorisation of W + ρ I, then two triangular solves and a projection per iteration. See [`AdmmSettings`].
///
/// [`Start::Point`] gives z and, by its velocities, y; [`Start::Basis`] counts as [`Start::Cold`]. The observer sees
/// every check of the residual, with z. A solve that ends above the tolerance has the status
/// [`Status::IterationLimit`], or [`Status::Singular`] if a factorisation fails; z is the best point of the checks. It
/// never proves that there is no solution.
///
/// # Examples
/// ```
/// use signorini_complementarity::{Admm, ContactLaws, FrictionProblem, Solver, Start, Status};
/// let laws = ContactLaws { dimension: 2, mu: vec![0.5], ..ContactLaws::default() };
/// let w = sprs::CsMat::new((2, 2), vec![0, 1, 2], vec![0, 1], vec![0.5, 0.5]);
/// let problem = FrictionProblem::from_delassus(&w, vec![-3.0, 4.0], laws)?;
/// let solution = Admm::default().solve(&problem, Start::Cold);
/// assert_eq!(solution.status, Status::Solved);
/// // It slips: 6 N s stop the fall, friction is at its bound.
/// assert!((solution.z[0] - 6.0).abs() < 1e-6 && (solution.z[1] + 3.0).abs() < 1e-6);
/// # Ok::<(), signorini_complementarity::FrictionError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Admm {
    /// Settings; may be changed between solves.
    pub settings: AdmmSettings,
    system: NewtonSystem,
}

/// ρ changes by the square root of the ratio of both residuals if that is at least this.
const UNBALANCED: f64 = 3.0;

/// Most that ρ changes by at once.
const LARGEST_CHANGE: f64 = 10.0;

/// Smallest and largest ρ.
const RANGE: (f64, f64) = (1e-7, 1e4);

impl Admm {
    /// The method with these settings.
    pub fn new(settings: AdmmSettings) -> Self {
        Self {
            settings,
            system: NewtonSystem::default(),
        }
    }
}

/// One solve, in balanced units.
struct Run<'a> {
    settings: &'a AdmmSettings,
    blocks: Blocks,
    x: Vec<f64>,
    y: Vec<f64>,
    z: Vec<f64>,
    before: Vec<f64>,
    rho: f64,
    best: Vec<f64>,
    best_residual: f64,
    stats: Stats,
}

impl Solver<FrictionProblem> for Admm {
    fn solve_observed(
        &mut self,
        problem: &FrictionProblem,
        start: Start<'_>,
        observer: &mut dyn Observer,
    ) -> Solution {
        let mut run = Run::new(&self.settings, problem, start);
        let ending = run.iterate(&mut self.system, observer);
        let z = run.blocks.impulses(&run.best);
        let goal = (self.settings.measure, self.settings.tolerance);
        answer(problem, goal, z, ending, run.stats)
    }
}

impl<'a> Run<'a> {
    #[track_caller]
    fn new(settings: &'a AdmmSettings, problem: &FrictionProblem, start: Start<'_>) -> Self {
        let blocks = Blocks::new(problem);
        let z = blocks.start(start);
        let n = z.len();
        let mut run = Self {
            settings,
            x: z.clone(),
            y: vec![0.0; n],
            before: z.clone(),
            rho: settings.penalty.clamp(RANGE.0, RANGE.1),
            best: z.clone(),
            best_residual: f64::INFINITY,
            blocks,
            z,
            stats: Stats::default(),
        };
        let u = run.check();
        if matches!(start, Start::Point(_)) {
            for (y, u) in run.y.iter_mut().zip(&u) {
                *y = -u;
            }
            for (k, cone) in run.blocks.view.cones.iter().enumerate() {
                let rows = run.blocks.view.rows(k);
                run.y[rows.start] -= cone.shift(run.blocks.view.law, &u[rows.clone()]);
            }
        }
        run
    }

    /// Judges z; returns its velocities.
    fn check(&mut self) -> Vec<f64> {
        let mut u = vec![0.0; self.z.len()];
        self.blocks
            .velocities_into(&Proximal::none(), &self.z, &mut u);
        let residual = self.blocks.residual(self.settings.measure, (&self.z, &u));
        if residual < self.best_residual {
            self.best_residual = residual;
            self.best.clone_from(&self.z);
        }
        u
    }

    fn iterate(&mut self, system: &mut NewtonSystem, observer: &mut dyn Observer) -> Status {
        if self.best_residual <= self.settings.tolerance {
            return Status::Solved;
        }
        system.load(&self.blocks);
        if !self.factor(system) {
            return Status::Singular;
        }
        let interval = self.settings.check_interval.max(1);
        for number in 1..=self.settings.iteration_limit {
            self.step(system);
            self.stats.iterations = number;
            if number % interval != 0 && number != self.settings.iteration_limit {
                continue;
            }
            self.check();
            let z = self.blocks.impulses(&self.z);
            let iterate = Iterate {
                z: Some(&z),
                ..Iterate::new(number, self.best_residual)
            };
            if observer.observe(&iterate).is_break() {
                return Status::Stopped;
            }
            if self.best_residual <= self.settings.tolerance {
                return Status::Solved;
            }
            if !z.iter().all(|z| z.is_finite()) {
                return Status::Inaccurate;
            }
            if self.rebalance() && !self.factor(system) {
                return Status::Singular;
            }
        }
        Status::IterationLimit
    }

    /// Factorises W + ρ I.
    fn factor(&mut self, system: &mut NewtonSystem) -> bool {
        let mut identity = BlockDerivative::default();
        for i in 0..identity.cr.len() {
            identity.cr[i][i] = self.rho;
            identity.cu[i][i] = 1.0;
        }
        self.stats.factorizations += 1;
        system.factor(
            &self.blocks,
            0.0,
            &vec![identity; self.blocks.view.blocks()],
        )
    }

    fn step(&mut self, system: &mut NewtonSystem) {
        let view = &self.blocks.view;
        let (rho, omega) = (self.rho, self.settings.relaxation);
        for (i, x) in self.x.iter_mut().enumerate() {
            *x = rho * self.z[i] - self.y[i] - view.q[i];
        }
        for (k, cone) in view.cones.iter().enumerate() {
            let rows = view.rows(k);
            self.x[rows.start] -= cone.shift(view.law, &self.y[rows.clone()]);
        }
        system.apply(&mut self.x);
        self.before.copy_from_slice(&self.z);
        for (i, z) in self.z.iter_mut().enumerate() {
            // ρ (x̂ + y/ρ), before its projection.
            let ahead = omega * self.x[i] + (1.0 - omega) * *z;
            self.y[i] += rho * ahead;
            *z = self.y[i] / rho;
        }
        view.project(&mut self.z);
        self.y
            .iter_mut()
            .zip(&self.z)
            .for_each(|(y, z)| *y -= rho * z);
    }

    /// Whether ρ has changed.
    fn rebalance(&mut self) -> bool {
        if self.stats.factorizations >= self.settings.factorization_limit {
            return false;
        }
        let length = |a: &[f64], b: &[f64]| {
            a.iter()
                .zip(b)
                .map(|(a, b)| (a - b) * (a - b))
                .sum::<f64>()
                .sqrt()
        };
        let cones = length(&self.x, &self.z);
        let velocities = self.rho * length(&self.z, &self.before);
        let ratio = (cones / velocities).sqrt();
        if !ratio.is_finite() || (UNBALANCED.recip()..=UNBALANCED).contains(&ratio) {
            return false;
        }
        let change = ratio.clamp(LARGEST_CHANGE.recip(), LARGEST_CHANGE);
        self.rho = (self.rho * change).clamp(RANGE.0, RANGE.1);
        true
    }
}
