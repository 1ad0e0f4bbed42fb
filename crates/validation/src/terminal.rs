//! What the program does and prints. The only place that prints.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "the program talks to its user here"
)]

use std::error::Error;
use std::fs;
use std::process::ExitCode;

use signorini_validation::{
    Claim, ClaimTable, EXPERIMENTS, Outcome, OutputError, Staged, Verdict, golden, select,
    write_report,
};

use crate::args::{Arguments, Choice, Command};
use crate::progress::Display;

/// Prints why nothing could be done.
pub(crate) fn refuse(error: &dyn Error) -> ExitCode {
    eprintln!("error: {error}");
    ExitCode::from(2)
}

pub(crate) fn note(line: &str) {
    eprintln!("{line}");
}

/// Does what the command line asks; whether all is as expected.
pub(crate) fn run(arguments: &Arguments) -> Result<bool, Box<dyn Error>> {
    if arguments.list {
        for experiment in EXPERIMENTS {
            let source = experiment.source();
            println!(
                "{:16} {} {}: {}",
                experiment.id(),
                source.paper,
                source.item,
                experiment.title()
            );
        }
        return Ok(true);
    }
    match &arguments.command {
        Some(Command::Golden { choice, update }) => check_golden(choice, *update),
        None => validate(arguments),
    }
}

fn outcomes(choice: &Choice) -> Result<Vec<Outcome>, Box<dyn Error>> {
    let experiments = select(&choice.only)?;
    let table = ClaimTable::ours()?;
    let display = Display::new(&experiments);
    let listener = |experiment| display.listener(experiment);
    let outcomes = signorini_validation::run(
        &experiments,
        &table,
        choice.effort(),
        choice.jobs,
        &listener,
    )?;
    display.clear();
    Ok(outcomes)
}

/// Exit status after Ctrl-C, by custom.
const INTERRUPTED: i32 = 130;

fn validate(arguments: &Arguments) -> Result<bool, Box<dyn Error>> {
    // The ids and the folder are checked before the work, not after it.
    select(&arguments.choice.only)?;
    let folder = Staged::beside(&arguments.out)?;
    let hidden = folder.hidden().to_owned();
    // Ctrl-C leaves nothing half-written. If the handler cannot be set, the hidden folder says what it is.
    let _ = ctrlc::set_handler(move || {
        let _ = std::fs::remove_dir_all(&hidden);
        std::process::exit(INTERRUPTED);
    });
    let outcomes = outcomes(&arguments.choice)?;
    write_report(&folder, &outcomes)?;
    let place = folder.publish()?;
    for outcome in &outcomes {
        print_outcome(outcome);
    }
    let claims = outcomes.iter().flat_map(|o| &o.claims);
    let (total, ok) = (claims.clone().count(), claims.filter(|c| c.ok).count());
    println!(
        "\n{ok} of {total} claims as expected{}.",
        verdicts(&outcomes)
    );
    for line in differences(&outcomes) {
        println!("  {line}");
    }
    println!("Report: {}", place.join("index.html").display());
    Ok(outcomes.iter().all(Outcome::ok))
}

/// How many claims there are of each verdict, as the end of a sentence.
fn verdicts(outcomes: &[Outcome]) -> String {
    let count = |verdict| {
        let claims = outcomes.iter().flat_map(|o| &o.claims);
        claims.filter(|c| c.verdict == verdict).count()
    };
    let counts = [
        (Verdict::Reproduced, "held as the paper states them"),
        (
            Verdict::Conditional,
            "held under a condition that the paper does not state",
        ),
        (
            Verdict::NotReproduced,
            "not reproduced as the paper states it",
        ),
        (Verdict::Information, "for information"),
    ]
    .map(|(verdict, words)| (count(verdict), words));
    let parts: Vec<String> = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, words)| format!("{count} {words}"))
        .collect();
    let colon = if parts.is_empty() { "" } else { ": " };
    format!("{colon}{}", parts.join(", "))
}

