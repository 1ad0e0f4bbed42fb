//! `signorini check`.

use std::fmt::Write as _;
use std::path::Path;

use signorini_scene::Scene;
use signorini_steppers::Run;

use crate::error::CliError;
use crate::number::{counted, short};
use crate::run::many_steps;
use crate::terminal;

/// Does everything that a run does before its first step, and says what the scene holds.
pub(crate) fn check(path: &Path) -> Result<(), CliError> {
    let refuse = |source| CliError::scene(path, source);
    let scene = Scene::from_path(path).map_err(refuse)?;
    let run = scene.run.planned().map_err(refuse)?;
    let stepper = scene.stepper().map_err(refuse)?;
    let world = scene.to_world().map_err(refuse)?;
    let system = world.system();
    let mut text = format!(
        "{}: {} in {}, {}, scheme {}{}\n",
        scene.name.as_deref().unwrap_or_default(),
        counted(scene.bodies.len(), "body", "bodies"),
        scene.dimension,
        counted(system.nv(), "velocity", "velocities"),
        stepper.name(),
        plan(&scene, run),
    );
    let state = world.initial_state();
    let mut blocks = Vec::new();
    system.mass_blocks(&state.q, &mut blocks);
    let column =
        |name: &str| (0..system.nv() / system.dofs()).find(|&k| system.body_name(k) == name);
    for body in &scene.bodies {
        let motion = match (body.fixed, &body.driven) {
            (true, _) => "fixed".to_owned(),
            (_, Some(_)) => "driven".to_owned(),
            // The first entry of its block, whether the mass is given or that of a density.
            _ => column(&body.name).map_or_else(String::new, |k| {
                let mass = blocks[k * system.dofs() * system.dofs()];
                format!("{} kg", short(mass, 6))
            }),
        };
        writeln!(text, "  {}: {}, {motion}", body.name, body.shape.word())
            .expect("a string takes every text");
    }
    for joint in &scene.joints {
        let [a, b] = &joint.bodies;
        let kind = serde_json::to_value(joint.kind).expect("a word");
        let kind = kind.as_str().unwrap_or_default();
        writeln!(text, "  {}: {kind} joint of {a} and {b}", joint.name)
            .expect("a string takes every text");
    }
    terminal::print_text(&text)
}

/// Steps and end of the run, or what is not said of them.
fn plan(scene: &Scene, run: Option<Run>) -> String {
    let Some(run) = run else {
        return match (scene.run.h, scene.run.until) {
            (Some(_), _) => ", no `until` for a run",
            (None, Some(_)) => ", no `h` for a run",
            (None, None) => ", no `h` and `until` for a run",
        }
        .to_owned();
    };
    let steps = run.steps_from(0.0);
    let text = format!(
        ", {} of {} s",
        counted(steps, "step", "steps"),
        short(run.h, 6)
    );
    match many_steps(steps) {
        Some(note) => format!("{text}\n  {note}"),
        None => text,
    }
}
