//! Friction problems through the pyramid and Lemke's method: balls that touch, roll and collide.

use signorini_complementarity::*;

/// Uniform in [−1, 1), the same on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

fn unit(a: [f64; 3]) -> [f64; 3] {
    let length = a.iter().map(|x| x * x).sum::<f64>().sqrt();
    a.map(|x| x / length)
}

/// Contact rows of one side: sign · (d, arm × d) for the normal and two tangents.
fn side(n: [f64; 3], arm: [f64; 3], sign: f64) -> Vec<f64> {
    let reference = if n[2].abs() < 0.9 {
        [0.0, 0.0, 1.0]
    } else {
        [1.0, 0.0, 0.0]
    };
    let along: f64 = n.iter().zip(&reference).map(|(a, b)| a * b).sum();
    let t = unit([0, 1, 2].map(|k| reference[k] - along * n[k]));
    [n, t, cross(n, t)]
        .iter()
        .flat_map(|d| d.iter().copied().chain(cross(arm, *d)))
        .map(|x| sign * x)
        .collect()
}

/// Balls of radius 0.1 and 1 kg in a row on the plane, each touching the next, the last hit by a moving one above.
fn ball_row(balls: usize, seed: u64, gap: f64) -> FrictionData {
    let mut random = Random(seed);
    let (radius, inertia) = (0.1, 4e-3);
    let mut centres: Vec<[f64; 3]> = vec![[0.0, 0.0, radius]];
    while centres.len() + 1 < balls {
        let last = centres[centres.len() - 1];
        let turn = 0.5 * random.next();
        centres.push([
            last[0] + 2.0 * radius * turn.cos(),
            last[1] + 2.0 * radius * turn.sin(),
            radius,
        ]);
    }
    let top = centres[centres.len() - 1];
    let lift: f64 = 0.4 + 0.4 * random.next();
    centres.push([
        top[0] - 2.0 * radius * lift.cos(),
        top[1],
        top[2] + 2.0 * radius * lift.sin(),
    ]);
    let mut data = FrictionData {
        dofs: 6,
        contacts: BlockRows::new(3, 6),
        ..FrictionData::default()
    };
    for _ in 0..balls {
        for k in 0..36 {
            data.mass.push(if k % 7 != 0 {
                0.0
            } else if k < 18 {
                1.0
            } else {
                inertia
            });
        }
        data.free_velocity.extend((0..6).map(|_| random.next()));
    }
    let mut contact = |cols: [u32; 2], n: [f64; 3]| {
        let first = side(n, n.map(|x| radius * x), -1.0);
        data.contacts
            .push(cols, &first, &side(n, n.map(|x| -radius * x), 1.0));
        data.bias.extend([gap, 0.0, 0.0]);
        data.mu.push(0.4);
    };
    for i in 0..balls {
        if centres[i][2] < 1.01 * radius {
            contact([FIXED, u32::try_from(i).unwrap()], [0.0, 0.0, 1.0]);
        }
        for j in i + 1..balls {
            let offset = [0, 1, 2].map(|k| centres[j][k] - centres[i][k]);
            if offset.iter().map(|x| x * x).sum::<f64>() < (2.0 * radius * 1.01_f64).powi(2) {
                contact([i, j].map(|b| u32::try_from(b).unwrap()), unit(offset));
            }
        }
    }
    data
}

/// Every contact twice, the entries of the second copy off by relative multiples of `tilt`.
fn doubled(data: &FrictionData, tilt: f64) -> FrictionData {
    let mut twice = data.clone();
    for k in 0..data.contacts.len() {
        let shift = |side: usize| -> Vec<f64> {
            data.contacts
                .block(k, side)
                .iter()
                .enumerate()
                .map(|(e, x)| x * (1.0 + tilt * (e % 5) as f64))
                .collect()
        };
        twice
            .contacts
            .push(data.contacts.cols()[k], &shift(0), &shift(1));
        twice.bias.extend_from_slice(&data.bias[3 * k..3 * k + 3]);
        twice.mu.push(data.mu[k]);
    }
    twice
}

