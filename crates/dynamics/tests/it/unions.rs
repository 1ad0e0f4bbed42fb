//! Bodies made of several convex pieces: names, masses, and contacts of flush pieces.

use nalgebra::{UnitQuaternion, Vector2, Vector3};
use signorini_dynamics::{
    Body, ContactQuery, Contacts, Inertia, Motion, OtherEnd, Pairs, System, World, centred,
};
use signorini_geometry::{
    Ball, ConvexSet, Ellipsoid, HalfSpace, Polygon, Polytope, Pose, Shape, Union,
};

use crate::implicit::check_shapes;

fn at(x: f64, y: f64, z: f64) -> Pose<3> {
    Pose::from_position(Vector3::new(x, y, z))
}

fn cube() -> ConvexSet<3> {
    Polytope::cuboid(2.0, 2.0, 2.0).unwrap().into()
}

/// Names, gaps and normals of all contacts within a margin.
fn contacts<const D: usize>(world: &World<D>, margin: f64) -> Vec<(String, f64, Vec<f64>)> {
    let mut contacts = Contacts::default();
    let query = ContactQuery {
        margin,
        include: &[],
    };
    let q = world.initial_state().q;
    world.contacts(0.0, &q, &query, &mut contacts).unwrap();
    assert!(contacts.id.is_sorted_by(|a, b| a < b));
    let normals = contacts.normal.chunks(D);
    let all = contacts.id.iter().zip(&contacts.gap).zip(normals);
    all.map(|((&id, &gap), n)| (world.contact_name(id), gap, n.to_vec()))
        .collect()
}

fn names<const D: usize>(world: &World<D>, margin: f64) -> Vec<String> {
    contacts(world, margin).into_iter().map(|c| c.0).collect()
}

/// A ball of radius r at this place over a ground, in the world that holds them.
fn over(ground: Vec<Body<3>>, r: f64, x: [f64; 3]) -> World<3> {
    let mut world = World::new();
    for body in ground {
        world.add(body).unwrap();
    }
    let mut ball = Body::solid("ball", Ball::new(r).unwrap(), 1.0).unwrap();
    ball.position[..3].copy_from_slice(&x);
    world.add(ball).unwrap();
    world
}

fn cubes_apart(n: usize) -> Vec<Body<3>> {
    let one = |k: usize| {
        let mut body = Body::fixed(format!("cube{k}"), cube());
        body.position[..3].copy_from_slice(&[2.0 * k as f64, 0.0, -1.0]);
        body
    };
    (0..n).map(one).collect()
}

fn cubes_as_one(n: usize) -> Vec<Body<3>> {
    let pieces = (0..n).map(|k| (cube(), at(2.0 * k as f64, 0.0, -1.0)));
    vec![Body::fixed("row", Union::new(pieces).unwrap())]
}

#[test]
fn a_moving_union_has_the_mass_of_its_pieces_about_their_centroid() {
    // Two bars as an L: 3 × 1 lying, 1 × 2 standing on its left end; by the parallel axes.
    let bars = [(3.0, 1.0, 0.0, 0.0), (1.0, 2.0, -1.0, 1.5)];
    let pieces = bars.map(|(w, h, x, y)| {
        let bar = Polygon::rectangle(w, h).unwrap();
        (bar, Pose::from_position(Vector2::new(x, y)))
    });
    let shape = Shape::from(Union::new(pieces).unwrap());
    assert!(
        Body::solid("angle", shape.clone(), 5.0).is_err(),
        "off centre"
    );
    let (shape, centroid) = centred(&shape).unwrap();
    assert!((centroid - Vector2::new(-0.4, 0.6)).norm() < 1e-15);
    let body = Body::solid("angle", shape, 5.0).unwrap();
    let Motion::Moving {
        mass,
        inertia: Inertia::Scalar(j),
    } = body.motion
    else {
        panic!("it moves");
    };
    let own = [3.0 * (9.0 + 1.0) / 12.0, 2.0 * (1.0 + 4.0) / 12.0];
    let shifted =
        3.0 * (0.4_f64.powi(2) + 0.6_f64.powi(2)) + 2.0 * (0.6_f64.powi(2) + 0.9_f64.powi(2));
    assert!((mass - 5.0).abs() < 1e-15 && (j - (own[0] + own[1] + shifted)).abs() < 1e-13);
}

