//! Shapes written and read again, bit for bit, and checked on the way in.

use nalgebra::{Vector2, Vector3};
use signorini_geometry::{
    Ball, Capsule, Cone, ConvexSet, Cylinder, Ellipsoid, HalfSpace, Polygon, Pose, Rounded,
    Superquadric,
};

#[test]
fn shapes_come_back_bit_for_bit() {
    let shapes: [ConvexSet<2>; 4] = [
        HalfSpace::new(Vector2::new(0.3, -0.7), 0.1).unwrap().into(),
        Ball::new(0.1).unwrap().into(),
        Capsule::new(0.25, 0.05).unwrap().into(),
        Polygon::rounded([[0.0, 0.1], [1.0, 0.0], [0.3, 0.7]], 0.01)
            .unwrap()
            .into(),
    ];
    for set in shapes {
        let text = serde_json::to_string(&set).unwrap();
        assert_eq!(
            serde_json::from_str::<ConvexSet<2>>(&text).unwrap(),
            set,
            "{text}"
        );
    }
    let axes = Vector3::new(0.5, 0.3, 1.0 / 3.0);
    let shapes: [ConvexSet<3>; 5] = [
        Ellipsoid::new(axes).unwrap().into(),
        Superquadric::with_exponents(axes, 4.0, 1.7).unwrap().into(),
        Cylinder::new(0.1, 0.2).unwrap().into(),
        Cone::new(0.1, 0.2).unwrap().into(),
        Rounded::new(Cone::new(0.1, 0.2).unwrap(), 0.01)
            .unwrap()
            .into(),
    ];
    for set in shapes {
        let text = serde_json::to_string(&set).unwrap();
        assert_eq!(
            serde_json::from_str::<ConvexSet<3>>(&text).unwrap(),
            set,
            "{text}"
        );
    }
    let pose = Pose::from_quaternion([0.1, 0.2, 0.3, 0.4], Vector3::new(1.0 / 3.0, 0.0, 1e-9));
    let text = serde_json::to_string(&pose).unwrap();
    assert_eq!(serde_json::from_str::<Pose<3>>(&text).unwrap(), pose);
}

#[test]
fn what_is_no_shape_is_refused() {
    let read = |text: &str| {
        serde_json::from_str::<ConvexSet<3>>(text)
            .unwrap_err()
            .to_string()
    };
    assert!(read(r#"{"ball": {"radius": -1.0}}"#).starts_with("radius is -1, it must be positive"));
    let polygon = r#"{"polygon": {"vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0]]}}"#;
    assert!(read(polygon).starts_with("a polygon in 3 dimensions"));
}
