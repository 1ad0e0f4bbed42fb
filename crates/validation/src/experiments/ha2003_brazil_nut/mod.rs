//! HA2003 section 3: a large disc under 200 small ones in a shaken container rises to the surface.
//!
//! 201 bodies, optimisation form, μ = 0.5, h = 0.1 s, 75 s. The paper gives neither sizes nor container nor shake; chosen are
//! small discs with radii uniform in [0.7, 1] m, one of 4 m at the bottom, a container 28 m wide without a lid, moved by
//! 3 sin(2π (t − 3)/1.5) m from t = 3 s on, and ε = 1 m with rounds for what is missed. Nine seeds are run, three in quick runs, and one
//! with equal small discs, which crystallise.
//!
//! # References
//! - \[HA2003\] G. D. Hart, M. Anitescu, A hard-constraint time-stepping approach for rigid multibody dynamics with joints,
//!   contact, and friction, 2003, section 3, Figs. 7, 9.

use std::fmt::Write as _;

use signorini::steppers::{ActiveSet, ContactForm, Run};
use signorini_benches::brazil_nut::{self, LARGE, SMALL, WIDTH};
use signorini_plot::{Color, Figure, FramesPlot};

use super::ha2003_common::{Failure, Trial, discs, panel, scheme, source, step_claims, wall};
use crate::animation::Animation;
use crate::experiment::{Effort, Experiment, Progress, Source};
use crate::report::Report;

const H: f64 = 0.1;
const UNTIL: f64 = 75.0;
/// Quick runs take the first three.
const SEEDS: [u64; 9] = [1, 2, 3, 4, 5, 6, 7, 8, 9];

/// The Brazil nut.
#[derive(Debug, Clone, Copy)]
pub struct Ha2003BrazilNut;

impl Experiment for Ha2003BrazilNut {
    fn id(&self) -> &'static str {
        "ha2003-brazil-nut"
    }

    fn source(&self) -> Source {
        source("section 3, Figs. 7, 9")
    }

    fn title(&self) -> &'static str {
        "A large disc rises in a shaken container"
    }

    fn run(&self, effort: Effort, progress: &dyn Progress) -> Result<Report, Failure> {
        let seeds = match effort {
            Effort::Quick => &SEEDS[..3],
            _ => &SEEDS[..],
        };
        let total = seeds.len() + 1;
        let mut shakes = Vec::new();
        for (k, &seed) in seeds.iter().enumerate() {
            progress.progress(k, total, &format!("seed {seed}"));
            shakes.push(Shake::run(&brazil_nut::radii(seed), UNTIL)?);
        }
        let shown = &shakes[0];
        let mut report = Report::default();
        // Runs are chaotic: what one seed does changes with a rounding, what most do does not.
        let mut fewest: Vec<usize> = shakes.iter().map(Shake::fewest_above).collect();
        let ends: Vec<usize> = shakes.iter().map(Shake::above).collect();
        let mut note = format!(
            "seeds {seeds:?}: {fewest:?}, at the end {ends:?}: at the surface it goes round with the others and may be carried down",
        );
        fewest.sort_unstable();
        let median = fewest[seeds.len() / 2];
        if effort != Effort::Quick {
            progress.progress(total - 1, total, "equal discs");
            let equal = Shake::run(&[vec![0.85; SMALL], vec![LARGE]].concat(), UNTIL)?;
            let above = equal.fewest_above();
            let _ = write!(
                note,
                "; equal small discs crystallise: {above} are above it at the fewest"
            );
        }
        report
            .measure(
                "fewest small discs above the centre of the large one, median of the seeds",
                median,
            )
            .note(note);
        report.measure("small discs above it at the start", shown.above_at(0));
        let late = &shown.trial.contacts[shown.trial.contacts.len() / 2..];
        report.measure(
            "contacts in A, mean of the second half",
            late.iter().sum::<usize>() as f64 / late.len() as f64,
        );
        let worst = shakes.iter().map(|s| s.trial.worst()).fold(0.0, f64::max);
        report.measure("largest infeasibility", worst);
        step_claims(
            &mut report,
            &shakes.iter().map(|s| &s.trial).collect::<Vec<_>>(),
        );
        figures(&mut report, shown);
        progress.progress(total, total, "done");
        Ok(report)
    }
}

