//! Invariants over random worlds: rows are the rates of gaps, detection misses nothing, same input same bits.

use nalgebra::{SVector, Vector2};
use proptest::prelude::*;
use signorini_dynamics::{
    Body, ContactId, ContactQuery, Contacts, Inertia, Rotation, System, World,
};
use signorini_geometry::{Ball, Capsule, ConvexSet, HalfSpace, Polygon};

use crate::support::{all_contacts, gap, pair_world, weightless};

/// The shapes of both dimensions; the half-space is slanted.
fn shapes<const D: usize>() -> Vec<ConvexSet<D>> {
    let slanted = SVector::from_fn(|k, _| 0.3 + k as f64);
    vec![
        HalfSpace::new(slanted, -0.2).unwrap().into(),
        Ball::new(0.4).unwrap().into(),
        Capsule::new(0.5, 0.2).unwrap().into(),
    ]
}

/// Also a triangle, sharp and rounded.
fn planar_shapes() -> Vec<ConvexSet<2>> {
    let corners = [[-0.5, -0.4], [0.7, -0.2], [-0.1, 0.6]];
    let corners = || corners.map(Vector2::from);
    let mut shapes = shapes::<2>();
    shapes.push(Polygon::new(corners()).unwrap().into());
    shapes.push(Polygon::rounded(corners(), 0.1).unwrap().into());
    shapes
}

/// Half of the step of the difference quotients of gaps.
const STEP: f64 = 1e-5;

/// Compares the rows of every contact with the motion of the gap; returns (contacts compared, contacts at a kink).
///
/// Both one-sided quotients agree to curvature times `STEP`; where they do not, the closest features change and the gap
/// has no derivative.
fn check_rows(system: &dyn System, q: &[f64], v: &[f64]) -> Result<(usize, usize), TestCaseError> {
    let contacts = all_contacts(system, q);
    let mut u = vec![f64::NAN; contacts.len() * system.dimension()];
    contacts.rows.mul_into(v, &mut u);
    let moved = |h: f64| {
        let mut out = vec![f64::NAN; q.len()];
        system.retract(q, v, h, Rotation::LieGroup, &mut out);
        out
    };
    let (before, after) = (moved(-STEP), moved(STEP));
    let (mut compared, mut kinks) = (0, 0);
    for (k, &id) in contacts.id.iter().enumerate() {
        let (Some(minus), Some(plus)) = (gap(system, &before, id), gap(system, &after, id)) else {
            kinks += 1;
            continue;
        };
        let sides = [
            (contacts.gap[k] - minus) / STEP,
            (plus - contacts.gap[k]) / STEP,
        ];
        // Curvature: speeds of about 5 and distances from 0.05 give second derivatives up to some 500.
        if (sides[1] - sides[0]).abs() > 1e3 * STEP {
            kinks += 1;
            continue;
        }
        compared += 1;
        let rate = 0.5 * (sides[0] + sides[1]);
        let row = u[k * system.dimension()];
        // Rounding 1e-16/1e-5, third derivative times STEP²/6.
        prop_assert!(
            (rate - row).abs() < 1e-6,
            "{}: {rate} against {row}",
            system.contact_name(id)
        );
    }
    Ok((compared, kinks))
}

/// Velocities of material points at the contact, from the poses: what J v must be.
fn check_frame<const D: usize>(world: &World<D>, q: &[f64]) -> Result<(), TestCaseError> {
    let contacts = all_contacts(world, q);
    for k in 0..contacts.len() {
        let mut axes = vec![SVector::<f64, D>::from_column_slice(
            &contacts.normal[k * D..][..D],
        )];
        let tangents = &contacts.tangent[k * D * (D - 1)..][..D * (D - 1)];
        axes.extend(
            tangents
                .chunks_exact(D)
                .map(SVector::<f64, D>::from_column_slice),
        );
        for (i, a) in axes.iter().enumerate() {
            for (j, b) in axes.iter().enumerate() {
                let expected = if i == j { 1.0 } else { 0.0 };
                prop_assert!((a.dot(b) - expected).abs() < 1e-14);
            }
        }
        // Linear part of the rows: the frame itself for B, its negative for A.
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            if contacts.rows.cols()[k][side] == signorini_complementarity::FIXED {
                continue;
            }
            for (axis, row) in contacts
                .rows
                .block(k, side)
                .chunks_exact(world.dofs())
                .enumerate()
            {
                for (x, a) in row[..D].iter().zip(&axes[axis]) {
                    prop_assert_eq!(*x, sign * a);
                }
            }
        }
    }
    Ok(())
}

