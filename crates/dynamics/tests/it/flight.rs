//! Free flight: momentum, energy, gyroscopic torque.

use nalgebra::Vector3;
use signorini_dynamics::{
    AppliedWrench, Body, Gyroscopic, Inertia, Rotation, State, System, World, WorldSettings,
};

use crate::support::{assert_close, mass_product, omega_body, tumblers, weightless};

/// v⁺ = free velocity, q⁺ = q moved with v⁺.
fn fly(system: &dyn System, state: &mut State, h: f64, steps: usize) {
    let (mut v, mut q) = (state.v.clone(), state.q.clone());
    for _ in 0..steps {
        system.free_velocity(state.t, &state.q, &state.v, h, &mut v);
        system.retract(&state.q, &v, h, Rotation::LieGroup, &mut q);
        state.q.copy_from_slice(&q);
        state.v.copy_from_slice(&v);
        state.t += h;
    }
}

#[test]
fn without_forces_energy_and_linear_momentum_stay_and_angular_momentum_drifts_with_h() {
    let world = tumblers(weightless());
    let drift = |h: f64, steps: usize| {
        let mut state = world.initial_state();
        let (energy, momentum) = (
            world.energy(&state.q, &state.v),
            world.momentum(&state.q, &state.v),
        );
        fly(&world, &mut state, h, steps);
        let after = world.momentum(&state.q, &state.v);
        assert_close(&after[..3], &momentum[..3], 1e-15);
        // Rounding of 1e-16 per step adds up.
        assert!((world.energy(&state.q, &state.v).kinetic / energy.kinetic - 1.0).abs() < 1e-12);
        after
            .iter()
            .zip(&momentum)
            .map(|(a, b)| (a - b).abs())
            .fold(0.0, f64::max)
    };
    // The midpoint rule keeps |I ω| of each body; its direction in space is of first order.
    let ratio = drift(0.02, 100) / drift(0.01, 200);
    assert!((1.8..2.2).contains(&ratio), "{ratio}");
}

#[test]
fn under_gravity_momentum_grows_by_the_weight_and_energy_falls_by_the_scheme() {
    let gravity = Vector3::new(0.5, -1.0, -9.82);
    let world = tumblers(WorldSettings {
        gravity,
        ..WorldSettings::default()
    });
    let (h, steps) = (0.01, 50);
    let mut state = world.initial_state();
    let before = (
        world.momentum(&state.q, &state.v),
        world.energy(&state.q, &state.v),
    );
    fly(&world, &mut state, h, steps);
    let after = (
        world.momentum(&state.q, &state.v),
        world.energy(&state.q, &state.v),
    );
    let mass = 2.5;
    for k in 0..3 {
        assert!((after.0[k] - before.0[k] - mass * gravity[k] * 0.5).abs() < 1e-13);
    }
    // q⁺ = q + h v⁺ falls further than the parabola: each step loses m |g|² h² / 2.
    let lost = 0.5 * mass * gravity.norm_squared() * h * h * 50.0;
    assert!((before.1.total() - after.1.total() - lost).abs() < 1e-11);
}

#[test]
fn the_explicit_gyroscopic_torque_does_no_work_to_first_order() {
    let world = tumblers(WorldSettings {
        gyroscopic: Gyroscopic::Explicit,
        ..weightless()
    });
    let state = world.initial_state();
    let mut v = vec![f64::NAN; 12];
    world.free_velocity(0.0, &state.q, &state.v, 0.1, &mut v);
    let change: Vec<f64> = v.iter().zip(&state.v).map(|(a, b)| a - b).collect();
    assert!(
        change.iter().any(|x| x.abs() > 1e-3),
        "there is a gyroscopic torque"
    );
    let power: f64 = mass_product(&world, &state.q, &change)
        .iter()
        .zip(&state.v)
        .map(|(p, v)| p * v)
        .sum();
    assert!(power.abs() < 1e-15, "{power:e}");
}

#[test]
fn an_asymmetric_top_flips_at_the_exact_times() {
    // Euler's top with moments 1, 2, 3 from ω = (0.1, 1, 0.1): ω₂ has the period 4 K(k)/p with k² = 0.98058252427 and
    // its first zero at 6.88570308390502 s.
    let (zero, period) = (6.885_703_083_905_02, 22.996_262_944_122_51);
    let mut world = World::with_settings(weightless()).unwrap();
    let mut body = Body::moving("top", 1.0, Inertia::Principal([1.0, 2.0, 3.0]));
    body.velocity[3..].copy_from_slice(&[0.1, 1.0, 0.1]);
    let top = world.add(body).unwrap();
    let error = |h: f64| {
        let mut state = world.initial_state();
        let mut crossings = Vec::new();
        let middle = |s: &State| omega_body(&world, &s.q, &s.v, top).y;
        while crossings.len() < 3 {
            let before = middle(&state);
            fly(&world, &mut state, h, 1);
            let after = middle(&state);
            if before * after <= 0.0 && before != 0.0 {
                crossings.push(state.t - h * after / (after - before));
            }
        }
        assert!((world.energy(&state.q, &state.v).kinetic - 1.02).abs() < 1e-12);
        [
            (crossings[0] - zero).abs(),
            (crossings[2] - crossings[0] - period).abs(),
        ]
    };
    let (coarse, fine) = (error(0.01), error(0.005));
    assert!(fine.iter().all(|&e| e < 2e-4), "{fine:?}");
    for (c, f) in coarse.iter().zip(fine) {
        assert!(
            (3.5..4.5).contains(&(c / f)),
            "order 2: {coarse:?} {fine:?}"
        );
    }
}

