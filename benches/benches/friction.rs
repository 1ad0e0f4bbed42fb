//! Friction solvers on heaps of spheres: `friction/<law>/<contacts>` is Newton's method to a scaled residual of 1e-10,
//! `friction/sweeps-<law>/<contacts>` a thousand sweeps of block Gauss–Seidel, counted by contact.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group};
use signorini_benches::print_calibration;
use signorini_complementarity::{
    BlockGaussSeidel, BlockGaussSeidelSettings, FrictionLaw, FrictionNewton,
    FrictionNewtonSettings, Solver, Start, collection,
};

/// Spheres of the heaps: 25, 93 and 415 contacts.
const SPHERES: [usize; 3] = [10, 30, 100];

/// Sweeps of one solve, so many that what it does once does not count.
const SWEEPS: usize = 1000;

fn heaps(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("friction");
    let mut newton = FrictionNewton::new(FrictionNewtonSettings::default());
    for (name, law) in [
        ("coulomb", FrictionLaw::Coulomb),
        ("convex", FrictionLaw::Convex),
    ] {
        for spheres in SPHERES {
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
    group.sample_size(20);
    for (name, law) in [
        ("sweeps-coulomb", FrictionLaw::Coulomb),
        ("sweeps-convex", FrictionLaw::Convex),
    ] {
        let mut sweeps = BlockGaussSeidel::new(BlockGaussSeidelSettings {
            tolerance: 0.0,
            sweep_limit: SWEEPS,
            check_interval: SWEEPS,
            memory: 0,
            ..BlockGaussSeidelSettings::default()
        });
        for spheres in SPHERES {
            let problem = collection::heap(spheres, 1).with_law(law);
            let contacts = problem.contact_count();
            group.throughput(Throughput::Elements((contacts * SWEEPS) as u64));
            group.bench_function(format!("{name}/{contacts}"), |bencher| {
                bencher.iter(|| black_box(sweeps.solve(black_box(&problem), Start::Cold)));
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
