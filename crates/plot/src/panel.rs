//! Draws one panel: axes, items, texts, legend.

use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::clip;
use crate::draw::{Canvas, LABEL, SMALL, TITLE, px};
use crate::error::PlotError;
use crate::items::{Anchor, Item, Sheet, Span};
use crate::legend;
use crate::place::{Rect, place};
use crate::style::{Color, Dash};
use crate::ticks::Ticks;

const GRID: Color = Color::rgb(226, 226, 226);
const AXIS: Color = Color::rgb(90, 90, 90);

/// Draws `sheet` into the cell `cell` of the picture.
pub(crate) fn draw(canvas: &Canvas<'_>, cell: Rect, sheet: &Sheet) -> Result<(), PlotError> {
    // Rows and columns keep apart.
    let mut cell = Rect {
        bottom: cell.bottom - px(6.0),
        right: cell.right - px(4.0),
        ..cell
    };
    if !sheet.title.is_empty() {
        let at = (cell.centre().0, cell.top + px(3.0));
        let anchor = Pos::new(HPos::Center, VPos::Top);
        canvas.text(&sheet.title, TITLE, Color::BLACK, anchor, at)?;
        cell.top += px(TITLE + 7.0);
    }

    // 1. Axes; the legend goes where it hides nothing, or beside the axes.
    let mut view = View::new(canvas, cell, sheet)?;
    let legend_size = legend::size(canvas, &sheet.legend)?;
    let inside = legend::free_corner(view.plot, legend_size, &view.obstacles(&sheet.items));
    let legend_at = if let Some(corner) = inside {
        corner
    } else {
        let left = cell.right - legend_size.0;
        view = View::new(
            canvas,
            Rect {
                right: left,
                ..cell
            },
            sheet,
        )?;
        (left, view.plot.top)
    };
    view.draw_axes(canvas, sheet)?;

    // 2. Items, from bottom to top, then the frame over them.
    for item in &sheet.items {
        view.draw_item(canvas, item)?;
    }
    view.draw_frame(canvas)?;

    // 3. Texts, in the room that is left.
    let mut taken = Vec::new();
    if inside.is_some() {
        let (left, top) = legend_at;
        taken.push(Rect {
            left,
            top,
            right: left + legend_size.0,
            bottom: top + legend_size.1,
        });
    }
    for item in &sheet.items {
        view.draw_text(canvas, item, &mut taken)?;
    }
    legend::draw(canvas, &sheet.legend, legend_at, legend_size)
}

/// How a sheet lies in its cell.
struct View {
    cell: Rect,
    /// The rectangle inside the axes.
    plot: Rect,
    x: Span,
    y: Span,
    x_ticks: Ticks,
    y_ticks: Ticks,
}

impl View {
    fn new(canvas: &Canvas<'_>, cell: Rect, sheet: &Sheet) -> Result<Self, PlotError> {
        let x_desc = if sheet.x_label.is_empty() {
            0.0
        } else {
            LABEL + 5.0
        };
        let y_desc = if sheet.y_label.is_empty() {
            0.0
        } else {
            LABEL + 5.0
        };
        let mut view = Self {
            cell,
            plot: Rect {
                left: cell.left + px(y_desc + 50.0),
                top: cell.top + px(6.0),
                right: cell.right - px(14.0),
                bottom: cell.bottom - px(x_desc + SMALL + 14.0),
            },
            x: sheet.x,
            y: sheet.y,
            x_ticks: Ticks {
                values: Vec::new(),
                labels: Vec::new(),
            },
            y_ticks: Ticks {
                values: Vec::new(),
                labels: Vec::new(),
            },
        };
        // The left edge depends on the tick labels, these on the range, and at equal aspect the
        // range on the left edge: the second pass has it.
        for _ in 0..2 {
            view.fit(sheet);
            view.y_ticks = ticks(view.y, count(view.plot.size().1, 34.0));
            let mut widest = 0;
            for label in &view.y_ticks.labels {
                widest = widest.max(canvas.text_size(label, SMALL)?.0);
            }
            view.plot.left = cell.left + px(y_desc + 14.0) + widest;
        }
        view.fit(sheet);
        view.x_ticks = view.fitting_x_ticks(canvas)?;
        Ok(view)
    }

    /// Widens one range until a unit is as long upwards as sideways.
    fn fit(&mut self, sheet: &Sheet) {
        (self.x, self.y) = (sheet.x, sheet.y);
        if sheet.equal_aspect {
            let (width, height) = self.plot.size();
            let (width, height) = (f64::from(width), f64::from(height));
            let unit = (width / self.x.length()).min(height / self.y.length());
            self.x = self.x.stretched(width / unit);
            self.y = self.y.stretched(height / unit);
        }
    }

