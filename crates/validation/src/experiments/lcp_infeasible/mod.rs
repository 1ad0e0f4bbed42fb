//! Problems without a solution, whose proofs are tested, and games of two players, whose equilibria are.
//!
//! ```math
//! y \ge 0, \quad M^T y \le 0, \quad q^T y < 0 \qquad\text{excludes}\qquad z \ge 0, \quad M z + q \ge 0
//! ```
//!
//! In a game with costs A, B > 0 the mixtures x and y are an equilibrium if no pure choice costs less:
//! xᵀ A y ≤ (A y)_i and xᵀ B y ≤ (Bᵀ x)_j.
//!
//! # References
//! - \[CPS1992\] R. W. Cottle, J.-S. Pang, R. E. Stone, The Linear Complementarity Problem, 1992, sections 1.2 and 4.4.

use std::error::Error;

use rayon::prelude::*;
use signorini_benches::families::{Family, Rng, sizes};
use signorini_complementarity::{Lcp, ProblemError, solve};

use super::lcp_common::{Expected, Finding, Original, source, worse};
use crate::experiment::{Effort, Experiment, Progress, Source};
use crate::report::Report;

/// Of the solvers.
const TOLERANCE: f64 = 1e-10;

/// Most that a pure choice may gain, as a part of the largest cost: the residual of the solver, with room for the
/// normalisation.
const REGRET: f64 = 1e-9;

/// Problems without a solution, and games.
#[derive(Debug, Clone, Copy)]
pub struct LcpInfeasible;

impl Experiment for LcpInfeasible {
    fn id(&self) -> &'static str {
        "lcp-infeasible"
    }

    fn source(&self) -> Source {
        source("sections 1.2 and 4.4")
    }

    fn title(&self) -> &'static str {
        "Proofs that there is no solution, and games of two players"
    }

    fn run(
        &self,
        effort: Effort,
        progress: &dyn Progress,
    ) -> Result<Report, Box<dyn Error + Send + Sync>> {
        let (count, largest) = match effort {
            Effort::Quick => (30, 100),
            Effort::Normal | Effort::Full => (300, 300),
        };
        // The second family begins at n = 6.
        let sizes: Vec<_> = sizes(1000, 7)
            .into_iter()
            .filter(|n| (6..=largest).contains(n))
            .take(count)
            .collect();
        let mut report = Report::default();
        let families = [Family::InfeasiblePsd, Family::InfeasibleCopositivePlus];
        for (number, family) in families.into_iter().enumerate() {
            progress.progress(number, 3, &family.name());
            unsolvable(&mut report, family, &sizes);
        }
        progress.progress(2, 3, "games");
        games(&mut report, 4 * count)?;
        report.remarks = vec![format!(
            "{count} problems per family without a solution, up to n = {largest}; {} games.",
            4 * count
        )];
        progress.progress(3, 3, "done");
        Ok(report)
    }
}

fn unsolvable(report: &mut Report, family: Family, sizes: &[usize]) {
    let judged: Vec<_> = sizes
        .par_iter()
        .enumerate()
        .map(|(index, &n)| {
            let seed = index as u64 + 1;
            let lcp = family.problem(n, seed).lcp;
            let solution = solve(&lcp).solution;
            let judgement = Original::from(&lcp).judge(&solution, TOLERANCE, Expected::None);
            (n, seed, judgement.finding, solution.status)
        })
        .collect();
    let list = |finding: &dyn Fn(Finding) -> bool| {
        let found: Vec<_> = judged
            .iter()
            .filter(|(.., f, _)| finding(*f))
            .map(|(n, seed, _, status)| format!("n = {n}, seed {seed}: {status:?}"))
            .collect();
        (found.len(), found.join("; "))
    };
    let name = family.name();
    let (count, text) = list(&|f| f != Finding::Proved);
    report
        .measure(&format!("{name}: not proved"), count)
        .note(text);
    let (count, text) = list(&|f| f == Finding::Wrong);
    report
        .measure(&format!("{name}: wrong answers"), count)
        .note(text);
}

/// The four kinds of games in turn.
#[derive(Debug, Clone, Copy)]
enum Kind {
    /// Costs of both players uniform in (0, 1].
    General,
    /// B = 2 − A: what one loses the other one wins.
    ZeroSum,
    /// Both pay less if they choose alike; many equilibria.
    Coordination,
    /// Costs 1, 2 or 3: ties everywhere.
    Integer,
}

struct Game {
    name: String,
    a: Vec<Vec<f64>>,
    b: Vec<Vec<f64>>,
}

