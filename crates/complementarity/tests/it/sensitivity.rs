//! Derivatives of solutions: against differences, adjoint, and where they are not defined.

use signorini_complementarity::collection;
use signorini_complementarity::*;

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
