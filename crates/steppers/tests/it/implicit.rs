//! The geometrically implicit scheme on motions that are known.

use nalgebra::{Vector2, Vector3};
use signorini_complementarity::{PathSettings, mcp_residual};
use signorini_dynamics::{
    Body, ContactMaterial, Inertia, Rotation, State, System, World, WorldSettings,
};
use signorini_geometry::{
    Ball, Capsule, ConvexSet, Cylinder, Ellipsoid, HalfSpace, Intersection, Polygon, Superquadric,
};
use signorini_steppers::{
    Formulation, GapFunction, GeometricallyImplicit, GeometricallyImplicitSettings, ImpactLaw,
    Mode, Run, StepError, StepReport, Stepper, Trajectory, simulate,
};

use crate::worlds::{G, ball, down, four_balls, over_floor};

/// One body of mass 1 on the floor.
fn on_floor<const D: usize>(
    shape: impl Into<ConvexSet<D>>,
    inertia: Inertia,
    height: f64,
    material: ContactMaterial,
) -> World<D> {
    let settings = WorldSettings {
        material,
        gravity: down(),
        ..WorldSettings::default()
    };
    let mut world = World::with_settings(settings).unwrap();
    world.add(Body::fixed("floor", HalfSpace::up())).unwrap();
    let mut body = Body::moving("body", 1.0, inertia);
    body.shape = Some(shape.into().into());
    body.position[D - 1] = height;
    world.add(body).unwrap();
    world
}

fn rough(friction: f64, torsion: f64) -> ContactMaterial {
    ContactMaterial {
        friction,
        ellipsoid: [1.0, 1.0, torsion],
        ..ContactMaterial::default()
    }
}

/// Runs from the velocity v; every step is checked for complementarity, cone and dissipation.
fn run<const D: usize>(
    world: &World<D>,
    stepper: &mut GeometricallyImplicit,
    v: &[f64],
    (h, until): (f64, f64),
) -> (Trajectory, State) {
    let mut state = world.initial_state();
    state.v.copy_from_slice(v);
    let mut trajectory = Trajectory::default();
    let run = Run { h, until };
    let summary = simulate(world, stepper, &mut state, run, &mut trajectory).unwrap();
    assert!(
        summary.worst_residual <= 1e-10,
        "{}",
        summary.worst_residual
    );
    let length = world.scale().length;
    for report in &trajectory.reports {
        for contact in &report.contacts {
            let p = contact.impulse[0];
            assert!(p >= 0.0);
            assert!(contact.gap >= -1e-10 * length, "{:e}", contact.gap);
            if contact.mode != Mode::Open {
                assert!(contact.gap.abs() <= 1e-10 * length, "{:e}", contact.gap);
            }
        }
    }
    (trajectory, state)
}

fn implicit() -> GeometricallyImplicit {
    GeometricallyImplicit::default()
}

fn kinetic<const D: usize>(world: &World<D>, state: &State) -> f64 {
    world.energy(&state.q, &state.v).kinetic
}

/// `cbat2007-disc`: rolling costs nothing, whichever gap function and shape.
#[test]
fn a_rolling_disc_keeps_its_energy() {
    let round = Ellipsoid::new(Vector2::new(1.0, 1.0)).unwrap();
    for shape in [ConvexSet::from(Ball::new(1.0).unwrap()), round.into()] {
        for gap in [GapFunction::SignedDistance, GapFunction::Surface] {
            let world = on_floor::<2>(shape.clone(), Inertia::Scalar(0.5), 1.0, rough(0.4, 0.0));
            let mut stepper = GeometricallyImplicit::new(GeometricallyImplicitSettings {
                gap,
                ..GeometricallyImplicitSettings::default()
            });
            let (trajectory, state) = run(&world, &mut stepper, &[-3.0, 0.0, 3.0], (0.01, 1.0));
            let error = kinetic(&world, &state) / 6.75 - 1.0;
            assert!(error.abs() < 1e-12, "{error:e}");
            assert!(
                trajectory
                    .reports
                    .iter()
                    .all(|r| r.contacts[0].mode == Mode::Stick)
            );
        }
    }
}

