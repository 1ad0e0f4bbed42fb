//! Implicit contacts: derivatives against differences, Newton on the rows against `closest_points`, one implicit step.

use nalgebra::{DMatrix, DVector, Vector2, Vector3};
use proptest::strategy::ValueTree;
use proptest::{prelude::*, test_runner::TestRunner};
use signorini_dynamics::{
    Body, ContactMaterial, ContactPoint, Gyroscopic, ImplicitContacts, Inertia, PairDerivatives,
    PairLayout, PairPoint, PairRows, Pairs, Rotation, System, World, WorldSettings,
};
use signorini_geometry::{
    Ball, Capsule, Cone, ConvexSet, Cylinder, Ellipsoid, HalfSpace, Intersection, Part, Placed,
    Polygon, Pose, Rounded, Shape, Superquadric, closest_points,
};

use crate::support::{all_contacts, assert_close};

/// Two moving bodies with belts, so that every column of the derivatives can be tried.
fn two_bodies<const D: usize>(
    sets: [impl Into<Shape<D>>; 2],
    positions: [Vec<f64>; 2],
    contact_point: ContactPoint,
) -> World<D> {
    let material = ContactMaterial {
        friction: 0.3,
        reference: [0.3, -0.2, 0.9],
        ..ContactMaterial::default()
    };
    let mut world = World::with_settings(WorldSettings {
        material,
        contact_point,
        ..WorldSettings::default()
    })
    .unwrap();
    for (name, (set, position)) in ["a", "b"].into_iter().zip(sets.into_iter().zip(positions)) {
        world
            .add(Body {
                shape: Some(set.into()),
                position,
                surface_velocity: if name == "a" {
                    [0.3, -0.2, 0.5]
                } else {
                    [-0.1, 0.4, 0.2]
                },
                ..Body::moving(name, 1.0, Inertia::Scalar(1.0))
            })
            .unwrap();
    }
    world
}

fn only_pair(system: &dyn System, q: &[f64]) -> (PairLayout, Vec<f64>) {
    let implicit = system.implicit().unwrap();
    let mut pairs = Pairs::default();
    implicit.pairs(q, f64::INFINITY, &mut pairs).unwrap();
    assert_eq!(pairs.layouts.len(), 1);
    let mut z = vec![0.0; pairs.layouts[0].nz];
    implicit.start(&pairs.layouts[0], q, &mut z).unwrap();
    (pairs.layouts[0], z)
}

/// Closest rows, gap, surface gap, W p and Wᵀ v + drift one after the other.
fn values(system: &dyn System, pair: &PairLayout, at: &PairPoint<'_>) -> Vec<f64> {
    let mut rows = PairRows::default();
    let implicit = system.implicit().unwrap();
    implicit.rows(pair, at.q, at.z, &mut rows);
    let mut out = rows.closest.clone();
    out.extend([rows.gap, rows.surface_gap]);
    let width = 2 * pair.dofs;
    let directions = || rows.directions.chunks_exact(width);
    out.extend((0..width).map(|j| directions().zip(at.p).map(|(w, p)| w[j] * p).sum::<f64>()));
    let v = both_velocities(pair, at.v);
    let slip = directions().map(|w| w.iter().zip(&v).map(|(w, v)| w * v).sum::<f64>());
    out.extend(slip.zip(&rows.drift).map(|(slip, drift)| slip + drift));
    out
}

/// Velocities of A and of B, zeros for a fixed body.
fn both_velocities(pair: &PairLayout, v: &[f64]) -> Vec<f64> {
    let own = |offset: Option<usize>| match offset {
        Some(offset) => v[offset..][..pair.dofs].to_vec(),
        None => vec![0.0; pair.dofs],
    };
    pair.offsets.into_iter().flat_map(own).collect()
}

/// The stated derivatives in the order of [`values`], by rows.
fn stated(system: &dyn System, pair: &PairLayout, at: &PairPoint<'_>) -> Vec<f64> {
    let mut out = PairDerivatives::default();
    let implicit = system.implicit().unwrap();
    implicit.derivatives(pair, at, &mut out);
    [out.closest, out.gap, out.surface_gap, out.wrench, out.slip].concat()
}

