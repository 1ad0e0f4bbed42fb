//! What can be wrong with a scene, a checkpoint or a trajectory file.

use std::fmt;
use std::io;
use std::path::PathBuf;

use signorini_dynamics::{ContactError, WorldError};
use signorini_geometry::ShapeError;
use thiserror::Error;

use crate::format::Dimension;
use crate::locate::TextPlace;
use crate::mesh_file::MeshFileError;

/// Why a scene cannot be read or built. Messages say what to do next.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SceneError {
    /// The file cannot be read.
    #[error("cannot read `{}`: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file's name does not tell its language.
    #[error(
        "cannot tell the language of `{}`: name it `*.toml` or `*.json`",
        path.display()
    )]
    Extension {
        /// The file.
        path: PathBuf,
    },
    /// The text is not what the format asks for.
    #[error("line {}, column {}: {message}\n{}", place.line, place.column, place.excerpt)]
    Syntax {
        /// Where.
        place: TextPlace,
        /// What the reader found and what it expected.
        message: String,
    },
    /// The scene cannot be written as text.
    #[error("cannot write the scene as JSON: {source}")]
    Write {
        /// Why.
        source: serde_json::Error,
    },
    /// The format is of another version.
    #[error(
        "the scene has version {found}, but this program reads version {known}: run it with a program of its time, or write it anew as docs/scene.schema.json says"
    )]
    Version {
        /// The version in the file.
        found: u32,
        /// The version this crate reads.
        known: u32,
    },
    /// A value is of the right kind, but not a possible one.
    #[error("{place}: `{field}` {fault}")]
    Value {
        /// The part of the scene.
        place: Place,
        /// The key.
        field: &'static str,
        /// What is wrong with its value.
        fault: Fault,
    },
    /// Two bodies overlap at the start.
    #[error(
        "body `{first}` and body `{second}` overlap by {:?} m at the start, more than 1e-6 of the smaller one's size: move them apart, or write `initial_overlap = \"allow\"` at the top of the scene, before its first table",
        without_rounding(*depth)
    )]
    Overlap {
        /// One body.
        first: String,
        /// The other body.
        second: String,
        /// How deep, m.
        depth: f64,
    },
    /// The dynamics refuse what the scene describes.
    #[error(transparent)]
    World(#[from] WorldError),
    /// The contacts at the start cannot be found.
    #[error("cannot look for overlap at the start: {0}")]
    Contact(#[from] ContactError),
}

/// The part of a scene that a message is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// The scene's own keys.
    Scene,
    /// A body.
    Body {
        /// Its name; its number if it has none.
        name: String,
    },
    /// `contact_default`.
    ContactDefault,
    /// An entry of `contact`.
    Pair {
        /// Its number, from 1.
        number: usize,
    },
    /// An entry of `exclude`.
    Exclusion {
        /// Its number, from 1.
        number: usize,
    },
    /// An entry of `joints`.
    Joint {
        /// Its name; its number if it has none.
        name: String,
    },
    /// An entry of `loads`.
    Load {
        /// Its number, from 1.
        number: usize,
    },
    /// The run settings.
    Run,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scene => f.write_str("scene"),
            Self::Body { name } => write!(f, "body `{name}`"),
            Self::ContactDefault => f.write_str("contact_default"),
            Self::Pair { number } => write!(f, "contact rule {number}"),
            Self::Exclusion { number } => write!(f, "exclusion {number}"),
            Self::Joint { name } => write!(f, "joint `{name}`"),
            Self::Load { number } => write!(f, "load {number}"),
            Self::Run => f.write_str("run"),
        }
    }
}

/// The number without the digits that are its rounding, as people wrote it: 0.12 for 0.12000000000000001.
fn without_rounding(value: f64) -> f64 {
    format!("{value:.11e}").parse().unwrap_or(value)
}

