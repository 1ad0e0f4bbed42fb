//! The pairs of `fixtures/cases`, in both orders, to the tolerances stated there.

use nalgebra::{SVector, Vector3};
use serde_json::Value;
use signorini_geometry::*;

fn case(id: &str) -> Value {
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
        other => panic!("no {other} here"),
    };
    let quaternion = match &value["quaternion"] {
        Value::Null => [1.0, 0.0, 0.0, 0.0],
        some => numbers(some),
    };
    let position = Vector3::from(numbers(&value["position"]));
    (set, Pose::from_quaternion(quaternion, position))
}

/// What a case expects, as closest points.
fn expected(value: &Value) -> (ClosestPointsOf, f64) {
    let point = |name: &str| value.get(name).map(|x| Vector3::from(numbers(x)));
    let gap = value.get("distance").or(value.get("signed_distance"));
    let wanted = ClosestPointsOf {
        gap: gap.map(|x| x.as_f64().unwrap()),
        a: point("point_on_A"),
        b: point("point_on_B"),
        normal: point("normal_A_to_B"),
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
fn witness_points_of_balls() {
    // The other pair of this case has a box, a polytope, which the crate does not have yet.
    let case = case("geo-witness-points");
    let pair = &case["problem"]["pairs"][1];
    assert_eq!(pair["name"], "spheres_rotated");
    let (a, b) = (body(&pair["A"]), body(&pair["B"]));
    let (wanted, tolerance) = expected(&case["expect"][1]);
    check([&a, &b], &wanted, tolerance);
    // The same bodies as ellipsoids.
    let round = |set: &ConvexSet<3>| {
        let radius = set.bounding_radius();
        ConvexSet::from(Ellipsoid::new(Vector3::repeat(radius)).unwrap())
    };
    let as_ellipsoids = [(round(&a.0), a.1), (round(&b.0), b.1)];
    check([&as_ellipsoids[0], &as_ellipsoids[1]], &wanted, tolerance);
    check([&a, &as_ellipsoids[1]], &wanted, tolerance);
}
