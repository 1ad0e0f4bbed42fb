//! Block principal pivoting for linear complementarity problems with bounds, with Murty's method as a back-up.
//!
//! ```math
//! M_{FF} z_F = -q_F - M_{FN} z_N, \qquad
//! H = \{ i \in F : z_i \notin [l_i, u_i] \} \cup \{ i \in L : F_i < 0 \} \cup \{ i \in U : F_i > 0 \}
//! ```
//!
//! # Method
//! The variables are parted into F (rows hold with equality), L and U (at a bound). One linear solve gives z and F; all
//! indices of H, which are on the wrong side, change their set at once. When that does not lessen their number for a
//! while, only the last index of H changes (Murty), until there are fewer than ever. Free variables stay in F, fixed
//! ones never enter it. Symmetric matrices with a positive diagonal are factorised by Cholesky, others by LU. If the
//! block is singular, the variables whose columns depend on those before them go back to a bound.
//!
//! # Guarantees and limits
//! Finite for P-matrices, with 4 to 15 factorisations as a rule whatever n is, though Murty's method can take 2ⁿ. For
//! other matrices it may cycle, which ends in the iteration limit, or meet singular blocks: it proves nothing then, and
//! the status says so. Friction pyramids have zero diagonals: use [`Lemke`](crate::Lemke). Dense: memory n².
//!
//! # References
//! - \[JP1994\] J. J. Júdice, F. M. Pires, A block principal pivoting algorithm for large-scale strictly monotone linear
//!   complementarity problems, Computers & Operations Research 21, 1994.
//! - \[M1974\] K. G. Murty, Note on a Bard-type scheme for solving the complementarity problem, Opsearch 11, 1974.

use std::ops::ControlFlow;

use crate::dense::{Balance, DenseFactor, DenseProblem, dependent_columns};
use crate::polish::basis_of_point;
use crate::residual::LinearView;
use crate::{
    Basis, BasisMark, Iterate, Lcp, LinearMcp, Observer, Solution, Solver, Start, Stats, Status,
    natural_residual,
};

/// Settings of [`BlockPivoting`].
///
/// # Examples
/// ```
/// use signorini_complementarity::BlockPivotingSettings;
/// let settings = BlockPivotingSettings { patience: 0, ..BlockPivotingSettings::default() };
/// assert_eq!(settings.iteration_limit, 1000);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BlockPivotingSettings {
    /// Solved if the natural residual is ≤ this. Default 1e-10.
    pub tolerance: f64,
    /// Most exchanges, each followed by a factorisation. Default 1000. Small values (10 to 50) make a quick first try.
    pub iteration_limit: usize,
    /// Block exchanges without fewer indices in H before single ones. Default 10; 0 is Murty's method as soon as a block
    /// exchange fails once.
    pub patience: usize,
    /// z_i is on the wrong side if it passes its bound by more than this times the largest |z|, F_i if by more than
    /// this times Σ|M_ij z_j| + |q_i|; scaled data. Default 1e-12: roundings of degenerate indices must not move them.
    pub feasibility_tolerance: f64,
    /// A block is singular if its smallest pivot is ≤ this times the largest. Default 1e-13.
    pub singular_tolerance: f64,
    /// In a singular block a column is dependent if elimination leaves nothing > this times its largest entry.
    /// Default 1e-11.
    pub dependent_tolerance: f64,
}

impl Default for BlockPivotingSettings {
    fn default() -> Self {
        Self {
            tolerance: 1e-10,
            iteration_limit: 1000,
            patience: 10,
            feasibility_tolerance: 1e-12,
            singular_tolerance: 1e-13,
            dependent_tolerance: 1e-11,
        }
    }
}

/// Block principal pivoting: settings and workspace.
///
/// All kinds of [`Start`] are used; [`Start::Point`] gives the basis of the indices where z is farther from its bound
/// than F from zero. The observer sees every basis, with the number of indices on the wrong side as the measure.
/// [`Stats::iterations`] counts exchanges, [`Stats::restarts`] blocks that were repaired.
///
/// Finite for P-matrices. Otherwise it may end in [`Status::IterationLimit`], as it cycles, or [`Status::Singular`], with
/// the basis that had the fewest indices on the wrong side; [`Status::Inaccurate`] means that the basis is right and its
/// residual above the tolerance. It proves nothing. Memory n².
///
/// # Examples
/// ```
/// use signorini_complementarity::{BlockPivoting, Lcp, Solver, Start, Status};
/// let lcp = Lcp::from_dense(&[[2.0, 1.0], [1.0, 2.0]], vec![-5.0, -6.0])?;
/// let solution = BlockPivoting::default().solve(&lcp, Start::Cold);
/// assert_eq!((solution.status, solution.stats.iterations), (Status::Solved, 1));
/// assert!((solution.z[0] - 4.0 / 3.0).abs() < 1e-15);
/// # Ok::<(), signorini_complementarity::ProblemError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct BlockPivoting {
    /// Settings; may be changed between solves.
    pub settings: BlockPivotingSettings,
    work: Work,
}

