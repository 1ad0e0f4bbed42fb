//! Impacts with restitution against their closed forms, and cases that users have reported.

use nalgebra::{SVector, Vector2, Vector3};
use signorini_dynamics::{
    Body, ContactMaterial, Course, Inertia, Motion, State, World, WorldSettings,
};
use signorini_geometry::{Ball, Capsule, HalfSpace};
use signorini_steppers::{
    ActiveSet, AnitescuPotra, ContactForm, HartAnitescu, HartAnitescuSettings, Impact, ImpactLaw,
    Run, StepError, StepReport, Stepper, StewartTrinkle, StewartTrinkleSettings, simulate,
};

use crate::worlds::{close, down};

fn bouncing<const D: usize>(e: f64, mu: f64, gravity: SVector<f64, D>) -> World<D> {
    let material = ContactMaterial {
        friction: mu,
        restitution: e,
        ..ContactMaterial::default()
    };
    let settings = WorldSettings {
        material,
        gravity,
        ..WorldSettings::default()
    };
    World::with_settings(settings).unwrap()
}

fn anitescu(impact: ImpactLaw, form: ContactForm) -> HartAnitescu {
    HartAnitescu::new(HartAnitescuSettings {
        impact,
        form,
        ..HartAnitescuSettings::default()
    })
}

fn stewart(impact: ImpactLaw) -> StewartTrinkle {
    StewartTrinkle::new(StewartTrinkleSettings {
        impact,
        ..StewartTrinkleSettings::default()
    })
}

/// All schemes and forms that impacts of this law have.
fn schemes(law: ImpactLaw) -> Vec<Box<dyn Stepper>> {
    let mut all: Vec<Box<dyn Stepper>> = vec![
        Box::new(anitescu(law, ContactForm::Pyramid)),
        Box::new(stewart(law)),
    ];
    if law != ImpactLaw::Poisson {
        all.push(Box::new(anitescu(law, ContactForm::Cone)));
        all.push(Box::new(anitescu(law, ContactForm::Relaxed)));
    }
    all
}

/// A ball of radius 0 (nearly) flies to a wall at x = 1.
fn ball_and_wall(e: f64) -> World<2> {
    let mut world = bouncing(e, 0.0, Vector2::zeros());
    let wall = HalfSpace::new(Vector2::new(-1.0, 0.0), -1.0).unwrap();
    world.add(Body::fixed("wall", wall)).unwrap();
    let mut ball = Body::solid("ball", Ball::new(0.01).unwrap(), 1.0).unwrap();
    ball.position[0] = -0.01;
    ball.velocity[0] = 1.0;
    world.add(ball).unwrap();
    world
}

/// Runs until the ball flies back; its velocity.
fn after_the_wall(stepper: &mut dyn Stepper, e: f64, h: f64) -> f64 {
    let world = ball_and_wall(e);
    let mut state = world.initial_state();
    let until = 1.0 + 3.0 * h;
    simulate(&world, stepper, &mut state, Run { h, until }, &mut ()).unwrap();
    state.v[0]
}

#[test]
fn a_wall_returns_e_times_the_speed_at_every_step_size() {
    for e in [1.0, 0.8, 0.3] {
        for law in [ImpactLaw::Newton, ImpactLaw::Poisson, ImpactLaw::Moreau] {
            for mut stepper in schemes(law) {
                for h in [0.25, 0.2, 0.125, 0.1, 0.3, 0.07, 0.0123, 1.0 / 3.0] {
                    let name = stepper.name();
                    let found = after_the_wall(&mut *stepper, e, h);
                    assert!(
                        (found + e).abs() < 1e-12,
                        "{name} {law:?} e = {e}, h = {h}: {found}"
                    );
                }
            }
        }
        // Without the correction: −e − e/h + e ⌈1/h⌉.
        let mut stepper = anitescu(ImpactLaw::Uncorrected, ContactForm::Pyramid);
        for h in [0.3_f64, 0.07, 0.0123] {
            let expected = -e - e / h + e * (1.0 / h).ceil();
            close(after_the_wall(&mut stepper, e, h), expected, 1e-11);
        }
    }
}

