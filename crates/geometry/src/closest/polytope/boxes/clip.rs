//! Two rectangles clipped against each other: the one of the base as it is, the other as it is seen along the normal.
//!
//! # Method
//! The other is a parallelogram. A corner is in it, or an edge passes through a side, by its distances from two pairs of
//! parallel lines. What is listed are names and places in turn; points are worked out from them, so that a list may be kept
//! while the rectangles move by less than [`Seen::allowed`].

#![expect(
    clippy::inline_always,
    reason = "a query is short: calls and copies would be much of it"
)]

/// Contacts at most: the corners of an octagon and rounding.
pub(super) const MOST: usize = 16;

/// Distance, relative to the smaller face, within which a corner counts as on the other's border and two corners as one.
pub(super) const SAME_CORNER: f64 = 1e-6;

/// The rectangles in the plane of the base, from its middle; corners in turn, edge i from corner i to its successor.
#[derive(Clone, Copy)]
pub(super) struct Seen {
    /// Half lengths of the base.
    pub(super) half: [f64; 2],
    /// Corners of the other.
    pub(super) corners: [[f64; 2]; 4],
    /// Which body has the base: 0 is A.
    pub(super) owner: usize,
}

/// Names of the corners in turn, and of the edges: the corner at which they begin, seen counter-clockwise from outside.
#[derive(Clone, Copy)]
pub(super) struct Names {
    corners: [u32; 4],
    pub(super) edges: [u32; 4],
}

impl Names {
    /// Of corners whose turn is counter-clockwise seen from outside, or not.
    pub(super) fn new(corners: [u32; 4], is_counter_clockwise: bool) -> Self {
        let [p, q, r, s] = corners;
        let edges = if is_counter_clockwise {
            corners
        } else {
            [q, r, s, p]
        };
        Self { corners, edges }
    }
}

/// What bounds the overlap, by names in increasing order.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Clipped {
    entries: [Entry; MOST],
    len: usize,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Entry {
    pub(super) name: u32,
    pub(super) what: What,
}

/// By places in turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum What {
    /// Corner of the base.
    Base(u8),
    /// Corner of the other.
    Other(u8),
    /// Edge of the other through an edge of the base.
    Crossing(u8, u8),
}

impl Default for What {
    fn default() -> Self {
        Self::Base(0)
    }
}

impl Clipped {
    pub(super) fn entries(&self) -> &[Entry] {
        &self.entries[..self.len]
    }

    fn push(&mut self, entry: Entry) {
        if self.len < MOST {
            self.entries[self.len] = entry;
            self.len += 1;
        }
    }
}

/// Signed distances from the edges, positive inside: those of the other's corners from the edges of the base, and of the corners
/// of the base from those of the other.
struct Distances([[[f64; 4]; 4]; 2]);

/// Corners outside and inside of each edge by more than what is the same, as bits, and the edges through it.
#[derive(Clone, Copy, Default)]
struct Sides {
    within: u8,
    through: [u8; 4],
}

impl Seen {
    /// Corners of the base.
    #[inline(always)]
    fn rectangle(&self) -> [[f64; 2]; 4] {
        let [h, w] = self.half;
        [[h, w], [-h, w], [-h, -w], [h, -w]]
    }

    /// Corner r of the base.
    #[inline(always)]
    pub(super) fn corner_of_base(&self, r: usize) -> [f64; 2] {
        let [h, w] = self.half;
        [
            if r == 1 || r == 2 { -h } else { h },
            if r >= 2 { -w } else { w },
        ]
    }

    /// Half edges of the other along which its corners differ, and its middle.
    fn frame(&self) -> ([[f64; 2]; 2], [f64; 2]) {
        let [p, q, r, _] = self.corners;
        let half = |a: [f64; 2], b: [f64; 2]| [0.5 * (a[0] - b[0]), 0.5 * (a[1] - b[1])];
        (
            [half(p, q), half(q, r)],
            [0.5 * (p[0] + r[0]), 0.5 * (p[1] + r[1])],
        )
    }

