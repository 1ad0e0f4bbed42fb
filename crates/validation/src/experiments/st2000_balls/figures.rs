//! Figs. 6 to 8, and the errors.

use signorini_plot::{
    AxisScale, Color, Dash, Figure, FramesPlot, LegendEntry, LinePlot, Paint, Series, Shape, Style,
    Trace,
};

use super::collision::{Collision, Impulse};
use super::{BallRun, CENTRES, RADIUS, SHOWN, STEPS, Sweep};
use crate::report::Report;

/// Metres of arrow per N s.
const ARROW: f64 = 0.2;

pub(super) fn draw(report: &mut Report, linear: &Sweep, nonlinear: &Sweep, collision: &Collision) {
    report.plate(
        "fig6",
        "Fig. 6: impulses on the balls in the collision step at h = 0.0025 s, from the side and from above; \
         0.2 m of arrow is 1 N s. Friction arrows start beside the contact point, in the ball they act on.",
        Figure::new("Impulses at the collision of the balls", 1000, 760)
            .with(impulses(collision, View::ELEVATION))
            .with(impulses(collision, View::PLAN)),
    );
    let run = &linear.runs[SHOWN];
    report.plate(
        "fig7",
        "Fig. 7: elevation view of the balls at h = 0.0025 s, from t = 0 (dashed) to t = 1 s.",
        Figure::new("Elevation view of the balls", 1000, 620).with(tracks(run, View::ELEVATION)),
    );
    report.plate(
        "fig8",
        "Fig. 8: plan view of the balls at h = 0.0025 s, from t = 0 (dashed) to t = 1 s.",
        Figure::new("Plan view of the balls", 1000, 430).with(tracks(run, View::PLAN)),
    );
    report.plate(
        "table1",
        "Table 1 drawn: errors against h = 0.00125 s. The curves of the two versions lie on each other; the \
         dotted line has slope 1.",
        errors(linear, nonlinear),
    );
}

/// Which two coordinates a view shows.
#[derive(Clone, Copy)]
struct View {
    title: &'static str,
    up: usize,
    label: &'static str,
}

impl View {
    const ELEVATION: Self = Self {
        title: "Elevation",
        up: 2,
        label: "z (m)",
    };
    const PLAN: Self = Self {
        title: "Plan",
        up: 1,
        label: "y (m)",
    };

    fn of(self, x: &[f64]) -> [f64; 2] {
        [x[0], x[self.up]]
    }
}

fn ball(q: &[f64], view: View) -> Shape {
    Shape::Circle {
        centre: view.of(q),
        radius: RADIUS,
    }
}

fn ground(plot: &mut FramesPlot, view: View) {
    if view.up == 2 {
        let points = vec![[-5.0, 0.0], [5.0, 0.0], [5.0, -5.0], [-5.0, -5.0]];
        plot.add(Shape::Polygon { points }, Paint::body(Color::GREY));
    }
}

fn tracks(run: &BallRun, view: View) -> FramesPlot {
    let mut plot = FramesPlot::new("", "x (m)", view.label);
    ground(&mut plot, view);
    let last = &run.trajectory.q[run.trajectory.len() - 1];
    for (index, start) in CENTRES.iter().enumerate() {
        let color = Color::nth(index);
        let dashed = Paint {
            dash: Dash::Dashed,
            ..Paint::line(color.fade(0.6))
        };
        plot.add(ball(start, view), dashed);
        plot.add(ball(&last[7 * index..], view), Paint::body(color));
        let points = run
            .trajectory
            .q
            .iter()
            .map(|q| view.of(&q[7 * index..]))
            .collect();
        plot.add(
            Shape::Line { points },
            Paint {
                width: 1.5,
                ..Paint::line(color)
            },
        );
        plot.legend.push(LegendEntry {
            label: format!("ball {}", index + 1),
            style: Style::nth(index),
        });
    }
    plot.x_range = Some([-0.15, 2.0]);
    plot.y_range = Some(if view.up == 2 {
        [-0.05, 1.15]
    } else {
        [-0.25, 0.35]
    });
    plot
}

fn impulses(collision: &Collision, view: View) -> FramesPlot {
    let mut plot = FramesPlot::new(view.title, "x (m)", view.label);
    ground(&mut plot, view);
    for (index, q) in collision.positions.chunks_exact(7).enumerate() {
        plot.add(
            ball(q, view),
            Paint {
                fill: None,
                ..Paint::body(Color::nth(index))
            },
        );
    }
    for impulse in &collision.impulses {
        arrows(&mut plot, impulse, view);
    }
    let entry = |label: &str, color| LegendEntry {
        label: label.to_owned(),
        style: Style {
            color,
            ..Style::nth(0)
        },
    };
    plot.legend = vec![
        entry("normal impulse", Color::BLACK),
        entry("friction impulse", Color::VERMILION),
    ];
    plot.x_range = Some([0.65, 1.6]);
    plot.y_range = Some(if view.up == 2 {
        [-0.05, 0.3]
    } else {
        [-0.12, 0.2]
    });
    plot
}

fn arrows(plot: &mut FramesPlot, impulse: &Impulse, view: View) {
    /// Distance of the friction arrow from the contact point, m.
    const ASIDE: f64 = 0.012;

    let shifted = |from: [f64; 3], by: [f64; 3], part: f64| -> [f64; 3] {
        std::array::from_fn(|i| from[i] + part * by[i])
    };
    let start = shifted(impulse.point, impulse.inward, ASIDE);
    for (from, vector, color) in [
        (impulse.point, impulse.normal, Color::BLACK),
        (start, impulse.friction, Color::VERMILION),
    ] {
        let to = shifted(from, vector, ARROW);
        let arrow = Shape::Arrow {
            from: view.of(&from),
            to: view.of(&to),
        };
        plot.add(
            arrow,
            Paint {
                width: 1.6,
                ..Paint::line(color)
            },
        );
    }
}

fn errors(linear: &Sweep, nonlinear: &Sweep) -> Figure {
    let marked = |index: usize, dash| Style {
        trace: Trace::LineAndDots,
        dash,
        ..Style::nth(index)
    };
    let mut series = Vec::new();
    for (sweep, version, dash) in [
        (linear, "", Dash::Solid),
        (nonlinear, ", fixed point", Dash::Dashed),
    ] {
        let points = |value: &dyn Fn(usize) -> f64| {
            (0..sweep.errors.len())
                .map(|i| [STEPS[i], value(i)])
                .collect::<Vec<_>>()
        };
        let velocity = points(&|i| sweep.errors[i].velocity);
        let position = points(&|i| sweep.errors[i].position);
        series.push(Series::new(
            format!("velocity{version}"),
            velocity,
            marked(0, dash),
        ));
        series.push(Series::new(
            format!("position{version}"),
            position,
            marked(1, dash),
        ));
    }
    let line = vec![[0.0025, 0.02], [0.02, 0.16]];
    let dotted = Style {
        color: Color::GREY,
        dash: Dash::Dotted,
        ..Style::nth(0)
    };
    series.push(Series::new("first order", line, dotted));
    Figure::new("Errors of Table 1", 760, 480).with(LinePlot {
        x_label: "h (s)".to_owned(),
        y_label: "error".to_owned(),
        series,
        x_scale: AxisScale::Logarithmic,
        y_scale: AxisScale::Logarithmic,
        ..LinePlot::default()
    })
}
