//! The one assembly of all velocity-level schemes: mass, free velocity and contact rows become a `FrictionProblem`,
//! its pyramid an LCP, and the answer of that velocities and impulses.

use signorini_complementarity::{
    BlockRows, ContactResidual, FIXED, FrictionData, FrictionError, FrictionIsland, FrictionLaw,
    FrictionProblem, FrictionResiduals,
};
use signorini_dynamics::{
    ConstraintRows, ContactId, ContactMemory, Contacts, JointRow, Joints, State, System,
};

use crate::{
    rows::{ContactRows, Layout, contact_rows},
    stepper::StepError,
};

/// Where a step is linearised and what it starts from.
#[derive(Clone, Copy)]
pub(crate) struct Linearization<'a> {
    /// Positions at which M is evaluated.
    pub(crate) q: &'a [f64],
    /// The state at the start of the step.
    pub(crate) state: &'a State,
    /// Time step, s.
    pub(crate) h: f64,
    /// Velocity without impulses, if it is not the free velocity of the state.
    pub(crate) free: Option<&'a [f64]>,
}

/// Contacts, sorted by id, and joints; for each the number that is added to J v⁺ in its condition.
#[derive(Clone, Debug, Default)]
pub(crate) struct LinearizedContacts {
    pub(crate) contacts: Contacts,
    pub(crate) bias: Vec<f64>,
    /// The same for the tangents, D − 1 per contact.
    pub(crate) slip: Vec<f64>,
    /// Normal impulses that act whatever the solution, N s; may be empty.
    pub(crate) given: Vec<f64>,
    pub(crate) joints: Joints,
    pub(crate) equation_bias: Vec<f64>,
    pub(crate) limit_bias: Vec<f64>,
    pub(crate) effort_bias: Vec<f64>,
    /// Impulses that another round of this step found.
    pub(crate) found: Vec<ContactMemory>,
}

impl LinearizedContacts {
    pub(crate) fn reset(&mut self, system: &dyn System) {
        self.contacts.reset(system.dimension(), system.dofs());
        self.bias.clear();
        self.slip.clear();
        self.given.clear();
        self.joints.reset(system.dofs());
        self.equation_bias.clear();
        self.limit_bias.clear();
        self.effort_bias.clear();
    }

    /// Keeps impulses of these contacts for the next round to begin with.
    pub(crate) fn keep(&mut self, solved: &Solved, d: usize) {
        self.found.clear();
        let ids = self.contacts.id.iter().enumerate();
        self.found
            .extend(ids.map(|(k, &id)| solved.of_contact(id, (k, d))));
    }

    /// Reads the joints at `q`, to which `v_hat` leads in `h` from where the step begins, and holds γ of what they are off:
    /// γ = 1 at position level, γ = 0 at velocity level, where only limits that are reached hold.
    pub(crate) fn join(
        &mut self,
        system: &dyn System,
        (q, v_hat): (&[f64], &[f64]),
        (t, h): (f64, f64),
        gamma: f64,
    ) -> Result<(), StepError> {
        system
            .joint_rows(t, h, q, &mut self.joints)
            .map_err(|source| StepError::Joint { source })?;
        let bias = |rows: &ConstraintRows, k: usize, gamma: f64| {
            gamma * (rows.value[k] / h - row_velocity(&rows.rows, k, v_hat)) + rows.drift[k]
        };
        let Joints {
            equations,
            limits,
            efforts,
        } = &self.joints;
        self.equation_bias.clear();
        self.equation_bias
            .extend((0..equations.len()).map(|k| bias(equations, k, gamma)));
        self.limit_bias.clear();
        self.limit_bias.extend((0..limits.len()).map(|k| {
            // A limit that is not reached does not hold back at velocity level: it is as if it were one step away.
            let gamma = if limits.value[k] > 0.0 { 1.0 } else { gamma };
            bias(limits, k, gamma)
        }));
        self.effort_bias.clear();
        self.effort_bias.extend((0..efforts.len()).map(|k| {
            // x at the end is that at q and what the step goes beyond q.
            let ahead = efforts.value[k] - h * row_velocity(&efforts.rows, k, v_hat);
            efforts.gain[k] * ahead + efforts.drift[k]
        }));
        Ok(())
    }

