//! Worlds that examples and benches of piles and machines share.

use nalgebra::{Vector2, Vector3};
use signorini::dynamics::{Joint, JointKind};
use signorini::geometry::{Polytope, Pose};
use signorini::prelude::*;

pub(crate) type Failure = Box<dyn std::error::Error + Send + Sync>;

fn empty<const D: usize>(friction: f64, restitution: f64) -> Result<World<D>, Failure> {
    let material = ContactMaterial {
        friction,
        restitution,
        ..ContactMaterial::default()
    };
    Ok(World::with_settings(WorldSettings {
        material,
        ..WorldSettings::default()
    })?)
}

/// A cannonball pile of discs of radius 3 m on a floor between slopes of 45°: HA2003 has 6 rows, A2003 11.
pub(crate) fn pyramid(
    rows: usize,
    [friction, restitution]: [f64; 2],
    half_width: f64,
) -> Result<World<2>, Failure> {
    let mut world = empty(friction, restitution)?;
    world.add(Body::fixed("floor", HalfSpace::up()))?;
    for (name, side) in [("left slope", -1.0), ("right slope", 1.0)] {
        let normal = Vector2::new(-side, 1.0).normalize();
        let offset = normal.dot(&Vector2::new(side * half_width, 0.0));
        world.add(Body::fixed(name, HalfSpace::new(normal, offset)?))?;
    }
    let mut number = 0_usize;
    for row in 0..rows {
        for k in 0..rows - row {
            let mut disc = Body::with_density(format!("disc {number}"), Ball::new(3.0)?, 10.0)?;
            let push = |phase: f64| 1e-3 * (12.9898 * number as f64 + phase).sin();
            let middle = 0.5 * (rows - 1) as f64;
            disc.position[0] = 6.0 * (k as f64 - middle + 0.5 * row as f64) + push(0.0);
            disc.position[1] = 3.0 + row as f64 * 27.0_f64.sqrt() + push(1.0).abs();
            world.add(disc)?;
            number += 1;
        }
    }
    Ok(world)
}

/// A chain of links of 0.1 m on ball joints, that starts level and swings down from one end.
pub(crate) fn chain(links: usize) -> Result<World<3>, Failure> {
    let mut world = empty(0.0, 0.0)?;
    let mut last = world.add(Body::anchor("ceiling"))?;
    for k in 0..links {
        let mut link = Body::moving(format!("link {k}"), 0.1, Inertia::Principal([1e-4; 3]));
        link.position[0] = 0.1 * k as f64 + 0.05;
        let link = world.add(link)?;
        let at = |x: f64| Pose::from_position(Vector3::new(x, 0.0, 0.0));
        let mut joint = Joint::new(format!("joint {k}"), JointKind::Spherical, last, link);
        joint.frame_a = if k == 0 { at(0.0) } else { at(0.05) };
        joint.frame_b = at(-0.05);
        world.join(joint)?;
        last = link;
    }
    Ok(world)
}

/// Ten boxes of 1 kg with one of 1000 kg on top, at rest.
pub(crate) fn stack() -> Result<World<3>, Failure> {
    let mut world = empty(0.5, 0.0)?;
    world.add(Body::fixed("floor", HalfSpace::up()))?;
    for k in 0..11 {
        let mass = if k == 10 { 1000.0 } else { 1.0 };
        let shape = Polytope::cuboid(0.2, 0.2, 0.2)?;
        let mut cube = Body::solid(format!("box {k}"), shape, mass)?;
        cube.position[2] = 0.1 + 0.2 * f64::from(k);
        world.add(cube)?;
    }
    Ok(world)
}

/// Twenty piles of six discs that do not touch each other.
pub(crate) fn many_piles() -> Result<World<2>, Failure> {
    let mut world = empty(0.5, 0.0)?;
    world.add(Body::fixed("floor", HalfSpace::up()))?;
    for pile in 0..20_usize {
        for (row, k) in [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (2, 0)] {
            let name = format!("disc {pile} {row} {k}");
            let number = 7 * pile + 3 * row + k;
            let mut disc = Body::with_density(name, Ball::new(3.0)?, 10.0)?;
            let push = |phase: f64| 1e-3 * (12.9898 * number as f64 + phase).sin();
            disc.position[0] = 60.0 * pile as f64 + 6.0 * (k as f64 + 0.5 * row as f64) + push(0.0);
            disc.position[1] = 3.0 + row as f64 * 27.0_f64.sqrt() + push(1.0).abs();
            world.add(disc)?;
        }
    }
    Ok(world)
}

/// Twenty stacks of five boxes in space.
pub(crate) fn many_stacks() -> Result<World<3>, Failure> {
    let mut world = empty(0.5, 0.0)?;
    world.add(Body::fixed("floor", HalfSpace::up()))?;
    for k in 0..100 {
        let (stack, storey) = (f64::from(k / 5), f64::from(k % 5));
        let shape = Polytope::cuboid(0.2, 0.2, 0.2)?;
        let mut cube = Body::solid(format!("box {k}"), shape, 1.0)?;
        cube.position[0] = stack + 0.01 * (stack + 7.0 * storey).sin();
        cube.position[2] = 0.1 + 0.2 * storey;
        cube.velocity[0] = 0.01 * (stack + storey).sin();
        world.add(cube)?;
    }
    Ok(world)
}
