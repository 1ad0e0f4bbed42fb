//! One linear problem of friction with pyramids, alone: by Lemke's method, and by Newton's and others where it is slow or fails.

use signorini_complementarity::{
    ConvexPyramid, FrictionLaw, FrictionNewton, FrictionProblem, Lemke, LemkeSettings, LinearMcp,
    Observer, Portfolio, Pyramid, PyramidForm, Solution, Solver, Start, Status, natural_residual,
};

use crate::{
    cone::{NEARLY, by_newton},
    pivots::{pivot_near, pivot_within},
    plane::{alone_in_the_plane, finish_in_plane},
};

/// Contacts in space from which on the sparse form with velocities is quicker.
const MANY: usize = 30;

/// Contacts from which on it is quicker than Lemke's method.
const PILE: usize = 8;

/// Pivots for each unknown of Lemke's method with all its tries before others are asked, and after them: a path takes one or two
/// for each, and one that goes in circles would take all that there are.
const FIRST: usize = 10;
const ALL: usize = 60;

/// Other tries of Lemke's method in piles before others are asked.
const AGAIN: usize = 3;

/// Residual of a path of Lemke's from which on it is no more than rounding.
const FINE: f64 = 1e-13;

/// Part of the residual of an LCP of the plane that the one of its friction problem has to be: the LCP's is up to 35 times as large.
const OWN: f64 = 0.2;

/// A problem with pyramids under either law.
#[derive(Clone, Debug)]
pub(crate) enum Posed {
    Coulomb(Box<Pyramid>),
    Convex(ConvexPyramid),
}

impl Posed {
    pub(crate) fn problem(&self) -> &LinearMcp {
        match self {
            Self::Coulomb(pyramid) => pyramid.problem(),
            Self::Convex(pyramid) => pyramid.problem(),
        }
    }

    /// Impulses of the contacts in their frames, then those of the bilateral rows.
    pub(crate) fn impulses(&self, step: &FrictionProblem, z: &[f64]) -> Vec<f64> {
        let rows = step.contact_count() * step.dimension();
        let mut out = vec![0.0; rows];
        let bilateral = match self {
            Self::Coulomb(pyramid) => {
                pyramid.impulses_into(z, &mut out);
                pyramid.bilateral()
            }
            Self::Convex(pyramid) => {
                pyramid.impulses_into(z, &mut out);
                pyramid.bilateral()
            }
        };
        out.extend_from_slice(&z[bilateral]);
        out
    }

    fn point(&self, step: &FrictionProblem, z: &[f64]) -> Vec<f64> {
        match self {
            Self::Coulomb(pyramid) => pyramid.point(step, z),
            Self::Convex(pyramid) => pyramid.point(step, z),
        }
    }
}

/// Solves the linear problems of friction problems; settings and buffers only.
#[derive(Clone, Debug)]
pub(crate) struct PyramidEngine {
    pub(crate) lemke: Lemke,
    pub(crate) directions: usize,
    newton: FrictionNewton,
    /// Whether Newton's method comes before Lemke's for piles, and not only where that ends without an answer.
    pub(crate) is_newton_first: bool,
    /// Scaled residual of the LCP with which a point is a solution.
    pub(crate) tolerance: f64,
    /// Comes where Lemke's method ends without an answer, if `is_patient`.
    portfolio: Portfolio,
    /// Whether there is no other problem to fall back on.
    pub(crate) is_patient: bool,
}

impl PyramidEngine {
    pub(crate) fn new(directions: usize, settings: LemkeSettings, tolerance: f64) -> Self {
        Self {
            tolerance,
            lemke: Lemke::new(settings),
            directions,
            newton: FrictionNewton::default(),
            is_newton_first: false,
            portfolio: Portfolio::default(),
            is_patient: true,
        }
    }

