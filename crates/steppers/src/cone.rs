//! Steps with round cones: the friction problem itself, by Newton's method or whatever of the portfolio solves it.

use signorini_complementarity::{
    AugmentedLagrangian, AugmentedLagrangianSettings, ConeInteriorPoint, ConeInteriorPointSettings,
    FrictionIsland, FrictionLaw, FrictionNewton, FrictionNewtonSettings, FrictionPolish,
    FrictionPolishSettings, FrictionProblem, FrictionSettings, Lemke, Observer, PyramidForm,
    ResidualMeasure, Solution, Solver, Start, Stats, Status, solve_friction_observed,
};
use signorini_dynamics::System;

use crate::{
    assemble::{Assembled, Linearization, LinearizedContacts, Solved},
    islands::{Worker, Worth, by_own_measure, chosen, side_by_side, whole, worthwhile},
    latch::Latch,
    pivots::{pivot_near, pivot_soon},
    plane::{FINEST, alone_in_the_plane, finish_in_plane},
    rows::Layout,
    stepper::StepError,
    unsolved::UnsolvedStep,
    violation::{BLURRED, RUNAWAY, Stress, violation},
};

/// Solves friction problems with cones; settings and buffers only.
#[derive(Debug)]
pub(crate) struct ConeSolver {
    /// Of the scheme, for messages.
    scheme: &'static str,
    engine: ConeEngine,
    workers: Vec<Worker<ConeEngine>>,
}

/// Solves one friction problem alone; settings and buffers only.
#[derive(Clone, Debug)]
struct ConeEngine {
    newton: FrictionNewton,
    lemke: Lemke,
    settings: FrictionSettings,
}

/// Newton's method goes this much further than it is asked to.
pub(crate) const FURTHER: f64 = 1e-3;

/// From this residual of Newton's method on, a polish may find the rest.
pub(crate) const NEARLY: f64 = 1e-4;

/// Cycles in the plane; under the exact law what follows them is sooner done than more of them.
fn cycles_in_the_plane(law: FrictionLaw) -> usize {
    match law {
        FrictionLaw::Coulomb => 8,
        FrictionLaw::Convex => 12,
    }
}

/// Sweeps of the convex law in the plane, where a step of Newton's method costs as much as seven of them.
const FEW_SWEEPS: usize = 20;

/// Up to this residual of the impulses of the step before, a polish may find the rest.
const AT_REST: f64 = 1e-8;

/// The method of multipliers goes this much further than it is asked to, where it can.
pub(crate) const AIM: f64 = 0.1;

/// Steps of a polish that does not give up where residuals rise on the way.
const PATIENT: usize = 400;

/// Most steps on the smoothed law in the plane.
fn smoothing_in_the_plane(problem: &FrictionProblem) -> usize {
    match problem.law() {
        // What follows Newton's method is sooner done.
        FrictionLaw::Coulomb if alone_in_the_plane(problem) => 0,
        FrictionLaw::Coulomb => 20,
        FrictionLaw::Convex => 40,
    }
}

/// Newton's method with the limits of problems that others solve where it does not soon, in the plane at most `smoothing`
/// steps on the smoothed law: steps are not as hard as heaps from nothing.
pub(crate) fn by_newton(
    problem: &FrictionProblem,
    (newton, guess): (&mut FrictionNewton, &[f64]),
    (must, smoothing): (f64, usize),
    observer: &mut dyn Observer,
) -> Solution {
    let is_alone = alone_in_the_plane(problem);
    let tolerance = if is_alone {
        (FURTHER * must).max(FINEST)
    } else {
        FURTHER * must
    };
    let usual = FrictionNewtonSettings::default();
    let (cycles, smoothing) = if problem.is_planar() {
        (cycles_in_the_plane(problem.law()), smoothing)
    } else {
        (200, usual.smoothing_limit)
    };
    let start_sweeps = match (problem.dimension(), problem.law()) {
        (2, FrictionLaw::Convex) => FEW_SWEEPS,
        _ => usual.start_sweeps,
    };
    newton.settings = FrictionNewtonSettings {
        tolerance,
        iteration_limit: cycles,
        smoothing_limit: smoothing,
        polish_from: AT_REST,
        start_sweeps,
        ..usual
    };
    let mut solution = newton.solve_observed(problem, Start::Point(guess), observer);
    let goes_on = !is_alone && !solution.status.is_solved() && solution.status != Status::Stopped;
    if goes_on && solution.residual <= NEARLY {
        let iterations = solution.stats.iterations;
        solution = polish(problem, (tolerance, &solution.z), observer);
        solution.stats.iterations += iterations;
    }
    solution
}