/// Largest error of the derivatives at a point, relative to the largest entry of the row.
fn worst_error(system: &dyn System, pair: &PairLayout, at: &PairPoint<'_>) -> f64 {
    const STEP: f64 = 1e-4;
    let stated = stated(system, pair, at);
    let columns = pair.columns();
    let rows = stated.len() / columns;
    assert_eq!(rows, pair.nz + 2 + 2 * pair.dofs + pair.np);
    let moved = |k: usize, step: f64| {
        let (mut q, mut z) = (at.q.to_vec(), at.z.to_vec());
        if k < pair.nz {
            z[k] += step;
        } else {
            let mut v = vec![0.0; system.nv()];
            let (body, component) = ((k - pair.nz) / pair.dofs, (k - pair.nz) % pair.dofs);
            v[pair.offsets[body].unwrap() + component] = 1.0;
            system.retract(at.q, &v, step, Rotation::LieGroup, &mut q);
        }
        let (q, z) = (&q[..], &z[..]);
        values(system, pair, &PairPoint { q, z, ..*at })
    };
    let mut expected = vec![0.0; stated.len()];
    for k in 0..columns {
        let [m2, m1, p1, p2] = [-2.0, -1.0, 1.0, 2.0].map(|factor| moved(k, factor * STEP));
        for i in 0..rows {
            expected[i * columns + k] = (8.0 * (p1[i] - m1[i]) - (p2[i] - m2[i])) / (12.0 * STEP);
        }
    }
    let mut worst: f64 = 0.0;
    for (stated, expected) in stated
        .chunks_exact(columns)
        .zip(expected.chunks_exact(columns))
    {
        let size = 1.0 + stated.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        for (x, y) in stated.iter().zip(expected) {
            worst = worst.max((x - y).abs() / size);
        }
    }
    worst
}

/// Position of a body apart from the origin, for D = 2 or 3.
fn position<const D: usize>(at: &[f64; 3], turn: &[f64; 4]) -> Vec<f64> {
    if D == 2 {
        return vec![at[0], at[1], 3.0 * turn[0]];
    }
    let norm = turn.iter().map(|x| x * x).sum::<f64>().sqrt();
    at.iter().copied().chain(turn.map(|x| x / norm)).collect()
}

/// Derivatives at random points near the closest ones, for both lever arms.
fn check<const D: usize>(sets: &[ConvexSet<D>; 2], tolerance: f64) {
    check_shapes(&sets.clone().map(Shape::from), tolerance);
}

pub(crate) fn check_shapes<const D: usize>(sets: &[Shape<D>; 2], tolerance: f64) {
    let turn = || {
        [-1.0..1.0f64, -1.0..1.0, -1.0..1.0, -1.0..1.0]
            .prop_filter("direction", |q| q.iter().map(|x| x * x).sum::<f64>() > 0.1)
    };
    let place = || ([-0.6..0.6f64, -0.6..0.6, -0.6..0.6], turn());
    let noise = || proptest::collection::vec(-1.0..1.0f64, 40);
    let strategy = (place(), place(), noise(), noise(), noise());
    let mut runner = TestRunner::deterministic();
    for round in 0..12 {
        let (a, mut b, noise, p, v) = strategy.new_tree(&mut runner).unwrap().current();
        b.0[D - 1] += 2.5;
        let lever = if round % 2 == 0 {
            ContactPoint::Witness
        } else {
            ContactPoint::Midpoint
        };
        let positions = [position::<D>(&a.0, &a.1), position::<D>(&b.0, &b.1)];
        let world = two_bodies(sets.clone(), positions, lever);
        let q = world.initial_state().q;
        let (pair, mut z) = only_pair(&world, &q);
        for (z, noise) in z.iter_mut().zip(&noise) {
            *z += 0.05 * noise;
        }
        let at = PairPoint {
            q: &q,
            z: &z,
            p: &p[..pair.np],
            v: &v[..world.nv()],
        };
        let error = worst_error(&world, &pair, &at);
        assert!(
            error < tolerance,
            "{error:e} for {sets:?}, q = {q:?}, z = {z:?}"
        );
    }
}

