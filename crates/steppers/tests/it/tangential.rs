//! Tangential restitution against closed forms: superballs, and where friction is not enough for them.

use nalgebra::{Vector2, Vector3};
use signorini_dynamics::{Body, ContactMaterial, State, System, World, WorldSettings};
use signorini_geometry::{Ball, HalfSpace};
use signorini_steppers::{
    AnitescuPotra, ContactForm, GeometricallyImplicit, GeometricallyImplicitSettings, HartAnitescu,
    HartAnitescuSettings, Impact, ImpactLaw, Stepper, StewartTrinkle, StewartTrinkleSettings,
};

use crate::worlds::close;

const RADIUS: f64 = 0.1;
/// Mass that a tangential impulse meets at the surface of a solid ball of 1 kg, and of a disc.
const SEEN: [f64; 2] = [1.0 / 3.0, 2.0 / 7.0];

fn material(friction: f64, restitution: f64, tangential_restitution: f64) -> ContactMaterial {
    ContactMaterial {
        friction,
        restitution,
        tangential_restitution,
        ..ContactMaterial::default()
    }
}

fn hart(impact: ImpactLaw, form: ContactForm) -> Box<dyn Stepper> {
    Box::new(HartAnitescu::new(HartAnitescuSettings {
        impact,
        form,
        ..HartAnitescuSettings::default()
    }))
}

fn stewart(impact: ImpactLaw) -> Box<dyn Stepper> {
    Box::new(StewartTrinkle::new(StewartTrinkleSettings {
        impact,
        ..StewartTrinkleSettings::default()
    }))
}

/// What has tangential restitution, with Coulomb's law.
fn schemes(law: ImpactLaw) -> Vec<Box<dyn Stepper>> {
    let mut all = vec![
        hart(law, ContactForm::Pyramid),
        hart(law, ContactForm::Cone),
        stewart(law),
    ];
    if law == ImpactLaw::Moreau {
        all.push(Box::new(AnitescuPotra::default()));
    }
    all
}

/// A ball that touches a floor, and a ceiling high above, without forces.
fn ball_in_space(material: ContactMaterial, [sliding, falling, spin]: [f64; 3]) -> World<3> {
    let mut world = World::with_settings(WorldSettings {
        material,
        gravity: Vector3::zeros(),
        ..WorldSettings::default()
    })
    .unwrap();
    world.add(Body::fixed("floor", HalfSpace::up())).unwrap();
    let ceiling = HalfSpace::new(Vector3::new(0.0, 0.0, -1.0), -1.0 - 2.0 * RADIUS).unwrap();
    world.add(Body::fixed("ceiling", ceiling)).unwrap();
    let mut ball = Body::solid("ball", Ball::new(RADIUS).unwrap(), 1.0).unwrap();
    ball.position[2] = RADIUS;
    ball.velocity = vec![sliding, 0.0, -falling, 0.0, spin, 0.0];
    world.add(ball).unwrap();
    world
}

fn disc(material: ContactMaterial, [sliding, falling, spin]: [f64; 3]) -> World<2> {
    let mut world = World::with_settings(WorldSettings {
        material,
        gravity: Vector2::zeros(),
        ..WorldSettings::default()
    })
    .unwrap();
    world.add(Body::fixed("floor", HalfSpace::up())).unwrap();
    let mut disc = Body::solid("disc", Ball::new(RADIUS).unwrap(), 1.0).unwrap();
    disc.position[1] = RADIUS;
    disc.velocity = vec![sliding, -falling, -spin];
    world.add(disc).unwrap();
    world
}

/// Steps until the contact has parted; velocities along the floor and up, and the spin that rolls with it.
fn bounce(system: &dyn System, mut state: State, stepper: &mut dyn Stepper) -> [f64; 3] {
    for _ in 0..2 {
        let report = stepper.step(system, &mut state, 1e-6, &mut ()).unwrap();
        if report.contacts.iter().any(|c| c.impact == Impact::Rebound) {
            break;
        }
    }
    match system.dimension() {
        2 => [state.v[0], state.v[1], -state.v[2]],
        _ => [state.v[0], state.v[2], state.v[4]],
    }
}

/// The impulse of friction is what turns the sliding back, or what each of the laws has friction for.
fn tangential_impulse(
    law: ImpactLaw,
    [mu, e, back]: [f64; 3],
    [slip, fall]: [f64; 2],
    seen: f64,
) -> f64 {
    let within = |p: f64, normal: f64| p.clamp(-mu * normal, mu * normal);
    if law == ImpactLaw::Moreau {
        return within(-seen * (1.0 + back) * slip, (1.0 + e) * fall);
    }
    let first = within(-seen * slip, fall);
    let left = slip + first / seen;
    first + within(-seen * (left + back * slip), e * fall)
}

#[test]
fn sliding_turns_back_as_far_as_friction_can() {
    let (sliding, fall) = (1.0, 2.0);
    for law in [ImpactLaw::Newton, ImpactLaw::Moreau] {
        for mu in [0.02, 0.1, 0.18, 1.0] {
            for (e, back) in [(1.0, 1.0), (0.5, 0.5), (0.8, 0.3), (0.4, 1.0), (0.7, 0.0)] {
                for spin in [-20.0, 0.0, 10.0, 30.0] {
                    let before = [sliding, fall, spin];
                    let slip = sliding - RADIUS * spin;
                    let flat = disc(material(mu, e, back), before);
                    let round = ball_in_space(material(mu, e, back), before);
                    let worlds: [(&dyn System, State); 2] = [
                        (&flat, flat.initial_state()),
                        (&round, round.initial_state()),
                    ];
                    for ((system, state), seen) in worlds.into_iter().zip(SEEN) {
                        let p = tangential_impulse(law, [mu, e, back], [slip, fall], seen);
                        let turn = (1.0 / seen - 1.0) / RADIUS;
                        let expected = [sliding + p, e * fall, spin - p * turn];
                        for mut stepper in schemes(law) {
                            let found = bounce(system, state.clone(), &mut *stepper);
                            for (found, expected) in found.into_iter().zip(expected) {
                                assert!(
                                    (found - expected).abs() < 1e-8 * (1.0 + expected.abs()),
                                    "{} {law:?} mu {mu} e {e} {back} spin {spin}: {found} {expected}",
                                    stepper.name()
                                );
                            }
                        }
                    }
                }
            }
        }
    }
}

