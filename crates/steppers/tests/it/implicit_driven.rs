//! Driven bodies and belts in the geometrically implicit scheme.

use nalgebra::Vector3;
use signorini_dynamics::{
    Body, ContactMaterial, Course, Inertia, Joint, JointKind, Motion, State, System, World,
    WorldSettings,
};
use signorini_geometry::{Ball, Cylinder, Ellipsoid, HalfSpace, Pose};
use signorini_steppers::{
    Formulation, GeometricallyImplicit, GeometricallyImplicitSettings, ImpactLaw, Mode, StepReport,
    Stepper,
};

use crate::worlds::{G, ball_on_driven_plate, box_on_belt, down};

/// Steps in both formulations, each of which keeps its residual.
fn go(
    world: &dyn System,
    start: &State,
    (h, until): (f64, f64),
    mut look: impl FnMut(&StepReport, [&State; 2]),
) {
    for formulation in [Formulation::Full, Formulation::Condensed] {
        let mut stepper = GeometricallyImplicit::new(GeometricallyImplicitSettings {
            formulation,
            ..GeometricallyImplicitSettings::default()
        });
        let mut state = start.clone();
        while state.t < until - 0.5 * h {
            let before = state.clone();
            let report = stepper
                .step(world, &mut state, h, &mut ())
                .unwrap_or_else(|error| panic!("{formulation:?}: {error}"));
            assert!(report.residual <= 1e-10, "{formulation:?} {}", report.t);
            look(&report, [&before, &state]);
        }
    }
}

/// Case scene-conveyor: the belt takes the box up in v/(μ g).
#[test]
fn a_conveyor_takes_a_box_along() {
    let (h, world) = (0.01, box_on_belt(1.0, 0.4, down()));
    go(
        &world,
        &world.initial_state(),
        (h, 0.5),
        |report, [_, state]| {
            let speed = (0.4 * G * report.t).min(1.0);
            assert!((state.v[0] - speed).abs() < 1e-9, "{report:?}");
            let holds = report.t > 1.0 / (0.4 * G) + h;
            assert!(
                !holds || report.contacts[0].mode == Mode::Stick,
                "{report:?}"
            );
        },
    );
}

/// A ball on a belt: friction turns it as it speeds it up, until the point of contact moves as the belt does: from rest
/// v = 2/7 of the belt's speed, and ω r = −5/7 of it.
#[test]
fn a_belt_makes_a_ball_roll() {
    let mut world = World::<3>::with_settings(WorldSettings {
        gravity: down(),
        material: ContactMaterial {
            friction: 0.3,
            ..ContactMaterial::default()
        },
        ..WorldSettings::default()
    })
    .unwrap();
    world
        .add(Body {
            surface_velocity: [0.6, 0.8, 0.0],
            ..Body::fixed("belt", HalfSpace::up())
        })
        .unwrap();
    let mut ball = Body::solid("ball", Ball::new(0.1).unwrap(), 1.0).unwrap();
    ball.position[2] = 0.1;
    world.add(ball).unwrap();
    let end = 2.0;
    go(
        &world,
        &world.initial_state(),
        (0.01, end),
        |report, [_, state]| {
            if report.t > 0.9 * end {
                let expected = [0.6 * 2.0 / 7.0, 0.8 * 2.0 / 7.0, 0.0];
                for (v, e) in state.v.iter().zip(expected) {
                    assert!((v - e).abs() < 1e-9, "{:?}", state.v);
                }
                let spin = [8.0 * 5.0 / 7.0, -6.0 * 5.0 / 7.0, 0.0];
                for (v, e) in state.v[3..].iter().zip(spin) {
                    assert!((v - e).abs() < 1e-8, "{:?}", state.v);
                }
            }
        },
    );
}

#[test]
fn a_driven_floor_lifts_what_lies_on_it() {
    let (world, course) = ball_on_driven_plate();
    go(
        &world,
        &world.initial_state(),
        (0.01, 1.3),
        |report, [before, state]| {
            assert!((state.q[1] + 0.05 - course.at(report.t)).abs() < 1e-12);
            assert!((state.q[4] - 0.1 - course.at(report.t)).abs() < 1e-10);
            let gained = state.v[4] - before.v[4] + G * 0.01;
            assert!((gained - report.contacts[0].impulse[0]).abs() < 1e-12);
        },
    );
}

