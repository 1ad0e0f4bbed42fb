//! Intersections against the shapes that they make, against brute force, and what is refused.

use std::f64::consts::PI;
use std::sync::Arc;

use nalgebra::{Matrix3, Vector2, Vector3};
use signorini_geometry::{
    Ball, Cone, ConvexSet, Cylinder, Ellipsoid, HalfSpace, Intersection, Part, Placed, Polygon,
    Pose, Rounded, ShapeError, Superquadric, Surface, Tube, closest_points, mass_properties,
    mass_properties_of_density,
};

use crate::support::spatial_directions;

fn plane(normal: [f64; 3], offset: f64) -> Part<3> {
    HalfSpace::new(normal.into(), offset).unwrap().into()
}

fn turned() -> Pose<3> {
    Pose::from_quaternion([0.9, 0.1, -0.3, 0.2], Vector3::new(0.2, -0.1, 0.3))
}

/// x⁴ + y⁴/2 + z⁴ + x² y² ≤ 0.3 + z/5: convex, with an odd term.
#[derive(Debug)]
struct Quartic;

impl Surface<3> for Quartic {
    fn value(&self, p: &Vector3<f64>) -> f64 {
        let [x, y, z] = [p.x, p.y, p.z];
        x.powi(4) + 0.5 * y.powi(4) + z.powi(4) + x * x * y * y - 0.3 - 0.2 * z
    }

    fn gradient(&self, p: &Vector3<f64>) -> Vector3<f64> {
        let [x, y, z] = [p.x, p.y, p.z];
        Vector3::new(
            4.0 * x.powi(3) + 2.0 * x * y * y,
            2.0 * y.powi(3) + 2.0 * x * x * y,
            4.0 * z.powi(3) - 0.2,
        )
    }

    fn hessian(&self, p: &Vector3<f64>) -> Matrix3<f64> {
        let [x, y, z] = [p.x, p.y, p.z];
        let xy = 4.0 * x * y;
        Matrix3::new(
            12.0 * x * x + 2.0 * y * y,
            xy,
            0.0,
            xy,
            6.0 * y * y + 2.0 * x * x,
            0.0,
            0.0,
            0.0,
            12.0 * z * z,
        )
    }
}

/// The same body by a function that is not convex, only quasi-convex.
#[derive(Debug)]
struct Squashed;

impl Surface<3> for Squashed {
    fn value(&self, p: &Vector3<f64>) -> f64 {
        Quartic.value(p).atan()
    }

    fn gradient(&self, p: &Vector3<f64>) -> Vector3<f64> {
        Quartic.gradient(p) / (1.0 + Quartic.value(p).powi(2))
    }

    fn hessian(&self, p: &Vector3<f64>) -> Matrix3<f64> {
        let (f, g) = (Quartic.value(p), Quartic.gradient(p));
        let slope = 1.0 / (1.0 + f * f);
        Quartic.hessian(p) * slope - g * g.transpose() * (2.0 * f * slope * slope)
    }
}

/// Compares support points, or heights where the point is not unique, with a body known otherwise.
fn same_support(body: &ConvexSet<3>, known: &ConvexSet<3>, pose: &Pose<3>, tolerance: f64) {
    let size = known.size();
    for m in spatial_directions() {
        let ours = body.support(&m).unwrap();
        let theirs = pose.apply(&known.support(&pose.inverse_rotate(&m)).unwrap());
        let height = m.dot(&(ours - theirs)).abs();
        assert!(height <= tolerance * size, "{body:?} {m}: {height:e}");
        let inside = known.as_surface().value(&pose.inverse_apply(&ours));
        assert!(inside <= tolerance * size, "{body:?} {m}: {inside:e}");
    }
}