    /// Appends contact k of `from` with a given bias.
    pub(crate) fn push(&mut self, from: &Contacts, k: usize, bias: f64) {
        let (to, d) = (&mut self.contacts, from.rows.rows());
        to.id.push(from.id[k]);
        to.gap.push(from.gap[k]);
        to.rows.push(
            from.rows.cols()[k],
            from.rows.block(k, 0),
            from.rows.block(k, 1),
        );
        to.drift.extend_from_slice(&from.drift[k * d..(k + 1) * d]);
        to.friction.push(from.friction[k]);
        to.restitution.push(from.restitution[k]);
        to.tangential_restitution
            .push(from.tangential_restitution[k]);
        to.ellipsoid.push(from.ellipsoid[k]);
        to.rolling.push(from.rolling[k]);
        to.point.extend_from_slice(&from.point[k * d..(k + 1) * d]);
        to.acting
            .extend_from_slice(&from.acting[2 * k * d..][..2 * d]);
        to.normal
            .extend_from_slice(&from.normal[k * d..(k + 1) * d]);
        to.tangent
            .extend_from_slice(&from.tangent[k * d * (d - 1)..(k + 1) * d * (d - 1)]);
        self.bias.push(bias);
        self.slip.resize(self.bias.len() * (d - 1), 0.0);
    }

    /// Appends contact k of others with what is asked of it there.
    pub(crate) fn push_same(&mut self, from: &Self, k: usize) {
        self.push(&from.contacts, k, from.bias[k]);
        let tangents = from.contacts.rows.rows() - 1;
        let start = self.slip.len() - tangents;
        self.slip[start..].copy_from_slice(&from.slip[k * tangents..][..tangents]);
    }
}

/// Component `row` of the velocity with which the surfaces slide and part at contact k: 0 is normal.
pub(crate) fn contact_velocity(contacts: &Contacts, k: usize, v: &[f64], row: usize) -> f64 {
    let rows = &contacts.rows;
    let drift = contacts.drift[k * rows.rows() + row];
    side_velocity(rows, (k, row), 0, v) + side_velocity(rows, (k, row), 1, v) + drift
}

/// J v of a block of one row.
pub(crate) fn row_velocity(rows: &BlockRows, k: usize, v: &[f64]) -> f64 {
    side_velocity(rows, (k, 0), 0, v) + side_velocity(rows, (k, 0), 1, v)
}

/// What one side adds to a row of J v.
fn side_velocity(rows: &BlockRows, (k, row): (usize, usize), side: usize, v: &[f64]) -> f64 {
    match rows.cols()[k][side] {
        FIXED => 0.0,
        col => {
            let dofs = rows.dofs();
            let row = &rows.block(k, side)[row * dofs..][..dofs];
            let v = &v[col as usize * dofs..];
            row.iter().zip(v).map(|(a, b)| a * b).sum()
        }
    }
}

/// The solved contact problem of one linearisation.
#[derive(Debug, Default)]
pub(crate) struct Solved {
    /// v⁺.
    pub(crate) v: Vec<f64>,
    /// Net impulses in the contact frames, D per contact.
    pub(crate) impulses: Vec<f64>,
    /// Torsion about the normals; empty if no contact has any.
    pub(crate) torsions: Vec<f64>,
    /// Rolling moments, D − 1 per contact; empty if no contact has any.
    pub(crate) rolling: Vec<f64>,
    /// Impulses of the equations, then of what gives way, then of the limits, of the joints.
    pub(crate) joint_impulses: Vec<f64>,
    pub(crate) lcp_size: usize,
    pub(crate) pivots: usize,
    pub(crate) residual: f64,
    /// Largest part of e that impacts were not given, so as not to gain energy.
    pub(crate) restitution_cut: f64,
}

