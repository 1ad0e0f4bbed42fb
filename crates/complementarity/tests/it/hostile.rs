//! Hostile numbers: nothing panics, nothing untrue is said.
//!
//! A thousand seeds each in the suite; `STRESS_SECONDS=600 cargo test --release -p signorini-complementarity hostile:: --
//! --nocapture` for longer. A failure names its seed; `STRESS_SEED` begins there.

use signorini_complementarity::*;

use crate::certificates;
use crate::random::{Random, stress};

const SEEDS: u64 = 1000;

/// What the numbers of one problem are like.
#[derive(Clone, Copy, Debug)]
enum Numbers {
    /// −2..2, with many zeros and ties.
    Digits,
    /// Near one.
    Tame,
    /// Any magnitude from 1e-300 to 1e300.
    Wild,
    /// Around 1e-300, 1 and 1e300, nothing between.
    Clusters,
    /// Denormal and least normal ones.
    Tiny,
    /// Near the largest double.
    Huge,
    /// Any finite bit pattern.
    Bits,
    /// One, with errors of a few roundings.
    NearOne,
}

const NUMBERS: [Numbers; 8] = [
    Numbers::Digits,
    Numbers::Tame,
    Numbers::Wild,
    Numbers::Clusters,
    Numbers::Tiny,
    Numbers::Huge,
    Numbers::Bits,
    Numbers::NearOne,
];

impl Numbers {
    fn draw(self, random: &mut Random) -> f64 {
        let sign = random.one_of(&[1.0, -1.0]);
        let size = match self {
            Self::Digits => return random.one_of(&[-2.0, -1.0, 0.0, 0.0, 1.0, 1.0, 2.0]),
            Self::Tame => random.uniform(),
            Self::Wild => 10.0_f64.powf(600.0 * random.uniform() - 300.0),
            Self::Clusters => random.one_of(&[1e-300, 1.0, 1e300]) * (1.0 + random.uniform()),
            Self::Tiny => f64::from_bits(random.next() >> (11 + random.below(50))),
            Self::Huge => f64::MAX * (1.0 - 0.5 * random.uniform()),
            Self::Bits => {
                let x = f64::from_bits(random.next());
                return if x.is_finite() { x } else { 1.0 };
            }
            Self::NearOne => 1.0 + random.below(5) as f64 * f64::EPSILON,
        };
        sign * size
    }
}

/// A problem of 0 to 12 variables, an LCP or with bounds of every kind.
fn hostile_problem(random: &mut Random) -> LinearMcp {
    let n = random.below(13);
    let [in_m, in_q, in_bounds] = [0; 3].map(|_| random.one_of(&NUMBERS));
    let density = random.one_of(&[0.1, 0.5, 1.0]);
    let symmetric = random.below(3) == 0;
    let mut m = vec![0.0; n * n];
    for (i, j) in (0..n * n).map(|e| (e / n, e % n)) {
        if random.uniform() < density {
            m[i * n + j] = in_m.draw(random);
        }
        if symmetric && j < i {
            m[i * n + j] = m[j * n + i];
        }
        if i == j && random.below(2) == 0 {
            m[i * n + j] = m[i * n + j].abs();
        }
    }
    let dense: Vec<&[f64]> = m.chunks_exact(n.max(1)).collect();
    let q = (0..n).map(|_| in_q.draw(random)).collect();
    let lcp = random.below(2) == 0;
    let bounds = (0..n).map(|_| {
        let (a, b) = (in_bounds.draw(random), in_bounds.draw(random));
        match random.below(if lcp { 1 } else { 6 }) {
            0 => (0.0, f64::INFINITY),
            1 => (f64::NEG_INFINITY, f64::INFINITY),
            2 => (f64::NEG_INFINITY, a),
            3 => (a, a),
            4 => (a, f64::INFINITY),
            _ => (a.min(b), a.max(b)),
        }
    });
    let (lower, upper) = bounds.unzip();
    LinearMcp::from_dense(&dense, q, Bounds::new(lower, upper).unwrap()).unwrap()
}

