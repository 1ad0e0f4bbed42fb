//! Whether the level sets of a surface curve outwards.

use nalgebra::{SMatrix, SVector};
use thiserror::Error;

use crate::Surface;
use crate::direction::direction;

/// A point at which a surface is not convex.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("the level set through {point:?} curves inwards: its curvature is {curvature}")]
pub struct NotConvexThere {
    /// Where, in body axes, m.
    pub point: Vec<f64>,
    /// Least curvature of the level set, 1/m; NaN if the gradient vanishes or something is not finite.
    pub curvature: f64,
}

/// Checks that the level sets f = const through these points (body axes, m) curve outwards: across the gradient the Hessian
/// has no negative eigenvalue. It says nothing of other points, nor whether derivatives are right, which is what
/// [`check_derivatives`](crate::check_derivatives) is for. A body needs this on f = 0 only: f itself need not be convex.
///
/// Accepted: κ ≥ −1e-9 ‖∇²f‖/‖∇f‖, some digits above rounding.
///
/// # Errors
/// The first point that fails.
///
/// # Examples
/// ```
/// use nalgebra::Vector2;
/// use signorini_geometry::{Superquadric, check_convexity};
/// let body = Superquadric::new(Vector2::new(1.0, 0.5), 3.0)?;
/// check_convexity(&body, &[Vector2::new(0.3, -0.4), Vector2::new(-0.9, 0.1)])?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn check_convexity<const D: usize>(
    surface: &dyn Surface<D>,
    points: &[SVector<f64, D>],
) -> Result<(), NotConvexThere> {
    /// See above.
    const SLACK: f64 = 1e-9;
    for x in points {
        let jet = surface.jet(x);
        let fault = |curvature| NotConvexThere {
            point: x.iter().copied().collect(),
            curvature,
        };
        let (n, slope) = direction(&jet.gradient).ok_or_else(|| fault(f64::NAN))?;
        let across = SMatrix::<f64, D, D>::identity() - n * n.transpose();
        let shape = across * jet.hessian * across / slope;
        let bound = shape.norm();
        let least = least_eigenvalue(&shape, bound);
        let accepted = least >= -SLACK * (bound + jet.hessian.norm() / slope);
        if !accepted {
            return Err(fault(least));
        }
    }
    Ok(())
}

/// The least eigenvalue of a symmetric matrix of order 2 or 3 that has a zero one, in closed form.
fn least_eigenvalue<const D: usize>(a: &SMatrix<f64, D, D>, bound: f64) -> f64 {
    if bound == 0.0 || !bound.is_finite() {
        return if bound == 0.0 { 0.0 } else { f64::NAN };
    }
    let trace = a.trace();
    // One eigenvalue is zero (along the normal): the other two have this sum and this sum of squares.
    let squares = a.norm_squared();
    let root = (2.0 * squares - trace * trace).max(0.0).sqrt();
    if D == 2 {
        trace.min(0.0)
    } else {
        (0.5 * (trace - root)).min(0.0)
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{Matrix3, Vector3};

    use super::*;

    /// x² + y² − a z²
    #[derive(Debug)]
    struct Quadric(f64);

    impl Surface<3> for Quadric {
        fn value(&self, x: &Vector3<f64>) -> f64 {
            x.x * x.x + x.y * x.y - self.0 * x.z * x.z - 1.0
        }

        fn gradient(&self, x: &Vector3<f64>) -> Vector3<f64> {
            Vector3::new(2.0 * x.x, 2.0 * x.y, -2.0 * self.0 * x.z)
        }

        fn hessian(&self, _: &Vector3<f64>) -> Matrix3<f64> {
            Matrix3::from_diagonal(&Vector3::new(2.0, 2.0, -2.0 * self.0))
        }
    }

    #[test]
    fn a_saddle_is_found() {
        let waist = [Vector3::new(0.6, 0.8, 0.0)];
        assert_eq!(check_convexity(&Quadric(-0.5), &waist), Ok(()));
        assert_eq!(check_convexity(&Quadric(0.0), &waist), Ok(()));
        let saddle = check_convexity(&Quadric(0.5), &waist).unwrap_err();
        assert!((saddle.curvature + 0.5).abs() < 1e-15);
        let nowhere = check_convexity(&Quadric(0.0), &[Vector3::zeros()]).unwrap_err();
        assert!(nowhere.curvature.is_nan());
    }
}
