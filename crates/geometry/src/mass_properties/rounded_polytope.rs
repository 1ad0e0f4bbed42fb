//! Moments of a rounded polytope: the polytope, a slab on every face, a wedge on every edge, a sector at every vertex.
//!
//! ```math
//! P_r = P \;\cup\; \bigcup_f F_f + [0, r]\, n_f \;\cup\; \bigcup_e E_e + r\, S_e \;\cup\; \bigcup_v v + r\, B_v
//! ```
//!
//! # Method
//! S is the sector of the unit disc between the normals of the two faces at an edge, of angle θ, and B the part of the unit ball
//! in the cone of normals of a vertex, a spherical polygon Ω. Its arcs lie across the edges d at the vertex, its corners are
//! the normals of the faces, whose angles α at the vertex give its area. The divergence theorem on the sphere leaves the rest
//! to the arcs:
//!
//! ```math
//! \Omega = 2\pi - \sum_f \alpha_f, \qquad \int \omega = -\tfrac12 \sum_e \theta_e d_e, \qquad
//! \int \omega \omega^T = \tfrac13 \Big( \Omega I - \sum_e d_e \big( (n_1 + n_2) \tan \tfrac{\theta_e}{2} \big)^T \Big)
//! ```
//!
//! # Guarantees and limits
//! Exact to rounding.
//!
//! # References
//! - R. Schneider, Convex Bodies: The Brunn–Minkowski Theory, 2nd ed., Cambridge 2014, section 4.2 (local Steiner formula).

use std::f64::consts::TAU;

use nalgebra::{Matrix3, SVector, Vector3};

use super::Moments;
use super::polytope::triangle_sums;
use crate::Polytope;

/// Volume, ∫ x and ∫ x xᵀ about the origin.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sums {
    pub(super) volume: f64,
    pub(super) first: Vector3<f64>,
    pub(super) second: Matrix3<f64>,
}

impl Sums {
    pub(super) fn add(&mut self, other: &Self) {
        self.volume += other.volume;
        self.first += other.first;
        self.second += other.second;
    }

    /// The same body, moved.
    fn moved(&self, by: &Vector3<f64>) -> Self {
        let cross = by * self.first.transpose();
        Self {
            volume: self.volume,
            first: self.first + by * self.volume,
            second: self.second + cross + cross.transpose() + by * by.transpose() * self.volume,
        }
    }

    pub(super) fn moments(&self) -> Moments<3> {
        let centre = self.first / self.volume;
        let spread = self.second - centre * centre.transpose() * self.volume;
        Moments {
            measure: self.volume,
            centroid: centre,
            second: Matrix3::identity() * spread.trace() - spread,
        }
    }
}

/// Moments of a polytope of space rounded by r.
pub(super) fn rounded_polytope_moments<const D: usize>(
    polytope: &Polytope<D>,
    r: f64,
) -> Moments<D> {
    let shape = Solid::new(polytope);
    let mut sums = triangle_sums(shape.triangles().map(|(_, corners)| corners));
    for (normal, corners) in shape.triangles() {
        sums.add(&slab(&normal, &corners, r));
    }
    for [i, j] in polytope.edges() {
        sums.add(&shape.wedge([i, j], r));
    }
    for vertex in 0..shape.vertices.len() {
        sums.add(&shape.sector(vertex, r));
    }
    let own = sums.moments();
    Moments {
        measure: own.measure,
        centroid: shape.middle + SVector::from_fn(|k, _| own.centroid[k]),
        second: own.second,
    }
}

/// A polytope about its own middle.
struct Solid<'a, const D: usize> {
    polytope: &'a Polytope<D>,
    middle: SVector<f64, D>,
    vertices: Vec<Vector3<f64>>,
}

impl<'a, const D: usize> Solid<'a, D> {
    fn new(polytope: &'a Polytope<D>) -> Self {
        let count = polytope.vertices().len();
        let middle = polytope.vertices().iter().sum::<SVector<f64, D>>() / count as f64;
        let about = |x: &SVector<f64, D>| in_space(&(x - middle));
        Self {
            polytope,
            middle,
            vertices: polytope.vertices().iter().map(about).collect(),
        }
    }

    fn normal(&self, face: usize) -> Vector3<f64> {
        in_space(self.polytope.face_normal(face))
    }