/// A coin that sticks to a turntable turns with it, and the step's forces hold it on its circle but for the order of h.
#[test]
fn a_coin_turns_with_its_turntable() {
    let mut world = World::<3>::with_settings(WorldSettings {
        gravity: down(),
        material: ContactMaterial {
            friction: 0.8,
            ellipsoid: [1.0, 1.0, 0.02],
            ..ContactMaterial::default()
        },
        ..WorldSettings::default()
    })
    .unwrap();
    let mut table = Body {
        shape: Some(Cylinder::new(1.0, 0.05).unwrap().into()),
        motion: Motion::Driven {
            direction: [0.0, 0.0, 0.0, 0.0, 0.0, 1.0],
            course: Course::Steady { rate: 2.0 },
        },
        ..Body::anchor("table")
    };
    table.position[2] = -0.05;
    world.add(table).unwrap();
    let mut coin = Body::solid("coin", Cylinder::new(0.05, 0.01).unwrap(), 1000.0).unwrap();
    coin.position[0] = 0.5;
    coin.position[2] = 0.01;
    coin.velocity[1] = 1.0;
    coin.velocity[5] = 2.0;
    world.add(coin).unwrap();
    let h = 0.001;
    go(
        &world,
        &world.initial_state(),
        (h, 0.5),
        |report, [_, state]| {
            assert_eq!(report.contacts[0].mode, Mode::Stick, "{report:?}");
            assert!((state.v[11] - 2.0).abs() < 1e-8, "{:?}", state.v);
            let radius = state.q[7].hypot(state.q[8]);
            assert!((radius - 0.5).abs() < 4.0 * h * report.t + 1e-9, "{radius}");
            assert!((state.q[9] - 0.01).abs() < 1e-10, "{:?}", state.q);
        },
    );
}

/// A wall that comes at 1 m/s sends an ellipsoid on at (1 + e) m/s: it has energy to give.
#[test]
fn a_driven_wall_hits_as_hard_as_it_moves() {
    for impact in [ImpactLaw::Newton, ImpactLaw::Poisson] {
        let mut world = World::<3>::with_settings(WorldSettings {
            material: ContactMaterial {
                friction: 0.2,
                restitution: 0.5,
                ..ContactMaterial::default()
            },
            gravity: Vector3::zeros(),
            ..WorldSettings::default()
        })
        .unwrap();
        let wall = Body {
            shape: Some(Ball::new(0.5).unwrap().into()),
            motion: Motion::Driven {
                direction: [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
                course: Course::Steady { rate: 1.0 },
            },
            ..Body::anchor("wall")
        };
        world.add(wall).unwrap();
        let shape = Ellipsoid::new(Vector3::new(0.1, 0.08, 0.12)).unwrap();
        let mut body = Body::solid("body", shape, 100.0).unwrap();
        body.position[0] = 0.655;
        world.add(body).unwrap();
        let mut stepper = GeometricallyImplicit::new(GeometricallyImplicitSettings {
            impact,
            ..GeometricallyImplicitSettings::default()
        });
        let mut state = world.initial_state();
        for _ in 0..20 {
            let report = stepper.step(&world, &mut state, 0.01, &mut ()).unwrap();
            assert!(report.residual <= 1e-10);
        }
        assert!((state.v[6] - 1.5).abs() < 1e-9, "{impact:?} {:?}", state.v);
    }
}

/// A weight that hangs on a driven crank: the joint holds at the end of each step, where the crank is then.
#[test]
fn a_driven_crank_carries_its_joint() {
    let mut world = World::<3>::with_settings(WorldSettings {
        gravity: down(),
        ..WorldSettings::default()
    })
    .unwrap();
    let course = Course::Oscillation {
        amplitude: 0.1,
        frequency: 1.0,
        phase: 0.0,
        from: 0.0,
        until: f64::INFINITY,
    };
    let crank = world
        .add(Body {
            motion: Motion::Driven {
                direction: [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
                course: course.clone(),
            },
            ..Body::anchor("crank")
        })
        .unwrap();
    let mut bob = Body::moving("bob", 1.0, Inertia::Scalar(0.01));
    bob.position[2] = -0.5;
    let bob = world.add(bob).unwrap();
    let mut joint = Joint::new("pivot", JointKind::Spherical, crank, bob);
    joint.frame_b = Pose::from_position(Vector3::new(0.0, 0.0, 0.5));
    world.join(joint).unwrap();
    go(
        &world,
        &world.initial_state(),
        (0.005, 1.0),
        |report, [before, state]| {
            assert!((state.q[0] - course.at(report.t)).abs() < 1e-12);
            assert!(report.joint_error().unwrap() < 1e-11, "{report:?}");
            let weight = [0.0, 0.0, 0.005 * G];
            let gained = (0..3).map(|k| state.v[6 + k] - before.v[6 + k] + weight[k]);
            let pull = report.joints.iter().map(|row| row.impulse);
            let norm = |x: &mut dyn Iterator<Item = f64>| x.map(|x| x * x).sum::<f64>().sqrt();
            let (gained, pull) = (norm(&mut { gained }), norm(&mut { pull }));
            assert!(
                (gained - pull).abs() < 1e-10 * (1.0 + pull),
                "{gained} {pull}"
            );
        },
    );
}
