//! The linear mixed complementarity problem with bounds.

use sprs::CsMat;

use super::{Bounds, Lcp, ProblemError, check_finite, check_matrix, lcp::csc_from_rows};

/// LMCP: find l ≤ z ≤ u with F(z) = M z + q, F_i ≥ 0 at the lower bound, F_i ≤ 0 at the upper bound, F_i = 0 between.
///
/// An LCP is the case l = 0, u = ∞; a row with l = -∞, u = ∞ is an equation; l = u fixes z and leaves F_i free.
///
/// # Examples
/// ```
/// use signorini_complementarity::{Bounds, LinearMcp};
/// let bounds = Bounds::new(vec![0.0], vec![1.0])?;
/// let mcp = LinearMcp::from_dense(&[[1.0]], vec![-3.0], bounds)?;
/// assert_eq!(mcp.bounds().upper(), [1.0]);
/// # Ok::<(), signorini_complementarity::ProblemError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct LinearMcp {
    m: CsMat<f64>,
    q: Vec<f64>,
    bounds: Bounds,
}

impl LinearMcp {
    /// An LMCP from a sparse matrix in either storage.
    ///
    /// # Errors
    /// [`ProblemError`] if shapes disagree or an entry of M or q is not finite.
    pub fn new(m: CsMat<f64>, q: Vec<f64>, bounds: Bounds) -> Result<Self, ProblemError> {
        check_matrix(&m, q.len())?;
        check_finite("q", &q)?;
        if bounds.len() != q.len() {
            return Err(ProblemError::Length {
                what: "bounds",
                found: bounds.len(),
                expected: q.len(),
            });
        }
        Ok(Self {
            m: if m.is_csc() { m } else { m.to_csc() },
            q,
            bounds,
        })
    }

    /// An LMCP from the rows of a dense matrix; zeros are not stored.
    ///
    /// # Errors
    /// [`ProblemError`] if shapes disagree or an entry is not finite.
    pub fn from_dense<R: AsRef<[f64]>>(
        rows: &[R],
        q: Vec<f64>,
        bounds: Bounds,
    ) -> Result<Self, ProblemError> {
        Self::new(csc_from_rows(rows, q.len())?, q, bounds)
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

    /// q, for changes that stay finite.
    pub(crate) fn q_mut(&mut self) -> &mut [f64] {
        &mut self.q
    }

    /// l and u.
    pub fn bounds(&self) -> &Bounds {
        &self.bounds
    }
}

impl From<Lcp> for LinearMcp {
    fn from(lcp: Lcp) -> Self {
        let bounds = Bounds::nonnegative(lcp.len());
        Self {
            m: lcp.m().clone(),
            q: lcp.q().to_vec(),
            bounds,
        }
    }
}
