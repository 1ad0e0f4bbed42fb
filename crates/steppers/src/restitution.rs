//! Restitution: with which speed a contact parts after an impact, inside of a fixed time step.
//!
//! ```math
//! 0 \le c_j \perp n_j^T v^{+} + \min(\Delta_j, \Lambda_j) \ge 0, \qquad \Lambda_j = e_j\, n_j^T v^{l-1}
//! ```
//!
//! # Method
//! An impact takes two steps, so that its time need not be known. The first is that of the inelastic scheme: what
//! approaches arrives at contact, with the velocity Φ/h and not −e v. This is the compression. If a contact has an impulse
//! then, had none in the step before, and approached faster than the rest speed, its approach velocity is remembered under
//! its id. In the second step it must part with e times that.
//!
//! A2003 asks that the contact is not itself parting, which is not enough: what a compression leaves of the velocities of
//! other contacts, their gap over h, would count as an approach, and a row of balls with gaps of 1 µm gain energy.
//!
//! As printed Λ is added to Δ = γ Φ/h. Contacts of curved bodies are a little apart after the compression, and a sum would
//! take that from the speed; the larger demand of the two holds instead. For flat bodies, Φ = 0, it is the same.
//!
//! # Tangential restitution
//! Under the laws of Newton and Moreau friction is, in the step in which a contact parts, that of
//! ξ_T = u_T⁺ + e_T u_T⁻ instead of u_T⁺, with u_T⁻ the sliding before the impact: it stays on Coulomb's cone, against ξ_T, and where
//! it is within, ξ_T = 0 and the sliding turns back. Poisson's law is one of impulses and has none of it here. Under Newton's law
//! the compression has its friction, as without, and the rebound its own: it can turn back only what friction μ e p_c of the
//! rebound can, Moreau's with friction of both at once.
//!
//! Where all contacts that take an impulse approach, with one e = e_T, Moreau's law gains no energy: p·ξ ≤ 0 and
//! u⁺ + u⁻ = (2 ξ − (1 − e) G p)/(1 + e), so that ½ pᵀ(u⁺ + u⁻) = (p·ξ − ½ (1 − e) pᵀ G p)/(1 + e). For Newton's, whose two
//! steps have a friction each, the same argument holds up to e = 1/√2. Other coefficients, and contacts that part while others
//! approach, can gain energy under both; the report's `contact_energy` then says so under Newton's, and Moreau's has less of e.
//!
//! # References
//! - C. Glocker, Set-Valued Force Laws, 2001; R. I. Leine, N. van de Wouw, Stability and Convergence of Mechanical Systems with
//!   Unilateral Constraints, 2008: ξ = u⁺ + e u⁻ in normal and tangents.
//! - \[A2003\] M. Anitescu, A fixed time-step approach for multibody dynamics with contact and friction, IROS 2003,
//!   doi:10.1109/IROS.2003.1249747: (4.10), (4.11).
//! - \[AP1997\] M. Anitescu, F. A. Potra, Formulating dynamic multi-rigid-body contact problems with friction as solvable
//!   linear complementarity problems, Nonlinear Dynamics 14, 1997: Poisson's law as two problems.
//! - \[M1988\] J. J. Moreau, Unilateral contact and dry friction in finite freedom dynamics, CISM 302, 1988.

use signorini_complementarity::FIXED;
use signorini_dynamics::{ContactId, ContactMemory, Contacts, State, System};

use crate::{
    assemble::{Linearization, LinearizedContacts, Solved, contact_velocity},
    impact_energy::within_energy,
    report::Impact,
    stepper::StepError,
};

