//! Projection of positions onto joints and contacts after a step: post-stabilisation.
//!
//! ```math
//! \min \tfrac12 \delta^T M \delta, \qquad J_\nu \delta + \Theta(q) = 0, \qquad n_j^T \delta + \Phi_j(q) \ge 0, \qquad q \leftarrow q + G \delta
//! ```
//!
//! # Method
//! One pass is the problem of a step without friction and forces: displacements are velocities for a time of 1 s, impulses their
//! multipliers. Passes follow each other, each linearised anew where the last one has led, as Newton's method. Velocities stay
//! as they are. Contacts are those of the step and all that a pass finds or makes violated.
//!
//! # References
//! - M. B. Cline, D. K. Pai, Post-stabilization for rigid body simulation with contact and constraints, ICRA 2003,
//!   doi:10.1109/ROBOT.2003.1242171: one pass.
//! - M. Anitescu, F. A. Potra, A time-stepping method for stiff multibody dynamics with contact and friction, Int. J. Numer.
//!   Methods Eng. 55, 2002, doi:10.1002/nme.512: projection until nothing is off.

use signorini_complementarity::{BlockRows, FIXED, FrictionLaw, LemkeSettings, Observer};
use signorini_dynamics::{
    ContactId, ContactQuery, Contacts, EffortRows, Joints, Rotation, State, System,
};

use crate::{
    assemble::{Linearization, LinearizedContacts},
    pyramid::PyramidSolver,
    step::{contacts_at_end, end_time},
    stepper::StepError,
};

/// What follows a step: whether positions are projected onto joints and contacts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Projection {
    /// Nothing.
    #[default]
    None,
    /// One pass: what is off falls to its square.
    Once,
    /// Passes until nothing is off by more than rounding, 1e-12 of lengths; a step for which ten do not do fails.
    Exact,
}

/// Passes of [`Projection::Exact`]: three do from errors of a tenth.
const PASSES: usize = 10;

/// Part of the system's length, or of the largest coordinate, up to which nothing is off.
const ROUNDING: f64 = 1e-12;

/// The same that passes aim at: rows of closed loops contradict each other by rounding, and then end between the two.
const AIM: f64 = 1e-13;

/// Projects positions; buffers only.
#[derive(Debug)]
pub(crate) struct Projector {
    linearized: LinearizedContacts,
    near: Contacts,
    solver: PyramidSolver,
}

/// What the projection of a step took.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Projected {
    pub(crate) passes: usize,
    pub(crate) pivots: usize,
    /// Largest residual of its problems.
    pub(crate) residual: f64,
}

/// How a step ends, before its projection.
#[derive(Clone, Copy)]
pub(crate) struct End<'a> {
    /// Where the step began.
    pub(crate) state: &'a State,
    pub(crate) h: f64,
    /// Contacts that took part, sorted.
    pub(crate) ids: &'a [ContactId],
    pub(crate) rotation: Rotation,
}

impl Projector {
    pub(crate) fn new(scheme: &'static str) -> Self {
        let settings = LemkeSettings::default();
        let tolerance = settings.tolerance;
        Self {
            linearized: LinearizedContacts::default(),
            near: Contacts::default(),
            solver: PyramidSolver::new(scheme, 4, settings, tolerance).with_newton_first(),
        }
    }

    /// Moves q onto joints and contacts.
    pub(crate) fn project(
        &mut self,
        system: &dyn System,
        end: End<'_>,
        (rule, q): (Projection, &mut Vec<f64>),
        observer: &mut dyn Observer,
    ) -> Result<Projected, StepError> {
        let mut done = Projected::default();
        let limit = match rule {
            Projection::None => return Ok(done),
            Projection::Once => 1,
            Projection::Exact => PASSES,
        };
        let (t, still) = (end_time(end.state.t, end.h), vec![0.0; system.nv()]);
        let mut ids = end.ids.to_vec();
        loop {
            let off = self.linearize(system, end, (t, q), &mut ids)?;
            let extent = extent(system, q);
            let may_stay = rule == Projection::Once || off <= ROUNDING * extent;
            if off <= AIM * extent || done.passes == limit && may_stay {
                return Ok(done);
            }
            let stuck = StepError::Projection {
                t: end.state.t,
                passes: done.passes,
                off,
            };
            if done.passes == limit {
                return Err(stuck);
            }
            let state = State {
                t,
                q: q.clone(),
                v: still.clone(),
                memory: Vec::new(),
            };
            let at = Linearization {
                q: &state.q,
                state: &state,
                h: 1.0,
                free: Some(&still),
            };
            let law = FrictionLaw::Coulomb;
            let solved = self
                .solver
                .solve(system, at, &self.linearized, law, observer);
            let solved = match solved {
                Err(error) if error.is_unsolved() && off <= ROUNDING * extent => return Ok(done),
                // Bodies that have no place beside each other are not put anywhere.
                Err(error) if error.is_unsolved() => return Err(stuck),
                other => other?,
            };
            system.retract(&state.q, &solved.v, 1.0, end.rotation, q);
            done.passes += 1;
            done.pivots += solved.pivots;
            done.residual = done.residual.max(solved.residual);
        }
    }

