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

/// By hand: z0 = 6 makes w2 zero; z2 blocked by w1 at (6-5)/1 .. ; the rest follows.
#[test]
fn pivots_of_a_small_problem() {
    let lcp = Lcp::from_dense(&[[2.0, 1.0], [1.0, 2.0]], vec![-5.0, -6.0]).unwrap();
    assert_snapshot!(path(&lcp), @"");
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
    assert_snapshot!(lines, @"");
}
