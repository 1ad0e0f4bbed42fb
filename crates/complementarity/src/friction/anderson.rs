//! Anderson's acceleration of a fixed-point iteration x ← G(x).

#![expect(
    clippy::inline_always,
    reason = "what a kernel calls is compiled for wide vectors only if it is inlined"
)]

use super::lanes::{Kernel, widest};

/// Part of the largest pivot below which a direction is dropped.
const DEPENDENT: f64 = 1e-14;

/// The last images and residuals, and what follows from them. After the first call no memory is allocated.
#[derive(Clone, Debug, Default)]
pub(super) struct Anderson {
    memory: usize,
    /// Image y and residual g = y − x of the last iterate.
    image: Vec<f64>,
    residual: Vec<f64>,
    /// Differences of images and of residuals, one after the other, the newest in place of the oldest.
    images: Vec<f64>,
    residuals: Vec<f64>,
    /// Products of the differences of residuals, by rows of `memory`, and their factor.
    products: Vec<f64>,
    factor: Vec<f64>,
    /// γ.
    weights: Vec<f64>,
    /// Differences known, and the place of the next one.
    known: usize,
    next: usize,
    started: bool,
}

impl Anderson {
    pub(super) fn new(memory: usize) -> Self {
        Self {
            memory,
            products: vec![0.0; memory * memory],
            factor: vec![0.0; memory * memory],
            weights: vec![0.0; memory],
            ..Self::default()
        }
    }

    /// Forgets everything but its memory.
    pub(super) fn clear(&mut self) {
        self.known = 0;
        self.next = 0;
        self.started = false;
    }

    /// From x and y = G(x) to the next x, in place of y.
    pub(super) fn advance(&mut self, x: &[f64], y: &mut [f64]) {
        if self.memory > 0 {
            widest(Advance(self, x, y));
        }
    }

    #[inline(always)]
    fn advance_plainly(&mut self, x: &[f64], y: &mut [f64]) {
        let n = y.len();
        if self.image.len() != n {
            self.clear();
            self.image.resize(n, 0.0);
            self.residual.resize(n, 0.0);
            self.images.resize(self.memory * n, 0.0);
            self.residuals.resize(self.memory * n, 0.0);
        }
        let place = self.next;
        if self.started {
            let images = &mut self.images[place * n..][..n];
            let residuals = &mut self.residuals[place * n..][..n];
            for i in 0..n {
                let residual = y[i] - x[i];
                images[i] = y[i] - self.image[i];
                residuals[i] = residual - self.residual[i];
                self.residual[i] = residual;
                self.image[i] = y[i];
            }
            self.known = self.memory.min(self.known.max(place + 1));
            self.next = (place + 1) % self.memory;
        } else {
            for i in 0..n {
                self.residual[i] = y[i] - x[i];
                self.image[i] = y[i];
            }
            self.started = true;
        }
        if self.known == 0 {
            return;
        }
        let newest = &self.residuals[place * n..][..n];
        for j in 0..self.known {
            // Both in one pass, as reading is what takes the time.
            let [product, weight] =
                dots(&self.residuals[j * n..][..n], [newest, &self.residual[..n]]);
            self.products[place * self.memory + j] = product;
            self.products[j * self.memory + place] = product;
            self.weights[j] = weight;
        }
        self.solve();
        for (gamma, image) in self.weights[..self.known]
            .iter()
            .zip(self.images.chunks_exact(n))
        {
            for (y, d) in y.iter_mut().zip(image) {
                *y -= gamma * d;
            }
        }
    }

    /// γ that minimises |g − Σ γ_j Δg_j| from Δg_jᵀ g, by a Cholesky factorisation that leaves out dependent directions.
    fn solve(&mut self) {
        let (m, gamma, l) = (self.known, &mut self.weights, &mut self.factor);
        let a = |i: usize, j: usize| self.products[i * self.memory + j];
        for i in 0..m {
            for j in 0..=i {
                let sum = a(i, j) - (0..j).map(|k| l[i * m + k] * l[j * m + k]).sum::<f64>();
                l[i * m + j] = if i == j {
                    // An infinite pivot gives the direction no weight.
                    if sum > DEPENDENT * a(i, i) {
                        sum.sqrt()
                    } else {
                        f64::INFINITY
                    }
                } else {
                    sum / l[j * m + j]
                };
            }
        }
        for i in 0..m {
            let sum: f64 = (0..i).map(|k| l[i * m + k] * gamma[k]).sum();
            gamma[i] = (gamma[i] - sum) / l[i * m + i];
        }
        for i in (0..m).rev() {
            let sum: f64 = (i + 1..m).map(|k| l[k * m + i] * gamma[k]).sum();
            gamma[i] = (gamma[i] - sum) / l[i * m + i];
        }
    }
}

struct Advance<'a>(&'a mut Anderson, &'a [f64], &'a mut [f64]);

impl Kernel for Advance<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        self.0.advance_plainly(self.1, self.2);
    }
}

/// aᵀ b and aᵀ c.
#[inline(always)]
fn dots(a: &[f64], [b, c]: [&[f64]; 2]) -> [f64; 2] {
    // Eight running sums each, so that the products go side by side.
    const SUMS: usize = 8;
    let mut sums = [[0.0; SUMS]; 2];
    let ((a, ends), (b, b_ends), (c, c_ends)) = (a.as_chunks(), b.as_chunks(), c.as_chunks());
    for ((a, b), c) in a.iter().zip(b).zip(c) {
        let (a, b, c): (&[f64; SUMS], &[f64; SUMS], &[f64; SUMS]) = (a, b, c);
        for i in 0..SUMS {
            sums[0][i] += a[i] * b[i];
            sums[1][i] += a[i] * c[i];
        }
    }
    let mut rest = [0.0; 2];
    for ((a, b), c) in ends.iter().zip(b_ends).zip(c_ends) {
        rest[0] += a * b;
        rest[1] += a * c;
    }
    let total = |s: &[f64; SUMS]| ((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7]));
    [total(&sums[0]) + rest[0], total(&sums[1]) + rest[1]]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wide vectors change no bit, with as many entries left over as there can be.
    #[test]
    fn both_copies_do_the_same() {
        let mut wide = Anderson::new(3);
        let mut plain = wide.clone();
        for number in 0..6 {
            let entry = |i: usize| ((7 * i + 3 * number) as f64).sin();
            let x: Vec<f64> = (0..23).map(entry).collect();
            let mut y: Vec<f64> = (0..23).map(|i| entry(i + 40)).collect();
            let mut plainly = y.clone();
            wide.advance(&x, &mut y);
            plain.advance_plainly(&x, &mut plainly);
            assert_eq!(y, plainly);
        }
    }

    /// On x ← B x + c it is GMRES in disguise: n + 1 images give the fixed point.
    #[test]
    fn a_linear_map_of_three_unknowns_takes_a_few_steps() {
        let b = [[0.9, 0.1, 0.0], [0.0, 0.8, 0.3], [0.1, 0.0, -0.7]];
        let mut anderson = Anderson::new(5);
        let mut x = [0.0; 3];
        let image = |x: &[f64; 3]| {
            std::array::from_fn(|i| 1.0 + b[i].iter().zip(x).map(|(b, x)| b * x).sum::<f64>())
        };
        for _ in 0..6 {
            let mut y: [f64; 3] = image(&x);
            anderson.advance(&x, &mut y);
            x = y;
        }
        let y: [f64; 3] = image(&x);
        assert!(x.iter().zip(&y).all(|(x, y)| (x - y).abs() < 1e-12));
    }
}
