//! The end of a solved step: its report and the new state.

use signorini_dynamics::{Joints, PairRows, State};

use super::{
    links::{Link, rows_at_end},
    problem::{Contact, Given},
    solve::Answer,
};
use crate::{
    report::{ContactReport, Impact, JointReport, JointRowKind, Mode, StepReport},
    step::{check_energy, end_time, remember},
    stepper::StepError,
};

/// Work of a step.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Work {
    pub(super) rounds: usize,
    pub(super) iterations: usize,
}

/// A step that is solved but not yet taken.
pub(super) struct Solved<'a> {
    pub(super) given: &'a Given<'a>,
    pub(super) contacts: &'a [Contact],
    pub(super) answer: &'a Answer,
    /// q⁺.
    pub(super) q: Vec<f64>,
    pub(super) work: Work,
}

impl Solved<'_> {
    /// Report and new state, after all that can fail.
    pub(super) fn finish(self, state: &State) -> Result<(StepReport, State), StepError> {
        let system = self.given.system;
        let contacts = self.reports();
        let v = self.answer.values.v.clone();
        let kinetic = |v: &[f64]| system.energy(&state.q, v).kinetic;
        let gaps = contacts.iter().map(|c| c.gap);
        let report = StepReport {
            t: end_time(state.t, self.given.by.h),
            h: self.given.by.h,
            joints: self.joints()?,
            lcp_size: self.answer.unknowns,
            pivots: self.work.iterations,
            rounds: self.work.rounds,
            passes: 1,
            converged: true,
            residual: self.answer.residual,
            worst_gap: gaps.min_by(f64::total_cmp),
            rest_speed: self.given.rest_speed,
            contact_energy: kinetic(&v) - kinetic(&self.given.free),
            energy_before: system.energy(&state.q, &state.v),
            energy_after: system.energy(&self.q, &v),
            contacts,
        };
        let mut next = State {
            t: report.t,
            q: self.q,
            v,
            memory: Vec::new(),
        };
        let valid = next.validate(system);
        valid.map_err(|source| StepError::NotFinite { t: state.t, source })?;
        check_energy(system, &next, report.energy_after.total())?;
        check_energy(system, &next, report.contact_energy)?;
        remember(&report.contacts, &mut next.memory);
        Ok((report, next))
    }

    fn joints(&self) -> Result<Vec<JointReport>, StepError> {
        let given = self.given;
        if given.links.rows.is_empty() {
            return Ok(Vec::new());
        }
        let mut end = Joints::default();
        rows_at_end(given.system, (given.t, given.by.h), &self.q, &mut end)?;
        let links = given.links.rows.iter().zip(&self.answer.values.links);
        let report = |(link, &impulse): (&Link, &f64)| JointReport {
            id: link.among(&end).id[link.index],
            kind: if link.is_limit {
                JointRowKind::Limit
            } else {
                JointRowKind::Equation
            },
            value: link.among(&end).value[link.index],
            impulse,
        };
        Ok(links.map(report).collect())
    }

    fn reports(&self) -> Vec<ContactReport> {
        let d = self.given.system.dimension();
        let mut rows = PairRows::default();
        let mut p = Vec::new();
        let pairs = self.contacts.iter().zip(&self.answer.values.pairs);
        let pairs = pairs.zip(&self.answer.modes);
        let report =
            |((contact, values), &mode): ((&Contact, &super::guess::PairValues), &Mode)| {
                let layout = &contact.layout;
                self.given
                    .implicit
                    .rows(layout, &self.q, &values.z, &mut rows);
                contact.components(values.normal, &values.ratios, &mut p);
                // Rows of W on B begin with the axes of the contact frame.
                let axis = |k: usize| &rows.directions[(2 * k + 1) * layout.dofs..][..d];
                let (on_a, on_b) = rows.points.split_at(d);
                ContactReport {
                    id: layout.id,
                    gap: rows.gap,
                    impulse: p[..d].to_vec(),
                    torsion: p.get(d).copied().unwrap_or(0.0),
                    normal: rows.normal.clone(),
                    tangent: (1..d).flat_map(|k| axis(k).to_vec()).collect(),
                    point: on_a.iter().zip(on_b).map(|(a, b)| 0.5 * (a + b)).collect(),
                    mode,
                    impact: Impact::None,
                    approach: 0.0,
                }
            };
        pairs.map(report).collect()
    }
}
