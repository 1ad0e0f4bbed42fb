//! Beyond CBAT2007: a superquadric, nearly a box, slides over a plane without friction, and tumbles over one with it.
//!
//! Half axes 0.5, 0.3 and 0.2 m, exponent 4, 1 kg. Without friction, begun in touch, tilted and turning, the plane pushes along
//! its normal only: horizontal momentum is kept exactly, the vertical part of the angular momentum about the centre of mass and the
//! energy to the order of the scheme, as long as the contact stays closed. With μ = 0.5 the body is thrown, lands, tumbles over
//! its edges and rocks on a face; impacts and friction take energy. In single steps it may rise all the same: a normal impulse p does
//! the work p h ψ̈ / 2 where the gap ψ bends along the motion, a term of second order.
//!
//! # References
//! - \[CBAT2007\] N. Chakraborty, S. Berard, S. Akella, J. C. Trinkle, An implicit time-stepping method for multibody systems
//!   with intermittent contact, RSS 2007, sections IV and VI.

use nalgebra::{UnitQuaternion, Vector3};
use signorini::dynamics::{Body, System, World};
use signorini::geometry::Superquadric;
use signorini::steppers::{GapFunction, Mode, Run};
use signorini_plot::{Color, Figure, FramesPlot, Paint, Shape};

use super::cbat2007_common::{
    Failure, Trial, lowered, order, panel, plane_world, pose, silhouette, source, step_claims,
    steps_plate, thinned, vector,
};
use crate::experiment::{Effort, Experiment, Progress, Source};
use crate::report::Report;

const HALF_AXES: [f64; 3] = [0.5, 0.3, 0.2];
const EXPONENT: f64 = 4.0;
/// Steps of the convergence, s; the first is that of the tumbling.
const STEPS: [f64; 4] = [4e-3, 2e-3, 1e-3, 5e-4];
/// End of the sliding, and of the tumbling, s.
const UNTIL: [f64; 2] = [0.2, 2.4];

/// The superquadric.
#[derive(Debug, Clone, Copy)]
pub struct Cbat2007Superquadric;

impl Experiment for Cbat2007Superquadric {
    fn id(&self) -> &'static str {
        "cbat2007-superquadric"
    }

    fn source(&self) -> Source {
        source("sections IV and VI: general surfaces, not shown there")
    }

    fn title(&self) -> &'static str {
        "A superquadric slides, and tumbles over a plane"
    }

    fn run(&self, _effort: Effort, progress: &dyn Progress) -> Result<Report, Failure> {
        let total = STEPS.len() + 1;
        let (mut report, mut sliding) = (Report::default(), Vec::new());
        let smooth = world(0.0)?;
        for (index, h) in STEPS.into_iter().enumerate() {
            progress.progress(index, total, &format!("h = {h} s"));
            sliding.push(slide(&smooth, h)?);
        }
        progress.progress(STEPS.len(), total, "tumbles");
        let tumbling = tumble(&world(0.5)?)?;

        sliding_claims(&mut report, &smooth, &sliding);
        let summary = &tumbling.summary;
        report.measure(
            "tumbling, largest gain of energy in a step",
            summary.largest_energy_gain,
        );
        report.measure(
            "tumbling, the energy falls from tenth to tenth of a second",
            tumbling.energy_falls(0.1),
        );
        report.measure(
            "tumbling, part of the energy lost",
            1.0 - summary.energy_end.total() / summary.energy_start.total(),
        );
        let mut all: Vec<_> = sliding.iter().collect();
        all.push(&tumbling);
        step_claims(&mut report, &all, 1.0);
        figures(&mut report, &smooth, &sliding[0], &tumbling)?;
        steps_plate(
            &mut report,
            &[
                ("sliding".to_owned(), &sliding[0]),
                ("tumbling".to_owned(), &tumbling),
            ],
        );
        progress.progress(total, total, "done");
        Ok(report)
    }
}

fn shape() -> Result<Superquadric<3>, Failure> {
    Ok(Superquadric::new(Vector3::from(HALF_AXES), EXPONENT)?)
}

fn world(friction: f64) -> Result<World<3>, Failure> {
    let mut world = plane_world(friction, [1.0, 1.0, 0.0])?;
    let mut body = Body::solid("stone", shape()?, 1.0)?;
    let turn = UnitQuaternion::from_euler_angles(0.3, 0.6, 0.0);
    body.position[2] = 1.0;
    body.position[3..].copy_from_slice(&[turn.w, turn.i, turn.j, turn.k]);
    world.add(body)?;
    Ok(world)
}

