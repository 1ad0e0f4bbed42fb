//! Polytopes, and what is next to them: polytopes, balls and capsules, rounded or not.
//!
//! ```math
//! g = \max_m s(m), \qquad s(m) = \min_{x \in B} m \cdot x - \max_{x \in A} m \cdot x
//! ```
//!
//! # Method
//! The facets of the Minkowski difference are those of a face and a vertex or of two edges whose normals cross (`facets`):
//! in overlap the highest s among theirs is the answer; apart it is, if the origin is over that facet. Else the closest
//! features have a corner in them: simplices of support points give their direction, and the features near the support
//! planes in that direction are all looked at (`nearest`). Bodies with many edges go to the simplices first.
//!
//! # Guarantees and limits
//! An answer is given only with its certificate: points of A and B at the distance s(n) along n, to 1e-12 of the size.
//! That proves it apart; in overlap it proves that the translation separates, and that it is the least rests on the list of
//! facets. Where the certificate fails, the search for any two bodies is asked.
//!
//! # References
//! - S. Cameron, R. K. Culley, Determining the minimum translational distance between two convex polyhedra, IEEE Int.
//!   Conf. Robotics and Automation (1986) 591–596, doi 10.1109/ROBOT.1986.1087645.

pub(super) mod boxes;
mod facets;
mod nearest;
mod solid;

use nalgebra::SVector;

use self::facets::Facet;
use self::solid::{Couple, Solid, Store};
use super::{ClosestPoints, CorePoint, Uniqueness, general};
use crate::{ConvexSet, HalfSpace, Placed, Polytope, Pose};

/// Largest error of an answer, relative to the size of the bodies.
const TOLERANCE: f64 = 1e-12;

/// Distance from a support plane, relative to the size, within which vertices may be those of flush features: tilts up to
/// this, rad, of which rounding may choose one facet where the points are over its neighbour.
const FLUSH: f64 = 1e-3;

/// The same for the closest features of bodies that are apart, along a direction that is nearly the normal; and the
/// distance relative to the size up to which the normal of the best facet is such a direction.
const NEARLY: f64 = 1e-5;

/// Pairs of edges up to which all facets are looked at first.
const FEW_EDGES: usize = 1024;

/// Points of A and B in the axes of A, without the rounding radii, and what meets there.
#[derive(Clone, Copy, Debug)]
struct Found<const D: usize> {
    a: SVector<f64, D>,
    b: SVector<f64, D>,
    n: SVector<f64, D>,
    distance: f64,
    meeting: Meeting,
}

/// Which features meet, by names that stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meeting {
    /// Vertex of body 0 or 1 on a face or an edge of the other.
    Vertex(usize, usize),
    /// A vertex or an edge of each, by the lower vertex.
    Both([usize; 2]),
}

impl Meeting {
    /// The name of the contact, as those of patches: the owner (1: A, 2: B, 3: both) times 2²⁴ and names of vertices.
    fn name(self) -> u32 {
        let short = |i: usize| u32::try_from(i).map_or(0, |i| i & 0xfff);
        match self {
            Self::Vertex(owner, i) => ((u32::from(owner == 1) + 1) << 24) | short(i),
            Self::Both([i, j]) => (3 << 24) | (short(i) << 12) | short(j),
        }
    }
}

/// The set without its rounding.
fn unrounded<const D: usize>(set: &ConvexSet<D>) -> &ConvexSet<D> {
    match set {
        ConvexSet::Rounded(rounded) => rounded.core(),
        set => set,
    }
}

/// Whether one is a polytope and the other a polytope, a ball or a capsule, rounded or not.
pub(super) fn is_pair<const D: usize>(a: &Placed<'_, D>, b: &Placed<'_, D>) -> bool {
    let sets = [a, b].map(|body| unrounded(body.set));
    let polytope = |set: &ConvexSet<D>| matches!(set, ConvexSet::Polytope(_));
    let plain = |set: &ConvexSet<D>| matches!(set, ConvexSet::Ball(_) | ConvexSet::Capsule(_));
    (polytope(sets[0]) && (polytope(sets[1]) || plain(sets[1])))
        || (plain(sets[0]) && polytope(sets[1]))
}

/// Whether one is a half-space and the other a polytope, rounded or not.
pub(super) fn is_over_plane<const D: usize>(a: &Placed<'_, D>, b: &Placed<'_, D>) -> bool {
    let polytope = |body: &Placed<'_, D>| matches!(unrounded(body.set), ConvexSet::Polytope(_));
    let plane = |body: &Placed<'_, D>| matches!(body.set, ConvexSet::HalfSpace(_));
    (plane(a) && polytope(b)) || (polytope(a) && plane(b))
}

/// The polytope of a set and its rounding radius, m.
pub(super) fn polytope_of<const D: usize>(set: &ConvexSet<D>) -> Option<(&Polytope<D>, f64)> {
    match set {
        ConvexSet::Polytope(polytope) => Some((polytope, 0.0)),
        ConvexSet::Rounded(rounded) => match rounded.core() {
            ConvexSet::Polytope(polytope) => Some((polytope, rounded.radius())),
            _ => None,
        },
        _ => None,
    }
}

