//! Which solver when: a portfolio by fixed rules on counts and data, never on time.
//!
//! # Method
//! 1. [`BlockPivoting`], if every variable with a bound has M_ii > 0: P-matrices have it, friction pyramids and games
//!    have not. Few exchanges only; it takes a handful of factorisations, or this is not its problem.
//! 2. [`Lemke`], from the given start. It decides all monotone problems, and the friction problems of this crate.
//! 3. [`InteriorPoint`], if M can be monotone: M_ii ≥ 0, and |M_ij + M_ji| ≤ 2 √(M_ii M_jj) for all entries. For large
//!    problems it comes before Lemke's method, which takes about n pivots of n² each.
//! 4. [`GaussSeidel`], if every variable with a bound has M_ii > 0.
//!
//! Nonlinear problems have a sequence of their own: [`Path`](crate::Path), then
//! [`SemismoothNewton`](crate::SemismoothNewton) with its three functions, then `Path` from three other starts.
//!
//! The dense methods 1 and 3 are left out above a size. The first answer that is a solution, or a proof that there is
//! none, ends it. Otherwise the answer with the smallest residual is returned, with the status of its solver.
//!
//! # Guarantees and limits
//! The same input gives the same bits on every run. A failed first method costs its limit of exchanges.
//!
//! # References
//! - \[CPS1992\] R. W. Cottle, J.-S. Pang, R. E. Stone, The Linear Complementarity Problem, 1992, chapter 3.

mod nonlinear;

pub use nonlinear::solve_mcp;

use sprs::vec::{NnzEither, SparseIterTools};

use crate::residual::LinearView;
use crate::{
    BlockPivoting, BlockPivotingSettings, GaussSeidel, GaussSeidelSettings, InteriorPoint,
    InteriorPointSettings, Lemke, LemkeSettings, Observer, Path, SemismoothNewton, Solution,
    Solver, Start, Status,
};

/// A method of the portfolio.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Method {
    /// [`BlockPivoting`].
    BlockPivoting,
    /// [`Lemke`].
    Lemke,
    /// [`InteriorPoint`].
    InteriorPoint,
    /// [`GaussSeidel`].
    GaussSeidel,
    /// [`Path`](crate::Path), for nonlinear problems.
    Path,
    /// [`SemismoothNewton`](crate::SemismoothNewton), for nonlinear problems.
    SemismoothNewton,
}

/// The answer of the portfolio: a solution, who found it, and who was asked.
///
/// Example: see [`solve`].
#[must_use = "a solve can fail: look at `solution.status`"]
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Answer {
    /// The solution, or the best point of all methods if its status is not [`Status::Solved`].
    pub solution: Solution,
    /// Whose answer it is.
    pub method: Method,
    /// The methods that were asked, in their order, with what each said.
    pub tried: Vec<(Method, Status)>,
}

/// Settings of [`Portfolio`].
///
/// # Examples
/// ```
/// use signorini_complementarity::PortfolioSettings;
/// let settings = PortfolioSettings { tolerance: 1e-12, ..PortfolioSettings::default() };
/// assert_eq!(settings.exchanges, 15);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PortfolioSettings {
    /// Solved if the natural residual is ≤ this, for all methods. Default 1e-10.
    pub tolerance: f64,
    /// Most exchanges of block pivoting. Default 15: P-matrices of a thousand rows take six to nine, and where it cycles
    /// each exchange is a factorisation lost.
    pub exchanges: usize,
    /// From this number of variables on the interior-point method comes before Lemke's. Default 300.
    pub interior_point_first: usize,
    /// Up to this number of variables the dense methods are used. Default 5000, 200 MB for the matrix.
    pub dense_limit: usize,
}

impl Default for PortfolioSettings {
    fn default() -> Self {
        Self {
            tolerance: 1e-10,
            exchanges: 15,
            interior_point_first: 300,
            dense_limit: 5000,
        }
    }
}

/// The portfolio: settings and the workspaces of its methods.
///
/// As a [`Solver`] it forgets who answered; [`Portfolio::answer`] tells. All kinds of [`Start`] are passed on to every
/// method. [`Stats`](crate::Stats) are the sums over the methods that were asked.
///
/// # Examples
/// ```
/// use signorini_complementarity::{Lcp, Method, Portfolio, Start};
/// let mut portfolio = Portfolio::default();
/// let lcp = Lcp::from_dense(&[[2.0, 1.0], [1.0, 2.0]], vec![-5.0, -6.0])?;
/// let answer = portfolio.answer(&lcp, Start::Cold, &mut ());
/// assert_eq!(answer.method, Method::BlockPivoting);
/// # Ok::<(), signorini_complementarity::ProblemError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Portfolio {
    /// Settings; may be changed between solves.
    pub settings: PortfolioSettings,
    block_pivoting: BlockPivoting,
    lemke: Lemke,
    interior_point: InteriorPoint,
    gauss_seidel: GaussSeidel,
    path: Path,
    semismooth: SemismoothNewton,
}

