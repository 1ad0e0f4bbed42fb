//! What the experiments of CBAT2007 share: runs, measures of their steps, curves.

use std::error::Error;

use signorini::dynamics::{State, System};
use signorini::steppers::{
    ContactReport, Formulation, GapFunction, GeometricallyImplicit, GeometricallyImplicitSettings,
    Mode, Run, RunSummary, Stepper, Trajectory, simulate,
};
use signorini_plot::{LinePlot, Series, Style};

use crate::experiment::Source;
use crate::report::Report;

pub(super) type Failure = Box<dyn Error + Send + Sync>;

pub(super) fn source(item: &'static str) -> Source {
    Source {
        paper: "CBAT2007",
        item,
        citation: "N. Chakraborty, S. Berard, S. Akella, J. C. Trinkle, An implicit time-stepping method for \
                   multibody systems with intermittent contact, RSS 2007",
    }
}

/// The scheme with this gap function.
pub(super) fn implicit(gap: GapFunction) -> GeometricallyImplicit {
    GeometricallyImplicit::new(GeometricallyImplicitSettings {
        gap,
        ..GeometricallyImplicitSettings::default()
    })
}

/// The scheme with computed closest points. With closed forms of them, as for balls and half-spaces, it is that of Tzitzouris and
/// Pang.
pub(super) fn condensed() -> GeometricallyImplicit {
    GeometricallyImplicit::new(GeometricallyImplicitSettings {
        formulation: Formulation::Condensed,
        ..GeometricallyImplicitSettings::default()
    })
}

/// Largest difference of a velocity component between two runs with the same steps.
pub(super) fn difference(one: &Trial, other: &Trial) -> f64 {
    let pairs = one.trajectory.v.iter().zip(&other.trajectory.v);
    let differences = pairs.flat_map(|(a, b)| a.iter().zip(b).map(|(a, b)| (a - b).abs()));
    differences.fold(0.0, f64::max)
}

/// One run, all steps kept.
#[derive(Debug)]
pub(super) struct Trial {
    pub(super) h: f64,
    pub(super) trajectory: Trajectory,
    pub(super) summary: RunSummary,
}

impl Trial {
    pub(super) fn run(
        system: &dyn System,
        state: &State,
        stepper: &mut dyn Stepper,
        run: Run,
    ) -> Result<Self, Failure> {
        let (mut state, mut trajectory) = (state.clone(), Trajectory::default());
        let summary = simulate(system, stepper, &mut state, run, &mut trajectory)?;
        Ok(Self {
            h: run.h,
            trajectory,
            summary,
        })
    }

    /// Component `index` of the velocity over time.
    pub(super) fn velocity(&self, index: usize) -> Vec<[f64; 2]> {
        let Trajectory { t, v, .. } = &self.trajectory;
        t.iter().zip(v).map(|(t, v)| [*t, v[index]]).collect()
    }

    /// A number of each contact report of the pair (a, b) over time; zero where the pair takes no part.
    pub(super) fn contact(
        &self,
        (a, b): (u32, u32),
        value: impl Fn(&ContactReport) -> f64,
    ) -> Vec<[f64; 2]> {
        let reports = self.trajectory.reports.iter();
        reports
            .map(|report| {
                let own = report.contacts.iter().find(|c| (c.id.a, c.id.b) == (a, b));
                [report.t, own.map_or(0.0, &value)]
            })
            .collect()
    }

    /// Mode of the pair (a, b) in each step.
    pub(super) fn modes(&self, (a, b): (u32, u32)) -> Vec<Mode> {
        let reports = self.trajectory.reports.iter();
        reports
            .map(|report| {
                let own = report.contacts.iter().find(|c| (c.id.a, c.id.b) == (a, b));
                own.map_or(Mode::Open, |c| c.mode)
            })
            .collect()
    }

    /// Middle of step `index`, s.
    pub(super) fn middle(&self, index: usize) -> f64 {
        self.trajectory.reports[index].t - 0.5 * self.h
    }

    /// Largest gap, either way, of a contact that carries an impulse, m.
    fn largest_gap(&self) -> f64 {
        let contacts = self.trajectory.reports.iter().flat_map(|r| &r.contacts);
        let closed = contacts.filter(|c| c.mode != Mode::Open);
        closed.map(|c| c.gap.abs()).fold(0.0, f64::max)
    }
}

/// The claims on every step of the scheme; a step that failed would have ended the experiment.
pub(super) fn step_claims(report: &mut Report, trials: &[&Trial], length: f64) {
    let largest =
        |value: &dyn Fn(&Trial) -> f64| trials.iter().map(|t| value(t)).fold(0.0, f64::max);
    report.measure(
        "largest residual of a step",
        largest(&|t| t.summary.worst_residual),
    );
    report.measure(
        "largest gap of a contact with an impulse",
        largest(&|t| t.largest_gap()) / length,
    );
    let steps: usize = trials.iter().map(|t| t.summary.steps).sum();
    let iterations: usize = trials.iter().map(|t| t.summary.pivots).sum();
    report
        .measure("iterations per step", iterations as f64 / steps as f64)
        .note(format!("{iterations} iterations in {steps} steps"));
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

/// The order of convergence from errors at halved steps: the last one counts, all are listed.
pub(super) fn order(report: &mut Report, name: &str, errors: &[f64]) {
    let orders: Vec<_> = errors
        .windows(2)
        .map(|e| (e[0] / e[1]).abs().log2())
        .collect();
    let listed: Vec<_> = orders.iter().map(|order| format!("{order:.4}")).collect();
    report
        .measure(name, orders.last().copied().unwrap_or(f64::NAN))
        .note(format!("by halvings: {}", listed.join(", ")));
}
