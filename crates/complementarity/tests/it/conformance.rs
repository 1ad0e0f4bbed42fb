//! One suite over all solvers: known answers, of the collection and of the cases, degenerate and unsolvable
//! problems, sizes 0 and 1, truth of the status.

use signorini_complementarity::collection::{self, Known};
use signorini_complementarity::*;

use crate::fixture;

/// A solver under test, with what may be asked of it.
pub(crate) struct Candidate {
    pub(crate) name: &'static str,
    pub(crate) solver: Box<dyn Both>,
    /// Relative error of z that its stopping rule allows on well-conditioned problems.
    accuracy: f64,
    /// Residual at which it calls a problem solved.
    tolerance: f64,
    /// Problems that its theory does not cover, by the first part of their names: they need not be solved.
    exempt: &'static [&'static str],
}

impl Candidate {
    pub(crate) fn is_exempt(&self, problem: &str) -> bool {
        self.exempt.iter().any(|e| problem.starts_with(e))
    }
}

pub(crate) trait Both: Solver<Lcp> + Solver<LinearMcp> {}
impl<T: Solver<Lcp> + Solver<LinearMcp>> Both for T {}

pub(crate) fn candidates() -> Vec<Candidate> {
    let tight = GaussSeidelSettings {
        tolerance: 1e-12,
        check_interval: 1,
        ..GaussSeidelSettings::default()
    };
    vec![
        // Rounding times the condition of the collection's matrices.
        Candidate {
            name: "lemke",
            solver: Box::new(Lemke::default()),
            accuracy: 1e-11,
            tolerance: LemkeSettings::default().tolerance,
            exempt: &[],
        },
        // Tolerance times condition. Exempt: not symmetric, of condition 1e6 and more, with zeros on the diagonal, or
        // with a mass ratio that takes more sweeps than the limit.
        Candidate {
            name: "gauss-seidel",
            accuracy: 1e-9,
            tolerance: tight.tolerance,
            solver: Box::new(GaussSeidel::new(tight)),
            exempt: &[
                "murty",
                "cycling",
                "fathi",
                "planted-skew",
                "lcp-cycling-three",
                "lcp-ray-although-solvable",
                "lcp-scaling",
                "lcp-parametric-switch",
                "lcp-particle",
                "lcp-heavy-on-light-1000",
            ],
        },
        // Rounding times the condition. Exempt: no P-matrices, with zeros on the diagonal.
        Candidate {
            name: "block-pivoting",
            solver: Box::new(BlockPivoting::default()),
            accuracy: 1e-11,
            tolerance: BlockPivotingSettings::default().tolerance,
            exempt: &[
                "lcp-ray-although-solvable",
                "lcp-scaling",
                "lcp-parametric-switch",
                "lcp-particle",
            ],
        },
        // As block pivoting, through the crossover. Exempt: not monotone (a game, friction, rows in other units).
        Candidate {
            name: "interior-point",
            solver: Box::new(InteriorPoint::default()),
            accuracy: 1e-11,
            tolerance: InteriorPointSettings::default().tolerance,
            exempt: &["lcp-ray-although-solvable", "lcp-scaling", "lcp-particle"],
        },
        Candidate {
            name: "portfolio",
            solver: Box::new(Portfolio::default()),
            accuracy: 1e-11,
            tolerance: PortfolioSettings::default().tolerance,
            exempt: &[],
        },
    ]
}

pub(crate) fn solve_lcp(candidate: &mut Candidate, lcp: &Lcp, start: Start<'_>) -> Solution {
    let solution = Solver::<Lcp>::solve(candidate.solver.as_mut(), lcp, start);
    check_truth(candidate, lcp, &solution);
    solution
}

/// What every answer owes, solved or not.
fn check_truth<'a>(candidate: &Candidate, problem: impl Into<LinearView<'a>>, solution: &Solution) {
    let name = candidate.name;
    assert!(
        solution.z.iter().all(|z| z.is_finite()),
        "{name}: z is finite whatever the status"
    );
    let residual = natural_residual(problem, &solution.z);
    assert_eq!(
        residual.to_bits(),
        solution.residual.to_bits(),
        "{name}: residual is that of z"
    );
    if solution.status.is_solved() {
        assert!(
            residual <= candidate.tolerance,
            "{name}: solved with residual {residual:e}"
        );
    }
}

/// Largest error of an entry of a, relative to the largest of b; absolute if b = 0.
fn distance(a: &[f64], b: &[f64]) -> f64 {
    let error = a
        .iter()
        .zip(b)
        .fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
    let size = b.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    if size > 0.0 { error / size } else { error }
}

