//! Lemke's method for linear complementarity problems, with and without bounds.
//!
//! ```math
//! w = M z + q + d z_0, \qquad 0 \le z \perp w \ge 0, \qquad z_0 \ge 0
//! ```
//!
//! # Method
//! From a large artificial variable z₀ the method follows the path of almost complementary bases until z₀ leaves.
//! Ties are resolved lexicographically. The final basis is solved again from the original data and judged by the
//! natural residual; a ray, a lost path or a false answer leads to another covering vector d.
//!
//! Small or dense problems are held as a condensed tableau, n² numbers, pivoted in place. Large ones with few entries
//! are solved over sparse factors of the basis, with free variables basic from the start and variables that may flip
//! between two bounds: no array of n × n numbers exists. [`LemkeForm::Auto`] takes the factors if n ≥ 50 and M has at
//! most n/7 and at most 24 entries a row on average. How many times faster they are, one core, best of 20 in one run,
//! entries at random beside a dominant diagonal:
//!
//! | entries per row | n = 50 | n = 100 | n = 200 | n = 300 | n = 600 |
//! | --------------- | ------ | ------- | ------- | ------- | ------- |
//! | 3               | 2.4    | 2.1     | 6.9     | 9.9     | 18      |
//! | 5 % of n        | 1.7    | 2.3     | 2.4     | 2.0     | 0.9     |
//! | 10 % of n       | 1.5    | 1.8     | 1.2     | 0.95    | 0.5     |
//!
//! Friction pyramids fill in much less. With eight directions, the mixed form over factors is 1.8 times faster than in
//! the tableau with 10 contacts and 2.3 to 3.9 times with 30; with 100 it is about 10 times faster than the reduced
//! form in the tableau: give large ones in that form.
//!
//! # Guarantees and limits
//! Solves, or proves infeasible, every problem with a positive semidefinite M; solves the friction problems of this
//! crate with nonnegative gaps. In general a ray proves nothing, and finding a solution is NP-hard. Some problems take
//! 2ⁿ pivots. The tableau takes memory n² and time n² per pivot: up to about a thousand variables. The factors take
//! about ten vectors of length n and the fill of the basis; 20 000 variables with three entries a row solve in seconds.
//!
//! # References
//! - \[CPS1992\] R. W. Cottle, J.-S. Pang, R. E. Stone, The Linear Complementarity Problem, 1992, section 4.4.
//! - \[AP1997\] M. Anitescu, F. A. Potra, Formulating dynamic multi-rigid-body contact problems with friction as
//!   solvable linear complementarity problems, Nonlinear Dynamics 14, 1997.

mod certificate;
mod path;
mod scaled;
mod settings;
mod sparse;
mod tableau;

pub use settings::{LemkeForm, LemkeSettings};

use self::path::End;
use self::scaled::ScaledLcp;
use self::sparse::SparseProblem;
pub(crate) use self::sparse::{Origin, PathCode, Pivoting, Trail, TrailLimits, scaling};
use self::tableau::{Place, Tableau};
use crate::linalg::scale;
use crate::polish::{basis_of_point, solve_basis};
use crate::reduce::Reduced;
use crate::residual::LinearView;
use crate::rng::SplitMix64;
use crate::{
    Basis, Certificate, Lcp, LinearMcp, Observer, Solution, Solver, Start, Stats, Status,
    natural_residual,
};

/// Lemke's method: settings and workspace.
///
/// All kinds of [`Start`] are used; a guessed basis that is singular or leads to a ray is followed by a cold start.
/// [`Start::Point`] is turned into the basis of the indices where z is farther from its bound than F from zero.
/// [`Iterate::measure`](crate::Iterate::measure) is z₀; variables are numbered w_i = i, z_i = n + i, z₀ = 2n, with n
/// the size after the elimination of free variables; over sparse factors, which keep them, after that of fixed ones.
/// Where both are equal a variable flips from one bound to the other.
///
/// Solves, or proves infeasible, every problem with a positive semidefinite M. [`Status::Infeasible`] comes with a checked
/// [`Certificate::Farkas`]; [`Status::Ray`] with the ray proves nothing, [`Status::Inaccurate`] and [`Status::Singular`]
/// mean that rounding broke off the paths. Tableau or sparse factors, and the memory they take: [`LemkeForm`].
///
/// # Examples
/// ```
/// use signorini_complementarity::{Lcp, Lemke, Solver, Start, Status};
/// let lcp = Lcp::from_dense(&[[2.0, 1.0], [1.0, 2.0]], vec![-5.0, -6.0])?;
/// let solution = Lemke::default().solve(&lcp, Start::Cold);
/// assert_eq!(solution.status, Status::Solved);
/// assert!((solution.z[0] - 4.0 / 3.0).abs() < 1e-15);
/// // The next problem of a series starts from this basis.
/// let next = Lcp::from_dense(&[[2.0, 1.0], [1.0, 2.0]], vec![-5.1, -6.0])?;
/// let warm = Lemke::default().solve(&next, Start::Basis(&solution.basis.expect("Lemke ends in a basis")));
/// assert_eq!(warm.stats.iterations, 0);
/// # Ok::<(), signorini_complementarity::ProblemError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Lemke {
    /// Settings; may be changed between solves.
    pub settings: LemkeSettings,
    tableau: Tableau,
    factors: sparse::Factors,
}

