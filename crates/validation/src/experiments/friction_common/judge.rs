//! The judge: FCLIB's residual, computed afresh from W, q and the laws.
//!
//! It calls nothing of `complementarity` but the accessors of the data, and finds projections by bisection.

use signorini_complementarity::{ContactLaws, FrictionLaw, FrictionProblem};

/// Halvings of the bracket of a projection: to the last bit.
const HALVINGS: usize = 200;

/// |r − P_K(r − ũ)|₂ / |q|₂ with u = W r + q; infinite for a point that is not finite or has the wrong length. Cones must
/// be round, and the problem without bilateral rows.
pub(in crate::experiments) fn relative_residual(problem: &FrictionProblem, r: &[f64]) -> f64 {
    let q = problem.q();
    if r.len() != q.len() || r.iter().any(|r| !r.is_finite()) {
        return f64::INFINITY;
    }
    let mut u = q.clone();
    for (w, (i, j)) in &problem.delassus() {
        u[i] += w * r[j];
    }
    let laws = problem.laws();
    let d = laws.dimension;
    let mut sum = 0.0;
    for k in 0..laws.mu.len() {
        let (r, u) = (&r[k * d..(k + 1) * d], &u[k * d..(k + 1) * d]);
        let discs = discs(laws, k);
        let shift = match laws.law {
            FrictionLaw::Coulomb => discs.iter().map(|(c, x)| c * length(&u[x.clone()])).sum(),
            FrictionLaw::Convex => 0.0,
        };
        let mut x: Vec<f64> = r.iter().zip(u).map(|(r, u)| r - u).collect();
        x[0] -= shift;
        project(&discs, &mut x);
        sum += r.iter().zip(&x).map(|(r, x)| (r - x).powi(2)).sum::<f64>();
    }
    let norm = length(&q);
    if sum == 0.0 { 0.0 } else { sum.sqrt() / norm }
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

    /// Two programs that share no line agree, on every kind of cone that is round.
    #[test]
    fn the_residual_is_that_of_the_crate() {
        let mut judged = 0;
        for seed in 0..200 {
            let mut step = collection::random_contacts(seed);
            if !step.laws().ellipse.is_empty() {
                continue;
            }
            for law in [FrictionLaw::Coulomb, FrictionLaw::Convex] {
                step = step.with_law(law);
                let r: Vec<f64> = (0..step.len())
                    .map(|i| ((7 * i + 3) % 5) as f64 - 1.5)
                    .collect();
                let (a, b) = (relative_residual(&step, &r), step.residuals(&r).relative);
                assert!((a - b).abs() <= 1e-12 * b, "{seed}: {a} {b}");
                judged += 1;
            }
        }
        assert!(judged > 200);
    }
}
