//! Beyond CBAT2007: Euler's disc, a cylinder that rolls on its rim round its own centre, faster and faster.
//!
//! Radius R = 37.5 mm, half thickness d = 6.4 mm, 0.439 kg, μ = 0.3; the rim is where a tube and a half-space meet. With the
//! centre of mass at rest and the face at an angle α to the plane the point of contact runs round at
//!
//! ```math
//! \Omega^2 = \frac{m g (R \cos\alpha - d \sin\alpha)}{\sin\alpha\, (I_1 \cos\alpha - I_3 (d / R) \sin\alpha)}, \qquad
//! \omega = -\frac{\Omega \sin\alpha}{R} (R e_1 - d e_3),
//! ```
//!
//! e₁ down the face, e₃ along the axis; for d = 0 this is the known Ω² = 4 g / (R sin α). Nothing slides and friction is zero.
//! The torsion of friction (e_r = 0.5 mm) makes it sink: the contact turns about its normal and creeps, and the work of
//! friction is the energy lost, but for what the scheme loses itself.
//!
//! # References
//! - \[CBAT2007\] N. Chakraborty, S. Berard, S. Akella, J. C. Trinkle, An implicit time-stepping method for multibody systems
//!   with intermittent contact, RSS 2007, section VI and appendix.
//! - \[LL2005\] C. Le Saux, R. I. Leine, Ch. Glocker, Dynamics of a rolling disk in the presence of dry friction, Journal of
//!   Nonlinear Science 15, 2005.

use nalgebra::Vector3;
use signorini::dynamics::{Body, World};
use signorini::geometry::{HalfSpace, Intersection, Part, Tube};
use signorini::steppers::{ContactReport, GapFunction, Run, StepReport, Trajectory};
use signorini_plot::{Color, Figure, FramesPlot, LinePlot, Paint, Series, Shape, Style};

use super::cbat2007_common::{
    Failure, Trial, order, panel, plane_world, pose, silhouette, source, step_claims, steps_plate,
    thinned, vector,
};
use crate::experiment::{Effort, Experiment, Progress, Source};
use crate::report::Report;

const GRAVITY: f64 = 9.81;
const MASS: f64 = 0.439;
const RADIUS: f64 = 0.0375;
/// Half the thickness, m.
const HALF: f64 = 0.0064;
const MU: f64 = 0.3;
/// Half axis of the torsion of the disc that sinks, m.
const TORSION: f64 = 5e-4;
/// Angle between face and plane at the start, rad.
const TILT: f64 = 0.5;
/// Steps of the convergence, s; the second is that of the disc that sinks.
const STEPS: [f64; 3] = [5e-4, 2.5e-4, 1.25e-4];
/// End of the convergence, and of the sinking, s.
const UNTIL: [f64; 2] = [0.1, 1.0];

/// Euler's disc.
#[derive(Debug, Clone, Copy)]
pub struct Cbat2007EulerDisc;

impl Experiment for Cbat2007EulerDisc {
    fn id(&self) -> &'static str {
        "cbat2007-euler-disc"
    }

    fn source(&self) -> Source {
        source("section VI: not in the paper")
    }

    fn title(&self) -> &'static str {
        "Euler's disc"
    }

    fn run(&self, _effort: Effort, progress: &dyn Progress) -> Result<Report, Failure> {
        let total = STEPS.len() + 1;
        let mut steady = Vec::new();
        for (index, h) in STEPS.into_iter().enumerate() {
            progress.progress(index, total, &format!("h = {h} s"));
            steady.push(trial(0.0, h, UNTIL[0])?);
        }
        progress.progress(STEPS.len(), total, "sinks");
        let sinking = trial(TORSION, STEPS[1], UNTIL[1])?;
        let begun: Result<Vec<_>, _> = STEPS
            .map(|h| trial(TORSION, h, UNTIL[0]))
            .into_iter()
            .collect();
        let begun = begun?;

        let mut report = Report::default();
        let rates: Vec<_> = steady.iter().map(mean_rate).collect();
        let exact = rate(TILT);
        let fine = rates[rates.len() - 1];
        report.measure(
            "steady rolling, mean rate of precession, extrapolated, over the exact one",
            (2.0 * fine - rates[rates.len() - 2]) / exact,
        );
        let errors: Vec<_> = rates.iter().map(|r| r - exact).collect();
        order(
            &mut report,
            "steady rolling, order of the rate of precession",
            &errors,
        );
        let tilts: Vec<_> = steady.iter().map(|t| last(&tilts(t)) - TILT).collect();
        order(&mut report, "steady rolling, order of the tilt", &tilts);
        let drift = steady.iter().map(|t| {
            let (first, end) = (&t.trajectory.q[0], &t.trajectory.q[t.trajectory.len() - 1]);
            (end[0] - first[0]).hypot(end[1] - first[1])
        });
        let drifts: Vec<_> = drift.collect();
        order(
            &mut report,
            "steady rolling, order of the way of the centre",
            &drifts,
        );
        sinking_claims(&mut report, &sinking);
        let missing: Vec<_> = begun.iter().map(|t| lost(t) + work(t)).collect();
        order(
            &mut report,
            "sinking, order of the energy lost but by friction",
            &missing,
        );
        let all = steady.iter().chain(&begun).chain([&sinking]);
        let gains = all.clone().map(|t| t.summary.largest_energy_gain);
        report.measure(
            "largest gain of energy in a step",
            gains.fold(0.0, f64::max),
        );
        step_claims(&mut report, &all.collect::<Vec<_>>(), 2.0 * RADIUS);
        figures(&mut report, &steady[1], &sinking)?;
        steps_plate(
            &mut report,
            &[
                ("steady".to_owned(), &steady[1]),
                ("sinking".to_owned(), &sinking),
            ],
        );
        progress.progress(total, total, "done");
        Ok(report)
    }
}

