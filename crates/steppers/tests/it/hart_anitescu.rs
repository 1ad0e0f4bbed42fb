//! Joints without drift, the relaxed law's launch, driven bodies and belts.

use nalgebra::{Vector2, Vector3};
use signorini_dynamics::{
    Body, Course, Inertia, Joint, JointKind, State, System, World, WorldSettings,
};
use signorini_geometry::{Ball, HalfSpace, Pose};
use signorini_steppers::{
    ActiveSet, AnitescuPotra, ContactForm, HartAnitescu, HartAnitescuSettings, StepReport, Stepper,
    StewartTrinkle,
};

use crate::worlds::{G, ball_on_driven_plate, box_on_belt, chain, down, over_floor};

fn scheme(settings: HartAnitescuSettings) -> HartAnitescu {
    HartAnitescu::new(settings)
}

fn with(gamma: f64, form: ContactForm) -> HartAnitescu {
    scheme(HartAnitescuSettings {
        gamma,
        form,
        ..HartAnitescuSettings::default()
    })
}

/// Steps to `until` and hands every report to `see`.
fn go(
    world: &dyn System,
    stepper: &mut dyn Stepper,
    state: &mut State,
    (h, until): (f64, f64),
    mut see: impl FnMut(&StepReport, &State),
) {
    while state.t < until - 0.5 * h {
        let report = stepper.step(world, state, h, &mut ()).unwrap();
        assert!(
            report.residual <= 1e-9,
            "{} at {}",
            report.residual,
            report.t
        );
        see(&report, state);
    }
}

/// HA2003: with γ the error of the joints stays max |Θ| / (h² |v|²) → 0.2394/γ; without it grows.
#[test]
fn double_pendulum_keeps_its_joints() {
    let world = chain(2);
    let ratio = |gamma: f64, h: f64| {
        let mut state = world.initial_state();
        let mut worst = 0.0_f64;
        let mut stepper = with(gamma, ContactForm::Pyramid);
        go(
            &world,
            &mut stepper,
            &mut state,
            (h, 2.0),
            |report, state| {
                let speed: f64 = state.v.iter().map(|v| v * v).sum();
                worst = worst.max(report.joint_error().unwrap() / (h * h * speed));
            },
        );
        worst
    };
    for (gamma, expected) in [(1.0, 0.2394), (0.5, 0.48), (0.25, 0.96)] {
        let found = ratio(gamma, 1e-3);
        assert!(
            (found / expected - 1.0).abs() < 0.02,
            "γ = {gamma}: {found}"
        );
    }
    let drift = |h: f64| {
        let mut state = world.initial_state();
        let mut last = 0.0;
        let mut stepper = with(0.0, ContactForm::Pyramid);
        go(&world, &mut stepper, &mut state, (h, 1.0), |report, _| {
            last = report.joint_error().unwrap();
        });
        last
    };
    let order = (drift(2e-3) / drift(1e-3)).log2();
    assert!((order - 1.0).abs() < 0.1, "unstabilised order {order}");
}

/// All schemes and forms take the same step where there are joints only, to rounding.
#[test]
fn forms_agree_on_joints() {
    let world = chain(3);
    let mut ends = Vec::new();
    for form in [
        ContactForm::Pyramid,
        ContactForm::Cone,
        ContactForm::Relaxed,
    ] {
        let mut state = world.initial_state();
        go(
            &world,
            &mut with(1.0, form),
            &mut state,
            (0.01, 0.5),
            |_, _| {},
        );
        ends.push(state);
    }
    for other in &ends[1..] {
        for (a, b) in ends[0].v.iter().zip(&other.v) {
            assert!((a - b).abs() < 1e-8, "{a} {b}");
        }
    }
    let mut velocity_level = world.initial_state();
    go(
        &world,
        &mut AnitescuPotra::default(),
        &mut velocity_level,
        (0.001, 0.3),
        |_, _| {},
    );
    let mut position_level = world.initial_state();
    go(
        &world,
        &mut StewartTrinkle::default(),
        &mut position_level,
        (0.001, 0.3),
        |_, _| {},
    );
    for (a, b) in velocity_level.q.iter().zip(&position_level.q) {
        assert!((a - b).abs() < 0.01, "{a} {b}");
    }
}

