//! Two-sided bounds l ≤ z ≤ u.

use super::ProblemError;

/// Bounds l ≤ z ≤ u, each possibly infinite; l = -∞ and u = +∞ make row i an equation, l = u fixes z.
///
/// # Examples
/// ```
/// use signorini_complementarity::Bounds;
/// let bounds = Bounds::new(vec![0.0, f64::NEG_INFINITY], vec![f64::INFINITY; 2])?;
/// assert!(bounds.is_free(1));
/// assert_eq!(bounds.project(0, -3.0), 0.0);
/// # Ok::<(), signorini_complementarity::ProblemError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Bounds {
    lower: Vec<f64>,
    upper: Vec<f64>,
}

impl Bounds {
    /// Bounds from their two vectors.
    ///
    /// # Errors
    /// [`ProblemError::Length`] if they differ in length, [`ProblemError::Bounds`] where l > u, a bound is NaN,
    /// l = +∞ or u = -∞.
    pub fn new(lower: Vec<f64>, upper: Vec<f64>) -> Result<Self, ProblemError> {
        if lower.len() != upper.len() {
            return Err(ProblemError::Length {
                what: "upper",
                found: upper.len(),
                expected: lower.len(),
            });
        }
        for (row, (&l, &u)) in lower.iter().zip(&upper).enumerate() {
            // NaN fails the comparison as well.
            let ordered = l <= u;
            if !ordered || l == f64::INFINITY || u == f64::NEG_INFINITY {
                return Err(ProblemError::Bounds {
                    row,
                    lower: l,
                    upper: u,
                });
            }
        }
        Ok(Self { lower, upper })
    }

    /// z ≥ 0 for n variables.
    pub fn nonnegative(n: usize) -> Self {
        Self {
            lower: vec![0.0; n],
            upper: vec![f64::INFINITY; n],
        }
    }

    /// Number of variables.
    pub fn len(&self) -> usize {
        self.lower.len()
    }

    /// Whether there are no variables.
    pub fn is_empty(&self) -> bool {
        self.lower.is_empty()
    }

    /// Lower bounds.
    pub fn lower(&self) -> &[f64] {
        &self.lower
    }

    /// Upper bounds.
    pub fn upper(&self) -> &[f64] {
        &self.upper
    }

    /// Whether variable i has no bound: its row is an equation.
    ///
    /// # Panics
    /// If i is out of range.
    pub fn is_free(&self, i: usize) -> bool {
        self.lower[i] == f64::NEG_INFINITY && self.upper[i] == f64::INFINITY
    }

    /// mid(l, x, u), the projection of x on the interval of variable i.
    ///
    /// # Panics
    /// If i is out of range.
    pub fn project(&self, i: usize, x: f64) -> f64 {
        x.max(self.lower[i]).min(self.upper[i])
    }
}
