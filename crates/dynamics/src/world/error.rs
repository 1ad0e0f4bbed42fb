//! What is wrong with the data of a world.

use signorini_geometry::ShapeError;

use crate::{contact::MaterialError, joint::JointError};

/// Why a body, a wrench or a setting is refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum WorldError {
    /// Two bodies of one name.
    #[error("there is a body `{body}` already")]
    DuplicateName {
        /// The name.
        body: String,
    },
    /// A list has the wrong number of entries.
    #[error("{quantity} of body `{body}` has {found} entries, must have {expected}")]
    Length {
        /// Name of the body.
        body: String,
        /// What is too short or long.
        quantity: &'static str,
        /// Length asked for.
        expected: usize,
        /// Length found.
        found: usize,
    },
    /// A number is NaN or infinite.
    #[error("{quantity}[{index}] of body `{body}` is {value}")]
    NonFinite {
        /// Name of the body.
        body: String,
        /// Which list.
        quantity: &'static str,
        /// Index in the list.
        index: usize,
        /// The value found.
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
    /// A fixed or driven body with a velocity.
    #[error("body `{body}` does not move freely but has an initial velocity")]
    FixedVelocity {
        /// Name of the body.
        body: String,
    },
    /// A driven body whose direction or course has no meaning.
    #[error(
        "the direction or course of driven body `{body}` is not finite, or ends before it begins"
    )]
    Course {
        /// Name of the body.
        body: String,
    },
    /// A joint that makes no sense.
    #[error(transparent)]
    Joint(#[from] JointError),
    /// The mass is not a positive number.
    #[error("the mass of body `{body}` is {mass}, must be positive")]
    Mass {
        /// Name of the body.
        body: String,
        /// Mass found, kg.
        mass: f64,
    },
    /// A body in the plane has one moment of inertia only.
    #[error("body `{body}` is in the plane: its inertia is one number, `Inertia::Scalar`")]
    PlanarInertia {
        /// Name of the body.
        body: String,
    },
    /// The inertia tensor is not symmetric.
    #[error("the inertia of body `{body}` is not symmetric: entries differ by {asymmetry}")]
    AsymmetricInertia {
        /// Name of the body.
        body: String,
        /// Largest difference of an entry and its mirror image, kg m².
        asymmetry: f64,
    },
    /// A moment of inertia that is too large or too small to compute with.
    #[error(
        "the moments of inertia of body `{body}` are {moments:?} kg m²: numbers hold those from about 1e-100 to 1e100; look at the size and the mass of the body"
    )]
    InertiaRange {
        /// Name of the body.
        body: String,
        /// Moments found, kg m².
        moments: [f64; 3],
    },
    /// A moment of inertia is not positive.
    #[error("the moments of inertia of body `{body}` are {moments:?}, must be positive")]
    Inertia {
        /// Name of the body.
        body: String,
        /// Principal moments, increasing, kg m².
        moments: [f64; 3],
    },
    /// No distribution of mass has such moments.
    #[error(
        "the moments of inertia of body `{body}` are {moments:?}: the largest exceeds the sum of the others"
    )]
    Triangle {
        /// Name of the body.
        body: String,
        /// Principal moments, increasing, kg m².
        moments: [f64; 3],
    },
    /// The shape has no mass properties.
    #[error("mass of body `{body}`: {source}")]
    Shape {
        /// Name of the body.
        body: String,
        /// What the geometry says.
        source: ShapeError,
    },
    /// The centroid of a uniform solid is not the origin of its frame.
    #[error(
        "the shape of body `{body}` has its centroid at {centroid:?}: move it to the origin, `centred` does"
    )]
    OffCentre {
        /// Name of the body.
        body: String,
        /// Centroid in the frame of the shape, m.
        centroid: Vec<f64>,
    },
    /// A contact coefficient makes no sense.
    #[error("contact {}: {source}", pair_name(pair.as_ref()))]
    Material {
        /// Names of the two bodies, `None` for the default.
        pair: Option<(String, String)>,
        /// Which coefficient.
        source: MaterialError,
    },
    /// Gravity is not finite.
    #[error("gravity is {gravity:?}")]
    Gravity {
        /// The vector found, m/s².
        gravity: Vec<f64>,
    },
    /// No such body.
    #[error("there is no body {index}, the world has {bodies}")]
    UnknownBody {
        /// Index of the handle.
        index: usize,
        /// Number of bodies.
        bodies: usize,
    },
    /// A pair of a body with itself.
    #[error("body `{body}` does not touch itself")]
    SameBody {
        /// Name of the body.
        body: String,
    },
    /// A wrench on a fixed body.
    #[error("a wrench acts on body `{body}`, which is fixed")]
    FixedBody {
        /// Name of the body.
        body: String,
    },
    /// The interval of a wrench is empty or not a number.
    #[error("a wrench on body `{body}` acts from {from} s until {until} s")]
    Interval {
        /// Name of the body.
        body: String,
        /// Start, s.
        from: f64,
        /// End, s.
        until: f64,
    },
    /// The amplitude law of a wrench is not finite.
    #[error("a wrench on body `{body}` has frequency {frequency} Hz and phase {phase} rad")]
    Amplitude {
        /// Name of the body.
        body: String,
        /// Frequency, Hz.
        frequency: f64,
        /// Phase, rad.
        phase: f64,
    },
}

fn pair_name(pair: Option<&(String, String)>) -> String {
    pair.map_or_else(|| "default".to_owned(), |(a, b)| format!("`{a}`/`{b}`"))
}
