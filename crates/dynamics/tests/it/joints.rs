//! Joints: freedoms, rows against differences, what is refused.

use nalgebra::{Matrix2, Vector2, Vector3};
use signorini_dynamics::{
    Body, ConstraintRows, Course, Inertia, Joint, JointError, JointKind, Joints, Motion, Motor,
    Rotation, Spring, System, World, WorldError,
};
use signorini_geometry::Pose;

const PLANAR: [JointKind; 6] = [
    JointKind::Fixed,
    JointKind::Revolute,
    JointKind::Prismatic,
    JointKind::Distance { length: 0.7 },
    JointKind::Rope { length: 0.7 },
    JointKind::Gear { ratio: 1.5 },
];

const SPATIAL: [JointKind; 10] = [
    JointKind::Fixed,
    JointKind::Revolute,
    JointKind::Prismatic,
    JointKind::Cylindrical,
    JointKind::Spherical,
    JointKind::Universal,
    JointKind::Planar,
    JointKind::Distance { length: 0.7 },
    JointKind::Rope { length: 0.7 },
    JointKind::Gear { ratio: 1.5 },
];

fn planar(kind: JointKind) -> (World<2>, Joint<2>) {
    let mut world = World::<2>::new();
    let mut body = |name: &str, position: [f64; 3]| {
        let body = Body::moving(name, 1.0, Inertia::Scalar(0.2));
        let position = position.to_vec();
        world.add(Body { position, ..body }).unwrap()
    };
    let (a, b) = (body("a", [0.1, -0.2, 0.4]), body("b", [0.8, 0.3, -0.3]));
    let joint = Joint {
        frame_a: Pose::from_angle(0.3, Vector2::new(0.2, 0.1)),
        frame_b: Pose::from_angle(-0.2, Vector2::new(-0.1, 0.3)),
        ..Joint::new("joint", kind, a, b)
    };
    (world, joint)
}

fn spatial(kind: JointKind) -> (World<3>, Joint<3>) {
    let mut world = World::<3>::new();
    let mut body = |name: &str, position: [f64; 7]| {
        let body = Body::moving(name, 1.0, Inertia::Principal([0.2, 0.3, 0.4]));
        let norm = position[3..].iter().map(|x| x * x).sum::<f64>().sqrt();
        let mut position = position.to_vec();
        position[3..].iter_mut().for_each(|x| *x /= norm);
        world.add(Body { position, ..body }).unwrap()
    };
    let a = body("a", [0.1, -0.2, 0.3, 0.9, 0.1, -0.3, 0.2]);
    let b = body("b", [0.8, 0.3, -0.1, 0.7, -0.3, 0.2, 0.4]);
    let joint = Joint {
        frame_a: Pose::from_quaternion([0.8, 0.2, 0.1, -0.3], Vector3::new(0.2, 0.1, -0.3)),
        frame_b: Pose::from_quaternion([0.6, -0.1, 0.4, 0.2], Vector3::new(-0.1, 0.3, 0.2)),
        ..Joint::new("joint", kind, a, b)
    };
    (world, joint)
}

fn rows(system: &dyn System, t: f64, q: &[f64]) -> Joints {
    let mut joints = Joints::default();
    system.joint_rows(t, 0.01, q, &mut joints).unwrap();
    joints
}

/// Rows times v beside differences of the values along v, for several v.
fn check_rates(system: &dyn System, q: &[f64], pick: impl Fn(&Joints) -> &ConstraintRows) {
    let step = 1e-5;
    let here = rows(system, 0.0, q);
    let here = pick(&here);
    for seed in 0..4_u32 {
        let v: Vec<f64> = (0..system.nv())
            .map(|k| (f64::from(seed) + 1.7 * k as f64 + 0.3).sin())
            .collect();
        let mut rate = vec![0.0; here.len()];
        here.rows.mul_into(&v, &mut rate);
        let moved = |h: f64| {
            let mut q_moved = vec![0.0; q.len()];
            system.retract(q, &v, h, Rotation::LieGroup, &mut q_moved);
            pick(&rows(system, 0.0, &q_moved)).value.clone()
        };
        let (ahead, behind) = (moved(step), moved(-step));
        for k in 0..here.len() {
            let difference = (ahead[k] - behind[k]) / (2.0 * step);
            assert!(
                (difference - rate[k]).abs() < 1e-8,
                "{k}: {difference} {}",
                rate[k]
            );
        }
    }
}

#[test]
fn rows_of_the_plane_are_the_rates_of_their_values() {
    let counts = [3, 2, 2, 1, 0, 1];
    for (kind, count) in PLANAR.into_iter().zip(counts) {
        let (mut world, joint) = planar(kind);
        world.join(joint).unwrap();
        let q = world.initial_state().q;
        assert_eq!(rows(&world, 0.0, &q).equations.len(), count, "{kind:?}");
        check_rates(&world, &q, |joints| &joints.equations);
        check_rates(&world, &q, |joints| &joints.limits);
    }
}