/// What the coefficient of restitution multiplies.
///
/// | law           | e multiplies                   | steps of an impact | energy                                          |
/// | ------------- | ------------------------------ | ------------------ | ----------------------------------------------- |
/// | `Newton`      | the approach velocity          | 2                  | may rise with friction, or where e differs      |
/// | `Poisson`     | the impulse of the compression | 2, two problems in the second | does not rise: e is lowered          |
/// | `Moreau`      | the approach velocity          | 1, up to h v away from the surface | does not rise: e is lowered     |
/// | `Uncorrected` | the velocity left after the compression | 2         | wrong: for comparison with A2003, Fig. 1        |
///
/// Impacts that meet in one step are one simultaneous impact: the first of a row of touching balls rebounds.
/// The report says by [`StepReport::contact_energy`](crate::StepReport::contact_energy) what contacts did to the energy.
///
/// Poisson's law gains energy where impacts are passed on in steps that others end in, as in piles, and Moreau's where coefficients
/// differ or friction is another than tangential restitution wants. There all contacts of the bodies that touch each other have
/// the same part of their e, the largest with which rebounds give back no more than compressions took, and
/// [`StepReport::restitution_cut`](crate::StepReport::restitution_cut) says so.
///
/// Gaps between bodies that an impact is to be passed on through are closed without restitution under Moreau's law, which knows
/// the velocities before the step only: a row of balls 1 µm apart keeps less than its energy.
///
/// [`GeometricallyImplicit`](crate::GeometricallyImplicit) has Newton's and Poisson's laws, an impact in one step: under Newton's
/// it knows the velocities before the step only, so that an impact that is passed on through bodies at rest bounces at the first
/// of them. Under Poisson's all pairs with restitution that touch or close in the step take part, also those to which an impact
/// is passed on, e multiplies at least the impulse of the compression, and the energy does not rise: normals turn between the two
/// problems by the order of h, and where kinetic energy would grow by that, e is smaller for this impact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum ImpactLaw {
    /// The contact parts with e times the speed with which it approached: A2003. Has tangential restitution.
    #[default]
    Newton,
    /// The expansion has e times the impulse of the compression; its friction may use that as well. Pyramids only, and
    /// `GeometricallyImplicit`.
    Poisson,
    /// As Newton's, but in the step in which the contact would close. Has tangential restitution.
    Moreau,
    /// e times what the compression has left of the speed: the scheme without the correction of A2003.
    Uncorrected,
}

impl ImpactLaw {
    /// For messages.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Newton => "Newton's law of impact",
            Self::Poisson => "Poisson's law of impact",
            Self::Moreau => "Moreau's law of impact",
            Self::Uncorrected => "the uncorrected law of impact",
        }
    }
}

/// The law at work in a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Impacts<'a> {
    pub(crate) law: ImpactLaw,
    /// Slower approaches are inelastic, m/s.
    pub(crate) rest_speed: f64,
    pub(crate) state: &'a State,
    /// Step, s.
    pub(crate) h: f64,
}