/// Ω at this tilt, rad/s.
fn rate(tilt: f64) -> f64 {
    let (sin, cos) = tilt.sin_cos();
    let across = MASS * (3.0 * RADIUS * RADIUS + 4.0 * HALF * HALF) / 12.0;
    let along = 0.5 * MASS * RADIUS * RADIUS;
    let weight = MASS * GRAVITY * (RADIUS * cos - HALF * sin);
    (weight / (sin * (across * cos - along * HALF / RADIUS * sin))).sqrt()
}

fn shape() -> Result<Intersection<3>, Failure> {
    let [top, bottom] = [Vector3::z(), -Vector3::z()].map(|normal| HalfSpace::new(normal, HALF));
    let parts = [Part::from(Tube::new(RADIUS)?), top?.into(), bottom?.into()];
    Ok(Intersection::new(parts)?)
}

fn world(torsion: f64) -> Result<World<3>, Failure> {
    let mut world = plane_world(MU, [1.0, 1.0, torsion])?;
    let mut disc = Body::solid("disc", shape()?, MASS)?;
    let (sin, cos) = TILT.sin_cos();
    let (half_sin, half_cos) = (0.5 * TILT).sin_cos();
    let height = RADIUS * sin + HALF * cos;
    disc.position = vec![0.0, 0.0, height, half_cos, 0.0, half_sin, 0.0];
    let (down, axis) = (Vector3::new(cos, 0.0, -sin), Vector3::new(sin, 0.0, cos));
    let omega = (down * RADIUS - axis * HALF) * (-rate(TILT) * sin / RADIUS);
    disc.velocity[3..].copy_from_slice(omega.as_slice());
    world.add(disc)?;
    Ok(world)
}

fn trial(torsion: f64, h: f64, until: f64) -> Result<Trial, Failure> {
    let world = world(torsion)?;
    let run = Run { h, until };
    Trial::of_both_forms(
        &world,
        &world.initial_state(),
        GapFunction::SignedDistance,
        run,
    )
}

fn axis(q: &[f64]) -> Vector3<f64> {
    pose(q).rotate(&Vector3::z())
}

/// Angle between face and plane over time, rad.
fn tilts(trial: &Trial) -> Vec<[f64; 2]> {
    trial.curve(|q, _| axis(q).xy().norm().asin())
}

fn last(curve: &[[f64; 2]]) -> f64 {
    curve[curve.len() - 1][1]
}

/// Angle by which the axis goes round the vertical in each step, rad.
fn turns(trial: &Trial) -> Vec<f64> {
    let axes: Vec<_> = trial.trajectory.q.iter().map(|q| axis(q)).collect();
    let turn = |pair: &[Vector3<f64>]| {
        let (from, to) = (pair[0], pair[1]);
        (from.x * to.y - from.y * to.x).atan2(from.x * to.x + from.y * to.y)
    };
    axes.windows(2).map(turn).collect()
}

fn mean_rate(trial: &Trial) -> f64 {
    let end = trial.trajectory.t[trial.trajectory.len() - 1];
    turns(trial).iter().sum::<f64>() / end
}

/// Tilt and rate of precession of each whole turn of the axis: what rattles within a turn is no precession.
fn by_turns(trial: &Trial) -> Vec<[f64; 2]> {
    let (tilts, mut out) = (tilts(trial), Vec::new());
    let (mut angle, mut from, mut sum) = (0.0, 0, 0.0);
    for (step, turn) in turns(trial).into_iter().enumerate() {
        (angle, sum) = (angle + turn, sum + tilts[step + 1][1]);
        if angle >= std::f64::consts::TAU {
            let steps = (step + 1 - from) as f64;
            out.push([sum / steps, angle / (steps * trial.h)]);
            (angle, from, sum) = (0.0, step + 1, 0.0);
        }
    }
    out
}

