//! The state of a run: time, positions, velocities and what the contacts remember.

use crate::{contact::ContactId, system::System};

/// Everything that can change a bit of the next step; saved, loaded and continued, a run stays the same bit for bit.
///
/// | name     | shape  | unit          | meaning                                                        |
/// | -------- | ------ | ------------- | -------------------------------------------------------------- |
/// | `t`      | –      | s             | time                                                           |
/// | `q`      | `(n_q,)` | m, rad      | moving bodies: (x, y, θ) or (x, y, z, qw, qx, qy, qz)          |
/// | `v`      | `(n_v,)` | m/s, rad/s  | moving bodies: (vx, vy, ω) or (v, ω), ω in world axes        |
/// | `memory` | –      | –             | one entry per remembered contact, sorted by id, ids distinct   |
///
/// With the feature `serde` it is written with the format tag [`State::FORMAT`], and a file with another tag is refused.
/// A text format must keep all digits of a number (in `serde_json`: the feature `float_roundtrip`).
///
/// # Examples
/// ```
/// use signorini_dynamics::State;
/// let state = State { t: 0.5, q: vec![0.0, 1.0, 0.0], v: vec![0.0; 3], memory: vec![] };
/// assert_eq!(state.q[1], 1.0);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(into = "saved::SavedState", try_from = "saved::SavedState")
)]
pub struct State {
    /// Time, s.
    pub t: f64,
    /// Positions of the moving bodies, one block per body.
    pub q: Vec<f64>,
    /// Velocities of the moving bodies, one block per body.
    pub v: Vec<f64>,
    /// What the contacts of the last step hand to the next, sorted by id.
    pub memory: Vec<ContactMemory>,
}

/// What a contact hands from one step to the next.
///
/// | name       | shape | unit | meaning                                                                |
/// | ---------- | ----- | ---- | ---------------------------------------------------------------------- |
/// | `impulse`  | (D,)  | N s  | impulse of the last step in the contact frame: normal, tangents        |
/// | `torsion`  | –     | N m s | impulse of friction about the normal in the last step                 |
/// | `rolling`  | (D − 1,) or none | N m s | rolling moments of the last step about the tangents, in the plane about its normal |
/// | `active`   | –     | –    | whether the contact was in the active set of the last step             |
/// | `approach` | –     | m/s  | normal velocity before the last impact, ≤ 0 when the bodies approached |
/// | `stored`   | –     | J    | what the compression has taken and the rebound may give back, ≥ 0     |
/// | `slip`     | (D,) or none | m/s | tangential velocity before the last impact, world axes; none without tangential restitution |
/// | `bounced`  | –     | –    | whether restitution has been used up by the present impact             |
/// | `place`    | (2 D,) or none | m, – | point and normal in the last step, world axes; none where nothing is to part |
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
pub struct ContactMemory {
    /// Which contact.
    pub id: ContactId,
    /// Impulse of the last step in the contact frame, N s.
    pub impulse: Vec<f64>,
    /// Impulse of friction about the normal in the last step, N m s; 0 in files that do not have it.
    #[cfg_attr(feature = "serde", serde(default))]
    pub torsion: f64,
    /// Rolling moments of the last step about the tangents, in the plane about its normal, N m s; empty without rolling friction,
    /// and in files that do not have it.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Vec::is_empty")
    )]
    pub rolling: Vec<f64>,
    /// Whether it was in the active set of the last step.
    pub active: bool,
    /// Normal velocity before the last impact, ≤ 0, m/s.
    pub approach: f64,
    /// Energy that the compression has taken and the rebound may give back, J.
    pub stored: f64,
    /// Tangential velocity before the last impact that tangential restitution counts from, world axes, m/s; empty if there is
    /// none, and in files that do not have it.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Vec::is_empty")
    )]
    pub slip: Vec<f64>,
    /// Whether restitution has been used up by the present impact.
    pub bounced: bool,
    /// Where the contact was in the last step, m, and its normal, world axes, by which what is to part is known where it gets
    /// another name, as at a seam; empty where nothing is to part, and in files that do not have it.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Vec::is_empty")
    )]
    pub place: Vec<f64>,
}

