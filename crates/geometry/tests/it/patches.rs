//! Lines and faces that lie flush.

use nalgebra::Vector3;
use signorini_geometry::{
    Capsule, Cone, ConvexSet, Cylinder, Ellipsoid, HalfSpace, Manifold, Placed, Polytope, Pose,
    closest_points, manifold,
};

use crate::support::Lcg;

fn points(a: (&ConvexSet<3>, Pose<3>), b: (&ConvexSet<3>, Pose<3>)) -> Manifold<3> {
    let mut out = Manifold::new();
    manifold(&Placed::new(a.0, a.1), &Placed::new(b.0, b.1), &mut out).unwrap();
    for point in out.points() {
        let c = &point.closest;
        assert!((c.b - c.a - c.normal * c.gap).norm() < 1e-14, "{point:?}");
        assert!((c.normal.norm() - 1.0).abs() < 1e-14);
    }
    out
}

fn at(x: f64, y: f64, z: f64) -> Pose<3> {
    Pose::from_position(Vector3::new(x, y, z))
}

fn about(axis: Vector3<f64>, angle: f64, position: Vector3<f64>) -> Pose<3> {
    let v = axis.normalize() * (0.5 * angle).sin();
    Pose::from_quaternion([(0.5 * angle).cos(), v.x, v.y, v.z], position)
}

#[test]
fn a_coin_lies_on_eight_points_that_turn_with_it() {
    let (ground, coin) = (
        ConvexSet::from(HalfSpace::up()),
        ConvexSet::from(Cylinder::new(0.5, 0.1).unwrap()),
    );
    for spin in [0.0, 0.3, 2.0] {
        let pose = about(Vector3::z(), spin, Vector3::new(1.0, 2.0, 0.11));
        let out = points((&ground, Pose::identity()), (&coin, pose));
        assert_eq!(out.points().len(), 8);
        let first = pose.inverse_apply(&out.points()[0].closest.b);
        let again = points((&ground, Pose::identity()), (&coin, at(0.0, 0.0, 0.11)));
        assert!((first - (again.points()[0].closest.b - Vector3::z() * 0.11)).norm() < 1e-14);
        for p in out.points() {
            assert!((p.closest.gap - 0.01).abs() < 1e-15);
            assert!((pose.inverse_apply(&p.closest.b).xy().norm() - 0.5).abs() < 1e-14);
        }
    }
}

#[test]
fn a_tilted_coin_keeps_its_points_and_has_the_lowest() {
    let (ground, coin) = (
        ConvexSet::from(HalfSpace::up()),
        ConvexSet::from(Cylinder::new(0.5, 0.1).unwrap()),
    );
    let tilt = 0.01f64;
    let pose = about(Vector3::new(1.0, 0.3, 0.0), tilt, Vector3::z() * 0.2);
    let out = points((&ground, Pose::identity()), (&coin, pose));
    assert_eq!(out.points().len(), 9);
    let lowest = out.deepest().unwrap();
    assert_eq!(lowest.feature, 0);
    let exact = 0.2 - 0.1 * tilt.cos() - 0.5 * tilt.sin();
    assert!((lowest.closest.gap - exact).abs() < 1e-15);
    assert!(out.points().iter().all(|p| p.closest.gap >= exact - 1e-15));
}

#[test]
fn a_rolling_cylinder_touches_along_a_line() {
    let (ground, log) = (
        ConvexSet::from(HalfSpace::up()),
        ConvexSet::from(Cylinder::new(0.3, 1.0).unwrap()),
    );
    let quarter = std::f64::consts::FRAC_PI_2;
    let lying = about(Vector3::x(), quarter, Vector3::z() * 0.3);
    let out = points((&ground, Pose::identity()), (&log, lying));
    let mut ends: Vec<f64> = out.points().iter().map(|p| p.closest.a.y).collect();
    ends.sort_by(f64::total_cmp);
    assert_eq!(out.points().len(), 2);
    assert!((ends[0] + 1.0).abs() < 1e-12 && (ends[1] - 1.0).abs() < 1e-12);
    assert!(out.points().iter().all(|p| p.closest.gap.abs() < 1e-14));
    // Tilted a little the lower end is the closest point and keeps its name.
    let names: Vec<_> = out.points().iter().map(|p| p.feature).collect();
    let tilted = about(Vector3::x(), quarter + 1e-3, Vector3::z() * 0.3);
    let out = points((&ground, Pose::identity()), (&log, tilted));
    assert_eq!(
        out.points().iter().map(|p| p.feature).collect::<Vec<_>>(),
        names
    );
    assert!(
        (out.deepest().unwrap().closest.gap - (0.3 - 0.3 * 1e-3f64.cos() - 1e-3f64.sin())).abs()
            < 1e-12
    );
}

