//! One update of the broad phase, all bodies told and the pairs listed: `broad/<case>/<n>`, n the number of bodies.
//!
//! `space`, `plane`: equal balls with four neighbours each; `mixed`: radii of ratio 1000; `heap`: all in one spot;
//! `build`: insertion of all, and the first list. Each ball moves by 3 % of its diameter per update.

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, criterion_group};
use signorini_benches::{Swarm, print_calibration};
use signorini_geometry::{BroadPhase, Proxy};

fn filled<const D: usize>(swarm: &Swarm<D>) -> BroadPhase<D> {
    let mut broad = BroadPhase::new();
    for k in 0..swarm.len() {
        broad
            .insert(number(k), Proxy::new(swarm.bounds(k)))
            .expect("a new ball");
    }
    broad
}

fn number(ball: usize) -> u32 {
    u32::try_from(ball).expect("u32 counts the balls")
}

fn updates<const D: usize>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    case: &str,
    mut swarm: Swarm<D>,
) {
    let n = swarm.len();
    let mut broad = filled(&swarm);
    let pairs = broad.pairs().expect("few pairs").len();
    println!("broad/{case}/{n}: {pairs} pairs at the start");
    group.bench_function(BenchmarkId::new(case, n), |bencher| {
        bencher.iter(|| {
            swarm.advance();
            for k in 0..n {
                broad
                    .update(number(k), swarm.bounds(k), 0.0)
                    .expect("a ball");
            }
            broad.pairs().expect("few pairs").len()
        });
    });
}

fn bench(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("broad");
    group.sample_size(20);
    for n in [1000, 10_000] {
        updates(&mut group, "space", Swarm::<3>::new(n, 1.0, 1));
    }
    updates(&mut group, "plane", Swarm::<2>::new(10_000, 1.0, 1));
    updates(&mut group, "mixed", Swarm::<3>::new(10_000, 1e3, 1));
    updates(&mut group, "heap", Swarm::<3>::heap(1000, 1));
    let swarm = Swarm::<3>::new(10_000, 1.0, 1);
    group.bench_function(BenchmarkId::new("build", swarm.len()), |bencher| {
        bencher.iter(|| filled(&swarm).pairs().expect("few pairs").len());
    });
    group.finish();
}

criterion_group!(benches, bench);

fn main() {
    print_calibration();
    benches();
    Criterion::default().configure_from_args().final_summary();
}
