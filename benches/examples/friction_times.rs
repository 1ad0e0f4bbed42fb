//! Times of the friction solvers on heaps of spheres, and what the portfolio makes of small random problems.
//!
//! ```text
//! cargo run --release -p signorini-benches --example friction_times              heaps of 25, 93, 415 and 1490 contacts
//! cargo run --release -p signorini-benches --example friction_times -- 10000     and so many random problems
//! ```
//!
//! Each line of heaps holds contacts, law, solver, ms of one solve, scaled residual, iterations and status; of block
//! Gauss–Seidel also the ns of one contact and sweep. The time is that of `timed`.

use signorini_benches::{print_calibration, timed};
use signorini_complementarity::{
    BlockGaussSeidel, BlockGaussSeidelSettings, FrictionLaw, FrictionNewton,
    FrictionNewtonSettings, FrictionProblem, FrictionSettings, ResidualMeasure, Solution, Solver,
    Start, collection, solve_friction,
};

/// Scaled residual that is asked for.
const TOLERANCE: f64 = 1e-10;
/// Sweeps whose time is measured.
const SWEEPS: usize = 1000;
/// Spheres of the heaps.
const SPHERES: [usize; 4] = [10, 30, 100, 320];

fn main() {
    print_calibration();
    for spheres in SPHERES {
        for law in [FrictionLaw::Coulomb, FrictionLaw::Convex] {
            heap(&collection::heap(spheres, 1).with_law(law));
        }
    }
    if let Some(count) = std::env::args().nth(1).and_then(|word| word.parse().ok()) {
        for law in [FrictionLaw::Coulomb, FrictionLaw::Convex] {
            random(count, law);
        }
    }
}

fn heap(problem: &FrictionProblem) {
    let contacts = problem.contact_count();
    let line = |name: &str, seconds: f64, solution: &Solution, more: &str| {
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
    line("newton", seconds, &solution, "");
    let settings = BlockGaussSeidelSettings {
        tolerance: 0.0,
        sweep_limit: SWEEPS,
        check_interval: SWEEPS,
        ..BlockGaussSeidelSettings::default()
    };
    let mut sweeps = BlockGaussSeidel::new(settings);
    let (seconds, solution) = timed(|| sweeps.solve(problem, Start::Cold));
    let each = seconds * 1e9 / (SWEEPS * contacts) as f64;
    line("sweeps", seconds, &solution, &format!(" {each:.1} ns"));
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
