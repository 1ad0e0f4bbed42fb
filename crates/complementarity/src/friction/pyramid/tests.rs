//! Both forms of a step with a pyramid beside its physics.

use super::*;
use crate::{FIXED, FrictionData};

/// Two bodies in space, a contact with and one without friction, one bilateral row.
fn step() -> FrictionProblem {
    let mut contacts = BlockRows::new(3, 3);
    contacts.push(
        [0, 1],
        &[1.0, 0.2, 0.3, 0.1, 1.0, 0.0, 0.5, 0.0, 1.0],
        &[-1.0; 9],
    );
    contacts.push(
        [FIXED, 1],
        &[f64::NAN; 9],
        &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
    );
    let mut bilateral = BlockRows::new(1, 3);
    bilateral.push([0, FIXED], &[0.0, 1.0, 2.0], &[f64::NAN; 3]);
    FrictionProblem::new(FrictionData {
        dofs: 3,
        mass: vec![
            2.0, 0.1, 0.0, 0.1, 2.0, 0.0, 0.0, 0.0, 3.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0,
            1.0,
        ],
        free_velocity: vec![1.0, 2.0, 3.0, -1.0, 0.5, 0.25],
        contacts,
        bias: vec![0.1, 0.2, 0.3, 0.4, 0.5, 0.6],
        mu: vec![0.7, 0.0],
        bilateral,
        bilateral_bias: vec![0.05],
        ..FrictionData::default()
    })
    .unwrap()
}

/// F of both forms agrees with the physics of the step at any impulses.
#[test]
fn rows_are_relative_velocities() {
    let step = step();
    let z = [0.3, 1.1, 0.4, 0.2, 0.3, 0.6, 0.9];
    let reduced = step.pyramid(4, PyramidForm::Reduced);
    let mixed = step.pyramid(4, PyramidForm::Mixed);
    assert_eq!(
        (reduced.problem().len(), mixed.problem().len()),
        (1 + 2 + 4 + 1, 6 + 8)
    );
    let z: Vec<f64> = z.iter().copied().chain([0.8]).collect();
    let (mut p, mut v, mut u) = ([0.0; 6], [0.0; 6], [0.0; 6]);
    reduced.impulses_into(&z, &mut p);
    assert_eq!(p[..2], [1.1, 0.2 - 0.6]);
    step.velocity_into(&p, &z[reduced.bilateral()], &mut v);
    step.relative_velocity_into(&v, &mut u);
    let mut expected = vec![v[1] + 2.0 * v[2] + 0.05, u[0], u[3]];
    expected.extend([u[1], u[2], -u[1], -u[2]].map(|x| x + z[7]));
    expected.push(0.7 * 1.1 - (z[3] + z[4] + z[5] + z[6]));
    let full: Vec<f64> = v.iter().copied().chain(z.iter().copied()).collect();
    for (pyramid, z, skip) in [(&reduced, &z, 0), (&mixed, &full, 6)] {
        let mut f = pyramid.problem().q().to_vec();
        for (&m, (i, j)) in pyramid.problem().m() {
            f[i] += m * z[j];
        }
        assert!(
            f[..skip].iter().all(|f| f.abs() < 1e-14),
            "momentum balance {f:?}"
        );
        for (f, e) in f[skip..].iter().zip(&expected) {
            assert!((f - e).abs() < 1e-14, "{f} {e}");
        }
    }
    assert_eq!(
        (mixed.normal(1), mixed.facets(0), mixed.facets(1)),
        (8, Some(9..13), None)
    );
    assert_eq!(
        (mixed.slip_index(0), mixed.slip(&full, 1)),
        (Some(13), None)
    );
}

/// The pyramid of W and q is that of the bodies, on ellipses too.
#[test]
fn operators_have_the_same_pyramid() {
    let mut data = step().into_data();
    (data.bilateral, data.bilateral_bias) = (BlockRows::default(), Vec::new());
    data.ellipse = vec![2.0, 0.5, 1.0, 1.0];
    let bodies = FrictionProblem::new(data).unwrap();
    let operator =
        FrictionProblem::from_delassus(&bodies.delassus(), bodies.q(), bodies.laws().clone())
            .unwrap();
    let [a, b] = [&bodies, &operator].map(|p| p.pyramid(8, PyramidForm::Reduced));
    let (mut p, z) = ([0.0; 6], [1.0; 11]);
    a.impulses_into(&z, &mut p);
    assert!(
        p.iter()
            .zip([1.0, 0.0, 0.0, 1.0, 0.0, 0.0])
            .all(|(a, b)| (a - b).abs() < 1e-15)
    );
    let (a, b) = (a.problem(), b.problem());
    let (m, n) = (a.m().to_dense(), b.m().to_dense());
    assert!(m.iter().zip(n.iter()).all(|(a, b)| (a - b).abs() < 1e-14));
    assert!(a.q().iter().zip(b.q()).all(|(a, b)| (a - b).abs() < 1e-14));
    // Along the first tangent a facet sees twice the velocity: 4 times the diagonal entry of W.
    let w = bodies.delassus().to_dense();
    assert!((m[[2, 2]] - 4.0 * w[[1, 1]]).abs() < 1e-14);
}
