//! Joints in the geometrically implicit scheme.

use nalgebra::Vector3;
use signorini_dynamics::{Body, ContactMaterial, Inertia, Joint, JointKind, World, WorldSettings};
use signorini_geometry::{Ellipsoid, HalfSpace, Pose};
use signorini_steppers::{
    Formulation, GeometricallyImplicit, GeometricallyImplicitSettings, JointRowKind, Mode, Stepper,
};

use crate::worlds::{G, down};

/// An ellipsoid on an arm of 1 m that turns about the y axis through (0, 0, 1), above a floor at the height given.
fn pendulum(floor: f64, friction: f64, limits: Option<[f64; 2]>) -> World<3> {
    let material = ContactMaterial {
        friction,
        ellipsoid: [1.0, 1.0, 0.02],
        ..ContactMaterial::default()
    };
    let mut world = World::with_settings(WorldSettings {
        material,
        gravity: down(),
        ..WorldSettings::default()
    })
    .unwrap();
    let room = world.add(Body::anchor("room")).unwrap();
    let mut ground = Body::fixed("floor", HalfSpace::up());
    ground.position[2] = floor;
    world.add(ground).unwrap();
    let shape = Ellipsoid::new(Vector3::new(0.1, 0.08, 0.12)).unwrap();
    let mut bob = Body::solid("bob", shape, 200.0).unwrap();
    bob.position[0] = 1.0;
    bob.position[2] = 1.0;
    let bob = world.add(bob).unwrap();
    // The third axis of the frames is y.
    let quarter = Vector3::new(1.0, 0.0, 0.0) * -std::f64::consts::FRAC_PI_2;
    let axis = |place: Vector3<f64>| Pose {
        rotation: nalgebra::Rotation3::new(quarter).into_inner(),
        position: place,
    };
    let joint = Joint {
        frame_a: axis(Vector3::new(0.0, 0.0, 1.0)),
        frame_b: axis(Vector3::new(-1.0, 0.0, 0.0)),
        limits,
        ..Joint::new("pivot", JointKind::Revolute, room, bob)
    };
    world.join(joint).unwrap();
    world
}

fn stepper(formulation: Formulation) -> GeometricallyImplicit {
    GeometricallyImplicit::new(GeometricallyImplicitSettings {
        formulation,
        ..GeometricallyImplicitSettings::default()
    })
}

/// It swings through the lowest place with √(2 m g l / (I + m l²)), to first order, and the joint holds to the tolerance.
#[test]
fn a_pendulum_swings() {
    let world = pendulum(-9.0, 0.0, None);
    let inertia = (0.1_f64.powi(2) + 0.12_f64.powi(2)) / 5.0;
    let exact = (2.0 * G / (1.0 + inertia)).sqrt();
    let errors = [0.002, 0.001].map(|h| {
        let mut state = world.initial_state();
        let mut stepper = stepper(Formulation::Full);
        let mut fastest = 0.0_f64;
        for _ in 0..700 {
            let report = stepper.step(&world, &mut state, h, &mut ()).unwrap();
            assert!(report.joint_error().unwrap() < 1e-11, "{report:?}");
            fastest = fastest.max(state.v[4].abs());
        }
        (fastest - exact).abs()
    });
    assert!(
        errors[0] < 0.02 && errors[1] < 0.6 * errors[0],
        "{errors:?}"
    );
}

/// It falls on a floor at its lowest place, slides there and comes to rest; both forms give the same steps.
#[test]
fn a_pendulum_touches_a_plane() {
    let world = pendulum(-0.08, 0.3, None);
    let run = |formulation| {
        let mut state = world.initial_state();
        let mut stepper = stepper(formulation);
        let mut velocities = Vec::new();
        let mut modes = Vec::new();
        for _ in 0..120 {
            let report = stepper.step(&world, &mut state, 0.01, &mut ()).unwrap();
            assert!(report.joint_error().unwrap() < 1e-11, "{report:?}");
            assert!(report.residual <= 1e-10);
            for contact in &report.contacts {
                if contact.mode != Mode::Open {
                    assert!(contact.gap.abs() < 1e-11, "{contact:?}");
                }
                modes.push(contact.mode);
            }
            velocities.push(state.v.clone());
        }
        (velocities, modes)
    };
    let (full, modes) = run(Formulation::Full);
    assert!(modes.contains(&Mode::Slip) || modes.contains(&Mode::Stick));
    let (condensed, _) = run(Formulation::Condensed);
    for (a, b) in full.iter().flatten().zip(condensed.iter().flatten()) {
        assert!((a - b).abs() < 1e-9, "{a} is not {b}");
    }
}

/// A limit holds it where its angle is 0.5 rad from the start, and takes no impulse before.
#[test]
fn a_limit_stops_a_pendulum() {
    let world = pendulum(-9.0, 0.0, Some([-0.5, 0.5]));
    for formulation in [Formulation::Full, Formulation::Condensed] {
        let mut state = world.initial_state();
        let mut stepper = stepper(formulation);
        for _ in 0..100 {
            let report = stepper.step(&world, &mut state, 0.01, &mut ()).unwrap();
            assert!(report.joint_error().unwrap() < 1e-11, "{report:?}");
            for limit in report
                .joints
                .iter()
                .filter(|joint| joint.kind == JointRowKind::Limit)
            {
                assert!(limit.value >= -1e-11 && limit.impulse >= 0.0, "{limit:?}");
                assert!(
                    limit.value.abs() < 1e-11 || limit.impulse == 0.0,
                    "{limit:?}"
                );
            }
        }
        let lowered = 1.0 - state.q[2];
        assert!((lowered - 0.5_f64.sin()).abs() < 1e-10, "{lowered}");
        assert!(state.v.iter().all(|v| v.abs() < 1e-9), "{:?}", state.v);
    }
}

/// A gear in space has no value, only a rate: wheels that do not fit together do so at the end of the first step, and the
/// momentum that the gear moves between them is that of its law.
#[test]
fn a_gear_is_held_by_its_rate() {
    let mut world = World::<3>::new();
    let room = world.add(Body::anchor("room")).unwrap();
    let wheels = ["a", "b"].map(|name| {
        let mut wheel = Body::moving(name, 1.0, Inertia::Principal([0.1, 0.1, 0.2]));
        wheel.velocity[5] = if name == "a" { 3.0 } else { 0.0 };
        let id = world.add(wheel).unwrap();
        let hinge = format!("hinge of {name}");
        world
            .join(Joint::new(hinge, JointKind::Revolute, room, id))
            .unwrap();
        id
    });
    let kind = JointKind::Gear { ratio: 2.0 };
    world
        .join(Joint::new("gear", kind, wheels[0], wheels[1]))
        .unwrap();
    let mut state = world.initial_state();
    let mut stepper = stepper(Formulation::Full);
    for _ in 0..20 {
        let report = stepper.step(&world, &mut state, 0.01, &mut ()).unwrap();
        assert!(report.joint_error().unwrap() < 1e-11, "{report:?}");
        // ω_a + 2 ω_b = 0, and 2 (ω_a − 3) = ω_b, as both have the same moment.
        let [a, b] = [state.v[5], state.v[11]];
        assert!((a - 2.4).abs() < 1e-9 && (b + 1.2).abs() < 1e-9, "{a}, {b}");
    }
}