#[test]
fn a_cylinder_a_cone_and_a_box_of_parts() {
    let pose = turned();
    for scale in [1e-6, 1.0, 1e4] {
        let (r, l) = (0.3 * scale, 0.4 * scale);
        let at = Pose {
            rotation: pose.rotation,
            position: pose.position * scale,
        };
        let can = Cylinder::new(r, l).unwrap();
        let tube = Intersection::new([
            Tube::new(r).unwrap().into(),
            plane([0.0, 0.0, 1.0], l),
            plane([0.0, 0.0, -1.0], l),
        ])
        .unwrap();
        same_support(&tube.into(), &can.into(), &Pose::identity(), 1e-14);
        let part = Intersection::new([Part::from(can).at(at)]).unwrap();
        same_support(&part.into(), &can.into(), &at, 1e-14);
        let cone = Cone::new(r, l).unwrap();
        let part = Intersection::new([Part::from(cone).at(at)]).unwrap();
        same_support(&part.into(), &cone.into(), &at, 1e-14);
    }
    let half = Vector3::new(1.0, 1e-4, 0.3);
    let cuboid = Intersection::cuboid(half).unwrap();
    assert!((cuboid.diameter() - 2.0 * half.norm()).abs() < 1e-14);
    assert!((cuboid.bounding_radius() - half.norm()).abs() < 1e-15);
    let set = ConvexSet::from(cuboid);
    for m in spatial_directions() {
        // Where a component of m is zero an edge is as high as its corners.
        let corner = half.zip_map(&m, f64::copysign);
        let found = set.support(&m).unwrap();
        assert!(m.dot(&(found - corner)).abs() < 1e-15, "{m}: {found}");
        assert!(set.as_surface().value(&found) < 1e-15, "{m}: {found}");
    }
}

#[test]
fn smooth_parts_that_stand_alone() {
    let pose = turned();
    let axes = Vector3::new(0.5, 0.3, 0.4);
    let needle = Vector3::new(1.0, 1e-4, 1e-4);
    for known in [
        Ball::new(0.3).unwrap().into(),
        ConvexSet::from(Ellipsoid::new(axes).unwrap()),
        Ellipsoid::new(needle).unwrap().into(),
        Superquadric::new(axes, 4.0).unwrap().into(),
        Superquadric::with_exponents(axes, 8.0, 3.0).unwrap().into(),
        Superquadric::new(axes, 1.5).unwrap().into(),
    ] {
        let part = match known.clone() {
            ConvexSet::Ball(shape) => Part::from(shape),
            ConvexSet::Ellipsoid(shape) => shape.into(),
            ConvexSet::Superquadric(shape) => shape.into(),
            _ => unreachable!(),
        };
        let body = ConvexSet::from(Intersection::new([part.at(pose)]).unwrap());
        same_support(&body, &known, &pose, 1e-13);
        let reach = pose.position.norm() + known.bounding_radius();
        assert!(body.bounding_radius() <= reach * (1.0 + 1e-14));
        assert!(
            (body.size() / known.size() - 1.0).abs() < 1e-8,
            "{known:?}: {}",
            body.size()
        );
    }
}

/// Height of the boundary point on a ray from the interior point, from values alone.
fn height(body: &Intersection<3>, m: &Vector3<f64>, w: &Vector3<f64>) -> f64 {
    let from = body.interior_point();
    let (mut inside, mut outside) = (0.0, 2.0 * body.diameter() / w.norm());
    for _ in 0..60 {
        let middle = 0.5 * (inside + outside);
        if body.value(&(from + w * middle)) <= 0.0 {
            inside = middle;
        } else {
            outside = middle;
        }
    }
    m.dot(&(from + w * inside))
}

#[test]
fn users_bodies_and_lenses_by_brute_force() {
    let ball = Part::from(Ball::<3>::new(1.0).unwrap());
    let shift = |z| Pose::from_position(Vector3::new(0.0, 0.0, z));
    let lens = [ball.clone().at(shift(0.8)), ball.at(shift(-0.8))];
    let quartic = Part::user(Arc::new(Quartic));
    let bodies = [
        Intersection::new(lens).unwrap(),
        Intersection::of_surface(Arc::new(Quartic)).unwrap(),
        Intersection::of_surface(Arc::new(Squashed)).unwrap(),
        Intersection::new([
            quartic,
            plane([1.0, 1.0, 1.0], 0.3),
            plane([0.0, -1.0, 0.2], 0.1),
        ])
        .unwrap(),
    ];
    for body in bodies {
        let set = ConvexSet::from(body.clone());
        // No boundary point far or near is higher; in a convex body a local maximum is the global one.
        let around = spatial_directions();
        for m in around.iter().step_by(25) {
            let point = set.support(m).unwrap();
            let (top, ray) = (m.dot(&point), point - body.interior_point());
            assert!(
                body.value(&point).abs() < 1e-14,
                "{m}: {}",
                body.value(&point)
            );
            for spread in [10.0, 1.0, 0.1, 1e-2, 1e-4] {
                for w in around.iter().step_by(7) {
                    let other = height(&body, m, &(ray.normalize() + w * spread));
                    assert!(other <= top + 1e-15, "{m} {spread}: {other} {top}");
                }
            }
        }
    }
}

