//! The curved shapes: support points against brute force, sizes, values on the boundary, and published closest points.

use nalgebra::{SVector, Vector2, Vector3};
use signorini_geometry::{
    Ball, Capsule, Cone, ConvexSet, Cylinder, Ellipsoid, Placed, Polygon, Pose, Rounded,
    ShapeError, Superquadric, closest_points, mass_properties_of_density,
};

use crate::support::spatial_directions;

fn superquadric(semi_axes: [f64; 3], along: f64, section: f64) -> Superquadric<3> {
    Superquadric::with_exponents(semi_axes.into(), along, section).unwrap()
}

fn spatial_shapes() -> Vec<ConvexSet<3>> {
    let axes = [0.5, 0.3, 0.4];
    vec![
        Ellipsoid::new(axes.into()).unwrap().into(),
        superquadric(axes, 4.0, 4.0).into(),
        superquadric(axes, 1.5, 1.5).into(),
        superquadric(axes, 1.3, 6.0).into(),
        superquadric(axes, 6.0, 1.3).into(),
        superquadric(axes, 1.05, 20.0).into(),
        Cylinder::new(0.3, 0.4).unwrap().into(),
        Cone::new(0.3, 0.4).unwrap().into(),
        Cone::new(0.1, 0.9).unwrap().into(),
        Rounded::new(Cylinder::new(0.3, 0.4).unwrap(), 0.1)
            .unwrap()
            .into(),
        Rounded::new(superquadric(axes, 4.0, 1.5), 0.1)
            .unwrap()
            .into(),
    ]
}

/// The point of the boundary on the ray from the origin, by bisection on the value alone.
fn boundary_point<const D: usize>(
    set: &ConvexSet<D>,
    direction: &SVector<f64, D>,
) -> SVector<f64, D> {
    let surface = set.as_surface();
    let (mut inside, mut outside) = (0.0, 2.0 * set.bounding_radius() / direction.norm());
    assert!(surface.value(&(direction * outside)) > 0.0, "{set:?}");
    for _ in 0..60 {
        let middle = 0.5 * (inside + outside);
        if surface.value(&(direction * middle)) <= 0.0 {
            inside = middle;
        } else {
            outside = middle;
        }
    }
    direction * inside
}

#[test]
fn support_points_are_on_the_boundary_and_nothing_is_further() {
    let directions = spatial_directions();
    for set in spatial_shapes() {
        let boundary: Vec<_> = directions.iter().map(|w| boundary_point(&set, w)).collect();
        let mut slack = 0f64;
        for m in &directions {
            let point = set.support(&(m * 3.0)).unwrap();
            let value = set.as_surface().value(&point);
            assert!(value.abs() < 1e-14, "{set:?} {m}: {value}");
            let height = m.dot(&point);
            let best = boundary
                .iter()
                .map(|x| m.dot(x))
                .fold(f64::NEG_INFINITY, f64::max);
            assert!(best <= height + 1e-14, "{set:?} {m}: {best} {height}");
            slack = slack.max(height - best);
            assert!(point.norm() <= set.bounding_radius() * (1.0 + 1e-15));
        }
        // Rays 0.1 rad apart come near every support point but the tip of the slender cone.
        assert!(slack < 0.25, "{set:?}: {slack}");
    }
}

#[test]
fn support_points_hold_at_axes_and_for_any_length() {
    for p in [1.05, 2.0, 20.0] {
        for s in [1.05, 2.0, 20.0] {
            let set = ConvexSet::from(superquadric([0.5, 0.3, 0.4], p, s));
            for (m, expected) in [
                (Vector3::x(), Vector3::x() * 0.5),
                (-Vector3::y() * 1e-200, Vector3::y() * -0.3),
                (Vector3::z() * 1e200, Vector3::z() * 0.4),
                (Vector3::new(1e-300, 0.0, 1.0), Vector3::z() * 0.4),
            ] {
                let point = set.support(&m).unwrap();
                assert!((point - expected).norm() < 1e-14, "{p} {s} {m}: {point}");
            }
        }
    }
}

#[test]
fn sizes_are_those_of_the_furthest_points() {
    let directions = spatial_directions();
    for set in spatial_shapes() {
        let points: Vec<_> = directions.iter().map(|m| set.support(m).unwrap()).collect();
        let far = points.iter().map(SVector::norm).fold(0.0, f64::max);
        let width = directions
            .iter()
            .map(|m| m.dot(&(set.support(m).unwrap() - set.support(&-m).unwrap())));
        let size = width.fold(0.0, f64::max);
        let (radius, diameter) = (set.bounding_radius(), set.size());
        assert!(
            far <= radius * (1.0 + 1e-15) && far > 0.97 * radius,
            "{set:?}: {far} {radius}"
        );
        assert!(
            size <= diameter * (1.0 + 1e-15) && size > 0.97 * diameter,
            "{set:?}: {size}"
        );
    }
}

