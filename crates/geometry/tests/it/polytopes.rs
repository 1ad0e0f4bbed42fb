//! Polytopes: hulls, mass, and their closest points against those of the same bodies by inequalities.

use nalgebra::{Matrix3, Vector3};
use signorini_geometry::{
    Ball, Capsule, ClosestPoints, ConvexSet, HalfSpace, Intersection, Manifold, Part, Placed,
    Polygon, Polytope, Pose, Rounded, ShapeError, Surface, Uniqueness, closest_points, manifold,
    mass_properties_of_density,
};

use crate::support::Lcg;

fn vector(random: &mut Lcg, reach: f64) -> Vector3<f64> {
    Vector3::from_fn(|_, _| reach * (2.0 * random.unit() - 1.0))
}

fn pose(random: &mut Lcg, reach: f64) -> Pose<3> {
    let q = [0; 4].map(|_| 2.0 * random.unit() - 1.0);
    Pose::from_quaternion(q, vector(random, reach))
}

/// A box, a prism, a small hull or a larger one.
fn polytope(random: &mut Lcg, kind: usize) -> Polytope<3> {
    let mut length = || 0.2 + random.unit();
    match kind % 4 {
        0 => Polytope::cuboid(length(), length(), length()).unwrap(),
        1 => {
            let base = Polygon::regular(3 + kind % 5, length()).unwrap();
            Polytope::prism(&base, length()).unwrap()
        }
        2 => Polytope::new((0..6).map(|_| vector(random, 0.7))).unwrap(),
        _ => Polytope::new((0..14).map(|_| vector(random, 0.7))).unwrap(),
    }
}

/// The same body as inequalities.
fn inequalities(polytope: &Polytope<3>) -> ConvexSet<3> {
    let plane =
        |i| Part::from(HalfSpace::new(*polytope.face_normal(i), polytope.face_offset(i)).unwrap());
    Intersection::new((0..polytope.faces()).map(plane))
        .unwrap()
        .into()
}

fn separation(a: &Placed<'_, 3>, b: &Placed<'_, 3>, n: &Vector3<f64>) -> f64 {
    let along = |body: &Placed<'_, 3>, n: Vector3<f64>| {
        let support = body.set.support(&body.pose.inverse_rotate(&n)).unwrap();
        n.dot(&body.pose.apply(&support))
    };
    -along(b, -*n) - along(a, *n)
}

/// The certificate: points at the distance of the support planes, on both bodies if they are apart.
fn judge(a: &Placed<'_, 3>, b: &Placed<'_, 3>, closest: &ClosestPoints<3>, what: &str) {
    let ClosestPoints { gap, normal, .. } = closest;
    assert!((normal.norm() - 1.0).abs() < 1e-13, "{what}");
    assert!(
        (closest.b - closest.a - normal * *gap).norm() < 1e-12,
        "{what}"
    );
    let along = separation(a, b, normal);
    assert!((along - gap).abs() < 3e-12, "{what}: {along} {gap}");
    let inside = a.value(&closest.a).max(b.value(&closest.b));
    assert!(inside < 1e-11, "{what}: {inside}");
}

#[test]
fn hulls_are_closed_and_hold_all_points() {
    let mut random = Lcg::new(1);
    for count in [4, 5, 8, 20, 100, 400] {
        let points: Vec<_> = (0..count).map(|_| vector(&mut random, 1.0)).collect();
        let hull = Polytope::new(points.iter().copied()).unwrap();
        let (v, e, f) = (hull.vertices().len(), hull.edges().len(), hull.faces());
        assert_eq!(v + f, e + 2);
        assert!(points.iter().all(|x| hull.value(x) < 1e-12));
        assert!(
            hull.vertices()
                .iter()
                .all(|x| points.contains(x) && hull.value(x) > -1e-12)
        );
        // The hull of the hull is itself.
        assert_eq!(
            Polytope::new(hull.vertices().iter().copied())
                .unwrap()
                .faces(),
            f
        );
    }
}

