//! Curvature of surfaces and of pairs.

use nalgebra::{SMatrix, SVector};

use crate::Jet;
use crate::direction::{direction, tangents};

/// Shape operator of the surface f = 0 at a point: the outward unit normal m turns by δm = K t while the point moves by t.
///
/// K = P ∇²f P / ‖∇f‖ with P = I − m mᵀ: symmetric, (D, D), 1/m, zero along the normal; the curvatures of a convex body
/// are not negative. `None` where the gradient is zero or not finite.
///
/// Source: Montana (1988), section 2, without surface coordinates.
///
/// # Examples
/// ```
/// use nalgebra::Vector3;
/// use signorini_geometry::{Ball, Surface, shape_operator};
/// let k = shape_operator(&Ball::<3>::new(0.5)?.jet(&Vector3::new(0.0, 0.0, 0.5))).unwrap();
/// assert_eq!((k[(0, 0)], k[(1, 1)], k[(2, 2)]), (2.0, 2.0, 0.0));
/// # Ok::<(), signorini_geometry::ShapeError>(())
/// ```
pub fn shape_operator<const D: usize>(jet: &Jet<D>) -> Option<SMatrix<f64, D, D>> {
    let (normal, slope) = direction(&jet.gradient).filter(|(_, slope)| slope.is_finite())?;
    let across = SMatrix::identity() - normal * normal.transpose();
    Some(across * (jet.hessian / slope) * across)
}

/// Principal curvatures and directions of a surface at a point.
///
/// | name        | shape    | unit | meaning                                                              |
/// | ----------- | -------- | ---- | -------------------------------------------------------------------- |
/// | `normal`    | (D,)     | –    | outward unit normal                                                  |
/// | `curvature` | (D − 1,) | 1/m  | eigenvalues of the shape operator, decreasing; not negative if convex |
/// | `direction` | (D−1, D) | –    | unit tangents that belong to them, orthogonal to each other          |
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PrincipalCurvatures<const D: usize> {
    normal: SVector<f64, D>,
    curvature: [f64; 2],
    direction: [SVector<f64, D>; 2],
}

impl<const D: usize> PrincipalCurvatures<D> {
    /// Outward unit normal.
    pub fn normal(&self) -> &SVector<f64, D> {
        &self.normal
    }

    /// Curvatures, largest first, 1/m: one in the plane, two in space.
    pub fn curvatures(&self) -> &[f64] {
        &self.curvature[..D - 1]
    }

    /// Directions of the curvatures.
    pub fn directions(&self) -> &[SVector<f64, D>] {
        &self.direction[..D - 1]
    }
}

/// Principal curvatures and directions of the surface f = 0 at the point of the jet; `None` where the gradient is zero.
///
/// At an umbilic, where both curvatures agree, the directions are some orthogonal tangents.
///
/// # Examples
/// ```
/// use nalgebra::Vector3;
/// use signorini_geometry::{Ellipsoid, Surface, principal_curvatures};
/// // At the end of the axis c the curvatures are c/a² and c/b².
/// let body = Ellipsoid::new(Vector3::new(2.0, 1.0, 0.5))?;
/// let at = principal_curvatures(&body.jet(&Vector3::new(0.0, 0.0, 0.5))).unwrap();
/// assert_eq!(at.curvatures(), [0.5, 0.125]);
/// assert_eq!(at.directions()[0].y.abs(), 1.0);
/// # Ok::<(), signorini_geometry::ShapeError>(())
/// ```
pub fn principal_curvatures<const D: usize>(jet: &Jet<D>) -> Option<PrincipalCurvatures<D>> {
    let shape = shape_operator(jet)?;
    let (normal, _) = direction(&jet.gradient)?;
    let [first, second] = tangents(&normal);
    if D == 2 {
        return Some(PrincipalCurvatures {
            normal,
            curvature: [first.dot(&(shape * first)), 0.0],
            direction: [first, SVector::zeros()],
        });
    }
    let (a, b, c) = (
        first.dot(&(shape * first)),
        first.dot(&(shape * second)),
        second.dot(&(shape * second)),
    );
    // Jacobi rotation of the 2 × 2 matrix (a b; b c).
    let angle = 0.5 * (2.0 * b).atan2(a - c);
    let (sin, cos) = angle.sin_cos();
    let direction = [first * cos + second * sin, second * cos - first * sin];
    let (mean, spread) = (0.5 * (a + c), (0.5 * (a - c)).hypot(b));
    Some(PrincipalCurvatures {
        normal,
        curvature: [mean + spread, mean - spread],
        direction,
    })
}

/// Relative curvature of two boundaries across a gap g: `K_A` + `K_B` (I + g `K_A`), (D, D), 1/m.
///
/// `shape_a` and `shape_b` are the shape operators of A at a and of B at b, both in the same axes. The closest points
/// are isolated where it is regular across the normal. At touching it is the sum: for two balls 1/`r_A` + 1/`r_B`.
///
/// # Examples
/// ```
/// use nalgebra::Matrix2;
/// use signorini_geometry::relative_curvature;
/// // Discs of radius 1 m and 2 m, 1 m apart: the centre of the one is 2 m from the boundary of the other.
/// let (a, b) = (Matrix2::new(1.0, 0.0, 0.0, 0.0), Matrix2::new(0.5, 0.0, 0.0, 0.0));
/// assert_eq!(relative_curvature(&a, &b, 1.0)[(0, 0)], 2.0);
/// ```
pub fn relative_curvature<const D: usize>(
    shape_a: &SMatrix<f64, D, D>,
    shape_b: &SMatrix<f64, D, D>,
    gap: f64,
) -> SMatrix<f64, D, D> {
    shape_a + shape_b * (SMatrix::identity() + shape_a * gap)
}
