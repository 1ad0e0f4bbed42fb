//! ST2000 section 4.2: a ball is thrown at three balls that lie in a line.
//!
//! Printed are masses, radii, friction, positions and velocities; inferred are g = 9.82 m/s² (the
//! table then comes out, with 9.81 its entries move by up to 6 %) and what the errors mean, see
//! [`measures`].
//!
//! # References
//! - \[ST2000\] D. E. Stewart, J. C. Trinkle, An implicit time-stepping scheme for rigid body dynamics with
//!   Coulomb friction, IEEE ICRA 2000, section 4.2, Figs. 6–8, Table 1.

mod collision;
mod figures;
pub mod measures;

use std::error::Error;

use signorini::dynamics::{Body, ContactMaterial, World, WorldSettings};
use signorini::geometry::{Ball, HalfSpace};
use signorini::steppers::{
    Evaluation, Run, Stall, StewartTrinkle, StewartTrinkleSettings, Trajectory, simulate,
};

use crate::experiment::{Effort, Experiment, Progress, Source};
use crate::report::{Column, Report, Sheet, Table};
use crate::value::Value;
use collision::Collision;
use measures::{Errors, Path, errors, largest_variation};

/// Radius of the balls, m.
const RADIUS: f64 = 0.1;
/// Mass of the balls, kg; their moment of inertia 2/5 m r² is that of solid balls.
const MASS: f64 = 1.0;
/// Friction of all contacts.
const MU: f64 = 0.4;
/// Gravity, m/s²; inferred.
const GRAVITY: f64 = 9.82;
/// Centres at the start, m.
const CENTRES: [[f64; 3]; 4] = [
    [0.0, 0.0, 1.0],
    [1.0, 0.0, 0.1],
    [1.2 + 1e-5, 0.0, 0.1],
    [1.4 + 2e-5, 0.0, 0.1],
];
/// Velocity of the first ball, m/s; the others are at rest.
const THROW: [f64; 3] = [1.5, 0.1, 0.0];
/// End of the run, s.
const UNTIL: f64 = 1.0;
/// Steps of Table 1, s; the last is the reference.
const STEPS: [f64; 5] = [0.02, 0.01, 0.005, 0.0025, 0.00125];
/// Which of them the figures show.
const SHOWN: usize = 3;
/// Passes of the fixed point in one step.
const PASSES: usize = 50;

/// Table 1 as printed: velocity error, position error, variation; no errors for the reference.
const PRINTED: [[f64; 3]; 5] = [
    [0.5050, 0.2505, 19.4046],
    [0.3523, 0.2015, 19.1728],
    [0.1657, 0.0838, 19.1702],
    [0.0700, 0.0298, 19.0862],
    [f64::NAN, f64::NAN, 19.0690],
];

/// The four balls.
#[derive(Debug, Clone, Copy)]
pub struct St2000Balls;

impl Experiment for St2000Balls {
    fn id(&self) -> &'static str {
        "st2000-balls"
    }

    fn source(&self) -> Source {
        Source {
            paper: "ST2000",
            item: "section 4.2, Figs. 6–8, Table 1",
            citation: "D. E. Stewart, J. C. Trinkle, An implicit time-stepping scheme for rigid body \
                       dynamics with Coulomb friction, IEEE ICRA 2000, doi:10.1109/ROBOT.2000.844054",
        }
    }

    fn title(&self) -> &'static str {
        "A ball thrown at three balls in a line"
    }

    fn run(
        &self,
        _effort: Effort,
        progress: &dyn Progress,
    ) -> Result<Report, Box<dyn Error + Send + Sync>> {
        let total = 2 * STEPS.len() + 1;
        let mut sweeps = Vec::new();
        for (number, evaluation) in [Evaluation::Predicted, Evaluation::FixedPoint]
            .into_iter()
            .enumerate()
        {
            let mut runs = Vec::new();
            for (index, h) in STEPS.into_iter().enumerate() {
                let kind = if number == 0 {
                    "linearised"
                } else {
                    "fixed point"
                };
                progress.progress(
                    number * STEPS.len() + index,
                    total,
                    &format!("{kind}, h = {h} s"),
                );
                runs.push(BallRun::simulate(h, evaluation)?);
            }
            sweeps.push(Sweep::new(runs));
        }
        progress.progress(total - 1, total, "figures");
        let [linear, nonlinear] = [&sweeps[0], &sweeps[1]];
        let shown = &linear.runs[SHOWN];
        let collision = Collision::find(shown)?;

        let mut report = Report::default();
        table_claims(&mut report, linear);
        information(&mut report, nonlinear);
        course_claims(&mut report, linear, &collision)?;
        figures::draw(&mut report, linear, nonlinear, &collision);
        report.sheets = vec![table_one(linear, nonlinear)];
        report.tables = vec![
            table_data(linear),
            final_data(shown),
            trajectory_data(shown),
        ];
        progress.progress(total, total, "done");
        Ok(report)
    }
}