#[test]
fn coplanar_collinear_and_repeated_points_are_merged() {
    // Every point of a grid on and in a cube, twice, turned anyhow.
    let mut random = Lcg::new(2);
    for _ in 0..20 {
        let turn = pose(&mut random, 3.0);
        let grid = (0..250).map(|i| {
            let x = Vector3::new(i % 5, (i / 5) % 5, (i / 25) % 5).map(|k| 0.25 * f64::from(k));
            turn.apply(&x)
        });
        let cube = Polytope::new(grid).unwrap();
        assert_eq!(
            (cube.vertices().len(), cube.edges().len(), cube.faces()),
            (8, 12, 6)
        );
        let mass = mass_properties_of_density(&cube.clone().into(), 2.0).unwrap();
        assert!((mass.mass - 2.0).abs() < 1e-12);
        assert!((mass.centroid - turn.apply(&Vector3::repeat(0.5))).norm() < 1e-12);
        assert!((mass.inertia - Matrix3::identity() / 3.0).amax() < 1e-12);
        assert_eq!(cube.outline(&turn.rotate(&Vector3::z())).len(), 4);
        assert_eq!(cube.outline(&turn.rotate(&Vector3::repeat(1.0))).len(), 6);
    }
}

#[test]
fn mass_of_prisms_and_hulls() {
    // Triangle with legs 3 and 4, height 2, far from its origin.
    let wedge = Polytope::prism(
        &Polygon::new([[0.0, 0.0], [3.0, 0.0], [0.0, 4.0]]).unwrap(),
        2.0,
    );
    let wedge = wedge.unwrap().translated(&Vector3::new(100.0, -50.0, 20.0));
    let mass = mass_properties_of_density(&wedge.into(), 1.0).unwrap();
    assert!((mass.mass - 12.0).abs() < 1e-11);
    assert!((mass.centroid - Vector3::new(101.0, -50.0 + 4.0 / 3.0, 20.0)).norm() < 1e-12);
    // About the centroid: ∫x² = m a²/18, ∫xy = −m a b/36, ∫z² = m h²/12.
    let (xx, yy, xy, zz) = (12.0 * 0.5, 12.0 * 16.0 / 18.0, -12.0 * 12.0 / 36.0, 4.0);
    let inertia = Matrix3::new(yy + zz, -xy, 0.0, -xy, xx + zz, 0.0, 0.0, 0.0, xx + yy);
    assert!((mass.inertia - inertia).amax() < 1e-11, "{}", mass.inertia);
    // Hulls against the quadrature of their inequalities.
    let mut random = Lcg::new(3);
    for kind in 0..8 {
        let body = polytope(&mut random, kind);
        let ours = mass_properties_of_density(&body.clone().into(), 1.0).unwrap();
        let other = mass_properties_of_density(&inequalities(&body), 1.0).unwrap();
        assert!((ours.mass / other.mass - 1.0).abs() < 1e-9);
        assert!((ours.inertia - other.inertia).amax() < 1e-9 * other.inertia.amax());
    }
}

#[test]
fn data_that_form_no_polytope_are_refused_by_name() {
    let plane = [
        [0.0, 0.0, 1.0],
        [1.0, 0.0, 1.0],
        [0.0, 1.0, 1.0],
        [1.0, 1.0, 1.0],
    ];
    let refused = |points: &[[f64; 3]]| Polytope::new(points.iter().copied()).unwrap_err();
    assert_eq!(refused(&plane[..3]), ShapeError::FewPoints { found: 3 });
    let flat = |dimension| move |e: &ShapeError| matches!(e, ShapeError::FlatPolytope { dimension: d, .. } if *d == dimension);
    assert!(flat(2)(&refused(&plane)));
    assert!(flat(1)(&refused(&[[0.0; 3], [1.0; 3], [2.0; 3], [3.0; 3]])));
    assert!(flat(0)(&refused(&[[1.0; 3]; 5])));
    let nan = refused(&[
        [0.0; 3],
        [1.0, 0.0, 0.0],
        [0.0, f64::NAN, 0.0],
        [0.0, 0.0, 1.0],
    ]);
    assert!(matches!(nan, ShapeError::NotFinite { .. }));
    assert!(matches!(
        Polytope::cuboid(1.0, 0.0, 1.0),
        Err(ShapeError::NotPositive { .. })
    ));
}

