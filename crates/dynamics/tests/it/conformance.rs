//! The formulas of the papers and the structure of M and G.

use signorini_complementarity::FIXED;
use signorini_dynamics::{Rotation, System};

use crate::support::{all_contacts, assert_close, kinetic, rod_world, tumblers, weightless};

#[test]
fn rod_rows_are_those_of_the_paper_with_the_end_radius_in_the_lever_arm() {
    // ST2000 section 5: Φ± = y ± (l/2) sin θ − r, normals [0, 1, ±(l/2) cos θ]. The friction vectors are printed as
    // [±1, 0, ±(l/2) sin θ]; the contact point is r below the centre of the end, hence [1, 0, r ∓ (l/2) sin θ].
    let world = rod_world();
    let (half, r) = (0.25, 0.05);
    for q in [[0.3, 1.0, 0.7], [0.0, 0.05, 0.0], [-2.0, 0.01, -1.2]] {
        let contacts = all_contacts(&world, &q);
        let (sin, cos) = q[2].sin_cos();
        assert_eq!(contacts.len(), 2);
        for (k, s) in [1.0, -1.0].into_iter().enumerate() {
            assert_eq!(contacts.rows.cols()[k], [FIXED, 0]);
            let gap = q[1] + s * half * sin - r;
            // t = (−n_y, n_x) = (−1, 0), so the tangent row has the opposite sign of the printed one.
            let rows = [0.0, 1.0, s * half * cos, -1.0, 0.0, -(r - s * half * sin)];
            assert_close(contacts.rows.block(k, 1), &rows, 1e-15);
            assert_close(&contacts.gap[k..=k], &[gap], 1e-15);
            assert_close(&contacts.normal[2 * k..][..2], &[0.0, 1.0], 0.0);
            assert_close(&contacts.tangent[2 * k..][..2], &[-1.0, 0.0], 0.0);
            let middle = [q[0] + s * half * cos, 0.5 * gap];
            assert_close(&contacts.point[2 * k..][..2], &middle, 1e-15);
        }
    }
}

#[test]
fn kinematic_map_has_the_identity_and_a_quarter_of_it_as_gram_matrix() {
    let world = tumblers(weightless());
    let state = world.initial_state();
    let g = world.kinematic_map(&state.q);
    assert_eq!((g.shape(), g.nnz()), ((14, 12), 2 * (3 + 12)));
    let gram = &g.transpose_view() * &g;
    for i in 0..12 {
        for j in 0..12 {
            let expected = if i != j {
                0.0
            } else if i % 6 < 3 {
                1.0
            } else {
                0.25
            };
            let entry = gram.get(i, j).copied().unwrap_or(0.0);
            assert!((entry - expected).abs() < 1e-15, "({i}, {j}): {entry}");
        }
    }
    let plane = rod_world();
    let q = plane.initial_state().q;
    assert_eq!(plane.kinematic_map(&q), sprs::CsMat::eye(3));
}

#[test]
fn retract_follows_the_kinematic_map() {
    let world = tumblers(weightless());
    let state = world.initial_state();
    let g = world.kinematic_map(&state.q);
    let rate: Vec<f64> = g
        .outer_iterator()
        .map(|row| row.iter().map(|(j, x)| x * state.v[j]).sum())
        .collect();
    let h = 1e-5;
    for rule in [Rotation::Printed, Rotation::LieGroup] {
        let (mut forward, mut back) = (vec![f64::NAN; 14], vec![f64::NAN; 14]);
        world.retract(&state.q, &state.v, h, rule, &mut forward);
        world.retract(&state.q, &state.v, -h, rule, &mut back);
        let difference: Vec<f64> = forward
            .iter()
            .zip(&back)
            .map(|(a, b)| (a - b) / (2.0 * h))
            .collect();
        // Rounding over 2 h is 1e-11, the third derivative times h² likewise.
        assert_close(&difference, &rate, 5e-11);
    }
}

#[test]
fn normalised_euler_steps_have_order_two_and_exponential_steps_are_exact() {
    // A constant angular velocity for 1 s. The printed rule lags h³ω³/12 per step: h² ω³/12 in all.
    let world = tumblers(weightless());
    let state = world.initial_state();
    let run = |rule: Rotation, steps: i32| {
        let (mut q, mut next) = (state.q.clone(), vec![f64::NAN; 14]);
        for _ in 0..steps {
            world.retract(&q, &state.v, 1.0 / f64::from(steps), rule, &mut next);
            std::mem::swap(&mut q, &mut next);
        }
        for p in q.chunks_exact(7) {
            assert!((p[3..].iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 1e-15);
        }
        q
    };
    let exact = run(Rotation::LieGroup, 1);
    assert_close(&run(Rotation::LieGroup, 1000), &exact, 1e-13);
    let error = |steps: i32| -> f64 {
        run(Rotation::Printed, steps)
            .iter()
            .zip(&exact)
            .map(|(a, b)| (a - b).abs())
            .fold(0.0, f64::max)
    };
    let ratios = [error(100) / error(200), error(200) / error(400)];
    assert!(
        ratios.iter().all(|r| (r - 4.0).abs() < 0.01),
        "order 2: {ratios:?}"
    );
}

#[test]
fn mass_blocks_turn_with_the_body_and_stay_symmetric() {
    let world = tumblers(weightless());
    let state = world.initial_state();
    let mut blocks = vec![f64::NAN; 3];
    world.mass_blocks(&state.q, &mut blocks);
    assert_eq!(blocks.len(), 72);
    for block in blocks.chunks_exact(36) {
        for i in 0..6 {
            for j in 0..6 {
                assert_eq!(block[6 * i + j].to_bits(), block[6 * j + i].to_bits());
            }
        }
        // The trace of the inertia does not turn; those of the two bodies are 4.7 and 0.6.
        let trace = block[21] + block[28] + block[35];
        let expected = if block[0] > 1.0 { 4.7 } else { 0.6 };
        assert!((trace - expected).abs() < 1e-14);
    }
    let energy = world.energy(&state.q, &state.v).kinetic;
    assert!((kinetic(&world, &state.q, &state.v) / energy - 1.0).abs() < 1e-15);
}

#[test]
fn scale_is_that_of_the_smallest_body_and_its_fall() {
    let scale = rod_world().scale();
    assert_eq!((scale.length, scale.mass), (0.6, 1.0));
    assert!((scale.time - (0.6_f64 / 9.81).sqrt()).abs() < 1e-16);
}
