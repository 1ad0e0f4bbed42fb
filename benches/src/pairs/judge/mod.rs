//! What an answer is worth: a judge that knows bodies by their recipes and calls nothing of the crate that it judges.

mod better;
mod boundary;
mod closed;
mod pieces;
mod support;

pub use better::best_separation;
pub use closed::closed_gap;

use crate::pairs::{Member, Pair, Recipe};
use nalgebra::SVector;
use signorini_geometry::ClosestPoints;

pub use support::support;

use self::boundary::boundary_error;

/// Faults of an answer, each relative to the size of the pair; NaN counts as a fault of any size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Judgement {
    /// The largest of: ||n| − 1|; |b − a − g n|; how far a and b are from boundary points with the normals n and −n.
    pub residual: f64,
    /// |g − s(n)| with the separation s(n) = −h_B(−n) − h_A(n).
    pub certificate: f64,
}

/// Judges an answer by the recipes.
pub fn judge<const D: usize>(pair: &Pair<D>, answer: &ClosestPoints<D>) -> Judgement {
    let size = pair.size();
    let n = answer.normal;
    let off = |member: &Member<D>, x: &SVector<f64, D>, m: SVector<f64, D>| {
        let (x, m) = (member.pose.inverse_apply(x), member.pose.inverse_rotate(&m));
        let reach = match member.recipe {
            Recipe::HalfSpace => size,
            _ => member.recipe.reach(),
        };
        boundary_error(&member.recipe, &x, &m, reach)
    };
    let faults = [
        (n.norm() - 1.0).abs() * size,
        (answer.b - answer.a - n * answer.gap).norm(),
        off(&pair.a, &answer.a, n),
        off(&pair.b, &answer.b, -n),
    ];
    Judgement {
        residual: worst(faults) / size,
        certificate: worst([(answer.gap - separation(pair, &n)).abs()]) / size,
    }
}

/// The largest; infinite if one is not a number.
pub fn worst(faults: impl IntoIterator<Item = f64>) -> f64 {
    let number = |x: f64| if x.is_nan() { f64::INFINITY } else { x };
    faults.into_iter().map(number).fold(0.0, f64::max)
}

/// How far B is beyond A along the unit vector m: −h_B(−m) − h_A(m); −∞ where a half-space is not bounded.
pub fn separation<const D: usize>(pair: &Pair<D>, m: &SVector<f64, D>) -> f64 {
    difference(pair, m).map_or(f64::NEG_INFINITY, |p| p.dot(m))
}

