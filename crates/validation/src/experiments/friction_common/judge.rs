//! The judge: both residuals, computed afresh from W, q and the laws.
//!
//! It calls nothing of `complementarity` but the accessors of the data, and finds projections by bisection.

use signorini_complementarity::{ContactLaws, FrictionLaw, FrictionProblem};

/// Halvings of the bracket of a projection: to the last bit.
const HALVINGS: usize = 200;

/// Smallest |r| relative to ρ |q| that the scaled residual is relative to.
const SMALLEST: f64 = 1e-12;

/// |r − P_K(r − ũ)|₂ / |q|₂ with u = W r + q; infinite for a point that is not finite or has the wrong length. The problem
/// must be without bilateral rows.
pub(in crate::experiments) fn relative_residual(problem: &FrictionProblem, r: &[f64]) -> f64 {
    let Some(scaled) = Scaled::new(problem, r) else {
        return f64::INFINITY;
    };
    let sum: f64 = scaled.map(problem.laws(), 1.0).iter().map(|x| x * x).sum();
    if sum == 0.0 {
        0.0
    } else {
        sum.sqrt() / length(&scaled.q)
    }
}

/// max |r − P_K(r − ρ ũ)| / max |r| with 1 / ρ the mean of W_ii, under the same conditions.
pub(in crate::experiments) fn scaled_residual(problem: &FrictionProblem, r: &[f64]) -> f64 {
    let Some(scaled) = Scaled::new(problem, r) else {
        return f64::INFINITY;
    };
    let rho = scaled.diagonal.len() as f64 / scaled.diagonal.iter().sum::<f64>();
    let most = |x: &[f64]| x.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    let map = scaled.map(problem.laws(), rho);
    if map.iter().any(|x| x.is_nan()) {
        return f64::INFINITY;
    }
    let error = most(&map);
    if error == 0.0 {
        0.0
    } else {
        error / most(&scaled.r).max(SMALLEST * rho * most(&scaled.q))
    }
}

/// A point in the coordinates in which elliptic cones are round: r / e, e u, e q, and the diagonal e W e.
struct Scaled {
    r: Vec<f64>,
    u: Vec<f64>,
    q: Vec<f64>,
    diagonal: Vec<f64>,
}

impl Scaled {
    fn new(problem: &FrictionProblem, r: &[f64]) -> Option<Self> {
        let mut q = problem.q();
        if r.len() != q.len() || r.iter().any(|r| !r.is_finite()) {
            return None;
        }
        let (mut u, mut diagonal) = (q.clone(), vec![0.0; q.len()]);
        for (w, (i, j)) in &problem.delassus() {
            u[i] += w * r[j];
            if i == j {
                diagonal[i] += w;
            }
        }
        let (laws, mut r) = (problem.laws(), r.to_vec());
        let tangents = laws.dimension.max(2) - 1;
        for (k, e) in laws.ellipse.iter().enumerate() {
            let i = k / tangents * laws.dimension + 1 + k % tangents;
            r[i] /= e;
            u[i] *= e;
            q[i] *= e;
            diagonal[i] *= e * e;
        }
        Some(Self { r, u, q, diagonal })
    }

    /// r − P_K(r − ρ ũ).
    fn map(&self, laws: &ContactLaws, rho: f64) -> Vec<f64> {
        let (d, mut map) = (laws.dimension, Vec::new());
        for k in 0..laws.mu.len() {
            let rows = k * d..(k + 1) * d;
            let (r, u) = (&self.r[rows.clone()], &self.u[rows]);
            let discs = discs(laws, k);
            let shift = match laws.law {
                FrictionLaw::Coulomb => discs.iter().map(|(c, x)| c * length(&u[x.clone()])).sum(),
                FrictionLaw::Convex => 0.0,
            };
            let mut x: Vec<f64> = r.iter().zip(u).map(|(r, u)| r - rho * u).collect();
            x[0] -= rho * shift;
            project(&discs, &mut x);
            map.extend(r.iter().zip(&x).map(|(r, x)| r - x));
        }
        map
    }
}

type Disc = (f64, std::ops::Range<usize>);

/// Coefficient and rows of each disc of a contact.
fn discs(laws: &ContactLaws, contact: usize) -> Vec<Disc> {
    let mu = laws.mu[contact];
    match laws.dimension {
        1 => Vec::new(),
        5 => vec![(mu, 1..3), (laws.rolling[contact], 3..5)],
        d => vec![(mu, 1..d)],
    }
}

/// x ← P_K(x): n − x_N = Σ c (|x_k| − c n)₊ at the normal component n ≥ 0.
fn project(discs: &[Disc], x: &mut [f64]) {
    let sizes: Vec<f64> = discs
        .iter()
        .map(|(_, rows)| length(&x[rows.clone()]))
        .collect();
    let slope = |n: f64| {
        let pull = |((c, _), a): (&Disc, &f64)| c * (a - c * n).max(0.0);
        n - x[0] - discs.iter().zip(&sizes).map(pull).sum::<f64>()
    };
    let mut low = 0.0;
    let mut high = x[0].max(0.0)
        + discs
            .iter()
            .zip(&sizes)
            .map(|((c, _), a)| c * a)
            .sum::<f64>();
    if slope(low) < 0.0 {
        for _ in 0..HALVINGS {
            let middle = f64::midpoint(low, high);
            if slope(middle) < 0.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
    } else {
        high = low;
    }
    for ((c, rows), size) in discs.iter().zip(&sizes) {
        if *size > c * high {
            for x in &mut x[rows.clone()] {
                *x *= c * high / size;
            }
        }
    }
    x[0] = high;
}

fn length(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use signorini_complementarity::collection;

    use super::*;

    /// Two programs that share no line agree, on every kind of cone.
    #[test]
    fn the_residuals_are_those_of_the_crate() {
        let mut elliptic = 0;
        for seed in 0..200 {
            let mut step = collection::random_contacts(seed);
            elliptic += usize::from(!step.laws().ellipse.is_empty());
            for law in [FrictionLaw::Coulomb, FrictionLaw::Convex] {
                step = step.with_law(law);
                let r: Vec<f64> = (0..step.len())
                    .map(|i| ((7 * i + 3) % 5) as f64 - 1.5)
                    .collect();
                let theirs = step.residuals(&r);
                let relative = relative_residual(&step, &r);
                let scaled = scaled_residual(&step, &r);
                let close = |a: f64, b: f64| (a - b).abs() <= 1e-12 * b;
                assert!(
                    close(relative, theirs.relative),
                    "{seed}: {relative} {}",
                    theirs.relative
                );
                assert!(
                    close(scaled, theirs.scaled),
                    "{seed}: {scaled} {}",
                    theirs.scaled
                );
            }
        }
        assert!((20..180).contains(&elliptic));
    }
}
