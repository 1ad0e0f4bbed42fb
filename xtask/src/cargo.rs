//! Commands that the tasks run, and where they run.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Root of the workspace: the folder above xtask's own.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent()
        .expect("xtask is a folder of the workspace")
        .to_path_buf()
}

/// A command that has not run yet.
#[derive(Debug)]
pub(crate) struct Call {
    program: OsString,
    arguments: Vec<OsString>,
    folder: Option<PathBuf>,
}

impl Call {
    /// A call of the cargo that runs this program, in the root of the workspace.
    pub(crate) fn cargo<A: Into<OsString>>(arguments: impl IntoIterator<Item = A>) -> Self {
        let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        Self::new(program, arguments)
    }

    /// A call of any program, in the root of the workspace.
    pub(crate) fn new<A: Into<OsString>>(
        program: impl Into<OsString>,
        arguments: impl IntoIterator<Item = A>,
    ) -> Self {
        Self {
            program: program.into(),
            arguments: arguments.into_iter().map(Into::into).collect(),
            folder: Some(root()),
        }
    }

    /// The same call in the folder where the user stands, so that the paths among its arguments mean what they say.
    fn in_current_folder(mut self) -> Self {
        self.folder = None;
        self
    }

    /// The command line as a developer would type it.
    pub(crate) fn line(&self) -> String {
        let program = Path::new(&self.program)
            .file_stem()
            .unwrap_or(&self.program);
        let words = std::iter::once(program).chain(self.arguments.iter().map(OsString::as_os_str));
        let words: Vec<_> = words.map(|word| quoted(&word.to_string_lossy())).collect();
        words.join(" ")
    }

    /// Runs the call with its output on the terminal. False if it failed or could not start.
    pub(crate) fn run(&self) -> bool {
        match self.command().status() {
            Ok(status) => status.success(),
            Err(error) => {
                eprintln!("cannot run {}: {error}", self.line());
                false
            }
        }
    }

    /// What the call prints, or nothing if it failed. Silent: this is how an optional tool is looked for.
    pub(crate) fn output(&self) -> Option<String> {
        let output = self.command().stderr(Stdio::null()).output().ok()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        output.status.success().then_some(text)
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments);
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        command
    }
}

/// `signorini-validate` with the user's arguments.
pub(crate) fn validate(arguments: Vec<OsString>) -> Call {
    let program = [
        "run",
        "--release",
        "-p",
        "signorini-validation",
        "--bin",
        "signorini-validate",
        "--",
    ];
    let words = program.into_iter().map(OsString::from).chain(arguments);
    Call::cargo(words).in_current_folder()
}

/// The comparison of the golden files; the code that reads and compares them stands beside the experiments.
pub(crate) fn golden(update: bool) -> Call {
    let mut arguments = vec![OsString::from("golden")];
    if update {
        arguments.push("--update".into());
    }
    Call {
        folder: Some(root()),
        ..validate(arguments)
    }
}

/// The Criterion benches.
pub(crate) fn bench(test: bool, filter: Vec<OsString>) -> Call {
    let mut words: Vec<OsString> = ["bench", "-p", "signorini-benches", "--"]
        .into_iter()
        .map(OsString::from)
        .collect();
    if test {
        words.push("--test".into());
    }
    words.extend(filter);
    Call::cargo(words)
}

/// The word in quotes if a shell would read it as more than one word or as a pattern.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_=./,:+@".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.into()
    } else {
        format!("'{word}'")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_can_be_pasted_into_a_shell() {
        let call = Call::new("/bin/cargo", ["test", "--bench", "*", ""]);
        assert_eq!(call.line(), "cargo test --bench '*' ''");
    }

    #[test]
    fn a_program_that_does_not_exist_fails_quietly() {
        assert_eq!(
            Call::new("no-such-program-here", ["--version"]).output(),
            None
        );
    }

    #[test]
    fn the_root_holds_the_workspace() {
        assert!(root().join("Cargo.lock").is_file());
    }

    #[test]
    fn golden_runs_in_the_root_and_updates_only_on_demand() {
        assert_eq!(golden(false).folder, Some(root()));
        assert!(golden(false).line().ends_with("-- golden"));
        assert!(golden(true).line().ends_with("-- golden --update"));
    }
}
