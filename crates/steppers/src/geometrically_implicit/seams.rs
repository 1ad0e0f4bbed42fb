//! Where pieces lie flush: pairs that are held at edges which the whole bodies do not have.
//!
//! A corner that gets to a seam within a step can be held there by the edges of both pieces, each along a normal of its own cone:
//! with both gaps zero that is a solution of the problem of the step, beside the one with the normal of the surface, and it
//! takes any push along it. And where a face lies on several flush pieces, how they share its load is not determined.
//!
//! # Method
//! What a pair touches is asked of the pieces around its points
//! ([`ImplicitContacts::seams`](signorini_dynamics::ImplicitContacts::seams)). Where at the start of a step a piece is over several
//! pieces in one plane, or nearest to an edge that is none, the step is first solved with the half-space of their face in place of
//! them all, as on one piece. The piece that has the point found then takes the place of the half-space, and the problem of the
//! step, in which nothing else is violated, is solved from there. If that leads nowhere, the step is solved with all
//! pieces. Of each pair that presses in its solution the pieces around say whether the whole bodies have its normal at q⁺; if not,
//! a half-space takes its place and that of all others in its plane as before. If nothing comes of that, the first solution stands.

use signorini_dynamics::{ContactId, PairLayout, PairRows, PairSeam};

use super::{
    Formulation, GapFunction, GeometricallyImplicit, Way,
    guess::{Guess, PairValues},
    planes::{Plane, is_alike, share},
    problem::{Contact, Given},
    solve::Answer,
};
use crate::{report::Mode, stepper::StepError};

/// Solutions looked at: that with half-spaces and that with the pieces below them, and as much again where half-spaces lead to
/// other seams.
const LOOKS: usize = 5;

/// Rounds of the active set for them.
const ROUNDS: usize = 15;

/// A solution of a step.
#[derive(Debug)]
pub(super) struct End {
    pub(super) contacts: Vec<Contact>,
    pub(super) answer: Answer,
    /// q⁺.
    pub(super) q: Vec<f64>,
}

/// What there is if half-spaces lead nowhere.
#[derive(Debug)]
enum First {
    /// The pairs of all pieces, and where to begin.
    Pieces(Vec<Contact>, Guess),
    /// Their solution, in which something is hidden.
    Solution(End),
}

/// What was found of a step so far.
#[derive(Debug, Default)]
pub(super) struct Seams {
    first: Option<First>,
    looks: usize,
    /// Rounds before half-spaces.
    rounds: usize,
}

impl Seams {
    fn begin(&mut self, first: First, rounds: usize) {
        if self.first.is_none() {
            self.first = Some(first);
            self.rounds = rounds;
            self.looks = 0;
        }
        self.looks += 1;
    }

    /// Whether half-spaces have been tried.
    pub(super) fn has_begun(&self) -> bool {
        self.looks > 0
    }

    /// Whether half-spaces have had all rounds that they may have.
    pub(super) fn is_spent(&self, way: &Way) -> bool {
        self.first.is_some() && way.work.rounds >= self.rounds + ROUNDS
    }

    /// Goes back from half-spaces: the solution before them, or the way to one; the error if there were none.
    pub(super) fn go_back(
        &mut self,
        way: &mut Way,
        error: Option<StepError>,
    ) -> Result<Option<End>, StepError> {
        match (self.first.take(), error) {
            (Some(First::Solution(end)), _) => Ok(Some(end)),
            (Some(First::Pieces(contacts, guess)), _) => {
                (way.contacts, way.guess) = (contacts, guess);
                way.new.clear();
                way.is_given_up = false;
                // All rounds are theirs.
                way.work.rounds = self.rounds;
                Ok(None)
            }
            (None, Some(error)) => Err(error),
            (None, None) => Ok(None),
        }
    }
}

impl GeometricallyImplicit {
    /// Puts half-spaces in place of pieces in one plane and of edges that are none, as the start of the step has them, and
    /// takes velocities from the impulses of the step before.
    pub(super) fn begin_on_planes(
        &mut self,
        given: &Given<'_>,
        (way, seams): (&mut Way, &mut Seams),
    ) -> Result<(), StepError> {
        let next = self.planes_at_start(given, way)?;
        if let Some(next) = next.filter(|next| !next.stands.is_empty()) {
            let (contacts, mut guess) = (way.contacts.clone(), way.guess.clone());
            let how = (self.settings.formulation, self.settings.gap);
            let at = At::new((&contacts, &guess), given.q);
            if next.prepare(given, (way, how), at).is_ok() {
                guess.extrapolate(given, &contacts, given.state);
                seams.begin(First::Pieces(contacts, guess), way.work.rounds);
            } else {
                (way.contacts, way.guess) = (contacts, guess);
            }
        }
        way.guess.extrapolate(given, &way.contacts, given.state);
        Ok(())
    }