    /// Length within which corners are the same, m.
    fn same(&self) -> f64 {
        let [h, w] = self.half;
        let [d, e] = self.frame().0;
        let other = (d[0] * d[0] + d[1] * d[1]) + (e[0] * e[0] + e[1] * e[1]);
        SAME_CORNER * 2.0 * (h * h + w * w).min(other).sqrt()
    }

    fn distances(&self) -> Distances {
        let ([d, e], c) = self.frame();
        let area = cross(d, e);
        let (turn, area) = (area.signum(), area.abs());
        let (p, q) = (1.0 / length(d), 1.0 / length(e));
        let (of_d, of_e) = (area * q, area * p);
        let mut out = [[[0.0; 4]; 4]; 2];
        for (place, x) in self.rectangle().iter().enumerate() {
            let x = [x[0] - c[0], x[1] - c[1]];
            let (s, t) = (turn * cross(x, e) * q, turn * cross(d, x) * p);
            let all = [of_e - t, of_d + s, of_e + t, of_d - s];
            (0..4).for_each(|edge| out[1][edge][place] = all[edge]);
            (0..4).for_each(|edge| {
                out[0][edge][place] = inside_all(self.half, self.corners[place])[edge];
            });
        }
        Distances(out)
    }

    /// Where edge e of the other is on edge r of the base.
    #[inline(always)]
    pub(super) fn crossing(&self, e: usize, r: usize) -> [f64; 2] {
        let (p, q) = (&self.corners[e % 4], &self.corners[(e + 1) % 4]);
        // Along one axis the edge is on the side.
        let (across, along) = (1 - r % 2, r % 2);
        let half = self.half[across];
        let border = if r % 4 == 1 || r % 4 == 2 {
            -half
        } else {
            half
        };
        let part = (border - p[across]) / (q[across] - p[across]);
        let at = p[along] + part * (q[along] - p[along]);
        if along == 0 {
            [at, border]
        } else {
            [border, at]
        }
    }

    pub(super) fn at(&self, what: What) -> [f64; 2] {
        match what {
            What::Base(r) => self.corner_of_base(usize::from(r)),
            What::Other(e) => self.corners[usize::from(e)],
            What::Crossing(e, r) => self.crossing(usize::from(e), usize::from(r)),
        }
    }

    /// The corners of each in the other, those of A first where they coincide, and crossings of edges.
    /// With the names of the corners and of the edges of the base and of the other.
    pub(super) fn clip(&self, names: &[Names; 2], out: &mut Clipped) {
        let same = self.same();
        let [of_base, of_other] = self.distances().0.map(|distances| sides(&distances, same));
        out.len = 0;
        let mut at = [[0.0; 2]; MOST];
        let mut push = |out: &mut Clipped, name: u32, what: What, is_first: bool| {
            let x = self.at(what);
            let known = &at[..out.len];
            if is_first || known.iter().all(|y| square(*y, x) > same * same) {
                if let Some(at) = at.get_mut(out.len) {
                    *at = x;
                }
                out.push(Entry { name, what });
            }
        };
        for body in [0, 1] {
            let is_base = body == self.owner;
            let within = if is_base {
                of_other.within
            } else {
                of_base.within
            };
            for place in (0..4u8).filter(|place| within >> place & 1 == 1) {
                let (names, what) = if is_base {
                    (&names[0].corners, What::Base(place))
                } else {
                    (&names[1].corners, What::Other(place))
                };
                let name = name_of_vertex(body, names[usize::from(place)]);
                push(out, name, what, body == 0);
            }
        }
        for i in 0..4u8 {
            for j in 0..4u8 {
                let (e, r) = if self.owner == 0 { (j, i) } else { (i, j) };
                let passes =
                    of_base.through[usize::from(r)] >> e & of_other.through[usize::from(e)] >> r;
                if passes & 1 == 1 {
                    let name = self.name_of_crossing(names, e, r);
                    push(out, name, What::Crossing(e, r), false);
                }
            }
        }
        out.entries[..out.len].sort_unstable_by_key(|entry| entry.name);
    }

