//! Solvers on the families of problems: `lcp/<family>/<solver>/<n>`, n the number of unknowns of the reduced form.

use std::hint::black_box;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, criterion_group};
use signorini_benches::families::{Family, Instance, velocity_changed};
use signorini_benches::print_calibration;
use signorini_complementarity::{
    BlockPivoting, InteriorPoint, Lcp, Lemke, LinearMcp, PyramidForm, Solution, Solver, Start,
};

const SEED: u64 = 1;
/// Standard deviation of the change of the free velocity before a warm start, m/s.
const CHANGE: f64 = 0.005;

/// The sizes; one small one where each case runs once and nothing is timed.
fn sizes() -> &'static [usize] {
    if std::env::args().any(|word| word == "--test") {
        &[100]
    } else {
        &[100, 300, 1000]
    }
}

/// Times solves of one problem from one start.
fn time<P>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    (name, n): (String, usize),
    (solver, problem): (&mut impl Solver<P>, &P),
    start: Start<'_>,
) {
    let mut told = false;
    group.bench_function(BenchmarkId::new(&name, n), |bencher| {
        if !std::mem::replace(&mut told, true) {
            tell(&name, n, &solver.solve(problem, start));
        }
        bencher.iter(|| solver.solve(black_box(problem), start));
    });
}

/// Prints the work counters; a time of a failure is worth nothing, and says so.
fn tell(name: &str, n: usize, solution: &Solution) {
    let stats = solution.stats;
    println!(
        "lcp/{name}/{n}: {} iterations, {} factorisations, {} restarts, {:?}, residual {:.1e}",
        stats.iterations, stats.factorizations, stats.restarts, solution.status, solution.residual
    );
}

fn dense(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("lcp");
    group.sample_size(10);
    for family in [
        Family::Pd,
        Family::Psd,
        Family::Pmat,
        Family::DegeneratePsd,
        Family::CopositivePlus,
    ] {
        for &n in sizes() {
            let Instance { lcp, .. } = family.problem(n, SEED);
            let named = |solver| (format!("{family}/{solver}"), n);
            // Block pivoting is for P-matrices, the interior-point method for monotone problems.
            if matches!(family, Family::Pd | Family::Psd | Family::Pmat) {
                let mut solver = BlockPivoting::default();
                time::<Lcp>(
                    &mut group,
                    named("block_pivoting"),
                    (&mut solver, &lcp),
                    Start::Cold,
                );
            }
            if matches!(family, Family::Pd | Family::Psd | Family::DegeneratePsd) {
                let mut solver = InteriorPoint::default();
                time::<Lcp>(
                    &mut group,
                    named("interior_point"),
                    (&mut solver, &lcp),
                    Start::Cold,
                );
            }
            let mut solver = Lemke::default();
            time::<Lcp>(&mut group, named("lemke"), (&mut solver, &lcp), Start::Cold);
        }
    }
    group.finish();
}

fn friction(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("lcp");
    group.sample_size(10);
    for directions in [4, 8] {
        for family in [Family::Spheres { directions }, Family::Boxes { directions }] {
            for &n in sizes() {
                contact(&mut group, &family.problem(n, SEED));
            }
        }
    }
    group.finish();
}

fn contact(group: &mut BenchmarkGroup<'_, WallTime>, instance: &Instance) {
    let (family, n) = (instance.family, instance.lcp.len());
    let named = |solver| (format!("{family}/{solver}"), n);
    let step = instance
        .friction
        .as_ref()
        .expect("a family with friction has a step");
    let directions = family.directions().expect("a family with friction");
    let mixed = step.pyramid(directions, PyramidForm::Mixed);
    let mut lemke = Lemke::default();
    time::<LinearMcp>(
        group,
        named("mixed"),
        (&mut lemke, mixed.problem()),
        Start::Cold,
    );
    // The step after one whose free velocity was a little different.
    let before = velocity_changed(step, CHANGE, SEED).pyramid(directions, PyramidForm::Mixed);
    if let Some(basis) = lemke.solve(before.problem(), Start::Cold).basis {
        time::<LinearMcp>(
            group,
            named("mixed_warm"),
            (&mut lemke, mixed.problem()),
            Start::Basis(&basis),
        );
    }
    time::<Lcp>(
        group,
        named("reduced"),
        (&mut lemke, &instance.lcp),
        Start::Cold,
    );
}

criterion_group!(benches, dense, friction);

fn main() {
    print_calibration();
    benches();
    Criterion::default().configure_from_args().final_summary();
}
