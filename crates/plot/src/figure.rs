//! A grid of panels and its two formats.

use crate::draw::Canvas;
use crate::error::PlotError;
use crate::frames_plot::FramesPlot;
use crate::items::Sheet;
use crate::line_plot::LinePlot;
use crate::render::Rendering;

/// One cell of a [`Figure`].
#[derive(Debug, Clone, PartialEq)]
pub enum Panel {
    /// Curves.
    Lines(LinePlot),
    /// Bodies to scale.
    Frames(FramesPlot),
}

impl From<LinePlot> for Panel {
    fn from(plot: LinePlot) -> Self {
        Self::Lines(plot)
    }
}

impl From<FramesPlot> for Panel {
    fn from(plot: FramesPlot) -> Self {
        Self::Frames(plot)
    }
}

impl Panel {
    fn sheet(&self) -> Result<Sheet, PlotError> {
        match self {
            Self::Lines(plot) => plot.sheet(),
            Self::Frames(plot) => plot.sheet(),
        }
    }
}

/// A picture: a heading over panels in rows.
///
/// # Examples
///
/// ```
/// use signorini_plot::{Figure, LinePlot, PlotError, Series, Style};
/// let curve = |y: f64| LinePlot {
///     series: vec![Series::new("y", vec![[0.0, 0.0], [1.0, y]], Style::nth(0))],
///     ..LinePlot::default()
/// };
/// let figure = Figure::new("Two", 800, 300).columns(2).with(curve(1.0)).with(curve(2.0));
/// assert!(figure.svg()?.contains("width=\"800\" height=\"300\""));
/// assert!(matches!(figure.with(curve(f64::NAN)).svg(), Err(PlotError::NotFinite { .. })));
/// # Ok::<(), PlotError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// Heading; may be empty.
    pub title: String,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Panels in a row; at least 1.
    pub columns: usize,
    /// The panels, row by row.
    pub panels: Vec<Panel>,
}

impl Figure {
    /// A figure without panels, `width` by `height` pixels, one panel in a row.
    pub fn new(title: impl Into<String>, width: u32, height: u32) -> Self {
        Self {
            title: title.into(),
            width,
            height,
            columns: 1,
            panels: Vec::new(),
        }
    }

    /// Sets the number of panels in a row.
    #[must_use]
    pub fn columns(self, columns: usize) -> Self {
        Self { columns, ..self }
    }

    /// Adds a panel.
    #[must_use]
    pub fn with(mut self, panel: impl Into<Panel>) -> Self {
        self.panels.push(panel.into());
        self
    }

    /// The figure as SVG, its texts as outlines.
    ///
    /// # Errors
    ///
    /// [`PlotError`] if a panel has no data or data that cannot be shown, or if the size is too
    /// small for the panels.
    pub fn svg(&self) -> Result<String, PlotError> {
        Ok(self.render()?.svg(&self.title))
    }

    /// The figure as PNG with twice the pixels in each direction.
    ///
    /// # Errors
    ///
    /// As [`Figure::svg`].
    pub fn png(&self) -> Result<Vec<u8>, PlotError> {
        self.render()?.png()
    }

    /// Both formats for the price of one.
    ///
    /// # Errors
    ///
    /// As [`Figure::svg`].
    pub fn svg_and_png(&self) -> Result<(String, Vec<u8>), PlotError> {
        let rendering = self.render()?;
        Ok((rendering.svg(&self.title), rendering.png()?))
    }

    fn render(&self) -> Result<Rendering, PlotError> {
        /// Pixels; the PNG of 4000 x 4000 takes a quarter of a gigabyte in the making.
        const SIDE: std::ops::RangeInclusive<u32> = 80..=4000;
        /// Pixels that labels and a few ticks need.
        const SMALLEST_PANEL: [u32; 2] = [140, 100];

        let Self {
            title,
            width,
            height,
            ..
        } = self;
        if self.panels.is_empty() {
            return Err(PlotError::NoPanel {
                title: title.clone(),
            });
        }
        let columns = self.columns.clamp(1, self.panels.len());
        let rows = self.panels.len().div_ceil(columns);
        let fits = |side: u32, count: usize, least: u32| {
            SIDE.contains(&side) && u64::from(side) >= u64::from(least) * count as u64
        };
        if !(fits(*width, columns, SMALLEST_PANEL[0]) && fits(*height, rows, SMALLEST_PANEL[1])) {
            let (title, panels) = (title.clone(), self.panels.len());
            return Err(PlotError::Size {
                title,
                width: *width,
                height: *height,
                panels,
            });
        }
        let sheets: Result<Vec<_>, _> = self.panels.iter().map(Panel::sheet).collect();
        let drawing = Canvas::draw(title, [*width, *height], [columns, rows], &sheets?)?;
        Rendering::new(&drawing)
    }
}
