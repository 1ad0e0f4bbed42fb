//! A2003, Fig. 1: a ball and a wall, with the correction that remembers the approach velocity and without it.
//!
//! A ball at 0 flies with 1 m/s to a wall at 1 m. Without the correction it returns with the speed e + e/h − e ⌈1/h⌉, that is with
//! anything between 0 and e; with it, with e for every h. A ball dropped from 1 m, e = 0.8, checks the order under gravity.
//!
//! # References
//! - \[A2003\] M. Anitescu, A fixed time-step approach for multibody dynamics with contact and friction, IROS 2003, section 4, Fig. 1.

use nalgebra::Vector2;
use signorini::dynamics::{Body, World};
use signorini::geometry::{Ball, HalfSpace};
use signorini::steppers::{ContactForm, Impact, ImpactLaw, Stepper};
use signorini_plot::{AxisScale, Figure, LinePlot, Series, Style, Trace};

use super::a2003_common::{Failure, order, scheme, source, world};
use crate::experiment::{Effort, Experiment, Progress, Source};
use crate::report::Report;

/// Radius of the ball, m: it flies to a wall at 1 m from where its surface is.
const RADIUS: f64 = 0.01;
const DROP: f64 = 1.0;
const G: f64 = 9.81;

/// Ball and wall.
#[derive(Debug, Clone, Copy)]
pub struct A2003BallWall;

impl Experiment for A2003BallWall {
    fn id(&self) -> &'static str {
        "a2003-ball-wall"
    }

    fn source(&self) -> Source {
        source("section 4, Fig. 1")
    }

    fn title(&self) -> &'static str {
        "A ball and a wall at every step size"
    }

    fn run(&self, effort: Effort, progress: &dyn Progress) -> Result<Report, Failure> {
        let count = if effort == Effort::Quick { 60 } else { 400 };
        let steps: Vec<f64> = (0..count)
            .map(|k| 0.02 + 0.23 * f64::from(k) / f64::from(count - 1))
            .collect();
        let mut report = Report::default();
        let (mut corrected_off, mut uncorrected_off, mut residual) = (0.0_f64, 0.0_f64, 0.0_f64);
        let mut curves = Vec::new();
        for (number, e) in [1.0, 0.8, 0.5].into_iter().enumerate() {
            progress.progress(number, 4, &format!("e = {e}"));
            let (mut corrected, mut uncorrected) = (Vec::new(), Vec::new());
            for &h in &steps {
                for form in [
                    ContactForm::Pyramid,
                    ContactForm::Cone,
                    ContactForm::Relaxed,
                ] {
                    let (v, worst) = after_the_wall(ImpactLaw::Newton, form, e, h)?;
                    corrected_off = corrected_off.max((v + e).abs());
                    residual = residual.max(worst);
                    if form == ContactForm::Pyramid {
                        corrected.push([h, v]);
                    }
                }
                let (v, worst) =
                    after_the_wall(ImpactLaw::Uncorrected, ContactForm::Pyramid, e, h)?;
                residual = residual.max(worst);
                uncorrected.push([h, v]);
                let steps = 1.0 / h;
                // Where 1/h is an integer up to rounding, the ball arrives at the end of a step and there is nothing to compress.
                if (steps - steps.round()).abs() > 1e-9 {
                    let expected = -e - e / h + e * steps.ceil();
                    uncorrected_off = uncorrected_off.max((v - expected).abs());
                }
            }
            curves.push((e, corrected, uncorrected));
        }
        let mut whole = 0.0_f64;
        for n in 4..=50 {
            let h = 1.0 / f64::from(n);
            let (v, worst) = after_the_wall(ImpactLaw::Newton, ContactForm::Pyramid, 1.0, h)?;
            whole = whole.max((v + 1.0).abs());
            residual = residual.max(worst);
        }
        report.measure("corrected: largest |v + e|", corrected_off);
        report.measure("corrected, 1/h an integer: largest |v + e|", whole);
        report.measure(
            "uncorrected: largest distance from −e − e/h + e ⌈1/h⌉",
            uncorrected_off,
        );
        progress.progress(3, 4, "dropped ball");
        let dropped = dropped(effort)?;
        report.measure("dropped ball, corrected: order of the rebound speed", {
            order(&dropped.corrected)
        });
        let ends = |points: &[[f64; 2]]| points[points.len() - 1][1] / points[0][1];
        report
            .measure(
                "dropped ball, uncorrected: the error does not shrink",
                ends(&dropped.uncorrected) > 0.3,
            )
            .note(format!(
                "largest error at the smallest steps over that at the largest: {:.2}",
                ends(&dropped.uncorrected)
            ));
        report.measure("largest residual of a step", residual.max(dropped.residual));
        figures(&mut report, &curves, &dropped);
        progress.progress(4, 4, "done");
        Ok(report)
    }
}

