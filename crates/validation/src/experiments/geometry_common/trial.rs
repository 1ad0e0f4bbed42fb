//! One random pair, asked in every way that must not matter.

use nalgebra::SVector;
use signorini_benches::families::Rng;
use signorini_benches::pairs::{
    Class, Dimension, Kind, Pair, Space, best_separation, closed_gap, judge, worst,
};
use signorini_geometry::{ClosestPoints, Pose, Uniqueness, closest_points};

/// Local searches for a better direction.
const STARTS: usize = 64;

/// Of the lengths of a scaled pair; not a power of two, so that every digit changes.
const FACTOR: f64 = 3.7;

/// A pair to be tried.
#[derive(Debug, Clone, Copy)]
pub(in crate::experiments) struct Trial<const D: usize> {
    pub(in crate::experiments) kinds: [Kind<D>; 2],
    pub(in crate::experiments) class: Class,
    pub(in crate::experiments) seed: u64,
    /// Largest ratio of the lengths of a body.
    pub(in crate::experiments) aspect: f64,
}

/// What came of it; all faults are relative to the size of the pair.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::experiments) enum Outcome {
    /// There was no answer, and what was said instead.
    NoAnswer(String),
    Answer(Answer),
}

/// Faults of an answer.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::experiments) struct Answer {
    /// Of the conditions for closest points.
    pub(in crate::experiments) residual: f64,
    /// Of the gap against the separation along the normal.
    pub(in crate::experiments) certificate: f64,
    /// Against the gap in closed form, where there is one.
    pub(in crate::experiments) closed: Option<f64>,
    /// Of the gap after exchange, rigid motion and scaling; infinite if one of them had no answer.
    pub(in crate::experiments) gaps: [f64; 3],
    /// Of the points and, times the size, of the normal, where both answers call them unique.
    pub(in crate::experiments) points: [Option<f64>; 3],
    /// How much more another direction separates; only looked for in contact and overlap.
    pub(in crate::experiments) better: f64,
    pub(in crate::experiments) unique: bool,
    pub(in crate::experiments) iterations: u32,
}

impl<const D: usize> Trial<D>
where
    Space: Dimension<D>,
{
    /// Size of the larger body, from 1e-6 m to 1e4 m on a scale of ratios.
    fn size(&self) -> f64 {
        10f64.powf(10.0 * Rng::new(!self.seed).unit() - 6.0)
    }

    /// The pair itself.
    pub(in crate::experiments) fn pair(&self) -> Result<Pair<D>, String> {
        let lengths = [self.size(), self.aspect];
        let pair = Pair::random(self.kinds, self.class, self.seed, lengths);
        pair.map_err(|error| format!("not brought to touch: {error}"))
    }

    /// Asks, judges, and asks again in other words.
    pub(in crate::experiments) fn run(&self) -> Outcome {
        let pair = match self.pair() {
            Ok(pair) => pair,
            Err(text) => return Outcome::NoAnswer(text),
        };
        let answer = match ask(&pair) {
            Ok(answer) => answer,
            Err(text) => return Outcome::NoAnswer(text),
        };
        let size = pair.size();
        let judgement = judge(&pair, &answer);
        let mut rng = Rng::new(self.seed ^ 0x0DDB_1A5E);
        let again =
            [exchange(&pair), motion(&pair, &mut rng), scaling(&pair)].map(|again| match again {
                Ok(again) => compare(&answer, &again, size),
                Err(_) => (f64::INFINITY, None),
            });
        let closed = closed_gap(&pair).map(|gap| worst([(gap - answer.gap).abs() / size]));
        let better = match self.class {
            Class::Apart => 0.0,
            _ => (best_separation(&pair, STARTS, self.seed) - answer.gap) / size,
        };
        Outcome::Answer(Answer {
            residual: judgement.residual,
            certificate: judgement.certificate,
            closed,
            gaps: again.map(|(gap, _)| gap),
            points: again.map(|(_, points)| points),
            better,
            unique: answer.uniqueness == Uniqueness::Unique,
            iterations: answer.iterations,
        })
    }
}

fn ask<const D: usize>(pair: &Pair<D>) -> Result<ClosestPoints<D>, String> {
    closest_points(&pair.a.placed(), &pair.b.placed()).map_err(|error| error.to_string())
}

fn exchange<const D: usize>(pair: &Pair<D>) -> Result<ClosestPoints<D>, String> {
    let again = ask(&pair.swapped())?;
    Ok(ClosestPoints {
        a: again.b,
        b: again.a,
        normal: -again.normal,
        ..again
    })
}

fn motion<const D: usize>(pair: &Pair<D>, rng: &mut Rng) -> Result<ClosestPoints<D>, String>
where
    Space: Dimension<D>,
{
    let far = pair.size();
    let shift = SVector::from_fn(|_, _| far * (2.0 * rng.unit() - 1.0));
    let motion = Space::pose(rng, shift);
    let again = ask(&pair.moved(&motion))?;
    Ok(back(again, &motion, 1.0))
}

fn scaling<const D: usize>(pair: &Pair<D>) -> Result<ClosestPoints<D>, String>
where
    Space: Dimension<D>,
{
    let again = ask(&pair.scaled(FACTOR))?;
    Ok(back(again, &Pose::identity(), FACTOR))
}

fn back<const D: usize>(
    again: ClosestPoints<D>,
    motion: &Pose<D>,
    factor: f64,
) -> ClosestPoints<D> {
    ClosestPoints {
        a: motion.inverse_apply(&again.a) / factor,
        b: motion.inverse_apply(&again.b) / factor,
        normal: motion.inverse_rotate(&again.normal),
        gap: again.gap / factor,
        ..again
    }
}

/// Difference of the gaps, and of points and normal if both are unique.
fn compare<const D: usize>(
    one: &ClosestPoints<D>,
    two: &ClosestPoints<D>,
    size: f64,
) -> (f64, Option<f64>) {
    let gap = worst([(one.gap - two.gap).abs() / size]);
    let unique = [one, two].map(|answer| answer.uniqueness == Uniqueness::Unique);
    let points = (unique == [true; 2]).then(|| {
        worst([
            (one.a - two.a).norm() / size,
            (one.b - two.b).norm() / size,
            (one.normal - two.normal).norm(),
        ])
    });
    (gap, points)
}
