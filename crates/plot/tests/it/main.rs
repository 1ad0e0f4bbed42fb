//! What a figure must do, seen from outside.

use signorini_plot::{AxisScale, Color, Figure, FramesPlot, LinePlot, Paint, Series, Shape, Style};

fn curve(points: &[[f64; 2]]) -> LinePlot {
    LinePlot {
        title: "panel".into(),
        x_label: "t (s)".into(),
        y_label: "v (m/s)".into(),
        series: vec![Series::new("rod", points.to_vec(), Style::nth(0))],
        ..LinePlot::default()
    }
}

fn figure(points: &[[f64; 2]]) -> Figure {
    Figure::new("a < b & c", 400, 300).with(curve(points))
}

#[test]
fn same_figure_gives_the_same_bytes() {
    let figure = figure(&[[0.0, 0.0], [1.0, 2.0], [2.0, -1.0]]);
    assert_eq!(figure.svg().unwrap(), figure.svg().unwrap());
    assert_eq!(
        figure.svg_and_png().unwrap(),
        (figure.svg().unwrap(), figure.png().unwrap())
    );
}

#[test]
fn svg_needs_no_font_and_no_network() {
    let svg = figure(&[[0.0, 0.0], [1.0, 2.0]]).svg().unwrap();
    assert!(!svg.contains("<text") && !svg.contains("font-family"));
    assert!(!svg.contains("href"));
    assert!(svg.contains("<title>a &lt; b &amp; c</title>"));
    // Labels became outlines: many more paths than the axes and the curve need.
    assert!(svg.matches("<path").count() > 20);
}

#[test]
fn png_has_twice_the_size() {
    let png = figure(&[[0.0, 0.0], [1.0, 2.0]]).png().unwrap();
    let side = |at: usize| u32::from_be_bytes([png[at], png[at + 1], png[at + 2], png[at + 3]]);
    assert_eq!((side(16), side(20)), (800, 600));
}

#[test]
fn bad_data_names_the_culprit() {
    let message = |figure: Figure| figure.svg().unwrap_err().to_string();
    insta::assert_snapshot!(message(figure(&[[0.0, 1.0], [1.0, f64::NAN]])), @"point 1 of `rod` is not finite: (1, NaN)");
    insta::assert_snapshot!(message(figure(&[])), @"panel `panel` has no point and no range");
    insta::assert_snapshot!(message(Figure::new("empty", 400, 300)), @"figure `empty` has no panel");
    insta::assert_snapshot!(
        message(Figure::new("tiny", 100, 90).with(curve(&[[0.0, 1.0]]))),
        @"figure `tiny`: 100 x 90 pixels do not hold 1 panels"
    );
    let upside_down = LinePlot {
        y_range: Some([1.0, 0.0]),
        ..curve(&[[0.0, 1.0]])
    };
    insta::assert_snapshot!(
        message(Figure::new("", 400, 300).with(upside_down)),
        @"y range of panel `panel` is empty or not finite: 1 to 0"
    );
    let log = LinePlot {
        x_scale: AxisScale::Logarithmic,
        x_range: Some([0.0, 1.0]),
        ..curve(&[[0.1, 1.0]])
    };
    insta::assert_snapshot!(
        message(Figure::new("", 400, 300).with(log)),
        @"x range of panel `panel` is empty or not finite: 0 to 1"
    );
}

#[test]
fn extreme_data_is_drawn() {
    for points in [
        vec![[0.0, 0.0]],
        vec![[0.0, 1e-300], [1.0, 2e-300]],
        vec![[0.0, -1e300], [1.0, 1e300]],
        vec![[1e9, 1.0], [1e9 + 1.0, 1.0]],
    ] {
        let figure = figure(&points);
        assert!(figure.svg().is_ok(), "{points:?}");
    }
}

#[test]
fn shapes_outside_the_range_are_cut() {
    let mut frames = FramesPlot::new("cut", "x (m)", "y (m)");
    let ground = vec![[-1e12, 0.0], [1e12, 0.0], [1e12, -1e12], [-1e12, -1e12]];
    frames.add(Shape::Polygon { points: ground }, Paint::body(Color::GREY));
    frames.x_range = Some([-1.0, 1.0]);
    frames.y_range = Some([-0.5, 1.0]);
    let svg = Figure::new("", 400, 300).with(frames).svg().unwrap();
    assert!(!svg.contains("1000000"), "a coordinate left the picture");
}
