//! How a solution moves with the data of its problem.
//!
//! ```math
//! dz_F = -M_{FF}^{-1} (dM_{F\cdot}\, z + dq_F), \qquad dz_N = 0, \qquad
//! dz_F = -\Bigl(\frac{\partial F_F}{\partial z_F}\Bigr)^{-1} \frac{\partial F_F}{\partial p}\, dp
//! ```
//!
//! # Method
//! At a solution where every index is strictly on one side, F (l < z < u and F = 0) does not change with small changes
//! of the data. One factorisation of M_FF serves all directions; its transpose gives gradients of a function of z. A
//! nonlinear problem is its linearisation here: M = ∂F/∂z and q = F − M z, and a parameter p changes q by ∂F/∂p at fixed z.
//!
//! # Guarantees and limits
//! Exact where it is defined. Where an index is biactive (at a bound with F = 0), z is only directionally
//! differentiable; where M_FF is singular, z is not unique: both are errors, which name the indices. Dense.
//!
//! # References
//! - \[CPS1992\] R. W. Cottle, J.-S. Pang, R. E. Stone, The Linear Complementarity Problem, 1992, section 7.4.

use sprs::CsMat;
use thiserror::Error;

use crate::dense::{Balance, DenseFactor, DenseProblem, dependent_columns};
use crate::residual::LinearView;
use crate::{LinearMcp, Mcp, Solution, Status, mcp_jacobian};

/// Why a solution has no derivative.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SensitivityError {
    /// The point is no solution.
    #[error("a point that is no solution has no sensitivity; its status is: {status}")]
    NotSolved {
        /// Its status.
        status: Status,
    },
    /// Variables at a bound whose F is zero: a small change of the data moves them one way or the other.
    #[error("z is only directionally differentiable: variables {rows:?} are at a bound with F = 0")]
    Biactive {
        /// Their indices, in order.
        rows: Vec<usize>,
    },
    /// F or its Jacobian is not defined, or too large to be told from infinity, at the solution.
    #[error("F or its Jacobian is not defined in row {row} at the solution")]
    Domain {
        /// Index of the row.
        row: usize,
    },
    /// The rows that hold with equality do not fix z: the columns of these variables depend on those before them.
    #[error("z is not unique: the columns of variables {rows:?} depend on the others")]
    NotUnique {
        /// Their indices, in order.
        rows: Vec<usize>,
    },
}

/// What counts as zero in [`Sensitivity::new`].
///
/// # Examples
/// ```
/// use signorini_complementarity::SensitivitySettings;
/// assert_eq!(SensitivitySettings::default().strictness, 1e-8);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SensitivitySettings {
    /// z_i is inside its bounds if it is farther from them than this times the largest |z|, and F_i is not zero if it
    /// is > this times Σ|M_ij z_j| + |q_i|; scaled data. Default 1e-8, well above the tolerance of a solution.
    pub strictness: f64,
    /// M_FF is singular if its smallest LU pivot is ≤ this times the largest. Default 1e-13.
    pub singular_tolerance: f64,
}

impl Default for SensitivitySettings {
    fn default() -> Self {
        Self {
            strictness: 1e-8,
            singular_tolerance: 1e-13,
        }
    }
}

/// The derivative of a solution z with respect to q and M, as a factorisation.
///
/// dz_F = −M_FF⁻¹ (dM z + dq)_F for the variables F inside of their bounds, dz = 0 for the others. Exact where every
/// index is strictly on one side and M_FF is regular. Where an index is biactive, at a bound with F = 0, z moves one way
/// or the other and has no derivative: [`SensitivityError::Biactive`] names these indices, and no one-sided derivative
/// is given in its place. Memory n².
///
/// # Examples
/// ```
/// use signorini_complementarity::{Lcp, sensitivity, solve};
/// let lcp = Lcp::from_dense(&[[2.0, 1.0], [1.0, 2.0]], vec![-5.0, -6.0])?;
/// let derivative = sensitivity(&lcp, &solve(&lcp).solution).expect("both indices are strictly inside");
/// // dz = −M⁻¹ dq, and M⁻¹ = [2 −1; −1 2] / 3.
/// let dz = derivative.along_q(&[3.0, 0.0]);
/// assert!((dz[0] + 2.0).abs() < 1e-14 && (dz[1] - 1.0).abs() < 1e-14);
/// # Ok::<(), signorini_complementarity::ProblemError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Sensitivity {
    z: Vec<f64>,
    inner: Vec<usize>,
    factor: DenseFactor,
    /// Scaling of the rows and columns of F.
    row: Vec<f64>,
    col: Vec<f64>,
}