impl ContactMemory {
    /// A contact met for the first time: no impulse, not active, no approach velocity.
    ///
    /// # Examples
    /// ```
    /// use signorini_dynamics::{ContactId, ContactMemory};
    /// let memory = ContactMemory::new(ContactId { a: 0, b: 1, pieces: [0; 2], feature: 0 }, 3);
    /// assert_eq!(memory.impulse, [0.0; 3]);
    /// ```
    pub fn new(id: ContactId, dimension: usize) -> Self {
        Self {
            id,
            impulse: vec![0.0; dimension],
            torsion: 0.0,
            rolling: Vec::new(),
            active: false,
            approach: 0.0,
            stored: 0.0,
            slip: Vec::new(),
            bounced: false,
            place: Vec::new(),
        }
    }
}

/// Why a state does not fit a system.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// A vector has the wrong length.
    #[error("{quantity} has {found} entries, the system has {expected}")]
    Length {
        /// `"q"` or `"v"`.
        quantity: &'static str,
        /// Length the system asks for.
        expected: usize,
        /// Length found.
        found: usize,
    },
    /// The time is not finite.
    #[error("the time is {t}")]
    Time {
        /// The time found.
        t: f64,
    },
    /// A number of a body is not finite.
    #[error("{quantity}[{index}] of body `{body}` is {value}")]
    NonFinite {
        /// Name of the body.
        body: String,
        /// `"q"` or `"v"`.
        quantity: &'static str,
        /// Index inside the block of the body.
        index: usize,
        /// The value found.
        value: f64,
    },
    /// A body is so far away that squares of distances are beyond what numbers can hold.
    #[error(
        "q[{index}] of body `{body}` is {value:e} m: farther than {:e} m squares of distances are beyond what numbers can hold",
        State::FARTHEST
    )]
    Far {
        /// Name of the body.
        body: String,
        /// Index inside the block of the body.
        index: usize,
        /// The coordinate found, m.
        value: f64,
    },
    /// A quaternion is not of unit length.
    #[error("the quaternion of body `{body}` has norm {norm}, not 1")]
    Quaternion {
        /// Name of the body.
        body: String,
        /// Norm found.
        norm: f64,
    },
    /// The memory is not sorted by id or names a contact twice.
    #[error(
        "contact memory {index} is not after its predecessor: entries are sorted by id and distinct"
    )]
    MemoryOrder {
        /// Index of the first entry out of order.
        index: usize,
    },
    /// The memory names a contact that the system cannot have.
    #[error(
        "the memory names the contact {contact}, which there cannot be: a body of it is missing or has no shape, neither moves freely, or they never touch"
    )]
    NoContact {
        /// Name of the contact.
        contact: String,
    },
    /// An entry of the memory holds a wrong number of components, a number that is not finite, an approach
    /// velocity above 0 or stored energy below 0.
    #[error(
        "the memory of contact {contact} is damaged: impulse {:?}, torsion {}, rolling {:?}, approach {}, stored {}, slip {:?}",
        memory.impulse, memory.torsion, memory.rolling, memory.approach, memory.stored, memory.slip
    )]
    Memory {
        /// Name of the contact.
        contact: String,
        /// The entry found.
        memory: Box<ContactMemory>,
    },
}

impl State {
    /// Tag of the saved form; it changes when the meaning of a saved state changes.
    pub const FORMAT: &'static str = "signorini-state-1";

    /// A quaternion read from outside may be off unit length by this much: | |p| − 1 | ≤ 1e-6, no unit.
    ///
    /// Generous for numbers typed with seven digits, tight enough to catch a quaternion that was never normalised.
    pub const QUATERNION_TOLERANCE: f64 = 1e-6;

    /// Largest coordinate of a body, m: squares of distances do not overflow.
    pub const FARTHEST: f64 = 1e150;