    /// A point of the LCP by Newton's method on the cone, whose solution it is in the plane and where all friction is within
    /// the pyramid, or by Lemke's from there. `aim` is the residual that is aimed at.
    fn near_cone(
        &mut self,
        problem: &FrictionProblem,
        (guess, given): (&[f64], &[f64]),
        aim: f64,
        observer: &mut dyn Observer,
    ) -> Option<(Posed, Solution)> {
        if !given.is_empty() {
            return None;
        }
        let start = (&mut self.newton, guess);
        // Its residual needs no product of J and M⁻¹.
        let posed = match problem.law() {
            FrictionLaw::Coulomb => Posed::Coulomb(Box::new(
                problem.pyramid(self.directions, PyramidForm::Mixed),
            )),
            FrictionLaw::Convex => {
                Posed::Convex(problem.convex_pyramid(self.directions, PyramidForm::Mixed))
            }
        };
        let (mut solution, enough) = if alone_in_the_plane(problem) {
            let (must, enough) = (OWN * aim, aim.max(self.tolerance));
            let found = by_newton(problem, start, (must, 0), observer);
            let does = |z: &[f64], _| {
                natural_residual(posed.problem(), &posed.point(problem, z)) <= enough
            };
            let found = finish_in_plane(problem, (must, found), &does, observer);
            (found, enough)
        } else if problem.is_planar() {
            // A polish and a path of Lemke's are sooner done than the smoothed law.
            (by_newton(problem, start, (aim, 0), observer), aim)
        } else {
            // Where friction is more than it takes, solvers of the cone may leave it on the cone, outside of the pyramid.
            let mut part = (std::f64::consts::PI / self.directions as f64).cos();
            if matches!(problem.dimension(), 4 | 6) {
                // The distance of the faces between a polygon and the two vectors of torsion.
                part /= part.hypot(1.0);
            }
            let within = problem.clone().with_friction_times(part);
            (by_newton(&within, start, (aim, 0), observer), aim)
        };
        solution.z = posed.point(problem, &solution.z);
        solution.residual = natural_residual(posed.problem(), &solution.z);
        if solution.residual > enough {
            let found = pivot_near(&self.lemke, posed.problem(), &solution.z, observer);
            if found.status.is_solved() || found.residual < solution.residual {
                solution = found;
            }
        }
        Some((posed, solution))
    }

    /// The LCP in the form in which Lemke's method is quick.
    fn pose(&self, problem: &FrictionProblem, given: &[f64]) -> Posed {
        let is_small = problem.contact_count() < MANY || problem.is_planar();
        let form = if is_small {
            PyramidForm::Reduced
        } else {
            PyramidForm::Mixed
        };
        match problem.law() {
            FrictionLaw::Coulomb => {
                let mut pyramid = problem.pyramid(self.directions, form);
                for (k, given) in given.iter().enumerate() {
                    pyramid.widen(k, problem.mu()[k] * given);
                    let rolling = problem.laws().rolling.get(k);
                    pyramid.widen_rolling(k, rolling.map_or(0.0, |mu| mu * given));
                }
                Posed::Coulomb(Box::new(pyramid))
            }
            FrictionLaw::Convex => Posed::Convex(problem.convex_pyramid(self.directions, form)),
        }
    }

    /// The residual that solvers aim at; [`PyramidEngine::tolerance`] is what they must reach.
    fn aim(&self) -> f64 {
        self.lemke.settings.tolerance.min(self.tolerance)
    }

    /// The methods in turn, until one is as good as was aimed at; else the best, with the status that its residual gives it.
    /// `guess` are impulses from which methods may start, `given` those of normals that act whatever the solution, or nothing.
    pub(crate) fn best(
        &mut self,
        problem: &FrictionProblem,
        from: (&[f64], &[f64]),
        observer: &mut dyn Observer,
    ) -> (Posed, Solution) {
        let (posed, mut solution) = self.in_turn(problem, from, observer);
        let is_good = solution.residual <= self.tolerance;
        solution.status = match solution.status {
            // A proof counts more than a residual.
            Status::Infeasible | Status::RunsOff => solution.status,
            _ if is_good => Status::Solved,
            // By the measure or the tolerance of the method that found it.
            Status::Solved => Status::Inaccurate,
            other => other,
        };
        (posed, solution)
    }

