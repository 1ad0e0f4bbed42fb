//! Closest points of two bodies: `closest/<pair>/cold` from nothing, `closest/<pair>/warm` from the answer of a moment
//! ago. 256 different pairs in turn, apart, touching and in shallow overlap.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group};
use signorini_benches::pairs::Queries;
use signorini_benches::print_calibration;
use signorini_geometry::{closest_points, refine_closest_points};

/// Largest residual relative to the size of the pair.
const TOLERANCE: f64 = 1e-12;

fn closest(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("closest");
    for queries in Queries::all() {
        let name = queries.name;
        let ([cold, warm], iterations) = (queries.residuals(), queries.iterations());
        println!("closest/{name}: residuals {cold:.1e} {warm:.1e}, iterations {iterations:.1?}");
        // A time of a wrong answer is worth nothing.
        assert!(cold <= TOLERANCE && warm <= TOLERANCE, "{name}");
        let (placed, starts) = (queries.placed(), queries.starts());
        let mut next = (0..placed.len()).cycle();
        group.bench_function(BenchmarkId::new(name, "cold"), |bencher| {
            bencher.iter(|| {
                let [a, b] = &placed[next.next().expect("a cycle")];
                black_box(&closest_points(black_box(a), black_box(b)));
            });
        });
        group.bench_function(BenchmarkId::new(name, "warm"), |bencher| {
            bencher.iter(|| {
                let k = next.next().expect("a cycle");
                let [a, b] = &placed[k];
                black_box(&refine_closest_points(
                    black_box(a),
                    black_box(b),
                    black_box(&starts[k]),
                ));
            });
        });
    }
    group.finish();
}

criterion_group!(benches, closest);

fn main() {
    print_calibration();
    benches();
    Criterion::default().configure_from_args().final_summary();
}
