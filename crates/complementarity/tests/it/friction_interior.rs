//! The interior-point method for cones: whatever the faces, it finds the answer of the convex law.

use signorini_complementarity::{
    BlockRows, ConeInteriorPoint, ConeInteriorPointSettings, ContactLaws, FIXED, FrictionData,
    FrictionLaw, FrictionNewton, FrictionNewtonSettings, FrictionProblem, ResidualMeasure, Solver,
    Start, Status, collection, io::FrictionFile,
};

fn under(law: FrictionLaw, problem: FrictionProblem) -> FrictionProblem {
    let mut data = problem.into_data();
    data.law = law;
    FrictionProblem::new(data).unwrap()
}

/// Of these problems, with one to eight contacts, discs of rolling, ellipses, mass ratios to 1e6 and copies of contacts.
#[test]
fn random_problems_of_the_convex_law_are_solved_from_nothing() {
    let mut failed = Vec::new();
    for seed in 0..2000 {
        let problem = under(FrictionLaw::Convex, collection::random_contacts(seed));
        let solution = ConeInteriorPoint::default().solve(&problem, Start::Cold);
        let residual = problem.residuals(&solution.z).scaled;
        assert_eq!(residual.to_bits(), solution.residual.to_bits(), "{seed}");
        if solution.status == Status::Solved {
            assert!(residual <= 1e-10, "{seed}: {residual:e}");
        } else {
            failed.push((seed, solution.status, residual));
        }
    }
    assert!(failed.len() <= 1, "{failed:?}");
}

/// Velocities of 1e-9 take the redundant impulses to the borders of their cones.
#[test]
fn redundant_impulses_go_to_their_borders_in_few_iterations() {
    let path = "../../fixtures/problems/boxes_on_a_turntable.json";
    let problem = FrictionFile::from_path(path).unwrap().problem().unwrap();
    let newton = FrictionNewton::default().solve(&problem, Start::Cold);
    assert!(!newton.status.is_solved(), "no longer an example");
    let solution = ConeInteriorPoint::default().solve(&problem, Start::Point(&newton.z));
    assert_eq!(solution.status, Status::Solved);
    assert!(problem.residuals(&solution.z).scaled <= 1e-10);
    assert!(solution.stats.iterations <= 25, "{:?}", solution.stats);
}

#[test]
fn heaps_take_as_many_iterations_as_one_contact() {
    let problem = under(FrictionLaw::Convex, collection::heap(30, 1));
    let solution = ConeInteriorPoint::default().solve(&problem, Start::Cold);
    assert_eq!(solution.status, Status::Solved);
    assert!(solution.stats.iterations <= 25, "{:?}", solution.stats);
}

/// A particle of 2 kg that falls on two copies of a contact and is held along x by two copies of a row.
#[test]
fn rows_hold_up_to_their_limit() {
    for (limit, sum) in [(f64::INFINITY, -0.6), (0.2, -0.4), (0.0, 0.0)] {
        for mu in [0.0, 0.5] {
            let (mut contacts, mut bilateral) = (BlockRows::new(2, 2), BlockRows::new(1, 2));
            for _ in 0..2 {
                contacts.push([FIXED, 0], &[0.0; 4], &[0.0, 1.0, 1.0, 0.0]);
                bilateral.push([0, FIXED], &[1.0, 0.0], &[0.0; 2]);
            }
            let problem = FrictionProblem::new(FrictionData {
                dofs: 2,
                mass: vec![2.0, 0.0, 0.0, 2.0],
                free_velocity: vec![0.3, -1.0],
                contacts,
                bias: vec![0.0; 4],
                mu: vec![mu; 2],
                bilateral,
                bilateral_bias: vec![0.0; 2],
                bilateral_limit: vec![limit; 2],
                law: FrictionLaw::Convex,
                ..FrictionData::default()
            })
            .unwrap();
            let solution = ConeInteriorPoint::default().solve(&problem, Start::Cold);
            assert_eq!(solution.status, Status::Solved, "{limit} {mu}");
            let z = &solution.z;
            assert!((z[0] + z[2] - 2.0).abs() < 1e-8, "{limit} {mu}: {z:?}");
            // Friction stops what the rows leave.
            let along = z[1] + z[3] + z[4] + z[5];
            let stopped = if mu > 0.0 { -0.6 } else { sum };
            assert!((along - stopped).abs() < 1e-8, "{limit} {mu}: {z:?}");
        }
    }
}

#[test]
fn the_exact_law_is_solved_near_its_answer() {
    let problem = collection::heap(30, 1);
    let mut rough = FrictionNewton::new(FrictionNewtonSettings {
        tolerance: 1e-5,
        ..FrictionNewtonSettings::default()
    });
    let near = rough.solve(&problem, Start::Cold);
    assert!(near.residual > 1e-10, "near, and no answer");
    let solution = ConeInteriorPoint::default().solve(&problem, Start::Point(&near.z));
    assert_eq!(solution.status, Status::Solved);
    assert!(problem.residuals(&solution.z).scaled <= 1e-10);
}

#[test]
fn no_answer_is_worse_than_its_start() {
    for seed in 0..300 {
        let problem = collection::random_contacts(seed);
        let mut rough = FrictionNewton::new(FrictionNewtonSettings {
            tolerance: 1e-2,
            ..FrictionNewtonSettings::default()
        });
        let near = rough.solve(&problem, Start::Cold);
        let solution = ConeInteriorPoint::default().solve(&problem, Start::Point(&near.z));
        let (before, after) = (
            problem.residuals(&near.z).scaled,
            problem.residuals(&solution.z).scaled,
        );
        // Units of the method cost a rounding.
        assert!(after <= before + 1e-14, "{seed}: {after:e} {before:e}");
        assert_eq!(solution.status == Status::Solved, after <= 1e-10, "{seed}");
    }
}

/// A contact that no impulse moves.
#[test]
fn what_has_no_answer_is_not_called_solved() {
    let laws = ContactLaws {
        dimension: 3,
        mu: vec![0.5],
        law: FrictionLaw::Convex,
        ..ContactLaws::default()
    };
    let nothing = sprs::CsMat::zero((3, 3));
    let problem = FrictionProblem::from_delassus(&nothing, vec![-1.0, 0.0, 0.0], laws).unwrap();
    for measure in [ResidualMeasure::Relative, ResidualMeasure::Scaled] {
        let mut solver = ConeInteriorPoint::new(ConeInteriorPointSettings {
            measure,
            ..ConeInteriorPointSettings::default()
        });
        let solution = solver.solve(&problem, Start::Cold);
        assert_ne!(solution.status, Status::Solved);
        assert!(solution.z.iter().all(|z| z.is_finite()));
    }
}
