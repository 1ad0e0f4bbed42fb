//! A primal–dual interior-point method for the convex law, and rounds of it for the exact one.
//!
//! ```math
//! W r + q = \sum_j A_j^T z_j, \qquad s_j = A_j r + b_j, \qquad s_j \circ z_j = \sigma\mu\, e, \qquad s_j, z_j \in Q
//! ```
//!
//! # Method
//! Each disc of a contact is a second-order cone Q over the normal impulse, so that rolling contacts have two; a bilateral row
//! with a largest impulse is one with a constant head. The iteration is Mehrotra's predictor and corrector in the scaling of
//! Nesterov and Todd \[NT1997\], with one Cholesky factorisation of W + Σ Aᵀ Ω⁻² A for both. Impulses always lie inside of
//! their cones. Complementarity is of second order in the direction of slip, so that rounding ends the iteration at residuals
//! of 1e-10 to 1e-8; a [`FrictionPolish`] goes on from there. In balanced units; a proximal term of 1e-12 of the diagonal makes redundant bilateral rows regular.
//!
//! Near an answer of the exact law the shift of its normal velocities is known, and with the shift held fixed the law is convex.
//! Rounds of that go on while each halves the residual \[AC2013\].
//!
//! # Guarantees and limits
//! 10 to 40 iterations if there is a solution, whatever the faces: where redundant contacts take their impulses to the
//! borders of their cones because velocities of 1e-9 ask for it, methods that look for the faces one by one wander. Dense:
//! memory n², work n³ / 3 in each iteration. Starts help nothing under the convex law. Under the exact one, which is
//! not monotone, the rounds are a local method from a point that is nearly an answer.
//!
//! # References
//! - \[AC2013\] V. Acary, F. Cadoux, Applications of an existence result for the Coulomb friction problem, in Recent Advances in
//!   Contact Mechanics, Springer, 2013.
//! - \[NT1997\] Y. E. Nesterov, M. J. Todd, Self-scaled barriers and interior-point methods for convex programming, Math.
//!   Oper. Res. 22, 1997.
//! - \[V2010\] L. Vandenberghe, The CVXOPT linear and quadratic cone program solvers, 2010.

mod second_order;

use std::ops::{ControlFlow, Range};

use self::second_order::{Scaling, UNIT, Vector, ahead, dot, product, reach};
use super::proximal::answer;
use super::regularised::{Blocks, Proximal};
use super::{
    FrictionLaw, FrictionPolish, FrictionPolishSettings, FrictionProblem, ResidualMeasure,
};
use crate::dense::DenseFactor;
use crate::{Iterate, Observer, Solution, Solver, Start, Stats, Status};

/// Settings of [`ConeInteriorPoint`].
///
/// # Examples
/// ```
/// use signorini_complementarity::ConeInteriorPointSettings;
/// let settings = ConeInteriorPointSettings { tolerance: 1e-12, ..Default::default() };
/// assert_eq!(settings.iteration_limit, 100);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ConeInteriorPointSettings {
    /// Solved if the residual is ≤ this. Default 1e-10.
    pub tolerance: f64,
    /// The residual that the tolerance is for. Default scaled.
    pub measure: ResidualMeasure,
    /// Most iterations. Default 100.
    pub iteration_limit: usize,
}

impl Default for ConeInteriorPointSettings {
    fn default() -> Self {
        Self {
            tolerance: 1e-10,
            measure: ResidualMeasure::Scaled,
            iteration_limit: 100,
        }
    }
}