/// The derivative of a scalar function g(z) with respect to the data.
///
/// Example: see [`Sensitivity::gradient`].
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Gradient {
    /// ∂g/∂q_i, length n; for a nonlinear problem the change of g with F_i at fixed z.
    pub q: Vec<f64>,
    /// z, length n: ∂g/∂M_ij = q_i z_j, a matrix of rank one.
    pub z: Vec<f64>,
}

/// The derivative of a solution with respect to its data, with the default settings.
///
/// # Errors
/// [`SensitivityError`] where it is not defined: at a point that is no solution, with biactive indices, or where z is not
/// unique.
///
/// # Panics
/// If the solution has another length than the problem.
///
/// # Examples
/// ```
/// use signorini_complementarity::{Lcp, SensitivityError, sensitivity, solve};
/// let lcp = Lcp::from_dense(&[[2.0, 0.0], [0.0, 1.0]], vec![-1.0, 0.0])?;
/// let error = sensitivity(&lcp, &solve(&lcp).solution).unwrap_err();
/// assert_eq!(error, SensitivityError::Biactive { rows: vec![1] });
/// # Ok::<(), signorini_complementarity::ProblemError>(())
/// ```
#[track_caller]
pub fn sensitivity<'a>(
    problem: impl Into<LinearView<'a>>,
    solution: &Solution,
) -> Result<Sensitivity, SensitivityError> {
    Sensitivity::new(problem, solution, &SensitivitySettings::default())
}

/// The derivative of a solution of a nonlinear problem with respect to its parameters, with the default settings.
///
/// A parameter p enters through ∂F/∂p at fixed z: [`Sensitivity::along`] turns it into dz/dp, and
/// [`Sensitivity::gradient`] gives Σ_i q_i ∂F_i/∂p for the gradient of a function of z by p.
///
/// # Errors
/// [`SensitivityError`] where it is not defined: at a point that is no solution, with biactive indices, or where z is not
/// unique.
///
/// # Panics
/// If the solution has another length than the problem.
///
/// # Examples
/// ```
/// use signorini_complementarity::*;
/// /// z² = p with p = 4: z = 2, dz/dp = 1/4.
/// struct Root(Bounds);
/// impl Mcp for Root {
///     fn len(&self) -> usize {
///         1
///     }
///     fn bounds(&self) -> &Bounds {
///         &self.0
///     }
///     fn evaluate(&self, z: &[f64], f: &mut [f64], jacobian: Option<&mut Assembler>) -> Result<(), DomainError> {
///         f[0] = z[0] * z[0] - 4.0;
///         if let Some(jacobian) = jacobian {
///             jacobian.push(0, 0, 2.0 * z[0]);
///         }
///         Ok(())
///     }
/// }
/// let root = Root(Bounds::nonnegative(1));
/// let solution = SemismoothNewton::default().solve(&root, Start::Point(&[1.0]));
/// let derivative = sensitivity_at(&root, &solution)?;
/// // ∂F/∂p = −1.
/// assert!((derivative.along(&[-1.0])[0] - 0.25).abs() < 1e-9);
/// # Ok::<(), SensitivityError>(())
/// ```
#[track_caller]
pub fn sensitivity_at(
    problem: &dyn Mcp,
    solution: &Solution,
) -> Result<Sensitivity, SensitivityError> {
    Sensitivity::at(problem, solution, &SensitivitySettings::default())
}

