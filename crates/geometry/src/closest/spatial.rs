//! Points and segments of space.
//!
//! # Method
//! The closest points of two segments are a vertex and the other segment, two vertices, or the crossing
//! points of the lines if they lie inside both; the least of all these distances is taken, which needs no
//! case distinction for parallel segments. The manifold of nearly parallel ones adds the ends of the
//! interval in which they overlap.
//!
//! # Guarantees and limits
//! Exact to rounding of the relative coordinates. Where segments cross exactly, the normal is the cross
//! product of their directions; where they coincide along a line, or a vertex lies on the other segment,
//! there is no normal.

use nalgebra::SVector;

use super::core::Core;
use super::{CorePoint, Side, direction, end_feature};

/// Distance of two cores, relative to the coordinates, up to which they coincide: a few units of rounding.
const COINCIDENT: f64 = 1e-15;

/// Distance of two crossing segments, relative to the coordinates, up to which the cross product of their
/// directions tells the normal better than their difference: √ε, where both are equally good.
const CROSSING: f64 = 1e-8;

/// Sine of the angle up to which two segments are parallel enough to touch at two ends: about 6°.
const PARALLEL: f64 = 0.1;

/// How much closer than the ends, relative to the coordinates, the crossing of nearly parallel segments
/// must be to be a contact of its own: below rounding its place means nothing.
const BELOW_ENDS: f64 = 1e-14;

/// Feature of the crossing of two segments; their vertices have 0 to 3.
const CROSSING_FEATURE: u32 = 4;

/// Lists the contacts of two cores of at most two vertices; `None` if the normal is not defined.
pub(super) fn contacts<const D: usize>(
    a: &Core<'_, D>,
    b: &Core<'_, D>,
    emit: &mut dyn FnMut(CorePoint<D>),
) -> Option<()> {
    let pair = Pair {
        a: Segment::new(a),
        b: Segment::new(b),
        rounding: a.reach() + b.reach(),
    };
    let nearest = pair.nearest();
    let closest = pair.contact(nearest)?;
    let ends = if matches!(nearest, Nearest::Vertices(_)) {
        [None, None]
    } else {
        pair.ends()
    };
    let told = |end: &CorePoint<D>| match nearest {
        Nearest::Crossing(..) => end.distance <= closest.distance + BELOW_ENDS * pair.rounding,
        _ => end.feature == closest.feature,
    };
    if !ends.iter().flatten().any(told) {
        emit(closest);
    }
    ends.into_iter().flatten().for_each(emit);
    Some(())
}

/// A point (length zero) or a segment from vertex 0 to vertex 1.
struct Segment<const D: usize> {
    vertices: [SVector<f64, D>; 2],
    along: SVector<f64, D>,
    length: f64,
}

impl<const D: usize> Segment<D> {
    fn new(core: &Core<'_, D>) -> Self {
        let vertices = [core.vertex(0), core.vertex(core.len() - 1)];
        let length = (vertices[1] - vertices[0]).norm();
        Self {
            vertices,
            along: -core.axis(),
            length,
        }
    }

    fn is_point(&self) -> bool {
        self.length == 0.0
    }

    fn vertices(&self) -> &[SVector<f64, D>] {
        &self.vertices[..if self.is_point() { 1 } else { 2 }]
    }

    fn coordinate(&self, x: &SVector<f64, D>) -> f64 {
        self.along.dot(&(x - self.vertices[0]))
    }

    fn spans(&self, x: &SVector<f64, D>) -> bool {
        !self.is_point() && (0.0..=self.length).contains(&self.coordinate(x))
    }

    fn at(&self, coordinate: f64) -> SVector<f64, D> {
        self.vertices[0] + self.along * coordinate.clamp(0.0, self.length)
    }
}

/// What is next to what.
#[derive(Clone, Copy)]
enum Nearest {
    /// Two vertices.
    Vertices([usize; 2]),
    /// A vertex of one over the inside of the other.
    Over(Side, usize),
    /// The lines, at these coordinates inside both.
    Crossing(f64, f64),
}

struct Pair<const D: usize> {
    a: Segment<D>,
    b: Segment<D>,
    rounding: f64,
}

impl<const D: usize> Pair<D> {
    fn of(&self, side: Side) -> &Segment<D> {
        match side {
            Side::A => &self.a,
            Side::B => &self.b,
        }
    }

    /// The least of all distances between vertices, of vertices over segments, and of the lines.
    fn nearest(&self) -> Nearest {
        let mut best = (f64::INFINITY, Nearest::Vertices([0, 0]));
        let mut offer = |difference: SVector<f64, D>, nearest: Nearest| {
            let distance = direction(&difference).map_or(0.0, |(_, distance)| distance);
            if distance < best.0 {
                best = (distance, nearest);
            }
        };
        for (i, x) in self.a.vertices().iter().enumerate() {
            for (j, y) in self.b.vertices().iter().enumerate() {
                offer(y - x, Nearest::Vertices([i, j]));
            }
        }
        for owner in [Side::B, Side::A] {
            let segment = self.of(owner.other());
            for (i, x) in self.of(owner).vertices().iter().enumerate() {
                if segment.spans(x) {
                    offer(
                        x - segment.at(segment.coordinate(x)),
                        Nearest::Over(owner, i),
                    );
                }
            }
        }
        if let Some((s, t)) = self.crossing() {
            offer(self.b.at(t) - self.a.at(s), Nearest::Crossing(s, t));
        }
        best.1
    }

