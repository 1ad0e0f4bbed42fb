//! Two maps whose zeros are the solutions of a friction law, and their generalised derivatives.
//!
//! ```math
//! \Phi_N = r_N - (r_N - \rho_N u_N)_+, \quad \Phi_k = r_k - P_{B(\mu_k (r_N - \rho_N u_N)_+)}(r_k - \rho_k u_k)
//! \qquad \text{or} \qquad \Phi = r - P_K(r - \rho \tilde u)
//! ```
//!
//! The first is that of Alart and Curnier \[AC1991\], for the exact law: each disc has its own ρ. The second, the natural
//! map, knows both laws. A derivative is a pair of blocks with dΦ = C_r dr + C_u du; an open contact has C_r = I and
//! C_u = 0, so its row needs no matrix.
//!
//! # References
//! - \[AC1991\] P. Alart, A. Curnier, A mixed formulation for frictional contact problems prone to Newton like solution
//!   methods, Computer Methods in Applied Mechanics and Engineering 92, 1991.

use std::ops::Range;

use super::FrictionLaw;
use super::cone::{Cone, ROWS, length};

/// C_r and C_u of one block, D × D by rows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct BlockDerivative {
    pub(crate) cr: [[f64; ROWS]; ROWS],
    pub(crate) cu: [[f64; ROWS]; ROWS],
}

impl BlockDerivative {
    /// Whether Φ does not depend on u, as in an open contact.
    pub(crate) fn is_open(&self) -> bool {
        self.cu.iter().flatten().all(|c| *c == 0.0)
    }
}

/// ρ of the normal and of each disc.
pub(crate) type Steps = [f64; 3];

/// The shape of a disc at a point: what its projection does with x.
struct Clipped {
    slips: bool,
    /// x over its length.
    direction: [f64; ROWS],
    /// Radius over length if it slips, else 1.
    factor: f64,
}

impl Clipped {
    /// x lies in the rows of one disc. A disc without radius always slips.
    fn new(x: &[f64], radius: f64) -> Self {
        let length = length(x);
        let slips = length > radius || radius == 0.0;
        let mut direction = [0.0; ROWS];
        if length > 0.0 {
            direction
                .iter_mut()
                .zip(x)
                .for_each(|(d, x)| *d = x / length);
        }
        let factor = if !slips {
            1.0
        } else if length > 0.0 {
            radius / length
        } else {
            0.0
        };
        Self {
            slips,
            direction,
            factor,
        }
    }

    /// Entry of ∂P/∂x at a fixed radius.
    fn derivative(&self, i: usize, j: usize) -> f64 {
        let identity = if i == j { 1.0 } else { 0.0 };
        if self.slips {
            self.factor * (identity - self.direction[i] * self.direction[j])
        } else {
            identity
        }
    }
}

impl Cone {
    /// Rows and coefficient of each disc; the second may have no rows.
    pub(crate) fn parts(&self) -> [(Range<usize>, f64); 2] {
        let split = self.split();
        [
            (1..split.max(1), self.mu),
            (split.max(1)..self.dimension, self.rolling),
        ]
    }

    /// The map of Alart and Curnier.
    pub(crate) fn alart_curnier(&self, rho: &Steps, (r, u): (&[f64], &[f64]), out: &mut [f64]) {
        let normal = positive(r[0] - rho[0] * u[0]);
        out[0] = r[0] - normal;
        for ((rows, mu), rho) in self.parts().into_iter().zip(&rho[1..]) {
            let mut x = [0.0; ROWS];
            let x = fill(&mut x, rows.clone().map(|i| r[i] - rho * u[i]));
            let clipped = Clipped::new(x, mu * normal);
            for (x, i) in x.iter().zip(rows) {
                out[i] = r[i] - clipped.factor * x;
            }
        }
    }

