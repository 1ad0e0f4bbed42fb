//! Lemke's method does not allocate as it pivots: a warm solve with a thousand pivots asks for as much memory, as often,
//! as one with a few. What a nonlinear solver asks a model for through `dyn Mcp` is answered without any allocation once
//! the pattern of the Jacobian is known. Nor do implicit contacts allocate once their buffers have grown, nor a broad phase
//! that has seen a motion once.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::{Cell, RefCell};

use signorini::dynamics::{PairDerivatives, PairPoint, PairRows, Pairs};
use signorini::geometry::{Cylinder, Ellipsoid};
use signorini::prelude::{Body, ConvexSet, HalfSpace, System as _, World};
use signorini_benches::{PublicMcp, Swarm};
use signorini_complementarity::{
    Assembler, Bounds, DomainError, Lcp, Lemke, LemkeSettings, Mcp, Path, PathSettings,
    SemismoothNewton, Solution, Solver, Start, collection,
};
use signorini_geometry::{BroadPhase, Proxy};

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

#[test]
fn a_broad_phase_that_has_its_size_does_not_allocate() {
    let start = Swarm::<3>::new(1000, 1.0, 1);
    let mut broad = BroadPhase::new();
    for (id, k) in (0..).zip(0..start.len()) {
        let proxy = Proxy::new(start.bounds(k));
        broad.insert(id, proxy).expect("a new ball");
    }
    let mut fly = || {
        let mut swarm = start.clone();
        let (before, mut pairs) = (COUNT.get(), 0);
        for _ in 0..100 {
            swarm.advance();
            for (id, k) in (0..).zip(0..swarm.len()) {
                broad.update(id, swarm.bounds(k), 0.0).expect("a ball");
            }
            pairs += broad.pairs().expect("few pairs").len();
        }
        (COUNT.get() - before, pairs)
    };
    let (first, pairs) = fly();
    assert!(first > 0);
    assert_eq!(fly(), (0, pairs));
}

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

/// A problem that counts what its evaluations allocate.
struct Watched<'a> {
    problem: &'a dyn Mcp,
    /// Allocations of the evaluations of F alone, and of each evaluation with the Jacobian.
    values: Cell<usize>,
    jacobians: RefCell<Vec<usize>>,
}

impl Mcp for Watched<'_> {
    fn len(&self) -> usize {
        self.problem.len()
    }

    fn bounds(&self) -> &Bounds {
        self.problem.bounds()
    }

    fn evaluate(
        &self,
        z: &[f64],
        f: &mut [f64],
        jacobian: Option<&mut Assembler>,
    ) -> Result<(), DomainError> {
        let wanted = jacobian.is_some();
        let before = COUNT.get();
        let answer = self.problem.evaluate(z, f, jacobian);
        let allocations = COUNT.get() - before;
        if wanted {
            self.jacobians.borrow_mut().push(allocations);
        } else {
            self.values.set(self.values.get() + allocations);
        }
        answer
    }

    fn is_affine(&self, row: usize) -> bool {
        self.problem.is_affine(row)
    }
}

fn evaluations_do_not_allocate(name: &str, mut solve: impl FnMut(&dyn Mcp, &[f64]) -> Solution) {
    let problem = PublicMcp::named(name).expect("a public problem");
    let watched = Watched {
        problem: &problem.model,
        values: Cell::new(0),
        jacobians: RefCell::default(),
    };
    let solution = solve(&watched, &problem.starts[0]);
    assert!(solution.status.is_solved(), "{name}: {}", solution.status);
    let jacobians = watched.jacobians.borrow();
    assert!(jacobians.len() > 2, "{name}: {jacobians:?}");
    assert_eq!(watched.values.get(), 0, "{name}: values");
    // The first one of an assembler records the pattern.
    let later: usize = jacobians.iter().skip(1).sum();
    assert_eq!(later, 0, "{name}: {jacobians:?}");
}

#[test]
fn callbacks_do_not_allocate_once_the_pattern_is_known() {
    for name in [
        "kojshin",
        "nash10",
        "watson4",
        "bertsekas_g4",
        "siouxfalls_4dest",
    ] {
        // One phase with one assembler: the first round of preprocessing has its own.
        let mut path = Path::new(PathSettings {
            preprocess: false,
            ..PathSettings::default()
        });
        evaluations_do_not_allocate(name, |problem, z| path.solve(problem, Start::Point(z)));
        let mut newton = SemismoothNewton::default();
        evaluations_do_not_allocate(name, |problem, z| newton.solve(problem, Start::Point(z)));
    }
}

/// Pairs, start, rows and derivatives of implicit contacts, once their buffers have grown.
#[test]
fn implicit_contacts_do_not_allocate() {
    let mut world = World::<3>::new();
    world
        .add(Body::fixed("ground", HalfSpace::up()))
        .expect("a ground");
    let shapes: [ConvexSet<3>; 2] = [
        Ellipsoid::new([0.3, 0.2, 0.25].into())
            .expect("semi-axes")
            .into(),
        Cylinder::new(0.2, 0.3).expect("lengths").into(),
    ];
    for (k, shape) in shapes.into_iter().enumerate() {
        let mut body = Body::solid(format!("body{k}"), shape, 1.0).expect("a solid");
        body.position = vec![0.7 * k as f64, 0.0, 0.4, 0.8, 0.6, 0.0, 0.0];
        world.add(body).expect("a body");
    }
    let state = world.initial_state();
    let implicit = world.implicit().expect("a world has them");
    let (mut pairs, mut z) = (Pairs::default(), vec![0.0; 16]);
    let (mut rows, mut derivatives) = (PairRows::default(), PairDerivatives::default());
    let mut once = || {
        implicit.pairs(&state.q, 0.5, &mut pairs).expect("no error");
        for pair in &pairs.layouts {
            let z = &mut z[..pair.nz];
            implicit.start(pair, &state.q, z).expect("no error");
            implicit.rows(pair, &state.q, z, &mut rows);
            let at = PairPoint {
                q: &state.q,
                z,
                p: &[0.0; 4],
                v: &state.v,
            };
            implicit.derivatives(pair, &at, &mut derivatives);
        }
        pairs.layouts.len()
    };
    assert_eq!(once(), 3);
    let before = COUNT.get();
    assert_eq!(once(), 3);
    assert_eq!(COUNT.get() - before, 0);
}

#[test]
fn the_counter_counts() {
    let before = COUNT.get();
    let text = vec![1.0; 64];
    assert_eq!(COUNT.get() - before, 1, "{text:?}");
}