/// The point of B − A that is furthest back along m, whose product with m is the separation; `None` where a half-space
/// is not bounded.
pub(super) fn difference<const D: usize>(
    pair: &Pair<D>,
    m: &SVector<f64, D>,
) -> Option<SVector<f64, D>> {
    let furthest = |member: &Member<D>, m: SVector<f64, D>| {
        let own = member.pose.inverse_rotate(&m);
        if member.recipe == Recipe::HalfSpace {
            // Bounded along its normal alone; what m misses of it is the judge's own rounding or a fault of m.
            let mut up = SVector::<f64, D>::zeros();
            up[D - 1] = 1.0;
            return ((own - up).norm() < 1e-9).then(SVector::zeros);
        }
        Some(member.pose.rotate(&support(&member.recipe, &own)))
    };
    let (a, b) = (furthest(&pair.a, *m)?, furthest(&pair.b, -m)?);
    Some(b - a + (pair.b.pose.position - pair.a.pose.position))
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector3;

    use super::*;

    fn recipes() -> Vec<Recipe<3>> {
        vec![
            Recipe::Ball { radius: 0.7 },
            Recipe::Capsule {
                half_length: 0.5,
                radius: 0.2,
            },
            Recipe::Ellipsoid {
                semi_axes: Vector3::new(1.0, 0.6, 0.4),
            },
            Recipe::Superquadric {
                semi_axes: Vector3::new(0.5, 0.3, 0.2),
                exponents: [4.0, 3.0],
            },
            Recipe::Superquadric {
                semi_axes: Vector3::new(0.5, 0.3, 0.2),
                exponents: [1.5, 1.5],
            },
            Recipe::Cylinder {
                radius: 0.3,
                half_length: 0.8,
            },
            Recipe::Cone {
                radius: 0.3,
                height: 0.8,
                base: -0.2,
            },
            Recipe::HalfBall { radius: 0.5 },
            Recipe::Lens {
                radius: 1.0,
                offset: 0.7,
            },
            Recipe::Rounded {
                core: Box::new(Recipe::Box {
                    half: Vector3::new(0.1, 0.4, 0.3),
                }),
                radius: 0.1,
            },
        ]
    }

    /// Directions without a special place.
    fn directions() -> impl Iterator<Item = Vector3<f64>> {
        (0..200).map(|i| {
            let z = 1.0 - (2.0 * f64::from(i) + 1.0) / 200.0;
            let (sin, cos) = (2.4 * f64::from(i)).sin_cos();
            Vector3::new(cos, sin, 0.0) * (1.0 - z * z).sqrt() + Vector3::z() * z
        })
    }

    #[test]
    fn support_points_are_boundary_points_with_their_normal() {
        for recipe in recipes() {
            let reach = recipe.reach();
            for m in directions() {
                let x = support(&recipe, &m);
                assert!(x.norm() <= reach * (1.0 + 1e-15), "{recipe:?}");
                let error = boundary_error(&recipe, &x, &m, reach);
                assert!(error < 1e-15, "{recipe:?} {m:?}: {error:e}");
                // By the inequalities too, not by the support point alone.
                if !super::pieces::pieces(&recipe).is_empty() {
                    let values = super::pieces::pieces(&recipe);
                    let highest = values
                        .iter()
                        .map(|p| p.derivatives(&x).0)
                        .fold(f64::NEG_INFINITY, f64::max);
                    assert!(highest.abs() < 1e-14, "{recipe:?}: {highest:e}");
                }
                // No point is further along m than the support point: h is convex and its own maximum.
                for other in directions() {
                    assert!(m.dot(&support(&recipe, &other)) <= m.dot(&x) + 1e-15);
                }
            }
        }
    }

    #[test]
    fn faults_are_seen_in_their_size() {
        for recipe in recipes() {
            let reach = recipe.reach();
            for m in directions() {
                let x = support(&recipe, &m);
                let lifted = boundary_error(&recipe, &(x + m * 1e-6), &m, reach);
                assert!((0.5e-6..2e-6).contains(&lifted), "{recipe:?}: {lifted:e}");
                let sunk = boundary_error(&recipe, &(x - m * 1e-6), &m, reach);
                assert!((0.1e-6..2e-6).contains(&sunk), "{recipe:?} {m:?}: {sunk:e}");
            }
        }
    }

    #[test]
    fn jets_agree_with_differences() {
        for recipe in recipes() {
            for piece in super::pieces::pieces(&recipe) {
                let x = Vector3::new(0.31, -0.17, 0.13);
                let (_, gradient, hessian) = piece.derivatives(&x);
                let step = 1e-5;
                for i in 0..3 {
                    let at = |sign: f64| {
                        let mut y = x;
                        y[i] += sign * step;
                        piece.derivatives(&y)
                    };
                    let (high, low) = (at(1.0), at(-1.0));
                    let slope = (high.0 - low.0) / (2.0 * step);
                    assert!((slope - gradient[i]).abs() < 1e-7 * (1.0 + gradient.norm()));
                    let bend = (high.1 - low.1) / (2.0 * step);
                    let miss = (bend - hessian.column(i)).norm();
                    assert!(miss < 1e-6 * (1.0 + hessian.norm()), "{recipe:?}: {miss:e}");
                }
            }
        }
    }
}
