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

use super::pair::{Pair, Reduced, Touch};
use crate::boundary::Feature;
use crate::direction::tangents;
use crate::elimination::{Eliminated, eliminate};

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

/// Steps of one search; from far starts on flat boundaries each step gains a fixed part.
pub(crate) const STEPS: u32 = 60;

/// Steps without a halving of the error, after which there is no root here: those that gain a fixed part each, on the
/// flattest boundaries, halve it in fewer.
const PATIENCE: u32 = 14;

/// Pivots below this, relative to a row whose largest entry is one, count as zero: their unknown stays as it is.
const NO_PIVOT: f64 = 1e-13;

/// Longest step: turn in radians, and move relative to the size.
const LONGEST: f64 = 0.5;

/// Finds the root near `start` on these features, in some steps at most.
pub(crate) fn newton<const D: usize>(
    pair: &Pair<'_, D>,
    features: [Feature; 2],
    start: Touch<D>,
    steps: u32,
) -> Root<D> {
    let mut touch = start;
    let mut best: Option<Root<D>> = None;
    let (mut stalls, mut gained) = (0, (f64::INFINITY, 0));
    for iterations in 0..steps {
        let basis = tangents(&touch.n);
        let relations = pair.relations(features, &touch, &basis);
        let across = touch.b - touch.a - touch.n * touch.distance();
        let error = (relations[0].error + relations[1].error + across.norm()) / pair.size;
        if !error.is_finite() {
            break;
        }
        let step = Step::new(pair.size, &relations, &touch, (&basis, &across));
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
        if error < 0.5 * gained.0 {
            gained = (error, iterations);
        } else if iterations - gained.1 > PATIENCE && gained.0 > CONVERGED {
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
    let basis = tangents(&touch.n);
    let relations = pair.relations(features, touch, &basis);
    Step::new(pair.size, &relations, touch, (&basis, &SVector::zeros())).pivots
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
        [ra, rb]: &[Reduced; 2],
        touch: &Touch<D>,
        (basis, across): (&[SVector<f64, D>; 2], &SVector<f64, D>),
    ) -> Self {
        let n = touch.n;
        let distance = touch.distance() - ra.lift - rb.lift;
        // Unknowns: t_a / size, then δn, by tangent.
        let k = D - 1;
        let mut matrix = [[0.0; 4]; 4];
        let mut right = [[0.0]; 4];
        let off = [basis[0].dot(across), basis[1].dot(across)];
        for i in 0..k {
            for j in 0..k {
                matrix[i][j] = ra.alpha[i][j] * size;
                matrix[i][k + j] = ra.beta[i][j];
                let alpha_b = rb.alpha[i][j];
                matrix[k + i][j] = alpha_b * size;
                matrix[k + i][k + j] = distance * alpha_b - rb.beta[i][j];
            }
            right[i][0] = ra.rhs[i];
            right[k + i][0] = rb.rhs[i] + rb.alpha[i][0] * off[0] + rb.alpha[i][1] * off[1];
        }
        let mut found = Eliminated {
            solution: [[0.0]; 4],
            pivots: [0.0; 4],
        };
        if D == 2 {
            let matrix = [0, 1].map(|i| [matrix[i][0], matrix[i][1]]);
            let plane = eliminate(matrix, [right[0], right[1]], NO_PIVOT);
            found.solution[..2].copy_from_slice(&plane.solution);
            found.pivots[..2].copy_from_slice(&plane.pivots);
        } else {
            found = eliminate(matrix, right, NO_PIVOT);
        }
        let Eliminated { solution, pivots } = found;
        let mut pivot = Pivots {
            moves: f64::INFINITY,
            turns: f64::INFINITY,
        };
        let (mut along, mut turn) = (SVector::zeros(), SVector::zeros());
        for (j, f) in basis[..k].iter().enumerate() {
            along += f * (solution[j][0] * size);
            turn += f * solution[k + j][0];
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
