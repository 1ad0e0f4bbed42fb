//! CBAT2007 section V.A: a disc rolls on a line, and polygons that stand for it.
//!
//! Unit disc of 1 kg with m r²/2, μ = 0.4, rolling at 3 m/s. The implicit scheme keeps its kinetic energy; regular polygons
//! under the linear scheme, with geometry at the start of the step, lose it, the more the fewer corners they have. A disc
//! that begins without spin slides until μ g t = 1 m/s and rolls on at 2 m/s: exact in closed form.
//!
//! # References
//! - \[CBAT2007\] N. Chakraborty, S. Berard, S. Akella, J. C. Trinkle, An implicit time-stepping method for multibody systems
//!   with intermittent contact, RSS 2007, section V.A, Fig. 1, (12)–(18).

use signorini::dynamics::{Body, ContactMaterial, Inertia, System, World, WorldSettings};
use signorini::geometry::{Ball, ConvexSet, HalfSpace, Polygon};
use signorini::steppers::{
    Evaluation, GapFunction, Mode, Run, StewartTrinkle, StewartTrinkleSettings,
};
use signorini_plot::Figure;

use super::cbat2007_common::{
    Failure, Trial, closed_form, difference, panel, source, step_claims, steps_plate, thinned,
};
use crate::experiment::{Effort, Experiment, Progress, Source};
use crate::report::{Report, Sheet};
use crate::value::Value;

const MU: f64 = 0.4;
const GRAVITY: f64 = 9.81;
/// End of the runs, s.
const UNTIL: f64 = 5.0;
/// Step of Fig. 1a, s.
const H: f64 = 0.01;
/// Corners of the polygons of Fig. 1a.
const CORNERS: [usize; 6] = [10, 20, 50, 100, 500, 1000];
/// Steps of Fig. 1b, s, for 1000 corners.
const STEPS: [f64; 5] = [0.01, 0.005, 0.001, 0.0005, 0.0001];
/// How many of them have claims; the finer ones, which take most of the time, are left to a full run.
const QUICK: usize = 3;
/// Kinetic energy after 5 s read off Fig. 1b, J.
const FIGURE_1B: [f64; 5] = [3.9, 5.2, 6.32, 6.32, 6.34];
/// Steps of the convergence of the sliding disc, s.
const HALVINGS: [f64; 4] = [0.01, 0.005, 0.0025, 0.00125];
/// Position of the sliding disc at the end, exact, m: it loses 1 m/s in 1/(μ g) s and rolls on at 2 m/s.
const SLIDING_END: f64 = -2.0 * UNTIL - 0.5 / (MU * GRAVITY);

/// The disc.
#[derive(Debug, Clone, Copy)]
pub struct Cbat2007Disc;

impl Experiment for Cbat2007Disc {
    fn id(&self) -> &'static str {
        "cbat2007-disc"
    }

    fn source(&self) -> Source {
        source("section V.A, Fig. 1")
    }

    fn title(&self) -> &'static str {
        "A disc rolls on a line, and polygons that stand for it"
    }

    fn run(&self, effort: Effort, progress: &dyn Progress) -> Result<Report, Failure> {
        let total = CORNERS.len() + STEPS.len() + 2;
        let mut report = Report::default();
        progress.progress(0, total, "disc");
        let rolling = disc([-3.0, 0.0, 3.0], H, GapFunction::SignedDistance)?;
        let printed = disc([-3.0, 0.0, 3.0], H, GapFunction::Surface)?;
        let still = world(Ball::new(1.0)?.into(), 0.0, [-3.0, 0.0, 0.0])?;
        let run = Run { h: H, until: UNTIL };
        let closed = Trial::run(&still, &still.initial_state(), &mut closed_form(), run)?;
        let sliding: Result<Vec<_>, _> = HALVINGS
            .iter()
            .map(|&h| disc([-3.0, 0.0, 0.0], h, GapFunction::SignedDistance))
            .collect();
        let sliding = sliding?;
        disc_claims(&mut report, &rolling, &printed, &sliding);
        report.measure(
            "sliding disc, largest difference to the scheme of Tzitzouris and Pang",
            difference(&sliding[0], &closed),
        );
        let mut all = vec![&rolling, &printed];
        all.extend(&sliding);
        step_claims(&mut report, &all, 1.0);

        let mut by_corners = Vec::new();
        for (index, corners) in CORNERS.into_iter().enumerate() {
            progress.progress(1 + index, total, &format!("{corners} corners"));
            by_corners.push(polygon(corners, H, Evaluation::Current)?);
        }
        let mut by_step = Vec::new();
        let steps = match effort {
            Effort::Quick => QUICK,
            _ => STEPS.len(),
        };
        for (index, &h) in STEPS[..steps].iter().enumerate() {
            progress.progress(1 + CORNERS.len() + index, total, &format!("h = {h} s"));
            by_step.push(polygon(1000, h, Evaluation::Current)?);
        }
        let ahead: Result<Vec<_>, _> = CORNERS
            .iter()
            .map(|&corners| polygon(corners, H, Evaluation::Predicted))
            .collect();
        let ahead = ahead?;
        polygon_claims(&mut report, &by_corners, &by_step, &ahead);
        figures(&mut report, &rolling, [&by_corners, &by_step, &ahead]);
        steps_plate(
            &mut report,
            &[
                ("rolling".to_owned(), &rolling),
                ("sliding, then rolling".to_owned(), &sliding[0]),
            ],
        );
        report.sheets = vec![figure_1b(&by_step)];
        progress.progress(total, total, "done");
        Ok(report)
    }
}

