//! Manifolds of two boxes: `polytopes/<case>/cold`, and parry's beside it on the same poses. 256 different pairs in turn.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group};
use signorini_benches::parry::BoxManifold;
use signorini_benches::{BoxPairs, print_calibration};
use signorini_geometry::{Manifold, manifold};

fn polytopes(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("polytopes");
    for pairs in BoxPairs::all() {
        let placed = pairs.placed();
        let mut out = Manifold::new();
        let mut next = (0..placed.len()).cycle();
        group.bench_function(BenchmarkId::new(pairs.name, "cold"), |bencher| {
            bencher.iter(|| {
                let [a, b] = &placed[next.next().expect("a cycle")];
                black_box(manifold(black_box(a), black_box(b), &mut out)).expect("boxes meet");
            });
        });
        let mut theirs = BoxManifold::all(&pairs);
        group.bench_function(BenchmarkId::new(pairs.name, "parry-fresh"), |bencher| {
            bencher.iter(|| {
                let k = next.next().expect("a cycle");
                theirs[k].forget();
                black_box(black_box(&mut theirs[k]).contacts())
            });
        });
        group.bench_function(BenchmarkId::new(pairs.name, "parry-warm"), |bencher| {
            bencher.iter(|| {
                let k = next.next().expect("a cycle");
                black_box(black_box(&mut theirs[k]).contacts())
            });
        });
    }
    group.finish();
}

criterion_group!(benches, polytopes);

fn main() {
    print_calibration();
    benches();
    Criterion::default().configure_from_args().final_summary();
}
