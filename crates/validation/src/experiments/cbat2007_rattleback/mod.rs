//! Beyond CBAT2007: a rattleback, an ellipsoid whose masses do not lie along its axes, turns round when it is spun one way.
//!
//! Half axes 100, 40 and 40 mm, 1 kg, the centre of mass 20 mm below the middle, the inertia that of the uniform ellipsoid turned by
//! 0.3 rad about z (data of our own), μ = 1: it rolls and never slides. Spun at 5 rad/s against that turn from 0.028 rad off its
//! rest it begins to pitch, stops, and spins back; spun the other way it goes on. The rolling is integrated apart, without
//! steps, for comparison, and keeps its energy: what the scheme loses is its own, of order h, mostly in pitching at 30 rad/s,
//! which a step of h damps at the rate 30² h/2.
//!
//! # References
//! - \[CBAT2007\] N. Chakraborty, S. Berard, S. Akella, J. C. Trinkle, An implicit time-stepping method for multibody systems
//!   with intermittent contact, RSS 2007, section VI.
//! - \[KL1982\] T. R. Kane, D. A. Levinson, Realistic mathematical modeling of the rattleback, International Journal of
//!   Non-Linear Mechanics 17, 1982.

mod reference;

use nalgebra::{Matrix3, Rotation3, Vector3};
use signorini::dynamics::{Body, Inertia, World};
use signorini::geometry::{Ellipsoid, Intersection, Part, Pose};
use signorini::steppers::{GapFunction, Mode, Run};
use signorini_plot::{Color, Figure, FramesPlot, Paint, Shape};

use self::reference::Stone;
use super::cbat2007_common::{
    Failure, Trial, order, panel, plane_world, pose, silhouette, source, step_claims, steps_plate,
    thinned,
};
use crate::experiment::{Effort, Experiment, Progress, Source};
use crate::report::Report;

const GRAVITY: f64 = 9.81;
const MASS: f64 = 1.0;
const HALF_AXES: [f64; 3] = [0.1, 0.04, 0.04];
/// Height of the middle above the centre of mass, m.
const DROP: f64 = 0.02;
/// Angle between the axes of inertia and those of the shape, about z, rad.
const TURN: f64 = 0.3;
/// Angular speed about the vertical at the start, rad/s.
const SPIN: f64 = 5.0;
/// Angle off the rest at the start, about the diagonal of x and y, rad.
const TILT: f64 = 0.028;
/// Steps of the convergence, s; the first is that of the figures.
const STEPS: [f64; 3] = [5e-4, 2.5e-4, 1.25e-4];
const SHOWN: f64 = STEPS[0];
/// End of the convergence, and of the runs, s.
const UNTIL: [f64; 2] = [0.5, 2.5];

/// The rattleback.
#[derive(Debug, Clone, Copy)]
pub struct Cbat2007Rattleback;

impl Experiment for Cbat2007Rattleback {
    fn id(&self) -> &'static str {
        "cbat2007-rattleback"
    }

    fn source(&self) -> Source {
        source("section VI: not in the paper")
    }

    fn title(&self) -> &'static str {
        "A rattleback turns round when spun one way"
    }

    fn run(&self, _effort: Effort, progress: &dyn Progress) -> Result<Report, Failure> {
        let total = STEPS.len() + 2;
        let mut short = Vec::new();
        for (index, h) in STEPS.into_iter().enumerate() {
            progress.progress(index, total, &format!("h = {h} s"));
            short.push(trial(-SPIN, h, UNTIL[0])?);
        }
        progress.progress(STEPS.len(), total, "turns round");
        let back = trial(-SPIN, SHOWN, UNTIL[1])?;
        progress.progress(STEPS.len() + 1, total, "goes on");
        let on = trial(SPIN, SHOWN, UNTIL[1])?;
        let exact = [-SPIN, SPIN].map(|spin| reference::spins(&stone(spin), &inertia(), UNTIL[1]));

        let mut report = Report::default();
        let zero = |curve: &[[f64; 2]]| {
            let found = curve.iter().find(|p| p[1] > 0.0);
            found.map_or(f64::INFINITY, |p| p[0])
        };
        report.measure(
            "spun against the turn, it spins back from",
            zero(&spins(&back)),
        );
        report.measure("the same, without steps", zero(&exact[0]));
        let end = spins(&back)[back.trajectory.len() - 1][1];
        report.measure("spin after 2.5 s, spun against the turn", end);
        let other_way = end > 0.5 * SPIN;
        report.measure(
            "spun against the turn, it ends spinning the other way",
            other_way,
        );
        let least = spins(&on)
            .iter()
            .map(|p| p[1])
            .fold(f64::INFINITY, f64::min);
        report.measure("least spin until 2.5 s, spun with the turn", least);
        let on_and_on = least > 0.5 * SPIN;
        report.measure("spun with the turn, it goes on as before", on_and_on);
        let sticks = |trial: &Trial| trial.modes((0, 1)).iter().all(|m| *m == Mode::Stick);
        report.measure("it never slides or lifts", sticks(&back) && sticks(&on));
        let at = |curve: &[[f64; 2]]| {
            let found = curve.iter().find(|p| (p[0] - UNTIL[0]).abs() < 1e-6);
            found.map_or(f64::NAN, |p| p[1])
        };
        let errors: Vec<_> = short
            .iter()
            .map(|t| at(&spins(t)) - at(&exact[0]))
            .collect();
        order(&mut report, "order of the spin after 0.5 s", &errors);
        let lost = |trial: &Trial| {
            let summary = &trial.summary;
            summary.energy_start.total() - summary.energy_end.total()
        };
        let losses: Vec<_> = short.iter().map(lost).collect();
        order(&mut report, "order of the energy lost after 0.5 s", &losses);
        let gains = [&back, &on].map(|t| t.summary.largest_energy_gain);
        report.measure("largest gain of energy in a step", gains[0].max(gains[1]));
        let mut all: Vec<_> = short.iter().collect();
        all.extend([&back, &on]);
        step_claims(&mut report, &all, 0.2);
        figures(&mut report, [&back, &on], &exact)?;
        steps_plate(
            &mut report,
            &[
                ("spun against the turn".to_owned(), &back),
                ("spun with the turn".to_owned(), &on),
            ],
        );
        progress.progress(total, total, "done");
        Ok(report)
    }
}

