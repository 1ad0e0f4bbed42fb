//! The semismooth Newton method: classics, traps, domains, and what it must never say.

use std::cell::Cell;
use std::ops::ControlFlow;

use signorini_complementarity::*;

use crate::fixture;
use crate::functions::*;

const INF: f64 = f64::INFINITY;

fn with(function: NcpFunction) -> SemismoothNewton {
    SemismoothNewton::new(SemismoothSettings {
        function,
        ..SemismoothSettings::default()
    })
}

fn functions() -> [NcpFunction; 3] {
    [
        NcpFunction::Penalized(0.99),
        NcpFunction::FischerBurmeister,
        NcpFunction::Minimum,
    ]
}

fn solve(problem: &dyn Mcp, start: &[f64]) -> Solution {
    SemismoothNewton::default().solve(problem, Start::Point(start))
}

/// Whatever the status, it and the residual are what F says of z.
#[track_caller]
fn check(problem: &dyn Mcp, solution: &Solution) {
    let residual = mcp_residual(problem, &solution.z).unwrap_or(INF);
    assert_eq!(residual, solution.residual);
    let bounds = problem.bounds();
    for (i, z) in solution.z.iter().enumerate() {
        assert!(z.is_finite() && bounds.lower()[i] <= *z && *z <= bounds.upper()[i]);
    }
    if solution.status.is_solved() {
        assert!(residual <= 1e-10, "{residual:e} is called solved");
    }
}

#[track_caller]
fn assert_solved(problem: &dyn Mcp, solution: &Solution) {
    assert_eq!(solution.status, Status::Solved, "{:?}", solution.z);
    check(problem, solution);
}

fn distance(z: &[f64], other: &[f64]) -> f64 {
    z.iter()
        .zip(other)
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, f64::max)
}

#[test]
fn kojima_and_shindos_solutions_are_found_from_all_published_starts() {
    let problem = kojima_shindo();
    let solutions = [[1.5_f64.sqrt(), 0.0, 0.0, 0.5], [1.0, 0.0, 3.0, 0.0]];
    let found = |solution: &Solution| {
        assert_solved(&problem, solution);
        let near = |s: &[f64; 4]| distance(&solution.z, s) < 1e-8;
        assert!(solutions.iter().any(near), "{:?}", solution.z);
    };
    for start in &KOJIMA_SHINDO_STARTS {
        for function in [NcpFunction::FischerBurmeister, NcpFunction::Penalized(0.99)] {
            let solution = with(function).solve(&problem, Start::Point(start));
            found(&solution);
            assert!(solution.stats.iterations <= 60);
        }
    }
}

#[test]
fn the_case_of_two_solutions() {
    let case = fixture::case("ncp-two-solutions");
    let expect = &case["expect"][0];
    let tolerance = fixture::number(&expect["abs_tol"]);
    let answers = fixture::matrix(&expect["any_of"]);
    let problem = kojima_shindo();
    for start in fixture::matrix(&case["problem"]["starts"]) {
        let mut solver = with(NcpFunction::FischerBurmeister);
        let solution = solver.solve(&problem, Start::Point(&start));
        assert_solved(&problem, &solution);
        assert!(solution.residual <= fixture::number(&expect["residual_at_most"]));
        assert!(
            answers
                .iter()
                .any(|z| distance(&solution.z, z) <= tolerance)
        );
    }
    let mut f = [0.0; 4];
    for (z, expected) in answers.iter().zip(["F_at_first", "F_at_second"]) {
        problem.evaluate(z, &mut f, None).unwrap();
        assert!(distance(&f, &fixture::vector(&case["expect"][1][expected])) < 1e-12);
    }
}

/// Newton halves the distance at each step.
#[test]
fn a_double_root_is_reached_in_few_steps_and_does_not_run_off() {
    let case = fixture::case("mcp-double-root");
    let problem = double_root();
    for start in fixture::vector(&case["problem"]["starts"]) {
        for function in functions() {
            let solution = with(function).solve(&problem, Start::Point(&[start]));
            assert_solved(&problem, &solution);
            let expect = &case["expect"];
            assert!((solution.z[0] - 1.0).abs() <= fixture::number(&expect[0]["abs_tol"]));
            let most = fixture::number(&expect[1]["newton_steps_at_most"]);
            assert!(solution.stats.iterations as f64 <= most);
        }
    }
}

