//! What the experiments of HA2003 share: runs, measures of their steps, pictures of discs and walls.

use std::error::Error;

use signorini::dynamics::{Contacts, State, System, World};
use signorini::steppers::{
    ActiveSet, ContactForm, HartAnitescu, HartAnitescuSettings, Run, StepReport, Stepper,
};
use signorini_plot::{Color, FramesPlot, LinePlot, Paint, Series, Shape, Style};

use crate::experiment::Source;
use crate::report::Report;

pub(super) type Failure = Box<dyn Error + Send + Sync>;

pub(super) fn source(item: &'static str) -> Source {
    Source {
        paper: "HA2003",
        item,
        citation: "G. D. Hart, M. Anitescu, A hard-constraint time-stepping approach for rigid multibody dynamics \
                   with joints, contact, and friction, Proc. Richard Tapia Celebration of Diversity in Computing, 2003",
    }
}

/// The scheme with these choices.
pub(super) fn scheme(gamma: f64, active: ActiveSet, form: ContactForm) -> HartAnitescu {
    HartAnitescu::new(HartAnitescuSettings {
        gamma,
        active,
        form,
        ..HartAnitescuSettings::default()
    })
}

/// One run: what is needed of each step.
#[derive(Debug, Default)]
pub(super) struct Trial {
    pub(super) t: Vec<f64>,
    /// Positions at the ends of the steps, the start included.
    pub(super) q: Vec<Vec<f64>>,
    /// Largest penetration at the ends of the steps, m.
    pub(super) infeasibility: Vec<f64>,
    /// Contacts of the problem of each step.
    pub(super) contacts: Vec<usize>,
    pub(super) residual: f64,
    /// Steps whose penetration could not be put right.
    pub(super) yielded: usize,
    pub(super) iterations: usize,
}

impl Trial {
    pub(super) fn run(
        world: &World<2>,
        stepper: &mut dyn Stepper,
        Run { h, until }: Run,
        mut see: impl FnMut(&StepReport, &State),
    ) -> Result<Self, Failure> {
        let mut state = world.initial_state();
        let mut trial = Self {
            t: vec![state.t],
            q: vec![state.q.clone()],
            ..Self::default()
        };
        let mut all = Contacts::default();
        while state.t < until - 0.5 * h {
            let report = stepper.step(world, &mut state, h, &mut ())?;
            let overlaps = signorini::dynamics::ContactQuery {
                margin: 0.0,
                include: &[],
            };
            world.contacts(state.t, &state.q, &overlaps, &mut all)?;
            let deepest = all.gap.iter().fold(0.0_f64, |worst, gap| worst.max(-gap));
            trial.t.push(state.t);
            trial.q.push(state.q.clone());
            trial.infeasibility.push(deepest);
            trial.contacts.push(report.contacts.len());
            trial.residual = trial.residual.max(report.residual);
            trial.yielded += usize::from(!report.converged);
            trial.iterations += report.pivots;
            see(&report, &state);
        }
        Ok(trial)
    }

    pub(super) fn worst(&self) -> f64 {
        self.infeasibility.iter().copied().fold(0.0, f64::max)
    }

    /// Infeasibility over time.
    pub(super) fn curve(&self) -> Vec<[f64; 2]> {
        let pairs = self.t[1..].iter().zip(&self.infeasibility);
        pairs.map(|(t, x)| [*t, *x]).collect()
    }

    /// The step whose end is next to this time.
    pub(super) fn nearest(&self, t: f64) -> usize {
        let distance = |k: &usize| (self.t[*k] - t).abs();
        (0..self.t.len())
            .min_by(|a, b| distance(a).total_cmp(&distance(b)))
            .unwrap_or(0)
    }
}

/// The claims on every step of the scheme; a step that failed would have ended the experiment.
pub(super) fn step_claims(report: &mut Report, trials: &[&Trial]) {
    let worst = trials.iter().map(|t| t.residual).fold(0.0, f64::max);
    report.measure("largest residual of a step", worst);
    let yielded: usize = trials.iter().map(|t| t.yielded).sum();
    report.measure("steps that yielded to what penetrates", yielded);
    let steps: usize = trials.iter().map(|t| t.contacts.len()).sum();
    let iterations: usize = trials.iter().map(|t| t.iterations).sum();
    report
        .measure(
            "pivots or iterations per step",
            iterations as f64 / steps as f64,
        )
        .note(format!("{iterations} in {steps} steps"));
}

/// A panel of curves.
pub(super) fn panel(y_label: &str, curves: Vec<(String, Vec<[f64; 2]>)>) -> LinePlot {
    let series = curves.into_iter().enumerate();
    LinePlot {
        x_label: "t (s)".to_owned(),
        y_label: y_label.to_owned(),
        series: series
            .map(|(k, (label, points))| Series::new(label, points, Style::nth(k)))
            .collect(),
        ..LinePlot::default()
    }
}

/// Discs at their places with a mark that shows how they are turned; `colour` by number.
pub(super) fn discs(
    frame: &mut FramesPlot,
    q: &[f64],
    radii: &[f64],
    colour: impl Fn(usize) -> Color,
) {
    for (k, (q, &radius)) in q.chunks_exact(3).zip(radii).enumerate() {
        let centre = [q[0], q[1]];
        frame.add(Shape::Circle { centre, radius }, Paint::body(colour(k)));
        let rim = [q[0] + radius * q[2].cos(), q[1] + radius * q[2].sin()];
        let mark = Shape::Line {
            points: vec![centre, rim],
        };
        frame.add(mark, Paint::line(Color::BLACK));
    }
}

/// A wall or floor.
pub(super) fn wall(frame: &mut FramesPlot, points: &[[f64; 2]]) {
    let line = Shape::Line {
        points: points.to_vec(),
    };
    frame.add(line, Paint::line(Color::BLACK));
}
