//! A step that cannot be made says why and leaves the state bit for bit.

use std::ops::ControlFlow;

use signorini_complementarity::{Iterate, Observer, Status};
use signorini_dynamics::{ContactMaterial, State, StateError, System};
use signorini_steppers::{
    ActiveSet, AnitescuPotra, ContactForm, Evaluation, GeometricallyImplicit, HartAnitescu,
    HartAnitescuSettings, Run, StepError, Stepper, StewartTrinkle, StewartTrinkleSettings,
    simulate,
};

use crate::worlds::{ball, down, four_balls, rod, run_default};

/// Steps, expects an error, and checks that nothing changed.
fn refused(
    system: &dyn System,
    stepper: &mut dyn Stepper,
    state: &State,
    h: f64,
    observer: &mut dyn Observer,
) -> StepError {
    let mut after = state.clone();
    let error = stepper.step(system, &mut after, h, observer).unwrap_err();
    let bits = |s: &State| -> Vec<u64> {
        s.q.iter()
            .chain(&s.v)
            .chain([&s.t])
            .map(|x| x.to_bits())
            .collect()
    };
    assert_eq!(bits(&after), bits(state));
    assert_eq!(after.memory, state.memory);
    error
}

fn settings() -> StewartTrinkleSettings {
    StewartTrinkleSettings::default()
}

#[test]
fn a_time_step_must_be_positive() {
    let world = rod();
    for h in [0.0, -0.01, f64::NAN, f64::INFINITY] {
        let error = refused(
            &world,
            &mut StewartTrinkle::default(),
            &world.initial_state(),
            h,
            &mut (),
        );
        assert!(matches!(error, StepError::TimeStep { .. }), "{error}");
    }
}

/// A gap over a step of next to nothing is beyond what numbers hold: its contact is named, and not only an index of the assembled
/// problem.
#[test]
fn a_datum_that_is_not_finite_is_named_by_its_contact() {
    let world = ball(0.3, down(), 0.5, 0.55);
    let mut stepper = HartAnitescu::new(HartAnitescuSettings {
        active: ActiveSet::Within(0.1),
        ..HartAnitescuSettings::default()
    });
    let start = world.initial_state();
    let error = refused(&world, &mut stepper, &start, 1e-310, &mut ());
    insta::assert_snapshot!(error, @"the contact problem of the step at t = 0 s is invalid at contact floor/ball#0: bias[0] is inf, which is not finite");
}

/// Ten steps of 0.1 s are 0.9999999999999999 s, and three 0.30000000000000004.
#[test]
fn times_in_messages_are_without_rounding() {
    let error = StepError::Projection {
        t: 0.1 + 0.1 + 0.1,
        passes: 1,
        off: 1.0,
    };
    assert!(error.to_string().contains("at t = 0.3 s"), "{error}");
    let world = ball(0.3, down(), 0.5, 0.5);
    let state = State {
        t: (0..10).fold(0.0, |t, _| t + 0.1),
        ..world.initial_state()
    };
    let mut stop = |_: &Iterate<'_>| ControlFlow::Break(());
    let error = refused(
        &world,
        &mut StewartTrinkle::default(),
        &state,
        0.01,
        &mut stop,
    );
    let text = error.to_string();
    assert!(
        text.contains("at t = 1 s with 1 contact was not solved"),
        "{text}"
    );
}

#[test]
fn a_step_must_not_be_lost_in_the_rounding_of_the_time() {
    let world = rod();
    let late = State {
        t: 1e17,
        ..world.initial_state()
    };
    let error = refused(&world, &mut StewartTrinkle::default(), &late, 0.01, &mut ());
    assert_eq!(error, StepError::LostStep { t: 1e17, h: 0.01 });
    let run = Run {
        h: 0.01,
        until: 1e300,
    };
    let mut state = world.initial_state();
    let error = simulate(
        &world,
        &mut StewartTrinkle::default(),
        &mut state,
        run,
        &mut (),
    )
    .unwrap_err();
    assert_eq!(error, StepError::LostStep { t: 1e300, h: 0.01 });
}

#[test]
fn a_state_with_a_nan_names_its_body() {
    let world = rod();
    let mut state = world.initial_state();
    state.v[2] = f64::NAN;
    let error = refused(
        &world,
        &mut StewartTrinkle::default(),
        &state,
        0.01,
        &mut (),
    );
    assert!(error.to_string().contains("rod"), "{error}");
}

