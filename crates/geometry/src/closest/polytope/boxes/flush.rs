//! Two faces that face each other: one across an axis that separates most, clipped in the axes of its box.

#![expect(
    clippy::inline_always,
    reason = "a query is short: calls and copies would be much of it"
)]

use nalgebra::Vector3;

use super::axes::{self, Axis};
use super::clip::{Clipped, Entry, Names, Seen, What};
use super::{Boxes, FACING, NEXT, TOLERANCE, back, in_space, sign, times, times_transposed};
use crate::closest::{ClosestPoints, Manifold, ManifoldPoint, Uniqueness};

/// Distance, relative to the size, within which the closest points are a listed contact.
pub(super) const SAME: f64 = 1e-7;

/// Signs of the corners of a face in turn.
const ROUND: [[f64; 2]; 4] = [[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]];

/// The base, which has the normal, and the face that faces it. Points and vectors are along the two sides of the base and its
/// normal, from its middle.
pub(super) struct Flush<'a, const D: usize> {
    pub(super) boxes: &'a Boxes<'a, D>,
    pub(super) faces: Faces,
    /// Direction from the base to the other face, along which both are seen.
    way: Vector3<f64>,
    /// Outward normal of the other face, and its corners in turn.
    facing: Vector3<f64>,
    corners: [Vector3<f64>; 4],
    seen: Seen,
    /// Height of the other face over the middle of the base along its own normal, and by what heights are multiplied to be along
    /// the normal of the pair.
    level: f64,
    stretch: f64,
}

/// Which faces they are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Faces {
    /// Which body has the base: 0 is A.
    pub(super) owner: usize,
    /// Axis of the base's normal and its sign.
    k: usize,
    up: f64,
    /// The same of the other face.
    axis: usize,
    down: f64,
}

impl Faces {
    /// The axes of the normals on A and on B.
    #[inline(always)]
    pub(super) fn pair(&self) -> [usize; 2] {
        if self.owner == 0 {
            [self.k, self.axis]
        } else {
            [self.axis, self.k]
        }
    }
}

/// A contact of two faces, by its point on the base.
#[derive(Clone, Copy)]
pub(super) struct Contact {
    pub(super) at: [f64; 2],
    /// Distance along the normal, m.
    pub(super) gap: f64,
    pub(super) kind: Kind,
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Kind {
    /// A corner of the other face above the base, with the base's normal.
    Above,
    /// A corner of the base below the other face, with the normal of that.
    Below,
    /// A crossing of edges, with the normal of the pair.
    Crossing,
}

/// Which contact is the closest.
struct Closest {
    /// Its place in the list.
    index: usize,
    /// What it is if the list has another at this place.
    instead: Option<Contact>,
    uniqueness: Uniqueness,
}

impl<'a, const D: usize> Flush<'a, D> {
    /// The faces that face each other along n in the axes of A and of B, with that of body `owner` as the base; `None` if there
    /// are none.
    #[inline(always)]
    pub(super) fn new(
        boxes: &'a Boxes<'a, D>,
        owner: usize,
        (n, own): (&Vector3<f64>, &Vector3<f64>),
    ) -> Option<Self> {
        let (way, seen) = if owner == 0 { (*n, *own) } else { (-own, -n) };
        let (k, axis) = (steepest(&way)?, steepest(&seen)?);
        let (turn, between) = if owner == 0 {
            (boxes.turn, boxes.between)
        } else {
            let turn = boxes.turn.transpose();
            (turn, -times(&turn, &boxes.between))
        };
        let (up, down) = (sign(way[k]), -sign(seen[axis]));
        let (p, q) = (&boxes.half[owner], &boxes.half[1 - owner]);
        let ([u, v], [s, t]) = (NEXT[k], NEXT[axis]);
        let frame = ([u, v, k], up);
        let columns = turn.data.0;
        let (way, facing) = (
            turned(&way.data.0[0], frame),
            turned(&columns[axis], frame) * down,
        );
        let middle = turned(&between.data.0[0], frame) + facing * q[axis];
        let middle = Vector3::new(middle[0], middle[1], middle[2] - p[k]);
        let along = turned(&columns[s], frame) * q[s];
        let across = turned(&columns[t], frame) * q[t];
        let corners = [
            middle + along + across,
            middle - along + across,
            middle - along - across,
            middle + along - across,
        ];
        // On the plane of the base, along the normal of the pair.
        let by = 1.0 / way[2];
        let drift = [way[0] * by, way[1] * by];
        let [c, d, e, f] = &corners;
        Some(Self {
            boxes,
            faces: Faces {
                owner,
                k,
                up,
                axis,
                down,
            },
            way,
            facing,
            seen: Seen {
                half: [p[u], p[v]],
                corners: [
                    [c[0] - c[2] * drift[0], c[1] - c[2] * drift[1]],
                    [d[0] - d[2] * drift[0], d[1] - d[2] * drift[1]],
                    [e[0] - e[2] * drift[0], e[1] - e[2] * drift[1]],
                    [f[0] - f[2] * drift[0], f[1] - f[2] * drift[1]],
                ],
                owner,
            },
            corners,
            level: facing.dot(&middle),
            stretch: 1.0 / facing.dot(&way),
        })
    }

