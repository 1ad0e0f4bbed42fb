//! Flush faces of several pieces act as one: of the contacts in one plane those count that are corners of their hull.
//!
//! # Method
//! Contacts of two bodies with one normal and their points in one plane ask, where they lie inside of the hull of the others, for
//! nothing that these do not ask for: normal velocities and gaps are affine along the plane.
//!
//! ```math
//! x_k = \sum_j \lambda_j x_j, \quad \lambda \ge 0, \; \sum_j \lambda_j = 1
//! \;\Rightarrow\; g_k + h\,n^T u_k = \sum_j \lambda_j (g_j + h\,n^T u_j) \ge 0
//! ```
//!
//! An impulse at x_k is one with the parts λ_j of it at x_j, with the same force and the same moment. So only the pressure is
//! chosen, which rigid bodies leave open: with friction, contacts at seams are nearer to the axis of a spin than the corners of
//! the face. What lies deeper than the corners say stays.

use nalgebra::SVector;
use signorini_geometry::ClosestPoints;

use super::{
    ContactId,
    narrow::{Found, Scene},
    seams::FLUSH,
};

/// Buffers of the search for corners.
#[derive(Clone, Debug, Default)]
pub(super) struct Buffers {
    /// Contacts by the bodies that they are of.
    order: Vec<(Bodies, usize)>,
    /// Those of two bodies that are in no plane yet.
    rest: Vec<usize>,
    plane: Vec<usize>,
    /// Places along the plane at hand (m), and gaps (m).
    points: Vec<[f64; 2]>,
    gaps: Vec<f64>,
    corners: Vec<usize>,
    is_corner: Vec<bool>,
    is_inside: Vec<bool>,
}

/// Two bodies; fixed ones without belts are one.
type Bodies = (u32, u32);

/// Any fixed body without a belt.
const ANY_FIXED: u32 = u32::MAX;

