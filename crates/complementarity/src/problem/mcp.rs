//! The nonlinear mixed complementarity problem.

use std::borrow::Cow;

use sprs::CsMat;
use thiserror::Error;

use super::{Assembler, Bounds, LinearMcp};

/// F is not defined, or not finite, in this row at the point at hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("F or its Jacobian is not defined in row {row} at this point")]
pub struct DomainError {
    /// Index of the row.
    pub row: usize,
}

/// MCP: find l ≤ z ≤ u with F_i(z) ≥ 0 where z_i = l_i, F_i(z) ≤ 0 where z_i = u_i, F_i(z) = 0 between.
///
/// A row with l = -∞, u = ∞ is an equation; l = u fixes z and leaves F_i free.
///
/// # Examples
/// ```
/// use signorini_complementarity::{Assembler, Bounds, DomainError, Mcp, Path, Solver, Start, Status};
/// /// z ≥ 0 ⟂ z² − 2 ≥ 0.
/// #[derive(Debug)]
/// struct Root(Bounds);
/// impl Mcp for Root {
///     fn len(&self) -> usize {
///         1
///     }
///     fn bounds(&self) -> &Bounds {
///         &self.0
///     }
///     fn evaluate(&self, z: &[f64], f: &mut [f64], jacobian: Option<&mut Assembler>) -> Result<(), DomainError> {
///         f[0] = z[0] * z[0] - 2.0;
///         if let Some(jacobian) = jacobian {
///             jacobian.push(0, 0, 2.0 * z[0]);
///         }
///         Ok(())
///     }
/// }
/// let root = Root(Bounds::nonnegative(1));
/// let solution = Path::default().solve(&root, Start::Point(&[1.0]));
/// assert_eq!(solution.status, Status::Solved);
/// assert!((solution.z[0] - 2.0_f64.sqrt()).abs() < 1e-6);
/// ```
pub trait Mcp {
    /// Number of variables, and of rows of F.
    fn len(&self) -> usize;

    /// Whether there are no variables.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// l and u, of length n; the same at every call.
    fn bounds(&self) -> &Bounds;

    /// Writes F(z) into `f`, of length n, and pushes ∂F/∂z if it is asked for: the same sequence of (row, column) at
    /// every point, structural zeros included. Solvers ask only for points within the bounds, of which
    /// [`Path`](crate::Path) takes those beyond its setting `infinity`, 1e20, for none.
    ///
    /// # Errors
    /// [`DomainError`] where F is not defined. Values that are not finite count as such.
    fn evaluate(
        &self,
        z: &[f64],
        f: &mut [f64],
        jacobian: Option<&mut Assembler>,
    ) -> Result<(), DomainError>;

    /// Whether F_row is affine: its part of the Jacobian is the same everywhere. [`Path`](crate::Path) decides variables
    /// that stand alone in such a row first. False if unknown.
    fn is_affine(&self, row: usize) -> bool {
        let _ = row;
        false
    }

    /// Name of variable and row `index`, for messages.
    fn name(&self, index: usize) -> Cow<'_, str> {
        Cow::Owned(format!("z[{index}]"))
    }
}

impl Mcp for LinearMcp {
    fn len(&self) -> usize {
        self.q().len()
    }

    fn bounds(&self) -> &Bounds {
        LinearMcp::bounds(self)
    }

    fn evaluate(
        &self,
        z: &[f64],
        f: &mut [f64],
        mut jacobian: Option<&mut Assembler>,
    ) -> Result<(), DomainError> {
        f.copy_from_slice(self.q());
        for (&m, (i, j)) in self.m() {
            f[i] += m * z[j];
            if let Some(jacobian) = jacobian.as_deref_mut() {
                jacobian.push(i, j, m);
            }
        }
        Ok(())
    }

    fn is_affine(&self, _: usize) -> bool {
        true
    }
}

