//! A2003, Figs. 2–4: 66 discs fall apart between two slopes and bounce.
//!
//! Discs of radius 3 m and 10 kg/m² in rows of 11 to 1, μ = 0.15, e = 0.4, h = 0.05 s, 20 s. The floor is 130 m wide; the slopes of 45° are
//! not in print, nor is the rule for ε. The run is chaotic: rules are tested, digits are for information.
//!
//! # References
//! - \[A2003\] M. Anitescu, A fixed time-step approach for multibody dynamics with contact and friction, IROS 2003, section 4, Figs. 2–4.

use std::time::Instant;

use nalgebra::Vector2;
use signorini::dynamics::{Body, ContactQuery, Contacts, System, World};
use signorini::geometry::{Ball, HalfSpace};
use signorini::steppers::{
    ActiveSet, ContactForm, HartAnitescu, HartAnitescuSettings, Mode, Stepper,
};
use signorini_plot::{Color, Figure, FramesPlot, LinePlot, Series, Style, Trace};

use super::a2003_common::{Failure, source, world};
use super::ha2003_common::{discs, panel, wall};
use crate::animation::Animation;
use crate::experiment::{Effort, Experiment, Progress, Source};
use crate::report::Report;

const RADIUS: f64 = 3.0;
const H: f64 = 0.05;
const UNTIL: f64 = 20.0;
const COUNT: usize = 66;
/// Half of the floor's width, m.
const HALF: f64 = 65.0;

/// The 66 discs.
#[derive(Debug, Clone, Copy)]
pub struct A2003Disks66;

impl Experiment for A2003Disks66 {
    fn id(&self) -> &'static str {
        "a2003-disks66"
    }

    fn source(&self) -> Source {
        source("section 4, Figs. 2–4")
    }

    fn title(&self) -> &'static str {
        "66 discs bounce between two slopes"
    }

    fn run(&self, _effort: Effort, progress: &dyn Progress) -> Result<Report, Failure> {
        let world = pile()?;
        let trial = |active, rest_speed, form| {
            Fall::run(
                &world,
                &mut HartAnitescu::new(HartAnitescuSettings {
                    active,
                    rest_speed,
                    form,
                    ..HartAnitescuSettings::default()
                }),
            )
        };
        progress.progress(0, 4, "ε = h v_max");
        let wide = trial(ActiveSet::Speed(1.0), 0.0, ContactForm::Pyramid)?;
        progress.progress(1, 4, "with TOL = g h");
        let rested = trial(ActiveSet::Speed(1.0), 1.0, ContactForm::Pyramid)?;
        progress.progress(2, 4, "ε = 0.75 h v_max");
        let narrow = trial(ActiveSet::Speed(0.375), 0.0, ContactForm::Pyramid)?;
        progress.progress(3, 4, "convex form");
        let relaxed = trial(ActiveSet::Speed(1.0), 1.0, ContactForm::Relaxed)?;

        let mut report = Report::default();
        report.measure("ε = h v_max: largest infeasibility", wide.deepest());
        report.measure("ε = 0.75 h v_max: largest infeasibility", narrow.deepest());
        report.measure("energy at the start", wide.energy[0]);
        report.measure("energy at the end", wide.energy[wide.energy.len() - 1]);
        report.measure(
            "TOL = 0: largest rise of the energy in a step over that at the start",
            wide.rise() / wide.energy[0],
        );
        report.measure(
            "TOL = g h: largest rise of the energy in a step over that at the start",
            rested.rise() / rested.energy[0],
        );
        let most = |counts: &[usize]| counts.iter().copied().max().unwrap_or(0);
        report.measure("most contacts in A", most(&wide.contacts));
        report.measure("most contacts with impulse", most(&wide.pressed));
        report.measure("largest LCP", wide.largest);
        let jump = wide.contacts.windows(2).map(|w| w[1].saturating_sub(w[0]));
        report.measure("largest increase of A in a step", jump.max().unwrap_or(0));
        let all = [&wide, &rested, &narrow, &relaxed];
        let residual = all.iter().map(|fall| fall.residual).fold(0.0, f64::max);
        report.measure("largest residual of a step", residual);
        report.measure("convex form: largest infeasibility", relaxed.deepest());
        report.measure(
            "convex form: the energy falls",
            relaxed.rise() <= 1e-3 * relaxed.energy[0],
        );
        let mean = |fall: &Fall| 1e3 * fall.seconds.iter().sum::<f64>() / fall.seconds.len() as f64;
        report
            .measure("a step takes less than the half second of the paper", {
                wide.seconds.iter().all(|s| *s < 0.5)
            })
            .note(format!(
                "mean {:.2} ms, with TOL = g h {:.2} ms and in convex form {:.2} ms; of this machine at this hour",
                mean(&wide),
                mean(&rested),
                mean(&relaxed)
            ));
        figures(&mut report, &wide, &rested);
        progress.progress(4, 4, "done");
        Ok(report)
    }
}

/// A run.
#[derive(Default)]
struct Fall {
    t: Vec<f64>,
    q: Vec<Vec<f64>>,
    energy: Vec<f64>,
    /// Whether the state was left by a step that absorbed a collision.
    compressed: Vec<bool>,
    infeasibility: Vec<f64>,
    contacts: Vec<usize>,
    pressed: Vec<usize>,
    seconds: Vec<f64>,
    largest: usize,
    residual: f64,
}