/// A rebound gives back what its compression took, and no more: the summary counts what is beyond that, also where a run is
/// saved between the two.
#[test]
fn the_summary_counts_a_rebound_with_its_compression() {
    let world = ball_and_wall(0.8);
    let run = Run {
        h: 0.07,
        until: 2.0,
    };
    for law in [ImpactLaw::Newton, ImpactLaw::Poisson, ImpactLaw::Moreau] {
        for mut stepper in schemes(law) {
            let mut state = world.initial_state();
            let summary = simulate(&world, &mut *stepper, &mut state, run, &mut ()).unwrap();
            close(summary.energy_end.total(), 0.5 * 0.64, 1e-12);
            assert!(summary.largest_energy_gain < 1e-12, "{law:?} {summary:?}");
            let mut state = world.initial_state();
            let mut compressed = false;
            while !compressed && state.v[0] > 0.0 {
                let report = stepper.step(&world, &mut state, run.h, &mut ()).unwrap();
                compressed = report.will_rebound();
            }
            assert_eq!(compressed, law != ImpactLaw::Moreau);
            let summary = simulate(&world, &mut *stepper, &mut state, run, &mut ()).unwrap();
            assert!(summary.largest_energy_gain < 1e-12, "{law:?} {summary:?}");
        }
    }
    // Newton's law gains energy in a rebound with friction: as much, wherever the run is cut.
    let (rod, h) = (rod(), 1e-7);
    let gain = |from: f64, until: f64, state: &mut State| {
        let run = Run { h, until };
        assert!((state.t - from).abs() < 0.5 * h);
        let mut stepper = stewart(ImpactLaw::Newton);
        let summary = simulate(&rod, &mut stepper, state, run, &mut ()).unwrap();
        summary.largest_energy_gain
    };
    let whole = gain(0.0, 4.0 * h, &mut rod.initial_state());
    close(whole, 0.031_75, 1e-6);
    let mut state = rod.initial_state();
    let parts = [0.0, 1.0, 2.0].map(|k| gain(k * h, (k + 1.0) * h, &mut state));
    assert_eq!(parts[1].to_bits(), whole.to_bits(), "{parts:?}");
    assert!(parts[0].max(parts[2]) < 1e-12, "{parts:?}");
    // Put right in one step with a velocity of its own.
    let mut state = world.initial_state();
    state.q[0] = 1.0;
    state.v[0] = 0.0;
    let mut stepper = anitescu(ImpactLaw::Newton, ContactForm::Pyramid);
    let summary = simulate(&world, &mut stepper, &mut state, run, &mut ()).unwrap();
    close(
        summary.largest_energy_gain,
        0.5 * (0.01_f64 / 0.07).powi(2),
        1e-12,
    );
}

#[test]
fn a_thousand_elastic_bounces_keep_the_speed() {
    let mut world = bouncing(1.0, 0.0, Vector3::zeros());
    for (name, x) in [("left", 1.0), ("right", -1.0)] {
        let wall = HalfSpace::new(Vector3::new(x, 0.0, 0.0), -10.0).unwrap();
        world.add(Body::fixed(name, wall)).unwrap();
    }
    let mut ball = Body::solid("ball", Ball::new(0.5).unwrap(), 1.0).unwrap();
    ball.velocity[0] = 20.0;
    world.add(ball).unwrap();
    for law in [ImpactLaw::Newton, ImpactLaw::Poisson] {
        let mut stepper = anitescu(law, ContactForm::Pyramid);
        let mut state = world.initial_state();
        let (mut bounces, mut worst) = (0, 0.0_f64);
        let run = Run {
            h: 0.01,
            until: 950.0,
        };
        let mut see = |report: &StepReport, state: &State| {
            let rebound = |c: &signorini_steppers::ContactReport| c.impact == Impact::Rebound;
            bounces += usize::from(report.contacts.iter().any(rebound));
            if !report.is_compression() {
                worst = worst.max((state.v[0].abs() - 20.0).abs());
            }
            assert!(state.q[0].abs() <= 9.5 + 1e-9);
            assert!(state.v[1..].iter().all(|v| v.abs() <= 1e-12));
        };
        steps(&world, &mut stepper, &mut state, run, &mut see);
        assert!(worst < 1e-9, "{law:?}: {worst:e}");
        assert!((988..=1012).contains(&bounces), "{bounces}");
    }
}

