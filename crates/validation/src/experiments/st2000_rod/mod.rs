//! ST2000 section 4.1: a rod falls on a table, spinning.
//!
//! Planar rod with round ends; gap of its tips y ± (l/2) sin θ − r. Printed are its length, mass,
//! moment of inertia (a tenth of a uniform rod's), friction and first angle and spin; the height
//! y₀ = 1 m and g = 9.81 m/s² are inferred. The printed friction vectors leave the radius out of the
//! lever arm; with the true contact point, as here, the printed times come out.
//!
//! # References
//! - \[ST2000\] D. E. Stewart, J. C. Trinkle, An implicit time-stepping scheme for rigid body dynamics with
//!   Coulomb friction, IEEE ICRA 2000, section 4.1, Figs. 2–5.

pub mod exact;
mod figures;
mod observe;

use std::error::Error;

use signorini::dynamics::{Body, ContactMaterial, Inertia, World, WorldSettings};
use signorini::geometry::{Capsule, HalfSpace};
use signorini::steppers::{Run, StepReport, StewartTrinkle, Trajectory, simulate};

use crate::claims::Verdict;
use crate::experiment::{Effort, Experiment, Progress, Source};
use crate::report::{Column, Report, Sheet, Table};
use crate::value::Value;
use exact::Course;
use observe::Observed;

/// Half the length without the ends, m.
const HALF_LENGTH: f64 = 0.25;
/// Radius of the ends, m.
const RADIUS: f64 = 0.05;
/// Mass, kg.
const MASS: f64 = 1.0;
/// Moment of inertia, kg m².
const INERTIA: f64 = 0.002;
/// Friction.
const MU: f64 = 0.6;
/// Gravity, m/s²; inferred.
const GRAVITY: f64 = 9.81;
/// x, y, θ, v_x, v_y, ω at the start; the height is inferred.
const START: exact::Motion = [0.0, 1.0, std::f64::consts::FRAC_PI_6, 0.0, 0.0, 4.0];
/// End of the run, s: well after the rod has come to rest.
const UNTIL: f64 = 0.7;
/// Step of Fig. 2, s.
const H: f64 = 0.0025;
/// Steps of Figs. 3–5, s, the longest first.
const STEPS: [f64; 5] = [0.02, 0.01, 0.005, H, 0.00125];
/// Steps that a full run adds to the picture of the errors, s.
const FINER: [f64; 2] = [0.000_625, 0.000_312_5];
/// The step that is said not to suffice, s.
const COARSE: f64 = 1.0 / 25.0;

/// The falling rod.
#[derive(Debug, Clone, Copy)]
pub struct St2000Rod;

impl Experiment for St2000Rod {
    fn id(&self) -> &'static str {
        "st2000-rod"
    }

    fn source(&self) -> Source {
        Source {
            paper: "ST2000",
            item: "section 4.1, Figs. 2–5",
            citation: "D. E. Stewart, J. C. Trinkle, An implicit time-stepping scheme for rigid body \
                       dynamics with Coulomb friction, IEEE ICRA 2000, doi:10.1109/ROBOT.2000.844054",
        }
    }

    fn title(&self) -> &'static str {
        "A falling, spinning rod"
    }

    fn run(
        &self,
        effort: Effort,
        progress: &dyn Progress,
    ) -> Result<Report, Box<dyn Error + Send + Sync>> {
        let total = STEPS.len() + 3;
        progress.progress(0, total, "event-driven course");
        let course = Course::compute(START)?;
        let mut runs = Vec::new();
        for (done, h) in STEPS.into_iter().enumerate() {
            progress.progress(done + 1, total, &format!("h = {h} s"));
            runs.push(RodRun::simulate(h)?);
        }
        progress.progress(total - 2, total, "h = 0.04 s");
        let coarse = RodRun::simulate(COARSE)?;
        let finer: &[f64] = if effort == Effort::Full { &FINER } else { &[] };
        let finer: Result<Vec<_>, _> = finer.iter().map(|&h| RodRun::simulate(h)).collect();
        let finer = finer?;
        progress.progress(total - 1, total, "figures");
        let mut report = Report::default();
        let paper = &runs[3];
        observed_claims(&mut report, &observe::observe(paper)?);
        convergence_claims(&mut report, &course, &runs, &coarse)?;
        exact_claims(&mut report, &course);
        figures::draw(&mut report, &course, &runs);
        let all = std::iter::once(&coarse).chain(&runs).chain(&finer);
        figures::draw_convergence(&mut report, &course, &all.collect::<Vec<_>>());
        report.tables = vec![sampled(paper, &course), all_steps(paper)];
        report.sheets = vec![events_sheet(&course, &runs)?];
        progress.progress(total, total, "done");
        Ok(report)
    }
}

