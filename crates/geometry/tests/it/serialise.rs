//! Shapes written and read again, bit for bit, and checked on the way in.

use nalgebra::{Vector2, Vector3};
use signorini_geometry::{
    Ball, Capsule, Cone, ConvexSet, Cylinder, Ellipsoid, HalfSpace, HeightField, Polygon, Polytope,
    Pose, Rounded, Shape, Superquadric, Union,
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

/// Bodies of several pieces, grounds among them, are the same bodies again.
#[test]
fn unions_and_grounds_come_back_bit_for_bit() {
    let brick = Polytope::cuboid(1.0, 2.0, 1.0 / 3.0).unwrap();
    let turned = Pose::from_quaternion([0.1, 0.2, 0.3, 0.4], Vector3::new(0.7, 0.0, 1e-9));
    let two = Union::new([(brick.clone(), Pose::identity()), (brick.clone(), turned)]).unwrap();
    let field = HeightField::new(vec![vec![0.0, 0.3], vec![0.1, -0.2]], [0.3, 0.7]).unwrap();
    let thin = field.mesh().unwrap().ground(0.1).unwrap();
    let deep = field.ground(0.1).unwrap();
    for shape in [brick.into(), two.into(), thin.into(), Shape::from(deep)] {
        let text = serde_json::to_string(&shape).unwrap();
        let read: Shape<3> = serde_json::from_str(&text).unwrap();
        assert_eq!(read, shape, "{text}");
        assert_eq!(read.size().to_bits(), shape.size().to_bits());
    }
    let field = HeightField::new(vec![vec![0.0; 2]; 2], [1.0, 1.0]).unwrap();
    let thin = Shape::from(field.mesh().unwrap().ground(0.1).unwrap());
    let text = serde_json::to_string(&thin).unwrap();
    let refused = |from: &str, to: &str| {
        let changed = text.replace(from, to);
        assert_ne!(changed, text);
        let read = serde_json::from_str::<Shape<3>>(&changed);
        read.unwrap_err().to_string()
    };
    let flat = refused(r#""surface":[0.0,0.0,1.0]"#, r#""surface":[0.0,0.0,0.0]"#);
    assert!(flat.starts_with("the normal is zero"), "{flat}");
    let squeezed = refused(r#""rotation":[1.0"#, r#""rotation":[2.0"#);
    assert!(squeezed.contains("rotation"), "{squeezed}");
    let empty = serde_json::from_str::<Shape<3>>(r#"{"union": {"pieces": []}}"#);
    let empty = empty.unwrap_err().to_string();
    assert!(empty.starts_with("the list of pieces is empty"), "{empty}");
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

#[test]
fn hostile_numbers_are_refused_in_words() {
    let shapes = [
        r#"{"ball": {"radius": X}}"#,
        r#"{"capsule": {"half_length": X, "radius": 1.0}}"#,
        r#"{"capsule": {"half_length": 1.0, "radius": X}}"#,
        r#"{"ellipsoid": {"semi_axes": [1.0, X, 1.0]}}"#,
        r#"{"superquadric": {"semi_axes": [1.0, 1.0, X], "exponents": [4.0, 4.0]}}"#,
        r#"{"superquadric": {"semi_axes": [1.0, 1.0, 1.0], "exponents": [4.0, X]}}"#,
        r#"{"cylinder": {"radius": X, "half_length": 1.0}}"#,
        r#"{"cone": {"radius": 1.0, "height": X}}"#,
        r#"{"rounded": {"core": {"cone": {"radius": 1.0, "height": 1.0}}, "radius": X}}"#,
        r#"{"half-space": {"normal": [0.0, 0.0, X], "offset": 0.0}}"#,
        r#"{"half-space": {"normal": [0.0, 0.0, 1.0], "offset": X}}"#,
        r#"{"intersection": {"parts": [{"shape": {"tube": {"radius": X}}}]}}"#,
        r#"{"intersection": {"parts": []}}"#,
        r#"{"ball": {"radius": 1.0, "colour": 1}}"#,
        r#"{"ball": {}}"#,
        r#"{"sphere": {"radius": 1.0}}"#,
    ];
    for shape in shapes {
        for number in ["-1.0", "0.0", "NaN", "1e999", "null", "1e308", "1e-308"] {
            let read = serde_json::from_str::<ConvexSet<3>>(&shape.replace('X', number));
            let fine = ["0.0", "-1.0", "1e308", "1e-308"].contains(&number);
            match read {
                Ok(set) => assert!(fine, "{shape} {number}: {set:?}"),
                Err(error) => assert!(!error.to_string().is_empty()),
            }
        }
    }
}

#[test]
fn long_lists_are_read_in_time() {
    let corner = |i: u32| {
        let (sin, cos) = (f64::from(i) * std::f64::consts::TAU / 1e5).sin_cos();
        format!("[{cos}, {sin}]")
    };
    let corners: Vec<_> = (0..100_000).map(corner).collect();
    let text = format!(r#"{{"polygon": {{"vertices": [{}]}}}}"#, corners.join(","));
    let start = std::time::Instant::now();
    let read = serde_json::from_str::<ConvexSet<2>>(&text);
    assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
    assert!(read.is_ok_and(|set| (set.size() - 2.0).abs() < 1e-9));
    let few = r#"{"polygon": {"vertices": []}}"#;
    let error = serde_json::from_str::<ConvexSet<2>>(few).unwrap_err();
    assert!(error.to_string().starts_with("a polygon has 0 vertices"));
}
