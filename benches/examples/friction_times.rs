//! Times of the friction solvers on heaps of spheres, and what the portfolio makes of small random problems.
//!
//! ```text
//! cargo run --release -p signorini-benches --example friction_times              heaps of 25, 93, 415 and 1490 contacts
//! cargo run --release -p signorini-benches --example friction_times -- 10000     and so many random problems, and one without a solution
//! ```
//!
//! Each line of heaps holds contacts, law, solver, ms of one solve, scaled residual, iterations and status; of block
//! Gauss–Seidel also the ns of one contact and sweep, without acceleration and with it. In an uneven heap the spheres have
//! a centre of mass of their own, so that every contact couples all of its rows. The time is that of `timed`.

use signorini_benches::{print_calibration, timed};
use signorini_complementarity::{
    BlockGaussSeidel, BlockGaussSeidelSettings, ContactLaws, FrictionLaw, FrictionNewton,
    FrictionNewtonSettings, FrictionProblem, FrictionSettings, ResidualMeasure, Solution, Solver,
    Start, SweepOrder, collection, solve_friction,
};

/// Scaled residual that is asked for.
const TOLERANCE: f64 = 1e-10;
/// Sweeps whose time is measured.
const SWEEPS: usize = 1000;
/// Spheres of the heaps.
const SPHERES: [usize; 4] = [10, 30, 100, 320];
/// Spheres of a heap that is only swept: enough for several threads, whose number is `RAYON_NUM_THREADS`.
const LARGE: usize = 3000;

fn main() {
    print_calibration();
    for spheres in SPHERES {
        for law in [FrictionLaw::Coulomb, FrictionLaw::Convex] {
            heap(&collection::heap(spheres, 1).with_law(law));
        }
    }
    large(&collection::heap(LARGE, 1));
    if let Some(count) = std::env::args().nth(1).and_then(|word| word.parse().ok()) {
        for law in [FrictionLaw::Coulomb, FrictionLaw::Convex] {
            random(count, law);
        }
        for law in [FrictionLaw::Coulomb, FrictionLaw::Convex] {
            without_solution(law);
        }
    }
}

fn heap(problem: &FrictionProblem) {
    let contacts = problem.contact_count();
    let line = |name: &str,
                problem: &FrictionProblem,
                (seconds, solution): (f64, &Solution),
                more: &str| {
        println!(
            "{contacts} {:?} {name} {:.3} ms {:.1e} {} {:?}{more}",
            problem.law(),
            seconds * 1e3,
            problem.residuals(&solution.z).scaled,
            solution.stats.iterations,
            solution.status,
        );
    };
    let settings = FrictionNewtonSettings {
        tolerance: TOLERANCE,
        ..FrictionNewtonSettings::default()
    };
    let mut newton = FrictionNewton::new(settings);
    let (seconds, solution) = timed(|| newton.solve(problem, Start::Cold));
    line("newton", problem, (seconds, &solution), "");
    for (name, problem) in [("", problem), ("uneven ", &uneven(problem))] {
        for (kind, memory, order) in [
            ("sweeps", 0, SweepOrder::Given),
            ("coloured", 0, SweepOrder::Coloured),
            ("accelerated", 10, SweepOrder::Given),
        ] {
            let settings = BlockGaussSeidelSettings {
                tolerance: 0.0,
                sweep_limit: SWEEPS,
                check_interval: SWEEPS,
                memory,
                order,
                ..BlockGaussSeidelSettings::default()
            };
            let mut sweeps = BlockGaussSeidel::new(settings);
            let (seconds, solution) = timed(|| sweeps.solve(problem, Start::Cold));
            let each = seconds * 1e9 / (SWEEPS * contacts) as f64;
            let name = format!("{name}{kind}");
            line(
                &name,
                problem,
                (seconds, &solution),
                &format!(" {each:.1} ns"),
            );
        }
    }
}

fn large(problem: &FrictionProblem) {
    for order in [SweepOrder::Given, SweepOrder::Coloured] {
        let mut sweeps = BlockGaussSeidel::new(BlockGaussSeidelSettings {
            tolerance: 0.0,
            sweep_limit: SWEEPS,
            check_interval: SWEEPS,
            memory: 0,
            order,
            ..BlockGaussSeidelSettings::default()
        });
        let (seconds, _) = timed(|| sweeps.solve(problem, Start::Cold));
        let contacts = problem.contact_count();
        let each = seconds * 1e9 / (SWEEPS * contacts) as f64;
        println!("{contacts} {:?} {order:?} {each:.1} ns", problem.law());
    }
}

/// The same contacts between spheres with other inertia, seen from points beside their centres of mass.
fn uneven(problem: &FrictionProblem) -> FrictionProblem {
    let mut data = problem.clone().into_data();
    let inertia = [2.5e-3, 4e-3, 6e-3];
    for block in data.mass.chunks_exact_mut(36) {
        for (i, moment) in inertia.iter().enumerate() {
            block[7 * (3 + i)] = *moment;
        }
        // A centre of mass 10 mm off along each axis: −m [c]× and its transpose.
        for (i, j, c) in [
            (0, 4, 0.01),
            (0, 5, -0.01),
            (1, 3, -0.01),
            (1, 5, 0.01),
            (2, 3, 0.01),
            (2, 4, -0.01),
        ] {
            (block[6 * i + j], block[6 * j + i]) = (c, c);
        }
    }
    FrictionProblem::new(data).expect("masses that are positive definite")
}

/// Which of the first problems are not solved, and which are called solved and are not.
fn random(count: u64, law: FrictionLaw) {
    let tolerance = 1e-9;
    let settings = FrictionSettings {
        tolerance,
        measure: ResidualMeasure::Scaled,
    };
    let (mut open, mut wrong) = (Vec::new(), Vec::new());
    for seed in 0..count {
        let problem = collection::random_contacts(seed).with_law(law);
        let solution = solve_friction(&problem, &settings).solution;
        let residual = problem.residuals(&solution.z).scaled;
        match (solution.status.is_solved(), residual <= tolerance) {
            (true, true) => {}
            (true, false) => wrong.push(seed),
            (false, _) => open.push(seed),
        }
    }
    println!("{count} random {law:?}: not solved {open:?}, wrong {wrong:?}");
}

/// A contact that rolls and whose W has rank two: the time until it is given up or refuted.
fn without_solution(law: FrictionLaw) {
    let laws = ContactLaws {
        dimension: 5,
        mu: vec![1.0],
        rolling: vec![0.1],
        law,
        ..ContactLaws::default()
    };
    let rows = [[1.0, 2.0, 0.5, 0.3, 0.1], [0.1, 0.2, 0.3, 0.5, -0.7]];
    let mut w = sprs::TriMat::new((5, 5));
    for (i, j) in (0..5).flat_map(|i| (0..5).map(move |j| (i, j))) {
        w.add_triplet(i, j, rows.iter().map(|h| h[i] * h[j]).sum());
    }
    let q = vec![-1.0, 0.0, 0.1, 0.2, 0.0];
    let problem = FrictionProblem::from_delassus(&w.to_csr(), q, laws).expect("W is symmetric");
    let (seconds, solution) =
        timed(|| solve_friction(&problem, &FrictionSettings::default()).solution);
    println!(
        "without a solution {law:?} {:.1} ms {:?}",
        seconds * 1e3,
        solution.status
    );
}
