//! Columns of a matrix from triplets in any order.

use sprs::CsMat;

/// Two triplets at the same place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Twice {
    pub(super) first: usize,
    pub(super) second: usize,
    pub(super) row: usize,
    pub(super) col: usize,
}

/// The matrix of these triplets (row, column, value), by columns; zeros are stored as they are given.
///
/// The caller has checked that the indices lie inside of the shape.
pub(super) fn by_columns(
    (rows, cols): (usize, usize),
    triplets: &[(usize, usize, f64)],
) -> Result<CsMat<f64>, Twice> {
    let place = |k: usize| (triplets[k].1, triplets[k].0);
    let mut order: Vec<usize> = (0..triplets.len()).collect();
    order.sort_by_key(|&k| place(k));
    let twice = order
        .windows(2)
        .find(|pair| place(pair[0]) == place(pair[1]));
    if let Some(&[first, second]) = twice {
        let (col, row) = place(first);
        return Err(Twice {
            first,
            second,
            row,
            col,
        });
    }
    let mut starts = vec![0_usize; cols + 1];
    for &(_, col, _) in triplets {
        starts[col + 1] += 1;
    }
    for col in 0..cols {
        starts[col + 1] += starts[col];
    }
    let indices = order.iter().map(|&k| triplets[k].0).collect();
    let values = order.iter().map(|&k| triplets[k].2).collect();
    Ok(CsMat::new_csc((rows, cols), starts, indices, values))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_does_not_matter_and_zeros_stay() {
        let a = by_columns((2, 3), &[(1, 2, 5.0), (0, 0, -0.0), (0, 2, 4.0)]).unwrap();
        let b = by_columns((2, 3), &[(0, 0, -0.0), (0, 2, 4.0), (1, 2, 5.0)]).unwrap();
        assert_eq!(a, b);
        assert_eq!(a.proper_indptr().to_vec(), [0, 1, 1, 3]);
        assert!(a.data()[0].is_sign_negative());
        assert_eq!(by_columns((0, 0), &[]).unwrap().nnz(), 0);
    }

    #[test]
    fn a_place_named_twice_is_found() {
        let twice = by_columns((2, 2), &[(1, 1, 1.0), (0, 0, 2.0), (1, 1, 3.0)]);
        let expected = Twice {
            first: 0,
            second: 2,
            row: 1,
            col: 1,
        };
        assert_eq!(twice, Err(expected));
    }
}
