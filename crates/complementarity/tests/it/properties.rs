//! Invariants on random problems.

use proptest::prelude::*;
use signorini_complementarity::collection::{self, Known};
use signorini_complementarity::*;

fn lemke(lcp: &Lcp) -> Solution {
    Lemke::default().solve(lcp, Start::Cold)
}

/// Dense rows of M.
fn rows(lcp: &Lcp) -> Vec<Vec<f64>> {
    let mut rows = vec![vec![0.0; lcp.len()]; lcp.len()];
    for (&m, (i, j)) in lcp.m() {
        rows[i][j] = m;
    }
    rows
}

fn assert_near(a: &[f64], b: &[f64], tolerance: f64) {
    for (a, b) in a.iter().zip(b) {
        assert!((a - b).abs() <= tolerance * (1.0 + b.abs()), "{a} {b}");
    }
}

/// Planted problems with a unique answer, from harmless to fully degenerate.
fn known() -> impl Strategy<Value = Known> {
    (1..20_usize, 0..3_usize, any::<u64>(), any::<bool>()).prop_map(|(n, part, seed, skew)| {
        let degenerate = n * part / 2;
        if skew {
            collection::planted_skew(n, degenerate, seed)
        } else {
            collection::planted_spd(n, degenerate, seed)
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    #[test]
    fn planted_answers_are_found(known in known()) {
        let solution = lemke(&known.lcp);
        prop_assert_eq!(solution.status, Status::Solved);
        assert_near(&solution.z, &known.z, 1e-11);
        prop_assert_eq!(solution.stats.restarts, 0);
    }

    #[test]
    fn order_of_the_variables_does_not_matter(known in known(), shift in 0..20_usize) {
        let n = known.lcp.len();
        let at = |i: usize| (n - 1 - i + shift) % n;
        let m = rows(&known.lcp);
        let permuted: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| m[at(i)][at(j)]).collect()).collect();
        let q = (0..n).map(|i| known.lcp.q()[at(i)]).collect();
        let solution = lemke(&Lcp::from_dense(&permuted, q).unwrap());
        prop_assert_eq!(solution.status, Status::Solved);
        let z: Vec<f64> = (0..n).map(|i| known.z[at(i)]).collect();
        assert_near(&solution.z, &z, 1e-11);
    }

    /// M' = R M C, q' = R q has z' = C⁻¹ z: units of rows and unknowns do not matter.
    #[test]
    fn units_do_not_matter(known in known(), exponents in prop::collection::vec(-6..7_i32, 40)) {
        let n = known.lcp.len();
        let (r, c) = exponents.split_at(20);
        let mut m = rows(&known.lcp);
        for (i, row) in m.iter_mut().enumerate() {
            for (j, m) in row.iter_mut().enumerate() {
                *m *= 10.0_f64.powi(r[i] + c[j]);
            }
        }
        let q = (0..n).map(|i| known.lcp.q()[i] * 10.0_f64.powi(r[i])).collect();
        let solution = lemke(&Lcp::from_dense(&m, q).unwrap());
        prop_assert_eq!(solution.status, Status::Solved, "{:?}", solution);
        let z: Vec<f64> = (0..n).map(|i| solution.z[i] * 10.0_f64.powi(c[i])).collect();
        // Degenerate indices hold w = 0 only up to rounding in the units of their row.
        assert_near(&z, &known.z, 1e-8);
    }

    /// Positive semidefinite and feasible means solvable; otherwise there is a certificate.
    #[test]
    fn monotone_problems_are_decided(n in 1..9_usize, rank in 0..5_usize, seed in any::<u64>()) {
        let mut state = seed;
        // Small integers: singular matrices and ties in plenty.
        let mut digit = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            f64::from(u32::try_from(state >> 33).unwrap() % 5) - 2.0
        };
        let a: Vec<Vec<f64>> = (0..n).map(|_| (0..rank).map(|_| digit()).collect()).collect();
        let k: Vec<Vec<f64>> = (0..n).map(|_| (0..n).map(|_| digit()).collect()).collect();
        let m: Vec<Vec<f64>> = (0..n)
            .map(|i| (0..n).map(|j| {
                a[i].iter().zip(&a[j]).map(|(x, y)| x * y).sum::<f64>() + k[i][j] - k[j][i]
            }).collect())
            .collect();
        let q: Vec<f64> = (0..n).map(|_| digit()).collect();
        let solution = lemke(&Lcp::from_dense(&m, q.clone()).unwrap());
        match solution.status {
            Status::Solved => prop_assert!(solution.residual <= 1e-10),
            Status::Infeasible => {
                let Some(Certificate::Farkas(y)) = &solution.certificate else {
                    panic!("no certificate")
                };
                for j in 0..n {
                    let sum: f64 = (0..n).map(|i| m[i][j] * y[i]).sum();
                    prop_assert!(y[j] >= 0.0 && sum <= 1e-10, "{} {}", y[j], sum);
                }
                prop_assert!(q.iter().zip(y).map(|(q, y)| q * y).sum::<f64>() < -1e-9);
            }
            other => prop_assert!(false, "{:?} on a monotone problem: M {:?} q {:?}", other, m, q),
        }
    }

    /// Perturbed problems from the last basis: the same answer, few pivots.
    #[test]
    fn warm_starts_agree_with_cold_ones(known in known(), size in 0.0..0.2_f64) {
        let mut solver = Lemke::default();
        let first = solver.solve(&known.lcp, Start::Cold);
        let q = known.lcp.q().iter().enumerate().map(|(i, q)| q + size * f64::from(u32::try_from(i % 3).unwrap()) - size);
        let moved = Lcp::new(known.lcp.m().clone(), q.collect()).unwrap();
        let cold = solver.solve(&moved, Start::Cold);
        let warm = solver.solve(&moved, Start::Basis(first.basis.as_ref().unwrap()));
        prop_assert_eq!((cold.status, warm.status), (Status::Solved, Status::Solved));
        assert_near(&warm.z, &cold.z, 1e-11);
    }
}
