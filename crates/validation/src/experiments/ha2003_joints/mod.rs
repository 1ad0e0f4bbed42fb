//! HA2003: joints without drift, of which the paper has the scheme but no example.
//!
//! Rods of length 1 m and mass 1 kg, pinned one after the other to the origin, start level and at rest: a double pendulum, free
//! and over a floor at y = −1.5 m, and a chain of ten. The error of the joints of the stabilised scheme is that of one step,
//! h² |v|² / γ times a constant; without stabilisation it is of first order and grows.
//!
//! # References
//! - \[HA2003\] G. D. Hart, M. Anitescu, A hard-constraint time-stepping approach for rigid multibody dynamics with joints,
//!   contact, and friction, 2003, (2.8).

use nalgebra::Vector2;
use signorini::dynamics::{Body, ContactMaterial, Inertia, Joint, JointKind, World, WorldSettings};
use signorini::geometry::{Capsule, HalfSpace, Pose};
use signorini::steppers::{ActiveSet, ContactForm, Run};
use signorini_plot::{AxisScale, Color, Figure, FramesPlot, Paint, Shape};

use super::ha2003_common::{Failure, Trial, panel, scheme, source, step_claims, wall};
use crate::experiment::{Effort, Experiment, Progress, Source};
use crate::report::Report;

/// Radius of the rods' ends, m; for contact and pictures.
const RADIUS: f64 = 0.02;
/// Height of the floor, m.
const FLOOR: f64 = -1.5;
/// |v|² up to which a pendulum is at rest, where its error is rounding: m²/s².
const AT_REST: f64 = 1e-6;
/// Steps, s.
const STEPS: [f64; 4] = [0.004, 0.002, 0.001, 0.0005];

/// Joints in the plane.
#[derive(Debug, Clone, Copy)]
pub struct Ha2003Joints;

/// A run and the error of its joints.
struct Swing {
    trial: Trial,
    error: Vec<f64>,
    /// max |Θ| / (h² |v|²).
    ratio: f64,
}

impl Swing {
    fn run(world: &World<2>, gamma: f64, h: f64, until: f64) -> Result<Self, Failure> {
        let mut stepper = scheme(gamma, ActiveSet::Automatic, ContactForm::Pyramid);
        let (mut error, mut ratio) = (Vec::new(), 0.0_f64);
        let trial = Trial::run(world, &mut stepper, Run { h, until }, |report, state| {
            let off = report.joint_error().unwrap_or(f64::NAN);
            let square: f64 = state.v.iter().map(|v| v * v).sum();
            error.push(off);
            if square > AT_REST {
                ratio = ratio.max(off / (h * h * square));
            }
        })?;
        Ok(Self {
            trial,
            error,
            ratio,
        })
    }

    fn curve(&self) -> Vec<[f64; 2]> {
        let pairs = self.trial.t[1..].iter().zip(&self.error);
        // A logarithmic axis has no zero.
        pairs.map(|(t, e)| [*t, e.max(1e-17)]).collect()
    }

    fn worst(&self) -> f64 {
        self.error.iter().copied().fold(0.0, f64::max)
    }
}

