//! Block Gauss–Seidel: contact after contact, each solved exactly while the others wait.
//!
//! ```math
//! b_k = u_k - W_{kk} r_k, \qquad \hat r_k = \mathrm{local}(W_{kk}, b_k, \mu_k), \qquad
//! r_k \leftarrow r_k + \omega\, (\hat r_k - r_k)
//! ```
//!
//! # Method
//! With bodies the velocity is kept and corrected after each contact; without, the velocity of a contact is summed over its
//! row of W. Contacts come in their order or by colours, bilateral rows after them. As soon as no contact has gone from open to closed or
//! from stick to slip for some sweeps, the iteration is that of a smooth map, and Anderson's acceleration \[WN2011\] takes
//! over until a contact switches again or the changes grow.
//!
//! # Guarantees and limits
//! Convex law: converges for 0 < ω < 2. Exact law: no proof, and rarely a failure. The number of sweeps grows with the
//! length of chains and with mass ratios; where many contacts share few bodies, thousands are no rarity. Deterministic;
//! no memory is allocated in a sweep.
//!
//! # References
//! - \[J1999\] M. Jean, The non-smooth contact dynamics method, Comput. Methods Appl. Mech. Engrg. 177, 1999.
//! - \[WN2011\] H. F. Walker, P. Ni, Anderson acceleration for fixed-point iterations, SIAM J. Numer. Anal. 49, 2011.

use std::ops::ControlFlow;

use super::anderson::Anderson;
use super::judge::Judge;
use super::view::SolverView;
use super::{FrictionProblem, ResidualMeasure, blocks};
use crate::{Iterate, Observer, Solution, Solver, Start, Stats, Status};

/// Settings of [`BlockGaussSeidel`].
///
/// # Examples
/// ```
/// use signorini_complementarity::{BlockGaussSeidelSettings, ResidualMeasure};
/// let settings = BlockGaussSeidelSettings {
///     tolerance: 1e-4,
///     measure: ResidualMeasure::Relative,
///     ..BlockGaussSeidelSettings::default()
/// };
/// assert_eq!(settings.memory, 10);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BlockGaussSeidelSettings {
    /// Solved if the residual is ≤ this. Default 1e-10.
    pub tolerance: f64,
    /// The residual that the tolerance is for. Default scaled: no unit changes it.
    pub measure: ResidualMeasure,
    /// Most sweeps. Default 10 000.
    pub sweep_limit: usize,
    /// ω, 0 < ω < 2. Default 1.3: half as many sweeps as 1 on heaps. Values near 2 let the exact law wander.
    pub relaxation: f64,
    /// Sweeps between two looks at the residual, which cost about two sweeps; a sweep that changes the impulses by less
    /// than the tolerance brings the look forward. Default 50; 0 counts as 1.
    pub check_interval: usize,
    /// Images that the acceleration remembers. Default 10; 0 switches it off.
    pub memory: usize,
    /// Sweeps without a switch of any contact before the acceleration starts. Default 5. With fewer it starts on the
    /// wrong map and stops again; with more it only starts later.
    pub settling: usize,
    /// Order of the contacts in a sweep. Default as given.
    pub order: SweepOrder,
}

/// In which order a sweep takes the contacts of a problem with bodies; without bodies it is always the one given.
///
/// # Examples
/// ```
/// use signorini_complementarity::{BlockGaussSeidel, BlockGaussSeidelSettings, Solver, Start, SweepOrder, collection};
/// let heap = collection::heap(30, 1);
/// let settings = BlockGaussSeidelSettings { order: SweepOrder::Coloured, ..BlockGaussSeidelSettings::default() };
/// let solution = BlockGaussSeidel::new(settings).solve(&heap, Start::Cold);
/// assert!(solution.status.is_solved() && heap.residuals(&solution.z).scaled <= 1e-10);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum SweepOrder {
    /// As the problem has them.
    #[default]
    Given,
    /// By colours: contacts of one colour share no body, and where hundreds have it, rayon's threads take them together.
    /// The same bits for any number of threads; other iterates than those of the order given.
    Coloured,
}

impl Default for BlockGaussSeidelSettings {
    fn default() -> Self {
        Self {
            tolerance: 1e-10,
            measure: ResidualMeasure::Scaled,
            sweep_limit: 10_000,
            relaxation: 1.3,
            check_interval: 50,
            memory: 10,
            settling: 5,
            order: SweepOrder::Given,
        }
    }
}

