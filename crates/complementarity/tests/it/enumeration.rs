//! Agreement with enumeration of all complementary bases for small sizes.

use signorini_complementarity::collection;
use signorini_complementarity::*;

use crate::conformance::{candidates, rows, solve_lcp};

/// Solutions of all nonsingular complementary bases, by Gaussian elimination.
fn enumerate(m: &[Vec<f64>], q: &[f64]) -> Vec<Vec<f64>> {
    let n = q.len();
    let mut found = Vec::new();
    for mask in 0..1_u32 << n {
        let inner: Vec<usize> = (0..n).filter(|i| mask >> i & 1 == 1).collect();
        let mut a: Vec<Vec<f64>> = inner
            .iter()
            .map(|&i| inner.iter().map(|&j| m[i][j]).chain([-q[i]]).collect())
            .collect();
        let Some(inside) = eliminate(&mut a) else {
            continue;
        };
        let mut z = vec![0.0; n];
        inner.iter().zip(inside).for_each(|(&i, x)| z[i] = x);
        let w = |i: usize| q[i] + m[i].iter().zip(&z).map(|(m, z)| m * z).sum::<f64>();
        if z.iter().all(|z| *z >= -1e-9) && (0..n).all(|i| w(i) >= -1e-9) {
            found.push(z);
        }
    }
    found
}

fn eliminate(a: &mut [Vec<f64>]) -> Option<Vec<f64>> {
    let n = a.len();
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs()))?;
        a.swap(k, pivot);
        if a[k][k].abs() < 1e-9 {
            return None;
        }
        for i in (0..n).filter(|&i| i != k) {
            let factor = a[i][k] / a[k][k];
            let row = a[k].clone();
            a[i].iter_mut().zip(row).for_each(|(x, y)| *x -= factor * y);
        }
    }
    Some((0..n).map(|i| a[i][n] / a[i][i]).collect())
}

#[test]
fn planted_problems_have_the_enumerated_answer() {
    for seed in 0..40 {
        for n in 1..=6 {
            let known = collection::planted_skew(n, n / 3, seed);
            let all = enumerate(&rows(&known.lcp), known.lcp.q());
            assert!(!all.is_empty());
            for mut candidate in candidates() {
                if candidate.is_exempt(&known.name) {
                    continue;
                }
                let solution = solve_lcp(&mut candidate, &known.lcp, Start::Cold);
                for (a, b) in all.iter().flat_map(|z| z.iter().zip(&solution.z)) {
                    let who = candidate.name;
                    assert!((a - b).abs() < 1e-9, "{who}, n {n} seed {seed}: {a} {b}");
                }
            }
        }
    }
}

/// Matrices of small integers, of no class at all: whatever is claimed must be true.
#[test]
fn claims_about_arbitrary_problems_are_true() {
    let (mut solved, mut infeasible, mut rays, mut missed) = (0, 0, 0, 0);
    let mut state = 1_u64;
    let mut digit = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        f64::from(u32::try_from(state >> 33).unwrap() % 7) - 3.0
    };
    let mut others = candidates();
    others.retain(|candidate| candidate.name != "lemke");
    for round in 0..3000 {
        let n = 1 + round % 5;
        let m: Vec<Vec<f64>> = (0..n).map(|_| (0..n).map(|_| digit()).collect()).collect();
        let q: Vec<f64> = (0..n).map(|_| digit()).collect();
        let all = enumerate(&m, &q);
        let lcp = Lcp::from_dense(&m, q.clone()).unwrap();
        for other in &mut others {
            let claim = solve_lcp(other, &lcp, Start::Cold).status;
            assert!(
                claim != Status::Infeasible || all.is_empty(),
                "{}",
                other.name
            );
        }
        let solution = Lemke::default().solve(&lcp, Start::Cold);
        match solution.status {
            Status::Solved => {
                assert!(solution.residual <= 1e-10);
                solved += 1;
            }
            Status::Infeasible => {
                assert!(all.is_empty(), "M {m:?} q {q:?} has {all:?}");
                infeasible += 1;
            }
            Status::Ray => {
                // A ray proves nothing; most of these problems are feasible without a solution.
                rays += 1;
                missed += usize::from(!all.is_empty());
            }
            other => panic!("{other:?} on M {m:?} q {q:?}"),
        }
    }
    insta::assert_snapshot!(format!("solved {solved}, infeasible {infeasible}, ray {rays}, of these solvable {missed}"), @"solved 1627, infeasible 1039, ray 334, of these solvable 7");
}