/// A body on a turning arm: centripetal pull, m ω² r, in the impulse of the joint.
#[test]
fn impulse_of_a_pivot_is_the_centripetal_force() {
    let settings = WorldSettings {
        gravity: Vector2::zeros(),
        ..WorldSettings::default()
    };
    let mut world = World::with_settings(settings).unwrap();
    let room = world.add(Body::anchor("room")).unwrap();
    let (omega, r, m) = (2.0, 0.5, 3.0);
    let bob = world
        .add(Body {
            position: vec![r, 0.0, 0.0],
            velocity: vec![0.0, omega * r, omega],
            ..Body::moving("bob", m, Inertia::Scalar(0.1))
        })
        .unwrap();
    let frame_b = Pose::from_position(Vector2::new(-r, 0.0));
    let pivot = Joint {
        frame_b,
        ..Joint::new("pivot", JointKind::Revolute, room, bob)
    };
    world.join(pivot).unwrap();
    let mut state = world.initial_state();
    let h = 1e-4;
    let mut pull = 0.0;
    let mut stepper = HartAnitescu::default();
    go(&world, &mut stepper, &mut state, (h, 0.2), |report, _| {
        let square: f64 = report
            .joints
            .iter()
            .map(|joint| joint.impulse.powi(2))
            .sum();
        pull = square.sqrt() / h;
    });
    assert!(
        (pull / (m * omega * omega * r) - 1.0).abs() < 1e-3,
        "{pull}"
    );
}

/// Limits and ropes hold and let go.
#[test]
fn a_rope_holds_when_it_is_taut() {
    let mut world = World::<2>::new();
    let hook = world.add(Body::anchor("hook")).unwrap();
    let bob = world
        .add(Body {
            position: vec![0.0, -0.5, 0.0],
            ..Body::moving("bob", 2.0, Inertia::Scalar(0.1))
        })
        .unwrap();
    let rope = Joint::new("rope", JointKind::Rope { length: 1.0 }, hook, bob);
    world.join(rope).unwrap();
    for mut stepper in [
        Box::new(HartAnitescu::default()) as Box<dyn Stepper>,
        Box::new(with(1.0, ContactForm::Cone)),
        Box::new(StewartTrinkle::default()),
        Box::new(AnitescuPotra::default()),
    ] {
        let mut state = world.initial_state();
        let mut pull = 0.0;
        let name = stepper.name();
        go(
            &world,
            &mut *stepper,
            &mut state,
            (0.01, 1.0),
            |report, state| {
                assert!(state.q[1] >= -1.0 - 0.05, "{name}");
                assert!(report.joints[0].impulse >= 0.0);
                pull = report.joints[0].impulse / report.h;
            },
        );
        assert!(
            (pull - 2.0 * G).abs() < 1e-6 && state.v[1].abs() < 1e-9,
            "{name}: {pull}"
        );
        let expected = if name == "anitescu-potra" { 0.05 } else { 1e-9 };
        assert!(
            (state.q[1] + 1.0).abs() < expected,
            "{name}: {}",
            state.q[1]
        );
    }
}

/// A parallelogram with three parallel legs in motion: planar, one freedom, one row too many.
pub(crate) fn parallelogram() -> World<2> {
    let mut world = World::<2>::new();
    let room = world.add(Body::anchor("room")).unwrap();
    let beam = world
        .add(Body {
            position: vec![1.0, -1.0, 0.0],
            ..Body::moving("beam", 2.0, Inertia::Scalar(0.7))
        })
        .unwrap();
    let at = |x: f64, y: f64| Pose::from_position(Vector2::new(x, y));
    for k in 0..3 {
        let x = f64::from(k);
        let leg = world
            .add(Body {
                position: vec![x, -0.5, 0.0],
                velocity: vec![0.25, 0.0, 0.5],
                ..Body::moving(format!("leg{k}"), 1.0, Inertia::Scalar(1.0 / 12.0))
            })
            .unwrap();
        let top = Joint {
            frame_a: at(x, 0.0),
            frame_b: at(0.0, 0.5),
            ..Joint::new(format!("top{k}"), JointKind::Revolute, room, leg)
        };
        let foot = Joint {
            frame_a: at(0.0, -0.5),
            frame_b: at(x - 1.0, 0.0),
            ..Joint::new(format!("foot{k}"), JointKind::Revolute, leg, beam)
        };
        world.join(top).unwrap();
        world.join(foot).unwrap();
    }
    world
}

