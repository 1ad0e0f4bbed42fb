//! Where pieces meet: which contacts of one piece are contacts of the whole body.
//!
//! ```math
//! m \in \operatorname{cone}\{ n_f : f \text{ exposed at } a \} \quad\text{or}\quad m \in N_P(a) \cap N_Q(a) \text{ for every } Q \text{ at } a
//! ```
//!
//! # Method
//! A contact of piece P at its boundary point a with outward normal m carries load if m is made of normals of faces of P
//! that are exposed there. A face is covered at a if every direction in it that starts at a leads into another piece.
//! Where one is, all pieces at a must have m in their normal cones N, as on the ridge of a roof. Between flush pieces that leaves the one
//! normal of their common face, in a concave corner the normals of the two faces but nothing between them. A normal that is
//! off by less than 1e-8 rad is put straight, so that nothing is pushed along the surface; any other is hidden: then the
//! neighbour protrudes and has a contact of its own, which is nearer.
//!
//! A contact beside the closest points bounds the patch of two faces that lie nearly flush, and its normal, that of the other
//! body's face, is not in the cone of P at all, by up to 6°. There the nearest normal of the whole body, made of the exposed faces of
//! all pieces, is asked about in its place. The whole body's patch is bounded by its own corners and edges, and ends at no seam:
//! what is a corner of P must be one of the whole too, by as many independent normals.
//!
//! What counts as being at a is a matter of the `reach`: rounding, or how deep the other body is.
//!
//! # Guarantees and limits
//! Directions in a face are sixteen around the point and the middle of what its edges leave, so that a neighbour that covers
//! less than a sixteenth of a face is not seen. Everything is computed from the pieces near the point when it is asked for:
//! pieces of different bodies can be flush too.
//!
//! # References
//! - K. Egan, S. Berard, J. C. Trinkle, Modeling nonconvex constraints using linear complementarity, Rensselaer
//!   Polytechnic Institute, Department of Computer Science, report 03-13, 2003.

use std::f64::consts::PI;
use std::ops::Range;

use nalgebra::SVector;

use super::Surroundings;
use super::cone::{holds, into_cone, rank};
use crate::direction::tangents;
use crate::{ConvexSet, Placed};

/// Angle, rad, within which directions are the same: faces are flush, directions in a face, normals in a cone.
pub(super) const FLUSH: f64 = 1e-6;

/// Angle, rad, within which a normal is put straight: what the slit between flush pieces leaves of it on a body that is
/// a tenth as large as the reach is small.
const NEARLY: f64 = 1e-8;

/// Angle, rad, within which a normal is straight as it is: rounding.
const STRAIGHT: f64 = 1e-12;

/// Directions looked at around a point of a face of space.
const AROUND: u8 = 16;

/// What a contact of a piece is for the union.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Exposure<const D: usize> {
    /// No other piece is there.
    Alone,
    /// Other pieces are there, and the contact counts.
    Exposed,
    /// It counts with this outward unit normal instead.
    Straight(SVector<f64, D>),
    /// It is inside of the union or on an edge that is none.
    Hidden,
}

/// Judges contacts of pieces; keeps its buffers.
///
/// # Examples
/// ```
/// use nalgebra::Vector2;
/// use signorini_geometry::{ConvexSet, Exposure, Placed, Polygon, Pose, Seams, Surroundings};
/// let square = ConvexSet::from(Polygon::rectangle(2.0, 2.0)?);
/// let at = |x| Placed::new(&square, Pose::from_position(Vector2::new(x, -1.0)));
/// let (left, right) = (at(-1.0), at(1.0));          // flush: together their upper side is y = 0 from -2 to 2
/// let here = Surroundings { own: left, top: None, reach: 1e-9, facing: Surroundings::<2>::FACING };
/// let mut seams = Seams::new();
/// let mut exposure = |m: Vector2<f64>| seams.exposure(&here, [right].into_iter(), &Vector2::zeros(), &m.normalize());
/// assert_eq!(exposure(Vector2::y()), Exposure::Exposed);
/// assert_eq!(exposure(Vector2::new(0.1, 1.0)), Exposure::Hidden);
/// assert_eq!(exposure(Vector2::new(1e-9, 1.0)), Exposure::Straight(Vector2::y()));
/// # Ok::<(), signorini_geometry::ShapeError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Seams<const D: usize> {
    /// Normals of the faces of the piece at the point.
    own: Vec<SVector<f64, D>>,
    /// Those that are exposed.
    exposed: Vec<SVector<f64, D>>,
    /// Normals of the faces of the neighbours at the point, one neighbour after the other.
    normals: Vec<SVector<f64, D>>,
    /// Where those of each are.
    neighbours: Vec<Range<usize>>,
    /// Those of all pieces that are exposed.
    whole: Vec<SVector<f64, D>>,
}

