//! The broad phase lists what looking at all pairs lists, whatever happened before.

use nalgebra::{SVector, Vector2, Vector3};
use proptest::prelude::*;
use signorini_geometry::{
    Aabb, Ball, Bounds, BroadPhase, BroadPhaseError, Capsule, ConvexSet, Ellipsoid, Groups,
    HalfSpace, Placed, Polygon, Pose, Proxy,
};

use crate::support::{
    planar_directions, planar_pose, planar_set, size, spatial_directions, spatial_pose,
    spatial_set, support,
};

/// What a broad phase must know, as a plain list.
#[derive(Clone, Debug, Default)]
struct Model<const D: usize> {
    bodies: Vec<(u32, Proxy<D>)>,
    excluded: Vec<(u32, u32)>,
}

impl<const D: usize> Model<D> {
    fn pairs(&self) -> Vec<(u32, u32)> {
        let mut pairs = Vec::new();
        for (a, one) in &self.bodies {
            for (b, other) in self.bodies.iter().filter(|(b, _)| a < b) {
                let meet = one.groups.member & other.groups.collides_with != 0
                    && other.groups.member & one.groups.collides_with != 0;
                let bounds = [one, other].map(|proxy| proxy.bounds.inflated(proxy.reach));
                if bounds[0].overlaps(&bounds[1])
                    && meet
                    && !(one.fixed && other.fixed)
                    && !self.excluded.contains(&(*a, *b))
                {
                    pairs.push((*a, *b));
                }
            }
        }
        pairs.sort_unstable();
        pairs
    }

    /// A broad phase of the same bodies, inserted in the order of the list.
    fn fresh(&self) -> BroadPhase<D> {
        let mut broad = BroadPhase::new();
        for (id, proxy) in &self.bodies {
            broad.insert(*id, *proxy).unwrap();
        }
        for (a, b) in &self.excluded {
            broad.exclude(*b, *a).unwrap();
        }
        broad
    }
}

/// What happens to a body or a pair in a history.
#[derive(Clone, Debug)]
enum Event<const D: usize> {
    Insert(u32, Proxy<D>),
    Remove(u32),
    /// Moved by a part of a unit.
    Drift(u32, [f64; 3]),
    Teleport(u32, Bounds<D>, f64),
    Groups(u32, Groups),
    Exclude(u32, u32),
    Readmit(u32, u32),
    List,
}

fn apply<const D: usize>(event: &Event<D>, broad: &mut BroadPhase<D>, model: &mut Model<D>) {
    let place = |id: u32, model: &Model<D>| model.bodies.iter().position(|(k, _)| *k == id);
    match event {
        Event::Insert(id, proxy) => {
            let answer = broad.insert(*id, *proxy);
            if place(*id, model).is_some() {
                assert_eq!(answer, Err(BroadPhaseError::Duplicate { id: *id }));
            } else {
                answer.unwrap();
                model.bodies.push((*id, *proxy));
            }
        }
        Event::Remove(id) => {
            let answer = broad.remove(*id);
            match place(*id, model) {
                Some(k) => {
                    answer.unwrap();
                    model.bodies.remove(k);
                }
                None => assert_eq!(answer, Err(BroadPhaseError::Unknown { id: *id })),
            }
        }
        Event::Drift(id, by) => {
            if let Some(k) = place(*id, model) {
                let proxy = &mut model.bodies[k].1;
                let by = SVector::from_fn(|i, _| by[i]);
                proxy.bounds = match proxy.bounds {
                    Bounds::Box(Aabb { lower, upper }) => {
                        let by = by * (upper - lower).max().min(1e3);
                        let (lower, upper) = (lower + by, upper + by);
                        Bounds::Box(Aabb { lower, upper })
                    }
                    half @ Bounds::HalfSpace { .. } => half.inflated(by[0]),
                };
                broad.update(*id, proxy.bounds, proxy.reach).unwrap();
            }
        }
        Event::Teleport(id, bounds, reach) => {
            let answer = broad.update(*id, *bounds, *reach);
            match place(*id, model) {
                Some(k) => {
                    answer.unwrap();
                    let proxy = &mut model.bodies[k].1;
                    (proxy.bounds, proxy.reach) = (*bounds, *reach);
                }
                None => assert_eq!(answer, Err(BroadPhaseError::Unknown { id: *id })),
            }
        }
        Event::Groups(id, groups) => {
            if let Some(k) = place(*id, model) {
                model.bodies[k].1.groups = *groups;
                broad.set_groups(*id, *groups).unwrap();
            }
        }
        Event::Exclude(a, b) => {
            if a == b {
                assert_eq!(
                    broad.exclude(*a, *b),
                    Err(BroadPhaseError::SameBody { id: *a })
                );
            } else {
                broad.exclude(*a, *b).unwrap();
                model.excluded.push((*a.min(b), *a.max(b)));
            }
        }
        Event::Readmit(a, b) => {
            let pair = (*a.min(b), *a.max(b));
            assert_eq!(broad.readmit(*a, *b), model.excluded.contains(&pair));
            model.excluded.retain(|excluded| *excluded != pair);
        }
        Event::List => assert_eq!(broad.pairs().unwrap(), model.pairs()),
    }
}

