//! Energy of impacts: what contacts take in a compression, and how much of e a rebound may have for it.
//!
//! Impulses change the kinetic energy by their work with the mean of the velocities before and after,
//!
//! ```math
//! \tfrac12 (v^{+} + v)^T M (v^{+} - v) = \tfrac12\, p \cdot (u^{+} + u) + \tfrac{h}{2}\, k^T (v^{+} + v)
//! ```
//!
//! with u the velocities of the surfaces against each other, so that what drives a body or a belt is no gain of an impact. A
//! contact that is compressed stores what its work takes, all contacts of a group of touching bodies no more than their works
//! take together. A group gains energy where its works are more than its rebounds have stored.
//!
//! Under the laws of Poisson and Moreau that must not be: e is smaller then for the group, the same part s of it at all contacts, so
//! that the gain is none, or as much as that of the inelastic step if that gains, as where penetration is put right.

use signorini_complementarity::FIXED;
use signorini_dynamics::System;

use crate::{
    assemble::{LinearizedContacts, Solved},
    rank::root,
    restitution::Impacts,
    rows::{Layout, contact_rows},
    stepper::StepError,
};

/// A gain up to this part of the largest works is rounding: problems are solved to some 1e-10 of their impulses.
const ROUNDING: f64 = 1e-10;

/// The root is near enough if so much of the range of gains is left.
const NEAR: f64 = 1e-6;

/// And if the part of e is known so well.
const NARROW: f64 = 1e-3;

/// Problems solved for the root; five to eight are enough.
const TRIES: usize = 30;

/// Works of the contacts of a solved step by groups of bodies that contacts and joints connect.
pub(crate) struct Works {
    /// Group of each contact.
    group: Vec<usize>,
    /// Work of each contact, J.
    work: Vec<f64>,
    groups: Vec<Group>,
}

/// What the contacts of a group do.
#[derive(Clone, Copy, Debug, Default)]
struct Group {
    /// Sum of their works, J.
    gain: f64,
    /// What rebounds may give back, J.
    stored: f64,
    /// What of a gain is rounding, J.
    rounding: f64,
}

impl Works {
    pub(crate) fn new(
        system: &dyn System,
        impacts: &Impacts<'_>,
        linearized: &LinearizedContacts,
        solved: &Solved,
    ) -> Self {
        let contacts = &linearized.contacts;
        let (groups, group) = groups(system, linearized);
        let (layout, all, d) = (
            Layout::of(contacts),
            contact_rows(contacts),
            system.dimension(),
        );
        let mean: Vec<f64> = impacts
            .state
            .v
            .iter()
            .zip(&solved.v)
            .map(|(a, b)| 0.5 * (a + b))
            .collect();
        let mut out = Self {
            group,
            work: Vec::with_capacity(contacts.len()),
            groups: vec![Group::default(); groups],
        };
        let mut u = vec![0.0; all.drift.len()];
        all.rows.mul_into(&mean, &mut u);
        u.iter_mut()
            .zip(&all.drift)
            .for_each(|(u, drift)| *u += drift);
        let mut impulse = vec![0.0; layout.rows()];
        for (k, u) in u.chunks_exact(layout.rows()).enumerate() {
            layout.join(&solved.of_contact(contacts.id[k], (k, d)), &mut impulse);
            let works = impulse.iter().zip(u).map(|(p, u)| p * u);
            let group = &mut out.groups[out.group[k]];
            group.rounding += ROUNDING * works.clone().map(f64::abs).sum::<f64>();
            let work = works.sum::<f64>();
            group.gain += work;
            group.stored += impacts.stored(contacts, k);
            out.work.push(work);
        }
        out
    }

    /// Groups whose rebounds give back more than is stored, given which contacts rebound.
    fn gaining(&self, rebounds: &[bool]) -> Vec<bool> {
        let over = |group: &Group| group.gain > group.stored + group.rounding;
        let mut out = vec![false; self.groups.len()];
        for (&group, rebounds) in self.group.iter().zip(rebounds) {
            out[group] |= rebounds & over(&self.groups[group]);
        }
        out
    }

    /// What contact k stores if it is compressed, given which are, J.
    pub(crate) fn stored(&self, is_compressed: &[bool]) -> Vec<f64> {
        let taken = |k: usize| {
            if is_compressed[k] {
                (-self.work[k]).max(0.0)
            } else {
                0.0
            }
        };
        let mut all = vec![0.0; self.groups.len()];
        (0..self.work.len()).for_each(|k| all[self.group[k]] += taken(k));
        let part = |k: usize| {
            let group = &self.groups[self.group[k]];
            ((group.stored - group.gain) / all[self.group[k]]).clamp(0.0, 1.0)
        };
        let stored = |k: usize| match taken(k) {
            0.0 => 0.0,
            taken => part(k) * taken,
        };
        (0..self.work.len()).map(stored).collect()
    }
}

