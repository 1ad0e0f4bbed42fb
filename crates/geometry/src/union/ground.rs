//! Grounds: unions whose upper faces are one surface, solid below it however deep.
//!
//! ```math
//! x \text{ is in the ground} \iff (x - p) \cdot \sum_i \alpha_i n_i < 0, \qquad p \text{ the nearest point of the surface}
//! ```
//!
//! # Method
//! The nearest point is searched for in the tree of the pieces. Where it is on an edge or a corner the normals of all faces
//! there count with their angles α, which has the right sign on any closed surface. A surface that is not closed ends at its
//! border: a point is not below it where the nearest point is on an edge of one face alone. A ground whose pieces are solid
//! themselves, as that of a height field, is what these are.
//!
//! # Guarantees and limits
//! A surface is solid below down to its own size, and from its border on along its normals. What is free below a sheet must be closed by faces that look at it: in a
//! plate of triangles with two sides the nearest side decides.
//!
//! # References
//! - J. A. Bærentzen, H. Aanæs, Signed distance computation using the angle weighted pseudonormal, IEEE Transactions on
//!   Visualization and Computer Graphics 11 (2005) 243–253, doi 10.1109/TVCG.2005.49.

use nalgebra::SVector;

use super::{Piece, Union};
use crate::{Aabb, ConvexSet, HalfSpace};

/// Points are one within this part of the ground's size.
const SAME: f64 = 1e-9;

/// Faces that meet at a point at most.
const MOST: usize = 32;

/// The upper face of a piece, axes of the union: a side in the plane, a triangle in space.
#[derive(Clone, Copy, Debug)]
struct Face<const D: usize> {
    corners: [SVector<f64, D>; 3],
    normal: SVector<f64, D>,
}

/// A point of a face, and its weights of the corners.
#[derive(Clone, Copy, Debug)]
struct OnFace<const D: usize> {
    point: SVector<f64, D>,
    weights: [f64; 3],
}

impl<const D: usize> Union<D> {
    /// Whether it is a ground: bodies that are in it go out through its upper faces, however deep they are.
    pub fn is_ground(&self) -> bool {
        self.pieces().iter().any(|piece| piece.top.is_some())
    }

    /// The piece of a ground through whose upper face a point that is in the ground (axes of the union, m) goes out; `None` if it
    /// is not in it.
    ///
    /// # Examples
    /// ```
    /// use nalgebra::Vector3;
    /// use signorini_geometry::TriangleMesh;
    /// let corners = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [4.0, 4.0, 0.0], [0.0, 4.0, 0.0]];
    /// let square = TriangleMesh::new(corners.map(Vector3::from), [[0, 1, 2], [0, 2, 3]])?;
    /// let ground = square.ground(0.1)?;
    /// assert_eq!(ground.piece_above(&Vector3::new(3.0, 1.0, -2.0)), Some(0));
    /// assert_eq!(ground.piece_above(&Vector3::new(3.0, 1.0, 0.01)), None);
    /// assert_eq!(ground.piece_above(&Vector3::new(5.0, 1.0, -2.0)), None);
    /// assert!(ground.below(0).is_some_and(|half| *half.normal() == Vector3::z()));
    /// # Ok::<(), signorini_geometry::ShapeError>(())
    /// ```
    pub fn piece_above(&self, x: &SVector<f64, D>) -> Option<u32> {
        if !self.place().overlaps(&at(x, 0.0)) {
            return None;
        }
        if self.pieces().iter().any(|piece| piece.is_whole) {
            return self.column_at(x);
        }
        let tree = &self.data.tree;
        let on = |number: u32| {
            let face = self.pieces()[number as usize].face()?;
            Some((face, face.nearest(x)))
        };
        let distance = |number| on(number).map_or(f64::INFINITY, |(_, on)| (on.point - x).norm());
        let least = tree.least(x, &mut { distance });
        let same = SAME * self.size();
        let mut numbers = [0; MOST];
        let mut count = 0;
        tree.over(&at(x, least + same), &mut |number| {
            if count < MOST && distance(number) <= least + same {
                numbers[count] = number;
                count += 1;
            }
        });
        // The order in which a tree is walked is its own.
        numbers[..count].sort_unstable();
        let nearest = || numbers[..count].iter().filter_map(|&number| on(number));
        let is_border = |(face, on): (Face<D>, OnFace<D>)| {
            let edges = (0..D).filter(|&k| on.weights[k] <= 0.0);
            edges.into_iter().any(|k| {
                let shared = |(other, _): &(Face<D>, OnFace<D>)| other.has_edge(&face, k, same);
                nearest().filter(shared).count() < 2
            })
        };
        if nearest().any(is_border) {
            return None;
        }
        let outward: SVector<f64, D> = nearest()
            .map(|(face, on)| face.normal * face.angle(&on))
            .sum();
        let (_, first) = nearest().next()?;
        if outward.dot(&(x - first.point)) >= 0.0 {
            return None;
        }
        let mut best = (f64::INFINITY, None);
        for (&number, (face, on)) in numbers[..count].iter().zip(nearest()) {
            let height = face.normal.dot(&(x - on.point));
            if height < best.0 - same {
                best = (height, Some(number));
            }
        }
        best.1
    }

