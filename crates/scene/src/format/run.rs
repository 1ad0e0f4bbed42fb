//! How a scene is run.

use std::fmt;
use std::num::NonZeroUsize;
use std::str::FromStr;

use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};

/// How to run a scene. What is left out here has to be given to the program, or has the default named.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = add_t_end)]
pub struct RunSettings {
    /// The time-stepping scheme. Left out: `stewart-trinkle`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stepper: Option<Scheme>,
    /// Time step h, s, greater than 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub h: Option<f64>,
    /// Time at which the run ends, s; the run starts at 0.
    #[serde(default, skip_serializing_if = "Option::is_none", alias = "t_end")]
    #[schemars(range(min = 0.0))]
    pub until: Option<f64>,
    /// Directions of the friction pyramid per contact in space: an even number of at least 4 (not for
    /// `geometrically-implicit` and `tzitzouris-pang`, whose friction has no pyramid, nor for other forms of `hart-anitescu`).
    /// Left out: 8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 4))]
    pub directions: Option<usize>,
    /// Where the step takes its geometry, masses and forces from (`stewart-trinkle` only). Left out: `predicted`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evaluation: Option<Evaluation>,
    /// What to do when the fixed point of a step does not settle (`fixed-point` only). Left out: `refuse`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stall: Option<Stall>,
    /// Which unknowns a step has (`geometrically-implicit` only). Left out: `full`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub formulation: Option<FormulationRule>,
    /// What is complementary to the normal impulse (`geometrically-implicit` and `tzitzouris-pang` only). Left out: `signed-distance`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gap: Option<GapRule>,
    /// Friction law and form of the problem (`hart-anitescu` only). Left out: `pyramid`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub form: Option<ContactFormRule>,
    /// Part of the errors of joints and of penetration that a step puts right, 0 to 1 (`hart-anitescu` only). Left out: 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub gamma: Option<f64>,
    /// Gap below which contacts take part in a step, m (`hart-anitescu` only). Left out: those that close within the step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub epsilon: Option<f64>,
    /// Most rounds of a step in which violated contacts are added (not for `anitescu-potra`, whose steps have one). Left out: 50.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_rounds: Option<NonZeroUsize>,
    /// Whether positions are projected onto joints and contacts after a step, velocities unchanged (`hart-anitescu` only). Left
    /// out: `none`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub projection: Option<ProjectionRule>,
    /// What restitution multiplies (not for `anitescu-potra`, which has Moreau's law). Left out: `newton`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub impact: Option<ImpactRule>,
    /// Approaches slower than this times the speed that forces add in a step (g h) are inelastic. Left out: 1, and 2 for
    /// `geometrically-implicit` and `tzitzouris-pang`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub rest_speed: Option<f64>,
    /// How orientations advance in space. Left out: `printed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotation: Option<RotationRule>,
    /// How the gyroscopic torque enters a step in space. Left out: `midpoint`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gyroscopic: Option<GyroscopicRule>,
    /// Where a contact impulse acts while the gap is not 0. Left out: `witness`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contact_point: Option<ContactPointRule>,
}

/// `t_end` is another name of `until`, which the derived schema cannot know.
fn add_t_end(schema: &mut Schema) {
    let properties = schema.get_mut("properties").and_then(|p| p.as_object_mut());
    if let Some(properties) = properties
        && let Some(until) = properties.get("until").cloned()
    {
        properties.insert("t_end".to_owned(), until);
    }
}

/// A time-stepping scheme.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Scheme {
    /// Stewart and Trinkle (2000): gaps at the end of the step are not negative.
    #[default]
    StewartTrinkle,
    /// Anitescu and Potra (1997): touching contacts do not approach; always solvable without restitution.
    AnitescuPotra,
    /// Hart and Anitescu (2003), and Anitescu (2003) for restitution: joints and contacts that do not drift, one problem per
    /// step.
    HartAnitescu,
    /// Chakraborty, Berard, Akella and Trinkle (2007): geometry of the end of the step, friction with torsion, restitution.
    GeometricallyImplicit,
    /// Tzitzouris and Pang: geometry of the end of the step, for balls, discs and half-spaces only, whose gaps have closed forms.
    TzitzourisPang,
}

