//! Saved, loaded and continued is the same as never stopped.

use signorini_dynamics::{ContactId, ContactMemory, State};
use signorini_scene::{Checkpoint, Scene};
use signorini_steppers::{Run, simulate};

use crate::{fixture_scenes, repository};

fn state_at(scene: &Scene, start: Option<State>, until: f64) -> State {
    let world = scene.to_world().unwrap();
    let mut state = start.unwrap_or_else(|| world.initial_state());
    let plan = Run {
        until,
        ..scene.run.step_and_end().unwrap()
    };
    simulate(
        world.system(),
        scene.stepper().unwrap().as_mut(),
        &mut state,
        plan,
        &mut (),
    )
    .unwrap();
    state
}

#[test]
fn going_on_equals_going_on() {
    for path in fixture_scenes() {
        let scene = Scene::from_path(&path).unwrap();
        let until = scene.run.until.unwrap();
        let whole = state_at(&scene, None, until);
        // The first stop of the rod and of the balls lies in the middle of an impact.
        for fraction in [0.55, 0.5] {
            let h = scene.run.h.unwrap();
            let half = state_at(&scene, None, (until * fraction / h).round() * h);
            let saved = Checkpoint::new(&scene, half).to_json();
            let loaded = Checkpoint::from_json(&saved).unwrap();
            assert_eq!(loaded.to_json(), saved);
            let world = scene.to_world().unwrap();
            let state = loaded.into_state(&scene, world.system()).unwrap();
            assert_eq!(
                state_at(&scene, Some(state), until),
                whole,
                "{}",
                path.display()
            );
        }
    }
}

#[test]
fn a_checkpoint_of_another_scene_is_refused() {
    let rod = Scene::from_path(repository("fixtures/scenes/falling_rod.toml")).unwrap();
    let top = Scene::from_path(repository("fixtures/scenes/free_top.toml")).unwrap();
    let (world, other) = (rod.to_world().unwrap(), top.to_world().unwrap());
    let checkpoint = Checkpoint::new(&rod, world.initial_state());
    let error = checkpoint
        .clone()
        .into_state(&top, other.system())
        .unwrap_err();
    insta::assert_snapshot!(error, @"the checkpoint of scene `falling_rod` is of the bodies table, rod, but the scene has top: resume with the scene it was saved from");

    let mut damaged = checkpoint;
    damaged.state.q[1] = f64::NAN;
    let error = damaged.into_state(&rod, world.system()).unwrap_err();
    insta::assert_snapshot!(error, @"the state in the checkpoint does not fit the scene: q[1] of body `rod` is NaN");
}

#[test]
fn a_checkpoint_whose_memory_names_strangers_is_refused() {
    let rod = Scene::from_path(repository("fixtures/scenes/falling_rod.toml")).unwrap();
    let world = rod.to_world().unwrap();
    let mut state = world.initial_state();
    let id = ContactId {
        a: 1,
        b: 7,
        pieces: [0; 2],
        feature: 0,
    };
    state.memory.push(ContactMemory::new(id, 2));
    let checkpoint = Checkpoint::new(&rod, state);
    let error = checkpoint.into_state(&rod, world.system()).unwrap_err();
    insta::assert_snapshot!(error, @"the state in the checkpoint does not fit the scene: the memory names the contact rod/body 7#0, which there cannot be: a body of it is missing or has no shape, neither moves freely, or they never touch");
}

#[test]
fn a_checkpoint_of_another_version_is_refused() {
    let error = Checkpoint::from_json(r#"{ "version": 2, "future": [] }"#).unwrap_err();
    insta::assert_snapshot!(error, @"the checkpoint has version 2; this program reads version 1: make it anew with `--save`");
    let error = Checkpoint::from_json("{ \"version\": 1,\n  \"scene\": 3 }").unwrap_err();
    insta::assert_snapshot!(error, @r#"
    line 2, column 12: invalid type: integer `3`, expected a string
    2 |   "scene": 3 }
      |            ^
    "#);
}
