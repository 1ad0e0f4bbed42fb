//! One step of piles and machines under the scheme of Hart and Anitescu: `piles/<case>/<n>`, n the number of unknowns.
//!
//! The cases of `pile_times`, each in the step after some steps of its run; the residual is checked outside of the timed part, and
//! printed.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group};
use signorini::prelude::*;
use signorini::steppers::ActiveSet;
use signorini_benches::{brazil_nut, print_calibration};

#[path = "../examples/pile_cases/mod.rs"]
mod pile_cases;

fn bench_case<const D: usize>(
    criterion: &mut Criterion,
    case: &str,
    world: &World<D>,
    (form, active): (ContactForm, ActiveSet),
    (h, steps): (f64, u32),
) where
    World<D>: System,
{
    let mut stepper = HartAnitescu::new(HartAnitescuSettings {
        form,
        active,
        ..HartAnitescuSettings::default()
    });
    let mut state = world.initial_state();
    for _ in 0..steps {
        stepper
            .step(world, &mut state, h, &mut ())
            .expect("it steps");
    }
    let report = stepper
        .step(world, &mut state.clone(), h, &mut ())
        .expect("it steps");
    assert!(report.residual <= 1e-9, "the step is solved");
    println!(
        "piles/{case}/{}: {} iterations, residual {:.1e}",
        report.lcp_size, report.pivots, report.residual
    );
    let mut group = criterion.benchmark_group("piles");
    group.bench_function(BenchmarkId::new(case, report.lcp_size), |bencher| {
        bencher.iter(|| stepper.step(world, &mut black_box(state.clone()), h, &mut ()));
    });
    group.finish();
}

fn bench(criterion: &mut Criterion) {
    let pile = |rows, coefficients, half| {
        pile_cases::pyramid(rows, coefficients, half).expect("valid data")
    };
    let lcp = |active| (ContactForm::Pyramid, active);
    bench_case(
        criterion,
        "discs21",
        &pile(6, [0.2, 0.0], 75.0),
        lcp(ActiveSet::Within(0.3)),
        (0.05, 60),
    );
    bench_case(
        criterion,
        "discs66",
        &pile(11, [0.15, 0.4], 65.0),
        lcp(ActiveSet::Speed(1.0)),
        (0.05, 60),
    );
    let relaxed = (ContactForm::Relaxed, ActiveSet::Safe(1.0));
    let nut = brazil_nut::world(&brazil_nut::radii(1)).expect("valid data");
    bench_case(criterion, "nut", &nut, relaxed, (0.1, 40));
    let chain = pile_cases::chain(100).expect("valid data");
    bench_case(
        criterion,
        "chain",
        &chain,
        lcp(ActiveSet::Automatic),
        (0.01, 20),
    );
    let stack = pile_cases::stack().expect("valid data");
    bench_case(
        criterion,
        "stack",
        &stack,
        lcp(ActiveSet::Automatic),
        (0.01, 10),
    );
    let piles = pile_cases::many_piles().expect("valid data");
    bench_case(
        criterion,
        "piles",
        &piles,
        lcp(ActiveSet::Automatic),
        (0.05, 40),
    );
    let stacks = pile_cases::many_stacks().expect("valid data");
    bench_case(
        criterion,
        "stacks",
        &stacks,
        lcp(ActiveSet::Automatic),
        (0.01, 10),
    );
}

criterion_group!(benches, bench);

fn main() {
    print_calibration();
    benches();
    Criterion::default().configure_from_args().final_summary();
}
