//! Moving pictures of discs and lines: a page that opens from disk and needs nothing else.

use std::fmt::Write;

use signorini_plot::Color;

const PAGE: &str = include_str!("animation.html");

/// Discs that move, each with a mark that shows how it is turned, and lines that stand or move with the first body.
///
/// # Examples
/// ```
/// use signorini_plot::Color;
/// use signorini_validation::Animation;
/// let mut animation = Animation::new("a disc", [-1.0, 1.0], [0.0, 2.0]);
/// animation.disc(0.5, Color::SKY);
/// animation.frame(0.0, &[0.0, 0.5, 0.1]);
/// assert!(animation.html().contains("<canvas"));
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Animation {
    title: String,
    x: [f64; 2],
    y: [f64; 2],
    lines: Vec<Vec<[f64; 2]>>,
    discs: Vec<(f64, String)>,
    frames: Vec<Frame>,
}

#[derive(Debug, Clone, PartialEq)]
struct Frame {
    t: f64,
    lift: f64,
    q: Vec<f64>,
}

impl Animation {
    /// A picture of these intervals of x and y, m.
    pub fn new(title: &str, x: [f64; 2], y: [f64; 2]) -> Self {
        Self {
            title: title.to_owned(),
            x,
            y,
            ..Self::default()
        }
    }

    /// Adds a line.
    pub fn line(&mut self, points: &[[f64; 2]]) {
        self.lines.push(points.to_vec());
    }

    /// Adds a disc of this radius, m.
    pub fn disc(&mut self, radius: f64, color: Color) {
        let [r, g, b] = color.rgb;
        self.discs.push((radius, format!("#{r:02x}{g:02x}{b:02x}")));
    }

    /// Adds a moment: (x, y, θ) of each disc at time t, s.
    pub fn frame(&mut self, t: f64, q: &[f64]) {
        self.lifted(t, 0.0, q);
    }

    /// The same with all lines moved up by `lift`, m.
    pub fn lifted(&mut self, t: f64, lift: f64, q: &[f64]) {
        let q = q.to_vec();
        self.frames.push(Frame { t, lift, q });
    }

    /// The page.
    pub fn html(&self) -> String {
        let mut data = String::new();
        // Tenths of a millimetre are less than a pixel.
        let number = |x: f64| {
            let text = format!("{x:.4}");
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        };
        let list = |values: &[f64]| {
            let values: Vec<String> = values.iter().map(|x| number(*x)).collect();
            format!("[{}]", values.join(","))
        };
        let lines: Vec<String> = self
            .lines
            .iter()
            .map(|line| list(line.as_flattened()))
            .collect();
        let discs: Vec<String> = self
            .discs
            .iter()
            .map(|(radius, color)| format!("[{},\"{color}\"]", number(*radius)))
            .collect();
        let frames: Vec<String> = self
            .frames
            .iter()
            .map(|f| format!("[{},{},{}]", number(f.t), number(f.lift), list(&f.q)))
            .collect();
        write!(
            data,
            "{{x:{},y:{},lines:[{}],discs:[{}],frames:[{}]}}",
            list(&self.x),
            list(&self.y),
            lines.join(","),
            discs.join(","),
            frames.join(",\n")
        )
        .expect("writing into a string cannot fail");
        let title = self.title.replace('&', "&amp;").replace('<', "&lt;");
        PAGE.replace("{TITLE}", &title).replace("{DATA}", &data)
    }
}
