//! The search for implicit pairs computes closest points of near pairs only, whatever the number of bodies.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use nalgebra::{Matrix3, Vector3};
use signorini_dynamics::{Body, Inertia, Pairs, System, World};
use signorini_geometry::{Ball, Intersection, Part, Surface};

/// A ball of radius 0.1 m that counts how often its gradient is asked for: support points and boxes need none.
#[derive(Debug, Default)]
struct Counted(AtomicUsize);

impl Surface<3> for Counted {
    fn value(&self, x: &Vector3<f64>) -> f64 {
        x.norm_squared() - 0.01
    }

    fn gradient(&self, x: &Vector3<f64>) -> Vector3<f64> {
        self.0.fetch_add(1, Ordering::Relaxed);
        x * 2.0
    }

    fn hessian(&self, _: &Vector3<f64>) -> Matrix3<f64> {
        Matrix3::identity() * 2.0
    }
}

/// Surface evaluations, and pairs, of a search among 2 k bodies of which each touches one other.
fn search(k: usize) -> (usize, usize) {
    let counted = Arc::new(Counted::default());
    let shape =
        Intersection::new([Part::user(counted.clone()), Ball::new(0.2).unwrap().into()]).unwrap();
    let mut world = World::<3>::new();
    for body in 0..2 * k {
        let place = [0.5 * (body / 2) as f64, 0.19 * (body % 2) as f64, 0.0];
        let mut body = Body {
            shape: Some(shape.clone().into()),
            ..Body::moving(format!("body {body}"), 1.0, Inertia::Scalar(1.0))
        };
        body.position[..3].copy_from_slice(&place);
        world.add(body).unwrap();
    }
    let (q, implicit) = (world.initial_state().q, world.implicit().unwrap());
    let mut pairs = Pairs::default();
    let before = counted.0.load(Ordering::Relaxed);
    implicit.pairs(&q, 0.1, &mut pairs).unwrap();
    (
        counted.0.load(Ordering::Relaxed) - before,
        pairs.layouts.len(),
    )
}

#[test]
fn the_number_of_narrow_queries_is_linear_in_the_number_of_bodies() {
    let (work, pairs) = search(20);
    assert_eq!(pairs, 20);
    assert!(work > 20, "closest points need the surface: {work}");
    for factor in [2, 4] {
        // All pairs are alike, so that each costs the same.
        assert_eq!(search(20 * factor), (factor * work, factor * pairs));
    }
}
