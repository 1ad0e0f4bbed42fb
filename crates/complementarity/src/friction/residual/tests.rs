//! Residuals by hand, at infinity, in other units, and beside the rounding of their own map.

use super::super::cone::Cone;
use super::*;
use crate::{BlockRows, ContactLaws, FIXED, FrictionData, FrictionLaw};

fn identity(q: &[f64], law: FrictionLaw) -> FrictionProblem {
    let laws = ContactLaws {
        dimension: 2,
        mu: vec![0.5; q.len() / 2],
        law,
        ..ContactLaws::default()
    };
    FrictionProblem::from_delassus(&sprs::CsMat::eye(q.len()), q.to_vec(), laws).unwrap()
}

#[test]
fn values_by_hand() {
    let problem = identity(&[-1.0, 4.0, 0.0, 0.0], FrictionLaw::Coulomb);
    // Slip: r = (1, −1/2), u = (0, 3.5).
    let exact = problem.residuals(&[1.0, -0.5, 0.0, 0.0]);
    assert_eq!((exact.relative, exact.scaled), (0.0, 0.0));
    // r = 0: ũ = (−1 + 2, 4), −ũ = (−1, −4), P = (0.8, −0.4).
    let none = problem.residuals(&[0.0; 4]);
    let length = 0.8_f64.hypot(0.4);
    assert!((none.relative - length / 17.0_f64.sqrt()).abs() < 1e-15);
    // The rounding of ũ = (1, 4) is left out.
    let expected = (0.8 - 8.0 * f64::EPSILON * 4.0) / (1e-12 * 4.0);
    assert!((none.scaled - expected).abs() < 1e-3, "{none:?}");
    assert_eq!(none.contacts[1], ContactResidual::default());
    // The convex law opens: u_N = μ u_T at r = n (1, −1/2): −1 + n = (4 − n/2)/2, n = 2.4.
    let convex = identity(&[-1.0, 4.0], FrictionLaw::Convex).residuals(&[2.4, -1.2]);
    assert!(convex.relative < 1e-15 && convex.scaled < 1e-15);
}

#[test]
fn impulses_that_run_off_hide_nothing() {
    // Two walls that come closer: u = (−5 + r₁ − r₂, −5 + r₂ − r₁) can not both be positive.
    let w = sprs::CsMat::new(
        (2, 2),
        vec![0, 2, 4],
        vec![0, 1, 0, 1],
        vec![1.0, -1.0, -1.0, 1.0],
    );
    let laws = ContactLaws {
        dimension: 1,
        mu: vec![0.0; 2],
        ..ContactLaws::default()
    };
    let wedge = FrictionProblem::from_delassus(&w, vec![-5.0; 2], laws).unwrap();
    for r in [1e3, 1e8, 1e12, 1e14] {
        let residuals = wedge.residuals(&[r; 2]);
        assert!(residuals.scaled > 0.5, "{r}: {residuals:?}");
    }
}

/// A box that slides along a wall: where the wall presses with next to nothing, the natural map is rounding of ũ.
#[test]
fn rounding_of_the_map_is_no_fault() {
    let mut rng = crate::rng::SplitMix64::new(7);
    let mut most = 0.0_f64;
    for case in 0..20_000 {
        let dimension = 2 + case % 4;
        let power = |rng: &mut crate::rng::SplitMix64, low: f64, high: f64| {
            10.0_f64.powf(low + (high - low) * rng.uniform())
        };
        let cone = Cone {
            dimension,
            mu: power(&mut rng, -2.0, 1.0),
            rolling: if dimension == 5 {
                power(&mut rng, -3.0, 0.0)
            } else {
                0.0
            },
        };
        let (press, slide) = (power(&mut rng, -22.0, -16.5), power(&mut rng, -1.0, 3.0));
        let way: Vec<f64> = (1..dimension).map(|_| rng.uniform() - 0.5).collect();
        let law = [FrictionLaw::Coulomb, FrictionLaw::Convex][case / 4 % 2];
        let (mut r, mut u) = (vec![press], vec![0.0]);
        for disc in [&way[..cone.split() - 1], &way[cone.split() - 1..]] {
            let mu = if r.len() == 1 { cone.mu } else { cone.rolling };
            r.extend(disc.iter().map(|x| -mu * press * x / length(disc)));
            u.extend(disc.iter().map(|x| slide * x));
        }
        if law == FrictionLaw::Convex {
            u[0] = cone.shift(FrictionLaw::Coulomb, &u);
        }
        let mut map = vec![0.0; dimension];
        let rho = power(&mut rng, -3.0, 3.0);
        for r in &mut r {
            *r *= rho;
        }
        cone.natural_map(law, rho, (&r, &u), &mut map);
        let dual = rho * cone.dual_distance(law, &u) / (dimension as f64).sqrt();
        let error = largest(&map).max(dual);
        let size = cone.shifted_size(law, &u);
        assert_eq!(
            beyond_rounding(error, rho, size),
            0.0,
            "{cone:?} {r:?} {u:?}"
        );
        most = most.max(error / (rho * size * f64::EPSILON));
    }
    // The bound of 8 is for operations that are all off by the most and to one side.
    assert!((0.25..4.0).contains(&most), "{most}");
}

