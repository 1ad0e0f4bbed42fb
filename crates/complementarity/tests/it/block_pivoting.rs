//! Block principal pivoting alone: counts, Murty's back-up, failures, warm starts.

use insta::assert_snapshot;
use signorini_complementarity::collection;
use signorini_complementarity::*;

fn solve(lcp: &Lcp, patience: usize) -> Solution {
    let settings = BlockPivotingSettings {
        patience,
        ..BlockPivotingSettings::default()
    };
    BlockPivoting::new(settings).solve(lcp, Start::Cold)
}

/// Exchanges with block steps and with Murty's steps as soon as one block step does not help.
#[test]
fn counts_of_exchanges() {
    let mut lines = String::new();
    for known in [
        collection::cycling(),
        collection::murty(8),
        collection::murty_exponential(8),
        collection::fathi(8),
        collection::planted_spd(50, 0, 1),
        collection::planted_skew(50, 25, 2),
        collection::z_obstacle(50, 3),
    ] {
        let counts = [5, 0].map(|patience| {
            let solution = solve(&known.lcp, patience);
            assert_eq!(solution.status, Status::Solved, "{}", known.name);
            solution.stats.iterations
        });
        lines += &format!("{} {counts:?}\n", known.name);
    }
    assert_snapshot!(lines, @r"
    cycling-3 [1, 1]
    murty-8 [8, 6]
    murty-exponential-8 [8, 20]
    fathi-8 [8, 20]
    planted-spd-50 [1, 1]
    planted-skew-50 [5, 13]
    z-obstacle-50 [3, 3]
    ");
}

/// A matrix with no class has no guarantee: the last of the answers is a basis, never a false success.
#[test]
fn problems_without_solution_end_at_the_limit_or_in_a_singular_block() {
    let status =
        |m: &[[f64; 2]], q: [f64; 2]| solve(&Lcp::from_dense(m, q.to_vec()).unwrap(), 5).status;
    assert_eq!(
        status(&[[0.0, 1.0], [-1.0, 0.0]], [-1.0, -1.0]),
        Status::IterationLimit
    );
    assert_eq!(
        status(&[[1.0, -1.0], [-1.0, 1.0]], [-1.0, 0.5]),
        Status::IterationLimit
    );
    assert_eq!(
        status(&[[0.0, 0.0], [0.0, 1.0]], [-1.0, 1.0]),
        Status::IterationLimit
    );
}

#[test]
fn iteration_limit_is_told() {
    let settings = BlockPivotingSettings {
        iteration_limit: 2,
        ..BlockPivotingSettings::default()
    };
    let lcp = collection::murty(9).lcp;
    let solution = BlockPivoting::new(settings).solve(&lcp, Start::Cold);
    assert_eq!(
        (solution.status, solution.stats.iterations),
        (Status::IterationLimit, 2)
    );
    assert_eq!(natural_residual(&lcp, &solution.z), solution.residual);
}

/// Free equations without a unique answer have a singular block that nothing can repair.
#[test]
fn redundant_equations_are_singular() {
    let bounds = Bounds::new(vec![f64::NEG_INFINITY; 2], vec![f64::INFINITY; 2]).unwrap();
    let mcp = LinearMcp::from_dense(&[[1.0, 1.0], [1.0, 1.0]], vec![-1.0; 2], bounds).unwrap();
    let solution = BlockPivoting::default().solve(&mcp, Start::Cold);
    assert_eq!(solution.status, Status::Singular);
    assert_eq!(solution.z.len(), 2);
}

#[test]
fn warm_starts_take_few_exchanges() {
    let known = collection::planted_spd(60, 0, 4);
    let mut solver = BlockPivoting::default();
    let first = solver.solve(&known.lcp, Start::Cold);
    let q = known.lcp.q().iter().map(|q| q + 0.02).collect();
    let moved = Lcp::new(known.lcp.m().clone(), q).unwrap();
    let cold = solver.solve(&moved, Start::Cold);
    let warm = solver.solve(&moved, Start::Basis(first.basis.as_ref().unwrap()));
    assert_eq!(warm.status, Status::Solved);
    assert!(warm.stats.iterations < cold.stats.iterations);
    for (a, b) in warm.z.iter().zip(&cold.z) {
        assert!((a - b).abs() < 1e-12);
    }
}

#[test]
#[should_panic(expected = "one mark per variable")]
fn a_basis_of_another_size_is_misuse() {
    let lcp = Lcp::from_dense(&[[1.0]], vec![-1.0]).unwrap();
    let _ = BlockPivoting::default().solve(&lcp, Start::Basis(&Basis::new(vec![])));
}