/// Steps one by one, showing each.
fn steps<const D: usize>(
    world: &World<D>,
    stepper: &mut dyn Stepper,
    state: &mut State,
    run: Run,
    see: &mut dyn FnMut(&StepReport, &State),
) where
    World<D>: signorini_dynamics::System,
{
    while state.t < run.until - 0.5 * run.h {
        let report = stepper.step(world, state, run.h, &mut ()).unwrap();
        see(&report, state);
    }
}

/// Rebound heights e² H, the finite time of infinitely many bounces, and the energy after each.
#[test]
fn a_dropped_ball_has_its_series_of_bounces() {
    let (height, radius, h) = (2.0, 0.05, 1e-3);
    for (e, apex, rest) in [
        (0.3, 0.18, Some(1.185_880_162_654_759)),
        (0.5, 0.5, Some(1.915_652_570_442_302_9)),
        (0.8, 1.28, Some(5.746_957_711_326_91)),
        (0.95, 1.805, None),
    ] {
        let mut world = bouncing(e, 0.0, down::<3>());
        world.add(Body::fixed("floor", HalfSpace::up())).unwrap();
        let mut ball = Body::solid("ball", Ball::new(radius).unwrap(), 1.0).unwrap();
        ball.position[2] = height + radius;
        world.add(ball).unwrap();
        let mass = 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3);
        for mut stepper in schemes(ImpactLaw::Newton) {
            let mut state = world.initial_state();
            let (mut first, mut bounces, mut last_high) = (0.0_f64, 0, 0.0);
            let (mut before, mut compressed) = (f64::INFINITY, false);
            let run = Run { h, until: 6.0 };
            steps(&world, &mut *stepper, &mut state, run, &mut |report, s| {
                let parts = report.contacts.iter().any(|c| c.impact == Impact::Rebound);
                bounces += usize::from(parts);
                let gap = s.q[2] - radius;
                if bounces == 1 {
                    first = first.max(gap);
                }
                if gap >= 1e-4 {
                    last_high = s.t;
                }
                if report.is_compression() && !compressed {
                    before = report.energy_before.total();
                }
                compressed = report.is_compression();
                if parts {
                    let gained = report.energy_after.total() - before;
                    assert!(gained <= 75.0 * mass * h, "{e}: {gained}");
                }
                assert!(report.contact_energy <= 1e-12 || parts, "{report:?}");
            });
            close(first, apex, 0.002 * apex + 13.0 * h);
            if let Some(rest) = rest {
                close(last_high, rest, 0.01 * rest + 60.0 * h);
            }
        }
    }
}

#[test]
fn elastic_bounces_in_a_field_of_gravity_do_not_climb() {
    let (h, height, radius) = (1e-4, 2.0, 0.05);
    let mut world = bouncing(1.0, 0.0, down::<3>());
    world.add(Body::fixed("floor", HalfSpace::up())).unwrap();
    let mut ball = Body::solid("ball", Ball::new(radius).unwrap(), 1.0).unwrap();
    ball.position[2] = height + radius;
    world.add(ball).unwrap();
    let speed = (2.0 * 9.81 * height).sqrt();
    let mut state = world.initial_state();
    let mut apexes = vec![height];
    let mut falls = true;
    let mut stepper = anitescu(ImpactLaw::Newton, ContactForm::Pyramid);
    let run = Run { h, until: 13.5 };
    steps(&world, &mut stepper, &mut state, run, &mut |report, s| {
        if !report.is_compression() {
            if !falls && s.v[2] <= 0.0 {
                apexes.push(s.q[2] - radius);
            }
            falls = s.v[2] <= 0.0;
        }
    });
    assert!(apexes.len() > 10, "{}", apexes.len());
    close(apexes[10], height, 0.01 * height);
    for (k, apex) in apexes.iter().enumerate() {
        assert!(*apex <= height + k as f64 * speed * h, "{k}: {apex}");
    }
}