/// A sliding disc loses μ g t until it rolls at 2/3 of its speed.
#[test]
fn a_sliding_disc_comes_to_roll() {
    let world = on_floor::<2>(
        Ball::new(1.0).unwrap(),
        Inertia::Scalar(0.5),
        1.0,
        rough(0.4, 0.0),
    );
    let (trajectory, state) = run(&world, &mut implicit(), &[-3.0, 0.0, 0.0], (0.01, 0.5));
    let early = &trajectory.v[11];
    assert!(
        (early[0] - (-3.0 + 0.4 * G * 0.11)).abs() < 1e-12,
        "{early:?}"
    );
    assert!(
        (state.v[0] + 2.0).abs() < 1e-12 && (state.v[2] - 2.0).abs() < 1e-12,
        "{:?}",
        state.v
    );
    let slips = trajectory
        .reports
        .iter()
        .filter(|r| r.contacts[0].mode == Mode::Slip)
        .count();
    assert_eq!(slips, 25);
}

/// Without friction nothing turns, and a ball thrown down stops falling.
#[test]
fn a_frictionless_ball_slides_for_ever() {
    let world = ball(0.0, down(), 0.1, 0.3);
    let (_, state) = run(
        &world,
        &mut implicit(),
        &[2.0, 1.0, -1.0, 0.0, 3.0, 0.0],
        (0.01, 0.6),
    );
    let expected = [2.0, 1.0, 0.0, 0.0, 3.0, 0.0];
    for (v, e) in state.v.iter().zip(expected) {
        assert!((v - e).abs() < 1e-12, "{:?}", state.v);
    }
    assert!((state.q[2] - 0.1).abs() < 1e-12);
}

/// `cbat2007-spinning-sphere`: torsion stops the spin at t = 1, in the 15th step of 0.07 s.
#[test]
fn torsion_stops_a_spinning_sphere() {
    let world = on_floor::<3>(
        Ball::new(1.0).unwrap(),
        Inertia::Scalar(0.4),
        1.0,
        rough(0.2, 0.4),
    );
    let (trajectory, state) = run(
        &world,
        &mut implicit(),
        &[0.0, 0.0, 0.0, 0.0, 0.0, 1.962],
        (0.07, 1.4),
    );
    assert!(
        (trajectory.v[14][5] - 0.03924).abs() < 1e-10,
        "{:?}",
        trajectory.v[14]
    );
    assert!(state.v.iter().all(|x| x.abs() < 1e-11), "{:?}", state.v);
    let moments: Vec<_> = trajectory
        .reports
        .iter()
        .map(|r| r.contacts[0].torsion / 0.07)
        .collect();
    assert!((moments[13] + 0.7848).abs() < 1e-10 && (moments[14] + 0.22423).abs() < 1e-5);
    assert!(moments[15..].iter().all(|m| m.abs() < 1e-10));
}