#[test]
fn stacked_coins_touch_where_their_faces_overlap() {
    let (large, small) = (
        ConvexSet::from(Cylinder::new(0.5, 0.1).unwrap()),
        ConvexSet::from(Cylinder::new(0.2, 0.1).unwrap()),
    );
    let inside = points((&large, Pose::identity()), (&small, at(0.1, 0.0, 0.2)));
    assert_eq!(inside.points().len(), 8);
    assert!(inside.points().iter().all(|p| p.closest.gap.abs() < 1e-15));
    let over = points((&large, Pose::identity()), (&small, at(0.45, 0.0, 0.21)));
    assert!(over.points().len() >= 4);
    for p in over.points() {
        assert!((p.closest.gap - 0.01).abs() < 1e-15);
        assert!(p.closest.a.xy().norm() <= 0.5 + 1e-12);
        assert!((p.closest.b.xy() - Vector3::new(0.45, 0.0, 0.0).xy()).norm() <= 0.2 + 1e-12);
    }
    // In overlap too.
    let deep = points((&large, Pose::identity()), (&small, at(0.1, 0.0, 0.19)));
    assert!(
        deep.points()
            .iter()
            .all(|p| (p.closest.gap + 0.01).abs() < 1e-15)
    );
}

#[test]
fn parallel_cylinders_touch_along_the_common_part_of_their_lines() {
    let log = ConvexSet::from(Cylinder::new(0.3, 1.0).unwrap());
    let rod = ConvexSet::from(Capsule::new(0.5, 0.1).unwrap());
    let out = points((&log, Pose::identity()), (&log, at(0.61, 0.0, 0.5)));
    let mut ends: Vec<f64> = out.points().iter().map(|p| p.closest.a.z).collect();
    ends.sort_by(f64::total_cmp);
    assert_eq!(out.points().len(), 2);
    assert!((ends[0] + 0.5).abs() < 1e-12 && (ends[1] - 1.0).abs() < 1e-12);
    let quarter = std::f64::consts::FRAC_PI_2;
    let upright = about(Vector3::y(), quarter, Vector3::new(0.0, 0.41, 0.2));
    let out = points((&log, Pose::identity()), (&rod, upright));
    assert_eq!(out.points().len(), 2);
    assert!(
        out.points()
            .iter()
            .all(|p| (p.closest.gap - 0.01).abs() < 1e-14)
    );
    // Crossed there is one point.
    let crossed = about(Vector3::x(), 1.0, Vector3::new(0.61, 0.0, 0.0));
    assert_eq!(
        points((&log, Pose::identity()), (&log, crossed))
            .points()
            .len(),
        1
    );
}

#[test]
fn a_capsule_lies_across_the_end_of_a_cylinder() {
    let post = ConvexSet::from(Cylinder::new(0.3, 1.0).unwrap());
    let rod = ConvexSet::from(Capsule::new(2.0, 0.1).unwrap());
    let out = points((&post, Pose::identity()), (&rod, at(0.5, 0.1, 1.1)));
    assert_eq!(out.points().len(), 2);
    for p in out.points() {
        // Edges of the eight-sided face cross the rod within a few per cent of the round one.
        let reach = p.closest.a.xy().norm();
        assert!(reach <= 0.3 + 1e-12 && reach > 0.3 * 0.92, "{reach}");
        assert!(p.closest.gap.abs() < 1e-14);
    }
}

