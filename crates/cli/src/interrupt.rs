//! Ctrl-C and termination: the run ends after the step at hand, and nothing half-written stays.

use std::sync::atomic::{AtomicBool, Ordering};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Listens for Ctrl-C from now on. A second one is the system's: if the handler cannot be set, so is the first.
pub(crate) fn listen() {
    let _ = ctrlc::set_handler(|| INTERRUPTED.store(true, Ordering::Relaxed));
}

/// Whether Ctrl-C was pressed.
pub(crate) fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}
