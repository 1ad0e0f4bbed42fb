//! What the experiments of CBAT2007 share: runs, measures of their steps, curves, silhouettes, reference integrations.

mod drawing;
mod facets;
mod forms;
mod ode;

use std::error::Error;

use nalgebra::Vector3;
use signorini::dynamics::{
    Body, ContactMaterial, ContactQuery, Contacts, State, System, World, WorldSettings,
};
use signorini::geometry::HalfSpace;
use signorini::steppers::{
    ContactReport, Formulation, GapFunction, GeometricallyImplicit, GeometricallyImplicitSettings,
    Mode, Run, RunSummary, StepReport, Stepper, Trajectory, TzitzourisPang, simulate,
};
use signorini_plot::{AxisScale, Figure, LinePlot, Series, Style};

pub(super) use self::drawing::{pose, silhouette, thinned};
pub(super) use self::facets::polyhedron;
use self::forms::{Apart, BothForms, apart};
pub(super) use self::ode::rk4;

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

/// The scheme with computed closest points.
pub(super) fn condensed() -> GeometricallyImplicit {
    GeometricallyImplicit::new(GeometricallyImplicitSettings {
        formulation: Formulation::Condensed,
        ..GeometricallyImplicitSettings::default()
    })
}

/// The scheme of Tzitzouris and Pang, which takes balls, discs and half-spaces only.
pub(super) fn closed_form() -> TzitzourisPang {
    TzitzourisPang::default()
}

/// Largest difference of velocities, and of impulses per mass, between two runs with the same steps.
pub(super) fn difference(one: &Trial, other: &Trial) -> f64 {
    fn steps(trial: &Trial) -> impl Iterator<Item = (&[f64], &StepReport)> {
        let Trajectory { v, reports, .. } = &trial.trajectory;
        v[1..].iter().map(Vec::as_slice).zip(reports)
    }
    let pairs = steps(one).zip(steps(other));
    pairs
        .map(|(a, b)| apart(a, b, one.mass))
        .fold(0.0, f64::max)
}

