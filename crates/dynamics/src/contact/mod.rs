//! Contacts between bodies: identity, gap, frame and rows.
//!
//! ```math
//! g = n^T (x_B - x_A), \qquad u = J v = \begin{pmatrix} n & t_1 & t_2 \end{pmatrix}^T (\dot x_B - \dot x_A)
//! ```

pub(crate) mod detect;
mod flush;
mod frame;
mod material;
mod narrow;
mod seams;
mod way;

use signorini_complementarity::BlockRows;
use signorini_geometry::{BroadPhaseError, ClosestError};

pub(crate) use narrow::has_seams;
pub(crate) use seams::{Touch, Touching};

pub use material::{ContactMaterial, MaterialError};

/// Identity of a contact that persists across steps: two bodies, a piece of each and a feature of the pair of pieces.
///
/// Body indices count all bodies of a world in the order they were added, a < b; the normal points from a to b.
///
/// # Examples
/// ```
/// use signorini_dynamics::ContactId;
/// let id = ContactId { a: 0, b: 2, pieces: [0; 2], feature: 1 };
/// assert!(id < ContactId { a: 1, feature: 0, ..id });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
pub struct ContactId {
    /// Index of the first body.
    pub a: u32,
    /// Index of the second body, larger than `a`.
    pub b: u32,
    /// Pieces of the two bodies, 0 for a convex one and in files that do not have them.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "ContactId::are_whole")
    )]
    pub pieces: [u32; 2],
    /// Number of the feature, as the geometry of the pair of pieces counts them.
    pub feature: u32,
}

#[cfg(feature = "serde")]
impl ContactId {
    /// Whether the first piece of both bodies is meant, which is not written.
    #[expect(
        clippy::trivially_copy_pass_by_ref,
        reason = "what serde calls has this signature"
    )]
    fn are_whole(pieces: &[u32; 2]) -> bool {
        *pieces == [0; 2]
    }
}

/// Which contacts to report.
///
/// | name      | unit | meaning                                                              |
/// | --------- | ---- | -------------------------------------------------------------------- |
/// | `margin`  | m    | report every contact with gap ≤ `margin`                             |
/// | `include` | –    | report these too whatever their gap; sorted                          |
///
/// A listed contact is left out only if the geometry no longer has its feature, or if its bodies never touch: groups and
/// exclusions hold for it too.
/// A margin of ∞ reports every contact, −∞ only the listed ones, and all of them. With any other margin flush faces of several
/// pieces are one face: of the contacts of two bodies in one plane (fixed bodies without belts and with the same material are
/// one), listed or not, those are left out that are inside of the hull of the others and no deeper. They ask for nothing that
/// the others do not ask for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactQuery<'a> {
    /// Largest gap reported, m.
    pub margin: f64,
    /// Contacts reported whatever their gap, sorted by id.
    pub include: &'a [ContactId],
}

/// The other end of a step of which contacts are asked for at one end: with both it is known on which side bodies pass each
/// other.
///
/// ```math
/// \max_n \; s_n(q^{+}) \ge 0, \qquad s_n(q) = \min_{x \in B} n^T x - \max_{x \in A} n^T x
/// ```
///
/// Two convex bodies are apart if *one* direction separates them, so that a row is right only for the direction that
/// separates to the end of the step, and a body gets from one side of a corner to the other without touching only along a
/// direction that separates at both ends: s is concave along a translation.
///
/// | q is        | other       | where the rows of a pair have the normal of the other end                                |
/// | ----------- | ----------- | ---------------------------------------------------------------------------------------- |
/// | the start   | `End`       | it separates at q, while that of q stops the pair: the bodies pass beside a corner       |
/// | the end     | `Start`     | that of q did not separate then: the bodies got in by another face than is nearest now   |
///
/// Such contacts have the features of the other end, at the points of the bodies that face each other there.
///
/// # Examples
/// ```
/// use signorini_dynamics::OtherEnd;
/// let q = [0.0, 1.0, 0.0];
/// assert_ne!(OtherEnd::Start(&q), OtherEnd::End(&q));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OtherEnd<'a> {
    /// Contacts are asked for at an end of the step, which began at this configuration.
    Start(&'a [f64]),
    /// Contacts are asked for at the start, and without them the bodies would get to this configuration.
    End(&'a [f64]),
}

impl<'a> OtherEnd<'a> {
    /// The configuration.
    pub fn q(self) -> &'a [f64] {
        match self {
            Self::Start(q) | Self::End(q) => q,
        }
    }
}

