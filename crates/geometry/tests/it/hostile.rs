//! Pairs at which searches for closest points are known to fail: a proved answer or a typed error.

use nalgebra::{Matrix2, SVector, Vector2, Vector3};
use signorini_geometry::{
    Ball, Capsule, ClosestError, Cone, ConvexSet, Cylinder, Ellipsoid, Placed, Polygon, Pose,
    Rounded, Superquadric, Uniqueness, closest_points, refine_closest_points,
};

/// Checks an answer: its points are apart by the gap along the normal, which is the separation of the bodies there.
fn check<const D: usize>(a: &Placed<'_, D>, b: &Placed<'_, D>) -> Option<f64> {
    let answer = match closest_points(a, b) {
        Ok(answer) => answer,
        Err(ClosestError::Concentric { .. } | ClosestError::NotConverged { .. }) => return None,
        Err(other) => panic!("{other}"),
    };
    let n = answer.normal;
    let along = |placed: &Placed<'_, D>, m: SVector<f64, D>| {
        let local = placed.set.support(&placed.pose.inverse_rotate(&m)).unwrap();
        m.dot(&(placed.pose.rotate(&local) + (placed.pose.position - a.pose.position)))
    };
    let separation = -along(b, -n) - along(a, n);
    let size = a.set.size().max(b.set.size());
    let reach = size + (b.pose.position - a.pose.position).norm();
    assert!((n.norm() - 1.0).abs() < 1e-14);
    assert!(
        (separation - answer.gap).abs() < 2e-12 * size + 1e-15 * reach,
        "{a:?} {b:?}: {separation} {answer:?}"
    );
    let world = reach + a.pose.position.norm();
    assert!((answer.b - answer.a - n * answer.gap).norm() < 2e-12 * size + 1e-15 * world);
    Some(answer.gap)
}

fn bodies(size: f64, thin: f64) -> Vec<ConvexSet<3>> {
    let axes = Vector3::new(1.0, 0.7, thin) * size;
    vec![
        Ball::new(size).unwrap().into(),
        Capsule::new(size, thin * size).unwrap().into(),
        Ellipsoid::new(axes).unwrap().into(),
        Superquadric::new(axes, 4.0).unwrap().into(),
        Superquadric::new(axes, 1.5).unwrap().into(),
        Cylinder::new(size, thin * size).unwrap().into(),
        Cylinder::new(thin * size, size).unwrap().into(),
        Cone::new(size, thin * size).unwrap().into(),
        Rounded::new(Cylinder::new(size, thin * size).unwrap(), 0.1 * size)
            .unwrap()
            .into(),
        Rounded::new(Ball::new(size).unwrap(), 0.1 * size)
            .unwrap()
            .into(),
        Rounded::new(Capsule::new(size, 0.1 * size).unwrap(), 0.1 * size)
            .unwrap()
            .into(),
    ]
}

#[test]
fn thin_bodies_of_unlike_sizes_far_away_and_in_each_other() {
    let turned = Pose::from_quaternion([0.8, 0.3, -0.4, 0.2], Vector3::zeros());
    for (sizes, thin) in [([1.0, 1.0], 0.5), ([1.0, 1.0], 1e-4), ([1e4, 1e-6], 0.3)] {
        for first in bodies(sizes[0], thin) {
            for second in bodies(sizes[1], thin) {
                let size = sizes[0].max(sizes[1]);
                for origin in [Vector3::zeros(), Vector3::new(1e6, -2e6, 3e6)] {
                    for shift in [0.0, 0.3, 1.1, 4.0] {
                        let a = Placed::new(&first, Pose::from_position(origin));
                        let position = origin + Vector3::new(0.3, -0.5, 0.8) * (shift * size);
                        let mut pose = Pose::from_position(position);
                        check(&a, &Placed::new(&second, pose));
                        pose.rotation = turned.rotation;
                        check(&a, &Placed::new(&second, pose));
                    }
                }
            }
        }
    }
}

