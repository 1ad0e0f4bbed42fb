//! Bodies of the dynamics from bodies of the scene.

use nalgebra::SVector;
use signorini_dynamics::{Body, Inertia, Motion, WorldError};
use signorini_geometry::{ConvexSet, Groups, Shape};

use super::check::Checked;
use super::dimension::Turn;
use super::{InDimension, ground, joint, shape};
use crate::error::{Fault, SceneError};
use crate::format::{SceneBody, SceneGroups, SceneInertia};

/// The checked body.
pub(super) fn body<const D: usize>(
    space: &impl InDimension<D>,
    checked: &Checked,
    data: &SceneBody,
) -> Result<Body<D>, SceneError> {
    let shape = shape::of_body(space, checked, &data.shape)?;
    let position: SVector<f64, D> = checked.vector_or_zero("position", data.position.as_ref())?;
    let linear: SVector<f64, D> =
        checked.vector_or_zero("linear_velocity", data.linear_velocity.as_ref())?;
    let mut velocity = linear.as_slice().to_vec();
    velocity.extend(space.spin(checked, "angular_velocity", data.angular_velocity.as_ref())?);
    let mut coordinates = position.as_slice().to_vec();
    let turn = Turn {
        quaternion: data.quaternion.as_deref(),
        angle: data.angle,
    };
    coordinates.extend(space.orientation(checked, turn)?);
    let motion = if let Some(motion) = joint::driven(space, checked, data)? {
        at_rest(
            checked,
            &velocity,
            data,
            "the body is driven; leave its velocities out",
        )?;
        motion
    } else if data.fixed {
        fixed(checked, data, &velocity)?
    } else {
        moving(space, checked, data, shape.as_ref())?
    };
    let belt: SVector<f64, D> =
        checked.vector_or_zero("surface_velocity", data.surface_velocity.as_ref())?;
    let mut surface_velocity = [0.0; 3];
    surface_velocity[..D].copy_from_slice(belt.as_slice());
    Ok(Body {
        name: data.name.clone(),
        shape,
        motion,
        position: coordinates,
        velocity,
        surface_velocity,
        groups: groups(checked, data.groups.as_ref())?,
    })
}

/// Numbers of groups as bits.
fn groups(checked: &Checked, given: Option<&SceneGroups>) -> Result<Groups, SceneError> {
    let mut groups = Groups::default();
    let Some(given) = given else {
        return Ok(groups);
    };
    let mask = |field, numbers: &[u32]| {
        numbers.iter().try_fold(0, |mask, &found| {
            let bit = 1_u32.checked_shl(found);
            bit.map(|bit| mask | bit)
                .ok_or_else(|| checked.fault(field, Fault::Group { found }))
        })
    };
    if let Some(member) = &given.member {
        groups.member = mask("groups.member", member)?;
    }
    if let Some(others) = &given.collides_with {
        groups.collides_with = mask("groups.collides_with", others)?;
    }
    Ok(groups)
}

/// Refuses velocities of a body that has none of its own.
fn at_rest(
    checked: &Checked,
    velocity: &[f64],
    data: &SceneBody,
    hint: &'static str,
) -> Result<(), SceneError> {
    if velocity.iter().any(|&component| component != 0.0) {
        let moves = data
            .linear_velocity
            .iter()
            .flatten()
            .any(|&component| component != 0.0);
        let field = if moves {
            "linear_velocity"
        } else {
            "angular_velocity"
        };
        return Err(checked.fault(field, Fault::Meaningless { hint }));
    }
    Ok(())
}

fn fixed(checked: &Checked, data: &SceneBody, velocity: &[f64]) -> Result<Motion, SceneError> {
    at_rest(
        checked,
        velocity,
        data,
        "the body is fixed; leave its velocities out",
    )?;
    // A mass changes nothing here, but a wrong one is a mistake all the same.
    for (field, value) in [("mass", data.mass), ("density", data.density)] {
        value.map_or(Ok(0.0), |value| checked.positive(field, value))?;
    }
    Ok(Motion::Fixed)
}