    /// The triangles of all faces, with their normals.
    fn triangles(&self) -> impl Iterator<Item = (Vector3<f64>, [Vector3<f64>; 3])> + '_ {
        (0..self.polytope.faces()).flat_map(move |face| {
            let corners = self.polytope.face_vertices(face);
            let pairs = corners[1..].windows(2);
            pairs.map(move |pair| {
                let corners = [corners[0], pair[0], pair[1]];
                (
                    self.normal(face),
                    corners.map(|i| self.vertices[i as usize]),
                )
            })
        })
    }

    /// Normals of the two faces at an edge, and the angle between them.
    fn turn(&self, [i, j]: [usize; 2]) -> ([Vector3<f64>; 2], f64) {
        let there = self.polytope.faces_at(j);
        let mut both = self.polytope.faces_at(i).iter();
        let mut next = || {
            let face = both.find(|face| there.contains(*face));
            self.normal(*face.expect("an edge is between two faces"))
        };
        let [m, n] = [next(), next()];
        ([m, n], m.cross(&n).norm().atan2(m.dot(&n)))
    }

    /// What is within r of an edge and between the slabs of its faces.
    fn wedge(&self, edge: [usize; 2], r: f64) -> Sums {
        let [p, q] = edge.map(|i| self.vertices[i]);
        let ([m, n], angle) = self.turn(edge);
        let (length, along) = ((q - p).norm(), (q - p).normalize());
        let (middle, sum) = ((p + q) * 0.5, m + n);
        let mean = sum.normalize();
        let across = along.cross(&mean);
        let area = angle * r * r / 2.0;
        let spread = mean * mean.transpose() * (angle + angle.sin())
            + across * across.transpose() * (angle - angle.sin());
        let about_middle = Sums {
            volume: area * length,
            first: sum * ((0.5 * angle).tan() * r.powi(3) / 3.0 * length),
            second: along * along.transpose() * (area * length.powi(3) / 12.0)
                + spread * (r.powi(4) / 8.0 * length),
        };
        about_middle.moved(&middle)
    }

    /// What is within r of a vertex and in its cone of normals.
    fn sector(&self, vertex: usize, r: f64) -> Sums {
        let x = self.vertices[vertex];
        let mut area = TAU;
        for &face in self.polytope.faces_at(vertex) {
            let corners = self.polytope.face_vertices(face);
            let place = corners.iter().position(|&i| i as usize == vertex);
            let place = place.expect("faces at a vertex have it as a corner");
            let count = corners.len();
            let [before, after] = [place + count - 1, place + 1]
                .map(|k| self.vertices[corners[k % count] as usize] - x);
            area -= before.cross(&after).norm().atan2(before.dot(&after));
        }
        let (mut first, mut second) = (Vector3::zeros(), Matrix3::identity() * area);
        for other in self.polytope.neighbours(vertex) {
            let away = (self.vertices[other] - x).normalize();
            let ([m, n], angle) = self.turn([vertex, other]);
            first -= away * (0.5 * angle);
            second -= away * ((m + n) * (0.5 * angle).tan()).transpose();
        }
        let second = (second + second.transpose()) * (0.5 / 3.0);
        let about_vertex = Sums {
            volume: area * r.powi(3) / 3.0,
            first: first * (r.powi(4) / 4.0),
            second: second * (r.powi(5) / 5.0),
        };
        about_vertex.moved(&x)
    }
}

/// What is over a triangle, up to r along its normal.
fn slab(normal: &Vector3<f64>, [x, y, z]: &[Vector3<f64>; 3], r: f64) -> Sums {
    let area = (y - x).cross(&(z - x)).norm() / 2.0;
    let sum = x + y + z;
    let squares = [*x, *y, *z, sum].map(|p| p * p.transpose());
    let first = sum * (area / 3.0);
    let cross = first * normal.transpose();
    Sums {
        volume: area * r,
        first: first * r + normal * (area * r * r / 2.0),
        second: squares.iter().sum::<Matrix3<f64>>() * (area / 12.0 * r)
            + (cross + cross.transpose()) * (r * r / 2.0)
            + normal * normal.transpose() * (area * r.powi(3) / 3.0),
    }
}

