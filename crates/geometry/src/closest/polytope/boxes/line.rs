//! A face that an edge of the other box faces: the edge is cut off where it leaves the face, seen along the normal of the pair.

use nalgebra::Vector3;

use super::clip::{self, Names};
use super::flush::{Contact, Kind, Placing, SAME, steepest};
use super::{Boxes, FACING, NEXT, sign, times_transposed};
use crate::closest::{Manifold, ManifoldPoint, Uniqueness};

/// The base, a face, and the edge. Points and vectors are along the two sides of the base and its normal, from its middle.
pub(super) struct Line<'a, const D: usize> {
    boxes: &'a Boxes<'a, D>,
    /// Which body has the base, axis and sign of its normal.
    owner: usize,
    k: usize,
    up: f64,
    /// Direction from the base to the edge.
    way: Vector3<f64>,
    /// Ends of the edge with their names, the lower first.
    ends: [(u32, Vector3<f64>); 2],
}

impl<'a, const D: usize> Line<'a, D> {
    /// What faces each other along n, in the axes of A and of B; `None` if it is no face or no edge.
    pub(super) fn new(
        boxes: &'a Boxes<'a, D>,
        (n, own): (&Vector3<f64>, &Vector3<f64>),
    ) -> Option<Self> {
        let (owner, k, way, seen) = match (steepest(n), steepest(own)) {
            (Some(k), None) => (0, k, *n, *own),
            (None, Some(k)) => (1, k, -own, -n),
            _ => return None,
        };
        let axis = seen.iamin();
        if seen[axis].abs() > FACING[1] {
            return None;
        }
        let in_base = |x: &Vector3<f64>| {
            if owner == 0 {
                boxes.seen_from_a(x)
            } else {
                times_transposed(&boxes.turn, &(x - boxes.between))
            }
        };
        let (up, [u, v]) = (sign(way[k]), NEXT[k]);
        let height = boxes.half[owner][k];
        let mut corner = boxes.corner(1 - owner, &-seen);
        let mut ends = [1.0, -1.0].map(|side| {
            corner[axis] = side * boxes.half[1 - owner][axis];
            let x = in_base(&corner);
            let at = Vector3::new(x[u], x[v], up * x[k] - height);
            (boxes.name(1 - owner, &corner), at)
        });
        ends.sort_by_key(|end| end.0);
        Some(Self {
            boxes,
            owner,
            k,
            up,
            way: Vector3::new(way[u], way[v], up * way[k]),
            ends,
        })
    }

    /// The parts of the edge at which it enters and leaves the face, 0 to 1, and the sides of the face if it crosses them there.
    fn clipped(&self) -> Option<[(f64, Option<usize>); 2]> {
        let [u, v] = NEXT[self.k];
        let half = self.boxes.half[self.owner];
        let [p, q] = self.ends.map(|(_, x)| {
            let [x, y] = [0, 1].map(|i| x[i] - x[2] * (self.way[i] / self.way[2]));
            clip::inside_all([half[u], half[v]], [x, y])
        });
        let length = (self.ends[1].1 - self.ends[0].1).norm();
        let same = clip::SAME_CORNER * length.min(2.0 * half[u].hypot(half[v]));
        let (mut enter, mut leave) = ((0.0, None), (1.0, None));
        for side in 0..4 {
            let (x, y) = (p[side], q[side]);
            if x < 0.0 && y < 0.0 {
                return None;
            }
            // An end on the border stays the end.
            if x.min(y) >= -same {
                continue;
            }
            let at = x / (x - y);
            if x < 0.0 && at > enter.0 {
                enter = (at, Some(side));
            } else if y < 0.0 && at < leave.0 {
                leave = (at, Some(side));
            }
        }
        // An end over the border, as of a corner next to an edge, has no part of the edge inside but rounding.
        ((leave.0 - enter.0) * length > same).then_some([enter, leave])
    }

    /// The contacts beside closest points that are known with the name that they have alone.
    pub(super) fn list_beside(&self, known: &ManifoldPoint<D>, out: &mut Manifold<D>) {
        let Self {
            boxes,
            owner,
            k,
            up,
            ..
        } = *self;
        let placing = Placing::on(boxes, (owner, k, up), [&self.way, &self.way]);
        let names = Names::new(boxes.names_of_face(owner, (k, up)), up > 0.0);
        let [(first, from), (last, to)] = self.ends;
        let point = |end: usize, (at, side): (f64, Option<usize>)| {
            let x = match (end, side) {
                (0, None) => from,
                (_, None) => to,
                _ => from + (to - from) * at,
            };
            let feature = match side {
                Some(side) if owner == 0 => clip::name_of_crossing(names.edges[side], first),
                Some(side) => clip::name_of_crossing(first, names.edges[side]),
                None => clip::name_of_vertex(1 - owner, if end == 0 { first } else { last }),
            };
            let contact = Contact {
                at: [x[0], x[1]],
                gap: x[2],
                kind: Kind::Above,
            };
            placing.point::<D>(feature, &contact)
        };
        let mut is_there = None;
        if let Some([enter, leave]) = self.clipped() {
            let mut points = [point(0, enter), point(1, leave)];
            points.sort_by_key(|point| point.feature);
            let same = SAME * boxes.size_of_smaller;
            let near = |point: &ManifoldPoint<D>| {
                (point.closest.a - known.closest.a).norm_squared() <= same * same
                    || (point.closest.b - known.closest.b).norm_squared() <= same * same
            };
            // Alone it is no end of the line; its name may be that of one, which is dropped.
            let named = |point: &ManifoldPoint<D>| point.feature == known.feature;
            is_there = points
                .iter()
                .position(near)
                .or_else(|| points.iter().position(named))
                .map(|index| (index, points[index].feature));
            for point in points {
                out.push_sorted(point);
            }
        }
        let (index, feature) = is_there.unwrap_or((out.points().len(), known.feature));
        out.replace(index, ManifoldPoint { feature, ..*known });
        out.settle(index, Uniqueness::Unique, boxes.span());
    }
}
