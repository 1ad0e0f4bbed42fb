//! Hostile contacts, each held against the natural map of its own data.

use super::*;
use crate::friction::cone::length;
use crate::rng::SplitMix64;

/// A block of the wanted condition, an own velocity, and a coefficient, all of trouble.
fn case<const D: usize>(rng: &mut SplitMix64, number: usize) -> (Block<D>, [f64; D], Cone) {
    let mut spread = |decades: f64| 10.0_f64.powf(decades * (2.0 * rng.uniform() - 1.0));
    let scale = spread(6.0);
    // Rows of a Jacobian with D + 1 columns; nearly dependent in every third case.
    let mut rows: Vec<Vec<f64>> = Vec::new();
    let columns = if number.is_multiple_of(7) { D } else { D + 1 };
    for _ in 0..D {
        let size = spread(if number.is_multiple_of(4) { 2.0 } else { 0.3 });
        rows.push(vec![size * scale; columns]);
    }
    for row in &mut rows {
        for x in row {
            *x *= 2.0 * rng.uniform() - 1.0;
        }
    }
    if number.is_multiple_of(3) && D > 1 {
        let (a, b) = (rows[D - 1].clone(), number % (D - 1).max(1));
        let weight = 10.0_f64.powf(-5.0 * rng.uniform());
        rows[D - 1] = a
            .iter()
            .zip(&rows[b])
            .map(|(a, b)| weight * a + b)
            .collect();
    }
    let w: Block<D> = std::array::from_fn(|i| {
        std::array::from_fn(|j| rows[i].iter().zip(&rows[j]).map(|(a, b)| a * b).sum())
    });
    let size = 10.0_f64.powf(8.0 * (2.0 * rng.uniform() - 1.0));
    let mut b: [f64; D] = std::array::from_fn(|_| size * (2.0 * rng.uniform() - 1.0));
    if number.is_multiple_of(5) {
        b[0] = -size * 10.0_f64.powf(-12.0 * rng.uniform());
    }
    if number.is_multiple_of(11) {
        b[1..].fill(0.0);
    }
    if number.is_multiple_of(13) && D > 2 {
        b[1] = b[2];
    }
    let coefficients = [0.0, 0.1, 0.5, 1.0, 10.0, 1e3];
    let cone = Cone {
        dimension: D,
        mu: coefficients[number % 6],
        rolling: if D >= ROLLING {
            coefficients[number / 6 % 6]
        } else {
            0.0
        },
    };
    (w, b, cone)
}

/// Largest error of the natural map in the given coordinates, over |r| and over (1 + μ): a cone of slope μ turns an
/// error of its normal into one of its tangents.
fn error<const D: usize>(w: &Block<D>, b: &[f64; D], cone: Cone, law: FrictionLaw) -> f64 {
    let (local, t) = Local::new(w, cone, law);
    let inside: [f64; D] = std::array::from_fn(|i| (0..D).map(|k| t[k][i] * b[k]).sum());
    let mut guess = 0.0;
    let none = [0.0; D];
    let velocity = local.diagonal.velocity(&inside);
    let (r, _) = local.solve(&none, &velocity, &mut guess);
    let (again, _) = local.solve(&none, &velocity, &mut guess);
    let [r, again] = [r, again].map(|r| local.diagonal.impulse_back(&r));
    let r: [f64; D] = std::array::from_fn(|i| (0..D).map(|k| t[i][k] * r[k]).sum());
    let again: [f64; D] = std::array::from_fn(|i| (0..D).map(|k| t[i][k] * again[k]).sum());
    [r, again].iter().fold(0.0, |worst: f64, r| {
        let u: [f64; D] =
            std::array::from_fn(|i| b[i] + (0..D).map(|k| w[i][k] * r[k]).sum::<f64>());
        let rho = 1.0 / (0..D).map(|i| w[i][i]).fold(0.0, f64::max);
        let mut map = [0.0; D];
        cone.natural_map(law, rho, (r, &u), &mut map);
        let most = |x: &[f64]| x.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let size = most(r).max(rho * most(b));
        assert!(
            r.iter().all(|x| x.is_finite()),
            "{w:?} {b:?} {cone:?} {r:?}"
        );
        worst.max(most(&map) / size / (1.0 + cone.mu + cone.rolling))
    })
}

fn worst<const D: usize>(law: FrictionLaw, cases: usize, tolerance: f64) -> f64 {
    let mut rng = SplitMix64::new(1);
    (0..cases).fold(0.0, |worst: f64, number| {
        let (w, b, cone) = case::<D>(&mut rng, number);
        let error = error(&w, &b, cone, law);
        assert!(
            error < tolerance,
            "{error:e} number {number} {w:?} {b:?} {cone:?}"
        );
        worst.max(error)
    })
}

#[test]
fn exact_law_to_rounding() {
    let law = FrictionLaw::Coulomb;
    worst::<1>(law, 10_000, 1e-13);
    worst::<2>(law, 100_000, 1e-13);
    worst::<3>(law, 100_000, 1e-13);
    worst::<4>(law, 100_000, 1e-13);
    worst::<5>(law, 3_000, 1e-11);
    worst::<6>(law, 3_000, 1e-11);
}