    /// As many ticks as their labels leave room for.
    fn fitting_x_ticks(&self, canvas: &Canvas<'_>) -> Result<Ticks, PlotError> {
        let width = self.plot.size().0;
        let mut target = count(width, 60.0);
        loop {
            let ticks = ticks(self.x, target);
            let mut total = 0;
            for label in &ticks.labels {
                total += canvas.text_size(label, SMALL)?.0 + px(10.0);
            }
            if total <= width || target <= 2 {
                return Ok(ticks);
            }
            target -= 1;
        }
    }

    /// Grid, ticks, their labels and the names of the axes.
    fn draw_axes(&self, canvas: &Canvas<'_>, sheet: &Sheet) -> Result<(), PlotError> {
        let Rect {
            left,
            top,
            right,
            bottom,
        } = self.plot;
        let (tick, gap) = (px(4.0), px(6.0));
        for (value, label) in self.x_ticks.values.iter().zip(&self.x_ticks.labels) {
            let x = self.map([*value, self.y.low]).0;
            canvas.path(&[(x, top), (x, bottom)], GRID, 0.8, Dash::Solid)?;
            canvas.path(&[(x, bottom), (x, bottom + tick)], AXIS, 0.8, Dash::Solid)?;
            let anchor = Pos::new(HPos::Center, VPos::Top);
            canvas.text(label, SMALL, Color::BLACK, anchor, (x, bottom + gap))?;
        }
        for (value, label) in self.y_ticks.values.iter().zip(&self.y_ticks.labels) {
            let y = self.map([self.x.low, *value]).1;
            canvas.path(&[(left, y), (right, y)], GRID, 0.8, Dash::Solid)?;
            canvas.path(&[(left - tick, y), (left, y)], AXIS, 0.8, Dash::Solid)?;
            let anchor = Pos::new(HPos::Right, VPos::Center);
            canvas.text(label, SMALL, Color::BLACK, anchor, (left - gap, y))?;
        }
        let centre = self.plot.centre();
        let below = (centre.0, self.cell.bottom - px(LABEL + 3.0));
        let anchor = Pos::new(HPos::Center, VPos::Top);
        canvas.text(&sheet.x_label, LABEL, Color::BLACK, anchor, below)?;
        canvas.text_upwards(
            &sheet.y_label,
            LABEL,
            Color::BLACK,
            (self.cell.left + px(3.0), centre.1),
        )
    }

    fn draw_frame(&self, canvas: &Canvas<'_>) -> Result<(), PlotError> {
        let Rect {
            left,
            top,
            right,
            bottom,
        } = self.plot;
        let corners = [
            (left, top),
            (right, top),
            (right, bottom),
            (left, bottom),
            (left, top),
        ];
        canvas.path(&corners, AXIS, 0.8, Dash::Solid)
    }

    /// Panel coordinates to drawing units.
    fn map(&self, p: [f64; 2]) -> (i32, i32) {
        let (width, height) = self.plot.size();
        let s = (p[0] - self.x.low) / self.x.length();
        let t = (p[1] - self.y.low) / self.y.length();
        (
            self.plot.left + px_of(s * f64::from(width)),
            self.plot.bottom - px_of(t * f64::from(height)),
        )
    }

    fn map_all(&self, points: &[[f64; 2]]) -> Vec<(i32, i32)> {
        let mut mapped: Vec<_> = points.iter().map(|&p| self.map(p)).collect();
        // Points closer than a unit say nothing and cost bytes.
        mapped.dedup();
        mapped
    }

    fn draw_item(&self, canvas: &Canvas<'_>, item: &Item) -> Result<(), PlotError> {
        match item {
            Item::Path { points, stroke } => {
                for piece in clip::path(points, self.x, self.y) {
                    let piece = self.map_all(&piece);
                    canvas.path(&piece, stroke.color, stroke.width, stroke.dash)?;
                }
                Ok(())
            }
            Item::Area { points, color } => {
                let polygon = clip::area(points, self.x, self.y);
                if polygon.is_empty() {
                    return Ok(());
                }
                canvas.polygon(self.map_all(&polygon), *color)
            }
            Item::Dot { at, radius, color } if clip::inside(*at, self.x, self.y) => {
                canvas.dot(self.map(*at), *radius, *color)
            }
            Item::Head { from, to, color } if clip::inside(*to, self.x, self.y) => {
                canvas.polygon(head(self.map(*from), self.map(*to)), *color)
            }
            Item::VerticalMark { x, .. } if self.sees(*x) => {
                let line = self.map_all(&[[*x, self.y.low], [*x, self.y.high]]);
                canvas.path(&line, Color::GREY, 1.0, Dash::Dashed)
            }
            Item::Dot { .. }
            | Item::Head { .. }
            | Item::VerticalMark { .. }
            | Item::Text { .. } => Ok(()),
        }
    }

