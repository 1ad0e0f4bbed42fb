//! Beyond CBAT2007: a tippe top, a ball whose centre of mass is below its middle, turns over while it spins.
//!
//! Data of Leine and Glocker, without the stem: 6 g, R = 15 mm, centre of mass 3 mm below the middle, moments 8e-7 and
//! 7e-7 kg m², μ = 0.3, spin 180 rad/s about its axis, 0.1 rad off the vertical. Jellett's integral −L·r, r from the centre of
//! mass to the point of contact, is changed by no force at the point of contact, but by the torsion of friction: it grows at the
//! rate τ (R − ε cos θ). That balance is exact for any sliding and rolling; the scheme keeps it to its order.
//!
//! Coulomb's friction alone does not turn the top over: it ends the sliding within 30 ms, and a rolling top loses nothing.
//! With torsion (e_r = 0.5 mm) the contact slides as long as the top spins, friction fades with the sliding speed, and the top turns.
//!
//! # References
//! - \[CBAT2007\] N. Chakraborty, S. Berard, S. Akella, J. C. Trinkle, An implicit time-stepping method for multibody systems
//!   with intermittent contact, RSS 2007, section VI.
//! - \[LG2003\] R. I. Leine, Ch. Glocker, A set-valued force law for spatial Coulomb–Contensou friction, European Journal of
//!   Mechanics A 22, 2003.

mod reference;

use nalgebra::{Rotation3, Vector3};
use signorini::dynamics::{Body, Inertia, World};
use signorini::geometry::{Ball, Intersection, Part, Pose};
use signorini::steppers::{GapFunction, Run};
use signorini_plot::{Color, Figure, FramesPlot, Paint, Shape};

use self::reference::Top;
use super::cbat2007_common::{
    Failure, Trial, order, panel, plane_world, pose, source, step_claims, steps_plate, thinned,
    vector,
};
use crate::experiment::{Effort, Experiment, Progress, Source};
use crate::report::Report;

const GRAVITY: f64 = 9.81;
const MASS: f64 = 6e-3;
/// Radius R, m.
const RADIUS: f64 = 0.015;
/// Distance ε of the centre of mass below the middle, m.
const OFFSET: f64 = 0.003;
/// Moments across and along the axis, kg m².
const MOMENTS: [f64; 2] = [8e-7, 7e-7];
const MU: f64 = 0.3;
/// Half axis of the torsion, m.
const TORSION: f64 = 5e-4;
/// Angular speed about the axis at the start, rad/s.
const SPIN: f64 = 180.0;
/// Angle between axis and vertical at the start, rad.
const TILT: f64 = 0.1;
/// Steps of the convergence, s; the first is that of the figures. Its tilt oscillates at some 110 rad/s.
const STEPS: [f64; 3] = [2.5e-4, 1.25e-4, 6.25e-5];
/// End of the convergence, of the run with torsion and of that without it, s.
const UNTIL: [f64; 3] = [0.1, 1.8, 0.5];

/// The tippe top.
#[derive(Debug, Clone, Copy)]
pub struct Cbat2007TippeTop;

