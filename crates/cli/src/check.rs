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
        "{}: {} bodies in {}, {} velocities, scheme {}\n",
        scene.name.as_deref().unwrap_or_default(),
        scene.bodies.len(),
        scene.dimension,
        system.nv(),
        stepper.name(),
    );
    for body in &scene.bodies {
        let motion = match (body.fixed, &body.driven, body.mass) {
            (true, ..) => "fixed".to_owned(),
            (_, Some(_), _) => "driven".to_owned(),
            (.., Some(mass)) => format!("{} kg", short(mass, 6)),
            (.., None) => "mass from density".to_owned(),
        };
        writeln!(text, "  {}: {}, {motion}", body.name, body.shape.word())
            .expect("a string takes every text");
    }
    terminal::print_text(&text)
}
