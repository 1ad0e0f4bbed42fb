//! Surfaces whose derivatives come from automatic differentiation.
//!
//! # Method
//! The function is written once for any number; second-order dual numbers (num-dual) carry its gradient and Hessian
//! along, exact to rounding. That costs a few times what hand-written derivatives do.
//!
//! # References
//! - P. Rehner, G. Bauer, Application of generalized (hyper-) dual numbers in equation of state modeling, Frontiers in
//!   Chemical Engineering 3 (2021) 758090, doi 10.3389/fceng.2021.758090.

use std::fmt::Debug;

use nalgebra::{SMatrix, SVector};
use num_dual::hessian;

pub use num_dual::DualNum;

use crate::{Jet, Surface};

/// A function of a point that is written for any kind of number.
pub trait Formula<const D: usize>: Debug + Send + Sync {
    /// f(x), at most zero on the solid side.
    fn value<T: DualNum<Primitive = f64>>(&self, x: &[T; D]) -> T;
}

/// The [`Surface`] of a [`Formula`], with derivatives by dual numbers.
///
/// # Examples
/// ```
/// use nalgebra::{Matrix2, Vector2};
/// use signorini_geometry::{Differentiated, DualNum, Formula, Surface};
///
/// /// x⁴ + y² = 1
/// #[derive(Debug)]
/// struct Oval;
///
/// impl Formula<2> for Oval {
///     fn value<T: DualNum<Primitive = f64>>(&self, [x, y]: &[T; 2]) -> T {
///         x.powi(4) + y.powi(2) - 1.0
///     }
/// }
///
/// let jet = Differentiated(Oval).jet(&Vector2::new(2.0, 3.0));
/// assert_eq!((jet.value, jet.gradient), (24.0, Vector2::new(32.0, 6.0)));
/// assert_eq!(jet.hessian, Matrix2::new(48.0, 0.0, 0.0, 2.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Differentiated<F>(pub F);

impl<F: Formula<D>, const D: usize> Surface<D> for Differentiated<F> {
    fn value(&self, x: &SVector<f64, D>) -> f64 {
        self.0.value(&x.data.0[0])
    }

    fn gradient(&self, x: &SVector<f64, D>) -> SVector<f64, D> {
        self.jet(x).gradient
    }

    fn hessian(&self, x: &SVector<f64, D>) -> SMatrix<f64, D, D> {
        self.jet(x).hessian
    }

    fn jet(&self, x: &SVector<f64, D>) -> Jet<D> {
        let (value, gradient, hessian) = hessian(|x| self.0.value(&x.data.0[0]), x);
        Jet {
            value,
            gradient,
            hessian,
        }
    }
}
