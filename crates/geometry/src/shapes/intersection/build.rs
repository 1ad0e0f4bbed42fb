//! An interior point of an intersection, whether it is bounded, and a table of its boundary.

use nalgebra::{SMatrix, SVector};

use super::part::Piece;
use super::recession::without_end;
use crate::direction::direction;
use crate::shapes::ShapeError;

/// Boundary points seen from a point well inside.
#[derive(Clone, Debug)]
pub(super) struct Table<const D: usize> {
    centre: SVector<f64, D>,
    points: Vec<SVector<f64, D>>,
    frame: Frame<D>,
    /// Largest distance of a point from the centre in the frame.
    radius: f64,
}

/// Times the interior point is moved to the mean of the boundary points, at least and at most.
const CENTRINGS: [usize; 2] = [4, 24];

/// Largest over smallest distance from the interior point, in the frame, of a body that is seen well from all sides.
const ROUND: f64 = 4.0;

/// Condition of the frame beyond which there is no interior to speak of.
const THIN: f64 = 1e9;

/// Largest over middle distance from the interior point, beyond which a body counts as unbounded.
const ENDLESS: f64 = 1e7;

impl<const D: usize> Table<D> {
    pub(super) fn new(pieces: &[Piece<D>]) -> Result<Self, ShapeError> {
        let lengths = pieces.iter().map(|piece| piece.hint().1);
        let scale = lengths.fold(0.0, f64::max);
        let scale = if scale > 0.0 { scale } else { 1.0 };
        let mut centre = interior_point(pieces, scale)?;
        if let Some(direction) = without_end(pieces)
            && !pieces.iter().any(Piece::is_user)
        {
            return Err(endless(&direction));
        }
        let directions = directions::<D>();
        let mut frame = Frame::round();
        let mut rays = sweep(pieces, &centre, &frame.all(&directions), scale)?;
        if !pieces.iter().any(Piece::is_bounded) {
            bounded(pieces, &centre, middle(&rays))?;
        }
        for pass in 0..CENTRINGS[1] {
            let (least, most) = range(&rays);
            if pass >= CENTRINGS[0] && most <= ROUND * least {
                break;
            }
            let cap = ROUND * middle(&rays);
            let capped = |&t: &f64| t.min(cap);
            let ends = directions.iter().zip(rays.iter().map(capped));
            // A ray stands for a cone of this volume, whose centroid is short of its end.
            let ends =
                ends.map(|(w, t)| (if D == 2 { t * t } else { t * t * t }, frame.out * w * t));
            let ends: Vec<_> = ends.collect();
            let mean = mean(&ends) * (D as f64 / (D as f64 + 1.0));
            frame = Frame::of(&ends).ok_or(ShapeError::EmptyInterior)?;
            let next = centre + mean;
            if pieces.iter().all(|piece| piece.value(&next) < 0.0) {
                centre = next;
            }
            rays = sweep(pieces, &centre, &frame.all(&directions), scale)?;
        }
        let points = directions.iter().zip(&rays);
        let points: Vec<_> = points.map(|(w, &t)| centre + frame.out * w * t).collect();
        if frame.condition() > THIN {
            return Err(ShapeError::EmptyInterior);
        }
        Ok(Self {
            centre,
            points,
            radius: range(&rays).1,
            frame,
        })
    }

    pub(super) fn centre(&self) -> &SVector<f64, D> {
        &self.centre
    }

    pub(super) fn points(&self) -> impl Iterator<Item = &SVector<f64, D>> {
        self.points.iter()
    }

    /// Largest over smallest extent.
    pub(super) fn aspect(&self) -> f64 {
        self.frame.condition()
    }

    /// The linear map from a frame in which the body is about as long as wide and the one back, and the body's radius there.
    pub(super) fn frame(&self) -> ([&SMatrix<f64, D, D>; 2], f64) {
        ([&self.frame.out, &self.frame.back], self.radius)
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
    const CIRCLE: usize = 48;
    const SPHERE: usize = 192;
    if D == 2 {
        let angle = |i: usize| std::f64::consts::TAU * (i as f64 + 0.5) / CIRCLE as f64;
        let unit = |i: usize| angle(i).sin_cos();
        return (0..CIRCLE)
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

/// A linear map from a frame in which a body is about as long as wide, and back.
#[derive(Clone, Debug)]
struct Frame<const D: usize> {
    out: SMatrix<f64, D, D>,
    back: SMatrix<f64, D, D>,
}

impl<const D: usize> Frame<D> {
    fn round() -> Self {
        let (out, back) = (SMatrix::identity(), SMatrix::identity());
        Self { out, back }
    }

    /// The root of the covariance of weighted points; `None` if they lie in a plane.
    fn of(points: &[(f64, SVector<f64, D>)]) -> Option<Self> {
        let mean = mean(points);
        let about = points.iter().map(|(weight, x)| (weight, x - mean));
        let covariance = about.map(|(weight, x)| x * x.transpose() * *weight);
        let total: f64 = points.iter().map(|(weight, _)| weight).sum();
        let covariance = covariance.sum::<SMatrix<f64, D, D>>() / total;
        let out = covariance.cholesky()?.unpack();
        let back = out.try_inverse()?;
        Some(Self { out, back })
    }

    fn all(&self, directions: &[SVector<f64, D>]) -> Vec<SVector<f64, D>> {
        directions.iter().map(|w| self.out * w).collect()
    }

    fn condition(&self) -> f64 {
        self.out.norm() * self.back.norm() / D as f64
    }
}

/// Distances to the boundary, relative to the lengths of the directions; an error where there is none.
fn sweep<const D: usize>(
    pieces: &[Piece<D>],
    centre: &SVector<f64, D>,
    directions: &[SVector<f64, D>],
    scale: f64,
) -> Result<Vec<f64>, ShapeError> {
    let distance = |d: &SVector<f64, D>| {
        let (unit, length) = direction(d).ok_or(ShapeError::EmptyInterior)?;
        let hit = shoot(pieces, centre, &unit, scale);
        hit.map(|(distance, _)| distance / length)
            .ok_or_else(|| endless(&unit))
    };
    directions.iter().map(distance).collect()
}

fn mean<const D: usize>(points: &[(f64, SVector<f64, D>)]) -> SVector<f64, D> {
    let total: f64 = points.iter().map(|(weight, _)| weight).sum();
    let sum = points.iter().map(|(weight, x)| x * *weight);
    sum.sum::<SVector<f64, D>>() / total
}

fn range(distances: &[f64]) -> (f64, f64) {
    let both = |(least, most): (f64, f64), &t: &f64| (least.min(t), most.max(t));
    distances.iter().fold((f64::INFINITY, 0.0), both)
}

fn middle(distances: &[f64]) -> f64 {
    let mut sorted = distances.to_vec();
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
        let rounding = 2.0 * f64::EPSILON * t + piece.rounding();
        if (next - t).abs() <= rounding || outer - inner <= f64::EPSILON * outer {
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
    /// Steps of golden section: each face to 4e-9 of its width, so that an endless direction looks 1e8 times as long.
    const STEPS: usize = 40;
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
fn golden(
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
