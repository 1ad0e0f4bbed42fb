//! An interior point of an intersection, whether it is bounded, and a table of its boundary.

use nalgebra::{SMatrix, SVector};

use super::part::Piece;
use crate::direction::direction;
use crate::shapes::ShapeError;

/// Boundary points seen from a point well inside.
#[derive(Clone, Debug)]
pub(super) struct Table<const D: usize> {
    centre: SVector<f64, D>,
    points: Vec<SVector<f64, D>>,
    /// Largest over smallest distance of the points from the centre.
    aspect: f64,
}

/// Largest over middle distance from the interior point, beyond which a body counts as unbounded.
const ENDLESS: f64 = 1e7;

/// Smallest over largest distance from the interior point, below which there is no interior to speak of.
const THIN: f64 = 1e-9;

/// Times the interior point is moved to the mean of the boundary points.
const CENTRINGS: usize = 4;

impl<const D: usize> Table<D> {
    pub(super) fn new(pieces: &[Piece<D>]) -> Result<Self, ShapeError> {
        let scale = pieces
            .iter()
            .map(|piece| piece.hint().1)
            .fold(0.0, f64::max);
        let scale = if scale > 0.0 { scale } else { 1.0 };
        let mut centre = interior_point(pieces, scale)?;
        let directions = directions::<D>();
        let mut stretch = SVector::repeat(1.0);
        for _ in 0..CENTRINGS {
            let hits = sweep(pieces, &centre, &directions, &stretch, scale);
            let cap = 10.0 * middle(&hits);
            let ends = directions.iter().zip(&hits).map(|(w, &t)| {
                let d = w.component_mul(&stretch);
                d * t.min(cap) / d.norm()
            });
            let ends: Vec<_> = ends.collect();
            let mean = ends.iter().sum::<SVector<f64, D>>() / ends.len() as f64;
            stretch = SVector::from_fn(|i, _| {
                ends.iter()
                    .map(|end| (end[i] - mean[i]).abs())
                    .fold(0.0, f64::max)
            });
            let next = centre + mean;
            if pieces.iter().all(|piece| piece.value(&next) < 0.0) {
                centre = next;
            }
        }
        if !stretch.iter().all(|&e| e > 0.0) {
            return Err(ShapeError::EmptyInterior);
        }
        let hits = sweep(pieces, &centre, &directions, &stretch, scale);
        if !pieces.iter().any(Piece::is_bounded) {
            bounded(pieces, &centre, middle(&hits))?;
        }
        let points = directions.iter().zip(&hits).map(|(w, &t)| {
            let d = w.component_mul(&stretch);
            centre + d * (t / d.norm())
        });
        let points: Vec<_> = points.collect();
        let (least, most) = hits
            .iter()
            .fold((f64::INFINITY, 0f64), |(least, most), &t| {
                (least.min(t), most.max(t))
            });
        if !most.is_finite() {
            let far = hits.iter().position(|t| !t.is_finite()).unwrap_or(0);
            return Err(endless(&directions[far].component_mul(&stretch)));
        }
        if least < THIN * most {
            return Err(ShapeError::EmptyInterior);
        }
        Ok(Self {
            centre,
            points,
            aspect: most / least,
        })
    }

    pub(super) fn centre(&self) -> &SVector<f64, D> {
        &self.centre
    }

    pub(super) fn points(&self) -> impl Iterator<Item = &SVector<f64, D>> {
        self.points.iter()
    }

    pub(super) fn aspect(&self) -> f64 {
        self.aspect
    }

    /// Largest distance of a point from the origin, m.
    pub(super) fn reach(&self) -> f64 {
        self.points.iter().map(SVector::norm).fold(0.0, f64::max)
    }

    /// The point that is furthest along m.
    pub(super) fn furthest(&self, m: &SVector<f64, D>) -> SVector<f64, D> {
        let mut best = (m.dot(&self.points[0]), 0);
        for (index, point) in self.points.iter().enumerate().skip(1) {
            let height = m.dot(point);
            if height > best.0 {
                best = (height, index);
            }
        }
        self.points[best.1]
    }
}

