//! Mass properties against quadrature and against each other.

use nalgebra::{Matrix3, SVector, Vector2, Vector3};
use signorini_geometry::{
    Ball, Capsule, ConvexSet, HalfSpace, Polygon, Pose, ShapeError, mass_properties,
    mass_properties_of_density,
};

/// Area, centroid and polar moment by the midpoint rule on an n × n grid over [-2, 2]².
fn quadrature(set: &ConvexSet<2>, n: u32) -> (f64, Vector2<f64>, f64) {
    let cell = 4.0 / f64::from(n);
    let (mut area, mut first, mut second) = (0.0, Vector2::zeros(), 0.0);
    for i in 0..n {
        for j in 0..n {
            let x = Vector2::new(f64::from(i) + 0.5, f64::from(j) + 0.5) * cell
                - Vector2::new(2.0, 2.0);
            if set.as_surface().value(&x) <= 0.0 {
                area += cell * cell;
                first += x * cell * cell;
                second += x.norm_squared() * cell * cell;
            }
        }
    }
    let centroid = first / area;
    (area, centroid, second - area * centroid.norm_squared())
}

#[test]
fn planar_shapes_agree_with_quadrature() {
    let triangle = [[-0.5, -0.3], [1.2, 0.1], [0.2, 1.0]];
    let shapes: [ConvexSet<2>; 5] = [
        Ball::new(1.1).unwrap().into(),
        Capsule::new(0.9, 0.4).unwrap().into(),
        Polygon::new(triangle).unwrap().into(),
        Polygon::rounded(triangle, 0.35).unwrap().into(),
        Polygon::regular(7, 1.5).unwrap().into(),
    ];
    for set in shapes {
        let ours = mass_properties_of_density(&set, 1.0).unwrap();
        let (area, centroid, second) = quadrature(&set, 1000);
        // The boundary cuts about 2000 cells of 1.6e-5 m² at random: 1e-3 is many standard deviations.
        assert!(
            (ours.mass - area).abs() < 1e-3,
            "{set:?}: {} {area}",
            ours.mass
        );
        assert!((ours.centroid - centroid).norm() < 1e-3, "{set:?}");
        assert!(
            (ours.polar_moment() - second).abs() < 2e-3,
            "{set:?}: {} {second}",
            ours.polar_moment()
        );
    }
}

#[test]
fn spatial_capsule_agrees_with_slices() {
    // Exact disc slices along the axis, midpoint rule over the axis.
    let (l, r, n) = (0.7, 0.3, 20_000u32);
    let set = ConvexSet::<3>::from(Capsule::new(l, r).unwrap());
    let ours = mass_properties_of_density(&set, 1.0).unwrap();
    let dx = 2.0 * (l + r) / f64::from(n);
    let (mut volume, mut axial, mut across) = (0.0, 0.0, 0.0);
    for i in 0..n {
        let x = -(l + r) + (f64::from(i) + 0.5) * dx;
        let beyond = (x.abs() - l).max(0.0);
        let squared = r * r - beyond * beyond;
        let slice = std::f64::consts::PI * squared * dx;
        volume += slice;
        axial += slice * squared / 2.0;
        across += slice * (squared / 4.0 + x * x);
    }
    // Second order in dx = 1e-4.
    assert!((ours.mass - volume).abs() < 1e-7);
    assert!((ours.inertia[(0, 0)] - axial).abs() < 1e-7);
    assert!((ours.inertia[(1, 1)] - across).abs() < 1e-7);
    assert!((ours.inertia[(2, 2)] - across).abs() < 1e-7);
    assert_eq!(ours.centroid, SVector::<f64, 3>::zeros());
}

#[test]
fn a_polygon_far_from_its_origin_loses_nothing() {
    let square = Polygon::rectangle(1.0, 1.0).unwrap();
    let shift = Vector2::new(1e6, -2e6);
    let far = mass_properties(&square.translated(&shift).into(), 6.0).unwrap();
    // The vertices themselves are rounded to 2e-10 there.
    assert!((far.polar_moment() - 1.0).abs() < 1e-8);
    assert!((far.centroid - shift).norm() < 1e-9);
}

#[test]
fn a_stadium_is_a_rounded_needle() {
    let stadium = mass_properties(&Capsule::<2>::new(0.5, 0.2).unwrap().into(), 1.0).unwrap();
    let needle = Polygon::rounded(
        [[-0.5, -1e-9], [0.5, -1e-9], [0.5, 1e-9], [-0.5, 1e-9]],
        0.2,
    )
    .unwrap();
    let needle = mass_properties(&needle.into(), 1.0).unwrap();
    assert!((stadium.polar_moment() - needle.polar_moment()).abs() < 1e-8);
}

#[test]
fn what_has_no_mass_says_so() {
    let half_space = ConvexSet::<3>::from(HalfSpace::up());
    insta::assert_snapshot!(mass_properties(&half_space, 1.0).unwrap_err(), @"a half-space is unbounded: its mass is infinite, fix the body or bound its shape");
    let ball = ConvexSet::<2>::from(Ball::new(1.0).unwrap());
    let expected = ShapeError::NotPositive {
        what: "mass",
        value: 0.0,
    };
    assert_eq!(mass_properties(&ball, 0.0), Err(expected));
}

#[test]
fn plates_and_needles_by_quadrature() {
    use signorini_geometry::{Intersection, Part, Tube};
    let turned = Pose::from_quaternion([0.9, 0.1, -0.3, 0.2], Vector3::new(0.2, -0.1, 0.3));
    for half in [Vector3::new(1.0, 0.7, 1e-4), Vector3::new(1.0, 1e-4, 1e-4)] {
        let cuboid = Intersection::cuboid(half).unwrap();
        let parts = cuboid.parts().iter().cloned();
        let body = Intersection::new(parts.map(|part| part.at(turned))).unwrap();
        let found = mass_properties(&body.into(), 1.0).unwrap();
        let squares = half.component_mul(&half) / 3.0;
        let exact = Matrix3::from_diagonal(&squares.map(|own| squares.sum() - own));
        let exact = turned.rotation * exact * turned.rotation.transpose();
        let off = (found.inertia - exact).amax() / exact.amax();
        assert!(off < 1e-8, "{half}: {off:e}");
        assert!((found.centroid - turned.position).norm() < 1e-8 * half.max());
    }
    let end = |sign: f64| HalfSpace::new(Vector3::z() * sign, 1e-4).unwrap();
    let coin = Intersection::new([
        Part::from(Tube::new(1.0).unwrap()),
        end(1.0).into(),
        end(-1.0).into(),
    ]);
    let found = mass_properties(&coin.unwrap().into(), 1.0).unwrap();
    assert!((found.inertia[(2, 2)] - 0.5).abs() < 1e-9);
}
