//! What a time stepper sees of a multibody system: generalised coordinates and contacts, no dimension, no shape.
//!
//! ```math
//! M(q) \dot v = k(t, q, v) + J^T \lambda, \qquad \dot q = G(q)\, v, \qquad u = J v
//! ```

use std::fmt::Debug;

use sprs::CsMat;

use crate::{
    contact::{ContactError, ContactId, ContactQuery, Contacts, OtherEnd},
    energy::Energy,
    implicit::ImplicitContacts,
    joint::{JointError, Joints},
};

/// Characteristic length, mass and time of a system; tolerances of steppers are relative to them.
///
/// # Examples
/// ```
/// use signorini_dynamics::Scale;
/// let scale = Scale { length: 0.1, mass: 2.0, time: 0.1 };
/// assert_eq!(scale.length / scale.time, 1.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// Size of the smallest moving body, m.
    pub length: f64,
    /// Mass of the lightest moving body, kg.
    pub mass: f64,
    /// Time to fall through `length`, or to cross it at the initial speed without gravity, s.
    pub time: f64,
}

/// How orientations are advanced by a step; positions and angles in the plane do not depend on it, nor do bodies of a world
/// with [`Gyroscopic::Momentum`](crate::Gyroscopic::Momentum) whose moments of inertia differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum Rotation {
    /// q⁺ = q + h G(q) v with the quaternion normalised, as printed in the papers: ST2000 (6), (14).
    ///
    /// It turns by 2 atan(h |ω| / 2) about ω, so a step lags h³ |ω|³ / 12 behind: normalising loses no order.
    #[default]
    Printed,
    /// p⁺ = exp(h ω / 2) ⊗ p: exact for a constant angular velocity.
    LieGroup,
}

/// The rest of a motion besides its velocity.
///
/// # Examples
/// ```
/// use signorini_dynamics::{Move, Rotation};
/// let by = Move { h: 0.01, rotation: Rotation::LieGroup };
/// assert_eq!(by.h, 0.01);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Move {
    /// Time, s.
    pub h: f64,
    /// How orientations advance.
    pub rotation: Rotation,
}

/// Rigid bodies with contacts in generalised coordinates.
///
/// Only moving bodies have coordinates. The block of body c (its *column* in [`Contacts::rows`]) starts at
/// `c * nq / bodies` in q and at `c * dofs` in v, where `bodies = nv / dofs`.
///
/// | method          | shape        | meaning                                       |
/// | --------------- | ------------ | --------------------------------------------- |
/// | `mass_blocks`   | bodies·dofs² | M(q), one symmetric block per body, by rows   |
/// | `free_velocity` | `(n_v,)`     | v + h M⁻¹ k, without contacts                 |
/// | `retract`       | `(n_q,)`     | position after moving with v for h            |
/// | `retract_tangent` | bodies·dofs² | its derivative with respect to v            |
/// | `kinematic_map` | `(n_q, n_v)` | G in q̇ = G v                                  |
/// | `contacts`      | –            | gaps and rows of the contacts near q          |
/// | `contacts_of_step` | –         | the same where the other end of a step is known |
/// | `joint_rows`    | –            | values and rows of the joints at q            |
///
/// All methods are functions of their arguments alone and panic if a slice has the wrong length.
pub trait System: Debug + Send + Sync {
    /// Number of position coordinates.
    fn nq(&self) -> usize;

    /// Number of velocity coordinates.
    fn nv(&self) -> usize;

    /// Velocity coordinates per body: 3 in the plane, 6 in space.
    fn dofs(&self) -> usize;

    /// Dimension of space D; a contact has D rows.
    fn dimension(&self) -> usize;

    /// Characteristic quantities.
    fn scale(&self) -> Scale;

    /// Blocks of the mass matrix at q, `dofs * dofs` values per body; `out` is overwritten.
    fn mass_blocks(&self, q: &[f64], out: &mut Vec<f64>);

    /// out = v + h M(q)⁻¹ k(t, q, v): velocity at t + h without contacts.
    ///
    /// An entry is not finite only if an input or a force is not, or if the numbers overflow.
    fn free_velocity(&self, t: f64, q: &[f64], v: &[f64], h: f64, out: &mut [f64]);

