//! The only place that prints.
#![expect(
    clippy::print_stderr,
    reason = "errors of a program go to the error stream"
)]

use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::PathBuf;

use signorini_steppers::RunSummary;

use crate::error::CliError;
use crate::number::{counted, short};
use crate::report::RunFacts;

/// Prints an error.
pub(crate) fn print_error(error: &CliError) {
    eprintln!("error: {error}");
}

/// Prints a line of a log on the error stream. A reader who stops reading is no error.
pub(crate) fn print_log(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}

/// Where a log goes that is more than lines.
pub(crate) fn log_stream() -> impl Write {
    io::stderr().lock()
}

/// Prints text as it is. A reader who stops reading, as `head` does, is no error.
pub(crate) fn print_text(text: &str) -> Result<(), CliError> {
    let written = io::stdout().lock().write_all(text.as_bytes());
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// Prints what a run was.
pub(crate) fn print_summary(
    facts: RunFacts<'_>,
    summary: &RunSummary,
    written: &[PathBuf],
) -> Result<(), CliError> {
    let mut text = format!(
        "{} with {}: {} of {} s, t = {} s to {} s\n",
        facts.scene,
        facts.scheme,
        counted(summary.steps, "step", "steps"),
        short(facts.h, 6),
        short(facts.t_start, 6),
        short(facts.t_end, 6),
    );
    let time = facts.seconds_per_step(summary.steps);
    let (start, end) = (summary.energy_start.total(), summary.energy_end.total());
    let mut row = |name: &str, value: String| {
        writeln!(text, "  {name:<18} {value}").expect("a string takes every text");
    };
    row("time per step", format!("{} s", short(time, 3)));
    row("worst residual", short(summary.worst_residual, 3));
    row(
        "worst penetration",
        format!("{} m", short(summary.worst_penetration, 3)),
    );
    row(
        "energy",
        format!(
            "{} J at the start, {} J at the end",
            short(start, 6),
            short(end, 6)
        ),
    );
    row(
        "energy gain",
        format!(
            "at most {} J in a step, beside what compressions have stored",
            short(summary.largest_energy_gain, 3)
        ),
    );
    if summary.largest_restitution_cut > 0.0 {
        let percent = 100.0 * summary.largest_restitution_cut;
        row(
            "restitution",
            format!(
                "lowered by at most {} %, where an impact would have gained energy or had no room",
                short(percent, 3)
            ),
        );
    }
    row(
        "contacts",
        format!("at most {} in a step", facts.counts.largest_contacts),
    );
    if summary.unconverged_steps > 0 {
        row("unsettled steps", summary.unconverged_steps.to_string());
    }
    for path in written {
        row("written", path.display().to_string());
    }
    print_text(&text)
}
