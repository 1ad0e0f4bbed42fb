//! An observer that has asked to stop once: it is not asked again, and the step fails, whatever solvers make of it.
//!
//! Methods follow each other where one fails. One that was stopped must not look as if it had failed: the next would be asked in
//! its place, and might find another solution than the step has.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use signorini_complementarity::{Iterate, Observer};

/// Tells an observer of iterates until it asks to stop, and remembers that.
pub(crate) struct Latch<'a> {
    observer: &'a mut dyn Observer,
    is_stopped: bool,
}

impl<'a> Latch<'a> {
    pub(crate) fn new(observer: &'a mut dyn Observer) -> Self {
        Self {
            observer,
            is_stopped: false,
        }
    }

    /// Whether the observer asked to stop.
    pub(crate) fn is_stopped(&self) -> bool {
        self.is_stopped
    }
}

impl Observer for Latch<'_> {
    fn observe(&mut self, iterate: &Iterate<'_>) -> ControlFlow<()> {
        self.is_stopped = self.is_stopped || self.observer.observe(iterate).is_break();
        if self.is_stopped {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    fn stop_flag(&self) -> Option<&AtomicBool> {
        self.observer.stop_flag()
    }
}

/// Whether the flag of an observer is raised: asked where there is no iterate to tell it of.
pub(crate) fn is_raised(observer: &dyn Observer) -> bool {
    let flag = observer.stop_flag();
    flag.is_some_and(|flag| flag.load(Ordering::Relaxed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_asked_to_stop_is_not_asked_again() {
        let mut asked = 0;
        let mut once = |_: &Iterate<'_>| {
            asked += 1;
            if asked == 2 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        let mut latch = Latch::new(&mut once);
        let mut answers = (0..4).map(|k| latch.observe(&Iterate::new(k, 1.0)).is_break());
        assert_eq!(
            [(); 4].map(|()| answers.next()),
            [false, true, true, true].map(Some)
        );
        assert!(latch.is_stopped());
        assert_eq!(asked, 2);
    }
}