    /// A generalised derivative of the map of Alart and Curnier.
    pub(crate) fn alart_curnier_derivative(
        &self,
        rho: &Steps,
        (r, u): (&[f64], &[f64]),
    ) -> BlockDerivative {
        let mut block = BlockDerivative::default();
        let normal = positive(r[0] - rho[0] * u[0]);
        if normal > 0.0 {
            block.cu[0][0] = rho[0];
        } else {
            block.cr[0][0] = 1.0;
        }
        for ((rows, mu), rho_k) in self.parts().into_iter().zip(&rho[1..]) {
            let mut x = [0.0; ROWS];
            let x = fill(&mut x, rows.clone().map(|i| r[i] - rho_k * u[i]));
            let clipped = Clipped::new(x, mu * normal);
            for (a, i) in rows.clone().enumerate() {
                for (b, j) in rows.clone().enumerate() {
                    let g = clipped.derivative(a, b);
                    block.cr[i][j] = if a == b { 1.0 } else { 0.0 } - g;
                    block.cu[i][j] = rho_k * g;
                }
                if clipped.slips && normal > 0.0 {
                    let radius = mu * clipped.direction[a];
                    block.cr[i][0] = -radius;
                    block.cu[i][0] = radius * rho[0];
                }
            }
        }
        block
    }

    /// A generalised derivative of the natural map.
    pub(crate) fn natural_derivative(
        &self,
        law: FrictionLaw,
        rho: f64,
        (r, u): (&[f64], &[f64]),
    ) -> BlockDerivative {
        let d = self.dimension;
        let mut x = [0.0; ROWS];
        fill(&mut x, (0..d).map(|i| r[i] - rho * u[i]));
        x[0] -= rho * self.shift(law, u);
        let mut projected = x;
        self.project(&mut projected[..d]);
        let normal = projected[0];
        let mut block = BlockDerivative::default();
        if normal <= 0.0 {
            (0..d).for_each(|i| block.cr[i][i] = 1.0);
            return block;
        }
        // Gradient of the normal component, then of the discs.
        let mut gradient = [0.0; ROWS];
        gradient[0] = 1.0;
        let mut scale = 1.0;
        let discs = self.parts().map(|(rows, mu)| {
            let clipped = Clipped::new(&x[rows.clone()], mu * normal);
            if clipped.slips {
                scale += mu * mu;
                for (i, x) in rows.clone().zip(clipped.direction) {
                    gradient[i] = mu * x;
                }
            }
            (rows, mu, clipped)
        });
        for g in &mut gradient {
            *g /= scale;
        }
        let mut slope = [[0.0; ROWS]; ROWS];
        slope[0] = gradient;
        for (rows, mu, clipped) in discs {
            for (a, i) in rows.clone().enumerate() {
                for (b, j) in rows.clone().enumerate() {
                    slope[i][j] = clipped.derivative(a, b);
                }
                if clipped.slips {
                    for j in 0..d {
                        slope[i][j] += mu * clipped.direction[a] * gradient[j];
                    }
                }
            }
        }
        // ũ_N has the gradient (1, μ_k u_k / |u_k|).
        let mut shift = [0.0; ROWS];
        shift[0] = 1.0;
        if law == FrictionLaw::Coulomb {
            for (rows, mu) in self.parts() {
                let length = length(&u[rows.clone()]);
                if length > 0.0 {
                    rows.for_each(|i| shift[i] = mu * u[i] / length);
                }
            }
        }
        for (i, slope) in slope.iter().enumerate().take(d) {
            for j in 0..d {
                let identity = if i == j { 1.0 } else { 0.0 };
                block.cr[i][j] = identity - slope[j];
                let own = if j == 0 { 0.0 } else { slope[j] };
                block.cu[i][j] = rho * (own + slope[0] * shift[j]);
            }
        }
        block
    }
}

/// x₊, with NaN kept.
fn positive(x: f64) -> f64 {
    if x <= 0.0 { 0.0 } else { x }
}

