//! Proofs that a friction problem has no solution: self-stresses that velocities run against.
//!
//! ```math
//! d \in K, \qquad W^T d = 0, \qquad q^T d < 0
//! ```
//!
//! Impulses d that move nothing give dᵀ u = dᵀ (W r + q) = qᵀ d < 0 for all r at once, and no solution has that: under the
//! convex law u lies in K*. The exact law wants only u_N ≥ 0, so that there d must have normal impulses alone. On bilateral rows
//! without a limit, which want u = 0, d has any sign; on those with one it is 0.
//!
//! # Method
//! The certificate with the largest −qᵀ d / |d| is the projection of −q on null(W) ∩ K. Douglas–Rachford splitting between the two sets
//! finds it, in balanced units, the projection on null(W) by inverse iteration with one Cholesky factorisation. K is
//! narrowed a little, so that a point of null(W) that is close to it lies inside of K itself. Contacts whose part fades away are left out, and the null
//! space is that of the others.
//!
//! # Guarantees and limits
//! Data are rounded, and a W that is singular is so only to rounding. d moves nothing where
//! |Wᵀ d|_i ≤ 8 ε √W_ii Σ_j √W_jj |d_j|. A solution r of the very data has then Σ √W_ii |r_i| ≥ −qᵀ d / (8 ε Σ √W_jj |d_j|), impulses
//! whose own rounding in W r is some part of −qᵀ d. Doubles may hold it all the same where products happen to be exact: what a method has
//! solved, with velocities that show it, is not refuted afterwards. −qᵀ d must be larger than
//! the share of |q|_∞ from which on impulses count as running off in the scaled residual, and than that of the terms of q: a body that is
//! carried between two walls which move together may be crushed by a hair. Exact laws without a solution whose normals alone could open, and those where impulses run off ever
//! slower, have no such d: nothing is claimed about them.
//!
//! # References
//! - \[BGSB2019\] G. Banjac, P. Goulart, B. Stellato, S. Boyd, Infeasibility detection in the alternating direction method of
//!   multipliers for convex optimization, J. Optim. Theory Appl. 183, 2019.

use super::cone::length;
use super::regularised::Blocks;
use super::residual::RUNAWAY;
use super::{BlockRows, FIXED, FrictionLaw, FrictionProblem};
use crate::dense::DenseFactor;

/// Rows up to which a self-stress is looked for: dense factors.
const MOST_ROWS: usize = 200;

/// Part of its terms up to which Wᵀ d is rounding: some roundings of the data themselves. More of it would deny solutions that doubles hold.
const MOVED: f64 = 8.0 * f64::EPSILON;

/// Parts to which friction is narrowed, and the part of the largest impulse that a normal, or a disc of friction, must be able to have in
/// order to stay in play: a certificate of like impulses inside of cones is found at once, one of unlike ones near their borders later.
const TRIES: [(f64, f64); 2] = [(0.9, 1e-3), (0.999, 1e-6)];

/// Part of the largest diagonal entry of W that the inverse iteration shifts by, and its steps: what W sees with 1e-7 of its size
/// is down to rounding after them, what it sees with 1e-15 stays.
const SHIFT: f64 = 1e-11;
const POWERS: usize = 4;

/// Steps of the splitting, how many of them between two looks, and how often it begins again without what has faded away.
const STEPS: usize = 300;
const LOOK: usize = 10;
const ROUNDS: usize = 6;

/// A projection of −q that is this part of q is none.
const NOTHING: f64 = 1e-4;

