//! Draws one of everything into a folder: `cargo run -p signorini-plot --example gallery -- DIR`.

use std::error::Error;
use std::path::Path;

use signorini_plot::{
    Anchor, AxisScale, Color, Dash, Figure, FramesPlot, LegendEntry, LinePlot, Mark, Paint, Series,
    Shape, Style, Trace,
};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("usage: gallery DIR")?;
    std::fs::create_dir_all(&folder)?;
    for (name, figure) in [("curves", curves()), ("frames", frames()), ("grid", grid())] {
        let (svg, png) = figure.svg_and_png()?;
        std::fs::write(Path::new(&folder).join(name).with_extension("svg"), svg)?;
        std::fs::write(Path::new(&folder).join(name).with_extension("png"), png)?;
    }
    Ok(())
}

fn wave(frequency: f64, amplitude: f64) -> Vec<[f64; 2]> {
    let point = |i| f64::from(i) / 200.0;
    (0..=200)
        .map(point)
        .map(|t| [t, amplitude * (frequency * t).cos()])
        .collect()
}

fn lines(count: u32, amplitude: f64) -> LinePlot {
    let series = (0..count).map(|i| {
        let style = Style::nth(i as usize);
        Series::new(
            format!("h = {}", 0.02 / f64::from(1 << i)),
            wave(f64::from(i + 4), amplitude),
            style,
        )
    });
    LinePlot {
        title: format!("{count} curves"),
        x_label: "t (s)".into(),
        y_label: "angular velocity ω (rad/s)".into(),
        series: series.collect(),
        ..LinePlot::default()
    }
}

fn curves() -> Figure {
    let mut plot = lines(5, 2.0);
    plot.marks = vec![
        Mark {
            x: 0.3858,
            label: "impact".into(),
        },
        Mark {
            x: 0.4191,
            label: "slips".into(),
        },
        Mark {
            x: 0.96,
            label: "at rest".into(),
        },
    ];
    plot.series[4].style = Style {
        trace: Trace::Dots,
        ..Style::nth(4)
    };
    plot.series[3].style = Style {
        dash: Dash::Dashed,
        ..Style::nth(3)
    };
    plot.series[2].style = Style {
        dash: Dash::Dotted,
        ..Style::nth(2)
    };
    Figure::new("Curves, marks and a legend beside them", 800, 480).with(plot)
}

fn frames() -> Figure {
    let mut plot = FramesPlot::new("Rod at five times", "x (m)", "y (m)");
    let ground = vec![[-0.6, 0.0], [0.8, 0.0], [0.8, -0.08], [-0.6, -0.08]];
    plot.add(Shape::Polygon { points: ground }, Paint::body(Color::GREY));
    for i in 0..5 {
        let t = 0.1 * f64::from(i);
        let centre = [0.1 * t, 1.0 - 4.9 * t * t];
        let angle = 0.5 + 4.0 * t;
        let rod = Shape::Stadium {
            centre,
            angle,
            half_length: 0.25,
            radius: 0.05,
        };
        plot.add(rod, Paint::body(Color::BLUE));
        plot.label(centre, format!("t = {t:.1}"));
    }
    plot.add(
        Shape::Circle {
            centre: [0.6, 0.1],
            radius: 0.1,
        },
        Paint::body(Color::GREEN),
    );
    plot.add(
        Shape::Arrow {
            from: [0.6, 0.1],
            to: [0.4, 0.3],
        },
        Paint::line(Color::VERMILION),
    );
    plot.add(
        Shape::Arrow {
            from: [0.6, 0.1],
            to: [0.63, 0.13],
        },
        Paint::line(Color::VERMILION),
    );
    let path = vec![[0.6, 0.1], [0.7, 0.5], [0.6, 2.0]];
    plot.add(
        Shape::Line { points: path },
        Paint {
            dash: Dash::Dashed,
            ..Paint::line(Color::PURPLE)
        },
    );
    for text in ["same place", "same place too"] {
        let label = Shape::Label {
            at: [0.6, 0.1],
            text: text.into(),
            anchor: Anchor::Above,
        };
        plot.add(label, Paint::line(Color::BLACK));
    }
    plot.legend.push(LegendEntry {
        label: "impulse".into(),
        style: Style {
            color: Color::VERMILION,
            ..Style::nth(0)
        },
    });
    plot.y_range = Some([-0.1, 1.4]);
    Figure::new("Shapes to scale", 640, 640).with(plot)
}

fn grid() -> Figure {
    let order = [0.02, 0.01, 0.005, 0.0025, 0.00125].map(|h| [h, 30.0 * h]);
    let log = LinePlot {
        title: "First order".into(),
        x_label: "step h (s)".into(),
        y_label: "error (m/s)".into(),
        series: vec![Series::new(
            "error",
            order.to_vec(),
            Style {
                trace: Trace::LineAndDots,
                ..Style::nth(1)
            },
        )],
        x_scale: AxisScale::Logarithmic,
        y_scale: AxisScale::Logarithmic,
        ..LinePlot::default()
    };
    let mut steps = lines(1, 3e-9);
    steps.title = "Small numbers, steps".into();
    steps.series[0].points = (0..9)
        .map(|i| [f64::from(i), f64::from(i % 3) * 3e-9])
        .collect();
    steps.series[0].style.trace = Trace::Steps;
    let mut large = lines(3, -2.5e6);
    large.x_range = Some([0.0, 0.5]);
    Figure::new("A grid", 1000, 640)
        .columns(2)
        .with(log)
        .with(steps)
        .with(large)
        .with(lines(2, 1.0))
}
