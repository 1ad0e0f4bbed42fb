//! A search for the direction in which two bodies are best separated, by many local searches from random starts.
//!
//! ```math
//! \max_{|m| = 1} s(m), \qquad s(m) = m \cdot p(m)
//! ```
//!
//! where p(m) is the support point of B − A. s is concave as a function of m, so that where it is positive the local
//! maximum is the only one; in overlap there may be many.

use crate::families::Rng;
use crate::pairs::{Pair, Recipe};
use nalgebra::SVector;

use super::{difference, separation};

/// Steps of one local search.
const STEPS: usize = 60;

/// The largest separation found from `starts` random directions and from the normals of flat sides, m.
pub fn best_separation<const D: usize>(pair: &Pair<D>, starts: usize, seed: u64) -> f64 {
    let mut rng = Rng::new(seed ^ 0x00B0_D1E5);
    let mut best = f64::NEG_INFINITY;
    for (member, sign) in [(&pair.a, 1.0), (&pair.b, -1.0)] {
        for side in flat_sides(&member.recipe) {
            let m = member.pose.rotate(&side) * sign;
            best = best.max(separation(pair, &m));
        }
    }
    if [&pair.a, &pair.b].map(|member| member.recipe == Recipe::HalfSpace) != [false; 2] {
        return best;
    }
    for _ in 0..starts {
        let start = SVector::<f64, D>::from_fn(|_, _| rng.unit() - 0.5).normalize();
        best = best.max(climb(pair, start, &mut rng));
    }
    best
}

/// Steps along the projected gradient, longer after a success and shorter after a failure; where that fails because of an
/// edge of s, steps in random directions.
fn climb<const D: usize>(pair: &Pair<D>, start: SVector<f64, D>, rng: &mut Rng) -> f64 {
    let Some(mut p) = difference(pair, &start) else {
        return f64::NEG_INFINITY;
    };
    let (mut m, mut value, mut length) = (start, p.dot(&start), 0.3);
    for step in 0..STEPS {
        let direction = if step % 3 < 2 {
            p - m * p.dot(&m)
        } else {
            SVector::<f64, D>::from_fn(|_, _| rng.unit() - 0.5)
        };
        let size = direction.norm();
        if size <= 1e-14 * p.norm() || length < 1e-13 {
            break;
        }
        let trial = (m + direction * (length / size)).normalize();
        let Some(q) = difference(pair, &trial) else {
            break;
        };
        if q.dot(&trial) > value {
            (m, p, value) = (trial, q, q.dot(&trial));
            length = (2.0 * length).min(0.5);
        } else {
            length *= 0.4;
        }
    }
    value
}

/// Outward normals of the flat sides in body axes.
fn flat_sides<const D: usize>(recipe: &Recipe<D>) -> Vec<SVector<f64, D>> {
    let axis = |i: usize, sign: f64| {
        let mut n = SVector::<f64, D>::zeros();
        n[i] = sign;
        n
    };
    let last = D - 1;
    match recipe {
        Recipe::HalfSpace | Recipe::HalfBall { .. } => vec![axis(last, 1.0)],
        Recipe::Cone { .. } => vec![axis(last, -1.0)],
        Recipe::Cylinder { .. } => vec![axis(last, 1.0), axis(last, -1.0)],
        Recipe::Box { .. } => (0..D).flat_map(|i| [axis(i, 1.0), axis(i, -1.0)]).collect(),
        Recipe::Polygon { vertices } => {
            let next = |i: usize| vertices[(i + 1) % vertices.len()] - vertices[i];
            let normal = |i: usize| {
                let mut n = SVector::<f64, D>::zeros();
                (n[0], n[1]) = (next(i)[1], -next(i)[0]);
                n.normalize()
            };
            (0..vertices.len()).map(normal).collect()
        }
        Recipe::Rounded { core: of, .. } | Recipe::Intersection { of } => flat_sides(of),
        _ => Vec::new(),
    }
}
