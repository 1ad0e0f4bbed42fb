//! Accelerated projected gradients, without any matrix.
//!
//! ```math
//! \gamma^{+} = P_K\bigl(y - t\, (W y + q + s)\bigr), \qquad y^{+} = \gamma^{+} + \beta\, (\gamma^{+} - \gamma)
//! ```
//!
//! # Method
//! The convex law is the optimality condition of min ½ γᵀ W γ + qᵀ γ over the cones, solved by Nesterov's method with
//! backtracking on the step t and a restart where momentum points uphill (MHNT2015). For the exact law the shift s_N =
//! Σ μ_k |u_k| is held fixed, the convex problem is solved to a part of the residual, and s is taken again. Units are those
//! in which the diagonal of W is 1 on average over the normal and each disc of a contact. W γ is J (M⁻¹ (Jᵀ γ)) where
//! there are bodies.
//!
//! # Guarantees and limits
//! For the convex law the value falls like 1/k², and linearly near a solution that is regular. Bilateral rows are
//! unknowns without a bound. The exact law is a fixed-point iteration without proof. Work and memory per iteration are one
//! or two products: for very many contacts and 1e-3 to 1e-6.
//!
//! # References
//! - \[MHNT2015\] H. Mazhar, T. Heyn, D. Negrut, A. Tasora, Using Nesterov's method to accelerate multibody dynamics with
//!   friction and contact, ACM Transactions on Graphics 34, 2015.

use super::cone::ROWS;
use super::proximal::answer;
use super::regularised::Judge;
use super::view::{BlockMatrix, SolverView};
use super::{FrictionLaw, FrictionProblem, ResidualMeasure};
use crate::{Iterate, Observer, Solution, Solver, Start, Stats, Status};

/// Settings of [`AcceleratedGradient`].
///
/// # Examples
/// ```
/// use signorini_complementarity::AcceleratedGradientSettings;
/// let settings = AcceleratedGradientSettings { tolerance: 1e-4, ..Default::default() };
/// assert_eq!(settings.iteration_limit, 5000);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AcceleratedGradientSettings {
    /// Solved if the residual is ≤ this. Default 1e-6.
    pub tolerance: f64,
    /// Which residual that is. Default [`ResidualMeasure::Relative`].
    pub measure: ResidualMeasure,
    /// Most iterations, of one or two products each. Default 5000.
    pub iteration_limit: usize,
    /// Iterations between two checks of the residual. Default 20; 0 counts as 1.
    pub check_interval: usize,
}

impl Default for AcceleratedGradientSettings {
    fn default() -> Self {
        Self {
            tolerance: 1e-6,
            measure: ResidualMeasure::Relative,
            iteration_limit: 5000,
            check_interval: 20,
        }
    }
}

/// Accelerated projected gradient method with restarts: matrix-free, for many contacts and medium accuracy.
///
/// Minimises ½ γᵀ W γ + qᵀ γ over the cones for the convex law; for the exact law in a fixed-point iteration on the shift
/// of the normal velocities. See [`AcceleratedGradientSettings`].
///
/// [`Start::Point`] is used, [`Start::Basis`] counts as [`Start::Cold`]. The observer sees every check of the residual,
/// with z. Above the tolerance the status is [`Status::IterationLimit`], or [`Status::Inaccurate`] where the iterates
/// overflow; z is the best point of the checks. `restarts` counts restarts of the momentum.
///
/// # Examples
/// ```
/// use signorini_complementarity::{AcceleratedGradient, ContactLaws, FrictionLaw, FrictionProblem, Solver, Start};
/// let laws = ContactLaws { dimension: 2, mu: vec![0.5], law: FrictionLaw::Convex, ..Default::default() };
/// let problem = FrictionProblem::from_delassus(&sprs::CsMat::eye(2), vec![-1.0, 4.0], laws)?;
/// let solution = AcceleratedGradient::default().solve(&problem, Start::Cold);
/// assert!(solution.status.is_solved());
/// // The convex law opens a sliding contact: u_N = μ u_T at r = 2.4 (1, −1/2).
/// assert!((solution.z[0] - 2.4).abs() < 1e-5 && (solution.z[1] + 1.2).abs() < 1e-5);
/// # Ok::<(), signorini_complementarity::FrictionError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct AcceleratedGradient {
    /// Settings; may be changed between solves.
    pub settings: AcceleratedGradientSettings,
}

/// 1/t falls by this after every iteration, so that a step that was once too long does not stay short.
const EASING: f64 = 0.95;

