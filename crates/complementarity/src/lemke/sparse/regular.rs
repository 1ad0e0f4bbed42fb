//! Paths that begin at a point, for the linearised problems of nonlinear ones.

use super::data::SparseProblem;
use super::dictionary::{Departure, Dictionary, Singular};
use super::factors::Factors;
use super::path::{End, exchange, is_complementary};
use crate::lemke::LemkeSettings;
use crate::residual::LinearView;
use crate::{BasisMark, Stats};

/// How a path from a point ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PathCode {
    /// At a solution of the linear problem.
    Solved,
    Ray,
    Limit,
    /// The starting basis is singular: there is no path.
    Singular,
    /// Rounding has broken it off.
    Lost,
}

/// A path of a linear problem, from a point towards a solution.
#[derive(Clone, Debug)]
pub(crate) struct Trail {
    pub(crate) code: PathCode,
    /// How far it came: 1 at a solution, 0 at the start.
    pub(crate) reached: f64,
    /// The point there, within the bounds.
    pub(crate) z: Vec<f64>,
    pub(crate) pivots: usize,
    /// Points on the way with how far each is, in their order, if they were asked for.
    pub(crate) breaks: Vec<(f64, Vec<f64>)>,
}

/// Linear problems with their factors' memory, one after the other.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pivoting {
    factors: Factors,
}

/// A point within the bounds with F there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin<'a> {
    pub(crate) z: &'a [f64],
    pub(crate) f: &'a [f64],
}

/// What a path is allowed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TrailLimits {
    pub(crate) pivots: usize,
    /// Rounds in which a singular starting basis is repaired.
    pub(crate) repairs: usize,
    pub(crate) keep_breaks: bool,
}

/// Powers of two (row, column) that bring the rows and columns of M near one.
pub(crate) fn scaling(view: LinearView<'_>) -> Vec<(f64, f64)> {
    SparseProblem::new(&view, false).scaling()
}

impl Pivoting {
    /// z with F = 0 in the rows that are basic, the others at their bounds; not drawn into the bounds. `None` if
    /// these rows are singular.
    pub(crate) fn solve_basis(
        &mut self,
        view: LinearView<'_>,
        origin: Origin<'_>,
        marks: &[BasisMark],
    ) -> Option<Vec<f64>> {
        let data = SparseProblem::new(&view, false);
        let factors = std::mem::take(&mut self.factors);
        match Dictionary::complementary(&data, &data.standing(marks), factors) {
            Ok(mut dictionary) => {
                let z = solution(&view, &data, &mut dictionary, origin);
                self.factors = dictionary.into_factors();
                Some(z)
            }
            Err(singular) => {
                self.factors = *singular.factors;
                None
            }
        }
    }

    /// Follows the path of the linear problem from a point, whose variables stand as `marks` say.
    pub(crate) fn trail(
        &mut self,
        view: LinearView<'_>,
        origin: Origin<'_>,
        marks: &[BasisMark],
        settings: &LemkeSettings,
        limits: TrailLimits,
    ) -> Trail {
        let z = origin.z;
        let mut trail = Trail {
            code: PathCode::Singular,
            reached: 0.0,
            z: z.to_vec(),
            pivots: 0,
            breaks: Vec::new(),
        };
        let data = SparseProblem::new(&view, false);
        if !data.is_finite() {
            return trail;
        }
        let factors = std::mem::take(&mut self.factors);
        let standing = data.standing(marks);
        let start = Dictionary::regular(&data, standing, &data.reduce(z), limits.repairs, factors);
        let (mut dictionary, from) = match start {
            Ok(start) => start,
            Err(Singular { factors, .. }) => {
                self.factors = *factors;
                return trail;
            }
        };
        let mut best = Best {
            t: from,
            from,
            trail: &mut trail,
            data: &data,
            limits,
        };
        let end = best.follow(&mut dictionary, settings);
        let own = dictionary.point();
        trail.code = match end {
            End::Complementary => {
                trail.reached = 1.0;
                trail.z = match dictionary.renew() {
                    Some(()) => solution(&view, &data, &mut dictionary, origin),
                    None => data.expand(&own),
                };
                PathCode::Solved
            }
            End::Ray(_) => PathCode::Ray,
            End::Limit | End::Stopped => PathCode::Limit,
            End::Lost => PathCode::Lost,
        };
        for (z, i) in trail.z.iter_mut().zip(0..) {
            *z = view.project(i, *z);
        }
        if !trail.z.iter().all(|z| z.is_finite()) {
            trail.z.copy_from_slice(z);
            (trail.reached, trail.code) = (0.0, PathCode::Lost);
        }
        self.factors = dictionary.into_factors();
        trail
    }
}

/// z at a complementary basis, reckoned from the origin; not drawn into the bounds.
fn solution(
    view: &LinearView<'_>,
    data: &SparseProblem,
    dictionary: &mut Dictionary<'_>,
    origin: Origin<'_>,
) -> Vec<f64> {
    let marks = data.marks(&dictionary.standing());
    let stand = |(i, mark): (usize, &BasisMark)| match mark {
        BasisMark::Basic => origin.z[i],
        BasisMark::AtLower => view.interval(i).0,
        BasisMark::AtUpper => view.interval(i).1,
    };
    let mut z: Vec<f64> = marks.marks().iter().enumerate().map(stand).collect();
    let moves: Vec<f64> = z.iter().zip(origin.z).map(|(z, from)| z - from).collect();
    let mut moves = data.reduce_directions(&moves);
    dictionary.displace(&data.reduce_rows(origin.f), &mut moves);
    data.move_basic(&dictionary.standing(), &moves, &mut z);
    z
}

/// Keeps the point with the smallest t.
struct Best<'a, 'd> {
    t: f64,
    from: f64,
    trail: &'a mut Trail,
    data: &'d SparseProblem,
    limits: TrailLimits,
}

impl Best<'_, '_> {
    fn follow(&mut self, dictionary: &mut Dictionary<'_>, settings: &LemkeSettings) -> End {
        let mut leaving = match dictionary.depart(self.from, settings) {
            Departure::Solved => return End::Complementary,
            Departure::Left(leaving) => leaving,
            Departure::Nothing => return End::Lost,
        };
        let mut stats = Stats::default();
        loop {
            self.trail.pivots += 1;
            if is_complementary(dictionary, leaving, settings) {
                return End::Complementary;
            }
            self.note(dictionary);
            if self.trail.pivots >= self.limits.pivots {
                return End::Limit;
            }
            let entering = dictionary.complement(leaving);
            leaving = match exchange(dictionary, entering, settings, &mut stats) {
                Ok(leaving) => leaving,
                Err(end) => return end,
            };
        }
    }

    fn note(&mut self, dictionary: &Dictionary<'_>) {
        let t = dictionary.artificial();
        if t < self.t {
            self.t = t;
            self.trail.reached = 1.0 - t / self.from;
            self.trail.z = self.data.expand(&dictionary.point());
            if self.limits.keep_breaks {
                let here = (self.trail.reached, self.trail.z.clone());
                self.trail.breaks.push(here);
            }
        }
    }
}