impl Lemke {
    /// The method with these settings.
    pub fn new(settings: LemkeSettings) -> Self {
        Self {
            settings,
            ..Self::default()
        }
    }

    /// One path from the basis that the solution should have, over sparse factors: with a point along the line from the problem
    /// of which the point with this basis is the solution to the one at hand, without one as from [`Start::Basis`].
    ///
    /// Few pivots where basis and point are nearly right. Where the path ends without an answer nothing else is tried: the best
    /// point comes with the status of its end, which proves nothing.
    ///
    /// # Panics
    /// If the basis or the point does not have one entry per variable.
    ///
    /// # Examples
    /// ```
    /// use signorini_complementarity::{Basis, BasisMark, Lcp, Lemke, LinearMcp, Status};
    /// let lcp = Lcp::from_dense(&[[2.0, 1.0], [1.0, 2.0]], vec![-5.0, -1.0])?;
    /// let basis = Basis::new(vec![BasisMark::Basic; 2]);
    /// let solution = Lemke::default().solve_near(&LinearMcp::from(lcp), (&basis, Some(&[2.4, 0.1])), &mut ());
    /// assert_eq!((solution.status, solution.z), (Status::Solved, vec![2.5, 0.0]));
    /// # Ok::<(), signorini_complementarity::ProblemError>(())
    /// ```
    #[track_caller]
    pub fn solve_near(
        &mut self,
        problem: &LinearMcp,
        (basis, point): (&Basis, Option<&[f64]>),
        observer: &mut dyn Observer,
    ) -> Solution {
        let view = LinearView::from(problem);
        let lengths = [basis.marks().len(), point.map_or(view.len(), <[f64]>::len)];
        assert_eq!(
            lengths,
            [view.len(); 2],
            "one mark and one entry per variable"
        );
        let data = SparseProblem::new(&view, false);
        let memory = (&self.settings, &mut self.factors);
        sparse::solve_near((view, &data), memory, (basis, point), observer)
    }

    fn solve_view(
        &mut self,
        view: LinearView<'_>,
        start: Start<'_>,
        observer: &mut dyn Observer,
    ) -> Solution {
        let (form, n) = (self.settings.form, view.len());
        let sparse = match form {
            LemkeForm::Auto => is_sparse(n, view.m.nnz()),
            LemkeForm::Dense => false,
            LemkeForm::Sparse => true,
        };
        if sparse {
            let data = SparseProblem::new(&view, false);
            if self.factors.free_block_is_regular(&data) {
                return sparse::solve(
                    view,
                    &data,
                    &self.settings,
                    &mut self.factors,
                    start,
                    observer,
                );
            }
            // Equations that do not determine the free variables: the tableau exchanges pairs for them, the factors
            // can only split the variables.
            if form == LemkeForm::Sparse || n > LARGEST_TABLEAU {
                let data = SparseProblem::new(&view, true);
                return sparse::solve(
                    view,
                    &data,
                    &self.settings,
                    &mut self.factors,
                    start,
                    observer,
                );
            }
        }
        Run::new(self, view).solve(start, observer)
    }
}

/// Problems with more variables get no tableau by [`LemkeForm::Auto`] if they have few entries: 32 MB.
const LARGEST_TABLEAU: usize = 2000;

/// Whether a problem of n variables and nnz entries is better solved over sparse factors: measured, see above.
fn is_sparse(n: usize, nnz: usize) -> bool {
    n >= 50 && 7 * nnz <= n * n && nnz <= 24 * n
}

impl Solver<Lcp> for Lemke {
    fn solve_observed(
        &mut self,
        problem: &Lcp,
        start: Start<'_>,
        observer: &mut dyn Observer,
    ) -> Solution {
        self.solve_view(problem.into(), start, observer)
    }
}

impl Solver<LinearMcp> for Lemke {
    fn solve_observed(
        &mut self,
        problem: &LinearMcp,
        start: Start<'_>,
        observer: &mut dyn Observer,
    ) -> Solution {
        self.solve_view(problem.into(), start, observer)
    }
}

/// One solve over several tries.
struct Run<'a> {
    settings: &'a LemkeSettings,
    tableau: &'a mut Tableau,
    view: LinearView<'a>,
    reduced: Reduced,
    lcp: ScaledLcp,
    /// Best point so far; its status is that of the first failed try.
    best: Solution,
}