/// The height after one bounce is a line of slope −1 in the height before it.
#[test]
fn the_bounce_map_is_a_line() {
    for h in [0.01, 0.001] {
        let (mut worst, mut sums) = (0.0_f64, [0.0; 4]);
        for k in 0..=100 {
            let z0 = 2.9 + 0.001 * f64::from(k);
            let mut world = bouncing(1.0, 0.0, Vector3::zeros());
            world.add(Body::fixed("floor", HalfSpace::up())).unwrap();
            let mut ball = Body::solid("ball", Ball::new(0.5).unwrap(), 1.0).unwrap();
            ball.position[2] = z0;
            ball.velocity[2] = -5.0;
            world.add(ball).unwrap();
            let mut state = world.initial_state();
            let mut stepper = anitescu(ImpactLaw::Newton, ContactForm::Pyramid);
            simulate(
                &world,
                &mut stepper,
                &mut state,
                Run { h, until: 1.0 },
                &mut (),
            )
            .unwrap();
            let z = state.q[2];
            worst = worst.max((z - (6.0 - z0)).abs());
            let x = z0 - 2.95;
            sums[0] += x * x;
            sums[1] += x * z;
        }
        assert!(worst <= 10.0 * h, "{h}: {worst}");
        if h < 0.005 {
            close(sums[1] / sums[0], -1.0, 0.02);
        }
    }
}

fn row_of_balls(places: &[f64]) -> World<3> {
    let mut world = bouncing(1.0, 0.0, Vector3::zeros());
    for (k, x) in places.iter().enumerate() {
        let mut ball = Body::solid(format!("b{k}"), Ball::new(0.05).unwrap(), 1.0).unwrap();
        ball.position[0] = *x;
        ball.velocity[0] = if k == 0 { 1.0 } else { 0.0 };
        world.add(ball).unwrap();
    }
    world
}

/// A fixed step makes one simultaneous impact of all that meet within it.
#[test]
fn a_row_of_balls_has_one_simultaneous_impact() {
    let gaps = [-0.01, 0.1 + 1e-6, 0.2 + 2e-6, 0.3 + 3e-6, 0.4 + 4e-6];
    let cases: [(&[f64], &[f64]); 2] = [
        (&gaps, &[-0.6, 0.4, 0.4, 0.4, 0.4]),
        (&[0.0, 0.1, 0.2], &[-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0]),
    ];
    for law in [ImpactLaw::Newton, ImpactLaw::Poisson] {
        for (places, expected) in cases {
            for mut stepper in schemes(law) {
                let world = row_of_balls(places);
                let mut state = world.initial_state();
                let run = Run {
                    h: 1e-4,
                    until: 0.5,
                };
                steps(&world, &mut *stepper, &mut state, run, &mut |report, s| {
                    let momentum: f64 = s.v.iter().step_by(6).sum();
                    close(momentum, 1.0, 1e-12);
                    if !report.is_compression() && law == ImpactLaw::Newton {
                        let energy: f64 = s.v.iter().step_by(6).map(|v| v * v).sum();
                        close(energy, 1.0, 1e-9);
                    }
                });
                if law == ImpactLaw::Newton {
                    for (v, expected) in state.v.iter().step_by(6).zip(expected) {
                        close(*v, *expected, 1e-9);
                    }
                }
            }
        }
    }
}

/// A rod whose lower end meets the floor obliquely, as Newton's law adds energy: case impact-newton-energy-gain. Its end has the
/// radius that geometry needs.
fn rod() -> World<2> {
    let mut world = bouncing(0.9, 0.5, Vector2::zeros());
    world.add(Body::fixed("floor", HalfSpace::up())).unwrap();
    let mut rod = Body::moving("rod", 1.0, Inertia::Scalar(1.0 / 3.0));
    let size = 1e-11;
    rod.shape = Some(Capsule::new(1.0, size).unwrap().into());
    rod.position = vec![0.0, 2.0 / 5.0_f64.sqrt() + size, 2.0_f64.atan()];
    rod.velocity = vec![0.75, -1.0, 0.0];
    world.add(rod).unwrap();
    world
}

