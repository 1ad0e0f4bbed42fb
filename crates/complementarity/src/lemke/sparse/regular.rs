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

/// What a path is allowed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TrailLimits {
    pub(crate) pivots: usize,
    /// Rounds in which a singular starting basis is repaired.
    pub(crate) repairs: usize,
    pub(crate) keep_breaks: bool,
}

impl Pivoting {
    /// z with F = 0 in the rows that are basic, the others at their bounds; not drawn into the bounds. On failure the
    /// variables that depend on others.
    pub(crate) fn solve_basis(
        &mut self,
        view: LinearView<'_>,
        marks: &[BasisMark],
    ) -> Result<Vec<f64>, Vec<usize>> {
        let data = SparseProblem::new(&view, false);
        let factors = std::mem::take(&mut self.factors);
        match Dictionary::complementary(&data, &data.standing(marks), factors) {
            Ok(dictionary) => {
                let z = data.expand(&dictionary.basic_solution());
                self.factors = dictionary.into_factors();
                Ok(z)
            }
            Err(singular) => {
                let indices = singular.dependent().map(|k| data.index(k)).collect();
                self.factors = *singular.factors;
                Err(indices)
            }
        }
    }

    /// Follows the path of the linear problem from the point z, whose variables stand as `marks` say.
    pub(crate) fn trail(
        &mut self,
        view: LinearView<'_>,
        z: &[f64],
        marks: &[BasisMark],
        settings: &LemkeSettings,
        limits: TrailLimits,
    ) -> Trail {
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
                let y = dictionary.renew().map(|()| dictionary.point());
                trail.z = data.expand(&y.unwrap_or(own));
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