impl Experiment for Ha2003Joints {
    fn id(&self) -> &'static str {
        "ha2003-joints"
    }

    fn source(&self) -> Source {
        source("section 2, (2.8)")
    }

    fn title(&self) -> &'static str {
        "Pendulums and chains whose joints do not drift"
    }

    fn run(&self, _effort: Effort, progress: &dyn Progress) -> Result<Report, Failure> {
        let total = 2 * STEPS.len() + 4;
        let free = chain(2, false)?;
        let (mut stabilised, mut drifting) = (Vec::new(), Vec::new());
        for (k, h) in STEPS.into_iter().enumerate() {
            progress.progress(2 * k, total, &format!("h = {h} s"));
            stabilised.push(Swing::run(&free, 1.0, h, 2.0)?);
            drifting.push(Swing::run(&free, 0.0, h, 2.0)?);
        }
        progress.progress(2 * STEPS.len(), total, "γ = 1/2, 1/4");
        let gentle = [0.5, 0.25].map(|gamma| Swing::run(&free, gamma, 0.0005, 2.0));
        let gentle: Vec<_> = gentle.into_iter().collect::<Result<_, _>>()?;
        progress.progress(total - 2, total, "over a floor");
        let floor = Swing::run(&chain(2, true)?, 1.0, 0.002, 2.0)?;
        progress.progress(total - 1, total, "chain of ten");
        let long = Swing::run(&chain(10, false)?, 1.0, 0.002, 1.0)?;

        let mut report = Report::default();
        let finest = stabilised.len() - 1;
        report.measure(
            "double pendulum, γ = 1: max |Θ| / (h² |v|²)",
            stabilised[finest].ratio,
        );
        report.measure("γ = 1/2: max |Θ| / (h² |v|²)", gentle[0].ratio);
        report.measure("γ = 1/4: max |Θ| / (h² |v|²)", gentle[1].ratio);
        let order = |swings: &[Swing]| (swings[finest - 1].worst() / swings[finest].worst()).log2();
        report.measure("order of the joint error, γ = 1", order(&stabilised));
        report.measure("order of the joint error, γ = 0", order(&drifting));
        let growth = |swing: &Swing| {
            let half = swing.error.len() / 2;
            swing.worst() / swing.error[..half].iter().copied().fold(0.0, f64::max)
        };
        report.measure(
            "γ = 0: the error of 2 s over that of 1 s",
            growth(&drifting[finest]),
        );
        report.measure("over a floor: max |Θ| / (h² |v|²)", floor.ratio);
        report.measure("over a floor: largest penetration", floor.trial.worst());
        report.measure("chain of ten: max |Θ| / (h² |v|²)", long.ratio);
        let trials: Vec<_> = stabilised.iter().chain(&gentle).map(|s| &s.trial).collect();
        let trials = [trials, vec![&floor.trial, &long.trial]].concat();
        step_claims(&mut report, &trials);
        figures(&mut report, &stabilised[2], &drifting[2], &floor, &long);
        progress.progress(total, total, "done");
        Ok(report)
    }
}

/// Rods one after the other, level.
fn chain(links: usize, floor: bool) -> Result<World<2>, Failure> {
    let material = ContactMaterial {
        friction: 0.3,
        ..ContactMaterial::default()
    };
    let settings = WorldSettings {
        material,
        ..WorldSettings::default()
    };
    let mut world = World::with_settings(settings)?;
    let mut last = world.add(Body::anchor("room"))?;
    if floor {
        world.add(Body::fixed("floor", HalfSpace::new(Vector2::y(), FLOOR)?))?;
    }
    let at = |x: f64| Pose::from_position(Vector2::new(x, 0.0));
    for k in 0..links {
        let mut rod = Body::moving(format!("rod {k}"), 1.0, Inertia::Scalar(1.0 / 12.0));
        if floor {
            rod.shape = Some(Capsule::new(0.5, RADIUS)?.into());
        }
        rod.position[0] = k as f64 + 0.5;
        let rod = world.add(rod)?;
        if k > 0 {
            world.exclude(last, rod)?;
        }
        world.join(Joint {
            frame_a: at(if k == 0 { 0.0 } else { 0.5 }),
            frame_b: at(-0.5),
            ..Joint::new(format!("pin {k}"), JointKind::Revolute, last, rod)
        })?;
        last = rod;
    }
    Ok(world)
}

fn figures(report: &mut Report, held: &Swing, drifting: &Swing, floor: &Swing, long: &Swing) {
    let mut plot = panel(
        "largest |Θ| (m)",
        vec![
            ("γ = 1".to_owned(), held.curve()),
            ("γ = 0".to_owned(), drifting.curve()),
        ],
    );
    plot.y_scale = AxisScale::Logarithmic;
    report.plate(
        "error",
        "Error of the joints of the double pendulum at h = 1 ms, with and without stabilisation.",
        Figure::new("Joint error", 900, 480).with(plot),
    );
    let mut frames = FramesPlot::new("", "x (m)", "y (m)");
    wall(&mut frames, &[[-2.2, FLOOR], [2.2, FLOOR]]);
    draw(&mut frames, &floor.trial, &[0.0, 0.3, 0.55, 0.8, 1.2]);
    let mut chain = FramesPlot::new("", "x (m)", "y (m)");
    draw(&mut chain, &long.trial, &[0.0, 0.25, 0.5, 0.75, 1.0]);
    report.plate(
        "frames",
        "A double pendulum over a floor (0, 0.3, 0.55, 0.8 and 1.2 s), and a chain of ten rods (every 0.25 s).",
        Figure::new("Pendulums", 900, 900).with(frames).with(chain),
    );
}

fn draw(frames: &mut FramesPlot, trial: &Trial, times: &[f64]) {
    for (k, &t) in times.iter().enumerate() {
        for q in trial.q[trial.nearest(t)].chunks_exact(3) {
            let rod = Shape::Stadium {
                centre: [q[0], q[1]],
                angle: q[2],
                half_length: 0.5,
                radius: RADIUS,
            };
            frames.add(rod, Paint::body(Color::nth(k)));
        }
    }
}
