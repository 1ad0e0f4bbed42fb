//! Bad input: a clear error, a status that is not 0, and nothing left behind.

use std::fs;
use std::path::Path;

use crate::{fail, fixture, names};

const BALL: &str = "gravity = [0, 0, -9.81]
[[bodies]]
name = \"ball\"
shape = { type = \"sphere\", radius = 0.5 }
mass = 1
[run]
h = 0.1
until = 5
";

/// Runs a scene with this text, which must fail, and leave nothing but the scene.
fn fail_with(text: &str, options: &[&str], status: i32) -> String {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("scene.toml"), text).unwrap();
    let outputs = [
        "--out", "o.csv", "--report", "o.json", "--plot", "o.svg", "--save", "s.json",
    ];
    let arguments = [&["run", "scene.toml"][..], options, &outputs].concat();
    let error = fail(folder.path(), &arguments, status);
    assert_eq!(
        names(folder.path()),
        ["scene.toml"],
        "something was left behind"
    );
    error
}

#[test]
fn a_wrong_scene_is_refused_before_anything_is_written() {
    let wrong = [
        (
            BALL.replace("-9.81", "nan"),
            "scene: `gravity` has NaN as number 3",
        ),
        (
            BALL.replace("mass = 1", "mass = -1"),
            "body `ball`: `mass` is -1.0",
        ),
        (
            BALL.replace("mass = 1", "mass = 0"),
            "body `ball`: `mass` is 0.0",
        ),
        (
            BALL.replace("mass", "weight"),
            "line 5, column 1: unknown field `weight`",
        ),
        (BALL.replace("sphere", "cube"), "unknown variant `cube`"),
        (
            BALL.replace("[0, 0, -9.81]", "[0, -9.81]"),
            "`gravity` has 2 numbers: 3 are needed",
        ),
        (
            BALL.replace("h = 0.1", "h = 0"),
            "run: `h` is 0.0: it must be greater than 0",
        ),
        (BALL.replace("until = 5", ""), "run: `until` is missing"),
    ];
    for (text, message) in wrong {
        let error = fail_with(&text, &[], 2);
        assert!(
            error.starts_with("error: scene.toml: ") && error.contains(message),
            "{error}"
        );
    }
}

/// `check` refuses what `run` refuses, and both say which field it is and what may stand there.
#[test]
fn a_run_that_cannot_be_is_refused_by_check_too() {
    let folder = tempfile::tempdir().unwrap();
    for (h, until, message) in [
        ("nan", "5", "run: `h` is NaN: write a finite number"),
        ("inf", "5", "run: `h` is inf: write a finite number"),
        ("-0.1", "5", "run: `h` is -0.1: it must be greater than 0"),
        (
            "0.1",
            "-1",
            "run: `until` is -1.0: it must be greater than 0",
        ),
        ("0.1", "0", "run: `until` is 0.0: it must be greater than 0"),
        ("0.1", "inf", "run: `until` is inf: write a finite number"),
        ("0.1", "nan", "run: `until` is NaN: write a finite number"),
        (
            "1e-20",
            "5",
            "run: `h` is 1e-20: it is lost in the rounding of times up to `until` = 5.0",
        ),
    ] {
        let text = BALL.replace("h = 0.1", &format!("h = {h}"));
        let text = text.replace("until = 5", &format!("until = {until}"));
        fs::write(folder.path().join("scene.toml"), text).unwrap();
        for command in ["check", "run"] {
            let error = fail(folder.path(), &[command, "scene.toml"], 2);
            assert!(error.contains(message), "{command}: {error}");
        }
    }
    // The same where the other one is left out.
    let text = BALL
        .replace("h = 0.1\n", "")
        .replace("until = 5", "until = -5");
    fs::write(folder.path().join("scene.toml"), text).unwrap();
    let error = fail(folder.path(), &["check", "scene.toml"], 2);
    assert!(error.contains("run: `until` is -5.0"), "{error}");
}

/// Its moment of inertia is beyond what numbers hold.
#[test]
fn a_ball_that_is_too_large_is_refused_by_its_size() {
    let text = BALL.replace("radius = 0.5", "radius = 1e200");
    let error = fail_with(&text, &[], 2);
    assert!(
        error.contains("the moments of inertia of body `ball` are")
            && error.contains("look at the size and the mass of the body"),
        "{error}"
    );
}

#[test]
fn a_wrong_option_is_refused() {
    let wrong: [(&[&str], &str); 6] = [
        (
            &["--h", "-0.1"],
            "run: `h` is -0.1: it must be greater than 0",
        ),
        (&["--h", "nan"], "run: `h` is NaN: write a finite number"),
        (&["--until", "-1"], "run: `until` is -1.0"),
        (
            &["--stepper", "euler"],
            "no time-stepping scheme is called `euler`; there are:",
        ),
        (&["--resume", "none.json"], "cannot read `none.json`"),
        (&["--colour"], "unexpected argument '--colour'"),
    ];
    for (options, message) in wrong {
        let error = fail_with(BALL, options, 2);
        assert!(error.contains(message), "{options:?}: {error}");
    }
}

#[test]
fn a_path_that_cannot_be_written_is_refused_before_the_run() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("d")).unwrap();
    fs::write(folder.path().join("scene.toml"), BALL).unwrap();
    let wrong: [(&[&str], &str); 5] = [
        (
            &["--save", "s.json", "--out", "no/o.csv"],
            "--out: cannot write `no/o.csv`: there is no folder `no`",
        ),
        (
            &["--unsolved", "no/u.json"],
            "--unsolved: cannot write `no/u.json`: there is no folder `no`",
        ),
        (
            &["--report", "d"],
            "--report: cannot write `d`: it is a folder",
        ),
        (
            &["--out", "o", "--plot", "./o"],
            "is named by --out and by --plot",
        ),
        (
            &["--save", "d/../scene.toml"],
            "is named by SCENE and by --save",
        ),
    ];
    for (options, message) in wrong {
        let arguments = [&["run", "scene.toml"][..], options].concat();
        let error = fail(folder.path(), &arguments, 2);
        assert!(error.contains(message), "{options:?}: {error}");
        assert_eq!(names(folder.path()), ["d", "scene.toml"]);
    }
    assert_eq!(
        fs::read_to_string(folder.path().join("scene.toml")).unwrap(),
        BALL
    );
}

/// The fall of the ball overflows: the step fails, nothing is written, and an older file stays.
#[test]
fn a_failed_step_leaves_nothing_behind() {
    let text = BALL.replace("-9.81", "-1e308").replace("h = 0.1", "h = 1");
    let error = fail_with(&text, &[], 1);
    assert!(error.contains("the step from t = 0 s failed"), "{error}");
    assert!(
        error.contains("`ball`") && error.ends_with("no file was written\n"),
        "{error}"
    );

    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("scene.toml"), &text).unwrap();
    fs::write(folder.path().join("o.csv"), "older").unwrap();
    fail(folder.path(), &["run", "scene.toml", "--out", "o.csv"], 1);
    assert_eq!(
        fs::read_to_string(folder.path().join("o.csv")).unwrap(),
        "older"
    );
}

#[test]
fn check_finds_what_run_finds() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scene.toml");
    fs::write(&path, BALL.replace("mass = 1", "")).unwrap();
    let error = fail(folder.path(), &["check", "scene.toml"], 2);
    insta::assert_snapshot!(error, @"error: scene.toml: body `ball`: `mass` is missing: a body that moves needs `mass` or `density`; or write `fixed = true`");
    fail(
        Path::new("."),
        &["check", &fixture("falling_rod.toml").replace("rod", "log")],
        2,
    );
}
