//! Bodies in a plane, to scale.

use crate::error::PlotError;
use crate::items::{Anchor, Item, LegendEntry, Sheet, Stroke, check_finite, span};
use crate::style::{Color, Paint};

/// What a [`FramesPlot`] shows, in its coordinates.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Shape {
    /// Closed polygon.
    Polygon {
        /// Corners in order.
        points: Vec<[f64; 2]>,
    },
    /// Disc.
    Circle {
        /// Its centre.
        centre: [f64; 2],
        /// Its radius.
        radius: f64,
    },
    /// Segment with round ends: all points within `radius` of the segment.
    Stadium {
        /// Middle of the segment.
        centre: [f64; 2],
        /// Angle of the segment to the first axis in rad.
        angle: f64,
        /// Half the segment's length, without the round ends.
        half_length: f64,
        /// Radius of the ends.
        radius: f64,
    },
    /// Open polygon.
    Line {
        /// Corners in order.
        points: Vec<[f64; 2]>,
    },
    /// Arrow; one without length is left out.
    Arrow {
        /// Its tail.
        from: [f64; 2],
        /// Its tip.
        to: [f64; 2],
    },
    /// Text.
    Label {
        /// Its point.
        at: [f64; 2],
        /// What it says.
        text: String,
        /// Where it stands from the point; it moves if that place is taken.
        anchor: Anchor,
    },
}

/// A panel of shapes, both axes in the same scale.
///
/// # Examples
///
/// ```
/// use signorini_plot::{Color, Figure, FramesPlot, Paint, Shape};
/// let mut frames = FramesPlot::new("Rod", "x (m)", "y (m)");
/// let rod = Shape::Stadium { centre: [0.0, 1.0], angle: 0.5, half_length: 0.25, radius: 0.05 };
/// frames.add(rod, Paint::body(Color::BLUE));
/// frames.label([0.0, 1.1], "t = 0");
/// let png = Figure::new("", 400, 300).with(frames).png()?;
/// assert_eq!(png[..4], *b"\x89PNG");
/// # Ok::<(), signorini_plot::PlotError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FramesPlot {
    /// Heading; may be empty.
    pub title: String,
    /// Quantity and unit of the first coordinate.
    pub x_label: String,
    /// Quantity and unit of the second coordinate.
    pub y_label: String,
    /// What is shown, from bottom to top.
    pub shapes: Vec<(Shape, Paint)>,
    /// Lines of the legend.
    pub legend: Vec<LegendEntry>,
    /// Part of the first axis that must be seen; `None` takes what the shapes need.
    pub x_range: Option<[f64; 2]>,
    /// Part of the second axis that must be seen; `None` takes what the shapes need.
    pub y_range: Option<[f64; 2]>,
}

impl FramesPlot {
    /// An empty panel.
    pub fn new(
        title: impl Into<String>,
        x_label: impl Into<String>,
        y_label: impl Into<String>,
    ) -> Self {
        Self {
            title: title.into(),
            x_label: x_label.into(),
            y_label: y_label.into(),
            ..Self::default()
        }
    }

    /// Puts a shape on top.
    pub fn add(&mut self, shape: Shape, paint: Paint) {
        self.shapes.push((shape, paint));
    }

    /// Puts a black text on top, centred at a point.
    pub fn label(&mut self, at: [f64; 2], text: impl Into<String>) {
        let label = Shape::Label {
            at,
            text: text.into(),
            anchor: Anchor::Centre,
        };
        self.add(label, Paint::line(Color::BLACK));
    }

    pub(crate) fn sheet(&self) -> Result<Sheet, PlotError> {
        let mut items = Vec::new();
        for (shape, paint) in &self.shapes {
            push_shape(&mut items, shape, *paint)?;
        }
        Ok(Sheet {
            title: self.title.clone(),
            x_label: self.x_label.clone(),
            y_label: self.y_label.clone(),
            x: span(&self.title, 0, self.x_range, &items, 0.04)?,
            y: span(&self.title, 1, self.y_range, &items, 0.04)?,
            equal_aspect: true,
            items,
            legend: self.legend.clone(),
        })
    }
}

