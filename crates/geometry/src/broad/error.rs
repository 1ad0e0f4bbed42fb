//! What a broad phase refuses.

use thiserror::Error;

/// Why a body is refused, or its pairs cannot be listed.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum BroadPhaseError {
    /// The bounds of a body are NaN, the wrong way round, or nowhere.
    #[error("the bounds of body {id} are no box along axis {axis}: {lower} to {upper}")]
    Bounds {
        /// The body.
        id: u32,
        /// The first axis at fault.
        axis: usize,
        /// Lower bound found, m.
        lower: f64,
        /// Upper bound found, m.
        upper: f64,
    },
    /// The normal or the offset of a half-space is not finite.
    #[error("the half-space of body {id} has an offset of {offset} or a normal that is not finite")]
    HalfSpace {
        /// The body.
        id: u32,
        /// The offset found, m.
        offset: f64,
    },
    /// A reach is negative or NaN.
    #[error("the reach of body {id} is {reach}, it must be at least 0")]
    Reach {
        /// The body.
        id: u32,
        /// The reach found, m.
        reach: f64,
    },
    /// Two bodies of one number.
    #[error("there is a body {id} already")]
    Duplicate {
        /// The number.
        id: u32,
    },
    /// No body has the number.
    #[error("there is no body {id}")]
    Unknown {
        /// The number.
        id: u32,
    },
    /// A pair of a body with itself.
    #[error("body {id} is no pair with itself")]
    SameBody {
        /// The body.
        id: u32,
    },
    /// So many bodies are in one place that the list of pairs would fill the memory.
    #[error("more than {limit} pairs of boxes overlap")]
    TooManyPairs {
        /// [`BroadPhase::max_pairs`](crate::BroadPhase::max_pairs).
        limit: usize,
    },
}

impl BroadPhaseError {
    /// The body it is about, if it is about one.
    pub fn body(&self) -> Option<u32> {
        match *self {
            Self::Bounds { id, .. }
            | Self::HalfSpace { id, .. }
            | Self::Reach { id, .. }
            | Self::Duplicate { id }
            | Self::Unknown { id }
            | Self::SameBody { id } => Some(id),
            Self::TooManyPairs { .. } => None,
        }
    }
}