/// After a history the list is that of all pairs, and that of a broad phase that never knew of it.
fn history<const D: usize>(events: &[Event<D>]) {
    let (mut broad, mut model) = (BroadPhase::new(), Model::default());
    for event in events {
        apply(event, &mut broad, &mut model);
    }
    let expected = model.pairs();
    assert_eq!(broad.pairs().unwrap(), expected);
    assert_eq!(model.fresh().pairs().unwrap(), expected);
    model.bodies.reverse();
    assert_eq!(model.fresh().pairs().unwrap(), expected);
}

/// Numbers of bodies, with holes between.
fn number() -> impl Strategy<Value = u32> {
    prop_oneof![0..40u32, Just(1 << 20), Just(u32::MAX)]
}

/// Points, boxes of all sizes, flat ones, also some without end; now and then a half-space.
fn bounds<const D: usize>() -> impl Strategy<Value = Bounds<D>> {
    let extent = prop_oneof![
        4 => 0.05..0.6f64,
        1 => Just(0.0),
        1 => (-6.0..4.0f64).prop_map(|e| 10f64.powf(e)),
        1 => Just(f64::INFINITY),
    ];
    // Places on a grid now and then, so that sides touch.
    let coordinate = prop_oneof![-2.0..2.0f64, (-4..5i32).prop_map(|k| 0.5 * f64::from(k))];
    let extents = [extent.clone(), extent.clone(), extent];
    let centre = [coordinate.clone(), coordinate.clone(), coordinate];
    (extents, centre, 0..12u8).prop_map(|(extent, centre, kind)| {
        let vector = |x: [f64; 3]| SVector::<f64, D>::from_fn(|i, _| x[i]);
        let (centre, extent) = (vector(centre), vector(extent));
        if kind == 0 && centre.norm() > 0.1 {
            let (normal, offset) = (centre.normalize(), centre[0]);
            return Bounds::HalfSpace { normal, offset };
        }
        // Equal sides mostly, as balls have.
        let extent = if kind < 8 {
            SVector::repeat(extent[0])
        } else {
            extent
        };
        Bounds::Box(Aabb {
            lower: centre - extent,
            upper: centre + extent,
        })
    })
}

fn groups() -> impl Strategy<Value = Groups> {
    prop_oneof![
        3 => Just(Groups::default()),
        1 => (0..8u32, 0..8u32).prop_map(|(member, collides_with)| Groups { member, collides_with }),
    ]
}

fn reach() -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), 0.0..0.3f64]
}

fn proxy<const D: usize>() -> impl Strategy<Value = Proxy<D>> {
    (bounds(), reach(), groups(), any::<bool>()).prop_map(|(bounds, reach, groups, fixed)| Proxy {
        bounds,
        reach,
        groups,
        fixed,
    })
}

