//! Friction and restitution of the pairs.

use nalgebra::SVector;
use signorini_dynamics::{BodyId, ContactMaterial, World};

use super::body_named;
use super::check::Checked;
use crate::error::{Fault, Place, SceneError};
use crate::format::{Dimension, Scene};

/// The coefficients of every pair without a rule of its own.
pub(super) fn default(scene: &Scene) -> Result<ContactMaterial, SceneError> {
    let checked = Checked::new(Place::ContactDefault);
    let rule = &scene.contact_default;
    let mut material = ContactMaterial {
        friction: checked.not_negative("friction", rule.friction)?,
        restitution: checked.fraction("restitution", rule.restitution)?,
        ..ContactMaterial::default()
    };
    if let Some(e) = rule.tangential_restitution {
        material.tangential_restitution = checked.fraction("tangential_restitution", e)?;
    }
    if let Some(axes) = rule.friction_ellipsoid {
        material.ellipsoid = half_axes(&checked, axes)?;
    }
    if let Some(rolling) = rule.rolling_friction {
        material.rolling = checked.not_negative("rolling_friction", rolling)?;
    }
    if let Some(reference) = &scene.friction_reference {
        let checked = Checked::new(Place::Scene);
        if scene.dimension == Dimension::Plane {
            let hint = "in the plane there is only one tangent; leave it out";
            return Err(checked.fault("friction_reference", Fault::Meaningless { hint }));
        }
        let direction: SVector<f64, 3> = checked.direction("friction_reference", reference)?;
        material.reference = direction.into();
    }
    Ok(material)
}

fn half_axes(checked: &Checked, axes: [f64; 3]) -> Result<[f64; 3], SceneError> {
    for axis in axes {
        checked.not_negative("friction_ellipsoid", axis)?;
    }
    Ok(axes)
}

/// Adds the rules of single pairs.
pub(super) fn add_pairs<const D: usize>(
    scene: &Scene,
    world: &mut World<D>,
) -> Result<(), SceneError> {
    for (index, rule) in scene.contact.iter().enumerate() {
        let checked = Checked::new(Place::Pair { number: index + 1 });
        let (a, b) = pair(&checked, "bodies", &rule.bodies, world)?;
        let earlier = scene.contact[..index].iter().map(|rule| &rule.bodies);
        refuse_repetition(&checked, "bodies", &rule.bodies, earlier)?;
        let mut material = world.settings().material;
        if let Some(friction) = rule.friction {
            material.friction = checked.not_negative("friction", friction)?;
        }
        if let Some(restitution) = rule.restitution {
            material.restitution = checked.fraction("restitution", restitution)?;
        }
        if let Some(e) = rule.tangential_restitution {
            material.tangential_restitution = checked.fraction("tangential_restitution", e)?;
        }
        if let Some(axes) = rule.friction_ellipsoid {
            material.ellipsoid = half_axes(&checked, axes)?;
        }
        if let Some(rolling) = rule.rolling_friction {
            material.rolling = checked.not_negative("rolling_friction", rolling)?;
        }
        world.set_pair_material(a, b, material)?;
    }
    Ok(())
}

/// Lets the pairs of `exclude` pass through each other.
pub(super) fn exclude<const D: usize>(
    scene: &Scene,
    world: &mut World<D>,
) -> Result<(), SceneError> {
    for (index, names) in scene.exclude.iter().enumerate() {
        let checked = Checked::new(Place::Exclusion { number: index + 1 });
        let (a, b) = pair(&checked, "exclude", names, world)?;
        refuse_repetition(&checked, "exclude", names, scene.exclude[..index].iter())?;
        world.exclude(a, b)?;
    }
    Ok(())
}

/// Two different bodies by name.
fn pair<const D: usize>(
    checked: &Checked,
    field: &'static str,
    [first, second]: &[String; 2],
    world: &World<D>,
) -> Result<(BodyId, BodyId), SceneError> {
    let a = body_named(checked, field, first, world)?;
    let b = body_named(checked, field, second, world)?;
    if a == b {
        let found = first.clone();
        return Err(checked.fault(field, Fault::SameBody { found }));
    }
    Ok((a, b))
}

/// No earlier entry names the pair, in either order.
fn refuse_repetition<'a>(
    checked: &Checked,
    field: &'static str,
    [first, second]: &[String; 2],
    mut earlier: impl Iterator<Item = &'a [String; 2]>,
) -> Result<(), SceneError> {
    if earlier.any(|other| other.contains(first) && other.contains(second)) {
        let (first, second) = (first.clone(), second.clone());
        return Err(checked.fault(field, Fault::RepeatedPair { first, second }));
    }
    Ok(())
}