/// Doublings of 1/t in one iteration.
const DOUBLINGS: usize = 60;

/// The convex problem inside is solved to this part of the residual of the exact law.
const INNER_PART: f64 = 0.1;

/// Most iterations with the same shift.
const SAME_SHIFT: usize = 200;

/// W through bodies or blocks, in balanced units.
struct Operator {
    view: SolverView,
    matrix: Option<BlockMatrix>,
    /// Velocities of the bodies.
    v: Vec<f64>,
}

impl Operator {
    /// out = W x.
    fn product_into(&mut self, x: &[f64], out: &mut [f64]) {
        match (&self.view.bodies, &self.matrix) {
            (Some(bodies), _) => {
                bodies.product_into(x, &mut self.v, out);
                let rows = self.view.contacts * self.view.dimension;
                let pairs = out[rows..].iter_mut().zip(&x[rows..]);
                for ((out, x), law) in pairs.zip(&self.view.equations) {
                    *out += law.compliance * x;
                }
            }
            (None, Some(matrix)) => {
                matrix.velocities_into(&self.view, x, out);
                out.iter_mut().zip(&self.view.q).for_each(|(u, q)| *u -= q);
            }
            (None, None) => out.fill(0.0),
        }
    }
}

/// One solve, in balanced units apart from the best point.
struct Run<'a> {
    settings: &'a AcceleratedGradientSettings,
    original: SolverView,
    judge: Judge,
    operator: Operator,
    unit: Vec<f64>,
    /// q + s.
    linear: Vec<f64>,
    point: Vec<f64>,
    /// W times the point.
    image: Vec<f64>,
    ahead: Vec<f64>,
    ahead_image: Vec<f64>,
    next: Vec<f64>,
    next_image: Vec<f64>,
    theta: f64,
    lipschitz: f64,
    best: Vec<f64>,
    best_residual: f64,
    stats: Stats,
}

impl AcceleratedGradient {
    /// The method with these settings.
    pub fn new(settings: AcceleratedGradientSettings) -> Self {
        Self { settings }
    }
}

impl Solver<FrictionProblem> for AcceleratedGradient {
    fn solve_observed(
        &mut self,
        problem: &FrictionProblem,
        start: Start<'_>,
        observer: &mut dyn Observer,
    ) -> Solution {
        let mut run = Run::new(&self.settings, problem, start);
        let ending = run.iterate(observer);
        let mut z = run.best;
        run.original.unscale(&mut z);
        let goal = (self.settings.measure, self.settings.tolerance);
        answer(problem, goal, z, ending, run.stats)
    }
}

impl<'a> Run<'a> {
    #[track_caller]
    fn new(
        settings: &'a AcceleratedGradientSettings,
        problem: &FrictionProblem,
        start: Start<'_>,
    ) -> Self {
        let original = SolverView::new(problem);
        let (view, unit) = original.balanced();
        let n = view.len();
        let mut best = vec![0.0; n];
        if let Start::Point(point) = start {
            best.copy_from_slice(point);
            original.scale(&mut best);
        }
        let matrix =
            (!problem.has_bodies()).then(|| original.matrix(problem).balanced(&view, &unit));
        let v = view.bodies.as_ref().map_or(0, |b| (b.bodies + 1) * b.dofs);
        let mut operator = Operator {
            matrix,
            v: vec![0.0; v],
            view,
        };
        let point: Vec<f64> = best.iter().zip(&unit).map(|(r, e)| r / e).collect();
        let mut image = vec![0.0; n];
        operator.product_into(&point, &mut image);
        let mut run = Self {
            settings,
            judge: Judge::new(&original),
            original,
            unit,
            linear: operator.view.q.clone(),
            operator,
            ahead: point.clone(),
            ahead_image: image.clone(),
            next: point.clone(),
            next_image: image.clone(),
            point,
            image,
            theta: 1.0,
            lipschitz: 1.0,
            best,
            best_residual: f64::INFINITY,
            stats: Stats::default(),
        };
        run.check(true);
        run
    }

