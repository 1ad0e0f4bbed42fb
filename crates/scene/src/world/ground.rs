//! Grounds, and shapes from mesh files.

use nalgebra::Vector3;
use signorini_dynamics::centred;
use signorini_geometry::{HeightField, HeightProfile, Shape, TriangleMesh};

use super::check::Checked;
use crate::error::{Fault, SceneError};
use crate::format::{MeshOrigin, MeshSolid, SceneShape};
use crate::mesh_file::read_mesh;

/// Depth of heights whose depth is left out, m.
const DEPTH: f64 = 1.0;

/// The shape of a ground in the plane; `None` for other shapes.
pub(super) fn in_plane(
    checked: &Checked,
    shape: &SceneShape,
) -> Result<Option<Shape<2>>, SceneError> {
    let SceneShape::Profile {
        heights,
        spacing,
        depth,
    } = shape
    else {
        return Ok(None);
    };
    let refuse = |error| checked.fault("shape", Fault::Shape(error));
    let profile = HeightProfile::new(heights.clone(), *spacing).map_err(refuse)?;
    let ground = profile.ground(depth.unwrap_or(DEPTH)).map_err(refuse)?;
    Ok(Some(ground.into()))
}

/// The shape of a ground or a mesh in space; `None` for other shapes.
pub(super) fn in_space(
    checked: &Checked,
    shape: &SceneShape,
) -> Result<Option<Shape<3>>, SceneError> {
    let refuse = |error| checked.fault("shape", Fault::Shape(error));
    let shape = match shape {
        SceneShape::Heightfield {
            heights,
            spacing,
            depth,
        } => {
            let field = HeightField::new(heights.clone(), *spacing).map_err(refuse)?;
            let ground = field.ground(depth.unwrap_or(DEPTH)).map_err(refuse)?;
            ground.into()
        }
        SceneShape::Triangles {
            vertices,
            triangles,
            thickness,
        } => {
            let vertices = vertices.iter().map(|&x| Vector3::from(x));
            let mesh = TriangleMesh::new(vertices, triangles.iter().copied());
            let thickness = checked.positive("shape.thickness", *thickness)?;
            mesh.and_then(|mesh| mesh.ground(thickness))
                .map_err(refuse)?
                .into()
        }
        SceneShape::Mesh {
            file,
            scale,
            solid,
            origin,
            thickness,
        } => {
            let mesh = read_mesh(file)
                .map_err(|error| checked.fault("shape.file", Fault::MeshFile(Box::new(error))))?;
            let scale = checked.positive("shape.scale", scale.unwrap_or(1.0))?;
            let mesh = mesh.map(|x| x * scale).map_err(refuse)?;
            match (solid, thickness) {
                (MeshSolid::Hull, Some(_)) => {
                    let hint =
                        "a hull is solid throughout; write `solid = \"ground\"`, or leave it out";
                    return Err(checked.fault("shape.thickness", Fault::Meaningless { hint }));
                }
                (MeshSolid::Ground, None) => {
                    let hint = "a ground needs it: less than half of what is thin in the mesh";
                    return Err(checked.fault("shape.thickness", Fault::Missing { hint }));
                }
                (MeshSolid::Ground, _) if *origin == MeshOrigin::Centroid => {
                    let hint = "a ground has no centroid; leave it out";
                    return Err(checked.fault("shape.origin", Fault::Meaningless { hint }));
                }
                (MeshSolid::Ground, Some(thickness)) => {
                    let thickness = checked.positive("shape.thickness", *thickness)?;
                    mesh.ground(thickness).map_err(refuse)?.into()
                }
                (MeshSolid::Hull, None) => {
                    let hull = Shape::from(mesh.hull().map_err(refuse)?);
                    match origin {
                        MeshOrigin::File => hull,
                        MeshOrigin::Centroid => centred(&hull).map_err(refuse)?.0,
                    }
                }
            }
        }
        _ => return Ok(None),
    };
    Ok(Some(shape))
}

/// Why a body with this shape cannot move, if it cannot.
pub(super) fn cannot_move(shape: &SceneShape) -> Option<&'static str> {
    match shape {
        SceneShape::Heightfield { .. }
        | SceneShape::Profile { .. }
        | SceneShape::Triangles { .. }
        | SceneShape::Mesh {
            solid: MeshSolid::Ground,
            ..
        } => Some("a ground cannot move; write `fixed = true`"),
        _ => None,
    }
}