/// The balls and the table.
fn world() -> Result<World<3>, Box<dyn Error + Send + Sync>> {
    let mut world = World::with_settings(WorldSettings {
        gravity: [0.0, 0.0, -GRAVITY].into(),
        material: ContactMaterial {
            friction: MU,
            ..ContactMaterial::default()
        },
        ..WorldSettings::default()
    })?;
    world.add(Body::fixed("table", HalfSpace::up()))?;
    for (index, centre) in CENTRES.into_iter().enumerate() {
        let mut ball = Body::solid(format!("ball {}", index + 1), Ball::new(RADIUS)?, MASS)?;
        ball.position[..3].copy_from_slice(&centre);
        if index == 0 {
            ball.velocity[..3].copy_from_slice(&THROW);
        }
        world.add(ball)?;
    }
    Ok(world)
}

/// One run of the scheme.
#[derive(Debug)]
struct BallRun {
    h: f64,
    trajectory: Trajectory,
    largest_lcp: usize,
    unsettled: usize,
}

impl BallRun {
    fn simulate(h: f64, evaluation: Evaluation) -> Result<Self, Box<dyn Error + Send + Sync>> {
        let world = world()?;
        let mut state = world.initial_state();
        let mut trajectory = Trajectory::default();
        let mut stepper = StewartTrinkle::new(StewartTrinkleSettings {
            evaluation,
            max_passes: PASSES,
            stall: Stall::Accept,
            ..StewartTrinkleSettings::default()
        });
        let run = Run { h, until: UNTIL };
        let summary = simulate(&world, &mut stepper, &mut state, run, &mut trajectory)?;
        let (largest_lcp, unsettled) = (summary.largest_lcp, summary.unconverged_steps);
        Ok(Self {
            h,
            trajectory,
            largest_lcp,
            unsettled,
        })
    }

    fn path(&self) -> Path {
        Path::new(self.h, &CENTRES, &self.trajectory.v)
    }

    /// Largest number of passes among the steps that settled.
    fn most_passes(&self) -> usize {
        let settled = self
            .trajectory
            .reports
            .iter()
            .filter(|report| report.converged);
        settled.map(|report| report.passes).max().unwrap_or(0)
    }
}

/// All steps of Table 1 with one version of the scheme.
#[derive(Debug)]
struct Sweep {
    runs: Vec<BallRun>,
    /// Of each run against the last one.
    errors: Vec<Errors>,
    variations: Vec<f64>,
}

impl Sweep {
    fn new(runs: Vec<BallRun>) -> Self {
        let paths: Vec<_> = runs.iter().map(BallRun::path).collect();
        let (reference, others) = paths.split_last().expect("there are five steps");
        let errors = others.iter().map(|path| errors(path, reference)).collect();
        let variations = runs
            .iter()
            .map(|run| largest_variation(&run.trajectory.v))
            .collect();
        Self {
            runs,
            errors,
            variations,
        }
    }
}

