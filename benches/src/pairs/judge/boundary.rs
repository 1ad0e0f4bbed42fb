//! How far a point with a direction is from a boundary point with that outward normal.
//!
//! ```math
//! e(x, m) = \min_{(x', m')} \; |x - x'| + R\, |m - m'|
//! ```
//!
//! over the boundary points x' and their outward normals m', to first order: R is the body's reach. Where the boundary is
//! flat a turn of the normal moves the point far, and where it is sharp a move of the point turns the normal far; the less
//! of the two is what counts.

use crate::pairs::Recipe;
use nalgebra::SVector;

use super::pieces::{Derivatives, pieces};
use super::support::support;

/// e(x, m), in body axes, m; for a half-space R is `reach`.
pub(super) fn boundary_error<const D: usize>(
    recipe: &Recipe<D>,
    x: &SVector<f64, D>,
    m: &SVector<f64, D>,
    reach: f64,
) -> f64 {
    match recipe {
        Recipe::Rounded { core, radius } => {
            boundary_error(core, &(x - m * *radius), m, reach - radius)
        }
        // Every normal is one of a point, or of the end of a segment that it leans to.
        Recipe::Ball { radius } => (x - m * *radius).norm(),
        Recipe::Capsule {
            half_length,
            radius,
        } => {
            let mut off = x - m * *radius;
            let at = off[0];
            off[0] = 0.0;
            let end = |sign: f64| {
                off.norm().hypot(at - sign * half_length) + half_length * (-sign * m[0]).max(0.0)
            };
            let side = off.norm() + (at.abs() - half_length).max(0.0) + half_length * m[0].abs();
            end(1.0).min(end(-1.0)).min(side)
        }
        _ => of_pieces(recipe, x, m, reach),
    }
}

fn of_pieces<const D: usize>(
    recipe: &Recipe<D>,
    x: &SVector<f64, D>,
    m: &SVector<f64, D>,
    reach: f64,
) -> f64 {
    // The support point of m has m among its normals.
    let mut least = match recipe {
        Recipe::HalfSpace => f64::INFINITY,
        _ => (support(recipe, m) - x).norm(),
    };
    if let Recipe::Cone {
        radius,
        height,
        base,
    } = recipe
    {
        // The apex: its normals lean from the axis by no more than those of the flank.
        let (mut off, mut across) = (*x, *m);
        off[D - 1] -= base + height;
        across[D - 1] = 0.0;
        let flank = SVector::<f64, 2>::new(*height, *radius).normalize();
        let outside = across.norm() * flank[1] - m[D - 1] * flank[0];
        least = least.min(off.norm() + reach * outside.max(0.0));
    }
    let all: Vec<_> = pieces(recipe).iter().map(|p| p.derivatives(x)).collect();
    let heights: Vec<f64> = all.iter().map(|(f, g, _)| f / g.norm()).collect();
    let count = all.len();
    let mut offer = |subset: &[usize]| {
        let chosen = subset.iter().map(|&i| heights[i].abs());
        let others = heights.iter().map(|height| height.max(0.0));
        let off = chosen.chain(others).fold(0.0, f64::max);
        if off < least
            && let Some(turn) = turn(subset, &all, m, reach)
        {
            least = least.min(off + turn);
        }
    };
    for i in 0..count {
        offer(&[i]);
        for j in 0..i {
            offer(&[i, j]);
            for k in 0..if D == 3 { j } else { 0 } {
                offer(&[i, j, k]);
            }
        }
    }
    least
}

/// R |δm| for the turn that makes m a combination of the chosen gradients with factors that are not negative, each part
/// of it as a move instead where that is less; `None` if there is none, or a number is not finite.
fn turn<const D: usize>(
    subset: &[usize],
    all: &[Derivatives<D>],
    m: &SVector<f64, D>,
    reach: f64,
) -> Option<f64> {
    // Gram and Schmidt on the unit gradients; what is left of m is what must turn.
    let unit = |i: usize| all[i].1.normalize();
    let mut basis: Vec<SVector<f64, D>> = Vec::with_capacity(D);
    for &i in subset {
        let q = orthogonal(&unit(i), &basis);
        if q.norm() < 1e-8 {
            return None;
        }
        basis.push(q.normalize());
    }
    let rest = orthogonal(m, &basis);
    // Factors by back substitution: m ≈ Σ l u, and q_k·u_j = 0 for j < k.
    let mut factors = vec![0.0; subset.len()];
    for k in (0..subset.len()).rev() {
        let later: f64 = (k + 1..subset.len())
            .map(|j| factors[j] * basis[k].dot(&unit(subset[j])))
            .sum();
        factors[k] = (basis[k].dot(m) - later) / basis[k].dot(&unit(subset[k]));
        if factors[k] < 0.0 {
            return None;
        }
    }
    let bend = |t: &SVector<f64, D>, s: &SVector<f64, D>| -> f64 {
        let parts = subset.iter().zip(&factors);
        parts
            .map(|(&i, l)| l * t.dot(&(all[i].2 * s)) / all[i].1.norm())
            .sum()
    };
    let weigh = |part: f64, curvature: f64| part.abs() * reach / (1.0 + curvature.abs() * reach);
    let tangents = complement(&basis);
    let total = match tangents[..] {
        [] => 0.0,
        [t] => weigh(t.dot(&rest), bend(&t, &t)),
        [t, s] => {
            // Principal directions of the 2×2 shape operator, by half of its angle.
            let (tt, ts, ss) = (bend(&t, &t), bend(&t, &s), bend(&s, &s));
            let (sin, cos) = (0.5 * (2.0 * ts).atan2(tt - ss)).sin_cos();
            let (first, second) = (t * cos + s * sin, s * cos - t * sin);
            let first = weigh(first.dot(&rest), bend(&first, &first));
            first.hypot(weigh(second.dot(&rest), bend(&second, &second)))
        }
        _ => return None,
    };
    total.is_finite().then_some(total)
}

fn orthogonal<const D: usize>(x: &SVector<f64, D>, basis: &[SVector<f64, D>]) -> SVector<f64, D> {
    // Twice: the first pass leaves rounding of x.
    let once = basis.iter().fold(*x, |y, q| y - q * q.dot(&y));
    basis.iter().fold(once, |y, q| y - q * q.dot(&y))
}

/// An orthonormal basis of what is across the given one.
fn complement<const D: usize>(basis: &[SVector<f64, D>]) -> Vec<SVector<f64, D>> {
    let mut all = basis.to_vec();
    while all.len() < D {
        let axes = (0..D).map(|i| {
            let mut e = SVector::zeros();
            e[i] = 1.0;
            orthogonal(&e, &all)
        });
        let longest = axes.max_by(|x, y| x.norm().total_cmp(&y.norm()));
        all.push(longest.expect("D > 0").normalize());
    }
    all.split_off(basis.len())
}