/// An answer from a point near it.
fn polish(
    problem: &FrictionProblem,
    (tolerance, near): (f64, &[f64]),
    observer: &mut dyn Observer,
) -> Solution {
    let mut polish = FrictionPolish::new(FrictionPolishSettings {
        tolerance,
        ..FrictionPolishSettings::default()
    });
    polish.solve_observed(problem, Start::Point(near), observer)
}

/// Unknowns up to which dense factors are soon done.
const DENSE: usize = 600;

/// The answer under the convex law where `near` is none: an interior-point method does not look for faces. Velocities of rounding,
/// as those of boxes a little askew, take redundant contacts to the borders of their cones, one after the other.
fn from_inside(
    problem: &FrictionProblem,
    tolerance: f64,
    near: Solution,
    observer: &mut dyn Observer,
) -> Solution {
    let is_over = near.status.is_solved() || near.status == Status::Stopped;
    if is_over || problem.law() != FrictionLaw::Convex || problem.len() > DENSE {
        return near;
    }
    let mut interior = ConeInteriorPoint::new(ConeInteriorPointSettings {
        tolerance: AIM * tolerance,
        ..ConeInteriorPointSettings::default()
    });
    let mut solution = interior.solve_observed(problem, Start::Point(&near.z), observer);
    solution.stats += near.stats;
    if solution.status != Status::Stopped && solution.residual <= tolerance {
        solution.status = Status::Solved;
    }
    solution
}

/// The answer from a point that is not a solution but may be near one: redundant contacts that are nearly all closed or at rest, as of
/// boxes a little askew, come to share their impulses slowly.
fn patiently(
    problem: &FrictionProblem,
    tolerance: f64,
    near: Solution,
    observer: &mut dyn Observer,
) -> Solution {
    let is_over = |s: &Solution| s.status.is_solved() || s.status == Status::Stopped;
    if is_over(&near) || near.residual > NEARLY {
        return near;
    }
    let mut multipliers = AugmentedLagrangian::new(AugmentedLagrangianSettings {
        tolerance: AIM * tolerance,
        ..AugmentedLagrangianSettings::default()
    });
    let start = Start::Point(&near.z);
    let mut solution = multipliers.solve_observed(problem, start, observer);
    solution.stats += near.stats;
    if solution.status != Status::Stopped && solution.residual <= tolerance {
        solution.status = Status::Solved;
    }
    if is_over(&solution) {
        return solution;
    }
    let mut patient = FrictionPolish::new(FrictionPolishSettings {
        tolerance,
        iteration_limit: PATIENT,
        patience: PATIENT,
        softening: 1.0,
        ..FrictionPolishSettings::default()
    });
    let mut polished = patient.solve_observed(problem, start, observer);
    polished.stats += solution.stats;
    polished
}

impl ConeSolver {
    pub(crate) fn new(scheme: &'static str, tolerance: f64) -> Self {
        Self {
            scheme,
            engine: ConeEngine {
                newton: FrictionNewton::default(),
                lemke: Lemke::default(),
                settings: FrictionSettings {
                    tolerance,
                    measure: ResidualMeasure::Scaled,
                },
            },
            workers: Vec::new(),
        }
    }

    /// The solution from a guess, by islands where that pays, each in the end by its own measure.
    fn best(
        &mut self,
        problem: &FrictionProblem,
        guess: &[f64],
        observer: &mut dyn Observer,
    ) -> Solution {
        let islands = worthwhile(problem, Worth::of_cones(problem));
        let solution = if islands.is_empty() {
            self.engine.solve(problem, guess, observer)
        } else {
            self.in_parts(problem, (guess, &islands), observer)
        };
        let tolerance = self.engine.settings.tolerance;
        by_own_measure(problem, (tolerance, solution), |part, from, is_asked| {
            if is_asked {
                return self.engine.solve(part, from, observer);
            }
            // What is good enough beside the others is not worth all that can be tried.
            let target = (tolerance, smoothing_in_the_plane(part));
            by_newton(part, (&mut self.engine.newton, from), target, observer)
        })
    }