#[test]
fn every_kind_of_bound() {
    for id in ["mcp-bounds-table", "mcp-free-variable"] {
        let case = fixture::case(id);
        for (name, instance, expect) in fixture::instances(&case) {
            let bounds = Bounds::new(
                fixture::vector(&instance["l"]),
                fixture::vector(&instance["u"]),
            );
            let Ok(bounds) = bounds else {
                assert_eq!(name, "infeasible_bounds");
                continue;
            };
            let (m, q) = (
                fixture::matrix(&instance["M"]),
                fixture::vector(&instance["q"]),
            );
            let mcp = LinearMcp::from_dense(&m, q, bounds).unwrap();
            for function in functions() {
                let solution = with(function).solve(&mcp, Start::Cold);
                assert_solved(&mcp, &solution);
                let z = fixture::vector(&expect["z"]);
                assert!(distance(&solution.z, &z) < 1e-9, "{name} {function:?}");
            }
        }
    }
}

#[test]
fn billups_trap_is_left_alone_and_said_to_be_one() {
    let problem = billups();
    let solution = solve(&problem, &[0.0]);
    assert_eq!(solution.status, Status::NoProgress);
    check(&problem, &solution);
    for start in [3.0, 1.0] {
        let solution = solve(&problem, &[start]);
        assert_solved(&problem, &solution);
        assert!((solution.z[0] - 1.0 - 1.01_f64.sqrt()).abs() < 1e-9);
    }
}

#[test]
fn the_game_of_five_firms_has_its_published_equilibrium() {
    let problem = five_firms([0.0; 5]);
    let published = [36.9325, 41.8175, 43.7066, 42.6592, 39.1790];
    for start in [[10.0; 5], [1.0; 5], [100.0, 5.0, 30.0, 5.0, 60.0]] {
        let solution = solve(&problem, &start);
        assert_solved(&problem, &solution);
        assert!(distance(&solution.z, &published) < 1e-3);
        assert!(solution.stats.iterations <= 12);
    }
    // The price of nothing is not defined.
    let solution = SemismoothNewton::default().solve(&problem, Start::Cold);
    assert_eq!(solution.status, Status::Domain { row: 0 });
}

#[test]
fn functions_that_are_not_defined_at_the_start_name_their_row() {
    for (f, slope) in [(f64::NAN, 1.0), (INF, 1.0), (1.0, f64::NAN), (1.0, -INF)] {
        let problem = Function::nonnegative(2, move |z, out, push| {
            out[0] = z[0] - 1.0;
            out[1] = f;
            push(0, 0, 1.0);
            push(1, 1, slope);
            Ok(())
        });
        let solution = solve(&problem, &[2.0, 3.0]);
        assert_eq!(solution.status, Status::Domain { row: 1 });
        // Where only the Jacobian is not defined, F still says how far the point is from a solution.
        let residual = if f.is_finite() { 1.0 } else { INF };
        assert_eq!((solution.z, solution.residual), (vec![2.0, 3.0], residual));
    }
}

/// log z = −3 from z = 20: the full Newton step leads to z < 0.
#[test]
fn steps_out_of_the_domain_are_too_long() {
    let logarithm = |only_slope: bool| {
        Function::free(1, move |z, f, push| {
            let undefined = z[0] <= 0.0;
            f[0] = if undefined && only_slope {
                0.0
            } else {
                z[0].ln() + 3.0
            };
            push(0, 0, if undefined { f64::NAN } else { 1.0 / z[0] });
            Ok(())
        })
    };
    for only_slope in [false, true] {
        let problem = logarithm(only_slope);
        let solution = solve(&problem, &[20.0]);
        assert_solved(&problem, &solution);
        assert!((solution.z[0] - (-3.0_f64).exp()).abs() < 1e-9);
        assert!(solution.stats.evaluations > solution.stats.jacobians);
    }
    // A wall before the solution of z² = 4: nothing beyond 1 is defined.
    let wall = Function::free(1, |z, f, push| {
        if z[0] > 1.0 {
            return Err(DomainError { row: 0 });
        }
        f[0] = z[0] * z[0] - 4.0;
        push(0, 0, 2.0 * z[0]);
        Ok(())
    });
    let solution = solve(&wall, &[0.5]);
    assert_eq!(solution.status, Status::Domain { row: 0 });
    check(&wall, &solution);
}