#[test]
fn convex_law_to_rounding() {
    let law = FrictionLaw::Convex;
    worst::<1>(law, 10_000, 1e-13);
    worst::<2>(law, 100_000, 1e-13);
    worst::<3>(law, 100_000, 1e-13);
    worst::<4>(law, 100_000, 1e-13);
    worst::<5>(law, 3_000, 1e-11);
    worst::<6>(law, 3_000, 1e-11);
}

/// The blocks of one and two contacts of the public problems RFC3D_sphere_1 and rfc3d_sphere_from_grfc3d, whose normals
/// do not see their tangents: the first guess of the normal impulse is exact, and was lost, for an impulse of nothing.
#[test]
fn a_first_guess_may_be_the_root() {
    let mut sphere = [[0.0; 5]; 5];
    for (i, x) in [1.0, 1.01, 1.01, 1.0, 1.0].into_iter().enumerate() {
        sphere[i][i] = x;
    }
    for (i, j, x) in [(1, 4, -0.1), (2, 3, 0.077)] {
        (sphere[i][j], sphere[j][i]) = (x, x);
    }
    for law in [FrictionLaw::Coulomb, FrictionLaw::Convex] {
        for b in [
            [-8.923_570_000_000_023, 0.19, 0.0, 0.0, -1.0],
            [-0.5, 7.0, 0.0, 0.0, -1.0],
            [-0.5, 7.0, 1.0, 3.0, -1.0],
        ] {
            for (mu, rolling) in [(0.6, 0.5), (0.6, 0.0), (0.0, 0.5), (0.3, 1e-3)] {
                let cone = Cone {
                    dimension: 5,
                    mu,
                    rolling,
                };
                assert!(
                    error(&sphere, &b, cone, law) < 1e-15,
                    "{law:?} {b:?} {cone:?}"
                );
                let r = nested::solve(&sphere, (cone, law), &b);
                assert!(law == FrictionLaw::Convex || r[0] == -b[0], "{r:?}");
            }
        }
    }
}

/// From points on the way, as sweeps have them, and never anything but a solution.
#[test]
fn multipliers_from_any_point() {
    for law in [FrictionLaw::Coulomb, FrictionLaw::Convex] {
        let mut rng = SplitMix64::new(7);
        let (mut found, mut closed) = (0, 0);
        for number in 0..20_000 {
            let (mut w, b, mut cone) = case::<5>(&mut rng, number);
            cone.mu = cone.mu.clamp(0.1, 0.5);
            cone.rolling = cone.rolling.clamp(0.1, 0.5);
            for (i, row) in w.iter_mut().enumerate() {
                for (j, x) in row.iter_mut().enumerate() {
                    *x *= if i == j { 1.5 } else { 0.5 };
                }
            }
            let w = congruent(&w, &nested::frame(&w));
            let size = b.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            let rho = 1.0 / (0..5).map(|i| w[i][i]).fold(0.0, f64::max);
            let velocity = |r: &[f64; 5]| -> [f64; 5] {
                std::array::from_fn(|i| b[i] + w[i].iter().zip(r).map(|(w, r)| w * r).sum::<f64>())
            };
            let expected = nested::solve(&w, (cone, law), &b);
            if expected[0] == 0.0 {
                continue;
            }
            // Anywhere, or as near as sweeps come soon.
            let near = number.is_multiple_of(2);
            let r: [f64; 5] = std::array::from_fn(|i| {
                let random = rng.uniform();
                if near {
                    expected[i] * (1.0 + 1e-3 * random)
                } else {
                    rho * size * random
                }
            });
            closed += usize::from(near);
            let point = (&r, &velocity(&r));
            let Some(r) = multipliers::solve(&w, (cone, law), &b, point) else {
                continue;
            };
            found += usize::from(near);
            let mut map = [0.0; 5];
            cone.natural_map(law, rho, (&r, &velocity(&r)), &mut map);
            let error = length(&map) / length(&r).max(rho * size);
            assert!(error <= 1e-11, "{law:?} {number} {error:e} {r:?}");
            if law == FrictionLaw::Convex {
                // The one solution.
                let off: [f64; 5] = std::array::from_fn(|i| r[i] - expected[i]);
                let off = length(&off) / length(&expected);
                assert!(off <= 1e-9, "{number} {off:e} {r:?} {expected:?}");
            }
        }
        // Far from the answer many are left to the nested roots, near it fewer.
        assert!(2 * found > closed, "{law:?} {found} of {closed}");
    }
}

/// A disc without a radius has no multiplier to look for: singular blocks among these gave NaN.
#[test]
fn discs_without_a_radius() {
    for law in [FrictionLaw::Coulomb, FrictionLaw::Convex] {
        let mut rng = SplitMix64::new(1);
        for number in 0..20_000 {
            let (w, b, cone) = case::<5>(&mut rng, number);
            if cone.mu == 0.0 || cone.rolling == 0.0 {
                let error = error(&w, &b, cone, law);
                assert!(error < 1e-11, "{error:e} number {number} {w:?} {b:?}");
            }
        }
    }
}
