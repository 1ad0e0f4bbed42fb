//! Curves over a common axis.

use crate::error::PlotError;
use crate::items::{Item, LegendEntry, Sheet, Span, Stroke, check_finite, span};
use crate::style::{Style, Trace};

/// One curve.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Name in the legend and in error messages; an empty one is left out of the legend.
    pub label: String,
    /// Points (x, y) in drawing order.
    pub points: Vec<[f64; 2]>,
    /// Its look.
    pub style: Style,
}

impl Series {
    /// A curve in the look `style`.
    pub fn new(label: impl Into<String>, points: Vec<[f64; 2]>, style: Style) -> Self {
        Self {
            label: label.into(),
            points,
            style,
        }
    }
}

/// A vertical line at an event.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    /// Where it stands.
    pub x: f64,
    /// What happens there; may be empty.
    pub label: String,
}

/// Whether an axis shows a value or its logarithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AxisScale {
    /// The value.
    #[default]
    Linear,
    /// Its decimal logarithm; values must be positive.
    Logarithmic,
}

/// A panel of curves.
///
/// # Examples
///
/// ```
/// use signorini_plot::{Figure, LinePlot, Series, Style};
/// let fall = (0..=10).map(|i| f64::from(i) / 10.0).map(|t| [t, 1.0 - 0.5 * 9.81 * t * t]);
/// let plot = LinePlot {
///     title: "Free fall".into(),
///     x_label: "t (s)".into(),
///     y_label: "height (m)".into(),
///     series: vec![Series::new("exact", fall.collect(), Style::nth(0))],
///     ..LinePlot::default()
/// };
/// let svg = Figure::new("", 640, 400).with(plot).svg()?;
/// assert!(svg.starts_with("<svg") && !svg.contains("<text"));
/// # Ok::<(), signorini_plot::PlotError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LinePlot {
    /// Heading; may be empty.
    pub title: String,
    /// Quantity and unit of the first coordinate.
    pub x_label: String,
    /// Quantity and unit of the second coordinate.
    pub y_label: String,
    /// The curves; later ones lie on top.
    pub series: Vec<Series>,
    /// Vertical lines at events.
    pub marks: Vec<Mark>,
    /// Shown part of the first axis; `None` takes what the curves need.
    pub x_range: Option<[f64; 2]>,
    /// Shown part of the second axis; `None` takes what the curves need.
    pub y_range: Option<[f64; 2]>,
    /// Scale of the first axis.
    pub x_scale: AxisScale,
    /// Scale of the second axis.
    pub y_scale: AxisScale,
}

impl LinePlot {
    pub(crate) fn sheet(&self) -> Result<Sheet, PlotError> {
        let mut items = Vec::new();
        for series in &self.series {
            check_finite(&series.label, &series.points)?;
            let points = self.scaled(&series.label, &series.points)?;
            push_series(&mut items, points, series.style);
        }
        for mark in &self.marks {
            let x = self.scaled_mark(mark)?;
            items.push(Item::VerticalMark {
                x,
                text: mark.label.clone(),
            });
        }
        let dots = self
            .series
            .iter()
            .any(|s| matches!(s.style.trace, Trace::Dots));
        let margin = if dots || self.x_scale == AxisScale::Logarithmic {
            0.04
        } else {
            0.0
        };
        let x = self.axis(0, self.x_range, &items, margin)?;
        let y = self.axis(1, self.y_range, &items, 0.06)?;
        let named = self.series.iter().filter(|s| !s.label.is_empty());
        Ok(Sheet {
            title: self.title.clone(),
            x_label: self.x_label.clone(),
            y_label: self.y_label.clone(),
            x,
            y,
            equal_aspect: false,
            items,
            legend: named
                .map(|s| LegendEntry {
                    label: s.label.clone(),
                    style: s.style,
                })
                .collect(),
        })
    }

    fn scale(&self, axis: usize) -> AxisScale {
        if axis == 0 {
            self.x_scale
        } else {
            self.y_scale
        }
    }

