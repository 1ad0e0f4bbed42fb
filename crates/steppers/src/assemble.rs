//! The one assembly of all velocity-level schemes: mass, free velocity and contact rows become a `FrictionProblem`,
//! its pyramid an LCP, and the answer of that velocities and impulses.

use signorini_complementarity::{
    FIXED, FrictionData, FrictionProblem, Lemke, LemkeSettings, Observer, PyramidForm, Solver,
    Start,
};
use signorini_dynamics::{ContactMaterial, Contacts, State, System};

use crate::{stepper::StepError, unsolved::UnsolvedStep};

/// Where a step is linearised and what it starts from.
#[derive(Clone, Copy)]
pub(crate) struct Linearization<'a> {
    /// Positions at which M is evaluated.
    pub(crate) q: &'a [f64],
    /// The state at the start of the step.
    pub(crate) state: &'a State,
    /// Time step, s.
    pub(crate) h: f64,
}

/// Contacts, sorted by id, and for each the number that is added to J_n v⁺ in its complementarity condition.
#[derive(Debug, Default)]
pub(crate) struct LinearizedContacts {
    pub(crate) contacts: Contacts,
    pub(crate) bias: Vec<f64>,
}

impl LinearizedContacts {
    pub(crate) fn reset(&mut self, system: &dyn System) {
        self.contacts.reset(system.dimension(), system.dofs());
        self.bias.clear();
    }

    /// Appends contact k of `from`, linearised at the configuration to which `v_hat` leads in `h`:
    /// (Φ − h J_n v̂)/h + J_n v⁺ is the linearised gap at q⁺ over h.
    pub(crate) fn push(&mut self, from: &Contacts, k: usize, v_hat: &[f64], h: f64) {
        let normal_speed = contact_velocity(from, k, v_hat, 0);
        self.push_with_bias(from, k, from.gap[k] / h - normal_speed);
    }

    /// Appends contact k of `from` with a given bias.
    pub(crate) fn push_with_bias(&mut self, from: &Contacts, k: usize, bias: f64) {
        let (to, d) = (&mut self.contacts, from.rows.rows());
        to.id.push(from.id[k]);
        to.gap.push(from.gap[k]);
        to.rows.push(
            from.rows.cols()[k],
            from.rows.block(k, 0),
            from.rows.block(k, 1),
        );
        to.friction.push(from.friction[k]);
        to.restitution.push(from.restitution[k]);
        to.ellipsoid.push(from.ellipsoid[k]);
        to.point.extend_from_slice(&from.point[k * d..(k + 1) * d]);
        to.normal
            .extend_from_slice(&from.normal[k * d..(k + 1) * d]);
        to.tangent
            .extend_from_slice(&from.tangent[k * d * (d - 1)..(k + 1) * d * (d - 1)]);
        self.bias.push(bias);
    }
}

/// Component `row` of the relative velocity at contact k: 0 is normal.
pub(crate) fn contact_velocity(contacts: &Contacts, k: usize, v: &[f64], row: usize) -> f64 {
    let dofs = contacts.rows.dofs();
    let side = |side: usize| match contacts.rows.cols()[k][side] {
        FIXED => 0.0,
        col => {
            let row = &contacts.rows.block(k, side)[row * dofs..][..dofs];
            row.iter()
                .zip(&v[col as usize * dofs..])
                .map(|(a, b)| a * b)
                .sum()
        }
    };
    side(0) + side(1)
}

/// The solved contact problem of one linearisation.
#[derive(Debug, Default)]
pub(crate) struct Solved {
    /// v⁺.
    pub(crate) v: Vec<f64>,
    /// Net impulses in the contact frames, D per contact.
    pub(crate) impulses: Vec<f64>,
    pub(crate) lcp_size: usize,
    pub(crate) pivots: usize,
    pub(crate) residual: f64,
}

/// Assembles and solves pyramid problems; keeps the solver's buffers.
#[derive(Debug)]
pub(crate) struct PyramidSolver {
    scheme: &'static str,
    lemke: Lemke,
    directions: usize,
}

impl PyramidSolver {
    pub(crate) fn new(scheme: &'static str, directions: usize, settings: LemkeSettings) -> Self {
        Self {
            scheme,
            lemke: Lemke::new(settings),
            directions,
        }
    }

