//! What all schemes share around the solve: checks before it, report and new state after it.

use signorini_dynamics::{
    ContactMemory, ContactQuery, Contacts, Joints, OtherEnd, Rotation, State, System,
};

use crate::{
    assemble::{LinearizedContacts, Solved, contact_velocity, row_velocity},
    impact_energy::Works,
    rank::joint_rank,
    report::{Components, ContactReport, Impact, JointReport, JointRowKind, Mode, StepReport},
    restitution::Impacts,
    stepper::StepError,
    unsolved::UnsolvedStep,
};

/// Work of a step, for its report.
#[derive(Clone, Copy)]
pub(crate) struct Work {
    pub(crate) rounds: usize,
    pub(crate) pivots: usize,
    pub(crate) passes: usize,
    pub(crate) converged: bool,
}

/// A step that is solved but not yet taken.
pub(crate) struct SolvedStep<'a> {
    pub(crate) h: f64,
    /// q⁺.
    pub(crate) q: &'a [f64],
    /// Where M and the rows were evaluated.
    pub(crate) at: &'a [f64],
    pub(crate) linearized: &'a LinearizedContacts,
    pub(crate) solved: &'a Solved,
    /// At least the contacts of the step, at q⁺.
    pub(crate) at_end: &'a Contacts,
    pub(crate) impacts: Impacts<'a>,
    pub(crate) work: Work,
}

impl SolvedStep<'_> {
    /// Report and new state, after all that can fail.
    pub(crate) fn finish(&self, system: &dyn System) -> Result<(StepReport, State), StepError> {
        let Self {
            h,
            q,
            at,
            linearized,
            solved,
            at_end,
            impacts,
            work,
        } = *self;
        let state = impacts.state;
        let t = end_time(state.t, h);
        let mut contacts = self.contact_reports(system);
        self.store(system, &mut contacts);
        let report = StepReport {
            t,
            h,
            contacts,
            joints: joint_reports(system, linearized, solved, (t, h, q))?,
            joint_rank: joint_rank(system, &linearized.joints.equations),
            lcp_size: solved.lcp_size,
            pivots: work.pivots,
            rounds: work.rounds,
            passes: work.passes,
            converged: work.converged,
            residual: solved.residual,
            worst_gap: worst_gap(at_end),
            rest_speed: impacts.rest_speed,
            restitution_cut: solved.restitution_cut,
            contact_energy: contact_energy(system, (state, at), (linearized, solved), h),
            energy_before: system.energy(&state.q, &state.v),
            energy_after: system.energy(q, &solved.v),
        };
        let (q, v) = (q.to_vec(), solved.v.clone());
        let mut next = State {
            t: report.t,
            q,
            v,
            memory: Vec::new(),
        };
        next.validate(system)
            .map_err(|source| StepError::NotFinite { t: state.t, source })?;
        check_energy(system, &next, report.energy_after.total())?;
        check_energy(system, &next, report.contact_energy)?;
        remember(&report.contacts, &mut next.memory);
        Ok((report, next))
    }

    /// Writes into the reports what compressed contacts store for their rebounds.
    fn store(&self, system: &dyn System, reports: &mut [ContactReport]) {
        let is_compressed: Vec<bool> = reports.iter().map(|c| c.approach < 0.0).collect();
        if !is_compressed.contains(&true) {
            return;
        }
        let works = Works::new(
            (system, self.at),
            &self.impacts,
            self.linearized,
            self.solved,
        );
        let stored = works.stored(&is_compressed);
        let pairs = reports.iter_mut().zip(stored);
        pairs.for_each(|(report, stored)| report.stored = stored);
    }

    /// Reports of the contacts, sorted by id.
    fn contact_reports(&self, system: &dyn System) -> Vec<ContactReport> {
        let Self {
            h,
            linearized,
            solved,
            at_end,
            impacts,
            ..
        } = *self;
        let (contacts, d, scale) = (&linearized.contacts, system.dimension(), system.scale());
        let mode = |k: usize| {
            let slip = (1..d).map(|row| contact_velocity(contacts, k, &solved.v, row).powi(2));
            if solved.impulses[k * d] <= 0.0 {
                Mode::Open
            } else if slip.sum::<f64>().sqrt() <= SLIP_TOLERANCE * scale.length / scale.time {
                Mode::Stick
            } else {
                Mode::Slip
            }
        };
        // A feature that is gone at q⁺ has its linearised gap.
        let mut next = 0;
        let mut gap = |k: usize| match at_end.position_from(contacts.id[k], next) {
            Some(place) => {
                next = place + 1;
                at_end.gap[place]
            }
            None => h * (linearized.bias[k] + contact_velocity(contacts, k, &solved.v, 0)),
        };
        let rolling = |k: usize| {
            let own = k * (d - 1)..(k + 1) * (d - 1);
            let moments = (contacts.rolling[k] > 0.0).then(|| solved.rolling.get(own));
            moments.flatten().unwrap_or_default()
        };
        let report = |k: usize| {
            let normal = (solved.impulses[k * d], &solved.v[..], linearized.bias[k]);
            let (impact, approach) = impacts.outcome(contacts, k, normal);
            ContactReport {
                id: contacts.id[k],
                gap: gap(k),
                impulse: components(&solved.impulses[k * d..][..d]),
                torsion: solved.torsions.get(k).copied().unwrap_or(0.0),
                rolling: components(rolling(k)),
                normal: components(&contacts.normal[k * d..][..d]),
                tangent: components(&contacts.tangent[k * d * (d - 1)..][..d * (d - 1)]),
                point_a: components(&contacts.acting[2 * k * d..][..d]),
                point: components(&contacts.acting[(2 * k + 1) * d..][..d]),
                mode: mode(k),
                impact,
                approach,
                stored: 0.0,
                slip: if approach < 0.0 {
                    impacts.sliding(contacts, k)
                } else {
                    Vec::new()
                },
            }
        };
        (0..contacts.len()).map(report).collect()
    }
}

