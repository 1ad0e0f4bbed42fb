//! Surfaces given by a function, with first and second derivatives.

use std::fmt::Debug;

use nalgebra::{SMatrix, SVector};

/// The boundary f = 0 of a body, as a function of a point in the body's own axes.
///
/// f ≤ 0 on the solid side, so the gradient points outward on the boundary. Only the zero set is the shape: f need not
/// be a distance.
///
/// | name       | shape  | unit        | meaning                    |
/// | ---------- | ------ | ----------- | -------------------------- |
/// | `value`    | scalar | own: F      | f(x)                       |
/// | `gradient` | (D,)   | F/m         | ∂f/∂x                      |
/// | `hessian`  | (D, D) | F/m²        | ∂²f/∂x², symmetric         |
///
/// [`check_derivatives`](crate::check_derivatives) compares the three with each other.
///
/// # Examples
/// ```
/// use nalgebra::{Matrix2, Vector2};
/// use signorini_geometry::Surface;
///
/// /// x²/a² + y²/b² = 1
/// #[derive(Debug)]
/// struct Ellipse(f64, f64);
///
/// impl Surface<2> for Ellipse {
///     fn value(&self, x: &Vector2<f64>) -> f64 {
///         (x[0] / self.0).powi(2) + (x[1] / self.1).powi(2) - 1.0
///     }
///     fn gradient(&self, x: &Vector2<f64>) -> Vector2<f64> {
///         Vector2::new(2.0 * x[0] / self.0.powi(2), 2.0 * x[1] / self.1.powi(2))
///     }
///     fn hessian(&self, _: &Vector2<f64>) -> Matrix2<f64> {
///         Matrix2::new(2.0 / self.0.powi(2), 0.0, 0.0, 2.0 / self.1.powi(2))
///     }
/// }
///
/// let jet = Ellipse(2.0, 1.0).jet(&Vector2::new(2.0, 0.0));
/// assert_eq!((jet.value, jet.gradient[0]), (0.0, 1.0));
/// ```
pub trait Surface<const D: usize>: Debug + Send + Sync {
    /// f(x), at most zero on the solid side.
    fn value(&self, x: &SVector<f64, D>) -> f64;

    /// ∂f/∂x.
    fn gradient(&self, x: &SVector<f64, D>) -> SVector<f64, D>;

    /// ∂²f/∂x².
    fn hessian(&self, x: &SVector<f64, D>) -> SMatrix<f64, D, D>;

    /// All three at once; surfaces whose derivatives share costly parts override it.
    fn jet(&self, x: &SVector<f64, D>) -> Jet<D> {
        Jet {
            value: self.value(x),
            gradient: self.gradient(x),
            hessian: self.hessian(x),
        }
    }
}

/// Value, gradient and Hessian of a [`Surface`] at one point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jet<const D: usize> {
    /// f(x), in the unit of f.
    pub value: f64,
    /// ∂f/∂x.
    pub gradient: SVector<f64, D>,
    /// ∂²f/∂x².
    pub hessian: SMatrix<f64, D, D>,
}