#[test]
fn a_cone_lies_on_its_side_from_apex_to_rim() {
    let (ground, cone) = (
        ConvexSet::from(HalfSpace::up()),
        ConvexSet::from(Cone::new(0.3, 0.4).unwrap()),
    );
    // The side's outward normal (0.8, 0, 0.6) turns to −z.
    let angle = std::f64::consts::PI - 0.6f64.acos();
    let out = points(
        (&ground, Pose::identity()),
        (&cone, about(Vector3::y(), angle, Vector3::z())),
    );
    assert_eq!(out.points().len(), 2);
    let [p, q] = [0, 1].map(|i| out.points()[i].closest);
    assert!(((p.b - q.b).norm() - 0.5).abs() < 1e-12);
    assert!((p.gap - q.gap).abs() < 1e-12);
}

#[test]
fn round_bodies_touch_in_one_point() {
    let egg = ConvexSet::from(Ellipsoid::new(Vector3::new(0.3, 0.2, 0.1)).unwrap());
    let log = ConvexSet::from(Cylinder::new(0.3, 1.0).unwrap());
    let out = points((&egg, Pose::identity()), (&log, at(0.2, 0.1, 1.2)));
    assert_eq!(out.points().len(), 1);
    assert_eq!(out.points()[0].feature, 0);
}

#[test]
fn closest_points_say_that_they_are_free_where_bodies_lie_flush() {
    use nalgebra::Vector2;
    use signorini_geometry::{Polygon, Uniqueness, closest_points};
    let ground = ConvexSet::<2>::from(HalfSpace::up());
    let square = ConvexSet::from(Polygon::rectangle(1.0, 1.0).unwrap());
    let rod = ConvexSet::<2>::from(Capsule::new(0.5, 0.1).unwrap());
    let flat = |x: f64, y: f64, tilt: f64| Pose::from_angle(tilt, Vector2::new(x, y));
    let ask = |a: &ConvexSet<2>, b: &ConvexSet<2>, tilt: f64| {
        let a = Placed::new(a, Pose::identity());
        let b = Placed::new(b, flat(0.3, 1.2, tilt));
        let mut listed = Manifold::new();
        manifold(&a, &b, &mut listed).unwrap();
        let closest = closest_points(&a, &b).unwrap();
        assert_eq!(listed.deepest().unwrap().closest, closest);
        closest.uniqueness
    };
    for a in [&ground, &square, &rod] {
        for b in [&square, &rod] {
            assert_eq!(ask(a, b, 0.0), Uniqueness::FreePoints);
            assert_eq!(ask(a, b, 1e-6), Uniqueness::Unique);
        }
    }
    let capsule = ConvexSet::<3>::from(Capsule::new(0.5, 0.1).unwrap());
    let twin = closest_points(
        &Placed::new(&capsule, Pose::identity()),
        &Placed::new(&capsule, at(0.3, 1.0, 0.0)),
    );
    assert_eq!(twin.unwrap().uniqueness, Uniqueness::FreePoints);
}

#[test]
fn names_of_coinciding_corners_stay_while_poses_jitter() {
    use signorini_geometry::{Intersection, Uniqueness};
    let cuboid = ConvexSet::from(Intersection::cuboid(Vector3::new(0.5, 0.4, 0.1)).unwrap());
    let names = |pose: Pose<3>| {
        let out = points((&cuboid, Pose::identity()), (&cuboid, pose));
        let closest = out.deepest().unwrap().closest;
        for point in out.points() {
            let level = (point.closest.gap - closest.gap).abs() < 1e-15;
            if level && closest.uniqueness == Uniqueness::FreePoints {
                assert_eq!(point.closest.uniqueness, Uniqueness::FreePoints);
            }
        }
        let names: Vec<_> = out.points().iter().map(|point| point.feature).collect();
        names
    };
    let still = names(at(0.0, 0.0, 0.2));
    assert_eq!(still.len(), 4);
    for i in 0..40 {
        let part = |step: f64| 1e-9 * (f64::from(i) * step).sin();
        let position = Vector3::new(part(1.3), part(2.1), 0.2);
        let pose = about(Vector3::z(), part(0.7), position);
        assert_eq!(names(pose), still, "{i}");
    }
    // Half over: corners on the other's edges, which would come and go.
    let half = names(at(0.5, 0.0, 0.2));
    assert_eq!(half.len(), 4);
    for i in 0..40 {
        let part = |step: f64| 1e-9 * (f64::from(i) * step).sin();
        let position = Vector3::new(0.5 + part(1.3), part(2.1), 0.2);
        let pose = about(Vector3::z(), part(0.7), position);
        assert_eq!(names(pose), half, "{i}");
    }
}

