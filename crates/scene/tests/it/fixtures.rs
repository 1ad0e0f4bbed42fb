//! Every fixture reads, is written back, satisfies the schema and runs.

use serde_json::Value;
use signorini_scene::{Scene, schema};

use crate::{fixture_scenes, repository, run};

#[test]
fn the_schema_in_docs_is_the_generated_one() {
    let path = repository("docs/scene.schema.json");
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == schema(),
        "{} is out of date: write it with `signorini schema`",
        path.display()
    );
}

#[test]
fn every_fixture_satisfies_the_schema() {
    let schema: Value = serde_json::from_str(&schema()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    for path in fixture_scenes() {
        let text = std::fs::read_to_string(&path).unwrap();
        let instance: Value = if path.extension().is_some_and(|end| end == "toml") {
            toml::from_str(&text).unwrap()
        } else {
            serde_json::from_str(&text).unwrap()
        };
        let faults: Vec<String> = validator
            .iter_errors(&instance)
            .map(|fault| fault.to_string())
            .collect();
        assert!(faults.is_empty(), "{}: {faults:?}", path.display());
    }
}

#[test]
fn the_schema_refuses_what_the_reader_refuses() {
    let schema: Value = serde_json::from_str(&schema()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let wrong = [
        r#"{ "bodies": [] }"#,
        r#"{ "gravity": [0, 0, 0], "bodies": [], "colour": 1 }"#,
        r#"{ "gravity": [0, 0, 0], "bodies": [], "version": 2 }"#,
        r#"{ "gravity": [0, 0, 0], "bodies": [], "dimension": 4 }"#,
        r#"{ "gravity": [0, 0, 0], "bodies": [], "run": { "stepper": "euler" } }"#,
        r#"{ "gravity": [0, 0, 0], "bodies": [{ "name": "a", "shape": { "type": "cube" } }] }"#,
        r#"{ "gravity": [0, 0, 0], "bodies": [{ "name": "a", "inertia": [1, 2, 3] }] }"#,
    ];
    for text in wrong {
        assert!(
            !validator.is_valid(&serde_json::from_str(text).unwrap()),
            "{text}"
        );
        assert!(Scene::from_json(text).is_err(), "{text}");
    }
}

#[test]
fn every_fixture_is_written_back_equal() {
    for path in fixture_scenes() {
        let scene = Scene::from_path(&path).unwrap();
        assert_eq!(Scene::from_json(&scene.to_json().unwrap()).unwrap(), scene);
    }
}

#[test]
fn every_fixture_runs_without_penetration() {
    for path in fixture_scenes() {
        let scene = Scene::from_path(&path).unwrap();
        let trajectory = run(&scene);
        let end = trajectory.t.last().unwrap();
        assert!(
            (end - scene.run.until.unwrap()).abs() < 1e-9,
            "{}",
            path.display()
        );
        for report in &trajectory.reports {
            // Linearised gaps leave h² ω² l/4 after a step: below 2e-4 m for the rod at its fastest.
            assert!(
                report.worst_gap.unwrap_or(0.0) > -2e-4,
                "{}: {report:?}",
                path.display()
            );
        }
    }
}

/// The same scene in both languages is the same scene.
#[test]
fn toml_and_json_mean_the_same() {
    let toml = Scene::from_toml(
        "gravity = [0, -9.81]\ndimension = 2\n[[bodies]]\nname = \"a\"\nangular_velocity = 1\n\
         inertia = 0.5\nmass = 2\n[run]\nt_end = 1",
    );
    let json = Scene::from_json(
        r#"{ "gravity": [0, -9.81], "dimension": 2, "bodies": [{ "name": "a",
             "angular_velocity": 1, "inertia": { "scalar": 0.5 }, "mass": 2,
             "shape": { "type": "none" }, "quaternion": null }], "run": { "until": 1.0 } }"#,
    );
    assert_eq!(toml.unwrap(), json.unwrap());
}

