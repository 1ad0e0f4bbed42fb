//! Two boxes, by their fifteen axes.
//!
//! ```math
//! s(n) = n \cdot t - \sum_i p_i |n_i| - \sum_j q_j |n \cdot b_j|
//! ```
//!
//! # Method
//! The facets of the Minkowski difference of boxes are normal to the faces and to the cross products of the edges: the axis n
//! with the highest s answers in overlap, and apart where the points along it lie on both boxes (`axes`; where faces are flush one
//! point may exclude most of the fifteen: `certain`). Otherwise a corner is next to a
//! corner or an edge (`apart`). Faces that lie flush are clipped in the axes of the one that has the normal (`flush`, `clip`),
//! and an edge on a face is cut off where it leaves it (`line`). What a moment ago says of this is in `memory`.
//!
//! # Guarantees and limits
//! Points, gap, normal and names are those of the general search, to rounding. An answer is given only with its
//! certificate, points at the distance s(n) along n; where it fails, and where two axes tie in overlap, the general search is
//! asked, and of edges along each other for what bounds the line. Nearer than 1e-12 of the size the direction from a
//! corner to a corner or an edge is for rounding to say.
//!
//! # References
//! - S. Gottschalk, M. C. Lin, D. Manocha, OBBTree: a hierarchical structure for rapid interference detection, SIGGRAPH
//!   1996, 171–180, doi 10.1145/237170.237244.

#![expect(
    clippy::inline_always,
    reason = "a query is short: calls and copies would be much of it"
)]

mod apart;
mod axes;
mod certain;
mod clip;
mod flush;
mod line;
mod memory;
#[cfg(test)]
mod tests;

pub(in crate::closest) use self::memory::Known;

use nalgebra::{Matrix3, SVector, Vector3};

use self::axes::{Axis, Kind};
use self::flush::Flush;
use self::line::Line;
use super::{Found, Meeting, TOLERANCE, polytope_of};
use crate::Placed;
use crate::closest::{ClosestPoints, Manifold, ManifoldPoint, Uniqueness, patch};
use crate::shapes::Cuboid;

/// Cosine and sine of the angle within which a face or an edge faces a direction: 6°, as for other bodies.
const FACING: [f64; 2] = [0.995, 0.1];

/// Height over a support plane, relative to the coordinates, that is rounding.
const LEVEL: f64 = 1e-14;

/// Coordinates whose squares are far from overflow, m.
const HUGE: f64 = 1e100;

/// The axes after an axis, and after that.
const NEXT: [[usize; 2]; 3] = [[1, 2], [2, 0], [0, 1]];

/// Two boxes seen from the middle of the first, in its axes.
struct Boxes<'a, const D: usize> {
    placed: [&'a Placed<'a, D>; 2],
    cuboids: [&'a Cuboid<D>; 2],
    half: [Vector3<f64>; 2],
    radii: [f64; 2],
    /// Axes of B in those of A.
    turn: Matrix3<f64>,
    /// Middle of B.
    between: Vector3<f64>,
    /// Distance of the middles, m.
    distance: f64,
    /// Length to which errors are relative, m.
    size: f64,
    size_of_smaller: f64,
}

/// From what closest points are known.
#[derive(Clone, Copy)]
enum Near {
    /// An axis of this kind, of boxes that moved by this since something was learnt of them.
    Axis(Kind, f64),
    /// A corner and a corner or an edge.
    Features,
}

/// Two edges, one of each box, in the axes of A.
struct Crossing {
    /// Where they are closest, m from their middles.
    along: [f64; 2],
    middles: [Vector3<f64>; 2],
}

/// Which contacts are asked for.
pub(in crate::closest) struct Asked<'m, const D: usize> {
    /// None at all if the gap is larger than this, m.
    pub(in crate::closest) reach: f64,
    /// What is known of the pair, to be used and brought up to date.
    pub(in crate::closest) known: Option<&'m mut Option<Box<Known<D>>>>,
}

/// Fills `out`, which is empty, with the contacts of two boxes; `None` for other bodies and where the general search must be
/// asked: nothing is listed then.
pub(in crate::closest) fn contacts<const D: usize>(
    a: &Placed<'_, D>,
    b: &Placed<'_, D>,
    asked: Asked<'_, D>,
    out: &mut Manifold<D>,
) -> Option<()> {
    Boxes::new(a, b)?.contacts(asked, out)
}

