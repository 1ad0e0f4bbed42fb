//! Proximal points, alternating directions and accelerated gradients on public and hostile friction problems.

use std::ops::ControlFlow;

use signorini_complementarity::io::FrictionFile;
use signorini_complementarity::*;

const LAWS: [FrictionLaw; 2] = [FrictionLaw::Coulomb, FrictionLaw::Convex];

fn proximal(tolerance: f64) -> ProximalPoint {
    ProximalPoint::new(ProximalPointSettings {
        tolerance,
        ..ProximalPointSettings::default()
    })
}

/// All three, with tolerances that each reaches with ease.
fn solvers() -> [(f64, Box<dyn Solver<FrictionProblem>>); 3] {
    [
        (1e-10, Box::new(ProximalPoint::default())),
        (1e-8, Box::new(Admm::default())),
        (1e-6, Box::new(AcceleratedGradient::default())),
    ]
}

/// Solved, and truly so; returns z.
fn solved(
    solver: &mut dyn Solver<FrictionProblem>,
    tolerance: f64,
    problem: &FrictionProblem,
) -> Vec<f64> {
    let solution = solver.solve(problem, Start::Cold);
    assert_eq!(solution.status, Status::Solved, "{solution:?}");
    assert!(solution.residual <= tolerance);
    assert_eq!(solution.residual, problem.residuals(&solution.z).relative);
    solution.z
}

/// Public problems of at most `most` unknowns, by name.
fn public(most: usize) -> Vec<(String, FrictionProblem)> {
    let folder = format!("{}/../../fixtures/friction", env!("CARGO_MANIFEST_DIR"));
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    paths.sort();
    paths.retain(|path| {
        let name = path.file_name().unwrap().to_string_lossy();
        name.ends_with(".json") || name.ends_with(".json.gz")
    });
    let files = paths
        .iter()
        .map(|path| FrictionFile::from_path(path).unwrap());
    files
        .map(|file| (file.name.clone(), file.problem().unwrap()))
        .filter(|(_, problem)| problem.len() <= most)
        .collect()
}

/// 34 of the 45 public problems; the larger ones take too long for a test and are in the validation.
#[test]
fn proximal_points_solve_the_public_problems_of_both_laws() {
    let problems = public(330);
    assert_eq!(problems.len(), 34);
    for (name, problem) in problems {
        for law in LAWS {
            let problem = problem.clone().with_law(law);
            let solution = proximal(1e-11).solve(&problem, Start::Cold);
            assert_eq!(
                solution.status,
                Status::Solved,
                "{name} {law:?} {:e}",
                solution.residual
            );
            assert!(problem.residuals(&solution.z).relative <= 1e-11, "{name}");
        }
    }
}

#[test]
fn first_order_methods_solve_most_of_them() {
    let (mut admm, mut gradient) = (Vec::new(), Vec::new());
    for (name, problem) in public(330) {
        for law in LAWS {
            let problem = problem.clone().with_law(law);
            let a = Admm::default().solve(&problem, Start::Cold);
            let g = AcceleratedGradient::default().solve(&problem, Start::Cold);
            for (solution, tolerance) in [(&a, 1e-8), (&g, 1e-6)] {
                let residual = problem.residuals(&solution.z).relative;
                assert_eq!(solution.status.is_solved(), residual <= tolerance, "{name}");
            }
            if !a.status.is_solved() {
                admm.push((name.clone(), law));
            }
            if !g.status.is_solved() {
                gradient.push((name.clone(), law));
            }
        }
    }
    assert!(admm.len() <= 6, "{admm:?}");
    assert!(gradient.len() <= 4, "{gradient:?}");
}

/// Redundant contacts, μ from 0 to 10, mass ratios to 1e6: at most one failure, and no wrong success.
#[test]
fn small_hostile_steps() {
    let mut failures = Vec::new();
    for seed in 0..400 {
        let problem = collection::random_contacts(seed);
        let mut solver = ProximalPoint::new(ProximalPointSettings {
            tolerance: 1e-9,
            measure: ResidualMeasure::Scaled,
            ..ProximalPointSettings::default()
        });
        let solution = solver.solve(&problem, Start::Cold);
        let residual = problem.residuals(&solution.z).scaled;
        assert_eq!(solution.status.is_solved(), residual <= 1e-9, "{seed}");
        assert!(solution.z.iter().all(|z| z.is_finite()), "{seed}");
        if !solution.status.is_solved() {
            failures.push((seed, solution.status, residual));
        }
    }
    assert!(failures.len() <= 1, "{failures:?}");
}

