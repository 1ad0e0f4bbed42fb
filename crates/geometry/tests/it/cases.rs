//! The pairs of `fixtures/cases`, in both orders, to the tolerances stated there.

use nalgebra::{Matrix3, SVector, Vector3};
use serde_json::Value;
use signorini_geometry::*;

pub(crate) fn case(id: &str) -> Value {
    let path = format!(
        "{}/../../fixtures/cases/{id}.json",
        env!("CARGO_MANIFEST_DIR")
    );
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn numbers<const N: usize>(value: &Value) -> [f64; N] {
    std::array::from_fn(|i| value[i].as_f64().unwrap())
}

fn body(value: &Value) -> (ConvexSet<3>, Pose<3>) {
    let lengths = || Vector3::from(numbers(&value["semi_axes"]));
    let set = match value["type"].as_str().unwrap() {
        "sphere" => Ball::new(value["radius"].as_f64().unwrap()).unwrap().into(),
        "ellipsoid" => Ellipsoid::new(lengths()).unwrap().into(),
        "superquadric" => {
            let exponent = value["exponent"].as_f64().unwrap();
            Superquadric::new(lengths(), exponent).unwrap().into()
        }
        "box" => {
            let full = Vector3::from(numbers(&value["full_size"]));
            Intersection::cuboid(full / 2.0).unwrap().into()
        }
        other => panic!("no {other} here"),
    };
    let position = Vector3::from(numbers(&value["position"]));
    let pose = if value["rotation"].is_null() {
        let quaternion = match &value["quaternion"] {
            Value::Null => [1.0, 0.0, 0.0, 0.0],
            some => numbers(some),
        };
        Pose::from_quaternion(quaternion, position)
    } else {
        let rows: [[f64; 3]; 3] = std::array::from_fn(|i| numbers(&value["rotation"][i]));
        Pose {
            rotation: Matrix3::from_fn(|i, j| rows[i][j]),
            position,
        }
    };
    (set, pose)
}

/// What a case expects, as closest points.
fn expected(value: &Value) -> (ClosestPointsOf, f64) {
    let point = |name: &str| value.get(name).map(|x| Vector3::from(numbers(x)));
    let gap = value.get("distance").or(value.get("signed_distance"));
    let wanted = ClosestPointsOf {
        gap: gap.map(|x| x.as_f64().unwrap()),
        a: point("point_on_A"),
        b: point("point_on_B"),
        normal: point("normal_A_to_B").or_else(|| point("normal_B_to_A").map(|n| -n)),
    };
    (wanted, value["tol"].as_f64().unwrap())
}

#[derive(Debug)]
struct ClosestPointsOf {
    gap: Option<f64>,
    a: Option<Vector3<f64>>,
    b: Option<Vector3<f64>>,
    normal: Option<Vector3<f64>>,
}

fn swapped(c: &ClosestPoints<3>) -> ClosestPoints<3> {
    ClosestPoints {
        a: c.b,
        b: c.a,
        normal: -c.normal,
        ..*c
    }
}

/// Compares in both orders, what is expected and the identity b − a = g n.
fn check(pair: [&(ConvexSet<3>, Pose<3>); 2], wanted: &ClosestPointsOf, tolerance: f64) {
    let [a, b] = pair.map(|(set, pose)| Placed::new(set, *pose));
    let forth = closest_points(&a, &b).unwrap();
    let back = swapped(&closest_points(&b, &a).unwrap());
    let local = refine_closest_points(&a, &b, &forth).unwrap();
    for found in [forth, back, local] {
        let near = |x: &Vector3<f64>, y: &Option<Vector3<f64>>| {
            y.is_none_or(|y| (x - y).norm() <= tolerance)
        };
        let gap = wanted
            .gap
            .is_none_or(|gap| (found.gap - gap).abs() <= tolerance);
        assert!(gap, "{found:?}, wanted {wanted:?}");
        assert!(near(&found.a, &wanted.a), "{found:?}, wanted {wanted:?}");
        assert!(near(&found.b, &wanted.b), "{found:?}, wanted {wanted:?}");
        assert!(
            near(&found.normal, &wanted.normal),
            "{found:?}, wanted {wanted:?}"
        );
        let off = found.b - found.a - found.normal * found.gap;
        assert!(off.norm() < 1e-15, "{found:?}");
    }
}

#[test]
fn ellipsoid_pair() {
    let case = case("geo-ellipsoid-pair");
    let (a, mut b) = (body(&case["problem"]["A"]), body(&case["problem"]["B"]));
    let (mut wanted, tolerance) = expected(&case["expect"][1]);
    wanted.gap = case["expect"][0]["distance"].as_f64();
    check([&a, &b], &wanted, tolerance);
    // Moved to touch: the same normal and point of A.
    let normal = wanted.normal.unwrap();
    b.1.position -= normal * wanted.gap.unwrap();
    (wanted.gap, wanted.b) = (Some(0.0), wanted.a);
    check([&a, &b], &wanted, tolerance);
}

#[test]
fn superquadric_pairs() {
    let case = case("geo-superquadric-pairs");
    for (pair, expect) in case["problem"]["pairs"]
        .as_array()
        .unwrap()
        .iter()
        .zip(case["expect"].as_array().unwrap())
    {
        assert_eq!(pair["name"], expect["pair"]);
        let (a, b) = (body(&pair["A"]), body(&pair["B"]));
        let (wanted, tolerance) = expected(expect);
        check([&a, &b], &wanted, tolerance);
        // From the flats that face each other when A is not turned and B is above it: curvatures are zero there. The
        // local search may say that this is too far off, but must not err.
        let above = Pose::from_position(SVector::z() * 1.5);
        let (at, flat) = (
            Placed::new(&a.0, Pose::identity()),
            Placed::new(&b.0, above),
        );
        let start = closest_points(&at, &flat).unwrap();
        assert!((start.normal - Vector3::z()).norm() < 1e-12, "{start:?}");
        let (a, b) = (Placed::new(&a.0, a.1), Placed::new(&b.0, b.1));
        match refine_closest_points(&a, &b, &start) {
            Ok(found) => assert!((found.gap - wanted.gap.unwrap()).abs() <= tolerance),
            Err(error) => assert!(matches!(error, ClosestError::NotConverged { .. })),
        }
    }
}

#[test]
fn witness_points() {
    let case = case("geo-witness-points");
    for (pair, expect) in case["problem"]["pairs"]
        .as_array()
        .unwrap()
        .iter()
        .zip(case["expect"].as_array().unwrap())
    {
        let (a, b) = (body(&pair["A"]), body(&pair["B"]));
        let (wanted, tolerance) = expected(expect);
        check([&a, &b], &wanted, tolerance);
        // The same balls as ellipsoids.
        let as_ellipsoid = |body: &(ConvexSet<3>, Pose<3>)| match &body.0 {
            ConvexSet::Ball(ball) => {
                let same = Ellipsoid::new(Vector3::repeat(ball.radius())).unwrap();
                (same.into(), body.1)
            }
            _ => body.clone(),
        };
        let as_ellipsoids = [as_ellipsoid(&a), as_ellipsoid(&b)];
        check([&as_ellipsoids[0], &as_ellipsoids[1]], &wanted, tolerance);
        check([&a, &as_ellipsoids[1]], &wanted, tolerance);
    }
}

#[test]
fn kissing_boxes() {
    let case = case("geo-kissing-boxes");
    let (mut a, b) = (body(&case["problem"]["A"]), body(&case["problem"]["B"]));
    let side = a.1.rotation.column(1).into_owned();
    let start = a.1.position;
    for t in [-1e-3, -1e-6, -1e-9, -1e-12, 0.0, 1e-12, 1e-9, 1e-6, 1e-3] {
        a.1.position = start + side * t;
        let wanted = ClosestPointsOf {
            gap: Some(t),
            a: None,
            b: None,
            normal: None,
        };
        check([&a, &b], &wanted, 1e-12);
        let found = closest_points(&Placed::new(&a.0, a.1), &Placed::new(&b.0, b.1)).unwrap();
        assert!((found.normal + side).norm() < 1e-9, "{t}: {found:?}");
        assert_eq!(found.uniqueness, Uniqueness::FreePoints);
        let (on_a, on_b) = (a.1.inverse_apply(&found.a), b.1.inverse_apply(&found.b));
        for (point, face) in [(on_a, -0.125), (on_b, 0.125)] {
            assert!((point.y - face).abs() < 1e-12, "{t}: {point}");
            assert!(point.amax() < 0.125 + 1e-12, "{t}: {point}");
        }
    }
}

#[test]
fn touching_capsule_and_box() {
    let case = case("geo-touching-capsule-box");
    // The capsule's own axis is x, that of the case y.
    let quarter = std::f64::consts::FRAC_PI_4;
    let upright = Pose::from_quaternion([quarter.cos(), 0.0, 0.0, quarter.sin()], Vector3::zeros());
    let a = (Capsule::new(0.25, 0.5).unwrap().into(), upright);
    let mut b = body(&case["problem"]["B"]);
    let start = b.1.position;
    for shift in case["problem"]["shift_B_along_y"].as_array().unwrap() {
        let shift = shift.as_f64().unwrap();
        b.1.position = start + Vector3::y() * shift;
        let wanted = ClosestPointsOf {
            gap: Some(-shift),
            a: Some(Vector3::new(0.0, -0.75, 0.0)),
            b: Some(Vector3::new(0.0, -0.75 + shift, 0.0)),
            normal: Some(-Vector3::y()),
        };
        check([&a, &b], &wanted, 1e-12);
    }
}