impl BlockPivoting {
    /// The method with these settings.
    pub fn new(settings: BlockPivotingSettings) -> Self {
        Self {
            settings,
            work: Work::default(),
        }
    }

    pub(crate) fn solve_view(
        &mut self,
        view: &LinearView<'_>,
        start: Start<'_>,
        observer: &mut dyn Observer,
    ) -> Solution {
        self.work.load(view, start);
        let mut stats = Stats::default();
        let status = self.work.run(&self.settings, &mut stats, observer);
        self.work.finish(view, status, stats, &self.settings)
    }
}

impl Solver<Lcp> for BlockPivoting {
    fn solve_observed(
        &mut self,
        problem: &Lcp,
        start: Start<'_>,
        observer: &mut dyn Observer,
    ) -> Solution {
        self.solve_view(&problem.into(), start, observer)
    }
}

impl Solver<LinearMcp> for BlockPivoting {
    fn solve_observed(
        &mut self,
        problem: &LinearMcp,
        start: Start<'_>,
        observer: &mut dyn Observer,
    ) -> Solution {
        self.solve_view(&problem.into(), start, observer)
    }
}

#[derive(Clone, Debug, Default)]
struct Work {
    problem: DenseProblem,
    marks: Vec<BasisMark>,
    /// F, in order.
    inner: Vec<usize>,
    factor: DenseFactor,
    z: Vec<f64>,
    f: Vec<f64>,
    /// Σ|M_ij z_j| + |q_i|.
    size: Vec<f64>,
    rhs: Vec<f64>,
    /// H, in order.
    wrong: Vec<usize>,
    /// The basis with the smallest H so far, and its z.
    best_marks: Vec<BasisMark>,
    best_z: Vec<f64>,
}

/// A block is singular and could not be repaired.
struct SingularBlock;

impl Work {
    #[track_caller]
    fn load(&mut self, view: &LinearView<'_>, start: Start<'_>) {
        let n = view.len();
        self.problem.load(view, Balance::Rows);
        self.marks.clear();
        match start {
            Start::Cold => self.marks.resize(n, BasisMark::AtLower),
            Start::Basis(basis) => self.marks.extend_from_slice(basis.marks()),
            Start::Point(z) => self
                .marks
                .extend_from_slice(basis_of_point(view, z).marks()),
        }
        assert_eq!(
            self.marks.len(),
            n,
            "the starting basis must have one mark per variable"
        );
        for (i, mark) in self.marks.iter_mut().enumerate() {
            *mark = possible(view.interval(i), *mark);
        }
        self.best_marks.clone_from(&self.marks);
        self.best_z.clear();
        self.best_z.resize(n, 0.0);
    }

    fn run(
        &mut self,
        settings: &BlockPivotingSettings,
        stats: &mut Stats,
        observer: &mut dyn Observer,
    ) -> Status {
        let (mut fewest, mut patience) = (usize::MAX, settings.patience);
        loop {
            // 1. z and F of the basis, and the indices on the wrong side.
            if self.solve_block(settings, stats).is_err() {
                return Status::Singular;
            }
            self.find_wrong(settings.feasibility_tolerance);
            let count = self.wrong.len();
            let iterate = Iterate::new(stats.iterations, count as f64);
            let stop = observer.observe(&iterate) == ControlFlow::Break(());
            // 2. Fewer than ever: all may change again.
            let better = count < fewest;
            if better {
                (fewest, patience) = (count, settings.patience);
                self.best_marks.clone_from(&self.marks);
                self.best_z.clone_from(&self.z);
            }
            match count {
                0 => return Status::Solved,
                _ if stop => return Status::Stopped,
                _ if stats.iterations >= settings.iteration_limit => {
                    return Status::IterationLimit;
                }
                _ => {}
            }
            // 3. Exchange all, or, out of patience, the last only (Murty).
            if better || patience > 0 {
                patience -= usize::from(!better);
            } else {
                self.wrong.drain(..count - 1);
            }
            self.exchange();
            stats.iterations += 1;
        }
    }

