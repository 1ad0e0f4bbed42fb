//! Pairs at which searches for closest points are known to fail: a proved answer or a typed error.

use std::sync::Arc;

use nalgebra::{Matrix2, Matrix3, SVector, Vector2, Vector3};
use signorini_geometry::{
    Ball, Capsule, ClosestError, Cone, ConvexSet, Cylinder, Ellipsoid, Intersection, Manifold,
    Placed, Polygon, Pose, Rounded, Superquadric, Surface, Uniqueness, closest_points, manifold,
    refine_closest_points,
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
            Vector2::new(0.004_647_790_005_870_042, 0.002_058_979_013_327_922),
            1.875_768_276_397_970_2,
        )
        .unwrap(),
    );
    let polygon = ConvexSet::from(
        Polygon::rounded(
            [
                [-0.001_312_064_935_031_164_8, 0.000_384_268_552_852_087_95],
                [-0.001_921_861_075_956_510_6, -0.000_162_399_104_113_522_4],
                [-0.001_448_281_957_527_511, -0.000_352_896_990_153_644_57],
                [0.000_524_340_557_481_241, -0.000_486_449_821_991_383_5],
                [0.002_019_763_262_900_998_7, -0.000_051_374_263_351_983_056],
                [0.001_642_013_738_589_124_6, 0.000_296_166_024_086_955_73],
                [0.000_641_726_483_205_179_9, 0.000_477_718_239_905_276_9],
            ],
            0.000_083_779_551_260_033_39,
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
            -0.166_252_746_900_204_22,
            -0.986_083_173_037_719_3,
            0.004_159_283_701_874_254,
            -0.001_677_567_248_113_883_2,
        ),
    );
    let b = Placed::new(
        &polygon,
        turned(
            -0.989_278_062_967_723_4,
            -0.146_044_219_778_905_33,
            0.004_450_321_837_962_256,
            0.000_523_249_878_388_813_9,
        ),
    );
    let there = closest_points(&a, &b).unwrap();
    let back = closest_points(&b, &a).unwrap();
    assert!((there.gap - back.gap).abs() < 1e-15, "{there:?} {back:?}");
}

/// The unit ball with a fault.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Faulty {
    NanGradient,
    ZeroGradient,
    InwardGradient,
    SidewaysGradient,
    InfiniteHessian,
    InfiniteOutside,
    /// Two lobes along x.
    Peanut,
    Sound,
}

impl Surface<3> for Faulty {
    fn value(&self, x: &Vector3<f64>) -> f64 {
        let height = x.norm_squared() - 1.0;
        match self {
            Self::InfiniteOutside if height > 0.0 => f64::INFINITY,
            Self::Peanut => (x.x * x.x - 1.0).powi(2) + x.y * x.y + x.z * x.z - 1.1,
            _ => height,
        }
    }

    fn gradient(&self, x: &Vector3<f64>) -> Vector3<f64> {
        match self {
            Self::NanGradient => Vector3::repeat(f64::NAN),
            Self::ZeroGradient => Vector3::zeros(),
            Self::InwardGradient => -2.0 * x,
            Self::SidewaysGradient => 2.0 * x + 0.5 * x.cross(&Vector3::z()),
            Self::Peanut => Vector3::new(4.0 * x.x * (x.x * x.x - 1.0), 2.0 * x.y, 2.0 * x.z),
            _ => 2.0 * x,
        }
    }

    fn hessian(&self, x: &Vector3<f64>) -> Matrix3<f64> {
        match self {
            Self::InfiniteHessian => Matrix3::repeat(f64::INFINITY),
            Self::Peanut => Matrix3::from_diagonal(&Vector3::new(12.0 * x.x * x.x - 4.0, 2.0, 2.0)),
            _ => Matrix3::identity() * 2.0,
        }
    }
}

#[test]
fn users_surfaces_that_break_their_promise_are_refused() {
    use signorini_geometry::ShapeError;
    let build = |fault: Faulty| ConvexSet::user(Arc::new(fault));
    for fault in [
        Faulty::NanGradient,
        Faulty::InfiniteHessian,
        Faulty::InfiniteOutside,
    ] {
        let error = build(fault).unwrap_err();
        assert!(
            matches!(error, ShapeError::NotFinite { .. }),
            "{fault:?}: {error}"
        );
    }
    for fault in [Faulty::ZeroGradient, Faulty::InwardGradient] {
        let error = build(fault).unwrap_err();
        assert!(
            matches!(error, ShapeError::NotOutward { .. }),
            "{fault:?}: {error}"
        );
    }
    for fault in [Faulty::SidewaysGradient, Faulty::Peanut] {
        let error = build(fault).unwrap_err();
        assert!(
            matches!(error, ShapeError::NotConvexSurface { .. }),
            "{fault:?}: {error}"
        );
    }
    assert!((build(Faulty::Sound).unwrap().size() - 2.0).abs() < 1e-14);
}

#[test]
fn points_of_lines_that_are_not_quite_parallel_are_apart_along_their_normal() {
    let thick = ConvexSet::from(Cylinder::new(0.7, 0.67).unwrap());
    let thin = ConvexSet::from(Cylinder::new(0.1, 1.0).unwrap());
    let lower = Placed::new(&thick, Pose::identity());
    for turn in [1e-9, 5e-4, 0.02] {
        let pose = Pose::from_quaternion([1.0, 0.3 * turn, turn, 0.0], Vector3::zeros());
        for height in [0.4, 0.79, 0.81] {
            let position = Vector3::new(-1e-4, height, -1e-4);
            let upper = Placed::new(&thin, Pose { position, ..pose });
            let mut out = Manifold::new();
            manifold(&lower, &upper, &mut out).unwrap();
            for point in out.points() {
                let c = &point.closest;
                let miss = (c.b - c.a - c.normal * c.gap).norm();
                assert!(miss < 1e-14, "{turn} {height}: {miss} {c:?}");
            }
        }
    }
}

#[test]
fn support_points_of_long_boxes_are_corners() {
    let half = Vector3::new(1.0, 0.25, 0.25);
    let set = ConvexSet::from(Intersection::cuboid(half).unwrap());
    let check = |m: Vector3<f64>| {
        let corner = half.zip_map(&m, f64::copysign);
        let miss = (set.support(&m).unwrap() - corner).norm();
        assert!(miss < 1e-12, "{m}: {miss}");
    };
    // Newton's method once took x = +1, y = +0.25 and y = -0.25 for a corner.
    check(Vector3::new(
        0.315_681_009_669_223_8,
        -0.298_758_634_063_732_76,
        -0.900_604_673_931_127_2,
    ));
    for i in 1..2000 {
        let part = |step: f64| (f64::from(i) * step).sin();
        check(Vector3::new(part(1.3), part(2.1), part(0.7)));
    }
}
