//! Friction problems without a solution: self-stresses prove it, and problems with one are never refuted.

use signorini_complementarity::*;

const LAWS: [FrictionLaw; 2] = [FrictionLaw::Coulomb, FrictionLaw::Convex];

/// W = Σ h hᵀ for one contact with rolling friction, or torsion as well.
fn contact(
    h: &[&[f64]],
    q: &[f64],
    (mu, rolling): (f64, f64),
    law: FrictionLaw,
) -> FrictionProblem {
    let d = q.len();
    let mut w = sprs::TriMat::new((d, d));
    for (i, j) in (0..d).flat_map(|i| (0..d).map(move |j| (i, j))) {
        w.add_triplet(i, j, h.iter().map(|h| h[i] * h[j]).sum());
    }
    let laws = ContactLaws {
        dimension: d,
        mu: vec![mu],
        rolling: vec![rolling],
        law,
        ..ContactLaws::default()
    };
    FrictionProblem::from_delassus(&w.to_csr(), q.to_vec(), laws).unwrap()
}

/// A ball of 2 kg and radius 1 between two walls, which have these velocities towards it.
fn between_walls(closing: [f64; 2], law: FrictionLaw) -> FrictionProblem {
    let mut contacts = BlockRows::new(3, 6);
    for side in [1.0, -1.0] {
        let rows = [
            [side, 0.0, 0.0, 0.0, 0.0, 0.0],
            [0.0, 1.0, 0.0, 0.0, 0.0, -side],
            [0.0, 0.0, 1.0, 0.0, side, 0.0],
        ];
        contacts.push([FIXED, 0], &[0.0; 18], rows.as_flattened());
    }
    let mut mass = vec![0.0; 36];
    (0..6).for_each(|i| mass[7 * i] = if i < 3 { 2.0 } else { 0.8 });
    FrictionProblem::new(FrictionData {
        dofs: 6,
        mass,
        free_velocity: vec![0.3, 0.1, -0.2, 0.0, 0.5, 0.0],
        contacts,
        bias: vec![-closing[0], 0.0, 0.0, -closing[1], 0.0, 0.0],
        mu: vec![0.3; 2],
        law,
        ..FrictionData::default()
    })
    .unwrap()
}

fn by_portfolio(problem: &FrictionProblem) -> FrictionAnswer {
    let settings = FrictionSettings {
        tolerance: 1e-10,
        measure: ResidualMeasure::Scaled,
    };
    solve_friction(problem, &settings)
}

/// The problem is called infeasible, and the proof holds: impulses in the cones that change no velocity by more than rounding, and
/// that q runs against.
fn assert_refuted(problem: &FrictionProblem) {
    let answer = by_portfolio(problem);
    assert_eq!(answer.solution.status, Status::Infeasible, "{answer:?}");
    let Some(Certificate::SelfStress(d)) = &answer.solution.certificate else {
        panic!("no certificate: {answer:?}");
    };
    assert!(problem.is_refuted_by(d));
    let size = d.iter().fold(0.0_f64, |m, d| m.max(d.abs()));
    let q = problem.q();
    let mut u = vec![0.0; d.len()];
    // So large that q does not count.
    let large: Vec<f64> = d.iter().map(|d| d / size * 2.0_f64.powi(40)).collect();
    problem.relative_velocities_into(&large, &mut u);
    let stiffest = problem.diagonal().into_iter().fold(0.0, f64::max);
    for (u, q) in u.iter().zip(&q) {
        assert!(
            (u - q).abs() <= 1e-13 * stiffest * 2.0_f64.powi(40),
            "{d:?} {u:e}"
        );
    }
    let against: f64 = q.iter().zip(d).map(|(q, d)| q * d).sum();
    assert!(against < 0.0);
    let (dimension, laws) = (problem.dimension(), problem.laws());
    for (k, d) in d.chunks_exact(dimension).enumerate() {
        let moments = if dimension > 4 {
            dimension - 2
        } else {
            dimension
        };
        let length = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
        let rolling = laws.rolling.get(k).copied().unwrap_or(0.0);
        assert!(d[0] >= 0.0 && length(&d[1..moments]) <= laws.mu[k] * d[0]);
        assert!(length(&d[moments..]) <= rolling * d[0]);
        assert!(problem.law() == FrictionLaw::Convex || d[1..].iter().all(|d| *d == 0.0));
    }
}

