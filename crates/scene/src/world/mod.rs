//! The checked way from a scene to a world.

mod any_world;
mod body;
mod check;
mod dimension;
mod ground;
mod joint;
mod load;
mod material;
mod shape;

pub use any_world::AnyWorld;

use signorini_dynamics::{BodyId, World, WorldSettings};

use self::check::Checked;
use self::dimension::{InDimension, Plane, Space};
use crate::error::{Fault, Place, SceneError};
use crate::format::{Dimension, InitialOverlap, Scene};

impl Scene {
    /// The world that the scene describes, at its start.
    ///
    /// Every number is checked: lengths of vectors, NaN, signs, unit quaternions (within 1e-6, then normalised), names
    /// that are missing or used twice, and overlap at the start by more than 1e-6 of the smaller body's size.
    ///
    /// # Errors
    /// [`SceneError::Value`] with body and key, [`SceneError::Overlap`], [`SceneError::World`].
    ///
    /// # Examples
    /// ```
    /// use signorini_scene::Scene;
    /// let scene = Scene::from_toml(
    ///     r#"
    ///     gravity = [0, 0, -9.81]
    ///     [[bodies]]
    ///     name = "ball"
    ///     shape = { type = "sphere", radius = 0.1 }
    ///     position = [0, 0, 2]
    ///     mass = 1.5
    ///     "#,
    /// )?;
    /// let world = scene.to_world()?;
    /// let state = world.initial_state();
    /// assert_eq!(state.q, [0.0, 0.0, 2.0, 1.0, 0.0, 0.0, 0.0]);
    /// let energy = world.system().energy(&state.q, &state.v);
    /// assert!((energy.potential - 1.5 * 9.81 * 2.0).abs() < 1e-14);
    /// # Ok::<(), signorini_scene::SceneError>(())
    /// ```
    pub fn to_world(&self) -> Result<AnyWorld, SceneError> {
        match self.dimension {
            Dimension::Plane => Ok(AnyWorld::Planar(world(self, &Plane)?)),
            Dimension::Space => Ok(AnyWorld::Spatial(world(self, &Space)?)),
        }
    }
}

fn world<const D: usize>(
    scene: &Scene,
    space: &impl InDimension<D>,
) -> Result<World<D>, SceneError> {
    check_names(scene)?;
    let mut world = World::with_settings(settings(scene)?)?;
    for data in &scene.bodies {
        let checked = Checked::new(Place::Body {
            name: data.name.clone(),
        });
        world.add(body::body(space, &checked, data)?)?;
    }
    material::add_pairs(scene, &mut world)?;
    material::exclude(scene, &mut world)?;
    joint::add_joints(scene, &mut world)?;
    load::add_loads(scene, space, &mut world)?;
    if scene.initial_overlap == InitialOverlap::Refuse {
        refuse_overlap(&world)?;
    }
    Ok(world)
}

fn settings<const D: usize>(scene: &Scene) -> Result<WorldSettings<D>, SceneError> {
    let checked = Checked::new(Place::Scene);
    Ok(WorldSettings {
        gravity: checked.vector("gravity", &scene.gravity)?,
        material: material::default(scene)?,
        gyroscopic: scene.run.gyroscopic.unwrap_or_default().into(),
        contact_point: scene.run.contact_point.unwrap_or_default().into(),
    })
}

/// Names stand in messages and in column heads, one to a body.
fn check_names(scene: &Scene) -> Result<(), SceneError> {
    for (index, body) in scene.bodies.iter().enumerate() {
        let numbered = || {
            Checked::new(Place::Body {
                name: format!("number {}", index + 1),
            })
        };
        if body.name.is_empty() {
            return Err(numbered().fault("name", Fault::Empty));
        }
        if body.name.contains(char::is_control) {
            return Err(numbered().fault("name", Fault::ControlCharacter));
        }
        if scene.bodies[..index]
            .iter()
            .any(|earlier| earlier.name == body.name)
        {
            let checked = Checked::new(Place::Body {
                name: body.name.clone(),
            });
            return Err(checked.fault("name", Fault::Duplicate));
        }
    }
    Ok(())
}

/// The body of this name; the error lists the names there are.
fn body_named<const D: usize>(
    checked: &Checked,
    field: &'static str,
    name: &str,
    world: &World<D>,
) -> Result<BodyId, SceneError> {
    world.body(name).ok_or_else(|| {
        let known = world.bodies().map(|(_, body)| body.name.clone()).collect();
        checked.fault(
            field,
            Fault::UnknownBody {
                found: name.to_owned(),
                known,
            },
        )
    })
}

fn refuse_overlap<const D: usize>(world: &World<D>) -> Result<(), SceneError> {
    let overlaps = world.initial_overlaps(&world.initial_state())?;
    match overlaps
        .into_iter()
        .max_by(|one, other| one.depth.total_cmp(&other.depth))
    {
        None => Ok(()),
        Some(deepest) => Err(SceneError::Overlap {
            first: deepest.a,
            second: deepest.b,
            depth: deepest.depth,
        }),
    }
}