#[test]
fn nothing_to_do() {
    let empty = FrictionProblem::new(FrictionData::default()).unwrap();
    for (_, mut solver) in solvers() {
        let solution = solver.solve(&empty, Start::Cold);
        assert_eq!((solution.status, solution.residual), (Status::Solved, 0.0));
        assert_eq!(solution.stats.iterations, 0);
    }
    // All contacts part by themselves.
    let laws = ContactLaws {
        dimension: 3,
        mu: vec![0.5; 2],
        ..ContactLaws::default()
    };
    let q = vec![1.0, 5.0, 0.0, 0.1, -1.0, 2.0];
    let open = FrictionProblem::from_delassus(&sprs::CsMat::eye(6), q, laws).unwrap();
    for (tolerance, mut solver) in solvers() {
        assert_eq!(solved(&mut *solver, tolerance, &open), [0.0; 6]);
    }
}

/// `copies` of the same contact of D rows under one body of unit mass matrix.
fn copies(copies: usize, dimension: usize, mu: f64, law: FrictionLaw) -> FrictionProblem {
    let n = copies * dimension;
    let mut w = sprs::TriMat::new((n, n));
    for i in 0..n {
        (0..copies).for_each(|k| w.add_triplet(i, k * dimension + i % dimension, 1.0));
    }
    let laws = ContactLaws {
        dimension,
        mu: vec![mu; copies],
        rolling: vec![0.1; if dimension == 5 { copies } else { 0 }],
        law,
        ..ContactLaws::default()
    };
    let q = (0..n)
        .map(|i| [-2.0, 0.7, -0.4, 0.3, 0.2][i % dimension])
        .collect();
    FrictionProblem::from_delassus(&w.to_csr(), q, laws).unwrap()
}

#[test]
fn copies_of_a_contact_share_its_impulse() {
    for law in LAWS {
        for dimension in 1..=5 {
            for mu in [0.0, 0.2, 1.0, 10.0] {
                let alone = solved(&mut proximal(1e-10), 1e-10, &copies(1, dimension, mu, law));
                for (tolerance, mut solver) in solvers() {
                    let z = solved(&mut *solver, tolerance, &copies(4, dimension, mu, law));
                    for (i, alone) in alone.iter().enumerate() {
                        let sum: f64 = z.iter().skip(i).step_by(dimension).sum();
                        // Residuals of 1e-6 at most, and W = 4 in the direction of the sum.
                        assert!((sum - alone).abs() < 1e-4, "{dimension} {mu} {law:?} {i}");
                    }
                }
            }
        }
    }
}

/// A ton on a gram on the ground, and the same with the gram held by redundant bilateral rows.
#[test]
fn heavy_on_light() {
    let build = |rows: usize| {
        let mut contacts = BlockRows::new(2, 2);
        contacts.push([FIXED, 0], &[0.0; 4], &[1.0, 0.0, 0.0, 1.0]);
        contacts.push([0, 1], &[-1.0, 0.0, 0.0, -1.0], &[1.0, 0.0, 0.0, 1.0]);
        let mut bilateral = BlockRows::new(1, 2);
        (0..rows).for_each(|_| bilateral.push([0, FIXED], &[0.0, 1.0], &[0.0; 2]));
        let mass = [1e-3, 0.0, 0.0, 1e-3, 1e3, 0.0, 0.0, 1e3];
        FrictionProblem::new(FrictionData {
            dofs: 2,
            mass: mass.to_vec(),
            free_velocity: vec![-0.05, 0.3, -0.05, 0.01],
            contacts,
            bias: vec![0.0; 4],
            mu: vec![0.5; 2],
            bilateral,
            bilateral_bias: vec![0.0; rows],
            ..FrictionData::default()
        })
        .unwrap()
    };
    for rows in [0, 1, 2] {
        let problem = build(rows);
        // W has entries of 2e3 and z is 50: products round to 1e-11, |q| is 0.3.
        let z = solved(&mut proximal(1e-9), 1e-9, &problem);
        assert!(
            (z[2] - 50.0).abs() < 1e-6 && (z[0] - 50.000_05).abs() < 1e-6,
            "{z:?}"
        );
        // Alternating directions are slow where W has a condition of 1e6, and say so.
        let slow = Admm::default().solve(&problem, Start::Cold);
        assert_eq!(slow.status, Status::IterationLimit);
        assert_eq!(slow.residual, problem.residuals(&slow.z).relative);
    }
}

