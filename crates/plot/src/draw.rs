//! The border to plotters: figures become an SVG text, in tenths of a pixel.

use std::sync::LazyLock;

use plotters::coord::Shift;
use plotters::prelude::{
    Circle, DrawingArea, IntoDrawingArea, PathElement, Polygon, Rectangle, SVGBackend, WHITE,
};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{
    Color as _, FontFamily, FontStyle, FontTransform, RGBAColor, ShapeStyle, TextStyle,
    register_font,
};

use crate::error::PlotError;
use crate::items::Sheet;
use crate::panel;
use crate::place::Rect;
use crate::render::{FONT, FONT_FAMILY};
use crate::style::{Color, Dash};

/// Drawing units in a pixel; plotters knows integers only.
const UNITS: f64 = 10.0;

/// plotters writes the n-th part of a text's size as its size in SVG.
const SIZE_OVER_EM: f64 = 1.24;

/// Whether plotters took the font; it measures texts with it.
static FONT_TAKEN: LazyLock<bool> =
    LazyLock::new(|| register_font(FONT_FAMILY, FontStyle::Normal, FONT).is_ok());

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Pixels in drawing units.
pub(crate) fn px(pixels: f64) -> i32 {
    units(pixels * UNITS)
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "clipped to the picture, at most 40000 units"
)]
fn units(x: f64) -> i32 {
    x.round() as i32
}

fn stroke_units(pixels: f64) -> u32 {
    px(pixels.max(0.1)).unsigned_abs()
}

/// Text sizes in pixels.
pub(crate) const HEADING: f64 = 16.0;
pub(crate) const TITLE: f64 = 13.0;
pub(crate) const LABEL: f64 = 12.0;
pub(crate) const SMALL: f64 = 11.0;

/// Names the library in an error.
fn failed(error: impl std::fmt::Display) -> PlotError {
    PlotError::Draw {
        message: error.to_string(),
    }
}

/// The whole picture, in absolute drawing units.
pub(crate) struct Canvas<'a> {
    root: Area<'a>,
}

impl Canvas<'_> {
    /// Draws a figure of `size` pixels with `grid` columns and rows.
    pub(crate) fn draw(
        title: &str,
        size: [u32; 2],
        grid: [usize; 2],
        sheets: &[Sheet],
    ) -> Result<String, PlotError> {
        if !*FONT_TAKEN {
            return Err(failed("the embedded font cannot be read"));
        }
        let [width, height] = size.map(|side| px(f64::from(side)));
        let mut svg = String::new();
        {
            let backend =
                SVGBackend::with_string(&mut svg, (width.unsigned_abs(), height.unsigned_abs()));
            let canvas = Canvas {
                root: backend.into_drawing_area(),
            };
            canvas.root.fill(&WHITE).map_err(failed)?;
            let mut top = px(6.0);
            if !title.is_empty() {
                let anchor = Pos::new(HPos::Center, VPos::Top);
                canvas.text(title, HEADING, Color::BLACK, anchor, (width / 2, top))?;
                top += px(HEADING + 8.0);
            }
            let frame = Rect {
                left: px(4.0),
                top,
                right: width - px(4.0),
                bottom: height - px(4.0),
            };
            for (index, sheet) in sheets.iter().enumerate() {
                panel::draw(&canvas, cell(frame, grid, index), sheet)?;
            }
            canvas.root.present().map_err(failed)?;
        }
        // The picture has the size asked for; its inside keeps the fine units.
        let fine = format!("width=\"{width}\" height=\"{height}\"");
        let asked = format!("width=\"{}\" height=\"{}\"", size[0], size[1]);
        Ok(svg.replacen(&fine, &asked, 1))
    }

    /// Width and height that a text takes.
    pub(crate) fn text_size(&self, text: &str, size: f64) -> Result<(i32, i32), PlotError> {
        let style = text_style(size, Color::BLACK, Pos::default());
        let (width, _) = self.root.estimate_text_size(text, &style).map_err(failed)?;
        Ok((i32::try_from(width).map_err(failed)?, px(1.2 * size)))
    }

    pub(crate) fn text(
        &self,
        text: &str,
        size: f64,
        color: Color,
        anchor: Pos,
        at: (i32, i32),
    ) -> Result<(), PlotError> {
        self.root
            .draw_text(text, &text_style(size, color, anchor), at)
            .map_err(failed)
    }

    /// Text that reads upwards, the middle of its upper edge at `at`.
    pub(crate) fn text_upwards(
        &self,
        text: &str,
        size: f64,
        color: Color,
        at: (i32, i32),
    ) -> Result<(), PlotError> {
        let style = text_style(size, color, Pos::new(HPos::Center, VPos::Top));
        let style = style.transform(FontTransform::Rotate270);
        self.root.draw_text(text, &style, at).map_err(failed)
    }

    pub(crate) fn rectangle(
        &self,
        r: Rect,
        fill: Color,
        border: Option<Color>,
    ) -> Result<(), PlotError> {
        let corners = [(r.left, r.top), (r.right, r.bottom)];
        let inside = Rectangle::new(corners, rgba(fill).filled());
        self.root.draw(&inside).map_err(failed)?;
        if let Some(color) = border {
            let [(l, t), (r, b)] = corners;
            self.path(
                &[(l, t), (r, t), (r, b), (l, b), (l, t)],
                color,
                0.8,
                Dash::Solid,
            )?;
        }
        Ok(())
    }

    pub(crate) fn path(
        &self,
        points: &[(i32, i32)],
        color: Color,
        width: f64,
        dash: Dash,
    ) -> Result<(), PlotError> {
        let style = line_style(color, width);
        let pieces = match dash {
            Dash::Solid => vec![points.to_vec()],
            Dash::Dashed => dashes(points, [6.0 * UNITS, 4.0 * UNITS]),
            Dash::Dotted => dashes(points, [2.0 * UNITS, 3.0 * UNITS]),
        };
        for piece in pieces {
            self.root
                .draw(&PathElement::new(piece, style))
                .map_err(failed)?;
        }
        Ok(())
    }

    pub(crate) fn polygon(&self, points: Vec<(i32, i32)>, color: Color) -> Result<(), PlotError> {
        self.root
            .draw(&Polygon::new(points, rgba(color)))
            .map_err(failed)
    }

    pub(crate) fn dot(&self, at: (i32, i32), radius: f64, color: Color) -> Result<(), PlotError> {
        let circle = Circle::new(at, stroke_units(radius), rgba(color).filled());
        self.root.draw(&circle).map_err(failed)
    }
}

