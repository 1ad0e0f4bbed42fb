//! Lines and faces on which two bodies lie flush, by the points that bound them.
//!
//! # Method
//! The flat parts next to the closest points (`boundary::flat`) are clipped against each other across the normal: what
//! is left is bounded by points of one over the other, and by crossings of their edges. A point over a face has that
//! face's normal, so that its gap is exact while the bodies tilt.
//!
//! # Guarantees and limits
//! Names depend on the flat parts alone. A round face is bounded by eight points that turn with the body.
//!
//! # References
//! - I. E. Sutherland, G. W. Hodgman, Reentrant polygon clipping, Comm. ACM 17 (1974) 32–42, doi 10.1145/360767.360802.

use nalgebra::SVector;

use super::{ClosestPoints, ManifoldPoint, Uniqueness};
use crate::boundary::{Flat, flat};
use crate::direction::tangents;
use crate::{ConvexSet, Placed};

/// The name of closest points that are no bounding point of a patch.
pub(super) const CLOSEST: u32 = 0;

/// Distance, relative to the size, within which closest points are a bounding point of the patch.
const SAME: f64 = 1e-7;

/// By how much the gaps of a patch may differ from the least, relative to the size, for its points to stand for it: edges
/// that lie beside the faces next to them do not.
const FREE: f64 = 1e-12;

/// Distance, relative to the smaller part, within which a corner counts as on the other's border and two corners as one. It
/// moves no point; corners that coincide, as in a stack of equal boxes, keep their names while poses jitter by less.
const SAME_CORNER: f64 = 1e-6;

/// Cosine of the angle between two lines up to which they run along each other: 6°.
const ALONG: f64 = 0.995;

/// The contacts of a pair whose closest points are known, with the name that they have if they bound no patch; the closest
/// first.
pub(super) fn contacts<const D: usize>(
    a: &Placed<'_, D>,
    b: &Placed<'_, D>,
    (alone, closest): (u32, &ClosestPoints<D>),
    list: &mut dyn FnMut(ManifoldPoint<D>),
) {
    let mut points = Points {
        all: [(CLOSEST, *closest); MOST],
        len: 0,
    };
    if let Some(parts) = Parts::of(a, b, closest) {
        parts.contacts(&mut points);
    }
    let same = SAME * size(a).min(size(b));
    let near = |point: &ClosestPoints<D>| {
        (point.a - closest.a).norm() <= same || (point.b - closest.b).norm() <= same
    };
    let points = &points.all[..points.len];
    if closest.uniqueness == Uniqueness::FreePoints
        && let Some(first) = points.iter().min_by(|p, q| p.1.gap.total_cmp(&q.1.gap))
        && (first.1.gap - closest.gap).abs() <= FREE * size(a).min(size(b))
    {
        // One closest point of many says nothing; those that bound the patch do.
        list(point(*first));
        let rest = points.iter().filter(|other| other.0 != first.0);
        rest.for_each(|other| list(point(*other)));
        return;
    }
    let name = points.iter().find(|(_, p)| near(p)).map_or(alone, |p| p.0);
    list(point((name, *closest)));
    let rest = points.iter().filter(|other| other.0 != name);
    rest.for_each(|other| list(point(*other)));
}

/// The corners of the patch in which flat parts face each other along a normal, by any points furthest along it; and, roughly,
/// those beyond the points that stand for a round rim: the corner of a box may be inside of the rim and outside of these.
pub(super) fn corners<const D: usize>(
    a: &Placed<'_, D>,
    b: &Placed<'_, D>,
    outermost: &ClosestPoints<D>,
    list: &mut dyn FnMut(&ClosestPoints<D>),
) {
    let mut points = Points {
        all: [(CLOSEST, *outermost); MOST],
        len: 0,
    };
    if let Some(parts) = Parts::of(a, b, outermost) {
        parts.contacts(&mut points);
        if let Some(around) = parts.circumscribed() {
            around.contacts(&mut points);
        }
    }
    for (_, corner) in &points.all[..points.len] {
        list(corner);
    }
}

