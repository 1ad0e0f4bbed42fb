//! What the test modules share: strategies for placed sets and a judge that knows nothing of the methods.

use nalgebra::{SVector, Vector2, Vector3};
use proptest::prelude::*;
use signorini_geometry::{Ball, Capsule, ClosestPoints, ConvexSet, Placed, Polygon, Pose};

/// max { m·x : x in the set }, in world axes relative to `origin`.
pub(crate) fn support<const D: usize>(
    placed: &Placed<'_, D>,
    m: &SVector<f64, D>,
    origin: &SVector<f64, D>,
) -> f64 {
    let at =
        |x: &SVector<f64, D>| m.dot(&(placed.pose.rotate(x) + (placed.pose.position - origin)));
    let highest = |xs: &[SVector<f64, D>]| xs.iter().map(at).fold(f64::NEG_INFINITY, f64::max);
    match placed.set {
        ConvexSet::Ball(ball) => at(&SVector::zeros()) + ball.radius() * m.norm(),
        ConvexSet::Capsule(rod) => highest(&[rod.end(0), rod.end(1)]) + rod.radius() * m.norm(),
        ConvexSet::Polygon(p) => highest(p.vertices()) + p.radius() * m.norm(),
        _ => f64::INFINITY,
    }
}

/// What rounds the core of a set, m.
pub(crate) fn radius<const D: usize>(set: &ConvexSet<D>) -> f64 {
    match set {
        ConvexSet::Ball(ball) => ball.radius(),
        ConvexSet::Capsule(rod) => rod.radius(),
        ConvexSet::Polygon(polygon) => polygon.radius(),
        _ => 0.0,
    }
}

/// How far B is beyond A along m: the gap is the largest of these over all unit m, apart and in overlap.
pub(crate) fn separation<const D: usize>(
    a: &Placed<'_, D>,
    b: &Placed<'_, D>,
    m: &SVector<f64, D>,
) -> f64 {
    let origin = a.pose.position;
    -support(b, &-m, &origin) - support(a, m, &origin)
}

/// A length to which rounding of a pair's relative coordinates is relative.
pub(crate) fn reach<const D: usize>(a: &Placed<'_, D>, b: &Placed<'_, D>) -> f64 {
    a.set.bounding_radius() + b.set.bounding_radius() + (a.pose.position - b.pose.position).norm()
}

/// A length to which rounding of world coordinates is relative.
pub(crate) fn world_reach<const D: usize>(a: &Placed<'_, D>, b: &Placed<'_, D>) -> f64 {
    reach(a, b) + a.pose.position.norm() + b.pose.position.norm()
}

/// The identities of closest points, and the certificate that no direction separates more.
pub(crate) fn judge<const D: usize>(
    a: &Placed<'_, D>,
    b: &Placed<'_, D>,
    closest: &ClosestPoints<D>,
    directions: &[SVector<f64, D>],
) -> Result<(), TestCaseError> {
    let (tight, world) = (
        1e-13 * reach(a, b),
        1e-14 * world_reach(a, b) + 1e-13 * reach(a, b),
    );
    let n = closest.normal;
    prop_assert!((n.norm() - 1.0).abs() < 1e-13, "normal {n:?}");
    prop_assert!(
        (closest.b - closest.a - n * closest.gap).norm() <= world,
        "b - a = gap n: {closest:?}"
    );
    let along = separation(a, b, &n);
    prop_assert!(
        (along - closest.gap).abs() <= tight,
        "separation along n {along}, gap {}",
        closest.gap
    );
    // Points of A and B at this distance: it is the least if B is nowhere nearer along n.
    let (inside_a, inside_b) = (a.value(&closest.a), b.value(&closest.b));
    let gradient = 1e-13 + 1e4 * f64::EPSILON;
    let slack = world + gradient * reach(a, b);
    prop_assert!(
        inside_a.abs() <= slack && inside_b.abs() <= slack,
        "on boundaries: {inside_a} {inside_b}"
    );
    for m in directions {
        let other = separation(a, b, m);
        prop_assert!(
            other <= closest.gap + tight,
            "{m:?} separates {other}, gap {}",
            closest.gap
        );
    }
    Ok(())
}

/// Directions all round the circle, and the normals of both sets' sides.
pub(crate) fn planar_directions(a: &Placed<'_, 2>, b: &Placed<'_, 2>) -> Vec<Vector2<f64>> {
    let mut all: Vec<_> = (0..360)
        .map(|i| {
            let (sin, cos) = (f64::from(i) * std::f64::consts::TAU / 360.0).sin_cos();
            Vector2::new(cos, sin)
        })
        .collect();
    for (placed, sign) in [(a, 1.0), (b, -1.0)] {
        match placed.set {
            ConvexSet::Polygon(p) => {
                all.extend(p.normals().iter().map(|n| placed.pose.rotate(n) * sign));
            }
            ConvexSet::Capsule(_) => {
                let n = placed.pose.rotate(&Vector2::y());
                all.extend([n, -n]);
            }
            _ => {}
        }
    }
    all
}

/// Directions spread over the sphere.
pub(crate) fn spatial_directions() -> Vec<Vector3<f64>> {
    let golden = std::f64::consts::PI * (3.0 - 5f64.sqrt());
    (0..500)
        .map(|i| {
            let z = 1.0 - (2.0 * f64::from(i) + 1.0) / 500.0;
            let (sin, cos) = (golden * f64::from(i)).sin_cos();
            Vector3::new(cos, sin, 0.0) * (1.0 - z * z).sqrt() + Vector3::z() * z
        })
        .collect()
}