#[test]
fn the_pieces_are_named_in_their_contacts() {
    let mut world = World::<3>::new();
    world.add(Body::fixed("table", HalfSpace::up())).unwrap();
    let feet = [-1.0, 1.0].map(|x| (ConvexSet::from(Ball::new(0.5).unwrap()), at(x, 0.0, 0.0)));
    let mut body = Body::solid("dumbbell", Union::new(feet).unwrap(), 2.0).unwrap();
    body.position[2] = 0.5;
    world.add(body).unwrap();
    assert_eq!(
        names(&world, 0.1),
        ["table/dumbbell[0]#0", "table/dumbbell[1]#0"]
    );
    let q = world.initial_state().q;
    let mut pairs = Pairs::default();
    let implicit = world.implicit().unwrap();
    implicit.pairs(&q, 0.1, &mut pairs).unwrap();
    let found: Vec<_> = pairs.layouts.iter().map(|pair| pair.id.pieces).collect();
    assert_eq!(found, [[0, 0], [0, 1]]);
    // Listed contacts are reported whatever their gap.
    let mut all = Contacts::default();
    let listed: Vec<_> = pairs.layouts.iter().map(|pair| pair.id).collect();
    let query = ContactQuery {
        margin: f64::NEG_INFINITY,
        include: &listed[1..],
    };
    world.contacts(0.0, &q, &query, &mut all).unwrap();
    assert_eq!(all.id, listed[1..]);
}

/// A ball at any place over two flush cubes has one contact, straight up, whoever the cubes belong to.
#[test]
fn flush_cubes_are_one_surface() {
    for ground in [cubes_apart(2), cubes_as_one(2)] {
        for offset in [
            -0.3, -1e-3, -1e-7, -1e-10, 0.0, 3e-16, 1e-10, 1e-7, 1e-3, 0.3,
        ] {
            for depth in [0.0, 1e-10, 1e-6, 1e-3] {
                let world = over(ground.clone(), 0.1, [1.0 + offset, 0.2, 0.1 - depth]);
                let found = contacts(&world, 0.05);
                assert_eq!(found.len(), 1, "{offset} {depth} {found:?}");
                let (_, gap, normal) = &found[0];
                assert_eq!(normal, &[0.0, 0.0, 1.0], "{offset} {depth}");
                assert!((gap + depth).abs() < 1e-15, "{offset} {depth} {gap}");
            }
        }
    }
}

/// A thin peg that has sunk into the joint by more than its half width is pushed up, not sideways.
#[test]
fn what_sinks_into_a_joint_is_pushed_out_through_the_surface() {
    for ground in [cubes_apart(2), cubes_as_one(2)] {
        let mut world = World::<3>::new();
        for body in ground {
            world.add(body).unwrap();
        }
        let peg = Polytope::cuboid(0.01, 0.01, 1.0).unwrap();
        let mut peg = Body::solid("peg", peg, 1.0).unwrap();
        peg.position[..3].copy_from_slice(&[1.0, 0.0, 0.48]);
        world.add(peg).unwrap();
        let found = contacts(&world, 0.0);
        assert!(!found.is_empty());
        for (name, gap, normal) in &found {
            assert_eq!(normal, &[0.0, 0.0, 1.0], "{name}");
            assert!((gap + 0.02).abs() < 1e-15, "{name} {gap}");
        }
    }
}

/// A brick turned about y whose lowest edge is 5 mm below the joint of cubes: for each pair the nearest face is a side of the
/// brick, over the edge of a cube that is none, and what counts is the way up at both ends of the edge.
#[test]
fn an_edge_that_sinks_into_a_joint_is_pushed_out_along_its_length() {
    let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), -0.5);
    let edge = turn * Vector3::new(-0.2, 0.0, -0.05);
    for ground in [cubes_apart(2), cubes_as_one(2)] {
        let mut world = World::<3>::new();
        for body in ground {
            world.add(body).unwrap();
        }
        let brick = Polytope::cuboid(0.4, 0.2, 0.1).unwrap();
        let mut brick = Body::solid("brick", brick, 1.0).unwrap();
        let place = [1.0 - edge.x, 0.0, -0.005 - edge.z];
        brick.position[..3].copy_from_slice(&place);
        brick.position[3..7].copy_from_slice(&[turn.w, turn.i, turn.j, turn.k]);
        world.add(brick).unwrap();
        let mut found = Contacts::default();
        let query = ContactQuery::default();
        world
            .contacts(0.0, &world.initial_state().q, &query, &mut found)
            .unwrap();
        assert_eq!(found.len(), 2, "{found:?}");
        for (k, end) in [-0.1, 0.1].into_iter().enumerate() {
            assert_eq!(found.normal[3 * k..3 * k + 3], [0.0, 0.0, 1.0]);
            assert!((found.gap[k] + 0.005).abs() < 1e-15, "{}", found.gap[k]);
            let point = Vector3::from_column_slice(&found.point[3 * k..3 * k + 3]);
            assert!(
                (point - Vector3::new(1.0, end, -0.0025)).norm() < 1e-15,
                "{point}"
            );
        }
    }
}