/// The rod over the table.
fn world() -> Result<World<2>, Box<dyn Error + Send + Sync>> {
    let mut world = World::with_settings(WorldSettings {
        gravity: [0.0, -GRAVITY].into(),
        material: ContactMaterial {
            friction: MU,
            ..ContactMaterial::default()
        },
        ..WorldSettings::default()
    })?;
    world.add(Body::fixed("table", HalfSpace::up()))?;
    let mut rod = Body::moving("rod", MASS, Inertia::Scalar(INERTIA));
    rod.shape = Some(Capsule::new(HALF_LENGTH, RADIUS)?.into());
    rod.position = START[..3].to_vec();
    rod.velocity = START[3..].to_vec();
    world.add(rod)?;
    Ok(world)
}

/// One run of the scheme.
#[derive(Debug)]
struct RodRun {
    h: f64,
    trajectory: Trajectory,
}

impl RodRun {
    fn simulate(h: f64) -> Result<Self, Box<dyn Error + Send + Sync>> {
        let world = world()?;
        let mut state = world.initial_state();
        let mut trajectory = Trajectory::default();
        let mut stepper = StewartTrinkle::default();
        simulate(
            &world,
            &mut stepper,
            &mut state,
            Run { h, until: UNTIL },
            &mut trajectory,
        )?;
        Ok(Self { h, trajectory })
    }

    /// Times and motions, the start included.
    fn motions(&self) -> impl Iterator<Item = (f64, exact::Motion)> + '_ {
        let Trajectory { t, q, v, .. } = &self.trajectory;
        t.iter()
            .zip(q.iter().zip(v))
            .map(|(&t, (q, v))| (t, [q[0], q[1], q[2], v[0], v[1], v[2]]))
    }

    fn reports(&self) -> &[StepReport] {
        &self.trajectory.reports
    }

    /// Largest difference of x, y, θ from the exact course over the steps.
    fn position_error(&self, course: &Course) -> f64 {
        let error = |(t, m): (f64, exact::Motion)| {
            let exact = course.at(t);
            (0..3).map(|i| (m[i] - exact[i]).abs()).fold(0.0, f64::max)
        };
        self.motions().map(error).fold(0.0, f64::max)
    }
}

fn observed_claims(report: &mut Report, observed: &Observed) {
    report.measure("first impact", observed.impact);
    report.measure("slap-down", observed.slap_down);
    report.measure(
        "slides left after slap-down",
        observed.rest - observed.slap_down,
    );
    report.measure("at rest from", observed.rest);
    report.measure("final position", observed.final_x);
    report.measure("tip after the impact", observed.course.clone());
    let (peak, settled) = observed.spike;
    report
        .measure(
            "spike in the angular velocity at the first contact",
            observed.has_spike(),
        )
        .note(format!(
            "ω = {peak:.3} rad/s after the first step, {settled:.3} rad/s after the second"
        ));
}

fn convergence_claims(
    report: &mut Report,
    course: &Course,
    runs: &[RodRun],
    coarse: &RodRun,
) -> Result<(), observe::Missing> {
    let reopened: usize = runs.iter().map(observe::reopened).sum();
    report.measure(
        "no chatter: contacts that open and close again, over all h",
        reopened,
    );
    let errors: Vec<_> = runs
        .iter()
        .map(|run| [run.h, run.position_error(course)])
        .collect();
    report.measure("order of convergence of the positions", slope(&errors));
    let lag = coarse.position_error(course);
    let events = course.events();
    let mut late: f64 = 0.0;
    for run in runs {
        let ours = observe::observe(run)?;
        for (ours, exact) in [
            (ours.impact, events.impact),
            (ours.slap_down, events.slap_down),
            (ours.rest, events.rest),
        ] {
            late = late.max((ours - exact).abs() / run.h);
        }
    }
    report.measure("largest error of an event time, over all h", late);
    let short = events.rest - events.slap_down < COARSE;
    report
        .measure("steps of 1/25 s are not sufficient", short && lag > RADIUS)
        .note(format!("largest error of x, y (m) or θ (rad) {lag:.3}"));
    Ok(())
}

/// Slope of the line through the logarithms of the points (h, error), by least squares.
fn slope(points: &[[f64; 2]]) -> f64 {
    let logs: Vec<_> = points.iter().map(|p| [p[0].ln(), p[1].ln()]).collect();
    let mean = |axis: usize| logs.iter().map(|p| p[axis]).sum::<f64>() / logs.len() as f64;
    let (x, y) = (mean(0), mean(1));
    let product: f64 = logs.iter().map(|p| (p[0] - x) * (p[1] - y)).sum();
    product / logs.iter().map(|p| (p[0] - x).powi(2)).sum::<f64>()
}

