//! The nonlinear solver in the manner of PATH: answers, truth, and what each of its parts is good for.
//!
//! Tests on the public collection, which are AMPL files, stand in the crate `ampl`.

use std::ops::ControlFlow;

use signorini_complementarity::*;

use super::functions::{
    Function, KOJIMA_SHINDO_STARTS, billups, double_root, five_firms, kojima_shindo,
};

fn solve(problem: &dyn Mcp, start: &[f64]) -> Solution {
    Path::default().solve(problem, Start::Point(start))
}

fn solve_with(problem: &dyn Mcp, start: &[f64], settings: PathSettings) -> Solution {
    Path::new(settings).solve(problem, Start::Point(start))
}

#[track_caller]
fn assert_solved(problem: &dyn Mcp, solution: &Solution) {
    assert_eq!(solution.status, Status::Solved);
    let residual = mcp_residual(problem, &solution.z).unwrap();
    assert_eq!(residual, solution.residual);
    assert!(residual <= 1e-10, "{residual:e}");
}

/// The 4 × 4 problem of PATH's public logs, with the residuals of its crash that were printed there, as 2-norms of Φ.
#[test]
fn the_crash_of_a_public_log_is_reproduced() {
    let rows = [
        [0.0, 0.0, -1.0, -1.0],
        [0.0, 0.0, 1.0, -2.0],
        [1.0, -1.0, 2.0, -2.0],
        [1.0, 2.0, -2.0, 4.0],
    ];
    let q = vec![2.0, 2.0, -2.0, -6.0];
    let lcp = LinearMcp::from_dense(&rows, q, Bounds::nonnegative(4)).unwrap();
    let mut norms = Vec::new();
    let mut observer = |iterate: &Iterate<'_>| {
        let (z, step) = (iterate.z.unwrap(), iterate.step.unwrap());
        let phi = (0..4).map(|i| {
            let f: f64 = lcp.q()[i] + (0..4).map(|j| rows[i][j] * z[j]).sum::<f64>();
            z[i] + f - z[i].hypot(f)
        });
        norms.push(phi.map(|x| x * x).sum::<f64>().sqrt());
        assert!(step.phase == Phase::Crash || iterate.iteration == 0);
        ControlFlow::Continue(())
    };
    let solution = Path::default().solve_observed(&lcp, Start::Cold, &mut observer);
    assert_solved(&lcp, &solution);
    assert_eq!(solution.stats.iterations, 0);
    let printed = [12.649, 10.535, 0.84815];
    for (norm, printed) in norms.iter().zip(printed) {
        assert!((norm / printed - 1.0).abs() < 1e-4, "{norm} {printed}");
    }
    // Start, three steps, and the iterations that have nothing left to do.
    assert_eq!(norms.len(), 5);
}

#[test]
fn both_solutions_of_kojima_and_shindo_are_exact() {
    let problem = kojima_shindo();
    for start in KOJIMA_SHINDO_STARTS {
        let solution = solve(&problem, &start);
        assert_solved(&problem, &solution);
        let known = [[1.0, 0.0, 3.0, 0.0], [1.5_f64.sqrt(), 0.0, 0.0, 0.5]];
        let close = |known: &[f64; 4]| {
            let mut pairs = solution.z.iter().zip(known);
            pairs.all(|(z, known)| (z - known).abs() < 1e-9)
        };
        assert!(known.iter().any(close), "{start:?}: {:?}", solution.z);
    }
}

#[test]
fn five_firms_as_published() {
    let solution = solve(&five_firms([0.0; 5]), &[10.0; 5]);
    assert_solved(&five_firms([0.0; 5]), &solution);
    let published = [36.9325, 41.8175, 43.7066, 42.6592, 39.1790];
    for (z, published) in solution.z.iter().zip(published) {
        // The published numbers are good to about 7e-4.
        assert!((z - published).abs() < 1e-3, "{z} {published}");
    }
}

#[test]
fn a_double_root_takes_a_step_per_binary_digit() {
    for start in [0.0, 5.0, -100.0] {
        let solution = solve(&double_root(), &[start]);
        assert_solved(&double_root(), &solution);
        assert!((solution.z[0] - 1.0).abs() < 2e-4);
        let stats = solution.stats;
        assert!(stats.iterations + stats.crash_iterations <= 60);
    }
}