#[test]
fn known_answers_are_found() {
    for known in collection::all().into_iter().chain(fixture::known()) {
        // A few roundings of M z + q.
        let residual = natural_residual(&known.lcp, &known.z);
        assert!(residual <= 1e-14, "{}: {residual:e}", known.name);
        for mut candidate in candidates() {
            let solution = solve_lcp(&mut candidate, &known.lcp, Start::Cold);
            // Exempt from solving, but not from the truth, which has just been checked.
            if candidate.is_exempt(&known.name) {
                continue;
            }
            let who = format!("{} on {}", candidate.name, known.name);
            assert_eq!(solution.status, Status::Solved, "{who}: {solution:?}");
            if known.unique {
                let error = distance(&solution.z, &known.z);
                assert!(error <= candidate.accuracy, "{who}: {error:e}");
            }
        }
    }
}

#[test]
fn lcp_and_mixed_form_give_the_same_bits() {
    for known in [
        collection::planted_spd(6, 2, 3),
        collection::psd_singular(5),
    ] {
        for mut candidate in candidates() {
            let mcp = LinearMcp::from(known.lcp.clone());
            let a = solve_lcp(&mut candidate, &known.lcp, Start::Cold);
            let b = Solver::<LinearMcp>::solve(candidate.solver.as_mut(), &mcp, Start::Cold);
            assert_eq!(a, b, "{}", candidate.name);
        }
    }
}

#[test]
fn known_answers_with_bounds_are_found() {
    let sizes = [(1, 1), (2, 2), (3, 3), (7, 4), (14, 5), (30, 6)];
    let matrices = sizes.iter().flat_map(|&(n, seed)| {
        [collection::planted_skew, collection::planted_spd].map(|plant| (plant(n, 0, seed), seed))
    });
    for (matrix, seed) in matrices {
        let n = matrix.lcp.len();
        let (mcp, z) = collection::planted_bounds(&matrix, seed);
        for mut candidate in candidates() {
            if candidate.is_exempt(&matrix.name) {
                continue;
            }
            let solution = Solver::<LinearMcp>::solve(candidate.solver.as_mut(), &mcp, Start::Cold);
            check_truth(&candidate, &mcp, &solution);
            assert_eq!(
                solution.status,
                Status::Solved,
                "{} n = {n}: {solution:?}",
                candidate.name
            );
            let error = distance(&solution.z, &z);
            assert!(
                error <= candidate.accuracy,
                "{} n = {n}: {error:e}",
                candidate.name
            );
        }
    }
}

#[test]
fn starting_at_the_answer_costs_nothing() {
    let Known { lcp, z, .. } = collection::planted_spd(12, 0, 5);
    for mut candidate in candidates() {
        let first = solve_lcp(&mut candidate, &lcp, Start::Point(&z));
        assert_eq!(
            (first.status, first.stats.iterations),
            (Status::Solved, 0),
            "{}",
            candidate.name
        );
        if let Some(basis) = &first.basis {
            let second = solve_lcp(&mut candidate, &lcp, Start::Basis(basis));
            assert_eq!(
                (second.status, second.stats.iterations),
                (Status::Solved, 0),
                "{}",
                candidate.name
            );
        }
    }
}

#[test]
fn nonnegative_q_and_no_variables_need_no_iteration() {
    let empty = Lcp::from_dense::<[f64; 0]>(&[], vec![]).unwrap();
    let trivial = Lcp::from_dense(&[[1.0, 5.0], [-5.0, 2.0]], vec![0.0, 3.0]).unwrap();
    for mut candidate in candidates() {
        for (lcp, z) in [(&empty, vec![]), (&trivial, vec![0.0; 2])] {
            let solution = solve_lcp(&mut candidate, lcp, Start::Cold);
            assert_eq!(
                (solution.status, solution.stats.iterations),
                (Status::Solved, 0),
                "{}",
                candidate.name
            );
            assert_eq!(solution.z, z);
        }
    }
}

#[test]
fn unsolvable_problems_are_never_solved() {
    let problems = [
        Lcp::from_dense(&[[0.0, 1.0], [-1.0, 0.0]], vec![-1.0, -1.0]),
        Lcp::from_dense(&[[-1.0]], vec![-1.0]),
        Lcp::from_dense(&[[0.0]], vec![-1.0]),
        Lcp::from_dense(&[[1.0, -1.0], [-1.0, 1.0]], vec![-1.0, 0.5]),
    ];
    let infeasible = ["lcp-infeasible-certificate", "lcp-one-variable"].map(fixture::case);
    let of_cases = infeasible
        .iter()
        .flat_map(fixture::instances)
        .filter(|(_, _, expect)| expect["status"] == "infeasible")
        .map(|(_, instance, _)| fixture::lcp(instance));
    for lcp in problems.map(Result::unwrap).into_iter().chain(of_cases) {
        for mut candidate in candidates() {
            let solution = solve_lcp(&mut candidate, &lcp, Start::Cold);
            assert!(
                !solution.status.is_solved(),
                "{}: {solution:?}",
                candidate.name
            );
        }
    }
}