impl<'a> Impacts<'a> {
    /// The law with a rest speed in multiples of the speed that forces give the fastest of the bodies in this step, and beside it
    /// what the rounding of gaps is over the step: a contact that closes so fast is closed.
    pub(crate) fn new(
        system: &dyn System,
        (state, h): (&'a State, f64),
        (law, rest_speed): (ImpactLaw, f64),
    ) -> Self {
        let mut free = vec![0.0; system.nv()];
        system.free_velocity(state.t, &state.q, &state.v, h, &mut free);
        let (dofs, d) = (system.dofs().max(1), system.dimension());
        let mut fall = 0.0_f64;
        for (column, (after, before)) in free
            .chunks_exact(dofs)
            .zip(state.v.chunks_exact(dofs))
            .enumerate()
        {
            if !system.is_driven(column) {
                let gained = after[..d].iter().zip(before).map(|(a, b)| (a - b).powi(2));
                fall = fall.max(gained.sum::<f64>().sqrt());
            }
        }
        Self {
            law,
            rest_speed: rest_speed * fall + ROUNDING * system.scale().length / h,
            state,
            h,
        }
    }

    /// Approach velocity with which a contact was compressed in the step before, ≤ 0.
    fn pending(&self, contacts: &Contacts, k: usize) -> Option<f64> {
        let memory = self.remembered(contacts, k)?;
        (memory.approach < 0.0).then_some(memory.approach)
    }

    /// What is known of contact k from the step before: under its name, or as that of the contact between other pieces of
    /// the same bodies in whose place it stands. That is the nearest one of those that are to part and are there no more, if it
    /// has the same normal and is no further away than its points have come in the step.
    fn remembered(&self, contacts: &Contacts, k: usize) -> Option<&'a ContactMemory> {
        let id = contacts.id[k];
        if let Some(known) = self.state.remembered(id) {
            return Some(known);
        }
        let bodies = |id: &ContactId| (id.a, id.b);
        let first = self
            .state
            .memory
            .partition_point(|m| bodies(&m.id) < bodies(&id));
        let of_bodies = self.state.memory[first..].iter();
        let of_bodies = of_bodies.take_while(|m| bodies(&m.id) == bodies(&id));
        let parting = of_bodies.filter(|m| m.approach < 0.0 && m.id.pieces != id.pieces);
        parting.clone().next()?;
        let d = contacts.rows.rows();
        let (point, normal) = (
            &contacts.point[k * d..][..d],
            &contacts.normal[k * d..][..d],
        );
        let reach = self.h * self.fastest(contacts, k);
        let far = |m: &ContactMemory| distance(&m.place[..d], point);
        let stands_for = |m: &&ContactMemory| {
            m.place.len() == 2 * d
                && distance(&m.place[d..], normal) <= SAME_NORMAL
                && far(m) <= reach - self.h * m.approach
                && contacts.position(m.id).is_none()
        };
        parting
            .filter(stands_for)
            .min_by(|m, n| far(m).total_cmp(&far(n)))
    }

    /// Speed that contact k has on the surfaces at most: of its points and of the bodies, which may roll, m/s.
    fn fastest(&self, contacts: &Contacts, k: usize) -> f64 {
        let (v, d) = (&self.state.v, contacts.rows.rows());
        let slip: f64 = (0..d)
            .map(|row| contact_velocity(contacts, k, v, row).powi(2))
            .sum();
        let dofs = contacts.rows.dofs();
        let moving = contacts.rows.cols()[k]
            .iter()
            .filter(|&&column| column != FIXED);
        let of_bodies = moving.map(|&column| {
            let linear = &v[column as usize * dofs..][..d];
            linear.iter().map(|x| x * x).sum::<f64>().sqrt()
        });
        slip.sqrt() + of_bodies.sum::<f64>()
    }

    /// Ids that must be in the active set: those that part now.
    pub(crate) fn pending_ids(&self) -> impl Iterator<Item = signorini_dynamics::ContactId> {
        let parting = self.state.memory.iter().filter(|m| m.approach < 0.0);
        parting.map(|m| m.id)
    }

    /// Appends contact k with what the law asks of it; `delta` is what the gap asks for.
    pub(crate) fn push(&self, to: &mut LinearizedContacts, from: &Contacts, k: usize, delta: f64) {
        to.push(from, k, self.bias(from, k, delta));
        let e = from.tangential_restitution[k];
        if e == 0.0 || from.friction[k] == 0.0 || self.parts_from(from, k, delta).is_none() {
            return;
        }
        let d = from.rows.rows();
        let start = to.slip.len() - (d - 1);
        let memory = self.remembered(from, k);
        for (row, slip) in to.slip[start..].iter_mut().enumerate() {
            *slip = match (self.law, memory) {
                (ImpactLaw::Newton, Some(memory)) => {
                    let tangent = &from.tangent[(k * (d - 1) + row) * d..][..d];
                    let pairs = memory.slip.iter().zip(tangent);
                    e * pairs.map(|(v, t)| v * t).sum::<f64>()
                }
                (ImpactLaw::Moreau, _) => e * contact_velocity(from, k, &self.state.v, row + 1),
                _ => 0.0,
            };
        }
    }

