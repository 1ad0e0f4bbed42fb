//! Newton–Euler equations of rigid bodies in the plane and in space, with contacts as block rows.
//!
//! ```math
//! M(q) \dot v = k(t, q, v) + J^T \lambda, \qquad \dot q = G(q)\, v, \qquad u = J v
//! ```
//!
//! A [`World`] is made of [`Body`] data; as a [`System`] it is what a time stepper sees: coordinates, masses, free motion
//! and contacts, without dimension or shape. A [`State`] is everything that changes in a run.

mod body;
mod contact;
mod course;
mod energy;
mod force;
mod implicit;
mod joint;
mod quaternion;
mod settings;
mod space;
mod state;
mod system;
mod world;

pub use body::{Body, BodyId, Inertia, Motion, centred};
pub use contact::{
    ContactError, ContactId, ContactMaterial, ContactQuery, Contacts, MaterialError, OtherEnd,
};
pub use course::Course;
pub use energy::Energy;
pub use force::{Amplitude, AppliedWrench, Force, ForceInput};
pub use implicit::{
    ImplicitContacts, PairDerivatives, PairFace, PairLayout, PairPoint, PairRows, PairSeam, Pairs,
};
pub use joint::{
    ConstraintRows, EffortRows, Joint, JointError, JointId, JointKind, JointRow, Joints, Motor,
    Spring,
};
pub use settings::{ContactPoint, WorldSettings};
pub use space::Gyroscopic;
pub use state::{ContactMemory, State, StateError};
pub use system::{Move, Rotation, Scale, System};
pub use world::{Overlap, World, WorldError};

/// The examples of the README run as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
