//! Support functions from the definitions of the bodies: h(m) = max { m·x } and a point where it is attained.

use crate::pairs::Recipe;
use nalgebra::SVector;

/// A point of the body that is furthest along m, in body axes, m; not a number for a half-space.
///
/// # Panics
/// If a polygon has no corners.
pub fn support<const D: usize>(recipe: &Recipe<D>, m: &SVector<f64, D>) -> SVector<f64, D> {
    let last = D - 1;
    let along = |height: f64| {
        let mut x = SVector::zeros();
        x[last] = height;
        x
    };
    // The point of the rim of a disc of this radius, across the last axis; its centre if m has no direction there.
    let rim = |radius: f64| {
        let mut across = *m;
        across[last] = 0.0;
        let length = norm(&across);
        if length > 0.0 {
            across * (radius / length)
        } else {
            SVector::zeros()
        }
    };
    match recipe {
        Recipe::HalfSpace => SVector::from_element(f64::NAN),
        Recipe::Ball { radius } => m * (radius / norm(m)),
        Recipe::Capsule {
            half_length,
            radius,
        } => {
            let mut x = m * (radius / norm(m));
            x[0] += half_length.copysign(m[0]);
            x
        }
        Recipe::Ellipsoid { semi_axes } => {
            let stretched = semi_axes.component_mul(m);
            semi_axes.component_mul(&stretched) / norm(&stretched)
        }
        Recipe::Superquadric {
            semi_axes,
            exponents,
        } => dual_point(semi_axes, *exponents, m),
        Recipe::Cylinder {
            radius,
            half_length,
        } => rim(*radius) + along(half_length.copysign(m[last])),
        Recipe::Cone {
            radius,
            height,
            base,
        } => {
            let (foot, apex) = (rim(*radius) + along(*base), along(base + height));
            if m.dot(&foot) > m.dot(&apex) {
                foot
            } else {
                apex
            }
        }
        Recipe::HalfBall { radius } => {
            if m[last] > 0.0 {
                rim(*radius)
            } else {
                m * (radius / norm(m))
            }
        }
        Recipe::Lens { radius, offset } => {
            // The upper side belongs to the ball whose centre is below.
            let sphere = m * (radius / norm(m)) - along(offset.copysign(m[last]));
            if sphere[last] * m[last] > 0.0 {
                sphere
            } else {
                rim((radius - offset).sqrt() * (radius + offset).sqrt())
            }
        }
        Recipe::Box { half } => half.zip_map(m, f64::copysign),
        Recipe::Polygon { vertices } => {
            let order = |x: &&SVector<f64, D>, y: &&SVector<f64, D>| m.dot(x).total_cmp(&m.dot(y));
            *vertices
                .iter()
                .max_by(order)
                .expect("a polygon has corners")
        }
        Recipe::Intersection { of } => support(of, m),
        Recipe::Rounded { core, radius } => support(core, m) + m * (radius / norm(m)),
    }
}

/// |x| without overflow of its squares.
fn norm<const D: usize>(x: &SVector<f64, D>) -> f64 {
    let largest = x.amax();
    if largest > 0.0 {
        largest * (x / largest).norm()
    } else {
        0.0
    }
}

/// The equality case of Hölder's inequality for the nested norm: with the conjugate exponents p' and q' the dual norm of
/// y = a m is ((Σ|yᵢ|^p')^(q'/p') + |y_last|^q')^(1/q'), and its gradient is the point.
fn dual_point<const D: usize>(
    semi_axes: &SVector<f64, D>,
    [p, q]: [f64; 2],
    m: &SVector<f64, D>,
) -> SVector<f64, D> {
    let (p, q) = (p / (p - 1.0), q / (q - 1.0));
    let last = D - 1;
    let mut y = semi_axes.component_mul(m);
    y /= y.amax();
    let power = |x: f64, exponent: f64| x.abs().powf(exponent);
    let head = (0..last).map(|i| power(y[i], p)).sum::<f64>().powf(1.0 / p);
    let whole = (power(head, q) + power(y[last], q)).powf(1.0 / q);
    SVector::from_fn(|i, _| {
        let slope = if i == last {
            power(y[i] / whole, q - 1.0)
        } else if head > 0.0 {
            power(y[i] / head, p - 1.0) * power(head / whole, q - 1.0)
        } else {
            0.0
        };
        semi_axes[i] * slope.copysign(y[i])
    })
}
