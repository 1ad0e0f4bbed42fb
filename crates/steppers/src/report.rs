//! What a step tells about itself.

use arrayvec::ArrayVec;
use signorini_dynamics::{ContactId, Energy, JointRow};

/// Components of a vector in two or three dimensions, or of the tangents of a contact, in place: a step has thousands of them.
pub type Components<const N: usize = 3> = ArrayVec<f64, N>;

/// What a contact does during a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Mode {
    /// No impulse.
    Open,
    /// Impulse, and no sliding at the end of the step.
    Stick,
    /// Impulse, and sliding at the end of the step.
    Slip,
}

/// What an impact does at a contact during a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Impact {
    /// There is none.
    #[default]
    None,
    /// What approached is absorbed: the velocity at the end of the step is neither that before the impact nor that after it.
    Compression,
    /// What was compressed in the step before parts.
    Rebound,
}

/// One contact of a step.
///
/// | name      | shape | unit | meaning                                                              |
/// | --------- | ----- | ---- | -------------------------------------------------------------------- |
/// | `gap`     | –     | m    | signed distance at the end of the step, positive when apart          |
/// | `impulse` | (D,)  | N s  | on body b in the contact frame: normal, then tangents; −that on a    |
/// | `torsion` | –     | N m s | of friction about the normal, on body b; 0 without torsion          |
/// | `rolling` | (D−1,) or none | N m s | rolling moments on body b about the tangents, in the plane about its normal; none without rolling friction |
/// | `normal`  | (D,)  | –    | unit, from body a into body b, where the step was linearised         |
/// | `tangent` | (D−1, D) | – | unit tangents of the contact frame, one after the other              |
/// | `point`   | (D,)  | m    | where the impulse acts on body b, in world axes, as the step was linearised |
/// | `point_a` | (D,)  | m    | where its opposite acts on body a                                    |
/// | `approach` | –    | m/s  | normal velocity that a compression has absorbed and restitution counts from, ≤ 0; else 0 |
/// | `stored` | – | J | work that a compression has taken here, which the rebound in the next step may give back; else 0 |
/// | `slip`   | (D,) or none | m/s | tangential velocity that tangential restitution counts from in the next step, world axes |
///
/// A scheme that does not linearise has normal, tangents and points at the end of the step. Arms are measured from where the
/// bodies are in the same place of the step: sums of `impulse`, of moments about the centres of mass, of `torsion` and of
/// `rolling` over the contacts are what the step's equations change momenta by. The two points are one where
/// [`ContactPoint::Midpoint`](signorini_dynamics::ContactPoint) is chosen, where the gap was closed there, and where one body
/// is fixed or driven, which has the point of the other; else they lie a gap apart along the normal.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct ContactReport {
    /// The pair and the feature.
    pub id: ContactId,
    /// Signed distance at the end of the step, m.
    pub gap: f64,
    /// Impulse on body b in the contact frame, N s.
    pub impulse: Components,
    /// Impulse of friction about the normal, on body b, N m s.
    #[cfg_attr(feature = "serde", serde(default))]
    pub torsion: f64,
    /// Rolling moments on body b about the tangents, in the plane about its normal, N m s; empty without rolling friction.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Components::is_empty")
    )]
    pub rolling: Components<2>,
    /// Unit normal from a into b.
    pub normal: Components,
    /// Unit tangents of the contact frame, D − 1 vectors of D components.
    pub tangent: Components<6>,
    /// Where the impulse acts on body b, world axes, m.
    pub point: Components,
    /// Where its opposite acts on body a, world axes, m.
    #[cfg_attr(feature = "serde", serde(default))]
    pub point_a: Components,
    /// Open, stick or slip.
    pub mode: Mode,
    /// Whether it absorbs an impact, or parts after one.
    #[cfg_attr(feature = "serde", serde(default))]
    pub impact: Impact,
    /// Approach velocity that restitution counts from in the next step, m/s.
    #[cfg_attr(feature = "serde", serde(default))]
    pub approach: f64,
    /// Work that the compression has taken, ≥ 0, against what drives bodies and belts, and together with that of the others
    /// no more than the energy that the contacts of touching bodies have taken, J.
    #[cfg_attr(feature = "serde", serde(default))]
    pub stored: f64,
    /// Tangential velocity that tangential restitution counts from in the next step, world axes, m/s; else empty.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Vec::is_empty")
    )]
    pub slip: Vec<f64>,
}

/// What a row of a joint is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum JointRowKind {
    /// Something that is held to zero.
    Equation,
    /// Something that is held above zero.
    Limit,
    /// A spring, a damper, a motor or dry friction.
    Effort,
}