/// The interior-point method for the convex law, and for the exact one near an answer: settings only. All cones, bilateral rows
/// with limits and compliances.
///
/// [`Start::Point`], projected on the cones, is what the answer must improve on, and under the exact law where the shift is taken
/// from. [`Start::Basis`] counts as cold. The observer sees every iterate, with the residual as the
/// measure and z. [`Status::NoProgress`] with the best point if rounding ends the iteration before the tolerance is reached,
/// and [`Status::IterationLimit`] after the last iteration. It proves nothing.
///
/// # Examples
/// A block is held by two copies of the same contact.
/// ```
/// use signorini_complementarity::{
///     ConeInteriorPoint, ContactLaws, FrictionLaw, FrictionProblem, Solver, Start, Status,
/// };
/// let mut w = sprs::TriMat::new((6, 6));
/// (0..6).for_each(|i| { w.add_triplet(i, i, 1.0); w.add_triplet(i, (i + 3) % 6, 1.0); });
/// let laws = ContactLaws {
///     dimension: 3, mu: vec![0.5; 2], law: FrictionLaw::Convex, ..ContactLaws::default()
/// };
/// let q = vec![-2.0, 0.6, -0.8, -2.0, 0.6, -0.8];
/// let problem = FrictionProblem::from_delassus(&w.to_csr(), q, laws)?;
/// let solution = ConeInteriorPoint::default().solve(&problem, Start::Cold);
/// assert_eq!(solution.status, Status::Solved);
/// assert!((solution.z[0] + solution.z[3] - 2.0).abs() < 1e-9);
/// # Ok::<(), signorini_complementarity::FrictionError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ConeInteriorPoint {
    /// Settings; may be changed between solves.
    pub settings: ConeInteriorPointSettings,
}

impl ConeInteriorPoint {
    /// The method with these settings.
    pub fn new(settings: ConeInteriorPointSettings) -> Self {
        Self { settings }
    }
}

/// Part of the diagonal of W that is added to it.
const PROXIMAL: f64 = 1e-12;

/// Part of the way to the border that a step goes at most.
const SHORT: f64 = 0.99;

/// Iterations in a row without a better point after which rounding is all that is left.
const PATIENCE: usize = 12;

/// Most rounds of the exact law, and the part to which each must bring the residual for another one.
const ROUNDS: usize = 10;
const FALL: f64 = 0.5;

/// Residual from which on a polish may find the rest.
const CLOSE: f64 = 1e-5;

/// s = A r + b of one cone: the head is r of a row or 1, the others are r over the radius.
#[derive(Clone, Debug)]
struct Disc {
    head: Option<usize>,
    tail: Range<usize>,
    radius: f64,
}

impl Disc {
    /// A x.
    fn image(&self, x: &[f64]) -> Vector {
        let mut s = [0.0; second_order::WIDTH];
        s[0] = self.head.map_or(0.0, |row| x[row]);
        for (s, x) in s[1..].iter_mut().zip(&x[self.tail.clone()]) {
            *s = x / self.radius;
        }
        s
    }

    /// A r + b.
    fn impulse(&self, r: &[f64]) -> Vector {
        let mut s = self.image(r);
        if self.head.is_none() {
            s[0] = 1.0;
        }
        s
    }

    /// out += factor Aᵀ z.
    fn add_to(&self, factor: f64, z: &Vector, out: &mut [f64]) {
        if let Some(row) = self.head {
            out[row] += factor * z[0];
        }
        for (out, z) in out[self.tail.clone()].iter_mut().zip(&z[1..]) {
            *out += factor * z / self.radius;
        }
    }

    /// Rows of r and the factors with which they enter s, by components.
    fn columns(&self) -> impl Iterator<Item = (usize, usize, f64)> + Clone + '_ {
        let head = self.head.map(|row| (0, row, 1.0));
        let tail = self.tail.clone().enumerate();
        head.into_iter()
            .chain(tail.map(|(i, row)| (i + 1, row, 1.0 / self.radius)))
    }
}