fn in_space<const D: usize>(x: &SVector<f64, D>) -> Vector3<f64> {
    Vector3::from_fn(|k, _| x[k])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ConvexSet, Rounded, mass_properties_of_density};

    /// A brick of half sides a with round edges: by the products of intervals, discs and a ball.
    #[test]
    fn a_rounded_brick_by_hand() {
        let (a, r) = ([0.5, 0.3, 0.2], 0.15);
        let pi = std::f64::consts::PI;
        let brick = Polytope::cuboid(2.0 * a[0], 2.0 * a[1], 2.0 * a[2]).unwrap();
        let set = ConvexSet::from(Rounded::new(brick.clone(), r).unwrap());
        let ours = mass_properties_of_density(&set, 1.0).unwrap();
        let faces = 8.0 * (a[0] * a[1] + a[1] * a[2] + a[2] * a[0]);
        let edges = 2.0 * (a[0] + a[1] + a[2]);
        let volume =
            8.0 * a[0] * a[1] * a[2] + faces * r + edges * pi * r * r + 4.0 / 3.0 * pi * r.powi(3);
        assert!((ours.mass - volume).abs() < 1e-15);
        assert!(ours.centroid.norm() < 1e-16);
        // ∫ x² along axis i: of the body, its slabs, wedges and corners; j and k are the others.
        let square = |i: usize| {
            let (p, q, s) = (a[i], a[(i + 1) % 3], a[(i + 2) % 3]);
            let shell = |n: i32| ((p + r).powi(n) - p.powi(n)) / f64::from(n);
            let core = 2.0 * p.powi(3) / 3.0;
            let body = core * 4.0 * q * s;
            let slabs = 2.0 * shell(3) * 4.0 * q * s + core * 4.0 * (q + s) * r;
            // Quarter discs at p + t and balls' eighths: ∫ t and ∫ t² over them.
            let disc = pi * r * r;
            let wedges_along = core * disc;
            let quarter = (r.powi(3) / 3.0, pi * r.powi(4) / 16.0);
            let wedge = p * p * disc / 4.0 + 2.0 * p * quarter.0 + quarter.1;
            let wedges_across = 4.0 * wedge * 2.0 * (q + s);
            let eighth = (pi * r.powi(4) / 16.0, pi * r.powi(5) / 30.0);
            let corner = p * p * pi * r.powi(3) / 6.0 + 2.0 * p * eighth.0 + eighth.1;
            body + slabs + wedges_along + wedges_across + 8.0 * corner
        };
        let squares = [square(0), square(1), square(2)];
        for i in 0..3 {
            let moment = squares[(i + 1) % 3] + squares[(i + 2) % 3];
            assert!(
                (ours.inertia[(i, i)] - moment).abs() < 1e-14 * moment,
                "{i}"
            );
        }
        let products = ours.inertia - Matrix3::from_diagonal(&ours.inertia.diagonal());
        assert!(products.amax() < 1e-16);
    }

    /// A tetrahedron without symmetry, off its origin: by slices of the signed distance, to what they are worth; the cones of
    /// normals together are the ball.
    #[test]
    fn a_rounded_tetrahedron_by_a_grid() {
        let corners = [
            [1.0, 0.1, 0.0],
            [0.0, 1.2, 0.1],
            [-0.1, 0.0, 0.9],
            [0.2, 0.1, -0.1],
        ];
        let tetrahedron = Polytope::new(corners.map(Vector3::from)).unwrap();
        let shape = Solid::new(&tetrahedron);
        let areas = (0..4).map(|v| shape.sector(v, 1.0));
        let mut ball = Sums::default();
        areas.for_each(|part| ball.volume += part.volume);
        assert!((ball.volume - 2.0 / 3.0 * TAU).abs() < 1e-14);
        let r = 0.2;
        let set = ConvexSet::from(Rounded::new(tetrahedron, r).unwrap());
        let ours = mass_properties_of_density(&set, 1.0).unwrap();
        let (n, low, side) = (80_u32, -0.4, 1.9);
        let cell = side / f64::from(n);
        let mut grid = Sums::default();
        let mut inside = |x: Vector3<f64>| {
            let part = cell.powi(3);
            grid.add(&Sums {
                volume: part,
                first: x * part,
                second: x * x.transpose() * part,
            });
        };
        let surface = set.as_surface();
        for i in 0..n * n * n {
            let at = [i / (n * n), i / n % n, i % n].map(|k| low + (f64::from(k) + 0.5) * cell);
            let x = Vector3::from(at);
            if surface.value(&x) <= 0.0 {
                inside(x);
            }
        }
        // The boundary cuts some 30,000 of the cells at random.
        let grid = grid.moments();
        assert!(
            (ours.mass / grid.measure - 1.0).abs() < 1e-3,
            "{} {}",
            ours.mass,
            grid.measure
        );
        assert!((ours.centroid - grid.centroid).norm() < 1e-3);
        let off = (ours.inertia - grid.second).amax() / grid.second.amax();
        assert!(off < 3e-3, "{off}");
    }
}