/// A bound of ±1e8 costs no digits, and one of ±1e20 is none.
#[test]
fn distant_bounds_cost_no_digits() {
    for bound in [1e3, 1e8, 1e15, 1e20, 1e300] {
        let problem = Function::new(&[-bound, -bound], &[bound, bound], |z, f, push| {
            f[0] = z[0] * z[0] * z[0] - 2.0 + 1e-3 * z[1];
            f[1] = z[1] - z[0] - 1.0 / 3.0;
            push(0, 0, 3.0 * z[0] * z[0]);
            push(0, 1, 1e-3);
            push(1, 0, -1.0);
            push(1, 1, 1.0);
            Ok(())
        });
        let solution = solve(&problem, &[1.0, 1.0]);
        assert_solved(&problem, &solution);
        assert!(
            solution.residual < 1e-14,
            "{bound:e} {:e}",
            solution.residual
        );
        assert!(
            solution.stats.iterations < 8,
            "{bound:e} {:?}",
            solution.stats
        );
    }
}

#[test]
fn every_kind_of_bound() {
    let (inf, q) = (f64::INFINITY, [-2.0, -0.5, -5.0, 1.0, -1.0, 7.0]);
    let lower = vec![1.0, 1.0, 1.0, -inf, -inf, 4.0];
    let upper = vec![3.0, 3.0, 3.0, 0.0, 0.0, 4.0];
    let rows: Vec<Vec<f64>> = (0..6)
        .map(|i| (0..6).map(|j| f64::from(i == j)).collect())
        .collect();
    let bounds = Bounds::new(lower, upper).unwrap();
    let mcp = LinearMcp::from_dense(&rows, q.to_vec(), bounds).unwrap();
    for preprocess in [true, false] {
        let settings = PathSettings {
            preprocess,
            ..PathSettings::default()
        };
        let solution = Path::new(settings).solve(&mcp, Start::Cold);
        assert_eq!(solution.status, Status::Solved);
        assert_eq!(solution.z, [2.0, 1.0, 3.0, -1.0, 0.0, 4.0]);
    }
}

/// NaN and errors: at the start, on the way, in the Jacobian alone.
#[test]
fn what_is_not_defined_names_its_row() {
    let nan = Function::nonnegative(2, |z, f, push| {
        (f[0], f[1]) = (z[0] - 1.0, (z[1] - 2.0).ln());
        push(0, 0, 1.0);
        push(1, 1, 1.0 / (z[1] - 2.0));
        Ok(())
    });
    let solution = solve(&nan, &[0.0, 1.0]);
    assert_eq!(solution.status, Status::Domain { row: 1 });
    assert_eq!(solution.residual, f64::INFINITY);
    assert_eq!(solution.z, [0.0, 1.0]);
    let message = solution.status.describe(&nan);
    assert!(message.contains("the row of z[1]"), "{message}");
    // From a good start the logarithm keeps every step on its side.
    let solution = solve(&nan, &[9.0, 40.0]);
    assert_solved(&nan, &solution);
    assert!((solution.z[1] - 3.0).abs() < 1e-9);

    let slope = Function::nonnegative(1, |z, f, push| {
        f[0] = z[0].sqrt() - 1.0;
        push(0, 0, 0.5 / z[0].sqrt());
        Ok(())
    });
    assert_eq!(solve(&slope, &[0.0]).status, Status::Domain { row: 0 });
    assert_solved(&slope, &solve(&slope, &[0.25]));

    let refused = Function::free(3, |_, _, _| Err(DomainError { row: 2 }));
    assert_eq!(solve(&refused, &[1.0; 3]).status, Status::Domain { row: 2 });
}

