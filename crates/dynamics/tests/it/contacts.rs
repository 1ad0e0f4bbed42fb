//! Which contacts are reported, with which rows, coefficients and frames.

use insta::assert_snapshot;
use nalgebra::Vector3;
use signorini_dynamics::{
    Body, ContactId, ContactMaterial, ContactPoint, ContactQuery, Contacts, Inertia, System, World,
    WorldSettings,
};
use signorini_geometry::{Ball, HalfSpace};

use crate::support::{all_contacts, assert_close, rod_world, weightless};

/// The four balls of ST2000 section 5.2 over the table.
fn four_balls() -> World<3> {
    let material = ContactMaterial {
        friction: 0.4,
        ..ContactMaterial::default()
    };
    let mut world = World::with_settings(WorldSettings {
        material,
        ..WorldSettings::default()
    })
    .unwrap();
    world.add(Body::fixed("table", HalfSpace::up())).unwrap();
    for (name, x, z) in [
        ("thrown", 0.0, 1.0),
        ("first", 1.0, 0.1),
        ("left", 1.2 + 1e-5, 0.1),
        ("right", 1.4 + 2e-5, 0.1),
    ] {
        let mut ball = Body::solid(name, Ball::new(0.1).unwrap(), 1.0).unwrap();
        ball.position[..3].copy_from_slice(&[x, 0.0, z]);
        world.add(ball).unwrap();
    }
    world
}

fn query(world: &dyn System, margin: f64, include: &[ContactId]) -> Contacts {
    let q = match world.nq() {
        28 => four_balls().initial_state().q,
        _ => rod_world().initial_state().q,
    };
    let mut contacts = Contacts::default();
    world
        .contacts(0.0, &q, &ContactQuery { margin, include }, &mut contacts)
        .unwrap();
    contacts
}