#[test]
fn observers_can_stop() {
    let known = collection::z_obstacle(20, 3);
    for mut candidate in candidates() {
        let mut count = 0;
        let mut observer = |_: &Iterate<'_>| {
            count += 1;
            if count == 2 {
                std::ops::ControlFlow::Break(())
            } else {
                std::ops::ControlFlow::Continue(())
            }
        };
        let solver = candidate.solver.as_mut();
        let solution =
            Solver::<Lcp>::solve_observed(solver, &known.lcp, Start::Cold, &mut observer);
        assert_eq!(solution.status, Status::Stopped, "{}", candidate.name);
        check_truth(&candidate, &known.lcp, &solution);
    }
}

#[test]
fn same_input_gives_the_same_bits() {
    let known = collection::planted_spd(20, 10, 9);
    for (mut one, mut two) in candidates().into_iter().zip(candidates()) {
        let first = solve_lcp(&mut one, &known.lcp, Start::Cold);
        // The second solver has worked on something else before.
        let _ = solve_lcp(&mut two, &collection::murty(9).lcp, Start::Cold);
        assert_eq!(
            first,
            solve_lcp(&mut two, &known.lcp, Start::Cold),
            "{}",
            one.name
        );
    }
}

/// Dense rows of M.
pub(crate) fn rows(lcp: &Lcp) -> Vec<Vec<f64>> {
    let mut rows = vec![vec![0.0; lcp.len()]; lcp.len()];
    for (&m, (i, j)) in lcp.m() {
        rows[i][j] = m;
    }
    rows
}

#[test]
fn order_of_the_variables_does_not_matter() {
    for (n, degenerate, seed) in [(6, 0, 1), (17, 6, 2), (40, 40, 3)] {
        for known in [
            collection::planted_spd(n, degenerate, seed),
            collection::planted_skew(n, degenerate, seed),
        ] {
            let at = |i: usize| (n - 1 - i + 5) % n;
            let m = rows(&known.lcp);
            let permuted: Vec<Vec<f64>> = (0..n)
                .map(|i| (0..n).map(|j| m[at(i)][at(j)]).collect())
                .collect();
            let q = (0..n).map(|i| known.lcp.q()[at(i)]).collect();
            let lcp = Lcp::from_dense(&permuted, q).unwrap();
            let z: Vec<f64> = (0..n).map(|i| known.z[at(i)]).collect();
            for mut candidate in candidates() {
                if candidate.is_exempt(&known.name) {
                    continue;
                }
                let solution = solve_lcp(&mut candidate, &lcp, Start::Cold);
                assert_eq!(solution.status, Status::Solved, "{}", candidate.name);
                assert!(
                    distance(&solution.z, &z) <= candidate.accuracy,
                    "{}",
                    candidate.name
                );
            }
        }
    }
}

/// M' = R M C, q' = R q has z' = C⁻¹ z. R = C for methods that need monotone or symmetric problems.
#[test]
fn units_do_not_matter() {
    for (n, degenerate, seed) in [(1, 0, 1), (8, 2, 2), (25, 0, 3)] {
        for known in [
            collection::planted_spd(n, degenerate, seed),
            collection::planted_skew(n, degenerate, seed),
        ] {
            for mut candidate in candidates() {
                if candidate.is_exempt(&known.name) {
                    continue;
                }
                let alike = ["gauss-seidel", "interior-point"].contains(&candidate.name);
                // Without R = C six decades; Gauss–Seidel stops by a residual that knows no units.
                let r = |i: usize| {
                    10.0_f64
                        .powi(if alike { 1 } else { 3 })
                        .powf((i as f64).sin())
                };
                let c = |i: usize| if alike { r(i) } else { r(2 * i + 1) };
                let m: Vec<Vec<f64>> = rows(&known.lcp)
                    .iter()
                    .enumerate()
                    .map(|(i, row)| (0..n).map(|j| r(i) * row[j] * c(j)).collect())
                    .collect();
                let q = (0..n).map(|i| r(i) * known.lcp.q()[i]).collect();
                let lcp = Lcp::from_dense(&m, q).unwrap();
                let solution = solve_lcp(&mut candidate, &lcp, Start::Cold);
                assert_eq!(
                    solution.status,
                    Status::Solved,
                    "{}: {solution:?}",
                    candidate.name
                );
                let z: Vec<f64> = (0..n).map(|i| solution.z[i] * c(i)).collect();
                let error = distance(&z, &known.z);
                assert!(
                    error <= 1e-8,
                    "{} on {}: {error:e}",
                    candidate.name,
                    known.name
                );
            }
        }
    }
}
