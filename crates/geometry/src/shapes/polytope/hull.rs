//! Convex hull of points of space, face by face.
//!
//! # Method
//! Gift wrapping: about an edge of a known face the plane is turned until it meets points, all of which within a
//! tolerance are the next face; its polygon is their hull in that plane. Coplanar and collinear points are thereby
//! merged as they are met. What comes out is checked: every edge between two faces, Euler's formula, no point above a
//! face. If the check fails, the tolerance is widened.
//!
//! # Guarantees and limits
//! Time grows with edges times points. The result passes the check or there is none.
//!
//! # References
//! - D. R. Chand, S. S. Kapur, An algorithm for convex polytopes, J. ACM 17 (1970) 78–86, doi 10.1145/321556.321564.

use std::collections::HashMap;

use nalgebra::Vector3;

use crate::shapes::ShapeError;

/// Distances relative to the size within which points are coplanar or one, tried in this order.
const TOLERANCES: [f64; 4] = [1e-12, 1e-11, 1e-10, 1e-9];

/// Thickness relative to the size below which points have no interior to speak of.
const THIN: f64 = 1e-8;

/// Directions of the point that wrapping begins with, of which one is hoped to have a single furthest point.
const STARTS: [[f64; 3]; 3] = [
    [-0.731, -0.573, 0.371],
    [0.411, 0.213, -0.886],
    [0.317, -0.902, -0.293],
];

/// Part of the distances from an edge by which the angles about it are told apart.
const ANGLE: f64 = 1e-13;

/// Vertices and faces; every face goes counter-clockwise about its outward normal.
#[derive(Debug)]
pub(super) struct Hull {
    pub(super) vertices: Vec<Vector3<f64>>,
    pub(super) faces: Vec<(Vector3<f64>, Vec<u32>)>,
}

/// The hull of finite points; vertices keep their order.
pub(super) fn hull(points: &[Vector3<f64>]) -> Result<Hull, ShapeError> {
    if points.len() < 4 {
        return Err(ShapeError::FewPoints {
            found: points.len(),
        });
    }
    let size = spread(points)?;
    for tolerance in TOLERANCES {
        let distinct = distinct(points, tolerance * size);
        let wrapping = Wrapping {
            points: &distinct,
            tolerance: tolerance * size,
        };
        for start in STARTS {
            if let Some(hull) = wrapping.wrap(&Vector3::from(start).normalize()) {
                return Ok(hull);
            }
        }
    }
    Err(ShapeError::UnclearHull { size })
}

/// The largest distance from the first point; refuses points of one point, line or plane.
fn spread(points: &[Vector3<f64>]) -> Result<f64, ShapeError> {
    let furthest = |off: &dyn Fn(&Vector3<f64>) -> f64| {
        let mut best = (0.0, points[0]);
        for x in points {
            let distance = off(x);
            if distance > best.0 {
                best = (distance, *x);
            }
        }
        best
    };
    let (size, far) = furthest(&|x| (x - points[0]).norm());
    let flat = |dimension, thickness| ShapeError::FlatPolytope {
        dimension,
        thickness,
        size,
    };
    if size == 0.0 {
        return Err(flat(0, 0.0));
    }
    let along = (far - points[0]) / size;
    let beside = |x: &Vector3<f64>| {
        let d = x - points[0];
        d - along * along.dot(&d)
    };
    let (width, aside) = furthest(&|x| beside(x).norm());
    if width <= THIN * size {
        return Err(flat(1, width));
    }
    let normal = along.cross(&beside(&aside)) / width;
    let (thickness, _) = furthest(&|x| normal.dot(&(x - points[0])).abs());
    if thickness <= THIN * size {
        return Err(flat(2, thickness));
    }
    Ok(size)
}

/// The points without those that are another one.
fn distinct(points: &[Vector3<f64>], same: f64) -> Vec<Vector3<f64>> {
    let mut out: Vec<Vector3<f64>> = Vec::with_capacity(points.len());
    for x in points {
        if out.iter().all(|y| (x - y).norm_squared() > same * same) {
            out.push(*x);
        }
    }
    out
}

/// A face while it is wrapped.
struct Facet {
    normal: Vector3<f64>,
    corners: Vec<u32>,
}

struct Wrapping<'a> {
    points: &'a [Vector3<f64>],
    tolerance: f64,
}

