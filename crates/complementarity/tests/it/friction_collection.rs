//! Generated steps of frictional contact: the same numbers as elsewhere, and the properties that were promised.

use signorini_complementarity::*;

/// Spheres, contacts, Σ (k mod 7 + 1) q_k, mean of W_kk, Σ (k mod 5 + 1) u_k at the impulses below, and the scaled
/// residual there for both laws; by an independent program.
const HEAPS: [(usize, usize, [f64; 5]); 4] = [
    (
        10,
        25,
        [
            -2.540_629_641_934_377,
            4.906_666_666_666_666,
            128.906_614_003_993_4,
            1.0,
            0.805_160_341_615_822_2,
        ],
    ),
    (
        30,
        93,
        [
            -14.305_853_049_544_542,
            5.218_637_992_831_542,
            1_466.018_384_354_234,
            1.0,
            0.949_227_465_324_856_5,
        ],
    ),
    (
        100,
        415,
        [
            -41.127_183_709_383_57,
            5.230_522_088_353_414,
            5_201.924_132_257_708,
            1.0,
            1.179_291_728_964_224_4,
        ],
    ),
    (
        320,
        1490,
        [
            12.270_709_105_124_403,
            5.288_590_604_026_845_6,
            18_405.913_610_411_728,
            0.996_618_038_036_552_8,
            1.355_957_984_945_462,
        ],
    ),
];

#[test]
fn heaps_have_the_numbers_of_another_program() {
    for (spheres, contacts, expected) in HEAPS {
        let heap = collection::heap(spheres, 1);
        assert_eq!(heap.contact_count(), contacts);
        let impulse = |k: usize| [1.0, 0.25, -0.5][k % 3] * (1 + k / 3 % 3) as f64;
        let r: Vec<f64> = (0..3 * contacts).map(impulse).collect();
        let mut u = vec![0.0; r.len()];
        heap.relative_velocities_into(&r, &mut u);
        let sum = |x: &[f64], period: usize| -> f64 {
            let terms = x.iter().enumerate();
            terms.map(|(k, x)| (k % period + 1) as f64 * x).sum()
        };
        let mean = heap.diagonal().iter().sum::<f64>() / r.len() as f64;
        let exact = heap.residuals(&r).scaled;
        let convex = heap
            .clone()
            .with_law(FrictionLaw::Convex)
            .residuals(&r)
            .scaled;
        let found = [sum(&heap.q(), 7), mean, sum(&u, 5), exact, convex];
        for (found, expected) in found.iter().zip(expected) {
            // Sums of thousands of terms in another order.
            let close = (found - expected).abs() <= 1e-10 * expected.abs();
            assert!(close, "{spheres}: {found} {expected}");
        }
    }
}

#[test]
fn random_contacts_cover_what_they_promise() {
    let mut contacts = [0; 9];
    let mut dimensions = [0; 6];
    let (mut smallest, mut largest) = (f64::INFINITY, 0.0_f64);
    let (mut without, mut steep, mut ellipses, mut repeated) = (0, 0, 0, 0);
    for seed in 0..2000 {
        let step = collection::random_contacts(seed);
        contacts[step.contact_count()] += 1;
        dimensions[step.dimension()] += 1;
        let masses = step
            .mass()
            .chunks_exact(step.dofs() * step.dofs())
            .map(|m| m[0]);
        let (low, high) = masses.fold((f64::INFINITY, 0.0_f64), |(l, h), m| (m.min(l), m.max(h)));
        (smallest, largest) = (low.min(smallest), high.max(largest));
        without += usize::from(step.mu().contains(&0.0));
        steep += usize::from(step.mu().contains(&10.0));
        ellipses += usize::from(!step.laws().ellipse.is_empty());
        let rows = step.contacts();
        let same = |k: usize| {
            (0..k).any(|l| rows.cols()[k] == rows.cols()[l] && rows.block(k, 1) == rows.block(l, 1))
        };
        repeated += usize::from((0..rows.len()).any(same));
        // v = 0 is feasible.
        let normals = step.bias().iter().step_by(step.dimension());
        assert!(normals.copied().all(|b| b >= 0.0), "{seed}");
    }
    assert!(contacts[1..].iter().all(|n| *n > 180), "{contacts:?}");
    assert!(dimensions[2..].iter().all(|n| *n > 400), "{dimensions:?}");
    assert!(smallest < 2e-3 && largest > 5e2, "{smallest} {largest}");
    let counts = [without, steep, ellipses, repeated];
    assert!(counts.iter().all(|n| *n > 300), "{counts:?}");
}