/// Velocity after the wall, and the largest residual of a step.
fn after_the_wall(
    law: ImpactLaw,
    form: ContactForm,
    e: f64,
    h: f64,
) -> Result<(f64, f64), Failure> {
    let mut world = world(0.0, e, Vector2::zeros())?;
    world.add(Body::fixed(
        "wall",
        HalfSpace::new(Vector2::new(-1.0, 0.0), -1.0)?,
    ))?;
    let mut ball = Body::solid("ball", Ball::new(RADIUS)?, 1.0)?;
    ball.position[0] = -RADIUS;
    ball.velocity[0] = 1.0;
    world.add(ball)?;
    let (mut stepper, mut state) = (scheme(law, form), world.initial_state());
    let mut residual = 0.0_f64;
    while state.t < 1.0 + 2.5 * h {
        residual = residual.max(stepper.step(&world, &mut state, h, &mut ())?.residual);
    }
    Ok((state.v[0], residual))
}

/// Largest error of the rebound speed over twenty step sizes next to each of some.
struct Dropped {
    corrected: Vec<[f64; 2]>,
    uncorrected: Vec<[f64; 2]>,
    residual: f64,
}

fn dropped(effort: Effort) -> Result<Dropped, Failure> {
    let e = 0.8;
    let levels = if effort == Effort::Quick { 4 } else { 6 };
    let mut dropped = Dropped {
        corrected: Vec::new(),
        uncorrected: Vec::new(),
        residual: 0.0,
    };
    let exact = e * (2.0 * G * DROP).sqrt();
    for level in 0..levels {
        let h = 0.02 * 0.5_f64.powi(level);
        let mut worst = [0.0_f64; 2];
        for k in 0..20 {
            let h = h * (1.0 + 0.01 * f64::from(k));
            for (worst, law) in worst
                .iter_mut()
                .zip([ImpactLaw::Newton, ImpactLaw::Uncorrected])
            {
                let world = falling(e)?;
                let (mut stepper, mut state) =
                    (scheme(law, ContactForm::Pyramid), world.initial_state());
                let speed = loop {
                    let report = stepper.step(&world, &mut state, h, &mut ())?;
                    dropped.residual = dropped.residual.max(report.residual);
                    if report.contacts.iter().any(|c| c.impact == Impact::Rebound) {
                        break state.v[1];
                    }
                };
                *worst = worst.max((speed - exact).abs());
            }
        }
        dropped.corrected.push([h, worst[0]]);
        dropped.uncorrected.push([h, worst[1]]);
    }
    Ok(dropped)
}

fn falling(e: f64) -> Result<World<2>, Failure> {
    let mut world = world(0.0, e, Vector2::new(0.0, -G))?;
    world.add(Body::fixed("floor", HalfSpace::up()))?;
    let mut ball = Body::solid("ball", Ball::new(RADIUS)?, 1.0)?;
    ball.position[1] = DROP + RADIUS;
    world.add(ball)?;
    Ok(world)
}

type Curve = (f64, Vec<[f64; 2]>, Vec<[f64; 2]>);

fn figures(report: &mut Report, curves: &[Curve], dropped: &Dropped) {
    let mut figure = Figure::new("Ball and wall", 900, 480);
    let mut series = Vec::new();
    for (k, (e, corrected, uncorrected)) in curves.iter().enumerate() {
        if k == 1 {
            continue;
        }
        let label = |what: &str| format!("e = {e}, {what}");
        series.push(Series::new(
            label("uncorrected"),
            uncorrected.clone(),
            Style::nth(2 * k),
        ));
        series.push(Series::new(
            label("corrected"),
            corrected.clone(),
            Style::nth(2 * k + 1),
        ));
    }
    figure = figure.with(LinePlot {
        x_label: "h (s)".to_owned(),
        y_label: "velocity after the collision (m/s)".to_owned(),
        series,
        ..LinePlot::default()
    });
    report.plate(
        "fig1",
        "Fig. 1: velocity after the collision against the step. Without the correction it depends on where in a step the ball arrives.",
        figure,
    );
    let trace = |label: &str, points: &[[f64; 2]], k: usize| {
        Series::new(
            label,
            points.to_vec(),
            Style {
                trace: Trace::LineAndDots,
                ..Style::nth(k)
            },
        )
    };
    report.plate(
        "dropped",
        "A ball dropped from 1 m, e = 0.8: largest error of the rebound speed over steps from h to 1.2 h.",
        Figure::new("Dropped ball", 900, 480).with(LinePlot {
            x_label: "h (s)".to_owned(),
            y_label: "error (m/s)".to_owned(),
            x_scale: AxisScale::Logarithmic,
            y_scale: AxisScale::Logarithmic,
            series: vec![
                trace("corrected", &dropped.corrected, 0),
                trace("uncorrected", &dropped.uncorrected, 1),
            ],
            ..LinePlot::default()
        }),
    );
}