impl<const D: usize> Seams<D> {
    /// Empty buffers.
    pub fn new() -> Self {
        Self::default()
    }

    /// What a contact at `point` with the outward unit normal `outward` is, world axes, with these other pieces near by.
    pub fn exposure<'a>(
        &mut self,
        here: &Surroundings<'_, D>,
        others: impl Iterator<Item = Placed<'a, D>>,
        point: &SVector<f64, D>,
        outward: &SVector<f64, D>,
    ) -> Exposure<D> {
        self.own.clear();
        self.exposed.clear();
        if here.top.is_some_and(|top| top.dot(outward) <= 0.0) {
            return Exposure::Hidden;
        }
        self.normals.clear();
        self.neighbours.clear();
        for other in others {
            let first = self.normals.len();
            if normals_at(&other, point, here.reach, &mut self.normals) {
                self.neighbours.push(first..self.normals.len());
            } else {
                self.normals.truncate(first);
            }
        }
        if self.neighbours.is_empty() {
            return Exposure::Alone;
        }
        normals_at(&here.own, point, here.reach, &mut self.own);
        for face in 0..self.own.len() {
            if !self.is_covered(None, face) {
                self.exposed.push(self.own[face]);
            }
        }
        if self.exposed.len() == self.own.len() {
            return Exposure::Exposed;
        }
        if self.bounds_a_patch(outward, here.facing) {
            return Exposure::Exposed;
        }
        let straight = into_cone(outward, &self.exposed);
        let off = straight.map_or(f64::INFINITY, |m| (m - outward).norm());
        if off <= STRAIGHT {
            return Exposure::Exposed;
        }
        if let Some(straight) = straight
            && off <= NEARLY
        {
            return Exposure::Straight(straight);
        }
        // A corner of the piece over a face of the other body has the normal of that, which need not be one of the piece.
        if holds(&self.own, outward) && self.all_hold(outward) {
            Exposure::Exposed
        } else {
            Exposure::Hidden
        }
    }

    /// Of the contact that was asked about last, if it is hidden: the normal of the exposed face of its piece there that is nearest
    /// to a direction, among those that look its way.
    pub fn nearest_face(&self, outward: &SVector<f64, D>) -> Option<SVector<f64, D>> {
        let facing = self.exposed.iter().filter(|n| n.dot(outward) > 0.0);
        let nearest = facing.max_by(|m, n| m.dot(outward).total_cmp(&n.dot(outward)));
        nearest.copied()
    }

    /// Whether a contact that is none of the closest points of P stands for a corner or an edge of the whole body, within an
    /// angle with this cosine of its normals.
    fn bounds_a_patch(&mut self, outward: &SVector<f64, D>, facing: f64) -> bool {
        if holds(&self.own, outward) {
            return false;
        }
        let mut whole = std::mem::take(&mut self.whole);
        whole.clear();
        whole.extend_from_slice(&self.exposed);
        for (k, neighbour) in self.neighbours.iter().enumerate() {
            let exposed = (0..neighbour.len()).filter(|&face| !self.is_covered(Some(k), face));
            whole.extend(exposed.map(|face| self.normals[neighbour.start + face]));
        }
        let nearest = into_cone(outward, &whole).filter(|m| m.dot(outward) >= facing);
        let is_one = nearest.is_some_and(|m| {
            // Where the whole is not convex its exposed faces have normals between them that it has not.
            holds(&self.own, &m) && self.all_hold(&m) && rank(&whole) >= rank(&self.own)
        });
        self.whole = whole;
        is_one
    }

    /// Whether all neighbours have a direction among their normals.
    fn all_hold(&self, m: &SVector<f64, D>) -> bool {
        let mut others = self.neighbours.iter();
        others.all(|other| holds(&self.normals[other.clone()], m))
    }

    /// Whether every direction in a face of a piece leads into another one: of P itself, or of one of its neighbours.
    fn is_covered(&self, of: Option<usize>, face: usize) -> bool {
        let normals_of = |piece: Option<usize>| match piece {
            None => &self.own[..],
            Some(k) => &self.normals[self.neighbours[k].clone()],
        };
        let own = normals_of(of);
        let normal = own[face];
        let [s, t] = tangents(&normal);
        let mut directions = [SVector::<f64, D>::zeros(); AROUND as usize + 1];
        let mut len = 0;
        let inside = |d: &SVector<f64, D>| {
            let others = own.iter().enumerate().filter(|(k, _)| *k != face);
            others.into_iter().all(|(_, n)| n.dot(d) <= FLUSH)
        };
        let around: u8 = if D == 2 { 2 } else { AROUND };
        for k in 0..around {
            let (sin, cos) = (2.0 * PI * (f64::from(k) + 0.5) / f64::from(AROUND)).sin_cos();
            let d = match (D, k) {
                (2, 0) => s,
                (2, _) => -s,
                _ => s * cos + t * sin,
            };
            if inside(&d) {
                directions[len] = d;
                len += 1;
            }
        }
        if D == 3 {
            // The middle of the two edges that bound a face thinner than the directions are apart.
            let edges = own.iter().enumerate().filter(|(k, _)| *k != face);
            let edges = edges.flat_map(|(_, n)| {
                let along = normal.cross(n);
                [along, -along]
            });
            let sum: SVector<f64, D> = edges
                .filter(|e| e.norm() > FLUSH)
                .map(|e| e.normalize())
                .filter(inside)
                .sum();
            if sum.norm() > FLUSH {
                directions[len] = sum.normalize();
                len += 1;
            }
        }
        let mut covered = len > 0;
        for d in &directions[..len] {
            let pieces = std::iter::once(None).chain((0..self.neighbours.len()).map(Some));
            let mut others = pieces.filter(|piece| *piece != of).map(normals_of);
            covered &= others.any(|normals| normals.iter().all(|n| n.dot(d) <= FLUSH));
        }
        covered
    }
}

