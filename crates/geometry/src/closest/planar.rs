//! Points, segments and polygons of the plane.
//!
//! ```math
//! d = \max_e \min_j \; n_e \cdot (x_j - x_e) \quad\text{over the sides } e \text{ of both cores and the vertices } x_j \text{ of the other}
//! ```
//!
//! # Method
//! The largest separation along a side's normal is the distance if the vertex lies over that side, apart and in
//! overlap: the sides' normals are those of the Minkowski difference. Otherwise two vertices face each other, and the
//! distance is the least over all vertices and sides. Where the cores meet to rounding, a pair counts only if its
//! normal separates them as far as a side's does. The manifold adds the far end of the interval in which the two
//! facing sides overlap.
//!
//! # Guarantees and limits
//! Exact to rounding of the relative coordinates. Every contact is a vertex with the side below it, so its gap does not
//! depend on which side is called the reference. Equal overlaps are resolved by order: sides of A before sides of B,
//! low indices first. Time is proportional to the product of the vertex numbers.
//!
//! # References
//! - S. Gottschalk, M. C. Lin, D. Manocha, `OBBTree`: a hierarchical structure for rapid interference detection,
//!   SIGGRAPH 1996, doi 10.1145/237170.237244 (separating axes).

use nalgebra::SVector;

use super::core::{Core, Edge};
use super::{CorePoint, Side, end_feature};
use crate::direction::direction;

/// Cosine of the tilt up to which two overlapping sides that fan out keep their far contact: within 6°.
const FLUSH: f64 = 0.995;

/// Distances and separations that differ by no more than this, relative to the coordinates, are equal: some units of
/// rounding. Without it flush sides lose their contact to a tie with two of their corners.
const TIE: f64 = 1e-14;

/// Two sides face each other if the cosine between one normal and the opposite of the other is at least this: within
/// 60°. Beyond it the far end is not worth a contact.
const FACING: f64 = 0.5;

/// A vertex of one core over a side of the other.
#[derive(Clone, Copy, Debug)]
struct Over {
    /// Which core has the vertex.
    owner: Side,
    vertex: usize,
    side: usize,
}

/// Lists the contacts of two cores; `None` if both are the same point.
pub(super) fn contacts<const D: usize>(
    a: &Core<'_, D>,
    b: &Core<'_, D>,
    emit: &mut dyn FnMut(CorePoint<D>),
) -> Option<()> {
    let cores = [a, b];
    match closest(cores)? {
        Closest::Over(over) => {
            let facing = Facing::of_over(cores, over);
            let feature = match &facing {
                Some(facing) => facing.feature(cores, facing.near, over.owner),
                None if cores.of(over.owner).len() == 1 => 0,
                None => over.owner.feature(over.vertex),
            };
            emit(cores.contact(over, feature));
            facing
                .and_then(|facing| facing.far_end(cores))
                .into_iter()
                .for_each(emit);
        }
        Closest::Vertices(vertices, point) => {
            emit(point);
            let facing = Facing::of_vertices(cores, vertices, &point.normal);
            facing
                .and_then(|facing| facing.far_end(cores))
                .into_iter()
                .for_each(emit);
        }
    }
    Some(())
}

enum Closest<const D: usize> {
    Over(Over),
    Vertices([usize; 2], CorePoint<D>),
}

