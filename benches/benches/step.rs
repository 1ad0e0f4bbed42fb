//! One step of a scheme: `step/<case>/<n>`, n the number of unknowns of its largest LCP.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group};
use signorini::prelude::*;
use signorini::steppers::Evaluation;
use signorini_benches::print_calibration;

/// The four balls of ST2000, and the state before the step in which all of them collide.
fn collision() -> (World<3>, State, f64) {
    let mut settings = WorldSettings::<3>::default();
    settings.gravity[2] = -9.82;
    settings.material.friction = 0.4;
    let mut world = World::with_settings(settings).expect("valid settings");
    world
        .add(Body::fixed("table", HalfSpace::up()))
        .expect("a table");
    let centres = [
        [0.0, 0.0, 1.0],
        [1.0, 0.0, 0.1],
        [1.200_01, 0.0, 0.1],
        [1.400_02, 0.0, 0.1],
    ];
    for (k, centre) in centres.iter().enumerate() {
        let ball = Ball::new(0.1).expect("a radius");
        let mut body = Body::solid(format!("ball{k}"), ball, 1.0).expect("a ball");
        body.position[..3].copy_from_slice(centre);
        if k == 0 {
            body.velocity[..3].copy_from_slice(&[1.5, 0.1, 0.0]);
        }
        world.add(body).expect("a ball");
    }
    let (h, mut state) = (0.02, world.initial_state());
    let mut before = state.clone();
    // The collision step is the one with the largest LCP.
    let mut largest = 0;
    let mut stepper = StewartTrinkle::default();
    for _ in 0..50 {
        let here = state.clone();
        let report = stepper
            .step(&world, &mut state, h, &mut ())
            .expect("the table's run");
        if report.lcp_size > largest {
            (largest, before) = (report.lcp_size, here);
        }
    }
    (world, before, h)
}

/// A row of n touching balls at rest on a table: n contacts with it, n − 1 between them.
fn row(n: usize) -> (World<3>, State, f64) {
    let mut world = World::<3>::new();
    world
        .add(Body::fixed("table", HalfSpace::up()))
        .expect("a table");
    for k in 0..n {
        let ball = Ball::new(0.1).expect("a radius");
        let mut body = Body::solid(format!("ball{k}"), ball, 1.0).expect("a ball");
        body.position[..3].copy_from_slice(&[0.2 * k as f64, 0.0, 0.1]);
        world.add(body).expect("a ball");
    }
    let (h, mut state) = (0.005, world.initial_state());
    // The second step knows its active set from the first.
    StewartTrinkle::default()
        .step(&world, &mut state, h, &mut ())
        .expect("balls at rest");
    (world, state, h)
}

fn bench(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("step");
    let cases = [
        ("four_balls", collision()),
        ("row", row(4)),
        ("row", row(16)),
    ];
    for (case, (world, state, h)) in &cases {
        for evaluation in [Evaluation::Predicted, Evaluation::FixedPoint] {
            let settings = StewartTrinkleSettings {
                evaluation,
                ..Default::default()
            };
            let mut stepper = StewartTrinkle::new(settings);
            let report = stepper
                .step(world, &mut state.clone(), *h, &mut ())
                .expect("it steps");
            let name = match evaluation {
                Evaluation::FixedPoint => format!("{case}_fixed_point"),
                _ => (*case).to_owned(),
            };
            println!(
                "step/{name}/{}: {} rounds, {} passes, {} pivots",
                report.lcp_size, report.rounds, report.passes, report.pivots
            );
            group.bench_function(BenchmarkId::new(&name, report.lcp_size), |bencher| {
                bencher.iter(|| stepper.step(world, &mut black_box(state.clone()), *h, &mut ()));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, bench);

fn main() {
    print_calibration();
    benches();
    Criterion::default().configure_from_args().final_summary();
}