/// About the centre of mass, axes of the shape, kg m².
fn inertia() -> Matrix3<f64> {
    let [a, b, c] = HALF_AXES.map(|e| e * e);
    let moments = Vector3::new(b + c, a + c, a + b) * (MASS / 5.0);
    let turn = Rotation3::from_axis_angle(&Vector3::z_axis(), TURN);
    turn * Matrix3::from_diagonal(&moments) * turn.transpose()
}

/// From the body to the world at the start.
fn tilted() -> Rotation3<f64> {
    Rotation3::new(Vector3::new(1.0, 1.0, 0.0).normalize() * TILT)
}

/// What the reference begins with: spinning about the vertical.
fn stone(spin: f64) -> Stone {
    let up = tilted().inverse() * Vector3::z();
    let mut stone = Stone::zeros();
    stone.fixed_rows_mut::<3>(0).copy_from(&(up * spin));
    stone.fixed_rows_mut::<3>(3).copy_from(&up);
    stone
}

fn shape() -> Result<Intersection<3>, Failure> {
    let middle = Pose::from_position(Vector3::new(0.0, 0.0, DROP));
    let ellipsoid = Ellipsoid::new(Vector3::from(HALF_AXES))?;
    Ok(Intersection::new([Part::from(ellipsoid).at(middle)])?)
}

fn world(spin: f64) -> Result<World<3>, Failure> {
    let mut world = plane_world(1.0, [1.0, 1.0, 0.0])?;
    let rows = inertia().transpose().into();
    let mut body = Body::moving("stone", MASS, Inertia::Tensor(rows));
    body.shape = Some(shape()?.into());
    let arm = tilted() * reference::arm(&(tilted().inverse() * Vector3::z()));
    let (sin, cos) = (0.5 * TILT).sin_cos();
    let part = sin * std::f64::consts::FRAC_1_SQRT_2;
    body.position = vec![0.0, 0.0, -arm.z, cos, part, part, 0.0];
    let omega = Vector3::z() * spin;
    let velocity = -omega.cross(&arm);
    body.velocity[..3].copy_from_slice(velocity.as_slice());
    body.velocity[3..].copy_from_slice(omega.as_slice());
    world.add(body)?;
    Ok(world)
}

fn trial(spin: f64, h: f64, until: f64) -> Result<Trial, Failure> {
    let world = world(spin)?;
    let run = Run { h, until };
    Trial::of_both_forms(
        &world,
        &world.initial_state(),
        GapFunction::SignedDistance,
        run,
    )
}

/// Angular velocity about the vertical over time, rad/s.
fn spins(trial: &Trial) -> Vec<[f64; 2]> {
    trial.velocity(5)
}

fn figures(
    report: &mut Report,
    [back, on]: [&Trial; 2],
    exact: &[Vec<[f64; 2]>; 2],
) -> Result<(), Failure> {
    let names = ["spun against the turn", "spun with the turn"];
    let spin_curves = vec![
        (names[0].to_owned(), thinned(&spins(back))),
        (names[1].to_owned(), thinned(&spins(on))),
        ("against it, without steps".to_owned(), thinned(&exact[0])),
        ("with it, without steps".to_owned(), thinned(&exact[1])),
    ];
    let tilt = |trial: &Trial| {
        thinned(&trial.curve(|q, _| {
            let up = pose(q).rotate(&Vector3::z());
            up.z.clamp(-1.0, 1.0).acos().to_degrees()
        }))
    };
    let named = |curves: [Vec<[f64; 2]>; 2]| {
        let names = names.map(str::to_owned);
        names.into_iter().zip(curves).collect::<Vec<_>>()
    };
    report.plate(
        "spin",
        "Angular velocity about the vertical, angle off the rest, and energy, h = 0.5 ms.",
        Figure::new("Rattleback", 900, 1000)
            .with(panel("rad/s", spin_curves))
            .with(panel("degrees", named([tilt(back), tilt(on)])))
            .with(panel(
                "energy (J)",
                named([thinned(&back.energy()), thinned(&on.energy())]),
            )),
    );
    let set = shape()?.into();
    let mut frames = FramesPlot::new("", "m", "m");
    for k in 0..6_u32 {
        let (time, shift) = (0.5 * f64::from(k), 0.22 * f64::from(k));
        let mut pose = pose(&back.trajectory.q[back.row(time)]);
        (pose.position.x, pose.position.y) = (shift, 0.0);
        let points = silhouette(&set, &pose, [0, 1]);
        frames.add(Shape::Polygon { points }, Paint::body(Color::BLUE));
        frames.label([shift, 0.14], format!("{time:.1} s"));
    }
    report.plate(
        "frames",
        "The stone from above every 0.5 s, spun against the turn, each time put beside the last.",
        Figure::new("Turning round", 900, 280).with(frames),
    );
    Ok(())
}
