//! `signorini check`.

use std::fmt::Write as _;
use std::path::Path;

use signorini_scene::Scene;

use crate::error::CliError;
use crate::number::short;
use crate::terminal;

/// Does everything that a run does before its first step, and says what the scene holds.
pub(crate) fn check(path: &Path) -> Result<(), CliError> {
    let refuse = |source| CliError::scene(path, source);
    let scene = Scene::from_path(path).map_err(refuse)?;
    let stepper = scene.stepper().map_err(refuse)?;
    let world = scene.to_world().map_err(refuse)?;
    let system = world.system();
    let mut text = format!(
        "{}: {} bodies in {}, {} velocities, scheme {}{}\n",
        scene.name.as_deref().unwrap_or_default(),
        scene.bodies.len(),
        scene.dimension,
        system.nv(),
        stepper.name(),
        plan(&scene),
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

/// Steps and end of the run, if the scene has both.
fn plan(scene: &Scene) -> String {
    scene.run.step_and_end().map_or_else(
        |_| ", no `h` and `until` for a run".to_owned(),
        |run| {
            let (steps, h) = (run.steps_from(0.0), short(run.h, 6));
            format!(", {steps} steps of {h} s")
        },
    )
}
