//! A2003, section II: hard contact is the stiff limit of penalty models.
//!
//! Forces γ (Φ₋)^(3/2), implicit and linearly implicit, against the complementarity scheme: a ball that is dropped on a floor, and six
//! discs between two walls. Where a contact carries the impulse p in a step it is p/(h γ) to the power 2/3 deep, and the runs differ by
//! as much.
//!
//! # References
//! - \[A2003\] M. Anitescu, A fixed time-step approach for multibody dynamics with contact and friction, IROS 2003, section II.

use nalgebra::Vector2;
use signorini::dynamics::{Body, World};
use signorini::geometry::{Ball, HalfSpace};
use signorini::steppers::{ContactForm, ImpactLaw, Penalty, PenaltyRule, PenaltySettings, Stepper};
use signorini_plot::{AxisScale, Figure, LinePlot, Series, Style, Trace};

use super::a2003_common::{Failure, order, scheme, source, world};
use crate::experiment::{Effort, Experiment, Progress, Source};
use crate::report::Report;

const H: f64 = 0.01;
const UNTIL: f64 = 3.0;
const G: f64 = 9.81;

/// Penalty against complementarity.
#[derive(Debug, Clone, Copy)]
pub struct A2003StiffLimit;

impl Experiment for A2003StiffLimit {
    fn id(&self) -> &'static str {
        "a2003-stiff-limit"
    }

    fn source(&self) -> Source {
        source("section II")
    }

    fn title(&self) -> &'static str {
        "Penalty forces and their stiff limit"
    }

    fn run(&self, _effort: Effort, progress: &dyn Progress) -> Result<Report, Failure> {
        let mut report = Report::default();
        let stiffnesses: Vec<f64> = (0..5).map(|k| 1e6 * 10.0_f64.powi(k)).collect();
        let mut series = Vec::new();
        let mut residual = 0.0_f64;
        for (number, (name, world)) in [("ball", ball()?), ("six discs", six()?)]
            .into_iter()
            .enumerate()
        {
            progress.progress(number, 2, name);
            let mut hard = scheme(ImpactLaw::Newton, ContactForm::Pyramid);
            let (exact, worst) = path(&world, &mut hard)?;
            residual = residual.max(worst);
            for (rule, word) in [
                (PenaltyRule::Implicit, "implicit"),
                (PenaltyRule::LinearlyImplicit, "linearly implicit"),
            ] {
                let mut points = Vec::new();
                for &stiffness in &stiffnesses {
                    let mut soft = Penalty::new(PenaltySettings {
                        stiffness,
                        rule,
                        ..PenaltySettings::default()
                    });
                    let (found, worst) = path(&world, &mut soft)?;
                    residual = residual.max(worst);
                    // The linearly implicit rule meets a contact only when it is closed, and is late by a step: the end counts.
                    let from = match rule {
                        PenaltyRule::Implicit => 0,
                        PenaltyRule::LinearlyImplicit => exact.len() - 1,
                    };
                    let ends = exact[from..].iter().zip(&found[from..]);
                    let off = ends.flat_map(|(a, b)| a.iter().zip(b).map(|(a, b)| (a - b).abs()));
                    points.push([stiffness, off.fold(0.0, f64::max)]);
                }
                let list: Vec<String> = points.iter().map(|p| format!("{:.2e}", p[1])).collect();
                report
                    .measure(&format!("{name}, {word}: exponent of γ"), order(&points))
                    .note(format!("distances from γ = 1e6 on: {}", list.join(", ")));
                let style = Style {
                    trace: Trace::LineAndDots,
                    ..Style::nth(series.len())
                };
                series.push(Series::new(format!("{name}, {word}"), points, style));
            }
        }
        report.measure("largest residual of a step", residual);
        report.plate(
            "limit",
            "Largest distance of the penalty runs from the complementarity run (implicit: at any time; linearly implicit: at the end).",
            Figure::new("Stiff limit", 900, 520).with(LinePlot {
                x_label: "γ (N/m^1.5)".to_owned(),
                y_label: "distance (m)".to_owned(),
                x_scale: AxisScale::Logarithmic,
                y_scale: AxisScale::Logarithmic,
                series,
                ..LinePlot::default()
            }),
        );
        progress.progress(2, 2, "done");
        Ok(report)
    }
}

/// Positions after each step, and the largest residual.
fn path(world: &World<2>, stepper: &mut dyn Stepper) -> Result<(Vec<Vec<f64>>, f64), Failure> {
    let mut state = world.initial_state();
    let (mut path, mut residual) = (Vec::new(), 0.0_f64);
    while state.t < UNTIL - 0.5 * H {
        residual = residual.max(stepper.step(world, &mut state, H, &mut ())?.residual);
        path.push(state.q.clone());
    }
    Ok((path, residual))
}

fn ball() -> Result<World<2>, Failure> {
    let mut world = world(0.0, 0.0, Vector2::new(0.0, -G))?;
    world.add(Body::fixed("floor", HalfSpace::up()))?;
    let mut ball = Body::solid("ball", Ball::new(0.5)?, 1.0)?;
    ball.position[1] = 1.5;
    world.add(ball)?;
    Ok(world)
}

/// Rows of 3, 2 and 1 discs between walls that just leave them room.
fn six() -> Result<World<2>, Failure> {
    let mut world = world(0.0, 0.0, Vector2::new(0.0, -G))?;
    world.add(Body::fixed("floor", HalfSpace::up()))?;
    world.add(Body::fixed("left", HalfSpace::new(Vector2::x(), -1.55)?))?;
    world.add(Body::fixed("right", HalfSpace::new(-Vector2::x(), -1.55)?))?;
    for row in 0..3_u8 {
        for k in 0..3 - row {
            let mut disc = Body::solid(format!("disc {row} {k}"), Ball::new(0.5)?, 1.0)?;
            let (row, k) = (f64::from(row), f64::from(k));
            disc.position[0] = 1.03 * (k - 1.0 + 0.5 * row);
            disc.position[1] = 0.55 + 0.95 * row;
            world.add(disc)?;
        }
    }
    Ok(world)
}
