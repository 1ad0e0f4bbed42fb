//! A2003: how a step puts penetration right.
//!
//! A disc at rest, d deep in the floor: the gap after n steps is −(1 − γ)ⁿ d while γ² d ≤ g h². Beyond that, gravity does not hold back
//! the speed γ d/h that the first step gives, and the disc is thrown out with it.
//!
//! # References
//! - \[A2003\] M. Anitescu, A fixed time-step approach for multibody dynamics with contact and friction, IROS 2003, section 3.

use nalgebra::Vector2;
use signorini::dynamics::{Body, World};
use signorini::geometry::{Ball, HalfSpace};
use signorini::steppers::{ContactForm, HartAnitescu, HartAnitescuSettings, ImpactLaw, Stepper};
use signorini_plot::Figure;

use super::a2003_common::{Failure, source, world};
use super::ha2003_common::panel;
use crate::experiment::{Effort, Experiment, Progress, Source};
use crate::report::Report;

const G: f64 = 9.81;
const H: f64 = 0.05;
const RADIUS: f64 = 0.5;

/// Penetration and γ.
#[derive(Debug, Clone, Copy)]
pub struct A2003Gamma;

impl Experiment for A2003Gamma {
    fn id(&self) -> &'static str {
        "a2003-gamma"
    }

    fn source(&self) -> Source {
        source("section 3")
    }

    fn title(&self) -> &'static str {
        "How fast penetration is put right"
    }

    fn run(&self, _effort: Effort, progress: &dyn Progress) -> Result<Report, Failure> {
        let mut report = Report::default();
        let gammas = [1.0, 0.5, 0.25, 0.1];
        let (mut off, mut thrown, mut residual) = (0.0_f64, 0.0_f64, 0.0_f64);
        let mut curves = Vec::new();
        for (number, gamma) in gammas.into_iter().enumerate() {
            progress.progress(number, gammas.len(), &format!("γ = {gamma}"));
            let limit = G * H * H / (gamma * gamma);
            for (shown, part) in [(false, 0.25), (true, 0.5), (false, 0.999)] {
                // A disc that is half below the floor has its nearest point on the other side of the centre.
                let depth = (part * limit).min(0.8 * RADIUS);
                let run = sink(gamma, depth, 12)?;
                for (n, gap) in (0..).zip(&run.gaps) {
                    off = off.max((gap + (1.0 - gamma).powi(n) * depth).abs());
                }
                residual = residual.max(run.residual);
                if shown {
                    let gaps = (0..).zip(&run.gaps);
                    let points = gaps.map(|(n, gap)| [f64::from(n) * H, gap / depth]);
                    curves.push((format!("γ = {gamma}"), points.collect()));
                }
            }
        }
        report.measure("gap off −(1 − γ)ⁿ d while γ² d ≤ g h²", off);
        let mut rises = true;
        for gamma in [1.0, 0.5] {
            let depth = 4.0 * G * H * H / (gamma * gamma);
            let run = sink(gamma, depth, 2)?;
            thrown = thrown.max((run.speeds[0] - gamma * depth / H).abs());
            rises &= (run.speeds[1] - (gamma * depth / H - G * H)).abs() < 1e-12;
            residual = residual.max(run.residual);
        }
        report.measure("beyond: speed of the first step off γ d/h", thrown);
        report.measure("beyond: it flies freely from then on", rises);
        report.measure("largest residual of a step", residual);
        report.plate(
            "gap",
            "Gap over the first penetration of a disc at rest, at half of the largest penetration that comes out without a throw.",
            Figure::new("Penetration is put right", 900, 420).with(panel("Φ/d", curves)),
        );
        progress.progress(gammas.len(), gammas.len(), "done");
        Ok(report)
    }
}

struct Sinking {
    gaps: Vec<f64>,
    speeds: Vec<f64>,
    residual: f64,
}

fn sink(gamma: f64, depth: f64, steps: usize) -> Result<Sinking, Failure> {
    let mut world: World<2> = world(0.0, 0.0, Vector2::new(0.0, -G))?;
    world.add(Body::fixed("floor", HalfSpace::up()))?;
    let mut disc = Body::solid("disc", Ball::new(RADIUS)?, 1.0)?;
    disc.position[1] = RADIUS - depth;
    world.add(disc)?;
    let mut stepper = HartAnitescu::new(HartAnitescuSettings {
        gamma,
        impact: ImpactLaw::Newton,
        form: ContactForm::Pyramid,
        ..HartAnitescuSettings::default()
    });
    let mut state = world.initial_state();
    let mut sinking = Sinking {
        gaps: vec![-depth],
        speeds: Vec::new(),
        residual: 0.0,
    };
    for _ in 0..steps {
        let report = stepper.step(&world, &mut state, H, &mut ())?;
        sinking.residual = sinking.residual.max(report.residual);
        sinking.gaps.push(state.q[1] - RADIUS);
        sinking.speeds.push(state.v[1]);
    }
    Ok(sinking)
}