/// In touch at the start, and with a velocity that keeps the touch.
fn slide(world: &World<3>, h: f64) -> Result<Trial, Failure> {
    let mut state = lowered(world)?;
    let omega = Vector3::new(0.5, -0.4, 2.0);
    let pose = pose(&state.q);
    let set: signorini::geometry::ConvexSet<3> = shape()?.into();
    let lowest = set.support(&pose.inverse_rotate(&-Vector3::z()));
    let arm = pose.rotate(&lowest.expect("a bounded body"));
    let velocity = Vector3::new(1.0, 0.5, -omega.cross(&arm).z);
    state.v[..3].copy_from_slice(velocity.as_slice());
    state.v[3..].copy_from_slice(omega.as_slice());
    let run = Run { h, until: UNTIL[0] };
    Trial::of_both_forms(world, &state, GapFunction::SignedDistance, run)
}

/// Thrown from 0.2 m above the plane.
fn tumble(world: &World<3>) -> Result<Trial, Failure> {
    let mut state = lowered(world)?;
    state.q[2] += 0.2;
    state.v.copy_from_slice(&[2.0, 0.3, 0.0, 0.5, 6.0, 0.7]);
    let run = Run {
        h: STEPS[0],
        until: UNTIL[1],
    };
    Trial::of_both_forms(world, &state, GapFunction::SignedDistance, run)
}

/// Vertical part of the angular momentum about the centre of mass, kg m²/s.
fn spin(world: &World<3>, q: &[f64], v: &[f64]) -> f64 {
    let momentum = world.momentum(q, v);
    // About the origin: without the part of the centre of mass.
    momentum[5] - (q[0] * momentum[1] - q[1] * momentum[0])
}

fn sliding_claims(report: &mut Report, world: &World<3>, sliding: &[Trial]) {
    let change = |trial: &Trial| {
        let start = vector(&trial.trajectory.v[0]);
        let changes = trial
            .trajectory
            .v
            .iter()
            .map(|v| (vector(v) - start).xy().norm());
        changes.fold(0.0, f64::max)
    };
    report.measure(
        "sliding, largest change of the horizontal momentum",
        sliding.iter().map(change).fold(0.0, f64::max),
    );
    let closed = |t: &Trial| t.modes((0, 1)).iter().all(|m| *m != Mode::Open);
    report.measure(
        "sliding, the contact stays closed",
        sliding.iter().all(closed),
    );
    let spins = sliding.iter().map(|trial| {
        let curve = trial.curve(|q, v| spin(world, q, v));
        curve[curve.len() - 1][1] - curve[0][1]
    });
    let spins: Vec<_> = spins.collect();
    order(
        report,
        "sliding, order of the vertical angular momentum",
        &spins,
    );
    let losses = sliding.iter().map(|t| {
        let summary = &t.summary;
        summary.energy_end.total() - summary.energy_start.total()
    });
    let losses: Vec<_> = losses.collect();
    order(report, "sliding, order of the energy", &losses);
    let gain = sliding.iter().map(|t| t.summary.largest_energy_gain);
    report.measure(
        "sliding, largest gain of energy in a step",
        gain.fold(0.0, f64::max),
    );
}

fn figures(
    report: &mut Report,
    smooth: &World<3>,
    sliding: &Trial,
    tumbling: &Trial,
) -> Result<(), Failure> {
    let set = shape()?.into();
    let mut frames = FramesPlot::new("", "x (m)", "z (m)");
    let q = &tumbling.trajectory.q;
    let ground = vec![[-0.6, 0.0], [1.8, 0.0]];
    frames.add(Shape::Line { points: ground }, Paint::line(Color::BLACK));
    for (k, q) in q.iter().step_by(25).take(8).enumerate() {
        let points = silhouette(&set, &pose(q), [0, 2]);
        frames.add(Shape::Polygon { points }, Paint::body(Color::nth(k)));
    }
    report.plate(
        "frames",
        "The thrown superquadric from the side every 0.1 s until 0.7 s.",
        Figure::new("Tumbling", 900, 360).with(frames),
    );
    let start = sliding.summary.energy_start.total();
    let change = sliding.energy();
    let change = change.iter().map(|p| [p[0], p[1] / start - 1.0]).collect();
    let momentum = sliding.curve(|q, v| spin(smooth, q, v));
    let momentum = momentum.iter().map(|p| [p[0], p[1] / momentum[0][1] - 1.0]);
    let kinetic = tumbling.trajectory.reports.iter();
    let kinetic: Vec<_> = kinetic.map(|r| [r.t, r.energy_after.kinetic]).collect();
    report.plate(
        "energy",
        "Energy of the thrown superquadric (above); relative change of energy and vertical angular momentum of the one that \
         slides without friction (below), h = 4 ms.",
        Figure::new("Energy and momentum", 900, 760)
            .with(panel(
                "J",
                vec![
                    ("total".to_owned(), thinned(&tumbling.energy())),
                    ("kinetic".to_owned(), thinned(&kinetic)),
                ],
            ))
            .with(panel(
                "relative change",
                vec![
                    ("energy".to_owned(), change),
                    ("vertical angular momentum".to_owned(), momentum.collect()),
                ],
            )),
    );
    Ok(())
}