    /// The parts side by side, and the whole where one of them is not solved.
    fn in_parts(
        &mut self,
        problem: &FrictionProblem,
        (guess, islands): (&[f64], &[FrictionIsland]),
        observer: &mut dyn Observer,
    ) -> Solution {
        let (parts, stopped) = side_by_side(
            problem,
            islands,
            (&mut self.workers, &self.engine),
            observer,
            |engine, island, part, observer| {
                let guess = chosen(guess, &island.rows(problem));
                engine.solve(part, &guess, observer)
            },
        );
        let mut solution = whole(problem, islands, &parts);
        if stopped {
            solution.status = Status::Stopped;
        }
        if solution.status.is_solved() || stopped {
            return solution;
        }
        // An island with next to no impulses has no scale of its own; beside the others it may be solved.
        let stats = solution.stats;
        let mut together = self.engine.solve(problem, &solution.z, observer);
        together.stats += stats;
        together
    }

    /// Solves M (v⁺ − v) = h k + Jᵀ p with the exact or the relaxed law, from the impulses of the step before.
    pub(crate) fn solve(
        &mut self,
        system: &dyn System,
        at: Linearization<'_>,
        linearized: &LinearizedContacts,
        law: FrictionLaw,
        observer: &mut dyn Observer,
    ) -> Result<Solved, StepError> {
        let problem = match linearized.problem(system, at, law)? {
            Assembled::Free(v) => {
                return Ok(Solved {
                    v,
                    ..Solved::default()
                });
            }
            Assembled::Coupled(problem) => problem,
        };
        let guess = guess(&problem, at, linearized);
        let observer = &mut Latch::new(observer);
        let mut solution = self.best(&problem, &guess, observer);
        let contacts = linearized.contacts.len();
        let rows = problem.contact_count() * problem.dimension();
        let stress = Stress::new(&problem);
        let mut solved = Solved::default();
        let must = self.engine.settings.tolerance;
        let mut tolerance = must;
        let mut take = |solution: &mut Solution, blur: f64| {
            tolerance = must;
            if !solution.status.is_solved() {
                return true;
            }
            let (impulses, bilateral) = solution.z.split_at(rows);
            let frame = (contacts, system.dimension());
            solved.take(&problem, impulses, bilateral, frame);
            let off = violation(system, at, linearized, &solved.v);
            let off = off.max(stress.runaway(&solution.z, blur, &solved.v));
            let runs_away = off > RUNAWAY;
            if runs_away {
                (solution.status, solution.residual) = (Status::Inaccurate, off);
                tolerance = RUNAWAY;
            }
            !runs_away
        };
        let blurred = stress.blur(&solution.z);
        let mut taken = false;
        // The residual is relative to the impulses; what it lets velocities be off by is blurred as much.
        let unsure = solution.residual / f64::EPSILON * blurred;
        if solution.status.is_solved() && (blurred > BLURRED || unsure > RUNAWAY) {
            // Stress that no motion asks for: from nothing there is less of it.
            let mut other = self.engine.solve_from_nothing(&problem, observer);
            let less = stress.blur(&other.z);
            if other.status.is_solved() && less < blurred {
                other.stats += solution.stats;
                taken = take(&mut other, less);
                if taken {
                    solution = other;
                }
            }
        }
        if !taken && !take(&mut solution, blurred) {
            // Another way may lead to impulses that do not run off.
            let settings = &self.engine.settings;
            let stats = solution.stats;
            let other = solve_friction_observed(&problem, settings, Start::Cold, observer);
            let mut other = other.solution;
            other.stats += stats;
            let blurred = stress.blur(&other.z);
            if take(&mut other, blurred) {
                solution = other;
            }
        }
        if observer.is_stopped() {
            solution.status = Status::Stopped;
        }
        if !solution.status.is_solved() {
            let residuals = problem.residuals(&solution.z);
            return Err(StepError::Unsolved {
                t: at.state.t,
                status: solution.status,
                residual: solution.residual,
                tolerance,
                contacts,
                problem: Box::new(UnsolvedStep {
                    scheme: self.scheme,
                    state: at.state.clone(),
                    h: at.h,
                    names: linearized.impulse_names(system, &problem),
                    linear: None,
                    friction: problem.bilateral().is_empty().then_some(problem),
                    worst: linearized.worst(system, &residuals, None),
                    z: solution.z,
                }),
            });
        }
        Ok(Solved {
            lcp_size: solution.z.len(),
            pivots: solution.stats.iterations,
            residual: solution.residual,
            ..solved
        })
    }
}

