//! What a run prints and writes.

use std::fs;

use serde_json::Value;
use signorini_scene::TrajectoryTable;

use crate::{fail, fixture, names, repository, signorini, succeed};

#[test]
fn a_run_writes_trajectory_report_picture_and_state() {
    let folder = tempfile::tempdir().unwrap();
    let rod = fixture("falling_rod.toml");
    let options = [
        "run", &rod, "--out", "r.csv", "--report", "r.json", "--plot", "r.svg",
    ];
    let text = succeed(
        folder.path(),
        &[&options[..], &["--save", "s.json"]].concat(),
    );
    assert!(text.starts_with(
        "falling_rod with stewart-trinkle: 280 steps of 0.0025 s, t = 0 s to 0.7 s\n"
    ));
    assert_eq!(names(folder.path()), ["r.csv", "r.json", "r.svg", "s.json"]);

    let table = fs::read_to_string(folder.path().join("r.csv")).unwrap();
    let table = TrajectoryTable::parse(&table).unwrap();
    assert_eq!(table.rows.len(), 281);
    assert_eq!(table.columns[4].to_string(), "rod.v_x [m/s]");
    // At rest from 0.566343 s at x = -0.227360 m, both to first order in h.
    assert!(
        (table.rows[280][1] + 0.227_360).abs() < 0.01,
        "{:?}",
        table.rows[280]
    );
    assert!(table.rows[280][4].abs() < 1e-9, "{:?}", table.rows[280]);

    let report = fs::read_to_string(folder.path().join("r.json")).unwrap();
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!(
        (&report["scheme"], &report["steps"]),
        (&"stewart-trinkle".into(), &280.into())
    );
    assert_eq!(report["h"], 0.0025);
    let number = |pointer: &str| report.pointer(pointer).and_then(Value::as_f64).unwrap();
    assert!(number("/worst_residual") < 1e-9);
    assert!((0.0..2e-4).contains(&number("/worst_penetration")));
    assert_eq!(number("/energy/start/total"), 9.81 + 0.5 * 0.002 * 16.0);
    assert!(number("/energy/end/total") < number("/energy/start/total"));
    assert_eq!(number("/momentum/start/angular/0"), 0.002 * 4.0);
    assert!(number("/momentum/end/linear/1").abs() < 1e-9);
    assert!(number("/seconds_per_step") > 0.0);

    let picture = fs::read_to_string(folder.path().join("r.svg")).unwrap();
    assert!(picture.starts_with("<svg") && picture.trim_end().ends_with("</svg>"));
}

#[test]
fn quiet_is_silent_and_options_replace_the_settings_of_the_scene() {
    let folder = tempfile::tempdir().unwrap();
    let ball = fixture("ball_on_incline.toml");
    let options = ["run", &ball, "--quiet", "--h", "0.02", "--until", "0.1"];
    let more = ["--stepper", "anitescu_potra", "--report", "r.json"];
    assert_eq!(succeed(folder.path(), &[&options[..], &more].concat()), "");
    let report = fs::read_to_string(folder.path().join("r.json")).unwrap();
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["scheme"], "anitescu-potra");
    assert_eq!((&report["h"], &report["steps"]), (&0.02.into(), &5.into()));
}

/// A time step of 1e-4 was once printed as 0.000 elsewhere.
#[test]
fn a_small_number_is_not_printed_as_zero() {
    let folder = tempfile::tempdir().unwrap();
    let ball = fixture("ball_on_incline.toml");
    let text = succeed(
        folder.path(),
        &["run", &ball, "--h", "1e-7", "--until", "2e-7"],
    );
    assert!(
        text.contains("2 steps of 1e-7 s, t = 0 s to 2e-7 s"),
        "{text}"
    );
}

#[test]
fn the_same_run_gives_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let rod = fixture("falling_rod.toml");
    let files = ["a", "b"].map(|name| {
        let (csv, svg) = (format!("{name}.csv"), format!("{name}.svg"));
        succeed(
            folder.path(),
            &["run", &rod, "-q", "--out", &csv, "--plot", &svg],
        );
        [csv, svg].map(|file| fs::read(folder.path().join(file)).unwrap())
    });
    assert!(files[0] == files[1]);
}

#[test]
fn a_device_can_be_written() {
    let folder = tempfile::tempdir().unwrap();
    let rod = fixture("falling_rod.toml");
    let options = [
        "run",
        &rod,
        "-q",
        "--out",
        "/dev/null",
        "--report",
        "/dev/null",
    ];
    succeed(folder.path(), &options);
    assert_eq!(names(folder.path()), Vec::<String>::new());
}

#[test]
fn a_picture_called_png_is_one() {
    let folder = tempfile::tempdir().unwrap();
    let rod = fixture("falling_rod.toml");
    succeed(folder.path(), &["run", &rod, "-q", "--plot", "r.png"]);
    let picture = fs::read(folder.path().join("r.png")).unwrap();
    assert!(picture.starts_with(b"\x89PNG\r\n"));
}

