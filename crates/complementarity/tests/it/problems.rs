//! The public problems of `fixtures/problems/linear`: solved to 1e-12, or never called solved.

use std::path::PathBuf;

use signorini_complementarity::io::{Expect, ProblemFile};
use signorini_complementarity::*;

use crate::certificates;

const TOLERANCE: f64 = 1e-12;

/// Name and path of each fixture, in the order of the names.
pub(crate) fn fixtures() -> Vec<(String, PathBuf)> {
    let folder = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../fixtures/problems/linear"
    );
    let paths = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut named: Vec<(String, PathBuf)> = paths
        .map(|path| (path.file_stem().unwrap().to_str().unwrap().to_owned(), path))
        .collect();
    named.sort();
    named
}

/// Made to take 2¹⁶ pivots, more than the limit: see `murty_lemke_16_takes_all_its_pivots`.
const NOT_FOR_LEMKE: [&str; 1] = ["murty_lemke_16"];

fn lemke() -> Lemke {
    Lemke::new(LemkeSettings {
        tolerance: TOLERANCE,
        ..LemkeSettings::default()
    })
}

fn portfolio() -> Portfolio {
    Portfolio::new(PortfolioSettings {
        tolerance: TOLERANCE,
        ..PortfolioSettings::default()
    })
}

/// max |z − mid(l, z − F, u)|, and the largest Σ|M_ij z_j| + |q_i|: what rounding of F is measured by.
fn plain_residual(problem: &LinearMcp, z: &[f64]) -> (f64, f64) {
    let rows = worst_rows(problem, z, z.len());
    let bounds = problem.bounds();
    let distance = |row: &RowResidual| (row.z - bounds.project(row.row, row.z - row.f)).abs();
    (
        rows.iter().map(distance).fold(0.0, f64::max),
        rows.iter().map(|row| row.scale).fold(0.0, f64::max),
    )
}

/// What is wrong with this answer, if anything.
fn fault(file: &ProblemFile, solution: &Solution) -> Option<String> {
    let problem = &file.problem;
    let residual = natural_residual(problem, &solution.z);
    let (plain, scale) = plain_residual(problem, &solution.z);
    let faults = [
        (
            residual.to_bits() != solution.residual.to_bits(),
            "untrue residual",
        ),
        (solution.z.iter().any(|z| !z.is_finite()), "z is not finite"),
        (
            solution.status.is_solved() && residual > TOLERANCE,
            "inaccurate",
        ),
        // Without the scale, where F itself can be computed to 1e-12.
        (
            solution.status.is_solved() && plain > TOLERANCE * scale.max(1.0),
            "inaccurate without scale",
        ),
        (
            file.expect == Some(Expect::Infeasible) && solution.status.is_solved(),
            "wrongly solved",
        ),
        (
            file.expect == Some(Expect::Solvable) && !solution.status.is_solved(),
            "not solved",
        ),
        (
            file.expect == Some(Expect::Solvable) && solution.status == Status::Infeasible,
            "wrong proof",
        ),
    ];
    let found: Vec<&str> = faults
        .iter()
        .filter(|(wrong, _)| *wrong)
        .map(|(_, what)| *what)
        .collect();
    let certificate = match &solution.certificate {
        Some(Certificate::Farkas(y)) if certificates::fault(problem, y).is_some() => {
            Some("false certificate")
        }
        _ => None,
    };
    let found: Vec<&str> = found.into_iter().chain(certificate).collect();
    (!found.is_empty()).then(|| {
        format!(
            "{}: {found:?}, {:?}, {residual:e}, {plain:e}",
            file.name, solution.status
        )
    })
}

/// What is wrong with the answers of a solver, from nothing and from the start that the source prescribes.
fn faults(solver: &mut dyn Solver<LinearMcp>, exempt: &[&str]) -> Vec<String> {
    let mut faults = Vec::new();
    let fixtures = fixtures();
    assert_eq!(fixtures.len(), 59);
    for (name, path) in fixtures {
        let file = ProblemFile::from_path(path).unwrap();
        assert_eq!(name, file.name);
        let start = file.start.as_deref().map(Start::Point);
        for start in [Some(Start::Cold), start].into_iter().flatten() {
            let solution = solver.solve(&file.problem, start);
            // An exempt problem may stay unsolved, but not be answered wrongly.
            let excused = exempt.contains(&name.as_str())
                && !solution.status.is_solved()
                && solution.status != Status::Infeasible;
            if !excused {
                faults.extend(fault(&file, &solution).map(|what| format!("{what} {start:?}")));
            }
        }
    }
    faults
}

#[test]
fn the_portfolio_answers_the_public_problems() {
    let faults = faults(&mut portfolio(), &[]);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn lemke_alone_answers_nearly_all() {
    let faults = faults(&mut lemke(), &NOT_FOR_LEMKE);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// The one exception: Lemke's method solves it, in as many pivots as it was made to take, if the limit allows them.
#[test]
fn murty_lemke_16_takes_all_its_pivots() {
    let (_, path) = fixtures()
        .into_iter()
        .find(|(name, _)| name == NOT_FOR_LEMKE[0])
        .unwrap();
    let file = ProblemFile::from_path(path).unwrap();
    let solution = Lemke::new(LemkeSettings {
        tolerance: TOLERANCE,
        pivot_limit: 70_000,
        ..LemkeSettings::default()
    })
    .solve(&file.problem, Start::Cold);
    assert_eq!(fault(&file, &solution), None);
    assert!(solution.stats.iterations > 60_000);
}

/// The answers listed in the files are answers by our residual too.
#[test]
fn listed_solutions_are_solutions() {
    for (name, path) in fixtures() {
        let file = ProblemFile::from_path(path).unwrap();
        assert_eq!(
            file.solutions.is_empty(),
            file.expect == Some(Expect::Infeasible),
            "{name}"
        );
        for z in file.known.iter().chain(file.solutions.iter().map(|s| &s.z)) {
            let residual = natural_residual(&file.problem, z);
            // The two deltasigma files list answers to the accuracy of their solver.
            assert!(residual <= 1e-10, "{name}: {residual:e}");
        }
    }
}

/// How each problem without a solution ends, and on what proof.
#[test]
fn problems_without_a_solution_are_not_called_solved() {
    let mut ends = Vec::new();
    for (name, path) in fixtures() {
        let file = ProblemFile::from_path(path).unwrap();
        if file.expect == Some(Expect::Infeasible) {
            let solution = portfolio().solve(&file.problem, Start::Cold);
            ends.push(format!("{name}: {:?}", solution.status));
        }
    }
    insta::assert_snapshot!(ends.join("\n"), @r"
    lcp_Pang_isolated_sol_perturbed: Infeasible
    murty_ex_2_9: Infeasible
    unsolvable_1: Infeasible
    ");
}
