//! Energy of impacts: what contacts take in a compression, and how much of e a rebound may have for it.
//!
//! Impulses change the kinetic energy by their work with the mean of the velocities before and after,
//!
//! ```math
//! \tfrac12 (v^{+} + v)^T M (v^{+} - v) = \tfrac12\, p \cdot (u^{+} + u) + \tfrac{h}{2}\, k^T (v^{+} + v)
//! ```
//!
//! with u the velocities of the surfaces against each other, so that what drives a body or a belt is no gain of an impact. What
//! joints that hold and gyroscopic forces work is counted with the impulses: it is none, and what a step makes of it where
//! velocities jump comes from the impact. A contact that is compressed stores what its work takes, all contacts of a group of touching bodies no more than their works
//! take together. A group gains energy where its works are more than its rebounds have stored.
//!
//! Under the laws of Poisson and Moreau that must not be: e is smaller then for the group, the same part s of it at all contacts, so
//! that the gain is none, or as much as that of the inelastic step if that gains, as where penetration is put right.

use signorini_complementarity::FIXED;
use signorini_dynamics::{ConstraintRows, Rotation, System};

use crate::{
    assemble::{LinearizedContacts, Solved, row_velocity},
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
    /// The works of a step whose mass and rows were evaluated at some positions.
    pub(crate) fn new(
        (system, at): (&dyn System, &[f64]),
        impacts: &Impacts<'_>,
        linearized: &LinearizedContacts,
        solved: &Solved,
    ) -> Self {
        let contacts = &linearized.contacts;
        let (group, of_body) = groups(system, linearized);
        let (layout, all) = (Layout::of(contacts), contact_rows(contacts));
        let pairs = impacts.state.v.iter().zip(&solved.v);
        let mean: Vec<f64> = pairs.map(|(a, b)| 0.5 * (a + b)).collect();
        let count = group.iter().map(|group| group + 1).max().unwrap_or(0);
        let mut out = Self {
            group,
            work: Vec::with_capacity(contacts.len()),
            groups: vec![Group::default(); count],
        };
        let mut u = vec![0.0; all.drift.len()];
        all.rows.mul_into(&mean, &mut u);
        u.iter_mut().zip(&all.drift).for_each(|(u, d)| *u += d);
        let (mut impulse, d) = (vec![0.0; layout.rows()], system.dimension());
        for (k, u) in u.chunks_exact(layout.rows()).enumerate() {
            layout.join(&solved.of_contact(contacts.id[k], (k, d)), &mut impulse);
            let group = &mut out.groups[out.group[k]];
            let works = impulse.iter().zip(u).map(|(p, u)| p * u);
            out.work.push(works.clone().sum());
            works.for_each(|work| group.add(work));
            group.stored += impacts.stored(contacts, k);
        }
        let mut add = |body: usize, work: f64| {
            if let Some(group) = out.groups.get_mut(of_body[body]) {
                group.add(work);
            }
        };
        // Joints hold at the end what they held at the start elsewhere.
        for (rows, k, p) in held(linearized, solved) {
            let work = p * (row_velocity(&rows.rows, k, &mean) + rows.drift[k]);
            let columns = rows.rows.cols()[k];
            if let Some(&body) = columns.iter().find(|&&c| moves(system, c)) {
                add(body as usize, work);
            }
        }
        if d == 3 {
            let works = of_turning((system, at), impacts, &solved.v);
            works
                .into_iter()
                .enumerate()
                .for_each(|(body, work)| add(body, work));
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

impl Group {
    fn add(&mut self, work: f64) {
        self.gain += work;
        self.rounding += ROUNDING * work.abs();
    }
}

/// What the energies of bodies in space change by because they turn, J: by the gyroscopic part of what forces add to the angular
/// momentum, which is across the angular velocity, and as their inertia turns with them, which it does for less than all of the step
/// where it was evaluated.
fn of_turning((system, at): (&dyn System, &[f64]), impacts: &Impacts<'_>, end: &[f64]) -> Vec<f64> {
    let (state, h, dofs) = (impacts.state, impacts.h, system.dofs());
    let (mut free, mut q) = (vec![0.0; system.nv()], vec![0.0; system.nq()]);
    system.free_velocity(state.t, &state.q, &state.v, h, &mut free);
    system.retract(&state.q, end, h, Rotation::Printed, &mut q);
    let (mut mass, mut mass_end) = (Vec::new(), Vec::new());
    system.mass_blocks(at, &mut mass);
    system.mass_blocks(&q, &mut mass_end);
    let work = |body: usize| {
        let own = |v: &[f64]| [0, 1, 2].map(|i: usize| v[body * dofs + 3 + i]);
        let inertia = |mass: &[f64], w: [f64; 3]| {
            let block = &mass[body * dofs * dofs..][..dofs * dofs];
            [3, 4, 5].map(|row: usize| dot(&block[row * dofs + 3..][..3], &w))
        };
        let [before, after, free] = [&state.v, end, &free].map(own);
        let square = dot(&before, &before);
        if system.is_driven(body) {
            return 0.0;
        }
        let change = inertia(&mass, [0, 1, 2].map(|i| free[i] - before[i]));
        let along = dot(&change, &before) / square.max(f64::MIN_POSITIVE);
        let across = [0, 1, 2].map(|i| change[i] - along * before[i]);
        let mean = [0, 1, 2].map(|i| 0.5 * (before[i] + after[i]));
        let energy = |mass: &[f64]| 0.5 * dot(&after, &inertia(mass, after));
        dot(&across, &mean) + energy(&mass_end) - energy(&mass)
    };
    (0..system.nv() / dofs).map(work).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Rows of joints that hold: equations and limits, with their impulses.
fn held<'a>(
    linearized: &'a LinearizedContacts,
    solved: &'a Solved,
) -> impl Iterator<Item = (&'a ConstraintRows, usize, f64)> {
    let joints = &linearized.joints;
    let (equations, limits) = (&joints.equations, &joints.limits);
    let after = equations.len() + joints.efforts.len();
    let row = |rows: &'a ConstraintRows, first: usize| {
        (0..rows.len()).map(move |k| (rows, k, solved.joint_impulses[first + k]))
    };
    row(equations, 0).chain(row(limits, after))
}

/// Whether a column is that of a body that impulses move.
fn moves(system: &dyn System, column: u32) -> bool {
    column != FIXED && !system.is_driven(column as usize)
}

/// The group of each contact, and that of each body, none where it touches nothing: of bodies that contacts and joints connect. What
/// is driven connects nothing.
fn groups(system: &dyn System, linearized: &LinearizedContacts) -> (Vec<usize>, Vec<usize>) {
    let joints = &linearized.joints;
    let contacts = linearized.contacts.rows.cols();
    let others = [&joints.equations, &joints.limits].map(|rows| rows.rows.cols());
    let efforts = joints.efforts.rows.cols();
    let all = contacts
        .iter()
        .chain(others.into_iter().flatten())
        .chain(efforts);
    let mut parent: Vec<usize> = (0..system.nv() / system.dofs().max(1)).collect();
    for &[a, b] in all {
        if moves(system, a) && moves(system, b) {
            let (a, b) = (root(&mut parent, a as usize), root(&mut parent, b as usize));
            parent[a.max(b)] = a.min(b);
        }
    }
    let (mut count, mut number) = (0, vec![usize::MAX; parent.len()]);
    // A contact of driven bodies alone is in the group of one of them.
    let of_contact = contacts.iter().map(|columns| {
        let moving = columns.iter().find(|&&column| moves(system, column));
        let column = moving.or_else(|| columns.iter().find(|&&column| column != FIXED));
        let place = root(&mut parent, column.map_or(0, |&column| column as usize));
        if number[place] == usize::MAX {
            number[place] = count;
            count += 1;
        }
        number[place]
    });
    let group = of_contact.collect();
    let of_body = (0..parent.len()).map(|body| number[root(&mut parent, body)]);
    (group, of_body.collect())
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
        (high > all.rounding).then_some(Self {
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
    (system, at): (&dyn System, &[f64]),
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
    let all = Works::new((system, at), impacts, linearized, &first);
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
        let works = Works::new((system, at), impacts, &lowered, &solved);
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
