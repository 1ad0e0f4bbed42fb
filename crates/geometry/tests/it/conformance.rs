//! Pairs whose closest points are known.

use nalgebra::{Vector2, Vector3};
use signorini_geometry::{
    Ball, Capsule, ClosestError, ClosestPoints, ConvexSet, HalfSpace, Manifold, Placed, Polygon,
    Pose, closest_points, manifold,
};

fn ball<const D: usize>(radius: f64) -> ConvexSet<D> {
    Ball::new(radius).unwrap().into()
}

fn capsule<const D: usize>(half_length: f64, radius: f64) -> ConvexSet<D> {
    Capsule::new(half_length, radius).unwrap().into()
}

fn closest<const D: usize>(
    a: (&ConvexSet<D>, Pose<D>),
    b: (&ConvexSet<D>, Pose<D>),
) -> ClosestPoints<D> {
    closest_points(&Placed::new(a.0, a.1), &Placed::new(b.0, b.1)).unwrap()
}

#[test]
fn two_balls_are_exact() {
    // 3-4-5: every number is representable, so equality is exact.
    let found = closest(
        (&ball(1.0), Pose::from_position(Vector3::new(1.0, 0.0, 0.0))),
        (&ball(2.0), Pose::from_position(Vector3::new(4.0, 0.0, 4.0))),
    );
    assert_eq!(
        (found.gap, found.normal),
        (2.0, Vector3::new(0.6, 0.0, 0.8))
    );
    let overlap = closest(
        (&ball(4.0), Pose::from_position(Vector2::new(0.0, 0.0))),
        (&ball(2.0), Pose::from_position(Vector2::new(0.0, -5.0))),
    );
    assert_eq!(
        (overlap.gap, overlap.normal),
        (-1.0, Vector2::new(0.0, -1.0))
    );
    assert_eq!(
        (overlap.a, overlap.b),
        (Vector2::new(0.0, -4.0), Vector2::new(0.0, -3.0))
    );
}

#[test]
fn a_ball_on_a_slope_is_exact() {
    let slope = HalfSpace::new(Vector2::new(-0.6, 0.8), 1.0).unwrap().into();
    let found = closest(
        (&ball(0.5), Pose::from_position(Vector2::new(-3.0, 4.0))),
        (&slope, Pose::identity()),
    );
    // The normal points from the ball into the slope.
    assert_eq!((found.gap, found.normal), (3.5, Vector2::new(0.6, -0.8)));
    assert!((found.a - Vector2::new(-2.7, 3.6)).norm() < 1e-15);
    assert!((found.b - Vector2::new(-0.6, 0.8)).norm() < 1e-15);
}

#[test]
fn the_falling_rod_has_its_two_gaps() {
    // Gaps y ± l sin θ − r, contact points straight below the end centres.
    let (l, r, x, y, theta) = (0.25, 0.05, 0.1, 1.0, 0.5f64);
    let (ground, rod) = (HalfSpace::up().into(), capsule(l, r));
    let mut out = Manifold::new();
    let b = Placed::new(&rod, Pose::from_angle(theta, Vector2::new(x, y)));
    manifold(&Placed::new(&ground, Pose::identity()), &b, &mut out).unwrap();
    for (point, sign) in out.points().iter().zip([1.0, -1.0]) {
        assert!((point.closest.gap - (y + sign * l * theta.sin() - r)).abs() < 1e-15);
        assert!((point.closest.a[0] - (x + sign * l * theta.cos())).abs() < 1e-15);
        assert!((point.closest.b[1] - (y + sign * l * theta.sin() - r)).abs() < 1e-15);
        assert_eq!(point.closest.normal, Vector2::y());
    }
    assert_eq!(
        out.points().iter().map(|p| p.feature).collect::<Vec<_>>(),
        [0, 1]
    );
}