/// Six bars in a closed ring whose rows depend on one another still hold.
#[test]
fn a_redundant_loop_is_solved() {
    let world = parallelogram();
    for form in [ContactForm::Pyramid, ContactForm::Cone] {
        let mut state = world.initial_state();
        state.v[..3].copy_from_slice(&[0.5, 0.0, 0.0]);
        let h = 0.002;
        go(
            &world,
            &mut with(1.0, form),
            &mut state,
            (h, 1.0),
            |report, state| {
                let speed: f64 = state.v.iter().map(|v| v * v).sum();
                assert!(report.joint_error().unwrap() <= h * h * speed.max(1.0));
                assert_eq!((report.joints.len(), report.joint_rank), (12, Some(11)));
            },
        );
    }
}

/// HA2003 with the relaxed law: a sliding disc is launched by h μ λ in its first step.
#[test]
fn the_relaxed_law_launches_what_slides() {
    let (mu, v0, h) = (0.3, 2.0, 0.01);
    let mut world = over_floor::<2>(mu, down());
    let mut disc = Body::solid("disc", Ball::new(1.0).unwrap(), 1.0).unwrap();
    disc.position[1] = 1.0;
    disc.velocity[0] = v0;
    world.add(disc).unwrap();
    let mut state = world.initial_state();
    let report = with(1.0, ContactForm::Pyramid)
        .step(&world, &mut state, h, &mut ())
        .unwrap();
    assert!((state.v[0] - (v0 - mu * G * h)).abs() < 1e-12 && report.contacts[0].gap.abs() < 1e-12);
    let mut state = world.initial_state();
    let report = with(1.0, ContactForm::Relaxed)
        .step(&world, &mut state, h, &mut ())
        .unwrap();
    let c = (G * h + mu * v0) / (1.0 + 3.0 * mu * mu);
    let slip = (state.v[0] + state.v[2]).abs();
    assert!(
        (report.contacts[0].impulse[0] - c).abs() < 1e-9,
        "{:?}",
        report.contacts[0]
    );
    assert!((state.v[1] - (c - G * h)).abs() < 1e-9);
    assert!((report.contacts[0].gap - h * mu * slip).abs() < 1e-9);
    // Both end rolling with two thirds of the speed.
    for form in [ContactForm::Pyramid, ContactForm::Relaxed] {
        let mut state = world.initial_state();
        go(
            &world,
            &mut with(1.0, form),
            &mut state,
            (h, 4.0),
            |_, _| {},
        );
        assert!(
            (state.v[0] - 2.0 * v0 / 3.0).abs() < 1e-6,
            "{form:?} {}",
            state.v[0]
        );
    }
}

/// A block between two walls that come closer than it is wide: nothing solves it, and the step says what it did.
#[test]
fn a_jammed_wedge_yields_and_says_so() {
    let mut world = World::<2>::new();
    for (name, normal, offset) in [("left", [1.0, 0.0], -0.45), ("right", [-1.0, 0.0], -0.45)] {
        let wall = HalfSpace::new(Vector2::from(normal), offset).unwrap();
        world.add(Body::fixed(name, wall)).unwrap();
    }
    let mut disc = Body::solid("disc", Ball::new(0.5).unwrap(), 1.0).unwrap();
    disc.position[1] = 1.0;
    world.add(disc).unwrap();
    for form in [
        ContactForm::Pyramid,
        ContactForm::Cone,
        ContactForm::Relaxed,
    ] {
        let mut state = world.initial_state();
        let report = with(1.0, form)
            .step(&world, &mut state, 0.01, &mut ())
            .unwrap();
        assert!(!report.converged, "{form:?}");
        assert!(
            (state.v[1] + G * 0.01).abs() < 1e-9 && state.v[0].abs() < 1e-9,
            "{form:?}"
        );
    }
}

