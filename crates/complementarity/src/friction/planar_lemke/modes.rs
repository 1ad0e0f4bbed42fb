//! The basis of the modes that contacts have at a point, where they may be redundant.

use super::lcp::PlanarLcp;
use crate::friction::FrictionProblem;
use crate::friction::lanes::{Kernel, widest};
use crate::{Basis, BasisMark};

/// Impulses up to this part of the largest one are none, and friction lacks nothing of its bound up to this part of it.
const NOTHING: f64 = 1e-7;

/// A row depends on others if they leave at most this part of its diagonal entry of W.
const DEPENDENT: f64 = 1e-6;

impl PlanarLcp {
    /// The basis of the modes at these impulses, made regular, and the point.
    pub(super) fn near(&self, problem: &FrictionProblem, z: &[f64]) -> (Basis, Vec<f64>) {
        let m = self.contacts.len();
        let mut u = vec![0.0; z.len()];
        problem.relative_velocities_into(z, &mut u);
        let largest = z.iter().fold(0.0_f64, |m, p| m.max(p.abs()));
        let normal = |k: usize| z[2 * self.contacts[k]];
        let tangent = |k: usize| z[2 * self.contacts[k] + 1] / self.factor[k];
        let slip = |k: usize| u[2 * self.contacts[k] + 1] * self.factor[k];
        let carries = |k: usize| normal(k) > NOTHING * largest;

        // 1. Rows of W that could be held, what their impulse lacks of its bound the key.
        let mut candidates: Vec<(f64, usize)> = Vec::new();
        for k in (0..m).filter(|&k| carries(k)) {
            candidates.push((normal(k), k));
            if let (_, Some([a, _])) = self.places(k) {
                let bound = self.mu[k] * normal(k);
                let lacks = bound - tangent(k).abs();
                if lacks > NOTHING * bound {
                    candidates.push((lacks, a));
                }
            }
        }
        candidates.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let held = self.independent(&candidates);

        // 2. The modes, and where they put the unknowns.
        let mut marks = vec![BasisMark::AtLower; self.problem().len()];
        let mut point = vec![0.0; self.problem().len()];
        for k in 0..m {
            let (p, friction) = self.places(k);
            let mut mark = |i: usize, basic: bool| {
                if basic {
                    marks[i] = BasisMark::Basic;
                }
            };
            let is_closed = held[p];
            mark(p, is_closed);
            point[p] = normal(k).max(0.0);
            let Some([a, v]) = friction else { continue };
            let slides_on = if carries(k) {
                tangent(k) < 0.0
            } else {
                slip(k) > 0.0
            };
            let sticks = is_closed && held[a];
            mark(a, sticks || !slides_on);
            mark(v, !sticks && !slides_on);
            point[a] = (self.mu[k] * normal(k) + tangent(k)).max(0.0);
            point[v] = (-slip(k)).max(0.0);
        }
        (Basis::new(marks), point)
    }

    /// Which rows of W are held: each in turn if it depends on none before it, tangents only where their normal is.
    fn independent(&self, candidates: &[(f64, usize)]) -> Vec<bool> {
        let m = self.contacts.len();
        let normals = (0..m).filter_map(|k| self.frictional[k].map(|_| k));
        let normal_of: Vec<usize> = (0..m).chain(normals).collect();
        let size = self.delassus.rows();
        let (mut held, mut refused) = (vec![false; size], vec![false; size]);
        let mut cholesky = Cholesky::default();
        let mut column = vec![0.0; size];
        for &(_, row) in candidates {
            if refused[normal_of[row]] {
                continue;
            }
            let entries = self.delassus.outer_view(row).expect("a column of W");
            entries.iter().for_each(|(i, w)| column[i] = *w);
            held[row] = widest(Extend {
                cholesky: &mut cholesky,
                column: &column,
                row,
            });
            refused[row] = !held[row];
            entries.iter().for_each(|(i, _)| column[i] = 0.0);
        }
        held
    }
}

/// Factors of a growing block of W.
#[derive(Debug, Default)]
struct Cholesky {
    /// Its rows, in the order in which they joined.
    rows: Vec<usize>,
    /// L by rows, one behind the other, with 1 / L_ii in place of L_ii.
    lower: Vec<f64>,
    next: Vec<f64>,
}

/// Lets a row of W join if it is independent of those that are there.
struct Extend<'a> {
    cholesky: &'a mut Cholesky,
    column: &'a [f64],
    row: usize,
}

impl Kernel for Extend<'_> {
    type Output = bool;

    #[expect(clippy::inline_always, reason = "compiled twice, for wide vectors too")]
    #[inline(always)]
    fn run(self) -> bool {
        let Cholesky { rows, lower, next } = self.cholesky;
        next.clear();
        let (mut begin, mut left) = (0, self.column[self.row]);
        for (i, &row) in rows.iter().enumerate() {
            let l = &lower[begin..=begin + i];
            let x = (self.column[row] - dot(&l[..i], next)) * l[i];
            left -= x * x;
            next.push(x);
            begin += i + 1;
        }
        // NaN fails the comparison as well.
        let joins = left > DEPENDENT * self.column[self.row];
        if joins {
            lower.extend_from_slice(next);
            lower.push(1.0 / left.sqrt());
            rows.push(self.row);
        }
        joins
    }
}

/// Lanes of a sum: always as many, so that it has the same bits on every processor.
const LANES: usize = 8;

#[expect(
    clippy::inline_always,
    reason = "part of a loop that is compiled twice"
)]
#[inline(always)]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; LANES];
    let (a, b) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let rest = a.remainder().iter().zip(b.remainder());
    let rest: f64 = rest.map(|(x, y)| x * y).sum();
    for (x, y) in a.zip(b) {
        for k in 0..LANES {
            sums[k] += x[k] * y[k];
        }
    }
    sums.iter().sum::<f64>() + rest
}
