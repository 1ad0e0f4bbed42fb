//! Two bodies at places where something is to be found out.

use nalgebra::SVector;
use signorini_geometry::{ClosestError, ConvexSet, Placed, Pose, closest_points};
use thiserror::Error;

use super::{Dimension, Kind, Recipe, recipe::Space};
use crate::families::Rng;

/// How the two are to each other. With s* the distance of the centres at which they touch on the line of the centres:
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Centres at 1.01 s* to 4 s*.
    Apart,
    /// A gap of 0, ±1e-12 or ±1e-9 of the bodies' size.
    Touching,
    /// Centres at 0.9 s* to s*.
    Shallow,
    /// Centres at 0.5 s* to 0.9 s*.
    Deep,
    /// Centres at 0.05 s* to 0.5 s*.
    Deeper,
}

impl Class {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Apart,
        Self::Touching,
        Self::Shallow,
        Self::Deep,
        Self::Deeper,
    ];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Apart => "apart",
            Self::Touching => "touching",
            Self::Shallow => "shallow",
            Self::Deep => "deep",
            Self::Deeper => "deeper",
        }
    }
}

/// A body of a pair.
#[derive(Clone, Debug)]
pub struct Member<const D: usize> {
    /// What it is, in numbers.
    pub recipe: Recipe<D>,
    /// What it is for the crate of geometry.
    pub set: ConvexSet<D>,
    /// Where it is.
    pub pose: Pose<D>,
}

impl<const D: usize> Member<D>
where
    Space: Dimension<D>,
{
    /// A body at a place.
    pub fn new(recipe: Recipe<D>, pose: Pose<D>) -> Self {
        let set = Space::build(&recipe);
        Self { recipe, set, pose }
    }
}

impl<const D: usize> Member<D> {
    /// The set at its place.
    pub fn placed(&self) -> Placed<'_, D> {
        Placed::new(&self.set, self.pose)
    }
}

/// Two bodies.
#[derive(Clone, Debug)]
pub struct Pair<const D: usize> {
    /// The first.
    pub a: Member<D>,
    /// The second.
    pub b: Member<D>,
}

/// A pair that could not be made, because the bodies were not brought to touch.
#[derive(Clone, Debug, Error)]
#[error("{source:?} for {pair:?}")]
pub struct MakeError<const D: usize> {
    /// Where it was asked last.
    pub pair: Box<Pair<D>>,
    /// What closest points said; `None` if the search for the touching distance did not end.
    pub source: Option<ClosestError>,
}

impl<const D: usize> Pair<D> {
    /// A length to which everything of the pair is relative: the reaches of both, m.
    pub fn size(&self) -> f64 {
        self.a.recipe.reach() + self.b.recipe.reach()
    }

    /// A and B exchanged.
    #[must_use]
    pub fn swapped(&self) -> Self {
        let (a, b) = (self.b.clone(), self.a.clone());
        Self { a, b }
    }

    /// Both moved by the same motion.
    #[must_use]
    pub fn moved(&self, motion: &Pose<D>) -> Self {
        let moved = |member: &Member<D>| Member {
            pose: motion.compose(&member.pose),
            ..member.clone()
        };
        let (a, b) = (moved(&self.a), moved(&self.b));
        Self { a, b }
    }
}

