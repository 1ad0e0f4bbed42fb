//! Contacts are those of all pairs, whatever the broad phase saw before; groups and exclusions leave some out.

use insta::assert_snapshot;
use proptest::prelude::*;
use signorini_dynamics::{
    Body, ContactError, ContactId, ContactQuery, Contacts, Inertia, System, World,
};
use signorini_geometry::{Ball, Capsule, ConvexSet, Groups, HalfSpace};

use crate::support::{all_contacts, weightless};

fn body(name: usize, (shape, x, groups): (ConvexSet<3>, [f64; 7], Groups), fixed: bool) -> Body<3> {
    let norm = x[3..].iter().map(|x| x * x).sum::<f64>().sqrt();
    let mut position = x.to_vec();
    position[3..].iter_mut().for_each(|x| *x /= norm);
    let name = format!("body {name}");
    let moving = if fixed {
        Body::fixed(name, shape.clone())
    } else {
        Body::moving(name, 1.0, Inertia::Scalar(1.0))
    };
    Body {
        shape: Some(shape.into()),
        position,
        groups,
        ..moving
    }
}

/// A floor, and balls and rods of sizes from 1 cm to 1 m around the origin.
fn world() -> impl Strategy<Value = World<3>> {
    let shape = prop_oneof![
        (-2.0..0.0f64).prop_map(|e| ConvexSet::from(Ball::new(10f64.powf(e)).unwrap())),
        (-1.0..0.0f64, 0.1..1.0f64).prop_map(|(e, r)| {
            let l = 10f64.powf(e);
            ConvexSet::from(Capsule::new(l, r * l).unwrap())
        }),
    ];
    let groups = prop_oneof![
        4 => Just(Groups::default()),
        1 => (1..4u32, 1..4u32).prop_map(|(member, collides_with)| Groups { member, collides_with }),
    ];
    let coordinate = -1.5..1.5f64;
    let place = prop::array::uniform7(coordinate).prop_filter("an orientation", |x| {
        x[3..].iter().map(|x| x * x).sum::<f64>() > 0.01
    });
    let bodies = prop::collection::vec(((shape, place, groups), prop::bool::weighted(0.2)), 0..20);
    let excluded = prop::collection::vec((0..20usize, 0..20usize), 0..6);
    (bodies, excluded).prop_map(|(bodies, excluded)| {
        let mut world = World::with_settings(weightless()).unwrap();
        world.add(Body::fixed("floor", HalfSpace::up())).unwrap();
        for (k, (data, fixed)) in bodies.into_iter().enumerate() {
            world.add(body(k, data, fixed)).unwrap();
        }
        let ids: Vec<_> = world.bodies().map(|(id, _)| id).collect();
        for (a, b) in excluded {
            if a != b && a.max(b) < ids.len() {
                world.exclude(ids[a], ids[b]).unwrap();
            }
        }
        world
    })
}

fn contacts_at(world: &World<3>, q: &[f64], query: &ContactQuery<'_>, contacts: &mut Contacts) {
    world.contacts(0.0, q, query, contacts).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn a_margin_selects_from_all_contacts(
        worlds in prop::collection::vec(world(), 2..4),
        margin in prop_oneof![Just(0.0), -0.1..0.5f64],
        shift in -0.3..0.3f64,
    ) {
        // One buffer for all worlds and places, in turn.
        let mut contacts = Contacts::default();
        for world in worlds.iter().chain(&worlds) {
            let mut q = world.initial_state().q;
            for round in 0..3 {
                q.chunks_exact_mut(7).enumerate().for_each(|(k, q)| q[k % 3] += shift * f64::from(round));
                let all = all_contacts(world, &q);
                let listed: Vec<ContactId> = all.id.iter().copied().step_by(3).collect();
                let query = ContactQuery { margin, include: &listed };
                contacts_at(world, &q, &query, &mut contacts);
                let expected: Vec<ContactId> = (all.id.iter().zip(&all.gap))
                    .filter(|(id, gap)| **gap <= margin || listed.binary_search(id).is_ok())
                    .map(|(id, _)| *id)
                    .collect();
                prop_assert_eq!(&contacts.id, &expected);
                for (id, gap) in contacts.id.iter().zip(&contacts.gap) {
                    let same = all.position(*id).map(|k| all.gap[k].to_bits());
                    prop_assert_eq!(same, Some(gap.to_bits()));
                }
                let mut fresh = Contacts::default();
                contacts_at(world, &q, &query, &mut fresh);
                prop_assert_eq!(&contacts, &fresh);
            }
        }
    }
}

