//! Springs, motors and dry friction in joints, against the recursions and motions they have to have.

use nalgebra::{Vector2, Vector3};
use signorini_dynamics::{
    Body, ContactMaterial, Inertia, Joint, JointKind, Motor, Spring, State, System, World,
    WorldSettings,
};
use signorini_geometry::{Ball, HalfSpace};
use signorini_steppers::{
    AnitescuPotra, ContactForm, Formulation, GeometricallyImplicit, GeometricallyImplicitSettings,
    HartAnitescu, HartAnitescuSettings, JointRowKind, StepReport, Stepper, StewartTrinkle,
};

use crate::worlds::close;

const H: f64 = 0.01;

fn still() -> WorldSettings<2> {
    WorldSettings {
        gravity: Vector2::zeros(),
        ..WorldSettings::default()
    }
}

/// A cart of 2 kg on a rail along x.
fn cart(change: impl FnOnce(&mut Joint<2>), speed: f64) -> World<2> {
    let mut world = World::with_settings(still()).unwrap();
    let room = world.add(Body::anchor("room")).unwrap();
    let mut cart = Body::moving("cart", 2.0, Inertia::Scalar(1.0));
    cart.velocity[0] = speed;
    let cart = world.add(cart).unwrap();
    let mut rail = Joint::new("rail", JointKind::Prismatic, room, cart);
    change(&mut rail);
    world.join(rail).unwrap();
    world
}

fn schemes() -> Vec<Box<dyn Stepper>> {
    let form = |form| {
        HartAnitescu::new(HartAnitescuSettings {
            form,
            ..HartAnitescuSettings::default()
        })
    };
    let implicit = |formulation| {
        GeometricallyImplicit::new(GeometricallyImplicitSettings {
            formulation,
            ..GeometricallyImplicitSettings::default()
        })
    };
    vec![
        Box::new(form(ContactForm::Pyramid)),
        Box::new(form(ContactForm::Cone)),
        Box::new(form(ContactForm::Relaxed)),
        Box::new(StewartTrinkle::default()),
        Box::new(AnitescuPotra::default()),
        Box::new(implicit(Formulation::Full)),
        Box::new(implicit(Formulation::Condensed)),
    ]
}

fn run<const D: usize>(
    world: &World<D>,
    stepper: &mut dyn Stepper,
    steps: usize,
    mut see: impl FnMut(&State, &StepReport),
) where
    World<D>: System,
{
    let mut state = world.initial_state();
    for _ in 0..steps {
        let report = stepper.step(world, &mut state, H, &mut ()).unwrap();
        assert!(report.residual < 1e-9, "{}", report.residual);
        see(&state, &report);
    }
}

/// v⁺ = (v − h k (x − rest)/m) / (1 + h² k/m + h c/m), whatever the stiffness; its energy never rises.
#[test]
fn a_spring_is_implicit_and_stable() {
    for (stiffness, damping) in [(50.0, 0.0), (50.0, 3.0), (1e9, 0.0), (0.0, 40.0)] {
        let spring = Spring {
            stiffness,
            damping,
            rest: 0.3,
        };
        let world = cart(|rail| rail.spring = Some(spring), 1.0);
        for mut stepper in schemes() {
            let (mut x, mut v) = (0.0, 1.0);
            let mut energy = f64::INFINITY;
            run(&world, &mut *stepper, 100, |state, report| {
                let m = 2.0;
                v = (v - H * stiffness * (x - 0.3) / m)
                    / (1.0 + (H * H * stiffness + H * damping) / m);
                x += H * v;
                close(state.v[0], v, 1e-9 * (1.0 + v.abs()));
                close(state.q[0], x, 1e-9);
                let total = report.energy_after.total();
                assert!(total <= energy * (1.0 + 1e-9) + 1e-12, "{total} {energy}");
                energy = total;
                assert_eq!(report.joints[2].kind, JointRowKind::Effort);
            });
        }
    }
}

/// The motor pulls with its limit until its rate is reached, and then holds it; and a constant effort accelerates for ever.
#[test]
fn motors_pull_up_to_their_limits() {
    let (rate, limit) = (0.5, 4.0);
    let world = cart(|rail| rail.motor = Some(Motor::Rate { rate, limit }), 0.0);
    for mut stepper in schemes() {
        let mut number = 0.0;
        run(&world, &mut *stepper, 60, |state, report| {
            number += 1.0;
            let expected = f64::min(number * H * limit / 2.0, rate);
            close(state.v[0], expected, 1e-10);
            let impulse = report.joints[2].impulse;
            assert!(impulse.abs() <= H * limit * (1.0 + 1e-12), "{impulse}");
        });
    }
    let effort = -3.0;
    let world = cart(|rail| rail.motor = Some(Motor::Effort { effort }), 0.0);
    for mut stepper in schemes() {
        let mut number = 0.0;
        run(&world, &mut *stepper, 20, |state, _| {
            number += 1.0;
            close(state.v[0], number * H * effort / 2.0, 1e-10);
        });
    }
}

