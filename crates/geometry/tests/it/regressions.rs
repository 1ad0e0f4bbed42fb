//! Faults of other libraries, kept from coming here.

use nalgebra::Vector2;
use signorini_geometry::{
    Ball, Capsule, ConvexSet, Manifold, Placed, Polygon, Pose, ShapeError, closest_points, manifold,
};

/// Two turned squares that touch up to one rounding error: some libraries threw, or dropped the contact.
#[test]
fn kissing_squares() {
    let square = ConvexSet::from(Polygon::rectangle(0.25, 0.25).unwrap());
    let angle = 0.3;
    let up = Pose::from_angle(angle, Vector2::zeros()).rotate(&Vector2::y());
    let a = Placed::new(&square, Pose::from_angle(angle, Vector2::new(0.0, 1.25)));
    for t in [-1e-3, -1e-6, -1e-9, -1e-12, 0.0, 1e-12, 1e-9, 1e-6, 1e-3] {
        let b = Placed::new(
            &square,
            Pose::from_angle(angle, a.pose.position + up * (0.25 + t)),
        );
        let mut out = Manifold::new();
        manifold(&a, &b, &mut out).unwrap();
        assert_eq!(
            out.points().iter().map(|p| p.feature).collect::<Vec<_>>(),
            [4, 6],
            "t = {t}"
        );
        for point in out.points() {
            assert!(
                (point.closest.gap - t).abs() < 1e-15,
                "t = {t}: {}",
                point.closest.gap
            );
            assert!((point.closest.normal - up).norm() < 1e-15);
            assert!(a.value(&point.closest.a).abs() < 1e-14);
        }
    }
}

/// A stadium that touches a long box: one library put the point on the box two units away.
#[test]
fn touching_stadium_and_box() {
    let rod = ConvexSet::from(Capsule::new(0.25, 0.5).unwrap());
    let long = ConvexSet::from(Polygon::rectangle(8.0, 1.0).unwrap());
    let a = Placed::new(
        &rod,
        Pose::from_angle(std::f64::consts::FRAC_PI_2, Vector2::zeros()),
    );
    for shift in [-1e-3, -1e-9, 0.0, 1e-9, 1e-3] {
        let b = Placed::new(
            &long,
            Pose::from_position(Vector2::new(-2.037_373_5, -1.25 + shift)),
        );
        let found = closest_points(&a, &b).unwrap();
        assert!((found.gap + shift).abs() < 1e-12);
        assert!((found.a - Vector2::new(0.0, -0.75)).norm() < 1e-9);
        assert!((found.b - Vector2::new(0.0, -0.75 + shift)).norm() < 1e-9);
        assert!((found.normal + Vector2::y()).norm() < 1e-9);
    }
}

/// For a deep contact some libraries returned the same point for both bodies.
#[test]
fn deep_witness_points_are_apart() {
    let (ball, square) = (
        Ball::new(0.5).unwrap().into(),
        Polygon::rectangle(1.0, 1.0).unwrap().into(),
    );
    let a = Placed::new(&ball, Pose::from_position(Vector2::new(0.0, 0.5)));
    let found = closest_points(&a, &Placed::new(&square, Pose::identity())).unwrap();
    assert_eq!((found.gap, found.normal), (-0.5, -Vector2::y()));
    assert_eq!(
        (found.a, found.b),
        (Vector2::zeros(), Vector2::new(0.0, 0.5))
    );
}

/// Corners that meet along a diagonal: their difference is rounding, the normal must still separate.
#[test]
fn corner_to_corner() {
    let square = ConvexSet::from(Polygon::rectangle(1.0, 1.0).unwrap());
    for t in [-1e-15, 0.0, 1e-16, 1e-14, 1e-9] {
        let a = Placed::new(&square, Pose::identity());
        let b = Placed::new(
            &square,
            Pose::from_position(Vector2::new(1.0 + t, 1.0 + 0.5 * t)),
        );
        let found = closest_points(&a, &b).unwrap();
        assert!((found.normal.norm() - 1.0).abs() < 1e-15);
        assert!(
            found.normal[0] >= -1e-15 && found.normal[1] >= -1e-15,
            "t = {t}: {:?}",
            found.normal
        );
        assert!(found.gap.abs() < 2.0 * f64::max(t.abs(), 1e-15));
    }
}

#[test]
fn polygons_that_are_none_are_refused() {
    let square = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
    assert!(Polygon::new(square).is_ok());
    let refused: [Vec<[f64; 2]>; 6] = [
        square[..2].to_vec(),
        vec![[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [1.0, 1.0]],
        vec![[0.0, 0.0], [1.0, 0.0], [1.0, 0.0], [1.0, 1.0]],
        vec![[0.0, 0.0], [2.0, 0.0], [0.5, 0.5], [0.0, 2.0]],
        // A pentagram turns left at every corner, twice round.
        (0..5)
            .map(|i| (std::f64::consts::TAU * 0.4 * f64::from(i)).sin_cos())
            .map(|(s, c)| [c, s])
            .collect(),
        vec![[0.0, 0.0], [1.0, f64::INFINITY], [0.0, 1.0]],
    ];
    let texts = refused.map(|vertices| Polygon::new(vertices).unwrap_err().to_string());
    insta::assert_snapshot!(texts.join("\n"), @r"
    a polygon has 2 vertices, it needs at least 3
    vertex 1 does not turn as the other corners do: the polygon is not strictly convex
    vertex 1 does not turn as the other corners do: the polygon is not strictly convex
    vertex 2 does not turn as the other corners do: the polygon is not strictly convex
    vertex 0 does not turn as the other corners do: the polygon is not strictly convex
    vertex is inf, it must be finite
    ");
    let error = Polygon::rounded(square, -0.1).unwrap_err();
    assert_eq!(
        error,
        ShapeError::Negative {
            what: "radius",
            value: -0.1
        }
    );
}
