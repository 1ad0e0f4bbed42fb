//! Gaussian elimination with complete pivoting, for a few equations that may be singular.

/// What [`eliminate`] finds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Eliminated<const N: usize, const K: usize> {
    /// The solutions, by rows; unknowns without a pivot are 0.
    pub(crate) solution: [[f64; K]; N],
    /// Size of the pivot of each unknown, 0 for those after the first that is none.
    pub(crate) pivots: [f64; N],
}

/// Solves A x = B, both by rows. Each row of A is scaled to a largest entry of one; pivots of at most `zero` are none,
/// and their unknowns are left alone.
pub(crate) fn eliminate<const N: usize, const K: usize>(
    mut matrix: [[f64; N]; N],
    mut sides: [[f64; K]; N],
    zero: f64,
) -> Eliminated<N, K> {
    for (row, side) in matrix.iter_mut().zip(&mut sides) {
        let largest = row.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        if largest > 0.0 {
            for x in row.iter_mut().chain(side) {
                *x /= largest;
            }
        }
    }
    let mut order: [usize; N] = std::array::from_fn(|i| i);
    let mut rank = N;
    let mut pivots = [0.0; N];
    for k in 0..N {
        let (mut at, mut column, mut largest) = (k, k, 0.0);
        for (i, row) in matrix.iter().enumerate().skip(k) {
            for (j, x) in row.iter().enumerate().skip(k) {
                if x.abs() > largest {
                    (at, column, largest) = (i, j, x.abs());
                }
            }
        }
        pivots[order[column]] = largest;
        if largest <= zero {
            rank = k;
            break;
        }
        matrix.swap(k, at);
        sides.swap(k, at);
        order.swap(k, column);
        for row in &mut matrix {
            row.swap(k, column);
        }
        let (pivot, side) = (matrix[k], sides[k]);
        for i in k + 1..N {
            let factor = matrix[i][k] / pivot[k];
            for j in k..N {
                matrix[i][j] -= factor * pivot[j];
            }
            for (x, p) in sides[i].iter_mut().zip(&side) {
                *x -= factor * p;
            }
        }
    }
    let mut solution = [[0.0; K]; N];
    for k in (0..rank).rev() {
        let mut row = sides[k];
        for j in k + 1..rank {
            for (x, y) in row.iter_mut().zip(&solution[order[j]]) {
                *x -= matrix[k][j] * y;
            }
        }
        solution[order[k]] = row.map(|x| x / matrix[k][k]);
    }
    Eliminated { solution, pivots }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_what_needs_pivots() {
        let found = eliminate([[0.0, 2.0], [4.0, 1.0]], [[2.0], [9.0]], 1e-11);
        assert_eq!((found.solution[0][0], found.solution[1][0]), (2.0, 1.0));
        assert!(found.pivots.iter().all(|&pivot| pivot > 0.2));
    }

    #[test]
    fn leaves_what_is_not_determined() {
        let found = eliminate([[2.0, 0.0], [0.0, 0.0]], [[4.0], [0.0]], 1e-13);
        assert_eq!((found.solution[0][0], found.solution[1][0]), (2.0, 0.0));
        assert_eq!((found.pivots[0], found.pivots[1]), (1.0, 0.0));
    }
}
