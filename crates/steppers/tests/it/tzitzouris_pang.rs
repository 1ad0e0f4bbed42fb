//! The scheme of Tzitzouris and Pang beside the one that extends it.

use nalgebra::Vector3;
use signorini_dynamics::{Body, ContactMaterial, Inertia, World, WorldSettings};
use signorini_geometry::{Ball, ConvexSet, Ellipsoid, HalfSpace, Rounded};
use signorini_steppers::{
    GapFunction, GeometricallyImplicit, GeometricallyImplicitSettings, Mode, Run, StepError,
    Stepper, Trajectory, TzitzourisPang, simulate,
};

use crate::worlds::{ball, down, four_balls};

/// A sphere in the groove between two larger ones, `cbat2007-two-spheres`.
fn two_spheres(shape: ConvexSet<3>) -> World<3> {
    let mut world = World::with_settings(WorldSettings {
        gravity: Vector3::new(1.0, 2.6, -9.81),
        material: ContactMaterial {
            friction: 0.2,
            ellipsoid: [1.0, 1.0, 0.3],
            ..ContactMaterial::default()
        },
        ..WorldSettings::default()
    })
    .unwrap();
    let first = Body::fixed("sphere 1", Ball::new(10.0).unwrap());
    world.add(first).unwrap();
    let mut second = Body::fixed("sphere 2", Ball::new(9.0).unwrap());
    second.position[1] = 11.4;
    world.add(second).unwrap();
    let mut sphere = Body::moving("sphere", 1.0, Inertia::Scalar(0.4));
    sphere.shape = Some(shape.into());
    sphere.position[1..3].copy_from_slice(&[6.621_052_631_578_95, 8.784_171_107_729_03]);
    world.add(sphere).unwrap();
    world
}

fn trajectory<const D: usize>(world: &World<D>, stepper: &mut dyn Stepper, run: Run) -> Trajectory {
    let (mut state, mut trajectory) = (world.initial_state(), Trajectory::default());
    simulate(world, stepper, &mut state, run, &mut trajectory).unwrap();
    trajectory
}

/// Velocities, impulses and modes of every step.
fn agree(one: &Trajectory, other: &Trajectory) {
    let close = |a: &[f64], b: &[f64]| {
        assert_eq!(a.len(), b.len());
        for (a, b) in a.iter().zip(b) {
            assert!((a - b).abs() < 1e-9, "{a} is not {b}");
        }
    };
    assert_eq!(one.reports.len(), other.reports.len());
    for (a, b) in one.v.iter().zip(&other.v) {
        close(a, b);
    }
    for (a, b) in one.reports.iter().zip(&other.reports) {
        let pressing = |r: &signorini_steppers::StepReport| -> Vec<_> {
            let contacts = r.contacts.iter().filter(|c| c.mode != Mode::Open);
            contacts.cloned().collect()
        };
        let (a, b) = (pressing(a), pressing(b));
        assert_eq!(a.len(), b.len());
        for (a, b) in a.iter().zip(&b) {
            assert_eq!((a.id, a.mode), (b.id, b.mode));
            close(&a.impulse, &b.impulse);
            close(&[a.torsion], &[b.torsion]);
        }
    }
}

/// It sticks, slides, and leaves one sphere and then the other; the full form has its points as unknowns.
#[test]
fn it_agrees_with_the_full_form() {
    let world = two_spheres(Ball::new(1.0).unwrap().into());
    let run = Run {
        h: 0.01,
        until: 4.0,
    };
    let full = trajectory(&world, &mut GeometricallyImplicit::default(), run);
    let closed = trajectory(&world, &mut TzitzourisPang::default(), run);
    let last = closed.reports.last().unwrap();
    assert!(last.contacts.iter().all(|c| c.mode == Mode::Open));
    agree(&full, &closed);
    // Its problems have no points: 6 velocities, and 5 for each contact.
    assert_eq!(closed.reports[0].lcp_size, 16);
    assert_eq!(full.reports[0].lcp_size, 28);
    let surface = GeometricallyImplicitSettings {
        gap: GapFunction::Surface,
        ..GeometricallyImplicitSettings::default()
    };
    let printed = trajectory(&world, &mut TzitzourisPang::new(surface), run);
    agree(&full, &printed);
}