fn numbers(n: usize, bound: f64) -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(-bound..bound, n)
}

/// Coordinates of `bodies` bodies in space from numbers in −1..1.
fn spatial(raw: &[f64]) -> Vec<f64> {
    raw.chunks_exact(7)
        .flat_map(|raw| {
            let mut q = raw.to_vec();
            q[3] += 2.0; // no quaternion near zero
            let norm = q[3..].iter().map(|x| x * x).sum::<f64>().sqrt();
            q[3..].iter_mut().for_each(|x| *x /= norm);
            q
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn rows_are_rates_of_gaps_in_the_plane(q in numbers(6, 1.0), v in numbers(6, 2.0)) {
        let (mut compared, mut kinks) = (0, 0);
        for a in planar_shapes() {
            for b in &planar_shapes()[1..] {
                let world = pair_world(a.clone(), b.clone());
                let skip = 6 - world.nq();
                check_frame(&world, &q[skip..])?;
                let (c, k) = check_rows(&world, &q[skip..], &v[skip..])?;
                compared += c;
                kinks += k;
            }
        }
        prop_assert!(kinks * 10 <= compared, "{kinks} kinks, {compared} compared");
    }

    #[test]
    fn rows_are_rates_of_gaps_in_space(raw in numbers(14, 1.0), v in numbers(12, 2.0)) {
        let q = spatial(&raw);
        let (mut compared, mut kinks) = (0, 0);
        for a in shapes::<3>() {
            for b in &shapes::<3>()[1..] {
                let world = pair_world(a.clone(), b.clone());
                let (skip_q, skip_v) = (14 - world.nq(), 12 - world.nv());
                check_frame(&world, &q[skip_q..])?;
                let (c, k) = check_rows(&world, &q[skip_q..], &v[skip_v..])?;
                compared += c;
                kinks += k;
            }
        }
        prop_assert!(kinks * 10 <= compared, "{kinks} kinks, {compared} compared");
    }

    #[test]
    fn detection_agrees_with_looking_at_every_pair(q in numbers(18, 2.0), margin in -0.2..0.6_f64) {
        let mut world = World::<2>::with_settings(weightless()).unwrap();
        world.add(Body::fixed("ground", HalfSpace::up())).unwrap();
        for (k, shape) in planar_shapes()[1..].iter().chain(&planar_shapes()[2..4]).enumerate() {
            let body = Body::moving(format!("body {k}"), 1.0, Inertia::Scalar(1.0));
            world.add(Body { shape: Some(shape.clone()), ..body }).unwrap();
        }
        let all = all_contacts(&world, &q);
        let listed: Vec<ContactId> = all.id.iter().copied().step_by(5).collect();
        let mut some = Contacts::default();
        world.contacts(0.0, &q, &ContactQuery { margin, include: &listed }, &mut some).unwrap();
        let expected: Vec<usize> =
            (0..all.len()).filter(|&k| all.gap[k] <= margin || k % 5 == 0).collect();
        prop_assert_eq!(&some.id, &expected.iter().map(|&k| all.id[k]).collect::<Vec<_>>());
        prop_assert!(some.id.is_sorted_by(|a, b| a < b));
        for (i, &k) in expected.iter().enumerate() {
            prop_assert_eq!(some.gap[i].to_bits(), all.gap[k].to_bits());
            prop_assert_eq!(some.rows.block(i, 1), all.rows.block(k, 1));
        }
        // Same input, same bits, whatever the buffers held before.
        let first = some.clone();
        world.contacts(0.0, &q, &ContactQuery { margin, include: &listed }, &mut some).unwrap();
        prop_assert_eq!(first, some);
    }
}