/// F fades as z runs off: residuals as small as one likes, and no solution.
#[test]
fn points_that_run_off_are_no_solutions() {
    let fading = [
        |z: f64| (1.0 / (1.0 + z), -(1.0 + z).powi(-2)),
        |z: f64| ((-z).exp(), -(-z).exp()),
    ];
    for (k, fade) in fading.into_iter().enumerate() {
        let problem = Function::free(1, move |z, f, push| {
            let (value, slope) = fade(z[0].abs());
            f[0] = value;
            push(0, 0, slope * z[0].signum());
            Ok(())
        });
        for start in [1.0, 30.0, 1e6, 1e13] {
            let solution = solve(&problem, &[start]);
            // exp(−1e6) is zero to the last bit.
            if k == 1 && start >= 1e6 {
                continue;
            }
            let status = solution.status;
            assert_ne!(status, Status::Solved, "{k} {start:e} {solution:?}");
            assert!(solution.z[0].is_finite());
        }
    }
    let settings = PathSettings {
        convergence_tolerance: 1e-3,
        ..PathSettings::default()
    };
    let problem = Function::nonnegative(1, |z, f, push| {
        f[0] = -1.0 / (1.0 + z[0]);
        push(0, 0, (1.0 + z[0]).powi(-2));
        Ok(())
    });
    let solution = solve_with(&problem, &[0.0], settings);
    assert_eq!(solution.status, Status::RunsOff);
    assert!(solution.residual <= 1e-3);
}

#[test]
fn wrong_jacobians_never_make_solutions() {
    for factor in [-1.0, 0.0, 1e-3, 50.0] {
        let problem = Function::nonnegative(2, move |z, f, push| {
            f[0] = z[0] * z[0] + z[1] - 3.0;
            f[1] = z[1] - z[0] + 1.0;
            push(0, 0, 2.0 * factor * z[0]);
            push(0, 1, factor);
            push(1, 0, -factor);
            push(1, 1, factor);
            Ok(())
        });
        let solution = solve(&problem, &[3.0, 3.0]);
        let residual = mcp_residual(&problem, &solution.z).unwrap();
        assert_eq!(residual, solution.residual);
        assert_eq!(residual <= 1e-10, solution.status == Status::Solved);
    }
}

#[test]
fn no_solution_is_said() {
    let problem = Function::free(1, |z, f, push| {
        f[0] = z[0] * z[0] + 1.0;
        push(0, 0, 2.0 * z[0]);
        Ok(())
    });
    let solution = solve(&problem, &[3.0]);
    assert_eq!(solution.status, Status::NoProgress);
    assert!(
        (solution.residual - 1.0).abs() < 1e-3,
        "{}",
        solution.residual
    );
}

/// Counts the points at which F alone, and F with its Jacobian, are asked for.
struct Counting<'a>(&'a dyn Mcp, &'a std::cell::Cell<(usize, usize)>);
impl Mcp for Counting<'_> {
    fn len(&self) -> usize {
        self.0.len()
    }
    fn bounds(&self) -> &Bounds {
        self.0.bounds()
    }
    fn evaluate(
        &self,
        z: &[f64],
        f: &mut [f64],
        jacobian: Option<&mut Assembler>,
    ) -> Result<(), DomainError> {
        let (plain, with) = self.1.get();
        let wanted = jacobian.is_some();
        self.1
            .set((plain + usize::from(!wanted), with + usize::from(wanted)));
        self.0.evaluate(z, f, jacobian)
    }
}

/// Each counts as its callback does, repeats to the bit, and may be stopped.
#[test]
fn counts_repeats_and_stops() {
    let counts = std::cell::Cell::new((0, 0));
    let inner = kojima_shindo();
    let problem = Counting(&inner, &counts);
    let mut path = Path::default();
    let first = path.solve(&problem, Start::Point(&[100.0; 4]));
    let stats = first.stats;
    assert_eq!(counts.get(), (stats.evaluations, stats.jacobians));
    let second = path.solve(&problem, Start::Point(&[100.0; 4]));
    assert_eq!(first, second);
    assert_eq!(
        first,
        Path::default().solve(&problem, Start::Point(&[100.0; 4]))
    );
    let mut seen = 0;
    let mut observer = |_: &Iterate<'_>| {
        seen += 1;
        if seen == 3 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let stopped = path.solve_observed(&problem, Start::Point(&[100.0; 4]), &mut observer);
    assert_eq!((stopped.status, seen), (Status::Stopped, 3));
}

