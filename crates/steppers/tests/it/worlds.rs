//! Small worlds with known motions.

use nalgebra::{SVector, Vector2, Vector3};
use signorini_dynamics::{
    Body, ContactMaterial, Course, Inertia, Joint, JointKind, Motion, State, World, WorldSettings,
};
use signorini_geometry::{Ball, Capsule, ConvexSet, HalfSpace, Intersection, Polygon, Pose};
use signorini_steppers::{Run, Stepper, StewartTrinkle, Trajectory, simulate};

pub(crate) const G: f64 = 9.81;

/// A world with a fixed half-space whose solid side is below, and one friction coefficient.
pub(crate) fn over_floor<const D: usize>(friction: f64, gravity: SVector<f64, D>) -> World<D> {
    let material = ContactMaterial {
        friction,
        ..ContactMaterial::default()
    };
    floor_of(material, gravity)
}

/// The same of this material.
pub(crate) fn floor_of<const D: usize>(
    material: ContactMaterial,
    gravity: SVector<f64, D>,
) -> World<D> {
    let settings = WorldSettings {
        material,
        gravity,
        ..WorldSettings::default()
    };
    let mut world = World::with_settings(settings).unwrap();
    world.add(Body::fixed("floor", HalfSpace::up())).unwrap();
    world
}

pub(crate) fn down<const D: usize>() -> SVector<f64, D> {
    SVector::from_fn(|k, _| if k + 1 == D { -G } else { 0.0 })
}

/// A solid ball over the floor in space.
pub(crate) fn ball(friction: f64, gravity: Vector3<f64>, radius: f64, height: f64) -> World<3> {
    let mut world = over_floor(friction, gravity);
    let mut body = Body::solid("ball", Ball::new(radius).unwrap(), 1.0).unwrap();
    body.position[2] = height;
    world.add(body).unwrap();
    world
}

/// Rods of length 1 and mass 1, one after the other from the origin, level and at rest.
pub(crate) fn chain(links: usize) -> World<2> {
    let mut world = World::new();
    let mut last = world.add(Body::anchor("room")).unwrap();
    for k in 0..links {
        let body = Body {
            position: vec![k as f64 + 0.5, 0.0, 0.0],
            ..Body::moving(format!("rod{k}"), 1.0, Inertia::Scalar(1.0 / 12.0))
        };
        let rod = world.add(body).unwrap();
        let at = |x: f64| Pose::from_position(Vector2::new(x, 0.0));
        let joint = Joint {
            frame_a: at(if k == 0 { 0.0 } else { 0.5 }),
            frame_b: at(-0.5),
            ..Joint::new(format!("pin{k}"), JointKind::Revolute, last, rod)
        };
        world.join(joint).unwrap();
        last = rod;
    }
    world
}

/// A rectangle of width 0.2 m and height 0.2 m that lies on the floor of the plane.
pub(crate) fn block(friction: f64, gravity: Vector2<f64>) -> World<2> {
    let mut world = over_floor(friction, gravity);
    let shape = Polygon::rectangle(0.2, 0.2).unwrap();
    let mut body = Body::solid("block", ConvexSet::from(shape), 1.0).unwrap();
    body.position[1] = 0.1;
    world.add(body).unwrap();
    world
}

/// The falling rod of ST2000: length 0.5 m without its ends, 1 kg, 0.002 kg m².
pub(crate) fn rod() -> World<2> {
    let mut world = over_floor(0.6, down());
    let mut body = Body::moving("rod", 1.0, Inertia::Scalar(0.002));
    body.shape = Some(Capsule::new(0.25, 0.05).unwrap().into());
    body.position = vec![0.0, 1.0, 30.0_f64.to_radians()];
    body.velocity = vec![0.0, 0.0, 4.0];
    world.add(body).unwrap();
    world
}

/// The four balls of ST2000.
pub(crate) fn four_balls() -> World<3> {
    let mut world = over_floor(0.4, Vector3::new(0.0, 0.0, -9.82));
    let centres = [
        [0.0, 0.0, 1.0],
        [1.0, 0.0, 0.1],
        [1.2 + 1e-5, 0.0, 0.1],
        [1.4 + 2e-5, 0.0, 0.1],
    ];
    for (k, centre) in centres.iter().enumerate() {
        let mut body = Body::solid(format!("ball{k}"), Ball::new(0.1).unwrap(), 1.0).unwrap();
        body.position[..3].copy_from_slice(centre);
        if k == 0 {
            body.velocity[..3].copy_from_slice(&[1.5, 0.1, 0.0]);
        }
        world.add(body).unwrap();
    }
    world
}

/// Runs from the world's initial state and returns trajectory and final state.
pub(crate) fn run<const D: usize>(
    world: &World<D>,
    stepper: &mut dyn Stepper,
    run: Run,
) -> (Trajectory, State)
where
    World<D>: signorini_dynamics::System,
{
    let (mut trajectory, mut state) = (Trajectory::default(), world.initial_state());
    simulate(world, stepper, &mut state, run, &mut trajectory).unwrap();
    (trajectory, state)
}

/// The same with the paper's settings.
pub(crate) fn run_default<const D: usize>(
    world: &World<D>,
    h: f64,
    until: f64,
) -> (Trajectory, State)
where
    World<D>: signorini_dynamics::System,
{
    run(world, &mut StewartTrinkle::default(), Run { h, until })
}

/// Asserts |found − expected| ≤ tolerance.
#[track_caller]
pub(crate) fn close(found: f64, expected: f64, tolerance: f64) {
    assert!(
        (found - expected).abs() <= tolerance,
        "{found} is not within {tolerance:e} of {expected}"
    );
}

/// A box of 1 kg on a belt that runs along x.
pub(crate) fn box_on_belt(speed: f64, friction: f64, gravity: Vector3<f64>) -> World<3> {
    let material = ContactMaterial {
        friction,
        ..ContactMaterial::default()
    };
    let settings = WorldSettings {
        gravity,
        material,
        ..WorldSettings::default()
    };
    let mut world = World::with_settings(settings).unwrap();
    let belt = Body {
        surface_velocity: [speed, 0.0, 0.0],
        ..Body::fixed("belt", HalfSpace::up())
    };
    world.add(belt).unwrap();
    let shape = ConvexSet::from(Intersection::cuboid(Vector3::new(0.1, 0.1, 0.05)).unwrap());
    let mut parcel = Body::solid("box", shape, 1.0).unwrap();
    parcel.position[2] = 0.05;
    world.add(parcel).unwrap();
    world
}

/// A ball on a plate that goes up and down, and the course of its middle.
pub(crate) fn ball_on_driven_plate() -> (World<2>, Course) {
    let mut world = World::<2>::new();
    let course = Course::Oscillation {
        amplitude: 0.02,
        frequency: 2.0,
        phase: 0.0,
        from: 0.0,
        until: f64::INFINITY,
    };
    let direction = [0.0, 1.0, 0.0, 0.0, 0.0, 0.0];
    let plate = Body {
        shape: Some(Polygon::rectangle(1.0, 0.1).unwrap().into()),
        position: vec![0.0, -0.05, 0.0],
        motion: Motion::Driven {
            direction,
            course: course.clone(),
        },
        ..Body::anchor("plate")
    };
    world.add(plate).unwrap();
    let mut ball = Body::solid("ball", Ball::new(0.1).unwrap(), 1.0).unwrap();
    ball.position[1] = 0.1;
    world.add(ball).unwrap();
    (world, course)
}
