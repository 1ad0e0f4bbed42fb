//! CBAT2007 section V.C: a sphere lies in the groove between two larger ones, is pushed along and leaves them.
//!
//! Unit sphere, as an ellipsoid with equal half axes, on fixed spheres of radius 10 at the origin and 9 at (0, 11.4, 0), under
//! the force (1, 2.6, −9.81) N; e = (1, 1, 0.3 m), μ = 0.2. Inferred are the mass 1 kg and the moment of inertia 2/5 m r².
//! Event times and v_x are compared with those of an event-driven integration.
//!
//! # References
//! - \[CBAT2007\] N. Chakraborty, S. Berard, S. Akella, J. C. Trinkle, An implicit time-stepping method for multibody systems
//!   with intermittent contact, RSS 2007, section V.C, Figs. 6–8.

use nalgebra::Vector3;
use signorini::dynamics::{Body, ContactMaterial, Inertia, World, WorldSettings};
use signorini::geometry::{Ball, ConvexSet, Ellipsoid};
use signorini::steppers::{
    ContactReport, Evaluation, GapFunction, Mode, Run, StewartTrinkle, StewartTrinkleSettings,
};
use signorini_plot::{
    Color, Dash, Figure, FramesPlot, LinePlot, Mark, Paint, Series, Shape, Style,
};

use super::cbat2007_common::{
    Failure, Trial, closed_form, difference, panel, source, step_claims, steps_plate,
};
use crate::claims::Verdict;
use crate::experiment::{Effort, Experiment, Progress, Source};
use crate::report::Report;

const MU: f64 = 0.2;
/// Half axis of the torsion, m.
const TORSION: f64 = 0.3;
/// Steps of the paper and of the convergence, s.
const STEPS: [f64; 4] = [0.02, 0.01, 0.005, 0.0025];
/// Which of them the figures show.
const SHOWN: usize = 1;
/// End of the run, s.
const UNTIL: f64 = 4.0;
/// When v_x is compared, s.
const COMPARED: f64 = 2.0;
/// v_x then, event-driven, m/s.
const EXACT: f64 = 1.524_773;
/// The contacts with the two large spheres.
const PAIRS: [(u32, u32); 2] = [(0, 2), (1, 2)];

/// The two spheres.
#[derive(Debug, Clone, Copy)]
pub struct Cbat2007TwoSpheres;

impl Experiment for Cbat2007TwoSpheres {
    fn id(&self) -> &'static str {
        "cbat2007-two-spheres"
    }

    fn source(&self) -> Source {
        source("section V.C, Figs. 6–8")
    }

    fn title(&self) -> &'static str {
        "A sphere in the groove between two larger ones"
    }

    fn run(&self, _effort: Effort, progress: &dyn Progress) -> Result<Report, Failure> {
        let total = STEPS.len() + 2;
        let mut trials = Vec::new();
        for (index, h) in STEPS.into_iter().enumerate() {
            progress.progress(index, total, &format!("h = {h} s"));
            let until = if index <= SHOWN { UNTIL } else { COMPARED };
            trials.push(trial(h, until, GapFunction::SignedDistance)?);
        }
        progress.progress(STEPS.len(), total, "gap function as printed");
        let printed = trial(STEPS[SHOWN], UNTIL, GapFunction::Surface)?;
        let closed = closed_form_trial(STEPS[SHOWN])?;
        progress.progress(STEPS.len() + 1, total, "linear scheme");
        let linear = linear_trial(STEPS[SHOWN])?;

        let mut report = Report::default();
        let shown = &trials[SHOWN];
        event_claims(&mut report, shown);
        velocity_claims(&mut report, &trials);
        friction_claims(&mut report, shown);
        let by_gap = difference(shown, &printed);
        report.measure(
            "largest difference with the gap function as printed",
            by_gap,
        );
        report.measure(
            "largest difference to the scheme of Tzitzouris and Pang",
            difference(shown, &closed),
        );
        comparison(&mut report, shown, &linear);
        let mut all: Vec<_> = trials.iter().collect();
        all.push(&printed);
        step_claims(&mut report, &all, 1.0);
        speed_claims(&mut report, shown);
        figures(&mut report, shown, &closed, &linear);
        steps_plate(
            &mut report,
            &[
                ("closest points as unknowns".to_owned(), shown),
                ("closest points computed".to_owned(), &closed),
            ],
        );
        progress.progress(total, total, "done");
        Ok(report)
    }
}

