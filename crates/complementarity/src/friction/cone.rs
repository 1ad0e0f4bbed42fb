//! The cone of one contact: projection, shift of De Saxcé, natural map.
//!
//! ```math
//! P_K(x) = \arg\min_{y \in K} |y - x|, \qquad F(r) = r - P_K(r - \rho \tilde u)
//! ```
//!
//! # Method
//! Once the normal component n of the projection is known, each disc is a projection on a disc of radius μ n. n is the
//! root of an increasing function that is linear between the points where a disc begins to hold,
//!
//! ```math
//! n - x_N - \sum_k \mu_k (|x_k| - \mu_k n)_+ = 0
//! ```
//!
//! and so the largest of the roots (x_N + Σ μ_k |x_k|) / (1 + Σ μ_k²) over all sets of discs, or 0: the sum over any set
//! of discs, without the positive part, is at most the sum over all of them with it, and equal for the discs that hold.
//!
//! # References
//! - \[DSF1998\] as in `laws`.

use super::FrictionLaw;

/// Most rows of a contact.
pub(crate) const ROWS: usize = 6;

/// Rows from which on the last two are rolling moments.
pub(crate) const ROLLING: usize = 5;

/// K of one contact in scaled coordinates: D rows, the normal first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cone {
    pub(crate) dimension: usize,
    /// μ of the first disc: both tangents, and torsion if D is 4 or 6.
    pub(crate) mu: f64,
    /// μ_r of the second disc, the rolling moments of D = 5 or 6.
    pub(crate) rolling: f64,
}

/// First row of the rolling moments, the last two of 5 or 6 rows; D if there are none.
pub(crate) const fn split(dimension: usize) -> usize {
    if dimension >= ROLLING {
        dimension - 2
    } else {
        dimension
    }
}

impl Cone {
    /// First row of the second disc; D if there is none.
    pub(super) fn split(&self) -> usize {
        split(self.dimension)
    }

    /// Lengths of x in the first and in the second disc.
    pub(crate) fn discs(&self, x: &[f64]) -> (f64, f64) {
        if let [_, tangent] = x {
            return (tangent.abs(), 0.0);
        }
        let split = self.split();
        (length(&x[1..split]), length(&x[split..self.dimension]))
    }

    /// x ← P_K(x). An x that is not finite has a projection that is not.
    pub(crate) fn project(&self, x: &mut [f64]) {
        if let [normal, tangent] = x {
            return self.project_in_plane(normal, tangent);
        }
        let (a, b) = self.discs(x);
        let root = |(c, a): (f64, f64), (d, b): (f64, f64)| {
            (x[0] + (c * a + d * b)) / (1.0 + (c * c + d * d))
        };
        let (first, second, none) = ((self.mu, a), (self.rolling, b), (0.0, 0.0));
        let split = self.split();
        let mut normal = f64::max(0.0, root(none, none)).max(root(first, none));
        if split < self.dimension {
            normal = normal.max(root(none, second)).max(root(first, second));
        }
        // f64::max passes over NaN.
        x[0] = if x[0].is_nan() { x[0] } else { normal };
        clip(&mut x[1..split], a, self.mu * normal);
        clip(&mut x[split..self.dimension], b, self.rolling * normal);
    }

    /// The same operations for the one tangent of a contact of the plane.
    fn project_in_plane(&self, normal: &mut f64, tangent: &mut f64) {
        let (x, a) = (*normal, tangent.abs());
        let root = f64::max(0.0, x).max((x + self.mu * a) / (1.0 + self.mu * self.mu));
        // f64::max passes over NaN.
        *normal = if x.is_nan() { x } else { root };
        let radius = self.mu * root;
        if a > radius {
            *tangent *= radius / a;
        }
    }

    /// Σ μ_k |u_k|, what the exact law adds to the normal velocity; 0 for the convex one.
    pub(crate) fn shift(&self, law: FrictionLaw, u: &[f64]) -> f64 {
        match law {
            FrictionLaw::Coulomb => {
                let (a, b) = self.discs(u);
                self.mu * a + self.rolling * b
            }
            FrictionLaw::Convex => 0.0,
        }
    }

    /// |ũ|_∞; NaN does not show.
    pub(crate) fn shifted_size(&self, law: FrictionLaw, u: &[f64]) -> f64 {
        let normal = (u[0] + self.shift(law, u)).abs();
        u[1..].iter().fold(normal, |most, u| most.max(u.abs()))
    }

