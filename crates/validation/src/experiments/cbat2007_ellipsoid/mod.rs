//! Beyond the figures of CBAT2007: an ellipsoid, which the paper has in mind but does not show, rolls on a plane and on another
//! ellipsoid.
//!
//! Solid ellipsoid of 1 kg with half axes (1, 0.8, 1.2), μ = 0.8, e_r = 0.1 m. On the plane it rolls about its second axis from
//! its tip: the energy integral gives its angle by quadrature, here as digits. On a fixed ellipsoid with half axes
//! (3, 2.5, 2) nothing is known, and the step is halved against itself.
//!
//! # References
//! - \[CBAT2007\] N. Chakraborty, S. Berard, S. Akella, J. C. Trinkle, An implicit time-stepping method for multibody systems
//!   with intermittent contact, RSS 2007, sections IV and VI.

use nalgebra::Vector3;
use signorini::dynamics::{Body, ContactMaterial, World, WorldSettings};
use signorini::geometry::{ConvexSet, Ellipsoid, HalfSpace};
use signorini::steppers::{GapFunction, Run};
use signorini_plot::Figure;

use super::cbat2007_common::{Failure, Trial, order, panel, source, step_claims, steps_plate};
use crate::experiment::{Effort, Experiment, Progress, Source};
use crate::report::Report;

/// Steps, s.
const STEPS: [f64; 4] = [0.01, 0.005, 0.0025, 0.00125];
/// x, z, rotation about y and its rate at 1 s on the plane, exact.
const EXACT: [f64; 4] = [1.494_080_860, 1.011_996_624, 1.334_384_135, 1.921_052_497];
const NAMES: [&str; 4] = ["x", "z", "angle", "angular velocity"];

/// The ellipsoid.
#[derive(Debug, Clone, Copy)]
pub struct Cbat2007Ellipsoid;

impl Experiment for Cbat2007Ellipsoid {
    fn id(&self) -> &'static str {
        "cbat2007-ellipsoid"
    }

    fn source(&self) -> Source {
        source("sections IV and VI: general surfaces, not shown there")
    }

    fn title(&self) -> &'static str {
        "An ellipsoid rolls on a plane and on an ellipsoid"
    }

    fn run(&self, _effort: Effort, progress: &dyn Progress) -> Result<Report, Failure> {
        let total = STEPS.len() + 1;
        let (mut plane, mut curved) = (Vec::new(), Vec::new());
        for (index, h) in STEPS.into_iter().enumerate() {
            progress.progress(index, total, &format!("h = {h} s"));
            let on_plane = world(HalfSpace::up().into(), 1.2)?;
            plane.push(trial(&on_plane, [1.2, 0.0, 0.0, 0.0, 1.0, 0.0], h)?);
            let lower = Ellipsoid::new(Vector3::new(3.0, 2.5, 2.0))?;
            let on_ellipsoid = world(lower.into(), 3.2)?;
            curved.push(trial(&on_ellipsoid, [0.6, 0.3, 0.0, -0.25, 0.5, 0.4], h)?);
        }
        let mut report = Report::default();
        plane_claims(&mut report, &plane);
        let ends: Vec<_> = curved
            .iter()
            .map(|t| t.trajectory.q[t.trajectory.len() - 1].clone())
            .collect();
        let differences: Vec<_> = ends
            .windows(2)
            .map(|q| {
                (0..3)
                    .map(|k| (q[0][k] - q[1][k]).powi(2))
                    .sum::<f64>()
                    .sqrt()
            })
            .collect();
        order(
            &mut report,
            "on the ellipsoid, order of the position",
            &differences,
        );
        let all: Vec<_> = plane.iter().chain(&curved).collect();
        step_claims(&mut report, &all, 1.6);
        figures(&mut report, &plane[0], &curved[0]);
        steps_plate(
            &mut report,
            &[
                ("on the plane".to_owned(), &plane[0]),
                ("on the ellipsoid".to_owned(), &curved[0]),
            ],
        );
        progress.progress(total, total, "done");
        Ok(report)
    }
}

/// The ellipsoid at this height over something fixed.
fn world(below: ConvexSet<3>, height: f64) -> Result<World<3>, Failure> {
    let mut world = World::with_settings(WorldSettings {
        gravity: [0.0, 0.0, -9.81].into(),
        material: ContactMaterial {
            friction: 0.8,
            ellipsoid: [1.0, 1.0, 0.1],
            ..ContactMaterial::default()
        },
        ..WorldSettings::default()
    })?;
    world.add(Body::fixed("below", below))?;
    let shape = Ellipsoid::new(Vector3::new(1.0, 0.8, 1.2))?;
    let mut body = Body::solid("ellipsoid", shape, 1.0)?;
    body.position[2] = height;
    world.add(body)?;
    Ok(world)
}

fn trial(world: &World<3>, velocity: [f64; 6], h: f64) -> Result<Trial, Failure> {
    let mut state = world.initial_state();
    state.v.copy_from_slice(&velocity);
    Trial::of_both_forms(
        world,
        &state,
        GapFunction::SignedDistance,
        Run { h, until: 1.0 },
    )
}

/// x, z, rotation about y and its rate.
fn planar(q: &[f64], v: &[f64]) -> [f64; 4] {
    [q[0], q[2], 2.0 * q[5].atan2(q[3]), v[4]]
}

fn plane_claims(report: &mut Report, trials: &[Trial]) {
    let ends: Vec<_> = trials
        .iter()
        .map(|trial| {
            let last = trial.trajectory.len() - 1;
            planar(&trial.trajectory.q[last], &trial.trajectory.v[last])
        })
        .collect();
    let [coarse, fine] = [ends[ends.len() - 2], ends[ends.len() - 1]];
    for (k, name) in NAMES.into_iter().enumerate() {
        report.measure(
            &format!("on the plane, {name} after 1 s, extrapolated"),
            2.0 * fine[k] - coarse[k],
        );
        let errors: Vec<_> = ends.iter().map(|end| end[k] - EXACT[k]).collect();
        order(report, &format!("on the plane, order of {name}"), &errors);
    }
}

fn figures(report: &mut Report, plane: &Trial, curved: &Trial) {
    let places = |trial: &Trial| {
        ["x", "y", "z"]
            .into_iter()
            .enumerate()
            .map(|(k, name)| {
                let steps = trial.trajectory.t.iter().zip(&trial.trajectory.q);
                (name.to_owned(), steps.map(|(t, q)| [*t, q[k]]).collect())
            })
            .collect()
    };
    report.plate(
        "places",
        "Centre of the ellipsoid on the plane (above) and on the fixed ellipsoid (below), h = 0.01 s.",
        Figure::new("Centre of the ellipsoid", 900, 820)
            .with(panel("on the plane (m)", places(plane)))
            .with(panel("on the ellipsoid (m)", places(curved))),
    );
}