    fn planes_at_start(&mut self, given: &Given<'_>, way: &Way) -> Result<Option<Next>, StepError> {
        if way.contacts.is_empty() || !given.implicit.has_seams() {
            return Ok(None);
        }
        let mut values = way.guess.clone();
        for (contact, values) in way.contacts.iter().zip(&mut values.pairs) {
            given.closest(&contact.layout, given.q, &mut values.z)?;
        }
        let at = At::new((&way.contacts, &values), given.q);
        let touching: Vec<_> = (0..way.contacts.len()).map(|k| at.pair(k)).collect();
        let mut found = Vec::new();
        given
            .implicit
            .seams(given.q, &touching, &mut self.pairs, &mut found);
        Next::at_start(given, at, &found).map(Some)
    }

    /// The solution that counts, if it is this one or the first; else the way has what to solve next.
    pub(super) fn look_at_seams(
        &mut self,
        given: &Given<'_>,
        (way, seams): (&mut Way, &mut Seams),
        end: End,
    ) -> Result<Option<End>, StepError> {
        if !given.implicit.has_seams() {
            return Ok(Some(end));
        }
        let pressing = end.pressing();
        let mut found = Vec::new();
        let at = At::new((&end.contacts, &end.answer.values), &end.q);
        let touching: Vec<_> = pressing.iter().map(|&k| at.pair(k)).collect();
        let implicit = given.implicit;
        implicit.seams(&end.q, &touching, &mut self.pairs, &mut found);
        if found.iter().all(|seam| *seam == PairSeam::Counts) {
            return Ok(Some(end.without_half_spaces()));
        }
        // The point of a half-space is on nothing, or on what has another material.
        let is_off = |(&k, seam): (&usize, &PairSeam)| match seam {
            PairSeam::Hidden => end.contacts[k].layout.face.is_some(),
            PairSeam::Pieces(layout) => !is_alike(layout, &end.contacts[k].layout),
            PairSeam::Counts | PairSeam::Face(_) => false,
        };
        let mut seen = pressing.iter().zip(&found);
        if seams.first.is_some() && (seams.looks >= LOOKS || seen.any(is_off)) {
            return seams.go_back(way, None);
        }
        let how = (self.settings.formulation, self.settings.gap);
        let next = Next::new(given, at, (&pressing, &found));
        if let Ok(next) = next
            && next.prepare(given, (way, how), at).is_ok()
        {
            seams.begin(First::Solution(end), way.work.rounds);
            return Ok(None);
        }
        // A second look that cannot be had takes nothing from the first solution.
        if seams.first.is_none() {
            return Ok(Some(end));
        }
        seams.go_back(way, None)
    }
}

/// Pairs with their values at a configuration.
#[derive(Clone, Copy)]
struct At<'a> {
    contacts: &'a [Contact],
    values: &'a Guess,
    q: &'a [f64],
}

impl<'a> At<'a> {
    fn new((contacts, values): (&'a [Contact], &'a Guess), q: &'a [f64]) -> Self {
        Self {
            contacts,
            values,
            q,
        }
    }

    fn pair(&self, k: usize) -> (&'a PairLayout, &'a [f64]) {
        (&self.contacts[k].layout, &self.values.pairs[k].z)
    }

    /// The plane of the body on this side of a pair at its points.
    fn plane(&self, given: &Given<'_>, k: usize, side: usize) -> Plane {
        let (layout, z) = self.pair(k);
        let mut rows = PairRows::default();
        given.implicit.rows(layout, self.q, z, &mut rows);
        Plane::new(layout, side, &rows)
    }

    /// Half-spaces of faces that pairs at these points may have in common with others.
    fn faces(
        &self,
        given: &Given<'_>,
        k: usize,
        seam: &PairSeam,
    ) -> Result<Vec<(PairLayout, Plane)>, StepError> {
        match seam {
            PairSeam::Face(layout) => Ok(vec![(*layout, self.half_space(given, layout)?)]),
            PairSeam::Counts => {
                let (layout, z) = self.pair(k);
                let is_other = |c: &&Contact| c.layout.id != layout.id;
                let is_shared = |side: &usize| {
                    let mut others = self.contacts.iter().filter(is_other);
                    others.any(|other| share(layout, *side, &other.layout))
                };
                let sides = (0..2).filter(is_shared);
                let face = |side| Some((given.implicit.face(layout, self.q, z, side)?, side));
                let faces = sides.filter_map(face);
                Ok(faces
                    .map(|(face, side)| (face, self.plane(given, k, side)))
                    .collect())
            }
            PairSeam::Pieces(_) | PairSeam::Hidden => Ok(Vec::new()),
        }
    }