/// Block Gauss–Seidel over contacts, with exact local solutions: settings only.
///
/// Both laws, all cones. Contact k gets the impulse that its law asks for while all others wait, scaled by ω. The first
/// choice for moderate tolerances, and the only one for a thousand contacts and more on few sweeps.
///
/// [`Start::Point`] is projected on the cones; [`Start::Basis`] counts as cold. The observer sees the start and every look at
/// the residual, with the residual as the measure and z. Every impulse of the answer lies in its cone.
///
/// If no look finds a residual ≤ the tolerance, the status is [`Status::IterationLimit`] with the best point seen, or
/// [`Status::Inaccurate`] if the iterates overflow.
///
/// # Examples
/// ```
/// use signorini_complementarity::{BlockGaussSeidel, ContactLaws, FrictionProblem, Solver, Start, Status};
/// let laws = ContactLaws { dimension: 3, mu: vec![0.1], ..ContactLaws::default() };
/// let problem = FrictionProblem::from_delassus(&sprs::CsMat::eye(3), vec![-1.0, 0.0, 5.0], laws)?;
/// let solution = BlockGaussSeidel::default().solve(&problem, Start::Cold);
/// assert_eq!(solution.status, Status::Solved);
/// assert!((solution.z[0] - 1.0).abs() < 1e-12 && (solution.z[2] + 0.1).abs() < 1e-12);
/// # Ok::<(), signorini_complementarity::FrictionError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct BlockGaussSeidel {
    /// Settings; may be changed between solves.
    pub settings: BlockGaussSeidelSettings,
}

impl BlockGaussSeidel {
    /// The method with these settings.
    pub fn new(settings: BlockGaussSeidelSettings) -> Self {
        Self { settings }
    }
}

impl Solver<FrictionProblem> for BlockGaussSeidel {
    fn solve_observed(
        &mut self,
        problem: &FrictionProblem,
        start: Start<'_>,
        observer: &mut dyn Observer,
    ) -> Solution {
        let settings = &self.settings;
        let view = SolverView::new(problem);
        let target = (settings.measure, settings.tolerance);
        let ordered = (&view, settings.order);
        let begun = Judge::begin_in_order(problem, ordered, target, start);
        let (mut judge, mut blocks) = match begun {
            Ok(begun) => begun,
            Err(solution) => return *solution,
        };
        let mut stats = Stats::default();
        let mut acceleration = Acceleration::new(settings, view.len());
        let first = Iterate {
            z: Some(judge.point()),
            ..Iterate::new(0, judge.residual())
        };
        if observer.observe(&first) == ControlFlow::Break(()) {
            return judge.solution(Status::Stopped, stats);
        }
        let interval = settings.check_interval.max(1);
        let mut next_check = interval;
        for number in 1..=settings.sweep_limit {
            let sweep = acceleration.sweep(&mut *blocks, settings.relaxation);
            stats.iterations = number;
            if !sweep.change.is_finite() {
                return judge.solution(Status::Inaccurate, stats);
            }
            let small = sweep.change.sqrt() <= settings.tolerance * sweep.size.sqrt();
            let early = small && number + interval >= next_check + SPACING;
            if number < next_check && !early && number < settings.sweep_limit {
                continue;
            }
            next_check = number + interval;
            let residual = judge.look(&*blocks);
            let iterate = Iterate {
                z: Some(judge.point()),
                ..Iterate::new(number, residual)
            };
            if observer.observe(&iterate) == ControlFlow::Break(()) {
                return judge.solution(Status::Stopped, stats);
            }
            if judge.solved() {
                break;
            }
        }
        judge.solution(Status::IterationLimit, stats)
    }
}

/// Least number of sweeps from one look at the residual to the next.
const SPACING: usize = 5;

/// Sweeps with acceleration while no contact switches.
#[derive(Debug)]
pub(super) struct Acceleration {
    anderson: Anderson,
    settling: usize,
    calm: usize,
    /// Smallest change since the acceleration began.
    least: f64,
    before: Vec<f64>,
    after: Vec<f64>,
    /// The last image, to return to.
    good: Vec<f64>,
}

/// Growth of the changes, as a square, at which the acceleration is given up.
const GROWTH: f64 = 4.0;

impl Acceleration {
    pub(super) fn new(settings: &BlockGaussSeidelSettings, len: usize) -> Self {
        Self {
            anderson: Anderson::new(settings.memory),
            settling: if settings.memory == 0 {
                usize::MAX
            } else {
                settings.settling
            },
            calm: 0,
            least: f64::INFINITY,
            before: vec![0.0; len],
            after: vec![0.0; len],
            good: vec![0.0; len],
        }
    }

    /// Starts again with plain sweeps.
    pub(super) fn reset(&mut self) {
        self.calm = 0;
        self.least = f64::INFINITY;
        self.anderson.clear();
    }

    /// One sweep and what the acceleration makes of it.
    pub(super) fn sweep(
        &mut self,
        blocks: &mut dyn blocks::Blocks,
        relaxation: f64,
    ) -> blocks::Sweep {
        if self.calm < self.settling {
            let sweep = blocks.sweep(relaxation);
            self.calm = if sweep.switches == 0 {
                self.calm + 1
            } else {
                0
            };
            return sweep;
        }
        blocks.state_into(&mut self.before);
        let sweep = blocks.sweep(relaxation);
        if sweep.change > GROWTH * self.least {
            blocks.set_state(&self.good);
            self.reset();
            return sweep;
        }
        self.least = self.least.min(sweep.change);
        blocks.state_into(&mut self.after);
        self.good.copy_from_slice(&self.after);
        if sweep.switches > 0 {
            self.reset();
            return sweep;
        }
        self.anderson.advance(&self.before, &mut self.after);
        blocks.set_state(&self.after);
        sweep
    }
}
