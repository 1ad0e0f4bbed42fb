//! A body of one's own, x⁴ + y⁴/2 + z⁴ + x² y² ≤ 0.3 + z/5, with derivatives by dual numbers, next to a ball.
//!
//! `cargo run -p signorini-geometry --features autodiff --example quartic`

#![expect(clippy::print_stdout, reason = "an example prints what it finds")]

use std::error::Error;
use std::sync::Arc;

use nalgebra::Vector3;
use signorini_geometry::{
    Ball, ConvexSet, DerivativeCheck, Differentiated, DualNum, Formula, Placed, Pose, Surface,
    check_convexity, check_derivatives, closest_points,
};

#[derive(Debug)]
struct Quartic;

impl Formula<3> for Quartic {
    fn value<T: DualNum<Primitive = f64>>(&self, [x, y, z]: &[T; 3]) -> T {
        let (xx, yy) = (x.powi(2), y.powi(2));
        xx.powi(2) + yy.powi(2) * 0.5 + z.powi(4) + xx * yy - z.clone() * 0.2 - 0.3
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let surface = Arc::new(Differentiated(Quartic));
    let points = [Vector3::new(0.4, -0.3, 0.5), Vector3::new(-0.2, 0.6, -0.1)];
    check_derivatives(&*surface, &points, DerivativeCheck::default())?;
    check_convexity(&*surface, &points)?;

    let body = ConvexSet::user(surface.clone())?;
    let ball = ConvexSet::from(Ball::new(0.25)?);
    let a = Placed::new(&body, Pose::identity());
    for (position, apart) in [([0.9, 0.7, 0.8], true), ([0.5, 0.4, 0.6], false)] {
        let b = Placed::new(&ball, Pose::from_position(position.into()));
        let closest = closest_points(&a, &b)?;
        println!("ball at {position:?}");
        println!("  gap    {:+.15}", closest.gap);
        println!("  on A   {:?}", closest.a.as_slice());
        println!("  on B   {:?}", closest.b.as_slice());
        println!("  normal {:?}", closest.normal.as_slice());
        // What makes these points the closest: they lie on both boundaries, and the normal is that of the quartic.
        let outward = surface.gradient(&closest.a).normalize();
        assert_eq!(closest.gap > 0.0, apart);
        assert!(surface.value(&closest.a).abs() < 1e-14);
        assert!(b.value(&closest.b).abs() < 1e-14);
        assert!((outward - closest.normal).norm() < 1e-12);
        assert!((closest.b - closest.a - closest.normal * closest.gap).norm() < 1e-14);
    }
    Ok(())
}