/// W sees (r_N + 2 r_T) and one rolling moment: d = (2, −1, 0, 0, 0) moves nothing, and qᵀd = −2.
#[test]
fn a_contact_that_rolls_has_no_solution_under_the_convex_law() {
    let (h, g) = ([1.0, 2.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0, 0.5]);
    let problem = |q: &[f64]| contact(&[&h, &g], q, (1.0, 0.1), FrictionLaw::Convex);
    assert_refuted(&problem(&[-1.0, 0.0, 0.0, 0.3, 0.1]));
    // Slip the other way takes the load off: u = (−1, −2) + (r_N + 2 r_T) (1, 2) may be 0.
    let answer = by_portfolio(&problem(&[-1.0, -2.0, 0.0, 0.3, 0.1]));
    assert!(answer.solution.status.is_solved(), "{answer:?}");
    // With torsion and other units.
    let mut h = [
        [1e4, 2e4, 0.0, 5e3, 0.0, 0.0],
        [0.0, 0.0, 0.0, 0.0, 1.0, 0.5],
    ];
    assert_refuted(&contact(
        &[&h[0], &h[1]],
        &[-1.0, 0.0, 0.0, 0.0, 0.1, 0.0],
        (1.0, 0.1),
        FrictionLaw::Convex,
    ));
    h[0][3] = -5e3;
    assert_refuted(&contact(
        &[&h[0], &h[1]],
        &[-1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        (1.0, 0.1),
        FrictionLaw::Convex,
    ));
}

#[test]
fn closing_walls_have_no_solution_under_either_law() {
    for law in LAWS {
        for closing in [[1.0, 1.0], [0.1, 0.0], [2.0, -1.0]] {
            assert_refuted(&between_walls(closing, law));
        }
        // Carried along by walls that move together but for a thousandth, it is crushed by a hair.
        let mut data = between_walls([1.0, -0.999], law).into_data();
        data.free_velocity = vec![1.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        let problem = FrictionProblem::new(data).unwrap();
        assert!(!problem.is_refuted_by(&[1.0, 0.0, 0.0, 1.0, 0.0, 0.0]));
        // The ball is pushed along, or neither wall moves.
        for closing in [[1.0, -1.0], [1.0, -2.0], [0.0, 0.0]] {
            let answer = by_portfolio(&between_walls(closing, law));
            assert!(answer.solution.status.is_solved(), "{law:?} {closing:?}");
        }
    }
}

/// Walls that close by 1e-5 of what the ball falls refute nothing, but impulses of 1e16, in which rounding loses 0.3 m/s, solve nothing either.
#[test]
fn what_rounding_hides_is_not_solved() {
    let mut contacts = BlockRows::new(2, 3);
    for side in [1.0, -1.0] {
        let rows = [[side, 0.0, 0.0], [0.0, 1.0, -0.1 * side]];
        contacts.push([FIXED, 0], &[0.0; 6], rows.as_flattened());
    }
    let problem = FrictionProblem::new(FrictionData {
        dofs: 3,
        mass: vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.004],
        free_velocity: vec![0.3, -1.0, 0.0],
        contacts,
        bias: vec![-1e-5, 0.0, -1e-5, 0.0],
        mu: vec![0.5; 2],
        ..FrictionData::default()
    })
    .unwrap();
    let settings = FrictionSettings {
        measure: ResidualMeasure::Scaled,
        ..FrictionSettings::default()
    };
    let answer = solve_friction(&problem, &settings);
    let solved = answer.solution.status.is_solved();
    assert!(!solved || answer.residuals.relative < 1e-2, "{answer:?}");
}

/// A part of a problem tells the whole of its proof.
#[test]
fn islands_pass_their_proof_on() {
    let mut data = between_walls([1.0, 1.0], FrictionLaw::Coulomb).into_data();
    let free = between_walls([0.0, 0.0], FrictionLaw::Coulomb).into_data();
    data.mass.extend(&free.mass);
    data.free_velocity.extend(&free.free_velocity);
    for k in 0..2 {
        data.contacts
            .push([FIXED, 1], &[0.0; 18], free.contacts.block(k, 1));
    }
    data.bias.extend(&free.bias);
    data.mu.extend(&free.mu);
    let problem = FrictionProblem::new(data).unwrap();
    let target = (ResidualMeasure::Relative, 1e-8);
    let solution = solve_islands(&problem, target, Start::Cold, |part, _| {
        solve_friction(part, &FrictionSettings::default()).solution
    });
    assert_eq!(solution.status, Status::Infeasible);
    let Some(Certificate::SelfStress(d)) = &solution.certificate else {
        panic!("{solution:?}");
    };
    assert!(problem.is_refuted_by(d) && d[6..] == [0.0; 6]);
    // Impulses that run off hide the other island from a scaled residual, and the proof stands.
    let target = (ResidualMeasure::Scaled, 1e-8);
    let solution = solve_islands(&problem, target, Start::Cold, |part, _| {
        by_portfolio(part).solution
    });
    assert_eq!(solution.status, Status::Infeasible);
}

/// Two equations that nothing moves apart; with a limit or a compliance of one of them there is a solution.
#[test]
fn equations_that_contradict_each_other() {
    let solve = |limit: Vec<f64>, compliance: Vec<f64>| {
        let mut bilateral = BlockRows::new(1, 1);
        bilateral.push([FIXED, 0], &[0.0], &[1.0]);
        bilateral.push([FIXED, 0], &[0.0], &[2.0]);
        let problem = FrictionProblem::new(FrictionData {
            dofs: 1,
            mass: vec![3.0],
            free_velocity: vec![0.5],
            bilateral,
            bilateral_bias: vec![0.0, 1.0],
            bilateral_compliance: compliance,
            bilateral_limit: limit,
            ..FrictionData::default()
        })
        .unwrap();
        (
            by_portfolio(&problem).solution.status,
            problem.is_refuted_by(&[2.0, -1.0]),
            problem.is_refuted_by(&[-2.0, 1.0]),
        )
    };
    let (status, first, second) = solve(vec![], vec![]);
    assert_eq!((status, first || second), (Status::Infeasible, true));
    for (limit, compliance) in [(vec![f64::INFINITY, 4.0], vec![]), (vec![], vec![0.0, 0.1])] {
        let (status, first, second) = solve(limit, compliance);
        assert_eq!((status, first, second), (Status::Solved, false, false));
    }
}

#[test]
fn problems_with_a_solution_are_not_refuted() {
    let laws = |law| ContactLaws {
        dimension: 1,
        mu: vec![0.0; 2],
        law,
        ..ContactLaws::default()
    };
    let pair = |off: f64, q: [f64; 2], law| {
        let w = sprs::CsMat::new(
            (2, 2),
            vec![0, 2, 4],
            vec![0, 1, 0, 1],
            vec![1.0, off, off, 1.0],
        );
        FrictionProblem::from_delassus(&w, q.to_vec(), laws(law)).unwrap()
    };
    for law in LAWS {
        assert!(pair(-1.0, [-1.0, -1.0], law).is_refuted_by(&[1.0, 1.0]));
        // r = (1, 1) / 1e-12.
        assert!(!pair(-1.0 + 1e-12, [-1.0, -1.0], law).is_refuted_by(&[1.0, 1.0]));
        // What is left of q may be rounding.
        assert!(!pair(-1.0, [-1.0, 1.0 - 1e-12], law).is_refuted_by(&[1.0, 1.0]));
        // Not in the cone, not finite, nothing.
        for d in [[-1.0, -1.0], [f64::NAN, 1.0], [f64::INFINITY; 2], [0.0; 2]] {
            assert!(!pair(-1.0, [-1.0, -1.0], law).is_refuted_by(&d), "{d:?}");
        }
    }
    // Friction counts under the convex law alone, and only up to its bound.
    let h = [1.0, 2.0, 0.0, 0.0, 0.0];
    for (law, mu, expected) in [
        (FrictionLaw::Convex, 1.0, true),
        (FrictionLaw::Convex, 0.4, false),
        (FrictionLaw::Coulomb, 1.0, false),
    ] {
        let problem = contact(&[&h], &[-1.0, 0.0, 0.0, 0.0, 0.0], (mu, 0.1), law);
        assert_eq!(problem.is_refuted_by(&[2.0, -1.0, 0.0, 0.0, 0.0]), expected);
    }
}

/// The exact law has no self-stress here, as the normal alone may open.
#[test]
fn what_cannot_be_proved_is_unsolved() {
    let problem = contact(
        &[&[1.0, 2.0, 0.5, 0.3, 0.1], &[0.1, 0.2, 0.3, 0.5, -0.7]],
        &[-1.0, 0.0, 0.1, 0.2, 0.0],
        (1.0, 0.1),
        FrictionLaw::Coulomb,
    );
    let answer = solve_friction(&problem, &FrictionSettings::default());
    let solution = &answer.solution;
    assert!(!solution.status.is_solved() && solution.status != Status::Infeasible);
    assert!(solution.certificate.is_none());
    assert_eq!(answer.tried.len(), 6, "{:?}", answer.tried);
}

/// W = (1, −1; −1, 1 + δ) with a small δ and q = (−1, 0): r = (1 + δ, 1) / δ, large and exact where δ is a power of two. From 2^−48 on
/// it is some roundings of W.
#[test]
fn a_solution_that_is_exact_is_not_refuted() {
    for (law, power) in LAWS.into_iter().flat_map(|l| (20..48).map(move |p| (l, p))) {
        let delta = 0.5_f64.powi(power);
        let w = sprs::CsMat::new(
            (2, 2),
            vec![0, 2, 4],
            vec![0, 1, 0, 1],
            vec![1.0, -1.0, -1.0, 1.0 + delta],
        );
        let laws = ContactLaws {
            dimension: 1,
            mu: vec![0.0; 2],
            law,
            ..ContactLaws::default()
        };
        let problem = FrictionProblem::from_delassus(&w, vec![-1.0, 0.0], laws).unwrap();
        let answer = by_portfolio(&problem);
        let status = answer.solution.status;
        assert_ne!(status, Status::Infeasible, "{law:?} 2^-{power}");
    }
}

/// d = (1, −0.1, 0.9) moves nothing and qᵀd = −0.1, so that the convex law has no solution; the exact one slides with u = (0, 1, 0) under
/// r = (1, −1, 0).
#[test]
fn tangents_prove_nothing_under_the_exact_law() {
    let h = [0.72_f64.sqrt(), -1.125_f64.sqrt(), -1.125_f64.sqrt()];
    let mut w = sprs::TriMat::new((3, 3));
    for (i, j) in (0..3).flat_map(|i| (0..3).map(move |j| (i, j))) {
        w.add_triplet(i, j, h[i] * h[j]);
    }
    let laws = ContactLaws {
        dimension: 3,
        mu: vec![1.0],
        ..ContactLaws::default()
    };
    let q = vec![-1.62, 3.025, 2.025];
    let problem = FrictionProblem::from_delassus(&w.to_csr(), q, laws).unwrap();
    assert!(problem.residuals(&[1.0, -1.0, 0.0]).scaled < 1e-14);
    assert!(by_portfolio(&problem).solution.status.is_solved());
    let d = [1.0, -0.1, 0.9];
    assert!(!problem.is_refuted_by(&d));
    let convex = problem.with_law(FrictionLaw::Convex);
    assert!(convex.is_refuted_by(&d));
    assert_refuted(&convex);
}
