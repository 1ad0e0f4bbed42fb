//! The program `signorini-mcp` as AMPL calls it.

use std::path::Path;
use std::process::{Command, Output};

use crate::problems::folder;

fn run(folder: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_signorini-mcp"))
        .args(arguments)
        .envs(variables.iter().copied())
        .current_dir(folder)
        .output()
        .unwrap()
}

/// A folder with the file of a problem.
fn with(name: &str) -> tempfile::TempDir {
    let temporary = tempfile::tempdir().unwrap();
    let file = format!("{name}.nl");
    std::fs::copy(folder().join(&file), temporary.path().join(&file)).unwrap();
    temporary
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

#[test]
fn a_stub_is_answered_beside_it() {
    for stub in ["kojshin", "kojshin.nl", "./kojshin"] {
        let folder = with("kojshin");
        let output = run(folder.path(), &[stub, "-AMPL"], &[]);
        assert!(output.status.success() && output.stderr.is_empty());
        let line = text(output.stdout);
        let begin = concat!(
            "signorini-mcp ",
            env!("CARGO_PKG_VERSION"),
            ": solved; natural residual "
        );
        assert!(
            line.starts_with(begin) && line.lines().count() == 1,
            "{line}"
        );
        let sol = std::fs::read_to_string(folder.path().join("kojshin.sol")).unwrap();
        assert!(sol.starts_with(line.trim_end()));
        // Options as the file has them; 4 rows without multipliers, 4 variables with values.
        let (_, rest) = sol.split_once("\n\nOptions\n").unwrap();
        assert!(rest.starts_with("3\n1\n1\n0\n4\n0\n4\n4\n"), "{rest}");
        let lines: Vec<&str> = rest.lines().collect();
        assert_eq!((lines.len(), lines[12]), (13, "objno 0 0"));
        let z: Vec<f64> = lines[8..12]
            .iter()
            .map(|line| line.parse().unwrap())
            .collect();
        let model = signorini_ampl::Model::from_stub(folder.path().join("kojshin")).unwrap();
        assert!(signorini_complementarity::mcp_residual(&model, &z).unwrap() <= 1e-10);
    }
}

#[test]
fn options_come_from_the_environment_and_from_the_command_line() {
    let folder = with("kojshin");
    let code = |arguments: &[&str], variables: &[(&str, &str)]| {
        let words = [&["kojshin", "-AMPL"], arguments].concat();
        let output = run(folder.path(), &words, variables);
        assert!(output.status.success(), "{}", text(output.stderr));
        let sol = std::fs::read_to_string(folder.path().join("kojshin.sol")).unwrap();
        sol.trim_end()
            .rsplit(' ')
            .next()
            .unwrap()
            .parse::<u16>()
            .unwrap()
    };
    let short = "crash_method=none major_iteration_limit 1 restart_limit = 0";
    assert_eq!(code(&[], &[("signorini_mcp_options", short)]), 400);
    assert_eq!(code(&[], &[("signorini-mcp_options", short)]), 400);
    let words: Vec<&str> = short.split(' ').collect();
    assert_eq!(code(&words, &[]), 400);
    // The command line counts more.
    assert_eq!(
        code(
            &["major_iteration_limit=500"],
            &[("signorini_mcp_options", short)]
        ),
        0
    );
    assert_eq!(code(&["method=semismooth"], &[]), 0);
    assert_eq!(code(&["time_limit=1e-9", "crash_method=none"], &[]), 402);
    let silent = run(folder.path(), &["kojshin"], &[("solver_msg", "0")]);
    assert!(silent.status.success() && silent.stdout.is_empty());
    let log = text(run(folder.path(), &["kojshin", "outlev=1"], &[]).stdout);
    assert!(log.contains("Major Iteration Log"), "{log}");
}

#[test]
fn what_is_told_without_a_stub() {
    let folder = tempfile::tempdir().unwrap();
    let out = |argument: &str| {
        let output = run(folder.path(), &[argument], &[]);
        assert!(output.status.success());
        text(output.stdout)
    };
    assert_eq!(
        out("-v"),
        concat!("signorini-mcp ", env!("CARGO_PKG_VERSION"), "\n")
    );
    assert!(
        out("-=").contains("\n  convergence_tolerance ")
            || out("-=").starts_with("  convergence_tolerance ")
    );
    assert!(out("-?").starts_with("usage: signorini-mcp ") && out("--help") == out("-?"));
}

#[test]
fn failures_end_with_2_and_say_why() {
    let folder = with("kojshin");
    let fail = |arguments: &[&str]| {
        let output = run(folder.path(), arguments, &[]);
        assert_eq!(output.status.code(), Some(2));
        text(output.stderr)
    };
    assert!(fail(&[]).starts_with("signorini-mcp: no STUB\nusage: "));
    assert!(fail(&["--fast"]).starts_with("signorini-mcp: --fast: no such argument\n"));
    assert!(fail(&["none", "-AMPL"]).starts_with("signorini-mcp: cannot read `none.nl`: "));
    let unknown = fail(&["kojshin", "speed=1"]);
    assert_eq!(
        unknown,
        "signorini-mcp: no option is called `speed`; `signorini-mcp -=` lists them\n"
    );
    std::fs::write(folder.path().join("bad.nl"), "g3 1 1 0\n1 x").unwrap();
    let bad = fail(&["bad"]);
    assert_eq!(
        bad,
        "signorini-mcp: bad: line 2: `x` where the end of the line should stand\n"
            .replace("the end of the line", "a count of the header")
    );
    assert!(!folder.path().join("bad.sol").exists());
}

/// A full disk leaves no half of an answer.
#[cfg(target_os = "linux")]
#[test]
fn an_answer_that_cannot_be_written_is_none() {
    let folder = with("kojshin");
    let sol = folder.path().join("kojshin.sol");
    std::os::unix::fs::symlink("/dev/full", &sol).unwrap();
    let output = run(folder.path(), &["kojshin", "-AMPL"], &[]);
    assert_eq!(output.status.code(), Some(2));
    let error = text(output.stderr);
    assert!(
        error.contains("cannot write the answer to kojshin.sol"),
        "{error}"
    );
    assert!(std::fs::symlink_metadata(&sol).is_err());
}