fn table_claims(report: &mut Report, sweep: &Sweep) {
    for (index, h) in STEPS.into_iter().enumerate() {
        if let Some(errors) = sweep.errors.get(index) {
            report.measure(
                &format!("Table 1, h = {h}, velocity error"),
                errors.velocity,
            );
            report.measure(
                &format!("Table 1, h = {h}, position error"),
                errors.position,
            );
        }
        report.measure(
            &format!("Table 1, h = {h}, variation"),
            sweep.variations[index],
        );
    }
    let decades = sweep
        .errors
        .iter()
        .map(|e| (e.angular / e.translational).log10());
    report.measure(
        "angular over translational velocity error, in decades",
        decades.fold(f64::NEG_INFINITY, f64::max),
    );
    let order = (sweep.errors[2].position / sweep.errors[3].position).log2();
    report.measure("order of the position error for small h", order);
}

fn information(report: &mut Report, sweep: &Sweep) {
    for (index, h) in STEPS.into_iter().enumerate() {
        if let Some(errors) = sweep.errors.get(index) {
            report.measure(
                &format!("fixed point, h = {h}, velocity error"),
                errors.velocity,
            );
            report.measure(
                &format!("fixed point, h = {h}, position error"),
                errors.position,
            );
        }
        report.measure(
            &format!("fixed point, h = {h}, variation"),
            sweep.variations[index],
        );
    }
    let unsettled: usize = sweep.runs.iter().map(|run| run.unsettled).sum();
    let passes = sweep
        .runs
        .iter()
        .map(BallRun::most_passes)
        .max()
        .unwrap_or(0);
    report.measure(
        "fixed point, steps that did not settle in 50 passes",
        unsettled,
    );
    report.measure("fixed point, most passes of a step that settled", passes);
}

fn course_claims(
    report: &mut Report,
    sweep: &Sweep,
    collision: &Collision,
) -> Result<(), collision::Missing> {
    let closed = collision::closed_form();
    report.measure("thrown ball meets the table", collision.landing);
    report.measure("first oblique collision", collision.time);
    report.measure("thrown ball meets the table, closed form", closed.landing);
    report.measure("first oblique collision, closed form", closed.collision);
    let largest = sweep
        .runs
        .iter()
        .map(|run| run.largest_lcp)
        .max()
        .unwrap_or(0);
    report.measure("largest complementarity problem", largest);
    let reports = sweep.runs.iter().flat_map(|run| &run.trajectory.reports);
    let contacts = reports
        .map(|report| report.contacts.len())
        .max()
        .unwrap_or(0);
    report.measure("contacts of the largest problem", contacts);
    let mut fewest = usize::MAX;
    for run in &sweep.runs {
        fewest = fewest.min(Collision::find(run)?.pairs_hit());
    }
    report.measure("pairs of balls hit in the collision step", fewest);
    let after = &collision.velocity_after;
    report
        .measure("friction lifts the thrown ball", after[2] > 1e-3)
        .note(format!(
            "v_z = {:.4} m/s after the collision step",
            after[2]
        ));
    // Rolling to the right is a positive ω_y.
    report
        .measure(
            "the first ball of the line gets back-spin",
            after[6 + 4] < -1e-3,
        )
        .note(format!(
            "ω_y = {:.3} rad/s after the collision step",
            after[6 + 4]
        ));
    let end = sweep.runs[SHOWN]
        .trajectory
        .v
        .last()
        .expect("the run has steps");
    let angles: Vec<_> = end
        .chunks_exact(6)
        .map(|v| v[1].atan2(v[0]).to_degrees())
        .collect();
    let right = end.chunks_exact(6).all(|v| v[0] > 0.0);
    let spread = angles.iter().copied().fold(f64::MIN, f64::max)
        - angles.iter().copied().fold(f64::MAX, f64::min);
    let listed: Vec<_> = angles.iter().map(|a| format!("{a:.1}°")).collect();
    report
        .measure(
            "all balls move to the right, in different directions",
            right && spread > 10.0,
        )
        .note(format!(
            "directions at the end, from the x axis: {}",
            listed.join(", ")
        ));
    Ok(())
}

