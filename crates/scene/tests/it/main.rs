//! What a scene promises: every fixture reads, runs and satisfies the schema; every fault is named.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test")]

mod box_cases;
mod cases;
mod checkpoints;
mod curved;
mod faults;
mod fixtures;
mod implicit;
mod joints;
mod meshes;
mod named_cases;
mod overlap;
mod seam;
mod trajectories;

use std::path::PathBuf;

use signorini_scene::Scene;
use signorini_steppers::{Trajectory, simulate};

/// A file of the repository.
pub(crate) fn repository(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(path)
}

/// The scenes in `fixtures/scenes`, in the order of their names.
pub(crate) fn fixture_scenes() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(repository("fixtures/scenes")).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| {
        path.extension()
            .is_some_and(|end| end == "toml" || end == "json")
    });
    paths.sort();
    assert!(paths.len() >= 6, "the fixtures are gone");
    paths
}

/// Runs a scene as its settings say.
pub(crate) fn run(scene: &Scene) -> Trajectory {
    let world = scene.to_world().unwrap();
    let mut state = world.initial_state();
    let mut trajectory = Trajectory::default();
    let (mut stepper, plan) = (scene.stepper().unwrap(), scene.run.step_and_end().unwrap());
    simulate(
        world.system(),
        stepper.as_mut(),
        &mut state,
        plan,
        &mut trajectory,
    )
    .unwrap();
    trajectory
}