fn push_shape(items: &mut Vec<Item>, shape: &Shape, paint: Paint) -> Result<(), PlotError> {
    let (name, outline, closed) = match shape {
        Shape::Polygon { points } => ("polygon", points.clone(), true),
        Shape::Circle { centre, radius } => ("circle", stadium(*centre, [0.0; 2], *radius), true),
        Shape::Stadium {
            centre,
            angle,
            half_length,
            radius,
        } => {
            let axis = [half_length * angle.cos(), half_length * angle.sin()];
            ("stadium", stadium(*centre, axis, *radius), true)
        }
        Shape::Line { points } => ("line", points.clone(), false),
        Shape::Arrow { from, to } => ("arrow", vec![*from, *to], false),
        Shape::Label { at, .. } => ("label", vec![*at], false),
    };
    check_finite(name, &outline)?;
    if let (Some(color), true) = (paint.fill, closed) {
        items.push(Item::Area {
            points: outline.clone(),
            color,
        });
    }
    let Some(color) = paint.stroke else {
        return Ok(());
    };
    let stroke = Stroke {
        color,
        width: paint.width,
        dash: paint.dash,
    };
    match shape {
        Shape::Label { at, text, anchor } => {
            items.push(Item::Text {
                at: *at,
                text: text.clone(),
                anchor: *anchor,
                color,
            });
        }
        Shape::Arrow { from, to } if (to[0] - from[0]).hypot(to[1] - from[1]) <= 0.0 => {}
        Shape::Arrow { from, to } => {
            items.push(Item::Path {
                points: outline,
                stroke,
            });
            items.push(Item::Head {
                from: *from,
                to: *to,
                color,
            });
        }
        _ => {
            let mut points = outline;
            if closed {
                points.extend(points.first().copied());
            }
            items.push(Item::Path { points, stroke });
        }
    }
    Ok(())
}

/// Outline of the points within `radius` of the segment from `centre - axis` to `centre + axis`.
fn stadium(centre: [f64; 2], axis: [f64; 2], radius: f64) -> Vec<[f64; 2]> {
    // Half a circle of 48 pieces is 0.05 % off, less than a tenth of a pixel at any size shown.
    const HALF: u32 = 48;
    let start = axis[1].atan2(axis[0]) - std::f64::consts::FRAC_PI_2;
    let mut points = Vec::new();
    for (side, sign) in [(0, 1.0), (1, -1.0)] {
        for i in 0..=HALF {
            let turn = f64::from(side * HALF + i) / f64::from(HALF) * std::f64::consts::PI;
            let (sine, cosine) = (start + turn).sin_cos();
            points.push([
                centre[0] + sign * axis[0] + radius * cosine,
                centre[1] + sign * axis[1] + radius * sine,
            ]);
        }
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stadium_reaches_half_length_plus_radius() {
        let points = stadium([1.0, 2.0], [0.0, 0.25], 0.05);
        let top = points.iter().map(|p| p[1]).fold(f64::MIN, f64::max);
        let right = points.iter().map(|p| p[0]).fold(f64::MIN, f64::max);
        assert!((top - 2.3).abs() < 1e-12 && (right - 1.05).abs() < 1e-12);
    }

    #[test]
    fn shape_that_is_not_finite_is_refused() {
        let mut frames = FramesPlot::new("f", "", "");
        let circle = Shape::Circle {
            centre: [f64::NAN, 0.0],
            radius: 1.0,
        };
        frames.add(circle, Paint::line(Color::BLACK));
        assert!(
            matches!(frames.sheet(), Err(PlotError::NotFinite { item, .. }) if item == "circle")
        );
    }
}