/// Where a path begins.
enum Begin {
    /// At the complementary basis of these indices.
    Basis(Vec<bool>),
    /// At the slack basis, with this covering vector (scaled).
    Slack(Vec<f64>),
}

impl<'a> Run<'a> {
    fn new(solver: &'a mut Lemke, view: LinearView<'a>) -> Self {
        let reduced = Reduced::new(&view, solver.settings.singular_tolerance);
        let lcp = ScaledLcp::new(reduced.m.clone(), reduced.q.clone());
        let z: Vec<f64> = (0..view.len()).map(|i| view.project(i, 0.0)).collect();
        let residual = natural_residual(view, &z);
        let (stats, basis, certificate) = (Stats::default(), None, None);
        let best = Solution {
            z,
            status: Status::Solved,
            residual,
            stats,
            basis,
            certificate,
        };
        Self {
            settings: &solver.settings,
            tableau: &mut solver.tableau,
            view,
            reduced,
            lcp,
            best,
        }
    }

    fn solve(mut self, start: Start<'_>, observer: &mut dyn Observer) -> Solution {
        if !self.lcp.is_finite() {
            return self.finish(Status::Singular);
        }
        // 1. The guess, if there is one.
        if let Some(basis) = self.guess(start) {
            if let Some(status) = self.attempt(Begin::Basis(basis), observer) {
                return self.finish(status);
            }
            self.best.stats.restarts += 1;
        }
        // 2. Cold starts with one covering vector after the other, later from other bases in turn.
        let mut rng = SplitMix64::new(self.settings.seed);
        let mut failure = None;
        // Without a variable in the LCP there is but one path.
        let retries = self.settings.retries * usize::from(self.lcp.len() > 0);
        for number in 0..=retries {
            self.best.stats.restarts += usize::from(number > 0);
            let begin = self.beginning(number, &mut rng);
            if let Some(status) = self.attempt(begin, observer) {
                return self.finish(status);
            }
            failure = failure.or(Some(self.best.status));
        }
        // 3. Nothing solved it: is there a proof that nothing can?
        let is_asked = self.settings.searches_proof;
        let search = || certificate::search(&self.view, self.settings, observer);
        if let Some(y) = is_asked.then(search).flatten() {
            self.best.certificate = Some(Certificate::Farkas(y));
            return self.finish(Status::Infeasible);
        }
        self.finish(failure.unwrap_or(Status::Ray))
    }

    /// One path with all that follows from its end; `None` means that the next try is due, and that the reason is in
    /// `best.status`.
    fn attempt(&mut self, begin: Begin, observer: &mut dyn Observer) -> Option<Status> {
        let warm = matches!(begin, Begin::Basis(_));
        match begin {
            Begin::Basis(basis) => {
                self.best.stats.factorizations += 1;
                if self
                    .tableau
                    .start_warm(&self.lcp, &basis, self.settings)
                    .is_none()
                {
                    self.best.status = Status::Singular;
                    return None;
                }
            }
            Begin::Slack(covering) => self.tableau.start_cold(&self.lcp, &covering),
        }
        let end = path::follow(
            self.tableau,
            &self.lcp,
            self.settings,
            &mut self.best.stats,
            observer,
        );
        match end {
            End::Complementary => {
                let basis = self.z_basic();
                if self.accept(&basis) {
                    return Some(Status::Solved);
                }
                self.best.status = Status::Inaccurate;
                // The basis is wrong, but may be near: go on from it with numbers fresh from the data.
                if warm {
                    None
                } else {
                    self.attempt(Begin::Basis(basis), observer)
                }
            }
            End::Ray(column) => {
                self.keep_point();
                // A path may go on for rounding only when z₀ has already vanished.
                if self.best.residual <= self.settings.tolerance && self.accept(&self.z_basic()) {
                    return Some(Status::Solved);
                }
                self.best.status = Status::Ray;
                self.keep_ray(column)
            }
            End::Limit => {
                self.keep_point();
                Some(Status::IterationLimit)
            }
            End::Stopped => {
                self.keep_point();
                Some(Status::Stopped)
            }
            End::Lost => {
                self.best.status = Status::Inaccurate;
                None
            }
        }
    }

    /// Solves the basis from the original data; true if its answer is good. The tableau's own answer is the second
    /// choice: it survives redundant equations, whose basis is singular.
    fn accept(&mut self, basis: &[bool]) -> bool {
        let marks = self.reduced.marks(basis);
        self.best.stats.factorizations += 1;
        if let Some(z) = solve_basis(&self.view, &marks, self.settings.singular_tolerance) {
            self.keep(z, Some(&marks));
        }
        if self.best.residual > self.settings.tolerance {
            let z = self.point();
            self.keep(z, Some(&marks));
        }
        self.best.residual <= self.settings.tolerance
    }

