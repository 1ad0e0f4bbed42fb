//! The interior-point method alone: iterations, degenerate and infeasible problems, crossover.

use insta::assert_snapshot;
use signorini_complementarity::collection;
use signorini_complementarity::*;

use crate::random::Random;

fn solve(lcp: &Lcp) -> Solution {
    InteriorPoint::default().solve(lcp, Start::Cold)
}

#[test]
fn iterations_hardly_grow_with_the_size() {
    let mut most = 0;
    for n in [1, 10, 50, 150] {
        for degenerate in [0, n / 2, n] {
            let solution = solve(&collection::planted_skew(n, degenerate, 5).lcp);
            assert_eq!(solution.status, Status::Solved);
            most = most.max(solution.stats.iterations);
        }
    }
    assert!(most <= 20, "{most}");
}

/// The answers of a singular problem form a face: the crossover ends in a vertex of it, with a basis.
#[test]
fn crossover_ends_in_a_basis() {
    let solution = solve(&collection::psd_singular(6).lcp);
    assert_eq!(solution.status, Status::Solved);
    let basic = |mark: &&BasisMark| **mark == BasisMark::Basic;
    assert_eq!(
        solution.basis.unwrap().marks().iter().filter(basic).count(),
        1
    );
    assert!((solution.z.iter().sum::<f64>() - 1.0).abs() < 1e-14);
}

/// Without exchanges the guess has to be right, and degenerate guesses are only right near the end.
#[test]
fn a_crossover_without_exchanges_takes_longer() {
    let lcp = collection::planted_spd(30, 15, 2).lcp;
    let settings = InteriorPointSettings {
        crossover_exchanges: 0,
        ..InteriorPointSettings::default()
    };
    let patient = InteriorPoint::new(settings).solve(&lcp, Start::Cold);
    assert_eq!(patient.status, Status::Solved);
    assert!(patient.stats.iterations >= solve(&lcp).stats.iterations);
}

/// A face of answers with biactive indices, where exchanges cycle and the point itself has z and w of the size √μ: the
/// last crossover finds a basis.
#[test]
fn faces_with_biactive_indices_have_exact_answers() {
    // M = g gᵀ + (k − kᵀ), of rank 3 at most, z = (1, 1, 0, 0, 0), w = (0, 0, 0, 0, 1).
    let (g, k) = ([1.0, 1.0, 1.0, 1.0, 0.0], [0.0, 0.0, 1.0, -1.0, 1.0]);
    let rows: Vec<Vec<f64>> = (0..5)
        .map(|i| {
            (0..5)
                .map(|j| g[i] * g[j] + g[i] * k[j] - k[i] * g[j])
                .collect()
        })
        .collect();
    let q: Vec<f64> = (0..5)
        .map(|i| f64::from(u8::from(i == 4)) - rows[i][0] - rows[i][1])
        .collect();
    let lcp = Lcp::from_dense(&rows, q).unwrap();
    for crossover_exchanges in [0, 20] {
        let settings = InteriorPointSettings {
            crossover_exchanges,
            ..InteriorPointSettings::default()
        };
        let solution = InteriorPoint::new(settings).solve(&lcp, Start::Cold);
        assert_eq!(solution.status, Status::Solved);
        assert!(solution.basis.is_some() && solution.residual < 1e-15);
    }
}