/// A line for each claim that did not come out as the paper states it, with the reason.
fn differences(outcomes: &[Outcome]) -> Vec<String> {
    let is_other = |c: &&Claim| matches!(c.verdict, Verdict::NotReproduced | Verdict::Conditional);
    let line = |outcome: &Outcome, claim: &Claim| {
        let colon = if claim.note.is_empty() { "" } else { "; " };
        let (id, name) = (outcome.experiment.id(), &claim.name);
        format!("{id}, {name}: {}{colon}{}", result(claim), claim.note)
    };
    outcomes
        .iter()
        .flat_map(|o| o.claims.iter().filter(is_other).map(move |c| line(o, c)))
        .collect()
}

fn print_outcome(outcome: &Outcome) {
    let source = outcome.experiment.source();
    println!(
        "\n{} ({} {}), {:.2} s",
        outcome.experiment.id(),
        source.paper,
        source.item,
        outcome.seconds
    );
    if let Some(failure) = &outcome.failure {
        println!("  FAILED: {failure}");
        return;
    }
    let width = outcome
        .claims
        .iter()
        .map(|c| c.name.chars().count())
        .max()
        .unwrap_or(0);
    for claim in &outcome.claims {
        println!(
            "  {} {:width$}  {}",
            if claim.ok { "ok  " } else { "FAIL" },
            claim.name,
            result(claim)
        );
    }
}

fn result(claim: &Claim) -> String {
    let unit = if claim.unit.is_empty() {
        String::new()
    } else {
        format!(" {}", claim.unit)
    };
    let printed = claim
        .printed
        .as_ref()
        .map_or(String::new(), |v| format!(", printed {v}"));
    let exact = claim
        .exact
        .as_ref()
        .map_or(String::new(), |v| format!(", exact {v}"));
    let expected = if claim.verdict == claim.expected_verdict {
        String::new()
    } else {
        format!(" (expected: {})", claim.expected_verdict)
    };
    format!(
        "{}{unit}{printed}{exact}: {}{expected}",
        claim.measured_text(),
        claim.verdict
    )
}

fn check_golden(choice: &Choice, update: bool) -> Result<bool, Box<dyn Error>> {
    let folder = golden::folder();
    let mut good = true;
    for outcome in outcomes(choice)? {
        let id = outcome.experiment.id();
        if let Some(failure) = &outcome.failure {
            println!("{id}: FAILED: {failure}");
            good = false;
            continue;
        }
        for table in outcome.report.tables.iter().filter(|table| table.golden) {
            let name = golden::file_name(id, table);
            let path = folder.join(&name);
            let old = fs::read_to_string(&path).ok();
            let verdict = match &old {
                None => Err("no such file".to_owned()),
                Some(old) => golden::compare(old, table).map_err(|error| error.to_string()),
            };
            match &verdict {
                Ok(()) => println!("{name}: ok"),
                Err(error) => println!("{name}: {error}"),
            }
            let moved = old.as_ref().and_then(|old| golden::differences(old, table));
            for (column, difference) in moved.into_iter().flatten().filter(|(_, d)| *d > 0.0) {
                println!("  {column}: largest difference {difference:.1e}");
            }
            if update && (verdict.is_err() || old.as_deref() != Some(&golden::write(id, table))) {
                replace(&path, &golden::write(id, table))?;
                println!("  replaced");
            } else {
                good &= verdict.is_ok();
            }
        }
    }
    Ok(good)
}

/// Writes beside the file and renames, so that no half of it can remain.
fn replace(path: &std::path::Path, text: &str) -> Result<(), OutputError> {
    let failed = |source| OutputError::Write {
        path: path.to_owned(),
        source,
    };
    let partial = path.with_extension("csv.partial");
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    fs::write(&partial, text)
        .and_then(|()| fs::rename(&partial, path))
        .map_err(|source| {
            // The write has failed already; a file that cannot be removed either changes nothing.
            let _ = fs::remove_file(&partial);
            failed(source)
        })
}