/// Number of the groups of bodies that contacts and joints connect, and that of each contact. What is driven connects nothing.
fn groups(system: &dyn System, linearized: &LinearizedContacts) -> (usize, Vec<usize>) {
    let joints = &linearized.joints;
    let rows = [
        &linearized.contacts.rows,
        &joints.equations.rows,
        &joints.limits.rows,
        &joints.efforts.rows,
    ];
    let moves = |column: &&u32| **column != FIXED && !system.is_driven(**column as usize);
    let mut parent: Vec<usize> = (0..system.nv() / system.dofs().max(1)).collect();
    for columns in rows.iter().flat_map(|rows| rows.cols()) {
        let mut moving = columns.iter().filter(moves).map(|&column| column as usize);
        if let (Some(a), Some(b)) = (moving.next(), moving.next()) {
            let (a, b) = (root(&mut parent, a), root(&mut parent, b));
            parent[a.max(b)] = a.min(b);
        }
    }
    let (mut count, mut number) = (0, vec![usize::MAX; parent.len()]);
    let mut named = |place: usize| {
        if number[place] == usize::MAX {
            number[place] = count;
            count += 1;
        }
        number[place]
    };
    // A contact of driven bodies alone is a group of its own without work.
    let of_contact = linearized.contacts.rows.cols().iter().map(|columns| {
        let moving = columns
            .iter()
            .find(moves)
            .or_else(|| columns.iter().find(|c| **c != FIXED));
        moving.map_or(0, |&column| named(root(&mut parent, column as usize)))
    });
    let group = of_contact.collect();
    (count.max(1), group)
}

/// A bracket of the part of e with which a group gains nothing.
#[derive(Clone, Copy)]
struct Bracket {
    /// What the group may gain, J.
    allowed: f64,
    /// Part of e and gain over what is allowed, ≤ 0.
    low: (f64, f64),
    /// The same, > 0.
    high: (f64, f64),
    /// Largest part known to be allowed.
    kept: f64,
    /// Gain over what is allowed at which the root is near.
    near: f64,
    is_done: bool,
}

impl Bracket {
    /// From the gains with all of e and with none; none if all of it is allowed.
    fn new(all: Group, none: Group) -> Option<Self> {
        let allowed = all.stored.max(none.gain);
        let (low, high) = (none.gain - allowed, all.gain - allowed);
        (high > all.rounding).then(|| Self {
            allowed,
            low: (0.0, low),
            high: (1.0, high),
            kept: 0.0,
            near: NEAR * (high - low) + all.rounding,
            is_done: false,
        })
    }

    /// By the rule of false position with halved ends (Illinois).
    fn next(&self) -> f64 {
        if self.is_done {
            return self.kept;
        }
        let (low, high) = (self.low, self.high);
        // A gain that begins as none has its root at the end: halves find another one, if there is any.
        if low.1 == 0.0 {
            return 0.5 * (low.0 + high.0);
        }
        low.0 + (high.0 - low.0) * low.1 / (low.1 - high.1)
    }

    fn learn(&mut self, s: f64, group: Group) {
        if self.is_done {
            return;
        }
        let over = group.gain - self.allowed;
        if over > group.rounding {
            self.high = (s, over);
            self.low.1 *= 0.5;
        } else {
            self.kept = self.kept.max(s);
            self.is_done = over >= -self.near;
            self.low = (s, over.min(0.0));
            self.high.1 *= 0.5;
        }
        self.is_done |= self.high.0 - self.low.0 <= NARROW;
    }
}

/// Solves the step with as much of e as the energy allows; `solve` is given what is asked of the contacts.
pub(crate) fn within_energy(
    system: &dyn System,
    impacts: &Impacts<'_>,
    linearized: &LinearizedContacts,
    solve: &mut dyn FnMut(&LinearizedContacts) -> Result<Solved, StepError>,
) -> Result<Solved, StepError> {
    let first = solve(linearized)?;
    let parts: Vec<bool> = (0..linearized.contacts.len())
        .map(|k| impacts.rebounds(linearized, k))
        .collect();
    if !parts.contains(&true) {
        return Ok(first);
    }
    let all = Works::new(system, impacts, linearized, &first);
    let over = all.gaining(&parts);
    if !over.contains(&true) {
        return Ok(first);
    }
    let mut pivots = first.pivots;
    let mut attempt = |s: &[f64]| -> Result<(Solved, Works), StepError> {
        let mut lowered = linearized.clone();
        for k in (0..parts.len()).filter(|&k| parts[k]) {
            impacts.lower(&mut lowered, k, s[all.group[k]]);
        }
        let solved = solve(&lowered)?;
        pivots += solved.pivots;
        let works = Works::new(system, impacts, &lowered, &solved);
        Ok((solved, works))
    };
    let mut kept_s: Vec<f64> = over
        .iter()
        .map(|over| if *over { 0.0 } else { 1.0 })
        .collect();
    let (mut kept, none) = attempt(&kept_s)?;
    let groups = all.groups.iter().zip(&none.groups).zip(over);
    let mut brackets: Vec<Option<Bracket>> = groups
        .map(|((all, none), over)| over.then(|| Bracket::new(*all, *none)).flatten())
        .collect();
    for _ in 0..TRIES {
        let next = brackets.iter().map(|b| b.map_or(1.0, |b| b.next()));
        let s: Vec<f64> = next.collect();
        if s == kept_s {
            break;
        }
        let (solved, works) = match attempt(&s) {
            Ok(found) => found,
            // The search ends: what is kept is a solution.
            Err(error) if error.is_unsolved() => break,
            Err(error) => return Err(error),
        };
        let mut is_allowed = true;
        for (bracket, (&s, group)) in brackets.iter_mut().zip(s.iter().zip(&works.groups)) {
            if let Some(bracket) = bracket {
                bracket.learn(s, *group);
                is_allowed &= bracket.kept >= s;
            }
        }
        if is_allowed {
            (kept, kept_s) = (solved, s);
        }
    }
    let least = kept_s.iter().fold(1.0, |m: f64, s| m.min(*s));
    Ok(Solved {
        pivots,
        restitution_cut: 1.0 - least,
        ..kept
    })
}
