//! Steps by islands: parts of the problem that no moving body connects, solved side by side.
//!
//! Each island has a worker with the buffers of its solver. What solvers tell their observers is kept and told afterwards, island by
//! island, so that an observer sees the same whatever the number of threads; an observer that stops the solve is obeyed then, and
//! before if it has a flag.

use std::ops::ControlFlow;
use std::sync::atomic::Ordering;

use signorini_complementarity::{
    FrictionIsland, FrictionLaw, FrictionProblem, Iterate, Observer, Solution, Stats, Status,
    solve_parts,
};

/// When a problem is solved in parts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Worth {
    /// Contacts and rows of joints from which on.
    pub(crate) enough: usize,
    /// Least contacts and rows of a part: smaller islands are solved together.
    pub(crate) least: usize,
}

/// Where cost grows faster than size, as that of pivoting: each island by itself.
pub(crate) const PIVOTED: Worth = Worth {
    enough: 24,
    least: 8,
};

/// Where cost grows as size does, as that of Newton's method: what threads gain must be more than the assembly of parts.
const CONES: Worth = Worth {
    enough: 128,
    least: 32,
};

impl Worth {
    /// Of a problem with round cones: under the exact law in the plane pivots take over where Newton's method ends.
    pub(crate) fn of_cones(problem: &FrictionProblem) -> Self {
        if problem.dimension() == 2 && problem.law() == FrictionLaw::Coulomb {
            PIVOTED
        } else {
            CONES
        }
    }
}

/// Largest part of all contacts and rows that one part may have: with more the others save little.
const LARGEST: f64 = 0.25;

/// The parts in which a problem is solved; none if it is solved as a whole.
pub(crate) fn worthwhile(problem: &FrictionProblem, worth: Worth) -> Vec<FrictionIsland> {
    let all = problem.contact_count() + problem.bilateral().len();
    if all < worth.enough {
        return Vec::new();
    }
    let islands = problem.islands(worth.least);
    let sizes = islands
        .iter()
        .map(|island| island.contacts().len() + island.bilateral().len());
    let largest = sizes.max().unwrap_or(all);
    if largest as f64 > LARGEST * all as f64 {
        return Vec::new();
    }
    islands
}

/// A solver with what it told while it had no observer to tell.
#[derive(Debug, Default)]
pub(crate) struct Worker<S> {
    pub(crate) solver: S,
    told: Vec<Iterate<'static>>,
}

/// Solves all parts, and says whether the observer stops it. Workers that are missing are copies of `pattern`.
pub(crate) fn side_by_side<S: Clone + Send, T: Send>(
    problem: &FrictionProblem,
    islands: &[FrictionIsland],
    (workers, pattern): (&mut Vec<Worker<S>>, &S),
    observer: &mut dyn Observer,
    solve: impl Fn(&mut S, &FrictionIsland, &FrictionProblem, &mut dyn Observer) -> T + Sync,
) -> (Vec<T>, bool) {
    while workers.len() < islands.len() {
        workers.push(Worker {
            solver: pattern.clone(),
            told: Vec::new(),
        });
    }
    let flag = observer.stop_flag();
    let is_raised = || flag.is_some_and(|flag| flag.load(Ordering::Relaxed));
    let parts = solve_parts(problem, islands, workers, |worker, island, part| {
        let Worker { solver, told } = worker;
        told.clear();
        let mut record = |iterate: &Iterate<'_>| {
            // The point is the part's own and is not kept.
            let mut kept = Iterate::new(iterate.iteration, iterate.measure);
            (kept.entering, kept.leaving) = (iterate.entering, iterate.leaving);
            kept.step = iterate.step;
            told.push(kept);
            if is_raised() {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        };
        solve(solver, island, part, &mut record)
    });
    let mut told = workers[..islands.len()].iter().flat_map(|w| &w.told);
    // A raised flag may have stopped a part.
    let was_raised = is_raised();
    let stopped = told.any(|iterate| observer.observe(iterate).is_break()) || was_raised;
    (parts, stopped)
}

/// A solution of the whole from those of its parts, with the first status that is not solved and the largest residual.
pub(crate) fn whole(
    problem: &FrictionProblem,
    islands: &[FrictionIsland],
    parts: &[Solution],
) -> Solution {
    let (mut z, mut stats) = (vec![0.0; problem.len()], Stats::default());
    let (mut status, mut residual) = (Status::Solved, 0.0_f64);
    for (island, part) in islands.iter().zip(parts) {
        for (i, value) in island.rows(problem).into_iter().zip(&part.z) {
            z[i] = *value;
        }
        stats += part.stats;
        residual = residual.max(part.residual);
        if status.is_solved() {
            status = part.status;
        }
    }
    Solution {
        z,
        status,
        residual,
        stats,
        basis: None,
        certificate: None,
    }
}

