//! Unions, meshes and the questions beside contact, against formulas and against each other.

use nalgebra::{Matrix3, Rotation3, Vector2, Vector3};
use signorini_geometry::{
    Ball, Bounds, Capsule, Cone, ConvexSet, Cylinder, Ellipsoid, HalfSpace, HeightField, Placed,
    Polygon, Polytope, Pose, Rounded, Shape, ShapeError, TriangleMesh, Union,
};

/// A pose that is nothing special.
fn anywhere() -> Pose<3> {
    Pose {
        rotation: Rotation3::from_euler_angles(0.3, -0.7, 1.1).into_inner(),
        position: Vector3::new(0.4, -0.2, 0.9),
    }
}

fn solids() -> Vec<ConvexSet<3>> {
    let brick = Polytope::cuboid(1.0, 0.7, 0.5).unwrap();
    vec![
        Ball::new(0.4).unwrap().into(),
        Capsule::new(0.5, 0.2).unwrap().into(),
        Ellipsoid::new(Vector3::new(0.6, 0.4, 0.3)).unwrap().into(),
        brick.clone().into(),
        Cylinder::new(0.3, 0.5).unwrap().into(),
        Cone::new(0.4, 0.9).unwrap().into(),
        Rounded::new(brick, 0.1).unwrap().into(),
    ]
}

/// Directions all around, none special.
fn directions(count: usize) -> impl Iterator<Item = Vector3<f64>> + Clone {
    (0..count).map(move |k| {
        let z = 1.0 - (2.0 * k as f64 + 1.0) / count as f64;
        let angle = 2.399_963 * k as f64;
        let r = (1.0 - z * z).sqrt();
        Vector3::new(r * angle.cos(), r * angle.sin(), z)
    })
}

/// A brick cut in two, its parts turned and put together again, weighs what the brick weighs.
#[test]
fn a_cut_body_weighs_what_the_whole_weighs() {
    let whole = Shape::from(Polytope::cuboid(3.0, 1.0, 0.5).unwrap());
    let exact = whole.mass_properties(2.0).unwrap();
    // The right part is made lying along y, and turned back.
    let left = (
        ConvexSet::from(Polytope::cuboid(1.0, 1.0, 0.5).unwrap()),
        Pose::from_position(-Vector3::x()),
    );
    let quarter = Pose {
        rotation: Rotation3::from_axis_angle(&Vector3::z_axis(), std::f64::consts::FRAC_PI_2)
            .into_inner(),
        position: Vector3::new(0.5, 0.0, 0.0),
    };
    let right = (
        ConvexSet::from(Polytope::cuboid(1.0, 2.0, 0.5).unwrap()),
        quarter,
    );
    let union = Union::new([left, right]).unwrap();
    let moved = union.moved(&anywhere());
    let ours = Shape::from(moved).mass_properties(2.0).unwrap();
    let turn: Matrix3<f64> = anywhere().rotation;
    let turned = turn * exact.inertia * turn.transpose();
    assert!((ours.inertia - turned).amax() < 1e-14);
    assert!((ours.centroid - anywhere().position).norm() < 1e-15);
    let (moments, axes) = ours.principal_axes();
    assert!(
        (axes * Matrix3::from_diagonal(&moments) * axes.transpose() - ours.inertia).amax() < 1e-14
    );
    assert!(
        (axes.determinant() - 1.0).abs() < 1e-14
            && moments[0] <= moments[1]
            && moments[1] <= moments[2]
    );
    // In the plane too.
    let halves = [-0.5, 0.5].map(|x| {
        let half = Polygon::rectangle(1.0, 1.0).unwrap();
        (half, Pose::from_position(Vector2::new(x, 0.0)))
    });
    let j = Union::new(halves).unwrap().mass_properties(12.0).unwrap();
    assert!((j.polar_moment() - 5.0).abs() < 1e-14);
}

#[test]
fn unions_of_nothing_and_of_no_poses_are_refused() {
    let none: [(Ball<3>, Pose<3>); 0] = [];
    assert_eq!(Union::new(none), Err(ShapeError::NoPieces));
    let ground = Union::new([(HalfSpace::<3>::up(), Pose::identity())]);
    assert!(matches!(ground, Err(ShapeError::Unbounded { .. })));
    let ball = Ball::<3>::new(1.0).unwrap();
    let mirrored = Pose {
        rotation: -Matrix3::identity(),
        position: Vector3::zeros(),
    };
    let union = Union::new([(ball, Pose::identity()), (ball, mirrored)]);
    assert_eq!(union, Err(ShapeError::NotRotation { index: 1 }));
    let nowhere = Pose::from_position(Vector3::new(f64::NAN, 0.0, 0.0));
    assert!(matches!(
        Union::new([(ball, nowhere)]),
        Err(ShapeError::NotFinite { .. })
    ));
    let square = TriangleMesh::new(
        [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].map(Vector3::from),
        [[0, 1, 2]],
    );
    let ground = square.unwrap().ground(0.1).unwrap();
    assert_eq!(ground.mass_properties(1.0), Err(ShapeError::OneSided));
}