    /// What bounds the overlap, if it is not known worked out in `fresh`.
    #[inline(always)]
    pub(super) fn clipped<'c>(
        &self,
        plan: Option<&'c Clipped>,
        fresh: &'c mut Option<Clipped>,
    ) -> &'c Clipped {
        if let Some(plan) = plan {
            return plan;
        }
        let Faces {
            owner,
            k,
            up,
            axis,
            down,
        } = self.faces;
        let names = |body: usize, axis: usize, side: f64| {
            Names::new(self.boxes.names_of_face(body, (axis, side)), side > 0.0)
        };
        let names = [names(owner, k, up), names(1 - owner, axis, down)];
        let fresh = fresh.insert(Clipped::default());
        self.seen.clip(&names, fresh);
        fresh
    }

    /// By how much corners may move against each other before the overlap is bounded by others, m.
    pub(super) fn allowed(&self) -> f64 {
        self.seen.allowed()
    }

    /// Corner e of the other face.
    #[inline(always)]
    fn above(&self, e: u8) -> Contact {
        let x = &self.corners[usize::from(e % 4)];
        Contact {
            at: [x[0], x[1]],
            gap: x[2],
            kind: Kind::Above,
        }
    }

    /// Corner r of the base.
    #[inline(always)]
    fn below(&self, r: u8) -> Contact {
        let at = self.seen.corner_of_base(usize::from(r % 4));
        Contact {
            at,
            gap: -self.height(at),
            kind: Kind::Below,
        }
    }

    /// Edge e of the other face through edge r of the base.
    #[inline(always)]
    fn crossing(&self, e: u8, r: u8) -> Contact {
        let at = self.seen.crossing(usize::from(e), usize::from(r));
        Contact {
            at,
            gap: self.height(at) * self.stretch,
            kind: Kind::Crossing,
        }
    }

    #[inline(always)]
    fn contact(&self, what: What) -> Contact {
        match what {
            What::Other(e) => self.above(e),
            What::Base(r) => self.below(r),
            What::Crossing(e, r) => self.crossing(e, r),
        }
    }

    /// A listed contact in world axes. Each kind is written out, so that nothing is looked up by it.
    #[inline(always)]
    fn placed(&self, entry: Entry, placing: &Placing) -> (ManifoldPoint<D>, Contact) {
        let point = |contact: Contact| (placing.point(entry.name, &contact), contact);
        match entry.what {
            What::Other(e) => point(self.above(e)),
            What::Base(r) => point(self.below(r)),
            What::Crossing(e, r) => point(self.crossing(e, r)),
        }
    }

    /// Height of the other face over a point of the base, along its own normal.
    #[inline(always)]
    fn height(&self, [x, y]: [f64; 2]) -> f64 {
        self.level - (self.facing[0] * x + self.facing[1] * y)
    }

    /// Which contact is the closest, for a base that has the normal of the pair, or is of A if edges in the faces have it; `None` if
    /// no point at the separation along it is on both faces, or listed.
    #[inline(always)]
    fn choose(&self, clipped: &Clipped, axis: &Axis) -> Option<Closest> {
        let (boxes, slack, separation) = (self.boxes, self.boxes.slack(), axis.separation);
        // Contacts are listed up to a border beside the faces; the closest points are on them.
        let holds = |p: &Contact| {
            let of_own = match p.kind {
                Kind::Above | Kind::Crossing => separation,
                Kind::Below => boxes.on_face(1 - self.faces.owner, self.faces.axis),
            };
            (p.gap - separation).abs() <= slack
                && (p.gap - of_own).abs() <= slack
                && self.is_on_both(p)
        };
        let is_free = boxes.is_free(&axis.n, &axis.own);
        if let axes::Kind::Edges(i, m) = axis.kind {
            if is_free {
                return None;
            }
            let crossing = self.crossing_of([i, m], axis);
            let entries = clipped.entries();
            let index = entries.iter().position(|entry| entry.what == crossing)?;
            let holds = (self.contact(crossing).gap - separation).abs() <= slack;
            return holds.then_some(Closest {
                index,
                instead: None,
                uniqueness: Uniqueness::Unique,
            });
        }
        if !is_free {
            let lowest = self.lowest();
            let contact = self.contact(lowest);
            if holds(&contact) {
                let index = self.listed(clipped, lowest)?;
                let instead = (clipped.entries()[index].what != lowest).then_some(contact);
                return Some(Closest {
                    index,
                    instead,
                    uniqueness: Uniqueness::Unique,
                });
            }
        }
        // Free, or flush but for rounding: any contact at this distance.
        let mut best: Option<(usize, f64)> = None;
        for (index, entry) in clipped.entries().iter().enumerate() {
            let contact = self.contact(entry.what);
            let is_better = |best: (usize, f64)| is_free && contact.gap < best.1;
            if best.is_none_or(is_better) && holds(&contact) {
                best = Some((index, contact.gap));
            }
        }
        best.map(|(index, _)| Closest {
            index,
            instead: None,
            uniqueness: if is_free {
                Uniqueness::FreePoints
            } else {
                Uniqueness::Unique
            },
        })
    }

    /// The crossing of edges i of A and m of B, with the base on A, whose axis separates most.
    #[inline(always)]
    fn crossing_of(&self, [i, m]: [usize; 2], axis: &Axis) -> What {
        // In turn the sides are the upper one across the second axis, the lower one across the first, and the others.
        let side = |axes: [usize; 2], edge: usize, out: [f64; 2]| {
            if edge == axes[0] {
                if out[1].is_sign_negative() { 2 } else { 0 }
            } else if out[0].is_sign_negative() {
                1
            } else {
                3
            }
        };
        let ([u, v], [s, t]) = (NEXT[self.faces.k], NEXT[self.faces.axis]);
        let e = side([s, t], m, [-axis.own[s], -axis.own[t]]);
        What::Crossing(e, side([u, v], i, [axis.n[u], axis.n[v]]))
    }

    /// The corner of the other face that is lowest over the base.
    #[inline(always)]
    fn lowest(&self) -> What {
        let (mut lowest, mut height) = (0, self.corners[0][2]);
        for e in 1..4u8 {
            let other = self.corners[usize::from(e)][2];
            if other < height {
                (lowest, height) = (e, other);
            }
        }
        What::Other(lowest)
    }

    /// The listed corner that is a corner, or the nearest to it of those that count as the same.
    fn listed(&self, clipped: &Clipped, corner: What) -> Option<usize> {
        let entries = clipped.entries().iter();
        let is_it = entries.clone().position(|entry| entry.what == corner);
        is_it.or_else(|| {
            let [x, y] = self.seen.at(corner);
            let far = entries.map(|entry| {
                let [s, t] = self.seen.at(entry.what);
                (s - x) * (s - x) + (t - y) * (t - y)
            });
            let nearest = far.enumerate().min_by(|p, q| p.1.total_cmp(&q.1));
            nearest.map(|(index, _)| index)
        })
    }

    /// Whether the points of a contact are on both faces, to the tolerance of answers.
    fn is_on_both(&self, contact: &Contact) -> bool {
        let (boxes, [x, y]) = (self.boxes, contact.at);
        let reach = TOLERANCE * boxes.size;
        match contact.kind {
            Kind::Above => {
                let [h, w] = self.seen.half;
                x.abs() <= h + reach && y.abs() <= w + reach
            }
            Kind::Below => {
                let Faces {
                    owner, k, up, axis, ..
                } = self.faces;
                let ([u, v], [s, t]) = (NEXT[k], NEXT[axis]);
                let mut own = Vector3::zeros();
                (own[u], own[v], own[k]) = (x, y, up * boxes.half[owner][k]);
                let own = if owner == 0 {
                    times_transposed(&boxes.turn, &(own - boxes.between))
                } else {
                    times(&boxes.turn, &own) + boxes.between
                };
                let half = &boxes.half[1 - owner];
                own[s].abs() <= half[s] + reach && own[t].abs() <= half[t] + reach
            }
            Kind::Crossing => true,
        }
    }

    /// Unit vectors from the base to the other face, by kind.
    fn ways(&self) -> [Vector3<f64>; 3] {
        [Vector3::z(), -self.facing, self.way]
    }

    /// The closest points, for a base as in [`Flush::contacts`]; `None` as in [`Flush::contacts`].
    pub(super) fn closest(&self, clipped: &Clipped, axis: &Axis) -> Option<ManifoldPoint<D>> {
        let closest = self.choose(clipped, axis)?;
        let entry = &clipped.entries()[closest.index];
        let contact = closest.instead.unwrap_or_else(|| self.contact(entry.what));
        let mut point = Placing::new(self).point(entry.name, &contact);
        point.closest.uniqueness = closest.uniqueness;
        Some(point)
    }

    /// The contacts in world axes, for a base that has the normal of the pair, or is of A if edges in the faces have it; `None`,
    /// and nothing listed, if no point at the separation along it is on both faces.
    #[inline(always)]
    pub(super) fn contacts(
        &self,
        clipped: &Clipped,
        axis: &Axis,
        out: &mut Manifold<D>,
    ) -> Option<()> {
        let closest = self.choose(clipped, axis)?;
        let placing = Placing::new(self);
        self.list(clipped, &placing, out);
        if let Some(contact) = closest.instead {
            let name = clipped.entries()[closest.index].name;
            out.replace(closest.index, placing.point(name, &contact));
        }
        out.settle_in_order(closest.index, closest.uniqueness, self.boxes.span());
        Some(())
    }

    #[inline(always)]
    fn list(&self, clipped: &Clipped, placing: &Placing, out: &mut Manifold<D>) {
        let entries = clipped.entries().iter();
        out.extend_sorted(entries.map(|entry| self.placed(*entry, placing).0));
    }

    /// The contacts of faces whose closest points are known with the name that they have alone, by these points in the axes
    /// of A.
    pub(super) fn list_beside(
        &self,
        clipped: &Clipped,
        points: [&Vector3<f64>; 2],
        known: &ManifoldPoint<D>,
        out: &mut Manifold<D>,
    ) {
        let Faces { k, up, .. } = self.faces;
        let ([u, v], height) = (NEXT[k], self.boxes.half[0][k]);
        let [near, far] = points.map(|x| Vector3::new(x[u], x[v], up * x[k] - height));
        let (same, ways) = (SAME * self.boxes.size_of_smaller, self.ways());
        let placing = Placing::new(self);
        let mut is_there = None;
        // Beyond this and the gap no end of a contact is near one of these points.
        let wide = same + (far - near).norm();
        let entries = clipped.entries().iter().enumerate();
        out.extend_sorted(entries.map(|(index, entry)| {
            let (point, contact) = self.placed(*entry, &placing);
            let (x, y) = (contact.at[0] - near[0], contact.at[1] - near[1]);
            let reach = wide + contact.gap.abs();
            if x * x + y * y <= reach * reach && is_there.is_none() {
                let foot = Vector3::new(contact.at[0], contact.at[1], 0.0);
                let other = foot + ways[contact.kind as usize] * contact.gap;
                let is_near = (foot - near).norm_squared() <= same * same
                    || (other - far).norm_squared() <= same * same;
                is_there = is_near.then_some(index);
            }
            point
        }));
        let entries = clipped.entries();
        // Alone it is no corner of the overlap; its name may be that of one, which is dropped.
        let named = || entries.iter().position(|entry| entry.name == known.feature);
        let (index, feature) = match is_there.or_else(named) {
            Some(index) => (index, entries[index].name),
            None => (entries.len(), known.feature),
        };
        out.replace(index, ManifoldPoint { feature, ..*known });
        out.settle(index, Uniqueness::Unique, self.boxes.span());
    }
}