/// Every solver, with limits that keep hopeless problems short.
fn solvers() -> Vec<(&'static str, Box<dyn Solver<LinearMcp>>)> {
    let lemke = LemkeSettings {
        pivot_limit: 500,
        retries: 4,
        ..LemkeSettings::default()
    };
    let sparse = LemkeSettings {
        form: LemkeForm::Sparse,
        ..lemke.clone()
    };
    let sweeps = GaussSeidelSettings {
        sweep_limit: 50,
        ..GaussSeidelSettings::default()
    };
    let exchanges = BlockPivotingSettings {
        iteration_limit: 50,
        ..BlockPivotingSettings::default()
    };
    vec![
        ("block-pivoting", Box::new(BlockPivoting::new(exchanges))),
        ("interior-point", Box::new(InteriorPoint::default())),
        ("lemke", Box::new(Lemke::new(lemke))),
        ("sparse lemke", Box::new(Lemke::new(sparse))),
        ("gauss-seidel", Box::new(GaussSeidel::new(sweeps))),
    ]
}

fn check_answer(problem: &LinearMcp, solution: &Solution, start: &str) -> Result<(), String> {
    let n = problem.len();
    if solution.z.len() != n || solution.z.iter().any(|z| !z.is_finite()) {
        return Err(format!("{start}: z = {:?}", solution.z));
    }
    let residual = natural_residual(problem, &solution.z);
    if residual.to_bits() != solution.residual.to_bits() {
        return Err(format!(
            "{start}: {residual:e} is not {:e}",
            solution.residual
        ));
    }
    if solution.status.is_solved() && (residual > 1e-10 || residual.is_nan()) {
        return Err(format!("{start}: solved with {residual:e}"));
    }
    if solution
        .basis
        .as_ref()
        .is_some_and(|basis| basis.marks().len() != n)
    {
        return Err(format!("{start}: the basis has another length"));
    }
    match (&solution.certificate, solution.status) {
        (Some(Certificate::Farkas(y)), Status::Infeasible) => match certificates::fault(problem, y)
        {
            Some(what) => Err(format!("{start}: {what}")),
            None => Ok(()),
        },
        (_, Status::Infeasible) => Err(format!("{start}: infeasible without certificate")),
        _ => Ok(()),
    }
}

#[test]
fn no_problem_makes_a_solver_panic_or_lie() {
    let mut solvers = solvers();
    stress(SEEDS, |seed| {
        let mut random = Random(seed);
        let problem = hostile_problem(&mut random);
        let numbers = random.one_of(&NUMBERS);
        let point: Vec<f64> = (0..problem.len())
            .map(|_| numbers.draw(&mut random))
            .collect();
        let marks = [BasisMark::Basic, BasisMark::AtLower, BasisMark::AtUpper];
        let marks = (0..problem.len()).map(|_| random.one_of(&marks)).collect();
        let basis = Basis::new(marks);
        for (name, solver) in &mut solvers {
            let cold = solver.solve(&problem, Start::Cold);
            let starts = [
                ("cold", cold.clone()),
                ("point", solver.solve(&problem, Start::Point(&point))),
                ("basis", solver.solve(&problem, Start::Basis(&basis))),
            ];
            for (start, solution) in starts {
                if let Err(what) = check_answer(&problem, &solution, start) {
                    panic!("seed {seed}, {name}: {what}\n{solution:?}\n{problem:?}");
                }
            }
            // A used workspace is as good as a new one.
            let again = solver.solve(&problem, Start::Cold);
            assert_eq!(again, cold, "seed {seed}, {name}: {problem:?}");
        }
    });
}

#[test]
fn numbers_that_are_not_finite_are_refused() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for n in 1..5_usize {
            for place in 0..n * n {
                let mut m = vec![vec![1.0; n]; n];
                m[place / n][place % n] = bad;
                let refused = Lcp::from_dense(&m, vec![0.0; n]).unwrap_err();
                let (row, col) = (place / n, place % n);
                assert!(
                    matches!(refused, ProblemError::NotFinite { what: "M", row: r, col: c, .. } if (r, c) == (row, col))
                );
            }
            let mut q = vec![0.0; n];
            q[n - 1] = bad;
            assert!(Lcp::from_dense(&vec![vec![1.0; n]; n], q).is_err());
        }
    }
    let nan = f64::NAN;
    assert!(Bounds::new(vec![nan], vec![1.0]).is_err());
    assert!(Bounds::new(vec![0.0], vec![nan]).is_err());
}