/// What every solved step owes to physics: unilateral contact, the cone, and no friction that drives.
fn check_physics(step: &FrictionProblem, pyramid: &Pyramid, z: &[f64]) {
    let (mut p, mut u) = (vec![0.0; step.bias().len()], vec![0.0; step.bias().len()]);
    let mut v = vec![0.0; step.nv()];
    pyramid.impulses_into(z, &mut p);
    step.velocity_into(&p, &[], &mut v);
    step.relative_velocity_into(&v, &mut u);
    for (k, (p, u)) in p.chunks_exact(3).zip(u.chunks_exact(3)).enumerate() {
        // Residual tolerance times the size of the terms, which is near one here, with room for their number.
        assert!(
            p[0] >= 0.0 && u[0] >= -1e-8 && p[0] * u[0] <= 1e-8,
            "{p:?} {u:?}"
        );
        assert!(
            p[1].hypot(p[2]) <= step.mu()[k] * p[0] + 1e-8,
            "outside of the cone: {p:?}"
        );
        assert!(
            p[1] * u[1] + p[2] * u[2] <= 1e-8,
            "friction drives: {p:?} {u:?}"
        );
    }
}

#[test]
fn rows_of_balls_are_solved_at_once_in_both_forms() {
    for (balls, seed) in (2..7).flat_map(|balls| (0..6).map(move |seed| (balls, seed))) {
        let step = FrictionProblem::new(ball_row(balls, seed, 1e-3)).unwrap();
        let mut normal = Vec::new();
        for form in [PyramidForm::Reduced, PyramidForm::Mixed] {
            let pyramid = step.pyramid(8, form);
            let solution = Lemke::default().solve(pyramid.problem(), Start::Cold);
            assert_eq!(
                (solution.status, solution.stats.restarts),
                (Status::Solved, 0),
                "{balls} {seed}"
            );
            check_physics(&step, &pyramid, &solution.z);
            normal.push(
                (0..pyramid.contacts())
                    .map(|k| solution.z[pyramid.normal(k)])
                    .collect::<Vec<_>>(),
            );
        }
        for (reduced, mixed) in normal[0].iter().zip(&normal[1]) {
            assert!(
                (reduced - mixed).abs() < 1e-9,
                "{balls} {seed}: {reduced} {mixed}"
            );
        }
    }
}

/// A step from the basis of the last one, after a small change of the velocity, takes few pivots.
#[test]
fn the_terminal_basis_is_a_good_start() {
    for seed in 0..10 {
        let data = ball_row(6, seed, 1e-3);
        let solve = |data: FrictionData, start: Start<'_>| {
            let pyramid = FrictionProblem::new(data)
                .unwrap()
                .pyramid(8, PyramidForm::Reduced);
            Lemke::default().solve(pyramid.problem(), start)
        };
        let cold = solve(data.clone(), Start::Cold);
        let mut moved = data;
        moved.free_velocity.iter_mut().for_each(|v| *v += 1e-6);
        let warm = solve(moved, Start::Basis(cold.basis.as_ref().unwrap()));
        assert_eq!(
            (warm.status, warm.stats.restarts),
            (Status::Solved, 0),
            "seed {seed} cold {:?} warm {:?}",
            cold.stats,
            warm.stats
        );
        assert!(
            4 * warm.stats.iterations <= cold.stats.iterations,
            "{} {}",
            warm.stats.iterations,
            cold.stats.iterations
        );
    }
}