/// Contacts found at a configuration, sorted by id: row blocks, coefficients and places.
///
/// | name          | shape        | unit | meaning                                                          |
/// | ------------- | ------------ | ---- | ---------------------------------------------------------------- |
/// | `id`          | (n_c,)       | –    | identities, increasing                                           |
/// | `gap`         | (n_c,)       | m    | signed distance, positive when apart                             |
/// | `rows`        | n_c blocks   | –    | u = J v: velocity of B minus A along normal and tangents         |
/// | `drift`       | (n_c, D)     | m/s  | of belts: the surfaces slide with u + drift; normal component 0  |
/// | `friction`    | (n_c,)       | –    | Coulomb coefficient μ                                            |
/// | `restitution` | (n_c,)       | –    | restitution coefficient e                                        |
/// | `tangential_restitution` | (n_c,) | – | tangential restitution coefficient e_T                      |
/// | `ellipsoid`   | (n_c, 3)     | –, –, m | half axes of friction, see [`ContactMaterial`]                |
/// | `rolling`     | (n_c,)       | m    | coefficient of rolling friction μ_r                              |
/// | `point`       | (n_c, D)     | m    | half way between the two closest points, world axes              |
/// | `acting`      | (n_c, 2, D)  | m    | where the impulse acts on A and on B, see [`ContactPoint`](crate::ContactPoint); a fixed body has that of the other |
/// | `normal`      | (n_c, D)     | –    | unit, from A into B, world axes                                  |
/// | `tangent`     | (n_c, D−1, D)| –    | unit tangents, orthogonal to each other and to the normal        |
/// | `uncounted`   |              | m    | gap of the pieces deepest in each other of which no contact counts, as deep inside of a union; 0 without |
#[derive(Clone, Debug, Default)]
pub struct Contacts {
    /// Identities, increasing.
    pub id: Vec<ContactId>,
    /// Signed distances, m.
    pub gap: Vec<f64>,
    /// Row blocks: D rows per contact, normal first; the columns are those of the moving bodies.
    pub rows: BlockRows,
    /// Velocities of belts in the contact frames, B less A, D components each, m/s.
    pub drift: Vec<f64>,
    /// Coulomb coefficients.
    pub friction: Vec<f64>,
    /// Restitution coefficients.
    pub restitution: Vec<f64>,
    /// Tangential restitution coefficients.
    pub tangential_restitution: Vec<f64>,
    /// Half axes of the friction ellipsoids.
    pub ellipsoid: Vec<[f64; 3]>,
    /// Coefficients of rolling friction, m.
    pub rolling: Vec<f64>,
    /// Contact points, D coordinates each, m.
    pub point: Vec<f64>,
    /// Where the impulses act on A and on B, two points of D coordinates each, m.
    pub acting: Vec<f64>,
    /// Normals, D components each.
    pub normal: Vec<f64>,
    /// Tangents, D − 1 vectors of D components each.
    pub tangent: Vec<f64>,
    /// Gap of the pieces that are deepest in each other without a contact that counts, m: 0 if there are none.
    pub uncounted: f64,
    scratch: detect::Scratch,
}

/// Buffers do not count.
impl PartialEq for Contacts {
    fn eq(&self, other: &Self) -> bool {
        fn numbers(c: &Contacts) -> [&Vec<f64>; 10] {
            [
                &c.gap,
                &c.drift,
                &c.friction,
                &c.restitution,
                &c.tangential_restitution,
                &c.rolling,
                &c.point,
                &c.acting,
                &c.normal,
                &c.tangent,
            ]
        }
        self.id == other.id
            && self.rows == other.rows
            && self.ellipsoid == other.ellipsoid
            && self.uncounted == other.uncounted
            && numbers(self) == numbers(other)
    }
}

impl Contacts {
    /// Number of contacts.
    pub fn len(&self) -> usize {
        self.id.len()
    }

    /// Whether there are no contacts.
    pub fn is_empty(&self) -> bool {
        self.id.is_empty()
    }

    /// Removes all contacts and sets the block sizes; keeps the memory.
    pub fn reset(&mut self, dimension: usize, dofs: usize) {
        self.rows.reset(dimension, dofs);
        self.id.clear();
        self.ellipsoid.clear();
        self.uncounted = 0.0;
        for values in [
            &mut self.gap,
            &mut self.drift,
            &mut self.friction,
            &mut self.restitution,
            &mut self.tangential_restitution,
            &mut self.rolling,
            &mut self.point,
            &mut self.acting,
            &mut self.normal,
            &mut self.tangent,
        ] {
            values.clear();
        }
    }

    /// Index of a contact, found by bisection.
    pub fn position(&self, id: ContactId) -> Option<usize> {
        self.id.binary_search(&id).ok()
    }

    /// The same, at once if the contact stands at `start` or little behind it, as where ids are asked for in their order.
    pub fn position_from(&self, id: ContactId, start: usize) -> Option<usize> {
        let mut ahead = self.id.iter().enumerate().skip(start).take(AHEAD);
        match ahead.find(|(_, other)| **other >= id) {
            Some((place, other)) if *other == id => Some(place),
            _ => self.position(id),
        }
    }
}

/// Places that are looked at before a bisection.
const AHEAD: usize = 4;

/// Why contacts could not be computed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ContactError {
    /// A coordinate of a body is not finite.
    #[error("coordinate {index} of body `{body}` is {value}")]
    NonFinite {
        /// Name of the body.
        body: String,
        /// Index inside the block of the body.
        index: usize,
        /// The value found.
        value: f64,
    },
    /// A body has no box, or too many boxes overlap.
    #[error("contacts{} cannot be looked for: {source}", of_body(body.as_deref()))]
    BroadPhase {
        /// Name of the body, if it is about one.
        body: Option<String>,
        /// What the geometry says.
        source: BroadPhaseError,
    },
    /// The closest points of a pair were not found.
    #[error("no contact between `{a}` and `{b}`: {source}")]
    Geometry {
        /// Name of the first body.
        a: String,
        /// Name of the second body.
        b: String,
        /// What the geometry says.
        source: ClosestError,
    },
}

fn of_body(name: Option<&str>) -> String {
    name.map_or_else(String::new, |name| format!(" of body `{name}`"))
}
