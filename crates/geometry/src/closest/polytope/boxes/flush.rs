//! Two faces that face each other: one across an axis that separates most, clipped in the axes of its box.

#![expect(
    clippy::inline_always,
    reason = "a query is short: calls and copies would be much of it"
)]

use nalgebra::Vector3;

use super::axes::Axis;
use super::clip::{Clipped, Names, Seen, What};
use super::memory::Plan;
use super::{Boxes, FACING, NEXT, TOLERANCE, back, in_space, sign, times, times_transposed};
use crate::closest::{ClosestPoints, Manifold, ManifoldPoint, Uniqueness};

/// Distance, relative to the size, within which the closest points are a listed contact.
pub(super) const SAME: f64 = 1e-7;

/// Signs of the corners of a face in turn.
pub(super) const ROUND: [[f64; 2]; 4] = [[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]];

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
}

/// Which faces they are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Faces {
    /// Which body has the base: 0 is A.
    owner: usize,
    /// Axis of the base's normal and its sign.
    k: usize,
    up: f64,
    /// The same of the other face.
    axis: usize,
    down: f64,
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
        let turned = |x: &[f64; 3]| Vector3::new(x[u], x[v], up * x[k]);
        let columns = turn.data.0;
        let (way, facing) = (turned(&way.data.0[0]), turned(&columns[axis]) * down);
        let middle = turned(&between.data.0[0]) + facing * q[axis] - Vector3::new(0.0, 0.0, p[k]);
        let (along, across) = (turned(&columns[s]) * q[s], turned(&columns[t]) * q[t]);
        let corners = [
            middle + along + across,
            middle - along + across,
            middle - along - across,
            middle + along - across,
        ];
        // On the plane of the base, along the normal of the pair.
        let drift = [way[0] / way[2], way[1] / way[2]];
        let on_base = |x: &Vector3<f64>| [x[0] - x[2] * drift[0], x[1] - x[2] * drift[1]];
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
                    on_base(&corners[0]),
                    on_base(&corners[1]),
                    on_base(&corners[2]),
                    on_base(&corners[3]),
                ],
                owner,
            },
            corners,
        })
    }

    /// What bounds the overlap, from what is known if it is of these faces, or else worked out in `fresh`.
    #[inline(always)]
    pub(super) fn clipped<'c>(
        &self,
        plan: Option<&'c Plan>,
        fresh: &'c mut Clipped,
    ) -> &'c Clipped {
        if let Some(plan) = plan
            && plan.faces == self.faces
        {
            return &plan.clipped;
        }
        let Faces {
            owner,
            k,
            up,
            axis,
            down,
        } = self.faces;
        let names = |body: usize, axis: usize, side: f64| {
            let corners = ROUND.map(|signs| self.boxes.name_of_corner(body, (axis, side), signs));
            Names::new(corners, side > 0.0)
        };
        let names = [names(owner, k, up), names(1 - owner, axis, down)];
        self.seen.clip(&names, fresh);
        fresh
    }

    /// By how much corners may move against each other before the overlap is bounded by others, m.
    pub(super) fn allowed(&self) -> f64 {
        self.seen.allowed()
    }

    #[inline(always)]
    fn contact(&self, what: What) -> Contact {
        // Height of the other face over a point of the base, along its own normal.
        let height = |[x, y]: [f64; 2]| {
            let c = &self.corners[0];
            self.facing[0] * (c[0] - x) + self.facing[1] * (c[1] - y) + self.facing[2] * c[2]
        };
        match what {
            What::Other(e) => {
                let x = &self.corners[usize::from(e)];
                Contact {
                    at: [x[0], x[1]],
                    gap: x[2],
                    kind: Kind::Above,
                }
            }
            What::Base(r) => {
                let at = self.seen.corner_of_base(usize::from(r));
                Contact {
                    at,
                    gap: -height(at),
                    kind: Kind::Below,
                }
            }
            What::Crossing(e, r) => {
                let at = self.seen.crossing(usize::from(e), usize::from(r));
                Contact {
                    at,
                    gap: height(at) / self.facing.dot(&self.way),
                    kind: Kind::Crossing,
                }
            }
        }
    }

    /// Which contact is the closest, for a base that has the normal of the pair; `None` if no point at the separation along it is
    /// on both faces. With the separations along all faces.
    #[inline(always)]
    fn choose(&self, clipped: &Clipped, (axis, on): (&Axis, &[f64; 6])) -> Option<Closest> {
        let (boxes, slack, separation) = (self.boxes, self.boxes.slack(), axis.separation);
        let of_other = on[3 * (1 - self.faces.owner) + self.faces.axis];
        // Contacts are listed up to a border beside the faces; the closest points are on them.
        let holds = |p: &Contact| {
            let of_own = match p.kind {
                Kind::Above | Kind::Crossing => separation,
                Kind::Below => of_other,
            };
            (p.gap - separation).abs() <= slack
                && (p.gap - of_own).abs() <= slack
                && self.is_on_both(p)
        };
        let is_free = boxes.is_free(&axis.n, &axis.own);
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

    /// The corner of the other face that is lowest over the base.
    fn lowest(&self) -> What {
        let mut lowest = 0;
        for e in 1..4u8 {
            let height = |e: u8| self.corners[usize::from(e)][2];
            if height(e) < height(lowest) {
                lowest = e;
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

    /// The closest points, for a base that has the normal of the pair; `None` as in [`Flush::contacts`].
    pub(super) fn closest(
        &self,
        clipped: &Clipped,
        axes: (&Axis, &[f64; 6]),
    ) -> Option<ManifoldPoint<D>> {
        let closest = self.choose(clipped, axes)?;
        let entry = &clipped.entries()[closest.index];
        let contact = closest.instead.unwrap_or_else(|| self.contact(entry.what));
        let mut point = Placing::new(self).point(entry.name, &contact);
        point.closest.uniqueness = closest.uniqueness;
        Some(point)
    }

    /// The contacts in world axes, for a base that has the normal of the pair; `None`, and nothing listed, if no point at the
    /// separation along it is on both faces. With the separations along all faces.
    #[inline(always)]
    pub(super) fn contacts(
        &self,
        clipped: &Clipped,
        axes: (&Axis, &[f64; 6]),
        out: &mut Manifold<D>,
    ) -> Option<()> {
        let closest = self.choose(clipped, axes)?;
        let placing = Placing::new(self);
        self.list(clipped, &placing, out);
        if let Some(contact) = closest.instead {
            let name = clipped.entries()[closest.index].name;
            out.replace(closest.index, placing.point(name, &contact));
        }
        out.settle(closest.index, closest.uniqueness);
        Some(())
    }

    #[inline(always)]
    fn list(&self, clipped: &Clipped, placing: &Placing, out: &mut Manifold<D>) {
        for entry in clipped.entries() {
            out.push_sorted(placing.point(entry.name, &self.contact(entry.what)));
        }
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
        for (index, entry) in clipped.entries().iter().enumerate() {
            let contact = self.contact(entry.what);
            let foot = Vector3::new(contact.at[0], contact.at[1], 0.0);
            let other = foot + ways[contact.kind as usize] * contact.gap;
            let is_near = (foot - near).norm_squared() <= same * same
                || (other - far).norm_squared() <= same * same;
            if is_near && is_there.is_none() {
                is_there = Some(index);
            }
            out.push_sorted(placing.point(entry.name, &contact));
        }
        let entries = clipped.entries();
        // Alone it is no corner of the overlap; its name may be that of one, which is dropped.
        let named = || entries.iter().position(|entry| entry.name == known.feature);
        let (index, feature) = match is_there.or_else(named) {
            Some(index) => (index, entries[index].name),
            None => (entries.len(), known.feature),
        };
        out.replace(index, ManifoldPoint { feature, ..*known });
        out.settle(index, Uniqueness::Unique);
    }
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
    /// The corner of a face of body k across an axis on one side, with these signs along the next axes.
    pub(super) fn name_of_corner(
        &self,
        k: usize,
        (axis, side): (usize, f64),
        [f, g]: [f64; 2],
    ) -> u32 {
        let [u, v] = NEXT[axis];
        let bit = |i: usize, x: f64| usize::from(x > 0.0) << (2 - i);
        self.cuboids[k].vertices[bit(axis, side) + bit(u, f) + bit(v, g)]
    }
}

/// How contacts come to world axes.
pub(super) struct Placing {
    /// The sides of the base and the middle of its face.
    sides: [Vector3<f64>; 2],
    middle: Vector3<f64>,
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
        let column = |j: usize| {
            let r = &pose.rotation;
            Vector3::new(r[(0, j)], r[(1, j)], r[(2, j)])
        };
        let centre = in_space(&boxes.cuboids[owner].centre);
        let (x, y, z) = (column(u), column(v), column(k) * up);
        let turned = |m: &Vector3<f64>| x * m[0] + y * m[1] + z * m[2];
        let moved = column(0) * centre[0] + column(1) * centre[1] + column(2) * centre[2];
        Self {
            sides: [x, y],
            middle: in_space(&pose.position) + (moved + z * boxes.half[owner][k]),
            ways: [z, -turned(facing), turned(way)],
            radii: [boxes.radii[owner], boxes.radii[1 - owner]],
            owner,
        }
    }

    #[inline(always)]
    pub(super) fn point<const D: usize>(
        &self,
        feature: u32,
        contact: &Contact,
    ) -> ManifoldPoint<D> {
        let (normal, [x, y]) = (self.ways[contact.kind as usize], contact.at);
        let gap = contact.gap - self.radii[0] - self.radii[1];
        let near = self.middle + (self.sides[0] * x + self.sides[1] * y + normal * self.radii[0]);
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