fn world(shape: ConvexSet<3>, torsion: f64) -> Result<World<3>, Failure> {
    let mut world = World::with_settings(WorldSettings {
        gravity: [1.0, 2.6, -9.81].into(),
        material: ContactMaterial {
            friction: MU,
            ellipsoid: [1.0, 1.0, torsion],
            ..ContactMaterial::default()
        },
        ..WorldSettings::default()
    })?;
    world.add(Body::fixed("sphere 1", Ball::new(10.0)?))?;
    let mut second = Body::fixed("sphere 2", Ball::new(9.0)?);
    second.position[1] = 11.4;
    world.add(second)?;
    let mut sphere = Body::moving("sphere", 1.0, Inertia::Scalar(0.4));
    sphere.shape = Some(shape.into());
    sphere.position[1..3].copy_from_slice(&[6.621_052_631_578_95, 8.784_171_107_729_03]);
    world.add(sphere)?;
    Ok(world)
}

fn trial(h: f64, until: f64, gap: GapFunction) -> Result<Trial, Failure> {
    let world = world(ellipsoid()?, TORSION)?;
    Trial::of_both_forms(&world, &world.initial_state(), gap, Run { h, until })
}

/// The scheme of Tzitzouris and Pang, with the sphere as a ball.
fn closed_form_trial(h: f64) -> Result<Trial, Failure> {
    let world = world(Ball::new(1.0)?.into(), TORSION)?;
    let run = Run { h, until: UNTIL };
    Trial::run(&world, &world.initial_state(), &mut closed_form(), run)
}

/// The sphere as an ellipsoid.
fn ellipsoid() -> Result<ConvexSet<3>, Failure> {
    Ok(Ellipsoid::new(Vector3::new(1.0, 1.0, 1.0))?.into())
}

/// Stewart and Trinkle's scheme with geometry at the start of the step; it knows no torsion.
fn linear_trial(h: f64) -> Result<Trial, Failure> {
    let world = world(ellipsoid()?, 0.0)?;
    let mut stepper = StewartTrinkle::new(StewartTrinkleSettings {
        evaluation: Evaluation::Current,
        ..StewartTrinkleSettings::default()
    });
    let run = Run { h, until: UNTIL };
    Trial::run(&world, &world.initial_state(), &mut stepper, run)
}

/// First step of the mode, after the first tenth of a second.
fn first(trial: &Trial, pair: usize, mode: Mode) -> f64 {
    let modes = trial.modes(PAIRS[pair]);
    let found = (0..modes.len()).find(|&k| trial.middle(k) > 0.1 && modes[k] == mode);
    found.map_or(f64::INFINITY, |k| trial.middle(k))
}

fn event_claims(report: &mut Report, shown: &Trial) {
    report.measure("contact 2 begins to slide", first(shown, 1, Mode::Slip));
    report.measure("contact 1 opens", first(shown, 0, Mode::Open));
    report.measure("contact 2 opens", first(shown, 1, Mode::Open));
    let sticks = shown.modes(PAIRS[0]).contains(&Mode::Stick);
    report.measure("contact 1 slides as long as it is closed", !sticks);
}