impl FrictionProblem {
    /// Whether impulses d prove that there is no solution, whatever the law of this problem: they lie in the cones, no velocity
    /// sees them, and velocities run against them. All of it from the data, with margins against rounding that the module
    /// of [`Certificate::SelfStress`](crate::Certificate::SelfStress) has; no solution that rounding lets anyone see is denied.
    ///
    /// # Panics
    /// If d does not have [`FrictionProblem::len`] entries.
    ///
    /// # Examples
    /// A ball of 1 kg between two walls that close with 1 m/s each: the two normal impulses (1, 1) cancel.
    /// ```
    /// use signorini_complementarity::{ContactLaws, FrictionProblem};
    /// let laws = ContactLaws { dimension: 1, mu: vec![0.0; 2], ..ContactLaws::default() };
    /// let w = sprs::CsMat::new((2, 2), vec![0, 2, 4], vec![0, 1, 0, 1], vec![1.0, -1.0, -1.0, 1.0]);
    /// let problem = FrictionProblem::from_delassus(&w, vec![-1.0, -1.0], laws.clone())?;
    /// assert!(problem.is_refuted_by(&[1.0, 1.0]) && !problem.is_refuted_by(&[1.0, 0.9]));
    /// // One wall follows the other.
    /// let problem = FrictionProblem::from_delassus(&w, vec![-1.0, 1.0], laws)?;
    /// assert!(!problem.is_refuted_by(&[1.0, 1.0]));
    /// # Ok::<(), signorini_complementarity::FrictionError>(())
    /// ```
    #[track_caller]
    pub fn is_refuted_by(&self, d: &[f64]) -> bool {
        assert_eq!(
            d.len(),
            self.len(),
            "one entry per contact and bilateral row"
        );
        if !(d.iter().all(|d| d.is_finite()) && self.allows(d)) {
            return false;
        }
        // 1. Nothing moves.
        let (moved, q, terms) = self.seen(d);
        let roots: Vec<f64> = self.diagonal().iter().map(|w| w.sqrt()).collect();
        let stress: f64 = roots.iter().zip(d).map(|(w, d)| w * d.abs()).sum();
        let bounds = roots.iter().map(|w| MOVED * w * stress);
        if !moved.iter().zip(bounds).all(|(e, bound)| e.abs() <= bound) {
            return false;
        }
        // 2. Velocities run against it, by more than rounding and by what counts as running off.
        let scales = self.laws().row_scales();
        let scale = |i: usize| scales.get(i).copied().unwrap_or(1.0);
        let speed = q
            .iter()
            .enumerate()
            .fold(0.0_f64, |m, (i, q)| (q * scale(i)).abs().max(m));
        let own: Vec<f64> = d.iter().enumerate().map(|(i, d)| d / scale(i)).collect();
        let split = self.contact_count() * self.dimension();
        let contacts = own[..split].chunks_exact(self.dimension().max(1));
        let bilateral = own[split..].iter().map(|d| d.abs());
        let size: f64 = contacts.map(length).chain(bilateral).sum();
        let against = -dot(&q, d);
        against > RUNAWAY * (speed * size).max(terms)
    }

    /// Whether d lies in K, without its tangents under the exact law.
    fn allows(&self, d: &[f64]) -> bool {
        let scales = self.laws().row_scales();
        let dimension = self.dimension();
        let (contacts, bilateral) = d.split_at(self.contact_count() * dimension);
        let inside = contacts
            .chunks_exact(dimension.max(1))
            .enumerate()
            .all(|(k, d)| {
                let mut own = d.to_vec();
                for (d, e) in own.iter_mut().zip(scales.iter().skip(k * dimension)) {
                    *d /= e;
                }
                let cone = self.laws().cone(k);
                let (first, second) = cone.discs(&own);
                match self.law() {
                    FrictionLaw::Coulomb => own[0] >= 0.0 && first == 0.0 && second == 0.0,
                    FrictionLaw::Convex => {
                        own[0] >= 0.0
                            && first <= cone.mu * own[0]
                            && second <= cone.rolling * own[0]
                    }
                }
            });
        let laws = self.equations().iter().zip(bilateral);
        inside
            && laws
                .into_iter()
                .all(|(law, d)| law.limit == f64::INFINITY || *d == 0.0)
    }

    /// Wᵀ d, q, and Σ |d_i| times the terms that q_i is the sum of.
    fn seen(&self, d: &[f64]) -> (Vec<f64>, Vec<f64>, f64) {
        let mut moved = vec![0.0; d.len()];
        if let Some((w, q)) = self.operator() {
            for (row, d) in w.outer_iterator().zip(d) {
                row.iter().for_each(|(j, w)| moved[j] += w * d);
            }
            let terms = q.iter().zip(d).map(|(q, d)| (q * d).abs()).sum();
            return (moved, q.to_vec(), terms);
        }
        let split = self.contact_count() * self.dimension();
        let mut v = vec![0.0; self.nv()];
        self.contacts().transpose_mul_add(&d[..split], &mut v);
        self.bilateral().transpose_mul_add(&d[split..], &mut v);
        self.factor().solve(&mut v);
        self.contacts().mul_into(&v, &mut moved[..split]);
        self.bilateral().mul_into(&v, &mut moved[split..]);
        for ((moved, law), d) in moved[split..]
            .iter_mut()
            .zip(self.equations())
            .zip(&d[split..])
        {
            *moved += law.compliance * d;
        }
        let terms = self.terms().zip(d).map(|(term, d)| term * d.abs()).sum();
        (moved, self.q(), terms)
    }