/// A superball between floor and ceiling goes from spin to speed and back; friction suffices, so that it keeps its energy and
/// follows R. L. Garwin, Kinematics of an ultraelastic rough ball, Am. J. Phys. 37, 1969: each contact reverses its sliding.
#[test]
fn a_superball_between_two_plates_keeps_its_energy() {
    let before = [1.0, 3.0, 0.0];
    let world = ball_in_space(material(1.0, 1.0, 1.0), before);
    let energy = |state: &State| world.energy(&state.q, &state.v).total();
    for law in [ImpactLaw::Newton, ImpactLaw::Moreau] {
        let mut schemes = vec![
            hart(law, ContactForm::Pyramid),
            hart(law, ContactForm::Cone),
            stewart(law),
        ];
        // The relaxed law presses what slides before it closes, which Moreau's takes for a part of the impact.
        if law == ImpactLaw::Newton {
            schemes.push(hart(law, ContactForm::Relaxed));
        }
        for mut stepper in schemes {
            let mut state = world.initial_state();
            let start = energy(&state);
            let (mut sliding, mut spin, mut bounces) = (before[0], before[2], 0);
            let mut is_first = true;
            while bounces < 200 {
                let report = stepper.step(&world, &mut state, 0.01, &mut ()).unwrap();
                for contact in &report.contacts {
                    if contact.impact != Impact::Rebound {
                        continue;
                    }
                    // The floor is below: there the surface moves against the spin.
                    let side = if contact.id.a == 0 { -1.0 } else { 1.0 };
                    let p = -2.0 * SEEN[1] * (sliding + side * RADIUS * spin);
                    sliding += p;
                    spin += 2.5 * side * p / RADIUS;
                    bounces += 1;
                    is_first = false;
                }
                if report.is_compression() || is_first {
                    continue;
                }
                let name = (stepper.name(), law, bounces);
                assert!((energy(&state) - start).abs() < 1e-9, "{name:?}");
                assert!((state.v[0] - sliding).abs() < 1e-9, "{name:?}");
                assert!((state.v[4] - spin).abs() < 1e-8, "{name:?}");
            }
        }
    }
}

/// Without the sliding before the impact in the saved state the ball would not turn back.
#[test]
fn a_state_saved_in_the_compression_knows_the_sliding() {
    let world = ball_in_space(material(1.0, 0.8, 0.6), [1.0, 2.0, 3.0]);
    for (mut whole, mut part) in schemes(ImpactLaw::Newton)
        .into_iter()
        .zip(schemes(ImpactLaw::Newton))
    {
        let mut state = world.initial_state();
        let report = whole.step(&world, &mut state, 1e-3, &mut ()).unwrap();
        assert!(report.is_compression());
        assert_eq!(report.contacts[0].slip, state.memory[0].slip);
        close(state.memory[0].slip[0], 0.7, 1e-12);
        let text = serde_json::to_string(&state).unwrap();
        let mut restored: State = serde_json::from_str(&text).unwrap();
        whole.step(&world, &mut state, 1e-3, &mut ()).unwrap();
        part.step(&world, &mut restored, 1e-3, &mut ()).unwrap();
        let text = |state: &State| serde_json::to_string(state).unwrap();
        assert_eq!(text(&state), text(&restored));
        assert!(state.memory.iter().all(|m| m.slip.is_empty()));
        close(state.v[0] - RADIUS * state.v[4], -0.6 * 0.7, 1e-9);
    }
}

#[test]
fn laws_without_it_refuse_it_by_name() {
    let world = ball_in_space(material(0.5, 1.0, 0.5), [1.0, 2.0, 3.0]);
    let fails = |mut stepper: Box<dyn Stepper>| {
        let mut state = world.initial_state();
        let error = stepper.step(&world, &mut state, 1e-3, &mut ()).unwrap_err();
        assert_eq!(state, world.initial_state());
        error.to_string()
    };
    let text = fails(hart(ImpactLaw::Poisson, ContactForm::Pyramid));
    insta::assert_snapshot!(text, @"hart-anitescu with Poisson's law of impact has no tangential restitution, which contact floor/ball#0 has; choose the law of Newton or Moreau in a linearised scheme");
    let text = fails(stewart(ImpactLaw::Uncorrected));
    insta::assert_snapshot!(text, @"stewart-trinkle with the uncorrected law of impact has no tangential restitution, which contact floor/ball#0 has; choose the law of Newton or Moreau in a linearised scheme");
    let text = fails(Box::<GeometricallyImplicit>::default());
    insta::assert_snapshot!(text, @"geometrically-implicit with Newton's law of impact has no tangential restitution, which contact floor/ball#0 has; choose the law of Newton or Moreau in a linearised scheme");
    let text = fails(Box::new(GeometricallyImplicit::new(
        GeometricallyImplicitSettings {
            impact: ImpactLaw::Moreau,
            ..GeometricallyImplicitSettings::default()
        },
    )));
    insta::assert_snapshot!(text, @"geometrically-implicit: Moreau's law of impact does not go with impacts within one step; choose Newton's, which bounces in the step in which a contact closes here");
}
