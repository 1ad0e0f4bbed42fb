//! Derivatives of closest points against differences, and against Montana's equations of contact.

use nalgebra::{SMatrix, SVector, UnitQuaternion, Vector2, Vector3};
use proptest::strategy::ValueTree;
use proptest::{prelude::*, test_runner::TestRunner};
use signorini_geometry::{
    Ball, Capsule, ClosestPoints, Cone, ContactDerivatives, ConvexSet, Cylinder, Ellipsoid,
    HalfSpace, Intersection, Part, Placed, Polygon, Pose, RelativeMotion, Rounded, Superquadric,
    Surface, Twist, closest_points, contact_derivatives, contact_slides, principal_curvatures,
    shape_operator,
};

use crate::support::{planar_pose, planar_set, spatial_pose, spatial_set};

/// The pose after a displacement by `twist`, exact in the rotation.
pub(crate) trait Displace<const D: usize> {
    fn displaced(&self, twist: &Twist<D>) -> Pose<D>;
}

impl Displace<2> for Pose<2> {
    fn displaced(&self, twist: &Twist<2>) -> Pose<2> {
        let turn = Pose::from_angle(twist.angular.z, Vector2::zeros()).rotation;
        Pose {
            rotation: turn * self.rotation,
            position: self.position + twist.linear,
        }
    }
}

impl Displace<3> for Pose<3> {
    fn displaced(&self, twist: &Twist<3>) -> Pose<3> {
        let turn = UnitQuaternion::from_scaled_axis(twist.angular).to_rotation_matrix();
        Pose {
            rotation: turn.into_inner() * self.rotation,
            position: self.position + twist.linear,
        }
    }
}

fn scaled<const D: usize>(twist: &Twist<D>, factor: f64) -> Twist<D> {
    Twist {
        linear: twist.linear * factor,
        angular: twist.angular * factor,
    }
}

/// Gap, normal and points as one list.
fn numbers<const D: usize>(at: &ClosestPoints<D>) -> Vec<f64> {
    let vectors = [at.normal, at.a, at.b];
    std::iter::once(at.gap)
        .chain(vectors.iter().flat_map(|v| v.iter().copied()))
        .collect()
}

/// Column k of the derivatives in the same order.
fn column<const D: usize>(derivatives: &ContactDerivatives<D>, k: usize) -> Option<Vec<f64>> {
    let vectors = [
        derivatives.normal()?[k],
        derivatives.a()?[k],
        derivatives.b()?[k],
    ];
    let all = vectors.iter().flat_map(|v| v.iter().copied());
    Some(std::iter::once(derivatives.gap()[k]).chain(all).collect())
}

/// The largest error of the derivatives against central differences of `closest_points`, relative to the column.
///
/// `None` where the point passes to another feature within the step: there both one-sided differences disagree.
fn worst_error<const D: usize>(sets: [&ConvexSet<D>; 2], poses: [Pose<D>; 2]) -> Option<f64>
where
    Pose<D>: Displace<D>,
{
    const STEP: f64 = 1e-4;
    let place = |poses: [Pose<D>; 2]| [0, 1].map(|s| Placed::new(sets[s], poses[s]));
    let [a, b] = place(poses);
    let at = closest_points(&a, &b).ok()?;
    let derivatives = contact_derivatives(&a, &b, &at).unwrap();
    let mut worst: f64 = 0.0;
    for k in 0..2 * Twist::<D>::DOFS {
        let (side, unit) = (k / Twist::<D>::DOFS, Twist::unit(k % Twist::<D>::DOFS));
        let moved = |factor: f64| {
            let mut poses = poses;
            poses[side] = poses[side].displaced(&scaled(&unit, factor * STEP));
            let [a, b] = place(poses);
            closest_points(&a, &b).ok().map(|at| numbers(&at))
        };
        let [m2, m1, p1, p2] = [moved(-2.0)?, moved(-1.0)?, moved(1.0)?, moved(2.0)?];
        let stated = column(&derivatives, k)?;
        let size = 1.0 + stated.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        for (i, stated) in stated.iter().enumerate() {
            let (wide, narrow) = (
                (p2[i] - m2[i]) / (4.0 * STEP),
                (p1[i] - m1[i]) / (2.0 * STEP),
            );
            let expected = (4.0 * narrow - wide) / 3.0;
            // A kink shows as a step of first order.
            if (wide - narrow).abs() > 1e-3 * size {
                return None;
            }
            worst = worst.max((stated - expected).abs() / size);
        }
    }
    Some(worst)
}