    /// z_N at the bounds, M_FF z_F = −q_F − M_FN z_N, F = M z + q.
    fn solve_block(
        &mut self,
        settings: &BlockPivotingSettings,
        stats: &mut Stats,
    ) -> Result<(), SingularBlock> {
        self.factor_block(settings, stats)?;
        let (problem, z) = (&self.problem, &mut self.z);
        z.clear();
        z.extend(self.marks.iter().enumerate().map(|(i, mark)| match mark {
            BasisMark::Basic => 0.0,
            BasisMark::AtLower => problem.lower[i],
            BasisMark::AtUpper => problem.upper[i],
        }));
        problem.evaluate(&self.z, &mut self.f, &mut self.size);
        self.correct();
        if self.z.iter().all(|z| z.is_finite()) {
            Ok(())
        } else {
            Err(SingularBlock)
        }
    }

    /// z_F ← z_F − M_FF⁻¹ F_F: the solve itself from z_F = 0, a step of refinement later.
    fn correct(&mut self) {
        self.rhs.clear();
        self.rhs.extend(self.inner.iter().map(|&i| -self.f[i]));
        self.factor.solve(&mut self.rhs);
        for (&i, step) in self.inner.iter().zip(&self.rhs) {
            self.z[i] += step;
        }
        self.problem.evaluate(&self.z, &mut self.f, &mut self.size);
    }

    fn factor_block(
        &mut self,
        settings: &BlockPivotingSettings,
        stats: &mut Stats,
    ) -> Result<(), SingularBlock> {
        self.collect_inner();
        stats.factorizations += 1;
        if self.try_factor(settings.singular_tolerance) {
            return Ok(());
        }
        // Dependent columns go to a bound; a free variable has none.
        let k = self.inner.len();
        self.problem.gather(&self.inner, self.factor.entries(k));
        let entries = self.factor.entries(k);
        for dropped in dependent_columns(k, entries, settings.dependent_tolerance) {
            let i = self.inner[dropped];
            let interval = (self.problem.lower[i], self.problem.upper[i]);
            self.marks[i] = possible(interval, BasisMark::AtLower);
        }
        self.collect_inner();
        stats.factorizations += 1;
        stats.restarts += 1;
        if self.inner.len() < k && self.try_factor(settings.singular_tolerance) {
            Ok(())
        } else {
            Err(SingularBlock)
        }
    }

    fn collect_inner(&mut self) {
        self.inner.clear();
        let basic = |&i: &usize| self.marks[i] == BasisMark::Basic;
        self.inner.extend((0..self.marks.len()).filter(basic));
    }

    fn try_factor(&mut self, singular_tolerance: f64) -> bool {
        let k = self.inner.len();
        self.problem.gather(&self.inner, self.factor.entries(k));
        if self.problem.symmetric {
            if self.factor.cholesky(singular_tolerance) {
                return true;
            }
            self.problem.gather(&self.inner, self.factor.entries(k));
        }
        self.factor.lu(singular_tolerance)
    }

    fn find_wrong(&mut self, tolerance: f64) {
        let inside = self.inner.iter().map(|&i| self.z[i].abs());
        let slack = tolerance * inside.fold(0.0, f64::max);
        let problem = &self.problem;
        let wrong = |&i: &usize| {
            let (l, u, z, f) = (problem.lower[i], problem.upper[i], self.z[i], self.f[i]);
            match self.marks[i] {
                BasisMark::Basic => l - z > slack || z - u > slack,
                _ if l >= u => false,
                BasisMark::AtLower => f < -tolerance * self.size[i],
                BasisMark::AtUpper => f > tolerance * self.size[i],
            }
        };
        self.wrong.clear();
        self.wrong.extend((0..self.marks.len()).filter(wrong));
    }

    fn exchange(&mut self) {
        for &i in &self.wrong {
            self.marks[i] = match self.marks[i] {
                BasisMark::Basic if self.z[i] < self.problem.lower[i] => BasisMark::AtLower,
                BasisMark::Basic => BasisMark::AtUpper,
                _ => BasisMark::Basic,
            };
        }
    }