    fn in_turn(
        &mut self,
        problem: &FrictionProblem,
        (guess, given): (&[f64], &[f64]),
        observer: &mut dyn Observer,
    ) -> (Posed, Solution) {
        let (aim, tolerance) = (self.aim(), self.tolerance);
        let is_done = |s: &Solution| {
            s.residual <= aim || matches!(s.status, Status::Infeasible | Status::Stopped)
        };
        let is_pile = problem.contact_count() >= PILE;
        let mut known = None;
        if is_pile && self.is_newton_first {
            known = self.near_cone(problem, (guess, given), aim, observer);
            // What is not as good as it was aimed at may be as good as it must be.
            let is_enough = |s: &Solution| s.residual <= tolerance || s.status == Status::Stopped;
            if let Some(mut found) = known.take_if(|(_, s)| is_enough(s)) {
                if found.1.residual <= tolerance {
                    found.1.status = Status::Solved;
                }
                return found;
            }
        }
        let posed = self.pose(problem, given);
        let path = pivot_within(&mut self.lemke, posed.problem(), (0, FIRST), observer);
        let mut best = (posed, path);
        if is_done(&best.1) {
            if best.1.residual <= FINE || best.1.status == Status::Stopped {
                return best;
            }
            // Rows whose data are rounding may be on the wrong side of a basis: what they are off by moves light bodies under heavy ones.
            let near = best.0.impulses(problem, &best.1.z);
            let found = self.near_cone(problem, (&near, given), FINE, observer);
            return match found {
                Some(found) => better((best, found), tolerance, |(_, s)| s),
                None => best,
            };
        }
        // A path that ends near a solution is off by rounding, and others would be too. In piles the next ones mostly lead on, and
        // sooner than Newton's method does from nowhere.
        let tries = match (is_pile, self.is_newton_first) {
            _ if !self.is_patient || best.1.residual <= NEARLY => 0,
            (true, true) => 0,
            (true, false) => AGAIN,
            (false, _) => usize::MAX,
        };
        let mut is_exhausted = false;
        if tries > 0 {
            let tries = (tries, FIRST);
            let found = pivot_within(&mut self.lemke, best.0.problem(), tries, observer);
            is_exhausted = !is_pile && found.status != Status::IterationLimit;
            best.1 = better((best.1, found), tolerance, |s| s);
            if is_done(&best.1) {
                return best;
            }
        }
        if !(is_pile && self.is_newton_first) {
            known = self.near_cone(problem, (guess, given), aim, observer);
        }
        if let Some(found) = known {
            best = better((best, found), tolerance, |(_, s)| s);
        }
        if is_done(&best.1) || best.1.residual <= tolerance || !self.is_patient {
            return best;
        }
        self.patiently(problem, (given, is_exhausted), best, observer)
    }

    /// A better point by what takes long: Lemke's method with all its tries, on both forms of the problem, or the portfolio where
    /// there are others in it. `is_exhausted` says that on the form of the first path there is nothing left to try.
    fn patiently(
        &mut self,
        problem: &FrictionProblem,
        (given, is_exhausted): (&[f64], bool),
        mut best: (Posed, Solution),
        observer: &mut dyn Observer,
    ) -> (Posed, Solution) {
        let tolerance = self.tolerance;
        let is_slippery = problem.mu().iter().all(|mu| *mu == 0.0);
        if problem.law() == FrictionLaw::Convex || is_slippery {
            let linear = best.0.problem();
            let found = self.portfolio.solve_observed(linear, Start::Cold, observer);
            best.1 = better((best.1, found), tolerance, |s| s);
            return best;
        }
        let posed = self.pose(problem, given);
        let (size, tries) = (posed.problem().len(), (usize::MAX, ALL));
        if !is_exhausted {
            let found = pivot_within(&mut self.lemke, posed.problem(), tries, observer);
            best = better((best, (posed, found)), tolerance, |(_, s)| s);
        }
        let is_open = best.1.residual > tolerance || best.1.residual.is_nan();
        let ends = matches!(best.1.status, Status::Infeasible | Status::Stopped);
        if best.0.problem().len() != size && is_open && !ends {
            let found = pivot_within(&mut self.lemke, best.0.problem(), tries, observer);
            best.1 = better((best.1, found), tolerance, |s| s);
        }
        best
    }
}

/// What was stopped, or is proved where the known one is no solution, or else has the smaller residual.
fn better<T>((known, found): (T, T), tolerance: f64, solution: impl Fn(&T) -> &Solution) -> T {
    let (a, b) = (solution(&known), solution(&found));
    let is_open = a.residual > tolerance || a.residual.is_nan();
    let ends = b.status == Status::Stopped || is_open && b.status == Status::Infeasible;
    if ends || b.residual < a.residual || a.residual.is_nan() {
        found
    } else {
        known
    }
}