/// Runs `count` pairs from a strategy; at least two thirds must have no kink, and of those none may be off.
fn check<const D: usize>(
    count: usize,
    tolerance: f64,
    pairs: &impl Strategy<Value = ([ConvexSet<D>; 2], [Pose<D>; 2])>,
) where
    Pose<D>: Displace<D>,
{
    let mut runner = TestRunner::deterministic();
    let mut judged = 0;
    for _ in 0..count {
        let (sets, poses) = pairs.new_tree(&mut runner).unwrap().current();
        if let Some(error) = worst_error([&sets[0], &sets[1]], poses) {
            assert!(error < tolerance, "{error:e} for {sets:?} at {poses:?}");
            judged += 1;
        }
    }
    assert!(3 * judged >= 2 * count, "only {judged} of {count} judged");
}

#[test]
fn of_planar_pairs() {
    let pairs = (
        [planar_set(1.0), planar_set(1.0)],
        [planar_pose(1.0), planar_pose(1.0)],
    );
    check(300, 1e-9, &pairs);
}

#[test]
fn of_spatial_pairs() {
    let pairs = (
        [spatial_set(1.0), spatial_set(1.0)],
        [spatial_pose(1.0), spatial_pose(1.0)],
    );
    check(300, 1e-9, &pairs);
}

#[test]
fn of_a_half_space_and_a_body() {
    let ground = HalfSpace::new(Vector2::new(0.3, 1.0), -1.5).unwrap();
    let planar = (planar_set(1.0), planar_pose(1.0), planar_pose(1.0))
        .prop_map(move |(set, p, q)| ([ground.into(), set], [p, q]));
    check(100, 1e-9, &planar);
    let spatial = (spatial_set(1.0), spatial_pose(1.0), spatial_pose(1.0))
        .prop_map(|(set, p, q)| ([set, HalfSpace::up().into()], [p, q]));
    check(100, 1e-9, &spatial);
}

/// Ellipsoids with each other and with everything else.
#[test]
fn of_ellipsoids() {
    let planar = || {
        [0.1..1.5f64, 0.1..1.5]
            .prop_map(|e| ConvexSet::from(Ellipsoid::new(Vector2::from(e)).unwrap()))
    };
    let pairs = ([planar(), planar()], [planar_pose(1.0), planar_pose(1.0)]);
    check(200, 1e-9, &pairs);
    let mixed = (
        planar(),
        planar_set(1.0),
        [planar_pose(1.0), planar_pose(1.0)],
    )
        .prop_map(|(e, set, poses)| ([e, set], poses));
    check(200, 1e-9, &mixed);
    let spatial = || semi_axes().prop_map(|e| ConvexSet::from(Ellipsoid::new(e).unwrap()));
    let pairs = (
        [spatial(), spatial()],
        [spatial_pose(1.0), spatial_pose(1.0)],
    );
    check(200, 1e-9, &pairs);
    let mixed = (
        spatial(),
        spatial_set(1.0),
        [spatial_pose(1.0), spatial_pose(1.0)],
    )
        .prop_map(|(e, set, poses)| ([set, e], poses));
    check(200, 1e-9, &mixed);
    let ground = (spatial(), spatial_pose(1.0), spatial_pose(1.0))
        .prop_map(|(set, p, q)| ([HalfSpace::up().into(), set], [p, q]));
    check(100, 1e-9, &ground);
}

