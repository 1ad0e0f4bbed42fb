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
use crate::{Certificate, Solution, Start, Stats, Status};

/// A part of a problem that no body connects with the rest: which contacts, bilateral rows and bodies of the whole it has, each
/// in their order. See [`FrictionProblem::islands`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FrictionIsland {
    contacts: Vec<usize>,
    bilateral: Vec<usize>,
    bodies: Vec<usize>,
}

/// Solves every island of a problem by `solve`, side by side on rayon's threads, and puts the answers together.
///
/// Solved means that the residual of the whole problem, in this measure, is at most the tolerance. The scaled residual of
/// a part is relative to its own impulses and its own masses; where all parts are solved and the whole is not, `solve` is
/// asked once more, for the whole from there. A part that fails gives its status, and its proof that there is no solution, to the whole, the first such part if
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
    let islands = problem.islands(0);
    if islands.len() <= 1 {
        return solve(problem, start);
    }
    let mut workers = vec![(); islands.len()];
    let parts = solve_parts(
        problem,
        &islands,
        &mut workers,
        |(), island, part| match start {
            Start::Point(z) => {
                let rows = island.rows(problem);
                let z: Vec<f64> = rows.into_iter().map(|i| z[i]).collect();
                solve(part, Start::Point(&z))
            }
            _ => solve(part, Start::Cold),
        },
    );
    let (mut z, mut stats) = (vec![0.0; problem.len()], Stats::default());
    let (mut status, mut certificate) = (Status::Solved, None);
    for (island, part) in islands.iter().zip(&parts) {
        let rows = island.rows(problem);
        for (i, value) in rows.iter().zip(&part.z) {
            z[*i] = *value;
        }
        stats += part.stats;
        if status.is_solved() {
            status = part.status;
            if let Some(Certificate::SelfStress(own)) = &part.certificate {
                let mut d = vec![0.0; problem.len()];
                rows.iter().zip(own).for_each(|(i, value)| d[*i] = *value);
                certificate = Some(Certificate::SelfStress(d));
            }
        }
    }
    let residual = problem.residuals(&z).of(measure);
    if residual > tolerance && status.is_solved() {
        let mut whole = solve(problem, Start::Point(&z));
        whole.stats += stats;
        return whole;
    }
    let refuted = match &certificate {
        Some(Certificate::SelfStress(d)) => problem.is_refuted_by(d),
        _ => false,
    };
    let status = match status {
        // Whether it is decides the whole, not how small it is beside the impulses of another part.
        _ if refuted => Status::Infeasible,
        _ if residual <= tolerance => Status::Solved,
        // Refuted alone, but beside the faster rest the proof is within what counts as rounding.
        Status::Infeasible => Status::NoProgress,
        failed => failed,
    };
    Solution {
        z,
        status,
        residual,
        stats,
        basis: None,
        certificate: certificate.filter(|_| refuted),
    }
}

/// Lets every island be solved as a problem of its own, side by side on rayon's threads, each by the worker of its place; the
/// answers in the order of the islands.
///
/// # Panics
/// If there are fewer workers than islands.
///
/// # Examples
/// ```
/// use signorini_complementarity::{FrictionNewton, Solver, Start, collection, solve_parts};
/// let heap = collection::heap(10, 1);
/// let islands = heap.islands(0);
/// let mut workers = vec![FrictionNewton::default(); islands.len()];
/// let parts = solve_parts(&heap, &islands, &mut workers, |newton, _, part| newton.solve(part, Start::Cold));
/// assert!(parts.iter().all(|part| part.status.is_solved()));
/// ```
#[track_caller]
pub fn solve_parts<W: Send, T: Send>(
    problem: &FrictionProblem,
    islands: &[FrictionIsland],
    workers: &mut [W],
    solve: impl Fn(&mut W, &FrictionIsland, &FrictionProblem) -> T + Sync,
) -> Vec<T> {
    assert!(workers.len() >= islands.len(), "one worker for each island");
    islands
        .par_iter()
        .zip(workers)
        .map(|(island, worker)| solve(worker, island, &island.problem(problem)))
        .collect()
}