impl Fall {
    fn run(world: &World<2>, stepper: &mut HartAnitescu) -> Result<Self, Failure> {
        let mut state = world.initial_state();
        let mut fall = Self {
            t: vec![0.0],
            q: vec![state.q.clone()],
            energy: vec![world.energy(&state.q, &state.v).total()],
            compressed: vec![false],
            ..Self::default()
        };
        let mut all = Contacts::default();
        while state.t < UNTIL - 0.5 * H {
            let start = Instant::now();
            let report = stepper.step(world, &mut state, H, &mut ())?;
            fall.seconds.push(start.elapsed().as_secs_f64());
            let overlaps = ContactQuery {
                margin: 0.0,
                include: &[],
            };
            world.contacts(state.t, &state.q, &overlaps, &mut all)?;
            let deepest = all.gap.iter().fold(0.0_f64, |worst, gap| worst.max(-gap));
            fall.t.push(state.t);
            fall.q.push(state.q.clone());
            fall.energy.push(report.energy_after.total());
            fall.compressed.push(report.is_compression());
            fall.infeasibility.push(deepest);
            fall.contacts.push(report.contacts.len());
            let pressed = report.contacts.iter().filter(|c| c.mode != Mode::Open);
            fall.pressed.push(pressed.count());
            fall.largest = fall.largest.max(report.lcp_size);
            fall.residual = fall.residual.max(report.residual);
        }
        Ok(fall)
    }

    fn deepest(&self) -> f64 {
        self.infeasibility.iter().copied().fold(0.0, f64::max)
    }

    /// Between states that no compression has left: what it takes is in part given back in the step after it.
    fn rise(&self) -> f64 {
        let states = self.energy.iter().zip(&self.compressed);
        let energies: Vec<f64> = states.filter(|(_, c)| !**c).map(|(e, _)| *e).collect();
        let steps = energies.windows(2).map(|pair| pair[1] - pair[0]);
        steps.fold(0.0, f64::max)
    }

    fn nearest(&self, t: f64) -> usize {
        let distance = |k: &usize| (self.t[*k] - t).abs();
        (0..self.t.len())
            .min_by(|a, b| distance(a).total_cmp(&distance(b)))
            .unwrap_or(0)
    }
}

/// Lines of the floor and the slopes.
const GROUND: [[f64; 2]; 4] = [
    [-HALF - 40.0, 40.0],
    [-HALF, 0.0],
    [HALF, 0.0],
    [HALF + 40.0, 40.0],
];

fn pile() -> Result<World<2>, Failure> {
    let mut world = world(0.15, 0.4, Vector2::new(0.0, -9.81))?;
    world.add(Body::fixed("floor", HalfSpace::up()))?;
    for (name, side) in [("left slope", -1.0), ("right slope", 1.0)] {
        let normal = Vector2::new(-side, 1.0).normalize();
        let slope = HalfSpace::new(normal, normal.dot(&Vector2::new(side * HALF, 0.0)))?;
        world.add(Body::fixed(name, slope))?;
    }
    let mut number = 0_usize;
    for row in 0..11_usize {
        for k in 0..11 - row {
            let mut disc = Body::with_density(format!("disc {number}"), Ball::new(RADIUS)?, 10.0)?;
            let push = |phase: f64| 1e-3 * (12.9898 * number as f64 + phase).sin();
            disc.position[0] = 6.0 * (k as f64 - 5.0 + 0.5 * row as f64) + push(0.0);
            disc.position[1] = RADIUS + row as f64 * 27.0_f64.sqrt() + push(1.0).abs();
            world.add(disc)?;
            number += 1;
        }
    }
    Ok(world)
}

fn figures(report: &mut Report, wide: &Fall, rested: &Fall) {
    let times = wide.contacts.iter().zip(&wide.seconds);
    let points = times.map(|(n, s)| [*n as f64, 1e3 * s]).collect();
    let dots = Style {
        trace: Trace::Dots,
        ..Style::nth(0)
    };
    report.plate(
        "fig2",
        "Fig. 2: time of a step against the contacts in A (this machine).",
        Figure::new("Time of a step", 900, 480).with(LinePlot {
            x_label: "contacts in A".to_owned(),
            y_label: "time (ms)".to_owned(),
            series: vec![Series::new("steps", points, dots)],
            ..LinePlot::default()
        }),
    );
    let mut figure = Figure::new("66 discs", 1100, 700).columns(2);
    for t in [0.0, 3.0, 8.0, UNTIL] {
        let mut frame = FramesPlot::new(format!("t = {t} s"), "x (m)", "y (m)");
        wall(&mut frame, &GROUND);
        let q = &wide.q[wide.nearest(t)];
        discs(&mut frame, q, &[RADIUS; COUNT], Color::nth);
        figure = figure.with(frame);
    }
    report.plate(
        "fig3",
        "Fig. 3: four moments of the fall; a mark shows how a disc is turned.",
        figure,
    );
    let over = |fall: &Fall| {
        let pairs = fall.t.iter().zip(&fall.energy);
        pairs.map(|(t, e)| [*t, *e]).collect::<Vec<_>>()
    };
    let depth = wide.t[1..].iter().zip(&wide.infeasibility);
    let depth = depth.map(|(t, x)| [*t, *x]).collect();
    report.plate(
        "fig4",
        "Fig. 4: total energy and infeasibility over time.",
        Figure::new("Energy and infeasibility", 900, 760)
            .with(panel(
                "energy (J)",
                vec![
                    ("TOL = 0".to_owned(), over(wide)),
                    ("TOL = g h".to_owned(), over(rested)),
                ],
            ))
            .with(panel(
                "infeasibility (m)",
                vec![("TOL = 0".to_owned(), depth)],
            )),
    );
    let mut animation = Animation::new("66 discs", [-HALF - 45.0, HALF + 45.0], [-5.0, 70.0]);
    animation.line(&GROUND);
    for k in 0..COUNT {
        animation.disc(RADIUS, Color::nth(k));
    }
    for (t, q) in wide.t.iter().zip(&wide.q) {
        animation.frame(*t, q);
    }
    report.animate("fall", "The fall of the 66 discs.", animation);
}
