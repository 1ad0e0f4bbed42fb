//! Gradients and Hessians against differences at 100 random points per shape.

use nalgebra::{Matrix2, SVector, Vector2, Vector3};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use signorini_geometry::{
    Ball, Capsule, Cone, ConvexSet, Cylinder, DerivativeCheck, Ellipsoid, HalfSpace, Polygon,
    Rounded, Superquadric, Surface, check_derivatives,
};

/// The same 100 points in every run, those too near a jump of the derivatives left out.
fn points<const D: usize>(smooth: impl Fn(&SVector<f64, D>) -> bool) -> Vec<SVector<f64, D>> {
    let mut runner = TestRunner::deterministic();
    let mut all = Vec::new();
    while all.len() < 100 {
        let x = SVector::from_fn(|_, _| (-2.0..2.0f64).new_tree(&mut runner).unwrap().current());
        if smooth(&x) {
            all.push(x);
        }
    }
    all
}

fn check<const D: usize>(set: impl Into<ConvexSet<D>>, smooth: impl Fn(&SVector<f64, D>) -> bool) {
    check_derivatives(
        set.into().as_surface(),
        &points(smooth),
        DerivativeCheck::default(),
    )
    .unwrap();
}

#[test]
fn of_every_shape() {
    check(HalfSpace::new(Vector2::new(0.6, 1.1), 0.3).unwrap(), |_| {
        true
    });
    check(HalfSpace::<3>::up(), |_| true);
    check(Ball::<2>::new(0.7).unwrap(), |_| true);
    check(Ball::<3>::new(1e-3).unwrap(), |_| true);
    // The step is 1e-3: points keep clear of the planes where the round ends begin.
    let clear = |x: f64| (x.abs() - 0.8).abs() > 0.01;
    check(Capsule::<2>::new(0.8, 0.3).unwrap(), |x| clear(x[0]));
    check(Capsule::<3>::new(0.8, 0.3).unwrap(), |x| clear(x[0]));
    // A square of half side 0.8: clear of the diagonals inside, of the strips' borders outside, of the corners.
    let square = Polygon::rectangle(1.6, 1.6).unwrap();
    check(square, |x| {
        let inside = x.amax() < 0.8;
        let diagonal = (x[0].abs() - x[1].abs()).abs();
        let corner = (x.abs() - Vector2::new(0.8, 0.8)).norm();
        let far = Polygon::rectangle(1.6, 1.6).unwrap().value(x) > 0.0;
        clear(x[0]) && clear(x[1]) && (far || !inside || diagonal > 0.01) && corner > 0.2
    });
}

#[test]
fn of_curved_shapes() {
    let axes = Vector3::new(1.2, 0.8, 1.0);
    // Differences take a step of 1e-3: a hundred of them from where derivatives grow without bound or jump.
    let clear = |x: f64| x.abs() > 0.1;
    check(Ellipsoid::new(axes).unwrap(), |_| true);
    check(Superquadric::new(axes.xy(), 1.5).unwrap(), |x| {
        x.iter().all(|&x| clear(x))
    });
    for (along, section) in [(2.0, 2.0), (4.0, 4.0), (1.5, 4.0), (4.0, 1.5), (1.2, 1.2)] {
        let body = Superquadric::with_exponents(axes, along, section).unwrap();
        check(body, |x| x.iter().all(|&x| clear(x)));
    }
    let apart = |a: f64, b: f64| (a - b).abs() > 0.01;
    let can = Cylinder::<3>::new(0.7, 0.9).unwrap();
    check(can, |x| {
        let side = 0.5 * (x.xy().norm_squared() / 0.7 - 0.7);
        apart(side, x[2].abs() - 0.9) && x[2].abs() > 0.01
    });
    let cone = Cone::<3>::new(0.6, 0.8).unwrap();
    check(cone, |x| {
        let distance = x.xy().norm();
        let side = 0.8 * distance + 0.6 * (x[2] - 0.6);
        apart(side, -x[2] - 0.2) && distance > 0.3
    });
    // A rounded cone from outside: clear of where side, rim and base meet.
    let round = Rounded::new(cone, 0.1).unwrap();
    let outside = |x: &Vector3<f64>| {
        let distance = x.xy().norm();
        let along = 0.6 * (0.6 - distance) + 0.8 * (x[2] + 0.2);
        cone.value(x) > 0.2 && apart(distance, 0.6) && apart(along, 0.0) && apart(along, 1.0)
    };
    check(round, |x| outside(x) && x.xy().norm() > 0.3);
    let bumpy = Superquadric::with_exponents(axes, 4.0, 2.5).unwrap();
    check(Rounded::new(bumpy, 0.1).unwrap(), |x| {
        bumpy.value(x) > 0.2 && x.iter().all(|&x| clear(x))
    });
}

/// A surface with one wrong entry in its Hessian.
#[derive(Debug)]
struct Wrong;

impl Surface<2> for Wrong {
    fn value(&self, x: &Vector2<f64>) -> f64 {
        x[0] * x[0] + x[0] * x[1]
    }

    fn gradient(&self, x: &Vector2<f64>) -> Vector2<f64> {
        Vector2::new(2.0 * x[0] + x[1], x[0])
    }

    fn hessian(&self, _: &Vector2<f64>) -> Matrix2<f64> {
        Matrix2::new(2.0, 1.0, 1.5, 0.0)
    }
}

#[test]
fn a_wrong_entry_is_named() {
    let error = check_derivatives(
        &Wrong,
        &[Vector2::new(1.0, 0.0)],
        DerivativeCheck::default(),
    )
    .unwrap_err();
    assert_eq!((error.row, error.col, error.stated), (1, 0, 1.5));
    assert!((error.expected - 1.0).abs() < 1e-9);
    assert!(
        error
            .to_string()
            .starts_with("hessian[1, 0] at [1.0, 0.0] is 1.5, expected ")
    );
}
