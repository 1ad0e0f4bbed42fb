//! Times of one step of the geometrically implicit scheme at h = 0.01 s, on one thread.
//!
//! Arguments: names of cases; none for all. The cases are
//!
//! - `disc`: the rolling disc of CBAT2007, `two-spheres`: its sphere on two larger ones,
//! - `ellipsoids`: an ellipsoid that rolls on a fixed ellipsoid,
//! - `pile`: 100 ellipsoids that fall on a plane, apart from each other, with friction,
//! - `heap`: 12 ellipsoids, superquadrics, capsules and cylinders that fall on a plane and on each other.
//!
//! Each line holds case, formulation, whether modes are predicted, iterations per step, largest residual, and microseconds per
//! step: the least of the means of several runs.

use std::time::Instant;

use nalgebra::Vector3;
use signorini::geometry::{Cylinder, Ellipsoid, Superquadric};
use signorini::prelude::*;
use signorini::steppers::Formulation;
use signorini_benches::print_calibration;

type Failure = Box<dyn std::error::Error>;

/// Step, s.
const H: f64 = 0.01;

const USUAL: [&str; 5] = ["disc", "two-spheres", "ellipsoids", "pile", "heap"];

fn main() -> Result<(), Failure> {
    print_calibration();
    let given: Vec<String> = std::env::args().skip(1).collect();
    let names: Vec<&str> = if given.is_empty() {
        USUAL.to_vec()
    } else {
        given.iter().map(String::as_str).collect()
    };
    for name in names {
        for formulation in [Formulation::Full, Formulation::Condensed] {
            for predict_modes in [true, false] {
                let settings = GeometricallyImplicitSettings {
                    formulation,
                    predict_modes,
                    ..GeometricallyImplicitSettings::default()
                };
                match name {
                    "disc" => time(name, &disc()?, &settings, (100, 20)),
                    "two-spheres" => time(name, &two_spheres()?, &settings, (200, 10)),
                    "ellipsoids" => time(name, &ellipsoids()?, &settings, (80, 10)),
                    "heap" => time(name, &heap()?, &settings, (100, 1)),
                    "pile" if predict_modes => time(name, &pile()?, &settings, (30, 1)),
                    "pile" => {}
                    other => return Err(format!("no case {other}").into()),
                }
            }
        }
    }
    Ok(())
}

fn time<const D: usize>(
    name: &str,
    world: &World<D>,
    settings: &GeometricallyImplicitSettings,
    (steps, runs): (u32, u32),
) {
    let (formulation, predict) = (settings.formulation, settings.predict_modes);
    let mut least = f64::INFINITY;
    let mut work = (0, 0.0);
    for _ in 0..runs {
        let mut stepper = GeometricallyImplicit::new(settings.clone());
        let mut state = world.initial_state();
        work = (0, 0.0_f64);
        let start = Instant::now();
        for step in 0..steps {
            let report = match stepper.step(world, &mut state, H, &mut ()) {
                Ok(report) => report,
                Err(error) => {
                    println!(
                        "{name:12} {formulation:?} predict {predict}: step {step} failed: {error}"
                    );
                    return;
                }
            };
            work = (work.0 + report.pivots, work.1.max(report.residual));
        }
        least = least.min(start.elapsed().as_secs_f64() / f64::from(steps));
    }
    println!(
        "{name:12} {formulation:?} predict {predict}: {:.2} iterations, residual {:.1e}, {:.1} us",
        work.0 as f64 / f64::from(steps),
        work.1,
        1e6 * least
    );
}

fn empty<const D: usize>(
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

fn disc() -> Result<World<2>, Failure> {
    let mut world = empty(0.4, 0.0, [0.0, -9.81])?;
    world.add(Body::fixed("line", HalfSpace::up()))?;
    let mut disc = Body::solid("disc", Ball::new(1.0)?, 1.0)?;
    disc.position = vec![0.0, 1.0, 0.0];
    disc.velocity = vec![-3.0, 0.0, 3.0];
    world.add(disc)?;
    Ok(world)
}

fn two_spheres() -> Result<World<3>, Failure> {
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

fn ellipsoids() -> Result<World<3>, Failure> {
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

fn pile() -> Result<World<3>, Failure> {
    let mut world = empty(0.5, 0.05, [0.0, 0.0, -9.81])?;
    world.add(Body::fixed("plane", HalfSpace::up()))?;
    for k in 0..100 {
        let x = f64::from(k);
        let shape = Ellipsoid::new(Vector3::new(0.1, 0.08, 0.12))?;
        let mut body = Body::solid(format!("ellipsoid {k}"), shape, 0.2)?;
        let place = [0.3 * f64::from(k % 10), 0.3 * f64::from(k / 10)];
        body.position[..3].copy_from_slice(&[place[0], place[1], 0.13 + 0.0005 * x]);
        let (sin, cos) = (0.3 * x).sin_cos();
        body.position[3..].copy_from_slice(&[cos, 0.6 * sin, 0.8 * sin, 0.0]);
        body.velocity[3..].copy_from_slice(&[sin, cos, 1.0]);
        world.add(body)?;
    }
    Ok(world)
}

fn heap() -> Result<World<3>, Failure> {
    let mut world = empty(0.5, 0.02, [0.0, 0.0, -9.81])?;
    world.add(Body::fixed("plane", HalfSpace::up()))?;
    for k in 0..12 {
        let x = f64::from(k);
        let shape: ConvexSet<3> = match k % 4 {
            0 => Ellipsoid::new(Vector3::new(0.1, 0.08, 0.12))?.into(),
            1 => Superquadric::new(Vector3::new(0.1, 0.1, 0.08), 3.0)?.into(),
            2 => Capsule::new(0.1, 0.06)?.into(),
            _ => Cylinder::new(0.08, 0.1)?.into(),
        };
        let mut body = Body::solid(format!("body {k}"), shape, 0.2)?;
        let place = [0.05 * (2.0 * x).sin(), 0.05 * (3.0 * x).cos()];
        body.position[..3].copy_from_slice(&[place[0], place[1], 0.2 + 0.26 * x]);
        let (sin, cos) = (0.3 + 0.7 * x).sin_cos();
        body.position[3..].copy_from_slice(&[cos, 0.6 * sin, 0.8 * sin, 0.0]);
        body.velocity[3..].copy_from_slice(&[sin, cos, 1.0]);
        world.add(body)?;
    }
    Ok(world)
}