    /// The half-space below the upper face of a piece, axes of the union; `None` if the piece has none.
    ///
    /// # Panics
    /// If there is no such piece.
    #[track_caller]
    pub fn below(&self, piece: usize) -> Option<HalfSpace<D>> {
        let face = self.pieces()[piece].face()?;
        HalfSpace::new(face.normal, face.normal.dot(&face.corners[0])).ok()
    }

    /// Of a ground of solid pieces the first that holds a point.
    fn column_at(&self, x: &SVector<f64, D>) -> Option<u32> {
        let mut first: Option<u32> = None;
        self.data.tree.over(&at(x, 0.0), &mut |number| {
            let piece = &self.pieces()[number as usize];
            let inside = piece.set.as_surface().value(&piece.pose.inverse_apply(x)) < 0.0;
            if inside && piece.top.is_some() && first.is_none_or(|first| number < first) {
                first = Some(number);
            }
        });
        first
    }
}

/// A box about a ground in which bodies feel it: its own, and what is below its one-sided pieces.
pub(super) fn place<const D: usize>(pieces: &[Piece<D>], hull: &Aabb<D>) -> Aabb<D> {
    let size = (hull.upper - hull.lower).norm();
    let below = pieces.iter().filter(|piece| !piece.is_whole);
    let below = below.filter_map(|piece| Some((piece.top?, piece.face()?)));
    below.fold(*hull, |all, (top, face)| {
        face.corners[..D].iter().fold(all, |all, corner| {
            all.union(&at(&(corner - top * size), 0.0))
        })
    })
}

/// The box of the points within a distance of a point.
fn at<const D: usize>(x: &SVector<f64, D>, reach: f64) -> Aabb<D> {
    let (lower, upper) = (*x, *x);
    Aabb { lower, upper }.inflated(reach)
}

impl<const D: usize> Piece<D> {
    /// The face of the piece that is part of the surface of a ground, that of the direction nearest to its upward normal.
    fn face(&self) -> Option<Face<D>> {
        let up = self.pose.inverse_rotate(&self.top?);
        let highest = |count: usize, normal: &dyn Fn(usize) -> SVector<f64, D>| {
            (0..count).max_by(|&i, &j| normal(i).dot(&up).total_cmp(&normal(j).dot(&up)))
        };
        let mut corners = [SVector::zeros(); 3];
        let normal = match &self.set {
            ConvexSet::Polytope(shape) => {
                let face = highest(shape.faces(), &|i| *shape.face_normal(i))?;
                for (corner, &i) in corners.iter_mut().zip(shape.face_vertices(face)) {
                    *corner = self.pose.apply(&shape.vertices()[i as usize]);
                }
                *shape.face_normal(face)
            }
            ConvexSet::Polygon(shape) => {
                let sides = shape.normals();
                let side = highest(sides.len(), &|i| sides[i])?;
                for (k, corner) in corners[..2].iter_mut().enumerate() {
                    *corner = self.pose.apply(&shape.vertices()[(side + k) % sides.len()]);
                }
                sides[side]
            }
            _ => return None,
        };
        let normal = self.pose.rotate(&normal);
        Some(Face { corners, normal })
    }
}

impl<const D: usize> Face<D> {
    /// The point of the face that is nearest to x.
    fn nearest(&self, x: &SVector<f64, D>) -> OnFace<D> {
        let [p, q, r] = &self.corners;
        let on = |weights: [f64; 3]| OnFace {
            point: p * weights[0] + q * weights[1] + r * weights[2],
            weights,
        };
        let along = |from: &SVector<f64, D>, to: &SVector<f64, D>| {
            let way = to - from;
            (way.dot(&(x - from)) / way.norm_squared()).clamp(0.0, 1.0)
        };
        if D == 2 {
            let t = along(p, q);
            return on([1.0 - t, t, 0.0]);
        }
        // Over the triangle if x is on the inner side of all its edges, else nearest to the nearest edge.
        let (u, v, w) = (q - p, r - p, x - p);
        let (uu, uv, vv) = (u.dot(&u), u.dot(&v), v.dot(&v));
        let (wu, wv) = (w.dot(&u), w.dot(&v));
        let free = uu * vv - uv * uv;
        let (s, t) = ((vv * wu - uv * wv) / free, (uu * wv - uv * wu) / free);
        if s > 0.0 && t > 0.0 && s + t < 1.0 {
            return on([1.0 - s - t, s, t]);
        }
        let (a, b, c) = (along(p, q), along(q, r), along(r, p));
        let edges = [[1.0 - a, a, 0.0], [0.0, 1.0 - b, b], [c, 0.0, 1.0 - c]].map(on);
        let nearer = |best: OnFace<D>, other: &OnFace<D>| {
            if (other.point - x).norm() < (best.point - x).norm() {
                *other
            } else {
                best
            }
        };
        edges[1..].iter().fold(edges[0], nearer)
    }