fn ellipse(a: f64, b: f64) -> ConvexSet<2> {
    Ellipsoid::new(Vector2::new(a, b)).unwrap().into()
}

fn ellipsoid(a: f64, b: f64, c: f64) -> ConvexSet<3> {
    Ellipsoid::new(Vector3::new(a, b, c)).unwrap().into()
}

#[test]
fn derivatives_of_planar_pairs() {
    check(&[ellipse(1.0, 0.5), ellipse(0.4, 0.9)], 1e-9);
    check(&[HalfSpace::up().into(), ellipse(0.4, 0.9)], 1e-9);
    check(&[Ball::new(0.5).unwrap().into(), ellipse(0.4, 0.9)], 1e-9);
    check(
        &[
            Ball::new(0.5).unwrap().into(),
            Ball::<2>::new(0.8).unwrap().into(),
        ],
        1e-9,
    );
}

#[test]
fn derivatives_of_spatial_pairs() {
    check(&[ellipsoid(1.0, 0.5, 0.7), ellipsoid(0.4, 0.9, 1.1)], 1e-9);
    check(&[HalfSpace::up().into(), ellipsoid(0.4, 0.9, 1.1)], 1e-9);
    check(&[ellipsoid(1.0, 0.5, 0.7), HalfSpace::up().into()], 1e-9);
    check(
        &[
            Ball::new(0.5).unwrap().into(),
            Ball::<3>::new(0.8).unwrap().into(),
        ],
        1e-9,
    );
    // The noise stays on one side of the planes where the round ends begin, most of the time far from them.
    check(
        &[
            Ball::new(0.5).unwrap().into(),
            Capsule::<3>::new(1e-9, 0.8).unwrap().into(),
        ],
        1e-6,
    );
}

#[test]
fn derivatives_of_intersections() {
    let square = || {
        let corners = [[0.6, 0.5], [-0.7, 0.4], [-0.5, -0.6], [0.5, -0.5]];
        ConvexSet::from(Polygon::new(corners).unwrap())
    };
    let rounded = Polygon::rounded([[0.6, 0.5], [-0.7, 0.4], [0.0, -0.6]], 0.1).unwrap();
    check(&[square(), ellipse(0.4, 0.9)], 1e-9);
    check(&[ellipse(0.4, 0.9), square()], 1e-9);
    check(&[square(), square()], 1e-9);
    check(&[rounded.clone().into(), square()], 1e-9);
    check(&[HalfSpace::up().into(), rounded.into()], 1e-9);
}

fn superquadric(exponent: f64) -> ConvexSet<3> {
    let body = Superquadric::new(Vector3::new(0.8, 0.5, 0.6), exponent);
    body.unwrap().into()
}

#[test]
fn derivatives_of_superquadrics_and_cylinders() {
    check(&[superquadric(3.0), ellipsoid(0.4, 0.9, 1.1)], 1e-7);
    check(&[ellipsoid(0.4, 0.9, 1.1), superquadric(2.5)], 1e-7);
    let cylinder = || ConvexSet::from(Cylinder::<3>::new(0.4, 0.5).unwrap());
    check(&[cylinder(), ellipsoid(0.4, 0.9, 1.1)], 1e-9);
    check(&[HalfSpace::up().into(), cylinder()], 1e-9);
    check(&[cylinder(), cylinder()], 1e-9);
    let rounded = |core: ConvexSet<3>| ConvexSet::from(Rounded::new(core, 0.1).unwrap());
    check(
        &[rounded(cylinder()), rounded(ellipsoid(0.4, 0.9, 1.1))],
        1e-9,
    );
    let cone = || ConvexSet::from(Cone::<3>::new(0.4, 0.9).unwrap());
    check(&[cylinder(), cone()], 1e-6);
}

