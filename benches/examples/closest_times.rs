//! Times of closest points: one query of 256 different ones in turn, the median over many rounds, in ns.
//!
//! Each line holds pair, ns from nothing, ns from the answer of a moment ago, the largest residuals of both relative to the
//! size of the pair, and mean iterations of both.

use std::hint::black_box;
use std::time::Instant;

use signorini_benches::pairs::Queries;
use signorini_benches::print_calibration;
use signorini_geometry::{closest_points, refine_closest_points};

/// Rounds over all queries of a case; an odd number.
const ROUNDS: usize = 301;

fn main() {
    print_calibration();
    for queries in Queries::all() {
        let (placed, starts) = (queries.placed(), queries.starts());
        let cold = median(placed.len(), |k| {
            let [a, b] = &placed[k];
            black_box(&closest_points(black_box(a), black_box(b))).is_ok()
        });
        let warm = median(placed.len(), |k| {
            let [a, b] = &placed[k];
            black_box(&refine_closest_points(
                black_box(a),
                black_box(b),
                black_box(&starts[k]),
            ))
            .is_ok()
        });
        let ([rc, rw], [ic, iw]) = (queries.residuals(), queries.iterations());
        println!(
            "{} {cold:.1} {warm:.1} {rc:.1e} {rw:.1e} {ic:.1} {iw:.1}",
            queries.name
        );
    }
}

/// Median over the rounds of the mean time of a query, ns. Other work of the machine disturbs few of the short rounds.
fn median(count: usize, query: impl Fn(usize) -> bool) -> f64 {
    let round = |_| {
        let clock = Instant::now();
        let answered = (0..count).filter(|&k| query(k)).count();
        black_box(answered);
        clock.elapsed().as_secs_f64() * 1e9 / count as f64
    };
    let mut times: Vec<f64> = (0..ROUNDS).map(round).collect();
    times.sort_by(f64::total_cmp);
    times[ROUNDS / 2]
}