/// One run, all steps kept.
#[derive(Debug)]
pub(super) struct Trial {
    pub(super) h: f64,
    pub(super) trajectory: Trajectory,
    pub(super) summary: RunSummary,
    /// Mass of the first moving body, kg.
    mass: f64,
    /// How far the forms of the scheme are apart, if both ran.
    between: Option<Apart>,
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
            mass: mass(system, &state),
            between: None,
        })
    }

    /// The scheme with closest points as unknowns, and beside it the one that computes them.
    pub(super) fn of_both_forms(
        system: &dyn System,
        state: &State,
        gap: GapFunction,
        run: Run,
    ) -> Result<Self, Failure> {
        let mut forms = BothForms::new(gap, mass(system, state));
        let trial = Self::run(system, state, &mut forms, run)?;
        Ok(Self {
            between: Some(forms.apart),
            ..trial
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

    /// Speed along the surface of the point of body b, the only one that moves, at which the fixed body a presses on it.
    pub(super) fn sliding_speed(&self, (a, b): (u32, u32)) -> Vec<[f64; 2]> {
        let Trajectory { q, v, reports, .. } = &self.trajectory;
        let steps = reports.iter().zip(&q[1..]).zip(&v[1..]);
        steps
            .map(|((report, q), v)| {
                let own = report.contacts.iter().find(|c| (c.id.a, c.id.b) == (a, b));
                let closed = own.filter(|c| c.mode != Mode::Open);
                let speed = closed.map_or(0.0, |c| {
                    let arm = vector(&c.point) - vector(q);
                    let (normal, spin) = (vector(&c.normal), vector(&v[3..]));
                    let velocity = vector(v) + spin.cross(&arm);
                    (velocity - normal * normal.dot(&velocity)).norm()
                });
                [report.t, speed]
            })
            .collect()
    }

    /// A function of position and velocity over time.
    pub(super) fn curve(&self, value: impl Fn(&[f64], &[f64]) -> f64) -> Vec<[f64; 2]> {
        let Trajectory { t, q, v, .. } = &self.trajectory;
        let states = t.iter().zip(q.iter().zip(v));
        states.map(|(t, (q, v))| [*t, value(q, v)]).collect()
    }

    /// Total energy over time, J.
    pub(super) fn energy(&self) -> Vec<[f64; 2]> {
        let start = self.summary.energy_start.total();
        let reports = self.trajectory.reports.iter();
        let later = reports.map(|r| [r.t, r.energy_after.total()]);
        std::iter::once([self.trajectory.t[0], start])
            .chain(later)
            .collect()
    }

    /// Whether the total energy is lower after each interval of this length, s, than before it.
    pub(super) fn energy_falls(&self, interval: f64) -> bool {
        let mut edge = 0.0;
        let mut edges = self.energy();
        edges.retain(|point| {
            let reached = point[0] >= edge - 0.25 * self.h;
            edge += if reached { interval } else { 0.0 };
            reached
        });
        edges.windows(2).all(|pair| pair[1][1] < pair[0][1])
    }

    /// Row of the trajectory at this time, a whole number of steps from the start.
    pub(super) fn row(&self, t: f64) -> usize {
        let near = |s: &f64| (s - t).abs() < 0.25 * self.h;
        let found = self.trajectory.t.iter().position(near);
        found.expect("a time of a step")
    }

    /// Largest gap, either way, of a contact that carries an impulse, m.
    fn largest_gap(&self) -> f64 {
        let contacts = self.trajectory.reports.iter().flat_map(|r| &r.contacts);
        let closed = contacts.filter(|c| c.mode != Mode::Open);
        closed.map(|c| c.gap.abs()).fold(0.0, f64::max)
    }
}

fn mass(system: &dyn System, state: &State) -> f64 {
    let mut blocks = Vec::new();
    system.mass_blocks(&state.q, &mut blocks);
    blocks[0]
}

/// The claims on every step of the scheme, runs of both forms; a step that failed would have ended the experiment.
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
    let between = |trial: &Trial| trial.between.expect("runs of both forms");
    report.measure(
        "both forms, largest difference of a step",
        largest(&|t| between(t).in_a_step),
    );
    report.measure(
        "both forms, largest difference of whole runs",
        largest(&|t| between(t).in_a_run),
    );
    let steps: usize = trials.iter().map(|t| t.summary.steps).sum();
    let iterations: usize = trials.iter().map(|t| t.summary.pivots).sum();
    report
        .measure("iterations per step", iterations as f64 / steps as f64)
        .note(format!("{iterations} iterations in {steps} steps"));
}

/// The first three components.
pub(super) fn vector(slice: &[f64]) -> Vector3<f64> {
    Vector3::new(slice[0], slice[1], slice[2])
}

/// A world of a plane with this friction and these half axes of its ellipsoid.
pub(super) fn plane_world(friction: f64, ellipsoid: [f64; 3]) -> Result<World<3>, Failure> {
    let mut world = World::with_settings(WorldSettings {
        gravity: [0.0, 0.0, -9.81].into(),
        material: ContactMaterial {
            friction,
            ellipsoid,
            ..ContactMaterial::default()
        },
        ..WorldSettings::default()
    })?;
    world.add(Body::fixed("plane", HalfSpace::up()))?;
    Ok(world)
}

/// The state with its only moving body lowered until it touches.
pub(super) fn lowered(world: &World<3>) -> Result<State, Failure> {
    let (mut state, mut contacts) = (world.initial_state(), Contacts::default());
    let all = ContactQuery {
        margin: f64::INFINITY,
        include: &[],
    };
    world.contacts(0.0, &state.q, &all, &mut contacts)?;
    state.q[2] -= contacts.gap.iter().copied().fold(f64::INFINITY, f64::min);
    Ok(state)
}

/// Residuals below this are drawn as this: a logarithm has no zero.
const DRAWN_RESIDUAL: f64 = 1e-17;
/// Groups of steps in a figure of all steps; of each the largest is drawn.
const DRAWN_GROUPS: usize = 800;

/// Figure of residual and iterations of every step of some runs.
pub(super) fn steps_plate(report: &mut Report, trials: &[(String, &Trial)]) {
    let curves = |value: &dyn Fn(&StepReport) -> f64| -> Vec<_> {
        let curve = |trial: &Trial| -> Vec<_> {
            let reports = &trial.trajectory.reports;
            let groups = reports.chunks(reports.len().div_ceil(DRAWN_GROUPS).max(1));
            let largest = |group: &[StepReport]| group.iter().map(value).fold(0.0, f64::max);
            groups.map(|group| [group[0].t, largest(group)]).collect()
        };
        let trials = trials.iter();
        trials
            .map(|(label, trial)| (label.clone(), curve(trial)))
            .collect()
    };
    let mut residuals = panel("residual", curves(&|r| r.residual.max(DRAWN_RESIDUAL)));
    residuals.y_scale = AxisScale::Logarithmic;
    let iterations = panel("iterations", curves(&|r| r.pivots as f64));
    report.plate(
        "steps",
        "Residual (above; limit 1e-10, those below 1e-17 drawn there) and iterations (below) of every step; of runs with more \
         than 800 steps the largest of each group.",
        Figure::new("Residual and iterations", 900, 720)
            .with(residuals)
            .with(iterations),
    );
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