impl Solver<FrictionProblem> for ConeInteriorPoint {
    fn solve_observed(
        &mut self,
        problem: &FrictionProblem,
        start: Start<'_>,
        observer: &mut dyn Observer,
    ) -> Solution {
        let settings = &self.settings;
        let target = (settings.measure, settings.tolerance);
        let mut blocks = Blocks::new(problem);
        let mut point = blocks.start(start);
        blocks.view.project(&mut point);
        let z = blocks.impulses(&point);
        let mut best = answer(problem, target, z, Status::NoProgress, Stats::default());
        for _ in 0..ROUNDS {
            if best.status == Status::Solved {
                break;
            }
            let before = best.residual;
            if problem.law() == FrictionLaw::Coulomb {
                blocks.hold_shift(&point);
            }
            let mut run = Run::new(settings, blocks);
            let ending = match (run.iterate(observer), problem.law()) {
                // What is solved is only the round.
                (Status::Solved, FrictionLaw::Coulomb) => Status::NoProgress,
                (ending, _) => ending,
            };
            let mut next = answer(
                problem,
                target,
                run.blocks.impulses(&run.best),
                ending,
                run.stats,
            );
            if !matches!(next.status, Status::Solved | Status::Stopped) && next.residual <= CLOSE {
                next = polished(problem, target, &next, observer);
            }
            next.stats += best.stats;
            let (stopped, stats) = (next.status == Status::Stopped, next.stats);
            if next.residual < best.residual || stopped {
                best = next;
            }
            best.stats = stats;
            if stopped || problem.law() == FrictionLaw::Convex || best.residual > FALL * before {
                break;
            }
            blocks = Blocks::new(problem);
            point = blocks.start(Start::Point(&best.z));
        }
        best
    }
}

/// The end of an iteration that rounding has stopped, by the faces that it shows.
fn polished(
    problem: &FrictionProblem,
    (measure, tolerance): (ResidualMeasure, f64),
    near: &Solution,
    observer: &mut dyn Observer,
) -> Solution {
    let mut polish = FrictionPolish::new(FrictionPolishSettings {
        tolerance,
        measure,
        ..FrictionPolishSettings::default()
    });
    let mut solution = polish.solve_observed(problem, Start::Point(&near.z), observer);
    solution.stats += near.stats;
    solution
}

/// One solve, in balanced units.
struct Run<'a> {
    settings: &'a ConeInteriorPointSettings,
    blocks: Blocks,
    discs: Vec<Disc>,
    /// Rows that have no impulse: without a radius.
    frozen: Vec<bool>,
    /// W with the proximal term, by columns.
    matrix: Vec<f64>,
    factor: DenseFactor,
    r: Vec<f64>,
    u: Vec<f64>,
    z: Vec<Vector>,
    best: Vec<f64>,
    best_residual: f64,
    point: Vec<f64>,
    stats: Stats,
}

impl<'a> Run<'a> {
    fn new(settings: &'a ConeInteriorPointSettings, blocks: Blocks) -> Self {
        let n = blocks.view.len();
        Self {
            settings,
            discs: Vec::new(),
            frozen: vec![false; n],
            matrix: Vec::new(),
            factor: DenseFactor::default(),
            r: vec![0.0; n],
            u: vec![0.0; n],
            z: Vec::new(),
            point: vec![0.0; n],
            best: vec![0.0; n],
            best_residual: f64::INFINITY,
            stats: Stats::default(),
            blocks,
        }
    }

