//! Worlds that examples and benches of the geometrically implicit scheme share.

use nalgebra::Vector3;
use signorini::geometry::Ellipsoid;
use signorini::prelude::*;

pub(crate) type Failure = Box<dyn std::error::Error>;

pub(crate) fn empty<const D: usize>(
    friction: f64,
    torsion: f64,
    gravity: [f64; D],
) -> Result<World<D>, Failure> {
    let material = ContactMaterial {
        friction,
        ellipsoid: [1.0, 1.0, torsion],
        ..ContactMaterial::default()
    };
    Ok(World::with_settings(WorldSettings {
        gravity: gravity.into(),
        material,
        ..WorldSettings::default()
    })?)
}

pub(crate) fn disc() -> Result<World<2>, Failure> {
    let mut world = empty(0.4, 0.0, [0.0, -9.81])?;
    world.add(Body::fixed("line", HalfSpace::up()))?;
    let mut disc = Body::solid("disc", Ball::new(1.0)?, 1.0)?;
    disc.position = vec![0.0, 1.0, 0.0];
    disc.velocity = vec![-3.0, 0.0, 3.0];
    world.add(disc)?;
    Ok(world)
}

pub(crate) fn two_spheres() -> Result<World<3>, Failure> {
    let mut world = empty(0.2, 0.3, [1.0, 2.6, -9.81])?;
    world.add(Body::fixed("sphere 1", Ball::new(10.0)?))?;
    let mut second = Body::fixed("sphere 2", Ball::new(9.0)?);
    second.position[1] = 11.4;
    world.add(second)?;
    let shape = Ellipsoid::new(Vector3::new(1.0, 1.0, 1.0))?;
    let mut sphere = Body::solid("sphere", shape, 1.0)?;
    sphere.position[1..3].copy_from_slice(&[6.621_052_631_578_95, 8.784_171_107_729_03]);
    world.add(sphere)?;
    Ok(world)
}

pub(crate) fn ellipsoids() -> Result<World<3>, Failure> {
    let mut world = empty(0.8, 0.1, [0.0, 0.0, -9.81])?;
    world.add(Body::fixed(
        "below",
        Ellipsoid::new(Vector3::new(3.0, 2.5, 2.0))?,
    ))?;
    let mut body = Body::solid(
        "ellipsoid",
        Ellipsoid::new(Vector3::new(1.0, 0.8, 1.2))?,
        1.0,
    )?;
    body.position[2] = 3.2;
    body.velocity = vec![0.6, 0.3, 0.0, -0.25, 0.5, 0.4];
    world.add(body)?;
    Ok(world)
}

/// n ellipsoids that fall on a plane at different times, apart from each other.
pub(crate) fn pile(n: u32) -> Result<World<3>, Failure> {
    let mut world = empty(0.5, 0.05, [0.0, 0.0, -9.81])?;
    world.add(Body::fixed("plane", HalfSpace::up()))?;
    for k in 0..n {
        let x = f64::from(k);
        let shape = Ellipsoid::new(Vector3::new(0.1, 0.08, 0.12))?;
        let mut body = Body::solid(format!("ellipsoid {k}"), shape, 0.2)?;
        let place = [0.3 * f64::from(k % 10), 0.3 * f64::from(k / 10)];
        body.position[..3].copy_from_slice(&[place[0], place[1], 0.13 + 0.05 * x / f64::from(n)]);
        let (sin, cos) = (0.3 * x).sin_cos();
        body.position[3..].copy_from_slice(&[cos, 0.6 * sin, 0.8 * sin, 0.0]);
        body.velocity[3..].copy_from_slice(&[sin, cos, 1.0]);
        world.add(body)?;
    }
    Ok(world)
}