    /// Whether ũ lies in K*, as for contacts that open: most of them in a scene.
    fn is_open(&self, law: FrictionLaw, u: &[f64]) -> bool {
        // NaN fails the comparisons as well.
        match law {
            FrictionLaw::Coulomb => u[0] >= 0.0 && u.iter().all(|u| u.is_finite()),
            FrictionLaw::Convex => {
                let (a, b) = self.discs(u);
                u[0] >= self.mu * a + self.rolling * b && u[0].is_finite()
            }
        }
    }

    /// out = r − P_K(r − ρ ũ), which is 0 exactly where the law holds.
    ///
    /// Where r − ρ ũ lies in K this is ρ ũ, and taken as that: r can be so large that the difference loses ũ.
    pub(crate) fn natural_map(
        &self,
        law: FrictionLaw,
        rho: f64,
        (r, u): (&[f64], &[f64]),
        out: &mut [f64],
    ) {
        match self.dimension {
            2 => self.natural_map_of::<2>(law, rho, (r, u), out),
            3 => self.natural_map_of::<3>(law, rho, (r, u), out),
            4 => self.natural_map_of::<4>(law, rho, (r, u), out),
            5 => self.natural_map_of::<5>(law, rho, (r, u), out),
            6 => self.natural_map_of::<6>(law, rho, (r, u), out),
            _ => self.natural_map_of::<1>(law, rho, (r, u), out),
        }
    }

    fn natural_map_of<const D: usize>(
        &self,
        law: FrictionLaw,
        rho: f64,
        (r, u): (&[f64], &[f64]),
        out: &mut [f64],
    ) {
        if self.is_open(law, u) && r.iter().all(|r| *r == 0.0) {
            out.fill(0.0);
            return;
        }
        let normal = u[0] + self.shift(law, u);
        let mut ahead: [f64; D] = std::array::from_fn(|i| r[i] - rho * u[i]);
        ahead[0] = r[0] - rho * normal;
        let mut projected = ahead;
        self.project(&mut projected);
        if ahead[..] == projected[..] {
            out.iter_mut().zip(u).for_each(|(out, u)| *out = rho * u);
            out[0] = rho * normal;
        } else {
            for ((out, r), projected) in out.iter_mut().zip(r).zip(&projected) {
                *out = r - projected;
            }
        }
    }

    /// Distance of ũ from K*, which no impulse has a part in: at most the length of the natural map for ρ = 1, as
    /// ũ minus that map lies in K*.
    pub(crate) fn dual_distance(&self, law: FrictionLaw, u: &[f64]) -> f64 {
        if self.is_open(law, u) {
            return 0.0;
        }
        let mut opposite = [0.0; ROWS];
        let opposite = &mut opposite[..self.dimension];
        opposite.iter_mut().zip(u).for_each(|(x, u)| *x = -u);
        opposite[0] -= self.shift(law, u);
        self.project(opposite);
        length(opposite)
    }
}

/// Squares between these neither overflow nor lose digits, and so does not their sum.
const SQUARES: std::ops::Range<f64> = 1e-280..1e280;

/// Euclidean length without overflow.
pub(super) fn length(x: &[f64]) -> f64 {
    match x {
        [] => 0.0,
        [x] => x.abs(),
        [first, rest @ ..] => {
            let square = x.iter().map(|x| x * x).sum::<f64>();
            if SQUARES.contains(&square) {
                square.sqrt()
            } else {
                rest.iter().fold(first.abs(), |l, x| l.hypot(*x))
            }
        }
    }
}