    fn sees(&self, x: f64) -> bool {
        x >= self.x.low && x <= self.x.high
    }

    fn draw_text(
        &self,
        canvas: &Canvas<'_>,
        item: &Item,
        taken: &mut Vec<Rect>,
    ) -> Result<(), PlotError> {
        let (text, at, anchor, color) = match item {
            Item::Text {
                at,
                text,
                anchor,
                color,
            } if clip::inside(*at, self.x, self.y) => (text, self.map(*at), *anchor, *color),
            Item::VerticalMark { x, text } if self.sees(*x) && !text.is_empty() => {
                let (x, y) = self.map([*x, self.y.high]);
                let size = canvas.text_size(text, SMALL)?;
                let fits = x + size.0 + px(8.0) <= self.plot.right;
                let anchor = if fits { Anchor::Right } else { Anchor::Left };
                (text, (x, y + size.1 / 2), anchor, AXIS)
            }
            _ => return Ok(()),
        };
        let size = canvas.text_size(text, SMALL)?;
        let size = (size.0 + px(4.0), size.1 + px(1.0));
        let gap = px(3.0);
        let centre = match anchor {
            Anchor::Centre => at,
            Anchor::Right => (at.0 + gap + size.0 / 2, at.1),
            Anchor::Left => (at.0 - gap - size.0 / 2, at.1),
            Anchor::Above => (at.0, at.1 - gap - size.1 / 2),
            Anchor::Below => (at.0, at.1 + gap + size.1 / 2),
        };
        let inset = px(3.0);
        let frame = Rect {
            left: self.plot.left + inset,
            top: self.plot.top + inset,
            right: self.plot.right - inset,
            bottom: self.plot.bottom - inset,
        };
        let room = place(Rect::around(centre, size), frame, taken);
        canvas.rectangle(room, Color::WHITE.fade(0.75), None)?;
        canvas.text(
            text,
            SMALL,
            color,
            Pos::new(HPos::Center, VPos::Center),
            room.centre(),
        )
    }

    /// What a legend should not hide, as points a few pixels apart.
    fn obstacles(&self, items: &[Item]) -> Vec<(i32, i32)> {
        let mut found = Vec::new();
        for item in items {
            match item {
                Item::Path { points, .. } | Item::Area { points, .. } => {
                    for piece in clip::path(points, self.x, self.y) {
                        sample(&self.map_all(&piece), &mut found);
                    }
                }
                Item::VerticalMark { x, text } if !text.is_empty() => {
                    let (x, y) = self.map([*x, self.y.high]);
                    let y = y + px(SMALL);
                    // About the text's width; it may stand on either side.
                    let reach = px(0.6 * SMALL * text.chars().count() as f64);
                    sample(&[(x - reach, y), (x + reach, y)], &mut found);
                }
                _ => found.extend(item.points().iter().map(|&p| self.map(p))),
            }
        }
        found
    }
}

fn ticks(span: Span, target: usize) -> Ticks {
    if span.logarithmic {
        Ticks::logarithmic(span.low, span.high, target)
    } else {
        Ticks::linear(span.low, span.high, target)
    }
}

/// Ticks at least `pixels` apart, two to ten of them.
fn count(length: i32, pixels: f64) -> usize {
    usize::try_from(length / px(pixels))
        .unwrap_or(0)
        .clamp(2, 10)
}

fn px_of(units: f64) -> i32 {
    px(units / f64::from(px(1.0)))
}

/// Adds a path's points and those between them, four pixels apart.
fn sample(path: &[(i32, i32)], found: &mut Vec<(i32, i32)>) {
    found.extend(path.first());
    for pair in path.windows(2) {
        let (a, b) = (pair[0], pair[1]);
        let pieces = (b.0 - a.0).abs().max((b.1 - a.1).abs()) / px(4.0) + 1;
        for i in 1..=pieces {
            found.push((
                a.0 + (b.0 - a.0) * i / pieces,
                a.1 + (b.1 - a.1) * i / pieces,
            ));
        }
    }
}

/// Triangle of an arrow's head: 9 pixels long, 7 wide, smaller for short arrows.
fn head(from: (i32, i32), to: (i32, i32)) -> Vec<(i32, i32)> {
    let d = (f64::from(to.0 - from.0), f64::from(to.1 - from.1));
    let length = d.0.hypot(d.1).max(1.0);
    let along = f64::from(px(9.0)).min(0.4 * length);
    let across = along * 7.0 / 18.0;
    let (e, n) = ((d.0 / length, d.1 / length), (-d.1 / length, d.0 / length));
    let corner = |side: f64| {
        (
            to.0 - px_of(along * e.0 - side * across * n.0),
            to.1 - px_of(along * e.1 - side * across * n.1),
        )
    };
    vec![to, corner(1.0), corner(-1.0)]
}