/// First trap: every contact twice, with rows that differ by rounding or by 1e-8. Columns are then nearly parallel,
/// and a ratio test that accepts any pivot divides by rounding errors and ends in a false basis. The false answers
/// are never called solved, and with the guarded ratio test and restarts all problems are solved.
#[test]
fn nearly_parallel_columns_do_not_give_false_solutions() {
    let naive = LemkeSettings {
        retries: 0,
        pivot_tolerance: 0.0,
        pivot_floor: 0.0,
        suspicious_pivot: 0.0,
        tied_pivot_ratio: 0.0,
        refactor_interval: usize::MAX,
        pivot_limit: 1000,
        ..LemkeSettings::default()
    };
    let (mut problems, mut false_ends) = (0, 0);
    for tilt in [0.0, 1e-12, 1e-8] {
        for (balls, seed) in [(2, 3), (2, 4), (4, 0), (4, 1), (4, 2), (5, 0)] {
            let step = FrictionProblem::new(doubled(&ball_row(balls, seed, 1e-3), tilt)).unwrap();
            let pyramid = step.pyramid(8, PyramidForm::Reduced);
            let trapped = Lemke::new(naive.clone()).solve(pyramid.problem(), Start::Cold);
            let residual = natural_residual(pyramid.problem(), &trapped.z);
            assert_eq!(trapped.status.is_solved(), residual <= naive.tolerance);
            (problems, false_ends) = (
                problems + 1,
                false_ends + usize::from(!trapped.status.is_solved()),
            );
            let solution = Lemke::default().solve(pyramid.problem(), Start::Cold);
            assert_eq!(
                solution.status,
                Status::Solved,
                "tilt {tilt} {balls} {seed}"
            );
            check_physics(&step, &pyramid, &solution.z);
        }
    }
    assert!(
        3 * false_ends > problems,
        "the trap is real: {false_ends} of {problems}"
    );
}

/// Second trap: two contacts differ by 1e-8, and rounding hides that the artificial variable has vanished. The path
/// from the covering vector of ones then runs on to a ray, but its last point is the solution.
#[test]
fn a_path_that_runs_past_the_solution_has_solved_the_step() {
    let mut data = ball_row(2, 1, 1e-3);
    data.mu.fill(1.5);
    let step = FrictionProblem::new(doubled(&data, 1e-8)).unwrap();
    let pyramid = step.pyramid(8, PyramidForm::Reduced);
    let once = LemkeSettings {
        retries: 0,
        ..LemkeSettings::default()
    };
    let solution = Lemke::new(once).solve(pyramid.problem(), Start::Cold);
    assert_eq!(solution.status, Status::Solved);
    assert!(solution.certificate.is_none());
    check_physics(&step, &pyramid, &solution.z);
}

/// Two bodies on a rail, held together by one equation and, redundantly, by the same one again.
#[test]
fn bilateral_rows_are_equations_even_if_redundant() {
    let mut bilateral = BlockRows::new(1, 1);
    bilateral.push([0, 1], &[-1.0], &[1.0]);
    let mut data = FrictionData {
        dofs: 1,
        mass: vec![1.0, 3.0],
        free_velocity: vec![4.0, 0.0],
        bilateral: bilateral.clone(),
        bilateral_bias: vec![0.0],
        ..FrictionData::default()
    };
    for copies in 1..3 {
        let step = FrictionProblem::new(data.clone()).unwrap();
        for form in [PyramidForm::Reduced, PyramidForm::Mixed] {
            let pyramid = step.pyramid(8, form);
            let solution = Lemke::default().solve(pyramid.problem(), Start::Cold);
            assert_eq!(
                solution.status,
                Status::Solved,
                "{copies} {form:?} {solution:?}"
            );
            let mut v = [0.0; 2];
            step.velocity_into(&[], &solution.z[pyramid.bilateral()], &mut v);
            assert!(
                v.iter().all(|v| (v - 1.0).abs() < 1e-12),
                "{copies} {form:?} {v:?}"
            );
        }
        data.bilateral.push([0, 1], &[-1.0], &[1.0]);
        data.bilateral_bias.push(0.0);
    }
}