    /// The plane of the half-space that stands for a piece, and its side.
    fn half_space(&self, given: &Given<'_>, layout: &PairLayout) -> Result<Plane, StepError> {
        let side = layout.face.map_or(0, |face| face.side);
        let mut z = vec![0.0; layout.nz];
        given.closest(layout, self.q, &mut z)?;
        let mut rows = PairRows::default();
        given.implicit.rows(layout, self.q, &z, &mut rows);
        Ok(Plane::new(layout, side, &rows))
    }
}

impl End {
    /// The pairs that press.
    fn pressing(&self) -> Vec<usize> {
        let pairs = self.answer.values.pairs.iter().zip(&self.answer.modes);
        let pressing = pairs
            .enumerate()
            .filter(|(_, (values, mode))| **mode != Mode::Open && values.normal > 0.0);
        pressing.map(|(k, _)| k).collect()
    }

    /// The same without half-spaces, which do not press: the step is solved without them too.
    fn without_half_spaces(mut self) -> Self {
        let is_piece: Vec<bool> = self
            .contacts
            .iter()
            .map(|c| c.layout.face.is_none())
            .collect();
        if is_piece.iter().all(|&is| is) {
            return self;
        }
        retain(&mut self.contacts, &is_piece);
        retain(&mut self.answer.values.pairs, &is_piece);
        retain(&mut self.answer.modes, &is_piece);
        self
    }
}

fn retain<T>(all: &mut Vec<T>, keeps: &[bool]) {
    let mut keeps = keeps.iter();
    all.retain(|_| keeps.next() == Some(&true));
}

/// A pair that takes the place of another one.
struct Stand {
    layout: PairLayout,
    /// That one.
    of: usize,
}

/// Pairs that are held by one half-space.
struct Group {
    layout: PairLayout,
    plane: Plane,
    /// Whether the first of them is at an edge that is none.
    is_hidden: bool,
    members: Vec<usize>,
}

/// What is to be solved next.
struct Next {
    /// Of each contact, whether it stays.
    keeps: Vec<bool>,
    stands: Vec<Stand>,
}

impl Next {
    /// Half-spaces where pairs that press are hidden, and the pieces below half-spaces that press.
    fn new(
        given: &Given<'_>,
        at: At<'_>,
        (pressing, found): (&[usize], &[PairSeam]),
    ) -> Result<Self, StepError> {
        let mut next = Self::keeping(at);
        let mut planes: Vec<Plane> = Vec::new();
        for (&k, seam) in pressing.iter().zip(found) {
            next.keeps[k] = *seam == PairSeam::Counts;
            match *seam {
                PairSeam::Counts | PairSeam::Hidden => {}
                PairSeam::Pieces(layout) => next.stands.push(Stand { layout, of: k }),
                PairSeam::Face(layout) => {
                    let plane = at.half_space(given, &layout)?;
                    let is_known = |known: &Plane| known.is_same(&plane, given.units.length);
                    if !planes.iter().any(is_known) {
                        next.stands.push(Stand { layout, of: k });
                        planes.push(plane);
                    }
                }
            }
        }
        // The half-space holds what other pieces in its plane do; at those that do not press the body might be held again.
        for (k, contact) in at.contacts.iter().enumerate() {
            for plane in &planes {
                let Some(side) = plane.met_by(&contact.layout) else {
                    continue;
                };
                let own = at.plane(given, k, side);
                if !pressing.contains(&k) || plane.is_same(&own, given.units.length) {
                    next.keeps[k] = false;
                }
            }
        }
        next.leave_out_replaced(at);
        Ok(next)
    }