/// Unit directions spread over the circle or the sphere.
fn directions<const D: usize>() -> Vec<SVector<f64, D>> {
    /// Support points start a few hundredths of the body away.
    const ROUND: usize = 48;
    const SPHERE: usize = 192;
    if D == 2 {
        let angle = |i: usize| std::f64::consts::TAU * (i as f64 + 0.5) / ROUND as f64;
        let unit = |i: usize| angle(i).sin_cos();
        return (0..ROUND)
            .map(|i| SVector::from_fn(|k, _| if k == 0 { unit(i).1 } else { unit(i).0 }))
            .collect();
    }
    let golden = std::f64::consts::PI * (3.0 - 5f64.sqrt());
    let on_sphere = |i: usize| {
        let z = 1.0 - (2.0 * i as f64 + 1.0) / SPHERE as f64;
        let (sin, cos) = (golden * i as f64).sin_cos();
        let r = (1.0 - z * z).sqrt();
        SVector::from_fn(|k, _| [r * cos, r * sin, z][k])
    };
    (0..SPHERE).map(on_sphere).collect()
}

/// Distances to the boundary; infinite where there is none.
fn sweep<const D: usize>(
    pieces: &[Piece<D>],
    centre: &SVector<f64, D>,
    directions: &[SVector<f64, D>],
    stretch: &SVector<f64, D>,
    scale: f64,
) -> Vec<f64> {
    let distance = |w: &SVector<f64, D>| {
        let unit = direction(&w.component_mul(stretch)).map_or(*w, |(unit, _)| unit);
        shoot(pieces, centre, &unit, scale).map_or(f64::INFINITY, |hit| hit.0)
    };
    directions.iter().map(distance).collect()
}