fn superquadric() -> impl Strategy<Value = ConvexSet<3>> {
    (semi_axes(), [1.3..5.0f64, 1.3..5.0]).prop_map(|(axes, [p, s])| {
        let body = Superquadric::with_exponents(axes, p, s);
        ConvexSet::from(body.unwrap())
    })
}

fn with_flat_ends() -> impl Strategy<Value = ConvexSet<3>> {
    prop_oneof![
        [0.2..1.0f64, 0.2..1.0].prop_map(|[r, l]| Cylinder::new(r, l).unwrap().into()),
        [0.2..1.0f64, 0.2..1.5].prop_map(|[r, h]| Cone::new(r, h).unwrap().into()),
    ]
}

/// Rims, apexes, and superquadrics, whose higher derivatives have no bound near the planes of symmetry: there the
/// differences are what is less exact.
#[test]
fn of_superquadrics_cylinders_and_cones() {
    let apart = || {
        [spatial_pose(1.0), spatial_pose(1.0)].prop_map(|[a, b]| {
            let position = b.position + Vector3::new(0.0, 0.0, 4.0);
            [a, Pose { position, ..b }]
        })
    };
    let ball = || semi_axes().prop_map(|e| ConvexSet::from(Ellipsoid::new(e).unwrap()));
    check(150, 1e-5, &([superquadric(), superquadric()], apart()));
    let mixed = (superquadric(), ball(), apart()).prop_map(|(s, e, poses)| ([e, s], poses));
    check(150, 1e-5, &mixed);
    check(150, 1e-9, &([with_flat_ends(), with_flat_ends()], apart()));
    let mixed = (with_flat_ends(), ball(), apart()).prop_map(|(s, e, poses)| ([e, s], poses));
    check(150, 1e-5, &mixed);
    let mixed =
        (with_flat_ends(), superquadric(), apart()).prop_map(|(s, e, poses)| ([s, e], poses));
    check(150, 1e-5, &mixed);
    let rounded = (with_flat_ends(), ball(), 0.0..0.3f64, apart()).prop_map(|(s, e, r, poses)| {
        let [s, e] = [s, e].map(|core| Rounded::new(core, r).unwrap().into());
        ([s, e], poses)
    });
    check(100, 1e-9, &rounded);
    let ground =
        (with_flat_ends(), apart()).prop_map(|(set, poses)| ([HalfSpace::up().into(), set], poses));
    check(100, 1e-5, &ground);
}

/// A lens, a hemisphere, a box and their rounded kin: rims of two curved surfaces, edges and corners.
fn intersection() -> impl Strategy<Value = ConvexSet<3>> {
    let ball = |r: f64| Part::from(Ball::<3>::new(r).unwrap());
    let at = |z: f64| Pose::from_position(Vector3::new(0.0, 0.0, z));
    let lens = (0.2..0.8f64).prop_map(move |z| {
        let lens = Intersection::new([ball(1.0).at(at(z)), ball(0.9).at(at(-0.8))]);
        lens.unwrap().into()
    });
    let hemisphere = (0.3..1.0f64).prop_map(move |r| {
        let below = HalfSpace::new(Vector3::z(), 0.2 * r).unwrap();
        Intersection::new([ball(r), below.into()]).unwrap().into()
    });
    let cuboid = ([0.2..0.8f64, 0.2..0.8, 0.2..0.8], 0.0..0.2f64).prop_map(|(half, r)| {
        let sharp = Intersection::cuboid(Vector3::from(half)).unwrap();
        Rounded::new(sharp, r).unwrap().into()
    });
    prop_oneof![lens, hemisphere, cuboid]
}