fn point<const D: usize>((feature, closest): (u32, ClosestPoints<D>)) -> ManifoldPoint<D> {
    ManifoldPoint { feature, closest }
}

fn size<const D: usize>(placed: &Placed<'_, D>) -> f64 {
    placed.set.bounding_radius()
}

/// Contacts of a patch at most: two clipped polygons of 16 corners have no more.
const MOST: usize = 32;

struct Points<const D: usize> {
    all: [(u32, ClosestPoints<D>); MOST],
    len: usize,
}

impl<const D: usize> Points<D> {
    fn push(&mut self, name: u32, point: ClosestPoints<D>) {
        if self.len < MOST {
            self.all[self.len] = (name, point);
            self.len += 1;
        }
    }
}

/// A flat part in world axes; a half-space is a face without vertices.
enum Part<const D: usize> {
    Plane {
        normal: SVector<f64, D>,
        at: SVector<f64, D>,
    },
    Flat(Flat<D>),
}

impl<const D: usize> Part<D> {
    /// The part of a body at its witness point, with `outward` the direction to the other body; points are relative to
    /// `origin`.
    fn of(
        placed: &Placed<'_, D>,
        witness: &SVector<f64, D>,
        outward: &SVector<f64, D>,
        origin: &SVector<f64, D>,
    ) -> Option<Self> {
        let pose = placed.pose.relative_to(origin);
        if let ConvexSet::HalfSpace(plane) = placed.set {
            let normal = pose.rotate(plane.normal());
            let at = pose.position + normal * plane.offset();
            return Some(Self::Plane { normal, at });
        }
        let (core, radius) = placed.set.core()?;
        let x = pose.inverse_apply(&(witness - origin - outward * radius));
        let mut part = flat(core, &x, &pose.inverse_rotate(outward))?;
        part.normal = pose.rotate(&part.normal);
        for (_, vertex) in part.vertices_mut() {
            *vertex = pose.apply(vertex);
        }
        Some(Self::Flat(part))
    }

    /// The plane of a face.
    fn plane(&self) -> Option<(SVector<f64, D>, SVector<f64, D>)> {
        match self {
            Self::Plane { normal, at } => Some((*normal, *at)),
            Self::Flat(flat) => flat.is_face.then(|| (flat.normal, flat.vertices()[0].1)),
        }
    }

    fn vertices(&self) -> &[(u32, SVector<f64, D>)] {
        match self {
            Self::Plane { .. } => &[],
            Self::Flat(flat) => flat.vertices(),
        }
    }
}

/// The flat parts of A and B that face each other.
struct Parts<const D: usize> {
    sides: [Part<D>; 2],
    radii: [f64; 2],
    origin: SVector<f64, D>,
    normal: SVector<f64, D>,
}

/// A corner of a clipped polygon: where it is across the normal, and what it is.
#[derive(Clone, Copy, Debug)]
struct Corner {
    at: [f64; 2],
    what: What,
}

#[derive(Clone, Copy, Debug)]
enum What {
    /// Vertex of A or of B, by its place in the part.
    Vertex(usize, usize),
    /// Crossing of the edges that begin at these vertices of A and of B.
    Crossing(usize, usize),
}

impl<const D: usize> Parts<D> {
    fn of(a: &Placed<'_, D>, b: &Placed<'_, D>, closest: &ClosestPoints<D>) -> Option<Self> {
        let (origin, normal) = (a.pose.position, closest.normal);
        let sides = [
            Part::of(a, &closest.a, &normal, &origin)?,
            Part::of(b, &closest.b, &-normal, &origin)?,
        ];
        let radius = |placed: &Placed<'_, D>| placed.set.core().map_or(0.0, |(_, radius)| radius);
        Some(Self {
            sides,
            radii: [radius(a), radius(b)],
            origin,
            normal,
        })
    }

