//! Lemke's method in the plane from points near a solution: piles of discs at rest, whose contacts are redundant.

use signorini_complementarity::{
    BlockRows, FIXED, FrictionData, FrictionNewton, FrictionNewtonSettings, FrictionProblem,
    PlanarLemke, PlanarLemkeSettings, Solver, Start, Status,
};

/// Discs of 1 m and 1 kg in a triangle of `rows` rows, the lowest on the ground and between two walls; one step of 0.05 s from rest.
/// Gaps are up to `off`, in m, without pattern.
fn triangle(rows: usize, off: f64) -> FrictionProblem {
    let (h, g) = (0.05, 9.81);
    let (mut contacts, mut bias) = (BlockRows::new(2, 3), Vec::new());
    let number = |row: usize, column: usize| (0..row).map(|r| rows - r).sum::<usize>() + column;
    let index = |k: usize| u32::try_from(k).unwrap();
    // Contact of the discs a (or the ground) and b, with the normal from a to b.
    let mut touch = |a: Option<usize>, b: usize, [x, y]: [f64; 2]| {
        let t = [-y, x];
        // v_b + ω_b × (−n), against v_a + ω_a × n: both arms turn along the tangent.
        let of_b = [x, y, 0.0, t[0], t[1], -1.0];
        let of_a = [-x, -y, 0.0, -t[0], -t[1], -1.0];
        match a {
            Some(a) => contacts.push([index(a), index(b)], &of_a, &of_b),
            None => contacts.push([FIXED, index(b)], &[0.0; 6], &of_b),
        }
        let k = bias.len() / 2;
        let pattern_free = (0.618_033_988_749_895 * (k + 1) as f64).fract();
        bias.extend([off * pattern_free / h, 0.0]);
    };
    let (half, high) = (0.5, 0.75_f64.sqrt());
    for row in 0..rows {
        let length = rows - row;
        for column in 0..length {
            let disc = number(row, column);
            if row == 0 {
                touch(None, disc, [0.0, 1.0]);
            } else {
                touch(Some(number(row - 1, column)), disc, [half, high]);
                touch(Some(number(row - 1, column + 1)), disc, [-half, high]);
            }
            if column + 1 < length {
                touch(Some(disc), number(row, column + 1), [1.0, 0.0]);
            }
        }
    }
    touch(None, 0, [1.0, 0.0]);
    touch(None, rows - 1, [-1.0, 0.0]);
    let discs = rows * (rows + 1) / 2;
    let mut mass = vec![0.0; 9 * discs];
    for block in mass.chunks_exact_mut(9) {
        (block[0], block[4], block[8]) = (1.0, 1.0, 0.5);
    }
    let count = bias.len() / 2;
    FrictionProblem::new(FrictionData {
        dofs: 3,
        mass,
        free_velocity: [0.0, -g * h, 0.0].repeat(discs),
        contacts,
        bias,
        mu: vec![0.3; count],
        ..FrictionData::default()
    })
    .unwrap()
}

/// What Newton's method leaves of an answer within a few cycles is found in fewer pivots than there are contacts.
#[test]
fn piles_at_rest_are_solved_from_what_newton_leaves() {
    let (mut asked, mut found) = (0, 0);
    for rows in 4..=9 {
        for k in 0..8 {
            let problem = triangle(rows, 10.0_f64.powi(-5 - k));
            let mut newton = FrictionNewton::new(FrictionNewtonSettings {
                tolerance: 1e-13,
                iteration_limit: 2,
                smoothing_limit: 0,
                ..FrictionNewtonSettings::default()
            });
            let near = newton.solve(&problem, Start::Cold);
            let mut solver = PlanarLemke::new(PlanarLemkeSettings {
                tolerance: 1e-12,
                cold_limit: 0,
                ..PlanarLemkeSettings::default()
            });
            let solution = solver.solve(&problem, Start::Point(&near.z));
            let residual = problem.residuals(&solution.z).scaled;
            assert_eq!(residual, solution.residual, "{rows} {k}");
            assert!(residual <= near.residual, "{rows} {k}");
            assert_eq!(
                solution.status == Status::Solved,
                residual <= 1e-12,
                "{rows} {k}"
            );
            if near.residual > 1e-12 {
                asked += 1;
                found += usize::from(solution.status == Status::Solved);
            }
        }
    }
    assert!(asked >= 20 && 10 * found >= 9 * asked, "{found} of {asked}");
}
