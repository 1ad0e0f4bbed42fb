//! The progress bar.

use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressStyle};

use crate::number::short;

/// A bar on the error stream of a terminal; nothing elsewhere.
pub(crate) struct Progress(ProgressBar);

impl Progress {
    pub(crate) fn new(steps: usize, quiet: bool) -> Self {
        if quiet || !std::io::stderr().is_terminal() {
            return Self(ProgressBar::hidden());
        }
        let bar = ProgressBar::new(steps as u64);
        let style = ProgressStyle::with_template("{bar:40} {percent:>3} %  {msg}  {eta} left");
        if let Ok(style) = style {
            bar.set_style(style);
        }
        Self(bar)
    }

    pub(crate) fn advance(&self, t: f64) {
        if !self.0.is_hidden() {
            self.0.set_message(format!("t = {} s", short(t, 4)));
            self.0.inc(1);
        }
    }

    pub(crate) fn clear(&self) {
        self.0.finish_and_clear();
    }
}
