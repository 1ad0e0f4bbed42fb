//! The support function of an intersection.
//!
//! # Method
//! A primal active-set method from the best point of the table. On the active inequalities Newton's method for the
//! Lagrangian: a step along them to the maximum of m·x less its curvature, and back to them where they are curved. A step that
//! an inactive inequality blocks ends there and makes it active; where no step is left, the one with the most negative
//! multiplier is let go. Long steps on curved faces are shortened until m·x grows on the boundary. The result is on the
//! boundary with m in the normal cone. Should that not come about, and first for slender bodies, Newton's method across m
//! is tried (`by_normals`). Behind both planes that touch the body close in on the point (`cuts`), whatever the functions
//! are.

use nalgebra::{SMatrix, SVector};

use super::Inner;
use super::build::{Table, shoot};
use super::cuts::by_cuts;
use crate::boundary::{Boundary, Feature, Multipliers, Relation, decompose, least_move};
use crate::direction::direction;

/// Newton steps and changes of active inequalities of one search.
const STEPS: usize = 60;

/// Longest step, relative to the body.
const LONGEST: f64 = 0.5;

/// Errors above this, relative to the body and over its aspect, have their steps tried on the boundary before they are taken.
const LONG: f64 = 1e-3;

/// Longest over shortest distance from the interior point, above which steps across m are tried first.
const SLENDER: f64 = 50.0;

/// Error, relative to the body, at which nothing is left to do; and the multipliers that count as zero.
const EXACT: f64 = 1e-14;

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
    let found = if table.aspect() > SLENDER {
        by_normals(core, &m, start).or_else(|| newton(core, &m, start))
    } else {
        newton(core, &m, start).or_else(|| by_normals(core, &m, start))
    };
    if let Some(point) = found {
        return point;
    }
    let near = by_cuts(core, table, &m);
    let exact = newton(core, &m, near);
    exact.filter(|x| m.dot(x) >= m.dot(&near)).unwrap_or(near)
}

fn newton<const D: usize>(
    core: &Inner<D>,
    m: &SVector<f64, D>,
    start: SVector<f64, D>,
) -> Option<SVector<f64, D>> {
    let extent = core.extent();
    // A step that is short for a needle's length may be long for its width.
    let long = LONG / core.table.aspect();
    let mut x = start;
    let mut active = Feature::face(highest(core, &x));
    let mut last = f64::INFINITY;
    for _ in 0..STEPS {
        if let Some((apex, (point, above))) = core.apex_of(active, m) {
            if above >= -EXACT {
                return Some(point);
            }
            // Away from it along the steepest line of the side.
            let down = core.pieces[apex].below_apex(m)?;
            x = on_boundary(core, &down)?;
            active = Feature::face(highest(core, &x));
            continue;
        }
        let found = lagrange(core, active, &x, m, extent)?;
        let settled = found.error <= f64::EPSILON || found.error >= 0.5 * last;
        last = found.error;
        let done = settled && is_exact(core, active, &x, found.error);
        let least = active
            .iter()
            .zip(found.factors)
            .min_by(|a, b| a.1.total_cmp(&b.1))?;
        // Where no step is left the multipliers decide; at a corner none ever is.
        let corner = found.error <= LONG && active.len() == D;
        if (done || corner) && active.len() > 1 && least.1 < -EXACT {
            active = active.without(least.0);
            last = f64::INFINITY;
            continue;
        }
        if done {
            // The far side of the body has no step left either.
            let outside = highest_outside(core, active, &x);
            let inside = outside.is_none_or(|(index, height)| {
                height <= (EXACT * extent).max(core.pieces[index].rounding())
            });
            return (inside && least.1 > -EXACT).then_some(x);
        }
        let step = found.along + found.back;
        match blocked(core, active, &x, &step) {
            Some((part, piece)) if active.len() < D => {
                x += step * part;
                active = active.with(piece);
                last = f64::INFINITY;
            }
            _ if found.error > long && active.len() == 1 => x = uphill(core, m, &x, &step)?,
            _ => x += step,
        }
    }
    None
}

/// The step of Newton's method for max m·x on the active inequalities, and their multipliers.
fn lagrange<const D: usize>(
    core: &Inner<D>,
    active: Feature,
    x: &SVector<f64, D>,
    m: &SVector<f64, D>,
    extent: f64,
) -> Option<Step<D>> {
    /// Curvature times the body's size that stands for none.
    const FLAT: f64 = 1e-9;
    let (mut normals, mut heights) = ([SVector::<f64, D>::zeros(); 3], [0.0; 3]);
    let mut jets = [None; 3];
    for (slot, index) in active.iter().enumerate() {
        let jet = core.piece(index, x);
        let (normal, slope) = direction(&jet.gradient)?;
        (normals[slot], heights[slot]) = (normal, jet.value / slope);
        jets[slot] = Some(jet.hessian / slope);
    }
    let n = active.len();
    let factors = decompose(&normals[..n], m)?;
    // Back to the active inequalities by the least move.
    let back = least_move(&normals[..n], &heights[..n])?;
    if n >= D {
        return Some(Step {
            along: SVector::zeros(),
            back,
            error: back.norm() / extent,
            factors,
        });
    }
    let curved = jets.iter().flatten().zip(factors);
    let bend = curved
        .map(|(hessian, factor)| hessian * factor.max(0.0))
        .sum::<SMatrix<f64, D, D>>();
    // Each principal direction along the active inequalities has a step of its own: a flat one goes far.
    let pull = m - bend * back;
    let mut step = Step {
        along: SVector::zeros(),
        back,
        error: back.norm() / extent,
        factors,
    };
    let mut go = |line: SVector<f64, D>| {
        let (slope, curvature) = (line.dot(&pull), line.dot(&(bend * line)).max(0.0));
        let far = slope / (curvature + FLAT / extent);
        step.along += line * far.clamp(-LONGEST * extent, LONGEST * extent);
        step.error += slope.abs() / (curvature * extent + 1.0);
    };
    if n == 2 {
        go(direction(&normals[0].cross(&normals[1]))?.0);
    } else {
        let [u, v] = across(&normals[0]);
        let (uu, uv, vv) = (u.dot(&(bend * u)), u.dot(&(bend * v)), v.dot(&(bend * v)));
        let (sin, cos) = (0.5 * (2.0 * uv).atan2(uu - vv)).sin_cos();
        go(u * cos + v * sin);
        if D == 3 {
            go(v * cos - u * sin);
        }
    }
    Some(step)
}