impl<const D: usize> Pair<D>
where
    Space: Dimension<D>,
{
    /// A pair of these kinds, the same for the same seed. Bodies measure from `size` down to a tenth of it, and their
    /// lengths are in ratios of up to `aspect`.
    ///
    /// # Errors
    /// [`MakeError`] if the search for the touching distance fails.
    ///
    /// # Examples
    /// ```
    /// use signorini_benches::pairs::{Class, Pair, SPATIAL_KINDS};
    /// use signorini_geometry::closest_points;
    /// let ball = SPATIAL_KINDS[1];
    /// let pair = Pair::random([ball, ball], Class::Shallow, 7, [1.0, 8.0])?;
    /// assert!(closest_points(&pair.a.placed(), &pair.b.placed()).unwrap().gap < 0.0);
    /// # Ok::<(), signorini_benches::pairs::MakeError<3>>(())
    /// ```
    pub fn random(
        kinds: [Kind<D>; 2],
        class: Class,
        seed: u64,
        [size, aspect]: [f64; 2],
    ) -> Result<Self, MakeError<D>> {
        let mut rng = Rng::new(seed);
        let [a, b] = kinds.map(|kind| {
            let own = size * 0.1_f64.powf(rng.unit());
            (kind.make)(&mut rng, own, aspect)
        });
        // No further from the world's origin than a few of its lengths: coordinates are rounded.
        let far = a.reach() + b.reach();
        let [a, b] = [a, b].map(|recipe| {
            let place = SVector::from_fn(|_, _| rng.between(-far, far));
            Member::new(recipe, Space::pose(&mut rng, place))
        });
        let mut pair = Self { a, b };
        let line = pair.line(&mut rng);
        let (touching, slope) = pair.touch(&line)?;
        let part = rng.unit();
        let between = |low: f64, high: f64| touching * (low + (high - low) * part);
        let offsets = [0.0, 1e-12, -1e-12, 1e-9, -1e-9];
        let distance = match class {
            Class::Apart => touching * 1.01 * (4.0_f64 / 1.01).powf(part),
            Class::Touching => touching + offsets[rng.size(0, 4)] * pair.size() / slope,
            Class::Shallow => between(0.9, 1.0),
            Class::Deep => between(0.5, 0.9),
            Class::Deeper => between(0.05, 0.5),
        };
        pair.put(&line, distance);
        Ok(pair)
    }

    /// Every length multiplied, from the world's origin.
    #[must_use]
    pub fn scaled(&self, factor: f64) -> Self {
        let scaled = |member: &Member<D>| {
            let Pose { rotation, position } = member.pose;
            let position = position * factor;
            Member::new(member.recipe.scaled(factor), Pose { rotation, position })
        };
        let (a, b) = (scaled(&self.a), scaled(&self.b));
        Self { a, b }
    }

    /// Direction from the centre of A to the centre of B: any, or the normal of a half-space.
    fn line(&self, rng: &mut Rng) -> SVector<f64, D> {
        let mut up = SVector::zeros();
        up[D - 1] = 1.0;
        if self.a.recipe == Recipe::HalfSpace {
            return self.a.pose.rotate(&up);
        }
        if self.b.recipe == Recipe::HalfSpace {
            return -self.b.pose.rotate(&up);
        }
        SVector::<f64, D>::from_fn(|_, _| rng.normal()).normalize()
    }

    /// Puts the centre of B at a distance from that of A. Beside a half-space, what is across the line stays.
    fn put(&mut self, line: &SVector<f64, D>, distance: f64) {
        let centre = |member: &Member<D>| member.pose.apply(&member.recipe.centre());
        let apart = centre(&self.b) - centre(&self.a);
        let plane = [&self.a, &self.b].map(|member| member.recipe == Recipe::HalfSpace);
        let across = if plane[0] || plane[1] {
            apart - line * line.dot(&apart)
        } else {
            SVector::zeros()
        };
        self.b.pose.position += across + line * distance - apart;
    }

    /// Brings the two to touch: the distance of the centres there, and the change of the gap with it.
    ///
    /// Newton's method from outside: the distance of convex bodies is a convex function of a translation, so it comes
    /// down to the root and does not overshoot.
    fn touch(&mut self, line: &SVector<f64, D>) -> Result<(f64, f64), MakeError<D>> {
        const STEPS: usize = 100;
        let size = self.size();
        let mut distance = 2.0 * size;
        for _ in 0..STEPS {
            self.put(line, distance);
            let closest = closest_points(&self.a.placed(), &self.b.placed());
            let closest = closest.map_err(|source| self.failure(Some(source)))?;
            let slope = closest.normal.dot(line);
            let step = closest.gap / slope;
            if !step.is_finite() || slope <= 0.0 {
                break;
            }
            if closest.gap <= 4.0 * f64::EPSILON * size {
                return Ok((distance, slope));
            }
            distance -= step;
        }
        Err(self.failure(None))
    }

    fn failure(&self, source: Option<ClosestError>) -> MakeError<D> {
        let pair = Box::new(self.clone());
        MakeError { pair, source }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pairs::{PLANAR_KINDS, SPATIAL_KINDS};

    fn check<const D: usize>(kinds: &[Kind<D>])
    where
        Space: Dimension<D>,
    {
        let half_space = &kinds[0];
        for a in kinds {
            for b in kinds {
                if a.name == half_space.name && b.name == half_space.name {
                    continue;
                }
                for class in Class::ALL {
                    let pair = Pair::random([*a, *b], class, 11, [3.0, 8.0]).unwrap();
                    let again = Pair::random([*a, *b], class, 11, [3.0, 8.0]).unwrap();
                    assert_eq!(format!("{pair:?}"), format!("{again:?}"));
                    let closest = closest_points(&pair.a.placed(), &pair.b.placed()).unwrap();
                    let gap = closest.gap / pair.size();
                    let right = match class {
                        Class::Apart => gap > 0.0,
                        Class::Touching => gap.abs() < 1.1e-9,
                        _ => gap <= 0.0,
                    };
                    assert!(right, "{} {} {class:?}: {gap:e}", a.name, b.name);
                }
            }
        }
    }

    #[test]
    fn classes_are_what_they_say() {
        check(PLANAR_KINDS);
        check(SPATIAL_KINDS);
    }
}