fn exact_claims(report: &mut Report, course: &Course) {
    let events = course.events();
    let accelerations = events.accelerations;
    let (none, sticks) = (accelerations.none_sliding_right(), accelerations.sticks());
    let (found, verdict) = match (none, sticks) {
        (true, true) => (
            "none if the tip slides right, one since it sticks",
            Verdict::Conditional,
        ),
        (true, false) => ("none", Verdict::Reproduced),
        (false, _) => ("one", Verdict::NotReproduced),
    };
    report.verdict(
        "acceleration-level problem after the impact has no solution",
        found,
        verdict,
    );
    report.measure("first impact, event-driven", events.impact);
    report.measure(
        "normal impulse of the impact, event-driven",
        events.impulse[0],
    );
    report.measure(
        "tangential impulse of the impact, event-driven",
        events.impulse[1],
    );
    report.measure(
        "Painlevé coefficient of the tip sliding right, event-driven",
        accelerations.sliding_right,
    );
    report.measure(
        "Painlevé coefficient with the friction vectors as printed",
        accelerations.sliding_right_as_printed,
    );
    report.measure(
        "free normal acceleration of the tip, event-driven",
        accelerations.free,
    );
    report.measure("tip sticks until, event-driven", events.sliding);
    report.measure("slap-down, event-driven", events.slap_down);
    report.measure("at rest from, event-driven", events.rest);
    report.measure("final position, event-driven", events.final_x);
}

/// Golden data: every tenth step, ours and exact.
fn sampled(run: &RodRun, course: &Course) -> Table {
    /// Rounding, amplified by a few hundred steps and the impacts.
    const ROUNDING: f64 = 1e-9;

    let names = [
        ("x", "m"),
        ("y", "m"),
        ("theta", "rad"),
        ("vx", "m/s"),
        ("vy", "m/s"),
        ("omega", "rad/s"),
    ];
    let mut columns = vec![Column::new("t", "s", 1e-12)];
    columns.extend(names.map(|(name, unit)| Column::new(name, unit, ROUNDING)));
    columns.extend(names.map(|(name, unit)| Column::new(&format!("{name}_exact"), unit, ROUNDING)));
    let row = |(t, m): (f64, exact::Motion)| {
        let exact = course.at(t);
        std::iter::once(t).chain(m).chain(exact).collect()
    };
    let rows = run.motions().step_by(10).map(row).collect();
    Table {
        name: "sampled".to_owned(),
        golden: true,
        columns,
        rows,
    }
}

/// Every step of the run of Fig. 2.
fn all_steps(run: &RodRun) -> Table {
    let names = [
        ("t", "s"),
        ("x", "m"),
        ("y", "m"),
        ("theta", "rad"),
        ("vx", "m/s"),
        ("vy", "m/s"),
        ("omega", "rad/s"),
    ];
    let columns = names
        .map(|(name, unit)| Column::new(name, unit, 0.0))
        .to_vec();
    let rows = run
        .motions()
        .map(|(t, m)| std::iter::once(t).chain(m).collect())
        .collect();
    Table {
        name: "trajectory".to_owned(),
        golden: false,
        columns,
        rows,
    }
}

/// Events for every step beside the exact ones.
fn events_sheet(course: &Course, runs: &[RodRun]) -> Result<Sheet, observe::Missing> {
    let header = [
        "h (s)",
        "first impact (s)",
        "slap-down (s)",
        "at rest from (s)",
        "final x (m)",
        "position error",
    ];
    let mut rows = Vec::new();
    for run in runs {
        let observed = observe::observe(run)?;
        let times = [observed.impact, observed.slap_down, observed.rest].map(|t| format!("{t:.6}"));
        let mut row = vec![Value::from(run.h).to_string()];
        row.extend(times);
        row.push(format!("{:.6}", observed.final_x));
        row.push(Value::from(run.position_error(course)).with_decimals(6));
        rows.push(row);
    }
    let events = course.events();
    let exact = [events.impact, events.slap_down, events.rest, events.final_x];
    let mut row = vec!["exact".to_owned()];
    row.extend(exact.map(|x| format!("{x:.6}")));
    row.push("–".to_owned());
    rows.push(row);
    Ok(Sheet {
        caption: "Events for each step; times are the middle of the step. The position error is the largest \
                  difference of x, y (m) and θ (rad) from the event-driven course"
            .to_owned(),
        header: header.map(str::to_owned).to_vec(),
        rows,
    })
}