/// The intersection of two balls of radius 1 with centres 1.2 m apart: flat along z, with a rim of radius 0.8.
fn lens() -> ConvexSet<3> {
    let ball = Part::from(Ball::<3>::new(1.0).unwrap());
    let at = |z| Pose::from_position(Vector3::new(0.0, 0.0, z));
    let lens = Intersection::new([ball.clone().at(at(0.6)), ball.at(at(-0.6))]);
    lens.unwrap().into()
}

#[test]
fn derivatives_of_lenses() {
    check(&[HalfSpace::up().into(), lens()], 1e-9);
    check(&[lens(), HalfSpace::up().into()], 1e-9);
    check(&[lens(), ellipsoid(0.4, 0.9, 1.1)], 1e-9);
    check(&[lens(), lens()], 1e-9);
    let cuboid = Intersection::cuboid(Vector3::new(0.4, 0.3, 0.5)).unwrap();
    let rounded = Rounded::new(cuboid.clone(), 0.1).unwrap();
    check(&[cuboid.into(), lens()], 1e-9);
    check(&[lens(), rounded.into()], 1e-9);
}

#[test]
fn the_tangent_of_a_retraction_is_its_derivative() {
    let mut worlds = [Gyroscopic::Midpoint, Gyroscopic::Momentum].map(|gyroscopic| {
        World::<3>::with_settings(WorldSettings {
            gyroscopic,
            ..WorldSettings::default()
        })
        .unwrap()
    });
    for world in &mut worlds {
        for (name, turned) in [("a", [0.5, -0.1, 0.7, 0.5]), ("b", [1.0, 0.0, 0.0, 0.0])] {
            let mut body = Body::moving(name, 1.0, Inertia::Principal([1.0, 1.5, 2.2]));
            body.position = position::<3>(&[0.0; 3], &turned);
            world.add(body).unwrap();
        }
    }
    let [usual, keeping] = &worlds;
    let q = usual.initial_state().q;
    let v = [0.1, 0.2, 0.3, 1.0, -2.0, 0.5, 0.0, 0.0, 0.0, 1e-6, 0.0, 0.0];
    for (world, rule, h) in [
        (usual, Rotation::Printed, 0.1),
        (usual, Rotation::LieGroup, 0.1),
        (usual, Rotation::LieGroup, 2.0),
        (keeping, Rotation::Printed, 0.2),
    ] {
        let mut tangent = Vec::new();
        world.retract_tangent(&q, &v, h, rule, &mut tangent);
        let (body_of, dofs) = (|k: usize| k / 6, 6);
        let after = |v: &[f64]| {
            let mut after = vec![0.0; q.len()];
            world.retract(&q, v, h, rule, &mut after);
            after
        };
        let reached = after(&v);
        for k in 0..12 {
            // The displacement that the tangent states, made by the exponential map, is where the changed v leads.
            let step = 1e-5;
            let mut changed = v;
            changed[k] += step;
            let mut displacement = [0.0; 12];
            for i in 0..dofs {
                let entry = tangent[body_of(k) * 36 + i * dofs + k % 6];
                displacement[body_of(k) * dofs + i] = entry * step;
            }
            let mut expected = vec![0.0; q.len()];
            let along = Rotation::LieGroup;
            usual.retract(&reached, &displacement, 1.0, along, &mut expected);
            for (x, y) in after(&changed).iter().zip(&expected) {
                assert!((x - y).abs() < 3e-10, "{rule:?}, component {k}: {x} {y}");
            }
        }
    }
}

/// Solves the closest rows from z; complementary rows by min(z, row) = 0. Residual and iterations.
fn solve_closest(system: &dyn System, pair: &PairLayout, q: &[f64], z: &mut [f64]) -> (f64, usize) {
    let implicit = system.implicit().unwrap();
    let (mut rows, mut derivatives) = (PairRows::default(), PairDerivatives::default());
    let (p, v) = (vec![0.0; pair.np], vec![0.0; system.nv()]);
    let mut residual = f64::INFINITY;
    for iteration in 0..30 {
        implicit.rows(pair, q, z, &mut rows);
        let complementary = |i: usize| i >= pair.equations && z[i] < rows.closest[i];
        let n = pair.nz;
        let f = DVector::from_fn(n, |i, _| {
            if complementary(i) {
                z[i]
            } else {
                rows.closest[i]
            }
        });
        residual = f.amax();
        if residual < 1e-13 {
            return (residual, iteration);
        }
        let at = PairPoint { q, z, p: &p, v: &v };
        implicit.derivatives(pair, &at, &mut derivatives);
        let jacobian = DMatrix::from_fn(n, n, |i, j| {
            if complementary(i) {
                f64::from(u8::from(i == j))
            } else {
                derivatives.closest[i * pair.columns() + j]
            }
        });
        let step = jacobian.lu().solve(&f).unwrap();
        z.iter_mut().zip(&step).for_each(|(z, s)| *z -= s);
    }
    (residual, 30)
}

