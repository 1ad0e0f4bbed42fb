//! Newton's method for the closest points of two features.
//!
//! ```math
//! \alpha_a t_a + \beta_a \delta n = r_a, \quad \alpha_b t_b - \beta_b \delta n = r_b, \quad
//! t_b - t_a - d\, \delta n = -P (b - a), \qquad P = I - n n^T, \; d = n^T (b - a)
//! ```
//!
//! # Method
//! Points a and b and the normal n are unknown; the relation of each boundary is its own (see `boundary`). With shape
//! operators on both sides the elimination gives K₁ + K₂ (I + d K₁), the projector form of CBAT2007 (9), with support
//! functions H₁ + H₂ + d I. Both stay regular through contact. Directions in which nothing is determined (parallel
//! faces) are left alone by complete pivoting.
//!
//! # References
//! - N. Chakraborty, S. Berard, S. Akella, J. Trinkle, An implicit time-stepping method for multibody systems with
//!   intermittent contact, RSS 2007.

use nalgebra::SVector;

use super::pair::{Pair, Touch};
use crate::boundary::{Feature, Relation};

/// Where Newton's method ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Root<const D: usize> {
    pub(crate) touch: Touch<D>,
    pub(crate) features: [Feature; 2],
    /// Distance of (a, b, n) from closest points, relative to the size of the pair.
    pub(crate) error: f64,
    /// Smallest pivots of the last system that belong to moves of the points and to turns of the normal.
    pub(crate) pivots: Pivots,
    pub(crate) iterations: u32,
}

/// Smallest pivots of the linear system, by the unknown they belong to; all entries of the system are numbers without
/// dimension, at most one in each row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pivots {
    pub(crate) moves: f64,
    pub(crate) turns: f64,
}

/// Errors below this are rounding: Newton stops.
const ROUNDING: f64 = 2e-15;

/// Errors below this count as converged if they do not fall further.
const CONVERGED: f64 = 1e-12;

/// Steps from a start at hand; from far starts on flat boundaries each step gains a fixed part.
const STEPS: u32 = 60;

/// Longest step: turn in radians, and move relative to the size.
const LONGEST: f64 = 0.5;

/// Finds the root near `start` on these features.
pub(crate) fn newton<const D: usize>(
    pair: &Pair<'_, D>,
    features: [Feature; 2],
    start: Touch<D>,
) -> Root<D> {
    let mut touch = start;
    let mut best: Option<Root<D>> = None;
    let mut stalls = 0;
    for iterations in 0..STEPS {
        let relations = pair.relations(features, &touch);
        let across = touch.b - touch.a - touch.n * touch.distance();
        let error = (relations[0].error + relations[1].error + across.norm()) / pair.size;
        if !error.is_finite() {
            break;
        }
        let step = Step::new(pair.size, &relations, &touch, &across);
        let improved = best.is_none_or(|best| error < best.error);
        let halved = best.is_none_or(|best| error < 0.5 * best.error);
        if improved {
            best = Some(Root {
                touch,
                features,
                error,
                pivots: step.pivots,
                iterations,
            });
        }
        if error <= ROUNDING {
            break;
        }
        if !halved && best.is_some_and(|best| best.error <= CONVERGED) {
            stalls += 1;
            if stalls == 3 {
                break;
            }
        }
        touch = step.taken(&touch);
    }
    let mut root = best.unwrap_or(Root {
        touch: start,
        features,
        error: f64::INFINITY,
        pivots: Pivots {
            moves: 0.0,
            turns: 0.0,
        },
        iterations: 0,
    });
    // The points of a root are each other's along n exactly.
    let d = root.touch.distance();
    let middle = (root.touch.a + root.touch.b) * 0.5;
    root.touch.a = middle - root.touch.n * (0.5 * d);
    root.touch.b = middle + root.touch.n * (0.5 * d);
    root
}

/// The smallest pivots at a touch.
pub(crate) fn pivots<const D: usize>(
    pair: &Pair<'_, D>,
    features: [Feature; 2],
    touch: &Touch<D>,
) -> Pivots {
    let relations = pair.relations(features, touch);
    Step::new(pair.size, &relations, touch, &SVector::zeros()).pivots
}

/// A step of Newton's method, for lengths of the order of `size`.
pub(crate) struct Step<const D: usize> {
    move_a: SVector<f64, D>,
    move_b: SVector<f64, D>,
    turn: SVector<f64, D>,
    pub(crate) pivots: Pivots,
}