#[test]
fn closest_points_agree_with_those_of_the_inequalities() {
    let mut random = Lcg::new(4);
    let bodies: Vec<_> = (0..24).map(|kind| polytope(&mut random, kind)).collect();
    let others: Vec<_> = bodies.iter().map(inequalities).collect();
    let sets: Vec<_> = bodies.into_iter().map(ConvexSet::from).collect();
    let (mut agreed, mut overlapping, mut refused) = (0, 0, 0);
    for case in 0..2000 {
        let pair = [case % 24, (case / 5) % 24];
        let poses = [pose(&mut random, 0.0), pose(&mut random, 1.0)];
        let [a, b] = [0, 1].map(|k| Placed::new(&sets[pair[k]], poses[k]));
        let ours = closest_points(&a, &b).unwrap();
        judge(&a, &b, &ours, &format!("case {case}"));
        let back = closest_points(&b, &a).unwrap();
        assert!((back.gap - ours.gap).abs() < 1e-12, "case {case}");
        overlapping += usize::from(ours.gap < 0.0);
        let [p, q] = [0, 1].map(|k| Placed::new(&others[pair[k]], poses[k]));
        match closest_points(&p, &q) {
            Ok(other) => {
                assert!(
                    (other.gap - ours.gap).abs() < 1e-12,
                    "case {case}: {} {}",
                    ours.gap,
                    other.gap
                );
                agreed += 1;
            }
            Err(_) => refused += 1,
        }
    }
    assert!(
        agreed >= 1900 && overlapping > 300,
        "{agreed} {overlapping} {refused}"
    );
}

#[test]
fn rounded_sets_balls_and_capsules_next_to_polytopes() {
    let mut random = Lcg::new(5);
    for case in 0..600 {
        let body = polytope(&mut random, case);
        let sets: [ConvexSet<3>; 2] = [
            Rounded::new(body.clone(), 0.05).unwrap().into(),
            match case % 3 {
                0 => Ball::new(0.2).unwrap().into(),
                1 => Capsule::new(0.4, 0.1).unwrap().into(),
                _ => Rounded::new(polytope(&mut random, case / 3), 0.1)
                    .unwrap()
                    .into(),
            },
        ];
        let poses = [pose(&mut random, 0.0), pose(&mut random, 1.2)];
        let [a, b] = [0, 1].map(|k| Placed::new(&sets[k], poses[k]));
        let ours = closest_points(&a, &b).unwrap();
        let along = separation(&a, &b, &ours.normal);
        assert!((along - ours.gap).abs() < 3e-12, "case {case}");
        assert!((ours.b - ours.a - ours.normal * ours.gap).norm() < 1e-12);
        let core: ConvexSet<3> = Rounded::new(inequalities(&body), 0.05).unwrap().into();
        if let Ok(other) = closest_points(&Placed::new(&core, poses[0]), &b) {
            assert!((other.gap - ours.gap).abs() < 2e-12, "case {case}");
        }
    }
}

fn contacts(a: &Placed<'_, 3>, b: &Placed<'_, 3>) -> Vec<(u32, Vector3<f64>, f64)> {
    let mut out = Manifold::new();
    manifold(a, b, &mut out).unwrap();
    let reach = a.set.bounding_radius() + b.set.bounding_radius();
    let deepest = out.deepest().unwrap().closest;
    let closest = closest_points(a, b).unwrap();
    // Free points may be 1e-12 of the size apart from each other.
    assert!((deepest.gap - closest.gap).abs() < 1e-12 * reach);
    if closest.uniqueness == Uniqueness::Unique {
        let parts = |c: &ClosestPoints<3>| (c.a, c.b, c.normal, c.gap);
        assert_eq!(parts(&deepest), parts(&closest));
    }
    let points = out.points().iter();
    points
        .map(|p| (p.feature, p.closest.a, p.closest.gap))
        .collect()
}