#[test]
fn of_intersections() {
    let apart = || {
        [spatial_pose(1.0), spatial_pose(1.0)].prop_map(|[a, b]| {
            let position = b.position + Vector3::new(0.0, 0.0, 3.0);
            [a, Pose { position, ..b }]
        })
    };
    check(24, 1e-9, &([intersection(), intersection()], apart()));
    let ball = || semi_axes().prop_map(|e| ConvexSet::from(Ellipsoid::new(e).unwrap()));
    let mixed = (intersection(), ball(), apart()).prop_map(|(s, e, poses)| ([e, s], poses));
    check(24, 1e-9, &mixed);
    let ground =
        (intersection(), apart()).prop_map(|(set, poses)| ([HalfSpace::up().into(), set], poses));
    check(24, 1e-9, &ground);
}

#[test]
fn points_between_parallel_sides_are_not_determined() {
    let ground = ConvexSet::<2>::from(HalfSpace::up());
    let boxed = ConvexSet::from(Polygon::rectangle(2.0, 1.0).unwrap());
    let a = Placed::new(&ground, Pose::identity());
    let b = Placed::new(&boxed, Pose::from_position(Vector2::new(0.0, 0.5)));
    let mut at = closest_points(&a, &b).unwrap();
    // Inside the side instead of at its end.
    (at.a, at.b) = (Vector2::zeros(), Vector2::zeros());
    let derivatives = contact_derivatives(&a, &b, &at).unwrap();
    assert_eq!(derivatives.a(), None);
    assert_eq!(derivatives.gap(), [0.0, -1.0, 0.0, 0.0, 1.0, 0.0]);
    // The normal is that of the ground.
    assert_eq!(derivatives.normal().unwrap()[2], -Vector2::x());
    assert_eq!(derivatives.normal().unwrap()[5], Vector2::zeros());
    let c = Placed::new(&boxed, Pose::from_position(Vector2::new(0.0, 1.5)));
    let derivatives = contact_derivatives(
        &b,
        &c,
        &ClosestPoints {
            a: Vector2::new(0.0, 1.0),
            b: Vector2::new(0.0, 1.0),
            ..at
        },
    )
    .unwrap();
    assert_eq!((derivatives.normal(), derivatives.b()), (None, None));
    assert_eq!(derivatives.gap()[..2], [0.0, -1.0]);
}

/// Whether the points and the normal of a pair are said to be determined.
fn determined<const D: usize>(sets: &[ConvexSet<D>; 2], poses: [Pose<D>; 2]) -> [bool; 2] {
    let [a, b] = [0, 1].map(|s| Placed::new(&sets[s], poses[s]));
    let at = closest_points(&a, &b).unwrap();
    let derivatives = contact_derivatives(&a, &b, &at).unwrap();
    [derivatives.b().is_some(), derivatives.normal().is_some()]
}

/// Whichever of the equally close points the search names, an end or one inside.
#[test]
fn points_along_lines_and_faces_are_not_determined() {
    let ground = || ConvexSet::<3>::from(HalfSpace::up());
    let rod = || ConvexSet::from(Capsule::<3>::new(0.5, 0.1).unwrap());
    let can = || ConvexSet::from(Cylinder::<3>::new(0.3, 0.4).unwrap());
    let cube = || ConvexSet::from(Superquadric::new(Vector3::repeat(0.5), 4.0).unwrap());
    let at = |x: f64, z: f64| Pose::from_position(Vector3::new(x, 0.0, z));
    let half = 0.5f64.sqrt();
    let lying = Pose::from_quaternion([half, half, 0.0, 0.0], Vector3::new(0.0, 0.0, 0.4));
    let under = Pose::identity;
    let normal_only = [false, true];
    assert_eq!(
        determined(&[ground(), rod()], [under(), at(0.0, 0.2)]),
        normal_only
    );
    assert_eq!(
        determined(&[ground(), can()], [under(), at(0.0, 0.5)]),
        normal_only
    );
    assert_eq!(
        determined(&[ground(), can()], [under(), lying]),
        normal_only
    );
    assert_eq!(
        determined(&[cube(), ground()], [at(0.0, 0.6), under()]),
        normal_only
    );
    let gap_only = [false, false];
    assert_eq!(
        determined(&[rod(), rod()], [under(), at(0.2, 0.3)]),
        gap_only
    );
    assert_eq!(
        determined(&[can(), can()], [under(), at(0.1, 0.9)]),
        gap_only
    );
    // Off the flat all is.
    let tilted = Pose::from_quaternion([0.9, 0.1, 0.2, 0.1], Vector3::new(0.0, 0.0, 1.0));
    for set in [rod(), can(), cube()] {
        assert_eq!(
            determined(&[ground(), set], [under(), tilted]),
            [true, true]
        );
    }
    // A kink is not a flat: the derivatives of one side are given.
    let ball = ConvexSet::from(Ball::<3>::new(0.3).unwrap());
    assert_eq!(
        determined(&[can(), ball], [under(), at(0.3, 0.9)]),
        [true, true]
    );
}

