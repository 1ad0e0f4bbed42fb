//! Times of manifolds of two boxes: one query of 256 different ones in turn, the median over many rounds, in ns.
//!
//! Each line holds the case; ns of all contacts, of those within the margin from nothing, and of those with the memory of the
//! query before while a box moves to and fro by 1e-5 m and rad; ns of parry's manifold within the margin from nothing and from its
//! last one on the same poses; and mean numbers of contacts within the margin of both.

use std::hint::black_box;
use std::time::Instant;

use signorini_benches::parry::{BoxManifold, MARGIN};
use signorini_benches::{BoxPairs, print_calibration};
use signorini_geometry::{Manifold, ManifoldMemory, manifold, manifold_within};

/// Rounds over all queries of a case; an odd number.
const ROUNDS: usize = 301;

fn main() {
    print_calibration();
    for pairs in BoxPairs::all() {
        let (placed, moved) = (pairs.placed(), pairs.moved());
        let mut out = Manifold::new();
        let all = median(placed.len(), |k| {
            let [a, b] = &placed[k];
            manifold(black_box(a), black_box(b), &mut out).expect("boxes have manifolds");
            out.points().len()
        });
        let cold = median(placed.len(), |k| {
            let [a, b] = &placed[k];
            manifold_within(black_box(a), black_box(b), MARGIN, None, &mut out)
                .expect("boxes have manifolds");
            out.points().len()
        });
        let mut memories = vec![ManifoldMemory::default(); placed.len()];
        let mut queries = 0;
        let warm = median(placed.len(), |k| {
            let now = queries / placed.len() % 2 == 0;
            queries += 1;
            let [a, b] = if now { &placed[k] } else { &moved[k] };
            let memory = Some(&mut memories[k]);
            manifold_within(black_box(a), black_box(b), MARGIN, memory, &mut out)
                .expect("boxes have manifolds");
            out.points().len()
        });
        let mut theirs = BoxManifold::all(&pairs);
        let fresh = median(placed.len(), |k| {
            theirs[k].forget();
            black_box(&mut theirs[k]).contacts()
        });
        let theirs_warm = median(placed.len(), |k| black_box(&mut theirs[k]).contacts());
        println!(
            "{} {:.0} {:.0} {:.0} {:.0} {:.0} {:.2} {:.2}",
            pairs.name, all.0, cold.0, warm.0, fresh.0, theirs_warm.0, cold.1, fresh.1
        );
    }
}

/// Median over the rounds of the mean time of a query, ns, and the mean of what they count. Other work of the machine
/// disturbs few of the short rounds.
fn median(count: usize, mut query: impl FnMut(usize) -> usize) -> (f64, f64) {
    let mut found = 0;
    let round = |_| {
        let clock = Instant::now();
        found = (0..count).map(&mut query).sum();
        black_box(found);
        clock.elapsed().as_secs_f64() * 1e9 / count as f64
    };
    let mut times: Vec<f64> = (0..ROUNDS).map(round).collect();
    times.sort_by(f64::total_cmp);
    (times[ROUNDS / 2], found as f64 / count as f64)
}
