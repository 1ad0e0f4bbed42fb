//! Friction and restitution of the pairs.

use nalgebra::SVector;
use signorini_dynamics::{ContactMaterial, World};

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

/// Adds the rules of single pairs.
pub(super) fn add_pairs<const D: usize>(
    scene: &Scene,
    world: &mut World<D>,
) -> Result<(), SceneError> {
    for (index, rule) in scene.contact.iter().enumerate() {
        let checked = Checked::new(Place::Pair { number: index + 1 });
        let [first, second] = &rule.bodies;
        let a = body_named(&checked, "bodies", first, world)?;
        let b = body_named(&checked, "bodies", second, world)?;
        if a == b {
            return Err(checked.fault(
                "bodies",
                Fault::SameBody {
                    found: first.clone(),
                },
            ));
        }
        let same = |other: &[String; 2]| other.contains(first) && other.contains(second);
        if scene.contact[..index]
            .iter()
            .any(|earlier| same(&earlier.bodies))
        {
            let (first, second) = (first.clone(), second.clone());
            return Err(checked.fault("bodies", Fault::RepeatedPair { first, second }));
        }
        let mut material = world.settings().material;
        if let Some(friction) = rule.friction {
            material.friction = checked.not_negative("friction", friction)?;
        }
        if let Some(restitution) = rule.restitution {
            material.restitution = checked.fraction("restitution", restitution)?;
        }
        world.set_pair_material(a, b, material)?;
    }
    Ok(())
}