    /// With what weight the normal counts at a point: the angle of the face there, half a turn being one.
    fn angle(&self, on: &OnFace<D>) -> f64 {
        let corner = on.weights[..D].iter().position(|&weight| weight >= 1.0);
        match corner {
            Some(k) if D == 3 => {
                let [x, y, z] = [0, 1, 2].map(|step| &self.corners[(k + step) % 3]);
                (y - x).angle(&(z - x)) / std::f64::consts::PI
            }
            _ => 1.0,
        }
    }

    /// Whether one of its edges (in the plane its corners) is the edge across from corner k of another face.
    fn has_edge(&self, other: &Self, k: usize, same: f64) -> bool {
        let corners = |own: &Self, k: usize| {
            let ends = (1..D).map(move |step| (k + step) % D);
            ends.map(|i| own.corners[i]).collect::<Vec<_>>()
        };
        let edge = corners(other, k);
        (0..D).any(|own| {
            let mine = corners(self, own);
            edge.iter()
                .all(|x| mine.iter().any(|y| (x - y).norm() <= same))
        })
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector3;

    use super::*;
    use crate::{HeightField, TriangleMesh};

    fn pyramid_or_pit(height: f64) -> Union<3> {
        let heights = vec![vec![0.0; 3], vec![0.0, height, 0.0], vec![0.0; 3]];
        let field = HeightField::new(heights, [1.0, 1.0]).unwrap();
        field.mesh().unwrap().ground(0.05).unwrap()
    }

    /// Below a hill and below a pit the sign is that of the height above the surface, up to the border and not beyond it.
    #[test]
    fn below_is_below_on_hills_and_in_pits() {
        for height in [0.8, -0.8] {
            let ground = pyramid_or_pit(height);
            // Six faces of the raised corner: 1 − max(|x|, |y|, |x − y|) of its height.
            let surface =
                |x: f64, y: f64| height * (1.0 - x.abs().max(y.abs()).max((x - y).abs())).max(0.0);
            for i in -9..=9 {
                for j in -9..=9 {
                    let (x, y) = (f64::from(i) * 0.1 + 0.003, f64::from(j) * 0.1 - 0.004);
                    for off in [-1.5, -0.3, -0.01, 0.01, 0.3] {
                        let point = Vector3::new(x, y, surface(x, y) + off);
                        // Perpendicular to the slope, 0.8 up, by as much it reaches the border.
                        if off < 0.0 && x.abs().max(y.abs()) - 0.5 * off > 0.95 {
                            continue;
                        }
                        let above = ground.piece_above(&point);
                        assert_eq!(above.is_some(), off < 0.0, "{height} {point}");
                    }
                }
            }
            // Below the rim of the pit the normals lead outwards.
            let beside = if height > 0.0 {
                &[1.001, 1.2, 3.0][..]
            } else {
                &[3.0]
            };
            for &x in beside {
                let beside = ground.piece_above(&Vector3::new(x, 0.2, -0.5));
                assert_eq!(beside, None, "{height} {x}");
            }
        }
    }

    /// In a closed mesh every point inside is in the ground, and below it none is.
    #[test]
    fn inside_of_a_closed_mesh_is_in_the_ground() {
        let brick = crate::Polytope::cuboid(2.0, 3.0, 0.4).unwrap();
        let mesh = ConvexSet::from(brick).surface_mesh(0).unwrap();
        let ground = mesh.ground(0.05).unwrap();
        let up = |z: f64| ground.piece_above(&Vector3::new(0.31, 0.2, z));
        let normal = |z: f64| *ground.below(up(z).unwrap() as usize).unwrap().normal();
        assert_eq!((normal(0.1), normal(-0.1)), (Vector3::z(), -Vector3::z()));
        assert_eq!((up(0.21), up(-0.21), up(-1.0)), (None, None, None));
    }

    /// The ground of a height field is solid to its bottom and no further.
    #[test]
    fn a_height_field_is_solid_to_its_bottom() {
        let field = HeightField::new(vec![vec![0.0; 4]; 4], [1.0, 1.0]).unwrap();
        let ground = field.ground(2.0).unwrap();
        let up = |z: f64| ground.piece_above(&Vector3::new(0.3, 0.2, z));
        assert!(up(-0.01).is_some() && up(-1.9).is_some());
        assert_eq!((up(0.01), up(-2.1)), (None, None));
        assert!(
            field
                .mesh()
                .is_ok_and(|mesh: TriangleMesh| mesh.ground(1.0).is_ok())
        );
    }
}
