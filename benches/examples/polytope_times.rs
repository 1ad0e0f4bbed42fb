//! Times of manifolds of two boxes: one query of 256 different ones in turn, the median over many rounds, in ns.
//!
//! Each line holds the case, ns of a manifold, and of parry's from nothing and from its last one on the same poses, and
//! mean numbers of contacts of both.

use std::hint::black_box;
use std::time::Instant;

use signorini_benches::parry::BoxManifold;
use signorini_benches::{BoxPairs, print_calibration};
use signorini_geometry::{Manifold, manifold};

/// Rounds over all queries of a case; an odd number.
const ROUNDS: usize = 301;

fn main() {
    print_calibration();
    for pairs in BoxPairs::all() {
        let placed = pairs.placed();
        let mut out = Manifold::new();
        let ours = median(placed.len(), |k| {
            let [a, b] = &placed[k];
            manifold(black_box(a), black_box(b), &mut out).expect("boxes have manifolds");
            out.points().len()
        });
        let mut theirs = BoxManifold::all(&pairs);
        let fresh = median(placed.len(), |k| {
            theirs[k].forget();
            black_box(&mut theirs[k]).contacts()
        });
        let warm = median(placed.len(), |k| black_box(&mut theirs[k]).contacts());
        println!(
            "{} {:.0} {:.0} {:.0} {:.2} {:.2}",
            pairs.name, ours.0, fresh.0, warm.0, ours.1, fresh.1
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
