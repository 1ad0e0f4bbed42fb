//! The whole check, as the service runs it and as a developer runs it before handing in.
//!
//! The steps share their artefacts: both clippy steps and nothing else use check artefacts; tests, doctests and benches
//! use the test profile over the whole workspace (one feature set, one build); only `validate` is built for release.
//! A step that fails does not stop the others: all that is wrong is worth knowing at once.

use std::time::{Duration, Instant};

use crate::cargo::{self, Call};
use crate::tidy;

/// Options of `ci`.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Leave out the tests, for a caller that has just run `cargo test --workspace`
    #[arg(long)]
    no_tests: bool,
}

/// How a step ended.
#[derive(Debug, PartialEq)]
enum Outcome {
    Passed,
    Failed,
    Skipped(String),
}

/// One line of the summary.
#[derive(Debug)]
struct Line {
    name: &'static str,
    time: Duration,
    outcome: Outcome,
}

/// Runs all steps and prints a summary. False if one failed.
pub(crate) fn run(options: &Options) -> bool {
    let start = Instant::now();
    let mut lines = vec![
        step("fmt", &Call::cargo(["fmt", "--all", "--", "--check"])),
        timed("tidy", || {
            if tidy::run() {
                Outcome::Passed
            } else {
                Outcome::Failed
            }
        }),
        step("clippy, libraries", &clippy("--lib")),
        step("clippy, all targets", &clippy("--all-targets")),
    ];
    if options.no_tests {
        lines.push(skipped("tests", "--no-tests"));
    } else {
        lines.push(step("tests", &Call::cargo(["test", "--workspace"])));
    }
    // The one heavy feature: nothing above builds it. Its example checks itself.
    lines.push(step(
        "feature autodiff",
        &Call::cargo([
            "run",
            "-p",
            "signorini-geometry",
            "--features",
            "autodiff",
            "--example",
            "quartic",
        ]),
    ));
    lines.push(step("docs", &docs()));
    // The glob selects the Criterion targets alone; without `--bench` on its own line Criterion runs each case once.
    lines.push(step(
        "benches",
        &Call::cargo(["test", "--workspace", "--bench", "*", "--", "--test"]),
    ));
    lines.push(step("validate", &cargo::validate(vec!["--quick".into()])));
    lines.extend(optional());
    lines.push(by_hand());
    print!("{}", summary(&lines, start.elapsed()));
    lines.iter().all(|line| line.outcome != Outcome::Failed)
}

fn clippy(targets: &str) -> Call {
    Call::cargo(["clippy", "--workspace", targets, "--", "-D", "warnings"])
}

/// `--config` adds to the flags of `.cargo/config.toml`; the environment variable would replace them.
fn docs() -> Call {
    let deny = "build.rustdocflags=[\"-D\", \"warnings\"]";
    Call::cargo(["doc", "--workspace", "--no-deps", "--config", deny])
}

/// Tools that a developer need not have. Each runs when it is installed and is named when it is not.
fn optional() -> Vec<Line> {
    let oldest = format!("toolchain {}", env!("CARGO_PKG_RUST_VERSION"));
    vec![
        if installed("deny") {
            step(
                "cargo-deny",
                &Call::cargo(["deny", "--offline", "check", "bans", "licenses", "sources"]),
            )
        } else {
            skipped("cargo-deny", "not installed")
        },
        if installed("hack") {
            let words = [
                "hack",
                "check",
                "--workspace",
                "--feature-powerset",
                "--no-dev-deps",
            ];
            step("feature matrix", &Call::cargo(words))
        } else {
            skipped("feature matrix", "cargo-hack is not installed")
        },
        match (installed("semver-checks"), released()) {
            (false, _) => skipped("cargo-semver-checks", "not installed"),
            (true, None) => skipped("cargo-semver-checks", "no release to compare with"),
            (true, Some(tag)) => step(
                "cargo-semver-checks",
                &Call::cargo(["semver-checks", "--workspace", "--baseline-rev", &tag]),
            ),
        },
        if has_toolchain(env!("CARGO_PKG_RUST_VERSION")) {
            let version = env!("CARGO_PKG_RUST_VERSION");
            let words = [
                "run",
                version,
                "cargo",
                "check",
                "--workspace",
                "--all-targets",
            ];
            step("oldest toolchain", &Call::new("rustup", words))
        } else {
            skipped("oldest toolchain", &format!("{oldest} is not installed"))
        },
    ]
}