impl<const D: usize> Scene<'_, D> {
    /// Removes the contacts inside of the faces of which others have the corners.
    pub(super) fn keep_corners(&self, found: &mut Vec<Found<D>>, buffers: &mut Buffers) {
        let one_pair = |all: &[Found<D>]| all.iter().all(|one| is_of(one.id) == is_of(all[0].id));
        if found.len() <= 2 || one_pair(found) {
            return;
        }
        let mut order = std::mem::take(&mut buffers.order);
        order.clear();
        order.extend((0..).zip(&*found).map(|(k, one)| (self.bodies(one.id), k)));
        order.sort_unstable();
        buffers.is_inside.clear();
        buffers.is_inside.resize(found.len(), false);
        for of_bodies in order.chunk_by(|x, y| x.0 == y.0) {
            buffers.rest.clear();
            buffers.rest.extend(of_bodies.iter().map(|&(_, k)| k));
            while buffers.rest.len() > 2 {
                self.take_plane(found, buffers);
            }
        }
        buffers.order = order;
        let mut is_inside = buffers.is_inside.iter();
        found.retain(|_| !is_inside.next().is_some_and(|&inside| inside));
    }

    /// Takes those of the rest that are in one plane with the first, and marks what of them is inside.
    fn take_plane(&self, found: &[Found<D>], buffers: &mut Buffers) {
        let Buffers { rest, plane, .. } = &mut *buffers;
        let first = &found[rest[0]];
        let rounding = FLUSH * self.size(first.id);
        plane.clear();
        rest.retain(|&k| {
            let is_flush = self.are_flush(first, &found[k], rounding);
            if is_flush {
                plane.push(k);
            }
            !is_flush
        });
        // One without a place is in no plane, not even its own.
        if plane.is_empty() {
            rest.remove(0);
        }
        // The geometry lists of one pair of pieces what it takes.
        if plane.len() <= 2 || plane.iter().all(|&k| is_of(found[k].id) == is_of(first.id)) {
            return;
        }
        let axes = axes(&first.closest.normal);
        buffers.points.clear();
        buffers.gaps.clear();
        // What was carried here from the end of the step is on its body where the others are then.
        let is_carried = |&k: &usize| found[k].has_arms_of_end;
        let is_later = buffers.plane.iter().any(is_carried);
        buffers.plane.sort_by_key(is_carried);
        for one in buffers.plane.iter().map(|&k| &found[k]) {
            let place = self.place(one, rounding, is_later);
            let place = place.expect("asked for where the plane was taken");
            buffers.points.push(axes.map(|axis| axis.dot(&place)));
            buffers.gaps.push(one.closest.gap);
        }
        buffers.mark_inside(rounding);
    }

    /// Whether two contacts of the same bodies are in one plane.
    fn are_flush(&self, first: &Found<D>, other: &Found<D>, rounding: f64) -> bool {
        let (x, y) = (&first.closest, &other.closest);
        let apart = |p: &SVector<f64, D>, q: &SVector<f64, D>| x.normal.dot(&(q - p)).abs();
        let material = |id: ContactId| self.world.material_at(id.a, id.b);
        (x.normal - y.normal).norm() <= FLUSH
            && (apart(&x.a, &y.a) <= rounding || apart(&x.b, &y.b) <= rounding)
            && [first, other]
                .iter()
                .all(|one| self.place(one, rounding, false).is_some())
            && material(first.id) == material(other.id)
    }

    /// Where a contact is on the body that moves, now or at the other end of the step; none where both bodies move and have
    /// other points along the plane, as where a contact was found at the other end.
    fn place(&self, one: &Found<D>, rounding: f64, is_later: bool) -> Option<SVector<f64, D>> {
        let ClosestPoints {
            a, b, normal, gap, ..
        } = &one.closest;
        let bodies = [one.id.a, one.id.b];
        let is_fixed = bodies.map(|body| self.world.is_fixed(body as usize));
        let (side, x) = match is_fixed {
            [true, _] => (1, b),
            [_, true] => (0, a),
            _ if (b - a - normal * *gap).norm() > rounding => return None,
            _ => return Some((a + b) * 0.5),
        };
        let Some((_, poses)) = self.other.filter(|_| is_later) else {
            return Some(*x);
        };
        let body = bodies[side];
        Some(if one.has_arms_of_end {
            let [here, there] = [
                self.placed(body, one.id.pieces[side]),
                self.placed_there(poses, one.id, side),
            ];
            x + there.pose.position - here.pose.position
        } else {
            poses[body as usize].apply(&self.pose(body).inverse_apply(x))
        })
    }

    /// The bodies of a contact, the moving one first if the other is fixed.
    fn bodies(&self, id: ContactId) -> Bodies {
        let is_still = |body: u32| {
            let belt = self.world.belt_at(body as usize, self.pose(body));
            self.world.is_fixed(body as usize) && belt.iter().all(|&speed| speed == 0.0)
        };
        match (is_still(id.a), is_still(id.b)) {
            (true, _) => (id.b, ANY_FIXED),
            (_, true) => (id.a, ANY_FIXED),
            _ => (id.a, id.b),
        }
    }
}

impl Buffers {
    /// Marks what of the contacts in the plane is inside of the hull of the others, and no deeper than its corners.
    fn mark_inside(&mut self, rounding: f64) {
        self.find_corners(rounding);
        let Self {
            plane,
            points,
            gaps,
            corners,
            is_corner,
            is_inside,
            ..
        } = self;
        for (k, &place) in plane.iter().enumerate() {
            let level = || level_inside(points[k], (points, corners), rounding, gaps);
            let is_no_deeper = || level().is_some_and(|level| gaps[k] >= level - rounding);
            is_inside[place] = !is_corner[k] && is_no_deeper();
        }
    }

    /// The corners of the hull of the points, counterclockwise: two that are far apart, and again and again what is farthest
    /// beyond a side. What is beyond by rounding is none.
    fn find_corners(&mut self, rounding: f64) {
        let Self {
            points,
            corners,
            is_corner,
            ..
        } = self;
        let count = points.len() as f64;
        let middle = [0, 1].map(|i| points.iter().map(|p| p[i]).sum::<f64>() / count);
        // What is farthest from any point is a corner.
        let first = farthest(points, middle);
        let second = farthest(points, points[first]);
        is_corner.clear();
        is_corner.resize(points.len(), false);
        corners.clear();
        let mut add = |corners: &mut Vec<usize>, at: usize, k: usize| {
            corners.insert(at, k);
            is_corner[k] = true;
        };
        add(corners, 0, first);
        if distance(points[first], points[second]) <= rounding {
            return;
        }
        add(corners, 1, second);
        let mut side = 0;
        while side < corners.len() {
            let [from, to] = [side, side + 1].map(|k| points[corners[k % corners.len()]]);
            match beyond(points, [from, to], rounding) {
                Some(k) if !corners.contains(&k) => add(corners, side + 1, k),
                _ => side += 1,
            }
        }
        // Of contacts at one place the first stays.
        for corner in corners.iter_mut() {
            let is_there = |&k: &usize| distance(points[k], points[*corner]) <= rounding;
            let first = (0..points.len()).find(is_there).unwrap_or(*corner);
            is_corner[*corner] = false;
            is_corner[first] = true;
            *corner = first;
        }
    }
}