impl Solved {
    /// The impulses of contact k, which has this name.
    pub(crate) fn of_contact(&self, id: ContactId, (k, d): (usize, usize)) -> ContactMemory {
        let moments = self.rolling.chunks_exact(d - 1).nth(k);
        ContactMemory {
            impulse: self.impulses[k * d..(k + 1) * d].to_vec(),
            torsion: self.torsions.get(k).copied().unwrap_or(0.0),
            rolling: moments.map_or_else(Vec::new, <[f64]>::to_vec),
            ..ContactMemory::new(id, d)
        }
    }

    /// The same, with all of e cut if the step was asked for no rebounds.
    pub(crate) fn without_rebounds_if(mut self, asked_for_none: bool) -> Self {
        if asked_for_none {
            self.restitution_cut = 1.0;
        }
        self
    }

    /// The velocities and impulses of a solution, of which the first `contacts` are contacts and the others limits; `d` is the
    /// dimension of the system.
    pub(crate) fn take(
        &mut self,
        problem: &FrictionProblem,
        impulses: &[f64],
        bilateral: &[f64],
        (contacts, d): (usize, usize),
    ) {
        let rows = problem.dimension();
        self.v.resize(problem.nv(), 0.0);
        problem.velocity_into(impulses, bilateral, &mut self.v);
        self.joint_impulses = bilateral.to_vec();
        self.joint_impulses
            .extend(impulses[contacts * rows..].iter().step_by(rows));
        self.impulses.clear();
        self.torsions.clear();
        self.rolling.clear();
        let layout = Layout::new(d, rows);
        for contact in impulses[..contacts * rows].chunks_exact(rows) {
            let parts = (&mut self.impulses, &mut self.torsions, &mut self.rolling);
            layout.split(contact, parts);
        }
    }
}

/// Velocities below this are none, m/s or rad/s.
const FADED: f64 = 1e-290;

/// What a step has to solve.
pub(crate) enum Assembled {
    /// Nothing: this is v⁺.
    Free(Vec<f64>),
    /// Contacts, then limits as contacts without friction; equations as bilateral rows.
    Coupled(Box<FrictionProblem>),
}

impl LinearizedContacts {
    /// The contact or joint with the largest residual of the friction problem of the step, or of an island of it.
    pub(crate) fn worst(
        &self,
        system: &dyn System,
        residuals: &FrictionResiduals,
        island: Option<&FrictionIsland>,
    ) -> Option<String> {
        let largest = |of: &[ContactResidual]| {
            let scaled = of.iter().map(|row| row.scaled).enumerate();
            scaled.max_by(|(_, a), (_, b)| a.total_cmp(b))
        };
        let (contact, row) = (largest(&residuals.contacts), largest(&residuals.bilateral));
        let joint = |joint: u32| format!("joint {}", system.joint_name(joint));
        if let Some((k, worst)) = contact
            && row.is_none_or(|(_, other)| worst >= other)
        {
            let k = island.map_or(k, |island| island.contacts()[k]);
            let (contacts, limits) = (&self.contacts, &self.joints.limits);
            return Some(match k.checked_sub(contacts.len()) {
                None => format!("contact {}", system.contact_name(contacts.id[k])),
                Some(limit) => joint(limits.id[limit].joint),
            });
        }
        let (k, _) = row?;
        let k = island.map_or(k, |island| island.bilateral()[k]);
        let Joints {
            equations, efforts, ..
        } = &self.joints;
        let id = match k.checked_sub(equations.len()) {
            None => equations.id[k],
            Some(effort) => efforts.id[effort],
        };
        Some(joint(id.joint))
    }