    /// Σ_j |J_ij v_j| + |bias_i| of all rows, of a problem with bodies.
    fn terms(&self) -> impl Iterator<Item = f64> {
        let bias = self.bias().iter().chain(self.bilateral_bias());
        let free = self.free_velocity();
        let own = row_sizes(self.contacts(), free).chain(row_sizes(self.bilateral(), free));
        own.zip(bias).map(|(v, bias)| v + bias.abs())
    }

    /// The largest velocity that an entry of q is, or is the difference of.
    pub(super) fn fastest(&self) -> f64 {
        let scales = self.laws().row_scales();
        let scaled = |(i, term): (usize, f64)| term * scales.get(i).copied().unwrap_or(1.0);
        match self.operator() {
            Some((_, q)) => {
                let terms = q.iter().map(|q| q.abs()).enumerate();
                terms.map(scaled).fold(0.0, f64::max)
            }
            None => self.terms().enumerate().map(scaled).fold(0.0, f64::max),
        }
    }
}

/// Σ_j |J_ij v_j| of all rows.
fn row_sizes<'a>(rows: &'a BlockRows, v: &'a [f64]) -> impl Iterator<Item = f64> + 'a {
    let (count, dofs) = (rows.rows(), rows.dofs());
    rows.cols().iter().enumerate().flat_map(move |(k, cols)| {
        (0..count).map(move |i| {
            let sides = cols.iter().enumerate().filter(|(_, body)| **body != FIXED);
            let sums = sides.map(|(side, body)| {
                let row = &rows.block(k, side)[i * dofs..][..dofs];
                let v = &v[*body as usize * dofs..][..dofs];
                row.iter().zip(v).map(|(j, v)| (j * v).abs()).sum::<f64>()
            });
            sums.sum()
        })
    })
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Impulses by which the problem [is refuted](FrictionProblem::is_refuted_by), if some are found.
pub(super) fn self_stress(problem: &FrictionProblem) -> Option<Vec<f64>> {
    if problem.len() > MOST_ROWS {
        return None;
    }
    let mut search = Search::new(problem);
    // What normals alone prove holds under both laws, and is a smaller problem.
    let all = search.allowed.clone();
    search.allow_normals();
    let found = TRIES.iter().find_map(|t| search.rounds(problem, *t));
    if found.is_some() || problem.law() != FrictionLaw::Convex {
        return found;
    }
    search.allowed = all;
    TRIES.iter().find_map(|t| search.rounds(problem, *t))
}

/// How one splitting ends.
enum Ended {
    Found(Vec<f64>),
    /// Contacts have been left out.
    Faded,
    Nothing,
}

/// Workspace, in balanced units.
struct Search {
    blocks: Blocks,
    /// W by columns.
    matrix: Vec<f64>,
    shift: f64,
    /// −q, of length 1.
    target: Vec<f64>,
    /// Rows that may have impulses, and those among them that are still in play.
    allowed: Vec<bool>,
    free: Vec<bool>,
    factor: DenseFactor,
}

impl Search {
    fn new(problem: &FrictionProblem) -> Self {
        let blocks = Blocks::new(problem);
        let view = &blocks.view;
        let n = view.len();
        let mut matrix = vec![0.0; n * n];
        for k in 0..view.blocks() {
            let rows = view.rows(k);
            for (l, block) in blocks.matrix.row(k) {
                let cols = view.rows(l);
                for (i, row) in rows.clone().zip(block.chunks_exact(cols.len())) {
                    for (j, w) in cols.clone().zip(row) {
                        matrix[j * n + i] += 0.5 * w;
                        matrix[i * n + j] += 0.5 * w;
                    }
                }
            }
        }
        let mut allowed = vec![true; n];
        for (k, cone) in view.cones.iter().enumerate() {
            let first = view.rows(k).start;
            for (rows, mu) in cone.parts() {
                if mu == 0.0 {
                    allowed[first + rows.start..first + rows.end].fill(false);
                }
            }
        }
        for (row, law) in (view.contacts * view.dimension..).zip(&view.equations) {
            allowed[row] = law.limit == f64::INFINITY;
        }
        let size = length(&view.q);
        Self {
            shift: SHIFT
                * matrix
                    .iter()
                    .step_by(n + 1)
                    .fold(0.0, |m: f64, w| m.max(*w)),
            target: view.q.iter().map(|q| -q / size).collect(),
            free: allowed.clone(),
            allowed,
            matrix,
            blocks,
            factor: DenseFactor::default(),
        }
    }

    /// No impulses but those of normals and bilateral rows.
    fn allow_normals(&mut self) {
        let view = &self.blocks.view;
        for k in 0..view.contacts {
            let rows = view.rows(k);
            self.allowed[rows.start + 1..rows.end].fill(false);
        }
    }

    /// Splittings for cones of this part, until one finds a self-stress or nothing fades any more.
    fn rounds(&mut self, problem: &FrictionProblem, (part, faded): (f64, f64)) -> Option<Vec<f64>> {
        self.free.clone_from(&self.allowed);
        for _ in 0..ROUNDS {
            match self.run(problem, (part, faded)) {
                Ended::Found(d) => return Some(d),
                Ended::Faded => {}
                Ended::Nothing => break,
            }
        }
        None
    }

    /// Factorises W + shift I of the rows in play.
    fn factorise(&mut self) -> bool {
        let n = self.free.len();
        let entries = self.factor.entries(n);
        entries.copy_from_slice(&self.matrix);
        for i in 0..n {
            entries[i * n + i] += self.shift;
            if !self.free[i] {
                for j in 0..n {
                    (entries[i * n + j], entries[j * n + i]) = (0.0, 0.0);
                }
                entries[i * n + i] = 1.0;
            }
        }
        self.factor.cholesky(0.0)
    }

    /// x ← its projection on null(W), as far as the shift tells W from 0.
    fn to_null_space(&self, x: &mut [f64]) {
        for (x, free) in x.iter_mut().zip(&self.free) {
            *x = if *free { *x } else { 0.0 };
        }
        for _ in 0..POWERS {
            self.factor.solve(x);
            for x in &mut *x {
                *x *= self.shift;
            }
        }
    }

    /// z ← its projection on K with the friction of this part.
    fn to_cones(&self, part: f64, z: &mut [f64]) {
        let view = &self.blocks.view;
        for (k, cone) in view.cones.iter().enumerate() {
            let mut narrow = *cone;
            narrow.mu *= part;
            narrow.rolling *= part;
            narrow.project(&mut z[view.rows(k)]);
        }
    }

    /// Douglas–Rachford splitting; contacts that fade away are left out at its end.
    fn run(&mut self, problem: &FrictionProblem, (part, faded): (f64, f64)) -> Ended {
        let n = self.free.len();
        if !(self.shift > 0.0 && self.factorise()) {
            return Ended::Nothing;
        }
        let (mut z, mut dual, mut x) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
        for number in 1..=STEPS {
            for i in 0..n {
                x[i] = 0.5 * (z[i] - dual[i] + self.target[i]);
            }
            self.to_null_space(&mut x);
            for i in 0..n {
                z[i] = x[i] + dual[i];
            }
            self.to_cones(part, &mut z);
            for i in 0..n {
                dual[i] += x[i] - z[i];
            }
            if number % LOOK == 0 {
                // x moves nothing, z lies in the cones; where some contacts have faded away only z does.
                for point in [&x, &z] {
                    let d = self.blocks.impulses(point);
                    if problem.is_refuted_by(&d) {
                        return Ended::Found(d);
                    }
                }
                // NaN fails the comparison as well.
                let something = length(&z) > NOTHING;
                if !something && number > STEPS / 3 {
                    return Ended::Nothing;
                }
            }
        }
        self.leave_out(&z, faded)
    }

    /// Leaves out contacts, and discs of friction, whose impulses have faded away.
    fn leave_out(&mut self, z: &[f64], faded: f64) -> Ended {
        let view = &self.blocks.view;
        let most = z.iter().fold(0.0_f64, |m, z| m.max(z.abs()));
        let mut ended = Ended::Nothing;
        for (k, cone) in view.cones.iter().enumerate() {
            let first = view.rows(k).start;
            let normal = (0..1, 1.0);
            for (rows, mu) in std::iter::once(normal).chain(cone.parts()) {
                let rows = first + rows.start..first + rows.end;
                if mu * z[first] <= faded * most && self.free[rows.clone()].contains(&true) {
                    self.free[rows].fill(false);
                    ended = Ended::Faded;
                }
            }
        }
        ended
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collection;

    /// These problems have a solution whatever the seed: no contact objects to rest.
    #[test]
    fn nothing_is_found_where_there_is_a_solution() {
        for seed in 0..400 {
            for law in [FrictionLaw::Coulomb, FrictionLaw::Convex] {
                let problem = collection::random_contacts(seed).with_law(law);
                assert_eq!(self_stress(&problem), None, "{seed} {law:?}");
            }
        }
    }
}