#[test]
fn nothing_and_nothing_free() {
    let empty = Function::free(0, |_, _, _| Ok(()));
    assert_eq!(solve(&empty, &[]).status, Status::Solved);
    let fixed = Function::new(&[2.0], &[2.0], |z, f, push| {
        f[0] = z[0] + 5.0;
        push(0, 0, 1.0);
        Ok(())
    });
    let solution = solve(&fixed, &[f64::NAN]);
    assert_eq!((solution.status, solution.z), (Status::Solved, vec![2.0]));
}

/// z_0 = 1 whatever z_1 is, and only there the logarithm is defined.
#[test]
fn rows_that_decide_a_variable_are_preprocessed() {
    struct Decided(Bounds);
    impl Mcp for Decided {
        fn len(&self) -> usize {
            2
        }
        fn bounds(&self) -> &Bounds {
            &self.0
        }
        fn is_affine(&self, row: usize) -> bool {
            row == 0
        }
        fn evaluate(
            &self,
            z: &[f64],
            f: &mut [f64],
            jacobian: Option<&mut Assembler>,
        ) -> Result<(), DomainError> {
            f[0] = 2.0 * z[0] - 2.0;
            f[1] = z[1] - 2.0 + (z[0] - 0.5).ln();
            if let Some(jacobian) = jacobian {
                jacobian.push(0, 0, 2.0);
                jacobian.push(1, 0, 1.0 / (z[0] - 0.5));
                jacobian.push(1, 1, 1.0);
            }
            Ok(())
        }
    }
    let problem = Decided(Bounds::nonnegative(2));
    let solution = solve(&problem, &[0.0; 2]);
    assert_solved(&problem, &solution);
    assert!((solution.z[1] - 2.0 - 2.0_f64.ln()).abs() < 1e-14);
    let settings = PathSettings {
        preprocess: false,
        ..PathSettings::default()
    };
    let solution = solve_with(&problem, &[0.0; 2], settings);
    assert_eq!(solution.status, Status::Domain { row: 1 });
}

/// A row that is called affine and is not costs time, but no truth.
#[test]
fn rows_that_are_not_affine_are_found_out() {
    struct Liar(Bounds);
    impl Mcp for Liar {
        fn len(&self) -> usize {
            1
        }
        fn bounds(&self) -> &Bounds {
            &self.0
        }
        fn is_affine(&self, _: usize) -> bool {
            true
        }
        fn evaluate(
            &self,
            z: &[f64],
            f: &mut [f64],
            jacobian: Option<&mut Assembler>,
        ) -> Result<(), DomainError> {
            f[0] = z[0] * z[0] - 2.0;
            if let Some(jacobian) = jacobian {
                jacobian.push(0, 0, 2.0 * z[0]);
            }
            Ok(())
        }
    }
    let problem = Liar(Bounds::nonnegative(1));
    let solution = solve(&problem, &[5.0]);
    assert_solved(&problem, &solution);
    assert!((solution.z[0] - 2.0_f64.sqrt()).abs() < 1e-12);
}

/// From 0 every descent ends at a point that is no solution; the last restart goes uphill.
#[test]
fn restarts_leave_billups_trap() {
    let problem = billups();
    let solution = solve(&problem, &[0.0]);
    assert_solved(&problem, &solution);
    let settings = PathSettings {
        restart_limit: 3,
        ..PathSettings::default()
    };
    let trapped = solve_with(&problem, &[0.0], settings);
    assert_eq!(trapped.status, Status::NoProgress);
    assert!((trapped.residual - 0.01).abs() < 1e-9);
}

/// A curved valley in which the merit of every full step is far above that of the start.
fn valley() -> impl Mcp {
    Function::free(2, |z, f, push| {
        f[0] = 1.0 - z[0];
        f[1] = 10.0 * (z[1] - z[0] * z[0]);
        push(0, 0, -1.0);
        push(1, 0, -20.0 * z[0]);
        push(1, 1, 10.0);
        Ok(())
    })
}

