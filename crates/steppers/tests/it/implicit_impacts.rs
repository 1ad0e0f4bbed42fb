//! Impacts in the geometrically implicit schemes.

use nalgebra::{Vector2, Vector3};
use signorini_dynamics::{Body, ContactMaterial, Inertia, State, System, World, WorldSettings};
use signorini_geometry::{Ball, Capsule, ConvexSet, Ellipsoid, HalfSpace, Polygon};
use signorini_steppers::{
    Formulation, GeometricallyImplicit, GeometricallyImplicitSettings, ImpactLaw, Run, Stepper,
    TzitzourisPang, simulate,
};

use crate::worlds::down;

/// An empty world of space with one material.
fn empty(friction: f64, restitution: f64, gravity: Vector3<f64>) -> World<3> {
    let material = ContactMaterial {
        friction,
        restitution,
        ..ContactMaterial::default()
    };
    World::with_settings(WorldSettings {
        material,
        gravity,
        ..WorldSettings::default()
    })
    .unwrap()
}

/// Balls of radius 0.1 on the x axis, each with its mass, place and velocity.
fn row(restitution: f64, balls: &[(f64, f64, f64)]) -> World<3> {
    let mut world = empty(0.0, restitution, Vector3::zeros());
    for (k, &(mass, place, speed)) in balls.iter().enumerate() {
        let density = mass / (4.0 / 3.0 * std::f64::consts::PI * 0.1_f64.powi(3));
        let shape = Ball::new(0.1).unwrap();
        let mut body = Body::solid(format!("ball {k}"), shape, density).unwrap();
        body.position[0] = place;
        body.velocity[0] = speed;
        world.add(body).unwrap();
    }
    world
}

fn stepper(formulation: Formulation) -> GeometricallyImplicit {
    GeometricallyImplicit::new(GeometricallyImplicitSettings {
        formulation,
        impact: ImpactLaw::Poisson,
        ..GeometricallyImplicitSettings::default()
    })
}

/// Velocities along x after `steps` steps of 0.01 s.
fn after(world: &World<3>, formulation: Formulation, steps: usize) -> Vec<f64> {
    let mut state = world.initial_state();
    let mut stepper = stepper(formulation);
    for _ in 0..steps {
        stepper.step(world, &mut state, 0.01, &mut ()).unwrap();
    }
    state.v.chunks_exact(6).map(|v| v[0]).collect()
}

fn assert_near(found: &[f64], expected: &[f64]) {
    // The steps are solved to 1e-10 of speeds of at most 4 m/s.
    for (x, y) in found.iter().zip(expected) {
        assert!((x - y).abs() < 1e-9, "{found:?} is not {expected:?}");
    }
}

/// Momentum is kept, and they part with e times the speed with which they met.
#[test]
fn two_balls_part_by_their_restitution() {
    for formulation in [Formulation::Full, Formulation::Condensed] {
        for e in [1.0, 0.7, 0.2] {
            let (m, u) = ([2.0, 0.5], [3.0, -1.0]);
            let world = row(e, &[(m[0], 0.0, u[0]), (m[1], 0.25, u[1])]);
            let together = (m[0] * u[0] + m[1] * u[1]) / (m[0] + m[1]);
            let apart = |own: f64, other: f64, k: usize| {
                together + m[1 - k] / (m[0] + m[1]) * e * (other - own)
            };
            let expected = [apart(u[0], u[1], 0), apart(u[1], u[0], 1)];
            assert_near(&after(&world, formulation, 5), &expected);
        }
    }
}

/// A ball on a row of two that touch: the impact is passed on. In the compression all move with 1/3; the expansion has the
/// impulses 2/3 and 1/3 once more, which gives −1/3, 2/3, 2/3 and keeps the energy.
#[test]
fn an_impact_is_passed_on() {
    let balls = [(1.0, -0.203, 1.0), (1.0, 0.0, 0.0), (1.0, 0.2, 0.0)];
    for formulation in [Formulation::Full, Formulation::Condensed] {
        let found = after(&row(1.0, &balls), formulation, 1);
        assert_near(&found, &[-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0]);
        let found = after(&row(0.5, &balls), formulation, 1);
        assert_near(&found, &[0.0, 0.5, 0.5]);
    }
}