pub(crate) fn components<const N: usize>(all: &[f64]) -> Components<N> {
    all.iter().copied().collect()
}

/// ½ pᵀ J (v⁺ + v_free) of the contacts: as what the kinetic energy changes by less what the joints have done, since contacts
/// that press against each other have impulses whose work cancels.
fn contact_energy(
    system: &dyn System,
    (state, at): (&State, &[f64]),
    (linearized, solved): (&LinearizedContacts, &Solved),
    h: f64,
) -> f64 {
    if linearized.contacts.is_empty() {
        return 0.0;
    }
    let mut free = vec![0.0; system.nv()];
    system.free_velocity(state.t, &state.q, &state.v, h, &mut free);
    let kinetic = |v: &[f64]| system.energy(at, v).kinetic;
    let mean: Vec<f64> = free
        .iter()
        .zip(&solved.v)
        .map(|(a, b)| 0.5 * (a + b))
        .collect();
    let Joints {
        equations,
        limits,
        efforts,
    } = &linearized.joints;
    let rows = [&equations.rows, &efforts.rows, &limits.rows];
    let rows = rows
        .into_iter()
        .flat_map(|rows| (0..rows.len()).map(move |k| (rows, k)));
    let joints = rows.zip(&solved.joint_impulses);
    let work: f64 = joints
        .map(|((rows, k), p)| p * row_velocity(rows, k, &mean))
        .sum();
    kinetic(&solved.v) - kinetic(&free) - work
}

/// What every scheme checks before it begins.
pub(crate) fn check_step(system: &dyn System, state: &State, h: f64) -> Result<(), StepError> {
    if !(h > 0.0 && h.is_finite()) {
        return Err(StepError::TimeStep { h });
    }
    if state.t + h <= state.t {
        return Err(StepError::LostStep { t: state.t, h });
    }
    Ok(state.validate(system)?)
}

/// Refuses what a scheme without driven bodies and belts would silently leave out.
pub(crate) fn refuse_driven_bodies(
    scheme: &'static str,
    system: &dyn System,
) -> Result<(), StepError> {
    let lacks = |what| Err(StepError::Lacks { scheme, what });
    if system.has_belts() {
        return lacks("belts");
    }
    if (0..system.nv() / system.dofs().max(1)).any(|column| system.is_driven(column)) {
        return lacks("driven bodies");
    }
    Ok(())
}

/// The joints of a system at the start of a step.
pub(crate) fn joints_at(system: &dyn System, state: &State, h: f64) -> Result<Joints, StepError> {
    let mut joints = Joints::default();
    system
        .joint_rows(state.t, h, &state.q, &mut joints)
        .map_err(|source| StepError::Joint { source })?;
    Ok(joints)
}

/// Refuses a state whose energy, or the work that led to it, is not finite, J.
pub(crate) fn check_energy(
    system: &dyn System,
    state: &State,
    energy: f64,
) -> Result<(), StepError> {
    if energy.is_finite() {
        return Ok(());
    }
    let speeds = state.v.iter().map(|v| v.abs()).enumerate();
    let fastest = speeds
        .max_by(|a, b| a.1.total_cmp(&b.1))
        .map(|(k, _)| k / system.dofs());
    let body = fastest.map_or_else(String::new, |k| system.body_name(k).to_owned());
    Err(StepError::Energy {
        t: state.t,
        energy,
        body,
    })
}

/// Part of a step by which an accumulated time may be off a multiple of h and still be taken for it.
const TIME_SNAP: f64 = 1e-6;

/// t + h, or the multiple of h that it is up to rounding: a million steps of 1e-4 s end at 100 s, not beside it.
pub(crate) fn end_time(t: f64, h: f64) -> f64 {
    let end = t + h;
    let multiple = (end / h).round() * h;
    if (end - multiple).abs() <= TIME_SNAP * h {
        multiple
    } else {
        end
    }
}

/// The contacts of `query` at q.
pub(crate) fn contacts_at(
    system: &dyn System,
    t: f64,
    q: &[f64],
    query: &ContactQuery<'_>,
    out: &mut Contacts,
) -> Result<(), StepError> {
    system
        .contacts(t, q, query, out)
        .map_err(|source| StepError::Contact { t, source })
}