/// Cans that stand and lie beyond the edge of a slab, tilted by less than what tells an edge from a face: the least gap is where the
/// edge crosses the rim or a line of the can.
#[test]
fn cans_that_are_flush_but_for_a_small_tilt_have_an_answer() {
    let slab = ConvexSet::from(Polytope::cuboid(0.5, 0.5, 0.2).unwrap());
    let (radius, half) = (0.05, 0.15);
    let can = ConvexSet::from(Cylinder::new(radius, half).unwrap());
    let mut random = Lcg::new(5);
    let mut unsolved = 0;
    for k in 0..4000 {
        let lies = k % 2 == 0;
        let gap = [0.0, 1e-4, -1e-4, 1e-11, -1e-11, 1e-3, -1e-3, -1e-9][k % 8];
        let tilt = 10_f64.powf(-15.0 + 8.0 * random.unit());
        let towards = 6.3 * random.unit();
        let [x, y] = [0, 1].map(|_| 0.48 * random.unit() - 0.24);
        let height = if lies { radius } else { half };
        let tilted = about(
            Vector3::new(towards.cos(), towards.sin(), 0.0),
            tilt,
            Vector3::new(x, y, 0.1 + height + gap),
        );
        let turned = about(Vector3::z(), 6.3 * random.unit(), Vector3::zeros());
        let laid = about(
            Vector3::y(),
            if lies {
                std::f64::consts::FRAC_PI_2
            } else {
                0.0
            },
            Vector3::zeros(),
        );
        let below = Placed::new(&slab, at(0.0, 0.0, 0.0));
        let above = Placed::new(&can, tilted.compose(&turned).compose(&laid));
        match closest_points(&below, &above) {
            Ok(closest) => {
                let off = (closest.gap - gap).abs();
                assert!(off <= (radius + half) * tilt + 1e-12, "{k}: {off:e}");
                assert!(closest.normal.z > 1.0 - 1e-12, "{k}");
            }
            Err(_) => unsolved += 1,
        }
    }
    // One in ten was not, and then two were not.
    assert_eq!(unsolved, 0);
}

/// The corner of a block inside of the rim of a can, but outside of the eight points that stand for it: no corner of the patch
/// was known, and tilts of 1e-12 to 1e-7 rad had no answer.
#[test]
fn a_can_over_the_corner_of_a_block_has_an_answer_at_any_tilt() {
    let half = Vector3::new(0.5488, 0.3418, 0.8684);
    let block =
        ConvexSet::from(Polytope::cuboid(2.0 * half.x, 2.0 * half.y, 2.0 * half.z).unwrap());
    let (radius, length) = (0.5948, 0.1626);
    let can = ConvexSet::from(Cylinder::new(radius, length).unwrap());
    let depth = 4e-4;
    let below = Placed::new(&block, at(0.0, 0.0, -half.z));
    for exponent in -16..=-3 {
        let tilt = 5.9 * 10_f64.powi(exponent);
        let pose = about(
            Vector3::new(0.8416, -0.5401, -0.2842).normalize(),
            tilt,
            Vector3::new(-0.7299, -0.8724, length - depth),
        );
        let above = Placed::new(&can, pose);
        for [a, b] in [[&below, &above], [&above, &below]] {
            let closest = closest_points(a, b).unwrap();
            let off = (closest.gap + depth).abs();
            assert!(off <= 2.0 * tilt + 1e-12, "{tilt:e}: {off:e}");
        }
    }
}