impl Scheme {
    /// Every scheme, in the order of their names.
    pub const ALL: &'static [Self] = &[
        Self::AnitescuPotra,
        Self::GeometricallyImplicit,
        Self::HartAnitescu,
        Self::StewartTrinkle,
        Self::TzitzourisPang,
    ];

    /// The scheme's name in files and on the command line.
    ///
    /// # Examples
    /// ```
    /// use signorini_scene::Scheme;
    /// assert_eq!(Scheme::StewartTrinkle.name(), "stewart-trinkle");
    /// assert_eq!("anitescu_potra".parse(), Ok(Scheme::AnitescuPotra));
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Self::StewartTrinkle => "stewart-trinkle",
            Self::AnitescuPotra => "anitescu-potra",
            Self::GeometricallyImplicit => "geometrically-implicit",
            Self::HartAnitescu => "hart-anitescu",
            Self::TzitzourisPang => "tzitzouris-pang",
        }
    }
}

impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that no scheme has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "no time-stepping scheme is called `{found}`; there are: {}",
    scheme_names()
)]
pub struct UnknownScheme {
    /// The name that was asked for.
    pub found: String,
}

fn scheme_names() -> String {
    let names: Vec<&str> = Scheme::ALL.iter().map(|scheme| scheme.name()).collect();
    names.join(", ")
}

impl FromStr for Scheme {
    type Err = UnknownScheme;

    /// Takes the name with hyphens or with underscores.
    fn from_str(text: &str) -> Result<Self, UnknownScheme> {
        let name = text.replace('_', "-");
        Self::ALL
            .iter()
            .copied()
            .find(|scheme| scheme.name() == name)
            .ok_or_else(|| UnknownScheme {
                found: text.to_owned(),
            })
    }
}

/// Where a step takes its geometry, masses and forces from.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Evaluation {
    /// At q, where the step begins.
    Current,
    /// At q + h v, as printed in the paper.
    #[default]
    Predicted,
    /// At the end of the step, found by fixed-point passes.
    FixedPoint,
}

/// Which unknowns a step of `geometrically-implicit` has.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum FormulationRule {
    /// Velocities, closest points, impulses and sliding speeds, as in the paper.
    #[default]
    Full,
    /// Closest points are computed and no unknowns.
    Condensed,
}

/// What is complementary to the normal impulse in `geometrically-implicit` and `tzitzouris-pang`.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum GapRule {
    /// The distance, negative in overlap.
    #[default]
    SignedDistance,
    /// The first body's surface function at the other's point, as printed in the paper.
    Surface,
}

/// Friction law and form of the problem in `hart-anitescu`.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum ContactFormRule {
    /// Coulomb's law with a pyramid, as in the paper.
    #[default]
    Pyramid,
    /// Coulomb's law with the round cone.
    Cone,
    /// The convex relaxation with the round cone: sliding contacts part a little.
    Relaxed,
    /// The convex relaxation with a pyramid, as in the paper.
    RelaxedPyramid,
}

/// Whether positions are projected onto joints and contacts after a step of `hart-anitescu`.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum ProjectionRule {
    /// They are not.
    #[default]
    None,
    /// Once: what is off falls to its square.
    Once,
    /// Until nothing is off by more than rounding.
    Exact,
}

/// What restitution multiplies.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum ImpactRule {
    /// The speed of the approach. Can gain energy where friction or several contacts take part.
    #[default]
    Newton,
    /// The impulse of the compression; with pyramids, and in `geometrically-implicit` and `tzitzouris-pang`. Gains no energy.
    Poisson,
    /// The speed of the approach, in the step in which the contact would close (not for `geometrically-implicit` and
    /// `tzitzouris-pang`). Gains no energy.
    Moreau,
}

/// What to do when the fixed point of a step does not settle.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Stall {
    /// The step fails.
    #[default]
    Refuse,
    /// The last pass is taken; the report counts such steps.
    Accept,
}

/// How orientations advance in space.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum RotationRule {
    /// q + h G v, normalised.
    #[default]
    Printed,
    /// The exponential map of h ω.
    LieGroup,
}

/// How the gyroscopic torque enters a step in space.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum GyroscopicRule {
    /// At the start of the step, as printed in the paper; feeds in energy.
    Explicit,
    /// At the middle of the step: without torque energy and length of the angular momentum stay.
    #[default]
    Midpoint,
    /// With the angular momentum at the end of the step: without torque energy and angular momentum stay. `rotation` then
    /// counts for bodies with equal moments of inertia only.
    Momentum,
}

/// Where a contact impulse acts while the gap is not 0.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum ContactPointRule {
    /// On each body its own closest point, as in the papers.
    #[default]
    Witness,
    /// On both bodies the point half way between: angular momentum is conserved.
    Midpoint,
}