/// What is not rounding is not excused: a velocity of 1e-14 into the wall beside one of 0.1 along it, and an impulse that
/// nothing asks for.
#[test]
fn faults_beside_large_velocities_are_seen() {
    for law in [FrictionLaw::Coulomb, FrictionLaw::Convex] {
        let at_bound = if law == FrictionLaw::Convex {
            0.05
        } else {
            0.0
        };
        let approaching = identity(&[at_bound - 1e-14, -0.1], law);
        let none = approaching.residuals(&[0.0; 2]);
        assert!(none.scaled > 0.05, "{law:?} {none:?}");
        assert!(none.contacts[0].scaled > 0.05);
        let parting = identity(&[at_bound + 1e-14, -0.1], law);
        assert_eq!(parting.residuals(&[0.0; 2]).scaled, 0.0);
        let pressed = parting.residuals(&[3e-14, 1.5e-14]);
        assert!(pressed.scaled > 0.05, "{law:?} {pressed:?}");
        // Nor is anything at rest, where there is no velocity to round.
        let rest = identity(&[-1e-14, 0.0], law).residuals(&[1e-14 * (1.0 + 1e-8), 0.0]);
        assert!(rest.scaled > 0.9e-8, "{law:?} {rest:?}");
    }
    assert!(beyond_rounding(f64::NAN, 1.0, 1.0).is_nan());
    assert_eq!(beyond_rounding(1.0, 1.0, f64::INFINITY), 1.0);
}

#[test]
fn impulses_of_rounding_are_open() {
    let sliding = identity(&[0.0, -0.1], FrictionLaw::Coulomb);
    assert_eq!(sliding.modes(&[1e-17, 1e-18]), [ContactMode::Open]);
    assert_eq!(sliding.modes(&[1e-14, 1e-15]), [ContactMode::Stick]);
}

#[test]
fn points_that_are_not_finite_are_infinitely_bad() {
    let problem = identity(&[-1.0, 4.0], FrictionLaw::Coulomb);
    for z in [[f64::NAN, 0.0], [1.0, f64::INFINITY], [f64::INFINITY, 0.0]] {
        let residuals = problem.residuals(&z);
        assert_eq!(residuals.relative, f64::INFINITY, "{z:?}");
        assert_eq!(residuals.scaled, f64::INFINITY, "{z:?}");
    }
}

/// The scaled residual is the same in grams, the relative one is not.
#[test]
fn units_of_mass_cancel_in_one_of_them() {
    let laws = || ContactLaws {
        dimension: 2,
        mu: vec![0.5],
        ..ContactLaws::default()
    };
    let w = sprs::CsMat::eye(2);
    let q = vec![-1.0, 4.0];
    let grams = w.map(|w| w * 1e-3);
    let [kilogram, gram] = [
        FrictionProblem::from_delassus(&w, q.clone(), laws()).unwrap(),
        FrictionProblem::from_delassus(&grams, q, laws()).unwrap(),
    ];
    let (a, b) = (
        kilogram.residuals(&[1.1, -0.5]),
        gram.residuals(&[1100.0, -500.0]),
    );
    assert!((a.scaled - b.scaled).abs() < 1e-15 && a.scaled > 0.01);
    assert!(
        b.relative > 10.0 * a.relative,
        "{} {}",
        a.relative,
        b.relative
    );
}

/// An ellipse with factor e is a round cone whose tangent is measured in other units.
#[test]
fn ellipses_are_round_in_scaled_coordinates() {
    let laws = |ellipse: Vec<f64>| ContactLaws {
        dimension: 3,
        mu: vec![0.5],
        ellipse,
        ..ContactLaws::default()
    };
    let w = sprs::CsMat::eye(3);
    let diagonal =
        |d: [f64; 3]| sprs::CsMat::new((3, 3), vec![0, 1, 2, 3], vec![0, 1, 2], d.to_vec());
    let ellipse =
        FrictionProblem::from_delassus(&w, vec![-1.0, 2.0, 1.0], laws(vec![2.0, 4.0])).unwrap();
    let round = FrictionProblem::from_delassus(
        &diagonal([1.0, 4.0, 16.0]),
        vec![-1.0, 4.0, 4.0],
        laws(vec![]),
    )
    .unwrap();
    let (a, b) = (
        ellipse.residuals(&[1.0, -0.4, -0.8]),
        round.residuals(&[1.0, -0.2, -0.2]),
    );
    assert_eq!(a, b);
    assert!(a.scaled > 0.1);
    assert_eq!(ellipse.modes(&[1.0, 0.6, 1.6]), [ContactMode::Slip]);
    assert_eq!(ellipse.modes(&[1.0, 0.6, 1.58]), [ContactMode::Stick]);
}

#[test]
fn bilateral_rows_count() {
    let mut bilateral = BlockRows::new(1, 1);
    bilateral.push([0, FIXED], &[2.0], &[0.0]);
    let problem = FrictionProblem::new(FrictionData {
        dofs: 1,
        mass: vec![1.0],
        free_velocity: vec![3.0],
        bilateral,
        bilateral_bias: vec![0.0],
        ..FrictionData::default()
    })
    .unwrap();
    assert_eq!((problem.q(), problem.diagonal()), (vec![6.0], vec![4.0]));
    assert_eq!(problem.residuals(&[-1.5]).relative, 0.0);
    let none = problem.residuals(&[0.0]);
    assert_eq!((none.relative, none.bilateral[0].relative), (1.0, 1.0));
    assert!(none.contacts.is_empty() && none.scaled > 1e11);
}

#[test]
fn without_contacts_nothing_is_wrong() {
    let problem = FrictionProblem::new(FrictionData::default()).unwrap();
    assert_eq!(problem.residuals(&[]), FrictionResiduals::default());
    assert!(problem.modes(&[]).is_empty());
}
