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
//!
//! # References
//! - C. Ericson, Real-Time Collision Detection, Morgan Kaufmann 2005, section 5.1.9 (closest points of
//!   segments).

use nalgebra::SVector;

use super::core::Core;
use super::{CorePoint, Side, end_feature};
use crate::direction::direction;

/// Distance of two cores, relative to the coordinates, up to which they coincide: a few units of rounding.
const COINCIDENT: f64 = 1e-15;

/// Sine of the angle up to which segments that meet count as one line: their cross product is noise.
const ONE_LINE: f64 = 1e-12;

/// Sine of the angle up to which two segments are parallel enough to touch at two ends: about 6°.
const PARALLEL: f64 = 0.1;

/// How much nearer, relative to the coordinates, two vertices must be than a vertex over a segment to be
/// the closest pair: some units of rounding. Flush segments would otherwise lose their contact to a tie.
const TIE: f64 = 1e-14;

/// How much closer than the ends, relative to the coordinates, the crossing of nearly parallel segments
/// must be to be a contact of its own: below rounding its place means nothing.
const BELOW_ENDS: f64 = 1e-15;

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
    let mut ends = pair.ends();
    if matches!(nearest, Nearest::Crossing(..)) {
        // The nearer end first.
        let distance = |end: &Option<CorePoint<D>>| end.map_or(f64::INFINITY, |end| end.distance);
        if distance(&ends[1]) < distance(&ends[0]) {
            ends.swap(0, 1);
        }
        if distance(&ends[0]) <= closest.distance + BELOW_ENDS * pair.rounding {
            ends.into_iter().flatten().for_each(emit);
            return Some(());
        }
    }
    emit(closest);
    ends.into_iter()
        .flatten()
        .filter(|end| end.feature != closest.feature)
        .for_each(emit);
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
        let mut best = (f64::INFINITY, None);
        let mut offer = |difference: SVector<f64, D>, nearest: Nearest, tie: f64| {
            let distance = direction(&difference).map_or(0.0, |(_, distance)| distance);
            if best.1.is_none() || distance + tie < best.0 {
                best = (distance, Some(nearest));
            }
        };
        for owner in [Side::B, Side::A] {
            let segment = self.of(owner.other());
            for (i, x) in self.of(owner).vertices().iter().enumerate() {
                if segment.spans(x) {
                    let foot = segment.at(segment.coordinate(x));
                    offer(x - foot, Nearest::Over(owner, i), 0.0);
                }
            }
        }
        for (i, x) in self.a.vertices().iter().enumerate() {
            for (j, y) in self.b.vertices().iter().enumerate() {
                offer(y - x, Nearest::Vertices([i, j]), TIE * self.rounding);
            }
        }
        if let Some((s, t)) = self.crossing() {
            offer(self.b.at(t) - self.a.at(s), Nearest::Crossing(s, t), 0.0);
        }
        best.1.expect("every pair of cores has vertices")
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
                let (normal, sine) = direction(&self.a.along.cross(&self.b.along))?;
                // Rounding turns the difference by ε reach/distance and the cross product by ε/sine.
                match self.direction(&(b - a)) {
                    Some((normal, distance)) if distance >= sine * self.rounding => {
                        return Some(CorePoint {
                            feature: CROSSING_FEATURE,
                            a,
                            b,
                            normal,
                            distance,
                        });
                    }
                    _ if sine <= ONE_LINE => return None,
                    _ => (),
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
        // The part along the segment is rounding, and its length would multiply it.
        let outward = x - foot;
        let outward = outward - segment.along * segment.along.dot(&outward);
        let (outward, distance) = self.direction(&outward)?;
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
    ///
    /// At an end either vertex may be over the other segment, or both on a slant: then the nearer counts. Or
    /// neither, where the segments fan out: then the vertices are closest to each other.
    fn ends(&self) -> [Option<CorePoint<D>>; 2] {
        [0, 1].map(|i| {
            let end = self.end_of(Side::A, i)?;
            let over = |owner: Side| {
                let vertex = end.vertex(owner);
                let spans = self
                    .of(owner.other())
                    .spans(&self.of(owner).vertices[vertex]);
                spans
                    .then(|| self.over(owner, vertex, end.feature(self, owner)))
                    .flatten()
            };
            let nearer =
                |p: CorePoint<D>, q: CorePoint<D>| if q.distance < p.distance { q } else { p };
            Side::BOTH
                .into_iter()
                .filter_map(over)
                .reduce(nearer)
                .or_else(|| self.fanned_out(end))
        })
    }

    /// The contact of the two vertices of an end, if each is beyond the other.
    fn fanned_out(&self, end: End) -> Option<CorePoint<D>> {
        let (x, y) = (end.vertex(Side::A), end.vertex(Side::B));
        let apart = self.b.vertices[y] - self.a.vertices[x];
        let beyond_a = apart.dot(&(self.a.vertices[x] - self.a.vertices[1 - x])) > 0.0;
        let beyond_b = apart.dot(&(self.b.vertices[y] - self.b.vertices[1 - y])) < 0.0;
        if beyond_a && beyond_b {
            self.contact(Nearest::Vertices([x, y]))
        } else {
            None
        }
    }
}

/// An end of an overlap: a vertex of A and a vertex of B.
#[derive(Clone, Copy)]
struct End([usize; 2]);

impl End {
    fn vertex(self, owner: Side) -> usize {
        self.0[owner.index()]
    }

    fn feature<const D: usize>(self, pair: &Pair<D>, limiting: Side) -> u32 {
        let [x, y] = [pair.a.vertices[self.0[0]], pair.b.vertices[self.0[1]]];
        let apart = pair.a.along.dot(&(x - y));
        end_feature(self.0, limiting, apart, pair.a.length.min(pair.b.length))
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector3;

    use super::*;
    use crate::{Capsule, ConvexSet, Placed, Pose};

    #[test]
    fn crossing_of_nearly_parallel_lines_is_repaired() {
        let rod = ConvexSet::<3>::from(Capsule::new(1.0, 0.1).unwrap());
        let yaw = 1e-7f64;
        let turned = Pose::from_quaternion(
            [(yaw / 2.0).cos(), 0.0, 0.0, (yaw / 2.0).sin()],
            Vector3::new(0.0, 0.0, 0.5),
        );
        let core = |pose| Core::new(&Placed::new(&rod, pose), &Vector3::zeros()).unwrap();
        let (a, b) = (core(Pose::identity()), core(turned));
        let pair = Pair {
            a: Segment::new(&a),
            b: Segment::new(&b),
            rounding: 2.0,
        };
        let (s, t) = pair.crossing().unwrap();
        // Where along the line is lost to 1e-16/1e-7, the distance is not.
        assert!((s - 1.0).abs() < 1e-8 && (s - t).abs() < 1e-14);
        assert!(((pair.b.at(t) - pair.a.at(s)).norm() - 0.5).abs() < 1e-15);
    }
}