    /// Cones of all blocks, W, and a point inside of all cones.
    fn begin(&mut self) {
        let view = &self.blocks.view;
        let size = view.q.iter().fold(0.0_f64, |m, q| m.max(q.abs()));
        for (k, cone) in view.cones.iter().enumerate() {
            let first = view.rows(k).start;
            let before = self.discs.len();
            for (rows, mu) in cone.parts() {
                let tail = first + rows.start..first + rows.end;
                if mu > 0.0 && !tail.is_empty() {
                    self.discs.push(Disc {
                        head: Some(first),
                        tail,
                        radius: mu,
                    });
                } else {
                    self.frozen[tail].fill(true);
                }
            }
            if self.discs.len() == before {
                self.discs.push(Disc {
                    head: Some(first),
                    tail: first..first,
                    radius: 1.0,
                });
            }
            self.r[first] = size;
        }
        for (row, law) in (view.contacts * view.dimension..).zip(&view.equations) {
            if law.limit == 0.0 {
                self.frozen[row] = true;
            } else if law.limit.is_finite() {
                self.discs.push(Disc {
                    head: None,
                    tail: row..row + 1,
                    radius: law.limit,
                });
            }
        }
        self.blocks
            .velocities_into(&Proximal::none(), &self.r, &mut self.u);
        // s · z is an energy: where the head has no unit, z has that of the radius too.
        let energy = |disc: &Disc| match disc.head {
            Some(_) => size,
            None => size * disc.radius,
        };
        let unit = |disc: &Disc| UNIT.map(|x| x * energy(disc));
        self.z = self.discs.iter().map(unit).collect();
        let n = view.len();
        self.matrix = vec![0.0; n * n];
        for k in 0..view.blocks() {
            let rows = view.rows(k);
            for (l, block) in self.blocks.matrix.row(k) {
                let cols = view.rows(l);
                for (i, row) in rows.clone().zip(block.chunks_exact(cols.len())) {
                    for (j, w) in cols.clone().zip(row) {
                        // Both halves have a part, as the factorisation reads only one.
                        self.matrix[j * n + i] += 0.5 * w;
                        self.matrix[i * n + j] += 0.5 * w;
                    }
                }
            }
        }
        for (i, w) in self.blocks.weights.iter().enumerate() {
            self.matrix[i * n + i] += PROXIMAL * w;
        }
    }

    fn iterate(&mut self, observer: &mut dyn Observer) -> Status {
        self.begin();
        let n = self.r.len();
        let (mut rhs, mut corrected) = (vec![0.0; n], vec![0.0; n]);
        let mut scalings = Vec::with_capacity(self.discs.len());
        let (mut least, mut since) = (f64::INFINITY, 0);
        for number in 1..=self.settings.iteration_limit {
            let impulses: Vec<Vector> = self.discs.iter().map(|d| d.impulse(&self.r)).collect();
            scalings.clear();
            scalings.extend(
                impulses
                    .iter()
                    .zip(&self.z)
                    .map_while(|(s, z)| Scaling::new(s, z)),
            );
            if scalings.len() < self.discs.len() || !self.factorise(&scalings) {
                return Status::NoProgress;
            }
            self.stats.iterations = number;
            self.stats.factorizations = number;
            // 1. Predictor: to complementarity 0, Δz = −Ω⁻² Δs − z.
            for ((rhs, u), frozen) in rhs.iter_mut().zip(&self.u).zip(&self.frozen) {
                *rhs = if *frozen { 0.0 } else { -u };
            }
            let mut step = rhs.clone();
            self.factor.solve(&mut step);
            let affine: Vec<(Vector, Vector)> = self
                .changes(&step, &scalings)
                .zip(&self.z)
                .map(|((ds, dz), z)| (ds, ahead(&dz, -1.0, z)))
                .collect();
            let along = self.room(&impulses, &affine).min(1.0);
            let gap: f64 = impulses.iter().zip(&self.z).map(|(s, z)| dot(s, z)).sum();
            let mean = gap / self.discs.len().max(1) as f64;
            let sigma = (1.0 - along).powi(3);
            // 2. Corrector: Δz = −Ω⁻² Δs + Ω⁻¹ (λ \ (σ μ e − λ ∘ λ − Ω⁻¹ Δs ∘ Ω Δz)).
            let pulls: Vec<Vector> = scalings
                .iter()
                .zip(&affine)
                .map(|(scaling, (ds, dz))| {
                    let second = product(&scaling.divided(ds), &scaling.times(dz));
                    let own = product(&scaling.lambda, &scaling.lambda);
                    let mut d: Vector = std::array::from_fn(|i| -own[i] - second[i]);
                    d[0] += sigma * mean;
                    scaling.divided(&scaling.solve(&d))
                })
                .collect();
            corrected.clone_from(&rhs);
            for ((disc, z), pull) in self.discs.iter().zip(&self.z).zip(&pulls) {
                disc.add_to(1.0, &ahead(z, 1.0, pull), &mut corrected);
            }
            for (x, frozen) in corrected.iter_mut().zip(&self.frozen) {
                if *frozen {
                    *x = 0.0;
                }
            }
            self.factor.solve(&mut corrected);
            let changes: Vec<(Vector, Vector)> = self
                .changes(&corrected, &scalings)
                .zip(&pulls)
                .map(|((ds, dz), pull)| (ds, ahead(&dz, 1.0, pull)))
                .collect();
            let length = (SHORT * self.room(&impulses, &changes)).min(1.0);
            if !(length > 0.0 && corrected.iter().all(|x| x.is_finite())) {
                return Status::NoProgress;
            }
            for (r, d) in self.r.iter_mut().zip(&corrected) {
                *r += length * d;
            }
            for (z, (_, dz)) in self.z.iter_mut().zip(&changes) {
                *z = ahead(z, length, dz);
            }
            // 3. How good the nearest impulses in the cones are.
            self.point.clone_from(&self.r);
            self.blocks.view.project(&mut self.point);
            let residual = self.judge();
            if self.tell(number, residual, observer).is_break() {
                return Status::Stopped;
            }
            if self.best_residual <= self.settings.tolerance {
                return Status::Solved;
            }
            since = if self.best_residual < least {
                0
            } else {
                since + 1
            };
            least = self.best_residual;
            if since == PATIENCE {
                return Status::NoProgress;
            }
            self.blocks
                .velocities_into(&Proximal::none(), &self.r, &mut self.u);
        }
        Status::IterationLimit
    }

