//! Block Gauss–Seidel, Newton and polish: heaps, both laws, and what is hostile to them.

use signorini_complementarity::*;

/// A solver with tolerance 1e-10 on the scaled residual.
fn solvers() -> [(&'static str, Box<dyn Solver<FrictionProblem>>); 2] {
    [
        ("sweeps", Box::new(BlockGaussSeidel::default())),
        ("newton", Box::new(FrictionNewton::default())),
    ]
}

/// Solved exactly if the residual, computed afresh, is at most 1e-10; the same bits again; in the cones.
#[track_caller]
fn check(name: &str, problem: &FrictionProblem, solver: &mut dyn Solver<FrictionProblem>) -> bool {
    let solution = solver.solve(problem, Start::Cold);
    assert_eq!(solution.z.len(), problem.len());
    assert!(solution.z.iter().all(|z| z.is_finite()), "{name}");
    let residual = problem.residuals(&solution.z).scaled;
    assert_eq!(residual, solution.residual, "{name}");
    assert_eq!(solution.status.is_solved(), residual <= 1e-10, "{name}");
    assert_eq!(solution, solver.solve(problem, Start::Cold), "{name}");
    let again = solver.solve(problem, Start::Point(&solution.z));
    if solution.status.is_solved() {
        assert_eq!(again.stats.iterations, 0, "{name}");
    }
    solution.status.is_solved()
}

fn laws(dimension: usize, mu: Vec<f64>) -> ContactLaws {
    ContactLaws {
        dimension,
        mu,
        ..ContactLaws::default()
    }
}

#[test]
fn heaps_under_both_laws() {
    for law in [FrictionLaw::Coulomb, FrictionLaw::Convex] {
        for (spheres, seed) in [(10, 1), (10, 2), (30, 1), (30, 2)] {
            let heap = collection::heap(spheres, seed).with_law(law);
            for (name, mut solver) in solvers() {
                assert!(
                    check(name, &heap, &mut *solver),
                    "{name} {law:?} {spheres} {seed}"
                );
            }
        }
    }
}

/// Cycles on the exact law circle around a solution of the last of these; with a part of the shift delayed they find it.
#[test]
fn hard_heaps_need_the_delayed_shift() {
    for (spheres, seed, needed) in [(30, 11, false), (100, 12, false), (100, 14, true)] {
        let heap = collection::heap(spheres, seed);
        // The law is never smoothed; from 290 cycles on some of them are left for the delay.
        for (iteration_limit, solved) in [(280, !needed), (500, true)] {
            let settings = FrictionNewtonSettings {
                smoothing_limit: 0,
                iteration_limit,
                ..FrictionNewtonSettings::default()
            };
            let mut newton = FrictionNewton::new(settings);
            assert_eq!(
                check("newton", &heap, &mut newton),
                solved,
                "{spheres} {seed}"
            );
        }
    }
}

/// Steps of the convex law do not grow with the heap.
#[test]
fn the_smoothed_convex_law_takes_few_steps() {
    for seed in 1..=4 {
        let heap = collection::heap(100, seed).with_law(FrictionLaw::Convex);
        let solution = FrictionNewton::default().solve(&heap, Start::Cold);
        assert!(solution.status.is_solved(), "{seed}");
        assert!(solution.stats.factorizations <= 25, "{seed}");
    }
}

/// The convex law has one velocity; both methods must find it.
#[test]
fn the_convex_velocity_is_one() {
    let heap = collection::heap(30, 3).with_law(FrictionLaw::Convex);
    let velocities = solvers().map(|(_, mut solver)| {
        let solution = solver.solve(&heap, Start::Cold);
        let mut v = vec![0.0; heap.nv()];
        heap.velocity_into(&solution.z, &[], &mut v);
        v
    });
    for (a, b) in velocities[0].iter().zip(&velocities[1]) {
        assert!((a - b).abs() < 1e-6, "{a} {b}");
    }
}

#[test]
fn with_and_without_bodies() {
    let heap = collection::heap(10, 1);
    let operator =
        FrictionProblem::from_delassus(&heap.delassus(), heap.q(), heap.laws().clone()).unwrap();
    for (name, mut solver) in solvers() {
        assert!(check(name, &operator, &mut *solver), "{name}");
        let (a, b) = (
            solver.solve(&heap, Start::Cold),
            solver.solve(&operator, Start::Cold),
        );
        for (a, b) in a.z.iter().zip(&b.z) {
            // Velocities agree to the tolerance; this heap is not hyperstatic.
            assert!((a - b).abs() < 1e-7, "{name} {a} {b}");
        }
    }
}

#[test]
fn nothing_and_next_to_nothing() {
    let none = FrictionProblem::new(FrictionData::default()).unwrap();
    let one = |mu: f64, q: [f64; 3]| {
        FrictionProblem::from_delassus(&sprs::CsMat::eye(3), q.to_vec(), laws(3, vec![mu])).unwrap()
    };
    for (name, mut solver) in solvers() {
        assert!(check(name, &none, &mut *solver), "{name}");
        for mu in [0.0, 1e-9, 0.5, 1e3] {
            for q in [
                [1.0, 2.0, 3.0],
                [-1.0, 0.0, 0.0],
                [-1e-3, 3.0, 4.0],
                [-2.0, 3.0, 4.0],
            ] {
                assert!(check(name, &one(mu, q), &mut *solver), "{name} {mu} {q:?}");
            }
        }
    }
}

/// Light on heavy, heavy on light; every contact twice and three times.
#[test]
fn redundant_contacts_and_mass_ratios() {
    for ratio in [1e-6, 1.0, 1e6] {
        let mut contacts = BlockRows::new(2, 2);
        let up = [0.0, 1.0, 1.0, 0.0];
        for copy in 0..3 {
            contacts.push([FIXED, 0], &[0.0; 4], &up);
            if copy < 2 {
                contacts.push([0, 1], &up.map(|x: f64| -x), &up);
            }
        }
        let problem = FrictionProblem::new(FrictionData {
            dofs: 2,
            mass: vec![1.0, 0.0, 0.0, 1.0, ratio, 0.0, 0.0, ratio],
            free_velocity: vec![0.5, -1.0, -1.0, -1.0],
            bias: vec![0.0; 2 * contacts.len()],
            mu: vec![0.3; contacts.len()],
            contacts,
            ..FrictionData::default()
        })
        .unwrap();
        for (name, mut solver) in solvers() {
            assert!(check(name, &problem, &mut *solver), "{name} {ratio}");
        }
    }
}

#[test]
fn bilateral_rows_hold() {
    let mut contacts = BlockRows::new(2, 2);
    contacts.push([FIXED, 0], &[0.0; 4], &[0.0, 1.0, 1.0, 0.0]);
    let mut bilateral = BlockRows::new(1, 2);
    bilateral.push([0, 1], &[1.0, 0.0], &[-1.0, 0.0]);
    bilateral.push([0, 1], &[0.0, 1.0], &[0.0, -1.0]);
    let problem = FrictionProblem::new(FrictionData {
        dofs: 2,
        mass: vec![1.0, 0.0, 0.0, 1.0, 3.0, 0.0, 0.0, 3.0],
        free_velocity: vec![5.0, -2.0, 1.0, -2.0],
        contacts,
        bias: vec![0.0; 2],
        mu: vec![0.5],
        bilateral,
        bilateral_bias: vec![0.0; 2],
        ..FrictionData::default()
    })
    .unwrap();
    for (name, mut solver) in solvers() {
        assert!(check(name, &problem, &mut *solver), "{name}");
        let z = solver.solve(&problem, Start::Cold).z;
        // 4 kg fall with 2 m/s: 8 N s, and friction 4 N s out of 8 N s of sliding.
        assert!(
            (z[0] - 8.0).abs() < 1e-8 && (z[1] + 4.0).abs() < 1e-8,
            "{name} {z:?}"
        );
    }
}

/// Two to five rows, redundant contacts, μ from 0 to 10, mass ratios to 1e6: honest whatever happens.
#[test]
fn random_contacts_end_honestly() {
    let mut failures = [0; 2];
    for seed in 0..300 {
        let step = collection::random_contacts(seed);
        for (i, (name, mut solver)) in solvers().into_iter().enumerate() {
            failures[i] += usize::from(!check(name, &step, &mut *solver));
        }
    }
    assert!(failures.iter().all(|f| *f <= 30), "{failures:?} of 300");
}

#[test]
fn polish_takes_an_answer_further() {
    for law in [FrictionLaw::Coulomb, FrictionLaw::Convex] {
        let heap = collection::heap(30, 1).with_law(law);
        let rough = BlockGaussSeidel::new(BlockGaussSeidelSettings {
            tolerance: 1e-6,
            ..BlockGaussSeidelSettings::default()
        })
        .solve(&heap, Start::Cold);
        assert!(rough.status.is_solved() && rough.residual > 1e-12);
        let mut polish = FrictionPolish::default();
        let fine = polish.solve(&heap, Start::Point(&rough.z));
        assert_eq!(fine.status, Status::Solved, "{law:?} {:e}", fine.residual);
        assert!(heap.residuals(&fine.z).scaled <= 1e-12);
        // From nothing there is nothing to polish, and it says so.
        let none = polish.solve(&heap, Start::Cold);
        assert_eq!(none.status.is_solved(), none.residual <= 1e-12);
    }
}