    /// Sliding velocity of contact k at the start of the step, world axes, if tangential restitution will count from it.
    pub(crate) fn sliding(&self, contacts: &Contacts, k: usize) -> Vec<f64> {
        if contacts.tangential_restitution[k] == 0.0 || contacts.friction[k] == 0.0 {
            return Vec::new();
        }
        let d = contacts.rows.rows();
        let mut slip = vec![0.0; d];
        for row in 1..d {
            let speed = contact_velocity(contacts, k, &self.state.v, row);
            let tangent = &contacts.tangent[(k * (d - 1) + row - 1) * d..][..d];
            slip.iter_mut()
                .zip(tangent)
                .for_each(|(s, t)| *s += speed * t);
        }
        slip
    }

    /// Refuses tangential restitution under a law that has none.
    pub(crate) fn refuse_tangential(
        &self,
        scheme: &'static str,
        system: &dyn System,
        contacts: &Contacts,
    ) -> Result<(), StepError> {
        if matches!(self.law, ImpactLaw::Newton | ImpactLaw::Moreau) {
            return Ok(());
        }
        let mut all = 0..contacts.len();
        match all.find(|&k| contacts.tangential_restitution[k] > 0.0) {
            None => Ok(()),
            Some(k) => Err(StepError::TangentialRestitution {
                scheme,
                law: self.law.name(),
                contact: system.contact_name(contacts.id[k]),
            }),
        }
    }

    /// Normal velocity, ≤ 0, before the impact from which contact k parts in this step.
    fn parts_from(&self, contacts: &Contacts, k: usize, delta: f64) -> Option<f64> {
        if contacts.restitution[k] == 0.0 {
            return None;
        }
        match self.law {
            ImpactLaw::Newton | ImpactLaw::Uncorrected => self.pending(contacts, k),
            ImpactLaw::Poisson => None,
            ImpactLaw::Moreau => {
                let approach = contact_velocity(contacts, k, &self.state.v, 0);
                let closes = delta + approach < 0.0 && approach < -self.rest_speed;
                closes.then_some(approach)
            }
        }
    }

    /// What is added to the normal velocity of contact k in its condition: `delta` without an impact.
    pub(crate) fn bias(&self, contacts: &Contacts, k: usize, delta: f64) -> f64 {
        self.parts_from(contacts, k, delta)
            .map_or(delta, |approach| {
                delta.min(contacts.restitution[k] * approach)
            })
    }

    /// What contact k, as solved, does in this step, and the approach velocity that the next step has to know.
    ///
    /// A contact that has just closed is hit whether it has an impulse or not: rounding decides which of the corners of a
    /// face that comes down flat have some, and all of them must part together.
    pub(crate) fn outcome(
        &self,
        contacts: &Contacts,
        k: usize,
        (normal, v, bias): (f64, &[f64], f64),
    ) -> (Impact, f64) {
        let approach = contact_velocity(contacts, k, &self.state.v, 0);
        let e = contacts.restitution[k];
        if e > 0.0 && self.pending(contacts, k).is_some() {
            return (Impact::Rebound, 0.0);
        }
        // To look a contact up takes as long as the rest of its report.
        let fast = approach < -self.rest_speed && self.remembered(contacts, k).is_none();
        let closes = bias + contact_velocity(contacts, k, v, 0) <= -CLOSED * approach;
        let corrects = matches!(self.law, ImpactLaw::Newton | ImpactLaw::Poisson);
        match self.law {
            _ if !fast => (Impact::None, 0.0),
            _ if normal <= 0.0 && !(corrects && e > 0.0 && closes) => (Impact::None, 0.0),
            ImpactLaw::Moreau if e > 0.0 => (Impact::Rebound, 0.0),
            _ if e == 0.0 => (Impact::Compression, 0.0),
            ImpactLaw::Uncorrected => {
                let left = contact_velocity(contacts, k, v, 0);
                (Impact::Compression, left.min(-f64::MIN_POSITIVE))
            }
            _ => (Impact::Compression, approach),
        }
    }

