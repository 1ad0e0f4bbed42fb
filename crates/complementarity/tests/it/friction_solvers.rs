//! What every solver of friction problems owes: honest statuses, the same bits, and most problems solved.

use signorini_complementarity::io::FrictionFile;
use signorini_complementarity::*;

use crate::friction_files::fixtures;

/// Solved exactly if the residual, computed afresh, is at most the tolerance.
#[track_caller]
fn check_honest(problem: &FrictionProblem, settings: &FrictionSettings, answer: &FrictionAnswer) {
    let solution = &answer.solution;
    assert!(solution.z.iter().all(|z| z.is_finite()));
    let residuals = problem.residuals(&solution.z);
    let residual = residuals.of(settings.measure);
    assert_eq!(residuals, answer.residuals);
    assert_eq!(residual, solution.residual);
    assert_eq!(solution.status.is_solved(), residual <= settings.tolerance);
    assert!(answer.tried.iter().any(|tried| tried.0 == answer.method));
    if solution.status.is_solved() {
        let last = answer.tried.last().map(|tried| tried.0);
        assert_eq!(last, Some(answer.method));
    }
}

#[test]
fn small_published_problems_are_solved() {
    let settings = FrictionSettings::default();
    let (mut tried, mut unsolved) = (0, Vec::new());
    for (name, path) in fixtures() {
        let problem = FrictionFile::from_path(&path).unwrap().problem().unwrap();
        if problem.len() > 80 {
            continue;
        }
        let answer = solve_friction(&problem, &settings);
        check_honest(&problem, &settings, &answer);
        assert_eq!(answer, solve_friction(&problem, &settings), "{name}");
        tried += 1;
        if !answer.solution.status.is_solved() {
            unsolved.push(name);
        }
    }
    assert!(tried > 20 && unsolved.len() <= 4, "{tried}: {unsolved:?}");
}

#[test]
fn random_contacts_end_honestly() {
    for measure in [ResidualMeasure::Relative, ResidualMeasure::Scaled] {
        let settings = FrictionSettings {
            measure,
            ..FrictionSettings::default()
        };
        let mut unsolved = 0;
        for seed in 0..30 {
            let step = collection::random_contacts(seed);
            let answer = solve_friction(&step, &settings);
            check_honest(&step, &settings, &answer);
            unsolved += usize::from(!answer.solution.status.is_solved());
        }
        assert!(unsolved <= 5, "{measure:?}: {unsolved} of 30");
    }
}

/// The convex law, a start at an answer, and an observer that stops.
#[test]
fn starts_laws_and_observers_are_passed_on() {
    let heap = collection::heap(10, 1);
    let settings = FrictionSettings {
        measure: ResidualMeasure::Scaled,
        ..FrictionSettings::default()
    };
    for law in [FrictionLaw::Coulomb, FrictionLaw::Convex] {
        let heap = heap.clone().with_law(law);
        let answer = solve_friction(&heap, &settings);
        check_honest(&heap, &settings, &answer);
        assert!(answer.solution.status.is_solved(), "{law:?}");
        let start = Start::Point(&answer.solution.z);
        let again = solve_friction_observed(&heap, &settings, start, &mut ());
        assert_eq!(again.solution.stats.iterations, 0);
    }
    let mut stop = |_: &Iterate<'_>| std::ops::ControlFlow::Break(());
    let answer = solve_friction_observed(&heap, &settings, Start::Cold, &mut stop);
    assert_eq!(answer.solution.status, Status::Stopped);
}

/// A point near an answer is polished first if it is asked for, which spares the sweeps and steps of a search.
#[test]
fn near_answers_are_polished_first() {
    for law in [FrictionLaw::Coulomb, FrictionLaw::Convex] {
        let problem = collection::heap(30, 1).with_law(law);
        let mut newton = FrictionNewton::default();
        let answer = newton.solve(&problem, Start::Cold);
        assert!(answer.status.is_solved());
        let near: Vec<f64> = answer.z.iter().map(|z| z * (1.0 + 1e-8)).collect();
        assert!(problem.residuals(&near).scaled > 1e-10);
        newton.settings.polish_from = 1e-6;
        let polished = newton.solve(&problem, Start::Point(&near));
        assert!(polished.status.is_solved(), "{law:?}");
        assert!(
            polished.stats.iterations <= 5,
            "{law:?} {:?}",
            polished.stats
        );
        // From a point that it makes nothing of, the search goes on as if there were no polish.
        newton.settings.polish_from = f64::INFINITY;
        let searched = newton.solve(&problem, Start::Cold);
        assert!(searched.status.is_solved(), "{law:?}");
    }
}
