//! Saved states, from which a run goes on as if it had never stopped.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use signorini_dynamics::{State, StateError, System};
use std::io::Write;
use thiserror::Error;

use crate::atomic_file::{AtomicFile, WriteError};
use crate::format::Scene;
use crate::locate::TextPlace;

/// The version of the checkpoint format that this crate reads and writes.
const VERSION: u32 = 1;

/// A state together with what it belongs to.
///
/// The state holds everything that can change the next step: a run that is saved, loaded and continued with the same
/// scene, scheme and step gives the same bits as one that was never stopped.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Checkpoint {
    /// Version of the format.
    pub version: u32,
    /// Name of the scene.
    pub scene: String,
    /// Names of all bodies in the scene's order, to which the state's contacts refer.
    pub bodies: Vec<String>,
    /// The state.
    pub state: State,
}

/// Why a checkpoint cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// The file cannot be read.
    #[error("cannot read `{}`: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The text is not a checkpoint.
    #[error("line {}, column {}: {message}\n{}", place.line, place.column, place.excerpt)]
    Syntax {
        /// Where.
        place: TextPlace,
        /// What the reader found and what it expected.
        message: String,
    },
    /// The format is of another version.
    #[error(
        "the checkpoint has version {found}; this program reads version {known}: make it anew with `--save`"
    )]
    Version {
        /// The version in the file.
        found: u32,
        /// The version this crate reads.
        known: u32,
    },
    /// The checkpoint belongs to other bodies.
    #[error(
        "the checkpoint of scene `{scene}` is of the bodies {}, but the scene has {}: resume with the scene it was saved from",
        found.join(", "), expected.join(", ")
    )]
    Bodies {
        /// The scene it was saved from.
        scene: String,
        /// Bodies of the checkpoint.
        found: Vec<String>,
        /// Bodies of the scene.
        expected: Vec<String>,
    },
    /// The state does not fit the scene.
    #[error("the state in the checkpoint does not fit the scene: {0}")]
    State(#[from] StateError),
    /// The file cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// The part that every version has.
#[derive(Deserialize)]
struct Header {
    version: u32,
}

impl Checkpoint {
    /// The checkpoint of a state of a scene.
    pub fn new(scene: &Scene, state: State) -> Self {
        Self {
            version: VERSION,
            scene: scene.name.clone().unwrap_or_default(),
            bodies: names(scene),
            state,
        }
    }

    /// The checkpoint as JSON; every number is written so that reading gives the same bits.
    ///
    /// # Panics
    /// Never: a checkpoint is a tree of numbers and strings.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("a tree of numbers and strings");
        text.push('\n');
        text
    }

    /// Reads a checkpoint from JSON.
    ///
    /// # Errors
    /// [`CheckpointError::Syntax`], [`CheckpointError::Version`].
    pub fn from_json(text: &str) -> Result<Self, CheckpointError> {
        let fail = |error: serde_json::Error| CheckpointError::Syntax {
            place: TextPlace::at(text, error.line(), error.column()),
            message: crate::read::without_place(&error),
        };
        let header: Header = serde_json::from_str(text).map_err(fail)?;
        if header.version != VERSION {
            return Err(CheckpointError::Version {
                found: header.version,
                known: VERSION,
            });
        }
        serde_json::from_str(text).map_err(fail)
    }

    /// Reads a checkpoint from a file.
    ///
    /// # Errors
    /// [`CheckpointError::Read`], and those of [`Checkpoint::from_json`].
    pub fn from_path(path: impl AsRef<Path>) -> Result<Self, CheckpointError> {
        let path = path.as_ref();
        let text = std::fs::read_to_string(path).map_err(|source| CheckpointError::Read {
            path: path.to_owned(),
            source,
        })?;
        Self::from_json(&text)
    }

    /// Writes the checkpoint to a file, complete or not at all.
    ///
    /// # Errors
    /// [`CheckpointError::Write`].
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), CheckpointError> {
        let mut file = AtomicFile::create(path)?;
        let written = file.write_all(self.to_json().as_bytes());
        written.map_err(|source| WriteError {
            path: file.path().to_owned(),
            source,
        })?;
        Ok(file.commit()?)
    }

    /// The state, if it belongs to the scene's bodies and fits their system.
    ///
    /// # Errors
    /// [`CheckpointError::Bodies`], [`CheckpointError::State`].
    pub fn into_state(self, scene: &Scene, system: &dyn System) -> Result<State, CheckpointError> {
        let expected = names(scene);
        if self.bodies != expected {
            let (scene, found) = (self.scene, self.bodies);
            return Err(CheckpointError::Bodies {
                scene,
                found,
                expected,
            });
        }
        self.state.validate(system)?;
        self.state.validate_contacts(system)?;
        Ok(self.state)
    }
}

fn names(scene: &Scene) -> Vec<String> {
    scene.bodies.iter().map(|body| body.name.clone()).collect()
}
