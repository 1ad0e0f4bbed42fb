//! A second look at a solved step where pieces lie flush: pairs that are held at edges which the whole bodies do not have.
//!
//! A corner that gets to a seam within a step can be held there by the edges of both pieces, each along a normal of its own cone:
//! with both gaps zero that is a solution of the problem of the step, beside the one with the normal of the surface, and it
//! takes any push along it.
//!
//! # Method
//! Of each pair that presses at q⁺ the pieces around its point say whether the whole bodies have its normal there
//! ([`ImplicitContacts::seams`](signorini_dynamics::ImplicitContacts::seams)). If not, the step is solved again with the half-space
//! of the exposed face in place of the piece, and of all others that the same body touches in that plane: as on one piece. Then
//! the piece that has the point found takes the place of the half-space, and the problem of the step is solved from there. It
//! counts if nothing in it is hidden; if there is none such the first solution stands.

use signorini_dynamics::{ContactId, PairLayout, PairRows, PairSeam};

use super::{
    Formulation, GapFunction, GeometricallyImplicit, Way,
    guess::PairValues,
    problem::{Contact, Given},
    solve::Answer,
};
use crate::{report::Mode, stepper::StepError};

/// Solutions looked at in a step: that with half-spaces and that with the pieces below them, and as much again where
/// half-spaces lead to other seams.
const LOOKS: usize = 5;

/// Rounds of the active set after the first solution.
const ROUNDS: usize = 15;

/// Planes are the same within this angle, rad, and this part of the length.
const SAME: f64 = 1e-6;

/// A solution of a step.
#[derive(Debug)]
pub(super) struct End {
    pub(super) contacts: Vec<Contact>,
    pub(super) answer: Answer,
    /// q⁺.
    pub(super) q: Vec<f64>,
}

/// What was found of a step so far.
#[derive(Debug, Default)]
pub(super) struct Seams {
    /// The first solution, if something in it is hidden.
    first: Option<End>,
    looks: usize,
    rounds: usize,
}

impl Seams {
    /// The first solution, once no other is to be looked for.
    pub(super) fn given_up(&mut self, rounds: usize) -> Option<End> {
        let is_spent = rounds >= self.rounds + ROUNDS;
        self.first.take_if(|_| is_spent)
    }

    /// The first solution where the second has none.
    pub(super) fn or_first(&mut self, error: StepError) -> Result<End, StepError> {
        self.first.take().ok_or(error)
    }
}

impl GeometricallyImplicit {
    /// The solution that counts, if it is this one or the first; else the way has what to solve next.
    pub(super) fn look_at_seams(
        &mut self,
        given: &Given<'_>,
        (way, seams): (&mut Way, &mut Seams),
        mut end: End,
    ) -> Result<Option<End>, StepError> {
        let pressing = end.pressing();
        if pressing.is_empty() {
            return Ok(Some(end.without_half_spaces()));
        }
        let mut found = Vec::new();
        let touching: Vec<_> = pressing.iter().map(|&k| end.pair(k)).collect();
        let implicit = given.implicit;
        implicit.seams(&end.q, &touching, &mut self.pairs, &mut found);
        if found.iter().all(|seam| *seam == PairSeam::Counts) {
            return Ok(Some(end.without_half_spaces()));
        }
        if seams.looks == LOOKS {
            return Ok(Some(seams.first.take().unwrap_or(end)));
        }
        let how = (self.settings.formulation, self.settings.gap);
        let next = Next::new(given, &end, (&pressing, &found))?;
        next.prepare(given, (way, how), &end)?;
        if seams.looks == 0 {
            seams.rounds = way.work.rounds;
            end.contacts.shrink_to_fit();
            seams.first = Some(end);
        }
        seams.looks += 1;
        Ok(None)
    }
}

impl End {
    /// The pairs that press.
    fn pressing(&self) -> Vec<usize> {
        let pairs = self.answer.values.pairs.iter().zip(&self.answer.modes);
        let pressing = pairs.enumerate().filter(|(_, (values, mode))| {
            **mode != Mode::Open && values.normal > 0.0
        });
        pressing.map(|(k, _)| k).collect()
    }

    fn pair(&self, k: usize) -> (&PairLayout, &[f64]) {
        (&self.contacts[k].layout, &self.answer.values.pairs[k].z)
    }

