//! The appendix of CBAT2007: bodies that are intersections of surfaces, which the paper states and does not show.
//!
//! A cylinder as the intersection of a tube and two half-spaces (radius 0.3 m, length 1 m) tips over its rim and lands on
//! its side, where it touches the plane along a line; a hemisphere rocks on its ball over to its face's rim and back; a lens of
//! two balls tips from its rim onto a cap. Nobody says which surfaces touch: the multipliers do.
//!
//! # References
//! - \[CBAT2007\] N. Chakraborty, S. Berard, S. Akella, J. C. Trinkle, An implicit time-stepping method for multibody systems
//!   with intermittent contact, RSS 2007, appendix, whose (22) lacks signs and the scale of the multipliers.

use nalgebra::Vector3;
use signorini::dynamics::Body;
use signorini::geometry::{Ball, HalfSpace, Intersection, Part, Pose, Tube};
use signorini::steppers::{GapFunction, Run};
use signorini_plot::Figure;

use super::cbat2007_common::{
    Failure, Trial, lowered, order, panel, plane_world, source, step_claims, steps_plate,
};
use crate::experiment::{Effort, Experiment, Progress, Source};
use crate::report::Report;

/// Steps, s.
const STEPS: [f64; 4] = [0.01, 0.005, 0.0025, 0.00125];
/// End of the runs, s.
const UNTIL: f64 = 1.0;
/// When positions are compared, s: before the cylinder lands.
const COMPARED: f64 = 0.2;

/// The intersections.
#[derive(Debug, Clone, Copy)]
pub struct Cbat2007Intersection;

impl Experiment for Cbat2007Intersection {
    fn id(&self) -> &'static str {
        "cbat2007-intersection"
    }

    fn source(&self) -> Source {
        source("appendix: intersections of surfaces, not shown there")
    }

    fn title(&self) -> &'static str {
        "Intersections of surfaces tip over their edges"
    }

    fn run(&self, _effort: Effort, progress: &dyn Progress) -> Result<Report, Failure> {
        let bodies = [
            Tipping::new("cylinder", cylinder()?, 40.0),
            Tipping::new("hemisphere", hemisphere()?, 60.0),
            Tipping::new("lens", lens()?, 30.0),
        ];
        let total = bodies.len() * STEPS.len();
        let mut report = Report::default();
        let mut all = Vec::new();
        for (number, body) in bodies.iter().enumerate() {
            let mut trials = Vec::new();
            for (index, h) in STEPS.into_iter().enumerate() {
                let message = format!("{}, h = {h} s", body.name);
                progress.progress(number * STEPS.len() + index, total, &message);
                trials.push(body.trial(h)?);
            }
            body.claims(&mut report, &trials);
            all.push(trials);
        }
        let last = &all[0][0].trajectory;
        let axis = tilt(&last.q[last.len() - 1]);
        report.measure("cylinder, tilt at the end", axis);
        step_claims(&mut report, &all.iter().flatten().collect::<Vec<_>>(), 1.0);
        let curves = bodies.iter().zip(&all).map(|(body, trials)| {
            let Trial { trajectory, .. } = &trials[0];
            let steps = trajectory.t.iter().zip(&trajectory.q);
            (
                body.name.to_owned(),
                steps.map(|(t, q)| [*t, tilt(q)]).collect(),
            )
        });
        report.plate(
            "tilt",
            "Angle between the axis of each body and the vertical, h = 0.01 s.",
            Figure::new("Tilt", 900, 480).with(panel("degrees", curves.collect())),
        );
        let coarse = bodies.iter().zip(&all);
        let coarse = coarse.map(|(body, trials)| (body.name.to_owned(), &trials[0]));
        steps_plate(&mut report, &coarse.collect::<Vec<_>>());
        progress.progress(total, total, "done");
        Ok(report)
    }
}

fn cylinder() -> Result<Intersection<3>, Failure> {
    let top = HalfSpace::new(Vector3::z(), 0.5)?;
    let bottom = HalfSpace::new(-Vector3::z(), 0.5)?;
    Ok(Intersection::new([
        Part::from(Tube::new(0.3)?),
        top.into(),
        bottom.into(),
    ])?)
}

/// Of radius 0.5 m, its centroid 3/8 of that below its face.
fn hemisphere() -> Result<Intersection<3>, Failure> {
    let depth = 0.375 * 0.5;
    let below = HalfSpace::new(Vector3::z(), depth)?;
    let centre = Pose::from_position(Vector3::new(0.0, 0.0, depth));
    Ok(Intersection::new([
        Part::from(Ball::new(0.5)?).at(centre),
        below.into(),
    ])?)
}

fn lens() -> Result<Intersection<3>, Failure> {
    let ball = Part::from(Ball::new(1.0)?);
    let at = |z| Pose::from_position(Vector3::new(0.0, 0.0, z));
    Ok(Intersection::new([
        ball.clone().at(at(0.6)),
        ball.at(at(-0.6)),
    ])?)
}

/// A body that begins at rest, tilted about x, in touch with the plane.
#[derive(Debug)]
struct Tipping {
    name: &'static str,
    shape: Intersection<3>,
    /// Angle between the body's z and the vertical at the start, degrees.
    tilt: f64,
}

impl Tipping {
    fn new(name: &'static str, shape: Intersection<3>, tilt: f64) -> Self {
        Self { name, shape, tilt }
    }

    fn trial(&self, h: f64) -> Result<Trial, Failure> {
        let mut world = plane_world(0.8, [1.0, 1.0, 0.05])?;
        let mut body = Body::solid(self.name, self.shape.clone(), 1.0)?;
        let (sin, cos) = (0.5 * self.tilt.to_radians()).sin_cos();
        body.position[2] = 2.0;
        body.position[3..].copy_from_slice(&[cos, sin, 0.0, 0.0]);
        world.add(body)?;
        Trial::of_both_forms(
            &world,
            &lowered(&world)?,
            GapFunction::SignedDistance,
            Run { h, until: UNTIL },
        )
    }

    fn claims(&self, report: &mut Report, trials: &[Trial]) {
        let at = |trial: &Trial| {
            let Trial { trajectory, h, .. } = trial;
            let near = |t: &f64| (t - COMPARED).abs() < 0.25 * h;
            let index = trajectory.t.iter().position(near).unwrap_or(0);
            trajectory.q[index].clone()
        };
        let places: Vec<_> = trials.iter().map(at).collect();
        let differences: Vec<_> = places
            .windows(2)
            .map(|q| {
                (0..3)
                    .map(|k| (q[0][k] - q[1][k]).powi(2))
                    .sum::<f64>()
                    .sqrt()
            })
            .collect();
        order(
            report,
            &format!("{}, order of the position", self.name),
            &differences,
        );
        let gain = trials.iter().map(|t| t.summary.largest_energy_gain);
        report.measure(
            &format!("{}, largest gain of energy in a step", self.name),
            gain.fold(0.0, f64::max),
        );
    }
}

/// Angle between the body's z and the vertical, degrees.
fn tilt(q: &[f64]) -> f64 {
    let (x, y) = (q[4], q[5]);
    (1.0 - 2.0 * (x * x + y * y))
        .clamp(-1.0, 1.0)
        .acos()
        .to_degrees()
}
