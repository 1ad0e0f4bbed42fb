//! Queries to be timed: many different pairs in turn, so that no branch is learnt by heart.

use nalgebra::Vector3;
use signorini_geometry::{
    ClosestError, ClosestPoints, Placed, Pose, closest_points, refine_closest_points,
};

use super::{Class, Kind, Pair, SPATIAL_KINDS, judge, worst};
use crate::families::Rng;

/// Pairs of a case.
const COUNT: usize = 256;

/// How far B moved and turned since the start of a warm query was found, of the size of the pair and rad.
const MOVED: f64 = 1e-3;

/// Pairs apart, touching and shallow in turn, with the closest points of a moment ago.
#[derive(Clone, Debug)]
pub struct Queries {
    /// What they are called.
    pub name: &'static str,
    pairs: Vec<Pair<3>>,
    starts: Vec<ClosestPoints<3>>,
}

impl Queries {
    /// All cases.
    ///
    /// # Panics
    /// If a pair cannot be made: a bench of a search that fails is worth nothing.
    pub fn all() -> Vec<Self> {
        let cases = [
            ("ball-ball", ["ball", "ball"]),
            ("capsule-capsule", ["capsule", "capsule"]),
            ("cylinder-half-space", ["cylinder", "half-space"]),
            ("ellipsoid-ellipsoid", ["ellipsoid", "ellipsoid"]),
            (
                "superquadric-superquadric",
                ["superquadric", "superquadric"],
            ),
            ("cylinder-cylinder", ["cylinder", "cylinder"]),
        ];
        let mut all = Vec::new();
        for (name, kinds) in cases {
            all.push(Self::new(name, |_| kinds.map(named)));
        }
        // Everything that is bounded beside everything.
        let any = |rng: &mut Rng| SPATIAL_KINDS[rng.size(1, SPATIAL_KINDS.len() - 1)];
        all.push(Self::new("any-any", |rng| [any(rng), any(rng)]));
        all
    }

    fn new(name: &'static str, kinds: impl Fn(&mut Rng) -> [Kind<3>; 2]) -> Self {
        let classes = [Class::Apart, Class::Touching, Class::Shallow];
        let mut rng = Rng::new(5);
        let make = |i: usize| {
            let seed = 1000 + i as u64;
            let class = classes[rng.size(0, 2)];
            let pair = Pair::random(kinds(&mut rng), class, seed, [1.0, 8.0]);
            pair.expect("closest points bring every pair to touch")
        };
        let pairs: Vec<_> = (0..COUNT).map(make).collect();
        let starts = pairs.iter().map(before).collect();
        Self {
            name,
            pairs,
            starts,
        }
    }

    /// The bodies at their places.
    pub fn placed(&self) -> Vec<[Placed<'_, 3>; 2]> {
        let pairs = self.pairs.iter();
        pairs
            .map(|pair| [pair.a.placed(), pair.b.placed()])
            .collect()
    }

    /// The closest points of a moment ago.
    pub fn starts(&self) -> &[ClosestPoints<3>] {
        &self.starts
    }

    /// Largest residual of the global and of the local answers, relative to the size of their pair; infinite if there is
    /// one that has none.
    pub fn residuals(&self) -> [f64; 2] {
        let all = self.pairs.iter().zip(&self.starts);
        let of = |pair: &Pair<3>, answer: Result<ClosestPoints<3>, ClosestError>| {
            answer.map_or(f64::INFINITY, |answer| {
                let judgement = judge(pair, &answer);
                judgement.residual.max(judgement.certificate)
            })
        };
        let cold = all
            .clone()
            .map(|(pair, _)| of(pair, closest_points(&pair.a.placed(), &pair.b.placed())));
        let warm = all.map(|(pair, start)| {
            let answer = refine_closest_points(&pair.a.placed(), &pair.b.placed(), start);
            of(pair, answer)
        });
        [worst(cold), worst(warm)]
    }

    /// Mean iterations of the global and of the local searches.
    pub fn iterations(&self) -> [f64; 2] {
        let mut sums = [0; 2];
        for ([a, b], start) in self.placed().iter().zip(&self.starts) {
            let answers = [closest_points(a, b), refine_closest_points(a, b, start)];
            for (sum, answer) in sums.iter_mut().zip(answers) {
                *sum += answer.map_or(0, |answer| answer.iterations);
            }
        }
        sums.map(|sum| f64::from(sum) / self.pairs.len() as f64)
    }
}

fn named(name: &str) -> Kind<3> {
    let kind = SPATIAL_KINDS.iter().find(|kind| kind.name == name);
    *kind.expect("a kind of the table")
}

/// The closest points before B moved to where it is.
fn before(pair: &Pair<3>) -> ClosestPoints<3> {
    let step = Pose::from_quaternion(
        [1.0, 0.3 * MOVED, -0.4 * MOVED, 0.2 * MOVED],
        Vector3::new(-0.4, 0.7, 0.6) * (MOVED * pair.size()),
    );
    let mut b = pair.b.placed();
    b.pose.rotation = step.rotation * b.pose.rotation;
    b.pose.position += step.position;
    closest_points(&pair.a.placed(), &b).expect("an answer for every pair")
}
