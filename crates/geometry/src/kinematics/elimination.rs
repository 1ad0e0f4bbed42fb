//! Gaussian elimination with complete pivoting, for at most four equations that may be singular.

/// Largest number of unknowns: a tangential move and a turn of the normal, D − 1 components each.
pub(super) const MOST: usize = 4;

/// Largest number of right-hand sides: one per component of the two twists.
pub(super) const SIDES: usize = 12;

/// A pivot counts as zero below 1e-11 of the largest entry of a system whose rows and columns are scaled to one.
///
/// The pivot is about curvature times size: 1e-8 at the flattest point of a needle of aspect 1e4 is still solved, the
/// rounding of parallel faces, some 1e-15, is not. Too large, flat but curved bodies lose their derivatives; too small,
/// rounding passes for curvature.
const SINGULAR: f64 = 1e-11;

/// Equations A x = B with several right-hand sides.
#[derive(Clone, Debug)]
pub(super) struct Equations {
    /// Number of equations and of unknowns.
    pub(super) n: usize,
    /// A, by rows.
    pub(super) matrix: [[f64; MOST]; MOST],
    /// B, by rows.
    pub(super) sides: [[f64; SIDES]; MOST],
}

impl Equations {
    /// n equations 0 x = 0.
    pub(super) fn new(n: usize) -> Self {
        Self {
            n,
            matrix: [[0.0; MOST]; MOST],
            sides: [[0.0; SIDES]; MOST],
        }
    }

    /// x, by rows, or `None` if the matrix is singular.
    pub(super) fn solve(mut self) -> Option<[[f64; SIDES]; MOST]> {
        let n = self.n;
        for i in 0..n {
            let largest = self.matrix[i].iter().fold(0.0, |m: f64, x| m.max(x.abs()));
            if !(largest > 0.0 && largest.is_finite()) {
                return None;
            }
            self.matrix[i].iter_mut().for_each(|x| *x /= largest);
            self.sides[i].iter_mut().for_each(|x| *x /= largest);
        }
        let mut order: [usize; MOST] = std::array::from_fn(|j| j);
        for k in 0..n {
            let (mut row, mut column) = (k, k);
            for i in k..n {
                for j in k..n {
                    if self.matrix[i][j].abs() > self.matrix[row][column].abs() {
                        (row, column) = (i, j);
                    }
                }
            }
            if self.matrix[row][column].abs() <= SINGULAR {
                return None;
            }
            self.matrix.swap(k, row);
            self.sides.swap(k, row);
            order.swap(k, column);
            self.matrix.iter_mut().for_each(|r| r.swap(k, column));
            for i in k + 1..n {
                let factor = self.matrix[i][k] / self.matrix[k][k];
                let (pivot, side) = (self.matrix[k], self.sides[k]);
                for (x, p) in self.matrix[i].iter_mut().zip(&pivot) {
                    *x -= factor * p;
                }
                for (x, p) in self.sides[i].iter_mut().zip(&side) {
                    *x -= factor * p;
                }
            }
        }
        let mut solution = [[0.0; SIDES]; MOST];
        for k in (0..n).rev() {
            let mut row = self.sides[k];
            for j in k + 1..n {
                let known = solution[order[j]];
                for (x, y) in row.iter_mut().zip(&known) {
                    *x -= self.matrix[k][j] * y;
                }
            }
            solution[order[k]] = row.map(|x| x / self.matrix[k][k]);
        }
        Some(solution)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_what_needs_pivots_and_refuses_what_is_singular() {
        let mut equations = Equations::new(2);
        equations.matrix[0][..2].copy_from_slice(&[0.0, 2.0]);
        equations.matrix[1][..2].copy_from_slice(&[4.0, 1.0]);
        equations.sides[0][0] = 2.0;
        equations.sides[1][0] = 9.0;
        let solution = equations.clone().solve().unwrap();
        assert!((solution[0][0] - 2.0).abs() < 1e-15 && (solution[1][0] - 1.0).abs() < 1e-15);
        equations.matrix[0][..2].copy_from_slice(&[8.0, 2.0]);
        assert!(equations.solve().is_none());
    }
}