/// Impacts of several discs, and a ball that is a rounded one.
#[test]
fn discs_and_rounded_balls_are_balls() {
    let run = Run {
        h: 0.005,
        until: 1.0,
    };
    let world = four_balls();
    let full = trajectory(&world, &mut GeometricallyImplicit::default(), run);
    agree(
        &full,
        &trajectory(&world, &mut TzitzourisPang::default(), run),
    );
    let mut world = World::<2>::with_settings(WorldSettings {
        gravity: down(),
        ..WorldSettings::default()
    })
    .unwrap();
    world.add(Body::fixed("floor", HalfSpace::up())).unwrap();
    let rounded = Rounded::new(ConvexSet::from(Ball::new(0.1).unwrap()), 0.1).unwrap();
    let mut disc = Body::moving("disc", 1.0, Inertia::Scalar(0.02));
    disc.shape = Some(rounded.into());
    disc.position[1] = 0.2;
    world.add(disc).unwrap();
    let closed = trajectory(&world, &mut TzitzourisPang::default(), run);
    let last = closed.reports.last().unwrap();
    assert!((last.contacts[0].impulse[0] - 9.81 * run.h).abs() < 1e-9);
    let full = trajectory(&world, &mut GeometricallyImplicit::default(), run);
    agree(&full, &closed);
}

/// Within one step, at depth / h; the step says what energy its contacts gave.
#[test]
fn an_overlap_is_put_right_in_one_step() {
    let (depth, h) = (0.01, 0.01);
    let world = ball(0.0, Vector3::zeros(), 0.1, 0.1 - depth);
    let steppers: [Box<dyn Stepper>; 2] = [
        Box::new(GeometricallyImplicit::default()),
        Box::new(TzitzourisPang::default()),
    ];
    for mut stepper in steppers {
        let mut state = world.initial_state();
        let report = stepper.step(&world, &mut state, h, &mut ()).unwrap();
        assert!((state.v[2] - depth / h).abs() < 1e-9, "{:?}", state.v);
        // Of 1 kg.
        let energy = 0.5 * (depth / h).powi(2);
        assert!((report.contact_energy - energy).abs() < 1e-9, "{report:?}");
        let report = stepper.step(&world, &mut state, h, &mut ()).unwrap();
        assert!(report.contact_energy.abs() < 1e-9, "{report:?}");
        assert!((state.v[2] - depth / h).abs() < 1e-9, "{:?}", state.v);
    }
}

/// By the names of its bodies, in the step in which it touches; the state stays as it was.
#[test]
fn other_bodies_are_refused_when_they_touch() {
    let shape = Ellipsoid::new(Vector3::new(1.0, 1.0, 1.0)).unwrap();
    let world = two_spheres(shape.into());
    let mut state = world.initial_state();
    let before = state.clone();
    let error = TzitzourisPang::default()
        .step(&world, &mut state, 0.01, &mut ())
        .unwrap_err();
    assert_eq!(state, before);
    assert!(matches!(error, StepError::NoClosedForm { .. }), "{error:?}");
    insta::assert_snapshot!(error, @"tzitzouris-pang needs gaps in closed form, those of balls, discs and half-spaces, and that of contact sphere 1/sphere#0 has none; choose geometrically-implicit, which solves for closest points");
    // A body that is not there yet disturbs nobody.
    let mut world = ball(0.2, down(), 0.1, 0.1);
    let egg = Ellipsoid::new(Vector3::new(0.1, 0.1, 0.2)).unwrap();
    let mut egg = Body::solid("egg", egg, 1.0).unwrap();
    egg.position[..3].copy_from_slice(&[1.0, 0.0, 0.25]);
    world.add(egg).unwrap();
    let mut state = world.initial_state();
    let run = Run {
        h: 0.01,
        until: 1.0,
    };
    let error = simulate(
        &world,
        &mut TzitzourisPang::default(),
        &mut state,
        run,
        &mut (),
    );
    let error = error.unwrap_err().to_string();
    assert!(error.contains("floor/egg#0"), "{error}");
    // It falls 0.05 m.
    assert!((state.t - 0.1).abs() < 0.011, "{}", state.t);
    let settings = GeometricallyImplicitSettings {
        tolerance: f64::NAN,
        ..GeometricallyImplicitSettings::default()
    };
    let error = TzitzourisPang::new(settings)
        .step(&world, &mut state, 0.01, &mut ())
        .unwrap_err();
    assert!(error.to_string().starts_with("tzitzouris-pang: tolerance"));
}
