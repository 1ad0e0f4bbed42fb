//! Contacts along motions: features that stay, points that do not jump.

use nalgebra::Vector2;
use signorini_geometry::{
    Capsule, ConvexSet, Manifold, ManifoldPoint, Placed, Polygon, Pose, manifold,
};

/// The contacts of B on A, A at rest, within `margin`.
fn contacts(
    a: &ConvexSet<2>,
    b: &ConvexSet<2>,
    pose: Pose<2>,
    margin: f64,
) -> Vec<ManifoldPoint<2>> {
    let mut out = Manifold::new();
    manifold(
        &Placed::new(a, Pose::identity()),
        &Placed::new(b, pose),
        &mut out,
    )
    .unwrap();
    out.points()
        .iter()
        .filter(|p| p.closest.gap <= margin)
        .copied()
        .collect()
}

/// One line per stretch of the motion with the same features, as positions of its first step.
fn stretches(steps: impl Iterator<Item = (f64, Vec<ManifoldPoint<2>>)>) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut last = None;
    for (at, points) in steps {
        let features: Vec<_> = points.iter().map(|p| p.feature).collect();
        if last.as_ref() != Some(&features) {
            lines.push(format!("{at:.2}: {features:?}"));
            last = Some(features);
        }
    }
    lines.join("\n")
}

fn square() -> ConvexSet<2> {
    Polygon::rectangle(1.0, 1.0).unwrap().into()
}

#[test]
fn equal_squares_in_a_jittery_stack_keep_their_two_contacts() {
    let square = square();
    // Jitter of all sizes and signs about flush, as a solver leaves it.
    let jitter = [0.0, 1e-16, -1e-15, 1e-12, -1e-9, 1e-6, -1e-4, 1e-3, -2e-3];
    for &x in &jitter {
        for &y in jitter.iter().chain(&[0.01]) {
            for &angle in jitter.iter().chain(&[0.02, -0.02]) {
                let points = contacts(
                    &square,
                    &square,
                    Pose::from_angle(angle, Vector2::new(x, 1.0 + y)),
                    1.0,
                );
                let features: Vec<_> = points.iter().map(|p| p.feature).collect();
                // The upper corners of A, 2 on the right and 3 on the left.
                assert_eq!(features, [4, 6], "{x} {y} {angle}");
                assert!((points[0].closest.a - Vector2::new(0.5, 0.5)).norm() < 3e-2);
                assert!((points[1].closest.a - Vector2::new(-0.5, 0.5)).norm() < 3e-2);
            }
        }
    }
}

#[test]
fn a_square_slides_over_a_longer_one() {
    let (long, square) = (Polygon::rectangle(2.0, 1.0).unwrap().into(), square());
    let steps = (-200..=200).map(|i| f64::from(i) * 0.01);
    let motion = steps.map(|x| {
        (
            x,
            contacts(
                &long,
                &square,
                Pose::from_position(Vector2::new(x, 1.0)),
                0.01,
            ),
        )
    });
    insta::assert_snapshot!(stretches(motion), @r"
    -2.00: []
    -1.50: [3, 6]
    -0.45: [1, 3]
    0.46: [1, 4]
    1.51: []
    ");
}

#[test]
fn a_square_rocks_from_corner_to_corner() {
    let (long, square) = (Polygon::rectangle(8.0, 1.0).unwrap().into(), square());
    // It turns about its lower corners on a table at y = 0.5.
    let steps = (-150..=150).map(|i| f64::from(i) * 0.01);
    let motion = steps.map(|angle| {
        let lowest = [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]]
            .map(|x| Pose::from_angle(angle, Vector2::zeros()).rotate(&x.into())[1])
            .into_iter()
            .fold(f64::INFINITY, f64::min);
        (
            angle,
            contacts(
                &long,
                &square,
                Pose::from_angle(angle, Vector2::new(0.0, 0.5 - lowest)),
                1e-9,
            ),
        )
    });
    insta::assert_snapshot!(stretches(motion), @r"
    -1.50: [3]
    0.00: [1, 3]
    0.01: [1]
    ");
}

#[test]
fn a_stadium_lies_down_on_a_square() {
    let (long, rod) = (
        Polygon::rectangle(4.0, 1.0).unwrap().into(),
        ConvexSet::from(Capsule::new(0.5, 0.1).unwrap()),
    );
    // About its left end, on the table; the right end comes down and its contact has been listed all along.
    let steps = (0..=60).rev().map(|i| f64::from(i) * 0.01);
    let motion = steps.map(|angle| {
        let left = Vector2::new(-0.5, 0.6);
        let pose = Pose::from_angle(angle, left);
        let pose = Pose {
            position: pose.apply(&Vector2::new(0.5, 0.0)),
            ..pose
        };
        let points = contacts(&long, &rod, pose, 10.0);
        for point in &points {
            let (end, sin) = (f64::from(point.feature == 1), angle.sin());
            assert!((point.closest.gap - end * sin).abs() < 1e-15);
        }
        (angle, points)
    });
    insta::assert_snapshot!(stretches(motion), @"0.60: [1, 3]");
}

#[test]
fn contacts_move_no_faster_than_the_bodies() {
    // Flush, then off the edge: where two sides face each other the ends of their overlap are continuous.
    let square = square();
    let step = 1e-4;
    let mut last: Option<Vec<ManifoldPoint<2>>> = None;
    for i in -9500..9500 {
        let t = f64::from(i) * step;
        let tilt = 1e-3 * (40.0 * t).sin();
        let pose = Pose::from_angle(tilt, Vector2::new(t, 1.0 + 1e-3 * (23.0 * t).cos()));
        let mut now = contacts(&square, &square, pose, 1.0);
        assert_eq!(now.len(), 2, "t = {t}");
        // By place, not by name: a name may change where another corner takes over, the place may not.
        now.sort_by(|p, q| p.closest.a[0].total_cmp(&q.closest.a[0]));
        if let Some(last) = &last {
            for (p, q) in now.iter().zip(last) {
                // Both ends may exchange names, but neither jumps: speed 1, tilt rate 0.04, gap below 0.01.
                assert!((p.closest.a - q.closest.a).norm() < 2.0 * step, "t = {t}");
                assert!((p.closest.gap - q.closest.gap).abs() < step, "t = {t}");
            }
        }
        last = Some(now);
    }
}
