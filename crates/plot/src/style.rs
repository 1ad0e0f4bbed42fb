//! Colours, strokes and the look of a curve.

/// A colour with opacity.
///
/// The named constants are the palette of Okabe and Ito, whose members stay apart for all common
/// kinds of colour blindness; its yellow is left out because it vanishes on white.
///
/// # Examples
///
/// ```
/// use signorini_plot::Color;
/// assert_eq!(Color::nth(0), Color::BLUE);
/// assert_eq!(Color::nth(7), Color::BLUE); // seven colours, then again
/// assert_eq!(Color::BLUE.fade(0.25).alpha, 0.25);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Color {
    /// Red, green and blue, 0 to 255.
    pub rgb: [u8; 3],
    /// Opacity, 0 (nothing) to 1 (covers).
    pub alpha: f64,
}

impl Color {
    /// Blue.
    pub const BLUE: Self = Self::rgb(0, 114, 178);
    /// Vermilion.
    pub const VERMILION: Self = Self::rgb(213, 94, 0);
    /// Bluish green.
    pub const GREEN: Self = Self::rgb(0, 158, 115);
    /// Reddish purple.
    pub const PURPLE: Self = Self::rgb(204, 121, 167);
    /// Orange.
    pub const ORANGE: Self = Self::rgb(230, 159, 0);
    /// Sky blue.
    pub const SKY: Self = Self::rgb(86, 180, 233);
    /// Black, a little softened.
    pub const BLACK: Self = Self::rgb(25, 25, 25);
    /// Grey of auxiliary lines.
    pub const GREY: Self = Self::rgb(120, 120, 120);
    /// White.
    pub const WHITE: Self = Self::rgb(255, 255, 255);

    const PALETTE: [Self; 7] = [
        Self::BLUE,
        Self::VERMILION,
        Self::GREEN,
        Self::PURPLE,
        Self::ORANGE,
        Self::SKY,
        Self::BLACK,
    ];

    /// An opaque colour.
    pub const fn rgb(red: u8, green: u8, blue: u8) -> Self {
        Self {
            rgb: [red, green, blue],
            alpha: 1.0,
        }
    }

    /// Colour number `index` of the palette, which repeats after seven.
    pub fn nth(index: usize) -> Self {
        Self::PALETTE[index % Self::PALETTE.len()]
    }

    /// The same colour with another opacity, clamped to 0 to 1.
    #[must_use]
    pub fn fade(self, alpha: f64) -> Self {
        Self {
            alpha: alpha.clamp(0.0, 1.0),
            ..self
        }
    }
}

/// How a stroke is broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dash {
    /// One piece.
    #[default]
    Solid,
    /// Strokes of 6 pixels, gaps of 4.
    Dashed,
    /// Strokes of 2 pixels, gaps of 3.
    Dotted,
}

/// How the points of a series are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Trace {
    /// Straight pieces from point to point.
    #[default]
    Line,
    /// Constant from one point's x to the next one's, with the *later* point's y: the velocity of
    /// an implicit step, v(t) = v⁺ on (t, t + h].
    Steps,
    /// Dots only.
    Dots,
    /// Straight pieces and a dot at each point.
    LineAndDots,
}

/// The look of a series.
///
/// # Examples
///
/// ```
/// use signorini_plot::{Color, Dash, Style};
/// let reference = Style { dash: Dash::Dashed, ..Style::nth(1) };
/// assert_eq!(reference.color, Color::VERMILION);
/// assert_eq!(reference.width, 1.5);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Style {
    /// Colour of line and dots.
    pub color: Color,
    /// Width of the line in pixels; dots have three times this diameter plus two pixels.
    pub width: f64,
    /// How the line is broken.
    pub dash: Dash,
    /// How the points are joined.
    pub trace: Trace,
}

impl Style {
    /// A solid line of 1.5 pixels in colour number `index` of the palette.
    pub fn nth(index: usize) -> Self {
        Self {
            color: Color::nth(index),
            ..Self::default()
        }
    }
}

impl Default for Style {
    fn default() -> Self {
        Self {
            color: Color::BLUE,
            width: 1.5,
            dash: Dash::Solid,
            trace: Trace::Line,
        }
    }
}

/// Stroke and fill of a shape.
///
/// # Examples
///
/// ```
/// use signorini_plot::{Color, Paint};
/// let paint = Paint::body(Color::BLUE);
/// assert_eq!(paint.fill, Some(Color::BLUE.fade(0.2)));
/// assert_eq!(Paint::line(Color::GREY).fill, None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Paint {
    /// Colour of the outline, if there is one. It is also the colour of a label.
    pub stroke: Option<Color>,
    /// Colour of the inside, if it is filled. Lines have no inside.
    pub fill: Option<Color>,
    /// Width of the outline in pixels.
    pub width: f64,
    /// How the outline is broken.
    pub dash: Dash,
}

impl Paint {
    /// Outline of 1.2 pixels and an inside of the same colour at a fifth of its opacity.
    pub fn body(color: Color) -> Self {
        Self {
            fill: Some(color.fade(0.2 * color.alpha)),
            ..Self::line(color)
        }
    }

    /// Outline of 1.2 pixels, no inside.
    pub fn line(color: Color) -> Self {
        Self {
            stroke: Some(color),
            fill: None,
            width: 1.2,
            dash: Dash::Solid,
        }
    }
}
