//! Bounds of the gap that need nothing but vertices, faces and edges.
//!
//! ```math
//! s(m) \le g, \qquad g = \max_m s(m), \qquad s(m) = \min_{x \in B} m \cdot x - \max_{x \in A} m \cdot x
//! ```
//!
//! Apart, every pair of points bounds the gap from above; in overlap the greatest s over the normals of all faces and of all
//! pairs of edges is the gap.

use nalgebra::Vector3;
use signorini_benches::parry::{Hull, Said};
use signorini_geometry::{ClosestPoints, ConvexSet, Placed, Polytope, closest_points};

use super::pairs::Pair;

/// What came of a pair; numbers are relative to its size.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Verdict {
    /// Our gap; `None` without an answer.
    pub(super) ours: Option<f64>,
    /// By how much our gap is not what its bounds prove.
    pub(super) fault: f64,
    pub(super) parry: Said,
    /// Parry's gap less ours, where both have one.
    pub(super) difference: Option<f64>,
}

pub(super) fn judge(pair: &Pair) -> Verdict {
    let [a, b] = pair.placed();
    let ours = closest_points(&a, &b).ok();
    let hulls = [0, 1].map(|k| Hull::new(polytope(&pair.sets[k]).vertices()));
    let parry = match &hulls {
        [Some(one), Some(other)] => one.gap(other, [&a.pose, &b.pose]),
        _ => Said::Nothing,
    };
    let difference = match (&ours, parry) {
        (Some(ours), Said::Gap(gap)) => Some((gap - ours.gap) / pair.size),
        _ => None,
    };
    let parry = match parry {
        Said::Gap(gap) => Said::Gap(gap / pair.size),
        other => other,
    };
    Verdict {
        fault: ours
            .as_ref()
            .map_or(0.0, |ours| fault(&a, &b, ours) / pair.size),
        ours: ours.map(|ours| ours.gap / pair.size),
        parry,
        difference,
    }
}

fn polytope(set: &ConvexSet<3>) -> &Polytope<3> {
    match set {
        ConvexSet::Polytope(polytope) => polytope,
        _ => unreachable!("the pairs are of polytopes"),
    }
}

/// Largest fault of an answer, m: of its points, its normal, and its gap against the bounds.
fn fault(a: &Placed<'_, 3>, b: &Placed<'_, 3>, ours: &ClosestPoints<3>) -> f64 {
    let bodies = [Corners::of(a), Corners::of(b)];
    let lower = separation(&bodies, &ours.normal);
    let mut faults = vec![
        (ours.b - ours.a - ours.normal * ours.gap).norm(),
        (ours.gap - lower).abs(),
        bodies[0].outside(&ours.a),
        bodies[1].outside(&ours.b),
    ];
    if ours.gap <= 0.0 {
        faults.push(greatest_separation(&bodies) - ours.gap);
    }
    faults
        .into_iter()
        .fold(0.0, |most, x| if x <= most { most } else { x })
}

/// Vertices, outward normals of faces and directions of edges, world axes.
struct Corners {
    vertices: Vec<Vector3<f64>>,
    faces: Vec<(Vector3<f64>, f64)>,
    edges: Vec<Vector3<f64>>,
}

impl Corners {
    fn of(placed: &Placed<'_, 3>) -> Self {
        let own = polytope(placed.set);
        let vertices: Vec<_> = own
            .vertices()
            .iter()
            .map(|x| placed.pose.apply(x))
            .collect();
        let faces = (0..own.faces()).map(|face| {
            let corners = own.face_vertices(face);
            let normal = placed.pose.rotate(own.face_normal(face));
            (normal, normal.dot(&vertices[corners[0] as usize]))
        });
        let faces = faces.collect();
        let edges = own
            .edges()
            .map(|[p, q]| (vertices[q] - vertices[p]).normalize());
        let edges = edges.collect();
        Self {
            vertices,
            faces,
            edges,
        }
    }

    /// How far a point is outside, at least 0.
    fn outside(&self, x: &Vector3<f64>) -> f64 {
        let heights = self.faces.iter().map(|(n, offset)| n.dot(x) - offset);
        heights.fold(0.0, f64::max)
    }
}

/// s(m) for a unit vector m.
fn separation([a, b]: &[Corners; 2], m: &Vector3<f64>) -> f64 {
    let low = b
        .vertices
        .iter()
        .map(|x| m.dot(x))
        .fold(f64::INFINITY, f64::min);
    let high = a
        .vertices
        .iter()
        .map(|x| m.dot(x))
        .fold(f64::NEG_INFINITY, f64::max);
    low - high
}

/// The greatest s over the normals of faces and pairs of edges: the gap of two bodies in overlap.
fn greatest_separation(bodies: &[Corners; 2]) -> f64 {
    /// Sine of the angle between edges that give no normal: that of a face stands for them.
    const PARALLEL: f64 = 1e-9;
    let [a, b] = bodies;
    let mut most = f64::NEG_INFINITY;
    for (n, _) in &a.faces {
        most = most.max(separation(bodies, n));
    }
    for (n, _) in &b.faces {
        most = most.max(separation(bodies, &-n));
    }
    for p in &a.edges {
        for q in &b.edges {
            let across = p.cross(q);
            let sine = across.norm();
            if sine > PARALLEL {
                let n = across / sine;
                most = most
                    .max(separation(bodies, &n))
                    .max(separation(bodies, &-n));
            }
        }
    }
    most
}
