//! Meshes from OBJ and STL files.

use std::fs::File;
use std::io::{BufReader, ErrorKind};
use std::path::{Path, PathBuf};

use nalgebra::Vector3;
use signorini_geometry::{ShapeError, TriangleMesh};
use thiserror::Error;

/// Why a file gave no mesh.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum MeshFileError {
    /// The name ends neither in `.obj` nor in `.stl`.
    #[error("{} is neither *.obj nor *.stl: export the mesh as one of these", path.display())]
    Extension {
        /// The file.
        path: PathBuf,
    },
    /// The file cannot be read.
    #[error("{} cannot be read: {kind}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        kind: ErrorKind,
    },
    /// The file is not what its name says.
    #[error("{} is not understood: {reason}", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// What its reader says.
        reason: String,
    },
    /// The triangles make no mesh.
    #[error("{} has no usable mesh: {source}", path.display())]
    Mesh {
        /// The file.
        path: PathBuf,
        /// What the geometry says.
        source: ShapeError,
    },
}

/// Reads all triangles of an OBJ or STL file (text or binary), coordinates in m.
///
/// Of an OBJ file all objects and groups are taken; polygons are cut into triangles from their first corner, and materials,
/// lines and points are left out. STL files have numbers of seven digits.
///
/// # Errors
/// [`MeshFileError`].
///
/// # Examples
/// ```
/// use signorini_scene::read_mesh;
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("corner.obj");
/// std::fs::write(&path, "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")?;
/// let mass = read_mesh(&path)?.mass_properties_of_density(6.0)?;
/// assert!((mass.mass - 1.0).abs() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_mesh(path: impl AsRef<Path>) -> Result<TriangleMesh, MeshFileError> {
    let path = path.as_ref();
    let ending = path.extension().unwrap_or_default().to_ascii_lowercase();
    let read = match ending.to_str() {
        Some("obj") => obj,
        Some("stl") => stl,
        _ => {
            let path = path.to_owned();
            return Err(MeshFileError::Extension { path });
        }
    };
    let file = File::open(path).map_err(|error| MeshFileError::Read {
        path: path.to_owned(),
        kind: error.kind(),
    })?;
    let (vertices, triangles) =
        read(BufReader::new(file)).map_err(|reason| MeshFileError::Syntax {
            path: path.to_owned(),
            reason,
        })?;
    TriangleMesh::new(vertices, triangles).map_err(|source| MeshFileError::Mesh {
        path: path.to_owned(),
        source,
    })
}

/// Vertices and triangles, or what the reader says.
type Soup = Result<(Vec<Vector3<f64>>, Vec<[u32; 3]>), String>;

fn obj(mut reader: BufReader<File>) -> Soup {
    let options = tobj::LoadOptions {
        triangulate: true,
        ignore_points: true,
        ignore_lines: true,
        ..tobj::LoadOptions::default()
    };
    // Materials have no meaning here, so that their files need not be there.
    let no_materials = |_: &Path| Err(tobj::LoadError::OpenFileFailed);
    let (models, _) = tobj::load_obj_buf(&mut reader, &options, no_materials)
        .map_err(|error| error.to_string())?;
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for tobj::Model { mesh, .. } in &models {
        let first = u32::try_from(vertices.len()).map_err(|error| error.to_string())?;
        vertices.extend(
            mesh.positions
                .chunks_exact(3)
                .map(Vector3::from_column_slice),
        );
        let corners = mesh.indices.chunks_exact(3);
        triangles.extend(corners.map(|c| [first + c[0], first + c[1], first + c[2]]));
    }
    Ok((vertices, triangles))
}

fn stl(mut reader: BufReader<File>) -> Soup {
    let triangles = stl_io::create_stl_reader(&mut reader).map_err(|error| error.to_string())?;
    let (mut vertices, mut corners) = (Vec::new(), Vec::new());
    for triangle in triangles {
        let triangle = triangle.map_err(|error| error.to_string())?;
        let first = u32::try_from(vertices.len()).map_err(|error| error.to_string())?;
        vertices.extend(triangle.vertices.iter().map(|vertex| {
            let [x, y, z] = vertex.0;
            Vector3::new(x, y, z).cast::<f64>()
        }));
        corners.push([first, first + 1, first + 2]);
    }
    Ok((vertices, corners))
}