    /// The same with polygons round those that have a round rim; `None` if neither has.
    fn circumscribed(mut self) -> Option<Self> {
        let mut any = false;
        for side in &mut self.sides {
            if let Part::Flat(flat) = side
                && let Some(around) = flat.circumscribed()
            {
                (*flat, any) = (around, true);
            }
        }
        any.then_some(self)
    }

    fn contacts(&self, out: &mut Points<D>) {
        let infinite = |k: usize| matches!(self.sides[k], Part::Plane { .. });
        for owner in [0, 1] {
            if infinite(1 - owner) {
                for place in 0..self.sides[owner].vertices().len() {
                    self.push_vertex(owner, place, out);
                }
                return;
            }
        }
        let corners = if D == 2 {
            self.overlap()
        } else {
            self.clipped()
        };
        for corner in &corners.all[..corners.len] {
            match corner.what {
                What::Vertex(owner, place) => self.push_vertex(owner, place, out),
                What::Crossing(i, j) => self.push_crossing(corner, i, j, out),
            }
        }
    }

    /// A vertex of one part over the other.
    fn push_vertex(&self, owner: usize, place: usize, out: &mut Points<D>) {
        let (name, x) = self.sides[owner].vertices()[place];
        let owners = if owner == 0 { 1 << 24 } else { 2 << 24 };
        self.push_over(owners | name, owner, &x, self.sides[1 - owner].plane(), out);
    }

    /// A point of one part over the face of the other, or over its line.
    fn push_over(
        &self,
        name: u32,
        owner: usize,
        x: &SVector<f64, D>,
        face: Option<(SVector<f64, D>, SVector<f64, D>)>,
        out: &mut Points<D>,
    ) {
        let (normal, other) = if let Some((outward, at)) = face {
            // Out of the other's face, from A to B.
            let foot = x - outward * outward.dot(&(x - at));
            (if owner == 0 { -outward } else { outward }, foot)
        } else {
            // Two lines that are not quite parallel pass beside each other: what counts is how far along the normal.
            let beside = self.opposite(1 - owner, x) - x;
            (self.normal, x + self.normal * self.normal.dot(&beside))
        };
        let [a, b] = if owner == 0 { [*x, other] } else { [other, *x] };
        self.push(name, a, b, normal, out);
    }

    /// The point of a line next to a point across the normal.
    fn opposite(&self, k: usize, x: &SVector<f64, D>) -> SVector<f64, D> {
        let ends = self.sides[k].vertices();
        let (from, along) = (ends[0].1, ends[ends.len() - 1].1 - ends[0].1);
        let across = along - self.normal * self.normal.dot(&along);
        from + along * (across.dot(&(x - from)) / across.norm_squared())
    }

    /// Where an edge of A crosses one of B, seen along the normal; over a face if the other is a line.
    fn push_crossing(&self, corner: &Corner, i: usize, j: usize, out: &mut Points<D>) {
        let name = |k: usize, place: usize| self.sides[k].vertices()[place].0;
        let name = (3 << 24) | (name(0, i) << 12) | name(1, j);
        let [s, t] = tangents(&self.normal);
        let seen = s * corner.at[0] + t * corner.at[1];
        let planes = [0, 1].map(|k| self.sides[k].plane());
        let on = |k: usize| match planes[k] {
            Some((normal, at)) => {
                seen + self.normal * (normal.dot(&(at - seen)) / normal.dot(&self.normal))
            }
            None => self.opposite(k, &seen),
        };
        match planes {
            [Some(face), None] => self.push_over(name, 1, &on(1), Some(face), out),
            [None, Some(face)] => self.push_over(name, 0, &on(0), Some(face), out),
            _ => self.push(name, on(0), on(1), self.normal, out),
        }
    }

    fn push(
        &self,
        name: u32,
        a: SVector<f64, D>,
        b: SVector<f64, D>,
        normal: SVector<f64, D>,
        out: &mut Points<D>,
    ) {
        let gap = normal.dot(&(b - a)) - self.radii[0] - self.radii[1];
        let a = self.origin + a + normal * self.radii[0];
        let b = self.origin + b - normal * self.radii[1];
        out.push(name, ClosestPoints::exact(a, b, normal, gap));
    }