#[test]
fn newtons_law_with_friction_gains_energy_and_poissons_loses_it() {
    for (law, impulse, tip_after, change) in [
        (ImpactLaw::Newton, [0.27, 1.39], [0.0, 0.9], 0.031_75),
        (
            ImpactLaw::Poisson,
            [0.198_529_411_764_705_87, 1.1875],
            [0.0, 0.661_764_705_882_352_9],
            -0.126_378_676_470_588,
        ),
    ] {
        // Without the gap, which rounding leaves at 1e-16 m: over the step that is a speed.
        let hart = HartAnitescu::new(HartAnitescuSettings {
            impact: law,
            gamma: 0.0,
            ..HartAnitescuSettings::default()
        });
        let schemes: [(Box<dyn Stepper>, f64, f64); 2] = [
            (Box::new(hart), 1e-10, 1e-9),
            (Box::new(stewart(law)), 1e-7, 1e-6),
        ];
        for (mut stepper, h, tolerance) in schemes {
            let world = rod();
            let mut state = world.initial_state();
            let first = stepper.step(&world, &mut state, h, &mut ()).unwrap();
            assert!(first.is_compression());
            let second = stepper.step(&world, &mut state, h, &mut ()).unwrap();
            assert_eq!(second.contacts[0].impact, Impact::Rebound);
            let [x, y] = [-1.0, -2.0].map(|x: f64| x / 5.0_f64.sqrt());
            let tip = [state.v[0] - state.v[2] * y, state.v[1] + state.v[2] * x];
            close(tip[0], tip_after[0], tolerance);
            close(tip[1], tip_after[1], tolerance);
            // The rod has 1 kg: its change of velocity is the impulse.
            close(state.v[0] - 0.75, impulse[0], tolerance);
            close(state.v[1] + 1.0, impulse[1], tolerance);
            let gained = second.energy_after.total() - first.energy_before.total();
            close(gained, change, tolerance);
            // Without forces all of it is the work of the contact.
            close(first.contact_energy + second.contact_energy, gained, 1e-9);
        }
    }
}

#[test]
fn a_slow_approach_is_inelastic_and_the_report_says_from_which_speed_on() {
    let h = 0.01;
    for (speed, rises) in [(0.05, false), (0.2, true)] {
        let mut world = bouncing(1.0, 0.0, down::<2>());
        world.add(Body::fixed("floor", HalfSpace::up())).unwrap();
        let mut ball = Body::solid("ball", Ball::new(0.5).unwrap(), 1.0).unwrap();
        ball.position[1] = 0.5;
        ball.velocity[1] = -speed;
        world.add(ball).unwrap();
        let mut state = world.initial_state();
        let mut stepper = anitescu(ImpactLaw::Newton, ContactForm::Pyramid);
        let report = stepper.step(&world, &mut state, h, &mut ()).unwrap();
        close(report.rest_speed, 9.81 * h, 1e-12);
        stepper.step(&world, &mut state, h, &mut ()).unwrap();
        assert_eq!(state.v[1] > 0.0, rises, "{speed}");
    }
}

#[test]
fn a_run_paused_in_the_compression_goes_on_with_the_same_bits() {
    let world = row_of_balls(&[-0.01, 0.1 + 1e-6, 0.2 + 2e-6]);
    let run = Run {
        h: 1e-3,
        until: 0.1,
    };
    for law in [ImpactLaw::Newton, ImpactLaw::Poisson] {
        for (mut whole, mut parts) in schemes(law).into_iter().zip(schemes(law)) {
            let mut expected = world.initial_state();
            let mut pauses = Vec::new();
            steps(&world, &mut *whole, &mut expected, run, &mut |report, s| {
                if report.is_compression() {
                    pauses.push(serde_json::to_string(s).unwrap());
                }
            });
            assert!(!pauses.is_empty());
            for saved in pauses {
                let mut state: State = serde_json::from_str(&saved).unwrap();
                steps(&world, &mut *parts, &mut state, run, &mut |_, _| {});
                let text = |s: &State| serde_json::to_string(s).unwrap();
                assert_eq!(text(&state), text(&expected));
            }
        }
    }
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    let world = ball_and_wall(1.0);
    let before = world.initial_state();
    let mut state = before.clone();
    let mut stepper = anitescu(ImpactLaw::Poisson, ContactForm::Cone);
    let error = stepper.step(&world, &mut state, 0.1, &mut ()).unwrap_err();
    insta::assert_snapshot!(error, @"hart-anitescu: Poisson's law of impact does not go with round cones; choose the pyramid, or another law");
    let mut stepper = HartAnitescu::new(HartAnitescuSettings {
        rest_speed: f64::NAN,
        active: ActiveSet::Automatic,
        ..HartAnitescuSettings::default()
    });
    let error = stepper.step(&world, &mut state, 0.1, &mut ()).unwrap_err();
    assert!(matches!(
        error,
        StepError::Setting {
            setting: "rest_speed",
            ..
        }
    ));
    assert_eq!(state, before);
}