/// A body of 1 kg on the line.
fn world(shape: ConvexSet<2>, turn: f64, velocity: [f64; 3]) -> Result<World<2>, Failure> {
    let mut world = World::with_settings(WorldSettings {
        gravity: [0.0, -GRAVITY].into(),
        material: ContactMaterial {
            friction: MU,
            ..ContactMaterial::default()
        },
        ..WorldSettings::default()
    })?;
    world.add(Body::fixed("line", HalfSpace::up()))?;
    let mut disc = Body::moving("disc", 1.0, Inertia::Scalar(0.5));
    disc.shape = Some(shape.into());
    disc.position = vec![0.0, 1.0, turn];
    disc.velocity = velocity.to_vec();
    world.add(disc)?;
    Ok(world)
}

fn disc(velocity: [f64; 3], h: f64, gap: GapFunction) -> Result<Trial, Failure> {
    let world = world(Ball::new(1.0)?.into(), 0.0, velocity)?;
    let run = Run { h, until: UNTIL };
    Trial::of_both_forms(&world, &world.initial_state(), gap, run)
}

fn kinetic(v: &[f64]) -> f64 {
    0.5 * (v[0] * v[0] + v[1] * v[1] + 0.5 * v[2] * v[2])
}

impl Trial {
    fn kinetic_energy(&self) -> Vec<[f64; 2]> {
        let steps = self.trajectory.t.iter().zip(&self.trajectory.v);
        steps.map(|(t, v)| [*t, kinetic(v)]).collect()
    }
}

/// Kinetic energy over time of a polygon that begins on a corner.
fn polygon(corners: usize, h: f64, evaluation: Evaluation) -> Result<Vec<[f64; 2]>, Failure> {
    let shape = Polygon::regular(corners, 1.0)?;
    let lowest = shape.vertices().iter().min_by(|a, b| a[1].total_cmp(&b[1]));
    let lowest = lowest.expect("a polygon has corners");
    let turn = -std::f64::consts::FRAC_PI_2 - lowest[1].atan2(lowest[0]);
    let world = world(shape.into(), turn, [-3.0, 0.0, 3.0])?;
    let mut stepper = StewartTrinkle::new(StewartTrinkleSettings {
        evaluation,
        ..StewartTrinkleSettings::default()
    });
    let mut curve = Vec::new();
    let mut recorder = |_: &dyn System, state: &signorini::dynamics::State, _: Option<&_>| {
        curve.push([state.t, kinetic(&state.v)]);
        std::ops::ControlFlow::Continue(())
    };
    let mut state = world.initial_state();
    let run = Run { h, until: UNTIL };
    signorini::steppers::simulate(&world, &mut stepper, &mut state, run, &mut recorder)?;
    Ok(curve)
}

fn end(curve: &[[f64; 2]]) -> f64 {
    curve[curve.len() - 1][1]
}

fn disc_claims(report: &mut Report, rolling: &Trial, printed: &Trial, sliding: &[Trial]) {
    let change = |trial: &Trial| {
        let changes = trial.kinetic_energy();
        let changes = changes.iter().map(|point| (point[1] / 6.75 - 1.0).abs());
        changes.fold(0.0, f64::max)
    };
    report.measure(
        "disc, kinetic energy after 5 s",
        end(&rolling.kinetic_energy()),
    );
    report.measure(
        "disc, largest relative change of the kinetic energy",
        change(rolling),
    );
    report.measure(
        "disc, the same with the gap function as printed",
        change(printed),
    );
    let first = &sliding[0];
    let modes = first.modes((0, 1));
    let rolls = modes.iter().position(|&mode| mode == Mode::Stick);
    let rolls = rolls.map_or(UNTIL, |index| first.middle(index));
    report.measure("sliding disc, rolls from", rolls);
    let v = &first.trajectory.v[first.trajectory.len() - 1];
    report.measure("sliding disc, speed of the rolling", v[0]);
    let error = |trial: &Trial| {
        let q = &trial.trajectory.q[trial.trajectory.len() - 1];
        q[0] - SLIDING_END
    };
    report.measure(
        "sliding disc, position after 5 s",
        error(first) + SLIDING_END,
    );
    let orders = sliding
        .windows(2)
        .map(|pair| (error(&pair[0]) / error(&pair[1])).log2());
    let orders: Vec<_> = orders.collect();
    let worst = orders
        .iter()
        .copied()
        .max_by(|a, b| (a - 1.0).abs().total_cmp(&(b - 1.0).abs()));
    let listed: Vec<_> = orders.iter().map(|order| format!("{order:.4}")).collect();
    report
        .measure("sliding disc, order of the position", worst.unwrap_or(0.0))
        .note(format!("halvings from h = 0.01 s: {}", listed.join(", ")));
}

