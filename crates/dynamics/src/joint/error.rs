//! What is wrong with a joint.

/// Why a joint is refused, or has no rows where the bodies are.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum JointError {
    /// Two joints of one name.
    #[error("there is a joint `{joint}` already")]
    DuplicateName {
        /// The name.
        joint: String,
    },
    /// A joint of two fixed bodies.
    #[error("joint `{joint}` is between two bodies that do not move freely")]
    NothingMoves {
        /// Name of the joint.
        joint: String,
    },
    /// The plane has no such joint.
    #[error("joint `{joint}`: the plane has no {kind} joint")]
    Spatial {
        /// Name of the joint.
        joint: String,
        /// Its kind.
        kind: &'static str,
    },
    /// A number is not finite, not positive or out of order.
    #[error("joint `{joint}`: {quantity} is {value}, must be {must}")]
    Value {
        /// Name of the joint.
        joint: String,
        /// Which number.
        quantity: &'static str,
        /// The value found.
        value: f64,
        /// What it must be.
        must: &'static str,
    },
    /// A rotation matrix of a frame is not one.
    #[error("joint `{joint}`: the frame in `{body}` is not orthonormal to 1e-9")]
    Frame {
        /// Name of the joint.
        joint: String,
        /// Name of the body.
        body: String,
    },
    /// A motor or spring along a coordinate that a drive holds.
    #[error(
        "joint `{joint}` has a drive, which holds its coordinate whatever {what} does: leave one of them out"
    )]
    Driven {
        /// Name of the joint.
        joint: String,
        /// `a motor` or `a spring`.
        what: &'static str,
    },
    /// Limits or a drive for a joint without a coordinate.
    #[error("joint `{joint}` has no coordinate for {what}")]
    NoCoordinate {
        /// Name of the joint.
        joint: String,
        /// `limits` or `a drive`.
        what: &'static str,
    },
    /// The ends of a rod or rope coincide, so that it has no direction.
    #[error("joint `{joint}`: its two ends coincide at t = {t}, so that it has no direction")]
    NoDirection {
        /// Name of the joint.
        joint: String,
        /// Time, s.
        t: f64,
    },
    /// A coordinate, or a course of the user's, is not finite.
    #[error("joint `{joint}` is not finite at t = {t}: look at its bodies and its drive")]
    NotFinite {
        /// Name of the joint.
        joint: String,
        /// Time, s.
        t: f64,
    },
}