    fn name_of_crossing(&self, names: &[Names; 2], e: u8, r: u8) -> u32 {
        let (base, other) = (
            names[0].edges[usize::from(r)],
            names[1].edges[usize::from(e)],
        );
        if self.owner == 0 {
            name_of_crossing(base, other)
        } else {
            name_of_crossing(other, base)
        }
    }

    /// By how much corners may move, in m, before the list can be another. Corners of the base move against the other's edges up
    /// to three times as much as its corners do, and crossings by that over the sine of the angle of the edges.
    pub(super) fn allowed(&self) -> f64 {
        const LEVER: f64 = 4.0;
        let same = self.same();
        let all = self.distances().0;
        let mut least = f64::INFINITY;
        for distance in all.iter().flatten().flatten() {
            least = least.min((distance.abs() - same).abs() / LEVER);
        }
        let corners = (0..8u8).map(|i| {
            if i < 4 {
                What::Base(i)
            } else {
                What::Other(i - 4)
            }
        });
        let [of_base, of_other] = all.map(|distances| sides(&distances, same));
        let listed = |what: &What| match *what {
            What::Base(r) => of_other.within >> r & 1 == 1,
            What::Other(e) => of_base.within >> e & 1 == 1,
            What::Crossing(e, r) => {
                (of_base.through[usize::from(r)] >> e & of_other.through[usize::from(e)] >> r) & 1
                    == 1
            }
        };
        let crossings = (0..16u8).map(|i| What::Crossing(i / 4, i % 4));
        let mut before = [What::default(); 24];
        for (count, what) in corners.chain(crossings).filter(listed).enumerate() {
            let x = self.at(what);
            for other in &before[..count] {
                let lever = LEVER * (self.lever(what) + self.lever(*other));
                let apart = square(self.at(*other), x).sqrt();
                least = least.min((apart - same).abs() / lever);
            }
            before[count] = what;
        }
        least
    }

    /// One over the sine of the angle at which edges cross; one for corners.
    fn lever(&self, what: What) -> f64 {
        let What::Crossing(e, r) = what else {
            return 1.0;
        };
        let along = self.frame().0[usize::from(e % 2)];
        length(along) / along[usize::from(r % 2 == 0)].abs()
    }
}

fn sides(distances: &[[f64; 4]; 4], same: f64) -> Sides {
    let mut out = Sides {
        within: 0xf,
        through: [0; 4],
    };
    for (edge, distances) in distances.iter().enumerate() {
        let (mut outside, mut inside) = (0u8, 0u8);
        for (place, distance) in distances.iter().enumerate() {
            outside |= u8::from(*distance < -same) << place;
            inside |= u8::from(*distance > same) << place;
        }
        let next = |bits: u8| (bits >> 1 | bits << 3) & 0xf;
        out.within &= !outside;
        out.through[edge] = outside & next(inside) | inside & next(outside);
    }
    out
}

/// The name of a corner of body 0 or 1 that is a contact.
#[inline(always)]
pub(super) fn name_of_vertex(body: usize, corner: u32) -> u32 {
    (if body == 0 { 1 << 24 } else { 2 << 24 }) | corner
}

/// The name of a crossing of edges of A and of B.
#[inline(always)]
pub(super) fn name_of_crossing(i: u32, j: u32) -> u32 {
    (3 << 24) | (i << 12) | j
}

/// Distances of a point inside the edges of a rectangle about the origin in turn.
#[inline(always)]
pub(super) fn inside_all([h, w]: [f64; 2], [x, y]: [f64; 2]) -> [f64; 4] {
    [w - y, h + x, w + y, h - x]
}

fn cross(p: [f64; 2], q: [f64; 2]) -> f64 {
    p[0] * q[1] - p[1] * q[0]
}

fn length(p: [f64; 2]) -> f64 {
    (p[0] * p[0] + p[1] * p[1]).sqrt()
}

/// Square of the distance of two points.
fn square(p: [f64; 2], q: [f64; 2]) -> f64 {
    let [x, y] = [p[0] - q[0], p[1] - q[1]];
    x * x + y * y
}