    /// Names of the impulses of the friction problem of the step.
    pub(crate) fn impulse_names(
        &self,
        system: &dyn System,
        problem: &FrictionProblem,
    ) -> Vec<String> {
        let (contacts, joints) = (&self.contacts, &self.joints);
        let layout = Layout::new(system.dimension(), problem.dimension());
        let mut names = Vec::with_capacity(problem.len());
        for &id in &contacts.id {
            names.extend(layout.names(&system.contact_name(id)));
        }
        let joint = |id: &JointRow| format!("row {} of {}", id.row, system.joint_name(id.joint));
        for id in &joints.limits.id {
            let rows = (0..problem.dimension()).map(|_| joint(id));
            names.extend(rows);
        }
        names.extend(
            joints
                .equations
                .id
                .iter()
                .chain(&joints.efforts.id)
                .map(joint),
        );
        names
    }

    /// The friction problem of the step. What is driven takes no impulses: its velocity goes to the bias.
    pub(crate) fn problem(
        &self,
        system: &dyn System,
        at: Linearization<'_>,
        law: FrictionLaw,
    ) -> Result<Assembled, StepError> {
        let Linearization { q, state, h, free } = at;
        let (contacts, dofs) = (&self.contacts, system.dofs());
        let mut free_velocity = vec![0.0; system.nv()];
        match free {
            Some(free) => free_velocity.copy_from_slice(free),
            None => system.free_velocity(state.t, &state.q, &state.v, h, &mut free_velocity),
        }
        // What fades to nothing would go through the subnormal numbers, which have no relative accuracy.
        for v in &mut free_velocity {
            if v.abs() < FADED {
                *v = 0.0;
            }
        }
        let limits = &self.joints.limits;
        let efforts = &self.joints.efforts;
        let is_free = contacts.is_empty() && limits.is_empty();
        if is_free && self.joints.equations.is_empty() && efforts.is_empty() {
            return Ok(Assembled::Free(free_velocity));
        }
        let mut mass = Vec::new();
        system.mass_blocks(q, &mut mass);
        let ContactRows {
            mut rows,
            drift: mut bias,
            mut ellipse,
            mut rolling,
        } = contact_rows(contacts);
        let d = rows.rows();
        for (row, value) in bias.iter_mut().step_by(d).zip(&self.bias) {
            *row += *value;
        }
        let tangents = system.dimension() - 1;
        for (row, slip) in bias.chunks_mut(d).zip(self.slip.chunks_exact(tangents)) {
            let tangential = row[1..].iter_mut().zip(slip);
            tangential.for_each(|(row, slip)| *row += *slip);
        }
        let mut mu = contacts.friction.clone();
        let mut blocks = vec![[0.0; 36]; 2];
        for k in 0..limits.len() {
            for (side, block) in blocks.iter_mut().enumerate() {
                block[..dofs].copy_from_slice(limits.rows.block(k, side));
            }
            let [a, b] = [0, 1].map(|side| &blocks[side][..d * dofs]);
            rows.push(limits.rows.cols()[k], a, b);
            bias.push(self.limit_bias[k]);
            bias.resize(rows.len() * d, 0.0);
            mu.push(0.0);
        }
        if !ellipse.is_empty() {
            ellipse.resize(mu.len() * (d - 1), 1.0);
        }
        if !rolling.is_empty() {
            rolling.resize(mu.len(), 0.0);
        }
        let mut equations = self.joints.equations.rows.clone();
        let mut equation_bias = self.equation_bias.clone();
        let (mut compliance, mut bound) = (Vec::new(), Vec::new());
        if !efforts.is_empty() {
            compliance.resize(equations.len(), 0.0);
            bound.resize(equations.len(), f64::INFINITY);
            for (k, cols) in efforts.rows.cols().iter().enumerate() {
                equations.push(*cols, efforts.rows.block(k, 0), efforts.rows.block(k, 1));
            }
            equation_bias.extend_from_slice(&self.effort_bias);
            compliance.extend_from_slice(&efforts.compliance);
            bound.extend_from_slice(&efforts.bound);
        }
        let driven: Vec<bool> = (0..system.nv() / dofs)
            .map(|k| system.is_driven(k))
            .collect();
        if driven.contains(&true) {
            rows = without(&rows, &driven, &free_velocity, &mut bias);
            equations = without(&equations, &driven, &free_velocity, &mut equation_bias);
        }
        let problem = FrictionProblem::new(FrictionData {
            dofs,
            mass,
            free_velocity,
            contacts: rows,
            bias,
            mu,
            rolling,
            ellipse,
            law,
            bilateral: equations,
            bilateral_bias: equation_bias,
            bilateral_compliance: compliance,
            bilateral_limit: bound,
        });
        problem
            .and_then(|problem| self.push_given(problem))
            .map(|problem| Assembled::Coupled(Box::new(problem)))
            .map_err(|source| StepError::Problem {
                t: state.t,
                culprit: self.culprit(system, &source),
                source,
            })
    }

