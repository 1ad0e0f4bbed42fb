//! Which pairs the problem of a step has: those that are likely to touch, and those that its solution leaves in overlap.

use signorini_dynamics::{ContactId, PairLayout, State};

use super::{
    GeometricallyImplicit,
    problem::{Contact, Given},
};
use crate::stepper::StepError;

impl GeometricallyImplicit {
    /// Pairs in overlap at q⁺: those that are not in the problem, and those whose points are not the closest ones.
    pub(super) fn violated(
        &mut self,
        given: &Given<'_>,
        contacts: &[Contact],
        q: &[f64],
    ) -> Result<Violated, StepError> {
        let length = given.units.length;
        given.pairs(
            q,
            -self.settings.violation_tolerance * length,
            &mut self.pairs,
        )?;
        let known = |id: ContactId| contacts.binary_search_by_key(&id, |c| c.layout.id).is_ok();
        let mut violated = Violated::default();
        for (&layout, &gap) in self.pairs.layouts.iter().zip(&self.pairs.gaps) {
            let is_known = known(layout.id);
            if !is_known {
                violated.new.push(layout);
            } else if gap <= -ASTRAY * length {
                violated.known.push(layout.id);
            } else {
                continue;
            }
            if violated.deepest.is_none_or(|(_, deepest)| gap < deepest) {
                violated.deepest = Some((layout.id, gap));
            }
        }
        Ok(violated)
    }

    /// Pairs that carried an impulse in the step before, and those that close until q + h v*. Bricks of a wall that touch
    /// sideways do not: with no impulse their points could be anywhere on the face.
    pub(super) fn predict(
        &mut self,
        given: &Given<'_>,
        state: &State,
    ) -> Result<Vec<PairLayout>, StepError> {
        let q = given.end(&given.free);
        // Beyond this a pair that touched has left for good; if not, the check at the end finds it.
        let reach = if state.memory.is_empty() {
            0.0
        } else {
            0.1 * given.units.length + 2.0 * given.by.h * given.units.fastest
        };
        given.pairs(&q, reach, &mut self.pairs)?;
        let deep = -self.settings.violation_tolerance * given.units.length;
        let mut chosen = Vec::new();
        for (pair, &gap) in self.pairs.layouts.iter().zip(&self.pairs.gaps) {
            let is_chosen = state.remembered(pair.id).is_some()
                || gap < deep
                || (gap <= 0.0 && given.closes(pair, gap)?);
            if is_chosen {
                chosen.push(*pair);
            }
        }
        Ok(chosen)
    }
}

/// What a solved problem leaves in overlap.
#[derive(Debug, Default)]
pub(super) struct Violated {
    /// Pairs that are not in the problem.
    pub(super) new: Vec<PairLayout>,
    /// Pairs of the problem: at points that are not the closest ones, or after an impact that does not keep them apart.
    pub(super) known: Vec<ContactId>,
    /// The one with the smallest gap, and that, m.
    pub(super) deepest: Option<(ContactId, f64)>,
}

/// Part of the way of a fall from rest in a step.
const HARDLY: f64 = 1e-6;

/// An overlap of a pair of the problem beyond this part of the length is no rounding.
pub(super) const ASTRAY: f64 = 1e-8;

impl Given<'_> {
    /// Whether a pair whose gap at q + h v* is this closes in free motion, faster than a body hardly falls.
    fn closes(&self, pair: &PairLayout, gap: f64) -> Result<bool, StepError> {
        Ok(self.gap(pair, self.q)? - gap > HARDLY * self.by.h * self.units.fall)
    }
}