/// Dry friction stops the cart after v² m/(2 F) and holds it against less than its largest force.
#[test]
fn friction_in_a_joint_stops_and_holds() {
    let world = cart(|rail| rail.friction = 4.0, 1.0);
    for mut stepper in schemes() {
        let mut number = 0.0;
        run(&world, &mut *stepper, 80, |state, _| {
            number += 1.0;
            close(state.v[0], f64::max(1.0 - number * H * 2.0, 0.0), 1e-10);
        });
    }
    let held = cart(
        |rail| {
            rail.friction = 4.0;
            rail.motor = Some(Motor::Effort { effort: 3.9 });
        },
        0.0,
    );
    for mut stepper in schemes() {
        run(&held, &mut *stepper, 20, |state, _| {
            close(state.v[0], 0.0, 1e-10);
        });
    }
}

/// A spring between two bodies in space: their centre of mass stays, and they swing with √(k/m*).
#[test]
fn two_bodies_swing_on_a_spring() {
    let settings = WorldSettings {
        gravity: Vector3::zeros(),
        ..WorldSettings::default()
    };
    let mut world = World::<3>::with_settings(settings).unwrap();
    let [a, b] = [("a", 0.0, 1.0), ("b", 1.1, 3.0)].map(|(name, x, mass)| {
        let mut body = Body::moving(name, mass, Inertia::Principal([1.0; 3]));
        body.position[0] = x;
        world.add(body).unwrap()
    });
    let mut spring = Joint::new("spring", JointKind::Distance { length: 1.0 }, a, b);
    spring.spring = Some(Spring {
        stiffness: 30.0,
        damping: 0.0,
        rest: 0.0,
    });
    world.join(spring).unwrap();
    let mut state = world.initial_state();
    close(
        world.energy(&state.q, &state.v).total(),
        0.5 * 30.0 * 0.01,
        1e-12,
    );
    // A quarter of a period, with a small step.
    let period = std::f64::consts::TAU * (0.75_f64 / 30.0).sqrt();
    let steps = 4000;
    let h = 0.25 * period / f64::from(steps);
    let mut stepper = HartAnitescu::default();
    for _ in 0..steps {
        stepper.step(&world, &mut state, h, &mut ()).unwrap();
    }
    close(state.q[7] - state.q[0], 1.0, 1e-3);
    close(state.q[0] + 3.0 * state.q[7], 3.3, 1e-9);
    let speed = 0.1 * (30.0_f64 / 0.75).sqrt();
    close(state.v[0] - state.v[6], speed, 1e-3 * speed);
}

/// A wheel with a motor climbs a slope as far as its friction carries it.
#[test]
fn a_motor_drives_a_wheel_with_friction() {
    let material = ContactMaterial {
        friction: 0.5,
        ..ContactMaterial::default()
    };
    let settings = WorldSettings {
        material,
        ..WorldSettings::default()
    };
    let mut world = World::<2>::with_settings(settings).unwrap();
    world.add(Body::fixed("floor", HalfSpace::up())).unwrap();
    let mut frame = Body::moving("frame", 1.0, Inertia::Scalar(10.0));
    frame.position[1] = 0.5;
    let frame = world.add(frame).unwrap();
    let mut wheel = Body::solid("wheel", Ball::new(0.5).unwrap(), 1.0).unwrap();
    wheel.position[1] = 0.5;
    let wheel = world.add(wheel).unwrap();
    let mut axle = Joint::new("axle", JointKind::Revolute, frame, wheel);
    axle.motor = Some(Motor::Rate {
        rate: -2.0,
        limit: 0.25,
    });
    world.join(axle).unwrap();
    for mut stepper in schemes() {
        let mut last = 0.0;
        run(&world, &mut *stepper, 600, |state, _| {
            // It rolls: v = −ω r.
            close(state.v[0], -0.5 * state.v[5], 1e-9);
            last = state.v[5] - state.v[2];
        });
        close(last, -2.0, 1e-9);
    }
}