/// What no machine of the service can do; a developer runs it by hand.
fn by_hand() -> Line {
    skipped(
        "other programs",
        "python3 scripts/compare_lcp.py, which needs Drake, and scripts/pyomo_mcp.py, which needs Pyomo",
    )
}

fn installed(tool: &str) -> bool {
    Call::cargo([tool, "--version"]).output().is_some()
}

/// The latest tag of a release, if there is one.
fn released() -> Option<String> {
    let tag = Call::new("git", ["describe", "--tags", "--abbrev=0", "--match", "v*"]).output()?;
    Some(tag.trim().to_owned()).filter(|tag| !tag.is_empty())
}

fn has_toolchain(version: &str) -> bool {
    let listed = Call::new("rustup", ["toolchain", "list"])
        .output()
        .unwrap_or_default();
    listed.lines().any(|line| line.starts_with(version))
}

fn step(name: &'static str, call: &Call) -> Line {
    timed(name, || {
        println!("   $ {}", call.line());
        if call.run() {
            Outcome::Passed
        } else {
            Outcome::Failed
        }
    })
}

fn timed(name: &'static str, work: impl FnOnce() -> Outcome) -> Line {
    println!("\n== {name}");
    let start = Instant::now();
    let outcome = work();
    let line = Line {
        name,
        time: start.elapsed(),
        outcome,
    };
    println!("   {}", described(&line));
    line
}

fn skipped(name: &'static str, why: &str) -> Line {
    Line {
        name,
        time: Duration::ZERO,
        outcome: Outcome::Skipped(why.to_owned()),
    }
}

fn described(line: &Line) -> String {
    match &line.outcome {
        Outcome::Passed => format!("ok       {:>7.1} s  {}", line.time.as_secs_f64(), line.name),
        Outcome::Failed => format!("FAILED   {:>7.1} s  {}", line.time.as_secs_f64(), line.name),
        Outcome::Skipped(why) => format!("skipped  {:>9}  {} ({why})", "", line.name),
    }
}

fn summary(lines: &[Line], total: Duration) -> String {
    let failed = lines
        .iter()
        .filter(|line| line.outcome == Outcome::Failed)
        .count();
    let passed = lines
        .iter()
        .filter(|line| line.outcome == Outcome::Passed)
        .count();
    let skipped = lines.len() - failed - passed;
    let mut rows = vec![String::new(), "== summary".to_owned()];
    rows.extend(lines.iter().map(|line| format!("   {}", described(line))));
    let seconds = total.as_secs_f64();
    rows.push(format!(
        "ci: {passed} steps passed, {failed} failed, {skipped} skipped, in {seconds:.0} s\n"
    ));
    rows.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_names_what_failed_and_what_was_skipped() {
        let lines = [
            Line {
                name: "fmt",
                time: Duration::from_millis(1500),
                outcome: Outcome::Passed,
            },
            Line {
                name: "docs",
                time: Duration::from_secs(70),
                outcome: Outcome::Failed,
            },
            skipped("cargo-deny", "not installed"),
        ];
        let text = summary(&lines, Duration::from_secs(72));
        let rows: Vec<_> = text.lines().skip(2).collect();
        assert_eq!(
            rows,
            [
                "   ok           1.5 s  fmt",
                "   FAILED      70.0 s  docs",
                "   skipped             cargo-deny (not installed)",
                "ci: 1 steps passed, 1 failed, 1 skipped, in 72 s",
            ]
        );
    }

    #[test]
    fn a_failing_command_fails_its_step() {
        let line = step("nothing", &Call::new("no-such-program-here", ["x"]));
        assert_eq!(line.outcome, Outcome::Failed);
    }
}
