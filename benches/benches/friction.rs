//! Friction solvers on heaps of spheres: `friction/<law>/<contacts>`, to a scaled residual of 1e-10.

use std::hint::black_box;

use criterion::{Criterion, criterion_group};
use signorini_benches::print_calibration;
use signorini_complementarity::{
    FrictionLaw, FrictionNewton, FrictionNewtonSettings, Solver, Start, collection,
};

fn heaps(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("friction");
    let mut newton = FrictionNewton::new(FrictionNewtonSettings::default());
    for (name, law) in [
        ("coulomb", FrictionLaw::Coulomb),
        ("convex", FrictionLaw::Convex),
    ] {
        for spheres in [10, 30] {
            let problem = collection::heap(spheres, 1).with_law(law);
            let solution = newton.solve(&problem, Start::Cold);
            // A bench of a solver that fails is worth nothing.
            assert!(
                problem.residuals(&solution.z).scaled <= 1e-10,
                "{name} {spheres}"
            );
            group.bench_function(format!("{name}/{}", problem.contact_count()), |bencher| {
                bencher.iter(|| black_box(newton.solve(black_box(&problem), Start::Cold)));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, heaps);

fn main() {
    print_calibration();
    benches();
    Criterion::default().configure_from_args().final_summary();
}
