//! Stopped, saved and continued is the same as never stopped.

use std::fs;

use crate::{fail, fixture, succeed};

#[test]
fn going_on_equals_going_on_to_the_last_byte() {
    // The first stop of each scene lies in the middle of an impact or a push.
    let scenes = [
        ("falling_rod.toml", ["0.385", "0.55"], "0.7"),
        ("pushed_box.toml", ["0.5", "0.75"], "2"),
        ("bowling_ball.json", ["0.33", "1"], "2"),
    ];
    for (name, stops, until) in scenes {
        let folder = tempfile::tempdir().unwrap();
        let scene = fixture(name);
        let run = |options: &[&str]| {
            succeed(
                folder.path(),
                &[&["run", &scene, "--quiet"][..], options].concat(),
            );
        };
        let read = |file: &str| fs::read_to_string(folder.path().join(file)).unwrap();
        run(&[
            "--until",
            until,
            "--save",
            "whole.json",
            "--out",
            "whole.csv",
        ]);
        for stop in stops {
            run(&["--until", stop, "--save", "half.json"]);
            let go_on = ["--until", until, "--resume", "half.json"];
            run(&[&go_on[..], &["--save", "end.json", "--out", "end.csv"]].concat());
            assert!(read("end.json") == read("whole.json"), "{name} from {stop}");
            // The continued trajectory is the end of the whole one, byte for byte.
            let (end, whole) = (read("end.csv"), read("whole.csv"));
            let (header, rows) = end.split_once('\n').unwrap();
            assert!(
                whole.starts_with(header) && whole.ends_with(rows),
                "{name} from {stop}"
            );
        }
    }
}

#[test]
fn a_checkpoint_can_replace_itself() {
    let folder = tempfile::tempdir().unwrap();
    let rod = fixture("falling_rod.toml");
    succeed(
        folder.path(),
        &["run", &rod, "-q", "--until", "0.35", "--save", "s.json"],
    );
    let options = ["run", &rod, "-q", "--resume", "s.json", "--save", "s.json"];
    succeed(folder.path(), &options);
    let error = fail(folder.path(), &options, 2);
    assert!(error.contains("give a later time with --until"), "{error}");
}

#[test]
fn a_checkpoint_of_another_scene_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let rod = fixture("falling_rod.toml");
    succeed(
        folder.path(),
        &["run", &rod, "-q", "--until", "0.1", "--save", "s.json"],
    );
    let box_scene = fixture("pushed_box.toml");
    let error = fail(folder.path(), &["run", &box_scene, "--resume", "s.json"], 2);
    insta::assert_snapshot!(error, @"error: s.json: the checkpoint of scene `falling_rod` is of the bodies table, rod, but the scene has floor, box: resume with the scene it was saved from");
}

/// A ball that is saved in the step that absorbs its impact: velocities are then neither before it nor after it, and the rebound
/// is in the memory alone.
#[test]
fn a_bounce_goes_on_from_the_middle_of_its_impact() {
    let folder = tempfile::tempdir().unwrap();
    let ball = &fixture("bouncing_ball.toml");
    for extra in [
        &[][..],
        &["--stepper", "stewart-trinkle"],
        &["--stepper", "anitescu-potra"],
    ] {
        let run = |more: &[&str]| {
            let options = [&["run", ball, "-q"], extra, more].concat();
            succeed(folder.path(), &options)
        };
        let whole = [
            "--until",
            "1.5",
            "--checkpoint",
            "whole.json",
            "--out",
            "whole.csv",
        ];
        run(&whole);
        // The ball arrives at 0.6386 s and again at 1.66 s.
        for pause in ["0.638", "0.639", "0.64", "0.641"] {
            run(&["--until", pause, "--checkpoint", "half.json"]);
            run(&[
                "--until",
                "1.5",
                "--resume",
                "half.json",
                "--checkpoint",
                "end.json",
            ]);
            let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
            assert_eq!(read("end.json"), read("whole.json"), "{extra:?} {pause}");
        }
    }
}

