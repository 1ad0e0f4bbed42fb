//! The method of multipliers: redundant rows share what is asked of them, and no answer is worse than its start.

use signorini_complementarity::{
    AugmentedLagrangian, BlockRows, FIXED, FrictionData, FrictionLaw, FrictionNewton,
    FrictionNewtonSettings, FrictionProblem, Solver, Start, Status, collection,
};

/// A particle of 2 kg, held along x by two copies of one row, and standing on two copies of one contact.
fn held_twice(limit: f64, law: FrictionLaw) -> FrictionProblem {
    let (mut contacts, mut bilateral) = (BlockRows::new(2, 2), BlockRows::new(1, 2));
    for _ in 0..2 {
        contacts.push([FIXED, 0], &[0.0; 4], &[0.0, 1.0, 1.0, 0.0]);
        bilateral.push([0, FIXED], &[1.0, 0.0], &[0.0; 2]);
    }
    FrictionProblem::new(FrictionData {
        dofs: 2,
        mass: vec![2.0, 0.0, 0.0, 2.0],
        free_velocity: vec![0.3, -1.0],
        contacts,
        bias: vec![0.0; 4],
        mu: vec![0.0; 2],
        bilateral,
        bilateral_bias: vec![0.0; 2],
        bilateral_limit: vec![limit; 2],
        law,
        ..FrictionData::default()
    })
    .unwrap()
}

#[test]
fn redundant_rows_share_their_impulse() {
    for law in [FrictionLaw::Coulomb, FrictionLaw::Convex] {
        for (limit, sum) in [(f64::INFINITY, -0.6), (0.2, -0.4)] {
            let problem = held_twice(limit, law);
            let solution = AugmentedLagrangian::default().solve(&problem, Start::Cold);
            assert_eq!(solution.status, Status::Solved, "{law:?} {limit}");
            let z = &solution.z;
            assert!((z[0] + z[2] - 2.0).abs() < 1e-9, "{law:?} {limit}: {z:?}");
            assert!((z[4] + z[5] - sum).abs() < 1e-9, "{law:?} {limit}: {z:?}");
        }
    }
}

#[test]
fn answers_are_never_worse_than_their_start() {
    let mut solved = 0;
    for seed in 0..200 {
        let problem = collection::random_contacts(seed);
        let mut rough = FrictionNewton::new(FrictionNewtonSettings {
            tolerance: 1e-3,
            ..FrictionNewtonSettings::default()
        });
        let start = rough.solve(&problem, Start::Cold);
        let solution = AugmentedLagrangian::default().solve(&problem, Start::Point(&start.z));
        let residual = problem.residuals(&solution.z).scaled;
        let before = problem.residuals(&start.z).scaled;
        assert!(
            residual <= before * (1.0 + 1e-9) + 1e-14,
            "{seed}: {residual} {before}"
        );
        assert!(
            (residual - solution.residual).abs() <= 1e-9 * residual.max(1e-6),
            "{seed}"
        );
        if solution.status == Status::Solved {
            assert!(residual <= 1e-10 * (1.0 + 1e-9), "{seed}: {residual}");
            solved += 1;
        }
    }
    assert!(solved > 100, "{solved}");
}