fn sinking_claims(report: &mut Report, sinking: &Trial) {
    let turns = by_turns(sinking);
    let off = turns
        .iter()
        .map(|[tilt, found]| (found / rate(*tilt) - 1.0).abs());
    report
        .measure(
            "sinking, largest error of the rate of precession, by whole turns",
            off.fold(0.0, f64::max),
        )
        .note(format!("{} turns", turns.len()));
    let tilts = tilts(sinking);
    report.measure("sinking, tilt at the end", last(&tilts).to_degrees());
    report
        .measure(
            "sinking, work of friction over the energy lost",
            -work(sinking) / lost(sinking),
        )
        .note(format!(
            "{:.4} J lost; the rest is the scheme's own, of order h",
            lost(sinking)
        ));
}

/// Energy lost, J.
fn lost(trial: &Trial) -> f64 {
    trial.summary.energy_start.total() - trial.summary.energy_end.total()
}

/// Work of friction, J: in each step its impulses times the velocities of the contact at the end.
fn work(trial: &Trial) -> f64 {
    let Trajectory { q, v, reports, .. } = &trial.trajectory;
    let steps = reports.iter().zip(q[1..].iter().zip(&v[1..]));
    let work = |(report, (q, v)): (&StepReport, (&Vec<f64>, &Vec<f64>))| -> f64 {
        let spin = vector(&v[3..]);
        let of = |c: &ContactReport| {
            let velocity = vector(v) + spin.cross(&(vector(&c.point) - vector(q)));
            let along = c.tangent.chunks(3).map(|t| vector(t).dot(&velocity));
            let sliding: f64 = along.zip(&c.impulse[1..]).map(|(u, p)| u * p).sum();
            sliding + c.torsion * spin.dot(&vector(&c.normal))
        };
        report.contacts.iter().map(of).sum()
    };
    steps.map(work).sum()
}

fn figures(report: &mut Report, steady: &Trial, sinking: &Trial) -> Result<(), Failure> {
    let exact = (1..=100).map(|k| TILT * f64::from(k) / 100.0);
    let turns = by_turns(sinking);
    let least = turns.iter().map(|p| p[0]).fold(TILT, f64::min);
    let exact = exact.filter(|tilt| *tilt >= 0.9 * least);
    let exact: Vec<_> = exact.map(|tilt| [tilt.to_degrees(), rate(tilt)]).collect();
    let found = turns.iter().map(|[tilt, rate]| [tilt.to_degrees(), *rate]);
    let rates = LinePlot {
        x_label: "tilt (degrees)".to_owned(),
        y_label: "rate of precession (rad/s)".to_owned(),
        series: vec![
            Series::new("exact", exact, Style::nth(1)),
            Series::new(
                "whole turns of the disc that sinks",
                found.collect(),
                Style::nth(0),
            ),
        ],
        ..LinePlot::default()
    };
    let degrees = |trial: &Trial| -> Vec<_> {
        let curve = thinned(&tilts(trial));
        curve.iter().map(|p| [p[0], p[1].to_degrees()]).collect()
    };
    report.plate(
        "precession",
        "Rate of precession over tilt, tilt and energy of the disc that sinks by torsion (e_r = 0.5 mm), h = 0.25 ms; beside it the \
         disc without torsion, which would roll on for ever.",
        Figure::new("Euler's disc", 900, 1000)
            .with(rates)
            .with(panel(
                "tilt (degrees)",
                vec![
                    ("e_r = 0.5 mm".to_owned(), degrees(sinking)),
                    ("without torsion".to_owned(), degrees(steady)),
                ],
            ))
            .with(panel(
                "energy (J)",
                vec![
                    ("e_r = 0.5 mm".to_owned(), thinned(&sinking.energy())),
                    ("without torsion".to_owned(), thinned(&steady.energy())),
                ],
            )),
    );
    let set = shape()?.into();
    let mut frames = FramesPlot::new("", "m", "m");
    let ground = vec![[-0.05, 0.0], [6.0 * 0.1 - 0.05, 0.0]];
    frames.add(Shape::Line { points: ground }, Paint::line(Color::BLACK));
    for k in 0..6_u32 {
        let (time, shift) = (0.2 * f64::from(k), 0.1 * f64::from(k));
        let mut pose = pose(&sinking.trajectory.q[sinking.row(time)]);
        (pose.position.x, pose.position.y) = (shift, 0.0);
        let points = silhouette(&set, &pose, [0, 2]);
        frames.add(Shape::Polygon { points }, Paint::body(Color::BLUE));
        frames.label([shift, 0.07], format!("{time:.1} s"));
    }
    report.plate(
        "frames",
        "The disc from the side every 0.2 s, each time put beside the last.",
        Figure::new("Sinking", 900, 240).with(frames),
    );
    Ok(())
}
