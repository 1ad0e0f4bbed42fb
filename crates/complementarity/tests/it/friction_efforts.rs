//! Bilateral rows that give way: springs, motors with limits and dry friction in joints, by every solver.

use signorini_complementarity::*;

/// One body of 2 kg on a rail that moves with 3 m/s, and one row on it.
fn cart(compliance: f64, limit: f64, bias: f64) -> FrictionProblem {
    let mut bilateral = BlockRows::new(1, 1);
    bilateral.push([FIXED, 0], &[0.0], &[1.0]);
    FrictionProblem::new(FrictionData {
        dofs: 1,
        mass: vec![2.0],
        free_velocity: vec![3.0],
        bilateral,
        bilateral_bias: vec![bias],
        bilateral_compliance: vec![compliance],
        bilateral_limit: vec![limit],
        ..FrictionData::default()
    })
    .unwrap()
}

fn solvers() -> Vec<Box<dyn Solver<FrictionProblem>>> {
    vec![
        Box::new(FrictionNewton::default()),
        Box::new(BlockGaussSeidel::default()),
        Box::new(ProximalPoint::default()),
        Box::new(Admm::default()),
        Box::new(Extragradient::default()),
        Box::new(AcceleratedGradient::default()),
        Box::new(FrictionPolish::default()),
    ]
}

/// p = P(−(v + b)/(1/m + R)).
#[test]
fn one_row_has_its_closed_form() {
    for (compliance, limit, bias, expected) in [
        (0.0, f64::INFINITY, 0.0, -6.0),
        (0.5, f64::INFINITY, 0.0, -3.0),
        (0.0, 2.0, 0.0, -2.0),
        (0.0, 2.0, -3.5, 1.0),
        (0.5, 1.0, 1.0, -1.0),
        (0.0, 0.0, 1.0, 0.0),
    ] {
        let problem = cart(compliance, limit, bias);
        for mut solver in solvers() {
            let solution = solver.solve(&problem, Start::Cold);
            assert!(
                solution.status.is_solved(),
                "{compliance} {limit}: {solution:?}"
            );
            assert!(
                (solution.z[0] - expected).abs() < 1e-4,
                "{compliance} {limit}: {solution:?}"
            );
        }
        for form in [PyramidForm::Reduced, PyramidForm::Mixed] {
            let pyramid = problem.pyramid(4, form);
            let solution = Lemke::default().solve(pyramid.problem(), Start::Cold);
            assert!(solution.status.is_solved(), "{form:?} {solution:?}");
            let p = solution.z[pyramid.bilateral()][0];
            assert!((p - expected).abs() < 1e-12, "{form:?}: {p}");
        }
    }
}

/// A heap of spheres with rods, springs and weak rods between them.
fn bound_heap(seed: u64, law: FrictionLaw) -> FrictionProblem {
    let mut data = collection::heap(10, seed).with_law(law).into_data();
    let dofs = data.dofs;
    let cols = data.contacts.cols().to_vec();
    let mut bilateral = BlockRows::new(1, dofs);
    (data.bilateral_compliance, data.bilateral_limit) = (Vec::new(), Vec::new());
    for (k, &[a, b]) in cols.iter().enumerate().filter(|(k, _)| k % 3 == 0) {
        let row = |side: usize| {
            let block = data.contacts.block(k, side);
            // The first tangent of the contact.
            block[dofs..2 * dofs].to_vec()
        };
        bilateral.push([a, b], &row(0), &row(1));
        data.bilateral_bias.push(0.01 * (k as f64).sin());
        data.bilateral_compliance
            .push(if k % 2 == 0 { 0.0 } else { 0.3 });
        let limit = [f64::INFINITY, 1e-3, 1e-2][k / 3 % 3];
        data.bilateral_limit.push(limit);
    }
    data.bilateral = bilateral;
    FrictionProblem::new(data).unwrap()
}

#[test]
fn heaps_with_rows_that_give_way_are_solved() {
    for seed in 1..5 {
        for law in [FrictionLaw::Coulomb, FrictionLaw::Convex] {
            let problem = bound_heap(seed, law);
            let settings = FrictionSettings {
                tolerance: 1e-10,
                measure: ResidualMeasure::Scaled,
            };
            let answer = solve_friction(&problem, &settings);
            let solution = &answer.solution;
            assert!(solution.status.is_solved(), "{seed} {law:?} {answer:?}");
            let data = problem.clone().into_data();
            let first = problem.contact_count() * problem.dimension();
            let mut u = vec![0.0; problem.len()];
            problem.relative_velocities_into(&solution.z, &mut u);
            let mut at_limit = 0;
            for (k, limit) in data.bilateral_limit.iter().enumerate() {
                let (p, u) = (solution.z[first + k], u[first + k]);
                assert!(p.abs() <= *limit);
                if p.abs() < *limit * (1.0 - 1e-9) {
                    assert!(u.abs() < 1e-8, "{seed} {law:?} {k}: {p} {u}");
                } else {
                    at_limit += 1;
                    assert!(p * u <= 1e-12, "{seed} {law:?} {k}: {p} {u}");
                }
            }
            assert!(at_limit > 0, "{seed} {law:?}: no row is at its limit");
            // Each solver: honest, and near the same answer where it says so.
            for mut solver in solvers() {
                let found = solver.solve(&problem, Start::Cold);
                assert!(found.residual.is_finite());
                if found.status.is_solved() {
                    let residuals = problem.residuals(&found.z);
                    let least = residuals.relative.min(residuals.scaled);
                    assert!(least <= 1e-3, "{seed} {law:?}");
                }
            }
            let goal = (ResidualMeasure::Scaled, 1e-10);
            let parts = solve_islands(&problem, goal, Start::Cold, |part, start| {
                FrictionNewton::default().solve(part, start)
            });
            assert!(parts.status.is_solved(), "{seed} {law:?}");
        }
    }
}

#[test]
fn rows_that_make_no_sense_are_refused() {
    let data = cart(0.5, 1.0, 0.0).into_data();
    let refused = |change: &dyn Fn(&mut FrictionData)| {
        let mut data = data.clone();
        change(&mut data);
        FrictionProblem::new(data).unwrap_err().to_string()
    };
    assert_eq!(
        refused(&|d| d.bilateral_limit[0] = -1.0),
        "bilateral_limit[0] is -1, must be >= 0"
    );
    assert_eq!(
        refused(&|d| d.bilateral_compliance.push(1.0)),
        "bilateral_compliance has length 2, expected 1"
    );
}
