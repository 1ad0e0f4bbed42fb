//! The scene format, version 1: plain data that mirrors the file word for word.
//!
//! Nothing here is checked beyond what the types say; [`Scene::to_world`](crate::Scene::to_world) checks the rest.
//! The doc comments of these types are the descriptions of the JSON schema.

mod body;
mod contact;
mod dimension;
mod inertia;
mod joint;
mod load;
mod run;
mod scene;
mod shape;
mod spin;

pub use body::{SceneBody, SceneGroups};
pub use contact::{ContactRule, PairRule};
pub use dimension::Dimension;
pub use inertia::SceneInertia;
pub use joint::{
    EffortMotor, JointWord, OscillationCourse, RateMotor, SceneCourse, SceneDriven, SceneJoint,
    SceneMotor, SceneSpring, SteadyCourse,
};
pub use load::{SceneLoad, Sinusoid};
pub use run::{
    ContactFormRule, ContactPointRule, Evaluation, FormulationRule, GapRule, GyroscopicRule,
    ImpactRule, ProjectionRule, RotationRule, RunSettings, Scheme, Stall, UnknownScheme,
};
pub use scene::{FORMAT_VERSION, InitialOverlap, Scene, Units};
pub use shape::{MeshOrigin, MeshSolid, ScenePiece, SceneShape};
pub use spin::Spin;