#[test]
fn rows_of_space_are_the_rates_of_their_values() {
    let counts = [6, 5, 5, 4, 3, 4, 3, 1, 0, 1];
    for (kind, count) in SPATIAL.into_iter().zip(counts) {
        let (mut world, joint) = spatial(kind);
        world.join(joint).unwrap();
        let q = world.initial_state().q;
        assert_eq!(rows(&world, 0.0, &q).equations.len(), count, "{kind:?}");
        check_rates(&world, &q, |joints| &joints.limits);
        if !matches!(kind, JointKind::Gear { .. }) {
            check_rates(&world, &q, |joints| &joints.equations);
        }
    }
}

#[test]
fn limits_are_two_rows_of_the_coordinate() {
    for kind in [
        JointKind::Prismatic,
        JointKind::Distance { length: 0.7 },
        JointKind::Cylindrical,
    ] {
        let (mut world, joint) = spatial(kind);
        let limits = Some([-0.5, 2.0]);
        world.join(Joint { limits, ..joint }).unwrap();
        let q = world.initial_state().q;
        let limits = rows(&world, 0.0, &q).limits;
        // Their sum is the range.
        assert!(
            (limits.value[0] + limits.value[1] - 2.5).abs() < 1e-15,
            "{kind:?}"
        );
        check_rates(&world, &q, |joints| &joints.limits);
    }
    // The angle of a hinge is that of the frames when their axes are one: here both are turned about z.
    let mut world = World::<3>::new();
    let mut body = |name: &str| {
        world
            .add(Body::moving(name, 1.0, Inertia::Scalar(1.0)))
            .unwrap()
    };
    let (a, b) = (body("a"), body("b"));
    let joint = Joint {
        frame_b: Pose::from_quaternion([0.4_f64.cos(), 0.0, 0.0, 0.4_f64.sin()], Vector3::zeros()),
        limits: Some([0.0, f64::INFINITY]),
        ..Joint::new("hinge", JointKind::Revolute, a, b)
    };
    world.join(joint).unwrap();
    let q = world.initial_state().q;
    assert!((rows(&world, 0.0, &q).limits.value[0] - 0.8).abs() < 1e-15);
    check_rates(&world, &q, |joints| &joints.limits);
}

#[test]
fn a_drive_counts_from_where_the_joint_was_added() {
    let (mut world, joint) = planar(JointKind::Prismatic);
    let drive = Some(Course::Steady { rate: 0.3 });
    world.join(Joint { drive, ..joint }).unwrap();
    let q = world.initial_state().q;
    let now = rows(&world, 0.0, &q).equations;
    assert!(now.value[2].abs() < 1e-15 && (now.drift[2] + 0.3).abs() < 1e-15);
    assert!((rows(&world, 2.0, &q).equations.value[2] + 0.6).abs() < 1e-15);
    check_rates(&world, &q, |joints| &joints.equations);
}

#[test]
fn a_drive_holds_its_coordinate_against_springs_and_motors_which_are_refused() {
    let (mut world, joint) = planar(JointKind::Prismatic);
    let driven = Joint {
        drive: Some(Course::Steady { rate: 0.3 }),
        ..joint
    };
    let motors = [
        Motor::Rate {
            rate: 1.0,
            limit: 5.0,
        },
        Motor::Effort { effort: 2.0 },
    ];
    for motor in motors {
        let motor = Some(motor);
        let error = world.join(Joint {
            motor,
            ..driven.clone()
        });
        let text = error.unwrap_err().to_string();
        assert!(text.contains("has a drive, which holds its coordinate whatever a motor does: leave one of them out"), "{text}");
    }
    let spring = Some(Spring {
        stiffness: 10.0,
        damping: 0.0,
        rest: 0.0,
    });
    let error = world.join(Joint {
        spring,
        ..driven.clone()
    });
    let text = error.unwrap_err().to_string();
    assert!(text.contains("whatever a spring does"), "{text}");
    // Dry friction beside it is what the drive overcomes.
    let friction = 3.0;
    world.join(Joint { friction, ..driven }).unwrap();
}

#[test]
fn full_turns_at_the_beginning_do_not_count() {
    let (mut world, joint) = planar(JointKind::Fixed);
    let mut turned = World::<2>::new();
    for (_, body) in world.bodies() {
        let mut body = body.clone();
        if body.name == "b" {
            body.position[2] += 2.0 * std::f64::consts::TAU;
        }
        turned.add(body).unwrap();
    }
    world.join(joint.clone()).unwrap();
    turned.join(joint).unwrap();
    let [here, there] =
        [&world, &turned].map(|w| rows(w, 0.0, &w.initial_state().q).equations.value);
    assert!((here[2] - there[2]).abs() < 1e-14);
}