    /// Directions in the tangent space of the system: the plane has just two.
    pub(crate) fn directions_for(&self, system: &dyn System) -> Result<usize, StepError> {
        let (found, least) = (self.directions, if system.dimension() == 2 { 2 } else { 4 });
        if found < least || found % 2 != 0 {
            return Err(StepError::Directions { found, least });
        }
        Ok(if least == 2 { 2 } else { found })
    }

    /// Solves M (v⁺ − v) = h k + Jᵀ p with the pyramid law.
    pub(crate) fn solve(
        &mut self,
        system: &dyn System,
        at: Linearization<'_>,
        linearized: &LinearizedContacts,
        observer: &mut dyn Observer,
    ) -> Result<Solved, StepError> {
        let Linearization { q, state, h } = at;
        let LinearizedContacts { contacts, bias } = linearized;
        let (t, d) = (state.t, system.dimension());
        let mut free_velocity = vec![0.0; system.nv()];
        system.free_velocity(t, &state.q, &state.v, h, &mut free_velocity);
        if contacts.is_empty() {
            return Ok(Solved {
                v: free_velocity,
                ..Solved::default()
            });
        }
        let mut mass = Vec::new();
        system.mass_blocks(q, &mut mass);
        let mut rows_bias = vec![0.0; contacts.len() * d];
        for (row, value) in rows_bias.iter_mut().step_by(d).zip(bias) {
            *row = *value;
        }
        let problem = FrictionProblem::new(FrictionData {
            dofs: system.dofs(),
            mass,
            free_velocity,
            contacts: contacts.rows.clone(),
            bias: rows_bias,
            mu: contacts.friction.clone(),
            ..FrictionData::default()
        })
        .map_err(|source| StepError::Problem { t, source })?;
        let pyramid = problem.pyramid(self.directions_for(system)?, PyramidForm::Reduced);
        let solution = self
            .lemke
            .solve_observed(pyramid.problem(), Start::Cold, observer);
        if !solution.status.is_solved() {
            let (status, residual) = (solution.status, solution.residual);
            return Err(StepError::Unsolved {
                t,
                status,
                residual,
                contacts: contacts.len(),
                problem: Box::new(UnsolvedStep {
                    scheme: self.scheme,
                    state: state.clone(),
                    h,
                    names: (0..solution.z.len()).map(|k| format!("z[{k}]")).collect(),
                    linear: Some(pyramid.problem().clone()),
                    z: solution.z,
                }),
            });
        }
        let mut solved = Solved {
            v: vec![0.0; system.nv()],
            impulses: vec![0.0; contacts.len() * d],
            lcp_size: pyramid.problem().len(),
            pivots: solution.stats.iterations,
            residual: solution.residual,
        };
        pyramid.impulses_into(&solution.z, &mut solved.impulses);
        problem.velocity_into(&solved.impulses, &[], &mut solved.v);
        Ok(solved)
    }
}

/// Refuses contacts whose friction is not Coulomb's, which a pyramid would silently take for it; the plane has one tangent
/// and no torsion, so that there only the first half axis counts.
fn refuse_ellipsoid(
    scheme: &'static str,
    system: &dyn System,
    contacts: &Contacts,
) -> Result<(), StepError> {
    let counted = if system.dimension() == 2 { 1 } else { 3 };
    let other = contacts.ellipsoid.iter().zip(&contacts.friction);
    let mut other =
        other.map(|(axes, &mu)| mu > 0.0 && axes[..counted] != ContactMaterial::COULOMB[..counted]);
    match other.position(|is_other| is_other) {
        None => Ok(()),
        Some(k) => Err(StepError::Ellipsoid {
            scheme,
            contact: system.contact_name(contacts.id[k]),
            ellipsoid: contacts.ellipsoid[k],
        }),
    }
}

/// Refuses contacts with another law than inelastic impact and Coulomb's friction, which a scheme that knows no other would
/// silently take for them.
pub(crate) fn refuse_other_laws(
    scheme: &'static str,
    system: &dyn System,
    contacts: &Contacts,
) -> Result<(), StepError> {
    refuse_ellipsoid(scheme, system, contacts)?;
    match contacts.restitution.iter().position(|&e| e != 0.0) {
        None => Ok(()),
        Some(k) => Err(StepError::Restitution {
            scheme,
            contact: system.contact_name(contacts.id[k]),
            restitution: contacts.restitution[k],
        }),
    }
}