#[test]
fn wrong_jacobians_never_make_solutions() {
    let (mut solved, mut stopped) = (0, 0);
    let wrong: [fn(f64) -> f64; 6] = [|x| -x, |x| 3.0 * x, |_| 0.0, |_| 1e9, |x| x + 5.0, |_| 1e-9];
    for (k, wrong) in wrong.iter().enumerate() {
        for function in functions() {
            for start in [0.0, 0.5, 7.0] {
                let problem = Function::nonnegative(2, |z, f, push| {
                    f[0] = z[0] * z[0] + z[1] - 3.0;
                    f[1] = z[1] - z[0] + 1.5;
                    push(0, 0, wrong(2.0 * z[0]));
                    push(0, 1, wrong(1.0));
                    push(1, 0, wrong(-1.0));
                    push(1, 1, wrong(1.0));
                    Ok(())
                });
                let solution = with(function).solve(&problem, Start::Point(&[start; 2]));
                check(&problem, &solution);
                match solution.status {
                    Status::Solved => solved += 1,
                    Status::NoProgress | Status::IterationLimit => stopped += 1,
                    other => panic!("{k} {function:?} {start}: {other}"),
                }
            }
        }
    }
    assert!(solved > 0 && stopped > 0, "{solved} {stopped}");
}

#[test]
fn points_that_run_off_are_not_called_solutions() {
    let hyperbola = Function::new(&[1.0], &[INF], |z, f, push| {
        f[0] = -1.0 / (1.0 + z[0]);
        push(0, 0, (1.0 + z[0]).powi(-2));
        Ok(())
    });
    let exponential = Function::free(1, |z, f, push| {
        f[0] = (-z[0]).exp();
        push(0, 0, -f[0]);
        Ok(())
    });
    for problem in [&hyperbola as &dyn Mcp, &exponential] {
        for start in [1.0, 5.0, 25.0] {
            for function in functions() {
                let solution = with(function).solve(problem, Start::Point(&[start]));
                assert_eq!(solution.status, Status::RunsOff, "{start} {function:?}");
                check(problem, &solution);
            }
        }
    }
}

#[test]
fn nothing_and_nothing_free_are_solved_at_once() {
    let empty = Function::free(0, |_, _, _| Ok(()));
    let solution = SemismoothNewton::default().solve(&empty, Start::Cold);
    assert_solved(&empty, &solution);
    let fixed = Function::new(&[2.0, -1.0], &[2.0, -1.0], |z, f, push| {
        f[0] = z[0] - 7.0;
        f[1] = 1e30;
        push(0, 0, 1.0);
        push(1, 1, 0.0);
        Ok(())
    });
    let solution = SemismoothNewton::default().solve(&fixed, Start::Cold);
    assert_solved(&fixed, &solution);
    assert_eq!(
        (solution.z, solution.stats.iterations),
        (vec![2.0, -1.0], 0)
    );
}

/// r F(c z) for units r and c from 1e-60 to 1e60, as far as a residual that is not scaled can tell.
#[test]
fn huge_and_tiny_units() {
    for (r, c) in [
        (1e60, 1.0),
        (1e-60, 1.0),
        (1e8, 1e8),
        (1.0, 1e60),
        (1e100, 1e-100),
    ] {
        let problem = Function::nonnegative(2, move |z, f, push| {
            let (a, b) = (c * z[0], c * z[1]);
            f[0] = r * (a * a + b - 3.0);
            f[1] = r * (b - a + 1.5);
            push(0, 0, r * c * 2.0 * a);
            push(0, 1, r * c);
            push(1, 0, -r * c);
            push(1, 1, r * c);
            Ok(())
        });
        let solution = solve(&problem, &[1.0 / c, 1.0 / c]);
        check(&problem, &solution);
        assert!(solution.residual.is_finite(), "{r:e} {c:e}");
    }
}

#[test]
fn a_solve_leaves_nothing_behind_and_repeats_to_the_bit() {
    let (firms, classic) = (five_firms([0.0; 5]), kojima_shindo());
    let mut used = SemismoothNewton::default();
    for start in KOJIMA_SHINDO_STARTS {
        let fresh = solve(&classic, &start);
        let _ = used.solve(&firms as &dyn Mcp, Start::Point(&[10.0; 5]));
        assert_eq!(used.solve(&classic, Start::Point(&start)), fresh);
    }
}

