//! HA2003 section 3: a cannonball pile of 21 discs collapses on a table between two slopes.
//!
//! Discs of radius 3 m and 10 kg/m² in rows of 6 to 1 that touch, μ = 0.2, h = 0.05 s, ε = 0.3 m, 20 s. The paper does not give the
//! width of the table and the slopes: 150 m and 45° are chosen. A perfectly symmetric pile has many solutions, so states are not
//! compared; the centres are perturbed by 1e-3 m.
//!
//! # References
//! - \[HA2003\] G. D. Hart, M. Anitescu, A hard-constraint time-stepping approach for rigid multibody dynamics with joints,
//!   contact, and friction, 2003, section 3, Figs. 3–6, 8.

use nalgebra::Vector2;
use signorini::dynamics::{Body, ContactMaterial, World, WorldSettings};
use signorini::geometry::{Ball, HalfSpace};
use signorini::steppers::{ActiveSet, ContactForm, Run};
use signorini_plot::{Color, Figure, FramesPlot};

use super::ha2003_common::{Failure, Trial, discs, panel, scheme, source, step_claims, wall};
use crate::experiment::{Effort, Experiment, Progress, Source};
use crate::report::Report;

const RADIUS: f64 = 3.0;
const H: f64 = 0.05;
const UNTIL: f64 = 20.0;
/// Half of the table's width, m.
const HALF: f64 = 75.0;

/// The pile.
#[derive(Debug, Clone, Copy)]
pub struct Ha2003Disks21;

impl Experiment for Ha2003Disks21 {
    fn id(&self) -> &'static str {
        "ha2003-disks21"
    }

    fn source(&self) -> Source {
        source("section 3, Figs. 3–6, 8")
    }

    fn title(&self) -> &'static str {
        "A pile of 21 discs collapses"
    }

    fn run(&self, _effort: Effort, progress: &dyn Progress) -> Result<Report, Failure> {
        let world = world()?;
        let run = Run { h: H, until: UNTIL };
        let trial = |gamma: f64, epsilon: f64, form: ContactForm| {
            let mut stepper = scheme(gamma, ActiveSet::Within(epsilon), form);
            Trial::run(&world, &mut stepper, run, |_, _| {})
        };
        progress.progress(0, 5, "stabilised");
        let held = trial(1.0, 0.3, ContactForm::Pyramid)?;
        progress.progress(1, 5, "unstabilised");
        let drifting = trial(0.0, 0.3, ContactForm::Pyramid)?;
        progress.progress(2, 5, "ε = 0.6 m");
        let wide = trial(1.0, 0.6, ContactForm::Pyramid)?;
        progress.progress(3, 5, "optimisation form");
        let relaxed = trial(1.0, 0.6, ContactForm::Relaxed)?;
        progress.progress(4, 5, "automatic");
        let mut stepper = scheme(1.0, ActiveSet::Automatic, ContactForm::Cone);
        let automatic = Trial::run(&world, &mut stepper, run, |_, _| {})?;

        let mut report = Report::default();
        report.measure("stabilised, ε = 0.3: largest infeasibility", held.worst());
        report.measure(
            "unstabilised, ε = 0.3: largest infeasibility",
            drifting.worst(),
        );
        let lasting = |trial: &Trial| {
            let pairs = trial.infeasibility.windows(2);
            let repeated = pairs.filter(|pair| pair[0] > 0.01 && pair[1] > 0.9 * pair[0]);
            repeated.count()
        };
        report.measure(
            "stabilised: spikes that the next step does not correct",
            lasting(&held),
        );
        report.measure(
            "unstabilised: steps whose infeasibility persists",
            lasting(&drifting) > 20,
        );
        report.measure("ε = 0.6: largest infeasibility", wide.worst());
        report.measure(
            "optimisation form, ε = 0.6: largest infeasibility",
            relaxed.worst(),
        );
        report.measure(
            "automatic active set: largest infeasibility",
            automatic.worst(),
        );
        let settled = |trial: &Trial| {
            let last = &trial.q[trial.q.len() - 1];
            let on = |q: &&[f64]| q[1] < RADIUS + 0.1 && q[0].abs() < HALF;
            last.chunks_exact(3).filter(on).count()
        };
        report.measure("discs on the table at the end", settled(&held));
        step_claims(
            &mut report,
            &[&held, &drifting, &wide, &relaxed, &automatic],
        );
        figures(&mut report, &held, &drifting);
        progress.progress(5, 5, "done");
        Ok(report)
    }
}

fn world() -> Result<World<2>, Failure> {
    let material = ContactMaterial {
        friction: 0.2,
        ..ContactMaterial::default()
    };
    let settings = WorldSettings {
        material,
        ..WorldSettings::default()
    };
    let mut world = World::with_settings(settings)?;
    world.add(Body::fixed("table", HalfSpace::up()))?;
    for (name, side) in [("left slope", -1.0), ("right slope", 1.0)] {
        let normal = Vector2::new(-side, 1.0).normalize();
        let slope = HalfSpace::new(normal, normal.dot(&Vector2::new(side * HALF, 0.0)))?;
        world.add(Body::fixed(name, slope))?;
    }
    let mut number = 0_usize;
    for row in 0..6_usize {
        for k in 0..6 - row {
            let mut disc = Body::with_density(format!("disc {number}"), Ball::new(RADIUS)?, 10.0)?;
            let push = |phase: f64| 1e-3 * (12.9898 * number as f64 + phase).sin();
            disc.position[0] = 6.0 * (k as f64 - 2.5 + 0.5 * row as f64) + push(0.0);
            disc.position[1] = RADIUS + row as f64 * 27.0_f64.sqrt() + push(1.0).abs();
            world.add(disc)?;
            number += 1;
        }
    }
    Ok(world)
}

fn figures(report: &mut Report, held: &Trial, drifting: &Trial) {
    for (name, t) in [("fig3", 0.0), ("fig4", 3.0), ("fig5", 6.0), ("fig6", 20.0)] {
        let mut frame = FramesPlot::new("", "x (m)", "y (m)");
        let top = [
            [-HALF - 25.0, 25.0],
            [-HALF, 0.0],
            [HALF, 0.0],
            [HALF + 25.0, 25.0],
        ];
        wall(&mut frame, &top);
        discs(
            &mut frame,
            &held.q[held.nearest(t)],
            &[RADIUS; 21],
            Color::nth,
        );
        report.plate(
            name,
            &format!(
                "Fig. {}: the pile after {t} s; a mark shows how a disc is turned.",
                &name[3..]
            ),
            Figure::new("Pile of 21 discs", 1000, 340).with(frame),
        );
    }
    let curves = vec![
        ("unstabilised".to_owned(), drifting.curve()),
        ("stabilised".to_owned(), held.curve()),
    ];
    report.plate(
        "fig8",
        "Fig. 8: infeasibility of the pile at ε = 0.3 m.",
        Figure::new("Infeasibility", 900, 480).with(panel("infeasibility (m)", curves)),
    );
}