fn polygon_claims(
    report: &mut Report,
    by_corners: &[Vec<[f64; 2]>],
    by_step: &[Vec<[f64; 2]>],
    ahead: &[Vec<[f64; 2]>],
) {
    for (corners, curve) in CORNERS.into_iter().zip(by_corners) {
        let name = format!("{corners} corners, h = 0.01, kinetic energy after 5 s");
        report.measure(&name, end(curve));
    }
    for (h, curve) in STEPS.into_iter().zip(by_step).take(QUICK).skip(1) {
        report.measure(
            &format!("1000 corners, h = {h}, kinetic energy after 5 s"),
            end(curve),
        );
    }
    let ends: Vec<_> = by_corners.iter().map(|curve| end(curve)).collect();
    report.measure(
        "the loss shrinks as corners are added, up to 500",
        ends[..5].is_sorted(),
    );
    report.measure(
        "the loss saturates with the corners: from 500 to 1000",
        (ends[5] - ends[4]).abs(),
    );
    let ends: Vec<_> = by_step.iter().map(|curve| end(curve)).collect();
    report.measure("the loss shrinks with the step", ends[..QUICK].is_sorted());
    let least = ahead
        .iter()
        .map(|curve| end(curve))
        .fold(f64::MAX, f64::min);
    let listed: Vec<_> = ahead
        .iter()
        .map(|curve| format!("{:.4}", end(curve)))
        .collect();
    report
        .measure(
            "geometry at q + h v, h = 0.01: least kinetic energy after 5 s",
            least,
        )
        .note(format!("10 to 1000 corners: {} J", listed.join(", ")));
}

fn figures(
    report: &mut Report,
    rolling: &Trial,
    [by_corners, by_step, ahead]: [&[Vec<[f64; 2]>]; 3],
) {
    let disc = || vec![("disc, implicit".to_owned(), rolling.kinetic_energy())];
    let with = |curves: &[Vec<[f64; 2]>], label: &dyn Fn(usize) -> String| {
        let mut all = disc();
        all.extend(
            curves
                .iter()
                .enumerate()
                .map(|(k, curve)| (label(k), thinned(curve))),
        );
        panel("kinetic energy (J)", all)
    };
    let corners = |k: usize| format!("{} corners", CORNERS[k]);
    let step = |k: usize| format!("h = {}", STEPS[k]);
    report.plate(
        "fig1a",
        "Fig. 1a: kinetic energy of the disc and of polygons with geometry at the start of the step, h = 0.01 s.",
        Figure::new("Kinetic energy, by corners", 900, 520).with(with(by_corners, &corners)),
    );
    report.plate(
        "fig1b",
        "Fig. 1b: kinetic energy of the polygon with 1000 corners, by step.",
        Figure::new("Kinetic energy, by step", 900, 520).with(with(by_step, &step)),
    );
    report.plate(
        "ahead",
        "As Fig. 1a with geometry at q + h v: the loss nearly disappears.",
        Figure::new("Kinetic energy, geometry at q + h v", 900, 520).with(with(ahead, &corners)),
    );
}

/// The ends of the curves of Fig. 1b, those without claims included.
fn figure_1b(by_step: &[Vec<[f64; 2]>]) -> Sheet {
    let rows = STEPS.into_iter().zip(FIGURE_1B).zip(by_step);
    let row = |((h, printed), curve): ((f64, f64), &Vec<[f64; 2]>)| {
        let ours = Value::from(end(curve)).with_decimals(4);
        vec![
            Value::from(h).to_string(),
            Value::from(printed).to_string(),
            ours,
        ]
    };
    Sheet {
        caption:
            "Fig. 1b: kinetic energy of the polygon with 1000 corners after 5 s. The curves of the \
                  three finest steps nearly coincide."
                .to_owned(),
        header: ["h (s)", "read off the figure (J)", "ours (J)"]
            .map(str::to_owned)
            .to_vec(),
        rows: rows.map(row).collect(),
    }
}
