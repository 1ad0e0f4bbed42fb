//! Anderson's acceleration of a fixed-point iteration x ← G(x).

/// Part of the largest pivot below which a direction is dropped.
const DEPENDENT: f64 = 1e-14;

/// The last images and residuals, and what follows from them.
#[derive(Clone, Debug, Default)]
pub(super) struct Anderson {
    memory: usize,
    /// Image y and residual g = y − x of the last iterate.
    image: Vec<f64>,
    residual: Vec<f64>,
    /// Differences of images and residuals, the newest in place of the oldest.
    images: Vec<Vec<f64>>,
    residuals: Vec<Vec<f64>>,
    /// Products of the differences of residuals, by rows of `memory`.
    products: Vec<f64>,
    next: usize,
    started: bool,
}

impl Anderson {
    pub(super) fn new(memory: usize) -> Self {
        Self {
            memory,
            products: vec![0.0; memory * memory],
            ..Self::default()
        }
    }

    /// Forgets everything but its memory.
    pub(super) fn clear(&mut self) {
        self.next = 0;
        self.started = false;
        self.images.clear();
        self.residuals.clear();
    }

    /// From x and y = G(x) to the next x, in place of y.
    pub(super) fn advance(&mut self, x: &[f64], y: &mut [f64]) {
        if self.memory == 0 {
            return;
        }
        let residual: Vec<f64> = y.iter().zip(x).map(|(y, x)| y - x).collect();
        if self.started {
            let images = y.iter().zip(&self.image).map(|(a, b)| a - b).collect();
            let residuals = residual
                .iter()
                .zip(&self.residual)
                .map(|(a, b)| a - b)
                .collect();
            self.remember(images, residuals);
        }
        self.image.clear();
        self.image.extend_from_slice(y);
        self.residual = residual;
        self.started = true;
        for (gamma, image) in self.weights().iter().zip(&self.images) {
            for (y, d) in y.iter_mut().zip(image) {
                *y -= gamma * d;
            }
        }
    }

    fn remember(&mut self, images: Vec<f64>, residuals: Vec<f64>) {
        let place = self.next % self.memory;
        self.next += 1;
        if place == self.images.len() {
            self.images.push(images);
            self.residuals.push(residuals);
        } else {
            self.images[place] = images;
            self.residuals[place] = residuals;
        }
        for j in 0..self.residuals.len() {
            let product = dot(&self.residuals[place], &self.residuals[j]);
            self.products[place * self.memory + j] = product;
            self.products[j * self.memory + place] = product;
        }
    }

    /// γ that minimises |g − Σ γ_j Δg_j|, by a Cholesky factorisation that leaves out dependent directions.
    fn weights(&self) -> Vec<f64> {
        let m = self.residuals.len();
        let mut l = vec![0.0; m * m];
        let mut gamma: Vec<f64> = self
            .residuals
            .iter()
            .map(|d| dot(d, &self.residual))
            .collect();
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
        gamma
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    // Four running sums, so that the products go side by side.
    let mut sums = [0.0; 4];
    let (a, b) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest: f64 = a
        .remainder()
        .iter()
        .zip(b.remainder())
        .map(|(a, b)| a * b)
        .sum();
    for (a, b) in a.zip(b) {
        for i in 0..4 {
            sums[i] += a[i] * b[i];
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

#[cfg(test)]
mod tests {
    use super::*;

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