/// The piece that a disc is over has the contact, deep or not, and not the neighbour that the disc is in too.
#[test]
fn a_contact_has_the_name_of_the_piece_that_is_under_it() {
    let bar = ConvexSet::from(Polygon::rectangle(1.0, 0.2).unwrap());
    let bars = [-0.5, 0.5].map(|x| (bar.clone(), Pose::from_position(Vector2::new(x, -0.1))));
    let bars = Body::fixed("bars", Union::new(bars).unwrap());
    for (x, piece) in [(-0.001, 0), (0.001, 1)] {
        for height in [0.101, 0.0999, 0.09] {
            let mut world = World::<2>::new();
            world.add(bars.clone()).unwrap();
            let mut disc = Body::solid("disc", Ball::new(0.1).unwrap(), 1.0).unwrap();
            disc.position[..2].copy_from_slice(&[x, height]);
            world.add(disc).unwrap();
            let found = contacts(&world, 0.01);
            assert_eq!(found.len(), 1, "{found:?}");
            assert_eq!(found[0].0, format!("bars[{piece}]/disc#0"));
            assert_eq!(found[0].2, [0.0, 1.0]);
            assert!((found[0].1 - (height - 0.1)).abs() < 1e-15);
        }
    }
}

/// A disc that is over one bar at the start of a step and in the next at its end: the contact there is asked for at the start.
#[test]
fn a_contact_across_a_seam_is_known_at_the_start_of_the_step() {
    let bar = ConvexSet::from(Polygon::rectangle(1.0, 0.2).unwrap());
    let bars = [-0.5, 0.5].map(|x| (bar.clone(), Pose::from_position(Vector2::new(x, -0.1))));
    let mut world = World::<2>::new();
    world
        .add(Body::fixed("bars", Union::new(bars).unwrap()))
        .unwrap();
    let mut disc = Body::solid("disc", Ball::new(0.1).unwrap(), 1.0).unwrap();
    disc.position[..2].copy_from_slice(&[-0.01, 0.105]);
    world.add(disc).unwrap();
    let start = world.initial_state().q;
    let end = [0.01, 0.095, 0.0];
    let (mut late, mut early) = (Contacts::default(), Contacts::default());
    let query = ContactQuery::default();
    let way = (&end[..], OtherEnd::Start(&start));
    world.contacts_of_step(0.0, way, &query, &mut late).unwrap();
    assert_eq!(late.len(), 1);
    assert_eq!(late.id[0].pieces, [1, 0]);
    let query = ContactQuery {
        margin: 0.0,
        include: &late.id,
    };
    let way = (&start[..], OtherEnd::End(&end));
    world
        .contacts_of_step(0.0, way, &query, &mut early)
        .unwrap();
    assert_eq!(early.id, late.id);
    assert_eq!(early.normal, [0.0, 1.0]);
    assert!((early.gap[0] - 0.005).abs() < 1e-15, "{}", early.gap[0]);
}

