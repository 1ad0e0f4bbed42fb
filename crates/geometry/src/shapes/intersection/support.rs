//! The support function of an intersection.
//!
//! # Method
//! From the best point of the table Newton's method on the relation of a feature with the normal held fixed, and another
//! feature where the point is outside an inequality or a multiplier is negative. The result is accepted when it is on the
//! boundary with m in the normal cone. Otherwise the gauge 1/R, seen from the interior point, is minimised on the plane
//! m·d = 1 of directions: it is convex there whatever the functions are, and its minimum is the support point.

use nalgebra::SVector;

use super::Inner;
use super::build::{Table, golden, shoot};
use crate::boundary::{Boundary, Relation};
use crate::direction::direction;

/// Newton steps and changes of features of one search.
const STEPS: usize = 40;

/// Largest step, relative to the body.
const LONGEST: f64 = 0.5;

/// Distance from a boundary point with this normal that is accepted, relative to the body, once it falls no more.
const EXACT: f64 = 2e-14;

/// The point furthest along m, which has any positive length.
pub(super) fn support<const D: usize>(
    core: &Inner<D>,
    table: &Table<D>,
    m: &SVector<f64, D>,
) -> SVector<f64, D> {
    let Some((m, _)) = direction(m) else {
        return table.furthest(m);
    };
    let start = table.furthest(&m);
    if let Some(point) = newton(core, &m, start) {
        return point;
    }
    let near = by_sections(core, table, &m);
    let exact = newton(core, &m, near);
    exact.filter(|x| m.dot(x) >= m.dot(&near)).unwrap_or(near)
}

fn newton<const D: usize>(
    core: &Inner<D>,
    m: &SVector<f64, D>,
    start: SVector<f64, D>,
) -> Option<SVector<f64, D>> {
    let extent = core.extent();
    let mut x = start;
    let mut feature = core.feature(&x, m);
    let mut last = f64::INFINITY;
    let basis = across(m);
    for _ in 0..STEPS {
        let relation = core.relation(feature, &x, m);
        let error = relation.error / extent;
        let settled = error <= f64::EPSILON || error >= 0.5 * last;
        last = error;
        if error <= EXACT && settled {
            match core.next(feature, &x, m, EXACT) {
                None => return Some(x),
                Some(next) => feature = next,
            }
            continue;
        }
        let mut step = moved(&relation, &basis, 1e-9 / extent) + m * relation.lift;
        let length = step.norm() / extent;
        if !length.is_finite() {
            return None;
        }
        if length > LONGEST {
            step *= LONGEST / length;
        }
        x += step;
        if let Some(next) = core.next(feature, &x, m, length.clamp(EXACT, 0.1)) {
            feature = next;
        }
    }
    None
}

/// The move α t = r across m, in a basis there: with m mᵀ added instead, of another size and unit than α, what is across
/// would lose its digits. A flat face has no point for another normal: with a small `floor`, 1/m, the step then goes far, and
/// meets what bounds the face.
fn moved<const D: usize>(
    relation: &Relation<D>,
    [u, v]: &[SVector<f64, D>; 2],
    floor: f64,
) -> SVector<f64, D> {
    let (alpha_u, alpha_v) = (relation.alpha * u, relation.alpha * v);
    let (uu, vv) = (u.dot(&alpha_u) + floor, v.dot(&alpha_v) + floor);
    let (uv, vu) = (u.dot(&alpha_v), v.dot(&alpha_u));
    let (ru, rv) = (u.dot(&relation.rhs), v.dot(&relation.rhs));
    if D == 2 {
        return u * (ru / uu);
    }
    let determinant = uu * vv - uv * vu;
    (u * (vv * ru - uv * rv) + v * (uu * rv - vu * ru)) / determinant
}

/// The support point to half the digits, its height to all of them.
fn by_sections<const D: usize>(
    core: &Inner<D>,
    table: &Table<D>,
    m: &SVector<f64, D>,
) -> SVector<f64, D> {
    /// Accuracy of the place of the minimum, which rounding of the gauge limits to half the digits.
    const NARROW: f64 = 1e-9;
    let centre = table.centre();
    let size = core.extent();
    let [u, v] = across(m);
    let at = |s: f64, t: f64| m + u * s + v * t;
    let gauge = |d: &SVector<f64, D>| {
        let (unit, length) = direction(d).unwrap_or((*m, 1.0));
        shoot(&core.pieces, centre, &unit, size).map_or(0.0, |(t, _)| length / t)
    };
    let wide = [-2.0 * table.aspect(), 2.0 * table.aspect()];
    // Each step of golden section leaves 0.618 of the interval.
    let sections = ((wide[1] - wide[0]) / NARROW).ln() / std::f64::consts::GOLDEN_RATIO.ln();
    let sections = sections.ceil() as usize;
    let along = |s: f64| {
        if D == 2 {
            (0.0, gauge(&at(s, 0.0)))
        } else {
            golden(wide, sections, &mut |t| gauge(&at(s, t)))
        }
    };
    let (s, _) = golden(wide, sections, &mut |s| along(s).1);
    let d = at(s, along(s).0);
    centre + d / gauge(&d)
}

/// Unit vectors across m, orthogonal to each other; in the plane the second is zero.
fn across<const D: usize>(m: &SVector<f64, D>) -> [SVector<f64, D>; 2] {
    let axis = m.iamin();
    let seed = SVector::from_fn(|i, _| if i == axis { 1.0 } else { 0.0 });
    let u = (seed - m * m.dot(&seed)).normalize();
    let v = if D == 3 {
        m.cross(&u)
    } else {
        SVector::zeros()
    };
    [u, v]
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector3;

    use super::*;
    use crate::shapes::intersection::Part;
    use crate::{Ball, HalfSpace, Intersection};

    #[test]
    fn sections_find_what_newton_finds() {
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
            let exact = newton(inner, &m, inner.table.furthest(&m)).unwrap();
            let near = by_sections(inner, &inner.table, &m);
            assert!((m.dot(&exact) - m.dot(&near)).abs() < 1e-14);
            assert!((exact - near).norm() < 1e-6, "{m}: {exact} {near}");
        }
    }
}