fn names(world: &dyn System, contacts: &Contacts) -> String {
    contacts
        .id
        .iter()
        .map(|&id| world.contact_name(id))
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn margin_and_list_select_contacts_in_the_order_of_their_ids() {
    let world = four_balls();
    assert_snapshot!(names(&world, &query(&world, 1e-6, &[])), @"table/first#0 table/left#0 table/right#0");
    assert_snapshot!(
        names(&world, &query(&world, 1e-3, &[])),
        @"table/first#0 table/left#0 table/right#0 first/left#0 left/right#0"
    );
    let listed = [
        ContactId {
            a: 0,
            b: 1,
            pieces: [0; 2],
            feature: 0,
        },
        ContactId {
            a: 1,
            b: 4,
            pieces: [0; 2],
            feature: 0,
        },
    ];
    assert_snapshot!(
        names(&world, &query(&world, f64::NEG_INFINITY, &listed)),
        @"table/thrown#0 thrown/right#0"
    );
    assert_eq!(query(&world, f64::INFINITY, &[]).len(), 10);
    // A feature that the pair does not have cannot be reported.
    let absent = [ContactId {
        a: 0,
        b: 1,
        pieces: [0; 2],
        feature: 7,
    }];
    assert!(query(&world, f64::NEG_INFINITY, &absent).is_empty());
}

#[test]
fn buffers_are_reused_without_a_trace() {
    let (balls, rod) = (four_balls(), rod_world());
    let everything = ContactQuery {
        margin: f64::INFINITY,
        include: &[],
    };
    let mut contacts = Contacts::default();
    let (q_balls, q_rod) = (balls.initial_state().q, rod.initial_state().q);
    balls
        .contacts(0.0, &q_balls, &everything, &mut contacts)
        .unwrap();
    rod.contacts(0.0, &q_rod, &everything, &mut contacts)
        .unwrap();
    assert_eq!(contacts, all_contacts(&rod, &q_rod));
    let capacity = contacts.gap.capacity();
    balls
        .contacts(0.0, &q_balls, &everything, &mut contacts)
        .unwrap();
    assert_eq!(contacts, all_contacts(&balls, &q_balls));
    assert_eq!(contacts.gap.capacity(), capacity);
}

#[test]
fn pairs_have_their_own_coefficients() {
    let mut world = four_balls();
    let (first, left) = (world.body("first").unwrap(), world.body("left").unwrap());
    let glass = ContactMaterial {
        friction: 0.1,
        restitution: 0.9,
        tangential_restitution: 0.25,
        ellipsoid: [1.0, 0.5, 0.1],
        rolling: 2e-3,
        reference: [0.0, 3.0, 0.0],
    };
    world.set_pair_material(left, first, glass).unwrap();
    let contacts = query(&world, 1e-3, &[]);
    assert_eq!(contacts.friction, [0.4, 0.4, 0.4, 0.1, 0.4]);
    assert_eq!(contacts.restitution, [0.0, 0.0, 0.0, 0.9, 0.0]);
    assert_eq!(contacts.tangential_restitution, [0.0, 0.0, 0.0, 0.25, 0.0]);
    let axes: Vec<_> = contacts.ellipsoid.iter().map(|e| e[2]).collect();
    assert_eq!(axes, [0.0, 0.0, 0.0, 0.1, 0.0]);
    assert_eq!(contacts.rolling, [0.0, 0.0, 0.0, 2e-3, 0.0]);
    assert_close(
        &contacts.tangent[18..][..6],
        &[0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
        1e-15,
    );
}

#[test]
fn tangents_are_projected_z_or_x_near_the_vertical() {
    let world = four_balls();
    let contacts = query(&world, 1e-3, &[]);
    // On the table n = z: first tangent x, second n × x = y.
    assert_close(
        &contacts.tangent[..6],
        &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0],
        1e-15,
    );
    // Between the balls n = x: first tangent z, second x × z = −y.
    assert_close(
        &contacts.tangent[18..][..6],
        &[0.0, 0.0, 1.0, 0.0, -1.0, 0.0],
        1e-15,
    );
}

#[test]
fn only_the_midpoint_conserves_angular_momentum_across_a_gap() {
    let impulse = [2.0, 0.7, -0.3];
    for (point, expected) in [(ContactPoint::Midpoint, 0.0), (ContactPoint::Witness, 1.0)] {
        let settings = WorldSettings {
            contact_point: point,
            ..weightless::<3>()
        };
        let mut world = World::with_settings(settings).unwrap();
        for (name, x) in [("a", [0.0, 0.2, 0.0]), ("b", [0.9, -0.1, 0.4])] {
            let mut ball = Body::solid(name, Ball::new(0.2).unwrap(), 1.0).unwrap();
            ball.position[..3].copy_from_slice(&x);
            world.add(ball).unwrap();
        }
        let q = world.initial_state().q;
        let contacts = all_contacts(&world, &q);
        // With mass one and inertia J the generalised impulse is M v.
        let mut p = vec![0.0; 12];
        contacts.rows.transpose_mul_add(&impulse, &mut p);
        let inertia = 0.4 * 0.04;
        let v: Vec<f64> = p
            .iter()
            .enumerate()
            .map(|(k, p)| if k % 6 < 3 { *p } else { p / inertia })
            .collect();
        let momentum = world.momentum(&q, &v);
        assert_close(&momentum[..3], &[0.0; 3], 1e-15);
        // Action and reaction act a gap apart: a couple g n × p_t.
        let vector = |k: usize| Vector3::from_column_slice(&contacts.tangent[3 * k..][..3]);
        let n = Vector3::from_column_slice(&contacts.normal);
        let couple = n.cross(&(vector(0) * impulse[1] + vector(1) * impulse[2])) * contacts.gap[0];
        assert!(couple.norm() > 0.1);
        assert_close(&momentum[3..], (couple * expected).as_slice(), 1e-14);
    }
}

#[test]
fn penetration_at_the_start_is_reported_by_name() {
    let mut world = four_balls();
    assert_eq!(world.initial_overlaps(&world.initial_state()).unwrap(), []);
    let mut ball = Body::solid("deep", Ball::new(0.1).unwrap(), 1.0).unwrap();
    ball.position[..3].copy_from_slice(&[1.5, 0.0, 0.0999]);
    world.add(ball).unwrap();
    let overlaps = world.initial_overlaps(&world.initial_state()).unwrap();
    let text: Vec<_> = overlaps
        .iter()
        .map(|o| format!("{}/{} {:.4}", o.a, o.b, o.depth))
        .collect();
    assert_snapshot!(text.join(", "), @"table/deep 0.0001, right/deep 0.1000");
}

#[test]
fn fixed_bodies_do_not_touch_each_other() {
    let mut world = World::<2>::new();
    world.add(Body::fixed("floor", HalfSpace::up())).unwrap();
    world
        .add(Body::fixed("post", Ball::new(1.0).unwrap()))
        .unwrap();
    world
        .add(Body::moving("point", 1.0, Inertia::Scalar(1.0)))
        .unwrap();
    assert!(all_contacts(&world, &[0.0; 3]).is_empty());
}