    fn keep(&mut self, mut z: Vec<f64>, basis: Option<&Basis>) {
        z.iter_mut()
            .enumerate()
            .for_each(|(i, z)| *z = self.view.project(i, *z));
        let residual = natural_residual(self.view, &z);
        let first = self.best.basis.is_none() && basis.is_some();
        let good = residual <= self.best.residual.max(self.settings.tolerance);
        // The best point may be bad, but it is a point: an overflow is none.
        let finite = z.iter().all(|z| z.is_finite());
        if finite && (residual < self.best.residual || (first && good)) {
            (self.best.z, self.best.residual, self.best.basis) = (z, residual, basis.cloned());
        }
    }

    fn keep_point(&mut self) {
        let z = self.point();
        self.keep(z, None);
    }

    /// Remembers the first ray; the answer if it proves infeasibility.
    fn keep_ray(&mut self, column: usize) -> Option<Status> {
        let (x, w, z0) = certificate::ray(self.tableau, &self.lcp, column);
        let (z, w) = self.reduced.expand_ray(&x, &w);
        if let Some(y) = certificate::farkas(&self.view, &z, self.settings) {
            self.best.certificate = Some(Certificate::Farkas(y));
            return Some(Status::Infeasible);
        }
        let ray = Certificate::Ray { z, w, z0 };
        self.best.certificate.get_or_insert(ray);
        None
    }

    /// Indices of the LCP with z basic.
    fn z_basic(&self) -> Vec<bool> {
        let n = self.lcp.len();
        (0..n)
            .map(|i| matches!(self.tableau.place(n + i), Place::Row(_)))
            .collect()
    }

    /// z of the tableau, in the original problem.
    fn point(&self) -> Vec<f64> {
        let n = self.lcp.len();
        let y: Vec<f64> = (0..n)
            .map(|i| match self.tableau.place(n + i) {
                Place::Row(row) => self.tableau.value(row).max(0.0) * self.lcp.col[i],
                Place::Column(_) => 0.0,
            })
            .collect();
        self.reduced.expand(&y)
    }

    fn guess(&self, start: Start<'_>) -> Option<Vec<bool>> {
        match start {
            Start::Cold => None,
            Start::Basis(basis) => Some(self.reduced.basic(basis.marks())),
            Start::Point(z) => Some(self.reduced.basic(basis_of_point(&self.view, z).marks())),
        }
    }

    /// The start of try `number`: covering vectors of ones, of ones on the scaled rows, of |q|, then random ones, in
    /// turn with random bases. A problem with M ≥ 0 and zero diagonal, such as a game, ends on a ray from the slack
    /// basis whatever the covering vector is, but not from another basis.
    fn beginning(&self, number: usize, rng: &mut SplitMix64) -> Begin {
        let n = self.lcp.len();
        let mut covering = match number {
            0 => self.lcp.row.clone(),
            1 => vec![1.0; n],
            2 => {
                let mean = self.lcp.q.iter().map(|q| q.abs()).sum::<f64>() / n as f64;
                let floor = if mean > 0.0 { mean } else { 1.0 };
                self.lcp.q.iter().map(|q| q.abs() + floor).collect()
            }
            _ if number.is_multiple_of(2) => return Begin::Basis(self.small_basis(rng)),
            // Log-uniform over two decades.
            _ => (0..n)
                .map(|_| 10.0_f64.powf(2.0 * rng.uniform() - 1.0))
                .collect(),
        };
        // The column of z₀ is scaled as the others are.
        let largest = covering.iter().fold(0.0_f64, |m, d| m.max(*d));
        scale(&mut covering, (-largest.log2().round()).exp2());
        Begin::Slack(covering)
    }

    /// A nonsingular complementary basis with one or two z, at random.
    fn small_basis(&self, rng: &mut SplitMix64) -> Vec<bool> {
        let n = self.lcp.len();
        let m = |i: usize, j: usize| self.lcp.m[i * n + j];
        let mut basis = vec![false; n];
        let (i, offset) = (rng.below(n), rng.below(n));
        basis[i] = true;
        let regular = |j: &usize| {
            let determinant = m(i, i) * m(*j, *j) - m(i, *j) * m(*j, i);
            let size = (m(i, i) * m(*j, *j)).abs() + (m(i, *j) * m(*j, i)).abs();
            (*j == i && m(i, i) != 0.0) || determinant.abs() > self.settings.suspicious_pivot * size
        };
        if let Some(j) = (0..n).map(|k| (k + offset) % n).find(regular) {
            basis[j] = true;
        }
        basis
    }

    fn finish(mut self, status: Status) -> Solution {
        self.best.status = status;
        if status == Status::Solved {
            self.best.certificate = None;
        }
        self.best
    }
}