fn velocity_claims(report: &mut Report, trials: &[Trial]) {
    let at = |trial: &Trial| {
        let curve = trial.velocity(0);
        let near = |point: &&[f64; 2]| (point[0] - COMPARED).abs() < 0.25 * trial.h;
        curve.iter().find(near).map_or(f64::NAN, |point| point[1])
    };
    let speeds: Vec<_> = trials.iter().map(at).collect();
    report.measure("v_x after 2 s, h = 0.01", speeds[SHOWN]);
    let errors: Vec<_> = speeds.iter().map(|v| v - EXACT).collect();
    let orders: Vec<_> = errors.windows(2).map(|e| (e[0] / e[1]).log2()).collect();
    let listed: Vec<_> = orders.iter().map(|order| format!("{order:.4}")).collect();
    report
        .measure("order of v_x after 2 s", orders[orders.len() - 1])
        .note(format!("halvings from h = 0.02 s: {}", listed.join(", ")));
}

fn friction_claims(report: &mut Report, shown: &Trial) {
    let cone = |c: &ContactReport| {
        let [n, t, o] = [c.impulse[0], c.impulse[1], c.impulse[2]];
        (t.hypot(o), t.hypot(o).hypot(c.torsion / TORSION), MU * n)
    };
    let reports = shown.trajectory.reports.iter().flat_map(|r| &r.contacts);
    let sliding = reports.filter(|c| (c.id.a, c.id.b) == PAIRS[0] && c.mode == Mode::Slip);
    let (mut whole, mut force) = (0.0_f64, 0.0_f64);
    for contact in sliding {
        let (tangential, norm, limit) = cone(contact);
        whole = whole.max((norm / limit - 1.0).abs());
        force = force.max((tangential / limit - 1.0).abs());
    }
    report.measure(
        "contact 1, friction off the ellipsoid of radius μ p_n",
        whole,
    );
    let verdict = if force > 1e-6 {
        Verdict::NotReproduced
    } else {
        Verdict::Reproduced
    };
    report.verdict("contact 1, tangential force off μ p_n", force, verdict);
}

/// The linear scheme's curves against those of the implicit one.
fn comparison(report: &mut Report, shown: &Trial, linear: &Trial) {
    let roughness = |trial: &Trial| {
        let force = trial.contact(PAIRS[1], |c| c.impulse[0] / trial.h);
        // While contact 2 sticks and no event is near.
        let steady = force
            .iter()
            .filter(|f| f[0] > 0.5 && f[0] < 2.5)
            .map(|f| f[1]);
        let steady: Vec<_> = steady.collect();
        let bends = steady.windows(3).map(|f| (f[0] - 2.0 * f[1] + f[2]).abs());
        bends.fold(0.0, f64::max)
    };
    report.measure(
        "linear scheme, largest second difference of the force at contact 2",
        roughness(linear),
    );
    report.measure(
        "implicit scheme, largest second difference of the force at contact 2",
        roughness(shown),
    );
}

/// The sliding speeds, as the paper tells of them.
fn speed_claims(report: &mut Report, shown: &Trial) {
    let [first, second] = PAIRS.map(|pair| {
        let modes = shown.modes(pair);
        let speeds = shown.sliding_speed(pair).into_iter().map(|p| p[1]);
        speeds.zip(modes).collect::<Vec<_>>()
    });
    let rolling = second.iter().filter(|(_, mode)| *mode == Mode::Stick);
    let largest = rolling.map(|(speed, _)| *speed).fold(0.0, f64::max);
    report.measure("contact 2, largest sliding speed while it rolls", largest);
    let sliding = first.iter().filter(|(_, mode)| *mode == Mode::Slip);
    let speeds: Vec<_> = sliding.map(|(speed, _)| *speed).collect();
    report.measure(
        "contact 1, the sliding speed increases until it opens",
        speeds.is_sorted(),
    );
}

/// Event-driven times, as marks.
fn marked(label: &str, curves: Vec<(String, Vec<[f64; 2]>)>) -> LinePlot {
    let events = [
        (2.944_81, "2 slides"),
        (3.213_20, "1 opens"),
        (3.701_59, "2 opens"),
    ];
    let mark = |(x, label): (f64, &str)| Mark {
        x,
        label: label.to_owned(),
    };
    LinePlot {
        marks: events.map(mark).to_vec(),
        ..panel(label, curves)
    }
}