impl<const D: usize> Step<D> {
    pub(crate) fn new(
        size: f64,
        [ra, rb]: &[Relation<D>; 2],
        touch: &Touch<D>,
        across: &SVector<f64, D>,
    ) -> Self {
        let n = touch.n;
        let distance = touch.distance() - ra.lift - rb.lift;
        let basis = tangents(&n);
        let basis = &basis[..D - 1];
        // Unknowns: t_a / size, then δn, by tangent.
        let k = D - 1;
        let mut system = System::new(2 * k);
        let right_b = rb.rhs + rb.alpha * across;
        for (i, e) in basis.iter().enumerate() {
            for (j, f) in basis.iter().enumerate() {
                system.matrix[i][j] = e.dot(&(ra.alpha * f)) * size;
                system.matrix[i][k + j] = e.dot(&(ra.beta * f));
                let alpha_b = e.dot(&(rb.alpha * f));
                system.matrix[k + i][j] = alpha_b * size;
                system.matrix[k + i][k + j] = distance * alpha_b - e.dot(&(rb.beta * f));
            }
            system.right[i] = e.dot(&ra.rhs);
            system.right[k + i] = e.dot(&right_b);
        }
        let (solution, pivots) = system.solve();
        let mut pivot = Pivots {
            moves: f64::INFINITY,
            turns: f64::INFINITY,
        };
        let (mut along, mut turn) = (SVector::zeros(), SVector::zeros());
        for (j, f) in basis.iter().enumerate() {
            along += f * (solution[j] * size);
            turn += f * solution[k + j];
            pivot.moves = pivot.moves.min(pivots[j]);
            pivot.turns = pivot.turns.min(pivots[k + j]);
        }
        let move_b = along + turn * distance - across;
        let longest = (along.norm() / size)
            .max(move_b.norm() / size)
            .max(turn.norm());
        let part = if longest > LONGEST {
            LONGEST / longest
        } else {
            1.0
        };
        Self {
            move_a: along * part + n * ra.lift,
            move_b: move_b * part - n * rb.lift,
            turn: turn * part,
            pivots: pivot,
        }
    }

    fn taken(&self, from: &Touch<D>) -> Touch<D> {
        Touch {
            a: from.a + self.move_a,
            b: from.b + self.move_b,
            n: (from.n + self.turn).normalize(),
        }
    }
}

/// Unit vectors across n, orthogonal to each other: D − 1 of them.
pub(crate) fn tangents<const D: usize>(n: &SVector<f64, D>) -> [SVector<f64, D>; 2] {
    let mut out = [SVector::zeros(); 2];
    if D == 2 {
        out[0][0] = -n[1];
        out[0][1] = n[0];
        return out;
    }
    let least = n.iamin();
    let mut axis = SVector::<f64, D>::zeros();
    axis[least] = 1.0;
    out[0] = (axis - n * n[least]).normalize();
    out[1] = n.cross(&out[0]);
    out
}

/// A small dense system, solved by elimination with complete pivoting.
struct System {
    n: usize,
    matrix: [[f64; 4]; 4],
    right: [f64; 4],
}

/// Pivots below this, relative to a row whose largest entry is one, count as zero: their unknown stays as it is.
const NO_PIVOT: f64 = 1e-13;

impl System {
    fn new(n: usize) -> Self {
        Self {
            n,
            matrix: [[0.0; 4]; 4],
            right: [0.0; 4],
        }
    }

    /// The solution, and the size of the pivot of each unknown.
    fn solve(mut self) -> ([f64; 4], [f64; 4]) {
        let n = self.n;
        for i in 0..n {
            let largest = self.matrix[i][..n]
                .iter()
                .fold(0.0f64, |m, x| m.max(x.abs()));
            if largest > 0.0 {
                self.matrix[i].iter_mut().for_each(|x| *x /= largest);
                self.right[i] /= largest;
            }
        }
        let mut order = [0, 1, 2, 3];
        let mut rank = n;
        let mut pivots = [0.0; 4];
        for k in 0..n {
            let (mut row, mut col, mut largest) = (k, k, 0.0);
            for i in k..n {
                for j in k..n {
                    let x = self.matrix[i][j].abs();
                    if x > largest {
                        (row, col, largest) = (i, j, x);
                    }
                }
            }
            pivots[order[col]] = largest;
            if largest <= NO_PIVOT {
                rank = k;
                break;
            }
            self.matrix.swap(k, row);
            self.right.swap(k, row);
            order.swap(k, col);
            for r in &mut self.matrix[..n] {
                r.swap(k, col);
            }
            for i in k + 1..n {
                let factor = self.matrix[i][k] / self.matrix[k][k];
                for j in k..n {
                    self.matrix[i][j] -= factor * self.matrix[k][j];
                }
                self.right[i] -= factor * self.right[k];
            }
        }
        let mut solution = [0.0; 4];
        for k in (0..rank).rev() {
            let known: f64 = (k + 1..rank)
                .map(|j| self.matrix[k][j] * solution[order[j]])
                .sum();
            solution[order[k]] = (self.right[k] - known) / self.matrix[k][k];
        }
        (solution, pivots)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_leaves_what_is_not_determined() {
        let mut system = System::new(2);
        system.matrix[0][..2].copy_from_slice(&[2.0, 0.0]);
        system.right[0] = 4.0;
        let (x, pivots) = system.solve();
        assert_eq!((x[0], x[1]), (2.0, 0.0));
        assert_eq!((pivots[0], pivots[1]), (1.0, 0.0));
    }

    #[test]
    fn tangents_are_orthonormal() {
        let n = nalgebra::Vector3::new(0.6, -0.48, 0.64);
        let [s, t] = tangents(&n);
        assert!(s.dot(&n).abs() < 1e-16 && t.dot(&n).abs() < 1e-16 && s.dot(&t).abs() < 1e-16);
        assert!((s.norm() - 1.0).abs() < 1e-15 && (t.norm() - 1.0).abs() < 1e-15);
    }
}