impl Sensitivity {
    /// Linearises a nonlinear problem at `solution`, finds the active set and factorises it.
    ///
    /// # Errors
    /// [`SensitivityError`] where the derivative is not defined.
    ///
    /// # Panics
    /// If the solution has another length than the problem.
    #[track_caller]
    pub fn at(
        problem: &dyn Mcp,
        solution: &Solution,
        settings: &SensitivitySettings,
    ) -> Result<Self, SensitivityError> {
        let z = &solution.z;
        assert_eq!(
            z.len(),
            problem.len(),
            "the solution must have one entry per variable"
        );
        if !solution.status.is_solved() {
            return Err(SensitivityError::NotSolved {
                status: solution.status,
            });
        }
        let domain = |row| SensitivityError::Domain { row };
        let m = mcp_jacobian(problem, z).map_err(|error| domain(error.row))?;
        let mut q = vec![0.0; z.len()];
        problem
            .evaluate(z, &mut q, None)
            .map_err(|error| domain(error.row))?;
        for (&m, (i, j)) in &m {
            q[i] -= m * z[j];
        }
        if let Some(row) = q.iter().position(|q| !q.is_finite()) {
            return Err(domain(row));
        }
        let linear = LinearMcp::new(m, q, problem.bounds().clone());
        let linear = linear.expect("shapes agree and all numbers are finite");
        Self::new(&linear, solution, settings)
    }

    /// Finds the active set of `solution` and factorises it.
    ///
    /// # Errors
    /// [`SensitivityError`] where the derivative is not defined.
    ///
    /// # Panics
    /// If the solution has another length than the problem.
    #[track_caller]
    pub fn new<'a>(
        problem: impl Into<LinearView<'a>>,
        solution: &Solution,
        settings: &SensitivitySettings,
    ) -> Result<Self, SensitivityError> {
        let view = problem.into();
        assert_eq!(
            solution.z.len(),
            view.len(),
            "the solution must have one entry per variable"
        );
        if !solution.status.is_solved() {
            return Err(SensitivityError::NotSolved {
                status: solution.status,
            });
        }
        let mut problem = DenseProblem::default();
        problem.load(&view, Balance::Rows);
        let inner = strictly_inside(&problem, &solution.z, settings.strictness)?;
        let mut factor = DenseFactor::default();
        let k = inner.len();
        problem.gather(&inner, factor.entries(k));
        if !factor.lu(settings.singular_tolerance) {
            problem.gather(&inner, factor.entries(k));
            let tolerance = settings.singular_tolerance;
            let dependent = dependent_columns(k, factor.entries(k), tolerance);
            return Err(SensitivityError::NotUnique {
                rows: dependent.iter().map(|&d| inner[d]).collect(),
            });
        }
        Ok(Self {
            z: solution.z.clone(),
            row: inner.iter().map(|&i| problem.row[i]).collect(),
            col: inner.iter().map(|&i| problem.col[i]).collect(),
            inner,
            factor,
        })
    }

    /// F: the variables that move, in order. All others stay at their bounds.
    pub fn moving(&self) -> &[usize] {
        &self.inner
    }

    /// dz for a change dq of q; both of length n.
    ///
    /// # Panics
    /// If dq has another length.
    #[track_caller]
    pub fn along_q(&self, dq: &[f64]) -> Vec<f64> {
        self.along(dq)
    }

    /// dz for a change dF of F at fixed z, such as ∂F/∂p dp for a parameter p; both of length n.
    ///
    /// # Panics
    /// If dF has another length.
    #[track_caller]
    pub fn along(&self, df: &[f64]) -> Vec<f64> {
        assert_eq!(df.len(), self.z.len(), "one entry per variable");
        let scaled = self.inner.iter().zip(&self.row).map(|(&i, r)| -r * df[i]);
        let mut step: Vec<f64> = scaled.collect();
        self.factor.solve(&mut step);
        self.spread(&step, &self.col)
    }

    /// dz for a change dM of M, (n, n); for linear problems.
    ///
    /// # Panics
    /// If dM has another shape.
    #[track_caller]
    pub fn along_m(&self, dm: &CsMat<f64>) -> Vec<f64> {
        let n = self.z.len();
        assert_eq!(dm.shape(), (n, n), "dM must have the shape of M");
        let mut product = vec![0.0; n];
        for (&m, (i, j)) in dm {
            product[i] += m * self.z[j];
        }
        self.along_q(&product)
    }

    /// dz/dq, (n, n) by rows: row i holds ∂z_i/∂q_j, for a nonlinear problem ∂z_i for a change of F_j by one.
    pub fn matrix(&self) -> Vec<f64> {
        let n = self.z.len();
        let (mut matrix, mut unit) = (vec![0.0; n * n], vec![0.0; n]);
        for &j in &self.inner {
            unit[j] = 1.0;
            for (row, dz) in matrix.chunks_exact_mut(n).zip(self.along_q(&unit)) {
                row[j] = dz;
            }
            unit[j] = 0.0;
        }
        matrix
    }

    /// The gradient of a function of z with ∂g/∂z = `g`, by one solve with the transpose.
    ///
    /// # Panics
    /// If g has another length.
    ///
    /// # Examples
    /// ```
    /// use signorini_complementarity::{Lcp, sensitivity, solve};
    /// // 4 z − 8 = 0: dz/dq = −1/4, dz/dM = −z/4.
    /// let lcp = Lcp::from_dense(&[[4.0]], vec![-8.0])?;
    /// let gradient = sensitivity(&lcp, &solve(&lcp).solution).expect("strict").gradient(&[1.0]);
    /// assert_eq!((gradient.q[0], gradient.q[0] * gradient.z[0]), (-0.25, -0.5));
    /// # Ok::<(), signorini_complementarity::ProblemError>(())
    /// ```
    #[track_caller]
    pub fn gradient(&self, g: &[f64]) -> Gradient {
        assert_eq!(g.len(), self.z.len(), "one entry per variable");
        let scaled = self.inner.iter().zip(&self.col).map(|(&i, c)| -c * g[i]);
        let mut step: Vec<f64> = scaled.collect();
        self.factor.solve_transposed(&mut step);
        Gradient {
            q: self.spread(&step, &self.row),
            z: self.z.clone(),
        }
    }

    /// The entries of F, unscaled, among zeros.
    fn spread(&self, step: &[f64], scale: &[f64]) -> Vec<f64> {
        let mut all = vec![0.0; self.z.len()];
        for ((&i, step), scale) in self.inner.iter().zip(step).zip(scale) {
            all[i] = step * scale;
        }
        all
    }
}