/// The velocity-level scheme rebounds in the step after it has penetrated.
#[test]
fn the_velocity_level_scheme_rebounds_where_it_touches() {
    let mut stepper = AnitescuPotra::default();
    for h in [0.3, 0.07] {
        close(after_the_wall(&mut stepper, 0.8, h), -0.8, 1e-12);
    }
}

/// A disc jammed between two walls, and a ball that bounces off the floor far from it: the one yields, the other bounces.
#[test]
fn a_step_that_yields_keeps_its_rebounds() {
    let material = ContactMaterial {
        restitution: 0.8,
        ..ContactMaterial::default()
    };
    for form in [
        ContactForm::Pyramid,
        ContactForm::Cone,
        ContactForm::Relaxed,
    ] {
        for law in [ImpactLaw::Newton, ImpactLaw::Moreau] {
            let mut world = World::<2>::with_settings(WorldSettings {
                material,
                gravity: Vector2::zeros(),
                ..WorldSettings::default()
            })
            .unwrap();
            for (name, normal) in [("left", [1.0, 0.0]), ("right", [-1.0, 0.0])] {
                let wall = HalfSpace::new(Vector2::from(normal), -0.45).unwrap();
                world.add(Body::fixed(name, wall)).unwrap();
            }
            world.add(Body::fixed("floor", HalfSpace::up())).unwrap();
            let mut jammed = Body::solid("jammed", Ball::new(0.5).unwrap(), 1.0).unwrap();
            jammed.position[1] = 9.0;
            world.add(jammed).unwrap();
            let mut ball = Body::solid("ball", Ball::new(0.1).unwrap(), 1.0).unwrap();
            ball.position[1] = 0.1;
            ball.velocity[1] = -3.0;
            world.add(ball).unwrap();
            let mut state = world.initial_state();
            let mut stepper = anitescu(law, form);
            let report = stepper.step(&world, &mut state, 0.01, &mut ()).unwrap();
            assert!(!report.converged, "{form:?} {law:?}");
            if law == ImpactLaw::Newton {
                assert!(report.is_compression());
                let report = stepper.step(&world, &mut state, 0.01, &mut ()).unwrap();
                assert!(!report.converged, "{form:?}");
            }
            close(state.v[4], 2.4, 1e-9);
        }
    }
}

/// A ball that one driven wall hits just before another: to part from the first as the law asks it would have to run into the
/// second. Nothing solves that, and the step gives up the rebound.
#[test]
fn a_rebound_without_room_is_given_up() {
    let mut world = bouncing(1.0, 0.0, Vector2::zeros());
    for (name, sign, place) in [("left", 1.0, -0.515), ("right", -1.0, -0.55)] {
        let wall = HalfSpace::new(Vector2::new(sign, 0.0), place).unwrap();
        let mut body = Body::fixed(name, wall);
        body.motion = Motion::Driven {
            direction: [sign, 0.0, 0.0, 0.0, 0.0, 0.0],
            course: Course::Steady { rate: 1.0 },
        };
        world.add(body).unwrap();
    }
    let ball = Body::solid("ball", Ball::new(0.5).unwrap(), 1.0).unwrap();
    let ball = world.add(ball).unwrap();
    for form in [
        ContactForm::Pyramid,
        ContactForm::Cone,
        ContactForm::Relaxed,
    ] {
        let mut state = world.initial_state();
        let mut stepper = anitescu(ImpactLaw::Newton, form);
        let speed = |state: &State| state.v[3 * ball.index()];
        // A driven body has its velocity from its first step on.
        stepper.step(&world, &mut state, 0.01, &mut ()).unwrap();
        let report = stepper.step(&world, &mut state, 0.01, &mut ()).unwrap();
        assert!(report.converged && report.is_compression(), "{form:?}");
        close(speed(&state), 0.5, 1e-9);
        let report = stepper.step(&world, &mut state, 0.01, &mut ()).unwrap();
        assert!(!report.converged, "{form:?}");
        close(speed(&state), 1.0, 1e-9);
    }
}