    /// out = q moved with the velocity v for the time h; quaternions come out with unit length.
    fn retract(&self, q: &[f64], v: &[f64], h: f64, rule: Rotation, out: &mut [f64]);

    /// Derivative of [`System::retract`] with respect to v, one block of `dofs` × `dofs` per body, by rows: displacement of
    /// the body's origin and rotation vector, world axes, for a change of its velocity; `out` is overwritten.
    fn retract_tangent(&self, q: &[f64], v: &[f64], h: f64, rule: Rotation, out: &mut Vec<f64>);

    /// [`System::retract`] of the moving body in column `body` alone, so that an iteration over a few bodies need not move all:
    /// writes its entries of `out`, which is a position of the system.
    fn retract_body(&self, body: usize, q: &[f64], v: &[f64], by: Move, out: &mut [f64]);

    /// [`System::retract_tangent`] of the moving body in column `body` alone: appends its block to `out`.
    fn retract_body_tangent(&self, body: usize, q: &[f64], v: &[f64], by: Move, out: &mut Vec<f64>);

    /// G(q) in q̇ = G(q) v, by rows; the pattern does not depend on q.
    fn kinematic_map(&self, q: &[f64]) -> CsMat<f64>;

    /// Contacts near the configuration q at time t, sorted by id; `out` is overwritten and its memory reused.
    ///
    /// # Errors
    /// [`ContactError`] naming the bodies; `out` then holds no contacts.
    fn contacts(
        &self,
        t: f64,
        q: &[f64],
        query: &ContactQuery<'_>,
        out: &mut Contacts,
    ) -> Result<(), ContactError>;

    /// [`System::contacts`] at one end q of a step whose other end is known too, so that bodies that pass beside a corner are
    /// not stopped by its faces, and those that got in deep are put out where they came from; see [`OtherEnd`].
    ///
    /// At the start of a step a listed pair without the features listed is given by those that it has, where these
    /// would close.
    ///
    /// # Errors
    /// As [`System::contacts`].
    fn contacts_of_step(
        &self,
        t: f64,
        (q, _other): (&[f64], OtherEnd<'_>),
        query: &ContactQuery<'_>,
        out: &mut Contacts,
    ) -> Result<(), ContactError> {
        self.contacts(t, q, query, out)
    }

    /// Whether the body of a column moves as a function of time and takes no impulses: its free velocity is its velocity.
    fn is_driven(&self, _column: usize) -> bool {
        false
    }

    /// Whether some surface moves relative to its body, so that [`Contacts::drift`] is not zero.
    fn has_belts(&self) -> bool {
        false
    }

    /// Rows of the joints at the configuration q at time t, with the drift of drives over a step of h; `out` is overwritten.
    ///
    /// # Errors
    /// [`JointError`] naming the joint; `out` then holds no rows.
    fn joint_rows(&self, _t: f64, _h: f64, _q: &[f64], out: &mut Joints) -> Result<(), JointError> {
        out.reset(self.dofs());
        Ok(())
    }

    /// Name of a joint for reports and messages.
    fn joint_name(&self, joint: u32) -> String {
        format!("joint {joint}")
    }

    /// The optimality conditions of closest points, for schemes that solve for the points at the end of the step;
    /// `None` if the system does not have them.
    fn implicit(&self) -> Option<&dyn ImplicitContacts> {
        None
    }

    /// Kinetic and potential energy, J.
    fn energy(&self, q: &[f64], v: &[f64]) -> Energy;

    /// Linear momentum (D components, kg m/s), then angular momentum about the world origin (1 or 3, kg m²/s).
    fn momentum(&self, q: &[f64], v: &[f64]) -> Vec<f64>;

    /// Name of the moving body in column `column`.
    fn body_name(&self, column: usize) -> &str;

    /// Whether contacts between the two bodies of `id` are looked for; the geometry alone knows which features there are.
    fn may_touch(&self, _id: ContactId) -> bool {
        true
    }

    /// Name of a contact for reports and messages, such as `floor/rod#1`.
    fn contact_name(&self, id: ContactId) -> String;
}