    /// Whether contact k parts after an impact in this step under a law that must not gain energy.
    pub(crate) fn rebounds(&self, linearized: &LinearizedContacts, k: usize) -> bool {
        let (contacts, e) = (&linearized.contacts, linearized.contacts.restitution[k]);
        match self.law {
            _ if e == 0.0 => false,
            ImpactLaw::Newton | ImpactLaw::Uncorrected => false,
            ImpactLaw::Poisson => self.pending(contacts, k).is_some(),
            ImpactLaw::Moreau => {
                let approach = contact_velocity(contacts, k, &self.state.v, 0);
                approach < -self.rest_speed && linearized.bias[k] <= e * approach
            }
        }
    }

    /// Asks contact k, which rebounds, for a part s of its rebound.
    pub(crate) fn lower(&self, linearized: &mut LinearizedContacts, k: usize, s: f64) {
        linearized.contacts.restitution[k] *= s;
        if self.law == ImpactLaw::Moreau {
            linearized.bias[k] *= s;
            let tangents = linearized.contacts.rows.rows() - 1;
            let slip = &mut linearized.slip[k * tangents..][..tangents];
            for slip in slip {
                *slip *= s;
            }
        }
    }

    /// What the compression of contact k has stored, J.
    pub(crate) fn stored(&self, contacts: &Contacts, k: usize) -> f64 {
        let parting = self.remembered(contacts, k).filter(|m| m.approach < 0.0);
        parting.map_or(0.0, |memory| memory.stored)
    }