impl Experiment for Cbat2007TippeTop {
    fn id(&self) -> &'static str {
        "cbat2007-tippe-top"
    }

    fn source(&self) -> Source {
        source("section VI: not in the paper")
    }

    fn title(&self) -> &'static str {
        "A tippe top turns over"
    }

    fn run(&self, _effort: Effort, progress: &dyn Progress) -> Result<Report, Failure> {
        let total = STEPS.len() + 2;
        let mut short = Vec::new();
        for (index, h) in STEPS.into_iter().enumerate() {
            progress.progress(index, total, &format!("h = {h} s"));
            short.push(trial(TORSION, h, UNTIL[0])?);
        }
        progress.progress(STEPS.len(), total, "turns over");
        let turning = trial(TORSION, STEPS[0], UNTIL[1])?;
        progress.progress(STEPS.len() + 1, total, "without torsion");
        let dry = trial(0.0, STEPS[0], UNTIL[2])?;

        let mut report = Report::default();
        let drifts: Vec<_> = short.iter().map(drift).collect();
        order(
            &mut report,
            "order of the balance of Jellett's integral",
            &drifts,
        );
        report.measure(
            "largest error of that balance, part of the integral",
            drift(&turning),
        );
        report.measure("the same without torsion", drift(&dry));
        let start = start();
        let exact = reference::tilts(&start, TORSION, 5e-4, UNTIL[1]);
        let wanted = reference::tilts(&start, TORSION, UNTIL[0], UNTIL[0])[1][1];
        let errors: Vec<_> = short.iter().map(|t| last(&tilts(t)) - wanted).collect();
        order(&mut report, "order of the tilt after 0.1 s", &errors);
        let end = last(&tilts(&turning)).to_degrees();
        report.measure("it turns over: the tilt passes 150 degrees", end > 150.0);
        report.measure("tilt after 1.8 s", end);
        report.measure("tilt after 1.8 s, without steps", last(&exact).to_degrees());
        let least = tilts(&dry).iter().map(|p| p[1]).fold(0.0, f64::max);
        report.measure("largest tilt without torsion", least.to_degrees());
        report.measure(
            "the energy falls from hundredth to hundredth of a second",
            turning.energy_falls(0.01),
        );
        let energy = turning.summary.energy_start.total();
        report.measure(
            "largest gain of energy in a step, part of the energy",
            turning.summary.largest_energy_gain / energy,
        );
        report.measure(
            "the same without torsion: part of the energy",
            dry.summary.largest_energy_gain / energy,
        );
        let mut all: Vec<_> = short.iter().collect();
        all.extend([&turning, &dry]);
        step_claims(&mut report, &all, 2.0 * RADIUS);
        figures(&mut report, [&turning, &dry], &exact);
        steps_plate(
            &mut report,
            &[
                ("with torsion".to_owned(), &turning),
                ("without torsion".to_owned(), &dry),
            ],
        );
        progress.progress(total, total, "done");
        Ok(report)
    }
}

fn axis_at_start() -> Vector3<f64> {
    Vector3::new(TILT.sin(), 0.0, TILT.cos())
}

/// What the reference begins with.
fn start() -> Top {
    let axis = axis_at_start();
    let mut top = Top::zeros();
    top.fixed_rows_mut::<3>(3).copy_from(&(axis * SPIN));
    top.fixed_rows_mut::<3>(6).copy_from(&axis);
    top
}