    /// Part of the direction of B across A, of length sin of the angle between them.
    fn across(&self) -> SVector<f64, D> {
        self.b.along - self.a.along * self.a.along.dot(&self.b.along)
    }

    /// Coordinates of the points of the two lines next to each other, if they lie inside both segments.
    fn crossing(&self) -> Option<(f64, f64)> {
        let across = self.across();
        let sine_squared = across.norm_squared();
        if self.a.is_point() || self.b.is_point() || sine_squared == 0.0 {
            return None;
        }
        let t = across.dot(&(self.a.vertices[0] - self.b.vertices[0])) / sine_squared;
        if !(t > 0.0 && t < self.b.length) {
            return None;
        }
        // Projecting to and fro repairs what the small sine of nearly parallel lines has spoilt.
        let s = self.a.coordinate(&self.b.at(t));
        if !(s > 0.0 && s < self.a.length) {
            return None;
        }
        let t = self.b.coordinate(&self.a.at(s));
        (t > 0.0 && t < self.b.length).then_some((s, t))
    }

    fn contact(&self, nearest: Nearest) -> Option<CorePoint<D>> {
        match nearest {
            Nearest::Vertices([i, j]) => {
                let (a, b) = (self.a.vertices[i], self.b.vertices[j]);
                let (normal, distance) = self.direction(&(b - a))?;
                let single = self.a.is_point() || self.b.is_point();
                let feature = if single { 0 } else { Side::A.feature(i) };
                Some(CorePoint {
                    feature,
                    a,
                    b,
                    normal,
                    distance,
                })
            }
            Nearest::Over(owner, vertex) => {
                let feature = if self.of(owner).is_point() {
                    0
                } else {
                    self.end_of(owner, vertex)
                        .map_or(owner.feature(vertex), |end| end.feature(self, owner))
                };
                self.over(owner, vertex, feature)
            }
            Nearest::Crossing(s, t) => {
                let (a, b) = (self.a.at(s), self.b.at(t));
                if let Some((normal, distance)) =
                    direction(&(b - a)).filter(|(_, distance)| *distance > CROSSING * self.rounding)
                {
                    return Some(CorePoint {
                        feature: CROSSING_FEATURE,
                        a,
                        b,
                        normal,
                        distance,
                    });
                }
                let (normal, sine) = direction(&self.a.along.cross(&self.b.along))?;
                if sine <= CROSSING {
                    return None;
                }
                let height = normal.dot(&(b - a));
                let normal = if height < 0.0 { -normal } else { normal };
                let (half, middle) = (normal * (0.5 * height.abs()), (a + b) * 0.5);
                let (a, b) = (middle - half, middle + half);
                Some(CorePoint {
                    feature: CROSSING_FEATURE,
                    a,
                    b,
                    normal,
                    distance: height.abs(),
                })
            }
        }
    }

    /// A vertex over the inside of the other segment.
    fn over(&self, owner: Side, vertex: usize, feature: u32) -> Option<CorePoint<D>> {
        let (x, segment) = (self.of(owner).vertices[vertex], self.of(owner.other()));
        let foot = segment.at(segment.coordinate(&x));
        let (outward, distance) = self.direction(&(x - foot))?;
        Some(match owner {
            Side::B => CorePoint {
                feature,
                a: foot,
                b: x,
                normal: outward,
                distance,
            },
            Side::A => CorePoint {
                feature,
                a: x,
                b: foot,
                normal: -outward,
                distance,
            },
        })
    }

    fn direction(&self, d: &SVector<f64, D>) -> Option<(SVector<f64, D>, f64)> {
        direction(d).filter(|(_, distance)| *distance > COINCIDENT * self.rounding)
    }

    /// Whether the segments are parallel enough to overlap in an interval, and if so whether they run the
    /// same way.
    fn same_way(&self) -> Option<bool> {
        let parallel = !self.a.is_point() && !self.b.is_point() && self.across().norm() <= PARALLEL;
        parallel.then(|| self.a.along.dot(&self.b.along) > 0.0)
    }

    /// The end of the overlap at which a vertex lies.
    fn end_of(&self, owner: Side, vertex: usize) -> Option<End> {
        let same_way = self.same_way()?;
        let other = if same_way { vertex } else { 1 - vertex };
        Some(End(if owner == Side::A {
            [vertex, other]
        } else {
            [other, vertex]
        }))
    }

    /// Contacts at the ends of the interval in which nearly parallel segments overlap.
    fn ends(&self) -> [Option<CorePoint<D>>; 2] {
        [0, 1].map(|i| {
            let end = self.end_of(Side::A, i)?;
            let owner = [Side::A, Side::B].into_iter().find(|owner| {
                let x = self.of(*owner).vertices[end.vertex(*owner)];
                self.of(owner.other()).spans(&x)
            })?;
            self.over(owner, end.vertex(owner), end.feature(self, owner))
        })
    }
}

/// An end of an overlap: a vertex of A and a vertex of B.
#[derive(Clone, Copy)]
struct End([usize; 2]);

impl End {
    fn vertex(self, owner: Side) -> usize {
        self.0[usize::from(owner == Side::B)]
    }

    fn feature<const D: usize>(self, pair: &Pair<D>, limiting: Side) -> u32 {
        let [x, y] = [pair.a.vertices[self.0[0]], pair.b.vertices[self.0[1]]];
        let apart = pair.a.along.dot(&(x - y));
        end_feature(self.0, limiting, apart, pair.a.length.min(pair.b.length))
    }
}
