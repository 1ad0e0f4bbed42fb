//! Nonlinear problems for the tests: closures as problems, and the classics.

use signorini_complementarity::*;

/// Entries that a closure pushes.
pub(super) type Push<'p> = &'p mut dyn FnMut(usize, usize, f64);

/// F and its derivatives as a closure, which also sees that it is asked only for points within the bounds.
pub(super) struct Function<E> {
    bounds: Bounds,
    evaluate: E,
}

impl<E> Function<E>
where
    E: Fn(&[f64], &mut [f64], Push<'_>) -> Result<(), DomainError>,
{
    pub(super) fn new(lower: &[f64], upper: &[f64], evaluate: E) -> Self {
        let bounds = Bounds::new(lower.to_vec(), upper.to_vec()).unwrap();
        Self { bounds, evaluate }
    }

    pub(super) fn nonnegative(n: usize, evaluate: E) -> Self {
        Self::new(&vec![0.0; n], &vec![f64::INFINITY; n], evaluate)
    }

    pub(super) fn free(n: usize, evaluate: E) -> Self {
        Self::new(
            &vec![f64::NEG_INFINITY; n],
            &vec![f64::INFINITY; n],
            evaluate,
        )
    }
}

impl<E> Mcp for Function<E>
where
    E: Fn(&[f64], &mut [f64], Push<'_>) -> Result<(), DomainError>,
{
    fn len(&self) -> usize {
        self.bounds.len()
    }

    fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    fn evaluate(
        &self,
        z: &[f64],
        f: &mut [f64],
        jacobian: Option<&mut Assembler>,
    ) -> Result<(), DomainError> {
        let pairs = self.bounds.lower().iter().zip(self.bounds.upper());
        for (z, (l, u)) in z.iter().zip(pairs) {
            assert!(
                l <= z && z <= u,
                "F is asked for at {z}, outside of [{l}, {u}]"
            );
        }
        match jacobian {
            Some(jacobian) => {
                (self.evaluate)(z, f, &mut |row, col, value| jacobian.push(row, col, value))
            }
            None => (self.evaluate)(z, f, &mut |_, _, _| {}),
        }
    }
}

/// Kojima and Shindo's problem: two solutions, one of them degenerate.
pub(super) fn kojima_shindo() -> impl Mcp {
    Function::nonnegative(4, |z, f, push| {
        let [a, b, c, d] = [z[0], z[1], z[2], z[3]];
        f[0] = 3.0 * a * a + 2.0 * a * b + 2.0 * b * b + c + 3.0 * d - 6.0;
        f[1] = 2.0 * a * a + a + b * b + 10.0 * c + 2.0 * d - 2.0;
        f[2] = 3.0 * a * a + a * b + 2.0 * b * b + 2.0 * c + 9.0 * d - 9.0;
        f[3] = a * a + 3.0 * b * b + 2.0 * c + 3.0 * d - 3.0;
        let rows = [
            [6.0 * a + 2.0 * b, 2.0 * a + 4.0 * b, 1.0, 3.0],
            [4.0 * a + 1.0, 2.0 * b, 10.0, 2.0],
            [6.0 * a + b, a + 4.0 * b, 2.0, 9.0],
            [2.0 * a, 6.0 * b, 2.0, 3.0],
        ];
        for (i, row) in rows.iter().enumerate() {
            row.iter().enumerate().for_each(|(j, x)| push(i, j, *x));
        }
        Ok(())
    })
}

/// The published starts of [`kojima_shindo`].
pub(super) const KOJIMA_SHINDO_STARTS: [[f64; 4]; 8] = [
    [0.0; 4],
    [1.0; 4],
    [100.0; 4],
    [1.0, 0.0, 1.0, 0.0],
    [1.0, 0.0, 0.0, 0.0],
    [0.0, 1.0, 1.0, 0.0],
    [0.0, 1.0, 0.0, 1.0],
    [1.25, 0.0, 0.0, 0.5],
];

/// Billups' trap: (z − 1)² − 1.01 with z ≥ 0, whose merit functions are stationary near 0.
pub(super) fn billups() -> impl Mcp {
    Function::nonnegative(1, |z, f, push| {
        f[0] = (z[0] - 1.0).powi(2) - 1.01;
        push(0, 0, 2.0 * (z[0] - 1.0));
        Ok(())
    })
}

/// (z − 1)² = 0 with z free.
pub(super) fn double_root() -> impl Mcp {
    Function::free(1, |z, f, push| {
        f[0] = z[0] * z[0] - 2.0 * z[0] + 1.0;
        push(0, 0, 2.0 * z[0] - 2.0);
        Ok(())
    })
}

/// Murphy, Sherali and Soyster's five firms; `shift` is added to the marginal cost of each.
pub(super) fn five_firms(shift: [f64; 5]) -> impl Mcp {
    const COST: [f64; 5] = [10.0, 8.0, 6.0, 4.0, 2.0];
    const BETA: [f64; 5] = [1.2, 1.1, 1.0, 0.9, 0.8];
    const GAMMA: f64 = 1.1;
    Function::nonnegative(5, move |q, f, push| {
        let total: f64 = q.iter().sum();
        if total <= 0.0 {
            return Err(DomainError { row: 0 });
        }
        let price = (5000.0 / total).powf(1.0 / GAMMA);
        let slope = -price / (GAMMA * total);
        for i in 0..5 {
            f[i] = COST[i] + shift[i] + (q[i] / 5.0).powf(1.0 / BETA[i])
                - price * (1.0 - q[i] / (GAMMA * total));
            for j in 0..5 {
                let mut x = -slope * (1.0 - q[i] / (GAMMA * total))
                    - price * q[i] / (GAMMA * total * total);
                if i == j {
                    x += (q[i] / 5.0).powf(1.0 / BETA[i] - 1.0) / (5.0 * BETA[i])
                        + price / (GAMMA * total);
                }
                push(i, j, x);
            }
        }
        Ok(())
    })
}
