//! The judge: residuals and certificates summed afresh from the data that a solver was given.
//!
//! It calls nothing of `complementarity` but the accessors of the data, and sums with a correction (Neumaier), so that
//! it is more accurate than what it judges.

use signorini_complementarity::{Bounds, Certificate, Lcp, LinearMcp, Solution, Status};
use sprs::CsMat;

/// A problem as it was given to a solver.
#[derive(Debug, Clone, Copy)]
pub(in crate::experiments) struct Original<'a> {
    m: &'a CsMat<f64>,
    q: &'a [f64],
    bounds: Option<&'a Bounds>,
}

impl<'a> From<&'a Lcp> for Original<'a> {
    fn from(lcp: &'a Lcp) -> Self {
        Self {
            m: lcp.m(),
            q: lcp.q(),
            bounds: None,
        }
    }
}

impl<'a> From<&'a LinearMcp> for Original<'a> {
    fn from(mcp: &'a LinearMcp) -> Self {
        Self {
            m: mcp.m(),
            q: mcp.q(),
            bounds: Some(mcp.bounds()),
        }
    }
}

/// What is known of a problem before it is solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::experiments) enum Expected {
    /// It has a solution.
    Solution,
    /// It has none.
    None,
}

/// What an answer is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::experiments) enum Finding {
    /// Solved, and the point is a solution.
    Solved,
    /// Called unsolvable, with a proof that holds.
    Proved,
    /// The solver says that it does not know.
    Undecided,
    /// A success that is none: a point that is no solution, a proof that proves nothing, a number that is none.
    Wrong,
}

/// An answer, judged.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::experiments) struct Judgement {
    pub(in crate::experiments) finding: Finding,
    /// Scaled residual of the point, infinite if it is none.
    pub(in crate::experiments) residual: f64,
}

/// Part of Σ|M_ij| y_i up to which a sum of a certificate counts as not positive: rounding of y and of the sum.
const CERTIFICATE: f64 = 1e-12;

impl Original<'_> {
    /// What `solution` is worth, if solved means a residual of at most `tolerance`.
    pub(in crate::experiments) fn judge(
        &self,
        solution: &Solution,
        tolerance: f64,
        expected: Expected,
    ) -> Judgement {
        let residual = self.residual(&solution.z);
        let certificate = match &solution.certificate {
            Some(Certificate::Farkas(y)) => Some(self.proves_infeasibility(y)),
            _ => None,
        };
        let finding = match (solution.status, certificate) {
            // Even an answer that claims nothing has a finite point of the right length.
            _ if residual == f64::INFINITY => Finding::Wrong,
            (_, Some(false)) | (Status::Infeasible, None) => Finding::Wrong,
            (Status::Solved, _) if residual > tolerance || expected == Expected::None => {
                Finding::Wrong
            }
            (Status::Solved, _) => Finding::Solved,
            (Status::Infeasible, _) if expected == Expected::Solution => Finding::Wrong,
            (Status::Infeasible, _) => Finding::Proved,
            _ => Finding::Undecided,
        };
        Judgement { finding, residual }
    }

    /// max |z_i − mid(l_i, z_i − F_i, u_i)| / (S + Σ|M_ij z_j| + |q_i|), S = min(1, ‖q‖_∞); infinite for a point that
    /// is not finite or has the wrong length.
    pub(in crate::experiments) fn residual(&self, z: &[f64]) -> f64 {
        if z.len() != self.q.len() || z.iter().any(|z| !z.is_finite()) {
            return f64::INFINITY;
        }
        let mut rows: Vec<Sum> = self.q.iter().map(|q| Sum::of(*q)).collect();
        for (m, (i, j)) in self.m {
            rows[i].add(m * z[j]);
        }
        let largest = self.q.iter().fold(0.0_f64, |m, q| m.max(q.abs()));
        let row = |(i, sum): (usize, &Sum)| {
            let (lower, upper) = self.interval(i);
            let f = sum.value();
            let distance = (z[i] - (z[i] - f).max(lower).min(upper)).abs();
            // 0/0: a row without numbers holds.
            if distance == 0.0 {
                0.0
            } else {
                distance / (largest.min(1.0) + sum.size)
            }
        };
        let residuals = rows.iter().enumerate().map(row);
        residuals.fold(0.0, super::worse)
    }

    /// Whether y ≥ 0, Mᵀy ≤ 0 and qᵀy < 0, so that no z ≥ 0 has M z + q ≥ 0; for problems without upper bounds and
    /// free variables only.
    fn proves_infeasibility(&self, y: &[f64]) -> bool {
        let n = self.q.len();
        let standard = (0..n).all(|i| self.interval(i) == (0.0, f64::INFINITY));
        let point = y.len() == n && y.iter().all(|y| *y >= 0.0 && y.is_finite());
        if !(standard && point) {
            return false;
        }
        let mut columns = vec![Sum::default(); n];
        for (m, (i, j)) in self.m {
            columns[j].add(m * y[i]);
        }
        let mut product = Sum::default();
        for (q, y) in self.q.iter().zip(y) {
            product.add(q * y);
        }
        let dual = columns
            .iter()
            .all(|column| column.value() <= CERTIFICATE * column.size);
        dual && product.value() < -CERTIFICATE * product.size
    }

    fn interval(&self, i: usize) -> (f64, f64) {
        self.bounds
            .map_or((0.0, f64::INFINITY), |b| (b.lower()[i], b.upper()[i]))
    }
}

