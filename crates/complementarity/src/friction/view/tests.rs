//! Views against the problems they are made of.

use super::*;
use crate::{ContactLaws, FrictionData};

/// Two bodies, three contacts with ellipses, one bilateral row.
fn problem(ellipse: &[f64]) -> FrictionProblem {
    let mut contacts = BlockRows::new(2, 2);
    contacts.push([FIXED, 0], &[f64::NAN; 4], &[0.5, 1.0, 1.0, 0.25]);
    contacts.push([0, 1], &[-1.0, 0.0, 0.5, 2.0], &[1.0, 1.0, -0.5, 0.0]);
    contacts.push([1, FIXED], &[0.0, 1.0, 1.0, 0.0], &[f64::NAN; 4]);
    let mut bilateral = BlockRows::new(1, 2);
    bilateral.push([0, 1], &[1.0, 2.0], &[-1.0, 0.5]);
    FrictionProblem::new(FrictionData {
        dofs: 2,
        mass: vec![2.0, 0.5, 0.5, 3.0, 1.0, 0.0, 0.0, 4.0],
        free_velocity: vec![1.0, -2.0, 3.0, 0.5],
        contacts,
        bias: vec![0.1, 0.2, 0.3, 0.4, 0.5, 0.6],
        mu: vec![0.5, 0.25, 0.0],
        ellipse: ellipse.to_vec(),
        bilateral,
        bilateral_bias: vec![0.7],
        ..FrictionData::default()
    })
    .unwrap()
}

fn close(a: &[f64], b: &[f64]) {
    assert_eq!(a.len(), b.len());
    for (a, b) in a.iter().zip(b) {
        assert!((a - b).abs() < 1e-14, "{a} {b}");
    }
}

#[test]
fn both_products_are_those_of_the_problem() {
    for ellipse in [vec![], vec![2.0, 0.5, 4.0]] {
        let problem = problem(&ellipse);
        let view = SolverView::new(&problem);
        let matrix = view.matrix(&problem);
        let z = [1.0, -0.5, 2.0, 0.25, 0.5, 3.0, -1.5];
        let mut expected = vec![0.0; 7];
        problem.relative_velocities_into(&z, &mut expected);
        let mut r = z.to_vec();
        view.scale(&mut r);
        for (u, e) in expected.iter_mut().skip(1).step_by(2).zip(&ellipse) {
            *u *= e;
        }
        let mut u = vec![0.0; 7];
        matrix.velocities_into(&view, &r, &mut u);
        close(&u, &expected);
        // Through the bodies.
        let bodies = view.bodies.as_ref().unwrap();
        let mut v = vec![0.0; 6];
        bodies.velocity_into(&r, &mut v);
        for k in 0..view.blocks() {
            let rows = bodies.rows[bodies.block(k)].chunks_exact(2);
            let height = view.rows(k).len();
            let mut u = vec![0.0; height];
            for (i, row) in rows.enumerate() {
                let body = bodies.cols[k][i / height] as usize;
                u[i % height] += row[0] * v[2 * body] + row[1] * v[2 * body + 1];
            }
            let bias = if k < 3 {
                let e = |i: usize| ellipse.get(i).copied().unwrap_or(1.0);
                vec![problem.bias()[2 * k], problem.bias()[2 * k + 1] * e(k)]
            } else {
                vec![0.7]
            };
            u.iter_mut().zip(&bias).for_each(|(u, b)| *u += b);
            close(&u, &expected[view.rows(k)]);
        }
        view.unscale(&mut r);
        close(&r, &z);
    }
}

#[test]
fn the_pattern_is_that_of_shared_bodies() {
    let problem = problem(&[]);
    let view = SolverView::new(&problem);
    let matrix = view.matrix(&problem);
    let cols = |k: usize| matrix.row(k).map(|(l, _)| l).collect::<Vec<_>>();
    assert_eq!(cols(0), [0, 1, 3]);
    assert_eq!(cols(3), [0, 1, 2, 3]);
    for k in 0..4 {
        let (_, block) = matrix.row(k).find(|(l, _)| *l == k).unwrap();
        close(block, view.diagonal_block(k));
    }
}

#[test]
fn operators_give_the_same_blocks() {
    for ellipse in [vec![], vec![2.0, 0.5, 4.0]] {
        let mut data = problem(&ellipse).into_data();
        (data.bilateral, data.bilateral_bias) = (BlockRows::default(), vec![]);
        let bodies = FrictionProblem::new(data).unwrap();
        let laws = ContactLaws {
            ellipse: ellipse.clone(),
            ..bodies.laws().clone()
        };
        let operator =
            FrictionProblem::from_delassus(&bodies.delassus(), bodies.q(), laws).unwrap();
        let (a, b) = (SolverView::new(&bodies), SolverView::new(&operator));
        close(&a.q, &b.q);
        close(&a.diagonal, &b.diagonal);
        let (a, b) = (a.matrix(&bodies), b.matrix(&operator));
        assert_eq!(
            (&a.start, &a.cols, &a.offset),
            (&b.start, &b.cols, &b.offset)
        );
        close(&a.values, &b.values);
    }
}

/// What solvers measure on their way is what the problem says at the end.
#[test]
fn residuals_are_those_of_the_problem() {
    for ellipse in [vec![], vec![2.0, 0.5, 4.0]] {
        let problem = problem(&ellipse);
        let view = SolverView::new(&problem);
        let z = [1.0, -0.5, 2.0, 0.25, 0.5, 3.0, -1.5];
        let expected = problem.residuals(&z);
        let mut r = z.to_vec();
        view.scale(&mut r);
        let (mut u, mut map) = (vec![0.0; 7], vec![0.0; 7]);
        view.matrix(&problem).velocities_into(&view, &r, &mut u);
        for measure in [ResidualMeasure::Relative, ResidualMeasure::Scaled] {
            let found = view.residual(measure, (&r, &u), &mut map);
            let expected = expected.of(measure);
            assert!(
                (found - expected).abs() < 1e-14 * expected,
                "{found} {expected}"
            );
        }
        r[0] = f64::NAN;
        for measure in [ResidualMeasure::Relative, ResidualMeasure::Scaled] {
            assert_eq!(view.residual(measure, (&r, &u), &mut map), f64::INFINITY);
        }
    }
}

/// The natural map is 0 at the answer of the classical slide.
#[test]
fn natural_map_of_a_slide() {
    let laws = ContactLaws {
        dimension: 3,
        mu: vec![0.1],
        ..ContactLaws::default()
    };
    let w = sprs::CsMat::eye(3);
    let problem = FrictionProblem::from_delassus(&w, vec![-1.0, 3.0, 4.0], laws).unwrap();
    let view = SolverView::new(&problem);
    let (r, u) = ([1.0, -0.06, -0.08], [0.0, 2.94, 3.92]);
    let mut map = [0.0; 3];
    assert!(view.natural_map(0.5, (&r, &u), &mut map) < 1e-16);
    assert!(view.natural_map(0.5, (&[0.0; 3], &u), &mut map) < 1e-16);
    assert!(view.natural_map(0.5, (&r, &[1.0, 0.0, 0.0]), &mut map) > 0.1);
}
