//! Islands: parts of a problem that no body connects, each solved alone, side by side.
//!
//! Two contacts or bilateral rows are on one island if a body joins them, directly or through others. Impulses on one
//! island change no velocity on another, so that the whole problem is solved by solving its parts, and a method that
//! waits for its slowest contact waits on one island only.
//!
//! # Guarantees and limits
//! Islands are numbered by their first block, and each is solved by one thread: the same bits for any number of threads.
//! The residual of the answer is that of the whole problem. A problem without bodies counts as one island.

use rayon::prelude::*;

use super::equation::EquationLaw;
use super::{BlockRows, FIXED, FrictionData, FrictionProblem, ResidualMeasure};
use crate::{Solution, Start, Stats, Status};

/// One part: which contacts, bilateral rows and bodies of the whole, in their order.
#[derive(Clone, Debug, Default)]
struct Island {
    contacts: Vec<usize>,
    bilateral: Vec<usize>,
    bodies: Vec<usize>,
}

/// Solves every island of a problem by `solve`, side by side on rayon's threads, and puts the answers together.
///
/// Solved means that the residual of the whole problem, in this measure, is at most the tolerance. The scaled residual of
/// a part is relative to its own impulses and its own masses; where all parts are solved and the whole is not, `solve` is
/// asked once more, for the whole from there. A part that fails gives its status to the whole, the first such part if
/// there are several. Statistics are sums.
///
/// # Panics
/// If `start` does not fit the problem.
///
/// # Examples
/// ```
/// use signorini_complementarity::{FrictionNewton, ResidualMeasure, Solver, Start, collection, solve_islands};
/// let heap = collection::heap(10, 1);
/// let newton = |part: &_, start: Start<'_>| FrictionNewton::default().solve(part, start);
/// let solution = solve_islands(&heap, (ResidualMeasure::Scaled, 1e-10), Start::Cold, newton);
/// assert!(solution.status.is_solved() && heap.residuals(&solution.z).scaled <= 1e-10);
/// ```
#[track_caller]
pub fn solve_islands(
    problem: &FrictionProblem,
    (measure, tolerance): (ResidualMeasure, f64),
    start: Start<'_>,
    solve: impl Fn(&FrictionProblem, Start<'_>) -> Solution + Sync,
) -> Solution {
    if let Start::Point(z) = start {
        assert_eq!(
            z.len(),
            problem.len(),
            "one entry per contact and bilateral row"
        );
    }
    let islands = islands(problem);
    if islands.len() <= 1 {
        return solve(problem, start);
    }
    let rows = |island: &Island| {
        let d = problem.dimension();
        let contacts = island.contacts.iter().flat_map(move |k| k * d..(k + 1) * d);
        let first = problem.contact_count() * d;
        contacts
            .chain(island.bilateral.iter().map(move |k| first + k))
            .collect::<Vec<usize>>()
    };
    let parts: Vec<Solution> = islands
        .par_iter()
        .map(|island| {
            let part = island.problem(problem);
            match start {
                Start::Point(z) => {
                    let z: Vec<f64> = rows(island).into_iter().map(|i| z[i]).collect();
                    solve(&part, Start::Point(&z))
                }
                _ => solve(&part, Start::Cold),
            }
        })
        .collect();
    let (mut z, mut stats) = (vec![0.0; problem.len()], Stats::default());
    let mut status = Status::Solved;
    for (island, part) in islands.iter().zip(&parts) {
        for (i, value) in rows(island).into_iter().zip(&part.z) {
            z[i] = *value;
        }
        stats += part.stats;
        if status.is_solved() {
            status = part.status;
        }
    }
    let residual = problem.residuals(&z).of(measure);
    if residual > tolerance && status.is_solved() {
        let mut whole = solve(problem, Start::Point(&z));
        whole.stats += stats;
        return whole;
    }
    Solution {
        z,
        status: if residual <= tolerance {
            Status::Solved
        } else {
            status
        },
        residual,
        stats,
        basis: None,
        certificate: None,
    }
}

impl Island {
    /// The part as a problem of its own.
    fn problem(&self, whole: &FrictionProblem) -> FrictionProblem {
        let (d, dofs) = (whole.dimension(), whole.dofs());
        let laws = whole.laws();
        let chosen = |values: &[f64], each: usize, of: &[usize]| -> Vec<f64> {
            if values.is_empty() {
                return Vec::new();
            }
            of.iter()
                .flat_map(|k| &values[k * each..(k + 1) * each])
                .copied()
                .collect()
        };
        let rows = |rows: &BlockRows, of: &[usize]| {
            let mut out = BlockRows::new(rows.rows(), rows.dofs());
            for &k in of {
                let place = |body: u32| match self.bodies.binary_search(&(body as usize)) {
                    Ok(place) if body != FIXED => {
                        u32::try_from(place).expect("no more bodies than the whole has")
                    }
                    _ => FIXED,
                };
                out.push(
                    rows.cols()[k].map(place),
                    rows.block(k, 0),
                    rows.block(k, 1),
                );
            }
            out
        };
        let laws_of = |value: fn(&EquationLaw) -> f64| {
            let laws = whole.equations();
            self.bilateral.iter().map(|&k| value(&laws[k])).collect()
        };
        FrictionProblem::new(FrictionData {
            dofs,
            mass: chosen(whole.mass(), dofs * dofs, &self.bodies),
            free_velocity: chosen(whole.free_velocity(), dofs, &self.bodies),
            contacts: rows(whole.contacts(), &self.contacts),
            bias: chosen(whole.bias(), d, &self.contacts),
            mu: chosen(&laws.mu, 1, &self.contacts),
            rolling: chosen(&laws.rolling, 1, &self.contacts),
            ellipse: chosen(&laws.ellipse, d.saturating_sub(1), &self.contacts),
            law: laws.law,
            bilateral: rows(whole.bilateral(), &self.bilateral),
            bilateral_bias: chosen(whole.bilateral_bias(), 1, &self.bilateral),
            bilateral_compliance: laws_of(|law| law.compliance),
            bilateral_limit: laws_of(|law| law.limit),
        })
        .expect("part of a problem that was accepted")
    }
}

/// The islands by their first block, contacts before bilateral rows; none for a problem without bodies. Bodies that
/// nothing touches are on none, and blocks that touch no body make one island each.
fn islands(problem: &FrictionProblem) -> Vec<Island> {
    if !problem.has_bodies() {
        return Vec::new();
    }
    let (contacts, bilateral) = (problem.contacts().cols(), problem.bilateral().cols());
    let mut parent: Vec<usize> = (0..problem.bodies()).collect();
    for cols in contacts.iter().chain(bilateral) {
        if let [Some(a), Some(b)] = cols.map(body) {
            let (a, b) = (root(&mut parent, a), root(&mut parent, b));
            // The lower number leads.
            parent[a.max(b)] = a.min(b);
        }
    }
    let mut of_root: Vec<Option<usize>> = vec![None; problem.bodies()];
    let mut all: Vec<Island> = Vec::new();
    for (k, cols) in contacts.iter().chain(bilateral).enumerate() {
        let moving = cols.iter().find_map(|col| body(*col));
        let slot = moving.map(|b| root(&mut parent, b));
        let known = slot.and_then(|root| of_root[root]);
        let number = known.unwrap_or(all.len());
        if known.is_none() {
            all.push(Island::default());
        }
        if let Some(root) = slot {
            of_root[root] = Some(number);
        }
        match k.checked_sub(contacts.len()) {
            None => all[number].contacts.push(k),
            Some(row) => all[number].bilateral.push(row),
        }
    }
    for b in 0..problem.bodies() {
        if let Some(number) = of_root[root(&mut parent, b)] {
            all[number].bodies.push(b);
        }
    }
    all
}

fn body(col: u32) -> Option<usize> {
    (col != FIXED).then_some(col as usize)
}

/// The lowest body that leads to this one; the way there is halved.
fn root(parent: &mut [usize], mut body: usize) -> usize {
    while parent[body] != body {
        parent[body] = parent[parent[body]];
        body = parent[body];
    }
    body
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FrictionNewton, Solver, collection};

    /// Several problems side by side in one, their bodies taking turns.
    fn side_by_side(parts: &[FrictionProblem]) -> FrictionProblem {
        let (dofs, count) = (parts[0].dofs(), parts.len());
        let bodies = parts[0].bodies();
        let mut data = FrictionData {
            dofs,
            contacts: BlockRows::new(3, dofs),
            ..FrictionData::default()
        };
        for body in 0..bodies {
            for part in parts {
                let size = dofs * dofs;
                data.mass.extend(&part.mass()[body * size..][..size]);
                data.free_velocity
                    .extend(&part.free_velocity()[body * dofs..][..dofs]);
            }
        }
        for k in 0..parts[0].contact_count() {
            for (number, part) in parts.iter().enumerate() {
                let own = |b: u32| match body(b) {
                    Some(b) => u32::try_from(b * count + number).unwrap(),
                    None => FIXED,
                };
                let rows = part.contacts();
                let cols = rows.cols()[k].map(own);
                data.contacts.push(cols, rows.block(k, 0), rows.block(k, 1));
                data.bias.extend(&part.bias()[3 * k..][..3]);
                data.mu.push(part.mu()[k]);
            }
        }
        FrictionProblem::new(data).unwrap()
    }

    fn heaps() -> FrictionProblem {
        let part = collection::heap(10, 1);
        let mut other = part.clone().into_data();
        other.free_velocity.iter_mut().for_each(|v| *v *= 3.0);
        side_by_side(&[part, FrictionProblem::new(other).unwrap()])
    }

    #[test]
    fn islands_are_what_was_put_side_by_side() {
        let part = collection::heap(10, 1);
        let parts = [part.clone(), part.clone(), part.clone()];
        let islands = islands(&side_by_side(&parts));
        assert_eq!(islands.len(), 3);
        for (number, island) in islands.iter().enumerate() {
            assert!(island.bodies.iter().all(|b| b % 3 == number));
            // Printed they would fill a book.
            assert!(island.problem(&side_by_side(&parts)) == part);
        }
    }

    #[test]
    fn any_number_of_threads_gives_the_same_bits() {
        let (problem, tolerance) = (heaps(), 1e-10);
        let newton =
            |part: &FrictionProblem, start: Start<'_>| FrictionNewton::default().solve(part, start);
        let solve = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            let pool = pool.build().unwrap();
            pool.install(|| {
                let target = (ResidualMeasure::Scaled, tolerance);
                solve_islands(&problem, target, Start::Cold, newton)
            })
        };
        let (one, two) = (solve(1), solve(2));
        assert!(one.status.is_solved());
        assert!(problem.residuals(&one.z).scaled <= tolerance);
        assert_eq!(one, two);
        // And what one heap alone gets.
        let alone = FrictionNewton::default().solve(&collection::heap(10, 1), Start::Cold);
        let first = one.z.chunks_exact(3).step_by(2).flatten();
        assert!(first.eq(&alone.z));
    }

    #[test]
    fn a_part_that_fails_is_told() {
        let problem = heaps();
        let target = (ResidualMeasure::Scaled, 1e-10);
        let lazy = |part: &FrictionProblem, start: Start<'_>| {
            let mut newton = FrictionNewton::default();
            if part.free_velocity()[2] < -0.3 {
                newton.settings.start_sweeps = 0;
                newton.settings.iteration_limit = 0;
                newton.settings.smoothing_limit = 0;
            }
            newton.solve(part, start)
        };
        let solution = solve_islands(&problem, target, Start::Cold, lazy);
        assert_eq!(solution.status, Status::IterationLimit);
        assert!(
            solution.residual > 1e-10 && problem.residuals(&solution.z).scaled == solution.residual
        );
        // From its answer the other solver goes on.
        let newton =
            |part: &FrictionProblem, start: Start<'_>| FrictionNewton::default().solve(part, start);
        let solution = solve_islands(&problem, target, Start::Point(&solution.z), newton);
        assert!(solution.status.is_solved());
    }
}