/// Without friction no impact gains energy, whether or not normals turn.
#[test]
fn impacts_without_friction_gain_no_energy() {
    let gain = |world: &World<3>, h: f64, until: f64| {
        let mut state: State = world.initial_state();
        let run = Run { h, until };
        let summary = simulate(
            world,
            &mut stepper(Formulation::Full),
            &mut state,
            run,
            &mut (),
        )
        .unwrap();
        assert!(summary.worst_residual <= 1e-10);
        summary.largest_energy_gain
            / world
                .energy(&world.initial_state().q, &world.initial_state().v)
                .total()
    };
    for e in [1.0, 0.6] {
        // Balls that fall on a floor, and one that hits a row of others.
        let mut world = empty(0.0, e, down());
        world.add(Body::fixed("floor", HalfSpace::up())).unwrap();
        for k in 0..3 {
            let mut body = Body::solid(format!("ball {k}"), Ball::new(0.1).unwrap(), 1.0).unwrap();
            body.position = vec![0.0, 0.0, 0.3 + 0.25 * f64::from(k), 1.0, 0.0, 0.0, 0.0];
            world.add(body).unwrap();
        }
        let found = gain(&world, 0.002, 1.0);
        assert!(found < 1e-12, "{found:e}");
        let balls: Vec<_> = (0..5)
            .map(|k| (1.0 + f64::from(k), 0.2 * f64::from(k), 0.0))
            .collect();
        let mut balls = balls;
        balls[0] = (1.0, -0.05, 2.0);
        let found = gain(&row(e, &balls), 0.01, 0.2);
        assert!(found < 1e-12, "{found:e}");
    }
    // An egg that tumbles: its normal moment turns with it.
    for k in 0..6 {
        let x = f64::from(k);
        let mut world = empty(0.0, 1.0, down());
        world.add(Body::fixed("floor", HalfSpace::up())).unwrap();
        let shape = Ellipsoid::new(Vector3::new(0.1, 0.08, 0.12)).unwrap();
        let mut body = Body::solid("egg", shape, 1.0).unwrap();
        let (sin, cos) = x.sin_cos();
        body.position = vec![0.0, 0.0, 0.3, cos, 0.6 * sin, 0.8 * sin, 0.0];
        body.velocity = vec![0.2, 0.0, 0.0, 4.0 * cos, -3.0 + x, 5.0 * sin];
        world.add(body).unwrap();
        let h = 0.004;
        let (mut state, mut stepper) = (world.initial_state(), stepper(Formulation::Full));
        let mut impacts = 0;
        for _ in 0..125 {
            let (start, mut free, mut mass) = (state.clone(), vec![0.0; 6], Vec::new());
            world.free_velocity(state.t, &state.q, &state.v, h, &mut free);
            world.mass_blocks(&state.q, &mut mass);
            stepper.step(&world, &mut state, h, &mut ()).unwrap();
            // Slower ones are inelastic, where a bending gap may gain a little.
            if state.v[2] - start.v[2] > 0.5 {
                // The impact, and then the forces, of which the gyroscopic one depends on what the impact did.
                let after: Vec<f64> = (0..6).map(|i| start.v[i] + state.v[i] - free[i]).collect();
                let kinetic = |v: &[f64]| -> f64 {
                    let row = |i: usize| (0..6).map(|j| mass[6 * i + j] * v[j]).sum::<f64>();
                    (0..6).map(|i| 0.5 * v[i] * row(i)).sum()
                };
                let (start, end) = (kinetic(&start.v), kinetic(&after));
                assert!(end < (1.0 + 1e-12) * start, "{:e}", end / start - 1.0);
                assert!(end > 0.9 * start, "{:e}", end / start - 1.0);
                impacts += 1;
            }
        }
        assert!(impacts > 0);
    }
}

/// A world of the plane without gravity and friction, of bodies of 1 kg: shape, moment of inertia, position, velocity.
fn plane(restitution: f64, bodies: Vec<(ConvexSet<2>, f64, [f64; 3], [f64; 3])>) -> World<2> {
    let material = ContactMaterial {
        friction: 0.0,
        restitution,
        ..ContactMaterial::default()
    };
    let mut world = World::with_settings(WorldSettings {
        material,
        gravity: Vector2::zeros(),
        ..WorldSettings::default()
    })
    .unwrap();
    for (k, (shape, inertia, position, velocity)) in bodies.into_iter().enumerate() {
        let mut body = Body::moving(format!("body {k}"), 1.0, Inertia::Scalar(inertia));
        body.shape = Some(shape.into());
        body.position = position.to_vec();
        body.velocity = velocity.to_vec();
        world.add(body).unwrap();
    }
    world
}