#[test]
fn two_half_spaces_are_refused() {
    let ground = ConvexSet::<3>::from(HalfSpace::up());
    let ball = ConvexSet::from(Ball::<3>::new(1.0).unwrap());
    let a = Placed::new(&ground, Pose::identity());
    let at = closest_points(&a, &Placed::new(&ball, Pose::identity())).unwrap();
    assert!(contact_derivatives(&a, &a, &at).is_err());
}

/// The answer for two ellipsoids that touch at a chosen point of each.
fn touching(
    axes: [Vector3<f64>; 2],
    directions: [Vector3<f64>; 2],
    spin: f64,
) -> ([ConvexSet<3>; 2], [Pose<3>; 2], ClosestPoints<3>) {
    let sets = axes.map(|e| ConvexSet::from(Ellipsoid::new(e).unwrap()));
    let x = [0, 1].map(|s| sets[s].support(&directions[s]).unwrap());
    let n = directions[0].normalize();
    // Turn B so that its outward normal at its point is −n, then about n.
    let align = UnitQuaternion::rotation_between(&directions[1], &-n).unwrap();
    let turn = UnitQuaternion::from_scaled_axis(n * spin) * align;
    let rotation = turn.to_rotation_matrix().into_inner();
    let poses = [
        Pose::identity(),
        Pose {
            rotation,
            position: x[0] - rotation * x[1],
        },
    ];
    // Only the shape of the answer is borrowed: every number is replaced.
    let ball = ConvexSet::from(Ball::<3>::new(1.0).unwrap());
    let apart = Pose::from_position(Vector3::new(4.0, 0.0, 0.0));
    let template = closest_points(
        &Placed::new(&ball, Pose::identity()),
        &Placed::new(&ball, apart),
    );
    let at = ClosestPoints {
        a: x[0],
        b: x[0],
        normal: n,
        gap: 0.0,
        ..template.unwrap()
    };
    (sets, poses, at)
}

fn vector() -> impl Strategy<Value = Vector3<f64>> {
    [-1.0..1.0f64, -1.0..1.0, -1.0..1.0]
        .prop_map(Vector3::from)
        .prop_filter("direction", |v| v.norm() > 0.1)
}