/// These entries of impulses.
pub(crate) fn chosen(z: &[f64], rows: &[usize]) -> Vec<f64> {
    rows.iter().map(|&i| z[i]).collect()
}

/// A solution in which each island is solved by its own measure, if that can be had.
///
/// Residuals are relative to the largest impulse: of light bodies beside heavy ones that touch nothing of them they say little, and
/// heavy ones may not be solved as long as light ones are not. Islands that may be off by their own measure are solved alone, from
/// where they are; `solve` is told whether the whole depends on it.
pub(crate) fn by_own_measure(
    problem: &FrictionProblem,
    (tolerance, mut solution): (f64, Solution),
    mut solve: impl FnMut(&FrictionProblem, &[f64], bool) -> Solution,
) -> Solution {
    if solution.status == Status::Stopped {
        return solution;
    }
    let islands = problem.islands(0);
    if islands.len() < 2 {
        return solution;
    }
    let largest = |z: &[f64]| z.iter().fold(0.0, |m: f64, p| m.max(p.abs()));
    let (is_solved, most) = (solution.status.is_solved(), largest(&solution.z));
    let (mut z, mut changed) = (solution.z.clone(), false);
    let mut worst = if is_solved { solution.residual } else { 0.0 };
    for island in &islands {
        let rows = island.rows(problem);
        let own = chosen(&z, &rows);
        if is_solved && solution.residual * most <= tolerance * largest(&own) {
            continue;
        }
        let part = island.problem(problem);
        let mut residual = part.residuals(&own).scaled;
        let is_off = residual.is_nan() || residual > tolerance;
        if is_off {
            let alone = solve(&part, &own, !is_solved);
            if alone.status == Status::Stopped {
                solution.status = Status::Stopped;
                return solution;
            }
            solution.stats += alone.stats;
            if residual.is_nan() || alone.residual < residual {
                (residual, changed) = (alone.residual, true);
                rows.into_iter().zip(&alone.z).for_each(|(i, p)| z[i] = *p);
            }
        }
        worst = if residual.is_nan() {
            f64::INFINITY
        } else {
            worst.max(residual)
        };
    }
    if !changed {
        return solution;
    }
    // A residual by the measure of an island is no smaller than it has to be.
    let residual = if worst <= tolerance {
        worst
    } else {
        problem.residuals(&z).scaled
    };
    if residual <= tolerance {
        (solution.z, solution.status, solution.residual) = (z, Status::Solved, residual);
    }
    solution
}

#[cfg(test)]
mod tests {
    use signorini_complementarity::{BlockRows, FIXED, FrictionData};

    use super::*;

    /// Particles on a floor, in rows that touch their neighbours.
    fn rows_of(lengths: &[usize]) -> FrictionProblem {
        let bodies: usize = lengths.iter().sum();
        let mut contacts = BlockRows::new(2, 2);
        let mut body = 0_u32;
        for &length in lengths {
            for k in 0..length {
                contacts.push([FIXED, body], &[0.0; 4], &[0.0, 1.0, 1.0, 0.0]);
                if k > 0 {
                    let side = [1.0, 0.0, 0.0, 1.0];
                    contacts.push([body - 1, body], &side.map(|x: f64| -x), &side);
                }
                body += 1;
            }
        }
        let count = contacts.len();
        FrictionProblem::new(FrictionData {
            dofs: 2,
            mass: [1.0, 0.0, 0.0, 1.0].repeat(bodies),
            free_velocity: vec![-0.1; 2 * bodies],
            contacts,
            bias: vec![0.0; 2 * count],
            mu: vec![0.5; count],
            ..FrictionData::default()
        })
        .unwrap()
    }

    #[test]
    fn parts_are_made_where_they_pay() {
        let parts = |lengths: &[usize]| {
            let islands = worthwhile(&rows_of(lengths), PIVOTED);
            let sizes = islands.iter().map(|island| island.contacts().len());
            sizes.collect::<Vec<_>>()
        };
        // Few contacts; one row; one that has nearly all; two halves.
        assert_eq!(parts(&[5, 5]), [0; 0]);
        assert_eq!(parts(&[30]), [0; 0]);
        assert_eq!(parts(&[30, 2, 2]), [0; 0]);
        assert_eq!(parts(&[8, 8]), [0; 0]);
        // Single ones are put together, eight at a time at least.
        assert_eq!(parts(&[8; 5]), [15; 5]);
        assert_eq!(parts(&[1; 48]), [8; 6]);
    }
}