/// The closest pair of features, signed; `None` if both cores are the same point.
fn closest<const D: usize>(cores: [&Core<'_, D>; 2]) -> Option<Closest<D>> {
    let Some((axis, separation)) = widest_separation(cores) else {
        return Some(Closest::Vertices([0, 0], between_vertices(cores, [0, 0])?));
    };
    if cores.side(axis).spans(&cores.vertex(axis)) {
        return Some(Closest::Over(axis));
    }
    let optimum = Optimum {
        separation,
        tie: TIE * (cores[0].reach() + cores[1].reach()),
    };
    // Where the cores meet to rounding, the nearest pair may be any that meets, not one that separates.
    if separation > -optimum.tie {
        match nearest(cores, optimum.tie) {
            Nearest::Over(over) if optimum.is_reached(cores, &cores.contact(over, 0)) => {
                return Some(Closest::Over(over));
            }
            Nearest::Vertices(vertices) => {
                let point = between_vertices(cores, vertices);
                if let Some(point) = point.filter(|point| optimum.is_reached(cores, point)) {
                    return Some(Closest::Vertices(vertices, point));
                }
            }
            Nearest::Over(_) => (),
        }
    }
    Some(Closest::Over(facing_over(cores, axis, optimum)))
}

/// The largest separation along the normals of sides, which a closest pair reaches or exceeds.
#[derive(Clone, Copy, Debug)]
struct Optimum {
    separation: f64,
    tie: f64,
}

impl Optimum {
    /// Whether a contact is a closest pair: its normal separates the cores that much, and its points are the ones that
    /// the normal separates least.
    fn is_reached<const D: usize>(self, cores: [&Core<'_, D>; 2], point: &CorePoint<D>) -> bool {
        let along = separation_along(cores, &point.normal);
        along >= self.separation - self.tie && (point.distance - along).abs() <= self.tie
    }
}

/// The side and vertex of the largest separation along a side's normal; `None` if neither core has sides.
fn widest_separation<const D: usize>(cores: [&Core<'_, D>; 2]) -> Option<(Over, f64)> {
    let mut best: Option<(Over, f64)> = None;
    for owner in [Side::B, Side::A] {
        let (vertices, sides) = (cores.of(owner), cores.of(owner.other()));
        for side in 0..sides.sides() {
            let edge = sides.side(side);
            let mut least = (0, f64::INFINITY);
            for vertex in 0..vertices.len() {
                let height = edge.height(&vertices.vertex(vertex));
                if height < least.1 {
                    least = (vertex, height);
                }
            }
            if best.is_none_or(|(_, separation)| least.1 > separation) {
                best = Some((
                    Over {
                        owner,
                        vertex: least.0,
                        side,
                    },
                    least.1,
                ));
            }
        }
    }
    best
}

/// How far B is beyond A along a direction.
fn separation_along<const D: usize>(cores: [&Core<'_, D>; 2], normal: &SVector<f64, D>) -> f64 {
    let heights = |core: &Core<'_, D>, sign: f64| {
        (0..core.len())
            .map(|i| sign * normal.dot(&core.vertex(i)))
            .fold(f64::INFINITY, f64::min)
    };
    heights(cores[1], 1.0) + heights(cores[0], -1.0)
}

enum Nearest {
    Over(Over),
    Vertices([usize; 2]),
}

/// The nearest vertex and side of cores that are apart, or two vertices if they are nearer by `tie`.
fn nearest<const D: usize>(cores: [&Core<'_, D>; 2], tie: f64) -> Nearest {
    let mut over = (f64::INFINITY, None);
    let mut vertices = (f64::INFINITY, [0, 0]);
    for owner in [Side::B, Side::A] {
        let (own, sides) = (cores.of(owner), cores.of(owner.other()));
        for side in 0..sides.sides() {
            let edge = sides.side(side);
            for vertex in 0..own.len() {
                let x = own.vertex(vertex);
                let (height, coordinate) = (edge.height(&x), edge.coordinate(&x));
                let beyond = coordinate - coordinate.clamp(0.0, edge.length);
                if beyond == 0.0 {
                    // A vertex behind the side is nearer to another one.
                    if height >= -tie && height < over.0 {
                        over = (
                            height,
                            Some(Over {
                                owner,
                                vertex,
                                side,
                            }),
                        );
                    }
                } else if height.hypot(beyond) < vertices.0 {
                    let corner = if beyond < 0.0 {
                        side
                    } else {
                        (side + 1) % sides.len()
                    };
                    let pair = if owner == Side::A {
                        [vertex, corner]
                    } else {
                        [corner, vertex]
                    };
                    vertices = (height.hypot(beyond), pair);
                }
            }
        }
    }
    match over {
        (distance, Some(over)) if distance <= vertices.0 + tie => Nearest::Over(over),
        _ => Nearest::Vertices(vertices.1),
    }
}

/// In overlap the vertex of the widest separation lies over its side, unless the two facing sides are parallel to
/// rounding: then any of their four corners that lies over the other side is as deep. Or cores meet in a corner to
/// rounding: then the side's normal holds although its foot is off the end by that much.
fn facing_over<const D: usize>(cores: [&Core<'_, D>; 2], axis: Over, optimum: Optimum) -> Over {
    let Some(facing) = Facing::of_over(cores, axis) else {
        return axis;
    };
    let corners = [facing.near, facing.far].into_iter();
    let mut overs = corners.flat_map(|corners| Side::BOTH.map(|owner| facing.over(corners, owner)));
    let as_good = |over: &Over| {
        cores.side(*over).spans(&cores.vertex(*over))
            && optimum.is_reached(cores, &cores.contact(*over, 0))
    };
    overs.find(as_good).unwrap_or(axis)
}

/// The contact of two vertices along their difference; `None` if they coincide.
fn between_vertices<const D: usize>(
    cores: [&Core<'_, D>; 2],
    vertices: [usize; 2],
) -> Option<CorePoint<D>> {
    let (a, b) = (cores[0].vertex(vertices[0]), cores[1].vertex(vertices[1]));
    let (normal, distance) = direction(&(b - a))?;
    let either_is_point = cores.iter().any(|core| core.len() == 1);
    let feature = if either_is_point {
        0
    } else {
        Side::A.feature(vertices[0])
    };
    Some(CorePoint {
        feature,
        a,
        b,
        normal,
        distance,
    })
}

/// Two sides that face each other. Each runs counter-clockwise round its own core, so they run against each
/// other, and the start of one is at the end of the other.
#[derive(Clone, Copy, Debug)]
struct Facing {
    /// Side of A, side of B.
    sides: [usize; 2],
    /// Corners of A and of B at the end where the closest pair is.
    near: [usize; 2],
    /// Corners at the other end.
    far: [usize; 2],
}

impl Facing {
    /// The side of the vertex's own core that faces the side under the vertex, if one does.
    fn of_over<const D: usize>(cores: [&Core<'_, D>; 2], over: Over) -> Option<Self> {
        let core = cores.of(over.owner);
        if core.sides() == 0 {
            return None;
        }
        let (after, before) = (over.vertex, (over.vertex + core.len() - 1) % core.len());
        let sides = |own| {
            if over.owner == Side::A {
                [own, over.side]
            } else {
                [over.side, own]
            }
        };
        let normal = cores.contact(over, 0).normal;
        let best = best_facing(cores, [sides(before), sides(after)], &normal)?;
        Some(Self::new(cores, best, over.owner, over.vertex))
    }

    /// The sides at two vertices that face each other, if any do: those that set out from the vertices the same way.
    fn of_vertices<const D: usize>(
        cores: [&Core<'_, D>; 2],
        [i, j]: [usize; 2],
        normal: &SVector<f64, D>,
    ) -> Option<Self> {
        if cores.iter().any(|core| core.sides() == 0) {
            return None;
        }
        let before = |k: usize, core: &Core<'_, D>| (k + core.len() - 1) % core.len();
        let pairs = [[i, before(j, cores[1])], [before(i, cores[0]), j]];
        let best = best_facing(cores, pairs, normal)?;
        Some(Self::new(cores, best, Side::A, i))
    }

    fn new<const D: usize>(
        cores: [&Core<'_, D>; 2],
        sides: [usize; 2],
        owner: Side,
        vertex: usize,
    ) -> Self {
        let end = |owner: usize| (sides[owner] + 1) % cores[owner].len();
        let ends = [[sides[0], end(1)], [end(0), sides[1]]];
        let [near, far] = if ends[0][owner.index()] == vertex {
            ends
        } else {
            [ends[1], ends[0]]
        };
        Self { sides, near, far }
    }

    /// The corner of `owner` over the side of the other.
    fn over(&self, corners: [usize; 2], owner: Side) -> Over {
        Over {
            owner,
            vertex: corners[owner.index()],
            side: self.sides[owner.other().index()],
        }
    }

    /// Name of the contact at an end of which `limiting` has the limiting corner.
    fn feature<const D: usize>(
        &self,
        cores: [&Core<'_, D>; 2],
        corners: [usize; 2],
        limiting: Side,
    ) -> u32 {
        let edge = cores[1].side(self.sides[1]);
        let [x, y] = [cores[0].vertex(corners[0]), cores[1].vertex(corners[1])];
        let shorter = edge.length.min(cores[0].side(self.sides[0]).length);
        end_feature(corners, limiting, edge.along.dot(&(x - y)), shorter)
    }

    /// The contact at the far end of the interval in which the two sides overlap.
    ///
    /// Either corner may be over the other's side, or both on a slant: then the nearer counts. Or neither, when the
    /// sides fan out there: then the corners are closest to each other, so the gap is continuous. In overlap flush
    /// sides keep the contact there too; its foot is off the other side's end by up to |distance| sin 6°.
    fn far_end<const D: usize>(&self, cores: [&Core<'_, D>; 2]) -> Option<CorePoint<D>> {
        let contact = |owner| {
            cores.contact(
                self.over(self.far, owner),
                self.feature(cores, self.far, owner),
            )
        };
        let spanning = Side::BOTH.into_iter().filter(|owner| {
            let over = self.over(self.far, *owner);
            cores.side(over).spans(&cores.vertex(over))
        });
        let nearer = |p: CorePoint<D>, q: CorePoint<D>| if q.distance < p.distance { q } else { p };
        spanning.map(contact).reduce(nearer).or_else(|| {
            let corner = |k: usize, corners: [usize; 2]| cores[k].vertex(corners[k]);
            let apart = corner(1, self.far) - corner(0, self.far);
            let beyond_a = apart.dot(&(corner(0, self.far) - corner(0, self.near))) > 0.0;
            let beyond_b = apart.dot(&(corner(1, self.far) - corner(1, self.near))) < 0.0;
            // Beyond each other at the far end; otherwise the interval ends before it begins.
            if !(beyond_a && beyond_b) {
                return None;
            }
            let over = contact(Side::A);
            if over.distance > 0.0 {
                let between = between_vertices(cores, self.far)?;
                return Some(CorePoint {
                    feature: over.feature,
                    ..between
                });
            }
            let [n, m] = [0, 1].map(|k| cores[k].side(self.sides[k]).normal);
            (-n.dot(&m) >= FLUSH).then_some(over)
        })
    }
}

/// The pair of sides of A and B, of two, that faces the normal from A to B better, if within [`FACING`]. Sides back
/// to back are as antiparallel as sides face to face; the normal tells them apart.
fn best_facing<const D: usize>(
    cores: [&Core<'_, D>; 2],
    [first, second]: [[usize; 2]; 2],
    normal: &SVector<f64, D>,
) -> Option<[usize; 2]> {
    let facing = |[i, j]: [usize; 2]| {
        cores[0]
            .side(i)
            .normal
            .dot(normal)
            .min(-cores[1].side(j).normal.dot(normal))
    };
    let best = if facing(first) > facing(second) {
        first
    } else {
        second
    };
    (facing(best) >= FACING).then_some(best)
}

/// Reading a pair of cores by owner.
trait Pair<'a, const D: usize> {
    fn of(&self, side: Side) -> &Core<'a, D>;

    /// The vertex that is over a side.
    fn vertex(&self, over: Over) -> SVector<f64, D> {
        self.of(over.owner).vertex(over.vertex)
    }

    /// The side that it is over.
    fn side(&self, over: Over) -> Edge<D> {
        self.of(over.owner.other()).side(over.side)
    }

    fn contact(&self, over: Over, feature: u32) -> CorePoint<D> {
        let (x, edge) = (self.vertex(over), self.side(over));
        let distance = edge.height(&x);
        let foot = x - edge.normal * distance;
        match over.owner {
            Side::B => CorePoint {
                feature,
                a: foot,
                b: x,
                normal: edge.normal,
                distance,
            },
            Side::A => CorePoint {
                feature,
                a: x,
                b: foot,
                normal: -edge.normal,
                distance,
            },
        }
    }
}

impl<'a, const D: usize> Pair<'a, D> for [&Core<'a, D>; 2] {
    fn of(&self, side: Side) -> &Core<'a, D> {
        self[side.index()]
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector2;

    use super::*;
    use crate::{Capsule, ConvexSet, Placed, Polygon, Pose};

    fn core(set: &ConvexSet<2>, x: f64, y: f64) -> Core<'_, 2> {
        let placed = Placed::new(set, Pose::from_position(Vector2::new(x, y)));
        Core::new(&placed, &Vector2::zeros()).unwrap()
    }

    #[test]
    fn the_widest_separation_is_the_least_overlap() {
        let square = Polygon::rectangle(2.0, 2.0).unwrap().into();
        let (a, b) = (core(&square, 0.0, 0.0), core(&square, 1.75, 0.5));
        let (over, separation) = widest_separation([&a, &b]).unwrap();
        // Side 1 of a rectangle looks along x.
        assert_eq!((over.owner, over.side, separation), (Side::B, 1, -0.25));
    }

    #[test]
    fn flush_sides_are_not_two_vertices() {
        let square = Polygon::rectangle(1.0, 1.0).unwrap().into();
        let (a, b) = (core(&square, 0.0, 0.0), core(&square, 1e-16, 1.5));
        assert!(matches!(nearest([&a, &b], TIE), Nearest::Over(_)));
        let diagonal = core(&square, 2.0, 2.0);
        assert!(matches!(
            nearest([&a, &diagonal], TIE),
            Nearest::Vertices([2, 0])
        ));
    }

    #[test]
    fn stadium_sides_face_by_the_normal_not_by_antiparallelism() {
        let rod = Capsule::new(1.0, 0.1).unwrap().into();
        let (a, b) = (core(&rod, 0.0, 0.0), core(&rod, 0.0, 1.0));
        // Vertex 0 is at the right. Side 0 runs from right to left above, side 1 back below.
        let facing = Facing::of_vertices([&a, &b], [0, 0], &Vector2::y()).unwrap();
        assert_eq!(
            (facing.sides, facing.near, facing.far),
            ([0, 1], [0, 0], [1, 1])
        );
        let facing = Facing::of_vertices([&a, &b], [0, 0], &-Vector2::y()).unwrap();
        assert_eq!(facing.sides, [1, 0]);
    }
}