fn semi_axes() -> impl Strategy<Value = Vector3<f64>> {
    [0.3..1.5f64, 0.3..1.5, 0.3..1.5].prop_map(Vector3::from)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Montana's equations come from the shape operators of the surfaces, the derivatives from support functions.
    #[test]
    fn rolling_and_sliding_agree_with_montana(
        axes in [semi_axes(), semi_axes()],
        directions in [vector(), vector()],
        spin in -3.0..3.0f64,
        motion in [vector(), vector(), vector(), vector()],
    ) {
        let (sets, poses, at) = touching(axes, directions, spin);
        let [a, b] = [0, 1].map(|s| Placed::new(&sets[s], poses[s]));
        let derivatives = contact_derivatives(&a, &b, &at).unwrap();
        let twists = [0, 1].map(|s| Twist { linear: motion[2 * s], angular: motion[2 * s + 1] });
        let arms = poses.map(|pose| at.a - pose.position);
        // Keep the contact closed.
        let mut twists = twists;
        let opening = at.normal.dot(&(twists[1].at(&arms[1]) - twists[0].at(&arms[0])));
        twists[1].linear -= at.normal * opening;
        let rates = derivatives.rates([&twists[0], &twists[1]]);
        let shapes = [0, 1].map(|s| {
            let jet = sets[s].as_surface().jet(&poses[s].inverse_apply(&at.a));
            let r = poses[s].rotation;
            r * shape_operator(&jet).unwrap() * r.transpose()
        });
        let motion = RelativeMotion::new(at.normal, [&twists[0], &twists[1]], [&arms[0], &arms[1]]);
        let slides = contact_slides(&shapes[0], &shapes[1], &motion).unwrap();
        let size = 1.0 + slides.on_a.norm() + slides.on_b.norm();
        prop_assert!(rates.gap.abs() < 1e-13);
        let expected = [twists[0].at(&arms[0]) + slides.on_a, twists[1].at(&arms[1]) + slides.on_b];
        prop_assert!((rates.a.unwrap() - expected[0]).norm() < 1e-11 * size);
        prop_assert!((rates.b.unwrap() - expected[1]).norm() < 1e-11 * size);
        prop_assert!((expected[0] - expected[1]).norm() < 1e-11 * size);
        let turned = twists[0].turn(&at.normal) + shapes[0] * slides.on_a;
        prop_assert!((rates.normal.unwrap() - turned).norm() < 1e-11 * size);
    }

    /// K and its principal form are the same operator.
    #[test]
    fn principal_curvatures_make_the_shape_operator(axes in semi_axes(), at in vector()) {
        let body = Ellipsoid::new(axes).unwrap();
        let jet = body.jet(&at);
        let principal = principal_curvatures(&jet).unwrap();
        let parts = principal.curvatures().iter().zip(principal.directions());
        let sum: SMatrix<f64, 3, 3> = parts.map(|(k, d)| d * d.transpose() * *k).sum();
        let shape = shape_operator(&jet).unwrap();
        prop_assert!((sum - shape).norm() < 1e-13 * (1.0 + shape.norm()));
        prop_assert!(principal.curvatures()[0] >= principal.curvatures()[1]);
        prop_assert!(principal.curvatures()[1] > -1e-13 * shape.norm());
        // The gradient turns as K says.
        let (n, t) = (principal.normal(), principal.directions()[0]);
        prop_assert!((n - jet.gradient.normalize()).norm() < 1e-15);
        prop_assert!(n.dot(&t).abs() < 1e-14);
    }
}

/// A disc that rolls over another: with the exact motion as reference the prediction is of second order.
#[test]
fn the_predicted_point_is_of_second_order() {
    let sets = [
        ConvexSet::from(Capsule::<2>::new(0.5, 0.3).unwrap()),
        ConvexSet::from(Polygon::rectangle(1.0, 0.6).unwrap()),
    ];
    let poses = [
        Pose::from_angle(0.3, Vector2::new(0.1, 0.2)),
        Pose::from_angle(-0.4, Vector2::new(0.4, 1.6)),
    ];
    let twists = [
        Twist::from_slice(&[0.3, -0.2, 0.7]),
        Twist::from_slice(&[-0.1, 0.4, -1.1]),
    ];
    let query = |h: f64| {
        let moved = [0, 1].map(|s| poses[s].displaced(&scaled(&twists[s], h)));
        let [a, b] = [0, 1].map(|s| Placed::new(&sets[s], moved[s]));
        closest_points(&a, &b).unwrap()
    };
    let [a, b] = [0, 1].map(|s| Placed::new(&sets[s], poses[s]));
    let at = query(0.0);
    let rate: SVector<f64, 2> = contact_derivatives(&a, &b, &at)
        .unwrap()
        .rates([&twists[0], &twists[1]])
        .a
        .unwrap();
    let error = |h: f64| (query(h).a - (at.a + rate * h)).norm();
    let ratio = error(1e-2) / error(1e-3);
    assert!((ratio / 100.0 - 1.0).abs() < 0.05, "{ratio}");
}