/// Shortens a vector of the given length to at most `radius`.
fn clip(x: &mut [f64], length: f64, radius: f64) {
    if length > radius {
        let factor = radius / length;
        for x in x {
            *x *= factor;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::SplitMix64;

    fn dot(a: &[f64], b: &[f64]) -> f64 {
        a.iter().zip(b).map(|(a, b)| a * b).sum()
    }

    /// y = P(x) exactly if y ∈ K, x − y in the polar cone, and both are orthogonal.
    #[test]
    fn projections_decompose_as_moreau_says() {
        let mut rng = SplitMix64::new(1);
        let mut spread = || (rng.uniform() - 0.5) * 10.0_f64.powf(4.0 * rng.uniform() - 2.0);
        for case in 0..20_000 {
            let dimension = 1 + case % 6;
            let coefficient = [0.0, 0.3, 1.0, 10.0, 1e3];
            let cone = Cone {
                dimension,
                mu: coefficient[case / 6 % 5],
                rolling: if dimension >= ROLLING {
                    coefficient[case / 30 % 5]
                } else {
                    0.0
                },
            };
            let x: Vec<f64> = (0..dimension).map(|_| spread()).collect();
            let mut y = x.clone();
            cone.project(&mut y);
            let rest: Vec<f64> = x.iter().zip(&y).map(|(x, y)| x - y).collect();
            let size = length(&x);
            // Rounding of a few terms of the size of x, times the steepness of the cone.
            let tolerance = 1e-14 * size * (1.0 + cone.mu + cone.rolling);
            let (a, b) = cone.discs(&y);
            assert!(
                y[0] >= 0.0 && a <= cone.mu * y[0] + tolerance,
                "{cone:?} {x:?}"
            );
            assert!(b <= cone.rolling * y[0] + tolerance, "{cone:?} {x:?}");
            let (a, b) = cone.discs(&rest);
            let support = rest[0] + cone.mu * a + cone.rolling * b;
            assert!(support <= tolerance, "{cone:?} {x:?} {support:e}");
            assert!(dot(&rest, &y).abs() <= tolerance * size, "{cone:?} {x:?}");
        }
    }

    #[test]
    fn one_disc_has_the_closed_form() {
        let cone = Cone {
            dimension: 3,
            mu: 0.5,
            rolling: 0.0,
        };
        // μ |x_T| + x_N = 1.25, over 1 + μ²: n = 1.
        let mut x = [-1.25, 0.0, 5.0];
        cone.project(&mut x);
        assert_eq!(x, [1.0, 0.0, 0.5]);
        let mut x = [-2.5, 3.0, 4.0];
        cone.project(&mut x);
        assert_eq!(x, [0.0; 3]);
    }

    /// r so large that r − u is r: the map must not be 0.
    #[test]
    fn large_impulses_hide_no_velocity() {
        let cone = Cone {
            dimension: 3,
            mu: 0.5,
            rolling: 0.0,
        };
        let (r, u) = ([1e26, 1e25, 0.0], [-1.0, 0.5, 0.0]);
        let mut out = [0.0; 3];
        cone.natural_map(FrictionLaw::Coulomb, 0.5, (&r, &u), &mut out);
        assert_eq!(out, [-0.375, 0.25, 0.0]);
        // −ũ = (0.75, −0.5, 0) projects to 0.8 (1, −0.5, 0).
        let distance = cone.dual_distance(FrictionLaw::Coulomb, &u);
        assert!((distance - 0.8 * 1.25_f64.sqrt()).abs() < 1e-15);
        assert_eq!(
            cone.dual_distance(FrictionLaw::Coulomb, &[0.0, 7.0, 1.0]),
            0.0
        );
    }

    #[test]
    fn natural_map_knows_both_laws() {
        let cone = Cone {
            dimension: 2,
            mu: 0.5,
            rolling: 0.0,
        };
        let map = |law, r: [f64; 2], u: [f64; 2]| {
            let mut out = [0.0; 2];
            cone.natural_map(law, 0.5, (&r, &u), &mut out);
            length(&out)
        };
        // Slip to the right: exact at u_N = 0, convex at u_N = μ |u_T|.
        assert_eq!(map(FrictionLaw::Coulomb, [2.0, -1.0], [0.0, 4.0]), 0.0);
        assert_eq!(map(FrictionLaw::Convex, [2.0, -1.0], [2.0, 4.0]), 0.0);
        assert!(map(FrictionLaw::Convex, [2.0, -1.0], [0.0, 4.0]) > 0.1);
        // Open, stick, and a contact that pulls.
        assert_eq!(map(FrictionLaw::Coulomb, [0.0, 0.0], [1.0, 7.0]), 0.0);
        assert_eq!(map(FrictionLaw::Coulomb, [2.0, 0.9], [0.0, 0.0]), 0.0);
        assert_eq!(map(FrictionLaw::Coulomb, [-1.0, 0.0], [0.0, 0.0]), 1.0);
        assert!(map(FrictionLaw::Coulomb, [f64::NAN, 0.0], [0.0, 0.0]).is_nan());
    }
}
