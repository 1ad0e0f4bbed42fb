//! Points that run off to infinity on problems without a solution: F stays, while |M| |z| grows and hides it.

use signorini_complementarity::*;

use crate::random::Random;

/// Looser ones than 1e-5 accept a fault of a hundredth of the data.
const TOLERANCES: [f64; 3] = [1e-6, 1e-10, 1e-12];

fn solvers(tolerance: f64) -> Vec<(&'static str, Box<dyn Solver<LinearMcp>>)> {
    let exchanges = BlockPivotingSettings {
        tolerance,
        ..BlockPivotingSettings::default()
    };
    let interior = InteriorPointSettings {
        tolerance,
        ..InteriorPointSettings::default()
    };
    let lemke = LemkeSettings {
        tolerance,
        retries: 4,
        pivot_limit: 2000,
        ..LemkeSettings::default()
    };
    let sweeps = GaussSeidelSettings {
        tolerance,
        sweep_limit: 2000,
        ..GaussSeidelSettings::default()
    };
    let portfolio = PortfolioSettings {
        tolerance,
        ..PortfolioSettings::default()
    };
    vec![
        ("block-pivoting", Box::new(BlockPivoting::new(exchanges))),
        ("interior-point", Box::new(InteriorPoint::new(interior))),
        ("lemke", Box::new(Lemke::new(lemke))),
        ("gauss-seidel", Box::new(GaussSeidel::new(sweeps))),
        ("portfolio", Box::new(Portfolio::new(portfolio))),
    ]
}

/// No solver calls any of these solved, from nothing, from points far out or from any basis of two.
fn assert_never_solved(problem: &LinearMcp, away: &[f64], what: &str) {
    let n = problem.len();
    for tolerance in TOLERANCES {
        for (name, mut solver) in solvers(tolerance) {
            let mut check = |start: Start<'_>| {
                let status = solver.solve(problem, start).status;
                assert!(
                    !status.is_solved(),
                    "{what}, {name}, {tolerance:e}, {start:?}"
                );
            };
            check(Start::Cold);
            for exponent in [2, 5, 8, 10, 11, 13, 15, 17, 30] {
                let z: Vec<f64> = away.iter().map(|z| z * 10.0_f64.powi(exponent)).collect();
                check(Start::Point(&z));
            }
            for basic in [&[0, 1][..], &[0], &[1], &[]] {
                let mut marks = vec![BasisMark::AtLower; n];
                for &i in basic {
                    marks[i] = BasisMark::Basic;
                }
                check(Start::Basis(&Basis::new(marks)));
            }
        }
    }
}

fn lcp(rows: &[&[f64]], q: &[f64]) -> LinearMcp {
    Lcp::from_dense(rows, q.to_vec()).unwrap().into()
}

/// z₁ − z₂ ≥ 1 and z₂ − z₁ ≥ 1; a start (t, t) with t > 5e9 was called solved before the residual knew of it.
#[test]
fn two_that_push_each_other() {
    for s in [1e-6, 1.0, 1e6] {
        let problem = lcp(&[&[s, -s], &[-s, s]], &[-1.0, -1.0]);
        assert_never_solved(&problem, &[1.0 / s, 1.0 / s], "pair");
    }
}

/// A nearly singular block sends z to 1/δ, where a third row is wrong by 2 of 4/δ: block pivoting and Lemke's method
/// called that solved. Row 1 and z₁ > 0 give z₁ = z₂ + 1, row 3 wants z₁ ≥ z₂ + 3: there is no solution.
#[test]
fn a_steep_valley_with_a_wall() {
    for exponent in [9, 11, 12, 13, 14, 15] {
        let slope = 1.0 + 10.0_f64.powi(-exponent);
        let rows: [&[f64]; 3] = [&[1.0, -1.0, 0.0], &[-1.0, slope, 0.0], &[1.0, -1.0, 0.0]];
        let problem = lcp(&rows, &[-1.0, -1.0, -3.0]);
        assert_never_solved(&problem, &[1.0, 1.0, 0.0], "wall");
    }
}

/// Random semidefinite problems with a direction n ≥ 0, M n = 0, qᵀn < 0: infeasible.
#[test]
fn random_semidefinite_problems_without_a_solution() {
    for seed in 0..20 {
        let mut random = Random(seed);
        let n = 2 + random.below(6);
        // M = B Bᵀ with whole numbers, every row of Bᵀ orthogonal to n = 1.
        let columns: Vec<Vec<f64>> = (0..=random.below(n))
            .map(|_| {
                let mut b: Vec<f64> = (0..n).map(|_| random.below(9) as f64 - 4.0).collect();
                b[n - 1] -= b.iter().sum::<f64>();
                b
            })
            .collect();
        let entry = |i: usize, j: usize| columns.iter().map(|b| b[i] * b[j]).sum::<f64>();
        let rows: Vec<Vec<f64>> = (0..n)
            .map(|i| (0..n).map(|j| entry(i, j)).collect())
            .collect();
        let mut q: Vec<f64> = (0..n).map(|_| random.uniform() - 0.5).collect();
        q[n - 1] -= q.iter().sum::<f64>() + 0.1;
        let rows: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
        let problem = lcp(&rows, &q);
        assert_never_solved(&problem, &vec![1.0; n], &format!("seed {seed}"));
        let answer = solve(&problem);
        assert_eq!(answer.solution.status, Status::Infeasible, "seed {seed}");
    }
}

/// The interior-point method stopped by its limit on the way to infinity.
#[test]
fn an_interrupted_flight_is_no_arrival() {
    let problem = lcp(&[&[1.0, -1.0], &[-1.0, 1.0]], &[-1.0, -1.0]);
    for iteration_limit in 0..60 {
        for tolerance in TOLERANCES {
            let settings = InteriorPointSettings {
                tolerance,
                iteration_limit,
                ..InteriorPointSettings::default()
            };
            let solution = InteriorPoint::new(settings).solve(&problem, Start::Cold);
            assert!(
                !solution.status.is_solved(),
                "{iteration_limit} {tolerance:e}"
            );
        }
    }
}