    /// The contact, joint or body whose datum the friction problem of the step refuses.
    fn culprit(&self, system: &dyn System, fault: &FrictionError) -> Option<String> {
        let dofs = system.dofs().max(1);
        let (contacts, joints) = (&self.contacts, &self.joints);
        let joint = |id: &JointRow| format!("joint {}", system.joint_name(id.joint));
        // Contacts, then limits of joints.
        let contact = |k: usize| match k.checked_sub(contacts.len()) {
            None => Some(format!("contact {}", system.contact_name(contacts.id[k]))),
            Some(limit) => joints.limits.id.get(limit).map(joint),
        };
        let equation = |k: usize| {
            let rows = joints.equations.id.iter().chain(&joints.efforts.id);
            rows.map(joint).nth(k)
        };
        let body = |k: usize| {
            let is_body = k * dofs < system.nv();
            is_body.then(|| format!("body {}", system.body_name(k)))
        };
        match *fault {
            FrictionError::NotFinite { what, index, .. } => match what {
                "contacts" | "mu" | "rolling" => contact(index),
                "bias" => contact(index / Layout::of(contacts).rows().max(1)),
                "free_velocity" => body(index / dofs),
                "mass" => body(index / (dofs * dofs)),
                "bilateral" | "bilateral_bias" => equation(index),
                _ => None,
            },
            FrictionError::Friction { contact: k, .. }
            | FrictionError::Rolling { contact: k, .. } => contact(k),
            FrictionError::Mass { body: k } => body(k),
            _ => None,
        }
    }

    /// Lets the given impulses act before all others.
    fn push_given(&self, problem: FrictionProblem) -> Result<FrictionProblem, FrictionError> {
        if self.given.is_empty() {
            return Ok(problem);
        }
        let mut impulses = vec![0.0; problem.contact_count() * problem.dimension()];
        let normals = impulses.iter_mut().step_by(problem.dimension());
        normals.zip(&self.given).for_each(|(p, given)| *p = *given);
        let bilateral = vec![0.0; problem.bilateral().len()];
        let mut pushed = vec![0.0; problem.nv()];
        problem.velocity_into(&impulses, &bilateral, &mut pushed);
        let mut data = problem.into_data();
        data.free_velocity = pushed;
        FrictionProblem::new(data)
    }
}

/// The rows without the columns of driven bodies, whose velocities are added to the bias.
fn without(rows: &BlockRows, driven: &[bool], v: &[f64], bias: &mut [f64]) -> BlockRows {
    let (d, mut out) = (rows.rows(), BlockRows::new(rows.rows(), rows.dofs()));
    for (k, cols) in rows.cols().iter().enumerate() {
        let mut cols = *cols;
        for side in 0..2 {
            if cols[side] != FIXED && driven[cols[side] as usize] {
                for row in 0..d {
                    bias[k * d + row] += side_velocity(rows, (k, row), side, v);
                }
                cols[side] = FIXED;
            }
        }
        out.push(cols, rows.block(k, 0), rows.block(k, 1));
    }
    out
}
