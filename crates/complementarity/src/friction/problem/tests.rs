//! What is accepted and what is refused.

use super::*;
use crate::FIXED;

fn particle() -> FrictionData {
    let mut contacts = BlockRows::new(2, 2);
    contacts.push([FIXED, 0], &[f64::NAN; 4], &[0.0, 1.0, 1.0, 0.0]);
    FrictionData {
        dofs: 2,
        mass: vec![2.0, 0.0, 0.0, 4.0],
        free_velocity: vec![1.0, -3.0],
        contacts,
        bias: vec![0.5, 0.0],
        mu: vec![0.5],
        ..FrictionData::default()
    }
}

fn fault(change: impl FnOnce(&mut FrictionData)) -> String {
    let mut data = particle();
    change(&mut data);
    FrictionProblem::new(data).map_or_else(|e| e.to_string(), |_| "accepted".to_owned())
}

#[test]
fn fixed_side_is_never_read() {
    let problem = FrictionProblem::new(particle()).unwrap();
    let (mut v, mut u) = ([0.0; 2], [0.0; 2]);
    problem.velocity_into(&[4.0, 2.0], &[], &mut v);
    problem.relative_velocity_into(&v, &mut u);
    assert_eq!((v, u), ([2.0, -2.0], [-1.5, 2.0]));
    assert_eq!(problem.delassus().to_dense()[[0, 0]], 0.25);
}

#[test]
fn each_fault_is_named() {
    assert_eq!(fault(|_| ()), "accepted");
    assert_eq!(
        fault(|d| d.mass[1] = 9.0),
        "mass block of body 0 is not symmetric positive definite"
    );
    assert_eq!(
        fault(|d| d.mass[3] = 0.0),
        "mass block of body 0 is not symmetric positive definite"
    );
    assert_eq!(
        fault(|d| d.mu[0] = -0.5),
        "mu[0] is -0.5, must be from 0 to 1e100"
    );
    assert_eq!(
        fault(|d| d.bias = vec![0.0]),
        "bias has length 1, expected 2"
    );
    assert_eq!(
        fault(|d| d.dofs = 0),
        "free_velocity has length 2, expected 0"
    );
    assert_eq!(
        fault(|d| d.contacts.push([0, 1], &[0.0; 4], &[0.0; 4])),
        "contacts row block 1 touches body 1, there are 1"
    );
    assert_eq!(
        fault(|d| d.bilateral.push([0, FIXED], &[], &[])),
        "bilateral rows are 0 x 0 per block, expected 1 and 2 columns"
    );
    assert_eq!(
        fault(|d| d.free_velocity[1] = f64::NAN),
        "free_velocity[1] is NaN, which is not finite"
    );
}

fn laws(dimension: usize, mu: &[f64]) -> ContactLaws {
    ContactLaws {
        dimension,
        mu: mu.to_vec(),
        ..ContactLaws::default()
    }
}

#[test]
fn both_forms_have_the_same_velocities() {
    let bodies = FrictionProblem::new(particle()).unwrap();
    let same =
        FrictionProblem::from_delassus(&bodies.delassus(), bodies.q(), laws(2, &[0.5])).unwrap();
    assert_eq!(same.q(), [-2.5, 1.0]);
    assert_eq!(
        (same.diagonal(), bodies.diagonal()),
        (vec![0.25, 0.5], vec![0.25, 0.5])
    );
    let (mut u, mut v) = ([0.0; 2], [0.0; 2]);
    bodies.relative_velocities_into(&[4.0, 2.0], &mut u);
    same.relative_velocities_into(&[4.0, 2.0], &mut v);
    assert_eq!((u, v), ([-1.5, 2.0], [-1.5, 2.0]));
    assert_eq!(
        (same.nv(), same.has_bodies(), same.contacts().len()),
        (0, false, 0)
    );
    let (data, expected) = (bodies.into_data(), particle());
    assert_eq!(
        (&data.mu, &data.bias, &data.mass, data.dofs),
        (&expected.mu, &expected.bias, &expected.mass, expected.dofs)
    );
}

#[test]
fn operators_that_no_bodies_have_are_refused() {
    let operator = |w: [[f64; 2]; 2]| {
        let entries = w.concat();
        let w = CsMat::new_csc((2, 2), vec![0, 2, 4], vec![0, 1, 0, 1], entries);
        let problem = FrictionProblem::from_delassus(&w, vec![0.0; 2], laws(2, &[0.5]));
        problem.map_or_else(|e| e.to_string(), |_| "accepted".to_owned())
    };
    assert_eq!(operator([[1.0, 0.5], [0.49, 1.0]]), "accepted");
    assert_eq!(
        operator([[1.0, 0.5], [-0.3, 1.0]]),
        "the Delassus operator W of u = W r + q is not symmetric positive semidefinite: W[0, 1] is -0.3 and W[1, 0] is 0.5"
    );
    assert_eq!(
        operator([[1.0, 0.0], [0.0, -1.0]]),
        "the Delassus operator W of u = W r + q is not symmetric positive semidefinite: W[1, 1] is -1"
    );
    assert_eq!(
        operator([[f64::NAN, 0.0], [0.0, 1.0]]),
        "W[0] is NaN, which is not finite"
    );
    let w = CsMat::eye(3);
    let error = FrictionProblem::from_delassus(&w, vec![0.0; 2], laws(2, &[0.5])).unwrap_err();
    assert_eq!(error.to_string(), "W is 3 x 3, expected 2 x 2");
}