/// F(z) into `f`, and ∂F/∂z into `jacobian` if there is one, with every number looked at.
pub(crate) fn evaluate_finite(
    problem: &dyn Mcp,
    z: &[f64],
    f: &mut [f64],
    jacobian: Option<&mut Assembler>,
) -> Result<(), DomainError> {
    let Some(jacobian) = jacobian else {
        problem.evaluate(z, f, None)?;
        return first_bad(f);
    };
    jacobian.begin();
    problem.evaluate(z, f, Some(jacobian))?;
    first_bad(f)?;
    match jacobian.matrix().iter().find(|(m, _)| !m.is_finite()) {
        Some((_, (row, _))) => Err(DomainError { row }),
        None => Ok(()),
    }
}

fn first_bad(f: &[f64]) -> Result<(), DomainError> {
    match f.iter().position(|f| !f.is_finite()) {
        Some(row) => Err(DomainError { row }),
        None => Ok(()),
    }
}

/// Largest natural residual |z_i − mid(l_i, z_i − F_i, u_i)| of a point within the bounds, where F = `f`.
///
/// # Panics
/// If `z` or `f` has the wrong length.
pub(crate) fn residual_of(bounds: &Bounds, z: &[f64], f: &[f64]) -> f64 {
    let row = |i| row_residual(bounds, i, z[i], f[i]);
    assert_eq!((z.len(), f.len()), (bounds.len(), bounds.len()));
    (0..z.len()).map(row).fold(0.0, f64::max)
}

/// |z_i − mid(l_i, z_i − F_i, u_i)|, without the rounding of z − F where z is large; ∞ if a number is not finite.
pub(crate) fn row_residual(bounds: &Bounds, i: usize, z: f64, f: f64) -> f64 {
    if !(z.is_finite() && f.is_finite()) {
        return f64::INFINITY;
    }
    f.max(z - bounds.upper()[i])
        .min(z - bounds.lower()[i])
        .abs()
}

/// The natural residual max |z_i − mid(l_i, z_i − F_i(z), u_i)| of a nonlinear problem, not scaled.
///
/// # Errors
/// [`DomainError`] if F is not defined or not finite at z.
///
/// # Panics
/// If z has the wrong length.
///
/// # Examples
/// ```
/// use signorini_complementarity::{Bounds, LinearMcp, mcp_residual};
/// let mcp = LinearMcp::from_dense(&[[2.0]], vec![-1.0], Bounds::nonnegative(1))?;
/// assert_eq!(mcp_residual(&mcp, &[0.25]), Ok(0.5)); // |min(0.25, -0.5)|
/// # Ok::<(), signorini_complementarity::ProblemError>(())
/// ```
pub fn mcp_residual(problem: &dyn Mcp, z: &[f64]) -> Result<f64, DomainError> {
    assert_eq!(z.len(), problem.len(), "one entry per variable");
    let mut f = vec![0.0; z.len()];
    evaluate_finite(problem, z, &mut f, None)?;
    Ok(residual_of(problem.bounds(), z, &f))
}

/// The Jacobian ∂F/∂z at z, by columns.
///
/// # Errors
/// [`DomainError`] if F or an entry is not defined or not finite at z.
///
/// # Panics
/// If z has the wrong length.
///
/// # Examples
/// ```
/// use signorini_complementarity::{Bounds, LinearMcp, mcp_jacobian};
/// let mcp = LinearMcp::from_dense(&[[2.0]], vec![-1.0], Bounds::nonnegative(1))?;
/// assert_eq!(mcp_jacobian(&mcp, &[7.0]).expect("defined everywhere").get(0, 0), Some(&2.0));
/// # Ok::<(), signorini_complementarity::ProblemError>(())
/// ```
pub fn mcp_jacobian(problem: &dyn Mcp, z: &[f64]) -> Result<CsMat<f64>, DomainError> {
    assert_eq!(z.len(), problem.len(), "one entry per variable");
    let mut assembler = Assembler::new(z.len());
    evaluate_finite(problem, z, &mut vec![0.0; z.len()], Some(&mut assembler))?;
    Ok(assembler.matrix().clone())
}