/// The closest points of two boxes and their name as a contact alone, as in [`contacts`].
pub(in crate::closest) fn closest<const D: usize>(
    a: &Placed<'_, D>,
    b: &Placed<'_, D>,
) -> Option<(ClosestPoints<D>, u32)> {
    let boxes = Boxes::new(a, b)?;
    let on = boxes.faces();
    let axis = boxes.axis(&on, None);
    if axis.tied {
        return None;
    }
    if let Some(flush) = Flush::new(&boxes, axis.kind.owner(), (&axis.n, &axis.own))
        && let Some(point) = flush.closest(flush.clipped(None, &mut None), &axis)
    {
        return Some((point.closest, point.feature));
    }
    let found = boxes
        .over(&axis, TOLERANCE * boxes.size)
        .or_else(|| Some(boxes.apart()?.0))?;
    let point = boxes.alone(&found, &times_transposed(&boxes.turn, &found.n));
    Some((point.closest, point.feature))
}

#[inline(always)]
fn in_space<const D: usize>(x: &SVector<f64, D>) -> Vector3<f64> {
    Vector3::new(x[0], x[1], x[2])
}

#[inline(always)]
fn back<const D: usize>(x: &Vector3<f64>) -> SVector<f64, D> {
    let mut out = SVector::zeros();
    (out[0], out[1], out[2]) = (x[0], x[1], x[2]);
    out
}

/// m x.
#[inline(always)]
fn times(m: &Matrix3<f64>, x: &Vector3<f64>) -> Vector3<f64> {
    let row = |i: usize| m[(i, 0)] * x[0] + m[(i, 1)] * x[1] + m[(i, 2)] * x[2];
    Vector3::new(row(0), row(1), row(2))
}

/// mᵀ x.
#[inline(always)]
fn times_transposed(m: &Matrix3<f64>, x: &Vector3<f64>) -> Vector3<f64> {
    let row = |i: usize| m[(0, i)] * x[0] + m[(1, i)] * x[1] + m[(2, i)] * x[2];
    Vector3::new(row(0), row(1), row(2))
}

/// Whether a face faces along m.
#[inline(always)]
fn is_steep(m: &Vector3<f64>) -> bool {
    (m[0].abs() >= FACING[0]) | (m[1].abs() >= FACING[0]) | (m[2].abs() >= FACING[0])
}

/// The first axis along which m is least.
#[inline(always)]
fn least(m: &Vector3<f64>) -> usize {
    let [x, y, z] = [m[0].abs(), m[1].abs(), m[2].abs()];
    if x <= y && x <= z {
        0
    } else if y <= z {
        1
    } else {
        2
    }
}

/// Plus or minus one.
#[inline(always)]
fn sign(x: f64) -> f64 {
    1f64.copysign(x)
}

impl<'a, const D: usize> Boxes<'a, D> {
    /// `None` for other bodies, and if something is not finite.
    #[inline(always)]
    fn new(a: &'a Placed<'a, D>, b: &'a Placed<'a, D>) -> Option<Self> {
        let ((p, radius_p), (q, radius_q)) = (polytope_of(a.set)?, polytope_of(b.set)?);
        let sizes = [
            p.bounding_radius() + radius_p,
            q.bounding_radius() + radius_q,
        ];
        let (p, q) = (p.as_cuboid()?, q.as_cuboid()?);
        if D != 3 {
            return None;
        }
        let (r, s) = (&a.pose.rotation, &b.pose.rotation);
        // By columns of B, so that the compiler works out two rows at once.
        let row = |i: usize| Vector3::new(r[(i, 0)], r[(i, 1)], r[(i, 2)]);
        let rows = [row(0), row(1), row(2)];
        let seen = |x: f64, y: f64, z: f64| rows[0] * x + rows[1] * y + rows[2] * z;
        let column = |j: usize| seen(s[(0, j)], s[(1, j)], s[(2, j)]);
        let turn = Matrix3::from_columns(&[column(0), column(1), column(2)]);
        let x = b.pose.position - a.pose.position;
        let shift = seen(x[0], x[1], x[2]);
        let between = times(&turn, &in_space(&q.centre)) + shift - in_space(&p.centre);
        let (distance, size) = (between.norm(), sizes[0].max(sizes[1]));
        // No answer then overflows. A rotation that is not finite makes `between` NaN: even zero times it is.
        let at = &a.pose.position;
        let largest = distance + size + (at[0].abs() + at[1].abs() + at[2].abs());
        if largest.is_nan() || largest >= HUGE {
            return None;
        }
        Some(Self {
            distance,
            placed: [a, b],
            cuboids: [p, q],
            half: [in_space(&p.half), in_space(&q.half)],
            radii: [radius_p, radius_q],
            between,
            turn,
            size,
            size_of_smaller: sizes[0].min(sizes[1]),
        })
    }

