//! Newton's method on the smoothed law: many contacts change their faces in one step, and none of them at once.

use std::ops::ControlFlow;

use super::Run;
use crate::friction::FrictionLaw;
use crate::friction::blocks::{Scales, Smoothing};
use crate::{Iterate, Observer, Status};

/// How a law is approached.
#[derive(Clone, Copy, Debug)]
struct Course {
    /// Most steps.
    steps: usize,
    /// Sweeps before each step.
    sweeps: usize,
    /// The first width over the error of the law itself, and the largest later on.
    first: f64,
    most: f64,
    /// Factor of the width after a step of at least half of the length that does not take the error to [`WELL`] of it.
    slow: f64,
    /// Part of the derivative of the shift that a step sees.
    shift: f64,
    /// κ of the first step.
    stiffness: f64,
    /// A step is kept if the error after it is below this times the one before; else it is halved, down to `shortest`.
    slack: f64,
    shortest: f64,
    /// Below this width over the speed of the problem it is asked after every so many steps whether the faces are right.
    trial: f64,
    interval: usize,
}

/// The error falls in every step.
const CONVEX: Course = Course {
    steps: 40,
    sweeps: 0,
    first: 12.0,
    most: f64::INFINITY,
    slow: 0.5,
    shift: 0.0,
    stiffness: MOST,
    slack: 1.0,
    shortest: 0.01,
    trial: 1e-3,
    interval: 1,
};

/// The solutions for all widths lie on a curve that folds: no path leads down it, and the error has to rise at times.
const EXACT: Course = Course {
    steps: 200,
    sweeps: 10,
    first: 10.0,
    most: 10.0,
    slow: 0.7,
    shift: 0.85,
    stiffness: 1e4,
    slack: 10.0,
    shortest: 0.1,
    trial: 1e-2,
    interval: 4,
};

/// Largest κ; its factors after a full step and after a shortened one.
const MOST: f64 = 1e7;
const GROWTH: f64 = 2.0;
const FALL: f64 = 0.25;

/// Factor of the width after a full step that takes the error to `WELL` of it.
const NARROW: f64 = 0.1;
const WELL: f64 = 0.3;

/// Factor of the width after a step of at most `STUCK` of its length: the law has become too sharp too early.
const WIDE: f64 = 2.0;
const STUCK: f64 = 0.02;

/// Least fall of the error per unit of length, as a part of it.
const ARMIJO: f64 = 1e-4;

impl Run<'_> {
    /// Steps on narrower and narrower smoothed laws; the status if the solve is over.
    pub(super) fn smooth(
        &mut self,
        law: FrictionLaw,
        observer: &mut dyn Observer,
    ) -> Option<Status> {
        let course = match law {
            FrictionLaw::Coulomb => EXACT,
            FrictionLaw::Convex => CONVEX,
        };
        let speed = self.blocks.speed();
        self.blocks.clip();
        let mut smoothing = Smoothing {
            width: course.first * self.blocks.error(0.0),
            shift: course.shift,
            stiffness: course.stiffness,
        };
        for number in 0..course.steps.min(self.settings.smoothing_limit) {
            for _ in 0..course.sweeps {
                self.blocks.clip();
                self.blocks.sweep(1.0);
            }
            let before = self.blocks.error(smoothing.width);
            let iterate = Iterate::new(self.stats.iterations, before / speed);
            if observer.observe(&iterate) == ControlFlow::Break(()) {
                self.judge.look(&*self.blocks);
                return Some(Status::Stopped);
            }
            let (length, error) = self.smooth_step(smoothing, before, &course)?;
            if length >= 1.0 && error <= WELL * before {
                smoothing.width *= NARROW;
            } else if length >= 0.5 {
                smoothing.width *= course.slow;
            } else if length <= STUCK {
                smoothing.width *= WIDE;
            }
            smoothing.width = smoothing.width.min(course.most * error);
            let factor = if length >= 1.0 { GROWTH } else { FALL };
            if course.stiffness < MOST {
                smoothing.stiffness = (smoothing.stiffness * factor).clamp(1.0, MOST);
            }
            let narrow = smoothing.width < course.trial * speed;
            if narrow && number % course.interval == 0 && self.trial_aside() {
                return Some(Status::Solved);
            }
        }
        None
    }

    /// One step from the error `before`, shortened while that grows too much: its length and the error after it. `None`,
    /// and the state of before, if there is no such step.
    fn smooth_step(
        &mut self,
        smoothing: Smoothing,
        before: f64,
        course: &Course,
    ) -> Option<(f64, f64)> {
        self.stats.iterations += 1;
        self.stats.factorizations += 1;
        self.blocks.state_into(&mut self.before);
        let scales = Scales {
            stiffness: self.settings.stiffness_limit,
            smoothing: Some(smoothing),
        };
        if self.blocks.newton(scales).is_some() {
            self.blocks.state_into(&mut self.after);
            let mut length = 1.0;
            loop {
                let error = self.blocks.error(smoothing.width);
                // NaN fails the comparison as well.
                let good = error <= (course.slack - ARMIJO * length) * before;
                if good || (error.is_finite() && length <= course.shortest) {
                    return Some((length, error));
                }
                if length <= course.shortest {
                    break;
                }
                length *= 0.5;
                for (x, (a, b)) in self
                    .start
                    .iter_mut()
                    .zip(self.after.iter().zip(&self.before))
                {
                    *x = b + length * (a - b);
                }
                self.blocks.set_state(&self.start);
            }
        }
        self.blocks.set_state(&self.before);
        None
    }

    /// A trial from this point, which stays if the trial fails.
    pub(super) fn trial_aside(&mut self) -> bool {
        self.blocks.state_into(&mut self.start);
        self.blocks.clip();
        let sweep = self.blocks.sweep(1.0);
        if self.trial(sweep.change.sqrt()) {
            return true;
        }
        self.blocks.set_state(&self.start);
        false
    }
}
