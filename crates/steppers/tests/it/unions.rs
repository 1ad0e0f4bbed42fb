//! Bodies of several pieces under every scheme.

use nalgebra::Vector3;
use signorini_dynamics::{Body, ContactMaterial, System, World, WorldSettings, centred};
use signorini_geometry::{Ball, ConvexSet, HalfSpace, Polytope, Pose, Shape, Union};
use signorini_steppers::{
    AnitescuPotra, ContactForm, GeometricallyImplicit, HartAnitescu, HartAnitescuSettings, Run,
    Stepper, StewartTrinkle,
};

use crate::worlds::{G, close, run};

fn schemes() -> [(&'static str, Box<dyn Stepper>); 5] {
    let cone = HartAnitescuSettings {
        form: ContactForm::Cone,
        ..HartAnitescuSettings::default()
    };
    [
        ("stewart-trinkle", Box::new(StewartTrinkle::default())),
        ("anitescu-potra", Box::new(AnitescuPotra::default())),
        ("hart-anitescu", Box::new(HartAnitescu::default())),
        ("cone", Box::new(HartAnitescu::new(cone))),
        ("implicit", Box::new(GeometricallyImplicit::default())),
    ]
}

/// A stool: a seat on three balls, 2 kg, on a rough floor.
fn stool(velocity: [f64; 3]) -> World<3> {
    let mut world = World::with_settings(WorldSettings {
        material: ContactMaterial {
            friction: 0.5,
            ..ContactMaterial::default()
        },
        gravity: Vector3::new(0.0, 0.0, -G),
        ..WorldSettings::default()
    })
    .unwrap();
    world.add(Body::fixed("floor", HalfSpace::up())).unwrap();
    let at = |x: f64, y: f64, z: f64| Pose::from_position(Vector3::new(x, y, z));
    let seat = ConvexSet::from(Polytope::cuboid(0.5, 0.5, 0.05).unwrap());
    let foot = ConvexSet::from(Ball::new(0.05).unwrap());
    let feet = [(0.2, 0.0), (-0.1, 0.15), (-0.1, -0.15)];
    let mut pieces = vec![(seat, at(0.0, 0.0, 0.4))];
    pieces.extend(feet.map(|(x, y)| (foot.clone(), at(x, y, 0.05))));
    let union = Shape::from(Union::new(pieces).unwrap());
    let (shape, centroid) = centred(&union).unwrap();
    let mut body = Body::solid("stool", shape, 2.0).unwrap();
    body.position[..3].copy_from_slice(centroid.as_slice());
    body.velocity[..3].copy_from_slice(&velocity);
    world.add(body).unwrap();
    world
}

/// It stands, on three contacts that carry its weight and that are named after its pieces.
#[test]
fn a_stool_stands_on_its_feet() {
    let world = stool([0.0; 3]);
    for (name, mut scheme) in schemes() {
        let (trajectory, state) = run(
            &world,
            scheme.as_mut(),
            Run {
                h: 0.01,
                until: 0.3,
            },
        );
        assert!(
            state.v.iter().all(|v| v.abs() < 1e-9),
            "{name}: {:?}",
            state.v
        );
        let start = world.initial_state();
        for (now, then) in state.q.iter().zip(&start.q) {
            close(*now, *then, 1e-9);
        }
        let report = trajectory.reports.last().unwrap();
        let pressing = report.contacts.iter().filter(|c| c.impulse[0] > 0.0);
        let names: Vec<String> = pressing.clone().map(|c| world.contact_name(c.id)).collect();
        assert_eq!(names.len(), 3, "{name}: {names:?}");
        assert!(
            names.iter().all(|n| n.starts_with("floor/stool[")),
            "{names:?}"
        );
        let weight: f64 = pressing.map(|c| c.impulse[0] / report.h).sum();
        close(weight, 2.0 * G, 1e-6);
    }
}

/// It slides to rest: v²/(2 μ g) up to a step, whichever scheme.
#[test]
fn a_stool_slides_as_far_as_a_block() {
    let world = stool([1.0, 0.0, 0.0]);
    let h = 0.002;
    for (name, mut scheme) in schemes() {
        let (_, state) = run(&world, scheme.as_mut(), Run { h, until: 0.4 });
        let way = state.q[0] - world.initial_state().q[0];
        let exact = 1.0 / (2.0 * 0.5 * G);
        assert!((way - exact).abs() < 2.0 * h, "{name}: {way} for {exact}");
        assert!(
            state.v.iter().all(|v| v.abs() < 1e-9),
            "{name}: {:?}",
            state.v
        );
    }
}
