//! Points, segments and polygons of the plane.
//!
//! ```math
//! d = \max_e \min_j \; n_e \cdot (x_j - x_e) \quad\text{over the sides } e \text{ of both cores and the vertices } x_j \text{ of the other}
//! ```
//!
//! # Method
//! The largest separation along a side's normal is the distance if the vertex lies over that side, apart and in
//! overlap: the sides' normals are those of the Minkowski difference. Otherwise two vertices face each other, and the
//! distance is the least over all vertices and sides. The manifold adds the far end of the interval in which the two
//! facing sides overlap.
//!
//! # Guarantees and limits
//! Exact to rounding of the relative coordinates. Every contact is a vertex with the side below it, so its gap does not
//! depend on which side is called the reference. Equal overlaps are resolved by order: sides of A before sides of B,
//! low indices first. Time is proportional to the product of the vertex numbers.

use super::core::{Core, Edge};
use super::{CorePoint, Side, direction, end_feature};

/// Distance of two vertices, relative to the coordinates, up to which rounding decides their direction and the
/// separating side's normal is used instead.
const TOUCHING: f64 = 1e-12;

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
    let Some((axis, separation)) = widest_separation(cores) else {
        emit(between_vertices(cores, [0, 0])?);
        return Some(());
    };
    let over = if cores.side(axis).spans(&cores.vertex(axis)) {
        axis
    } else if separation > 0.0 {
        match nearest(cores) {
            Nearest::Over(over) => over,
            Nearest::Vertices(vertices) => {
                let point = between_vertices(cores, vertices);
                let rounding = TOUCHING * (a.reach() + b.reach());
                match point.filter(|point| point.distance > rounding) {
                    Some(point) => {
                        emit(point);
                        return Some(());
                    }
                    None => axis,
                }
            }
        }
    } else {
        facing_over(cores, axis)
    };
    let facing = Facing::new(cores, over);
    emit(cores.contact(over, facing.near_feature(cores)));
    if let Some(point) = facing.far_end(cores) {
        emit(point);
    }
    Some(())
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

enum Nearest {
    Over(Over),
    Vertices([usize; 2]),
}

