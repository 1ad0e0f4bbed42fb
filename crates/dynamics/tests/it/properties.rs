//! Invariants over random worlds: rows are the rates of gaps, detection misses nothing, same input same bits.

use std::cell::Cell;

use nalgebra::{SVector, Vector2};
use proptest::{
    prelude::*,
    test_runner::{RngSeed, TestRunner},
};
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

/// Step of the difference quotients of gaps.
const STEP: f64 = 1e-5;

/// Contacts compared, and contacts left out because their closest features change within the steps.
#[derive(Debug, Default)]
struct Tally {
    compared: Cell<usize>,
    kinks: Cell<usize>,
}

/// Compares the normal row of every contact with the motion of its gap.
///
/// One-sided quotients agree to curvature times the step; where they differ by more than 1e3 times that, or a feature goes,
/// the gap has a kink and no derivative. Quotients over h and 2 h bound the error of the first by their difference.
fn check_rows(
    system: &dyn System,
    q: &[f64],
    v: &[f64],
    tally: &Tally,
) -> Result<(), TestCaseError> {
    let contacts = all_contacts(system, q);
    let mut u = vec![f64::NAN; contacts.len() * system.dimension()];
    contacts.rows.mul_into(v, &mut u);
    let places = [-2.0, -1.0, 1.0, 2.0].map(|k| {
        let mut out = vec![f64::NAN; q.len()];
        system.retract(q, v, k * STEP, Rotation::LieGroup, &mut out);
        out
    });
    for (k, &id) in contacts.id.iter().enumerate() {
        let gaps = places.each_ref().map(|q| gap(system, q, id));
        let [Some(g_2), Some(g_1), Some(g1), Some(g2)] = gaps else {
            tally.kinks.set(tally.kinks.get() + 1);
            continue;
        };
        let g = contacts.gap[k];
        if (g2 - 2.0 * g + g_2).abs() > 4.0 * 1e3 * STEP * STEP {
            tally.kinks.set(tally.kinks.get() + 1);
            continue;
        }
        tally.compared.set(tally.compared.get() + 1);
        let (rate, coarse) = ((g1 - g_1) / (2.0 * STEP), (g2 - g_2) / (4.0 * STEP));
        let row = u[k * system.dimension()];
        // Rounding of gaps of order 1 over the step is some 1e-10.
        prop_assert!(
            (rate - row).abs() < 1e-8 + (coarse - rate).abs(),
            "{}: {rate} against {row}",
            system.contact_name(id)
        );
    }
    Ok(())
}

/// Random cases from a fixed seed.
fn cases<S: Strategy>(
    strategy: &S,
    test: impl Fn(S::Value) -> Result<(), TestCaseError>,
) -> Result<(), String> {
    let config = ProptestConfig {
        cases: 100,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(20),
        ..ProptestConfig::default()
    };
    TestRunner::new(config)
        .run(strategy, test)
        .map_err(|e| e.to_string())
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

#[test]
fn rows_are_rates_of_gaps_in_the_plane() -> Result<(), String> {
    let tally = Tally::default();
    cases(&(numbers(6, 1.0), numbers(6, 2.0)), |(q, v)| {
        for a in planar_shapes() {
            for b in &planar_shapes()[1..] {
                let world = pair_world(a.clone(), b.clone());
                let skip = 6 - world.nq();
                check_frame(&world, &q[skip..])?;
                check_rows(&world, &q[skip..], &v[skip..], &tally)?;
            }
        }
        Ok(())
    })?;
    assert!(tally.kinks.get() * 50 < tally.compared.get(), "{tally:?}");
    Ok(())
}

#[test]
fn rows_are_rates_of_gaps_in_space() -> Result<(), String> {
    let tally = Tally::default();
    cases(&(numbers(14, 1.0), numbers(12, 2.0)), |(raw, v)| {
        let q = spatial(&raw);
        for a in shapes::<3>() {
            for b in &shapes::<3>()[1..] {
                let world = pair_world(a.clone(), b.clone());
                let (skip_q, skip_v) = (14 - world.nq(), 12 - world.nv());
                check_frame(&world, &q[skip_q..])?;
                check_rows(&world, &q[skip_q..], &v[skip_v..], &tally)?;
            }
        }
        Ok(())
    })?;
    assert!(tally.kinks.get() * 50 < tally.compared.get(), "{tally:?}");
    Ok(())
}

#[test]
fn detection_agrees_with_looking_at_every_pair() -> Result<(), String> {
    let mut world = World::<2>::with_settings(weightless()).unwrap();
    world.add(Body::fixed("ground", HalfSpace::up())).unwrap();
    for (k, shape) in planar_shapes()[1..]
        .iter()
        .chain(&planar_shapes()[2..4])
        .enumerate()
    {
        let body = Body::moving(format!("body {k}"), 1.0, Inertia::Scalar(1.0));
        world
            .add(Body {
                shape: Some(shape.clone().into()),
                ..body
            })
            .unwrap();
    }
    cases(&(numbers(18, 2.0), -0.2..0.6_f64), |(q, margin)| {
        let all = all_contacts(&world, &q);
        let listed: Vec<ContactId> = all.id.iter().copied().step_by(5).collect();
        let query = ContactQuery {
            margin,
            include: &listed,
        };
        let mut some = Contacts::default();
        world.contacts(0.0, &q, &query, &mut some).unwrap();
        let expected: Vec<usize> = (0..all.len())
            .filter(|&k| all.gap[k] <= margin || k % 5 == 0)
            .collect();
        prop_assert_eq!(
            &some.id,
            &expected.iter().map(|&k| all.id[k]).collect::<Vec<_>>()
        );
        prop_assert!(some.id.is_sorted_by(|a, b| a < b));
        for (i, &k) in expected.iter().enumerate() {
            prop_assert_eq!(some.gap[i].to_bits(), all.gap[k].to_bits());
            prop_assert_eq!(some.rows.block(i, 1), all.rows.block(k, 1));
        }
        // Same input, same bits, whatever the buffers held before.
        let first = some.clone();
        world.contacts(0.0, &q, &query, &mut some).unwrap();
        prop_assert_eq!(first, some);
        Ok(())
    })
}
