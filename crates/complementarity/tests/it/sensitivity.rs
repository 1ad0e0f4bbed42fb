//! Derivatives of solutions: against differences, adjoint, and where they are not defined.

use signorini_complementarity::collection;
use signorini_complementarity::*;

use crate::functions::{Function, five_firms, kojima_shindo};

fn solve_tightly(mcp: &LinearMcp) -> Solution {
    let solution = BlockPivoting::default().solve(mcp, Start::Cold);
    assert_eq!(solution.status, Status::Solved);
    solution
}

/// A direction without pattern.
fn direction(n: usize, k: usize) -> Vec<f64> {
    (0..n).map(|i| ((3 * i + k) as f64).sin()).collect()
}

fn problems() -> Vec<LinearMcp> {
    let known = collection::planted_skew(14, 0, 3);
    let (bounded, _) = collection::planted_bounds(&known, 4);
    vec![known.lcp.into(), bounded]
}

/// The active set is constant near a strict solution, z is linear in q and rational in M there.
#[test]
fn derivatives_agree_with_differences() {
    for mcp in problems() {
        let n = mcp.len();
        let derivative = sensitivity(&mcp, &solve_tightly(&mcp)).unwrap();
        // Error of a central difference: step² and rounding over step.
        let step = 1e-5;
        let moved_q = |s: f64| {
            let q = mcp.q().iter().zip(direction(n, 1)).map(|(q, d)| q + s * d);
            let moved = LinearMcp::new(mcp.m().clone(), q.collect(), mcp.bounds().clone()).unwrap();
            solve_tightly(&moved).z
        };
        let mut dm = mcp.m().clone();
        let entries = direction(dm.nnz(), 2);
        dm.data_mut().copy_from_slice(&entries);
        let moved_m = |s: f64| {
            let mut m = mcp.m().clone();
            m.data_mut()
                .iter_mut()
                .zip(&entries)
                .for_each(|(m, d)| *m += s * d);
            let moved = LinearMcp::new(m, mcp.q().to_vec(), mcp.bounds().clone()).unwrap();
            solve_tightly(&moved).z
        };
        for (dz, [after, before]) in [
            (
                derivative.along_q(&direction(n, 1)),
                [moved_q(step), moved_q(-step)],
            ),
            (derivative.along_m(&dm), [moved_m(step), moved_m(-step)]),
        ] {
            assert!(dz.iter().any(|x| x.abs() > 1e-2));
            for (i, dz) in dz.iter().enumerate() {
                let difference = (after[i] - before[i]) / (2.0 * step);
                assert!((dz - difference).abs() < 1e-8, "{i}: {dz} {difference}");
            }
        }
    }
}

/// g · dz = ∇q · dq = Σ ∇q_i z_j dM_ij, and the matrix of dz/dq has the directions as products.
#[test]
fn gradients_are_adjoint_to_directions() {
    for mcp in problems() {
        let n = mcp.len();
        let derivative = sensitivity(&mcp, &solve_tightly(&mcp)).unwrap();
        let (g, dq) = (direction(n, 5), direction(n, 6));
        let gradient = derivative.gradient(&g);
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let dz = derivative.along_q(&dq);
        assert!((dot(&g, &dz) - dot(&gradient.q, &dq)).abs() < 1e-13);
        let of_m: f64 = mcp
            .m()
            .iter()
            .map(|(m, (i, j))| m * gradient.q[i] * gradient.z[j])
            .sum();
        assert!((dot(&g, &derivative.along_m(mcp.m())) - of_m).abs() < 1e-12);
        for (row, dz) in derivative.matrix().chunks_exact(n).zip(&dz) {
            assert!((dot(row, &dq) - dz).abs() < 1e-13);
        }
        for i in (0..n).filter(|i| !derivative.moving().contains(i)) {
            assert_eq!((dz[i], gradient.q[i]), (0.0, 0.0));
        }
    }
}

#[test]
fn biactive_indices_are_named() {
    let known = collection::planted_spd(9, 3, 8);
    let solution = solve_tightly(&known.lcp.clone().into());
    let f = |i: usize| {
        let row = known.lcp.m().iter().filter(|(_, at)| at.0 == i);
        known.lcp.q()[i] + row.map(|(m, at)| m * known.z[at.1]).sum::<f64>()
    };
    let expected: Vec<usize> = (0..9)
        .filter(|&i| known.z[i] == 0.0 && f(i).abs() < 1e-12)
        .collect();
    assert_eq!(expected.len(), 3);
    let error = sensitivity(&known.lcp, &solution).unwrap_err();
    assert_eq!(error, SensitivityError::Biactive { rows: expected });
}

