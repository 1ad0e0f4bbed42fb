//! Figs. 2 to 5, and the errors.

use signorini_plot::{
    Anchor, AxisScale, Color, Dash, Figure, FramesPlot, LinePlot, Mark, Paint, Series, Shape,
    Style, Trace,
};

use super::exact::{Course, Motion};
use super::{HALF_LENGTH, RADIUS, RodRun, UNTIL};
use crate::report::Report;
use crate::value::Value;

/// Times of the frames of Fig. 2, s.
const FRAMES: [f64; 10] = [0.0, 0.1, 0.2, 0.3, 0.385, 0.42, 0.46, 0.5, 0.53, 0.57];

pub(super) fn draw(report: &mut Report, course: &Course, runs: &[RodRun]) {
    report.plate(
        "fig2",
        "Fig. 2: frames of the rod at h = 0.0025 s, with the time in seconds at one end.",
        frames(&runs[3]),
    );
    let quantities = [
        (4, "fig3", "Vertical velocity of the rod", "v_y (m/s)"),
        (5, "fig4", "Angular velocity of the rod", "ω (rad/s)"),
    ];
    for (index, name, title, label) in quantities {
        let caption = format!(
            "{}: {} for several h, and the event-driven course (dashed).",
            name.replace("fig", "Fig. "),
            title.to_lowercase(),
        );
        let whole = curves(course, runs, Quantity { index, label }, None);
        let close = curves(course, runs, Quantity { index, label }, Some([0.36, 0.6]));
        let figure = Figure::new(title, 900, 760).with(whole).with(close);
        report.plate(name, &caption, figure);
    }
    let x = curves(
        course,
        runs,
        Quantity {
            index: 0,
            label: "x (m)",
        },
        None,
    );
    let y = curves(
        course,
        runs,
        Quantity {
            index: 1,
            label: "y (m)",
        },
        None,
    );
    report.plate(
        "fig5",
        "Fig. 5: position of the rod's centre for several h, and the event-driven course (dashed).",
        Figure::new("Position of the rod's centre", 900, 760)
            .with(x)
            .with(y),
    );
}

/// The errors of `runs`, the longest step first.
pub(super) fn draw_convergence(report: &mut Report, course: &Course, runs: &[&RodRun]) {
    report.plate(
        "convergence",
        "Largest error of x, y (m) and θ (rad) against the event-driven course. The line has slope 1.",
        convergence(course, runs),
    );
}

fn frames(run: &RodRun) -> Figure {
    let mut plot = FramesPlot::new("", "x (m)", "y (m)");
    let ground = vec![[-2.0, 0.0], [2.0, 0.0], [2.0, -0.06], [-2.0, -0.06]];
    plot.add(Shape::Polygon { points: ground }, Paint::body(Color::GREY));
    let motions: Vec<_> = run.motions().collect();
    for (index, time) in FRAMES.into_iter().enumerate() {
        let Some(&(t, m)) = motions.iter().find(|(t, _)| *t > time - 0.5 * run.h) else {
            continue;
        };
        let color = Color::nth(index);
        let rod = Shape::Stadium {
            centre: [m[0], m[1]],
            angle: m[2],
            half_length: HALF_LENGTH,
            radius: RADIUS,
        };
        plot.add(
            rod,
            Paint {
                fill: Some(color.fade(0.08)),
                ..Paint::line(color)
            },
        );
        let reach = HALF_LENGTH + RADIUS;
        let end = [m[0] + reach * m[2].cos(), m[1] + reach * m[2].sin()];
        let anchor = if end[0] > m[0] {
            Anchor::Right
        } else {
            Anchor::Left
        };
        let text = Value::from((t * 1e4).round() / 1e4).to_string();
        plot.add(
            Shape::Label {
                at: end,
                text,
                anchor,
            },
            Paint::line(color),
        );
    }
    plot.x_range = Some([-0.65, 0.55]);
    plot.y_range = Some([-0.06, 1.3]);
    Figure::new("Falling and spinning rod, h = 0.0025 s", 760, 860).with(plot)
}

#[derive(Clone, Copy)]
struct Quantity {
    index: usize,
    label: &'static str,
}

fn curves(
    course: &Course,
    runs: &[RodRun],
    quantity: Quantity,
    part: Option<[f64; 2]>,
) -> LinePlot {
    let Quantity { index, label } = quantity;
    let trace = if index < 3 { Trace::Line } else { Trace::Steps };
    let mut series: Vec<_> = runs
        .iter()
        .enumerate()
        .map(|(number, run)| {
            let points = run.motions().map(|(t, m)| [t, m[index]]).collect();
            Series::new(
                format!("h = {}", run.h),
                points,
                Style {
                    trace,
                    ..Style::nth(number)
                },
            )
        })
        .collect();
    let style = Style {
        color: Color::BLACK,
        width: 1.2,
        dash: Dash::Dashed,
        trace: Trace::Line,
    };
    series.push(Series::new("exact", exact_curve(course, index), style));
    let events = course.events();
    let named = [
        (events.impact, "impact"),
        (events.sliding, "slides"),
        (events.slap_down, "slap-down"),
        (events.rest, "rest"),
    ];
    let mark = |(x, label): (f64, &str)| Mark {
        x,
        label: label.to_owned(),
    };
    LinePlot {
        x_label: "t (s)".to_owned(),
        y_label: label.to_owned(),
        series,
        marks: if part.is_some() {
            named.map(mark).to_vec()
        } else {
            Vec::new()
        },
        x_range: part,
        ..LinePlot::default()
    }
}

/// The exact course, with both sides of each jump.
fn exact_curve(course: &Course, index: usize) -> Vec<[f64; 2]> {
    const POINTS: u32 = 1400;
    let events = course.events();
    let value = |t: f64| -> [f64; 2] {
        let m: Motion = course.at(t);
        [t, m[index]]
    };
    let mut times: Vec<f64> = (0..=POINTS)
        .map(|i| UNTIL * f64::from(i) / f64::from(POINTS))
        .collect();
    for jump in [events.impact, events.slap_down] {
        times.extend([jump - 1e-9, jump + 1e-9]);
    }
    times.sort_by(f64::total_cmp);
    times.into_iter().map(value).collect()
}

fn convergence(course: &Course, runs: &[&RodRun]) -> Figure {
    let errors: Vec<_> = runs
        .iter()
        .map(|run| [run.h, run.position_error(course)])
        .collect();
    let last = errors[errors.len() - 1];
    let line = [last[0], 0.04].map(|h| [h, last[1] * h / last[0]]);
    let dashed = Style {
        color: Color::GREY,
        dash: Dash::Dashed,
        ..Style::nth(0)
    };
    Figure::new("Convergence of the rod's position", 700, 480).with(LinePlot {
        x_label: "h (s)".to_owned(),
        y_label: "largest error of x, y, θ".to_owned(),
        series: vec![
            Series::new("first order", line.to_vec(), dashed),
            Series::new(
                "error",
                errors,
                Style {
                    trace: Trace::LineAndDots,
                    ..Style::nth(1)
                },
            ),
        ],
        x_scale: AxisScale::Logarithmic,
        y_scale: AxisScale::Logarithmic,
        ..LinePlot::default()
    })
}
