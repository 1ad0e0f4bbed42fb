//! Lemke's method in the plane from points near a solution: piles of discs at rest, whose contacts are redundant.

use signorini_complementarity::{
    BlockRows, FIXED, FrictionData, FrictionNewton, FrictionNewtonSettings, FrictionProblem,
    PlanarLemke, PlanarLemkeSettings, Solution, Solver, Start, Status,
};

/// Discs of 1 m and 1 kg in a triangle of `rows` rows, the lowest on the ground and between two walls; one step of 0.05 s from rest.
/// Gaps are up to `off`, in m, without pattern.
fn triangle(rows: usize, off: f64, speed: f64) -> FrictionProblem {
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
    let noise = |k: usize| (0.754_877_666_246_693 * (k + 1) as f64).fract() - 0.5;
    let still = [0.0, -g * h, 0.0].repeat(discs);
    let moving = still.iter().enumerate().map(|(k, v)| v + speed * noise(k));
    FrictionProblem::new(FrictionData {
        dofs: 3,
        mass,
        free_velocity: moving.collect(),
        contacts,
        bias,
        mu: vec![0.3; count],
        ..FrictionData::default()
    })
    .unwrap()
}

/// Paths may end without an answer; whatever comes back is no worse than the start, and is what it says.
#[test]
fn answers_are_what_they_say() {
    let mut solved = 0;
    for (rows, off, speed) in [
        (3, 1e-3, 0.5),
        (4, 1e-6, 1e-3),
        (4, 1e-3, 0.1),
        (5, 1e-6, 1e-2),
        (5, 1e-3, 0.5),
        (6, 1e-3, 0.1),
    ] {
        let problem = triangle(rows, off, speed);
        let near = newton(&problem, Start::Cold, 2);
        let settings = PlanarLemkeSettings {
            tolerance: 1e-12,
            ..PlanarLemkeSettings::default()
        };
        for start in [Start::Cold, Start::Point(&near.z)] {
            let solution = PlanarLemke::new(settings.clone()).solve(&problem, start);
            let residual = problem.residuals(&solution.z).scaled;
            assert_eq!(residual, solution.residual, "{rows} {speed}");
            assert!(residual <= near.residual, "{rows} {speed}");
            let is_solved = solution.status == Status::Solved;
            assert_eq!(is_solved, residual <= 1e-12, "{rows} {speed}");
            solved += usize::from(is_solved);
        }
    }
    assert_eq!(solved, 12);
}

/// What Newton's method leaves of steps of a pile that slides down is solved in fewer pivots than there are contacts, where a path
/// from nothing takes more than twice as many.
#[test]
fn a_pile_is_solved_from_what_newton_leaves() {
    for step in [1, 8] {
        let path = format!(
            "{}/../../fixtures/problems/pile_of_66_discs_{step}.json",
            env!("CARGO_MANIFEST_DIR")
        );
        let text = std::fs::read_to_string(path).unwrap();
        let (problem, guess) = read(&text);
        let near = newton(&problem, Start::Point(&guess), 8);
        assert!(near.residual > 1e-10, "{step}: {}", near.residual);
        let settings = PlanarLemkeSettings {
            cold_limit: 0,
            ..PlanarLemkeSettings::default()
        };
        let solution = PlanarLemke::new(settings).solve(&problem, Start::Point(&near.z));
        assert_eq!(solution.status, Status::Solved, "{step}");
        assert!(problem.residuals(&solution.z).scaled <= 1e-14);
        let pivots = solution.stats.iterations;
        assert!(pivots < problem.contact_count(), "{step}: {pivots}");
        let cold = PlanarLemke::default().solve(&problem, Start::Cold);
        assert_eq!(cold.status, Status::Solved, "{step}");
        assert!(cold.stats.iterations > 2 * pivots, "{step}");
    }
}

/// A problem of bodies with three rows, and the impulses of the step before.
fn read(text: &str) -> (FrictionProblem, Vec<f64>) {
    let step: serde_json::Value = serde_json::from_str(text).unwrap();
    let numbers = |key: &str| -> Vec<f64> { serde_json::from_value(step[key].clone()).unwrap() };
    let bodies: Vec<[u32; 2]> = serde_json::from_value(step["bodies"].clone()).unwrap();
    let (rows, mut contacts) = (numbers("rows"), BlockRows::new(2, 3));
    for (cols, values) in bodies.iter().zip(rows.chunks_exact(12)) {
        contacts.push(*cols, &values[..6], &values[6..]);
    }
    let problem = FrictionProblem::new(FrictionData {
        dofs: 3,
        mass: numbers("mass"),
        free_velocity: numbers("free_velocity"),
        contacts,
        bias: numbers("bias"),
        mu: numbers("mu"),
        ..FrictionData::default()
    });
    (problem.unwrap(), numbers("guess"))
}

fn newton(problem: &FrictionProblem, start: Start<'_>, cycles: usize) -> Solution {
    let mut newton = FrictionNewton::new(FrictionNewtonSettings {
        tolerance: 1e-13,
        iteration_limit: cycles,
        smoothing_limit: 0,
        ..FrictionNewtonSettings::default()
    });
    newton.solve(problem, start)
}
