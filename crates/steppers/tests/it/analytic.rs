//! Steps and runs with closed-form answers.

use nalgebra::{Vector2, Vector3};
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

/// Pulls and slopes one per cent either side of the friction limit, as in the case scene-stick-threshold, in the plane.
#[test]
fn blocks_stick_below_the_limit_and_slide_above() {
    for h in [0.01, 0.002] {
        for (pull, expected, per_h) in [(4.90, 0.0, 0.0), (4.91, 0.0625, 0.0125)] {
            let mut world = block(0.5, down());
            let body = world.body("block").unwrap();
            world
                .apply(AppliedWrench::constant(body, vec![pull, 0.0, 0.0]))
                .unwrap();
            let (_, state) = run_default(&world, h, 5.0);
            close(state.q[0], expected, 1e-9 + per_h * h);
        }
        let slope = Vector2::new(3.3552176060248105, -9.218384609909762);
        for (friction, expected, per_h) in [
            (0.3676099366088644, 0.0, 0.0),
            (0.3603305319235403, 0.41940220075310136, 0.1),
        ] {
            let (_, state) = run_default(&block(friction, slope), h, 5.0);
            close(state.q[0], expected, 1e-9 + per_h * h);
        }
    }
}

/// The case scene-bowling-ball: slides, then rolls with 5/7 of its speed from 2 v / (7 μ g).
#[test]
fn a_bowling_ball_ends_rolling_with_five_sevenths_of_its_speed() {
    let mut world: World<3> = over_floor(0.2, down());
    let mut body = Body::solid("ball", signorini_geometry::Ball::new(0.11).unwrap(), 7.0).unwrap();
    body.position[2] = 0.11;
    body.velocity[0] = 7.0;
    world.add(body).unwrap();
    for h in [0.01, 0.001] {
        let (trajectory, state) = run_default(&world, h, 2.0);
        close(state.v[0], 5.0, 1e-9);
        close(state.v[4], 5.0 / 0.11, 1e-7);
        let rolling = trajectory
            .reports
            .iter()
            .position(|r| r.contacts[0].mode == Mode::Stick);
        let rolling = rolling.unwrap() + 1;
        close(trajectory.t[rolling], 1.019367991845056, h);
        close(trajectory.q[rolling][0], 6.116207951070336, 7.0 * h);
    }
}

/// The case scene-ball-on-incline: rolls with 5/7 of the driving acceleration, or slides.
#[test]
fn a_ball_on_an_incline_rolls_or_slides() {
    for (gravity, x, per_h, omega) in [
        (
            [3.3552176060248105, 0.0, -9.218384609909762],
            1.198292002151718,
            1.3,
            Some(23.96584004303436),
        ),
        (
            [7.056723441322167, 0.0, -6.8145986142027635],
            2.5202583719007743,
            3.0,
            None,
        ),
        (
            [8.495709211125343, 0.0, -4.905000000000001],
            3.5121046055626715,
            4.0,
            Some(36.78750000000001),
        ),
    ] {
        let world = ball(0.3, Vector3::from(gravity), 0.1, 0.1);
        for h in [0.01, 0.001] {
            let (trajectory, state) = run_default(&world, h, 1.0);
            close(state.q[0], x, 1e-6 * x + per_h * h);
            if let Some(omega) = omega {
                close(state.v[4], omega, 1e-6 * omega);
            }
            assert!(trajectory.reports.iter().all(|r| r.contacts.len() == 1));
            assert!(
                trajectory
                    .reports
                    .iter()
                    .all(|r| r.contacts[0].gap.abs() < 1e-9)
            );
        }
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