/// One row of a joint in a step.
///
/// | name      | unit          | meaning                                                         |
/// | --------- | ------------- | --------------------------------------------------------------- |
/// | `value`   | m, rad or 1   | what it holds to zero, or a limit above zero, at the end of the step; of an effort the way of its spring |
/// | `impulse` | N s or N m s  | that holds it, along the rate of the value                      |
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct JointReport {
    /// Joint and row.
    pub id: JointRow,
    /// Equation, limit or effort.
    pub kind: JointRowKind,
    /// What is off, or how far the limit is, at the end of the step.
    pub value: f64,
    /// Impulse of the row.
    pub impulse: f64,
}

/// One step, as the scheme saw it.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct StepReport {
    /// Time at the end of the step, s.
    pub t: f64,
    /// Time step, s.
    pub h: f64,
    /// Contacts of the last complementarity problem of the step, sorted by id.
    pub contacts: Vec<ContactReport>,
    /// Rows of joints: equations, then efforts, then limits, each sorted by id.
    #[cfg_attr(feature = "serde", serde(default))]
    pub joints: Vec<JointReport>,
    /// Rank of the equations of the joints: their number, less those of closed loops that others imply. The geometrically
    /// implicit scheme spreads impulses over all of them so that their squares are least. None without equations.
    #[cfg_attr(feature = "serde", serde(default))]
    pub joint_rank: Option<usize>,
    /// Number of unknowns of the last complementarity problem.
    pub lcp_size: usize,
    /// Pivots over all problems of the step; iterations of Newton's method where problems are not linear.
    pub pivots: usize,
    /// Complementarity problems solved until no contact was violated.
    pub rounds: usize,
    /// Passes of the fixed point over the geometry; 1 for a linearised scheme, and 1 more for each pass of its projection.
    pub passes: usize,
    /// Whether the fixed point stopped moving, and what penetrates was put right.
    pub converged: bool,
    /// Scaled residual of the last problem, recomputed from its data; of a projection too, if it has a larger one.
    pub residual: f64,
    /// Smallest gap at the end of the step over the contacts of the step and all pairs in overlap, m; none if there
    /// are no such contacts.
    pub worst_gap: Option<f64>,
    /// Approaches slower than this were inelastic in this step, m/s.
    #[cfg_attr(feature = "serde", serde(default))]
    pub rest_speed: f64,
    /// Largest part by which coefficients of restitution were lowered for an impact under the law of Poisson or Moreau, which
    /// would else have gained energy: 0 where all had all of theirs, 1 where one had nothing. Also 1 where the step had no solution
    /// with its rebounds, under any law.
    #[cfg_attr(feature = "serde", serde(default))]
    pub restitution_cut: f64,
    /// Work of the contact impulses on the bodies, J: ½ pᵀ J (v⁺ + v_free), v_free the velocity without impulses. Negative
    /// where impacts and friction take energy; belts and driven bodies, penetration that is put right and Newton's law of
    /// impact with friction can make it positive.
    #[cfg_attr(feature = "serde", serde(default))]
    pub contact_energy: f64,
    /// Energy at the start of the step.
    pub energy_before: Energy,
    /// Energy at the end of the step.
    pub energy_after: Energy,
}

impl StepReport {
    /// Largest |Θ| of the equations of the joints at the end of the step; none without joints.
    pub fn joint_error(&self) -> Option<f64> {
        let is_equation = |joint: &&JointReport| joint.kind == JointRowKind::Equation;
        let equations = self.joints.iter().filter(is_equation);
        equations
            .map(|joint| joint.value.abs())
            .max_by(f64::total_cmp)
    }

    /// Whether an impact is absorbed in this step: velocities and energies at its end are those of no moment before or after
    /// the impact.
    pub fn is_compression(&self) -> bool {
        self.contacts
            .iter()
            .any(|contact| contact.impact == Impact::Compression)
    }

    /// Whether a rebound in the next step gives back what a compression has taken in this one.
    pub fn will_rebound(&self) -> bool {
        let stores = |contact: &ContactReport| contact.approach < 0.0 || !contact.slip.is_empty();
        self.contacts.iter().any(stores)
    }

    /// The contact with this id, if it took part in the step.
    pub fn contact(&self, id: ContactId) -> Option<&ContactReport> {
        self.contacts
            .binary_search_by_key(&id, |c| c.id)
            .ok()
            .map(|k| &self.contacts[k])
    }
}