/// Solves a linear problem with the portfolio's default settings.
///
/// # Examples
/// ```
/// use signorini_complementarity::{Lcp, Method, Status, solve};
/// // A zero diagonal: not for block pivoting, and Lemke proves that nothing solves it.
/// let lcp = Lcp::from_dense(&[[0.0, 1.0], [-1.0, 0.0]], vec![-1.0, -1.0])?;
/// let answer = solve(&lcp);
/// assert_eq!(answer.solution.status, Status::Infeasible);
/// assert_eq!(answer.tried, [(Method::Lemke, Status::Infeasible)]);
/// # Ok::<(), signorini_complementarity::ProblemError>(())
/// ```
pub fn solve<P>(problem: &P) -> Answer
where
    for<'a> LinearView<'a>: From<&'a P>,
    BlockPivoting: Solver<P>,
    Lemke: Solver<P>,
    InteriorPoint: Solver<P>,
    GaussSeidel: Solver<P>,
{
    Portfolio::default().answer(problem, Start::Cold, &mut ())
}

impl Portfolio {
    /// The portfolio with these settings.
    pub fn new(settings: PortfolioSettings) -> Self {
        Self {
            settings,
            ..Self::default()
        }
    }

    /// Solves `problem` from `start` and tells who answered.
    ///
    /// # Panics
    /// If `start` does not fit the problem.
    pub fn answer<P>(
        &mut self,
        problem: &P,
        start: Start<'_>,
        observer: &mut dyn Observer,
    ) -> Answer
    where
        for<'a> LinearView<'a>: From<&'a P>,
        BlockPivoting: Solver<P>,
        Lemke: Solver<P>,
        InteriorPoint: Solver<P>,
        GaussSeidel: Solver<P>,
    {
        self.hand_down_settings();
        let (view, settings) = (LinearView::from(problem), self.settings.clone());
        let mut answer: Option<Answer> = None;
        for method in order(&view, &settings) {
            let solution = match method {
                Method::BlockPivoting => {
                    self.block_pivoting.solve_observed(problem, start, observer)
                }
                Method::Lemke => self.lemke.solve_observed(problem, start, observer),
                Method::InteriorPoint => {
                    self.interior_point.solve_observed(problem, start, observer)
                }
                Method::GaussSeidel => self.gauss_seidel.solve_observed(problem, start, observer),
                Method::Path | Method::SemismoothNewton => {
                    unreachable!("methods for nonlinear problems are not in the order")
                }
            };
            let all = merge(answer, method, solution);
            let last = all.tried.last().map(|(_, status)| *status);
            if let Some(Status::Solved | Status::Infeasible | Status::Stopped) = last {
                return all;
            }
            answer = Some(all);
        }
        answer.expect("Lemke's method is always asked")
    }

    fn hand_down_settings(&mut self) {
        let tolerance = self.settings.tolerance;
        self.block_pivoting.settings = BlockPivotingSettings {
            tolerance,
            iteration_limit: self.settings.exchanges,
            ..BlockPivotingSettings::default()
        };
        self.lemke.settings = LemkeSettings {
            tolerance,
            ..LemkeSettings::default()
        };
        self.interior_point.settings = InteriorPointSettings {
            tolerance,
            ..InteriorPointSettings::default()
        };
        self.gauss_seidel.settings = GaussSeidelSettings {
            tolerance,
            ..GaussSeidelSettings::default()
        };
    }
}

impl<P> Solver<P> for Portfolio
where
    for<'a> LinearView<'a>: From<&'a P>,
    BlockPivoting: Solver<P>,
    Lemke: Solver<P>,
    InteriorPoint: Solver<P>,
    GaussSeidel: Solver<P>,
{
    fn solve_observed(
        &mut self,
        problem: &P,
        start: Start<'_>,
        observer: &mut dyn Observer,
    ) -> Solution {
        self.answer(problem, start, observer).solution
    }
}

/// The methods to ask, in this order. Whether M can be monotone is found out when the interior-point method is next.
fn order<'a>(
    view: &'a LinearView<'a>,
    settings: &PortfolioSettings,
) -> impl Iterator<Item = Method> + use<'a> {
    let n = view.len();
    let diagonal: Vec<f64> = (0..n)
        .map(|i| view.m.get(i, i).copied().unwrap_or(0.0))
        .collect();
    let solvable_rows = (0..n).all(|i| match view.interval(i) {
        (f64::NEG_INFINITY, f64::INFINITY) => true,
        (l, u) => l >= u || diagonal[i] > 0.0,
    });
    let dense = n <= settings.dense_limit;
    let interior_first = n >= settings.interior_point_first;
    [
        (Method::BlockPivoting, dense && solvable_rows),
        (Method::InteriorPoint, dense && interior_first),
        (Method::Lemke, true),
        (Method::InteriorPoint, dense && !interior_first),
        (Method::GaussSeidel, solvable_rows),
    ]
    .into_iter()
    .filter_map(|(method, asked)| asked.then_some(method))
    .filter(move |method| *method != Method::InteriorPoint || can_be_monotone(view, &diagonal))
}