impl Game {
    fn of(index: usize) -> Self {
        let seed = index as u64 + 1;
        let mut rng = Rng::new(seed);
        let kinds = [
            Kind::General,
            Kind::ZeroSum,
            Kind::Coordination,
            Kind::Integer,
        ];
        let kind = kinds[index % kinds.len()];
        let (rows, columns) = match kind {
            Kind::Coordination => {
                let size = rng.size(2, 30);
                (size, size)
            }
            _ => (rng.size(2, 40), rng.size(2, 40)),
        };
        let mut costs = |other: Option<&Vec<Vec<f64>>>| -> Vec<Vec<f64>> {
            let mut cost = |i: usize, j: usize| match (kind, other) {
                (Kind::ZeroSum, Some(other)) => 2.0 - other[i][j],
                (Kind::General | Kind::ZeroSum, _) => 1.0 - rng.unit(),
                (Kind::Coordination, _) if i == j => 0.5 + 0.25 * rng.unit(),
                (Kind::Coordination, _) => 1.0,
                (Kind::Integer, _) => rng.size(1, 3) as f64,
            };
            (0..rows)
                .map(|i| (0..columns).map(|j| cost(i, j)).collect())
                .collect()
        };
        let a = costs(None);
        let b = costs(Some(&a));
        Self {
            name: format!("{kind:?} game of {rows} by {columns}, seed {seed}"),
            a,
            b,
        }
    }

    /// 0 ≤ x ⟂ A y − 1 ≥ 0, 0 ≤ y ⟂ Bᵀ x − 1 ≥ 0.
    fn problem(&self) -> Result<Lcp, ProblemError> {
        let (rows, columns) = (self.a.len(), self.a[0].len());
        let n = rows + columns;
        let mut m = vec![vec![0.0; n]; n];
        for (i, (a, b)) in self.a.iter().zip(&self.b).enumerate() {
            m[i][rows..].copy_from_slice(a);
            for (j, &b) in b.iter().enumerate() {
                m[rows + j][i] = b;
            }
        }
        Lcp::from_dense(&m, vec![-1.0; n])
    }

    /// The most that a player gains by another choice, as a part of the largest cost; infinite if z is no mixture.
    fn regret(&self, z: &[f64]) -> f64 {
        let (x, y) = z.split_at(self.a.len());
        let sums = [x, y].map(|part| part.iter().sum::<f64>());
        let mixture = z.iter().all(|z| *z >= 0.0) && sums.iter().all(|s| *s > 0.0);
        if !mixture {
            return f64::INFINITY;
        }
        let (x, y): (Vec<_>, Vec<_>) = (
            x.iter().map(|x| x / sums[0]).collect(),
            y.iter().map(|y| y / sums[1]).collect(),
        );
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let first: Vec<_> = self.a.iter().map(|row| dot(row, &y)).collect();
        let column = |j: usize| self.b.iter().map(|row| row[j]).collect::<Vec<_>>();
        let second: Vec<_> = (0..y.len()).map(|j| dot(&column(j), &x)).collect();
        let gain = |costs: &[f64], mixture: &[f64]| {
            let least = costs.iter().copied().fold(f64::INFINITY, f64::min);
            dot(costs, mixture) - least
        };
        let largest = self
            .a
            .iter()
            .chain(&self.b)
            .flatten()
            .fold(0.0, |m, c| worse(m, *c));
        worse(gain(&first, &x), gain(&second, &y)) / largest
    }
}

fn games(report: &mut Report, count: usize) -> Result<(), ProblemError> {
    let regrets = (0..count)
        .into_par_iter()
        .map(|index| {
            let game = Game::of(index);
            let lcp = game.problem()?;
            let solution = solve(&lcp).solution;
            let finding = Original::from(&lcp)
                .judge(&solution, TOLERANCE, Expected::Solution)
                .finding;
            Ok((game.name.clone(), finding, game.regret(&solution.z)))
        })
        .collect::<Result<Vec<_>, ProblemError>>()?;
    let failed: Vec<_> = regrets
        .iter()
        .filter(|(_, finding, _)| *finding != Finding::Solved)
        .map(|(name, finding, _)| format!("{name}: {finding:?}"))
        .collect();
    report
        .measure("games without an answer", failed.len())
        .note(failed.join("; "));
    let solved = regrets.iter().filter(|(_, f, _)| *f == Finding::Solved);
    let worst = solved.map(|(.., regret)| *regret).fold(0.0, worse);
    report
        .measure("every answer of a game is an equilibrium", worst <= REGRET)
        .note(format!(
            "another choice gains at most {worst:.1e} of the largest cost"
        ));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_equilibrium_leaves_nothing_to_gain() {
        // Costs 3 − A, 3 − B of matching pennies: both mix half and half.
        let game = Game {
            name: String::new(),
            a: vec![vec![2.0, 4.0], vec![4.0, 2.0]],
            b: vec![vec![4.0, 2.0], vec![2.0, 4.0]],
        };
        assert!(game.regret(&[0.5, 0.5, 2.0, 2.0]) < 1e-15);
        // Both choose the first: the second player gains 2 of 4.
        assert!((game.regret(&[1.0, 0.0, 1.0, 0.0]) - 0.5).abs() < 1e-15);
        assert_eq!(
            game.regret(&[-1.0, 2.0, 1.0, 0.0]).to_bits(),
            f64::INFINITY.to_bits()
        );
        assert_eq!(game.regret(&[0.0; 4]).to_bits(), f64::INFINITY.to_bits());
    }
}