    /// Solves the step with as much of its restitution as the energy allows; `solver` solves one problem.
    pub(crate) fn solve(
        &self,
        system: &dyn System,
        at: Linearization<'_>,
        linearized: &LinearizedContacts,
        solver: &mut dyn FnMut(Linearization<'_>, &LinearizedContacts) -> Result<Solved, StepError>,
    ) -> Result<Solved, StepError> {
        within_energy((system, at.q), self, linearized, &mut |linearized| {
            self.solve_law(system, at, linearized, solver)
        })
    }

    /// Solves; where what the gaps ask for cannot be had, solves again without what asks bodies to part, and only then without
    /// asking for rebounds. Whether all was had; what is asked is as it was where nothing helps.
    ///
    /// Linearised at q̂, the gaps of a body that turns may be negative at the start of the step although no gap is. Between two walls
    /// that friction locks the LCP then has no solution: of 22 such problems of the plane none of all complementary bases is one.
    pub(crate) fn solve_or_yield(
        &self,
        system: &dyn System,
        at: Linearization<'_>,
        linearized: &mut LinearizedContacts,
        solver: &mut dyn FnMut(Linearization<'_>, &LinearizedContacts) -> Result<Solved, StepError>,
    ) -> Result<(Solved, bool), StepError> {
        let first = self.solve(system, at, linearized, solver);
        let failed = |result: &Result<Solved, StepError>| matches!(result, Err(error) if error.is_unsolved());
        let asks = linearized.bias.iter().any(|&bias| bias < 0.0);
        if !(asks && failed(&first)) {
            return Ok((first?, true));
        }
        let asked = (linearized.bias.clone(), linearized.slip.clone());
        for rebounds in [true, false] {
            let before = linearized.bias.clone();
            for (k, bias) in linearized.bias.iter_mut().enumerate() {
                *bias = if rebounds {
                    self.bias(&linearized.contacts, k, bias.max(0.0))
                } else {
                    bias.max(0.0)
                };
            }
            if !rebounds {
                linearized.slip.fill(0.0);
            }
            if linearized.bias == before {
                continue;
            }
            let yielded = self.solve(system, at, linearized, solver);
            if !failed(&yielded) {
                return Ok((yielded?.without_rebounds_if(!rebounds), false));
            }
        }
        (linearized.bias, linearized.slip) = asked;
        Ok((first?, true))
    }

    /// Solves the step; under Poisson's law, where contacts part, as a compression and an expansion.
    fn solve_law(
        &self,
        system: &dyn System,
        at: Linearization<'_>,
        linearized: &LinearizedContacts,
        solver: &mut dyn FnMut(Linearization<'_>, &LinearizedContacts) -> Result<Solved, StepError>,
    ) -> Result<Solved, StepError> {
        let contacts = &linearized.contacts;
        // Also where e is lowered to nothing: a compression and an expansion that adds nothing are not one step.
        let parts = |k: usize| self.pending(contacts, k).is_some();
        if self.law != ImpactLaw::Poisson || !(0..contacts.len()).any(parts) {
            return solver(at, linearized);
        }
        // 1. The rest of the compression, without time: from v, with what parts now at velocity level.
        let (state, d) = (at.state, system.dimension());
        let mut free = vec![0.0; system.nv()];
        system.free_velocity(state.t, &state.q, &state.v, at.h, &mut free);
        let mut from = state.v.clone();
        let driven = |i: &usize| system.is_driven(i / system.dofs());
        for i in (0..from.len()).filter(driven) {
            from[i] = free[i];
        }
        let gained: Vec<f64> = free.iter().zip(&from).map(|(a, b)| a - b).collect();
        let mut compression = linearized.clone();
        for k in 0..contacts.len() {
            let bias = &mut compression.bias[k];
            *bias = if parts(k) { 0.0 } else { bias.max(0.0) };
        }
        let compressed = solver(
            Linearization {
                free: Some(&from),
                ..at
            },
            &compression,
        )?;
        // 2. The expansion: e times the impulse of both steps of the compression is given, and the forces of the step.
        let mut expansion = linearized.clone();
        expansion.given = vec![0.0; contacts.len()];
        for k in (0..contacts.len()).filter(|&k| parts(k)) {
            let before = self.remembered(contacts, k).map_or(0.0, |m| m.impulse[0]);
            expansion.given[k] =
                contacts.restitution[k] * (before + compressed.impulses[k * d]).max(0.0);
        }
        let start: Vec<f64> = compressed
            .v
            .iter()
            .zip(&gained)
            .map(|(v, g)| v + g)
            .collect();
        let mut solved = solver(
            Linearization {
                free: Some(&start),
                ..at
            },
            &expansion,
        )?;
        let sum = |a: &mut [f64], b: &[f64]| a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
        sum(&mut solved.impulses, &compressed.impulses);
        sum(&mut solved.torsions, &compressed.torsions);
        sum(&mut solved.rolling, &compressed.rolling);
        sum(&mut solved.joint_impulses, &compressed.joint_impulses);
        solved.pivots += compressed.pivots;
        solved.residual = solved.residual.max(compressed.residual);
        Ok(solved)
    }
}

/// Rounding of a gap relative to the length of the system.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// Normals that differ by less are those of one surface: far above rounding.
const SAME_NORMAL: f64 = 1e-6;

/// Distance of two points, m.
fn distance(x: &[f64], y: &[f64]) -> f64 {
    let squares = x.iter().zip(y).map(|(x, y)| (x - y).powi(2));
    squares.sum::<f64>().sqrt()
}

/// What a gap still closes with at the end of a step, relative to the approach, up to which it is closed.
const CLOSED: f64 = 1e-9;

/// Checks the rest speed of a scheme.
pub(crate) fn check_rest_speed(scheme: &'static str, rest_speed: f64) -> Result<(), StepError> {
    if rest_speed.is_finite() && rest_speed >= 0.0 {
        return Ok(());
    }
    Err(StepError::Setting {
        scheme,
        setting: "rest_speed",
        value: rest_speed,
        must: "finite and at least 0",
    })
}
