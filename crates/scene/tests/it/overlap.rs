//! Bodies that overlap at the start.

use signorini_scene::{Scene, SceneError};

fn ball_at(height: f64, extra: &str) -> Scene {
    let text = format!(
        "gravity = [0, 0, -9.81]\n{extra}\n[[bodies]]\nname = \"floor\"\nfixed = true\n\
         shape = {{ type = \"halfspace\", normal = [0, 0, 1] }}\n[[bodies]]\nname = \"ball\"\n\
         shape = {{ type = \"sphere\", radius = 0.5 }}\nmass = 1\nposition = [0, 0, {height:?}]"
    );
    Scene::from_toml(&text).unwrap()
}

#[test]
fn overlap_is_refused_from_a_millionth_of_the_size() {
    assert!(ball_at(0.5 - 0.99e-6, "").to_world().is_ok());
    let error = ball_at(0.5 - 1.01e-6, "").to_world().unwrap_err();
    assert!(
        matches!(error, SceneError::Overlap { ref first, ref second, .. }
        if (first.as_str(), second.as_str()) == ("floor", "ball"))
    );
    insta::assert_snapshot!(ball_at(0.25, "").to_world().unwrap_err(), @"body `floor` and body `ball` overlap by 0.25 m at the start, more than 1e-6 of the smaller one's size: move them apart, or write `initial_overlap = \"allow\"` at the top of the scene, before its first table");
}

/// 0.5 − 0.38 is 0.12 with the rounding of a difference.
#[test]
fn rounding_is_not_printed() {
    let error = ball_at(0.38, "").to_world().unwrap_err().to_string();
    assert!(error.contains("overlap by 0.12 m at"), "{error}");
}

#[test]
fn overlap_is_allowed_on_request() {
    assert!(
        ball_at(0.25, "initial_overlap = \"allow\"")
            .to_world()
            .is_ok()
    );
}

#[test]
fn bodies_that_never_touch_do_not_overlap() {
    let excluded = ball_at(0.25, "exclude = [[\"ball\", \"floor\"]]");
    assert!(excluded.to_world().is_ok());
    let groups = |line: &str| {
        let mut scene = ball_at(0.25, "");
        let text = scene.to_json().unwrap();
        let ball = "\"name\": \"ball\",";
        assert!(text.contains(ball));
        let text = text.replace(ball, &format!("{ball} \"groups\": {line},"));
        scene = Scene::from_json(&text).unwrap();
        assert_eq!(Scene::from_json(&scene.to_json().unwrap()).unwrap(), scene);
        scene
            .to_world()
            .map(drop)
            .map_err(|error| error.to_string())
    };
    // The floor is in group 0 and touches all.
    assert_eq!(groups("{ \"collides_with\": [1, 31] }"), Ok(()));
    assert!(groups("{ \"member\": [1] }").is_err());
    assert!(groups("{ \"member\": [1], \"collides_with\": [0] }").is_err());
    assert_eq!(groups("{ \"member\": [] }"), Ok(()));
    insta::assert_snapshot!(groups("{ \"member\": [0, 32] }").unwrap_err(), @"body `ball`: `groups.member` has group 32: groups are numbered from 0 to 31");
}

#[test]
fn exclusions_name_two_bodies_once() {
    let fault = |line: &str| ball_at(0.5, line).to_world().unwrap_err();
    insta::assert_snapshot!(fault("exclude = [[\"ball\", \"ball\"]]"), @"exclusion 1: `exclude` names `ball` twice: a pair is two different bodies");
    insta::assert_snapshot!(fault("exclude = [[\"ball\", \"roof\"]]"), @"exclusion 1: `exclude` names `roof`, but no body is called that; there are: floor, ball");
    insta::assert_snapshot!(
        fault("exclude = [[\"ball\", \"floor\"], [\"floor\", \"ball\"]]"), @"exclusion 2: `exclude` names the pair of `floor` and `ball`, which an earlier rule names: keep one");
}

/// What is below the surface as a whole has no contact left, and falls.
#[test]
fn bodies_deep_in_a_ground_overlap_it() {
    let disc_at = |y: f64| {
        let text = format!(
            "dimension = 2\ngravity = [0, -9.81]\n[[bodies]]\nname = \"hills\"\nfixed = true\n\
             shape = {{ type = \"profile\", heights = [0.4, 0.2, 0.3, 0.0], spacing = 0.5 }}\n[[bodies]]\nname = \"disc\"\n\
             shape = {{ type = \"disc\", radius = 0.1 }}\nmass = 1\nposition = [0.05, {y:?}]"
        );
        Scene::from_toml(&text).unwrap().to_world().map(drop)
    };
    let ball_at = |z: f64| {
        let text = format!(
            "gravity = [0, 0, -9.81]\n[[bodies]]\nname = \"hills\"\nfixed = true\n\
             shape = {{ type = \"heightfield\", heights = [[0.0, 0.1, 0.0], [0.1, 0.0, 0.2], [0.0, 0.0, 0.1]], spacing = [1.0, 1.0] }}\n\
             [[bodies]]\nname = \"ball\"\nshape = {{ type = \"sphere\", radius = 0.2 }}\nmass = 1\nposition = [0.3, 0.1, {z:?}]"
        );
        Scene::from_toml(&text).unwrap().to_world().map(drop)
    };
    assert!(disc_at(0.4).is_ok());
    assert!(ball_at(0.4).is_ok());
    for depth in [0.0, 0.1, 0.3, 0.5, 0.7] {
        for error in [disc_at(0.2 - depth), ball_at(0.1 - depth)] {
            assert!(
                matches!(error, Err(SceneError::Overlap { ref first, .. }) if first == "hills"),
                "{depth} {error:?}"
            );
        }
    }
    // Below the bottom there is room again, 1 m below the lowest point.
    assert!(disc_at(-1.2).is_ok());
    assert!(ball_at(-1.3).is_ok());
}