/// The pair of pieces of a contact.
fn is_of(id: ContactId) -> (u32, u32, [u32; 2]) {
    (id.a, id.b, id.pieces)
}

/// Two directions along the plane with a normal, the second zero if the world is one.
fn axes<const D: usize>(normal: &SVector<f64, D>) -> [SVector<f64, D>; 2] {
    let mut out = [SVector::<f64, D>::zeros(); 2];
    let steepest = normal.iamax();
    for (k, axis) in (0..D).filter(|&axis| axis != steepest).enumerate() {
        let mut e = SVector::<f64, D>::zeros();
        e[axis] = 1.0;
        e -= normal * normal[axis];
        e -= out[0] * out[0].dot(&e);
        out[k] = e.normalize();
    }
    out
}

fn difference(p: [f64; 2], q: [f64; 2]) -> [f64; 2] {
    [q[0] - p[0], q[1] - p[1]]
}

fn distance(p: [f64; 2], q: [f64; 2]) -> f64 {
    let [x, y] = difference(p, q);
    x.hypot(y)
}

/// The first of the points that are farthest from a place.
fn farthest(points: &[[f64; 2]], from: [f64; 2]) -> usize {
    let far = |k: usize| distance(from, points[k]);
    (1..points.len()).fold(0, |best, k| if far(k) > far(best) { k } else { best })
}

/// How far a point is to the left of a line, m.
fn left_of([from, to]: [[f64; 2]; 2], point: [f64; 2]) -> f64 {
    let ([x, y], [u, v]) = (difference(from, to), difference(from, point));
    (x * v - y * u) / x.hypot(y)
}

/// The point that is farthest to the right of a line, and of those that are equal up to rounding the last along it: others may
/// be in the middle of a side of the hull.
fn beyond(points: &[[f64; 2]], line: [[f64; 2]; 2], rounding: f64) -> Option<usize> {
    let right = |k: usize| -left_of(line, points[k]);
    let most = (0..points.len()).map(right).fold(rounding, f64::max);
    let [x, y] = difference(line[0], line[1]);
    let along = |k: usize| x * points[k][0] + y * points[k][1];
    let is_beyond = |&k: &usize| right(k) > rounding && right(k) >= most - rounding;
    let last = |best, k| if along(k) > along(best) { k } else { best };
    (0..points.len()).filter(is_beyond).reduce(last)
}

/// The gap that the corners of a convex polygon give at a point inside of it, m.
fn level_inside(
    point: [f64; 2],
    (points, corners): (&[[f64; 2]], &[usize]),
    rounding: f64,
    gaps: &[f64],
) -> Option<f64> {
    let first = corners[0];
    match *corners {
        [_] => (distance(point, points[first]) <= rounding).then(|| gaps[first]),
        [_, second] => {
            let [from, to] = [first, second].map(|k| points[k]);
            let ([x, y], [u, v]) = (difference(from, to), difference(from, point));
            let part = ((x * u + y * v) / (x * x + y * y)).clamp(0.0, 1.0);
            let nearest = [from[0] + part * x, from[1] + part * y];
            (distance(point, nearest) <= rounding)
                .then(|| gaps[first] + part * (gaps[second] - gaps[first]))
        }
        _ => corners[1..].windows(2).find_map(|two| {
            let triangle = [first, two[0], two[1]];
            let [a, b, c] = triangle.map(|k| points[k]);
            let sides = [[b, c], [c, a], [a, b]];
            let inside = sides.map(|side| left_of(side, point));
            if inside.iter().any(|&depth| depth < -rounding) {
                return None;
            }
            let parts = [0, 1, 2].map(|k| {
                let [p, q] = sides[k];
                inside[k].max(0.0) * distance(p, q)
            });
            let whole: f64 = parts.iter().sum();
            let level: f64 = (0..3).map(|k| parts[k] * gaps[triangle[k]]).sum();
            Some(level / whole)
        }),
    }
}