#[test]
fn an_observer_can_stop_a_step() {
    let world = ball(0.5, down(), 0.1, 0.1);
    let mut stop = |_: &Iterate<'_>| ControlFlow::Break(());
    let error = refused(
        &world,
        &mut StewartTrinkle::default(),
        &world.initial_state(),
        0.01,
        &mut stop,
    );
    assert!(
        matches!(
            error,
            StepError::Unsolved {
                status: Status::Stopped,
                ..
            }
        ),
        "{error}"
    );
}

#[test]
fn directions_must_span_the_tangent_plane() {
    let world = ball(0.5, down(), 0.1, 0.1);
    for directions in [0, 2, 5] {
        let mut stepper = StewartTrinkle::new(StewartTrinkleSettings {
            directions,
            ..settings()
        });
        let error = refused(&world, &mut stepper, &world.initial_state(), 0.01, &mut ());
        assert_eq!(
            error,
            StepError::Directions {
                found: directions,
                least: 4
            }
        );
    }
}

#[test]
fn a_flat_ellipsoid_of_friction_is_refused_by_name() {
    let mut world = ball(0.5, down(), 0.1, 0.1);
    let [floor, ball] = ["floor", "ball"].map(|name| world.body(name).unwrap());
    let mut material = ContactMaterial {
        friction: 0.5,
        ellipsoid: [1.0, 0.0, 0.3],
        ..ContactMaterial::default()
    };
    world.set_pair_material(floor, ball, material).unwrap();
    let state = world.initial_state();
    let error = refused(
        &world,
        &mut StewartTrinkle::default(),
        &state,
        0.01,
        &mut (),
    );
    insta::assert_snapshot!(error, @"stewart-trinkle does not model friction with the half axes [1.0, 0.0, 0.3] of contact floor/ball#0; choose the geometrically implicit scheme, or positive ones along the tangents");
    // Without friction the shape of its cone does not matter.
    material.friction = 0.0;
    world.set_pair_material(floor, ball, material).unwrap();
    let mut state = world.initial_state();
    StewartTrinkle::default()
        .step(&world, &mut state, 0.01, &mut ())
        .unwrap();
}

#[test]
fn an_unsettled_fixed_point_is_an_error_unless_accepted() {
    let world = rod();
    let (_, state) = run_default(&world, 0.0025, 0.38);
    let once = StewartTrinkleSettings {
        evaluation: Evaluation::FixedPoint,
        max_passes: 1,
        ..settings()
    };
    let mut stepper = StewartTrinkle::new(once.clone());
    let error = refused(&world, &mut stepper, &state, 0.0025, &mut ());
    assert!(
        matches!(error, StepError::FixedPoint { passes: 1, .. }),
        "{error}"
    );
    let stall = signorini_steppers::Stall::Accept;
    let mut stepper = StewartTrinkle::new(StewartTrinkleSettings { stall, ..once });
    let report = stepper
        .step(&world, &mut state.clone(), 0.0025, &mut ())
        .unwrap();
    assert!(!report.converged);
}

#[test]
fn too_few_rounds_name_the_violated_contact() {
    let world = four_balls();
    let mut state = world.initial_state();
    // Three balls next to the floor start to fall in the first step, which the first round does not foresee.
    (1..4).for_each(|ball| state.q[7 * ball + 2] += 1e-6);
    let mut stepper = StewartTrinkle::new(StewartTrinkleSettings {
        max_rounds: 1,
        ..settings()
    });
    let error = refused(&world, &mut stepper, &state, 0.01, &mut ());
    assert!(
        matches!(&error, StepError::ActiveSet { contact, violation, .. }
        if contact.contains("floor") && *violation > 0.0),
        "{error}"
    );
    let step = error.problem().unwrap();
    assert_eq!((&step.state, step.h), (&state, 0.01));
    assert_eq!(step.z.len(), state.v.len(), "velocities of the last round");
}

#[test]
fn an_energy_beyond_numbers_is_an_error() {
    let world = ball(0.5, down(), 0.1, 1.0);
    let mut state = world.initial_state();
    // It does not get far in a step.
    state.v[0] = 1e155;
    let mut stepper = StewartTrinkle::default();
    let error = refused(&world, &mut stepper, &state, 1e-6, &mut ());
    assert!(matches!(error, StepError::Energy { .. }), "{error}");
    let run = Run {
        h: 1e-6,
        until: 1e-5,
    };
    let error = simulate(&world, &mut stepper, &mut state, run, &mut ()).unwrap_err();
    assert!(matches!(error, StepError::Energy { t: 0.0, .. }), "{error}");
}

