//! The end of a solved step: its report and the new state.

use signorini_dynamics::{Joints, PairRows, State};

use super::{
    links::{Link, Links, rows_at_end},
    loops::Loops,
    problem::{Contact, Given},
    solve::Answer,
};
use crate::{
    assemble::row_velocity,
    report::{Components, ContactReport, Impact, JointReport, JointRowKind, Mode, StepReport},
    step::{check_energy, components, end_time, remember},
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
    /// What rows may be off in their units.
    pub(super) tolerance: f64,
}

impl Solved<'_> {
    /// Report and new state, after all that can fail.
    pub(super) fn finish(self, state: &State) -> Result<(StepReport, State), StepError> {
        let system = self.given.system;
        let contacts = self.reports();
        let v = self.answer.values.v.clone();
        let joints = self.joints()?;
        let kinetic = |v: &[f64]| system.energy(&state.q, v).kinetic;
        let gaps = contacts.iter().map(|c| c.gap);
        let report = StepReport {
            t: end_time(state.t, self.given.by.h),
            h: self.given.by.h,
            joint_rank: self.joint_rank(),
            contact_energy: kinetic(&v) - kinetic(&self.given.free) - self.joint_work(&joints),
            joints,
            lcp_size: self.answer.unknowns,
            pivots: self.work.iterations,
            rounds: self.work.rounds,
            passes: 1,
            converged: true,
            residual: self.answer.residual,
            worst_gap: gaps.min_by(f64::total_cmp),
            rest_speed: self.given.rest_speed,
            restitution_cut: self.answer.restitution_cut,
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

    fn joint_rank(&self) -> Option<usize> {
        let is_equation = |link: &&Link| link.kind == JointRowKind::Equation;
        let mut equations = self.given.links.rows.iter().filter(is_equation).peekable();
        equations.peek()?;
        Some(equations.filter(|link| !link.is_implied).count())
    }

    /// Work of the impulses of the joints on bodies that move freely, J.
    fn joint_work(&self, joints: &[JointReport]) -> f64 {
        let given = self.given;
        let ends = given.free.iter().zip(&self.answer.values.v);
        let dofs = given.system.dofs();
        let mean = ends.enumerate().map(|(i, (a, b))| {
            let counts = if given.driven[i / dofs] { 0.0 } else { 0.5 };
            counts * (a + b)
        });
        let mean: Vec<f64> = mean.collect();
        let rows = given.links.rows.iter().zip(joints);
        rows.map(|(link, joint)| {
            let rows = link.among(&given.links.start).rows;
            joint.impulse * row_velocity(rows, link.index, &mean)
        })
        .sum()
    }

    fn joints(&self) -> Result<Vec<JointReport>, StepError> {
        let given = self.given;
        let Links { start, rows, loops } = &given.links;
        if rows.is_empty() {
            return Ok(Vec::new());
        }
        let mut end = Joints::default();
        rows_at_end(given.system, (given.t, given.by.h), &self.q, &mut end)?;
        let values = &self.answer.values;
        if let Some((off, id, value)) = loops.off(rows, (start, &end), &values.v) {
            let closes = off <= self.tolerance;
            if !closes {
                return Err(Loops::open(given.system, given.t, (id, value)));
            }
        }
        let mut impulses = values.links.clone();
        loops.spread(rows, &mut impulses);
        // Rounding of long arms may hide on what rows depend: then the solved impulses are the ones that balance.
        if !self.is_same_push(&values.links, &impulses) {
            impulses.clone_from(&values.links);
        }
        let links = rows.iter().zip(&impulses);
        let report = |(link, &impulse): (&Link, &f64)| JointReport {
            id: link.among(&end).id[link.index],
            kind: link.kind,
            value: link.among(&end).value[link.index],
            impulse,
        };
        Ok(links.map(report).collect())
    }

    /// Whether two choices of the impulses of the joints do the same to each momentum, to the tolerance in its unit.
    fn is_same_push(&self, one: &[f64], other: &[f64]) -> bool {
        let Given { links, units, .. } = self.given;
        let dofs = self.given.system.dofs();
        let mut change = vec![0.0; units.momentum.len()];
        for (link, (one, other)) in links.rows.iter().zip(one.iter().zip(other)) {
            let rows = link.among(&links.start).rows;
            for (side, column) in link.columns.into_iter().enumerate() {
                let Some(column) = column else { continue };
                let own = &mut change[column * dofs..][..dofs];
                for (change, row) in own.iter_mut().zip(rows.block(link.index, side)) {
                    *change += row * (other - one);
                }
            }
        }
        let mut changes = change.iter().zip(&units.momentum);
        changes.all(|(change, unit)| change.abs() <= self.tolerance * unit)
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
                let acting = rows.acting.split_at(d);
                let (on_a, on_b) = match layout.offsets {
                    [None, _] => (acting.1, acting.1),
                    [_, None] => (acting.0, acting.0),
                    _ => acting,
                };
                ContactReport {
                    id: layout.id,
                    gap: rows.gap,
                    impulse: components(&p[..d]),
                    torsion: p.get(d).copied().unwrap_or(0.0),
                    rolling: Components::new(),
                    normal: components(&rows.normal),
                    tangent: (1..d).flat_map(axis).copied().collect(),
                    point: components(on_b),
                    point_a: components(on_a),
                    mode,
                    impact: Impact::None,
                    slip: Vec::new(),
                    approach: 0.0,
                    stored: 0.0,
                }
            };
        pairs.map(report).collect()
    }
}