fn world(torsion: f64) -> Result<World<3>, Failure> {
    let mut world = plane_world(MU, [1.0, 1.0, torsion])?;
    let middle = Pose::from_position(Vector3::new(0.0, 0.0, OFFSET));
    let ball = Intersection::new([Part::from(Ball::new(RADIUS)?).at(middle)])?;
    let [across, along] = MOMENTS;
    let mut top = Body::moving("top", MASS, Inertia::Principal([across, across, along]));
    top.shape = Some(ball.into());
    let (sin, cos) = (0.5 * TILT).sin_cos();
    top.position = vec![0.0, 0.0, RADIUS - OFFSET * TILT.cos(), cos, 0.0, sin, 0.0];
    top.velocity[3..].copy_from_slice((axis_at_start() * SPIN).as_slice());
    world.add(top)?;
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

/// Angle between axis and vertical over time, rad.
fn tilts(trial: &Trial) -> Vec<[f64; 2]> {
    trial.curve(|q, _| axis(q).z.clamp(-1.0, 1.0).acos())
}

fn last(curve: &[[f64; 2]]) -> f64 {
    curve[curve.len() - 1][1]
}

/// −L·r.
fn jellett(q: &[f64], v: &[f64]) -> f64 {
    let (axis, omega) = (axis(q), vector(&v[3..]));
    let [across, along] = MOMENTS;
    let momentum = omega * across + axis * ((along - across) * axis.dot(&omega));
    momentum.dot(&(Vector3::z() * RADIUS - axis * OFFSET))
}

/// Jellett's integral over time without what torsion did to it.
fn balance(trial: &Trial) -> Vec<[f64; 2]> {
    let mut curve = trial.curve(jellett);
    let q = &trial.trajectory.q[1..];
    let mut work = 0.0;
    for ((point, q), torsion) in curve[1..]
        .iter_mut()
        .zip(q)
        .zip(trial.contact((0, 1), |c| c.torsion))
    {
        work += torsion[1] * (RADIUS - OFFSET * axis(q).z);
        point[1] -= work;
    }
    curve
}

/// Largest change of that, as a part of the integral.
fn drift(trial: &Trial) -> f64 {
    let balance = balance(trial);
    let changes = balance.iter().map(|p| (p[1] / balance[0][1] - 1.0).abs());
    changes.fold(0.0, f64::max)
}

fn figures(report: &mut Report, [turning, dry]: [&Trial; 2], exact: &[[f64; 2]]) {
    let degrees = |curve: &[[f64; 2]]| -> Vec<_> {
        let curve = thinned(curve);
        curve.iter().map(|p| [p[0], p[1].to_degrees()]).collect()
    };
    let integral = thinned(&turning.curve(jellett));
    let scaled = |curve: Vec<[f64; 2]>| -> Vec<_> {
        let unit = 1e6;
        curve.iter().map(|p| [p[0], unit * p[1]]).collect()
    };
    report.plate(
        "tilt",
        "Tilt of the axis, Jellett's integral −L·r with and without what the torsion of friction did to it, and energy, \
         h = 0.25 ms.",
        Figure::new("Tippe top", 900, 1000)
            .with(panel(
                "tilt (degrees)",
                vec![
                    ("e_r = 0.5 mm".to_owned(), degrees(&tilts(turning))),
                    ("the same, integrated without steps".to_owned(), degrees(exact)),
                    ("without torsion".to_owned(), degrees(&tilts(dry))),
                ],
            ))
            .with(panel(
                "1e-6 kg m³/s",
                vec![
                    ("−L·r".to_owned(), scaled(integral)),
                    ("without torsion's part".to_owned(), scaled(thinned(&balance(turning)))),
                ],
            ))
            .with(panel(
                "energy (J)",
                vec![
                    ("e_r = 0.5 mm".to_owned(), thinned(&turning.energy())),
                    ("without torsion".to_owned(), thinned(&dry.energy())),
                ],
            )),
    );
    report.plate(
        "frames",
        "The top every 0.3 s, turned about the vertical so that its axis lies in the picture.",
        Figure::new("Turning over", 900, 240).with(frames(turning)),
    );
}

fn frames(trial: &Trial) -> FramesPlot {
    let mut frames = FramesPlot::new("", "m", "m");
    let ground = vec![[-0.02, 0.0], [6.0 * 0.045 + 0.02, 0.0]];
    frames.add(Shape::Line { points: ground }, Paint::line(Color::BLACK));
    for k in 0..7_u32 {
        let (time, across) = (0.3 * f64::from(k), 0.045 * f64::from(k));
        let axis = axis(&trial.trajectory.q[trial.row(time)]);
        let turned = Rotation3::rotation_between(&Vector3::new(axis.x, axis.y, 0.0), &Vector3::x());
        let axis = turned.map_or(axis, |turn| turn * axis);
        let at = |along: f64| [across + along * axis.x, RADIUS + along * axis.z];
        let circle = Shape::Circle {
            centre: at(0.0),
            radius: RADIUS,
        };
        frames.add(circle, Paint::body(Color::BLUE));
        let stem = vec![at(-RADIUS), at(RADIUS)];
        frames.add(Shape::Line { points: stem }, Paint::line(Color::VERMILION));
        let mass = Shape::Circle {
            centre: at(-OFFSET),
            radius: 0.0012,
        };
        frames.add(mass, Paint::body(Color::BLACK));
        frames.label([across, 2.6 * RADIUS], format!("{time:.1} s"));
    }
    frames
}