/// In the corner of the plane the tip of a triangle that is in floor and wall by 1 mm is pushed out of both.
#[test]
fn a_tip_in_an_inner_corner_is_in_floor_and_wall() {
    let bar = |width, height| ConvexSet::from(Polygon::rectangle(width, height).unwrap());
    let place = |x, y| Pose::from_position(Vector2::new(x, y));
    let pieces = [
        (bar(0.4, 0.6), place(-0.2, 0.1)),
        (bar(0.8, 0.2), place(0.4, -0.1)),
    ];
    let mut world = World::<2>::new();
    world
        .add(Body::fixed("corner", Union::new(pieces).unwrap()))
        .unwrap();
    let corners = [[-0.1, -0.08], [0.1, -0.08], [0.0, 0.16]].map(Vector2::from);
    let mut tip = Body::solid("tip", Polygon::new(corners).unwrap(), 1.0).unwrap();
    let (sin, cos) = 0.2_f64.sin_cos();
    let foot = [-0.1 * cos + 0.08 * sin, -0.1 * sin - 0.08 * cos];
    tip.position = vec![-1e-3 - foot[0], -1e-3 - foot[1], 0.2];
    world.add(tip).unwrap();
    let found = contacts(&world, 0.0);
    for normal in [[1.0, 0.0], [0.0, 1.0]] {
        let along = found.iter().filter(|c| c.2 == normal);
        assert!(along.clone().count() == 1, "{found:?}");
        assert!(
            along.into_iter().all(|c| (c.1 + 1e-3).abs() < 1e-15),
            "{found:?}"
        );
    }
    assert_eq!(found.len(), 2, "{found:?}");
}

#[test]
fn a_real_edge_stays_one() {
    // The ball has its middle beyond the end of the row, and leans on its edge.
    for ground in [cubes_apart(2), cubes_as_one(2)] {
        let world = over(ground, 0.1, [3.06, 0.0, 0.08]);
        let found = contacts(&world, 0.01);
        assert_eq!(found.len(), 1);
        let n = Vector3::from_column_slice(&found[0].2);
        assert!((n - Vector3::new(0.6, 0.0, 0.8)).norm() < 1e-12, "{n}");
    }
}

/// In the corner of a floor and a wall that stands on it both count, also where the body is in them by a little.
#[test]
fn in_a_concave_corner_both_sides_count() {
    let pieces = [(cube(), at(0.0, 0.0, -1.0)), (cube(), at(2.0, 0.0, 0.0))];
    let step = Body::fixed("step", Union::new(pieces).unwrap());
    for depth in [-1e-7, 0.0, 1e-9, 1e-5] {
        let mut world = World::<3>::new();
        world.add(step.clone()).unwrap();
        let brick = Polytope::cuboid(0.2, 0.2, 0.2).unwrap();
        let mut brick = Body::solid("brick", brick, 1.0).unwrap();
        brick.position[..3].copy_from_slice(&[0.9 + depth, 0.0, 0.1 - depth]);
        world.add(brick).unwrap();
        let found = contacts(&world, 1e-4);
        let along = |axis: usize, sign: f64| {
            let is = |n: &[f64]| (n[axis] - sign).abs() < 1e-12;
            found.iter().filter(|c| is(&c.2)).count()
        };
        assert_eq!(along(2, 1.0), 4, "{depth} {found:?}");
        assert_eq!(along(0, -1.0), 4, "{depth} {found:?}");
        assert_eq!(found.len(), 8, "{depth} {found:?}");
    }
}

/// A box on the joint has its four corners and no edge between the cubes pushes it sideways.
#[test]
fn a_box_on_a_joint_is_pushed_up_only() {
    for ground in [cubes_apart(2), cubes_as_one(2)] {
        for (x, depth) in [(1.0, 0.0), (1.0, 1e-6), (1.0999, 1e-3), (0.900_000_1, 1e-5)] {
            let mut world = World::<3>::new();
            for body in &ground {
                world.add(body.clone()).unwrap();
            }
            let brick = Polytope::cuboid(0.2, 0.2, 0.2).unwrap();
            let mut brick = Body::solid("brick", brick, 1.0).unwrap();
            brick.position[..3].copy_from_slice(&[x, 0.0, 0.1 - depth]);
            world.add(brick).unwrap();
            let found = contacts(&world, 1e-4);
            assert!(found.len() >= 4, "{x} {depth} {found:?}");
            for (name, gap, normal) in &found {
                assert_eq!(normal, &[0.0, 0.0, 1.0], "{name} at {x} {depth}");
                assert!((gap + depth).abs() < 1e-12, "{name} at {x} {depth}: {gap}");
            }
        }
    }
}

