//! Ctrl-C and termination: the solver at work is stopped, the run ends where its last whole step did, and nothing half-written
//! stays.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use signorini_complementarity::{Iterate, Observer};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Exit status after Ctrl-C, by custom.
pub(crate) const STATUS: u8 = 130;

/// Listens for Ctrl-C from now on; a second one ends the program at once. If the handler cannot be set, the first does.
pub(crate) fn listen() {
    let _ = ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            std::process::exit(STATUS.into());
        }
    });
}

/// Whether Ctrl-C was pressed.
pub(crate) fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// Stops a solver once Ctrl-C was pressed.
pub(crate) struct Interrupt;

impl Observer for Interrupt {
    fn observe(&mut self, _: &Iterate<'_>) -> ControlFlow<()> {
        if interrupted() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    fn stop_flag(&self) -> Option<&AtomicBool> {
        Some(&INTERRUPTED)
    }
}
