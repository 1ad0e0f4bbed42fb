//! Figures of trajectories and planar frames as SVG and PNG, with the font inside.
//!
//! A [`Figure`] is a grid of panels: a [`LinePlot`] shows curves over a common axis, a
//! [`FramesPlot`] shows bodies to scale, at equal aspect. [`Figure::svg`] and [`Figure::png`] give
//! the finished picture; nothing is written to disk here.
//!
//! # Method
//!
//! A panel becomes a list of paths, areas, dots and texts in its own coordinates. One border draws
//! that list with plotters into an SVG text, in units of a tenth of a pixel because plotters rounds
//! to integers; the other lets usvg turn every text into outlines of the embedded `DejaVu` Sans and
//! resvg paint the result at twice the size. The picture thus looks the same on a machine without
//! fonts.
//!
//! # Guarantees and limits
//!
//! - The same figure gives the same bytes.
//! - A value that is not finite is an error that names the curve, never a gap in it.
//! - A tick label prints a value that is not zero with at least one digit that is not zero.
//! - Curves are cut at the panel's border; texts are kept inside it and apart from each other where
//!   there is room.
//! - Text is drawn, not kept: the SVG cannot be searched for its labels, only for its title.

mod clip;
mod draw;
mod error;
mod figure;
mod frames_plot;
mod items;
mod legend;
mod line_plot;
mod panel;
mod place;
mod render;
mod style;
mod ticks;

pub use error::PlotError;
pub use figure::{Figure, Panel};
pub use frames_plot::{FramesPlot, Shape};
pub use items::{Anchor, LegendEntry};
pub use line_plot::{AxisScale, LinePlot, Mark, Series};
pub use style::{Color, Dash, Paint, Style, Trace};

/// The example of the README runs as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExamples;