fn laws() -> Vec<Box<dyn Stepper>> {
    let settings = |impact| GeometricallyImplicitSettings {
        impact,
        ..GeometricallyImplicitSettings::default()
    };
    let mut all: Vec<Box<dyn Stepper>> = Vec::new();
    for law in [ImpactLaw::Newton, ImpactLaw::Poisson] {
        all.push(Box::new(GeometricallyImplicit::new(settings(law))));
        all.push(Box::new(TzitzourisPang::new(settings(law))));
    }
    all
}

/// Without gravity nothing is too slow to bounce, and free motion that ends on the far side of a body is an impact as well.
#[test]
fn bodies_bounce_however_far_they_move_in_a_step() {
    let disc = || ConvexSet::from(Ball::new(0.1).unwrap());
    let steps = |world: &World<2>, stepper: &mut dyn Stepper, h: f64, way: f64| {
        let mut state = world.initial_state();
        let mut t = 0.0;
        while t <= way {
            let report = stepper.step(world, &mut state, h, &mut ()).unwrap();
            assert!(report.restitution_cut < 1e-6, "{h}");
            t += h;
        }
        state.v
    };
    for h in [0.099, 0.101, 0.12, 0.15, 0.201, 0.3, 0.5] {
        for mut stepper in laws() {
            let falling = (disc(), 0.01, [0.0, 1.3, 0.0], [0.0, -1.0, 0.0]);
            let mut world = plane(1.0, vec![falling.clone()]);
            world.add(Body::fixed("wall", HalfSpace::up())).unwrap();
            let found = steps(&world, &mut *stepper, h, 2.0);
            assert_near(&found, &[0.0, 1.0, 0.0]);
            let resting = (disc(), 0.01, [0.0; 3], [0.0; 3]);
            let world = plane(1.0, vec![resting, falling]);
            let found = steps(&world, &mut *stepper, h, 2.0);
            assert_near(&found, &[0.0, -1.0, 0.0, 0.0, 0.0, 0.0]);
        }
    }
    // A capsule that lands flat, on which the closest points are at its ends.
    for h in [0.03, 0.06, 0.08, 0.12, 0.15, 0.2, 0.3, 0.5] {
        for impact in [ImpactLaw::Newton, ImpactLaw::Poisson] {
            let mut stepper = GeometricallyImplicit::new(GeometricallyImplicitSettings {
                impact,
                ..GeometricallyImplicitSettings::default()
            });
            let shape = Capsule::new(0.4, 0.05).unwrap().into();
            let mut world = plane(1.0, vec![(shape, 0.01, [0.0, 1.3, 0.0], [0.0, -1.0, 0.0])]);
            world.add(Body::fixed("wall", HalfSpace::up())).unwrap();
            let found = steps(&world, &mut stepper, h, 2.0);
            assert_near(&found, &[0.0, 1.0, 0.0]);
        }
    }
}

/// Bodies that turn by much in a step: no step gains more than the one in which nothing bounces does.
#[test]
fn fast_turning_bodies_gain_no_energy() {
    let capsule = ConvexSet::from(Capsule::new(0.08, 0.05).unwrap());
    let (width, height) = (0.101_666_788_152_294_24, 0.111_153_106_420_956_94);
    let rectangle = ConvexSet::from(Polygon::rectangle(width, height).unwrap());
    let bodies = || {
        let place = [0.0, 0.095_317_907_698_355_6, 1.207_233_579_000_314_8];
        let speed = [-2.331_527_926_541_714, -10.0, -6.198_697_124_314_325];
        let below = ([0.0, -0.115, 0.0], [0.0, 5.0, 2.265_237_451_267_090_3]);
        vec![
            (capsule.clone(), 0.003, below.0, below.1),
            (rectangle.clone(), 0.002, place, speed),
        ]
    };
    let (world, inelastic) = (plane(1.0, bodies()), plane(0.0, bodies()));
    let mut state = world.initial_state();
    let kinetic = |state: &State| world.energy(&state.q, &state.v).kinetic;
    let start = kinetic(&state);
    for _ in 0..8 {
        let (before, mut plain) = (kinetic(&state), state.clone());
        let h = 0.01;
        let mut without = stepper(Formulation::Full);
        without.step(&inelastic, &mut plain, h, &mut ()).unwrap();
        let allowed = (kinetic(&plain) - before).max(1e-12 * start);
        let mut with = stepper(Formulation::Full);
        with.step(&world, &mut state, h, &mut ()).unwrap();
        let gain = kinetic(&state) - before;
        assert!(gain <= allowed, "{gain:e} J of {before} J");
    }
}
