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
