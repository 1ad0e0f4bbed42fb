//! The ways out of a piece through faces that are part of the whole body's surface.
//!
//! # Method
//! The closest points of two convex pieces in overlap are those of the least translation that parts them. Beside a seam that
//! leads into the neighbour of a piece, and nothing of the pair counts. What parts the other body from the union goes through
//! a face that is exposed where it ends: the body comes out by as much as its deepest point over the piece is below the face.
//!
//! # Guarantees and limits
//! Polygons and polytopes without rounding have such faces; of a piece with one face that counts it is that. Over a piece are
//! vertices of polygons and polytopes, and of other sets the point that is furthest along the normal.

use nalgebra::SVector;

use super::Surroundings;
use super::seam::{Exposure, FLUSH, Seams};
use crate::{ClosestPoints, ConvexSet, Placed};

/// Names of contacts that go out through a face begin here.
const FACES: u32 = 1 << 31;

/// Out through a face goes no body that is deeper than this part of the smaller size: it would go out on the other side.
const DEEPEST: f64 = 0.25;

impl<const D: usize> Seams<D> {
    /// Calls `f` with the translations of `other` out of a piece through each face that is exposed where it ends, and a name
    /// of the face. What is over the piece or beside it by at most `beside` (m) goes out; `others` gives the pieces near by
    /// anew each time.
    pub fn ways_out<'a, I: Iterator<Item = Placed<'a, D>>>(
        &mut self,
        here: &Surroundings<'_, D>,
        others: impl Fn() -> I,
        (other, beside): (&Placed<'_, D>, f64),
        f: &mut dyn FnMut(u32, ClosestPoints<D>),
    ) {
        let deepest = -DEEPEST * here.own.set.size().min(other.set.size());
        for face in 0..faces(here.own.set) {
            let (normal, on_face) = placed_face(&here.own, face);
            if here.top.is_some_and(|top| top.dot(&normal) < 1.0 - FLUSH) {
                continue;
            }
            let under = deepest_over(&here.own, (&normal, &on_face), other, beside);
            let Some((b, gap)) = under else {
                continue;
            };
            let a = b - normal * gap;
            if (deepest..0.0).contains(&gap)
                && self.exposure(here, others(), &a, &normal) != Exposure::Hidden
            {
                let name = FACES | u32::try_from(face).unwrap_or(0);
                f(name, ClosestPoints::exact(a, b, normal, gap));
            }
        }
    }
}

/// Calls `f` with the translations of `other` out of a union along the normals of the faces of one of its pieces, in which it is,
/// through the pieces beyond: with the number of the piece where it comes out, whose face there has that normal. What is
/// over the face or beside it by at most `beside` (m) is in the piece; `pieces` gives all pieces of the union anew each
/// time. Ways that end at the piece itself are none of these.
pub fn ways_through<'a, const D: usize, I: Iterator<Item = Placed<'a, D>>>(
    own: &Placed<'_, D>,
    pieces: impl Fn() -> I,
    (other, beside): (&Placed<'_, D>, f64),
    f: &mut dyn FnMut(usize, ClosestPoints<D>),
) {
    let count = pieces().count();
    for face in 0..faces(own.set) {
        let (normal, on_face) = placed_face(own, face);
        let Some((b, height)) = deepest_over(own, (&normal, &on_face), other, beside) else {
            continue;
        };
        let (mut a, mut last) = (b - normal * height, None);
        // Each piece beyond is passed once.
        for _ in 0..count {
            let ends = pieces().map(|piece| way_to_face(&piece, &a, &normal, beside));
            let further = ends
                .enumerate()
                .filter_map(|(k, end)| end.map(|end| (k, end)));
            let furthest = further.max_by(|x, y| x.1.0.total_cmp(&y.1.0));
            match furthest {
                Some((piece, (way, end))) if way > beside => {
                    a += normal * way;
                    last = Some((piece, end));
                }
                _ => break,
            }
        }
        if let Some((piece, end)) = last
            && end.dot(&normal) > 1.0 - FLUSH
        {
            let gap = normal.dot(&(b - a));
            f(piece, ClosestPoints::exact(a, b, normal, gap));
        }
    }
}

/// How far (m) it is from a point of a piece along a direction to the face by which it ends, and the outward normal of
/// that; `None` if the point is not in the piece but for `beside`.
fn way_to_face<const D: usize>(
    piece: &Placed<'_, D>,
    from: &SVector<f64, D>,
    along: &SVector<f64, D>,
    beside: f64,
) -> Option<(f64, SVector<f64, D>)> {
    let mut end = None;
    for face in 0..faces(piece.set) {
        let (normal, on_face) = placed_face(piece, face);
        let (below, slope) = (normal.dot(&(on_face - from)), normal.dot(along));
        if below < -beside {
            return None;
        }
        if slope > 0.0 && end.is_none_or(|(way, _)| below / slope < way) {
            end = Some((below / slope, normal));
        }
    }
    end
}

/// The deepest point of a body under a face of a piece, of those that are over the piece or beside it by at most `beside` (m), and
/// its height over the face (m).
fn deepest_over<const D: usize>(
    own: &Placed<'_, D>,
    (normal, on_face): (&SVector<f64, D>, &SVector<f64, D>),
    other: &Placed<'_, D>,
    beside: f64,
) -> Option<(SVector<f64, D>, f64)> {
    let (mut least, mut under) = (f64::INFINITY, None);
    for_each_extreme(other, &-normal, &mut |b| {
        let height = normal.dot(&(b - on_face));
        if height < least && own.value(&(b - normal * height)) <= beside {
            least = height;
            under = Some((b, height));
        }
    });
    under
}

/// Calls `f` with the vertices of a polygon or a polytope, with the support point along `direction` of another set, world
/// axes.
fn for_each_extreme<const D: usize>(
    placed: &Placed<'_, D>,
    direction: &SVector<f64, D>,
    f: &mut dyn FnMut(SVector<f64, D>),
) {
    let pose = &placed.pose;
    match placed.set {
        ConvexSet::Polytope(shape) => shape.vertices().iter().for_each(|x| f(pose.apply(x))),
        ConvexSet::Polygon(shape) if shape.radius() == 0.0 => {
            shape.vertices().iter().for_each(|x| f(pose.apply(x)));
        }
        set => {
            if let Some(x) = set.support(&pose.inverse_rotate(direction)) {
                f(pose.apply(&x));
            }
        }
    }
}

/// Number of faces that [`face_of`] knows.
fn faces<const D: usize>(set: &ConvexSet<D>) -> usize {
    match set {
        ConvexSet::Polygon(polygon) if polygon.radius() == 0.0 => polygon.normals().len(),
        ConvexSet::Polytope(polytope) => polytope.faces(),
        _ => 0,
    }
}

/// Outward normal of a face and a point of it, world axes.
fn placed_face<const D: usize>(
    placed: &Placed<'_, D>,
    face: usize,
) -> (SVector<f64, D>, SVector<f64, D>) {
    let (normal, on_face) = face_of(placed.set, face);
    (placed.pose.rotate(&normal), placed.pose.apply(&on_face))
}

/// Outward normal of a face and a point of it.
fn face_of<const D: usize>(set: &ConvexSet<D>, face: usize) -> (SVector<f64, D>, SVector<f64, D>) {
    match set {
        ConvexSet::Polygon(polygon) => (polygon.normals()[face], polygon.vertices()[face]),
        ConvexSet::Polytope(polytope) => {
            let corner = polytope.face_vertices(face)[0] as usize;
            (*polytope.face_normal(face), polytope.vertices()[corner])
        }
        _ => unreachable!("`faces` counts those of polygons and polytopes only"),
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector3;

    use super::*;
    use crate::{Ball, Polytope, Pose};

    fn at(x: f64, y: f64, z: f64) -> Pose<3> {
        Pose::from_position(Vector3::new(x, y, z))
    }

    fn ways_out(
        [own, beside]: [&Placed<'_, 3>; 2],
        other: &Placed<'_, 3>,
    ) -> Vec<ClosestPoints<3>> {
        let here = Surroundings {
            own: *own,
            top: None,
            reach: 1e-9,
            facing: Surroundings::<3>::FACING,
        };
        let mut found = Vec::new();
        let others = || [*beside].into_iter();
        Seams::new().ways_out(&here, others, (other, 1e-9), &mut |_, out| found.push(out));
        found
    }

    #[test]
    fn the_way_out_is_through_a_face_that_is_exposed() {
        let set = ConvexSet::from(Polytope::cuboid(2.0, 2.0, 2.0).unwrap());
        let [own, beside] = [0.0, 2.0].map(|x| Placed::new(&set, at(x, 0.0, 0.0)));
        // 1 cm over the seam and 10 cm deep.
        let ball = ConvexSet::from(Ball::new(0.5).unwrap());
        let other = Placed::new(&ball, at(1.49, 0.0, 1.4));
        let found = ways_out([&beside, &own], &other);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].normal, Vector3::z());
        assert!((found[0].gap + 0.1).abs() < 1e-15);
    }

    #[test]
    fn what_is_over_the_neighbour_goes_out_there() {
        let set = ConvexSet::from(Polytope::cuboid(2.0, 2.0, 2.0).unwrap());
        let [own, beside] = [0.0, 2.0].map(|x| Placed::new(&set, at(x, 0.0, 0.0)));
        let ball = ConvexSet::from(Ball::new(0.5).unwrap());
        let other = Placed::new(&ball, at(0.9, 0.0, 1.4));
        assert_eq!(ways_out([&beside, &own], &other), []);
        assert_eq!(ways_out([&own, &beside], &other).len(), 1);
    }

    #[test]
    fn the_way_out_of_a_lower_layer_leads_through_the_upper_one() {
        let set = ConvexSet::from(Polytope::cuboid(4.0, 4.0, 0.2).unwrap());
        let layers = [-0.1, -0.3, -0.5].map(|z| Placed::new(&set, at(0.0, 0.0, z)));
        let cube = ConvexSet::from(Polytope::cuboid(0.1, 0.1, 0.1).unwrap());
        let other = Placed::new(&cube, at(0.3, 0.2, -0.3));
        let mut found = Vec::new();
        let own = &layers[1];
        ways_through(
            own,
            || layers.into_iter(),
            (&other, 1e-9),
            &mut |piece, out| {
                found.push((piece, out.normal, out.gap));
            },
        );
        found.sort_by(|p, q| q.2.total_cmp(&p.2));
        // Upwards by 0.35 m, and downwards through the last by as much; the sides of the layer are its own.
        assert_eq!(found.len(), 2, "{found:?}");
        for (piece, normal, gap) in found {
            let up = if piece == 0 { 1.0 } else { -1.0 };
            assert_eq!(normal, Vector3::z() * up);
            assert!((gap + 0.35).abs() < 1e-15, "{gap}");
        }
    }
}