/// Whether M passes what every positive semidefinite matrix passes: M_ii ≥ 0, |M_ij + M_ji| ≤ 2 √(M_ii M_jj).
fn can_be_monotone(view: &LinearView<'_>, diagonal: &[f64]) -> bool {
    // Products of rounded factors: a Gram matrix misses the inequality by a few roundings.
    const ROUNDING: f64 = 1e-12;
    let fits = |i: usize, j: usize, m: f64, other: f64| {
        let bound = 2.0 * (diagonal[i] * diagonal[j]).sqrt();
        (m + other).abs() <= bound + ROUNDING * (m.abs() + other.abs())
    };
    // Column j beside row j, both sorted.
    let transposed = view.m.transpose_view().to_csc();
    let columns = view.m.outer_iterator().zip(transposed.outer_iterator());
    diagonal.iter().all(|d| *d >= 0.0)
        && columns.enumerate().all(|(j, (column, row))| {
            column.iter().nnz_or_zip(row.iter()).all(|pair| match pair {
                NnzEither::Both((i, &m, &other)) => fits(i, j, m, other),
                NnzEither::Left((i, &m)) | NnzEither::Right((i, &m)) => fits(i, j, m, 0.0),
            })
        })
}

/// The answer after one more method: the last one if it ended the search, else the one with the smaller residual.
fn merge(before: Option<Answer>, method: Method, solution: Solution) -> Answer {
    let status = solution.status;
    let Some(mut answer) = before else {
        return Answer {
            solution,
            method,
            tried: vec![(method, status)],
        };
    };
    answer.tried.push((method, status));
    let mut stats = answer.solution.stats;
    stats += solution.stats;
    let certificate = solution.certificate.is_some() && answer.solution.certificate.is_none();
    let ends = matches!(
        status,
        Status::Solved | Status::Infeasible | Status::Stopped
    );
    if ends || certificate || solution.residual < answer.solution.residual {
        (answer.solution, answer.method) = (solution, method);
    }
    answer.solution.stats = stats;
    answer
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Lcp, Stats, natural_residual};

    fn methods(m: &[[f64; 2]], first: usize) -> Vec<Method> {
        let lcp = Lcp::from_dense(m, vec![-1.0; 2]).unwrap();
        let settings = PortfolioSettings {
            interior_point_first: first,
            ..PortfolioSettings::default()
        };
        order(&(&lcp).into(), &settings).collect()
    }

    #[test]
    fn data_decide_the_order() {
        use Method::{BlockPivoting, GaussSeidel, InteriorPoint, Lemke};
        let monotone = [[1.0, 3.0], [-1.0, 1.0]];
        let all = [BlockPivoting, Lemke, InteriorPoint, GaussSeidel];
        assert_eq!(methods(&monotone, 3), all);
        let all = [BlockPivoting, InteriorPoint, Lemke, GaussSeidel];
        assert_eq!(methods(&monotone, 2), all);
        // A P-matrix that is not monotone, a skew one, a game.
        let all = [BlockPivoting, Lemke, GaussSeidel];
        assert_eq!(methods(&[[1.0, 9.0], [0.0, 1.0]], 3), all);
        assert_eq!(
            methods(&[[0.0, 1.0], [-1.0, 0.0]], 3),
            [Lemke, InteriorPoint]
        );
        assert_eq!(methods(&[[0.0, 1.0], [2.0, 0.0]], 3), [Lemke]);
    }

    #[test]
    fn the_better_failure_is_kept() {
        let lcp = Lcp::from_dense(&[[1.0]], vec![-1.0]).unwrap();
        let failed = |z: f64, status| Solution {
            residual: natural_residual(&lcp, &[z]),
            z: vec![z],
            status,
            stats: Stats {
                iterations: 2,
                ..Stats::default()
            },
            basis: None,
            certificate: None,
        };
        let first = merge(None, Method::Lemke, failed(0.9, Status::Ray));
        let both = merge(
            Some(first),
            Method::GaussSeidel,
            failed(0.0, Status::Singular),
        );
        assert_eq!(
            (both.method, both.solution.status),
            (Method::Lemke, Status::Ray)
        );
        assert_eq!(
            (both.solution.z[0], both.solution.stats.iterations),
            (0.9, 4)
        );
        assert_eq!(both.tried[1], (Method::GaussSeidel, Status::Singular));
    }
}