    /// Residual of the point; of the problem itself, or of the convex problem with the present shift.
    fn check(&mut self, exact: bool) -> f64 {
        let r: Vec<f64> = self
            .point
            .iter()
            .zip(&self.unit)
            .map(|(z, e)| z * e)
            .collect();
        let linear = if exact {
            &self.operator.view.q
        } else {
            &self.linear
        };
        let sum = self.image.iter().zip(linear).zip(&self.unit);
        let u: Vec<f64> = sum.map(|((w, q), e)| (w + q) / e).collect();
        if exact {
            let residual = self
                .judge
                .residual(&self.original, self.settings.measure, (&r, &u));
            if residual < self.best_residual {
                self.best_residual = residual;
                self.best = r;
            }
            return residual;
        }
        let law = std::mem::replace(&mut self.original.law, FrictionLaw::Convex);
        let residual = self
            .judge
            .residual(&self.original, self.settings.measure, (&r, &u));
        self.original.law = law;
        residual
    }

    fn iterate(&mut self, observer: &mut dyn Observer) -> Status {
        if self.best_residual <= self.settings.tolerance {
            return Status::Solved;
        }
        let interval = self.settings.check_interval.max(1);
        let exact = self.original.law == FrictionLaw::Coulomb;
        let mut since = 0;
        self.shift();
        for number in 1..=self.settings.iteration_limit {
            self.step();
            self.stats.iterations = number;
            since += 1;
            if number % interval != 0 && number != self.settings.iteration_limit {
                continue;
            }
            let residual = self.check(true);
            let mut z: Vec<f64> = self
                .point
                .iter()
                .zip(&self.unit)
                .map(|(z, e)| z * e)
                .collect();
            self.original.unscale(&mut z);
            let iterate = Iterate {
                z: Some(&z),
                ..Iterate::new(number, residual)
            };
            if observer.observe(&iterate).is_break() {
                return Status::Stopped;
            }
            if self.best_residual <= self.settings.tolerance {
                return Status::Solved;
            }
            if !residual.is_finite() {
                return Status::Inaccurate;
            }
            if exact && (since >= SAME_SHIFT || self.check(false) <= INNER_PART * residual) {
                self.shift();
                since = 0;
            }
        }
        Status::IterationLimit
    }

    /// s from the velocities of the point; the momentum starts anew.
    fn shift(&mut self) {
        let view = &self.operator.view;
        self.linear.copy_from_slice(&view.q);
        for (k, cone) in view.cones.iter().enumerate() {
            let rows = view.rows(k);
            let mut u = [0.0; ROWS];
            for (u, i) in u.iter_mut().zip(rows.clone()) {
                *u = self.image[i] + view.q[i];
            }
            self.linear[rows.start] += cone.shift(view.law, &u[..rows.len()]);
        }
        self.restart();
    }

    fn restart(&mut self) {
        self.theta = 1.0;
        self.ahead.copy_from_slice(&self.point);
        self.ahead_image.copy_from_slice(&self.image);
    }

    /// One step from the point ahead, with backtracking.
    fn step(&mut self) {
        for _ in 0..DOUBLINGS {
            let t = 1.0 / self.lipschitz;
            for (i, next) in self.next.iter_mut().enumerate() {
                *next = self.ahead[i] - t * (self.ahead_image[i] + self.linear[i]);
            }
            self.operator.view.project(&mut self.next);
            self.operator.product_into(&self.next, &mut self.next_image);
            // f(γ⁺) ≤ f(y) + gᵀ d + L/2 |d|² is dᵀ W d ≤ L |d|², d = γ⁺ − y.
            let (mut curvature, mut length) = (0.0, 0.0);
            for (i, next) in self.next.iter().enumerate() {
                let d = next - self.ahead[i];
                curvature += d * (self.next_image[i] - self.ahead_image[i]);
                length += d * d;
            }
            if curvature <= self.lipschitz * length || length == 0.0 {
                break;
            }
            self.lipschitz = (2.0 * self.lipschitz)
                .min(1.01 * curvature / length)
                .max(1.05 * self.lipschitz);
        }
        let squared = self.theta * self.theta;
        let theta = 0.5 * (self.theta * (squared + 4.0).sqrt() - squared);
        let beta = self.theta * (1.0 - self.theta) / (squared + theta);
        let mut uphill = 0.0;
        for i in 0..self.point.len() {
            let change = self.next[i] - self.point[i];
            uphill += (self.ahead_image[i] + self.linear[i]) * change;
            self.ahead[i] = self.next[i] + beta * change;
            self.ahead_image[i] = self.next_image[i] + beta * (self.next_image[i] - self.image[i]);
        }
        std::mem::swap(&mut self.point, &mut self.next);
        std::mem::swap(&mut self.image, &mut self.next_image);
        self.theta = theta;
        if uphill > 0.0 {
            self.stats.restarts += 1;
            self.restart();
        }
        self.lipschitz *= EASING;
    }
}