    /// Fills `out` as [`contacts`] does.
    #[inline(always)]
    fn contacts(&self, asked: Asked<'_, D>, out: &mut Manifold<D>) -> Option<()> {
        let Asked { reach, mut known } = asked;
        let before = known.as_deref().and_then(Option::as_deref);
        // A gap is a separation but for rounding.
        let limit = reach + self.radii[0] + self.radii[1] + 2.0 * self.slack();
        if let Some(features) = before.and_then(|before| before.features)
            && let Some((found, own)) = features.certain(self)
        {
            let near = Near::Features;
            self.beside((&found, &own), (limit, near), known, out);
            return Some(());
        }
        let moved = before.map_or(f64::INFINITY, |before| before.moved(self));
        let faces = before.and_then(|before| before.faces);
        if let Some(axis) = before.and_then(|before| before.axis(self, moved)) {
            return self.list_across(&axis, (limit, moved), known, out);
        }
        let on = self.faces();
        let far = |edges| self.are_apart(edges, limit);
        let mut is_far = false;
        for separation in on {
            is_far |= separation > limit;
        }
        if is_far || before.and_then(|before| before.far).is_some_and(far) {
            return Some(());
        }
        let axis = self.axis(&on, faces);
        if axis.separation > limit
            && let (Kind::Edges(i, j), Some(known)) = (axis.kind, &mut known)
        {
            known.get_or_insert_default().far = Some([i, j]);
        }
        self.list_across(&axis, (limit, moved), known, out)
    }

    /// Lists the contacts across the axis that separates most, within a limit of its separation, or those of features where
    /// no point of the axis is on the boxes; these moved by this since something was learnt of them.
    #[inline(never)]
    fn list_across(
        &self,
        axis: &Axis,
        (limit, moved): (f64, f64),
        mut known: Option<&mut Option<Box<Known<D>>>>,
        out: &mut Manifold<D>,
    ) -> Option<()> {
        if axis.separation > limit {
            return Some(());
        }
        if axis.tied {
            return None;
        }
        if let Some(flush) = Flush::new(self, axis.kind.owner(), (&axis.n, &axis.own)) {
            let plan = match &known {
                Some(Some(before)) => before.plan(&flush.faces, moved),
                _ => None,
            };
            let mut fresh = None;
            if flush
                .contacts(flush.clipped(plan, &mut fresh), axis, out)
                .is_some()
            {
                if let (Some(fresh), Some(known)) = (&fresh, known) {
                    Known::keep(known, moved, (self, axis.kind), Some((&flush, fresh)));
                }
                return Some(());
            }
        }
        if let Some(found) = self.over(axis, TOLERANCE * self.size) {
            let near = Near::Axis(axis.kind, moved);
            self.beside((&found, &axis.own), (limit, near), known, out);
            return Some(());
        }
        let (found, features) = self.apart()?;
        let own = times_transposed(&self.turn, &found.n);
        if let Some(known) = &mut known
            && known
                .as_deref()
                .is_none_or(|known| known.features != Some(features))
        {
            known.get_or_insert_default().features = Some(features);
        }
        let near = Near::Features;
        self.beside((&found, &own), (limit, near), known, out);
        Some(())
    }

    /// Lists what is flush beside closest points that are known, with their normal in the axes of B, within a limit of their distance.
    #[inline(never)]
    fn beside(
        &self,
        (found, own): (&Found<3>, &Vector3<f64>),
        (limit, near): (f64, Near),
        known: Option<&mut Option<Box<Known<D>>>>,
        out: &mut Manifold<D>,
    ) {
        if found.distance > limit {
            return;
        }
        let point = self.alone(found, own);
        let is_flat = self.both_are_flat(&found.n, own);
        let is_unique = point.closest.uniqueness == Uniqueness::Unique;
        if is_flat
            && is_unique
            && let Some(flush) = Flush::new(self, 0, (&found.n, own))
        {
            let before = known.as_deref().and_then(Option::as_deref);
            let moved = match near {
                Near::Axis(_, moved) => moved,
                Near::Features => before.map_or(f64::INFINITY, |before| before.moved(self)),
            };
            let plan = before.and_then(|before| before.plan(&flush.faces, moved));
            let mut fresh = None;
            let clipped = flush.clipped(plan, &mut fresh);
            flush.list_beside(clipped, [&found.a, &found.b], &point, out);
            // A direction from corner to corner turns too quickly.
            if let (Some(fresh), Some(known), Near::Axis(kind, _)) = (&fresh, known, near) {
                Known::keep(known, moved, (self, kind), Some((&flush, fresh)));
            }
            return;
        }
        if let (Some(known), Near::Axis(kind, moved)) = (known, near) {
            Known::keep(known, moved, (self, kind), None);
        }
        if !is_flat {
            out.push_alone(point);
            return;
        }
        if is_unique && let Some(line) = Line::new(self, (&found.n, own)) {
            line.list_beside(&point, out);
            return;
        }
        let [a, b] = self.placed;
        patch::contacts(a, b, (point.feature, &point.closest), &mut |point| {
            out.push(point);
        });
        out.sort();
    }