/// Bounds of few and of many pieces hold every support point.
#[test]
fn bounds_of_unions_hold_their_pieces() {
    for count in [3, 20] {
        let ball = Ball::<3>::new(0.2).unwrap();
        let at = |k: usize| Pose::from_position(Vector3::new(0.3 * k as f64, 0.1, 0.0));
        let shape = Shape::from(Union::new((0..count).map(|k| (ball, at(k)))).unwrap());
        let pose = anywhere();
        let Bounds::Box(bounds) = shape.bounds(&pose) else {
            panic!("a union is bounded");
        };
        for piece in 0..shape.len() {
            for d in directions(20) {
                let x = shape.placed(piece, &pose).support(&d).unwrap();
                assert!((0..3).all(|i| bounds.lower[i] <= x[i] && x[i] <= bounds.upper[i]));
                assert!((x - pose.position).norm() <= shape.bounding_radius() + 1e-15);
            }
        }
    }
}

/// A projection's point is on the boundary with its normal, and moves by what it should when the point moves along it.
#[test]
fn projections_are_on_the_boundary() {
    for set in solids() {
        let placed = Placed::new(&set, anywhere());
        for d in directions(30) {
            let outside = placed.pose.position + d * 1.7;
            let far = placed.project(&outside).unwrap();
            let kind = set.kind();
            assert!(
                (outside - far.point - far.normal * far.distance).norm() < 1e-11,
                "{kind}"
            );
            // The plane there supports the set.
            let highest = placed.support(&far.normal).unwrap();
            assert!(far.normal.dot(&(highest - far.point)) < 1e-11, "{kind}");
            // Towards the middle it is inside, and no further from the boundary than from this point.
            let inwards = (placed.pose.position - far.point) * 1e-3;
            let near = placed.project(&(far.point + inwards)).unwrap();
            assert!(
                near.distance < 0.0 && near.distance >= -inwards.norm() - 1e-12,
                "{kind}"
            );
            assert!(placed.contains(&(far.point + inwards)), "{kind}");
            assert!(!placed.contains(&(far.point + far.normal * 1e-6)), "{kind}");
        }
    }
}

/// A ray ends at the set: a point before it is outside, one behind it inside; rays that point away miss.
#[test]
fn rays_end_at_the_boundary() {
    for set in solids() {
        let placed = Placed::new(&set, anywhere());
        let kind = set.kind();
        for (d, side) in directions(40).zip(directions(7).cycle()) {
            let target = placed.pose.position + side * 0.15;
            let origin = target + d * 3.0;
            let Some(hit) = placed.cast_ray(&origin, &(-d * 5.0)).unwrap() else {
                assert!(!placed.contains(&target), "{kind}");
                continue;
            };
            assert!(
                (origin - d * hit.distance - hit.point).norm() < 1e-12,
                "{kind}"
            );
            assert!(
                placed.project(&hit.point).unwrap().distance.abs() < 1e-11,
                "{kind}"
            );
            assert!(hit.normal.dot(&d) >= 0.0, "{kind}");
            assert_eq!(placed.cast_ray(&origin, &d).unwrap(), None, "{kind}");
        }
    }
    let ground = ConvexSet::from(HalfSpace::<3>::up());
    let ground = Placed::new(&ground, Pose::identity());
    let hit = ground
        .cast_ray(&Vector3::new(0.0, 0.0, 2.0), &Vector3::new(1.0, 0.0, -1.0))
        .unwrap();
    assert!((hit.unwrap().point - Vector3::new(2.0, 0.0, 0.0)).norm() < 1e-12);
}

/// A ray straight down onto a height field ends on its triangles.
#[test]
fn rays_see_a_height_field() {
    let height = |i: usize, j: usize| (0.9 * i as f64).sin() * (0.7 * j as f64).cos();
    let heights = (0..6).map(|i| (0..6).map(|j| height(i, j)).collect());
    let field = HeightField::new(heights.collect(), [1.0, 1.0]).unwrap();
    let ground = Shape::from(field.ground(1.0).unwrap());
    // In the lower triangle of the cell (2, 3) at 0.6 and 0.2 of it.
    let [p, q, r] = [[2, 3], [3, 3], [3, 4]].map(|[i, j]| field.point(i, j));
    let on = p + (q - p) * 0.6 + (r - q) * 0.2;
    let from = Vector3::new(on.x, on.y, 10.0);
    let (_, hit) = ground
        .cast_ray(&Pose::identity(), &from, &-Vector3::z())
        .unwrap()
        .unwrap();
    assert!((hit.point - on).norm() < 1e-11);
    let normal = (q - p).cross(&(r - p)).normalize();
    assert!((hit.normal - normal).norm() < 1e-9);
    assert!(ground.contains(&Pose::identity(), &(on - Vector3::z() * 0.01)));
    assert!(!ground.contains(&Pose::identity(), &(on + Vector3::z() * 0.01)));
}

/// A polytope made of the half-spaces of another is that one.
#[test]
fn half_spaces_give_the_polytope_back() {
    let points: Vec<_> = directions(12)
        .map(|d| d + Vector3::new(0.3, 0.0, -0.2))
        .collect();
    let hull = Polytope::new(points).unwrap();
    let sides = (0..hull.faces())
        .map(|i| HalfSpace::new(*hull.face_normal(i), hull.face_offset(i)).unwrap());
    let sides: Vec<_> = sides.collect();
    let again = Polytope::from_half_spaces(&sides).unwrap();
    assert_eq!(
        (again.faces(), again.vertices().len()),
        (hull.faces(), hull.vertices().len())
    );
    for x in again.vertices() {
        let nearest = hull
            .vertices()
            .iter()
            .map(|y| (x - y).norm())
            .fold(f64::INFINITY, f64::min);
        assert!(nearest < 1e-12, "{nearest}");
    }
    let open = Polytope::from_half_spaces(&sides[..3]);
    assert!(matches!(
        open,
        Err(ShapeError::UnboundedIntersection { .. })
    ));
}