/// A ball that falls beside the floor's edge of force: it leaves a contact without friction force and comes back.
#[test]
fn a_ball_lifted_off_falls_again() {
    let world = ball(0.5, down(), 0.1, 0.1);
    let (trajectory, state) = run(
        &world,
        &mut implicit(),
        &[0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
        (0.01, 0.4),
    );
    assert!(trajectory.q.iter().any(|q| q[2] > 0.14));
    assert!((state.q[2] - 0.1).abs() < 1e-12 && state.v.iter().all(|v| v.abs() < 1e-12));
}

/// Line and face contacts: a cylinder rolls on its side, boxes of half-spaces slide and stop.
#[test]
fn lines_and_faces_do_not_fail() {
    let cylinder = Cylinder::new(0.3, 0.5).unwrap();
    let mut world = on_floor::<3>(
        cylinder,
        Inertia::Principal([0.1, 0.1, 0.045]),
        0.3,
        rough(0.4, 0.0),
    );
    // Its axis is the body's z; it lies along y.
    let half = std::f64::consts::FRAC_PI_4;
    world = turned(&world, [half.cos(), half.sin(), 0.0, 0.0]);
    let (_, state) = run(
        &world,
        &mut implicit(),
        &[1.5, 0.0, 0.0, 0.0, 5.0, 0.0],
        (0.01, 0.5),
    );
    assert!(
        (state.v[0] - 1.5).abs() < 1e-10 && (state.q[2] - 0.3).abs() < 1e-11,
        "{state:?}"
    );

    let material = rough(0.4, 0.0);
    let inertia = Inertia::Principal([0.1, 0.1, 0.1]);
    let cube = Intersection::cuboid(Vector3::new(0.2, 0.2, 0.2)).unwrap();
    let world = on_floor::<3>(cube, inertia, 0.2, material);
    let (_, state) = run(
        &world,
        &mut implicit(),
        &[0.5, 0.2, 0.0, 0.0, 0.0, 0.0],
        (0.01, 0.5),
    );
    assert!(state.v.iter().all(|x| x.abs() < 1e-9), "{:?}", state.v);

    let block = Polygon::rectangle(0.4, 0.2).unwrap();
    let world = on_floor::<2>(block, Inertia::Scalar(0.02), 0.1, material);
    let (_, state) = run(&world, &mut implicit(), &[1.0, 0.0, 0.0], (0.01, 0.5));
    assert!(state.v.iter().all(|x| x.abs() < 1e-9), "{:?}", state.v);
}

/// A cylinder that stands with its axis over the middle of what carries it, where its side has no slope, and one that falls
/// flat on another, with both gap functions: the scale of an inequality far inside says nothing.
#[test]
fn cylinders_stand_and_are_stacked() {
    for (formulation, gap) in [
        (Formulation::Full, GapFunction::SignedDistance),
        (Formulation::Condensed, GapFunction::SignedDistance),
        (Formulation::Full, GapFunction::Surface),
        (Formulation::Condensed, GapFunction::Surface),
    ] {
        for aside in [0.0, 0.03] {
            let mut world = over_floor::<3>(0.4, down());
            for (name, x, height) in [("lower", 0.0, 0.1), ("upper", aside, 0.31)] {
                let shape = Cylinder::new(0.1, 0.1).unwrap();
                let mut body = Body::solid(name, shape, 100.0).unwrap();
                body.position[0] = x;
                body.position[2] = height;
                world.add(body).unwrap();
            }
            let mut stepper = GeometricallyImplicit::new(GeometricallyImplicitSettings {
                formulation,
                gap,
                ..GeometricallyImplicitSettings::default()
            });
            let v = vec![0.0; 12];
            let (trajectory, state) = run(&world, &mut stepper, &v, (0.01, 0.5));
            for (found, expected) in [(state.q[2], 0.1), (state.q[9], 0.3)] {
                assert!((found - expected).abs() < 1e-10, "{found}");
            }
            assert!(state.v.iter().all(|v| v.abs() < 1e-8), "{:?}", state.v);
            // A problem that is met for the first time may need several starts; none wanders.
            let most = trajectory.reports.iter().map(|r| r.pivots).max().unwrap();
            assert!(most < 1000, "{most}");
        }
    }
}

/// The same world with another orientation of its body.
fn turned(world: &World<3>, quaternion: [f64; 4]) -> World<3> {
    let mut copy = World::with_settings(world.settings().clone()).unwrap();
    for (_, body) in world.bodies() {
        let mut body = body.clone();
        if body.name == "body" {
            body.position[3..].copy_from_slice(&quaternion);
        }
        copy.add(body).unwrap();
    }
    copy
}

/// Four balls: impacts of several bodies, found by the active set.
#[test]
fn balls_in_a_line_are_hit() {
    let world = four_balls();
    for rotation in [Rotation::Printed, Rotation::LieGroup] {
        let mut stepper = GeometricallyImplicit::new(GeometricallyImplicitSettings {
            rotation,
            ..GeometricallyImplicitSettings::default()
        });
        let v = world.initial_state().v;
        let (trajectory, _) = run(&world, &mut stepper, &v, (0.005, 1.0));
        assert!(trajectory.reports.iter().any(|r| r.contacts.len() >= 7));
    }
}

/// Unknown closest points and computed ones, predicted modes and PATH alone give the same velocities and impulses.
#[test]
fn formulations_and_solvers_agree() {
    let shape = Ellipsoid::new(Vector3::new(1.0, 0.8, 1.2)).unwrap();
    let inertia = Inertia::Principal([0.416, 0.488, 0.328]);
    let ellipsoid = on_floor::<3>(shape, inertia, 1.2, rough(0.4, 0.1));
    let spin = [1.2, 0.3, 0.0, 0.5, 1.0, 2.0];
    agree(&ellipsoid, &spin, (0.01, 0.5));
    // It falls on its rim and tips, but does not land on its side yet.
    let cylinder = Cylinder::new(0.3, 0.5).unwrap();
    let inertia = Inertia::Principal([0.106, 0.106, 0.045]);
    let mut cylinder = on_floor::<3>(cylinder, inertia, 0.7, rough(0.4, 0.05));
    let half = 0.5_f64;
    cylinder = turned(&cylinder, [half.cos(), half.sin(), 0.0, 0.0]);
    agree(&cylinder, &[0.3, 0.2, 0.0, 0.0, 0.0, 0.5], (0.01, 0.4));
}

/// Bodies that touch along lines and faces, where closest points are no functions of the positions.
#[test]
fn formulations_agree_on_lines_and_faces() {
    let half = std::f64::consts::FRAC_PI_4;
    let along_y = [half.cos(), half.sin(), 0.0, 0.0];
    let inertia = || Inertia::Principal([0.1, 0.1, 0.045]);
    let cylinder = Cylinder::new(0.3, 0.5).unwrap();
    let cylinder = on_floor::<3>(cylinder, inertia(), 0.3, rough(0.4, 0.0));
    let cylinder = turned(&cylinder, along_y);
    agree_as_predicted(&cylinder, &[1.5, 0.2, 0.0, 0.0, 0.0, 0.0], (0.01, 0.5));
    // One surface, without curvature along its axis.
    let capsule = Capsule::new(0.5, 0.3).unwrap();
    let capsule = on_floor::<3>(capsule, inertia(), 0.3, rough(0.4, 0.0));
    agree_as_predicted(&capsule, &[0.4, 1.5, 0.0, 0.0, 0.0, 0.0], (0.01, 0.5));
    // Flat in the middle of its faces.
    let pillow = Superquadric::new(Vector3::new(0.2, 0.2, 0.1), 4.0).unwrap();
    let pillow = on_floor::<3>(pillow, inertia(), 0.1, rough(0.4, 0.02));
    agree_as_predicted(&pillow, &[0.5, 0.1, 0.0, 0.0, 0.0, 0.0], (0.01, 0.3));
    let cube = Intersection::cuboid(Vector3::new(0.2, 0.2, 0.2)).unwrap();
    let cube = on_floor::<3>(cube, inertia(), 0.2, rough(0.4, 0.0));
    agree_as_predicted(&cube, &[0.5, 0.2, 0.0, 0.0, 0.0, 0.0], (0.01, 0.3));
}

/// A sphere between two others slides on one and rolls on the other from the first step on, which modes solve alone.
#[test]
fn a_first_step_needs_no_path() {
    let settings = WorldSettings {
        material: rough(0.2, 0.3),
        gravity: Vector3::new(1.0, 2.6, -G),
        ..WorldSettings::default()
    };
    let mut world = World::with_settings(settings).unwrap();
    let ball = |radius| Ball::new(radius).unwrap();
    world.add(Body::fixed("first", ball(10.0))).unwrap();
    let mut second = Body::fixed("second", ball(9.0));
    second.position[1] = 11.4;
    world.add(second).unwrap();
    let mut sphere = Body::solid("sphere", ball(1.0), 1.0).unwrap();
    sphere.position[1..3].copy_from_slice(&[6.621_052_631_578_95, 8.784_171_107_729_03]);
    world.add(sphere).unwrap();
    for formulation in [Formulation::Full, Formulation::Condensed] {
        let mut stepper = GeometricallyImplicit::new(GeometricallyImplicitSettings {
            formulation,
            // Path and the semismooth method after it do nothing.
            path: PathSettings {
                major_iteration_limit: 0,
                restart_limit: 0,
                ..PathSettings::default()
            },
            ..GeometricallyImplicitSettings::default()
        });
        let mut state = world.initial_state();
        let report = stepper.step(&world, &mut state, 0.01, &mut ()).unwrap();
        let modes: Vec<_> = report.contacts.iter().map(|c| c.mode).collect();
        assert_eq!(modes, [Mode::Slip, Mode::Stick]);
        assert!(report.pivots <= 30, "{}", report.pivots);
    }
}

fn agree(world: &World<3>, v: &[f64], time: (f64, f64)) {
    let ways = [
        (Formulation::Full, false),
        (Formulation::Condensed, true),
        (Formulation::Condensed, false),
    ];
    agree_by(&ways, world, v, time);
}

fn agree_as_predicted(world: &World<3>, v: &[f64], time: (f64, f64)) {
    agree_by(&[(Formulation::Condensed, true)], world, v, time);
}

/// Other ways give the velocities and impulses of closest points as unknowns and predicted modes.
fn agree_by(ways: &[(Formulation, bool)], world: &World<3>, v: &[f64], time: (f64, f64)) {
    let settings = |formulation, predict_modes| GeometricallyImplicitSettings {
        formulation,
        predict_modes,
        ..GeometricallyImplicitSettings::default()
    };
    let run = |settings| run(world, &mut GeometricallyImplicit::new(settings), v, time).0;
    let full = run(settings(Formulation::Full, true));
    let slides = |r: &StepReport| r.contacts.iter().any(|c| c.mode == Mode::Slip);
    assert!(full.reports.iter().any(slides));
    for &(formulation, predict_modes) in ways {
        let other = run(settings(formulation, predict_modes));
        for (k, (a, b)) in full.reports.iter().zip(&other.reports).enumerate() {
            let v = full.v[k + 1].iter().zip(&other.v[k + 1]);
            let impulses = |r: &StepReport| -> Vec<f64> {
                let closed = r.contacts.iter().filter(|c| c.mode != Mode::Open);
                closed.flat_map(|c| c.impulse.clone()).collect()
            };
            let (p, other) = (impulses(a), impulses(b));
            assert_eq!(p.len(), other.len());
            for (x, y) in v.chain(p.iter().zip(&other)) {
                assert!(
                    (x - y).abs() < 1e-9,
                    "{x} is not {y} in step {k}\n{a:?}\n{b:?}"
                );
            }
        }
    }
}

#[test]
fn a_step_that_fails_leaves_the_state() {
    let world = ball(0.5, down(), 0.1, 0.1);
    let mut stepper = GeometricallyImplicit::new(GeometricallyImplicitSettings {
        tolerance: 0.0,
        path: PathSettings {
            major_iteration_limit: 0,
            restart_limit: 0,
            ..PathSettings::default()
        },
        ..GeometricallyImplicitSettings::default()
    });
    let mut state = world.initial_state();
    state.v[0] = 1.0;
    let before = state.clone();
    let error = stepper.step(&world, &mut state, 0.01, &mut ()).unwrap_err();
    assert!(
        matches!(error, StepError::Unsolved { contacts: 1, .. }),
        "{error}"
    );
    assert_eq!(state, before);
    // The problem says how to make the step again.
    let text = error.problem().unwrap().to_json();
    let file: serde_json::Value = serde_json::from_str(&text).unwrap();
    let again: State = serde_json::from_value(file["state"].clone()).unwrap();
    assert_eq!(again, before);
    assert_eq!(file["h"], 0.01);
    let n = file["z"].as_array().unwrap().len();
    assert_eq!(file["names"][n - 4], "p_n of floor/ball#0");
    // At z the linearised problem has the residual of the step.
    let linear = error.problem().unwrap().linear.as_ref().unwrap();
    let z = &error.problem().unwrap().z;
    let StepError::Unsolved { residual, .. } = &error else {
        panic!("{error}");
    };
    assert!((mcp_residual(linear, z).unwrap() - residual).abs() < 1e-12);
    assert_eq!(file["q"].as_array().unwrap().len(), n);
}

/// With e the ball rises to e² of its height up to the first order in h, no bounce gains energy, and it comes to rest.
#[test]
fn a_ball_bounces_by_its_restitution() {
    let laws = [ImpactLaw::Newton, ImpactLaw::Poisson];
    for (e, impact) in [1.0, 0.5]
        .into_iter()
        .flat_map(|e| laws.map(|law| (e, law)))
    {
        let mut world = over_floor::<3>(0.3, down());
        let mut body = Body::solid("ball", Ball::new(0.1).unwrap(), 1.0).unwrap();
        body.position[2] = 0.6;
        let body = world.add(body).unwrap();
        let floor = world.body("floor").unwrap();
        let material = ContactMaterial {
            friction: 0.3,
            restitution: e,
            ..ContactMaterial::default()
        };
        world.set_pair_material(floor, body, material).unwrap();
        let heights = [0.002, 0.001].map(|h| {
            let mut state = world.initial_state();
            state.v[0] = 0.2;
            let mut trajectory = Trajectory::default();
            let run = Run { h, until: 1.5 };
            let mut stepper = GeometricallyImplicit::new(GeometricallyImplicitSettings {
                impact,
                ..GeometricallyImplicitSettings::default()
            });
            let summary = simulate(&world, &mut stepper, &mut state, run, &mut trajectory).unwrap();
            assert!(
                summary.largest_energy_gain < 1e-12,
                "{}",
                summary.largest_energy_gain
            );
            let bounce = trajectory.v.iter().position(|v| v[2] > 0.0).unwrap();
            let second = trajectory.v[bounce..]
                .iter()
                .position(|v| v[2] < 0.0)
                .unwrap();
            if e < 1.0 {
                assert!((state.q[2] - 0.1).abs() < 1e-11 && state.v[2].abs() < 1e-11);
            }
            trajectory.q[bounce + second][2] - 0.1
        });
        let errors = heights.map(|height| (height - 0.5 * e * e).abs());
        assert!(
            errors[1] < 0.01 && errors[1] < 0.8 * errors[0],
            "{heights:?}"
        );
    }
}
