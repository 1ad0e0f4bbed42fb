//! Times of one step of the geometrically implicit scheme at h = 0.01 s, on one thread.
//!
//! Arguments: names of cases; none for all. `predicted` before them leaves out the runs without predicted modes. The cases are
//!
//! - `disc`: the rolling disc of CBAT2007, `two-spheres`: its sphere on two larger ones,
//! - `ellipsoids`: an ellipsoid that rolls on a fixed ellipsoid,
//! - `pile`: 100 ellipsoids that fall on a plane, apart from each other, with friction,
//! - `separate`: the same with 100, 200, 400 and 800 of them, whose time should grow as their number,
//! - `stack`: two cylinders, the one falls flat on the other, with both gap functions,
//! - `heap`: 12 ellipsoids, superquadrics, capsules and cylinders that fall on a plane and on each other.
//!
//! Each line holds case, formulation, whether modes are predicted, iterations per step, largest residual, and microseconds per
//! step: the least of the means of several runs, and the longest step of all.

use std::time::Instant;

use nalgebra::Vector3;
use signorini::geometry::{Cylinder, Ellipsoid, Superquadric};
use signorini::prelude::*;
use signorini::steppers::{Formulation, GapFunction};
use signorini_benches::print_calibration;

mod implicit_cases;
use implicit_cases::{Failure, disc, ellipsoids, empty, pile, two_spheres};

/// Step, s.
const H: f64 = 0.01;

const USUAL: [&str; 7] = [
    "disc",
    "two-spheres",
    "ellipsoids",
    "pile",
    "separate",
    "stack",
    "heap",
];

fn main() -> Result<(), Failure> {
    print_calibration();
    let given: Vec<String> = std::env::args().skip(1).collect();
    let mut names: Vec<&str> = given.iter().map(String::as_str).collect();
    let predicted_only = names.first() == Some(&"predicted");
    names.drain(..usize::from(predicted_only));
    if names.is_empty() {
        names.extend(USUAL);
    }
    for name in names {
        for formulation in [Formulation::Full, Formulation::Condensed] {
            for predict_modes in [true, false] {
                if predicted_only && !predict_modes {
                    continue;
                }
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
                    "stack" => {
                        for gap in [GapFunction::SignedDistance, GapFunction::Surface] {
                            let settings = GeometricallyImplicitSettings {
                                gap,
                                ..settings.clone()
                            };
                            time(&format!("{name} {gap:?}"), &stack()?, &settings, (100, 1));
                        }
                    }
                    "pile" if predict_modes => time(name, &pile(100)?, &settings, (30, 1)),
                    "separate" if predict_modes => {
                        for n in [100, 200, 400, 800] {
                            time(&format!("{name} {n}"), &pile(n)?, &settings, (30, 1));
                        }
                    }
                    "pile" | "separate" => {}
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
    let mut longest = 0.0_f64;
    for _ in 0..runs {
        let mut stepper = GeometricallyImplicit::new(settings.clone());
        let mut state = world.initial_state();
        work = (0, 0.0_f64);
        let start = Instant::now();
        for step in 0..steps {
            let begin = Instant::now();
            let report = match stepper.step(world, &mut state, H, &mut ()) {
                Ok(report) => report,
                Err(error) => {
                    println!(
                        "{name:12} {formulation:?} predict {predict}: step {step} failed: {error}"
                    );
                    return;
                }
            };
            longest = longest.max(begin.elapsed().as_secs_f64());
            work = (work.0 + report.pivots, work.1.max(report.residual));
        }
        least = least.min(start.elapsed().as_secs_f64() / f64::from(steps));
    }
    println!(
        "{name:12} {formulation:?} predict {predict}: {:.2} iterations, residual {:.1e}, {:.1} us, longest step {:.0} us",
        work.0 as f64 / f64::from(steps),
        work.1,
        1e6 * least,
        1e6 * longest
    );
}

fn stack() -> Result<World<3>, Failure> {
    let mut world = empty(0.4, 0.03, [0.0, 0.0, -9.81])?;
    world.add(Body::fixed("plane", HalfSpace::up()))?;
    for (name, x, height) in [("lower", 0.0, 0.1), ("upper", 0.03, 0.31)] {
        let mut body = Body::solid(name, Cylinder::new(0.1, 0.1)?, 100.0)?;
        body.position[0] = x;
        body.position[2] = height;
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
