//! Seeded pairs of boxes to be timed: many different ones in turn, so that no branch is learnt by heart.

use nalgebra::Vector3;
use signorini_geometry::{ConvexSet, Placed, Polytope, Pose, closest_points};

use crate::families::Rng;

/// Pairs of a case.
const COUNT: usize = 256;

/// Move of a box of about 1 m in a moment, m and rad.
const MOVE: f64 = 1e-5;

/// Pairs of boxes at their places.
#[derive(Clone, Debug)]
pub struct BoxPairs {
    /// What they are called.
    pub name: &'static str,
    sizes: Vec<[Vector3<f64>; 2]>,
    sets: Vec<[ConvexSet<3>; 2]>,
    poses: Vec<[Pose<3>; 2]>,
}

/// How the boxes are to each other.
#[derive(Clone, Copy)]
enum Place {
    /// Face on face, partly beside each other, tilted by rounding to 1e-3 rad.
    Flush,
    /// Turned at random, apart or in overlap by at most a hundredth of the size.
    Touching,
    /// Turned at random, apart by a tenth to a half of the size.
    Apart,
}

impl BoxPairs {
    /// All cases.
    ///
    /// # Panics
    /// If two boxes have no closest points: a bench of a search that fails is worth nothing.
    pub fn all() -> Vec<Self> {
        vec![
            Self::new("flush", Place::Flush),
            Self::new("touching", Place::Touching),
            Self::new("apart", Place::Apart),
        ]
    }

    fn new(name: &'static str, place: Place) -> Self {
        let mut rng = Rng::new(11);
        let mut out = Self {
            name,
            sizes: Vec::new(),
            sets: Vec::new(),
            poses: Vec::new(),
        };
        for _ in 0..COUNT {
            let sizes = [0; 2].map(|_| Vector3::from_fn(|_, _| rng.between(0.5, 1.5)));
            let sets = sizes.map(|s| {
                let cuboid = Polytope::cuboid(s.x, s.y, s.z);
                ConvexSet::from(cuboid.expect("a box of positive lengths"))
            });
            let poses = match place {
                Place::Flush => flush(&mut rng, &sizes),
                Place::Touching => {
                    let gap = rng.between(-0.01, 0.01);
                    at_random(&mut rng, &sets, gap)
                }
                Place::Apart => {
                    let gap = rng.between(0.1, 0.5);
                    at_random(&mut rng, &sets, gap)
                }
            };
            out.sizes.push(sizes);
            out.sets.push(sets);
            out.poses.push(poses);
        }
        out
    }

    /// Side lengths of the boxes, m.
    pub fn sizes(&self) -> &[[Vector3<f64>; 2]] {
        &self.sizes
    }

    /// The boxes a moment later: those of B moved by 1e-5 m and turned by 1e-5 rad in some direction.
    pub fn moved(&self) -> Vec<[Placed<'_, 3>; 2]> {
        let (mut rng, mut all) = (Rng::new(12), self.placed());
        for [_, b] in &mut all {
            let way = |rng: &mut Rng| Vector3::from_fn(|_, _| rng.between(-1.0, 1.0)).normalize();
            let (turn, shift) = (way(&mut rng) * 0.5 * MOVE, way(&mut rng) * MOVE);
            let moved = Pose::from_quaternion([1.0, turn.x, turn.y, turn.z], shift);
            b.pose.rotation = moved.rotation * b.pose.rotation;
            b.pose.position += moved.position;
        }
        all
    }

    /// The boxes at their places.
    pub fn placed(&self) -> Vec<[Placed<'_, 3>; 2]> {
        let all = self.sets.iter().zip(&self.poses);
        all.map(|(sets, poses)| [0, 1].map(|k| Placed::new(&sets[k], poses[k])))
            .collect()
    }
}

fn turned(rng: &mut Rng, position: Vector3<f64>) -> Pose<3> {
    let q = [0; 4].map(|_| rng.between(-1.0, 1.0));
    Pose::from_quaternion(q, position)
}

/// B on top of A, both turned together.
fn flush(rng: &mut Rng, [p, q]: &[Vector3<f64>; 2]) -> [Pose<3>; 2] {
    let tilt = 10f64.powf(rng.between(-16.0, -3.0));
    let (yaw, gap) = (rng.between(-1.5, 1.5), rng.between(-1e-4, 1e-4));
    let aside = |rng: &mut Rng, k: usize| rng.between(-0.35, 0.35) * (p[k] + q[k]);
    let (x, y) = (aside(rng, 0), aside(rng, 1));
    let at = Vector3::new(x, y, 0.5 * (p.z + q.z) + gap);
    let turn = [(0.5 * yaw).cos(), tilt, -0.6 * tilt, (0.5 * yaw).sin()];
    let b = Pose::from_quaternion(turn, at);
    let position = Vector3::from_fn(|_, _| rng.between(-1.0, 1.0));
    let a = turned(rng, position);
    [a, a.compose(&b)]
}

/// B brought to this gap along the normal.
fn at_random(rng: &mut Rng, sets: &[ConvexSet<3>; 2], gap: f64) -> [Pose<3>; 2] {
    let position = Vector3::from_fn(|_, _| rng.between(-1.0, 1.0));
    let a = turned(rng, position);
    let way = Vector3::from_fn(|_, _| rng.between(-1.0, 1.0));
    let mut b = turned(rng, a.position + way.normalize() * 5.0);
    let closest = closest_points(&Placed::new(&sets[0], a), &Placed::new(&sets[1], b));
    let closest = closest.expect("boxes that are apart have closest points");
    b.position -= closest.normal * (closest.gap - gap);
    [a, b]
}