/// The moment of friction is 0.4 μ m g, so that ω_z falls by 1.962 rad/s² and is 0.03924 rad/s after 14 steps: CBAT2007, figure 3.
#[test]
fn the_spinning_sphere_comes_to_rest_by_torsion() {
    for formulation in ["full", "condensed"] {
        let mut scene =
            Scene::from_path(repository("fixtures/scenes/spinning_sphere.toml")).unwrap();
        let word = serde_json::json!(formulation);
        scene.run.formulation = Some(serde_json::from_value(word).unwrap());
        let trajectory = run(&scene);
        assert!((trajectory.v[14][5] - 0.03924).abs() < 1e-12);
        assert!(trajectory.v[15].iter().all(|v| v.abs() < 1e-12));
    }
}

/// a = μ_r g/(R (1 + 2/5)) slows the roller down until it stops at v²/(2 a); torsion stops the spinner after 2/5 R² ω/(μ g e_r); on slopes
/// of 0.9 and 1.5 times tan θ = μ_r/R one ball stays and one rolls with (g sin θ − μ_r g cos θ/R)/(1 + 2/5).
#[test]
fn rolling_friction_stops_a_ball_and_holds_one_on_a_slope() {
    let (g, radius, rolling) = (9.81, 0.03, 3e-4);
    let slowing = rolling * g / (radius * 1.4);
    let (sin, cos) = 0.015_f64.atan().sin_cos();
    let down = (g * sin - rolling * g * cos / radius) / 1.4;
    for form in ["cone", "pyramid"] {
        let mut scene = Scene::from_path(repository("fixtures/scenes/rolling_ball.toml")).unwrap();
        assert_eq!(Scene::from_json(&scene.to_json().unwrap()).unwrap(), scene);
        scene.run.form = Some(serde_json::from_value(serde_json::json!(form)).unwrap());
        let trajectory = run(&scene);
        let h = 0.01;
        // Velocities of roller, spinner, held and let go.
        for (t, v) in trajectory.t.iter().zip(&trajectory.v) {
            assert!((v[0] - (0.3 - slowing * t).max(0.0)).abs() < 1e-9);
            let spin = (10.0 - 0.3 * g * 1e-3 * t / (0.4 * radius * radius)).max(0.0);
            assert!((v[11] - spin).abs() < 1e-6, "{t}: {} {spin}", v[11]);
            assert!(v[12..18].iter().all(|v| v.abs() < 1e-9));
            assert!((v[18].hypot(v[20]) - down * t).abs() < 1e-6, "{t}: {v:?}");
        }
        let last = trajectory.q.last().unwrap();
        assert!((last[0] - 0.3 * 0.3 / (2.0 * slowing)).abs() < 0.3 * h);
        assert!((last[14] - trajectory.q[0][14]).abs() < 1e-9);
    }
}

/// Two balls meet the floor spinning: one with the tangential restitution of the scene, one with that of its pair.
#[test]
fn tangential_restitution_is_that_of_the_scene_or_of_the_pair() {
    let ball = |name: &str, x: i32| {
        format!(
            "[[bodies]]\nname = \"{name}\"\nshape = {{ type = \"sphere\", radius = 0.5 }}\nmass = 1\n\
             position = [{x}, 0, 0.5]\nlinear_velocity = [0.7, 0, -3]\n"
        )
    };
    let text = format!(
        "gravity = [0, 0, 0]\ncontact_default = {{ friction = 1, restitution = 1, tangential_restitution = 1 }}\n\
         [run]\nstepper = \"hart-anitescu\"\nh = 0.01\nuntil = 0.02\n\
         [[contact]]\nbodies = [\"floor\", \"second\"]\ntangential_restitution = 0.5\n\
         [[bodies]]\nname = \"floor\"\nfixed = true\nshape = {{ type = \"halfspace\", normal = [0, 0, 1], offset = 0 }}\n{}{}",
        ball("first", 0),
        ball("second", 5)
    );
    let scene = Scene::from_toml(&text).unwrap();
    assert_eq!(
        Scene::from_json(&scene.to_json().unwrap())
            .unwrap()
            .contact_default,
        scene.contact_default
    );
    let trajectory = run(&scene);
    let v = trajectory.v.last().unwrap();
    // 2/7 of the ball is what friction meets: 0.7 − 0.2 (1 + e).
    assert!((v[0] - 0.3).abs() < 1e-9, "{v:?}");
    assert!((v[6] - 0.4).abs() < 1e-9, "{v:?}");
}