    /// Joints and contacts at q, and the most that one of them is off, m; contacts that are violated are added to `ids`.
    fn linearize(
        &mut self,
        system: &dyn System,
        end: End<'_>,
        (t, q): (f64, &[f64]),
        ids: &mut Vec<ContactId>,
    ) -> Result<f64, StepError> {
        let query = ContactQuery {
            margin: 0.0,
            include: ids,
        };
        contacts_at_end(system, end.state, q, &query, &mut self.near)?;
        ids.extend_from_slice(&self.near.id);
        ids.sort_unstable();
        ids.dedup();
        let linearized = &mut self.linearized;
        linearized.reset(system);
        for k in 0..self.near.len() {
            linearized.push(&self.near, k, self.near.gap[k]);
        }
        linearized.contacts.friction.fill(0.0);
        linearized.contacts.drift.fill(0.0);
        system
            .joint_rows(t, end.h, q, &mut linearized.joints)
            .map_err(|source| StepError::Joint { source })?;
        let joints = &mut linearized.joints;
        yield_a_little(system, q, joints);
        linearized
            .effort_bias
            .extend_from_slice(&joints.equations.value);
        linearized
            .limit_bias
            .extend_from_slice(&joints.limits.value);
        let length = system.scale().length;
        let way = |rows: &BlockRows, k: usize, off: f64| {
            off / moves(rows, k, (system.dimension(), length)).max(f64::MIN_POSITIVE)
        };
        let equations = joints.equations.value.iter().enumerate();
        let equations = equations.map(|(k, value)| way(&joints.efforts.rows, k, value.abs()));
        let limits = joints.limits.value.iter().enumerate();
        let limits = limits.map(|(k, value)| way(&joints.limits.rows, k, -value));
        let gaps = linearized.bias.iter().map(|gap| -gap);
        Ok(equations.chain(limits).chain(gaps).fold(0.0, f64::max))
    }
}

/// Part of what a row is off that one pass leaves.
const LEFT: f64 = 1e-9;

/// Makes the equations rows that give way by [`LEFT`]: rows of closed loops that contradict each other in the second order, or by
/// rounding, then have an answer, the impulse between them, which moves nothing.
fn yield_a_little(system: &dyn System, q: &[f64], joints: &mut Joints) {
    let (mut mass, dofs) = (Vec::new(), system.dofs());
    system.mass_blocks(q, &mut mass);
    let Joints {
        equations, efforts, ..
    } = joints;
    let count = equations.len();
    *efforts = EffortRows::default();
    efforts.id.clone_from(&equations.id);
    efforts.bound.resize(count, f64::INFINITY);
    std::mem::swap(&mut efforts.rows, &mut equations.rows);
    equations.rows.reset(1, dofs);
    let rows = &efforts.rows;
    efforts.compliance.extend((0..count).map(|k| {
        let sides = (0..2).filter(|&side| rows.cols()[k][side] != FIXED);
        let sides = sides.map(|side| {
            let start = rows.cols()[k][side] as usize * dofs * dofs;
            let diagonal = mass[start..][..dofs * dofs].iter().step_by(dofs + 1);
            let row = &rows.block(k, side)[..dofs];
            row.iter()
                .zip(diagonal)
                .map(|(x, m)| x * x / m)
                .sum::<f64>()
        });
        LEFT * sides.sum::<f64>()
    }));
}

/// How much a row changes as a body moves by 1 m or turns by 1 m over the length of the system.
fn moves(rows: &BlockRows, k: usize, (d, length): (usize, f64)) -> f64 {
    let norm = |row: &[f64]| row.iter().map(|x| x * x).sum::<f64>().sqrt();
    let sides = (0..2).filter(|&side| rows.cols()[k][side] != FIXED);
    let sides = sides.map(|side| {
        let row = &rows.block(k, side)[..rows.dofs()];
        norm(&row[..d]) + norm(&row[d..]) / length
    });
    sides.fold(0.0, f64::max)
}

/// The length of the system, or its largest coordinate.
fn extent(system: &dyn System, q: &[f64]) -> f64 {
    let bodies = (system.nv() / system.dofs().max(1)).max(1);
    let places = q.chunks_exact((q.len() / bodies).max(1));
    let coordinates = places.flat_map(|q| &q[..system.dimension().min(q.len())]);
    let far = coordinates.fold(0.0, |m: f64, x| m.max(x.abs()));
    far.max(system.scale().length)
}