/// Appends the outward normals (world axes) of the faces of a set that are at a point; whether the point is at the set or in
/// it. A rounded set and a smooth one have one face.
pub(super) fn normals_at<const D: usize>(
    placed: &Placed<'_, D>,
    point: &SVector<f64, D>,
    reach: f64,
    out: &mut Vec<SVector<f64, D>>,
) -> bool {
    let x = placed.pose.inverse_apply(point);
    let mut face = |value: f64, gradient: SVector<f64, D>| {
        let slope = gradient.norm();
        // Where a function has no slope, in the middle of a ball, the point is far inside.
        if slope > 0.0 && value > reach * slope {
            return false;
        }
        if slope > 0.0 && value >= -reach * slope {
            out.push(placed.pose.rotate(&(gradient / slope)));
        }
        true
    };
    let several = placed.set.inequalities();
    if several == 1 || placed.set.rounding() > 0.0 {
        let surface = placed.set.as_surface();
        return face(surface.value(&x), surface.gradient(&x));
    }
    if let ConvexSet::Polytope(polytope) = placed.set {
        let mut all = 0..polytope.faces();
        return all.all(|i| {
            let normal = *polytope.face_normal(i);
            face(normal.dot(&x) - polytope.face_offset(i), normal)
        });
    }
    (0..several).all(|i| {
        let jet = placed.set.inequality(i, &x);
        face(jet.value, jet.gradient)
    })
}

#[cfg(test)]
mod tests {
    use nalgebra::{Vector2, Vector3};

    use super::*;
    use crate::{Ball, HalfSpace, Polygon, Polytope, Pose};