/// Newton from the start and from a disturbed start agrees with `closest_points`, and the rows vanish there.
fn agrees<const D: usize>(sets: &[ConvexSet<D>; 2], positions: [Vec<f64>; 2]) {
    let world = two_bodies(sets.clone(), positions, ContactPoint::Witness);
    let q = world.initial_state().q;
    let (pair, start) = only_pair(&world, &q);
    let bodies: Vec<_> = world.bodies().map(|(id, _)| id).collect();
    let [a, b] = [0, 1].map(|k| Placed::new(&sets[k], world.pose(&q, bodies[k])));
    let closest = closest_points(&a, &b).unwrap();
    let mut rows = PairRows::default();
    for disturbance in [0.0, 0.01] {
        let mut z = start.clone();
        for (k, z) in z.iter_mut().enumerate() {
            *z += disturbance * (k as f64 * 1.7).sin();
        }
        let (residual, iterations) = solve_closest(&world, &pair, &q, &mut z);
        assert!(
            residual < 1e-13,
            "{residual:e} after {iterations}: {sets:?}"
        );
        let limit = if disturbance > 0.0 { 10 } else { 3 };
        assert!(iterations <= limit, "{iterations} iterations: {sets:?}");
        world.rows(&pair, &q, &z, &mut rows);
        assert!((rows.gap - closest.gap).abs() < 1e-12);
        for i in 0..D {
            assert!((rows.normal[i] - closest.normal[i]).abs() < 1e-10);
            assert!((rows.points[i] - closest.a[i]).abs() < 1e-10);
            assert!((rows.points[D + i] - closest.b[i]).abs() < 1e-10);
        }
        assert_eq!(rows.gap > 0.0, rows.surface_gap > 0.0);
    }
}

#[test]
fn newton_on_the_rows_finds_the_closest_points() {
    let turned = |z: f64| position::<3>(&[0.2, -0.1, z], &[0.9, 0.2, -0.3, 0.1]);
    let origin = || position::<3>(&[0.0; 3], &[1.0, 0.1, 0.2, 0.0]);
    let (e, f) = (ellipsoid(1.0, 0.5, 0.7), ellipsoid(0.4, 0.9, 1.1));
    for height in [1.3, 1.5, 2.5] {
        agrees(&[e.clone(), f.clone()], [origin(), turned(height)]);
        let ball = ConvexSet::from(Ball::new(0.6).unwrap());
        agrees(&[e.clone(), ball.clone()], [origin(), turned(height)]);
        agrees(&[ball.clone(), ball], [origin(), turned(height)]);
    }
    for height in [0.4, 1.2] {
        agrees(
            &[HalfSpace::up().into(), f.clone()],
            [origin(), turned(height)],
        );
        let rod = Capsule::<3>::new(0.5, 0.2).unwrap();
        agrees(
            &[HalfSpace::up().into(), rod.into()],
            [origin(), turned(height)],
        );
    }
}

