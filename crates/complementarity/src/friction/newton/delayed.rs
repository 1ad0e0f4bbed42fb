//! Cycles on the exact law with a shift that is partly delayed.
//!
//! ```math
//! \tilde u_N = u_N + (1 - \delta)\, \mu |u_T| + \delta\, h, \qquad h \leftarrow h + \beta\, (\mu |u_T| - h)
//! ```
//!
//! The solutions of the delayed law are those of the exact one where h = μ |u_T|. On heaps of thousands of contacts a
//! solution of the exact law is an unstable fixed point of sweeps: some dozens of contacts that slide oscillate, slowly and
//! ever more, and whatever makes small steps circles around it. The delay answers to the growth of the slip and damps them.

use std::ops::{ControlFlow, Range};

use super::Run;
use crate::{Iterate, Observer, Status};

/// Largest and smallest δ, and its factors where the delayed law was solved at once and where it was not.
const MOST: f64 = 0.05;
const LEAST: f64 = 1e-4;
const FALL: f64 = 0.8;
const GROWTH: f64 = 2.0;

/// β.
const RATE: f64 = 0.3;

/// Sweeps before each step: they let faces settle that a step has upset.
const SWEEPS: usize = 80;

/// The delayed law counts as solved where the merit is this part of what the delay hides, and h moves on anyway after so
/// many cycles; at once means within so many.
const SOLVED: f64 = 0.1;
const PATIENCE: usize = 4;
const QUICK: usize = 2;

/// Cycles from one trial to the next, and the part of the impulses below which both errors make one worth while earlier.
const TRIAL_CYCLES: usize = 4;
const SMALL: f64 = 1e-5;

impl Run<'_> {
    /// Cycles of sweeps and a careful step on the delayed law, from where the blocks are; the status if the solve is over.
    pub(super) fn delayed(
        &mut self,
        numbers: Range<usize>,
        observer: &mut dyn Observer,
    ) -> Option<Status> {
        self.blocks.delay(MOST);
        self.blocks.follow(1.0);
        let status = self.delayed_cycles(numbers, observer);
        self.blocks.delay(0.0);
        status
    }

    fn delayed_cycles(
        &mut self,
        numbers: Range<usize>,
        observer: &mut dyn Observer,
    ) -> Option<Status> {
        let (mut share, mut since, mut tried) = (MOST, 0, 0);
        for number in numbers {
            // 1. Sweeps, and both errors of where they end.
            for _ in 0..SWEEPS {
                self.blocks.sweep(self.settings.relaxation);
            }
            let sweep = self.blocks.sweep(1.0);
            let (merit, size) = (sweep.change.sqrt(), sweep.size.sqrt());
            if !merit.is_finite() {
                return Some(Status::Inaccurate);
            }
            let lag = self.blocks.lag();
            let iterate = Iterate::new(number + 1, merit.max(lag) / size);
            if observer.observe(&iterate) == ControlFlow::Break(()) {
                self.judge.look(&*self.blocks);
                return Some(Status::Stopped);
            }
            // 2. Perhaps the faces of the exact law are right by now.
            tried += 1;
            let small = merit.max(lag) <= SMALL * size;
            if tried >= TRIAL_CYCLES || (small && tried >= QUICK) {
                tried = 0;
                self.blocks.delay(0.0);
                let solved = self.trial_aside();
                if solved {
                    return Some(Status::Solved);
                }
                self.blocks.delay(share);
            }
            // 3. The delay follows where its law is solved, the faster the more readily that was.
            since += 1;
            let solved = merit <= SOLVED * lag;
            if solved || since >= PATIENCE {
                if !solved {
                    share *= GROWTH;
                } else if since <= QUICK {
                    share *= FALL;
                }
                share = share.clamp(LEAST, MOST);
                self.blocks.delay(share);
                self.blocks.follow(RATE);
                since = 0;
            }
            // 4. A step.
            self.step(merit.max(SOLVED * lag));
        }
        None
    }
}