/// Writes the values to the front of `buffer` and returns that part.
fn fill(buffer: &mut [f64; ROWS], values: impl Iterator<Item = f64>) -> &[f64] {
    let mut count = 0;
    for (place, value) in buffer.iter_mut().zip(values) {
        *place = value;
        count += 1;
    }
    &buffer[..count]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::SplitMix64;

    fn cone(case: usize) -> Cone {
        let dimension = 1 + case % 6;
        Cone {
            dimension,
            mu: [0.0, 0.3, 1.5][case / 6 % 3],
            rolling: if dimension >= 5 { 0.2 } else { 0.0 },
        }
    }

    /// Both maps vanish together, on a grid of points that hits all modes.
    #[test]
    fn maps_have_the_same_zeros() {
        let mut rng = SplitMix64::new(5);
        for case in 0..3000 {
            let cone = cone(case);
            let d = cone.dimension;
            // r = P(x), ũ = r − x solves; u_N from ũ_N.
            let x: Vec<f64> = (0..d).map(|_| 4.0 * rng.uniform() - 2.0).collect();
            let mut r = x.clone();
            cone.project(&mut r);
            let mut u: Vec<f64> = r.iter().zip(&x).map(|(r, x)| r - x).collect();
            u[0] -= cone.shift(FrictionLaw::Coulomb, &u);
            let (mut a, mut b) = (vec![0.0; d], vec![0.0; d]);
            cone.natural_map(FrictionLaw::Coulomb, 0.7, (&r, &u), &mut a);
            cone.alart_curnier(&[0.4, 1.3, 2.0], (&r, &u), &mut b);
            for x in a.iter().chain(&b) {
                assert!(x.abs() < 1e-14, "{cone:?} {r:?} {u:?} {a:?} {b:?}");
            }
        }
    }

    /// dΦ = C_r dr + C_u du, against central differences where the map is smooth.
    #[test]
    fn derivatives_are_those_of_differences() {
        let mut rng = SplitMix64::new(7);
        let steps = [0.4, 1.3, 2.0];
        for case in 0..6000 {
            let cone = cone(case);
            let d = cone.dimension;
            let mut vector = || -> Vec<f64> { (0..d).map(|_| 2.0 * rng.uniform() - 0.8).collect() };
            let (r, u, dr, du) = (vector(), vector(), vector(), vector());
            for which in 0..3 {
                let law = if which == 1 {
                    FrictionLaw::Convex
                } else {
                    FrictionLaw::Coulomb
                };
                let value = |t: f64| {
                    let at = |x: &[f64], dx: &[f64]| -> Vec<f64> {
                        x.iter().zip(dx).map(|(x, d)| x + t * d).collect()
                    };
                    let (r, u) = (at(&r, &dr), at(&u, &du));
                    let mut out = vec![0.0; d];
                    if which == 2 {
                        cone.alart_curnier(&steps, (&r, &u), &mut out);
                    } else {
                        cone.natural_map(law, 0.7, (&r, &u), &mut out);
                    }
                    out
                };
                let block = if which == 2 {
                    cone.alart_curnier_derivative(&steps, (&r, &u))
                } else {
                    cone.natural_derivative(law, 0.7, (&r, &u))
                };
                let h = 1e-6;
                let (ahead, here, behind) = (value(h), value(0.0), value(-h));
                for i in 0..d {
                    // A kink within the step shows in the second difference.
                    if (ahead[i] - 2.0 * here[i] + behind[i]).abs() > 1e-9 {
                        continue;
                    }
                    let slope = (ahead[i] - behind[i]) / (2.0 * h);
                    let product: f64 = (0..d)
                        .map(|j| block.cr[i][j] * dr[j] + block.cu[i][j] * du[j])
                        .sum();
                    assert!(
                        (slope - product).abs() < 1e-5,
                        "{which} {cone:?} {i} {slope} {product}"
                    );
                }
            }
        }
    }

    #[test]
    fn open_contacts_need_no_matrix() {
        let cone = cone(7);
        let point: (&[f64], &[f64]) = (&[0.0; 3], &[1.0, 2.0, 3.0]);
        assert!(cone.alart_curnier_derivative(&[1.0; 3], point).is_open());
        assert!(
            cone.natural_derivative(FrictionLaw::Convex, 1.0, (point.0, &[2.0, 0.1, 0.1]))
                .is_open()
        );
        assert!(
            !cone
                .alart_curnier_derivative(&[1.0; 3], (&[1.0; 3], &[0.0; 3]))
                .is_open()
        );
    }
}
