//! Intersections that searches for an interior, an end or a support point are known to fail at.

use std::sync::Arc;
use std::time::{Duration, Instant};

use nalgebra::{Matrix3, Vector2, Vector3};
use signorini_geometry::{
    Ball, ConvexSet, Ellipsoid, HalfSpace, Intersection, Part, Pose, ShapeError, Superquadric,
    Surface, Tube,
};

use crate::support::spatial_directions;

/// Far above what a build takes, far below what it took.
const LONG: Duration = Duration::from_secs(2);

fn plane(normal: [f64; 3], offset: f64) -> Part<3> {
    HalfSpace::new(normal.into(), offset).unwrap().into()
}

fn at(x: f64, y: f64, z: f64) -> Pose<3> {
    Pose::from_position(Vector3::new(x, y, z))
}

fn turned(position: [f64; 3]) -> Pose<3> {
    Pose::from_quaternion([0.9, 0.1, -0.3, 0.2], position.into())
}

fn slab(half: f64) -> Vec<Part<3>> {
    vec![plane([0.0, 0.0, 1.0], half), plane([0.0, 0.0, -1.0], half)]
}

fn tube(radius: f64) -> Part<3> {
    Tube::new(radius).unwrap().into()
}

fn ball(radius: f64) -> Part<3> {
    Ball::new(radius).unwrap().into()
}

fn beside(mut parts: Vec<Part<3>>, more: impl IntoIterator<Item = Part<3>>) -> Vec<Part<3>> {
    parts.extend(more);
    parts
}

fn moved(parts: Vec<Part<3>>, pose: Pose<3>) -> Vec<Part<3>> {
    parts.into_iter().map(|part| part.at(pose)).collect()
}

fn build(parts: Vec<Part<3>>) -> Result<Intersection<3>, ShapeError> {
    let start = Instant::now();
    let built = Intersection::new(parts);
    let time = start.elapsed();
    assert!(time < LONG, "{time:?} {built:?}");
    built
}

