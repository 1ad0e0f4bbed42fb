//! What a panel is made of, in the panel's coordinates.

use crate::error::PlotError;
use crate::style::{Color, Dash, Style};

/// Where a text stands from its point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Anchor {
    /// Centred on it.
    #[default]
    Centre,
    /// Right of it.
    Right,
    /// Left of it.
    Left,
    /// Above it.
    Above,
    /// Below it.
    Below,
}

/// One line of a legend.
#[derive(Debug, Clone, PartialEq)]
pub struct LegendEntry {
    /// The text.
    pub label: String,
    /// The look of the sample before it.
    pub style: Style,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Stroke {
    pub(crate) color: Color,
    /// Pixels.
    pub(crate) width: f64,
    pub(crate) dash: Dash,
}

/// A piece of a panel. Points are in panel coordinates, sizes in pixels.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Item {
    Path {
        points: Vec<[f64; 2]>,
        stroke: Stroke,
    },
    Area {
        points: Vec<[f64; 2]>,
        color: Color,
    },
    Dot {
        at: [f64; 2],
        radius: f64,
        color: Color,
    },
    /// Head of an arrow at `to`, at most 40 % of the arrow's length.
    Head {
        from: [f64; 2],
        to: [f64; 2],
        color: Color,
    },
    Text {
        at: [f64; 2],
        text: String,
        anchor: Anchor,
        color: Color,
    },
    /// Vertical line over the whole panel, its text at the top.
    VerticalMark {
        x: f64,
        text: String,
    },
}

impl Item {
    /// The points that the panel should show.
    pub(crate) fn points(&self) -> &[[f64; 2]] {
        match self {
            Self::Path { points, .. } | Self::Area { points, .. } => points,
            Self::Dot { at, .. } | Self::Text { at, .. } => std::slice::from_ref(at),
            Self::Head { to, .. } => std::slice::from_ref(to),
            Self::VerticalMark { .. } => &[],
        }
    }
}

/// An axis before its ticks are chosen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Span {
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// The coordinate is the decimal logarithm of the value.
    pub(crate) logarithmic: bool,
}

impl Span {
    pub(crate) fn length(self) -> f64 {
        self.high - self.low
    }

    /// Same middle, another length.
    pub(crate) fn stretched(self, length: f64) -> Self {
        let middle = 0.5 * (self.low + self.high);
        Self {
            low: middle - 0.5 * length,
            high: middle + 0.5 * length,
            ..self
        }
    }
}

/// A panel ready to be drawn.
#[derive(Debug, Clone)]
pub(crate) struct Sheet {
    pub(crate) title: String,
    pub(crate) x_label: String,
    pub(crate) y_label: String,
    pub(crate) x: Span,
    pub(crate) y: Span,
    /// One unit is as long upwards as sideways.
    pub(crate) equal_aspect: bool,
    pub(crate) items: Vec<Item>,
    pub(crate) legend: Vec<LegendEntry>,
}

/// Refuses points that are not finite.
pub(crate) fn check_finite(item: &str, points: &[[f64; 2]]) -> Result<(), PlotError> {
    match points
        .iter()
        .position(|p| !(p[0].is_finite() && p[1].is_finite()))
    {
        None => Ok(()),
        Some(index) => Err(PlotError::NotFinite {
            item: item.to_owned(),
            index,
            x: points[index][0],
            y: points[index][1],
        }),
    }
}

/// Range of coordinate `axis` over the items, or the given one.
///
/// `margin` is the part of the length that is added at both ends of a measured range. A range that
/// is void or at rounding level is widened, so that a constant is a line in the middle.
pub(crate) fn span(
    panel: &str,
    axis: usize,
    given: Option<[f64; 2]>,
    items: &[Item],
    margin: f64,
) -> Result<Span, PlotError> {
    const NAMES: [&str; 2] = ["x", "y"];
    /// Below this, powers of ten lose digits.
    const TINY: f64 = 1e-290;

    if let Some([low, high]) = given {
        if !(low.is_finite() && high.is_finite() && low < high) {
            let (panel, axis) = (panel.to_owned(), NAMES[axis]);
            return Err(PlotError::Range {
                panel,
                axis,
                low,
                high,
            });
        }
        return Ok(Span {
            low,
            high,
            logarithmic: false,
        });
    }
    let mut values = items.iter().flat_map(Item::points).map(|p| p[axis]);
    let Some(first) = values.next() else {
        return Err(PlotError::NoData {
            panel: panel.to_owned(),
        });
    };
    let (low, high) = values.fold((first, first), |(low, high), v| (low.min(v), high.max(v)));
    if !(high - low).is_finite() {
        let (panel, axis) = (panel.to_owned(), NAMES[axis]);
        return Err(PlotError::Range {
            panel,
            axis,
            low,
            high,
        });
    }
    let size = low.abs().max(high.abs());
    // Below a billionth of the size, what is seen would be rounding.
    let (low, high) = if high - low > f64::max(1e-9 * size, TINY) {
        let pad = margin * (high - low);
        (low - pad, high + pad)
    } else {
        let pad = if size > TINY { 0.1 * size } else { 1.0 };
        (low - pad, high + pad)
    };
    Ok(Span {
        low,
        high,
        logarithmic: false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dots(points: &[[f64; 2]]) -> Vec<Item> {
        let dot = |&at| Item::Dot {
            at,
            radius: 1.0,
            color: Color::BLACK,
        };
        points.iter().map(dot).collect()
    }

    #[test]
    fn constant_is_in_the_middle() {
        let items = dots(&[[0.0, 2.0], [1.0, 2.0 + 4e-16]]);
        let y = span("p", 1, None, &items, 0.05).unwrap();
        assert!((y.low - 1.8).abs() < 1e-12 && (y.high - 2.2).abs() < 1e-12);
        let zero = span("p", 1, None, &dots(&[[0.0, 0.0]]), 0.05).unwrap();
        assert_eq!((zero.low, zero.high), (-1.0, 1.0));
    }

    #[test]
    fn empty_panel_is_refused() {
        let error = span("p", 0, None, &[], 0.0).unwrap_err();
        assert_eq!(error, PlotError::NoData { panel: "p".into() });
    }
}