#[test]
fn bodies_rest_on_as_many_points_as_their_faces_have() {
    let ground = ConvexSet::from(HalfSpace::up());
    let floor = Placed::new(&ground, Pose::identity());
    let slab = ConvexSet::from(Polytope::cuboid(4.0, 4.0, 1.0).unwrap());
    let table = Placed::new(&slab, Pose::from_position(-Vector3::z() * 0.5));
    let prism = Polytope::prism(&Polygon::regular(3, 0.5).unwrap(), 0.8).unwrap();
    let cuboid = Polytope::cuboid(0.6, 0.5, 0.4).unwrap();
    for (body, height, count) in [(prism, 0.4, 3), (cuboid, 0.2, 4)] {
        let set = ConvexSet::from(body);
        for (lift, yaw) in [(0.0, 0.0), (1e-9, 0.3), (-1e-6, 1.0), (0.01, 2.0)] {
            let turn = [f64::cos(yaw), 0.0, 0.0, f64::sin(yaw)];
            let at = Vector3::new(0.1, -0.2, height + lift);
            let placed = Placed::new(&set, Pose::from_quaternion(turn, at));
            for below in [&floor, &table] {
                let near: Vec<_> = contacts(below, &placed)
                    .into_iter()
                    .filter(|c| c.2 < lift + 0.1)
                    .collect();
                assert_eq!(near.len(), count);
                assert!(
                    near.iter()
                        .all(|c| (c.2 - lift).abs() < 1e-14 && c.1.z.abs() < 1e-14)
                );
                // Names stay while the body slides, turns a little and tilts a little.
                let turn = [yaw.cos(), 1e-4, -2e-4, f64::sin(yaw) + 1e-3];
                let moved = Pose::from_quaternion(turn, at + Vector3::new(0.01, 0.02, 1e-3));
                let moved = contacts(below, &Placed::new(&set, moved));
                let moved = moved.iter().filter(|c| c.2 < lift + 0.1).map(|c| c.0);
                assert!(moved.eq(near.iter().map(|c| c.0)));
            }
        }
    }
}

#[test]
fn manifolds_of_edges_and_corners() {
    let slab = ConvexSet::from(Polytope::cuboid(4.0, 4.0, 1.0).unwrap());
    let table = Placed::new(&slab, Pose::from_position(-Vector3::z() * 0.5));
    let cube = ConvexSet::from(Polytope::cuboid(1.0, 1.0, 1.0).unwrap());
    let half = std::f64::consts::FRAC_PI_8;
    // On an edge: two points; on a corner: one.
    let turn = Pose::from_quaternion(
        [half.cos(), half.sin(), 0.0, 0.0],
        Vector3::z() * 0.5f64.sqrt(),
    );
    let edge = contacts(&table, &Placed::new(&cube, turn));
    assert_eq!(edge.len(), 2);
    assert!(
        edge.iter()
            .all(|c| c.2.abs() < 1e-15 && (c.1.x.abs() - 0.5).abs() < 1e-15)
    );
    let turn = Pose::from_quaternion([0.9, 0.3, 0.2, 0.1], Vector3::z());
    let corner = contacts(&table, &Placed::new(&cube, turn));
    assert_eq!(corner.len(), 1);
    assert_eq!(corner[0].0 >> 24, 2);
    // Two edges that cross at a right angle, each at the top and bottom of its cube.
    let below = Pose::from_quaternion([half.cos(), half.sin(), 0.0, 0.0], Vector3::zeros());
    let above = Pose::from_quaternion([half.cos(), 0.0, half.sin(), 0.0], Vector3::z() * 1.5);
    let [a, b] = [below, above].map(|pose| Placed::new(&cube, pose));
    let crossing = contacts(&a, &b);
    assert_eq!(crossing.len(), 1);
    assert_eq!(crossing[0].0 >> 24, 3);
    assert!((crossing[0].2 - (1.5 - 2f64.sqrt())).abs() < 1e-15);
    // Half over the border: two corners of each and two crossings of edges... or four points in all.
    let aside = Pose::from_position(Vector3::new(1.7, 1.9, 0.5));
    let border = contacts(&table, &Placed::new(&cube, aside));
    assert_eq!(border.len(), 4);
}