#[test]
fn rounded_balls_and_capsules_are_closed_forms() {
    let ball = ConvexSet::<3>::from(Rounded::new(Ball::new(0.2).unwrap(), 0.1).unwrap());
    let rod = ConvexSet::<3>::from(Rounded::new(Capsule::new(1.0, 0.2).unwrap(), 0.1).unwrap());
    let at = |x: f64, y: f64| Pose::from_position(Vector3::new(x, y, 0.0));
    let gap = |a: &ConvexSet<3>, b: &ConvexSet<3>, pose| {
        closest_points(&Placed::new(a, at(0.0, 0.0)), &Placed::new(b, pose)).map(|c| c.gap)
    };
    assert!((gap(&ball, &rod, at(0.5, 1.0)).unwrap() - 0.4).abs() < 1e-15);
    assert!((gap(&rod, &rod, at(0.5, 0.5)).unwrap() + 0.1).abs() < 1e-15);
    for (a, b) in [(&ball, &ball), (&ball, &rod), (&rod, &rod)] {
        let error = gap(a, b, at(0.0, 0.0)).unwrap_err();
        assert!(matches!(error, ClosestError::Concentric { .. }), "{error}");
    }
}

#[test]
fn plates_face_to_face_say_that_their_points_are_free() {
    let plate = ConvexSet::from(Ellipsoid::new(Vector3::new(1.0, 1.0, 1e-4)).unwrap());
    let egg = ConvexSet::from(Ellipsoid::new(Vector3::new(1.0, 0.8, 0.5)).unwrap());
    let at = |z: f64| Pose::from_position(Vector3::new(0.0, 0.0, z));
    let lower = Placed::new(&plate, at(0.0));
    for z in [1e-3, 1.9e-4] {
        let upper = Placed::new(&plate, at(z));
        let closest = closest_points(&lower, &upper).unwrap();
        assert_eq!(closest.uniqueness, Uniqueness::FreePoints);
        let again = refine_closest_points(&lower, &upper, &closest).unwrap();
        assert_eq!(again.uniqueness, Uniqueness::FreePoints);
        assert!((closest.gap - (z - 2e-4)).abs() < 1e-15);
    }
    let closest = closest_points(&lower, &Placed::new(&egg, at(0.6))).unwrap();
    assert_eq!(closest.uniqueness, Uniqueness::Unique);
}

#[test]
fn a_superellipse_deep_in_a_rounded_polygon_has_one_gap_in_both_orders() {
    let superellipse = ConvexSet::from(
        Superquadric::new(
            Vector2::new(0.004647790005870042, 0.002058979013327922),
            1.8757682763979702,
        )
        .unwrap(),
    );
    let polygon = ConvexSet::from(
        Polygon::rounded(
            [
                [-0.0013120649350311648, 0.00038426855285208795],
                [-0.0019218610759565106, -0.0001623991041135224],
                [-0.001448281957527511, -0.00035289699015364457],
                [0.000524340557481241, -0.0004864498219913835],
                [0.0020197632629009987, -5.1374263351983056e-5],
                [0.0016420137385891246, 0.00029616602408695573],
                [0.0006417264832051799, 0.0004777182399052769],
            ],
            8.377955126003339e-5,
        )
        .unwrap(),
    );
    let turned = |cos: f64, sin: f64, x: f64, y: f64| Pose {
        rotation: Matrix2::new(cos, -sin, sin, cos),
        position: Vector2::new(x, y),
    };
    let a = Placed::new(
        &superellipse,
        turned(
            -0.16625274690020422,
            -0.9860831730377193,
            0.004159283701874254,
            -0.0016775672481138832,
        ),
    );
    let b = Placed::new(
        &polygon,
        turned(
            -0.9892780629677234,
            -0.14604421977890533,
            0.004450321837962256,
            0.0005232498783888139,
        ),
    );
    let there = closest_points(&a, &b).unwrap();
    let back = closest_points(&b, &a).unwrap();
    assert!((there.gap - back.gap).abs() < 1e-15, "{there:?} {back:?}");
}