fn event<const D: usize>() -> impl Strategy<Value = Event<D>> {
    let step = -0.2..0.2f64;
    prop_oneof![
        6 => (number(), proxy()).prop_map(|(id, proxy)| Event::Insert(id, proxy)),
        1 => number().prop_map(Event::Remove),
        8 => (number(), [step.clone(), step.clone(), step])
            .prop_map(|(id, by)| Event::Drift(id, by)),
        2 => (number(), bounds(), reach())
            .prop_map(|(id, bounds, reach)| Event::Teleport(id, bounds, reach)),
        1 => (number(), groups()).prop_map(|(id, groups)| Event::Groups(id, groups)),
        1 => (number(), number()).prop_map(|(a, b)| Event::Exclude(a, b)),
        1 => (number(), number()).prop_map(|(a, b)| Event::Readmit(a, b)),
        2 => Just(Event::List),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn any_history_in_the_plane(events in prop::collection::vec(event::<2>(), 0..150)) {
        history(&events);
    }

    #[test]
    fn any_history_in_space(events in prop::collection::vec(event::<3>(), 0..150)) {
        history(&events);
    }

    /// Bodies on one line of space, in one point, and on a plane.
    #[test]
    fn flat_worlds(
        seeds in prop::collection::vec((-2.0..2.0f64, -2.0..2.0f64, 0.0..0.3f64), 0..80),
        axis in 0..3usize,
        flatness in 0..3usize,
    ) {
        let mut model = Model::<3>::default();
        for (id, (x, y, r)) in (0..).zip(seeds) {
            let mut centre = Vector3::zeros();
            if flatness > 0 { centre[axis] = x; }
            if flatness > 1 { centre[(axis + 1) % 3] = y; }
            let bounds = Bounds::Box(Aabb { lower: centre.add_scalar(-r), upper: centre.add_scalar(r) });
            model.bodies.push((id, Proxy::new(bounds)));
        }
        let mut broad = model.fresh();
        prop_assert_eq!(broad.pairs().unwrap(), model.pairs());
    }

    /// The box is as high as the set along both directions of every axis.
    #[test]
    fn boxes_in_the_plane_are_tight(
        (set, pose) in size().prop_flat_map(|s| (planar_set(s), planar_pose(s)))
    ) {
        tight(&set, pose)?;
    }

    #[test]
    fn boxes_in_space_are_tight(
        (set, pose) in size().prop_flat_map(|s| (spatial_set(s), spatial_pose(s)))
    ) {
        tight(&set, pose)?;
    }

    /// No direction tells of a point outside, and the box is no larger than the closed form says.
    #[test]
    fn boxes_of_ellipsoids_are_tight(
        e in [0.01..3.0f64, 0.01..3.0, 0.01..3.0],
        pose in spatial_pose(1.0),
    ) {
        let set = ConvexSet::from(Ellipsoid::new(Vector3::from(e)).unwrap());
        let placed = Placed::new(&set, pose);
        let Bounds::Box(Aabb { lower, upper }) = placed.bounds() else { unreachable!() };
        let matrix = pose.rotation
            * nalgebra::Matrix3::from_diagonal(&Vector3::from(e.map(|e| e * e)))
            * pose.rotation.transpose();
        for i in 0..3 {
            let extent = matrix[(i, i)].sqrt();
            prop_assert!((upper[i] - pose.position[i] - extent).abs() < 1e-14);
            prop_assert!((lower[i] - pose.position[i] + extent).abs() < 1e-14);
            let top = pose.apply(&set.support(&pose.inverse_rotate(&Vector3::ith(i, 1.0))).unwrap());
            prop_assert!((top[i] - upper[i]).abs() < 1e-14);
        }
    }
}

fn tight<const D: usize>(set: &ConvexSet<D>, pose: Pose<D>) -> Result<(), TestCaseError> {
    let placed = Placed::new(set, pose);
    let Bounds::Box(Aabb { lower, upper }) = placed.bounds() else {
        return Err(TestCaseError::fail("no box"));
    };
    let origin = SVector::zeros();
    let slack = 1e-14 * (pose.position.norm() + set.bounding_radius());
    for i in 0..D {
        let up = SVector::from_fn(|k, _| if k == i { 1.0 } else { 0.0 });
        prop_assert!((upper[i] - support(&placed, &up, &origin)).abs() <= slack);
        prop_assert!((lower[i] + support(&placed, &-up, &origin)).abs() <= slack);
    }
    Ok(())
}

#[test]
fn half_spaces_meet_the_sets_that_reach_into_them() {
    // A slope of 30°, seen from a ball, a box and a needle at several heights.
    let slope = ConvexSet::from(HalfSpace::new(Vector2::new(-0.5, 0.75_f64.sqrt()), 0.25).unwrap());
    let slope = Placed::new(&slope, Pose::from_position(Vector2::new(1.0, 0.5)));
    let Bounds::HalfSpace { normal, offset } = slope.bounds() else {
        panic!("a half-space")
    };
    assert!((offset - (0.25 - 0.5 + 0.5 * 0.75_f64.sqrt())).abs() < 1e-15);
    let sets = [
        ConvexSet::from(Ball::new(0.2).unwrap()),
        Polygon::rectangle(0.6, 0.2).unwrap().into(),
        Capsule::new(0.5, 1e-3).unwrap().into(),
    ];
    for set in &sets {
        for k in 0..40 {
            let place = Vector2::new(0.3, 0.05 * f64::from(k) - 0.6);
            let placed = Placed::new(set, Pose::from_angle(0.3, place));
            let mut broad = BroadPhase::new();
            broad.insert(3, Proxy::new(placed.bounds())).unwrap();
            let fixed = Proxy {
                fixed: true,
                ..Proxy::new(slope.bounds())
            };
            broad.insert(1, fixed).unwrap();
            let near = broad.pairs().unwrap() == [(1, 3)];
            let Bounds::Box(Aabb { lower, upper }) = placed.bounds() else {
                panic!("a box")
            };
            // Its lowest corner along (−, +) is at the right and at the bottom.
            let lowest = normal.dot(&Vector2::new(upper.x, lower.y));
            assert_eq!(near, lowest <= offset);
            // What is deep in the half-space is never missed.
            let depth = -support(&placed, &-normal, &Vector2::zeros()) - offset;
            assert!(near || depth > 0.0);
        }
    }
    for m in planar_directions(&slope, &slope) {
        assert!((m.norm() - 1.0).abs() < 1e-12);
    }
    assert_eq!(spatial_directions().len(), 500);
}

#[test]
fn sizes_from_a_micrometre_to_ten_kilometres() {
    // Each ball touches its neighbours in a row whose radii double, from 1e-6 m to 1e4 m, and no other.
    let mut model = Model::<3>::default();
    let (mut x, mut r) = (0.0, 1e-6);
    for id in 0..34 {
        let ball = ConvexSet::from(Ball::new(r).unwrap());
        let pose = Pose::from_position(Vector3::new(x, 0.0, 0.0));
        let bounds = Placed::new(&ball, pose).bounds();
        model.bodies.push((
            id,
            Proxy {
                reach: 1e-9 * r,
                ..Proxy::new(bounds)
            },
        ));
        x += 3.0 * r;
        r *= 2.0;
    }
    let neighbours: Vec<_> = (0..33).map(|k| (k, k + 1)).collect();
    assert_eq!(model.fresh().pairs().unwrap(), neighbours);
    assert_eq!(model.pairs(), neighbours);
}

#[test]
fn faults_are_named_and_change_nothing() {
    let square = |x: f64| {
        Bounds::Box(Aabb {
            lower: Vector2::new(x, 0.0),
            upper: Vector2::new(x + 1.0, 1.0),
        })
    };
    let mut broad = BroadPhase::new();
    for id in [7, 3, 5] {
        broad
            .insert(id, Proxy::new(square(0.4 * f64::from(id))))
            .unwrap();
    }
    let before = broad.pairs().unwrap().to_vec();
    assert_eq!(before, [(3, 5), (5, 7)]);
    let mut told = |bounds, reach| broad.update(5, bounds, reach).unwrap_err().to_string();
    insta::assert_snapshot!(told(square(f64::NAN), 0.0), @"the bounds of body 5 are no box along axis 0: NaN to NaN");
    insta::assert_snapshot!(told(square(f64::INFINITY), 0.0), @"the bounds of body 5 are no box along axis 0: inf to inf");
    insta::assert_snapshot!(told(square(0.0), -0.5), @"the reach of body 5 is -0.5, it must be at least 0");
    insta::assert_snapshot!(told(square(0.0), f64::NAN), @"the reach of body 5 is NaN, it must be at least 0");
    let upside_down = Bounds::Box(Aabb {
        lower: Vector2::new(0.0, 1.0),
        upper: Vector2::new(1.0, 0.0),
    });
    insta::assert_snapshot!(told(upside_down, 0.0), @"the bounds of body 5 are no box along axis 1: 1 to 0");
    let half = Bounds::HalfSpace {
        normal: Vector2::y(),
        offset: f64::NAN,
    };
    insta::assert_snapshot!(told(half, 0.0), @"the half-space of body 5 has an offset of NaN or a normal that is not finite");
    insta::assert_snapshot!(broad.insert(3, Proxy::new(square(0.0))).unwrap_err(), @"there is a body 3 already");
    insta::assert_snapshot!(broad.remove(4).unwrap_err(), @"there is no body 4");
    insta::assert_snapshot!(broad.exclude(4, 4).unwrap_err(), @"body 4 is no pair with itself");
    assert_eq!(broad.pairs().unwrap(), before);

    broad.max_pairs = 1;
    broad.set_groups(3, Groups::default()).unwrap();
    insta::assert_snapshot!(broad.pairs().unwrap_err(), @"more than 1 pairs of boxes overlap");
    broad.max_pairs = 2;
    assert_eq!(broad.pairs().unwrap(), before);
    broad.clear();
    assert!(broad.is_empty() && broad.pairs().unwrap().is_empty());
}

#[test]
fn bodies_far_from_each_other_cost_no_pairs() {
    // All in one spot but in groups that ignore each other: the limit on pairs is not met.
    let mut broad = BroadPhase::<3>::new();
    broad.max_pairs = 0;
    let bounds = Bounds::Box(Aabb {
        lower: Vector3::zeros(),
        upper: Vector3::repeat(1.0),
    });
    let groups = Groups {
        member: 2,
        collides_with: 1,
    };
    for id in 0..500 {
        let proxy = Proxy {
            groups,
            ..Proxy::new(bounds)
        };
        broad.insert(id, proxy).unwrap();
    }
    assert!(broad.pairs().unwrap().is_empty());
}