/// Case restart-bitwise: a ball runs into a stack of boxes. Procedures and checks are those of the case; places and velocities of
/// all steps are compared, as bytes of the trajectory. Without a number of threads the program takes as many as it likes.
#[test]
fn a_collision_of_a_stack_goes_on_to_the_last_bit() {
    let case =
        fs::read_to_string(crate::repository("fixtures/cases/restart-bitwise.json")).unwrap();
    let case: serde_json::Value = serde_json::from_str(&case).unwrap();
    let problem = &case["problem"];
    let h = problem["run"]["steps"][0].as_f64().unwrap();
    let time = |steps: u64| (steps as f64 * h).to_string();
    let end = time(problem["run"]["n"].as_u64().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let mut scene = problem["scene"].clone();
    fs::write(folder.path().join("pyramid.json"), scene.to_string()).unwrap();
    // Boxes that are pushed askew: contacts are redundant, and open by velocities of 1e-7.
    scene["run"] =
        serde_json::json!({"stepper": "hart-anitescu", "form": "cone", "h": h, "until": 1.0});
    fs::write(folder.path().join("cone.json"), scene.to_string()).unwrap();
    let read = |file: &str| fs::read_to_string(folder.path().join(file)).unwrap();
    for (stepper, scene) in [
        ("hart-anitescu", "pyramid.json"),
        ("stewart-trinkle", "pyramid.json"),
        ("hart-anitescu", "cone.json"),
    ] {
        let step = h.to_string();
        let common = ["run", scene, "-q", "--stepper", stepper, "--h", &step];
        let run = |threads: Option<&str>, options: &[&str]| {
            let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_signorini"));
            command.current_dir(folder.path());
            if let Some(threads) = threads {
                command.env("RAYON_NUM_THREADS", threads);
            }
            let output = command.args(common).args(options).output().unwrap();
            assert!(output.status.success(), "{output:?}");
        };
        let to = |until: &str, name: &str, from: Option<&str>, threads: Option<&str>| {
            let (state, curve) = (format!("{name}.json"), format!("{name}.csv"));
            let outputs = ["--until", until, "--save", &state, "--out", &curve];
            let resume: &[&str] = &from.map_or(vec![], |file| vec!["--resume", file]);
            run(threads, &[&outputs[..], resume].concat());
        };
        to(&end, "a", None, None);
        let same = |name: &str| {
            let (part, whole) = (read(&format!("{name}.csv")), read("a.csv"));
            let (header, rows) = part.split_once('\n').unwrap();
            assert!(
                whole.starts_with(header) && whole.ends_with(rows),
                "{stepper} {scene}: {name}"
            );
            assert!(
                read(&format!("{name}.json")) == read("a.json"),
                "{stepper} {scene}: {name}"
            );
        };
        // B, and D: the same file twice.
        to(&time(90), "half", None, None);
        to(&end, "b", Some("half.json"), None);
        same("b");
        to(&end, "d", Some("half.json"), None);
        same("d");
        // C: what was run on after saving does not matter.
        to(&time(120), "half", None, None);
        to(&time(170), "more", Some("half.json"), None);
        to(&end, "c", Some("half.json"), None);
        same("c");
        for threads in ["1", "2", "8"] {
            to(&end, "e", None, Some(threads));
            same("e");
        }
        // The ball has hit the stack in between.
        let memory: serde_json::Value = serde_json::from_str(&read("more.json")).unwrap();
        let speed = memory["state"]["v"][36].as_f64().unwrap();
        assert!(speed < 3.0, "{stepper} {scene}: {speed}");
    }
}

/// A state whose contacts are not those of the scene.
#[test]
fn a_checkpoint_that_remembers_strangers_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let rod = fixture("falling_rod.toml");
    let save = ["run", &rod, "-q", "--until", "0.6", "--save", "s.json"];
    succeed(folder.path(), &save);
    let path = folder.path().join("s.json");
    let mut saved: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    let memory = saved["state"]["memory"].as_array_mut().unwrap();
    let last = memory.last_mut().expect("the rod lies on the table");
    last["id"]["b"] = 5.into();
    fs::write(&path, saved.to_string()).unwrap();
    let error = fail(folder.path(), &["run", &rod, "--resume", "s.json"], 2);
    insta::assert_snapshot!(error, @"error: s.json: the state in the checkpoint does not fit the scene: the memory names the contact table/body 5#1, which there cannot be: a body of it is missing or has no shape, neither moves freely, or they never touch");
}