    /// Closest points, along `own` in the axes of B, with the name that they have alone.
    #[inline(always)]
    fn alone(&self, found: &Found<3>, own: &Vector3<f64>) -> ManifoldPoint<D> {
        let uniqueness = if self.is_free(&found.n, own) {
            Uniqueness::FreePoints
        } else {
            Uniqueness::Unique
        };
        let (pose, centre) = (&self.placed[0].pose, in_space(&self.cuboids[0].centre));
        let (r, n, distance) = (&pose.rotation, found.n, found.distance);
        let turned = |x: &Vector3<f64>| {
            let row = |i: usize| r[(i, 0)] * x[0] + r[(i, 1)] * x[1] + r[(i, 2)] * x[2];
            Vector3::new(row(0), row(1), row(2))
        };
        // The points are exact to rounding; what the identity lacks is shared.
        let lack = (n * distance - (found.b - found.a)) * 0.5;
        let a = turned(&(found.a + centre - lack + n * self.radii[0])) + in_space(&pose.position);
        let (normal, gap) = (turned(&n), distance - self.radii[0] - self.radii[1]);
        let b = a + normal * gap;
        let mut closest = ClosestPoints::exact(back(&a), back(&b), back(&normal), gap);
        closest.uniqueness = uniqueness;
        let feature = found.meeting.name();
        ManifoldPoint { feature, closest }
    }

    /// Most that the middles and corners may be from each other, m.
    fn reach(&self) -> f64 {
        self.half[0].norm() + self.half[1].norm() + self.distance
    }

    /// More than any two points of one box can be apart, m.
    #[inline(always)]
    fn span(&self) -> f64 {
        4.0 * self.size
    }

    /// Rounding and tolerance of a distance, m.
    #[inline(always)]
    fn slack(&self) -> f64 {
        TOLERANCE * self.size + 4.0 * f64::EPSILON * self.distance
    }

    /// Half lengths with the signs of the corner of body k that is furthest along m, in its own axes.
    #[inline(always)]
    fn corner(&self, k: usize, m: &Vector3<f64>) -> Vector3<f64> {
        let h = &self.half[k];
        Vector3::new(
            h[0].copysign(m[0]),
            h[1].copysign(m[1]),
            h[2].copysign(m[2]),
        )
    }

    /// The vertex of body k with these signs.
    #[inline(always)]
    fn name(&self, k: usize, corner: &Vector3<f64>) -> u32 {
        let bit = |i: usize| usize::from(corner[i] > 0.0);
        self.cuboids[k].vertices[4 * bit(0) + 2 * bit(1) + bit(2)]
    }

    /// The lower name of the ends of the edge of body k along an axis through a corner.
    #[inline(always)]
    fn lower_name(&self, k: usize, corner: &Vector3<f64>, axis: usize) -> usize {
        let mut other = *corner;
        other[axis] = -other[axis];
        self.name(k, corner).min(self.name(k, &other)) as usize
    }

    /// A point of the axes of B in those of A.
    #[inline(always)]
    fn seen_from_a(&self, x: &Vector3<f64>) -> Vector3<f64> {
        times(&self.turn, x) + self.between
    }