#[test]
fn stacked_equal_boxes_have_closest_points_at_every_height() {
    let cube = ConvexSet::from(Polytope::cuboid(0.1, 0.1, 0.1).unwrap());
    let a = Placed::new(&cube, Pose::from_position(Vector3::new(3.0, -2.0, 7.0)));
    for exponent in -17..0 {
        for sign in [-0.01, 0.0, 0.01] {
            let gap = sign * 10f64.powi(exponent);
            let up = Vector3::new(3.0, -2.0, 7.1 + gap);
            let b = Placed::new(&cube, Pose::from_position(up));
            let closest = closest_points(&a, &b).unwrap();
            assert!((closest.gap - gap).abs() < 1e-14, "{gap} {closest:?}");
            assert_eq!(
                (closest.normal, closest.uniqueness),
                (Vector3::z(), Uniqueness::FreePoints)
            );
            let points = contacts(&a, &b);
            assert_eq!(points.len(), 4);
            assert!(points.iter().all(|p| p.0 >> 24 == 1));
        }
    }
}

#[test]
fn boxes_that_nearly_lie_flush_have_closest_points() {
    let mut random = Lcg::new(6);
    let cube = ConvexSet::from(Polytope::cuboid(0.2, 0.2, 0.1).unwrap());
    let small = ConvexSet::from(Polytope::cuboid(0.1, 0.1, 0.1).unwrap());
    let mut refused = 0;
    for case in 0..6000 {
        let mut tiny = || {
            let sign = 2.0 * random.unit() - 1.0;
            sign * 10f64.powf(-2.0 - (random.unit() * 16.0).floor())
        };
        let turn = [1.0, tiny(), tiny(), tiny()];
        let shift = Vector3::new(tiny(), tiny(), 0.1 + tiny());
        let upper = if case % 3 == 0 { &small } else { &cube };
        let aside = if case % 5 == 0 { 0.2 } else { 0.0 };
        let a = Placed::new(&cube, Pose::identity());
        let b = Placed::new(
            upper,
            Pose::from_quaternion(turn, shift + Vector3::x() * aside),
        );
        // Some are refused by name; none is answered wrongly.
        let Ok(closest) = closest_points(&a, &b) else {
            refused += 1;
            continue;
        };
        let (along, gap) = (separation(&a, &b, &closest.normal), closest.gap);
        assert!(
            (along - gap).abs() < 2e-13,
            "case {case}: {along} {gap} {turn:?} {shift:?}"
        );
        let off = (closest.b - closest.a - closest.normal * gap).norm();
        assert!(off < 1e-14, "case {case}: {off}");
        contacts(&a, &b);
    }
    assert!(refused <= 60, "{refused} of 6000");
}