/// Random ellipsoids apart, touching and in overlap by a part of the smallest axis.
#[test]
fn newton_finds_the_points_of_random_ellipsoids() {
    let mut runner = TestRunner::deterministic();
    let turn = || {
        [-1.0..1.0f64, -1.0..1.0, -1.0..1.0, -1.0..1.0]
            .prop_filter("direction", |q| q.iter().map(|x| x * x).sum::<f64>() > 0.1)
    };
    let axes = || [0.4..1.5f64, 0.4..1.5, 0.4..1.5];
    let direction = [-1.0..1.0f64, -1.0..1.0, -1.0..1.0]
        .prop_filter("direction", |d| d.iter().map(|x| x * x).sum::<f64>() > 0.1);
    let strategy = ([axes(), axes()], [turn(), turn()], direction, -0.1..0.5f64);
    for _ in 0..100 {
        let (axes, turns, direction, wanted) = strategy.new_tree(&mut runner).unwrap().current();
        let sets = axes.map(|[a, b, c]| ellipsoid(a, b, c));
        // Moved along a line until the gap is about what is wanted.
        let mut distance = 3.5;
        let mut positions = [vec![], vec![]];
        for _ in 0..20 {
            let at = Vector3::from(direction).normalize() * distance;
            positions = [
                position::<3>(&[0.0; 3], &turns[0]),
                position::<3>(&at.into(), &turns[1]),
            ];
            let world = two_bodies(sets.clone(), positions.clone(), ContactPoint::Witness);
            let q = world.initial_state().q;
            let (pair, z) = only_pair(&world, &q);
            let mut rows = PairRows::default();
            world.rows(&pair, &q, &z, &mut rows);
            distance -= rows.gap - wanted;
        }
        agrees(&sets, positions);
    }
}

#[test]
fn newton_finds_the_rim_of_a_cylinder_and_the_flank_of_a_superquadric() {
    let cylinder = || ConvexSet::from(Cylinder::<3>::new(0.4, 0.5).unwrap());
    let turned = |z: f64| position::<3>(&[0.2, -0.1, z], &[0.9, 0.2, -0.3, 0.1]);
    let origin = || position::<3>(&[0.0; 3], &[1.0, 0.1, 0.2, 0.0]);
    for height in [0.5, 1.4, 2.0] {
        agrees(
            &[HalfSpace::up().into(), cylinder()],
            [origin(), turned(height)],
        );
    }
    for height in [1.3, 2.0] {
        agrees(
            &[cylinder(), ellipsoid(0.4, 0.9, 0.5)],
            [origin(), turned(height)],
        );
        agrees(
            &[ellipsoid(0.4, 0.9, 0.5), cylinder()],
            [origin(), turned(height)],
        );
        agrees(
            &[superquadric(3.0), ellipsoid(0.4, 0.9, 0.5)],
            [origin(), turned(height)],
        );
        agrees(&[superquadric(3.0), cylinder()], [origin(), turned(height)]);
    }
    let rounded = |core: ConvexSet<3>| ConvexSet::from(Rounded::new(core, 0.1).unwrap());
    agrees(
        &[rounded(cylinder()), rounded(ellipsoid(0.4, 0.9, 0.5))],
        [origin(), turned(1.5)],
    );
    agrees(
        &[HalfSpace::up().into(), rounded(cylinder())],
        [origin(), turned(0.5)],
    );
    // Rim against rim.
    let across = position::<3>(&[0.5, 0.3, 1.3], &[0.8, 0.5, 0.3, 0.1]);
    agrees(&[cylinder(), cylinder()], [origin(), across]);
}

/// On the cap, and by the rim, where both multipliers are positive.
#[test]
fn newton_finds_cap_and_rim_of_a_lens() {
    let origin = || position::<3>(&[0.0; 3], &[1.0, 0.0, 0.0, 0.0]);
    for tilt in [0.1f64, 0.5, 1.2] {
        let (sin, cos) = (0.5 * tilt).sin_cos();
        for height in [0.3, 1.5] {
            let turned = position::<3>(&[0.2, -0.1, height], &[cos, sin, 0.0, 0.0]);
            agrees(
                &[HalfSpace::up().into(), lens()],
                [origin(), turned.clone()],
            );
            agrees(
                &[lens(), HalfSpace::up().into()],
                [turned, vec![0.0, 0.0, 4.0, 0.0, 1.0, 0.0, 0.0]],
            );
        }
        let above = position::<3>(&[0.3, 0.2, 1.5], &[cos, 0.3 * sin, sin, 0.0]);
        agrees(
            &[lens(), ellipsoid(0.4, 0.9, 0.5)],
            [origin(), above.clone()],
        );
        agrees(&[lens(), lens()], [origin(), above]);
    }
}