#[test]
fn solutions_that_are_not_unique_and_points_that_are_none_have_no_derivative() {
    let known = collection::psd_singular(3);
    let mut solution = solve(&known.lcp).solution;
    // Inside the face of all answers.
    solution.z = vec![0.5, 0.25, 0.25];
    assert_eq!(
        sensitivity(&known.lcp, &solution).unwrap_err().to_string(),
        "z is not unique: the columns of variables [1, 2] depend on the others"
    );
    solution.status = Status::Ray;
    let status = Status::Ray;
    assert_eq!(
        sensitivity(&known.lcp, &solution).unwrap_err(),
        SensitivityError::NotSolved { status }
    );
}

fn solved(problem: &dyn Mcp, start: &[f64]) -> Solution {
    let settings = SemismoothSettings {
        tolerance: 1e-12,
        ..SemismoothSettings::default()
    };
    let solution = SemismoothNewton::new(settings).solve(problem, Start::Point(start));
    assert_eq!(solution.status, Status::Solved);
    solution
}

/// Output of each firm by the marginal cost of each, where all produce, and where the cost of the last is too high.
#[test]
fn equilibria_move_with_costs_as_differences_do() {
    for last in [0.0, 60.0] {
        let at = |shift: [f64; 5]| {
            let firms = five_firms(shift);
            let solution = solved(&firms, &[20.0; 5]);
            (sensitivity_at(&firms, &solution).unwrap(), solution.z)
        };
        let base = [0.0, 0.0, 0.0, 0.0, last];
        let (derivative, z) = at(base);
        let inside = if last > 0.0 { 4 } else { 5 };
        assert_eq!(derivative.moving(), (0..inside).collect::<Vec<_>>());
        assert_eq!(z[4] > 0.0, inside == 5);
        let step = 1e-4;
        for k in 0..5 {
            let moved = |by: f64| {
                let mut shift = base;
                shift[k] += by;
                at(shift).1
            };
            let mut unit = [0.0; 5];
            unit[k] = 1.0;
            let dz = derivative.along(&unit);
            let (after, before) = (moved(step), moved(-step));
            for i in 0..5 {
                let difference = (after[i] - before[i]) / (2.0 * step);
                // Error of a central difference, and the tolerance over the step.
                assert!((dz[i] - difference).abs() < 1e-6, "{i} by {k}: {dz:?}");
            }
            // Total output falls with every cost; by the transpose, all of its derivatives at once.
            let total = derivative.gradient(&[1.0; 5]).q[k];
            assert!((total - dz.iter().sum::<f64>()).abs() < 1e-12);
            assert!(total < 0.0 || k >= inside);
        }
    }
}

#[test]
fn nonlinear_solutions_without_derivative_say_why() {
    let problem = kojima_shindo();
    let degenerate = solved(&problem, &[1.25, 0.0, 0.0, 0.5]);
    assert!(degenerate.z[2].abs() < 1e-9);
    let rows = vec![2];
    assert_eq!(
        sensitivity_at(&problem, &degenerate).unwrap_err(),
        SensitivityError::Biactive { rows }
    );
    let mut unsolved = degenerate.clone();
    unsolved.status = Status::NoProgress;
    assert!(matches!(
        sensitivity_at(&problem, &unsolved),
        Err(SensitivityError::NotSolved { .. })
    ));
    // A circle of solutions.
    let circle = Function::free(2, |z, f, push| {
        for (i, f) in f.iter_mut().enumerate() {
            *f = z[0] * z[0] + z[1] * z[1] - 1.0;
            (0..2).for_each(|j| push(i, j, 2.0 * z[j]));
        }
        Ok(())
    });
    let solution = solved(&circle, &[0.6, 0.9]);
    assert_eq!(
        sensitivity_at(&circle, &solution).unwrap_err(),
        SensitivityError::NotUnique { rows: vec![1] }
    );
    // Not defined beside the point where it was solved.
    let narrow = Function::free(1, |_, f, push| {
        f[0] = f64::NAN;
        push(0, 0, 1.0);
        Ok(())
    });
    let mut elsewhere = solved(
        &Function::free(1, |z, f, push| {
            f[0] = z[0];
            push(0, 0, 1.0);
            Ok(())
        }),
        &[1.0],
    );
    elsewhere.status = Status::Solved;
    assert_eq!(
        sensitivity_at(&narrow, &elsewhere).unwrap_err(),
        SensitivityError::Domain { row: 0 }
    );
}
