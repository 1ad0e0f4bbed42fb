//! A saved and restored state continues the same run, bit for bit.

use signorini_dynamics::State;
use signorini_steppers::{
    AnitescuPotra, Evaluation, Formulation, GeometricallyImplicit, GeometricallyImplicitSettings,
    HartAnitescu, Run, Stall, Stepper, StewartTrinkle, StewartTrinkleSettings, simulate,
};

use crate::worlds::{four_balls, rod};

fn check(
    world: &dyn signorini_dynamics::System,
    initial: &State,
    new: &dyn Fn() -> Box<dyn Stepper>,
) {
    let run = Run {
        h: 0.005,
        until: 0.8,
    };
    let mut whole = initial.clone();
    simulate(world, &mut *new(), &mut whole, run, &mut ()).unwrap();
    // In flight, just before the impact, in the middle of it and after it.
    for pause in [0.1, 0.385, 0.43, 0.585, 0.59, 0.7] {
        let mut state = initial.clone();
        simulate(
            world,
            &mut *new(),
            &mut state,
            Run {
                until: pause,
                ..run
            },
            &mut (),
        )
        .unwrap();
        let saved = serde_json::to_string(&state).unwrap();
        let mut restored: State = serde_json::from_str(&saved).unwrap();
        assert_eq!(restored, state);
        simulate(world, &mut *new(), &mut restored, run, &mut ()).unwrap();
        let bits = |s: &State| serde_json::to_string(s).unwrap();
        assert_eq!(bits(&restored), bits(&whole), "paused at {pause}");
    }
}

#[test]
fn every_scheme_continues_with_the_same_bits() {
    let fixed_point = || -> Box<dyn Stepper> {
        let (evaluation, stall) = (Evaluation::FixedPoint, Stall::Accept);
        let settings = StewartTrinkleSettings {
            evaluation,
            stall,
            ..Default::default()
        };
        Box::new(StewartTrinkle::new(settings))
    };
    let implicit = |formulation| -> Box<dyn Stepper> {
        let settings = GeometricallyImplicitSettings {
            formulation,
            ..Default::default()
        };
        Box::new(GeometricallyImplicit::new(settings))
    };
    let schemes: [&dyn Fn() -> Box<dyn Stepper>; 6] = [
        &|| Box::new(StewartTrinkle::default()),
        &fixed_point,
        &|| Box::new(AnitescuPotra::default()),
        &|| Box::new(HartAnitescu::default()),
        &|| implicit(Formulation::Full),
        &|| implicit(Formulation::Condensed),
    ];
    for new in schemes {
        check(&rod(), &rod().initial_state(), new);
        check(&four_balls(), &four_balls().initial_state(), new);
    }
}