/// The direction in which a body is said to have no end.
fn endless(parts: Vec<Part<3>>) -> Vector3<f64> {
    match build(parts) {
        Err(ShapeError::UnboundedIntersection { direction }) => {
            Vector3::from_column_slice(&direction)
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn bodies_without_an_end_are_refused_with_its_direction() {
    let (x, z) = (Vector3::x(), Vector3::z());
    for offset in [-1.0, 0.0, 1e5] {
        assert!((endless(vec![plane([0.0, 0.0, 1.0], offset)]) + z).norm() < 1e-15);
    }
    let flat = slab(1.0);
    assert!(endless(flat.clone()).z.abs() < 1e-12);
    let pose = turned([0.2, -0.1, 0.3]);
    let along = pose.inverse_rotate(&endless(moved(flat.clone(), pose)));
    assert!(along.z.abs() < 1e-12);
    let axis = |parts| pose.inverse_rotate(&endless(moved(parts, pose)));
    let is_axis = |d: Vector3<f64>| (d.z.abs() - 1.0).abs() < 1e-12;
    assert!(is_axis(axis(vec![tube(0.5)])));
    let parallel = vec![tube(0.5), tube(0.5).at(at(0.3, 0.0, 1.0))];
    assert!(is_axis(axis(parallel)));
    let capped = axis(vec![tube(0.5), plane([0.0, 0.0, 1.0], 1.0)]);
    assert!((capped + z).norm() < 1e-12);
    let caps = [plane([1.0, 0.0, 1.0], 1.0), plane([-1.0, 0.0, 1.0], 1.0)];
    assert!((endless(beside(vec![tube(0.5)], caps.clone())) + z).norm() < 1e-12);
    // A wedge, and a shaft that is open above.
    let wedge = endless(caps.to_vec());
    assert!(wedge.z < -0.7 * wedge.x.abs(), "{wedge}");
    let walls = [x, -x, Vector3::y(), -Vector3::y()].map(|n| plane(n.into(), 1.0));
    let shaft = beside(walls.to_vec(), [plane([0.3, 0.1, 1.0], 1.0)]);
    assert!((endless(shaft) + z).norm() < 1e-12);
    let square = Intersection::new([Vector2::x(), Vector2::y(), -Vector2::x()].map(|n| {
        let side = HalfSpace::new(n, 1.0);
        Part::from(side.unwrap())
    }));
    assert_eq!(
        square.unwrap_err(),
        ShapeError::UnboundedIntersection {
            direction: vec![0.0, -1.0]
        }
    );
    // Ten million times as long as wide counts as endless too.
    let narrow = [plane([1e-8, 0.0, 1.0], 1.0), plane([1e-8, 0.0, -1.0], 1.0)];
    let sides = [-x, Vector3::y(), -Vector3::y()].map(|n| plane(n.into(), 1.0));
    assert!((endless(beside(narrow.to_vec(), sides)) - x).norm() < 1e-7);
}

/// x² + y² ≤ 1 + `slope` z.
#[derive(Debug)]
struct Bowl {
    slope: f64,
}

impl Surface<3> for Bowl {
    fn value(&self, x: &Vector3<f64>) -> f64 {
        x.x * x.x + x.y * x.y - self.slope * x.z - 1.0
    }

    fn gradient(&self, x: &Vector3<f64>) -> Vector3<f64> {
        Vector3::new(2.0 * x.x, 2.0 * x.y, -self.slope)
    }

    fn hessian(&self, _: &Vector3<f64>) -> Matrix3<f64> {
        Matrix3::from_diagonal(&Vector3::new(2.0, 2.0, 0.0))
    }
}

#[test]
fn users_bodies_without_an_end_are_refused_too() {
    let user = |slope| Part::user(Arc::new(Bowl { slope }));
    for slope in [0.0, 1.0] {
        let direction = endless(vec![user(slope)]);
        assert!(direction.z.abs() > 1.0 - 1e-6, "{direction}");
        let pose = turned([0.3, 0.0, 0.1]);
        let direction = pose.inverse_rotate(&endless(vec![user(slope).at(pose)]));
        assert!(direction.z.abs() > 1.0 - 1e-6, "{direction}");
    }
    let bowl = build(vec![user(1.0), plane([0.0, 0.0, 1.0], 1.0)]).unwrap();
    assert!((bowl.diameter() - 8f64.sqrt()).abs() < 1e-14);
    let can = build(beside(vec![user(0.0)], slab(1.0))).unwrap();
    assert!((can.diameter() - 8f64.sqrt()).abs() < 1e-14);
}

#[test]
fn parts_that_only_touch_have_no_interior() {
    let third = 3f64.sqrt();
    let corner = [[-1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, -1.0]].map(|n| plane(n, 1.0));
    let cases = [
        vec![plane([0.0, 0.0, 1.0], -1.0), plane([0.0, 0.0, -1.0], -1.0)],
        beside(
            vec![ball(1.0)],
            [plane([0.0, 0.0, 1.0], 0.5), plane([0.0, 0.0, -1.0], -0.5)],
        ),
        vec![ball(1.0), plane([0.0, 0.0, 1.0], -1.0)],
        vec![ball(1e4), ball(1e-6).at(at(1e4 + 1e-6, 0.0, 0.0))],
        beside(slab(1.0), [tube(0.5), plane([1.0, 0.0, 0.0], -0.5)]),
        beside(corner.to_vec(), [plane([1.0, 1.0, 1.0], -third)]),
    ];
    for parts in cases {
        let pose = turned([0.2, -0.1, 0.3]);
        assert_eq!(build(parts.clone()), Err(ShapeError::EmptyInterior));
        assert_eq!(build(moved(parts, pose)), Err(ShapeError::EmptyInterior));
    }
}

/// Checks support points against the boundary and against each other, to `tolerance` of the body.
fn check(parts: Vec<Part<3>>, tolerance: f64) -> Intersection<3> {
    let body = build(parts).unwrap();
    let set = ConvexSet::from(body.clone());
    let allowed = tolerance * body.diameter();
    let directions = spatial_directions();
    let start = Instant::now();
    let points: Vec<_> = directions
        .iter()
        .step_by(5)
        .map(|m| (m.normalize(), set.support(m).unwrap()))
        .collect();
    assert!(start.elapsed() < LONG);
    for (m, point) in &points {
        let value = body.value(point);
        assert!(value.abs() < allowed, "{body:?} {m}: {value:e}");
        for (_, other) in &points {
            let higher = m.dot(&(other - point));
            assert!(higher < allowed, "{body:?} {m}: {higher:e}");
        }
    }
    body
}

/// A lens of two balls with the rim at 1 m, 2 t thick.
fn lens(t: f64) -> Vec<Part<3>> {
    let radius = 0.5 * (1.0 / t + t);
    let offset = radius - t;
    [offset, -offset]
        .map(|z| ball(radius).at(at(0.0, 0.0, z)))
        .to_vec()
}

#[test]
fn flat_and_slender_bodies_of_any_pose() {
    let long = |t: f64, normal: [f64; 3]| plane(normal, t);
    for t in [1e-2, 1e-4] {
        // The rim of a lens is as uncertain as its balls are round, over the angle at which they meet.
        let rim = 1e-15 / (t * t) + 1e-13;
        for pose in [Pose::identity(), turned([0.2, -0.1, 0.3])] {
            let cut = [plane([1.0, 0.2, 0.0], 0.3)];
            let body = check(moved(lens(t), pose), rim);
            assert!((body.diameter() - 2.0).abs() < rim);
            check(moved(beside(lens(t), cut), pose), rim);
            let coin = check(moved(beside(slab(t), [tube(1.0)]), pose), 1e-14);
            assert!((coin.diameter() / (2.0 * t.hypot(1.0)) - 1.0).abs() < 1e-14);
            check(moved(beside(slab(t), [ball(1.0)]), pose), 1e-14);
            let axes = Vector3::new(1.0, 0.7, 0.5);
            for exponent in [1.3, 4.0, 8.0] {
                let shape = Superquadric::new(axes, exponent).unwrap();
                check(moved(beside(slab(t), [shape.into()]), pose), 1e-14);
            }
            let needle = vec![
                long(1.0, [1.0, 0.0, 0.0]),
                long(1.0, [-1.0, 0.0, 0.0]),
                long(t, [0.0, 1.0, 0.0]),
                long(t, [0.0, -1.0, 0.0]),
                long(t, [0.0, 0.0, 1.0]),
                long(t, [0.0, 0.0, -1.0]),
            ];
            let body = check(moved(needle, pose), 1e-14);
            assert!((body.diameter() / (2.0 * (1.0 + 2.0 * t * t).sqrt()) - 1.0).abs() < 1e-14);
            let egg = Ellipsoid::new(Vector3::new(1.0, 0.5, t)).unwrap();
            let cut = plane([0.3, 0.1, 0.9], 0.3 * t);
            check(moved(vec![egg.into(), cut], pose), 1e-14);
        }
    }
    // Two tubes that cross at 1e-4 rad are ten thousand times as long as wide.
    let tilt = Pose::from_quaternion([1.0, 5e-5, 0.0, 0.0], Vector3::zeros());
    let body = check(vec![tube(0.5), tube(0.5).at(tilt)], 1e-12);
    assert!((body.diameter() / 2e4 - 1.0).abs() < 1e-8);
}

#[test]
fn support_of_boxes_near_their_axes_is_that_of_corners() {
    for half in [
        Vector3::new(1.0, 1.0, 1e-4),
        Vector3::new(1.0, 0.3, 0.2),
        Vector3::new(1.0, 1e-4, 1e-4),
    ] {
        let body = ConvexSet::from(Intersection::cuboid(half).unwrap());
        for axis in 0..3 {
            for power in 1..=18 {
                let tilt = 10f64.powi(-power);
                for side in [[1.0, 0.3], [-0.2, 1.0], [0.0, -1.0], [1e-3, 0.7]] {
                    let mut m = Vector3::zeros();
                    m[axis] = 1.0;
                    m[(axis + 1) % 3] = side[0] * tilt;
                    m[(axis + 2) % 3] = side[1] * tilt;
                    let exact = half.dot(&m.abs());
                    let short = exact - m.dot(&body.support(&m).unwrap());
                    assert!(short.abs() < 2e-14, "{half} {m}: {short:e}");
                }
            }
        }
    }
}

/// Numbers in (−1, 1) without a pattern.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn normal(&mut self) -> [f64; 3] {
        [self.next(), self.next(), self.next()]
    }
}

#[test]
fn many_half_spaces_some_of_them_nearly_the_same() {
    let mut numbers = Numbers(88_172_645_463_325_252);
    let mut nearly = |[x, y, z]: [f64; 3], spread: f64| {
        let mut off = || spread * numbers.next();
        let normal = [x + off(), y + off(), z + off()];
        plane(normal, 1.0 + off())
    };
    let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let sides = axes.map(|n| [n, n.map(|x: f64| -x)]).concat();
    for power in [-2, -6, -9, -12, -16] {
        let spread = 10f64.powi(power);
        let parts: Vec<_> = (0..48).map(|i| nearly(sides[i % 6], spread)).collect();
        check(parts, 1e-14);
    }
    for far in [0.0, 1e4] {
        let mut numbers = Numbers(1_234_567);
        let random = (0..50).map(|_| plane(numbers.normal(), 1.0 + 0.3 * numbers.next()));
        let parts = moved(random.collect(), turned([far, -2.0 * far, 0.3 * far]));
        // Points are rounded by their distance from the origin.
        check(parts, 1e-14 + 1e-15 * far);
    }
}

#[test]
fn tiny_and_huge_bodies() {
    for size in [1e-6, 1e4] {
        let cut = plane([0.2, 0.3, 1.0], 0.1 * size);
        check(vec![ball(size), cut], 1e-14);
        let lens = check(vec![ball(size), ball(size).at(at(size, 0.0, 0.0))], 1e-14);
        assert!((lens.diameter() / (size * 3f64.sqrt()) - 1.0).abs() < 1e-14);
    }
}