const NAMES: [&str; 6] = ["v_x", "v_y", "v_z", "ω_x", "ω_y", "ω_z"];

fn figures(report: &mut Report, shown: &Trial, closed: &Trial, linear: &Trial) {
    report.plate(
        "fig5",
        "Fig. 5: the small sphere and the two large ones, seen along x.",
        scene(shown),
    );
    report.plate(
        "fig6",
        "Fig. 6: velocities of the sphere at h = 0.01 s: this scheme (solid), that of Tzitzouris and Pang (dashed, on top of it), \
         and the linear scheme (dotted), which knows no torsion, with 8 directions and geometry at the start of the step. The \
         marks are the event-driven times.",
        Figure::new("Velocities", 900, 900)
            .with(schemes("m/s", 0..3, [shown, closed, linear]))
            .with(schemes("rad/s", 3..6, [shown, closed, linear])),
    );
    for (index, name) in ["fig7", "fig8"].into_iter().enumerate() {
        let part = |label: &str, value: &dyn Fn(&ContactReport) -> f64| {
            (
                label.to_owned(),
                shown.contact(PAIRS[index], |c| value(c) / shown.h),
            )
        };
        let forces = vec![
            part("normal force", &|c| c.impulse[0]),
            part("friction limit μ p_n", &|c| MU * c.impulse[0]),
            part("tangential force", &|c| c.impulse[1].hypot(c.impulse[2])),
            part("moment about the normal", &|c| c.torsion),
        ];
        let speed = vec![(String::new(), shown.sliding_speed(PAIRS[index]))];
        report.plate(
            name,
            &format!(
                "Fig. {}: forces and sliding speed at contact {} at h = 0.01 s.",
                7 + index,
                index + 1
            ),
            Figure::new("Force and sliding speed", 900, 760)
                .with(marked("N, N m", forces))
                .with(marked("sliding speed (m/s)", speed)),
        );
    }
}

/// Velocities of the three schemes in one panel.
fn schemes(label: &str, components: std::ops::Range<usize>, trials: [&Trial; 3]) -> LinePlot {
    let mut plot = marked(label, Vec::new());
    let looks = [
        (Dash::Solid, 3.0, ""),
        (Dash::Dashed, 1.2, "Tzitzouris and Pang"),
        (Dash::Dotted, 1.5, "linear"),
    ];
    for (trial, (dash, width, name)) in trials.into_iter().zip(looks) {
        for (number, k) in components.clone().enumerate() {
            let color = match dash {
                Dash::Dashed => Color::BLACK,
                Dash::Solid => Color::nth(number).fade(0.6),
                Dash::Dotted => Color::nth(number),
            };
            let legend = match dash {
                Dash::Solid => NAMES[k],
                _ if number == 0 => name,
                _ => "",
            };
            let style = Style {
                color,
                width,
                dash,
                ..Style::default()
            };
            let series = Series::new(legend, trial.velocity(k), style);
            plot.series.push(series);
        }
    }
    plot
}

/// The three spheres at the start, and the small one's path.
fn scene(shown: &Trial) -> Figure {
    let mut frames = FramesPlot::new("", "y (m)", "z (m)");
    let mut ball = |centre, radius, color| {
        frames.add(Shape::Circle { centre, radius }, Paint::body(color));
    };
    ball([0.0, 0.0], 10.0, Color::GREY);
    ball([11.4, 0.0], 9.0, Color::GREY);
    let q = &shown.trajectory.q;
    ball([q[0][1], q[0][2]], 1.0, Color::BLUE);
    let end = &q[q.len() - 1];
    ball([end[1], end[2]], 1.0, Color::VERMILION);
    let points = q.iter().map(|q| [q[1], q[2]]).collect();
    frames.add(Shape::Line { points }, Paint::line(Color::BLACK));
    frames.label([0.0, 4.0], "1");
    frames.label([12.0, 4.0], "2");
    Figure::new("Start (blue) and 4 s later (red)", 700, 520).with(frames)
}
