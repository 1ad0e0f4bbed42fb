//! Tests of paths in the plane.

use super::*;
use crate::{BlockRows, FIXED, FrictionData};

/// A square of 1 kg on the ground with contacts at both corners and between them, pushed to the side.
fn slab(contacts: usize, push: f64, mu: f64) -> FrictionProblem {
    let mut rows = BlockRows::new(2, 3);
    for k in 0..contacts {
        let x = -0.5 + k as f64 / (contacts - 1) as f64;
        // Arms (x, −1/2): normal (0, 1, x), tangent (1, 0, 1/2).
        rows.push([FIXED, 0], &[0.0; 6], &[0.0, 1.0, x, 1.0, 0.0, 0.5]);
    }
    FrictionProblem::new(FrictionData {
        dofs: 3,
        mass: vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0 / 6.0],
        free_velocity: vec![push, -1.0, 0.0],
        contacts: rows,
        bias: vec![0.0; 2 * contacts],
        mu: vec![mu; contacts],
        ..FrictionData::default()
    })
    .unwrap()
}

#[test]
fn redundant_contacts_have_a_solution_from_any_side() {
    for (push, mu) in [(0.2, 0.5), (0.7, 0.5), (2.0, 0.4), (-0.3, 0.0), (-0.1, 1.0)] {
        for contacts in [2, 3, 7] {
            let problem = slab(contacts, push, mu);
            let cold = PlanarLemke::default().solve(&problem, Start::Cold);
            assert_eq!(cold.status, Status::Solved, "{push} {mu} {contacts}");
            // All contacts alike, and a little off: more rows stick than can be independent.
            let mut near = vec![0.0; 2 * contacts];
            for p in near.chunks_exact_mut(2) {
                p[0] = 1.001 / contacts as f64;
                p[1] = -p[0] * push.clamp(-0.99 * mu, 0.99 * mu);
            }
            let only_near = PlanarLemkeSettings {
                cold_limit: 0,
                ..PlanarLemkeSettings::default()
            };
            let solution = PlanarLemke::new(only_near).solve(&problem, Start::Point(&near));
            assert_eq!(solution.status, Status::Solved, "{push} {mu} {contacts}");
            assert!(problem.residuals(&solution.z).scaled <= 1e-14);
            assert!(solution.stats.iterations <= 4 * contacts);
        }
    }
}

/// A contact that the point leaves out, as it opens fast there, closes in the solution.
#[test]
fn what_closes_after_all_takes_part() {
    let mut rows = BlockRows::new(2, 2);
    rows.push([FIXED, 0], &[0.0; 4], &[0.0, 1.0, 1.0, 0.0]);
    rows.push([FIXED, 0], &[0.0; 4], &[-1.0, 0.0, 0.0, 1.0]);
    let problem = FrictionProblem::new(FrictionData {
        dofs: 2,
        mass: vec![1.0, 0.0, 0.0, 1.0],
        free_velocity: vec![1.0, -1.0],
        contacts: rows,
        bias: vec![0.0; 4],
        mu: vec![0.25; 2],
        ..FrictionData::default()
    })
    .unwrap();
    // So much friction on the ground that the wall is left.
    let near = [8.0, -2.0, 0.0, 0.0];
    let settings = PlanarLemkeSettings {
        cold_limit: 0,
        ..PlanarLemkeSettings::default()
    };
    let solution = PlanarLemke::new(settings).solve(&problem, Start::Point(&near));
    assert_eq!(solution.status, Status::Solved);
    assert!(solution.z[2] > 0.0, "{:?}", solution.z);
}

/// What it does not take comes back as it was, and is not called solved.
#[test]
fn the_convex_law_is_not_taken() {
    let problem = slab(2, 0.7, 0.5).with_law(FrictionLaw::Convex);
    let near = [0.5, -0.2, 0.5, -0.2];
    let solution = PlanarLemke::default().solve(&problem, Start::Point(&near));
    assert_eq!(
        (solution.status, &solution.z[..]),
        (Status::NoProgress, &near[..])
    );
}

/// Two bodies fly at 100 m/s and touch with nothing: impulses are rounding of these velocities, and what solves the linear problem
/// does not always solve the friction problem.
#[test]
fn an_answer_is_not_called_solved_for_its_linear_problem() {
    let mut rows = BlockRows::new(2, 3);
    for y in [-0.1, 0.1] {
        rows.push(
            [0, 1],
            &[-1.0, 0.0, 0.1 - y, 0.0, -1.0, -0.1],
            &[1.0, 0.0, y, 0.0, 1.0, -0.1],
        );
    }
    for off in [0.0, 1e-14, -1e-13, 3e-12] {
        let problem = FrictionProblem::new(FrictionData {
            dofs: 3,
            mass: [40.0, 1.0]
                .iter()
                .flat_map(|m| [*m, 0.0, 0.0, 0.0, *m, 0.0, 0.0, 0.0, *m])
                .collect(),
            free_velocity: vec![100.0 + off, 70.0, 0.0, 100.0, 69.0, 0.0],
            contacts: rows.clone(),
            bias: vec![0.0; 4],
            mu: vec![0.3; 2],
            ..FrictionData::default()
        })
        .unwrap();
        for start in [Start::Cold, Start::Point(&[1e-13, 1e-14, 0.0, 0.0])] {
            let solution = PlanarLemke::default().solve(&problem, start);
            let residual = problem.residuals(&solution.z).scaled;
            assert_eq!(solution.residual, residual);
            assert_eq!(
                solution.status == Status::Solved,
                residual <= 1e-10,
                "{off}"
            );
        }
    }
}
