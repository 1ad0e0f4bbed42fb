//! Writes a trajectory while it is computed.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::ops::ControlFlow;

use signorini_dynamics::{State, System};
use signorini_steppers::{Recorder, StepReport};
use thiserror::Error;

use super::Column;

/// Why a trajectory could not be written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TrajectoryError {
    /// The file refuses.
    #[error("cannot write the trajectory: {0}")]
    Write(#[from] io::Error),
    /// A number is not finite; it is not written.
    #[error("{column} is {found} at t = {t:?} s: the trajectory ends before it")]
    NotFinite {
        /// Body, quantity and unit.
        column: String,
        /// The number.
        found: f64,
        /// Time, s.
        t: f64,
    },
}

/// A recorder that writes one row per record.
///
/// A recorder cannot fail: the first failure ends the run, and [`TrajectoryWriter::finish`] returns it.
#[derive(Debug)]
pub struct TrajectoryWriter<W> {
    out: W,
    columns: Vec<Column>,
    line: String,
    failure: Option<TrajectoryError>,
}

impl<W: Write> TrajectoryWriter<W> {
    /// A writer that has not written anything; the header comes with the first record.
    pub fn new(out: W) -> Self {
        Self {
            out,
            columns: Vec::new(),
            line: String::new(),
            failure: None,
        }
    }

    /// What was written into, with every row of it.
    ///
    /// # Errors
    /// The failure that ended the run, or that of the last flush.
    pub fn finish(mut self) -> Result<W, TrajectoryError> {
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        self.out.flush()?;
        Ok(self.out)
    }

    fn write_row(&mut self, system: &dyn System, state: &State) -> Result<(), TrajectoryError> {
        self.line.clear();
        if self.columns.is_empty() {
            self.columns = Column::of(system);
            let heads = self
                .columns
                .iter()
                .map(|column| quoted(&column.to_string()));
            self.line.push_str(&heads.collect::<Vec<_>>().join(","));
            self.line.push('\n');
        }
        for (column, value) in self.columns.iter().zip(Column::values(system, state)) {
            if !value.is_finite() {
                let column = column.to_string();
                return Err(TrajectoryError::NotFinite {
                    column,
                    found: value,
                    t: state.t,
                });
            }
            write!(self.line, "{value:.16e},").expect("a string takes every text");
        }
        self.line.pop();
        self.line.push('\n');
        Ok(self.out.write_all(self.line.as_bytes())?)
    }
}

fn quoted(head: &str) -> String {
    if head.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", head.replace('"', "\"\""))
    } else {
        head.to_owned()
    }
}

impl<W: Write> Recorder for TrajectoryWriter<W> {
    fn record(
        &mut self,
        system: &dyn System,
        state: &State,
        _: Option<&StepReport>,
    ) -> ControlFlow<()> {
        if self.failure.is_none() {
            self.failure = self.write_row(system, state).err();
        }
        if self.failure.is_some() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}