    /// The refined answer, or the best point with the reason why it is none.
    fn finish(
        &mut self,
        view: &LinearView<'_>,
        status: Status,
        stats: Stats,
        settings: &BlockPivotingSettings,
    ) -> Solution {
        let mut z = self.problem.unscaled(view, &self.best_z);
        if z.iter().any(|z| !z.is_finite()) {
            // Undoing the scaling overflows: no point at all, so the one at the bounds.
            z = (0..view.len()).map(|i| view.project(i, 0.0)).collect();
        }
        let mut residual = natural_residual(*view, &z);
        if status == Status::Solved {
            for _ in 0..REFINEMENTS {
                if residual <= f64::EPSILON {
                    break;
                }
                self.correct();
                let refined = self.problem.unscaled(view, &self.z);
                let better = natural_residual(*view, &refined);
                if better < residual {
                    (z, residual) = (refined, better);
                }
            }
        }
        let accurate = residual <= settings.tolerance;
        Solution {
            z,
            status: match status {
                // By the measure of the residual even a basis with wrong indices can be an answer, and its z is one.
                Status::Stopped => Status::Stopped,
                _ if accurate => Status::Solved,
                Status::Solved => Status::Inaccurate,
                other => other,
            },
            residual,
            stats,
            basis: Some(Basis::new(self.best_marks.clone())),
            certificate: None,
        }
    }
}

/// Steps of iterative refinement of an answer; each costs one product and one solve.
const REFINEMENTS: usize = 2;

/// The mark that a variable with these bounds can have, nearest to `mark`.
fn possible((l, u): (f64, f64), mark: BasisMark) -> BasisMark {
    match mark {
        _ if l == f64::NEG_INFINITY && u == f64::INFINITY => BasisMark::Basic,
        _ if l >= u => BasisMark::AtLower,
        BasisMark::AtLower if l == f64::NEG_INFINITY => BasisMark::AtUpper,
        BasisMark::AtUpper if u == f64::INFINITY => BasisMark::AtLower,
        _ => mark,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Bounds;

    fn loaded(mcp: &LinearMcp, marks: &[BasisMark]) -> Work {
        let mut work = Work::default();
        let basis = Basis::new(marks.to_vec());
        work.load(&mcp.into(), Start::Basis(&basis));
        work
    }

    #[test]
    fn indices_on_the_wrong_side_change_their_set() {
        use BasisMark::{AtLower, AtUpper, Basic};
        let bounds = Bounds::new(vec![0.0; 4], vec![1.0, 1.0, 1.0, f64::INFINITY]).unwrap();
        let m = [
            [1.0, 0.0, 0.0, 0.0],
            [0.0, 1.0, 0.0, 0.0],
            [0.0, 0.0, 1.0, 0.0],
            [0.0, 0.0, 0.0, 1.0],
        ];
        let mcp = LinearMcp::from_dense(&m, vec![-3.0, 2.0, -0.5, -1.0], bounds).unwrap();
        let mut work = loaded(&mcp, &[Basic, Basic, AtUpper, AtLower]);
        let settings = BlockPivotingSettings::default();
        assert!(work.solve_block(&settings, &mut Stats::default()).is_ok());
        assert_eq!(work.z, [3.0, -2.0, 1.0, 0.0]);
        work.find_wrong(1e-12);
        assert_eq!(work.wrong, [0, 1, 2, 3]);
        work.exchange();
        assert_eq!(work.marks, [AtUpper, AtLower, Basic, Basic]);
    }

    #[test]
    fn marks_fit_the_bounds() {
        use BasisMark::{AtLower, AtUpper, Basic};
        let inf = f64::INFINITY;
        assert_eq!(possible((-inf, inf), AtLower), Basic);
        assert_eq!(possible((2.0, 2.0), Basic), AtLower);
        assert_eq!(possible((-inf, 1.0), AtLower), AtUpper);
        assert_eq!(possible((0.0, inf), AtUpper), AtLower);
        assert_eq!(possible((0.0, 1.0), AtUpper), AtUpper);
    }

    #[test]
    fn singular_blocks_lose_their_dependent_columns() {
        let bounds = Bounds::nonnegative(3);
        let mcp = LinearMcp::from_dense(&[[1.0; 3]; 3], vec![-1.0; 3], bounds).unwrap();
        let mut work = loaded(&mcp, &[BasisMark::Basic; 3]);
        let mut stats = Stats::default();
        let settings = BlockPivotingSettings::default();
        assert!(work.solve_block(&settings, &mut stats).is_ok());
        assert_eq!((work.inner.as_slice(), stats.restarts), (&[0][..], 1));
        assert_eq!(work.z, [1.0, 0.0, 0.0]);
    }
}