#[test]
fn what_cannot_be_solved_is_not() {
    let status =
        |m: &[[f64; 2]], q: [f64; 2]| solve(&Lcp::from_dense(m, q.to_vec()).unwrap()).status;
    let lines = [
        (
            "infeasible and monotone",
            [[0.0, 1.0], [-1.0, 0.0]],
            [-1.0, -1.0],
        ),
        (
            "infeasible and symmetric",
            [[1.0, -1.0], [-1.0, 1.0]],
            [-1.0, 0.5],
        ),
        (
            "negative definite",
            [[-1.0, 0.0], [0.0, -1.0]],
            [-1.0, -1.0],
        ),
    ]
    .map(|(name, m, q)| format!("{name}: {:?}", status(&m, q)));
    assert_snapshot!(lines.join("\n"), @r"
    infeasible and monotone: Inaccurate
    infeasible and symmetric: Inaccurate
    negative definite: Singular
    ");
}

/// Free equations that say the same twice, and a fixed variable, beside a bounded one.
#[test]
fn redundant_equations_and_fixed_variables() {
    let inf = f64::INFINITY;
    let bounds = Bounds::new(vec![-inf, -inf, 2.0, 0.0], vec![inf, inf, 2.0, inf]).unwrap();
    let m = [
        [1.0, 1.0, 1.0, 0.0],
        [1.0, 1.0, 1.0, 0.0],
        [0.0, 0.0, 0.0, 1.0],
        [0.0, 0.0, 1.0, 1.0],
    ];
    let mcp = LinearMcp::from_dense(&m, vec![-5.0, -5.0, 1.0, -4.0], bounds).unwrap();
    let solution = InteriorPoint::default().solve(&mcp, Start::Cold);
    assert_eq!(solution.status, Status::Solved, "{solution:?}");
    assert!((solution.z[0] + solution.z[1] - 3.0).abs() < 1e-9);
    assert_eq!(solution.z[2], 2.0);
    assert!((solution.z[3] - 2.0).abs() < 1e-9);
}

#[test]
fn the_limit_is_told() {
    let settings = InteriorPointSettings {
        iteration_limit: 2,
        ..InteriorPointSettings::default()
    };
    let lcp = collection::planted_spd(20, 0, 3).lcp;
    let solution = InteriorPoint::new(settings).solve(&lcp, Start::Cold);
    assert_eq!(
        (solution.status, solution.stats.iterations),
        (Status::IterationLimit, 2)
    );
    assert_eq!(natural_residual(&lcp, &solution.z), solution.residual);
}

#[test]
fn warm_starts_begin_with_the_crossover() {
    let known = collection::planted_skew(40, 0, 6);
    let q = known.lcp.q().iter().map(|q| q + 0.01).collect();
    let moved = Lcp::new(known.lcp.m().clone(), q).unwrap();
    let warm = InteriorPoint::default().solve(&moved, Start::Point(&known.z));
    assert_eq!((warm.status, warm.stats.iterations), (Status::Solved, 0));
}

/// M = A Aᵀ of half rank with a planted answer: exchanges cycle on its face, a point inside of it is exact.
#[test]
fn singular_monotone_problems_take_few_factorisations() {
    let n = 60;
    for seed in 0..20 {
        let mut random = Random(seed);
        let a: Vec<Vec<f64>> = (0..n)
            .map(|_| (0..n / 2).map(|_| 2.0 * random.uniform() - 1.0).collect())
            .collect();
        let dot = |i: usize, j: usize| a[i].iter().zip(&a[j]).map(|(a, b)| a * b).sum::<f64>();
        let rows: Vec<Vec<f64>> = (0..n)
            .map(|i| (0..n).map(|j| dot(i, j)).collect())
            .collect();
        // w = 1 − z: two thirds of the indices are positive, more than the rank.
        let z: Vec<f64> = (0..n)
            .map(|_| f64::from(u8::from(random.below(3) > 0)))
            .collect();
        let product = |i: usize| rows[i].iter().zip(&z).map(|(m, z)| m * z).sum::<f64>();
        let q = (0..n).map(|i| 1.0 - z[i] - product(i)).collect();
        let solution = solve(&Lcp::from_dense(&rows, q).unwrap());
        assert_eq!(solution.status, Status::Solved);
        assert!(
            solution.residual <= 1e-14,
            "{seed}: {:e}",
            solution.residual
        );
        assert!(
            solution.stats.factorizations <= 30,
            "{seed}: {:?}",
            solution.stats
        );
    }
}