#[test]
fn every_vertex_of_a_polygon_meets_the_ground() {
    let (ground, square) = (
        HalfSpace::up().into(),
        Polygon::rectangle(2.0, 1.0).unwrap().into(),
    );
    let mut out = Manifold::new();
    let b = Placed::new(&square, Pose::from_position(Vector2::new(5.0, 0.25)));
    manifold(&Placed::new(&ground, Pose::identity()), &b, &mut out).unwrap();
    let facts: Vec<_> = out
        .points()
        .iter()
        .map(|p| (p.feature, p.closest.gap, p.closest.b[0]))
        .collect();
    assert_eq!(
        facts,
        [
            (0, -0.25, 4.0),
            (1, -0.25, 6.0),
            (2, 0.75, 6.0),
            (3, 0.75, 4.0)
        ]
    );
}

#[test]
fn crossed_capsules_touch_at_the_crossing() {
    let quarter = std::f64::consts::FRAC_1_SQRT_2;
    let along_y = Pose::from_quaternion([quarter, 0.0, 0.0, quarter], Vector3::new(0.2, 0.1, 0.9));
    let (rod, log) = (capsule(1.0, 0.25), capsule(1.0, 0.5));
    let found = closest((&rod, Pose::identity()), (&log, along_y));
    assert!((found.gap - 0.15).abs() < 1e-15);
    assert!((found.a - Vector3::new(0.2, 0.0, 0.25)).norm() < 1e-15);
    // Crossing exactly, the normal is the cross product of the directions and the depth is both radii.
    let through = Pose::from_quaternion([quarter, 0.0, 0.0, quarter], Vector3::zeros());
    let found = closest((&rod, Pose::identity()), (&log, through));
    assert!((found.gap + 0.75).abs() < 1e-15);
    assert!(found.normal[2].abs() > 1.0 - 1e-15);
    let swapped = closest((&log, through), (&rod, Pose::identity()));
    assert!((swapped.normal + found.normal).norm() < 1e-15);
}

#[test]
fn parallel_capsules_touch_at_both_ends_of_the_overlap() {
    // A covers x from -1 to 1, B, turned round, from 0.5 to 3.5: they overlap from 0.5 to 1.
    let (a, b) = (capsule::<3>(1.0, 0.25), capsule(1.5, 0.25));
    let turned = Pose::from_quaternion([0.0, 0.0, 1.0, 0.0], Vector3::new(2.0, 0.0, 0.75));
    let mut out = Manifold::new();
    manifold(
        &Placed::new(&a, Pose::identity()),
        &Placed::new(&b, turned),
        &mut out,
    )
    .unwrap();
    let facts: Vec<_> = out
        .points()
        .iter()
        .map(|p| (p.feature, p.closest.a[0], p.closest.gap))
        .collect();
    // Vertex 0 of A at +1 and vertex 0 of B at 2 − 1.5.
    assert_eq!(facts, [(0, 1.0, 0.25), (1, 0.5, 0.25)]);
}