/// Balls, stadiums to needles, and convex polygons, of about this size (m).
pub(crate) fn planar_set(size: f64) -> impl Strategy<Value = ConvexSet<2>> {
    let polygon = (
        3usize..9,
        0.0..1.0f64,
        0.05..1.0f64,
        prop_oneof![Just(0.0), 0.0..0.3f64],
    );
    prop_oneof![
        (0.05..1.0f64).prop_map(move |r| Ball::new(r * size).unwrap().into()),
        (0.05..1.0f64, 1e-4..1.0f64)
            .prop_map(move |(l, r)| Capsule::new(l * size, l * r * size).unwrap().into()),
        polygon.prop_map(move |(n, phase, flat, radius)| {
            // Vertices on an ellipse, in order, are strictly convex.
            let vertices = (0..n).map(|i| {
                let uneven = 0.3 * (phase * 7.0 + i as f64 * 2.4).sin();
                let (sin, cos) =
                    (std::f64::consts::TAU * (phase + (i as f64 + uneven) / n as f64)).sin_cos();
                [size * cos, size * flat * sin]
            });
            Polygon::rounded(vertices, radius * size).unwrap().into()
        }),
    ]
}

/// Balls and capsules to needles, of about this size (m).
pub(crate) fn spatial_set(size: f64) -> impl Strategy<Value = ConvexSet<3>> {
    prop_oneof![
        (0.05..1.0f64).prop_map(move |r| Ball::new(r * size).unwrap().into()),
        (0.05..1.0f64, 1e-4..1.0f64)
            .prop_map(move |(l, r)| Capsule::new(l * size, l * r * size).unwrap().into()),
    ]
}

/// From 1e-6 to 1e4 m.
pub(crate) fn size() -> impl Strategy<Value = f64> {
    (-6.0..4.0f64).prop_map(|e| 10f64.powf(e))
}

pub(crate) fn planar_pose(size: f64) -> impl Strategy<Value = Pose<2>> {
    (-4.0..4.0f64, -2.0..2.0f64, -2.0..2.0f64)
        .prop_map(move |(angle, x, y)| Pose::from_angle(angle, Vector2::new(x, y) * size))
}

pub(crate) fn spatial_pose(size: f64) -> impl Strategy<Value = Pose<3>> {
    let quaternion = [-1.0..1.0f64, -1.0..1.0, -1.0..1.0, -1.0..1.0];
    let long_enough = |q: &[f64; 4]| q.iter().map(|x| x * x).sum::<f64>() > 0.01;
    (
        quaternion.prop_filter("direction", long_enough),
        [-2.0..2.0f64, -2.0..2.0, -2.0..2.0],
    )
        .prop_map(move |(q, x)| Pose::from_quaternion(q, Vector3::from(x) * size))
}

/// Angles and offsets at which sides are parallel, in line, or not quite.
pub(crate) fn awkward_angle() -> impl Strategy<Value = f64> {
    let turn = prop_oneof![
        Just(0.0),
        Just(0.25),
        Just(0.5),
        Just(0.75),
        Just(1.0 / 3.0)
    ];
    let off = prop_oneof![
        Just(0.0),
        Just(1e-16),
        Just(-1e-13),
        Just(1e-9),
        Just(-1e-6),
        Just(1e-3)
    ];
    (turn, off).prop_map(|(turn, off)| std::f64::consts::TAU * turn + off)
}

/// Multiples of half a size, also just off them, so that bodies are concentric, flush and touching.
pub(crate) fn awkward_offset() -> impl Strategy<Value = f64> {
    let half = prop_oneof![
        Just(0.0),
        Just(0.5),
        Just(1.0),
        Just(1.5),
        Just(2.0),
        Just(-1.0),
        Just(-2.0)
    ];
    let off = prop_oneof![
        Just(0.0),
        Just(1e-16),
        Just(-1e-14),
        Just(1e-12),
        Just(-1e-9),
        Just(1e-4)
    ];
    (half, off).prop_map(|(half, off)| half + off)
}

/// Shapes of round numbers, which touch at round numbers.
pub(crate) fn awkward_set() -> impl Strategy<Value = ConvexSet<2>> {
    let needle = Polygon::rectangle(2.0, 2e-4).unwrap();
    let triangle = Polygon::new([
        [1.0, 0.0],
        [-0.5, 0.75f64.sqrt()],
        [-0.5, -(0.75f64.sqrt())],
    ])
    .unwrap();
    prop_oneof![
        Just(Ball::new(0.5).unwrap().into()),
        Just(Capsule::new(0.5, 0.5).unwrap().into()),
        Just(Capsule::new(1.0, 1e-4).unwrap().into()),
        Just(Polygon::rectangle(1.0, 1.0).unwrap().into()),
        Just(Polygon::rectangle(2.0, 1.0).unwrap().into()),
        Just(Polygon::regular(6, 1.0).unwrap().into()),
        Just(needle.into()),
        Just(triangle.into()),
    ]
}

/// Knuth's linear congruential generator: the same numbers everywhere.
pub(crate) struct Lcg(u64);

impl Lcg {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// In [0, 1).
    pub(crate) fn unit(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}