    /// Residual of `point`, whose velocities are in `u` then, and the best point so far.
    fn judge(&mut self) -> f64 {
        self.blocks
            .velocities_into(&Proximal::none(), &self.point, &mut self.u);
        let point = (&self.point[..], &self.u[..]);
        let residual = self.blocks.residual(self.settings.measure, point);
        if residual < self.best_residual {
            self.best_residual = residual;
            self.best.clone_from(&self.point);
        }
        residual
    }

    /// Factorises W + Σ Aᵀ Ω⁻² A; false if it is not positive definite as far as rounding shows.
    fn factorise(&mut self, scalings: &[Scaling]) -> bool {
        let n = self.r.len();
        let entries = self.factor.entries(n);
        entries.copy_from_slice(&self.matrix);
        for (disc, scaling) in self.discs.iter().zip(scalings) {
            let square = scaling.inverse_square();
            for (a, i, x) in disc.columns() {
                for (b, j, y) in disc.columns() {
                    entries[j * n + i] += x * y * square[a][b];
                }
            }
        }
        for i in (0..n).filter(|i| self.frozen[*i]) {
            for j in 0..n {
                entries[i * n + j] = 0.0;
                entries[j * n + i] = 0.0;
            }
            entries[i * n + i] = 1.0;
        }
        self.factor.cholesky(0.0)
    }

    /// Δs and −Ω⁻² Δs of all cones for a change of r.
    fn changes<'b>(
        &'b self,
        step: &'b [f64],
        scalings: &'b [Scaling],
    ) -> impl Iterator<Item = (Vector, Vector)> + 'b {
        self.discs.iter().zip(scalings).map(|(disc, scaling)| {
            let ds = disc.image(step);
            let twice = scaling.divided(&scaling.divided(&ds));
            (ds, twice.map(|x| -x))
        })
    }

    /// How far s and z may go.
    fn room(&self, impulses: &[Vector], changes: &[(Vector, Vector)]) -> f64 {
        let pairs = impulses.iter().zip(&self.z).zip(changes);
        pairs.fold(f64::INFINITY, |least, ((s, z), (ds, dz))| {
            least.min(reach(s, ds)).min(reach(z, dz))
        })
    }

    fn tell(&self, number: usize, residual: f64, observer: &mut dyn Observer) -> ControlFlow<()> {
        let z = self.blocks.impulses(&self.point);
        observer.observe(&Iterate {
            z: Some(&z),
            ..Iterate::new(number, residual)
        })
    }
}