#[test]
fn a_body_too_far_away_is_named() {
    let world = ball(0.5, down(), 0.1, 1.0);
    let mut state = world.initial_state();
    let mut stepper = StewartTrinkle::default();
    state.q[0] = 1e149;
    stepper
        .step(&world, &mut state.clone(), 0.01, &mut ())
        .unwrap();
    state.q[0] = -1e151;
    let error = refused(&world, &mut stepper, &state, 0.01, &mut ());
    let far = StateError::Far {
        body: "ball".to_owned(),
        index: 0,
        value: -1e151,
    };
    assert_eq!(error, StepError::State(far));
}

/// A step fails on its residual: the message says what it is and what it must be, and not that the problem was solved.
#[test]
fn a_residual_above_the_tolerance_is_what_the_message_tells() {
    let world = four_balls();
    let mut stepper = StewartTrinkle::default();
    let mut state = world.initial_state();
    // Some step has a residual of rounding, and none is as small as what is asked then.
    let before = loop {
        let before = state.clone();
        let report = stepper.step(&world, &mut state, 0.01, &mut ()).unwrap();
        if report.residual > 0.0 {
            break before;
        }
    };
    let mut stepper = StewartTrinkle::new(StewartTrinkleSettings {
        tolerance: 1e-300,
        ..settings()
    });
    let error = refused(&world, &mut stepper, &before, 0.01, &mut ());
    let StepError::Unsolved {
        status,
        residual,
        tolerance,
        ..
    } = error
    else {
        panic!("{error}");
    };
    assert!(residual > tolerance);
    assert_eq!(status, Status::Inaccurate);
    let text = error.to_string();
    let asked = format!("was not solved: its residual {residual:.3e}");
    assert!(text.contains(&asked), "{text}");
    assert!(text.contains("is above the tolerance 1e-300;"), "{text}");
}

#[test]
fn a_tolerance_must_be_positive() {
    let world = ball(0.5, down(), 0.1, 0.1);
    for tolerance in [0.0, -1.0, f64::NAN] {
        let mut stepper = StewartTrinkle::new(StewartTrinkleSettings {
            tolerance,
            ..settings()
        });
        let error = refused(&world, &mut stepper, &world.initial_state(), 0.01, &mut ());
        assert!(error.to_string().contains("must be positive"), "{error}");
    }
}

/// Asks to stop at one iterate and never again.
struct Once {
    at: usize,
    seen: usize,
}

impl Observer for Once {
    fn observe(&mut self, _: &Iterate<'_>) -> ControlFlow<()> {
        self.seen += 1;
        if self.seen == self.at {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

/// Whichever iterate of whichever method an observer stops, no other method is asked in its place.
#[test]
fn a_step_that_is_stopped_is_not_made_by_another_method() {
    let world = four_balls();
    let form = |form| {
        HartAnitescu::new(HartAnitescuSettings {
            form,
            ..HartAnitescuSettings::default()
        })
    };
    let mut steppers: [Box<dyn Stepper>; 5] = [
        Box::new(StewartTrinkle::default()),
        Box::new(AnitescuPotra::default()),
        Box::new(form(ContactForm::Pyramid)),
        Box::new(form(ContactForm::Cone)),
        Box::new(GeometricallyImplicit::default()),
    ];
    for stepper in &mut steppers {
        let mut state = world.initial_state();
        let mut stopped = 0;
        for _ in 0..60 {
            let mut count = Once { at: 0, seen: 0 };
            let before = state.clone();
            stepper.step(&world, &mut state, 0.01, &mut count).unwrap();
            for at in [1, count.seen / 2, count.seen] {
                if at == 0 || at > count.seen {
                    continue;
                }
                let mut once = Once { at, seen: 0 };
                let error = refused(&world, &mut **stepper, &before, 0.01, &mut once);
                assert!(error.is_stopped(), "{error}");
                assert!(
                    error.to_string().contains("stopped by the observer;"),
                    "{error}"
                );
                stopped += 1;
            }
        }
        // The implicit scheme mostly solves without iterates to tell of.
        assert!(stopped > 0 || stepper.name() == "geometrically-implicit");
    }
}