impl ConeEngine {
    /// Newton's method from a guess, and where it does not solve the problem whatever else does.
    fn solve(
        &mut self,
        problem: &FrictionProblem,
        guess: &[f64],
        observer: &mut dyn Observer,
    ) -> Solution {
        let tolerance = self.settings.tolerance;
        let start = (&mut self.newton, guess);
        let target = (tolerance, smoothing_in_the_plane(problem));
        let mut solution = by_newton(problem, start, target, observer);
        if alone_in_the_plane(problem) {
            let does = |_: &[f64], residual| residual <= tolerance;
            solution = finish_in_plane(problem, (tolerance, solution), &does, observer);
        }
        if solution.status == Status::Stopped {
            return solution;
        }
        // What is not as good as it was aimed at may be as good as it must be.
        if solution.residual <= tolerance {
            solution.status = Status::Solved;
        }
        if !solution.status.is_solved() && problem.is_planar() {
            // In the plane cone and pyramid are one, and a pivoting method ends.
            let stats = solution.stats;
            let mut pivoted = self.pivot(problem, &solution.z, observer);
            pivoted.stats += stats;
            if pivoted.status.is_solved() {
                solution = pivoted;
            } else {
                solution.stats = pivoted.stats;
            }
        }
        solution = from_inside(problem, tolerance, solution, observer);
        solution = patiently(problem, tolerance, solution, observer);
        let mut refuted = None;
        if !solution.status.is_solved() && solution.status != Status::Stopped {
            let (start, stats) = (Start::Point(&solution.z), solution.stats);
            solution = solve_friction_observed(problem, &self.settings, start, observer).solution;
            solution.stats += stats;
            refuted = (solution.status == Status::Infeasible).then(|| solution.clone());
            solution = patiently(problem, tolerance, solution, observer);
        }
        if !solution.status.is_solved()
            && solution.status != Status::Stopped
            && let Some(relative) = from_rest(problem)
        {
            let (start, stats) = (Start::Point(&solution.z), solution.stats);
            let solved = solve_friction_observed(&relative, &self.settings, start, observer);
            if solved.solution.status.is_solved() {
                solution = solved.solution;
                solution.stats += stats;
            }
        }
        // What is refuted by a hair may be solved to the tolerance all the same.
        let is_over = solution.status.is_solved() || solution.status == Status::Stopped;
        refuted.filter(|_| !is_over).unwrap_or(solution)
    }

    /// A solution that begins with no impulses.
    fn solve_from_nothing(
        &mut self,
        problem: &FrictionProblem,
        observer: &mut dyn Observer,
    ) -> Solution {
        if problem.is_planar() {
            let pivoted = self.pivot(problem, &vec![0.0; problem.len()], observer);
            if pivoted.status.is_solved() {
                return pivoted;
            }
        }
        solve_friction_observed(problem, &self.settings, Start::Cold, observer).solution
    }

    /// Impulses by Lemke's method on the problem of the plane as an LCP, from a point near its solution: solved if their residual as
    /// those of the friction problem says so.
    fn pivot(
        &mut self,
        problem: &FrictionProblem,
        near: &[f64],
        observer: &mut dyn Observer,
    ) -> Solution {
        let mut z = vec![0.0; problem.contact_count() * problem.dimension()];
        let mut pivots = 0;
        let (solution, bilateral) = match problem.law() {
            FrictionLaw::Coulomb => {
                // Over velocities it is sparse, and starts quickly; a long path is quicker without them.
                let mut pyramid = problem.pyramid(2, PyramidForm::Mixed);
                let point = pyramid.point(problem, near);
                let mut solution = pivot_near(&self.lemke, pyramid.problem(), &point, observer);
                pivots += solution.stats.iterations;
                if !solution.status.is_solved() {
                    pyramid = problem.pyramid(2, PyramidForm::Reduced);
                    let linear = pyramid.problem();
                    solution = pivot_soon(&mut self.lemke, linear, observer);
                    pivots += solution.stats.iterations;
                }
                pyramid.impulses_into(&solution.z, &mut z);
                (solution, pyramid.bilateral())
            }
            FrictionLaw::Convex => {
                let pyramid = problem.convex_pyramid(2, PyramidForm::Reduced);
                let linear = pyramid.problem();
                let solution = pivot_soon(&mut self.lemke, linear, observer);
                pivots += solution.stats.iterations;
                pyramid.impulses_into(&solution.z, &mut z);
                (solution, pyramid.bilateral())
            }
        };
        z.extend_from_slice(&solution.z[bilateral]);
        let residual = problem.residuals(&z).scaled;
        Solution {
            status: if residual <= self.settings.tolerance {
                Status::Solved
            } else {
                Status::Inaccurate
            },
            z,
            residual,
            stats: Stats {
                iterations: pivots,
                ..Stats::default()
            },
            basis: None,
            certificate: None,
        }
    }
}