/// A row without any stiffness that closes: no impulse stops it.
#[test]
fn what_cannot_be_solved_is_not() {
    let laws = ContactLaws {
        dimension: 3,
        mu: vec![0.5; 2],
        ..ContactLaws::default()
    };
    let mut w = sprs::TriMat::new((6, 6));
    (0..3).for_each(|i| w.add_triplet(i, i, 1.0));
    let q = vec![-1.0, 0.3, 0.0, -1.0, 0.0, 0.0];
    for law in LAWS {
        let laws = ContactLaws {
            law,
            ..laws.clone()
        };
        let problem = FrictionProblem::from_delassus(&w.to_csr(), q.clone(), laws).unwrap();
        for (_, mut solver) in solvers() {
            let solution = solver.solve(&problem, Start::Cold);
            assert!(!solution.status.is_solved(), "{solution:?}");
            assert!(solution.z.iter().all(|z| z.is_finite()));
            assert!(solution.residual >= 0.1, "{solution:?}");
            assert_eq!(solution.residual, problem.residuals(&solution.z).relative);
        }
    }
}

#[test]
fn starts_and_observers() {
    let problem = collection::heap(10, 1);
    for (tolerance, mut solver) in solvers() {
        let z = solved(&mut *solver, tolerance, &problem);
        let again = solver.solve(&problem, Start::Point(&z));
        assert_eq!((again.stats.iterations, &again.z), (0, &z));
        // The same bits, after other work too.
        let twice = solved(&mut *solver, tolerance, &problem);
        assert_eq!(z, twice);
        let mut seen = 0;
        let mut stop = |_: &Iterate<'_>| {
            seen += 1;
            ControlFlow::Break(())
        };
        let stopped = solver.solve_observed(&problem, Start::Cold, &mut stop);
        if seen > 0 {
            assert!(
                matches!(stopped.status, Status::Stopped | Status::Solved),
                "{stopped:?}"
            );
        }
    }
}

/// A box beside a wall on the corners of a face: it falls with 0.2 m/s and meets the wall with next to nothing, or with what the
/// relaxed law asks for but for next to nothing. Impulses are as small, and then rounding of the map.
#[test]
fn impulses_that_vanish_beside_the_velocities_have_an_answer() {
    let w = [
        [2.5, -1.5, -0.5, -1.5],
        [-1.5, 2.5, 1.5, 2.5],
        [-0.5, 1.5, 2.5, 1.5],
        [-1.5, 2.5, 1.5, 2.5],
    ];
    let (start, columns) = ((0..=4).map(|i| 4 * i), (0..16).map(|i| i % 4));
    let w = sprs::CsMat::new(
        (4, 4),
        start.collect(),
        columns.collect(),
        w.as_flattened().to_vec(),
    );
    let speed = 0.1962;
    for law in LAWS {
        for approach in [0.0, 1e-24, 1e-18, 3e-17, 1e-15, 1e-12, 1e-9, 1e-6, 1e-3] {
            let parts = if law == FrictionLaw::Convex {
                0.3 * speed
            } else {
                0.0
            };
            let laws = ContactLaws {
                dimension: 2,
                mu: vec![0.3; 2],
                law,
                ..ContactLaws::default()
            };
            let q = vec![parts - approach, -speed, parts - approach, -speed];
            let problem = FrictionProblem::from_delassus(&w, q, laws).unwrap();
            let settings = FrictionSettings {
                tolerance: 1e-9,
                measure: ResidualMeasure::Scaled,
            };
            let answer = solve_friction(&problem, &settings);
            assert_eq!(
                answer.solution.status,
                Status::Solved,
                "{law:?} {approach}: {:?}",
                answer.tried
            );
            let mut u = vec![0.0; 4];
            problem.relative_velocities_into(&answer.solution.z, &mut u);
            let slide = -u[1].min(u[3]);
            let needed = if law == FrictionLaw::Convex {
                0.3 * slide
            } else {
                0.0
            };
            for u in [u[0], u[2]] {
                assert!(
                    u >= needed - 1e-15 - 1e-8 * approach,
                    "{law:?} {approach}: {u}"
                );
            }
            assert!(
                (speed - slide) <= 0.31 * approach + 1e-15,
                "{law:?} {approach}: {slide}"
            );
        }
    }
}
