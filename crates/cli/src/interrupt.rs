//! Ctrl-C and termination: the run ends after the step at hand, and nothing half-written stays.

use std::sync::atomic::{AtomicBool, Ordering};

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
