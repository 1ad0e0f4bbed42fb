//! Positions and velocities over time as a picture.

use signorini_dynamics::{State, System};
use signorini_plot::{Figure, LinePlot, Series, Style, Trace};
use signorini_scene::Column;

/// Samples kept for the curves; a picture shows no more.
const MOST_SAMPLES: usize = 4000;
/// Curves per panel; more could not be told apart.
const MOST_BODIES: usize = 7;

/// The coordinates of the first bodies at evenly spaced steps.
///
/// When there are too many samples every second one goes, and only every second step is kept from then on.
#[derive(Clone, Debug)]
pub(crate) struct Curves {
    columns: Vec<Column>,
    /// Time, then positions and velocities in the order of `columns`.
    samples: Vec<Vec<f64>>,
    stride: usize,
    seen: usize,
}

impl Default for Curves {
    fn default() -> Self {
        Self {
            columns: Vec::new(),
            samples: Vec::new(),
            stride: 1,
            seen: 0,
        }
    }
}

impl Curves {
    pub(crate) fn record(&mut self, system: &dyn System, state: &State) {
        if self.columns.is_empty() {
            self.columns = Column::of(system);
        }
        if self.seen.is_multiple_of(self.stride) {
            self.samples.push(Column::values(system, state).collect());
        }
        self.seen += 1;
        if self.samples.len() >= MOST_SAMPLES {
            let mut index = 0;
            self.samples.retain(|_| {
                index += 1;
                index % 2 == 1
            });
            self.stride *= 2;
        }
    }

    /// One panel per quantity, positions to the left of their velocities, one curve per body.
    pub(crate) fn figure(&self, title: &str) -> Figure {
        let pairs: &[[&str; 2]] = if self.columns.iter().any(|column| column.quantity == "z") {
            &[["x", "v_x"], ["y", "v_y"], ["z", "v_z"]]
        } else {
            &[["x", "v_x"], ["y", "v_y"], ["angle", "omega"]]
        };
        let mut figure = Figure::new(title, 1000, 900).columns(2);
        for quantity in pairs.iter().flatten() {
            figure = figure.with(self.panel(quantity));
        }
        figure
    }

    fn panel(&self, quantity: &str) -> LinePlot {
        let columns = self.columns.iter().enumerate();
        let columns = columns.filter(|(_, column)| column.quantity == quantity);
        let columns: Vec<(usize, &Column)> = columns.take(MOST_BODIES).collect();
        let unit = columns
            .first()
            .map_or("", |(_, column)| column.unit.as_str());
        // An implicit step holds its velocity over the step that it ends.
        let is_velocity = quantity.starts_with("v_") || quantity.starts_with("omega");
        let trace = if is_velocity {
            Trace::Steps
        } else {
            Trace::Line
        };
        let curve = |(number, &(index, column)): (usize, &(usize, &Column))| {
            let points = self.samples.iter().map(|sample| [sample[0], sample[index]]);
            let style = Style {
                trace,
                ..Style::nth(number)
            };
            Series::new(column.body.clone(), points.collect(), style)
        };
        LinePlot {
            x_label: "t (s)".to_owned(),
            y_label: format!("{quantity} ({unit})"),
            series: columns.iter().enumerate().map(curve).collect(),
            ..LinePlot::default()
        }
    }
}
