//! Gaps in closed form.

use crate::pairs::{Member, Pair, Recipe};
use nalgebra::SVector;

use super::separation;

/// The gap of a pair with a half-space, or with a ball beside a body whose signed distance is known; `None` for others.
pub fn closed_gap<const D: usize>(pair: &Pair<D>) -> Option<f64> {
    let up = |member: &Member<D>| -> SVector<f64, D> { member.pose.rotation.column(D - 1).into() };
    if pair.a.recipe == Recipe::HalfSpace {
        return Some(separation(pair, &up(&pair.a)));
    }
    if pair.b.recipe == Recipe::HalfSpace {
        return Some(separation(pair, &-up(&pair.b)));
    }
    let of = |ball: &Member<D>, other: &Member<D>| {
        let Recipe::Ball { radius } = ball.recipe else {
            return None;
        };
        let centre = other.pose.inverse_apply(&ball.pose.position);
        Some(signed_distance(&other.recipe, &centre)? - radius)
    };
    of(&pair.a, &pair.b).or_else(|| of(&pair.b, &pair.a))
}

/// Distance of a point in body axes from the boundary, negative inside, m; `None` for bodies without a closed form.
fn signed_distance<const D: usize>(recipe: &Recipe<D>, x: &SVector<f64, D>) -> Option<f64> {
    // Bodies of revolution by their section: distance from the last axis, height.
    let height = x[D - 1];
    let section = [x.rows(0, D - 1).norm(), height];
    match recipe {
        Recipe::Ball { radius } => Some(x.norm() - radius),
        Recipe::Capsule {
            half_length,
            radius,
        } => {
            let mut off = *x;
            off[0] -= x[0].clamp(-half_length, *half_length);
            Some(off.norm() - radius)
        }
        Recipe::Ellipsoid { semi_axes } => Some(from_ellipsoid(semi_axes, x)),
        Recipe::Cylinder {
            radius: r,
            half_length: l,
        } => Some(from_polygon(
            &[[-r, -l], [*r, -l], [*r, *l], [-r, *l]],
            section,
        )),
        Recipe::Cone {
            radius: r,
            height,
            base,
        } => Some(from_polygon(
            &[[-r, *base], [*r, *base], [0.0, base + height]],
            section,
        )),
        Recipe::Box { half } => {
            let off = x.abs() - half;
            Some(off.map(|d| d.max(0.0)).norm() + off.max().min(0.0))
        }
        Recipe::Polygon { vertices } => {
            let corners: Vec<_> = vertices.iter().map(|v| [v[0], v[1]]).collect();
            Some(from_polygon(&corners, [x[0], x[1]]))
        }
        Recipe::Intersection { of } => signed_distance(of, x),
        Recipe::Rounded { core, radius } => Some(signed_distance(core, x)? - radius),
        _ => None,
    }
}

/// From a convex polygon, counter-clockwise.
fn from_polygon(corners: &[[f64; 2]], x: [f64; 2]) -> f64 {
    let (mut nearest, mut highest) = (f64::INFINITY, f64::NEG_INFINITY);
    for (i, p) in corners.iter().enumerate() {
        let q = corners[(i + 1) % corners.len()];
        let along = [q[0] - p[0], q[1] - p[1]];
        let off = [x[0] - p[0], x[1] - p[1]];
        let length = along[0].hypot(along[1]);
        let height = (along[1] * off[0] - along[0] * off[1]) / length;
        let part = (along[0] * off[0] + along[1] * off[1]) / length;
        nearest = nearest.min(height.hypot(part - part.clamp(0.0, length)));
        highest = highest.max(height);
    }
    if highest > 0.0 { nearest } else { highest }
}

/// The nearest point of an ellipsoid is eᵢ² xᵢ/(t + eᵢ²) at the root t > −e_min² of Σ (eᵢ xᵢ/(t + eᵢ²))² = 1, found by
/// bisection for u = t + e_min².
fn from_ellipsoid<const D: usize>(semi_axes: &SVector<f64, D>, x: &SVector<f64, D>) -> f64 {
    let shortest = semi_axes.min();
    let stretched = semi_axes.component_mul(&x.abs());
    let excess = semi_axes.map(|e| (e - shortest) * (e + shortest));
    let sum = |u: f64| stretched.zip_map(&excess, |y, c| y / (u + c)).norm();
    let (mut low, mut high) = (0.0, shortest * shortest + stretched.norm());
    for _ in 0..2000 {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if sum(middle) > 1.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    let t = high - shortest * shortest;
    t * x.zip_map(&excess, |y, c| y / (high + c)).norm()
}

#[cfg(test)]
mod tests {
    use nalgebra::{Vector2, Vector3};

    use super::*;

    #[test]
    fn distances_of_points_that_are_known() {
        let ellipsoid = Recipe::Ellipsoid {
            semi_axes: Vector3::new(3.0, 2.0, 1.0),
        };
        for (x, distance) in [
            (Vector3::new(4.5, 0.0, 0.0), 1.5),
            (Vector3::new(0.0, 2.5, 0.0), 0.5),
            (Vector3::new(0.0, 0.0, 0.25), -0.75),
        ] {
            let found = signed_distance(&ellipsoid, &x).unwrap();
            assert!((found - distance).abs() < 1e-14, "{found}");
        }
        // Along the normal of a point of the ellipse the distance is what was walked, outside and a little inside.
        let ellipse = Recipe::Ellipsoid {
            semi_axes: Vector2::new(2.0, 1.0),
        };
        let (sin, cos) = 0.7_f64.sin_cos();
        let normal = Vector2::new(cos / 2.0, sin).normalize();
        for walked in [-0.3, 1e-9, 5.0] {
            let x = Vector2::new(2.0 * cos, sin) + normal * walked;
            let found = signed_distance(&ellipse, &x).unwrap();
            assert!((found - walked).abs() < 1e-14, "{found}");
        }
        let cylinder = Recipe::Cylinder {
            radius: 1.0,
            half_length: 2.0,
        };
        let corner = signed_distance(&cylinder, &Vector3::new(4.0, 0.0, 6.0)).unwrap();
        assert_eq!(corner, 5.0);
        let inside = signed_distance(&cylinder, &Vector3::new(0.3, 0.4, 0.0)).unwrap();
        assert_eq!(inside, -0.5);
    }
}