/// The closest points of a pair as in [`is_pair`] with finite poses and the name of the contact; `None` if there is no
/// certificate.
pub(super) fn closest<const D: usize>(
    a: &Placed<'_, D>,
    b: &Placed<'_, D>,
) -> Option<(ClosestPoints<D>, u32)> {
    let stores = [Store::new(a.set)?, Store::new(b.set)?];
    let couple = Couple::new(
        [a, b],
        [Solid::new(a.set, &stores[0]), Solid::new(b.set, &stores[1])],
    );
    let (found, tied) = search(&couple, a, b)?;
    let uniqueness = match (tied, couple.is_free(&found.n)) {
        (true, _) => Uniqueness::TiedNormal,
        (false, true) => Uniqueness::FreePoints,
        (false, false) => Uniqueness::Unique,
    };
    let out = answer(a, &found, stores.map(|store| store.radius), uniqueness);
    Some((out, found.meeting.name()))
}

/// The answer for cores rounded by these radii.
fn answer<const D: usize>(
    a: &Placed<'_, D>,
    found: &Found<D>,
    [p, q]: [f64; 2],
    uniqueness: Uniqueness,
) -> ClosestPoints<D> {
    let n = found.n;
    // The points are exact to rounding; what the identity lacks is shared.
    let lack = (n * found.distance - (found.b - found.a)) * 0.5;
    let mut out = ClosestPoints::exact(
        a.pose.apply(&(found.a - lack + n * p)),
        a.pose.apply(&(found.b + lack - n * q)),
        a.pose.rotate(&n),
        found.distance - p - q,
    );
    out.uniqueness = uniqueness;
    out
}

/// The closest points of the cores, and whether another direction is as deep.
fn search<const D: usize>(
    couple: &Couple<'_, D>,
    a: &Placed<'_, D>,
    b: &Placed<'_, D>,
) -> Option<(Found<D>, bool)> {
    let first = (couple.pairs_of_edges() <= FEW_EDGES).then(|| couple.facet());
    if let Some(Some(facet)) = &first
        && let Some(found) = couple
            .over(facet, TOLERANCE * couple.size)
            .filter(|found| couple.certifies(found))
    {
        return Some((found, facet.tied && found.distance < 0.0));
    }
    let touching = -TOLERANCE * couple.size;
    let facet = first.flatten();
    if let Some(facet) = &facet {
        if facet.distance < touching {
            return couple.deep(facet);
        }
        if facet.distance < NEARLY * couple.size {
            return couple.touching(facet).map(|found| (found, false));
        }
    }
    let apart = general::towards(a, b).and_then(|n| couple.nearest(&n));
    if let Some(found) = apart.filter(|found| couple.certifies(found)) {
        return Some((found, false));
    }
    // Many edges, and simplices that are too near to tell.
    let facet = couple.facet()?;
    if facet.distance < touching {
        couple.deep(&facet)
    } else {
        couple.touching(&facet).map(|found| (found, false))
    }
}

impl<const D: usize> Couple<'_, D> {
    /// Bodies in overlap, by the facet that separates most.
    fn deep(&self, facet: &Facet<D>) -> Option<(Found<D>, bool)> {
        let found = self.flush(facet).or_else(|| self.beside(facet))?;
        Some((found, facet.tied))
    }

    /// Bodies that are apart by little: the closest features are near the support planes of the best facet.
    fn touching(&self, facet: &Facet<D>) -> Option<Found<D>> {
        let near = self.nearest(&facet.n)?;
        if self.certifies(&near) {
            return Some(near);
        }
        // Where rounding turns the vector between the points, the facet has the normal and is as far.
        let near = (near.distance - facet.distance <= self.slack()).then_some(Found {
            n: facet.n,
            distance: facet.distance,
            ..near
        });
        near.or_else(|| self.flush(facet))
            .or_else(|| self.beside(facet))
    }

    /// Where features are flush but for rounding: the gap of the facet, with points that are beside it by 1e-9 of the size
    /// at most.
    fn beside(&self, facet: &Facet<D>) -> Option<Found<D>> {
        const BORDER: f64 = 1e-9;
        let found = self.over(facet, BORDER * self.size);
        found.filter(|found| self.certifies(found))
    }
}

/// The vertices of a polytope that can press on a half-space, A the half-space, with the vertex's index as feature; the
/// lowest first. Vertices whose faces all look up or sideways are left out: they come down only after others.
pub(super) fn over_plane<const D: usize>(
    plane: &HalfSpace<D>,
    pose: &Pose<D>,
    polytope: &Polytope<D>,
    pose_b: &Pose<D>,
    emit: &mut dyn FnMut(CorePoint<D>),
) {
    /// Sine of the angle to the plane's normal, up to which a face looks sideways: 6°.
    const SIDEWAYS: f64 = 0.1;
    let normal = pose.rotate(plane.normal());
    let down = -pose_b.inverse_rotate(&normal);
    let contact = |i: usize| {
        let b = pose_b.apply(&polytope.vertices()[i]);
        let distance = normal.dot(&(b - pose.position)) - plane.offset();
        CorePoint {
            feature: u32::try_from(i).expect("a polytope has few vertices"),
            a: b - normal * distance,
            b,
            normal,
            distance,
        }
    };
    let all = 0..polytope.vertices().len();
    let lowest = all.clone().map(contact);
    let lowest = lowest.reduce(|best, p| if p.distance < best.distance { p } else { best });
    let lowest = lowest.expect("a polytope has vertices");
    emit(lowest);
    let looks_down = |face: &usize| polytope.face_normal(*face).dot(&down) > SIDEWAYS;
    all.filter(|&i| polytope.faces_at(i).iter().any(looks_down))
        .map(contact)
        .filter(|point| point.feature != lowest.feature)
        .for_each(emit);
}