    /// Half-spaces for pairs at edges that are none, and for several pieces in one plane. Where one of these pressed in the step
    /// before its name is kept.
    fn at_start(given: &Given<'_>, at: At<'_>, found: &[PairSeam]) -> Result<Self, StepError> {
        let mut next = Self::keeping(at);
        let is_known = |k: usize| given.state.remembered(at.contacts[k].layout.id).is_some();
        let mut order: Vec<_> = (0..found.len()).collect();
        order.sort_by_key(|&k| !is_known(k));
        let mut groups: Vec<Group> = Vec::new();
        for &k in &order {
            for (layout, plane) in at.faces(given, k, &found[k])? {
                let is_same = |group: &&mut Group| group.plane.is_same(&plane, given.units.length);
                if let Some(group) = groups.iter_mut().find(is_same) {
                    group.members.push(k);
                    continue;
                }
                let is_hidden = found[k] != PairSeam::Counts;
                groups.push(Group {
                    layout,
                    plane,
                    is_hidden,
                    members: vec![k],
                });
            }
        }
        for group in groups {
            let is_free = group.members.iter().all(|&k| next.keeps[k]);
            if !is_free || (group.members.len() < 2 && !group.is_hidden) {
                continue;
            }
            for (k, contact) in at.contacts.iter().enumerate() {
                let is_off = found[k] != PairSeam::Counts;
                if group.members.contains(&k)
                    || (is_off && group.plane.met_by(&contact.layout).is_some())
                {
                    next.keeps[k] = false;
                }
            }
            let (layout, of) = (group.layout, group.members[0]);
            next.stands.push(Stand { layout, of });
        }
        Ok(next)
    }

    fn keeping(at: At<'_>) -> Self {
        let is_piece = |c: &Contact| c.layout.face.is_none();
        Self {
            keeps: at.contacts.iter().map(is_piece).collect(),
            stands: Vec::new(),
        }
    }

    /// A pair whose place another one with its name takes does not stay.
    fn leave_out_replaced(&mut self, at: At<'_>) {
        for (keeps, contact) in self.keeps.iter_mut().zip(at.contacts) {
            let mut stands = self.stands.iter();
            *keeps &= stands.all(|stand| stand.layout.id != contact.layout.id);
        }
    }

    /// Gives the way the pairs that stay and those in place of others.
    fn prepare(
        &self,
        given: &Given<'_>,
        (way, how): (&mut Way, (Formulation, GapFunction)),
        at: At<'_>,
    ) -> Result<(), StepError> {
        way.contacts = at.contacts.to_vec();
        retain(&mut way.contacts, &self.keeps);
        way.guess = at.values.clone();
        retain(&mut way.guess.pairs, &self.keeps);
        way.new.clear();
        for stand in &self.stands {
            let layout = stand.layout;
            if way.contacts.iter().any(|c| c.layout.id == layout.id) {
                continue;
            }
            let has_belts = given.system.has_belts();
            let mut contact = Contact::new(layout, how, (&given.driven, has_belts));
            way.guess.add(given, &mut contact, given.state)?;
            let place = way.guess.pairs.partition_point(|p| p.id < layout.id);
            if layout.face.is_none() {
                let of = &at.contacts[stand.of];
                let values = &at.values.pairs[stand.of];
                take_over(
                    (given, at),
                    (of, values),
                    (&mut contact, &mut way.guess.pairs[place]),
                )?;
            }
            way.contacts.insert(place, contact);
        }
        Ok(())
    }
}

/// Gives the pair of the piece below a half-space what that had.
fn take_over(
    (given, at): (&Given<'_>, At<'_>),
    (of, values): (&Contact, &PairValues),
    (contact, own): (&mut Contact, &mut PairValues),
) -> Result<(), StepError> {
    let mut rows = PairRows::default();
    given.implicit.rows(&of.layout, at.q, &values.z, &mut rows);
    let (a, b) = rows.points.split_at(rows.points.len() / 2);
    let side = usize::from(of.layout.face.is_some_and(|face| face.side == 1));
    let body = |id: ContactId, side: usize| [id.a, id.b][side];
    // The piece may be of another fixed body, that was added after the one that moves.
    let is_turned = body(contact.layout.id, 1 - side) != body(of.layout.id, 1 - side);
    let points = if is_turned { [b, a] } else { [a, b] };
    let layout = &contact.layout;
    let patch = given
        .implicit
        .start_on_patch(layout, at.q, Some(points), &mut own.z);
    if !patch.map_err(|source| StepError::Contact { t: given.t, source })? {
        given.closest(layout, at.q, &mut own.z)?;
    }
    own.normal = values.normal;
    if !is_turned && own.ratios.len() == values.ratios.len() {
        own.ratios.clone_from(&values.ratios);
        own.sigma = values.sigma;
    }
    // At the start the nearest point of the piece may be on an edge that is none.
    contact.bounce = of.bounce;
    contact.compression = of.compression;
    contact.depth = of.depth;
    Ok(())
}