#[test]
fn torque_turns_and_force_pushes_by_the_exact_impulse() {
    let mut world = tumblers(weightless());
    let top = world.body("top").unwrap();
    let wrench = vec![0.2, -0.1, 0.4, 0.01, 0.02, -0.03];
    world
        .apply(AppliedWrench::constant(top, wrench.clone()))
        .unwrap();
    let state = world.initial_state();
    let free = tumblers(weightless());
    let (mut with, mut without) = (vec![0.0; 12], vec![0.0; 12]);
    let h = 0.01;
    world.free_velocity(0.0, &state.q, &state.v, h, &mut with);
    free.free_velocity(0.0, &state.q, &state.v, h, &mut without);
    let change: Vec<f64> = with.iter().zip(&without).map(|(a, b)| a - b).collect();
    let impulse = mass_product(&world, &state.q, &change);
    assert_close(&impulse[..6], &[0.0; 6], 0.0);
    for k in 0..6 {
        // The gyroscopic torque sees half of the change: second order in h.
        let tolerance = if k < 3 { 1e-16 } else { h * h };
        assert!((impulse[6 + k] - h * wrench[k]).abs() < tolerance);
    }
}

#[test]
fn a_step_of_no_time_changes_nothing() {
    let world = tumblers(WorldSettings::default());
    let state = world.initial_state();
    let (mut v, mut q) = (vec![f64::NAN; 12], vec![f64::NAN; 14]);
    world.free_velocity(0.0, &state.q, &state.v, 0.0, &mut v);
    world.retract(&state.q, &v, 0.0, Rotation::Printed, &mut q);
    assert_eq!((v, q), (state.v, state.q));
}

fn momentum_rule() -> WorldSettings<3> {
    WorldSettings {
        gyroscopic: Gyroscopic::Momentum,
        ..weightless()
    }
}

#[test]
fn the_rule_of_momentum_keeps_momentum_and_energy_to_rounding() {
    let world = tumblers(momentum_rule());
    for rotation in [Rotation::Printed, Rotation::LieGroup] {
        let mut state = world.initial_state();
        let (energy, momentum) = (
            world.energy(&state.q, &state.v).kinetic,
            world.momentum(&state.q, &state.v),
        );
        let (mut v, mut q) = (state.v.clone(), state.q.clone());
        for _ in 0..1000 {
            world.free_velocity(state.t, &state.q, &state.v, 0.1, &mut v);
            world.retract(&state.q, &v, 0.1, rotation, &mut q);
            state.q.copy_from_slice(&q);
            state.v.copy_from_slice(&v);
        }
        // A thousand roundings of 1e-16 add up.
        let after = world.momentum(&state.q, &state.v);
        let size = momentum.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        assert_close(&after[..3], &momentum[..3], 1e-13 * size);
        for (a, b) in after[3..].iter().zip(&momentum[3..]) {
            // Bodies move on, so that the moment of their momentum is of the size of the way.
            assert!((a - b).abs() < 1e-11 * size, "{a} {b}");
        }
        assert!((world.energy(&state.q, &state.v).kinetic / energy - 1.0).abs() < 1e-12);
    }
}

#[test]
fn the_rule_of_momentum_adds_the_impulse_of_a_torque_exactly() {
    let mut world = tumblers(momentum_rule());
    let top = world.body("top").unwrap();
    let wrench = vec![0.0, 0.0, 0.0, 0.3, -0.2, 0.5];
    world
        .apply(AppliedWrench::constant(top, wrench.clone()))
        .unwrap();
    let mut state = world.initial_state();
    let before = world.momentum(&state.q, &state.v);
    let h = 0.05;
    fly(&world, &mut state, h, 40);
    let after = world.momentum(&state.q, &state.v);
    for k in 3..6 {
        let expected = before[k] + 40.0 * h * wrench[k];
        assert!(
            (after[k] - expected).abs() < 1e-13,
            "{} {expected}",
            after[k]
        );
    }
}

#[test]
fn the_rule_of_momentum_is_of_second_order() {
    let world = tumblers(momentum_rule());
    let end = |h: f64, steps: usize| {
        let mut state = world.initial_state();
        fly(&world, &mut state, h, steps);
        state.q
    };
    let exact = end(0.001, 1000);
    let error = |h: f64, steps: usize| {
        let q = end(h, steps);
        let pairs = q.iter().zip(&exact);
        pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    };
    let ratio = error(0.02, 50) / error(0.01, 100);
    assert!((3.7..4.3).contains(&ratio), "{ratio}");
}