impl Wrapping<'_> {
    fn wrap(&self, start: &Vector3<f64>) -> Option<Hull> {
        let mut facets = vec![self.first(start)?];
        let mut owner: HashMap<(u32, u32), usize> = HashMap::new();
        let mut open = Vec::new();
        Self::claim(&facets[0], 0, &mut owner, &mut open)?;
        while let Some((p, q, of)) = open.pop() {
            if owner.contains_key(&(q, p)) {
                continue;
            }
            let [x, y] = [self.at(p), self.at(q)];
            let next = self.about(&x, &(y - x), &facets[of].normal)?;
            if facets.len() > 2 * self.points.len() {
                return None;
            }
            Self::claim(&next, facets.len(), &mut owner, &mut open)?;
            facets.push(next);
        }
        self.checked(facets, &owner)
    }

    fn at(&self, i: u32) -> Vector3<f64> {
        self.points[i as usize]
    }

    /// Notes the edges of a new face; `None` if one has a face already.
    fn claim(
        facet: &Facet,
        index: usize,
        owner: &mut HashMap<(u32, u32), usize>,
        open: &mut Vec<(u32, u32, usize)>,
    ) -> Option<()> {
        let n = facet.corners.len();
        for k in 0..n {
            let edge = (facet.corners[k], facet.corners[(k + 1) % n]);
            if owner.insert(edge, index).is_some() {
                return None;
            }
            open.push((edge.0, edge.1, index));
        }
        Some(())
    }

    /// A face at the point furthest along `start`: the plane across it there is turned about a line and then about an edge.
    fn first(&self, start: &Vector3<f64>) -> Option<Facet> {
        let height = |x: &&Vector3<f64>| start.dot(*x);
        let furthest = self.points.iter();
        let from = furthest.max_by(|x, y| height(x).total_cmp(&height(y)))?;
        let [line, _] = crate::direction::tangents(start);
        let q = self.turned(from, &line, start)?;
        let normal = Self::plane(from, &line, start, &q)?;
        self.about(from, &(q - from), &normal)
    }

    /// The part of the plane of a face and of what is below it, across an edge: how far out and how far down.
    fn across(edge: &Vector3<f64>, normal: &Vector3<f64>) -> Vector3<f64> {
        edge.normalize().cross(normal)
    }

    /// The point that the plane with this normal through p meets first when it is turned downwards about an edge.
    fn turned(
        &self,
        p: &Vector3<f64>,
        edge: &Vector3<f64>,
        normal: &Vector3<f64>,
    ) -> Option<Vector3<f64>> {
        let out = Self::across(edge, normal);
        let mut best: Option<([f64; 2], f64, Vector3<f64>)> = None;
        for x in self.points {
            let d = x - p;
            let [c, w] = [out.dot(&d), (-normal.dot(&d)).max(0.0)];
            let reach = c.hypot(w);
            // On the edge, or on the face itself.
            if reach <= self.tolerance || (w <= self.tolerance && c < 0.0) {
                continue;
            }
            let better = best.as_ref().is_none_or(|([c0, w0], reach0, _)| {
                let turn = (c0 * w - w0 * c) / (reach * reach0);
                turn < -ANGLE || (turn <= ANGLE && c * c0 + w * w0 > 0.0 && reach > *reach0)
            });
            if better {
                best = Some(([c, w], reach, *x));
            }
        }
        best.map(|(_, _, x)| x)
    }

    /// Outward normal of the plane of an edge and a point that was turned to.
    fn plane(
        p: &Vector3<f64>,
        edge: &Vector3<f64>,
        normal: &Vector3<f64>,
        x: &Vector3<f64>,
    ) -> Option<Vector3<f64>> {
        let along = edge.normalize();
        let out = Self::across(edge, normal);
        let d = x - p;
        let away = out * out.dot(&d) + normal * normal.dot(&d).min(0.0);
        (-along).cross(&away).try_normalize(0.0)
    }

    /// The face on the other side of an edge of a face with this normal.
    fn about(&self, p: &Vector3<f64>, edge: &Vector3<f64>, normal: &Vector3<f64>) -> Option<Facet> {
        let x = self.turned(p, edge, normal)?;
        let normal = Self::plane(p, edge, normal, &x)?;
        let along = -edge.normalize();
        let inward = normal.cross(&along);
        let mut flat: Vec<([f64; 2], u32)> = (0u32..)
            .zip(self.points)
            .filter(|(_, x)| normal.dot(&(*x - p)).abs() <= self.tolerance)
            .map(|(i, x)| ([along.dot(&(x - p)), inward.dot(&(x - p))], i))
            .collect();
        let corners = ring(&mut flat, self.tolerance);
        if corners.len() < 3 {
            return None;
        }
        let normal = self.normal_of(&corners)?;
        Some(Facet { normal, corners })
    }

    /// Normal of a polygon by the sum of its triangles.
    fn normal_of(&self, corners: &[u32]) -> Option<Vector3<f64>> {
        let from = self.at(corners[0]);
        let mut sum = Vector3::zeros();
        for pair in corners[1..].windows(2) {
            sum += (self.at(pair[0]) - from).cross(&(self.at(pair[1]) - from));
        }
        crate::direction::direction(&sum).map(|(normal, _)| normal)
    }

    /// The hull, if the faces close and no point is above one.
    fn checked(&self, facets: Vec<Facet>, owner: &HashMap<(u32, u32), usize>) -> Option<Hull> {
        let closed = owner.keys().all(|&(p, q)| owner.contains_key(&(q, p)));
        let mut name = vec![u32::MAX; self.points.len()];
        for &i in facets.iter().flat_map(|facet| &facet.corners) {
            name[i as usize] = 0;
        }
        let mut vertices = Vec::new();
        for (slot, x) in name.iter_mut().zip(self.points) {
            if *slot == 0 {
                *slot = u32::try_from(vertices.len()).ok()?;
                vertices.push(*x);
            }
        }
        let euler = vertices.len() + facets.len() == owner.len() / 2 + 2;
        let below = facets.iter().all(|facet| {
            let from = self.at(facet.corners[0]);
            let above = |x: &Vector3<f64>| facet.normal.dot(&(x - from));
            self.points.iter().all(|x| above(x) <= 4.0 * self.tolerance)
        });
        if !(closed && euler && below) {
            return None;
        }
        let renamed = |corners: Vec<u32>| corners.iter().map(|&i| name[i as usize]).collect();
        let faces = facets.into_iter();
        let faces = faces.map(|facet| (facet.normal, renamed(facet.corners)));
        Some(Hull {
            vertices,
            faces: faces.collect(),
        })
    }
}

