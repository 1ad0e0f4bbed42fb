//! The legend of a panel.

use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::draw::{Canvas, SMALL, px};
use crate::error::PlotError;
use crate::items::LegendEntry;
use crate::place::Rect;
use crate::style::{Color, Trace};

/// Pixels: sample, its gap to the text, border, row.
const SAMPLE: f64 = 24.0;
const GAP: f64 = 6.0;
const BORDER: f64 = 6.0;
const ROW: f64 = 16.0;

/// Width and height of the box; nothing for no entries.
pub(crate) fn size(canvas: &Canvas<'_>, entries: &[LegendEntry]) -> Result<(i32, i32), PlotError> {
    if entries.is_empty() {
        return Ok((0, 0));
    }
    let mut widest = 0;
    for entry in entries {
        widest = widest.max(canvas.text_size(&entry.label, SMALL)?.0);
    }
    let rows = entries.len() as f64;
    Ok((
        widest + px(SAMPLE + GAP + 2.0 * BORDER),
        px(rows * ROW + BORDER),
    ))
}

/// Upper left corner of a place in the plot that hides no obstacle.
pub(crate) fn free_corner(
    plot: Rect,
    size: (i32, i32),
    obstacles: &[(i32, i32)],
) -> Option<(i32, i32)> {
    if size == (0, 0) {
        return Some((plot.left, plot.top));
    }
    let inset = px(7.0);
    let left = plot.left + inset;
    let right = plot.right - inset - size.0;
    let top = plot.top + inset;
    let bottom = plot.bottom - inset - size.1;
    let middle = i32::midpoint(left, right);
    let corners = [
        (right, top),
        (left, top),
        (right, bottom),
        (left, bottom),
        (middle, top),
        (middle, bottom),
    ];
    let margin = px(4.0);
    corners.into_iter().find(|&(x, y)| {
        let room = Rect {
            left: x - margin,
            top: y - margin,
            right: x + size.0 + margin,
            bottom: y + size.1 + margin,
        };
        x >= left && y >= top && !obstacles.iter().any(|&p| room.contains(p))
    })
}

/// Draws the box with its upper left corner at `at`.
pub(crate) fn draw(
    canvas: &Canvas<'_>,
    entries: &[LegendEntry],
    at: (i32, i32),
    size: (i32, i32),
) -> Result<(), PlotError> {
    if entries.is_empty() {
        return Ok(());
    }
    let frame = Rect {
        left: at.0,
        top: at.1,
        right: at.0 + size.0,
        bottom: at.1 + size.1,
    };
    canvas.rectangle(
        frame,
        Color::WHITE.fade(0.9),
        Some(Color::rgb(190, 190, 190)),
    )?;
    for (row, entry) in entries.iter().enumerate() {
        let y = at.1 + px(0.5 * BORDER + (row as f64 + 0.5) * ROW);
        let left = at.0 + px(BORDER);
        let style = entry.style;
        if style.trace != Trace::Dots {
            let line = [(left, y), (left + px(SAMPLE), y)];
            canvas.path(&line, style.color, style.width, style.dash)?;
        }
        if matches!(style.trace, Trace::Dots | Trace::LineAndDots) {
            let radius = 1.5 * style.width + 1.0;
            canvas.dot((left + px(0.5 * SAMPLE), y), radius, style.color)?;
        }
        let anchor = Pos::new(HPos::Left, VPos::Center);
        canvas.text(
            &entry.label,
            SMALL,
            Color::BLACK,
            anchor,
            (left + px(SAMPLE + GAP), y),
        )?;
    }
    Ok(())
}
