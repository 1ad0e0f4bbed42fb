//! Bars on a terminal, lines elsewhere.

use std::io::IsTerminal;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use signorini_validation::{Experiment, Progress};

/// Shows all experiments that run.
#[derive(Debug)]
pub(crate) struct Display {
    bars: Option<MultiProgress>,
    width: usize,
}

impl Display {
    /// Bars if the error output is a terminal.
    pub(crate) fn new(experiments: &[&'static dyn Experiment]) -> Self {
        let bars = std::io::stderr().is_terminal().then(MultiProgress::new);
        let width = experiments.iter().map(|e| e.id().len()).max().unwrap_or(0);
        Self { bars, width }
    }

    /// The listener of one experiment.
    pub(crate) fn listener(&self, experiment: &'static dyn Experiment) -> Box<dyn Progress> {
        let id = format!("{:width$}", experiment.id(), width = self.width);
        let Some(bars) = &self.bars else {
            let id = experiment.id();
            super::terminal::note(&format!("{id} started"));
            return Box::new(Lines::new(id));
        };
        let bar = bars.add(ProgressBar::new(1));
        let template = "{prefix} [{bar:32}] {pos}/{len} {msg}";
        let style = ProgressStyle::with_template(template)
            .unwrap_or_else(|_| ProgressStyle::default_bar())
            .progress_chars("=> ");
        bar.set_style(style);
        bar.set_prefix(id);
        bar.tick();
        Box::new(Bar(bar))
    }

    /// Removes the bars.
    pub(crate) fn clear(&self) {
        if let Some(bars) = &self.bars {
            // A terminal that went away needs no clearing.
            let _ = bars.clear();
        }
    }
}

/// A line when the experiment is over, and one now and then before.
struct Lines {
    id: &'static str,
    start: Instant,
    told: Mutex<Instant>,
}

/// From one line of an experiment to the next.
const INTERVAL: Duration = Duration::from_secs(10);

impl Lines {
    fn new(id: &'static str) -> Self {
        let start = Instant::now();
        Self {
            id,
            start,
            told: Mutex::new(start),
        }
    }
}

impl Progress for Lines {
    fn progress(&self, done: usize, total: usize, part: &str) {
        // Who panicked while holding it has left a time all the same.
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.elapsed() >= INTERVAL {
            *told = Instant::now();
            super::terminal::note(&format!("{}: {done} of {total}, {part}", self.id));
        }
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        let seconds = self.start.elapsed().as_secs_f64();
        super::terminal::note(&format!("{} done in {seconds:.1} s", self.id));
    }
}

struct Bar(ProgressBar);

impl Progress for Bar {
    fn progress(&self, done: usize, total: usize, part: &str) {
        self.0.set_length(total as u64);
        self.0.set_position(done as u64);
        self.0.set_message(part.to_owned());
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish();
    }
}