impl FrictionIsland {
    /// Its contacts, ascending.
    pub fn contacts(&self) -> &[usize] {
        &self.contacts
    }

    /// Its bilateral rows, ascending.
    pub fn bilateral(&self) -> &[usize] {
        &self.bilateral
    }

    /// Its bodies, ascending.
    pub fn bodies(&self) -> &[usize] {
        &self.bodies
    }

    /// Contacts and bilateral rows.
    fn size(&self) -> usize {
        self.contacts.len() + self.bilateral.len()
    }

    /// Where the impulses of the part stand among those of the whole.
    pub fn rows(&self, whole: &FrictionProblem) -> Vec<usize> {
        let d = whole.dimension();
        let contacts = self.contacts.iter().flat_map(|k| k * d..(k + 1) * d);
        let first = whole.contact_count() * d;
        let bilateral = self.bilateral.iter().map(|k| first + k);
        contacts.chain(bilateral).collect()
    }

    /// Takes another island in.
    fn join(&mut self, other: Self) {
        let lists = [
            (&mut self.contacts, other.contacts),
            (&mut self.bilateral, other.bilateral),
            (&mut self.bodies, other.bodies),
        ];
        for (own, others) in lists {
            own.extend(others);
            own.sort_unstable();
        }
    }

    /// The part as a problem of its own.
    ///
    /// # Panics
    /// If the island is not one of this problem.
    #[track_caller]
    pub fn problem(&self, whole: &FrictionProblem) -> FrictionProblem {
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

impl FrictionProblem {
    /// The islands by their first block, contacts before bilateral rows, in groups of neighbours with at least `least` blocks
    /// each; none for a problem without bodies. Bodies that nothing touches are on none, and blocks that touch no body make one
    /// island each.
    ///
    /// # Examples
    /// ```
    /// use signorini_complementarity::collection;
    /// let heap = collection::heap(10, 1);
    /// assert_eq!(heap.islands(0)[0].contacts().len(), heap.contact_count());
    /// ```
    pub fn islands(&self, least: usize) -> Vec<FrictionIsland> {
        let mut groups: Vec<FrictionIsland> = Vec::new();
        for island in islands(self) {
            match groups.last_mut() {
                Some(last) if last.size() < least => last.join(island),
                _ => groups.push(island),
            }
        }
        // What is left over at the end is too little for a group of its own.
        if let Some(last) = groups.pop_if(|last| last.size() < least) {
            match groups.last_mut() {
                Some(before) => before.join(last),
                None => groups.push(last),
            }
        }
        groups
    }
}

/// The islands one by one.
fn islands(problem: &FrictionProblem) -> Vec<FrictionIsland> {
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
    let mut all: Vec<FrictionIsland> = Vec::new();
    for (k, cols) in contacts.iter().chain(bilateral).enumerate() {
        let moving = cols.iter().find_map(|col| body(*col));
        let slot = moving.map(|b| root(&mut parent, b));
        let known = slot.and_then(|root| of_root[root]);
        let number = known.unwrap_or(all.len());
        if known.is_none() {
            all.push(FrictionIsland::default());
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
        let whole = side_by_side(&parts);
        let islands = whole.islands(0);
        assert_eq!(islands.len(), 3);
        for (number, island) in islands.iter().enumerate() {
            assert!(island.bodies.iter().all(|b| b % 3 == number));
            // Printed they would fill a book.
            assert!(island.problem(&whole) == part);
        }
        // Two are one group, and the third is too small for one.
        let least = part.contact_count() + 1;
        let groups = whole.islands(least);
        assert_eq!(groups.len(), 1);
        assert!(groups[0].problem(&whole) == whole);
        assert_eq!(whole.islands(part.contact_count()), islands);
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