    fn cube(x: f64, y: f64, z: f64) -> Pose<3> {
        Pose::from_position(Vector3::new(x, y, z))
    }

    fn judge(
        own: Pose<3>,
        others: &[Pose<3>],
        point: Vector3<f64>,
        m: Vector3<f64>,
    ) -> Exposure<3> {
        let set = ConvexSet::from(Polytope::cuboid(2.0, 2.0, 2.0).unwrap());
        let others = others.iter().map(|&pose| Placed::new(&set, pose));
        let here = Surroundings {
            own: Placed::new(&set, own),
            top: None,
            reach: 1e-9,
            facing: Surroundings::<3>::FACING,
        };
        Seams::new().exposure(&here, others, &point, &m.normalize())
    }

    #[test]
    fn the_edge_of_a_cube_alone_is_an_edge() {
        let m = Vector3::new(1.0, 0.0, 1.0);
        let far = [cube(4.0, 0.0, 0.0)];
        let at = Vector3::new(1.0, 0.3, 1.0);
        assert_eq!(judge(cube(0.0, 0.0, 0.0), &far, at, m), Exposure::Alone);
    }

    #[test]
    fn between_flush_cubes_there_is_one_normal() {
        let (own, beside) = (cube(0.0, 0.0, 0.0), [cube(2.0, 0.0, 0.0)]);
        let seam = Vector3::new(1.0, 0.3, 1.0);
        let is = |m: Vector3<f64>| judge(own, &beside, seam, m);
        assert_eq!(is(Vector3::z()), Exposure::Exposed);
        assert_eq!(is(Vector3::new(0.1, 0.0, 1.0)), Exposure::Hidden);
        assert_eq!(is(Vector3::x()), Exposure::Hidden);
        assert_eq!(
            is(Vector3::new(1e-9, 0.0, 1.0)),
            Exposure::Straight(Vector3::z())
        );
        // At the end of the seam the outer edge goes on across it.
        let end = Vector3::new(1.0, -1.0, 1.0);
        let at_end = |m: Vector3<f64>| judge(own, &beside, end, m);
        assert_eq!(at_end(Vector3::new(0.0, -1.0, 1.0)), Exposure::Exposed);
        assert_eq!(at_end(Vector3::new(0.3, -1.0, 1.0)), Exposure::Hidden);
    }

    #[test]
    fn a_hidden_contact_has_a_nearest_face() {
        let set = ConvexSet::from(Polytope::cuboid(2.0, 2.0, 2.0).unwrap());
        let [own, beside] = [0.0, 2.0].map(|x| Placed::new(&set, cube(x, 0.0, 0.0)));
        let here = Surroundings {
            own,
            top: None,
            reach: 1e-9,
            facing: Surroundings::<3>::FACING,
        };
        let mut seams = Seams::new();
        let seam = Vector3::new(1.0, 0.3, 1.0);
        let m = Vector3::new(0.9, 0.0, 0.1).normalize();
        let is = seams.exposure(&here, [beside].into_iter(), &seam, &m);
        assert_eq!(
            (is, seams.nearest_face(&m)),
            (Exposure::Hidden, Some(Vector3::z()))
        );
        // No face of it that is open looks that way.
        let inside = Vector3::new(1.0, 0.3, 0.0);
        let is = seams.exposure(&here, [beside].into_iter(), &inside, &Vector3::x());
        assert_eq!(
            (is, seams.nearest_face(&Vector3::x())),
            (Exposure::Hidden, None)
        );
    }

    #[test]
    fn two_staggered_cubes_cover_a_face_together() {
        let (own, beside) = (
            cube(0.0, 0.0, 0.0),
            [cube(2.0, 1.0, 0.0), cube(2.0, -1.0, 0.0)],
        );
        let m = Vector3::new(0.1, 0.0, 1.0);
        assert_eq!(
            judge(own, &beside, Vector3::new(1.0, 0.0, 1.0), m),
            Exposure::Hidden
        );
        // One of them leaves half of the face open, and the corner there.
        let m = Vector3::new(1.0, 0.0, 1.0);
        assert_eq!(
            judge(own, &beside[..1], Vector3::new(1.0, 0.0, 1.0), m),
            Exposure::Exposed
        );
    }

