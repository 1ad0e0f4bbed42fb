//! The progress bar.

use std::cell::Cell;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::number::short;
use crate::terminal;

/// A bar on the error stream of a terminal; elsewhere, as in the log of a cluster, a line now and then.
pub(crate) enum Progress {
    Bar(ProgressBar),
    Lines {
        steps: usize,
        done: Cell<usize>,
        told: Cell<Instant>,
    },
    Quiet,
}

/// From one line to the next: a run that takes less prints none.
const INTERVAL: Duration = Duration::from_secs(10);

impl Progress {
    pub(crate) fn new(steps: usize, quiet: bool) -> Self {
        if quiet {
            return Self::Quiet;
        }
        if !std::io::stderr().is_terminal() {
            return Self::Lines {
                steps,
                done: Cell::new(0),
                told: Cell::new(Instant::now()),
            };
        }
        let bar = ProgressBar::new(steps as u64);
        let style = ProgressStyle::with_template("{bar:40} {percent:>3} %  {msg}  {eta} left");
        if let Ok(style) = style {
            bar.set_style(style);
        }
        Self::Bar(bar)
    }

    pub(crate) fn advance(&self, t: f64) {
        match self {
            Self::Bar(bar) => {
                bar.set_message(format!("t = {} s", short(t, 4)));
                bar.inc(1);
            }
            Self::Lines { steps, done, told } => {
                done.set(done.get() + 1);
                if told.get().elapsed() >= INTERVAL {
                    told.set(Instant::now());
                    let (done, t) = (done.get(), short(t, 4));
                    terminal::print_log(&format!("step {done} of {steps}, t = {t} s"));
                }
            }
            Self::Quiet => {}
        }
    }

    pub(crate) fn clear(&self) {
        if let Self::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}
