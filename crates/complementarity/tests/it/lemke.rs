//! Lemke's method alone: pivot counts and sequences, rays, certificates, warm starts.

use insta::assert_snapshot;
use signorini_complementarity::collection;
use signorini_complementarity::*;

fn path(lcp: &Lcp) -> String {
    let n = lcp.len();
    let name = |v: usize| match v {
        v if v < n => format!("w{}", v + 1),
        v if v < 2 * n => format!("z{}", v - n + 1),
        _ => "z0".to_owned(),
    };
    let mut lines = String::new();
    let mut observer = |it: &Iterate<'_>| {
        lines += &format!(
            "{} for {}\n",
            name(it.entering.unwrap()),
            name(it.leaving.unwrap())
        );
        std::ops::ControlFlow::Continue(())
    };
    let solution = Lemke::default().solve_observed(lcp, Start::Cold, &mut observer);
    format!("{lines}{}", solution.status)
}

/// By hand: z0 = 6 makes w2 = 0; z2 = 1 then makes w1 = 0; z1 = 4/3 brings z0 to 0.
#[test]
fn pivots_of_a_small_problem() {
    let lcp = Lcp::from_dense(&[[2.0, 1.0], [1.0, 2.0]], vec![-5.0, -6.0]).unwrap();
    assert_snapshot!(path(&lcp), @r"
    z0 for w2
    z2 for w1
    z1 for z0
    solved
    ");
}

#[test]
fn pivot_counts_are_those_of_theory() {
    let mut lines = String::new();
    let pivots = |lcp: &Lcp| {
        let solution = Lemke::default().solve(lcp, Start::Cold);
        assert_eq!(solution.status, Status::Solved);
        solution.stats.iterations
    };
    for n in [4, 6, 8, 10] {
        lines += &format!(
            "n {n}: murty {} exponential {} fathi {} {}\n",
            pivots(&collection::murty(n).lcp),
            pivots(&collection::murty_exponential(n).lcp),
            pivots(&collection::fathi(n).lcp),
            pivots(&collection::fathi_exponential(n).lcp),
        );
    }
    // With all ratios tied (murty, fathi) the count depends on how ties are resolved; the exponential ones have none.
    assert_snapshot!(lines, @r"
    n 4: murty 4 exponential 16 fathi 4 10
    n 6: murty 4 exponential 64 fathi 6 24
    n 8: murty 8 exponential 256 fathi 6 46
    n 10: murty 4 exponential 1024 fathi 6 76
    ");
}

/// −2 z1 + 2 z2 ≥ 3 and −2 z1 + 2 ≥ 0: solvable by (1, 2.5), but not from the covering vector of ones.
#[test]
fn another_covering_vector_solves_what_ones_do_not() {
    let lcp = Lcp::from_dense(&[[-2.0, 2.0], [-2.0, 0.0]], vec![-3.0, 2.0]).unwrap();
    let solve = |retries| {
        let settings = LemkeSettings {
            retries,
            ..LemkeSettings::default()
        };
        Lemke::new(settings).solve(&lcp, Start::Cold)
    };
    let ray = solve(0);
    assert_eq!(ray.status, Status::Ray);
    let Some(Certificate::Ray { z, w, z0 }) = &ray.certificate else {
        panic!("no ray")
    };
    // w̄ = M z̄ + d z̄₀ with d a positive multiple of ones.
    assert!(
        z.iter().chain(w).all(|x| *x >= 0.0) && *z0 >= 0.0,
        "{z:?} {w:?} {z0}"
    );
    let covered = [w[0] + 2.0 * z[0] - 2.0 * z[1], w[1] + 2.0 * z[0]];
    assert!((covered[0] - covered[1]).abs() < 1e-12 && (covered[0] > 0.0) == (*z0 > 0.0));
    let solved = solve(2);
    assert_eq!((solved.status, solved.stats.restarts), (Status::Solved, 2));
    assert_eq!(solved.z, [1.0, 2.5]);
}

#[test]
fn pivot_limit_is_told() {
    let settings = LemkeSettings {
        pivot_limit: 100,
        ..LemkeSettings::default()
    };
    let lcp = collection::murty_exponential(10).lcp;
    let solution = Lemke::new(settings).solve(&lcp, Start::Cold);
    assert_eq!(
        (solution.status, solution.stats.iterations),
        (Status::IterationLimit, 100)
    );
    assert_eq!(natural_residual(&lcp, &solution.z), solution.residual);
}

/// A singular guess and a guess that leads to a ray are both followed by a cold start.
#[test]
fn bad_guesses_are_recovered_from() {
    let lcp = Lcp::from_dense(&[[1.0, 1.0], [1.0, 1.0]], vec![-1.0, -1.0]).unwrap();
    let basis = Basis::new(vec![BasisMark::Basic; 2]);
    let solution = Lemke::default().solve(&lcp, Start::Basis(&basis));
    assert_eq!(
        (solution.status, solution.stats.restarts),
        (Status::Solved, 1)
    );
}

#[test]
#[should_panic(expected = "one mark per variable")]
fn a_basis_of_another_size_is_misuse() {
    let lcp = Lcp::from_dense(&[[1.0]], vec![-1.0]).unwrap();
    let _ = Lemke::default().solve(&lcp, Start::Basis(&Basis::new(vec![])));
}