    #[test]
    fn in_a_concave_corner_faces_count_and_nothing_between() {
        // A wall that stands on the end of the cube.
        let (own, wall) = (cube(0.0, 0.0, 0.0), [cube(2.0, 0.0, 1.0)]);
        let foot = Vector3::new(1.0, 0.3, 1.0);
        assert_eq!(judge(own, &wall, foot, Vector3::z()), Exposure::Exposed);
        assert_eq!(
            judge(own, &wall, foot, Vector3::new(0.1, 0.0, 1.0)),
            Exposure::Hidden
        );
        let of_wall = judge(wall[0], &[own], foot, -Vector3::x());
        assert_eq!(of_wall, Exposure::Exposed);
    }

    #[test]
    fn on_a_ridge_the_normals_between_its_faces_count() {
        let roof = |sign: f64| {
            let corners = [[0.0, 0.0], [sign, -0.5], [sign, -2.0], [0.0, -2.0]];
            ConvexSet::from(Polygon::new(corners).unwrap())
        };
        let [left, right] = [roof(-1.0), roof(1.0)];
        let own = Placed::new(&left, Pose::identity());
        let mut seams = Seams::new();
        let here = Surroundings {
            own,
            top: None,
            reach: 1e-9,
            facing: Surroundings::<2>::FACING,
        };
        let mut is = |m: Vector2<f64>| {
            let other = Placed::new(&right, Pose::identity());
            seams.exposure(
                &here,
                [other].into_iter(),
                &Vector2::zeros(),
                &m.normalize(),
            )
        };
        for x in [-0.4, 0.0, 0.4] {
            assert_eq!(is(Vector2::new(x, 1.0)), Exposure::Exposed, "{x}");
        }
        assert_eq!(is(Vector2::new(0.6, 1.0)), Exposure::Hidden);
    }

    #[test]
    fn half_spaces_and_balls_cover_too() {
        let ground = ConvexSet::from(HalfSpace::<3>::up());
        let other = Placed::new(&ground, Pose::identity());
        let set = ConvexSet::from(Polytope::cuboid(2.0, 2.0, 2.0).unwrap());
        let own = Placed::new(&set, cube(0.0, 0.0, -1.0));
        let here = Surroundings {
            own,
            top: None,
            reach: 1e-9,
            facing: Surroundings::<3>::FACING,
        };
        let mut seams = Seams::new();
        let edge = Vector3::new(1.0, 0.0, 0.0);
        let mut is =
            |m: Vector3<f64>| seams.exposure(&here, [other].into_iter(), &edge, &m.normalize());
        assert_eq!(is(Vector3::z()), Exposure::Exposed);
        assert_eq!(is(Vector3::new(0.2, 0.0, 1.0)), Exposure::Hidden);
        // A snowman: the point of the head that is inside of the body is none of its surface.
        let [head, body] = [0.5, 1.0].map(|r| ConvexSet::<3>::from(Ball::new(r).unwrap()));
        let own = Placed::new(&head, cube(0.0, 0.0, 1.2));
        let others = [Placed::new(&body, Pose::identity())];
        let here = Surroundings {
            own,
            top: None,
            reach: 1e-9,
            facing: Surroundings::<3>::FACING,
        };
        let lower = Vector3::new(0.0, 0.0, 0.7);
        assert_eq!(
            seams.exposure(&here, others.into_iter(), &lower, &-Vector3::z()),
            Exposure::Hidden
        );
    }