/// F of a solution, if no variable is biactive.
fn strictly_inside(
    problem: &DenseProblem,
    z: &[f64],
    strictness: f64,
) -> Result<Vec<usize>, SensitivityError> {
    let z: Vec<f64> = z.iter().zip(&problem.col).map(|(z, c)| z / c).collect();
    let (mut f, mut size) = (Vec::new(), Vec::new());
    problem.evaluate(&z, &mut f, &mut size);
    let largest = z.iter().fold(0.0_f64, |m, z| m.max(z.abs()));
    let (mut inner, mut biactive) = (Vec::new(), Vec::new());
    for i in 0..z.len() {
        let (l, u) = (problem.lower[i], problem.upper[i]);
        if l >= u {
            continue;
        }
        if (z[i] - l).min(u - z[i]) > strictness * largest {
            inner.push(i);
        } else if f[i].abs() <= strictness * size[i] {
            biactive.push(i);
        }
    }
    if biactive.is_empty() {
        Ok(inner)
    } else {
        Err(SensitivityError::Biactive { rows: biactive })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bounds, LinearMcp};

    #[test]
    fn sides_are_told_from_distances_and_values() {
        let inf = f64::INFINITY;
        let bounds = Bounds::new(vec![-inf, 0.0, 0.0, 1.0], vec![inf, 2.0, 2.0, 1.0]).unwrap();
        let m = [[1.0, 0.0, 0.0, 0.0], [0.0; 4], [0.0; 4], [0.0; 4]];
        let mcp = LinearMcp::from_dense(&m, vec![0.0, -1.0, 0.0, 0.0], bounds).unwrap();
        let mut problem = DenseProblem::default();
        problem.load(&(&mcp).into(), Balance::Rows);
        let at = |z: [f64; 4]| strictly_inside(&problem, &z, 1e-8);
        assert_eq!(at([0.0, 2.0, 1.0, 1.0]), Ok(vec![0, 2]));
        let rows = vec![2];
        assert_eq!(
            at([0.0, 2.0, 2.0, 1.0]),
            Err(SensitivityError::Biactive { rows })
        );
    }
}
