//! CBAT2007 section V.B: a sphere spins on a plane about the normal and is stopped by the torsion of friction.
//!
//! Printed are e = (1, 1, 0.4 m), μ = 0.2, ω = 1.962 rad/s and h = 0.07 s; inferred is the moment of inertia 2/5 m r². The
//! torsion e_r μ m g = 0.7848 N m slows the spin at 1.962 rad/s², and it ends at t = 1 s.
//!
//! # References
//! - \[CBAT2007\] N. Chakraborty, S. Berard, S. Akella, J. C. Trinkle, An implicit time-stepping method for multibody systems
//!   with intermittent contact, RSS 2007, section V.B, Figs. 3, 4.

use signorini::dynamics::{Body, ContactMaterial, World, WorldSettings};
use signorini::geometry::{Ball, HalfSpace};
use signorini::steppers::{GapFunction, Run};
use signorini_plot::Figure;

use super::cbat2007_common::{Failure, Trial, panel, source, step_claims, steps_plate};
use crate::experiment::{Effort, Experiment, Progress, Source};
use crate::report::Report;

/// Step, s.
const H: f64 = 0.07;
/// Steps made; the spin ends in the fifteenth.
const STEPS: u32 = 20;

/// The spinning sphere.
#[derive(Debug, Clone, Copy)]
pub struct Cbat2007SpinningSphere;

impl Experiment for Cbat2007SpinningSphere {
    fn id(&self) -> &'static str {
        "cbat2007-spinning-sphere"
    }

    fn source(&self) -> Source {
        source("section V.B, Figs. 3, 4")
    }

    fn title(&self) -> &'static str {
        "Torsion stops a spinning sphere"
    }

    fn run(&self, _effort: Effort, progress: &dyn Progress) -> Result<Report, Failure> {
        let mut world = World::<3>::with_settings(WorldSettings {
            gravity: [0.0, 0.0, -9.81].into(),
            material: ContactMaterial {
                friction: 0.2,
                ellipsoid: [1.0, 1.0, 0.4],
                ..ContactMaterial::default()
            },
            ..WorldSettings::default()
        })?;
        world.add(Body::fixed("plane", HalfSpace::up()))?;
        let mut sphere = Body::solid("sphere", Ball::new(1.0)?, 1.0)?;
        sphere.position[2] = 1.0;
        sphere.velocity[5] = 1.962;
        world.add(sphere)?;
        let run = Run {
            h: H,
            until: H * f64::from(STEPS),
        };
        let trial = Trial::of_both_forms(
            &world,
            &world.initial_state(),
            GapFunction::SignedDistance,
            run,
        )?;

        let mut report = Report::default();
        let spin = trial.velocity(5);
        let moment = trial.contact((0, 1), |c| c.torsion / H);
        report.measure("spin at 0.98 s", spin[14][1]);
        report.measure("spin at 1.05 s", spin[15][1]);
        let steady = moment[..14].iter().map(|m| m[1]);
        let steady = steady.max_by(|a, b| (a + 0.7848).abs().total_cmp(&(b + 0.7848).abs()));
        report.measure("moment of the first 14 steps", steady.unwrap_or(0.0));
        report.measure("moment of the 15th step", moment[14][1]);
        let rest = moment[15..].iter().map(|m| m[1].abs()).fold(0.0, f64::max);
        report.measure("largest moment after that", rest);
        let others = trial.trajectory.v.iter().flat_map(|v| &v[..5]);
        let forces = trial.contact((0, 1), |c| c.impulse[1].hypot(c.impulse[2]) / H);
        let largest = others.map(|v| v.abs()).chain(forces.iter().map(|f| f[1]));
        report.measure(
            "largest other velocity or tangential force",
            largest.fold(0.0, f64::max),
        );
        step_claims(&mut report, &[&trial], 1.0);
        let names = ["v_x", "v_y", "v_z", "ω_x", "ω_y", "ω_z"];
        let velocities = names.iter().enumerate();
        let velocities = velocities.map(|(k, name)| ((*name).to_owned(), trial.velocity(k)));
        report.plate(
            "fig3",
            "Fig. 3: velocities and angular velocities; all but that about the normal are zero.",
            Figure::new("Velocities", 800, 460).with(panel("m/s, rad/s", velocities.collect())),
        );
        report.plate(
            "fig4",
            "Fig. 4: tangential forces and moment about the normal.",
            Figure::new("Friction", 800, 460).with(panel(
                "N, N m",
                vec![
                    ("tangential force (N)".to_owned(), forces),
                    ("moment (N m)".to_owned(), moment),
                ],
            )),
        );
        steps_plate(&mut report, &[(String::new(), &trial)]);
        progress.progress(1, 1, "done");
        Ok(report)
    }
}