fn moving<const D: usize>(
    space: &impl InDimension<D>,
    checked: &Checked,
    data: &SceneBody,
    shape: Option<&Shape<D>>,
) -> Result<Motion, SceneError> {
    if let Some(Shape::Convex(ConvexSet::HalfSpace(_))) = shape {
        let hint = "a half-space has no end and cannot move; write `fixed = true`";
        return Err(checked.fault("shape", Fault::Meaningless { hint }));
    }
    if let Some(hint) = ground::cannot_move(&data.shape) {
        return Err(checked.fault("shape", Fault::Meaningless { hint }));
    }
    let mass = data
        .mass
        .map(|mass| checked.positive("mass", mass))
        .transpose()?;
    let density = data
        .density
        .map(|value| checked.positive("density", value))
        .transpose()?;
    if mass.is_some() && density.is_some() {
        return Err(checked.fault("mass", Fault::Both { other: "density" }));
    }
    let solid = || solid(checked, data, shape, mass.ok_or(density));
    match (data.inertia.unwrap_or_default(), mass) {
        (SceneInertia::FromShapeUniform, _) => solid(),
        (given, Some(mass)) => Ok(Motion::Moving {
            mass,
            inertia: space.given_inertia(checked, given)?,
        }),
        (given, None) => {
            let mut motion = solid()?;
            if let Motion::Moving { inertia, .. } = &mut motion {
                *inertia = space.given_inertia(checked, given)?;
            }
            Ok(motion)
        }
    }
}

/// Mass and inertia of the shape filled evenly, from its mass or else from its density.
fn solid<const D: usize>(
    checked: &Checked,
    data: &SceneBody,
    shape: Option<&Shape<D>>,
    mass_or_density: Result<f64, Option<f64>>,
) -> Result<Motion, SceneError> {
    let name = data.name.clone();
    let body = match (shape.cloned(), mass_or_density) {
        (_, Err(None)) => {
            let hint = "a body that moves needs `mass` or `density`; or write `fixed = true`";
            return Err(checked.fault("mass", Fault::Missing { hint }));
        }
        (None, Ok(_)) => {
            let hint = "a body without shape needs its inertia in numbers";
            return Err(checked.fault("inertia", Fault::Missing { hint }));
        }
        (None, Err(Some(_))) => {
            let hint = "a body without shape has no volume; write `mass`";
            return Err(checked.fault("density", Fault::Meaningless { hint }));
        }
        (Some(shape), Ok(mass)) => Body::solid(name, shape, mass),
        (Some(shape), Err(Some(density))) => Body::with_density(name, shape, density),
    };
    match body {
        Ok(body) => Ok(body.motion),
        Err(WorldError::OffCentre { centroid, .. }) => {
            Err(checked.fault("shape", Fault::OffCentre { centroid }))
        }
        Err(other) => Err(other.into()),
    }
}

/// The inertia of the plane, which is a number.
pub(super) fn scalar_inertia(
    checked: &Checked,
    given: SceneInertia,
) -> Result<Inertia, SceneError> {
    let SceneInertia::Scalar(moment) = given else {
        let hint = "in the plane inertia is one number, such as `inertia = 0.002`";
        return Err(checked.fault("inertia", Fault::Meaningless { hint }));
    };
    checked.positive("inertia", moment).map(Inertia::Scalar)
}

/// The inertia of space, which is a tensor.
pub(super) fn tensor_inertia(
    checked: &Checked,
    given: SceneInertia,
) -> Result<Inertia, SceneError> {
    match given {
        SceneInertia::Principal(moments) => {
            checked.all_finite("inertia.principal", &moments)?;
            Ok(Inertia::Principal(moments))
        }
        SceneInertia::Tensor(rows) => {
            checked.all_finite("inertia.tensor", rows.as_flattened())?;
            Ok(Inertia::Tensor(rows))
        }
        _ => {
            let hint = "in space write `{ principal = [a, b, c] }` or `{ tensor = [[..], ..] }`";
            Err(checked.fault("inertia", Fault::Meaningless { hint }))
        }
    }
}