    /// Checks lengths, finite numbers, places, unit quaternions and the order of the memory.
    ///
    /// # Errors
    /// [`StateError`], naming the body or contact.
    pub fn validate(&self, system: &dyn System) -> Result<(), StateError> {
        if !self.t.is_finite() {
            return Err(StateError::Time { t: self.t });
        }
        self.validate_block("q", &self.q, system.nq(), system)?;
        self.validate_block("v", &self.v, system.nv(), system)?;
        self.validate_places(system)?;
        if system.dimension() == 3 {
            for (body, q) in self.q.chunks_exact(7).enumerate() {
                let norm = crate::quaternion::norm(&q[3..]);
                if (norm - 1.0).abs() > Self::QUATERNION_TOLERANCE {
                    let body = system.body_name(body).to_owned();
                    return Err(StateError::Quaternion { body, norm });
                }
            }
        }
        if let Some(index) = self.memory.windows(2).position(|w| w[0].id >= w[1].id) {
            return Err(StateError::MemoryOrder { index: index + 1 });
        }
        let whole = |m: &&ContactMemory| {
            m.impulse.len() == system.dimension()
                && (m.slip.is_empty() || m.slip.len() == system.dimension())
                && (m.rolling.is_empty() || m.rolling.len() + 1 == system.dimension())
                && m.impulse
                    .iter()
                    .chain(&m.rolling)
                    .chain(&m.slip)
                    .chain([&m.torsion, &m.approach, &m.stored])
                    .all(|x| x.is_finite())
                && m.approach <= 0.0
                && m.stored >= 0.0
        };
        match self.memory.iter().find(|m| !whole(m)) {
            None => Ok(()),
            Some(m) => Err(StateError::Memory {
                contact: system.contact_name(m.id),
                memory: Box::new(m.clone()),
            }),
        }
    }

    /// Checks that every contact of the memory is one that the system can have; a state from elsewhere may name others, which steps
    /// would pass over.
    ///
    /// # Errors
    /// [`StateError::NoContact`].
    pub fn validate_contacts(&self, system: &dyn System) -> Result<(), StateError> {
        match self.memory.iter().find(|m| !system.may_touch(m.id)) {
            None => Ok(()),
            Some(m) => Err(StateError::NoContact {
                contact: system.contact_name(m.id),
            }),
        }
    }

    /// The memory of a contact, found by bisection.
    pub fn remembered(&self, id: ContactId) -> Option<&ContactMemory> {
        self.memory
            .binary_search_by_key(&id, |m| m.id)
            .ok()
            .map(|k| &self.memory[k])
    }

    fn validate_places(&self, system: &dyn System) -> Result<(), StateError> {
        let d = system.dimension();
        for (body, q) in self.q.chunks_exact(if d == 2 { 3 } else { 7 }).enumerate() {
            if let Some(index) = q[..d].iter().position(|x| x.abs() > Self::FARTHEST) {
                return Err(StateError::Far {
                    body: system.body_name(body).to_owned(),
                    index,
                    value: q[index],
                });
            }
        }
        Ok(())
    }

    #[expect(
        clippy::unused_self,
        reason = "reads as part of the check of this state"
    )]
    fn validate_block(
        &self,
        quantity: &'static str,
        values: &[f64],
        expected: usize,
        system: &dyn System,
    ) -> Result<(), StateError> {
        if values.len() != expected {
            return Err(StateError::Length {
                quantity,
                expected,
                found: values.len(),
            });
        }
        let bodies = system.nv() / system.dofs();
        match values.iter().position(|x| !x.is_finite()) {
            None => Ok(()),
            Some(k) => {
                let block = expected / bodies;
                Err(StateError::NonFinite {
                    body: system.body_name(k / block).to_owned(),
                    quantity,
                    index: k % block,
                    value: values[k],
                })
            }
        }
    }
}

#[cfg(feature = "serde")]
mod saved {
    use super::{ContactMemory, State};

    /// The state as it is written: the same numbers with a format tag in front.
    #[derive(serde::Serialize, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    pub(super) struct SavedState {
        format: String,
        t: f64,
        q: Vec<f64>,
        v: Vec<f64>,
        memory: Vec<ContactMemory>,
    }

    impl From<State> for SavedState {
        fn from(State { t, q, v, memory }: State) -> Self {
            Self {
                format: State::FORMAT.to_owned(),
                t,
                q,
                v,
                memory,
            }
        }
    }

    impl TryFrom<SavedState> for State {
        type Error = String;

        fn try_from(saved: SavedState) -> Result<Self, String> {
            let SavedState {
                format,
                t,
                q,
                v,
                memory,
            } = saved;
            if format == State::FORMAT {
                Ok(Self { t, q, v, memory })
            } else {
                Err(format!(
                    "state format `{format}` is not readable here, expected `{}`",
                    State::FORMAT
                ))
            }
        }
    }
}