/// Cell `index` of the grid over `frame`.
fn cell(frame: Rect, grid: [usize; 2], index: usize) -> Rect {
    let part = |low: i32, high: i32, i: usize, n: usize| {
        units(f64::from(low) + f64::from(high - low) * i as f64 / n as f64)
    };
    let (column, row) = (index % grid[0], index / grid[0]);
    Rect {
        left: part(frame.left, frame.right, column, grid[0]),
        top: part(frame.top, frame.bottom, row, grid[1]),
        right: part(frame.left, frame.right, column + 1, grid[0]),
        bottom: part(frame.top, frame.bottom, row + 1, grid[1]),
    }
}

fn rgba(color: Color) -> RGBAColor {
    let [r, g, b] = color.rgb;
    RGBAColor(r, g, b, color.alpha)
}

fn line_style(color: Color, width: f64) -> ShapeStyle {
    rgba(color).stroke_width(stroke_units(width))
}

fn text_style(size: f64, color: Color, anchor: Pos) -> TextStyle<'static> {
    let font = (FontFamily::Name(FONT_FAMILY), size * UNITS * SIZE_OVER_EM);
    TextStyle {
        color: rgba(color).to_backend_color(),
        pos: anchor,
        ..TextStyle::from(font)
    }
}

/// Cuts a path into strokes and gaps of the lengths `pattern`, carried on around corners.
fn dashes(points: &[(i32, i32)], pattern: [f64; 2]) -> Vec<Vec<(i32, i32)>> {
    let mut pieces = Vec::new();
    let mut piece: Vec<(i32, i32)> = points.first().copied().into_iter().collect();
    let mut on = true;
    let mut left = pattern[0];
    for pair in points.windows(2) {
        let [a, b] = [pair[0], pair[1]].map(|p| (f64::from(p.0), f64::from(p.1)));
        let length = (b.0 - a.0).hypot(b.1 - a.1);
        let mut gone = 0.0;
        while length - gone > left {
            gone += left;
            let s = gone / length;
            let at = (units(a.0 + s * (b.0 - a.0)), units(a.1 + s * (b.1 - a.1)));
            piece.push(at);
            if on {
                pieces.push(std::mem::take(&mut piece));
            }
            on = !on;
            piece = vec![at];
            left = pattern[usize::from(!on)];
        }
        left -= length - gone;
        piece.push(pair[1]);
    }
    if on && piece.len() > 1 {
        pieces.push(piece);
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dashes_go_around_corners() {
        let pieces = dashes(&[(0, 0), (10, 0), (10, 10)], [8.0, 4.0]);
        assert_eq!(pieces, [vec![(0, 0), (8, 0)], vec![(10, 2), (10, 10)]]);
    }

    #[test]
    fn cells_fill_the_frame() {
        let frame = Rect {
            left: 0,
            top: 0,
            right: 100,
            bottom: 90,
        };
        assert_eq!(
            cell(frame, [2, 3], 0),
            Rect {
                left: 0,
                top: 0,
                right: 50,
                bottom: 30
            }
        );
        assert_eq!(
            cell(frame, [2, 3], 5),
            Rect {
                left: 50,
                top: 60,
                right: 100,
                bottom: 90
            }
        );
    }
}