/// The contacts of `query` at the start of a step that would end at q + h v_free without them.
pub(crate) fn contacts_at_start(
    system: &dyn System,
    state: &State,
    (h, rotation): (f64, Rotation),
    query: &ContactQuery<'_>,
    out: &mut Contacts,
) -> Result<(), StepError> {
    let (mut v, mut q) = (vec![0.0; system.nv()], vec![0.0; system.nq()]);
    system.free_velocity(state.t, &state.q, &state.v, h, &mut v);
    system.retract(&state.q, &v, h, rotation, &mut q);
    let t = state.t;
    system
        .contacts_of_step(t, (&state.q, OtherEnd::End(&q)), query, out)
        .map_err(|source| StepError::Contact { t, source })
}

/// The contacts of `query` at q, to which a step from `start` leads.
pub(crate) fn contacts_at_end(
    system: &dyn System,
    start: &State,
    q: &[f64],
    query: &ContactQuery<'_>,
    out: &mut Contacts,
) -> Result<(), StepError> {
    let t = start.t;
    system
        .contacts_of_step(t, (q, OtherEnd::Start(&start.q)), query, out)
        .map_err(|source| StepError::Contact { t, source })
}

/// The least gap of contacts, and of what is in overlap and has none.
fn worst_gap(contacts: &Contacts) -> Option<f64> {
    let uncounted = Some(contacts.uncounted).filter(|gap| *gap < 0.0);
    let all = contacts.gap.iter().copied().chain(uncounted);
    all.min_by(f64::total_cmp)
}

/// The error of an active set that still grows after its last round, with the worst contact at q⁺ to which v⁺ leads.
pub(crate) fn unsettled(
    system: &dyn System,
    (scheme, rounds): (&'static str, usize),
    (state, h): (&State, f64),
    (v, at_end): (&[f64], &Contacts),
) -> StepError {
    let worst = (0..at_end.len()).min_by(|&i, &j| at_end.gap[i].total_cmp(&at_end.gap[j]));
    StepError::ActiveSet {
        t: state.t,
        rounds,
        problem: UnsolvedStep::at_velocity(scheme, (state, h), v),
        contact: worst.map_or_else(String::new, |k| system.contact_name(at_end.id[k])),
        violation: worst.map_or(0.0, |k| -at_end.gap[k]),
    }
}

/// Slip speeds up to this fraction of length/time of the system are rounding errors and count as stick.
const SLIP_TOLERANCE: f64 = 1e-10;

/// Reports of the rows of joints, whose values are those at q⁺.
fn joint_reports(
    system: &dyn System,
    linearized: &LinearizedContacts,
    solved: &Solved,
    (t, h, q): (f64, f64, &[f64]),
) -> Result<Vec<JointReport>, StepError> {
    let Joints {
        equations,
        limits,
        efforts,
    } = &linearized.joints;
    let kinds = [
        (&equations.id, JointRowKind::Equation),
        (&efforts.id, JointRowKind::Effort),
        (&limits.id, JointRowKind::Limit),
    ];
    if kinds.iter().all(|(ids, _)| ids.is_empty()) {
        return Ok(Vec::new());
    }
    let mut end = Joints::default();
    system
        .joint_rows(t, h, q, &mut end)
        .map_err(|source| StepError::Joint { source })?;
    let values = end.equations.value.iter().chain(&end.efforts.value);
    let values = values.chain(&end.limits.value);
    let ids = kinds
        .iter()
        .flat_map(|(ids, kind)| ids.iter().map(move |id| (*id, *kind)));
    Ok(ids
        .zip(values.zip(&solved.joint_impulses))
        .map(|((id, kind), (&value, &impulse))| JointReport {
            id,
            kind,
            value,
            impulse,
        })
        .collect())
}

/// What the next step must know of the contacts of this one: those that carried an impulse, and those that part next.
pub(crate) fn remember(reports: &[ContactReport], out: &mut Vec<ContactMemory>) {
    out.clear();
    out.extend(
        reports
            .iter()
            .filter(|c| c.mode != Mode::Open || c.approach < 0.0)
            .map(|c| ContactMemory {
                impulse: c.impulse.to_vec(),
                torsion: c.torsion,
                rolling: c.rolling.to_vec(),
                active: true,
                approach: c.approach,
                stored: c.stored,
                slip: c.slip.clone(),
                bounced: c.impact == Impact::Rebound,
                place: if c.approach < 0.0 {
                    [&c.point[..], &c.normal[..]].concat()
                } else {
                    Vec::new()
                },
                ..ContactMemory::new(c.id, c.impulse.len())
            }),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_does_not_drift() {
        let h = 1e-4;
        let t = (0..1_000_000).fold(0.0, |t, _| end_time(t, h));
        assert_eq!(t.to_bits(), (1e6 * h).to_bits());
        // A start off the grid stays off it.
        assert_eq!(end_time(0.5 * h, h).to_bits(), (1.5 * h).to_bits());
    }
}
