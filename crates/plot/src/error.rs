//! What can be wrong with a figure.

/// Why a figure could not be drawn.
///
/// Every variant names the culprit: the curve and the index of its point, the axis, or the library
/// that failed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PlotError {
    /// A coordinate is NaN or infinite.
    #[error("point {index} of `{item}` is not finite: ({x}, {y})")]
    NotFinite {
        /// Label of the curve or kind of the shape.
        item: String,
        /// Index of the point in it.
        index: usize,
        /// First coordinate.
        x: f64,
        /// Second coordinate.
        y: f64,
    },
    /// A coordinate is zero or negative on a logarithmic axis.
    #[error("point {index} of `{item}` is {value} on the logarithmic {axis} axis")]
    NotPositive {
        /// Label of the curve.
        item: String,
        /// Index of the point in it.
        index: usize,
        /// `x` or `y`.
        axis: &'static str,
        /// The coordinate.
        value: f64,
    },
    /// A range was given whose ends are not finite and increasing.
    #[error("{axis} range of panel `{panel}` is empty or not finite: {low} to {high}")]
    Range {
        /// Title of the panel.
        panel: String,
        /// `x` or `y`.
        axis: &'static str,
        /// Lower end.
        low: f64,
        /// Upper end.
        high: f64,
    },
    /// A panel has neither a point nor both ranges.
    #[error("panel `{panel}` has no point and no range")]
    NoData {
        /// Title of the panel.
        panel: String,
    },
    /// A figure has no panel.
    #[error("figure `{title}` has no panel")]
    NoPanel {
        /// Title of the figure.
        title: String,
    },
    /// The size is too small for its panels or larger than a picture can be.
    #[error("figure `{title}`: {width} x {height} pixels do not hold {panels} panels")]
    Size {
        /// Title of the figure.
        title: String,
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
        /// Number of panels.
        panels: usize,
    },
    /// plotters refused an element.
    #[error("drawing failed: {message}")]
    Draw {
        /// Its message.
        message: String,
    },
    /// usvg could not read the drawing, or resvg could not paint it.
    #[error("rendering failed: {message}")]
    Render {
        /// Its message.
        message: String,
    },
}