/// The convex hull of points of a plane, counter-clockwise, without points within `tolerance` of a side. The points are
/// sorted.
///
/// Source: A. M. Andrew, Another efficient algorithm for convex hulls in two dimensions, Inf. Proc. Letters 9 (1979).
pub(super) fn ring(flat: &mut [([f64; 2], u32)], tolerance: f64) -> Vec<u32> {
    flat.sort_by(|a, b| a.0[0].total_cmp(&b.0[0]));
    // A column is sorted from below, whatever rounding has made of its first coordinates.
    let mut rest = &mut *flat;
    while let Some(first) = rest.first() {
        let end = first.0[0] + tolerance;
        let (column, after) = rest.split_at_mut(rest.partition_point(|point| point.0[0] <= end));
        column.sort_by(|a, b| a.0[1].total_cmp(&b.0[1]));
        rest = after;
    }
    let straight = |p: &[f64; 2], q: &[f64; 2], r: &[f64; 2]| {
        let [d, e] = [[q[0] - p[0], q[1] - p[1]], [r[0] - p[0], r[1] - p[1]]];
        d[0] * e[1] - d[1] * e[0] <= tolerance * e[0].hypot(e[1])
    };
    let mut out: Vec<([f64; 2], u32)> = Vec::new();
    for half in 0..2 {
        let base = out.len();
        let mut add = |point: &([f64; 2], u32)| {
            while out.len() >= base + 2
                && straight(&out[out.len() - 2].0, &out[out.len() - 1].0, &point.0)
            {
                out.pop();
            }
            out.push(*point);
        };
        if half == 0 {
            flat.iter().for_each(&mut add);
        } else {
            flat.iter().rev().for_each(&mut add);
        }
        // The last point of a chain begins the next.
        out.pop();
    }
    out.iter().map(|point| point.1).collect()
}