/// A vector along the sides of a base and its normal, with these axes and this sign.
#[inline(always)]
fn turned(x: &[f64; 3], ([u, v, k], up): ([usize; 3], f64)) -> Vector3<f64> {
    Vector3::new(x[u], x[v], up * x[k])
}

#[inline(always)]
pub(super) fn steepest(m: &Vector3<f64>) -> Option<usize> {
    if m[0].abs() >= FACING[0] {
        Some(0)
    } else if m[1].abs() >= FACING[0] {
        Some(1)
    } else if m[2].abs() >= FACING[0] {
        Some(2)
    } else {
        None
    }
}

impl<const D: usize> Boxes<'_, D> {
    /// The corners of a face of body k across an axis on one side, in turn.
    #[inline(always)]
    pub(super) fn names_of_face(&self, k: usize, (axis, side): (usize, f64)) -> [u32; 4] {
        let [u, v] = NEXT[axis];
        let bit = |i: usize, x: f64| usize::from(x > 0.0) << (2 - i);
        let names = &self.cuboids[k].vertices;
        let name = |[f, g]: [f64; 2]| names[(bit(axis, side) + bit(u, f) + bit(v, g)) % 8];
        let [c, d, e, f] = ROUND;
        [name(c), name(d), name(e), name(f)]
    }
}