/// In the plane: a disc and a box on two flush bars, as one body and as two.
#[test]
fn flush_bars_of_the_plane_are_one_line() {
    let bar = ConvexSet::from(Polygon::rectangle(2.0, 1.0).unwrap());
    let place = |x: f64| Pose::from_position(Vector2::new(x, -0.5));
    let one = Union::new([-1.0, 1.0].map(|x| (bar.clone(), place(x)))).unwrap();
    let as_one = vec![Body::<2>::fixed("bars", one)];
    let apart = [-1.0, 1.0].map(|x| {
        let mut body = Body::<2>::fixed(format!("bar at {x}"), bar.clone());
        body.position[..2].copy_from_slice(&[x, -0.5]);
        body
    });
    let disc = Body::solid("body", Ball::new(0.1).unwrap(), 1.0).unwrap();
    let block = Body::solid("body", Polygon::rectangle(0.2, 0.2).unwrap(), 1.0).unwrap();
    for ground in [as_one, apart.to_vec()] {
        for (body, x, depth) in [
            (&disc, 0.03, 0.0),
            (&disc, -0.03, 1e-4),
            (&disc, 0.0, 1e-9),
            (&block, 0.0, 0.0),
            (&block, 0.0999, 1e-3),
            (&block, -0.1, 1e-6),
        ] {
            let mut world = World::new();
            for bar in &ground {
                world.add(bar.clone()).unwrap();
            }
            let mut body = body.clone();
            body.position[..2].copy_from_slice(&[x, 0.1 - depth]);
            world.add(body).unwrap();
            let found = contacts(&world, 1e-3);
            assert!(!found.is_empty(), "{x} {depth}");
            for (name, gap, normal) in found {
                assert_eq!(normal, [0.0, 1.0], "{name} at {x} {depth}");
                assert!((gap + depth).abs() < 1e-12, "{name} at {x} {depth}: {gap}");
            }
        }
    }
}

/// The seam may be that of the moving body: a plank of two boards slides over a fixed ball.
#[test]
fn the_joint_of_a_moving_body_is_none_either() {
    for x in [-0.02, -1e-9, 0.0, 1e-9, 0.02] {
        let boards = [-1.0, 1.0].map(|at_x| (cube(), at(at_x, 0.0, 0.0)));
        let mut plank = Body::solid("plank", Union::new(boards).unwrap(), 1.0).unwrap();
        plank.position[..3].copy_from_slice(&[x, 0.0, 1.1 + 1e-4]);
        let mut world = World::<3>::new();
        world.add(plank).unwrap();
        world
            .add(Body::fixed("ball", Ball::new(0.1).unwrap()))
            .unwrap();
        let found = contacts(&world, 0.01);
        assert_eq!(found.len(), 1, "{x} {found:?}");
        assert_eq!(found[0].2, [0.0, 0.0, -1.0], "{x}");
    }
}

#[test]
fn contacts_of_pieces_that_there_are_not_are_refused() {
    let mut world = over(cubes_as_one(2), 0.1, [1.0, 0.0, 0.1]);
    let id = |piece: u32| signorini_dynamics::ContactId {
        a: 0,
        b: 1,
        pieces: [piece, 0],
        feature: 0,
    };
    assert!(world.may_touch(id(1)) && !world.may_touch(id(2)));
    let [a, b] = ["row", "ball"].map(|name| world.body(name).unwrap());
    world.exclude(a, b).unwrap();
    assert!(!world.may_touch(id(1)));
}

/// Rows and derivatives of a piece that is turned and off the body's origin.
#[test]
fn implicit_derivatives_know_where_a_piece_is() {
    let egg = Ellipsoid::new(Vector3::new(0.5, 0.3, 0.4)).unwrap();
    let turned = Pose {
        position: Vector3::new(0.3, -0.2, 0.25),
        ..Pose::from_quaternion([0.8, 0.2, -0.5, 0.3], Vector3::zeros())
    };
    let piece = Shape::from(Union::new([(egg, turned)]).unwrap());
    check_shapes(&[piece.clone(), Shape::from(egg)], 1e-9);
    check_shapes(&[Shape::from(egg), piece], 1e-9);
    let brick = Polygon::rectangle(0.6, 0.4).unwrap();
    let turned = Pose::from_angle(0.4, Vector2::new(0.3, -0.2));
    let piece = Shape::from(Union::new([(brick, turned)]).unwrap());
    check_shapes(&[piece, Shape::from(Ball::new(0.4).unwrap())], 1e-8);
}
