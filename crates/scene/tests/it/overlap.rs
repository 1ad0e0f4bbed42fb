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
    insta::assert_snapshot!(ball_at(0.25, "").to_world().unwrap_err(), @"body `floor` and body `ball` overlap by 0.25 m at the start, more than 1e-6 of the smaller one's size: move them apart, or write `initial_overlap = \"allow\"`");
}

#[test]
fn overlap_is_allowed_on_request() {
    assert!(
        ball_at(0.25, "initial_overlap = \"allow\"")
            .to_world()
            .is_ok()
    );
}