#[test]
fn what_makes_no_sense_is_refused_by_name() {
    let refused = |change: &dyn Fn(&mut Joint<2>)| {
        let (mut world, mut joint) = planar(JointKind::Revolute);
        change(&mut joint);
        match world.join(joint) {
            Err(WorldError::Joint(error)) => error,
            other => panic!("{other:?}"),
        }
    };
    let kind = |kind: JointKind| refused(&|joint| joint.kind = kind);
    assert!(matches!(
        kind(JointKind::Spherical),
        JointError::Spatial {
            kind: "spherical",
            ..
        }
    ));
    for length in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(
            kind(JointKind::Rope { length }),
            JointError::Value {
                quantity: "length",
                ..
            }
        ));
    }
    assert!(matches!(
        kind(JointKind::Gear { ratio: 0.0 }),
        JointError::Value { .. }
    ));
    let limits = |limits: [f64; 2]| refused(&|joint| joint.limits = Some(limits));
    assert!(matches!(limits([1.0, 0.0]), JointError::Value { .. }));
    assert!(matches!(limits([f64::NAN, 0.0]), JointError::Value { .. }));
    assert!(matches!(
        refused(&|joint| {
            joint.kind = JointKind::Fixed;
            joint.limits = Some([0.0, 1.0]);
        }),
        JointError::NoCoordinate { what: "limits", .. }
    ));
    assert!(matches!(
        refused(&|joint| joint.frame_a.rotation = Matrix2::identity() * 2.0),
        JointError::Frame { .. }
    ));
    let (mut world, joint) = planar(JointKind::Revolute);
    world.join(joint.clone()).unwrap();
    assert_eq!(
        world.join(joint.clone()).unwrap_err().to_string(),
        "there is a joint `joint` already"
    );
    let itself = Joint {
        name: "own".into(),
        b: joint.a,
        ..joint
    };
    assert!(matches!(
        world.join(itself),
        Err(WorldError::SameBody { .. })
    ));
}

#[test]
fn a_rod_of_no_length_and_a_drive_that_is_not_finite_are_errors() {
    let mut world = World::<2>::new();
    let room = world.add(Body::anchor("room")).unwrap();
    let bob = world
        .add(Body::moving("bob", 1.0, Inertia::Scalar(1.0)))
        .unwrap();
    let rod = Joint::new("rod", JointKind::Distance { length: 1.0 }, room, bob);
    world.join(rod).unwrap();
    let mut joints = Joints::default();
    let error = world
        .joint_rows(0.5, 0.1, &[0.0; 3], &mut joints)
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "joint `rod`: its two ends coincide at t = 0.5, so that it has no direction"
    );
    let mut world = World::<2>::new();
    let room = world.add(Body::anchor("room")).unwrap();
    let bob = world
        .add(Body::moving("bob", 1.0, Inertia::Scalar(1.0)))
        .unwrap();
    let drive = Some(Course::Custom(std::sync::Arc::new(|t: f64| {
        (0.5 - t).sqrt()
    })));
    let slide = Joint {
        drive,
        ..Joint::new("slide", JointKind::Prismatic, room, bob)
    };
    world.join(slide).unwrap();
    assert!(world.joint_rows(0.0, 0.1, &[0.0; 3], &mut joints).is_ok());
    let error = world
        .joint_rows(0.45, 0.1, &[0.0; 3], &mut joints)
        .unwrap_err();
    assert!(matches!(error, JointError::NotFinite { .. }) && joints.equations.is_empty());
}

#[test]
fn a_driven_body_moves_by_its_course_and_has_no_energy() {
    let mut world = World::<2>::new();
    let course = Course::Oscillation {
        amplitude: 0.1,
        frequency: 2.0,
        phase: 0.4,
        from: 0.05,
        until: 10.0,
    };
    let direction = [0.0, 1.0, 0.0, 0.0, 0.0, 0.0];
    let motion = Motion::Driven {
        direction,
        course: course.clone(),
    };
    let table = Body {
        motion,
        ..Body::anchor("table")
    };
    world.add(table).unwrap();
    let mut state = world.initial_state();
    let h = 0.01;
    for k in 0..100 {
        let mut v = vec![0.0; 3];
        world.free_velocity(f64::from(k) * h, &state.q, &state.v, h, &mut v);
        let q = state.q.clone();
        world.retract(&q, &v, h, Rotation::Printed, &mut state.q);
        state.v = v;
    }
    assert!((state.q[1] - course.at(1.0)).abs() < 1e-14);
    assert!(world.is_driven(0));
    let energy = world.energy(&state.q, &state.v);
    assert!(energy.kinetic == 0.0 && energy.potential == 0.0);
}