#[test]
fn the_observer_sees_every_iterate_and_may_stop() {
    let problem = five_firms([0.0; 5]);
    let mut seen = Vec::new();
    let solution = SemismoothNewton::default().solve_observed(
        &problem,
        Start::Point(&[10.0; 5]),
        &mut |iterate: &Iterate<'_>| {
            let step = iterate.step.unwrap();
            assert_eq!(step.residual, iterate.measure);
            assert_eq!(
                step.residual,
                mcp_residual(&problem, iterate.z.unwrap()).unwrap()
            );
            seen.push((iterate.iteration, step.codes));
            ControlFlow::Continue(())
        },
    );
    assert_eq!(seen.len(), solution.stats.iterations + 1);
    assert_eq!(seen[0], (0, [' ', 'I']));
    assert_eq!(seen[1], (1, ['S', 'M']));
    let mut stop = |iterate: &Iterate<'_>| match iterate.iteration {
        2 => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    };
    let stopped =
        SemismoothNewton::default().solve_observed(&problem, Start::Point(&[10.0; 5]), &mut stop);
    assert_eq!(
        (stopped.status, stopped.stats.iterations),
        (Status::Stopped, 2)
    );
    check(&problem, &stopped);
}

/// z³ = 8, which counts its calls, and those that ask for the Jacobian.
struct Counted<'c>(Bounds, [&'c Cell<usize>; 2]);
impl Mcp for Counted<'_> {
    fn len(&self) -> usize {
        1
    }
    fn bounds(&self) -> &Bounds {
        &self.0
    }
    fn evaluate(
        &self,
        z: &[f64],
        f: &mut [f64],
        jacobian: Option<&mut Assembler>,
    ) -> Result<(), DomainError> {
        let Self(_, [calls, with_jacobian]) = self;
        calls.set(calls.get() + 1);
        f[0] = z[0].powi(3) - 8.0;
        if let Some(jacobian) = jacobian {
            with_jacobian.set(with_jacobian.get() + 1);
            jacobian.push(0, 0, 3.0 * z[0] * z[0]);
        }
        Ok(())
    }
}

#[test]
fn counts_are_those_of_the_callback() {
    let (calls, with_jacobian) = (Cell::new(0), Cell::new(0));
    let problem = Counted(Bounds::nonnegative(1), [&calls, &with_jacobian]);
    let solution = solve(&problem, &[3.0]);
    // F at the start with its Jacobian is one call; F and the Jacobian at the end of a step are two.
    let Stats {
        evaluations,
        jacobians,
        ..
    } = solution.stats;
    assert_eq!(
        (calls.get(), with_jacobian.get()),
        (evaluations + jacobians - 1, jacobians)
    );
    assert_solved(&problem, &solution);
}

/// Sparse factorisations, a singular H at the start, and an answer known in closed form.
#[test]
fn a_long_chain_with_obstacles_is_solved_by_sparse_factors() {
    let n = 400;
    let problem = Function::nonnegative(n, |z, f, push| {
        for i in 0..n {
            f[i] = 2.0 * z[i] + z[i].powi(3) - if i % 3 == 0 { 3.0 } else { -1.0 };
            push(i, i, 2.0 + 3.0 * z[i] * z[i]);
            let neighbours = [i.checked_sub(1), (i + 1 < n).then_some(i + 1)];
            for j in neighbours.into_iter().flatten() {
                f[i] -= 0.25 * z[j];
                push(i, j, -0.25);
            }
        }
        Ok(())
    });
    for function in functions() {
        let solution = with(function).solve(&problem, Start::Cold);
        assert_solved(&problem, &solution);
        // Every third stands at the root of 2 z + z³ = 3, its neighbours at their bound.
        for (i, z) in solution.z.iter().enumerate() {
            let expected = if i % 3 == 0 { 1.0 } else { 0.0 };
            assert!((z - expected).abs() < 1e-9);
        }
    }
}

#[test]
fn starts_from_bases_and_outside_of_the_bounds() {
    let problem = Function::new(&[1.0, -INF], &[2.0, 5.0], |z, f, push| {
        f[0] = z[0] - 1.5;
        f[1] = z[1] + 3.0;
        push(0, 0, 1.0);
        push(1, 1, 1.0);
        Ok(())
    });
    let basis = Basis::new(vec![BasisMark::AtUpper, BasisMark::Basic]);
    for start in [
        Start::Basis(&basis),
        Start::Point(&[-7.0, 9.0]),
        Start::Cold,
    ] {
        let solution = SemismoothNewton::default().solve(&problem, start);
        assert_solved(&problem, &solution);
        assert!(distance(&solution.z, &[1.5, -3.0]) < 1e-9);
    }
}
