//! Manifolds of two boxes: `polytopes/<case>/all` contacts, those within the margin `cold` and `warm`, and parry's beside them on
//! the same poses. 256 different pairs in turn.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group};
use signorini_benches::parry::{BoxManifold, MARGIN};
use signorini_benches::{BoxPairs, print_calibration};
use signorini_geometry::{Manifold, ManifoldMemory, manifold, manifold_within};

fn polytopes(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("polytopes");
    for pairs in BoxPairs::all() {
        let (placed, moved) = (pairs.placed(), pairs.moved());
        let mut out = Manifold::new();
        let mut next = (0..placed.len()).cycle();
        group.bench_function(BenchmarkId::new(pairs.name, "all"), |bencher| {
            bencher.iter(|| {
                let [a, b] = &placed[next.next().expect("a cycle")];
                black_box(manifold(black_box(a), black_box(b), &mut out)).expect("boxes meet");
            });
        });
        group.bench_function(BenchmarkId::new(pairs.name, "cold"), |bencher| {
            bencher.iter(|| {
                let [a, b] = &placed[next.next().expect("a cycle")];
                manifold_within(black_box(a), black_box(b), MARGIN, None, &mut out)
                    .expect("boxes meet");
                black_box(out.points().len())
            });
        });
        let mut memories = vec![ManifoldMemory::default(); placed.len()];
        let mut queries = 0;
        group.bench_function(BenchmarkId::new(pairs.name, "warm"), |bencher| {
            bencher.iter(|| {
                let k = queries % placed.len();
                let now = queries / placed.len() % 2 == 0;
                queries += 1;
                let [a, b] = if now { &placed[k] } else { &moved[k] };
                let memory = Some(&mut memories[k]);
                manifold_within(black_box(a), black_box(b), MARGIN, memory, &mut out)
                    .expect("boxes meet");
                black_box(out.points().len())
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
