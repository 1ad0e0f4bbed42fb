//! Friction and restitution.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Friction and restitution of a contact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContactRule {
    /// Coulomb's friction coefficient μ ≥ 0.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub friction: f64,
    /// Restitution coefficient e: 0 inelastic, 1 elastic.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub restitution: f64,
    /// Tangential restitution coefficient e_T: part of the sliding before an impact that friction turns back, where the contact
    /// rebounds (the laws `newton` and `moreau` of `hart-anitescu` and `stewart-trinkle`, and `anitescu-potra`). Left out: 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub tangential_restitution: Option<f64>,
    /// Half axes (1, 1, m) of the friction ellipsoid: along the two tangents, and of the torsion about the normal, each ≥ 0
    /// (the linearised schemes take positive ones along tangents only; the plane counts the first). Left out: 1, 1, 0, Coulomb's law.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction_ellipsoid: Option<[f64; 3]>,
    /// Coefficient of rolling friction μ_r ≥ 0, m: a moment of at most μ_r times the normal force, against the relative angular
    /// velocity along the tangents; in the plane about its normal (`hart-anitescu`, `stewart-trinkle`, `anitescu-potra`). Left
    /// out: 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub rolling_friction: Option<f64>,
}

/// Friction and restitution of one pair of bodies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PairRule {
    /// The names of the two bodies, in any order.
    pub bodies: [String; 2],
    /// Friction coefficient of the pair. Left out: that of `contact_default`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub friction: Option<f64>,
    /// Restitution coefficient of the pair. Left out: that of `contact_default`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub restitution: Option<f64>,
    /// Tangential restitution coefficient of the pair. Left out: that of `contact_default`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub tangential_restitution: Option<f64>,
    /// Half axes of the friction ellipsoid of the pair. Left out: those of `contact_default`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction_ellipsoid: Option<[f64; 3]>,
    /// Coefficient of rolling friction of the pair, m. Left out: that of `contact_default`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub rolling_friction: Option<f64>,
}