/// How contacts come to world axes.
pub(super) struct Placing {
    /// The sides of the base and the middle of its face.
    sides: [Vector3<f64>; 2],
    /// The latter moved by the radius of the base, by kind.
    middles: [Vector3<f64>; 3],
    /// Directions from the base to the other face, by kind.
    ways: [Vector3<f64>; 3],
    radii: [f64; 2],
    owner: usize,
}

impl Placing {
    #[inline(always)]
    fn new<const D: usize>(flush: &Flush<'_, D>) -> Self {
        let Faces { owner, k, up, .. } = flush.faces;
        Self::on(flush.boxes, (owner, k, up), [&flush.facing, &flush.way])
    }

    /// With a face as the base, and along its sides and its normal that of the other face and the way between both.
    #[inline(always)]
    pub(super) fn on<const D: usize>(
        boxes: &Boxes<'_, D>,
        (owner, k, up): (usize, usize, f64),
        [facing, way]: [&Vector3<f64>; 2],
    ) -> Self {
        let [u, v] = NEXT[k];
        let pose = &boxes.placed[owner].pose;
        let r = &pose.rotation;
        let column = |j: usize| Vector3::new(r[(0, j)], r[(1, j)], r[(2, j)]);
        let centre = in_space(&boxes.cuboids[owner].centre);
        let (x, y, z) = (column(u), column(v), column(k) * up);
        let moved = column(0) * centre[0] + column(1) * centre[1] + column(2) * centre[2];
        let middle = in_space(&pose.position) + (moved + z * boxes.half[owner][k]);
        let ways = [
            z,
            -(x * facing[0] + y * facing[1] + z * facing[2]),
            x * way[0] + y * way[1] + z * way[2],
        ];
        let radii = [boxes.radii[owner], boxes.radii[1 - owner]];
        let [above, below, crossing] = &ways;
        Self {
            sides: [x, y],
            middles: [
                middle + above * radii[0],
                middle + below * radii[0],
                middle + crossing * radii[0],
            ],
            ways,
            radii,
            owner,
        }
    }

    #[inline(always)]
    pub(super) fn point<const D: usize>(
        &self,
        feature: u32,
        contact: &Contact,
    ) -> ManifoldPoint<D> {
        let (kind, [x, y]) = (contact.kind as usize, contact.at);
        let normal = self.ways[kind];
        let gap = contact.gap - self.radii[0] - self.radii[1];
        let near = self.middles[kind] + (self.sides[0] * x + self.sides[1] * y);
        let far = near + normal * gap;
        let [a, b, normal] = if self.owner == 0 {
            [near, far, normal]
        } else {
            [far, near, -normal]
        };
        ManifoldPoint {
            feature,
            closest: ClosestPoints::exact(back(&a), back(&b), back(&normal), gap),
        }
    }
}
