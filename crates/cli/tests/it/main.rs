//! The program as its users see it: exit status, messages and files.

#![expect(
    clippy::float_cmp,
    reason = "values that are exact are compared exactly"
)]
#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test")]

mod inputs;
mod outputs;
mod restart;
mod solve;
mod unsolved_steps;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The program run in a folder.
pub(crate) fn signorini(folder: &Path, arguments: &[&str]) -> Output {
    let program = env!("CARGO_BIN_EXE_signorini");
    Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap()
}

/// The same, which must succeed; its standard output.
pub(crate) fn succeed(folder: &Path, arguments: &[&str]) -> String {
    let output = signorini(folder, arguments);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{arguments:?}: {errors}");
    assert_eq!(
        errors, "",
        "a run that succeeds says nothing on the error stream"
    );
    String::from_utf8(output.stdout).unwrap()
}

/// The same, which must fail with this status; its error stream.
pub(crate) fn fail(folder: &Path, arguments: &[&str], status: i32) -> String {
    let output = signorini(folder, arguments);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        output.status.code(),
        Some(status),
        "{arguments:?}: {errors}"
    );
    assert!(
        output.stdout.is_empty(),
        "a failure prints nothing on the output stream"
    );
    errors
}

/// A file of the repository.
pub(crate) fn repository(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(path)
}

/// A scene of the fixtures.
pub(crate) fn fixture(name: &str) -> String {
    let path = repository("fixtures/scenes")
        .join(name)
        .canonicalize()
        .unwrap();
    path.into_os_string().into_string().unwrap()
}

/// The names in a folder, hidden ones included.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}