#[test]
#[cfg(feature = "serde")]
fn polytopes_are_written_as_their_vertices() {
    let set = ConvexSet::from(Polytope::cuboid(1.0, 2.0, 3.0).unwrap());
    let text = serde_json::to_string(&set).unwrap();
    assert!(
        text.starts_with(r#"{"polytope":{"vertices":[[-0.5,-1.0,-1.5],"#),
        "{text}"
    );
    assert_eq!(serde_json::from_str::<ConvexSet<3>>(&text).unwrap(), set);
    assert!(serde_json::from_str::<ConvexSet<2>>(r#"{"polytope":{"vertices":[[0,0]]}}"#).is_err());
}

/// Case geo-point-to-hull: the point is the centre of a ball.
#[test]
fn a_point_next_to_the_hull_of_seven_points() {
    let case = crate::cases::case("geo-point-to-hull");
    let vector = |value: &serde_json::Value| Vector3::from_fn(|i, _| value[i].as_f64().unwrap());
    let [point, hull] = ["A", "B"].map(|body| &case["problem"][body]);
    let vertices = hull["vertices"].as_array().unwrap();
    let hull = ConvexSet::from(Polytope::new(vertices.iter().map(vector)).unwrap());
    let ball = ConvexSet::from(Ball::new(0.5).unwrap());
    let a = Placed::new(&ball, Pose::from_position(vector(&point["position"])));
    let closest = closest_points(&a, &Placed::new(&hull, Pose::identity())).unwrap();
    let distance = case["expect"][0]["distance"].as_f64().unwrap();
    assert!((closest.gap + 0.5 - distance).abs() < 1e-12);
    assert!((closest.b - vector(&case["expect"][1]["point_on_B"])).norm() < 1e-7);
}

/// A rounding, a tilt that is seen, or anything between; sometimes nothing.
fn hardly(random: &mut Lcg) -> f64 {
    let size = 10.0_f64.powf(-17.0 + 15.0 * random.unit());
    match random.unit() {
        part if part < 0.2 => 0.0,
        part if part < 0.6 => -size,
        _ => size,
    }
}

/// Solids with faces up and down at heights ± h that lie on each other, but for turns and shifts of 1e-17 to 1e-2.
#[test]
fn what_lies_nearly_flush_has_closest_points() {
    let mut random = Lcg::new(11);
    let mut contacts = Manifold::new();
    for case in 0..6000 {
        let mut solid = || {
            let [x, y, z] = [0; 3].map(|_| 0.1 + 0.9 * random.unit());
            let square = [[-x, -y], [x, -y], [x, y], [-x, y]];
            let set = match case % 3 {
                0 => Polytope::cuboid(2.0 * x, 2.0 * y, 2.0 * z).unwrap(),
                1 => Polytope::prism(&Polygon::regular(3 + case % 5, x).unwrap(), 2.0 * z).unwrap(),
                _ => Polytope::new(square.into_iter().flat_map(|[x, y]| {
                    [Vector3::new(x, y, -z), Vector3::new(0.6 * x, 0.7 * y, z)]
                }))
                .unwrap(),
            };
            (ConvexSet::from(set), [x, y, z])
        };
        let ((below, size), (above, other)) = (solid(), solid());
        let mut along = |size: f64| match random.unit() {
            part if part < 0.25 => 0.0,
            part if part < 0.5 => size,
            part if part < 0.75 => -size,
            _ => size * (2.0 * random.unit() - 1.0),
        };
        let (x, y) = (along(size[0]), along(size[1]));
        let off = Vector3::from_fn(|_, _| hardly(&mut random));
        let turn = Vector3::from_fn(|_, _| 0.5 * hardly(&mut random));
        let tilted = Pose::from_quaternion(
            [1.0, turn.x, turn.y, turn.z],
            Vector3::new(x, y, size[2] + other[2]) + off,
        );
        let common = pose(&mut random, 3.0);
        let there = Pose {
            rotation: common.rotation * tilted.rotation,
            position: common.apply(&tilted.position),
        };
        let (a, b) = (Placed::new(&below, common), Placed::new(&above, there));
        let what = format!("{case}: {turn:?} {off:?}");
        let [one, back] = [(&a, &b), (&b, &a)].map(|(a, b)| closest_points(a, b));
        let (one, back) = (one.expect(&what), back.expect(&what));
        assert!((one.gap - back.gap).abs() < 1e-12, "{what}");
        judge(&a, &b, &one, &what);
        manifold(&a, &b, &mut contacts).expect(&what);
    }
}