/// A run with these radii, the large disc last.
struct Shake {
    radii: Vec<f64>,
    trial: Trial,
}

impl Shake {
    fn run(radii: &[f64], until: f64) -> Result<Self, Failure> {
        let world = brazil_nut::world(radii)?;
        let mut stepper = scheme(1.0, ActiveSet::Safe(1.0), ContactForm::Relaxed);
        let trial = Trial::run(&world, &mut stepper, Run { h: H, until }, |_, _| {})?;
        Ok(Self {
            radii: radii.to_vec(),
            trial,
        })
    }

    /// Small discs whose centres are above that of the large one after some steps. The first three bodies are the container.
    fn above_at(&self, step: usize) -> usize {
        let discs = &self.trial.q[step][9..];
        let nut = discs[3 * SMALL + 1];
        let heights = discs.chunks_exact(3).map(|q| q[1]);
        heights.filter(|&y| y > nut).count()
    }

    /// When it was nearest to the surface.
    fn fewest_above(&self) -> usize {
        let steps = 0..self.trial.q.len();
        steps.map(|k| self.above_at(k)).min().unwrap_or(SMALL)
    }

    fn above(&self) -> usize {
        self.above_at(self.trial.q.len() - 1)
    }
}

/// Every tenth step of the run as a moving picture.
fn animate(report: &mut Report, shown: &Shake) {
    let half = 0.5 * WIDTH;
    let mut animation = Animation::new("Brazil nut", [-half - 1.0, half + 1.0], [-4.0, 40.0]);
    animation.line(&[[-half, 36.0], [-half, 0.0], [half, 0.0], [half, 36.0]]);
    for (k, &radius) in shown.radii.iter().enumerate() {
        let colour = if k == SMALL {
            Color::VERMILION
        } else {
            Color::SKY
        };
        animation.disc(radius, colour);
    }
    for (t, q) in shown.trial.t.iter().zip(&shown.trial.q).step_by(10) {
        animation.lifted(*t, q[1], &q[9..]);
    }
    let caption = "The nut rises: every tenth step of the 75 s.";
    report.animate("nut", caption, animation);
}

fn figures(report: &mut Report, shown: &Shake) {
    animate(report, shown);
    let mut figure = Figure::new("Brazil nut", 1100, 900).columns(2);
    for t in [0.0, 10.0, 40.0, UNTIL] {
        let q = &shown.trial.q[shown.trial.nearest(t)];
        let floor = q[1];
        let mut frame = FramesPlot::new(format!("t = {t} s"), "x (m)", "y (m)");
        let half = 0.5 * WIDTH;
        let top = floor + 34.0;
        wall(
            &mut frame,
            &[[-half, top], [-half, floor], [half, floor], [half, top]],
        );
        let colour = |k: usize| {
            if k == SMALL {
                Color::VERMILION
            } else {
                Color::SKY
            }
        };
        discs(&mut frame, &q[9..], &shown.radii, colour);
        figure = figure.with(frame);
    }
    report.plate(
        "fig9",
        "Fig. 9: the large disc at the start, after 10 s, after 40 s and at the end; marks show how discs are turned.",
        figure,
    );
    let numbers = shown.trial.t[1..].iter().zip(&shown.trial.contacts);
    let contacts = numbers.map(|(t, n)| [*t, *n as f64]).collect();
    let steps = 0..shown.trial.q.len();
    let above = steps
        .map(|k| [shown.trial.t[k], shown.above_at(k) as f64])
        .collect();
    report.plate(
        "fig7",
        "Fig. 7: contacts in A over time, and the number of small discs above the large one.",
        Figure::new("Contacts", 900, 760)
            .with(panel("contacts", vec![("in A".to_owned(), contacts)]))
            .with(panel(
                "discs",
                vec![("above the large one".to_owned(), above)],
            )),
    );
}