#[test]
fn polygons_of_half_planes() {
    let outline = [[-0.5, -0.3], [1.2, 0.1], [0.9, 0.8], [0.2, 1.0]];
    let polygon = Polygon::new(outline).unwrap();
    let body = ConvexSet::from(Intersection::new([Part::from(polygon.clone())]).unwrap());
    let disc = Part::from(Ball::<2>::new(0.6).unwrap());
    let cut = ConvexSet::from(Intersection::new([polygon.clone().into(), disc]).unwrap());
    for i in 0..100 {
        let (sin, cos) = (f64::from(i) * 0.0628).sin_cos();
        let m = Vector2::new(cos, sin);
        let ours = body.support(&m).unwrap();
        let exact = ConvexSet::from(polygon.clone()).support(&m).unwrap();
        assert!((ours - exact).norm() < 1e-14, "{m}: {ours}");
        let point = cut.support(&m).unwrap();
        let value = cut.as_surface().value(&point);
        assert!(value.abs() < 1e-15, "{m}: {value:e}");
        assert!(m.dot(&point) <= m.dot(&exact).min(0.6) + 1e-15);
    }
    let mass = |set: &ConvexSet<2>| mass_properties_of_density(set, 1.0).unwrap();
    let (ours, exact) = (mass(&body), mass(&polygon.into()));
    assert!((ours.mass - exact.mass).abs() < 1e-10);
    assert!((ours.centroid - exact.centroid).norm() < 1e-10);
    assert!((ours.polar_moment() - exact.polar_moment()).abs() < 1e-10);
}

#[test]
fn mass_by_quadrature_is_that_of_the_closed_form() {
    let r = 0.5;
    let hemisphere = Intersection::new([
        Part::from(Ball::<3>::new(r).unwrap()),
        plane([0.0, 0.0, 1.0], 0.0),
    ]);
    let mass = mass_properties_of_density(&hemisphere.unwrap().into(), 1.0).unwrap();
    assert!((mass.mass / (2.0 / 3.0 * PI * r.powi(3)) - 1.0).abs() < 1e-10);
    assert!((mass.centroid + Vector3::z() * (0.375 * r)).norm() < 1e-10);
    let across = mass.mass * r * r * 83.0 / 320.0;
    assert!((mass.inertia[(0, 0)] / across - 1.0).abs() < 1e-10);
    let can = Cylinder::new(0.3, 0.4).unwrap();
    let pose = turned();
    let whole = plane([0.0, 0.0, 1.0], 5.0);
    let part = Intersection::new([Part::from(can).at(pose), whole]).unwrap();
    let ours = mass_properties(&part.into(), 2.0).unwrap();
    let exact = mass_properties(&ConvexSet::from(can), 2.0).unwrap();
    assert!((ours.centroid - pose.position).norm() < 1e-10);
    let there = pose.rotation * exact.inertia * pose.rotation.transpose();
    assert!((ours.inertia - there).amax() < 1e-10 * there.amax());
    let alone = Intersection::new([Part::from(can).at(pose)]).unwrap();
    let alone = mass_properties(&alone.into(), 2.0).unwrap();
    assert_eq!(alone.centroid, pose.position);
    assert!((alone.inertia - there).amax() < 1e-16);
}

