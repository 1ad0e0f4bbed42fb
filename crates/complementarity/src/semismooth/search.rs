//! The projected search along a direction.

use std::collections::VecDeque;

use super::point::{Point, Scaling};
use super::{Attempt, SemismoothSettings};
use crate::{Assembler, Bounds, Mcp, Stats, Status};

/// Most lengths that are tried along one direction, whatever the settings.
const TRIALS: usize = 200;

/// A step as the observer is told of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) length: f64,
    pub(super) codes: [char; 2],
    pub(super) proximal: f64,
    /// A whole Newton step that moved no entry by more than a small part of it.
    pub(super) is_short: bool,
}

impl Step {
    /// No step yet.
    pub(super) const START: Self = Self {
        length: 0.0,
        codes: [' ', 'I'],
        proximal: 0.0,
        is_short: false,
    };
}

/// What a search reads and counts.
pub(super) struct Search<'s> {
    pub(super) problem: &'s dyn Mcp,
    pub(super) settings: &'s SemismoothSettings,
    pub(super) scaling: &'s Scaling,
    pub(super) jacobian: &'s mut Assembler,
    pub(super) stats: &'s mut Stats,
}

/// The point that is tried, the direction towards it, and the values of Θ it is compared with.
#[derive(Clone, Debug, Default)]
pub(super) struct Trial {
    point: Point,
    /// d and ∇Θ.
    pub(super) direction: Vec<f64>,
    pub(super) gradient: Vec<f64>,
    slope: f64,
    recent: VecDeque<f64>,
    /// Row where F was not defined at the shortest step of the last search, if that is why it failed.
    undefined: Option<usize>,
}

impl Trial {
    pub(super) fn clear(&mut self) {
        self.recent.clear();
        self.undefined = None;
    }

    /// Remembers Θ of the point at hand.
    pub(super) fn begin(&mut self, here: &Point, settings: &SemismoothSettings) {
        self.recent.push_back(here.merit);
        while self.recent.len() > settings.memory.max(1) {
            self.recent.pop_front();
        }
    }

    /// Whether Θ falls along the direction.
    pub(super) fn descends(&mut self) -> bool {
        let pairs = self.direction.iter().zip(&self.gradient);
        self.slope = pairs.map(|(d, g)| d * g).sum();
        self.slope < 0.0 && self.slope.is_finite()
    }

    /// The length of the first step that is short enough, at whose end F and J then stand; `None` if there is none.
    pub(super) fn search(
        &mut self,
        search: &mut Search<'_>,
        here: &Point,
        attempt: Attempt,
    ) -> Option<f64> {
        let (settings, bounds) = (search.settings, search.problem.bounds());
        let reference = self.recent.iter().fold(0.0_f64, |m, x| m.max(*x));
        let mut length = 1.0;
        for _ in 0..TRIALS {
            if length < settings.shortest_step {
                break;
            }
            let moved = self.place(bounds, here, length);
            if moved == 0.0 {
                return None;
            }
            search.stats.evaluations += 1;
            let evaluated = self.point.evaluate(search.problem, None);
            self.undefined = evaluated.err().map(|error| error.row);
            if self.undefined.is_none() {
                self.point
                    .measure(bounds, search.scaling, settings.function);
                let promise = match attempt {
                    // Along the gradient the projected step itself promises; other steps may turn on a bound.
                    Attempt::Gradient => moved,
                    _ => length * self.slope,
                };
                let enough = reference + settings.sufficient_decrease * promise;
                if promise < 0.0 && self.point.merit <= enough {
                    search.stats.jacobians += 1;
                    let evaluated = self.point.evaluate(search.problem, Some(search.jacobian));
                    self.undefined = evaluated.err().map(|error| error.row);
                    if self.undefined.is_none() {
                        return Some(length);
                    }
                }
            }
            length *= settings.backtracking;
        }
        None
    }

    /// z ← π(here + length · direction). ∇Θ · (z − here), which is 0 if nothing moved.
    pub(super) fn place(&mut self, bounds: &Bounds, here: &Point, length: f64) -> f64 {
        let (mut slope, mut moved) = (0.0, false);
        self.point.z.clear();
        for (i, (&z, d)) in here.z.iter().zip(&self.direction).enumerate() {
            let new = bounds.project(i, z + length * d);
            moved |= new - z != 0.0;
            slope += self.gradient[i] * (new - z);
            self.point.z.push(new);
        }
        match (moved, slope == 0.0) {
            (false, _) => 0.0,
            // Rounding or a tie: nothing is promised, but the point is another one.
            (true, true) => f64::MIN_POSITIVE,
            (true, false) => slope,
        }
    }

    /// The point that is tried.
    pub(super) fn z(&self) -> &[f64] {
        &self.point.z
    }

    /// Makes the point that was accepted the one at hand.
    pub(super) fn swap(&mut self, here: &mut Point) {
        std::mem::swap(&mut self.point, here);
    }

    /// Why no direction led on.
    pub(super) fn failure(&self) -> Status {
        match self.undefined {
            Some(row) => Status::Domain { row },
            None => Status::NoProgress,
        }
    }
}
