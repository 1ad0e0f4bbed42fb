//! One step of the geometrically implicit scheme at h = 0.01 s: `implicit/<case>/<n>`, n the number of unknowns.
//!
//! The four cases of `implicit_times`, each in the step after half of its run there; its residual is checked outside of the
//! timed part, and printed.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group};
use signorini::prelude::*;
use signorini::steppers::Formulation;
use signorini_benches::print_calibration;

#[path = "../examples/implicit_cases/mod.rs"]
mod implicit_cases;

/// Step, s.
const H: f64 = 0.01;

fn bench_case(
    criterion: &mut Criterion,
    case: &str,
    system: &dyn System,
    start: &State,
    steps: u32,
) {
    let mut group = criterion.benchmark_group("implicit");
    for formulation in [Formulation::Full, Formulation::Condensed] {
        let mut stepper = GeometricallyImplicit::new(GeometricallyImplicitSettings {
            formulation,
            ..Default::default()
        });
        let mut state = start.clone();
        for _ in 0..steps {
            stepper
                .step(system, &mut state, H, &mut ())
                .expect("it steps");
        }
        let report = stepper
            .step(system, &mut state.clone(), H, &mut ())
            .expect("it steps");
        assert!(report.residual <= 1e-10, "the step is solved");
        let name = format!("{case}-{formulation:?}").to_lowercase();
        println!(
            "implicit/{name}/{}: {} iterations, residual {:.1e}",
            report.lcp_size, report.pivots, report.residual
        );
        group.bench_function(BenchmarkId::new(&name, report.lcp_size), |bencher| {
            bencher.iter(|| stepper.step(system, &mut black_box(state.clone()), H, &mut ()));
        });
    }
    group.finish();
}

fn bench(criterion: &mut Criterion) {
    let disc = implicit_cases::disc().expect("a disc");
    bench_case(criterion, "disc", &disc, &disc.initial_state(), 50);
    for (case, world, steps) in [
        ("two-spheres", implicit_cases::two_spheres(), 100),
        ("ellipsoids", implicit_cases::ellipsoids(), 40),
        ("pile", implicit_cases::pile(100), 15),
    ] {
        let world = world.expect("valid data");
        bench_case(criterion, case, &world, &world.initial_state(), steps);
    }
}

criterion_group!(benches, bench);

fn main() {
    print_calibration();
    benches();
    Criterion::default().configure_from_args().final_summary();
}