#[test]
fn the_multipliers_choose_the_side_or_corner() {
    let corners = [[0.6, 0.5], [-0.7, 0.4], [-0.5, -0.6], [0.5, -0.5]];
    let square = ConvexSet::from(Polygon::new(corners).unwrap());
    let rounded = ConvexSet::from(Polygon::rounded(corners, 0.1).unwrap());
    let at = |x: f64, y: f64, angle: f64| vec![x, y, angle];
    for angle in [0.3, 0.9, 2.0] {
        for height in [1.3, 2.0] {
            let places = || [at(0.1, 0.0, 0.2), at(0.0, height, angle)];
            agrees(&[square.clone(), ellipse(0.4, 0.9)], places());
            agrees(&[ellipse(0.4, 0.5), square.clone()], places());
            agrees(&[square.clone(), square.clone()], places());
            agrees(&[rounded.clone(), square.clone()], places());
            agrees(&[HalfSpace::up().into(), rounded.clone()], places());
        }
    }
}

/// At the closest points the directions are the rows of the contact, with the same tangents.
#[test]
fn directions_are_the_rows_of_contacts() {
    let turned = position::<3>(&[0.2, -0.1, 0.6], &[0.9, 0.2, -0.3, 0.1]);
    let origin = position::<3>(&[0.0; 3], &[1.0, 0.1, 0.2, 0.0]);
    for lever in [ContactPoint::Witness, ContactPoint::Midpoint] {
        for body in [ellipsoid(0.4, 0.9, 0.5), superquadric(3.0)] {
            let sets = [HalfSpace::up().into(), body];
            let world = two_bodies(sets, [origin.clone(), turned.clone()], lever);
            let q = world.initial_state().q;
            let (pair, z) = only_pair(&world, &q);
            let mut rows = PairRows::default();
            world.rows(&pair, &q, &z, &mut rows);
            let contacts = all_contacts(&world, &q);
            assert_eq!(contacts.len(), 1);
            let v: Vec<f64> = (0..12).map(|k| (f64::from(k) * 1.3).sin()).collect();
            let mut u = [0.0; 3];
            contacts.rows.mul_into(&v, &mut u);
            let slip: Vec<f64> = rows
                .directions
                .chunks_exact(12)
                .map(|w| w.iter().zip(&v).map(|(w, v)| w * v).sum())
                .collect();
            assert_close(&slip[..3], &u, 1e-13);
            assert_close(&rows.drift[..3], &contacts.drift[..3], 1e-13);
            assert_eq!((rows.drift[0], rows.drift[3]), (0.0, 0.0));
            let spin: f64 = (0..3).map(|i| rows.normal[i] * (v[9 + i] - v[3 + i])).sum();
            assert!((slip[3] - spin).abs() < 1e-14);
            assert!((rows.gap - contacts.gap[0]).abs() < 1e-14);
        }
    }
}

#[test]
fn faults_name_the_body_and_leave_no_pairs() {
    let sets = || [ellipse(1.0, 0.5), ellipse(0.4, 0.9)];
    let positions = [vec![0.0; 3], vec![0.0, 2.0, 0.1]];
    let world = two_bodies(sets(), positions, ContactPoint::Witness);
    let implicit = world.implicit().unwrap();
    let mut q = world.initial_state().q;
    let mut pairs = Pairs::default();
    implicit.pairs(&q, 0.1, &mut pairs).unwrap();
    assert!(pairs.layouts.is_empty(), "the gap is larger");
    implicit.pairs(&q, 1.0, &mut pairs).unwrap();
    assert_eq!((pairs.layouts.len(), pairs.layouts[0].friction), (1, 0.3));
    q[4] = f64::NAN;
    let error = implicit.pairs(&q, 1.0, &mut pairs).unwrap_err();
    assert!(error.to_string().contains("body `b`"), "{error}");
    assert!(pairs.layouts.is_empty());
}
