//! Lemke's method does not allocate as it pivots: a warm solve with a thousand pivots asks for as much memory, as often,
//! as one with a few.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use signorini_complementarity::{Lcp, Lemke, LemkeSettings, Solution, Solver, Start, collection};

thread_local! {
    /// Allocations of this thread; of no other, because the test harness has threads of its own.
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

#[expect(
    unsafe_code,
    reason = "an allocator is unsafe by its trait; this one counts and passes on"
)]
// SAFETY: every call goes to the system's allocator with its arguments unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.set(COUNT.get() + 1);
        // SAFETY: the caller's promise is handed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is handed on.
        unsafe { System.dealloc(place, layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        COUNT.set(COUNT.get() + 1);
        // SAFETY: the caller's promise is handed on.
        unsafe { System.realloc(place, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The second solve of a problem by one solver, and how often it allocates.
fn second_solve(lemke: &mut Lemke, lcp: &Lcp) -> (Solution, usize) {
    let first = lemke.solve(lcp, Start::Cold);
    let before = COUNT.get();
    let second = lemke.solve(lcp, Start::Cold);
    let allocations = COUNT.get() - before;
    assert!(second.status.is_solved(), "{}", second.status);
    assert_eq!(
        first, second,
        "the workspace of one solve must not change the next"
    );
    (second, allocations)
}

#[test]
fn pivots_do_not_allocate() {
    // A tableau that is recomputed is factorised, and that allocates; here it never is.
    let settings = LemkeSettings {
        refactor_interval: usize::MAX,
        ..LemkeSettings::default()
    };
    let mut lemke = Lemke::new(settings);
    let long = collection::murty_exponential(10).lcp;
    let mut q = vec![1.0; long.len()];
    q[0] = -1.0;
    let short =
        Lcp::new(long.m().clone(), q).expect("the same matrix with another right-hand side");

    let (many, often) = second_solve(&mut lemke, &long);
    let (few, once) = second_solve(&mut lemke, &short);
    assert!(
        many.stats.iterations > 20 * few.stats.iterations,
        "{:?} {:?}",
        many.stats,
        few.stats
    );
    assert_eq!(many.stats.factorizations, few.stats.factorizations);
    assert_eq!(
        often, once,
        "{} and {} pivots",
        many.stats.iterations, few.stats.iterations
    );
}

#[test]
fn the_counter_counts() {
    let before = COUNT.get();
    let text = vec![1.0; 64];
    assert_eq!(COUNT.get() - before, 1, "{text:?}");
}