    fn seen(&self, k: usize) -> Corners {
        let [s, t] = tangents(&self.normal);
        let mut corners = Corners::default();
        for (place, (_, x)) in self.sides[k].vertices().iter().enumerate() {
            corners.push(Corner {
                at: [s.dot(x), if D == 2 { 0.0 } else { t.dot(x) }],
                what: What::Vertex(k, place),
            });
        }
        corners
    }

    /// Two sides of the plane: the ends of the interval in which they overlap.
    fn overlap(&self) -> Corners {
        let (a, b) = (self.seen(0), self.seen(1));
        interval(&a, &b, |corner| corner.at[0])
    }

    /// Faces and lines of space.
    fn clipped(&self) -> Corners {
        let (a, b) = (self.seen(0), self.seen(1));
        match (a.len > 2, b.len > 2) {
            (true, true) => clip_polygon(&a, &b),
            (true, false) => clip_line(&b, &a, 1),
            (false, true) => clip_line(&a, &b, 0),
            (false, false) => {
                let along = |c: &Corners| {
                    let [p, q] = [c.all[0].at, c.all[1].at];
                    let d = [q[0] - p[0], q[1] - p[1]];
                    let length = d[0].hypot(d[1]);
                    [d[0] / length, d[1] / length]
                };
                let (u, v) = (along(&a), along(&b));
                let cos = u[0] * v[0] + u[1] * v[1];
                if cos.abs() < ALONG {
                    return Corners::default();
                }
                interval(&a, &b, |corner| u[0] * corner.at[0] + u[1] * corner.at[1])
            }
        }
    }
}

#[derive(Clone, Copy)]
struct Corners {
    all: [Corner; MOST],
    len: usize,
}

impl Default for Corners {
    fn default() -> Self {
        let none = Corner {
            at: [0.0; 2],
            what: What::Vertex(0, 0),
        };
        Self {
            all: [none; MOST],
            len: 0,
        }
    }
}

impl Corners {
    fn push(&mut self, corner: Corner) {
        if self.len < MOST {
            self.all[self.len] = corner;
            self.len += 1;
        }
    }

    fn iter(&self) -> impl Iterator<Item = &Corner> {
        self.all[..self.len].iter()
    }

    fn extent(&self) -> f64 {
        let first = self.all[0].at;
        self.iter()
            .map(|corner| apart(corner.at, first))
            .fold(0.0, f64::max)
    }

    /// Adds a corner unless one is there already.
    fn push_new(&mut self, corner: Corner, same: f64) {
        if self.iter().all(|known| apart(known.at, corner.at) > same) {
            self.push(corner);
        }
    }
}

fn apart(p: [f64; 2], q: [f64; 2]) -> f64 {
    let [x, y] = [p[0] - q[0], p[1] - q[1]];
    (x * x + y * y).sqrt()
}

/// Distance within which corners of these parts are one.
fn same_corner(a: &Corners, b: &Corners) -> f64 {
    SAME_CORNER * a.extent().min(b.extent())
}

/// The ends of the overlap of two intervals: the vertices of each that lie inside the other, those of A first where
/// they coincide.
fn interval(a: &Corners, b: &Corners, coordinate: impl Fn(&Corner) -> f64) -> Corners {
    let range = |c: &Corners| {
        c.iter()
            .map(&coordinate)
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| {
                (low.min(x), high.max(x))
            })
    };
    let ((low_a, high_a), (low_b, high_b)) = (range(a), range(b));
    let same = SAME_CORNER * (high_a - low_a).min(high_b - low_b);
    let mut out = Corners::default();
    for corner in a.iter() {
        let x = coordinate(corner);
        if low_b - same <= x && x <= high_b + same {
            out.push(*corner);
        }
    }
    for corner in b.iter() {
        let x = coordinate(corner);
        if low_a + same < x && x < high_a - same {
            out.push(*corner);
        }
    }
    out
}

