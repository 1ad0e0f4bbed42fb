//! No n × n array: a heap of spheres of 20 000 unknowns is solved in less than a gibibyte.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use signorini_benches::families::Family;
use signorini_complementarity::{Lemke, LemkeSettings, PyramidForm, Solver, Start};

/// Bytes in use, and the most that ever were.
static NOW: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

struct Weighing;

fn add(bytes: usize) {
    let now = NOW.fetch_add(bytes, Ordering::Relaxed) + bytes;
    PEAK.fetch_max(now, Ordering::Relaxed);
}

#[expect(
    unsafe_code,
    reason = "an allocator is unsafe by its trait; this one adds up and passes on"
)]
// SAFETY: every call goes to the system's allocator with its arguments unchanged.
unsafe impl GlobalAlloc for Weighing {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(layout.size());
        // SAFETY: the caller's promise is handed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promise is handed on.
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Weighing = Weighing;

#[test]
fn a_heap_of_20_000_unknowns_fits_into_a_gibibyte() {
    let directions = 8;
    let family = Family::Spheres { directions };
    let step = family.problem(15_400, 1).friction.expect("has friction");
    let pyramid = step.pyramid(directions, PyramidForm::Mixed);
    assert!(pyramid.problem().len() >= 20_000);
    // What the problem itself and its making took does not count.
    PEAK.store(NOW.load(Ordering::Relaxed), Ordering::Relaxed);
    let mut lemke = Lemke::new(LemkeSettings {
        pivot_limit: 200_000,
        ..LemkeSettings::default()
    });
    let solution = lemke.solve(pyramid.problem(), Start::Cold);
    let peak = PEAK.load(Ordering::Relaxed);
    assert!(solution.status.is_solved(), "{}", solution.status);
    assert!(peak < 1 << 30, "{peak} bytes");
    // An n × n array of doubles alone would take 3.2 GB; a counter that does not count would find nothing.
    assert!(peak > 20_000 * 8, "{peak} bytes");
}
