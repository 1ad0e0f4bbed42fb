//! The inequalities of the bodies, with their derivatives, from the definitions.

use crate::pairs::Recipe;
use nalgebra::{SMatrix, SVector};

/// Something a point of a body's boundary can lie on.
pub(super) enum Piece<const D: usize> {
    /// n·x ≤ d, n unit.
    Plane(SVector<f64, D>, f64),
    /// |x − c| ≤ r.
    Sphere(SVector<f64, D>, f64),
    /// Σ (xᵢ/eᵢ)² ≤ 1.
    Ellipsoid(SVector<f64, D>),
    /// A superquadric.
    Norm(SVector<f64, D>, [f64; 2]),
    /// Distance from the last axis ≤ r.
    Tube(f64),
    /// Distance from the last axis ≤ (apex − x_last) slope.
    Funnel { apex: f64, slope: f64 },
}

/// Value, gradient and Hessian.
pub(super) type Derivatives<const D: usize> = (f64, SVector<f64, D>, SMatrix<f64, D, D>);

impl<const D: usize> Piece<D> {
    pub(super) fn derivatives(&self, x: &SVector<f64, D>) -> Derivatives<D> {
        match self {
            Self::Plane(normal, offset) => (normal.dot(x) - offset, *normal, SMatrix::zeros()),
            Self::Sphere(centre, radius) => {
                let (_, gradient, hessian) = round(x - centre, *radius, SMatrix::identity());
                // Of a flat lens the centre is far away: the difference of the lengths by that of their squares.
                let away = centre.norm();
                let squares = x.dot(&(x - centre * 2.0)) + (away - radius) * (away + radius);
                (squares / ((x - centre).norm() + radius), gradient, hessian)
            }
            Self::Ellipsoid(semi_axes) => {
                let y = x.component_div(semi_axes);
                let gradient = y.component_div(semi_axes);
                let hessian = SMatrix::from_diagonal(&semi_axes.map(|e| 1.0 / (e * e)));
                // The value as a sum of squares of which one is taken apart: no digit is lost near 1.
                (0.5 * (y.norm() - 1.0) * (y.norm() + 1.0), gradient, hessian)
            }
            Self::Norm(semi_axes, exponents) => nested_norm(semi_axes, *exponents, x),
            Self::Tube(radius) => round(across(x), *radius, across_matrix()),
            Self::Funnel { apex, slope } => {
                let (value, mut gradient, hessian) =
                    round(across(x), (apex - x[D - 1]) * slope, across_matrix());
                gradient[D - 1] = *slope;
                (value, gradient, hessian)
            }
        }
    }
}

/// |x| − r, where x lives in the range of a projector.
fn round<const D: usize>(
    x: SVector<f64, D>,
    radius: f64,
    projector: SMatrix<f64, D, D>,
) -> Derivatives<D> {
    let length = x.norm();
    let outward = x / length;
    let hessian = (projector - outward * outward.transpose()) / length;
    (length - radius, outward, hessian)
}

fn across<const D: usize>(x: &SVector<f64, D>) -> SVector<f64, D> {
    let mut y = *x;
    y[D - 1] = 0.0;
    y
}

fn across_matrix<const D: usize>() -> SMatrix<f64, D, D> {
    let mut matrix = SMatrix::identity();
    matrix[(D - 1, D - 1)] = 0.0;
    matrix
}

