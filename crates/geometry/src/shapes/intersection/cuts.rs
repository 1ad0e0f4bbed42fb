//! A support point by planes that touch the body, whatever its inequalities are like.
//!
//! ```math
//! \max \{ m \cdot x : a_k \cdot x \le 1,\ k = 1, \dots, D \}, \qquad m = \sum_k \lambda_k a_k, \quad \lambda \ge 0
//! ```
//!
//! with x seen from an interior point and aₖ the planes that touch the body at D boundary points.
//!
//! # Method
//! The corner of the planes is beyond the support point. Where the ray to it leaves the body, the plane that touches there
//! replaces the one that keeps m between the planes, as in the dual simplex method; seen from the polar body this is
//! portal refinement. m·x lies between the corner and the best point left behind.
//!
//! # Guarantees and limits
//! Exact in finitely many steps for half-spaces; for curved boundaries the height converges to rounding, the point to half
//! the digits.
//!
//! # References
//! - G. Snethen, XenoCollide: complex collision made simple, in Game Programming Gems 7 (2008) 165–178.

use nalgebra::SVector;

use super::Inner;
use super::build::{Table, shoot};
use crate::boundary::Boundary;
use crate::direction::direction;

/// Planes of one search at most.
const CUTS: usize = 300;

/// Planes of the first box are as many times the largest distance of the table away, which may miss a tip.
const BEYOND: f64 = 4.0;

/// The highest boundary point along the unit vector m that was met.
pub(super) fn by_cuts<const D: usize>(
    core: &Inner<D>,
    table: &Table<D>,
    m: &SVector<f64, D>,
) -> SVector<f64, D> {
    let centre = table.centre();
    let ([out, back], radius) = table.frame();
    let radius = BEYOND * radius;
    // In the frame; planes are transformed as directions are.
    let up = out.tr_mul(m);
    let mut planes = [SVector::<f64, D>::zeros(); 3];
    for (axis, plane) in planes.iter_mut().enumerate().take(D) {
        plane[axis] = 1f64.copysign(up[axis]) / radius;
    }
    let mut best = table.furthest(m) - centre;
    for _ in 0..CUTS {
        let Some((unit, _)) = direction(&(out * corner(&planes))) else {
            break;
        };
        let across = unit.dot(&back.tr_mul(&planes[0]));
        let length = 1.0 / across;
        let Some((distance, index)) = shoot(&core.pieces, centre, &unit, length) else {
            break;
        };
        let point = unit * distance;
        if m.dot(&point) > m.dot(&best) {
            best = point;
        }
        if distance >= length || m.dot(&(unit * length - best)) <= f64::EPSILON * length {
            break;
        }
        let Some((normal, _)) = direction(&core.piece(index, &(centre + point)).gradient) else {
            break;
        };
        let plane = out.tr_mul(&(normal / normal.dot(&point)));
        // m and the new plane as sums of the planes; the first whose share of m is used up leaves.
        let (own, new) = (shares(&planes, &up), shares(&planes, &plane));
        let leaving = (0..D)
            .filter(|&i| new[i] > 0.0)
            .min_by(|&i, &j| (own[i] / new[i]).total_cmp(&(own[j] / new[j])));
        let Some(leaving) = leaving else {
            break;
        };
        planes[leaving] = plane;
    }
    centre + best
}

/// The direction of the corner of D planes, from their differences: at the end they are nearly the same.
fn corner<const D: usize>([a, b, c]: &[SVector<f64, D>; 3]) -> SVector<f64, D> {
    let across = if D == 2 {
        turned(&(b - a))
    } else {
        (b - a).cross(&(c - a))
    };
    across * a.dot(&across).signum()
}

/// The shares of the planes in a vector, times a positive number.
fn shares<const D: usize>([a, b, c]: &[SVector<f64, D>; 3], v: &SVector<f64, D>) -> [f64; 3] {
    if D == 2 {
        let sense = a.dot(&turned(&(b - a))).signum();
        return [sense * v.dot(&turned(b)), -sense * v.dot(&turned(a)), 0.0];
    }
    let sense = a.dot(&(b - a).cross(&(c - a))).signum();
    let share = |p: &SVector<f64, D>, q: &SVector<f64, D>| sense * v.dot(&p.cross(&(q - p)));
    [share(b, c), share(c, a), share(a, b)]
}

/// A vector of the plane turned by a right angle.
fn turned<const D: usize>(v: &SVector<f64, D>) -> SVector<f64, D> {
    SVector::from_fn(|i, _| if i == 0 { v[1] } else { -v[0] })
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector3;

    use super::*;
    use crate::shapes::intersection::Part;
    use crate::{Ball, HalfSpace, Intersection};

    #[test]
    fn cuts_find_what_newton_finds() {
        let body = Intersection::new([
            Part::from(Ball::<3>::new(1.0).unwrap()),
            Part::from(HalfSpace::new(Vector3::new(0.3, 0.0, 1.0), 0.2).unwrap()),
        ])
        .unwrap();
        let inner = &*body.inner;
        for m in [
            Vector3::new(1.0, 2.0, -0.5),
            Vector3::new(-0.4, 0.7, 0.9),
            Vector3::new(0.1, 0.0, 1.0),
        ] {
            let m = m.normalize();
            let exact = body.support(&m);
            let near = by_cuts(inner, &inner.table, &m);
            assert!((m.dot(&exact) - m.dot(&near)).abs() < 1e-14);
            assert!((exact - near).norm() < 1e-6, "{m}: {exact} {near}");
        }
    }
}