    #[test]
    fn a_corner_of_a_column_is_none_where_others_go_on_across_it() {
        // Two triangles on the left of x = 0 and a square on its right. The lower one has a face there, that is covered, and
        // the upper one only a corner, whose cone has the normal of that face too.
        let lower = [[-1.0, -1.0], [0.0, -1.0], [0.0, 0.0]];
        let upper = [[-1.0, -1.0], [0.0, 0.0], [-1.0, 0.0]];
        let right = [[0.0, -1.0], [1.0, -1.0], [1.0, 1.0], [0.0, 1.0]];
        let above = [[-1.0, 0.0], [0.0, 0.0], [0.0, 1.0], [-1.0, 1.0]];
        let set = |corners: &[[f64; 2]]| {
            let all = corners
                .iter()
                .flat_map(|&[x, y]| [-1.0, 0.0].map(|z| [x, y, z]));
            ConvexSet::from(Polytope::new(all.map(Vector3::from)).unwrap())
        };
        let [lower, upper, right, above] = [set(&lower), set(&upper), set(&right), set(&above)];
        let placed = |set| Placed::new(set, Pose::identity());
        let here = Surroundings {
            own: placed(&upper),
            top: None,
            reach: 1e-9,
            facing: Surroundings::<3>::FACING,
        };
        let mut seams = Seams::new();
        for point in [Vector3::zeros(), Vector3::new(0.0, 0.0, -0.5)] {
            let others = [&lower, &right, &above].map(placed);
            let is = seams.exposure(&here, others.into_iter(), &point, &Vector3::x());
            assert_eq!(is, Exposure::Hidden);
            // Without the square it is the side of the columns.
            let others = [&lower, &above].map(placed);
            let is = seams.exposure(&here, others.into_iter(), &point, &Vector3::x());
            assert_eq!(is, Exposure::Exposed);
        }
    }

    #[test]
    fn what_is_no_normal_of_the_piece_does_not_count_at_a_seam() {
        // At its upper edge the neighbour has normals on the other side, to which the piece has none.
        let (own, beside) = (cube(0.0, 0.0, 0.0), [cube(2.0, 0.0, 0.0)]);
        let seam = Vector3::new(1.0, 0.3, 1.0);
        let m = Vector3::new(-0.3, 0.0, 1.0);
        assert_eq!(judge(own, &beside, seam, m), Exposure::Hidden);
    }

    /// What the corner of a square at (-1, -1) is that two triangles have together, for each of them.
    fn halves_of_a_square(m: Vector2<f64>, facing: f64) -> [Exposure<2>; 2] {
        let [p, q, r, s] = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
        let set = |corners: [[f64; 2]; 3]| ConvexSet::from(Polygon::new(corners).unwrap());
        let halves = [set([p, q, r]), set([p, r, s])];
        let placed = [0, 1].map(|k: usize| Placed::new(&halves[k], Pose::identity()));
        [0, 1].map(|k: usize| {
            let here = Surroundings {
                own: placed[k],
                top: None,
                reach: 1e-9,
                facing,
            };
            let others = [placed[1 - k]].into_iter();
            Seams::new().exposure(&here, others, &Vector2::from(p), &m.normalize())
        })
    }

    #[test]
    fn a_corner_beside_the_closest_points_is_one_of_the_whole_body() {
        let facing = Surroundings::<2>::FACING;
        // Below the corner, out of the cone of the square by 0.01 rad: the half that has the lower side lists it.
        let m = Vector2::new(0.01, -1.0);
        let [lower, upper] = halves_of_a_square(m, facing);
        assert_eq!([lower, upper], [Exposure::Exposed, Exposure::Hidden]);
        let [lower, upper] = halves_of_a_square(Vector2::new(-1.0, 0.01), facing);
        assert_eq!([lower, upper], [Exposure::Hidden, Exposure::Exposed]);
        // By 17° only what is asked for because it comes to lie there.
        let m = Vector2::new(0.3, -1.0);
        assert_eq!(halves_of_a_square(m, facing)[0], Exposure::Hidden);
        assert_eq!(halves_of_a_square(m, 0.0)[0], Exposure::Exposed);
    }

    #[test]
    fn the_end_of_a_seam_is_no_corner_of_the_whole_body() {
        let (own, beside) = (cube(0.0, 0.0, 0.0), [cube(2.0, 0.0, 0.0)]);
        let m = Vector3::new(-0.01, 0.01, 1.0);
        for y in [-1.0, 0.3, 1.0] {
            let point = Vector3::new(1.0, y, 1.0);
            assert_eq!(judge(own, &beside, point, m), Exposure::Hidden, "{y}");
        }
    }
}
