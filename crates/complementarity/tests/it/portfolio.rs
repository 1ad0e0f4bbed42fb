//! The portfolio: who is asked, who answers.

use insta::assert_snapshot;
use signorini_complementarity::collection;
use signorini_complementarity::*;

use crate::functions::{Function, KOJIMA_SHINDO_STARTS, billups, five_firms, kojima_shindo};

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

#[test]
fn nonlinear_problems_go_to_path_first() {
    let mut portfolio = Portfolio::default();
    for start in KOJIMA_SHINDO_STARTS {
        let answer = portfolio.answer_mcp(&kojima_shindo(), Start::Point(&start), &mut ());
        assert_eq!(answer.solution.status, Status::Solved);
        assert_eq!(answer.tried[0].0, Method::Path);
    }
    let answer = solve_mcp(&billups(), Start::Point(&[0.0]));
    assert_eq!(answer.solution.status, Status::Solved);
    assert!((answer.solution.z[0] - 1.0 - 1.01_f64.sqrt()).abs() < 1e-9);
}

/// z² + 1 = 0 has no solution: everything is tried, and the best failure is told.
#[test]
fn nonlinear_problems_without_solution_are_tried_by_all() {
    let problem = Function::free(1, |z, f, push| {
        f[0] = z[0] * z[0] + 1.0;
        push(0, 0, 2.0 * z[0]);
        Ok(())
    });
    let answer = solve_mcp(&problem, Start::Point(&[3.0]));
    assert!(!answer.solution.status.is_solved());
    assert_eq!(
        answer.solution.residual,
        mcp_residual(&problem, &answer.solution.z).unwrap()
    );
    let tried: Vec<Method> = answer.tried.iter().map(|(method, _)| *method).collect();
    let (path, newton) = (Method::Path, Method::SemismoothNewton);
    assert_eq!(tried, [path, newton, newton, newton, path, path, path]);
    assert!(answer.solution.residual < 1.1);
    assert_eq!(answer, solve_mcp(&problem, Start::Point(&[3.0])));
}

/// A start where F is not defined does not end it.
#[test]
fn other_starts_are_tried_where_f_is_not_defined_at_the_first() {
    let answer = solve_mcp(&five_firms([0.0; 5]), Start::Cold);
    assert_eq!(answer.tried[0], (Method::Path, Status::Domain { row: 0 }));
    assert_eq!(answer.solution.status, Status::Solved);
    assert!((answer.solution.z[0] - 36.9325).abs() < 1e-3);
}

#[test]
fn the_observer_stops_the_portfolio_as_well() {
    let mut stop = |_: &Iterate<'_>| std::ops::ControlFlow::Break(());
    let answer = Portfolio::default().answer_mcp(&billups(), Start::Cold, &mut stop);
    assert_eq!(answer.tried, [(Method::Path, Status::Stopped)]);
}