/// A sum with the rounding of its additions, and the sum of the sizes.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    total: f64,
    lost: f64,
    size: f64,
}

impl Sum {
    fn of(first: f64) -> Self {
        Self {
            total: first,
            lost: 0.0,
            size: first.abs(),
        }
    }

    fn add(&mut self, x: f64) {
        let total = self.total + x;
        let larger_first = self.total.abs() >= x.abs();
        self.lost += if larger_first {
            (self.total - total) + x
        } else {
            (x - total) + self.total
        };
        self.total = total;
        self.size += x.abs();
    }

    fn value(&self) -> f64 {
        self.total + self.lost
    }
}

#[cfg(test)]
mod tests {
    use signorini_complementarity::{Stats, natural_residual};

    use super::*;

    fn lcp() -> Lcp {
        Lcp::from_dense(&[[2.0, 1.0], [1.0, 2.0]], vec![-5.0, -6.0]).unwrap()
    }

    fn unsolvable() -> Lcp {
        Lcp::from_dense(&[[0.0, 1.0], [-1.0, 0.0]], vec![-1.0, -1.0]).unwrap()
    }

    fn answer(status: Status, z: &[f64], certificate: Option<Certificate>) -> Solution {
        Solution {
            z: z.to_vec(),
            status,
            residual: 0.0,
            stats: Stats::default(),
            basis: None,
            certificate,
        }
    }

    fn finding(lcp: &Lcp, solution: &Solution, expected: Expected) -> Finding {
        Original::from(lcp).judge(solution, 1e-12, expected).finding
    }

    #[test]
    fn the_residual_is_that_of_the_crate() {
        let lcp = lcp();
        for z in [[0.0, 0.0], [0.1, -3.0], [4.0 / 3.0, 7.0 / 3.0]] {
            let difference = Original::from(&lcp).residual(&z) - natural_residual(&lcp, &z);
            assert!(difference.abs() < 1e-15);
        }
        let bounds = Bounds::new(vec![-1.0, f64::NEG_INFINITY], vec![0.5, f64::INFINITY]).unwrap();
        let mcp =
            LinearMcp::from_dense(&[[2.0, 1.0], [1.0, 2.0]], vec![-5.0, -6.0], bounds).unwrap();
        for z in [[0.5, 2.75], [0.1, -3.0]] {
            let difference = Original::from(&mcp).residual(&z) - natural_residual(&mcp, &z);
            assert!(difference.abs() < 1e-15);
        }
    }

    #[test]
    fn a_success_must_be_one() {
        let good = answer(Status::Solved, &[4.0 / 3.0, 7.0 / 3.0], None);
        assert_eq!(finding(&lcp(), &good, Expected::Solution), Finding::Solved);
        assert_eq!(finding(&lcp(), &good, Expected::None), Finding::Wrong);
        for z in [&[1.0, 1.0][..], &[f64::NAN, 1.0], &[1.0]] {
            let bad = answer(Status::Solved, z, None);
            assert_eq!(finding(&lcp(), &bad, Expected::Solution), Finding::Wrong);
        }
        let honest = answer(Status::Ray, &[1.0, 1.0], None);
        let undecided = finding(&lcp(), &honest, Expected::Solution);
        assert_eq!(undecided, Finding::Undecided);
        let nan = answer(Status::Ray, &[1.0, f64::NAN], None);
        assert_eq!(finding(&lcp(), &nan, Expected::Solution), Finding::Wrong);
    }

    #[test]
    fn a_proof_must_hold() {
        let claim = |y: &[f64]| {
            let certificate = Some(Certificate::Farkas(y.to_vec()));
            let solution = answer(Status::Infeasible, &[0.0, 0.0], certificate);
            finding(&unsolvable(), &solution, Expected::None)
        };
        // Mᵀ y = (−y₂, y₁), qᵀ y = −y₁ − y₂.
        assert_eq!(claim(&[0.0, 1.0]), Finding::Proved);
        for y in [&[1.0, 1.0][..], &[0.0, 0.0], &[-1.0, 1.0], &[1.0]] {
            assert_eq!(claim(y), Finding::Wrong, "{y:?}");
        }
        let without = answer(Status::Infeasible, &[0.0, 0.0], None);
        let wrong = finding(&unsolvable(), &without, Expected::None);
        assert_eq!(wrong, Finding::Wrong);
    }
}
