//! Scenes from files and texts.

use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::error::SceneError;
use crate::format::{FORMAT_VERSION, Scene, SceneShape};
use crate::locate::TextPlace;

impl Scene {
    /// Reads a scene from a file named `*.toml` or `*.json`. A scene without a name gets the file's; meshes are looked for from
    /// its folder.
    ///
    /// # Errors
    /// [`SceneError::Read`], [`SceneError::Extension`], and those of [`Scene::from_toml`].
    pub fn from_path(path: impl AsRef<Path>) -> Result<Self, SceneError> {
        let path = path.as_ref();
        let ending = path.extension().unwrap_or_default().to_ascii_lowercase();
        let language = match ending.to_str() {
            Some("toml") => Language::Toml,
            Some("json") => Language::Json,
            _ => {
                return Err(SceneError::Extension {
                    path: path.to_owned(),
                });
            }
        };
        let text = std::fs::read_to_string(path).map_err(|source| SceneError::Read {
            path: path.to_owned(),
            source,
        })?;
        let mut scene = language.read(&text)?;
        let folder = path.parent().unwrap_or_else(|| Path::new(""));
        for body in &mut scene.bodies {
            look_in(folder, &mut body.shape);
        }
        if scene.name.is_none() {
            scene.name = path
                .file_stem()
                .map(|stem| stem.to_string_lossy().into_owned());
        }
        Ok(scene)
    }

    /// Reads a scene from TOML.
    ///
    /// # Errors
    /// [`SceneError::Syntax`] with line and column, [`SceneError::Version`] for a format of another version.
    pub fn from_toml(text: &str) -> Result<Self, SceneError> {
        Language::Toml.read(text)
    }

    /// Reads a scene from JSON.
    ///
    /// # Errors
    /// Those of [`Scene::from_toml`].
    pub fn from_json(text: &str) -> Result<Self, SceneError> {
        Language::Json.read(text)
    }

    /// The scene as JSON, which [`Scene::from_json`] reads back equal.
    ///
    /// # Errors
    /// [`SceneError::Write`]; a scene that holds NaN or an infinity is written as `null` there and is refused when
    /// it is read.
    pub fn to_json(&self) -> Result<String, SceneError> {
        serde_json::to_string_pretty(self).map_err(|source| SceneError::Write { source })
    }
}

/// Makes the mesh files of a shape relative to where the program runs.
fn look_in(folder: &Path, shape: &mut SceneShape) {
    match shape {
        SceneShape::Mesh { file, .. } => *file = folder.join(&file),
        SceneShape::Union { pieces } => {
            for piece in pieces {
                look_in(folder, &mut piece.shape);
            }
        }
        _ => {}
    }
}

/// The part that every version of the format has.
#[derive(Deserialize)]
struct Header {
    version: Option<u32>,
}

/// The languages a scene can be written in.
#[derive(Clone, Copy)]
enum Language {
    Toml,
    Json,
}

impl Language {
    /// Reads the version first: a later format must be called that, not "unknown field".
    fn read(self, text: &str) -> Result<Scene, SceneError> {
        let header: Header = self.parse(text)?;
        match header.version {
            None | Some(FORMAT_VERSION) => self.parse(text),
            Some(found) => Err(SceneError::Version {
                found,
                known: FORMAT_VERSION,
            }),
        }
    }

    fn parse<T: DeserializeOwned>(self, text: &str) -> Result<T, SceneError> {
        match self {
            Self::Toml => toml::from_str(text).map_err(|error| SceneError::Syntax {
                place: TextPlace::at_offset(text, error.span().map_or(0, |span| span.start)),
                message: error.message().to_owned(),
            }),
            Self::Json => serde_json::from_str(text).map_err(|error| SceneError::Syntax {
                place: TextPlace::at(text, error.line(), error.column()),
                message: without_place(&error),
            }),
        }
    }
}

/// The message alone: `serde_json` appends the place, which [`TextPlace`] already tells.
pub(crate) fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let suffix = format!(" at line {} column {}", error.line(), error.column());
    text.strip_suffix(&suffix).unwrap_or(&text).to_owned()
}
