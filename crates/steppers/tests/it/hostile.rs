//! Data that nobody means well with: a step fails and says why, or it is what its report says.

use nalgebra::Vector2;
use signorini_dynamics::{
    Body, ContactMaterial, Course, Inertia, Joint, JointKind, State, System, World, WorldSettings,
};
use signorini_geometry::{Ball, HalfSpace, Pose};
use signorini_steppers::{
    AnitescuPotra, ContactForm, GeometricallyImplicit, GeometricallyImplicitSettings, HartAnitescu,
    HartAnitescuSettings, StepError, Stepper, StewartTrinkle,
};

use crate::worlds::{ball, down};

fn cones(form: ContactForm) -> HartAnitescu {
    HartAnitescu::new(HartAnitescuSettings {
        form,
        ..HartAnitescuSettings::default()
    })
}

fn refused(world: &dyn System, stepper: &mut dyn Stepper, state: &State, h: f64) -> StepError {
    let mut after = state.clone();
    let error = stepper.step(world, &mut after, h, &mut ()).unwrap_err();
    assert_eq!(after, *state);
    error
}

/// A body that a drive turns about one place and a hinge holds in another: impulses run off to where rounding is all that is
/// left of their velocities, and beside them nothing is large.
#[test]
fn joints_that_contradict_each_other_are_not_solved() {
    let mut world = World::<2>::new();
    let room = world.add(Body::anchor("room")).unwrap();
    let mut body = Body::moving("body", 1.0, Inertia::Scalar(1.0 / 150.0));
    body.position[1] = 0.1;
    let body = world.add(body).unwrap();
    let pin = |name: &str, height: f64| Joint {
        frame_a: Pose::from_position(Vector2::new(0.0, height)),
        frame_b: Pose::from_position(Vector2::new(0.0, height - 0.1)),
        ..Joint::new(name, JointKind::Revolute, room, body)
    };
    let drive = Some(Course::Steady { rate: 6.0 });
    let driven = Joint {
        drive,
        ..pin("driven", 0.1)
    };
    world.join(driven).unwrap();
    world.join(pin("hinge", 0.2)).unwrap();
    let state = world.initial_state();
    for form in [
        ContactForm::Pyramid,
        ContactForm::Cone,
        ContactForm::Relaxed,
    ] {
        let error = refused(&world, &mut cones(form), &state, 0.01);
        assert!(
            matches!(error, StepError::Unsolved { residual, .. } if residual > 1e-2),
            "{form:?} {error:?}"
        );
    }
}

/// A velocity of 1e201 m/s on the way has no energy that numbers can hold, even if a floor stops it in the same step.
#[test]
fn work_beyond_numbers_is_an_error() {
    let material = ContactMaterial {
        friction: 0.5,
        restitution: 0.5,
        ..ContactMaterial::default()
    };
    let mut world = World::<3>::with_settings(WorldSettings {
        material,
        gravity: down(),
        ..WorldSettings::default()
    })
    .unwrap();
    world.add(Body::fixed("floor", HalfSpace::up())).unwrap();
    let mut body = Body::solid("ball", Ball::new(0.5).unwrap(), 1.0).unwrap();
    body.position[2] = 0.5;
    world.add(body).unwrap();
    let schemes: [Box<dyn Stepper>; 5] = [
        Box::new(cones(ContactForm::Pyramid)),
        Box::new(cones(ContactForm::Cone)),
        Box::new(StewartTrinkle::default()),
        Box::new(AnitescuPotra::default()),
        Box::new(GeometricallyImplicit::default()),
    ];
    for mut stepper in schemes {
        let mut state = world.initial_state();
        let before = state.clone();
        match stepper.step(&world, &mut state, 1e200, &mut ()) {
            Ok(report) => assert!(
                report.contact_energy.is_finite() && report.energy_after.total().is_finite(),
                "{}: {report:?}",
                stepper.name()
            ),
            Err(_) => assert_eq!(state, before),
        }
    }
}

/// Changes one setting.
type Set = fn(&mut GeometricallyImplicitSettings, f64);

#[test]
fn settings_that_compare_with_nothing_are_refused_by_name() {
    let world = ball(0.5, down(), 0.1, 0.1);
    let state = world.initial_state();
    let settings: [(&str, Set); 3] = [
        ("rest_speed", |s, x| s.rest_speed = x),
        ("tolerance", |s, x| s.tolerance = x),
        ("violation_tolerance", |s, x| s.violation_tolerance = x),
    ];
    for (name, set) in settings {
        for value in [f64::NAN, -1.0, f64::INFINITY] {
            let mut settings = GeometricallyImplicitSettings::default();
            set(&mut settings, value);
            let mut stepper = GeometricallyImplicit::new(settings);
            let error = refused(&world, &mut stepper, &state, 0.01);
            assert!(
                matches!(error, StepError::Setting { setting, .. } if setting == name),
                "{name} {value}: {error}"
            );
        }
    }
}