#[test]
fn the_printed_schema_is_that_in_docs() {
    let schema = succeed(&repository("."), &["schema"]);
    let committed = fs::read_to_string(repository("docs/scene.schema.json")).unwrap();
    assert!(
        schema == committed,
        "write docs/scene.schema.json with `signorini schema`"
    );
}

#[test]
fn check_tells_what_is_in_a_scene() {
    let text = succeed(&repository("."), &["check", &fixture("falling_rod.toml")]);
    insta::assert_snapshot!(text, @r"
    falling_rod: 2 bodies in the plane, 3 velocities, scheme stewart-trinkle, 280 steps of 0.0025 s
      table: halfspace, fixed
      rod: capsule, 1 kg
    ");
}

#[test]
fn one_is_one() {
    let folder = tempfile::tempdir().unwrap();
    let scene = "gravity = [0, 0, -9.81]\nbodies = [{ name = \"ball\", shape = { type = \"sphere\", radius = 1 }, mass = 1 }]\n";
    let check = |run: &str| {
        fs::write(folder.path().join("s.toml"), format!("{scene}{run}")).unwrap();
        succeed(folder.path(), &["check", "s.toml"])
    };
    let first = |text: String| text.lines().next().unwrap().to_owned();
    insta::assert_snapshot!(first(check("")), @"s: 1 body in space, 6 velocities, scheme stewart-trinkle, no `h` and `until` for a run");
    insta::assert_snapshot!(first(check("[run]\nh = 1")), @"s: 1 body in space, 6 velocities, scheme stewart-trinkle, no `until` for a run");
    insta::assert_snapshot!(first(check("[run]\nuntil = 1")), @"s: 1 body in space, 6 velocities, scheme stewart-trinkle, no `h` for a run");
    insta::assert_snapshot!(first(check("[run]\nh = 1\nuntil = 1")), @"s: 1 body in space, 6 velocities, scheme stewart-trinkle, 1 step of 1 s");
    let text = succeed(folder.path(), &["run", "s.toml"]);
    assert!(text.contains(": 1 step of 1 s, t = 0 s to 1 s\n"), "{text}");
}

/// More than a billion steps are likely not meant; the run may begin all the same.
#[test]
fn a_run_without_end_is_told_of_before_it() {
    let folder = tempfile::tempdir().unwrap();
    let scene = "gravity = [0, 0, -1e308]\nbodies = [{ name = \"ball\", shape = { type = \"sphere\", radius = 1 }, mass = 1 }]\n[run]\nh = 1e-9\nuntil = 10\n";
    fs::write(folder.path().join("s.toml"), scene).unwrap();
    let note = "at 10 microseconds a step 10000000000 steps take 1.2 days: are `h` and `until` what was meant?";
    let text = succeed(folder.path(), &["check", "s.toml"]);
    assert!(
        text.contains("10000000000 steps of 1e-9 s\n  ") && text.contains(note),
        "{text}"
    );
    // The weight overflows in the first step.
    let errors = fail(folder.path(), &["run", "s.toml"], 1);
    assert!(errors.starts_with(&format!("note: {note}\n")), "{errors}");
    let errors = fail(folder.path(), &["run", "s.toml", "--quiet"], 1);
    assert!(!errors.contains("note"), "{errors}");
}

/// The rebound gives back what the compression took, in two steps that are one impact.
#[test]
fn a_bounce_is_no_gain_of_energy() {
    let folder = tempfile::tempdir().unwrap();
    let ball = fixture("bouncing_ball.toml");
    let text = succeed(
        folder.path(),
        &["run", &ball, "--until", "2", "--report", "r.json"],
    );
    let report = fs::read_to_string(folder.path().join("r.json")).unwrap();
    let report: Value = serde_json::from_str(&report).unwrap();
    let gain = report["largest_energy_gain"].as_f64().unwrap();
    // Rounding of 4 J.
    assert!((0.0..1e-14).contains(&gain), "{gain}");
    assert!(
        text.contains("beside what compressions have stored"),
        "{text}"
    );
}

#[test]
fn help_teaches() {
    let text = succeed(&repository("."), &["run", "--help"]);
    for part in [
        "--until <S>",
        "Examples:",
        "--resume half.json",
        "Exit status:",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let scene = repository("fixtures/scenes/falling_rod.toml");
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_signorini"))
        .args(["run", "--h", "1e-7", "--out", "rod.csv"])
        .arg(scene)
        .current_dir(folder.path())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    // The run takes minutes; it is interrupted once its hidden file is there.
    let files = || std::fs::read_dir(folder.path()).unwrap().count();
    while files() == 0 {
        assert!(
            child.try_wait().unwrap().is_none(),
            "the run ended by itself"
        );
        std::thread::yield_now();
    }
    let pid = child.id().to_string();
    let kill = std::process::Command::new("kill")
        .args(["-INT", &pid])
        .status()
        .unwrap();
    assert!(kill.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(errors.contains("interrupted at t = "), "{errors}");
    assert_eq!(files(), 0);
}

/// A ball between two walls that are closer than it is thick: no step solves that, and the problem is there to be tried again.
#[test]
fn a_step_that_is_not_solved_leaves_its_problem() {
    let folder = tempfile::tempdir().unwrap();
    let scene = r#"
        dimension = 2
        initial_overlap = "allow"
        gravity = [0, -9.81]
        [[bodies]]
        name = "left"
        fixed = true
        shape = { type = "halfspace", normal = [1, 0] }
        [[bodies]]
        name = "right"
        fixed = true
        shape = { type = "halfspace", normal = [-1, 0], offset = -1.9 }
        [[bodies]]
        name = "ball"
        shape = { type = "disc", radius = 1 }
        mass = 1
        position = [0.95, 0]
        [run]
        stepper = "geometrically-implicit"
        h = 0.01
        until = 0.1
    "#;
    fs::write(folder.path().join("jam.toml"), scene).unwrap();
    let errors = fail(folder.path(), &["run", "jam.toml", "--out", "o.csv"], 1);
    assert!(
        errors.contains("`signorini solve jam-unsolved-step.json` tries again"),
        "{errors}"
    );
    assert!(
        errors.contains("largest at contact left/ball#0")
            || errors.contains("largest at contact right/ball#0"),
        "{errors}"
    );
    assert_eq!(names(folder.path()), ["jam-unsolved-step.json", "jam.toml"]);
    let text = fs::read_to_string(folder.path().join("jam-unsolved-step.json")).unwrap();
    let file: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(file["format"], "signorini-unsolved-step-1");
    assert_eq!(file["scheme"], "geometrically-implicit");
    // Two walls push the ball apart and none gives way; the file has the equations at the point that was left, linearised, and
    // these may have a solution far away.
    let output = signorini(
        folder.path(),
        &["solve", "jam-unsolved-step.json", "--json"],
    );
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let is_solved = answer["status"] == "solved";
    assert_eq!(output.status.success(), is_solved, "{answer}");
    assert_eq!(
        answer["z"].as_array().unwrap().len() as u64,
        file["n"].as_u64().unwrap()
    );

    fail(
        folder.path(),
        &["run", "jam.toml", "--unsolved", "here.json"],
        1,
    );
    assert_eq!(
        fs::read_to_string(folder.path().join("here.json")).unwrap(),
        text,
        "the same problem, bit for bit"
    );
    // A place that is named is looked at before the run, the one in the working folder when it is needed.
    let named = ["run", "jam.toml", "--unsolved", "none/here.json"];
    let errors = fail(folder.path(), &named, 2);
    assert!(errors.contains("there is no folder `none`"), "{errors}");
    fs::remove_file(folder.path().join("jam-unsolved-step.json")).unwrap();
    fs::create_dir(folder.path().join("jam-unsolved-step.json")).unwrap();
    let errors = fail(folder.path(), &["run", "jam.toml"], 1);
    assert!(errors.contains("the step could not be written"), "{errors}");
}

/// The friction problem in the file of a step with round cones is solved as one of a file of its own.
#[test]
fn a_step_with_round_cones_is_solved_from_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let problem = r#"{ "format": "friction-contact-1", "kind": "local", "law": "coulomb", "dimension": 2,
        "contacts": 1, "mu": [0.5], "q": [-3.0, 1.0],
        "W": { "rows": 2, "cols": 2, "i": [0, 1], "j": [0, 1], "v": [0.5, 0.5] } }"#;
    let step = format!(
        "{{ \"format\": \"signorini-unsolved-step-1\", \"z\": [0.0, 0.0], \"friction\": {problem} }}"
    );
    fs::write(folder.path().join("alone.json"), problem).unwrap();
    fs::write(folder.path().join("step.json"), step).unwrap();
    let answer = |file: &str| {
        let text = succeed(folder.path(), &["solve", file, "--json"]);
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(json["status"], "solved");
        json["r"].clone()
    };
    assert_eq!(answer("step.json"), answer("alone.json"));
    assert_eq!(answer("step.json"), serde_json::json!([6.0, -2.0]));
}

/// A step with round cones and joints has a state and a point to tell of, but no problem that `solve` could try.
#[test]
fn a_step_without_a_problem_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let text = "{ \"format\": \"signorini-unsolved-step-1\", \"z\": [1.0], \"names\": [\"z[0]\"] }";
    fs::write(folder.path().join("cone.json"), text).unwrap();
    let errors = fail(folder.path(), &["solve", "cone.json"], 2);
    assert!(
        errors.contains("no problem that can be solved alone"),
        "{errors}"
    );
}
