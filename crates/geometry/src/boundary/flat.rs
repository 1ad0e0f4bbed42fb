//! Flat parts of a boundary: faces and straight lines along which two bodies can touch.

use nalgebra::SVector;

use super::Boundary;
use crate::direction::{direction, tangents};

/// Directions in which a face is asked for its outermost points.
const RAYS: usize = 16;

/// Tilt of a direction that picks the outermost point of a flat part, rad: large against rounding, small enough that no
/// curved part next to it is met.
const TILT: f64 = 1e-5;

/// Cosine of the angle to the contact normal within which a flat part faces the other body: 6°.
const FACING: f64 = 0.995;

/// Curvature times the extent below which a boundary is flat.
const FLAT: f64 = 1e-9;

/// Height of a face's outermost points over its plane, relative to the extent, that is rounding.
const LEVEL: f64 = 1e-12;

/// Outermost points this near to each other, relative to the extent, are one.
const SAME: f64 = 1e-9;

/// A face, by its outermost points in order, or a straight line, by its ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flat<const D: usize> {
    /// Outward normal.
    pub(crate) normal: SVector<f64, D>,
    vertices: [(u32, SVector<f64, D>); RAYS],
    len: usize,
    /// Whether it is flat in every direction across the normal.
    pub(crate) is_face: bool,
    /// Whether it is a face with a round rim, of which the vertices are some points.
    is_round: bool,
}

impl<const D: usize> Flat<D> {
    fn new(normal: SVector<f64, D>, is_face: bool) -> Self {
        Self {
            normal,
            vertices: [(0, SVector::zeros()); RAYS],
            len: 0,
            is_face,
            is_round: false,
        }
    }

    /// A part by its vertices in order, of which a face keeps 16 at most, spread evenly; a line has two.
    pub(crate) fn of(
        normal: SVector<f64, D>,
        vertices: impl ExactSizeIterator<Item = (u32, SVector<f64, D>)>,
        is_face: bool,
    ) -> Self {
        let mut flat = Self::new(normal, is_face);
        let count = vertices.len();
        let step = count.div_ceil(RAYS);
        for vertex in vertices.step_by(step) {
            flat.vertices[flat.len] = vertex;
            flat.len += 1;
        }
        flat
    }

    /// The points with names that stay as long as the body is the same, less than 2¹².
    pub(crate) fn vertices(&self) -> &[(u32, SVector<f64, D>)] {
        &self.vertices[..self.len]
    }

    pub(crate) fn vertices_mut(&mut self) -> &mut [(u32, SVector<f64, D>)] {
        &mut self.vertices[..self.len]
    }

    fn push(&mut self, name: u32, x: SVector<f64, D>, same: f64) {
        let known = self.vertices().iter().any(|(_, y)| (x - y).norm() <= same);
        if !known {
            self.vertices[self.len] = (name, x);
            self.len += 1;
        }
    }

    /// Every other vertex: a round rim needs no more.
    fn thinned(mut self) -> Self {
        if self.len == RAYS {
            for i in 0..RAYS / 2 {
                self.vertices[i] = self.vertices[2 * i];
            }
            self.len = RAYS / 2;
            self.is_round = true;
        }
        self
    }

    /// A polygon round a face with a round rim, where the vertices are inside of it: they, as far from their middle as tangents at
    /// the rim between two of them meet if it is a circle.
    pub(crate) fn circumscribed(mut self) -> Option<Self> {
        if !self.is_round {
            return None;
        }
        let count = self.len as f64;
        let sum: SVector<f64, D> = self.vertices().iter().map(|(_, x)| x).sum();
        let (middle, by) = (sum / count, 1.0 / (std::f64::consts::PI / count).cos());
        for (_, x) in self.vertices_mut() {
            *x = middle + (*x - middle) * by;
        }
        Some(self)
    }
}

/// The flat part of a core at a point x with outward normal m, if there is one that faces that way.
pub(crate) fn flat<const D: usize>(
    core: &dyn Boundary<D>,
    x: &SVector<f64, D>,
    m: &SVector<f64, D>,
) -> Option<Flat<D>> {
    if let Some(ends) = core.ends() {
        let (along, _) = direction(&(ends[0] - ends[1]))?;
        let across = m - along * along.dot(m);
        let (normal, cos) = direction(&across)?;
        let mut line = Flat::new(normal, false);
        line.push(0, ends[0], 0.0);
        line.push(1, ends[1], 0.0);
        return (cos >= FACING).then_some(line);
    }
    if let Some(known) = core.facing(m) {
        return known;
    }
    let mut best: Option<(f64, usize)> = None;
    for index in 0..core.pieces() {
        let jet = core.piece(index, x);
        let facing = jet.gradient.dot(m) / jet.gradient.norm();
        if facing >= FACING && best.is_none_or(|(most, _)| facing > most) {
            best = Some((facing, index));
        }
    }
    outermost(core, best?.1, x)
}

/// The outermost points of a piece in the directions in which it is flat at x.
fn outermost<const D: usize>(
    core: &dyn Boundary<D>,
    index: usize,
    x: &SVector<f64, D>,
) -> Option<Flat<D>> {
    let (jet, extent) = (core.piece(index, x), core.extent());
    let (normal, slope) = direction(&jet.gradient)?;
    let is_flat = |curvature: f64| curvature.abs() * extent <= FLAT * slope;
    let [s, t] = tangents(&normal);
    let curvature = |u: &SVector<f64, D>, v: &SVector<f64, D>| u.dot(&(jet.hessian * v));
    let (along, is_face) = if D == 2 {
        is_flat(curvature(&s, &s)).then_some((s, true))?
    } else {
        let [a, b, c] = [curvature(&s, &s), curvature(&s, &t), curvature(&t, &t)];
        // Eigenvector of the smaller curvature of [[a, b], [b, c]].
        let angle = 0.5 * (2.0 * b).atan2(a - c) + std::f64::consts::FRAC_PI_2;
        let along = s * angle.cos() + t * angle.sin();
        if !is_flat(curvature(&along, &along)) {
            return None;
        }
        (along, is_flat(a) && is_flat(b) && is_flat(c))
    };
    // The sense of a line must not depend on the sense of the tangents.
    let leading = along[along.iamax()];
    let along = if leading < 0.0 { -along } else { along };
    let name = |ray: usize| {
        let piece = u32::try_from(index).unwrap_or(u32::MAX) % 256;
        piece * 16 + u32::try_from(ray).expect("there are few rays")
    };
    let mut flat = Flat::new(normal, is_face);
    let mut add = |ray: usize, outward: SVector<f64, D>| {
        let vertex = core.support(&(normal + outward * TILT));
        let level = normal.dot(&(vertex - x)) + jet.value / slope;
        flat.push(name(ray), vertex, SAME * extent);
        level.abs() <= LEVEL.max(TILT * TILT) * extent
    };
    let level = if D == 3 && is_face {
        (0..RAYS).all(|ray| {
            let angle = std::f64::consts::TAU * (ray as f64 + 0.5) / RAYS as f64;
            add(ray, s * angle.cos() + t * angle.sin())
        })
    } else {
        add(0, along) && add(1, -along)
    };
    (level && flat.len > 1).then(|| flat.thinned())
}