/// The nearest vertex and side, or two vertices, of cores that are apart.
fn nearest<const D: usize>(cores: [&Core<'_, D>; 2]) -> Nearest {
    let mut best = (f64::INFINITY, Nearest::Vertices([0, 0]));
    for owner in [Side::B, Side::A] {
        let (vertices, sides) = (cores.of(owner), cores.of(owner.other()));
        for side in 0..sides.sides() {
            let edge = sides.side(side);
            for vertex in 0..vertices.len() {
                let x = vertices.vertex(vertex);
                let coordinate = edge.coordinate(&x);
                let (height, beyond) = (
                    edge.height(&x),
                    coordinate - coordinate.clamp(0.0, edge.length),
                );
                let distance = height.hypot(beyond);
                if distance >= best.0 {
                    continue;
                }
                if beyond == 0.0 {
                    // A vertex behind the side is nearer to another one.
                    if height >= 0.0 {
                        best = (
                            distance,
                            Nearest::Over(Over {
                                owner,
                                vertex,
                                side,
                            }),
                        );
                    }
                } else {
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
                    best = (distance, Nearest::Vertices(pair));
                }
            }
        }
    }
    best.1
}

/// In overlap the vertex of the widest separation lies over its side, unless the two facing sides are parallel to
/// rounding: then any of their four corners that lies over the other side is as deep.
fn facing_over<const D: usize>(cores: [&Core<'_, D>; 2], axis: Over) -> Over {
    let facing = Facing::new(cores, axis);
    let Some(side) = facing.side else { return axis };
    let owner = axis.owner;
    let corners = |core: &Core<'_, D>, side: usize| [side, (side + 1) % core.len()];
    let own = corners(cores.of(owner), side).map(|vertex| Over { vertex, ..axis });
    let others = corners(cores.of(owner.other()), axis.side).map(|vertex| Over {
        owner: owner.other(),
        vertex,
        side,
    });
    let mut candidates = own
        .into_iter()
        .chain(others)
        .filter(|over| cores.side(*over).spans(&cores.vertex(*over)));
    candidates.next().unwrap_or(axis)
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

/// A vertex over a side, and the vertex's own side that faces it, if any.
struct Facing {
    over: Over,
    /// Side of the vertex's core; the vertex is one end of it.
    side: Option<usize>,
}

impl Facing {
    fn new<const D: usize>(cores: [&Core<'_, D>; 2], over: Over) -> Self {
        let core = cores.of(over.owner);
        if core.sides() == 0 {
            return Self { over, side: None };
        }
        let normal = cores.side(over).normal;
        let towards = |side: usize| -core.side(side).normal.dot(&normal);
        let (after, before) = (over.vertex, (over.vertex + core.len() - 1) % core.len());
        let side = if towards(before) > towards(after) {
            before
        } else {
            after
        };
        Self {
            over,
            side: (towards(side) >= FACING).then_some(side),
        }
    }

    /// Corner of the vertex's side and corner of the other side at the near end (where the vertex is) and the far end.
    /// Both sides run counter-clockwise round their own core, so against each other.
    fn ends<const D: usize>(&self, cores: [&Core<'_, D>; 2], side: usize) -> [[usize; 2]; 2] {
        let (own, other) = (cores.of(self.over.owner), cores.of(self.over.owner.other()));
        let (own_start, own_end) = (side, (side + 1) % own.len());
        let (other_start, other_end) = (self.over.side, (self.over.side + 1) % other.len());
        if self.over.vertex == own_start {
            [[own_start, other_end], [own_end, other_start]]
        } else {
            [[own_end, other_start], [own_start, other_end]]
        }
    }

    /// Feature of the contact at `over` itself.
    fn near_feature<const D: usize>(&self, cores: [&Core<'_, D>; 2]) -> u32 {
        match self.side {
            Some(side) => {
                let [near, _] = self.ends(cores, side);
                self.feature(cores, side, near, self.over.owner)
            }
            None if cores.of(self.over.owner).len() == 1 => 0,
            None => self.over.owner.feature(self.over.vertex),
        }
    }

    /// Feature of an end of the interval, of which `limiting` has the limiting corner.
    fn feature<const D: usize>(
        &self,
        cores: [&Core<'_, D>; 2],
        side: usize,
        [own, other]: [usize; 2],
        limiting: Side,
    ) -> u32 {
        let edge = cores.side(self.over);
        let owner = self.over.owner;
        let apart = edge.coordinate(&cores.of(owner).vertex(own))
            - edge.coordinate(&cores.of(owner.other()).vertex(other));
        let shorter = edge.length.min(cores.of(owner).side(side).length);
        let corners = if owner == Side::A {
            [own, other]
        } else {
            [other, own]
        };
        end_feature(corners, limiting, apart, shorter)
    }

    /// The contact at the far end of the interval in which the two sides overlap.
    fn far_end<const D: usize>(&self, cores: [&Core<'_, D>; 2]) -> Option<CorePoint<D>> {
        let side = self.side?;
        let [_, far] = self.ends(cores, side);
        let owner = self.over.owner;
        let own = Over {
            vertex: far[0],
            ..self.over
        };
        let other = Over {
            owner: owner.other(),
            vertex: far[1],
            side,
        };
        let over = [own, other]
            .into_iter()
            .find(|over| cores.side(*over).spans(&cores.vertex(*over)))?;
        Some(cores.contact(over, self.feature(cores, side, far, over.owner)))
    }
}

/// Reading a pair of cores by owner.
trait Pair<'a, const D: usize> {
    fn of(&self, side: Side) -> &Core<'a, D>;

    /// The vertex that is over a side.
    fn vertex(&self, over: Over) -> nalgebra::SVector<f64, D> {
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
        match side {
            Side::A => self[0],
            Side::B => self[1],
        }
    }
}