    /// The same without half-spaces, which do not press: the step is solved without them too.
    fn without_half_spaces(mut self) -> Self {
        let is_piece: Vec<bool> = self.contacts.iter().map(|c| c.layout.face.is_none()).collect();
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

/// What is to be solved next.
struct Next {
    /// Of each contact, whether it stays.
    keeps: Vec<bool>,
    stands: Vec<Stand>,
}

impl Next {
    fn new(
        given: &Given<'_>,
        end: &End,
        (pressing, found): (&[usize], &[PairSeam]),
    ) -> Result<Self, StepError> {
        let mut next = Self {
            keeps: end.contacts.iter().map(|c| c.layout.face.is_none()).collect(),
            stands: Vec::new(),
        };
        let mut planes: Vec<Plane> = Vec::new();
        let mut rows = PairRows::default();
        for (&k, seam) in pressing.iter().zip(found) {
            next.keeps[k] = *seam == PairSeam::Counts;
            match seam {
                PairSeam::Counts | PairSeam::Hidden => {}
                PairSeam::Pieces(layout) => next.stands.push(Stand { layout: *layout, of: k }),
                PairSeam::Face(layout) => {
                    let side = layout.face.map_or(0, |face| face.side);
                    let mut z = vec![0.0; layout.nz];
                    given.closest(layout, &end.q, &mut z)?;
                    given.implicit.rows(layout, &end.q, &z, &mut rows);
                    let plane = Plane::new(layout, side, &rows);
                    if !planes.iter().any(|known| known.is_same(&plane, given.units.length)) {
                        next.stands.push(Stand { layout: *layout, of: k });
                        planes.push(plane);
                    }
                }
            }
        }
        // The half-space holds what other pieces in its plane do; at those that do not press the body might be held again.
        for (k, contact) in end.contacts.iter().enumerate() {
            let layout = &contact.layout;
            for plane in &planes {
                let Some(side) = plane.met_by(layout) else {
                    continue;
                };
                given.implicit.rows(layout, &end.q, end.pair(k).1, &mut rows);
                let own = Plane::new(layout, side, &rows);
                if !pressing.contains(&k) || plane.is_same(&own, given.units.length) {
                    next.keeps[k] = false;
                }
            }
        }
        for stand in &next.stands {
            for (keeps, contact) in next.keeps.iter_mut().zip(&end.contacts) {
                *keeps &= contact.layout.id != stand.layout.id;
            }
        }
        Ok(next)
    }

    /// Gives the way the pairs that stay and those in place of others.
    fn prepare(
        &self,
        given: &Given<'_>,
        (way, how): (&mut Way, (Formulation, GapFunction)),
        end: &End,
    ) -> Result<(), StepError> {
        way.contacts.clone_from(&end.contacts);
        retain(&mut way.contacts, &self.keeps);
        way.guess = end.answer.values.clone();
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
            let at = way.guess.pairs.partition_point(|p| p.id < layout.id);
            if layout.face.is_none() {
                let of = &end.contacts[stand.of];
                let values = &end.answer.values.pairs[stand.of];
                take_over((given, end), (of, values), (&mut contact, &mut way.guess.pairs[at]))?;
            }
            way.contacts.insert(at, contact);
        }
        Ok(())
    }
}

/// Gives the pair of the piece below a half-space what that had.
fn take_over(
    (given, end): (&Given<'_>, &End),
    (of, values): (&Contact, &PairValues),
    (contact, own): (&mut Contact, &mut PairValues),
) -> Result<(), StepError> {
    let mut rows = PairRows::default();
    given.implicit.rows(&of.layout, &end.q, &values.z, &mut rows);
    let (a, b) = rows.points.split_at(rows.points.len() / 2);
    let side = usize::from(of.layout.face.is_some_and(|face| face.side == 1));
    let body = |id: ContactId, side: usize| [id.a, id.b][side];
    // The piece may be of another fixed body, that was added after the one that moves.
    let is_turned = body(contact.layout.id, 1 - side) != body(of.layout.id, 1 - side);
    let points = if is_turned { [b, a] } else { [a, b] };
    let layout = &contact.layout;
    let patch = given.implicit.start_on_patch(layout, &end.q, Some(points), &mut own.z);
    if !patch.map_err(|source| StepError::Contact { t: given.t, source })? {
        given.closest(layout, &end.q, &mut own.z)?;
    }
    own.normal = values.normal;
    if !is_turned && own.ratios.len() == values.ratios.len() {
        own.ratios.clone_from(&values.ratios);
        own.sigma = values.sigma;
    }
    if layout.restitution == of.layout.restitution {
        // At the start the nearest point of the piece may be on an edge that is none.
        contact.bounce = of.bounce;
        contact.compression = of.compression;
        contact.depth = of.depth;
    }
    Ok(())
}

/// The plane in which a piece of a body is touched.
struct Plane {
    /// Body and piece that touch it.
    by: (u32, u32),
    /// Body that has it, and whether it is fixed.
    of: u32,
    is_fixed: bool,
    /// Towards the piece that touches, and how far along it, m.
    outward: Vec<f64>,
    height: f64,
}

impl Plane {
    /// The plane of the body on this side of a pair.
    fn new(layout: &PairLayout, side: usize, rows: &PairRows) -> Self {
        let sign = if side == 0 { 1.0 } else { -1.0 };
        let outward: Vec<f64> = rows.normal.iter().map(|n| sign * n).collect();
        let d = outward.len();
        let point = &rows.points[side * d..][..d];
        let height = outward.iter().zip(point).map(|(n, x)| n * x).sum();
        let bodies = [layout.id.a, layout.id.b];
        Self {
            by: (bodies[1 - side], layout.id.pieces[1 - side]),
            of: bodies[side],
            is_fixed: layout.offsets[side].is_none(),
            outward,
            height,
        }
    }

    /// The side of a pair that has the plane, if it is of the piece that touches it.
    fn met_by(&self, layout: &PairLayout) -> Option<usize> {
        let bodies = [layout.id.a, layout.id.b];
        (0..2).find(|&side| {
            let by = (bodies[1 - side], layout.id.pieces[1 - side]);
            let is_fixed = layout.offsets[side].is_none();
            by == self.by && (bodies[side] == self.of || (is_fixed && self.is_fixed))
        })
    }

    fn is_same(&self, other: &Self, length: f64) -> bool {
        let turned = self.outward.iter().zip(&other.outward);
        let turned = turned.map(|(m, n)| (m - n).abs()).fold(0.0, f64::max);
        self.by == other.by
            && (self.of == other.of || (self.is_fixed && other.is_fixed))
            && turned <= SAME
            && (self.height - other.height).abs() <= SAME * length
    }
}
