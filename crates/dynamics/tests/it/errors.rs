//! Bad data are refused with the name of the culprit.

use insta::assert_snapshot;
use nalgebra::Vector2;
use signorini_dynamics::{
    Amplitude, AppliedWrench, Body, ContactId, ContactMaterial, ContactMemory, ContactQuery,
    Contacts, Inertia, State, System, World, WorldSettings,
};
use signorini_geometry::{Ball, ConvexSet, HalfSpace, Polygon};

use crate::support::{rod_world, tumblers, weightless};

fn refused<const D: usize>(body: Body<D>) -> String {
    World::new().add(body).unwrap_err().to_string()
}

fn brick(mass: f64, inertia: Inertia) -> Body<3> {
    Body::moving("brick", mass, inertia)
}

#[test]
fn bodies() {
    let unit = Inertia::Scalar(1.0);
    let with = |position: &[f64], velocity: &[f64]| Body {
        position: position.to_vec(),
        velocity: velocity.to_vec(),
        ..Body::<2>::moving("disc", 1.0, unit)
    };
    assert_snapshot!(refused(with(&[0.0; 2], &[0.0; 3])), @"position of body `disc` has 2 entries, must have 3");
    assert_snapshot!(refused(with(&[0.0; 3], &[0.0, f64::NAN, 0.0])), @"velocity[1] of body `disc` is NaN");
    assert_snapshot!(refused(brick(0.0, unit)), @"the mass of body `brick` is 0, must be positive");
    assert_snapshot!(refused(brick(1.0, Inertia::Scalar(-1.0))), @"the moments of inertia of body `brick` are [-1.0, -1.0, -1.0], must be positive");
    // 0.4 m r² of a ball of 1e200 m, and of one of 1e-301 kg, whose determinant is 0.
    assert_snapshot!(refused(brick(1.0, Inertia::Scalar(f64::INFINITY))), @"the moments of inertia of body `brick` are [inf, inf, inf] kg m²: numbers hold those from about 1e-100 to 1e100; look at the size and the mass of the body");
    assert_snapshot!(refused(brick(1e-300, Inertia::Scalar(1e-301))), @"the moments of inertia of body `brick` are [1e-301, 1e-301, 1e-301] kg m²: numbers hold those from about 1e-100 to 1e100; look at the size and the mass of the body");
    assert_snapshot!(refused(brick(1.0, Inertia::Principal([1.0, 1.0, 2.5]))), @"the moments of inertia of body `brick` are [1.0, 1.0, 2.5]: the largest exceeds the sum of the others");
    assert_snapshot!(
        refused(brick(1.0, Inertia::Tensor([[1.0, 0.1, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]))),
        @"the inertia of body `brick` is not symmetric: entries differ by 0.1"
    );
    assert_snapshot!(
        refused(Body::<2>::moving("disc", 1.0, Inertia::Principal([1.0; 3]))),
        @"body `disc` is in the plane: its inertia is one number, `Inertia::Scalar`"
    );
    assert!(refused(brick(1.0, Inertia::Scalar(f64::NAN))).contains("brick"));
    let mut turned = brick(1.0, unit);
    turned.position[3] = 1.01;
    assert_snapshot!(refused(turned), @"the quaternion of body `brick` has norm 1.01, not 1");
    let pushed = Body {
        velocity: vec![1.0, 0.0, 0.0],
        ..Body::<2>::fixed("ground", HalfSpace::up())
    };
    assert_snapshot!(refused(pushed), @"body `ground` does not move freely but has an initial velocity");
    let mut world = rod_world();
    let twice = world.add(Body::moving("rod", 1.0, unit)).unwrap_err();
    assert_snapshot!(twice, @"there is a body `rod` already");
}

#[test]
fn quaternions_with_seven_digits_are_normalised() {
    let mut world = World::new();
    let mut body = brick(1.0, Inertia::Scalar(1.0));
    body.position[3..].copy_from_slice(&[0.6, 0.0, 0.800_000_4, 0.0]);
    world.add(body).unwrap();
    let norm: f64 = world.initial_state().q[3..].iter().map(|x| x * x).sum();
    assert!((norm - 1.0).abs() < 1e-15);
}

#[test]
fn solids() {
    let triangle = Polygon::new([[0.0, 0.0], [3.0, 0.0], [0.0, 3.0]]).unwrap();
    let error = Body::solid("wedge", triangle, 1.0).unwrap_err().to_string();
    assert!(
        error.starts_with("the shape of body `wedge` has its centroid at ["),
        "{error}"
    );
    assert!(
        error.ends_with("]: move it to the origin, `centred` does"),
        "{error}"
    );
    assert_snapshot!(
        Body::<2>::solid("ground", HalfSpace::up(), 1.0).unwrap_err(),
        @"mass of body `ground`: a half-space is unbounded: its mass is infinite, fix the body or bound its shape"
    );
}

#[test]
fn forces_and_settings() {
    let mut world = rod_world();
    let (ground, rod) = (world.body("ground").unwrap(), world.body("rod").unwrap());
    let mut apply = |wrench: AppliedWrench| world.apply(wrench).unwrap_err().to_string();
    let push = AppliedWrench::constant(rod, vec![1.0, 0.0, 0.0]);
    assert_snapshot!(apply(AppliedWrench::constant(ground, vec![0.0; 3])), @"a wrench acts on body `ground`, which is fixed");
    assert_snapshot!(apply(AppliedWrench::constant(rod, vec![0.0; 6])), @"wrench of body `rod` has 6 entries, must have 3");
    assert_snapshot!(apply(AppliedWrench { from: 2.0, until: 1.0, ..push.clone() }), @"a wrench on body `rod` acts from 2 s until 1 s");
    let hum = Amplitude::Sinusoid {
        frequency: f64::INFINITY,
        phase: 0.0,
    };
    assert_snapshot!(apply(AppliedWrench { amplitude: hum, ..push }), @"a wrench on body `rod` has frequency inf Hz and phase 0 rad");

    let sticky = ContactMaterial {
        friction: -0.1,
        ..ContactMaterial::default()
    };
    assert_snapshot!(world.set_pair_material(ground, rod, sticky).unwrap_err(), @"contact `ground`/`rod`: friction is -0.1, must be finite and at least 0");
    assert_snapshot!(world.set_pair_material(rod, rod, ContactMaterial::default()).unwrap_err(), @"body `rod` does not touch itself");
    let lively = ContactMaterial {
        restitution: 1.1,
        ..ContactMaterial::default()
    };
    let settings = WorldSettings::<2> {
        material: lively,
        ..weightless()
    };
    assert_snapshot!(World::with_settings(settings).unwrap_err(), @"contact default: restitution is 1.1, must be between 0 and 1");
    let slanted = ContactMaterial {
        ellipsoid: [1.0, -0.5, 0.0],
        ..ContactMaterial::default()
    };
    assert_snapshot!(world.set_pair_material(ground, rod, slanted).unwrap_err(), @"contact `ground`/`rod`: half axes [1.0, -0.5, 0.0] of the friction ellipsoid must be finite and at least 0");
    let sandy = ContactMaterial {
        rolling: f64::INFINITY,
        ..ContactMaterial::default()
    };
    assert_snapshot!(world.set_pair_material(ground, rod, sandy).unwrap_err(), @"contact `ground`/`rod`: rolling friction is inf m, must be finite and at least 0");
    let settings = WorldSettings {
        gravity: Vector2::new(f64::NAN, 0.0),
        ..WorldSettings::default()
    };
    assert_snapshot!(World::with_settings(settings).unwrap_err(), @"gravity is [NaN, 0.0]");
}

#[test]
fn contacts_at_impossible_places() {
    let rod = rod_world();
    let mut contacts = Contacts::default();
    let everything = ContactQuery {
        margin: f64::INFINITY,
        include: &[],
    };
    let q = [0.0, f64::NAN, 0.0];
    assert_snapshot!(rod.contacts(0.0, &q, &everything, &mut contacts).unwrap_err(), @"coordinate 1 of body `rod` is NaN");

    let mut world = World::<2>::new();
    for (name, radius) in [("inner", 0.5), ("outer", 1.0)] {
        let shape = ConvexSet::from(Ball::new(radius).unwrap());
        world.add(Body::solid(name, shape, 1.0).unwrap()).unwrap();
    }
    assert_snapshot!(
        world.contacts(0.0, &[0.0; 6], &everything, &mut contacts).unwrap_err(),
        @"no contact between `inner` and `outer`: the ball and the ball are concentric: no normal is defined, move one of them by any small length"
    );
    assert!(contacts.is_empty() && contacts.rows.is_empty());
}

#[test]
fn states() {
    let world = tumblers(weightless());
    let good = world.initial_state();
    assert_eq!(good.validate(&world), Ok(()));
    let check = |change: fn(&mut State)| {
        let mut state = good.clone();
        change(&mut state);
        state.validate(&world).unwrap_err().to_string()
    };
    assert_snapshot!(check(|s| s.t = f64::INFINITY), @"the time is inf");
    assert_snapshot!(check(|s| s.q.truncate(13)), @"q has 13 entries, the system has 14");
    assert_snapshot!(check(|s| s.v[7] = f64::NAN), @"v[1] of body `top` is NaN");
    assert_snapshot!(check(|s| s.q[3] = 2.0), @"the quaternion of body `brick` has norm 2.179449471770337, not 1");
    let id = ContactId {
        a: 0,
        b: 1,
        pieces: [0; 2],
        feature: 0,
    };
    let push = |s: &mut State, impulse: f64| {
        s.memory.push(ContactMemory {
            approach: impulse,
            ..ContactMemory::new(id, 3)
        });
    };
    let mut state = good.clone();
    push(&mut state, 0.0);
    assert_eq!(state.validate(&world), Ok(()));
    assert_eq!(state.remembered(id), Some(&ContactMemory::new(id, 3)));
    push(&mut state, 0.0);
    assert_snapshot!(state.validate(&world).unwrap_err(), @"contact memory 1 is not after its predecessor: entries are sorted by id and distinct");
    let mut state = good.clone();
    push(&mut state, f64::NAN);
    assert_snapshot!(state.validate(&world).unwrap_err(), @"the memory of contact brick/top#0 is damaged: impulse [0.0, 0.0, 0.0], torsion 0, rolling [], approach NaN, stored 0, slip []");
    let mut state = good.clone();
    push(&mut state, 0.0);
    state.memory[0].slip = vec![1.0, 2.0];
    assert_snapshot!(state.validate(&world).unwrap_err(), @"the memory of contact brick/top#0 is damaged: impulse [0.0, 0.0, 0.0], torsion 0, rolling [], approach 0, stored 0, slip [1.0, 2.0]");
    state.memory[0].slip.push(3.0);
    assert_eq!(state.validate(&world), Ok(()));
    state.memory[0].slip.clear();
    state.memory[0].rolling = vec![0.5];
    assert_snapshot!(state.validate(&world).unwrap_err(), @"the memory of contact brick/top#0 is damaged: impulse [0.0, 0.0, 0.0], torsion 0, rolling [0.5], approach 0, stored 0, slip []");
    state.memory[0].rolling.push(f64::INFINITY);
    assert_snapshot!(state.validate(&world).unwrap_err(), @"the memory of contact brick/top#0 is damaged: impulse [0.0, 0.0, 0.0], torsion 0, rolling [0.5, inf], approach 0, stored 0, slip []");
    state.memory[0].rolling[1] = 0.25;
    assert_eq!(state.validate(&world), Ok(()));
    state.memory[0].stored = -1.0;
    assert_snapshot!(state.validate(&world).unwrap_err(), @"the memory of contact brick/top#0 is damaged: impulse [0.0, 0.0, 0.0], torsion 0, rolling [0.5, 0.25], approach 0, stored -1, slip []");
}

#[test]
fn contacts_that_there_cannot_be() {
    let mut world = World::<3>::new();
    let ball = |name| Body::solid(name, Ball::new(0.5).unwrap(), 1.0).unwrap();
    let brick = world.add(ball("brick")).unwrap();
    let top = world.add(ball("top")).unwrap();
    let remembering = |a, b| {
        let id = ContactId {
            a,
            b,
            pieces: [0; 2],
            feature: 0,
        };
        State {
            memory: vec![ContactMemory::new(id, 3)],
            ..world.initial_state()
        }
    };
    let (state, missing, turned) = (remembering(0, 1), remembering(0, 9), remembering(1, 0));
    assert_eq!(state.validate_contacts(&world), Ok(()));
    assert_snapshot!(missing.validate_contacts(&world).unwrap_err(), @"the memory names the contact brick/body 9#0, which there cannot be: a body of it is missing or has no shape, neither moves freely, or they never touch");
    assert!(turned.validate_contacts(&world).is_err());
    world.exclude(brick, top).unwrap();
    assert!(state.validate_contacts(&world).is_err());
}