/// What is wrong with a value.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum Fault {
    /// It has to be given.
    #[error("is missing: {hint}")]
    Missing {
        /// What to write.
        hint: &'static str,
    },
    /// It must not be given here.
    #[error("has no meaning here: {hint}")]
    Meaningless {
        /// What to write instead.
        hint: &'static str,
    },
    /// It means nothing to the scheme of the run.
    #[error("means nothing to `{scheme}`: leave it out, or choose {}", schemes.join(" or "))]
    Foreign {
        /// The scheme.
        scheme: &'static str,
        /// The schemes to which it means something.
        schemes: Vec<&'static str>,
    },
    /// It excludes another key.
    #[error("is given together with `{other}`: keep one of them")]
    Both {
        /// The other key.
        other: &'static str,
    },
    /// The text is empty.
    #[error("is empty: write a name")]
    Empty,
    /// The text holds a control character.
    #[error("has a line break or another control character: write it on one line")]
    ControlCharacter,
    /// Another body has the name.
    #[error("is also the name of another body: give each body its own")]
    Duplicate,
    /// No body has the name.
    #[error("names `{found}`, but no body is called that; there are: {}", known.join(", "))]
    UnknownBody {
        /// The name.
        found: String,
        /// The names of all bodies.
        known: Vec<String>,
    },
    /// A pair of one body.
    #[error("names `{found}` twice: a pair is two different bodies")]
    SameBody {
        /// The name.
        found: String,
    },
    /// Another rule names the same pair.
    #[error("names the pair of `{first}` and `{second}`, which an earlier rule names: keep one")]
    RepeatedPair {
        /// One body.
        first: String,
        /// The other body.
        second: String,
    },
    /// No group has the number.
    #[error("has group {found}: groups are numbered from 0 to 31")]
    Group {
        /// The number.
        found: u32,
    },
    /// The body cannot be pushed.
    #[error("names `{found}`, which is fixed: a load would do nothing")]
    FixedBody {
        /// The name.
        found: String,
    },
    /// The wrong number of components.
    #[error("has {found} numbers: {} are needed in {dimension}", dimension.len())]
    Length {
        /// Components found.
        found: usize,
        /// Plane or space.
        dimension: Dimension,
    },
    /// The wrong number of components, whatever the dimension.
    #[error("has {found} numbers: {expected} are needed")]
    Count {
        /// Components found.
        found: usize,
        /// Components needed.
        expected: usize,
    },
    /// NaN or infinite.
    #[error("is {found}: write a finite number")]
    NotFinite {
        /// The value.
        found: f64,
    },
    /// A component is NaN or infinite.
    #[error("has {found} as number {number}: write a finite number")]
    ComponentNotFinite {
        /// The value.
        found: f64,
        /// Which component, from 1.
        number: usize,
    },
    /// Zero or negative.
    #[error("is {found:?}: it must be greater than 0")]
    NotPositive {
        /// The value.
        found: f64,
    },
    /// Negative.
    #[error("is {found:?}: it must be at least 0")]
    Negative {
        /// The value.
        found: f64,
    },
    /// Negative or greater than 1.
    #[error("is {found:?}: it must be between 0 and 1")]
    AboveOne {
        /// The value.
        found: f64,
    },
    /// A time step that does not change the time.
    #[error(
        "is {found:?}: it is lost in the rounding of times up to `until` = {until:?}; write a larger one, or an earlier end"
    )]
    LostStep {
        /// The step, s.
        found: f64,
        /// The end, s.
        until: f64,
    },
    /// A direction of length 0.
    #[error("has length 0: write a direction")]
    NoDirection,
    /// The arms of a universal joint are not at a right angle.
    #[error("is not at a right angle to `axis`: make it so, to 1e-9")]
    NotAcross,
    /// A quaternion that is not of unit length.
    #[error("has length {norm:?} instead of 1: divide it by its length")]
    NotUnit {
        /// Its length.
        norm: f64,
    },
    /// An interval that ends before it begins.
    #[error("is {until:?}, but it begins at `from` = {from:?}: it must be later")]
    Interval {
        /// The beginning, s.
        from: f64,
        /// The end, s.
        until: f64,
    },
    /// A shape that the library cannot build yet.
    #[error(
        "is `{word}`, which is not supported yet in {dimension}; supported there: {}",
        supported.join(", ")
    )]
    UnsupportedShape {
        /// The shape's word.
        word: &'static str,
        /// Plane or space.
        dimension: Dimension,
        /// The words that are supported.
        supported: &'static [&'static str],
    },
    /// The geometry refuses the shape.
    #[error("is not possible: {0}")]
    Shape(#[from] ShapeError),
    /// A mesh cannot be had from its file.
    #[error("names a file of no use: {0}")]
    MeshFile(Box<MeshFileError>),
    /// A solid shape that does not lie about the body's origin.
    #[error(
        "has its centroid at {centroid:?}, but a body's origin is its centre of mass: subtract the centroid from the vertices or \
         pieces (of a mesh file write `origin = \"centroid\"`), and move the body by it"
    )]
    OffCentre {
        /// The centroid in the shape's coordinates, m.
        centroid: Vec<f64>,
    },
    /// A friction law that a restitution law does not go with.
    #[error("is `poisson`, which goes with `form = \"pyramid\"` only: choose that, or another law")]
    PoissonForm,
    /// Friction directions that do not span the tangent plane.
    #[error("is {found}: it must be even and at least 4")]
    Directions {
        /// The number.
        found: usize,
    },
}
