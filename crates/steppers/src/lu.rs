//! Elimination with row pivoting for a few dozen unknowns, where the libraries' overhead would be most of the work.

/// A pivot is zero if it is smaller than this part of the largest entry of its column.
const SINGULAR: f64 = 1e-11;

/// P A = L U, by columns.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lu {
    n: usize,
    a: Vec<f64>,
    /// Row that changed places with each.
    pivots: Vec<usize>,
}

impl Lu {
    /// A zero n × n matrix by columns, to be filled in before it is factorised.
    pub(crate) fn begin(&mut self, n: usize) -> &mut [f64] {
        self.n = n;
        self.a.clear();
        self.a.resize(n * n, 0.0);
        &mut self.a
    }

    /// Factorises in place; false if a pivot vanishes.
    pub(crate) fn factor(&mut self) -> bool {
        let Self { n, a, pivots } = self;
        let n = *n;
        pivots.clear();
        for k in 0..n {
            let column = &a[k * n..][..n];
            let scale = column.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
            let mut pivot = k;
            for i in k + 1..n {
                if column[i].abs() > column[pivot].abs() {
                    pivot = i;
                }
            }
            let is_regular = column[pivot].abs() > SINGULAR * scale;
            if !is_regular {
                return false;
            }
            pivots.push(pivot);
            if pivot != k {
                a.chunks_exact_mut(n)
                    .for_each(|column| column.swap(k, pivot));
            }
            let (left, right) = a.split_at_mut((k + 1) * n);
            let (upper, factors) = left[k * n..].split_at_mut(k + 1);
            let inverse = 1.0 / upper[k];
            for l in factors.iter_mut() {
                *l *= inverse;
            }
            for column in right.chunks_exact_mut(n) {
                let (upper, below) = column.split_at_mut(k + 1);
                subtract(below, factors, upper[k]);
            }
        }
        true
    }

    /// b ← A⁻¹ b.
    pub(crate) fn solve(&self, b: &mut [f64]) {
        let n = self.n;
        for (k, &pivot) in self.pivots.iter().enumerate() {
            b.swap(k, pivot);
        }
        for (k, column) in self.a.chunks_exact(n).enumerate() {
            let (upper, below) = b.split_at_mut(k + 1);
            subtract(below, &column[k + 1..], upper[k]);
        }
        for (k, column) in self.a.chunks_exact(n).enumerate().rev() {
            b[k] /= column[k];
            let (above, rest) = b.split_at_mut(k);
            subtract(above, column, rest[0]);
        }
    }
}

/// x ← x − factor · y.
fn subtract(x: &mut [f64], y: &[f64], factor: f64) {
    if factor != 0.0 {
        x.iter_mut().zip(y).for_each(|(x, y)| *x -= y * factor);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elimination_solves_and_sees_singular_matrices() {
        let noise = |k: usize| (12.9898 * (k + 1) as f64).sin();
        for n in [1, 2, 7, 30] {
            let mut lu = Lu::default();
            let a: Vec<f64> = (0..n * n).map(|k| noise(k * k)).collect();
            let x: Vec<f64> = (0..n).map(|k| 1.0 + noise(3 * k)).collect();
            let mut b = vec![0.0; n];
            for (column, x) in a.chunks_exact(n).zip(&x) {
                b.iter_mut().zip(column).for_each(|(b, a)| *b += a * x);
            }
            lu.begin(n).copy_from_slice(&a);
            assert!(lu.factor());
            lu.solve(&mut b);
            for (b, x) in b.iter().zip(&x) {
                // The condition of these matrices is below 1e4.
                assert!((b - x).abs() < 1e-11, "n = {n}");
            }
            if n > 1 {
                let matrix = lu.begin(n);
                matrix.copy_from_slice(&a);
                matrix.copy_within(..n, n);
                assert!(!lu.factor());
            }
        }
    }
}