/// Twice the area of the triangle p q x: positive if x is to the left of the way from p to q.
fn left_of(p: [f64; 2], q: [f64; 2], x: [f64; 2]) -> f64 {
    (q[0] - p[0]) * (x[1] - p[1]) - (q[1] - p[1]) * (x[0] - p[0])
}

/// The part of a line of body `owner` inside the polygon of the other.
fn clip_line(line: &Corners, polygon: &Corners, owner: usize) -> Corners {
    let [p, q] = [line.all[0], line.all[1]];
    let (turn, same) = (orientation(polygon), same_corner(line, polygon));
    let (mut enter, mut leave) = ((0.0, p.what), (1.0, q.what));
    for j in 0..polygon.len {
        let [from, to] = [polygon.all[j].at, polygon.all[(j + 1) % polygon.len].at];
        let (x, y) = (
            turn * left_of(from, to, p.at),
            turn * left_of(from, to, q.at),
        );
        if x < 0.0 && y < 0.0 {
            return Corners::default();
        }
        // An end on the border stays the end.
        let border = same * apart(from, to);
        if x.min(y) >= -border {
            continue;
        }
        let at = x / (x - y);
        let crossing = if owner == 0 {
            What::Crossing(0, j)
        } else {
            What::Crossing(j, 0)
        };
        if x < 0.0 && at > enter.0 {
            enter = (at, crossing);
        } else if y < 0.0 && at < leave.0 {
            leave = (at, crossing);
        }
    }
    let mut out = Corners::default();
    // An end over the border, as of a corner next to an edge, has no part of the line inside but rounding.
    if (leave.0 - enter.0) * apart(p.at, q.at) > same {
        for (at, what) in [enter, leave] {
            let mix = |k: usize| p.at[k] + at * (q.at[k] - p.at[k]);
            out.push(Corner {
                at: [mix(0), mix(1)],
                what,
            });
        }
    }
    out
}

/// One if the corners go round counter-clockwise, minus one otherwise.
fn orientation(polygon: &Corners) -> f64 {
    let origin = polygon.all[0].at;
    let area: f64 = (1..polygon.len - 1)
        .map(|i| left_of(origin, polygon.all[i].at, polygon.all[i + 1].at))
        .sum();
    area.signum()
}

/// The overlap of two convex polygons: vertices of each inside the other, those of A first where they coincide, and
/// crossings of edges.
fn clip_polygon(a: &Corners, b: &Corners) -> Corners {
    let same = same_corner(a, b);
    let inside = |x: [f64; 2], polygon: &Corners| {
        let turn = orientation(polygon);
        (0..polygon.len).all(|j| {
            let [from, to] = [polygon.all[j].at, polygon.all[(j + 1) % polygon.len].at];
            turn * left_of(from, to, x) >= -same * apart(from, to)
        })
    };
    let mut out = Corners::default();
    a.iter()
        .filter(|corner| inside(corner.at, b))
        .for_each(|corner| out.push(*corner));
    b.iter()
        .filter(|corner| inside(corner.at, a))
        .for_each(|corner| out.push_new(*corner, same));
    for i in 0..a.len {
        let [p, q] = [a.all[i].at, a.all[(i + 1) % a.len].at];
        for j in 0..b.len {
            let [r, s] = [b.all[j].at, b.all[(j + 1) % b.len].at];
            let (x, y) = (left_of(r, s, p), left_of(r, s, q));
            let (u, v) = (left_of(p, q, r), left_of(p, q, s));
            // Edges along each other, or that end on each other, cross at vertices that are listed.
            let through = |x: f64, y: f64, p: [f64; 2], q: [f64; 2]| {
                x * y < 0.0 && x.abs().min(y.abs()) > same * apart(p, q)
            };
            if through(x, y, r, s) && through(u, v, p, q) {
                let at = x / (x - y);
                let corner = Corner {
                    at: [0, 1].map(|k| p[k] + at * (q[k] - p[k])),
                    what: What::Crossing(i, j),
                };
                out.push_new(corner, same);
            }
        }
    }
    out
}