#[test]
fn the_plane_has_no_cylinders_and_cones() {
    let error = Cylinder::<2>::new(1.0, 1.0).unwrap_err().to_string();
    insta::assert_snapshot!(error, @"a cylinder in 2 dimensions: it exists in space only, the plane has polygons");
    assert!(matches!(
        Cone::<2>::new(1.0, 1.0),
        Err(ShapeError::NotSpatial { .. })
    ));
    for exponent in [1.0, 20.5, f64::NAN] {
        let refused = Superquadric::new(Vector2::new(1.0, 1.0), exponent);
        assert!(
            matches!(refused, Err(ShapeError::Exponent { .. })),
            "{exponent}"
        );
    }
    let half_space = signorini_geometry::HalfSpace::<3>::up();
    let refused = Rounded::new(half_space, 0.1).unwrap_err().to_string();
    insta::assert_snapshot!(refused, @"a half-space is unbounded: it cannot be rounded, shift it instead");
}

#[test]
#[expect(clippy::unreadable_literal, reason = "numbers as they were published")]
fn published_superquadric_pairs() {
    // 50-digit answers, both surfaces to 1e-49.
    let pose = |q: [f64; 4], x: [f64; 3]| Pose::from_quaternion(q, x.into());
    let turned = [
        [
            0.936585811581694,
            0.0936585811581694,
            0.1873171623163388,
            0.28097574347450816,
        ],
        [
            0.9233805168766387,
            -0.3077935056255462,
            0.20519567041703082,
            0.10259783520851541,
        ],
    ];
    let axes = [[0.5, 0.3, 0.2], [0.4, 0.4, 0.25]].map(Vector3::from);
    for ([p, q], at, gap, a, b) in [
        (
            [4.0, 8.0],
            [0.7, 0.5, 0.5],
            0.2609024682660334,
            [0.2532986215536538, 0.394972976330464, 0.08152490260639965],
            [0.3411155457191065, 0.546128457359303, 0.2752006789243687],
        ),
        (
            [1.5, 1.5],
            [0.6, 0.4, 0.3],
            0.2156583796093839,
            [
                0.32629904270224847,
                0.2298856874851199,
                -0.02989597827279349,
            ],
            [
                0.45310592579357617,
                0.31269484407916776,
                0.12363315473000157,
            ],
        ),
    ] {
        let first = ConvexSet::from(Superquadric::new(axes[0], p).unwrap());
        let second = ConvexSet::from(Superquadric::new(axes[1], q).unwrap());
        let closest = closest_points(
            &Placed::new(&first, pose(turned[0], [0.0; 3])),
            &Placed::new(&second, pose(turned[1], at)),
        )
        .unwrap();
        assert!(
            (closest.gap - gap).abs() < 1e-15,
            "{p} {q}: {}",
            closest.gap
        );
        assert!(
            (closest.a - Vector3::from(a)).norm() < 1e-14,
            "{}",
            closest.a
        );
        assert!(
            (closest.b - Vector3::from(b)).norm() < 1e-14,
            "{}",
            closest.b
        );
    }
}

#[test]
fn an_exponent_of_two_is_an_ellipsoid() {
    let axes = Vector3::new(0.5, 0.3, 0.4);
    let density = |set: &ConvexSet<3>| mass_properties_of_density(set, 1.0).unwrap();
    let ellipsoid = density(&Ellipsoid::new(axes).unwrap().into());
    let same = density(&Superquadric::new(axes, 2.0).unwrap().into());
    assert!((ellipsoid.mass - same.mass).abs() < 1e-15);
    assert!((ellipsoid.inertia - same.inertia).amax() < 1e-16);
}

#[test]
fn a_rounded_cylinder_weighs_what_steiner_says() {
    // V + S r + M r² + 4/3 π r³ with the surface S and the integral mean curvature M = π (2 l + π R).
    use std::f64::consts::PI;
    let (big, l, r) = (0.3, 0.4, 0.1);
    let set = ConvexSet::from(Rounded::new(Cylinder::<3>::new(big, l).unwrap(), r).unwrap());
    let mass = mass_properties_of_density(&set, 1.0).unwrap().mass;
    let surface = 2.0 * PI * big * big + 4.0 * PI * big * l;
    let expected = 2.0 * PI * big * big * l
        + surface * r
        + PI * (2.0 * l + PI * big) * r * r
        + 4.0 / 3.0 * PI * r.powi(3);
    assert!(
        (mass - expected).abs() < 1e-12 * expected,
        "{mass} {expected}"
    );
}

#[test]
fn rounding_adds_up() {
    let ball = Rounded::new(Ball::<3>::new(0.2).unwrap(), 0.1).unwrap();
    let rod = Rounded::new(Capsule::<3>::new(0.5, 0.05).unwrap(), 0.1).unwrap();
    let twice = Rounded::new(rod.clone(), 0.05).unwrap();
    assert_eq!((twice.core(), twice.radius()), (rod.core(), 0.1 + 0.05));
    let (a, b) = (ConvexSet::from(ball), ConvexSet::from(twice));
    let closest = closest_points(
        &Placed::new(&a, Pose::identity()),
        &Placed::new(&b, Pose::from_position(Vector3::new(0.1, 0.0, 1.0))),
    )
    .unwrap();
    assert!((closest.gap - 0.5).abs() < 1e-15);
    let square = Rounded::new(Polygon::rectangle(2.0, 1.0).unwrap(), 0.25).unwrap();
    let exact = Polygon::rounded([[-1.0, -0.5], [1.0, -0.5], [1.0, 0.5], [-1.0, 0.5]], 0.25);
    let mass = |set: &ConvexSet<2>| mass_properties_of_density(set, 2.0).unwrap();
    assert_eq!(mass(&square.into()), mass(&exact.unwrap().into()));
}
