//! Seeded pairs of polytopes.

use nalgebra::Vector3;
use signorini_benches::families::Rng;
use signorini_geometry::{ConvexSet, Placed, Polytope, Pose, ShapeError, closest_points};

/// How the two lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// Apart by 0 to the sum of the radii.
    Apart,
    /// A gap of -1e-9, 0 or 1e-9 of the size.
    Touching,
    /// A tenth to six tenths of the sum of the radii between the middles.
    Overlapping,
}

impl Class {
    pub(super) const ALL: [Self; 3] = [Self::Apart, Self::Touching, Self::Overlapping];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Apart => "apart",
            Self::Touching => "touching",
            Self::Overlapping => "overlapping",
        }
    }
}

/// Two polytopes at their places.
#[derive(Debug)]
pub(super) struct Pair {
    pub(super) class: Class,
    pub(super) names: [&'static str; 2],
    pub(super) sets: [ConvexSet<3>; 2],
    pub(super) poses: [Pose<3>; 2],
    /// Sum of the bounding radii, m: what faults are relative to.
    pub(super) size: f64,
}

impl Pair {
    /// The pair of this seed: boxes with sides in ratios up to 5, hulls of 5 to 14 points in such a box, and prisms over
    /// polygons of 3 to 8 corners; sizes from a millimetre to ten metres, at most ten to one in a pair.
    pub(super) fn random(seed: u64) -> Result<Self, ShapeError> {
        let mut rng = Rng::new(seed);
        let class = Class::ALL[rng.size(0, 2)];
        let scale = 10_f64.powf(4.0 * rng.unit() - 3.0);
        let mut one = || -> Result<(&'static str, Polytope<3>), ShapeError> {
            let own = scale * 10_f64.powf(rng.unit() - 0.5);
            body(&mut rng, own)
        };
        let (first, second) = (one()?, one()?);
        let names = [first.0, second.0];
        let sets = [first.1, second.1].map(ConvexSet::from);
        let radii = [&sets[0], &sets[1]].map(ConvexSet::bounding_radius);
        let size = radii[0] + radii[1];
        let way = match class {
            Class::Apart | Class::Touching => size * (1.0 + rng.unit()),
            Class::Overlapping => size * (0.1 + 0.5 * rng.unit()),
        };
        let mut poses = [turned(&mut rng), turned(&mut rng)];
        poses[0].position = any(&mut rng) * scale;
        poses[1].position = poses[0].position + direction(&mut rng) * way;
        let mut pair = Self {
            class,
            names,
            sets,
            poses,
            size,
        };
        if class == Class::Touching {
            // Brought together along the normal; where that is not known the pair stays apart.
            let [a, b] = pair.placed();
            let off = [-1e-9, 0.0, 1e-9][rng.size(0, 2)] * size;
            if let Ok(closest) = closest_points(&a, &b) {
                let shift = closest.normal * (off - closest.gap);
                pair.poses[1].position += shift;
            }
        }
        Ok(pair)
    }

    pub(super) fn placed(&self) -> [Placed<'_, 3>; 2] {
        [0, 1].map(|k| Placed::new(&self.sets[k], self.poses[k]))
    }
}

fn body(rng: &mut Rng, size: f64) -> Result<(&'static str, Polytope<3>), ShapeError> {
    let sides = Vector3::from_fn(|_, _| size * 5_f64.powf(-rng.unit()));
    match rng.size(0, 2) {
        0 => Ok(("box", Polytope::cuboid(sides.x, sides.y, sides.z)?)),
        1 => {
            let count = rng.size(5, 14);
            let points = (0..count).map(|_| any(rng).component_mul(&sides) * 0.5);
            Ok(("hull", Polytope::new(points.collect::<Vec<_>>())?))
        }
        _ => {
            let corners = rng.size(3, 8);
            let ring = |z: f64| {
                (0..corners).map(move |k| {
                    let angle = std::f64::consts::TAU * k as f64 / corners as f64;
                    Vector3::new(angle.cos() * sides.x, angle.sin() * sides.y, z) * 0.5
                })
            };
            let points = ring(-sides.z).chain(ring(sides.z));
            Ok(("prism", Polytope::new(points)?))
        }
    }
}

/// A point of the cube from −1 to 1.
fn any(rng: &mut Rng) -> Vector3<f64> {
    Vector3::from_fn(|_, _| 2.0 * rng.unit() - 1.0)
}

fn direction(rng: &mut Rng) -> Vector3<f64> {
    loop {
        let x = any(rng);
        if (0.01..=1.0).contains(&x.norm()) {
            return x.normalize();
        }
    }
}

fn turned(rng: &mut Rng) -> Pose<3> {
    loop {
        let q = [0; 4].map(|_| 2.0 * rng.unit() - 1.0);
        let norm: f64 = q.iter().map(|x| x * x).sum();
        if (0.01..=1.0).contains(&norm) {
            return Pose::from_quaternion(q, Vector3::zeros());
        }
    }
}