    fn axis(
        &self,
        axis: usize,
        given: Option<[f64; 2]>,
        items: &[Item],
        margin: f64,
    ) -> Result<Span, PlotError> {
        match (self.scale(axis), given) {
            (AxisScale::Linear, given) => span(&self.title, axis, given, items, margin),
            (AxisScale::Logarithmic, None) => {
                let span = span(&self.title, axis, None, items, margin)?;
                Ok(Span {
                    logarithmic: true,
                    ..span
                })
            }
            (AxisScale::Logarithmic, Some([low, high])) => {
                let log = if low > 0.0 {
                    [low.log10(), high.log10()]
                } else {
                    [f64::NAN; 2]
                };
                let span = span(&self.title, axis, Some(log), items, margin);
                // The message shows the range as it was given, not its logarithm.
                let span = span.map_err(|error| match error {
                    PlotError::Range { panel, axis, .. } => PlotError::Range {
                        panel,
                        axis,
                        low,
                        high,
                    },
                    other => other,
                })?;
                Ok(Span {
                    logarithmic: true,
                    ..span
                })
            }
        }
    }

    /// Logarithms on logarithmic axes.
    fn scaled(&self, label: &str, points: &[[f64; 2]]) -> Result<Vec<[f64; 2]>, PlotError> {
        let mut points = points.to_vec();
        for (axis, name) in [(0, "x"), (1, "y")] {
            if self.scale(axis) == AxisScale::Linear {
                continue;
            }
            for (index, p) in points.iter_mut().enumerate() {
                if p[axis] <= 0.0 {
                    let (item, value) = (label.to_owned(), p[axis]);
                    return Err(PlotError::NotPositive {
                        item,
                        index,
                        axis: name,
                        value,
                    });
                }
                p[axis] = p[axis].log10();
            }
        }
        Ok(points)
    }

    fn scaled_mark(&self, mark: &Mark) -> Result<f64, PlotError> {
        let value = mark.x;
        check_finite(&mark.label, &[[value, 0.0]])?;
        match self.x_scale {
            AxisScale::Linear => Ok(value),
            AxisScale::Logarithmic if value > 0.0 => Ok(value.log10()),
            AxisScale::Logarithmic => {
                let item = mark.label.clone();
                Err(PlotError::NotPositive {
                    item,
                    index: 0,
                    axis: "x",
                    value,
                })
            }
        }
    }
}

fn push_series(items: &mut Vec<Item>, points: Vec<[f64; 2]>, style: Style) {
    let stroke = Stroke {
        color: style.color,
        width: style.width,
        dash: style.dash,
    };
    let dots = matches!(style.trace, Trace::Dots | Trace::LineAndDots);
    let radius = 1.5 * style.width + 1.0;
    let dot = |&at| Item::Dot {
        at,
        radius,
        color: style.color,
    };
    let dots: Vec<_> = points.iter().filter(|_| dots).map(dot).collect();
    match style.trace {
        Trace::Line | Trace::LineAndDots => items.push(Item::Path { points, stroke }),
        Trace::Steps => items.push(Item::Path {
            points: steps(&points),
            stroke,
        }),
        Trace::Dots => {}
    }
    items.extend(dots);
}

/// Corners of the step function that has the later point's value on each interval.
fn steps(points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let mut corners = Vec::with_capacity(2 * points.len());
    for pair in points.windows(2) {
        corners.push([pair[0][0], pair[1][1]]);
        corners.push(pair[1]);
    }
    corners
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_take_the_later_value() {
        let corners = steps(&[[0.0, 9.0], [1.0, 2.0], [2.0, 3.0]]);
        assert_eq!(corners, [[0.0, 2.0], [1.0, 2.0], [1.0, 3.0], [2.0, 3.0]]);
    }

    #[test]
    fn logarithm_of_zero_names_the_curve() {
        let series = vec![Series::new(
            "error",
            vec![[1.0, 1.0], [2.0, 0.0]],
            Style::nth(0),
        )];
        let plot = LinePlot {
            series,
            y_scale: AxisScale::Logarithmic,
            ..LinePlot::default()
        };
        let error = plot.sheet().unwrap_err();
        assert_eq!(
            error.to_string(),
            "point 1 of `error` is 0 on the logarithmic y axis"
        );
    }
}
