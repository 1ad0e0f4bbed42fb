//! Scenes of rigid bodies as data: from TOML or JSON to a world that can be stepped, and trajectories back to files.
//!
//! A [`Scene`] mirrors its file word for word; [`Scene::to_world`] checks it and builds an [`AnyWorld`],
//! [`Scene::stepper`] the time stepper it asks for. [`TrajectoryWriter`] records a run as CSV, [`TrajectoryTable`]
//! reads it back, and a [`Checkpoint`] keeps a state from which a run goes on bit for bit.
//!
//! # Guarantees and limits
//! - A message names the line and column, or the body and the key, what was found, what is possible, and what to do.
//! - Nothing is ignored: unknown keys and values that mean nothing where they stand are refused.
//! - Numbers are written with all their digits; a number that is not finite is never written.
//! - A file is complete or not there, see [`AtomicFile`].
//! - The format knows words of shapes that cannot be built yet; they are refused by name.

mod atomic_file;
mod checkpoint;
mod error;
mod format;
mod locate;
mod mesh_file;
mod read;
mod schema;
mod stepper;
mod trajectory;
mod world;

pub use atomic_file::{AtomicFile, WriteError};
pub use checkpoint::{Checkpoint, CheckpointError};
pub use error::{Fault, Place, SceneError};
pub use format::{
    ContactFormRule, ContactPointRule, ContactRule, Dimension, EffortMotor, Evaluation,
    FORMAT_VERSION, FormulationRule, GapRule, GyroscopicRule, ImpactRule, InitialOverlap,
    JointWord, MeshOrigin, MeshSolid, OscillationCourse, PairRule, ProjectionRule, RateMotor,
    RotationRule, RunSettings, Scene, SceneBody, SceneCourse, SceneDriven, SceneGroups,
    SceneInertia, SceneJoint, SceneLoad, SceneMotor, ScenePiece, SceneShape, SceneSpring, Scheme,
    Sinusoid, Spin, Stall, SteadyCourse, Units, UnknownScheme,
};
pub use locate::TextPlace;
pub use mesh_file::{MeshFileError, read_mesh};
pub use schema::schema;
pub use trajectory::{
    Column, ReadTrajectoryError, TrajectoryError, TrajectoryTable, TrajectoryWriter,
};
pub use world::AnyWorld;

/// The examples of the README run as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