#[test]
fn closest_points_of_a_rounded_box_and_a_hemisphere() {
    let round = Rounded::new(
        Intersection::cuboid(Vector3::new(0.4, 0.3, 0.2)).unwrap(),
        0.1,
    );
    let round = ConvexSet::from(round.unwrap());
    let hemisphere = Intersection::new([
        Part::from(Ball::<3>::new(0.5).unwrap()),
        plane([0.0, 0.0, 1.0], 0.0),
    ]);
    let hemisphere = ConvexSet::from(hemisphere.unwrap());
    let query = |x: [f64; 3]| {
        closest_points(
            &Placed::new(&hemisphere, Pose::identity()),
            &Placed::new(&round, Pose::from_position(x.into())),
        )
        .unwrap()
    };
    // Above the flat face; below the pole; the rim next to a rounded edge.
    assert!((query([0.1, 0.0, 0.5]).gap - 0.2).abs() < 1e-14);
    assert!((query([0.0, 0.0, -1.0]).gap - 0.2).abs() < 1e-14);
    let rim = query([1.2, 0.0, 0.5]);
    let (dx, dz) = (1.2 - 0.4 - 0.5, 0.5 - 0.2);
    let distance = f64::hypot(dx, dz);
    assert!((rim.gap - (distance - 0.1)).abs() < 1e-14, "{}", rim.gap);
    assert!((rim.normal - Vector3::new(dx, 0.0, dz) / distance).norm() < 1e-13);
}

#[test]
fn what_is_no_body_is_refused() {
    let refuse = |parts: Vec<Part<3>>| Intersection::new(parts).unwrap_err();
    let tube = Part::from(Tube::new(0.5).unwrap()).at(turned());
    let ShapeError::UnboundedIntersection { direction } = refuse(vec![tube.clone()]) else {
        panic!("a tube has no end");
    };
    let axis = turned().rotate(&Vector3::z());
    assert!((axis.dot(&Vector3::from_column_slice(&direction)).abs() - 1.0).abs() < 1e-12);
    let capped = refuse(vec![tube, plane([0.0, 0.0, 1.0], 1.0)]);
    assert!(matches!(capped, ShapeError::UnboundedIntersection { .. }));
    let slab = refuse(vec![
        plane([0.0, 1.0, 1.0], 1.0),
        plane([0.0, -1.0, -1.0], 1.0),
    ]);
    assert!(matches!(slab, ShapeError::UnboundedIntersection { .. }));
    assert_eq!(refuse(vec![]), ShapeError::NoParts);
    let ball = Part::from(Ball::<3>::new(1.0).unwrap());
    for x in [2.0, 3.0] {
        let other = ball
            .clone()
            .at(Pose::from_position(Vector3::new(x, 0.0, 0.0)));
        assert_eq!(refuse(vec![ball.clone(), other]), ShapeError::EmptyInterior);
    }
    let infinite = ball.at(Pose::from_position(Vector3::new(f64::NAN, 0.0, 0.0)));
    assert!(matches!(
        refuse(vec![infinite]),
        ShapeError::NotFinite { what: "pose", .. }
    ));
    let rounded = Polygon::rounded([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], 0.1).unwrap();
    let refused = Intersection::new([Part::from(rounded)])
        .unwrap_err()
        .to_string();
    insta::assert_snapshot!(refused, @"a rounded polygon cannot be part of an intersection, round the intersection instead");
}

#[test]
fn users_surfaces_are_equal_to_themselves() {
    let surface: Arc<dyn Surface<3>> = Arc::new(Quartic);
    let set = |surface: &Arc<dyn Surface<3>>| ConvexSet::user(surface.clone()).unwrap();
    assert_eq!(set(&surface), set(&surface));
    let other: Arc<dyn Surface<3>> = Arc::new(Squashed);
    assert_ne!(set(&surface), set(&other));
}

#[cfg(feature = "serde")]
#[test]
fn intersections_come_back_bit_for_bit() {
    let set = ConvexSet::from(
        Intersection::new([
            Part::from(Cone::<3>::new(0.3, 0.4).unwrap()).at(turned()),
            plane([0.3, 0.0, 1.0], 0.2),
        ])
        .unwrap(),
    );
    let text = serde_json::to_string(&set).unwrap();
    assert_eq!(
        serde_json::from_str::<ConvexSet<3>>(&text).unwrap(),
        set,
        "{text}"
    );
    let user = ConvexSet::user(Arc::new(Quartic)).unwrap();
    let error = serde_json::to_string(&user).unwrap_err().to_string();
    insta::assert_snapshot!(error, @"a user's own surface cannot be written as data");
}