/// A step of Newton's method.
#[derive(Clone, Copy, Debug)]
struct Step<const D: usize> {
    /// Along the active inequalities.
    along: SVector<f64, D>,
    /// Back to them.
    back: SVector<f64, D>,
    /// How far x is from being the answer for them, relative to the body: moves, and turns where it is flat.
    error: f64,
    /// Multipliers.
    factors: Multipliers,
}

/// Whether an error, relative to the body, is rounding. Large parts of a small body are rounded by their own size, and where
/// their boundaries cross at a small angle that is so much further along the edge.
fn is_exact<const D: usize>(
    core: &Inner<D>,
    active: Feature,
    x: &SVector<f64, D>,
    error: f64,
) -> bool {
    /// Rounding is nowhere as large.
    const LARGE: f64 = 1e-6;
    if error <= EXACT {
        return true;
    }
    if error > LARGE {
        return false;
    }
    let mut normals = [SVector::<f64, D>::zeros(); 3];
    let mut heights = [0.0; 3];
    for (slot, index) in active.iter().enumerate() {
        let Some((normal, _)) = direction(&core.piece(index, x).gradient) else {
            return false;
        };
        (normals[slot], heights[slot]) = (normal, core.pieces[index].rounding());
    }
    let n = active.len();
    let moves = (0..n).map(|slot| {
        let mut one = [0.0; 3];
        one[slot] = heights[slot];
        least_move(&normals[..n], &one).map_or(0.0, |back| back.norm())
    });
    let crossing = if n == 2 {
        normals[0].cross(&normals[1]).norm()
    } else {
        1.0
    };
    let turn = 4.0 * f64::EPSILON / crossing;
    error <= 4.0 * moves.sum::<f64>() / core.extent() + turn
}

/// The inequality that is highest over its slope.
fn highest<const D: usize>(core: &Inner<D>, x: &SVector<f64, D>) -> usize {
    highest_outside(core, Feature::NONE, x).map_or(0, |(index, _)| index)
}

fn highest_outside<const D: usize>(
    core: &Inner<D>,
    active: Feature,
    x: &SVector<f64, D>,
) -> Option<(usize, f64)> {
    let mut best: Option<(usize, f64)> = None;
    for index in (0..core.pieces.len()).filter(|&index| !active.contains(index)) {
        let jet = core.piece(index, x);
        let height = jet.value / jet.gradient.norm();
        if best.is_none_or(|(_, other)| height > other) && height.is_finite() {
            best = Some((index, height));
        }
    }
    best
}

/// The first inactive inequality that a step meets, and the part of the step up to it.
fn blocked<const D: usize>(
    core: &Inner<D>,
    active: Feature,
    x: &SVector<f64, D>,
    step: &SVector<f64, D>,
) -> Option<(f64, usize)> {
    let end = x + step;
    let mut first: Option<(f64, usize)> = None;
    for (index, piece) in core.pieces.iter().enumerate() {
        if active.contains(index) {
            continue;
        }
        let after = piece.value(&end);
        if after > 0.0 {
            let before = piece.value(x).min(0.0);
            let part = before / (before - after);
            if first.is_none_or(|(other, _)| part < other) {
                first = Some((part, index));
            }
        }
    }
    // What is outside by no more than rounding blocks nothing.
    first.filter(|&(_, index)| {
        let jet = core.piece(index, &end);
        jet.value > EXACT * core.extent() * jet.gradient.norm()
    })
}

/// A boundary point further up along m near the end of a step from a face, which is shortened until there is one.
fn uphill<const D: usize>(
    core: &Inner<D>,
    m: &SVector<f64, D>,
    x: &SVector<f64, D>,
    step: &SVector<f64, D>,
) -> Option<SVector<f64, D>> {
    /// Halvings of a step.
    const HALVINGS: usize = 20;
    let height = m.dot(&on_boundary(core, x)?);
    let mut step = *step;
    for _ in 0..HALVINGS {
        let end = on_boundary(core, &(x + step))?;
        if m.dot(&end) > height {
            return Some(end);
        }
        step *= 0.5;
    }
    Some(x + step)
}

/// The boundary point on the ray through x.
fn on_boundary<const D: usize>(core: &Inner<D>, x: &SVector<f64, D>) -> Option<SVector<f64, D>> {
    let centre = core.table.centre();
    let (unit, length) = direction(&(x - centre))?;
    let (distance, _) = shoot(&core.pieces, centre, &unit, length)?;
    Some(centre + unit * distance)
}

/// Newton's method on the relation of a feature between moves and turns, with m held fixed: its steps are across m, which
/// suits the tips of needles, where those along the boundary are too long.
fn by_normals<const D: usize>(
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
        if settled && is_exact(core, feature, &x, error) {
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
