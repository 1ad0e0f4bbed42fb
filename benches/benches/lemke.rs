//! Lemke's method: `lemke/<case>/<n>`, n the number of unknowns.

use std::hint::black_box;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, criterion_group};
use signorini_benches::{pile, print_calibration};
use signorini_complementarity::{
    Basis, Lemke, LinearMcp, PyramidForm, Solution, Solver, Start, collection,
};

/// Times cold solves of one problem.
fn cold<P>(group: &mut BenchmarkGroup<'_, WallTime>, case: &str, problem: &P, n: usize)
where
    Lemke: Solver<P>,
{
    let mut lemke = Lemke::default();
    let mut told = false;
    group.bench_function(BenchmarkId::new(case, n), |bencher| {
        if !std::mem::replace(&mut told, true) {
            tell(case, n, &lemke.solve(problem, Start::Cold));
        }
        bencher.iter(|| lemke.solve(black_box(problem), Start::Cold));
    });
}

/// Times solves that start from the basis of a problem nearby.
fn warm(group: &mut BenchmarkGroup<'_, WallTime>, case: &str, problem: &LinearMcp, basis: &Basis) {
    let mut lemke = Lemke::default();
    let mut told = false;
    group.bench_function(BenchmarkId::new(case, problem.len()), |bencher| {
        if !std::mem::replace(&mut told, true) {
            tell(
                case,
                problem.len(),
                &lemke.solve(problem, Start::Basis(basis)),
            );
        }
        bencher.iter(|| lemke.solve(black_box(problem), Start::Basis(black_box(basis))));
    });
}

/// Prints the work counters, and stops if there is nothing worth timing.
fn tell(case: &str, n: usize, solution: &Solution) {
    assert!(
        solution.status.is_solved(),
        "lemke/{case}/{n}: {}",
        solution.status
    );
    let stats = solution.stats;
    println!(
        "lemke/{case}/{n}: {} pivots, {} factorisations, {} restarts",
        stats.iterations, stats.factorizations, stats.restarts
    );
}

fn named(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("lemke");
    for n in [16, 64] {
        cold(&mut group, "murty", &collection::murty(n).lcp, n);
        cold(&mut group, "fathi", &collection::fathi(n).lcp, n);
    }
    for n in [16, 64, 256] {
        cold(
            &mut group,
            "planted",
            &collection::planted_spd(n, 0, 1).lcp,
            n,
        );
    }
    cold(
        &mut group,
        "murty_exponential",
        &collection::murty_exponential(8).lcp,
        8,
    );
    group.finish();
}

fn piles(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("lemke");
    for rows in [2, 4, 6] {
        let step = pile(rows).expect("a pile is a friction problem");
        let pyramid = step.pyramid(2, PyramidForm::Reduced);
        let problem = pyramid.problem();
        cold(&mut group, "contact_pile", problem, problem.len());
        let mixed = step.pyramid(2, PyramidForm::Mixed);
        cold(
            &mut group,
            "contact_pile_mixed",
            mixed.problem(),
            mixed.problem().len(),
        );

        // The next step of the pile: the same contacts, a velocity that has changed a little.
        let mut data = step.into_data();
        data.free_velocity.iter_mut().for_each(|v| *v *= 1.01);
        let next = signorini_complementarity::FrictionProblem::new(data).expect("the same pile");
        let next = next.pyramid(2, PyramidForm::Reduced);
        if let Some(basis) = Lemke::default().solve(problem, Start::Cold).basis {
            warm(&mut group, "contact_pile_warm", next.problem(), &basis);
        }
    }
    group.finish();
}

criterion_group!(benches, named, piles);

fn main() {
    print_calibration();
    benches();
    Criterion::default().configure_from_args().final_summary();
}