fn middle(hits: &[f64]) -> f64 {
    let mut sorted = hits.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

/// Distance along a unit direction from an inner point to the boundary, and the inequality that ends it there; `start` is
/// a length from which brackets grow.
pub(super) fn shoot<const D: usize>(
    pieces: &[Piece<D>],
    from: &SVector<f64, D>,
    direction: &SVector<f64, D>,
    start: f64,
) -> Option<(f64, usize)> {
    /// Doublings of the start: a boundary 1e12 times as far is none.
    const DOUBLINGS: usize = 40;
    let mut best: Option<(f64, usize)> = None;
    for (index, piece) in pieces.iter().enumerate() {
        let outside = |t: f64| piece.value(&(from + direction * t)) > 0.0;
        let bracket = if let Some((nearest, _)) = best {
            outside(nearest).then_some((0.0, nearest))
        } else {
            let mut inner = 0.0;
            let mut outer = start;
            let grown = (0..DOUBLINGS).any(|_| {
                let found = outside(outer);
                if !found {
                    inner = outer;
                    outer *= 2.0;
                }
                found
            });
            grown.then_some((inner, outer))
        };
        if let Some(bracket) = bracket {
            best = Some((root(piece, from, direction, bracket), index));
        }
    }
    best
}

/// Where a piece is zero between an inner and an outer distance: Newton's method, halving where it leaves the bracket.
fn root<const D: usize>(
    piece: &Piece<D>,
    from: &SVector<f64, D>,
    direction: &SVector<f64, D>,
    (mut inner, mut outer): (f64, f64),
) -> f64 {
    /// Steps of halving alone that exhaust f64.
    const STEPS: usize = 200;
    let mut t = outer;
    for _ in 0..STEPS {
        let jet = piece.jet(&(from + direction * t));
        if jet.value > 0.0 {
            outer = t;
        } else {
            inner = t;
        }
        let newton = t - jet.value / jet.gradient.dot(direction);
        let inside = newton >= inner && newton <= outer;
        let next = if inside {
            newton
        } else {
            0.5 * (inner + outer)
        };
        if (next - t).abs() <= 2.0 * f64::EPSILON * t || outer - inner <= f64::EPSILON * outer {
            return next;
        }
        t = next;
    }
    t
}

fn endless<const D: usize>(direction: &SVector<f64, D>) -> ShapeError {
    ShapeError::UnboundedIntersection {
        direction: direction.normalize().iter().copied().collect(),
    }
}

/// Minimises the gauge 1/R, which is convex, on every face of a cube of directions; where it vanishes the body has no
/// end.
fn bounded<const D: usize>(
    pieces: &[Piece<D>],
    centre: &SVector<f64, D>,
    typical: f64,
) -> Result<(), ShapeError> {
    /// Steps of golden section: each face to 3e-8 of its width.
    const STEPS: usize = 36;
    let gauge = |d: &SVector<f64, D>| {
        let (unit, length) = direction(d).expect("a direction on a cube is not zero");
        shoot(pieces, centre, &unit, typical).map_or(0.0, |(t, _)| length / t)
    };
    for axis in 0..D {
        for sign in [1.0, -1.0] {
            let at = |u: f64, v: f64| {
                let mut d = SVector::repeat(0.0);
                d[axis] = sign;
                d[(axis + 1) % D] = u;
                if D == 3 {
                    d[(axis + 2) % D] = v;
                }
                d
            };
            let along = |u: f64| {
                if D == 2 {
                    (0.0, gauge(&at(u, 0.0)))
                } else {
                    golden([-1.0, 1.0], STEPS, &mut |v| gauge(&at(u, v)))
                }
            };
            let (u, least) = golden([-1.0, 1.0], STEPS, &mut |u| along(u).1);
            if least * typical * ENDLESS < 1.0 {
                return Err(endless(&at(u, along(u).0)));
            }
        }
    }
    Ok(())
}

/// The least value of a convex function on an interval, and where, by golden section.
pub(super) fn golden(
    [mut low, mut high]: [f64; 2],
    steps: usize,
    f: &mut dyn FnMut(f64) -> f64,
) -> (f64, f64) {
    let ratio = (5f64.sqrt() - 1.0) / 2.0;
    let (mut left, mut right) = (high - ratio * (high - low), low + ratio * (high - low));
    let (mut at_left, mut at_right) = (f(left), f(right));
    for _ in 0..steps {
        if at_left <= at_right {
            (high, right, at_right) = (right, left, at_left);
            left = high - ratio * (high - low);
            at_left = f(left);
        } else {
            (low, left, at_left) = (left, right, at_right);
            right = low + ratio * (high - low);
            at_right = f(right);
        }
    }
    if at_left <= at_right {
        (left, at_left)
    } else {
        (right, at_right)
    }
}

/// A point where every inequality is strict.
fn interior_point<const D: usize>(
    pieces: &[Piece<D>],
    scale: f64,
) -> Result<SVector<f64, D>, ShapeError> {
    /// Depth that counts as inside, relative to the scale.
    const DEEP: f64 = 1e-10;
    let mean = pieces
        .iter()
        .map(|piece| piece.hint().0)
        .sum::<SVector<f64, D>>()
        / pieces.len() as f64;
    let middles = pieces.iter().map(|piece| piece.hint().0);
    for point in [SVector::zeros(), mean].into_iter().chain(middles) {
        for piece in pieces {
            let value = piece.value(&point);
            if !value.is_finite() {
                return Err(ShapeError::NotFinite {
                    what: "value of a surface",
                    value,
                });
            }
        }
        if highest(pieces, &point).0 < -DEEP * scale {
            return Ok(point);
        }
    }
    // Smaller and larger than the pieces suggest.
    for factor in [2.0, 100.0, 1e4, 1e-3] {
        if let Some(point) = cut(
            pieces,
            &mean,
            factor * scale,
            DEEP * scale.min(factor * scale),
        ) {
            return Ok(point);
        }
    }
    Err(ShapeError::EmptyInterior)
}

/// The inequality that is highest over its slope, and its outward unit normal.
fn highest<const D: usize>(pieces: &[Piece<D>], x: &SVector<f64, D>) -> (f64, SVector<f64, D>) {
    let mut worst = (f64::NEG_INFINITY, SVector::zeros());
    for piece in pieces {
        let jet = piece.jet(x);
        let Some((normal, slope)) = direction(&jet.gradient) else {
            // The lowest point of a function that is positive: nothing to cut along.
            if jet.value > 0.0 {
                return (f64::INFINITY, SVector::zeros());
            }
            continue;
        };
        if jet.value / slope > worst.0 {
            worst = (jet.value / slope, normal);
        }
    }
    worst
}

/// The ellipsoid method with cuts through the centre: of functions that are quasi-convex no inner point is cut off.
fn cut<const D: usize>(
    pieces: &[Piece<D>],
    centre: &SVector<f64, D>,
    radius: f64,
    depth: f64,
) -> Option<SVector<f64, D>> {
    /// Cuts that shrink the ball to 1e-11 of its radius in every direction.
    const CUTS: usize = 1000;
    let n = D as f64;
    let mut x = *centre;
    let mut shape = SMatrix::<f64, D, D>::identity() * (radius * radius);
    for _ in 0..CUTS {
        let (height, normal) = highest(pieces, &x);
        if height < -depth {
            return Some(x);
        }
        let across = shape * normal;
        let width = normal.dot(&across);
        if width <= 0.0 || width.is_nan() {
            return None;
        }
        x -= across / (width.sqrt() * (n + 1.0));
        let shrunk = shape - across * across.transpose() * (2.0 / ((n + 1.0) * width));
        shape = shrunk * (n * n / (n * n - 1.0));
    }
    None
}
