//! The linear complementarity problem.

use sprs::CsMat;

use super::{ProblemError, check_finite, check_matrix};

/// LCP(q, M): find z with w = M z + q, 0 ≤ z ⟂ w ≥ 0.
///
/// | name | shape  | meaning                                     |
/// | ---- | ------ | ------------------------------------------- |
/// | `m`  | (n, n) | any sparse storage; kept by columns         |
/// | `q`  | (n,)   | constant term                               |
///
/// # Examples
/// ```
/// use signorini_complementarity::Lcp;
/// let lcp = Lcp::from_dense(&[&[2.0, 1.0], &[1.0, 2.0]], vec![-5.0, -6.0])?;
/// assert_eq!(lcp.len(), 2);
/// # Ok::<(), signorini_complementarity::ProblemError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Lcp {
    m: CsMat<f64>,
    q: Vec<f64>,
}

impl Lcp {
    /// An LCP from a sparse matrix in either storage.
    ///
    /// # Errors
    /// [`ProblemError`] if shapes disagree or an entry is not finite.
    pub fn new(m: CsMat<f64>, q: Vec<f64>) -> Result<Self, ProblemError> {
        check_matrix(&m, q.len())?;
        check_finite("q", &q)?;
        Ok(Self {
            m: if m.is_csc() { m } else { m.to_csc() },
            q,
        })
    }

    /// An LCP from the rows of a dense matrix; zeros are not stored.
    ///
    /// # Errors
    /// [`ProblemError`] if shapes disagree or an entry is not finite.
    pub fn from_dense<R: AsRef<[f64]>>(rows: &[R], q: Vec<f64>) -> Result<Self, ProblemError> {
        Self::new(csc_from_rows(rows, q.len())?, q)
    }

    /// The LCP without variables.
    pub(crate) fn empty() -> Self {
        Self {
            m: CsMat::zero((0, 0)).to_csc(),
            q: Vec::new(),
        }
    }

    /// Number of variables.
    pub fn len(&self) -> usize {
        self.q.len()
    }

    /// Whether there are no variables.
    pub fn is_empty(&self) -> bool {
        self.q.is_empty()
    }

    /// M, stored by columns.
    pub fn m(&self) -> &CsMat<f64> {
        &self.m
    }

    /// q.
    pub fn q(&self) -> &[f64] {
        &self.q
    }
}

pub(super) fn csc_from_rows<R: AsRef<[f64]>>(
    rows: &[R],
    n: usize,
) -> Result<CsMat<f64>, ProblemError> {
    if rows.len() != n {
        return Err(ProblemError::Shape {
            rows: rows.len(),
            cols: rows.first().map_or(0, |r| r.as_ref().len()),
            len: n,
        });
    }
    let mut triplets = sprs::TriMat::new((n, n));
    for (i, row) in rows.iter().enumerate() {
        let row = row.as_ref();
        if row.len() != n {
            return Err(ProblemError::Shape {
                rows: n,
                cols: row.len(),
                len: n,
            });
        }
        for (j, &value) in row.iter().enumerate().filter(|(_, x)| **x != 0.0) {
            triplets.add_triplet(i, j, value);
        }
    }
    Ok(triplets.to_csc())
}