/// N(x/a) − 1 for N(y) = (w^q + |y_last|^q)^(1/q), w = (Σ|yᵢ|^p)^(1/p) over the others.
fn nested_norm<const D: usize>(
    semi_axes: &SVector<f64, D>,
    [p, q]: [f64; 2],
    x: &SVector<f64, D>,
) -> Derivatives<D> {
    let last = D - 1;
    let y = x.component_div(semi_axes);
    let size = |i: usize| y[i].abs();
    let head = (0..last)
        .map(|i| size(i).powf(p))
        .sum::<f64>()
        .powf(1.0 / p);
    let whole = (head.powf(q) + size(last).powf(q)).powf(1.0 / q);
    // ∂N/∂w, ∂N/∂|y_last|, ∂w/∂|yᵢ|; second derivatives of a p-norm N: (p − 1)/N ((u/N)^(p−2) δ − slopes product).
    let slope = |part: f64, of: f64, r: f64| {
        if of > 0.0 {
            (part / of).powf(r - 1.0)
        } else {
            0.0
        }
    };
    let (by_head, by_last) = (slope(head, whole, q), slope(size(last), whole, q));
    let bend = |part: f64, of: f64, r: f64, squared: f64| {
        (r - 1.0) / of * ((part / of).powf(r - 2.0) - squared)
    };
    let own: SVector<f64, D> = SVector::from_fn(|i, _| {
        let value = if i == last {
            1.0
        } else {
            slope(size(i), head, p)
        };
        value.copysign(y[i])
    });
    let by = |i: usize| if i == last { by_last } else { by_head };
    let gradient = SVector::from_fn(|i, _| by(i) * own[i] / semi_axes[i]);
    let hessian = SMatrix::from_fn(|i, j| {
        let outer = if (i == last) == (j == last) {
            let part = if i == last { size(last) } else { head };
            bend(part, whole, q, by(i) * by(i))
        } else {
            -(q - 1.0) / whole * by_head * by_last
        };
        let inner = if i == last || j == last || head <= 0.0 {
            0.0
        } else if i == j {
            bend(size(i), head, p, own[i] * own[i])
        } else {
            -(p - 1.0) / head * own[i] * own[j]
        };
        (outer * own[i] * own[j] + by_head * inner) / (semi_axes[i] * semi_axes[j])
    });
    (whole - 1.0, gradient, hessian)
}

/// The inequalities of a body that is not a ball, a capsule or rounded.
pub(super) fn pieces<const D: usize>(recipe: &Recipe<D>) -> Vec<Piece<D>> {
    let axis = |i: usize, sign: f64| {
        let mut n = SVector::zeros();
        n[i] = sign;
        n
    };
    let (last, up, down) = (D - 1, axis(D - 1, 1.0), axis(D - 1, -1.0));
    match recipe {
        Recipe::HalfSpace => vec![Piece::Plane(up, 0.0)],
        Recipe::Ellipsoid { semi_axes } => vec![Piece::Ellipsoid(*semi_axes)],
        Recipe::Superquadric {
            semi_axes,
            exponents,
        } => vec![Piece::Norm(*semi_axes, *exponents)],
        Recipe::Cylinder {
            radius,
            half_length,
        } => vec![
            Piece::Tube(*radius),
            Piece::Plane(up, *half_length),
            Piece::Plane(down, *half_length),
        ],
        Recipe::Cone {
            radius,
            height,
            base,
        } => vec![
            Piece::Funnel {
                apex: base + height,
                slope: radius / height,
            },
            Piece::Plane(down, -base),
        ],
        Recipe::HalfBall { radius } => vec![
            Piece::Sphere(SVector::zeros(), *radius),
            Piece::Plane(up, 0.0),
        ],
        Recipe::Lens { radius, offset } => vec![
            Piece::Sphere(up * *offset, *radius),
            Piece::Sphere(down * *offset, *radius),
        ],
        Recipe::Box { half } => (0..=last)
            .flat_map(|i| [1.0, -1.0].map(|sign| Piece::Plane(axis(i, sign), half[i])))
            .collect(),
        Recipe::Polygon { vertices } => {
            let count = vertices.len();
            let side = |i: usize| {
                let (x, y) = (&vertices[i], &vertices[(i + 1) % count]);
                let along = y - x;
                let mut normal = SVector::<f64, D>::zeros();
                (normal[0], normal[1]) = (along[1], -along[0]);
                normal /= along.norm();
                Piece::Plane(normal, normal.dot(x))
            };
            (0..count).map(side).collect()
        }
        Recipe::Intersection { of } => pieces(of),
        Recipe::Ball { .. } | Recipe::Capsule { .. } | Recipe::Rounded { .. } => Vec::new(),
    }
}
