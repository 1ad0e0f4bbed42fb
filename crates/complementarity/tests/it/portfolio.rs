//! The portfolio: who is asked, who answers.

use insta::assert_snapshot;
use signorini_complementarity::collection;
use signorini_complementarity::*;

#[test]
fn the_right_method_answers() {
    let problem = |m: &[[f64; 2]], q: [f64; 2]| Lcp::from_dense(m, q.to_vec()).unwrap();
    let mut lines = String::new();
    for (name, lcp) in [
        ("spd", collection::planted_spd(20, 5, 1).lcp),
        ("p", collection::murty_exponential(8).lcp),
        ("psd", collection::psd_singular(5).lcp),
        ("game", problem(&[[0.0, 1.0], [2.0, 0.0]], [-1.0, -1.0])),
        (
            "infeasible",
            problem(&[[1.0, -1.0], [-1.0, 1.0]], [-1.0, 0.5]),
        ),
        (
            "feasible, not solvable",
            problem(&[[0.0, 1.0], [0.0, 0.0]], [-1.0, 1.0]),
        ),
        ("negative", problem(&[[-1.0, 0.0], [0.0, 1.0]], [-1.0, 1.0])),
    ] {
        let answer = solve(&lcp);
        assert_eq!(
            natural_residual(&lcp, &answer.solution.z),
            answer.solution.residual
        );
        let tried: Vec<_> = answer
            .tried
            .iter()
            .map(|(m, s)| format!("{m:?} {s:?}"))
            .collect();
        lines += &format!("{name}: {:?} of {}\n", answer.method, tried.join(", "));
    }
    assert_snapshot!(lines, @r"
    spd: BlockPivoting of BlockPivoting Solved
    p: BlockPivoting of BlockPivoting Solved
    psd: BlockPivoting of BlockPivoting Solved
    game: Lemke of Lemke Solved
    infeasible: Lemke of BlockPivoting IterationLimit, Lemke Infeasible
    feasible, not solvable: Lemke of Lemke Ray
    negative: Lemke of Lemke Infeasible
    ");
}

/// Workspaces of other problems leave no trace, and a warm start reaches the method that answers.
#[test]
fn reuse_and_warm_starts() {
    let mut portfolio = Portfolio::default();
    let known = collection::planted_skew(30, 0, 2);
    let first = portfolio.answer(&known.lcp, Start::Cold, &mut ());
    let _ = portfolio.answer(&collection::psd_singular(9).lcp, Start::Cold, &mut ());
    assert_eq!(first, portfolio.answer(&known.lcp, Start::Cold, &mut ()));
    let basis = first.solution.basis.as_ref().unwrap();
    let warm = portfolio.answer(&known.lcp, Start::Basis(basis), &mut ());
    assert_eq!(warm.solution.stats.iterations, 0);
    assert_eq!(warm.tried, [(Method::BlockPivoting, Status::Solved)]);
}

/// Above the size of the dense methods only Lemke's and the sweeping one are asked.
#[test]
fn large_problems_need_no_dense_matrix() {
    let settings = PortfolioSettings {
        dense_limit: 10,
        ..PortfolioSettings::default()
    };
    let lcp = collection::z_obstacle(20, 1).lcp;
    let answer = Portfolio::new(settings).answer(&lcp, Start::Cold, &mut ());
    assert_eq!(answer.tried, [(Method::Lemke, Status::Solved)]);
}
