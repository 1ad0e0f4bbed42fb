//! Newton–Euler equations of rigid bodies in the plane and in space, with contacts as block rows.
//!
//! ```math
//! M(q) \dot v = k(t, q, v) + J^T \lambda, \qquad \dot q = G(q)\, v, \qquad u = J v
//! ```
//!
//! A [`System`] is what a time stepper sees: coordinates, masses, free motion and contacts, without dimension or shape.

mod contact;
mod energy;
mod quaternion;
mod state;
mod system;

pub use contact::{ContactError, ContactId, ContactQuery, Contacts};
pub use energy::Energy;
pub use state::{ContactMemory, State, StateError};
pub use system::{Rotation, Scale, System};