/// Table 1: printed, ours, and with the fixed point.
fn table_one(linear: &Sweep, nonlinear: &Sweep) -> Sheet {
    let header = ["h (s)", "", "velocity error", "position error", "variation"];
    let mut rows = Vec::new();
    for (index, h) in STEPS.into_iter().enumerate() {
        let row = |kind: &str, errors: Option<[f64; 2]>, variation: f64| {
            let mut row = vec![Value::from(h).to_string(), kind.to_owned()];
            let values = errors.map(|e| e.map(|x| Value::from(x).with_decimals(4)));
            row.extend(values.unwrap_or(["–".to_owned(), "–".to_owned()]));
            row.push(Value::from(variation).with_decimals(4));
            row
        };
        let ours = |sweep: &Sweep| sweep.errors.get(index).map(|e| [e.velocity, e.position]);
        let [velocity, position, variation] = PRINTED[index];
        let printed = (!velocity.is_nan()).then_some([velocity, position]);
        rows.push(row("printed", printed, variation));
        rows.push(row("ours", ours(linear), linear.variations[index]));
        rows.push(row(
            "ours, fixed point",
            ours(nonlinear),
            nonlinear.variations[index],
        ));
    }
    Sheet {
        caption:
            "Table 1: errors against h = 0.00125 s of the same version, and largest variation of a \
                  velocity component"
                .to_owned(),
        header: header.map(str::to_owned).to_vec(),
        rows,
    }
}

/// Rounding, amplified by the collisions.
const ROUNDING: f64 = 1e-8;

/// Golden data: Table 1 of the linearised version.
fn table_data(sweep: &Sweep) -> Table {
    let names = [
        "velocity_error",
        "position_error",
        "translational_error",
        "angular_error",
        "variation",
    ];
    let mut columns = vec![Column::new("h", "s", 0.0)];
    columns.extend(names.map(|name| Column::new(name, "", ROUNDING)));
    let row = |(index, e): (usize, &Errors)| {
        let variation = sweep.variations[index];
        vec![
            STEPS[index],
            e.velocity,
            e.position,
            e.translational,
            e.angular,
            variation,
        ]
    };
    let rows = sweep.errors.iter().enumerate().map(row).collect();
    Table {
        name: "table1".to_owned(),
        golden: true,
        columns,
        rows,
    }
}

const COMPONENTS: [(&str, &str); 9] = [
    ("x", "m"),
    ("y", "m"),
    ("z", "m"),
    ("vx", "m/s"),
    ("vy", "m/s"),
    ("vz", "m/s"),
    ("wx", "rad/s"),
    ("wy", "rad/s"),
    ("wz", "rad/s"),
];

/// Golden data: the balls at the end.
fn final_data(run: &BallRun) -> Table {
    let mut columns = vec![Column::new("ball", "", 0.0)];
    columns.extend(COMPONENTS.map(|(name, unit)| Column::new(name, unit, ROUNDING)));
    let last = run.trajectory.len() - 1;
    let (q, v) = (&run.trajectory.q[last], &run.trajectory.v[last]);
    let row = |(index, (q, v)): (usize, (&[f64], &[f64]))| {
        let mut row = vec![(index + 1) as f64];
        row.extend(&q[..3]);
        row.extend(v);
        row
    };
    let rows = q
        .chunks_exact(7)
        .zip(v.chunks_exact(6))
        .enumerate()
        .map(row)
        .collect();
    Table {
        name: "end".to_owned(),
        golden: true,
        columns,
        rows,
    }
}

/// Every step of the run that the figures show.
fn trajectory_data(run: &BallRun) -> Table {
    let mut columns = vec![Column::new("t", "s", 0.0)];
    for ball in 1..=CENTRES.len() {
        columns.extend(
            COMPONENTS.map(|(name, unit)| Column::new(&format!("{name}{ball}"), unit, 0.0)),
        );
    }
    let Trajectory { t, q, v, .. } = &run.trajectory;
    let row = |(t, (q, v)): (&f64, (&Vec<f64>, &Vec<f64>))| {
        let mut row = vec![*t];
        for (q, v) in q.chunks_exact(7).zip(v.chunks_exact(6)) {
            row.extend(&q[..3]);
            row.extend(v);
        }
        row
    };
    let rows = t.iter().zip(q.iter().zip(v)).map(row).collect();
    Table {
        name: "trajectory".to_owned(),
        golden: false,
        columns,
        rows,
    }
}
