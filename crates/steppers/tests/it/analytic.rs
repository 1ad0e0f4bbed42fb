//! Steps and runs with closed-form answers.

use signorini_dynamics::{AppliedWrench, Body, Inertia, World};
use signorini_geometry::Capsule;
use signorini_steppers::{
    AnitescuPotra, Evaluation, Mode, Run, Stepper, StewartTrinkle, StewartTrinkleSettings,
};

use crate::worlds::{G, ball, block, close, down, over_floor, rod, run, run_default};

/// Rounding of a few hundred steps with numbers of order one.
const ROUNDING: f64 = 1e-12;

#[test]
fn a_falling_ball_steps_as_symplectic_euler_does() {
    let world = ball(0.5, down(), 0.1, 1.0);
    let (trajectory, state) = run_default(&world, 0.01, 0.1);
    // After n steps z = z0 − g h² n (n + 1) / 2.
    close(state.q[2], 1.0 - G * 1e-4 * 55.0, ROUNDING);
    assert!(
        trajectory
            .reports
            .iter()
            .all(|r| r.contacts.is_empty() && r.lcp_size == 0)
    );
}

#[test]
fn a_resting_ball_rests_and_is_carried() {
    let world = ball(0.5, down(), 0.1, 0.1);
    let h = 0.01;
    let (trajectory, state) = run_default(&world, h, 10.0);
    close(state.q[2], 0.1, ROUNDING);
    close(state.q[0].abs() + state.q[1].abs(), 0.0, ROUNDING);
    for report in &trajectory.reports {
        assert_eq!(report.contacts.len(), 1);
        close(report.contacts[0].impulse[0], G * h, ROUNDING);
        assert_eq!(report.contacts[0].mode, Mode::Stick);
    }
}

#[test]
fn an_impact_is_spread_over_two_steps() {
    // The first closes the gap, the second makes the velocity tangential: no bounce, no penetration.
    let world = ball(0.0, down(), 0.1, 0.5);
    let (trajectory, state) = run_default(&world, 0.01, 1.0);
    let landed = trajectory
        .q
        .iter()
        .position(|q| q[2] - 0.1 < ROUNDING)
        .unwrap();
    assert!(trajectory.v[landed][2] < 0.0);
    close(trajectory.v[landed + 1][2], 0.0, ROUNDING);
    close(state.q[2], 0.1, ROUNDING);
    assert!(
        trajectory
            .reports
            .iter()
            .all(|r| r.worst_gap.unwrap_or(0.0) > -ROUNDING)
    );
}

/// One step of a block at rest on the floor, pulled below and above the friction limit μ m g = 4.905 N.
#[test]
fn a_pulled_block_sticks_or_slides() {
    let h = 0.01;
    for (pull, mode) in [(4.90, Mode::Stick), (4.91, Mode::Slip)] {
        let mut world = block(0.5, down());
        let body = world.body("block").unwrap();
        let wrench = AppliedWrench::constant(body, vec![pull, 0.0, 0.0]);
        world.apply(wrench).unwrap();
        let mut state = world.initial_state();
        let mut stepper = StewartTrinkle::default();
        let report = stepper.step(&world, &mut state, h, &mut ()).unwrap();
        let friction: f64 = report.contacts.iter().map(|c| c.impulse[1].abs()).sum();
        let normal: f64 = report.contacts.iter().map(|c| c.impulse[0]).sum();
        // Friction balances the pull, or is all that the cone allows.
        close(normal, G * h, ROUNDING);
        close(friction, pull.min(0.5 * G) * h, ROUNDING);
        close(state.v[0], (pull - 0.5 * G).max(0.0) * h, ROUNDING);
        assert!(report.contacts.iter().any(|c| c.mode == mode));
    }
}

/// The case lcp-painleve-rod. At acceleration level there is no solution for μ = 1.6; the impulse LCP has one.
#[test]
fn the_painleve_rod_has_a_step() {
    let (angle, h) = (2.0_f64.atan(), 1e-3);
    for (friction, regular) in [(1.0, true), (1.6, false)] {
        let mut world: World<2> = over_floor(friction, down());
        let mut body = Body::moving("rod", 1.0, Inertia::Scalar(1.0 / 3.0));
        // The case's rod is a line; a radius of 1e-9 changes the lever arms by as much.
        let radius = 1e-9;
        body.shape = Some(Capsule::new(1.0, radius).unwrap().into());
        body.position = vec![0.0, angle.sin() + radius, angle];
        body.velocity = vec![-1.0, 0.0, 0.0];
        world.add(body).unwrap();
        let settings = StewartTrinkleSettings {
            evaluation: Evaluation::Current,
            ..Default::default()
        };
        let mut state = world.initial_state();
        let report = StewartTrinkle::new(settings)
            .step(&world, &mut state, h, &mut ())
            .unwrap();
        assert_eq!(report.contacts.len(), 1);
        if regular {
            close(report.contacts[0].impulse[0], 24.525 * h, 1e-8);
            assert_eq!(report.contacts[0].mode, Mode::Slip);
        } else {
            assert!(report.energy_after.kinetic <= 0.5);
        }
    }
}

/// Impact of the falling rod: the impulse LCP sticks with (p_n, p_t) = (3.17192, −1.39010) N s in the limit h → 0.
#[test]
fn the_rod_sticks_at_its_first_impact() {
    let mut totals = Vec::new();
    for h in [2e-4, 1e-4] {
        let (trajectory, _) = run_default(&rod(), h, 0.3865);
        let hits: Vec<_> = trajectory
            .reports
            .iter()
            .filter(|r| !r.contacts.is_empty())
            .take(2)
            .collect();
        assert!(
            hits.iter()
                .all(|r| r.contacts.len() == 1 && r.contacts[0].mode != Mode::Open)
        );
        totals.push([0, 1].map(|k| hits.iter().map(|r| r.contacts[0].impulse[k]).sum::<f64>()));
    }
    for total in totals {
        // The two steps of the impact also carry the weight, of order h.
        close(total[0], 3.17192, 0.02);
        close(total[1].abs(), 1.39010, 0.02);
    }
}

#[test]
fn the_fixed_point_closes_the_gap_of_a_turning_rod() {
    let settings = StewartTrinkleSettings {
        evaluation: Evaluation::FixedPoint,
        ..Default::default()
    };
    let (trajectory, _) = run(
        &rod(),
        &mut StewartTrinkle::new(settings),
        Run {
            h: 0.0025,
            until: 0.6,
        },
    );
    let touched: Vec<_> = trajectory
        .reports
        .iter()
        .flat_map(|r| r.contacts.iter().filter(|c| c.mode != Mode::Open))
        .collect();
    assert!(touched.len() > 50);
    assert!(touched.iter().all(|c| c.gap.abs() < 1e-12));
    assert!(
        trajectory
            .reports
            .iter()
            .all(|r| r.converged && r.passes <= 50)
    );
}

#[test]
fn the_velocity_level_scheme_keeps_the_penetration_of_arrival() {
    let (h, world) = (0.01, ball(0.5, down(), 0.1, 0.5));
    let (trajectory, state) = run(&world, &mut AnitescuPotra::default(), Run { h, until: 1.0 });
    let deepest = trajectory
        .reports
        .iter()
        .filter_map(|r| r.worst_gap)
        .fold(0.0, f64::min);
    // At most what the ball travels in one step, and it stays.
    assert!(deepest < 0.0 && deepest > -h * (2.0 * G * 0.4).sqrt() - G * h * h);
    close(state.q[2] - 0.1, deepest, ROUNDING);
    close(state.v[2], 0.0, ROUNDING);
}