/// The problem in the velocities that impulses add: u = J Δv + q, with the q of u = J v + bias. Where bodies arrive at their
/// contacts but for rounding, q and the impulses are rounding of velocities that J v and the bias lose; they have a solution
/// like others, which is lost in J v too.
fn from_rest(problem: &FrictionProblem) -> Option<FrictionProblem> {
    let mut q = problem.q();
    let mut data = problem.has_bodies().then(|| problem.clone().into_data())?;
    data.bilateral_bias = q.split_off(data.bias.len());
    data.bias = q;
    data.free_velocity.fill(0.0);
    FrictionProblem::new(data).ok()
}

/// The impulses of the round before or else of the step before, where there were any.
pub(crate) fn guess(
    problem: &FrictionProblem,
    at: Linearization<'_>,
    linearized: &LinearizedContacts,
) -> Vec<f64> {
    let d = problem.dimension();
    let layout = Layout::new(linearized.contacts.rows.rows(), d);
    let mut z = vec![0.0; problem.len()];
    let mut next = 0;
    let known = if linearized.found.is_empty() {
        &at.state.memory
    } else {
        &linearized.found
    };
    for memory in known {
        if let Some(k) = linearized.contacts.position_from(memory.id, next) {
            next = k + 1;
            layout.join(memory, &mut z[k * d..(k + 1) * d]);
        }
    }
    z
}

#[cfg(test)]
mod tests {
    use signorini_complementarity::{BlockRows, FIXED, FrictionData};

    use super::*;

    /// A cube comes down flat on the four corners of a smaller face and is stopped as its gaps close: J v and the bias cancel
    /// but for 1e-13 of them. In J v alone the impulses, of 1e-14, have no digit.
    #[test]
    fn what_arrives_but_for_rounding_has_an_answer() {
        let gaps = [
            4.424_310_000_000_186,
            4.424_309_999_999_95,
            4.424_310_000_000_412,
            4.424_310_000_000_186,
        ];
        let corners = [
            [-0.375, -0.375],
            [-0.375, 0.375],
            [0.375, -0.375],
            [0.375, 0.375],
        ];
        let mut contacts = BlockRows::new(3, 6);
        for [x, y] in corners {
            let z = -0.5;
            let rows = [
                [0.0, 0.0, 1.0, y, -x, 0.0],
                [1.0, 0.0, 0.0, 0.0, z, -y],
                [0.0, 1.0, 0.0, -z, 0.0, x],
            ];
            contacts.push([FIXED, 0], &[0.0; 18], rows.as_flattened());
        }
        let mut mass = vec![0.0; 36];
        (0..3).for_each(|i| mass[7 * i] = 1.0);
        (3..6).for_each(|i| mass[7 * i] = 1.0 / 6.0);
        let problem = FrictionProblem::new(FrictionData {
            dofs: 6,
            mass,
            free_velocity: vec![0.0, 0.0, -4.424_309_999_999_978, -3.33e-16, -3.33e-16, 0.0],
            contacts,
            bias: gaps.iter().flat_map(|gap| [*gap, 0.0, 0.0]).collect(),
            mu: vec![0.0; 4],
            bilateral: BlockRows::new(1, 6),
            ..FrictionData::default()
        })
        .unwrap();
        let relative = from_rest(&problem).unwrap();
        assert_eq!(relative.q(), problem.q());
        let mut engine = ConeSolver::new("test", 1e-9).engine;
        let solution = engine.solve(&problem, &[0.0; 12], &mut ());
        assert!(solution.status.is_solved());
        let residual = relative.residuals(&solution.z).scaled;
        let own = problem.residuals(&solution.z).scaled;
        assert!(residual.min(own) <= 1e-9, "{residual} {own}");
        let v = problem.q().iter().fold(0.0_f64, |m, q| m.max(q.abs()));
        assert!(
            solution.z.iter().all(|p| p.abs() <= 2.0 * v),
            "{:?}",
            solution.z
        );
    }
}