    /// The points of an axis at its distance, if they lie on both boxes or are beside them by this, m.
    #[inline(always)]
    fn over(&self, axis: &Axis, slack: f64) -> Option<Found<3>> {
        let (n, distance) = (axis.n, axis.separation);
        let found = |a, b, meeting| Found {
            a,
            b,
            n,
            distance,
            meeting,
        };
        match axis.kind {
            Kind::Face(0, k) => {
                let corner = self.corner(1, &-axis.own);
                let x = self.seen_from_a(&corner);
                let [u, v] = NEXT[k];
                let within = |i: usize| x[i].abs() <= self.half[0][i] + slack;
                let inside = within(u) & within(v);
                let meeting = Meeting::Vertex(1, self.name(1, &corner) as usize);
                inside.then(|| found(x - n * distance, x, meeting))
            }
            Kind::Face(_, k) => {
                let x = self.corner(0, &n);
                let own = times_transposed(&self.turn, &(x - self.between));
                let [u, v] = NEXT[k];
                let within = |i: usize| own[i].abs() <= self.half[1][i] + slack;
                let inside = within(u) & within(v);
                let meeting = Meeting::Vertex(0, self.name(0, &x) as usize);
                inside.then(|| found(x, x + n * distance, meeting))
            }
            Kind::Edges(i, j) => {
                let (x, y) = (self.corner(0, &n), self.corner(1, &-axis.own));
                let ends = [self.lower_name(0, &x, i), self.lower_name(1, &y, j)];
                let Crossing { along, middles, .. } = self.edges_cross([i, j], (&n, &axis.own));
                let within = |k: usize, i: usize| along[k].abs() <= self.half[k][i] + slack;
                let (mut a, b) = (middles[0], middles[1] + self.turn.column(j) * along[1]);
                a[i] = along[0];
                // Nearly parallel edges have a direction across that rounding turns.
                let holds = (b - a - n * distance).norm() <= self.slack();
                (within(0, i) && within(1, j) && holds).then(|| found(a, b, Meeting::Both(ends)))
            }
        }
    }

    /// Edges i of A and j of B that are furthest along their cross product n and against it, `own` in the axes of B.
    #[inline(always)]
    fn edges_cross(
        &self,
        [i, j]: [usize; 2],
        (n, own): (&Vector3<f64>, &Vector3<f64>),
    ) -> Crossing {
        let (mut x, mut y) = (self.corner(0, n), self.corner(1, &-own));
        (x[i], y[j]) = (0.0, 0.0);
        let y = self.seen_from_a(&y);
        let v = self.turn.column(j);
        let [k, l] = NEXT[i];
        // n is along the cross product of the edges, whose part along axis i is none.
        let area = n[l] * v[k] - n[k] * v[l];
        let moment = n.cross(&(y - x));
        Crossing {
            along: [v.dot(&moment) / area, moment[i] / area],
            middles: [x, y],
        }
    }

    /// Whether faces or parallel edges lie on each other across n, which is `own` in the axes of B.
    #[inline(always)]
    fn is_free(&self, n: &Vector3<f64>, own: &Vector3<f64>) -> bool {
        let level = LEVEL * (self.size + self.distance);
        let lies = |k: usize, m: &Vector3<f64>| {
            let h = &self.half[k];
            let on = |i: usize| 2.0 * h[i] * m[i].abs() <= level;
            on(0) | on(1) | on(2)
        };
        if !lies(1, own) || !lies(0, n) {
            return false;
        }
        let (mut on_a, mut on_b) = (0u8, 0u8);
        for i in 0..3 {
            on_a |= u8::from(2.0 * self.half[0][i] * n[i].abs() <= level) << i;
            on_b |= u8::from(2.0 * self.half[1][i] * own[i].abs() <= level) << i;
        }
        on_a.count_ones() + on_b.count_ones() > 2 || {
            // Edges, whose cross product is as long as the rest of the row.
            const ON_EACH_OTHER: f64 = 1e-9;
            let (i, j) = (
                on_a.trailing_zeros() as usize,
                on_b.trailing_zeros() as usize,
            );
            let [k, l] = NEXT[i];
            let (x, y) = (self.turn[(k, j)], self.turn[(l, j)]);
            x * x + y * y <= ON_EACH_OTHER * ON_EACH_OTHER
        }
    }

    /// Whether both boxes have a face or an edge that faces the other along n, other than edges that cross.
    #[inline(always)]
    fn both_are_flat(&self, n: &Vector3<f64>, own: &Vector3<f64>) -> bool {
        let (i, j) = (least(n), least(own));
        let (x, y) = (n[i], own[j]);
        let has_face = [is_steep(n), is_steep(own)];
        let has_edge = [x.abs() <= FACING[1], y.abs() <= FACING[1]];
        if !(has_face[0] || has_edge[0]) || !(has_face[1] || has_edge[1]) {
            return false;
        }
        if has_face[0] || has_face[1] {
            return true;
        }
        // Seen along n, the edges run along each other.
        let cosine = (self.turn[(i, j)] - x * y).abs();
        cosine >= 0.99 * FACING[0] * ((1.0 - x * x) * (1.0 - y * y)).sqrt()
    }
}