#[test]
fn a_little_yaw_adds_the_crossing_and_keeps_the_ends() {
    let rod = capsule::<3>(1.0, 0.1);
    let features = |yaw: f64| {
        let pose = Pose::from_quaternion(
            [(yaw / 2.0).cos(), 0.0, 0.0, (yaw / 2.0).sin()],
            Vector3::new(0.0, 0.0, 0.2),
        );
        let mut out = Manifold::new();
        manifold(
            &Placed::new(&rod, Pose::identity()),
            &Placed::new(&rod, pose),
            &mut out,
        )
        .unwrap();
        assert!(out.deepest().unwrap().closest.gap.abs() < 1e-14);
        out.points().iter().map(|p| p.feature).collect::<Vec<_>>()
    };
    let all =
        [0.0, 1e-12, 1e-9, 1e-5, 0.05, 0.5].map(|yaw| format!("{yaw:e}: {:?}", features(yaw)));
    insta::assert_snapshot!(all.join("\n"), @r"
    0e0: [0, 2]
    1e-12: [0, 2]
    1e-9: [0, 2]
    1e-5: [0, 2, 4]
    5e-2: [0, 2, 4]
    5e-1: [4]
    ");
}

#[test]
fn a_ball_in_a_polygon_leaves_by_the_nearest_side() {
    let square = Polygon::rectangle(2.0, 2.0).unwrap().into();
    let found = closest(
        (&square, Pose::identity()),
        (&ball(0.25), Pose::from_position(Vector2::new(0.75, 0.125))),
    );
    assert_eq!((found.gap, found.normal), (-0.5, Vector2::x()));
    assert_eq!(
        (found.a, found.b),
        (Vector2::new(1.0, 0.125), Vector2::new(0.5, 0.125))
    );
}

#[test]
fn a_ball_at_a_corner_sees_the_corner() {
    let square = Polygon::rectangle(2.0, 2.0).unwrap().into();
    let found = closest(
        (&ball(1.0), Pose::from_position(Vector2::new(4.0, 5.0))),
        (&square, Pose::identity()),
    );
    assert_eq!((found.gap, found.normal), (4.0, Vector2::new(-0.6, -0.8)));
    assert_eq!(found.b, Vector2::new(1.0, 1.0));
}

#[test]
fn crossing_stadiums_separate_across_the_shorter_way() {
    // A along x from -2 to 2; B along y from -1 to 3: B's lower end is 1 below A's axis.
    let (a, b) = (capsule(2.0, 0.25), capsule(2.0, 0.5));
    let up = Pose::from_angle(std::f64::consts::FRAC_PI_2, Vector2::new(0.5, 1.0));
    let found = closest((&a, Pose::identity()), (&b, up));
    assert!((found.gap + 1.75).abs() < 1e-15);
    assert!((found.normal - Vector2::y()).norm() < 1e-15);
}

#[test]
fn errors_name_the_kinds() {
    let ground = ConvexSet::<3>::from(HalfSpace::up());
    let (ball, rod) = (ball::<3>(1.0), capsule(1.0, 0.1));
    let here = Pose::identity();
    let on_axis = Pose::from_position(Vector3::new(0.5, 0.0, 0.0));
    let nan = Pose::from_position(Vector3::new(0.0, f64::NAN, 0.0));
    let far = Pose::from_position(Vector3::new(0.0, f64::MAX, f64::MAX));
    let cases = [
        (&ground, here, &ground, on_axis),
        (&ball, here, &ball, here),
        (&ball, on_axis, &rod, here),
        (&rod, here, &rod, on_axis),
        (&rod, here, &ball, nan),
        (&ground, far, &ball, Pose::from_position(-far.position)),
    ];
    let texts = cases.map(|(a, pose_a, b, pose_b)| {
        let (a, b) = (Placed::new(a, pose_a), Placed::new(b, pose_b));
        let mut out = Manifold::new();
        let error = manifold(&a, &b, &mut out).unwrap_err();
        assert!(out.points().is_empty());
        assert_eq!(closest_points(&a, &b), Err(error));
        error.to_string()
    });
    insta::assert_snapshot!(texts.join("\n"), @r"
    no closest points for a half-space and a half-space: two sets without an end have no gap, exclude the pair or bound one of them
    the ball and the ball are concentric: no normal is defined, move one of them by any small length
    the ball and the capsule are concentric: no normal is defined, move one of them by any small length
    the capsule and the capsule are concentric: no normal is defined, move one of them by any small length
    the capsule or the ball is at a place that is not finite: look for NaN, infinity or overflow in both poses
    the half-space or the ball is at a place that is not finite: look for NaN, infinity or overflow in both poses
    ");
    let kinds = closest_points(&Placed::new(&ball, here), &Placed::new(&rod, here)).unwrap_err();
    assert!(matches!(kinds, ClosestError::Concentric { .. }));
}

#[test]
fn in_the_plane_a_disc_on_a_rod_still_has_a_normal() {
    let found = closest(
        (&ball::<2>(0.5), Pose::identity()),
        (&capsule(1.0, 0.25), Pose::identity()),
    );
    assert_eq!((found.gap, found.normal[1].abs()), (-0.75, 1.0));
}
