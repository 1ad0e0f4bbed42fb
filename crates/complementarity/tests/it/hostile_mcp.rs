//! Nonlinear problems and settings that nobody should have: no panic, no hang, no answer to another problem.

use signorini_complementarity::*;

use super::functions::Function;

/// Bounds of which the settings say that they are none: a point beyond them is no solution.
#[test]
fn bounds_taken_for_none_are_kept_by_solutions() {
    let bounds = Bounds::new(vec![0.0, -2.0], vec![1.0, 2.0]).unwrap();
    let rows = [[1.0, 0.0], [1.0, 1.0]];
    let mcp = LinearMcp::from_dense(&rows, vec![-5.0, 7.0], bounds).unwrap();
    for infinity in [0.0, 0.5, 1.5, -1.0, f64::NEG_INFINITY, f64::NAN] {
        for preprocess in [true, false] {
            let settings = PathSettings {
                infinity,
                preprocess,
                ..PathSettings::default()
            };
            let solution = Path::new(settings).solve(&mcp, Start::Cold);
            assert_eq!(solution.status, Status::Solved, "{infinity} {preprocess}");
            assert_eq!(solution.z, [1.0, -2.0]);
            assert_eq!(solution.residual, 0.0);
        }
    }
}

/// A variable that preprocessing decides has a rounded value, and the residual tells.
#[test]
fn residuals_are_those_of_the_problem_as_given() {
    for tenths in 1..50_u32 {
        let (slope, q) = (f64::from(tenths) / 10.0, -1.0 / 3.0);
        let mcp = LinearMcp::from_dense(&[[slope]], vec![q], Bounds::nonnegative(1)).unwrap();
        let solution = Path::default().solve(&mcp, Start::Cold);
        assert_eq!(solution.status, Status::Solved);
        assert_eq!(mcp_residual(&mcp, &solution.z), Ok(solution.residual));
    }
    // The merit overflows, F does not; the Jacobian is not defined, F is.
    let huge = Function::free(1, |z, f, push| {
        f[0] = 1e200 + z[0];
        push(0, 0, 1.0);
        Ok(())
    });
    let vertical = Function::nonnegative(1, |z, f, push| {
        f[0] = z[0].sqrt() - 1.0;
        push(0, 0, 0.5 / z[0].sqrt());
        Ok(())
    });
    let problems: [&dyn Mcp; 2] = [&huge, &vertical];
    for problem in problems {
        let start = Start::Point(&[0.0]);
        let solutions = [
            Path::default().solve(problem, start),
            SemismoothNewton::default().solve(problem, start),
            solve_mcp(problem, start).solution,
        ];
        for solution in solutions {
            assert_eq!(mcp_residual(problem, &solution.z), Ok(solution.residual));
        }
    }
}

/// A factor that shortens nothing must not search for ever.
#[test]
fn a_step_that_never_shortens_is_given_up() {
    let wrong = Function::free(1, |z, f, push| {
        f[0] = z[0] * z[0] + 1.0;
        push(0, 0, 3.0);
        Ok(())
    });
    for backtracking in [1.0, 2.0, f64::INFINITY, f64::NAN, -1.0, 0.0] {
        let settings = SemismoothSettings {
            backtracking,
            ..SemismoothSettings::default()
        };
        let solution = SemismoothNewton::new(settings).solve(&wrong, Start::Point(&[1.0]));
        assert!(!solution.status.is_solved(), "{backtracking}");
        assert!(solution.z[0].is_finite());
    }
}
