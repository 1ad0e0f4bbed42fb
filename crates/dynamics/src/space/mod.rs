//! What differs between the plane and space: coordinates, rotations, lever arms, inertia.
//!
//! Everything is on slices, so that [`crate::World`] holds one table of functions and no dimension-dependent type.

mod free_turn;
mod planar;
mod spatial;

use std::fmt::Debug;

use nalgebra::{Matrix3, SVector};

use crate::system::Rotation;

pub(crate) use {planar::Planar, spatial::Spatial};

/// Velocity components of a body in space, the larger of the two numbers.
pub(crate) const MAX_DOFS: usize = 6;

/// How the gyroscopic torque −ω × I ω enters the free velocity of bodies in space.
///
/// In the first two rules the angular velocity of a body in body axes is what the step changes; turning the body about its
/// new angular velocity afterwards leaves these components as they are. For isotropic bodies all rules are the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum Gyroscopic {
    /// I (ω⁺ − ω) = h (τ − ω × I ω): ST2000 (5); feeds in energy of relative order h² |ω|² per step.
    Explicit,
    /// I (ω⁺ − ω) = h (τ − ω̄ × I ω̄), ω̄ = (ω + ω⁺)/2 in body axes: without torque ωᵀ I ω and |I ω| stay to rounding.
    ///
    /// Solved by Newton; where that does not converge (h |ω| of several rad) the step is halved for this body.
    #[default]
    Midpoint,
    /// R⁺ I Ω⁺ = R I Ω + h τ, with R⁺ by the midpoint rule in place of the stepper's [`Rotation`]: the angular momentum of a
    /// body without contacts changes by h τ, without torque that and the energy stay to rounding, second order in h.
    ///
    /// Positions and velocities belong together: the turn over a step is that of the free body that ends with the velocity
    /// ω⁺. Newton finds it for h |ω| of less than about one radian; beyond that the step fails.
    Momentum,
}

/// Mass and inertia about the centre of mass, body axes; in the plane only the moment about z, entry (2, 2), is used.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Rigid {
    pub(crate) mass: f64,
    pub(crate) tensor: Matrix3<f64>,
    pub(crate) inverse: Matrix3<f64>,
    /// The tensor is a multiple of the identity: it does not turn with the body and there is no gyroscopic torque.
    pub(crate) isotropic: bool,
}

/// How one body moves with the velocity of the end of a step.
#[derive(Debug)]
pub(crate) struct Advance<'a> {
    pub(crate) rigid: &'a Rigid,
    pub(crate) h: f64,
    pub(crate) rotation: Rotation,
    pub(crate) gyroscopic: Gyroscopic,
}

impl Advance<'_> {
    /// Whether the body turns by the rule that keeps its momentum.
    fn keeps_momentum(&self) -> bool {
        self.gyroscopic == Gyroscopic::Momentum && !self.rigid.isotropic
    }
}

/// One step of the angular velocity of one body.
#[derive(Debug)]
pub(crate) struct Spin<'a> {
    pub(crate) rigid: &'a Rigid,
    pub(crate) q: &'a [f64],
    /// Angular velocity, world axes.
    pub(crate) omega: &'a [f64],
    /// h τ about the centre of mass, world axes.
    pub(crate) impulse: &'a [f64],
    pub(crate) h: f64,
    pub(crate) rule: Gyroscopic,
}

/// The operations on one body's block of coordinates.
pub(crate) trait Space: Debug + Send + Sync {
    /// Velocity coordinates per body.
    fn dofs(&self) -> usize;

    /// Position coordinates per body.
    fn nq(&self) -> usize;

    /// Coordinates of a body at the origin with body axes along the world's.
    fn origin(&self) -> Vec<f64>;

    /// Rotation matrix, body to world, by rows.
    fn rotation(&self, q: &[f64], out: &mut [f64]);

    /// Position after moving with v.
    fn retract(&self, by: &Advance<'_>, q: &[f64], v: &[f64], out: &mut [f64]);

    /// Appends the block of the derivative of a retraction, by rows: displacement and rotation vector (world axes) of the
    /// body after the step for a change of v.
    fn retract_tangent(&self, by: &Advance<'_>, q: &[f64], v: &[f64], out: &mut Vec<f64>);

    /// Entries (row, column, value) of the body's block of G, structural zeros included.
    fn kinematic_map(&self, q: &[f64], push: &mut dyn FnMut(usize, usize, f64));

    /// Appends the block of M, by rows.
    fn mass_block(&self, rigid: &Rigid, q: &[f64], out: &mut Vec<f64>);

    /// out = ω⁺ = ω + I⁻¹ (h τ − h ω × I ω) by the gyroscopic rule.
    fn spin(&self, step: &Spin<'_>, out: &mut [f64]);

    /// I ω in world axes.
    fn spin_momentum(&self, rigid: &Rigid, q: &[f64], omega: &[f64], out: &mut [f64]);

    /// out += arm × p, the moment of p.
    fn add_moment(&self, arm: &[f64], p: &[f64], out: &mut [f64]);

    /// D − 1 unit tangents of a unit normal.
    fn tangents(&self, normal: &[f64], reference: &[f64; 3], out: &mut [f64]);

    /// Rates of the tangents while the normal turns at the rate `turn`, which is across it.
    fn tangent_rates(&self, normal: &[f64], turn: &[f64], reference: &[f64; 3], out: &mut [f64]);
}

/// Velocity of the point at `arm` from the centre of mass along `direction`, as a row over (v, ω).
pub(crate) fn write_row(space: &dyn Space, direction: &[f64], arm: &[f64], out: &mut [f64]) {
    let (linear, angular) = out.split_at_mut(direction.len());
    linear.copy_from_slice(direction);
    angular.fill(0.0);
    space.add_moment(arm, direction, angular);
}

/// Adds arm × p to the components of a moment, 1 in the plane, 3 in space: [`Space::add_moment`] where D is known.
pub(crate) fn add_moment<const D: usize>(
    arm: &SVector<f64, D>,
    p: &SVector<f64, D>,
    out: &mut [f64],
) {
    if D == 2 {
        out[0] += arm[0] * p[1] - arm[1] * p[0];
    } else {
        out[0] += arm[1] * p[2] - arm[2] * p[1];
        out[1] += arm[2] * p[0] - arm[0] * p[2];
        out[2] += arm[0] * p[1] - arm[1] * p[0];
    }
}

/// The operations for dimension D.
///
/// # Panics
/// At compile time if D is neither 2 nor 3.
pub(crate) fn space<const D: usize>() -> &'static dyn Space {
    const { assert!(D == 2 || D == 3, "a world is planar or spatial") };
    if D == 2 { &Planar } else { &Spatial }
}