/// Three discs on top of each other over a floor, and their pairs that touch.
fn stack(change: impl FnOnce(&mut World<2>), groups: [Groups; 3]) -> String {
    let mut world = World::<2>::with_settings(weightless()).unwrap();
    world.add(Body::fixed("floor", HalfSpace::up())).unwrap();
    for (k, groups) in groups.into_iter().enumerate() {
        let mut disc = Body::solid(format!("disc{k}"), Ball::new(0.5).unwrap(), 1.0).unwrap();
        disc.position[1] = 0.25 + 0.25 * k as f64;
        disc.groups = groups;
        world.add(disc).unwrap();
    }
    change(&mut world);
    let everything = ContactQuery {
        margin: 0.0,
        include: &[ContactId {
            a: 0,
            b: 1,
            pieces: [0; 2],
            feature: 0,
        }],
    };
    let mut contacts = Contacts::default();
    let q = world.initial_state().q;
    world.contacts(0.0, &q, &everything, &mut contacts).unwrap();
    let names: Vec<_> = contacts
        .id
        .iter()
        .map(|&id| world.contact_name(id))
        .collect();
    names.join(" ")
}

#[test]
fn excluded_bodies_do_not_touch_even_if_listed() {
    let all = [Groups::default(); 3];
    assert_snapshot!(stack(|_| (), all), @"floor/disc0#0 floor/disc1#0 disc0/disc1#0 disc0/disc2#0 disc1/disc2#0");
    let exclude = |world: &mut World<2>| {
        let id = |name: &str| world.body(name).unwrap();
        let (floor, lower, upper) = (id("floor"), id("disc0"), id("disc1"));
        world.exclude(lower, floor).unwrap();
        world.exclude(lower, upper).unwrap();
        world.exclude(upper, lower).unwrap();
    };
    assert_snapshot!(stack(exclude, all), @"floor/disc1#0 disc0/disc2#0 disc1/disc2#0");
}

#[test]
fn groups_select_whom_a_body_touches() {
    let debris = Groups {
        member: 2,
        collides_with: 1,
    };
    let ghost = Groups {
        member: 0,
        collides_with: u32::MAX,
    };
    let groups = [debris, debris, Groups::default()];
    assert_snapshot!(stack(|_| (), groups), @"floor/disc0#0 floor/disc1#0 disc0/disc2#0 disc1/disc2#0");
    assert_snapshot!(stack(|_| (), [ghost, debris, debris]), @"floor/disc1#0");
}

#[test]
fn exclusions_are_checked() {
    let mut world = World::<2>::new();
    let floor = world.add(Body::fixed("floor", HalfSpace::up())).unwrap();
    assert_snapshot!(world.exclude(floor, floor).unwrap_err(), @"body `floor` does not touch itself");
    let mut other = World::<2>::new();
    for name in ["a", "b"] {
        other.add(Body::fixed(name, HalfSpace::up())).unwrap();
    }
    let stranger = other.body("b").unwrap();
    assert_snapshot!(world.exclude(floor, stranger).unwrap_err(), @"there is no body 1, the world has 1");
}

#[test]
fn a_quaternion_of_zeros_is_refused_by_name() {
    let mut world = World::<3>::with_settings(weightless()).unwrap();
    world.add(Body::fixed("floor", HalfSpace::up())).unwrap();
    let rod = Capsule::new(0.5, 0.1).unwrap();
    world.add(Body::solid("rod", rod, 1.0).unwrap()).unwrap();
    let query = ContactQuery::default();
    let mut contacts = Contacts::default();
    let error = world
        .contacts(0.0, &[0.0; 7], &query, &mut contacts)
        .unwrap_err();
    assert!(matches!(error, ContactError::BroadPhase { .. }));
    assert_snapshot!(error, @"contacts of body `rod` cannot be looked for: the bounds of body 1 are no box along axis 0: NaN to NaN");
    assert!(contacts.is_empty());
}