#[test]
fn d_steps_go_through_where_the_merit_rises() {
    let bare = PathSettings {
        crash_method: CrashMethod::None,
        merit_scaling: false,
        nms_initial_reference_factor: 2.0,
        ..PathSettings::default()
    };
    let with = solve_with(&valley(), &[-1.2, 1.0], bare.clone());
    let settings = PathSettings {
        nms_mstep_frequency: 0,
        ..bare
    };
    let without = solve_with(&valley(), &[-1.2, 1.0], settings);
    assert_solved(&valley(), &with);
    assert_solved(&valley(), &without);
    assert_eq!(with.stats.iterations, 2);
    assert!(without.stats.iterations > 5, "{:?}", without.stats);
}

/// atan grows so slowly that full steps run away; only shortened ones arrive.
#[test]
fn a_search_is_needed_where_full_steps_run_away() {
    let problem = Function::free(1, |z, f, push| {
        f[0] = z[0].atan();
        push(0, 0, 1.0 / (1.0 + z[0] * z[0]));
        Ok(())
    });
    let bare = PathSettings {
        crash_method: CrashMethod::None,
        restart_limit: 0,
        ..PathSettings::default()
    };
    assert_solved(&problem, &solve_with(&problem, &[3.0], bare.clone()));
    let settings = PathSettings { nms: false, ..bare };
    let solution = solve_with(&problem, &[3.0], settings);
    assert_ne!(solution.status, Status::Solved);
}

/// A d-step may lead astray; the watchdog goes back to where the merit was content.
#[test]
fn the_watchdog_goes_back() {
    let mut codes = Vec::new();
    let mut observer = |iterate: &Iterate<'_>| {
        codes.push(iterate.step.unwrap().codes[1]);
        ControlFlow::Continue(())
    };
    let problem = Function::free(1, |z, f, push| {
        f[0] = z[0].atan() + 0.1 * (3.0 * z[0]).sin();
        push(0, 0, 1.0 / (1.0 + z[0] * z[0]) + 0.3 * (3.0 * z[0]).cos());
        Ok(())
    });
    let settings = PathSettings {
        crash_method: CrashMethod::None,
        nms_initial_reference_factor: 1.0,
        nms_memory_size: 1,
        restart_limit: 0,
        ..PathSettings::default()
    };
    let start = Start::Point(&[1.45]);
    let solution = Path::new(settings).solve_observed(&problem, start, &mut observer);
    assert_solved(&problem, &solution);
    assert!(codes.contains(&'W'), "{codes:?}");
}

/// The log, column by column.
#[test]
fn the_log_is_that_of_path() {
    let problem = five_firms([0.0; 5]);
    let mut text = Vec::new();
    let mut log = PathLog::new(&problem, &mut text);
    let solution = Path::default().solve_observed(&problem, Start::Point(&[10.0; 5]), &mut log);
    log.finish(&solution).unwrap();
    let text = String::from_utf8(text).unwrap();
    // The last residual is rounding.
    let lines = text.lines().filter(|line| !line.contains("e-11"));
    insta::assert_snapshot!(lines.collect::<Vec<_>>().join("\n"), @r"
    Crash Log
    crash  func  diff    residual     step     prox   (label)
        0     1     0  4.9452e+01           0.0e+00   (z[4])
        1     2     0  2.1406e+01  1.0e+00  0.0e+00   (z[4])
    Major Iteration Log
    major minor  func  grad    residual     step type     prox    inorm (label)
        0     0     2     2  2.1406e+01             I  0.0e+00  2.1e+01 (z[4])
        1     0     3     2  6.6682e+00  1.0e+00   SO  0.0e+00  6.7e+00 (z[2])
        2     0     4     3  1.1076e+00  1.0e+00   SO  0.0e+00  1.1e+00 (z[0])
        3     0     5     4  3.7758e-02  1.0e+00   SO  0.0e+00  3.8e-02 (z[0])
        4     0     6     5  3.9873e-05  1.0e+00   SO  0.0e+00  4.0e-05 (z[0])

    FINAL STATISTICS
    Status................... solved
    Major iterations......... 5
    Minor iterations......... 0
    Crash iterations......... 1
    Gradient steps........... 0
    Restarts................. 0
    Function evaluations..... 7
    Jacobian evaluations..... 7
    ");
}