/// Case scene-conveyor: the belt takes the box up in v/(μ g), and a stopped one holds it as a slope does.
#[test]
fn a_conveyor_takes_a_box_along() {
    for form in [ContactForm::Pyramid, ContactForm::Cone] {
        let h = 0.01;
        let world = box_on_belt(1.0, 0.4, down());
        let mut state = world.initial_state();
        let mut until = 0.0;
        go(
            &world,
            &mut with(1.0, form),
            &mut state,
            (h, 1.0),
            |report, state| {
                if (state.v[0] - 1.0).abs() > 1e-9 {
                    until = report.t;
                }
                assert!(report.t <= 0.27 || (state.v[0] - 1.0).abs() < 1e-9);
            },
        );
        assert!((until - 1.0 / (0.4 * G)).abs() <= h, "{until}");
        assert!((state.q[0] - 0.872_579).abs() <= h, "{}", state.q[0]);
        let slope = Vector3::new(6.305_746_451_024_951, 0.0, -7.514_895_986_997_175);
        let end = |friction| {
            let world = box_on_belt(0.0, friction, slope);
            let mut state = world.initial_state();
            go(
                &world,
                &mut with(1.0, form),
                &mut state,
                (h, 1.0),
                |_, _| {},
            );
            state.q[0]
        };
        assert!(end(0.9).abs() < 1e-9);
        assert!((end(0.7) - 0.522_659_63).abs() < h, "{}", end(0.7));
    }
}

/// Case scene-vibrating-track in short: a driven plate throws a ball with its own speed at most, and moves as it is told.
#[test]
fn a_driven_floor_lifts_what_lies_on_it() {
    let (world, course) = ball_on_driven_plate();
    // The largest acceleration, 0.02 (4 π)² = 3.2 m/s², is below g: the ball stays on the plate.
    for form in [ContactForm::Pyramid, ContactForm::Cone] {
        let mut state = world.initial_state();
        go(
            &world,
            &mut with(1.0, form),
            &mut state,
            (0.01, 1.3),
            |report, state| {
                assert!((state.q[1] + 0.05 - course.at(report.t)).abs() < 1e-12);
                assert!(
                    (state.q[4] - 0.1 - course.at(report.t)).abs() < 1e-9,
                    "{form:?}"
                );
            },
        );
    }
}

#[test]
fn a_driven_hinge_turns_what_it_holds() {
    let mut world = World::<3>::new();
    let room = world.add(Body::anchor("room")).unwrap();
    let arm = Body::moving("arm", 1.0, Inertia::Principal([0.2, 0.3, 0.4]));
    let arm = world.add(arm).unwrap();
    let drive = Some(Course::Steady { rate: 1.5 });
    world
        .join(Joint {
            drive,
            ..Joint::new("motor", JointKind::Revolute, room, arm)
        })
        .unwrap();
    let mut state = world.initial_state();
    go(
        &world,
        &mut HartAnitescu::default(),
        &mut state,
        (0.01, 1.0),
        |_, _| {},
    );
    let angle = 2.0 * state.q[6].atan2(state.q[3]);
    assert!(
        (angle - 1.5).abs() < 1e-4 && (state.v[5] - 1.5).abs() < 1e-3,
        "{angle}"
    );
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    let world = chain(1);
    let refuse = |settings: HartAnitescuSettings| {
        let mut state = world.initial_state();
        let before = state.clone();
        let error = scheme(settings)
            .step(&world, &mut state, 0.01, &mut ())
            .unwrap_err();
        assert_eq!(state, before);
        error.to_string()
    };
    let default = HartAnitescuSettings::default;
    let said = refuse(HartAnitescuSettings {
        gamma: 1.5,
        ..default()
    });
    assert_eq!(said, "hart-anitescu: gamma is 1.5, must be from 0 to 1");
    let active = ActiveSet::Within(f64::NAN);
    assert!(
        refuse(HartAnitescuSettings {
            active,
            ..default()
        })
        .contains("active is NaN")
    );
}
